/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the record file of a profiled process and puts its records in order. */
#define _GNU_SOURCE
#include "cli/prof.h"

#include "base/hash.h"
#include "base/os.h"
#include "cli/cli.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- names --- */

const char *prof_name(const struct prof_data *d, uint32_t id)
{
    return id < d->n_names && d->names[id] ? d->names[id] : "";
}

static void read_names(struct prof_data *d)
{
    for (uint64_t i = PROF_HEADER_SLOTS; i < d->n_slots; i++)
        if (d->slots[i].type == PROF_NAME && d->slots[i].id < d->n_slots)
            d->n_names = (uint32_t)hw_max_u64(d->n_names, d->slots[i].id + 1);
    d->names = hw_alloc((d->n_names + 1) * sizeof *d->names);
    for (uint64_t i = PROF_HEADER_SLOTS; i < d->n_slots; i++) {
        const struct prof_record *r = &d->slots[i];
        if (r->type != PROF_NAME || r->id >= d->n_names || i + r->text_slots >= d->n_slots || d->names[r->id])
            continue;
        size_t most = sizeof r->data.text + r->text_slots * sizeof *r;
        char *text = hw_strndup((const char *)r + offsetof(struct prof_record, data), most);
        d->names[r->id] = hw_demangle(text);
        hw_free(text);
        i += r->text_slots;
    }
}

const char *prof_place_name(unsigned place)
{
    static const char *const names[PROF_PLACE_COUNT] = { "Pageable", "Pinned", "Device", "Managed" };
    return place < PROF_PLACE_COUNT ? names[place] : "?";
}

static bool is_host(unsigned place)
{
    return place == PROF_PAGEABLE || place == PROF_PINNED;
}

static const char *copy_name(const struct prof_record *r)
{
    static const char *const in[] = { "[CUDA memcpy HtoD] (pageable)", "[CUDA memcpy HtoD] (pinned)" };
    static const char *const out[] = { "[CUDA memcpy DtoH] (pageable)", "[CUDA memcpy DtoH] (pinned)" };
    if (is_host(r->src) && is_host(r->dst))
        return "[CUDA memcpy HtoH]";
    if (is_host(r->src))
        return in[r->src];
    return is_host(r->dst) ? out[r->dst] : "[CUDA memcpy DtoD]";
}

static const char *act_name(const struct prof_data *d, const struct prof_record *r)
{
    switch (r->type) {
    case PROF_KERNEL: return prof_name(d, r->name);
    case PROF_COPY: return copy_name(r);
    case PROF_FILL: return "[CUDA memset]";
    default: return "[host function]";
    }
}

/* --- order --- */

static void widen(struct prof_data *d, uint64_t from, uint64_t to)
{
    if (from && (!d->first_ns || from < d->first_ns))
        d->first_ns = from;
    d->last_ns = hw_max_u64(d->last_ns, to);
}

static void find_times(struct prof_data *d)
{
    for (uint64_t i = PROF_HEADER_SLOTS; i < d->n_slots; i++) {
        const struct prof_record *r = &d->slots[i];
        if (r->type == PROF_NAME)
            i += r->text_slots;
        else if (r->type > PROF_NAME && r->type < PROF_SITE && r->type != PROF_DEPENDS)
            widen(d, r->queued ? r->queued : r->start, hw_max_u64(r->end, hw_max_u64(r->start, r->queued)));
    }
    if (!d->first_ns)
        d->first_ns = d->last_ns = d->header->start_ns;
}

static void add_act(struct prof_data *d, const struct prof_record *r)
{
    struct prof_act a = { .r = r, .name = act_name(d, r), .start = r->start, .end = r->end };
    if (!r->start)
        return;                                  /* queued, never begun: nothing that a device did */
    uint32_t slot = r->type == PROF_HOSTFN || r->type == PROF_KERNEL || r->type == PROF_COPY || r->type == PROF_FILL ? r->data.shape.real : 0;
    const struct prof_record *real = slot && slot < d->n_slots && d->slots[slot].type == PROF_REAL && d->slots[slot].id == r->id ? &d->slots[slot] : NULL;
    if (real && real->end >= real->start) {
        a.real_start = real->start;
        a.real_end = real->end;
    }
    a.unfinished = !r->end;
    if (a.unfinished)
        a.end = d->last_ns;
    hw_vec_push(&d->acts, a);
}

