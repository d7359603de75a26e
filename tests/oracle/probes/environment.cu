// SPDX-License-Identifier: Apache-2.0
// CUDA_* variables: what a process finds that was started with them. The probe starts itself once for each setting.
#include "probe.h"
#include <ctime>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <chrono>

static void child(const char *question, const char *variable, const char *value, const char *key)
{
    fflush(stdout);
    if (fork() == 0) {
        value ? setenv(variable, value, 1) : unsetenv(variable);
        execl("/proc/self/exe", "environment", question, key, (char *)nullptr);
        _exit(99);
    }
    int status = 0;
    wait(&status);
    if (WIFSIGNALED(status) || WEXITSTATUS(status))
        V((std::string(key) + ".status").c_str(), "%d", status);
}

static std::string under(const char *key, const char *part) { return std::string(key) + "." + part; }

// Which devices there are.
static void visible(const char *key)
{
    int n = -1;
    cudaError_t e;
    D(under(key, "init").c_str(), cuInit(0));
    D(under(key, "count").c_str(), cuDeviceGetCount(&n));
    V(under(key, "n").c_str(), "%d", n);
    n = -1;
    e = cudaGetDeviceCount(&n);
    V(under(key, "runtime").c_str(), "%s %d", cudaGetErrorName(e), n);
    R(under(key, "malloc").c_str(), cudaFree(0));
}

__global__ void spin_for(long long ns)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while ((long long)(now - begin) < ns);
}

static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

static const char *waits(cudaStream_t s) { return cudaStreamQuery(s) == cudaSuccess ? "waited" : "did not wait"; }

// Which calls wait until the work is done.
static void blocking(const char *key)
{
    const size_t bytes = (size_t)512 << 20;
    char *device, *device2, *pinned;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&device, bytes), cudaMalloc(&device2, bytes), cudaMallocHost(&pinned, bytes);
    memset(pinned, 1, bytes);
    spin_for<<<1, 1, 0, s>>>(1000);
    cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, s);
    cudaDeviceSynchronize();
    spin_for<<<1, 1, 0, s>>>(60000000);
    V(under(key, "kernel").c_str(), "%s", waits(s));
    cudaDeviceSynchronize();
    cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, s);
    V(under(key, "h2d").c_str(), "%s", waits(s));
    cudaDeviceSynchronize();
    cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, s);
    V(under(key, "d2h").c_str(), "%s", waits(s));
    cudaDeviceSynchronize();
    cudaLaunchHostFunc(s, nap, nullptr);
    V(under(key, "host_function").c_str(), "%s", waits(s));
    cudaMemcpyAsync(device, pinned, 1024, cudaMemcpyHostToDevice, s);
    V(under(key, "small_copy_behind_a_host_function").c_str(), "%s", waits(s));
    cudaDeviceSynchronize();
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaMemsetAsync(device, 1, 1024, s);
    V(under(key, "memset_behind_a_host_function").c_str(), "%s", waits(s));
    cudaDeviceSynchronize();
    cudaLaunchHostFunc(s, nap, nullptr);
    spin_for<<<1, 1, 0, s>>>(1000);
    V(under(key, "kernel_behind_a_host_function").c_str(), "%s", waits(s));
    cudaDeviceSynchronize();
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    spin_for<<<1, 1, 0, s>>>(60000000);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    V(under(key, "graph").c_str(), "%s", waits(s));
    R(under(key, "end").c_str(), cudaDeviceSynchronize());
}

static void loading(const char *key)
{
    CUmoduleLoadingMode mode = (CUmoduleLoadingMode)77;
    cuInit(0);
    D(under(key, "call").c_str(), cuModuleGetLoadingMode(&mode));
    V(under(key, "mode").c_str(), "%d", (int)mode);
}

// Two kernels in one stream, then one in another: does the last run beside the first?
static void connections(const char *key)
{
    cudaStream_t a, b;
    R(under(key, "init").c_str(), cudaFree(0));
    if (cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) || cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking))
        return;
    volatile int *flag;
    cudaMallocHost((void **)&flag, 64);
    *flag = 0;
    spin_for<<<1, 1, 0, a>>>(1000), spin_for<<<1, 1, 0, b>>>(1000);
    cudaDeviceSynchronize();
    spin_for<<<1, 1, 0, a>>>(200000000);
    spin_for<<<1, 1, 0, a>>>(1000);
    spin_for<<<1, 1, 0, b>>>(1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
    V(under(key, "other_stream").c_str(), "%s", cudaStreamQuery(b) == cudaSuccess ? "done" : "waits");
    R(under(key, "end").c_str(), cudaDeviceSynchronize());
}

