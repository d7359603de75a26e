/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the length of PTX text, a fatbin or an ELF file from its own header. */
#include "driver/image.h"

#include <elf.h>

enum { FATBIN_WRAPPER_MAGIC = 0x466243b1 };
#define FATBIN_MAGIC 0xba55ed50u

/* What nvcc and clang put into the .nvFatBinSegment section. */
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;
    void *unused;
};

struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;              /* of what follows the header */
};

bool image_find(const void **image, size_t *out_bytes)
{
    uint32_t magic = 0;

    /* A text may be shorter than a magic number; none of the numbers has a zero byte. */
    if (strnlen(*image, sizeof magic) == sizeof magic)
        memcpy(&magic, *image, sizeof magic);
    if (magic == FATBIN_WRAPPER_MAGIC) {
        struct fatbin_wrapper wrapper;
        memcpy(&wrapper, *image, sizeof wrapper);
        if (!wrapper.data)
            return false;
        *image = wrapper.data;
        memcpy(&magic, *image, sizeof magic);
    }
    if (magic == FATBIN_MAGIC) {
        struct fatbin_header header;
        memcpy(&header, *image, sizeof header);
        *out_bytes = header.header_bytes + header.bytes;
        return header.bytes < (uint64_t)1 << 40;
    }
    if (memcmp(&magic, ELFMAG, SELFMAG) == 0) {
        Elf64_Ehdr elf;
        memcpy(&elf, *image, sizeof elf);
        *out_bytes = elf.e_shoff + (size_t)elf.e_shentsize * elf.e_shnum;
        size_t programs = elf.e_phoff + (size_t)elf.e_phentsize * elf.e_phnum;
        *out_bytes = *out_bytes > programs ? *out_bytes : programs;
        return true;
    }
    *out_bytes = strlen(*image) + 1;
    return true;
}
