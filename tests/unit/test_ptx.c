/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX reader: images, versions, the shape of the parsed module, speed. What instructions become is in tests/golden. */
#include "base/os.h"
#include "base/str.h"
#include "ptx/module.h"

#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <zstd.h>

#include <cmocka.h>

static const char header[] = ".version 8.3\n.target sm_80\n.address_size 64\n";

static enum ptx_status parse(const char *body, struct ptx_module **out, char *message, size_t bytes)
{
    struct diag diag = { 0 };
    char *text = hw_sprintf("%s%s", header, body);
    *out = NULL;
    enum ptx_status rc = ptx_parse(text, strlen(text), &diag, out);
    snprintf(message, bytes, "%s", diag.text.s ? diag.text.s : "");
    diag_fini(&diag);
    hw_free(text);
    return rc;
}

/* What an H200's driver answers (oracle, driver probe). */
static void images_get_the_status_the_driver_gives(void **state)
{
    static const struct {
        const char *why, *text;
        enum ptx_status want;
    } cases[] = {
        { "garbage", "not ptx at all", PTX_BAD_IMAGE },
        { "nothing", "", PTX_BAD_IMAGE },
        { "unknown instruction", ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { frobnicate.u32 %r1; }\n", PTX_BAD_PTX },
        { "newer version", ".version 99.0\n.target sm_50\n.address_size 64\n", PTX_BAD_VERSION },
        { "newer target", ".version 8.8\n.target sm_121\n.address_size 64\n.visible .entry k() { ret; }\n", PTX_BAD_PTX },
        { "fine", "// x\n/* y */ .version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n", PTX_OK },
    };
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        struct diag diag = { 0 };
        struct ptx_module *m = NULL;
        char *text = NULL;
        size_t n = 0;
        enum ptx_status rc = ptx_image_text(cases[i].text, SIZE_MAX, 80, &diag, &text, &n);
        if (!rc)
            rc = ptx_parse(text, n, &diag, &m);
        if (rc != cases[i].want)
            print_error("%s: status %d, not %d: %s\n", cases[i].why, rc, cases[i].want, diag.text.s);
        assert_int_equal(rc, cases[i].want);
        assert_int_equal(rc != PTX_OK, diag.n_errors > 0);
        ptx_module_free(m);
        hw_free(text);
        diag_fini(&diag);
    }
}

/* A fatbin with one entry per element of sms; the text names its sm. */
static char *make_fatbin(const unsigned *sms, const char *packing, size_t n, size_t *out_bytes)
{
    char *image = hw_alloc(1 << 16), text[256], packed[512];
    size_t at = 16;
    for (size_t i = 0; i < n; i++) {
        size_t text_bytes = (size_t)snprintf(text, sizeof text, ".version 7.8\n.target sm_%u\n// padding padding padding padding\n", sms[i]) + 1;
        size_t bytes = text_bytes;
        uint64_t flags = 0x11, size;
        uint32_t header_bytes = 64;
        memcpy(packed, text, text_bytes);
        if (packing[i] == 'l') {
            bytes = (size_t)LZ4_compress_default(text, packed, (int)text_bytes, sizeof packed);
            flags |= 0x2000;
        } else if (packing[i] == 'z') {
            bytes = ZSTD_compress(packed, sizeof packed, text, text_bytes, 3);
            flags |= 0x8000;
        }
        size = hw_align_up(bytes, 8);
        uint16_t kind = packing[i] == 'e' ? 2 : 1;
        uint32_t packed_bytes = (uint32_t)bytes;
        uint64_t full = text_bytes;
        memcpy(image + at, &kind, 2);
        memcpy(image + at + 4, &header_bytes, 4);
        memcpy(image + at + 8, &size, 8);
        memcpy(image + at + 16, &packed_bytes, 4);
        memcpy(image + at + 28, &sms[i], 4);
        memcpy(image + at + 40, &flags, 8);
        memcpy(image + at + 56, &full, 8);
        memcpy(image + at + 64, packed, bytes);
        at += 64 + size;
    }
    uint32_t magic = 0xba55ed50u, head = 1 | 16u << 16;
    uint64_t follow = at - 16;
    memcpy(image, &magic, 4);
    memcpy(image + 4, &head, 4);
    memcpy(image + 8, &follow, 8);
    *out_bytes = at;
    return image;
}

