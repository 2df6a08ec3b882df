# What a user gets: the program, its manual, completions, documents; and all of it as a Debian package.
include(GNUInstallDirs)

if(TARGET agon)
  install(TARGETS agon)
endif()
# The library for programs in C: libagon, its headers, and where pkg-config finds both.
set_target_properties(libagon PROPERTIES PUBLIC_HEADER "${CMAKE_SOURCE_DIR}/include/agon.h;${CMAKE_SOURCE_DIR}/include/agon_vision.h")
file(RELATIVE_PATH to_prefix /any/${CMAKE_INSTALL_LIBDIR}/pkgconfig /any) # it may be installed anywhere
string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
configure_file(cmake/agon.pc.in ${CMAKE_BINARY_DIR}/agon.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/libagon.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS libagon LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/agon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md) # as links of README.md expect

install(DIRECTORY share/bots DESTINATION ${CMAKE_INSTALL_DATADIR}/agon) # B13.9: for launchers of bots
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)

# packed(<to> <from>): a file made by gzip when the project is built, the same bytes every time.
find_program(GZIP gzip REQUIRED)
function(packed to from)
  add_custom_command(OUTPUT ${to} DEPENDS ${from} COMMAND sh -c "${GZIP} -9n < ${from} > ${to}" VERBATIM)
endfunction()

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
  packed(${page}.gz ${page})
  list(APPEND pages ${page}.gz)
  install(FILES ${page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man${CMAKE_MATCH_2})
endforeach()
# Where Debian's tools look for the changelog and the licence.
packed(${CMAKE_BINARY_DIR}/changelog.gz ${CMAKE_SOURCE_DIR}/CHANGELOG.md)
install(FILES ${CMAKE_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
add_custom_target(manuals ALL DEPENDS ${pages} ${CMAKE_BINARY_DIR}/changelog.gz)

# Each shell looks for completions in its own folder, under its own name.
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

# Sandboxed systemd units for agon serve and agon worker. They contain the path of the program, which is known only at
# installation (make install PREFIX=/usr, the package).
foreach(unit agon agon-worker)
  configure_file(systemd/${unit}.service.in ${CMAKE_BINARY_DIR}/${unit}.service.in COPYONLY)
  install(CODE "
    set(AGON \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/agon\")
    configure_file(\"${CMAKE_BINARY_DIR}/${unit}.service.in\" \"${CMAKE_BINARY_DIR}/${unit}.service\" @ONLY)")
  install(FILES ${CMAKE_BINARY_DIR}/${unit}.service DESTINATION lib/systemd/system)
endforeach()
if(AGON_TESTS)
  add_test(NAME install.unit COMMAND sh -c "${CMAKE_COMMAND} --install . --prefix /opt/place >/dev/null &&
           grep -q '^ExecStart=/opt/place/bin/agon serve' installed/opt/place/lib/systemd/system/agon.service &&
           grep -q '^ExecStart=/opt/place/bin/agon worker' installed/opt/place/lib/systemd/system/agon-worker.service")
  set_tests_properties(install.unit PROPERTIES ENVIRONMENT DESTDIR=${CMAKE_BINARY_DIR}/installed)
endif()

set(CPACK_PACKAGE_NAME agon)
set(CPACK_PACKAGE_VENDOR "the agon authors")
set(CPACK_PACKAGE_CONTACT "the agon authors <agon@agon.invalid>") # an address is demanded; there is none
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "referee between AI agents and games")
set(CPACK_PACKAGE_DESCRIPTION
    "agon deals, asks, checks, scores and records: an arena where agents
register, queue, play and are rated, and five deterministic games behind
one interface. Agents reach it over WebSocket, HTTP, the Model Context
Protocol and JSON lines.")
set(CPACK_SET_DESTDIR ON) # so that what is installed knows its prefix
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION misc)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libhdf5-103-1) # loaded when a trajectory asks for it: nobody else would see it
file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/triggers)
include(CPack)
