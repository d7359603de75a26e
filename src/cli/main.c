/* SPDX-License-Identifier: Apache-2.0 */
/* The hostwarp command: finds the subcommand and hands over. */
#include "cli/cli.h"

#include "base/options.h"

#include "base/nearest.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    { "run", cmd_run, "run a CUDA program, or compile a .cu file and run it" },
    { "cc", cmd_cc, "compile and link CUDA sources; takes the options of nvcc" },
    { "info", cmd_info, "what the device is, and what this machine gives it" },
    { "env", cmd_env, "shell lines that make other builds use hostwarp" },
    { "bench", cmd_bench, "measure this machine: copies, launches, overlap" },
    { "gdb", cmd_gdb, "gdb that knows kernels, their lines, blocks and warps" },
    { "show", cmd_show, "what a program, fatbin, cubin or PTX file holds for the device" },
    { "ptxas", cmd_ptxas, "look at PTX and make a cubin of it; takes the options of ptxas" },
    { "prof", cmd_prof, "profile a program: times, a timeline, advice" },
    { "check", cmd_check, "look for memory errors, races, leaks and calls that failed" },
};

/* Names of other tools under which the command is installed too (tools/stage.py), so that what tutorials and Makefiles call is there. */
static const struct {
    const char *called, *name;
    int (*run)(int argc, char **argv);
} aliases[] = {
    { "nvcc", "cc", cmd_nvcc },
    { "ptxas", "ptxas", cmd_ptxas },
    { "nvprof", "prof", cmd_prof },
    { "compute-sanitizer", "check", cmd_check },
    { "cuda-memcheck", "check", cmd_check },
};

static void usage(FILE *to)
{
    fprintf(to, "usage: hostwarp COMMAND [ARGUMENTS]\n\nRuns CUDA programs on a machine with no GPU.\n\n");
    for (size_t i = 0; i < HW_LEN(commands); i++)
        fprintf(to, "  %-7s %s\n", commands[i].name, commands[i].help);
    fprintf(to, "\n  hostwarp COMMAND --help tells more; hostwarp --version names the version.\n"
                "  Start with:  hostwarp run hello.cu\n");
}

/* Dies of the signal that ended the child, so that a shell or a make that started us sees what happened. */
static int leave(int status)
{
    int sig = cli_caught_signal();
    cli_remove_temp_dir();
    if (sig) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
    return status;
}

static bool is_called(const char *argv0, const char *name)
{
    const char *slash = strrchr(argv0, '/');
    return strcmp(slash ? slash + 1 : argv0, name) == 0;
}

/* Said here, and not once more by the libraries of a program that is started now. */
static void check_variables(void)
{
    hw_options_check();
    hw_options_forget_wrong();
}

/* A program or a source is what people forget `run` for. */
static int no_such_command(const char *name)
{
    struct hw_nearest near = { .word = name };
    for (size_t i = 0; i < HW_LEN(commands); i++)
        hw_nearest_try(&near, commands[i].name);
    if (access(name, R_OK) == 0)
        fprintf(stderr, "hostwarp: there is no command `%s`; did you mean `hostwarp run %s`?\n", name, name);
    else if (near.name)
        fprintf(stderr, "hostwarp: there is no command `%s`; did you mean `%s`?\n", name, near.name);
    else
        fprintf(stderr, "hostwarp: there is no command `%s`; `hostwarp --help` lists them\n", name);
    return CLI_USAGE;
}

int main(int argc, char **argv)
{
    check_variables();
    for (size_t i = 0; argc > 0 && i < HW_LEN(aliases); i++) {
        if (is_called(argv[0], aliases[i].called)) {
            cli_command_name = aliases[i].name;
            return leave(aliases[i].run(argc - 1, argv + 1));
        }
    }
    if (argc < 2) {
        usage(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        usage(stdout);
        return CLI_OK;
    }
    if (strcmp(name, "unseen") == 0)             /* libcuda's, no command for people */
        return cmd_unseen(argc - 2, argv + 2);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("hostwarp %s\n", CLI_VERSION);
        return CLI_OK;
    }
    for (size_t i = 0; i < HW_LEN(commands); i++) {
        if (strcmp(name, commands[i].name) == 0) {
            cli_command_name = commands[i].name;
            return leave(commands[i].run(argc - 2, argv + 2));
        }
    }
    return no_such_command(name);
}
