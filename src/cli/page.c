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

/* The text, with the file that a mark INCLUDE names in the place of the mark; it stands beside the frame. */
static bool put_with_includes(FILE *out, const char *text, const char *frame)
{
    static const char begin[] = "/*INCLUDE ", end[] = "*/";
    const char *mark = strstr(text, begin), *after = mark ? strstr(mark, end) : NULL, *slash = strrchr(frame, '/');
    if (!after) {
        fputs(text, out);
        return true;
    }
    char *name = hw_sprintf("%.*s/%.*s", (int)(slash - frame), frame, (int)(after - mark - (ptrdiff_t)strlen(begin)), mark + strlen(begin)), *file = cli_path(name);
    char *script = hw_file_read(file, NULL);
    if (script) {
        fwrite(text, 1, (size_t)(mark - text), out);
        fputs(script, out);
        fputs(after + strlen(end), out);
    } else {
        cli_error("a part of the page is not in %s", file);
    }
    bool ok = script != NULL;
    hw_free(script);
    hw_free(file);
    hw_free(name);
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
            ok = put_with_includes(out, at + strlen(mark), frame);
        }
        ok = cli_finish_file(out, path) && ok;
    }
    hw_free(page);
    hw_free(file);
    return ok;
}
