/* SPDX-License-Identifier: Apache-2.0 */
/* libnvJitLink: collects PTX, alone or in fatbins, and joins it. Nothing of CUDA is called: no device is needed for this. */
#include "nvJitLink.h"

#include "base/os.h"
#include "base/vec.h"
#include "ptx/cubin.h"
#include "ptx/lto.h"
#include "ptx/merge.h"
#include "ptx/object.h"
#include "ptx/module.h"
#include "ptx/ptx.h"

#include <stdlib.h>

/*
 * A linker.
 * Lifetime  From nvJitLinkCreate to nvJitLinkDestroy.
 * Threads   One at a time, as with the real one.
 */
struct nvJitLink {
    unsigned cc;                 /* of -arch, 80 for sm_80: chooses among the entries of a fatbin */
    bool wants_ptx;              /* -ptx: the result may be asked for as PTX */
    struct ptx_inputs inputs;
    struct hw_str linked;        /* PTX; empty before nvJitLinkComplete */
    struct hw_str cubin;         /* of that */
    struct diag diag;
    bool complete;
};

/* Options that change nothing here: code is made, and so optimised, when the result is loaded. A name ending in = takes a value. */
static const char *const ignored[] = {
    "-lto", "-g", "-lineinfo", "-verbose", "-time", "-time=", "-O0", "-O1", "-O2", "-O3", "-maxrregcount=", "-ftz=", "-prec-div=",
    "-prec-sqrt=", "-fma=", "-kernels-used=", "-variables-used=", "-optimize-unused-variables", "-Xptxas=", "-Xnvvm=", "-split-compile=",
    "-split-compile-extended=", "-jump-table-density=", "-no-cache", "-device-stack-protector=", "-device-stack-protector",
};

static bool is_ignored(const char *option)
{
    for (size_t i = 0; i < HW_LEN(ignored); i++) {
        size_t n = strlen(ignored[i]);
        if (ignored[i][n - 1] == '=' ? strncmp(option, ignored[i], n) == 0 : strcmp(option, ignored[i]) == 0)
            return true;
    }
    return false;
}

/* sm_80, sm_90a, compute_75: 80, 90, 75. */
static unsigned arch_number(const char *name)
{
    const char *digits = strncmp(name, "sm_", 3) == 0 ? name + 3 : strncmp(name, "compute_", 8) == 0 ? name + 8 : "";
    return (unsigned)strtoul(digits, NULL, 10);
}

HW_EXPORT nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t numOptions, const char **options)
{
    unsigned cc = 0;
    bool wants_ptx = false;

    if (!handle || !options)
        return NVJITLINK_ERROR_NULL_INPUT;
    for (uint32_t i = 0; i < numOptions; i++) {
        if (!options[i])
            return NVJITLINK_ERROR_NULL_INPUT;
        if (strncmp(options[i], "-arch=", 6) == 0) {
            if (!(cc = arch_number(options[i] + 6)))
                return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
            if (cc < 50)
                return NVJITLINK_ERROR_UNSUPPORTED_ARCH;
        } else if (strcmp(options[i], "-ptx") == 0)
            wants_ptx = true;
        else if (!is_ignored(options[i]))
            return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    }
    if (!cc)
        return NVJITLINK_ERROR_MISSING_ARCH;
    *handle = hw_alloc(sizeof **handle);
    (*handle)->cc = cc;
    (*handle)->wants_ptx = wants_ptx;
    return NVJITLINK_SUCCESS;
}

