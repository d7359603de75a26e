/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of which one declaration says __host__ __device__ and another nothing. nvcc warns and takes the function for both sides, clang takes it for an
 * error. A source with such a function is compiled once more from a copy, and from copies of headers, in which the plain declaration stands in a region
 * of clang's that makes functions __host__ __device__. clang's messages say where; lines stay as they are.
 */
#define _GNU_SOURCE
#include "cli/cc.h"

#include "base/str.h"

#include <stdlib.h>

enum { ROUNDS = 8 };                     /* clang tells of twenty errors at a time */

static bool has(const struct cc_places *places, const struct cc_place *p)
{
    for (size_t i = 0; i < places->n; i++)
        if (places->v[i].round == p->round && places->v[i].line == p->line && places->v[i].column == p->column && strcmp(places->v[i].file, p->file) == 0)
            return true;
    return false;
}

/* The message at p is of such a function: where its plain declaration is. NULL: it is none. */
static const char *plain_at(const char *p)
{
    size_t n = strcspn(p, "\n");
    if (!memmem(p, n, " cannot overload __host__ ", 26))
        return NULL;
    if (strncmp(p, "error: __host__ function ", 25) == 0)
        return memmem(p, n, " cannot overload __host__ __device__ function ", 46) ? p : NULL;
    if (strncmp(p, "error: __host__ __device__ function ", 36) != 0 || !memmem(p, n, " cannot overload __host__ function ", 35))
        return NULL;
    const char *next = strstr(p + n, "error: "), *note = strstr(p + n, "note: previous declaration is here");
    return note && (!next || note < next) ? note : NULL;
}

bool cc_sides_places(const char *said, struct cc_places *places)
{
    int round = 1;
    size_t before = places->n;
    for (size_t i = 0; i < places->n; i++)
        round = places->v[i].round >= round ? places->v[i].round + 1 : round;
    for (const char *p = said; round <= ROUNDS && (p = strstr(p, "error: ")); p++) {
        struct cc_place place;
        const char *at = plain_at(p);
        if (!at || !cc_place_of(said, at, &place))
            continue;
        place.round = round;
        if (has(places, &place))
            hw_free(place.file);
        else
            hw_vec_push(places, place);
    }
    return places->n > before;
}

static size_t offset_of(const struct hw_str *text, const struct cc_place *place)
{
    size_t at = 0;
    for (int line = 1; line < place->line && at < text->n; at++)
        line += text->s[at] == '\n';
    return at + (size_t)place->column - 1;
}

/* Up to the end of the declaration, or to where its body or its initializers begin: by then clang has made a function of it. */
static void mark(struct hw_str *text, size_t at)
{
    if (at >= text->n)
        return;
    struct hw_str out = { 0 };
    size_t end = at + strcspn(text->s + at, ";{");
    end += end < text->n;
    hw_str_add(&out, text->s, at);
    hw_str_puts(&out, "_Pragma(\"clang force_cuda_host_device begin\") ");
    hw_str_add(&out, text->s + at, end - at);
    hw_str_puts(&out, " _Pragma(\"clang force_cuda_host_device end\")");
    hw_str_add(&out, text->s + end, text->n - end);
    hw_str_fini(text);
    *text = out;
}

/* A place counts from the text that clang saw: with all marks of earlier rounds in it, and none of its own; so from the right to the left. */
static int in_turn(const void *a, const void *b)
{
    const struct cc_place *x = a, *y = b;
    return x->round != y->round ? x->round - y->round : x->line != y->line ? y->line - x->line : y->column - x->column;
}

void cc_sides_mark(struct hw_str *text, const char *file, const struct cc_places *places)
{
    struct cc_places here = { 0 };
    for (size_t i = 0; i < places->n; i++)
        if (places->v[i].round && strcmp(places->v[i].file, file) == 0)
            hw_vec_push(&here, places->v[i]);
    if (here.n)
        qsort(here.v, here.n, sizeof *here.v, in_turn);
    for (size_t i = 0; i < here.n; i++)
        mark(text, offset_of(text, &here.v[i]));
    hw_vec_fini(&here);
}
