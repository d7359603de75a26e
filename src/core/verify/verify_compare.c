/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the memories of two processes, page by page, where either of them has written. */
#define _GNU_SOURCE
#include "core/verify/verify_internal.h"

#include "base/os.h"
#include "core/mem/mem.h"
#include "exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- which memory --- */

static void add_range(void *arg, uint64_t base, uint64_t bytes)
{
    struct verify_ranges *to = arg;
    struct verify_range r = { base, bytes };
    if (bytes)
        hw_vec_push(&to->v, r);
}

/* A mapping that others see is replaced by its contents. Two mappings of one file are two pieces of memory then. */
static void make_own(uint64_t begin, uint64_t end)
{
    size_t bytes = end - begin;
    void *at = (void *)(uintptr_t)begin, *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED)
        return;
    memcpy(copy, at, bytes);
    if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED)
        munmap(copy, bytes);
}

static bool known(const struct verify_ranges *ranges, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < ranges->v.n; i++)
        if (ranges->v.v[i].base < end && begin < ranges->v.v[i].base + ranges->v.v[i].bytes)
            return true;
    return false;
}

static void make_shared_own(const struct verify_ranges *ranges)
{
    char line[512], perms[8];
    unsigned long long begin, end;
    FILE *maps = fopen("/proc/self/maps", "re");
    HW_VEC(struct verify_range) shared = { 0 };  /* the file changes while we change the maps */
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%llx-%llx %7s", &begin, &end, perms) == 3 && perms[0] == 'r' && perms[1] == 'w' && perms[3] == 's' && known(ranges, begin, end)) {
            struct verify_range r = { begin, end };
            hw_vec_push(&shared, r);
        }
    if (maps)
        fclose(maps);
    for (size_t i = 0; i < shared.n; i++)
        make_own(shared.v[i].base, shared.v[i].bytes);
    hw_vec_fini(&shared);
}

void verify_ranges_find(struct verify_ranges *out, const struct exec_launch *launch)
{
    uint64_t base, bytes;
    memset(out, 0, sizeof *out);
    mem_each(add_range, out);
    make_shared_own(out);
    if (launch->heap) {
        enum { ROOM = 64 << 20 };                /* the runs may take more than was ever taken */
        exec_heap_range(launch->heap, &base, &bytes);
        add_range(out, base, base ? bytes + ROOM : 0);
    }
}

/* --- words --- */

static bool near(double a, double b, double most)
{
    return a == b || fabs(a - b) <= most * fmax(fabs(a), fabs(b));
}

/* Sums in another order: as two floats, or as a double. */
static bool sums_near(uint64_t a, uint64_t b, unsigned floats)
{
    double d[2];
    float x[2], y[2];
    memcpy(&d[0], &a, 8);
    memcpy(&d[1], &b, 8);
    memcpy(x, &a, 8);
    memcpy(y, &b, 8);
    bool near_floats = near(x[0], y[0], 1e-4) && near(x[1], y[1], 1e-4);
    return ((floats & VERIFY_FLOAT_SUMS) && near_floats) || ((floats & VERIFY_DOUBLE_SUMS) && near(d[0], d[1], 1e-10));
}

static unsigned bytes_in(uint64_t x)
{
    unsigned n = 0;
    for (; x; x >>= 8)
        n += (x & 255) != 0;
    return n;
}

static uint64_t word_at(const char *p, size_t at, size_t bytes)
{
    uint64_t w = 0;
    memcpy(&w, p + at, bytes - at < 8 ? bytes - at : 8);
    return w;
}

void verify_words(uint64_t base, const void *reference, const void *vector, const void *const others[VERIFY_OTHERS], size_t bytes, unsigned floats, struct verify_difference *out)
{
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t r = word_at(reference, at, bytes), v = word_at(vector, at, bytes);
        if (r == v)
            continue;
        unsigned n = bytes_in(r ^ v);
        bool excused = sums_near(r, v, floats);
        for (int k = 0; k < VERIFY_OTHERS; k++)
            excused |= others[k] && word_at(others[k], at, bytes) != r;
        if (!excused && out->bytes == out->excused)
            out->first = (struct verify_word){ .addr = base + at, .reference = r, .vector = v };
        out->bytes += n;
        out->excused += excused ? n : 0;
    }
}

/* --- pages --- */

enum { CHUNK_PAGES = 256 };

/* A process that is looked into. */
struct side {
    pid_t pid;
    int pagemap;                 /* -1: every page may be one that it has written */
    char *bytes;
    uint64_t entry[CHUNK_PAGES];
};

static bool side_init(struct side *s, pid_t pid, bool by_pages)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/pagemap", (int)pid);
    s->pid = pid;
    s->pagemap = by_pages ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    s->bytes = hw_try_alloc(CHUNK_PAGES * hw_page_bytes());
    return s->bytes && (!by_pages || s->pagemap >= 0);
}

static void side_fini(struct side *s)
{
    if (s->pagemap >= 0)
        close(s->pagemap);
    hw_free(s->bytes);
}

