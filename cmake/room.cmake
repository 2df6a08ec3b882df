set(CHECK_PURE ${CMAKE_CURRENT_LIST_DIR}/../tools/check-pure)

# room(<path> [PURE] [DEPS room...] [LIBS library...]): one folder of src/, one library. A header of another room is
# on the include path only when that room is named in DEPS, so the compiler keeps the walls:
#
#   room(base PURE)                                room(games/coup/rules PURE DEPS game base)
#   room(crypto DEPS base LIBS OpenSSL::Crypto)    room(match PURE DEPS game base LIBS m)
#   room(game PURE DEPS base)                      room(front/arena DEPS match codec game net base)
#
# A file tables/<name>.c in the folder is a small program that writes C source, constant tables, into the file it is
# given when the project is built; what it writes becomes part of the room.
#
# Lower rooms come first. The target is the path with dots: games.coup.rules. Games are declared by a glob, so a new game
# needs no line.
function(room path)
  cmake_parse_arguments(R "PURE" "" "DEPS;LIBS" ${ARGN})
  string(REPLACE / . name ${path})
  list(TRANSFORM R_DEPS REPLACE / .)
  set(folder ${CMAKE_SOURCE_DIR}/src/${path})
  set(door ${CMAKE_BINARY_DIR}/rooms/${name}) # an include path with this room's headers in it and nothing else
  room_open_door()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
  room_tables()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${door})
  target_link_libraries(${name} PRIVATE ${R_DEPS} ${R_LIBS})
  add_test(NAME walls.${name} COMMAND sh -c "! grep -nE '# *include *\"[^\"]*[.][.]/' ${folder}/*.[ch]") # no tunnels
  if(path MATCHES "^game$|^games/[^/]+/rules$")
    target_compile_options(${name} PRIVATE -Wpadded) # a state has no holes
  endif()
  if(R_PURE OR path MATCHES "^games/") # rooms that compute
    separate_arguments(options UNIX_COMMAND "${AGON_COMPUTE_OPTIONS}")
    target_compile_options(${name} PRIVATE ${options})
  endif()
  if(R_PURE)
    room_keep_pure()
  endif()
endfunction()

