# SPDX-License-Identifier: Apache-2.0
# epochcast_folders(TARGET FOLDER...): files of these folders are included by their path from the project's root
# ("base/text/units.hpp"), and only by targets that link this one. Anything else does not compile.
function(epochcast_folders target)
  set(root ${PROJECT_BINARY_DIR}/include/${target})
  foreach(folder ${ARGN})
    cmake_path(GET folder PARENT_PATH parent)
    if(IS_SYMLINK ${root}/${parent})  # from before the parent was divided
      file(REMOVE ${root}/${parent})
    endif()
    file(MAKE_DIRECTORY ${root}/${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
  endforeach()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_include_directories(${target} INTERFACE ${root})
  else()
    target_include_directories(${target} PUBLIC ${root})
  endif()
endfunction()
