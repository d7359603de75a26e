/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies whose stores go past the caches, in one of two ways. Byte after byte, hardware that prefetches within a page begins anew with each:
 * one processor (Zen 4) hides that, another (Emerald Rapids) is a quarter faster when several pages go side by side. Nothing that can be
 * read says which, so large copies are made half in one way and half in the other until it is clear, and now and then after that.
 */
#include "base/os.h"

#include <stdatomic.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__x86_64__)
enum { LINE = 64, STRIP = 4096, STRIPS = 8, GROUP = STRIP * STRIPS };

/* To a multiple of LINE; as for all three, bytes is a multiple of what is copied at a time. */
static void in_order(char *d, const char *s, size_t bytes)
{
    /* Each store right behind its load: with all loads first, the same takes an eighth longer (Zen 4). */
    for (; bytes; bytes -= LINE, d += LINE, s += LINE) {
        _mm_stream_si128((__m128i *)(void *)d, _mm_loadu_si128((const __m128i *)(const void *)s));
        _mm_stream_si128((__m128i *)(void *)(d + 16), _mm_loadu_si128((const __m128i *)(const void *)(s + 16)));
        _mm_stream_si128((__m128i *)(void *)(d + 32), _mm_loadu_si128((const __m128i *)(const void *)(s + 32)));
        _mm_stream_si128((__m128i *)(void *)(d + 48), _mm_loadu_si128((const __m128i *)(const void *)(s + 48)));
    }
}

/* Two lines of each strip in turn: whole lines leave at once, and two of them fare better than one. */
__attribute__((target("avx2"))) static void side_by_side(char *d, const char *s, size_t bytes)
{
    for (; bytes; bytes -= GROUP, d += GROUP, s += GROUP)
        for (size_t line = 0; line < STRIP; line += 2 * LINE)
            for (size_t at = line; at < GROUP; at += STRIP) {
                _mm256_stream_si256((__m256i *)(void *)(d + at), _mm256_loadu_si256((const __m256i *)(const void *)(s + at)));
                _mm256_stream_si256((__m256i *)(void *)(d + at + 32), _mm256_loadu_si256((const __m256i *)(const void *)(s + at + 32)));
                _mm256_stream_si256((__m256i *)(void *)(d + at + 64), _mm256_loadu_si256((const __m256i *)(const void *)(s + at + 64)));
                _mm256_stream_si256((__m256i *)(void *)(d + at + 96), _mm256_loadu_si256((const __m256i *)(const void *)(s + at + 96)));
            }
}

/* How many times more one half was faster side by side than the other in order, within limits. */
enum { SCORE_SURE = 4, SCORE_MOST = 8, ASK_EVERY = 256, ASK_BYTES = 4 * GROUP };
static _Atomic int score;
static _Atomic unsigned asked;

static void count(bool side_won)
{
    int now = atomic_load_explicit(&score, memory_order_relaxed);
    if (side_won ? now < SCORE_MOST : now > -SCORE_MOST)
        atomic_fetch_add_explicit(&score, side_won ? 1 : -1, memory_order_relaxed);
}

/* Which half is first changes with every second call only: pages that are touched for the first time are 2 MiB, two pieces of most copies. */
static void copy_and_compare(char *d, const char *s, size_t bytes, unsigned call)
{
    bool side_first = call >> 1 & 1;
    size_t half = bytes / 2 / GROUP * GROUP;
    uint64_t begin = hw_now_ns();
    (side_first ? side_by_side : in_order)(d, s, half);
    _mm_sfence();
    uint64_t between = hw_now_ns();
    (side_first ? in_order : side_by_side)(d + half, s + half, bytes - half);
    _mm_sfence();
    uint64_t first_ns = between - begin, second_ns = hw_now_ns() - between;
    count(side_first == (first_ns < second_ns));
}

static void copy_groups(char *d, const char *s, size_t bytes)
{
    int seen = atomic_load_explicit(&score, memory_order_relaxed);
    if (bytes >= ASK_BYTES) {
        unsigned call = atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed);
        if ((seen < SCORE_SURE && seen > -SCORE_SURE) || call % ASK_EVERY < 2) {
            copy_and_compare(d, s, bytes, call);
            return;
        }
    }
    (seen > 0 ? side_by_side : in_order)(d, s, bytes);
}

void hw_copy_stream(void *dst, const void *src, size_t bytes)
{
    char *d = dst;
    const char *s = src;
    size_t head = hw_min_u64(-(uintptr_t)d & (LINE - 1), bytes), groups, lines;
    memcpy(d, s, head);
    d += head;
    s += head;
    bytes -= head;
    groups = __builtin_cpu_supports("avx2") ? bytes / GROUP * GROUP : 0;
    if (groups)
        copy_groups(d, s, groups);
    lines = (bytes - groups) / LINE * LINE;
    in_order(d + groups, s + groups, lines);
    _mm_sfence();
    memcpy(d + groups + lines, s + groups + lines, bytes - groups - lines);
}
#else
void hw_copy_stream(void *dst, const void *src, size_t bytes)
{
    memcpy(dst, src, bytes);
}
#endif
