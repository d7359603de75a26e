/* SPDX-License-Identifier: Apache-2.0 */
/* Options, processes and counts of all fuzzers. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct fuzz_plan fuzz_plan;

/* Shared by all processes of a run. */
static struct counts {
    _Atomic uint64_t cases, things, bad;         /* cases: those that are done */
    _Atomic uint64_t at;         /* fuzz_cases(): the case that a process is at */
    const char *_Atomic doing;
    _Atomic uint64_t slowest_us, slowest;        /* and which one that was */
} *counts;
static uint64_t taken, from;     /* cases that were begun; number of the first */
static double start, limit_s;    /* limit_s: of a process, for its text */
static pid_t owner;              /* who prints the last line */

static const int signals[] = { SIGTERM, SIGINT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };

double fuzz_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- options --- */

static void last_line(char *out, size_t bytes, const char *why)
{
    uint64_t bad = counts->bad, cases = counts->cases;
    char things[64] = "";
    if (counts->at > from + cases)
        cases = counts->at - from;               /* stopped within a batch */
    if (fuzz_plan.things)
        snprintf(things, sizeof things, ", %llu %s", (unsigned long long)counts->things, fuzz_plan.things);
    snprintf(out, bytes, "%s %s: seed %llu, %llu cases%s, %llu findings, %.1f s%s\n", bad ? "not ok" : "ok", fuzz_plan.name,
        (unsigned long long)fuzz_plan.seed,
             (unsigned long long)cases, things, (unsigned long long)bad, fuzz_now() - start, why);
}

/* What was printed before may be in a buffer, perhaps half of it: left alone. The line says what is needed to go on. */
static void stopped(int sig)
{
    char text[256], why[64];
    bool crash = sig != SIGTERM && sig != SIGINT;
    if (getpid() == owner) {
        counts->bad += crash;
        snprintf(why, sizeof why, crash ? ", signal %d in the next case" : ", stopped by signal %d", sig);
        last_line(text, sizeof text, why);
        if (write(STDOUT_FILENO, text, strlen(text)) < 0)
            _exit(2);
    }
    if (crash) {
        signal(sig, SIG_DFL);    /* the way it would have ended */
        raise(sig);
        return;
    }
    _exit(counts->bad ? 1 : 128 + sig);
}

static uint64_t seed_of(const char *text)
{
    uint64_t seed;
    if (strcmp(text, "random"))
        return strtoull(text, NULL, 0);
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uint64_t)time(NULL);
    return seed >> 16;           /* shorter to type */
}

static void usage(const struct fuzz_option *own, bool good)
{
    FILE *to = good ? stdout : stderr;
    fprintf(to, "usage: fuzz-%s [OPTION VALUE]...\n  --seed      %llu: a number, or random\n  --cases     %llu (0: no limit)\n  --seconds   %g (0: no limit)\n  --from      0: the first case\n", fuzz_plan.name,
            (unsigned long long)fuzz_plan.seed, (unsigned long long)fuzz_plan.cases, fuzz_plan.seconds);
    for (; own && own->name; own++)
        fprintf(to, "  --%-9s %s\n", own->name, own->help);
    exit(good ? 0 : 2);
}

static bool take_option(const char *name, const char *value, const struct fuzz_option *own)
{
    if (!strcmp(name, "seed")) fuzz_plan.seed = seed_of(value);
    else if (!strcmp(name, "cases")) fuzz_plan.cases = strtoull(value, NULL, 0);
    else if (!strcmp(name, "from")) from = strtoull(value, NULL, 0);
    else if (!strcmp(name, "seconds")) fuzz_plan.seconds = strtod(value, NULL);
    else {
        for (; own && own->name && strcmp(own->name, name); own++) {}
        if (!own || !own->name)
            return false;
        *own->value = value;
    }
    return true;
}

void fuzz_settings(const char *const *pairs, char **argv)
{
    bool again = false;
    for (; *pairs; pairs += 2)
        if (!getenv(pairs[0])) {
            setenv(pairs[0], pairs[1], 1);
            again = true;
        }
    if (again) {
        execv("/proc/self/exe", argv);
        perror("/proc/self/exe");
        exit(2);
    }
}

