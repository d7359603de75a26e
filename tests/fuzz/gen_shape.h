/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels with the shape of real ones. What an index is in every thread and every turn of a loop is worked out here, while the
 * compiler sees only parameters: so indices need no masks, and parameters are chosen such that they are in bounds.
 *
 * An instance is a thread in one turn of each loop around; a place is a set of instances that run the same code. Places
 * nest: a branch keeps some of the instances, a loop has one for each turn. What shared memory and output are used for is
 * noted, and replayed (gen_check.c) before a statement is kept.
 */
#ifndef GEN_SHAPE_H
#define GEN_SHAPE_H

#include "gen_text.h"
#include "random_gen.h"

enum { SHAPE_PLACES = 12, SHAPE_INSTANCES = 1 << 14, SHAPE_THREADS = 1024, SHAPE_BLOCKS = 16, SHAPE_SHARED = 8192, SHAPE_NOTES = 512, SHAPE_DEFS = 96, SHAPE_UNIFORMS = 16,
    SHAPE_FILLS = 16, SHAPE_COUNTERS = 8, SHAPE_CONDITIONS = 3, SHAPE_HOISTED = 8, SHAPE_STRUCT = 16, SHAPE_TABLE = 64, SHAPE_STATEMENTS = GEN_MAX_SKIP - 8 };

/* A 32-bit value that is known: one number, or one for each instance of the place it was made in. */
struct val {
    char s[24];
    unsigned depth;
    const uint32_t *v;           /* NULL: c everywhere */
    uint32_t c;
    struct word wide;            /* the same with 64 bits, where that is somewhere; empty: nowhere */
    bool wide_signed;
};

struct place {
    struct place *up;            /* NULL: the whole grid */
    unsigned depth, n, turns;    /* turns: of the loop that this is, or 0 */
    uint32_t *parent, *thread, *turn;
    bool sure;                   /* data decide nothing: exactly these instances come here */
    bool blocks, warps;          /* all living threads of a block, all threads of a warp, are here together or not at all */
};

/* What was done to memory, in order. */
enum note_kind { NOTE_LOAD, NOTE_STORE, NOTE_ATOM, NOTE_BARRIER, NOTE_LOOP, NOTE_END };
struct note {
    enum note_kind kind;
    enum { SPACE_SHARED, SPACE_OUT } space;
    const struct place *place;
    unsigned bytes, op;
    const uint32_t *at;          /* for each instance; NULL: all bytes from lo to hi */
    uint32_t lo, hi;
    bool left_out, sure;
};

/* For each byte: who wrote and read it since the last barrier. */
struct check_byte {
    int16_t writer, reader;
    bool written;
};

struct check_state {
    struct check_byte *shared, *out;
};

/* A line before the body, which is printed if something needs it. */
struct def {
    struct word name;
    char text[224];
};

struct fill { unsigned lo, hi; bool is_float; };   /* bytes of shared memory that have been written */

struct shape {
    struct gen_text t;
    struct gen_kernel *k;
    const bool *skip;
    unsigned theme, nesting, muted;          /* muted: inside so many statements that are left out */
    unsigned threads, n_blocks, shared, ints, n_reg, n_wide, n_pred, n_float, n_label, n_defs, n_uniforms, n_fills, n_pointers, last_pointer, n_counters, n_conditions, n_hoisted, out_used;
    unsigned long arena_used;
    struct place *here;
    struct def defs[SHAPE_DEFS];
    struct val lin, gid, tx, ty, tz, bx, by, bz, lane, group, part, uniforms[SHAPE_UNIFORMS], counters[SHAPE_COUNTERS];
    struct val conditions[SHAPE_CONDITIONS], hoisted[SHAPE_HOISTED];     /* of the whole kernel; computed before the branches and loops around */
    struct fill fills[SHAPE_FILLS];
    struct { unsigned param; enum gen_buffer buffer; int64_t offset; } pointers[16];
    uint16_t alive[SHAPE_BLOCKS];            /* threads of each block that have not returned */
    struct note notes[SHAPE_NOTES];
    unsigned n_notes;
    struct check_state full, small;          /* with all statements; without those left out */
    bool far, gone, new_pointers;            /* gone: data made threads return; new_pointers: each array has its own */
};

