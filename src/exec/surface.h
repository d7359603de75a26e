/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces: textures that kernels write. */
#ifndef EXEC_SURFACE_H
#define EXEC_SURFACE_H

#include "exec/texel.h"
#include "kabi/texture.h"

/* The address of an access, NULL when it falls outside and is to be left out. x counts bytes, or texels when the access
   is formatted. */
char *surface_address(const struct exec_texture *t, struct tex_op op, const uint32_t *args);
void surface_store(const struct exec_texture *t, struct tex_op op, char *p, const uint32_t *values);
void surface_reduce(const struct exec_texture *t, struct tex_op op, char *p, const uint32_t *values);

#endif
