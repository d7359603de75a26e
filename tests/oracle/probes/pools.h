// SPDX-License-Identifier: Apache-2.0
// What the probes of pools share.
#include "probe.h"

static inline unsigned long long attr(cudaMemPool_t pool, cudaMemPoolAttr which) {
    unsigned long long v = 0; if (which <= cudaMemPoolReuseAllowInternalDependencies) { int i = -1; if (cudaMemPoolGetAttribute(pool, which, &i)) return 999; return (unsigned)i; }
    if (cudaMemPoolGetAttribute(pool, which, &v)) { cudaGetLastError(); return 999; } return v;
}
static inline cudaMemPoolProps props(cudaMemAllocationHandleType h = cudaMemHandleTypeNone) {
    cudaMemPoolProps p; memset(&p, 0, sizeof p); p.allocType = cudaMemAllocationTypePinned; p.handleTypes = h; p.location.type = cudaMemLocationTypeDevice; p.location.id = 0; return p;
}
