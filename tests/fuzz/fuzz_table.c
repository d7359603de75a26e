/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random calls of a table of functions with random arguments. Pointers point at memory that is there (the real driver does not
 * survive others either); numbers, handles and the contents behind the pointers are anything. Whatever is answered is fine;
 * a crash or a hang is not. Each case is a process of its own, and a failure names its last call.
 */
#include "fuzz_table.h"

#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARGS = 16, SCRATCH = 1 << 20, SECONDS = 100, KEPT = 256, CALLS = 250000, CASES = 4 };

typedef int any_fn(long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long);

static uint64_t state;
static char *scratch;
static long kept[KEPT];          /* what calls wrote: handles and addresses, alive or not */
static unsigned n_kept;
static int *last;                /* shared with the parent: the call that runs */

static uint32_t rnd(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static long number(void)
{
    static const long values[] = {0, 1, 2, 3, 4, 7, 8, 16, 64, 100, 256, 1000, 4096};
    return rnd(4) ? values[rnd(HW_LEN(values))] : (long)rnd(64);
}

/* One argument for a parameter as it is written in the table. */
static long argument(const struct fuzz_row *row, const char *text, size_t n)
{
    char param[160];
    snprintf(param, sizeof param, "%.*s", (int)n, text);
    if (strchr(param, '*') && strstr(row->name, "Free") && n_kept && rnd(2))
        return kept[rnd(n_kept)];
    if (strchr(param, '*'))
        return rnd(8) ? (long)(scratch + SCRATCH / 2 + rnd(64) * 64) : 0;
    bool is_number = strstr(param, "size_t") || strstr(param, "unsigned") || strstr(param, "int ") || strstr(param, "float");
    if (strstr(param, "bytes") && rnd(16) == 0)
        return (long)((uint64_t)1 << (30 + rnd(34)));
    if (is_number || rnd(4) == 0)
        return number();
    return n_kept ? kept[rnd(n_kept)] + (rnd(8) ? 0 : (long)rnd(4096)) : 0;
}

/* wild: handles and addresses of calls before, too; not where they would be taken for pointers to write through. */
static void fill_scratch(bool wild)
{
    long *words = (long *)(void *)(scratch + SCRATCH / 2);
    uint32_t kind = rnd(wild ? 3 : 2);
    for (unsigned i = 0; i < 4096 / sizeof *words; i++)
        words[i] = kind == 0 ? 0 : kind == 1 ? (long)(scratch + SCRATCH / 2) : n_kept && rnd(2) ? kept[rnd(n_kept)] : 0;
}

static void keep_results(void)
{
    const long *words = (const long *)(const void *)(scratch + SCRATCH / 2);
    for (unsigned i = 0; i < 64; i++) {
        long v = words[i * 8];
        if (v && v != (long)(scratch + SCRATCH / 2))
            kept[n_kept < KEPT ? n_kept++ : rnd(KEPT)] = v;
    }
}

static void call(const struct fuzz_row *row)
{
    long a[ARGS] = {0};
    unsigned n = 0;
    for (const char *p = row->params + 1; *p && *p != ')' && n < ARGS; n++) {
        size_t bytes = strcspn(p, ",)");
        a[n] = argument(row, p, bytes);
        p += bytes + (p[bytes] == ',');
    }
    ((any_fn *)row->fn)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15]);
}

struct one_case {
    const struct fuzz_table *table;
    uint64_t number;
};

static void run(void *arg)
{
    const struct one_case *c = arg;
    const struct fuzz_table *table = c->table;
    state = (fuzz_plan.seed + c->number) * 0x9e3779b97f4a7c15u;
    alarm(SECONDS);
    for (int i = 0; i < CALLS; i++) {
        int id = (int)rnd((uint32_t)table->n);
        const struct fuzz_row *row = &table->rows[id];
        if (!row->fn)
            continue;
        if (i % 64 == 0)
            table->now_and_then();
        fill_scratch(table->wild(row));
        *last = id;
        call(row);
        fuzz_count(1);
        keep_results();
    }
}

int fuzz_run(const struct fuzz_table *table, const char *name, int argc, char **argv)
{
    static const char *const settings[] = { "HOSTWARP_LOG", "error", "HOSTWARP_MEMORY", "256M", "HOSTWARP_PINNED_LIMIT", "64M", NULL };
    struct one_case c = { .table = table };
    fuzz_settings(settings, argv);
    fuzz_begin((struct fuzz_plan){ .name = name, .seed = 1, .cases = CASES, .things = "calls" }, argc, argv, NULL);
    last = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    scratch = mmap(NULL, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (last == MAP_FAILED || scratch == MAP_FAILED)
        return 2;
    while (fuzz_more(&c.number)) {
        struct fuzz_ending e = fuzz_apart(run, &c, 5 * SECONDS);
        if (!fuzz_good(e))
            fuzz_bad("case %llu: %s; the last call was %s; again: --seed %llu --cases 1", (unsigned long long)c.number,
                fuzz_ending_text(e), table->rows[*last].name,
                     (unsigned long long)(fuzz_plan.seed + c.number));
    }
    return fuzz_end();
}
