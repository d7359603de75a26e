/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp prof --gpu`: predicted times of several GPUs side by side, what limits each kernel, and advice for each card. */
#define _GNU_SOURCE
#include "cli/prof.h"

#include "base/os.h"
#include "cli/cli.h"
#include "gpu/kernel.h"

#include <stdio.h>

enum { MOST = 8 };

struct gpu {
    char id[64], source[16];
    double sms, engines, host;
    double busy, span;                           /* of its activities, one by one and together */
    double pageable, if_pinned;                  /* copies of pageable memory, and what they would take */
    uint64_t n_pageable, pageable_bytes, first_pageable;
};

/* All activities of a name. */
struct row {
    char *name;
    bool kernel;
    uint64_t n, first;                           /* first: the command */
    double ns[MOST], peak[MOST], sms[MOST], worst[MOST];
    int limit[MOST];
    double bytes, mapped, different;
};

struct interval {
    double begin, end;
};
struct prediction {
    struct gpu gpu[MOST];
    size_t n;
    HW_VEC(struct row) rows;
    HW_VEC(struct interval) times[MOST];
};

static struct row *row_of(struct prediction *p, const char *name, bool kernel)
{
    for (size_t k = 0; k < p->rows.n; k++)
        if (p->rows.v[k].kernel == kernel && strcmp(p->rows.v[k].name, name) == 0)
            return &p->rows.v[k];
    hw_vec_push(&p->rows, ((struct row){ .name = hw_strdup(name), .kernel = kernel }));
    return &p->rows.v[p->rows.n - 1];
}

static void add(struct prediction *p, struct row *r, size_t g, uint64_t seq, double begin, double end)
{
    hw_vec_push(&p->times[g], ((struct interval){ begin, end }));
    p->gpu[g].busy += end - begin;
    r->ns[g] += end - begin;
    if (g == 0) {
        r->first = r->n ? r->first : seq;
        r->n++;
    }
}

static void read_kernel(struct prediction *p, const char *line)
{
    size_t g;
    unsigned long long seq, stream;
    double begin, end, peak, sms, mapped, different;
    int limit;
    char name[1024];
    if (sscanf(line, "kernel %zu %llu %llu %lf %lf %d %lf %lf %lf %lf %1023s", &g, &seq, &stream, &begin, &end, &limit, &peak, &sms, &mapped, &different, name) != 11
        || g >= p->n || limit < 0 || limit >= GPU_LIMIT_COUNT)
        return;
    struct row *r = row_of(p, name, true);
    add(p, r, g, seq, begin, end);
    if (end - begin >= r->worst[g]) {            /* the longest launch speaks for the kernel */
        r->worst[g] = end - begin;
        r->limit[g] = limit;
        r->peak[g] = peak;
        r->sms[g] = sms;
    }
    if (g == 0) {
        r->mapped += mapped;
        r->different = different > r->different ? different : r->different;
    }
}

static void read_copy(struct prediction *p, const char *line)
{
    size_t g;
    unsigned long long seq, stream;
    double begin, end, bytes, pinned;
    char kind[32];
    if (sscanf(line, "copy %zu %llu %llu %lf %lf %lf %31s %lf", &g, &seq, &stream, &begin, &end, &bytes, kind, &pinned) != 8 || g >= p->n)
        return;
    struct row *r = row_of(p, kind, false);
    add(p, r, g, seq, begin, end);
    r->bytes += g == 0 ? bytes : 0;
    if (strncmp(kind, "pageable", 8) == 0 && bytes > 65536) {
        struct gpu *u = &p->gpu[g];
        u->pageable += end - begin;
        u->if_pinned += pinned;
        u->first_pageable = u->n_pageable++ ? u->first_pageable : seq;
        u->pageable_bytes += (uint64_t)bytes;
    }
}

static bool load(const char *path, struct prediction *p)
{
    size_t n;
    char *text = hw_file_read(path, &n), *save = NULL;
    if (!text)
        return false;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        size_t g;
        struct gpu u = { 0 };
        double host;
        if (sscanf(line, "gpu %zu %lf %lf %15s %63s", &g, &u.sms, &u.engines, u.source, u.id) == 5 && g < MOST) {
            p->gpu[g] = u;
            p->n = g + 1;
        } else if (sscanf(line, "host %zu %lf", &g, &host) == 2 && g < p->n) {
            p->gpu[g].host = host;
        } else {
            read_kernel(p, line);
            read_copy(p, line);
        }
    }
    hw_free(text);
    return p->n > 0;
}

/* --- tables --- */

static int earlier(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static double together(struct interval *v, size_t n)
{
    double sum = 0, until = -1;
    if (n)
        qsort(v, n, sizeof *v, earlier);
    for (size_t k = 0; k < n; k++) {
        double from = v[k].begin > until ? v[k].begin : until;
        sum += v[k].end > from ? v[k].end - from : 0;
        until = v[k].end > until ? v[k].end : until;
    }
    return sum;
}

/* Four digits: a prediction has no more. */
static const char *time_text(double ns, char out[24])
{
    if (ns >= 1e9)
        snprintf(out, 24, "%.4g s", ns / 1e9);
    else if (ns >= 1e6)
        snprintf(out, 24, "%.4g ms", ns / 1e6);
    else
        snprintf(out, 24, "%.4g us", ns / 1e3);
    return out;
}

static int longer(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return (x->ns[0] < y->ns[0]) - (x->ns[0] > y->ns[0]);
}

static void print_row(const struct prediction *p, const struct row *r, FILE *out)
{
    char t[24];
    char *name = hw_demangle(r->name);
    fprintf(out, "  %-28.28s %7llu", r->kernel ? name : r->name, (unsigned long long)r->n);
    for (size_t g = 0; g < p->n; g++)
        fprintf(out, " %12s", time_text(r->ns[g], t));
    if (r->kernel)
        for (size_t g = 0; g < p->n; g++)
            fprintf(out, "%s%s, %.0f %% of peak", g ? " | " : "   ", gpu_limit_names[r->limit[g]], 100 * r->peak[g]);
    else if (r->bytes > 0)
        fprintf(out, "   %.4g MiB", r->bytes / (1 << 20));
    fputc('\n', out);
    hw_free(name);
}

static void print_total(const struct prediction *p, const char *what, size_t offset, FILE *out)
{
    char t[24];
    fprintf(out, "  %-36s", what);
    for (size_t g = 0; g < p->n; g++) {
        double ns;
        memcpy(&ns, (const char *)&p->gpu[g] + offset, sizeof ns);
        fprintf(out, " %12s", time_text(ns, t));
    }
    fputc('\n', out);
}

/* --- advice --- */

static const struct prof_record *call_of(const struct prof_data *d, uint64_t seq)
{
    for (size_t i = 0; i < d->acts.n; i++)
        if (d->acts.v[i].r->id == seq)
            return prof_call_of(d, d->acts.v[i].r);
    return NULL;
}

static void print_place(const struct prof_data *d, uint64_t seq, FILE *out)
{
    const struct prof_record *call = call_of(d, seq);
    const char *place = call ? prof_name(d, call->caller) : "";
    if (place[0]) {
        char *line = prof_source_line(place);
        fprintf(out, "\n    at %s", line);
        hw_free(line);
    }
    fputc('\n', out);
}

static void advise(const struct prediction *p, size_t g, const struct prof_data *d, FILE *out)
{
    const struct gpu *u = &p->gpu[g];
    char a[24], b[24];
    if (u->n_pageable && u->pageable - u->if_pinned > 0.02 * u->span) {
        fprintf(out, "  * %s: %llu copies of pageable memory (%.1f MiB) take %s. Page-lock it with cudaHostAlloc or cudaHostRegister: saves %s.", u->id,
                (unsigned long long)u->n_pageable, (double)u->pageable_bytes / (1 << 20), time_text(u->pageable, a), time_text(u->pageable - u->if_pinned, b));
        print_place(d, u->first_pageable, out);
    }
    for (size_t k = 0; k < p->rows.n; k++) {
        const struct row *r = &p->rows.v[k];
        char *name = hw_demangle(r->name);
        if (r->kernel && r->ns[g] > 0.05 * u->span && r->sms[g] < 0.5 * u->sms) {
            fprintf(out, "  * %s: %s fills %.0f of %.0f multiprocessors. Give it more blocks.", u->id, name, r->sms[g], u->sms);
            print_place(d, r->first, out);
        }
        if (r->kernel && r->different > 0 && r->mapped > 1.5 * r->different && r->ns[g] > 0.05 * u->span) {
            fprintf(out, "  * %s: %s moves %.1f MiB of mapped memory over the bus, %.1f times what there is. Copy it to device memory once.", u->id, name,
                    r->mapped / (1 << 20), r->mapped / r->different);
            print_place(d, r->first, out);
        }
        hw_free(name);
    }
    if (u->engines < 2 && u->busy > 1.02 * u->span)
        fprintf(out, "  * %s: copies to and from the device follow each other, for the card has one copy engine.\n", u->id);
}

bool prof_print_gpus(const char *path, const struct prof_data *d, FILE *out)
{
    struct prediction p = { 0 };
    if (!load(path, &p))
        return false;
    for (size_t g = 0; g < p.n; g++)
        p.gpu[g].span = together(p.times[g].v, p.times[g].n);
    qsort(p.rows.v, p.rows.n, sizeof *p.rows.v, longer);
    fprintf(out, "\n==%u== Predicted:\n  %-28s %7s", d->header->pid, "", "calls");
    for (size_t g = 0; g < p.n; g++)
        fprintf(out, " %12s", p.gpu[g].id);
    fprintf(out, "   limited by\n");
    for (int kernel = 1; kernel >= 0; kernel--)
        for (size_t k = 0; k < p.rows.n; k++)
            if (p.rows.v[k].kernel == kernel)
                print_row(&p, &p.rows.v[k], out);
    print_total(&p, "device, one after the other", offsetof(struct gpu, busy), out);
    print_total(&p, "device, as it overlaps", offsetof(struct gpu, span), out);
    print_total(&p, "program's CUDA calls", offsetof(struct gpu, host), out);
    fprintf(out, "  %-36s", "weakest numbers of the profile");
    for (size_t g = 0; g < p.n; g++)
        fprintf(out, " %12s", p.gpu[g].source);
    fprintf(out, "\n");
    for (size_t g = 0; g < p.n; g++)
        advise(&p, g, d, out);
    for (size_t k = 0; k < p.rows.n; k++)
        hw_free(p.rows.v[k].name);
    hw_vec_fini(&p.rows);
    for (size_t g = 0; g < p.n; g++)
        hw_vec_fini(&p.times[g]);
    return true;
}
