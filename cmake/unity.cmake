# SPDX-License-Identifier: Apache-2.0
# epochcast_unity_by_folder(): compiles the files of a folder together, in every target that has not said otherwise
# (UNITY_BUILD). Most of a file's compile time goes into headers, and what these instantiate. Names in anonymous
# namespaces have to be unique within a folder, then.
include(cmake/targets.cmake)

function(epochcast_unity_by_folder)
  epochcast_targets(${PROJECT_SOURCE_DIR} "^(EXECUTABLE|STATIC_LIBRARY)$" targets)
  foreach(target ${targets})
    get_target_property(unity ${target} UNITY_BUILD)
    if(NOT unity STREQUAL "unity-NOTFOUND")
      continue()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    get_target_property(home ${target} SOURCE_DIR)
    foreach(source ${sources})
      if(NOT source MATCHES "\\.cpp$")
        continue()
      endif()
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${home} NORMALIZE)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(MAKE_C_IDENTIFIER ${folder} group)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endforeach()
endfunction()
