/* SPDX-License-Identifier: Apache-2.0 */
/* Records of events in streams, and waits for them. */
#include "core/sched/mark.h"

#include "core/hooks.h"
#include "core/sched/sched_internal.h"

static void note_record(struct event *e, const struct stream *s)
{
    e->record_stream = s->id;
    e->record_at = s->n_pushed;
}

/* What comes in s from now on comes after the event's record. */
static void note_follows(struct stream *s, const struct event *e)
{
    struct stream_follows *to = NULL;
    if (!e->record_stream || e->record_stream == s->id)
        return;
    for (unsigned i = 0; i < STREAM_FOLLOWS; i++)
        if (s->follows[i].stream == e->record_stream)
            to = &s->follows[i];
    if (!to)
        to = &s->follows[s->next_follows++ % STREAM_FOLLOWS];
    if (to->stream != e->record_stream || to->at < e->record_at)
        *to = (struct stream_follows){ e->record_stream, e->record_at };
}

static void record_queued(struct cmd *c)
{
    struct event *e = c->event;
    e->pending = c;
    e->recorded = true;
    hook_event_recorded(e, c);
    note_record(e, c->stream);
}

static void record_finish(struct cmd *c)
{
    if (c->event->pending == c) {
        c->event->pending = NULL;
        c->event->time_ns = hw_now_ns();
    }
}

static void wait_numbered(struct cmd *c)
{
    hook_stream_waits(c->stream, c->event);
    note_follows(c->stream, c->event);
}

static void wait_depends(struct cmd *c)
{
    if (c->event->pending)
        sched_depend(c->event->pending, c, NULL);
}

static void mark_drop(struct cmd *c)
{
    event_unref(c->event);
}

static const struct cmd_type record = { .kind = CMD_RECORD, .at_once = true, .queued = record_queued, .finish = record_finish, .drop = mark_drop };
static const struct cmd_type wait = { .kind = CMD_WAIT, .at_once = true, .numbered = wait_numbered, .depends = wait_depends, .drop = mark_drop };
static const struct cmd_type nothing = { .kind = CMD_WAIT, .at_once = true };

static struct cmd *with_event(const struct cmd_type *type, struct event *e)
{
    struct cmd *c = cmd_new(type);
    event_ref(e);
    c->event = e;
    return c;
}

struct cmd *mark_record(struct event *e)
{
    return with_event(&record, e);
}

struct cmd *mark_wait(struct event *e)
{
    return with_event(&wait, e);
}

struct cmd *mark_nothing(void)
{
    return cmd_new(&nothing);
}

/* One that has passed, or was never recorded, is not waited for; but its order holds. */
void mark_push_wait(struct stream *s, struct event *e)
{
    hw_lock(&sched_mu);
    bool queued = e->pending != NULL;
    if (!queued) {
        hook_stream_waits(s, e);
        note_follows(s, e);
    }
    hw_unlock(&sched_mu);
    if (queued)
        sched_push(s, mark_wait(e));
}

void mark_push_record(struct stream *s, struct event *e)
{
    sched_push(s, mark_record(e));
}

void mark_push_shared(struct stream *s, struct event *e, struct cmd *c, bool records)
{
    if (!records) {              /* of a record the command tells: values.c */
        hw_lock(&sched_mu);
        hook_stream_waits(s, e);
        hw_unlock(&sched_mu);
    }
    if (c)
        sched_push(s, c);
}
