// What browsers get of the rules, as bytes in the program: the WebAssembly modules of every game (wasm/) and the
// viewer of replays (page/src/rules/viewer). A build without clang, lld, binaryen and esbuild has none of them.
#pragma once

#include "base/span.h"

// GAME.wasm, GAME.bots.wasm, viewer.js, viewer.css, viewer.html; `at` is NULL when this build has no such file.
struct span browser_file(const char *name);
