/* SPDX-License-Identifier: Apache-2.0 */
/* Moving and setting bytes, piece by piece. */
#include "exec/internal.h"

#include "base/log.h"
#include "base/os.h"

void (*exec_move)(void *dst, const void *src, size_t bytes);

/* Pieces are small enough to share among an engine's threads, and large enough not to care. */
enum { PIECE_BYTES = 1 << 20 };

/* Where source and destination do not both fit into the cache, stores go past it: what is copied would throw itself out anyway. Who asks
   for the cache's size for the first time waits for the system. */
static bool is_past_cache(uint64_t bytes)
{
    enum { LEAST = 4 << 20 };
    return bytes >= LEAST && bytes >= hw_cache_bytes() / 2;
}

static void fill(char *dst, uint32_t value, unsigned element, size_t bytes)
{
    if (element == 1 || (value & 0xff) * (element == 2 ? 0x101u : 0x1010101u) == value) {
        memset(dst, (int)(value & 0xff), bytes);
    } else if (element == 2) {
        uint16_t *p = (uint16_t *)(void *)dst;
        for (size_t i = 0; i < bytes / 2; i++)
            p[i] = (uint16_t)value;
    } else {
        uint32_t *p = (uint32_t *)(void *)dst;
        for (size_t i = 0; i < bytes / 4; i++)
            p[i] = value;
    }
}

/* The same, past whoever guards the memory. */
static void do_guarded(const struct exec_copy *c, char *dst, const char *src, size_t bytes)
{
    enum { FILL = 16384 };
    char piece[FILL];
    if (src) {
        exec_move(dst, src, bytes);
        return;
    }
    fill(piece, c->value, c->element, hw_min_u64(bytes, FILL));
    for (size_t done = 0; done < bytes; done += FILL)
        exec_move(dst + done, piece, hw_min_u64(bytes - done, FILL));
}

static void do_bytes(const struct exec_copy *c, char *dst, const char *src, size_t bytes)
{
    if (hw_unlikely(exec_move != NULL))
        do_guarded(c, dst, src, bytes);
    else if (src && c->past_cache && bytes >= 4096)
        hw_copy_stream(dst, src, bytes);
    else if (src)
        memmove(dst, src, bytes);
    else
        fill(dst, c->value, c->element, bytes);
}

static void copy_pieces(const struct exec_copy *c, uint64_t first, uint64_t count)
{
    if (c->piece_bytes) {
        size_t from = first * c->piece_bytes, to = hw_min_u64((first + count) * c->piece_bytes, c->width);
        do_bytes(c, c->dst + from, c->src ? c->src + from : NULL, to - from);
        return;
    }
    uint64_t end = hw_min_u64((first + count) * c->piece_rows, (uint64_t)c->rows * c->slices);
    for (uint64_t r = first * c->piece_rows; r < end; r++) {
        uint64_t slice = r / c->rows, row = r % c->rows;
        do_bytes(c, c->dst + slice * c->dst_slice + row * c->dst_pitch,
                 c->src ? c->src + slice * c->src_slice + row * c->src_pitch : NULL, c->width);
    }
}

/* Memory may have been unmapped behind our back: that is the program's mistake and its error, not a crash of our thread. */
static void run_copy(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct exec_copy *c = hw_container_of(job, struct exec_copy, job);
    struct exec_scope scope;
    if (sigsetjmp(scope.env, 0)) {
        c->fault = scope.fault;
        hw_error("a copy from %p to %p touched memory that is not there, at 0x%llx", (const void *)c->src, (void *)c->dst,
                 (unsigned long long)scope.addr);
        exec_cancel(job);
        return;
    }
    exec_buffers();              /* the signal handler looks at them */
    exec_scope_set(&scope);
    copy_pieces(c, first, count);
    exec_scope_set(NULL);
}

/* A copy that two threads or more make in the time of half: each one's part stays in its own second-level cache. */
struct shared_copy {
    struct exec_spread s;
    char *dst;
    const char *src;
    size_t bytes, part;
    uint32_t n_parts;
    _Atomic uint32_t taken;                      /* parts, one bit each */
    _Atomic int fault;
};
enum { SHARE_BYTES = 512 << 10, SHARE_PART = 256 << 10, SHARE_MOST = 32 };

static int copy_guarded(void *dst, const void *src, size_t bytes);

