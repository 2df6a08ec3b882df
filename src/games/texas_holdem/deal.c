#include "games/texas_holdem/hand.h"

static const uint8_t fresh[CARDS_IN_DECK] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                                             18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
                                             36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51};

// F6.T4: one card each clockwise from left of the button, twice; the board comes next.
static void deal_hole(const uint8_t *deck, int players, seat_set ring, int button, uint8_t hole[HOLDEM_SEATS][2])
{
    for (int i = 0, seat = button; i < players; i++) {
        seat = game_next_seat(ring, seat);
        hole[seat][0] = deck[i];
        hole[seat][1] = deck[players + i];
    }
}

// F6.1: section h of the stream shuffles hand h. Only the cards that can be needed are drawn.
static void shuffle(const struct rng *chance, uint32_t hand, int count, uint8_t deck[CARDS_IN_DECK])
{
    struct rng section = rng_section(chance, hand);
    struct rng_draw draw;
    rng_begin(&draw, &section);
    memcpy(deck, fresh, sizeof fresh);
    cards_draw(deck, CARDS_IN_DECK, 0, count, &draw);
}

void holdem_draw(struct texas_holdem_state *s)
{
    uint8_t deck[CARDS_IN_DECK];
    if (s->drawn)
        return;
    int players = __builtin_popcount(s->dealt);
    if (s->has_stacked) {
        memcpy(deck, s->stacked, sizeof s->stacked);
        memset(s->stacked, 0, sizeof s->stacked);
        s->has_stacked = 0;
    } else {
        shuffle(&s->chance, s->hand, 2 * players + 5, deck);
    }
    deal_hole(deck, players, s->dealt, s->button, s->hole);
    memcpy(s->runout, deck + 2 * players, sizeof s->runout);
    s->drawn = 1;
}

void holdem_draw_last(struct texas_holdem_state *s)
{
    uint8_t deck[CARDS_IN_DECK];
    struct holdem_last *last = &s->last;
    if (last->drawn || last->number == 0)
        return;
    int players = __builtin_popcount(last->dealt);
    shuffle(&s->chance, last->number, 2 * players, deck);
    deal_hole(deck, players, last->dealt, last->button, last->cards);
    last->drawn = 1;
}
