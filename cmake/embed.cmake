# embed.cmake: writes a file as C source. -DIN=FILE -DNAME=SYMBOL -DOUT=FILE.c, with cmake -P.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT} "#include <stddef.h>\n
extern const char ${NAME}[];\nextern const size_t ${NAME}_size;\n
const char ${NAME}[] = {\n${bytes}0};\nconst size_t ${NAME}_size = sizeof ${NAME} - 1;\n")
# embed(<target> <file> <symbol>): the bytes of a file of the tree as `const char <symbol>[]`, ended by NUL, in a room.
# So that what is data for others (protocol/) is the same data for the program.
function(embed target file symbol)
  set(path ${CMAKE_SOURCE_DIR}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/embedded/${symbol}.c CONTENT
       "extern const char ${symbol}[];\nconst char ${symbol}[] = {${bytes}0};\n")
  target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/embedded/${symbol}.c)
endfunction()
