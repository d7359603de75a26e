/* SPDX-License-Identifier: Apache-2.0 */
/* The exported symbols of libcudart, made of runtime.def. Compiled once for each library: CUDART_MAJOR is 12 or 13, and
   CUDART_STATIC for libcudart_static.a, which is 13 with what 12 has besides. */
#include "base/args.h"
#include "base/log.h"
#include "runtime/bodies.h"
#include "runtime/context.h"

#if CUDART_MAJOR == 12
/* The compiler checks our rows against the header that programs see. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#define LIB_12(...) __VA_ARGS__
#define LIB_12_ONLY(...) __VA_ARGS__
#define LIB_13(...)
const int api_version = 12030;
#else
#ifdef CUDART_STATIC
#define LIB_12(...) __VA_ARGS__
#else
#define LIB_12(...)
#endif
#define LIB_12_ONLY(...)
#define LIB_13(...) __VA_ARGS__
const int api_version = 13000;
#endif
#define LIB_ALL(...) __VA_ARGS__

/* --- stubs: a body for each, in both libraries, since a SAME row may mean it --- */

#define STUB(base, sym, lib, pt, flags, params, args) \
    static cudaError_t do_##sym params                \
    {                                                 \
        static _Atomic bool said;                     \
        return api_stub(#base, &said);                \
    }
#define API(base, sym, lib, pt, flags, params, args)
#define SAME(base, sym, other, lib, pt, flags, params, args)
#define HAND(base, sym, lib, pt, flags, params, args)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "runtime/runtime.def"
#pragma GCC diagnostic pop
#undef API
#undef SAME
#undef STUB

/* --- wrappers --- */

static inline cudaError_t enter(struct api_call *call, const char *name, enum api_pt pt, unsigned flags)
{
    if (hw_unlikely(api_listened_to() || !atomic_load_explicit(&api_exit_hooked, memory_order_relaxed)))
        return api_enter(call, name, pt, flags);
    call->name = name;
    call->flags = flags;
    call->outer_per_thread = api_tls_per_thread;
    api_tls_per_thread = pt == PT_ONLY;
    return flags & NO_INIT ? cudaSuccess : flags & NEEDS_CTX ? context_bind() : context_init();
}

static inline cudaError_t leave(struct api_call *call, cudaError_t rc)
{
    if (hw_unlikely(api_listened_to() || rc))
        return api_leave(call, rc);
    api_tls_per_thread = call->outer_per_thread;
    return cudaSuccess;
}

#define ENTRY(linkage, name, base, body, pt, flags, params, args) \
    linkage cudaError_t name params;                              \
    linkage cudaError_t name params                               \
    {                                                             \
        struct api_call call;                                     \
        call.caller = __builtin_return_address(0);                \
        cudaError_t rc = enter(&call, #base, pt, (flags));        \
        if (rc == cudaSuccess)                                    \
            rc = do_##body args;                                  \
        if (api_notes(rc))                                        \
            api_note_refusal(&call, rc, HW_ARGS_TEXT args);       \
        return leave(&call, rc);                                  \
    }
#define INSIDE(...) __VA_ARGS__
#define QUICK_ENTRY(base, sym, pt, flags, params, args)           \
    ENTRY(static HW_NOINLINE, whole_##sym, base, sym, pt, flags, params, args) \
    HW_EXPORT cudaError_t sym params;                             \
    HW_EXPORT cudaError_t sym params                              \
    {                                                             \
        return quick_##sym(whole_##sym, INSIDE args);             \
    }
#define WRAPPER(base, sym, body, pt, flags, params, args) ENTRY(HW_EXPORT, sym, base, body, pt, flags, params, args)
#define API(base, sym, lib, pt, flags, params, args) lib(WRAPPER(base, sym, sym, pt, flags, params, args))
#define QUICK(base, sym, lib, pt, flags, params, args) lib(QUICK_ENTRY(base, sym, pt, flags, params, args))
#define SAME(base, sym, other, lib, pt, flags, params, args) lib(WRAPPER(base, sym, other, pt, flags, params, args))
#define STUB(base, sym, lib, pt, flags, params, args) lib(WRAPPER(base, sym, sym, pt, flags, params, args))
#include "runtime/runtime.def"
