/* SPDX-License-Identifier: Apache-2.0 */
/* Copies past the caches: sizes and offsets of all kinds, nothing beside them, while the two ways are compared and after that. */
#include "base/os.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SPACE = 1 << 20, EDGE = 256 };

static unsigned char *from, *to;

static int make(void **state)
{
    (void)state;
    from = malloc(SPACE);
    to = malloc(SPACE);
    for (size_t i = 0; from && i < SPACE; i++)
        from[i] = (unsigned char)(i * 7 + (i >> 8) * 13 + (i >> 16));
    return !from || !to;
}

static int drop(void **state)
{
    (void)state;
    free(from);
    free(to);
    return 0;
}

static void check(size_t n, size_t src_at, size_t dst_at)
{
    memset(to, 0xee, n + dst_at + EDGE);
    hw_copy_stream(to + dst_at, from + src_at, n);
    bool same = memcmp(to + dst_at, from + src_at, n) == 0;
    for (size_t i = 0; i < dst_at; i++)
        same = same && to[i] == 0xee;
    for (size_t i = n + dst_at; i < n + dst_at + EDGE; i++)
        same = same && to[i] == 0xee;
    if (!same)
        fail_msg("%zu bytes from offset %zu to %zu", n, src_at, dst_at);
}

static void sizes_around_a_line_a_page_and_a_group_of_pages(void **state)
{
    static const size_t sizes[] = { 0, 64, 128, 4096, 32768, 65536, 131072, 163840, 524288 };
    (void)state;
    for (size_t i = 0; i < HW_LEN(sizes); i++)
        for (size_t more = 0; more < 200; more += 31) {
            check(sizes[i] + more, 0, 0);
            check(sizes[i] + more, more % 67, more % 65);
            if (sizes[i] > more)
                check(sizes[i] - more, 16, more % 64);
        }
}

/* Long after one way has won, some copies are still made in both. */
static void the_thousandth_is_like_the_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < 1000; i++)
        check(131072 + i % 7 * 4099, i * 5 % 127, i * 3 % 131);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_around_a_line_a_page_and_a_group_of_pages),
        cmocka_unit_test(the_thousandth_is_like_the_first),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
