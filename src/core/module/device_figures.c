/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels may ask about kernels and limits: attributes, occupancy. Functions in PTX over tables that are filled here. */
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/module/device_query.h"
#include "core/module/module.h"
#include "ir/ir.h"

#include <string.h>

#define PREFIX "__cudaCDP2"
#define LIMITS "hostwarp_device_limits"
#define FIGURES "hostwarp_device_figures"

/* ORDER device_figures. One row for each kernel of the module, in the order of their numbers. */
struct figures {
    uint32_t max_threads, shared_static, warp_regs, local_bytes, n_regs, ptx_version, binary_version, max_dynamic;
    int32_t carveout;
    uint32_t unused[7];
};
static_assert(sizeof(struct figures) == 64, "as in the PTX");
enum { LIMIT_ROWS = 16 };
#define NO_LIMIT UINT64_MAX

/* 215: cudaErrorUnsupportedLimit. */
static const char limit_function[] =
    ".visible .global .align 8 .b64 " LIMITS "[16];\n"
    ".visible .func (.param .b32 r) " PREFIX "DeviceGetLimit (.param .b64 out, .param .b32 limit)\n"
    "{\n"
    "    .reg .b64 %d<5>; .reg .b32 %r<3>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [out]; ld.param.u32 %r1, [limit];\n"
    "    mov.u32 %r2, 215;\n"
    "    setp.ge.u32 %p, %r1, 16;\n"
    "    @%p bra done;\n"
    "    mul.wide.u32 %d2, %r1, 8;\n"
    "    mov.u64 %d3, " LIMITS ";\n"
    "    add.u64 %d2, %d2, %d3;\n"
    "    ld.global.u64 %d4, [%d2];\n"
    "    setp.eq.u64 %p, %d4, -1;\n"
    "    @%p bra done;\n"
    "    st.u64 [%d1], %d4;\n"
    "    mov.u32 %r2, 0;\n"
    "done:\n"
    "    st.param.b32 [r], %r2;\n"
    "    ret;\n"
    "}\n";

/* Both are hints that this device does not have: no preference, banks of four bytes. */
static const char config_functions[] =
    ".visible .func (.param .b32 r) " PREFIX "DeviceGetCacheConfig (.param .b64 out)\n"
    "{\n    .reg .b64 %d<2>;\n    ld.param.u64 %d1, [out];\n    st.u32 [%d1], 0;\n    st.param.b32 [r], 0;\n    ret;\n}\n"
    ".visible .func (.param .b32 r) " PREFIX "DeviceGetSharedMemConfig (.param .b64 out)\n"
    "{\n    .reg .b64 %d<2>;\n    ld.param.u64 %d1, [out];\n    st.u32 [%d1], 1;\n    st.param.b32 [r], 0;\n    ret;\n}\n"
    ".visible .func (.param .b32 r) " PREFIX "RuntimeGetVersion (.param .b64 out)\n"
    "{\n    .reg .b64 %d<2>;\n    ld.param.u64 %d1, [out];\n    st.u32 [%d1], 12030;\n    st.param.b32 [r], 0;\n    ret;\n}\n";

/* 98: cudaErrorInvalidDeviceFunction. The row of a kernel: its address holds its number in the low half. */
static void figure_functions(struct hw_str *out, size_t kernels)
{
    hw_str_printf(out,
                  ".visible .global .align 8 .b32 " FIGURES "[%zu];\n"
                  ".visible .func (.param .b64 r) hostwarp_device_row (.param .b64 f)\n"
                  "{\n"
                  "    .reg .b64 %%d<4>; .reg .b32 %%r<3>; .reg .pred %%p;\n"
                  "    ld.param.u64 %%d1, [f];\n"
                  "    cvt.u32.u64 %%r1, %%d1;\n"
                  "    sub.u32 %%r1, %%r1, 1;\n"
                  "    mov.u64 %%d3, 0;\n"
                  "    setp.ge.u32 %%p, %%r1, %zu;\n"
                  "    @%%p bra done;\n"
                  "    mul.wide.u32 %%d2, %%r1, 64;\n"
                  "    mov.u64 %%d3, " FIGURES ";\n"
                  "    add.u64 %%d2, %%d2, %%d3;\n"
                  "    ld.global.u32 %%r2, [%%d2];\n"
                  "    setp.eq.u32 %%p, %%r2, 0;\n"
                  "    selp.b64 %%d3, 0, %%d2, %%p;\n"
                  "done:\n"
                  "    st.param.b64 [r], %%d3;\n"
                  "    ret;\n"
                  "}\n",
                  16 * kernels, kernels);
}

