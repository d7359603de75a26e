/* SPDX-License-Identifier: Apache-2.0 */
/* Random work on a few buffers, and what it does to plain arrays: the model that graphs, captures and streams are compared with. */
#ifndef GRAPH_MODEL_H
#define GRAPH_MODEL_H

#include "fuzz_driver.h"

enum { MODEL_BUFFERS = 6, MODEL_PINNED = 4, MODEL_WORDS = 96, MODEL_STEPS = 24, MODEL_SUB = 3 };

enum step_kind { STEP_SET, STEP_SET2D, STEP_COPY, STEP_COPY2D, STEP_MIX, STEP_FILL, STEP_HOST, STEP_EMPTY, STEP_CHILD, STEP_KINDS };

/* One operation. to, from: buffers; the rest by kind, in elements. */
struct step {
    enum step_kind kind;
    unsigned to, from, to_at, from_at, n, rows, pitch, element, value;
    bool enabled;
    unsigned n_sub;
    struct step *sub[MODEL_SUB]; /* of a child graph, one after the other */
    CUgraphNode node;
};

struct model {
    CUdeviceptr at[MODEL_BUFFERS];
    uint32_t words[MODEL_BUFFERS][MODEL_WORDS];
};

void model_init(struct model *m);                            /* allocates; once in a process */
void model_reset(struct model *m);                           /* the same numbers in both */
bool model_same(struct model *m, uint64_t number, const char *what);     /* a difference is a finding */

/* A random step; of a child graph only where `depth` is 0. Steps are never freed: a process makes few. */
void step_make(struct fuzz_random *r, struct step *s, unsigned depth);
void step_vary(struct fuzz_random *r, struct step *s);       /* other numbers, same buffers and kind */
void step_apply(struct model *m, const struct step *s);
bool step_conflicts(const struct step *a, const struct step *b);

/* The same in the driver: as a node, as new parameters of a node, as a command. */
CUresult step_add(struct model *m, struct step *s, CUgraph graph, const CUgraphNode *deps, size_t n);
CUresult step_set(struct model *m, const struct step *s);                             /* of its node */
CUresult step_set_exec(struct model *m, const struct step *s, CUgraphExec exec);
CUresult step_queue(struct model *m, const struct step *s, CUstream stream);

#endif
