/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all fuzzers share: options, random numbers, processes with a time limit, and counts that are printed however a run ends.
 *
 *   --seed S      where the random numbers begin; `random` takes one from the system. It is printed first and last.
 *   --cases N     end after so many cases
 *   --from N      the first case, 0
 *   --seconds T   end after so many seconds
 *
 * SIGTERM and SIGINT end a run early: the line with the seed and the counts of what was done comes all the same, also after a crash.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* --- options --- */

/* An option of one fuzzer: --NAME VALUE. */
struct fuzz_option {
    const char *name, *help;
    const char **value;
};

/* What a run without options does; changed by --seed, --cases, --seconds. 0: no limit. */
struct fuzz_plan {
    const char *name;            /* "not ok" and counts are printed under it */
    uint64_t seed, cases;
    double seconds;
    const char *things;          /* what fuzz_count() counts, "calls"; NULL: nothing */
};
extern struct fuzz_plan fuzz_plan;

/* Variables that the driver reads when it is loaded, with the program itself: "NAME", "value", ..., NULL. Those that have no value get this one, and the
   program is started again. */
void fuzz_settings(const char *const *pairs, char **argv);

/* Reads the options, prints the seed, starts the clock and takes the signals. Does not return from --help and from what it does not know. */
void fuzz_begin(struct fuzz_plan plan, int argc, char **argv, const struct fuzz_option *own);

/* --- a run --- */

/* Is there time for another case? Those before it are done. The cases of one seed are numbered from 0. */
bool fuzz_more(uint64_t *out_number);

/* The same for several at once, `most` if there are as many: how many, 0 at the end. */
uint64_t fuzz_take(uint64_t most, uint64_t *out_first);

/* More than one thing may be done in a case; kept in memory that all processes of a run share. */
void fuzz_count(uint64_t n);

/* A finding: prints `not ok` and what is told. From any process of the run. */
void fuzz_bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fuzz_bad_in(uint64_t number, const char *fmt, ...) __attribute__((format(printf, 2, 3)));   /* and how to run that case again */

/* Prints the seed and the counts; the exit status of main. Without cases that were run it is not 0. */
int fuzz_end(void);

/* --- random numbers (splitmix64) --- */

struct fuzz_random { uint64_t state; };
struct fuzz_random fuzz_random(uint64_t seed, uint64_t number);       /* of a case: the same in every run */
uint64_t fuzz_u64(struct fuzz_random *r);
uint32_t fuzz_below(struct fuzz_random *r, uint32_t n);               /* 0 ... n - 1 */
#define FUZZ_ANY(r, array) ((array)[fuzz_below(r, sizeof(array) / sizeof(array)[0])])

/* A number that is often interesting: 0, 1, powers of two and beside them, the largest; or anything. */
uint64_t fuzz_odd(struct fuzz_random *r);

/* Changes some bytes: flips bits, sets bytes and words to odd numbers, copies pieces. */
void fuzz_mutate(struct fuzz_random *r, void *data, size_t bytes);

/* --- processes --- */

struct fuzz_ending {
    bool late;                   /* it was killed after the time limit */
    int signal, status;          /* the signal that ended it, or 0; its exit status */
};

/* Runs fn in a process of its own, which ends when this one does; at most so many seconds. */
struct fuzz_ending fuzz_apart(void (*fn)(void *), void *arg, double seconds);

/* Everything all right? */
static inline bool fuzz_good(struct fuzz_ending e) { return !e.late && !e.signal && !e.status; }

/* "signal 11", "no end after 20 s", "exit status 3": in a buffer that the next call reuses. */
const char *fuzz_ending_text(struct fuzz_ending e);

/* A whole run: cases in processes of their own, `together` of them in each, which have so many seconds each. `before` is called first in each
   process (may be NULL). What ends a process is a finding, of the case that it was at, and says what it was doing. Returns the exit status of main. */
int fuzz_cases(void (*before)(void), void (*one)(uint64_t number), unsigned together, double seconds);
void fuzz_doing(const char *what);                           /* a text that stays */
void fuzz_fresh(void);                                       /* this case is done, and the next ones want a new process: does not return */

double fuzz_now(void);

/* BUILD/meson/tests/fuzz-NAME is this program, BUILD/lib/libcuda.so.1 its driver. */
const char *fuzz_own_library(void);

#endif
