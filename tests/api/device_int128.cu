// SPDX-License-Identifier: Apache-2.0
// Integers of 128 bits on the device: division and what goes from and to floating point, compared with the host.
#include "runtime_check.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct row {
    uwide a, b;
    double d;
    uwide quotient, rest, u_of_d;
    wide s_quotient, s_rest, s_of_d, s_of_f;
    double d_of_u, d_of_s;
    float f_of_u, f_of_s;
};

__host__ __device__ static void work(row &r)
{
    r.quotient = r.a / r.b;
    r.rest = r.a % r.b;
    r.s_quotient = -(wide)(r.a >> 1) / (wide)(r.b >> 1 | 1);
    r.s_rest = -(wide)(r.a >> 1) % (wide)(r.b >> 1 | 1);
    r.d_of_u = (double)r.a;
    r.d_of_s = (double)-(wide)(r.a >> 1);
    r.f_of_u = (float)(r.a >> 4);
    r.f_of_s = (float)-(wide)(r.a >> 1);
    r.u_of_d = (uwide)r.d;
    r.s_of_d = (wide)-r.d;
    r.s_of_f = (wide)(float)-r.d;
}

__global__ void kernel(row *rows, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        work(rows[i]);
}

int main()
{
    enum { N = 200 };
    row *rows;
    NEED(cudaMallocManaged(&rows, N * sizeof *rows));
    memset(rows, 0, N * sizeof *rows);
    unsigned long long x = 88172645463325252ull, w[4];
    for (int i = 0; i < N; i++) {
        for (unsigned long long &v : w) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            v = x;
        }
        rows[i].a = ((uwide)w[0] << 64 | w[1]) >> i % 127;
        rows[i].b = (((uwide)w[2] << 64 | w[3]) >> i * 3 % 128) | 1;
        rows[i].d = (double)(w[0] >> 11) * (double)(1ull << i % 60);
    }
    kernel<<<2, 128>>>(rows, N);
    NEED(cudaDeviceSynchronize());
    int same = 0;
    for (int i = 0; i < N; i++) {
        row r = rows[i];
        work(r);
        same += memcmp(&r.quotient, &rows[i].quotient, sizeof r - offsetof(row, quotient)) == 0;
    }
    CHECK("wide_integers_are_those_of_the_host", same == N);
    return check_failures != 0;
}