/* A page that a process shares with the one it is a copy of is unchanged: the first write gives it one of its own. */
static bool may_be_written(const struct side *s, size_t page)
{
    enum { OWN = 56, SWAPPED = 62, PRESENT = 63 };
    uint64_t e = s->entry[page];
    return s->pagemap < 0 || (e >> SWAPPED & 1) || ((e >> PRESENT & 1) && (e >> OWN & 1));
}

static bool look_up(struct side *s, uint64_t first, size_t pages)
{
    ssize_t want = (ssize_t)(pages * sizeof *s->entry);
    return s->pagemap < 0 || pread(s->pagemap, s->entry, (size_t)want, (off_t)(first / hw_page_bytes() * sizeof *s->entry)) == want;
}

/* 1: read; 0: there is nothing to read; -1: not allowed. */
static int read_side(struct side *s, uint64_t base, size_t bytes)
{
    struct iovec to = { s->bytes, bytes }, from = { (void *)(uintptr_t)base, bytes };
    ssize_t n = process_vm_readv(s->pid, &to, 1, &from, 1, 0);
    return n == (ssize_t)bytes ? 1 : n < 0 && (errno == EPERM || errno == ESRCH || errno == ENOSYS) ? -1 : 0;
}

struct comparing {
    struct side side[2 + VERIFY_OTHERS];
    int n;
    unsigned floats;
    bool denied;
    struct verify_difference *out;
};

static void compare_piece(struct comparing *c, uint64_t base, size_t bytes)
{
    for (int k = 0; k < c->n; k++) {
        int got = read_side(&c->side[k], base, bytes);
        c->denied |= got < 0;
        if (got != 1)
            return;
    }
    const void *others[VERIFY_OTHERS] = { NULL };
    for (int k = 2; k < c->n; k++)
        others[k - 2] = c->side[k].bytes;
    if (memcmp(c->side[0].bytes, c->side[1].bytes, bytes) != 0)
        verify_words(base, c->side[0].bytes, c->side[1].bytes, others, bytes, c->floats, c->out);
}

/* Neighbouring pages that may differ are read at once. */
static void compare_range(struct comparing *c, const struct verify_range *r)
{
    uint64_t page = hw_page_bytes(), end = r->base + r->bytes, at = r->base & ~(page - 1);
    while (at < end && !c->denied) {
        size_t pages = hw_min_u64(CHUNK_PAGES, (end - at + page - 1) / page);
        if (!look_up(&c->side[0], at, pages) || !look_up(&c->side[1], at, pages))
            c->denied = true;
        for (size_t i = 0, n; i < pages && !c->denied; i += n) {
            for (n = 0; i + n < pages && (may_be_written(&c->side[0], i + n) || may_be_written(&c->side[1], i + n)); n++)
                ;
            uint64_t first = hw_max_u64(r->base, at + i * page), last = hw_min_u64(end, at + (i + n) * page);
            if (n)
                compare_piece(c, first, last - first);
            else
                n = 1;
        }
        at += pages * page;
    }
}

/* Does this system say which pages are whose? Tried out once: a page that a copy writes, and one that it does not. */
static bool pages_tell(void)
{
    static int known = -1;
    size_t page = hw_page_bytes();
    int written[2];
    char byte;
    if (known >= 0)
        return known;
    known = 0;
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || pipe(written))
        return false;
    p[0] = p[page] = 1;
    pid_t child = fork();
    if (child == 0) {
        p[0] = 2;
        while (write(written[1], p, 1) < 0 && errno == EINTR)
            ;
        for (;;)
            pause();
    }
    struct side s;
    if (child > 0 && read(written[0], &byte, 1) == 1 && side_init(&s, child, true)) {
        known = look_up(&s, (uint64_t)(uintptr_t)p, 2) && may_be_written(&s, 0) && !may_be_written(&s, 1);
        side_fini(&s);
    }
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    close(written[0]);
    close(written[1]);
    munmap(p, 2 * page);
    return known;
}

bool verify_compare(const struct verify_ranges *ranges, pid_t reference, pid_t vector, const pid_t others[VERIFY_OTHERS], unsigned floats, struct verify_difference *out)
{
    pid_t pids[2 + VERIFY_OTHERS] = { reference, vector };
    struct comparing c = { .n = 2, .floats = floats, .out = out };
    for (int k = 0; k < VERIFY_OTHERS; k++)
        if (others[k])
            pids[c.n++] = others[k];
    bool by_pages = pages_tell();
    memset(out, 0, sizeof *out);
    for (int k = 0; k < c.n; k++)
        c.denied |= !side_init(&c.side[k], pids[k], by_pages);
    for (size_t i = 0; i < ranges->v.n && !c.denied; i++)
        compare_range(&c, &ranges->v.v[i]);
    for (int k = 0; k < c.n; k++)
        side_fini(&c.side[k]);
    if (out->bytes > out->excused)               /* here it is as it was before */
        out->first.before = word_at((const char *)(uintptr_t)out->first.addr, 0, 8);
    return !c.denied;
}
