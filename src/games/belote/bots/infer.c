// Assumes that a seat plays what `rules` would play, or a card of nearly the same weight. No card is impossible.
#include "games/belote/bots/infer.h"

static const float TEMPER = 5;    // card points by which choices may differ and still both be likely
static const float SLIPS = 0.05f; // share of plays that say nothing

static void note_play(struct inference *in, const struct table *t, int card)
{
    for (int i = 0; i < in->count; i++)
        if (in->play[i].table.seat == t->seat)
            in->play[i].from_here |= 1u << card;
    in->play[in->count++] = (struct infer_play){*t, 1u << card, (uint8_t)card};
}

void infer_begin(struct inference *in, const struct belote_view *v)
{
    struct table t = {.mode = v->mode, .team = v->team, .seat = v->opener}, now = card_weight_table(v);
    in->count = 0;
    for (int seat = 0; seat < BELOTE_SEATS; seat++) {
        t.said[seat] = now.said[seat];
        t.held[seat] = BELOTE_HAND;
    }
    for (int i = 0; i < v->plays; i++) {
        if (t.seat != v->viewer)
            note_play(in, &t, v->play[i]);
        card_weight_play(&t, v->play[i]);
    }
}

// Approximates exp near 0 and falls slower far from it. Not expf, which differs between machines.
static float fall_off(float behind)
{
    float x = behind / TEMPER;
    return 1 / (1 + x + x * x / 2 + x * x * x / 6);
}

static float chance_of(const struct infer_play *p, uint32_t hand)
{
    uint32_t legal = card_weight_list_legal(&p->table, hand);
    if (!(legal & (legal - 1)))
        return 1;
    struct look l = card_weight_look(&p->table, hand);
    float weight[BELOTE_HAND], played = 0, high = -1e9f, sum = 0;
    int n = 0;
    for (uint32_t rest = legal; rest; rest &= rest - 1, n++) {
        int card = __builtin_ctz(rest);
        weight[n] = card_weight_of(&l, card);
        high = weight[n] > high ? weight[n] : high;
        played = card == p->card ? weight[n] : played;
    }
    for (int i = 0; i < n; i++)
        sum += fall_off(high - weight[i]);
    return (1 - SLIPS) * fall_off(high - played) / sum + SLIPS / (float)n;
}

float infer_chance(const struct inference *in, const uint32_t held[BELOTE_SEATS])
{
    float chance = 1;
    for (int i = 0; i < in->count; i++)
        chance *= chance_of(&in->play[i], held[in->play[i].table.seat] | in->play[i].from_here);
    return chance;
}
