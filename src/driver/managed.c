/* SPDX-License-Identifier: Apache-2.0 */
/* Hints about managed memory, prefetches, and what has been hinted. Both sides see the same bytes here, so there is nothing to
   move: a right call is remembered, a wrong one is told so. */
#include "base/log.h"
#include "base/lock.h"
#include "base/os.h"
#include "base/vec.h"
#include "core/hooks.h"
#include "core/graph/capture.h"
#include "core/device/device.h"
#include "core/mem/mem.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"

enum { PAGE = 4096 };            /* hints count for whole pages */

/* What has been said about a piece of memory. */
struct hints {
    bool read_mostly;
    CUmemLocation preferred, prefetched;         /* type INVALID: never said */
    uint64_t accessed_by;                        /* bit n: device n; bit 63: the host */
};

/* A run of pages with the same hints. Pages in no run have none. */
struct run {
    unsigned long long buffer_id;                /* of the allocation: never used again, so old runs are never found */
    uint64_t first, end;
    struct hints hints;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_MEM);
static HW_VEC(struct run) runs HW_GUARDED_BY(mu);

static CUresult location_check(CUmemLocation where)
{
    switch (where.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return device_peek(where.id) ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device %d; cuDeviceGetCount() says how many there are", (int)where.id);
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return hw_numa_node_exists(where.id) ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no NUMA node %d", where.id);
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return CUDA_SUCCESS;
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no place of type %d", (int)where.type);
    }
}

static CUmemLocation location_of(CUdevice device)
{
    CUmemLocation location = {device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE, device};

    return location;
}

/* A range inside one piece of managed memory, grown to whole pages. */
static CUresult range_check(CUdeviceptr ptr, size_t count, struct run *out)
{
    struct mem_info info;

    if (count == 0 || !mem_covers(ptr, count, &info) || info.kind != MEM_MANAGED)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes from 0x%llx are not inside of one piece of managed memory", count, (unsigned long long)ptr);
    memset(out, 0, sizeof *out);
    out->buffer_id = info.buffer_id;
    out->first = ptr & ~(uint64_t)(PAGE - 1);
    out->end = hw_align_up(ptr + count, PAGE);
    return CUDA_SUCCESS;
}

/* Cuts runs at an address, so that none reaches across it. */
static void runs_cut_locked(unsigned long long buffer_id, uint64_t at)
{
    for (size_t i = 0; i < runs.n; i++) {
        if (runs.v[i].buffer_id == buffer_id && runs.v[i].first < at && at < runs.v[i].end) {
            struct run upper = runs.v[i];
            upper.first = at;
            runs.v[i].end = at;
            hw_vec_push(&runs, upper);
            return;
        }
    }
}

typedef void hint_fn(struct hints *hints, CUmemLocation where);

/* Applies fn to the hints of every page of the range. */
static void runs_apply(const struct run *range, hint_fn *fn, CUmemLocation where)
{
    uint64_t at = range->first;

    hw_lock(&mu);
    runs_cut_locked(range->buffer_id, range->first);
    runs_cut_locked(range->buffer_id, range->end);
    while (at < range->end) {
        struct run *here = NULL;
        uint64_t next = range->end;
        for (size_t i = 0; i < runs.n; i++) {
            struct run *r = &runs.v[i];
            if (r->buffer_id != range->buffer_id)
                continue;
            if (r->first == at)
                here = r;
            else if (r->first > at && r->first < next)
                next = r->first;
        }
        if (here) {
            fn(&here->hints, where);
            at = here->end;
        } else {
            struct run made = *range;
            made.first = at;
            made.end = next;
            fn(&made.hints, where);
            hw_vec_push(&runs, made);
            at = next;
        }
    }
    hw_unlock(&mu);
}

/* --- hints --- */

static uint64_t location_bit(CUmemLocation where)
{
    return where.type == CU_MEM_LOCATION_TYPE_DEVICE ? (uint64_t)1 << (where.id & 31) : (uint64_t)1 << 63;
}

static void set_read_mostly(struct hints *h, CUmemLocation where) { h->read_mostly = true; }
static void unset_read_mostly(struct hints *h, CUmemLocation where) { h->read_mostly = false; }

/* A node of the host is taken, and not remembered. */
static void set_preferred(struct hints *h, CUmemLocation where)
{
    if (where.type == CU_MEM_LOCATION_TYPE_DEVICE || where.type == CU_MEM_LOCATION_TYPE_HOST)
        h->preferred = where;
}

static void set_accessed_by(struct hints *h, CUmemLocation where) { h->accessed_by |= location_bit(where); }
static void unset_accessed_by(struct hints *h, CUmemLocation where) { h->accessed_by &= ~location_bit(where); }
static void set_prefetched(struct hints *h, CUmemLocation where) { h->prefetched = where; }

static void unset_preferred(struct hints *h, CUmemLocation where)
{
    h->preferred.type = CU_MEM_LOCATION_TYPE_INVALID;
    h->preferred.id = 0;
}

