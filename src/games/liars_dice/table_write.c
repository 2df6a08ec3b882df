#include "games/liars_dice/table_write.h"

#include "games/liars_dice/bots/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// How much is kept, by how far the numbers of dice are apart: rounds that are nearly decided get less room. What is
// left out costs more than coarse quanta do (decision 068), but with ten dice, where a hand has more bids between which
// to choose (decision 076).
struct care {
    int bits;      // of the quanta
    float dropped; // shares below it are not played
    float reached; // places that the own moves lead to less often are left out
};

static struct care care_of(int own, int other)
{
    int apart = own > other ? own - other : other - own;
    if (round_memory(round_shape(own, other)) == ROUND_THREE)
        return (struct care){7, 0.004f, 0.002f};
    if (apart > 2)
        return (struct care){3, 0.05f, 0.25f};
    if (apart == 2)
        return (struct care){5, 0.02f, own + other < 8 ? 0.05f : 0.08f};
    if (own + other == 10)
        return (struct care){6, 0.02f, 0.05f};
    return (struct care){5, 0.02f, own + other <= 6 ? 0.03f : 0.02f};
}

struct packing {
    const struct cfr *train; // or
    const struct cfr_br *refine;
    struct round_hands hands;
    int side, shape;
    struct care care;
    float *reach; // [place][hand]: how likely the own moves lead there
    struct table_entry *entry;
};

static float *reach_at(const struct packing *p, int place, int hand)
{
    return &p->reach[place * p->hands.count + hand];
}

static float quanta_of(const struct packing *p, int place)
{
    return (float)(1 << table_bits(p->care.bits, place, round_stem(p->shape, place)));
}

// After an own bid the other may bid anything above it.
static void spread_reach(struct packing *p, int place, int hand, const struct table_entry *e)
{
    int last = round_last(p->shape, place);
    for (int i = 1; i < round_moves(p->shape, last); i++) {
        float reach = *reach_at(p, place, hand) * (float)e->quanta[i] / quanta_of(p, place);
        int after = round_next(p->shape, place, last + i);
        for (int bid = last + i + 1; e->quanta[i] && bid <= round_highest(p->shape); bid++) {
            float *at = reach_at(p, round_next(p->shape, after, bid), hand);
            *at = reach > *at ? reach : *at;
        }
    }
}

// What the strategy plays in all is kept: what rounding takes from one hand is given to the next. `owed` is by move.
static void divide(float all, const float *share, int moves, float weight, float *owed, struct table_entry *e)
{
    float wish[ROUND_MOVES];
    int left = (int)all;
    for (int i = 0; i < moves; i++) {
        float more = owed[i] / weight * all;
        wish[i] = share[i] > 0 ? share[i] * all + (more > 1 ? 1 : more < -1 ? -1 : more) : -2;
        e->quanta[i] = (uint8_t)(wish[i] > 0 ? (int)wish[i] < left ? (int)wish[i] : left : 0);
        left -= e->quanta[i];
    }
    for (; left; left--) {
        int best = 0;
        for (int i = 1; i < moves; i++)
            best = wish[i] - e->quanta[i] > wish[best] - e->quanta[best] ? i : best;
        e->quanta[best]++;
    }
    for (int i = 0; i < moves; i++)
        owed[i] += weight * (share[i] - (float)e->quanta[i] / all);
}

static bool find_shares(const struct packing *p, int place, int hand, int moves, float *share)
{
    float sum = 0;
    if (*reach_at(p, place, hand) <= p->care.reached)
        return false;
    if (p->refine ? !cfr_br_average(p->refine, place, hand, share)
                  : !cfr_average(p->train, p->side, place, hand, share))
        return false;
    for (int i = 0; i < moves; i++)
        sum += share[i] = share[i] < p->care.dropped ? 0 : share[i];
    for (int i = 0; i < moves; i++)
        share[i] /= sum;
    return true;
}

static void pack_stem(struct text *out, struct packing *p, int stem)
{
    int place[ROUND_FEW], places = round_list(p->shape, stem, place);
    int last = round_last(p->shape, stem), moves = round_moves(p->shape, last);
    bool any = false;
    for (int i = 0; i < places; i++) {
        float owed[ROUND_MOVES] = {0}, share[ROUND_MOVES];
        for (int x = 0; x < p->hands.count; x++) {
            struct table_entry *e = &p->entry[x * places + i];
            memset(e, 0, sizeof *e);
            e->known = find_shares(p, place[i], x, moves, share);
            if (!e->known)
                continue;
            divide(quanta_of(p, place[i]), share, moves, p->hands.chance[x] * *reach_at(p, place[i], x), owed, e);
            spread_reach(p, place[i], x, e);
            any = true;
        }
    }
    struct table_block b = {
        .hands = &p->hands, .shape = p->shape, .stem = stem, .bits = p->care.bits, .entry = p->entry};
    struct coder c;
    if (!any)
        return;
    coder_write(&c, out);
    dice_table_code(&c, &b);
    coder_finish(&c);
}

static void begin_reach(struct packing *p)
{
    for (int x = 0; x < p->hands.count; x++) {
        *reach_at(p, 0, x) = 1;
        for (int bid = 1; bid <= round_highest(p->shape); bid++) // where the other opens
            *reach_at(p, round_next(p->shape, 0, bid), x) = 1;
    }
}

// Stems are walked by the bid that stands, and written by their number.
static void pack_stems(struct text *out, struct packing *p)
{
    int stems = round_stems(p->shape), bids = round_highest(p->shape) + 1;
    struct text *block = calloc((size_t)stems, sizeof *block);
    if (!block)
        abort();
    for (int last = 0; last < bids; last++)
        for (int stem = last; stem < stems; stem += bids) {
            block[stem].grow = out->grow;
            pack_stem(&block[stem], p, stem);
        }
    text_put_char(out, (char)p->care.bits);
    for (int i = 0; i < stems; i++) {
        assert(block[i].size <= UINT16_MAX);
        text_put(out, (struct span){(char[]){(char)block[i].size, (char)(block[i].size >> 8)}, 2});
    }
    for (int i = 0; i < stems; i++) {
        text_put(out, text_span(&block[i]));
        free(block[i].at);
    }
    free(block);
}

static void pack(struct text *out, struct packing *p, int own, int other)
{
    p->shape = round_shape(own, other);
    p->care = care_of(own, other);
    round_list_hands(&p->hands, own);
    p->reach = calloc((size_t)round_places(p->shape) * (size_t)p->hands.count, sizeof *p->reach);
    p->entry = calloc((size_t)p->hands.count * ROUND_FEW, sizeof *p->entry);
    if (!p->reach || !p->entry)
        abort();
    begin_reach(p);
    pack_stems(out, p);
    free(p->reach);
    free(p->entry);
}

void table_write_cfr(struct text *out, const struct cfr *t, int side, int own, int other)
{
    pack(out, &(struct packing){.train = t, .side = side}, own, other);
}

void table_write_cfr_br(struct text *out, const struct cfr_br *r, int own, int other)
{
    pack(out, &(struct packing){.refine = r}, own, other);
}
