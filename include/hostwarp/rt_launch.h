/* SPDX-License-Identifier: Apache-2.0 */
/* Types about launches, stream capture and graphs. */
#ifndef HOSTWARP_RT_LAUNCH_H
#define HOSTWARP_RT_LAUNCH_H

#include "hostwarp/rt_interop.h"
#include "vector_types.h"

/* ---- streams ---- */

typedef void (CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *userData);

enum cudaAccessProperty {
    cudaAccessPropertyNormal     = 0,
    cudaAccessPropertyStreaming  = 1,
    cudaAccessPropertyPersisting = 2,
};

struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp;
    enum cudaAccessProperty missProp;
};

enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto         = 1,
    cudaSyncPolicySpin         = 2,
    cudaSyncPolicyYield        = 3,
    cudaSyncPolicyBlockingSync = 4,
};

enum cudaClusterSchedulingPolicy {
    cudaClusterSchedulingPolicyDefault       = 0,
    cudaClusterSchedulingPolicySpread        = 1,
    cudaClusterSchedulingPolicyLoadBalancing = 2,
};

enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone        = 0,
    cudaStreamCaptureStatusActive      = 1,
    cudaStreamCaptureStatusInvalidated = 2,
};

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal      = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed     = 2,
};

enum cudaStreamUpdateCaptureDependenciesFlags {
    cudaStreamAddCaptureDependencies = 0,
    cudaStreamSetCaptureDependencies = 1,
};

/* ---- launch attributes ---- */

enum cudaLaunchMemSyncDomain {
    cudaLaunchMemSyncDomainDefault = 0,
    cudaLaunchMemSyncDomainRemote  = 1,
};
typedef enum cudaLaunchMemSyncDomain cudaLaunchMemSyncDomain;

struct cudaLaunchMemSyncDomainMap_st {
    unsigned char default_;
    unsigned char remote;
};
typedef struct cudaLaunchMemSyncDomainMap_st cudaLaunchMemSyncDomainMap;

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore                            = 0,
    cudaLaunchAttributeAccessPolicyWindow                = 1,
    cudaLaunchAttributeCooperative                       = 2,
    cudaLaunchAttributeSynchronizationPolicy             = 3,
    cudaLaunchAttributeClusterDimension                  = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization   = 6,
    cudaLaunchAttributeProgrammaticEvent                 = 7,
    cudaLaunchAttributePriority                          = 8,
    cudaLaunchAttributeMemSyncDomainMap                  = 9,
    cudaLaunchAttributeMemSyncDomain                     = 10,
    cudaLaunchAttributePreferredClusterDimension         = 11,
    cudaLaunchAttributeLaunchCompletionEvent             = 12,
    cudaLaunchAttributeDeviceUpdatableKernelNode         = 13,
    cudaLaunchAttributePreferredSharedMemoryCarveout     = 14,
    cudaLaunchAttributeNvlinkUtilCentricScheduling       = 16,
};
typedef enum cudaLaunchAttributeID cudaLaunchAttributeID;

union cudaLaunchAttributeValue {
    char pad[64];
    struct cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative;
    enum cudaSynchronizationPolicy syncPolicy;
    struct {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } clusterDim;
    enum cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    int programmaticStreamSerializationAllowed;
    struct {
        cudaEvent_t event;
        int flags;
        int triggerAtBlockStart;
    } programmaticEvent;
    int priority;
    cudaLaunchMemSyncDomainMap memSyncDomainMap;
    cudaLaunchMemSyncDomain memSyncDomain;
    struct {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } preferredClusterDim;
    struct {
        cudaEvent_t event;
        int flags;
    } launchCompletionEvent;
    struct {
        int deviceUpdatable;
        cudaGraphDeviceNode_t devNode;
    } deviceUpdatableKernelNode;
    unsigned int sharedMemCarveout;
    unsigned int nvlinkUtilCentricScheduling;
};
typedef union cudaLaunchAttributeValue cudaLaunchAttributeValue;

struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    char pad[4];
    cudaLaunchAttributeValue val;
};
typedef struct cudaLaunchAttribute_st cudaLaunchAttribute;

struct cudaLaunchConfig_st {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
};
typedef struct cudaLaunchConfig_st cudaLaunchConfig_t;

struct cudaLaunchParams {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    void **args;
    size_t sharedMem;
    cudaStream_t stream;
};

enum cudaCGScope {
    cudaCGScopeInvalid  = 0,
    cudaCGScopeGrid     = 1,
    cudaCGScopeReserved = 2,
};

