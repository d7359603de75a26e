/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels built by hand in IR run at every width and must give what C gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <cmocka.h>
#include <sys/mman.h>

#include "ir/ir.h"
#include "jit/jit.h"
#include "jit/code/object.h"
#include "pass/plan.h"

/* ---- a small assembler over the builder ---- */

static struct ir_module *mod;
static struct ir_func *fn;
static struct ir_block *blk;

static void start(const char *name)
{
    mod = ir_module_new();
    fn = ir_func_new(mod, name);
    blk = ir_block_new(fn, "entry");
    hw_vec_push(&mod->funcs, fn);
    if (mod->funcs.n > 1)
        mod->funcs.n = 1;
}

static struct ir_operand R(struct ir_reg *r) { return ir_reg_operand(r); }
static struct ir_operand I(uint64_t x) { return ir_imm_operand(x); }
static struct ir_reg *reg(enum ir_type t) { return ir_reg_new(fn, t, NULL); }

static struct ir_inst *put(enum ir_op op, enum ir_type t, struct ir_reg *d, int n, ...)
{
    struct ir_inst *i = ir_inst_new(fn, op, t);
    va_list ap;
    if (d)
        ir_inst_dst(i, d);
    va_start(ap, n);
    for (int k = 0; k < n; k++)
        ir_inst_src(i, va_arg(ap, struct ir_operand));
    va_end(ap);
    ir_block_add(blk, i);
    return i;
}

static struct ir_reg *param(enum ir_type t, unsigned offset)
{
    struct ir_reg *r = reg(ir_type_of_bits(ir_type_bits(t)));
    put(IR_PARAM, t, r, 0)->imm = offset;
    if (fn->param_bytes < offset + 8)
        fn->param_bytes = offset + 8;
    return r;
}

static struct ir_reg *sreg(enum ir_sreg s)
{
    struct ir_reg *r = reg(IR_I32);
    put(IR_SREG, IR_I32, r, 0)->imm = s;
    return r;
}

static struct ir_reg *op2(enum ir_op op, enum ir_type t, struct ir_operand a, struct ir_operand b)
{
    struct ir_reg *r = reg(ir_type_of_bits(ir_type_bits(t)));
    put(op, t, r, 2, a, b);
    return r;
}

static struct ir_reg *cmp(enum ir_cmp c, enum ir_type t, struct ir_operand a, struct ir_operand b)
{
    struct ir_reg *r = reg(IR_PRED);
    put(IR_CMP, t, r, 2, a, b)->cmp = c;
    return r;
}

/* base + (i64)index * 4 */
static struct ir_reg *element(struct ir_reg *base, struct ir_reg *index)
{
    struct ir_reg *wide = reg(IR_I64);
    put(IR_SEXT, IR_I64, wide, 1, R(index))->type2 = IR_I32;
    return op2(IR_ADD, IR_I64, R(base), R(op2(IR_MUL, IR_I64, R(wide), I(4))));
}

static struct ir_reg *load(enum ir_type t, enum ir_space s, struct ir_reg *a)
{
    struct ir_reg *r = reg(ir_type_of_bits(ir_type_bits(t)));
    put(IR_LD, t, r, 1, R(a))->space = s;
    return r;
}

static void store(enum ir_type t, enum ir_space s, struct ir_reg *a, struct ir_operand v)
{
    put(IR_ST, t, NULL, 2, R(a), v)->space = s;
}

static void br(struct ir_block *to) { put(IR_BR, IR_VOID, NULL, 0)->target[0] = to; }
static void cbr(struct ir_reg *p, struct ir_block *yes, struct ir_block *no)
{
    struct ir_inst *i = put(IR_CBR, IR_VOID, NULL, 1, R(p));
    i->target[0] = yes;
    i->target[1] = no;
}
static void ret(void) { put(IR_RET, IR_VOID, NULL, 0); }
static void bar(struct ir_block *next)
{
    put(IR_BAR, IR_VOID, NULL, 1, I(0))->target[0] = next;
    blk = next;
}
static struct ir_block *label(void) { return ir_block_new(fn, NULL); }

static struct ir_reg *global_index(void)
{
    return op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(sreg(IR_SREG_CTAID_X)), R(sreg(IR_SREG_NTID_X)))), R(sreg(IR_SREG_TID_X)));
}

/* ---- running ---- */

static bool stream, streamed;    /* asked for; what the last kernel did */
static unsigned lanes;           /* that it runs at a time */

static void run(const uint32_t ntid[3], uint32_t blocks, void *params, unsigned width)
{
    struct diag diag = { 0 };
    struct jit_request req = { .ntid = { ntid[0], ntid[1], ntid[2] }, .small_grid = true, .stream = stream, .width = width };
    struct kabi_kernel *k = jit_compile(fn, &req, &diag);
    if (!k) {
        print_error("%s", diag.text.s);
        fail();
    }
    streamed = k->streams;
    lanes = k->width * k->chunks;
    struct kabi_launch launch = { .params = params, .ntid = { ntid[0], ntid[1], ntid[2] }, .nctaid = { blocks, 1, 1 } };
    uint32_t threads = (uint32_t)hw_align_up(ntid[0] * ntid[1] * ntid[2], 32);
    char *shared = aligned_alloc(256, 65536), *frame = aligned_alloc(64, hw_align_up(k->frame_bytes + 64, 64));
    char *local = aligned_alloc(64, hw_align_up((size_t)threads * k->local_bytes + 64, 64));
    for (uint32_t b = 0; b < blocks; b++) {
        struct kabi_block block = { .launch = &launch, .shared = shared, .local = local, .frame = frame, .ctaid = { b, 0, 0 },
                                    .end_group = k->n_warps };
        memset(frame, 0, k->frame_bytes);
        uint32_t *state = (uint32_t *)frame;
        int32_t next = 0;
        while (next != KABI_ALL_DONE) {
            if (next >= 0) {
                next = k->regions[next](&launch, &block, frame);
                continue;
            }
            uint32_t left = 0;                            /* mixed: every distinct region once, then the barrier is complete */
            for (uint32_t w = 0; w < k->n_warps; w++)
                if (!(state[w] & KABI_ARRIVED) && state[w] != KABI_DONE)
                    k->regions[state[w]](&launch, &block, frame);
            for (uint32_t w = 0; w < k->n_warps; w++) {
                state[w] &= ~KABI_ARRIVED;
                left += state[w] != KABI_DONE;
            }
            if (!left)
                next = KABI_ALL_DONE;
        }
    }
    free(shared);
    free(frame);
    free(local);
    diag_fini(&diag);
}

static const unsigned widths[] = { 1, 4, 8, 16 };
static const uint32_t shapes[][3] = { { 32, 1, 1 }, { 256, 1, 1 }, { 100, 1, 1 }, { 1, 1, 1 }, { 33, 1, 1 } };

