#include "games/liars_dice/bots/table.h"

#include "games/liars_dice/bots/odds.h"

#include <string.h>

static uint32_t read32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

bool dice_table_open(struct dice_table *t, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint32_t end = TABLE_HEAD + 4 * (TABLE_CELLS + 1);
    if (size < end || memcmp(at, "AGONDICE", 8) != 0)
        return false;
    t->bytes = at;
    for (int i = 0; i <= TABLE_CELLS; i++) {
        t->cell[i] = read32(at + TABLE_HEAD + 4 * i);
        if (t->cell[i] < end || t->cell[i] > size)
            return false;
        end = t->cell[i];
    }
    return t->cell[TABLE_CELLS] == size;
}

static float holds(const struct round_hands *h, int other, int rank, int hand)
{
    int face = liars_dice_face(rank), needed = liars_dice_quantity(rank) - h->face[hand][face];
    const float *odds = (face == 1 ? plain_odds : wild_odds) + other * (other - 1) / 2;
    return needed <= 0 ? 1 : needed > other ? 0 : odds[needed - 1];
}

void dice_table_odds(const struct round_hands *h, int other, int last, int hand, struct table_mix *out)
{
    int most = LIARS_DICE_FACES * (h->dice + other), best = 0;
    float chance = -1;
    *out = (struct table_mix){.count = 1, .share = {1}};
    if (last && (last == most || holds(h, other, last, hand) < 0.5f))
        return;
    for (int rank = last + 1; rank <= most && rank <= last + LIARS_DICE_FACES; rank++)
        if (holds(h, other, rank, hand) > chance)
            chance = holds(h, other, rank, hand), best = rank;
    out->rank[0] = best;
}

static unsigned read16(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

// The entries of a place; NULL: none.
static const uint8_t *find_place(const uint8_t *at, const uint8_t *end, unsigned place, const uint8_t **stop)
{
    while (end - at >= 4) {
        unsigned size = read16(at + 2);
        const uint8_t *next = at + 4 + size;
        if (next > end)
            return NULL;
        *stop = next;
        if (read16(at) == place)
            return at + 4;
        at = next;
    }
    return NULL;
}

struct word {
    bool more;
    int move;
    float share;
};

static struct word read_word(const uint8_t **at, bool exact)
{
    unsigned word = exact ? read16(*at) : **at;
    *at += exact ? 2 : 1;
    if (exact)
        return (struct word){word >> 15, (int)(word >> 10 & 31), (float)(word & 1023) + 1};
    return (struct word){word >> 7, (int)(word >> 4 & 7), (float)(word & 15) + 1};
}

void dice_table_find(const struct dice_table *t, const struct round_hands *h, int other, int place, int hand,
                     struct table_mix *out)
{
    int shape = round_shape(h->dice, other), cell = (h->dice - 1) * LIARS_DICE_DICE + other - 1;
    int klass = round_class(shape, place, h, hand), rank[ROUND_MOVES], n = round_moves(shape, place, h, hand, rank);
    bool exact = round_is_exact(shape);
    const uint8_t *stop = NULL,
                  *at = find_place(t->bytes + t->cell[cell], t->bytes + t->cell[cell + 1], (unsigned)place, &stop);
    float sum = 0;
    out->count = 0;
    while (at && stop - at >= (exact ? 3 : 2) && sum == 0) {
        bool mine = *at++ == klass;
        struct word w;
        do {
            w = read_word(&at, exact);
            if (!mine || w.move >= n || rank[w.move] < 0 || out->count == TABLE_MOVES)
                continue;
            out->rank[out->count] = rank[w.move];
            out->share[out->count++] = w.share;
            sum += w.share;
        } while (w.more && stop - at >= (exact ? 2 : 1));
    }
    for (int i = 0; i < out->count; i++)
        out->share[i] /= sum;
    if (!out->count)
        dice_table_odds(h, other, round_last(shape, place), hand, out);
}

int dice_table_draw(const struct table_mix *m, struct rng *dice)
{
    float at = (float)rng_below(dice, 1 << 20) / (1 << 20);
    for (int i = 0; i < m->count - 1; i++) {
        at -= m->share[i];
        if (at < 0)
            return m->rank[i];
    }
    return m->rank[m->count - 1];
}
