/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of device linkers, and which of them are needed. */
#ifndef PTX_OBJECT_H
#define PTX_OBJECT_H

#include "ptx/ptx.h"

/* text: zero-ended, the receiver's to hw_free. member: the name in the archive, or NULL. */
typedef void ptx_text_fn(void *data, const char *member, char *text);

/* Calls each() with every PTX text in an image: PTX, a fatbin, an object of the host or an archive. An object without device code has none, and that
   is no error. cc: as for ptx_image_text(). */
enum ptx_status ptx_object_texts(const void *image, size_t bytes, unsigned cc, struct diag *diag, ptx_text_fn *each, void *data);
/* The same for looking at it: with each image as it lies there, a whole program's too (.nv_fatbin). */
typedef void ptx_image_fn(void *data, const char *member, const char *image, size_t bytes);
enum ptx_status ptx_object_images(const void *image, size_t bytes, struct diag *diag, ptx_image_fn *each, void *data);
bool ptx_is_archive(const void *image, size_t bytes);

/* What takes part in a link. Members of archives do when they define something that is missing. */
struct ptx_input {
    char *text;                          /* owned */
    char *name;                          /* of the file, for messages; owned, may be NULL */
    bool is_member;                      /* of an archive: only if it is needed */
    bool taken;
};
struct ptx_inputs {
    HW_VEC(struct ptx_input) v;
};
void ptx_inputs_add(struct ptx_inputs *in, char *text, const char *name, bool is_member);   /* takes over text */
void ptx_inputs_fini(struct ptx_inputs *in);
/* Sets `taken`. PTX that cannot be read counts as needed: who uses it will say what is wrong. */
void ptx_inputs_take(struct ptx_inputs *in);

#endif
