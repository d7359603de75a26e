/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled kernel as bytes: what the disk cache keeps, and how it becomes code in memory. Private to jit/. */
#ifndef JIT_OBJECT_H
#define JIT_OBJECT_H

#include "base/diag.h"
#include "base/hash.h"
#include "base/vec.h"
#include "kabi/kabi.h"

struct details_table;
struct object_facts {            /* kept on disk as it is */
    uint32_t n_regions, n_groups, frame_bytes, local_bytes, shared_static, shared_room, width, chunks, bars_offset, warpops_offset, fair, lockstep, streams, alone, visits;
    uint32_t turns, red_offset, warp_offset, warp_bytes, parts_offset;
    struct kabi_reds reds;
};
struct object {
    struct object_facts facts;
    HW_VEC(struct kabi_keep) keeps;
    HW_VEC(char *) symbols;      /* outside functions the code needs */
    void *code;                  /* ELF object files, the length of each (8 bytes) before it, a multiple of 8 */
    size_t code_bytes;
    struct details_table *details;               /* of an instrumented kernel; link.c takes it */
};

void object_fini(struct object *o);

/* The cache on disk; a missing, old or damaged entry is just not there. */
bool object_load(const struct hw_hash *key, struct object *out);
void object_save(const struct hw_hash *key, const struct object *o);
void object_forget(const struct hw_hash *key);                   /* what is there was of no use */

/* Links the object into the process; regions[i] gets the address of hw_KEY_i. */
extern bool object_by_orc;       /* for tests: as where our own loader does not know what is in it */
/* A reference. o NULL: only if it is there already. */
struct kabi_kernel *object_link(const struct hw_hash *key, const struct object *o, const char *name, struct diag *diag);
void object_kernel_ref(struct kabi_kernel *k);
void object_kernel_unref(struct kabi_kernel *k); /* NULL is fine */
/* From now on old runs the code of best, also where it runs already. */
void object_exchange(struct kabi_kernel *old, struct kabi_kernel *best);

#endif
