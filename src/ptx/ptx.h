/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text in, struct ptx_module out; and finding the PTX in what programs hand to cuModuleLoadData. */
#ifndef PTX_H
#define PTX_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

enum ptx_status {
    PTX_OK,
    PTX_BAD_IMAGE,               /* neither PTX nor a fatbin */
    PTX_BAD_PTX,                 /* syntax or type error, unknown or unsupported instruction: diag says where */
    PTX_BAD_VERSION,             /* .version newer than we know */
    PTX_NO_MEMORY,
    PTX_NO_PTX,                  /* a fatbin or cubin with machine code (SASS) only */
};

struct ptx_module;
enum ptx_status ptx_parse(const char *text, size_t bytes, struct diag *diag, struct ptx_module **out);
void ptx_module_free(struct ptx_module *module);

/* Takes PTX text, a fatbin (0xba55ed50), a fatbin wrapper (0x466243b1), hostwarp's cubin (cubin.h) or another ELF file and returns the PTX text of the best
   entry for compute capability cc (80), zero-terminated, to be hw_free'd. max_bytes: how much of image is readable, or
   SIZE_MAX when the image describes its own size (then text ends at its zero byte). */
unsigned ptx_image_needs(const void *image);     /* the lowest compute capability, as 86, that the PTX in a fatbin is for; 0: no PTX, no fatbin */
bool ptx_text_defines(const char *text, const char *prefix);      /* a function whose name begins so */
enum ptx_status ptx_image_text(const void *image, size_t max_bytes, unsigned cc, struct diag *diag, char **out_text, size_t *out_bytes);

#endif
