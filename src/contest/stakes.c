// What the verdict is about, game by game.
#include "contest/contest.h"
#include "games/belote/belote.h"
#include "games/tetris/tetris.h"
#include "games/texas_holdem/texas_holdem.h"

static double big_blind(const void *rules)
{
    return ((const struct texas_holdem_rules *)rules)->big_blind;
}

static double hundred_hands(const void *rules)
{
    return 100 / big_blind(rules);
}

static double one_game(const void *rules)
{
    return 1 / big_blind(rules);
}

static uint32_t count_hands(const void *view)
{
    return ((const struct texas_holdem_view *)view)->hands_completed;
}

static bool is_single_deal(const void *rules)
{
    return ((const struct belote_rules *)rules)->options & BELOTE_SINGLE_DEAL;
}

// A game that is not here is about winning, as is one whose condition does not hold.
static const struct {
    const struct game *game;
    bool (*when)(const void *rules); // NULL: always
    struct contest_stake stake, whole;
} rows[] = {
    {&texas_holdem_game,
     NULL,
     {.of = "chips",
      .unit = "bb/100",
      .part = "hand",
      .parts = "hands",
      .scale = hundred_hands,
      .count_parts = count_hands,
      .grain = big_blind,
      .least = COMPARE_LEAST_SKEWED,
      .is_net = true},
     {.of = "chips",
      .unit = "bb/game",
      .scale = one_game,
      .grain = big_blind,
      .least = COMPARE_LEAST_SKEWED,
      .is_net = true}},
    {&belote_game, is_single_deal, {.of = "points", .unit = "points/deal"}, {.of = "points", .unit = "points/deal"}},
    {&tetris_game, NULL, {.of = "score", .unit = "points/game"}, {.of = "score", .unit = "points/game"}},
};

const struct contest_stake contest_lines = {.of = "lines", .unit = "lines/game"};

const struct contest_stake *contest_find_stake(const struct game *g, const void *rules, bool whole)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].game == g && (!rows[i].when || rows[i].when(rules)))
            return whole ? &rows[i].whole : &rows[i].stake;
    return NULL;
}

const char *contest_about(const struct contest_plan *p)
{
    return p->stake ? p->stake->of : "wins";
}

const char *contest_unit(const struct contest_plan *p)
{
    return p->stake ? p->stake->unit : "score";
}

bool contest_has_parts(const struct contest_plan *p)
{
    return p->feats || (p->stake && p->stake->count_parts);
}

double contest_scale(const struct contest_plan *p)
{
    if (!p->stake)
        return 1;
    double meeting = contest_pairing_games(p), net = p->stake->is_net ? (meeting - 1) / meeting : 1;
    return net * (p->stake->scale ? p->stake->scale(&p->rules) : 1);
}
