/* SPDX-License-Identifier: Apache-2.0 */
/* Texels of compressed blocks, made by hand. All modes and partitions: tests/oracle/probes/bc_texels.cu. */
#include "exec/compressed.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static uint8_t block[16];

static void clear(void) { memset(block, 0, sizeof block); }

static void put(unsigned at, unsigned n, uint32_t v)
{
    for (unsigned i = 0; i < n; i++, at++)
        block[at / 8] = (uint8_t)((block[at / 8] & ~(1u << at % 8)) | (v >> i & 1) << at % 8);
}

static void is(enum exec_blocks kind, unsigned texel, uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
    uint32_t out[4] = { 0, 0, 0, 0 };
    blocks_texel(kind, block, texel % 4, texel / 4, out);
    assert_int_equal(out[0], r);
    assert_int_equal(out[1], g);
    assert_int_equal(out[2], b);
    assert_int_equal(out[3], a);
}

static void four_colours_or_three_and_nothing(void **state)
{
    (void)state;
    clear();
    put(0, 16, 0xf800 | 63 << 5);                /* yellow, blue */
    put(16, 16, 0x001f);
    put(32, 8, 0xe4);                            /* indices 0 1 2 3 */
    is(EXEC_BC1, 0, 255, 255, 0, 255);
    is(EXEC_BC1, 1, 0, 0, 255, 255);
    is(EXEC_BC1, 2, 170, 175, 85, 255);
    is(EXEC_BC1, 3, 85, 80, 170, 255);
    is(EXEC_BC1, 4, 255, 255, 0, 255);
    put(0, 16, 0x001f);
    put(16, 16, 0xf800 | 63 << 5);
    is(EXEC_BC1, 2, 127, 128, 127, 255);
    is(EXEC_BC1, 3, 0, 0, 0, 0);
}

static void alpha_of_four_bits_or_between_two_bytes(void **state)
{
    (void)state;
    clear();
    put(0, 8, 0xa1);
    put(64, 16, 0xffff);
    is(EXEC_BC2, 0, 255, 255, 255, 17);
    is(EXEC_BC2, 1, 255, 255, 255, 170);
    clear();
    put(0, 16, 255);                             /* 255, 0: seven steps */
    for (unsigned i = 0; i < 8; i++)
        put(16 + 3 * i, 3, i);
    static const uint32_t seven[8] = { 255, 0, 219, 183, 144, 111, 72, 36 };
    for (unsigned i = 0; i < 8; i++)
        is(EXEC_BC3, i, 0, 0, 0, seven[i]);
    put(0, 16, 255 << 8);                        /* 0, 255: five, and both ends */
    static const uint32_t five[8] = { 0, 255, 48, 96, 159, 207, 0, 255 };
    for (unsigned i = 0; i < 8; i++)
        is(EXEC_BC3, i, 0, 0, 0, five[i]);
}

static void one_channel_has_16_bits(void **state)
{
    (void)state;
    clear();
    put(0, 16, 60 | 94 << 8);
    for (unsigned i = 0; i < 8; i++)
        put(16 + 3 * i, 3, i);
    is(EXEC_BC4U, 0, 60 * 257, 0, 0, 0);
    is(EXEC_BC4U, 2, 17052, 0, 0, 0);
    is(EXEC_BC4U, 4, 20894, 0, 0, 0);
    is(EXEC_BC4U, 7, 65535, 0, 0, 0);
    put(0, 16, 0x81 | 0x80 << 8);                /* -127 and -128 are the same */
    is(EXEC_BC4S, 0, (uint32_t)-32767, 0, 0, 0);
    is(EXEC_BC4S, 1, (uint32_t)-32767, 0, 0, 0);
    is(EXEC_BC4S, 7, 32767, 0, 0, 0);
    memcpy(block + 8, block, 8);
    put(0, 16, 64 | 1 << 8);
    is(EXEC_BC5S, 0, 64 * 258 + 1, (uint32_t)-32767, 0, 0);
}

static void halves(void **state)
{
    (void)state;
    clear();
    put(0, 5, 3);                                /* ends of 10 bits, as they are */
    put(5, 10, 1023);
    put(15, 10, 511);
    put(25, 10, 512);
    put(68, 4, 15);                              /* texel 1; texel 0 has three bits */
    is(EXEC_BC6U, 0, 0x7bff, 0x3df0, 0x3e0f, 0);
    is(EXEC_BC6U, 1, 0, 0, 0, 0);
    is(EXEC_BC6S, 1, 0, 0, 0, 0);
    is(EXEC_BC6S, 0, 0x805d, 0x7bff, 0xfbff, 0);
    clear();
    put(0, 5, 15);                               /* ends of 16 bits: the upper ones stand the other way round */
    put(39, 1, 1);
    is(EXEC_BC6U, 0, 0x3e00, 0, 0, 0);
    clear();
    put(0, 5, 19);                               /* no such mode */
    put(5, 32, 0xffffffff);
    is(EXEC_BC6U, 0, 0, 0, 0, 0);
}

static void parts_have_their_own_ends(void **state)
{
    (void)state;
    clear();
    put(0, 2, 2);                                /* mode 1, the lower half is the second part */
    put(2, 6, 13);
    put(8, 12, 0xfff);                           /* red of the first */
    put(80, 1, 1);
    is(EXEC_BC7, 0, 255, 2, 2, 255);
    is(EXEC_BC7, 7, 255, 2, 2, 255);
    is(EXEC_BC7, 8, 0, 0, 0, 255);
    is(EXEC_BC7, 15, 0, 0, 0, 255);
    clear();
    is(EXEC_BC7, 3, 0, 0, 0, 0);                 /* no mode */
}

static void ends_share_sixteen_steps_and_channels_change_places(void **state)
{
    (void)state;
    clear();
    put(0, 7, 64);                               /* mode 6: red from 255 to 0 */
    put(7, 7, 127);
    put(63, 1, 1);
    put(68, 4, 15);
    put(72, 4, 8);
    is(EXEC_BC7, 0, 255, 1, 1, 1);
    is(EXEC_BC7, 1, 0, 0, 0, 0);
    is(EXEC_BC7, 2, 120, 0, 0, 0);
    clear();
    put(0, 6, 32);                               /* mode 5: alpha and green have changed places */
    put(6, 2, 2);
    put(8, 7, 127);
    put(50, 8, 200);
    is(EXEC_BC7, 0, 255, 200, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_colours_or_three_and_nothing), cmocka_unit_test(alpha_of_four_bits_or_between_two_bytes), cmocka_unit_test(one_channel_has_16_bits),
        cmocka_unit_test(halves), cmocka_unit_test(parts_have_their_own_ends), cmocka_unit_test(ends_share_sixteen_steps_and_channels_change_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
