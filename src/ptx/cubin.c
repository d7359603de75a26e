/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostwarp's cubin: an ELF file for no machine (EM_NONE) that holds verified PTX, since code for the CPU is made when it is loaded. Programs that look for an ELF file
 * find one; no other driver takes it for machine code, as its first section is a note of the name "hostwarp".
 *
 *    0 ELF header: 64 bits, little-endian, ET_EXEC, EM_NONE; e_flags: the sm (80)
 *   64 note: "hostwarp", type 1; two u32: version of this format (1), the sm
 *   96 PTX text and a zero byte; the names of sections; four section headers: none, .note.hostwarp, .hostwarp.ptx, .shstrtab
 */
#include "ptx/cubin.h"

#include <elf.h>
#include <stdlib.h>

enum { NOTE_AT = 64, NOTE_BYTES = 32, TEXT_AT = NOTE_AT + NOTE_BYTES, SECTIONS = 4, FORMAT = 1 };

struct note {
    uint32_t name_bytes, desc_bytes, type;
    char name[12];
    uint32_t format, sm;
};
static_assert(sizeof(struct note) == NOTE_BYTES && sizeof(Elf64_Ehdr) == NOTE_AT, "the layout is an interface");

static const char names[] = "\0.note.hostwarp\0.hostwarp.ptx\0.shstrtab";
enum { NAME_NOTE = 1, NAME_PTX = 16, NAME_NAMES = 30 };

unsigned ptx_target_sm(const char *ptx)
{
    const char *p = strstr(ptx, ".target");
    p = p ? strstr(p, "sm_") : NULL;
    return p ? (unsigned)strtoul(p + 3, NULL, 10) : 0;
}

void ptx_cubin_write(const char *ptx, struct hw_str *out)
{
    uint32_t sm = ptx_target_sm(ptx);
    size_t text = strlen(ptx) + 1, names_at = TEXT_AT + text, sections_at = hw_align_up(names_at + sizeof names, 8);
    static const char zeroes[8];
    Elf64_Ehdr head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ELFOSABI_NONE }, .e_type = ET_EXEC,
                        .e_machine = EM_NONE, .e_version = EV_CURRENT, .e_shoff = sections_at, .e_flags = sm, .e_ehsize = sizeof head,
                        .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS, .e_shstrndx = SECTIONS - 1 };
    struct note note = { 9, 8, 1, "hostwarp", FORMAT, sm };
    Elf64_Shdr sections[SECTIONS] = {
        { 0 },
        { .sh_name = NAME_NOTE, .sh_type = SHT_NOTE, .sh_offset = NOTE_AT, .sh_size = NOTE_BYTES, .sh_addralign = 4 },
        { .sh_name = NAME_PTX, .sh_type = SHT_PROGBITS, .sh_offset = TEXT_AT, .sh_size = text, .sh_addralign = 1 },
        { .sh_name = NAME_NAMES, .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = sizeof names, .sh_addralign = 1 },
    };
    hw_str_add(out, (const char *)&head, sizeof head);
    hw_str_add(out, (const char *)&note, sizeof note);
    hw_str_add(out, ptx, text);
    hw_str_add(out, names, sizeof names);
    hw_str_add(out, zeroes, sections_at - names_at - sizeof names);
    hw_str_add(out, (const char *)sections, sizeof sections);
}

/* Byte after byte: the image may be a short text. */
static bool is_elf(const char *p, size_t max_bytes)
{
    for (size_t i = 0; i < SELFMAG; i++)
        if (i >= max_bytes || p[i] != ELFMAG[i])
            return false;
    return true;
}

bool ptx_is_cubin(const void *image, size_t max_bytes)
{
    Elf64_Ehdr head;
    struct note note;
    const char *p = image;
    if (!is_elf(p, max_bytes) || max_bytes < TEXT_AT)
        return false;
    memcpy(&head, p, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_NONE || head.e_shnum != SECTIONS || head.e_shoff < TEXT_AT)
        return false;
    memcpy(&note, p + NOTE_AT, sizeof note);
    return note.name_bytes == 9 && note.desc_bytes == 8 && memcmp(note.name, "hostwarp", 9) == 0;
}

const char *ptx_cubin_text(const void *image, size_t max_bytes, size_t *out_bytes, unsigned *sm)
{
    Elf64_Ehdr head;
    struct note note;
    Elf64_Shdr section;
    const char *p = image;
    if (!ptx_is_cubin(image, max_bytes))
        return NULL;
    memcpy(&head, p, sizeof head);
    memcpy(&note, p + NOTE_AT, sizeof note);
    if (note.format != FORMAT || head.e_shoff > max_bytes || max_bytes - head.e_shoff < SECTIONS * sizeof section)
        return NULL;
    memcpy(&section, p + head.e_shoff + 2 * sizeof section, sizeof section);
    if (section.sh_offset != TEXT_AT || section.sh_size == 0 || section.sh_size > head.e_shoff - TEXT_AT || p[TEXT_AT + section.sh_size - 1])
        return NULL;
    if (out_bytes)
        *out_bytes = strlen(p + TEXT_AT);
    if (sm)
        *sm = note.sm;
    return p + TEXT_AT;
}
