// SPDX-License-Identifier: Apache-2.0
// A 3-D copy is given one slice more than the allocation has.
#include <cstdio>
#include <vector>
int main() {
    const size_t w = 40, h = 8, d = 4;
    std::vector<char> host(w * h * (d + 1), 1);
    cudaPitchedPtr p;
    cudaExtent e = make_cudaExtent(w, h, d);
    cudaMalloc3D(&p, e); /*THERE*/
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(host.data(), w, w, h);
    c.dstPtr = p;
    c.extent = e;
    c.kind = cudaMemcpyHostToDevice;
#ifdef BUG
    c.extent.depth = d + 1;
#endif
    cudaMemcpy3D(&c); /*HERE*/
    cudaDeviceSynchronize();
    cudaFree(p.ptr);
    puts("done");
    return 0;
}
