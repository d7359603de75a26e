// SPDX-License-Identifier: Apache-2.0
// run: --extended-lambda
// math.h in kernels: each function against the host's with more digits, within the error that CUDA documents (in units in the
// last place).
#include "app.h"
#include <cmath>
#include <vector>

enum { N = 20000 };

template <class T, class F> __global__ void apply(const T *a, const T *b, T *out, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = f(a[i], b[i]);
}

/* How far two numbers are apart, in units of the last place of the right one. */
template <class T> static double ulps(T got, long double want)
{
    T w = (T)want;
    if (std::isnan((double)want))
        return std::isnan((double)got) ? 0 : 1e9;
    if (got == w)
        return 0;
    if (std::isinf((double)got) || std::isinf((double)w))
        return 1e9;
    T above = std::nextafter(w < 0 ? -w : w, (T)INFINITY);
    long double unit = (long double)above - (w < 0 ? -(long double)w : (long double)w), off = (long double)got - want;
    return (double)((off < 0 ? -off : off) / unit);
}

static int failures;

template <class T, class F, class R> static void check(const char *name, double lo, double hi, double limit, F device, R host)
{
    static std::vector<T> a(N), b(N), out(N);
    T *da, *db, *dout;
    double worst = 0, at = 0;
    for (int i = 0; i < N; i++) {
        a[i] = (T)(lo + (hi - lo) * app_random((uint32_t)i) / 4294967296.0);
        b[i] = (T)(0.5 + 3.0 * app_random((uint32_t)i + 77777) / 4294967296.0);
    }
    a[0] = (T)lo;
    a[1] = (T)hi;
    CUDA(cudaMalloc(&da, N * sizeof(T)));
    CUDA(cudaMalloc(&db, N * sizeof(T)));
    CUDA(cudaMalloc(&dout, N * sizeof(T)));
    CUDA(cudaMemcpy(da, a.data(), N * sizeof(T), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b.data(), N * sizeof(T), cudaMemcpyHostToDevice));
    apply<<<(N + 255) / 256, 256>>>(da, db, dout, device);
    CUDA(cudaMemcpy(out.data(), dout, N * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        double e = ulps(out[i], (long double)host((double)a[i], (double)b[i]));
        if (e > worst) {
            worst = e;
            at = (double)a[i];
        }
    }
    bool ok = worst <= limit + 0.5; /* half a unit more than the documented limit, which counts whole units after rounding */
    printf("%s: %s\n", name, ok ? "within its limit" : "too far off");
    if (!ok)
        printf("  %g units at %.17g, limit %g\n", worst, at, limit);
    failures += !ok;
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dout));
}

#define F1(name, lo, hi, limit)                                                                             \
    check<float>(#name "f", lo, hi, limit, [] __device__(float x, float) { return name##f(x); },            \
                 [](double x, double) { return name(x); })
#define D1(name, lo, hi, limit)                                                                             \
    check<double>(#name, lo, hi, limit, [] __device__(double x, double) { return name(x); },                \
                  [](double x, double) { return name##l((long double)x); })

int main()
{
    F1(sqrt, 0, 1e6, 0);
    F1(exp, -80, 80, 2);
    F1(exp2, -120, 120, 2);
    F1(log, 1e-6, 1e6, 1);
    F1(log2, 1e-6, 1e6, 1);
    F1(log10, 1e-6, 1e6, 2);
    F1(log1p, -0.9, 100, 1);
    F1(expm1, -10, 10, 1);
    F1(sin, -100, 100, 2);
    F1(cos, -100, 100, 2);
    F1(tan, -1.5, 1.5, 4);
    F1(asin, -1, 1, 2);
    F1(acos, -1, 1, 2);
    F1(atan, -50, 50, 2);
    F1(sinh, -20, 20, 3);
    F1(cosh, -20, 20, 2);
    F1(tanh, -5, 5, 2);
    F1(cbrt, -1000, 1000, 1);
    F1(erf, -4, 4, 2);
    F1(floor, -100, 100, 0);
    F1(ceil, -100, 100, 0);
    F1(rint, -100, 100, 0);
    check<float>("powf", 0.1, 50, 4, [] __device__(float x, float y) { return powf(x, y); }, [](double x, double y) { return pow(x, y); });
    check<float>("atan2f", -5, 5, 3, [] __device__(float x, float y) { return atan2f(x, y); }, [](double x, double y) { return atan2(x, y); });
    check<float>("hypotf", -50, 50, 3, [] __device__(float x, float y) { return hypotf(x, y); }, [](double x, double y) { return hypot(x, y); });
    check<float>("fmodf", -50, 50, 0, [] __device__(float x, float y) { return fmodf(x, y); }, [](double x, double y) { return fmod(x, y); });
    check<float>("rsqrtf", 0.01, 1e6, 2, [] __device__(float x, float) { return rsqrtf(x); }, [](double x, double) { return 1 / sqrt(x); });
    check<float>("fmaf", -50, 50, 0, [] __device__(float x, float y) { return fmaf(x, y, 1.0f); }, [](double x, double y) { return (double)std::fma((float)x, (float)y, 1.0f); });
    check<float>("division", -50, 50, 0, [] __device__(float x, float y) { return x / y; }, [](double x, double y) { return (double)((float)x / (float)y); });
    D1(sqrt, 0, 1e6, 0);
    D1(exp, -500, 500, 1);
    D1(log, 1e-9, 1e9, 1);
    D1(sin, -100, 100, 2);
    D1(cos, -100, 100, 2);
    D1(tanh, -5, 5, 1);
    D1(cbrt, -1000, 1000, 1);
    check<double>("pow", 0.1, 50, 2, [] __device__(double x, double y) { return pow(x, y); }, [](double x, double y) { return powl(x, y); });
    return failures;
}
