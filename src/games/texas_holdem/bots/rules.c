#include "games/texas_holdem/bots/bots.h"

#include "games/texas_holdem/rules/eval.h"
#include "games/texas_holdem/rules/texas_holdem.h"

enum { TRIALS = 240 }; // deals that estimate an equity; each evaluates one hand more than there are opponents

// N2.5, what a style changes.
struct manner {
    float bar;    // of a hand before the flop, on the scale of rate_hole
    float belief; // taken off the equity when somebody asks for chips
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

static struct game_action plain(int kind)
{
    return (struct game_action){.kind = (uint8_t)kind};
}

static int count_opponents(const struct texas_holdem_view *v)
{
    int count = 0;
    for (int i = 0; i < v->seats; i++)
        count += i != v->viewer && (v->status[i] == HOLDEM_ACTIVE || v->status[i] == HOLDEM_ALL_IN);
    return count;
}

// One deal of all that is hidden: 1 for a win, a share for a tie, 0 for a loss.
static float deal_once(const struct texas_holdem_view *v, uint8_t *deck, int count, int opponents,
                       struct rng_draw *draw)
{
    int missing = 5 - v->board_count, equals = 1;
    uint8_t cards[7];
    cards_draw(deck, count, 0, missing + 2 * opponents, draw);
    memcpy(cards, v->board, v->board_count);
    memcpy(cards + v->board_count, deck, (size_t)missing);
    memcpy(cards + 5, v->hole, 2);
    int own = eval7(cards);
    for (int i = 0; i < opponents; i++) {
        memcpy(cards + 5, deck + missing + 2 * i, 2);
        int other = eval7(cards);
        if (other > own)
            return 0;
        equals += other == own;
    }
    return 1.0f / (float)equals;
}

// The share of the pot that the hand wins against random hands of the opponents.
static float estimate_equity(const struct texas_holdem_view *v, int opponents, struct rng *dice)
{
    uint8_t deck[CARDS_IN_DECK];
    uint64_t known = UINT64_C(1) << v->hole[0] | UINT64_C(1) << v->hole[1];
    int count = 0;
    float sum = 0;
    struct rng_draw draw;
    for (int i = 0; i < v->board_count; i++)
        known |= UINT64_C(1) << v->board[i];
    for (uint8_t card = 0; card < CARDS_IN_DECK; card++)
        if (!(known >> card & 1))
            deck[count++] = card;
    rng_begin(&draw, dice);
    for (int i = 0; i < TRIALS; i++)
        sum += deal_once(v, deck, count, opponents, &draw);
    return sum / TRIALS;
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

// A raise to the current bet plus `share` of the pot after calling, within the bounds. All-in where nothing is left.
static struct game_action raise_by(const struct texas_holdem_view *v, float share)
{
    if (v->min_raise_to == 0)
        return plain(v->to_call ? HOLDEM_CALL : HOLDEM_CHECK);
    double to = (double)v->current_bet + (double)share * ((double)v->pot + v->to_call);
    if (to < v->min_raise_to)
        to = v->min_raise_to;
    if (to > 0.8 * v->max_raise_to) // so much committed that the rest follows
        return plain(HOLDEM_ALLIN);
    return (struct game_action){.kind = HOLDEM_RAISE, .amount = (int32_t)to};
}

static struct game_action pass(const struct texas_holdem_view *v)
{
    return plain(v->to_call > 0 ? HOLDEM_FOLD : HOLDEM_CHECK);
}

// How many players still act behind in later rounds: early positions need better hands.
static float tightness(const struct texas_holdem_view *v)
{
    static const float by_position[] = {
        [HOLDEM_BTN] = 0, [HOLDEM_SB] = 1,  [HOLDEM_BB] = 1, [HOLDEM_UTG] = 3, [HOLDEM_UTG1] = 3,
        [HOLDEM_MP] = 2,  [HOLDEM_MP1] = 2, [HOLDEM_HJ] = 1, [HOLDEM_CO] = 1,
    };
    int players = count_opponents(v) + 1;
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

// What a call costs, as a share of the pot it makes. Only what can be lost counts against those who have less.
static float pot_odds(const struct texas_holdem_view *v)
{
    int32_t chips = v->chips[v->viewer], price = v->to_call < chips ? v->to_call : chips;
    return (float)price / (float)(v->pot + price);
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
        return raise_by(v, 1);
    return rating >= bar - (m.calls ? 2 : 0) && v->to_call ? plain(HOLDEM_CALL) : pass(v);
}

static struct game_action choose_preflop(const struct bot_ask *ask, const struct texas_holdem_view *v)
{
    if (v->current_bet <= v->big_blind && v->chips[v->viewer] > 8 * v->big_blind)
        return open_pot(ask, v);
    int opponents = v->current_bet <= v->big_blind ? count_opponents(v) : count_committed(v);
    float equity = estimate_equity(v, opponents, ask->dice), fair = 1.0f / (float)(opponents + 1);
    if (v->chips[v->viewer] <= 8 * v->big_blind) // too short to play on: all or nothing
        return equity > 1.15f * fair + belief(ask, v) ? plain(HOLDEM_ALLIN) : pass(v);
    if (equity > (manner_of(ask).calls ? 1.6f : 1.4f) * fair)
        return raise_by(v, 1);
    return equity > pot_odds(v) + belief(ask, v) ? plain(v->to_call ? HOLDEM_CALL : HOLDEM_CHECK) : pass(v);
}

static struct game_action choose_postflop(const struct bot_ask *ask, const struct texas_holdem_view *v)
{
    int opponents = count_opponents(v);
    float equity = estimate_equity(v, opponents, ask->dice) - belief(ask, v), fair = 1.0f / (float)(opponents + 1);
    float strong = fair * (1.35f - 0.2f * (ask->aggro - 0.5f));
    if (equity > (1 + strong) / 2)
        return raise_by(v, 1);
    struct manner m = manner_of(ask);
    if (equity > strong && v->to_call <= v->pot / 2 && !m.calls)
        return raise_by(v, 0.6f);
    if (v->to_call > 0)
        return equity > pot_odds(v) ? plain(HOLDEM_CALL) : plain(HOLDEM_FOLD);
    // Now and then a bet with nothing, where only one can call.
    bool bluff = opponents == 1 && rng_below(ask->dice, 1000) < (uint32_t)(1000 * m.bluff * ask->aggro);
    return bluff && !m.calls ? raise_by(v, 0.6f) : plain(HOLDEM_CHECK);
}

// A call is listed with its price, and what is not listed is not played.
static struct game_action as_listed(const struct bot_ask *ask, struct game_action a)
{
    for (int i = 0; i < ask->count; i++)
        if (ask->choices[i].first.kind == a.kind) {
            if (a.kind != HOLDEM_RAISE)
                return ask->choices[i].first;
            if (a.amount >= ask->choices[i].first.amount && a.amount <= ask->choices[i].max_amount)
                return a;
        }
    return ask->fallback;
}

static struct game_action choose(const struct bot_ask *ask)
{
    const struct texas_holdem_view *v = ask->view;
    return as_listed(ask, v->phase == HOLDEM_PREFLOP ? choose_preflop(ask, v) : choose_postflop(ask, v));
}

const struct bot texas_holdem_rules_bot = {.name = "rules",
                                           .game = "texas_holdem",
                                           .choose = choose,
                                           .knows = BOT_TIGHT | BOT_LOOSE | BOT_BLUFFER | BOT_CALLER};