static void fatbins_give_the_best_ptx_that_the_device_can_run(void **state)
{
    static const struct {
        unsigned sms[3];
        const char *packing;     /* p plain, l LZ4, z zstd, e machine code */
        enum ptx_status want;
        const char *text;
    } cases[] = {
        { { 50, 80, 70 }, "plz", PTX_OK, "sm_80" },  { { 50, 90, 70 }, "plz", PTX_OK, "sm_70" },
        { { 80, 75, 90 }, "ezp", PTX_OK, "sm_75" },  { { 80, 86, 90 }, "eee", PTX_NO_PTX, NULL },
        { { 90, 100, 80 }, "ppe", PTX_NO_PTX, NULL },
    };
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        struct diag diag = { 0 };
        char *text = NULL;
        size_t n = 0, bytes;
        char *image = make_fatbin(cases[i].sms, cases[i].packing, 3, &bytes);
        assert_int_equal(ptx_image_text(image, bytes, 80, &diag, &text, &n), cases[i].want);
        if (cases[i].text) {
            assert_non_null(strstr(text, cases[i].text));
            assert_int_equal(n, strlen(text));
        } else {
            assert_non_null(strstr(diag.text.s, "-gencode arch=compute_80,code=compute_80"));
        }
        struct {
            uint32_t magic, version;
            void *data, *unused;
        } wrapper = { 0x466243b1u, 1, image, NULL };
        hw_free(text);
        text = NULL;
        assert_int_equal(ptx_image_text(&wrapper, SIZE_MAX, 80, &diag, &text, &n), cases[i].want);
        hw_free(text);
        hw_free(image);
        diag_fini(&diag);
    }
}

static void damaged_fatbins_are_errors(void **state)
{
    static const unsigned sms[] = { 80, 70 };
    size_t bytes;
    char *image = make_fatbin(sms, "lz", 2, &bytes);
    for (size_t n = 0; n < bytes; n++) {                 /* cut off anywhere */
        struct diag diag = { 0 };
        char *copy = hw_alloc(n + 1), *text = NULL;
        size_t text_bytes;
        memcpy(copy, image, n);
        copy = hw_realloc(copy, n ? n : 1);
        assert_int_not_equal(ptx_image_text(copy, n, 80, &diag, &text, &text_bytes), PTX_OK);
        assert_true(diag.n_errors > 0);
        hw_free(copy);
        diag_fini(&diag);
    }
    for (size_t at = 0; at < bytes; at++) {              /* any byte wrong: an error or some text, never a crash */
        struct diag diag = { 0 };
        char *text = NULL;
        size_t text_bytes;
        char was = image[at];
        image[at] = (char)~was;
        if (ptx_image_text(image, bytes, 80, &diag, &text, &text_bytes) != PTX_OK)
            assert_true(diag.n_errors > 0);
        image[at] = was;
        hw_free(text);
        diag_fini(&diag);
    }
    hw_free(image);
}

static void parameters_are_laid_out_with_their_alignment(void **state)
{
    struct ptx_module *m;
    char message[500];
    assert_int_equal(parse(".entry k(.param .u8 a, .param .u64 b, .param .align 4 .b8 c[6], .param .u16 d, .param .align 16 .b8 e[3]) { ret; }",
                           &m, message, sizeof message), PTX_OK);
    static const uint64_t want[] = { 0, 8, 16, 22, 32 };
    assert_int_equal(m->funcs.n, 1);
    assert_int_equal(m->funcs.v[0]->params.n, HW_LEN(want));
    for (size_t i = 0; i < HW_LEN(want); i++)
        assert_int_equal(m->funcs.v[0]->params.v[i]->offset, want[i]);
    assert_int_equal(m->funcs.v[0]->param_bytes, 35);
    ptx_module_free(m);
}

static void every_row_of_the_table_can_be_named(void **state)
{
    struct ptx_module *m;
    char message[500];
    assert_int_equal(parse("", &m, message, sizeof message), PTX_OK);      /* builds the tables */
    for (unsigned f = 1; f < PTX_FORM_COUNT; f++) {
        assert_true(ptx_form_info[f].version >= 10 && ptx_form_info[f].version <= 90);
        assert_true(ptx_form_info[f].sm >= 10 && ptx_form_info[f].sm <= 120);
        assert_true(*ptx_form_info[f].op != 0);
    }
    ptx_module_free(m);
}

