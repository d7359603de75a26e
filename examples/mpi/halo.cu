// SPDX-License-Identifier: Apache-2.0
// A stencil over many ranks and devices: edges are computed first and exchanged while the inside is computed; four ways to exchange them.
//
//   hostwarp cc -ccbin mpicxx -o halo halo.cu
//   HOSTWARP_DEVICES=8 mpirun -n 4 ./halo --devices 2 --how ipc
//
// The field is cut into bands of rows, one for each device of each rank. A band has a row more above and below, the halo: copies of its neighbours' edges.
//
//   device    MPI is given pointers of cudaMalloc
//   managed   the same with cudaMallocManaged
//   pinned    edges are copied to page-locked memory, sent, received there, and copied to the device, asynchronously
//   ipc       a rank opens its neighbours' memory and events, and its streams fetch the edges; messages are empty, and only say that an event was recorded
//
// Ranks on different machines cannot open each other's memory: such neighbours use `device` where `ipc` was asked for.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <mpi.h>

#define CHECK(call)                                                                                             \
    do {                                                                                                        \
        cudaError_t rc = (call);                                                                                \
        if (rc != cudaSuccess) {                                                                                \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc));         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                       \
        }                                                                                                       \
    } while (0)

enum way { DEVICE, MANAGED, PINNED, IPC };
static const char *const way_names[] = {"device", "managed", "pinned", "ipc"};

static int width = 1000, height = 203, steps = 25, devices = 1;

// One point, with operations that no compiler can contract: host and device agree in every bit.
static __host__ __device__ float point(const float *row, int x, int w)
{
    return 0.25f * ((row[x - w] + row[x + w]) + (row[x - 1] + row[x + 1]));
}

__global__ void stencil(const float *now, float *next, int w, int first, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y;
    if (x > 0 && x < w - 1 && blockIdx.y < rows)
        next[(size_t)y * w + x] = point(now + (size_t)y * w, x, w);
}

// What a rank knows of the band above (0) or below (1) one of its bands.
struct side {
    int band = -1;                    // none
    bool fetch = false;               // our stream fetches the edge: it is ours or opened; otherwise it comes as a message
    bool tell = false;                // another process must say that it recorded its event
    float *field[2] = {};             // its two fields, where we fetch
    cudaEvent_t edges_done[2] = {};
    float *out = nullptr, *in = nullptr;        // page-locked rows
    int rows = 0;
};

struct band {
    int number, device, rows;
    float *field[2];
    cudaStream_t edges, inside;
    cudaEvent_t edges_done[2], inside_done;
    side sides[2];
};

// What is told of a band to the others.
struct address {
    cudaIpcMemHandle_t field[2];
    cudaIpcEventHandle_t edges_done[2];
    int rows, node;
};

static int rank, ranks, node;        // the node's number is the lowest rank on it
static way how;

static int first_row(int number)
{
    int inner = height - 2, bands = ranks * devices;
    return 1 + number * (inner / bands) + (number < inner % bands ? number : inner % bands);
}

static float start_value(int y, int x)
{
    unsigned h = (unsigned)y * 2654435761u ^ (unsigned)x * 40503u;
    return (float)(h >> 12 & 1023) / 64;
}

static void make_band(band &b, int number, int device)
{
    b.number = number;
    b.device = device;
    b.rows = first_row(number + 1) - first_row(number);
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamCreateWithFlags(&b.edges, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b.inside, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&b.inside_done, cudaEventDisableTiming));
    size_t bytes = (size_t)(b.rows + 2) * width * sizeof(float);
    std::vector<float> start((size_t)(b.rows + 2) * width);
    for (int y = 0; y < b.rows + 2; y++)
        for (int x = 0; x < width; x++)
            start[(size_t)y * width + x] = start_value(first_row(number) - 1 + y, x);
    for (int i = 0; i < 2; i++) {
        CHECK(how == MANAGED ? cudaMallocManaged(&b.field[i], bytes) : cudaMalloc(&b.field[i], bytes));
        CHECK(cudaMemcpy(b.field[i], start.data(), bytes, cudaMemcpyHostToDevice));
        CHECK(cudaEventCreateWithFlags(&b.edges_done[i], cudaEventDisableTiming | (how == IPC ? cudaEventInterprocess : 0)));
    }
}

// Neighbours on this rank are in this process: their streams fetch directly, whatever the way is.
static void connect_here(band &b, side &s, band &other)
{
    int can = 0;
    s.fetch = true;
    s.rows = other.rows;
    std::memcpy(s.field, other.field, sizeof s.field);
    std::memcpy(s.edges_done, other.edges_done, sizeof s.edges_done);
    CHECK(cudaDeviceCanAccessPeer(&can, b.device, other.device));
    if (can) {
        cudaError_t rc = cudaDeviceEnablePeerAccess(other.device, 0);
        if (rc == cudaErrorPeerAccessAlreadyEnabled)
            cudaGetLastError();
        else
            CHECK(rc);
    }
}