HW_EXPORT nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle)
{
    if (!handle || !*handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    struct nvJitLink *l = *handle;
    ptx_inputs_fini(&l->inputs);
    hw_str_fini(&l->linked);
    hw_str_fini(&l->cubin);
    diag_fini(&l->diag);
    hw_free(l);
    *handle = NULL;
    return NVJITLINK_SUCCESS;
}

/* Does it read as PTX? What it lacks, another input may have. */
static nvJitLinkResult check(struct nvJitLink *l, const char *text, const char *name, struct ptx_module **out)
{
    l->diag.file = name ? name : "input";
    return ptx_parse(text, strlen(text), &l->diag, out) == PTX_OK ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_PTX_COMPILE;
}

/* Texts of one input as they are found in it. */
struct adding {
    struct nvJitLink *l;
    const char *name;
    bool is_archive;
    nvJitLinkResult rc;
};

static void add_text(void *data, const char *member, char *text)
{
    struct adding *a = data;
    struct ptx_module *module = NULL;
    char *name = member ? hw_sprintf("%s(%s)", a->name, member) : hw_strdup(a->name);
    nvJitLinkResult rc = check(a->l, text, name, &module);
    if (module)
        ptx_module_free(module);
    if (rc)
        hw_free(text);
    else
        ptx_inputs_add(&a->l->inputs, text, name, a->is_archive);
    a->rc = a->rc ? a->rc : rc;
    a->l->diag.file = NULL;
    hw_free(name);
}

/* What the type says must be there: the real library looks at the first bytes too. */
static nvJitLinkResult check_type(struct nvJitLink *l, nvJitLinkInputType type, const char **data, size_t *size)
{
    static const size_t head = sizeof PTX_LTO_HEAD - 1;
    const char *p = *data;
    bool elf = *size >= 4 && memcmp(p, "\177ELF", 4) == 0, archive = ptx_is_archive(p, *size), lto = *size > head && memcmp(p, PTX_LTO_HEAD, head) == 0;
    static const uint32_t magic = 0xba55ed50u;
    bool fatbin = *size >= 4 && memcmp(p, &magic, 4) == 0, ok = false;
    if (lto && (type == NVJITLINK_INPUT_LTOIR || type == NVJITLINK_INPUT_ANY)) {
        *data += head;
        *size -= head;
        return NVJITLINK_SUCCESS;
    }
    switch (type) {
    case NVJITLINK_INPUT_PTX: ok = !elf && !archive && !fatbin; break;
    case NVJITLINK_INPUT_FATBIN: ok = fatbin; break;
    case NVJITLINK_INPUT_CUBIN: ok = elf; break;
    case NVJITLINK_INPUT_OBJECT: ok = elf; break;
    case NVJITLINK_INPUT_LIBRARY: ok = archive; break;
    case NVJITLINK_INPUT_ANY: ok = true; break;
    case NVJITLINK_INPUT_LTOIR: case NVJITLINK_INPUT_INDEX:
        diag_error(&l->diag, 0, 0, "hostwarp links PTX, fatbins, objects and archives with PTX in them, and what its own NVRTC makes with -dlto; compile with "
                                   "-arch=compute_80 -dc and without -dlto");
        break;
    default: diag_error(&l->diag, 0, 0, "unsupported input type"); return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    }
    if (!ok)
        diag_error(&l->diag, 0, 0, "the input is of another type than it is said to be");
    return ok ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
}

HW_EXPORT nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType inputType, const void *data, size_t size,
                                           const char *name)
{
    const char *bytes = data;
    nvJitLinkResult rc;

    if (!handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (!data || !size)
        return NVJITLINK_ERROR_INVALID_INPUT;
    if (handle->complete)
        return NVJITLINK_ERROR_INTERNAL;
    handle->diag.file = name ? name : "input";
    if ((rc = check_type(handle, inputType, &bytes, &size)))
        return rc;
    struct adding a = { .l = handle, .name = name ? name : "input", .is_archive = ptx_is_archive(bytes, size) };
    switch (ptx_object_texts(bytes, size, handle->cc, &handle->diag, add_text, &a)) {
    case PTX_OK: return a.rc;
    case PTX_NO_MEMORY: return NVJITLINK_ERROR_INTERNAL;
    case PTX_NO_PTX: return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    default: return inputType == NVJITLINK_INPUT_PTX ? NVJITLINK_ERROR_PTX_COMPILE : NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    }
}

HW_EXPORT nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType inputType, const char *fileName)
{
    size_t bytes;

    if (!handle || !fileName)
        return NVJITLINK_ERROR_NULL_INPUT;
    char *data = hw_file_read(fileName, &bytes);
    if (!data) {
        handle->diag.file = fileName;
        diag_error(&handle->diag, 0, 0, "the file cannot be read");
        return NVJITLINK_ERROR_INVALID_INPUT;
    }
    nvJitLinkResult rc = nvJitLinkAddData(handle, inputType, data, bytes, fileName);
    hw_free(data);
    return rc;
}

