/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the PTX in what programs hand to cuModuleLoadData or __cudaRegisterFatBinary.
 *
 * The wrapper, what a compiler puts into a program (24 bytes):
 *    0 u32 0x466243b1    4 u32 version    8 pointer to the container    16 pointer, not used here
 * The container (16 bytes), followed by entries one after the other:
 *    0 u32 0xba55ed50    4 u16 version 1    6 u16 bytes of this header    8 u64 bytes that follow it
 * An entry (64 bytes or more), followed by its contents:
 *    0 u16 kind: 1 PTX, 2 ELF with machine code    2 u16 version    4 u32 bytes of this header    8 u64 bytes of contents,
 *   16 u32 bytes of them that are compressed data    20 u32 place of the options in the header, 0: none
 *   24 u16 minor    26 u16 major    28 u32 sm (80)    32 u32, 36 u32 place and length of a name
 *   40 u64 flags: 0x2000 compressed as one LZ4 block, 0x8000 as a zstd frame    48 u64    56 u64 bytes when decompressed
 * An ELF entry that is hostwarp's cubin (cubin.c) counts as the PTX in it.
 * Contents are padded to 8 bytes; uncompressed PTX ends at its zero byte. Numbers are little-endian.
 */
#include "ptx/cubin.h"
#include "ptx/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#define WRAPPER_MAGIC 0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u
enum { WRAPPER_BYTES = 24, CONTAINER_BYTES = 16, ENTRY_BYTES = 64, KIND_PTX = 1, KIND_ELF = 2, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
#define MAX_TEXT_BYTES ((uint64_t)1 << 30)

struct entry {
    const char *data;
    uint64_t bytes, packed_bytes, text_bytes, flags;
    uint32_t sm;
    uint16_t kind;
    bool has_ptx;
};

static uint16_t read_u16(const char *p) { uint16_t v; memcpy(&v, p, sizeof v); return v; }
static uint32_t read_u32(const char *p) { uint32_t v; memcpy(&v, p, sizeof v); return v; }
static uint64_t read_u64(const char *p) { uint64_t v; memcpy(&v, p, sizeof v); return v; }

static enum ptx_status fail(struct diag *diag, enum ptx_status status, const char *why)
{
    diag_error(diag, 0, 0, "%s", why);
    return status;
}

/* Reads the entry at p; the number of bytes it takes with its contents, 0 when it does not fit into left. */
static uint64_t read_entry(const char *p, uint64_t left, struct entry *out)
{
    if (left < ENTRY_BYTES)
        return 0;
    uint64_t header = read_u32(p + 4), bytes = read_u64(p + 8);
    if (header < ENTRY_BYTES || header > left || bytes > left - header)
        return 0;
    *out = (struct entry){ .data = p + header, .bytes = bytes, .packed_bytes = read_u32(p + 16), .text_bytes = read_u64(p + 56),
                           .flags = read_u64(p + 40), .sm = read_u32(p + 28), .kind = read_u16(p) };
    out->has_ptx = out->kind == KIND_PTX || (out->kind == KIND_ELF && ptx_is_cubin(out->data, bytes));
    return header + bytes;
}

static enum ptx_status copy_text(const char *text, size_t n, struct diag *diag, char **out_text, size_t *out_bytes)
{
    if (!(*out_text = hw_try_alloc(n + 1)))
        return fail(diag, PTX_NO_MEMORY, "no memory for the PTX");
    memcpy(*out_text, text, n);
    *out_bytes = n;
    return PTX_OK;
}

static enum ptx_status cubin_text(const char *p, size_t max_bytes, struct diag *diag, char **out_text, size_t *out_bytes)
{
    size_t n;
    const char *text = ptx_cubin_text(p, max_bytes, &n, NULL);
    return text ? copy_text(text, n, diag, out_text, out_bytes) : fail(diag, PTX_BAD_IMAGE, "the cubin is damaged, or made by a newer hostwarp");
}

static enum ptx_status unpack(const struct entry *e, struct diag *diag, char **out_text, size_t *out_bytes)
{
    if (e->kind == KIND_ELF)
        return cubin_text(e->data, e->bytes, diag, out_text, out_bytes);
    bool packed = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
    uint64_t in = packed ? e->packed_bytes : e->bytes, n = packed ? e->text_bytes : e->bytes;
    if (in > e->bytes || n > MAX_TEXT_BYTES || in > MAX_TEXT_BYTES)
        return fail(diag, PTX_BAD_IMAGE, "a fatbin entry gives sizes that cannot be true");
    char *text = hw_try_alloc(n + 1);
    bool ok = true;
    if (!text)
        return fail(diag, PTX_NO_MEMORY, "no memory for the PTX in the fatbin");
    if (e->flags & FLAG_ZSTD)
        ok = ZSTD_decompress(text, n, e->data, in) == n;
    else if (e->flags & FLAG_LZ4)
        ok = LZ4_decompress_safe(e->data, text, (int)in, (int)n) == (int)n;
    else
        memcpy(text, e->data, n);
    if (!ok) {
        hw_free(text);
        return fail(diag, PTX_BAD_IMAGE, "the PTX in the fatbin cannot be decompressed");
    }
    text[n] = 0;
    *out_text = text;
    *out_bytes = strlen(text);
    return PTX_OK;
}

static enum ptx_status no_ptx(struct diag *diag, unsigned cc, unsigned lowest_sm)
{
    if (lowest_sm)
        diag_error(diag, 0, 0,
                   "the program holds PTX for sm_%u and newer only, the device is sm_%u: rebuild with -gencode arch=compute_%u,code=compute_%u, "
                   "or set HOSTWARP_CC=%u", lowest_sm, cc, cc, cc, lowest_sm);
    else
        diag_error(diag, 0, 0,
                   "the program holds machine code of a GPU but no PTX: rebuild with -gencode arch=compute_%u,code=compute_%u", cc, cc);
    return PTX_NO_PTX;
}

static enum ptx_status read_container(const char *p, size_t max_bytes, unsigned cc, struct diag *diag, char **out_text, size_t *out_bytes)
{
    if (max_bytes < CONTAINER_BYTES)
        return fail(diag, PTX_BAD_IMAGE, "the fatbin is cut off");
    uint64_t header = read_u16(p + 6), left = read_u64(p + 8);
    if (header < CONTAINER_BYTES || header > max_bytes || left > max_bytes - header || left > (uint64_t)1 << 40)
        return fail(diag, PTX_BAD_IMAGE, "the fatbin gives sizes that cannot be true");
    struct entry best = { 0 }, e;
    unsigned lowest = 0;
    bool any = false;
    p += header;
    while (left > 0) {
        uint64_t n = read_entry(p, left, &e);
        if (!n)
            return fail(diag, PTX_BAD_IMAGE, "the fatbin is damaged: an entry does not fit into it");
        any = true;
        if (e.has_ptx && e.sm <= cc && (!best.data || e.sm > best.sm))
            best = e;
        if (e.has_ptx && (!lowest || e.sm < lowest))
            lowest = e.sm;
        p += n;
        left -= n;
    }
    if (!any)
        return fail(diag, PTX_BAD_IMAGE, "the fatbin is empty");
    return best.data ? unpack(&best, diag, out_text, out_bytes) : no_ptx(diag, cc, lowest);
}

/* PTX begins with .version, after blanks and comments. */
static bool looks_like_ptx(const char *s, size_t n)
{
    const char *end = s + n;
    while (s < end) {
        if (*s == ' ' || (*s >= '\t' && *s <= '\r')) {
            s++;
        } else if (end - s >= 2 && s[0] == '/' && s[1] == '/') {
            s = memchr(s, '\n', (size_t)(end - s));
            if (!s)
                return false;
        } else if (end - s >= 2 && s[0] == '/' && s[1] == '*') {
            for (s += 2; end - s >= 2 && !(s[0] == '*' && s[1] == '/'); s++)
                ;
            s = end - s >= 2 ? s + 2 : end;
        } else {
            return (size_t)(end - s) >= 8 && memcmp(s, ".version", 8) == 0;
        }
    }
    return false;
}

/* Bytes that may be compared one after the other without running past the end of a text. */
static bool starts_with(const void *image, size_t max_bytes, const void *magic, size_t n)
{
    const unsigned char *a = image, *b = magic;
    for (size_t i = 0; i < n; i++)
        if (i >= max_bytes || a[i] != b[i])
            return false;
    return true;
}

unsigned ptx_image_needs(const void *image)
{
    static const uint32_t container = CONTAINER_MAGIC;
    const char *p = image;
    unsigned lowest = 0;
    if (!image || !starts_with(p, SIZE_MAX, &container, 4))
        return 0;
    uint64_t header = read_u16(p + 6), left = read_u64(p + 8), n;
    struct entry e;
    for (p += header; header >= CONTAINER_BYTES && left <= (uint64_t)1 << 40 && left > 0 && (n = read_entry(p, left, &e)) > 0; p += n, left -= n)
        if (e.has_ptx && (!lowest || e.sm < lowest))
            lowest = e.sm;
    return lowest;
}

enum ptx_status ptx_image_text(const void *image, size_t max_bytes, unsigned cc, struct diag *diag, char **out_text, size_t *out_bytes)
{
    static const uint32_t wrapper = WRAPPER_MAGIC, container = CONTAINER_MAGIC;
    const char *p = image;
    if (starts_with(p, max_bytes, &wrapper, 4)) {
        const char *data;
        if (max_bytes < WRAPPER_BYTES)
            return fail(diag, PTX_BAD_IMAGE, "the fatbin wrapper is cut off");
        memcpy(&data, p + 8, sizeof data);
        if (!data || !starts_with(data, SIZE_MAX, &container, 4))
            return fail(diag, PTX_BAD_IMAGE, "the fatbin wrapper points at something else");
        return read_container(data, SIZE_MAX, cc, diag, out_text, out_bytes);
    }
    if (starts_with(p, max_bytes, &container, 4))
        return read_container(p, max_bytes, cc, diag, out_text, out_bytes);
    if (ptx_is_cubin(p, max_bytes))
        return cubin_text(p, max_bytes, diag, out_text, out_bytes);
    if (starts_with(p, max_bytes, "\177ELF", 4))
        return no_ptx(diag, cc, 0);
    size_t n = max_bytes == SIZE_MAX ? strlen(p) : strnlen(p, max_bytes);
    if (!looks_like_ptx(p, n))
        return fail(diag, PTX_BAD_IMAGE, "the image is neither PTX nor a fatbin");
    return copy_text(p, n, diag, out_text, out_bytes);
}

enum ptx_status ptx_fatbin_each(const void *image, size_t bytes, struct diag *diag, ptx_entry_fn *each, void *data)
{
    const char *p = image;
    struct entry e;
    if (bytes < CONTAINER_BYTES || read_u32(p) != CONTAINER_MAGIC)
        return fail(diag, PTX_BAD_IMAGE, "this is no fatbin");
    uint64_t header = read_u16(p + 6), left = read_u64(p + 8);
    if (header < CONTAINER_BYTES || header > bytes || left > bytes - header)
        return fail(diag, PTX_BAD_IMAGE, "the fatbin gives sizes that cannot be true");
    for (p += header; left > 0;) {
        uint64_t n = read_entry(p, left, &e);
        if (!n)
            return fail(diag, PTX_BAD_IMAGE, "the fatbin is damaged: an entry does not fit into it");
        struct ptx_entry shown = { .is_ptx = e.kind == KIND_PTX, .is_elf = e.kind == KIND_ELF, .sm = e.sm, .bytes = e.bytes,
                                   .packing = e.flags & FLAG_ZSTD ? "zstd" : e.flags & FLAG_LZ4 ? "LZ4" : NULL };
        size_t text_bytes;
        enum ptx_status status = e.has_ptx ? unpack(&e, diag, &shown.text, &text_bytes) : PTX_OK;
        if (status != PTX_OK)
            return status;
        each(data, &shown);
        hw_free(shown.text);
        p += n;
        left -= n;
    }
    return PTX_OK;
}
