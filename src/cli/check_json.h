/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers of files share. */
#ifndef CLI_CHECK_JSON_H
#define CLI_CHECK_JSON_H

#include "cli/check.h"

void check_json_print(FILE *out, const struct check_log *log);

#endif
