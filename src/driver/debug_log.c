/* SPDX-License-Identifier: Apache-2.0 */
/* HOSTWARP_LOG=debug: a line for every kernel, copy and fill that is queued and for every one that failed, told by the hooks. */
#include "driver/debug_log.h"

#include "base/log.h"
#include "core/hooks.h"
#include "core/mem/mem.h"
#include "core/stream/sched.h"
#include "core/stream/stream.h"

static const char *place_name(const void *p)
{
    static const char *const names[] = { [MEM_NONE] = "pageable", [MEM_DEVICE] = "device", [MEM_VARIABLE] = "device", [MEM_HOST] = "page-locked",
                                         [MEM_REGISTERED] = "registered", [MEM_MANAGED] = "managed" };
    struct mem_info info;
    mem_lookup((uint64_t)(uintptr_t)p, &info);
    return (size_t)info.kind < HW_LEN(names) && names[info.kind] ? names[info.kind] : "?";
}

static void say_kernel(const struct cmd *c, const char *stream)
{
    const struct kabi_launch *l = &c->x.launch.kl;
    hw_debug("launch %llu: kernel %s, grid [%u,%u,%u], block [%u,%u,%u], %u bytes of shared memory, %s", (unsigned long long)c->seq,
             c->x.launch.kernel->name, l->nctaid[0], l->nctaid[1], l->nctaid[2], l->ntid[0], l->ntid[1], l->ntid[2], l->shared_bytes, stream);
}

static void say_copy(const struct cmd *c, const char *stream)
{
    const struct exec_copy *x = &c->x.copy;
    unsigned long long seq = c->seq, bytes = (unsigned long long)(x->width * x->rows * x->slices);
    if (x->src)
        hw_debug("copy %llu: %llu bytes from %s memory %p to %s memory %p%s, %s", seq, bytes, c->staging ? "pageable (read already)" : place_name(x->src),
                 (const void *)x->src, place_name(x->dst), (void *)x->dst, x->rows * x->slices > 1 ? ", in rows" : "", stream);
    else
        hw_debug("fill %llu: %llu bytes of %s memory %p with 0x%x, %s", seq, bytes, place_name(x->dst), (void *)x->dst, x->value, stream);
}

/* The scheduler's lock is held: a line is written with it, which is why nobody measures times with this log. */
static void on_cmd_queued(struct cmd *c)
{
    char stream[48];
    if (c->stream->legacy)
        snprintf(stream, sizeof stream, "default stream");
    else
        snprintf(stream, sizeof stream, "stream %llu", (unsigned long long)c->stream->id);
    if (c->kind == CMD_KERNEL)
        say_kernel(c, stream);
    else if (c->kind == CMD_COPY)
        say_copy(c, stream);
    else if (c->kind == CMD_HOST_FN || c->kind == CMD_CALLBACK)
        hw_debug("host function %llu: %s", (unsigned long long)c->seq, stream);
}

static const struct hook_listener listener = { .cmd_queued = on_cmd_queued };

void debug_log_init(void)
{
    if (hw_log_on(HW_LOG_DEBUG))
        hook_listen(&listener);
}
