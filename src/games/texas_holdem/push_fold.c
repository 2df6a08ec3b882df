#include "games/texas_holdem/push_fold.h"

#include "base/rng.h"

#include <string.h>

enum { N = BUCKET_CLASSES, ROUNDS = 300, PUSH_FOLD_BOARDS = 1712304 }; // boards that two hands leave

// ---- Odds -----------------------------------------------------------------------------------------------------------

static void count_pairs(struct push_fold_count *c, const struct bucket_board *b)
{
    uint8_t class[BUCKET_BOARD_HANDS];
    uint64_t cards[BUCKET_BOARD_HANDS];
    for (int j = 1, n = 0; j < 47; j++)
        for (int i = 0; i < j; i++, n++) {
            class[n] = (uint8_t)bucket_class((const uint8_t[]){b->card[i], b->card[j]});
            cards[n] = UINT64_C(1) << b->card[i] | UINT64_C(1) << b->card[j];
        }
    for (int i = 1; i < BUCKET_BOARD_HANDS; i++) {
        uint32_t *score = c->score[class[i]], *pairs = c->pairs[class[i]];
        for (int j = 0; j < i; j++) {
            uint32_t apart = !(cards[i] & cards[j]);
            uint32_t won = (uint32_t)(b->strength[i] > b->strength[j]) + (b->strength[i] >= b->strength[j]);
            score[class[j]] += won & -apart;
            pairs[class[j]] += apart;
        }
    }
}

void push_fold_count_boards(struct push_fold_count *c, uint64_t seed, uint32_t from, uint32_t to)
{
    struct rng root = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32), 0x70757368}};
    struct bucket_board b;
    for (uint32_t number = from; number < to; number++) {
        struct rng stream = rng_section(&root, number);
        struct rng_draw draw;
        uint8_t deck[CARDS_IN_DECK];
        rng_begin(&draw, &stream);
        for (uint8_t i = 0; i < CARDS_IN_DECK; i++)
            deck[i] = i;
        cards_draw(deck, CARDS_IN_DECK, 0, 5, &draw);
        bucket_fill_board(&b, deck);
        count_pairs(c, &b);
    }
}

static int list_hands(uint8_t class[BUCKET_HANDS], uint64_t cards[BUCKET_HANDS])
{
    int n = 0;
    for (uint8_t b = 1; b < CARDS_IN_DECK; b++)
        for (uint8_t a = 0; a < b; a++, n++) {
            class[n] = (uint8_t)bucket_class((const uint8_t[]){a, b});
            cards[n] = UINT64_C(1) << a | UINT64_C(1) << b;
        }
    return n;
}

