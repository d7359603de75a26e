/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp env`: shell lines that make other builds use hostwarp. */
#include "cli/cli.h"

#include <stdio.h>

static void env_help(void)
{
    printf("usage: eval \"$(hostwarp env)\"\n\n"
           "Prints shell lines that make programs and builds outside hostwarp use it:\n"
           "  PATH               finds the hostwarp command\n"
           "  LD_LIBRARY_PATH    programs load hostwarp's libcuda.so.1 and libcudart\n"
           "  LIBRARY_PATH CPATH gcc and clang find the libraries and headers (-lcuda, -lcudart, cuda.h)\n"
           "  CUDA_HOME CUDA_PATH  build files that ask for a toolkit find this one\n"
           "  NVCC_APPEND_FLAGS  an installed nvcc links the shared runtime, hostwarp's (keep PTX in programs:\n"
           "                     -arch=sm_80 does, code=sm_80 alone does not)\n"
           "  TRITON_PTXAS_PATH TRITON_LIBCUDA_PATH  Triton uses hostwarp's ptxas and driver\n"
           "In a Makefile that calls nvcc, `make NVCC='hostwarp cc'` is often all that is needed.\n");
}

int cmd_env(int argc, char **argv)
{
    if (argc > 0) {
        bool asked = strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0;
        if (!asked)
            cli_error("unknown argument %s", argv[0]);
        else
            env_help();
        return asked ? CLI_OK : CLI_USAGE;
    }
    const char *root = cli_root();
    if (strchr(root, '\'')) {
        cli_error("the folder %s has a quote in its name, which shell lines cannot carry simply", root);
        return CLI_FAIL;
    }
    printf("export PATH='%s/bin'${PATH:+:$PATH}\n", root);
    printf("export LD_LIBRARY_PATH='%s/lib'${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n", root);
    printf("export LIBRARY_PATH='%s/lib'${LIBRARY_PATH:+:$LIBRARY_PATH}\n", root);
    printf("export CPATH='%s/include'${CPATH:+:$CPATH}\n", root);
    printf("export CUDA_HOME='%s' CUDA_PATH='%s'\n", root, root);
    printf("export TRITON_PTXAS_PATH='%s/bin/ptxas' TRITON_PTXAS_BLACKWELL_PATH='%s/bin/ptxas' TRITON_LIBCUDA_PATH='%s/lib'\n", root, root, root);
    printf("export NVCC_APPEND_FLAGS='-cudart shared -L%s/lib'\n", root);
    return CLI_OK;
}
