// SPDX-License-Identifier: Apache-2.0
// The rows of float_intrinsics.def for one type T, with W a wider one. Included twice, in namespaces, by device_floats.cu.

__global__ void exact(const row_arguments<T> *in, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    if (i >= n)
        return;
    const T a = in[i].a, b = in[i].b, c = in[i].c;
#define STORE(value) out[(size_t)row++ * n + i] = bits64(value);
#define EXACT(name, arguments, expression) STORE(name##_rn arguments) STORE(name##_rz arguments) STORE(name##_ru arguments) STORE(name##_rd arguments)
#define INTEGER(name, Int) STORE((Int)name##_rn(a)) STORE((Int)name##_rz(a)) STORE((Int)name##_ru(a)) STORE((Int)name##_rd(a))
#define NEAR(call, expression, ulps)
#define WITHIN(call, expression, error)
#include "float_intrinsics.def"
}

static bool want_exact(int wanted, const row_arguments<T> &in, unsigned long long got)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    volatile T va = in.a, vb = in.b, vc = in.c;
    int row = 0;
#define EXACT(name, arguments, expression)                                    \
    if (wanted < (row += 4))                                                  \
        return got == bits64(rounded(modes[wanted % 4], [&]() -> T {          \
                   const T a = va, b = vb, c = vc;                            \
                   (void)a, (void)b, (void)c;                                 \
                   volatile T r = (T)(expression);                            \
                   return r;                                                  \
               }));
#define INTEGER(name, Int)                                                    \
    if (wanted < (row += 4))                                                  \
        return got == bits64(to_integer<Int>(in.a, modes[wanted % 4]));
#define NEAR(call, expression, ulps)
#define WITHIN(call, expression, error)
#include "float_intrinsics.def"
    return false;
}

static const char *const exact_names[] = {
#define EXACT(name, arguments, expression) #name "_rn", #name "_rz", #name "_ru", #name "_rd",
#define INTEGER(name, Int) #name "_rn", #name "_rz", #name "_ru", #name "_rd",
#define NEAR(call, expression, ulps)
#define WITHIN(call, expression, error)
#include "float_intrinsics.def"
};

__global__ void approximate(const row_arguments<T> *in, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    if (i >= n)
        return;
    const T a = in[i].a, b = in[i].b, c = in[i].c;
#define EXACT(name, arguments, expression)
#define INTEGER(name, Int)
#define NEAR(call, expression, ulps) STORE(typed<T>(call))
#define WITHIN(call, expression, error) NEAR(call, expression, 0)
#include "float_intrinsics.def"
}

static bool want_approximate(int wanted, const row_arguments<T> &in, unsigned long long got)
{
    const T a = in.a, b = in.b, c = in.c;
    const W wa = a, wb = b, wc = c;
    T value;
    int row = 0;
    (void)a, (void)b, (void)c, (void)wa, (void)wb, (void)wc;
    memcpy(&value, &got, sizeof value);
#define EXACT(name, arguments, expression)
#define INTEGER(name, Int)
#define NEAR(call, expression, ulps)                                                   \
    if (row++ == wanted) {                                                             \
        const W want = (W)(expression);                                                \
        const T size = std::fabs((T)want);                                             \
        return std::fabs((W)value - want) <= ulps * (W)(std::nextafter(size, std::numeric_limits<T>::infinity()) - size); \
    }
#define WITHIN(call, expression, error)                                                \
    if (row++ == wanted)                                                               \
        return std::fabs((W)value - (W)(expression)) <= (error);
#include "float_intrinsics.def"
    return false;
}

static const char *const approximate_names[] = {
#define EXACT(name, arguments, expression)
#define INTEGER(name, Int)
#define NEAR(call, expression, ulps) #call,
#define WITHIN(call, expression, error) #call,
#include "float_intrinsics.def"
};
#undef STORE

static int run(const std::vector<T> &wild, const std::vector<T> &tame)
{
    const int n_exact = sizeof exact_names / sizeof *exact_names, n_approximate = sizeof approximate_names / sizeof *approximate_names;
    run_rows("exact", wild, n_exact, exact_names, exact, want_exact);
    run_rows("approximate", tame, n_approximate, approximate_names, approximate, want_approximate);
    return n_exact + n_approximate;
}
