/* SPDX-License-Identifier: Apache-2.0 */
/* The loader of object files: near and far calls, constants, and objects that are damaged in every way. The object is made here, byte by byte. */
#define _GNU_SOURCE
#include "jit/code/load.h"

#include "base/os.h"
#include "base/str.h"
#include "jit/code/object.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#if defined(__x86_64__)
/* int f(void) { return g() + *constant; } */
static const unsigned char code[] = {
    0x48, 0x83, 0xec, 0x08,              /* sub $8, %rsp */
    0xe8, 0, 0, 0, 0,                    /* call g */
    0x03, 0x05, 0, 0, 0, 0,              /* add constant(%rip), %eax */
    0x48, 0x83, 0xc4, 0x08,              /* add $8, %rsp */
    0xc3,                                /* ret */
};
enum { TEXT = 1, CONSTANTS, RELA, SYMBOLS, NAMES, N_SECTIONS };
static const char names[] = "\0f\0g";

struct file {
    Elf64_Ehdr head;
    Elf64_Shdr sections[N_SECTIONS];
    unsigned char code[24];
    int32_t constants[2];
    Elf64_Rela rela[2];
    Elf64_Sym symbols[4];
    char names[8];
};

static void set(Elf64_Shdr *s, unsigned type, unsigned flags, size_t offset, size_t bytes, unsigned align)
{
    *s = (Elf64_Shdr){ .sh_type = type, .sh_flags = flags, .sh_offset = offset, .sh_size = bytes, .sh_addralign = align };
}

static struct file make(void)
{
    struct file f = { .head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_REL, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
                                .e_shoff = offsetof(struct file, sections), .e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = N_SECTIONS },
                      .constants = { 0, 7 } };
    set(&f.sections[TEXT], SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, offsetof(struct file, code), sizeof code, 16);
    set(&f.sections[CONSTANTS], SHT_PROGBITS, SHF_ALLOC, offsetof(struct file, constants), sizeof f.constants, 64);
    set(&f.sections[RELA], SHT_RELA, SHF_INFO_LINK, offsetof(struct file, rela), sizeof f.rela, 8);
    f.sections[RELA].sh_link = SYMBOLS;
    f.sections[RELA].sh_info = TEXT;
    set(&f.sections[SYMBOLS], SHT_SYMTAB, 0, offsetof(struct file, symbols), sizeof f.symbols, 8);
    f.sections[SYMBOLS].sh_link = NAMES;
    set(&f.sections[NAMES], SHT_STRTAB, 0, offsetof(struct file, names), sizeof names, 1);
    memcpy(f.code, code, sizeof code);
    memcpy(f.names, names, sizeof names);
    f.rela[0] = (Elf64_Rela){ 5, ELF64_R_INFO(2, R_X86_64_PLT32), -4 };
    f.rela[1] = (Elf64_Rela){ 11, ELF64_R_INFO(3, R_X86_64_PC32), 4 - 4 };
    f.symbols[1] = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = TEXT };
    f.symbols[2] = (Elf64_Sym){ .st_name = 3, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE) };
    f.symbols[3] = (Elf64_Sym){ .st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = CONSTANTS };
    return f;
}

static void *g_address;

static void *address_of(const char *symbol) { return strcmp(symbol, "g") == 0 ? g_address : NULL; }

static int g_near(void) { return 5; }

static int call(const struct hw_map *functions)
{
    void *at = hw_map_get_str(functions, "f");
    int (*f)(void);
    assert_non_null(at);
    memcpy(&f, &at, sizeof f);
    return f();
}

static struct loaded placed;

static void calls_and_constants_are_reached(void **state)
{
    (void)state;
    struct file f = make();
    struct hw_map functions = { 0 };
    g_address = (void *)(uintptr_t)g_near;
    assert_true(load_object(&f, sizeof f, "kernel", address_of, &functions, &placed));
    assert_int_equal(call(&functions), 12);
    unsigned char there;
    load_drop(&placed);
    assert_int_not_equal(mincore((void *)((uintptr_t)hw_map_get_str(&functions, "f") & ~(hw_page_bytes() - 1)), 1, &there), 0);      /* and gone */
    hw_map_fini(&functions);
}

