# SPDX-License-Identifier: Apache-2.0
# CMake takes hostwarp as its CUDA toolkit, and nothing of another one: cmake -DCMAKE_TOOLCHAIN_FILE=.../lib/cmake/hostwarp/toolchain.cmake, or find_package(hostwarp) before CUDA is enabled.
cmake_policy(PUSH)
cmake_policy(VERSION 3.18)      # IN_LIST
get_filename_component(hostwarp_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER "${hostwarp_ROOT_DIR}/bin/nvcc" CACHE FILEPATH "The CUDA compiler")
endif()
set(CUDAToolkit_ROOT "${hostwarp_ROOT_DIR}")
set(CUDA_TOOLKIT_ROOT_DIR "${hostwarp_ROOT_DIR}")    # FindCUDA, of old projects

# FindCUDAToolkit looks for a library in the system's folders, too, where it is not in the toolkit's. What is empty is not looked for.
foreach(_hostwarp_lib cudart cudart_static cudadevrt culibos cublas cublasLt cublas_static cublasLt_static cufft cufftw cufft_static cufftw_static cufft_static_nocallback cufile cufile_static
    cufile_rdma cufile_rdma_static curand curand_static cusolver cusolver_static cusolver_lapack_static cusolver_metis_static cusparse cusparse_static cupti cupti_static nvperf_host
    nvperf_host_static nvperf_target pcsamplingutil nvrtc nvrtc_static nvrtc_builtins nvrtc_builtins_static nvJitLink nvJitLink_static nvptxcompiler_static nvfatbin nvfatbin_static nvgraph
    nvgraph_static nvjpeg nvjpeg_static nvml nvidia-ml nvToolsExt npp nppc nppial nppicc nppicom nppidei nppif nppig nppim nppist nppisu nppitc npps nppc_static nppial_static nppicc_static
    nppidei_static nppif_static nppig_static nppim_static nppist_static nppisu_static nppitc_static npps_static cudla cuinj64 cudnn)
  if(NOT EXISTS "${hostwarp_ROOT_DIR}/lib/lib${_hostwarp_lib}.so" AND NOT EXISTS "${hostwarp_ROOT_DIR}/lib/lib${_hostwarp_lib}.a")
    set(CUDA_${_hostwarp_lib}_LIBRARY "" CACHE FILEPATH "hostwarp has no such library")
    mark_as_advanced(CUDA_${_hostwarp_lib}_LIBRARY)
  endif()
endforeach()

# Programs find the libraries again, also those that the host's compiler links.
foreach(_hostwarp_path CMAKE_BUILD_RPATH CMAKE_INSTALL_RPATH)
  if(NOT "${hostwarp_ROOT_DIR}/lib" IN_LIST ${_hostwarp_path})
    list(APPEND ${_hostwarp_path} "${hostwarp_ROOT_DIR}/lib")
  endif()
endforeach()
unset(_hostwarp_path)
unset(_hostwarp_lib)
cmake_policy(POP)
