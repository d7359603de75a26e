/* SPDX-License-Identifier: Apache-2.0 */
/* libnvvm: programs of NVVM IR, their options, and what came of them. hostwarp-nvvm (backend.c) makes PTX; what it made before comes from a cache. */
#define _GNU_SOURCE
#include "nvvm.h"

#include "base/cache.h"
#include "base/child.h"
#include "base/os.h"
#include "base/stamps.h"
#include "base/str.h"
#include "base/vec.h"
#include "ptx/lto.h"

#include <stdio.h>
#include <unistd.h>

struct module {
    char *data, *name;
    size_t bytes;
    bool lazy;
};

/*
 * Lifetime  From nvvmCreateProgram to nvvmDestroyProgram.
 * Threads   One at a time per program; different programs are independent.
 */
struct _nvvmProgram {
    HW_VEC(struct module) modules;
    char *result, *log;          /* NULL: none */
};

struct options {
    HW_VEC(char *) words;        /* for hostwarp-nvvm */
    bool lto;
};

static const struct row {
    const char *word, *passed, *values;
} rows[] = {
#define NVVM_OPTION(word, passed, values) { word, passed, values },
#include "nvvm/options.def"
#undef NVVM_OPTION
};

HW_EXPORT const char *nvvmGetErrorString(nvvmResult result)
{
    static const char *const names[] = {
        "NVVM_SUCCESS", "NVVM_ERROR_OUT_OF_MEMORY", "NVVM_ERROR_PROGRAM_CREATION_FAILURE", "NVVM_ERROR_IR_VERSION_MISMATCH", "NVVM_ERROR_INVALID_INPUT",
        "NVVM_ERROR_INVALID_PROGRAM", "NVVM_ERROR_INVALID_IR", "NVVM_ERROR_INVALID_OPTION", "NVVM_ERROR_NO_MODULE_IN_PROGRAM", "NVVM_ERROR_COMPILATION",
    };
    return (size_t)result < HW_LEN(names) ? names[result] : "NVVM_ERROR unknown";
}

HW_EXPORT nvvmResult nvvmVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVVM_ERROR_INVALID_INPUT;
    *major = 2;
    *minor = 0;
    return NVVM_SUCCESS;
}

HW_EXPORT nvvmResult nvvmIRVersion(int *majorIR, int *minorIR, int *majorDbg, int *minorDbg)
{
    if (!majorIR || !minorIR || !majorDbg || !minorDbg)
        return NVVM_ERROR_INVALID_INPUT;
    *majorIR = 2;
    *minorIR = 0;
    *majorDbg = 3;
    *minorDbg = 2;
    return NVVM_SUCCESS;
}

static const struct row *find_option(const char *option, const char **value)
{
    *value = "";
    for (size_t i = 0; i < HW_LEN(rows); i++) {
        size_t n = strlen(rows[i].word), left;
        if (!rows[i].values[0] && strcmp(option, rows[i].word) == 0)
            return &rows[i];
        if (!rows[i].values[0] || strncmp(option, rows[i].word, n) != 0)
            continue;
        for (const char *v = rows[i].values; *v; v += left + (v[left] == ' ')) {
            left = strcspn(v, " ");
            if (left == strlen(option + n) && strncmp(v, option + n, left) == 0) {
                *value = option + n;
                return &rows[i];
            }
        }
    }
    return NULL;
}

HW_EXPORT nvvmResult nvvmLLVMVersion(const char *arch, int *major)
{
    const char *value;
    if (!arch || !major)
        return NVVM_ERROR_INVALID_INPUT;
    char *option = hw_sprintf("-arch=%s", arch);
    const struct row *row = find_option(option, &value);
    hw_free(option);
    *major = 19;
    return row ? NVVM_SUCCESS : NVVM_ERROR_INVALID_INPUT;
}

static void set_log(nvvmProgram p, char *text)
{
    hw_free(p->log);
    p->log = text;
}

static nvvmResult read_options(nvvmProgram p, int n, const char **options, struct options *out)
{
    for (int i = 0; i < n; i++) {
        const char *value;
        const struct row *row = options[i] ? find_option(options[i], &value) : NULL;
        if (!row) {
            set_log(p, hw_sprintf("libnvvm : error: %s is an unsupported option", options[i] ? options[i] : "NULL"));
            return NVVM_ERROR_INVALID_OPTION;
        }
        if (row->passed)
            hw_vec_push(&out->words, hw_sprintf("%s%s", row->passed, value));
        out->lto |= strcmp(row->word, "-gen-lto") == 0;
    }
    return NVVM_SUCCESS;
}

static void options_fini(struct options *o)
{
    for (size_t i = 0; i < o->words.n; i++)
        hw_free(o->words.v[i]);
    hw_vec_fini(&o->words);
}

