// SPDX-License-Identifier: Apache-2.0
// Litmus tests of PTX's memory model: what the model forbids must never be seen, and vector accesses of 8 and 16 aligned bytes must not be torn.
// run: -O2 -- --seconds 4 --threads 2
//
// usage: memory_litmus [--seconds N] [--threads N] [--seed N] [--only NAME]; counts all outcomes and prints them; threads: of hostwarp's engine.
#include "memory_check.h"

#include <map>
#include <string>

enum scope { CTA, GPU, SYS };

#define SCOPED(S, before, after, ...)                                                                                                                                                                  \
    do {                                                                                                                                                                                               \
        if (S == CTA) asm volatile(before "cta" after __VA_ARGS__ : "memory");                                                                                                                         \
        else if (S == GPU) asm volatile(before "gpu" after __VA_ARGS__ : "memory");                                                                                                                    \
        else asm volatile(before "sys" after __VA_ARGS__ : "memory");                                                                                                                                  \
    } while (0)

template <scope S> __device__ unsigned ld_relaxed(unsigned *p) { unsigned v; SCOPED(S, "ld.relaxed.", ".u32 %0, [%1];", : "=r"(v) : "l"(p)); return v; }
template <scope S> __device__ unsigned ld_acquire(unsigned *p) { unsigned v; SCOPED(S, "ld.acquire.", ".u32 %0, [%1];", : "=r"(v) : "l"(p)); return v; }
template <scope S> __device__ void st_relaxed(unsigned *p, unsigned v) { SCOPED(S, "st.relaxed.", ".u32 [%0], %1;", : : "l"(p), "r"(v)); }
template <scope S> __device__ void st_release(unsigned *p, unsigned v) { SCOPED(S, "st.release.", ".u32 [%0], %1;", : : "l"(p), "r"(v)); }
template <scope S> __device__ void fence_sc() { SCOPED(S, "fence.sc.", ";", : :); }
template <scope S> __device__ void fence_acq_rel() { SCOPED(S, "fence.acq_rel.", ";", : :); }
template <scope S> __device__ unsigned exch_release(unsigned *p, unsigned v) { unsigned o; SCOPED(S, "atom.release.", ".exch.b32 %0, [%1], %2;", : "=r"(o) : "l"(p), "r"(v)); return o; }
template <scope S> __device__ unsigned exch_relaxed(unsigned *p, unsigned v) { unsigned o; SCOPED(S, "atom.relaxed.", ".exch.b32 %0, [%1], %2;", : "=r"(o) : "l"(p), "r"(v)); return o; }
template <scope S> __device__ unsigned add_acquire(unsigned *p, unsigned v) { unsigned o; SCOPED(S, "atom.acquire.", ".add.u32 %0, [%1], %2;", : "=r"(o) : "l"(p), "r"(v)); return o; }
template <scope S> __device__ unsigned add_acq_rel(unsigned *p, unsigned v) { unsigned o; SCOPED(S, "atom.acq_rel.", ".add.u32 %0, [%1], %2;", : "=r"(o) : "l"(p), "r"(v)); return o; }
template <scope S> __device__ void membar() { if (S == CTA) __threadfence_block(); else if (S == GPU) __threadfence(); else __threadfence_system(); }

// What the threads of one test see: two registers of each role, and x and y in the end.
struct outcome { unsigned r[4][2], x, y; };
typedef unsigned *loc;

