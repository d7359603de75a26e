/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that CUDA knows, and what was given back lately: where each piece was made and freed. */
#ifndef CHECK_LEDGER_H
#define CHECK_LEDGER_H

#include "base/str.h"
#include "core/mem/mem.h"

struct ledger_entry {
    uint64_t base, bytes;
    enum mem_kind kind;
    bool variable;               /* of a module */
    bool heap;                   /* a piece of the device heap */
    struct ctx *ctx;             /* to compare only */
    const char *made_by, *freed_by;              /* API functions; freed_by NULL: it lives */
    uint32_t made, freed;        /* traces */
    uint64_t freed_at;           /* ledger_now() then */
    bool fresh;                  /* what it holds when it is made is nothing that a program may read */
    bool by_page;                /* the same, but host code may write there, of which only pages are known (pages.h) */
    uint64_t made_at;            /* ledger_now() then; 0: in a kernel, at no time of the host's */
    const char *made_place, *freed_place;        /* pieces of the device heap: in device code */
};

uint64_t ledger_now(void);                       /* changes with every range that goes */
void ledger_added(const struct mem_info *info);
void ledger_dropped(const struct mem_info *info);

/* The living range that holds addr, else the dead one that did last, else the nearest living one. False: none of these. Copies. */
enum ledger_found { LEDGER_NOTHING, LEDGER_INSIDE, LEDGER_FREED, LEDGER_NEAR };
/* Pieces of the device heap come and go while kernels run. place: of malloc() or free(), it stays. */
void ledger_heap(struct ctx *ctx, uint64_t base, uint64_t bytes, bool made, const char *place);
enum ledger_found ledger_find(uint64_t addr, struct ledger_entry *out);
/*
 * As a command sees it that was queued when it was `at`: what was freed since is there for it, and what came in its place is not. Commands run later than
 * the host calls, and memory of pools goes on in the order of streams.
 */
enum ledger_found ledger_find_at(uint64_t addr, uint64_t at, struct ledger_entry *out, bool *replaced);
/* The range that holds all of [addr, addr + bytes) for such a command, or NULL. Asks no lock where the thread asked for the same range before; true until it asks again. */
struct ledger_range {
    uint64_t generation, at, base, bytes;
    bool fresh;
    bool replaced;               /* there is other memory by now */
    bool heap;                   /* a piece of the device heap */
    bool by_page;
};
const struct ledger_range *ledger_holds(uint64_t addr, uint64_t bytes, uint64_t at);

/* A living range of that kind that has a byte of [from, to). */
bool ledger_find_kind(uint64_t from, uint64_t to, enum mem_kind kind, struct ledger_entry *out);

/* Every living range. */
void ledger_each(void (*fn)(const struct ledger_entry *e, void *arg), void *arg);

const char *ledger_kind(enum mem_kind kind);     /* "page-locked memory" */
/* "p+12 of 4096 bytes": where in the range an address is. */
void ledger_describe(struct hw_str *to, const struct ledger_entry *e, uint64_t addr);

#endif
