/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that are entered at several blocks (irreducible control flow) get one header. Every edge to one of the entries leads through the new header instead, which
 * goes on to the entry that the edge has noted in a register. So each loop has one header that dominates it, and all that is known of loops holds.
 */
#include "pass/plan.h"

/* Strongly connected components (Tarjan's algorithm, without recursion), where edges to blocks in `cut` do not count. */
struct scc {
    struct ir_func *f;
    int n, time;
    int *seen, *low, *of;        /* by block: when it was first seen, from 1; the earliest that it reaches; its component, or -1 */
    char *next;                  /* by block: how many successors were followed */
    const bool *cut;
    HW_VEC(int) path, open;
    int n_components;
};

static struct ir_block *successor(const struct scc *s, int block, int k)
{
    const struct ir_inst *t = ir_block_term(s->f->blocks.v[block]);
    return t->target[k] && !s->cut[t->target[k]->id] ? t->target[k] : NULL;
}

static void enter(struct scc *s, int block)
{
    s->seen[block] = s->low[block] = ++s->time;
    hw_vec_push(&s->path, block);
    hw_vec_push(&s->open, block);
}

static void leave(struct scc *s, int block)
{
    (void)hw_vec_pop(&s->path);
    if (s->path.n) {
        int before = s->path.v[s->path.n - 1];
        s->low[before] = s->low[block] < s->low[before] ? s->low[block] : s->low[before];
    }
    if (s->low[block] != s->seen[block])
        return;
    int b;
    do
        s->of[b = hw_vec_pop(&s->open)] = s->n_components;
    while (b != block);
    s->n_components++;
}

static void components(struct scc *s)
{
    s->time = s->n_components = 0;
    for (int b = 0; b < s->n; b++) {
        s->seen[b] = 0;
        s->of[b] = -1;
        s->next[b] = 0;
    }
    for (int start = 0; start < s->n; start++) {
        if (!s->seen[start])
            enter(s, start);
        while (s->path.n) {
            int b = s->path.v[s->path.n - 1];
            if (s->next[b] == 2) {
                leave(s, b);
                continue;
            }
            struct ir_block *to = successor(s, b, s->next[b]++);
            if (to && !s->seen[to->id])
                enter(s, (int)to->id);
            else if (to && s->of[to->id] < 0 && s->seen[to->id] < s->low[b])
                s->low[b] = s->seen[to->id];
        }
    }
}

/* entries, by component: how many blocks of it have predecessors outside. inside: has it an edge within, and so a loop? */
static void count_entries(const struct scc *s, int *entries, bool *inside, bool *is_entry)
{
    for (int c = 0; c < s->n_components; c++) {
        entries[c] = 0;
        inside[c] = false;
    }
    for (int b = 0; b < s->n; b++)
        is_entry[b] = false;
    is_entry[0] = true;
    for (int b = 0; b < s->n; b++)
        for (int k = 0; k < 2; k++) {
            const struct ir_block *to = ir_block_term(s->f->blocks.v[b])->target[k];
            if (to && s->of[to->id] != s->of[b])
                is_entry[to->id] = true;
            if (to && s->of[to->id] == s->of[b] && !s->cut[to->id])
                inside[s->of[b]] = true;
        }
    for (int b = 0; b < s->n; b++)
        entries[s->of[b]] += is_entry[b];
}

static struct ir_inst *jump(struct ir_func *f, struct ir_block *to)
{
    struct ir_inst *br = ir_inst_new(f, IR_BR, IR_VOID);
    br->target[0] = to;
    return br;
}

/* A block on the way to the header that notes where to go on. */
static struct ir_block *note(struct ir_func *f, struct ir_reg *where, unsigned entry, struct ir_block *header)
{
    struct ir_block *b = ir_block_new(f, NULL);
    struct ir_inst *mov = ir_inst_new(f, IR_MOV, IR_I32);
    ir_inst_dst(mov, where);
    ir_inst_src(mov, ir_imm_operand(entry));
    ir_block_add(b, mov);
    ir_block_add(b, jump(f, header));
    return b;
}

