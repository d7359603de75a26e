/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emitter: a plan as LLVM IR. Private to jit/.
 *
 * One function per region, with the loop over the block's groups inside. Registers are stack slots that LLVM's SROA turns
 * into SSA; a register of AFFINE shape has one scalar slot (or one per chunk), a VARYING one a vector slot per chunk.
 * In names, u_ is one value for the group or chunk, v_ one value per lane.
 */
#ifndef JIT_EMIT_H
#define JIT_EMIT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/diag.h"
#include "jit/emit/instrument.h"
#include "jit/code/lines.h"
#include "kabi/kabi.h"
#include "pass/plan.h"

enum emit_env { ENV_PARAMS, ENV_GLOBALS, ENV_SERVICES, ENV_SHARED, ENV_LOCAL, ENV_CTAID_X, ENV_CTAID_Y, ENV_CTAID_Z, ENV_NCTAID_X, ENV_NCTAID_Y,
                ENV_NCTAID_Z, ENV_SMID, ENV_GRIDID, ENV_MEETS, ENV_SHARED_BYTES, ENV_SHARED_STATIC, ENV_FIRST_GROUP, ENV_END_GROUP, ENV_PAUSES,
                ENV_WINDOWS, ENV_CAME, ENV_COUNT };

struct guard_group;
struct record;
struct butterfly;
struct late_atomic;
enum emit_tag { TAG_GLOBAL, TAG_SHARED, TAG_LOCAL, TAG_FRAME, TAG_COUNT };      /* memory that never overlaps */

/* Tests of masks that are shared, by the block they end at: one for each block, where it is there. */
struct mask_ladder {
    int last;
    LLVMBasicBlockRef *bb;
};

struct emit {
    const struct plan *p;
    struct diag *diag;
    struct hw_arena arena;
    const bits_word *nowhere;                    /* no block */
    LLVMContextRef cx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    unsigned W, C;
    HW_VEC(char *) symbols;                      /* outside functions the code calls */

    /* the function being written */
    int region;
    const struct ir_func *kernel;                /* the function that is launched; p->func is a copy of it or of a callee */
    LLVMValueRef fn, launch, block, frame, warp;
    LLVMValueRef sp;                             /* i64: where this function's local memory begins; NULL: at 0 */
    LLVMBuilderRef ab;                           /* in the first block: stack slots */
    LLVMBuilderRef eb;                           /* before the loop over groups: what every group shares */
    LLVMBasicBlockRef entry, head, next, done, *bb;
    LLVMValueRef (*slot)[PLAN_MAX_CHUNKS];       /* by register; NULL: not made yet */
    LLVMValueRef (*mask)[PLAN_MAX_CHUNKS];       /* by block: lanes waiting to run it */
    LLVMValueRef (*cur)[PLAN_MAX_CHUNKS];        /* by block: its mask when it ran, for blocks that take theirs from it */
    LLVMValueRef *whole, *cur_whole;             /* of these, i1: known to be all lanes */
    bool *is_source;
    bool many_masks;                             /* too many to be LLVM's values: they are in memory */
    HW_VEC(struct mask_ladder) ladders;          /* branch.c */
    int *clear_first, *clear_next;               /* clear.c: by block, and one more for where a group begins; by register */
    LLVMValueRef env[ENV_COUNT];
    LLVMValueRef common;                         /* what the region will return */
    LLVMValueRef safe;                           /* an address that may always be read */
    LLVMValueRef red;                            /* this region's barrier reduction */
    bool *rematerialised;
    LLVMValueRef mma;                            /* operands of matrix products, or NULL */

    struct {                                     /* lines.c; all NULL: not wanted */
        LLVMDIBuilderRef builder;
        LLVMMetadataRef scope;
        uint32_t file;
    } lines;
    uint64_t quiet;                              /* bits: regions in which memory is fetched for others */
    bool fetches;                                /* the region fetches memory for others */
    bool check, orders;                          /* the instrumented build is the checker's; it hears of barriers, too */
    struct details *details;                     /* instrument.c: of an instrumented build, or NULL */
    bool streams;                                /* stores go past the caches */
    unsigned doubled;                            /* instructions that have two versions */
    bool versions;                               /* some block has versions that one comparison chooses from */

    struct plan_common_load common_load[16];     /* block_invariant.c: done before the loop over groups */
    LLVMValueRef common_table[16][IR_MAX_DST];   /* of those that repeat after several groups: [groups][chunks] of each result */
    size_t n_common;

