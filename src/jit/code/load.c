/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loader for what LLVM makes of kernels: code, constants, distances from code to constants, calls of functions elsewhere. Objects come from a cache that
 * others may have written to, so every number is checked before it is used.
 */
#include "jit/code/load.h"

#include "base/os.h"
#include "jit/code/gdb.h"

#include <elf.h>
#include <sys/mman.h>

#if defined(__x86_64__)
enum { THUNK = 16, LINE = 64, MOST_SECTIONS = 4096 };

struct loading {
    const char *file;
    size_t bytes;
    Elf64_Ehdr head;
    const Elf64_Shdr *sections;
    const Elf64_Sym *symbols;
    size_t n_symbols;
    const char *names;           /* of symbols; the last byte is 0 */
    size_t names_bytes;
    char *at;                    /* where it is put */
    size_t size;
    size_t *place;               /* of each section in it, SIZE_MAX: it is not there */
    size_t thunks, thunks_end;   /* calls that are too far for a distance of 32 bits */
    void *(*address_of)(const char *symbol);
};

static bool inside(const struct loading *l, uint64_t offset, uint64_t n, uint64_t bytes)
{
    return offset <= l->bytes && n <= (l->bytes - offset) / bytes && offset % 8 == 0;
}

/* Tables of an object that lies at an address of 8 bytes do so, too. */
static bool read_head(struct loading *l)
{
    if (l->bytes < sizeof l->head || (uintptr_t)l->file % 8)
        return false;
    memcpy(&l->head, l->file, sizeof l->head);
    const Elf64_Ehdr *h = &l->head;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL
        || h->e_machine != EM_X86_64 || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum == 0 || h->e_shnum > MOST_SECTIONS
        || !inside(l, h->e_shoff, h->e_shnum, sizeof(Elf64_Shdr)))
        return false;
    l->sections = (const Elf64_Shdr *)(const void *)(l->file + h->e_shoff);
    for (unsigned k = 0; k < h->e_shnum; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        if (s->sh_type != SHT_NOBITS && (s->sh_offset > l->bytes || s->sh_size > l->bytes - s->sh_offset))
            return false;
        if (s->sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Shdr *names = s->sh_link < h->e_shnum ? &l->sections[s->sh_link] : NULL;
        if (l->symbols || !names || names->sh_type != SHT_STRTAB || !names->sh_size || names->sh_offset > l->bytes || names->sh_size > l->bytes - names->sh_offset
            || !inside(l, s->sh_offset, s->sh_size / sizeof(Elf64_Sym), sizeof(Elf64_Sym)))
            return false;
        l->symbols = (const Elf64_Sym *)(const void *)(l->file + s->sh_offset);
        l->n_symbols = s->sh_size / sizeof(Elf64_Sym);
        l->names = l->file + names->sh_offset;
        l->names_bytes = names->sh_size;
        if (l->names[l->names_bytes - 1])
            return false;
    }
    return l->symbols != NULL;
}

/* Code and constants one after the other, then room for a thunk for each symbol. */
static bool put(struct loading *l)
{
    size_t at = 0;
    for (unsigned k = 0; k < l->head.e_shnum; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        l->place[k] = SIZE_MAX;
        if (!(s->sh_flags & SHF_ALLOC) || s->sh_size == 0)
            continue;
        uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
        if (s->sh_type != SHT_PROGBITS || (s->sh_flags & (SHF_WRITE | SHF_TLS)) || (align & (align - 1)) || align > hw_page_bytes())
            return false;
        l->place[k] = at = hw_align_up(at, hw_max_u64(align, LINE));      /* where loops lie in a line should not depend on constants */
        at += s->sh_size;
    }
    l->thunks = l->thunks_end = hw_align_up(at, THUNK);
    l->size = hw_align_up(l->thunks + l->n_symbols * THUNK, hw_page_bytes());
    l->at = mmap(NULL, l->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (l->at == MAP_FAILED)
        return false;
    for (unsigned k = 0; k < l->head.e_shnum; k++)
        if (l->place[k] != SIZE_MAX)
            memcpy(l->at + l->place[k], l->file + l->sections[k].sh_offset, l->sections[k].sh_size);
    return true;
}

static const char *name_of(const struct loading *l, const Elf64_Sym *s)
{
    return s->st_name < l->names_bytes ? l->names + s->st_name : "";
}

static char *symbol_address(const struct loading *l, const Elf64_Sym *s)
{
    if (s->st_shndx == SHN_UNDEF)
        return l->address_of(name_of(l, s));
    if (s->st_shndx >= l->head.e_shnum || l->place[s->st_shndx] == SIZE_MAX || s->st_value > l->sections[s->st_shndx].sh_size)
        return NULL;
    return l->at + l->place[s->st_shndx] + s->st_value;
}

static bool fits(int64_t distance) { return distance == (int32_t)distance; }

/* jmp *0(%rip), and the address behind it */
static char *thunk_to(struct loading *l, const char *to)
{
    static const char jump[8] = { (char)0xff, 0x25, 2, 0, 0, 0, (char)0xcc, (char)0xcc };
    char *at = l->at + l->thunks_end;
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &to, sizeof to);
    l->thunks_end += THUNK;
    return at;
}

