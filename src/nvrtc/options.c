/* SPDX-License-Identifier: Apache-2.0 */
/* Reading NVRTC's options: what the table has, and nothing else. Values come out in one word with their option, so that none can be taken for another. */
#include "nvrtc/nvrtc_program.h"

enum value { NONE, SAME, WORD, GLUE };
enum what { PASS, NOTHING, LTO, DEVICE, NO_CACHE };

static const struct row {
    const char *name, *long_name;
    enum value value;
    enum what what;
} rows[] = {
#define NVRTC_OPTION(name, long_name, value, what) { name, long_name, value, what },
#include "nvrtc/options.def"
#undef NVRTC_OPTION
};

static bool is_name(const char *text, size_t n, const char *name)
{
    return strlen(name) == n && strncmp(text, name, n) == 0;
}

/* The row of an option, and the value that is in the same word, NULL: none is. */
static const struct row *find(const char *option, const char **value)
{
    *value = NULL;
    if (*option != '-')
        return NULL;
    const char *text = option + 1 + (option[1] == '-');
    size_t n = strcspn(text, "=");
    for (size_t i = 0; i < HW_LEN(rows); i++)
        if (is_name(text, n, rows[i].name) || is_name(text, n, rows[i].long_name)) {
            if (text[n])
                *value = text + n + 1;
            return (rows[i].value == NONE && text[n]) || (rows[i].value == SAME && !text[n]) ? NULL : &rows[i];
        }
    for (size_t i = 0; i < HW_LEN(rows) && *text; i++)
        if (rows[i].value == GLUE && text[0] == rows[i].name[0] && option + 1 == text) {
            *value = text + 1;
            return &rows[i];
        }
    return NULL;
}

static void pass(const struct row *row, const char *value, struct nvrtc_args *out)
{
    char *word = row->value == NONE ? hw_sprintf("-%s", row->name)
               : row->value == GLUE ? hw_sprintf("-%s%s", row->name, value) : hw_sprintf("-%s=%s", row->name, value);
    hw_vec_push(&out->words, word);
}

nvrtcResult nvrtc_options_read(struct _nvrtcProgram *p, int n, const char *const *options, struct nvrtc_args *out)
{
    for (int i = 0; i < n; i++) {
        if (!options[i])
            return NVRTC_ERROR_INVALID_INPUT;
        const char *value, *option = options[i];
        const struct row *row = find(option, &value);
        if (row && row->value >= WORD && !value)
            value = i + 1 < n ? options[++i] : NULL;
        if (!row || (row->value != NONE && (!value || !*value))) {
            hw_free(p->log);
            p->log = hw_sprintf("nvrtc: error: unrecognized option %s found\n", option);
            return NVRTC_ERROR_INVALID_OPTION;
        }
        if (row->what == PASS)
            pass(row, value, out);
        if (strcmp(row->name, "arch") == 0)
            p->real_arch = strncmp(value, "sm_", 3) == 0;
        p->lto |= row->what == LTO;
        out->no_cache |= row->what == NO_CACHE;
        out->device_default |= row->what == DEVICE;
    }
    return NVRTC_SUCCESS;
}

void nvrtc_args_fini(struct nvrtc_args *args)
{
    for (size_t i = 0; i < args->words.n; i++)
        hw_free(args->words.v[i]);
    hw_vec_fini(&args->words);
}
