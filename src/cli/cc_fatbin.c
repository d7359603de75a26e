/* SPDX-License-Identifier: Apache-2.0 */
/* Puts PTX text into a fatbin (a 16-byte header, then for each entry a 64-byte header and its data) or into a cubin. */
#include "cli/cc.h"

#include "base/os.h"
#include "ptx/cubin.h"

#include <errno.h>
#include <stdio.h>

#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_KIND_PTX 1
#define FATBIN_FLAGS 0x11                /* 64-bit, Linux */

struct fatbin_header {
    uint32_t magic;
    uint16_t version;
    uint16_t header_bytes;
    uint64_t payload_bytes;
};

/* All fields little-endian, as on every host this runs on. */
struct fatbin_entry {
    uint16_t kind;
    uint16_t version;
    uint32_t header_bytes;
    uint64_t padded_bytes;               /* of the data that follows, rounded up to 8 */
    uint32_t compressed_bytes;           /* 0: not compressed */
    uint32_t options_offset;
    uint16_t ptx_minor, ptx_major;
    uint32_t arch;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
    uint64_t reserved;
    uint64_t plain_bytes;                /* of compressed data once unpacked; 0: not compressed */
};
static_assert(sizeof(struct fatbin_header) == 16 && sizeof(struct fatbin_entry) == 64, "the layout is an interface");

static char *read_ptx(const char *path, size_t *n)
{
    char *ptx = hw_file_read(path, n);
    if (!ptx)
        cli_error("cannot read %s: %s", path, strerror(errno));
    return ptx;
}

static bool write_image(const char *path, const void *image, size_t n)
{
    bool ok = hw_file_write(path, image, n);
    if (!ok)
        cli_error("cannot write %s: %s", path, strerror(errno));
    return ok;
}

bool cc_cubin_write(const char *ptx_path, const char *out_path)
{
    char *ptx = read_ptx(ptx_path, NULL);
    struct hw_str image = { 0 };
    if (ptx)
        ptx_cubin_write(ptx, &image);
    bool ok = ptx && write_image(out_path, image.s, image.n);
    hw_str_fini(&image);
    hw_free(ptx);
    return ok;
}

bool cc_fatbin_write(const char *ptx_path, const char *out_path, int arch)
{
    size_t n = 0;
    char *ptx = read_ptx(ptx_path, &n);
    if (!ptx)
        return false;
    int major = 0, minor = 0;
    const char *version = strstr(ptx, ".version");
    if (version)
        sscanf(version, ".version %d.%d", &major, &minor);
    size_t padded = hw_align_up(n + 1, 8);                       /* the text ends in at least one zero byte */
    struct fatbin_entry entry = {
        .kind = FATBIN_KIND_PTX, .version = 0x101, .header_bytes = sizeof entry, .padded_bytes = padded,
        .ptx_major = (uint16_t)major, .ptx_minor = (uint16_t)minor, .arch = (uint32_t)arch, .flags = FATBIN_FLAGS,
    };
    struct fatbin_header header = { FATBIN_MAGIC, 1, sizeof header, sizeof entry + padded };
    char *image = hw_alloc(sizeof header + sizeof entry + padded);
    memcpy(image, &header, sizeof header);
    memcpy(image + sizeof header, &entry, sizeof entry);
    memcpy(image + sizeof header + sizeof entry, ptx, n);
    bool ok = write_image(out_path, image, sizeof header + sizeof entry + padded);
    hw_free(image);
    hw_free(ptx);
    return ok;
}