static void count_ways(uint32_t ways[N][N]) // to deal both
{
    static _Thread_local uint8_t class[BUCKET_HANDS];
    static _Thread_local uint64_t cards[BUCKET_HANDS];
    int n = list_hands(class, cards);
    memset(ways, 0, sizeof(uint32_t[N][N]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            ways[class[i]][class[j]] += !(cards[i] & cards[j]);
}

// ---- Every board ----------------------------------------------------------------------------------------------------

enum { WIDE = 176, SUIT_ORDERS = 24 }; // classes, for whole registers

static uint64_t swap_suits(uint64_t cards, int order)
{
    uint64_t out = 0;
    int left[4] = {0, 1, 2, 3}, to[4], ways = SUIT_ORDERS;
    for (int suit = 0; suit < 4; suit++) {
        ways /= 4 - suit;
        int pick = order / ways % (4 - suit);
        to[suit] = left[pick];
        for (; pick < 3; pick++)
            left[pick] = left[pick + 1];
    }
    for (; cards; cards &= cards - 1) {
        int card = __builtin_ctzll(cards);
        out |= UINT64_C(1) << (card - card % 4 + to[card % 4]);
    }
    return out;
}

// How many boards are this one with other suits, where it is the lowest of them; 0: it is not.
static uint32_t count_alike(uint64_t board)
{
    uint32_t same = 0;
    for (int order = 0; order < SUIT_ORDERS; order++) {
        uint64_t other = swap_suits(board, order);
        if (other < board)
            return 0;
        same += other == board;
    }
    return SUIT_ORDERS / same;
}

struct ranking {
    uint16_t order[BUCKET_BOARD_HANDS]; // of hands, weakest first
    uint8_t class[BUCKET_BOARD_HANDS], card[BUCKET_BOARD_HANDS][2];
    uint8_t weaker[WIDE], holding[CARDS_IN_DECK][WIDE]; // hands so far by class; of them, those with a card
    uint16_t score[N][WIDE];
};

static void rank_hands(struct ranking *r, const struct bucket_board *b)
{
    for (int j = 1, n = 0; j < 47; j++)
        for (int i = 0; i < j; i++, n++) {
            r->card[n][0] = b->card[i];
            r->card[n][1] = b->card[j];
            r->class[n] = (uint8_t)bucket_class(r->card[n]);
        }
    bucket_sort(b, r->order);
}

static void add_weaker(struct ranking *r, int hand)
{
    uint16_t *score = r->score[r->class[hand]];
    const uint8_t *all = r->weaker, *a = r->holding[r->card[hand][0]], *b = r->holding[r->card[hand][1]];
    for (int c = 0; c < WIDE; c++)
        score[c] = (uint16_t)(score[c] + (uint8_t)(all[c] - a[c] - b[c]));
}

// Each hand against those weaker, and against those weaker or equal: 2 x won + tied.
static void count_ranked(struct ranking *r, const struct bucket_board *b)
{
    memset(r->weaker, 0, sizeof r->weaker);
    memset(r->holding, 0, sizeof r->holding);
    memset(r->score, 0, sizeof r->score);
    rank_hands(r, b);
    for (int i = 0, end; i < BUCKET_BOARD_HANDS; i = end) {
        for (end = i; end < BUCKET_BOARD_HANDS && b->strength[r->order[end]] == b->strength[r->order[i]]; end++)
            add_weaker(r, r->order[end]);
        for (int k = i; k < end; k++) {
            int hand = r->order[k], class = r->class[hand];
            r->weaker[class]++;
            r->holding[r->card[hand][0]][class]++;
            r->holding[r->card[hand][1]][class]++;
        }
        for (int k = i; k < end; k++) { // itself it is counted once, and taken off twice
            int hand = r->order[k], class = r->class[hand];
            r->weaker[class]++;
            add_weaker(r, hand);
            r->weaker[class]--;
        }
    }
}

static void count_board(struct push_fold_count *c, const uint8_t board[5])
{
    static _Thread_local struct ranking ranking;
    struct bucket_board b;
    uint32_t alike = count_alike(cards_set(board, 5));
    if (!alike)
        return;
    bucket_fill_board(&b, board);
    count_ranked(&ranking, &b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c->score[i][j] += alike * ranking.score[i][j];
}

void push_fold_count_all(struct push_fold_count *c, uint8_t from, uint8_t to)
{
    static _Thread_local uint32_t ways[N][N];
    uint8_t b[5];
    for (b[0] = from; b[0] < to; b[0]++)
        for (b[1] = b[0] + 1; b[1] < CARDS_IN_DECK; b[1]++)
            for (b[2] = b[1] + 1; b[2] < CARDS_IN_DECK; b[2]++)
                for (b[3] = b[2] + 1; b[3] < CARDS_IN_DECK; b[3]++)
                    for (b[4] = b[3] + 1; b[4] < CARDS_IN_DECK; b[4]++)
                        count_board(c, b);
    if (from > 0) // every pair leaves as many boards: counted once
        return;
    count_ways(ways);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c->pairs[i][j] += ways[i][j] * (uint32_t)PUSH_FOLD_BOARDS;
}

void push_fold_count_add(struct push_fold_count *c, const struct push_fold_count *more)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c->score[i][j] += more->score[i][j];
            c->pairs[i][j] += more->pairs[i][j];
        }
}

void push_fold_find_odds(struct push_fold_odds *o, const struct push_fold_count *c)
{
    static _Thread_local uint32_t ways[N][N];
    count_ways(ways);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            o->pairs[i][j] = (float)ways[i][j];
            uint64_t pairs = (uint64_t)c->pairs[i][j] + c->pairs[j][i];
            uint64_t score = c->score[i][j] + 2 * (uint64_t)c->pairs[j][i] - c->score[j][i];
            o->equity[i][j] = pairs ? (float)score / (float)(2 * pairs) : 0.5f;
        }
}