/* mov $9, %eax; ret, where no distance of 32 bits leads to. */
static void a_call_may_go_far(void **state)
{
    (void)state;
    static const unsigned char g_far[] = { 0xb8, 9, 0, 0, 0, 0xc3 };
    struct file f = make();
    struct hw_map functions = { 0 };
    char *at = mmap((void *)(uintptr_t)0x300000000000, hw_page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    memcpy(at, g_far, sizeof g_far);
    assert_int_equal(mprotect(at, hw_page_bytes(), PROT_READ | PROT_EXEC), 0);
    g_address = at;
    assert_true(load_object(&f, sizeof f, "kernel", address_of, &functions, &placed));
    uint64_t distance = (uint64_t)(uintptr_t)at - (uint64_t)(uintptr_t)hw_map_get_str(&functions, "f");
    assert_true(distance + 0x80000000u > UINT32_MAX);             /* else nothing is shown */
    assert_int_equal(call(&functions), 16);
    hw_map_fini(&functions);
}

/* Not run: it must be refused or loaded, and nothing outside of it touched. */
static void try(const void *file, size_t bytes, unsigned *taken)
{
    struct hw_map functions = { 0 };
    char *copy = malloc(bytes ? bytes : 1);                       /* exactly so long: sanitizers see what is behind it */
    memcpy(copy, file, bytes);
    *taken += load_object(copy, bytes, "kernel", address_of, &functions, &placed);
    load_drop(&placed);
    free(copy);
    hw_map_fini(&functions);
}

static void damaged_objects_do_no_harm(void **state)
{
    (void)state;
    static const unsigned char values[] = { 0, 1, 2, 0x7f, 0x80, 0xfe, 0xff };
    unsigned taken = 0, tried = 0;
    struct file f = make();
    g_address = (void *)(uintptr_t)g_near;
    for (size_t n = 0; n < offsetof(struct file, names) + sizeof names; n++)
        try(&f, n, &taken);
    assert_int_equal(taken, 0);                                   /* the last thing in it is the names */
    for (size_t at = 0; at < sizeof f; at++)
        for (size_t v = 0; v < HW_LEN(values); v++, tried++) {
            struct file bad = f;
            ((unsigned char *)&bad)[at] = values[v];
            try(&bad, sizeof bad, &taken);
        }
    printf("%u of %u were taken\n", taken, tried);
    assert_in_range(taken, 1, tried - 1);
}

static void what_is_not_known_is_refused(void **state)
{
    (void)state;
    struct hw_map functions = { 0 };
    g_address = (void *)(uintptr_t)g_near;
    struct file f = make();
    f.rela[1].r_info = ELF64_R_INFO(3, R_X86_64_GOTPCREL);
    assert_false(load_object(&f, sizeof f, "kernel", address_of, &functions, &placed));
    f = make();
    f.head.e_machine = EM_AARCH64;
    assert_false(load_object(&f, sizeof f, "kernel", address_of, &functions, &placed));
    f = make();
    f.sections[CONSTANTS].sh_flags |= SHF_WRITE;
    assert_false(load_object(&f, sizeof f, "kernel", address_of, &functions, &placed));
    g_address = NULL;                                             /* nobody has a g */
    f = make();
    assert_false(load_object(&f, sizeof f, "kernel", address_of, &functions, &placed));
    assert_int_equal(functions.n, 0);
}

/* The checksum of an entry is right, its lengths lead past its end. */
static void entries_whose_lengths_are_wrong_are_not_there(void **state)
{
    (void)state;
    static const uint64_t lengths[] = { sizeof(struct file), sizeof(struct file) + 8, sizeof(struct file) - 8, UINT64_MAX, UINT64_MAX - 7, 1u << 31 };
    struct file f = make();
    for (size_t k = 0; k < HW_LEN(lengths); k++) {
        struct hw_hash key;
        struct object in = { .facts = { .n_regions = 1 }, .code_bytes = 8 + sizeof f }, out = { 0 };
        hw_hash_init(&key);
        hw_hash_u64(&key, k);
        in.code = hw_alloc(in.code_bytes);
        memcpy(in.code, &lengths[k], 8);
        memcpy((char *)in.code + 8, &f, sizeof f);
        object_save(&key, &in);
        bool there = object_load(&key, &out);
        assert_int_equal(there, k == 0);
        if (there)
            assert_memory_equal(out.code, in.code, in.code_bytes);
        object_fini(&in);
        object_fini(&out);
    }
}

int main(void)
{
    char folder[] = "/tmp/hostwarp-test-XXXXXX";
    if (!mkdtemp(folder))
        return 1;
    setenv("HOSTWARP_CACHE", folder, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_constants_are_reached), cmocka_unit_test(a_call_may_go_far), cmocka_unit_test(damaged_objects_do_no_harm),
        cmocka_unit_test(what_is_not_known_is_refused), cmocka_unit_test(entries_whose_lengths_are_wrong_are_not_there),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *remove = hw_sprintf("rm -rf '%s'", folder);
    bool removed = system(remove) == 0;
    hw_free(remove);
    return failed || !removed;
}
#else
int main(void)
{
    printf("ok 1 - only x86-64 has a loader of its own # SKIP\n");
    return 0;
}
#endif
