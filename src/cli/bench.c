/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp bench`: runs the measurement of this machine, or the comparison with OpenCL and OpenMP. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void help(void)
{
    printf("usage: hostwarp bench [--quick] [--svg FILE] [--json FILE] [--beside FILE] [--profile FILE]\n"
           "       hostwarp bench --compare [OPTIONS]\n\n"
           "Measures this machine in about half a minute: copies by kind of host memory and size, allocation and registration,\n"
           "launches, zero copy, overlap of copies and kernels.\n\n"
           "  --quick        fewer repetitions: some seconds, rougher numbers\n"
           "  --svg FILE     the copy rates as a picture\n"
           "  --json FILE    all numbers\n"
           "  --beside FILE  a table of these numbers and those that --json wrote on another machine, such as a GPU's\n"
           "  --profile FILE a profile of this device for HOSTWARP_GPU: run machine.cu, built with nvcc, on a GPU with it\n"
           "  --compare      instead: kernels in CUDA, OpenCL and OpenMP side by side (needs Python 3; --compare --help tells more)\n\n"
           "The program is share/bench/machine.cu; built with nvcc it measures a GPU in the same way.\n");
}

static int run_or_fail(struct cli_args *args, const char *what)
{
    cli_exec(args);
    cli_error("cannot run %s: %s", what, strerror(errno));
    cli_args_fini(args);
    return CLI_NOT_FOUND;
}

int cmd_bench(int argc, char **argv)
{
    bool compare = argc > 0 && strcmp(argv[0], "--compare") == 0;
    struct cli_args args = { 0 };
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        help();
        return CLI_OK;
    }
    char *file = cli_path(compare ? "share/bench/run" : "share/bench/machine.cu"), *self = cli_path("bin/hostwarp");
    if (access(file, R_OK) != 0) {
        cli_error("the benchmarks are not in %s/share/bench", cli_root());
        return CLI_USAGE;
    }
    cli_add(&args, compare ? "python3" : self);
    if (!compare) {
        cli_add(&args, "run");
        cli_add(&args, "-O2");
    }
    cli_add(&args, file);
    if (compare) {
        cli_add(&args, "--cuda-compile");
        cli_addf(&args, "'%s' cc -O3 -o {out} {src}", self);
    }
    for (int i = compare; i < argc; i++)
        cli_add(&args, argv[i]);
    int status = run_or_fail(&args, file);
    hw_free(file);
    hw_free(self);
    return status;
}