static bool relocate(struct loading *l, const Elf64_Rela *r, char *section, size_t bytes, char **thunks)
{
    size_t symbol = ELF64_R_SYM(r->r_info), type = ELF64_R_TYPE(r->r_info);
    if (symbol >= l->n_symbols || r->r_offset > bytes || bytes - r->r_offset < 4 || (type != R_X86_64_PC32 && type != R_X86_64_PLT32))
        return false;
    char *to = symbol_address(l, &l->symbols[symbol]), *at = section + r->r_offset;
    if (!to)
        return false;
    int64_t distance = (int64_t)((uint64_t)(uintptr_t)to + (uint64_t)r->r_addend - (uint64_t)(uintptr_t)at);
    if (!fits(distance) && type == R_X86_64_PLT32) {
        if (!thunks[symbol])
            thunks[symbol] = thunk_to(l, to);
        distance = (int64_t)((uint64_t)(uintptr_t)thunks[symbol] + (uint64_t)r->r_addend - (uint64_t)(uintptr_t)at);
    }
    if (!fits(distance))
        return false;
    int32_t word = (int32_t)distance;
    memcpy(at, &word, sizeof word);
    return true;
}

static bool relocate_all(struct loading *l)
{
    char **thunks = hw_alloc(l->n_symbols * sizeof *thunks + 1);
    bool ok = true;
    for (unsigned k = 0; k < l->head.e_shnum && ok; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        ok = s->sh_type != SHT_REL;
        if (s->sh_type != SHT_RELA || s->sh_info >= l->head.e_shnum || l->place[s->sh_info] == SIZE_MAX)
            continue;
        size_t n = s->sh_size / sizeof(Elf64_Rela);
        const Elf64_Rela *r = (const Elf64_Rela *)(const void *)(l->file + s->sh_offset);
        ok = inside(l, s->sh_offset, n, sizeof *r);
        for (size_t i = 0; i < n && ok; i++)
            ok = relocate(l, &r[i], l->at + l->place[s->sh_info], l->sections[s->sh_info].sh_size, thunks);
    }
    hw_free(thunks);
    return ok;
}

static void list_functions(const struct loading *l, struct hw_map *functions)
{
    for (size_t k = 0; k < l->n_symbols; k++) {
        const Elf64_Sym *s = &l->symbols[k];
        if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && ELF64_ST_BIND(s->st_info) == STB_GLOBAL && s->st_shndx != SHN_UNDEF && symbol_address(l, s))
            hw_map_set_str(functions, name_of(l, s), symbol_address(l, s));
    }
}

static void tell(const struct loading *l, const char *name, struct loaded *out)
{
    uint64_t *addresses = hw_alloc(l->head.e_shnum * sizeof *addresses);
    for (unsigned k = 0; k < l->head.e_shnum; k++)
        addresses[k] = l->place[k] == SIZE_MAX ? 0 : (uint64_t)(uintptr_t)(l->at + l->place[k]);
    out->told = gdb_add(l->file, l->bytes, addresses, l->head.e_shnum);
    hw_free(addresses);
    for (size_t k = 0; perf_wanted() && k < l->n_symbols; k++)
        if (ELF64_ST_TYPE(l->symbols[k].st_info) == STT_FUNC && l->symbols[k].st_shndx != SHN_UNDEF && symbol_address(l, &l->symbols[k]))
            perf_add(symbol_address(l, &l->symbols[k]), l->symbols[k].st_size, name);
}

bool load_object(const void *file, size_t bytes, const char *name, void *(*address_of)(const char *symbol), struct hw_map *functions, struct loaded *out)
{
    struct loading l = { .file = file, .bytes = bytes, .address_of = address_of, .at = MAP_FAILED };
    bool ok = read_head(&l);
    if (ok)
        l.place = hw_alloc(l.head.e_shnum * sizeof *l.place);
    ok = ok && put(&l) && relocate_all(&l) && mprotect(l.at, l.size, PROT_READ | PROT_EXEC) == 0;
    if (ok) {
        list_functions(&l, functions);
        *out = (struct loaded){ l.at, l.size, NULL };
        tell(&l, name, out);
    } else if (l.at != MAP_FAILED) {
        munmap(l.at, l.size);
    }
    hw_free(l.place);
    return ok;
}
#else
bool load_object(const void *file, size_t bytes, const char *name, void *(*address_of)(const char *symbol), struct hw_map *functions, struct loaded *out)
{
    (void)file, (void)bytes, (void)name, (void)address_of, (void)functions, (void)out;
    return false;
}
#endif

void load_drop(struct loaded *l)
{
    gdb_remove(l->told);
    if (l->at)
        munmap(l->at, l->bytes);
    *l = (struct loaded){ 0 };
}