#define FOR_ALL(w, s)                                                                                            \
    for (size_t w##_i = 0; w##_i < HW_LEN(widths); w##_i++)                                                      \
        for (size_t s##_i = 0; s##_i < HW_LEN(shapes); s##_i++)                                                  \
            for (unsigned w = widths[w##_i], once = 1; once; once = 0)                                           \
                for (const uint32_t *s = shapes[s##_i]; once; once = 0)

enum { N = 1000 };

static void saxpy_with_a_ragged_tail(void **state)
{
    (void)state;
    start("saxpy");
    struct ir_reg *x = param(IR_I64, 0), *y = param(IR_I64, 8), *n = param(IR_I32, 16), *a = param(IR_F32, 20), *i = global_index();
    struct ir_block *body = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), body, end);
    blk = body;
    struct ir_reg *py = element(y, i), *r = reg(IR_I32);
    put(IR_FMA, IR_F32, r, 3, R(a), R(load(IR_F32, IR_GLOBAL, element(x, i))), R(load(IR_F32, IR_GLOBAL, py)));
    store(IR_F32, IR_GLOBAL, py, R(r));
    br(end);
    blk = end;
    ret();
    FOR_ALL(w, s) {
        float xs[N], ys[N + 8];
        for (int k = 0; k < N + 8; k++)
            ys[k] = (float)(k % 13) * 0.5f;
        for (int k = 0; k < N; k++)
            xs[k] = (float)(k % 7) - 3;
        struct { float *x, *y; int n; float a; } p = { xs, ys, N, 2.5f };
        run(s, (N + s[0] - 1) / s[0], &p, w);
        for (int k = 0; k < N; k++)
            assert_true(ys[k] == xs[k] * 2.5f + (float)(k % 13) * 0.5f);
        for (int k = N; k < N + 8; k++)
            assert_true(ys[k] == (float)(k % 13) * 0.5f);
    }
    ir_module_free(mod);
}

/* Collatz steps: a divergent loop with a divergent if inside. */
static void divergent_loop_counts_per_lane(void **state)
{
    (void)state;
    start("collatz");
    struct ir_reg *out = param(IR_I64, 0), *n = param(IR_I32, 8), *i = global_index();
    struct ir_block *in = label(), *head = label(), *odd = label(), *even = label(), *latch = label(), *done = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), in, end);
    blk = in;
    struct ir_reg *v = reg(IR_I32), *steps = reg(IR_I32);
    put(IR_ADD, IR_I32, v, 2, R(i), I(1));
    put(IR_MOV, IR_I32, steps, 1, I(0));
    br(head);
    blk = head;
    struct ir_block *body = label();
    cbr(cmp(IR_ULE, IR_I32, R(v), I(1)), done, body);
    blk = body;
    cbr(cmp(IR_EQ, IR_I32, R(op2(IR_AND, IR_I32, R(v), I(1))), I(1)), odd, even);
    blk = odd;
    put(IR_MUL, IR_I32, v, 2, R(v), I(3));
    put(IR_ADD, IR_I32, v, 2, R(v), I(1));
    br(latch);
    blk = even;
    put(IR_SHR_U, IR_I32, v, 2, R(v), I(1));
    br(latch);
    blk = latch;
    put(IR_ADD, IR_I32, steps, 2, R(steps), I(1));
    br(head);
    blk = done;
    store(IR_I32, IR_GLOBAL, element(out, i), R(steps));
    br(end);
    blk = end;
    ret();
    FOR_ALL(w, s) {
        int got[N];
        memset(got, 0xff, sizeof got);
        struct { int *out; int n; } p = { got, N };
        run(s, (N + s[0] - 1) / s[0], &p, w);
        for (int k = 0; k < N; k++) {
            int want = 0;
            for (unsigned c = (unsigned)k + 1; c > 1; want++)
                c = c & 1 ? 3 * c + 1 : c / 2;
            assert_int_equal(got[k], want);
        }
    }
    ir_module_free(mod);
}

/* y has one definition, and so has its copy; but the copy is of the turn before. */
static void a_copy_of_the_turn_before_is_not_todays_value(void **state)
{
    enum { TURNS = 5 };
    (void)state;
    start("before");
    struct ir_reg *out = param(IR_I64, 0), *n = param(IR_I32, 8), *i = global_index(), *k = reg(IR_I32), *sum = reg(IR_I32), *x = reg(IR_I32), *y = reg(IR_I32);
    struct ir_block *in = label(), *head = label(), *later = label(), *latch = label(), *done = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), in, end);
    blk = in;
    put(IR_MOV, IR_I32, k, 1, I(0));
    put(IR_MOV, IR_I32, sum, 1, I(0));
    br(head);
    blk = head;
    put(IR_MOV, IR_I32, x, 1, R(y));
    put(IR_MUL, IR_I32, y, 2, R(op2(IR_ADD, IR_I32, R(k), R(i))), I(7));
    cbr(cmp(IR_SGT, IR_I32, R(k), I(0)), later, latch);
    blk = later;
    put(IR_ADD, IR_I32, sum, 2, R(sum), R(x));
    br(latch);
    blk = latch;
    put(IR_ADD, IR_I32, k, 2, R(k), I(1));
    cbr(cmp(IR_SLT, IR_I32, R(k), I(TURNS)), head, done);
    blk = done;
    store(IR_I32, IR_GLOBAL, element(out, i), R(sum));
    br(end);
    blk = end;
    ret();
    FOR_ALL(w, s) {
        int got[N];
        struct { int *out; int n; } p = { got, N };
        run(s, (N + s[0] - 1) / s[0], &p, w);
        for (int t = 0; t < N; t++) {
            int want = 0;
            for (int turn = 1; turn < TURNS; turn++)
                want += (turn - 1 + t) * 7;
            assert_int_equal(got[t], want);
        }
    }
    ir_module_free(mod);
}

