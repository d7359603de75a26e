/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What linkers are given: PTX, fatbins, objects of the host with fatbins in a section, and archives of all these.
 *
 * An archive is "!<arch>\n" and members on even places, each behind a header of 60 characters: name (16), numbers (32), size (10), "`\n". The
 * member "//" holds the names that are too long for their header, which then says "/OFFSET"; "/" is an index.
 */
#include "ptx/object.h"

#include <elf.h>
#include <stdlib.h>

#define AR_MAGIC "!<arch>\n"
enum { AR_MAGIC_BYTES = 8, AR_HEADER_BYTES = 60, AR_SIZE_AT = 48, AR_SIZE_BYTES = 10, FATBIN_HEAD_BYTES = 16 };

struct reader {
    unsigned cc;
    struct diag *diag;
    ptx_text_fn *each;
    ptx_image_fn *each_image;                /* in its place: not their texts, but the images, also those of whole programs */
    void *data;
};

static enum ptx_status bad(const struct reader *r, const char *why)
{
    diag_error(r->diag, 0, 0, "%s", why);
    return PTX_BAD_IMAGE;
}

static enum ptx_status one_image(const struct reader *r, const char *p, size_t n, const char *member)
{
    char *text = NULL;
    size_t bytes = 0;
    if (r->each_image) {
        r->each_image(r->data, member, p, n);
        return PTX_OK;
    }
    enum ptx_status status = ptx_image_text(p, n, r->cc, r->diag, &text, &bytes);
    if (status == PTX_OK)
        r->each(r->data, member, text);
    return status;
}

/* The fatbins of one section: the linker of the host puts those of several files behind each other. */
static enum ptx_status fatbins(const struct reader *r, const char *p, size_t n, const char *member)
{
    static const uint32_t magic = 0xba55ed50u;
    enum ptx_status status = PTX_OK;
    for (size_t at = 0; status == PTX_OK && n - at >= FATBIN_HEAD_BYTES;) {
        uint64_t bytes;
        if (memcmp(p + at, &magic, sizeof magic) != 0) {
            at += 8;                                             /* padding */
            continue;
        }
        memcpy(&bytes, p + at + 8, sizeof bytes);
        if (bytes > n - at - FATBIN_HEAD_BYTES)
            return bad(r, "a fatbin in the object is cut off");
        status = one_image(r, p + at, (size_t)bytes + FATBIN_HEAD_BYTES, member);
        at += hw_align_up((size_t)bytes + FATBIN_HEAD_BYTES, 8);
        if (at > n)
            break;
    }
    return status;
}

