/* SPDX-License-Identifier: Apache-2.0 */
/* cuLink*: collects PTX and hands it back as one image. Code is made when that image is loaded, as for every module. */
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ctx.h"
#include "core/module.h"
#include "driver/bodies.h"
#include "driver/image.h"
#include "driver/jit.h"
#include "ptx/merge.h"

struct link_input {
    char *data;                  /* a zero byte follows */
    size_t bytes;
    bool text;                   /* PTX text: can be joined with others */
};

/*
 * A linker.
 * Lifetime  From cuLinkCreate to cuLinkDestroy; the image it gave out lives as long.
 * Threads   One at a time per linker, as with the real one; the map of live ones has its own lock.
 */
struct linker {
    HW_VEC(struct link_input) inputs;
    struct jit_options jit;      /* the logs named at creation serve all later steps */
    struct hw_str merged;
    bool complete;               /* takes no more */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_MEM);
static struct hw_map linkers HW_GUARDED_BY(mu);

static struct linker *link_find(CUlinkState state, bool remove)
{
    struct linker *l;

    hw_lock(&mu);
    l = !state ? NULL : remove ? hw_map_del_ptr(&linkers, state) : hw_map_get_ptr(&linkers, state);
    hw_unlock(&mu);
    return l;
}

CUresult do_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut)
{
    struct linker *l;
    struct jit_options jit;
    CUresult rc;

    if (!stateOut)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = jit_options_read(&jit, numOptions, options, optionValues)))
        return rc;
    l = hw_alloc(sizeof *l);
    l->jit = jit;
    hw_lock(&mu);
    hw_map_set_ptr(&linkers, l, l);
    hw_unlock(&mu);
    *stateOut = (CUlinkState)l;
    return CUDA_SUCCESS;
}

/* Would this image load? Says why not in the linker's log. */
static CUresult link_try(struct linker *l, const char *image, size_t bytes, const char *name)
{
    struct diag diag = {.file = name};
    CUmodule module = NULL;
    CUresult rc = module_load(ctx_current(), image, bytes, &diag, &module);

    jit_options_finish(&l->jit, &diag, rc);
    diag_fini(&diag);
    if (!rc)
        module_unload(module);
    return rc;
}

/* The PTX in a fatbin takes part in a link as PTX by itself does. Takes over data. */
static CUresult link_unpack(struct linker *l, char **data, size_t *bytes, const char *name)
{
    struct diag diag = {.file = name};
    char *text = NULL;
    size_t n = 0;
    CUresult rc = module_image_text(ctx_current(), *data, *bytes, &diag, &text, &n);

    if (rc)
        jit_options_finish(&l->jit, &diag, rc);
    diag_fini(&diag);
    hw_free(*data);
    *data = text;
    *bytes = n + 1;
    return rc;
}

/* Takes over data. */
static CUresult link_add(struct linker *l, CUjitInputType type, char *data, size_t bytes, const char *name)
{
    CUresult rc = type == CU_JIT_INPUT_FATBINARY ? link_unpack(l, &data, &bytes, name) : CUDA_SUCCESS;
    if (rc)
        return rc;

    struct link_input input = {data, bytes, false};
    input.text = (type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY) && (size_t)strnlen(data, bytes) + 1 >= bytes && bytes > 4 && data[0] != 0x7f;
    /* What needs other inputs to be whole is looked at when all are there. */
    if (!(input.text && strstr(data, ".extern")))
        rc = link_try(l, data, bytes, name);
    if (rc) {
        hw_free(data);
        return rc;
    }
    hw_vec_push(&l->inputs, input);
    return CUDA_SUCCESS;
}

static CUresult link_type_check(CUjitInputType type)
{
    if ((unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        return CUDA_ERROR_INVALID_VALUE;
    if (type == CU_JIT_INPUT_NVVM || type == CU_JIT_INPUT_LIBRARY) {
        hw_warn("linking of %s is not supported yet", type == CU_JIT_INPUT_NVVM ? "NVVM code" : "libraries");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

CUresult do_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                             unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    struct linker *l = link_find(state, false);
    struct jit_options unused;
    CUresult rc;

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!data || size == 0 || l->complete)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = link_type_check(type)) || (rc = jit_options_read(&unused, numOptions, options, optionValues)))
        return rc;
    char *copy = hw_try_alloc(size + 1);
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(copy, data, size);
    return link_add(l, type, copy, size, name);
}

CUresult do_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                             CUjit_option *options, void **optionValues)
{
    struct linker *l = link_find(state, false);
    struct jit_options unused;
    size_t bytes;
    char *data;
    CUresult rc;

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!path || l->complete)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = link_type_check(type)) || (rc = jit_options_read(&unused, numOptions, options, optionValues)))
        return rc;
    if (!(data = hw_file_read(path, &bytes)))
        return CUDA_ERROR_FILE_NOT_FOUND;
    return link_add(l, type, data, bytes, path);
}

static CUresult link_merge(struct linker *l)
{
    const char **texts = hw_alloc((l->inputs.n + 1) * sizeof *texts);
    struct diag diag = {.file = "linked PTX"};
    bool ok;

    for (size_t i = 0; i < l->inputs.n; i++)
        texts[i] = l->inputs.v[i].data;
    ok = ptx_merge(texts, l->inputs.n, &l->merged, &diag);
    if (!ok)
        jit_options_finish(&l->jit, &diag, CUDA_ERROR_INVALID_PTX);
    diag_fini(&diag);
    hw_free(texts);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

CUresult do_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    struct linker *l = link_find(state, false);
    bool text = true;
    CUresult rc;

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!cubinOut)
        return CUDA_ERROR_INVALID_VALUE;
    l->complete = true;
    for (size_t i = 0; i < l->inputs.n; i++)
        text = text && l->inputs.v[i].text;
    if (l->inputs.n == 1 && !text) {
        *cubinOut = l->inputs.v[0].data;
        if (sizeOut)
            *sizeOut = l->inputs.v[0].bytes;
        return CUDA_SUCCESS;
    }
    if (!text) {
        hw_warn("linking several inputs works with PTX only so far");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!l->merged.n && (rc = link_merge(l)))
        return rc;
    if ((rc = link_try(l, l->merged.s, l->merged.n + 1, "linked PTX")))
        return rc;
    *cubinOut = l->merged.s;
    if (sizeOut)
        *sizeOut = l->merged.n + 1;
    return CUDA_SUCCESS;
}

CUresult do_cuLinkDestroy(CUlinkState state)
{
    struct linker *l = link_find(state, true);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    for (size_t i = 0; i < l->inputs.n; i++)
        hw_free(l->inputs.v[i].data);
    hw_vec_fini(&l->inputs);
    hw_str_fini(&l->merged);
    hw_free(l);
    return CUDA_SUCCESS;
}