/* Block-wide tree reduction: a loop with barriers, a divergent if, values across regions. */
static void reduction_in_shared_memory(void **state)
{
    (void)state;
    start("reduce");
    struct ir_reg *in = param(IR_I64, 0), *out = param(IR_I64, 8), *n = param(IR_I32, 16), *t = sreg(IR_SREG_TID_X), *i = global_index();
    struct ir_reg *v = reg(IR_I32), *slot = op2(IR_MUL, IR_I32, R(t), I(4)), *step = reg(IR_I32);
    struct ir_block *fetch = label(), *have = label(), *head = label(), *body = label(), *add = label(), *next = label(), *fin = label(), *last = label(), *end = label();
    put(IR_MOV, IR_I32, v, 1, I(0));
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), fetch, have);
    blk = fetch;
    put(IR_LD, IR_I32, v, 1, R(element(in, i)))->space = IR_GLOBAL;
    br(have);
    blk = have;
    store(IR_I32, IR_SHARED, slot, R(v));
    put(IR_MOV, IR_I32, step, 1, I(128));
    bar(head);
    cbr(cmp(IR_UGT, IR_I32, R(step), I(0)), body, fin);
    blk = body;
    struct ir_reg *other = op2(IR_ADD, IR_I32, R(t), R(step));
    struct ir_reg *ok = cmp(IR_ULT, IR_I32, R(t), R(step)), *inside = cmp(IR_ULT, IR_I32, R(other), R(sreg(IR_SREG_NTID_X))), *both = reg(IR_PRED);
    put(IR_AND, IR_PRED, both, 2, R(ok), R(inside));
    cbr(both, add, next);
    blk = add;
    struct ir_reg *sum = op2(IR_ADD, IR_I32, R(load(IR_I32, IR_SHARED, slot)), R(load(IR_I32, IR_SHARED, op2(IR_MUL, IR_I32, R(other), I(4)))));
    store(IR_I32, IR_SHARED, slot, R(sum));
    br(next);
    blk = next;
    put(IR_SHR_U, IR_I32, step, 2, R(step), I(1));
    struct ir_inst *b = put(IR_BAR, IR_VOID, NULL, 1, I(0));
    b->target[0] = head;
    blk = fin;
    cbr(cmp(IR_EQ, IR_I32, R(t), I(0)), last, end);
    blk = last;
    store(IR_I32, IR_GLOBAL, element(out, sreg(IR_SREG_CTAID_X)), R(load(IR_I32, IR_SHARED, slot)));
    br(end);
    blk = end;
    ret();
    fn->shared_bytes = 1024;
    FOR_ALL(w, s) {
        int xs[N], got[N];
        for (int k = 0; k < N; k++)
            xs[k] = k * 3 - 500;
        uint32_t blocks = (N + s[0] - 1) / s[0];
        struct { int *in, *out; int n; } p = { xs, got, N };
        run(s, blocks, &p, w);
        for (uint32_t g = 0; g < blocks; g++) {
            int want = 0;
            for (uint32_t k = g * s[0]; k < (g + 1) * s[0] && k < N; k++)
                want += xs[k];
            assert_int_equal(got[g], want);
        }
    }
    ir_module_free(mod);
}

/* Threads that left early do not hold up a barrier; whole warps may leave too. */
static void early_exit_before_a_barrier(void **state)
{
    (void)state;
    start("early");
    struct ir_reg *out = param(IR_I64, 0), *n = param(IR_I32, 8), *i = global_index(), *t = sreg(IR_SREG_TID_X);
    struct ir_block *go = label(), *end = label(), *after = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), go, end);
    blk = end;
    ret();
    blk = go;
    struct ir_reg *slot = op2(IR_MUL, IR_I32, R(t), I(4));
    store(IR_I32, IR_SHARED, slot, R(op2(IR_ADD, IR_I32, R(i), I(7))));
    bar(after);
    struct ir_reg *left = reg(IR_I32);
    put(IR_MAX_S, IR_I32, left, 2, R(op2(IR_SUB, IR_I32, R(t), I(1))), I(0));
    store(IR_I32, IR_GLOBAL, element(out, i), R(load(IR_I32, IR_SHARED, op2(IR_MUL, IR_I32, R(left), I(4)))));
    ret();
    fn->shared_bytes = 1024;
    FOR_ALL(w, s) {
        int got[N];
        struct { int *out; int n; } p = { got, N - 17 };
        memset(got, 0, sizeof got);
        run(s, (N + s[0] - 1) / s[0], &p, w);
        for (int k = 0; k < N; k++) {
            int first = k / (int)s[0] * (int)s[0], before = k > first ? k - 1 : k;
            assert_int_equal(got[k], k < N - 17 ? before + 7 : 0);
        }
    }
    ir_module_free(mod);
}

/* u32 index arithmetic that wraps below zero: the lanes behind the wrap must land right, also as data. */
static void unsigned_wrap_in_an_index(void **state)
{
    (void)state;
    start("wrap");
    struct ir_reg *in = param(IR_I64, 0), *out = param(IR_I64, 8), *data = param(IR_I64, 16), *n = param(IR_I32, 24), *i = global_index();
    struct ir_block *chk = label(), *body = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), chk, end);
    blk = chk;
    struct ir_reg *j = op2(IR_SUB, IR_I32, R(i), I(1)), *wide = reg(IR_I64), *again = reg(IR_I64);
    put(IR_ZEXT, IR_I64, again, 1, R(j))->type2 = IR_I32;
    struct ir_reg *i64 = reg(IR_I64);
    put(IR_SEXT, IR_I64, i64, 1, R(i))->type2 = IR_I32;
    store(IR_I64, IR_GLOBAL, op2(IR_ADD, IR_I64, R(data), R(op2(IR_SHL, IR_I64, R(i64), I(3)))), R(again));
    cbr(cmp(IR_ULT, IR_I32, R(j), R(n)), body, end);
    blk = body;
    put(IR_ZEXT, IR_I64, wide, 1, R(j))->type2 = IR_I32;
    struct ir_reg *at = op2(IR_ADD, IR_I64, R(in), R(op2(IR_SHL, IR_I64, R(wide), I(2))));
    store(IR_I32, IR_GLOBAL, element(out, i), R(load(IR_I32, IR_GLOBAL, at)));
    br(end);
    blk = end;
    ret();
    FOR_ALL(w, s) {
        int xs[N], got[N];
        static uint64_t wide_out[N];
        for (int k = 0; k < N; k++)
            xs[k] = k * 5, got[k] = -1;
        struct { int *in, *out; uint64_t *data; int n; } p = { xs, got, wide_out, N };
        run(s, (N + s[0] - 1) / s[0], &p, w);
        for (int k = 0; k < N; k++) {
            assert_int_equal(got[k], k ? xs[k - 1] : -1);
            assert_true(wide_out[k] == (uint32_t)(k - 1));
        }
    }
    ir_module_free(mod);
}

static void two_dimensional_blocks(void **state)
{
    (void)state;
    static const uint32_t dims[][3] = { { 16, 16, 1 }, { 8, 8, 1 }, { 32, 4, 1 }, { 10, 6, 1 }, { 4, 4, 4 }, { 5, 6, 4 }, { 1, 64, 1 }, { 64, 2, 2 } };
    start("coords");
    struct ir_reg *out = param(IR_I64, 0), *x = sreg(IR_SREG_TID_X), *y = sreg(IR_SREG_TID_Y), *z = sreg(IR_SREG_TID_Z);
    struct ir_reg *row = op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(z), R(sreg(IR_SREG_NTID_Y)))), R(y));
    struct ir_reg *i = op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(row), R(sreg(IR_SREG_NTID_X)))), R(x));
    struct ir_reg *v = op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(x), I(1000000))), R(op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(y), I(1000))), R(z))));
    store(IR_I32, IR_GLOBAL, element(out, i), R(v));
    ret();
    for (size_t w = 0; w < HW_LEN(widths); w++)
        for (size_t d = 0; d < HW_LEN(dims); d++) {
            int got[1024], k = 0;
            struct { int *out; } p = { got };
            memset(got, 0xff, sizeof got);
            run(dims[d], 1, &p, widths[w]);
            for (uint32_t c = 0; c < dims[d][2]; c++)
                for (uint32_t b = 0; b < dims[d][1]; b++)
                    for (uint32_t a = 0; a < dims[d][0]; a++)
                        assert_int_equal(got[k++], (int)(a * 1000000 + b * 1000 + c));
            assert_int_equal(got[k], -1);
        }
    ir_module_free(mod);
}

