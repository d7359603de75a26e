// SPDX-License-Identifier: Apache-2.0
// CUDA's functions of integers in kernels (integer_intrinsics.def): bit operations, SIMD in a word, DPX, conversions to floats.
#include "device_rows.h"

#include <algorithm>
#include <initializer_list>

// ---- what the host's column is written with ----

static unsigned long long reversed64(unsigned long long v)
{
    unsigned long long r = 0;
    for (int i = 0; i < 64; i++)
        r |= (v >> i & 1) << (63 - i);
    return r;
}
static unsigned long long reversed(unsigned v) { return reversed64(v); }
static unsigned long long join(unsigned high, unsigned low) { return (unsigned long long)high << 32 | low; }
static unsigned permuted(unsigned a, unsigned b, unsigned selector)
{
    unsigned r = 0;
    for (int i = 0; i < 4; i++) {
        unsigned s = selector >> 4 * i & 7;      // the fourth bit does not count, unlike in prmt
        r |= ((unsigned)(join(b, a) >> 8 * s) & 0xff) << 8 * i;
    }
    return r;
}
template <class A, class B> static unsigned dot(unsigned a, unsigned b, int n, int from)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += (unsigned)((int)(A)(a >> i * 8 * sizeof(A)) * (int)(B)(b >> (i + from) * 8));
    return sum;
}
template <class T> static T most(std::initializer_list<T> l) { return *std::max_element(l.begin(), l.end()); }
template <class T> static T least(std::initializer_list<T> l) { return *std::min_element(l.begin(), l.end()); }
#define LANE(expression) [=](int x, int y, int z) -> int { (void)x, (void)y, (void)z; return expression; }
template <class T, class F> static unsigned lanes(unsigned a, unsigned b, unsigned c, F f)
{
    const int bits = 8 * sizeof(T);
    unsigned r = 0;
    for (int at = 0; at < 32; at += bits)
        r |= ((unsigned)f((T)(a >> at), (T)(b >> at), (T)(c >> at)) & (bits == 8 ? 0xffu : 0xffffu)) << at;
    return r;
}
template <class T> static unsigned sum_of_differences(unsigned a, unsigned b)
{
    unsigned sum = 0;
    for (int at = 0; at < 32; at += 8 * sizeof(T))
        sum += (unsigned)std::abs((int)(T)(a >> at) - (int)(T)(b >> at));
    return sum;
}
// Halves go away from zero.
static int average(int x, int y) { return (x + y + (x + y >= 0)) >> 1; }
template <class F> static F unsigned_down(unsigned long long v)
{
    F r = (F)v;
    return (unsigned __int128)r > v ? std::nextafter(r, (F)0) : r;
}
template <class F> static F unsigned_up(unsigned long long v)
{
    F r = (F)v;
    return (unsigned __int128)r < v ? std::nextafter(r, std::numeric_limits<F>::infinity()) : r;
}
template <class F> static F unsigned_near(unsigned long long v) { return (F)v; }
template <class To> __host__ __device__ static To as(unsigned v)
{
    To to;
    memcpy(&to, &v, sizeof to);
    return to;
}

// ---- rows ----

#define SIGNED_int(n)  int##n##_t
#define SIGNED_uint(n) uint##n##_t
#define CALL_A1(name)  name(a)
#define CALL_A2(name)  name(a, b)

__global__ void words(const row_arguments<unsigned> *in, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    if (i >= n)
        return;
    const unsigned a = in[i].a, b = in[i].b, c = in[i].c;
    bool p = false, q = false;
#define U(device, host) out[(size_t)row++ * n + i] = bits64(device);
#define V(name, arguments, sign, lane)                        \
    out[(size_t)row++ * n + i] = CALL_##arguments(name##2);   \
    out[(size_t)row++ * n + i] = CALL_##arguments(name##4);
#define L(device, host)
#include "integer_intrinsics.def"
}

__global__ void doubles(const row_arguments<unsigned long long> *in, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    if (i >= n)
        return;
    const unsigned long long a = in[i].a, b = in[i].b;
#define U(device, host)
#define V(name, arguments, sign, lane)
#define L(device, host) out[(size_t)row++ * n + i] = bits64(device);
#include "integer_intrinsics.def"
}

static bool want_word(int wanted, const row_arguments<unsigned> &in, unsigned long long got)
{
    const unsigned a = in.a, b = in.b, c = in.c;
    int row = 0;
    // A lane's least and largest value are what its type has, so that one row serves both widths.
#define U(device, host) if (row++ == wanted) return got == bits64(host);
#define V(name, arguments, sign, lane)                                          \
    if (row++ == wanted) return got == of_lanes(SIGNED_##sign(16), lane);       \
    if (row++ == wanted) return got == of_lanes(SIGNED_##sign(8), lane);
#define of_lanes(T, lane)                                                                                                      \
    lanes<T>(a, b, c, [=](int x, int y, int) -> int {                                                                          \
        const int lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();                             \
        auto clamped = [=](int v) { return v < lowest ? lowest : v > highest ? highest : v; };                                 \
        (void)y, (void)clamped;                                                                                                \
        return lane;                                                                                                           \
    })
#define L(device, host)
#include "integer_intrinsics.def"
    return false;
}

static bool want_double(int wanted, const row_arguments<unsigned long long> &in, unsigned long long got)
{
    const unsigned long long a = in.a, b = in.b;
    int row = 0;
#define U(device, host)
#define V(name, arguments, sign, lane)
#define L(device, host) if (row++ == wanted) return got == bits64(host);
#include "integer_intrinsics.def"
    (void)b;
    return false;
}

int main()
{
    const char *word_names[] = {
#define U(device, host) #device,
#define V(name, arguments, sign, lane) #name "2", #name "4",
#define L(device, host)
#include "integer_intrinsics.def"
    };
    const char *double_names[] = {
#define U(device, host)
#define V(name, arguments, sign, lane)
#define L(device, host) #device,
#include "integer_intrinsics.def"
    };
    std::vector<unsigned> w = {0, 1, 2, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x80808080, 0x7f7f7f7f,
                               0x80008000, 0x7fff7fff, 0x00ff00ff};
    std::vector<unsigned long long> d = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
                                         0xfffffffffffffbff, 0x8000008000000001};
    unsigned long long seed = 12345;
    for (int i = 0; i < 20; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        w.push_back((unsigned)(seed >> 32));
        d.push_back(seed >> (i * 3 % 40));
    }
    run_rows("words", w, sizeof word_names / sizeof *word_names, word_names, words, want_word);
    run_rows("64 bits", d, sizeof double_names / sizeof *double_names, double_names, doubles, want_double);
    printf("%s: %zu functions\n", rows_bad ? "bad" : "good", sizeof word_names / sizeof *word_names + sizeof double_names / sizeof *double_names);
    return rows_bad != 0;
}
