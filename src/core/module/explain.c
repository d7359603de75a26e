/* SPDX-License-Identifier: Apache-2.0 */
/* From PTX to plans, which are told instead of compiled. */
#include "core/module/explain.h"

#include "jit/jit.h"
#include "lower/lower.h"

static void shape_of(const struct ir_func *f, const uint32_t ntid[3], uint32_t out[3])
{
    memcpy(out, f->reqntid[0] ? f->reqntid : ntid, 3 * sizeof *out);
    uint64_t most = f->maxntid[0] ? (uint64_t)f->maxntid[0] * (f->maxntid[1] ? f->maxntid[1] : 1) * (f->maxntid[2] ? f->maxntid[2] : 1) : 1024;
    if ((uint64_t)out[0] * out[1] * out[2] > most) {
        out[0] = (uint32_t)most;
        out[1] = out[2] = 1;
    }
}

bool explain_ptx(const char *text, size_t bytes, const uint32_t ntid[3], struct hw_str *out, struct diag *diag)
{
    struct ptx_module *ptx = NULL;
    struct ir_module *ir = NULL;
    bool ok = ptx_parse(text, bytes, diag, &ptx) == PTX_OK && lower_module(ptx, diag, &ir) == PTX_OK;
    for (size_t i = 0; ok && i < ir->funcs.n; i++) {
        struct jit_request req = { .small_grid = true };
        shape_of(ir->funcs.v[i], ntid, req.ntid);
        if (i)
            hw_str_puts(out, "\n");
        ok = jit_explain(ir->funcs.v[i], &req, out, diag);
    }
    if (ok && ir->funcs.n == 0)
        hw_str_puts(out, "no kernels\n");
    if (ptx)
        ptx_module_free(ptx);
    if (ir)
        ir_module_free(ir);
    return ok;
}