#define pick(g, n) text_pick(&(g)->t, n)
#define put(g, ...) text_put(&(g)->t, __VA_ARGS__)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* gen_track.c: places and values */
void *shape_alloc(struct shape *g, unsigned long bytes);
bool place_branch(struct shape *g, const struct val *cond, bool sure);           /* cond: 0 or 1; NULL: data decide */
bool place_loop(struct shape *g, const struct val *turns, struct val *turn);     /* turn: 0, 1, ... the caller names it */
void place_leave(struct shape *g);
void place_return(struct shape *g, const struct val *cond);
uint32_t val_at(const struct shape *g, const struct val *a, unsigned instance);
struct val val_const(uint32_t c);
struct val val_param(struct shape *g, uint32_t c);
struct val val_quotient(struct shape *g, uint32_t c);        /* of two parameters */
struct val val_two(struct shape *g, const char *op, const struct val *a, const struct val *b);
struct val val_compare(struct shape *g, const char *op, const struct val *a, const struct val *b);
void val_widen(struct shape *g, struct val *a);               /* now, to be used later */
void val_range(const struct shape *g, const struct val *a, uint32_t *lo, uint32_t *hi);
struct word reg(struct shape *g), wide(struct shape *g), pred(struct shape *g), freg(struct shape *g);

/* gen_index.c: indices */
struct val index_leaf(struct shape *g);
struct val index_any(struct shape *g);
struct val index_own(struct shape *g, bool of_block);       /* another one for each thread of the grid or the block, most often */
struct val index_uniform(struct shape *g, uint32_t most);   /* a parameter, or what is computed from some; 1 ... most */
struct val index_condition(struct shape *g);                /* a predicate */
void index_hoist(struct shape *g);                          /* for statements to come, until n_hoisted is set back */

/* gen_access.c: addresses. They are what instructions take between [ and ]. */
struct address { char s[40]; const uint32_t *at; };
bool address_global(struct shape *g, enum gen_buffer buffer, unsigned lo, unsigned hi, const struct val *index, unsigned scale, unsigned bytes, struct address *out);
bool address_shared(struct shape *g, unsigned lo, unsigned hi, const struct val *index, unsigned scale, unsigned bytes, struct address *out);
struct offset { struct word reg; int64_t *off; };           /* 64 bits, and what they are for each instance */
void offset_of(struct shape *g, const struct val *index, unsigned scale, struct offset *out);
bool address_at(struct shape *g, enum gen_buffer buffer, unsigned lo, unsigned hi, const struct offset *o, unsigned bytes, struct address *out);
struct word pointer_for(struct shape *g, enum gen_buffer buffer, int64_t lo, int64_t hi, unsigned from, unsigned to, unsigned align, int64_t *offset);
bool offset_uniform(struct shape *g, int64_t lo, int64_t hi, unsigned from, unsigned to, unsigned align, struct val *words);
struct word define(struct shape *g, const char *prefix, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* gen_check.c: races and words that nobody wrote */
void note_access(struct shape *g, enum note_kind kind, int space, const struct address *a, unsigned bytes, unsigned op);
void note_range(struct shape *g, enum note_kind kind, unsigned lo, unsigned hi, unsigned op);
void note_plain(struct shape *g, enum note_kind kind);
bool check_notes(struct shape *g);                           /* the statement's; forgets them */

/* gen_data.c: what is computed of data, which nobody knows */
struct word data_int(struct shape *g), data_float(struct shape *g);
void data_mix(struct shape *g, const char *with);            /* a word into a variable */
void data_mix_float(struct shape *g, const char *with);
void data_step(struct shape *g);
struct word data_condition(struct shape *g);
bool data_load(struct shape *g);                             /* of the input, somehow */
bool data_store(struct shape *g);                            /* to the output, to a place that is the thread's own */

/* gen_stream.c: loops over arrays. gen_columns.c: several arrays at the same indices. gen_shared.c: shared memory. gen_shape.c: control */
bool stream_loop(struct shape *g);
bool columns(struct shape *g);
bool shared_store(struct shape *g), shared_load(struct shape *g), shared_tree(struct shape *g), shared_atomic(struct shape *g), shared_list(struct shape *g);
bool barrier(struct shape *g);
void shape_statement(struct shape *g);

#endif