/* Functions that the driver brings with it. */
static bool is_provided(const char *name)
{
    static const char *const names[] = { "vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional", "cudaCGGetIntrinsicHandle", "cudaCGSynchronize" };
    for (size_t i = 0; i < HW_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "__nv_", 5) == 0 || strncmp(name, "__cudaCDP2", 10) == 0;
}

static bool all_defined(struct nvJitLink *l, const struct ptx_module *m)
{
    bool all = true;
    for (size_t i = 0; i < m->funcs.n; i++) {
        const struct ptx_func *f = m->funcs.v[i];
        if (!f->has_body && !f->is_shadow && !is_provided(f->name)) {
            diag_error(&l->diag, 0, 0, "undefined reference to '%s'", f->name);
            all = false;
        }
    }
    return all;
}

/* The result of no input is an empty module, as with the real library: loading it works and finds nothing. */
static bool merge(struct nvJitLink *l)
{
    HW_VEC(const char *) texts = { 0 };
    bool ok = true;
    ptx_inputs_take(&l->inputs);
    for (size_t i = 0; i < l->inputs.v.n; i++)
        if (l->inputs.v.v[i].taken)
            hw_vec_push(&texts, l->inputs.v.v[i].text);
    if (texts.n)
        ok = ptx_merge(texts.v, texts.n, &l->linked, &l->diag);
    else
        hw_str_printf(&l->linked, ".version 7.0\n.target sm_%u\n.address_size 64\n", l->cc < 80 ? l->cc : 80);
    hw_vec_fini(&texts);
    return ok;
}

HW_EXPORT nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle)
{
    struct ptx_module *module = NULL;
    nvJitLinkResult rc;

    if (!handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (handle->complete)
        return NVJITLINK_ERROR_INTERNAL;
    handle->complete = true;
    handle->diag.file = "linked PTX";
    if (!merge(handle))
        rc = NVJITLINK_ERROR_FINALIZE;
    else if (!(rc = check(handle, handle->linked.s, "linked PTX", &module)) && !all_defined(handle, module))
        rc = NVJITLINK_ERROR_INTERNAL;
    if (module)
        ptx_module_free(module);
    if (rc)
        hw_str_fini(&handle->linked);
    else
        ptx_cubin_write(handle->linked.s, &handle->cubin);
    return rc;
}

static nvJitLinkResult give_size(size_t bytes, bool there, size_t *out)
{
    if (!out)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (!there)
        return NVJITLINK_ERROR_INTERNAL;
    *out = bytes + 1;
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult give_text(const struct hw_str *s, bool there, void *out)
{
    if (!out)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (!there)
        return NVJITLINK_ERROR_INTERNAL;
    memcpy(out, s->n ? s->s : "", s->n + 1);
    return NVJITLINK_SUCCESS;
}

HW_EXPORT nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *size)
{
    return handle ? give_size(handle->cubin.n - 1, handle->cubin.n != 0, size) : NVJITLINK_ERROR_NULL_INPUT;
}
HW_EXPORT nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin)
{
    if (!handle || !cubin)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (!handle->cubin.n)
        return NVJITLINK_ERROR_INTERNAL;
    memcpy(cubin, handle->cubin.s, handle->cubin.n);
    return NVJITLINK_SUCCESS;
}
HW_EXPORT nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *size)
{
    if (!handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    return handle->wants_ptx ? give_size(handle->linked.n, handle->linked.n != 0, size) : NVJITLINK_ERROR_INVALID_INPUT;
}
HW_EXPORT nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx)
{
    if (!handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    return handle->wants_ptx ? give_text(&handle->linked, handle->linked.n != 0, ptx) : NVJITLINK_ERROR_INVALID_INPUT;
}
HW_EXPORT nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size)
{
    return handle ? give_size(handle->diag.text.n, true, size) : NVJITLINK_ERROR_NULL_INPUT;
}
HW_EXPORT nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log)
{
    return handle ? give_text(&handle->diag.text, true, log) : NVJITLINK_ERROR_NULL_INPUT;
}
HW_EXPORT nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *size)
{
    return handle ? give_size(0, true, size) : NVJITLINK_ERROR_NULL_INPUT;
}
HW_EXPORT nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log)
{
    static const struct hw_str nothing = { 0 };
    return handle ? give_text(&nothing, true, log) : NVJITLINK_ERROR_NULL_INPUT;
}

