/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with thousands of branches on which lanes disagree: their first launch takes seconds, not minutes, and they compute what they should. */
#include "driver_check.h"

#include <sys/resource.h>

enum { BRANCHES = 3000, CASES = 200, TURNS = 8, LANES = 96, SECONDS = 40 };

static unsigned number(unsigned i) { return i * 2654435761u >> 12; }

static const char begin[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [out];\nmov.u32 %r2, %tid.x;\nmov.u32 %r1, %r2;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd1, %rd1, %rd2;\n";
static const char end[] = "st.global.u32 [%rd1], %r1;\nret;\n}\n";

/* if (x & 3 ...) x ^= ..., again and again */
static char *branches(char *to)
{
    for (unsigned i = 0; i < BRANCHES; i++)
        to += sprintf(to, "add.u32 %%r1, %%r1, %u;\nxor.b32 %%r3, %%r1, %%r2;\nand.b32 %%r3, %%r3, 3;\nsetp.gt.u32 %%p, %%r3, 1;\n@%%p bra L%u;\nxor.b32 %%r1, %%r1, %u;\nL%u:\n",
                      number(i), i, i * 7 + 3, i);
    return to;
}

static unsigned run_branches(unsigned lane)
{
    unsigned x = lane;
    for (unsigned i = 0; i < BRANCHES; i++) {
        x += number(i);
        if (((x ^ lane) & 3) <= 1)
            x ^= i * 7 + 3;
    }
    return x;
}

/* A loop around a switch, as an interpreter has it: a tree of comparisons, and the cases. */
static char *tree(char *to, unsigned from, unsigned past)
{
    unsigned middle = (from + past) / 2;
    if (past - from == 1)
        return to + sprintf(to, "bra C%u;\n", from);
    to += sprintf(to, "setp.ge.u32 %%p, %%r3, %u;\n@%%p bra T%u_%u;\n", middle, middle, past);
    to = tree(to, from, middle);
    to += sprintf(to, "T%u_%u:\n", middle, past);
    return tree(to, middle, past);
}

static char *interpreter(char *to)
{
    to += sprintf(to, "mov.u32 %%r5, 0;\nTURN:\nadd.u32 %%r3, %%r1, %%r2;\nrem.u32 %%r3, %%r3, %d;\n", CASES);
    to = tree(to, 0, CASES);
    for (unsigned i = 0; i < CASES; i++)
        to += sprintf(to, "C%u:\nmad.lo.u32 %%r1, %%r1, %u, %u;\nshr.u32 %%r4, %%r1, %u;\nxor.b32 %%r1, %%r1, %%r4;\nbra JOIN;\n", i, 2 * i + 1, number(i), i % 31 + 1);
    return to + sprintf(to, "JOIN:\nadd.u32 %%r5, %%r5, 1;\nsetp.lt.u32 %%p, %%r5, %d;\n@%%p bra TURN;\n", TURNS);
}

static unsigned run_interpreter(unsigned lane)
{
    unsigned x = lane;
    for (int turn = 0; turn < TURNS; turn++) {
        unsigned i = (x + lane) % CASES;
        x = x * (2 * i + 1) + number(i);
        x ^= x >> (i % 31 + 1);
    }
    return x;
}

static void check_kernel(char *(*body)(char *), unsigned (*expected)(unsigned), const char *rule)
{
    char *text = malloc(1 << 20), *at = text + sprintf(text, "%s", begin);
    unsigned got[LANES], good = 1;
    CUmodule m;
    CUfunction f;
    CUdeviceptr out;
    void *params[] = { &out };
    strcpy(body(at), end);
    NEED(cuModuleLoadData(&m, text));
    NEED(cuModuleGetFunction(&f, m, "k"));
    NEED(cuMemAlloc(&out, sizeof got));
    NEED(cuLaunchKernel(f, 1, 1, 1, LANES, 1, 1, 0, NULL, params, NULL));
    NEED(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < LANES; i++)
        good &= got[i] == expected(i);
    check_true(rule, good);
    NEED(cuMemFree(out));
    NEED(cuModuleUnload(m));
    free(text);
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int main(void)
{
    check_start();
    check_kernel(branches, run_branches, "thousands of branches that lanes take differently");
    check_kernel(interpreter, run_interpreter, "a loop around hundreds of cases");
    double took = cpu_seconds();
    if (!check_true("both are compiled in seconds", took < SECONDS))
        printf("#   took %.0f s of CPU time\n", took);
    return n_failed != 0;
}
