/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory management: addresses, physical memory, and mapping the one to the other, all apart. */
#ifndef CORE_VMM_H
#define CORE_VMM_H

#include "base/base.h"

#include <cuda.h>

enum { VMM_GRANULARITY = 2 << 20 };

CUresult vmm_reserve(size_t bytes, size_t align, CUdeviceptr wish, CUdeviceptr *out);
CUresult vmm_free_addresses(CUdeviceptr base, size_t bytes);
CUresult vmm_create(size_t bytes, const CUmemAllocationProp *prop, CUmemGenericAllocationHandle *out);
CUresult vmm_release(CUmemGenericAllocationHandle handle);       /* the memory stays while it is mapped */
CUresult vmm_map(CUdeviceptr ptr, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle);
CUresult vmm_unmap(CUdeviceptr ptr, size_t bytes);               /* whole mappings; waits for nobody */
CUresult vmm_set_access(CUdeviceptr ptr, size_t bytes, const CUmemAccessDesc *desc, size_t n);
CUresult vmm_access(CUdeviceptr ptr, const CUmemLocation *where, unsigned long long *out);
CUresult vmm_export(CUmemGenericAllocationHandle handle, int *out_fd);
CUresult vmm_import(int fd, CUmemGenericAllocationHandle *out);
CUresult vmm_properties(CUmemGenericAllocationHandle handle, CUmemAllocationProp *out);
CUresult vmm_retain(uint64_t addr, CUmemGenericAllocationHandle *out);

#endif
