/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the body of every API and STUB row: do_cuMemAlloc_v2 and so on. */
#ifndef DRIVER_BODIES_H
#define DRIVER_BODIES_H

#include "driver/api.h"

#define API(base, sym, since, pt, flags, params, args) CUresult do_##sym params;
#define STUB(base, sym, since, pt, flags, params, args) CUresult do_##sym params;
#define SAME(base, sym, other, since, pt, flags, params, args)
#include "driver/driver.def"
#undef API
#undef STUB
#undef SAME

#endif
