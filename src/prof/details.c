/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot for each place of an instrumented kernel, taken when it is first launched. The kernel's counts are copied there whenever a launch
 * has finished, so that they survive the process.
 */
#include "prof/details.h"

#include "base/hash.h"
#include "core/stream/sched.h"
#include "prof/writer.h"

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LOG);          /* guards known; before the tables' own */
static struct hw_map known;                                      /* details_table -> its slots */

struct slots {
    struct prof_site *site[1];   /* one for each site; NULL: there was no room */
};

static struct prof_site *take(const struct details_site *s, uint32_t kernel, uint32_t place)
{
    struct prof_record *r = writer_take();
    struct prof_site *slot = (struct prof_site *)(void *)r;
    if (!r)
        return NULL;
    slot->kernel = kernel;
    slot->place = place;
    slot->kind = s->kind & 15;
    slot->space = s->space & 15;
    slot->bytes = s->bytes;
    if (s->kind == DETAILS_IN_BLOCK)
        memcpy(slot->u.block.classes, s->classes, sizeof s->classes);
    writer_commit(r, PROF_SITE);
    return slot;
}

void details_launch(struct exec_launch *launch, uint32_t name)
{
    struct details_table *t = launch->kernel->details;
    launch->details = true;
    hw_lock(&mu);
    if (!hw_map_get_ptr(&known, t)) {
        struct slots *s = hw_alloc(sizeof *s + t->n * sizeof s->site[0]);
        for (uint32_t k = 0; k < t->n; k++)
            s->site[k] = take(&t->sites[k], name, writer_name(t->sites[k].place));
        hw_map_set_ptr(&known, t, s);
    }
    hw_unlock(&mu);
}

void details_write(struct details_table *t)
{
    hw_lock(&mu);
    struct slots *s = hw_map_get_ptr(&known, t);
    hw_unlock(&mu);
    hw_lock(&t->mu);
    for (uint32_t k = 0; s && k < t->n; k++) {
        if (!s->site[k])
            continue;
        if (t->sites[k].kind == DETAILS_IN_BLOCK) {
            s->site[k]->u.block.runs = t->counts[k].runs;
            s->site[k]->u.block.lanes = t->counts[k].lanes;
        } else {
            memcpy(s->site[k]->u.counts, &t->counts[k], sizeof s->site[k]->u.counts);
            s->site[k]->worst = (uint8_t)t->counts[k].worst;
        }
    }
    hw_unlock(&t->mu);
}
