/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of things that can be made again: each has a limit, and what was not used for the longest time goes first. */
#define _GNU_SOURCE
#include "base/cache.h"

#include "base/options.h"
#include "base/os.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
    char *path;
    struct timespec used;
    uint64_t bytes;
};

void hw_cache_used(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, 0);          /* a file of somebody else's stays as old as it is */
}

/* Open without waiting: a pipe has no other end. -1: not there, or not fit, and then it is gone. */
static int open_fit(const char *path, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (fd < 0 && (errno == ENOENT || errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EINTR))
        return -1;
    if (fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0) && !(st->st_mode & 022))
        return fd;
    if (fd >= 0)
        close(fd);
    remove(path);
    return -1;
}

bool hw_cache_fit(const char *path)
{
    struct stat st;
    int fd = open_fit(path, &st);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

char *hw_cache_read(const char *path, size_t *out_bytes)
{
    struct stat st;
    int fd = open_fit(path, &st);
    char *data = fd >= 0 ? hw_try_alloc((size_t)st.st_size + 1) : NULL;
    size_t n = 0;
    while (data && n < (size_t)st.st_size) {
        ssize_t got = read(fd, data + n, (size_t)st.st_size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            hw_free(data);
            data = NULL;
        }
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    if (fd >= 0)
        close(fd);
    if (data)
        data[n] = 0;
    if (out_bytes)
        *out_bytes = n;
    return data;
}

/* Somebody may take the folder away while it is used. */
static bool make_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash && slash > path ? hw_cache_make(hw_sprintf("%.*s", (int)(slash - path), path)) : NULL;
    hw_free(dir);
    return dir != NULL;
}

bool hw_cache_write(const char *path, const void *data, size_t bytes)
{
    bool ok = hw_file_write(path, data, bytes);
    for (int again = 0; !ok && errno == ENOENT && again < 3 && make_folder_of(path); again++)
        ok = hw_file_write(path, data, bytes);
    if (!ok)
        hw_cache_complain(path, strerror(errno));
    return ok;
}

static int older_first(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

void hw_cache_trim(const char *dir, uint64_t limit)
{
    HW_VEC(struct entry) all = { 0 };
    uint64_t total = 0;
    DIR *d = limit ? opendir(dir) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        struct entry entry = { .path = hw_sprintf("%s/%s", dir, e->d_name) };
        if (lstat(entry.path, &st) != 0 || !S_ISREG(st.st_mode)) {
            hw_free(entry.path);
            continue;
        }
        entry.used = st.st_mtim;
        entry.bytes = (uint64_t)st.st_blocks * 512;
        total += entry.bytes;
        hw_vec_push(&all, entry);
    }
    if (d)
        closedir(d);
    /* A quarter less than the limit, so that the next one need not take away again at once. */
    uint64_t keep = total > limit ? limit - limit / 4 : total;
    if (total > keep)
        qsort(all.v, all.n, sizeof *all.v, older_first);
    for (size_t i = 0; i < all.n; i++) {
        if (total > keep && unlink(all.v[i].path) == 0)
            total -= all.v[i].bytes;
        hw_free(all.v[i].path);
    }
    hw_vec_fini(&all);
}

uint64_t hw_cache_limit(void)
{
    return (uint64_t)hw_options()->cache_mib << 20;
}

char *hw_cache_kernels(void)
{
    const struct hw_cuda_env *env = hw_cuda_env();
    if (env->cache_disable || (env->cache_maxsize == 0 && !hw_option_set("HOSTWARP_CACHE_MIB")))
        return NULL;
    if (hw_option_set("HOSTWARP_CACHE") || !env->cache_path || !*env->cache_path)
        return hw_cache_dir("kernels");
    /* A folder of our own in it: what lies beside belongs to somebody else, and hw_cache_trim() must not see it. */
    return hw_cache_make(hw_sprintf("%s/hostwarp", env->cache_path));
}

uint64_t hw_cache_kernels_limit(void)
{
    int64_t bytes = hw_cuda_env()->cache_maxsize;
    return bytes > 0 && !hw_option_set("HOSTWARP_CACHE_MIB") ? (uint64_t)bytes : hw_cache_limit();
}
