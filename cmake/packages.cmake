# SPDX-License-Identifier: Apache-2.0
# Packages for Debian, a file for each component: `epochcast` is the simulator with its catalogue, `epochcast-training`
# the programs that train and measure, with LibTorch and Open MPI. The second needs the first, and so is everything.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME epochcast)
set(CPACK_PACKAGE_VENDOR "Epochcast")
# The maintainer of a package is its builder: as for Debian's own tools, of DEBFULLNAME and DEBEMAIL, else of Git.
# Without either cpack refuses, and names CPACK_PACKAGE_CONTACT.
find_program(EPOCHCAST_GIT git)
function(epochcast_contact_part variable environment key)
  set(part "$ENV{${environment}}")
  if(NOT part AND EPOCHCAST_GIT)
    execute_process(COMMAND ${EPOCHCAST_GIT} config ${key} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      OUTPUT_VARIABLE part OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${variable} "${part}" PARENT_SCOPE)
endfunction()
epochcast_contact_part(contact_name DEBFULLNAME user.name)
epochcast_contact_part(contact_email DEBEMAIL user.email)
set(contact "")
if(contact_name AND contact_email)
  set(contact "${contact_name} <${contact_email}>")
endif()
set(EPOCHCAST_CONTACT "${contact}" CACHE STRING "maintainer of packages that are built here: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${EPOCHCAST_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # it would precede the components' own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# dpkg-shlibdeps finds the libraries that programs link.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# Files that Debian asks of every package: authors, licence and changes.
set(doc ${PROJECT_BINARY_DIR}/doc)
file(MAKE_DIRECTORY ${doc})
set(chart_js ${PROJECT_SOURCE_DIR}/analysis/pages/web/chart.js.licence)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${chart_js})
file(READ ${chart_js} chart_js_licence)
string(REGEX REPLACE "^.*\n(Permission is hereby granted)" "\\1" chart_js_licence "${chart_js_licence}")
string(STRIP "${chart_js_licence}" chart_js_licence)
string(REPLACE "\n\n" "\n.\n" chart_js_licence "${chart_js_licence}")
string(REPLACE "\n" "\n " chart_js_licence "${chart_js_licence}")
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: epochcast

Files: *
Copyright: The Epochcast authors
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.

Files: usr/bin/epochcast
Copyright: The Epochcast authors
 2014-2022 Chart.js Contributors
 2018-2021 Jukka Kurkela
License: Apache-2.0 and Expat
Comment: the pages that this program writes and serves hold Chart.js 3.9.1 (https://www.chartjs.org)
 and the library @kurkle/color that is part of it.

License: Expat
 ${chart_js_licence}
")
add_custom_command(OUTPUT ${doc}/changelog.gz ${doc}/changelog.Debian.gz
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${doc}/changelog
  COMMAND sh ${PROJECT_SOURCE_DIR}/tools/debian_changelog.sh ${PROJECT_VERSION} ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    "${EPOCHCAST_CONTACT}" > ${doc}/changelog.Debian
  COMMAND ${EPOCHCAST_GZIP} --best --no-name --force ${doc}/changelog ${doc}/changelog.Debian
  DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/tools/debian_changelog.sh
  VERBATIM)
add_custom_target(epochcast_package_documents ALL DEPENDS ${doc}/changelog.gz ${doc}/changelog.Debian.gz)
install(FILES ${doc}/copyright ${doc}/changelog.gz ${doc}/changelog.Debian.gz
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/epochcast COMPONENT simulator)

set(CPACK_COMPONENTS_ALL simulator)
set(CPACK_DEBIAN_SIMULATOR_PACKAGE_NAME epochcast)
set(CPACK_DEBIAN_SIMULATOR_DESCRIPTION
  "forecasts of epoch times of data-parallel training
Epochcast simulates data-parallel training of neural networks on clusters that
mix CPUs, GPUs and links of different speeds, under each of several training
strategies: measured costs of batches and a model of the cluster go in, a
ranking of strategies comes out. It comes with a catalogue of platforms,
devices, networks and data sets.")
set(CPACK_DEBIAN_SIMULATOR_PACKAGE_SUGGESTS epochcast-training)
if(EPOCHCAST_REAL)
  list(APPEND CPACK_COMPONENTS_ALL training)
  install(FILES ${doc}/copyright ${doc}/changelog.gz ${doc}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/epochcast-training COMPONENT training)
  set(CPACK_DEBIAN_TRAINING_PACKAGE_NAME epochcast-training)
  set(CPACK_DEBIAN_TRAINING_DESCRIPTION
    "data-parallel training, for real and on simulated clusters
The programs with which Epochcast trains with LibTorch and Open MPI, on real
machines and on the clock of simulated ones, and measures what batches and
messages take.")
  set(CPACK_DEBIAN_TRAINING_PACKAGE_DEPENDS "epochcast (= ${PROJECT_VERSION}-1), openmpi-bin")
endif()
include(CPack)
