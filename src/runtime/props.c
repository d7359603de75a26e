/* SPDX-License-Identifier: Apache-2.0 */
/* cudaGetDeviceProperties, in the layouts of CUDA 11, 12 and 13. */
#include "runtime/bodies.h"

#include "runtime/context.h"

/* The struct of CUDA 13: some fields of 12 are gone, others came at the end. */
struct props_13 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int deviceNumaConfig;
    int deviceNumaId;
    int mpsEnabled;
    int hostNumaId;
    unsigned int gpuPciDeviceID;
    unsigned int gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    int reserved[56];
};
static_assert(sizeof(struct cudaDeviceProp) == 1032, "the size that programs built with CUDA 12 have");
static_assert(sizeof(struct props_13) == 1008, "the size that programs built with CUDA 13 have");

/* Programs built with CUDA 11 have a struct that ends before hostRegisterSupported. */
enum { BYTES_11 = offsetof(struct cudaDeviceProp, hostRegisterSupported) };

static int attribute(CUdevice_attribute id, int device)
{
    int value = 0;

    /* One that this driver does not know is a feature that it does not have. */
    return cuDeviceGetAttribute(&value, id, device) == CUDA_SUCCESS ? value : 0;
}

#define PROP(field, id) p->field = (__typeof__(p->field))attribute(CU_DEVICE_ATTRIBUTE_##id, device);

static cudaError_t fill_12(struct cudaDeviceProp *p, int device)
{
    CUuuid uuid;

    if (device < 0 || device >= context_device_count())
        return hw_refuse(cudaErrorInvalidDevice, "there is no device %d; cudaGetDeviceCount() says %d", device, context_device_count());
    memset(p, 0, sizeof *p);
    cuDeviceGetName(p->name, sizeof p->name, device);
    if (cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS)
        memcpy(p->uuid.bytes, uuid.bytes, sizeof uuid.bytes);
    cuDeviceTotalMem(&p->totalGlobalMem, device);
#define PROP_12(field, id) PROP(field, id)
#define PROP_13(field, id)
#include "runtime/props.def"
#undef PROP_12
#undef PROP_13
    return cudaSuccess;
}

cudaError_t do_cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device)
{
    return prop ? fill_12(prop, device) : hw_refuse(cudaErrorInvalidValue, "prop is NULL");
}

cudaError_t do_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    struct cudaDeviceProp whole;
    cudaError_t rc;

    if (!prop)
        return hw_refuse(cudaErrorInvalidValue, "prop is NULL");
    if ((rc = fill_12(&whole, device)))
        return rc;
    memcpy(prop, &whole, BYTES_11);
    return cudaSuccess;
}

cudaError_t do_cudaGetDeviceProperties_13(struct cudaDeviceProp *prop, int device)
{
    struct props_13 *p = (struct props_13 *)prop;
    struct cudaDeviceProp whole;
    cudaError_t rc;

    if (!prop)
        return hw_refuse(cudaErrorInvalidValue, "prop is NULL");
    if ((rc = fill_12(&whole, device)))
        return rc;
    memset(p, 0, sizeof *p);
    memcpy(p->name, whole.name, sizeof p->name);
    p->uuid = whole.uuid;
    p->totalGlobalMem = whole.totalGlobalMem;
#define PROP_12(field, id)
#define PROP_13(field, id) PROP(field, id)
#include "runtime/props.def"
    return cudaSuccess;
}