static void connect_rank(side &s, const address &a)
{
    size_t row = width * sizeof(float);
    s.rows = a.rows;
    if (how == IPC && a.node == node) {
        s.fetch = s.tell = true;
        for (int i = 0; i < 2; i++) {
            CHECK(cudaIpcOpenMemHandle((void **)&s.field[i], a.field[i], cudaIpcMemLazyEnablePeerAccess));
            CHECK(cudaIpcOpenEventHandle(&s.edges_done[i], a.edges_done[i]));
        }
    } else if (how == PINNED) {
        CHECK(cudaMallocHost(&s.out, row));
        CHECK(cudaMallocHost(&s.in, row));
    }
}

static void connect(std::vector<band> &bands)
{
    std::vector<address> mine(devices), all((size_t)devices * ranks);
    for (int d = 0; d < devices; d++) {
        std::memset(&mine[d], 0, sizeof mine[d]);
        mine[d].rows = bands[d].rows;
        mine[d].node = node;
        CHECK(cudaSetDevice(bands[d].device));
        for (int i = 0; how == IPC && i < 2; i++) {
            CHECK(cudaIpcGetMemHandle(&mine[d].field[i], bands[d].field[i]));
            CHECK(cudaIpcGetEventHandle(&mine[d].edges_done[i], bands[d].edges_done[i]));
        }
    }
    int bytes = (int)(devices * sizeof(address));
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (band &b : bands) {
        CHECK(cudaSetDevice(b.device));
        for (int i = 0; i < 2; i++) {
            int other = b.number + (i ? 1 : -1);
            if (other < 0 || other >= ranks * devices)
                continue;
            b.sides[i].band = other;
            if (other / devices == rank)
                connect_here(b, b.sides[i], bands[other % devices]);
            else
                connect_rank(b.sides[i], all[other]);
        }
    }
}

static void launch(band &b, cudaStream_t stream, int parity, int first, int rows)
{
    if (rows > 0)
        stencil<<<dim3((width + 255) / 256, rows), 256, 0, stream>>>(b.field[parity], b.field[!parity], width, first, rows);
    CHECK(cudaGetLastError());
}

// Edges first; the inside beside all that follows. Each needs what the other wrote a step before.
static void compute(band &b, int parity)
{
    CHECK(cudaSetDevice(b.device));
    CHECK(cudaStreamWaitEvent(b.edges, b.inside_done, 0));
    CHECK(cudaStreamWaitEvent(b.inside, b.edges_done[!parity], 0));
    launch(b, b.edges, parity, 1, 1);
    launch(b, b.edges, parity, b.rows, b.rows > 1);
    CHECK(cudaEventRecord(b.edges_done[parity], b.edges));
    launch(b, b.inside, parity, 2, b.rows - 2);
    CHECK(cudaEventRecord(b.inside_done, b.inside));
}

static float *edge(band &b, int parity, int i)
{
    return b.field[!parity] + (size_t)(i ? b.rows : 1) * width;
}

static float *halo(band &b, int parity, int i)
{
    return b.field[!parity] + (size_t)(i ? b.rows + 1 : 0) * width;
}

static void start_messages(band &b, int parity, std::vector<MPI_Request> &requests)
{
    size_t row = width * sizeof(float);
    for (int i = 0; i < 2; i++) {
        side &s = b.sides[i];
        if (s.band < 0 || (s.fetch && !s.tell))
            continue;
        float *out = how == PINNED ? s.out : edge(b, parity, i), *in = how == PINNED ? s.in : halo(b, parity, i);
        int count = s.tell ? 0 : width, other = s.band / devices;
        if (how == PINNED)
            CHECK(cudaMemcpyAsync(s.out, edge(b, parity, i), row, cudaMemcpyDeviceToHost, b.edges));
        if (!s.tell)
            CHECK(cudaStreamSynchronize(b.edges));          // MPI reads at once
        requests.resize(requests.size() + 2);
        MPI_Irecv(in, count, MPI_FLOAT, other, s.band, MPI_COMM_WORLD, &requests[requests.size() - 2]);
        MPI_Isend(out, count, MPI_FLOAT, other, b.number, MPI_COMM_WORLD, &requests[requests.size() - 1]);
    }
}

static void fill_halos(band &b, int parity)
{
    size_t row = width * sizeof(float);
    CHECK(cudaSetDevice(b.device));
    for (int i = 0; i < 2; i++) {
        side &s = b.sides[i];
        if (s.band < 0)
            continue;
        if (s.fetch) {
            CHECK(cudaStreamWaitEvent(b.edges, s.edges_done[parity], 0));
            CHECK(cudaMemcpyAsync(halo(b, parity, i), s.field[!parity] + (size_t)(i ? 1 : s.rows) * width, row, cudaMemcpyDefault, b.edges));
        } else if (how == PINNED) {
            CHECK(cudaMemcpyAsync(halo(b, parity, i), s.in, row, cudaMemcpyHostToDevice, b.edges));
        }
    }
}

