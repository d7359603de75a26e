/* SPDX-License-Identifier: Apache-2.0 */
/* IR to machine code. The only door into LLVM: nothing outside jit/ includes llvm-c. */
#ifndef JIT_H
#define JIT_H

#include "base/diag.h"
#include "ir/ir.h"
#include "kabi/kabi.h"

struct jit_request {
    uint32_t ntid[3];            /* the block's shape: code is made for exactly this one */
    bool small_grid;             /* the grid has fewer than 2^31 threads in x: blockIdx.x * blockDim.x + threadIdx.x cannot wrap */
    bool stream;                 /* the grid writes more than the caches hold: see jit_streamed_bytes() */
    uint32_t whole;              /* bits: which of the kernel's sizes are multiples of 32 */
    bool check;                  /* with details: for the checker */
    bool orders;                 /* with check: it also hears of barriers, warp operations and fences */
    bool in_window;              /* every variable of the module lies in the window (base/os.h) */
    bool details;                /* instrumented: the kernel counts what it does, in kernel->details; warps have 32 lanes at every width */
    /* The reference that HOSTWARP_VERIFY compares with: one thread at a time, the engine says which; no pass that is not needed, none of LLVM's
       that draws conclusions, none of the promises above, and none to LLVM (promise.c). */
    bool plain;
    bool steps;                  /* with plain: threads stop before each store, so that all of a block can come there before any goes on */
    uint32_t width;              /* lanes per vector: 1, 4, 8, 16; 0 = HOSTWARP_WIDTH or what suits this CPU */
    bool *compiled;              /* NULL, or set to true when the code was in no cache */
};

/* Parameters that the kernel compares with; code differs with whether they are multiples of 32. */
enum { JIT_SIZES = 8 };
struct jit_size {
    uint32_t offset, bytes;      /* 4 or 8 */
};
unsigned jit_sizes(const struct ir_func *func, struct jit_size out[JIT_SIZES]);

/* What each thread stores in a way that could go past the caches; 0: stream makes no difference. */
uint32_t jit_streamed_bytes(const struct ir_func *func, uint64_t *out_params);

/* Compiles, or takes the object from the cache on disk. Thread-safe; slow (milliseconds): call with no lock held.
   NULL: the reason is in diag. */
struct kabi_kernel *jit_compile(const struct ir_func *func, const struct jit_request *request, struct diag *diag);
/* Once for each kernel that jit_compile() gave: the same may be several functions'. Nobody runs it for this one any more. */
void jit_kernel_free(struct kabi_kernel *kernel);

/* How the kernel would be lowered, and why, in words; nothing is compiled. */
struct hw_str;
bool jit_explain(const struct ir_func *func, const struct jit_request *request, struct hw_str *out, struct diag *diag);

/* For messages about an instruction of the kernel that stands at this line of the PTX text: ", a.cu:12 in f < a.cu:30, write of 4 bytes". Nothing is added if there is none. */
void jit_describe_line(const struct ir_func *func, uint32_t line, struct hw_str *out);

/* For people: "AVX-512, 16 lanes" and the like. */
const char *jit_target_name(void);

/* How much faster the clock of the card that HOSTWARP_GPU names is than KABI_CLOCK_KHZ. Set once, before kernels are compiled. */
extern double jit_clock_scale;
/* Who knows what time it is for a kernel that reads a clock, or NULL; answers false where it does not know. Set before kernels run. */
extern bool (*jit_kernel_ns)(uint64_t *ns);

#endif
