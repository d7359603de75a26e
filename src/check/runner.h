/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that runs blocks of a launch, one after the other: what the tools know of the block at hand. */
#ifndef CHECK_RUNNER_H
#define CHECK_RUNNER_H

#include "check/init.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/trace.h"
#include "core/sched/sched.h"
#include "exec/exec.h"

enum { LANES = 32 };

/* A launch: where it was made, and when. */
struct launched {
    struct trace_call call;
    struct trace_call added;     /* of a graph: the call that added the node */
    uint64_t at;                 /* ledger_now() */
    uint32_t param_bytes;
    bool cooperative;
};

/* The memory that the accesses of a site are meant for (bounds.c). */
struct bound {
    uint8_t state;               /* enum bound_state */
    struct ledger_entry e;
};

struct runner {
    const struct exec_launch *launch;
    const struct cmd *cmd;
    uint64_t grid;               /* launch->kl.grid_id */
    uint64_t block;              /* the one at hand, plus 1; 0: none yet */
    struct race_block *race;
    struct sync_block *sync;
    struct sync_memory *memory;
    struct bound *bounds;        /* by site, made when first asked for */
    struct init_bits shared, local;
    uint8_t *said;               /* by site: reports of init */
    struct kabi_window *windows; /* window.c: kabi/window.h */
    struct window_state *window_states;
    uint64_t *came;
    uint64_t since;              /* ledger_now() of the windows */
    bool notes;                  /* the kernel has asynchronous copies, or barriers in memory */
    uint8_t *only_read;          /* bounds.c: by site, and made when first asked for: does nobody in the launch write there? */
    struct runner *next;         /* access.c: of those that rest */
};

/* An access of a warp, taken apart: which lanes use global, shared and local memory. Those of shared and local memory have offsets, the latter into all of the block's. */
struct access {
    const struct details_site *s;
    uint32_t site, thread;
    uint32_t global, shared, local;
    const uint64_t *a;
    uint64_t offsets[2 * LANES];
};

static inline const struct launched *launched_of(const struct runner *r) { return r->cmd->watched; }
static inline uint64_t runner_at(const struct runner *r) { return r->cmd->watched ? ((const struct launched *)r->cmd->watched)->at : UINT64_MAX; }
static inline uint32_t runner_threads(const struct exec_launch *l) { return l->kl.ntid[0] * l->kl.ntid[1] * l->kl.ntid[2]; }
static inline unsigned long long runner_block(const struct runner *r) { return r->block - 1; }

/* access.c */
const char *access_verb(const struct details_site *s);
void access_tell_launch(struct report *rep, const struct runner *r);
void access_tell_made(struct report *rep, const struct ledger_entry *e);

/* bounds.c: looks at an access; lanes that may not go on to other tools leave it */
void bounds_access(struct runner *r, struct access *x);
/* Are all of these bytes of shared or global memory where the site may be? */
struct part;
bool bounds_part(struct runner *r, uint32_t site, const struct part *p, bool shared);
/* Is it a read of memory that no access of this launch is meant to write? */
bool bounds_only_read(struct runner *r, uint32_t site);
void bounds_free(struct runner *r, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *pieces);

/* reads.c: what is written, and what is read that was not. */
void reads_begin(struct runner *r);              /* a block */
void reads_access(struct runner *r, const struct access *x);
/* All of these bytes at once; false: somebody must look closer. Those that are written become so. */
bool reads_part(struct runner *r, const struct details_site *s, const struct part *p, bool shared);
void reads_wrote(struct runner *r, const struct details_site *s, const struct part *p, bool shared);

#endif
