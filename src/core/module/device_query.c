/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels may ask of the runtime: errors by name and text, the device, its attributes. Functions in PTX over tables that are filled here. */
#include "core/module/device_query.h"

#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/module/module.h"
#include "ir/ir.h"

#include <string.h>

#define PREFIX "__cudaCDP2"
#define TABLE "hostwarp_device_table"

/* ORDER device_query. An attribute's value is at its number; what no attribute has as number holds the rest. */
enum { AT_ORDINAL = 0, AT_COUNT = 255, TABLE_WORDS = 256 };
#define NO_ATTRIBUTE INT32_MIN

struct error_row {
    int code;
    const char *name, *text;
};
static const struct error_row errors[] = {
#define ERROR(code, name, text) { code, #name, text },
#include <hostwarp/rt_errors.def>
#undef ERROR
};
static const char unknown[] = "unrecognized error code";

static uint32_t put_text(struct hw_str *bytes, uint32_t *at, const char *text)
{
    uint32_t start = *at;
    for (const char *p = text;; p++) {
        hw_str_printf(bytes, "%s%d", *at ? ", " : "", *p);
        ++*at;
        if (!*p)
            return start;
    }
}

/* column: where in a row of hostwarp_error_rows the place of the text is. */
static void error_function(struct hw_str *out, const char *name, int column, uint32_t otherwise)
{
    hw_str_printf(out,
                  ".visible .func (.param .b64 r) " PREFIX "%s (.param .b32 e)\n"
                  "{\n"
                  "    .reg .b64 %%d<4>; .reg .b32 %%r<5>; .reg .pred %%p;\n"
                  "    ld.param.u32 %%r1, [e];\n"
                  "    mov.u64 %%d1, hostwarp_error_rows;\n"
                  "    mov.u32 %%r2, 0;\n"
                  "    mov.u32 %%r4, %u;\n"
                  "again:\n"
                  "    ld.global.u32 %%r3, [%%d1];\n"
                  "    setp.eq.u32 %%p, %%r3, %%r1;\n"
                  "    @%%p bra found;\n"
                  "    add.u64 %%d1, %%d1, 12;\n"
                  "    add.u32 %%r2, %%r2, 1;\n"
                  "    setp.lt.u32 %%p, %%r2, %zu;\n"
                  "    @%%p bra again;\n"
                  "    bra out;\n"
                  "found:\n"
                  "    ld.global.u32 %%r4, [%%d1+%d];\n"
                  "out:\n"
                  "    mov.u64 %%d2, hostwarp_error_texts;\n"
                  "    cvt.u64.u32 %%d3, %%r4;\n"
                  "    add.u64 %%d2, %%d2, %%d3;\n"
                  "    cvta.global.u64 %%d2, %%d2;\n"
                  "    st.param.b64 [r], %%d2;\n"
                  "    ret;\n"
                  "}\n",
                  name, otherwise, HW_LEN(errors), column);
}

static void error_functions(struct hw_str *out)
{
    struct hw_str bytes = { 0 };
    uint32_t at = 0, otherwise = put_text(&bytes, &at, unknown);
    hw_str_printf(out, ".visible .global .align 4 .b32 hostwarp_error_rows[%zu] = {", 3 * HW_LEN(errors));
    for (size_t i = 0; i < HW_LEN(errors); i++) {
        uint32_t name = put_text(&bytes, &at, errors[i].name), text = put_text(&bytes, &at, errors[i].text);
        hw_str_printf(out, "%s%d, %u, %u", i ? ", " : "", errors[i].code, name, text);
    }
    hw_str_printf(out, "};\n.visible .global .align 1 .b8 hostwarp_error_texts[%u] = {%s};\n", at, bytes.s);
    hw_str_fini(&bytes);
    error_function(out, "GetErrorName", 4, otherwise);
    error_function(out, "GetErrorString", 8, otherwise);
}

/* ORDER device_query. 1 and 101: cudaErrorInvalidValue, cudaErrorInvalidDevice. */
static const char device_functions[] =
    ".visible .global .align 4 .b32 " TABLE "[256];\n"
    ".visible .func (.param .b32 r) " PREFIX "GetDevice (.param .b64 out)\n"
    "{\n"
    "    .reg .b64 %d<2>; .reg .b32 %r<2>;\n"
    "    ld.param.u64 %d1, [out];\n"
    "    ld.global.u32 %r1, [" TABLE "];\n"
    "    st.u32 [%d1], %r1;\n"
    "    st.param.b32 [r], 0;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "GetDeviceCount (.param .b64 out)\n"
    "{\n"
    "    .reg .b64 %d<2>; .reg .b32 %r<2>;\n"
    "    ld.param.u64 %d1, [out];\n"
    "    ld.global.u32 %r1, [" TABLE "+1020];\n"
    "    st.u32 [%d1], %r1;\n"
    "    st.param.b32 [r], 0;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "DeviceGetAttribute (.param .b64 out, .param .b32 attribute, .param .b32 device)\n"
    "{\n"
    "    .reg .b64 %d<4>; .reg .b32 %r<6>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [out]; ld.param.u32 %r1, [attribute]; ld.param.u32 %r2, [device];\n"
    "    mov.u32 %r5, 101;\n"
    "    ld.global.u32 %r3, [" TABLE "];\n"
    "    setp.ne.u32 %p, %r2, %r3;\n"
    "    @%p bra done;\n"
    "    mov.u32 %r5, 1;\n"
    "    sub.u32 %r4, %r1, 1;\n"
    "    setp.ge.u32 %p, %r4, 254;\n"
    "    @%p bra done;\n"
    "    mul.wide.u32 %d2, %r1, 4;\n"
    "    mov.u64 %d3, " TABLE ";\n"
    "    add.u64 %d2, %d2, %d3;\n"
    "    ld.global.u32 %r4, [%d2];\n"
    "    setp.eq.u32 %p, %r4, 0x80000000;\n"
    "    @%p bra done;\n"
    "    st.u32 [%d1], %r4;\n"
    "    mov.u32 %r5, 0;\n"
    "done:\n"
    "    st.param.b32 [r], %r5;\n"
    "    ret;\n"
    "}\n";

void device_query_ptx(const char *text, struct hw_str *out)
{
    if (strstr(text, PREFIX "GetError"))
        error_functions(out);
    if (strstr(text, PREFIX "GetDevice") || strstr(text, PREFIX "DeviceGetAttribute"))
        hw_str_printf(out, "%s", device_functions);
    device_figures_ptx(text, out);
}

void device_query_fill(struct module *m)
{
    int32_t *table = NULL;
    for (size_t i = 0; i < m->ir->vars.n && !table; i++)
        if (strcmp(m->ir->vars.v[i]->name, TABLE) == 0 && m->ir->vars.v[i]->bytes >= TABLE_WORDS * sizeof *table)
            table = m->globals[i];
    if (!table)
        return;
    for (int i = 0; i < TABLE_WORDS; i++)
        if (device_attribute(m->ctx->dev, i, &table[i]))
            table[i] = NO_ATTRIBUTE;
    table[AT_ORDINAL] = m->ctx->dev->ordinal;
    table[AT_COUNT] = device_count();
}