static const char attribute_function[] =
    ".visible .func (.param .b32 r) " PREFIX "FuncGetAttributes (.param .b64 out, .param .b64 f)\n"
    "{\n"
    "    .reg .b64 %d<5>; .reg .b32 %r<10>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [f];\n"
    "    { .param .b64 n; .param .b64 m; st.param.b64 [n], %d2; call (m), hostwarp_device_row, (n); ld.param.b64 %d3, [m]; }\n"
    "    mov.u32 %r9, 98;\n"
    "    setp.eq.u64 %p, %d3, 0;\n"
    "    @%p bra done;\n"
    "    ld.global.u32 %r1, [%d3]; ld.global.u32 %r2, [%d3+4]; ld.global.u32 %r3, [%d3+12]; ld.global.u32 %r4, [%d3+16];\n"
    "    ld.global.u32 %r5, [%d3+20]; ld.global.u32 %r6, [%d3+24]; ld.global.u32 %r7, [%d3+28]; ld.global.u32 %r8, [%d3+32];\n"
    "    cvt.u64.u32 %d4, %r2; st.u64 [%d1], %d4; st.u64 [%d1+8], 0; cvt.u64.u32 %d4, %r3; st.u64 [%d1+16], %d4;\n"
    "    st.u32 [%d1+24], %r1; st.u32 [%d1+28], %r4; st.u32 [%d1+32], %r5; st.u32 [%d1+36], %r6; st.u32 [%d1+40], 0; st.u32 [%d1+44], %r7;\n"
    "    st.u32 [%d1+48], %r8; st.u32 [%d1+52], 0; st.u32 [%d1+56], 0; st.u32 [%d1+60], 0; st.u32 [%d1+64], 0; st.u32 [%d1+68], 0; st.u32 [%d1+72], 0;\n"
    "    mov.u32 %r9, 0;\n"
    "done:\n"
    "    st.param.b32 [r], %r9;\n"
    "    ret;\n"
    "}\n";

/* launch_occupancy() in PTX. */
static void occupancy_functions(struct hw_str *out)
{
    hw_str_printf(out,
                  ".visible .func (.param .b32 r) " PREFIX "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags "
                  "(.param .b64 out, .param .b64 f, .param .b32 threads, .param .b64 shared, .param .b32 flags)\n"
                  "{\n"
                  "    .reg .b64 %%d<8>; .reg .b32 %%r<12>; .reg .pred %%p;\n"
                  "    ld.param.u64 %%d1, [out]; ld.param.u64 %%d2, [f]; ld.param.u32 %%r1, [threads]; ld.param.u64 %%d3, [shared]; ld.param.u32 %%r2, [flags];\n"
                  "    mov.u32 %%r9, 1;\n"
                  "    setp.le.s32 %%p, %%r1, 0;\n"
                  "    @%%p bra done;\n"
                  "    setp.gt.u32 %%p, %%r2, 1;\n"
                  "    @%%p bra done;\n"
                  "    mov.u32 %%r9, 98;\n"
                  "    { .param .b64 n; .param .b64 m; st.param.b64 [n], %%d2; call (m), hostwarp_device_row, (n); ld.param.b64 %%d4, [m]; }\n"
                  "    setp.eq.u64 %%p, %%d4, 0;\n"
                  "    @%%p bra done;\n"
                  "    mov.u32 %%r9, 0;\n"
                  "    mov.u32 %%r8, 0;\n"
                  "    ld.global.u32 %%r3, [%%d4]; ld.global.u32 %%r4, [%%d4+4]; ld.global.u32 %%r5, [%%d4+8];\n"
                  "    setp.gt.u32 %%p, %%r1, %%r3;\n"
                  "    @%%p bra store;\n"
                  "    setp.gt.u64 %%p, %%d3, %d;\n"
                  "    @%%p bra store;\n"
                  "    cvt.u64.u32 %%d5, %%r4; add.u64 %%d5, %%d5, %%d3;\n"
                  "    setp.gt.u64 %%p, %%d5, %d;\n"
                  "    @%%p bra store;\n"
                  "    add.u32 %%r6, %%r1, 31; shr.u32 %%r6, %%r6, 5;\n"                                     /* warps */
                  "    cvt.u32.u64 %%r7, %%d5; add.u32 %%r7, %%r7, %d; and.b32 %%r7, %%r7, -128;\n"          /* with what is reserved, rounded up */
                  "    mov.u32 %%r8, %d;\n"
                  "    shl.b32 %%r10, %%r6, 5; mov.u32 %%r11, %d; div.u32 %%r10, %%r11, %%r10; min.u32 %%r8, %%r8, %%r10;\n"
                  "    mov.u32 %%r11, %d; div.u32 %%r10, %%r11, %%r7; min.u32 %%r8, %%r8, %%r10;\n"
                  "    setp.eq.u32 %%p, %%r5, 0;\n"
                  "    @%%p bra store;\n"
                  "    mov.u32 %%r11, %d; div.u32 %%r10, %%r11, %%r5; shl.b32 %%r10, %%r10, 2; div.u32 %%r10, %%r10, %%r6; min.u32 %%r8, %%r8, %%r10;\n"
                  "store:\n"
                  "    st.u32 [%%d1], %%r8;\n"
                  "done:\n"
                  "    st.param.b32 [r], %%r9;\n"
                  "    ret;\n"
                  "}\n"
                  ".visible .func (.param .b32 r) " PREFIX "OccupancyMaxActiveBlocksPerMultiprocessor "
                  "(.param .b64 out, .param .b64 f, .param .b32 threads, .param .b64 shared)\n"
                  "{\n"
                  "    .reg .b64 %%d<4>; .reg .b32 %%r<3>;\n"
                  "    ld.param.u64 %%d1, [out]; ld.param.u64 %%d2, [f]; ld.param.u32 %%r1, [threads]; ld.param.u64 %%d3, [shared];\n"
                  "    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b32 e; .param .b32 m; st.param.b64 [a], %%d1; st.param.b64 [b], %%d2;\n"
                  "      st.param.b32 [c], %%r1; st.param.b64 [d], %%d3; st.param.b32 [e], 0;\n"
                  "      call (m), " PREFIX "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (a, b, c, d, e); ld.param.b32 %%r2, [m]; }\n"
                  "    st.param.b32 [r], %%r2;\n"
                  "    ret;\n"
                  "}\n",
                  DEVICE_SHARED_OPTIN, DEVICE_SHARED_OPTIN, DEVICE_SHARED_RESERVED + 127, DEVICE_BLOCKS_SM, DEVICE_THREADS_SM, DEVICE_SHARED_SM, DEVICE_REGS_SM / 4);
}

