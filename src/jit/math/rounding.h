/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar bodies for rounding modes other than to nearest. */
#ifndef JIT_ROUNDING_H
#define JIT_ROUNDING_H

/* The address of hw_rnd_*, NULL for any other name. */
void *rounding_address(const char *symbol);

#endif
