/* SPDX-License-Identifier: Apache-2.0 */
/* Types about the device and about functions on it: attributes, limits, properties. */
#ifndef HOSTWARP_RT_DEVICE_H
#define HOSTWARP_RT_DEVICE_H

#include <stddef.h>

/* ---- attributes of a device ---- */

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock                     = 1,
    cudaDevAttrMaxBlockDimX                           = 2,
    cudaDevAttrMaxBlockDimY                           = 3,
    cudaDevAttrMaxBlockDimZ                           = 4,
    cudaDevAttrMaxGridDimX                            = 5,
    cudaDevAttrMaxGridDimY                            = 6,
    cudaDevAttrMaxGridDimZ                            = 7,
    cudaDevAttrMaxSharedMemoryPerBlock                = 8,
    cudaDevAttrTotalConstantMemory                    = 9,
    cudaDevAttrWarpSize                               = 10,
    cudaDevAttrMaxPitch                               = 11,
    cudaDevAttrMaxRegistersPerBlock                   = 12,
    cudaDevAttrClockRate                              = 13,
    cudaDevAttrTextureAlignment                       = 14,
    cudaDevAttrGpuOverlap                             = 15,
    cudaDevAttrMultiProcessorCount                    = 16,
    cudaDevAttrKernelExecTimeout                      = 17,
    cudaDevAttrIntegrated                             = 18,
    cudaDevAttrCanMapHostMemory                       = 19,
    cudaDevAttrComputeMode                            = 20,
    cudaDevAttrMaxTexture1DWidth                      = 21,
    cudaDevAttrMaxTexture2DWidth                      = 22,
    cudaDevAttrMaxTexture2DHeight                     = 23,
    cudaDevAttrMaxTexture3DWidth                      = 24,
    cudaDevAttrMaxTexture3DHeight                     = 25,
    cudaDevAttrMaxTexture3DDepth                      = 26,
    cudaDevAttrMaxTexture2DLayeredWidth               = 27,
    cudaDevAttrMaxTexture2DLayeredHeight              = 28,
    cudaDevAttrMaxTexture2DLayeredLayers              = 29,
    cudaDevAttrSurfaceAlignment                       = 30,
    cudaDevAttrConcurrentKernels                      = 31,
    cudaDevAttrEccEnabled                             = 32,
    cudaDevAttrPciBusId                               = 33,
    cudaDevAttrPciDeviceId                            = 34,
    cudaDevAttrTccDriver                              = 35,
    cudaDevAttrMemoryClockRate                        = 36,
    cudaDevAttrGlobalMemoryBusWidth                   = 37,
    cudaDevAttrL2CacheSize                            = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor            = 39,
    cudaDevAttrAsyncEngineCount                       = 40,
    cudaDevAttrUnifiedAddressing                      = 41,
    cudaDevAttrMaxTexture1DLayeredWidth               = 42,
    cudaDevAttrMaxTexture1DLayeredLayers              = 43,
    cudaDevAttrMaxTexture2DGatherWidth                = 45,
    cudaDevAttrMaxTexture2DGatherHeight               = 46,
    cudaDevAttrMaxTexture3DWidthAlt                   = 47,
    cudaDevAttrMaxTexture3DHeightAlt                  = 48,
    cudaDevAttrMaxTexture3DDepthAlt                   = 49,
    cudaDevAttrPciDomainId                            = 50,
    cudaDevAttrTexturePitchAlignment                  = 51,
    cudaDevAttrMaxTextureCubemapWidth                 = 52,
    cudaDevAttrMaxTextureCubemapLayeredWidth          = 53,
    cudaDevAttrMaxTextureCubemapLayeredLayers         = 54,
    cudaDevAttrMaxSurface1DWidth                      = 55,
    cudaDevAttrMaxSurface2DWidth                      = 56,
    cudaDevAttrMaxSurface2DHeight                     = 57,
    cudaDevAttrMaxSurface3DWidth                      = 58,
    cudaDevAttrMaxSurface3DHeight                     = 59,
    cudaDevAttrMaxSurface3DDepth                      = 60,
    cudaDevAttrMaxSurface1DLayeredWidth               = 61,
    cudaDevAttrMaxSurface1DLayeredLayers              = 62,
    cudaDevAttrMaxSurface2DLayeredWidth               = 63,
    cudaDevAttrMaxSurface2DLayeredHeight              = 64,
    cudaDevAttrMaxSurface2DLayeredLayers              = 65,
    cudaDevAttrMaxSurfaceCubemapWidth                 = 66,
    cudaDevAttrMaxSurfaceCubemapLayeredWidth          = 67,
    cudaDevAttrMaxSurfaceCubemapLayeredLayers         = 68,
    cudaDevAttrMaxTexture1DLinearWidth                = 69,
    cudaDevAttrMaxTexture2DLinearWidth                = 70,
    cudaDevAttrMaxTexture2DLinearHeight               = 71,
    cudaDevAttrMaxTexture2DLinearPitch                = 72,
    cudaDevAttrMaxTexture2DMipmappedWidth             = 73,
    cudaDevAttrMaxTexture2DMipmappedHeight            = 74,
    cudaDevAttrComputeCapabilityMajor                 = 75,
    cudaDevAttrComputeCapabilityMinor                 = 76,
    cudaDevAttrMaxTexture1DMipmappedWidth             = 77,
    cudaDevAttrStreamPrioritiesSupported              = 78,
    cudaDevAttrGlobalL1CacheSupported                 = 79,
    cudaDevAttrLocalL1CacheSupported                  = 80,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor       = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor          = 82,
    cudaDevAttrManagedMemory                          = 83,
    cudaDevAttrIsMultiGpuBoard                        = 84,
    cudaDevAttrMultiGpuBoardGroupID                   = 85,
    cudaDevAttrHostNativeAtomicSupported              = 86,
    cudaDevAttrSingleToDoublePrecisionPerfRatio       = 87,
    cudaDevAttrPageableMemoryAccess                   = 88,
    cudaDevAttrConcurrentManagedAccess                = 89,
    cudaDevAttrComputePreemptionSupported             = 90,
    cudaDevAttrCanUseHostPointerForRegisteredMem      = 91,
    cudaDevAttrReserved92                             = 92,
    cudaDevAttrReserved93                             = 93,
    cudaDevAttrReserved94                             = 94,
    cudaDevAttrCooperativeLaunch                      = 95,
    cudaDevAttrReserved96                             = 96,
    cudaDevAttrMaxSharedMemoryPerBlockOptin           = 97,
    cudaDevAttrCanFlushRemoteWrites                   = 98,
    cudaDevAttrHostRegisterSupported                  = 99,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
    cudaDevAttrDirectManagedMemAccessFromHost         = 101,
    cudaDevAttrMaxBlocksPerMultiprocessor             = 106,
    cudaDevAttrMaxPersistingL2CacheSize               = 108,
    cudaDevAttrMaxAccessPolicyWindowSize              = 109,
    cudaDevAttrReservedSharedMemoryPerBlock           = 111,
    cudaDevAttrSparseCudaArraySupported               = 112,
    cudaDevAttrHostRegisterReadOnlySupported          = 113,
    cudaDevAttrTimelineSemaphoreInteropSupported      = 114,
    cudaDevAttrMemoryPoolsSupported                   = 115,
    cudaDevAttrGPUDirectRDMASupported                 = 116,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions        = 117,
    cudaDevAttrGPUDirectRDMAWritesOrdering            = 118,
    cudaDevAttrMemoryPoolSupportedHandleTypes         = 119,
    cudaDevAttrClusterLaunch                          = 120,
    cudaDevAttrDeferredMappingCudaArraySupported      = 121,
    cudaDevAttrReserved122                            = 122,
    cudaDevAttrReserved123                            = 123,
    cudaDevAttrReserved124                            = 124,
    cudaDevAttrIpcEventSupport                        = 125,
    cudaDevAttrMemSyncDomainCount                     = 126,
    cudaDevAttrReserved127                            = 127,
    cudaDevAttrReserved128                            = 128,
    cudaDevAttrReserved129                            = 129,
    cudaDevAttrNumaConfig                             = 130,
    cudaDevAttrNumaId                                 = 131,
    cudaDevAttrReserved132                            = 132,
    cudaDevAttrMpsEnabled                             = 133,
    cudaDevAttrHostNumaId                             = 134,
    cudaDevAttrD3D12CigSupported                      = 135,
    cudaDevAttrVulkanCigSupported                     = 138,
    cudaDevAttrGpuPciDeviceId                         = 139,
    cudaDevAttrGpuPciSubsystemId                      = 140,
    cudaDevAttrReserved141                            = 141,
    cudaDevAttrHostNumaMemoryPoolsSupported           = 142,
    cudaDevAttrHostNumaMultinodeIpcSupported          = 143,
    cudaDevAttrHostMemoryPoolsSupported               = 144,
    cudaDevAttrReserved145                            = 145,
    cudaDevAttrOnlyPartialHostNativeAtomicSupported   = 147,
    cudaDevAttrMax                                    = 148,
};

enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank                  = 1,
    cudaDevP2PAttrAccessSupported                  = 2,
    cudaDevP2PAttrNativeAtomicSupported            = 3,
    cudaDevP2PAttrCudaArrayAccessSupported         = 4,
    cudaDevP2PAttrOnlyPartialNativeAtomicSupported = 5,
};

enum cudaComputeMode {
    cudaComputeModeDefault          = 0,
    cudaComputeModeExclusive        = 1,
    cudaComputeModeProhibited       = 2,
    cudaComputeModeExclusiveProcess = 3,
};

enum cudaDeviceNumaConfig {
    cudaDeviceNumaConfigNone     = 0,
    cudaDeviceNumaConfigNumaNode = 1,
};

enum cudaAtomicOperation {
    cudaAtomicOperationIntegerAdd       = 0,
    cudaAtomicOperationIntegerMin       = 1,
    cudaAtomicOperationIntegerMax       = 2,
    cudaAtomicOperationIntegerIncrement = 3,
    cudaAtomicOperationIntegerDecrement = 4,
    cudaAtomicOperationAnd              = 5,
    cudaAtomicOperationOr               = 6,
    cudaAtomicOperationXOR              = 7,
    cudaAtomicOperationExchange         = 8,
    cudaAtomicOperationCAS              = 9,
    cudaAtomicOperationFloatAdd         = 10,
    cudaAtomicOperationFloatMin         = 11,
    cudaAtomicOperationFloatMax         = 12,
};

