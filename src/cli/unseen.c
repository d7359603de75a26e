/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp unseen`: what a program's end asks for (driver/unseen.c). Of the failures on standard input it tells those whose answer the program dropped. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include "base/str.h"
#include "cli/dropped.h"
#include "cli/source_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 3 };

struct failure {
    char *title, *caller, *stack;
};

static void forget(struct failure *f)
{
    hw_free(f->title);
    hw_free(f->caller);
    hw_free(f->stack);
    *f = (struct failure){ 0 };
}

static char *place_of(const char *stack)
{
    struct source_frames all = { 0 };
    char *place = NULL;
    source_of_stack(stack, &all);
    for (size_t k = 0; k < all.v.n && !place; k++) {
        const char *slash = strrchr(all.v.v[k].path, '/');
        if (!source_is_between(&all.v.v[k]))
            place = hw_sprintf(" at %s:%u", slash ? slash + 1 : all.v.v[k].path, all.v.v[k].line);
    }
    source_frames_fini(&all);
    return place ? place : hw_strdup("");
}

/* title: "cudaMalloc: out of memory (...)" */
static bool tell(const struct failure *f, unsigned told)
{
    if (!f->title || !f->stack || !dropped_answer(f->stack, f->caller ? f->caller : ""))
        return false;
    size_t n = strcspn(f->title, ":");       /* the function */
    char *place = told < MOST ? place_of(f->stack) : NULL;
    if (place)
        fprintf(stderr, "hostwarp: %.*s%s failed%s, and nobody looked at it\n", (int)n, f->title, place, f->title + n);
    hw_free(place);
    return true;
}

int cmd_unseen(int argc, char **argv)
{
    struct failure f = { 0 };
    char *line = NULL;
    size_t cap = 0;
    unsigned told = 0;
    (void)argc;
    (void)argv;
    while (getline(&line, &cap, stdin) > 0) {
        char *field[4] = { line, "", "", "" };
        line[strcspn(line, "\n")] = 0;
        for (int k = 1; k < 4; k++) {
            char *tab = strchr(field[k - 1], '\t');
            if (!tab)
                break;
            *tab = 0;
            field[k] = tab + 1;
        }
        if (strcmp(field[0], "begin") == 0)
            forget(&f);
        else if (strcmp(field[0], "title") == 0 && !f.title)
            f.title = cli_readable(field[3]);
        else if (strcmp(field[0], "caller") == 0 && !f.caller)
            f.caller = hw_strdup(field[2]);
        else if (strcmp(field[0], "host") == 0 && !f.stack)
            f.stack = hw_strdup(field[2]);
        else if (strcmp(field[0], "end") == 0)
            told += tell(&f, told);
    }
    if (told > MOST)
        fprintf(stderr, "hostwarp: and %u calls more (hostwarp check shows all; HOSTWARP_UNSEEN=0: say nothing)\n", told - MOST);
    else if (told)
        fprintf(stderr, "hostwarp: (hostwarp check tells more; HOSTWARP_UNSEEN=0: say nothing)\n");
    forget(&f);
    free(line);
    return CLI_OK;
}