    /* the place being written */
    int at;                                      /* block */
    LLVMValueRef m[PLAN_MAX_CHUNKS];             /* its mask; m[0] NULL: all lanes */
    LLVMValueRef all_here;                       /* of a block with a mask, i1: known to be all lanes */
    const struct ir_inst *inst;
    HW_VEC(struct record *) records;             /* aos_store.c */
    HW_VEC(struct butterfly *) butterflies;      /* butterfly.c */
    HW_VEC(struct late_atomic *) late;           /* shared_atomics.c: still to be done */
    HW_VEC(struct walked *) walked;              /* guard_hoist.c */
    HW_VEC(struct own_row *) own_rows;           /* own_row.c */
    HW_VEC(struct guard_group *) guards;         /* of this block's accesses and later ones (guard.c) */

    /* frame layout, the same for all regions; bytes */
    uint32_t *reg_offset, *mask_offset, *cur_offset;          /* UINT32_MAX: not in the frame */
    const struct plan *narrow;                                /* of a region that is made for several warps: the plan that says how registers are kept */
    bool *available;                                          /* by register: its slot holds a value here (value.c) */
    uint64_t *waiting, *alive;                                /* bit sets of blocks and registers: frame.c */
    int looked_at;                                            /* the entry that they are for */
    uint32_t red_offset, bars_offset, warpops_offset, common_offset, warp_offset, warp_bytes, parts_offset, frame_bytes;
    HW_VEC(struct kabi_keep) keeps;                           /* for the engine, where groups may be taken apart */
    bool promises;                                            /* promise.c: LLVM is told more than the code says */
    bool in_window;                              /* jit_request's */
    LLVMValueRef tag[TAG_COUNT];                              /* or NULL */
};

/* emit.c */
bool emit_kernel(struct emit *e);

/* clear.c */
void clear_plan(struct emit *e);                   /* for this region */
void clear_registers(struct emit *e, int b);       /* b: the number of blocks where a group begins */

/* predicated_store.c */
bool brief_block(struct emit *e, int b);           /* runs also when no lane is on */

/* first_last_lane.c */
const struct ir_inst *ends_made_here(struct emit *e, const struct ir_operand *o);
LLVMValueRef ends_all_have(struct emit *e, const struct ir_operand *predicate, bool value);       /* i1: it is certain; NULL: nothing short tells */

