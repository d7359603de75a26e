/* SPDX-License-Identifier: Apache-2.0 */
/* One run of `hostwarp cc`: what the command line asks for, and carrying it out. */
#ifndef CC_H
#define CC_H

#include "base/str.h"
#include "cli/cli.h"

enum cc_lang { CC_LANG_AUTO, CC_LANG_CUDA, CC_LANG_CXX, CC_LANG_C, CC_LANG_ASM, CC_LANG_LINK };
enum cc_stage { CC_STAGE_LINK, CC_STAGE_OBJECT, CC_STAGE_PREPROCESS, CC_STAGE_PTX, CC_STAGE_FATBIN, CC_STAGE_DEPS, CC_STAGE_LIB,
                CC_STAGE_DLINK, CC_STAGE_EXPLAIN, CC_STAGE_CUBIN, CC_STAGE_CUDA };
enum cc_cudart { CC_CUDART_SHARED, CC_CUDART_STATIC, CC_CUDART_NONE };

/* A file, or an option of the link whose place among the files matters (-lfoo). */
struct cc_item {
    char *text;
    enum cc_lang lang;                   /* CC_LANG_LINK: goes to the linker as it is */
    bool is_option;
};

struct cc_job {
    enum cc_stage stage;
    char *output;                        /* NULL: named after the input, or a.out */
    char *depfile;                       /* -MF */
    char *std;                           /* -std, or NULL */
    HW_VEC(struct cc_item) items;
    struct cli_args both, host, device, link;
    struct cli_args after;               /* include folders that go behind ours */
    int arch;                            /* 80 = sm_80; 0: not said */
    enum cc_cudart cudart;
    bool per_thread_stream, shared, debug, device_debug, line_info, wants_depfile;
    unsigned block[3];                   /* --explain-block; all 0: not said */
    char *outdir;                        /* -odir: where outputs go that -o does not name, or NULL */
    char *ccbin;                         /* -ccbin, or NULL */
    const char *xcompiler_value;         /* an option in -Xcompiler whose value has not come yet, while parsing */
    struct cli_args run_args;            /* -run-args */
    bool openmp, run;
    bool verify;                         /* also where PTX is the result */
    bool prelude;                        /* the device pass begins with a precompiled header */
    bool rdc;                            /* device code that other files complete */
    bool verbose, dryrun, forward_unknown;
    enum cc_lang forced;                 /* -x, while parsing */
};

enum cc_parse { CC_PARSE_OK, CC_PARSE_DONE, CC_PARSE_BAD };     /* DONE: --help or --version was answered */

/* Parses arguments; what is wrong has been said. With stop_at_file, ends after the first input, and *out_used tells how
   many arguments were read (hostwarp run: the rest belongs to the program). */
enum cc_parse cc_parse_args(struct cc_job *job, int argc, char **argv, bool stop_at_file, int *out_used);
void cc_job_fini(struct cc_job *job);
enum cc_lang cc_lang_of(const char *path);
int cc_job_run(struct cc_job *job);                              /* exit status */

/* includes.c: where headers come from. */
void cc_clean_environment(void);
void cc_add_user_include(struct cc_job *job, const char *dir);
void cc_add_includes(struct cli_args *args, const struct cc_job *job, const char *clang, enum cc_lang lang);

/* cc_xcompiler.c */
void cc_add_split(struct cli_args *to, const char *list, const char *before_each);
void cc_add_words(struct cli_args *to, const char *line);       /* the words of a command */
void cc_xcompiler(struct cc_job *job, const char *list);

/* cc_ccbin.c: the options that a compiler of MPI stands for; none of another compiler. False after saying that it does not tell. */
bool cc_ccbin_words(const char *compiler, struct cli_args *out);

/* cc_openmp.c: what OpenMP adds to the compiler's command; and to the linker's, or false after saying that the library is missing. */
void cc_openmp_compile(struct cli_args *args, const struct cc_job *job, bool host);
bool cc_openmp_link(struct cli_args *args);
bool cc_openmp_is_library(const char *word);

