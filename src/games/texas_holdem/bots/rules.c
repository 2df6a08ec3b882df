#include "games/texas_holdem/bots/bots.h"

#include "games/texas_holdem/bots/play.h"

enum { TRIALS = 240 }; // deals that estimate an equity; each evaluates one hand more than there are opponents

// N2.5, what a style changes.
struct manner {
    float bar;    // of a hand before the flop, on the scale of rate_hole
    float belief; // subtracted from the equity when there is a bet to call
    float bluff;  // share of bets with nothing, at the usual aggro
    bool calls;   // raises with the best hands alone, and calls with more
};

static struct manner manner_of(const struct bot_ask *ask)
{
    struct manner m = {.bluff = 0.2f};
    if (bot_leans(ask, BOT_TIGHT))
        m.bar += 2, m.belief += 0.06f;
    if (bot_leans(ask, BOT_LOOSE))
        m.bar -= 2, m.belief -= 0.06f;
    if (bot_leans(ask, BOT_BLUFFER))
        m.bluff = 0.8f;
    if (bot_leans(ask, BOT_CALLER))
        m.belief -= 0.12f, m.calls = true;
    return m;
}

// Two cards before the flop on a scale of 0..20: high cards, pairs twice, suits and neighbours a little, gaps less.
static float rate_hole(const uint8_t hole[2])
{
    static const float worth[] = {1, 1.5f, 2, 2.5f, 3, 3.5f, 4, 4.5f, 5, 6, 7, 8, 10};
    static const float gap_cost[] = {0, 0, 1, 2, 4, 5};
    int a = card_rank(hole[0]), b = card_rank(hole[1]);
    int high = a > b ? a : b, low = a > b ? b : a, gap = high - low;
    if (gap == 0)
        return 2 * worth[high] < 5 ? 5 : 2 * worth[high];
    float rating = worth[high] - gap_cost[gap < 5 ? gap : 5];
    rating += card_suit(hole[0]) == card_suit(hole[1]) ? 2 : 0;
    return gap <= 2 && high < 10 ? rating + 1 : rating; // room for a straight above
}

// How many players still act behind in later rounds: early positions need better hands.
static float tightness(const struct texas_holdem_view *v)
{
    static const float by_position[] = {
        [HOLDEM_BTN] = 0, [HOLDEM_SB] = 1,  [HOLDEM_BB] = 1, [HOLDEM_UTG] = 3, [HOLDEM_UTG1] = 3,
        [HOLDEM_MP] = 2,  [HOLDEM_MP1] = 2, [HOLDEM_HJ] = 1, [HOLDEM_CO] = 1,
    };
    int players = holdem_count_opponents(v) + 1;
    return by_position[v->position[v->viewer]] + 0.7f * (float)(players - 2);
}

// Whoever has matched the bet, or bet it: they hold something and are met at showdown.
static int count_committed(const struct texas_holdem_view *v)
{
    int count = 0;
    for (int i = 0; i < v->seats; i++)
        count += i != v->viewer &&
                 (v->status[i] == HOLDEM_ALL_IN || (v->status[i] == HOLDEM_ACTIVE && v->bet[i] == v->current_bet));
    return count ? count : 1;
}

// Equity against random hands flatters: the more a bettor asks for, the more he is believed.
static float belief(const struct bot_ask *ask, const struct texas_holdem_view *v)
{
    float price = (float)v->to_call / (float)(v->pot + 1);
    return (price < 1 ? price : 1) * (0.08f - 0.04f * ask->aggro) + (v->to_call ? manner_of(ask).belief : 0);
}

// Nobody has raised yet: the chart. Raise the good ones, call with the fair ones.
static struct game_action open_pot(const struct bot_ask *ask, const struct texas_holdem_view *v)
{
    struct manner m = manner_of(ask);
    float rating = rate_hole(v->hole) + 2 * (ask->aggro - 0.5f), bar = 4.5f + tightness(v) + m.bar;
    if (rating >= bar + (m.calls ? 6 : 1))
        return holdem_raise_by(v, 1);
    return rating >= bar - (m.calls ? 2 : 0) && v->to_call ? holdem_plain(HOLDEM_CALL) : holdem_pass(v);
}

// Too short to play on. Blinds may be so large that a multiple of them needs more than 32 bits.
static bool is_short(const struct texas_holdem_view *v)
{
    return v->chips[v->viewer] <= INT64_C(8) * v->big_blind;
}

static struct game_action choose_preflop(const struct bot_ask *ask, const struct texas_holdem_view *v)
{
    if (v->current_bet <= v->big_blind && !is_short(v))
        return open_pot(ask, v);
    int opponents = v->current_bet <= v->big_blind ? holdem_count_opponents(v) : count_committed(v);
    float equity = holdem_estimate_equity(v, opponents, TRIALS, ask->dice), fair = 1.0f / (float)(opponents + 1);
    if (is_short(v)) // all or nothing
        return equity > 1.15f * fair + belief(ask, v) ? holdem_plain(HOLDEM_ALLIN) : holdem_pass(v);
    if (equity > (manner_of(ask).calls ? 1.6f : 1.4f) * fair)
        return holdem_raise_by(v, 1);
    return equity > holdem_pot_odds(v) + belief(ask, v) ? holdem_plain(v->to_call ? HOLDEM_CALL : HOLDEM_CHECK)
                                                        : holdem_pass(v);
}

static struct game_action choose_postflop(const struct bot_ask *ask, const struct texas_holdem_view *v)
{
    int opponents = holdem_count_opponents(v);
    float equity = holdem_estimate_equity(v, opponents, TRIALS, ask->dice) - belief(ask, v),
          fair = 1.0f / (float)(opponents + 1);
    float strong = fair * (1.35f - 0.2f * (ask->aggro - 0.5f));
    if (equity > (1 + strong) / 2)
        return holdem_raise_by(v, 1);
    struct manner m = manner_of(ask);
    if (equity > strong && v->to_call <= v->pot / 2 && !m.calls)
        return holdem_raise_by(v, 0.6f);
    if (v->to_call > 0)
        return equity > holdem_pot_odds(v) ? holdem_plain(HOLDEM_CALL) : holdem_plain(HOLDEM_FOLD);
    // Now and then a bet with nothing, where only one can call.
    bool bluff = opponents == 1 && rng_below(ask->dice, 1000) < (uint32_t)(1000 * m.bluff * ask->aggro);
    return bluff && !m.calls ? holdem_raise_by(v, 0.6f) : holdem_plain(HOLDEM_CHECK);
}

static struct game_action choose(const struct bot_ask *ask)
{
    const struct texas_holdem_view *v = ask->view;
    return holdem_as_listed(ask, v->phase == HOLDEM_PREFLOP ? choose_preflop(ask, v) : choose_postflop(ask, v));
}

const struct bot texas_holdem_rules_bot = {.name = "rules",
                                           .game = "texas_holdem",
                                           .choose = choose,
                                           .knows = BOT_TIGHT | BOT_LOOSE | BOT_BLUFFER | BOT_CALLER};
