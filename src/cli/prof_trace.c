/* SPDX-License-Identifier: Apache-2.0 */
/* The profile as Trace Event JSON for Perfetto and chrome://tracing; overlap figures. */
#include "cli/prof.h"

#include "base/os.h"
#include "cli/cli.h"

#include <errno.h>

/* --- overlap --- */

struct edge_of_bar {
    uint64_t ns;
    int8_t what;                 /* 0 kernel, 1 copy */
    int8_t step;
    uint8_t engine;
};

static int edge_by_time(const void *pa, const void *pb)
{
    const struct edge_of_bar *a = pa, *b = pb;
    return a->ns != b->ns ? (a->ns < b->ns ? -1 : 1) : b->step - a->step;
}

void prof_overlap(const struct prof_data *d, struct prof_overlap *out)
{
    HW_VEC(struct edge_of_bar) edges = { 0 };
    uint64_t last = 0;
    int open[2] = { 0, 0 }, busy[PROF_ENGINE_COUNT] = { 0 };
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_act *a = &d->acts.v[i];
        if (a->r->type == PROF_HOSTFN || a->r->engine >= PROF_ENGINE_COUNT)
            continue;
        int8_t what = a->r->type != PROF_KERNEL;
        hw_vec_push(&edges, ((struct edge_of_bar){ a->start, what, 1, a->r->engine }));
        hw_vec_push(&edges, ((struct edge_of_bar){ a->end, what, -1, a->r->engine }));
    }
    if (edges.n)
        qsort(edges.v, edges.n, sizeof *edges.v, edge_by_time);
    for (size_t i = 0; i < edges.n; i++) {
        const struct edge_of_bar *e = &edges.v[i];
        uint64_t ns = i ? e->ns - last : 0;
        out->any_ns += open[0] || open[1] ? ns : 0;
        out->kernel_ns += open[0] ? ns : 0;
        out->copy_ns += open[1] ? ns : 0;
        out->both_ns += open[0] && open[1] ? ns : 0;
        for (int k = 0; k < PROF_ENGINE_COUNT; k++)
            out->engine_ns[k] += busy[k] ? ns : 0;
        open[e->what] += e->step;
        busy[e->engine] += e->step;
        last = e->ns;
    }
    if (edges.n)
        out->span_ns = last - edges.v[0].ns;
    hw_vec_fini(&edges);
}

/* --- what a bar says --- */

const char *const prof_engine_names[PROF_ENGINE_COUNT] = { "Compute", "Copy in", "Copy out", "Host functions" };

void prof_stream_name(const struct prof_stream *s, char out[48])
{
    if (s->flags & PROF_LEGACY)
        snprintf(out, 48, "Default stream (device %u)", s->device);
    else
        snprintf(out, 48, "Stream %llu%s", (unsigned long long)s->id,
                 s->flags & PROF_PER_THREAD ? " (per thread)" : s->flags & PROF_GRAPH ? " (graph)" : "");
}

static const char *kind_name(const struct prof_record *r)
{
    switch (r->type) {
    case PROF_KERNEL: return "kernel";
    case PROF_COPY: return "copy";
    case PROF_FILL: return "memset";
    default: return "host function";
    }
}

static double us(uint64_t ns) { return (double)ns / 1e3; }

static void act_args(FILE *out, const struct prof_act *a)
{
    const struct prof_record *r = a->r;
    fprintf(out, "{\"id\":%llu,\"queued_us\":%.3f", (unsigned long long)r->id, us(a->start - hw_min_u64(r->queued, a->start)));
    if (r->type == PROF_KERNEL) {
        const uint32_t *g = r->data.shape.grid, *b = r->data.shape.block;
        fprintf(out, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"registers\":%u,\"shared_static\":%u,\"shared_dynamic\":%u,"
                "\"occupancy_percent\":%u", g[0], g[1], g[2], b[0], b[1], b[2], r->regs, r->data.shape.shared_static,
                r->data.shape.shared_dynamic, r->occupancy);
    } else if (r->type != PROF_HOSTFN) {
        fprintf(out, ",\"bytes\":%llu,\"from\":\"%s\",\"to\":\"%s\"", (unsigned long long)r->bytes, prof_place_name(r->src),
                prof_place_name(r->dst));
    }
    fprintf(out, "%s}", a->unfinished ? ",\"unfinished\":true" : "");
}

