// SPDX-License-Identifier: Apache-2.0
// All ways in which lanes go along memory that the program registered: up, down, some of them, by index with and without a sign, to read and to write.
// To the last element is fine, whatever lanes that are off would touch; one further is an illegal address.
#include "runtime_check.h"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LANES = 64, WAYS = 8 };
static const char *const names[WAYS] = { "up", "down", "some", "by_index", "by_index_without_sign", "write_up", "write_down", "write_some" };

// n: how many elements there are behind p
__global__ void go(float *p, float *out, const int *index, int way, int n)
{
    int t = threadIdx.x;
    switch (way) {
    case 0: out[t] = p[n - LANES + t]; break;
    case 1: out[t] = p[n - 1 - t]; break;
    case 2: out[t] = 0; if (t < n) out[t] = p[t]; break;
    case 3: out[t] = p[n - LANES + index[t]]; break;
    case 4: out[t] = p[(unsigned)(n - LANES + index[t])]; break;
    case 5: p[n - LANES + t] = (float)t; break;
    case 6: p[n - 1 - t] = (float)t; break;
    case 7: if (t < n) p[t] = (float)t; break;
    }
}

int main()
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all = page / sizeof(float);
    int bad = 0;
    for (int way = 0; way < WAYS; way++) {
        fflush(stdout);
        pid_t child = fork();    // an illegal access is the last thing a process does with its device
        if (child) {
            int status = 0;
            waitpid(child, &status, 0);
            bad += status != 0;
            continue;
        }
        float *h = (float *)mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *d, *out, got[LANES];
        int index[LANES], *d_index, pageable = 0, wrong = 0, some = way == 2 || way == 7, n = some ? 40 : LANES;
        for (size_t i = 0; i < 2 * page / sizeof(float); i++)
            h[i] = (float)i;
        for (int t = 0; t < LANES; t++)
            index[t] = (t * 5 + 3) % LANES;
        NEED(cudaHostRegister(h, page, cudaHostRegisterMapped));
        NEED(cudaHostGetDevicePointer((void **)&d, h, 0));
        NEED(cudaMalloc(&out, sizeof got));
        NEED(cudaMalloc(&d_index, sizeof index));
        NEED(cudaMemcpy(d_index, index, sizeof index, cudaMemcpyHostToDevice));
        float *from = d + all - n, *here = h + all - n;
        go<<<1, LANES>>>(from, out, d_index, way, n);
        NEED(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        for (int t = 0; t < LANES; t++) {
            float first = (float)(all - n), want[WAYS] = { first + t, first + n - 1 - t, t < n ? first + t : 0, first + index[t], first + index[t] };
            if (way < 5)
                wrong += got[t] != want[way];
            else if (t < n)
                wrong += here[t] != (float)(way == 6 ? n - 1 - t : t);
        }
        CHECK(names[way], wrong == 0);
        cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0);
        if (!pageable) {
            char rule[64];
            snprintf(rule, sizeof rule, "%s_one_further", names[way]);
            go<<<1, LANES>>>(from + 1, out, d_index, way, n);
            CHECK_ERR(rule, cudaDeviceSynchronize(), cudaErrorIllegalAddress);
            cudaDeviceReset();
        }
        fflush(stdout);
        _exit(check_failures != 0);
    }
    return bad != 0;
}