// ---- The game -------------------------------------------------------------------------------------------------------

// What a class wins more by pushing than by folding, times its ways to be dealt.
static double push_gain(const struct push_fold_odds *o, const float call[N], int i, double stack)
{
    double sum = 0;
    for (int j = 0; j < N; j++) {
        double shown = (2 * (double)o->equity[i][j] - 1) * stack, c = (double)call[j];
        sum += (double)o->pairs[i][j] * (c * shown + (1 - c) + 0.5);
    }
    return sum;
}

static double call_gain(const struct push_fold_odds *o, const float push[N], int j, double stack)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)(o->pairs[j][i] * push[i]) * ((2 * (double)o->equity[j][i] - 1) * stack + 1);
    return sum;
}

// CFR+ with one decision for each role, and averages that count later rounds more.
static void solve_stack(const struct push_fold_odds *o, double stack, double push[N], double call[N])
{
    double regret[2][N][2] = {{{0}}};
    float now[2][N];
    for (int i = 0; i < N; i++)
        now[0][i] = now[1][i] = 0.5f, push[i] = call[i] = 0;
    for (int round = 1; round <= ROUNDS; round++)
        for (int role = 0; role < 2; role++)
            for (int i = 0; i < N; i++) {
                double gain = role ? call_gain(o, now[0], i, stack) : push_gain(o, now[1], i, stack);
                double *r = regret[role][i], p = (double)now[role][i];
                r[0] = r[0] - p * gain > 0 ? r[0] - p * gain : 0;             // folding
                r[1] = r[1] + (1 - p) * gain > 0 ? r[1] + (1 - p) * gain : 0; // not
                now[role][i] = r[0] + r[1] > 0 ? (float)(r[1] / (r[0] + r[1])) : 0.5f;
                *(role ? &call[i] : &push[i]) += round * (double)now[role][i];
            }
    for (int i = 0; i < N; i++)
        push[i] *= 2.0 / ROUNDS / (ROUNDS + 1), call[i] *= 2.0 / ROUNDS / (ROUNDS + 1);
}

void push_fold_solve(const struct push_fold_odds *o, struct push_fold_lists *out)
{
    memset(out, 0, sizeof *out);
    for (int s = PUSH_FOLD_GRID; s <= PUSH_FOLD_STACKS; s += PUSH_FOLD_GRID / 4) {
        double push[N], call[N];
        solve_stack(o, (double)s / PUSH_FOLD_GRID, push, call);
        for (int i = 0; i < N; i++) {
            if (push[i] >= 0.5)
                out->push[i] = (uint8_t)s;
            if (call[i] >= 0.5)
                out->call[i] = (uint8_t)s;
        }
    }
}

double push_fold_exploit(const struct push_fold_odds *o, const struct push_fold_lists *l, double stack)
{
    float push[N], call[N];
    double won = 0, ways = 0;
    for (int i = 0; i < N; i++) {
        push[i] = l->push[i] >= stack * PUSH_FOLD_GRID;
        call[i] = l->call[i] >= stack * PUSH_FOLD_GRID;
    }
    for (int i = 0; i < N; i++) {
        double a = push_gain(o, call, i, stack), b = call_gain(o, push, i, stack);
        won += (a > 0 ? a : 0) - (push[i] > 0 ? a : 0); // what a best answer wins more than the list does
        won += (b > 0 ? b : 0) - (call[i] > 0 ? b : 0);
        for (int j = 0; j < N; j++)
            ways += (double)o->pairs[i][j];
    }
    return won / ways / 2;
}
