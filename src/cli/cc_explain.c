/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp cc --explain`: the driver library knows how kernels are lowered; this asks it, and names kernels as the source does. */
#define _GNU_SOURCE
#include "cli/cc.h"

#include "base/os.h"

#include <dlfcn.h>
#include <stdio.h>

typedef int explain_fn(const char *ptx, size_t bytes, const unsigned block[3], void (*write)(void *data, const char *text), void *data);

static explain_fn *find_explain(void)
{
    char *path = cli_path("lib/libcuda.so.1");
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    explain_fn *fn = NULL;
    if (lib)
        *(void **)&fn = dlsym(lib, "hostwarp_explain");
    if (!fn)
        cli_error("%s", lib ? "libcuda.so.1 cannot explain" : dlerror());
    hw_free(path);
    return fn;
}

static void keep(void *data, const char *text)
{
    *(char **)data = hw_strdup(text);
}

/* Lines that begin with `kernel` hold a name as the linker has it. */
static void print(FILE *to, char *text)
{
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = 0;
        if (strncmp(line, "kernel ", 7) == 0) {
            char *name = hw_demangle(line + 7);
            fprintf(to, "kernel %s\n", name);
            hw_free(name);
        } else {
            fprintf(to, "%s\n", line);
        }
        end += !last;
    }
}

int cc_explain(const struct cc_job *job, const char *ptx_path, const char *shown)
{
    static const unsigned usual[3] = { 256, 1, 1 };
    explain_fn *fn = find_explain();
    size_t bytes = 0;
    char *ptx = fn ? hw_file_read(ptx_path, &bytes) : NULL, *text = NULL;
    int status = CLI_FAIL;
    if (!fn)
        return CLI_FAIL;
    if (!ptx) {
        cli_error("cannot read %s", ptx_path);
        return CLI_FAIL;
    }
    if (fn(ptx, bytes, job->block[0] ? job->block : usual, keep, &text) == 0) {
        FILE *to = job->output ? fopen(job->output, "w") : stdout;
        if (to) {
            print(to, text);
            status = (to == stdout ? fflush(to) : fclose(to)) ? CLI_FAIL : CLI_OK;
        }
        if (status)
            cli_error("cannot write %s", job->output ? job->output : "the text");
    } else {
        cli_error("%s: %s", shown, text ? text : "");
    }
    hw_free(text);
    hw_free(ptx);
    return status;
}
