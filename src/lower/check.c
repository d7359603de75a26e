/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for errors in a module as ptxas does, without making anything of it. */
#include "lower/frame.h"

/* Where a declaration has its definition in this module. */
static bool is_defined(const struct ptx_module *ptx, const struct ptx_var *v)
{
    for (size_t i = 0; i < ptx->vars.n; i++)
        if (!ptx->vars.v[i]->is_extern && strcmp(ptx->vars.v[i]->name, v->name) == 0)
            return true;
    return false;
}

static void check_variables(struct lower_ctx *c)
{
    for (size_t i = 0; i < c->ptx->vars.n; i++) {
        const struct ptx_var *v = c->ptx->vars.v[i];
        if (v->is_extern && (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) && !is_defined(c->ptx, v))
            diag_error(c->diag, v->line, 0, "variable '%s' is declared but not defined", v->name);
    }
}

bool lower_check(const struct ptx_module *ptx, bool open, struct diag *diag)
{
    struct lower_layout layout = { 0 };
    struct lower_check check = { .open = open };
    struct lower_ctx c = { .ptx = ptx, .diag = diag, .layout = &layout, .check = &check };
    int before = diag->n_errors;
    c.module = ir_module_new();
    bool ok = lower_globals(&c, ptx);
    if (!open)
        check_variables(&c);
    for (size_t i = 0; ok && i < ptx->funcs.n; i++) {
        const struct ptx_func *f = ptx->funcs.v[i];
        bool callable = open && !f->is_entry && f->has_body && !f->is_shadow;
        if (lower_is_kernel(f) || callable)
            lower_kernel(&c, f);
    }
    hw_map_fini(&check.told);
    hw_map_fini(&layout.shared);
    hw_map_fini(&layout.globals);
    hw_vec_fini(&c.callees);
    hw_map_fini(&c.inlined);
    ir_module_free(c.module);
    return ok && diag->n_errors == before;
}
