/* SPDX-License-Identifier: Apache-2.0 */
/* clang's intrinsics header includes this name. What it stands for is in cuda_runtime.h. */
