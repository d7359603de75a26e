/* SPDX-License-Identifier: Apache-2.0 */
/* A growing array of any type: HW_VEC(int) v = {0}; hw_vec_push(&v, 3); v.v[0]; v.n; hw_vec_fini(&v). */
#ifndef HW_VEC_H
#define HW_VEC_H

#include "base/base.h"

#define HW_VEC(type) \
    struct {         \
        type *v;     \
        size_t n;    \
        size_t cap;  \
    }

#define hw_vec_reserve(vec, count)                                                              \
    do {                                                                                        \
        if ((vec)->cap < (size_t)(count)) {                                                     \
            (vec)->cap = hw_max_u64((count), (vec)->cap ? (vec)->cap * 2 : 8);                  \
            (vec)->v = hw_realloc((vec)->v, (vec)->cap * sizeof(*(vec)->v));                    \
        }                                                                                       \
    } while (0)

#define hw_vec_push(vec, item)                  \
    do {                                        \
        hw_vec_reserve((vec), (vec)->n + 1);    \
        (vec)->v[(vec)->n++] = (item);          \
    } while (0)

#define hw_vec_pop(vec) ((vec)->v[--(vec)->n])

#define hw_vec_fini(vec)      \
    do {                      \
        hw_free((vec)->v);    \
        (vec)->v = NULL;      \
        (vec)->n = 0;         \
        (vec)->cap = 0;       \
    } while (0)

#endif
