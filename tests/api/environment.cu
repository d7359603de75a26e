// SPDX-License-Identifier: Apache-2.0
// The variables of the driver: this program runs itself under many environments, and compares what it says there.
// run: -lcuda
#include "runtime_check.h"

#include <cuda.h>

#include <atomic>
#include <string>
#include <thread>
#include <unistd.h>

// --- what is run under an environment: each prints one line ---

__global__ void store(int *p, int v) { *p = v; }

static void count()
{
    int n = 0;
    CUresult rc = cuInit(0);
    cuDeviceGetCount(&n);
    printf("%d:", rc);
    for (int i = 0; i < n; i++) {
        char bus[32] = "";
        int device = -1;
        cuDeviceGetPCIBusId(bus, sizeof bus, i);
        printf(" %.7s%s", bus, cuDeviceGetByPCIBusId(&device, bus) || device != i ? "?" : "");
    }
    printf("\n");
}

static void runtime_count()
{
    int n = -1;
    cudaError_t rc = cudaGetDeviceCount(&n);
    printf("%d %d %d\n", rc, n, cudaFree(nullptr));
}

static void uuids()
{
    int n = 0;
    cuInit(0);
    cuDeviceGetCount(&n);
    for (int i = 0; i < n; i++) {
        CUuuid u;
        cuDeviceGetUuid(&u, i);
        printf("%sGPU-", i ? " " : "");
        for (int k = 0; k < 16; k++)
            printf("%s%02x", k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", (unsigned char)u.bytes[k]);
    }
    printf("\n");
}

// A host function holds a stream up until it is let go, or for so many milliseconds.
static std::atomic<bool> let_go;
static int hold_ms;

static void hold(void *)
{
    for (int ms = 0; ms < hold_ms && !let_go; ms++)
        usleep(1000);
}

// Which calls wait for what they start: something else comes before each in the stream.
static void ask_who_waits(int ms)
{
    const size_t bytes = 1 << 20;
    cudaStream_t s;
    int *d, *h;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&d, bytes);
    cudaMallocHost(&h, bytes);
    store<<<1, 1, 0, s>>>(d, 0);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    store<<<1, 1, 0, s>>>(d, 0);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 6; i++) {
        cudaStreamSynchronize(s);
        let_go = false;
        hold_ms = ms;
        cudaLaunchHostFunc(s, hold, nullptr);
        switch (i) {
        case 0: store<<<1, 1, 0, s>>>(d, 1); break;
        case 1: cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, s); break;
        case 2: cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, s); break;
        case 3: cudaMemcpyAsync(d, d + bytes / 8, bytes / 2, cudaMemcpyDeviceToDevice, s); break;
        case 4: cudaMemsetAsync(d, 0, bytes, s); break;
        case 5: cudaGraphLaunch(exec, s); break;
        }
        printf("%d", cudaStreamQuery(s) == cudaSuccess);
        let_go = true;
    }
    cudaStreamSynchronize(s);
    store<<<1, 1, 0, s>>>((int *)16, 1);
    printf(" %s\n", cudaPeekAtLastError() == cudaErrorIllegalAddress ? "told" : "later");
}

static void waits() { ask_who_waits(30); }
static void goes_on() { ask_who_waits(10000); }

// Does what cannot start yet in one stream hold up another one? ms: for how long that is believed.
static void ask_who_shares(int ms)
{
    cudaStream_t a, b;
    int *d;
    cudaMalloc(&d, 8);
    store<<<1, 1>>>(d, 0);
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    hold_ms = 20000;
    cudaLaunchHostFunc(a, hold, nullptr);
    store<<<1, 1, 0, a>>>(d, 1);
    store<<<1, 1, 0, b>>>(d + 1, 1);
    while (--ms && cudaStreamQuery(b) == cudaErrorNotReady)
        usleep(1000);
    printf("%s", cudaStreamQuery(b) == cudaErrorNotReady ? "held up" : "free");
    let_go = true;
    printf(" %s\n", cudaDeviceSynchronize() == cudaSuccess ? "done" : "failed");
}

static void shares() { ask_who_shares(200); }
static void shares_not() { ask_who_shares(10000); }

// How many launches does a stream take before one has to wait?
static void depth()
{
    static std::atomic<bool> go;
    static std::atomic<int> n;
    cudaStream_t s;
    int *d;
    cudaMalloc(&d, 4);
    store<<<1, 1>>>(d, 0);
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaLaunchHostFunc(s, [](void *) { while (!go) usleep(1000); }, nullptr);
    int seen = -1;
    std::thread watcher([&] {
        for (int same = 0; same < 80; usleep(10000)) {
            same = seen == n ? same + 1 : 0;
            seen = n;
        }
        go = true;
    });
    for (; n < 20000 && !go; n++)
        store<<<1, 1, 0, s>>>(d, 1);
    watcher.join();
    cudaDeviceSynchronize();
    printf("%d\n", (seen + 500) / 1000);
}

