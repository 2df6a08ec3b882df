#include "games/texas_holdem/rules/hand.h"

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

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

typedef uint8_t lanes __attribute__((vector_size(16)));
typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t products __attribute__((vector_size(16)));

static const lanes own_places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static products multiply_even(words a, words b)
{
#ifdef __SSE4_1__
    return (products)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (products){(uint64_t)a[0] * b[0], (uint64_t)a[2] * b[2]};
#endif
}

enum { DRAWN_BY_LOT = 9 }; // cards: what two players need

// Of the 2^32 values of a word, as many as this are too many for each combination of its draws to be as likely.
#define SURPLUS(combinations) ((UINT64_C(1) << 32) % (combinations))

// Each word of a lot is a fraction: 52 times that, the whole part is U(52), and what is left is a fraction again. So
// the words draw U(52), U(51), ... U(44) in turns. False when a word is of the surplus, which its last fraction tells
// and one lot in a thousand is: used, it would favour some cards.
static bool draw_places(const uint32_t lot[2], lanes *places)
{
    const words below[] = {{52, 0, 51}, {50, 0, 49}, {48, 0, 47}, {46, 0, 45}, {44, 0, 1}};
    const products surplus = {SURPLUS(UINT32_C(52) * 50 * 48 * 46 * 44), SURPLUS(UINT32_C(51) * 49 * 47 * 45)};
    products drawn[5], left = {lot[0], lot[1]};
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        left = drawn[i] = multiply_even((words)left, below[i]);
    words early = __builtin_shufflevector((words)drawn[0], (words)drawn[1], 1, 3, 5, 7);
    words late = __builtin_shufflevector((words)drawn[2], (words)drawn[3], 1, 3, 5, 7);
    lanes eight =
        __builtin_shufflevector((lanes)early, (lanes)late, 0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
    *places = __builtin_shufflevector(eight, (lanes)drawn[4], 0, 1, 2, 3, 4, 5, 6, 7, 20, 9, 10, 11, 12, 13, 14, 15) +
              own_places;
    products under = (left & UINT32_MAX) - surplus;
    return (under[0] | under[1]) >> 63 == 0;
}

static lanes choose_lanes(lanes where, lanes yes, lanes no)
{
#ifdef __SSE4_1__
    return (lanes)_mm_blendv_epi8((__m128i)no, (__m128i)yes, (__m128i)where);
#else
    return no ^ ((no ^ yes) & where);
#endif
}

// What swapping i with place[i], one after the other, brings to each place of an ordered deck: followed back through
// the earlier swaps, all cards side by side. A card taken from where an earlier one was taken is the one moved there.
static lanes follow_swaps(lanes place)
{
    lanes card = place;
#pragma GCC unroll 8
    for (uint8_t k = DRAWN_BY_LOT - 1; k-- > 0;) {
        lanes taken = (place[k] - (lanes){0}) | (lanes)(own_places <= k); // 255, no place, for those drawn before
        card = choose_lanes((lanes)(card == taken), k - (lanes){0}, card);
    }
    return card;
}

void holdem_draw_lots(struct texas_holdem_state *s)
{
    rng_block(&s->chance, 0, (s->hand - 1) / HOLDEM_LOTS, s->lots);
}

static bool draw_by_lot(const struct texas_holdem_state *s, uint32_t hand, lanes *places)
{
    uint32_t word[RNG_BLOCK_WORDS];
    uint32_t block = (hand - 1) / HOLDEM_LOTS, at = 2 * ((hand - 1) % HOLDEM_LOTS);
    if (block == (s->hand - 1) / HOLDEM_LOTS && !s->cash)
        return draw_places(s->lots + at, places);
    rng_block(&s->chance, 0, block, word);
    return draw_places(word + at, places);
}

// F6.1: the lot of hand h draws its first cards, section h the others, and all of them in place of an unfair lot. Only
// the cards that can be needed are drawn.
static void shuffle(const struct texas_holdem_state *s, uint32_t hand, int count, uint8_t deck[CARDS_IN_DECK])
{
    lanes places;
    int drawn = draw_by_lot(s, hand, &places) ? DRAWN_BY_LOT : 0;
    struct rng section = rng_section(&s->chance, hand);
    struct rng_draw draw;
    rng_begin(&draw, &section);
    memcpy(deck, fresh, sizeof fresh);
    for (int i = 0; i < drawn; i++) {
        uint8_t card = deck[places[i]];
        deck[places[i]] = deck[i];
        deck[i] = card;
    }
    cards_draw(deck, CARDS_IN_DECK, drawn, count, &draw);
}

// The same cards as by shuffle.
struct holdem_nine holdem_draw_two(const struct texas_holdem_state *s)
{
    lanes places;
    bool fair = draw_places(s->lots + 2 * ((s->hand - 1) % HOLDEM_LOTS), &places);
    lanes card = follow_swaps(places);
    if (__builtin_expect(!fair, 0)) {
        uint8_t deck[CARDS_IN_DECK];
        shuffle(s, s->hand, DRAWN_BY_LOT, deck);
        memcpy(&card, deck, sizeof card);
    }
    return (struct holdem_nine){((products)card)[0], card[8]};
}

static void deal(const uint8_t *deck, const struct texas_holdem_state *s, uint8_t hole[HOLDEM_SEATS][2],
                 uint8_t board[5])
{
    int players = __builtin_popcount(s->dealt);
    deal_hole(deck, players, s->dealt, s->button, hole);
    memcpy(board, deck + 2 * players, 5);
}

struct holdem_cards holdem_cards_of(const struct texas_holdem_state *s)
{
    struct holdem_cards cards = {0};
    if (s->drawn) {
        memcpy(cards.hole, s->hole, sizeof cards.hole);
        memcpy(cards.board, s->runout, sizeof cards.board);
        return cards;
    }
    uint8_t deck[CARDS_IN_DECK];
    shuffle(s, s->hand, 2 * __builtin_popcount(s->dealt) + 5, deck);
    deal(deck, s, cards.hole, cards.board);
    return cards;
}

void holdem_draw(struct texas_holdem_state *s)
{
    struct holdem_cards cards = holdem_cards_of(s);
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
    shuffle(s, last->number, 2 * players + last->board_count, deck);
    deal_hole(deck, players, last->dealt, last->button, last->cards);
    memset(last->board, CARD_NONE, sizeof last->board);
    memcpy(last->board, deck + 2 * players, last->board_count);
    last->drawn = 1;
}
