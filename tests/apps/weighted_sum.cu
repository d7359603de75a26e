// SPDX-License-Identifier: Apache-2.0
// Weights from one row against several, then a weighted sum of columns: two loops over dynamic shared memory, cut by barriers.
// Every input is 1, so every output is width * rows / 16 = 144.
#include <cstdio>

__global__ void weighted_sum(const float *__restrict__ row, const float *__restrict__ keys, const float *__restrict__ values, int rows,
                             int pitch, int out_pitch, int parts, float scale, float *__restrict__ out)
{
    extern __shared__ float shared[];
    int width = pitch / parts, group = blockIdx.x / parts, part = blockIdx.x % parts;
    unsigned t = threadIdx.x;
    float *own = shared, *weight = shared + width;
    int place = group * pitch + part * width + t;
    if (t < width)
        own[t] = row[place];
    __syncthreads();
    float sum = 0.0f;
    if (t < rows) {
        const float *key = keys + group * pitch * rows + part * width + t * pitch;
        for (int i = 0; i < width; i++)
            sum += own[i] * key[i];
        sum *= scale;
    }
    if (t < rows)
        weight[t] = sum;
    __syncthreads();
    sum = 0.0f;
    if (t < width) {
        int first = group * out_pitch * rows + part * width + t;
        for (int i = 0; i < rows; i++)
            sum += weight[i] * values[first + i * out_pitch];
        out[group * out_pitch + part * width + t] = sum;
    }
}

int main()
{
    const int rows = 9, pitch = 4096, parts = 16, groups = 4;
    const size_t n = (size_t)groups * pitch * rows;
    float *host = new float[n], *row, *keys, *values, *out;
    for (size_t i = 0; i < n; i++)
        host[i] = 1;
    cudaMalloc(&row, n * 4), cudaMalloc(&keys, n * 4), cudaMalloc(&values, n * 4), cudaMalloc(&out, groups * pitch * 4);
    cudaMemcpy(row, host, n * 4, cudaMemcpyHostToDevice), cudaMemcpy(keys, host, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(values, host, n * 4, cudaMemcpyHostToDevice);
    weighted_sum<<<parts * groups, pitch / parts, 4 * (pitch / parts + rows)>>>(row, keys, values, rows, pitch, pitch, parts, 1.0f / 16, out);
    cudaError_t launched = cudaGetLastError(), copied = cudaMemcpy(host, out, groups * pitch * 4, cudaMemcpyDeviceToHost);
    printf("%g %g (want 144) %s, %s\n", host[0], host[255], cudaGetErrorString(launched), cudaGetErrorString(copied));
    return host[0] != 144 || host[255] != 144;
}
