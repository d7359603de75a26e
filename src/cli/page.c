/* SPDX-License-Identifier: Apache-2.0 */
/* Files that commands write for people: closed with an error where one happened, and pages that need no network, made of a frame in share/. */
#include "cli/cli.h"

#include "base/os.h"

#include <errno.h>

bool cli_finish_file(FILE *out, const char *path)
{
    bool ok = out && !ferror(out);
    int error = errno;
    if (out && fclose(out) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (!ok)
        cli_error("cannot write %s: %s", path, strerror(error));
    return ok;
}

bool cli_write_page(const char *frame, const char *mark, void (*print)(FILE *out, const void *data), const void *data, const char *path)
{
    char *file = cli_path(frame), *page = hw_file_read(file, NULL), *at = page ? strstr(page, mark) : NULL;
    bool ok = false;
    if (!at) {
        cli_error("the page's frame is not in %s", file);
    } else {
        FILE *out = fopen(path, "w");
        if (out) {
            fwrite(page, 1, (size_t)(at - page), out);
            print(out, data);
            fputs(at + strlen(mark), out);
        }
        ok = cli_finish_file(out, path);
    }
    hw_free(page);
    hw_free(file);
    return ok;
}
