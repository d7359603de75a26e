/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of GPUs: what is wrong with one is said with its line, curves are straight lines between points; and the model of kernels. */
#include "gpu/kernel.h"
#include "gpu/profile.h"

#include "base/os.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static char *h200(void)
{
    size_t n;
    char *text = hw_file_read("share/gpus/h200", &n);            /* tests run in the tree */
    assert_non_null(text);
    return text;
}

static void a_profile_is_read_and_says_where_numbers_come_from(void **state)
{
    struct gpu_profile p;
    struct hw_str error = { 0 };
    char *text = h200();
    assert_true(gpu_profile_parse("folder/h200", text, &p, &error));
    assert_string_equal(p.id, "h200");
    assert_string_equal(p.name, "NVIDIA H200");
    assert_int_equal((int)p.sms, 132);
    assert_int_equal(p.source[GPU_FIELD_sms], GPU_MEASURED);
    assert_int_equal(p.source[GPU_FIELD_cycles_alu], GPU_ASSUMED);
    assert_int_equal(gpu_profile_weakest(&p), GPU_ASSUMED);
    hw_free(text);
}

static void curves_are_straight_between_points(void **state)
{
    struct gpu_curve c = { .n = 2, .bytes = { 1000, 3000 }, .ns = { 100, 500 } };
    assert_true(gpu_curve_at(&c, 1) == 100);
    assert_true(gpu_curve_at(&c, 2000) == 300);
    assert_true(gpu_curve_at(&c, 6000) == 1000);
    c.n = 1;
    assert_true(gpu_curve_at(&c, 6000) == 100);
}

/* Any bytes in the place of some: an answer, and no crash. */
static void broken_profiles_are_refused_with_a_line(void **state)
{
    char *text = h200();
    size_t n = strlen(text);
    unsigned seed = 1, refused = 0;
    for (int k = 0; k < 2000; k++) {
        struct gpu_profile p;
        struct hw_str error = { 0 };
        char *broken = hw_strdup(text);
        for (int b = 0; b < 3; b++) {
            seed = seed * 1103515245 + 12345;
            broken[(seed >> 8) % n] = (char)(1 + (seed >> 24) % 255);
        }
        if (k % 7 == 0)
            broken[(seed >> 4) % n] = 0;
        if (!gpu_profile_parse("card", broken, &p, &error)) {
            refused++;
            assert_true(strncmp(error.s, "card:", 5) == 0);
        }
        hw_str_fini(&error);
        hw_free(broken);
    }
    assert_true(refused > 200);
    hw_free(text);
}

static void more_work_takes_longer_and_what_limits_is_named(void **state)
{
    struct gpu_profile p;
    struct hw_str error = { 0 };
    struct gpu_result small, large, compute;
    char *text = h200();
    assert_true(gpu_profile_parse("h200", text, &p, &error));
    struct gpu_counts c = { .blocks = 10000, .warps = 8, .threads = 256, .fit_regs = 32, .worst = 1, .read = 1e8, .block_read = 1e8, .dram_read = 1e8, .accesses = 3e6 };
    gpu_kernel_time(&p, &c, &small);
    c.read = c.block_read = c.dram_read = 4e8;
    gpu_kernel_time(&p, &c, &large);
    assert_true(large.ns > 3 * small.ns && large.limit == GPU_LIMIT_DRAM && large.of_peak > 0.5 && large.share == 1);
    c.work[DETAILS_WORK_FLOAT] = 1e9;
    gpu_kernel_time(&p, &c, &compute);
    assert_true(compute.ns > large.ns && compute.limit == GPU_LIMIT_ISSUE);
    c = (struct gpu_counts){ .blocks = 12, .warps = 8, .threads = 256, .worst = 1 };
    gpu_kernel_time(&p, &c, &small);
    assert_true(small.busy_sms == 12 && small.limit == GPU_LIMIT_START && small.ns == p.kernel_ns + 12 * p.block_ns);
    hw_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_is_read_and_says_where_numbers_come_from), cmocka_unit_test(curves_are_straight_between_points),
        cmocka_unit_test(broken_profiles_are_refused_with_a_line), cmocka_unit_test(more_work_takes_longer_and_what_limits_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
