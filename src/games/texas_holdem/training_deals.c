#include "games/texas_holdem/training_deals.h"

#include "base/rng.h"
#include "games/texas_holdem/rules/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HANDS_IN_SET = 2 * TRAINING_DEALS_IN_SET };

struct set {
    uint8_t board[5];
    uint8_t hole[HANDS_IN_SET][2];
    struct bucket_feature feature[4][HANDS_IN_SET]; // by street; [0] is not used
};

static struct rng stream_of(uint64_t seed, uint32_t kind, uint32_t number)
{
    struct rng root = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32), 0x6465616C, kind}};
    return rng_section(&root, number);
}

static void draw_set(struct set *s, struct rng from)
{
    struct rng_draw draw;
    uint8_t deck[CARDS_IN_DECK];
    rng_begin(&draw, &from);
    for (uint8_t i = 0; i < CARDS_IN_DECK; i++)
        deck[i] = i;
    cards_draw(deck, CARDS_IN_DECK, 0, 5, &draw);
    memcpy(s->board, deck, 5);
    for (int i = 0; i < HANDS_IN_SET; i += 2) { // pairs of hands that do not share a card
        cards_draw(deck + 5, CARDS_IN_DECK - 5, 0, 4, &draw);
        memcpy(s->hole[i], deck + 5, 4);
    }
    for (int street = 1; street <= 3; street++)
        bucket_features((const uint8_t(*)[2])s->hole, HANDS_IN_SET, s->board, street + 2, s->feature[street]);
}

// ---- Cuts -----------------------------------------------------------------------------------------------------------

static int by_equity(const void *a, const void *b)
{
    const struct bucket_feature *x = a, *y = b;
    return x->equity != y->equity ? x->equity - y->equity : x->spread - y->spread;
}

static int by_spread(const void *a, const void *b)
{
    return ((const struct bucket_feature *)a)->spread - ((const struct bucket_feature *)b)->spread;
}

// Steps are narrower among the good hands, which are those that get so far.
static int cut_place(int cut, int steps, int count)
{
    double share = 1 - pow(1 - (double)cut / steps, 1.3);
    return (int)(share * count);
}

static void cut_street(struct bucket_cuts *c, int street, struct bucket_feature *f, int count)
{
    int steps = street == 3 ? BUCKET_RIVER : BUCKET_STEPS;
    uint16_t *cut = street == 3 ? c->river : c->step[street - 1];
    qsort(f, (size_t)count, sizeof *f, by_equity);
    for (int i = 1; i < steps; i++)
        cut[i - 1] = f[cut_place(i, steps, count)].equity;
    for (int i = 0; street < 3 && i < steps; i++) {
        int from = cut_place(i, steps, count), size = cut_place(i + 1, steps, count) - from;
        qsort(f + from, (size_t)size, sizeof *f, by_spread);
        for (int k = 1; k < BUCKET_SPREADS; k++)
            c->spread[street - 1][i][k - 1] = f[from + size * k / BUCKET_SPREADS].spread;
    }
}

void training_deals_cut(struct training_deals *d)
{
    static struct bucket_feature all[4][TRAINING_DEALS_CUT_SETS * HANDS_IN_SET];
    struct set s;
    for (uint32_t i = 0; i < d->cut_sets; i++) {
        draw_set(&s, stream_of(d->seed, 1, i));
        for (int street = 1; street <= 3; street++)
            memcpy(&all[street][i * HANDS_IN_SET], s.feature[street], sizeof s.feature[street]);
    }
    for (int street = 1; street <= 3; street++)
        cut_street(&d->cuts, street, all[street], (int)d->cut_sets * HANDS_IN_SET);
}

// ---- Deals ----------------------------------------------------------------------------------------------------------

static int strength_of(const struct set *s, int hand)
{
    uint8_t cards[7];
    memcpy(cards, s->board, 5);
    memcpy(cards + 5, s->hole[hand], 2);
    return eval7(cards);
}

void training_deals_fill(struct training_deals *d, uint32_t from, uint32_t to)
{
    struct set s;
    for (uint32_t i = from; i < to; i++) {
        draw_set(&s, stream_of(d->seed, 2, i));
        for (int k = 0; k < TRAINING_DEALS_IN_SET; k++) {
            struct training_deal *deal = &d->at[(size_t)i * TRAINING_DEALS_IN_SET + (size_t)k];
            int diff = strength_of(&s, 2 * k) - strength_of(&s, 2 * k + 1);
            deal->result = (int8_t)((diff > 0) - (diff < 0));
            for (int role = 0; role < 2; role++) {
                deal->bucket[0][role] = (uint8_t)bucket_class(s.hole[2 * k + role]);
                for (int street = 1; street <= 3; street++) {
                    struct bucket_feature f = s.feature[street][2 * k + role];
                    deal->bucket[street][role] = (uint8_t)bucket_of(&d->cuts, street, f);
                    deal->equity[street][role] = (uint8_t)(f.equity >> 8);
                }
            }
        }
    }
}
