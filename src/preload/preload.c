/* SPDX-License-Identifier: Apache-2.0 */
/* The preloaded library of `hostwarp check`: functions of the C library that the checker must hear of. Each does what it always does. */
#define _GNU_SOURCE
#include "preload/calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct preload_calls hostwarp_preload_calls;
static struct preload_calls *const calls = &hostwarp_preload_calls;
static _Thread_local bool inside;                /* the checker's own calls are not told */

/* The function that would have been called. */
#define NEXT(name)                                             \
    static __typeof__(&name) next;                             \
    if (!next)                                                 \
        *(void **)(void *)&next = dlsym(RTLD_NEXT, #name);

/* ---- the end of memory ---- */

static void tell_free(const void *p, size_t bytes, const char *call, const void *caller)
{
    int saved = errno;
    inside = true;
    calls->frees(p, bytes, call, caller);
    inside = false;
    errno = saved;
}

#define TELL_FREE(p, bytes, call)                                                                        \
    do {                                                                                                 \
        if (__builtin_expect(atomic_load_explicit(&calls->any_watched, memory_order_acquire), 0) && (p) && !inside) \
            tell_free(p, bytes, call, __builtin_return_address(0));                                      \
    } while (0)

EXPORT void free(void *p)
{
    NEXT(free)
    TELL_FREE(p, malloc_usable_size(p), "free()");
    next(p);
}

EXPORT void *realloc(void *p, size_t bytes)
{
    NEXT(realloc)
    if (p && bytes > malloc_usable_size(p))      /* what fits stays where it is */
        TELL_FREE(p, malloc_usable_size(p), "realloc()");
    return next(p, bytes);
}

EXPORT int munmap(void *p, size_t bytes)
{
    NEXT(munmap)
    TELL_FREE(p, bytes, "munmap()");
    return next(p, bytes);
}

/* ---- threads ---- */

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    NEXT(pthread_create)
    if (calls->thread_made)
        calls->thread_made();
    else
        atomic_store(&calls->any_thread, true);
    return next(thread, attr, fn, arg);
}

/* ---- buffers of files: the system writes and reads them inside of the C library, so they must not lie beside memory that may be protected ---- */