/* types.c: types, constants, intrinsics */
LLVMTypeRef ty_scalar(struct emit *e, enum ir_type t);
LLVMTypeRef ty(struct emit *e, enum ir_type t, unsigned lanes);                   /* lanes 1: the scalar */
LLVMTypeRef ty_int(struct emit *e, unsigned bits, unsigned lanes);
LLVMTypeRef ty_ptr(struct emit *e);
LLVMValueRef k_int(struct emit *e, unsigned bits, unsigned lanes, uint64_t value); /* splat */
LLVMValueRef k_bits(struct emit *e, enum ir_type t, unsigned lanes, uint64_t bits);
LLVMValueRef k_real(struct emit *e, enum ir_type t, unsigned lanes, double value);
LLVMValueRef k_lanes(struct emit *e, unsigned bits, unsigned lanes, int64_t start, int64_t step);
LLVMValueRef splat(struct emit *e, LLVMValueRef scalar, unsigned lanes);
LLVMValueRef intrinsic(struct emit *e, const char *name, LLVMTypeRef *overloads, unsigned n_overloads, LLVMValueRef *args, unsigned n_args);
LLVMValueRef intrinsic1(struct emit *e, const char *name, LLVMTypeRef t, LLVMValueRef a);
LLVMValueRef intrinsic2(struct emit *e, const char *name, LLVMTypeRef t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef intrinsic3(struct emit *e, const char *name, LLVMTypeRef t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
LLVMValueRef entry_alloca(struct emit *e, LLVMTypeRef t, const char *name);
LLVMValueRef call_symbol(struct emit *e, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned n, bool pure);
void probes_stack(LLVMValueRef fn);
LLVMValueRef own_function(struct emit *e, const char *name, LLVMTypeRef type);    /* a new one in this module, never inlined */
LLVMBasicBlockRef new_block(struct emit *e, const char *name);                    /* of the function being written */
LLVMValueRef cast_to(struct emit *e, LLVMValueRef v, LLVMTypeRef t);              /* bits kept */

/* promise.c: what LLVM may take for granted */
unsigned promised_align(const struct emit *e, unsigned bytes);                   /* to be said of an access: bytes, or 1 */
void promise_align(const struct emit *e, LLVMValueRef access, unsigned bytes);
void promise_unchanging(const struct emit *e, LLVMValueRef load);                /* the memory holds the same value for the whole launch */
void promise_readable(struct emit *e, LLVMValueRef pointer_load, uint64_t bytes);
void promise_spaces(struct emit *e);                                             /* before tag_memory() */
LLVMValueRef tag_memory(struct emit *e, LLVMValueRef access, enum emit_tag tag); /* it touches nothing but this kind of memory; returns the access */
void promise_no_alias(const struct emit *e, LLVMValueRef fn, unsigned parameter);
void promise_pure(const struct emit *e, LLVMValueRef fn);                        /* its result, and nothing else, comes of its arguments */
void promise_private_effects(const struct emit *e, LLVMValueRef call);           /* it changes no memory that the code knows of */

/* value.c: registers and operands */
enum ir_type src_type(const struct ir_inst *i, int k);
LLVMValueRef u_operand(struct emit *e, const struct ir_operand *o, enum ir_type t, unsigned chunk);   /* AFFINE: the chunk's base */
LLVMValueRef v_operand(struct emit *e, const struct ir_operand *o, enum ir_type t, unsigned chunk);
struct shape o_shape(struct emit *e, const struct ir_operand *o);
struct plan_reg *dst_reg(struct emit *e, const struct ir_inst *i, int k);
void set_uniform(struct emit *e, const struct ir_inst *i, int k, unsigned chunk, LLVMValueRef u);     /* also fills a VARYING register */
LLVMValueRef hidden(struct emit *e, LLVMValueRef v, unsigned bits);              /* x86_wide builds: LLVM does not see what it is */
void set_varying(struct emit *e, const struct ir_inst *i, int k, unsigned chunk, LLVMValueRef v);
LLVMValueRef slot_of(struct emit *e, const struct ir_reg *r, unsigned chunk);
LLVMTypeRef slot_type(struct emit *e, const struct ir_reg *r);
unsigned slot_count(struct emit *e, const struct ir_reg *r);
LLVMValueRef env(struct emit *e, enum emit_env id);
LLVMValueRef linear_thread(struct emit *e, unsigned chunk);                      /* u_: index of the chunk's first lane in the block, i32 */

/* masks */
LLVMValueRef mask_bits(struct emit *e, LLVMValueRef mask);                       /* i32 */
LLVMValueRef mask_any(struct emit *e, LLVMValueRef *masks);                      /* i1 over all chunks */
LLVMValueRef mask_or_all(struct emit *e, unsigned chunk);                        /* the place's mask, or all ones */

/* lanes.c: code that runs once per active lane */
struct lanes {
    LLVMBasicBlockRef head, done;
    LLVMValueRef left, lane;                     /* lane: i32 */
    LLVMValueRef taken;
};
void lanes_begin(struct emit *e, struct lanes *l, unsigned chunk);
void lanes_end(struct emit *e, struct lanes *l);
LLVMValueRef lanes_spill(struct emit *e, LLVMValueRef v);                        /* before the loop; returns an array */
LLVMValueRef lanes_get(struct emit *e, struct lanes *l, LLVMValueRef array, LLVMTypeRef t);
LLVMValueRef lanes_array(struct emit *e, LLVMTypeRef t);                         /* for results */
void lanes_put(struct emit *e, struct lanes *l, LLVMValueRef array, LLVMTypeRef t, LLVMValueRef value);
LLVMValueRef lanes_vector(struct emit *e, LLVMValueRef array, LLVMTypeRef t);    /* after the loop */
LLVMValueRef lanes_slice(struct emit *e, LLVMValueRef v, unsigned from, unsigned n);                  /* n lanes of a vector; a scalar when n is 1 */
LLVMValueRef lanes_join(struct emit *e, LLVMValueRef a, LLVMValueRef b, unsigned n);                  /* two vectors of n lanes as one */

/* guard.c: may a kernel touch this memory, and is it aligned? Comes before the access. */
void call_saving(struct emit *e, size_t service, LLVMValueRef *args, LLVMTypeRef *types, unsigned n);          /* one of kabi_services, by its offset; it changes no register */
LLVMBasicBlockRef cold_begin(struct emit *e, LLVMValueRef bad);                  /* branches to a block that hardly ever runs; the caller fills it */
void cold_end(struct emit *e, LLVMBasicBlockRef usual);                          /* and goes on where it would have gone without */
void guard_block(struct emit *e, int block);                                     /* first: which accesses one check serves */
void guard_scalar(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr);
void guard_scalar_if(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef any);    /* any: i1, or NULL: always */
void guard_row(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, int64_t step, unsigned chunk, const struct shape *s);
void guard_indexed(struct emit *e, const struct ir_inst *i, LLVMValueRef base, const LLVMValueRef *index, unsigned scale, unsigned chunk, unsigned n);
void guard_lanes(struct emit *e, const struct ir_inst *i, LLVMValueRef addresses, unsigned chunk);
/* Up to 32 lines, `apart` bytes (an I64 below 2^40) from one to the next. */
void guard_lines(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef apart, unsigned lines, unsigned bytes);
unsigned guard_align(const struct ir_inst *i);
bool guard_leads(struct emit *e, const struct ir_inst *i);                       /* needs a check of its own */
LLVMValueRef guard_doubtful(struct emit *e, const struct ir_inst *i, LLVMValueRef a, unsigned lanes);          /* i1 of each address */
void guard_ask_row(struct emit *e, const struct ir_inst *i, LLVMValueRef first, int64_t step, unsigned chunk); /* the engine looks at it */

/* guard_hoist.c: pointers that step through a loop are checked before it */
void walked_block(struct emit *e, int b);                                        /* at the end of what may lead into one */
bool walked_before(const struct emit *e, const struct ir_inst *i);
void walked_turn(struct emit *e, int b);                                         /* at the begin of the loop: in place of the guards of its walked accesses */

/* own_row.c: lanes that each go along a row of their own */
bool own_row_is(struct emit *e, const struct ir_inst *i, int block);
void own_rows_enter(struct emit *e, int b);                                      /* at the end of what may lead into a loop */
bool own_row_load(struct emit *e, const struct ir_inst *i);                      /* false: nothing done */

/* block_invariant.c: loads that are the same for all groups */
void emit_common(struct emit *e);
bool common_done(const struct emit *e, const struct ir_inst *i);
void common_take(struct emit *e, const struct ir_inst *i);                       /* where it comes: this group's results */

/* aos_store.c: stores that fill records together */
void records_block(struct emit *e, const struct ir_block *b);
bool record_store(struct emit *e, const struct ir_inst *i);                      /* false: a store for itself */
void store_row(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, unsigned n, unsigned chunk);  /* elements.c: n elements of each lane, from i's address on */

/* aos_load.c: lanes a few elements apart, all of them on */
struct lane_from {
    unsigned vector, lane;
};
LLVMValueRef pick_lanes(struct emit *e, LLVMValueRef *src, const struct lane_from *from, unsigned width);     /* of vectors as wide as the result */
bool piece_load(struct emit *e, const struct ir_inst *i, int64_t step, LLVMValueRef first, LLVMValueRef *out);   /* false: nothing done */
void piece_store(struct emit *e, const struct ir_inst *first, LLVMValueRef *v, unsigned n, unsigned chunk);      /* n fields of each lane, from the first one's address on */
LLVMValueRef load_piece_row(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef ptr, int64_t offset);   /* elements.c */
void store_piece_row(struct emit *e, const struct ir_inst *i, LLVMValueRef v, LLVMValueRef ptr, int64_t offset);
void guard_steps(struct emit *e, const struct ir_inst *i, const struct shape *s, LLVMValueRef first, unsigned chunk);

/* one instruction each */
LLVMValueRef op_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk);    /* arith.c: NULL: not this family */
LLVMValueRef float_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk); /* float.c */
LLVMValueRef approx_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk); /* approx.c */
LLVMValueRef convert_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk);/* convert.c */
LLVMValueRef widen_index(struct emit *e, LLVMValueRef base, const struct shape *s, unsigned chunk);                                            /* widen.c: u32 to u64 */
LLVMValueRef widen_half(struct emit *e, LLVMValueRef v, enum ir_type *t, unsigned lanes);                              /* convert.c: to f32, and *t says so */
LLVMValueRef one_nan(struct emit *e, LLVMValueRef v, enum ir_type t, unsigned lanes);                                       /* float.c: v, with the same bits for every NaN */
LLVMValueRef to_f16(struct emit *e, LLVMValueRef v, enum ir_rnd rnd, unsigned lanes);
LLVMValueRef to_bf16(struct emit *e, LLVMValueRef v, enum ir_rnd rnd, unsigned lanes);
LLVMValueRef to_odd_f32(struct emit *e, LLVMValueRef v, unsigned lanes);                                               /* from f64 */
LLVMValueRef inline_math(struct emit *e, enum ir_math id, LLVMValueRef *src, unsigned lanes);                          /* math_inline.c: NULL: a call */
LLVMValueRef inline_exp2f_normal(struct emit *e, LLVMValueRef x, unsigned lanes);                                    /* what is less than normal is 0 */
LLVMValueRef math_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk);  /* call.c */
LLVMValueRef lane_calls(struct emit *e, const char *symbol, LLVMTypeRef result, LLVMValueRef *src, LLVMTypeRef *types, unsigned n, unsigned lanes, unsigned chunk);
LLVMValueRef flush(struct emit *e, LLVMValueRef v, enum ir_type t, unsigned lanes);                                   /* subnormal to zero */
void emit_sreg(struct emit *e, const struct ir_inst *i);                         /* sreg.c */
void emit_fetches(struct emit *e);                                               /* prefetch.c: at the beginning of a region; the next turn's */
void emit_turn_fetches(struct emit *e);
void emit_address(struct emit *e, const struct ir_inst *i);                      /* address.c: PARAM, VARADDR, *_TO_* */
void emit_load(struct emit *e, const struct ir_inst *i);
void emit_store(struct emit *e, const struct ir_inst *i);
bool stream_row(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef ptr, unsigned n);    /* non_temporal.c; false: a usual store */
LLVMValueRef u_address(struct emit *e, const struct ir_inst *i, unsigned chunk);
LLVMValueRef v_address(struct emit *e, const struct ir_inst *i, unsigned chunk); /* <W x i64>; of shared and local memory <W x i32> offsets */
enum { OFFSET_NEAR = 16 << 20 };                 /* a constant below that may be added to a 32-bit offset in 64 bits: what is unmapped around the memory is wide enough */
LLVMTypeRef address_type(struct emit *e, const struct ir_inst *i, unsigned lanes);
LLVMValueRef address_pointers(struct emit *e, const struct ir_inst *i, LLVMValueRef addresses);       /* of one lane or all */