// A test: how many roles, what each does, what must not be.
#define TEST(name, n, code, bad)                                                                                                                                                                       \
    struct name {                                                                                                                                                                                      \
        static const int roles = n;                                                                                                                                                                    \
        static const char *title() { return #name; }                                                                                                                                                   \
        template <scope S> static __device__ void act(int role, loc x, loc y, unsigned &a, unsigned &b) code                                                                                           \
        static bool forbidden(const outcome &o) { (void)o; return bad; }                                                                                                                               \
    };
#define ROLE(k) if (role == k)
#define R(role, k) o.r[role][k]

TEST(MP_release_acquire, 2, { ROLE(0) { st_relaxed<S>(x, 1); st_release<S>(y, 1); } ROLE(1) { a = ld_acquire<S>(y); b = ld_relaxed<S>(x); } }, R(1, 0) == 1 && R(1, 1) == 0)
TEST(MP_weak_data, 2, { ROLE(0) { *x = 1; st_release<S>(y, 1); } ROLE(1) { a = ld_acquire<S>(y); b = a ? *x : 2; } }, R(1, 0) == 1 && R(1, 1) == 0)
TEST(MP_fences, 2, { ROLE(0) { st_relaxed<S>(x, 1); fence_acq_rel<S>(); st_relaxed<S>(y, 1); } ROLE(1) { a = ld_relaxed<S>(y); fence_acq_rel<S>(); b = ld_relaxed<S>(x); } },
     R(1, 0) == 1 && R(1, 1) == 0)
TEST(MP_volatile_membar, 2, { volatile unsigned *vx = x; volatile unsigned *vy = y; ROLE(0) { *vx = 1; membar<S>(); *vy = 1; } ROLE(1) { a = *vy; membar<S>(); b = *vx; } }, R(1, 0) == 1 && R(1, 1) == 0)
TEST(MP_weak_membar, 2, { volatile unsigned *vy = y; ROLE(0) { *x = 1; membar<S>(); *vy = 1; } ROLE(1) { a = *vy; membar<S>(); b = a ? *x : 2; } }, R(1, 0) == 1 && R(1, 1) == 0)
TEST(MP_atomics, 2, { ROLE(0) { *x = 1; exch_release<S>(y, 1); } ROLE(1) { a = add_acquire<S>(y, 0); b = a ? *x : 2; } }, R(1, 0) == 1 && R(1, 1) == 0)
TEST(MP_fence_atomics, 2, { ROLE(0) { *x = 1; membar<S>(); atomicExch(y, 1u); } ROLE(1) { a = atomicAdd(y, 0u); membar<S>(); b = a ? *x : 2; } }, R(1, 0) == 1 && R(1, 1) == 0)
TEST(SB_fences, 2, { ROLE(0) { st_relaxed<S>(x, 1); fence_sc<S>(); a = ld_relaxed<S>(y); } ROLE(1) { st_relaxed<S>(y, 1); fence_sc<S>(); a = ld_relaxed<S>(x); } }, R(0, 0) == 0 && R(1, 0) == 0)
TEST(SB_membars, 2, { volatile unsigned *vx = x; volatile unsigned *vy = y; ROLE(0) { *vx = 1; membar<S>(); a = *vy; } ROLE(1) { *vy = 1; membar<S>(); a = *vx; } }, R(0, 0) == 0 && R(1, 0) == 0)
TEST(SB_exchanges, 2, { ROLE(0) { exch_relaxed<S>(x, 1); fence_sc<S>(); a = ld_relaxed<S>(y); } ROLE(1) { exch_relaxed<S>(y, 1); fence_sc<S>(); a = ld_relaxed<S>(x); } },
     R(0, 0) == 0 && R(1, 0) == 0)
TEST(SB_relaxed, 2, { ROLE(0) { st_relaxed<S>(x, 1); a = ld_relaxed<S>(y); } ROLE(1) { st_relaxed<S>(y, 1); a = ld_relaxed<S>(x); } }, false)
TEST(LB_fences, 2, { ROLE(0) { a = ld_relaxed<S>(x); fence_acq_rel<S>(); st_relaxed<S>(y, 1); } ROLE(1) { a = ld_relaxed<S>(y); fence_acq_rel<S>(); st_relaxed<S>(x, 1); } },
     R(0, 0) == 1 && R(1, 0) == 1)
TEST(LB_release_acquire, 2, { ROLE(0) { a = ld_acquire<S>(x); st_release<S>(y, 1); } ROLE(1) { a = ld_acquire<S>(y); st_release<S>(x, 1); } }, R(0, 0) == 1 && R(1, 0) == 1)
TEST(CoRR, 2, { ROLE(0) { st_relaxed<S>(x, 1); st_relaxed<S>(x, 2); } ROLE(1) { a = ld_relaxed<S>(x); b = ld_relaxed<S>(x); } }, R(1, 0) > R(1, 1))
TEST(CoRR_volatile, 2, { volatile unsigned *v = x; ROLE(0) { *v = 1; *v = 2; } ROLE(1) { a = *v; b = *v; } }, R(1, 0) > R(1, 1))
TEST(CoRR_atomic, 2, { ROLE(0) { atomicAdd(x, 1u); atomicAdd(x, 1u); } ROLE(1) { a = ld_relaxed<S>(x); b = ld_relaxed<S>(x); } }, R(1, 0) > R(1, 1))
TEST(CoWR, 2, { ROLE(0) { st_relaxed<S>(x, 1); a = ld_relaxed<S>(x); } ROLE(1) { st_relaxed<S>(x, 2); a = ld_relaxed<S>(x); } },
     R(0, 0) == 0 || R(1, 0) == 0 || (R(0, 0) == 2 && o.x == 1) || (R(1, 0) == 1 && o.x == 2))
TEST(CoWW, 2, { ROLE(0) { st_relaxed<S>(x, 1); st_relaxed<S>(x, 2); } ROLE(1) { a = ld_relaxed<S>(x); } }, o.x != 2)
TEST(TwoPlusTwoW, 2, { ROLE(0) { st_relaxed<S>(x, 1); fence_sc<S>(); st_relaxed<S>(y, 2); } ROLE(1) { st_relaxed<S>(y, 1); fence_sc<S>(); st_relaxed<S>(x, 2); } }, o.x == 1 && o.y == 1)
TEST(R_fences, 2, { ROLE(0) { st_relaxed<S>(x, 1); fence_sc<S>(); st_relaxed<S>(y, 1); } ROLE(1) { st_relaxed<S>(y, 2); fence_sc<S>(); a = ld_relaxed<S>(x); } }, o.y == 2 && R(1, 0) == 0)
TEST(S_release_acquire, 2, { ROLE(0) { st_relaxed<S>(x, 2); st_release<S>(y, 1); } ROLE(1) { a = ld_acquire<S>(y); st_relaxed<S>(x, 1); } }, R(1, 0) == 1 && o.x == 2)
TEST(WRC, 3, { ROLE(0) { st_relaxed<S>(x, 1); } ROLE(1) { a = ld_relaxed<S>(x); fence_acq_rel<S>(); st_relaxed<S>(y, 1); } ROLE(2) { a = ld_acquire<S>(y); b = ld_relaxed<S>(x); } },
     R(1, 0) == 1 && R(2, 0) == 1 && R(2, 1) == 0)
TEST(MP_through_rmw, 3, { ROLE(0) { *x = 1; st_release<S>(y, 1); } ROLE(1) { a = add_acq_rel<S>(y, 0); } ROLE(2) { a = ld_acquire<S>(y); b = a ? *x : 2; } }, R(2, 0) == 1 && R(2, 1) == 0)
TEST(IRIW_fences, 4, { ROLE(0) { st_relaxed<S>(x, 1); } ROLE(1) { st_relaxed<S>(y, 1); } ROLE(2) { a = ld_relaxed<S>(x); fence_sc<S>(); b = ld_relaxed<S>(y); }
                       ROLE(3) { a = ld_relaxed<S>(y); fence_sc<S>(); b = ld_relaxed<S>(x); } },
     R(2, 0) == 1 && R(2, 1) == 0 && R(3, 0) == 1 && R(3, 1) == 0)

struct layout { unsigned step, y_at, lanes; };     // words between cells, from x to y; threads of each role

// Everybody of a group comes by here about together; nobody waits for ever.
__device__ void meet(unsigned *counter, unsigned target)
{
    atomicAdd(counter, 1u);
    for (int i = 0; i < 3000 && *(volatile unsigned *)counter < target; i++)
        ;
}

// Roles are blocks, or warps of one block. Each thread of a role has a cell of its own in every round.
template <class T, scope S> __global__ void play(unsigned *cells, unsigned *seen, unsigned *meeting, layout l, unsigned rounds, unsigned seed)
{
    int in_block = blockDim.x / l.lanes, role = in_block > 1 ? threadIdx.x / l.lanes : blockIdx.x % T::roles, group = in_block > 1 ? blockIdx.x : blockIdx.x / T::roles;
    unsigned lane = threadIdx.x % l.lanes;
    for (unsigned i = 0; i < rounds; i++) {
        unsigned cell = (group * rounds + i) * l.lanes + (lane * 5 + seed) % l.lanes, a = 0, b = 0;
        if (lane == 0)
            meet(meeting + 32 * group, T::roles * (i + 1));
        __syncwarp();
        for (unsigned k = (seed * 7 + i * (role + 3)) % 13; k > 0; k--)
            asm volatile("" ::: "memory");
        loc x = cells + (size_t)cell * l.step, y = x + l.y_at;
        T::template act<S>(role, x, y, a, b);
        seen[(cell * 4 + role) * 2] = a, seen[(cell * 4 + role) * 2 + 1] = b;
    }
}

struct arena { unsigned *cells, *seen, *meeting; std::vector<unsigned> host_cells, host_seen; };
enum { ROUNDS = 64, GROUPS = 4, LANES = 32, WORDS = ROUNDS * GROUPS * LANES * 64 };

static void show(const char *name, const char *where, const std::map<std::string, long> &counts, long bad)
{
    printf("%s - %s %s:", bad ? "not ok" : "ok", name, where);
    for (auto &c : counts)
        printf(" %s x%ld", c.first.c_str(), c.second);
    printf("\n");
}

template <class T> static std::string text_of(const outcome &o)
{
    std::string s;
    for (int r = 0; r < T::roles; r++)
        s += std::to_string(o.r[r][0]) + std::to_string(o.r[r][1]) + (r + 1 < T::roles ? "," : "/");
    return s + std::to_string(o.x) + std::to_string(o.y) + (T::forbidden(o) ? "!" : "");
}

template <class T, scope S> static void litmus(arena &m, bool blocks, double seconds)
{
    static const layout layouts[] = {{2, 1, 32}, {64, 32, 32}, {33, 17, 8}, {64, 32, 1}, {8, 4, 32}};
    std::map<std::string, long> counts;
    long bad = 0;
    if (!wanted(T::title()))
        return;
    double end = now() + seconds;
    for (unsigned turn = 0; turn < 2 || now() < end; turn++) {
        layout l = layouts[(turn + options.seed) % 5];
        if (!blocks && l.lanes != 32)                       // warps
            l.lanes = 32;
        size_t cells = (size_t)ROUNDS * GROUPS * l.lanes;
        CHECK(cudaMemset(m.cells, 0, cells * l.step * 4));
        CHECK(cudaMemset(m.seen, 0, cells * 8 * 4));
        CHECK(cudaMemset(m.meeting, 0, GROUPS * 128));
        if (blocks)
            play<T, S><<<T::roles * GROUPS, l.lanes>>>(m.cells, m.seen, m.meeting, l, ROUNDS, turn + options.seed);
        else
            play<T, S><<<GROUPS, T::roles * l.lanes>>>(m.cells, m.seen, m.meeting, l, ROUNDS, turn + options.seed);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(m.host_cells.data(), m.cells, cells * l.step * 4, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(m.host_seen.data(), m.seen, cells * 8 * 4, cudaMemcpyDeviceToHost));
        for (size_t c = 0; c < cells; c++) {
            outcome o;
            memcpy(o.r, &m.host_seen[c * 8], sizeof o.r);
            o.x = m.host_cells[c * l.step], o.y = m.host_cells[c * l.step + l.y_at];
            counts[text_of<T>(o)]++;
            bad += T::forbidden(o);
        }
    }
    show(T::title(), blocks ? S == SYS ? "blocks.sys" : "blocks.gpu" : "warps.cta", counts, bad);
    failures += bad != 0;
}

template <class T> static void both(arena &m)
{
    double each = options.seconds * 0.6 / 60;
    litmus<T, GPU>(m, true, each);
    litmus<T, CTA>(m, false, each);
}

// ---- tearing: one writes (k, k, ...) for k = 1, 2, ..., others read, all parts must be the same and k must not fall ----

#define V2(type, c, ctype)                                                                                                                                                                             \
    static __device__ void put(char *p, unsigned k) { ctype v = (ctype)k * (ctype)0x100000001ull; asm volatile(STORE ".v2." type " [%0], {%1, %2};" : : "l"(p), c(v), c(v) : "memory"); }             \
    static __device__ bool get(char *p, unsigned &k) { ctype a, b; asm volatile(LOAD ".v2." type " {%0, %1}, [%2];" : "=" c(a), "=" c(b) : "l"(p) : "memory"); k = (unsigned)a; return a == b; }
#define V4(type, c, ctype)                                                                                                                                                                             \
    static __device__ void put(char *p, unsigned n) { ctype v = (ctype)n; asm volatile(STORE ".v4." type " [%0], {%1, %1, %1, %1};" : : "l"(p), c(v) : "memory"); }                                   \
    static __device__ bool get(char *p, unsigned &k) { ctype a, b, d, e; asm volatile(LOAD ".v4." type " {%0, %1, %2, %3}, [%4];" : "=" c(a), "=" c(b), "=" c(d), "=" c(e) : "l"(p) : "memory");      \
        k = a; return a == b && b == d && d == e; }
#define KIND(name, n, code) struct name { static const char *title() { return #name; } enum { bytes = n }; code };

#define STORE "st.relaxed.gpu"
#define LOAD "ld.relaxed.gpu"
KIND(relaxed_v2_u64, 16, V2("u64", "l", unsigned long long)) KIND(relaxed_v2_u32, 8, V2("u32", "r", unsigned)) KIND(relaxed_v4_u32, 16, V4("u32", "r", unsigned)) KIND(relaxed_v4_u16, 8, V4("u16", "h", unsigned short))
#undef STORE
#undef LOAD
#define STORE "st.volatile"
#define LOAD "ld.volatile"
KIND(volatile_v2_u64, 16, V2("u64", "l", unsigned long long)) KIND(volatile_v2_u32, 8, V2("u32", "r", unsigned)) KIND(volatile_v4_u32, 16, V4("u32", "r", unsigned)) KIND(volatile_v4_u16, 8, V4("u16", "h", unsigned short))
#undef STORE
#undef LOAD
#define STORE "st.global.cg"
#define LOAD "ld.global.cg"
KIND(cg_v2_u64, 16, V2("u64", "l", unsigned long long)) KIND(cg_v4_u32, 16, V4("u32", "r", unsigned)) KIND(cg_v2_u32, 8, V2("u32", "r", unsigned))
#undef STORE
#undef LOAD
#define STORE "st.release.gpu"
#define LOAD "ld.acquire.gpu"
KIND(ordered_v2_u64, 16, V2("u64", "l", unsigned long long)) KIND(ordered_v4_u32, 16, V4("u32", "r", unsigned))
#undef STORE
#undef LOAD

struct relaxed_b128 {
    static const char *title() { return "relaxed_b128"; }
    enum { bytes = 16 };
    static __device__ void put(char *p, unsigned k)
    {
        asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %1}; st.relaxed.gpu.b128 [%0], t; }" : : "l"(p), "l"((unsigned long long)k * 0x100000001ull) : "memory");
    }
    static __device__ bool get(char *p, unsigned &k)
    {
        unsigned long long a, b;
        asm volatile("{ .reg .b128 t; ld.relaxed.gpu.b128 t, [%2]; mov.b128 {%0, %1}, t; }" : "=l"(a), "=l"(b) : "l"(p) : "memory");
        k = (unsigned)a;
        return a == b;
    }
};

