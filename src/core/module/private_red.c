/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which reductions of a launch threads may collect (kabi/private_red.h): those into device memory that nothing else in the kernel touches. Pointers that lie in one
 * allocation, or right behind it, may lead to the same place; those to different ones do not. Memory that is mapped (by vmm.c or ipc.c) may have
 * other addresses, and that of the host is looked at by others while the kernel runs: neither is collected.
 */
#include "core/mem/mem.h"
#include "core/module/launch.h"
#include "exec/exec.h"

static uint64_t root_address(const struct kabi_launch *kl, const struct kabi_root *r)
{
    uint64_t a = 0;
    if (r->variable)
        return (uint64_t)(uintptr_t)kl->globals[r->variable - 1];
    if (r->offset + sizeof a <= kl->param_bytes)
        memcpy(&a, (const char *)kl->params + r->offset, sizeof a);
    return a;
}

/* The one pointer among the roots of a reduction; false: there is none, or the memory is of another kind. */
static bool table_at(const struct kabi_launch *kl, const struct kabi_red *red, uint64_t *out_addr, struct mem_info *out)
{
    unsigned n = 0;
    for (unsigned k = 0; k < red->n_roots; k++) {
        struct mem_info info;
        uint64_t addr = root_address(kl, &red->roots[k]);
        if (!mem_lookup(addr, &info))
            continue;
        *out_addr = addr;
        *out = info;
        n++;
    }
    return n == 1 && (out->kind == MEM_DEVICE || out->kind == MEM_VARIABLE) && !out->external;
}

/* Right behind its last byte it may still be meant, unless other memory begins there. */
static bool leads_there(const struct kabi_launch *kl, const struct kabi_root *roots, unsigned n, const struct mem_info *there)
{
    struct mem_info next;
    for (unsigned k = 0; k < n; k++) {
        uint64_t far = root_address(kl, &roots[k]) - there->base;
        if (far < there->bytes || (far == there->bytes && !mem_lookup(there->base + far, &next)))
            return true;
    }
    return false;
}

static bool others_come(const struct kabi_launch *kl, const struct kabi_reds *reds, unsigned red, const struct mem_info *there)
{
    if (leads_there(kl, reds->others, reds->n_others, there))
        return true;
    for (unsigned k = 0; k < reds->n; k++)
        if (k != red && leads_there(kl, reds->v[k].roots, reds->v[k].n_roots, there))
            return true;
    return false;
}

void launch_collect(struct exec_launch *l)
{
    const struct kabi_reds *reds = &l->kernel->reds;
    for (unsigned k = 0; k < reds->n; k++) {
        struct mem_info info;
        uint64_t addr;
        if (!table_at(&l->kl, &reds->v[k], &addr, &info) || others_come(&l->kl, reds, k, &info))
            continue;
        addr = hw_max_u64(info.base, addr & ~(uint64_t)(KABI_PRIVATE_ALIGN - 1));
        exec_launch_collect(l, k, addr, (info.base + info.bytes - addr) / reds->v[k].bytes);
    }
}
