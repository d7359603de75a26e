/* SPDX-License-Identifier: Apache-2.0 */
/* Types and constants that the runtime API shares with the driver: handles, flags, and the parts in hostwarp/. */
#ifndef HOSTWARP_DRIVER_TYPES_H
#define HOSTWARP_DRIVER_TYPES_H
#define __DRIVER_TYPES_H__ /* programs ask whether it is there */

#include "hostwarp/words_push.h"

#include <limits.h>
#include <stddef.h>

#include "crt/host_defines.h"
#include "vector_types.h"

/* ---- handles: opaque, and the same objects as the driver API's ---- */

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphDeviceUpdatableNode_st *cudaGraphDeviceNode_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef void (CUDART_CB *cudaHostFn_t)(void *userData);

/* ---- flags ---- */

#define cudaHostAllocDefault       0x00
#define cudaHostAllocPortable      0x01
#define cudaHostAllocMapped        0x02
#define cudaHostAllocWriteCombined 0x04

#define cudaHostRegisterDefault  0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped   0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08

#define cudaPeerAccessDefault 0x00

#define cudaStreamDefault     0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy      ((cudaStream_t)0x1)
#define cudaStreamPerThread   ((cudaStream_t)0x2)

#define cudaEventDefault        0x00
#define cudaEventRecordDefault  0x00
#define cudaEventWaitDefault    0x00
#define cudaEventBlockingSync   0x01
#define cudaEventRecordExternal 0x01
#define cudaEventWaitExternal   0x01
#define cudaEventDisableTiming  0x02
#define cudaEventInterprocess   0x04

#define cudaDeviceScheduleAuto         0x00
#define cudaDeviceScheduleSpin         0x01
#define cudaDeviceScheduleYield        0x02
#define cudaDeviceBlockingSync         0x04
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceScheduleMask         0x07
#define cudaDeviceMapHost              0x08
#define cudaDeviceLmemResizeToMax      0x10
#define cudaDeviceSyncMemops           0x80
#define cudaDeviceMask                 0xff

#define cudaInitDeviceFlagsAreValid 0x01

#define cudaArrayDefault                       0x00
#define cudaArrayLayered                       0x01
#define cudaArraySparsePropertiesSingleMipTail 0x1
#define cudaArraySurfaceLoadStore              0x02
#define cudaArrayCubemap                       0x04
#define cudaArrayTextureGather                 0x08
#define cudaArrayColorAttachment               0x20
#define cudaArraySparse                        0x40
#define cudaArrayDeferredMapping               0x80

#define cudaIpcMemLazyEnablePeerAccess 0x01

#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost   0x02
#define cudaMemAttachSingle 0x04

#define cudaOccupancyDefault                0x00
#define cudaOccupancyDisableCachingOverride 0x01

#define cudaCpuDeviceId     ((int)-1)
#define cudaInvalidDeviceId ((int)-2)

#define cudaExternalMemoryDedicated                    0x1
#define cudaExternalSemaphoreSignalSkipNvSciBufMemSync 0x01
#define cudaExternalSemaphoreWaitSkipNvSciBufMemSync   0x02

#define cudaNvSciSyncAttrSignal 0x1
#define cudaNvSciSyncAttrWait   0x2

#define cudaGraphKernelNodePortDefault          0
#define cudaGraphKernelNodePortProgrammatic     1
#define cudaGraphKernelNodePortLaunchCompletion 2

#define cudaMemPoolCreateUsageHwDecompress 0x2



#define cudaCooperativeLaunchMultiDeviceNoPreSync  0x01
#define cudaCooperativeLaunchMultiDeviceNoPostSync 0x02

#include "hostwarp/rt_error.h"
#include "hostwarp/rt_device.h"
#include "hostwarp/rt_memory.h"
#include "hostwarp/rt_interop.h"
#include "hostwarp/rt_launch.h"

/* Older names of the launch attributes, by what they are attached to. */
#define cudaKernelNodeAttrID                                     cudaLaunchAttributeID
#define cudaKernelNodeAttrValue                                  cudaLaunchAttributeValue
#define cudaKernelNodeAttributeAccessPolicyWindow                cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeClusterDimension                  cudaLaunchAttributeClusterDimension
#define cudaKernelNodeAttributeClusterSchedulingPolicyPreference cudaLaunchAttributeClusterSchedulingPolicyPreference
#define cudaKernelNodeAttributeCooperative                       cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributeDeviceUpdatableKernelNode         cudaLaunchAttributeDeviceUpdatableKernelNode
#define cudaKernelNodeAttributeMemSyncDomain                     cudaLaunchAttributeMemSyncDomain
#define cudaKernelNodeAttributeMemSyncDomainMap                  cudaLaunchAttributeMemSyncDomainMap
#define cudaKernelNodeAttributeNvlinkUtilCentricScheduling       cudaLaunchAttributeNvlinkUtilCentricScheduling
#define cudaKernelNodeAttributePreferredSharedMemoryCarveout     cudaLaunchAttributePreferredSharedMemoryCarveout
#define cudaKernelNodeAttributePriority                          cudaLaunchAttributePriority
#define cudaStreamAttrID                                         cudaLaunchAttributeID
#define cudaStreamAttrValue                                      cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow                    cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeMemSyncDomain                         cudaLaunchAttributeMemSyncDomain
#define cudaStreamAttributeMemSyncDomainMap                      cudaLaunchAttributeMemSyncDomainMap
#define cudaStreamAttributePriority                              cudaLaunchAttributePriority
#define cudaStreamAttributeSynchronizationPolicy                 cudaLaunchAttributeSynchronizationPolicy

#include "hostwarp/words_pop.h"

#endif
