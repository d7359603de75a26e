/* SPDX-License-Identifier: Apache-2.0 */
/* HOSTWARP_LOG=debug tells every launch, copy and fill. */
#ifndef DRIVER_DEBUG_LOG_H
#define DRIVER_DEBUG_LOG_H

void debug_log_init(void);                       /* once, when the library is loaded; does nothing at other levels */

#endif
