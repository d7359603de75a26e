/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are kept across barriers which all warps of a block pass together: what they have in common is there once. */
#include "driver_check.h"

enum { THREADS = 128, TURNS = 6 };

static const char ptx[] =
    ".version 7.5\n"
    ".target sm_80\n"
    ".address_size 64\n"
    /* out[t]: a sum over what the thread 64 away had as index in each turn; the indices grow by a parameter's value */
    ".visible .entry index(.param .u64 p, .param .u32 step)\n"
    "{\n"
    "  .shared .align 4 .b8 m[512];\n"
    "  .reg .b32 t, j, k, n, s, x, y, sum;\n"
    "  .reg .b64 o, w;\n"
    "  .reg .pred q;\n"
    "  ld.param.u64 o, [p];\n"
    "  ld.param.u32 n, [step];\n"
    "  cvta.to.global.u64 o, o;\n"
    "  mov.u32 t, %tid.x;\n"
    "  mov.u32 x, m;\n"
    "  shl.b32 s, t, 2;\n"
    "  add.u32 s, s, x;\n"
    "  mad.lo.u32 j, t, 3, 5;\n"
    "  mov.u32 k, 0;\n"
    "  mov.u32 sum, 0;\n"
    "AGAIN:\n"
    "  st.shared.u32 [s], j;\n"
    "  bar.sync 0;\n"
    "  xor.b32 y, t, 64;\n"
    "  shl.b32 y, y, 2;\n"
    "  add.u32 y, y, x;\n"
    "  ld.shared.u32 y, [y];\n"
    "  mad.lo.u32 sum, sum, 31, y;\n"
    "  bar.sync 0;\n"
    "  add.u32 j, j, n;\n"
    "  add.u32 k, k, 1;\n"
    "  setp.lt.u32 q, k, 6;\n"
    "  @q bra AGAIN;\n"
    "  add.u32 sum, sum, j;\n"
    "  mul.wide.u32 w, t, 4;\n"
    "  add.u64 o, o, w;\n"
    "  st.global.u32 [o], sum;\n"
    "  ret;\n"
    "}\n"
    /* In turn k warp k computes something, from k alone, and keeps it to the end. */
    ".visible .entry turns(.param .u64 p, .param .u32 step)\n"
    "{\n"
    "  .reg .b32 t, w, k, n, y, z;\n"
    "  .reg .b64 o, a;\n"
    "  .reg .pred q;\n"
    "  ld.param.u64 o, [p];\n"
    "  ld.param.u32 n, [step];\n"
    "  cvta.to.global.u64 o, o;\n"
    "  mov.u32 t, %tid.x;\n"
    "  shr.u32 w, t, 5;\n"
    "  mov.u32 k, 0;\n"
    "AGAIN:\n"
    "  setp.ne.u32 q, w, k;\n"
    "  @q bra REST;\n"
    "  mad.lo.u32 z, k, n, 1000;\n"
    "  div.u32 y, z, 3;\n"
    "REST:\n"
    "  bar.sync 0;\n"
    "  add.u32 k, k, 1;\n"
    "  setp.lt.u32 q, k, 4;\n"
    "  @q bra AGAIN;\n"
    "  add.u32 y, y, t;\n"
    "  mul.wide.u32 a, t, 4;\n"
    "  add.u64 o, o, a;\n"
    "  st.global.u32 [o], y;\n"
    "  ret;\n"
    "}\n";

static void run(CUmodule mod, const char *name, unsigned step, unsigned *got)
{
    CUfunction fn;
    CUdeviceptr out;
    NEED(cuModuleGetFunction(&fn, mod, name));
    NEED(cuMemAlloc(&out, THREADS * sizeof *got));
    void *args[] = {&out, &step};
    NEED(cuLaunchKernel(fn, 1, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL));
    NEED(cuMemcpyDtoH(got, out, THREADS * sizeof *got));
    NEED(cuMemFree(out));
}

int main(void)
{
    CUmodule mod;
    unsigned got[THREADS], step = 77;
    int wrong = 0;
    check_start();
    NEED(cuModuleLoadData(&mod, ptx));
    run(mod, "index", step, got);
    for (unsigned t = 0; t < THREADS; t++) {
        unsigned want = 0;
        for (unsigned k = 0; k < TURNS; k++)
            want = want * 31 + (t ^ 64) * 3 + 5 + k * step;
        wrong += got[t] != want + t * 3 + 5 + TURNS * step;
    }
    check_value("an index of each thread's own, and what is added to it for all", wrong, 0);
    run(mod, "turns", step, got);
    wrong = 0;
    for (unsigned t = 0; t < THREADS; t++)
        wrong += got[t] != (t / 32 * step + 1000) / 3 + t;
    check_value("what only one warp computes is that warp's", wrong, 0);
    return n_failed != 0;
}
