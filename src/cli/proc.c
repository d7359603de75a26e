/* SPDX-License-Identifier: Apache-2.0 */
/* Argument lists, child processes and the temporary folder. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include "base/os.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

const char *cli_command_name = "";

static char *temp_dir;
static bool temp_kept;
static volatile sig_atomic_t child_pid;
static volatile sig_atomic_t caught;

void cli_error(const char *fmt, ...)
{
    va_list ap;
    struct hw_str text = { 0 };
    va_start(ap, fmt);
    hw_str_vprintf(&text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "hostwarp%s%s: error: %s\n", cli_command_name[0] ? " " : "", cli_command_name, text.s);
    hw_str_fini(&text);
}

void cli_add(struct cli_args *args, const char *word)
{
    hw_vec_push(&args->w, hw_strdup(word));
}

void cli_addf(struct cli_args *args, const char *fmt, ...)
{
    va_list ap;
    struct hw_str text = { 0 };
    va_start(ap, fmt);
    hw_str_vprintf(&text, fmt, ap);
    va_end(ap);
    hw_vec_push(&args->w, text.s);
}

void cli_add_all(struct cli_args *args, const struct cli_args *more)
{
    for (size_t i = 0; i < more->w.n; i++)
        cli_add(args, more->w.v[i]);
}

char **cli_argv(struct cli_args *args)
{
    hw_vec_reserve(&args->w, args->w.n + 1);
    args->w.v[args->w.n] = NULL;
    return args->w.v;
}

void cli_args_fini(struct cli_args *args)
{
    for (size_t i = 0; i < args->w.n; i++)
        hw_free(args->w.v[i]);
    hw_vec_fini(&args->w);
}

/* Quoted so that the line can be pasted into a shell. */
static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
    if (word[0] && word[strspn(word, plain)] == 0) {
        fputs(word, stderr);
        return;
    }
    fputc('\'', stderr);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stderr);
        else
            fputc(*word, stderr);
    fputc('\'', stderr);
}

void cli_print_command(const struct cli_args *args)
{
    fputs("#$", stderr);
    for (size_t i = 0; i < args->w.n; i++) {
        fputc(' ', stderr);
        print_word(args->w.v[i]);
    }
    fputc('\n', stderr);
}

/* A signal sent to us alone goes on to the child; one from the terminal reaches it anyway. */
static void pass_on(int sig)
{
    caught = sig;
    if (child_pid > 0)
        kill((pid_t)child_pid, sig);
}

static void child_main(char **argv)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    execvp(argv[0], argv);
    fprintf(stderr, "hostwarp: cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(CLI_NOT_FOUND);
}

int cli_spawn(struct cli_args *args) { return cli_spawn_said(args, NULL); }

int cli_spawn_said(struct cli_args *args, const char *said)
{
    static const int passed[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction act = { .sa_handler = pass_on }, old[HW_LEN(passed)];
    char **argv = cli_argv(args);
    fflush(NULL);
    for (size_t i = 0; i < HW_LEN(passed); i++)
        sigaction(passed[i], &act, &old[i]);
    pid_t pid = fork();
    if (pid == 0) {
        if (said && !freopen(said, "w", stderr))
            _exit(CLI_FAIL);
        child_main(argv);
    }
    child_pid = pid;
    int status = 0, result = CLI_NOT_FOUND;
    if (pid < 0) {
        cli_error("cannot start a process: %s", strerror(errno));
    } else {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    child_pid = 0;
    for (size_t i = 0; i < HW_LEN(passed); i++)
        sigaction(passed[i], &old[i], NULL);
    if (result > 128 && WIFSIGNALED(status) && WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGTERM)
        cli_error("%s was ended by signal %d (%s)", argv[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
    return result;
}

bool cli_start_beside(struct cli_beside *p, struct cli_args *args, const char *said)
{
    char **argv = cli_argv(args);
    p->said = hw_strdup(said);
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0) {
        if (!freopen(said, "w", stderr))
            _exit(CLI_FAIL);
        child_main(argv);
    }
    if (p->pid < 0) {
        cli_error("cannot start a process: %s", strerror(errno));
        hw_free(p->said);
    }
    return p->pid > 0;
}

/* Has it ended? It is not waited for yet. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = { 0 };
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Puts a file into the pipe that the other process reads, if it comes to reading. */
static void feed(pid_t pid, const char *file, const char *pipe)
{
    size_t n = 0, done = 0;
    char *data = hw_file_read(file, &n);
    int fd;
    while ((fd = open(pipe, O_WRONLY | O_NONBLOCK)) < 0 && errno == ENXIO && !has_ended(pid))
        usleep(500);
    if (fd >= 0) {
        fcntl(fd, F_SETFL, 0);
        while (done < n) {
            ssize_t wrote = write(fd, data + done, n - done);
            if (wrote < 0 && errno != EINTR)
                break;
            done += wrote > 0 ? (size_t)wrote : 0;
        }
        close(fd);
    }
    hw_free(data);
}

int cli_finish_beside(struct cli_beside *p, int status, const char *file, const char *pipe, bool *said_nothing)
{
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);
    int how = 0;
    if (status == CLI_OK)
        feed(p->pid, file, pipe);
    else
        kill(p->pid, SIGTERM);                                   /* clang takes its half-written files away */
    child_pid = p->pid;
    while (waitpid(p->pid, &how, 0) < 0 && errno == EINTR)
        ;
    child_pid = 0;
    signal(SIGPIPE, old);
    if (status == CLI_OK) {
        size_t n = 0;
        char *said = hw_file_read(p->said, &n);
        if (said)
            fwrite(said, 1, n, stderr);
        *said_nothing = n == 0;
        hw_free(said);
        status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    }
    hw_free(p->said);
    return status;
}

void cli_exec(struct cli_args *args)
{
    fflush(NULL);
    execvp(cli_argv(args)[0], args->w.v);
}

int cli_caught_signal(void)
{
    return caught;
}

const char *cli_temp_dir(void)
{
    if (temp_dir)
        return temp_dir;
    if (!(temp_dir = hw_temp_dir("hostwarp")))
        cli_error("cannot make a folder for temporary files: %s", strerror(errno));
    return temp_dir;
}

void cli_keep_temp_dir(void)
{
    temp_kept = true;
}

/* Only plain files are ever made in there. */
void cli_remove_temp_dir(void)
{
    if (!temp_dir)
        return;
    if (temp_kept) {
        fprintf(stderr, "hostwarp %s: intermediate files are in %s\n", cli_command_name, temp_dir);
    } else {
        DIR *dir = opendir(temp_dir);
        int fd = dir ? dirfd(dir) : -1;
        for (struct dirent *e; fd >= 0 && (e = readdir(dir));)
            unlinkat(fd, e->d_name, 0);
        if (dir)
            closedir(dir);
        rmdir(temp_dir);
    }
    hw_free(temp_dir);
    temp_dir = NULL;
}
