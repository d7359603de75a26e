/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as a page that needs no network: the frame in share/check, with the reports in the place of its mark. */
#include "cli/check_json.h"

#include "cli/cli.h"

static void print(FILE *out, const void *log) { check_json_print(out, log); }

bool check_write_html(const struct check_log *log, const char *path) { return cli_write_page("share/check/report.html", "/*REPORTS*/null", print, log, path); }
