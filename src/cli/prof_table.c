/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of `hostwarp prof`, in the format that nvprof made familiar. */
#include "cli/prof.h"

#include "base/hash.h"

/* --- the summary --- */

struct row {
    const char *name;
    uint64_t total, calls, min, max;
};
struct rows {
    HW_VEC(struct row) v;
    uint64_t total;
    struct hw_map index;
};

static void rows_add(struct rows *rows, const char *name, uint64_t ns)
{
    uintptr_t at = (uintptr_t)hw_map_get_str(&rows->index, name);
    if (!at) {
        hw_vec_push(&rows->v, ((struct row){ .name = name, .min = UINT64_MAX }));
        at = rows->v.n;
        hw_map_set_str(&rows->index, name, (void *)at);
    }
    struct row *r = &rows->v.v[at - 1];
    r->total += ns;
    r->calls++;
    r->min = hw_min_u64(r->min, ns);
    r->max = hw_max_u64(r->max, ns);
    rows->total += ns;
}

static int by_total(const void *pa, const void *pb)
{
    const struct row *a = pa, *b = pb;
    return a->total != b->total ? (a->total < b->total ? 1 : -1) : strcmp(a->name, b->name);
}

static void rows_sort(struct rows *rows)
{
    if (rows->v.n)
        qsort(rows->v.v, rows->v.n, sizeof *rows->v.v, by_total);
}

static void rows_fini(struct rows *rows)
{
    hw_vec_fini(&rows->v);
    hw_map_fini(&rows->index);
}

static void gather(const struct prof_data *d, struct rows *acts, struct rows *calls, struct rows *ranges)
{
    for (size_t i = 0; i < d->acts.n; i++)
        if (d->acts.v[i].r->type != PROF_HOSTFN)
            rows_add(acts, d->acts.v[i].name, d->acts.v[i].end - d->acts.v[i].start);
    for (size_t i = 0; i < d->calls.n; i++)
        rows_add(calls, d->calls.v[i].name, d->calls.v[i].end - d->calls.v[i].start);
    for (size_t i = 0; i < d->ranges.n; i++)
        if (d->ranges.v[i].r->type == PROF_RANGE)
            rows_add(ranges, d->ranges.v[i].name, d->ranges.v[i].end - d->ranges.v[i].start);
    rows_sort(acts);
    rows_sort(calls);
    rows_sort(ranges);
}

static double share(const struct rows *rows, const struct row *r)
{
    return rows->total ? 100.0 * (double)r->total / (double)rows->total : 0;
}

static void print_rows(const struct rows *rows, enum prof_format format, FILE *out)
{
    char t[4][32];
    if (format == PROF_CSV)
        fprintf(out, "\"Time(%%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n%%,ms,,ms,ms,ms,\n");
    else
        fprintf(out, "Time(%%)      Time     Calls       Avg       Min       Max  Name\n");
    for (size_t i = 0; i < rows->v.n; i++) {
        const struct row *r = &rows->v.v[i];
        double avg = (double)r->total / (double)r->calls;
        if (format == PROF_CSV) {
            fprintf(out, "%.2f,%.6f,%llu,%.6f,%.6f,%.6f,", share(rows, r), (double)r->total / 1e6, (unsigned long long)r->calls,
                    avg / 1e6, (double)r->min / 1e6, (double)r->max / 1e6);
            prof_csv_text(out, r->name);
            fputc('\n', out);
            continue;
        }
        fprintf(out, "%6.2f%%%10s%10llu%10s%10s%10s  %s\n", share(rows, r), prof_time_text((double)r->total, t[0]),
                (unsigned long long)r->calls, prof_time_text(avg, t[1]), prof_time_text((double)r->min, t[2]),
                prof_time_text((double)r->max, t[3]), r->name);
    }
}

