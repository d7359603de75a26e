// SPDX-License-Identifier: Apache-2.0
// Measures how a machine moves memory and starts work: copies by kind of host memory and size, allocation and registration,
// launches, zero copy, overlap. Plain CUDA, so nvcc builds it for a GPU, and both can be shown side by side.
//
//   hostwarp bench [--quick] [--svg FILE] [--json FILE] [--beside FILE] [--profile FILE]        nvcc -O2 -o machine machine.cu && ./machine
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                            \
    do {                                                                                                       \
        cudaError_t rc = (call);                                                                               \
        if (rc != cudaSuccess) {                                                                               \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc));        \
            std::exit(1);                                                                                      \
        }                                                                                                      \
    } while (0)

static double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double budget = 0.12;                             // seconds for each number

// Best time of one call, in seconds. A first call is not counted: it compiles, touches and wakes.
template <class F> static double best(F &&once)
{
    once();
    double least = 1e30, end = now() + budget;
    int n = 0;
    do {
        double start = now();
        once();
        double took = now() - start;
        least = took < least ? took : least;
    } while (++n < 3 || (now() < end && n < 2000));
    return least;
}

struct Result {
    std::string group, name, unit;
    double value;
};
static std::vector<Result> results;

static void report(const char *group, const std::string &name, double value, const char *unit)
{
    results.push_back({group, name, unit, value});
    std::printf("  %-44s %10.*f %s\n", name.c_str(), value < 10 ? 3 : value < 1000 ? 1 : 0, value, unit);
    std::fflush(stdout);
}

static std::string size_name(size_t bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, bytes >= 1 << 20 ? "%zu MiB" : "%zu KiB", bytes >= 1 << 20 ? bytes >> 20 : bytes >> 10);
    return text;
}

// --- copies

struct Curve {
    std::string name;
    std::vector<double> rates;
};
static const std::vector<size_t> sizes = {4 << 10, 64 << 10, 1 << 20, 8 << 20, 64 << 20};
static std::vector<Curve> curves;

static void copies(const char *kind, char *host, char *device, cudaMemcpyKind way, const char *arrow)
{
    Curve curve{std::string(kind) + " " + arrow, {}};
    for (size_t bytes : sizes) {
        void *to = way == cudaMemcpyHostToDevice ? device : host, *from = way == cudaMemcpyHostToDevice ? host : device;
        double seconds = best([&] { CHECK(cudaMemcpy(to, from, bytes, way)); });
        curve.rates.push_back(bytes / seconds / 1e9);
        report("copy", curve.name + ", " + size_name(bytes), curve.rates.back(), "GB/s");
    }
    curves.push_back(curve);
}

static void measure_copies()
{
    const size_t most = sizes.back();
    char *device, *pageable = (char *)std::malloc(most), *pinned, *combined;
    std::memset(pageable, 1, most);
    CHECK(cudaMalloc((void **)&device, most));
    CHECK(cudaHostAlloc((void **)&pinned, most, cudaHostAllocDefault));
    CHECK(cudaHostAlloc((void **)&combined, most, cudaHostAllocWriteCombined));
    std::printf("Copies\n");
    copies("pageable", pageable, device, cudaMemcpyHostToDevice, "to device");
    copies("pageable", pageable, device, cudaMemcpyDeviceToHost, "from device");
    copies("pinned", pinned, device, cudaMemcpyHostToDevice, "to device");
    copies("pinned", pinned, device, cudaMemcpyDeviceToHost, "from device");
    copies("write-combined", combined, device, cudaMemcpyHostToDevice, "to device");
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(combined));
    std::free(pageable);
}

// --- allocation

static void measure_allocation()
{
    const size_t bytes = 16 << 20;
    void *p;
    char *host = (char *)std::malloc(bytes);
    std::memset(host, 1, bytes);
    std::printf("Allocation (16 MiB, and giving it back)\n");
    report("allocation", "cudaMalloc, cudaFree", 1e6 * best([&] { CHECK(cudaMalloc(&p, bytes)); CHECK(cudaFree(p)); }), "us");
    report("allocation", "cudaHostAlloc, cudaFreeHost", 1e6 * best([&] { CHECK(cudaHostAlloc(&p, bytes, 0)); CHECK(cudaFreeHost(p)); }), "us");
    report("allocation", "cudaHostRegister, cudaHostUnregister",
           1e6 * best([&] { CHECK(cudaHostRegister(host, bytes, 0)); CHECK(cudaHostUnregister(host)); }), "us");
    report("allocation", "malloc, touching every page, free", 1e6 * best([&] {
        volatile char *q = (volatile char *)std::malloc(bytes);
        for (size_t i = 0; i < bytes; i += 4096)
            q[i] = 1;
        std::free((void *)q);
    }), "us");
    std::free(host);
}

