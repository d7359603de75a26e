/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a call as text, for the log: HW_ARGS_TEXT (a, b) is "a=5, b=0x7ff0…", made where the names are known. At most 16. */
#ifndef HW_ARGS_H
#define HW_ARGS_H

#include "base/base.h"

struct hw_arg {
    const void *at;
    size_t bytes;
};

/* names: "a, b"; values in that order. hw_free the answer. */
char *hw_args_text(const char *names, const struct hw_arg *values);

/* A copy of each, so that taking its address does not keep the argument itself out of registers in calls that succeed. */
#define HW_ARG_(a) { (__typeof__(a)[1]){ a }, sizeof(a) },
#define HW_ARGS_16_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_15_(__VA_ARGS__))
#define HW_ARGS_15_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_14_(__VA_ARGS__))
#define HW_ARGS_14_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_13_(__VA_ARGS__))
#define HW_ARGS_13_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_12_(__VA_ARGS__))
#define HW_ARGS_12_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_11_(__VA_ARGS__))
#define HW_ARGS_11_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_10_(__VA_ARGS__))
#define HW_ARGS_10_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_9_(__VA_ARGS__))
#define HW_ARGS_9_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_8_(__VA_ARGS__))
#define HW_ARGS_8_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_7_(__VA_ARGS__))
#define HW_ARGS_7_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_6_(__VA_ARGS__))
#define HW_ARGS_6_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_5_(__VA_ARGS__))
#define HW_ARGS_5_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_4_(__VA_ARGS__))
#define HW_ARGS_4_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_3_(__VA_ARGS__))
#define HW_ARGS_3_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARGS_2_(__VA_ARGS__))
#define HW_ARGS_2_(a, ...) HW_ARG_(a) __VA_OPT__(HW_ARG_(__VA_ARGS__))
#define HW_ARGS_TEXT(...) hw_args_text("" #__VA_ARGS__, (const struct hw_arg[]){ __VA_OPT__(HW_ARGS_16_(__VA_ARGS__)) { NULL, 0 } })

#endif
