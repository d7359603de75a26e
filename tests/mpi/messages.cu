// SPDX-License-Identifier: Apache-2.0
// MPI is given memory of every kind that CUDA makes: messages small and large, many at a time, with gaps; collective operations; windows. Kernels write what is sent and look at what came.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <mpi.h>
#include <mpi-ext.h>

#define NEED(call)                                                                                              \
    do {                                                                                                        \
        cudaError_t rc = (call);                                                                                \
        if (rc != cudaSuccess) {                                                                                \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc));         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                       \
        }                                                                                                       \
    } while (0)

enum kind { HOST, DEVICE, MANAGED, PINNED, REGISTERED, POOL, SHARED, KINDS };
static const char *const names[] = {"host", "device", "managed", "pinned", "registered", "pool", "shared"};
static int rank, ranks, failures;

__global__ void write(unsigned char *p, size_t n, unsigned seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (unsigned char)(i * 7 + (i >> 8) * 13 + seed);
}

__global__ void compare(const unsigned char *p, size_t n, unsigned seed, unsigned long long *wrong)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (p[i] != (unsigned char)(i * 7 + (i >> 8) * 13 + seed))
            atomicAdd(wrong, 1ull);
}

static unsigned char *make(kind k, size_t n)
{
    unsigned char *p = nullptr;
    cudaIpcMemHandle_t handle;
    switch (k) {
    case HOST: return (unsigned char *)std::malloc(n);
    case DEVICE: NEED(cudaMalloc(&p, n)); break;
    case MANAGED: NEED(cudaMallocManaged(&p, n)); break;
    case PINNED: NEED(cudaMallocHost(&p, n)); break;
    case REGISTERED:
        p = (unsigned char *)std::malloc(n);
        NEED(cudaHostRegister(p, n, cudaHostRegisterDefault));
        break;
    case POOL:
        NEED(cudaMallocAsync(&p, n, 0));
        NEED(cudaStreamSynchronize(0));
        break;
    default:                                     // memory that other processes may open
        NEED(cudaMalloc(&p, n));
        NEED(cudaIpcGetMemHandle(&handle, p));
    }
    return p;
}

static void give_back(kind k, unsigned char *p)
{
    switch (k) {
    case PINNED: NEED(cudaFreeHost(p)); break;
    case REGISTERED: NEED(cudaHostUnregister(p));    // falls through
    case HOST: std::free(p); break;
    case POOL: NEED(cudaFreeAsync(p, 0)); break;
    default: NEED(cudaFree(p));
    }
}

// What a kernel cannot touch goes through device memory.
static void fill(kind k, unsigned char *p, size_t n, unsigned seed)
{
    unsigned char *at = k == HOST ? make(DEVICE, n) : p;
    write<<<8, 128>>>(at, n, seed);
    if (k == HOST) {
        NEED(cudaMemcpy(p, at, n, cudaMemcpyDeviceToHost));
        give_back(DEVICE, at);
    }
    NEED(cudaDeviceSynchronize());
}

