/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What LLVM is told beyond what the code itself says: alignment, memory that does not overlap or change, calls without effects. LLVM removes code that
 * would break such a promise, so a false one is a wrong answer without a word. All of them are made here; HOSTWARP_PROMISES=0 makes none, so that code
 * with and without them can be compared. Nothing else claims anything: additions wrap (no nsw or nuw), addresses are plain (no inbounds).
 */
#include "jit/emit.h"

unsigned promised_align(const struct emit *e, unsigned bytes) { return e->promises ? bytes : 1; }

void promise_align(const struct emit *e, LLVMValueRef access, unsigned bytes)
{
    LLVMSetAlignment(access, promised_align(e, bytes));
}

void promise_unchanging(const struct emit *e, LLVMValueRef load)
{
    if (e->promises)
        LLVMSetMetadata(load, LLVMGetMDKindIDInContext(e->cx, "invariant.load", 14), LLVMMetadataAsValue(e->cx, LLVMMDNodeInContext2(e->cx, NULL, 0)));
}

void promise_readable(struct emit *e, LLVMValueRef pointer_load, uint64_t bytes)
{
    LLVMValueRef n = k_int(e, 64, 1, bytes);
    if (e->promises)
        LLVMSetMetadata(pointer_load, LLVMGetMDKindIDInContext(e->cx, "dereferenceable", 15), LLVMMDNodeInContext(e->cx, &n, 1));
}

void promise_spaces(struct emit *e)
{
    static const char *const names[TAG_COUNT] = { "global", "shared", "local", "frame" };
    LLVMMetadataRef root_name = LLVMMDStringInContext2(e->cx, "hostwarp", 8);
    LLVMMetadataRef root = LLVMMDNodeInContext2(e->cx, &root_name, 1);
    LLVMMetadataRef zero = LLVMValueAsMetadata(k_int(e, 64, 1, 0));
    for (int t = 0; e->promises && t < TAG_COUNT; t++) {
        LLVMMetadataRef type[] = { LLVMMDStringInContext2(e->cx, names[t], strlen(names[t])), root, zero };
        LLVMMetadataRef node = LLVMMDNodeInContext2(e->cx, type, 3), access[] = { node, node, zero };
        e->tag[t] = LLVMMetadataAsValue(e->cx, LLVMMDNodeInContext2(e->cx, access, 3));
    }
}

LLVMValueRef tag_memory(struct emit *e, LLVMValueRef access, enum emit_tag tag)
{
    if (e->tag[tag] && LLVMIsAInstruction(access))
        LLVMSetMetadata(access, LLVMGetMDKindIDInContext(e->cx, "tbaa", 4), e->tag[tag]);
    return access;
}

static LLVMAttributeRef attribute(const struct emit *e, const char *name, uint64_t value)
{
    return LLVMCreateEnumAttribute(e->cx, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

void promise_no_alias(const struct emit *e, LLVMValueRef fn, unsigned parameter)
{
    if (e->promises)
        LLVMAddAttributeAtIndex(fn, parameter + 1, attribute(e, "noalias", 0));
}

void promise_pure(const struct emit *e, LLVMValueRef fn)
{
    const LLVMAttributeIndex function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    enum { TOUCHES_NO_MEMORY = 0 };
    if (!e->promises)
        return;
    LLVMAddAttributeAtIndex(fn, function, attribute(e, "memory", TOUCHES_NO_MEMORY));
    LLVMAddAttributeAtIndex(fn, function, attribute(e, "willreturn", 0));
}

void promise_private_effects(const struct emit *e, LLVMValueRef call)
{
    enum { READS_ARGUMENTS = 1, CHANGES_ITS_OWN = 3 << 2 };          /* LLVM's memory(argmem: read, inaccessiblemem: readwrite) */
    if (e->promises)
        LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute(e, "memory", READS_ARGUMENTS | CHANGES_ITS_OWN));
}
