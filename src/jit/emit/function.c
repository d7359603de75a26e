/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that were not inlined, and calls of them. All have one type: the launch, the block, the group, where their local memory
 * begins, and the mask of each chunk. Parameters and results are in local memory, put there by lower/.
 */
#include "jit/emit/control.h"

#include <stdio.h>

LLVMTypeRef function_type(struct emit *e)
{
    LLVMTypeRef types[4 + PLAN_MAX_CHUNKS] = { ty_ptr(e), ty_ptr(e), ty_int(e, 32, 1), ty_int(e, 64, 1) };
    unsigned n = 4;
    for (unsigned c = 0; e->W > 1 && c < e->C; c++)
        types[n++] = ty_int(e, 32, 1);
    return LLVMFunctionType(LLVMVoidTypeInContext(e->cx), types, n, false);
}

void function_name(struct emit *e, size_t callee, char out[64])
{
    (void)e;
    snprintf(out, 64, "hw_function_%zu", callee);
}

static void call_one(struct emit *e, size_t callee, LLVMValueRef *mask)
{
    char name[64];
    LLVMTypeRef type = function_type(e);
    function_name(e, callee, name);
    LLVMValueRef fn = LLVMGetNamedFunction(e->mod, name), own = k_int(e, 64, 1, e->p->own_local);
    if (!fn)
        fn = LLVMAddFunction(e->mod, name, type);
    LLVMValueRef args[4 + PLAN_MAX_CHUNKS] = { e->launch, e->block, e->warp, e->sp ? LLVMBuildAdd(e->b, e->sp, own, "") : own };
    unsigned n = 4;
    for (unsigned c = 0; e->W > 1 && c < e->C; c++)
        args[n++] = mask_bits(e, mask[c]);
    LLVMBuildCall2(e->b, type, fn, args, n, "");
}

/* Calls the function whose address this is; at `after` when it is through. An address that is none ends the kernel. */
static void dispatch(struct emit *e, LLVMValueRef address, LLVMValueRef *mask, LLVMBasicBlockRef after)
{
    LLVMBasicBlockRef wild = LLVMAppendBasicBlockInContext(e->cx, e->fn, "wild");
    unsigned n = (unsigned)e->kernel->callees.n;
    LLVMValueRef sw = LLVMBuildSwitch(e->b, address, wild, n);
    for (unsigned k = 0; k < n; k++) {
        LLVMBasicBlockRef bb = LLVMAppendBasicBlockInContext(e->cx, e->fn, "call");
        LLVMAddCase(sw, k_int(e, 64, 1, e->kernel->callees.v[k]->address), bb);
        LLVMPositionBuilderAtEnd(e->b, bb);
        call_one(e, k, mask);
        LLVMBuildBr(e->b, after);
    }
    LLVMPositionBuilderAtEnd(e->b, wild);
    struct ir_inst trap = { .op = IR_TRAP, .imm = KABI_TRAP_ILLEGAL_INSTRUCTION, .ptx_line = e->inst->ptx_line };
    emit_trap(e, &trap);
    LLVMBuildUnreachable(e->b);
}

/* Lanes may hold different pointers: those of the first lane that is left go together, until none is. */
static void call_by_lanes(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef vec = ty_int(e, 1, e->W), i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef left[PLAN_MAX_CHUNKS], now[PLAN_MAX_CHUNKS], all = entry_alloca(e, LLVMVectorType(i64, PLAN_LANES), "targets");
    for (unsigned c = 0; c < e->C; c++) {
        left[c] = entry_alloca(e, vec, "left");
        LLVMBuildStore(e->b, mask_or_all(e, c), left[c]);
        LLVMValueRef at = k_int(e, 32, 1, c * e->W), st = LLVMBuildStore(e->b, v_operand(e, &i->src[0], IR_I64, c), LLVMBuildGEP2(e->b, i64, all, &at, 1, ""));
        promise_align(e, st, 8);
    }
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(e->cx, e->fn, "targets"), body = LLVMAppendBasicBlockInContext(e->cx, e->fn, "target"),
                      after = LLVMAppendBasicBlockInContext(e->cx, e->fn, "called"), done = LLVMAppendBasicBlockInContext(e->cx, e->fn, "targets.done");
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    LLVMValueRef bits = k_int(e, 32, 1, 0);
    for (unsigned c = 0; c < e->C; c++) {
        now[c] = LLVMBuildLoad2(e->b, vec, left[c], "");
        bits = LLVMBuildOr(e->b, bits, LLVMBuildShl(e->b, mask_bits(e, now[c]), k_int(e, 32, 1, c * e->W), ""), "");
    }
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, bits, LLVMConstNull(i32), ""), body, done);
    LLVMPositionBuilderAtEnd(e->b, body);
    LLVMValueRef lane = intrinsic2(e, "llvm.cttz", i32, bits, k_int(e, 1, 1, 1));
    LLVMValueRef target = LLVMBuildLoad2(e->b, i64, LLVMBuildGEP2(e->b, i64, all, &lane, 1, ""), "");
    promise_align(e, target, 8);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, v_operand(e, &i->src[0], IR_I64, c), splat(e, target, e->W), "");
        LLVMValueRef mine = LLVMBuildAnd(e->b, now[c], same, "");
        LLVMBuildStore(e->b, LLVMBuildAnd(e->b, now[c], LLVMBuildNot(e->b, same, ""), ""), left[c]);
        now[c] = mine;
    }
    dispatch(e, target, now, after);
    LLVMPositionBuilderAtEnd(e->b, after);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, done);
}

