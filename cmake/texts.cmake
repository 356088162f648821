# SPDX-License-Identifier: Apache-2.0
# Shell completion and manual pages: the program writes them from what its help says.
set(texts ${PROJECT_BINARY_DIR}/texts)
find_program(EPOCHCAST_GZIP gzip REQUIRED)
add_custom_command(OUTPUT ${texts}/bash ${texts}/zsh ${texts}/man1
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${texts}/man1
  COMMAND ${CMAKE_COMMAND} -E make_directory ${texts}
  COMMAND epochcast completion bash > ${texts}/bash
  COMMAND epochcast completion zsh > ${texts}/zsh
  COMMAND epochcast manual ${texts}/man1
  COMMAND sh -c "${EPOCHCAST_GZIP} --best --no-name ${texts}/man1/*.1"
  DEPENDS epochcast
  VERBATIM
  COMMENT "Writing shell completion and manual pages")
add_custom_target(epochcast_texts ALL DEPENDS ${texts}/bash ${texts}/zsh ${texts}/man1)
install(FILES ${texts}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME epochcast COMPONENT simulator)
install(FILES ${texts}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _epochcast COMPONENT simulator)
install(DIRECTORY ${texts}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT simulator)
