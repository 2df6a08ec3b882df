// Malagasy Belote: what the files of this folder give to its descriptor.
#pragma once

#include "kit/kit.h"

extern const struct env_facts belote_environment;
extern const struct render_picture belote_picture;
extern const struct contest_facts belote_contest;
extern const struct game_kit belote_kit;