static void add_span(struct prof_data *d, const struct prof_record *r)
{
    if (r->type == PROF_COMPILE && !r->result)
        return;
    struct prof_span s = { .r = r, .name = prof_name(d, r->name), .start = r->start, .end = r->end, .unfinished = !r->end };
    if (s.unfinished)
        s.end = d->last_ns;
    if (r->type == PROF_API)
        hw_vec_push(&d->calls, s);
    else
        hw_vec_push(&d->ranges, s);
}

static int by_id(const void *pa, const void *pb)
{
    const struct prof_act *a = pa, *b = pb;
    return a->r->id < b->r->id ? -1 : a->r->id > b->r->id;
}

static int by_start(const void *pa, const void *pb)
{
    const struct prof_span *a = pa, *b = pb;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void sort_all(struct prof_data *d)
{
    for (uint64_t i = PROF_HEADER_SLOTS; i < d->n_slots; i++) {
        const struct prof_record *r = &d->slots[i];
        switch (r->type) {
        case PROF_NAME: i += r->text_slots; break;
        case PROF_KERNEL:
        case PROF_COPY:
        case PROF_FILL:
        case PROF_HOSTFN: add_act(d, r); break;
        case PROF_API:
        case PROF_RANGE:
        case PROF_COMPILE:
        case PROF_MARK: add_span(d, r); break;
        case PROF_MEMORY: hw_vec_push(&d->memory, r); break;
        case PROF_MAPPED: hw_vec_push(&d->mapped, r); break;
        case PROF_SITE: hw_vec_push(&d->sites, (const struct prof_site *)(const void *)r); break;
        default: break;
        }
    }
    if (d->acts.n)
        qsort(d->acts.v, d->acts.n, sizeof *d->acts.v, by_id);
    if (d->calls.n)
        qsort(d->calls.v, d->calls.n, sizeof *d->calls.v, by_start);
    if (d->ranges.n)
        qsort(d->ranges.v, d->ranges.n, sizeof *d->ranges.v, by_start);
    struct hw_map known = { 0 };
    for (size_t i = 0; i < d->acts.n; i++) {
        struct prof_act *a = &d->acts.v[i];
        uintptr_t index = (uintptr_t)hw_map_get(&known, &a->r->stream, sizeof a->r->stream);
        if (!index) {
            struct prof_stream s = { a->r->stream, a->r->flags & (PROF_LEGACY | PROF_PER_THREAD | PROF_NON_BLOCKING | PROF_GRAPH), a->r->device };
            hw_vec_push(&d->streams, s);
            index = d->streams.n;
            hw_map_set(&known, &a->r->stream, sizeof a->r->stream, (void *)index);
        }
        a->stream = (uint32_t)index - 1;
    }
    hw_map_fini(&known);
}

/* --- what waited for what --- */

/* The place of a command in its stream: the activity at or before it, and the one at or after it. UINT32_MAX: none. */
struct place {
    const struct prof_record *r;
    uint32_t before, after;
};

static int place_by_id(const void *pa, const void *pb)
{
    const struct place *a = pa, *b = pb;
    return a->r->id < b->r->id ? -1 : a->r->id > b->r->id;
}

static bool is_command(const struct prof_record *r)
{
    return (r->type >= PROF_KERNEL && r->type <= PROF_WAIT) && r->id;
}

static struct place *find_place(struct place *all, size_t n, uint64_t id)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (all[mid].r->id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && all[low].r->id == id ? &all[low] : NULL;
}

/* Walks the commands in one direction and keeps the latest activity of each stream. Values in the map are index + 1. */
static void link_places(struct prof_data *d, struct place *all, size_t n, bool forward)
{
    struct hw_map latest = { 0 };
    size_t act = forward ? 0 : d->acts.n;
    for (size_t k = 0; k < n; k++) {
        struct place *p = &all[forward ? k : n - 1 - k];
        if (forward && act < d->acts.n && d->acts.v[act].r == p->r)
            hw_map_set(&latest, &p->r->stream, sizeof p->r->stream, (void *)(uintptr_t)(++act));
        else if (!forward && act > 0 && d->acts.v[act - 1].r == p->r)
            hw_map_set(&latest, &p->r->stream, sizeof p->r->stream, (void *)(uintptr_t)(act--));
        uintptr_t found = (uintptr_t)hw_map_get(&latest, &p->r->stream, sizeof p->r->stream);
        *(forward ? &p->before : &p->after) = found ? (uint32_t)(found - 1) : UINT32_MAX;
    }
    hw_map_fini(&latest);
}

static void find_edges(struct prof_data *d)
{
    HW_VEC(struct place) all = { 0 };
    for (uint64_t i = PROF_HEADER_SLOTS; i < d->n_slots; i++) {
        const struct prof_record *r = &d->slots[i];
        if (r->type == PROF_NAME)
            i += r->text_slots;
        else if (is_command(r) && (r->start || r->type >= PROF_EVENT))
            hw_vec_push(&all, ((struct place){ r, UINT32_MAX, UINT32_MAX }));
    }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, place_by_id);
    link_places(d, all.v, all.n, true);
    link_places(d, all.v, all.n, false);
    for (uint64_t i = PROF_HEADER_SLOTS; i < d->n_slots; i++) {
        const struct prof_record *r = &d->slots[i];
        if (r->type == PROF_NAME)
            i += r->text_slots;
        if (r->type != PROF_DEPENDS)
            continue;
        struct place *to = find_place(all.v, all.n, r->id), *from = find_place(all.v, all.n, r->bytes);
        if (!to || !from || to->after == UINT32_MAX || from->before == UINT32_MAX || to->r->stream == from->r->stream)
            continue;
        unsigned flags = from->r->flags | to->r->flags;
        bool legacy = to->r->type != PROF_WAIT && (flags & PROF_LEGACY) && !(flags & PROF_GRAPH);
        struct prof_edge e = { from->before, to->after, legacy, (flags & PROF_GRAPH) != 0 };
        hw_vec_push(&d->edges, e);
    }
    hw_vec_fini(&all);
}

