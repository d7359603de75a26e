/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp gdb`: gdb with our libraries, kernels that have names and lines, and commands that tell blocks and warps. */
#define _GNU_SOURCE
#include "cli/cc.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void help(void)
{
    printf("usage: hostwarp gdb [--batch COMMANDS] PROGRAM [ARGUMENTS]\n"
           "       hostwarp gdb [--batch COMMANDS] [OPTIONS OF hostwarp cc] FILE.cu [ARGUMENTS]\n\n"
           "Starts gdb with the program. Kernels have names and source lines there (programs: compile with -lineinfo),\n"
           "so that one can break in them by name and by line:\n\n"
           "  (gdb) break twice                a kernel; later ones are found when they are loaded\n"
           "  (gdb) break hello.cu:3\n"
           "  (gdb) run\n"
           "  (gdb) hostwarp where             kernel, block and threads that the selected thread runs\n"
           "  (gdb) hostwarp threads           the same for all\n\n"
           "  --batch FILE   do the commands in this file, and end\n\n"
           "Threads of a block run one after the other, as vectors: HOSTWARP_WIDTH=1 makes each of them stop by itself,\n"
           "HOSTWARP_THREADS=1 runs one block at a time. Variables of kernels are not shown; lines and the stack are.\n");
}

static bool is_source(const char *word)
{
    enum cc_lang lang = cc_lang_of(word);
    return word[0] != '-' && lang == CC_LANG_CUDA;
}

int cmd_gdb(int argc, char **argv)
{
    struct cli_args args = { 0 };
    const char *batch = NULL;
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        help();
        return CLI_OK;
    }
    if (argc > 1 && strcmp(argv[0], "--batch") == 0) {
        batch = argv[1];
        argc -= 2;
        argv += 2;
    }
    if (argc == 0) {
        cli_error("which program? hostwarp gdb --help tells more");
        return CLI_USAGE;
    }
    char *script = cli_path("share/gdb/hostwarp.py"), *self = cli_path("bin/hostwarp");
    bool source = false;
    for (int i = 0; i < argc && !source; i++)
        source = is_source(argv[i]);
    if (argv[0][0] == '-' && !source) {
        cli_error("unknown option %s; hostwarp gdb --help tells more", argv[0]);
        return CLI_USAGE;
    }
    const char *const first[] = { "gdb", "-q", "-x", script };
    for (size_t i = 0; i < HW_LEN(first); i++)
        cli_add(&args, first[i]);
    if (batch) {
        cli_add(&args, "--batch");
        cli_add(&args, "-x");
        cli_add(&args, batch);
    }
    cli_add(&args, "--args");
    if (source && argv[0][0] != '-' && !is_source(argv[0]))
        source = false;                                          /* a program that is given a source */
    if (source) {                                                /* which compiles it and becomes the program */
        const char *const compile[] = { self, "run", "-g", "-lineinfo" };
        for (size_t i = 0; i < HW_LEN(compile); i++)
            cli_add(&args, compile[i]);
    }
    for (int i = 0; i < argc; i++)
        cli_addf(&args, "%s%s", i == 0 && !source && !strchr(argv[0], '/') && access(argv[0], X_OK) == 0 ? "./" : "", argv[i]);
    setenv("HOSTWARP_DEBUG", "gdb", 1);
    cli_set_library_path();
    cli_exec(&args);
    cli_error("gdb does not start: %s", strerror(errno));
    cli_args_fini(&args);
    hw_free(script);
    hw_free(self);
    return CLI_NOT_FOUND;
}
