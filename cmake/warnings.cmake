# SPDX-License-Identifier: Apache-2.0
# epochcast_warnings(TARGET): the warnings that all our code is compiled with.
function(epochcast_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 reports these in std::string and boost::container on code that is fine (GCC PR 105329, 105580).
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overread)
  endif()
  if(EPOCHCAST_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