/* `where` is compared with all numbers but the last, one block each; the first is the header. */
static void dispatch(struct ir_func *f, struct ir_block *header, struct ir_reg *where, struct ir_block **entries, unsigned n)
{
    for (unsigned k = 0; k + 1 < n; k++) {
        struct ir_block *rest = k + 2 < n ? ir_block_new(f, NULL) : entries[n - 1];
        struct ir_inst *compare = ir_inst_new(f, IR_CMP, IR_I32), *branch = ir_inst_new(f, IR_CBR, IR_VOID);
        struct ir_reg *here = ir_reg_new(f, IR_PRED, NULL);
        compare->cmp = IR_EQ;
        ir_inst_dst(compare, here);
        ir_inst_src(compare, ir_reg_operand(where));
        ir_inst_src(compare, ir_imm_operand(k));
        ir_inst_src(branch, ir_reg_operand(here));
        branch->target[0] = entries[k];
        branch->target[1] = rest;
        ir_block_add(header, compare);
        ir_block_add(header, branch);
        header = rest;
    }
}

/* By block, for entries of such loops: what edges from outside and from within lead to instead. Those from outside are no part of the loop. */
struct detour {
    struct ir_block *way[2];
};

/* The loop whose entries are given gets a header. */
static void give_header(struct ir_func *f, struct ir_block **entries, unsigned n, struct detour *detours)
{
    struct ir_reg *where = ir_reg_new(f, IR_I32, NULL);
    struct ir_block *header = ir_block_new(f, NULL);
    for (unsigned k = 0; k < n; k++)
        detours[entries[k]->id] = (struct detour){ { note(f, where, k, header), note(f, where, k, header) } };
    dispatch(f, header, where, entries, n);
}

static void lead_through(struct scc *s, const struct detour *detours)
{
    for (int b = 0; b < s->n; b++) {
        struct ir_inst *t = ir_block_term(s->f->blocks.v[b]);
        for (int i = 0; i < 2; i++) {
            uint32_t to = t->target[i] ? t->target[i]->id : 0;
            if (t->target[i] && detours[to].way[0])
                t->target[i] = detours[to].way[s->of[b] == s->of[to]];
        }
    }
    if (detours[0].way[0])
        plan_put_first(s->f, detours[0].way[0]);
}

/* Gives a header to every component with several entries; true if there was one. */
static bool give_headers(struct scc *s, const int *entries, const bool *inside, const bool *is_entry)
{
    HW_VEC(struct ir_block *) *lists = hw_alloc((size_t)s->n_components * sizeof *lists);
    struct detour *detours = hw_alloc((size_t)s->n * sizeof *detours);
    bool any = false;
    for (int b = 0; b < s->n; b++)
        if (inside[s->of[b]] && is_entry[b] && entries[s->of[b]] > 1)
            hw_vec_push(&lists[s->of[b]], s->f->blocks.v[b]);
    for (int c = 0; c < s->n_components; c++) {
        any |= lists[c].n > 0;
        if (lists[c].n)
            give_header(s->f, lists[c].v, (unsigned)lists[c].n, detours);
        hw_vec_fini(&lists[c]);
    }
    if (any)
        lead_through(s, detours);
    hw_free(lists);
    hw_free(detours);
    return any;
}

/* Loops from the outside in: of one with one entry, the loops within are what is left without the edges to that. True: some had several, and were changed. */
static bool change_some(struct scc *s, bool *cut)
{
    int *entries = hw_alloc((size_t)s->n * sizeof *entries);
    bool *inside = hw_alloc((size_t)s->n), *is_entry = hw_alloc((size_t)s->n), again, found;
    do {
        again = false;
        components(s);
        count_entries(s, entries, inside, is_entry);
        found = give_headers(s, entries, inside, is_entry);
        for (int b = 0; b < s->n && !found; b++)
            if (inside[s->of[b]] && is_entry[b] && !cut[b])
                cut[b] = again = true;
    } while (again);
    hw_free(entries);
    hw_free(inside);
    hw_free(is_entry);
    return found;
}

void plan_make_reducible(struct ir_func *f)
{
    for (bool again = true; again;) {
        struct scc s = { .f = f, .n = (int)f->blocks.n };
        size_t n = (size_t)s.n;
        bool *cut = hw_alloc(n);
        s.cut = cut;
        s.seen = hw_alloc(n * sizeof *s.seen);
        s.low = hw_alloc(n * sizeof *s.low);
        s.of = hw_alloc(n * sizeof *s.of);
        s.next = hw_alloc(n);
        again = change_some(&s, cut);
        hw_vec_fini(&s.path);
        hw_vec_fini(&s.open);
        hw_free(s.seen);
        hw_free(s.low);
        hw_free(s.of);
        hw_free(s.next);
        hw_free(cut);
        plan_drop_unreachable(f);                /* ways from within to entries that only outside leads to */
    }
}