/* cc_asm.c: true when the source needs a corrected copy; then copy and overlay have been written. */
bool cc_asm_overlay(const char *source, const char *corrected, const char *copy, const char *overlay);   /* corrected: where its text is */
bool cc_asm_statement(const char *assembly, const char *out);   /* a file of assembly as a C++ file with one asm statement */
bool cc_write_overlay(const char *source, const char *copy, const char *overlay);
/* cc_shared.c: the places where clang wants no __shared__ variable because of its constructor; false when it said something else too. */
struct cc_place {
    char *file;                          /* as clang names it */
    int line, column;
    int round;                           /* 0: a __shared__ variable, or a macro; else a function, of clang's n-th messages */
    bool pragma;                         /* the definition of a macro that stands for a pragma */
};
struct cc_places {
    struct cc_place *v;
    size_t n, cap;
};
bool cc_place_of(const char *said, const char *p, struct cc_place *out);   /* FILE:LINE:COLUMN: before the message at p, maybe in colours; false: none */
bool cc_shared_places(const char *said, struct cc_places *out);
void cc_shared_fini(struct cc_places *places);
bool cc_shared_copy(const char *file, const struct cc_places *places, const char *copy);    /* with those of this file changed */
/* cc_sides.c: adds declarations that want __host__ __device__ because others of the same function have it; false when there are none. */
bool cc_sides_places(const char *said, struct cc_places *places);
void cc_sides_mark(struct hw_str *text, const char *file, const struct cc_places *places);
/* cc_pragma.c: the same for macros that stand for a pragma. */
bool cc_pragma_places(const char *said, struct cc_places *places);
void cc_pragma_mark(struct hw_str *text, const char *file, const struct cc_places *places);
/* cc_launch.c: the same for a source with launches in device code, for each pass; corrected: where its text is. */
struct cc_copy {
    char *copy, *overlay;
};
bool cc_launch_overlays(const char *source, const char *corrected, const struct cc_copy *host, const struct cc_copy *device);
/* Static kernels in the PTX of such a source get the names that its host code asks for. */
bool cc_launch_name_kernels(const char *path);

/* cc_dlink.c: writes C source of what separately compiled objects lack. How many functions it has; -1 after an error. */
/* clang 19 may use a static variable under its plain name and define it under a longer one: makes them one again. */
bool cc_dlink_fix_ptx(const char *path);
/* In PTX of host functions that device code calls: what nobody defines traps, as no one should come there. */
bool cc_dlink_trap_ptx(const char *path);
/* Without -rdc=true no other file can define a variable that is declared extern: nvcc makes it one of this file, with a warning (shown: NULL: without). */
bool cc_dlink_close_ptx(const char *path, const char *shown);
int cc_dlink_source(const struct cli_args *files, const struct cli_args *needed, const char *out_path);
/* Of what is linked, the objects and archives: device code may be in them. */
void cc_dlink_files(const struct cc_job *job, const struct cli_args *objects, struct cli_args *out);

/* cc_verify.c: is the device code right? tell: with its errors on standard error; warnings are always told. */
enum cc_verdict { CC_VERDICT_GOOD, CC_VERDICT_WARNED, CC_VERDICT_BAD };
enum cc_verdict cc_verify(const struct cc_job *job, const char *ptx_path, const char *shown, bool tell);
/* Of files that are linked: is all there? Messages are on standard error. needed: the members of archives that define what others lack, as nm writes
   them: FILE[MEMBER]. */
bool cc_verify_link(const struct cli_args *files, struct cli_args *needed);

/* cc_nvcc.c: what is different when the command is called nvcc. */
extern bool cc_called_nvcc;
void cc_nvcc_variables(void);
void cc_nvcc_device_line(int arch);

/* cc_warn.c: option is diag-suppress, diag-error or diag-warn, numbers a list. */
void cc_warn_numbers(struct cc_job *job, const char *option, const char *numbers);
void cc_nvcc_link_line(const struct cc_job *job, const struct cli_args *objects);

/* cc_explain.c: prints how the kernels of a PTX file are lowered. Exit status. */
int cc_explain(const struct cc_job *job, const char *ptx_path, const char *shown);

/* cc_cache.c: objects from earlier. command: the host pass. False: no cache for this one, and nothing to close. */
struct cc_cache {
    char *object, *list;
    char *depfile;                       /* the compiler writes it on the way */
};
bool cc_cache_open(struct cc_cache *c, const struct cc_job *job, const char *source, const struct cli_args *command);
bool cc_cache_get(const struct cc_cache *c, const char *object);
void cc_cache_put(const struct cc_cache *c, const char *object);
void cc_cache_close(struct cc_cache *c);

/* cc_vendor.c: after a failure, a word about libraries of NVIDIA's that were asked for. */
void cc_vendor_after_link(const struct cli_args *objects);
void cc_vendor_after_pass(const char *said);

/* cc_fatbin.c: writes PTX text in the container that the runtime is given at start-up. */
bool cc_fatbin_write(const char *ptx_path, const char *out_path, int arch);
bool cc_cubin_write(const char *ptx_path, const char *out_path);         /* ptx/cubin.h */

#endif
