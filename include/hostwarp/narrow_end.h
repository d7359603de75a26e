/* SPDX-License-Identifier: Apache-2.0 */
/* Forgets what cuda_fp16.h or cuda_bf16.h told narrow_type.h, so that the other may follow. No guard: included once for each. */
#undef HW_T
#undef HW_T2
#undef HW_RAW
#undef HW_RAW2
#undef HW_OTHER
#undef HW_SPACE
#undef HW_PTX
#undef HW_HAS_FMA
#undef HW_ONE
#undef HW_NAME
#undef HW_NAME2
#undef HW_TWICE
#undef HW_NO_OPERATORS
#undef HW_TANH_ARCH
