/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of verify.c share. */
#ifndef CORE_VERIFY_INTERNAL_H
#define CORE_VERIFY_INTERNAL_H

#include "base/vec.h"
#include "core/verify/verify.h"
#include "kabi/kabi.h"

#include <stdatomic.h>
#include <sys/types.h>

struct exec_launch;
struct function;

/* Why two right runs of a kernel may differ: found in its code. */
enum verify_trait {
    VERIFY_ATOMICS = 1,          /* who comes first */
    VERIFY_FLOAT_SUMS = 2,       /* sums of floats by atomics: rounded in the order of their coming */
    VERIFY_DOUBLE_SUMS = 64,
    VERIFY_MALLOC = 4,           /* which address */
    VERIFY_CLOCK = 8,
    VERIFY_WAITS = 16,           /* volatile or ordered accesses: what others do at the same time */
    VERIFY_ACTIVE = 32,          /* activemask: which lanes go together */
};

/* What a command carries: one that is verified. */
struct verify {
    struct function *function;                   /* the command keeps it */
    const struct kabi_kernel *reference;         /* NULL: there is none */
    const struct kabi_kernel *steps;             /* the same in which threads stop before stores; NULL: not tried yet, or there is none */
    const char *name;                            /* the function's */
    unsigned traits;
};

/* --- runs: verify_run.c --- */

/* How a run ended; written by its process. */
struct verify_run {
    int fault;                   /* enum exec_fault */
    uint64_t texts, sum;         /* what it printed */
    uint64_t ns;
};

/* One 8-byte word that differs. */
struct verify_word {
    uint64_t addr, before, reference, vector;
};

enum verify_outcome { VERIFY_SAME, VERIFY_DIFFERENT, VERIFY_ORDER, VERIFY_NOT };

/* In memory that the copies share with the process. */
struct verify_result {
    enum verify_outcome outcome;
    char why[120];               /* ORDER, NOT */
    bool by_fault, by_text;      /* DIFFERENT: in how they ended, in what they printed */
    uint64_t bytes, excused;     /* that differ; of them, those that differ between orders too */
    struct verify_word first;    /* of those that are not excused */
    struct verify_run reference, vector;
};

/* In a copy of the process: makes the runs and compares them. Does not return. */
HW_NORETURN void verify_judge(const struct exec_launch *launch, const struct verify *v, struct verify_result *out);

/* --- comparing: verify_compare.c --- */

struct verify_range {
    uint64_t base, bytes;
};
struct verify_ranges {
    HW_VEC(struct verify_range) v;
};
/* Memory that kernels may write; what is shared with other processes becomes this process's own. */
void verify_ranges_find(struct verify_ranges *out, const struct exec_launch *launch);

enum { VERIFY_OTHERS = 2 };      /* 0 in its place: none */
struct verify_difference {
    uint64_t bytes, excused;
    struct verify_word first;
};
/* The memories of two processes that were copies of the calling one. others: words in which one of them differs from the first are excused.
   floats: VERIFY_FLOAT_SUMS, VERIFY_DOUBLE_SUMS: so are small differences of those. False: the processes cannot be looked into. */
bool verify_compare(const struct verify_ranges *ranges, pid_t reference, pid_t vector, const pid_t others[VERIFY_OTHERS], unsigned floats, struct verify_difference *out);

/* For tests: the words of one piece of memory, which began at base. */
void verify_words(uint64_t base, const void *reference, const void *vector, const void *const others[VERIFY_OTHERS], size_t bytes, unsigned floats, struct verify_difference *out);

#endif
