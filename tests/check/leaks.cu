// SPDX-License-Identifier: Apache-2.0
// What is never given back, of every kind. Arguments: the number of the case, and a word to leave it there. tests/check/run.py runs all.
#include <cstdio>
#include <cstdlib>
__global__ void k(int *p) { *p = 1; }
int main(int argc, char **argv)
{
    int w = atoi(argv[1]); bool leak = argc > 2;
    int *p; cudaFree(0);
    switch (w) {
    case 0: cudaMallocHost(&p, 1000); if (!leak) cudaFreeHost(p); break;
    case 1: cudaMallocManaged(&p, 1000); if (!leak) cudaFree(p); break;
    case 2: cudaMallocAsync(&p, 1000, 0); if (!leak) cudaFreeAsync(p, 0); cudaDeviceSynchronize(); break;
    case 3: { size_t pitch; cudaMallocPitch(&p, &pitch, 100, 10); if (!leak) cudaFree(p); } break;
    case 4: { cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming); if (!leak) cudaEventDestroy(e); } break;
    case 5: { cudaGraph_t g; cudaGraphCreate(&g, 0); cudaGraphExec_t x; cudaGraphInstantiate(&x, g, 0); if (!leak) cudaGraphExecDestroy(x); cudaGraphDestroy(g); } break;
    case 6: { cudaGraph_t g; cudaStream_t s; cudaStreamCreate(&s); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaStreamEndCapture(s, &g); if (!leak) cudaGraphDestroy(g); cudaStreamDestroy(s); } break;
    case 7: { cudaMemPool_t m; cudaMemPoolProps q = {}; q.allocType = cudaMemAllocationTypePinned; q.location.type = cudaMemLocationTypeDevice; cudaMemPoolCreate(&m, &q); if (!leak) cudaMemPoolDestroy(m); } break;
    case 8: { static char buf[8192]; cudaHostRegister(buf, 8192, 0); if (!leak) cudaHostUnregister(buf); } break;
    case 9: { float *d; cudaMalloc(&d, 4096); cudaResourceDesc r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = d; r.res.linear.sizeInBytes = 4096; r.res.linear.desc = cudaCreateChannelDesc<float>(); cudaTextureDesc td = {}; cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, &td, nullptr); if (!leak) cudaDestroyTextureObject(t); cudaFree(d); } break;
    case 10: { cudaArray_t a; cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(); cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 4)); if (!leak) cudaFreeArray(a); } break;
    case 11: { cudaMipmappedArray_t a; cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(); cudaMallocMipmappedArray(&a, &f, make_cudaExtent(8, 8, 0), 3); if (!leak) cudaFreeMipmappedArray(a); } break;
    case 12: { cudaStream_t s; cudaStreamCreateWithPriority(&s, 0, 0); if (!leak) cudaStreamDestroy(s); } break;
    case 13: { cudaExtent e = make_cudaExtent(64, 4, 4); cudaPitchedPtr q; cudaMalloc3D(&q, e); if (!leak) cudaFree(q.ptr); } break;
    case 14: { cudaArray_t a; cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(); cudaMallocArray(&a, &f, 8, 8, cudaArraySurfaceLoadStore); cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaSurfaceObject_t t; cudaCreateSurfaceObject(&t, &r); if (!leak) cudaDestroySurfaceObject(t); cudaFreeArray(a); } break;
    case 15: { cudaGraph_t g, h; cudaGraphCreate(&g, 0); cudaGraphClone(&h, g); if (!leak) cudaGraphDestroy(h); cudaGraphDestroy(g); } break;
    case 16: { cudaGraph_t g; cudaGraphCreate(&g, 0); cudaGraphNode_t n; cudaHostNodeParams hp = {}; hp.fn = [](void *) {}; cudaGraphAddHostNode(&n, g, nullptr, 0, &hp); cudaGraphExec_t x; cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, 0); cudaDeviceSynchronize(); cudaGraphExecDestroy(x); if (!leak) cudaGraphDestroy(g); } break;
    }
    cudaDeviceReset();
}
