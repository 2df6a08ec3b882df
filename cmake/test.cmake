# What is tested: one file below test/, one program, one test named after its path.

# games_found.h: every folder of src/games/, as a list ended by NULL. A new game is included automatically.
set(rows)
set(includes "#include \"game/game.h\"\n#include <stddef.h>\n")
foreach(folder ${games})
  cmake_path(GET folder FILENAME game)
  string(APPEND includes "#include \"${folder}/rules/${game}.h\"\n")
  string(APPEND rows "&${game}_game, ")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test/games_found.h CONTENT
     "#pragma once\n${includes}\nstatic const struct game *const games_found[] = {${rows}NULL};\n")

# What several tests share.
file(GLOB support CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/support/*.c)
add_library(support STATIC ${support})
target_include_directories(support PUBLIC ${CMAKE_SOURCE_DIR}/test/support)
string(REPLACE / . seen_by_support "${rooms}")
target_link_libraries(support PUBLIC ${seen_by_support})

if(AGON_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
  file(GLOB_RECURSE tests RELATIVE ${CMAKE_SOURCE_DIR}/test CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/unit/*.c
       ${CMAKE_SOURCE_DIR}/test/golden/*.c ${CMAKE_SOURCE_DIR}/test/property/*.c)
  file(GLOB gates RELATIVE ${CMAKE_SOURCE_DIR}/test CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/gates/*.c)
  foreach(file ${tests} ${gates})
    set(seen support ${rooms})
    if(file MATCHES "^unit/") # it runs once: to optimise it takes longer than that. What it tests is optimised.
      set_source_files_properties(${CMAKE_SOURCE_DIR}/test/${file} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Debug>:-O0>)
    endif()
    if(file MATCHES "^unit/app/")
      list(PREPEND seen app)
    endif()
    room_test(${file} DEPS ${seen} LIBS PkgConfig::CMOCKA PkgConfig::JANSSON PkgConfig::PQ m)
  endforeach()
  foreach(folder ${games}) # side by side
    cmake_path(GET folder FILENAME game)
    add_test(NAME property.${game} COMMAND property.conformance ${game})
  endforeach()
  foreach(function malloc calloc realloc aligned_alloc posix_memalign free)
    target_link_options(gates.no_alloc PRIVATE -Wl,--wrap=${function})
    target_link_options(gates.no_alloc_lines PRIVATE -Wl,--wrap=${function})
  endforeach()
endif()

# The examples in C, as a user would build them: against the library alone.
if(AGON_TESTS)
  pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
  add_executable(example.vision ${CMAKE_SOURCE_DIR}/examples/vision.c)
  target_link_libraries(example.vision PRIVATE libagon PkgConfig::PNG)
endif()

if(AGON_TESTS)
  add_test(NAME style COMMAND ${CMAKE_SOURCE_DIR}/tools/lint style)
  add_test(NAME rules COMMAND ${CMAKE_SOURCE_DIR}/tools/check-rules)
  add_test(NAME paths COMMAND ${CMAKE_SOURCE_DIR}/tools/check-paths)
  add_test(NAME gates.paths COMMAND ${CMAKE_SOURCE_DIR}/test/gates/paths ${CMAKE_SOURCE_DIR}/tools/check-paths)
  add_test(NAME gates.rules COMMAND ${CMAKE_SOURCE_DIR}/test/gates/rules ${CMAKE_SOURCE_DIR}/tools/check-rules)
endif()

# Tests of the gates: a fault planted into correct rooms, the stage that must fail, and its message.
function(planted_fault fault stage message)
  set(rooms ${CMAKE_SOURCE_DIR}/test/gates/rooms)
  add_test(NAME gates.rooms.${fault} COMMAND ${rooms}/run ${CMAKE_BINARY_DIR}/gates/${fault}
           ${CMAKE_SOURCE_DIR}/cmake/room.cmake ${fault} ${stage} ${message} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} ${ARGN})
endfunction()

if(AGON_TESTS)
  set(lto -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON)
  planted_fault(sound none -)
  planted_fault(sound_lto none - ${lto})
  planted_fault(wrong_include build "dirty/dirty.h: No such file|'dirty/dirty.h' file not found")
  planted_fault(tunnel test "walls.games.toy.rules .*Failed")
  planted_fault(malloc test "not pure, it needs: malloc")
  planted_fault(malloc_lto test "not pure, it needs: malloc" ${lto})
  planted_fault(machine_code test "not pure, it needs: machine code" "-DTOY_OPTIONS=-flto -fno-fat-lto-objects")
  planted_fault(hole build "Wpadded|Werror=padded")
  planted_fault(impure_room configure "games/toy/rules is PURE but names dirty" "-DTOY_DEPS=dirty")
endif()

# The sanitizers of this build find a fault of each kind, and say where.
if(AGON_TESTS AND CMAKE_BUILD_TYPE STREQUAL Debug AND CMAKE_C_FLAGS_DEBUG MATCHES "sanitize=address,undefined")
  add_executable(gates.planted ${CMAKE_SOURCE_DIR}/test/gates/sanitizers/planted.c)
  separate_arguments(options UNIX_COMMAND "${AGON_COMPUTE_OPTIONS}") # an optimiser joins traps of several lines if it may
  target_compile_options(gates.planted PRIVATE ${options})
  add_test(NAME gates.sanitizers COMMAND ${CMAKE_SOURCE_DIR}/test/gates/sanitizers/run $<TARGET_FILE:gates.planted>)
endif()

# Each fuzzer starts from test/fuzz/corpus/<name>/ and keeps what it finds in the build folder.
if(AGON_FUZZ)
  file(GLOB fuzzers RELATIVE ${CMAKE_SOURCE_DIR}/test CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/fuzz/*.c)
  foreach(file ${fuzzers})
    room_test(${file} DEPS support app ${rooms} LIBS PkgConfig::JANSSON m -fsanitize=fuzzer
              RUN ${CMAKE_SOURCE_DIR}/tools/fuzz)
  endforeach()
endif()

# The same tests of the store on PostgreSQL, and those of PostgreSQL alone. They wait for leases to expire, so tools/test runs
# them separately, in parallel.
if(AGON_TESTS)
  set(parts "agents matches ratings durable" postgres nodes)
  foreach(part ${parts})
    separate_arguments(part)
    list(TRANSFORM part REPLACE "(.+)" "$<TARGET_FILE:unit.store.\\1>" OUTPUT_VARIABLE programs)
    list(GET part 0 name)
    add_test(NAME unit.store.on_postgres.${name} COMMAND ${CMAKE_SOURCE_DIR}/test/support/with-postgres
             ${CMAKE_SOURCE_DIR}/test/support/run-all ${programs})
    set_tests_properties(unit.store.on_postgres.${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS waits)
  endforeach()
  set_tests_properties(unit.bus.pubsub PROPERTIES SKIP_RETURN_CODE 77)
endif()

# The longest tests start first (ctest -j), so that no core waits for the last one. Names without a test are ignored.
set(long unit.bots.texas_holdem_solved unit.bots.belote_search unit.bots.tetris_beam unit.bots.liars_dice_solved unit.bots.styles
    unit.analysis.honest unit.app.observations unit.cluster.model unit.env.saves unit.env.trajectories unit.games.coup_players
    unit.front.arena.relay unit.bus.pubsub unit.contest.intervals property.pictures style)
foreach(test ${long})
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST 100)
  endif()
endforeach()
