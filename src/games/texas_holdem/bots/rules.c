#include "games/texas_holdem/bots/bots.h"

#include "games/texas_holdem/bots/play.h"

enum { TRIALS = 240 }; // deals that estimate an equity; each evaluates one hand more than there are opponents

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
    return (price < 1 ? price : 1) * (0.08f - 0.04f * ask->aggro);
}

// Nobody has raised yet: the chart. Raise the good ones, call with the fair ones.
static struct game_action open_pot(const struct bot_ask *ask, const struct texas_holdem_view *v)
{
    float rating = rate_hole(v->hole) + 2 * (ask->aggro - 0.5f), bar = 4.5f + tightness(v);
    if (rating >= bar + 1)
        return holdem_raise_by(v, 1);
    return rating >= bar && v->to_call ? holdem_plain(HOLDEM_CALL) : holdem_pass(v);
}

static struct game_action choose_preflop(const struct bot_ask *ask, const struct texas_holdem_view *v)
{
    if (v->current_bet <= v->big_blind && v->chips[v->viewer] > 8 * v->big_blind)
        return open_pot(ask, v);
    int opponents = v->current_bet <= v->big_blind ? holdem_count_opponents(v) : count_committed(v);
    float equity = holdem_estimate_equity(v, opponents, TRIALS, ask->dice), fair = 1.0f / (float)(opponents + 1);
    if (v->chips[v->viewer] <= 8 * v->big_blind) // too short to play on: all or nothing
        return equity > 1.15f * fair + belief(ask, v) ? holdem_plain(HOLDEM_ALLIN) : holdem_pass(v);
    if (equity > 1.4f * fair)
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
    if (equity > strong && v->to_call <= v->pot / 2)
        return holdem_raise_by(v, 0.6f);
    if (v->to_call > 0)
        return equity > holdem_pot_odds(v) ? holdem_plain(HOLDEM_CALL) : holdem_plain(HOLDEM_FOLD);
    // Now and then a bet with nothing, where only one can call.
    bool bluff = opponents == 1 && rng_below(ask->dice, 1000) < (uint32_t)(200 * ask->aggro);
    return bluff ? holdem_raise_by(v, 0.6f) : holdem_plain(HOLDEM_CHECK);
}

static struct game_action choose(const struct bot_ask *ask)
{
    const struct texas_holdem_view *v = ask->view;
    return holdem_as_listed(ask, v->phase == HOLDEM_PREFLOP ? choose_preflop(ask, v) : choose_postflop(ask, v));
}

const struct bot texas_holdem_rules_bot = {.name = "rules", .game = "texas_holdem", .choose = choose};
