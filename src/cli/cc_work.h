/* SPDX-License-Identifier: Apache-2.0 */
/* A `hostwarp cc` job being carried out: clang's passes over one source (cc_pass.c) and the links (cc_link.c). */
#ifndef CC_WORK_H
#define CC_WORK_H

#include "cli/cc.h"

#define CC_DEFAULT_ARCH 80

/* What a job needs while it runs. */
struct cc_work {
    struct cc_job *job;
    char *clang;
    int serial;                          /* numbers intermediate files: two inputs may have the same name */
    char *overlay;                       /* of the current source, or NULL: cc_asm.c */
    char *device_overlay;                /* in its place for the device's pass, or NULL: cc_launch.c */
    char cuid[33];                       /* of the current source: what both passes add to the names of its static variables */
    struct cc_places shared;             /* of the current source: where __shared__ variables get room without a constructor; cc_shared.c */
    struct cli_args header_overlays;     /* of its headers that have such places */
    char *prelude;                       /* the precompiled header that the device pass begins with, or NULL: cc_prelude.c */
    bool again;                          /* the device pass has found such lines: the source is to be compiled once more */
    bool warned;                         /* there was a message about device code */
    bool for_cpp;                        /* the host pass makes assembly for another assembler */
    bool foreign;                        /* not all that is linked was compiled just now */
};

/* cc_pass.c. Statuses are exit statuses. */
int cc_run(struct cc_work *w, struct cli_args *args);                       /* a command, which is shown with -v; frees args */
char *cc_with_ending(const char *path, const char *ending);
const char *cc_base_name(const char *path);
char *cc_temp_name(struct cc_work *w, const char *source, const char *ending);   /* in the temporary folder, or NULL after an error */
void cc_device_command(struct cc_work *w, struct cli_args *args, bool with_lines);   /* without names of files */
void cc_add_wide(struct cli_args *args);      /* what makes code for integers of 128 bits whole */
int cc_device_pass(struct cc_work *w, const char *source, const char *ptx, bool with_lines);
int cc_verify_pass(struct cc_work *w, const char *source, const char *ptx);
int cc_make_fatbin(struct cc_work *w, const char *source, const char *fatbin);   /* of device code that was verified; with -cubin a cubin */
bool cc_write_image(const struct cc_job *job, const char *ptx, const char *out);
int cc_host_pass(struct cc_work *w, const struct cc_item *item, const char *fatbin, const char *action, const char *out);
int cc_compile(struct cc_work *w, const struct cc_item *item, const char *object);

/* cc_prelude.c: our headers for a pass with these options, precompiled and kept. NULL: there is no cache, or clang did not make it. */
/* For clang's compiler, when it makes one and when it uses it. Without the second, functions of the host and of the device that differ in that alone are taken for
   one in C++20. */
#define CC_PRELUDE_WORDS "-fpch-instantiate-templates", "-fno-cxx-modules"
char *cc_prelude(struct cc_work *w, bool with_lines);

/* cc_target.c: architectures that are newer than clang. */
int cc_clang_arch(const struct cc_job *job);                                /* what clang is told */
void cc_target_macros(const struct cc_job *job, struct cli_args *args);     /* for the device's pass */
bool cc_target_finish(const struct cc_job *job, const char *ptx);           /* PTX of clang's for what was asked for */

/* cc_warn.c: warnings about device code, where no host pass sees the same text. */
void cc_warn_alone(const struct cc_job *job, struct cli_args *args);

/* cc_link.c */
int cc_link(struct cc_work *w, struct cli_args *objects);
int cc_device_link(struct cc_work *w, struct cli_args *objects);            /* -dlink */
int cc_make_library(struct cc_work *w, struct cli_args *objects);           /* -lib */

#endif
