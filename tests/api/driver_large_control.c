/* SPDX-License-Identifier: Apache-2.0 */
/* A switch with a thousand targets, and loops in loops: a few hundred run, thousands are an error and not a hang. */
#include "driver_check.h"

#include <stdarg.h>

enum { TARGETS = 1000, THREADS = 128, BLOCKS = 9, ROOM = 1 << 19 };

static char text[ROOM];
static size_t used;

static void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text + used, ROOM - used, format, list);
    va_end(list);
    if (n < 0 || used + (size_t)n >= ROOM)
        abort();
    used += (size_t)n;
}

static void begin(void)
{
    used = 0;
    put(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %%p;\n.reg .b32 %%r<6>;\n.reg .b64 %%q<4>;\n"
        "ld.param.u64 %%q1, [out];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\nmov.u32 %%r3, %%ntid.x;\nmad.lo.u32 %%r1, %%r2, %%r3, %%r1;\n"
        "mul.wide.u32 %%q2, %%r1, 4;\nadd.u64 %%q1, %%q1, %%q2;\nmov.u32 %%r4, 0;\n");
}

static void end(void) { put("st.global.u32 [%%q1], %%r4;\nret;\n}\n"); }

/* Thread i goes to target 7 i mod 1000; blocks of one warp's numbers differ from lane to lane. Every third target is shared with the one before. */
static void make_switch(void)
{
    begin();
    put("mul.lo.u32 %%r5, %%r1, 7;\nrem.u32 %%r5, %%r5, %d;\nT: .branchtargets B0", TARGETS);
    for (int i = 1; i < TARGETS; i++)
        put(", B%d", i % 3 == 2 ? i - 1 : i);
    put(";\nbrx.idx %%r5, T;\n");
    for (int i = 0; i < TARGETS; i++)
        if (i % 3 != 2)
            put("B%d:\nmov.u32 %%r4, %d;\nbra END;\n", i, 5 * i + 1);
    put("END:\n");
    end();
}

/* A loop goes on while the sum is below its limit; outer limits are larger. */
static void make_nest(int deep)
{
    begin();
    for (int i = 0; i < deep; i++)
        put("L%d:\nadd.u32 %%r4, %%r4, 1;\n", i);
    for (int i = deep; i-- > 0;)
        put("setp.lt.u32 %%p, %%r4, %d;\n@%%p bra L%d;\n", 3 * deep - 2 * i, i);
    end();
}

static unsigned nest_result(int deep)
{
    unsigned r = 0;
    for (int i = 0, level = 0; i >= 0;) {                 /* forwards to the innermost, then outwards; a jump back goes forwards again */
        for (; level < deep; level++)
            r++;
        for (i = deep - 1; i >= 0 && r >= (unsigned)(3 * deep - 2 * i); i--)
            ;
        level = i < 0 ? deep : i;
    }
    return r;
}

static CUresult run(unsigned *got)
{
    CUmodule module;
    CUfunction f;
    CUdeviceptr out;
    void *args[] = {&out};
    CUresult rc = cuModuleLoadData(&module, text);

    if (rc)
        return rc;
    NEED(cuModuleGetFunction(&f, module, "k"));
    NEED(cuMemAlloc(&out, THREADS * BLOCKS * 4));
    NEED(cuLaunchKernel(f, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL));
    NEED(cuMemcpyDtoH(got, out, THREADS * BLOCKS * 4));
    NEED(cuMemFree(out));
    return cuModuleUnload(module);
}

int main(void)
{
    static unsigned got[THREADS * BLOCKS];
    unsigned wrong = 0;

    check_start();
    make_switch();
    check_result("a switch with a thousand targets runs", run(got), CUDA_SUCCESS);
    for (unsigned i = 0; i < THREADS * BLOCKS; i++) {
        unsigned at = 7 * i % TARGETS;
        wrong += got[i] != 5 * (at % 3 == 2 ? at - 1 : at) + 1;
    }
    check_value("each thread at its own target", wrong, 0);
    make_nest(150);
    check_result("a hundred and fifty loops in each other run", run(got), CUDA_SUCCESS);
    check_value("as often as they should", got[THREADS * BLOCKS - 1], nest_result(150));
    make_nest(4000);
    check_result("thousands are an error", run(got), CUDA_ERROR_INVALID_PTX);
    return n_failed != 0;
}
