// SPDX-License-Identifier: Apache-2.0
// Fields of records side by side, in memory that begins and ends exactly with what is read: nothing before or behind it may be touched. Pages
// that nobody may read lie on both sides.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <sys/mman.h>

template <class T, int PER, int FIRST, int LAST> __global__ void read(const T *p, uint64_t *out)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[i * PER] + 3 * (uint64_t)p[i * PER + LAST - FIRST];        // p is the first one's field
}

template <class T, int PER> __global__ void write(T *p)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < PER; k++)
        p[i * PER + k] = T(i * 7 + k);
}

static const size_t page = 4096;
static int bad;

// The last record that is read lacks what comes behind its last field, the first one what comes before its first.
template <class T, int PER, int FIRST, int LAST> void check(char *memory, uint64_t *out, bool at_the_end)
{
    const int n = 256;
    size_t bytes = ((n - 1) * PER + LAST - FIRST + 1) * sizeof(T);
    T *p = (T *)(at_the_end ? memory + 4 * page - bytes : memory);
    for (size_t k = 0; k < bytes / sizeof(T); k++)
        p[k] = T(k * 2654435761u >> 3);
    read<T, PER, FIRST, LAST><<<1, n>>>(p, out);
    cudaError_t e = cudaDeviceSynchronize();
    bool good = e == cudaSuccess;
    for (int i = 0; i < n && good; i++)
        good = out[i] == p[i * PER] + 3 * (uint64_t)p[i * PER + LAST - FIRST];
    if (!good)
        printf("not ok - %zu bytes, %d in a record, fields %d and %d, %s: %s\n", sizeof(T), PER, FIRST, LAST, at_the_end ? "end" : "begin", cudaGetErrorName(e)), bad++;
}

template <class T, int PER> void check_all(char *memory, uint64_t *out)
{
    for (bool at_the_end : { false, true }) {
        check<T, PER, 0, 0>(memory, out, at_the_end);
        check<T, PER, 0, PER - 1>(memory, out, at_the_end);
        check<T, PER, 1, PER - 1>(memory, out, at_the_end);
    }
    const int n = 4 * page / (PER * sizeof(T)) < 256 ? 32 : 256;
    T *p = (T *)(memory + 4 * page - n * PER * sizeof(T));
    write<T, PER><<<1, n>>>(p);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int k = 0; k < n * PER && good; k++)
        good = p[k] == T(k / PER * 7 + k % PER);
    if (!good)
        printf("not ok - stores of %zu bytes, %d in a record\n", sizeof(T), PER), bad++;
}

template <class T> void check_type(char *memory, uint64_t *out)
{
    check_all<T, 2>(memory, out), check_all<T, 3>(memory, out), check_all<T, 4>(memory, out);
    if (sizeof(T) < 8)
        check_all<T, 5>(memory, out), check_all<T, 6>(memory, out), check_all<T, 7>(memory, out), check_all<T, 8>(memory, out);
}

int main()
{
    char *all = (char *)mmap(nullptr, 6 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *memory = all + page;
    uint64_t *out;
    mprotect(memory, 4 * page, PROT_READ | PROT_WRITE);
    if (cudaHostRegister(memory, 4 * page, cudaHostRegisterMapped) || cudaMallocManaged(&out, 256 * 8)) {
        printf("not ok - memory\n");
        return 1;
    }
    check_type<uint8_t>(memory, out);
    check_type<uint16_t>(memory, out);
    check_type<uint32_t>(memory, out);
    check_type<uint64_t>(memory, out);
    printf("%s - fields at both ends of memory\n", bad ? "not ok" : "ok");
    return bad != 0;
}