/* Offsets that fit into half a word, and some that nobody knows to; more of them than are done at a time. */
static void counts_in_shared_memory(void **state)
{
    (void)state;
    enum { WORDS = 64, ROUNDS = 12 };
    start("counts");
    struct ir_reg *in = param(IR_I64, 0), *out = param(IR_I64, 8), *t = sreg(IR_SREG_TID_X);
    struct ir_reg *zero = op2(IR_AND, IR_I64, R(in), I(0));
    for (int k = 0; k < WORDS; k++) {
        struct ir_inst *st = put(IR_ST, IR_I32, NULL, 2, R(zero), I(0));
        st->space = IR_SHARED, st->imm = 4 * k;
    }
    bar(label());
    struct ir_reg *x = load(IR_I32, IR_GLOBAL, element(in, t)), *any = op2(IR_ADD, IR_I32, R(x), I(0));
    for (int k = 0; k < ROUNDS; k++) {
        struct ir_reg *digit = op2(IR_AND, IR_I32, R(op2(IR_SHR_U, IR_I32, R(x), I((unsigned)k))), I(15)), *at = reg(IR_I64), *wide = reg(IR_I64);
        put(IR_ZEXT, IR_I64, at, 1, R(op2(IR_MUL, IR_I32, R(digit), I(4))))->type2 = IR_I32;
        put(IR_ZEXT, IR_I64, wide, 1, R(op2(IR_MUL, IR_I32, R(op2(IR_REM_U, IR_I32, R(any), I(13))), I(4))))->type2 = IR_I32;
        struct ir_inst *a[] = { put(IR_ATOM, IR_I32, NULL, 2, R(at), I(1)), put(IR_ATOM, IR_I32, NULL, 2, R(at), R(x)),
                                put(IR_ATOM, IR_I32, NULL, 2, R(at), R(x)), put(IR_ATOM, IR_I32, NULL, 2, R(wide), R(t)) };
        for (unsigned j = 0; j < HW_LEN(a); j++)
            a[j]->space = IR_SHARED, a[j]->atom = j == 1 ? IR_ATOM_MAX_U : IR_ATOM_ADD, a[j]->imm = 64 * j;
    }
    bar(label());
    for (int k = 0; k < WORDS; k++) {
        struct ir_reg *v = reg(IR_I32);
        struct ir_inst *ld = put(IR_LD, IR_I32, v, 1, R(zero)), *st = put(IR_ST, IR_I32, NULL, 2, R(out), R(v));
        ld->space = IR_SHARED, st->space = IR_GLOBAL, ld->imm = st->imm = 4 * k;
    }
    ret();
    FOR_ALL(w, s) {
        uint32_t xs[256], got[WORDS], want[WORDS] = { 0 };
        for (uint32_t k = 0; k < 256; k++)
            xs[k] = k * 2654435761u >> 13;
        for (uint32_t k = 0; k < s[0]; k++)
            for (int r = 0; r < ROUNDS; r++) {
                uint32_t d = xs[k] >> r & 15;
                want[d]++;
                want[16 + d] = xs[k] > want[16 + d] ? xs[k] : want[16 + d];
                want[32 + d] += xs[k];
                want[48 + xs[k] % 13] += k;
            }
        struct { uint32_t *in, *out; } p = { xs, got };
        run(s, 1, &p, w);
        assert_memory_equal(got, want, sizeof want);
    }
    ir_module_free(mod);
}

static void atomics_from_all_lanes(void **state)
{
    (void)state;
    start("atomics");
    struct ir_reg *out = param(IR_I64, 0), *n = param(IR_I32, 8), *i = global_index(), *old = reg(IR_I32);
    struct ir_block *body = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), body, end);
    blk = body;
    struct ir_inst *a = put(IR_ATOM, IR_I32, NULL, 2, R(out), R(i));
    a->space = IR_GLOBAL, a->atom = IR_ATOM_ADD;
    a = put(IR_ATOM, IR_I32, NULL, 2, R(out), R(i));
    a->space = IR_GLOBAL, a->atom = IR_ATOM_MAX_U, a->imm = 4;
    a = put(IR_ATOM, IR_I32, old, 2, R(out), I(1));
    a->space = IR_GLOBAL, a->atom = IR_ATOM_ADD, a->imm = 8;
    store(IR_I32, IR_GLOBAL, element(op2(IR_ADD, IR_I64, R(out), I(12)), old), R(old));
    br(end);
    blk = end;
    ret();
    FOR_ALL(w, s) {
        static int got[N + 3];
        memset(got, 0, sizeof got);
        struct { int *out; int n; } p = { got, N };
        run(s, (N + s[0] - 1) / s[0], &p, w);
        assert_int_equal(got[0], N * (N - 1) / 2);
        assert_int_equal(got[1], N - 1);
        assert_int_equal(got[2], N);
        for (int k = 0; k < N; k++)
            assert_int_equal(got[3 + k], k);
    }
    ir_module_free(mod);
}

/* if (in[i] % 3 == 0) { list[atomicAdd(n, 1)] = i; other[i * 7 % N] = i; }: places that rise from active lane to active lane, and some that do not. */
static void lists_of_some_lanes(void **state)
{
    (void)state;
    start("lists");
    struct ir_reg *in = param(IR_I64, 0), *list = param(IR_I64, 8), *other = param(IR_I64, 16), *n = param(IR_I64, 24), *i = global_index(), *old = reg(IR_I32);
    struct ir_block *body = label(), *found = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), I(N)), body, end);
    blk = body;
    cbr(cmp(IR_EQ, IR_I32, R(op2(IR_REM_U, IR_I32, R(load(IR_I32, IR_GLOBAL, element(in, i))), I(3))), I(0)), found, end);
    blk = found;
    struct ir_inst *a = put(IR_ATOM, IR_I32, old, 2, R(n), I(1));
    a->space = IR_GLOBAL, a->atom = IR_ATOM_ADD;
    store(IR_I32, IR_GLOBAL, element(list, old), R(i));
    store(IR_I32, IR_GLOBAL, element(other, op2(IR_REM_U, IR_I32, R(op2(IR_MUL, IR_I32, R(i), I(7))), I(N))), R(i));
    br(end);
    blk = end;
    ret();
    FOR_ALL(w, s) {
        static uint32_t xs[N], found_at[N], others[N], seen[N];
        uint32_t count = 0, want = 0;
        memset(found_at, 0xff, sizeof found_at);
        memset(others, 0xff, sizeof others);
        memset(seen, 0, sizeof seen);
        for (uint32_t k = 0; k < N; k++)
            xs[k] = k * 2654435761u >> 9;
        struct { uint32_t *in, *list, *other, *n; } p = { xs, found_at, others, &count };
        run(s, (N + s[0] - 1) / s[0], &p, w);
        for (uint32_t k = 0; k < count; k++) {
            assert_in_range(found_at[k], 0, N - 1);
            seen[found_at[k]]++;
        }
        for (uint32_t k = 0; k < N; k++) {
            bool is = xs[k] % 3 == 0;
            want += is;
            assert_int_equal(seen[k], is);
            assert_int_equal(others[k * 7 % N], is ? k : UINT32_MAX);
        }
        assert_int_equal(count, want);
        for (uint32_t k = count; k < N; k++)
            assert_int_equal(found_at[k], UINT32_MAX);
    }
    ir_module_free(mod);
}

