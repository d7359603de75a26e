/* SPDX-License-Identifier: Apache-2.0 */
/* Which sanitizer this is built with: gcc and clang say it in different ways. */
#ifndef STRESS_SANITIZED_H
#define STRESS_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(WITH_ASAN)
#define WITH_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(WITH_TSAN)
#define WITH_TSAN 1
#endif
#if !defined(WITH_ASAN)
#define WITH_ASAN 0
#endif
#if !defined(WITH_TSAN)
#define WITH_TSAN 0
#endif
#define SANITIZED (WITH_ASAN || WITH_TSAN)

#endif
