/* SPDX-License-Identifier: Apache-2.0 */
/* With per-thread default streams, calls that may use the default stream mean their per-thread twins. Part of cuda_runtime_api.h. */
#ifndef HOSTWARP_RT_PTDS_H
#define HOSTWARP_RT_PTDS_H

#define cudaEventRecord                        cudaEventRecord_ptsz
#define cudaEventRecordWithFlags               cudaEventRecordWithFlags_ptsz
#define cudaFreeAsync                          cudaFreeAsync_ptsz
#define cudaGetDriverEntryPoint                cudaGetDriverEntryPoint_ptsz
#define cudaGetDriverEntryPointByVersion       cudaGetDriverEntryPointByVersion_ptsz
#define cudaGraphInstantiateWithParams         cudaGraphInstantiateWithParams_ptsz
#define cudaGraphLaunch                        cudaGraphLaunch_ptsz
#define cudaGraphUpload                        cudaGraphUpload_ptsz
#define cudaLaunchCooperativeKernel            cudaLaunchCooperativeKernel_ptsz
#define cudaLaunchHostFunc                     cudaLaunchHostFunc_ptsz
#define cudaLaunchKernel                       cudaLaunchKernel_ptsz
#define cudaLaunchKernelExC                    cudaLaunchKernelExC_ptsz
#define cudaMallocAsync                        cudaMallocAsync_ptsz
#define cudaMallocFromPoolAsync                cudaMallocFromPoolAsync_ptsz
#define cudaMemPrefetchAsync                   cudaMemPrefetchAsync_ptsz
#define cudaMemcpy                             cudaMemcpy_ptds
#define cudaMemcpy2D                           cudaMemcpy2D_ptds
#define cudaMemcpy2DArrayToArray               cudaMemcpy2DArrayToArray_ptds
#define cudaMemcpy2DAsync                      cudaMemcpy2DAsync_ptsz
#define cudaMemcpy2DFromArray                  cudaMemcpy2DFromArray_ptds
#define cudaMemcpy2DFromArrayAsync             cudaMemcpy2DFromArrayAsync_ptsz
#define cudaMemcpy2DToArray                    cudaMemcpy2DToArray_ptds
#define cudaMemcpy2DToArrayAsync               cudaMemcpy2DToArrayAsync_ptsz
#define cudaMemcpy3D                           cudaMemcpy3D_ptds
#define cudaMemcpy3DAsync                      cudaMemcpy3DAsync_ptsz
#define cudaMemcpy3DPeer                       cudaMemcpy3DPeer_ptds
#define cudaMemcpy3DPeerAsync                  cudaMemcpy3DPeerAsync_ptsz
#define cudaMemcpyArrayToArray                 cudaMemcpyArrayToArray_ptds
#define cudaMemcpyAsync                        cudaMemcpyAsync_ptsz
#define cudaMemcpyFromArray                    cudaMemcpyFromArray_ptds
#define cudaMemcpyFromArrayAsync               cudaMemcpyFromArrayAsync_ptsz
#define cudaMemcpyFromSymbol                   cudaMemcpyFromSymbol_ptds
#define cudaMemcpyFromSymbolAsync              cudaMemcpyFromSymbolAsync_ptsz
#define cudaMemcpyToArray                      cudaMemcpyToArray_ptds
#define cudaMemcpyToArrayAsync                 cudaMemcpyToArrayAsync_ptsz
#define cudaMemcpyToSymbol                     cudaMemcpyToSymbol_ptds
#define cudaMemcpyToSymbolAsync                cudaMemcpyToSymbolAsync_ptsz
#define cudaMemset                             cudaMemset_ptds
#define cudaMemset2D                           cudaMemset2D_ptds
#define cudaMemset2DAsync                      cudaMemset2DAsync_ptsz
#define cudaMemset3D                           cudaMemset3D_ptds
#define cudaMemset3DAsync                      cudaMemset3DAsync_ptsz
#define cudaMemsetAsync                        cudaMemsetAsync_ptsz
#define cudaSignalExternalSemaphoresAsync      cudaSignalExternalSemaphoresAsync_v2_ptsz
#define cudaStreamAddCallback                  cudaStreamAddCallback_ptsz
#define cudaStreamAttachMemAsync               cudaStreamAttachMemAsync_ptsz
#define cudaStreamBeginCapture                 cudaStreamBeginCapture_ptsz
#define cudaStreamBeginCaptureToGraph          cudaStreamBeginCaptureToGraph_ptsz
#define cudaStreamCopyAttributes               cudaStreamCopyAttributes_ptsz
#define cudaStreamEndCapture                   cudaStreamEndCapture_ptsz
#define cudaStreamGetAttribute                 cudaStreamGetAttribute_ptsz
#define cudaStreamGetCaptureInfo               cudaStreamGetCaptureInfo_v2_ptsz
#define cudaStreamGetDevice                    cudaStreamGetDevice_ptsz
#define cudaStreamGetFlags                     cudaStreamGetFlags_ptsz
#define cudaStreamGetId                        cudaStreamGetId_ptsz
#define cudaStreamGetPriority                  cudaStreamGetPriority_ptsz
#define cudaStreamIsCapturing                  cudaStreamIsCapturing_ptsz
#define cudaStreamQuery                        cudaStreamQuery_ptsz
#define cudaStreamSetAttribute                 cudaStreamSetAttribute_ptsz
#define cudaStreamSynchronize                  cudaStreamSynchronize_ptsz
#define cudaStreamUpdateCaptureDependencies    cudaStreamUpdateCaptureDependencies_ptsz
#define cudaStreamWaitEvent                    cudaStreamWaitEvent_ptsz
#define cudaWaitExternalSemaphoresAsync        cudaWaitExternalSemaphoresAsync_v2_ptsz
#define cudaMemPrefetchAsync_v2                cudaMemPrefetchAsync_v2_ptsz
#define cudaStreamGetCaptureInfo_v3            cudaStreamGetCaptureInfo_v3_ptsz
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies_v2_ptsz

#endif