/* --- the file --- */

/* Ticks become ns: how fast they run, the time since the process began tells. */
static void read_clock(struct prof_data *d, struct prof_record *slots)
{
    uint64_t now_ns, now, first = d->header->ticks, first_ns = d->header->start_ns;
    if (!first)
        return;
    hw_now_both(&now_ns, &now);
    if (now <= first || now_ns <= first_ns)
        return;
    for (uint64_t i = PROF_HEADER_SLOTS; i < d->n_slots; i++) {
        struct prof_record *r = &slots[i];
        uint64_t *times[] = { &r->queued, &r->start, &r->end };
        if (r->type == PROF_NAME)
            i += r->text_slots;
        for (size_t k = 0; k < HW_LEN(times) && r->type > PROF_NAME && r->type < PROF_SITE; k++)
            if (*times[k])
                *times[k] = first_ns + (uint64_t)((unsigned __int128)(*times[k] - hw_min_u64(first, *times[k])) * (now_ns - first_ns) / (now - first));
    }
}

bool prof_load(const char *path, struct prof_data *out)
{
    struct stat st;
    memset(out, 0, sizeof *out);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *p = fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof(struct prof_header)
        ? mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (p == MAP_FAILED) {
        cli_error("cannot read the profile %s: %s", path, strerror(errno));
        return false;
    }
    out->header = p;
    out->slots = p;
    out->map_bytes = (size_t)st.st_size;
    if (out->header->magic != PROF_MAGIC || out->header->slot_bytes != sizeof(struct prof_record)) {
        cli_error("%s is not a profile of this version", path);
        prof_unload(out);
        return false;
    }
    out->n_slots = hw_min_u64(out->header->n_slots, hw_min_u64(out->header->limit, out->map_bytes / sizeof *out->slots));
    read_clock(out, p);
    read_names(out);
    find_times(out);
    sort_all(out);
    find_edges(out);
    return true;
}

void prof_unload(struct prof_data *d)
{
    for (uint32_t i = 0; i < d->n_names; i++)
        free(d->names[i]);
    hw_free(d->names);
    hw_vec_fini(&d->acts);
    hw_vec_fini(&d->calls);
    hw_vec_fini(&d->ranges);
    hw_vec_fini(&d->memory);
    hw_vec_fini(&d->mapped);
    hw_vec_fini(&d->sites);
    hw_vec_fini(&d->streams);
    hw_vec_fini(&d->edges);
    munmap((void *)(uintptr_t)d->header, d->map_bytes);
    memset(d, 0, sizeof *d);
}

const struct prof_record *prof_call_of(const struct prof_data *d, const struct prof_record *r)
{
    return r->api && r->api < d->n_slots && d->slots[r->api].type == PROF_API ? &d->slots[r->api] : NULL;
}