__attribute__((constructor)) static void buffer_of_stdout(void)
{
    static char buffer[BUFSIZ];
    setvbuf(stdout, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
}

/* A page of its own, as long as something is watched. It stays when the file is closed. */
static FILE *with_buffer(FILE *f)
{
    if (!f || !atomic_load_explicit(&calls->any_watched, memory_order_acquire))
        return f;
    void *p = mmap(NULL, BUFSIZ, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED)
        setvbuf(f, p, _IOFBF, BUFSIZ);
    return f;
}

EXPORT FILE *fopen(const char *name, const char *mode)
{
    NEXT(fopen)
    return with_buffer(next(name, mode));
}

EXPORT FILE *fopen64(const char *name, const char *mode)
{
    NEXT(fopen64)
    return with_buffer(next(name, mode));
}

EXPORT FILE *fdopen(int fd, const char *mode)
{
    NEXT(fdopen)
    return with_buffer(next(fd, mode));
}

/* ---- signals: a fault that is blocked would end the process ---- */

static const sigset_t *without_faults(int how, const sigset_t *set, sigset_t *mine)
{
    if (!set || how == SIG_UNBLOCK || !calls->frees)
        return set;
    *mine = *set;
    sigdelset(mine, SIGSEGV);
    sigdelset(mine, SIGTRAP);
    return mine;
}

/* Ours stays the first, and passes on what is not for it. */
static void handler_set(int sig)
{
    if (sig != SIGSEGV || !calls->handler_set || inside)
        return;
    inside = true;
    calls->handler_set();
    inside = false;
}

EXPORT int sigaction(int sig, const struct sigaction *now, struct sigaction *old)
{
    NEXT(sigaction)
    int rc = next(sig, now, old);
    if (rc == 0 && now)
        handler_set(sig);
    return rc;
}

EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
    NEXT(signal)
    sighandler_t rc = next(sig, handler);
    if (rc != SIG_ERR)
        handler_set(sig);
    return rc;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    NEXT(pthread_sigmask)
    sigset_t mine;
    return next(how, without_faults(how, set, &mine), old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    NEXT(sigprocmask)
    sigset_t mine;
    return next(how, without_faults(how, set, &mine), old);
}

/* ---- what the system reads and writes ---- */

static bool begin(const void *p, size_t bytes)
{
    if (__builtin_expect(!atomic_load_explicit(&calls->any_guarded, memory_order_acquire), 1) || inside || !bytes)
        return false;
    int saved = errno;
    calls->io_begins(p, bytes);
    errno = saved;
    return true;
}

static void end(const void *p, size_t bytes, ssize_t moved, bool writes, const void *caller)
{
    int saved = errno;
    inside = true;
    calls->io_ends(p, bytes, moved > 0 ? (size_t)moved : 0, writes, caller);
    inside = false;
    errno = saved;
}

/* The body of a function that moves `n` bytes at `p` and answers how many: CALL is the function itself. */
#define MOVE(name, p, n, writes, ...)                                      \
    NEXT(name)                                                             \
    bool told = begin(p, n);                                               \
    __typeof__(next(__VA_ARGS__)) rc = next(__VA_ARGS__);                  \
    if (told)                                                              \
        end(p, n, (ssize_t)rc, writes, __builtin_return_address(0));       \
    return rc;

EXPORT ssize_t read(int fd, void *p, size_t n) { MOVE(read, p, n, true, fd, p, n) }
EXPORT ssize_t write(int fd, const void *p, size_t n) { MOVE(write, p, n, false, fd, p, n) }
EXPORT ssize_t pread(int fd, void *p, size_t n, off_t at) { MOVE(pread, p, n, true, fd, p, n, at) }
EXPORT ssize_t pwrite(int fd, const void *p, size_t n, off_t at) { MOVE(pwrite, p, n, false, fd, p, n, at) }
EXPORT ssize_t recv(int fd, void *p, size_t n, int flags) { MOVE(recv, p, n, true, fd, p, n, flags) }
EXPORT ssize_t send(int fd, const void *p, size_t n, int flags) { MOVE(send, p, n, false, fd, p, n, flags) }
EXPORT ssize_t recvfrom(int fd, void *p, size_t n, int flags, struct sockaddr *from, socklen_t *bytes) { MOVE(recvfrom, p, n, true, fd, p, n, flags, from, bytes) }
EXPORT ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *to, socklen_t bytes) { MOVE(sendto, p, n, false, fd, p, n, flags, to, bytes) }
EXPORT ssize_t getrandom(void *p, size_t n, unsigned flags) { MOVE(getrandom, p, n, true, p, n, flags) }

/* These count in elements. */
EXPORT size_t fread(void *p, size_t bytes, size_t n, FILE *in)
{
    NEXT(fread)
    bool told = begin(p, bytes * n);
    size_t rc = next(p, bytes, n, in);
    if (told)
        end(p, bytes * n, (ssize_t)(rc * bytes), true, __builtin_return_address(0));
    return rc;
}

EXPORT size_t fwrite(const void *p, size_t bytes, size_t n, FILE *out)
{
    NEXT(fwrite)
    bool told = begin(p, bytes * n);
    size_t rc = next(p, bytes, n, out);
    if (told)
        end(p, bytes * n, (ssize_t)(rc * bytes), false, __builtin_return_address(0));
    return rc;
}

/* Several pieces, one after the other. */
static void tell_pieces(const struct iovec *v, int n, ssize_t moved, bool writes, const void *caller)
{
    for (int k = 0; k < n; k++) {
        ssize_t part = moved < (ssize_t)v[k].iov_len ? moved : (ssize_t)v[k].iov_len;
        if (v[k].iov_len)
            end(v[k].iov_base, v[k].iov_len, part, writes, caller);
        moved -= part > 0 ? part : 0;
    }
}

static bool begin_pieces(const struct iovec *v, int n)
{
    bool told = false;
    for (int k = 0; k < n; k++)
        told |= begin(v[k].iov_base, v[k].iov_len);
    return told;
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
    NEXT(readv)
    bool told = begin_pieces(v, n);
    ssize_t rc = next(fd, v, n);
    if (told)
        tell_pieces(v, n, rc, true, __builtin_return_address(0));
    return rc;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
    NEXT(writev)
    bool told = begin_pieces(v, n);
    ssize_t rc = next(fd, v, n);
    if (told)
        tell_pieces(v, n, rc, false, __builtin_return_address(0));
    return rc;
}

/* 64-bit names of the same. */
EXPORT ssize_t pread64(int fd, void *p, size_t n, off64_t at) __attribute__((alias("pread")));
EXPORT ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at) __attribute__((alias("pwrite")));
