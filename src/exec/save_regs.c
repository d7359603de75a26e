/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries to the address services that save every register themselves. An ordinary call would have the compiler keep all
 * vectors in memory around a guard that is hardly ever taken; measured on a convolution, that cost a factor of 2.5.
 */
#include "exec/internal.h"

#if defined(__x86_64__)

/* Which vector registers there are: 0 xmm, 1 ymm, 2 zmm and masks. */
int exec_saving_level __attribute__((visibility("hidden")));

__attribute__((constructor)) static void find_level(void)
{
    __builtin_cpu_init();
    exec_saving_level = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") ? 2 : __builtin_cpu_supports("avx") ? 1 : 0;
}

#define EACH_16(move) move(0) move(1) move(2) move(3) move(4) move(5) move(6) move(7) move(8) move(9) move(10) move(11) move(12) move(13) move(14) move(15)
#define EACH_32(move) EACH_16(move) move(16) move(17) move(18) move(19) move(20) move(21) move(22) move(23) move(24) move(25) move(26) move(27) \
    move(28) move(29) move(30) move(31)
#define EACH_MASK(move) move(0) move(1) move(2) move(3) move(4) move(5) move(6) move(7)

#define XMM_OUT(n) "movaps %xmm" #n ", 16*" #n "(%rsp)\n"
#define XMM_IN(n) "movaps 16*" #n "(%rsp), %xmm" #n "\n"
#define YMM_OUT(n) "vmovaps %ymm" #n ", 32*" #n "(%rsp)\n"
#define YMM_IN(n) "vmovaps 32*" #n "(%rsp), %ymm" #n "\n"
#define ZMM_OUT(n) "vmovaps %zmm" #n ", 64*" #n "(%rsp)\n"
#define ZMM_IN(n) "vmovaps 64*" #n "(%rsp), %zmm" #n "\n"
#define MASK_OUT(n) "kmovq %k" #n ", 2048+8*" #n "(%rsp)\n"
#define MASK_IN(n) "kmovq 2048+8*" #n "(%rsp), %k" #n "\n"

#define AROUND(out, bytes, target, in) "subq $" #bytes ", %rsp\n andq $-64, %rsp\n" out "call " #target "@PLT\n" in

#define SAVING_ENTRY(name, target) \
    __asm__(".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n" \
            ".cfi_startproc\n" \
            "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n" \
            "pushq %rax\n pushq %rcx\n pushq %rdx\n pushq %rsi\n pushq %rdi\n pushq %r8\n pushq %r9\n pushq %r10\n pushq %r11\n" \
            "cmpl $1, exec_saving_level(%rip)\n je 1f\n ja 2f\n" \
            AROUND(EACH_16(XMM_OUT), 256, target, EACH_16(XMM_IN)) "jmp 3f\n" \
            "1:\n" AROUND(EACH_16(YMM_OUT) "vzeroupper\n", 512, target, EACH_16(YMM_IN)) "jmp 3f\n" \
            "2:\n" AROUND(EACH_32(ZMM_OUT) EACH_MASK(MASK_OUT) "vzeroupper\n", 2112, target, EACH_32(ZMM_IN) EACH_MASK(MASK_IN)) \
            "3:\n leaq -72(%rbp), %rsp\n" \
            "popq %r11\n popq %r10\n popq %r9\n popq %r8\n popq %rdi\n popq %rsi\n popq %rdx\n popq %rcx\n popq %rax\n popq %rbp\n" \
            ".cfi_def_cfa %rsp, 8\n ret\n.cfi_endproc\n.size " #name ", . - " #name "\n");

SAVING_ENTRY(exec_access_saving, exec_access)
SAVING_ENTRY(exec_access_lanes_saving, exec_access_lanes)
SAVING_ENTRY(exec_access_row_saving, exec_access_row)
SAVING_ENTRY(exec_access_indexed_saving, exec_access_indexed)

#else

void exec_access_saving(struct kabi_block *block, uint64_t addr, uint64_t what) { exec_access(block, addr, what); }
void exec_access_lanes_saving(struct kabi_block *block, const uint64_t *addrs, uint64_t active, uint64_t what)
{
    exec_access_lanes(block, addrs, active, what);
}
void exec_access_row_saving(struct kabi_block *block, uint64_t first, uint64_t rows, uint64_t what) { exec_access_row(block, first, rows, what); }
void exec_access_indexed_saving(struct kabi_block *block, uint64_t base, const int32_t *index, uint64_t indexed, uint64_t what)
{
    exec_access_indexed(block, base, index, indexed, what);
}

#endif