/* Where the lanes of a chunk access memory: at addresses (offsets, in shared and local memory), or at base + index * scale. */
struct lane_places {
    LLVMValueRef at;             /* addresses or indices, one per lane */
    LLVMValueRef base;           /* i64; NULL: addresses */
    unsigned scale;
};
struct lane_places places_of(struct emit *e, const struct ir_inst *i, unsigned n, unsigned chunk);
bool table_places(struct emit *e, const struct ir_inst *i, struct lane_places *p);       /* of all chunks, with one base, checked; false: not of that form */
LLVMValueRef place_pointers(struct emit *e, const struct ir_inst *i, const struct lane_places *p, LLVMValueRef at);        /* at: of one lane or all */

void gather_all(struct emit *e, const struct ir_inst *i, LLVMValueRef addresses, unsigned chunk, LLVMValueRef *out);  /* lane by lane, all elements */
void scatter_all(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, LLVMValueRef addresses, unsigned chunk);
bool exchanges(struct emit *e, const struct ir_inst *i);                         /* exchange.c: of shared memory, in an order that only shows at run time */
void exchange_load(struct emit *e, const struct ir_inst *i);
void exchange_store(struct emit *e, const struct ir_inst *i);
/* butterfly.c: accesses to runs of lanes with gaps as long, in versions of a block; false: not one */
void butterflies_block(struct emit *e, const struct ir_block *b);
bool butterfly_load(struct emit *e, const struct ir_inst *i);
bool butterfly_store(struct emit *e, const struct ir_inst *i);
static inline unsigned element_bytes(const struct ir_inst *i) { return ir_type_bits(i->type) / 8; }
LLVMAtomicOrdering llvm_order(enum ir_order o);
enum emit_tag space_tag(uint8_t space);
void emit_atomic(struct emit *e, const struct ir_inst *i);                       /* atomic.c */
LLVMValueRef atomic_combine(struct emit *e, const struct ir_inst *i, LLVMValueRef old, LLVMValueRef x);  /* gives the new value */
LLVMValueRef atomic_locked(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef x, bool checked);  /* checked: the address is known to be good */
LLVMValueRef atomic_lane(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef x, LLVMValueRef y);
const char *atomic_reduction(uint8_t atom);                                      /* NULL: it matters which lane comes first */
bool late_atomic(struct emit *e, const struct ir_inst *i);                       /* shared_atomics.c: small ones on shared memory; false: not one */
void private_lane(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef x, bool checked);             /* private_red.c */
LLVMBasicBlockRef private_lanes(struct emit *e, const struct ir_inst *i);
bool atomic_unused(struct emit *e, const struct ir_inst *i);                     /* nobody looks at what was there */
bool atomic_may_wait(struct emit *e, const struct ir_inst *i);                   /* for instructions after it that touch no memory */
void atomics_flush(struct emit *e);                                              /* those that wait are done */
void emit_atomic_wide(struct emit *e, const struct ir_inst *i);                  /* atomic128.c */
void emit_fence(struct emit *e, const struct ir_inst *i);
bool emit_warp(struct emit *e, const struct ir_inst *i);                         /* warp.c: shfl, vote, ...; false: not possible in this build */
void emit_tile(struct emit *e, const struct ir_inst *i);                         /* tile.c */
LLVMValueRef mma_array(struct emit *e);                                          /* mma.c: [register][lane] */
void emit_mma(struct emit *e, const struct ir_inst *i);                          /* mma.c */
void emit_service(struct emit *e, const struct ir_inst *i);                      /* call.c: vprintf, malloc, ... */
void emit_texture(struct emit *e, const struct ir_inst *i);                      /* texture.c */
void emit_trap(struct emit *e, const struct ir_inst *i);
void emit_call(struct emit *e, const struct ir_inst *i);                         /* function.c */
LLVMTypeRef function_type(struct emit *e);
void function_name(struct emit *e, size_t callee, char out[64]);
void emit_inst(struct emit *e, const struct ir_inst *i);
void emit_note(struct emit *e, size_t field);                                    /* uint32_t of struct kabi_block: 1 */

