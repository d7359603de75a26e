/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines of kernels for debuggers: LLVM writes them into the object as DWARF, from the .loc of the PTX (-lineinfo). A kernel's first region has the kernel's name; those behind
 * a barrier have their number behind it.
 */
#include "jit/code/lines.h"

#include "base/options.h"
#include "base/str.h"
#include "jit/emit.h"

#include <stdlib.h>

bool lines_wanted(void) { return strcmp(hw_options()->debug, "gdb") == 0; }

static void hash_lines(struct hw_hash *h, const struct ir_func *f)
{
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t k = 0; k < f->blocks.v[b]->insts.n; k++)
            hw_hash_u64(h, (uint64_t)f->blocks.v[b]->insts.v[k]->src_file << 32 | f->blocks.v[b]->insts.v[k]->src_line);
}

void lines_hash(struct hw_hash *h, const struct ir_func *f)
{
    if (!lines_wanted())
        return;
    hw_hash_str(h, "lines");
    hash_lines(h, f);
    for (size_t i = 0; i < f->callees.n; i++)
        hash_lines(h, f->callees.v[i]);
    for (size_t i = 0; i < f->module->files.n; i++)
        hw_hash_str(h, f->module->files.v[i] ? f->module->files.v[i] : "");
}

static LLVMMetadataRef file_of(struct emit *e, uint32_t index)
{
    const struct ir_module *m = e->kernel->module;
    const char *name = index < m->files.n && m->files.v[index] ? m->files.v[index] : "kernel";
    return LLVMDIBuilderCreateFile(e->lines.builder, name, strlen(name), "", 0);
}

static void add_flag(struct emit *e, const char *name, uint32_t value)
{
    LLVMAddModuleFlag(e->mod, LLVMModuleFlagBehaviorWarning, name, strlen(name), LLVMValueAsMetadata(k_int(e, 32, 1, value)));
}

static void begin_unit(struct emit *e, uint32_t file)
{
    static const char who[] = "hostwarp";
    e->lines.builder = LLVMCreateDIBuilder(e->mod);
    add_flag(e, "Debug Info Version", LLVMDebugMetadataVersion());
    add_flag(e, "Dwarf Version", 4);
    LLVMDIBuilderCreateCompileUnit(e->lines.builder, LLVMDWARFSourceLanguageC_plus_plus, file_of(e, file), who, sizeof who - 1, true, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, false,
                                   false, "", 0, "", 0);
}

/* The first instruction with a line, for where the function is said to begin. */
static const struct ir_inst *first_line(const struct ir_func *f)
{
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t k = 0; k < f->blocks.v[b]->insts.n; k++)
            if (f->blocks.v[b]->insts.v[k]->src_line)
                return f->blocks.v[b]->insts.v[k];
    return NULL;
}

/* The plain name in a mangled one: the last of the names that _Z or _ZN begins with; debuggers look functions up by it. What is not mangled is one. */
static char *plain_name(const char *symbol)
{
    const char *p = symbol, *name = symbol;
    size_t n = strlen(symbol);
    if (strncmp(p, "_Z", 2) != 0)
        return hw_strdup(symbol);
    p += 2;
    p += *p == 'N';
    p += *p == 'L';
    while (*p >= '1' && *p <= '9') {
        char *end;
        unsigned long bytes = strtoul(p, &end, 10);
        if (bytes > strlen(end))
            break;
        name = end;
        n = bytes;
        p = end + bytes;
    }
    return hw_strndup(name, n);
}

void lines_function(struct emit *e)
{
    if (!lines_wanted())
        return;
    const struct ir_inst *first = first_line(e->p->func);
    uint32_t line = first ? first->src_line : 0, file = first ? first->src_file : 0;
    if (!e->lines.builder)
        begin_unit(e, file);
    LLVMMetadataRef where = file_of(e, file), type = LLVMDIBuilderCreateSubroutineType(e->lines.builder, where, NULL, 0, LLVMDIFlagZero);
    char *name = e->region ? hw_sprintf("%s.region%d", e->p->func->name, e->region) : hw_strdup(e->p->func->name), *plain = plain_name(name);
    e->lines.scope = LLVMDIBuilderCreateFunction(e->lines.builder, where, plain, strlen(plain), name, strlen(name), where, line, type, false, true, line, LLVMDIFlagZero, true);
    hw_free(name);
    hw_free(plain);
    LLVMSetSubprogram(e->fn, e->lines.scope);
    e->lines.file = file;
    LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(e->cx, line, 0, e->lines.scope, NULL);
    LLVMSetCurrentDebugLocation2(e->b, at);
    LLVMSetCurrentDebugLocation2(e->eb, at);
    LLVMSetCurrentDebugLocation2(e->ab, at);
}

/* Lines of another file, whose functions were inlined, are in a scope with that file. */
void lines_at(struct emit *e, const struct ir_inst *i)
{
    if (!e->lines.scope || !i->src_line)
        return;
    LLVMMetadataRef scope = e->lines.scope;
    if (i->src_file != e->lines.file)
        scope = LLVMDIBuilderCreateLexicalBlockFile(e->lines.builder, scope, file_of(e, i->src_file), 0);
    LLVMSetCurrentDebugLocation2(e->b, LLVMDIBuilderCreateDebugLocation(e->cx, i->src_line, 0, scope, NULL));
}

void lines_group(struct emit *e)
{
    if (!e->lines.scope)
        return;
    LLVMValueRef at = k_int(e, 64, 1, offsetof(struct kabi_block, group));
    LLVMSetVolatile(LLVMBuildStore(e->b, e->warp, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), e->block, &at, 1, "")), true);
}

void lines_end(struct emit *e)
{
    if (!e->lines.builder)
        return;
    LLVMDIBuilderFinalize(e->lines.builder);
    LLVMDisposeDIBuilder(e->lines.builder);
    e->lines.builder = NULL;
}
