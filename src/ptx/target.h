/* SPDX-License-Identifier: Apache-2.0 */
/* The targets of PTX (targets.def), and PTX of clang's for one that clang does not know. */
#ifndef PTX_TARGET_H
#define PTX_TARGET_H

#include "base/str.h"

enum ptx_toolkit { PTX_IN_12 = 1, PTX_IN_13 = 2 };

struct ptx_target {
    uint16_t sm, version;                /* 90: sm_90; 78: PTX 7.8 */
    uint16_t clang;                      /* what clang 19 is told, 0: it has none that old */
    uint8_t toolkits;                    /* enum ptx_toolkit */
};

extern const struct ptx_target ptx_targets[];
extern const size_t ptx_n_targets;

const struct ptx_target *ptx_target_find(unsigned sm);       /* NULL: there is none */
const struct ptx_target *ptx_target_nearest(unsigned sm);    /* the newest that a compiler has and that is not newer; the oldest, where there is none */

/* Text that was made for target->clang, for the target itself: every target runs what an older one does. feature: "", "a" or "f", as in sm_100a. */
void ptx_retarget(const char *text, size_t bytes, const struct ptx_target *target, const char *feature, struct hw_str *out);

#endif
