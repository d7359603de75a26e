/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that let a command of ours do the work: finding it, running it, taking its folder away. */
#define _GNU_SOURCE
#include "base/child.h"

#include "base/str.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ROOT/lib/libX.so.N, ROOT/nvvm/lib64/libX.so.N: some folders up. */
char *hw_find_command(const void *symbol, const char *relative)
{
    Dl_info info;
    char *file = dladdr(symbol, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL, *command = NULL;
    for (int up = 0; file && up < 4 && !command; up++) {
        char *slash = strrchr(file, '/');
        if (!slash)
            break;
        *slash = 0;
        char *there = hw_sprintf("%s/%s", file, relative);
        if (up && access(there, X_OK) == 0)
            command = there;
        else
            hw_free(there);
    }
    free(file);
    return command;
}

int hw_run(char **argv, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status, rc;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    rc = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

void hw_remove_tree(const char *dir) { nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS); }
