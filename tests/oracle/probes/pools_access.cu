// SPDX-License-Identifier: Apache-2.0
// Pools: who may access their memory.
#include "pools.h"
#include <cstdint>

static void access() {
    cudaMemPool_t pool; cudaMemPoolProps p = props(); cudaMemPoolCreate(&pool, &p); cudaMemAccessDesc d; d.location.type = cudaMemLocationTypeDevice; d.location.id = 0; d.flags = cudaMemAccessFlagsProtReadWrite; cudaMemAccessFlags f = (cudaMemAccessFlags)9;
    R("access.get", cudaMemPoolGetAccess(&f, pool, &d.location)); V("access.get_value", "%d", (int)f); R("access.set_rw", cudaMemPoolSetAccess(pool, &d, 1)); d.flags = cudaMemAccessFlagsProtNone; R("access.set_none_for_owner", cudaMemPoolSetAccess(pool, &d, 1)); d.flags = cudaMemAccessFlagsProtRead; R("access.set_read", cudaMemPoolSetAccess(pool, &d, 1)); cudaMemPoolGetAccess(&f, pool, &d.location); V("access.after_read", "%d", (int)f);
    d.flags = cudaMemAccessFlagsProtReadWrite; R("access.count_zero", cudaMemPoolSetAccess(pool, &d, 0)); d.location.id = 4; R("access.bad_device", cudaMemPoolSetAccess(pool, &d, 1)); R("access.get_bad_device", cudaMemPoolGetAccess(&f, pool, &d.location)); d.location.id = 0; d.location.type = cudaMemLocationTypeHost; R("access.host", cudaMemPoolSetAccess(pool, &d, 1)); R("access.get_host", cudaMemPoolGetAccess(&f, pool, &d.location)); 
    cudaMemPoolDestroy(pool);
}
int main() { limit_time(); cudaFree(nullptr); access(); R("end.sync", cudaDeviceSynchronize()); }
