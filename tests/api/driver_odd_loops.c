/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that are entered at two and three blocks (irreducible), and whose end only some iterations come to: results, barriers inside, and waiting in them for threads of
   the same warp and for other blocks. */
#include "driver_check.h"

#include <stdbool.h>

enum { THREADS = 64, BLOCKS = 4 };

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#define REGS "\t.reg .pred %p<9>;\n\t.reg .b32 %r<12>;\n\t.reg .b64 %q<6>;\n"
/* q1: the word that is waited for; q3: this thread's result; r1: the thread */
#define BEGIN                                                                                                            \
    "\tld.param.u64 %q1, [flag];\n\tld.param.u64 %q2, [out];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %ctaid.x;\n"        \
    "\tmov.u32 %r3, %ntid.x;\n\tmad.lo.u32 %r4, %r2, %r3, %r1;\n\tmul.wide.u32 %q3, %r4, 4;\n\tadd.u64 %q3, %q2, %q3;\n"  \
    "\tand.b32 %r5, %r1, 1;\n\tsetp.eq.u32 %p1, %r5, 0;\n\tmov.u32 %r6, 0;\n"

static const char text[] =
    HEAD
    /* The last thread of each block sets the flag; the others wait, in rounds that even and odd ones enter and take differently. */
    ".visible .entry waits(.param .u64 flag, .param .u64 out)\n{\n" REGS BEGIN
    "\tsetp.eq.u32 %p2, %r1, 63;\n\t@%p2 bra SET;\n\t@%p1 bra TWO;\n"
    "ONE:\tadd.u32 %r6, %r6, 1;\n"
    "TWO:\tld.volatile.global.u32 %r7, [%q1];\n\tsetp.ne.u32 %p3, %r7, 0;\n\t@%p3 bra END;\n\t@%p1 bra TWO;\n\tbra ONE;\n"
    "SET:\tmov.u32 %r7, 1;\n\tst.volatile.global.u32 [%q1], %r7;\n"
    "END:\tst.global.u32 [%q3], %r7;\n\tret;\n}\n"
    /* Block 0 waits for the last one. */
    ".visible .entry waits_for_a_block(.param .u64 flag, .param .u64 out)\n{\n" REGS BEGIN
    "\tsetp.ne.u32 %p2, %r2, 0;\n\t@%p2 bra SET;\n\t@%p1 bra TWO;\n"
    "ONE:\tadd.u32 %r6, %r6, 1;\n"
    "TWO:\tld.volatile.global.u32 %r7, [%q1];\n\tsetp.ge.u32 %p3, %r7, 3;\n\t@%p3 bra END;\n\t@%p1 bra TWO;\n\tbra ONE;\n"
    "SET:\tmov.u32 %r7, 3;\n\tsetp.ne.u32 %p2, %r2, 3;\n\t@%p2 bra END;\n\tst.volatile.global.u32 [%q1], %r7;\n"
    "END:\tst.global.u32 [%q3], %r7;\n\tret;\n}\n"
    /* for (;;) { if (*flag == 0) continue; if (three is three) break; }: what ends the loop depends on nothing; that it is come to does. */
    ".visible .entry continues(.param .u64 flag, .param .u64 out)\n{\n" REGS BEGIN
    "\tld.param.u64 %q4, [out];\n\tcvt.u32.u64 %r8, %q4;\n\tand.b32 %r8, %r8, 3;\n\tsetp.eq.u32 %p2, %r1, 63;\n\t@%p2 bra SET;\n"
    "HEAD:\tld.volatile.global.u32 %r7, [%q1];\n\tsetp.eq.u32 %p3, %r7, 0;\n\t@%p3 bra HEAD2;\n\tsetp.eq.u32 %p4, %r8, 0;\n\t@%p4 bra END;\n\tadd.u32 %r6, %r6, 2;\n"
    "HEAD2:\tadd.u32 %r6, %r6, 1;\n\tbra HEAD;\n"
    "SET:\tmov.u32 %r7, 1;\n\tst.volatile.global.u32 [%q1], %r7;\n"
    "END:\tst.global.u32 [%q3], %r7;\n\tret;\n}\n"
    /* Three entries, by the thread's number; twenty rounds, the sum of what was passed. */
    ".visible .entry three(.param .u64 flag, .param .u64 out)\n{\n" REGS BEGIN
    "\tmov.u32 %r8, 0;\n\trem.u32 %r9, %r1, 3;\n\tsetp.eq.u32 %p2, %r9, 1;\n\tsetp.eq.u32 %p3, %r9, 2;\n\t@%p2 bra TWO;\n\t@%p3 bra THREE;\n"
    "ONE:\tadd.u32 %r6, %r6, 1;\n"
    "TWO:\tadd.u32 %r6, %r6, 100;\n"
    "THREE:\tadd.u32 %r6, %r6, 10000;\n\tadd.u32 %r8, %r8, 1;\n\tsetp.ge.u32 %p4, %r8, 20;\n\t@%p4 bra END;\n"
    "\tadd.u32 %r10, %r8, %r1;\n\trem.u32 %r10, %r10, 3;\n\tsetp.eq.u32 %p5, %r10, 0;\n\t@%p5 bra ONE;\n\tsetp.eq.u32 %p6, %r10, 1;\n\t@%p6 bra TWO;\n\tbra THREE;\n"
    "END:\tst.global.u32 [%q3], %r6;\n\tret;\n}\n"
    /* Block-wide, inside a natural loop: the block's number says where the inner loop is entered, and there is a barrier in it. */
    ".visible .entry barrier(.param .u64 flag, .param .u64 out)\n{\n" REGS "\t.shared .u32 s[64];\n" BEGIN
    "\tand.b32 %r5, %r2, 1;\n\tsetp.eq.u32 %p1, %r5, 0;\n\tmov.u32 %r8, 0;\n\tshl.b32 %r9, %r1, 2;\n\tmov.u32 %r10, s;\n\tadd.u32 %r9, %r9, %r10;\n"
    "\tmov.u32 %r11, 63;\n\tsub.u32 %r11, %r11, %r1;\n\tshl.b32 %r11, %r11, 2;\n\tadd.u32 %r10, %r10, %r11;\n"
    "OUTER:\tmov.u32 %r7, 0;\n\t@%p1 bra TWO;\n"
    "ONE:\tadd.u32 %r6, %r6, 1;\n"
    "TWO:\tadd.u32 %r5, %r6, %r1;\n\tst.shared.u32 [%r9], %r5;\n\tbar.sync 0;\n\tld.shared.u32 %r5, [%r10];\n\tbar.sync 0;\n\tadd.u32 %r6, %r6, %r5;\n"
    "\tadd.u32 %r7, %r7, 1;\n\tand.b32 %r5, %r7, 1;\n\tsetp.eq.u32 %p2, %r5, 0;\n\tsetp.ge.u32 %p3, %r7, 5;\n\t@%p3 bra NEXT;\n\t@%p2 bra TWO;\n\tbra ONE;\n"
    "NEXT:\tadd.u32 %r8, %r8, 1;\n\tsetp.lt.u32 %p4, %r8, 3;\n\t@%p4 bra OUTER;\n\tst.global.u32 [%q3], %r6;\n\tret;\n}\n";

