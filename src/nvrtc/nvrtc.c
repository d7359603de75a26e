/* SPDX-License-Identifier: Apache-2.0 */
/* libnvrtc: the programs and what can be asked of them. compile.c makes PTX of them. */
#include "nvrtc/nvrtc_program.h"

#include "base/base.h"
#include "ptx/cubin.h"
#include "ptx/lto.h"
#include "ptx/target.h"

static const char *const names[] = {
    [NVRTC_SUCCESS] = "NVRTC_SUCCESS",
    [NVRTC_ERROR_OUT_OF_MEMORY] = "NVRTC_ERROR_OUT_OF_MEMORY",
    [NVRTC_ERROR_PROGRAM_CREATION_FAILURE] = "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
    [NVRTC_ERROR_INVALID_INPUT] = "NVRTC_ERROR_INVALID_INPUT",
    [NVRTC_ERROR_INVALID_PROGRAM] = "NVRTC_ERROR_INVALID_PROGRAM",
    [NVRTC_ERROR_INVALID_OPTION] = "NVRTC_ERROR_INVALID_OPTION",
    [NVRTC_ERROR_COMPILATION] = "NVRTC_ERROR_COMPILATION",
    [NVRTC_ERROR_BUILTIN_OPERATION_FAILURE] = "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
    [NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION] = "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
    [NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION] = "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
    [NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID] = "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
    [NVRTC_ERROR_INTERNAL_ERROR] = "NVRTC_ERROR_INTERNAL_ERROR",
    [NVRTC_ERROR_TIME_FILE_WRITE_FAILED] = "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
    [NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED] = "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
    [NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED] = "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
    [NVRTC_ERROR_PCH_CREATE] = "NVRTC_ERROR_PCH_CREATE",
};

HW_EXPORT const char *nvrtcGetErrorString(nvrtcResult result)
{
    return (size_t)result < HW_LEN(names) ? names[result] : "NVRTC_ERROR unknown";
}

HW_EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = NVRTC_MAJOR;
    *minor = NVRTC_MAJOR == 12 ? 3 : 0;
    return NVRTC_SUCCESS;
}

/* The architectures that the last library of this number has. */
static int list_archs(int *out)
{
    const unsigned toolkit = NVRTC_MAJOR >= 13 ? PTX_IN_13 : PTX_IN_12;
    int n = 0;
    for (size_t i = 0; i < ptx_n_targets; i++) {
        if (!(ptx_targets[i].toolkits & toolkit))
            continue;
        if (out)
            out[n] = ptx_targets[i].sm;
        n++;
    }
    return n;
}

HW_EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs)
{
    if (!numArchs)
        return NVRTC_ERROR_INVALID_INPUT;
    *numArchs = list_archs(NULL);
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs)
{
    if (!supportedArchs)
        return NVRTC_ERROR_INVALID_INPUT;
    list_archs(supportedArchs);
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
                                         const char *const *headers, const char *const *includeNames)
{
    if (!prog || !src || numHeaders < 0 || (numHeaders && (!headers || !includeNames)))
        return NVRTC_ERROR_INVALID_INPUT;
    struct _nvrtcProgram *p = hw_alloc(sizeof *p);
    p->source = hw_strdup(src);
    p->name = hw_strdup(name && *name ? name : "default_program");
    for (int i = 0; i < numHeaders; i++) {
        struct nvrtc_header h = {hw_strdup(includeNames[i]), hw_strdup(headers[i])};
        hw_vec_push(&p->headers, h);
    }
    *prog = p;
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog)
{
    if (!prog || !*prog)
        return NVRTC_ERROR_INVALID_PROGRAM;
    struct _nvrtcProgram *p = *prog;
    for (size_t i = 0; i < p->headers.n; i++) {
        hw_free(p->headers.v[i].name);
        hw_free(p->headers.v[i].text);
    }
    for (size_t i = 0; i < p->expressions.n; i++) {
        hw_free(p->expressions.v[i].text);
        hw_free(p->expressions.v[i].lowered);
    }
    hw_vec_fini(&p->headers);
    hw_vec_fini(&p->expressions);
    hw_free(p->source);
    hw_free(p->name);
    hw_free(p->ptx);
    hw_free(p->log);
    hw_str_fini(&p->cubin);
    hw_free(p);
    *prog = NULL;
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options)
{
    if (!prog)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (numOptions < 0 || (numOptions && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    return nvrtc_compile(prog, numOptions, options);
}

/* --- results --- */

static nvrtcResult text_size(const char *text, size_t *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    *out = strlen(text) + 1;
    return NVRTC_SUCCESS;
}

static nvrtcResult text_copy(const char *text, char *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, text, strlen(text) + 1);
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet)
{
    return !prog || !prog->ptx ? NVRTC_ERROR_INVALID_PROGRAM : text_size(prog->ptx, ptxSizeRet);
}

HW_EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx)
{
    return !prog || !prog->ptx ? NVRTC_ERROR_INVALID_PROGRAM : text_copy(prog->ptx, ptx);
}

