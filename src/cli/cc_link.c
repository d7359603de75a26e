/* SPDX-License-Identifier: Apache-2.0 */
/* Joins objects: programs and shared libraries, the object that separately compiled device code needs, archives. */
#define _GNU_SOURCE
#include "cli/cc_work.h"

#include "base/os.h"

#include <stdio.h>
#include <unistd.h>

static void add_runtime(struct cc_work *w, struct cli_args *args)
{
    switch (w->job->cudart) {
    case CC_CUDART_SHARED:
        cli_add(args, "-Wl,--push-state,--as-needed");           /* a program loads only the library it calls */
        cli_add(args, "-lcudart");
        cli_add(args, "-lcuda");
        cli_add(args, "-Wl,--pop-state");
        break;
    case CC_CUDART_STATIC:
        cli_add(args, "-lcudart_static");
        cli_add(args, "-lcuda");
        break;
    case CC_CUDART_NONE:
        break;
    }
    cli_add(args, "-lpthread");
    cli_add(args, "-ldl");
    cli_add(args, "-lm");
}

/* What the device linker adds. *out: an object, or NULL when the inputs lack nothing (always one with -dlink). */
static int device_link(struct cc_work *w, const struct cli_args *objects, const char *wanted, char **out)
{
    char *source = cc_temp_name(w, "dlink", ".c");
    struct cli_args files = { 0 }, needed = { 0 };
    cc_dlink_files(w->job, objects, &files);
    bool ok = source && (w->job->dryrun || cc_verify_link(&files, &needed));
    int n = !ok ? -1 : w->job->dryrun ? 0 : cc_dlink_source(&files, &needed, source), status = n < 0 ? CLI_FAIL : CLI_OK;
    cli_args_fini(&files);
    cli_args_fini(&needed);
    *out = NULL;
    if (n > 0 || (wanted && n == 0 && !w->job->dryrun)) {
        struct cli_args args = { 0 };
        if (n == 0 && !hw_file_write(source, "", 0))
            status = CLI_FAIL;
        *out = wanted ? hw_strdup(wanted) : cc_temp_name(w, "dlink", ".o");
        cli_add(&args, w->clang);
        cli_add(&args, "-x");
        cli_add(&args, "c");
        cli_add(&args, "-fPIC");
        cli_add(&args, "-w");
        cli_add(&args, "-c");
        cli_add(&args, source);
        cli_add(&args, "-o");
        cli_add(&args, *out);
        status = cc_run(w, &args);
    }
    hw_free(source);
    return status;
}

/* What is linked, in its order. -lgomp is clang's library here: a program must not have two. */
static bool add_objects(struct cc_work *w, struct cli_args *args, const struct cli_args *objects)
{
    bool openmp = w->job->openmp;
    for (size_t i = 0; i < objects->w.n; i++) {
        if (cc_openmp_is_library(objects->w.v[i]))
            openmp = true;
        else
            cli_add(args, objects->w.v[i]);
    }
    return !openmp || cc_openmp_link(args);
}

int cc_link(struct cc_work *w, struct cli_args *objects)
{
    const struct cc_job *job = w->job;
    char *added, *lib;
    struct cli_args args = { 0 };
    int status = CLI_OK;
    added = NULL;
    if ((job->rdc || w->foreign) && (status = device_link(w, objects, NULL, &added)))
        return status;
    lib = cli_path("lib");
    cli_add(&args, w->clang);
    cli_add(&args, "-Qunused-arguments");
    if (cc_called_nvcc && job->verbose && !job->dryrun)
        cli_add(&args, "-v");                                    /* CMake reads the linker's folders from the linker's own line */
    cli_add(&args, "-o");
    cli_add(&args, job->output ? job->output : "a.out");
    if (job->shared)
        cli_add(&args, "-shared");
    cli_addf(&args, "-L%s", lib);
    cli_add_all(&args, &job->link);
    if (added)
        cli_add(&args, added);
    if (!add_objects(w, &args, objects)) {
        cli_args_fini(&args);
        hw_free(lib);
        hw_free(added);
        return CLI_FAIL;
    }
    /* ld would read all of libLLVM, which libcuda needs, to see whether something is missing there: most of the link's time. */
    cli_add(&args, "-Wl,--allow-shlib-undefined");
    /* The old tag goes before LD_LIBRARY_PATH, which on CUDA users' machines often names a toolkit. */
    cli_addf(&args, "-Wl,-rpath,%s,--disable-new-dtags", lib);
    add_runtime(w, &args);
    hw_free(lib);
    hw_free(added);
    status = cc_run(w, &args);
    if (status)
        cc_vendor_after_link(objects);
    if (cc_called_nvcc && job->verbose)
        cc_nvcc_link_line(job, objects);
    return status;
}

int cc_device_link(struct cc_work *w, struct cli_args *objects)
{
    char *made;
    int status = device_link(w, objects, w->job->output ? w->job->output : "a_dlink.o", &made);
    hw_free(made);
    return status;
}

int cc_make_library(struct cc_work *w, struct cli_args *objects)
{
    const char *out = w->job->output ? w->job->output : "a.a";
    struct cli_args args = { 0 };
    if (!w->job->dryrun)
        unlink(out);                                             /* ar adds to an existing archive */
    cli_add(&args, "ar");
    cli_add(&args, "rcs");
    cli_add(&args, out);
    cli_add_all(&args, objects);
    return cc_run(w, &args);
}
