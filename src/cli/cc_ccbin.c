/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host compiler that nvcc is told to use (-ccbin). Here clang compiles host code too, so a plain compiler's name changes nothing; but the compilers of MPI (mpicxx) are scripts that add
 * folders and libraries to another one's command, and programs that name them rely on those. All of them print that command when asked with -show.
 */
#include "cli/cc.h"

#include "base/str.h"

#include <stdio.h>

static bool is_mpi_compiler(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "mpi", 3) == 0;
}

/* Of that command, what says where headers and libraries are. The rest is how the other compiler should optimise. */
static bool is_wanted(const char *word)
{
    static const char *const begins[] = { "-I", "-D", "-U", "-L", "-l", "-Wl,", "-pthread" };
    for (size_t i = 0; i < HW_LEN(begins); i++)
        if (strncmp(word, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static char *ask(const char *compiler)
{
    struct hw_str command = { 0 }, said = { 0 };
    char part[4096];
    size_t n;
    hw_str_printf(&command, "'");
    for (const char *p = compiler; *p; p++)
        hw_str_printf(&command, *p == '\'' ? "'\\''" : "%c", *p);
    hw_str_printf(&command, "' -show 2>/dev/null");
    FILE *out = popen(command.s, "r");
    hw_str_fini(&command);
    while (out && (n = fread(part, 1, sizeof part - 1, out)) > 0) {
        part[n] = 0;
        hw_str_printf(&said, "%s", part);
    }
    bool ok = out && pclose(out) == 0 && said.s;
    char *text = ok ? hw_strdup(said.s) : NULL;
    hw_str_fini(&said);
    return text;
}

bool cc_ccbin_words(const char *compiler, struct cli_args *out)
{
    if (!is_mpi_compiler(compiler))
        return true;
    char *said = ask(compiler);
    if (!said) {
        cli_error("-ccbin %s: it does not answer -show with its command", compiler);
        return false;
    }
    for (char *p = said; *p; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    struct cli_args words = { 0 };
    cc_add_words(&words, said);
    for (size_t i = 1; i < words.w.n; i++)                       /* the first is the compiler */
        if (is_wanted(words.w.v[i]))
            cli_add(out, words.w.v[i]);
    cli_args_fini(&words);
    hw_free(said);
    return true;
}
