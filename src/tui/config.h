// The player's settings: lines "name = value" of a file (docs/tetris.md). A faulty line is reported and ignored.
#pragma once

#include "base/span.h"
#include "tui/input.h"
#include "tui/keys.h"

enum { CONFIG_KEYS_EACH = 6, CONFIG_ERROR_ROOM = 160 }; // keys that one action may have; bytes of a complaint

struct config {
    struct keys_timing timing;
    bool top;                                   // draw the field at the top of the window instead of the middle
    uint32_t code[PLAY_KEYS][CONFIG_KEYS_EACH]; // 0: none
};

typedef void (*config_complaint)(void *owner, int line, const char *what);

void config_defaults(struct config *c);
void config_read(struct config *c, struct span text, config_complaint complain, void *owner);
// $XDG_CONFIG_HOME/agon/tetris.conf, or ~/.config/agon/tetris.conf. False if neither is known.
bool config_path(char *path, size_t room);

enum play_key config_key(const struct config *c, uint32_t code);
// The name of the first key of an action, such as "space"; "-" when it has none.
const char *config_key_name(const struct config *c, enum play_key key, char room[8]);