static void modifiers_may_come_in_more_than_one_order(void **state)
{
    struct ptx_module *m;
    char message[500];
    assert_int_equal(parse(".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
                           "atom.global.sys.add.u32 %r1, [%rd1], 1;\natom.add.release.gpu.u32 %r1, [%rd1], 1;\natom.release.gpu.global.add.u32 %r1, [%rd1], 1; }",
                           &m, message, sizeof message), PTX_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(m->funcs.v[0]->insts.v[i].form, PTX_ATOM);
    assert_int_equal(ptx_mod_of(&m->funcs.v[0]->insts.v[0], PTX_C_SCOPE), PTX_M_SYS);
    assert_int_equal(ptx_mod_of(&m->funcs.v[0]->insts.v[1], PTX_C_ATOMSEM), PTX_M_RELEASE);
    ptx_module_free(m);
}

static void numbers_mean_what_they_say(void **state)
{
    static const struct {
        const char *text;
        int64_t want;
    } cases[] = {
        { "0", 0 }, { "017", 15 }, { "0x1F", 31 }, { "0b101", 5 }, { "4294967295U", 4294967295 }, { "-1", -1 }, { "~0", -1 }, { "1 + 2 * 3", 7 },
        { "(1 + 2) * 3", 9 }, { "1 << 4 | 1", 17 }, { "7 / 2", 3 }, { "-7 / 2", -3 }, { "-7 % 4", -3 }, { "5 > 3 ? 10 : 20", 10 },
        { "(!5)", 0 }, { "0xffffffffffffffff / 2", 0x7fffffffffffffff }, { "(.s64) 0xffffffffffffffff / 2", 0 }, { "WARP_SZ", 32 },
        { "0x8000000000000000 / -1", 0 }, { "1 == 1 && 2 != 3", 1 }, { "0 ? 1 : 0 ? 2 : 3", 3 }, { "0 ? 1 : 1 ? 2 : 3", 2 }, { "1 ? 1 : 1 ? 2 : 3", 1 },
        { "1 ? 0 ? 4 : 5 : 6", 5 }, { "2 + (0 ? 1 : 7)", 9 },
    };
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        struct ptx_module *m;
        char message[500], body[200];
        snprintf(body, sizeof body, ".entry k() { .reg .b64 %%rd; mov.b64 %%rd, %s; }", cases[i].text);
        enum ptx_status rc = parse(body, &m, message, sizeof message);
        if (rc)
            print_error("%s: %s\n", cases[i].text, message);
        assert_int_equal(rc, PTX_OK);
        if (m->funcs.v[0]->insts.v[0].ops[1].imm != cases[i].want)
            print_error("%s = %lld, not %lld\n", cases[i].text, (long long)m->funcs.v[0]->insts.v[0].ops[1].imm, (long long)cases[i].want);
        assert_true(m->funcs.v[0]->insts.v[0].ops[1].imm == cases[i].want);
        ptx_module_free(m);
    }
}

/* before, then n times each of the others. */
static enum ptx_status parse_long(const char *a, const char *middle, const char *b, size_t n)
{
    struct hw_str text = { 0 };
    struct ptx_module *m = NULL;
    char message[500];
    hw_str_puts(&text, ".global .u32 x = ");
    for (size_t i = 0; i < n; i++)
        hw_str_puts(&text, a);
    hw_str_puts(&text, middle);
    for (size_t i = 0; i < n; i++)
        hw_str_puts(&text, b);
    hw_str_puts(&text, ";\n.entry k() { ret; }");
    enum ptx_status rc = parse(text.s, &m, message, sizeof message);
    ptx_module_free(m);
    hw_str_fini(&text);
    return rc;
}

static void a_million_conditions_are_a_chain_or_an_error(void **state)
{
    assert_int_equal(parse_long("0 ? 1 : ", "2", "", 1000000), PTX_OK);
    assert_int_equal(parse_long("1?", "1", ":2", 20), PTX_OK);
    assert_int_not_equal(parse_long("1?", "1", ":2", 1000000), PTX_OK);
    assert_int_not_equal(parse_long("(", "1", ")", 1000000), PTX_OK);
    assert_int_not_equal(parse_long("-", "1", "", 1000000), PTX_OK);
}

