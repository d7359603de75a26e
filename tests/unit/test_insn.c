/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and addresses of memory operands of x86-64 instructions (check/insn.c). */
#include "check/insn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#if defined(__x86_64__)

struct row {
    const char *text;
    uint8_t code[15];
    unsigned bytes;
    bool repeats;
    uint64_t address;            /* 0: none. Registers hold 0x1000 times their number plus one */
};

static const struct row rows[] = {
    { "mov %eax,(%rcx)", { 0x89, 0x01 }, 4, false, 0x2000 },
    { "mov %rax,8(%rbx)", { 0x48, 0x89, 0x43, 0x08 }, 8, false, 0x4008 },
    { "mov %ax,-2(%rbp)", { 0x66, 0x89, 0x45, 0xfe }, 2, false, 0x5ffe },
    { "mov (%r9,%rdx,4),%al", { 0x41, 0x8a, 0x04, 0x91 }, 1, false, 0xa000 + 4 * 0x3000 },
    { "movl $1,0x12345(%rax)", { 0xc7, 0x80, 0x45, 0x23, 0x01, 0, 1, 0, 0, 0 }, 4, false, 0x13345 },
    { "movzwl (%rdi),%eax", { 0x0f, 0xb7, 0x07 }, 2, false, 0x8000 },
    { "movslq (%rax),%rdx", { 0x48, 0x63, 0x10 }, 4, false, 0x1000 },
    { "addb $1,(%rax)", { 0x80, 0x00, 0x01 }, 1, false, 0x1000 },
    { "lock xadd %eax,(%rdx)", { 0xf0, 0x0f, 0xc1, 0x02 }, 4, false, 0x3000 },
    { "movss (%rax),%xmm0", { 0xf3, 0x0f, 0x10, 0x00 }, 4, false, 0x1000 },
    { "movsd %xmm0,(%rax)", { 0xf2, 0x0f, 0x11, 0x00 }, 8, false, 0x1000 },
    { "movups (%rsi),%xmm0", { 0x0f, 0x10, 0x06 }, 16, false, 0x7000 },
    { "movdqa %xmm0,(%rdi)", { 0x66, 0x0f, 0x7f, 0x07 }, 16, false, 0x8000 },
    { "movq %xmm0,(%rax)", { 0x66, 0x0f, 0xd6, 0x00 }, 8, false, 0x1000 },
    { "vmovdqu (%rsi),%ymm0", { 0xc5, 0xfe, 0x6f, 0x06 }, 32, false, 0x7000 },
    { "vmovups %ymm0,(%r8)", { 0xc4, 0xc1, 0x7c, 0x11, 0x00 }, 32, false, 0x9000 },
    { "vmovdqu64 (%rsi),%zmm0", { 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x06 }, 64, false, 0x7000 },
    { "rep movsb", { 0xf3, 0xa4 }, 1, true, 0x7000 },
    { "rep stosq", { 0xf3, 0x48, 0xab }, 8, true, 0x8000 },
    { "lea 8(%rax),%rax", { 0x48, 0x8d, 0x40, 0x08 }, 0, false, 0 },
    { "mov %eax,%ecx", { 0x89, 0xc1 }, 0, false, 0 },
    { "mov 4(%rip),%eax", { 0x8b, 0x05, 4, 0, 0, 0 }, 0, false, 0 },
    { "mov %fs:(%rax),%eax", { 0x64, 0x8b, 0x00 }, 0, false, 0 },
};

static void each_row(void **state)
{
    uint64_t registers[16], address;
    (void)state;
    for (unsigned k = 0; k < 16; k++)
        registers[k] = (k + 1) * 0x1000;
    for (size_t k = 0; k < HW_LEN(rows); k++) {
        bool repeats = false;
        if (rows[k].bytes && insn_bytes(rows[k].code, &repeats) != rows[k].bytes)
            fail_msg("%s: %u bytes", rows[k].text, insn_bytes(rows[k].code, &repeats));
        if (repeats != rows[k].repeats)
            fail_msg("%s: repeats", rows[k].text);
        bool found = insn_address(rows[k].code, registers, &address);
        if (found != (rows[k].address != 0) || (found && address != rows[k].address))
            fail_msg("%s: address %#llx", rows[k].text, found ? (unsigned long long)address : 0);
    }
}

#else

static void each_row(void **state) { (void)state; }

#endif

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_row) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
