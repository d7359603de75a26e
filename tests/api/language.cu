// SPDX-License-Identifier: Apache-2.0
// run: --expt-relaxed-constexpr --extended-lambda
// What nvcc gives to every file without being asked: macros that have values, headers, constexpr functions that call <cmath>.
#if !__CUDACC__ || !__NVCC__ || __CUDACC_VER_MAJOR__ < 11 || __CUDA_ARCH_LIST__ < 500 || !__NVCC_DIAG_PRAGMA_SUPPORT__
#error "macros without a value"
#endif
#if !__CUDACC_RELAXED_CONSTEXPR__ || !__CUDACC_EXTENDED_LAMBDA__
#error "macros of options"
#endif
#if defined(__CUDACC_RDC__) || defined(__CUDACC_DEBUG__)
#error "macros of options that were not given"
#endif
#ifdef __CUDA_ARCH__
static_assert(__CUDA_ARCH__ == __CUDA_ARCH_LIST__, "one architecture");
#endif

// No #include before this: all of it comes with the language.
__host__ __device__ constexpr double length(double x, double y) { return std::sqrt(x * x + y * y); }
template <class T> constexpr T wave(T x) { return std::sin(x) + std::pow(x, 2); }

__global__ void kernel(double *out)
{
    clock_t start = clock();
    out[0] = length(out[1], out[2]);
    out[1] = wave(out[1]);
    out[2] = std::move(start) > 0;
    static_assert(sizeof(clock()) == sizeof(clock_t), "device clock");
    memset(&out[3], 0, sizeof *out);
}

static bool host_headers()
{
    time_t now = time(nullptr);
    tm *parts = localtime(&now);
    char *text = (char *)malloc(8);
    strcpy(text, "12");
    bool good = clock() >= 0 && now > 0 && parts && atoi(text) == 12 && floor(1.5) == 1 && INT_MAX > 0 && std::abs(-2.5) == 2.5;
    free(text);
    return good;
}

int main()
{
    double *out;
    cudaMallocManaged(&out, 4 * sizeof *out);
    out[1] = 3;
    out[2] = 4;
    out[3] = 1;
    kernel<<<1, 1>>>(out);
    bool good = cudaDeviceSynchronize() == cudaSuccess && host_headers();
    good = good && out[0] == 5 && fabs(out[1] - (sin(3.0) + 9)) < 1e-12 && out[2] == 1 && out[3] == 0 && length(3, 4) == 5;
    return good ? 0 : 1;
}
