/* SPDX-License-Identifier: Apache-2.0 */
/* cuGetProcAddress: which symbol a base name means at a version and for a kind of default stream. */
#include "driver/bodies.h"

/* Base names that moved on to a symbol with a base name of its own. */
static const struct {
    const char *base;
    int since;
    enum api_id id;
} renamed[] = {
    {"cuGraphInstantiate", 12000, API_cuGraphInstantiateWithFlags},
};

/* The newest row of this name that a program of that version may see. *known: the name exists at some version. */
static const struct api_row *proc_find(const char *base, int version, bool per_thread, bool *known)
{
    const struct api_row *best = NULL;
    enum api_pt want = PT_ANY;

    *known = false;
    /* Where a per-thread twin exists at any version, only twins will do. */
    for (int i = 0; i < API_COUNT && per_thread; i++) {
        if (api_rows[i].pt == PT_ONLY && strcmp(api_rows[i].base, base) == 0)
            want = PT_ONLY;
    }
    for (int i = 0; i < API_COUNT; i++) {
        const struct api_row *row = &api_rows[i];
        if (strcmp(row->base, base) != 0)
            continue;
        *known = true;
        if (row->pt == want && row->since <= version && (!best || row->since > best->since))
            best = row;
    }
    for (size_t i = 0; i < HW_LEN(renamed); i++) {
        if (strcmp(renamed[i].base, base) == 0 && version >= renamed[i].since)
            best = &api_rows[renamed[i].id];
    }
    return best;
}

CUresult do_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                CUdriverProcAddressQueryResult *symbolStatus)
{
    const cuuint64_t all = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    const struct api_row *row;
    bool known;

    if (!symbol || !pfn || (flags & ~all) || cudaVersion > driver_version())
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "symbol or pfn is NULL, flags 0x%llx are not known, or version %d is newer than the driver's %d", (unsigned long long)flags, cudaVersion, driver_version());
    if (cudaVersion < 0)                             /* the real driver takes these for "any" */
        cudaVersion = driver_version();
    row = proc_find(symbol, cudaVersion, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &known);
    *pfn = row ? (void *)row->fn : NULL;
    if (symbolStatus)
        *symbolStatus = row ? CU_GET_PROC_ADDRESS_SUCCESS
                        : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;                             /* also when nothing was found: *pfn and the status say so */
}

/* The older form has no status: its answer says whether something was found. */
CUresult do_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    CUresult rc = do_cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);

    return !rc && !*pfn ? hw_refuse(CUDA_ERROR_NOT_FOUND, "there is no %s in version %d", symbol, cudaVersion) : rc;
}