enum cudaAtomicOperationCapability {
    cudaAtomicCapabilitySigned     = 1,
    cudaAtomicCapabilityUnsigned   = 2,
    cudaAtomicCapabilityReduction  = 4,
    cudaAtomicCapabilityScalar32   = 8,
    cudaAtomicCapabilityScalar64   = 16,
    cudaAtomicCapabilityScalar128  = 32,
    cudaAtomicCapabilityVector32x4 = 64,
};

/* ---- limits and preferences ---- */

enum cudaLimit {
    cudaLimitStackSize                    = 0,
    cudaLimitPrintfFifoSize               = 1,
    cudaLimitMallocHeapSize               = 2,
    cudaLimitDevRuntimeSyncDepth          = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity        = 5,
    cudaLimitPersistingL2CacheSize        = 6,
};

enum cudaFuncCache {
    cudaFuncCachePreferNone   = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1     = 2,
    cudaFuncCachePreferEqual  = 3,
};

enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault   = 0,
    cudaSharedMemBankSizeFourByte  = 1,
    cudaSharedMemBankSizeEightByte = 2,
};

enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault   = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1     = 0,
};

enum cudaFlushGPUDirectRDMAWritesOptions {
    cudaFlushGPUDirectRDMAWritesOptionHost   = 1,
    cudaFlushGPUDirectRDMAWritesOptionMemOps = 2,
};

enum cudaGPUDirectRDMAWritesOrdering {
    cudaGPUDirectRDMAWritesOrderingNone       = 0,
    cudaGPUDirectRDMAWritesOrderingOwner      = 100,
    cudaGPUDirectRDMAWritesOrderingAllDevices = 200,
};

enum cudaFlushGPUDirectRDMAWritesScope {
    cudaFlushGPUDirectRDMAWritesToOwner      = 100,
    cudaFlushGPUDirectRDMAWritesToAllDevices = 200,
};

enum cudaFlushGPUDirectRDMAWritesTarget {
    cudaFlushGPUDirectRDMAWritesTargetCurrentDevice = 0,
};

/* ---- functions ---- */

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize        = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout     = 9,
    cudaFuncAttributeClusterDimMustBeSet               = 10,
    cudaFuncAttributeRequiredClusterWidth              = 11,
    cudaFuncAttributeRequiredClusterHeight             = 12,
    cudaFuncAttributeRequiredClusterDepth              = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed     = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
    cudaFuncAttributeMax                               = 16,
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
    int clusterDimMustBeSet;
    int requiredClusterWidth;
    int requiredClusterHeight;
    int requiredClusterDepth;
    int clusterSchedulingPolicyPreference;
    int nonPortableClusterSizeAllowed;
    int reserved[16];
};

/* ---- properties ---- */

#ifndef CU_UUID_HAS_BEEN_DEFINED
#define CU_UUID_HAS_BEEN_DEFINED
struct CUuuid_st {
    char bytes[16];
};
typedef struct CUuuid_st CUuuid;
#endif
typedef struct CUuuid_st cudaUUID_t;

