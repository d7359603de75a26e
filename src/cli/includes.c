/* SPDX-License-Identifier: Apache-2.0 */
/* Which folders headers come from: ours, and never those of an NVIDIA toolkit that happens to be installed. */
#define _GNU_SOURCE
#include "cli/cc.h"
#include "base/stamps.h"

#include "base/cache.h"
#include "base/os.h"
#include "base/str.h"

#include <stdio.h>
#include <unistd.h>

/* A folder with somebody else's headers of a toolkit. Packages bring some alone, such as the one with half precision: NVIDIA's NVRTC knows the bodies of its functions, so that
   it has none; ours does. */
static bool is_toolkit(const char *dir)
{
    static const char *const names[] = { "cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h" };
    bool foreign = false;
    for (size_t i = 0; i < HW_LEN(names) && !foreign; i++) {
        char *header = hw_sprintf("%s/%s", dir, names[i]), *part = hw_sprintf("include/%s", names[i]), *ours = cli_path(part);
        char *there = realpath(header, NULL), *here = realpath(ours, NULL);
        foreign = there && !(here && strcmp(there, here) == 0);
        free(there);
        free(here);
        hw_free(header);
        hw_free(part);
        hw_free(ours);
    }
    return foreign;
}

/* Takes a toolkit's folders out of a variable such as CPATH. */
static void clean_variable(const char *name)
{
    const char *list = getenv(name);
    if (!list)
        return;
    struct hw_str kept = { 0 };
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ":");
        char *dir = hw_strndup(p, n);
        if (n && !is_toolkit(dir))
            hw_str_printf(&kept, "%s%s", kept.n ? ":" : "", dir);
        hw_free(dir);
        p += n + (p[n] == ':');
    }
    if (kept.n)
        setenv(name, kept.s, 1);
    else
        unsetenv(name);
    hw_str_fini(&kept);
}

void cc_clean_environment(void)
{
    static const char *const names[] = { "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH" };
    for (size_t i = 0; i < HW_LEN(names); i++)
        clean_variable(names[i]);
}

/* -I of a toolkit, as many build files have it: headers that we lack may come from there, ours still go first. */
void cc_add_user_include(struct cc_job *job, const char *dir)
{
    if (is_toolkit(dir))
        cli_addf(&job->after, "-isystem%s", dir);
    else
        cli_addf(&job->both, "-I%s", dir);
}

/* Some systems link a toolkit's headers into /usr/local/include. clang cannot be told to leave out one of its standard
   folders, so all are left out and the others given back in their order: the C++ library, for CUDA behind clang's wrappers
   of it, then clang's own folder, which -nostdlibinc keeps, then the system's. */
static void find_standard_folders(struct cli_args *args, const char *clang, enum cc_lang lang)
{
    const char *language = lang == CC_LANG_C ? "c" : lang == CC_LANG_CUDA ? "cuda --cuda-host-only -nocudainc -nocudalib" : "c++";
    char *command = hw_sprintf("'%s' -E -v --cuda-path='%s' -x %s /dev/null 2>&1 >/dev/null", clang, cli_root(), language), line[4096];
    FILE *out = popen(command, "r");
    bool inside = false, after_builtin = false;
    hw_free(command);
    cli_add(args, "-nostdlibinc");
    while (out && fgets(line, sizeof line, out)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "#include <", 10) == 0) {
            inside = true;
        } else if (strncmp(line, "End of search", 13) == 0) {
            inside = false;
        } else if (inside && line[0] == ' ') {
            bool builtin = strstr(line, "/lib/clang/") && !strstr(line, "/cuda_wrappers");
            after_builtin |= builtin;
            if (!builtin && !is_toolkit(line + 1))
                cli_addf(args, after_builtin ? "-idirafter%s" : "-cxx-isystem%s", line + 1);
        }
    }
    if (out)
        pclose(out);
}

/* Asking clang takes longer than some compilations: the answer is kept for as long as clang is the same. */
static char *folders_file(const char *clang, enum cc_lang lang)
{
    struct hw_hash h;
    char *dir = hw_cache_dir("cc"), *name = NULL, hex[33];
    hw_hash_init(&h);
    stamps_hash_identity(&h, clang);
    hw_hash_str(&h, cli_root());
    hw_hash_u64(&h, (uint64_t)lang);
    hw_hash_hex(&h, hex);
    if (dir)
        name = hw_sprintf("%s/%s.folders", dir, hex);
    hw_free(dir);
    return name;
}

static void add_standard_folders(struct cli_args *args, const char *clang, enum cc_lang lang)
{
    char *file = folders_file(clang, lang), *text = file ? hw_cache_read(file, NULL) : NULL, *rest = NULL;
    if (text && *text) {
        for (char *word = strtok_r(text, "\n", &rest); word; word = strtok_r(NULL, "\n", &rest))
            cli_add(args, word);
    } else {
        struct cli_args found = { 0 };
        struct hw_str lines = { 0 };
        find_standard_folders(&found, clang, lang);
        for (size_t i = 0; i < found.w.n; i++)
            hw_str_printf(&lines, "%s\n", found.w.v[i]);
        cli_add_all(args, &found);
        if (file && found.w.n > 1) {
            char *fresh = hw_sprintf("%s.%d", file, (int)getpid());
            if (hw_file_write(fresh, lines.s, lines.n))
                rename(fresh, file);
            hw_free(fresh);
        }
        hw_str_fini(&lines);
        cli_args_fini(&found);
    }
    hw_free(text);
    hw_free(file);
}

void cc_add_includes(struct cli_args *args, const struct cc_job *job, const char *clang, enum cc_lang lang)
{
    char *ours = cli_path("include");
    if (lang == CC_LANG_CUDA)
        cli_addf(args, "-isystem%s/hostwarp/cxx", ours);         /* before the C++ library, whose headers they include */
    cli_addf(args, "-isystem%s", ours);
    cli_add_all(args, &job->after);
    if (is_toolkit("/usr/local/include"))
        add_standard_folders(args, clang, lang);
    hw_free(ours);
}
