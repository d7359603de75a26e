/* SPDX-License-Identifier: Apache-2.0 */
/* The other side of the registry: what the __cudaRegister calls put in. */
#ifndef RUNTIME_REGISTRATION_H
#define RUNTIME_REGISTRATION_H

#include "runtime/api.h"

struct registry_image;

struct registry_image *registry_add_image(const void *code);
/* Separately compiled device code: all parts of a program or library are linked when the image is loaded. */
void registry_add_part(struct registry_image *image, const void *code);
void registry_remove_image(struct registry_image *image);
void registry_add_kernel(struct registry_image *image, const void *host, const char *name);
/* managed: where the host keeps the address of a managed variable, NULL for other variables. */
void registry_add_variable(struct registry_image *image, const void *host, const char *name, size_t bytes, void **managed);
void registry_add_managed_section(const void *start, const void *stop);
bool registry_has_managed(const struct registry_image *image);
/* Load it into the current context now. */
cudaError_t registry_load(struct registry_image *image);

#endif
