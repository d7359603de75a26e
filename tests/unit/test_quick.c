/* SPDX-License-Identifier: Apache-2.0 */
/* Small copies without a guard around them: every size and offset, nothing beside it, and memory that is not there. */
#define _GNU_SOURCE
#define __CUDA_API_VERSION_INTERNAL
#include "driver/api.h"
#include "exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, PAGES = 6, SPACE = EXEC_QUICK_BYTES + 512 };

static unsigned char from[SPACE], to[SPACE], want[SPACE];

static void copy_and_compare(size_t n, size_t src_at, size_t dst_at)
{
    memset(to, 0xee, sizeof to);
    memset(want, 0xee, sizeof want);
    memcpy(want + dst_at, from + src_at, n);
    assert_true(exec_copy_quick(to + dst_at, from + src_at, n));
    if (memcmp(to, want, sizeof to) != 0)
        fail_msg("%zu bytes from offset %zu to %zu", n, src_at, dst_at);
}

/* Where there are vectors of 64 bytes, those of 32 are for others: once as it is, and once with them. */
static void in_both_ways(void (*test)(void))
{
    size_t wide = exec_quick_wide;
    if (!exec_quick_max)
        skip();
    test();
    exec_quick_wide = SIZE_MAX;
    test();
    exec_quick_wide = wide;
}

static void sizes_and_offsets(void)
{
    static const size_t sizes[] = { 511, 512, 513, 575, 576, 577, 767, 768, 769, 1023, 1024, 4000, 4096, 4097, 8191,
                                    EXEC_QUICK_BYTES - 1, EXEC_QUICK_BYTES };
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 + (i >> 8));
    for (size_t n = 1; n <= 300; n++) {
        copy_and_compare(n, 0, 0);
        copy_and_compare(n, n % 67, n % 33);
        copy_and_compare(n, n % 3, n % 65);
    }
    for (size_t i = 0; i < HW_LEN(sizes); i++)
        for (size_t at = 0; at < 70; at += 3) {
            copy_and_compare(sizes[i], at, 0);
            copy_and_compare(sizes[i], 5, at);
        }
}

static void every_size_and_offset_moves_its_bytes_and_no_others(void **state)
{
    (void)state;
    in_both_ways(sizes_and_offsets);
}

/* The last page of what it answers is not there. */
static char *torn(void)
{
    char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    memset(p, 7, PAGES * PAGE);
    assert_int_equal(munmap(p + (PAGES - 1) * PAGE, PAGE), 0);
    return p;
}

static void gaps(void)
{
    static const size_t sizes[] = { 1, 3, 5, 12, 20, 40, 100, 200, 3000, PAGE };
    char *p = torn(), *gap = p + (PAGES - 1) * PAGE;
    for (size_t i = 0; i < HW_LEN(sizes); i++) {
        size_t n = sizes[i];
        assert_true(exec_copy_quick(to, gap - n, n));
        assert_false(exec_copy_quick(to, gap - n + 1, n));
        assert_false(exec_copy_quick(to, gap + 1, n));
        assert_true(exec_copy_quick(gap - n, from, n));
        assert_false(exec_copy_quick(gap - n + 1, from, n));
        assert_false(exec_copy_quick((void *)((uintptr_t)1 << 62), from, n));
    }
    munmap(p, (PAGES - 1) * PAGE);
}

static void memory_that_is_not_there_is_an_answer(void **state)
{
    (void)state;
    exec_fault_keep();
    in_both_ways(gaps);
}

/* In a process of its own: the context is broken afterwards. */
static int child(void)
{
    CUcontext ctx;
    CUdeviceptr d;
    char *p = torn(), *gap = p + (PAGES - 1) * PAGE;
    if (!freopen("/dev/null", "w", stderr) || cuInit(0) || cuCtxCreate_v2(&ctx, 0, 0) || cuMemAlloc_v2(&d, PAGE))
        return 1;
    for (int i = 0; i < 3; i++)
        if (cuMemcpyHtoD_v2(d, gap - 100, 100))
            return 2;
    if (cuMemcpyHtoD_v2(d, gap - 100, 101) != CUDA_ERROR_ILLEGAL_ADDRESS)
        return 3;
    if (cuMemcpyHtoD_v2(d, gap - 100, 100) != CUDA_ERROR_ILLEGAL_ADDRESS)
        return 4;
    return cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS ? 0 : 5;
}

static void it_breaks_the_context(void **state)
{
    int status = 0;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "test_quick", "child", (char *)NULL);
        _exit(99);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return child();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_and_offset_moves_its_bytes_and_no_others),
        cmocka_unit_test(memory_that_is_not_there_is_an_answer),
        cmocka_unit_test(it_breaks_the_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
