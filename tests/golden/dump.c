/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a PTX file becomes: its IR and variables, or why it does not load. For run.py. */
#include "base/os.h"
#include "lower/lower.h"

#include <stdio.h>

static const char *const status_names[] = { "ok", "bad image", "bad PTX", "bad version", "no PTX" };

static void print_var(struct hw_str *out, const struct ir_var *v)
{
    hw_str_printf(out, "var %s %s bytes %llu align %llu%s%s%s%s\n", v->name, v->space == IR_CONST ? "const" : "global",
                  (unsigned long long)v->bytes, (unsigned long long)v->align, v->visible ? " visible" : "", v->external ? " extern" : "",
                  v->weak ? " weak" : "", v->managed ? " managed" : "");
    if (v->init) {
        hw_str_puts(out, "  init");
        for (uint64_t i = 0; i < v->bytes && i < 256; i++)
            hw_str_printf(out, "%s%02x", i % 32 == 0 && i ? "\n       " : i % 4 == 0 ? " " : "", i < v->init_bytes ? ((const uint8_t *)v->init)[i] : 0);
        hw_str_puts(out, "\n");
    }
    for (size_t i = 0; i < v->relocs.n; i++)
        hw_str_printf(out, "  at %llu: address of var %d %+lld%s\n", (unsigned long long)v->relocs.v[i].offset, v->relocs.v[i].var,
                      (long long)v->relocs.v[i].addend, v->relocs.v[i].generic ? " generic" : "");
}

/* A kernel and its functions as text; that text, read and printed again, must be the same. */
static void print_kernel(struct hw_str *out, const struct ir_func *f)
{
    struct hw_str text = { 0 }, again = { 0 };
    struct diag diag = { 0 };
    ir_print_func(&text, f);
    for (size_t k = 0; k < f->callees.n; k++)
        ir_print_func(&text, f->callees.v[k]);
    struct ir_module *m = ir_parse(text.s, text.n, &diag);
    if (m) {
        ir_print_func(&again, m->funcs.v[0]);
        for (size_t k = 0; k < m->funcs.v[0]->callees.n; k++)
            ir_print_func(&again, m->funcs.v[0]->callees.v[k]);
    }
    if (!m || again.n != text.n || memcmp(text.s, again.s, text.n) != 0)
        hw_str_printf(out, "READ BACK IT IS ANOTHER: %s\n%s\n", diag.text.s ? diag.text.s : "", again.s ? again.s : "");
    hw_str_add(out, text.s, text.n);
    hw_str_fini(&text);
    hw_str_fini(&again);
    diag_fini(&diag);
    ir_module_free(m);
}

int main(int argc, char **argv)
{
    size_t bytes, text_bytes = 0;
    char *image = argc == 2 ? hw_file_read(argv[1], &bytes) : NULL, *text = NULL;
    struct diag diag = { 0 };
    struct ptx_module *ptx = NULL;
    struct ir_module *ir = NULL;
    struct hw_str out = { 0 };
    if (!image) {
        fprintf(stderr, "usage: dump FILE\n");
        return 2;
    }
    enum ptx_status rc = ptx_image_text(image, bytes, 90, &diag, &text, &text_bytes);
    if (!rc)
        rc = ptx_parse(text, text_bytes, &diag, &ptx);
    if (!rc)
        rc = lower_module(ptx, &diag, &ir);
    if (rc)
        hw_str_printf(&out, "%s\n%s", status_names[rc], diag.text.s ? diag.text.s : "");
    for (size_t i = 0; ir && i < ir->vars.n; i++)
        print_var(&out, ir->vars.v[i]);
    for (size_t i = 0; ir && i < ir->funcs.n; i++)
        print_kernel(&out, ir->funcs.v[i]);
    if (out.n)
        fwrite(out.s, 1, out.n, stdout);
    hw_str_fini(&out);
    ir_module_free(ir);
    ptx_module_free(ptx);
    diag_fini(&diag);
    hw_free(text);
    hw_free(image);
    return rc ? 1 : 0;
}
