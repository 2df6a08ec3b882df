#include "app/games.h"

#include "bots/belote.h"
#include "bots/coup.h"
#include "bots/liars_dice.h"
#include "bots/tetris.h"
#include "bots/texas_holdem.h"
#include "codec/belote.h"
#include "codec/coup.h"
#include "codec/liars_dice.h"
#include "codec/tetris.h"
#include "codec/texas_holdem.h"
#include "games/belote/belote.h"
#include "games/coup/coup.h"
#include "games/liars_dice/liars_dice.h"
#include "games/tetris/tetris.h"
#include "games/texas_holdem/texas_holdem.h"

#include <stdio.h>
#include <string.h>

// A game is one row here and three includes above; its bots end with the two that play anything.
#define BOTS(...) ((const struct bot *const[]){__VA_ARGS__, &bot_random, &bot_fallback, NULL})

static int32_t match_target(const void *rules)
{
    const struct belote_rules *r = rules;
    return r->options & BELOTE_SINGLE_DEAL ? 0 : r->target;
}

const struct app_game app_games[] = {
    {&tetris_game, &tetris_codec, BOTS(&tetris_rules_bot), NULL, NULL, NULL, NULL, NULL, NULL},
    {&texas_holdem_game, &texas_holdem_codec, BOTS(&texas_holdem_rules_bot), NULL, "{\"max_hands\":1}", "button", NULL,
     NULL, NULL},
    {&liars_dice_game, &liars_dice_codec, BOTS(&liars_dice_rules_bot), NULL, NULL, "starter", NULL, NULL, NULL},
    {&coup_game, &coup_codec, BOTS(&coup_rules_bot), NULL, NULL, "starter", NULL, NULL, NULL},
    {&belote_game, &belote_codec, BOTS(&belote_search_bot, &belote_rules_bot, &belote_calc_bot), contest_belote_points,
     "{\"single_deal\":true,\"colour_sweep_points\":25}", "dealer", "equal_deals", &contest_belote_feats, match_target},
    {0},
};

const struct app_game *app_find_game(const char *name)
{
    for (const struct app_game *g = app_games; g->game; g++)
        if (strcmp(g->game->name, name) == 0)
            return g;
    return NULL;
}

const struct bot *app_find_bot(const struct app_game *g, const char *name)
{
    for (const struct bot *const *b = g->bots; *b; b++)
        if (strcmp((*b)->name, name) == 0)
            return *b;
    return NULL;
}

// G22.10: random, fallback, rules, search; who does not search goes by the rules.
const struct rl_game *app_rl_games(void)
{
    static struct rl_game rows[sizeof app_games / sizeof *app_games];
    for (int i = 0; app_games[i].game; i++) {
        const struct app_game *g = &app_games[i];
        const struct bot *rules = app_find_bot(g, "rules"), *search = app_find_bot(g, "search");
        rows[i] = (struct rl_game){g->game, g->codec, {&bot_random, &bot_fallback, rules, search ? search : rules}};
    }
    return rows;
}

static void name_one(char *out, size_t room, const char *name)
{
    size_t used = strlen(out);
    snprintf(out + used, room - used, "%s%s", used ? ", " : "", name);
}

void app_name_games(char *out, size_t room)
{
    out[0] = 0;
    for (const struct app_game *g = app_games; g->game; g++)
        name_one(out, room, g->game->name);
}

void app_name_bots(const struct app_game *g, char *out, size_t room)
{
    out[0] = 0;
    for (const struct bot *const *b = g->bots; *b; b++)
        name_one(out, room, (*b)->name);
}

void app_write_words(struct text *t, const char *key, const char *const *words)
{
    json_key(t, key);
    json_begin_array(t);
    for (; words && *words; words++)
        json_write_text(t, *words);
    json_end_array(t);
}

bool app_is_new_type(const struct codec *c, const struct codec_action *a)
{
    for (const struct codec_action *before = c->actions; before < a; before++)
        if (before->master == a->master && strcmp(before->type, a->type) == 0)
            return false;
    return true;
}

void app_write_bots(struct text *t, const struct app_game *g)
{
    json_key(t, "bots");
    json_begin_array(t);
    for (const struct bot *const *b = g->bots; *b; b++)
        json_write_text(t, (*b)->name);
    json_end_array(t);
}

const struct app_game *app_get_game(struct argp_state *state, const char *name)
{
    const struct app_game *g = app_find_game(name);
    if (!g) {
        char known[256];
        app_name_games(known, sizeof known);
        argp_failure(state, APP_USAGE, 0, "unknown game '%s'; known: %s", name, known);
    }
    return g;
}

const struct bot *app_get_bot(struct argp_state *state, const struct app_game *g, const char *name)
{
    const struct bot *b = app_find_bot(g, name);
    if (!b) {
        char known[256];
        app_name_bots(g, known, sizeof known);
        argp_failure(state, APP_USAGE, 0, "unknown bot '%s' for %s; known: %s", name, g->game->name, known);
    }
    return b;
}