CUresult do_cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location)
{
    static const struct {
        hint_fn *fn;
        bool located;                            /* looks at the location */
    } rows[] = {
        [CU_MEM_ADVISE_SET_READ_MOSTLY] = {set_read_mostly, false},
        [CU_MEM_ADVISE_UNSET_READ_MOSTLY] = {unset_read_mostly, false},
        [CU_MEM_ADVISE_SET_PREFERRED_LOCATION] = {set_preferred, true},
        [CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION] = {unset_preferred, false},
        [CU_MEM_ADVISE_SET_ACCESSED_BY] = {set_accessed_by, true},
        [CU_MEM_ADVISE_UNSET_ACCESSED_BY] = {unset_accessed_by, true},
    };
    struct run range;
    CUresult rc;

    if ((unsigned)advice >= HW_LEN(rows) || !rows[advice].fn)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no advice %d", (int)advice);
    if ((rc = range_check(devPtr, count, &range)))
        return rc;
    if (rows[advice].located && location_check(location))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "place %d.%d does not exist", (int)location.type, location.id);
    if (advice == CU_MEM_ADVISE_SET_ACCESSED_BY && location.type != CU_MEM_LOCATION_TYPE_DEVICE && location.type != CU_MEM_LOCATION_TYPE_HOST)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "only a device or the host accesses memory, no place of type %d", (int)location.type);
    runs_apply(&range, rows[advice].fn, location);
    return CUDA_SUCCESS;
}

CUresult do_cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
    if (device != CU_DEVICE_CPU && !device_peek(device) && advice != CU_MEM_ADVISE_SET_READ_MOSTLY
        && advice != CU_MEM_ADVISE_UNSET_READ_MOSTLY && advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", device);
    return do_cuMemAdvise_v2(devPtr, count, advice, location_of(device));
}

CUresult do_cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags, CUstream hStream)
{
    struct run range;
    struct stream *s;
    CUresult rc;

    if (flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags are 0x%x; they must be 0", (unsigned)flags);
    if ((rc = range_check(devPtr, count, &range)) || (rc = location_check(location)))
        return rc;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = capture_forbids(s);
    if (!rc) {
        runs_apply(&range, set_prefetched, location);
        hook_mem_prefetched(s, devPtr, count, location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    }
    stream_unref(s);
    return rc;
}

CUresult do_cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream)
{
    return do_cuMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0, hStream);
}

/* --- batches --- */

/* Which places a batch prefetches to: place k is that of the ranges from first[k] on, until the next one's. As an H200 takes it: the first is 0, and two may be the same. */
struct places {
    const CUmemLocation *v;
    const size_t *first;
    size_t n;
};

static CUresult places_check(const struct places *to, size_t count)
{
    if (!to->v || !to->first || to->n == 0 || to->n > count)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "prefetchLocs or prefetchLocIdxs is NULL, or numPrefetchLocs %zu is not 1 to %zu", to->n, count);
    for (size_t i = 0; i < to->n; i++)
        if ((i == 0 ? to->first[0] != 0 : to->first[i] < to->first[i - 1]) || to->first[i] >= count || location_check(to->v[i]))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "place %zu (type %d, id %d, from range %zu on): it must exist, the first is for range 0, and each for the same as the one before it or a later one", i,
                             (int)to->v[i].type, to->v[i].id, to->first[i]);
    return CUDA_SUCCESS;
}

/* to NULL: nothing is prefetched. What is discarded may hold anything until it is written: it holds what it held. */
static CUresult managed_batch(const CUdeviceptr *dptrs, const size_t *sizes, size_t count, const struct places *to, unsigned long long flags, CUstream hStream)
{
    struct run range;
    struct stream *s;
    CUresult rc;

    if (!dptrs || !sizes || count == 0 || flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "dptrs or sizes is NULL, count is 0, or flags 0x%llx are not 0", flags);
    if (hStream == CU_STREAM_LEGACY || (!hStream && !api_per_thread()))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the legacy default stream takes no batches");
    if (to && (rc = places_check(to, count)))
        return rc;
    for (size_t i = 0; i < count; i++)
        if ((rc = range_check(dptrs[i], sizes[i], &range)))
            return rc;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = capture_forbids(s);
    for (size_t i = 0, at = 0; i < count && to && !rc; i++) {
        while (at + 1 < to->n && to->first[at + 1] <= i)
            at++;
        if (!(rc = range_check(dptrs[i], sizes[i], &range))) {
            runs_apply(&range, set_prefetched, to->v[at]);
            hook_mem_prefetched(s, dptrs[i], sizes[i], to->v[at].type == CU_MEM_LOCATION_TYPE_DEVICE);
        }
    }
    stream_unref(s);
    return rc;
}

CUresult do_cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                    size_t numPrefetchLocs, unsigned long long flags, CUstream hStream)
{
    return managed_batch(dptrs, sizes, count, &(struct places){prefetchLocs, prefetchLocIdxs, numPrefetchLocs}, flags, hStream);
}

