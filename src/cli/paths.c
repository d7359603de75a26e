/* SPDX-License-Identifier: Apache-2.0 */
/* Where our own files and the compiler are. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include "base/os.h"
#include "base/options.h"
#include "base/str.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[PATH_MAX];

const char *cli_root(void)
{
    if (root[0])
        return root;
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n > 0) {
        exe[n] = 0;
        for (int up = 0; up < 2; up++) {                        /* ROOT/bin/hostwarp -> ROOT */
            char *slash = strrchr(exe, '/');
            if (slash)
                *slash = 0;
        }
        strcpy(root, exe[0] ? exe : "/");
    } else {
        strcpy(root, "/usr/local/lib/hostwarp");
    }
    return root;
}

char *cli_path(const char *relative)
{
    return hw_sprintf("%s/%s", cli_root(), relative);
}

static char *find_on_path(const char *name)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *file = hw_sprintf("%.*s/%s", (int)n, path, name);
        if (n && access(file, X_OK) == 0)
            return file;
        hw_free(file);
        path += n + (path[n] == ':');
    }
    return NULL;
}

/* A plain `clang++` may be any version; its resource headers and PTX differ, so ask. */
static bool is_clang_19(const char *clang)
{
    char *command = hw_sprintf("'%s' -dumpversion 2>/dev/null", clang);
    FILE *out = popen(command, "r");
    int major = 0;
    bool ok = out && fscanf(out, "%d", &major) == 1 && major == 19;
    if (out)
        pclose(out);
    hw_free(command);
    return ok;
}

char *cli_find_clang(void)
{
    static const char *const fixed[] = { "/usr/lib/llvm-19/bin/clang++", "/usr/bin/clang++-19", "/usr/local/bin/clang++-19" };
    const char *chosen = hw_options()->clang;
    if (chosen[0]) {
        if (access(chosen, X_OK) == 0)
            return hw_strdup(chosen);
        cli_error("HOSTWARP_CLANG=%s is not a program", chosen);
        return NULL;
    }
    for (size_t i = 0; i < HW_LEN(fixed); i++)
        if (access(fixed[i], X_OK) == 0)
            return hw_strdup(fixed[i]);
    char *found = find_on_path("clang++-19");
    if (found)
        return found;
    found = find_on_path("clang++");
    if (found && is_clang_19(found))
        return found;
    hw_free(found);
    cli_error("clang 19 is needed to compile and was not found: install clang-19 (apt-get install clang-19), or set "
              "HOSTWARP_CLANG to its clang++");
    return NULL;
}

void cli_set_library_path(void)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    char *lib = cli_path("lib");
    char *both = old && *old ? hw_sprintf("%s:%s", lib, old) : hw_strdup(lib);
    setenv("LD_LIBRARY_PATH", both, 1);
    hw_free(both);
    hw_free(lib);
}

/* The C++ library's own, where there is one: our command is C and does not need it otherwise. */
/* Kernels' names as the source has them: words that begin with _Z. */
char *cli_readable(const char *text)
{
    struct hw_str out = { 0 };
    while (*text) {
        size_t n = 0;
        while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '$' || text[n] == '.')
            n++;
        if (n > 2 && strncmp(text, "_Z", 2) == 0) {
            while (text[n - 1] == '.')           /* the end of a sentence */
                n--;
            char *word = hw_sprintf("%.*s", (int)n, text), *name = hw_demangle(word);
            hw_str_puts(&out, name);
            hw_free(name);
            hw_free(word);
        } else {
            n = n ? n : 1;
            hw_str_add(&out, text, n);
        }
        text += n;
    }
    return out.s ? out.s : hw_strdup("");
}
