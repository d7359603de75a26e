/* SPDX-License-Identifier: Apache-2.0 */
/* A context and a few kernels for fuzzers of the driver. */
#include "fuzz_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CUmodule driver_module;
CUfunction driver_mix, driver_fill, driver_bytes, driver_twins;

const char driver_text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 16 .b8 table[1024];\n"
    ".visible .const .align 16 .b8 fixed[256];\n"
    ".visible .entry mix(.param .u64 to, .param .u64 from, .param .u32 n, .param .u32 factor)\n"
    "{\n"
    "    .reg .b32 %r<9>; .reg .b64 %d<6>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [factor];\n"
    "    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r3, %r3, %r4, %r5; mov.u32 %r6, %nctaid.x; "
        "mul.lo.u32 %r6, %r6, %r4;\n"
    "again:\n"
    "    setp.ge.u32 %p, %r3, %r1; @%p ret;\n"
    "    mul.wide.u32 %d3, %r3, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;\n"
    "    ld.global.u32 %r7, [%d4]; ld.global.u32 %r8, [%d5]; mad.lo.u32 %r7, %r7, %r2, %r8; st.global.u32 [%d4], %r7;\n"
    "    add.u32 %r3, %r3, %r6; bra again;\n"
    "}\n"
    ".visible .entry fill(.param .u64 to, .param .u32 n, .param .u32 value)\n"
    "{\n"
    "    .reg .b32 %r<7>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [value];\n"
    "    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r3, %r3, %r4, %r5; mov.u32 %r6, %nctaid.x; "
        "mul.lo.u32 %r6, %r6, %r4;\n"
    "again:\n"
    "    setp.ge.u32 %p, %r3, %r1; @%p ret;\n"
    "    mul.wide.u32 %d3, %r3, 4; add.u64 %d3, %d1, %d3; st.global.u32 [%d3], %r2;\n"
    "    add.u32 %r3, %r3, %r6; bra again;\n"
    "}\n"
    ".visible .entry bytes(.param .u64 to, .param .align 8 .b8 data[256])\n"
    "{\n"
    "    .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [to]; mov.u64 %d2, data; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
    "again:\n"
    "    ld.param.u32 %r3, [%d2]; add.u32 %r1, %r1, %r3; add.u64 %d2, %d2, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 64; @%p bra again;\n"
    "    st.global.u32 [%d1], %r1; ret;\n"
    "}\n"
    ".visible .entry twins(.param .u64 to, .param .u32 n)\n"
    "{\n"
    "    .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p; .shared .align 4 .u32 sum;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %nctaid.x; mad.lo.u32 %r2, %r3, %r4, %r2;\n"
    "    mov.u32 %r3, %ctaid.z; mov.u32 %r5, %nctaid.y; mul.lo.u32 %r4, %r4, %r5; mad.lo.u32 %r2, %r3, %r4, %r2;\n"
    "    setp.ge.u32 %p, %r2, %r1; @%p ret;\n"
    "    mov.u32 %r6, 0; st.shared.u32 [sum], %r6; bar.sync 0;\n"
    "    atom.shared.add.u32 %r7, [sum], 1; bar.sync 0;\n"
    "    ld.shared.u32 %r7, [sum]; mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %d1, %d2; st.global.u32 [%d2], %r7; ret;\n"
    "}\n";

void driver_need(CUresult rc, const char *call)
{
    if (rc) {
        fuzz_bad("%s: error %d", call, rc);
        _exit(9);
    }
}

bool driver_good(CUresult rc, const char *call, uint64_t number)
{
    if (rc)
        fuzz_bad_in(number, "%s: error %d", call, rc);
    return !rc;
}

void driver_settings(char **argv)
{
    static const char *const pairs[] = { "HOSTWARP_MEMORY", "256M", "HOSTWARP_PINNED_LIMIT", "64M", "HOSTWARP_THREADS", "2",
        "HOSTWARP_LOG", "error", "HOSTWARP_TIMEOUT", "20", NULL };
    fuzz_settings(pairs, argv);
}

void driver_start(void)
{
    CUdevice dev;
    CUcontext ctx;
    NEED(cuInit(0));
    NEED(cuDeviceGet(&dev, 0));
    NEED(cuDevicePrimaryCtxRetain(&ctx, dev));
    NEED(cuCtxSetCurrent(ctx));
    NEED(cuModuleLoadData(&driver_module, driver_text));
    NEED(cuModuleGetFunction(&driver_mix, driver_module, "mix"));
    NEED(cuModuleGetFunction(&driver_fill, driver_module, "fill"));
    NEED(cuModuleGetFunction(&driver_bytes, driver_module, "bytes"));
    NEED(cuModuleGetFunction(&driver_twins, driver_module, "twins"));
}
