// SPDX-License-Identifier: Apache-2.0
// Threads that go along rows of different lengths, each along its own: forwards, backwards, in steps, to read and to write, with ends in the middle and
// loops in loops; and a search that marks what it finds with atomics and adds it to a list.
#include "app.h"

enum { ROWS = 1000, MOST = 90, THREADS = 96, CELLS = 5000 };

static int *start, *order, n_edges;

template<class T>
__host__ __device__ T value(int e)
{
    return (T)(app_random((unsigned)e) % 100);
}

template<class T>
__host__ __device__ long long along(const int *start, const T *cell, int row, int kind)
{
    long long sum = 0;
    int from = start[row], to = start[row + 1];
    switch (kind) {
    case 0:
        for (int e = from; e < to; e++)
            sum = sum * 3 + (long long)cell[e];
        break;
    case 1:
        for (int e = to - 1; e >= from; e--)
            sum = sum * 3 + (long long)cell[e];
        break;
    case 2:
#pragma unroll 4
        for (int e = from; e < to; e += 3)
            sum = sum * 3 + (long long)cell[e];
        break;
    case 3:                                     // ends in the middle, and turns that read nothing or twice
        for (int e = from; e < to; e++) {
            if (e % 7 == 3)
                continue;
            long long x = (long long)cell[e];
            if (x > 95)
                break;
            sum += x;
            if (x % 5 == 0)
                sum += (long long)cell[from + (e - from) / 2];
        }
        break;
    case 4:                                     // the row again and again, from another place
        for (int again = 0; again < row % 4; again++)
            for (int e = from + again; e < to; e++)
                sum = sum * 5 + (long long)cell[e] + again;
        break;
    default: {                                  // the pointer is looked at when it has come to its end
        const T *p = cell + from, *end = cell + to;
        for (; p < end && (long long)*p != 42; p++)
            sum += (long long)*p;
        sum = sum * 1000 + (p - cell);
    }
    }
    return sum;
}

template<class T, int KIND>
__global__ void read_rows(const int *start, const int *order, const T *cell, long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ROWS)
        out[i] = along(start, cell, order[i], KIND);
}

// With barriers before, in and after the loop.
__global__ void read_together(const int *start, const int *order, const int *cell, long long *out)
{
    __shared__ int longest;
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = order[i < ROWS ? i : 0], from = start[row], n = i < ROWS ? start[row + 1] - from : 0;
    const int *p = cell + from;
    longest = 0;
    __syncthreads();
    atomicMax(&longest, n);
    __syncthreads();
    long long sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + p[k];
    for (int k = 0; k < longest; k++) {
        if (k < n)
            sum += p[k];
        __syncthreads();
    }
    if (i < ROWS)
        out[i] = sum;
}

template<class T>
__global__ void write_rows(const int *start, const int *order, T *cell)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ROWS)
        return;
    int row = order[i], to = start[row + 1];
    for (int e = start[row]; e < to; e++)
        cell[e] = (T)(cell[e] + value<T>(e) + (T)(row % 3));
}

static void *cells;
static long long *sums;
static int bad;

template<class T, int KIND>
static void check_reads(const char *type)
{
    int wrong = 0;
    read_rows<T, KIND><<<(ROWS + THREADS - 1) / THREADS, THREADS>>>(start, order, (T *)cells, sums);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < ROWS; i++)
        wrong += sums[i] != along(start, (T *)cells, order[i], KIND);
    printf("%s, kind %d: %d wrong\n", type, KIND, wrong);
    bad |= wrong;
}

template<class T>
static void check_type(const char *type)
{
    T *cell = (T *)cells;
    for (int e = 0; e < n_edges; e++)
        cell[e] = value<T>(e);
    check_reads<T, 0>(type);
    check_reads<T, 1>(type);
    check_reads<T, 2>(type);
    check_reads<T, 3>(type);
    check_reads<T, 4>(type);
    check_reads<T, 5>(type);
    write_rows<<<(ROWS + THREADS - 1) / THREADS, THREADS>>>(start, order, cell);
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (int row = 0; row < ROWS; row++)
        for (int e = start[row]; e < start[row + 1]; e++)
            wrong += cell[e] != (T)(value<T>(e) + value<T>(e) + (T)(row % 3));
    printf("%s, written: %d wrong\n", type, wrong);
    bad |= wrong;
}

// Every cell is found once, whoever comes first; `each` places of the list belong to it.
template<int EACH>
__global__ void search(const int *start, const int *to, int *mark, int *list, int *n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ROWS)
        return;
    for (int e = start[i]; e < start[i + 1]; e++) {
        int u = to[e];
        if (mark[u] < 0 && atomicCAS(&mark[u], -1, i) < 0) {
            int at = atomicAdd(n, EACH);
            list[at] = u;
            if (EACH > 1)
                list[at + EACH - 1] = ~u;
        }
    }
}

// What came back is used: every cell's old values are the numbers below its last one, each once.
template<class T>
__global__ void count(const int *start, const int *to, T *counter, T *old)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ROWS)
        return;
    for (int e = start[i]; e < start[i + 1]; e++)
        if (to[e] % 3)
            old[e] = atomicAdd(&counter[to[e]], (T)1);
}

