# embed.cmake: writes a file as C source. -DIN=FILE -DNAME=SYMBOL -DOUT=FILE.c, with cmake -P. A missing file gives
# no bytes.
set(bytes)
if(EXISTS ${IN})
  file(READ ${IN} bytes HEX)
endif()
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT} "#include <stddef.h>\n
extern const char ${NAME}[];\nextern const size_t ${NAME}_size;\n
const char ${NAME}[] = {\n${bytes}0};\nconst size_t ${NAME}_size = sizeof ${NAME} - 1;\n")
