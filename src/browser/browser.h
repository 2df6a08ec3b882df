// What browsers get of the rules, as bytes in the program: the WebAssembly modules of every game (wasm/) and the
// viewers of replays (page/src/export, page/src/rules/viewer). A build without clang, lld, binaryen and esbuild has
// none of them.
#pragma once

#include "base/span.h"

// GAME.wasm, GAME.bots.wasm (GAME.odds.wasm is the same where it counts winning chances), viewer.js, viewer.css,
// viewer.html; page.html with page.js and page.css, the replay screen of the web page, which are empty when that was
// not built. `at` is NULL when this build has no such file.
struct span browser_file(const char *name);