static size_t kernels_in(const char *text)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, ".entry")); p++)
        n++;
    return n;
}

void device_figures_ptx(const char *text, struct hw_str *out)
{
    bool attributes = strstr(text, PREFIX "FuncGetAttributes"), occupancy = strstr(text, PREFIX "Occupancy");
    if (strstr(text, PREFIX "DeviceGetLimit"))
        hw_str_printf(out, "%s", limit_function);
    if (strstr(text, PREFIX "DeviceGetCacheConfig") || strstr(text, PREFIX "DeviceGetSharedMemConfig") || strstr(text, PREFIX "RuntimeGetVersion"))
        hw_str_printf(out, "%s", config_functions);
    if (attributes || occupancy)
        figure_functions(out, kernels_in(text));
    if (attributes)
        hw_str_printf(out, "%s", attribute_function);
    if (occupancy)
        occupancy_functions(out);
}

static void fill_limits(struct ctx *ctx, uint64_t *limits)
{
    for (int i = 0; i < LIMIT_ROWS; i++) {
        size_t value;
        limits[i] = ctx_limit(ctx, (CUlimit)i, &value) ? NO_LIMIT : value;
    }
}

/* As function_attribute() answers; rows of what is no kernel stay zero. */
static void fill_row(struct function *f, struct figures *row)
{
    int version = 0;
    row->max_threads = f->max_threads;
    row->shared_static = f->shared_static;
    row->warp_regs = (uint32_t)hw_align_up((uint64_t)f->n_regs * DEVICE_WARP, 256);
    row->local_bytes = f->local_bytes;
    row->n_regs = f->n_regs;
    if (!function_attribute(f, CU_FUNC_ATTRIBUTE_PTX_VERSION, &version))
        row->ptx_version = (uint32_t)version;
    if (!function_attribute(f, CU_FUNC_ATTRIBUTE_BINARY_VERSION, &version))
        row->binary_version = (uint32_t)version;
    row->max_dynamic = (uint32_t)f->max_dynamic_shared;
    row->carveout = f->carveout;
}

static void *table_named(struct module *m, const char *name)
{
    for (size_t i = 0; m->ir && i < m->ir->vars.n; i++)
        if (strcmp(m->ir->vars.v[i]->name, name) == 0)
            return m->globals[i];
    return NULL;
}

void device_figures_limit(struct module *m, CUlimit limit, size_t value)
{
    uint64_t *limits = m->launches ? table_named(m, LIMITS) : NULL;
    if (limits && (unsigned)limit < LIMIT_ROWS)
        limits[limit] = value;
}

void device_figures_fill(struct module *m)
{
    uint64_t *limits = table_named(m, LIMITS);
    struct figures *rows = table_named(m, FIGURES);
    if (limits)
        fill_limits(m->ctx, limits);
    for (size_t k = 0; rows && k < m->n_functions; k++)
        fill_row(m->functions[k], &rows[k]);
}
