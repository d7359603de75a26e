/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels: limits, parameters, queueing. */
#include "core/module/launch.h"

#include "base/log.h"
#include "base/str.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/hooks.h"
#include "core/module/module.h"
#include "core/sched/capturing.h"
#include "core/sched/later.h"
#include "core/sched/sched.h"
#include "jit/jit.h"

const struct launch_verifier *launch_verifier;

static CUresult check_shape(const struct function *f, const struct launch_config *c)
{
    const uint32_t *g = c->grid, *b = c->block;
    if (!g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2])
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "kernel %s: a grid or block of 0", f->name);
    if (g[0] > DEVICE_MAX_GRID_X || g[1] > DEVICE_MAX_GRID_YZ || g[2] > DEVICE_MAX_GRID_YZ)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "kernel %s: a grid of [%u,%u,%u]; at most [%u,%u,%u]", f->name, g[0], g[1], g[2], (unsigned)DEVICE_MAX_GRID_X,
                         (unsigned)DEVICE_MAX_GRID_YZ, (unsigned)DEVICE_MAX_GRID_YZ);
    if (b[0] > DEVICE_MAX_THREADS || b[1] > DEVICE_MAX_THREADS || b[2] > DEVICE_MAX_BLOCK_Z
        || (uint64_t)b[0] * b[1] * b[2] > f->max_threads)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "kernel %s: a block of [%u,%u,%u]; at most %u threads, %u in z", f->name, b[0], b[1], b[2],
                         (unsigned)f->max_threads, (unsigned)DEVICE_MAX_BLOCK_Z);
    if (f->required[0] && memcmp(f->required, b, sizeof f->required) != 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "kernel %s was compiled for blocks of [%u,%u,%u] only", f->name, f->required[0], f->required[1], f->required[2]);
    int most = f->max_dynamic_shared;
    if (c->shared_bytes > (uint32_t)most)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "kernel %s: %u bytes of dynamic shared memory; it may have %d (cuFuncSetAttribute, cudaFuncSetAttribute raise it)",
                         f->name, c->shared_bytes, most);
    return CUDA_SUCCESS;
}

/* For exec's messages: a command keeps its function until it is over. */
static void describe_line(const struct exec_launch *l, uint32_t line, char *out, size_t bytes)
{
    const struct cmd *c = hw_container_of(l, struct cmd, x.launch);
    const struct function *f = c->keeps && c->keeps->kind == OBJ_FUNCTION ? hw_container_of(c->keeps, struct function, obj) : NULL;
    struct hw_str text = { 0 };
    if (f && f->ir)
        jit_describe_line(f->ir, line, &text);
    snprintf(out, bytes, "%s", text.s ? text.s : "");
    hw_str_fini(&text);
}

void launch_init(void) { exec_describe_line = describe_line; }

uint32_t launch_occupancy(const struct function *f, uint32_t threads, size_t dynamic_shared)
{
    if (threads == 0 || threads > f->max_threads || dynamic_shared > DEVICE_SHARED_OPTIN
        || dynamic_shared + f->shared_static > DEVICE_SHARED_OPTIN)
        return 0;
    uint32_t warps = (threads + DEVICE_WARP - 1) / DEVICE_WARP;
    uint64_t shared = hw_align_up(dynamic_shared + f->shared_static + DEVICE_SHARED_RESERVED, 128);
    uint64_t warp_regs = hw_align_up((uint64_t)f->n_regs * DEVICE_WARP, 256);
    uint64_t n = DEVICE_BLOCKS_SM;
    n = hw_min_u64(n, DEVICE_THREADS_SM / (warps * DEVICE_WARP));
    n = hw_min_u64(n, DEVICE_SHARED_SM / shared);
    if (warp_regs)                               /* each of the four partitions has its registers, and a warp lies in one of them */
        n = hw_min_u64(n, DEVICE_REGS_SM / 4 / warp_regs * 4 / warps);
    return (uint32_t)n;
}