/* out[index[i]] = table[index[i]] + table[index[i] + 1], where the index is changed between the address and the second load. */
static void tables_by_index(void **state)
{
    (void)state;
    start("tables");
    struct ir_reg *index = param(IR_I64, 0), *table = param(IR_I64, 8), *out = param(IR_I64, 16), *n = param(IR_I32, 24), *i = global_index();
    struct ir_block *body = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), body, end);
    blk = body;
    struct ir_reg *k = reg(IR_I32), *first, *second, *sum = reg(IR_I32);
    put(IR_LD, IR_I32, k, 1, R(element(index, i)))->space = IR_GLOBAL;
    first = load(IR_I32, IR_GLOBAL, element(table, k));
    struct ir_reg *at = element(table, k);
    put(IR_MUL, IR_I32, k, 2, R(k), I(1));
    put(IR_ADD, IR_I32, k, 2, R(k), I(1));
    second = load(IR_I32, IR_GLOBAL, at);        /* still the first index */
    put(IR_ADD, IR_I32, sum, 2, R(first), R(second));
    struct ir_reg *third = load(IR_I32, IR_GLOBAL, element(table, k));
    store(IR_I32, IR_GLOBAL, element(out, k), R(op2(IR_ADD, IR_I32, R(sum), R(third))));
    br(end);
    blk = end;
    ret();
    FOR_ALL(w, s)
        for (int step = 1; step < 14; step += 6) {        /* neighbours, and lanes apart; some indices are negative */
            static int idx[N], tab[3 * N], got[3 * N];
            for (int j = 0; j < N; j++)
                idx[j] = (int)((unsigned)j * (unsigned)step % N) - N / 2;
            for (int j = 0; j < 3 * N; j++)
                tab[j] = j * j % 1009;
            memset(got, 0xff, sizeof got);
            struct { int *index, *table, *out; int n; } p = { idx, tab + N, got + N, N };
            run(s, (N + s[0] - 1) / s[0], &p, w);
            for (int j = 0; j < N; j++)
                assert_int_equal(got[N + idx[j] + 1], 2 * tab[N + idx[j]] + tab[N + idx[j] + 1]);
        }
    ir_module_free(mod);
}

/* Neighbouring lanes whose indices go from the largest number to the smallest: 16 GiB lie between. */
static void indices_that_wrap_around(void **state)
{
    (void)state;
    start("wrap");
    struct ir_reg *index = param(IR_I64, 0), *table = param(IR_I64, 8), *out = param(IR_I64, 16), *i = global_index();
    struct ir_reg *k = load(IR_I32, IR_GLOBAL, element(index, i));
    store(IR_I32, IR_GLOBAL, element(out, i), R(load(IR_I32, IR_GLOBAL, element(table, k))));
    ret();
    const size_t half = (size_t)8 << 30, page = 4096;
    char *all = mmap(NULL, 2 * half + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(all != MAP_FAILED);
    assert_int_equal(mprotect(all, page, PROT_READ | PROT_WRITE), 0);
    assert_int_equal(mprotect(all + 2 * half - page, 2 * page, PROT_READ | PROT_WRITE), 0);
    int *base = (int *)(void *)(all + half), idx[32], got[32];
    for (int l = 0; l < 32; l++) {
        idx[l] = (int)((unsigned)INT32_MAX - 5 + (unsigned)l);
        base[idx[l]] = 1000 + l;
    }
    base[(size_t)1 << 31] = -1;                           /* behind the largest index */
    for (size_t w = 0; w < HW_LEN(widths); w++) {
        struct { int *index, *table, *out; } p = { idx, base, got };
        memset(got, 0, sizeof got);
        run((uint32_t[]){ 32, 1, 1 }, 1, &p, widths[w]);
        for (int l = 0; l < 32; l++)
            assert_int_equal(got[l], 1000 + l);
    }
    munmap(all, 2 * half + page);
    ir_module_free(mod);
}

/* s[n * (t - t % q) + t % q + r * q] = in[n * t + r] for r < n: q threads in a row put n words each; then all of s is copied. */
static void words_of_several_threads_in_a_row(void **state)
{
    (void)state;
    enum { THREADS = 128, BLOCKS = 2, MOST = 4 };
    for (unsigned q = 1; q <= 16; q *= 2)
        for (unsigned n = 2; n <= MOST; n *= 2)
            for (unsigned swap = 0; swap < 2 && swap < q; swap++) {       /* 1: neighbours change places, which is no such pattern */
                start("exchange");
                struct ir_reg *in = param(IR_I64, 0), *out = param(IR_I64, 8), *t = sreg(IR_SREG_TID_X), *i = global_index(), *v[MOST];
                struct ir_reg *from = element(in, op2(IR_MUL, IR_I32, R(i), I(n)));
                struct ir_reg *k = op2(IR_AND, IR_I32, R(t), I(q - 1)), *row = op2(IR_SUB, IR_I32, R(t), R(k));
                k = swap ? op2(IR_XOR, IR_I32, R(k), I(1)) : k;
                struct ir_reg *to = op2(IR_MUL, IR_I32, R(op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(row), I(n))), R(k))), I(4));
                for (unsigned r = 0; r < n; r++) {
                    v[r] = load(IR_I32, IR_GLOBAL, from);
                    blk->insts.v[blk->insts.n - 1]->imm = 4 * r;
                }
                for (unsigned r = 0; r < n; r++) {
                    store(IR_I32, IR_SHARED, to, R(v[r]));
                    blk->insts.v[blk->insts.n - 1]->imm = 4 * r * q;
                }
                bar(label());
                for (unsigned r = 0; r < n; r++) {
                    struct ir_reg *x = load(IR_I32, IR_SHARED, op2(IR_MUL, IR_I32, R(op2(IR_ADD, IR_I32, R(t), I(r * THREADS))), I(4)));
                    store(IR_I32, IR_GLOBAL, element(out, op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(sreg(IR_SREG_CTAID_X)), I(n * THREADS))),
                                                                R(op2(IR_ADD, IR_I32, R(t), I(r * THREADS))))), R(x));
                }
                ret();
                fn->shared_bytes = 4 * MOST * THREADS + 1024;
                struct diag diag = { 0 };
                struct plan_options opt = { .ntid = { THREADS, 1, 1 }, .width = 16, .chunks = 2 };
                struct plan *p = plan_new(fn, &opt, &diag);
                assert_non_null(p);
                unsigned runs = 0;
                for (size_t j = 0; j < p->blocks[0].ir->insts.n; j++)
                    if (p->blocks[0].ir->insts.v[j]->op == IR_ST)
                        runs += plan_runs(p, &p->blocks[0].ir->insts.v[j]->src[0], q, 4, 4 * q * n);
                assert_int_equal(runs, swap ? 0 : n);
                plan_free(p);
                diag_fini(&diag);
                for (size_t w = 0; w < HW_LEN(widths); w++) {
                    static int xs[BLOCKS * MOST * THREADS], got[BLOCKS * MOST * THREADS];
                    for (int x = 0; x < BLOCKS * MOST * THREADS; x++)
                        xs[x] = x * 7 + 1;
                    struct { int *in, *out; } params = { xs, got };
                    run((const uint32_t[3]){ THREADS, 1, 1 }, BLOCKS, &params, widths[w]);
                    for (unsigned x = 0; x < BLOCKS * THREADS; x++)
                        for (unsigned r = 0; r < n; r++) {
                            unsigned y = x % THREADS, rest = y % q, at = n * (y - rest) + (rest ^ swap) + r * q;
                            assert_int_equal(got[x / THREADS * n * THREADS + at], xs[x * n + r]);
                        }
                }
                ir_module_free(mod);
            }
}

