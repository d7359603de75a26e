/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills that kernels queue, and their events. All that a grid queues is run in order, so an event is only a name. */
#include "core/module/device_work.h"
#include "base/log.h"

#include "core/mem/copy.h"
#include "exec/exec.h"

#include <string.h>

#define PREFIX "__cudaCDP2"
#define CALL_2D(name) PREFIX name "2DAsync"

/* ORDER device_work. Both take 9 words. COPY_BOX: destination, pitch, bytes from slice to slice; the same of the source; width, rows, slices.
   FILL: destination, pitch, value, width, rows. */
enum work_kind { WORK_COPY_BOX = 1, WORK_FILL = 2 };

/* ORDER device_work. 1, 12 and 69: cudaErrorInvalidValue, cudaErrorInvalidPitchValue, cudaErrorLaunchPendingCountExceeded. */
static const char memory_functions[] =
    ".visible .func (.param .b64 r) hostwarp_device_work (.param .b64 kind, .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<5>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [kind]; ld.param.u64 %d2, [stream];\n"
    "    { .param .b64 n; .param .b64 m; st.param.b64 [n], 72; call (m), hostwarp_device_entry, (n); ld.param.b64 %d3, [m]; }\n"
    "    st.param.b64 [r], %d3;\n"
    "    setp.eq.u64 %p, %d3, 0;\n"
    "    @%p ret;\n"
    "    shl.b64 %d4, %d1, 32;\n"
    "    st.u64 [%d3+8], %d4; st.u64 [%d3+56], %d2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) hostwarp_device_fill (.param .b64 to, .param .b64 pitch, .param .b32 value, .param .b64 width, .param .b64 rows, "
    ".param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<8>; .reg .b32 %r<3>; .reg .pred %p<3>;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u64 %d2, [pitch]; ld.param.u32 %r1, [value]; ld.param.u64 %d3, [width]; ld.param.u64 %d4, [rows];\n"
    "    ld.param.u64 %d5, [stream];\n"
    "    setp.gt.u64 %p1, %d4, 1; setp.gt.u64 %p2, %d3, %d2; and.pred %p1, %p1, %p2;\n"
    "    mov.u32 %r2, 12;\n"
    "    @%p1 bra out;\n"
    "    { .param .b64 k; .param .b64 s; .param .b64 m; st.param.b64 [k], 2; st.param.b64 [s], %d5;\n"
    "      call (m), hostwarp_device_work, (k, s); ld.param.b64 %d6, [m]; }\n"
    "    mov.u32 %r2, 69;\n"
    "    setp.eq.u64 %p1, %d6, 0;\n"
    "    @%p1 bra out;\n"
    "    cvt.u64.u32 %d7, %r1; and.b64 %d7, %d7, 255;\n"
    "    st.u64 [%d6+64], %d1; st.u64 [%d6+72], %d2; st.u64 [%d6+80], %d7; st.u64 [%d6+88], %d3; st.u64 [%d6+96], %d4;\n"
    "    { .param .b64 e; st.param.b64 [e], %d6; call hostwarp_device_push, (e); }\n"
    "    mov.u32 %r2, 0;\n"
    "out:\n"
    "    st.param.b32 [r], %r2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) hostwarp_device_box (.param .b64 to, .param .b64 pitch, .param .b64 slice, .param .b64 from, .param .b64 from_pitch, "
    ".param .b64 from_slice, .param .b64 width, .param .b64 rows, .param .b64 slices, .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<12>; .reg .b32 %r<2>; .reg .pred %p<4>;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u64 %d2, [pitch]; ld.param.u64 %d3, [slice]; ld.param.u64 %d4, [from]; ld.param.u64 %d5, [from_pitch];\n"
    "    ld.param.u64 %d6, [from_slice]; ld.param.u64 %d7, [width]; ld.param.u64 %d8, [rows]; ld.param.u64 %d9, [slices]; ld.param.u64 %d10, [stream];\n"
    "    setp.gt.u64 %p1, %d8, 1; setp.gt.u64 %p2, %d7, %d2; setp.gt.u64 %p3, %d7, %d5;\n"
    "    or.pred %p2, %p2, %p3; and.pred %p1, %p1, %p2;\n"
    "    mov.u32 %r1, 12;\n"
    "    @%p1 bra out;\n"
    "    { .param .b64 k; .param .b64 s; .param .b64 m; st.param.b64 [k], 1; st.param.b64 [s], %d10;\n"
    "      call (m), hostwarp_device_work, (k, s); ld.param.b64 %d11, [m]; }\n"
    "    mov.u32 %r1, 69;\n"
    "    setp.eq.u64 %p1, %d11, 0;\n"
    "    @%p1 bra out;\n"
    "    st.u64 [%d11+64], %d1; st.u64 [%d11+72], %d2; st.u64 [%d11+80], %d3; st.u64 [%d11+88], %d4; st.u64 [%d11+96], %d5;\n"
    "    st.u64 [%d11+104], %d6; st.u64 [%d11+112], %d7; st.u64 [%d11+120], %d8; st.u64 [%d11+128], %d9;\n"
    "    { .param .b64 e; st.param.b64 [e], %d11; call hostwarp_device_push, (e); }\n"
    "    mov.u32 %r1, 0;\n"
    "out:\n"
    "    st.param.b32 [r], %r1;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "MemsetAsync (.param .b64 to, .param .b32 value, .param .b64 bytes, .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<4>; .reg .b32 %r<3>;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u32 %r1, [value]; ld.param.u64 %d2, [bytes]; ld.param.u64 %d3, [stream];\n"
    "    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; .param .b64 s; .param .b32 m;\n"
    "      st.param.b64 [a], %d1; st.param.b64 [b], %d2; st.param.b32 [c], %r1; st.param.b64 [d], %d2; st.param.b64 [e], 1; st.param.b64 [s], %d3;\n"
    "      call (m), hostwarp_device_fill, (a, b, c, d, e, s); ld.param.b32 %r2, [m]; }\n"
    "    st.param.b32 [r], %r2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " CALL_2D("Memset") " (.param .b64 to, .param .b64 pitch, .param .b32 value, .param .b64 width, .param .b64 rows, "
    ".param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<6>; .reg .b32 %r<3>;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u64 %d2, [pitch]; ld.param.u32 %r1, [value]; ld.param.u64 %d3, [width]; ld.param.u64 %d4, [rows];\n"
    "    ld.param.u64 %d5, [stream];\n"
    "    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; .param .b64 s; .param .b32 m;\n"
    "      st.param.b64 [a], %d1; st.param.b64 [b], %d2; st.param.b32 [c], %r1; st.param.b64 [d], %d3; st.param.b64 [e], %d4; st.param.b64 [s], %d5;\n"
    "      call (m), hostwarp_device_fill, (a, b, c, d, e, s); ld.param.b32 %r2, [m]; }\n"
    "    st.param.b32 [r], %r2;\n"
    "    ret;\n"
    "}\n"
    /* a slice at a time: pointer, pitch, xsize, ysize; width, height, depth */
    ".visible .func (.param .b32 r) " PREFIX "Memset3DAsync (.param .align 8 .b8 p[32], .param .b32 value, .param .align 8 .b8 box[24], .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<9>; .reg .b32 %r<3>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [p]; ld.param.u64 %d2, [p+8]; ld.param.u64 %d3, [p+24]; ld.param.u32 %r1, [value];\n"
    "    ld.param.u64 %d4, [box]; ld.param.u64 %d5, [box+8]; ld.param.u64 %d6, [box+16]; ld.param.u64 %d7, [stream];\n"
    "    mul.lo.u64 %d3, %d3, %d2;\n"
    "    mov.u32 %r2, 0;\n"
    "again:\n"
    "    setp.eq.u64 %p, %d6, 0;\n"
    "    @%p bra out;\n"
    "    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; .param .b64 s; .param .b32 m;\n"
    "      st.param.b64 [a], %d1; st.param.b64 [b], %d2; st.param.b32 [c], %r1; st.param.b64 [d], %d4; st.param.b64 [e], %d5; st.param.b64 [s], %d7;\n"
    "      call (m), hostwarp_device_fill, (a, b, c, d, e, s); ld.param.b32 %r2, [m]; }\n"
    "    add.u64 %d1, %d1, %d3;\n"
    "    sub.u64 %d6, %d6, 1;\n"
    "    setp.eq.u32 %p, %r2, 0;\n"
    "    @%p bra again;\n"
    "out:\n"
    "    st.param.b32 [r], %r2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " CALL_2D("Memcpy") " (.param .b64 to, .param .b64 pitch, .param .b64 from, .param .b64 from_pitch, .param .b64 width, "
    ".param .b64 rows, .param .b32 kind, .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<8>; .reg .b32 %r<2>;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u64 %d2, [pitch]; ld.param.u64 %d3, [from]; ld.param.u64 %d4, [from_pitch]; ld.param.u64 %d5, [width];\n"
    "    ld.param.u64 %d6, [rows]; ld.param.u64 %d7, [stream];\n"
    "    { .param .b64 a; .param .b64 b; .param .b64 c; .param .b64 d; .param .b64 e; .param .b64 f; .param .b64 g; .param .b64 h; .param .b64 i; .param .b64 s;\n"
    "      .param .b32 m; st.param.b64 [a], %d1; st.param.b64 [b], %d2; st.param.b64 [c], 0; st.param.b64 [d], %d3; st.param.b64 [e], %d4;\n"
    "      st.param.b64 [f], 0; st.param.b64 [g], %d5; st.param.b64 [h], %d6; st.param.b64 [i], 1; st.param.b64 [s], %d7;\n"
    "      call (m), hostwarp_device_box, (a, b, c, d, e, f, g, h, i, s); ld.param.b32 %r1, [m]; }\n"
    "    st.param.b32 [r], %r1;\n"
    "    ret;\n"
    "}\n"
    /* cudaMemcpy3DParms: for each side array, x, y, z, pointer, pitch, xsize, ysize; then width, height, depth */
    ".visible .func (.param .b32 r) " PREFIX "Memcpy3DAsync (.param .b64 p, .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<20>; .reg .b32 %r<2>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [p]; ld.param.u64 %d2, [stream];\n"
    "    ld.u64 %d3, [%d1]; ld.u64 %d4, [%d1+64]; or.b64 %d3, %d3, %d4;\n"
    "    mov.u32 %r1, 1;\n"
    "    setp.ne.u64 %p, %d3, 0;\n"
    "    @%p bra out;\n"
    "    ld.u64 %d5, [%d1+8]; ld.u64 %d6, [%d1+16]; ld.u64 %d7, [%d1+24]; ld.u64 %d8, [%d1+32]; ld.u64 %d9, [%d1+40]; ld.u64 %d10, [%d1+56];\n"
    "    mul.lo.u64 %d10, %d10, %d9; mad.lo.u64 %d8, %d7, %d10, %d8; mad.lo.u64 %d8, %d6, %d9, %d8; add.u64 %d8, %d8, %d5;\n"
    "    ld.u64 %d11, [%d1+72]; ld.u64 %d12, [%d1+80]; ld.u64 %d13, [%d1+88]; ld.u64 %d14, [%d1+96]; ld.u64 %d15, [%d1+104]; ld.u64 %d16, [%d1+120];\n"
    "    mul.lo.u64 %d16, %d16, %d15; mad.lo.u64 %d14, %d13, %d16, %d14; mad.lo.u64 %d14, %d12, %d15, %d14; add.u64 %d14, %d14, %d11;\n"
    "    ld.u64 %d17, [%d1+128]; ld.u64 %d18, [%d1+136]; ld.u64 %d19, [%d1+144];\n"
    "    { .param .b64 a; .param .b64 b; .param .b64 c; .param .b64 d; .param .b64 e; .param .b64 f; .param .b64 g; .param .b64 h; .param .b64 i; .param .b64 s;\n"
    "      .param .b32 m; st.param.b64 [a], %d14; st.param.b64 [b], %d15; st.param.b64 [c], %d16; st.param.b64 [d], %d8; st.param.b64 [e], %d9;\n"
    "      st.param.b64 [f], %d10; st.param.b64 [g], %d17; st.param.b64 [h], %d18; st.param.b64 [i], %d19; st.param.b64 [s], %d2;\n"
    "      call (m), hostwarp_device_box, (a, b, c, d, e, f, g, h, i, s); ld.param.b32 %r1, [m]; }\n"
    "out:\n"
    "    st.param.b32 [r], %r1;\n"
    "    ret;\n"
    "}\n";

/* An event of a kernel measures no time: without cudaEventDisableTiming (2) there is none. */
static const char event_functions[] =
    ".visible .func (.param .b32 r) " PREFIX "EventCreateWithFlags (.param .b64 out, .param .b32 flags)\n"
    "{\n"
    "    .reg .b64 %d<2>; .reg .b32 %r<3>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [out]; ld.param.u32 %r1, [flags];\n"
    "    setp.ne.u32 %p, %r1, 2;\n"
    "    selp.b32 %r2, 1, 0, %p;\n"
    "    @!%p st.u64 [%d1], 32;\n"
    "    st.param.b32 [r], %r2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "EventDestroy (.param .b64 e)\n{\n    st.param.b32 [r], 0;\n    ret;\n}\n"
    ".visible .func (.param .b32 r) " PREFIX "EventRecord (.param .b64 e, .param .b64 s)\n{\n    st.param.b32 [r], 0;\n    ret;\n}\n"
    ".visible .func (.param .b32 r) " PREFIX "EventRecordWithFlags (.param .b64 e, .param .b64 s, .param .b32 f)\n{\n    st.param.b32 [r], 0;\n    ret;\n}\n"
    ".visible .func (.param .b32 r) " PREFIX "StreamWaitEvent (.param .b64 s, .param .b64 e, .param .b32 f)\n{\n    st.param.b32 [r], 0;\n    ret;\n}\n";

/* The old form: room for the parameters first, then what to launch with them. [44] of the entry holds the size that was asked for. */
static const char old_launch[] =
    ".visible .func (.param .b64 r) " PREFIX "GetParameterBuffer (.param .b64 alignment, .param .b64 bytes)\n"
    "{\n"
    "    .reg .b64 %d<4>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [bytes];\n"
    "    { .param .b64 n; .param .b64 m; st.param.b64 [n], %d1; call (m), hostwarp_device_entry, (n); ld.param.b64 %d2, [m]; }\n"
    "    setp.eq.u64 %p, %d2, 0;\n"
    "    @!%p st.u32 [%d2+44], %d1;\n"
    "    @!%p add.u64 %d2, %d2, 64;\n"
    "    st.param.b64 [r], %d2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "LaunchDevice (.param .b64 f, .param .b64 buffer, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], "
    ".param .b32 s, .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<6>; .reg .b32 %r<12>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [f]; ld.param.u64 %d2, [buffer]; ld.param.u64 %d3, [stream]; ld.param.u32 %r7, [s];\n"
    "    ld.param.u32 %r1, [g]; ld.param.u32 %r2, [g+4]; ld.param.u32 %r3, [g+8];\n"
    "    ld.param.u32 %r4, [b]; ld.param.u32 %r5, [b+4]; ld.param.u32 %r6, [b+8];\n"
    "    mov.u32 %r8, 1;\n"
    "    setp.eq.u64 %p, %d2, 0;\n"
    "    @%p bra out;\n"
    "    sub.u64 %d2, %d2, 64;\n"
    "    ld.u32 %r9, [%d2+44]; shr.u64 %d4, %d1, 32; cvt.u32.u64 %r10, %d4;\n"
    "    setp.lt.u32 %p, %r9, %r10;\n"
    "    @%p bra out;\n"
    "    st.u64 [%d2+8], %d1; st.u64 [%d2+56], %d3;\n"
    "    st.u32 [%d2+16], %r1; st.u32 [%d2+20], %r2; st.u32 [%d2+24], %r3;\n"
    "    st.u32 [%d2+28], %r4; st.u32 [%d2+32], %r5; st.u32 [%d2+36], %r6; st.u32 [%d2+40], %r7;\n"
    "    { .param .b64 e; st.param.b64 [e], %d2; call hostwarp_device_push, (e); }\n"
    "    mov.u32 %r8, 0;\n"
    "out:\n"
    "    st.param.b32 [r], %r8;\n"
    "    ret;\n"
    "}\n";

/* The program has a name that ends here: not GetParameterBuffer where it has GetParameterBufferV2. */
static bool names(const char *text, const char *name)
{
    for (const char *p = text; (p = strstr(p, name)); p += strlen(name)) {
        const char *q = p + strlen(name);
        if (!(*q >= '0' && *q <= '9') && !(*q >= 'A' && *q <= 'Z') && !(*q >= 'a' && *q <= 'z') && *q != '_')
            return true;
    }
    return false;
}

void device_work_ptx(const char *text, struct hw_str *out)
{
    if (strstr(text, PREFIX "Memset") || strstr(text, PREFIX "Memcpy2D") || strstr(text, PREFIX "Memcpy3D"))
        hw_str_printf(out, "%s", memory_functions);
    if (strstr(text, PREFIX "Event") || strstr(text, PREFIX "StreamWaitEvent"))
        hw_str_printf(out, "%s", event_functions);
    if (names(text, PREFIX "GetParameterBuffer") || names(text, PREFIX "LaunchDevice"))
        hw_str_printf(out, "%s", old_launch);
}

/* All that it spans, gaps included, must be memory that the kernel could have touched itself. at: address, bytes from row to row and from slice to slice. */
static bool reachable(const uint64_t at[3], uint64_t width, uint64_t rows, uint64_t slices, bool writes)
{
    uint64_t span, part;
    if (!width || !rows || !slices)
        return true;
    if (__builtin_mul_overflow(rows - 1, at[1], &span) || __builtin_mul_overflow(slices - 1, at[2], &part) || __builtin_add_overflow(span, part, &span) ||
        __builtin_add_overflow(span, width, &span))
        return false;
    return exec_may_touch(NULL, at[0], span, writes);
}

CUresult device_work_cmd(uint32_t kind, const uint64_t *args, struct cmd **out)
{
    if (kind == WORK_FILL && !reachable((const uint64_t[3]){ args[0], args[1], 0 }, args[3], args[4], 1, true))
        return hw_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel fills memory at 0x%llx that it may not touch", (unsigned long long)args[0]);
    if (kind == WORK_FILL)
        return copy_fill_cmd(args[0], args[1], (uint32_t)args[2], 1, args[3], args[4], out);
    if (kind != WORK_COPY_BOX)
        return hw_refuse(CUDA_ERROR_LAUNCH_FAILED, "there is no work of kind %u: something wrote over it", kind);         /* something wrote over it */
    if (!reachable(args, args[6], args[7], args[8], true) || !reachable(args + 3, args[6], args[7], args[8], false))
        return hw_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel copies a box between memory that it may not touch");
    struct copy_request r = { .dst = { .side = COPY_DEVICE, .addr = args[0], .pitch = args[1], .slice = args[2] },
                              .src = { .side = COPY_DEVICE, .addr = args[3], .pitch = args[4], .slice = args[5] },
                              .width = args[6], .rows = args[7], .slices = args[8], .call = COPY_ASYNC };
    return copy_cmd(&r, out);
}