/* --- Trace Event format --- */

enum { TRACE_HOST = 1, TRACE_STREAMS = 2, TRACE_ENGINES = 3 };

static void trace_name(FILE *out, const char *what, int pid, uint64_t tid, const char *name)
{
    fprintf(out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%llu,\"args\":{\"name\":", what, pid, (unsigned long long)tid);
    prof_json_string(out, name);
    fprintf(out, "}},\n");
}

/* Bars of one line of a trace may not overlap by halves. An engine works on several things at a time, so it has as many lines as that needs. */
enum { ENGINE_ROWS = 64 };

struct engine_rows {
    uint16_t *row;                               /* by activity */
    unsigned n[PROF_ENGINE_COUNT];
};

struct when {
    uint64_t start;
    size_t act;
};

static int when_first(const void *pa, const void *pb)
{
    const struct when *a = pa, *b = pb;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : a->act < b->act ? -1 : a->act > b->act;
}

static void engine_rows_make(const struct prof_data *d, struct engine_rows *out)
{
    uint64_t ends[PROF_ENGINE_COUNT][ENGINE_ROWS] = { { 0 } };
    struct when *order = hw_alloc((d->acts.n + 1) * sizeof *order);
    memset(out, 0, sizeof *out);
    out->row = hw_alloc((d->acts.n + 1) * sizeof *out->row);
    for (size_t i = 0; i < d->acts.n; i++)
        order[i] = (struct when){ d->acts.v[i].start, i };
    if (d->acts.n)
        qsort(order, d->acts.n, sizeof *order, when_first);
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_act *a = &d->acts.v[order[i].act];
        unsigned row = 0, e = a->r->engine;
        while (row + 1 < ENGINE_ROWS && ends[e][row] > a->start)
            row++;
        ends[e][row] = a->end;
        out->row[order[i].act] = (uint16_t)row;
        out->n[e] = row + 1 > out->n[e] ? row + 1 : out->n[e];
    }
    hw_free(order);
}

static unsigned engine_tid(unsigned engine, unsigned row) { return engine + 1 + row * 10; }

static void trace_lanes(FILE *out, const struct prof_data *d, const struct engine_rows *rows)
{
    char name[48];
    trace_name(out, "process_name", TRACE_HOST, 0, "Host threads");
    trace_name(out, "process_name", TRACE_STREAMS, 0, "Streams");
    trace_name(out, "process_name", TRACE_ENGINES, 0, "Engines");
    for (size_t i = 0; i < d->streams.n; i++) {
        prof_stream_name(&d->streams.v[i], name);
        trace_name(out, "thread_name", TRACE_STREAMS, i + 1, name);
    }
    for (unsigned i = 0; i < PROF_ENGINE_COUNT; i++) {
        trace_name(out, "thread_name", TRACE_ENGINES, engine_tid(i, 0), prof_engine_names[i]);
        for (unsigned row = 1; row < rows->n[i]; row++) {
            snprintf(name, sizeof name, "%s %u", prof_engine_names[i], row + 1);
            trace_name(out, "thread_name", TRACE_ENGINES, engine_tid(i, row), name);
        }
    }
}

static void trace_act(FILE *out, const struct prof_data *d, const struct prof_act *a, int pid, uint64_t tid)
{
    fprintf(out, "{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%llu,\"ts\":%.3f,\"dur\":%.3f,\"name\":", kind_name(a->r), pid,
            (unsigned long long)tid, us(a->start - d->first_ns), us(a->end - a->start));
    prof_json_string(out, a->name);
    fprintf(out, ",\"args\":");
    act_args(out, a);
    fprintf(out, "},\n");
}

