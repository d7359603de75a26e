/* SPDX-License-Identifier: Apache-2.0 */
/* The device runtime's functions of cooperative groups, for code that no header of ours was compiled into (numba): the meeting of a grid's blocks. */
#include "core/module/device_groups.h"

#include "base/str.h"

#include <string.h>

/* As grid_group::sync() in cooperative_groups.h: a grid's place has the number of blocks that are here, and of meetings that were. Scope 1 is the grid; a launch that is not
   cooperative has no handle. 1: cudaErrorInvalidValue. */
static const char groups[] =
    ".visible .global .align 8 .b32 hostwarp_grid_meetings[512];\n"
    ".visible .func (.param .b64 r) cudaCGGetIntrinsicHandle (.param .b32 scope)\n"
    "{\n"
    "    .reg .b32 %r<4>; .reg .b64 %d; .reg .pred %p;\n"
    "    ld.param.u32 %r1, [scope];\n"
    "    mov.u32 %r2, %envreg1;\n"
    "    mov.u32 %r3, %envreg2;\n"
    "    mov.b64 %d, {%r3, %r2};\n"
    "    setp.ne.u32 %p, %r1, 1;\n"
    "    @%p mov.u64 %d, 0;\n"
    "    st.param.b64 [r], %d;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) cudaCGSynchronize (.param .b64 handle, .param .b32 flags)\n"
    "{\n"
    "    .reg .b64 %d<3>; .reg .b32 %r<8>; .reg .pred %p<3>;\n"
    "    ld.param.u64 %d1, [handle];\n"
    "    setp.eq.u64 %p1, %d1, 0;\n"
    "    st.param.b32 [r], 1;\n"
    "    @%p1 ret;\n"
    "    bar.sync 0;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mov.u32 %r2, %tid.y;\n"
    "    or.b32 %r1, %r1, %r2;\n"
    "    mov.u32 %r2, %tid.z;\n"
    "    or.b32 %r1, %r1, %r2;\n"
    "    setp.ne.u32 %p1, %r1, 0;\n"
    "    @%p1 bra together;\n"
    "    mov.u64 %d1, %gridid;\n"
    "    and.b64 %d1, %d1, 255;\n"
    "    shl.b64 %d1, %d1, 3;\n"
    "    mov.u64 %d2, hostwarp_grid_meetings;\n"
    "    add.u64 %d2, %d2, %d1;\n"
    "    membar.gl;\n"
    "    ld.volatile.global.u32 %r3, [%d2+4];\n"
    "    mov.u32 %r4, %nctaid.x;\n"
    "    mov.u32 %r5, %nctaid.y;\n"
    "    mul.lo.u32 %r4, %r4, %r5;\n"
    "    mov.u32 %r5, %nctaid.z;\n"
    "    mul.lo.u32 %r4, %r4, %r5;\n"
    "    sub.u32 %r4, %r4, 1;\n"
    "    atom.global.add.u32 %r6, [%d2], 1;\n"
    "    setp.ne.u32 %p1, %r6, %r4;\n"
    "    @%p1 bra await;\n"
    "    st.volatile.global.u32 [%d2], 0;\n"
    "    membar.gl;\n"
    "    atom.global.add.u32 %r7, [%d2+4], 1;\n"
    "    bra met;\n"
    "await:\n"
    "    nanosleep.u32 100;\n"
    "    ld.volatile.global.u32 %r7, [%d2+4];\n"
    "    setp.eq.u32 %p2, %r7, %r3;\n"
    "    @%p2 bra await;\n"
    "met:\n"
    "    membar.gl;\n"
    "together:\n"
    "    bar.sync 0;\n"
    "    st.param.b32 [r], 0;\n"
    "    ret;\n"
    "}\n";

void device_groups_ptx(const char *text, struct hw_str *out)
{
    if (strstr(text, DEVICE_GROUPS))
        hw_str_add(out, groups, strlen(groups));
}