static void a_declaration_and_its_definition_are_one_function(void **state)
{
    struct ptx_module *m;
    char message[500];
    assert_int_equal(parse(".func f(.param .b32 a);\n.entry k() { .param .b32 x; st.param.b32 [x], 1; call f, (x); ret; }\n"
                           ".func f(.param .b32 a) { ret; }", &m, message, sizeof message), PTX_OK);
    const struct ptx_func *called = m->funcs.v[1]->insts.v[1].ops[1].func;
    assert_string_equal(called->name, "f");
    assert_true(called->has_body);
    ptx_module_free(m);
}

static void at_most_so_many_messages_are_kept(void **state)
{
    struct ptx_module *m;
    struct hw_str body = { 0 };
    char message[8000];
    hw_str_puts(&body, ".entry k() {\n");
    for (int i = 0; i < 200; i++)
        hw_str_puts(&body, "bogus;\n");
    hw_str_puts(&body, "}\n");
    assert_int_equal(parse(body.s, &m, message, sizeof message), PTX_BAD_PTX);
    assert_non_null(strstr(message, "line 5:1: error: unknown instruction 'bogus'"));
    assert_true(strlen(message) < 4000);
    hw_str_fini(&body);
}

/* 1 MB takes about 20 ms here; the limit only catches an algorithm gone wrong, also in a sanitizer build. */
static void a_megabyte_is_read_quickly(void **state)
{
    struct hw_str body = { 0 };
    struct diag diag = { 0 };
    struct ptx_module *m = NULL;
    hw_str_puts(&body, header);
    hw_str_puts(&body, ".entry k() {\n.reg .b32 %r<30000>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n");
    for (int i = 0; body.n < 1 << 20; i++)
        hw_str_printf(&body, "L%d:\nadd.s32 %%r%d, %%r%d, 17;\nfma.rn.ftz.f32 %%f1, %%f2, 0f3F800000, %%f3;\nld.global.nc.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%rd1+%d];\n"
                      "@%%p1 bra L%d;\n", i, i % 30000, (i + 1) % 30000, i, i / 2);
    hw_str_puts(&body, "}\n");
    uint64_t start = hw_now_ns();
    assert_int_equal(ptx_parse(body.s, body.n, &diag, &m), PTX_OK);
    uint64_t ns = hw_now_ns() - start;
    print_message("%zu bytes in %.1f ms\n", body.n, (double)ns / 1e6);
    assert_true(ns < 2000000000u);
    ptx_module_free(m);
    hw_str_fini(&body);
    diag_fini(&diag);
}

/* By the text alone, whatever target it is for: declarations, calls and parameters with the name are none. */
static void definitions_are_found_in_texts_for_unknown_targets(void **state)
{
    assert_true(ptx_text_defines(".target sm_999\n.visible .func (.param .b32 r) lib_f(\n.param .b64 lib_f_param_0\n)\n{\nret;\n}\n", "lib_"));
    assert_true(ptx_text_defines(".extern .func a;\n.weak .func lib_g()\n{ ret; }", "lib_"));
    assert_false(ptx_text_defines(".extern .func (.param .b32 r) lib_f(.param .b64 p);\n.visible .func user() { call (r), lib_f, (p); }", "lib_"));
    assert_false(ptx_text_defines(".func user(.param .b64 my_lib_x) { ret; }", "lib_"));
    assert_false(ptx_text_defines("", "lib_"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_are_found_in_texts_for_unknown_targets),
        cmocka_unit_test(images_get_the_status_the_driver_gives),
        cmocka_unit_test(fatbins_give_the_best_ptx_that_the_device_can_run),
        cmocka_unit_test(damaged_fatbins_are_errors),
        cmocka_unit_test(parameters_are_laid_out_with_their_alignment),
        cmocka_unit_test(every_row_of_the_table_can_be_named),
        cmocka_unit_test(modifiers_may_come_in_more_than_one_order),
        cmocka_unit_test(numbers_mean_what_they_say),
        cmocka_unit_test(a_million_conditions_are_a_chain_or_an_error),
        cmocka_unit_test(a_declaration_and_its_definition_are_one_function),
        cmocka_unit_test(at_most_so_many_messages_are_kept),
        cmocka_unit_test(a_megabyte_is_read_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
