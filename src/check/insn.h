/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes an instruction of the host touches. */
#ifndef CHECK_INSN_H
#define CHECK_INSN_H

#include "base/base.h"

/* pc: an instruction that touches memory. Its operand's bytes; 1 where the instruction is not known. *repeats: a string instruction that goes on, element
   by element, as often as its counter says. */
unsigned insn_bytes(const uint8_t *pc, bool *repeats);

/* The address that an instruction is about to touch; registers: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. False: none, or it is not known. */
bool insn_address(const uint8_t *pc, const uint64_t registers[16], uint64_t *out);
/* From here on the calling thread is interrupted (SIGTRAP) after each instruction, until the handler takes the flag away. */
void insn_begin_steps(void);

#endif
