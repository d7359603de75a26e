// SPDX-License-Identifier: Apache-2.0
// CRC-32 of many messages: bytes, shifts, a table in constant memory, structs by value.
#include "app.h"
#include <string.h>
#include <vector>

__constant__ uint32_t crc_table[256];

struct message {
    uint32_t offset, bytes;
};
struct job {
    const unsigned char *text;
    const message *messages;
    uint32_t *out;
    int n;
};

__host__ __device__ inline uint32_t advance(uint32_t crc, unsigned char c, const uint32_t *table)
{
    return table[(crc ^ c) & 255] ^ crc >> 8;
}

__global__ void crc_all(job j)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= j.n)
        return;
    message m = j.messages[i];
    uint32_t crc = ~0u;
    for (uint32_t k = 0; k < m.bytes; k++)
        crc = advance(crc, j.text[m.offset + k], crc_table);
    j.out[i] = ~crc;
}

int main()
{
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] & 1 ? 0xedb88320u ^ table[i] >> 1 : table[i] >> 1;
    }
    CUDA(cudaMemcpyToSymbol(crc_table, table, sizeof table));

    const int n = 3000;
    std::vector<unsigned char> text(n * 40 + 9);
    std::vector<message> messages(n);
    std::vector<uint32_t> got(n), want(n);
    memcpy(text.data(), "123456789", 9);
    messages[0] = {0, 9};
    for (size_t i = 9; i < text.size(); i++)
        text[i] = (unsigned char)app_random((uint32_t)i);
    for (int i = 1; i < n; i++)
        messages[i] = {9 + (uint32_t)i * 37, app_random((uint32_t)i) % 120};
    for (int i = 0; i < n; i++) {
        uint32_t crc = ~0u;
        for (uint32_t k = 0; k < messages[i].bytes; k++)
            crc = advance(crc, text[messages[i].offset + k], table);
        want[i] = ~crc;
    }
    unsigned char *d_text;
    message *d_messages;
    uint32_t *d_out;
    CUDA(cudaMalloc(&d_text, text.size()));
    CUDA(cudaMalloc(&d_messages, n * sizeof *d_messages));
    CUDA(cudaMalloc(&d_out, n * sizeof *d_out));
    CUDA(cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_messages, messages.data(), n * sizeof *d_messages, cudaMemcpyHostToDevice));
    job j = {d_text, d_messages, d_out, n};
    crc_all<<<(n + 127) / 128, 128>>>(j);
    CUDA(cudaMemcpy(got.data(), d_out, n * sizeof *d_out, cudaMemcpyDeviceToHost));
    printf("crc of 123456789: %08x\n%d messages: %s, hash %016llx\n", got[0], n, got == want ? "right" : "wrong",
           (unsigned long long)app_hash(got.data(), n * 4));
    return got != want;
}
