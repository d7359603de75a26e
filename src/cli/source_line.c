/* SPDX-License-Identifier: Apache-2.0 */
/* From a place in a program's code to the line of its source. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <stdio.h>
#include <unistd.h>

static const char *addr2line_program(void)
{
    static const char *const known[] = { "/usr/bin/addr2line", "/usr/bin/llvm-addr2line-19", "/usr/lib/llvm-19/bin/llvm-addr2line" };
    for (size_t i = 0; i < HW_LEN(known); i++)
        if (access(known[i], X_OK) == 0)
            return known[i];
    return NULL;
}

/* Functions of our headers may be inlined into the program: the first line that is not in one of them is the program's. With callers to look at next, nor are
   the function that clang makes of a launch, and the language's headers. */
static bool is_between(const char *function, const char *line, bool has_callers)
{
    return strstr(line, "/include/hostwarp/") || strstr(line, "/include/cuda_runtime") || (has_callers && (strstr(function, "__device_stub__") || strncmp(line, "/usr/", 5) == 0));
}

char *cli_source_line(const char *place, bool has_callers)
{
    const char *plus = strrchr(place, '+'), *program = addr2line_program();
    char function[1024], line[1024], *found = NULL;
    if (!plus || !program || strchr(place, '\''))
        return NULL;
    char *command = hw_sprintf("%s -f -i -e '%.*s' %s 2>/dev/null", program, (int)(plus - place), place, plus + 1);
    FILE *out = popen(command, "r");
    while (out && !found && fgets(function, sizeof function, out) && fgets(line, sizeof line, out)) {
        line[strcspn(line, "\n")] = 0;
        char *note = strstr(line, " (discriminator");
        if (note)
            *note = 0;
        if (line[0] != '?' && !strstr(line, ":?") && !is_between(function, line, has_callers))
            found = hw_strdup(line);
    }
    if (out)
        pclose(out);
    hw_free(command);
    return found;
}
