/* SPDX-License-Identifier: Apache-2.0 */
/* HOSTWARP_VERIFY's judge: two kernels written by hand, one in the reference's place, one in the vector code's; and the comparison of words. */
#include "core_kernels.h"

#include "core/verify/verify_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct rig rig;
static struct verify_result *result;
static uint32_t *device;
enum { WORDS = 4096 };

static int setup(void **state)
{
    CUdeviceptr p;
    (void)state;
    setenv("HOSTWARP_MEMORY", "256M", 1);
    setenv("HOSTWARP_VERIFY_LIMIT", "1", 1);
    rig_init(&rig);
    result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    mem_alloc(rig.ctx, WORDS * sizeof *device, &p);
    device = (uint32_t *)(uintptr_t)p;
    return result == MAP_FAILED;
}

static int teardown(void **state)
{
    (void)state;
    return ctx_destroy(rig.handle) == CUDA_SUCCESS ? 0 : -1;
}

/* --- kernels: (p, v) --- */

static int32_t k_third(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)b, (void)frame;
    PARAM(l, 0, uint32_t *)[3] = 0x01020304;
    return KABI_ALL_DONE;
}
static int32_t k_third_wrong(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)b, (void)frame;
    PARAM(l, 0, uint32_t *)[3] = 0x01020305;
    return KABI_ALL_DONE;
}
static int32_t k_nothing(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)l, (void)b, (void)frame;
    return KABI_ALL_DONE;
}
static int32_t k_last_block(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame;
    *PARAM(l, 0, uint32_t *) = b->ctaid[0];
    return KABI_ALL_DONE;
}
static int32_t k_some_block(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame, (void)b;
    *PARAM(l, 0, uint32_t *) = 3;
    return KABI_ALL_DONE;
}
static int32_t k_keeps_heap(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame;
    char *p = l->services->malloc_(b, 100);
    memset(p, 7, 100);
    PARAM(l, 0, void **)[0] = p;
    return KABI_ALL_DONE;
}

static void judge(kabi_region_fn *reference, kabi_region_fn *vector, uint32_t blocks, unsigned traits, void *p)
{
    kabi_region_fn *const fns[2][1] = { { reference }, { vector } };
    struct kabi_kernel k[2];
    for (int i = 0; i < 2; i++)
        k[i] = (struct kabi_kernel){ .name = "kernel", .n_regions = 1, .regions = fns[i], .n_warps = 1, .alone = true };
    struct { void *p; int v, w; } params = { p, 1, 2 };
    struct exec_launch l = { .kernel = &k[1], .heap = rig.ctx->heap, .printf_buf = rig.ctx->printf_buf,
                             .kl = { .params = &params, .ntid = { 1, 1, 1 }, .nctaid = { blocks, 1, 1 } } };
    struct verify v = { .reference = &k[0], .name = "kernel", .traits = traits };
    memset(result, 0, sizeof *result);
    exec_launch_init(&l, false);
    pid_t pid = fork();
    if (pid == 0)
        verify_judge(&l, &v, result);
    assert_true(pid > 0 && waitpid(pid, NULL, 0) == pid);
}

static void the_same_is_the_same_and_leaves_no_trace(void **state)
{
    (void)state;
    memset(device, 0, WORDS * sizeof *device);
    judge(k_third, k_third, 1, 0, device);
    assert_int_equal(result->outcome, VERIFY_SAME);
    assert_int_equal(device[3], 0);
}

static void a_wrong_byte_is_found(void **state)
{
    (void)state;
    device[2] = device[3] = 9;
    judge(k_third, k_third_wrong, 1, VERIFY_ATOMICS, device);
    assert_int_equal(result->outcome, VERIFY_DIFFERENT);
    assert_int_equal(result->bytes, 1);
    assert_int_equal(result->excused, 0);
    assert_int_equal(result->first.addr, (uintptr_t)&device[2]);
    assert_int_equal(result->first.before >> 32, 9);
    assert_int_equal(result->first.reference >> 32, 0x01020304);
    assert_int_equal(result->first.vector >> 32, 0x01020305);
}

static void what_only_one_of_them_writes_is_found(void **state)
{
    (void)state;
    device[3] = 0;
    judge(k_third, k_nothing, 1, 0, device);
    assert_int_equal(result->outcome, VERIFY_DIFFERENT);
    assert_int_equal(result->bytes, 4);
    judge(k_nothing, k_third, 1, 0, device);
    assert_int_equal(result->outcome, VERIFY_DIFFERENT);
    assert_int_equal(result->first.vector >> 32, 0x01020304);
}

static void faults_are_compared(void **state)
{
    (void)state;
    judge(k_nothing, k_write, 1, 0, (void *)64);
    assert_int_equal(result->outcome, VERIFY_DIFFERENT);
    assert_true(result->by_fault);
    assert_int_equal(result->reference.fault, EXEC_OK);
    assert_int_equal(result->vector.fault, EXEC_FAULT_ADDRESS);
    judge(k_write, k_write, 1, 0, (void *)64);
    assert_int_equal(result->outcome, VERIFY_SAME);
    judge(k_write, k_assert, 1, 0, (void *)64);
    assert_true(result->outcome == VERIFY_DIFFERENT && result->by_fault);
}