static CUmodule module;
static CUdeviceptr flag, out;
static unsigned got[BLOCKS * THREADS];

static void launch(const char *name)
{
    CUfunction f;
    void *args[] = { &flag, &out };
    NEED(cuMemsetD32(flag, 0, 1));
    NEED(cuMemsetD32(out, 0, BLOCKS * THREADS));
    NEED(cuModuleGetFunction(&f, module, name));
    NEED(cuLaunchKernel(f, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL));
    NEED(cuCtxSynchronize());
    NEED(cuMemcpyDtoH(got, out, sizeof got));
}

static unsigned three(unsigned t)
{
    unsigned sum = 0, round = 0;
    for (unsigned at = t % 3;; at = (round + t) % 3) {
        sum += at == 0 ? 10101 : at == 1 ? 10100 : 10000;
        if (++round == 20)
            return sum;
    }
}

static void barrier(unsigned block, unsigned sum[THREADS])
{
    unsigned s[THREADS];
    memset(sum, 0, THREADS * sizeof *sum);
    for (int outer = 0; outer < 3; outer++)
        for (unsigned round = 0; round < 5; round++) {
            bool one = round == 0 ? block & 1 : round & 1;
            for (unsigned t = 0; t < THREADS; t++)
                s[t] = (sum[t] += one) + t;
            for (unsigned t = 0; t < THREADS; t++)
                sum[t] += s[63 - t];
        }
}

int main(void)
{
    bool same = true;
    unsigned want[THREADS];
    check_start();
    NEED(cuMemAlloc(&flag, 4));
    NEED(cuMemAlloc(&out, sizeof got));
    NEED(cuModuleLoadData(&module, text));

    launch("three");
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        same &= got[i] == three(i % THREADS);
    check_true("a loop with three entries", same);

    launch("barrier");
    same = true;
    for (unsigned b = 0; b < BLOCKS; b++) {
        barrier(b, want);
        same &= memcmp(want, got + b * THREADS, sizeof want) == 0;
    }
    check_true("barriers in a loop with two entries, inside another loop", same);

    launch("waits");
    same = true;
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        same &= got[i] == 1;
    check_true("threads that wait in a loop with two entries let those of their warp go on", same);

    launch("continues");
    same = true;
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        same &= got[i] == 1;
    check_true("threads that wait to come to a loop's end let those of their warp go on", same);

    launch("waits_for_a_block");
    same = true;
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        same &= got[i] == 3;
    check_true("blocks that wait in a loop with two entries let others go on", same);
    return n_failed != 0;
}
