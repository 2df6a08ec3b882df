#include "games/texas_holdem/bots/play.h"

#include "games/texas_holdem/rules/eval.h"

struct game_action holdem_plain(int kind)
{
    return (struct game_action){.kind = (uint8_t)kind};
}

int holdem_count_opponents(const struct texas_holdem_view *v)
{
    int count = 0;
    for (int i = 0; i < v->seats; i++)
        count += i != v->viewer && holdem_has_cards(v, i);
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
float holdem_estimate_equity(const struct texas_holdem_view *v, int opponents, int trials, struct rng *dice)
{
    uint8_t deck[CARDS_IN_DECK];
    int count = cards_list_others(cards_set(v->hole, 2) | cards_set(v->board, v->board_count), deck);
    float sum = 0;
    struct rng_draw draw;
    rng_begin(&draw, dice);
    for (int i = 0; i < trials; i++)
        sum += deal_once(v, deck, count, opponents, &draw);
    return sum / (float)trials;
}

// A raise to the current bet plus `share` of the pot after calling, within the bounds. All-in where nothing is left.
struct game_action holdem_raise_by(const struct texas_holdem_view *v, float share)
{
    if (v->min_raise_to == 0)
        return holdem_plain(v->to_call ? HOLDEM_CALL : HOLDEM_CHECK);
    double to = (double)v->current_bet + (double)share * ((double)v->pot + v->to_call);
    if (to < v->min_raise_to)
        to = v->min_raise_to;
    if (to > 0.8 * v->max_raise_to) // so much committed that the rest follows
        return holdem_plain(HOLDEM_ALLIN);
    return (struct game_action){.kind = HOLDEM_RAISE, .amount = (int32_t)to};
}

struct game_action holdem_pass(const struct texas_holdem_view *v)
{
    return holdem_plain(v->to_call > 0 ? HOLDEM_FOLD : HOLDEM_CHECK);
}

// What a call costs, as a share of the pot it makes. Only what can be lost counts against those who have less.
float holdem_pot_odds(const struct texas_holdem_view *v)
{
    int32_t chips = v->chips[v->viewer], price = v->to_call < chips ? v->to_call : chips;
    return (float)price / (float)(v->pot + price);
}

// A call is listed with its price, and what is not listed is not played.
struct game_action holdem_as_listed(const struct bot_ask *ask, struct game_action a)
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
