/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs that HOSTWARP_GPU names. */
#ifndef GPU_CHOICE_H
#define GPU_CHOICE_H

#include "gpu/profile.h"

enum { GPU_MOST_CHOSEN = 8 };
/* The first is the card that devices say they are, all are computed with. 0: none; *error: HOSTWARP_GPU is wrong, and why (NULL: it is not). */
size_t gpu_chosen(const struct gpu_profile **out, const char **error);

#endif
