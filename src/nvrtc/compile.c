/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a program: writes it and its headers into a folder of its own and lets `hostwarp cc -ptx` do the work, where the cache does not have it. */
#define _GNU_SOURCE
#include "nvrtc/nvrtc_program.h"

#include "base/child.h"
#include "base/os.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MARK "hostwarp_name_expression_"

/* Writes DIR/NAME, making the folders in NAME. What points out of DIR loses its dots. */
static bool write_in(const char *dir, const char *name, const char *text)
{
    char *path = hw_sprintf("%s/%s", dir, name);
    for (char *dots = path + strlen(dir); (dots = strstr(dots, ".."));)
        memcpy(dots, "__", 2);
    for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        mkdir(path, 0700);
    }
    bool ok = hw_file_write(path, text, strlen(text));
    hw_free(path);
    return ok;
}

/* The source with a variable behind it for each name expression: its first value in the PTX is the lowered name. */
static char *full_source(const struct _nvrtcProgram *p, bool device_default)
{
    struct hw_str s = {0};
    hw_str_printf(&s, "%s#line 1 \"%s\"\n", device_default ? "#pragma clang force_cuda_host_device begin\n" : "", p->name);
    hw_str_puts(&s, p->source);
    hw_str_puts(&s, "\n");
    if (device_default)
        hw_str_puts(&s, "#pragma clang force_cuda_host_device end\n");
    for (size_t i = 0; i < p->expressions.n; i++)
        hw_str_printf(&s, "#line 1 \"name expression %s\"\nextern \"C\" __device__ __attribute__((used)) const void *const " MARK "%zu"
                          " = (const void *)(%s);\n", p->expressions.v[i].text, i, p->expressions.v[i].text);
    return s.s;
}

/* Finds "MARK<i>[..] = NAME" and notes NAME; takes the lines of the marks out of the PTX. */
static bool lower_names(struct _nvrtcProgram *p)
{
    bool all = true;
    for (size_t i = 0; i < p->expressions.n; i++) {
        char mark[80];
        int n = snprintf(mark, sizeof mark, MARK "%zu", i);
        char *at = p->ptx;
        while ((at = strstr(at, mark)) && (at[n] >= '0' && at[n] <= '9'))
            at += n;
        char *value = at ? at + strcspn(at, "=;\n") : NULL;
        if (!value || *value != '=') {
            all = false;
            continue;
        }
        value += strspn(value, "= {");
        if (strncmp(value, "generic(", 8) == 0)
            value += 8;
        hw_free(p->expressions.v[i].lowered);
        p->expressions.v[i].lowered = hw_strndup(value, strcspn(value, ");,} \n"));
        char *line = at;
        while (line > p->ptx && line[-1] != '\n')
            line--;
        memset(line, ' ', strcspn(line, "\n"));
    }
    return all;
}

static nvrtcResult compile_in(struct _nvrtcProgram *p, const char *dir, const char *command, const struct nvrtc_args *options, const char *kept)
{
    HW_VEC(char *) args = {0};
    char *source = hw_sprintf("%s/program.cu", dir), *ptx = hw_sprintf("%s/program.ptx", dir), *log = hw_sprintf("%s/log", dir);
    char *include = hw_sprintf("-I%s", dir), *slash = strrchr(p->name, '/');
    /* headers may lie beside the file that the program's name says it comes from */
    char *beside = hw_sprintf("-I%.*s", slash ? (int)(slash - p->name) : 1, slash ? p->name : ".");
    char *depfile = hw_sprintf("%s/program.d", dir);
    const char *first[] = {command, "cc", "-ptx", "--prelude", "-x", "cu", "-D__CUDACC_RTC__=1", "-include", "assert.h", "-MD", "-MF", depfile, "-o", ptx,
                           include, beside};
    for (size_t i = 0; i < HW_LEN(first); i++)
        hw_vec_push(&args, (char *)(uintptr_t)first[i]);
    for (size_t i = 0; i < options->words.n; i++)
        hw_vec_push(&args, options->words.v[i]);
    if (p->lto)                                  /* other inputs complete it */
        hw_vec_push(&args, (char *)(uintptr_t)"-rdc=true");
    else if (p->real_arch)                       /* machine code was asked for: then the real one runs ptxas, too */
        hw_vec_push(&args, (char *)(uintptr_t)"--verify");
    hw_vec_push(&args, source);
    hw_vec_push(&args, NULL);

    bool written = true;
    char *text = full_source(p, options->device_default);
    for (size_t i = 0; i < p->headers.n; i++)
        written &= write_in(dir, p->headers.v[i].name, p->headers.v[i].text);
    written &= hw_file_write(source, text, strlen(text));
    int status = written ? hw_run(args.v, log) : -1;
    hw_free(p->log);
    p->log = hw_file_read(log, NULL);
    p->ptx = status == 0 ? hw_file_read(ptx, NULL) : NULL;
    if (p->ptx && kept)
        nvrtc_cache_put(kept, p, depfile, dir);
    hw_vec_fini(&args);
    hw_free(text);
    hw_free(source);
    hw_free(ptx);
    hw_free(log);
    hw_free(depfile);
    hw_free(include);
    hw_free(beside);
    return !written || status < 0 ? NVRTC_ERROR_INTERNAL_ERROR : status == 2 ? NVRTC_ERROR_INVALID_OPTION
           : status || !p->ptx ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}

nvrtcResult nvrtc_compile(struct _nvrtcProgram *p, int n_options, const char *const *options)
{
    char *dir = NULL, *kept = NULL, *command = hw_find_command((const void *)(uintptr_t)nvrtc_compile, "bin/hostwarp");
    struct nvrtc_args args = {0};
    hw_free(p->ptx);
    p->ptx = NULL;
    hw_str_fini(&p->cubin);
    p->compiled = p->real_arch = p->lto = false;
    nvrtcResult rc = nvrtc_options_read(p, n_options, options, &args);
    if (rc)
        goto out;
    rc = NVRTC_ERROR_INTERNAL_ERROR;
    if (!command) {
        hw_free(p->log);
        p->log = hw_strdup("hostwarp's command is not where this library is\n");
        rc = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    } else if ((kept = nvrtc_cache_name(p, &args, command)) && nvrtc_cache_get(kept, p)) {
        rc = NVRTC_SUCCESS;
    } else if ((dir = hw_temp_dir("hostwarp-nvrtc"))) {
        rc = compile_in(p, dir, command, &args, kept);
        hw_remove_tree(dir);
    }
    if (rc == NVRTC_SUCCESS && !lower_names(p))
        rc = NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    p->compiled = rc == NVRTC_SUCCESS;
out:
    nvrtc_args_fini(&args);
    hw_free(kept);
    hw_free(dir);
    hw_free(command);
    return rc;
}
