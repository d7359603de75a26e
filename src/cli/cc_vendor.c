/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's libraries, which are no part of hostwarp: whoever looks for one is told so, and not only that a file is missing. */
#include "cli/cc.h"

#include <stdio.h>

static const struct vendor {
    const char *name;                    /* in -lNAME and in NAME*.h; libraries that begin so belong to it */
    const char *title;
} vendors[] = {
    { "cublas", "cuBLAS" }, { "cufft", "cuFFT" }, { "cusparse", "cuSPARSE" }, { "cusolver", "cuSOLVER" }, { "cudnn", "cuDNN" }, { "nccl", "NCCL" },
    { "npp", "NPP" }, { "nvjpeg", "nvJPEG" }, { "cutensor", "cuTENSOR" }, { "cufile", "cuFile" }, { "nvml", "NVML" }, { "nvidia-ml", "NVML" },
    { "curand", "the host's part of cuRAND" }, { "cupti", "CUPTI" }, { "nvgraph", "nvGRAPH" },
};

static const struct vendor *vendor_of(const char *name)
{
    for (size_t i = 0; i < HW_LEN(vendors); i++)
        if (strncmp(name, vendors[i].name, strlen(vendors[i].name)) == 0)
            return &vendors[i];
    return NULL;
}

static void tell(const struct vendor *v)
{
    fprintf(stderr, "hostwarp cc: note: %s is a library of NVIDIA's and no part of hostwarp (docs/limits.md lists what is not here)\n", v->title);
}

void cc_vendor_after_link(const struct cli_args *objects)
{
    for (size_t i = 0; i < objects->w.n; i++) {
        const char *word = objects->w.v[i];
        const struct vendor *v = strncmp(word, "-l", 2) == 0 ? vendor_of(word + 2) : NULL;
        if (v)
            tell(v);
    }
}

/* said: what clang said. */
void cc_vendor_after_pass(const char *said)
{
    static const char missing[] = "' file not found";
    const char *end = strstr(said, missing), *name = end;
    while (name && name > said && name[-1] != '\'' && name[-1] != '/')
        name--;
    const struct vendor *v = name ? vendor_of(name) : NULL;
    if (v)
        tell(v);
}
