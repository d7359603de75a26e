/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp prof --kernel-details`: what instrumented kernels counted, added up by kernel and by line of the source. */
#include "cli/prof.h"

static const char *const class_names[] = {
#define ROW(id, name) name,
    DETAILS_CLASSES(ROW)
#undef ROW
};
static const char *const space_names[] = { "global", "shared", "local", "constant", "generic" };
static const char *const kind_names[] = { "block", "load", "store", "atomic" };
static const char *const pattern_names[] = { "uniform", "vector", "strided", "gathered" };

struct access {
    const struct prof_site *site;                /* the first of those that are added up here */
    uint8_t space;
    struct details_count count;
};

struct kernel {
    uint32_t name;
    uint64_t launches, blocks;
    double occupancy, achieved;                  /* percent; sums over launches */
    uint64_t warp_insts, thread_insts, by_class[DETAILS_CLASS_COUNT];
    uint64_t read[DETAILS_SPACE_COUNT], written[DETAILS_SPACE_COUNT];
    struct details_count memory;                 /* over all accesses; tiles of matrices only in bytes */
    HW_VEC(struct access) accesses;
};
struct kernels {
    HW_VEC(struct kernel) v;
};

/* --- adding up --- */

static struct kernel *kernel_of(struct kernels *all, uint32_t name)
{
    for (size_t i = 0; i < all->v.n; i++)
        if (all->v.v[i].name == name)
            return &all->v.v[i];
    hw_vec_push(&all->v, ((struct kernel){ .name = name }));
    return &all->v.v[all->v.n - 1];
}

static void add_block(struct kernel *k, const struct prof_site *s)
{
    for (int c = 0; c < DETAILS_CLASS_COUNT; c++) {
        k->by_class[c] += s->u.block.runs * s->u.block.classes[c];
        k->warp_insts += s->u.block.runs * s->u.block.classes[c];
        k->thread_insts += s->u.block.lanes * s->u.block.classes[c];
    }
}

/* Where a generic access went, if always to the same kind of memory. */
static uint8_t real_space(const struct prof_site *s, const struct details_count *c)
{
    uint8_t found = DETAILS_GENERIC;
    if (s->space != DETAILS_GENERIC)
        return s->space;
    for (int k = 0; k < DETAILS_SPACE_COUNT; k++)
        if (c->by_space[k] == c->lanes)
            found = (uint8_t)k;
    return found;
}

static void add_access(struct kernel *k, const struct prof_site *s)
{
    struct details_count count = { .worst = s->worst }, *c = &count;
    memcpy(c, s->u.counts, sizeof s->u.counts);
    if (!c->runs)
        return;
    for (int p = 0; p < DETAILS_SPACE_COUNT; p++) {
        if (s->kind != DETAILS_IN_STORE)
            k->read[p] += c->by_space[p] * s->bytes;
        if (s->kind != DETAILS_IN_LOAD)
            k->written[p] += c->by_space[p] * s->bytes;
    }
    details_add(&k->memory, c);
    for (size_t i = 0; i < k->accesses.n; i++) {
        struct access *a = &k->accesses.v[i];
        if (a->site->place == s->place && a->site->kind == s->kind && a->site->bytes == s->bytes && a->space == real_space(s, c)) {
            details_add(&a->count, c);
            return;
        }
    }
    hw_vec_push(&k->accesses, ((struct access){ s, real_space(s, c), *c }));
}

static uint64_t cost(const struct access *a) { return a->count.sectors + a->count.passes; }

static int by_cost(const void *pa, const void *pb)
{
    const struct access *a = pa, *b = pb;
    if (cost(a) != cost(b))
        return cost(a) < cost(b) ? 1 : -1;
    if (a->count.lanes != b->count.lanes)
        return a->count.lanes < b->count.lanes ? 1 : -1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static int by_insts(const void *pa, const void *pb)
{
    const struct kernel *a = pa, *b = pb;
    return a->warp_insts != b->warp_insts ? (a->warp_insts < b->warp_insts ? 1 : -1) : (int)a->name - (int)b->name;
}

static void gather(const struct prof_data *d, struct kernels *all)
{
    for (size_t i = 0; i < d->sites.n; i++) {
        const struct prof_site *s = d->sites.v[i];
        struct kernel *k = kernel_of(all, s->kernel);
        if (s->kind == DETAILS_IN_BLOCK)
            add_block(k, s);
        else
            add_access(k, s);
    }
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_record *r = d->acts.v[i].r;
        if (r->type != PROF_KERNEL)
            continue;
        struct kernel *k = kernel_of(all, r->name);
        k->launches++;
        k->blocks += (uint64_t)r->data.shape.grid[0] * r->data.shape.grid[1] * r->data.shape.grid[2];
        k->occupancy += r->occupancy;
        k->achieved += (double)r->data.shape.achieved;
    }
    for (size_t i = 0; i < all->v.n; i++)
        if (all->v.v[i].accesses.n)
            qsort(all->v.v[i].accesses.v, all->v.v[i].accesses.n, sizeof *all->v.v[i].accesses.v, by_cost);
    if (all->v.n)
        qsort(all->v.v, all->v.n, sizeof *all->v.v, by_insts);
}

static void kernels_fini(struct kernels *all)
{
    for (size_t i = 0; i < all->v.n; i++)
        hw_vec_fini(&all->v.v[i].accesses);
    hw_vec_fini(&all->v);
}

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }
static double mean(const struct kernel *k, double sum) { return ratio(sum, (double)k->launches); }
static double active_lanes(const struct kernel *k) { return ratio((double)k->thread_insts, (double)k->warp_insts); }
static double used(const struct kernel *k) { return 100 * ratio((double)k->memory.used, (double)k->memory.sectors * DETAILS_SECTOR); }
static double degree(const struct details_count *c) { return ratio((double)c->passes, (double)c->fewest); }
static uint64_t n_patterns(const struct details_count *c) { return c->patterns[0] + c->patterns[1] + c->patterns[2] + c->patterns[3]; }

/* --- for people --- */

static void print_classes(const struct kernel *k, FILE *out)
{
    bool shown[DETAILS_CLASS_COUNT] = { false };
    fprintf(out, "  Instructions    %llu by warps, %llu by threads; %.2f of 32 lanes active\n                 ", (unsigned long long)k->warp_insts,
            (unsigned long long)k->thread_insts, active_lanes(k));
    for (int n = 0; n < DETAILS_CLASS_COUNT; n++) {
        int best = -1;
        for (int c = 0; c < DETAILS_CLASS_COUNT; c++)
            if (!shown[c] && k->by_class[c] && (best < 0 || k->by_class[c] > k->by_class[best]))
                best = c;
        if (best < 0)
            break;
        shown[best] = true;
        fprintf(out, "%s %s %.1f%%", n ? "," : "", class_names[best], 100 * ratio((double)k->by_class[best], (double)k->warp_insts));
    }
    fputc('\n', out);
}

static void print_memory(const struct kernel *k, FILE *out)
{
    static const char *const titles[] = { "Global memory", "Shared memory", "Local memory", "Constants" };
    const struct details_count *m = &k->memory;
    char a[32], b[32];
    for (int s = 0; s < DETAILS_SPACE_COUNT; s++) {
        if (!k->read[s] && !k->written[s])
            continue;
        fprintf(out, "  %-14s  %s read, %s written", titles[s], prof_bytes_text((double)k->read[s], "", a), prof_bytes_text((double)k->written[s], "", b));
        if (s == DETAILS_GLOBAL && m->sectors) {
            fprintf(out, "; %.2f sectors of 32 bytes for an access of a warp, %.1f%% of them used\n                 ",
                    ratio((double)m->sectors, (double)n_patterns(m)), used(k));
            for (int p = 0; p < DETAILS_PATTERN_COUNT; p++)
                fprintf(out, "%s %s %.1f%%", p ? "," : "", pattern_names[p], 100 * ratio((double)m->patterns[p], (double)n_patterns(m)));
        }
        if (s == DETAILS_SHARED && m->fewest)
            fprintf(out, "; bank conflicts: %llu passes more than the %llu without, %.2f for one, at most %llu", (unsigned long long)(m->passes - m->fewest),
                    (unsigned long long)m->fewest, degree(m), (unsigned long long)m->worst);
        fputc('\n', out);
    }
}

enum { MOST_LINES = 12 };

static void print_accesses(const struct prof_data *d, const struct kernel *k, FILE *out)
{
    if (k->accesses.n)
        fprintf(out, "       Runs   Lanes  Bytes  Access           Pattern             Sectors  Conflicts  Place\n");
    for (size_t i = 0; i < k->accesses.n && i < MOST_LINES; i++) {
        const struct access *a = &k->accesses.v[i];
        const struct details_count *c = &a->count;
        char what[32], pattern[32] = "-", sectors[16] = "-", conflicts[16] = "-";
        uint64_t n = n_patterns(c);
        int best = 0;
        for (int p = 1; p < DETAILS_PATTERN_COUNT; p++)
            best = c->patterns[p] > c->patterns[best] ? p : best;
        snprintf(what, sizeof what, "%s %s", space_names[a->space], kind_names[a->site->kind]);
        if (n)
            snprintf(pattern, sizeof pattern, "%s %.1f%%", pattern_names[best], 100 * ratio((double)c->patterns[best], (double)n));
        if (n)
            snprintf(sectors, sizeof sectors, "%.2f", ratio((double)c->sectors, (double)n));
        if (c->fewest)
            snprintf(conflicts, sizeof conflicts, "%.2f", degree(c));
        fprintf(out, "%11llu %7.2f %6u  %-16s %-18s %8s %10s  %s\n", (unsigned long long)c->runs, ratio((double)c->lanes, (double)c->runs), a->site->bytes,
                what, pattern, sectors, conflicts, prof_name(d, a->site->place));
    }
    if (k->accesses.n > MOST_LINES)
        fprintf(out, "            and %zu places more (--json has all)\n", k->accesses.n - MOST_LINES);
}

static void print_text(const struct prof_data *d, const struct kernels *all, FILE *out)
{
    fprintf(out, "\n==%u== Kernel details (kernels were instrumented: their times are not those of a plain run):\n", d->header->pid);
    if (!all->v.n)
        fprintf(out, "No kernels were profiled.\n");
    for (size_t i = 0; i < all->v.n; i++) {
        const struct kernel *k = &all->v.v[i];
        fprintf(out, "%s%s\n", i ? "\n" : "", prof_name(d, k->name));
        fprintf(out, "  Launches        %llu, %llu blocks; occupancy %.1f%%, achieved %.1f%%\n", (unsigned long long)k->launches,
                (unsigned long long)k->blocks, mean(k, k->occupancy), mean(k, k->achieved));
        print_classes(k, out);
        print_memory(k, out);
        print_accesses(d, k, out);
    }
}

/* --- for programs --- */

static void csv_row(FILE *out, const char *kernel, const char *metric, const char *part, double value)
{
    prof_csv_text(out, kernel);
    fprintf(out, ",\"%s%s%s\",%.10g\n", metric, *part ? " " : "", part, value);
}

static void print_csv(const struct prof_data *d, const struct kernels *all, FILE *out)
{
    fprintf(out, "==%u== Kernel details:\n\"Kernel\",\"Metric\",\"Value\"\n", d->header->pid);
    for (size_t i = 0; i < all->v.n; i++) {
        const struct kernel *k = &all->v.v[i];
        const char *name = prof_name(d, k->name);
        csv_row(out, name, "launches", "", (double)k->launches);
        csv_row(out, name, "occupancy percent", "", mean(k, k->occupancy));
        csv_row(out, name, "achieved occupancy percent", "", mean(k, k->achieved));
        csv_row(out, name, "warp instructions", "", (double)k->warp_insts);
        csv_row(out, name, "thread instructions", "", (double)k->thread_insts);
        csv_row(out, name, "active lanes", "", active_lanes(k));
        for (int c = 0; c < DETAILS_CLASS_COUNT; c++)
            csv_row(out, name, "instructions", class_names[c], (double)k->by_class[c]);
        for (int s = 0; s < DETAILS_SPACE_COUNT; s++) {
            csv_row(out, name, "bytes read", space_names[s], (double)k->read[s]);
            csv_row(out, name, "bytes written", space_names[s], (double)k->written[s]);
        }
        for (int p = 0; p < DETAILS_PATTERN_COUNT; p++)
            csv_row(out, name, "accesses", pattern_names[p], (double)k->memory.patterns[p]);
        csv_row(out, name, "sectors", "", (double)k->memory.sectors);
        csv_row(out, name, "sector bytes used", "", (double)k->memory.used);
        csv_row(out, name, "shared passes", "", (double)k->memory.passes);
        csv_row(out, name, "shared passes without conflicts", "", (double)k->memory.fewest);
        csv_row(out, name, "worst bank conflict", "", (double)k->memory.worst);
    }
    fprintf(out, "==%u== Accesses:\n\"Kernel\",\"Place\",\"Space\",\"Access\",\"Bytes\",\"Runs\",\"Lanes\",\"Uniform\",\"Vector\",\"Strided\",\"Gathered\","
            "\"Sectors\",\"Passes\",\"Without conflicts\",\"Worst\"\n", d->header->pid);
    for (size_t i = 0; i < all->v.n; i++)
        for (size_t j = 0; j < all->v.v[i].accesses.n; j++) {
            const struct access *a = &all->v.v[i].accesses.v[j];
            const struct details_count *c = &a->count;
            prof_csv_text(out, prof_name(d, all->v.v[i].name));
            fputc(',', out);
            prof_csv_text(out, prof_name(d, a->site->place));
            fprintf(out, ",%s,%s,%u,%llu,%llu", space_names[a->space], kind_names[a->site->kind], a->site->bytes, (unsigned long long)c->runs,
                    (unsigned long long)c->lanes);
            for (int p = 0; p < DETAILS_PATTERN_COUNT; p++)
                fprintf(out, ",%llu", (unsigned long long)c->patterns[p]);
            fprintf(out, ",%llu,%llu,%llu,%llu\n", (unsigned long long)c->sectors, (unsigned long long)c->passes, (unsigned long long)c->fewest,
                    (unsigned long long)c->worst);
        }
}

void prof_print_details(const struct prof_data *d, enum prof_format format, FILE *out)
{
    struct kernels all = { 0 };
    gather(d, &all);
    if (format == PROF_CSV)
        print_csv(d, &all, out);
    else
        print_text(d, &all, out);
    kernels_fini(&all);
}

static void json_names(FILE *out, const char *key, const char *const *names, int n, const uint64_t *values)
{
    fprintf(out, ", \"%s\": {", key);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s\"%s\": %llu", i ? ", " : "", names[i], (unsigned long long)values[i]);
    fputc('}', out);
}

static void json_counts(FILE *out, const struct details_count *c)
{
    json_names(out, "patterns", pattern_names, DETAILS_PATTERN_COUNT, c->patterns);
    fprintf(out, ", \"sectors\": %llu, \"sector_bytes_used\": %llu, \"shared_passes\": %llu, \"shared_passes_without_conflicts\": %llu, \"worst_conflict\": %llu",
            (unsigned long long)c->sectors, (unsigned long long)c->used, (unsigned long long)c->passes, (unsigned long long)c->fewest,
            (unsigned long long)c->worst);
}

void prof_json_details(const struct prof_data *d, FILE *out)
{
    struct kernels all = { 0 };
    gather(d, &all);
    fprintf(out, "  \"kernels\": [");
    for (size_t i = 0; i < all.v.n; i++) {
        const struct kernel *k = &all.v.v[i];
        fprintf(out, "%s\n    {\"name\": ", i ? "," : "");
        prof_json_string(out, prof_name(d, k->name));
        fprintf(out, ", \"launches\": %llu, \"blocks\": %llu, \"occupancy_percent\": %.4f, \"achieved_occupancy_percent\": %.4f, \"warp_instructions\": %llu, "
                "\"thread_instructions\": %llu, \"active_lanes\": %.6f", (unsigned long long)k->launches, (unsigned long long)k->blocks,
                mean(k, k->occupancy), mean(k, k->achieved), (unsigned long long)k->warp_insts, (unsigned long long)k->thread_insts, active_lanes(k));
        json_names(out, "instructions", class_names, DETAILS_CLASS_COUNT, k->by_class);
        json_names(out, "bytes_read", space_names, DETAILS_SPACE_COUNT, k->read);
        json_names(out, "bytes_written", space_names, DETAILS_SPACE_COUNT, k->written);
        json_counts(out, &k->memory);
        fprintf(out, ", \"sector_bytes_used_percent\": %.4f,\n     \"accesses\": [", used(k));
        for (size_t j = 0; j < k->accesses.n; j++) {
            const struct access *a = &k->accesses.v[j];
            fprintf(out, "%s\n      {\"place\": ", j ? "," : "");
            prof_json_string(out, prof_name(d, a->site->place));
            fprintf(out, ", \"space\": \"%s\", \"access\": \"%s\", \"bytes\": %u, \"runs\": %llu, \"lanes\": %llu", space_names[a->space],
                    kind_names[a->site->kind], a->site->bytes, (unsigned long long)a->count.runs, (unsigned long long)a->count.lanes);
            json_counts(out, &a->count);
            fputc('}', out);
        }
        fprintf(out, "]}");
    }
    fprintf(out, "],\n");
    kernels_fini(&all);
}
