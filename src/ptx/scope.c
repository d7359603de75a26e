/* SPDX-License-Identifier: Apache-2.0 */
/* Names and where they are visible: module, function, nested blocks. */
#include "ptx/parse.h"

enum { MAX_RANGE = 1 << 22, MAX_REGS = 1 << 22 };

static uint32_t hash_name(const char *name, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h ^ h >> 15;
}

static void grow(struct ptx_scopes *s)
{
    /* Oldest first, so that inner declarations end up in front again: collect, then insert backwards. */
    size_t n = s->n_buckets ? s->n_buckets * 4 : 256;
    HW_VEC(struct ptx_symbol *) all = { 0 };
    for (struct ptx_symbol *sym = s->newest; sym; sym = sym->older)
        hw_vec_push(&all, sym);
    hw_free(s->buckets);
    s->buckets = hw_alloc(n * sizeof(*s->buckets));
    s->n_buckets = n;
    while (all.n) {
        struct ptx_symbol *sym = hw_vec_pop(&all);
        struct ptx_symbol **bucket = &s->buckets[sym->hash & (n - 1)];
        sym->next = *bucket;
        *bucket = sym;
    }
    hw_vec_fini(&all);
}

void ptx_scopes_fini(struct ptx_scopes *s)
{
    hw_free(s->buckets);
    memset(s, 0, sizeof *s);
}

/* The prefix of a range of registers is no name by itself: x and x<3> may stand side by side. */
static struct ptx_symbol *find_hashed(const struct ptx_scopes *s, const char *name, size_t n, uint32_t hash, bool range)
{
    if (!s->n_buckets)
        return NULL;
    for (struct ptx_symbol *sym = s->buckets[hash & (s->n_buckets - 1)]; sym; sym = sym->next)
        if (sym->hash == hash && sym->n == n && (sym->kind == PTX_S_RANGE) == range && memcmp(sym->name, name, n) == 0)
            return sym;
    return NULL;
}

struct ptx_symbol *ptx_symbol_find(const struct ptx_scopes *s, const char *name, size_t n)
{
    return find_hashed(s, name, n, hash_name(name, n), false);
}

struct ptx_symbol *ptx_symbol_add(struct ptx_parser *p, const char *name, size_t n, enum ptx_symbol_kind kind, void *value)
{
    struct ptx_scopes *s = &p->scopes;
    uint32_t hash = hash_name(name, n);
    struct ptx_symbol *old = find_hashed(s, name, n, hash, kind == PTX_S_RANGE);
    if (old && old->depth == s->depth)
        return NULL;
    if (s->n_symbols >= s->n_buckets)
        grow(s);
    struct ptx_symbol *sym = hw_arena_new(&p->module->arena, struct ptx_symbol);
    sym->name = hw_arena_strndup(&p->module->arena, name, n);
    sym->n = (uint32_t)n;
    sym->hash = hash;
    sym->depth = (uint16_t)s->depth;
    sym->kind = (uint8_t)kind;
    sym->p = value;
    /* Inner declarations stay in front: a function's name is entered when its results already have theirs. */
    struct ptx_symbol **bucket = &s->buckets[hash & (s->n_buckets - 1)], **list = &s->newest;
    while (*bucket && (*bucket)->depth > s->depth)
        bucket = &(*bucket)->next;
    while (*list && (*list)->depth > s->depth)
        list = &(*list)->older;
    sym->next = *bucket;
    *bucket = sym;
    sym->older = *list;
    *list = sym;
    s->n_symbols++;
    return sym;
}

void ptx_scope_open(struct ptx_parser *p)
{
    p->scopes.depth++;
}

void ptx_scope_close(struct ptx_parser *p)
{
    struct ptx_scopes *s = &p->scopes;
    while (s->newest && s->newest->depth == s->depth) {
        struct ptx_symbol *sym = s->newest;
        /* The newest symbol is the first of its bucket. */
        s->buckets[sym->hash & (s->n_buckets - 1)] = sym->next;
        s->newest = sym->older;
        s->n_symbols--;
    }
    s->depth--;
}

struct ptx_reg *ptx_reg_make(struct ptx_parser *p, const char *name, size_t n, enum ptx_type type)
{
    if (p->n_regs >= MAX_REGS) {
        ptx_error(p, "more than %d registers in one module", MAX_REGS);
        return NULL;
    }
    struct ptx_reg *r = hw_arena_new(&p->module->arena, struct ptx_reg);
    r->name = hw_arena_strndup(&p->module->arena, name, n);
    r->type = type;
    r->id = (uint32_t)p->func->regs.n;
    hw_vec_push(&p->func->regs, r);
    p->n_regs++;
    return r;
}

/* %r17: the number behind the prefix of a range. Leading zeroes name something else. */
static size_t split_number(const char *name, size_t n, uint64_t *out)
{
    size_t at = n;
    uint64_t v = 0, scale = 1;
    while (at > 1 && name[at - 1] >= '0' && name[at - 1] <= '9' && n - at < 8) {
        at--;
        v += (uint64_t)(name[at] - '0') * scale;
        scale *= 10;
    }
    if (at == n || (name[at] == '0' && n - at > 1))
        return 0;
    *out = v;
    return at;
}

static struct ptx_reg *reg_of_range(struct ptx_parser *p, struct ptx_range *range, uint64_t index, const char *name, size_t n)
{
    while (range->regs.n <= index)
        hw_vec_push(&range->regs, NULL);
    if (!range->regs.v[index])
        range->regs.v[index] = ptx_reg_make(p, name, n, range->type);
    return range->regs.v[index];
}

/* The innermost declaration holds: %p1 of a nested block is not the %p1 of the function's %p<9>. */
struct ptx_reg *ptx_reg_find(struct ptx_parser *p, const char *name, size_t n)
{
    uint64_t index = 0;
    size_t prefix = split_number(name, n, &index);
    const struct ptx_symbol *one = ptx_symbol_find(&p->scopes, name, n);
    if (prefix) {
        const struct ptx_symbol *range = find_hashed(&p->scopes, name, prefix, hash_name(name, prefix), true);
        bool known = range && index < range->range->count && index < MAX_RANGE;
        if (known && !(one && one->kind == PTX_S_REG && one->depth > range->depth))
            return reg_of_range(p, range->range, index, name, n);
    }
    return one && one->kind == PTX_S_REG ? one->reg : NULL;
}
