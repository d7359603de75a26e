/* SPDX-License-Identifier: Apache-2.0 */
/* The table of device math functions: every row has bodies, every width an address, and bad names are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "jit/math/math.h"
#include "lower/lower_internal.h"

static void every_row_has_a_scalar_body(void **state)
{
    (void)state;
    for (unsigned id = 0; id < IR_MATH_COUNT; id++) {
        char name[MATH_SYMBOL_MAX];

        assert_non_null(math_symbol(id, 1, name));
        if (!math_address(name))
            fail_msg("%s (%s) has no address", ir_math_names[id], name);
    }
}

static void every_symbol_of_a_vector_row_has_an_address(void **state)
{
    (void)state;
    for (unsigned id = 0; id < IR_MATH_COUNT; id++)
        for (unsigned lanes = 2; lanes <= 16; lanes *= 2) {
            char name[MATH_SYMBOL_MAX];
            bool wide = math_symbol(id, lanes, name) != NULL;

            if (!math_is_vector(id))
                assert_false(wide);
            if (wide && !math_address(name))
                fail_msg("%s has no address", name);
        }
}

static void vector_rows_have_one_type(void **state)
{
    (void)state;
    for (unsigned id = 0; id < IR_MATH_COUNT; id++)
        for (unsigned k = 0; math_is_vector(id) && k < math_n_src(id); k++)
            assert_int_equal(math_src_type(id, k), math_result_type(id));
}

static void other_names_have_no_address(void **state)
{
    static const char *const names[] = { "", "sinf", "hw_math_", "hw_math_sinf", "hw_math_nothing_1", "hw_math_j0_4", "hw_math_cosh_3", "Sleef_nothing" };

    (void)state;
    for (size_t i = 0; i < HW_LEN(names); i++)
        if (math_address(names[i]))
            fail_msg("'%s' has an address", names[i]);
}

/* What the wrappers are for: arguments where the vector library alone is wrong. */
static void lanes_outside_the_librarys_range_are_right(void **state)
{
    static const struct {
        enum ir_math id;
        double x, want;
    } cases[] = {
        { IR_MATH_COSH, 710.0, 0x1.3e21a464507f9p+1023 },  { IR_MATH_ACOSH, 0x1p1000, 693.8403277405052 },
        { IR_MATH_SINPI, 0x1p60, 0.0 },                    { IR_MATH_COSPI, 1e15 + 0.5, 0.0 },
        { IR_MATH_LOG1P, 0x1.fffffffffffffp1023, 0x1.62e42fefa39efp9 },
    };

    (void)state;
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        char name[MATH_SYMBOL_MAX];
        double (*fn)(double) = (double (*)(double))math_address(math_symbol(cases[i].id, 1, name));
        double got = fn(cases[i].x);

        if (fabs(got - cases[i].want) > 1e-15 * fabs(cases[i].want))
            fail_msg("%s(%a) = %a, want %a", name, cases[i].x, got, cases[i].want);
    }
}

struct fixture {
    struct ir_module *m;
    struct lower_ctx c;
    struct diag diag;
};

static void fixture_init(struct fixture *f)
{
    *f = (struct fixture){ .m = ir_module_new() };
    f->c.module = f->m;
    f->c.f = ir_func_new(f->m, "f");
    f->c.block = ir_block_new(f->c.f, NULL);
    f->c.diag = &f->diag;
}

static void unknown_functions_and_wrong_calls_emit_nothing(void **state)
{
    struct fixture f;
    struct ir_operand two[2] = { ir_imm_operand(0), ir_imm_operand(0) };

    (void)state;
    fixture_init(&f);
    struct ir_reg *d = ir_reg_new(f.c.f, IR_I32, NULL);
    assert_false(lower_nvmath(&f.c, "__nv_nothing", d, two, 1));
    assert_false(lower_nvmath(&f.c, "sinf", d, two, 1));
    assert_false(lower_nvmath(&f.c, "__nv_sinf", d, two, 2));
    assert_false(lower_nvmath(&f.c, "__nv_sinf", NULL, two, 1));
    assert_int_equal(f.c.block->insts.n, 0);
    assert_true(lower_nvmath(&f.c, "__nv_sinf", d, two, 1));
    assert_true(f.c.block->insts.n > 0);
    ir_module_free(f.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_scalar_body),
        cmocka_unit_test(every_symbol_of_a_vector_row_has_an_address),
        cmocka_unit_test(vector_rows_have_one_type),
        cmocka_unit_test(other_names_have_no_address),
        cmocka_unit_test(lanes_outside_the_librarys_range_are_right),
        cmocka_unit_test(unknown_functions_and_wrong_calls_emit_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
