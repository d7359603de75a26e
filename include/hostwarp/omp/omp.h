/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP's header of whatever compiler is installed. Only this one is wanted of its folder: other headers there are an older clang's, and would be taken for the next ones of clang's own. */
#include HOSTWARP_OMP_H
