/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile kernels. Whatever a kernel does, it must not read or change memory that is not its own, nor end the process: escape.c judges that.
 * A kernel is text of independent lines, so that a finding is made smaller by leaving out lines.
 */
#ifndef ESCAPE_GEN_H
#define ESCAPE_GEN_H

#include "fuzz.h"
#include "gen_text.h"

/* What a kernel is told of the host: addresses that it must not reach. The order of its parameters. */
enum escape_target {
    TARGET_STATIC, TARGET_HEAP, TARGET_STACK, TARGET_UNDER, TARGET_OVER, TARGET_BEFORE, TARGET_BEHIND, TARGET_CODE, TARGETS,
    /* UNDER, OVER: pages beside the addresses that belong to kernels; BEFORE, BEHIND: pages around one that is registered; CODE: a function */
};

enum {
    ESCAPE_TEXT = 1 << 16,
    ESCAPE_OUT = 1 << 20,        /* bytes of output, zero before; page-locked */
    ESCAPE_SLOTS = 1 << 16,      /* from here each thread has ESCAPE_SLOT bytes for what it read */
    ESCAPE_SLOT = 512,
    ESCAPE_SWEEPS = 1 << 19,     /* from here whole pieces of memory are copied to */
    ESCAPE_IN = 1 << 16,         /* bytes of input: all 0x11 */
    ESCAPE_SPAN = 4096,          /* bytes of each target that are watched, at least */
};

struct escape_kernel {
    char text[ESCAPE_TEXT];
    unsigned block[3], grid[3], shared, width;
    char label[160];             /* what it tries, in short */
};

/* Kernel `number` of a seed; width 0: any. */
void escape_kernel(uint64_t seed, uint64_t number, unsigned width, struct escape_kernel *out);

/* From now on all kernels try one thing: access, sweep, walk, image, call, service, launch, stack, barrier. False: there is none of that name. */
bool escape_only(const char *name);

/* --- between the files of the generator --- */

struct escape_gen {
    struct gen_text t;           /* the kernel's body */
    struct gen_text decls;       /* in front of it */
    struct escape_kernel *k;
    unsigned labels, slots, declared;
};
enum escape_decl { DECL_PRINTF = 1, DECL_ASSERT = 2, DECL_HEAP = 4, DECL_COPY = 8, DECL_LAUNCH = 16, DECL_LIST = 32, DECL_CALLEE = 64, DECL_FORMATS = 128 };

unsigned escape_pick(struct escape_gen *g, unsigned n);
void escape_label(struct escape_gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void escape_declare(struct escape_gen *g, unsigned decl);
void escape_target(struct escape_gen *g);                    /* puts an address into %T */
void escape_near(struct escape_gen *g);                      /* one that is near the kernel's own */
void escape_address(struct escape_gen *g, char space, unsigned bytes, char out[48]);     /* %T as an operand for an access to a space */
const char *escape_space(char space);                        /* 's' -> ".shared" */
void escape_save(struct escape_gen *g, const char *text);    /* stores the results that an instruction has */

void escape_access(struct escape_gen *g);
void escape_sweep(struct escape_gen *g);
void escape_walk(struct escape_gen *g);
void escape_image(struct escape_gen *g);
void escape_call(struct escape_gen *g);
void escape_service(struct escape_gen *g);
void escape_launch(struct escape_gen *g);
void escape_stack(struct escape_gen *g);
void escape_barrier(struct escape_gen *g);

#endif