void prof_print_summary(const struct prof_data *d, enum prof_format format, FILE *out)
{
    struct rows acts = { 0 }, calls = { 0 }, ranges = { 0 };
    unsigned pid = d->header->pid;
    gather(d, &acts, &calls, &ranges);
    fprintf(out, "==%u== Profiling application: %s\n", pid, d->header->command);
    fprintf(out, "==%u== Profiling result:\n", pid);
    if (acts.v.n)
        print_rows(&acts, format, out);
    else
        fprintf(out, "No kernels were profiled.\n");
    if (calls.v.n) {
        fprintf(out, "\n==%u== API calls:\n", pid);
        print_rows(&calls, format, out);
    }
    if (ranges.v.n) {
        fprintf(out, "\n==%u== NVTX ranges:\n", pid);
        print_rows(&ranges, format, out);
    }
    rows_fini(&acts);
    rows_fini(&calls);
    rows_fini(&ranges);
}

/* --- traces --- */

static int act_by_start(const void *pa, const void *pb)
{
    const struct prof_act *a = *(const struct prof_act *const *)pa, *b = *(const struct prof_act *const *)pb;
    return a->start < b->start ? -1 : a->start > b->start;
}

static const struct prof_act **acts_in_time(const struct prof_data *d)
{
    const struct prof_act **list = hw_alloc((d->acts.n + 1) * sizeof *list);
    for (size_t i = 0; i < d->acts.n; i++)
        list[i] = &d->acts.v[i];
    if (d->acts.n)
        qsort(list, d->acts.n, sizeof *list, act_by_start);
    return list;
}

static void shape_texts(const struct prof_record *r, char grid[40], char block[40], char regs[16], char s_static[32], char s_dynamic[32])
{
    const uint32_t *g = r->data.shape.grid, *b = r->data.shape.block;
    bool kernel = r->type == PROF_KERNEL;
    strcpy(grid, "-"), strcpy(block, "-"), strcpy(regs, "-"), strcpy(s_static, "-"), strcpy(s_dynamic, "-");
    if (!kernel)
        return;
    snprintf(grid, 40, "(%u %u %u)", g[0], g[1], g[2]);
    snprintf(block, 40, "(%u %u %u)", b[0], b[1], b[2]);
    snprintf(regs, 16, "%u", r->regs);
    prof_bytes_text(r->data.shape.shared_static, "", s_static);
    prof_bytes_text(r->data.shape.shared_dynamic, "", s_dynamic);
}

static void stream_text(const struct prof_act *a, char out[32])
{
    if (a->r->flags & PROF_LEGACY)
        strcpy(out, "default");
    else
        snprintf(out, 32, "%llu", (unsigned long long)a->r->stream);
}

void prof_print_gpu_trace(const struct prof_data *d, enum prof_format format, FILE *out)
{
    const struct prof_act **list = acts_in_time(d);
    const char *head = "%10s %9s %20s %15s %5s %9s %9s %9s %11s %10s %10s %6s %8s  %s\n";
    if (format == PROF_CSV)
        head = "\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\"\n";
    fprintf(out, "==%u== Profiling result:\n", d->header->pid);
    fprintf(out, head, "Start", "Duration", "Grid Size", "Block Size", "Regs*", "SSMem*", "DSMem*", "Size", "Throughput", "SrcMemType",
            "DstMemType", "Device", "Stream", "Name");
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_act *a = list[i];
        const struct prof_record *r = a->r;
        char start[32], took[32], grid[40], block[40], regs[16], ss[32], ds[32], size[32] = "-", rate[32] = "-", dev[16], stream[32];
        double ns = (double)(a->end - a->start);
        bool moves = r->type == PROF_COPY || r->type == PROF_FILL;
        shape_texts(r, grid, block, regs, ss, ds);
        stream_text(a, stream);
        snprintf(dev, sizeof dev, "%u", r->device);
        if (moves) {
            prof_bytes_text((double)r->bytes, "", size);
            prof_bytes_text(ns > 0 ? (double)r->bytes / ns * 1e9 : 0, "/s", rate);
        }
        fprintf(out, head, prof_time_text((double)(a->start - d->first_ns), start), prof_time_text(ns, took), grid, block, regs, ss, ds,
                size, rate, r->type == PROF_COPY ? prof_place_name(r->src) : "-", moves ? prof_place_name(r->dst) : "-", dev, stream,
                a->name);
    }
    if (format == PROF_TEXT)
        fprintf(out, "\nRegs: registers per thread.  SSMem, DSMem: static and dynamic shared memory per block.\n");
    hw_free(list);
}