HW_EXPORT nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor)
{
    if (!major || !minor)
        return NVJITLINK_ERROR_NULL_INPUT;
    *major = NVJITLINK_MAJOR;
    *minor = NVJITLINK_MAJOR == 12 ? 3 : 0;
    return NVJITLINK_SUCCESS;
}

/* NVIDIA's header makes nvJitLinkCreate a call of __nvJitLinkCreate_13_0, with the version that it comes from. */
#define ALIAS(name, version, params) HW_EXPORT nvJitLinkResult __##name##version params __attribute__((alias(#name)));
#define ALIASES(version)                                                                                                                   \
    ALIAS(nvJitLinkCreate, version, (nvJitLinkHandle * h, uint32_t n, const char **o))                                                     \
    ALIAS(nvJitLinkDestroy, version, (nvJitLinkHandle * h))                                                                                \
    ALIAS(nvJitLinkAddData, version, (nvJitLinkHandle h, nvJitLinkInputType t, const void *d, size_t n, const char *name))                 \
    ALIAS(nvJitLinkAddFile, version, (nvJitLinkHandle h, nvJitLinkInputType t, const char *name))                                          \
    ALIAS(nvJitLinkComplete, version, (nvJitLinkHandle h))                                                                                 \
    ALIAS(nvJitLinkGetLinkedCubinSize, version, (nvJitLinkHandle h, size_t *n))                                                            \
    ALIAS(nvJitLinkGetLinkedCubin, version, (nvJitLinkHandle h, void *out))                                                                \
    ALIAS(nvJitLinkGetLinkedPtxSize, version, (nvJitLinkHandle h, size_t *n))                                                              \
    ALIAS(nvJitLinkGetLinkedPtx, version, (nvJitLinkHandle h, char *out))                                                                  \
    ALIAS(nvJitLinkGetErrorLogSize, version, (nvJitLinkHandle h, size_t *n))                                                               \
    ALIAS(nvJitLinkGetErrorLog, version, (nvJitLinkHandle h, char *out))                                                                   \
    ALIAS(nvJitLinkGetInfoLogSize, version, (nvJitLinkHandle h, size_t *n))                                                                \
    ALIAS(nvJitLinkGetInfoLog, version, (nvJitLinkHandle h, char *out))
#if NVJITLINK_MAJOR == 12
ALIASES(_12_0)
ALIASES(_12_1)
ALIASES(_12_2)
ALIASES(_12_3)
ALIASES(_12_4)
ALIASES(_12_5)
ALIASES(_12_6)
ALIASES(_12_7)
ALIASES(_12_8)
ALIASES(_12_9)
#else
ALIASES(_13_0)
ALIASES(_13_1)
#endif
