/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "driver/unseen.h"

#include "base/lock.h"
#include "base/options.h"
#include "base/os.h"
#include "base/str.h"
#include "base/vec.h"
#include "driver/bodies.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- for listeners ---- */

static _Thread_local struct { const char *error; char *args, *why; } kept;

static void drop_kept(void)
{
    hw_free(kept.args);
    hw_free(kept.why);
    kept.error = NULL;
    kept.args = kept.why = NULL;
}

void unseen_keep(const char *error, char *args, char *why)
{
    drop_kept();
    kept.error = error;
    kept.args = args;
    kept.why = why;
}

void unseen_tell(struct hook_call *call)
{
    if (call->result) {
        call->error = kept.error;
        call->args = kept.args;
        call->why = kept.why;
    }
    hook_api_leave(call);
    drop_kept();
}

/* ---- for the end of the program ---- */

enum { DEEPEST = 24, MOST = 16 };

struct failure {
    const char *name;
    const void *caller;
    char *error, *args, *why;
    pthread_t thread;
    bool seen, inside;           /* inside: of a call of the runtime, which speaks for it */
    int n_frames;
    void *frames[DEEPEST];
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct failure *failures[MOST] HW_GUARDED_BY(mu);
static unsigned n_failures HW_GUARDED_BY(mu);
static _Atomic int owner;                        /* the process that they happened in: children tell nothing of them */

/* ROOT/bin/hostwarp; this library is in ROOT/lib. */
static char *find_command(void)
{
    Dl_info info;
    char *file = dladdr((void *)(uintptr_t)find_command, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL, *command = NULL;
    for (int up = 0; file && up < 2; up++) {
        char *slash = strrchr(file, '/');
        if (slash)
            *slash = 0;
    }
    if (file)
        command = hw_sprintf("%s/bin/hostwarp", file);
    free(file);
    return command;
}

/* One failure in the lines that the command reads (check/report.c has the same). */
static void describe(struct hw_str *out, const struct failure *f)
{
    struct hw_str place = { 0 };
    hw_str_printf(out, "begin\tapi.failed\t0\t\ntitle\t\t\t%s: %s%s%s%s\n", f->name, f->error, f->why ? " (" : "", f->why ? f->why : "", f->why ? ")" : "");
    hw_call_place(f->caller, &place);
    hw_str_printf(out, "caller\t\t%s\t\n", place.s ? place.s : "");
    place.n = 0;
    for (int k = 0; k < f->n_frames; k++)
        if (hw_call_place(f->frames[k], &place))
            hw_str_puts(&place, " ");
    hw_str_printf(out, "host\tcall\t%s\t%s\nend\t\t\t\n", place.n ? place.s : "", f->name);
    hw_str_fini(&place);
}

static void feed(int to, const char *text, size_t n)
{
    while (n) {
        ssize_t k = write(to, text, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return;
        text += k;
        n -= (size_t)k;
    }
}

/* The command is not ours to check or to profile, and its own end tells nothing. */
static void ask_command(const char *command, const struct hw_str *text)
{
    char *argv[] = { (char *)command, "unseen", NULL }, *envp[] = { "PATH=/usr/bin:/bin", NULL };
    posix_spawn_file_actions_t actions;
    int file = memfd_create("unseen", MFD_CLOEXEC), status;
    pid_t pid;
    if (file < 0)
        return;
    feed(file, text->s, text->n);
    lseek(file, 0, SEEK_SET);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, file, 0);
    if (posix_spawn(&pid, command, &actions, NULL, argv, envp) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
    posix_spawn_file_actions_destroy(&actions);
    close(file);
}

static void at_exit(void)
{
    struct hw_str text = { 0 };
    if (atomic_load(&owner) != getpid())
        return;
    hw_lock(&mu);
    for (unsigned k = 0; k < n_failures; k++)
        if (!failures[k]->seen && !failures[k]->inside)
            describe(&text, failures[k]);
    hw_unlock(&mu);
    char *command = text.n ? find_command() : NULL;
    if (command && access(command, X_OK) == 0)
        ask_command(command, &text);
    hw_free(command);
    hw_str_fini(&text);
}

/* The one that is known of this place; its words are the first one's. */
static struct failure *known(const char *name, const void *caller)
{
    for (unsigned k = 0; k < n_failures; k++)
        if (failures[k]->caller == caller && strcmp(failures[k]->name, name) == 0)
            return failures[k];
    return NULL;
}

static void failure_free(struct failure *f)
{
    hw_free(f->error);
    hw_free(f->args);
    hw_free(f->why);
    hw_free(f);
}

static void keep(const char *name, const void *caller, const char *error, char *args, char *why)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&owner, &none, getpid()))
        atexit(at_exit);
    hw_lock(&mu);
    struct failure *f = known(name, caller);
    bool is_new = !f && n_failures < MOST;
    if (f) {
        f->seen = false;
        f->thread = pthread_self();
    }
    hw_unlock(&mu);
    if (!is_new) {
        hw_free(args);
        hw_free(why);
        return;
    }
    f = hw_alloc(sizeof *f);
    *f = (struct failure){ .name = name, .caller = caller, .error = hw_strdup(error), .args = args, .why = why, .thread = pthread_self() };
    f->n_frames = backtrace(f->frames, DEEPEST);         /* takes locks of its own */
    hw_lock(&mu);
    bool kept = n_failures < MOST && !known(name, caller);      /* another thread may have been faster */
    if (kept)
        failures[n_failures++] = f;
    hw_unlock(&mu);
    if (!kept)
        failure_free(f);
}

/* Things that are asked and not done: an answer of theirs is no failure. */
static bool is_question(const char *name)
{
    static const char *const words[] = { "Query", "GetAttribute", "GetErrorName", "GetErrorString", "CanAccessPeer", "GetProcAddress", "GetDriverEntryPoint" };
    for (size_t k = 0; k < HW_LEN(words); k++)
        if (strstr(name, words[k]))
            return true;
    return false;
}

void unseen_driver(const char *name, const void *caller, CUresult rc, char *args, char *why)
{
    const char *error = "unknown error";
    if (!hw_options()->unseen || rc == CUDA_ERROR_NOT_READY || rc == CUDA_ERROR_DEINITIALIZED || is_question(name)) {
        hw_free(args);
        hw_free(why);
        return;
    }
    do_cuGetErrorString(rc, &error);
    keep(name, caller, error, args, why);
}

/* What the driver answered inside of this call is a part of it, and knows why. */
static void take_inner(const void *caller, char **why)
{
    hw_lock(&mu);
    for (unsigned k = 0; k < n_failures; k++) {
        struct failure *f = failures[k];
        bool within = false;
        for (int j = 0; j < f->n_frames && f->caller != caller && !f->inside && pthread_equal(f->thread, pthread_self()); j++)
            within |= f->frames[j] == caller;
        if (!within)
            continue;
        f->inside = true;
        if (!*why && f->why)
            *why = hw_strdup(f->why);
    }
    hw_unlock(&mu);
}

void unseen_runtime(const char *name, const void *caller, int rc, const char *error, char *args, char *why)
{
    if (!hw_options()->unseen || rc == CUDA_ERROR_DEINITIALIZED || is_question(name)) {
        hw_free(args);
        hw_free(why);
        return;
    }
    take_inner(caller, &why);
    keep(name, caller, error, args, why);
}

void unseen_seen(void)
{
    hw_lock(&mu);
    for (unsigned k = 0; k < n_failures; k++)
        if (pthread_equal(failures[k]->thread, pthread_self()))
            failures[k]->seen = true;
    hw_unlock(&mu);
}
