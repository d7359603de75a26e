/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as a page that needs no network: the frame in share/check, with the reports in the place of its mark. */
#include "cli/check_json.h"

#include "base/os.h"
#include "cli/cli.h"

bool check_write_html(const struct check_log *log, const char *path)
{
    static const char mark[] = "/*REPORTS*/null";
    char *file = cli_path("share/check/report.html"), *page = hw_file_read(file, NULL), *at = page ? strstr(page, mark) : NULL;
    bool ok = false;
    if (!at) {
        cli_error("the page's frame is not in %s", file);
    } else {
        FILE *out = fopen(path, "w");
        if (out) {
            fwrite(page, 1, (size_t)(at - page), out);
            check_json_print(out, log);
            fputs(at + sizeof mark - 1, out);
        }
        ok = check_file_close(out, path);
    }
    hw_free(page);
    hw_free(file);
    return ok;
}