# Header by header, not the folder: rooms below it (games/coup/rules) have doors of their own.
macro(room_open_door)
  file(GLOB headers RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/*.h)
  file(REMOVE_RECURSE ${door})
  file(MAKE_DIRECTORY ${door}/${path})
  foreach(header ${headers})
    file(CREATE_LINK ${folder}/${header} ${door}/${path}/${header} SYMBOLIC)
  endforeach()
endmacro()

macro(room_tables)
  file(GLOB makers CONFIGURE_DEPENDS ${folder}/tables/*.c)
  foreach(maker ${makers})
    cmake_path(GET maker STEM table)
    set(made ${CMAKE_BINARY_DIR}/tables/${name}/${table}.c)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tables/${name})
    add_executable(${name}.${table} ${maker})
    target_include_directories(${name}.${table} PRIVATE ${door})
    add_custom_command(OUTPUT ${made} DEPENDS ${name}.${table} COMMAND ${name}.${table} ${made} VERBATIM)
    list(APPEND sources ${made})
  endforeach()
endmacro()

# A pure room names only pure rooms, and check-pure reads its machine code, which an LTO build must keep.
macro(room_keep_pure)
  set_target_properties(${name} PROPERTIES PURE TRUE)
  foreach(dep ${R_DEPS})
    get_target_property(pure ${dep} PURE)
    if(NOT pure)
      message(FATAL_ERROR "${path} is PURE but names ${dep}, which is not")
    endif()
  endforeach()
  target_compile_options(${name} PRIVATE $<$<C_COMPILER_ID:GNU>:-ffat-lto-objects>)
  set(math)
  if(m IN_LIST R_LIBS)
    set(math -m)
  endif()
  list(TRANSFORM R_DEPS REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE lower)
  add_test(NAME pure.${name} COMMAND ${CHECK_PURE} ${math} $<TARGET_FILE:${name}> ${lower})
endmacro()

# program(<name> <path> DEPS room... LIBS library...): the folder that holds main and may see every room.
function(program name path)
  cmake_parse_arguments(R "" "" "DEPS;LIBS" ${ARGN})
  list(TRANSFORM R_DEPS REPLACE / .)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/*.c)
  set(folder ${CMAKE_SOURCE_DIR}/src/${path})
  set(door ${CMAKE_BINARY_DIR}/rooms/${path})
  room_open_door()
  list(FILTER sources EXCLUDE REGEX "/main[.]c$")
  add_library(${path} STATIC ${sources}) # all but main, so that tests reach it
  target_include_directories(${path} PUBLIC ${door})
  target_link_libraries(${path} PUBLIC ${R_DEPS} ${R_LIBS})
  add_executable(${name} ${CMAKE_SOURCE_DIR}/src/${path}/main.c)
  target_link_libraries(${name} PRIVATE ${path})
endfunction()

# room_test(<file below test/> DEPS room... LIBS library... [RUN command]): one file, one program, one test named after
# its path. RUN starts the program, given as the last word.
function(room_test file)
  cmake_parse_arguments(R "" "" "DEPS;LIBS;RUN" ${ARGN})
  list(TRANSFORM R_DEPS REPLACE / .)
  string(REGEX REPLACE "[.]c$" "" name ${file})
  string(REPLACE / . name ${name})
  add_executable(${name} ${CMAKE_SOURCE_DIR}/test/${file})
  target_compile_definitions(${name} PRIVATE TEST_DIR="${CMAKE_SOURCE_DIR}/test")
  target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/test) # games_found.h
  target_link_libraries(${name} PRIVATE ${R_DEPS} ${R_LIBS})
  add_test(NAME ${name} COMMAND ${R_RUN} $<TARGET_FILE:${name}>)
endfunction()

# room_embed(<path> file...): files that become part of the room, as bytes: rest.json is embedded_rest_json[] and
# embedded_rest_json_size.
function(room_embed path)
  string(REPLACE / . room ${path})
  foreach(file ${ARGN})
    cmake_path(GET file FILENAME symbol)
    string(REGEX REPLACE "[^a-z0-9]" _ symbol embedded_${symbol})
    set(made ${CMAKE_BINARY_DIR}/embedded/${room}/${symbol}.c)
    add_custom_command(OUTPUT ${made} DEPENDS ${CMAKE_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
                       COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_SOURCE_DIR}/${file} -DNAME=${symbol} -DOUT=${made}
                               -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
    target_sources(${room} PRIVATE ${made})
  endforeach()
endfunction()

# room_embed_table(<path> <game>): share/tables/GAME.table as bytes, and GAME_table (struct bot_table), which tells the
# game's bots where they are.
function(room_embed_table path game)
  string(REPLACE / . room ${path})
  room_embed(${path} share/tables/${game}.table)
  set(bytes embedded_${game}_table)
  set(made ${CMAKE_BINARY_DIR}/embedded/${room}/${game}_table.c)
  file(CONFIGURE OUTPUT ${made} CONTENT "#include \"bots/bot.h\"

extern const char ${bytes}[];
extern const size_t ${bytes}_size;
extern const struct bot_table ${game}_table;

const struct bot_table ${game}_table = {${bytes}, &${bytes}_size};
")
  target_sources(${room} PRIVATE ${made})
endfunction()

# room_embed_page(<path>): the built page (out/page, by tools/page) becomes part of the room. It is looked up when the
# project is built, not when it is configured; an absent one is the minimal page.
function(room_embed_page path)
  string(REPLACE / . room ${path})
  set(made ${CMAKE_BINARY_DIR}/embedded/${room}/page.c)
  set(manifest ${CMAKE_SOURCE_DIR}/out/page/manifest)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/out/page/stamp)
    file(WRITE ${CMAKE_SOURCE_DIR}/out/page/stamp "") # what ninja watches: tools/page writes it after the manifest
  endif()
  add_custom_command(OUTPUT ${made}
                     DEPENDS ${CMAKE_SOURCE_DIR}/out/page/stamp ${CMAKE_SOURCE_DIR}/page/minimal.html
                             ${CMAKE_SOURCE_DIR}/cmake/embed_page.cmake
                     COMMAND ${CMAKE_COMMAND} -DMANIFEST=${manifest} -DMINIMAL=${CMAKE_SOURCE_DIR}/page/minimal.html
                             -DOUT=${made} -P ${CMAKE_SOURCE_DIR}/cmake/embed_page.cmake VERBATIM)
  target_sources(${room} PRIVATE ${made})
endfunction()
