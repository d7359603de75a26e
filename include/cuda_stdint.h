/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of set sizes. */
#include <stdint.h>