CUresult do_cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, unsigned long long flags, CUstream hStream)
{
    return managed_batch(dptrs, sizes, count, NULL, flags, hStream);
}

CUresult do_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                              size_t numPrefetchLocs, unsigned long long flags, CUstream hStream)
{
    return managed_batch(dptrs, sizes, count, &(struct places){prefetchLocs, prefetchLocIdxs, numPrefetchLocs}, flags, hStream);
}

/* --- questions --- */

/* What holds for the whole range: a location only where all pages agree. */
static struct hints runs_common(const struct run *range)
{
    struct hints all = {.read_mostly = true, .accessed_by = UINT64_MAX}, none = {0};
    uint64_t covered = 0;
    bool first = true;

    hw_lock(&mu);
    for (size_t i = 0; i <= runs.n; i++) {
        const struct run *r = i < runs.n ? &runs.v[i] : NULL;
        const struct hints *h = r ? &r->hints : &none;
        if (r) {
            if (r->buffer_id != range->buffer_id || r->end <= range->first || r->first >= range->end)
                continue;
            covered += hw_min_u64(r->end, range->end) - hw_max_u64(r->first, range->first);
        } else if (covered == range->end - range->first) {
            break;                               /* no page is without a run */
        }
        all.read_mostly = all.read_mostly && h->read_mostly;
        all.accessed_by &= h->accessed_by;
        if (first) {
            all.preferred = h->preferred;
            all.prefetched = h->prefetched;
        }
        if (memcmp(&all.preferred, &h->preferred, sizeof h->preferred) != 0)
            all.preferred = none.preferred;
        if (memcmp(&all.prefetched, &h->prefetched, sizeof h->prefetched) != 0)
            all.prefetched = none.prefetched;
        first = false;
    }
    hw_unlock(&mu);
    return all;
}

static int location_device(CUmemLocation where)
{
    return where.type == CU_MEM_LOCATION_TYPE_INVALID ? CU_DEVICE_INVALID
           : where.type == CU_MEM_LOCATION_TYPE_DEVICE ? where.id
                                                       : CU_DEVICE_CPU;
}

static int location_id(CUmemLocation where)
{
    return where.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ? where.id : location_device(where);
}

static CUresult range_answer(const struct hints *h, CUmem_range_attribute attribute, void *data, size_t bytes)
{
    int value;

    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        value = h->read_mostly;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        value = location_device(h->preferred);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        value = location_device(h->prefetched);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        value = (int)h->preferred.type;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        value = location_id(h->preferred);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        value = (int)h->prefetched.type;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        value = location_id(h->prefetched);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: {
        /* As many devices as there is room for, then CU_DEVICE_INVALID. */
        int *out = data;
        size_t n = 0, room = bytes / sizeof *out;
        if (room == 0 || bytes % sizeof *out)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes hold no whole number of devices", bytes);
        for (int bit = 0; bit < 64 && n < room; bit++) {
            if (h->accessed_by >> bit & 1)
                out[n++] = bit == 63 ? CU_DEVICE_CPU : bit;
        }
        while (n < room)
            out[n++] = CU_DEVICE_INVALID;
        return CUDA_SUCCESS;
    }
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no such attribute of a range");
    }
    if (bytes != sizeof value)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the answer has %zu bytes, not %zu", sizeof value, bytes);
    memcpy(data, &value, sizeof value);
    return CUDA_SUCCESS;
}

CUresult do_cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr, size_t count)
{
    struct hints hints;
    struct run range;
    CUresult rc;

    if (!data)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "data is NULL");
    if ((rc = range_check(devPtr, count, &range)))
        return rc;
    hints = runs_common(&range);
    return range_answer(&hints, attribute, data, dataSize);
}

CUresult do_cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes, size_t numAttributes,
                                    CUdeviceptr devPtr, size_t count)
{
    CUresult rc = CUDA_SUCCESS;

    if (!data || !dataSizes || !attributes || numAttributes == 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "data, dataSizes or attributes is NULL, or there are none");
    for (size_t i = 0; i < numAttributes && !rc; i++)
        rc = do_cuMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
    return rc;
}

CUresult do_cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags)
{
    struct mem_info info;
    struct stream *s;
    CUresult rc;

    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are none of CU_MEM_ATTACH_GLOBAL, _HOST, _SINGLE", flags);
    if (!mem_lookup(dptr, &info) || info.kind != MEM_MANAGED || dptr != info.base || (length && length != info.bytes))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the first byte of managed memory, or %zu is not its size", (unsigned long long)dptr, length);
    /* Attaching to one stream makes no sense for the default streams, which everybody shares. */
    if (flags == CU_MEM_ATTACH_SINGLE && (!hStream || hStream == CU_STREAM_LEGACY))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "memory cannot be attached to the legacy default stream");
    if ((rc = api_stream(hStream, &s)))
        return rc;
    stream_unref(s);
    return CUDA_SUCCESS;
}