void fuzz_begin(struct fuzz_plan plan, int argc, char **argv, const struct fuzz_option *own)
{
    fuzz_plan = plan;
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--help"))
            usage(own, true);
        bool limits = !strcmp(argv[i], "--cases") || !strcmp(argv[i], "--seconds");
        if (limits && plan.name) {               /* a limit that is given replaces both of the plan's */
            fuzz_plan.cases = 0;
            fuzz_plan.seconds = 0;
            plan.name = NULL;
        }
        if (strncmp(argv[i], "--", 2) || i + 1 == argc || !take_option(argv[i] + 2, argv[i + 1], own))
            usage(own, false);
    }
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        exit(2);
    owner = getpid();
    start = fuzz_now();
    struct sigaction sa = { .sa_handler = stopped };
    for (unsigned k = 0; k < sizeof signals / sizeof signals[0]; k++)
        sigaction(signals[k], &sa, NULL);
    printf("# %s: seed %llu\n", fuzz_plan.name, (unsigned long long)fuzz_plan.seed);
    fflush(stdout);
}

/* --- a run --- */

static bool time_is_over(void) { return fuzz_plan.seconds > 0 && fuzz_now() - start >= fuzz_plan.seconds; }

uint64_t fuzz_take(uint64_t most, uint64_t *out_first)
{
    counts->cases = taken;
    if (time_is_over())
        return 0;
    if (fuzz_plan.cases && most > fuzz_plan.cases - taken)
        most = fuzz_plan.cases - taken;
    *out_first = from + taken;
    taken += most;
    return most;
}

bool fuzz_more(uint64_t *out_number) { return fuzz_take(1, out_number) != 0; }

void fuzz_count(uint64_t n) { counts->things += n; }

static void tell(const char *before, const char *fmt, va_list args, const char *behind)
{
    counts->bad++;
    printf("not ok %s: %s", fuzz_plan.name, before);
    vprintf(fmt, args);
    printf("%s\n", behind);
    fflush(stdout);
}

void fuzz_bad(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tell("", fmt, args, "");
    va_end(args);
}

void fuzz_bad_in(uint64_t number, const char *fmt, ...)
{
    char before[32], behind[128];
    va_list args;
    snprintf(before, sizeof before, "case %llu: ", (unsigned long long)number);
    snprintf(behind, sizeof behind, "; again: fuzz-%.30s --seed %llu --from %llu --cases 1", fuzz_plan.name, (unsigned long long)fuzz_plan.seed,
             (unsigned long long)number);
    va_start(args, fmt);
    tell(before, fmt, args, behind);
    va_end(args);
}

int fuzz_end(void)
{
    char text[256];
    counts->cases = taken;
    last_line(text, sizeof text, "");
    fputs(text, stdout);
    fflush(stdout);
    return counts->bad || !counts->cases;
}

/* --- random numbers --- */

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Mixed twice: from `number` alone each case would go on where the one before has taken one step. */
struct fuzz_random fuzz_random(uint64_t seed, uint64_t number) { return (struct fuzz_random){ mixed(mixed(seed + 0x9e3779b97f4a7c15u) + number) }; }

uint64_t fuzz_u64(struct fuzz_random *r) { return mixed(r->state += 0x9e3779b97f4a7c15u); }

uint32_t fuzz_below(struct fuzz_random *r, uint32_t n) { return n ? (uint32_t)(fuzz_u64(r) >> 32) % n : 0; }

uint64_t fuzz_odd(struct fuzz_random *r)
{
    switch (fuzz_below(r, 5)) {
    case 0: return fuzz_below(r, 4);
    case 1: return ((uint64_t)1 << fuzz_below(r, 64)) + fuzz_below(r, 3) - 1;
    case 2: return UINT64_MAX >> fuzz_below(r, 64);
    case 3: return -(uint64_t)fuzz_below(r, 20);
    default: return fuzz_u64(r) >> fuzz_below(r, 64);
    }
}

void fuzz_mutate(struct fuzz_random *r, void *data, size_t bytes)
{
    unsigned char *p = data;
    for (unsigned times = 1 + fuzz_below(r, 4); times && bytes; times--) {
        size_t at = fuzz_u64(r) % bytes, from = fuzz_u64(r) % bytes, n = 1 + fuzz_below(r, 32);
        uint64_t odd = fuzz_odd(r);
        n = n > bytes - at ? bytes - at : n;
        n = n > bytes - from ? bytes - from : n;
        switch (fuzz_below(r, 4)) {
        case 0: p[at] ^= (unsigned char)(1u << fuzz_below(r, 8)); break;
        case 1: p[at] = (unsigned char)odd; break;
        case 2: memcpy(p + at, &odd, n < 8 ? n : fuzz_below(r, 2) ? 8 : 4); break;
        default: memmove(p + at, p + from, n); break;
        }
    }
}