struct cudaDeviceProp {
    char         name[256];
    cudaUUID_t   uuid;
    char         luid[8];
    unsigned int luidDeviceNodeMask;
    size_t       totalGlobalMem;
    size_t       sharedMemPerBlock;
    int          regsPerBlock;
    int          warpSize;
    size_t       memPitch;
    int          maxThreadsPerBlock;
    int          maxThreadsDim[3];
    int          maxGridSize[3];
    int          clockRate;
    size_t       totalConstMem;
    int          major;
    int          minor;
    size_t       textureAlignment;
    size_t       texturePitchAlignment;
    int          deviceOverlap;
    int          multiProcessorCount;
    int          kernelExecTimeoutEnabled;
    int          integrated;
    int          canMapHostMemory;
    int          computeMode;
    int          maxTexture1D;
    int          maxTexture1DMipmap;
    int          maxTexture1DLinear;
    int          maxTexture2D[2];
    int          maxTexture2DMipmap[2];
    int          maxTexture2DLinear[3];
    int          maxTexture2DGather[2];
    int          maxTexture3D[3];
    int          maxTexture3DAlt[3];
    int          maxTextureCubemap;
    int          maxTexture1DLayered[2];
    int          maxTexture2DLayered[3];
    int          maxTextureCubemapLayered[2];
    int          maxSurface1D;
    int          maxSurface2D[2];
    int          maxSurface3D[3];
    int          maxSurface1DLayered[2];
    int          maxSurface2DLayered[3];
    int          maxSurfaceCubemap;
    int          maxSurfaceCubemapLayered[2];
    size_t       surfaceAlignment;
    int          concurrentKernels;
    int          ECCEnabled;
    int          pciBusID;
    int          pciDeviceID;
    int          pciDomainID;
    int          tccDriver;
    int          asyncEngineCount;
    int          unifiedAddressing;
    int          memoryClockRate;
    int          memoryBusWidth;
    int          l2CacheSize;
    int          persistingL2CacheMaxSize;
    int          maxThreadsPerMultiProcessor;
    int          streamPrioritiesSupported;
    int          globalL1CacheSupported;
    int          localL1CacheSupported;
    size_t       sharedMemPerMultiprocessor;
    int          regsPerMultiprocessor;
    int          managedMemory;
    int          isMultiGpuBoard;
    int          multiGpuBoardGroupID;
    int          hostNativeAtomicSupported;
    int          singleToDoublePrecisionPerfRatio;
    int          pageableMemoryAccess;
    int          concurrentManagedAccess;
    int          computePreemptionSupported;
    int          canUseHostPointerForRegisteredMem;
    int          cooperativeLaunch;
    int          cooperativeMultiDeviceLaunch;
    size_t       sharedMemPerBlockOptin;
    int          pageableMemoryAccessUsesHostPageTables;
    int          directManagedMemAccessFromHost;
    int          maxBlocksPerMultiProcessor;
    int          accessPolicyMaxWindowSize;
    size_t       reservedSharedMemPerBlock;
    int          hostRegisterSupported;
    int          sparseCudaArraySupported;
    int          hostRegisterReadOnlySupported;
    int          timelineSemaphoreInteropSupported;
    int          memoryPoolsSupported;
    int          gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int          gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int          deferredMappingCudaArraySupported;
    int          ipcEventSupported;
    int          clusterLaunch;
    int          unifiedFunctionPointers;
    int          reserved2[2];
    int          reserved1[1];
    int          reserved[60];
};

/* ---- asynchronous notification, logs ---- */

enum cudaAsyncNotificationType_enum {
    cudaAsyncNotificationTypeOverBudget = 1,
};
typedef enum cudaAsyncNotificationType_enum cudaAsyncNotificationType;

struct cudaAsyncNotificationInfo {
    cudaAsyncNotificationType type;
    union {
        struct {
            unsigned long long bytesOverBudget;
        } overBudget;
    } info;
};
typedef struct cudaAsyncNotificationInfo cudaAsyncNotificationInfo_t;

typedef struct cudaAsyncCallbackEntry *cudaAsyncCallbackHandle_t;
typedef void (*cudaAsyncCallback)(cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t);

enum CUDAlogLevel_enum {
    cudaLogLevelError   = 0,
    cudaLogLevelWarning = 1,
};
typedef enum CUDAlogLevel_enum cudaLogLevel;
typedef struct CUlogsCallbackEntry_st *cudaLogsCallbackHandle;
typedef unsigned int cudaLogIterator;
typedef void (*cudaLogsCallback_t)(void *data, cudaLogLevel logLevel, char *message, size_t length);

#endif
