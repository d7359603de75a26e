/* SPDX-License-Identifier: Apache-2.0 */
/* One record for a row of lanes says what cells of their own would say: who comes in order goes on, whoever does not is sent to the cells, which then know each lane. */
#include "check/race_strips.h"

#include "check/race_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define BLOCK ((uint64_t)7 << KEY_BLOCK)
static const struct key_range grid = { (uint64_t)4 << KEY_BLOCK, (uint64_t)16 << KEY_BLOCK };
static struct shadow_strip strip;
static uint64_t writes[16], reads[16];
static uint32_t write_info[16], read_info[16];
static const struct shadow_cells cells = { writes, reads, write_info, read_info };

static int begin(void **state)
{
    (void)state;
    memset(&strip, 0, sizeof strip);
    memset(writes, 0, sizeof writes);
    memset(reads, 0, sizeof reads);
    return 0;
}

static struct strip_row row(bool write, uint64_t block, unsigned epoch, unsigned thread, uint16_t mask)
{
    return (struct strip_row){ .mine = block | (uint64_t)epoch << KEY_EPOCH | thread, .info = 3, .mask = mask, .tag = 9, .writes = write, .range = grid };
}

static bool visit(struct strip_row r) { return strip_visit(&strip, &r); }

static void lanes_may_come_back_to_their_own(void **state)
{
    (void)state;
    assert_true(visit(row(false, BLOCK, 0, 32, 0xffff)));
    assert_true(visit(row(true, BLOCK, 0, 32, 0xffff)));
    assert_true(visit(row(false, BLOCK, 0, 36, 0x00f0)));        /* some of them: lane 4 is at word 4 */
    assert_true(visit(row(true, BLOCK, 0, 32, 0xffff)));
}

static void the_neighbours_word_is_another_matter(void **state)
{
    (void)state;
    assert_true(visit(row(true, BLOCK, 0, 32, 0xffff)));
    assert_false(visit(row(false, BLOCK, 0, 32, 0xfffe)));       /* lane 0 reads word 1 */
}

static void a_barrier_makes_order_within_a_block(void **state)
{
    (void)state;
    assert_true(visit(row(true, BLOCK, 0, 32, 0xffff)));
    assert_false(visit(row(false, BLOCK, 0, 64, 0xffff)));
    begin(state);
    assert_true(visit(row(true, BLOCK, 0, 32, 0xffff)));
    assert_true(visit(row(false, BLOCK, 1, 64, 0xffff)));
    assert_false(visit(row(true, BLOCK + ((uint64_t)1 << KEY_BLOCK), 2, 64, 0xffff)));
}

static void what_another_grid_did_is_over(void **state)
{
    (void)state;
    assert_true(visit(row(true, (uint64_t)3 << KEY_BLOCK, 0, 0, 0xffff)));
    assert_true(visit(row(false, BLOCK, 0, 64, 0xffff)));
}

static void readers_of_several_warps_and_blocks_are_remembered(void **state)
{
    (void)state;
    assert_true(visit(row(false, BLOCK, 0, 0, 0xffff)));
    assert_true(visit(row(false, BLOCK, 0, 32, 0xffff)));
    assert_int_equal(key_state(strip.read), KEY_WARPS);
    assert_true(visit(row(false, BLOCK, 0, 64, 0xffff)));
    assert_false(visit(row(false, BLOCK + ((uint64_t)4 << KEY_BLOCK), 0, 0, 0xffff)));   /* the same block, as it may have been called later */
    assert_true(visit(row(false, BLOCK - ((uint64_t)1 << KEY_BLOCK), 0, 0, 0xffff)));
    assert_int_equal(key_state(strip.read), KEY_BLOCKS);
    assert_false(visit(row(true, BLOCK, 1, 0, 0xffff)));         /* no barrier is between blocks */
}

static void cells_get_what_the_row_had(void **state)
{
    (void)state;
    const uint16_t values[] = { 11, 12, 13, 14 };
    struct strip_row r = row(true, BLOCK, 0, 40, 0x00f0);
    r.info |= INFO_VALUED;
    r.values = values;
    assert_true(visit(r));
    assert_true(visit(row(false, BLOCK, 0, 40, 0x00f0)));
    strip_spread(&strip, 9, grid, false, &cells, 2);
    for (unsigned k = 0; k < 16; k++) {
        bool mine = k >= 4 && k < 8;
        assert_int_equal(writes[k], mine ? BLOCK | (40 + k - 4) : 0);
        assert_int_equal(reads[k], mine ? BLOCK | (40 + k - 4) : 0);
        if (mine)
            assert_int_equal(write_info[k], 3 | INFO_VALUED | (uint32_t)values[k - 4] << INFO_VALUE);
    }
    assert_false(visit(row(false, BLOCK, 0, 40, 0x00f0)));       /* they are in use from now on */
    r.tag = 10;
    assert_true(visit(r));                                       /* by this grid, not by the next */
}

static void a_lane_of_two_words_has_both(void **state)
{
    (void)state;
    struct strip_row r = row(true, BLOCK, 0, 0, 0xffff);
    r.info |= 1 << STRIP_SHIFT;
    assert_true(visit(r));
    strip_spread(&strip, 9, grid, true, &cells, 2);
    for (unsigned k = 0; k < 16; k++)
        assert_int_equal(key_thread(writes[k]), k / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lanes_may_come_back_to_their_own, begin), cmocka_unit_test_setup(the_neighbours_word_is_another_matter, begin),
        cmocka_unit_test_setup(a_barrier_makes_order_within_a_block, begin), cmocka_unit_test_setup(what_another_grid_did_is_over, begin),
        cmocka_unit_test_setup(readers_of_several_warps_and_blocks_are_remembered, begin), cmocka_unit_test_setup(cells_get_what_the_row_had, begin),
        cmocka_unit_test_setup(a_lane_of_two_words_has_both, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