/* ---- user objects ---- */

enum cudaUserObjectFlags {
    cudaUserObjectNoDestructorSync = 1,
};

enum cudaUserObjectRetainFlags {
    cudaGraphUserObjectMove = 1,
};

/* ---- graphs ---- */

struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};

struct cudaHostNodeParamsV2 {
    cudaHostFn_t fn;
    void *userData;
};

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};

struct cudaKernelNodeParamsV2 {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};

struct cudaExternalSemaphoreSignalNodeParams {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreSignalParams *paramsArray;
    unsigned int numExtSems;
};

struct cudaExternalSemaphoreSignalNodeParamsV2 {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreSignalParams *paramsArray;
    unsigned int numExtSems;
};

struct cudaExternalSemaphoreWaitNodeParams {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreWaitParams *paramsArray;
    unsigned int numExtSems;
};

struct cudaExternalSemaphoreWaitNodeParamsV2 {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreWaitParams *paramsArray;
    unsigned int numExtSems;
};

enum cudaGraphConditionalHandleFlags {
    cudaGraphCondAssignDefault = 1,
};

enum cudaGraphConditionalNodeType {
    cudaGraphCondTypeIf     = 0,
    cudaGraphCondTypeWhile  = 1,
    cudaGraphCondTypeSwitch = 2,
};

struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned int size;
    cudaGraph_t *phGraph_out;
};

enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel             = 0,
    cudaGraphNodeTypeMemcpy             = 1,
    cudaGraphNodeTypeMemset             = 2,
    cudaGraphNodeTypeHost               = 3,
    cudaGraphNodeTypeGraph              = 4,
    cudaGraphNodeTypeEmpty              = 5,
    cudaGraphNodeTypeWaitEvent          = 6,
    cudaGraphNodeTypeEventRecord        = 7,
    cudaGraphNodeTypeExtSemaphoreSignal = 8,
    cudaGraphNodeTypeExtSemaphoreWait   = 9,
    cudaGraphNodeTypeMemAlloc           = 10,
    cudaGraphNodeTypeMemFree            = 11,
    cudaGraphNodeTypeConditional        = 13,
    cudaGraphNodeTypeCount              = 14,
};

enum cudaGraphChildGraphNodeOwnership {
    cudaGraphChildGraphOwnershipClone = 0,
    cudaGraphChildGraphOwnershipMove  = 1,
};

struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
    enum cudaGraphChildGraphNodeOwnership ownership;
};

struct cudaEventRecordNodeParams {
    cudaEvent_t event;
};

struct cudaEventWaitNodeParams {
    cudaEvent_t event;
};

struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParamsV2 kernel;
        struct cudaMemcpyNodeParams memcpy;
        struct cudaMemsetParamsV2 memset;
        struct cudaHostNodeParamsV2 host;
        struct cudaChildGraphNodeParams graph;
        struct cudaEventWaitNodeParams eventWait;
        struct cudaEventRecordNodeParams eventRecord;
        struct cudaExternalSemaphoreSignalNodeParamsV2 extSemSignal;
        struct cudaExternalSemaphoreWaitNodeParamsV2 extSemWait;
        struct cudaMemAllocNodeParamsV2 alloc;
        struct cudaMemFreeNodeParams free;
        struct cudaConditionalNodeParams conditional;
    };
    long long reserved2;
};

enum cudaGraphDependencyType_enum {
    cudaGraphDependencyTypeDefault      = 0,
    cudaGraphDependencyTypeProgrammatic = 1,
};
typedef enum cudaGraphDependencyType_enum cudaGraphDependencyType;

struct cudaGraphEdgeData_st {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
};
typedef struct cudaGraphEdgeData_st cudaGraphEdgeData;

enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess                        = 0,
    cudaGraphExecUpdateError                          = 1,
    cudaGraphExecUpdateErrorTopologyChanged           = 2,
    cudaGraphExecUpdateErrorNodeTypeChanged           = 3,
    cudaGraphExecUpdateErrorFunctionChanged           = 4,
    cudaGraphExecUpdateErrorParametersChanged         = 5,
    cudaGraphExecUpdateErrorNotSupported              = 6,
    cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7,
    cudaGraphExecUpdateErrorAttributesChanged         = 8,
};