static void what_another_order_changes_is_excused(void **state)
{
    (void)state;
    device[0] = 100;
    judge(k_last_block, k_some_block, 8, 0, device);
    assert_int_equal(result->outcome, VERIFY_ORDER);
    judge(k_last_block, k_third, 8, 0, device);      /* another word: no excuse */
    assert_int_equal(result->outcome, VERIFY_DIFFERENT);
    assert_int_equal(result->first.addr, (uintptr_t)&device[2]);
    judge(k_last_block, k_third, 8, VERIFY_ATOMICS, device);         /* nor in a kernel with atomics, when most is not excused */
    assert_int_equal(result->outcome, VERIFY_DIFFERENT);
}

static void printed_text_is_compared(void **state)
{
    (void)state;
    judge(k_print, k_print, 3, 0, device);
    assert_int_equal(result->outcome, VERIFY_SAME);
    assert_int_equal(result->reference.texts, 3);
    device[0] = 7;                                   /* what k_print stores */
    judge(k_print, k_nothing, 1, 0, device);
    assert_true(result->outcome == VERIFY_DIFFERENT && result->by_text);
}

static void the_heap_stays_as_it_was(void **state)
{
    uint64_t base, before, after;
    (void)state;
    exec_heap_range(rig.ctx->heap, &base, &before);
    judge(k_keeps_heap, k_keeps_heap, 1, VERIFY_MALLOC, device);
    assert_int_equal(result->outcome, VERIFY_SAME);
    exec_heap_range(rig.ctx->heap, &base, &after);
    assert_int_equal(before, after);
}

static void memory_that_others_see_is_not_touched(void **state)
{
    (void)state;
    uint32_t *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(mem_host_register(rig.ctx, p, 8192, 0), CUDA_SUCCESS);
    judge(k_third, k_third_wrong, 1, 0, p);
    assert_int_equal(p[3], 0);
    assert_int_equal(result->outcome, VERIFY_DIFFERENT);
    assert_int_equal(result->first.addr, (uintptr_t)&p[2]);
    assert_int_equal(mem_host_unregister(p), CUDA_SUCCESS);
    munmap(p, 8192);
}

static void what_never_ends_is_not_verified(void **state)
{
    (void)state;
    device[0] = 0;
    judge(k_spin, k_spin, 1, 0, device);
    assert_int_equal(result->outcome, VERIFY_NOT);
}

static void words_are_compared(void **state)
{
    struct verify_difference d = { 0 };
    const void *const none[VERIFY_OTHERS] = { NULL };
    uint32_t a[5] = { 1, 2, 3, 4, 5 }, b[5] = { 1, 2, 3, 4, 6 }, c[5] = { 1, 2, 3, 9, 5 };
    float x[2] = { 1000.0f, 2.0f }, y[2] = { 1000.01f, 2.0f }, z[2] = { 1001.0f, 2.0f };
    (void)state;
    verify_words(0x1000, a, b, none, sizeof a, 0, &d);
    assert_int_equal(d.bytes, 1);
    assert_int_equal(d.first.addr, 0x1010);
    d = (struct verify_difference){ 0 };
    verify_words(0x1000, a, b, (const void *const[VERIFY_OTHERS]){ c }, sizeof a, 0, &d);      /* the other order differs elsewhere */
    assert_int_equal(d.bytes - d.excused, 1);
    d = (struct verify_difference){ 0 };
    verify_words(0x1000, a, b, (const void *const[VERIFY_OTHERS]){ c, b }, sizeof a, 0, &d);
    assert_int_equal(d.bytes - d.excused, 0);
    for (int floats = 0; floats < 2; floats++) {
        d = (struct verify_difference){ 0 };
        verify_words(0, x, y, none, sizeof x, floats ? VERIFY_FLOAT_SUMS : 0, &d);
        assert_int_equal(d.bytes == d.excused, floats);
    }
    d = (struct verify_difference){ 0 };
    verify_words(0, x, z, none, sizeof x, VERIFY_FLOAT_SUMS, &d);
    assert_int_equal(d.excused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_is_the_same_and_leaves_no_trace), cmocka_unit_test(a_wrong_byte_is_found),
        cmocka_unit_test(what_only_one_of_them_writes_is_found), cmocka_unit_test(faults_are_compared),
        cmocka_unit_test(what_another_order_changes_is_excused), cmocka_unit_test(printed_text_is_compared),
        cmocka_unit_test(the_heap_stays_as_it_was), cmocka_unit_test(memory_that_others_see_is_not_touched),
        cmocka_unit_test(what_never_ends_is_not_verified), cmocka_unit_test(words_are_compared),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
