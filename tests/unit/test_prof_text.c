/* SPDX-License-Identifier: Apache-2.0 */
/* Times and sizes of `hostwarp prof`, as nvprof writes them. */
#include "cli/prof_text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Most rows are from tables that nvprof printed: eight characters where they are not whole nanoseconds. */
static void times_have_nvprofs_units(void **state)
{
    static const struct { double ns; const char *text; } rows[] = {
        { 5768800, "5.7688ms" }, { 291240000, "291.24ms" }, { 151390000, "151.39ms" }, { 12009000, "12.009ms" }, { 6004300, "6.0043ms" },
        { 2215400, "2.2154ms" }, { 6672, "6.6720us" },      { 222, "222ns" },          { 277550, "277.55us" },   { 506960, "506.96us" },
        { 65838, "65.838us" },   { 18748, "18.748us" },     { 3879, "3.8790us" },      { 484, "484ns" },         { 1790, "1.7900us" },
        { 0, "0ns" },            { 1, "1ns" },              { 999, "999ns" },          { 1000, "1.0000us" },     { 999999, "1000.0us" },
        { 1000000, "1.0000ms" }, { 1e9, "1.00000s" },       { 1156400000, "1.15640s" }, { 12345678901, "12.3457s" },
    };
    char out[32];
    (void)state;
    for (size_t i = 0; i < HW_LEN(rows); i++)
        assert_string_equal(prof_time_text(rows[i].ns, out), rows[i].text);
}

static void sizes_have_five_digits(void **state)
{
    static const struct { double bytes; const char *text; } rows[] = {
        { 0, "0B" }, { 17, "17B" }, { 1023, "1023B" }, { 1024, "1.0000KB" }, { 16 << 20, "16.000MB" }, { 262144, "256.00KB" }, { 1u << 30, "1.0000GB" },
    };
    char out[32];
    (void)state;
    for (size_t i = 0; i < HW_LEN(rows); i++)
        assert_string_equal(prof_bytes_text(rows[i].bytes, "", out), rows[i].text);
    assert_string_equal(prof_bytes_text(2.5 * (1 << 30), "/s", out), "2.5000GB/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(times_have_nvprofs_units), cmocka_unit_test(sizes_have_five_digits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
