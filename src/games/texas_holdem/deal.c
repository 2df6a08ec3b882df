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

enum { DRAWN_BY_TWO = 9 };

typedef uint8_t lanes __attribute__((vector_size(16)));

// What swapping i with place[i], one after the other, brings to each place of an ordered deck: followed back through
// the earlier swaps, all cards side by side. A card taken from where an earlier one was taken is the one moved there.
static lanes follow_swaps(lanes place)
{
    const lanes index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    lanes card = place;
#pragma GCC unroll 8
    for (uint8_t k = DRAWN_BY_TWO - 1; k-- > 0;) {
        lanes taken = (place[k] - (lanes){0}) | (lanes)(index <= k); // 255, no place, for those drawn before
        card ^= (card ^ k) & (lanes)(card == taken);
    }
    return card;
}

// The same cards as by shuffle. All of them come from one block, so their places are found first, side by side; should
// one of the draws have to be repeated, which one hand in ten million has, shuffle does it.
void holdem_draw_two(const struct texas_holdem_state *s, uint8_t drawn[16])
{
    uint32_t word[RNG_BLOCK_WORDS];
    lanes place = {0};
    bool uneven = false;
    rng_first_block(&s->chance, s->hand, word);
#pragma GCC unroll 9
    for (uint32_t i = 0; i < DRAWN_BY_TWO; i++) {
        uint64_t wide = (uint64_t)word[i] * (CARDS_IN_DECK - i);
        place[i] = (uint8_t)(i + (uint32_t)(wide >> 32));
        uneven |= (uint32_t)wide < CARDS_IN_DECK;
    }
    if (__builtin_expect(uneven, 0)) {
        uint8_t deck[CARDS_IN_DECK];
        shuffle(&s->chance, s->hand, DRAWN_BY_TWO, deck);
        memcpy(drawn, deck, DRAWN_BY_TWO);
        return;
    }
    place = follow_swaps(place);
    memcpy(drawn, &place, sizeof place);
}

static void deal(const uint8_t *deck, const struct texas_holdem_state *s, uint8_t hole[HOLDEM_SEATS][2],
                 uint8_t board[5])
{
    int players = __builtin_popcount(s->dealt);
    deal_hole(deck, players, s->dealt, s->button, hole);
    memcpy(board, deck + 2 * players, 5);
}

struct holdem_cards holdem_look(const struct texas_holdem_state *s)
{
    struct holdem_cards cards = {0};
    if (s->drawn) {
        memcpy(cards.hole, s->hole, sizeof cards.hole);
        memcpy(cards.board, s->runout, sizeof cards.board);
        return cards;
    }
    uint8_t deck[CARDS_IN_DECK];
    shuffle(&s->chance, s->hand, 2 * __builtin_popcount(s->dealt) + 5, deck);
    deal(deck, s, cards.hole, cards.board);
    return cards;
}

void holdem_draw(struct texas_holdem_state *s)
{
    struct holdem_cards cards = holdem_look(s);
    memcpy(s->hole, cards.hole, sizeof s->hole);
    memcpy(s->runout, cards.board, sizeof s->runout);
    s->drawn = 1;
}

void holdem_draw_stacked(struct texas_holdem_state *s)
{
    deal(s->stacked, s, s->hole, s->runout);
    memset(s->stacked, 0, sizeof s->stacked);
    s->has_stacked = 0;
    s->drawn = 1;
}

void holdem_draw_last(struct texas_holdem_state *s)
{
    uint8_t deck[CARDS_IN_DECK];
    struct holdem_last *last = &s->last;
    if (last->drawn || last->number == 0)
        return;
    int players = __builtin_popcount(last->dealt);
    shuffle(&s->chance, last->number, 2 * players + last->board_count, deck);
    deal_hole(deck, players, last->dealt, last->button, last->cards);
    memset(last->board, CARD_NONE, sizeof last->board);
    memcpy(last->board, deck + 2 * players, last->board_count);
    last->drawn = 1;
}
