// SPDX-License-Identifier: Apache-2.0
// Calls that fail, in many spellings: which answers are looked at. Argument: the number of the case. tests/check/run.py knows which are reports.
#include <cstdio>
#include <cstdlib>

#define BAD ((void *)0x1234567)
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) printf("handled %d\n", (int)e_); } while (0)

__global__ void fill(int *p) { p[threadIdx.x] = 1; }
static cudaError_t give(void *p) { return cudaFree(p); }
static void quiet(void *p) { cudaFree(p); }
struct Owner { void *p; ~Owner() { cudaFree(p); } };
struct Status { cudaError_t last; void set(cudaError_t e) { last = e; } };
static bool ok(cudaError_t e) { return e == cudaSuccess; }
static cudaError_t kept;

int main(int argc, char **argv)
{
    cudaError_t e, f = cudaSuccess;
    cudaEvent_t a, b;
    float ms;
    Status s;
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    // dropped
    case 0: cudaFree(BAD); break;
    case 1: (void)cudaFree(BAD); break;
    case 2: quiet(BAD); break;
    case 3: give(BAD); break;
    case 4: { Owner o = { BAD }; } break;
    case 5: fill<<<1, 4096>>>(nullptr); break;
    case 6: e = cudaFree(BAD); e = cudaDeviceSynchronize(); return e;
    case 7: cudaFree(BAD); f = cudaDeviceSynchronize(); return f;
    case 8: for (int i = 0; i < 3; i++) cudaFree((char *)BAD + i); break;
    // looked at
    case 20: CHECK(cudaFree(BAD)); break;
    case 21: CHECK(give(BAD)); break;
    case 22: if (cudaFree(BAD)) puts("handled"); break;
    case 23: e = cudaFree(BAD); if (e != cudaSuccess) puts("handled"); break;
    case 24: fill<<<1, 4096>>>(nullptr); CHECK(cudaGetLastError()); break;
    case 25: cudaFree(BAD); CHECK(cudaPeekAtLastError()); break;
    case 26: cudaFree(BAD); cudaGetLastError(); break;
    case 27: printf("%d\n", (int)cudaFree(BAD)); break;
    case 28: s.set(cudaFree(BAD)); printf("%d\n", (int)s.last); break;
    case 29: kept = cudaFree(BAD); printf("%d\n", (int)kept); break;
    case 30: if (!ok(cudaFree(BAD))) puts("handled"); break;
    case 31: f = f == cudaSuccess ? cudaFree(BAD) : f; printf("%d\n", (int)f); break;
    case 32: switch (cudaFree(BAD)) { case cudaErrorInvalidValue: puts("handled"); default: break; } break;
    // no failures
    case 40:
        cudaEventCreate(&a); cudaEventCreate(&b); cudaEventRecord(a); cudaEventRecord(b);
        while (cudaEventQuery(b) == cudaErrorNotReady) { }
        cudaStreamQuery(0); cudaEventElapsedTime(&ms, a, b); cudaEventDestroy(a); cudaEventDestroy(b);
        break;
    }
    return 0;
}