static void settings()
{
    CUmoduleLoadingMode mode = (CUmoduleLoadingMode)0;
    size_t l2 = 0;
    cudaFree(nullptr);
    cuModuleGetLoadingMode(&mode);
    cudaDeviceGetLimit(&l2, cudaLimitPersistingL2CacheSize);
    printf("%s %zu\n", mode == CU_MODULE_EAGER_LOADING ? "eager" : "lazy", l2 / 3932160);
}

static void compile()
{
    int *d;
    cudaMalloc(&d, 4);
    store<<<1, 1>>>(d, 0);
    printf("%d\n", cudaDeviceSynchronize());
}

static void mistake()
{
    void *p;
    printf("%d\n", cudaMalloc(&p, (size_t)1 << 60));
}

static const struct { const char *name; void (*fn)(); } modes[] = {
    { "count", count }, { "runtime", runtime_count }, { "uuids", uuids }, { "waits", waits }, { "goes_on", goes_on }, { "shares", shares }, { "shares_not", shares_not }, { "depth", depth }, { "settings", settings },
    { "compile", compile }, { "mistake", mistake },
};

// --- running it ---

static std::string self;

static std::string shell(const std::string &command)
{
    std::string out;
    FILE *f = popen((" { " + command + "; } 2>&1").c_str(), "r");
    char line[512];
    while (f && fgets(line, sizeof line, f))
        out += line;
    if (f)
        pclose(f);
    while (!out.empty() && out.back() == '\n')
        out.pop_back();
    return out;
}

static std::string command(const std::string &env, const char *mode) { return "env -u CUDA_VISIBLE_DEVICES -u CUDA_LAUNCH_BLOCKING " + env + " HOSTWARP_UNSEEN=0 " + self + " " + mode; }
// Without what the libraries say.
static std::string answer(const std::string &env, const char *mode) { return shell("{ " + command(env, mode) + "; } 2>/dev/null"); }

static std::string under(const std::string &env, const char *mode)
{
    return shell(command(env, mode));
}

static void same(const char *rule, const std::string &got, const std::string &want)
{
    CHECK(rule, got == want);
    if (got != want)
        printf("#   got \"%s\", want \"%s\"\n", got.c_str(), want.c_str());
}

static std::string sees(const std::string &list) { return under("HOSTWARP_DEVICES=4 CUDA_VISIBLE_DEVICES='" + list + "'", "count"); }

static void devices_that_are_seen()
{
    same("all_without_the_variable", under("HOSTWARP_DEVICES=4", "count"), "0: 0000:01 0000:02 0000:03 0000:04");
    same("an_empty_list_shows_none", sees(""), "100:");
    same("in_the_order_of_the_list", sees("2,0"), "0: 0000:03 0000:01");
    same("a_wrong_index_ends_the_list", sees("0,2,-1,1"), "0: 0000:01 0000:03");
    same("an_index_too_large_ends_the_list", sees("1,4,0"), "0: 0000:02");
    same("a_list_that_begins_wrongly_is_empty", sees("-1,0"), "100:");
    same("words_end_the_list", sees("3,none,0"), "0: 0000:04");
    same("blanks_bases_and_what_follows_a_number", sees(" 1 ,0x2,3abc"), "0: 0000:02 0000:03 0000:04");
    same("a_comma_at_the_end", sees("1,"), "0: 0000:02");
    same("twice_the_same_is_an_error", sees("0,1,0"), "101:");
    same("the_runtime_counts_the_same", under("HOSTWARP_DEVICES=4 CUDA_VISIBLE_DEVICES=3,1", "runtime"), "0 2 0");
    same("the_runtime_counts_nothing_without_one", under("CUDA_VISIBLE_DEVICES=", "runtime"), "100 -1 100");
    same("the_runtime_says_what_the_driver_says", under("CUDA_VISIBLE_DEVICES=0,0", "runtime"), "101 -1 101");
}

static void devices_by_uuid()
{
    std::string all = under("HOSTWARP_DEVICES=4", "uuids"), u[4], upper;
    for (int i = 0; i < 4; i++)
        u[i] = all.substr((size_t)i * 41, 40);
    for (char c : u[1])
        upper += c >= 'a' && c <= 'f' ? (char)(c - 32) : c;
    same("a_uuid", sees(u[2]), "0: 0000:03");
    same("uuids_in_order", sees(u[3] + "," + u[0]), "0: 0000:04 0000:01");
    same("its_beginning_is_enough", sees(u[1].substr(0, 13)), "0: 0000:02");
    same("large_letters", sees(upper), "0: 0000:02");
    same("but_the_first_ones_as_they_are", sees("gpu-" + u[1].substr(4)), "100:");
    same("no_digit_names_no_device", sees("GPU-"), "100:");
    same("an_index_ends_a_list_of_uuids", sees(u[1] + ",0"), "0: 0000:02");
    same("a_uuid_ends_a_list_of_indices", sees("0," + u[1]), "0: 0000:01");
    same("the_same_uuid_twice", sees(u[1] + "," + u[1]), "101:");
    same("a_device_keeps_its_uuid", under("HOSTWARP_DEVICES=4 CUDA_VISIBLE_DEVICES=2", "uuids"), u[2]);
    std::string many = under("HOSTWARP_DEVICES=64", "uuids"), shared;
    for (char digit : std::string("0123456789abcdef")) {         // 64 devices: there is one that two begin with
        std::string begin = std::string("GPU-") + digit;
        if (many.find(begin) != many.rfind(begin))
            shared = begin;
    }
    same("what_two_share_names_none", under("HOSTWARP_DEVICES=64 CUDA_VISIBLE_DEVICES=" + shared, "count"), "100:");
    same("one_order", under("CUDA_DEVICE_ORDER=PCI_BUS_ID", "count"), "0: 0000:01");
    same("the_other_order", under("CUDA_DEVICE_ORDER=FASTEST_FIRST", "count"), "0: 0000:01");
    same("no_third_order", under("CUDA_DEVICE_ORDER=nonsense", "count"), "101:");
}