// A cell for each thread; block 0 writes, the others read.
template <class K> __global__ void tear(char *cells, unsigned step, unsigned turns, unsigned *meeting, unsigned *torn, unsigned *fell, unsigned *moved)
{
    char *p = cells + (size_t)(threadIdx.x * 5 % blockDim.x) * step;
    unsigned last = 0, k, n_torn = 0, n_fell = 0, n_moved = 0;
    if (threadIdx.x == 0)
        meet(meeting, gridDim.x);
    __syncthreads();
    for (unsigned i = 1; i <= turns; i++) {
        if (blockIdx.x == 0) {
            K::put(p, i);
        } else {
            n_torn += !K::get(p, k);
            n_fell += k < last, n_moved += k != last;
            last = k;
        }
    }
    atomicAdd(torn, n_torn), atomicAdd(fell, n_fell), atomicAdd(moved, n_moved);
}

template <class K> static void tearing(arena &m, double seconds)
{
    unsigned host[3] = {0, 0, 0}, *out = m.seen;
    long turns = 0;
    if (!wanted(K::title()))
        return;
    CHECK(cudaMemset(out, 0, sizeof host));
    for (double end = now() + seconds; turns == 0 || now() < end;) {
        for (unsigned lanes = 1; lanes <= 32; lanes += 31)
            for (unsigned step = K::bytes; step <= 5 * K::bytes; step += 2 * K::bytes) {
                CHECK(cudaMemset(m.cells, 0, 32 * step));
                CHECK(cudaMemset(m.meeting, 0, 4));
                tear<K><<<2, lanes>>>((char *)m.cells, step, 20000, m.meeting, out, out + 1, out + 2);
                CHECK(cudaGetLastError());
                CHECK(cudaDeviceSynchronize());
                turns += 20000 * lanes;
            }
    }
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s - %s: %ld reads, %u of new values, %u torn, %u older than the one before\n", host[0] || host[1] ? "not ok" : "ok", K::title(), turns, host[2], host[0], host[1]);
    failures += host[0] || host[1];
}

