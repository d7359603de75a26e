/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of up to some kilobytes that may meet memory which is not there. What would have to be set up for each in order to leave it
 * by a jump takes half as long as the copy: here the handler knows by the place of the instruction what to do. Forwards
 * with 32 bytes at a time, or 64, whatever the first-level cache can store at once: `rep movsb`, which C libraries take from 2 or 4 KiB
 * on, needs a quarter longer there (Zen 4) or a tenth (Emerald Rapids).
 */
#define _GNU_SOURCE
#include "exec/internal.h"

#include <ucontext.h>

#if defined(__has_feature)                       /* clang's way to say it */
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

#include <cpuid.h>

size_t exec_quick_max;
size_t exec_quick_wide = SIZE_MAX;

/* A processor that makes two halves of 64 bytes gains nothing by them. Those that do (Zen 4) say so in a leaf which others leave empty. */
static bool has_wide_paths(void)
{
    enum { LEAF_WIDTHS = 0x8000001a, WIDTH_256 = 1 << 2, WIDTH_512 = 1 << 3 };
    unsigned widths, b, c, d;
    if (!__get_cpuid(LEAF_WIDTHS, &widths, &b, &c, &d))
        widths = 0;
    return __builtin_cpu_supports("avx512f") && (widths & (WIDTH_256 | WIDTH_512)) != WIDTH_256;
}

__attribute__((constructor)) static void find_level(void)
{
    enum { WIDE_BYTES = 512 };
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2"))
        exec_quick_max = EXEC_QUICK_BYTES;
    if (has_wide_paths())
        exec_quick_wide = WIDE_BYTES;
}