/* All blocks at once means a thread each where they cannot take turns, and the real device's limit beside it. */
static CUresult check_cooperative(const struct function *f, const struct launch_config *c)
{
    uint64_t blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    uint64_t fit = (uint64_t)launch_occupancy(f, c->block[0] * c->block[1] * c->block[2], c->shared_bytes) * DEVICE_SM_COUNT;
    return blocks <= fit && blocks <= EXEC_MAX_AT_ONCE ? CUDA_SUCCESS
        : hw_refuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "kernel %s: %llu blocks cannot run at the same time; %llu fit", f->name, (unsigned long long)blocks,
                    (unsigned long long)hw_min_u64(fit, EXEC_MAX_AT_ONCE));
}

/* --- parameters --- */

/* The buffer of a CU_LAUNCH_PARAM_ list. */
static CUresult read_extra(void **extra, const void **out, size_t *out_bytes)
{
    const void *buffer = NULL;
    const size_t *size = NULL;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = extra[1];
        else
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the list of extra parameters holds a key that is not known");
    }
    if (!buffer || !size)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "extra has no buffer, or no size of it");
    *out = buffer;
    *out_bytes = *size;
    return CUDA_SUCCESS;
}

/* to: where f->param_bytes fit; NULL: only the checks. */
static CUresult gather(const struct function *f, void **params, void **extra, void *to)
{
    const void *buffer = NULL;
    size_t bytes = 0;
    CUresult rc;
    if (params && extra)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "both kernelParams and extra are given");
    if (extra && (rc = read_extra(extra, &buffer, &bytes)))
        return rc;
    if (extra && bytes != f->param_bytes)
        return hw_refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "kernel %s has %zu bytes of parameters, and was given %zu", f->name, (size_t)f->param_bytes, bytes);
    if (!extra && !params && f->n_params)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "kernel %s has %u parameters, and was given none", f->name, f->n_params);
    for (uint32_t i = 0; params && i < f->n_params; i++)
        if (!params[i])
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "kernel %s: parameter %u is NULL", f->name, i);
    if (buffer && to)
        memcpy(to, buffer, bytes);
    for (uint32_t i = 0; params && to && i < f->n_params; i++)
        memcpy((char *)to + f->params[i].offset, params[i], f->params[i].bytes);
    return CUDA_SUCCESS;
}

static void make_room(struct cmd *c, const struct function *f)
{
    c->params = f->param_bytes <= sizeof c->own_params ? (void *)c->own_params : hw_alloc(f->param_bytes);
}

CUresult launch_pack(const struct function *f, void **params, void **extra, void **out)
{
    void *to = f->param_bytes ? hw_alloc(f->param_bytes) : NULL;
    CUresult rc = gather(f, params, extra, to);
    if (rc)
        hw_free(to);
    else
        *out = to;
    return rc;
}

/* --- the command --- */

static void kernel_numbered(struct cmd *c)
{
    c->x.launch.kl.grid_id = c->seq;
}

static int kernel_fault(const struct cmd *c)
{
    return c->x.launch.fault;
}

static bool kernel_ran(struct cmd *c)
{
    return hw_unlikely(c->launcher != NULL) && c->launcher->launched(c);
}

static void kernel_drop(struct cmd *c)
{
    module_unref(c->module);
    if (c->params != c->own_params)
        hw_free(c->params);
    hw_free(c->verify);
}

static bool verified_start(struct cmd *c)
{
    if (c->verify)
        launch_verifier->start(c);
    else
        sched_submit(c, true);
    return false;
}

static const struct cmd_type kernel_type = { .kind = CMD_KERNEL, .numbered = kernel_numbered, .fault = kernel_fault, .ran = kernel_ran, .drop = kernel_drop };
static const struct cmd_type verified_type = { .kind = CMD_KERNEL, .numbered = kernel_numbered, .start = verified_start, .fault = kernel_fault,
                                               .ran = kernel_ran, .drop = kernel_drop };

static struct cmd *new_cmd(void)
{
    return cmd_new(hw_unlikely(launch_verifier != NULL) ? &verified_type : &kernel_type);
}

/* --- launching --- */

