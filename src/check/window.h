/* SPDX-License-Identifier: Apache-2.0 */
/* Where the accesses of a site need not be told (kabi/window.h). */
#ifndef CHECK_WINDOW_H
#define CHECK_WINDOW_H

#include "check/touch.h"

struct access;
struct kabi_block;
struct part;
struct runner;

void windows_new(struct runner *r);
void windows_free(struct runner *r);
void windows_begin(struct runner *r);            /* some blocks will run */
void windows_block(struct runner *r);            /* the next block begins */

/* The bits for what a site touches, in memory that host code cannot use; NULL: in other memory. at: ledger_now() of the launch. */
struct details_site;
struct touch_bits;
struct touch_view;
enum touch_kind window_kind(const struct details_site *s);       /* what a site does to memory */
struct touch_bits *window_bits(struct touch_view *v, uint32_t site, const struct details_site *s, uint64_t address, uint64_t bytes, uint64_t at);
/* Lanes that are all in the window, and only touch what was not touched yet. */
bool window_touches(struct runner *r, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a);
/* Is nothing left to look at in these parts but races? What they touch is noted. */
bool window_knows(struct runner *r, uint32_t site, const struct part *parts, unsigned n);
bool window_is_quiet(struct runner *r, uint32_t site);           /* its accesses cannot be a race with others of the launch, or nobody asks */
/* An access that was all right: its site may get a window. A part of shared or global memory; or as it was taken apart, with these lanes. */
void window_parts(struct runner *r, uint32_t site, const struct part *p, bool shared);
void window_access(struct runner *r, const struct kabi_block *block, const struct access *x, uint32_t mask);

#endif
