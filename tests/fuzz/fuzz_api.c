/* SPDX-License-Identifier: Apache-2.0 */
/* A million random calls of the driver's table. */
#include "driver/api.h"
#include "fuzz_table.h"

#include <stdio.h>

static struct fuzz_row rows[API_COUNT] = {
#define API(base, sym, since, pt, flags, params, args) [API_##sym] = {#sym, #params, NULL},
#define STUB(base, sym, since, pt, flags, params, args) [API_##sym] = {#sym, #params, NULL},
#define SAME(base, sym, other, since, pt, flags, params, args) [API_##sym] = {#sym, #params, NULL},
#include "driver/driver.def"
#undef API
#undef STUB
#undef SAME
};

/* Calls that run a function of ours, read a program, give out texts (which are no memory to copy from), or belong to others' tests. */
static bool left_out(const char *name)
{
    static const char *const words[] = {"Callback", "HostFunc", "UserObject", "cuGraph", "Link", "Load", "ExportTable", "Logs", "cuStreamWaitValue",
                                        "cuStreamBatchMemOp", "cuLaunch", "LaunchKernel", "Library", "Kernel", "Checkpoint", "Capture",
                                        "cuMemcpyBatch", "cuMemcpy3DBatch", "cuInit", "GetError", "GetName"};
    for (size_t i = 0; i < HW_LEN(words); i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static void back_to_the_primary_context(void)
{
    CUcontext ctx;
    if (cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&ctx, 0) == CUDA_SUCCESS)
        cuCtxSetCurrent(ctx);
}

static bool wild(const struct fuzz_row *row)
{
    return !strstr(row->params, "**") && !strstr(row->params, "MEMCPY");
}

int main(int argc, char **argv)
{
    const struct fuzz_table table = {rows, API_COUNT, back_to_the_primary_context, wild};
    for (int i = 0; i < API_COUNT; i++)
        rows[i].fn = left_out(rows[i].name) ? NULL : (void *)api_rows[i].fn;
    return fuzz_run(&table, "fuzz_api", argc, argv);
}