HW_EXPORT nvvmResult nvvmCreateProgram(nvvmProgram *prog)
{
    if (!prog)
        return NVVM_ERROR_INVALID_PROGRAM;
    *prog = hw_alloc(sizeof **prog);
    return NVVM_SUCCESS;
}

HW_EXPORT nvvmResult nvvmDestroyProgram(nvvmProgram *prog)
{
    if (!prog || !*prog)
        return NVVM_ERROR_INVALID_PROGRAM;
    struct _nvvmProgram *p = *prog;
    for (size_t i = 0; i < p->modules.n; i++) {
        hw_free(p->modules.v[i].data);
        hw_free(p->modules.v[i].name);
    }
    hw_vec_fini(&p->modules);
    hw_free(p->result);
    hw_free(p->log);
    hw_free(p);
    *prog = NULL;
    return NVVM_SUCCESS;
}

static nvvmResult add_module(nvvmProgram prog, const char *buffer, size_t size, const char *name, bool lazy)
{
    if (!prog)
        return NVVM_ERROR_INVALID_PROGRAM;
    if (!buffer || !size)
        return NVVM_ERROR_INVALID_INPUT;
    struct module m = { hw_try_alloc(size + 1), hw_strdup(name && *name ? name : "<unnamed>"), size, lazy };
    if (!m.data) {
        hw_free(m.name);
        return NVVM_ERROR_OUT_OF_MEMORY;
    }
    memcpy(m.data, buffer, size);
    hw_vec_push(&prog->modules, m);
    return NVVM_SUCCESS;
}

HW_EXPORT nvvmResult nvvmAddModuleToProgram(nvvmProgram prog, const char *buffer, size_t size, const char *name)
{
    return add_module(prog, buffer, size, name, false);
}

HW_EXPORT nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram prog, const char *buffer, size_t size, const char *name)
{
    return add_module(prog, buffer, size, name, true);
}

/* --- compiling --- */

/* The name of the entry in the cache, or NULL: there is none. */
static char *cache_name(const struct _nvvmProgram *p, const struct options *o, const char *command)
{
    char *dir = hw_cache_dir("nvvm"), hex[33];
    struct hw_hash h;
    if (!dir)
        return NULL;
    hw_hash_init(&h);
    stamps_hash_identity(&h, command);
    for (size_t i = 0; i < p->modules.n; i++) {
        hw_hash_u64(&h, p->modules.v[i].bytes << 1 | p->modules.v[i].lazy);
        hw_hash_add(&h, p->modules.v[i].data, p->modules.v[i].bytes);
    }
    for (size_t i = 0; i < o->words.n; i++)
        hw_hash_str(&h, o->words.v[i]);
    hw_hash_hex(&h, hex);
    char *name = hw_sprintf("%s/%s.ptx", dir, hex);
    hw_free(dir);
    return name;
}

/* What the back end said, with the modules' names in the place of their files', and without the last line's end. */
static char *with_names(const struct _nvvmProgram *p, const char *said)
{
    struct hw_str out = { 0 };
    for (const char *line = said; *line;) {
        size_t n = strcspn(line, "\n"), i;
        int used = 0;
        if (sscanf(line, "module%zu.l%*[lazy]%n", &i, &used) == 1 && used && i < p->modules.n)
            hw_str_printf(&out, "%s", p->modules.v[i].name);
        else
            used = 0;
        hw_str_add(&out, line + used, n - (size_t)used);
        line += n + (line[n] == '\n');
        if (*line)
            hw_str_add(&out, "\n", 1);
    }
    char *text = hw_strdup(out.s ? out.s : "");
    hw_str_fini(&out);
    return text;
}

/* Puts the modules as files into dir and runs the back end on them. Its exit status; the log is the program's. */
static int run_backend(nvvmProgram p, const struct options *o, const char *command, const char *dir, const char *out)
{
    HW_VEC(char *) args = { 0 };
    char *log = hw_sprintf("%s/log", dir), *slash = strrchr(command, '/');
    bool written = true;
    hw_vec_push(&args, hw_strdup(command));
    hw_vec_push(&args, hw_sprintf("--prelude=%.*s/hostwarp-nvvm.ll", (int)(slash - command), command));
    for (size_t i = 0; i < o->words.n; i++)
        hw_vec_push(&args, hw_strdup(o->words.v[i]));
    if (out) {
        hw_vec_push(&args, hw_strdup("-o"));
        hw_vec_push(&args, hw_strdup(out));
    } else {
        hw_vec_push(&args, hw_strdup("--verify"));
    }
    for (size_t i = 0; i < p->modules.n; i++) {
        char *file = hw_sprintf("%s/module%zu%s", dir, i, p->modules.v[i].lazy ? ".lazy" : ".ll");
        written &= hw_file_write(file, p->modules.v[i].data, p->modules.v[i].bytes);
        hw_vec_push(&args, file);
    }
    hw_vec_push(&args, NULL);
    int status = written ? hw_run(args.v, log) : -1;
    char *said = hw_file_read(log, NULL);
    set_log(p, with_names(p, said ? said : ""));
    hw_free(said);
    for (size_t i = 0; i < args.n; i++)
        hw_free(args.v[i]);
    hw_vec_fini(&args);
    hw_free(log);
    return status;
}