static void fill_launch(struct cmd *c, struct function *f, const struct launch_config *config, const struct kabi_kernel *kernel)
{
    struct exec_launch *l = &c->x.launch;
    struct ctx *ctx = f->module->ctx;
    uint32_t shared_static = f->native ? kernel->shared_static : f->shared_static;
    l->kernel = kernel;
    l->printf_buf = ctx->printf_buf;
    l->heap = ctx->heap;
    l->block_ns = &f->block_ns;
    l->kl.params = c->params;
    l->kl.param_bytes = f->param_bytes;
    l->kl.globals = f->module->globals;
    memcpy(l->kl.ntid, config->block, sizeof l->kl.ntid);
    memcpy(l->kl.nctaid, config->grid, sizeof l->kl.nctaid);
    l->kl.shared_static = shared_static;
    /* dynamic shared memory begins behind the static part, rounded up to 16 */
    l->kl.shared_bytes = (uint32_t)hw_align_up(shared_static, 16) + config->shared_bytes;
    if (config->cooperative)
        atomic_store(&ctx->meets, true);
    l->kl.meets = atomic_load(&ctx->meets);
    exec_launch_init(l, config->cooperative);
    if (hw_unlikely(kernel->reds.n))
        launch_collect(l);
    c->launcher = f->module->launches ? f->module : NULL;
    c->small = l->job.n_pieces == 1 && !config->cooperative && !c->launcher;
}

CUresult launch_check(struct function *f, const struct launch_config *config)
{
    CUresult rc = check_shape(f, config);
    return !rc && config->cooperative ? check_cooperative(f, config) : rc;
}

/* The command has its parameters; now its code. Drops it on failure. */
static CUresult finish_cmd(struct cmd *c, struct function *f, const struct launch_config *config)
{
    const struct kabi_kernel *kernel;
    CUresult rc = function_code(f, config->grid, config->block, c->params, &kernel);
    if (!rc && hw_unlikely(f->module->launches != NULL) && !later_ready())
        rc = hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no more threads");
    if (rc) {
        cmd_drop(c);
        return rc;
    }
    fill_launch(c, f, config, kernel);
    if (hw_unlikely(launch_verifier != NULL))
        launch_verifier->prepare(c, f, config->block);
    return CUDA_SUCCESS;
}

CUresult launch_cmd(struct function *f, const struct launch_config *config, const void *packed, struct cmd **out)
{
    struct cmd *c = new_cmd();
    make_room(c, f);
    if (packed)
        memcpy(c->params, packed, f->param_bytes);
    CUresult rc = finish_cmd(c, f, config);
    if (rc)
        return rc;
    module_ref(f->module);
    c->module = f->module;
    *out = c;
    return CUDA_SUCCESS;
}

/* queued: the caller's reference of f is in the command now. */
static CUresult launch(struct function *f, struct stream *s, const struct launch_config *config, void **params, void **extra, bool *queued)
{
    bool captures = false;
    CUresult rc;
    if (f->module->ctx != s->ctx)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "kernel %s and the stream are of different contexts", f->name);
    if (hw_unlikely(capture_any()) && (rc = capture_enter(s, &captures)))
        return rc;
    if ((rc = launch_check(f, config)))
        return rc;
    if (hw_unlikely(captures))
        return capture_kernel(s, f, config, params, extra);
    struct cmd *c = new_cmd();
    make_room(c, f);
    if ((rc = gather(f, params, extra, c->params))) {
        cmd_drop(c);
        return rc;
    }
    if ((rc = finish_cmd(c, f, config)))
        return rc;
    c->keeps = &f->obj;
    *queued = true;
    hook_launch_made(c, f, config);
    if (exec_printf_any(s->ctx->printf_buf))
        ctx_flush_printf(s->ctx);
    return sched_push_work(s, c);
}

CUresult launch_kernel_own(struct function *f, struct stream *s, const struct launch_config *config, void **params, void **extra)
{
    bool queued = false;
    CUresult rc = launch(f, s, config, params, extra, &queued);
    if (!queued)
        function_put(f);
    return rc;
}

CUresult launch_kernel(struct function *f, struct stream *s, const struct launch_config *config, void **params, void **extra)
{
    obj_ref(&f->obj);
    return launch_kernel_own(f, s, config, params, extra);
}