// --- launches

__global__ void nothing() {}

static void measure_launches()
{
    cudaStream_t s;
    cudaEvent_t e;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    std::printf("Launches\n");
    report("launch", "empty kernel and synchronize", 1e6 * best([&] { nothing<<<1, 32, 0, s>>>(); CHECK(cudaStreamSynchronize(s)); }), "us");
    report("launch", "one of 100 kernels in a row", 1e4 * best([&] {
        for (int i = 0; i < 100; i++)
            nothing<<<1, 32, 0, s>>>();
        CHECK(cudaStreamSynchronize(s));
    }), "us");
    report("launch", "record an event and wait for it", 1e6 * best([&] { CHECK(cudaEventRecord(e, s)); CHECK(cudaEventSynchronize(e)); }), "us");
    report("launch", "cudaStreamQuery of an idle stream", 1e6 * best([&] { CHECK(cudaStreamQuery(s)); }), "us");
    CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(s));
}

// --- zero copy and overlap

__global__ void sum(const float4 *x, int n, float *out)
{
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 a = x[i];
        v += a.x + a.y + a.z + a.w;
    }
    if (v == -1.0f)                                      // never: keeps the loads
        *out = v;
}

static void measure_zero_copy()
{
    const size_t bytes = 64 << 20;
    const int n = int(bytes / sizeof(float4));
    float4 *device, *mapped, *seen;
    CHECK(cudaMalloc((void **)&device, bytes));
    CHECK(cudaMemset(device, 0, bytes));
    CHECK(cudaHostAlloc((void **)&mapped, bytes, cudaHostAllocMapped));
    std::memset(mapped, 0, bytes);
    CHECK(cudaHostGetDevicePointer((void **)&seen, mapped, 0));
    std::printf("A kernel reads 64 MiB\n");
    auto read = [&](float4 *p) { sum<<<1024, 256>>>(p, n, (float *)device); CHECK(cudaDeviceSynchronize()); };
    report("zero copy", "from device memory", bytes / best([&] { read(device); }) / 1e9, "GB/s");
    report("zero copy", "from mapped host memory", bytes / best([&] { read(seen); }) / 1e9, "GB/s");
    report("zero copy", "after copying it (both counted)", bytes / best([&] {
        CHECK(cudaMemcpy(device, mapped, bytes, cudaMemcpyHostToDevice));
        read(device);
    }) / 1e9, "GB/s");
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(mapped));
}

__global__ void work(float *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    for (int k = 0; k < rounds; k++)
        v = v * 0.5f + 1.0f;
    x[i] = v;
}

// Chunks through one stream, or through several: how much of the copying is hidden?
static double pipeline(cudaStream_t *streams, int n_streams, float *host, float *device, int part, int chunks, int rounds)
{
    return best([&] {
        for (int c = 0; c < chunks; c++) {
            cudaStream_t s = streams[c % n_streams];
            float *h = host + size_t(c) * part, *d = device + size_t(c) * part;
            CHECK(cudaMemcpyAsync(d, h, part * sizeof(float), cudaMemcpyHostToDevice, s));
            work<<<(part + 255) / 256, 256, 0, s>>>(d, part, rounds);
            CHECK(cudaMemcpyAsync(h, d, part * sizeof(float), cudaMemcpyDeviceToHost, s));
        }
        CHECK(cudaDeviceSynchronize());
    });
}

