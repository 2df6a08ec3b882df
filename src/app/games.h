// The table of games: what the program can play, and with whom.
#pragma once

#include "app/app.h"
#include "bots/bot.h"
#include "codec/codec.h"
#include "contest/contest.h"
#include "front/mcp/rl.h"
#include "game/game.h"

struct app_game {
    const struct game *game;
    const struct codec *codec;
    const struct bot *const *bots;                 // that play it, the best first; ended by NULL
    int32_t (*points)(const void *view, int seat); // what a seat has won, finer than payoffs; NULL: the payoffs
    const char *unit_rules;                        // JSON: what makes one deal a game of its own; NULL: nothing does
    const char *first_rule;                        // the option that says which seat begins
    const char *mirror_rule;                // the option that makes deals equal whatever the players do; NULL: they are
    const struct contest_feat_kinds *feats; // what is counted besides winning; NULL: nothing
    int32_t (*target)(const void *rules);   // points that win a match; 0: it does not go to a target. NULL: never
};

extern const struct app_game app_games[]; // ended by a row without a game

const struct app_game *app_find_game(const char *name); // NULL when there is none
const struct bot *app_find_bot(const struct app_game *g, const char *name);
const struct rl_game *app_rl_games(void); // the same games as Game-RL environments, ended by a row without a game

// The same for a name on the command line: a stranger ends the program with status 2 and the names that are known.
const struct app_game *app_get_game(struct argp_state *state, const char *name);
const struct bot *app_get_bot(struct argp_state *state, const struct app_game *g, const char *name);

// As members of an open JSON object.
void app_write_words(struct text *t, const char *key, const char *const *words); // NULL: an empty array
bool app_is_new_type(const struct codec *c,
                     const struct codec_action *a); // no row before it has its type: kinds may share one
void app_write_bots(struct text *t, const struct app_game *g);

// "tetris, coup, ...": into `out`, cut when it does not fit.
void app_name_games(char *out, size_t room);
void app_name_bots(const struct app_game *g, char *out, size_t room);
