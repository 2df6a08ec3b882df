# The rules in the browser (wasm/, docs/decisions/026): two WebAssembly modules per game, build/wasm/GAME.wasm and
# build/wasm/GAME.bots.wasm. Debian's clang, lld, binaryen and esbuild make them; without these `agon replay html`
# and the rules of the page are missing; everything else works. GAME.table lies beside the modules of a game
# with a solved table: the one that they take (docs/decisions/065).
option(AGON_WASM "build the rules for browsers" ON)
find_program(WASM_CLANG clang)
find_program(WASM_LD NAMES wasm-ld wasm-ld-14)
find_program(WASM_OPT wasm-opt)
find_program(ESBUILD esbuild)
find_path(XXHASH_INCLUDE xxhash.h)

set(wasm_folder ${CMAKE_BINARY_DIR}/wasm)
set(page_export ${CMAKE_SOURCE_DIR}/out/page/export) # the page's replay screen, by tools/page, where it was built
# SIMD, bulk memory and sign extension: every browser since March 2023.
set(wasm_flags --target=wasm32 -std=gnu17 -Oz -flto -msimd128 -mbulk-memory -msign-ext -nostdlibinc -fvisibility=hidden -fno-slp-vectorize -fno-vectorize
    -isystem ${CMAKE_SOURCE_DIR}/wasm/libc/include -isystem ${wasm_folder}/include
    -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR})

# wasm_object(<variable> <tag> <file> flag...): one more object file in the list. What lies in src/ has been through two
# compilers with every warning; here the members that AGON_BROWSER spares would warn.
function(wasm_object list tag file)
  string(MAKE_C_IDENTIFIER ${file} name)
  set(object ${wasm_folder}/${tag}/${name}.o)
  set(warn -w)
  if(file MATCHES "^wasm/")
    set(warn -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror)
  endif()
  if(file STREQUAL wasm/libc/libc.c)
    list(APPEND ARGN -fno-lto) # the linker must find it when optimised code asks for it
  endif()
  add_custom_command(OUTPUT ${object} DEPENDS ${CMAKE_SOURCE_DIR}/${file} DEPFILE ${object}.d VERBATIM
                     COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${WASM_CLANG} ${wasm_flags} ${warn} ${ARGN} -MD -MF ${object}.d -c
                             ${CMAKE_SOURCE_DIR}/${file} -o ${object})
  set(${list} ${${list}} ${object} PARENT_SCOPE)
endfunction()

