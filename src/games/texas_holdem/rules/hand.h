// The course of hands: dealing, betting rounds, pots, and what ends them. Inside the game only.
#pragma once

#include "games/texas_holdem/rules/texas_holdem.h"

void holdem_start_match(struct texas_holdem_state *s, struct game_events *out); // hand 1, until a seat is asked
// Ends a round of betting: streets, results and new hands, until a seat is asked or the match is over.
void holdem_play_on(struct texas_holdem_state *s, struct game_events *out);

// The steps of it. Deals a hand to s->dealt and posts ante and blinds; the seat of the big blind, after which the
// betting begins.
int holdem_start_hand(struct texas_holdem_state *s, struct game_events *out);
// Settles the pots of a finished hand: pays them out and fills s->last (F6.T11-F6.T13).
void holdem_settle(struct texas_holdem_state *s, struct game_events *out);

// heads_up.c: hands of two seats without events and without cards to keep.
void holdem_heads_up_start(struct texas_holdem_state *s);
int holdem_heads_up_play_on(struct texas_holdem_state *s); // OK
// A step of the asked seat, and what follows from it; ERR_ACTION when it may not do that.
int holdem_heads_up_step(struct texas_holdem_state *s, int seat, uint64_t action);

static inline bool holdem_is_heads_up(const struct texas_holdem_state *s, const struct game_events *out)
{
#ifdef __OPTIMIZE_SIZE__ // the rules in the browser: one way of playing is enough
    return false;
#endif
    return !out && s->seats == 2 && !(s->drawn | s->last.drawn | s->has_stacked | s->cash);
}

void holdem_record_action(const struct texas_holdem_state *s, int seat, int action, int32_t amount,
                          struct game_events *out);

static inline void holdem_emit_action(const struct texas_holdem_state *s, int seat, int action, int32_t amount,
                                      struct game_events *out)
{
    if (out)
        holdem_record_action(s, seat, action, amount, out);
}

// deal.c
void holdem_draw_lots(struct texas_holdem_state *s); // of the running hand and those drawn with it

static inline void holdem_count_hand(struct texas_holdem_state *s)
{
    if (s->hand++ % HOLDEM_LOTS == 0 && !s->cash)
        holdem_draw_lots(s);
}

struct holdem_cards {
    uint8_t hole[HOLDEM_SEATS][2];
    uint8_t board[5]; // as it will be
};

struct holdem_cards holdem_cards_of(const struct texas_holdem_state *s); // the cards of the running hand
void holdem_draw(struct texas_holdem_state *s);                          // keeps them in the state
void holdem_draw_last(struct texas_holdem_state *s);                     // and those of the last hand
void holdem_draw_stacked(struct texas_holdem_state *s);

// Nine cards as dealt to two players, the first in the lowest byte. In registers, which is faster than memory.
struct holdem_nine {
    uint64_t eight, ninth;
};
struct holdem_nine holdem_draw_two(const struct texas_holdem_state *s);

// rows.c
extern const struct game_rows holdem_rows;
struct game_action holdem_action(const void *state, int seat, int number); // of game_rows

// view.c
void holdem_view(const void *state, int viewer, void *view);
void holdem_vector(const void *view, float *out);
void holdem_imagine(void *state, const void *view, struct rng *dice);
void holdem_resample(void *state, int viewer, struct rng *dice);
const char *holdem_check(const void *state);

seat_set
holdem_leaders(const struct texas_holdem_state *s); // seats with most chips; in a cash match, that have won most

// By phase, up to the river; a hand that has ended says it itself.
static inline int holdem_board_count(const struct texas_holdem_state *s)
{
    return s->phase == HOLDEM_PREFLOP ? 0 : s->phase + 2;
}

static inline bool holdem_is_one(seat_set set)
{
    return (set & (set - 1u)) == 0;
}

static inline int32_t holdem_pot(const struct texas_holdem_state *s)
{
    int32_t pot = 0;
    for (unsigned rest = s->dealt; rest; rest &= rest - 1)
        pot += s->total[__builtin_ctz(rest)];
    return pot;
}

// F6.T10: alone with chips, one need not act once one's bet covers every other live bet. The current bet is the highest
// of them, but for a big blind that was posted short.
static inline bool holdem_covers(const struct texas_holdem_state *s, int seat)
{
    if (s->current_bet != s->big_blind)
        return s->bet[seat] >= s->current_bet;
    int32_t top = 0;
    for (unsigned rest = s->live; rest; rest &= rest - 1) {
        int32_t bet = s->bet[__builtin_ctz(rest)];
        top = bet > top ? bet : top;
    }
    return s->bet[seat] >= top;
}

// Asks the next of the pending after `seat`; false when the betting of this round is over.
static inline bool holdem_find_actor(struct texas_holdem_state *s, int seat)
{
    seat_set pending = s->pending;
    if (!pending || holdem_is_one(s->live))
        return false;
    if (holdem_is_one(s->able) && holdem_covers(s, __builtin_ctz(pending)))
        return false;
    s->actor = (uint8_t)game_next_seat(pending, seat);
    return true;
}

// F6.T6, F6.T7: what the asked seat may do.
struct holdem_bounds {
    int32_t to_call;
    int32_t min, max; // of a raise
    int32_t may_raise;
};

static inline struct holdem_bounds holdem_bounds_of(const struct texas_holdem_state *s, int seat)
{
    int32_t to_call = s->current_bet - s->bet[seat], min = s->current_bet + s->last_raise;
    int32_t max = s->bet[seat] + s->chips[seat];
    return (struct holdem_bounds){to_call, min, max, (min <= max) & !s->short_all_in}; // then chips > to_call, too
}
