/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp show`: what a program, library, object, archive, fatbin, cubin or PTX file holds for the device. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include "base/os.h"
#include "base/str.h"
#include "ptx/cubin.h"
#include "ptx/fatbin.h"
#include "ptx/module.h"
#include "ptx/object.h"

#include <errno.h>
#include <stdio.h>

struct showing {
    bool text;                           /* --ptx: the texts alone */
    int n_entries, n_ptx;
    bool bad;
};

static void show_help(void)
{
    printf("usage: hostwarp show [--ptx] FILE...\n\nLists the device code in programs, libraries, objects, archives, fatbins, cubins and PTX files: for which device "
           "it is,\nwhich kernels and variables it has. Machine code of GPUs is named, and not used here.\n\n"
           "  --ptx   print the PTX text itself\n");
}

static void names(const struct ptx_module *m)
{
    for (size_t i = 0; i < m->funcs.n; i++) {
        const struct ptx_func *f = m->funcs.v[i];
        if (!f->is_entry || !f->has_body)
            continue;
        char *plain = hw_demangle(f->name);
        printf("    kernel %s\n", plain);
        hw_free(plain);
    }
    for (size_t i = 0; i < m->vars.n; i++) {
        const struct ptx_var *v = m->vars.v[i];
        if ((v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST) || !v->is_visible || v->is_extern)
            continue;
        char *plain = hw_demangle(v->name);
        printf("    %s variable %s, %llu bytes\n", v->space == PTX_SPACE_CONST ? "constant" : v->is_managed ? "managed" : "global", plain, (unsigned long long)v->bytes);
        hw_free(plain);
    }
}

/* what: "PTX" or "cubin of hostwarp". */
static void show_text(struct showing *s, const char *text, const char *what, const char *packing)
{
    struct diag diag = { 0 };
    struct ptx_module *m = NULL;
    s->n_ptx++;
    if (s->text) {
        fputs(text, stdout);
        return;
    }
    if (ptx_parse(text, strlen(text), &diag, &m) != PTX_OK) {
        printf("  %s, %zu bytes, which cannot be read:\n%s", what, strlen(text), diag.text.s ? diag.text.s : "");
        s->bad = true;
    } else {
        printf("  %s, version %u.%u for sm_%u, %zu bytes%s%s\n", what, m->version / 10, m->version % 10, m->sm, strlen(text), packing ? ", packed with " : "", packing ? packing : "");
        names(m);
    }
    if (m)
        ptx_module_free(m);
    diag_fini(&diag);
}

static void show_entry(void *data, const struct ptx_entry *e)
{
    struct showing *s = data;
    s->n_entries++;
    if (e->text)
        show_text(s, e->text, e->is_ptx ? "PTX" : "cubin of hostwarp", e->packing);
    else if (!s->text)
        printf("  %s for sm_%u, %llu bytes: not used here\n", e->is_elf ? "machine code of a GPU" : "an entry of a kind that is not known", e->sm, (unsigned long long)e->bytes);
}

static void show_image(void *data, const char *member, const char *image, size_t bytes)
{
    static const uint32_t fatbin = 0xba55ed50u;
    struct showing *s = data;
    struct diag diag = { 0 };
    if (!s->text && member)
        printf(" member %s\n", member);
    if (bytes >= 4 && memcmp(image, &fatbin, 4) == 0) {
        if (ptx_fatbin_each(image, bytes, &diag, show_entry, s) != PTX_OK) {
            printf("  %s", diag.text.s);
            s->bad = true;
        }
    } else {
        char *text = NULL;
        size_t n;
        s->n_entries++;
        enum ptx_status status = ptx_image_text(image, bytes, 999, &diag, &text, &n);
        if (status == PTX_OK)
            show_text(s, text, ptx_is_cubin(image, bytes) ? "cubin of hostwarp" : "PTX", NULL);
        else if (status == PTX_NO_PTX && !s->text)
            printf("  machine code of a GPU, %zu bytes: not used here\n", bytes);
        else if (status != PTX_NO_PTX) {
            printf("  %s", diag.text.s ? diag.text.s : "cannot be read\n");
            s->bad = true;
        }
        hw_free(text);
    }
    diag_fini(&diag);
}

static bool show_file(const char *path, bool text)
{
    struct showing s = { .text = text };
    struct diag diag = { 0 };
    size_t n;
    char *image = hw_file_read(path, &n);
    if (!image) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    if (!text)
        printf("%s:\n", path);
    if (ptx_object_images(image, n, &diag, show_image, &s) != PTX_OK || diag.n_errors) {
        printf("  %s", diag.text.s ? diag.text.s : "cannot be read\n");
        s.bad = true;
    } else if (!s.n_entries && !text) {
        printf("  no device code\n");
    }
    diag_fini(&diag);
    hw_free(image);
    return !s.bad;
}

int cmd_show(int argc, char **argv)
{
    bool text = false, ok = true;
    int n = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            show_help();
            return CLI_OK;
        }
        if (strcmp(argv[i], "--ptx") == 0 || strcmp(argv[i], "-ptx") == 0) {
            text = true;
        } else if (argv[i][0] == '-') {
            cli_error("unknown option %s; hostwarp show --help tells more", argv[i]);
            return CLI_USAGE;
        } else {
            n++;
        }
    }
    for (int i = 0; i < argc; i++)
        if (argv[i][0] != '-')
            ok &= show_file(argv[i], text);
    if (!n)
        cli_error("no file was named; hostwarp show --help tells more");
    return !n ? CLI_USAGE : ok ? CLI_OK : CLI_FAIL;
}