/* For a real architecture: PTX in the form that takes the place of machine code here. As with the real library there is none for a virtual one (compute_XX). */
HW_EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet)
{
    if (!prog || !prog->ptx)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!cubinSizeRet)
        return NVRTC_ERROR_INVALID_INPUT;
    if (prog->real_arch && !prog->cubin.n)
        ptx_cubin_write(prog->ptx, &prog->cubin);
    *cubinSizeRet = prog->real_arch ? prog->cubin.n : 0;
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin)
{
    size_t n;
    nvrtcResult rc = nvrtcGetCUBINSize(prog, &n);
    if (rc || !n)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!cubin)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(cubin, prog->cubin.s, n);
    return NVRTC_SUCCESS;
}

/* A form of our own, for our libnvJitLink; none without -dlto. */
HW_EXPORT nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet)
{
    if (!prog || !prog->ptx)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!LTOIRSizeRet)
        return NVRTC_ERROR_INVALID_INPUT;
    *LTOIRSizeRet = prog->lto ? strlen(PTX_LTO_HEAD) + strlen(prog->ptx) + 1 : 0;
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *LTOIR)
{
    if (!prog || !prog->ptx || !prog->lto)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!LTOIR)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(LTOIR, PTX_LTO_HEAD, strlen(PTX_LTO_HEAD));
    return text_copy(prog->ptx, LTOIR + strlen(PTX_LTO_HEAD));
}

/* Not made: there is no OptiX here. */
HW_EXPORT nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t *optixirSizeRet) { return NVRTC_ERROR_INVALID_PROGRAM; }
HW_EXPORT nvrtcResult nvrtcGetOptiXIR(nvrtcProgram prog, char *optixir) { return NVRTC_ERROR_INVALID_PROGRAM; }

/* --- precompiled headers --- */

/* The options about them ask for speed only; the header that makes programs quick here is made without them, and none of a program's own is. So no heap is needed either. */
static _Atomic size_t pch_heap = (size_t)256 << 20;

HW_EXPORT nvrtcResult nvrtcGetPCHHeapSize(size_t *ret)
{
    if (!ret)
        return NVRTC_ERROR_INVALID_INPUT;
    *ret = pch_heap;
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcSetPCHHeapSize(size_t size)
{
    pch_heap = size;
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram prog)
{
    return prog ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}

HW_EXPORT nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram prog, size_t *size)
{
    return !prog ? NVRTC_ERROR_INVALID_PROGRAM : !size ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
}

HW_EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet)
{
    return !prog ? NVRTC_ERROR_INVALID_PROGRAM : text_size(prog->log ? prog->log : "", logSizeRet);
}

HW_EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log)
{
    return !prog ? NVRTC_ERROR_INVALID_PROGRAM : text_copy(prog->log ? prog->log : "", log);
}

/* --- names --- */

HW_EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression)
{
    if (!prog)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!name_expression)
        return NVRTC_ERROR_INVALID_INPUT;
    if (prog->compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    struct nvrtc_expression e = {hw_strdup(name_expression), NULL};
    hw_vec_push(&prog->expressions, e);
    return NVRTC_SUCCESS;
}

HW_EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression, const char **lowered_name)
{
    if (!prog)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!name_expression || !lowered_name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!prog->compiled)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t i = 0; i < prog->expressions.n; i++) {
        if (strcmp(prog->expressions.v[i].text, name_expression) == 0 && prog->expressions.v[i].lowered) {
            *lowered_name = prog->expressions.v[i].lowered;
            return NVRTC_SUCCESS;
        }
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
