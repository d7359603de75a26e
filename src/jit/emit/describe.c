/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions in words, for messages about faults. */
#define _GNU_SOURCE
#include "jit/jit.h"

#include "base/os.h"
#include "base/str.h"
#include "pass/explain.h"

#include <string.h>

static const struct ir_inst *find(const struct ir_func *f, uint32_t line)
{
    const struct ir_inst *any = NULL;
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            if (i->ptx_line == line && (ir_op_info[i->op].props & IR_PROP_MEM))
                return i;
            any = i->ptx_line == line ? i : any;
        }
    return any;
}

static void add_access(struct hw_str *out, const struct ir_inst *i)
{
    unsigned n = i->op == IR_LD ? i->n_dst : i->op == IR_ST ? i->n_src - 1u : i->op == IR_ATOM2 ? 2 : 1;
    const char *what = i->op == IR_LD ? "read" : i->op == IR_ST ? "write" : i->op == IR_ATOM || i->op == IR_ATOM2 ? "atomic" : NULL;
    if (what)
        hw_str_printf(out, ", %s of %u bytes", what, n * (i->type == IR_PRED ? 1 : ir_type_bits(i->type) / 8));
}

/* "/home/a.cu:12 in _Z1fv < /home/a.cu:30": folders and mangled names are for tools. */
static void add_frames(struct hw_str *out, const char *frames)
{
    for (const char *p = frames, *end; p; p = end ? end + 3 : NULL) {
        end = strstr(p, " < ");
        size_t n = end ? (size_t)(end - p) : strlen(p);
        const char *in = memmem(p, n, " in ", 4), *slash = memrchr(p, '/', in ? (size_t)(in - p) : n), *from = slash ? slash + 1 : p;
        hw_str_printf(out, "%s%.*s", p == frames ? ", " : ", called at ", (int)((in ? in : p + n) - from), from);
        if (in) {
            char *name = hw_strndup(in + 4, n - (size_t)(in + 4 - p)), *plain = hw_demangle(name);
            hw_str_printf(out, " in %s", plain);
            hw_free(plain);
            hw_free(name);
        }
    }
}

void jit_describe_line(const struct ir_func *func, uint32_t line, struct hw_str *out)
{
    const struct ir_inst *i = find(func, line);
    struct hw_str frames = { 0 };
    for (size_t k = 0; k < func->callees.n && !i; k++)
        i = find(func->callees.v[k], line);
    if (!i)
        return;
    explain_frames(&frames, func->module, i);
    add_frames(out, frames.s);
    add_access(out, i);
    hw_str_fini(&frames);
}
