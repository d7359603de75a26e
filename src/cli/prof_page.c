/* SPDX-License-Identifier: Apache-2.0 */
/* The profile as a page: the data that share/prof/timeline.html shows. */
#include "cli/prof.h"

#include "base/os.h"
#include "cli/cli.h"

#include <cuda.h>

#include <dlfcn.h>

/* --- what the records do not say by themselves --- */

/* Texts that many rows share: a row has the index. */
struct texts {
    HW_VEC(char *) v;
};

/* The index of a text, added where it is new, plus 1. */
static unsigned text_of(struct texts *t, const char *text)
{
    for (size_t i = t->v.n; i > 0; i--)
        if (strcmp(t->v.v[i - 1], text) == 0)
            return (unsigned)i;
    hw_vec_push(&t->v, hw_strdup(text));
    return (unsigned)t->v.n;
}

static void texts_put(FILE *out, const char *name, struct texts *t)
{
    fprintf(out, "\"%s\":[", name);
    for (size_t i = 0; i < t->v.n; i++) {
        fputs(i ? "," : "", out);
        prof_json_string(out, t->v.v[i]);
        hw_free(t->v.v[i]);
    }
    fprintf(out, "],\n");
    hw_vec_fini(&t->v);
}

/* The name of what a call answered, from the library that answered it: the two have numbers of their own. */
static char *error_name(const char *call, int code)
{
    static void *driver, *runtime;
    bool is_runtime = strncmp(call, "cuda", 4) == 0;
    void **lib = is_runtime ? &runtime : &driver;
    const char *name = NULL;
    if (!*lib) {
        char *path = cli_path(is_runtime ? "lib/libcudart.so.12" : "lib/libcuda.so.1");
        *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        hw_free(path);
    }
    if (*lib && is_runtime) {
        const char *(*get)(int) = (const char *(*)(int))dlsym(*lib, "cudaGetErrorName");
        name = get ? get(code) : NULL;
    } else if (*lib) {
        CUresult (*get)(CUresult, const char **) = (CUresult (*)(CUresult, const char **))dlsym(*lib, "cuGetErrorName");
        if (get)
            get((CUresult)code, &name);
    }
    return name ? hw_sprintf("%s (%d)", name, code) : hw_sprintf("error %d", code);
}

/* Where in the program a call stands. A process is started for each place: of the first ones the line of the source, of the rest the address. */
enum { MOST_LINES = 48 };

struct callers {
    struct texts texts;
    unsigned *of_name;           /* by id of the name: text_of() of its line, 0: not asked yet */
    unsigned n_asked;
};

static unsigned caller_of(struct callers *c, const struct prof_data *d, const struct prof_record *r)
{
    const char *place = prof_name(d, r->caller);
    if (!place[0])
        return 0;
    if (!c->of_name[r->caller]) {
        char *line = c->n_asked++ < MOST_LINES ? prof_source_line(place) : hw_strdup(place);
        c->of_name[r->caller] = text_of(&c->texts, line);
        hw_free(line);
    }
    return c->of_name[r->caller];
}

/* --- rows --- */

/* Rows of plain numbers keep a page of 100,000 bars small; an index of a text or a row is one more than its place, 0: none.
   bars    [kind, name, start, length, stream, engine, bytes, from, to, queued before start, shape or 0, call among spans, unfinished]
   spans   [kind, name, start, length, thread, error among errors, place among callers]: calls first */
static void page_bars(FILE *out, const struct prof_data *d)
{
    uint32_t *span_of = hw_alloc((d->n_slots + 1) * sizeof *span_of);
    memset(span_of, 0, (d->n_slots + 1) * sizeof *span_of);
    for (size_t i = 0; i < d->calls.n; i++)
        span_of[d->calls.v[i].r - d->slots] = (uint32_t)i + 1;
    fprintf(out, "\"bars\":[");
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_act *a = &d->acts.v[i];
        const struct prof_record *r = a->r, *call = prof_call_of(d, r);
        fprintf(out, "%s[\"%c\",", i ? "," : "", r->type == PROF_KERNEL ? 'k' : r->type == PROF_COPY ? 'c' : r->type == PROF_FILL ? 'm' : 'h');
        prof_json_string(out, a->name);
        fprintf(out, ",%llu,%llu,%u,%u,%llu,%u,%u,%llu,", (unsigned long long)(a->start - d->first_ns), (unsigned long long)(a->end - a->start),
                a->stream, r->engine, (unsigned long long)r->bytes, r->src, r->dst,
                (unsigned long long)(a->start - hw_min_u64(r->queued, a->start)));
        if (r->type == PROF_KERNEL)
            fprintf(out, "[%u,%u,%u,%u,%u,%u,%u,%u]", r->data.shape.grid[0], r->data.shape.grid[1], r->data.shape.grid[2],
                    r->data.shape.block[0], r->data.shape.block[1], r->data.shape.block[2], r->regs, r->occupancy);
        else
            fprintf(out, "0");
        fprintf(out, ",%u,%d]", call ? span_of[call - d->slots] : 0, a->unfinished);
    }
    fprintf(out, "],\n");
    hw_free(span_of);
}

