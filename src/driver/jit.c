/* SPDX-License-Identifier: Apache-2.0 */
/* Reading JIT options and giving logs back to the caller. */
#include "driver/jit.h"

#include "base/log.h"
#include "base/os.h"

CUresult jit_options_read(struct jit_options *out, unsigned n, const CUjit_option *options, void **values)
{
    memset(out, 0, sizeof *out);
    out->start_ns = hw_now_ns();
    if (n && (!options || !values))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the list of %u options, or of their values, is NULL", n);
    for (unsigned i = 0; i < n; i++) {
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            out->info_log = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            /* The value is an unsigned int kept in a pointer-sized slot. */
            out->info_bytes = (unsigned)(uintptr_t)values[i];
            out->info_size_slot = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            out->error_log = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            out->error_bytes = (unsigned)(uintptr_t)values[i];
            out->error_size_slot = &values[i];
            break;
        case CU_JIT_GLOBAL_SYMBOL_NAMES:
            out->bound_names = values[i];
            break;
        case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
            out->bound_addresses = values[i];
            break;
        case CU_JIT_GLOBAL_SYMBOL_COUNT:
            out->n_bound = (unsigned)(uintptr_t)values[i];
            break;
        case CU_JIT_WALL_TIME:
            out->wall_time_slot = &values[i];
            break;
        default:
            /* The others tune a compiler for a GPU: registers, caches, optimisation. They change no result. */
            if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS)
                return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no option %d", (int)options[i]);
        }
    }
    if (out->n_bound && (!out->bound_names || !out->bound_addresses))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "symbols are to be bound (CU_JIT_GLOBAL_SYMBOL_COUNT), and their names or addresses are missing");
    if ((out->error_log && !out->error_size_slot) || (out->info_log && !out->info_size_slot))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a buffer for a log has no size (CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)");
    return CUDA_SUCCESS;
}

static void log_put(char *log, size_t log_bytes, void **size_slot, const char *text)
{
    size_t n = 0;

    if (log && log_bytes) {
        n = strnlen(text, log_bytes - 1);
        memcpy(log, text, n);
        log[n] = 0;
        n += text[n] != 0;                           /* cut short: the whole buffer counts as written */
    }
    if (size_slot)
        *size_slot = (void *)(uintptr_t)n;
}

void jit_options_finish(struct jit_options *jit, const struct diag *diag, CUresult rc)
{
    const char *text = diag->text.s ? diag->text.s : "";

    log_put(jit->error_log, jit->error_bytes, jit->error_size_slot, rc ? text : "");
    log_put(jit->info_log, jit->info_bytes, jit->info_size_slot, rc ? "" : text);
    if (jit->wall_time_slot) {
        float ms = (float)(hw_now_ns() - jit->start_ns) * 1e-6f;
        memcpy(jit->wall_time_slot, &ms, sizeof ms);
    }
    if (rc && !jit->error_log && text[0])
        hw_warn("a module was not loaded:\n%s", text);
}
