/* SPDX-License-Identifier: Apache-2.0 */
/* What instrumented kernels counted, in the record file. */
#ifndef PROF_DETAILS_H
#define PROF_DETAILS_H

#include "base/base.h"

struct details_table;
struct exec_launch;

void details_launch(struct exec_launch *launch, uint32_t name);     /* this launch is to be counted; no lock held */
void details_write(struct details_table *table);                    /* it has finished: takes leaf locks only */

#endif
