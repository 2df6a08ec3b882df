# What is measured: each test/bench/*.c is a program bench.<name>; test/bench/servers.mjs runs them.
file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/bench/*.c)
list(TRANSFORM rooms REPLACE / . OUTPUT_VARIABLE seen)
foreach(file ${benches})
  cmake_path(GET file STEM name)
  add_executable(bench.${name} ${file})
  target_link_libraries(bench.${name} PRIVATE ${seen})
endforeach()
