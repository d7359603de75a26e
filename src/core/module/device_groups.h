/* SPDX-License-Identifier: Apache-2.0 */
/* The device runtime's functions of cooperative groups, as PTX. */
#ifndef CORE_MODULE_DEVICE_GROUPS_H
#define CORE_MODULE_DEVICE_GROUPS_H

struct hw_str;

#define DEVICE_GROUPS "cudaCG"           /* what their names begin with */

void device_groups_ptx(const char *text, struct hw_str *out);     /* adds them where PTX `text` has calls of them */

#endif
