// Boards that are run out: what the live can expect of the pots.
#include "games/texas_holdem/luck.h"

#include "games/texas_holdem/rules/eval.h"
#include "games/texas_holdem/rules/texas_holdem.h"

enum { SAMPLES = 400 }; // boards before the flop, where 1.7 million are too many

struct runout {
    const uint8_t (*cards)[2];
    const int32_t *total; // NULL: one pot of 1, and equal shares of it
    seat_set dealt, live;
    uint8_t board[5];
    double sum[HOLDEM_SEATS];
    uint64_t boards;
};

static void share_pot(struct runout *r, const int *strength, seat_set eligible, double pot)
{
    int best = -1, count = 0;
    for (unsigned rest = eligible; rest; rest &= rest - 1)
        best = strength[__builtin_ctz(rest)] > best ? strength[__builtin_ctz(rest)] : best;
    for (unsigned rest = eligible; rest; rest &= rest - 1)
        count += strength[__builtin_ctz(rest)] == best;
    for (unsigned rest = eligible; rest; rest &= rest - 1)
        if (strength[__builtin_ctz(rest)] == best)
            r->sum[__builtin_ctz(rest)] += pot / count;
}

// F6.T12: level by level. An odd chip is shared: it is luck too.
static void share_pots(struct runout *r, const int *strength)
{
    int32_t paid = 0;
    for (seat_set eligible = r->live; eligible;) {
        seat_set above;
        int32_t level = holdem_pot_level(r->total, eligible, &above), sum = 0;
        for (unsigned rest = r->dealt; rest; rest &= rest - 1) {
            int32_t total = r->total[__builtin_ctz(rest)];
            sum += total < level || !above ? total : level;
        }
        share_pot(r, strength, eligible, sum - paid);
        paid = sum;
        eligible = above;
    }
}

static void count_board(struct runout *r)
{
    int strength[HOLDEM_SEATS] = {0};
    uint8_t seven[7];
    memcpy(seven, r->board, 5);
    for (unsigned rest = r->live; rest; rest &= rest - 1) {
        memcpy(seven + 5, r->cards[__builtin_ctz(rest)], 2);
        strength[__builtin_ctz(rest)] = eval7(seven);
    }
    if (r->total)
        share_pots(r, strength);
    else
        share_pot(r, strength, r->live, 1);
    r->boards++;
}

// The referee knows all hands: the folded ones are no part of the deck either.
static int fill_deck(const struct runout *r, int count, uint8_t deck[CARDS_IN_DECK])
{
    uint64_t known = 0;
    int size = 0;
    for (unsigned rest = r->dealt; rest; rest &= rest - 1)
        for (int k = 0; k < 2; k++)
            known |= UINT64_C(1) << r->cards[__builtin_ctz(rest)][k];
    for (int i = 0; i < count; i++)
        known |= UINT64_C(1) << r->board[i];
    for (uint8_t card = 0; card < CARDS_IN_DECK; card++)
        if (!(known >> card & 1))
            deck[size++] = card;
    return size;
}

static void run_out(struct runout *r, int count, struct rng_draw *draw)
{
    uint8_t deck[CARDS_IN_DECK];
    int size = fill_deck(r, count, deck);
    if (count == 5) {
        count_board(r);
    } else if (count == 4) {
        for (int i = 0; i < size; i++) {
            r->board[4] = deck[i];
            count_board(r);
        }
    } else if (count == 3) {
        for (int i = 0; i < size; i++)
            for (int j = i + 1; j < size; j++) {
                r->board[3] = deck[i];
                r->board[4] = deck[j];
                count_board(r);
            }
    } else {
        for (int i = 0; i < SAMPLES; i++) {
            cards_draw(deck, size, 0, 5 - count, draw);
            memcpy(r->board + count, deck, (size_t)(5 - count));
            count_board(r);
        }
    }
    for (int i = 0; i < HOLDEM_SEATS; i++)
        r->sum[i] /= (double)r->boards;
}

void holdem_expect(const uint8_t cards[HOLDEM_SEATS][2], const int32_t *total, seat_set dealt, seat_set live,
                   const uint8_t *board, int count, struct rng_draw *draw, double out[HOLDEM_SEATS])
{
    struct runout r = {.cards = cards, .total = total, .dealt = dealt, .live = live};
    memcpy(r.board, board, (size_t)count);
    run_out(&r, count, draw);
    memcpy(out, r.sum, sizeof r.sum);
}

void holdem_equity(const uint8_t cards[HOLDEM_SEATS][2], seat_set dealt, seat_set live, const uint8_t *board, int count,
                   struct rng_draw *draw, double out[HOLDEM_SEATS])
{
    holdem_expect(cards, NULL, dealt, live, board, count, draw, out);
}