enum cudaGraphInstantiateResult {
    cudaGraphInstantiateSuccess                     = 0,
    cudaGraphInstantiateError                       = 1,
    cudaGraphInstantiateInvalidStructure            = 2,
    cudaGraphInstantiateNodeOperationNotSupported   = 3,
    cudaGraphInstantiateMultipleDevicesNotSupported = 4,
    cudaGraphInstantiateConditionalHandleUnused     = 5,
};
typedef enum cudaGraphInstantiateResult cudaGraphInstantiateResult;

struct cudaGraphInstantiateParams_st {
    unsigned long long flags;
    cudaStream_t uploadStream;
    cudaGraphNode_t errNode_out;
    cudaGraphInstantiateResult result_out;
};
typedef struct cudaGraphInstantiateParams_st cudaGraphInstantiateParams;

struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode;
    cudaGraphNode_t errorFromNode;
};
typedef struct cudaGraphExecUpdateResultInfo_st cudaGraphExecUpdateResultInfo;

enum cudaGraphKernelNodeField {
    cudaGraphKernelNodeFieldInvalid = 0,
    cudaGraphKernelNodeFieldGridDim = 1,
    cudaGraphKernelNodeFieldParam   = 2,
    cudaGraphKernelNodeFieldEnabled = 3,
};

struct cudaGraphKernelNodeUpdate {
    cudaGraphDeviceNode_t node;
    enum cudaGraphKernelNodeField field;
    union {
        dim3 gridDim;
        struct {
            const void *pValue;
            size_t offset;
            size_t size;
        } param;
        unsigned int isEnabled;
    } updateData;
};

enum cudaGraphDebugDotFlags {
    cudaGraphDebugDotFlagsVerbose                  = 0x1,
    cudaGraphDebugDotFlagsKernelNodeParams         = 0x4,
    cudaGraphDebugDotFlagsMemcpyNodeParams         = 0x8,
    cudaGraphDebugDotFlagsMemsetNodeParams         = 0x10,
    cudaGraphDebugDotFlagsHostNodeParams           = 0x20,
    cudaGraphDebugDotFlagsEventNodeParams          = 0x40,
    cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 0x80,
    cudaGraphDebugDotFlagsExtSemasWaitNodeParams   = 0x100,
    cudaGraphDebugDotFlagsKernelNodeAttributes     = 0x200,
    cudaGraphDebugDotFlagsHandles                  = 0x400,
    cudaGraphDebugDotFlagsConditionalNodeParams    = 0x8000,
};

enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload           = 2,
    cudaGraphInstantiateFlagDeviceLaunch     = 4,
    cudaGraphInstantiateFlagUseNodePriority  = 8,
};

/* ---- the driver beneath, libraries of kernels ---- */

enum cudaGetDriverEntryPointFlags {
    cudaEnableDefault                = 0,
    cudaEnableLegacyStream           = 1,
    cudaEnablePerThreadDefaultStream = 2,
};

enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess             = 0,
    cudaDriverEntryPointSymbolNotFound      = 1,
    cudaDriverEntryPointVersionNotSufficent = 2,
};

enum cudaJitOption {
    cudaJitMaxRegisters            = 0,
    cudaJitThreadsPerBlock         = 1,
    cudaJitWallTime                = 2,
    cudaJitInfoLogBuffer           = 3,
    cudaJitInfoLogBufferSizeBytes  = 4,
    cudaJitErrorLogBuffer          = 5,
    cudaJitErrorLogBufferSizeBytes = 6,
    cudaJitOptimizationLevel       = 7,
    cudaJitFallbackStrategy        = 10,
    cudaJitGenerateDebugInfo       = 11,
    cudaJitLogVerbose              = 12,
    cudaJitGenerateLineInfo        = 13,
    cudaJitCacheMode               = 14,
    cudaJitPositionIndependentCode = 30,
    cudaJitMinCtaPerSm             = 31,
    cudaJitMaxThreadsPerBlock      = 32,
    cudaJitOverrideDirectiveValues = 33,
};

enum cudaLibraryOption {
    cudaLibraryHostUniversalFunctionAndDataTable = 0,
    cudaLibraryBinaryIsPreserved                 = 1,
};

enum cudaJit_CacheMode {
    cudaJitCacheOptionNone = 0,
    cudaJitCacheOptionCG   = 1,
    cudaJitCacheOptionCA   = 2,
};

enum cudaJit_Fallback {
    cudaPreferPtx    = 0,
    cudaPreferBinary = 1,
};

struct cudalibraryHostUniversalFunctionAndDataTable {
    void *functionTable;
    size_t functionWindowSize;
    void *dataTable;
    size_t dataWindowSize;
};

#endif