/* out[i] = table[(t & mask) * 3] + 10 * table[t & 7], for all threads t of a block. */
static void loads_that_repeat_after_some_groups_are_done_for_these(void **state)
{
    (void)state;
    static const struct { uint32_t mask, threads, groups; } cases[] = { { 31, 256, 1 }, { 63, 256, 2 }, { 127, 256, 4 }, { 255, 256, 0 }, { 63, 96, 0 }, { 63, 160, 2 } };
    for (size_t n = 0; n < HW_LEN(cases); n++) {
        start("periodic");
        struct ir_reg *out = param(IR_I64, 0), *table = param(IR_I64, 8), *t = sreg(IR_SREG_TID_X), *i = global_index();
        bar(label());
        struct ir_reg *far = op2(IR_MUL, IR_I32, R(op2(IR_AND, IR_I32, R(t), I(cases[n].mask))), I(3)), *v = load(IR_I32, IR_GLOBAL, element(table, far));
        blk->insts.v[blk->insts.n - 1]->flags |= IR_NONCOHERENT;
        struct ir_reg *u = load(IR_I32, IR_GLOBAL, element(table, op2(IR_AND, IR_I32, R(t), I(7))));
        blk->insts.v[blk->insts.n - 1]->flags |= IR_NONCOHERENT;
        store(IR_I32, IR_GLOBAL, element(out, i), R(op2(IR_ADD, IR_I32, R(v), R(op2(IR_MUL, IR_I32, R(u), I(10))))));
        ret();
        struct diag diag = { 0 };
        struct plan_options opt = { .ntid = { cases[n].threads, 1, 1 }, .width = 16, .chunks = 2 };
        struct plan *p = plan_new(fn, &opt, &diag);
        struct plan_common_load found[4];
        assert_non_null(p);
        assert_int_equal(plan_common_loads(p, 1, found, 4), cases[n].groups ? 2 : 1);
        if (cases[n].groups)
            assert_int_equal(found[0].groups, cases[n].groups);
        plan_free(p);
        diag_fini(&diag);
        for (size_t k = 0; k < HW_LEN(widths); k++) {
            enum { BLOCKS = 2 };
            static int got[BLOCKS * 256], numbers[3 * 256];
            for (int x = 0; x < 3 * 256; x++)
                numbers[x] = x * x;
            struct { int *out, *table; } params = { got, numbers };
            run((const uint32_t[3]){ cases[n].threads, 1, 1 }, BLOCKS, &params, widths[k]);
            for (uint32_t x = 0; x < BLOCKS * cases[n].threads; x++) {
                uint32_t thread = x % cases[n].threads;
                assert_int_equal(got[x], numbers[(thread & cases[n].mask) * 3] + 10 * numbers[thread & 7]);
            }
        }
        ir_module_free(mod);
    }
}

/* How many steps until z * z - x * z gets large, at most LIMIT, which the loop says at its end; and what z is then. */
enum { LIMIT = 50, POINTS = 1536 };

static void build_escape(enum ir_op extra)
{
    start("escape");
    struct ir_reg *out = param(IR_I64, 0), *last = param(IR_I64, 8), *n = param(IR_I32, 16), *size = sreg(IR_SREG_NTID_X);
    struct ir_reg *row = op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(sreg(IR_SREG_CTAID_X)), R(sreg(IR_SREG_NTID_Y)))), R(sreg(IR_SREG_TID_Y)));
    struct ir_reg *i = op2(IR_ADD, IR_I32, R(op2(IR_MUL, IR_I32, R(row), R(size))), R(sreg(IR_SREG_TID_X)));
    struct ir_block *in = label(), *head = label(), *body = label(), *done = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), in, end);
    blk = in;
    struct ir_reg *z = reg(IR_I32), *steps = reg(IR_I32), *result = reg(IR_I32), *x = reg(IR_I32);
    put(IR_ITOF_S, IR_F32, x, 1, R(i))->type2 = IR_I32;
    put(IR_FMUL, IR_F32, x, 2, R(x), I(0x3a800000));      /* 2^-10 */
    put(IR_MOV, IR_I32, z, 1, R(x));
    put(IR_MOV, IR_I32, steps, 1, I(0));
    br(head);
    blk = head;
    struct ir_reg *square = op2(IR_FMUL, IR_F32, R(z), R(z)), *product = op2(IR_FMUL, IR_F32, R(x), R(z));
    put(IR_MOV, IR_I32, result, 1, R(steps));
    cbr(cmp(IR_FGT, IR_F32, R(square), I(0x40800000)), done, body);
    blk = body;
    put(IR_FADD, IR_F32, z, 2, R(op2(IR_FSUB, IR_F32, R(square), R(product))), R(x));
    put(IR_FADD, IR_F32, z, 2, R(z), I(0x3dcccccd));
    put(IR_ADD, IR_I32, steps, 2, R(steps), I(1));
    put(IR_MOV, IR_I32, result, 1, I(LIMIT));
    cbr(cmp(IR_NE, IR_I32, R(steps), I(LIMIT)), head, done);
    blk = done;
    if (extra == IR_FENCE)
        put(IR_FENCE, IR_VOID, NULL, 0)->scope = IR_GPU;
    store(IR_I32, IR_GLOBAL, element(out, i), R(result));
    store(IR_F32, IR_GLOBAL, element(last, i), R(z));
    br(end);
    blk = end;
    ret();
}

static int escape(float x, float *z)
{
    *z = x;
    for (int n = 0; n < LIMIT; n++) {
        volatile float square = *z * *z, product = x * *z, less = square - product, more = less + x;      /* each rounded */
        if (square > 4)
            return n;
        *z = more + 0.1f;
    }
    return LIMIT;
}