/* Pieces are handed out in the order in which threads come, which is another one every time. The one who waits has the first part, the
   engine's threads have the others; where somebody did not come, the next one has his. As many come here as there are parts. */
static uint32_t take_part(struct shared_copy *c)
{
    uint32_t part = exec_on_worker() ? 1 + exec_thread_index() % (c->n_parts - 1) : 0;     /* there are two or more */
    while (atomic_fetch_or(&c->taken, (uint32_t)1 << part) >> part & 1)
        part = (part + 1) % c->n_parts;
    return part;
}

static void run_shared(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct shared_copy *c = hw_container_of(job, struct shared_copy, s.job);
    (void)first;
    for (uint64_t i = 0; i < count; i++) {
        size_t from = take_part(c) * c->part, to = hw_min_u64(from + c->part, c->bytes);
        int fault = copy_guarded(c->dst + from, c->src + from, to - from);
        if (fault)
            c->fault = fault;
    }
}

static int copy_shared(struct exec_engine *engine, void *dst, const void *src, size_t bytes)
{
    struct shared_copy c = { .dst = dst, .src = src, .bytes = bytes };
    c.part = hw_align_up(bytes / hw_min_u64(hw_min_u64(exec_engine_most(engine), SHARE_MOST), bytes / SHARE_PART), 4096);
    c.n_parts = (uint32_t)((bytes + c.part - 1) / c.part);
    exec_job_init(&c.s.job, c.n_parts, 1);
    c.s.job.engine = engine;
    c.s.job.run = run_shared;
    exec_run_spread(&c.s);
    return c.fault;
}

int exec_copy_here(void *dst, const void *src, size_t bytes)
{
    if (bytes < SHARE_BYTES || (uintptr_t)dst - (uintptr_t)src < bytes || (uintptr_t)src - (uintptr_t)dst < bytes)
        return copy_guarded(dst, src, bytes);
    struct exec_engine *engine = exec_engine(EXEC_COPY_IN);
    return exec_engine_most(engine) > 1 ? copy_shared(engine, dst, src, bytes) : copy_guarded(dst, src, bytes);
}

static void move(void *dst, const void *src, size_t bytes) { memmove(dst, src, bytes); }

/* Looking whether our handlers are still in place takes as long as copying a kilobyte: now and then, and the first time. */
static int copy_guarded(void *dst, const void *src, size_t bytes)
{
    enum { KEEP_EVERY = 64 };
    static _Thread_local unsigned calls;
    struct exec_scope scope;
    if (sigsetjmp(scope.env, 0)) {
        hw_error("a copy from %p to %p touched memory that is not there, at 0x%llx", src, dst, (unsigned long long)scope.addr);
        return scope.fault;
    }
    if (hw_unlikely(calls++ % KEEP_EVERY == 0)) {
        exec_fault_keep();
        exec_buffers();
    }
    exec_scope_set(&scope);
    (exec_move ? exec_move : move)(dst, src, bytes);
    exec_scope_set(NULL);
    return EXEC_OK;
}

/* Overlapping ranges are legal nowhere in CUDA, but must not depend on the order of threads either: those go in one piece. */
static bool overlap(const struct exec_copy *c)
{
    if (!c->src)
        return false;
    const char *src_end = c->src + (c->slices - 1) * c->src_slice + (c->rows - 1) * c->src_pitch + c->width;
    const char *dst_end = c->dst + (c->slices - 1) * c->dst_slice + (c->rows - 1) * c->dst_pitch + c->width;
    return c->src < dst_end && c->dst < src_end;
}

void exec_copy_init(struct exec_copy *c, struct exec_engine *engine)
{
    uint64_t pieces = 1, rows = (uint64_t)c->rows * c->slices;
    bool whole = overlap(c);
    c->past_cache = !whole && is_past_cache(c->width * rows);
    c->piece_bytes = c->piece_rows = 0;
    if (rows == 1) {
        c->piece_bytes = whole ? c->width : PIECE_BYTES;
        pieces = (c->width + c->piece_bytes - 1) / c->piece_bytes;
    } else {
        c->piece_rows = whole ? rows : hw_max_u64(1, PIECE_BYTES / c->width);
        pieces = (rows + c->piece_rows - 1) / c->piece_rows;
    }
    exec_job_init(&c->job, pieces, 1);
    c->job.engine = engine;
    c->job.run = run_copy;
    c->fault = EXEC_OK;
}