function(wasm_sources out)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
  file(GLOB found RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${patterns})
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# wasm_module(<game> <kind> <suffix> <objects of all games> folder...)
function(wasm_module game kind suffix shared)
  list(TRANSFORM ARGN APPEND /*.c OUTPUT_VARIABLE patterns)
  wasm_sources(files ${patterns})
  list(FILTER files EXCLUDE REGEX "/(arena.*|environment|contest|picture|rows|cfr|cfr_br|trainer|table_write|best_response|training_deals|push_fold|aivat|analysis)[.]c$|/games/[a-z_]+/solve[.]c$") # wires and the like
  file(MAKE_DIRECTORY ${wasm_folder}/${game}.${kind})
  set(objects)
  foreach(file ${files})
    wasm_object(objects ${game}.${kind} ${file} -DKIT=${game}_kit ${wasm_${kind}_flags} ${wasm_table_flags})
  endforeach()
  set(module ${wasm_folder}/${game}${suffix})
  # What only dropped code asks for stays undefined; the tests see that nothing is imported.
  add_custom_command(OUTPUT ${module} DEPENDS ${shared} ${objects} VERBATIM
                     COMMAND ${WASM_LD} --no-entry --gc-sections --allow-undefined --strip-all --lto-O3 -O2 -z stack-size=262144
                             ${shared} ${objects} -o ${module}.raw
                     COMMAND ${WASM_OPT} -Oz -Oz --low-memory-unused --enable-simd --enable-bulk-memory --enable-sign-ext ${module}.raw -o ${module})
  set(wasm_modules ${wasm_modules} ${module} PARENT_SCOPE)
endfunction()

# wasm_table(<game>): its solved table beside the modules, and what the module of the bots knows of it.
function(wasm_table game)
  set(table ${CMAKE_SOURCE_DIR}/share/tables/${game}.table)
  set(wasm_table_flags PARENT_SCOPE)
  if(NOT EXISTS ${table})
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(SIZE ${table} size)
  file(SHA256 ${table} digest)
  string(SUBSTRING ${digest} 0 16 digest)
  set(wasm_table_flags -DTABLE=${game}_table -DTABLE_SIZE=${size} -DTABLE_DIGEST=0x${digest}ull PARENT_SCOPE)
  add_custom_command(OUTPUT ${wasm_folder}/${game}.table DEPENDS ${table} VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E copy ${table} ${wasm_folder}/${game}.table)
  set(wasm_tables ${wasm_tables} ${wasm_folder}/${game}.table PARENT_SCOPE)
endfunction()

set(wasm_modules)
set(wasm_tables)
set(wasm_rules_flags -DAGON_BROWSER -DAGON_BROWSER_RULES)
set(wasm_bots_flags -DAGON_BROWSER)
if(AGON_WASM AND WASM_CLANG AND WASM_LD AND WASM_OPT AND ESBUILD AND XXHASH_INCLUDE)
  file(MAKE_DIRECTORY ${wasm_folder}/include ${wasm_folder}/rules ${wasm_folder}/bots)
  file(CREATE_LINK ${XXHASH_INCLUDE}/xxhash.h ${wasm_folder}/include/xxhash.h SYMBOLIC) # and nothing else of the host
  wasm_sources(files src/base/*.c src/game/*.c src/codec/codec.c src/codec/hands.c src/bots/*.c src/match/match.c
               src/match/replay*.c src/playback/*.c wasm/libc/*.c)
  list(REMOVE_ITEM files src/game/mask.c src/game/rows.c)
  foreach(file ${files})
    wasm_object(wasm_rules_shared rules ${file} ${wasm_rules_flags})
  endforeach()
  wasm_sources(files src/base/rng.c src/base/sha256.c src/base/text.c src/game/cards.c src/game/game.c src/game/hands.c src/bots/bot.c
               src/kit/kit.c src/solve/coder.c src/solve/policy.c wasm/libc/libc.c)
  foreach(file ${files})
    wasm_object(wasm_bots_shared bots ${file} ${wasm_bots_flags})
  endforeach()
  foreach(folder ${games})
    cmake_path(GET folder FILENAME game)
    wasm_module(${game} rules .wasm "${wasm_rules_shared}" src/${folder} src/${folder}/rules wasm/rules
                wasm/games/${game})
    wasm_table(${game})
    wasm_module(${game} bots .bots.wasm "${wasm_bots_shared}" src/${folder} src/${folder}/rules src/${folder}/bots wasm/bots
                wasm/bots/${game} wasm/games/${game})
    set(wasm_table_flags)
  endforeach()
  # The viewer of `agon replay html`, and the binding by itself for tests in Node.
  set(rules_sources ${CMAKE_SOURCE_DIR}/page/src/rules)
  file(GLOB scripts CONFIGURE_DEPENDS ${rules_sources}/*.ts ${rules_sources}/viewer/*.ts ${CMAKE_SOURCE_DIR}/page/src/pieces/field.ts)
  foreach(bundle "viewer/main.ts viewer.js iife" "index.ts rules.mjs esm")
    separate_arguments(bundle)
    list(GET bundle 0 entry)
    list(GET bundle 1 made)
    list(GET bundle 2 format)
    add_custom_command(OUTPUT ${wasm_folder}/${made} DEPENDS ${scripts} VERBATIM
                       COMMAND ${ESBUILD} ${rules_sources}/${entry} --bundle --minify --format=${format} --target=es2021
                               --log-level=warning --outfile=${wasm_folder}/${made})
    list(APPEND wasm_modules ${wasm_folder}/${made})
  endforeach()
  list(APPEND wasm_embedded ${wasm_modules} ${rules_sources}/viewer/viewer.css ${rules_sources}/viewer/viewer.html
       ${CMAKE_SOURCE_DIR}/page/src/export/page.html ${page_export}/page.js ${page_export}/page.css)
  list(REMOVE_ITEM wasm_embedded ${wasm_folder}/rules.mjs)
endif()
add_custom_target(wasm ALL DEPENDS ${wasm_modules} ${wasm_tables})

# All of it as bytes in the room browser.
set(rows)
set(externs)
foreach(file ${wasm_embedded})
  cmake_path(GET file FILENAME name)
  string(MAKE_C_IDENTIFIER embedded_${name} symbol)
  set(made ${wasm_folder}/embedded/${symbol}.c)
  set(watched ${file})
  string(FIND ${file} ${page_export}/ where)
  if(where EQUAL 0)
    set(watched ${CMAKE_SOURCE_DIR}/out/page/stamp)
  endif()
  add_custom_command(OUTPUT ${made} DEPENDS ${watched} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM
                     COMMAND ${CMAKE_COMMAND} -DIN=${file} -DNAME=${symbol} -DOUT=${made} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
  target_sources(browser PRIVATE ${made})
  string(APPEND externs "extern const char ${symbol}[];\nextern const size_t ${symbol}_size;\n")
  string(APPEND rows "    {\"${name}\", ${symbol}, &${symbol}_size},\n")
  string(REGEX REPLACE "[.]bots[.]wasm$" "" game ${name})
  if(EXISTS ${CMAKE_SOURCE_DIR}/wasm/bots/${game}/odds.c)
    string(APPEND rows "    {\"${game}.odds.wasm\", ${symbol}, &${symbol}_size},\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${wasm_folder}/embedded/table.c CONTENT
     "#include \"browser/table.h\"\n\n${externs}\nconst struct browser_row browser_table[] = {\n${rows}    {0},\n};\n")
target_sources(browser PRIVATE ${wasm_folder}/embedded/table.c)
