/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: everything jit/ must know to write a kernel as vector code for one block shape.
 *
 * A group is a warp of 32 lanes, held as `chunks` vectors of `width` lanes each (16x2, 8x4; 1x1 in the scalar build), or several warps (warp_coarsen.c).
 * The plan owns a private copy of the function, in which
 *   - constants are folded (block dimensions are constants), copies and dead code are gone,
 *   - every register is one web: definitions that no use can tell apart, and no more,
 *   - blocks are in an order in which loops are contiguous, with one latch each, placed last,
 * and says for every register its shape over the lanes of a chunk and for every block whether it needs a mask.
 *
 * Regions. The kernel is cut behind each barrier. A region is what can be reached from one such place (or from the kernel's beginning) without passing another:
 * one function of machine code, with the loop over the block's groups inside. All groups have come to its beginning before any runs it; it ends for a group at a
 * barrier, which names the region to go on with, or at the kernel's end. What is live at a barrier is in the frame; nothing else survives it.
 *
 *     begin --> region 0 --bar--> region 1 --bar--> region 2 --> end         the engine calls the region that the last one returned (exec/block.c)
 *                                    ^     |
 *                                    +-bar-+                                 a loop with a barrier leads to its own region again
 *
 * Masks. Within a region a group runs block after block in the plan's order. A lane is always in one of three states:
 *
 *            a divergent branch goes elsewhere
 *     active ----------------------------------> waiting in a later block (pending) --the group comes to that block--> active
 *        |
 *        +-- RET, or a barrier ---> done with this region
 *
 * A block's mask is the set of its active lanes. The contract: an instruction changes nothing, in registers or memory, of a lane that is not active; a block
 * with memory operations is not entered when no lane is active; lanes that branch to the same block go on together there, so the immediate post-dominator of a
 * divergent branch is where they meet again at the latest. A block that all lanes of the region come to (cls is empty) has no mask.
 *
 * An example, 4 lanes, n = 3, `t` the lane:
 *
 *     block   code                         active lanes    waiting
 *     B0      if (t < n) goto B1 else B3   0 1 2 3         -               divergent: t has stride 1, n is uniform
 *     B1      x = a[t]                     0 1 2           3 in B3         masked: cls is {B0 -> B1}; one masked vector load
 *     B2      if (x > 0) x = -x            0 1 2           3 in B3         if-converted: a select, no branch
 *     B3      bar.sync                     0 1 2 3         -               cls is empty again: no mask. Region 0 ends, x and t are live: x goes into the
 *                                                                          frame, t is computed again
 *     B4      b[t] = s[3 - t]              0 1 2 3         -               region 1, for each group of the block
 */
#ifndef PASS_PLAN_H
#define PASS_PLAN_H

#include "ir/ir.h"
#include "kabi/private_red.h"
#include "pass/bits.h"

enum { PLAN_LANES = 32, PLAN_MAX_CHUNKS = 32 };

/*
 * How a value looks over the lanes of one chunk.
 * AFFINE: lane l holds base + l * stride, base a scalar; stride 0 is a uniform value.
 * PATTERN: lane l of the group holds base + the register's off[l], modulo 2^32; only in versions of a block (version.c).
 * group: one base serves all chunks, else each chunk has its own. In a warp, chunk c's is base + c * width * stride; in groups of several warps
 * each warp's is `step` from the one before.
 */
enum shape_kind { SHAPE_UNKNOWN, SHAPE_AFFINE, SHAPE_VARYING, SHAPE_PATTERN };
struct shape {
    enum shape_kind kind;
    bool group;
    int64_t stride;
    uint64_t align;              /* a power of two that divides every chunk's base (every group's when `group`) */
    uint64_t umax;               /* no lane's value is above this as an unsigned number; UINT64_MAX: it may have wrapped around */
    uint64_t zero;               /* bits that are 0 in every lane */
    int64_t step;                /* from row to row; 0 where there is but one, or no `group` */
};
static inline bool shape_uniform(const struct shape *s) { return s->kind == SHAPE_AFFINE && s->stride == 0; }
static inline bool shape_group_uniform(const struct shape *s) { return shape_uniform(s) && s->group && s->step == 0; }

struct plan_reg {
    struct ir_reg *reg;
    struct shape shape;
    const int32_t *off;          /* of a PATTERN: of each lane of the group, from the first one's */
    int n_defs, n_uses;
    struct ir_inst *def;         /* the only one, or NULL */
    int def_block;
    bool is_float;               /* kept in a float-typed slot: every definition is a float */
    bool remat;                  /* pure function of launch, block and thread: computed again after a barrier, not saved */
    bool addr_only;              /* used for nothing but addresses */
    bool common;                 /* in lockstep: one value, which all groups have */
    bits_word *live_in;          /* blocks it is live into */
};

struct plan_loop {
    int header, latch, parent;   /* parent: loop or -1 */
    bits_word *blocks;
    int n_blocks, *ipdom;        /* blocks from the header on; of each, its immediate post-dominator in one iteration, -1: the end of that (postdom.c) */
    bits_word *skipped;          /* of these: may lanes come to the next iteration without it? (shape.c) */
    bool spin;                   /* its end may depend on what other threads do while it runs */
    bool lock;                   /* and it does more than look: an atomic decides */
    bool gives_up;               /* it ends in any case, some time */
};

struct plan_block {
    struct ir_block *ir;
    int succ[2], n_succ;
    HW_VEC(int) preds;
    int idom, ipdom;             /* -1: none (entry; the end of the kernel) */
    int loop;                    /* innermost, or -1 */
    bits_word *live_in;          /* registers */
    int dom_from, dom_to;        /* places of the blocks that it dominates in an order of the dominator tree */
    bits_word *cls;              /* divergent (branch, edge) pairs it depends on, and the entry bit */
    uint32_t cls_from, cls_to;   /* the words of cls outside of these are 0 */
    bool divergent;              /* ends in a branch on which the lanes of a group may disagree */
    bool masked;                 /* cls is not empty */
    bool exit_only;              /* nothing but RET: lanes that branch here just leave */
    int mask_from;               /* its mask is that of this dominating block, or -1 */
    int resume;                  /* region that starts here (after a barrier), or -1 */
    bits_word *pending;          /* later blocks in which lanes may wait while this one runs */
    bits_word *free;             /* of a yield: those from which such lanes may go on without the others */
};

struct plan_region {
    int entry;                   /* block */
    bits_word *blocks;
};

/* param_specialise.c: parameters that are compared with, by where they lie in the parameter buffer */
enum { PLAN_SIZES = 8 };
struct plan_size {
    uint32_t offset, bytes;
};
unsigned plan_param_specialise(const struct ir_func *f, struct plan_size *out, unsigned most);

/* non_temporal.c: what each thread stores through parameters that nothing is read through; 0 too where the order of stores matters */
uint32_t plan_streamed_bytes(const struct ir_func *f, uint64_t *out_params);

struct plan;
struct plan_options {
    uint32_t ntid[3];
    bool small_grid;
    bool stream;                 /* the grid writes more than the caches hold */
    uint32_t n_whole, whole[PLAN_SIZES];     /* offsets of those that are multiples of PLAN_LANES */
    uint32_t width, chunks;
    bool function;               /* a callee: its lanes and their mask come from the caller */
    uint32_t local_stride;       /* bytes of local memory per thread; 0: what this function itself needs */
    bool fair;                   /* width 1: threads take turns at spin loops, and stop at warp operations */
    bool turns;                  /* vectors: warps take turns at spin loops (warp_split.c) */
    bool plain;                  /* no pass that is not needed */
    bool steps;                  /* threads also stop before stores that others may see */
    void (*after)(void *user, const char *pass, const struct plan *p);       /* called after each pass that did something; or NULL */
    void *user;
    bool counted;                /* an instrumented build: instructions stay where the program has them */
};

struct plan {
    struct hw_arena arena;
    struct ir_module *home;      /* owns the copy */
    struct ir_func *func;
    struct plan_options opt;
    uint32_t own_local;          /* bytes of local memory of this function alone, a multiple of 16; func->local_bytes is the stride */
    uint32_t lanes;              /* width * chunks */
    uint32_t row;                /* lanes whose values `stride` tells: a warp's, or a vector's where the rows of a block are as long */
    uint32_t threads, groups;    /* groups: warps per block (threads in the scalar build) */
    bool partial;                /* the last group has lanes that are no threads */
    struct plan_reg *regs;
    size_t n_regs;
    struct plan_block *blocks;   /* in order */
    int n_blocks;
    size_t n_cls;                /* bits in a class */
    HW_VEC(struct plan_loop) loops;
    HW_VEC(struct plan_region) regions;
    uint32_t n_across, shared_room;      /* shared_transpose.c: shared arrays that lie the other way round; bytes of shared memory with the room for them */
    unsigned n_locals;           /* words of local memory that are registers (mem2reg.c) */
    struct kabi_reds reds;       /* private_red.c: reductions in global memory that may be collected */
    bool interleaved;            /* local memory lies word by word, not thread by thread (interleave_local.c) */
    bool visits;                 /* code for one iteration of the kernel's loop (grid_stride.c) */
    bool uses_warp_ops;
    bool lockstep;               /* all groups of a block stop at the same barriers, plain ones */
    bits_word *apart;            /* blocks in which a group may have been taken apart */
    bool parts;                  /* some groups may be */
    bool needs_fair;             /* this build could hang: a thread may wait for one that runs after it */
    struct plan *wide;           /* warp_coarsen.c: of the same code for several warps at a time, by which these regions are made; owned; or NULL */
    uint64_t wide_regions;
};

/* NULL and a message in diag when the function cannot be planned. */
struct plan *plan_new(const struct ir_func *func, const struct plan_options *opt, struct diag *diag);
void plan_free(struct plan *plan);
struct hw_str;
void plan_print(struct hw_str *out, const struct plan *plan);

/* The passes that are named here, by blanks, and what they need: for tests of one. NULL as above. */
struct plan *plan_only(const struct ir_func *func, const struct plan_options *opt, const char *names, struct diag *diag);

/* The passes: passes.def says what each does, in which file, and what it needs. A transformation says whether it changed something. */
void plan_clone(struct plan *p, const struct ir_func *func);     /* clone.c: private copy, reachable blocks only */
#define ANALYSIS(id, function, needs) void function(struct plan *p);
#define TRANSFORM(id, function, needs, keeps) bool function(struct plan *p);
#include "pass/passes.def"
#undef ANALYSIS
#undef TRANSFORM
bool plan_cheap(const struct ir_inst *i);                          /* regions.c: not dearer to do again than to load */
bool plan_again(const struct plan *p, const struct ir_inst *i);  /* can it be done again after a barrier? */

/* cfg.c */
struct ir_block *plan_split(struct plan *p, struct ir_block *blk, size_t from);   /* what begins there, in a block of its own, at the end of the list; blk lacks an end */
void plan_put_first(struct ir_func *f, struct ir_block *block);  /* the function begins with it */
void plan_make_reducible(struct ir_func *f);     /* reducible.c */
void plan_post_dominators(struct plan *p);       /* postdom.c */
bool plan_dominates(const struct plan *p, int a, int b);
bool plan_postdominates(const struct plan *p, int a, int b);     /* a is on every way from b to the end */
bool plan_in_loop(const struct plan *p, int block, int loop);
unsigned plan_times(const struct plan *p, int block);            /* how often it may run, by the loops it is in: a guess */
bool plan_share_loop(const struct plan *p, int a, int b);        /* some loop holds both: each may run after the other */

/* interleave_local.c: how far apart the same place of local memory is for two neighbouring threads */
int64_t plan_local_step(const struct plan *p);

bool plan_waits_on_memory(const struct ir_inst *i);              /* spin.c: it may see what other threads do meanwhile */

/* True when execution stops at the end of the block and goes on in another region. */
bool plan_stops(const struct ir_inst *term);
/* Barrier 0 over the whole block, the usual case: nothing needs to be counted. regions.c, both */
bool plan_plain_barrier(const struct plan *p, const struct ir_inst *term);

void plan_drop_unreachable(struct ir_func *f);                   /* fold.c: blocks that nothing leads to */
/* fold.c: what an integer operation makes of these operands; false: not one that is known here */
enum { PLAN_VALUE_SRC = 3 };
bool plan_value(const struct ir_inst *i, const uint64_t *v, uint64_t *out);
/* fold.c: the same for one thread of the block, whose place is known */
struct plan_thread {
    uint32_t tid[3];
    bool uses[3];                /* coordinates that were asked for */
    bool (*operand)(struct plan_thread *t, const struct ir_operand *o, uint64_t *out);   /* a register's value; false: not known */
};
void plan_thread_at(const struct plan *p, uint32_t index, uint32_t tid[3]);
bool plan_thread_value(struct plan_thread *t, const struct ir_inst *i, uint64_t *out);

/* idle_warps.c: from which group on all groups go from the region's beginning straight to its end, the block `end`, where they stop or are done */
struct plan_idle_warps {
    uint32_t from;
    int end;
};
bool plan_idle_warps(const struct plan *p, size_t region, struct plan_idle_warps *out);
/* idle_warps.c: when cmp, with the number of a group's first thread as operand `number`, gives this answer at the block's end, this group and all behind it
   have nothing to do in the region but to go to its end, as above */
struct plan_leave {
    const struct ir_inst *cmp;
    int number, end;
    bool answer;
};
bool plan_leave(const struct plan *p, size_t region, int block, struct plan_leave *out);

/* warp_coarsen.c: for how many warps at a time, 1, 2 or 4, is this plan best made, with so many times the chunks? */
unsigned plan_warp_coarsen(struct plan *p);
/* Of a plan for several: do they take all branches together that each of them takes whole, but for borders? Else one may be made with both plans:
   then it owns the other. */
bool plan_in_step(const struct plan *wide);
bool plan_mixes(struct plan *one, struct plan *wide);

/* True when a definition in block must keep other lanes' values: then the register is VARYING. */
bool plan_blends(const struct plan *p, const struct plan_reg *r, int block);
void plan_class_ends(struct plan_block *b, size_t words);        /* after a change of its class */
bool plan_class_within(const struct plan_block *a, const struct plan_block *b);
bool plan_same_class(const struct plan_block *a, const struct plan_block *b);

/* prefetch_block.c: a row of group g, and that at row + bytes + first + g * per_group, to be fetched for the next block; false: nothing to gain */
struct plan_fetch {
    int64_t bytes, first, per_group;
    bool near;                   /* into the first cache; what is read once, into tiles, only goes to the second: rows crowd each other out */
};
bool plan_fetch(const struct plan *p, const struct ir_inst *i, unsigned row_bytes, struct plan_fetch *out);
uint64_t plan_quiet_regions(const struct plan *p);
bool plan_leaves_memory(const struct plan *p, size_t region, unsigned *out_work);        /* how many instructions it has, too */

/* prefetch_loop.c: in the loop's next turn the access is step * scale bytes further (scale bytes where step is NULL), if there is one: if cmp, with `by`
   (NULL: nothing) added to its operand `counter`, says stays_if */
struct plan_prefetch_loop {
    const struct ir_operand *step, *by;
    enum ir_type step_type;
    int64_t scale;
    const struct ir_inst *cmp;
    int counter;
    bool stays_if;
    uint32_t together;           /* the rows of all groups of the block lie side by side, so many bytes in all: the first group has all of them fetched; 0: each its own */
};
enum { PLAN_TOGETHER_AHEAD = 4 };            /* iterations */
bool plan_prefetch_loop(const struct plan *p, const struct ir_inst *i, int block, struct plan_prefetch_loop *out);
/* prefetch_loop.c: the same, seen from the beginning of a region that computes: the address as it is there, and step * scale, is read in the next turn */
bool plan_rest(const struct plan *p, const struct ir_inst *i, int block, int region, struct plan_prefetch_loop *out);
/* prefetch_loop.c: the loop reads front to back here, `bytes` a turn, and gathers elsewhere: have it fetched so many bytes ahead */
enum { PLAN_FAR = 1024 };
bool plan_stream_ahead(const struct plan *p, const struct ir_inst *i, int block, int64_t bytes);

/* block_invariant.c: values that repeat after `period` lanes, in all groups; loads of such, at the region's beginning, that could be done once for all groups,
   or for the first few, after which they repeat */
enum { PLAN_COMMON_GROUPS = 4 };
struct plan_common_load {
    const struct ir_inst *inst;
    uint32_t groups;
};
bool plan_block_invariant(const struct plan *p, const struct ir_operand *o, uint32_t period);
size_t plan_common_loads(const struct plan *p, size_t region, struct plan_common_load *out, size_t most);

/* indexed.c: the access's address is base + index * scale: one base for the lanes of a chunk, I64, and an I32 index of each */
struct plan_indexed {
    const struct ir_operand *base, *index;
    unsigned scale;              /* 2, 4 or 8 */
    bool without_sign;           /* the index may be 2^31 and more */
};
bool plan_indexed(const struct plan *p, const struct ir_inst *i, int block, struct plan_indexed *out);
bool plan_scale(const struct ir_inst *product, unsigned *out);   /* of its first operand */

/* pointer_induction.c: in every turn of the block's loop the access's base is `step` bytes on, from what it began with; false also where it is not the
   first load of a turn from that base */
struct plan_row {
    const struct ir_operand *now, *begin, *index;        /* the base, what it began with; as in plan_indexed */
    unsigned scale;
    int64_t step;
};
bool plan_row(const struct plan *p, const struct ir_inst *i, int block, struct plan_row *out);

/* own_row.c: in every iteration of the block's loop each lane's address is `step` bytes further, and the loop goes on as long as cmp says: its operand `side`,
   the number `counter` or its low half, grows by a constant, the other one stays. first: at the access it has not grown yet. The loop's stores to memory that
   the lanes may read go to an address that takes a constant step, too, or none: whether they come near a row is asked when that is read */
enum { PLAN_ROW_STORES = 4 };
struct plan_own_row {
    const struct ir_inst *cmp;
    int side;
    const struct ir_operand *counter, *bound;
    int64_t by, step;
    bool stays_if, first;
    unsigned n_stores;
    struct plan_row_store {
        const struct ir_inst *inst;
        int64_t step;
    } stores[PLAN_ROW_STORES];
};
bool plan_own_row(const struct plan *p, const struct ir_inst *i, int block, struct plan_own_row *out);
/* A load after another one that reads what lies between its element and that of the next iteration, as in an unrolled loop. */
bool plan_same_rows(const struct plan *p, int block, const struct ir_inst *lead, const struct ir_inst *i, int64_t step);

/* The address, 32 bits, is base + (word >> shift & mask) * scale; base (NULL: 0) is the same for the group, word is made in this block, once */
struct plan_field {
    const struct ir_operand *base, *word;
    uint32_t shift, mask, scale;
};
bool plan_field(const struct plan *p, const struct ir_inst *i, int block, struct plan_field *out);

/* lane_pattern.c: do the lanes of each chunk hold runs of `run` numbers, `step` from one to the next and `apart` from run to run? */
bool plan_runs(const struct plan *p, const struct ir_operand *o, unsigned run, int64_t step, int64_t apart);
bool plan_lane_pattern(const struct plan *p, const struct ir_inst *i, int32_t *off);   /* version.c's: of a result whose operands are AFFINE or PATTERN */
unsigned plan_butterfly(const struct plan *p, const struct ir_inst *i);          /* lanes per run, if a chunk's are runs with gaps as long or one run; else 0 */

/*
 * version.c: shapes that the registers of a block have if of some numbers, the same for the whole group, the low bits have this value, or if a
 * minimum or maximum (clamp) leaves every lane its number
 */
struct plan_condition {
    const struct ir_reg *reg;
    uint64_t low, value;
    const struct ir_inst *clamp;
    struct ir_operand number, limit;             /* of the clamp: AFFINE and uniform */
};
struct plan_guess {
    const struct ir_reg *reg;
    struct shape shape;
    const int32_t *off;
};
struct plan_version {
    struct plan_condition conditions[6];
    unsigned n, n_ahead;
    const struct ir_inst *ahead[8];              /* of the block, to be done before the conditions can be looked at */
    HW_VEC(struct plan_guess) regs;
};
/* Versions: all low bits that count within a group are set; but for the highest, the two highest, ...; last, all that count within a chunk are.
   false: nothing to gain; else regs is to be freed */
enum { PLAN_VERSIONS = 8, PLAN_OF_CHUNKS = PLAN_VERSIONS - 1 };
bool plan_version(const struct plan *p, int block, unsigned version, struct hw_arena *arena, struct plan_version *out);
void plan_exchange(const struct plan *p, struct plan_version *l);                 /* puts these shapes in, and those that were there into l */

/* shape.c: the shape an instruction's result has, given its operands'; do a's lanes stay within aligned blocks of low + 1? */
struct shape plan_result_shape(const struct plan *p, const struct ir_inst *i);
bool plan_one_block(const struct plan *p, const struct shape *a, uint64_t *low);
struct shape plan_operand_shape(const struct plan *p, const struct ir_operand *o);

/* shape.c: of an AFFINE shape that is one for the group: lane l's distance from the base; are all lanes in one row, `stride` apart? */
int64_t plan_lane_offset(const struct plan *p, const struct shape *s, unsigned lane);
bool plan_in_row(const struct plan *p, const struct shape *s);
/* No lane's number is below the first one's: how far above is the largest? false: not so, or too far */
bool plan_span(const struct plan *p, const struct shape *s, uint64_t *out);

#endif
