/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the inputs of a link take part: all that were named, and members of archives that define what others lack. */
#include "ptx/module.h"
#include "ptx/object.h"

#include "base/hash.h"

void ptx_inputs_add(struct ptx_inputs *in, char *text, const char *name, bool is_member)
{
    struct ptx_input input = { text, name ? hw_strdup(name) : NULL, is_member, false };
    hw_vec_push(&in->v, input);
}

void ptx_inputs_fini(struct ptx_inputs *in)
{
    for (size_t i = 0; i < in->v.n; i++) {
        hw_free(in->v.v[i].text);
        hw_free(in->v.v[i].name);
    }
    hw_vec_fini(&in->v);
}

/* By the text alone: what is looked at may be for a target that the parser does not know. */
bool ptx_text_defines(const char *text, const char *prefix)
{
    for (const char *at = text; (at = strstr(at, ".func")) != NULL; at += 5) {
        bool declared = at - text >= 8 && memcmp(at - 8, ".extern ", 8) == 0;
        const char *end = at + strcspn(at, ";{"), *name = strstr(at, prefix);
        if (!declared && *end == '{' && name && name < end && (name[-1] == ' ' || name[-1] == '\n' || name[-1] == '\t' || name[-1] == ')'))
            return true;
    }
    return false;
}

/* Notes the names that a text has (definitions) or lacks, where somebody defined them already. */
struct names {
    struct hw_map defined, missing;
};

static bool defines_missing(const struct ptx_module *m, const struct names *names)
{
    for (size_t i = 0; i < m->funcs.n; i++)
        if (m->funcs.v[i]->has_body && hw_map_get_str(&names->missing, m->funcs.v[i]->name))
            return true;
    for (size_t i = 0; i < m->vars.n; i++)
        if (!m->vars.v[i]->is_extern && hw_map_get_str(&names->missing, m->vars.v[i]->name))
            return true;
    return false;
}

static void note(struct names *names, const char *name, bool defines)
{
    static char mark;
    if (defines)
        hw_map_set_str(&names->defined, name, &mark);
    hw_map_set_str(&names->missing, name, hw_map_get_str(&names->defined, name) ? NULL : &mark);
}

static void note_all(struct names *names, const struct ptx_module *m)
{
    for (size_t i = 0; i < m->funcs.n; i++)
        if (!m->funcs.v[i]->is_shadow)
            note(names, m->funcs.v[i]->name, m->funcs.v[i]->has_body);
    for (size_t i = 0; i < m->vars.n; i++)
        note(names, m->vars.v[i]->name, !m->vars.v[i]->is_extern);
}

void ptx_inputs_take(struct ptx_inputs *in)
{
    struct names names = { 0 };
    struct ptx_module **modules = hw_alloc((in->v.n + 1) * sizeof *modules);
    for (size_t i = 0; i < in->v.n; i++) {
        struct diag unused = { 0 };
        if (ptx_parse(in->v.v[i].text, strlen(in->v.v[i].text), &unused, &modules[i]) != PTX_OK)
            modules[i] = NULL;
        diag_fini(&unused);
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < in->v.n; i++) {
            struct ptx_input *input = &in->v.v[i];
            if (input->taken || (input->is_member && modules[i] && !defines_missing(modules[i], &names)))
                continue;
            input->taken = more = true;
            if (modules[i])
                note_all(&names, modules[i]);
        }
    }
    for (size_t i = 0; i < in->v.n; i++)
        if (modules[i])
            ptx_module_free(modules[i]);
    hw_free(modules);
    hw_map_fini(&names.defined);
    hw_map_fini(&names.missing);
}
