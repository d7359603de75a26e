/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs passes over a file of IR and prints what they made of it. For run.py. The file says in comments what to do:
 *   ; passes: fold webs        which, in order; "all": as for a kernel that is compiled
 *   ; block: 64,1,1            the block's shape
 *   ; width: 16                lanes per vector; 16 unless said
 *   ; options: stream          the plan's options that are set: stream, fair, turns
 *   ; show: plan               the plan with shapes, "explain": in words, or else "ir"
 */
#include "base/os.h"
#include "pass/explain.h"
#include "pass/plan.h"

#include <stdio.h>
#include <stdlib.h>

static bool said(const char *text, const char *what, char out[256])
{
    char want[32];
    snprintf(want, sizeof want, "; %s: ", what);
    const char *at = strstr(text, want);
    if (!at)
        return false;
    at += strlen(want);
    snprintf(out, 256, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

static void show(struct hw_str *out, const struct plan *p, const char *how)
{
    if (strcmp(how, "explain") == 0)
        explain_plan(out, p, p->func->module);
    else if (strcmp(how, "plan") == 0)
        plan_print(out, p);
    else
        ir_print_func(out, p->func);
}

int main(int argc, char **argv)
{
    size_t bytes;
    char *text = argc == 2 ? hw_file_read(argv[1], &bytes) : NULL, word[256], passes[256];
    struct diag diag = { 0 };
    struct hw_str out = { 0 };
    if (!text) {
        fprintf(stderr, "usage: apply FILE.ir\n");
        return 2;
    }
    struct ir_module *m = ir_parse(text, bytes, &diag);
    struct plan_options opt = { .ntid = { 32, 1, 1 }, .width = 16, .small_grid = true };
    if (said(text, "block", word) && sscanf(word, "%u,%u,%u", &opt.ntid[0], &opt.ntid[1], &opt.ntid[2]) != 3)
        fprintf(stderr, "block: three numbers\n");
    if (said(text, "width", word))
        opt.width = (uint32_t)strtoul(word, NULL, 10);
    if (said(text, "options", word)) {
        opt.stream = strstr(word, "stream");
        opt.fair = strstr(word, "fair");
        opt.turns = strstr(word, "turns");
    }
    opt.chunks = opt.width == 1 ? 1 : PLAN_LANES / opt.width;
    bool all = !said(text, "passes", passes) || strcmp(passes, "all") == 0;
    struct plan *p = !m ? NULL : all ? plan_new(m->funcs.v[0], &opt, &diag) : plan_only(m->funcs.v[0], &opt, passes, &diag);
    if (p)
        show(&out, p, said(text, "show", word) ? word : "ir");
    printf("%s%s", diag.text.s ? diag.text.s : "", out.s ? out.s : "");
    plan_free(p);
    ir_module_free(m);
    hw_str_fini(&out);
    diag_fini(&diag);
    hw_free(text);
    return 0;
}
