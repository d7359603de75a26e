// SPDX-License-Identifier: Apache-2.0
// Kernels on memory that the program registered: many values stay alive around every access, and its ends are exact.
#include "runtime_check.h"
#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// Each thread keeps 24 running values while it walks; the same sums are made on the host.
__global__ void weave(const float *p, float *out, int n)
{
    float v[24];
    int t = threadIdx.x;
    for (int k = 0; k < 24; k++)
        v[k] = (float)(t + k);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 24; k++)
            v[k] = v[k] * 0.5f + p[(i * 7 + t * 3 + k) % 512];
    float sum = 0;
    for (int k = 0; k < 24; k++)
        sum += v[k] * (float)(k + 1);
    out[t] = sum;
}

static float woven(const float *p, int n, int t)
{
    float v[24], sum = 0;
    for (int k = 0; k < 24; k++)
        v[k] = (float)(t + k);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 24; k++)
            v[k] = v[k] * 0.5f + p[(i * 7 + t * 3 + k) % 512];
    for (int k = 0; k < 24; k++)
        sum += v[k] * (float)(k + 1);
    return sum;
}

// Two neighbours from one address: the first may be fine while the second is not.
__global__ void neighbours(const float *p, float *out) { out[threadIdx.x] = p[0] + p[1]; }
__global__ void rows(const float *p, float *out) { out[threadIdx.x] = p[threadIdx.x] + p[threadIdx.x + 64]; }

// The second access comes after a branch, and the first one's check may serve it.
__global__ void after_a_branch(const float *p, float *out, const int *index)
{
    const float *q = p + index[threadIdx.x];
    float first = q[0];
    if (first > 15.0f)
        out[threadIdx.x] = first;
    out[threadIdx.x] += q[64];
}

int main()
{
    int status = 0;
    pid_t second = fork();       // an illegal access is the last thing a process does with its device: two of them, two processes
    if (second > 0)
        waitpid(second, &status, 0);
    second = second == 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    float *h = (float *)mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *d, *out, got[64];
    for (size_t i = 0; i < 2 * page / 4; i++)
        h[i] = (float)(i % 31);
    NEED(cudaHostRegister(h, page, cudaHostRegisterMapped));
    NEED(cudaHostGetDevicePointer((void **)&d, h, 0));
    NEED(cudaMalloc(&out, 64 * sizeof(float)));

    weave<<<1, 64>>>(d, out, 50);
    NEED(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int same = 0;
    for (int t = 0; t < 64; t++)
        same += fabsf(got[t] - woven(h, 50, t)) <= 1e-3f * fabsf(got[t]);
    CHECK("values_survive_accesses_to_registered_memory", same == 64);

    size_t last = page / sizeof(float);
    neighbours<<<1, 32>>>(d + last - 2, out);
    CHECK_OK("the_last_two_elements_may_be_read", cudaDeviceSynchronize());
    rows<<<1, 64>>>(d + last - 128, out);
    CHECK_OK("the_last_rows_too", cudaDeviceSynchronize());

    int index[64], *d_index;
    for (int t = 0; t < 64; t++)
        index[t] = t * 5 % 64;
    NEED(cudaMalloc(&d_index, sizeof index));
    NEED(cudaMemcpy(d_index, index, sizeof index, cudaMemcpyHostToDevice));
    NEED(cudaMemset(out, 0, sizeof got));
    after_a_branch<<<1, 64>>>(d + last - 128, out, d_index);
    NEED(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    same = 0;
    for (int t = 0; t < 64; t++) {
        float first = h[last - 128 + index[t]];
        same += got[t] == (first > 15.0f ? first : 0.0f) + h[last - 64 + index[t]];
    }
    CHECK("the_last_ones_after_a_branch", same == 64);

    int pageable = 0;
    cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0);
    if (!pageable && second) {
        after_a_branch<<<1, 64>>>(d + last - 127, out, d_index);
        CHECK_ERR("one_behind_the_end_after_a_branch_too", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        cudaDeviceReset();
    } else if (!pageable) {
        neighbours<<<1, 32>>>(d + last - 1, out);
        CHECK_ERR("one_behind_the_end_is_illegal", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        cudaDeviceReset();
    }
    return check_failures != 0 || status != 0;
}
