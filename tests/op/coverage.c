/* SPDX-License-Identifier: Apache-2.0 */
/* Every FORM of ptx/forms.def must occur in some case of tests/op/, or stand here with the reason why it cannot. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "ptx/module.h"
#include "tv.h"

static const struct {
    enum ptx_form form;
    const char *why;
} elsewhere[] = {
    { PTX_TRAP, "ends the kernel with an error: tests/api" },
    { PTX_BRKPT, "ends the kernel with an error" },
    { PTX_SHFL, "not allowed for sm_70 and later" },
    { PTX_VOTE, "not allowed for sm_70 and later" },
    { PTX_BALLOT, "not allowed for sm_70 and later" },
    { PTX_TEX, "needs a texture: tests/api" },
    { PTX_TEX_LEVEL, "needs a texture: tests/api" },
    { PTX_TEX_GRAD, "needs a texture: tests/api" },
    { PTX_TLD4, "needs a texture: tests/api" },
    { PTX_TXQ, "needs a texture: tests/api" },
    { PTX_SULD, "needs a surface: tests/api" },
    { PTX_SUST, "needs a surface: tests/api" },
    { PTX_SUST_P, "needs a surface: tests/api" },
    { PTX_SURED, "needs a surface: tests/api" },
    { PTX_SURED_P, "needs a surface: tests/api" },
    { PTX_SUQ, "needs a surface: tests/api" },
};

static bool seen[PTX_FORM_COUNT];

static bool scan(const char *path, const struct tv_case *c)
{
    static char text[TV_MAX_KERNEL];
    struct diag diag = { 0 };
    struct ptx_module *m = NULL;
    enum ptx_status rc;

    tv_kernel_text(c, text, sizeof text);
    rc = ptx_parse(text, strlen(text), &diag, &m);
    for (size_t i = 0; !rc && i < m->funcs.n; i++)
        for (size_t k = 0; k < m->funcs.v[i]->insts.n; k++)
            seen[m->funcs.v[i]->insts.v[k].form] = true;
    if (rc && !c->has_todo)
        printf("not ok %s:%u %s does not parse: %s\n", path, c->line, c->name, diag.text.s ? diag.text.s : "");
    ptx_module_free(m);
    diag_fini(&diag);
    return !rc;
}

int main(void)
{
    glob_t found = { 0 };
    unsigned n_bad = 0;

    if (glob("tests/op/*.tv", 0, NULL, &found)) {
        fprintf(stderr, "no tests/op/*.tv: run in the top folder\n");
        return 2;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct tv_case *first = tv_read(found.gl_pathv[i]);

        for (struct tv_case *c = first; c; c = c->next)
            n_bad += !scan(found.gl_pathv[i], c) && !c->has_todo;
        tv_free(first);
    }
    globfree(&found);
    for (unsigned i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
        if (seen[elsewhere[i].form]) {
            printf("not ok %s has a case now: take it off the list\n", ptx_form_info[elsewhere[i].form].name);
            n_bad++;
        }
        seen[elsewhere[i].form] = true;
    }
    for (unsigned form = 1; form < PTX_FORM_COUNT; form++) {
        if (ptx_form_info[form].props & PTX_TODO)
            continue;
        printf("%s %s%s\n", seen[form] ? "ok" : "not ok", ptx_form_info[form].name, seen[form] ? "" : " has no case in tests/op/*.tv");
        n_bad += !seen[form];
    }
    return n_bad != 0;
}