void emit_call(struct emit *e, const struct ir_inst *i)
{
    LLVMValueRef mask[PLAN_MAX_CHUNKS];
    for (unsigned c = 0; e->W > 1 && c < e->C; c++)
        mask[c] = mask_or_all(e, c);
    if (i->imm >= 0) {
        call_one(e, (size_t)i->imm, mask);
    } else if (e->W == 1) {
        LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(e->cx, e->fn, "called");
        dispatch(e, u_operand(e, &i->src[0], IR_I64, 0), mask, after);
        LLVMPositionBuilderAtEnd(e->b, after);
    } else {
        call_by_lanes(e, i);
    }
}

/* Too deep a recursion ends the kernel before it runs into another thread's memory. */
static void check_stack(struct emit *e)
{
    LLVMValueRef top = LLVMBuildAdd(e->b, e->sp, k_int(e, 64, 1, 2ull * e->p->own_local), "");
    LLVMBasicBlockRef deep = new_block(e, "too.deep"), fine = new_block(e, "fine");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, top, k_int(e, 64, 1, e->p->func->local_bytes), ""), deep, fine);
    LLVMPositionBuilderAtEnd(e->b, deep);
    struct ir_inst trap = { .op = IR_TRAP, .imm = KABI_TRAP_ILLEGAL_ADDRESS };
    emit_trap(e, &trap);
    LLVMBuildUnreachable(e->b);
    LLVMPositionBuilderAtEnd(e->b, fine);
}

/* A callee: no loop over groups; the caller says which group and which of its lanes. */
void emit_function(struct emit *e, size_t index)
{
    char name[64];
    const struct plan *p = e->p;
    function_name(e, index, name);
    e->region = 0;
    e->fn = LLVMGetNamedFunction(e->mod, name);
    if (!e->fn)
        e->fn = LLVMAddFunction(e->mod, name, function_type(e));
    LLVMSetLinkage(e->fn, LLVMInternalLinkage);
    e->launch = LLVMGetParam(e->fn, 0);
    e->block = LLVMGetParam(e->fn, 1);
    e->warp = LLVMGetParam(e->fn, 2);
    e->sp = LLVMGetParam(e->fn, 3);
    e->frame = LLVMGetPoison(ty_ptr(e));
    open_function(e);
    masks_make_slots(e);
    for (int b = 0; b < p->n_blocks; b++) {
        char block_name[24];
        snprintf(block_name, sizeof block_name, "B%d", b);
        e->bb[b] = new_block(e, block_name);
    }
    e->next = new_block(e, "leave");
    LLVMPositionBuilderAtEnd(e->b, e->next);
    LLVMBuildRetVoid(e->b);
    LLVMBasicBlockRef start = new_block(e, "start");
    LLVMPositionBuilderAtEnd(e->b, start);
    e->m[0] = NULL;
    e->at = 0;
    check_stack(e);
    masks_clear(e);
    clear_undefined(e);
    for (unsigned c = 0; e->W > 1 && c < e->C; c++) {
        LLVMValueRef bits = LLVMBuildTrunc(e->b, LLVMGetParam(e->fn, 4 + c), ty_int(e, e->W, 1), "");
        LLVMBuildStore(e->b, cast_to(e, bits, ty_int(e, 1, e->W)), e->mask[0][c]);
    }
    LLVMBuildBr(e->b, e->bb[0]);
    for (int b = 0; b < p->n_blocks; b++)
        emit_block(e, b);
    LLVMBuildBr(e->eb, start);
    LLVMBuildBr(e->ab, LLVMGetNextBasicBlock(LLVMGetInsertBlock(e->ab)));
}
