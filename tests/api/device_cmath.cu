// SPDX-License-Identifier: Apache-2.0
// Every overload of C++'s <cmath> in kernels, plain and in namespace std: types as in the standard, values as on the host (cmath.def has the functions).
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

// ---- types ----

__global__ void types(float f, double d, int i, unsigned char c, bool *unused)
{
#define F1(name, from, to, ulps)                                                                                             \
    static_assert(std::is_same<decltype(name(f)), float>::value && std::is_same<decltype(std::name(f)), float>::value, #name); \
    static_assert(std::is_same<decltype(name(d)), double>::value && std::is_same<decltype(std::name(d)), double>::value, #name); \
    static_assert(std::is_same<decltype(name(i)), double>::value && std::is_same<decltype(std::name(c)), double>::value, #name);
#define I1(name, result, from, to) \
    static_assert(std::is_same<decltype(name(f)), result>::value && std::is_same<decltype(std::name(c)), result>::value, #name);
#define F2(name, from, to, ulps)                                                                                             \
    static_assert(std::is_same<decltype(name(f, f)), float>::value && std::is_same<decltype(std::name(f, f)), float>::value, #name); \
    static_assert(std::is_same<decltype(name(f, d)), double>::value && std::is_same<decltype(std::name(d, f)), double>::value, #name); \
    static_assert(std::is_same<decltype(name(f, i)), double>::value && std::is_same<decltype(std::name(c, f)), double>::value, #name); \
    static_assert(std::is_same<decltype(name(i, i)), double>::value && std::is_same<decltype(std::name(d, d)), double>::value, #name);
#define T1(name, result)
#define T2(name)
#include "cmath.def"
    static_assert(std::is_same<decltype(std::abs(f)), float>::value && std::is_same<decltype(abs(d)), double>::value, "abs");
    static_assert(std::is_same<decltype(std::abs(i)), int>::value && std::is_same<decltype(abs(-3l)), long>::value, "abs");
    static_assert(std::is_same<decltype(abs(-3ll)), long long>::value && std::is_same<decltype(std::abs((short)i)), int>::value, "abs");
    static_assert(std::is_same<decltype(std::fma(f, f, f)), float>::value && std::is_same<decltype(fma(f, d, i)), double>::value, "fma");
    static_assert(std::is_same<decltype(std::ldexp(f, i)), float>::value && std::is_same<decltype(ldexp(i, i)), double>::value, "ldexp");
    static_assert(std::is_same<decltype(max(f, d)), double>::value && std::is_same<decltype(min(i, 3u)), unsigned>::value, "min, max");
}

// ---- definitions ----

// Never launched: that it can be is decided when the program's device code is loaded, which fails for a function that is declared and not defined.
template <class T> __device__ void call_all(T x, int i, unsigned char c, volatile double *sink)
{
    int exponent;
    T whole;
#define F1(name, from, to, ulps) *sink = std::name(x) + name(i) + std::name(c) + name((long long)i);
#define I1(name, result, from, to) *sink = std::name(x) + name(i) + std::name(c);
#define F2(name, from, to, ulps) *sink = std::name(x, x) + name(i, x) + std::name(x, c) + name(i, i) + std::name(x, 2.5) + name(2.5f, x);
#define T1(name, result) *sink = std::name(x) + name(i);
#define T2(name) *sink = std::name(x, x) + name(x, i) + name(i, i);
#include "cmath.def"
    *sink = std::fma(x, x, x) + fma(i, x, x) + std::fma(i, c, 2.0f);
    *sink = std::ldexp(x, 5) + ldexp(i, 5) + std::scalbn(i, 4) + std::scalbln(i, 4l);
    *sink = std::frexp(x, &exponent) + frexp(i, &exponent) + std::modf(x, &whole) + std::remquo(x, x, &exponent) + remquo(i, x, &exponent);
    *sink = std::nan("") + std::nanf("") + nan("") + nanf("");
}

__global__ void exists(float f, double d, int i, unsigned char c, double *sink)
{
    call_all(f, i, c, sink);
    call_all(d, i, c, sink);
}

// ---- values ----

// Row after row, in the order of cmath.def; the rest, which fits no pattern, at the end.
template <class T> struct results {
    T f1[40], f2[12], of_int, of_both;
    long long i1[6];
    int t1[8], t2[8];
    T fma, ldexp, scalbn, scalbln, frexp, modf, whole, remquo, abs;
    int exponent, quotient;
    long long abs_int;
    bool nans;
};

template <class T> struct argument {
    T x, y;
    bool scaled;
};

// An argument scaled into the domain of the function, or as it is (special values). With fma(): both sides must round it alike.
template <class T> __host__ __device__ T place(const argument<T> &a, T v, double from, double to)
{
    return a.scaled ? (T)fma(to - from, (double)v, from) : v;
}

#define ALL_ROWS(T, a, r)                                                                                           \
    int f1 = 0, i1 = 0, f2 = 0, t1 = 0, t2 = 0;                                                                     \
    const T x = a.x, y = a.y;                                                                                       \
    const int k = a.scaled ? (int)(a.x * 20) + 1 : 2;

template <class T> __device__ void evaluate(const argument<T> &a, results<T> &r)
{
    ALL_ROWS(T, a, r)
#define F1(name, from, to, ulps) r.f1[f1++] = name(place<T>(a, x, from, to));
#define I1(name, result, from, to) r.i1[i1++] = name(place<T>(a, x, from, to));
#define F2(name, from, to, ulps) r.f2[f2++] = name(place<T>(a, x, from, to), place<T>(a, y, from, to));
#define T1(name, result) r.t1[t1++] = (int)name(x);
#define T2(name) r.t2[t2++] = name(x, y);
#include "cmath.def"
    T whole;
    r.of_int = (T)sqrt(k);
    r.of_both = (T)pow(x, k);
    r.fma = fma(x, y, (T)3);
    r.ldexp = ldexp(x, 5);
    r.scalbn = std::scalbn(x, -4) + scalbn(x, 1);
    r.scalbln = std::scalbln(x, 7l) + scalbln(x, 1l);
    r.frexp = frexp(x, &r.exponent);
    r.modf = modf(x * 30, &whole);
    r.whole = whole;
    r.remquo = remquo(x * 30, y, &r.quotient);
    r.abs = abs(x) + std::abs(x);
    r.abs_int = abs(-k) + std::abs((long)-k) + abs((long long)-k) + llabs((long long)-k) + std::labs((long)-k);
    r.nans = std::isnan(std::nan("")) && isnan(nanf("1")) && isnan(nan("")) && std::isnan(std::nanf(""));
}

template <class T> __global__ void evaluate_all(const argument<T> *a, results<T> *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        evaluate(a[i], r[i]);
}

// ---- comparison ----

static int bad;

// What the host makes of the same arguments, in a wider type.
template <class T> struct wider;
template <> struct wider<float> { typedef double type; };
template <> struct wider<double> { typedef long double type; };

template <class T, class W> static bool close(T got, W want, double ulps)
{
    T rounded = (T)want;
    if (std::isnan(rounded) || std::isnan(got))
        return std::isnan(rounded) && std::isnan(got);
    if (got == rounded)
        return true;
    if (std::isinf(rounded) || std::isinf(got))
        return false;
    T magnitude = std::fmax(std::fabs(rounded), std::numeric_limits<T>::min());
    W unit = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
    return std::fabs((W)got - want) <= ulps * unit;
}

template <class T> static void expect(bool good, const char *name, T x, T y, double got)
{
    if (!good && bad++ < 20)
        printf("%s of %zu bytes: (%a, %a) gives %a\n", name, sizeof(T), (double)x, (double)y, got);
}

template <class T> static void compare(const argument<T> &a, const results<T> &r)
{
    typedef typename wider<T>::type W;
    ALL_ROWS(T, a, r)
#define F1(name, from, to, ulps)                                                                        \
    {                                                                                                   \
        T v = place<T>(a, x, from, to);                                                                 \
        expect<T>(close<T, W>(r.f1[f1], std::name((W)v), ulps), #name, v, 0, r.f1[f1]);                 \
        f1++;                                                                                           \
    }
#define I1(name, result, from, to)                                                                      \
    {                                                                                                   \
        T v = place<T>(a, x, from, to);                                                                 \
        expect<T>(!std::isfinite(v) || v == 0 || r.i1[i1] == std::name(v), #name, v, 0, (double)r.i1[i1]); \
        i1++;                                                                                           \
    }
#define F2(name, from, to, ulps)                                                                        \
    {                                                                                                   \
        T v = place<T>(a, x, from, to), w = place<T>(a, y, from, to);                                   \
        W want = strcmp(#name, "nextafter") == 0 ? (W)std::name(v, w) : (W)std::name((W)v, (W)w);       \
        expect<T>(close<T, W>(r.f2[f2], want, ulps), #name, v, w, r.f2[f2]);                            \
        f2++;                                                                                           \
    }
#define T1(name, result)                                                                                \
    expect<T>(r.t1[t1] == (int)std::name(x), #name, x, 0, r.t1[t1]);                                    \
    t1++;
#define T2(name)                                                                                        \
    expect<T>(r.t2[t2] == std::name(x, y), #name, x, y, r.t2[t2]);                                      \
    t2++;
#include "cmath.def"
    T whole;
    int exponent = 0, quotient = 0;
    expect<T>(close<T, W>(r.of_int, std::sqrt((W)k), 1), "sqrt of an int", k, 0, r.of_int);
    expect<T>(close<T, W>(r.of_both, std::pow((W)x, (W)k), 8), "pow of a number and an int", x, k, r.of_both);
    expect<T>(close<T, T>(r.fma, std::fma(x, y, (T)3), 0), "fma", x, y, r.fma);
    expect<T>(close<T, T>(r.ldexp, std::ldexp(x, 5), 0), "ldexp", x, 5, r.ldexp);
    expect<T>(close<T, T>(r.scalbn, std::scalbn(x, -4) + std::scalbn(x, 1), 0), "scalbn", x, y, r.scalbn);
    expect<T>(close<T, T>(r.scalbln, std::scalbln(x, 7) + std::scalbln(x, 1), 0), "scalbln", x, y, r.scalbln);
    expect<T>(close<T, T>(r.frexp, std::frexp(x, &exponent), 0), "frexp", x, y, r.frexp);
    expect<T>(!std::isfinite(x) || exponent == r.exponent, "frexp's exponent", x, y, r.exponent);
    expect<T>(close<T, T>(r.modf, std::modf(x * 30, &whole), 0) && close<T, T>(r.whole, whole, 0), "modf", x, y, r.modf);
    expect<T>(close<T, T>(r.remquo, std::remquo(x * 30, y, &quotient), 0), "remquo", x, y, r.remquo);
    expect<T>(!std::isfinite(x) || !std::isfinite(y) || y == 0 || ((quotient ^ r.quotient) & 7) == 0, "remquo's quotient", x, y, r.quotient);
    expect<T>(close<T, T>(r.abs, 2 * std::fabs(x), 0), "abs", x, y, r.abs);
    expect<T>(r.abs_int == 5 * (long long)std::abs(k), "abs of integers", k, 0, (double)r.abs_int);
    expect<T>(r.nans, "nan", x, y, 0);
}

template <class T> static void run()
{
    const T inf = std::numeric_limits<T>::infinity(), specials[] = {0, -(T)0.0, 1, -1, (T)0.5, inf, -inf, std::numeric_limits<T>::quiet_NaN()};
    std::vector<argument<T>> all;
    for (int i = 0; i < 1500; i++)
        all.push_back({(T)(i / 1499.0), (T)(i * 611 % 1500 / 1499.0), true});
    for (T x : specials)
        for (T y : specials)
            all.push_back({x, y, false});
    const int n = (int)all.size();
    argument<T> *a;
    results<T> *r;
    cudaMallocManaged(&a, n * sizeof *a);
    cudaMallocManaged(&r, n * sizeof *r);
    std::copy(all.begin(), all.end(), a);
    evaluate_all<<<(n + 63) / 64, 64>>>(a, r, n);
    cudaError_t rc = cudaDeviceSynchronize();
    if (rc != cudaSuccess && ++bad)
        printf("%s\n", cudaGetErrorString(rc));
    for (int i = 0; i < n && rc == cudaSuccess; i++)
        compare(a[i], r[i]);
}

int main()
{
    run<float>();
    run<double>();
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