void prof_print_api_trace(const struct prof_data *d, enum prof_format format, FILE *out)
{
    char start[32], took[32];
    fprintf(out, "==%u== Profiling result:\n", d->header->pid);
    fprintf(out, format == PROF_CSV ? "\"Start\",\"Duration\",\"Thread\",\"Result\",\"Name\"\n" : "   Start  Duration    Thread  Result  Name\n");
    for (size_t i = 0; i < d->calls.n; i++) {
        const struct prof_span *s = &d->calls.v[i];
        fprintf(out, format == PROF_CSV ? "%s,%s,%u,%d,\"%s\"\n" : "%8s %9s %9u %7d  %s\n",
                prof_time_text((double)(s->start - d->first_ns), start), prof_time_text((double)(s->end - s->start), took), s->r->tid,
                s->r->result, s->name);
    }
}

/* --- JSON --- */

static void json_rows(FILE *out, const char *key, const struct rows *rows)
{
    fprintf(out, "  \"%s\": [", key);
    for (size_t i = 0; i < rows->v.n; i++) {
        const struct row *r = &rows->v.v[i];
        fprintf(out, "%s\n    {\"name\": ", i ? "," : "");
        prof_json_string(out, r->name);
        fprintf(out, ", \"percent\": %.4f, \"time_ns\": %llu, \"calls\": %llu, \"avg_ns\": %.1f, \"min_ns\": %llu, \"max_ns\": %llu}",
                share(rows, r), (unsigned long long)r->total, (unsigned long long)r->calls, (double)r->total / (double)r->calls,
                (unsigned long long)r->min, (unsigned long long)r->max);
    }
    fprintf(out, "],\n");
}

void prof_print_json(const struct prof_data *d, FILE *out)
{
    struct rows acts = { 0 }, calls = { 0 }, ranges = { 0 };
    struct prof_overlap o;
    struct prof_advices advice = { 0 };
    gather(d, &acts, &calls, &ranges);
    prof_overlap(d, &o);
    prof_advise(d, &advice);
    fprintf(out, "{\n  \"pid\": %u,\n  \"command\": ", d->header->pid);
    prof_json_string(out, d->header->command);
    fprintf(out, ",\n  \"lost_records\": %llu,\n", (unsigned long long)d->header->lost);
    json_rows(out, "activities", &acts);
    json_rows(out, "api_calls", &calls);
    json_rows(out, "ranges", &ranges);
    fprintf(out, "  \"overlap\": {\"span_ns\": %llu, \"any_ns\": %llu, \"copy_ns\": %llu, \"kernel_ns\": %llu, \"both_ns\": %llu},\n",
            (unsigned long long)o.span_ns, (unsigned long long)o.any_ns, (unsigned long long)o.copy_ns, (unsigned long long)o.kernel_ns,
            (unsigned long long)o.both_ns);
    if (d->sites.n)
        prof_json_details(d, out);
    fprintf(out, "  \"advice\": [");
    for (size_t i = 0; i < advice.v.n; i++) {
        fprintf(out, "%s\n    {\"rule\": \"%s\", \"text\": ", i ? "," : "", advice.v.v[i].rule);
        prof_json_string(out, advice.v.v[i].text);
        fprintf(out, ", \"place\": ");
        prof_json_string(out, advice.v.v[i].place ? advice.v.v[i].place : "");
        fputc('}', out);
    }
    fprintf(out, "]\n}\n");
    prof_advices_fini(&advice);
    rows_fini(&acts);
    rows_fini(&calls);
    rows_fini(&ranges);
}
