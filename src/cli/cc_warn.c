/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings: nvcc's numbers for those that clang has too, and what is warned of when only device code is compiled. */
#include "cli/cc_work.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int number;
    const char *name;                    /* clang's */
    bool shown;                          /* nvcc and NVRTC show it without being asked, clang does not */
} rows[] = {
    { 68, "sign-conversion", false },                      /* a number changes its sign */
    { 111, "unreachable-code", false },                    /* a statement that nobody comes to */
    { 174, "unused-value", false },                        /* an expression without an effect */
    { 177, "unused-variable", true },                      /* declared and not used */
    { 177, "unused-function", false },
    { 186, "tautological-unsigned-zero-compare", true },   /* unsigned and below zero */
    { 550, "unused-but-set-variable", true },              /* set and not used */
    { 940, "return-type", false },                         /* no return at a function's end */
    { 1105, "#warnings", false },                          /* #warning */
    { 1215, "deprecated-declarations", false },
    { 1444, "deprecated-declarations", false },
};

void cc_warn_numbers(struct cc_job *job, const char *option, const char *numbers)
{
    const char *how = strcmp(option, "diag-suppress") == 0 ? "no-" : strcmp(option, "diag-error") == 0 ? "error=" : "";
    while (*numbers) {
        char *end;
        long number = strtol(numbers, &end, 10);
        for (size_t i = 0; i < HW_LEN(rows); i++)
            if (end > numbers && rows[i].number == number)
                cli_addf(&job->host, "-W%s%s", how, rows[i].name);
        numbers += strcspn(numbers, ",");
        numbers += *numbers == ',';
    }
}

/* -w, -Wname and -Werror, which are kept for the host pass; what follows -W and a comma is for other programs. */
static bool is_about_warnings(const char *word)
{
    return strcmp(word, "-w") == 0 || (strncmp(word, "-W", 2) == 0 && word[2] && word[3] != ',');
}

void cc_warn_alone(const struct cc_job *job, struct cli_args *args)
{
    for (size_t i = 0; i < HW_LEN(rows); i++)
        if (rows[i].shown)
            cli_addf(args, "-W%s", rows[i].name);
    cli_add(args, "-Wno-pass-failed");                           /* about clang's own optimiser */
    cli_add(args, "-Wno-unknown-warning-option");
    for (size_t i = 0; i < job->host.w.n; i++)
        if (is_about_warnings(job->host.w.v[i]))
            cli_add(args, job->host.w.v[i]);
}
