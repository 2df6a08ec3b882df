# What is tested: one file below test/, one program, one test named after its path.
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

if(AGON_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
  file(GLOB_RECURSE tests RELATIVE ${CMAKE_SOURCE_DIR}/test CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/unit/*.c
       ${CMAKE_SOURCE_DIR}/test/golden/*.c ${CMAKE_SOURCE_DIR}/test/property/*.c)
  file(GLOB gates RELATIVE ${CMAKE_SOURCE_DIR}/test CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/gates/*.c)
  foreach(file ${tests} ${gates})
    room_test(${file} DEPS ${rooms} LIBS PkgConfig::CMOCKA PkgConfig::JANSSON m)
  endforeach()
endif()

# Each fuzzer starts from test/fuzz/corpus/<name>/ and keeps what it finds in the build folder.
if(AGON_FUZZ)
  file(GLOB fuzzers RELATIVE ${CMAKE_SOURCE_DIR}/test CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/fuzz/*.c)
  foreach(file ${fuzzers})
    room_test(${file} DEPS ${rooms} LIBS PkgConfig::JANSSON m -fsanitize=fuzzer RUN ${CMAKE_SOURCE_DIR}/tools/fuzz)
  endforeach()
endif()
