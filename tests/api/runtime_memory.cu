// SPDX-License-Identifier: Apache-2.0
// Allocation: sizes, alignment, pitch, page-locked and managed memory, what pointers say of themselves.
#include "runtime_check.h"
#include <stdint.h>
#include <string.h>

__device__ int numbers[16];
__global__ void add_to(int *p, int n, int by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += by; }

static void device_memory(void)
{
    static const struct { const char *rule; size_t bytes; cudaError_t want; } cases[] = {
        {"zero_bytes_is_success", 0, cudaSuccess},
        {"one_byte", 1, cudaSuccess},
        {"64_TiB_is_too_much", (size_t)1 << 46, cudaErrorMemoryAllocation},
        {"all_of_the_address_space_is_too_much", SIZE_MAX, cudaErrorMemoryAllocation},
    };
    for (auto &c : cases) {
        void *p = (void *)1;
        CHECK_ERR(c.rule, cudaMalloc(&p, c.bytes), c.want);
        if (c.want == cudaSuccess) {
            CHECK("zero_bytes_are_null_and_others_are_not", (p == NULL) == (c.bytes == 0));
            CHECK("device_memory_is_aligned_to_256", ((uintptr_t)p & 255) == 0);
            CHECK_OK("what_was_allocated_can_be_freed", cudaFree(p));
        }
    }
    char *p;
    NEED(cudaMalloc(&p, 4096));
    CHECK_ERR("an_interior_pointer_cannot_be_freed", cudaFree(p + 256), cudaErrorInvalidValue);
    CHECK_OK("and_the_memory_is_still_there", cudaMemset(p, 0, 4096));
    CHECK_OK("free", cudaFree(p));
    CHECK_ERR("not_twice", cudaFree(p), cudaErrorInvalidValue);
    CHECK_OK("null_is_fine", cudaFree(NULL));

    size_t before = 0, after = 0, total = 0;
    NEED(cudaMemGetInfo(&before, &total));
    NEED(cudaMalloc(&p, 64 << 20));
    NEED(cudaMemGetInfo(&after, &total));
    CHECK("free_memory_shrinks", after <= before - (64 << 20));
    NEED(cudaFree(p));
}

static void pitched_memory(void)
{
    void *p;
    size_t pitch = 0;
    NEED(cudaMallocPitch(&p, &pitch, 1000, 10));
    CHECK("pitch_holds_a_row_and_is_a_multiple_of_512", pitch >= 1000 && pitch % 512 == 0);
    CHECK_OK("all_rows_are_there", cudaMemset2D(p, pitch, 1, pitch, 10));
    NEED(cudaFree(p));
    struct cudaPitchedPtr q;
    NEED(cudaMalloc3D(&q, make_cudaExtent(100, 7, 5)));
    CHECK("3d_memory_remembers_its_extent", q.xsize == 100 && q.ysize == 7 && q.pitch >= 100);
    CHECK_OK("all_layers_are_there", cudaMemset(q.ptr, 0, q.pitch * 7 * 5));
    NEED(cudaFree(q.ptr));
}

static void host_memory(void)
{
    int *h, *d, *pageable = (int *)aligned_alloc(4096, 8192);
    unsigned flags = 99;
    NEED(cudaHostAlloc(&h, 1000 * sizeof *h, cudaHostAllocMapped));
    NEED(cudaHostGetDevicePointer(&d, h, 0));
    for (int i = 0; i < 1000; i++)
        h[i] = i;
    add_to<<<4, 256>>>(d, 1000, 5);
    NEED(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < 1000; i++)
        wrong += h[i] != i + 5;
    CHECK("kernels_write_to_mapped_memory", wrong == 0);
    CHECK("flags_can_be_asked_for", cudaHostGetFlags(&flags, h) == cudaSuccess && (flags & cudaHostAllocMapped));
    NEED(cudaFreeHost(h));

    memset(pageable, 0, 8192);
    CHECK_OK("the_programs_own_memory_can_be_registered", cudaHostRegister(pageable, 8192, cudaHostRegisterMapped));
    NEED(cudaHostGetDevicePointer(&d, pageable, 0));
    add_to<<<8, 256>>>(d, 2048, 7);
    NEED(cudaDeviceSynchronize());
    wrong = 0;
    for (int i = 0; i < 2048; i++)
        wrong += pageable[i] != 7;
    CHECK("kernels_write_to_registered_memory", wrong == 0);
    CHECK_ERR("not_registered_twice", cudaHostRegister(pageable, 4096, 0), cudaErrorHostMemoryAlreadyRegistered);
    CHECK_OK("unregister", cudaHostUnregister(pageable));
    CHECK_ERR("not_unregistered_twice", cudaHostUnregister(pageable), cudaErrorHostMemoryNotRegistered);
    free(pageable);
}

static void pointers(void)
{
    struct cudaPointerAttributes a;
    int here, *d, *h, *m;
    void *symbol;
    size_t bytes = 0;
    NEED(cudaMalloc(&d, 64));
    NEED(cudaMallocHost(&h, 64));
    NEED(cudaMallocManaged(&m, 64));
    CHECK("device_memory_says_so", cudaPointerGetAttributes(&a, d + 3) == cudaSuccess && a.type == cudaMemoryTypeDevice && a.devicePointer == d + 3);
    CHECK("page_locked_memory_says_so", cudaPointerGetAttributes(&a, h) == cudaSuccess && a.type == cudaMemoryTypeHost && a.hostPointer == h);
    CHECK("managed_memory_says_so", cudaPointerGetAttributes(&a, m) == cudaSuccess && a.type == cudaMemoryTypeManaged);
    CHECK("other_memory_says_so", cudaPointerGetAttributes(&a, &here) == cudaSuccess && a.type == cudaMemoryTypeUnregistered);
    CHECK("a_symbol_has_an_address_on_the_device", cudaGetSymbolAddress(&symbol, numbers) == cudaSuccess &&
                                                       cudaPointerGetAttributes(&a, symbol) == cudaSuccess && a.type == cudaMemoryTypeDevice);
    CHECK("a_symbol_has_a_size", cudaGetSymbolSize(&bytes, numbers) == cudaSuccess && bytes == sizeof numbers);
    CHECK_ERR("no_symbol_no_address", cudaGetSymbolAddress(&symbol, here), cudaErrorInvalidSymbol);
    m[0] = 1;
    add_to<<<1, 1>>>(m, 1, 41);
    NEED(cudaDeviceSynchronize());
    CHECK("managed_memory_is_one_memory", m[0] == 42);
    NEED(cudaFree(d));
    NEED(cudaFreeHost(h));
    NEED(cudaFree(m));
}

int main()
{
    device_memory();
    pitched_memory();
    host_memory();
    pointers();
    return check_failures != 0;
}