static int *target;

template<int EACH>
static void check_search(const char *where, int *mark, int *list, int *n)
{
    static int seen[CELLS];
    for (int u = 0; u < CELLS; u++)
        mark[u] = -1, seen[u] = 0;
    *n = 0;
    search<EACH><<<(ROWS + THREADS - 1) / THREADS, THREADS>>>(start, target, mark, list, n);
    CUDA(cudaDeviceSynchronize());
    int wrong = *n % EACH != 0, want = 0;
    for (int k = 0; k < *n; k += EACH) {
        wrong += seen[list[k]]++ || mark[list[k]] < 0;
        wrong += EACH > 1 && list[k + EACH - 1] != ~list[k];
    }
    for (int e = 0; e < n_edges; e++) {
        want += seen[target[e]] == 1;
        seen[target[e]] = 2;
    }
    wrong += want * EACH != *n;
    printf("search in %s, %d for each: %d wrong\n", where, EACH, wrong);
    bad |= wrong;
}

template<class T>
static void check_count(const char *type, T *counter, T *old)
{
    static int seen[ROWS * MOST];
    for (int u = 0; u < CELLS; u++)
        counter[u] = 0;
    count<<<(ROWS + THREADS - 1) / THREADS, THREADS>>>(start, target, counter, old);
    CUDA(cudaDeviceSynchronize());
    int wrong = 0, first[CELLS + 1] = { 0 };
    for (int u = 0; u < CELLS; u++)
        first[u + 1] = first[u] + (int)counter[u];
    for (int e = 0; e < ROWS * MOST; e++)
        seen[e] = 0;
    for (int e = 0; e < n_edges; e++)
        if (target[e] % 3)
            wrong += old[e] < 0 || old[e] >= counter[target[e]] || seen[first[target[e]] + (int)old[e]]++;
    printf("counted in %s: %d wrong\n", type, wrong);
    bad |= wrong;
}

int main()
{
    int *mark, *list, *n;
    void *old;
    CUDA(cudaMallocManaged(&start, (ROWS + 1) * sizeof *start));
    CUDA(cudaMallocManaged(&order, ROWS * sizeof *order));
    for (int i = 0; i < ROWS; i++) {
        start[i] = n_edges;
        n_edges += i % 11 == 0 ? 0 : (int)(app_random((unsigned)i) % MOST);
        order[i] = i * 7 % ROWS;
    }
    start[ROWS] = n_edges;
    CUDA(cudaMallocManaged(&cells, (size_t)n_edges * 8));
    CUDA(cudaMallocManaged(&sums, ROWS * sizeof *sums));
    CUDA(cudaMallocManaged(&target, (size_t)n_edges * sizeof *target));
    CUDA(cudaMallocManaged(&mark, CELLS * sizeof *mark));
    CUDA(cudaMallocManaged(&list, CELLS * 3 * sizeof *list));
    CUDA(cudaMallocManaged(&n, sizeof *n));
    CUDA(cudaMallocManaged(&old, (size_t)n_edges * 8));
    for (int e = 0; e < n_edges; e++)
        target[e] = (int)(app_random((unsigned)e + 77u) % CELLS);
    check_type<signed char>("bytes");
    check_type<short>("shorts");
    check_type<int>("words");
    for (int e = 0; e < n_edges; e++)
        ((int *)cells)[e] = value<int>(e);
    read_together<<<(ROWS + THREADS - 1) / THREADS, THREADS>>>(start, order, (int *)cells, sums);
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        long long sum = along(start, (int *)cells, order[i], 0);
        for (int e = start[order[i]]; e < start[order[i] + 1]; e++)
            sum += ((int *)cells)[e];
        wrong += sums[i] != sum;
    }
    printf("with barriers: %d wrong\n", wrong);
    bad |= wrong;
    check_type<float>("floats");
    check_type<double>("doubles");
    check_search<1>("managed memory", mark, list, n);
    check_search<3>("managed memory", mark, list, n);
    static int host_mark[CELLS], host_list[CELLS * 3], host_n;
    CUDA(cudaHostRegister(host_mark, sizeof host_mark, cudaHostRegisterDefault));
    CUDA(cudaHostRegister(host_list, sizeof host_list, cudaHostRegisterDefault));
    CUDA(cudaHostRegister(&host_n, sizeof host_n, cudaHostRegisterDefault));
    check_search<1>("registered memory", host_mark, host_list, &host_n);
    check_search<3>("registered memory", host_mark, host_list, &host_n);
    check_count("words", (int *)cells, (int *)old);
    check_count("floats", (float *)cells, (float *)old);
    check_count("doubles", (double *)cells, (double *)old);

    freopen("/dev/null", "w", stderr);          // which says where
    count<<<1, THREADS>>>(start, target, (int *)nullptr, (int *)old);
    cudaError_t rc = cudaDeviceSynchronize();
    printf("no counters: %s\n", cudaGetErrorName(rc));
    return bad || rc != cudaErrorIllegalAddress;
}
