/* SPDX-License-Identifier: Apache-2.0 */
#include "jit/code/details_table.h"

#include "ir/ir.h"
#include "pass/explain.h"

struct details_table *details_table_new(struct details_site *sites, uint32_t n, uint32_t n_windows)
{
    struct details_table *t = hw_alloc(sizeof *t);
    t->n = n;
    t->sites = sites;
    t->counts = hw_alloc(((size_t)n + 1) * sizeof *t->counts);
    for (uint32_t k = 0; k < n; k++)
        t->looks |= sites[k].looks;
    t->n_windows = n_windows;
    t->open = hw_alloc(((size_t)n_windows + 1) * sizeof *t->open);
    for (uint32_t k = 0; k < n_windows; k++)
        t->open[k] = (struct kabi_window){ .size = UINT64_MAX, .to = UINT64_MAX };
    t->came = hw_alloc(kabi_came_words(n) * sizeof *t->came);
    hw_mutex_init(&t->mu, HW_RANK_LEAF);
    return t;
}

void details_table_free(struct details_table *t)
{
    if (!t)
        return;
    for (uint32_t k = 0; k < t->n; k++)
        hw_free(t->sites[k].place);
    hw_free(t->sites);
    hw_free(t->counts);
    hw_free(t->open);
    hw_free(t->came);
    hw_free(t);
}

/* ---- bytes ---- */

struct packed {
    uint32_t n, n_windows;       /* then the sites, with no places, and the places */
};

void details_table_pack(const struct details_table *t, struct hw_str *out)
{
    struct packed p = { t->n, t->n_windows };
    hw_str_add(out, (const char *)&p, sizeof p);
    for (uint32_t k = 0; k < t->n; k++) {
        struct details_site s = t->sites[k];
        s.place = NULL;
        hw_str_add(out, (const char *)&s, sizeof s);
    }
    for (uint32_t k = 0; k < t->n; k++)
        hw_str_add(out, t->sites[k].place ? t->sites[k].place : "", t->sites[k].place ? strlen(t->sites[k].place) + 1 : 1);
}

struct details_table *details_table_unpack(const char *bytes, size_t n)
{
    struct packed p;
    if (n < sizeof p)
        return NULL;
    memcpy(&p, bytes, sizeof p);
    if (p.n > (n - sizeof p) / sizeof(struct details_site) || p.n_windows / KABI_WARPS > p.n)
        return NULL;
    const char *place = bytes + sizeof p + p.n * sizeof(struct details_site), *end = bytes + n;
    struct details_site *sites = hw_alloc(((size_t)p.n + 1) * sizeof *sites);
    memcpy(sites, bytes + sizeof p, p.n * sizeof *sites);
    bool ok = true;
    for (uint32_t k = 0; k < p.n; k++) {
        size_t length = strnlen(place, (size_t)(end - place));
        ok = ok && place + length < end;
        sites[k].place = ok ? hw_strdup(place) : NULL;
        place += ok ? length + 1 : 0;
    }
    struct details_table *t = details_table_new(sites, p.n, p.n_windows);
    if (ok && place == end)
        return t;
    details_table_free(t);
    return NULL;
}

/* ---- what it is made of ---- */

static void hash_variables(struct hw_hash *h, const struct ir_variable *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        hw_hash_u64(h, v[i].offset);
        hw_hash_u64(h, v[i].bytes);
    }
}

static void hash_places(struct hw_hash *h, const struct ir_module *names, const struct ir_func *f)
{
    struct hw_str text = { 0 };
    hash_variables(h, f->locals.v, f->locals.n);
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            hw_str_printf(&text, "%u ", (unsigned)i->ptx_line);
            explain_frames(&text, names, i);
            hw_str_puts(&text, "\n");
        }
    hw_hash_add(h, text.s, text.n);
    hw_str_fini(&text);
}

void details_table_hash(struct hw_hash *h, const struct ir_func *f)
{
    hash_places(h, f->module, f);
    for (size_t i = 0; i < f->callees.n; i++)
        hash_places(h, f->module, f->callees.v[i]);
}
