// How likely hands are to win: known hands against each other and against hands that are not known, on a board of 0,
// 3, 4 or 5 cards. Every deal is counted when there are few enough of them, else some are drawn. It stands beside the
// bots because they need the evaluation tables as well, and the rules' module has no room to spare.
#include "game/cards.h"
#include "games/texas_holdem/rules/eval.h"
#include "wasm/bots/module.h"

#include <string.h>

enum { HANDS = GAME_MAX_SEATS, EXACT_DEALS = 2000000 };

struct odds {
    int known, unknown; // hands
    int board_count;
    uint8_t hole[HANDS][2];
    uint8_t board[5];
    uint8_t deck[CARDS_IN_DECK]; // cards that were not shown
    int left;
    bool used[CARDS_IN_DECK]; // by place in the deck
    uint64_t deals;
    uint64_t wins[HANDS];
    double share[HANDS];  // of the pot, summed
    int strength[HANDS];  // of the known hands on this board
    int best, best_count; // of the known hands
};

static bool take_cards(struct odds *o, const uint8_t *given)
{
    uint64_t seen = 0;
    for (int i = 0; i < 2 * o->known + o->board_count; i++) {
        if (given[i] >= CARDS_IN_DECK || seen >> given[i] & 1)
            return false;
        seen |= UINT64_C(1) << given[i];
    }
    memcpy(o->hole, given, 2 * (size_t)o->known);
    memcpy(o->board, given + 2 * o->known, (size_t)o->board_count);
    for (int card = 0; card < CARDS_IN_DECK; card++)
        if (!(seen >> card & 1))
            o->deck[o->left++] = (uint8_t)card;
    return true;
}

static int strength_of(const struct odds *o, const uint8_t hole[2])
{
    uint8_t cards[7];
    memcpy(cards, o->board, 5);
    memcpy(cards + 5, hole, 2);
    return eval7(cards);
}

static void rate_known(struct odds *o)
{
    o->best = -1;
    for (int h = 0; h < o->known; h++) {
        int strength = o->strength[h] = strength_of(o, o->hole[h]);
        o->best_count = strength > o->best ? 1 : o->best_count + (strength == o->best);
        o->best = strength > o->best ? strength : o->best;
    }
}

// One deal is whole: `rival` is the best of the unknown hands (-1: none), and so many have it.
static void count_deal(struct odds *o, int rival, int rivals)
{
    o->deals++;
    if (rival > o->best)
        return;
    int winners = o->best_count + (rival == o->best ? rivals : 0);
    for (int h = 0; h < o->known; h++) {
        if (o->strength[h] != o->best)
            continue;
        o->wins[h] += winners == 1;
        o->share[h] += 1.0 / winners;
    }
}

static void deal_unknown(struct odds *o, int missing, int rival, int rivals)
{
    if (missing == 0) {
        count_deal(o, rival, rivals);
        return;
    }
    for (int a = 0; a < o->left; a++) {
        if (o->used[a])
            continue;
        o->used[a] = true;
        for (int b = a + 1; b < o->left; b++) {
            if (o->used[b])
                continue;
            int strength = strength_of(o, (uint8_t[]){o->deck[a], o->deck[b]});
            int best = strength > rival ? strength : rival;
            int many = strength > rival ? 1 : rivals + (strength == rival);
            o->used[b] = true;
            deal_unknown(o, missing - 1, best, many);
            o->used[b] = false;
        }
        o->used[a] = false;
    }
}

static void deal_board(struct odds *o, int count, int from)
{
    if (count == 5) {
        rate_known(o);
        deal_unknown(o, o->unknown, -1, 0);
        return;
    }
    for (int i = from; i < o->left; i++) {
        o->used[i] = true;
        o->board[count] = o->deck[i];
        deal_board(o, count + 1, i + 1);
        o->used[i] = false;
    }
}

static void draw_deals(struct odds *o, unsigned samples, uint64_t seed)
{
    uint8_t key[RNG_KEY_BYTES] = {0};
    memcpy(key, &seed, sizeof seed);
    struct rng dice = rng_from_key(key);
    struct rng_draw draw;
    int missing = 5 - o->board_count;
    rng_begin(&draw, &dice);
    for (unsigned n = 0; n < samples; n++) {
        cards_draw(o->deck, o->left, 0, missing + 2 * o->unknown, &draw);
        memcpy(o->board + o->board_count, o->deck, (size_t)missing);
        rate_known(o);
        int rival = -1, rivals = 0;
        for (int i = 0; i < o->unknown; i++) {
            int strength = strength_of(o, o->deck + missing + 2 * i);
            rivals = strength > rival ? 1 : rivals + (strength == rival);
            rival = strength > rival ? strength : rival;
        }
        count_deal(o, rival, rivals);
    }
}

// How many deals there are, or more than EXACT_DEALS.
static uint64_t count_deals(const struct odds *o)
{
    uint64_t deals = 1;
    int left = o->left;
    for (int i = o->board_count, n = 1; i < 5; i++, n++)
        deals = deals * (uint64_t)left-- / (uint64_t)n;
    for (int i = 0; i < o->unknown && deals <= EXACT_DEALS; i++, left -= 2)
        deals *= (uint64_t)(left * (left - 1) / 2);
    return deals;
}

static uint8_t cards[CARDS_IN_DECK];
static struct {
    double deals;
    struct {
        double win, share;
    } hand[HANDS];
} result;

// Where the cards go (4 x rank + suit, from the two of clubs): two of each known hand, then the board.
uint8_t *EXPORT(odds_cards)(void)
{
    return cards;
}

// Numbers: how many deals, then for each known hand how often it wins alone and its share of the pot.
const void *EXPORT(odds_result)(void)
{
    return &result;
}

// 1: every deal was counted; 0: so many were drawn; -1: these are no hands and board.
int EXPORT(odds_count)(int known, int unknown, int board_count, unsigned samples, uint64_t seed)
{
    static struct odds o;
    o = (struct odds){.known = known, .unknown = unknown, .board_count = board_count};
    bool fits = known > 0 && unknown >= 0 && known + unknown > 1 && known + unknown <= HANDS && samples > 0 &&
                (board_count == 0 || (board_count >= 3 && board_count <= 5));
    if (!fits || !take_cards(&o, cards))
        return -1;
    bool exact = count_deals(&o) <= EXACT_DEALS;
    if (exact)
        deal_board(&o, board_count, 0);
    else
        draw_deals(&o, samples, seed);
    result.deals = (double)o.deals;
    for (int h = 0; h < known; h++) {
        result.hand[h].win = (double)o.wins[h] / result.deals;
        result.hand[h].share = o.share[h] / result.deals;
    }
    return exact;
}
