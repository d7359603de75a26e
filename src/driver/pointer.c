/* SPDX-License-Identifier: Apache-2.0 */
/* What the address map knows about a pointer, attribute by attribute. */
#include "core/mem/mem.h"
#include "driver/bodies.h"

/* A value in the shape the attribute's caller expects; bytes says how many of it are written. */
struct answer {
    union {
        int i;
        unsigned u;
        unsigned long long u64;
        void *p;
        CUDA_POINTER_ATTRIBUTE_P2P_TOKENS tokens;
    } v;
    size_t bytes;
};

static bool on_host(const struct mem_info *m) { return m->kind == MEM_HOST || m->kind == MEM_REGISTERED; }

static void put_int(struct answer *out, int value)
{
    out->v.i = value;
    out->bytes = sizeof(int);
}

static void put_u64(struct answer *out, uint64_t value)
{
    out->v.u64 = value;
    out->bytes = 8;
}

/* m: the range, of kind MEM_NONE when the pointer is unknown; then the answers are the neutral ones of
   cuPointerGetAttributes. Handles and sizes are all 8 bytes wide, truth values 4. */
static CUresult pointer_answer(const struct mem_info *m, CUpointer_attribute attribute, uint64_t ptr, struct answer *out)
{
    bool known = m->kind != MEM_NONE;

    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        put_u64(out, known ? (uint64_t)m->ctx_handle : 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        put_int(out, !known ? 0 : on_host(m) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        put_u64(out, known ? ptr : 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        put_u64(out, !known || on_host(m) || m->kind == MEM_MANAGED ? ptr : 0);
        return known && !out->v.u64 ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is device memory, which has no host pointer", (unsigned long long)ptr) : CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        /* Fills and copies of device memory wait for nobody here; the real driver answers 1 for it all the same. */
        put_int(out, m->sync_memops || m->kind == MEM_DEVICE || m->kind == MEM_VARIABLE || m->kind == MEM_MANAGED);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        put_u64(out, known ? m->buffer_id : 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        put_int(out, m->kind == MEM_MANAGED);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        put_int(out, known ? m->device : CU_DEVICE_INVALID);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        put_u64(out, known ? m->base : 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        put_u64(out, known ? m->bytes : 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        put_int(out, known);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        put_int(out, known ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        put_u64(out, (uint64_t)m->pool);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        put_u64(out, 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        put_int(out, 0);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:            /* for kernel modules of other vendors: there is no bus here */
        return hw_refuse(known && !on_host(m) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE, "there is no bus, and there are no tokens for it");
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no such attribute of a pointer");
    }
}

CUresult do_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct answer answer = {0};
    struct mem_info info = {0};
    CUresult rc;

    if (!data || !mem_lookup(ptr, &info))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "data is NULL, or 0x%llx is no memory that CUDA knows", (unsigned long long)ptr);
    if ((rc = pointer_answer(&info, attribute, ptr, &answer)))
        return rc;
    memcpy(data, &answer.v, answer.bytes);
    return CUDA_SUCCESS;
}

CUresult do_cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr)
{
    struct mem_info info = {0};

    if (numAttributes == 0 || !attributes || !data)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "attributes or data is NULL, or there are none");
    mem_lookup(ptr, &info);
    for (unsigned i = 0; i < numAttributes; i++) {
        struct answer answer = {0};
        CUresult rc = pointer_answer(&info, attributes[i], ptr, &answer);
        /* An attribute that this memory does not have reads as zero here; an unknown attribute is an error. */
        if (rc && attributes[i] != CU_POINTER_ATTRIBUTE_HOST_POINTER)
            return rc;
        if (!data[i])
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the place for answer %u is NULL", (unsigned)i);
        /* Of memory nobody knows there is no range to speak of: the real driver leaves these alone. */
        if (info.kind == MEM_NONE
            && (attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR || attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE))
            continue;
        memcpy(data[i], &answer.v, answer.bytes);
    }
    return CUDA_SUCCESS;
}

CUresult do_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    unsigned on;

    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "value is NULL, or attribute %d cannot be set", (int)attribute);
    memcpy(&on, value, sizeof on);
    return mem_set_sync_memops(ptr, on != 0);
}
