/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers that every device pass begins with, read once and kept as a precompiled header: for NVRTC, whose kernels are short and many. One is made for each set
 * of options. Macros of the program's own do not count among these: as in the real NVRTC the built-in headers do not see them. Macros whose names are the
 * compiler's or CUDA's do. clang is not asked whether the headers have changed, which takes it longer than reading them: the list beside the file says.
 */
#define _GNU_SOURCE
#include "cli/cc_work.h"

#include "base/cache.h"
#include "base/os.h"
#include "base/stamps.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* -DNAME, -UNAME: does it concern our headers? */
static bool is_known_macro(const char *word)
{
    return word[2] == '_' || strncmp(word + 2, "CUDA", 4) == 0;
}

static void without_program(const struct cli_args *both, struct cli_args *out)
{
    for (size_t i = 0; i < both->w.n; i++) {
        const char *word = both->w.v[i];
        if (strcmp(word, "-include") == 0)
            i++;
        else if (strncmp(word, "-I", 2) != 0 && strncmp(word, "-isystem", 8) != 0 &&
                 ((strncmp(word, "-D", 2) != 0 && strncmp(word, "-U", 2) != 0) || is_known_macro(word)))
            cli_add(out, word);
    }
}

static char *name_of(const struct cli_args *command, const char *dir)
{
    static const char *const variables[] = { "CPATH", "CPLUS_INCLUDE_PATH" };
    struct hw_hash h;
    char hex[33], *exe = cli_path("bin/hostwarp");
    hw_hash_init(&h);
    stamps_hash_identity(&h, exe);
    stamps_hash_identity(&h, command->w.v[0]);
    for (size_t i = 0; i < command->w.n; i++)
        hw_hash_str(&h, command->w.v[i]);
    for (size_t i = 0; i < HW_LEN(variables); i++)
        hw_hash_str(&h, getenv(variables[i]) ? getenv(variables[i]) : "");
    hw_hash_hex(&h, hex);
    hw_free(exe);
    return hw_sprintf("%s/%s.pch", dir, hex);
}

/* Under its name at once, and the list of headers last: what has no list is not used. */
static bool make(struct cc_work *w, struct cli_args *command, const char *file, const char *list)
{
    const char *temp = cli_temp_dir();
    char *fresh = hw_sprintf("%s.%d", file, (int)getpid()), *depfile = hw_sprintf("%s/prelude.d", temp ? temp : ""), *header = cli_path("include/cuda_runtime.h");
    char *said = hw_sprintf("%s/prelude.said", temp ? temp : "");
    const char *const compiler_words[] = { CC_PRELUDE_WORDS, "-emit-pch" }, *const words[] = { "-S", "-MD", "-MF", depfile, "-o", fresh, header };
    struct hw_str stamps = { 0 };
    for (size_t i = 0; i < HW_LEN(compiler_words); i++) {
        cli_add(command, "-Xclang");
        cli_add(command, compiler_words[i]);
    }
    for (size_t i = 0; i < HW_LEN(words); i++)
        cli_add(command, words[i]);
    unlink(list);
    if (w->job->verbose)
        cli_print_command(command);
    bool ok = temp && cli_spawn_said(command, said) == 0;
    if (ok)
        stamps_of_depfile(depfile, &stamps);
    ok = ok && stamps.n && rename(fresh, file) == 0 && hw_cache_write(list, stamps.s, stamps.n);
    if (!ok)
        unlink(fresh);
    hw_str_fini(&stamps);
    hw_free(fresh);
    hw_free(depfile);
    hw_free(header);
    hw_free(said);
    return ok;
}

char *cc_prelude(struct cc_work *w, bool with_lines)
{
    char *dir = w->job->dryrun ? NULL : hw_cache_dir("prelude");
    if (!dir)
        return NULL;
    struct cc_job bare = *w->job;
    struct cc_work plain = { .job = &bare, .clang = w->clang };
    struct cli_args command = { 0 };
    bare.both = (struct cli_args){ 0 };
    bare.after = (struct cli_args){ 0 };
    without_program(&w->job->both, &bare.both);
    cc_device_command(&plain, &command, with_lines);
    char *file = name_of(&command, dir), *list = hw_sprintf("%s.list", file);
    bool ok = hw_cache_fit(file) && hw_cache_fit(list) && stamps_hold(list);
    if (ok) {
        hw_cache_used(file);
        hw_cache_used(list);
    } else {
        ok = make(w, &command, file, list);
        hw_cache_trim(dir, hw_cache_limit());
    }
    if (!ok) {
        hw_free(file);
        file = NULL;
    }
    hw_free(list);
    cli_args_fini(&bare.both);
    cli_args_fini(&command);
    hw_free(dir);
    return file;
}
