/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command under the name nvcc. Build systems ask a compiler of that name certain questions before they trust it:
 * CMake wants a version line it knows, the toolkit's folders from -v, the default architecture, and the command of the
 * link. Everything else is `hostwarp cc`.
 */
#include "cli/cc.h"

#include <stdio.h>

bool cc_called_nvcc;

static void print_version(void)
{
    printf("nvcc: NVIDIA (R) Cuda compiler driver interface, provided by hostwarp %s with clang 19\n"
           "Cuda compilation tools, release 12.3, V12.3.0\n", CLI_VERSION);
}

/* What -v shows first. LIBRARIES and INCLUDES are searched for in the lines that follow. */
void cc_nvcc_variables(void)
{
    const char *root = cli_root(), *path = getenv("PATH");
    fprintf(stderr, "#$ _SPACE_= \n#$ _CUDART_=cudart\n#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s/bin:%s\n"
                    "#$ INCLUDES=-I%s/include\n#$ LIBRARIES=-L%s/lib\n", root, root, root, path ? path : "", root, root);
}

void cc_nvcc_device_line(int arch) { fprintf(stderr, "#$ clang -arch compute_%d\n", arch); }

/* The link as somebody outside should do it: through this command, which knows the libraries and where they lie. */
void cc_nvcc_link_line(const struct cc_job *job, const struct cli_args *objects)
{
    const char *root = cli_root();
    fprintf(stderr, "#$ %s/bin/nvcc -o %s", root, job->output ? job->output : "a.out");
    for (size_t i = 0; i < objects->w.n; i++)
        fprintf(stderr, " %s", objects->w.v[i]);
    fprintf(stderr, " -L%s/lib -lcudart\n", root);
}

int cmd_nvcc(int argc, char **argv)
{
    cc_called_nvcc = true;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            print_version();
            return CLI_OK;
        }
    }
    return cmd_cc(argc, argv);
}
