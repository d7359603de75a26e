/* SPDX-License-Identifier: Apache-2.0 */
/* Architectures that are newer than clang 19: compiled for the newest that it has, with the macro of the one that was asked for, and marked as PTX for that one. */
#include "cli/cc_work.h"

#include "base/os.h"
#include "ptx/target.h"

static const struct ptx_target *target_of(const struct cc_job *job)
{
    return ptx_target_nearest((unsigned)(job->arch ? job->arch : CC_DEFAULT_ARCH));
}

int cc_clang_arch(const struct cc_job *job) { return target_of(job)->clang; }

void cc_target_macros(const struct cc_job *job, struct cli_args *args)
{
    const struct ptx_target *target = target_of(job);
    if (target->clang == target->sm)
        return;
    cli_add(args, "-Wno-builtin-macro-redefined");
    cli_add(args, "-U__CUDA_ARCH__");
    cli_addf(args, "-D__CUDA_ARCH__=%d", target->sm * 10);
}

bool cc_target_finish(const struct cc_job *job, const char *ptx)
{
    const struct ptx_target *target = target_of(job);
    if (target->clang == target->sm)
        return true;
    size_t bytes = 0;
    char *text = hw_file_read(ptx, &bytes);
    struct hw_str out = { 0 };
    if (text)
        ptx_retarget(text, bytes, target, "", &out);
    bool ok = text && hw_file_write(ptx, out.s, out.n);
    hw_str_fini(&out);
    hw_free(text);
    return ok;
}
