/* SPDX-License-Identifier: Apache-2.0 */
/* The exported symbols of libcuda.so.1, made of driver.def: each enters, calls its body, leaves. */
#include "driver/bodies.h"

/* cuda.h declares all but these. */
CUresult CUDAAPI cuProfilerInitialize(const char *configFile, const char *outputFile, CUoutput_mode outputMode);
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

#define WRAPPER(sym, body, params, args)           \
    HW_EXPORT CUresult CUDAAPI sym params          \
    {                                              \
        struct api_call call;                      \
        call.caller = __builtin_return_address(0); \
        CUresult rc = api_enter(&call, API_##sym); \
        if (rc == CUDA_SUCCESS)                    \
            rc = do_##body args;                   \
        return api_leave(&call, rc);               \
    }

#define API(base, sym, since, pt, flags, params, args) WRAPPER(sym, sym, params, args)
#define SAME(base, sym, other, since, pt, flags, params, args) WRAPPER(sym, other, params, args)
#define STUB(base, sym, since, pt, flags, params, args)       \
    CUresult do_##sym params { return api_stub(API_##sym); } \
    WRAPPER(sym, sym, params, args)
#include "driver/driver.def"
#undef API
#undef STUB
#undef SAME

#define ROW(knd, base, sym, since, pt, flags) [API_##sym] = {#base, #sym, (void (*)(void))sym, since, knd, pt, flags},
#define API(base, sym, since, pt, flags, params, args) ROW(API_KIND_API, base, sym, since, pt, flags)
#define STUB(base, sym, since, pt, flags, params, args) ROW(API_KIND_STUB, base, sym, since, pt, flags)
#define SAME(base, sym, other, since, pt, flags, params, args) ROW(API_KIND_SAME, base, sym, since, pt, flags)
const struct api_row api_rows[API_COUNT] = {
#include "driver/driver.def"
};
