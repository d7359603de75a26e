/* SPDX-License-Identifier: Apache-2.0 */
/* NVVM IR text as LLVM 19 takes it. */
#ifndef NVVM_TYPED_H
#define NVVM_TYPED_H

#include "base/str.h"

/* The dialect of LLVM 7, with `i32 addrspace(1)*` and intrinsics that LLVM does not have, becomes that of LLVM 19. What is in it already stays as it is, and
   so do lines, for messages. ftz: float arithmetic of the functions flushes subnormals. */
void nvvm_text_convert(const char *text, bool ftz, struct hw_str *out);

#endif
