/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes an instruction of the host touches. */
#ifndef CHECK_INSN_H
#define CHECK_INSN_H

#include "base/base.h"

/* pc: an instruction that touches memory. Its operand's bytes; 1 where the instruction is not known. *repeats: a string instruction that goes on, element
   by element, as often as its counter says. */
unsigned insn_bytes(const uint8_t *pc, bool *repeats);

#endif
