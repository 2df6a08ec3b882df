// The rules of one game as a WebAssembly module: the rooms below the program, a small C library, and these files.
// page/src/rules calls what is exported and turns it into objects. The house bots are a module of their own
// (wasm/bots), so that a page that only shows matches does not load them.
//
// A call that has an answer writes it into the module's output, as JSON unless it says otherwise, and returns its
// size; module_output() is where it lies until the next call. {"error":"..."} tells why there is none. What the caller
// gives (a replay, an action) it puts into module_input(size) first. An instance holds one replay or one match, and is
// dropped with it.
#pragma once

#include "playback/playback.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

extern struct text module_out;
extern struct loaded_replay module_replay;
extern struct playback module_playback;

struct span module_given(size_t size);                       // the first bytes of the input
const struct game_kit *module_kit(void);                     // the game and its codec; the rest is left out
const struct game_kit *module_find(struct loaded_replay *t); // for loaded_replay_read: this game or none

struct text *module_begin(void);            // an empty output
size_t module_end(void);                    // its size
size_t module_refuse(const char *sentence); // {"error":...}
size_t module_refuse_err(int err);          // the same in the words of base/err.h
size_t module_write_head(void);             // of what is shown: game, steps, names, rules
bool module_has_seat(int seat);             // of the replay or match
bool module_has_viewer(int viewer);         // a seat, or the spectator