static void what_waits()
{
    // the message about the fault comes at some time
    same("calls_wait_when_told_so", answer("CUDA_LAUNCH_BLOCKING=1", "waits"), "111111 told");
    same("and_otherwise_not", answer("CUDA_LAUNCH_BLOCKING=0", "goes_on").substr(0, 6), "000000");
    same("only_1_counts", answer("CUDA_LAUNCH_BLOCKING=yes", "goes_on").substr(0, 6), "000000");
    same("streams_share_one_queue", under("CUDA_DEVICE_MAX_CONNECTIONS=1", "shares"), "held up done");
    same("three_queues_are_enough_for_three", under("CUDA_DEVICE_MAX_CONNECTIONS=3", "shares_not"), "free done");
    same("none_is_shared_by_default", under("", "shares_not"), "free done");
    same("33_queues_are_too_many", under("CUDA_DEVICE_MAX_CONNECTIONS=33", "shares_not"), "free done");
    same("a_quarter_of_the_queue", under("CUDA_SCALE_LAUNCH_QUEUES=0.25x", "depth"), "2");
    same("the_whole_queue", under("CUDA_SCALE_LAUNCH_QUEUES=1.5x", "depth"), "8");
}

static std::string files_in(const std::string &dir) { return shell("find " + dir + " -type f 2>/dev/null | wc -l"); }

static void where_kernels_are_kept()
{
    char top[] = "/tmp/hostwarp-env-XXXXXX";
    if (!mkdtemp(top))
        return;
    std::string dir = top, none = "-u HOSTWARP_CACHE -u HOSTWARP_CACHE_MIB XDG_CACHE_HOME=" + dir + "/home CUDA_CACHE_PATH=" + dir + "/moved ";
    under(none + "CUDA_CACHE_DISABLE=1", "compile");
    under(none + "CUDA_CACHE_MAXSIZE=0", "compile");
    same("nothing_is_kept_when_told_so", files_in(dir), "0");
    under("HOSTWARP_CACHE=" + dir + "/ours CUDA_CACHE_PATH=" + dir + "/moved", "compile");
    same("our_own_variable_comes_first", files_in(dir + "/moved"), "0");
    CHECK("and_is_used", files_in(dir + "/ours") != "0");
    under(none, "compile");
    CHECK("the_drivers_variable_moves_the_cache", files_in(dir + "/moved") != "0");
    same("away_from_the_usual_place", files_in(dir + "/home"), "0");
    shell("rm -rf " + dir);
}

static void what_is_answered()
{
    same("modules_are_lazy", under("", "settings"), "lazy 3");
    same("modules_are_eager", under("CUDA_MODULE_LOADING=EAGER", "settings"), "eager 3");
    same("lazy_by_name", under("CUDA_MODULE_LOADING=LAZY", "settings"), "lazy 3");
    same("half_of_the_cache", under("CUDA_DEVICE_DEFAULT_PERSISTING_L2_CACHE_PERCENTAGE_LIMIT=50", "settings"), "lazy 8");
    same("errors_stay_unsaid", under("", "mistake"), "2");
    CHECK("errors_are_logged", under("CUDA_LOG_FILE=stderr", "mistake").find("Returning 2 (CUDA_ERROR_OUT_OF_MEMORY) from cuMemAlloc_v2") != std::string::npos);
    same("idle_ones_are_taken", under("CUDA_FORCE_PTX_JIT=1 CUDA_DISABLE_PTX_JIT=1 CUDA_MANAGED_FORCE_DEVICE_ALLOC=1 CUDA_AUTO_BOOST=0", "compile"), "0");
}

int main(int argc, char **argv)
{
    char path[4096] = "";
    for (const auto &m : modes)
        if (argc > 1 && strcmp(argv[1], m.name) == 0)
            return m.fn(), 0;
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        return 1;
    self = path;
    devices_that_are_seen();
    devices_by_uuid();
    what_waits();
    where_kernels_are_kept();
    what_is_answered();
    return check_failures != 0;
}
