/* SPDX-License-Identifier: Apache-2.0 */
/* A program of NVRTC: source, headers, and what came of them. */
#ifndef NVRTC_PROGRAM_H
#define NVRTC_PROGRAM_H

#include "base/str.h"
#include "base/vec.h"

#include <nvrtc.h>

struct nvrtc_header {
    char *name, *text;
};

struct nvrtc_expression {
    char *text;
    char *lowered;               /* the name in the PTX, NULL until compiled */
};

/*
 * Lifetime  From nvrtcCreateProgram to nvrtcDestroyProgram.
 * Threads   One at a time per program; different programs are independent.
 */
struct _nvrtcProgram {
    char *source, *name;
    HW_VEC(struct nvrtc_header) headers;
    HW_VEC(struct nvrtc_expression) expressions;
    char *ptx, *log;             /* of the last compilation, NULL: none */
    struct hw_str cubin;         /* of the PTX, empty until asked for */
    bool compiled;               /* successfully */
    bool real_arch;              /* -arch=sm_XX */
    bool lto;                    /* -dlto */
};

/* Options as `hostwarp cc` takes them. */
struct nvrtc_args {
    HW_VEC(char *) words;
    bool no_cache;
    bool device_default;         /* functions are __device__ where nothing is said */
};

/* INVALID_OPTION: one that NVRTC has not; the log says which. INVALID_INPUT: a NULL. args is to be released either way. */
nvrtcResult nvrtc_options_read(struct _nvrtcProgram *p, int n, const char *const *options, struct nvrtc_args *args);
void nvrtc_args_fini(struct nvrtc_args *args);

/* cache.c. The entry that this compilation has, or NULL: none. command: `hostwarp`, in whose place and version everything else lies. */
char *nvrtc_cache_name(const struct _nvrtcProgram *p, const struct nvrtc_args *args, const char *command);
bool nvrtc_cache_get(const char *name, struct _nvrtcProgram *p);          /* sets ptx and log */
void nvrtc_cache_put(const char *name, const struct _nvrtcProgram *p, const char *depfile, const char *skip);

nvrtcResult nvrtc_compile(struct _nvrtcProgram *p, int n_options, const char *const *options);

#endif
