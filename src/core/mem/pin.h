/* SPDX-License-Identifier: Apache-2.0 */
/* Page locking: mappings for page-locked memory, and locking pages that the program owns. */
#ifndef CORE_PIN_H
#define CORE_PIN_H

#include "base/base.h"

enum pin_result { PIN_LOCKED, PIN_RESIDENT, PIN_FAILED };        /* RESIDENT: touched, but the system allows no lock */

/* Whole pages, touched. *out_result is LOCKED or RESIDENT. NULL: no memory, or HOSTWARP_PIN=strict and no lock. */
void *pin_map(size_t bytes, enum pin_result *out_result);
void pin_unmap(void *p, size_t bytes, enum pin_result result);            /* result: what pin_map() said */

/* Are all pages of the range mapped? */
bool pin_is_mapped(uint64_t first_page, uint64_t end);
enum pin_result pin_lock(uint64_t first_page, uint64_t end);
void pin_unlock(uint64_t first_page, uint64_t end);

#endif
