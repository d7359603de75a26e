/* SPDX-License-Identifier: Apache-2.0 */
/* The words after the dots of an instruction, as types that choose an overload. Part of cuda/ptx. */
#ifndef HOSTWARP_PTX_WORDS_H
#define HOSTWARP_PTX_WORDS_H

namespace cuda {
namespace ptx {

enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_space { global, cluster, shared };
enum class dot_scope { cta, cluster, gpu, sys };
enum class dot_op { add, dec, inc, max, min, and_op, or_op, xor_op, cas, exch };
enum class dot_cta_group { cta_group_1, cta_group_2 };
enum class dot_kind { f16, f8f6f4, i8, mxf4, mxf4nvf4, mxf8f6f4, tf32 };

template <dot_sem __word> using sem_t = ::std::integral_constant<dot_sem, __word>;
template <dot_space __word> using space_t = ::std::integral_constant<dot_space, __word>;
template <dot_scope __word> using scope_t = ::std::integral_constant<dot_scope, __word>;
template <dot_op __word> using op_t = ::std::integral_constant<dot_op, __word>;
template <dot_cta_group __word> using cta_group_t = ::std::integral_constant<dot_cta_group, __word>;
template <dot_kind __word> using kind_t = ::std::integral_constant<dot_kind, __word>;
template <int __value> using n32_t = ::std::integral_constant<int, __value>;

#define __HW_WORD(kind, word)                      \
    using kind##_##word##_t = kind##_t<dot_##kind::word>; \
    static constexpr kind##_##word##_t kind##_##word{};
__HW_WORD(sem, acq_rel) __HW_WORD(sem, acquire) __HW_WORD(sem, relaxed) __HW_WORD(sem, release) __HW_WORD(sem, sc) __HW_WORD(sem, weak)
__HW_WORD(space, global) __HW_WORD(space, shared) __HW_WORD(space, cluster)
__HW_WORD(scope, cta) __HW_WORD(scope, cluster) __HW_WORD(scope, gpu) __HW_WORD(scope, sys)
__HW_WORD(op, add) __HW_WORD(op, dec) __HW_WORD(op, inc) __HW_WORD(op, max) __HW_WORD(op, min) __HW_WORD(op, and_op) __HW_WORD(op, or_op)
__HW_WORD(op, xor_op) __HW_WORD(op, cas) __HW_WORD(op, exch)
__HW_WORD(kind, f16) __HW_WORD(kind, f8f6f4) __HW_WORD(kind, i8) __HW_WORD(kind, mxf4) __HW_WORD(kind, mxf4nvf4) __HW_WORD(kind, mxf8f6f4)
__HW_WORD(kind, tf32)
#undef __HW_WORD

using cta_group_1_t = cta_group_t<dot_cta_group::cta_group_1>;
using cta_group_2_t = cta_group_t<dot_cta_group::cta_group_2>;
static constexpr cta_group_1_t cta_group_1{};
static constexpr cta_group_2_t cta_group_2{};

namespace __hw {
/* Shared memory is addressed with 32 bits. */
static inline __device__ unsigned int __shared_address(const void *__p) { return (unsigned int)__cvta_generic_to_shared(__p); }
}

}
}

#define __HW_PTX template <typename = void> static inline __device__

#endif
