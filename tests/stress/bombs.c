/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTX that is small to say and large to hold: everything that can be nested nested a hundred thousand times, calls that double with each function, arrays and
 * registers without number. Each is refused with a place, or loads; in bounded time, memory and stack.
 */
#define _GNU_SOURCE
#include "driver/api.h"

#include "base/os.h"
#include "base/str.h"

#include "sanitized.h"

#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TIMES = SANITIZED ? 8 : 1 };              /* what the sanitizers take */
enum { DEEP = 100000, MOST_MB = 700 * TIMES, MOST_S = 60 };

static void repeat(struct hw_str *s, const char *text, int n)
{
    for (int i = 0; i < n; i++)
        hw_str_puts(s, text);
}

static void nested(struct hw_str *s, const char *before, const char *open, const char *middle, const char *close, const char *after)
{
    hw_str_puts(s, before);
    repeat(s, open, DEEP);
    hw_str_puts(s, middle);
    repeat(s, close, DEEP);
    hw_str_puts(s, after);
}

#define VALUE ".visible .global .u32 x = "
#define ENTRY ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .pred %q;\nmov.u32 %r1, %tid.x;\n"
static void parentheses(struct hw_str *s) { nested(s, VALUE, "(", "1", ")", ";\n"); }
static void complements(struct hw_str *s) { nested(s, VALUE, "~", "1", "", ";\n"); }
static void signs(struct hw_str *s) { nested(s, VALUE, "- ", "1", "", ";\n"); }
static void negations(struct hw_str *s) { nested(s, VALUE, "!", "1", "", ";\n"); }
static void casts(struct hw_str *s) { nested(s, VALUE, "(.u64)", "1", "", ";\n"); }
static void choices(struct hw_str *s) { nested(s, VALUE, "1?", "1", ":2", ";\n"); }
static void choices_to_the_right(struct hw_str *s) { nested(s, VALUE, "0?1:", "1", "", ";\n"); }
static void sums(struct hw_str *s) { nested(s, VALUE, "1+", "1", "", ";\n"); }
static void shifts(struct hw_str *s) { nested(s, VALUE, "1<<", "1", "", ";\n"); }
static void generics(struct hw_str *s) { nested(s, ".visible .global .u64 x = ", "generic(", "x", ")", ";\n"); }
static void braces_of_values(struct hw_str *s) { nested(s, ".visible .global .u32 x[2] = ", "{", "1", "}", ";\n"); }
static void dimensions(struct hw_str *s) { nested(s, ".visible .global .u32 x", "[1]", "", "", ";\n"); }
static void blocks(struct hw_str *s) { nested(s, ENTRY, "{", "", "}", "ret;\n}\n"); }
static void lists_of_operands(struct hw_str *s) { nested(s, ENTRY "mov.b64 %d1, ", "{", "%r1, %r2", "}", ";\nret;\n}\n"); }
static void addresses(struct hw_str *s) { nested(s, ENTRY "ld.global.u32 %r1, ", "[", "%d1", "]", ";\nret;\n}\n"); }
static void offsets(struct hw_str *s) { nested(s, ENTRY "ld.global.u32 %r1, [%d1", "+(1", "", ")", "];\nret;\n}\n"); }
static void sections(struct hw_str *s) { nested(s, "", ".section .debug_x {\n", "", "}\n", ""); }
static void comments(struct hw_str *s) { nested(s, "", "/* ", "", "*/", "\n"); }
static void parameters(struct hw_str *s) { nested(s, ".visible .entry k(.param .u64 p", ", .param .u64 q", "", "", ")\n{\nret;\n}\n"); }

static void declarations_of_registers(struct hw_str *s) { hw_str_puts(s, ENTRY ".reg .b64 %w<2000000000>;\nret;\n}\n"); }
static void lengths(struct hw_str *s) { hw_str_puts(s, ".visible .global .b8 x[0x7fffffffffffff00];\n"); }
static void alignments(struct hw_str *s) { hw_str_puts(s, ".visible .global .align 1073741824 .b8 x[16];\n"); }
static void variables(struct hw_str *s)
{
    for (int i = 0; i < 2000; i++)
        hw_str_printf(s, ".visible .global .b8 x%d[1000000000];\n", i);
}