/* --- processes --- */

static pid_t start_process(void (*fn)(void *), void *arg)
{
    pid_t parent = getpid();
    fflush(stdout);
    fflush(stderr);
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (unsigned k = 0; k < sizeof signals / sizeof signals[0]; k++)
        signal(signals[k], SIG_DFL);
    fn(arg);
    fflush(stdout);
    _exit(0);
}

/* False when the time is over. */
static bool ends_within(pid_t pid, double seconds)
{
    double end = fuzz_now() + seconds;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0) {                /* an old kernel: looks now and then */
        siginfo_t info = { 0 };
        while (!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid && fuzz_now() < end)
            usleep(1000);
        return info.si_pid != 0;
    }
    struct pollfd p = { .fd = fd, .events = POLLIN };
    int n;
    do {
        double left = end - fuzz_now();
        n = poll(&p, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
    } while (n < 0 && errno == EINTR);
    close(fd);
    return n > 0;
}

struct fuzz_ending fuzz_apart(void (*fn)(void *), void *arg, double seconds)
{
    struct fuzz_ending e = { 0 };
    int status = 0;
    limit_s = seconds;
    pid_t pid = start_process(fn, arg);
    if (pid < 0)
        return (struct fuzz_ending){ .status = 126 };
    if (!ends_within(pid, seconds)) {
        e.late = true;
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (!e.late && WIFSIGNALED(status))
        e.signal = WTERMSIG(status);
    if (!e.late && WIFEXITED(status))
        e.status = WEXITSTATUS(status);
    return e;
}

const char *fuzz_ending_text(struct fuzz_ending e)
{
    static char text[64];
    if (e.late)
        snprintf(text, sizeof text, "no end after %g s", limit_s);
    else if (e.signal)
        snprintf(text, sizeof text, "signal %d", e.signal);
    else
        snprintf(text, sizeof text, "exit status %d", e.status);
    return text;
}

enum { FRESH = 111 };            /* exit status */

void fuzz_fresh(void)
{
    fflush(stdout);
    _exit(FRESH);
}

void fuzz_doing(const char *what) { counts->doing = what; }

struct batch {
    void (*before)(void), (*one)(uint64_t);
    uint64_t at, end;
};

static void run_batch(void *arg)
{
    struct batch *b = arg;
    if (b->before)
        b->before();
    for (uint64_t first = b->at; b->at < b->end && (b->at == first || !time_is_over()); b->at++) {
        double begun = fuzz_now();
        counts->at = b->at;
        b->one(b->at);
        uint64_t us = (uint64_t)((fuzz_now() - begun) * 1e6);
        if (us > counts->slowest_us) {
            counts->slowest_us = us;
            counts->slowest = b->at;
        }
    }
    counts->at = b->at;
}

int fuzz_cases(void (*before)(void), void (*one)(uint64_t number), unsigned together, double seconds)
{
    uint64_t first, n;
    while ((n = fuzz_take(together, &first)))
        for (struct batch b = { before, one, first, first + n }; b.at < b.end && (b.at == first || !time_is_over()); b.at = counts->at + 1) {
            counts->at = b.at;
            counts->doing = NULL;
            struct fuzz_ending e = fuzz_apart(run_batch, &b, seconds * (double)(b.end - b.at));
            taken = counts->at - from + !fuzz_good(e);           /* fewer, where the time was over */
            if (fuzz_good(e))
                break;
            if (e.status == FRESH)
                continue;
            fuzz_bad_in(counts->at, "%s%s%s", fuzz_ending_text(e), counts->doing ? " in " : "", counts->doing ? counts->doing : "");
        }
    printf("# the slowest case, %llu, took %.3f s\n", (unsigned long long)counts->slowest, (double)counts->slowest_us * 1e-6);
    return fuzz_end();
}

const char *fuzz_own_library(void)
{
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    path[n < 0 ? 0 : n] = 0;
    for (int up = 0; up < 3; up++)
        *(strrchr(path, '/') ? strrchr(path, '/') : path) = 0;
    strcat(path, "/lib/libcuda.so.1");
    return path;
}