/* rdi: to, rsi: from, rdx: bytes, none of them 0. The ranges are apart. No stack is used: the handler can go to the end from anywhere. */
__asm__(".text\n.p2align 6\n.globl exec_copy_quick\n.hidden exec_copy_quick\n.type exec_copy_quick, @function\n"
        "exec_copy_quick:\n.cfi_startproc\n"
        "leaq (%rsi,%rdx), %r8\n"                /* behind the last byte */
        "leaq (%rdi,%rdx), %r9\n"
        "cmpq $128, %rdx\n jb 4f\n"
        "cmpq exec_quick_wide(%rip), %rdx\n jae 11f\n"
        /* the first 32, the last 128, and what is between them in pieces of 128 to aligned addresses */
        "vmovdqu (%rsi), %ymm0\n"
        "movq %rdi, %rcx\n andq $-32, %rcx\n addq $32, %rcx\n"
        "subq %rdi, %rsi\n"                      /* from here on: relative to the destination */
        "leaq -128(%r9), %rax\n"
        "vmovdqu %ymm0, (%rdi)\n"
        "cmpq %rax, %rcx\n jae 2f\n"
        ".p2align 5\n"
        "1:\n"
        "vmovdqu (%rsi,%rcx), %ymm0\n vmovdqu 32(%rsi,%rcx), %ymm1\n"
        "vmovdqu 64(%rsi,%rcx), %ymm2\n vmovdqu 96(%rsi,%rcx), %ymm3\n"
        "vmovdqa %ymm0, (%rcx)\n vmovdqa %ymm1, 32(%rcx)\n vmovdqa %ymm2, 64(%rcx)\n vmovdqa %ymm3, 96(%rcx)\n"
        "subq $-128, %rcx\n"
        "cmpq %rax, %rcx\n jb 1b\n"
        "2:\n"
        "vmovdqu -128(%r8), %ymm0\n vmovdqu -96(%r8), %ymm1\n vmovdqu -64(%r8), %ymm2\n vmovdqu -32(%r8), %ymm3\n"
        "vmovdqu %ymm0, -128(%r9)\n vmovdqu %ymm1, -96(%r9)\n vmovdqu %ymm2, -64(%r9)\n vmovdqu %ymm3, -32(%r9)\n"
        "3: vzeroupper\n movl $1, %eax\n ret\n"
        /* fewer: the first half and the last, which overlap */
        ".p2align 5\n"
        "4: cmpl $64, %edx\n jb 5f\n"
        "vmovdqu (%rsi), %ymm0\n vmovdqu 32(%rsi), %ymm1\n vmovdqu -64(%r8), %ymm2\n vmovdqu -32(%r8), %ymm3\n"
        "vmovdqu %ymm0, (%rdi)\n vmovdqu %ymm1, 32(%rdi)\n vmovdqu %ymm2, -64(%r9)\n vmovdqu %ymm3, -32(%r9)\n jmp 3b\n"
        "5: cmpl $32, %edx\n jb 6f\n"
        "vmovdqu (%rsi), %ymm0\n vmovdqu -32(%r8), %ymm1\n vmovdqu %ymm0, (%rdi)\n vmovdqu %ymm1, -32(%r9)\n jmp 3b\n"
        "6: cmpl $16, %edx\n jb 7f\n"
        "vmovdqu (%rsi), %xmm0\n vmovdqu -16(%r8), %xmm1\n vmovdqu %xmm0, (%rdi)\n vmovdqu %xmm1, -16(%r9)\n jmp 3b\n"
        "7: cmpl $8, %edx\n jb 8f\n"
        "movq (%rsi), %rax\n movq -8(%r8), %rcx\n movq %rax, (%rdi)\n movq %rcx, -8(%r9)\n movl $1, %eax\n ret\n"
        "8: cmpl $4, %edx\n jb 9f\n"
        "movl (%rsi), %eax\n movl -4(%r8), %ecx\n movl %eax, (%rdi)\n movl %ecx, -4(%r9)\n movl $1, %eax\n ret\n"
        "9: movzbl (%rsi), %eax\n cmpl $1, %edx\n je 10f\n"
        "movzwl -2(%r8), %ecx\n movw %cx, -2(%r9)\n"
        "10: movb %al, (%rdi)\n movl $1, %eax\n ret\n"
        /* the same with 64 bytes: the first 64, the last 256, between them pieces of 256. These registers leave nothing to clear. */
        ".p2align 4\n"
        "11: vmovdqu64 (%rsi), %zmm16\n"
        "leaq 63(%rdi), %rcx\n andq $-64, %rcx\n"
        "subq %rdi, %rsi\n"
        "leaq -256(%r9), %rax\n"
        "vmovdqu64 %zmm16, (%rdi)\n"
        "cmpq %rax, %rcx\n jae 13f\n"
        ".p2align 6\n"
        "12:\n"
        "vmovdqu64 (%rsi,%rcx), %zmm16\n vmovdqu64 64(%rsi,%rcx), %zmm17\n"
        "vmovdqu64 128(%rsi,%rcx), %zmm18\n vmovdqu64 192(%rsi,%rcx), %zmm19\n"
        "vmovdqa64 %zmm16, (%rcx)\n vmovdqa64 %zmm17, 64(%rcx)\n vmovdqa64 %zmm18, 128(%rcx)\n vmovdqa64 %zmm19, 192(%rcx)\n"
        "addq $256, %rcx\n"
        "cmpq %rax, %rcx\n jb 12b\n"
        "13:\n"
        "vmovdqu64 -256(%r8), %zmm16\n vmovdqu64 -192(%r8), %zmm17\n vmovdqu64 -128(%r8), %zmm18\n vmovdqu64 -64(%r8), %zmm19\n"
        "vmovdqu64 %zmm16, -256(%r9)\n vmovdqu64 %zmm17, -192(%r9)\n vmovdqu64 %zmm18, -128(%r9)\n vmovdqu64 %zmm19, -64(%r9)\n"
        "movl $1, %eax\n ret\n"
        ".globl exec_copy_quick_fails\n.hidden exec_copy_quick_fails\n"
        "exec_copy_quick_fails: vzeroupper\n xorl %eax, %eax\n ret\n"
        ".cfi_endproc\n.size exec_copy_quick, . - exec_copy_quick\n");

extern const char exec_copy_quick_fails[] __attribute__((visibility("hidden")));

bool exec_quick_leave(void *context)
{
    greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uintptr_t begin = (uintptr_t)exec_copy_quick, end = (uintptr_t)exec_copy_quick_fails;
    if ((uintptr_t)*pc - begin >= end - begin)
        return false;
    *pc = (greg_t)end;
    return true;
}

#else

/* Elsewhere, and where a sanitizer wants to see what is touched, exec_copy_here() has to do. */
size_t exec_quick_max, exec_quick_wide;

bool exec_copy_quick(void *dst, const void *src, size_t bytes)
{
    (void)dst;
    (void)src;
    (void)bytes;
    return false;
}

bool exec_quick_leave(void *context)
{
    (void)context;
    return false;
}

#endif
