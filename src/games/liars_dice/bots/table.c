#include "games/liars_dice/bots/table.h"

#include "games/liars_dice/bots/odds.h"

#include <string.h>

bool dice_table_open(struct dice_table *t, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint32_t end = TABLE_HEAD + 4 * (TABLE_CELLS + 1);
    if (size < end || memcmp(at, "AGONDIC2", 8) != 0)
        return false;
    t->bytes = at;
    for (int i = 0; i <= TABLE_CELLS; i++) {
        memcpy(&t->cell[i], at + TABLE_HEAD + 4 * i, sizeof t->cell[i]);
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

// Whoever holds nothing better: challenges what is less likely than not, else bids what is likeliest.
static void play_odds(const struct round_hands *h, int other, int last, int hand, struct table_mix *out)
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

// ---- Blocks ---------------------------------------------------------------------------------------------------------

enum { COUNTS = LIARS_DICE_DICE + 1, HINTS = 9 };

struct models {
    struct coder_bit listed[ROUND_FEW];
    struct coder_bit known[2][COUNTS];                 // by whether an earlier place was, and the face of the own bid
    struct coder_bit move[ROUND_MOVES][COUNTS][HINTS]; // by the face of the move, and what others play
    struct coder_bit all[2][HINTS];                    // the rest of the quanta
    struct coder_bit number[HINTS][1 << TABLE_BITS];
};

// What is likely: by an earlier place of the stem with the same hand, and by the hand before at the same place.
struct hints {
    const struct table_entry *earlier, *beside;
};

static int hint_of(const struct table_entry *e, int move)
{
    return !e->known ? 0 : e->quanta[move] ? 2 : 1;
}

// How many dice count for the face of the own bid before the one that stands.
static int own_count(const struct table_block *b, int hand, int place)
{
    int before = place / (round_highest(b->shape) + 1);
    if (round_memory(b->shape) == ROUND_THREE)
        before %= round_highest(b->shape) + 1;
    return before ? b->hands->face[hand][liars_dice_face(before)] : 0;
}

static void code_entry(struct coder *c, struct models *m, const struct table_block *b, int place, int hand,
                       struct hints h, struct table_entry *e)
{
    int last = b->stem % (round_highest(b->shape) + 1), moves = round_moves(b->shape, last);
    int bits = table_bits(b->bits, place, b->stem), left = 1 << bits;
    for (int i = last ? 0 : 1; i < moves && left; i++) {
        int count = b->hands->face[hand][liars_dice_face(last + i)], quanta = e->quanta[i];
        int hint = hint_of(h.earlier, i) * 3 + hint_of(h.beside, i);
        if (i == moves - 1)
            quanta = left;
        else if (!coder_code(c, &m->move[i][count][hint], quanta > 0))
            quanta = 0;
        else if (coder_code(c, &m->all[left == 1 << bits][hint], quanta == left))
            quanta = left;
        else
            quanta = (int)coder_number(c, m->number[hint], bits, (unsigned)quanta);
        e->quanta[i] = (uint8_t)(quanta < left ? quanta : left); // bytes may be anything
        left -= e->quanta[i];
    }
}

static bool code_listed(struct coder *c, struct models *m, const struct table_block *b, int places, int place)
{
    bool any = false;
    for (int x = 0; c->writes && x < b->hands->count; x++)
        any |= b->entry[x * places + place].known;
    return coder_code(c, &m->listed[place], any);
}

void dice_table_code(struct coder *c, struct table_block *b)
{
    struct models m;
    int place[ROUND_FEW], places = round_list(b->shape, b->stem, place);
    struct table_entry beside[ROUND_FEW] = {{0}};
    bool listed[ROUND_FEW];
    coder_reset((struct coder_bit *)&m, sizeof m / sizeof(struct coder_bit));
    for (int p = 0; p < places; p++)
        listed[p] = code_listed(c, &m, b, places, p);
    for (int x = 0; x < b->hands->count; x++) {
        struct table_entry earlier = {0};
        for (int p = 0; p < places; p++) {
            struct table_entry e = c->writes ? b->entry[x * places + p] : (struct table_entry){0};
            if (!listed[p])
                continue;
            e.known = coder_code(c, &m.known[earlier.known][own_count(b, x, place[p])], e.known);
            if (!e.known)
                continue;
            code_entry(c, &m, b, place[p], x, (struct hints){&earlier, &beside[p]}, &e);
            earlier = beside[p] = e;
            if (b->entry)
                b->entry[x * places + p] = e;
            else if (x == b->hand && place[p] == b->place)
                break;
        }
        if (!b->entry && x == b->hand) {
            b->found = earlier;
            return;
        }
    }
}

// ---- Asking ---------------------------------------------------------------------------------------------------------

// The bytes of a block; an empty span: there are none.
static struct span find_block(const struct dice_table *t, int cell, int shape, int stem, int *bits)
{
    const uint8_t *at = t->bytes + t->cell[cell], *end = t->bytes + t->cell[cell + 1];
    size_t stems = (size_t)round_stems(shape), begin = 1 + 2 * stems, size = 0;
    if ((size_t)(end - at) < begin || *at > TABLE_BITS)
        return (struct span){0};
    *bits = *at;
    for (int i = 0; i <= stem; i++) {
        begin += size;
        size = at[1 + 2 * i] | (size_t)at[2 + 2 * i] << 8;
    }
    return (size_t)(end - at) < begin + size ? (struct span){0} : (struct span){(const char *)at + begin, size};
}

static void list_moves(const struct table_entry *e, int last, int moves, struct table_mix *out)
{
    float sum = 0;
    out->count = 0;
    for (int i = last ? 0 : 1; i < moves && out->count < TABLE_MOVES; i++)
        if (e->quanta[i]) {
            out->rank[out->count] = i ? last + i : 0;
            out->share[out->count++] = e->quanta[i];
            sum += e->quanta[i];
        }
    for (int i = 0; i < out->count; i++)
        out->share[i] /= sum;
}

static void read_block(const struct dice_table *t, int other, struct table_block *b)
{
    struct span bytes = find_block(t, table_cell(b->hands->dice, other), b->shape, b->stem, &b->bits);
    struct coder c;
    if (!bytes.size)
        return;
    coder_read(&c, bytes.at, bytes.size);
    dice_table_code(&c, b);
}

void dice_table_mix(const struct round_hands *h, int other, int last, int hand, const struct table_entry *e,
                    struct table_mix *out)
{
    out->count = 0;
    if (e->known)
        list_moves(e, last, round_moves(round_shape(h->dice, other), last), out);
    if (!out->count)
        play_odds(h, other, last, hand, out);
}

void dice_table_find(const struct dice_table *t, const struct round_hands *h, int other, int place, int hand,
                     struct table_mix *out)
{
    int shape = round_shape(h->dice, other);
    struct table_block b = {.hands = h, .shape = shape, .stem = round_stem(shape, place), .hand = hand, .place = place};
    read_block(t, other, &b);
    dice_table_mix(h, other, round_last(shape, place), hand, &b.found, out);
}

void dice_table_read(const struct dice_table *t, const struct round_hands *h, int other, int stem,
                     struct table_entry *entry)
{
    int shape = round_shape(h->dice, other), place[ROUND_FEW], places = round_list(shape, stem, place);
    struct table_block b = {.hands = h, .shape = shape, .stem = stem, .entry = entry};
    memset(entry, 0, (size_t)(h->count * places) * sizeof *entry);
    read_block(t, other, &b);
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