static void chains_of_arithmetic_take_two_warps_at_a_time(void **state)
{
    (void)state;
    static const uint32_t some[][3] = { { 64, 1, 1 }, { 256, 1, 1 }, { 96, 1, 1 }, { 32, 1, 1 }, { 16, 16, 1 }, { 8, 8, 1 }, { 24, 8, 1 }, { 3, 64, 1 }, { 100, 1, 1 } };
    build_escape(IR_MOV);
    for (size_t k = 0; k < HW_LEN(widths); k++)
        for (size_t s = 0; s < HW_LEN(some); s++) {
            static int got[POINTS + 8];
            static float at[POINTS + 8];
            uint32_t threads = some[s][0] * some[s][1];
            memset(got, 0xff, sizeof got);
            memset(at, 0xff, sizeof at);
            struct { int *out; float *last; int n; } p = { got, at, POINTS - 5 };
            run(some[s], (POINTS + threads - 1) / threads, &p, widths[k]);
            assert_int_equal(lanes, widths[k] == 1 ? 1 : widths[k] == 16 && threads % 64 == 0 ? 64 : 32);
            for (int i = 0; i < POINTS - 5; i++) {
                float z;
                assert_int_equal(got[i], escape((float)i / 1024, &z));
                assert_true(at[i] == z);
            }
            for (int i = POINTS - 5; i < POINTS + 8; i++)
                assert_int_equal(got[i], -1);
        }
    ir_module_free(mod);
    build_escape(IR_FENCE);      /* what other warps see of it matters: one by one */
    static int got[POINTS];
    static float at[POINTS];
    struct { int *out; float *last; int n; } p = { got, at, POINTS };
    run(some[0], POINTS / 64, &p, 16);
    assert_int_equal(lanes, 32);
    ir_module_free(mod);
}

/*
 * A thread goes along its row: p = cells + start[i] * 4, then p += 4. What each lane counts depends on the way: all take every step, lanes at odd
 * numbers stay where they are, or the pointer itself is wanted in the end.
 */
enum way { EVERY_STEP, SOME_STAY, POINTER_WANTED };

static void build_rows(enum way way)
{
    start("rows");
    struct ir_reg *begin = param(IR_I64, 0), *cells = param(IR_I64, 8), *out = param(IR_I64, 16), *n = param(IR_I32, 24), *i = global_index();
    struct ir_block *in = label(), *before = label(), *loop = label(), *step = label(), *latch = label(), *done = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), in, end);
    blk = in;
    struct ir_reg *p = reg(IR_I64), *left = reg(IR_I32), *sum = reg(IR_I32), *wide = reg(IR_I64), *at = element(begin, i);
    struct ir_reg *from = load(IR_I32, IR_GLOBAL, at), *to = reg(IR_I32);
    struct ir_inst *next = put(IR_LD, IR_I32, to, 1, R(at));
    next->space = IR_GLOBAL;
    next->imm = 4;
    put(IR_MOV, IR_I32, sum, 1, I(0));
    put(IR_SUB, IR_I32, left, 2, R(to), R(from));
    put(IR_SEXT, IR_I64, wide, 1, R(from))->type2 = IR_I32;
    struct ir_reg *first = op2(IR_ADD, IR_I64, R(cells), R(op2(IR_SHL, IR_I64, R(wide), I(2))));
    put(IR_ADD, IR_I64, p, 2, R(first), I(8));
    cbr(cmp(IR_EQ, IR_I32, R(left), I(0)), done, before);
    blk = before;
    br(loop);
    blk = loop;
    struct ir_reg *x = reg(IR_I32);
    struct ir_inst *ld = put(IR_LD, IR_I32, x, 1, R(p));
    ld->space = IR_GLOBAL;
    ld->imm = -8;
    put(IR_ADD, IR_I32, sum, 2, R(op2(IR_MUL, IR_I32, R(sum), I(3))), R(x));
    if (way == SOME_STAY)
        cbr(cmp(IR_EQ, IR_I32, R(op2(IR_AND, IR_I32, R(x), I(1))), I(0)), step, latch);
    else
        br(step);
    blk = step;
    put(IR_ADD, IR_I64, p, 2, R(p), I(4));
    br(latch);
    blk = latch;
    put(IR_ADD, IR_I32, left, 2, R(left), I(UINT32_MAX));
    cbr(cmp(IR_NE, IR_I32, R(left), I(0)), loop, done);
    blk = done;
    if (way == POINTER_WANTED) {
        struct ir_reg *low = reg(IR_I32);
        put(IR_TRUNC, IR_I32, low, 1, R(op2(IR_SUB, IR_I64, R(p), R(cells))))->type2 = IR_I64;
        put(IR_ADD, IR_I32, sum, 2, R(sum), R(low));
    }
    store(IR_I32, IR_GLOBAL, element(out, i), R(sum));
    br(end);
    blk = end;
    ret();
}

static void pointers_along_rows_are_bases_and_indices(void **state)
{
    (void)state;
    static int begin[N + 1], cell[N * 9], got[N];
    struct diag diag = { 0 };
    for (int j = 0; j < N; j++)
        begin[j + 1] = begin[j] + j * 7 % 10;
    for (int e = 0; e < N * 9; e++)
        cell[e] = (int)((unsigned)e * 2654435761u >> 20);
    for (enum way way = EVERY_STEP; way <= POINTER_WANTED; way++) {
        build_rows(way);
        struct plan_options opt = { .ntid = { 64, 1, 1 }, .width = 16, .chunks = 2 };
        struct plan *p = plan_new(fn, &opt, &diag);
        assert_non_null(p);
        int rows = 0;
        for (int b = 0; b < p->n_blocks; b++)
            for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
                const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
                struct plan_row row;
                rows += i->op == IR_LD && plan_row(p, i, b, &row) && row.step == 4 && row.scale == 4;
            }
        assert_int_equal(rows, way == EVERY_STEP);
        plan_free(p);
        FOR_ALL(w, s) {
            memset(got, 0xff, sizeof got);
            struct { int *begin, *cells, *out; int n; } args = { begin, cell, got, N };
            run(s, (N + s[0] - 1) / s[0], &args, w);
            for (int j = 0; j < N; j++) {
                unsigned sum = 0;
                int at = begin[j];
                for (int e = begin[j]; e < begin[j + 1]; e++) {
                    sum = sum * 3 + (unsigned)cell[at];
                    at += way != SOME_STAY || cell[at] % 2 == 0;
                }
                if (way == POINTER_WANTED)
                    sum += (unsigned)at * 4 + 8;
                assert_int_equal(got[j], (int)sum);
            }
        }
        ir_module_free(mod);
    }
    diag_fini(&diag);
}

static void what_a_loop_sets_for_its_end_is_set_there(void **state)
{
    (void)state;
    struct diag diag = { 0 };
    build_escape(IR_MOV);
    for (int counted = 0; counted < 2; counted++) {       /* 1: an instrumented build counts the program's instructions where they are */
        struct plan_options opt = { .ntid = { 64, 1, 1 }, .width = 16, .chunks = 2, .counted = counted };
        struct plan *p = plan_new(fn, &opt, &diag);
        int found = 0;
        assert_non_null(p);
        for (int b = 0; b < p->n_blocks; b++)
            for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
                const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
                if (i->op == IR_MOV && i->src[0].kind == IR_IMM && i->src[0].imm == LIMIT) {
                    assert_int_equal(p->blocks[b].loop >= 0, counted);
                    found++;
                }
            }
        assert_int_equal(found, 1);
        plan_free(p);
    }
    diag_fini(&diag);
    ir_module_free(mod);
}

