/* SPDX-License-Identifier: Apache-2.0 */
/* What one file defines and the other uses. */
extern __device__ int counter;
__device__ int helper(int x);