template <class... K> static void all_tearing(arena &m) { int each[] = {(tearing<K>(m, options.seconds * 0.4 / sizeof...(K)), 0)...}; (void)each; }
template <class... T> static void all_litmus(arena &m) { int each[] = {(both<T>(m), 0)...}; (void)each; }

int main(int argc, char **argv)
{
    arena m;
    parse_options(argc, argv);
    CHECK(cudaMalloc(&m.cells, WORDS * 4));
    CHECK(cudaMalloc(&m.seen, ROUNDS * GROUPS * LANES * 8 * 4));
    CHECK(cudaMalloc(&m.meeting, GROUPS * 128));
    m.host_cells.resize(WORDS), m.host_seen.resize(ROUNDS * GROUPS * LANES * 8);
    all_tearing<relaxed_v2_u64, relaxed_v2_u32, relaxed_v4_u32, relaxed_v4_u16, volatile_v2_u64, volatile_v2_u32, volatile_v4_u32, volatile_v4_u16, cg_v2_u64, cg_v4_u32, cg_v2_u32, ordered_v2_u64,
                ordered_v4_u32, relaxed_b128>(m);
    all_litmus<MP_release_acquire, MP_weak_data, MP_fences, MP_volatile_membar, MP_weak_membar, MP_atomics, MP_fence_atomics, SB_fences, SB_membars, SB_exchanges, SB_relaxed, LB_fences,
               LB_release_acquire, CoRR, CoRR_volatile, CoRR_atomic, CoWR, CoWW, TwoPlusTwoW, R_fences, S_release_acquire, WRC, MP_through_rmw, IRIW_fences>(m);
    return failures != 0;
}
