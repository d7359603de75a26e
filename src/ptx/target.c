/* SPDX-License-Identifier: Apache-2.0 */
/* The targets of PTX, and text for those that clang does not know: its .version and .target are exchanged. */
#define _GNU_SOURCE
#include "ptx/target.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

enum { IN_12 = PTX_IN_12, IN_13 = PTX_IN_13 };

const struct ptx_target ptx_targets[] = {
#define PTX_TARGET(sm, version, clang, toolkits) { sm, version, clang, toolkits },
#include "ptx/targets.def"
#undef PTX_TARGET
};
const size_t ptx_n_targets = HW_LEN(ptx_targets);

const struct ptx_target *ptx_target_find(unsigned sm)
{
    for (size_t i = 0; i < ptx_n_targets; i++)
        if (ptx_targets[i].sm == sm)
            return &ptx_targets[i];
    return NULL;
}

const struct ptx_target *ptx_target_nearest(unsigned sm)
{
    const struct ptx_target *best = NULL;
    for (size_t i = 0; i < ptx_n_targets; i++)
        if (ptx_targets[i].toolkits && (!best || ptx_targets[i].sm <= sm))
            best = &ptx_targets[i];
    return best;
}

/* The line that begins with a word, or NULL. */
static const char *find_line(const char *text, size_t bytes, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; p && (p = memmem(p, bytes - (size_t)(p - text), word, n)); p += n)
        if (p == text || p[-1] == '\n')
            return p;
    return NULL;
}

void ptx_retarget(const char *text, size_t bytes, const struct ptx_target *target, const char *feature, struct hw_str *out)
{
    const char *version = find_line(text, bytes, ".version "), *sm = find_line(text, bytes, ".target sm_"), *end = text + bytes;
    unsigned major = 0, minor = 0;
    if (!version || !sm || sm < version || sscanf(version, ".version %u.%u", &major, &minor) != 2) {
        hw_str_add(out, text, bytes);
        return;
    }
    const char *after = version + strcspn(version, "\n"), *rest = sm + strcspn(sm, ",\n");
    unsigned has = major * 10 + minor, needs = target->version > has ? target->version : has;
    hw_str_add(out, text, (size_t)(version - text));
    hw_str_printf(out, ".version %u.%u%.*s.target sm_%u%s", needs / 10, needs % 10, (int)(sm - after), after, target->sm, feature);
    hw_str_add(out, rest, (size_t)(end - rest));
}