static void ask(const char *question, const char *key)
{
    if (!strcmp(question, "visible"))
        visible(key);
    else if (!strcmp(question, "blocking"))
        blocking(key);
    else if (!strcmp(question, "loading"))
        loading(key);
    else
        connections(key);
}

int main(int argc, char **argv)
{
    limit_time();
    if (argc == 3) {
        ask(argv[1], argv[2]);
        fflush(stdout);
        _exit(0);
    }
    char uuid[64] = "GPU-";
    int pipes[2];
    if (pipe(pipes))
        return 1;
    if (fork() == 0) {                                  // a process that has used CUDA must not fork
        CUuuid u;
        CUdevice d = 0;
        cuInit(0), cuDeviceGet(&d, 0), cuDeviceGetUuid(&u, d);
        std::string text = "GPU-";
        for (int i = 0; i < 16; i++) {
            char two[4];
            snprintf(two, sizeof two, "%02x", (unsigned char)u.bytes[i]);
            text += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(two);
        }
        if (write(pipes[1], text.c_str(), text.size() + 1) < 0)
            _exit(1);
        _exit(0);
    }
    wait(nullptr);
    if (read(pipes[0], uuid, sizeof uuid) < 5)
        return 1;
    std::string whole = uuid, short8 = whole.substr(0, 12), short1 = whole.substr(0, 5), upper = whole, bare = whole.substr(4);
    for (size_t i = 4; i < upper.size(); i++)
        upper[i] = (char)toupper(upper[i]);
    const struct { const char *key, *value; } devices[] = {
        { "visible.unset", nullptr }, { "visible.empty", "" }, { "visible.minus_1", "-1" }, { "visible.0", "0" }, { "visible.00", "00" }, { "visible.1", "1" },
        { "visible.0_1", "0,1" }, { "visible.1_0", "1,0" }, { "visible.0_minus_1", "0,-1" }, { "visible.minus_1_0", "-1,0" }, { "visible.0_0", "0,0" }, { "visible.space_0", " 0" },
        { "visible.0_space", "0 " }, { "visible.word", "abc" }, { "visible.0_word", "0,abc" }, { "visible.0abc", "0abc" }, { "visible.comma", "," }, { "visible.0_comma", "0," }, { "visible.plus_0", "+0" },
        { "visible.none", "none" }, { "visible.all", "all" }, { "visible.NoDevFiles", "NoDevFiles" },
        { "visible.uuid", whole.c_str() }, { "visible.uuid_8", short8.c_str() }, { "visible.uuid_1", short1.c_str() }, { "visible.uuid_upper", upper.c_str() }, { "visible.uuid_bare", bare.c_str() },
        { "visible.uuid_none", "GPU-" }, { "visible.uuid_other", "GPU-00000000-0000-0000-0000-000000000000" }, { "visible.mig", "MIG-0" },
    };
    for (auto &c : devices)
        child("visible", "CUDA_VISIBLE_DEVICES", c.value, c.key);
    std::string twice = whole + "," + whole, mixed = "0," + whole;
    child("visible", "CUDA_VISIBLE_DEVICES", twice.c_str(), "visible.uuid_twice");
    child("visible", "CUDA_VISIBLE_DEVICES", mixed.c_str(), "visible.0_uuid");
    child("blocking", "CUDA_LAUNCH_BLOCKING", nullptr, "blocking.unset");
    child("blocking", "CUDA_LAUNCH_BLOCKING", "0", "blocking.0");
    child("blocking", "CUDA_LAUNCH_BLOCKING", "1", "blocking.1");
    child("blocking", "CUDA_LAUNCH_BLOCKING", "2", "blocking.2");
    child("blocking", "CUDA_LAUNCH_BLOCKING", "yes", "blocking.yes");
    const char *modes[] = { nullptr, "LAZY", "EAGER", "DEFAULT", "lazy", "other", "" };
    for (const char *m : modes)
        child("loading", "CUDA_MODULE_LOADING", m, (std::string("loading.") + (m ? *m ? m : "empty" : "unset")).c_str());
    const char *numbers[] = { nullptr, "1", "2", "8", "32", "33", "0", "abc" };
    for (const char *n : numbers)
        child("connections", "CUDA_DEVICE_MAX_CONNECTIONS", n, (std::string("connections.") + (n ? n : "unset")).c_str());
}