/* x86.c: AVX-512 of vectors of floats; x86_wide: may this build use it? */
bool x86_wide(const struct emit *e, unsigned lanes);
LLVMValueRef x86_rsqrt14(struct emit *e, LLVMValueRef x, unsigned lanes);
LLVMValueRef x86_scale(struct emit *e, LLVMValueRef x, LLVMValueRef n, LLVMValueRef mask, unsigned lanes);
LLVMValueRef x86_range(struct emit *e, LLVMValueRef a, LLVMValueRef b, bool min, unsigned lanes);
LLVMValueRef x86_gather(struct emit *e, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index, LLVMValueRef mask, unsigned scale);
LLVMValueRef x86_scatter(struct emit *e, LLVMValueRef v, LLVMValueRef base, LLVMValueRef index, LLVMValueRef mask, unsigned scale);
LLVMValueRef x86_expand(struct emit *e, LLVMValueRef v, LLVMValueRef mask);       /* the first elements to the lanes of the mask, in turn */
LLVMValueRef x86_compress(struct emit *e, LLVMValueRef v, LLVMValueRef mask);
bool x86_compresses(const struct emit *e);               /* words, of this build's vectors */
bool x86_narrow(const struct emit *e);                   /* a build for AVX2 */
LLVMValueRef x86_gather_narrow(struct emit *e, LLVMTypeRef type, uint8_t space, const struct lane_places *p, LLVMValueRef mask);   /* p: with a base, a pointer */
LLVMValueRef x86_quiet(struct emit *e, LLVMValueRef a, unsigned lanes);
LLVMValueRef x86_rounded(struct emit *e, const char *what, LLVMValueRef *src, unsigned n, enum ir_rnd rnd, unsigned lanes);      /* NULL: not here */
LLVMValueRef x86_convert_rounded(struct emit *e, LLVMValueRef v, bool is_signed, LLVMTypeRef to, enum ir_rnd rnd, unsigned lanes);
LLVMValueRef x86_permute2(struct emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef from);         /* 16 of 32 words */

#endif
