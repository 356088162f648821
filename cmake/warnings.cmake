# SPDX-License-Identifier: Apache-2.0
# epochcast_warnings(TARGET): the warnings that all our code is compiled with.
function(epochcast_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor)
  if(EPOCHCAST_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