static enum ptx_status read_elf(const struct reader *r, const char *p, size_t n, const char *member)
{
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    enum ptx_status status = PTX_OK;
    if (n < sizeof head)
        return bad(r, "the object is cut off");
    memcpy(&head, p, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
        return one_image(r, p, n, member);                       /* machine code of a GPU: says so */
    uint64_t table = (uint64_t)head.e_shnum * sizeof section;
    if (head.e_shentsize != sizeof section || head.e_shoff > n || table > n - head.e_shoff || head.e_shstrndx >= head.e_shnum)
        return head.e_shnum ? bad(r, "the object's table of sections is damaged") : PTX_OK;
    memcpy(&names, p + head.e_shoff + head.e_shstrndx * sizeof names, sizeof names);
    if (names.sh_offset > n || names.sh_size > n - names.sh_offset)
        return bad(r, "the object's table of sections is damaged");
    for (unsigned i = 0; status == PTX_OK && i < head.e_shnum; i++) {
        memcpy(&section, p + head.e_shoff + i * sizeof section, sizeof section);
        const char *name = p + names.sh_offset + section.sh_name;
        uint64_t left = section.sh_name < names.sh_size ? names.sh_size - section.sh_name : 0;
        bool fatbin = left > 14 && strncmp(name, "__nv_relfatbin", 15) == 0;     /* what is in .nv_fatbin is whole and takes no part */
        fatbin |= r->each_image && left > 10 && strncmp(name, ".nv_fatbin", 11) == 0;
        if (!fatbin || section.sh_type == SHT_NOBITS)
            continue;
        if (section.sh_offset > n || section.sh_size > n - section.sh_offset)
            return bad(r, "a section of the object is cut off");
        status = fatbins(r, p + section.sh_offset, section.sh_size, member);
    }
    return status;
}

/* A member's name, for messages. */
static char *member_name(const char *header, const char *long_names, size_t n_long)
{
    const char *name = header, *limit = header + 16;
    size_t offset = header[0] == '/' ? strtoul(header + 1, NULL, 10) : 0;
    if (header[0] == '/' && long_names && offset < n_long) {
        name = long_names + offset;
        limit = long_names + n_long;
    }
    size_t n = 0;
    while (name + n < limit && name[n] != '/' && name[n] != '\n')
        n++;
    return hw_strndup(name, n);
}

static enum ptx_status read_any(const struct reader *r, const char *p, size_t n, const char *member);

/* A member without PTX for this device takes no part, as those of the device runtime, which the driver has; if something is missing then, the link says so. */
static enum ptx_status read_member(const struct reader *r, const char *p, size_t n, const char *member)
{
    struct diag own = { .file = member };
    struct reader inner = { r->cc, &own, r->each, r->each_image, r->data };
    enum ptx_status status = read_any(&inner, p, n, member);
    if (status != PTX_OK && status != PTX_NO_PTX)
        diag_error(r->diag, 0, 0, "%s", own.text.s ? own.text.s : member);
    diag_fini(&own);
    return status == PTX_NO_PTX ? PTX_OK : status;
}

static enum ptx_status read_archive(const struct reader *r, const char *p, size_t n)
{
    const char *long_names = NULL;
    size_t n_long = 0;
    enum ptx_status status = PTX_OK;
    for (size_t at = AR_MAGIC_BYTES; status == PTX_OK && at + AR_HEADER_BYTES <= n;) {
        const char *header = p + at;
        char size[AR_SIZE_BYTES + 1] = "";
        memcpy(size, header + AR_SIZE_AT, AR_SIZE_BYTES);
        uint64_t bytes = strtoull(size, NULL, 10);
        at += AR_HEADER_BYTES;
        if (header[58] != '`' || bytes > n - at)
            return bad(r, "the archive is damaged");
        if (strncmp(header, "// ", 3) == 0) {
            long_names = p + at;
            n_long = bytes;
        } else if (strncmp(header, "/ ", 2) != 0 && strncmp(header, "/SYM64/", 7) != 0) {
            char *name = member_name(header, long_names, n_long);
            status = read_member(r, p + at, bytes, name);
            hw_free(name);
        }
        at += hw_align_up(bytes, 2);
    }
    return status;
}

static enum ptx_status read_any(const struct reader *r, const char *p, size_t n, const char *member)
{
    if (!member && n >= AR_MAGIC_BYTES && memcmp(p, AR_MAGIC, AR_MAGIC_BYTES) == 0)
        return read_archive(r, p, n);
    if (n >= 4 && memcmp(p, "\177ELF", 4) == 0)
        return read_elf(r, p, n, member);
    return one_image(r, p, n, member);
}

enum ptx_status ptx_object_texts(const void *image, size_t bytes, unsigned cc, struct diag *diag, ptx_text_fn *each, void *data)
{
    struct reader r = { cc, diag, each, NULL, data };
    return read_any(&r, image, bytes, NULL);
}

enum ptx_status ptx_object_images(const void *image, size_t bytes, struct diag *diag, ptx_image_fn *each, void *data)
{
    struct reader r = { 0, diag, NULL, each, data };
    return read_any(&r, image, bytes, NULL);
}

bool ptx_is_archive(const void *image, size_t bytes)
{
    return bytes >= AR_MAGIC_BYTES && memcmp(image, AR_MAGIC, AR_MAGIC_BYTES) == 0;
}
