// Opponents for beginners, as measured (N2): `plain` plays by its own odds and never raises without a strong hand;
// `novice` does the same with fewer samples and many mistakes.
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/play.h"

enum { LOOKS = 60 };

// Calls when the equity against random hands pays for it and raises little; does not believe any bet.
static struct game_action play_plainly(const struct bot_ask *ask)
{
    const struct texas_holdem_view *v = ask->view;
    int opponents = holdem_count_opponents(v);
    float equity = holdem_estimate_equity(v, opponents, LOOKS, ask->dice), fair = 1.0f / (float)(opponents + 1);
    if (equity > fair + 0.6f * (1 - fair) && v->current_bet <= INT64_C(4) * v->big_blind)
        return holdem_raise_by(v, 0.5f);
    return v->to_call == 0 || equity > holdem_pot_odds(v) ? holdem_plain(v->to_call ? HOLDEM_CALL : HOLDEM_CHECK)
                                                          : holdem_plain(HOLDEM_FOLD);
}

static struct game_action choose_plain(const struct bot_ask *ask)
{
    return holdem_as_listed(ask, play_plainly(ask));
}

static struct game_action choose_novice(const struct bot_ask *ask)
{
    if (rng_below(ask->dice, 100) < 20) // anything but all-in
        return ask->choices[rng_below(ask->dice, (uint32_t)(ask->count > 1 ? ask->count - 1 : 1))].first;
    return holdem_as_listed(ask, play_plainly(ask));
}

const struct bot texas_holdem_plain_bot = {.name = "plain", .game = "texas_holdem", .choose = choose_plain};
const struct bot texas_holdem_novice_bot = {.name = "novice", .game = "texas_holdem", .choose = choose_novice};
