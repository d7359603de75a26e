/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory in batches: prefetched, discarded, both. What is taken and what is refused is what an H200 with driver 580 answered. */
#include "driver_check.h"

enum { BYTES = 4 << 20 };

static CUstream s;
static CUdeviceptr a, b, plain;

static int last_place(CUdeviceptr p)
{
    int place = -100;
    NEED(cuMemRangeGetAttribute(&place, sizeof place, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, BYTES));
    return place;
}

static const CUmemLocation device = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 }, host = { .type = CU_MEM_LOCATION_TYPE_HOST };

static void taken(void)
{
    CUdeviceptr both[2] = { a, b };
    CUmemLocation places[2] = { device, host };
    size_t sizes[2] = { BYTES, BYTES }, parts[2] = { 1 << 21, 100 }, first[2] = { 0, 1 }, same[2] = { 0, 0 };
    check_result("two_places", cuMemPrefetchBatchAsync(both, sizes, 2, places, first, 2, 0, s), CUDA_SUCCESS);
    check_true("each_for_its_range", last_place(a) == 0 && last_place(b) == -1);
    check_result("one_place_for_all", cuMemPrefetchBatchAsync(both, sizes, 2, places, first, 1, 0, s), CUDA_SUCCESS);
    check_true("and_it_is", last_place(a) == 0 && last_place(b) == 0);
    check_result("a_place_for_no_range", cuMemPrefetchBatchAsync(both, sizes, 2, places, same, 2, 0, s), CUDA_SUCCESS);
    check_result("parts", cuMemPrefetchBatchAsync(both, parts, 2, places, first, 1, 0, s), CUDA_SUCCESS);
    check_result("a_threads_default_stream", cuMemPrefetchBatchAsync(both, sizes, 2, places, first, 1, 0, CU_STREAM_PER_THREAD), CUDA_SUCCESS);
    check_result("discarded", cuMemDiscardBatchAsync(both, sizes, 2, 0, s), CUDA_SUCCESS);
    check_true("and_the_last_place_stays", last_place(a) == 0);
    check_result("discarded_in_part", cuMemDiscardBatchAsync(both, parts, 2, 0, s), CUDA_SUCCESS);
    check_result("both_at_once", cuMemDiscardAndPrefetchBatchAsync(both, sizes, 2, places, first, 2, 0, s), CUDA_SUCCESS);
    check_true("which_prefetches", last_place(a) == 0 && last_place(b) == -1);
    NEED(cuStreamSynchronize(s));
    memset((void *)(size_t)a, 5, BYTES);
    check_true("it_is_written_again", ((char *)(size_t)a)[BYTES - 1] == 5);
}

static void refused(void)
{
    CUdeviceptr both[2] = { a, b }, other[2] = { a, plain };
    CUmemLocation places[2] = { device, host }, none = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 99 }, invalid = { .type = CU_MEM_LOCATION_TYPE_INVALID };
    size_t sizes[2] = { BYTES, BYTES }, empty[2] = { BYTES, 0 }, past[2] = { BYTES, 2 * BYTES }, first[2] = { 0, 1 }, later[1] = { 1 }, far[2] = { 0, 2 };
    const struct {
        const char *rule;
        CUresult got;
    } rows[] = {
        { "the_legacy_stream", cuMemPrefetchBatchAsync(both, sizes, 2, places, first, 1, 0, NULL) },
        { "the_legacy_stream_by_name", cuMemPrefetchBatchAsync(both, sizes, 2, places, first, 1, 0, CU_STREAM_LEGACY) },
        { "no_ranges", cuMemPrefetchBatchAsync(both, sizes, 0, places, first, 1, 0, s) },
        { "no_places", cuMemPrefetchBatchAsync(both, sizes, 2, places, first, 0, 0, s) },
        { "more_places_than_ranges", cuMemPrefetchBatchAsync(both, sizes, 1, places, first, 2, 0, s) },
        { "a_first_place_that_is_not_for_the_first", cuMemPrefetchBatchAsync(both, sizes, 2, places, later, 1, 0, s) },
        { "a_place_behind_the_last", cuMemPrefetchBatchAsync(both, sizes, 2, places, far, 2, 0, s) },
        { "flags", cuMemPrefetchBatchAsync(both, sizes, 2, places, first, 1, 1, s) },
        { "plain_memory", cuMemPrefetchBatchAsync(other, sizes, 2, places, first, 1, 0, s) },
        { "a_range_of_nothing", cuMemPrefetchBatchAsync(both, empty, 2, places, first, 1, 0, s) },
        { "a_range_too_long", cuMemPrefetchBatchAsync(both, past, 2, places, first, 1, 0, s) },
        { "a_device_that_is_not_there", cuMemPrefetchBatchAsync(both, sizes, 2, &none, first, 1, 0, s) },
        { "no_place_at_all", cuMemPrefetchBatchAsync(both, sizes, 2, &invalid, first, 1, 0, s) },
        { "NULL", cuMemPrefetchBatchAsync(NULL, sizes, 2, places, first, 1, 0, s) },
        { "NULL_places", cuMemPrefetchBatchAsync(both, sizes, 2, NULL, first, 1, 0, s) },
        { "NULL_indices", cuMemPrefetchBatchAsync(both, sizes, 2, places, NULL, 1, 0, s) },
        { "discard_in_the_legacy_stream", cuMemDiscardBatchAsync(both, sizes, 2, 0, NULL) },
        { "discard_of_no_ranges", cuMemDiscardBatchAsync(both, sizes, 0, 0, s) },
        { "discard_with_flags", cuMemDiscardBatchAsync(both, sizes, 2, 1, s) },
        { "discard_of_plain_memory", cuMemDiscardBatchAsync(other, sizes, 2, 0, s) },
        { "discard_of_nothing", cuMemDiscardBatchAsync(both, empty, 2, 0, s) },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_result(rows[i].rule, rows[i].got, CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    check_start();
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuMemAllocManaged(&a, BYTES, CU_MEM_ATTACH_GLOBAL));
    NEED(cuMemAllocManaged(&b, BYTES, CU_MEM_ATTACH_GLOBAL));
    NEED(cuMemAlloc(&plain, BYTES));
    memset((void *)(size_t)a, 7, BYTES);
    memset((void *)(size_t)b, 7, BYTES);
    taken();
    refused();
    return n_failed != 0;
}
