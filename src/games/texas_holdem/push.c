#include "games/texas_holdem/push.h"

#include "base/rng.h"

#include <string.h>

enum { N = BUCKET_CLASSES, ROUNDS = 200 };

// ---- Odds -----------------------------------------------------------------------------------------------------------

static void count_pairs(struct push_count *c, const struct bucket_board *b)
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

void push_count_boards(struct push_count *c, uint64_t seed, uint32_t from, uint32_t to)
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

void push_count_add(struct push_count *c, const struct push_count *more)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c->score[i][j] += more->score[i][j];
            c->pairs[i][j] += more->pairs[i][j];
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

void push_find_odds(struct push_odds *o, const struct push_count *c)
{
    static _Thread_local uint8_t class[BUCKET_HANDS];
    static _Thread_local uint64_t cards[BUCKET_HANDS];
    int n = list_hands(class, cards);
    memset(o, 0, sizeof *o);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            o->pairs[class[i]][class[j]] += !(cards[i] & cards[j]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            uint64_t pairs = (uint64_t)c->pairs[i][j] + c->pairs[j][i];
            uint64_t score = c->score[i][j] + 2 * (uint64_t)c->pairs[j][i] - c->score[j][i];
            o->equity[i][j] = pairs ? (float)score / (float)(2 * pairs) : 0.5f;
        }
}

// ---- The game -------------------------------------------------------------------------------------------------------

// What a class wins more by pushing than by folding, times its ways to be dealt.
static double push_gain(const struct push_odds *o, const float call[N], int i, double stack)
{
    double sum = 0;
    for (int j = 0; j < N; j++) {
        double shown = (2 * (double)o->equity[i][j] - 1) * stack, c = (double)call[j];
        sum += (double)o->pairs[i][j] * (c * shown + (1 - c) + 0.5);
    }
    return sum;
}

static double call_gain(const struct push_odds *o, const float push[N], int j, double stack)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)(o->pairs[j][i] * push[i]) * ((2 * (double)o->equity[j][i] - 1) * stack + 1);
    return sum;
}

// CFR+ with one decision for each role, and averages that count later rounds more.
static void solve_stack(const struct push_odds *o, double stack, double push[N], double call[N])
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

void push_solve(const struct push_odds *o, struct push_lists *out)
{
    memset(out, 0, sizeof *out);
    for (int s = PUSH_GRID; s <= PUSH_STACKS; s += PUSH_GRID / 2) {
        double push[N], call[N];
        solve_stack(o, (double)s / PUSH_GRID, push, call);
        for (int i = 0; i < N; i++) {
            if (push[i] >= 0.5)
                out->push[i] = (uint8_t)s;
            if (call[i] >= 0.5)
                out->call[i] = (uint8_t)s;
        }
    }
}

double push_exploit(const struct push_odds *o, const struct push_lists *l, double stack)
{
    float push[N], call[N];
    double won = 0, ways = 0;
    for (int i = 0; i < N; i++) {
        push[i] = l->push[i] >= stack * PUSH_GRID;
        call[i] = l->call[i] >= stack * PUSH_GRID;
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
