/* SPDX-License-Identifier: Apache-2.0 */
/* Another name that programs use for vector_functions.h. */
#include "vector_functions.h"
