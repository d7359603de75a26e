/* SPDX-License-Identifier: Apache-2.0 */
/* From places in a program's code to lines of its source: addr2line reads the debug information. */
#define _GNU_SOURCE
#include "cli/source_line.h"

#include "base/str.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *addr2line_program(void)
{
    static const char *const known[] = { "/usr/bin/addr2line", "/usr/bin/llvm-addr2line-19", "/usr/lib/llvm-19/bin/llvm-addr2line" };
    for (size_t i = 0; i < HW_LEN(known); i++)
        if (access(known[i], X_OK) == 0)
            return known[i];
    return NULL;
}

void source_frames_fini(struct source_frames *f)
{
    for (size_t k = 0; k < f->v.n; k++) {
        hw_free(f->v.v[k].path);
        hw_free(f->v.v[k].function);
    }
    hw_vec_fini(&f->v);
}

/* "/folder/a.cu:12 (discriminator 3)" */
static void add_frame(struct source_frames *out, const char *function, char *line)
{
    line[strcspn(line, "\n")] = 0;
    char *note = strstr(line, " (discriminator"), *colon;
    if (note)
        *note = 0;
    colon = strrchr(line, ':');
    if (line[0] == '?' || !colon || !atoi(colon + 1))
        return;
    struct source_frame f = { hw_sprintf("%.*s", (int)(colon - line), line), NULL, (unsigned)atoi(colon + 1) };
    if (function[0] != '?')
        f.function = hw_sprintf("%.*s", (int)strcspn(function, "\n"), function);
    hw_vec_push(&out->v, f);
}

/* Addresses of one module, in one call. */
static void look_up(const char *module, size_t n, const char *addresses, struct source_frames *out)
{
    const char *program = addr2line_program();
    char function[2048], line[2048];
    if (!program || memchr(module, '\'', n))
        return;
    char *command = hw_sprintf("%s -f -i -C -e '%.*s'%s 2>/dev/null", program, (int)n, module, addresses);
    FILE *in = popen(command, "r");
    while (in && fgets(function, sizeof function, in) && fgets(line, sizeof line, in))
        add_frame(out, function, line);
    if (in)
        pclose(in);
    hw_free(command);
}

/* Modules whose code is not the program's: ours, and the language's. */
bool source_is_library(const char *module, size_t n)
{
    static const char *const names[] = { "/libcuda.so", "/libcudart.so", "/libnvrtc.so", "/libnvJitLink.so", "/libhostwarp-check.so", "/libstdc++.so", "/libc.so", "/libm.so", "/libgcc_s.so", "/libpthread.so", "/ld-linux" };
    for (size_t k = 0; k < HW_LEN(names); k++)
        if (memmem(module, n, names[k], strlen(names[k])))
            return true;
    return false;
}

/* The end of "module+0x12"; names of modules may hold spaces. plus: where the address begins. */
const char *source_entry_end(const char *p, const char **plus)
{
    for (const char *at = p; (at = strstr(at, "+0x")); at++) {
        const char *end = at + 3 + strspn(at + 3, "0123456789abcdef");
        *plus = at;
        if (!*end || *end == ' ')
            return end;
    }
    return NULL;
}

void source_of_stack(const char *stack, struct source_frames *out)
{
    struct hw_str addresses = { 0 };
    const char *module = NULL, *plus = NULL, *end;
    size_t length = 0;
    for (const char *p = stack; (end = source_entry_end(p, &plus)); p = end + strspn(end, " ")) {
        size_t n = (size_t)(end - p), m = (size_t)(plus - p);
        if (m && !source_is_library(p, m)) {
            if (module && (m != length || memcmp(module, p, m) != 0)) {
                look_up(module, length, addresses.s, out);
                addresses.n = 0;
            }
            module = p;
            length = m;
            hw_str_printf(&addresses, " %.*s", (int)(n - m - 1), plus + 1);
        }
    }
    if (module && addresses.n)
        look_up(module, length, addresses.s, out);
    hw_str_fini(&addresses);
}

/* Functions of our headers may be inlined into the program: the first line that is not in one of them is the program's. Nor are the function that clang makes of
   a launch, and the language's headers. */
bool source_is_between(const struct source_frame *f)
{
    return strstr(f->path, "/include/hostwarp/") || strstr(f->path, "/include/cuda_runtime") || (f->function && strstr(f->function, "__device_stub__")) ||
           strncmp(f->path, "/usr/", 5) == 0;
}

char *cli_source_line(const char *place)
{
    struct source_frames all = { 0 };
    char *found = NULL;
    source_of_stack(place, &all);
    for (size_t k = 0; k < all.v.n && !found; k++)
        if (!strstr(all.v.v[k].path, "/include/hostwarp/") && !strstr(all.v.v[k].path, "/include/cuda_runtime"))
            found = hw_sprintf("%s:%u", all.v.v[k].path, all.v.v[k].line);
    source_frames_fini(&all);
    return found;
}