/* "Not ready" is an answer. */
static bool failed(const struct prof_record *r)
{
    return r->type == PROF_API && r->result != 0 && r->result != CUDA_ERROR_NOT_READY;
}

static void page_spans(FILE *out, const struct prof_data *d)
{
    struct texts errors = { 0 };
    struct callers callers = { .of_name = hw_alloc((d->n_names + 1) * sizeof *callers.of_name) };
    memset(callers.of_name, 0, (d->n_names + 1) * sizeof *callers.of_name);
    fprintf(out, "\"spans\":[");
    for (size_t i = 0; i < d->calls.n + d->ranges.n; i++) {
        const struct prof_span *s = i < d->calls.n ? &d->calls.v[i] : &d->ranges.v[i - d->calls.n];
        char *error = failed(s->r) ? error_name(s->name, s->r->result) : NULL;
        fprintf(out, "%s[\"%c\",", i ? "," : "", s->r->type == PROF_API ? 'a' : s->r->type == PROF_RANGE ? 'r' : s->r->type == PROF_COMPILE ? 'j' : 'x');
        prof_json_string(out, s->name);
        fprintf(out, ",%llu,%llu,%u,%u,%u]", (unsigned long long)(s->start - d->first_ns), (unsigned long long)(s->end - s->start), s->r->tid,
                error ? text_of(&errors, error) : 0, s->r->type == PROF_API ? caller_of(&callers, d, s->r) : 0);
        hw_free(error);
    }
    fprintf(out, "],\n");
    texts_put(out, "errors", &errors);
    texts_put(out, "callers", &callers.texts);
    hw_free(callers.of_name);
}

/* Beside predicted times: [start, length] of each bar on this machine, 0: none. */
static void page_real(FILE *out, const struct prof_data *d, const char *gpu)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < d->acts.n; i++)
        if (d->acts.v[i].real_start)
            first = hw_min_u64(first, d->acts.v[i].real_start);
    if (!gpu || first == UINT64_MAX)
        return;
    char *name = hw_strndup(gpu, strcspn(gpu, ","));             /* of several the first is what the program saw */
    const char *slash = strrchr(name, '/');
    fprintf(out, "\"gpu\":");
    prof_json_string(out, slash ? slash + 1 : name);
    hw_free(name);
    fprintf(out, ",\"real\":[");
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_act *a = &d->acts.v[i];
        if (a->real_start)
            fprintf(out, "%s[%llu,%llu]", i ? "," : "", (unsigned long long)(a->real_start - first), (unsigned long long)(a->real_end - a->real_start));
        else
            fprintf(out, "%s0", i ? "," : "");
    }
    fprintf(out, "],\n");
}

struct page {
    const struct prof_data *d;
    const char *gpu;
};

static void page_data(FILE *out, const struct page *p)
{
    const struct prof_data *d = p->d;
    char name[48];
    fprintf(out, "{\"pid\":%u,\"command\":", d->header->pid);
    prof_json_string(out, d->header->command);
    fprintf(out, ",\"engines\":[");
    for (int i = 0; i < PROF_ENGINE_COUNT; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", prof_engine_names[i]);
    fprintf(out, "],\"places\":[");
    for (unsigned i = 0; i < PROF_PLACE_COUNT; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", prof_place_name(i));
    fprintf(out, "],\"streams\":[");
    for (size_t i = 0; i < d->streams.n; i++) {
        prof_stream_name(&d->streams.v[i], name);
        fprintf(out, "%s\"%s\"", i ? "," : "", name);
    }
    fprintf(out, "],\n");
    page_bars(out, d);
    page_real(out, d, p->gpu);
    page_spans(out, d);
    fprintf(out, "\"edges\":[");
    for (size_t i = 0; i < d->edges.n; i++)
        fprintf(out, "%s[%u,%u,%d]", i ? "," : "", d->edges.v[i].from, d->edges.v[i].to, d->edges.v[i].legacy);
    fprintf(out, "]}");
}

static void print(FILE *out, const void *d) { page_data(out, d); }

bool prof_write_timeline(const struct prof_data *d, const char *gpu, const char *path)
{
    struct page p = { d, gpu };
    return cli_write_page("share/prof/timeline.html", "/*PROFILE*/null", print, &p, path);
}
