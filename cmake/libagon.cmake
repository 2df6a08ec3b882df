# libagon: what programs in C link with (include/agon.h, include/agon_vision.h). It is the rooms vec and vision and what they
# need of the rooms below, and depends on nothing but libc, libm and threads.
set(parts games ${game_rooms} kit render codec house solve bots stats match game heap base)
list(TRANSFORM parts REPLACE / .)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libagon.map CONTENT "AGON_1 { global: agon_*; local: *; };\n")

add_library(libagon SHARED $<TARGET_OBJECTS:vec> $<TARGET_OBJECTS:vision>)
set_target_properties(libagon PROPERTIES OUTPUT_NAME agon VERSION 1.${PROJECT_VERSION} SOVERSION 1 LINKER_LANGUAGE C
                      LINK_DEPENDS ${CMAKE_BINARY_DIR}/libagon.map)
target_include_directories(libagon PUBLIC ${CMAKE_SOURCE_DIR}/include)
target_link_options(libagon PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/libagon.map)
target_link_libraries(libagon PRIVATE ${parts} m Threads::Threads)

# The shared and the static library are optimised at link time each, and so is the program: three times the same code.
option(AGON_LIBAGON "build libagon with all else; without it the targets libagon and libagon.static do" ON)
set(all ALL)
if(NOT AGON_LIBAGON)
  set(all)
  set_target_properties(libagon PROPERTIES EXCLUDE_FROM_ALL TRUE)
endif()

# The static library: one object in which all names but agon_* are local, so that it can meet any program.
set(objects $<TARGET_OBJECTS:vec> $<TARGET_OBJECTS:vision>)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
set(lto)
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  separate_arguments(lto UNIX_COMMAND "-flto=auto ${CMAKE_C_FLAGS_RELEASE} -flinker-output=nolto-rel")
endif()
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/libagon.a
  DEPENDS vec vision ${parts} ${archives}
  COMMAND ${CMAKE_C_COMPILER} ${lto} -r -nostdlib -o libagon.o ${objects} -Wl,--start-group ${archives} -Wl,--end-group
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden libagon.o
  COMMAND ${CMAKE_COMMAND} -E rm -f libagon.a
  COMMAND ${CMAKE_AR} rcs libagon.a libagon.o
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(libagon.static ${all} DEPENDS ${CMAKE_BINARY_DIR}/libagon.a)

# A program outside the tree, in C and in C++, built against what is installed.
if(AGON_TESTS)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  add_test(NAME gates.outside COMMAND ${CMAKE_SOURCE_DIR}/test/gates/outside ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER})
  set_tests_properties(gates.outside PROPERTIES ENVIRONMENT "BUILD_FLAGS=${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
endif()
