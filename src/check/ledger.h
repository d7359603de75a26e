/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that CUDA knows, and what was given back lately: where each piece was made and freed. */
#ifndef CHECK_LEDGER_H
#define CHECK_LEDGER_H

#include "base/str.h"
#include "core/mem.h"

struct ledger_entry {
    uint64_t base, bytes;
    enum mem_kind kind;
    bool variable;               /* of a module */
    struct ctx *ctx;             /* to compare only */
    const char *made_by, *freed_by;              /* API functions; freed_by NULL: it lives */
    uint32_t made, freed;        /* traces */
    uint64_t freed_at;           /* ledger_now() then */
};

uint64_t ledger_now(void);                       /* changes with every range that goes */
void ledger_added(const struct mem_info *info);
void ledger_dropped(const struct mem_info *info);

/* The living range that holds addr, else the dead one that did last, else the nearest living one. False: none of these. Copies. */
enum ledger_found { LEDGER_NOTHING, LEDGER_INSIDE, LEDGER_FREED, LEDGER_NEAR };
/* Pieces of the device heap come and go while kernels run. */
void ledger_heap(uint64_t base, uint64_t bytes, bool made);
enum ledger_found ledger_find(uint64_t addr, struct ledger_entry *out);
/* Does [addr, addr + bytes) lie in one living range? Asks no lock where the thread asked for the same range before. */
bool ledger_holds(uint64_t addr, uint64_t bytes);

/* A living range of that kind that has a byte of [from, to). */
bool ledger_find_kind(uint64_t from, uint64_t to, enum mem_kind kind, struct ledger_entry *out);

/* Every living range. */
void ledger_each(void (*fn)(const struct ledger_entry *e, void *arg), void *arg);

const char *ledger_kind(enum mem_kind kind);     /* "page-locked memory" */
/* "p+12 of 4096 bytes": where in the range an address is. */
void ledger_describe(struct hw_str *to, const struct ledger_entry *e, uint64_t addr);

#endif