static void trace_event(FILE *out, const struct prof_data *d, const struct prof_span *s, const char *phase, uint64_t at, const char *more)
{
    fprintf(out, "{\"ph\":\"%s\",\"cat\":\"nvtx\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,%s\"name\":", phase, TRACE_HOST, s->r->tid, us(at - d->first_ns), more);
    prof_json_string(out, s->name);
    fprintf(out, "},\n");
}

/* Ranges of a thread nest; those that are started and ended by a number may overlap in any way; a mark is a point. */
static void trace_span(FILE *out, const struct prof_data *d, const struct prof_span *s, const char *category)
{
    if (s->r->type == PROF_RANGE && (s->r->flags & PROF_ASYNC)) {
        char id[48];
        snprintf(id, sizeof id, "\"id\":%llu,", (unsigned long long)(s->r - d->slots));
        trace_event(out, d, s, "b", s->start, id);
        trace_event(out, d, s, "e", s->end, id);
        return;
    }
    if (s->r->type == PROF_MARK) {
        trace_event(out, d, s, "i", s->start, "\"s\":\"t\",");
        return;
    }
    fprintf(out, "{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"name\":", category, TRACE_HOST, s->r->tid,
            us(s->start - d->first_ns), us(s->end - s->start));
    prof_json_string(out, s->name);
    fprintf(out, ",\"args\":{\"result\":%d}},\n", s->r->type == PROF_API ? s->r->result : 0);
}

static void trace_edge(FILE *out, const struct prof_data *d, size_t i)
{
    const struct prof_edge *e = &d->edges.v[i];
    const struct prof_act *from = &d->acts.v[e->from], *to = &d->acts.v[e->to];
    const char *category = e->legacy ? "default stream" : e->graph ? "graph" : "event";
    fprintf(out, "{\"ph\":\"s\",\"cat\":\"%s\",\"name\":\"waits\",\"id\":%zu,\"pid\":%d,\"tid\":%u,\"ts\":%.3f},\n", category, i + 1,
            TRACE_STREAMS, from->stream + 1, us(from->end - (from->end > from->start) - d->first_ns));     /* inside of the bar */
    fprintf(out, "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"%s\",\"name\":\"waits\",\"id\":%zu,\"pid\":%d,\"tid\":%u,\"ts\":%.3f},\n", category,
            i + 1, TRACE_STREAMS, to->stream + 1, us(to->start - d->first_ns));
}

bool prof_write_trace(const struct prof_data *d, const char *path)
{
    FILE *out = fopen(path, "w");
    struct prof_overlap o;
    struct engine_rows rows;
    if (!out)
        return cli_finish_file(out, path);
    prof_overlap(d, &o);
    engine_rows_make(d, &rows);
    fprintf(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    trace_lanes(out, d, &rows);
    for (size_t i = 0; i < d->calls.n; i++)
        trace_span(out, d, &d->calls.v[i], "api");
    for (size_t i = 0; i < d->ranges.n; i++)
        trace_span(out, d, &d->ranges.v[i], d->ranges.v[i].r->type == PROF_COMPILE ? "compile" : "nvtx");
    for (size_t i = 0; i < d->acts.n; i++) {
        trace_act(out, d, &d->acts.v[i], TRACE_STREAMS, d->acts.v[i].stream + 1u);
        trace_act(out, d, &d->acts.v[i], TRACE_ENGINES, engine_tid(d->acts.v[i].r->engine, rows.row[i]));
    }
    hw_free(rows.row);
    for (size_t i = 0; i < d->edges.n; i++)
        trace_edge(out, d, i);
    /* a last event, so that every other line may end in a comma */
    fprintf(out, "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,\"tid\":0,\"args\":{\"sort_index\":1}}\n],\n", TRACE_HOST);
    fprintf(out, "\"otherData\":{\"command\":");
    prof_json_string(out, d->header->command);
    fprintf(out, ",\"overlap_ns\":\"%llu\",\"copy_ns\":\"%llu\",\"kernel_ns\":\"%llu\",\"busy_ns\":\"%llu\"}}\n",
            (unsigned long long)o.both_ns, (unsigned long long)o.copy_ns, (unsigned long long)o.kernel_ns, (unsigned long long)o.any_ns);
    return cli_finish_file(out, path);
}
