/* SPDX-License-Identifier: Apache-2.0 */
/* What `hostwarp prof --gpu` shows: a text file, one line for each kernel, command and total, which HOSTWARP_CLOCK_OUT names. */
#include "clock/clock.h"

#include "base/log.h"
#include "base/options.h"
#include "core/module/launch.h"
#include "gpu/kernel.h"

#include <stdio.h>

static FILE *out;

void summary_init(void)
{
    const char *path = hw_options()->clock_out;
    if (!path[0])
        return;
    if (!(out = fopen(path, "we"))) {
        hw_error("%s: cannot be written", path);
        return;
    }
    for (size_t g = 0; g < sim_n; g++)
        fprintf(out, "gpu %zu %.0f %.0f %s %s\n", g, sim_gpus[g].sms, sim_gpus[g].engines, gpu_source_names[gpu_profile_weakest(&sim_gpus[g])], sim_gpus[g].id);
}

static const char *const kinds[] = { "-", "pinned-in", "pinned-out", "pageable-in", "pageable-out", "device", "memset", "host" };

/* kernel GPU COMMAND STREAM BEGIN END LIMIT PEAK SMS MAPPED DIFFERENT NAME, copy GPU COMMAND STREAM BEGIN END BYTES KIND IF-PINNED; times in ns. */
void summary_cmd(const struct sim_cmd *c, const struct sim_stream *s, size_t g)
{
    if (!out || c->engine == SIM_POINT)
        return;
    unsigned long long seq = c->seq, stream = s->id;
    if (c->engine == SIM_KERNEL) {
        const struct gpu_result *r = count_result(c->kernel, g);
        const struct gpu_counts *n = count_counts(c->kernel);
        fprintf(out, "kernel %zu %llu %llu %.0f %.0f %d %.4f %.0f %.0f %.0f %s\n", g, seq, stream, c->begin[g], c->end[g], (int)r->limit, r->of_peak, r->busy_sms,
                n->mapped_read + n->mapped_written, n->mapped_different, count_name(c->kernel));
    } else if (c->copy) {
        struct sim_cmd pinned = { .copy = c->copy == SIM_PAGEABLE_IN ? SIM_PINNED_IN : c->copy == SIM_PAGEABLE_OUT ? SIM_PINNED_OUT : c->copy, .bytes = c->bytes };
        fprintf(out, "copy %zu %llu %llu %.0f %.0f %.0f %s %.0f\n", g, seq, stream, c->begin[g], c->end[g], c->bytes, kinds[c->copy], sim_copy_ns(&sim_gpus[g], &pinned));
    }
}

static void write_entry(const struct count_entry *e, void *arg)
{
    const struct gpu_counts *c = count_counts(e);
    (void)arg;
    const struct launch_config *l = count_shape(e);
    const double *fields = (const double *)c;
    fprintf(out, "counts %s %ux%ux%u %ux%ux%u", count_name(e), l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    for (size_t k = 0; k < sizeof *c / sizeof *fields; k++)      /* numbers, all of them */
        fprintf(out, " %.6g", fields[k]);
    fputc('\n', out);
    for (size_t g = 0; g < sim_n; g++) {
        const struct gpu_result *r = count_result(e, g);
        fprintf(out, "time %zu %s %.0f limit %d peak %.3f sms %.0f occupancy %.3f parts", g, count_name(e), r->ns, (int)r->limit, r->of_peak, r->busy_sms, r->occupancy);
        for (int k = 0; k < GPU_LIMIT_COUNT; k++)
            fprintf(out, " %.0f", r->part[k]);
        fputc('\n', out);
    }
}

void summary_write(double host_ns[])
{
    if (!out)
        return;
    count_each(write_entry, NULL);
    for (size_t g = 0; g < sim_n; g++)
        fprintf(out, "host %zu %.0f\n", g, host_ns[g]);
    fclose(out);
    out = NULL;
}
