/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that were compiled before: the same text, headers, options, names and compiler give the same PTX. An entry is a line with the length of the log, the log, and
 * the PTX; beside it lies the list of the files that were read. HOSTWARP_CACHE=off turns it off, and so does -no-cache.
 */
#define _GNU_SOURCE
#include "nvrtc/nvrtc_program.h"

#include "base/cache.h"
#include "base/os.h"
#include "base/stamps.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD "hostwarp nvrtc 1"

/* What the compiler finds in the environment. */
static void hash_environment(struct hw_hash *h)
{
    static const char *const names[] = { "CPATH", "CPLUS_INCLUDE_PATH", "HOSTWARP_CLANG", "SOURCE_DATE_EPOCH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS" };
    char *cwd = get_current_dir_name();
    for (size_t i = 0; i < HW_LEN(names); i++) {
        const char *value = getenv(names[i]);
        hw_hash_str(h, value ? value : "");
    }
    hw_hash_str(h, cwd ? cwd : "");
    free(cwd);
}

static void hash_program(struct hw_hash *h, const struct _nvrtcProgram *p, const struct nvrtc_args *args)
{
    hw_hash_str(h, p->source);
    hw_hash_str(h, p->name);
    hw_hash_u64(h, p->headers.n);
    for (size_t i = 0; i < p->headers.n; i++) {
        hw_hash_str(h, p->headers.v[i].name);
        hw_hash_str(h, p->headers.v[i].text);
    }
    hw_hash_u64(h, p->expressions.n);
    for (size_t i = 0; i < p->expressions.n; i++)
        hw_hash_str(h, p->expressions.v[i].text);
    hw_hash_u64(h, (uint64_t)args->device_default | (uint64_t)p->lto << 1 | (uint64_t)p->real_arch << 2);
    for (size_t i = 0; i < args->words.n; i++)
        hw_hash_str(h, args->words.v[i]);
}

char *nvrtc_cache_name(const struct _nvrtcProgram *p, const struct nvrtc_args *args, const char *command)
{
    char *dir = args->no_cache || strstr(p->source, "__DATE__") || strstr(p->source, "__TIME__") ? NULL : hw_cache_dir("nvrtc"), hex[33];
    struct hw_hash h;
    if (!dir)
        return NULL;
    hw_hash_init(&h);
    stamps_hash_identity(&h, command);
    hash_environment(&h);
    hash_program(&h, p, args);
    hw_hash_hex(&h, hex);
    char *name = hw_sprintf("%s/%s.ptx", dir, hex);
    hw_free(dir);
    return name;
}

bool nvrtc_cache_get(const char *name, struct _nvrtcProgram *p)
{
    char *list = hw_sprintf("%s.list", name), *entry = NULL;
    size_t bytes = 0, log = 0;
    int head = 0;
    bool ok = hw_cache_fit(list) && stamps_hold(list) && (entry = hw_cache_read(name, &bytes)) &&
              sscanf(entry, HEAD " %zu%n", &log, &head) == 1 && entry[head] == '\n' && log < bytes - (size_t)head - 1;
    if (ok) {
        const char *text = entry + head + 1;
        hw_free(p->log);
        p->log = hw_strndup(text, log);
        p->ptx = hw_strdup(text + log);
        hw_cache_used(name);
        hw_cache_used(list);
    }
    hw_free(entry);
    hw_free(list);
    return ok;
}

/* The list comes last: an entry without one is not looked at. skip: the folder of this compilation, whose files are in the key. */
void nvrtc_cache_put(const char *name, const struct _nvrtcProgram *p, const char *depfile, const char *skip)
{
    struct hw_str entry = { 0 }, stamps = { 0 }, kept = { 0 };
    char *list = hw_sprintf("%s.list", name), *dir = hw_cache_dir("nvrtc");
    const char *log = p->log ? p->log : "";
    stamps_of_depfile(depfile, &stamps);
    for (const char *line = stamps.s; line && *line; line += strcspn(line, "\n") + 1) {
        const char *path = strchr(strchr(line, ' ') + 1, ' ') + 1;
        if (strncmp(path, skip, strlen(skip)) != 0)
            hw_str_printf(&kept, "%.*s\n", (int)strcspn(line, "\n"), line);
    }
    hw_str_printf(&entry, HEAD " %zu\n%s%s", strlen(log), log, p->ptx);
    unlink(list);
    if (kept.n && hw_cache_write(name, entry.s, entry.n))
        hw_cache_write(list, kept.s, kept.n);
    if (dir)
        hw_cache_trim(dir, hw_cache_limit());
    hw_str_fini(&entry);
    hw_str_fini(&stamps);
    hw_str_fini(&kept);
    hw_free(list);
    hw_free(dir);
}
