/* SPDX-License-Identifier: Apache-2.0 */
/* The IR's own rules: what the verifier refuses, and that the text tells everything apart. */
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A function of one block: an ADD of two registers, then RET. */
struct fixture {
    struct ir_module *m;
    struct ir_func *f;
    struct ir_block *b;
    struct ir_reg *r[3];
    struct ir_reg *wide, *pred;
    struct ir_inst *add, *ret;
};

static void build(struct fixture *x)
{
    x->m = ir_module_new();
    x->f = ir_func_new(x->m, "k");
    x->b = ir_block_new(x->f, NULL);
    for (int i = 0; i < 3; i++)
        x->r[i] = ir_reg_new(x->f, IR_I32, NULL);
    x->wide = ir_reg_new(x->f, IR_I64, NULL);
    x->pred = ir_reg_new(x->f, IR_PRED, NULL);
    x->add = ir_inst_new(x->f, IR_ADD, IR_I32);
    ir_inst_dst(x->add, x->r[0]);
    ir_inst_src(x->add, ir_reg_operand(x->r[1]));
    ir_inst_src(x->add, ir_imm_operand(5));
    ir_block_add(x->b, x->add);
    x->ret = ir_inst_new(x->f, IR_RET, IR_VOID);
    ir_block_add(x->b, x->ret);
}

static bool verify(const struct fixture *x)
{
    struct diag diag = { 0 };
    bool ok = ir_verify(x->f, &diag);
    assert_int_equal(ok, diag.n_errors == 0);
    diag_fini(&diag);
    return ok;
}

static void break_size(struct fixture *x) { x->add->src[0].reg = x->wide; }
static void break_pred(struct fixture *x) { x->add->src[0].reg = x->pred; }
static void break_result(struct fixture *x) { x->add->dst[0] = x->wide; }
static void break_count(struct fixture *x) { x->add->n_src = 1; }
static void break_constant(struct fixture *x) { x->add->src[1].imm = (uint64_t)1 << 32; }
static void break_end(struct fixture *x) { x->b->insts.n = 1; }
static void break_middle(struct fixture *x) { x->b->insts.v[0] = x->ret; }
static void break_target(struct fixture *x) { x->ret->op = IR_BR; }
static void break_extra_target(struct fixture *x) { x->ret->target[0] = x->b; }
static void break_extension(struct fixture *x) { x->add->op = IR_ZEXT; x->add->type2 = IR_I32; x->add->n_src = 1; }
static void break_missing(struct fixture *x) { x->add->src[1].kind = IR_NONE; }
static void break_owner(struct fixture *x) { x->r[1]->id = 77; }
static void break_nothing(struct fixture *x) { (void)x; }

static void the_verifier_refuses_what_breaks_the_rules(void **state)
{
    static void (*const breaks[])(struct fixture *) = { break_size, break_pred, break_result, break_count, break_constant, break_end, break_middle,
                                                        break_target, break_extra_target, break_extension, break_missing, break_owner };
    struct fixture x;
    build(&x);
    break_nothing(&x);
    assert_true(verify(&x));
    ir_module_free(x.m);
    for (size_t i = 0; i < HW_LEN(breaks); i++) {
        build(&x);
        breaks[i](&x);
        if (verify(&x))
            print_error("case %zu passed\n", i);
        assert_false(verify(&x));
        ir_module_free(x.m);
    }
}

static char *text_of(const struct fixture *x)
{
    struct hw_str s = { 0 };
    ir_print_inst(&s, x->add);
    return s.s;
}

/* The text names cached code: two instructions that differ in meaning must not read alike. */
static void every_field_shows_in_the_text(void **state)
{
    struct fixture x;
    build(&x);
    char *plain = text_of(&x);
    assert_string_equal(plain, "%0:i32 = add.i32 %1, 5");
    for (int field = 0; field < 9; field++) {
        struct ir_inst was = *x.add;
        switch (field) {
        case 0: x.add->op = IR_SUB; break;
        case 1: x.add->type = IR_I64; break;
        case 2: x.add->type2 = IR_I8; break;
        case 3: x.add->rnd = IR_RZ; break;
        case 4: x.add->flags = IR_FTZ; break;
        case 5: x.add->space = IR_SHARED; break;
        case 6: x.add->order = IR_ACQUIRE; break;
        case 7: x.add->imm = 4; break;
        case 8: x.add->src[1].imm = 6; break;
        }
        char *other = text_of(&x);
        assert_string_not_equal(plain, other);
        hw_free(other);
        *x.add = was;
    }
    hw_free(plain);
    ir_module_free(x.m);
}

static void tables_have_a_name_for_everything(void **state)
{
    for (unsigned i = 0; i < IR_OP_COUNT; i++)
        assert_non_null(ir_op_info[i].text);
    for (unsigned i = 0; i < IR_SREG_COUNT; i++)
        assert_true(ir_sreg_names[i][0] == '%');
    for (unsigned i = 0; i < IR_MATH_COUNT; i++)
        assert_non_null(ir_math_names[i]);
    for (unsigned t = 1; t < IR_TYPE_COUNT; t++)
        assert_true(ir_type_bits((enum ir_type)t) > 0);
    assert_int_equal(ir_type_of_bits(64), IR_I64);
    assert_int_equal(ir_type_of_bits(7), IR_VOID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verifier_refuses_what_breaks_the_rules),
        cmocka_unit_test(every_field_shows_in_the_text),
        cmocka_unit_test(tables_have_a_name_for_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
