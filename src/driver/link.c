/* SPDX-License-Identifier: Apache-2.0 */
/* cuLink*: collects PTX and hands it back as one image. Code is made when that image is loaded, as for every module. */
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/module/load.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/module/device_launch.h"
#include "core/module/module.h"
#include "driver/bodies.h"
#include "driver/image.h"
#include "driver/jit.h"
#include "ptx/cubin.h"
#include "ptx/merge.h"
#include "ptx/object.h"

/*
 * A linker.
 * Lifetime  From cuLinkCreate to cuLinkDestroy; the image it gave out lives as long.
 * Threads   One at a time per linker, as with the real one; the map of live ones has its own lock.
 */
struct linker {
    struct ptx_inputs inputs;
    struct jit_options jit;      /* the logs named at creation serve all later steps */
    struct hw_str merged;        /* PTX */
    struct hw_str cubin;         /* of that: what is given out */
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
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "stateOut is NULL");
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

/* Texts of one input as they are found in it. */
struct adding {
    struct linker *l;
    const char *name;
    bool is_archive;
    CUresult rc;
};

/* What needs other inputs to be whole is looked at when all are there. */
static void link_text(void *data, const char *member, char *text)
{
    struct adding *a = data;
    size_t bytes = strlen(text) + 1;

    if (device_launch_replaces(text)) {
        hw_free(text);
        return;
    }
    CUresult rc = strstr(text, ".extern") || member ? CUDA_SUCCESS : link_try(a->l, text, bytes, a->name);

    if (rc)
        hw_free(text);
    else
        ptx_inputs_add(&a->l->inputs, text, member ? member : a->name, a->is_archive);
    a->rc = a->rc ? a->rc : rc;
}

/* Takes over data. */
static CUresult link_add(struct linker *l, char *data, size_t bytes, const char *name)
{
    struct adding a = {.l = l, .name = name ? name : "input", .is_archive = ptx_is_archive(data, bytes)};
    struct diag diag = {.file = a.name};
    const struct device *dev = ctx_current()->dev;
    enum ptx_status status = ptx_object_texts(data, bytes, device_code_cc(dev), &diag, link_text, &a);
    CUresult rc = status == PTX_OK ? a.rc : module_status_code(status);

    if (status != PTX_OK)
        jit_options_finish(&l->jit, &diag, rc);
    diag_fini(&diag);
    hw_free(data);
    return rc;
}

static CUresult link_type_check(CUjitInputType type)
{
    if ((unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no input type %d", (int)type);
    if (type == CU_JIT_INPUT_NVVM) {
        hw_warn("linking of NVVM code is not supported");
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "NVVM code cannot be linked");
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
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no linker, or it was destroyed");
    if (!data || size == 0 || l->complete)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the data is NULL or empty, or cuLinkComplete() was called already");
    if ((rc = link_type_check(type)) || (rc = jit_options_read(&unused, numOptions, options, optionValues)))
        return rc;
    char *copy = hw_try_alloc(size + 1);
    if (!copy)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes of input", size);
    memcpy(copy, data, size);
    return link_add(l, copy, size, name);
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
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no linker, or it was destroyed");
    if (!path || l->complete)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the path is NULL, or cuLinkComplete() was called already");
    if ((rc = link_type_check(type)) || (rc = jit_options_read(&unused, numOptions, options, optionValues)))
        return rc;
    if (!(data = hw_file_read(path, &bytes)))
        return hw_refuse(CUDA_ERROR_FILE_NOT_FOUND, "%s cannot be read", path);
    return link_add(l, data, bytes, path);
}

static CUresult link_merge(struct linker *l)
{
    HW_VEC(const char *) texts = {0};
    struct diag diag = {.file = "linked PTX"};
    bool ok;

    ptx_inputs_take(&l->inputs);
    for (size_t i = 0; i < l->inputs.v.n; i++)
        if (l->inputs.v.v[i].taken)
            hw_vec_push(&texts, l->inputs.v.v[i].text);
    ok = ptx_merge(texts.v, texts.n, &l->merged, &diag);
    if (!ok)
        jit_options_finish(&l->jit, &diag, CUDA_ERROR_INVALID_PTX);
    diag_fini(&diag);
    hw_vec_fini(&texts);
    return ok ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_PTX, "the inputs do not fit together; the error log says why");
}

CUresult do_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    struct linker *l = link_find(state, false);
    CUresult rc;

    if (!l)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no linker, or it was destroyed");
    if (!cubinOut)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "cubinOut is NULL");
    l->complete = true;
    if (!l->merged.n && (rc = link_merge(l)))
        return rc;
    if ((rc = link_try(l, l->merged.s, l->merged.n + 1, "linked PTX")))
        return rc;
    if (!l->cubin.n)
        ptx_cubin_write(l->merged.s, &l->cubin);
    *cubinOut = l->cubin.s;
    if (sizeOut)
        *sizeOut = l->cubin.n;
    return CUDA_SUCCESS;
}

CUresult do_cuLinkDestroy(CUlinkState state)
{
    struct linker *l = link_find(state, true);

    if (!l)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no linker, or it was destroyed");
    ptx_inputs_fini(&l->inputs);
    hw_str_fini(&l->merged);
    hw_str_fini(&l->cubin);
    hw_free(l);
    return CUDA_SUCCESS;
}