static nvvmResult compile_fresh(nvvmProgram p, const struct options *o, const char *command, const char *kept, bool verify)
{
    char *dir = hw_temp_dir("hostwarp-nvvm"), *out = dir && !verify ? hw_sprintf("%s/out.ptx", dir) : NULL;
    int status = dir ? run_backend(p, o, command, dir, out) : -1;
    size_t n = 0;
    p->result = status == 0 && out ? hw_file_read(out, &n) : NULL;
    if (p->result && kept) {
        char *folder = hw_cache_dir("nvvm");
        hw_cache_write(kept, p->result, n);
        if (folder)
            hw_cache_trim(folder, hw_cache_limit());
        hw_free(folder);
    }
    if (dir)
        hw_remove_tree(dir);
    hw_free(out);
    hw_free(dir);
    return status == 0 ? NVVM_SUCCESS : verify && status == 1 ? NVVM_ERROR_INVALID_IR : NVVM_ERROR_COMPILATION;
}

static nvvmResult compile(nvvmProgram p, int n, const char **options, bool verify)
{
    struct options o = { 0 };
    char *command = NULL, *kept = NULL;
    if (!p)
        return NVVM_ERROR_INVALID_PROGRAM;
    if (n < 0 || (n && !options))
        return NVVM_ERROR_INVALID_INPUT;
    set_log(p, NULL);
    hw_free(p->result);
    p->result = NULL;
    nvvmResult rc = read_options(p, n, options, &o);
    if (!rc && !p->modules.n)
        rc = NVVM_ERROR_NO_MODULE_IN_PROGRAM;
    if (!rc && !(command = hw_find_command((const void *)(uintptr_t)nvvmCreateProgram, "lib/hostwarp-nvvm"))) {
        set_log(p, hw_strdup("libnvvm : error: hostwarp-nvvm is not where this library is"));
        rc = NVVM_ERROR_COMPILATION;
    }
    if (!rc) {
        kept = verify ? NULL : cache_name(p, &o, command);
        if (kept && (p->result = hw_cache_read(kept, NULL)))
            hw_cache_used(kept);
        else
            rc = compile_fresh(p, &o, command, kept, verify);
    }
    if (!rc && o.lto && p->result) {
        char *ptx = p->result;
        p->result = hw_sprintf(PTX_LTO_HEAD "%s", ptx);
        hw_free(ptx);
    }
    hw_free(kept);
    hw_free(command);
    options_fini(&o);
    return rc;
}

HW_EXPORT nvvmResult nvvmCompileProgram(nvvmProgram prog, int numOptions, const char **options) { return compile(prog, numOptions, options, false); }
HW_EXPORT nvvmResult nvvmVerifyProgram(nvvmProgram prog, int numOptions, const char **options) { return compile(prog, numOptions, options, true); }

/* --- results --- */

static nvvmResult give_size(const char *text, size_t *out)
{
    if (!out)
        return NVVM_ERROR_INVALID_INPUT;
    *out = strlen(text) + 1;
    return NVVM_SUCCESS;
}

static nvvmResult give_text(const char *text, char *out)
{
    if (!out)
        return NVVM_ERROR_INVALID_INPUT;
    memcpy(out, text, strlen(text) + 1);
    return NVVM_SUCCESS;
}

HW_EXPORT nvvmResult nvvmGetCompiledResultSize(nvvmProgram prog, size_t *bufferSizeRet)
{
    return !prog ? NVVM_ERROR_INVALID_PROGRAM : give_size(prog->result ? prog->result : "", bufferSizeRet);       /* before it is compiled: nothing */
}

HW_EXPORT nvvmResult nvvmGetCompiledResult(nvvmProgram prog, char *buffer)
{
    return !prog ? NVVM_ERROR_INVALID_PROGRAM : give_text(prog->result ? prog->result : "", buffer);
}

HW_EXPORT nvvmResult nvvmGetProgramLogSize(nvvmProgram prog, size_t *bufferSizeRet)
{
    return !prog ? NVVM_ERROR_INVALID_PROGRAM : give_size(prog->log ? prog->log : "", bufferSizeRet);
}

HW_EXPORT nvvmResult nvvmGetProgramLog(nvvmProgram prog, char *buffer)
{
    return !prog ? NVVM_ERROR_INVALID_PROGRAM : give_text(prog->log ? prog->log : "", buffer);
}
