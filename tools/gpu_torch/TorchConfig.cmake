# SPDX-License-Identifier: Apache-2.0
# A Python's LibTorch 2.x (TORCH_ROOT: its folder `torch`) for find_package(Torch), without the CUDA toolkit that its own
# TorchConfig.cmake asks for: nothing here compiles CUDA. Its libraries find CUDA's by run paths of their own.
file(READ ${TORCH_ROOT}/include/torch/csrc/api/include/torch/version.h torch_version LIMIT 4000)
if(torch_version MATCHES "TORCH_VERSION_MAJOR ([0-9]+)")
  set(Torch_VERSION ${CMAKE_MATCH_1})
endif()
set(TORCH_INCLUDE_DIRS ${TORCH_ROOT}/include ${TORCH_ROOT}/include/torch/csrc/api/include)

set(TORCH_LIBRARIES "")
foreach(name c10 c10_cuda torch_cpu torch_cuda torch)
  find_library(TORCH_LIBRARY_${name} ${name} PATHS ${TORCH_ROOT}/lib NO_DEFAULT_PATH)
  if(TORCH_LIBRARY_${name})
    add_library(epochcast_torch_${name} SHARED IMPORTED)
    set_target_properties(epochcast_torch_${name} PROPERTIES IMPORTED_LOCATION ${TORCH_LIBRARY_${name}})
    list(APPEND TORCH_LIBRARIES epochcast_torch_${name})
  endif()
endforeach()
add_library(epochcast_torch INTERFACE IMPORTED)
# torch_cuda has no symbol that anybody asks for: it registers its operations when it is loaded. What the libraries need of
# CUDA is looked for when a program starts.
set_target_properties(epochcast_torch PROPERTIES
  INTERFACE_LINK_OPTIONS "LINKER:--no-as-needed;LINKER:--allow-shlib-undefined"
  INTERFACE_COMPILE_DEFINITIONS "_GLIBCXX_USE_CXX11_ABI=1"
)
list(APPEND TORCH_LIBRARIES epochcast_torch)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Torch
  REQUIRED_VARS TORCH_LIBRARY_torch TORCH_LIBRARY_torch_cpu TORCH_LIBRARY_c10 TORCH_INCLUDE_DIRS VERSION_VAR Torch_VERSION)