/* out[i] = in[i] + 1 while i < n; extra: what else the kernel does in the middle. */
static void build_copy(enum ir_op extra)
{
    start("copy");
    struct ir_reg *in = param(IR_I64, 0), *out = param(IR_I64, 8), *n = param(IR_I32, 16), *i = global_index();
    struct ir_block *body = label(), *end = label();
    cbr(cmp(IR_SLT, IR_I32, R(i), R(n)), body, end);
    blk = body;
    struct ir_reg *v = load(IR_I32, IR_GLOBAL, element(in, i));
    if (extra == IR_FENCE)
        put(IR_FENCE, IR_VOID, NULL, 0)->scope = IR_GPU;
    if (extra == IR_LD)
        v = op2(IR_ADD, IR_I32, R(v), R(load(IR_I32, IR_GLOBAL, element(out, i))));
    store(IR_I32, IR_GLOBAL, element(out, i), R(op2(IR_ADD, IR_I32, R(v), I(1))));
    br(end);
    blk = end;
    ret();
}

static void large_results_go_past_the_caches(void **state)
{
    (void)state;
    build_copy(IR_MOV);
    uint64_t through;
    assert_int_equal(jit_streamed_bytes(fn, &through), 4);
    assert_int_equal(through, 2);                 /* the second parameter */
    stream = true;
    FOR_ALL(w, s)
        for (unsigned skip = 0; skip < 20; skip++) {      /* rows that begin at a line, and rows that do not */
            _Alignas(64) static int in[N], out[N + 40];
            memset(out, 0xff, sizeof out);
            for (int k = 0; k < N; k++)
                in[k] = k * 7;
            struct { int *in, *out; int n; } p = { in, out + skip, N - 3 };
            run(s, (N + s[0] - 1) / s[0], &p, w);
            assert_int_equal(streamed, w > 1 && s[0] > 1);
            for (int k = 0; k < N + 40; k++)
                assert_int_equal(out[k], k < (int)skip || k >= (int)skip + N - 3 ? -1 : (k - (int)skip) * 7 + 1);
        }
    stream = false;
    ir_module_free(mod);
}

static void what_is_read_or_ordered_stays_in_the_caches(void **state)
{
    (void)state;
    uint64_t through;
    build_copy(IR_LD);           /* reads what it writes */
    assert_int_equal(jit_streamed_bytes(fn, &through), 0);
    ir_module_free(mod);
    build_copy(IR_FENCE);        /* somebody may wait for it */
    assert_int_equal(jit_streamed_bytes(fn, &through), 0);
    ir_module_free(mod);
}

/* The kernel begins with a loop that waits: nothing is before the place to go on at. Later warps are waited for, so that all but the last stop. */
static void waiting_from_the_first_instruction_on(void **state)
{
    (void)state;
    start("wait_first");
    struct ir_block *after = label();
    struct ir_reg *p = param(IR_I64, 0), *v = reg(IR_I32);
    struct ir_reg *before = op2(IR_SUB, IR_I32, I(7), R(op2(IR_SHR_U, IR_I32, R(sreg(IR_SREG_TID_X)), I(5))));
    struct ir_inst *ld = put(IR_LD, IR_I32, v, 1, R(p));
    ld->space = IR_GLOBAL;
    ld->flags = IR_VOLATILE;
    cbr(cmp(IR_ULT, IR_I32, R(v), R(before)), blk, after);
    blk = after;
    store(IR_I32, IR_GLOBAL, p, R(op2(IR_MAX_U, IR_I32, R(v), R(op2(IR_ADD, IR_I32, R(before), I(1))))));
    ret();
    for (size_t w = 0; w < HW_LEN(widths); w++) {
        uint32_t count = 0, *at = &count, shape[3] = { 256, 1, 1 };
        run(shape, 1, &at, widths[w]);
        assert_int_equal(count, 8);
    }
    ir_module_free(mod);
}

/* What our own loader does not know goes to LLVM's. */
static void both_loaders_give_the_same(void **state)
{
    (void)state;
    for (int orc = 0; orc < 2; orc++) {
        start(orc ? "by_orc" : "by_us");                  /* else it is there already */
        struct ir_reg *p = param(IR_I64, 0), *at = element(p, global_index()), *v = load(IR_F32, IR_GLOBAL, at), *root = reg(IR_I32);
        put(IR_FMA, IR_F32, root, 3, R(v), I(0x40490fdb), R(v));
        store(IR_F32, IR_GLOBAL, at, R(root));
        ret();
        object_by_orc = orc;
        FOR_ALL(w, s) {
            float values[512];
            struct { float *p; } params = { values };
            for (int k = 0; k < 512; k++)
                values[k] = (float)k;
            run(s, 2, &params, w);
            for (uint32_t k = 0; k < 512; k++)
                assert_true(values[k] == (k < 2 * s[0] ? fmaf((float)k, 3.14159274f, (float)k) : (float)k));
        }
        ir_module_free(mod);
    }
    object_by_orc = false;
}

int main(void)
{
    setenv("HOSTWARP_CACHE", "off", 0);
    setenv("HOSTWARP_GUARD", "0", 1);              /* the kernels here work on memory of the test itself */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saxpy_with_a_ragged_tail), cmocka_unit_test(divergent_loop_counts_per_lane),
        cmocka_unit_test(a_copy_of_the_turn_before_is_not_todays_value), cmocka_unit_test(reduction_in_shared_memory),
        cmocka_unit_test(early_exit_before_a_barrier), cmocka_unit_test(waiting_from_the_first_instruction_on), cmocka_unit_test(unsigned_wrap_in_an_index), cmocka_unit_test(two_dimensional_blocks),
        cmocka_unit_test(atomics_from_all_lanes), cmocka_unit_test(large_results_go_past_the_caches), cmocka_unit_test(tables_by_index),
        cmocka_unit_test(indices_that_wrap_around), cmocka_unit_test(chains_of_arithmetic_take_two_warps_at_a_time),
        cmocka_unit_test(loads_that_repeat_after_some_groups_are_done_for_these), cmocka_unit_test(words_of_several_threads_in_a_row),
        cmocka_unit_test(what_a_loop_sets_for_its_end_is_set_there), cmocka_unit_test(counts_in_shared_memory),
        cmocka_unit_test(lists_of_some_lanes), cmocka_unit_test(pointers_along_rows_are_bases_and_indices),
        cmocka_unit_test(both_loaders_give_the_same), cmocka_unit_test(what_is_read_or_ordered_stays_in_the_caches),
    };
    return cmocka_run_group_tests_name("jit", tests, NULL, NULL);
}
