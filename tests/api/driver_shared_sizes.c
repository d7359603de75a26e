/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that differ in nothing but the size of an array in shared memory: what is made for one must not run the other. */
#include "driver_check.h"

#include <stdio.h>

enum { SIDE = 32, PART = 128 };

/* Thread t < n goes along part t of the tile. `other` lies at 4096 whatever the tile's size, so that no address differs. */
static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry columns(.param .u64 p, .param .u32 n)\n{\n"
                           "\t.reg .u64 %%rd<4>;\n\t.reg .u32 %%r<10>;\n\t.reg .pred %%p<3>;\n"
                           "\t.shared .align 4 .b8 tile[%u];\n\t.shared .align 4096 .b8 other[128];\n"
                           "\tmov.u32 %%r4, tile;\n\tld.param.u64 %%rd1, [p];\n\tcvta.to.global.u64 %%rd1, %%rd1;\n\tld.param.u32 %%r9, [n];\n\tmov.u32 %%r1, %%tid.x;\n"
                           "\tshl.b32 %%r8, %%r1, 2;\n\tmov.u32 %%r7, other;\n\tadd.u32 %%r7, %%r7, %%r8;\n\tst.shared.u32 [%%r7], %%r1;\n"
                           "\tbar.sync 0;\n\tsetp.ge.u32 %%p2, %%r1, %%r9;\n\t@%%p2 bra end;\n"
                           "\tshl.b32 %%r5, %%r1, 7;\n\tadd.u32 %%r5, %%r4, %%r5;\n\tadd.u32 %%r6, %%r5, 124;\n"
                           "\tst.shared.u32 [%%r5], %%r1;\n"
                           "again:\n\tld.shared.u32 %%r2, [%%r5];\n\tadd.u32 %%r2, %%r2, %%r1;\n\tst.shared.u32 [%%r5+4], %%r2;\n"
                           "\tadd.u32 %%r5, %%r5, 4;\n\tsetp.lt.u32 %%p1, %%r5, %%r6;\n\t@%%p1 bra again;\n"
                           "\tshl.b32 %%r5, %%r1, 7;\n\tadd.u32 %%r5, %%r4, %%r5;\n\tmov.u32 %%r2, 0;\n"
                           "sum:\n\tld.shared.u32 %%r3, [%%r5];\n\tadd.u32 %%r2, %%r2, %%r3;\n\tadd.u32 %%r5, %%r5, 4;\n"
                           "\tsetp.le.u32 %%p1, %%r5, %%r6;\n\t@%%p1 bra sum;\n"
                           "\tld.shared.u32 %%r3, [%%r7];\n\tadd.u32 %%r2, %%r2, %%r3;\n"
                           "\tmul.wide.u32 %%rd2, %%r1, 4;\n\tadd.u64 %%rd3, %%rd1, %%rd2;\n\tst.global.u32 [%%rd3], %%r2;\nend:\n\tret;\n}\n";

int main(void)
{
    const unsigned parts[] = { 8, SIDE, 20 };
    CUdeviceptr p;
    check_start();
    NEED(cuMemAlloc(&p, SIDE * sizeof(unsigned)));
    for (int k = 0; k < 3; k++) {
        char ptx[4096], rule[64];
        CUmodule module;
        CUfunction columns;
        unsigned got[SIDE], wrong = 0, n = parts[k];
        void *args[] = { &p, &n };
        snprintf(ptx, sizeof ptx, text, n * PART);
        NEED(cuModuleLoadData(&module, ptx));
        NEED(cuModuleGetFunction(&columns, module, "columns"));
        NEED(cuLaunchKernel(columns, 1, 1, 1, SIDE, 1, 1, 0, NULL, args, NULL));
        NEED(cuMemcpyDtoH(got, p, sizeof got));
        for (unsigned t = 0; t < n; t++)
            wrong += got[t] != t * 32 * 33 / 2 + t;      /* t, 2t, ... 32t, and what `other` holds */
        snprintf(rule, sizeof rule, "a tile of %u bytes", n * PART);
        check_true(rule, wrong == 0);
        NEED(cuModuleUnload(module));
    }
    return n_failed != 0;
}
