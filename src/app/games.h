// The games and bots of games/games.h, as commands name and list them.
#pragma once

#include "app/app.h"
#include "env/env.h"
#include "games/games.h"

const struct env_game *app_env_games(void); // as Game-RL environments; ends with a row without a game

// The same for a name on the command line. An unknown name ends the program with status 2, a suggestion and the list.
const struct game_kit *app_get_game(struct argp_state *state, const char *name);
const struct bot *app_get_bot(struct argp_state *state, const struct game_kit *g, const char *name);
const struct game_kit *app_require_game(const char *command, const char *name); // by app_refuse, without the list
const struct bot *app_require_bot(const char *command, const struct game_kit *g, const char *name); // by app_refuse
// The strongest house bot for decisions that arrive as text: one that needs only the choices, unless views can be read.
const struct bot *app_best_text_bot(const struct game_kit *g, bool has_view);

// Members of an open JSON object.
bool app_is_new_type(const struct codec *c,
                     const struct codec_action *a); // no earlier row has its type, since kinds may share one
void app_write_rules(struct text *t, const struct codec *c, const void *rules); // "rules":{..}
void app_write_payoffs(struct text *t, const int32_t *payoffs, int seats);      // "payoffs":[..]
void app_write_bots(struct text *t, const struct game_kit *g);                  // "bots":[..], the strongest first

// "this, that, ...", truncated if it does not fit.
void app_name_games(char *out, size_t room);
void app_name_bots(const struct game_kit *g, char *out, size_t room);
void app_name_levels(const struct game_kit *g, char *out, size_t room); // "house:1 random, ..."

// "no bot 'rulse' plays GAME; did you mean 'rules'? known: ...", truncated likewise.
void app_name_unknown_bot(const struct game_kit *g, const char *name, char *out, size_t room);
