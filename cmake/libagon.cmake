# libagon: what programs in C link with (include/agon.h, include/agon_vision.h). It is the rooms vec and vision and what they
# need of the rooms below, and depends on nothing but libc, libm and threads.
set(parts games ${game_rooms} kit render codec bots match game base)
list(TRANSFORM parts REPLACE / .)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libagon.map CONTENT "AGON_1 { global: agon_*; local: *; };\n")

add_library(libagon SHARED $<TARGET_OBJECTS:vec> $<TARGET_OBJECTS:vision>)
set_target_properties(libagon PROPERTIES OUTPUT_NAME agon VERSION 1.${PROJECT_VERSION} SOVERSION 1 LINKER_LANGUAGE C
                      LINK_DEPENDS ${CMAKE_BINARY_DIR}/libagon.map)
target_include_directories(libagon PUBLIC ${CMAKE_SOURCE_DIR}/include)
target_link_options(libagon PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/libagon.map)
target_link_libraries(libagon PRIVATE ${parts} m Threads::Threads)