static void calls_that_double(struct hw_str *s)
{
    hw_str_puts(s, ".func f0(.param .b64 p)\n{\n.reg .b64 %r<2>;\nld.param.u64 %r1, [p];\nst.global.u64 [%r1], %r1;\nret;\n}\n");
    for (int i = 1; i < 40; i++)
        hw_str_printf(s, ".func f%d(.param .b64 p)\n{\n.reg .b64 %%r<2>;\nld.param.u64 %%r1, [p];\n"
                         "{ .param .b64 a; st.param.b64 [a], %%r1; call f%d, (a); }\n{ .param .b64 a; st.param.b64 [a], %%r1; call f%d, (a); }\nret;\n}\n", i, i - 1, i - 1);
    hw_str_puts(s, ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %r<2>;\nld.param.u64 %r1, [p];\n{ .param .b64 a; st.param.b64 [a], %r1; call f39, (a); }\nret;\n}\n");
}

static void chains_of_calls(struct hw_str *s)
{
    hw_str_puts(s, ".func f0()\n{\nret;\n}\n");
    for (int i = 1; i < 5000; i++)
        hw_str_printf(s, ".func f%d()\n{\ncall f%d, ();\nret;\n}\n", i, i - 1);
    hw_str_puts(s, ".visible .entry k()\n{\ncall f4999, ();\nret;\n}\n");
}

/* Loads, and is compiled: code that is made cheaply, where the better would take too long. */
static void divergent_branches(struct hw_str *s)
{
    hw_str_puts(s, ENTRY "mov.u32 %r2, %clock;\nld.param.u64 %d1, [p];\n");
    for (int i = 0; i < 1500; i++)
        hw_str_printf(s, "add.u32 %%r1, %%r1, %d;\nsetp.gt.u32 %%q, %%r1, %%r2;\n@%%q bra L%d;\nxor.b32 %%r1, %%r1, %%r2;\nL%d:\n", i, i, i);
    hw_str_puts(s, "st.global.u32 [%d1], %r1;\nret;\n}\n");
}

static const struct {
    const char *name;
    void (*make)(struct hw_str *);
    bool runs;
} bombs[] = {
#define BOMB(name) {#name, name, false}
    BOMB(parentheses), BOMB(complements), BOMB(signs), BOMB(negations), BOMB(casts), BOMB(choices), BOMB(choices_to_the_right), BOMB(sums), BOMB(shifts),
    BOMB(generics), BOMB(braces_of_values), BOMB(dimensions), BOMB(blocks), BOMB(lists_of_operands), BOMB(addresses), BOMB(offsets), BOMB(sections), BOMB(comments),
    BOMB(parameters), BOMB(declarations_of_registers), BOMB(lengths), BOMB(alignments), BOMB(variables), BOMB(calls_that_double), BOMB(chains_of_calls),
    {"divergent_branches", divergent_branches, true},
};

static bool try(int i)
{
    struct hw_str s = {0};
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule m = NULL;
    hw_str_puts(&s, ".version 7.5\n.target sm_80\n.address_size 64\n");
    bombs[i].make(&s);
    uint64_t begin = hw_now_ns();
    CUresult rc = cuModuleLoadDataEx(&m, s.s, 2, options, values);
    bool good = rc ? log[0] != 0 : true;
    if (rc && rc != CUDA_ERROR_OUT_OF_MEMORY && !strstr(log, "line "))
        good = false;
    if (bombs[i].runs) {
        CUfunction f;
        CUdeviceptr p = 0;
        void *args[] = {&p};
        good = !rc && !cuModuleGetFunction(&f, m, "k") && !cuMemAlloc_v2(&p, 64) && !cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL) && !cuCtxSynchronize();
        cuMemFree_v2(p);
    }
    if (m)
        cuModuleUnload(m);
    double seconds = (double)(hw_now_ns() - begin) / 1e9;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    good = good && seconds < MOST_S && used.ru_maxrss < MOST_MB * 1024l;
    printf("%s %s: %s%s in %.2f s, %ld MiB\n", good ? "ok" : "not ok", bombs[i].name, rc ? "refused, " : "taken", rc ? strtok(log, "\n") : "", seconds, used.ru_maxrss / 1024);
    fflush(stdout);
    hw_str_fini(&s);
    return good;
}

/* A thread of a program may have a small stack. */
static void *try_all(void *only)
{
    CUcontext ctx;
    intptr_t bad = cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx);
    for (int i = 0; i < (int)HW_LEN(bombs); i++)
        if (!only || strcmp(only, bombs[i].name) == 0)
            bad += !try(i);
    return (void *)bad;
}

int main(int argc, char **argv)
{
    pthread_attr_t attr;
    pthread_t thread;
    void *bad;
    if (cuInit(0))
        return 2;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 20);
    if (pthread_create(&thread, &attr, try_all, argc > 1 ? argv[1] : NULL) || pthread_join(thread, &bad))
        return 2;
    return bad != NULL;
}
