/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands of `hostwarp` share: where things are, argument lists, child processes. */
#ifndef CLI_H
#define CLI_H

#include <stdio.h>

#include "base/base.h"
#include "base/vec.h"


/* Exit statuses of our own: a wrong command line, and a program that could not be started (as shells have it). */
enum { CLI_OK = 0, CLI_FAIL = 1, CLI_USAGE = 2, CLI_CANNOT_EXEC = 126, CLI_NOT_FOUND = 127 };

/* A list of words for exec. cli_argv() ends it with NULL. The list owns copies of its words. */
struct cli_args {
    HW_VEC(char *) w;
};
void cli_add(struct cli_args *args, const char *word);
void cli_addf(struct cli_args *args, const char *fmt, ...) HW_PRINTF(2, 3);
void cli_add_all(struct cli_args *args, const struct cli_args *more);
char **cli_argv(struct cli_args *args);
void cli_args_fini(struct cli_args *args);

/* Places. The command lives in ROOT/bin; libraries are in ROOT/lib, headers in ROOT/include. The build folder and an
   installed copy have this same shape, which is also what clang wants to see in a --cuda-path. */
const char *cli_root(void);
char *cli_readable(const char *text);                            /* a text with such names in it; hw_free it */
char *cli_source_line(const char *place);                        /* "module+0x12" to "/folder/file.cu:12"; NULL: no such line; hw_free it */
/* page.c. out: NULL when it could not be opened. Says what went wrong. */
bool cli_finish_file(FILE *out, const char *path);
bool cli_write_page(const char *frame, const char *mark, void (*print)(FILE *out, const void *data), const void *data, const char *path);   /* frame: in ROOT; what `print` writes takes the mark's place */
char *cli_path(const char *relative);                            /* ROOT/relative; hw_free it */
char *cli_find_clang(void);                                      /* clang++ 19, or NULL after saying what is missing */

/* Child processes. */
/* A process that runs beside this one, its standard error kept in a file; at its end it reads a pipe. */
struct cli_beside {
    int pid;
    char *said;
};
bool cli_start_beside(struct cli_beside *p, struct cli_args *args, const char *said);
/* With status CLI_OK: feeds file to the pipe, waits, shows what was said, and returns how it ended. Else ends it and returns status. */
int cli_finish_beside(struct cli_beside *p, int status, const char *file, const char *pipe, bool *said_nothing);
int cli_spawn(struct cli_args *args);                            /* waits; exit status, 128 + signal, 127 not started */
int cli_spawn_said(struct cli_args *args, const char *said);     /* the same, with standard error in a file (NULL: not) */
void cli_exec(struct cli_args *args);                            /* returns only on failure, with errno */
void cli_print_command(const struct cli_args *args);             /* as nvcc -dryrun does: "#$ ..." on standard error */
int cli_caught_signal(void);                                     /* the signal that ended a child or asked us to end, or 0 */

/* A folder that is gone when the command ends, also after a signal. */
const char *cli_temp_dir(void);                                  /* NULL after saying why */
void cli_keep_temp_dir(void);                                    /* --keep */
void cli_remove_temp_dir(void);

void cli_error(const char *fmt, ...) HW_PRINTF(1, 2);            /* "hostwarp CMD: error: ..." on standard error */
extern const char *cli_command_name;                             /* "cc", "run", ...: for messages */

/* Library path for programs: ROOT/lib before what LD_LIBRARY_PATH already says. */
void cli_set_library_path(void);

/* Subcommands; each gets its own arguments, without "hostwarp" and its name. */
int cmd_cc(int argc, char **argv);
int cmd_nvcc(int argc, char **argv);                             /* cmd_cc when called by that name */
int cmd_run(int argc, char **argv);
int cmd_info(int argc, char **argv);
int info_json(void);                                             /* hostwarp info --json */
int info_gpus(void);
int cmd_env(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_gdb(int argc, char **argv);
int cmd_ptxas(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_prof(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_unseen(int argc, char **argv);                          /* for libcuda, not for people */

#endif
