#include "games/liars_dice/pack.h"

#include "games/liars_dice/bots/table.h"

#include <stdlib.h>
#include <string.h>

// Shares below DROPPED are not played; places that the own moves lead to less often than REACHED are left out, and
// answers that are the odds' own with CONFIDENT.
#define DROPPED   (round_is_exact(p->shape) ? 0.015f : 0.04f)
#define REACHED   (round_is_exact(p->shape) ? 0.03f : 0.02f)
#define CONFIDENT 0.93f

struct packing {
    const struct train *train;
    struct round_hands hands;
    int side, other, shape, places;
    float *reach; // [place][hand]: how likely the own moves lead there
};

static float *reach_at(const struct packing *p, int place, int hand)
{
    return &p->reach[place * p->hands.count + hand];
}

static void raise_to(float *at, float value)
{
    *at = value > *at ? value : *at;
}

// After an own bid the other may bid anything above it.
static void follow(struct packing *p, int place, int hand, int rank, float share)
{
    int after = round_next(p->shape, place, rank);
    for (int bid = rank + 1; bid <= round_highest(p->shape); bid++)
        raise_to(reach_at(p, round_next(p->shape, after, bid), hand), share * *reach_at(p, place, hand));
}

static int keep_shares(const struct packing *p, int place, int hand, float share[ROUND_MOVES], int rank[ROUND_MOVES])
{
    int n = round_moves(p->shape, place, &p->hands, hand, rank);
    if (!train_average(p->train, p->side, place, round_class(p->shape, place, &p->hands, hand), share))
        return 0;
    for (int i = 0; i < n; i++)
        if (share[i] < DROPPED || rank[i] < 0)
            share[i] = 0;
    return n;
}

static void find_reach(struct packing *p)
{
    for (int x = 0; x < p->hands.count; x++) {
        *reach_at(p, 0, x) = 1;
        for (int bid = 1; bid <= round_highest(p->shape); bid++) // where the other opens
            *reach_at(p, round_next(p->shape, 0, bid), x) = 1;
    }
    for (int bid = 0; bid <= round_highest(p->shape); bid++)
        for (int place = 0; place < p->places; place++) {
            if (round_last(p->shape, place) != bid || !round_is_place(p->shape, place))
                continue;
            for (int x = 0; x < p->hands.count; x++) {
                float share[ROUND_MOVES];
                int rank[ROUND_MOVES];
                int n = *reach_at(p, place, x) > REACHED ? keep_shares(p, place, x, share, rank) : 0;
                for (int i = 0; i < n; i++)
                    if (share[i] > 0 && rank[i] > 0)
                        follow(p, place, x, rank[i], share[i]);
            }
        }
}

static bool is_by_odds(const struct packing *p, int place, int hand, const float *share, const int *rank, int n)
{
    struct table_mix odds;
    dice_table_odds(&p->hands, p->other, round_last(p->shape, place), hand, &odds);
    for (int i = 0; i < n; i++)
        if (rank[i] == odds.rank[0] && share[i] > CONFIDENT)
            return true;
    return false;
}

static void put_entry(struct text *out, bool exact, int klass, const float *share, int n)
{
    float left[ROUND_MOVES], most = 0;
    int shares = exact ? 1024 : 16, count = 0, move[TABLE_MOVES], steps[TABLE_MOVES];
    memcpy(left, share, (size_t)n * sizeof *left);
    for (; count < (exact ? TABLE_MOVES : 4); count++) {
        int best = 0;
        for (int i = 1; i < n; i++)
            best = left[i] > left[best] ? i : best;
        most = count ? most : left[best];
        move[count] = best;
        steps[count] = most > 0 ? (int)(left[best] / most * (float)shares + 0.5f) : 0;
        if (steps[count] < 1)
            break;
        left[best] = 0;
    }
    text_put_char(out, (char)klass);
    for (int i = 0; i < count; i++) {
        unsigned more = i + 1 < count, word = more << 7 | (unsigned)move[i] << 4 | (unsigned)(steps[i] - 1);
        if (exact)
            word = more << 15 | (unsigned)move[i] << 10 | (unsigned)(steps[i] - 1);
        text_put_char(out, (char)word);
        if (exact)
            text_put_char(out, (char)(word >> 8));
    }
}

// One entry for a class: as its members play, if one of them gets there and does not play by the odds.
static void pack_place(struct text *out, const struct packing *p, int place)
{
    bool wanted[ROUND_CLASSES] = {false};
    float shares[ROUND_CLASSES][ROUND_MOVES];
    int count[ROUND_CLASSES];
    for (int x = 0; x < p->hands.count; x++) {
        int rank[ROUND_MOVES], klass = round_class(p->shape, place, &p->hands, x);
        if (*reach_at(p, place, x) <= REACHED)
            continue;
        int n = keep_shares(p, place, x, shares[klass], rank);
        count[klass] = n;
        wanted[klass] |= n && !is_by_odds(p, place, x, shares[klass], rank, n);
    }
    size_t begin = out->size;
    for (int c = 0; c < ROUND_CLASSES; c++)
        if (wanted[c]) {
            if (out->size == begin)
                text_put(out, (struct span){(char[]){(char)place, (char)(place >> 8), 0, 0}, 4});
            put_entry(out, round_is_exact(p->shape), c, shares[c], count[c]);
        }
    if (out->full || out->size == begin)
        return;
    size_t size = out->size - begin - 4;
    out->at[begin + 2] = (char)size;
    out->at[begin + 3] = (char)(size >> 8);
}

void pack_side(struct text *out, const struct train *t, int side, int own, int other)
{
    struct packing p = {.train = t, .side = side, .other = other, .shape = round_shape(own, other)};
    round_list_hands(&p.hands, own);
    p.places = round_places(p.shape);
    p.reach = calloc((size_t)(p.places * p.hands.count), sizeof *p.reach);
    if (!p.reach)
        abort();
    find_reach(&p);
    for (int place = 0; place < p.places; place++)
        if (round_is_place(p.shape, place))
            pack_place(out, &p, place);
    free(p.reach);
}
