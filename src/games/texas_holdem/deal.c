#include "games/texas_holdem/hand.h"

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
typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t products __attribute__((vector_size(16)));

static products multiply_even(words a, words b)
{
#ifdef __SSE4_1__
    return (products)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (products){(uint64_t)a[0] * b[0], (uint64_t)a[2] * b[2]};
#endif
}

static products multiply_odd(words a, words b)
{
    return multiply_even((words)((products)a >> 32), (words)((products)b >> 32));
}

// Four draws side by side. The upper halves of the products are what is drawn; a lower half so small that the draw may
// have to be repeated sets bits of `again`.
static words draw_four(const uint32_t word[4], words below, words *again)
{
    const words least = {CARDS_IN_DECK, 0, CARDS_IN_DECK, 0};
    words four;
    memcpy(&four, word, sizeof four);
    products even = multiply_even(four, below), odd = multiply_odd(four, below);
    *again |= (words)((words)even < least) | (words)((words)odd < least);
    return (words)(even >> 32 | odd >> 32 << 32);
}

// U(52), U(51), ... U(44), each counted from the place of its own card.
static lanes draw_places(const uint32_t word[RNG_BLOCK_WORDS], bool *uneven)
{
    words again = {0}, none = {0};
    words first = draw_four(word, (words){52, 51, 50, 49}, &again);
    words second = draw_four(word + 4, (words){48, 47, 46, 45}, &again);
    words last = draw_four(word + 8, (words){44}, &none);
    lanes all = (lanes)(first | second << 8 | last << 16);
    products two = (products)again;
    *uneven = (two[0] | two[1]) != 0 || word[8] * 44 < CARDS_IN_DECK;
    return __builtin_shufflevector(all, all, 0, 4, 8, 12, 1, 5, 9, 13, 2, 3, 3, 3, 3, 3, 3, 3);
}

static lanes choose(lanes where, lanes yes, lanes no)
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
    const lanes index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    lanes card = place;
#pragma GCC unroll 8
    for (uint8_t k = DRAWN_BY_TWO - 1; k-- > 0;) {
        lanes taken = (place[k] - (lanes){0}) | (lanes)(index <= k); // 255, no place, for those drawn before
        card = choose((lanes)(card == taken), k - (lanes){0}, card);
    }
    return card;
}

// The same cards as by shuffle. All of them come from one block, so their places are found first, side by side; should
// one of the draws have to be repeated, which one hand in ten million has, shuffle does it.
struct holdem_nine holdem_draw_two(const struct texas_holdem_state *s)
{
    uint32_t word[RNG_BLOCK_WORDS];
    bool uneven;
    rng_first_block(&s->chance, s->hand, word);
    lanes card = follow_swaps(draw_places(word, &uneven) + (lanes){0, 1, 2, 3, 4, 5, 6, 7, 8});
    if (__builtin_expect(uneven, 0)) {
        uint8_t deck[CARDS_IN_DECK];
        shuffle(&s->chance, s->hand, DRAWN_BY_TWO, deck);
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
