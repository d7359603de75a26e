/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a checked program, as they come through the pipe. */
#define _GNU_SOURCE
#include "cli/check.h"

#include "cli/cli.h"
#include "cli/dropped.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void report_free(struct check_report *r)
{
    if (!r)
        return;
    for (size_t k = 0; k < r->places.n; k++) {
        struct check_place *p = &r->places.v[k];
        hw_free(p->role);
        hw_free(p->text);
        hw_free(p->place);
        hw_free(p->source);
        hw_free(p->around);
        source_frames_fini(&p->frames);
    }
    for (size_t k = 0; k < r->steps.n; k++) {
        hw_free(r->steps.v[k].line);
        hw_free(r->steps.v[k].text);
        hw_free(r->steps.v[k].place);
    }
    hw_vec_fini(&r->places);
    hw_vec_fini(&r->steps);
    hw_free(r->caller);
    hw_free(r->stack);
    hw_free(r->id);
    hw_free(r->name);
    hw_free(r->title);
    hw_free(r->advice);
    hw_free(r);
}

static void take_place(struct check_reader *r, enum check_place_kind kind, const char *role, const char *where, const char *text)
{
    struct check_place p = { .kind = kind, .role = hw_strdup(role), .text = cli_readable(text) };
    if (kind == CHECK_HOST)
        check_place_host(&r->sources, &p, where);
    else if (kind == CHECK_DEVICE)
        check_place_device(&r->sources, &p, where);
    else
        p.place = hw_strdup("");
    hw_vec_push(&r->now->places, p);
}

static void take_step(struct check_reader *r, bool meets, const char *line, const char *where, const char *text)
{
    struct check_place p = { 0 };
    check_place_host(&r->sources, &p, where);
    hw_vec_push(&r->now->steps, ((struct check_step){ hw_strdup(line), cli_readable(text), p.place, meets }));
    hw_free(p.source);
    hw_free(p.around);
    source_frames_fini(&p.frames);
}

static void take_report(struct check_reader *r)
{
    struct check_report *now = r->now;
    r->now = NULL;
    now->title = now->title ? now->title : hw_strdup("");
    if (check_is_suppressed(r->suppressions, now)) {
        r->log->hidden++;
        report_free(now);
        return;
    }
    if (now->failed) {
        hw_vec_push(&r->held, now);
        return;
    }
    hw_vec_push(&r->log->reports, now);
    check_text_report(stderr, now);
}

/* A call whose answer was dropped is a report. One that was looked at is none, but may be why the program ended as it did: the last is told if nothing else was
   found. */
void check_settle(struct check_reader *r)
{
    struct check_report *last = NULL;
    for (size_t k = 0; k < r->held.n; k++) {
        struct check_report *h = r->held.v[k];
        if (!h->looked && h->stack && dropped_answer(h->stack, h->caller ? h->caller : "")) {
            hw_vec_push(&r->log->reports, h);
            check_text_report(stderr, h);
        } else {
            report_free(last);
            last = h;
        }
    }
    if (last && r->log->status && !r->log->reports.n) {
        hw_free(last->advice);
        last->advice = hw_sprintf("The program looked at it, and ended with status %d.", r->log->status);
        hw_vec_push(&r->log->reports, last);
        check_text_report(stderr, last);
    } else {
        report_free(last);
    }
    hw_vec_fini(&r->held);
}

static struct check_report *report_of(struct check_reader *r, const char *id)
{
    for (size_t k = 0; k < r->held.n; k++)
        if (strcmp(r->held.v[k]->id, id) == 0)
            return r->held.v[k];
    for (size_t k = 0; k < r->log->reports.n; k++)
        if (strcmp(r->log->reports.v[k]->id, id) == 0)
            return r->log->reports.v[k];
    return NULL;
}

/* About reports that came before. */
static void take_news(struct check_reader *r, char *const field[4])
{
    struct check_report *of = report_of(r, field[1]);
    if (of && field[0][0] == 't')
        of->times = strtoull(field[3], NULL, 10);
    else if (of)
        of->looked = true;
}

static void take_fact(struct check_reader *r, char *const field[4])
{
    struct check_report *now = r->now;
    if (strcmp(field[0], "title") == 0 && !now->title)
        now->title = cli_readable(field[3]);
    else if (strcmp(field[0], "host") == 0 && !now->stack) {
        now->stack = hw_strdup(field[2]);
        take_place(r, CHECK_HOST, field[1], field[2], field[3]);
    } else if (strcmp(field[0], "host") == 0)
        take_place(r, CHECK_HOST, field[1], field[2], field[3]);
    else if (strcmp(field[0], "device") == 0)
        take_place(r, CHECK_DEVICE, field[1], field[2], field[3]);
    else if (strcmp(field[0], "caller") == 0 && !now->caller)
        now->caller = hw_strdup(field[2]);
    else if (strcmp(field[0], "note") == 0)
        take_place(r, CHECK_NOTE, field[1], "", field[3]);
    else if (strcmp(field[0], "step") == 0 || strcmp(field[0], "meets") == 0)
        take_step(r, field[0][0] == 'm', field[1], field[2], field[3]);
    else if (strcmp(field[0], "advice") == 0 && !now->advice)
        now->advice = cli_readable(field[3]);
    else if (strcmp(field[0], "end") == 0)
        take_report(r);
}

static void take_line(struct check_reader *r, char *line)
{
    char *field[4] = { line, "", "", "" };
    for (int k = 1; k < 4; k++) {
        char *tab = strchr(field[k - 1], '\t');
        if (!tab)
            break;
        *tab = 0;
        field[k] = tab + 1;
    }
    if (strcmp(field[0], "begin") == 0) {
        report_free(r->now);
        r->now = hw_alloc(sizeof *r->now);
        r->now->name = hw_strdup(field[1]);
        r->now->id = hw_strdup(field[2]);
        r->now->times = 1;
        r->now->failed = strcmp(field[3], "failed") == 0;
    } else if (strcmp(field[0], "times") == 0 || strcmp(field[0], "looked") == 0) {
        take_news(r, field);
    } else if (r->now) {
        take_fact(r, field);
    }
}

static void free_text(struct check_sources *s)
{
    hw_map_fini(&s->stacks);
    hw_map_fini(&s->files);
}

void check_read(struct check_reader *r, int fd)
{
    struct hw_str text = { 0 };
    char piece[4096];
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        hw_str_add(&text, piece, (size_t)n);
        char *from = text.s, *end;
        while ((end = strchr(from, '\n'))) {
            *end = 0;
            take_line(r, from);
            from = end + 1;
        }
        size_t rest = strlen(from);
        memmove(text.s, from, rest + 1);
        text.n = rest;
    }
    hw_str_fini(&text);
    report_free(r->now);
    r->now = NULL;
    free_text(&r->sources);
}
