// SPDX-License-Identifier: Apache-2.0
// CUDA's functions of floats beyond <cmath> in kernels (float_intrinsics.def): arithmetic in all roundings, conversions, fast and special functions.
#include "device_rows.h"

#include <type_traits>

// ---- what the tables are written with ----

static long double sinpi_of(long double v) { return sinl(fmodl(v, 2) * 3.14159265358979323846264338327950288L); }
static long double cospi_of(long double v) { return cosl(fmodl(v, 2) * 3.14159265358979323846264338327950288L); }
static long double erfcx_of(long double v) { return expl(v * v) * erfcl(v); }
// The series, whose terms are all positive.
static long double bessel_i(int n, long double v)
{
    long double term = n ? v / 2 : 1, sum = 0;
    for (int k = 1; k < 200; k++) {
        sum += term;
        term *= v * v / 4 / k / (k + n);
    }
    return sum;
}
#define one_of_two(f, x, which)   \
    ([=] {                        \
        decltype(x + 0) s, c;     \
        f(x, &s, &c);             \
        return which ? c : s;     \
    }())
#define norm_of(f, x, y, z)                    \
    ([=] {                                     \
        const decltype(x + 0) v[] = {x, y, z}; \
        return f(3, v);                        \
    }())

template <class T, class U> __device__ T typed(U v)
{
    static_assert(std::is_same<T, U>::value, "an overload is missing");
    return v;
}

namespace of_float {
typedef float T;
typedef double W;
#define ROWS_OF_FLOAT
#include "device_float_rows.h"
#undef ROWS_OF_FLOAT
}
namespace of_double {
typedef double T;
typedef long double W;
#include "device_float_rows.h"
}

template <class T> static std::vector<T> wild()
{
    const T inf = std::numeric_limits<T>::infinity(), least = std::numeric_limits<T>::denorm_min(), normal = std::numeric_limits<T>::min();
    std::vector<T> v = {0, -(T)0.0, 1, -1, (T)0.5, (T)1.5, (T)2.5, (T)-2.5, (T)0.1, (T)1 / 3, inf, -inf, std::numeric_limits<T>::quiet_NaN(), least, -least, normal,
                        std::numeric_limits<T>::max(), (T)2147483647.0, (T)-2147483648.0, (T)4294967295.0, (T)9223372036854775807.0, (T)1e10, (T)-1e10, (T)1e19};
    for (int i = 0; i < 12; i++)
        v.push_back(std::ldexp((T)(1 + (i * 37 % 64) / (T)67), i * 13 % 50 - 20) * (i % 3 ? 1 : -1));
    return v;
}
template <class T> static std::vector<T> tame()
{
    std::vector<T> v;
    for (int i = 0; i < 40; i++)
        v.push_back((T)(0.01 + 7.99 * i / 39));
    return v;
}

// The host has these too, and no library of its own for them.
static void host_functions()
{
    for (int i = 1; i < 400; i++) {
        const double x = i / 400.0, far = ldexp(1, -3 * i / 2), wide = i / 8.0;
        bool good = fabs(erf(erfinv(x)) - x) < 3e-16 && fabs(erfc(erfcinv(x)) / x - 1) < 4e-15 && fabs(normcdf(normcdfinv(x)) / x - 1) < 4e-15;
        good = good && erfinv(-x) == -erfinv(x) && fabs(erfcinv(2 - x) + erfcinv(x)) < 1e-14 * (1 + erfcinv(x)) && erfinvf((float)x) == (float)erfinv((double)(float)x);
        good = good && (i > 400 || fabs(erfc(erfcinv(far)) / far - 1) < 1e-11);
        good = good && fabs((double)(erfcx(x * 12) / erfcx_of(x * 12)) - 1) < 4e-15 && (wide > 26 || fabs((double)(erfcx(wide) / erfcx_of(wide)) - 1) < 4e-15);
        good = good && erfcx(-x) > 1 && erfcx(1e9 * x) > 0 && erfinv(x * 1e-9) > 0;
        if (!good && rows_bad++ < 20)
            printf("the host's functions at %d\n", i);
    }
    rows_bad += !(erfinv(1.0) == INFINITY && erfinv(2.0) != erfinv(2.0) && erfcinv(0.0) == INFINITY && erfcinv(2.0) == -INFINITY && normcdfinv(0.5) == 0);
}

int main()
{
    host_functions();
    int rows = of_float::run(wild<float>(), tame<float>()) + of_double::run(wild<double>(), tame<double>());
    printf("%s: %d functions\n", rows_bad ? "bad" : "good", rows);
    return rows_bad != 0;
}