static void expect(const char *what, kind from, kind to, unsigned char *p, size_t n, unsigned seed)
{
    unsigned char *at = to == HOST ? make(DEVICE, n) : p;
    unsigned long long *wrong, count;
    NEED(cudaMalloc(&wrong, sizeof *wrong));
    NEED(cudaMemset(wrong, 0, sizeof *wrong));
    if (to == HOST)
        NEED(cudaMemcpy(at, p, n, cudaMemcpyHostToDevice));
    compare<<<8, 128>>>(at, n, seed, wrong);
    NEED(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
    NEED(cudaFree(wrong));
    if (to == HOST)
        give_back(DEVICE, at);
    if (count) {
        std::printf("rank %d: %s, %s to %s, %zu bytes: %llu are wrong\n", rank, what, names[from], names[to], n, count);
        failures++;
    }
}

static void ring(kind from, kind to, size_t n, size_t offset)
{
    unsigned char *out = make(from, n + offset), *in = make(to, n + offset);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    fill(from, out + offset, n, rank * 31 + 1);
    fill(to, in + offset, n, 99);
    MPI_Sendrecv(out + offset, (int)n, MPI_BYTE, next, 1, in + offset, (int)n, MPI_BYTE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect("sendrecv", from, to, in + offset, n, before * 31 + 1);
    give_back(from, out);
    give_back(to, in);
}

static void many_at_a_time(kind k)
{
    const int count = 16;
    const size_t each = 50000;
    unsigned char *out = make(k, count * each), *in = make(k, count * each);
    std::vector<MPI_Request> requests(2 * count);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    fill(k, out, count * each, rank + 5);
    for (int i = 0; i < count; i++)
        MPI_Irecv(in + i * each, (int)each, MPI_BYTE, before, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = count; i-- > 0;)
        MPI_Isend(out + i * each, (int)each, MPI_BYTE, next, i, MPI_COMM_WORLD, &requests[count + i]);
    MPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE);
    expect("many messages", k, k, in, count * each, before + 5);
    give_back(k, out);
    give_back(k, in);
}

// A column of a matrix: one byte of every 64 from the sender, packed at the receiver.
static void gaps(kind k)
{
    const int rows = 3000, pitch = 64;
    unsigned char *matrix = make(k, (size_t)rows * pitch), *packed = make(DEVICE, rows);
    MPI_Datatype column;
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Type_vector(rows, 1, pitch, MPI_BYTE, &column);
    MPI_Type_commit(&column);
    fill(DEVICE, packed, rows, rank + 9);
    NEED(cudaMemcpy2D(matrix, pitch, packed, 1, 1, rows, cudaMemcpyDefault));
    NEED(cudaMemset(packed, 0, rows));
    NEED(cudaDeviceSynchronize());
    MPI_Sendrecv(matrix, 1, column, next, 1, packed, rows, MPI_BYTE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect("a column", k, DEVICE, packed, rows, before + 9);
    MPI_Type_free(&column);
    give_back(k, matrix);
    give_back(DEVICE, packed);
}

static void collectives(kind k)
{
    const size_t n = 300000;
    unsigned char *data = make(k, n), *all = make(k, n * ranks);
    double *sums = (double *)make(k, 1000 * sizeof(double)), host[1000];
    fill(k, data, n, rank == 0 ? 77 : 1);
    MPI_Bcast(data, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD);
    expect("broadcast", k, k, data, n, 77);
    fill(k, data, n, rank + 3);
    MPI_Allgather(data, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        expect("allgather", k, k, all + r * n, n, r + 3);
    for (int i = 0; i < 1000; i++)
        host[i] = rank + i;
    NEED(cudaMemcpy(sums, host, sizeof host, cudaMemcpyDefault));
    MPI_Allreduce(MPI_IN_PLACE, sums, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    NEED(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDefault));
    for (int i = 0; i < 1000; i++)
        failures += host[i] != ranks * (ranks - 1) / 2 + (double)i * ranks;
    give_back(k, data);
    give_back(k, all);
    give_back(k, (unsigned char *)sums);
}

static void windows(kind k)
{
    const size_t n = 200000;
    unsigned char *window = make(k, n), *out = make(k, n);
    MPI_Win win;
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    fill(k, out, n, rank + 17);
    MPI_Win_create(window, n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, (int)n, MPI_BYTE, next, 0, (int)n, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    expect("put", k, k, window, n, before + 17);
    MPI_Get(out, (int)n, MPI_BYTE, next, 0, (int)n, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    expect("get", k, k, out, n, rank + 17);
    MPI_Win_free(&win);
    give_back(k, window);
    give_back(k, out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    // A byte, one short of what goes at once, one more, what goes in pieces, and what is copied from process to process.
    static const size_t sizes[] = {1, 4000, 4097, 65536, 3000001};
    bool has_windows = argc < 2 || std::strcmp(argv[1], "no-windows") != 0;
    if (rank == 0)
        std::printf("MPIX_Query_cuda_support: %d\n", MPIX_Query_cuda_support());
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS; to++)
            for (size_t n : sizes)
                ring((kind)from, (kind)to, n, n & 1 ? 3 : 0);
    for (int k = 0; k < KINDS; k++) {
        many_at_a_time((kind)k);
        gaps((kind)k);
        collectives((kind)k);
        if (has_windows)
            windows((kind)k);
    }
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("messages: %d ranks, %d failures\n", ranks, failures);
    MPI_Finalize();
    return failures != 0;
}
