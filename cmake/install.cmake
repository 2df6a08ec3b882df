# What a user gets: the program, its manual, completions, documents; and all of it as a Debian package.
include(GNUInstallDirs)

if(TARGET agon)
  install(TARGETS agon)
endif()
# The library for programs in C: libagon, its header, and where pkg-config finds both.
set_target_properties(libagon PROPERTIES PUBLIC_HEADER ${CMAKE_SOURCE_DIR}/include/agon.h)
file(RELATIVE_PATH to_prefix /any/${CMAKE_INSTALL_LIBDIR}/pkgconfig /any) # it may be installed anywhere
string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
configure_file(cmake/agon.pc.in ${CMAKE_BINARY_DIR}/agon.pc @ONLY)
install(TARGETS libagon LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/agon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES examples/vision.c examples/vision.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md)

install(DIRECTORY share/bots DESTINATION ${CMAKE_INSTALL_DATADIR}/agon) # B13.9: for launchers of bots
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

find_program(SCDOC scdoc)
file(GLOB manuals RELATIVE ${CMAKE_SOURCE_DIR}/man CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/man/*.scd)
if(NOT SCDOC)
  set(manuals)
endif()
foreach(source ${manuals})
  string(REGEX MATCH "^(.+[.]([1-8]))[.]scd$" page ${source})
  set(page ${CMAKE_BINARY_DIR}/${CMAKE_MATCH_1})
  add_custom_command(OUTPUT ${page} DEPENDS ${CMAKE_SOURCE_DIR}/man/${source} VERBATIM
                     COMMAND sh -c "${SCDOC} < ${CMAKE_SOURCE_DIR}/man/${source} > ${page}")
  list(APPEND pages ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${CMAKE_MATCH_2})
endforeach()
add_custom_target(manuals ALL DEPENDS ${pages})

# Each shell looks for its completions in a place, under a name of its own.
foreach(completion "agon.bash bash-completion/completions agon" "_agon zsh/site-functions _agon"
        "agon.fish fish/vendor_completions.d agon.fish")
  separate_arguments(completion)
  list(GET completion 0 file)
  list(GET completion 1 folder)
  list(GET completion 2 name)
  if(EXISTS ${CMAKE_SOURCE_DIR}/completions/${file})
    install(FILES completions/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name})
  endif()
endforeach()

# The unit of systemd: agon serve as a service, shut in.
configure_file(systemd/agon.service.in ${CMAKE_BINARY_DIR}/agon.service @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/agon.service DESTINATION lib/systemd/system)

set(CPACK_PACKAGE_NAME agon)
set(CPACK_PACKAGE_VENDOR "the agon authors")
set(CPACK_PACKAGE_CONTACT "the agon authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION games)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libhdf5-103-1) # loaded when a trajectory asks for it: nobody else would see it
include(CPack)