static void step(std::vector<band> &bands, int parity)
{
    std::vector<MPI_Request> requests;
    for (band &b : bands)
        compute(b, parity);
    for (band &b : bands)
        start_messages(b, parity, requests);
    MPI_Waitall((int)requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    for (band &b : bands)
        fill_halos(b, parity);
    // A band's edges may be written again when its neighbours have fetched them. A neighbour's next event says so to those who wait for it, and all who fetch do.
}

static std::vector<float> serial()
{
    std::vector<float> now((size_t)width * height), next;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            now[(size_t)y * width + x] = start_value(y, x);
    next = now;
    for (int t = 0; t < steps; t++, now.swap(next))
        for (int y = 1; y < height - 1; y++)
            for (int x = 1; x < width - 1; x++)
                next[(size_t)y * width + x] = point(&now[(size_t)y * width], x, width);
    return now;
}

// Rank 0 receives all bands, straight from device memory, and compares.
static long compare(std::vector<band> &bands)
{
    std::vector<MPI_Request> requests(devices);
    for (int d = 0; d < devices; d++)
        MPI_Isend(bands[d].field[steps & 1] + width, bands[d].rows * width, MPI_FLOAT, 0, bands[d].number, MPI_COMM_WORLD, &requests[d]);
    long wrong = 0;
    if (rank == 0) {
        std::vector<float> want = serial(), got = want;
        for (int n = 0; n < ranks * devices; n++) {
            size_t at = (size_t)first_row(n) * width;
            int count = (first_row(n + 1) - first_row(n)) * width;
            std::memset(&got[at], 0xff, count * sizeof(float));
            MPI_Recv(&got[at], count, MPI_FLOAT, n / devices, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (size_t i = 0; i < want.size(); i++)
            wrong += std::memcmp(&want[i], &got[i], sizeof(float)) != 0;
    }
    MPI_Waitall(devices, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Bcast(&wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return wrong;
}

static void give_back(std::vector<band> &bands)
{
    for (band &b : bands)
        for (side &s : b.sides) {
            for (int i = 0; s.tell && i < 2; i++) {
                CHECK(cudaIpcCloseMemHandle(s.field[i]));
                CHECK(cudaEventDestroy(s.edges_done[i]));
            }
            CHECK(cudaFreeHost(s.out));
            CHECK(cudaFreeHost(s.in));
        }
    MPI_Barrier(MPI_COMM_WORLD);                 // nobody frees what another one has open
    for (band &b : bands) {
        CHECK(cudaSetDevice(b.device));
        for (int i = 0; i < 2; i++) {
            CHECK(cudaFree(b.field[i]));
            CHECK(cudaEventDestroy(b.edges_done[i]));
        }
        CHECK(cudaEventDestroy(b.inside_done));
        CHECK(cudaStreamDestroy(b.edges));
        CHECK(cudaStreamDestroy(b.inside));
    }
}

static long simulate(int first_device)
{
    std::vector<band> bands(devices);
    for (int d = 0; d < devices; d++)
        make_band(bands[d], rank * devices + d, first_device + d);
    connect(bands);
    MPI_Barrier(MPI_COMM_WORLD);                 // all fields hold their start before anybody fetches
    for (int t = 0; t < steps; t++)
        step(bands, t & 1);
    for (band &b : bands) {
        CHECK(cudaSetDevice(b.device));
        CHECK(cudaDeviceSynchronize());
    }
    long wrong = compare(bands);
    give_back(bands);
    return wrong;
}

static int choose_devices()
{
    MPI_Comm here;
    int local, count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &local);
    MPI_Allreduce(&rank, &node, 1, MPI_INT, MPI_MIN, here);
    MPI_Comm_free(&here);
    CHECK(cudaGetDeviceCount(&count));
    if (count < devices) {
        std::fprintf(stderr, "rank %d sees %d devices, and is to use %d\n", rank, count, devices);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    // All of the node's devices are seen: take turns. Only its own are (CUDA_VISIBLE_DEVICES): they are the first.
    return local * devices % (count / devices * devices);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::string asked = "all";
    for (int i = 1; i + 1 < argc; i += 2) {
        std::string option = argv[i];
        if (option == "--how")
            asked = argv[i + 1];
        int *number = option == "--devices" ? &devices : option == "--width" ? &width : option == "--height" ? &height : option == "--steps" ? &steps : nullptr;
        if (number)
            *number = std::atoi(argv[i + 1]);
    }
    if (devices < 1 || width < 3 || steps < 1 || height - 2 < ranks * devices) {
        std::fprintf(stderr, "usage: halo [--how device|managed|pinned|ipc|all] [--devices N] [--width N] [--height N] [--steps N], with a row for every device\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int first = choose_devices(), failed = 0, ran = 0;
    for (int w = DEVICE; w <= IPC; w++) {
        if (asked != "all" && asked != way_names[w])
            continue;
        how = (way)w;
        long wrong = simulate(first);
        ran++;
        failed += wrong != 0;
        if (rank == 0)
            std::printf("halo: %s, %d ranks with %d devices each: %ld points wrong\n", way_names[w], ranks, devices, wrong);
    }
    MPI_Finalize();
    return failed || !ran;
}
