/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of CUDA sources that were compiled before: the same source, options, compiler and headers give the same object. Only
 * what compiled without a word is kept, so that nothing that should be read is lost. HOSTWARP_CACHE=off turns it off.
 */
#define _GNU_SOURCE
#include "cli/cc.h"
#include "base/stamps.h"

#include "base/cache.h"
#include "base/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void hash_environment(struct hw_hash *h)
{
    static const char *const names[] = { "CPATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH" };
    for (size_t i = 0; i < HW_LEN(names); i++) {
        const char *value = getenv(names[i]);
        hw_hash_str(h, value ? value : "");
    }
}

bool cc_cache_open(struct cc_cache *c, const struct cc_job *job, const char *source, const struct cli_args *command)
{
    char *dir = hw_cache_dir("cc"), *exe = cli_path("bin/hostwarp"), *cwd = get_current_dir_name(), hex[33];
    const char *temp = cli_temp_dir();
    size_t n;
    char *text = dir ? hw_file_read(source, &n) : NULL;
    bool ok = dir && text && cwd && temp && !strstr(text, "__DATE__") && !strstr(text, "__TIME__");
    memset(c, 0, sizeof *c);
    if (ok) {
        struct hw_hash h;
        hw_hash_init(&h);
        stamps_hash_identity(&h, exe);
        stamps_hash_identity(&h, command->w.v[0]);
        hw_hash_add(&h, text, n);
        hw_hash_str(&h, cwd);
        hash_environment(&h);
        for (size_t i = 0; i < command->w.n; i++)                /* names of temporary files say nothing */
            if (strncmp(command->w.v[i], temp, strlen(temp)) != 0)
                hw_hash_str(&h, command->w.v[i]);
        hw_hash_u64(&h, (uint64_t)job->device_debug | (uint64_t)job->line_info << 1 | (uint64_t)job->rdc << 2);
        for (size_t i = 0; i < job->device.w.n; i++)
            hw_hash_str(&h, job->device.w.v[i]);
        hw_hash_hex(&h, hex);
        c->object = hw_sprintf("%s/%s.o", dir, hex);
        c->list = hw_sprintf("%s/%s.list", dir, hex);
        c->depfile = hw_sprintf("%s/cache.d", temp);
    }
    hw_free(dir);
    hw_free(exe);
    hw_free(text);
    free(cwd);
    return ok;
}

static bool copy(const char *from, const char *to)
{
    size_t n;
    char *data = hw_file_read(from, &n);
    bool ok = data && hw_file_write(to, data, n);
    hw_free(data);
    return ok;
}

bool cc_cache_get(const struct cc_cache *c, const char *object)
{
    if (!hw_cache_fit(c->object) || !hw_cache_fit(c->list) || !stamps_hold(c->list) || !copy(c->object, object))
        return false;
    hw_cache_used(c->object);
    hw_cache_used(c->list);
    return true;
}

/* The list comes last, and both under their names at once: another process never sees half of one. */
void cc_cache_put(const struct cc_cache *c, const char *object)
{
    struct hw_str stamps = { 0 };
    char *fresh = hw_sprintf("%s.%d", c->object, (int)getpid());
    stamps_of_depfile(c->depfile, &stamps);
    unlink(c->list);
    if (stamps.n && copy(object, fresh) && rename(fresh, c->object) == 0 && hw_cache_write(fresh, stamps.s, stamps.n))
        rename(fresh, c->list);
    else if (stamps.n)
        hw_cache_complain(c->object, strerror(errno));
    hw_str_fini(&stamps);
    hw_free(fresh);
    char *dir = hw_cache_dir("cc");
    if (dir)
        hw_cache_trim(dir, hw_cache_limit());
    hw_free(dir);
}

void cc_cache_close(struct cc_cache *c)
{
    hw_free(c->object);
    hw_free(c->list);
    hw_free(c->depfile);
}
