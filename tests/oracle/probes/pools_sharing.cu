// SPDX-License-Identifier: Apache-2.0
// Pools: exporting and importing them and their memory.
#include "pools.h"
#include <cstdint>

static void sharing() {
    cudaMemPool_t plain, pool, in = nullptr; cudaMemPoolProps p = props(), e = props(cudaMemHandleTypePosixFileDescriptor); cudaMemPoolCreate(&plain, &p); R("export.create", cudaMemPoolCreate(&pool, &e)); int fd = -1; R("export.plain", cudaMemPoolExportToShareableHandle(&fd, plain, cudaMemHandleTypePosixFileDescriptor, 0)); R("export.ok", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0)); V("export.fd_is_open", "%d", fd >= 0);
    R("export.bad_type", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypeNone, 0)); R("export.bad_flags", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 1)); 
    R("import.bad_fd", cudaMemPoolImportFromShareableHandle(&in, (void *)(intptr_t)999, cudaMemHandleTypePosixFileDescriptor, 0)); R("import.same_process", cudaMemPoolImportFromShareableHandle(&in, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0));
    void *a = nullptr, *b = nullptr, *out = nullptr; cudaMallocFromPoolAsync(&a, 4096, pool, 0); cudaMallocFromPoolAsync(&b, 4096, plain, 0); cudaMemsetAsync(a, 0x5a, 4096, 0); cudaStreamSynchronize(0); cudaMemPoolPtrExportData data, junk; memset(&junk, 0x33, sizeof junk); memset(&data, 0, sizeof data);
    R("pointer.export", cudaMemPoolExportPointer(&data, a)); R("pointer.export_interior", cudaMemPoolExportPointer(&junk, (char *)a + 8)); R("pointer.export_plain", cudaMemPoolExportPointer(&junk, b)); void *m; cudaMalloc(&m, 64); R("pointer.export_malloc", cudaMemPoolExportPointer(&junk, m)); cudaFree(m);
    if (in) { R("import.malloc_from", cudaMallocFromPoolAsync(&m, 64, in, 0)); R("import.set_attr", [&] { unsigned long long v = 1; return cudaMemPoolSetAttribute(in, cudaMemPoolAttrReleaseThreshold, &v); }()); R("import.export_again", cudaMemPoolExportToShareableHandle(&fd, in, cudaMemHandleTypePosixFileDescriptor, 0)); R("pointer.import_same_process", cudaMemPoolImportPointer(&out, in, &data)); V("pointer.import_differs", "%d", out != a); unsigned char got = 0; if (out) { R("pointer.import_read", cudaMemcpy(&got, out, 1, cudaMemcpyDeviceToHost)); V("pointer.import_value", "%d", got); R("pointer.import_free", cudaFreeAsync(out, 0)); cudaDeviceSynchronize(); } R("import.destroy", cudaMemPoolDestroy(in)); }
    R("pointer.import_wrong_pool", cudaMemPoolImportPointer(&m, plain, &data)); cudaFreeAsync(a, 0); cudaFreeAsync(b, 0); cudaDeviceSynchronize(); cudaMemPoolDestroy(plain); cudaMemPoolDestroy(pool); if (fd >= 0) close(fd);
}
// Is a pool to be exported before its memory can be?
static void order() {
    cudaMemPool_t pool, none; cudaMemPoolProps e = props(cudaMemHandleTypePosixFileDescriptor), n = props(); void *a = nullptr, *b = nullptr; int fd = -1; cudaMemPoolPtrExportData d; memset(&d, 0, sizeof d);
    cudaMemPoolCreate(&pool, &e); cudaMemPoolCreate(&none, &n); cudaMallocFromPoolAsync(&a, 4096, pool, 0); cudaStreamSynchronize(0);
    R("order.pointer_first", cudaMemPoolExportPointer(&d, a)); R("order.pool", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0)); R("order.pointer_then", cudaMemPoolExportPointer(&d, a));
    if (fd >= 0) close(fd); R("order.pointer_handle_closed", cudaMemPoolExportPointer(&d, a)); cudaMallocFromPoolAsync(&b, 4096, pool, 0); R("order.pointer_unsynced", cudaMemPoolExportPointer(&d, b)); cudaFreeAsync(a, 0); R("order.pointer_freed", cudaMemPoolExportPointer(&d, a));
    cudaFreeAsync(b, 0); cudaDeviceSynchronize(); cudaMemPoolDestroy(pool); cudaMemPoolDestroy(none);
}
int main() { limit_time(); cudaFree(nullptr); order(); sharing(); R("end.sync", cudaDeviceSynchronize()); }