static void measure_overlap()
{
    const int part = 1 << 20, chunks = 8;
    float *host, *device;
    cudaStream_t s[4];
    CHECK(cudaHostAlloc((void **)&host, sizeof(float) * part * chunks, cudaHostAllocDefault));
    std::memset(host, 0, sizeof(float) * part * chunks);
    CHECK(cudaMalloc((void **)&device, sizeof(float) * part * chunks));
    for (cudaStream_t &one : s)
        CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    // as much arithmetic as makes the kernel take as long as the two copies
    double copy = best([&] { CHECK(cudaMemcpy(device, host, part * sizeof(float), cudaMemcpyHostToDevice)); });
    int rounds = 8;
    while (rounds < 1 << 20 && best([&] { work<<<(part + 255) / 256, 256>>>(device, part, rounds); CHECK(cudaDeviceSynchronize()); }) < 2 * copy)
        rounds *= 2;
    std::printf("Overlap: 8 chunks of 4 MiB in, kernel, out\n");
    double one = pipeline(s, 1, host, device, part, chunks, rounds), four = pipeline(s, 4, host, device, part, chunks, rounds);
    report("overlap", "one stream", 1e3 * one, "ms");
    report("overlap", "four streams", 1e3 * four, "ms");
    report("overlap", "gain", one / four, "times");
    for (cudaStream_t one_stream : s)
        CHECK(cudaStreamDestroy(one_stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

// --- a profile for hostwarp's share/gpus

static double value_of(const std::string &name)
{
    for (const Result &r : results)
        if (r.name == name)
            return r.value;
    return 0;
}

static void profile_curve(FILE *f, const char *name, const char *kind)
{
    std::fprintf(f, "%-22s", name);
    for (const Curve &c : curves)
        for (size_t i = 0; c.name == kind && i < sizes.size(); i++)
            std::fprintf(f, " %zuK:%.4gus", sizes[i] >> 10, sizes[i] / c.rates[i] / 1e3);
    std::fprintf(f, " | measured machine.cu\n");
}

static void profile_number(FILE *f, const char *name, double value, const char *source)
{
    std::fprintf(f, "%-22s %-12.6g | %s\n", name, value, source);
}

// What the card says of itself, and what was measured here. What a program cannot see from outside is assumed, as on an H200: correct it by hand.
static bool write_profile(const char *path, const cudaDeviceProp &prop)
{
    FILE *f = std::fopen(path, "w");
    const char *said = "measured cudaDeviceGetAttribute", *seen = "measured machine.cu", *guess = "assumed";
    int clock = 0, memory_clock = 0, ratio = 0, blocks = 0;
    if (!f)
        return false;
    CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0));
    CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    int cc = prop.major * 10 + prop.minor;
    double lanes = cc >= 86 ? 128 : cc >= 60 ? 64 : cc >= 50 ? 128 : 192, dram = 2.0 * memory_clock * (prop.memoryBusWidth / 8) / 1e6;
    const struct { const char *name; double value; const char *source; } numbers[] = {
        {"compute-capability", double(cc), said}, {"multiprocessors", double(prop.multiProcessorCount), said}, {"clock-rate", clock / 1e3, said},
        {"memory-clock-rate", memory_clock / 1e3, said}, {"memory-bus-width", double(prop.memoryBusWidth), said}, {"memory", double(prop.totalGlobalMem >> 20), said},
        {"l2-size", prop.l2CacheSize / 1024.0, said}, {"threads-per-sm", double(prop.maxThreadsPerMultiProcessor), said}, {"blocks-per-sm", double(blocks), said},
        {"registers-per-sm", double(prop.regsPerMultiprocessor), said}, {"shared-per-sm", prop.sharedMemPerMultiprocessor / 1024.0, said},
        {"shared-per-block", prop.sharedMemPerBlockOptin / 1024.0, said}, {"shared-reserved", prop.reservedSharedMemPerBlock / 1024.0, said},
        {"async-engines", double(prop.asyncEngineCount), said}, {"double-ratio", double(ratio), said}, {"concurrent-kernels", cc >= 50 ? 128.0 : 32.0, guess},
        {"sm-clock", clock / 1e3, said}, {"issue", 3.6, guess}, {"lanes-float", lanes, guess}, {"lanes-integer", 64, guess}, {"lanes-double", lanes / ratio, guess},
        {"lanes-special", 16, guess}, {"lanes-memory", 32, guess}, {"matrix", cc >= 90 ? 2048.0 : cc >= 80 ? 1024.0 : cc >= 70 ? 512.0 : 0.0, guess},
        {"latency-arithmetic", cc >= 70 ? 4.0 : 6.0, guess}, {"latency-special", 24, guess}, {"latency-shared", 29, guess}, {"latency-l1", 38, guess},
        {"latency-l2", 270, guess}, {"latency-dram", 850, guess}, {"latency-barrier", 30, guess}, {"l1-size", cc >= 70 ? 128.0 : 24.0, guess},
        {"l2-bandwidth", dram * 1.5, guess}, {"dram-bandwidth", dram, said}, {"dram-efficiency", 0.88, guess}, {"device-copy", dram * 0.43, guess},
        {"memset", dram * 0.6, guess}, {"atomic-same-address", 0.6, guess}, {"kernel-least", 2000, guess}, {"kernel-gap", 800, guess}, {"block-start", 0.6, guess}, {"engine-gap", 6500, guess},
        {"copy-engines", prop.asyncEngineCount > 1 ? 2.0 : 1.0, said}, {"bus-duplex", 0.92, guess}, {"mapped-read", value_of("from mapped host memory"), seen},
        {"mapped-write", value_of("from mapped host memory"), guess}, {"managed-migration", value_of("from mapped host memory") * 0.12, guess},
        {"copy-call", 2500, guess}, {"copy-return", 2000, guess}, {"start-latency", 1000, guess},
    };
    const struct { const char *name; double value; const char *source; } calls[] = {
        {"pageable-untouched-in", 770, guess}, {"pageable-untouched-out", 2030, guess}, {"register-untouched", 1000, guess}, {"pageable-tail", 2900, guess}, {"launch-call", 1e3 * value_of("one of 100 kernels in a row"), seen},
        {"sync-return", 1e3 * (value_of("empty kernel and synchronize") - value_of("one of 100 kernels in a row")) - 3000, seen}, {"event-return", 180, guess},
        {"sync-call", 1250, guess}, {"event-record-call", 550, guess}, {"query-call", 1e3 * value_of("cudaStreamQuery of an idle stream"), seen},
        {"graph-launch-call", 6000, guess}, {"host-function", 5000, guess}, {"other-call", 300, guess}, {"set-device-call", 1000, guess}, {"properties-call", 500000, guess},
        {"context", 2e8, guess}, {"context-lazy", 0, guess}, {"reset", 6e7, guess},
    };
    std::fprintf(f, "# Written by machine.cu --profile.\nname                   %s | %s\n", prop.name, said);
    for (const auto &n : numbers)
        profile_number(f, n.name, n.value, n.source);
    profile_curve(f, "copy-pinned-in", "pinned to device");
    profile_curve(f, "copy-pinned-out", "pinned from device");
    profile_curve(f, "copy-pageable-in", "pageable to device");
    profile_curve(f, "copy-pageable-out", "pageable from device");
    for (const auto &n : calls)
        profile_number(f, n.name, n.value < 0 ? 0 : n.value, n.source);
    double device = value_of("cudaMalloc, cudaFree") / 2, host = value_of("cudaHostAlloc, cudaFreeHost"), lock = value_of("cudaHostRegister, cudaHostUnregister");
    const struct { const char *name; double us; } each[] = {{"alloc", device}, {"free", device}, {"host-alloc", host * 0.78}, {"host-free", host * 0.22},
                                                            {"host-register", lock * 0.7}, {"host-unregister", lock * 0.3}};
    for (const auto &e : each)                           // measured with 16 MiB, both calls together
        std::fprintf(f, "%-22s 1M:%.4gus 16M:%.4gus 1G:%.4gus | measured machine.cu, 16 MiB, shared out between the two calls; others assumed\n", e.name, e.us / 16, e.us, e.us * 64);
    return std::fclose(f) == 0;
}

// --- what one puts into a report

static bool write_json(const char *path, const char *device)
{
    FILE *f = std::fopen(path, "w");
    if (!f)
        return false;
    std::fprintf(f, "{\"device\": \"%s\", \"results\": [", device);
    for (size_t i = 0; i < results.size(); i++)
        std::fprintf(f, "%s\n  {\"group\": \"%s\", \"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}", i ? "," : "", results[i].group.c_str(),
                     results[i].name.c_str(), results[i].value, results[i].unit.c_str());
    std::fprintf(f, "]}\n");
    return std::fclose(f) == 0;
}

// A Markdown table of these results beside those of another machine, from the file that --json wrote there.
static bool print_beside(const char *path, const char *device)
{
    FILE *f = std::fopen(path, "r");
    char line[512], other[256] = "other", group[64], name[128];
    double value;
    std::vector<std::pair<std::string, double>> theirs;
    if (!f)
        return false;
    while (std::fgets(line, sizeof line, f)) {
        std::sscanf(line, "{\"device\": \"%255[^\"]", other);
        if (std::sscanf(line, " {\"group\": \"%63[^\"]\", \"name\": \"%127[^\"]\", \"value\": %lf", group, name, &value) == 3)
            theirs.emplace_back(name, value);
    }
    std::fclose(f);
    std::printf("\n| | %s | %s | unit |\n|---|---:|---:|---|\n", other, device);
    for (const Result &r : results)
        for (const auto &t : theirs)
            if (t.first == r.name)
                std::printf("| %s | %.4g | %.4g | %s |\n", r.name.c_str(), t.second, r.value, r.unit.c_str());
    return !theirs.empty();
}

// Copy rates over sizes, both axes by powers.
static bool write_svg(const char *path, const char *device)
{
    static const char *const colours[] = {"#e08a1e", "#b35c00", "#2e9e5b", "#12693a", "#8e5bd0"};
    FILE *f = std::fopen(path, "w");
    const double left = 70, top = 50, w = 520, h = 300;
    double most = 1, least = 0.1;
    if (!f)
        return false;
    for (const Curve &c : curves)
        for (double r : c.rates) {
            while (r > most)
                most *= 10;
            while (r < least)
                least /= 10;
        }
    auto x = [&](size_t i) { return left + w * double(i) / double(sizes.size() - 1); };
    auto y = [&](double r) { return top + h * (1 - (__builtin_log10(r) - __builtin_log10(least)) / (__builtin_log10(most) - __builtin_log10(least))); };
    std::fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 410\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"800\" height=\"410\" fill=\"#fff\"/><text x=\"%g\" y=\"26\" font-size=\"15\" font-weight=\"600\">Copies: GB/s by size</text>\n"
                    "<text x=\"%g\" y=\"42\" fill=\"#68738a\">%s</text>\n", left, left, device);
    for (double r = least; r <= most * 1.001; r *= 10)
        std::fprintf(f, "<path d=\"M%g %gh%g\" stroke=\"#e1e5ec\"/><text x=\"%g\" y=\"%g\" text-anchor=\"end\">%g</text>\n", left, y(r), w, left - 8, y(r) + 4, r);
    for (size_t i = 0; i < sizes.size(); i++)
        std::fprintf(f, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", x(i), top + h + 20, size_name(sizes[i]).c_str());
    for (size_t k = 0; k < curves.size(); k++) {
        std::fprintf(f, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"", colours[k % 5]);
        for (size_t i = 0; i < curves[k].rates.size(); i++)
            std::fprintf(f, "%g,%g ", x(i), y(curves[k].rates[i]));
        std::fprintf(f, "\"/>\n<rect x=\"610\" y=\"%g\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/><text x=\"628\" y=\"%g\">%s</text>\n",
                     top + 22.0 * double(k), colours[k % 5], top + 22.0 * double(k) + 11, curves[k].name.c_str());
    }
    std::fprintf(f, "</svg>\n");
    return std::fclose(f) == 0;
}

int main(int argc, char **argv)
{
    const char *svg = nullptr, *json = nullptr, *beside = nullptr, *profile = nullptr;
    for (int i = 1; i < argc; i++) {
        if (!std::strcmp(argv[i], "--quick"))
            budget = 0.004;
        else if (!std::strcmp(argv[i], "--svg") && i + 1 < argc)
            svg = argv[++i];
        else if (!std::strcmp(argv[i], "--json") && i + 1 < argc)
            json = argv[++i];
        else if (!std::strcmp(argv[i], "--beside") && i + 1 < argc)
            beside = argv[++i];
        else if (!std::strcmp(argv[i], "--profile") && i + 1 < argc)
            profile = argv[++i];
        else
            return std::fprintf(stderr, "usage: hostwarp bench [--quick] [--svg FILE] [--json FILE] [--beside FILE] [--profile FILE]\n"), 2;
    }
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    std::printf("%s\n", prop.name);
    measure_copies();
    measure_allocation();
    measure_launches();
    measure_zero_copy();
    measure_overlap();
    if (svg && !write_svg(svg, prop.name))
        return std::perror(svg), 1;
    if (profile && !write_profile(profile, prop))
        return std::perror(profile), 1;
    if (json && !write_json(json, prop.name))
        return std::perror(json), 1;
    if (beside && !print_beside(beside, prop.name))
        return std::fprintf(stderr, "%s holds no results\n", beside), 1;
    return 0;
}
