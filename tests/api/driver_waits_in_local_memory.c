/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that keeps in local memory what it waits for, as code that was compiled for debuggers does: other threads go on meanwhile. */
#include "driver_check.h"

enum { THREADS = 96 };

/* Thread t waits for its turn, from the last one to the first. */
static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry relay(.param .u64 p)\n{\n"
                           "\t.local .align 8 .b8 kept[16];\n\t.reg .pred %p<2>;\n\t.reg .b32 %r<6>;\n\t.reg .b64 %q<5>;\n"
                           "\tld.param.u64 %q1, [p];\n\tst.local.u64 [kept+8], %q1;\n\tmov.u64 %q2, kept;\n\tcvta.local.u64 %q3, %q2;\n"
                           "\tmov.u32 %r2, %tid.x;\n\tsub.u32 %r2, 95, %r2;\n"
                           "again:\n\tld.local.u64 %q4, [kept+8];\n\tld.u32 %r1, [%q4];\n\tst.u32 [%q3], %r1;\n"
                           "\tld.local.u32 %r3, [kept];\n\tsetp.ne.u32 %p1, %r3, %r2;\n\t@%p1 bra again;\n"
                           "\tld.u32 %r4, [%q3];\n\tadd.u32 %r4, %r4, 1;\n\tst.u32 [%q4], %r4;\n\tret;\n}\n";

int main(void)
{
    CUdeviceptr p;
    CUmodule module;
    CUfunction relay;
    unsigned got = 0;
    void *args[] = { &p };
    check_start();
    NEED(cuMemAlloc(&p, sizeof got));
    NEED(cuMemsetD32(p, 0, 1));
    NEED(cuModuleLoadData(&module, text));
    NEED(cuModuleGetFunction(&relay, module, "relay"));
    NEED(cuLaunchKernel(relay, 1, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL));
    NEED(cuCtxSynchronize());
    NEED(cuMemcpyDtoH(&got, p, sizeof got));
    check_true("every thread had its turn", got == THREADS);
    return n_failed != 0;
}
