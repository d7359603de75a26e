# SPDX-License-Identifier: Apache-2.0
# find_package(hostwarp): hostwarp as the CUDA toolkit (toolchain.cmake), and its libraries as hostwarp::cudart, hostwarp::cuda, hostwarp::nvrtc, hostwarp::nvJitLink and hostwarp::nvvm.
include("${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake")
foreach(_hostwarp_lib cuda cudart nvrtc nvJitLink nvvm)
  if(NOT TARGET hostwarp::${_hostwarp_lib})
    add_library(hostwarp::${_hostwarp_lib} SHARED IMPORTED)
    set_target_properties(hostwarp::${_hostwarp_lib} PROPERTIES IMPORTED_LOCATION "${hostwarp_ROOT_DIR}/lib/lib${_hostwarp_lib}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${hostwarp_ROOT_DIR}/include")
  endif()
endforeach()
unset(_hostwarp_lib)
