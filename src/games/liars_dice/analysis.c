// What an analysis knows of Liar's Dice: a round is a game of its own, and bids tell of dice.
#include "games/liars_dice/analysis.h"

#include "codec/codec.h"
#include "games/liars_dice/bots/bid_history.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/bots/solved.h"

#include <string.h>

enum { AHEAD = 12, FACES = LIARS_DICE_FACES };
static const double shown = 1.8, wild = 1.3; // N5.4

// What a seat believes of the others' dice.
struct belief {
    bool heads_up;
    struct round_hands hands; // of the other, between two
    float weight[ROUND_HANDS], sum;
    double face[LIARS_DICE_SEATS][FACES + 1]; // else: of each die, by what its owner bid last
};

static uint32_t round_of(const void *state)
{
    return ((const struct liars_dice_state *)state)->round;
}

// The chance to win goes with the square of the dice: with 2 against 1 it is 0.80, and 0.79 by the solved rounds
// (N5.3).
static void chances(const struct liars_dice_state *s, double out[GAME_MAX_SEATS])
{
    double sum = 0;
    for (int i = 0; i < s->seats; i++)
        sum += out[i] = (double)s->dice_counts[i] * s->dice_counts[i];
    for (int i = 0; i < s->seats; i++)
        out[i] /= sum > 0 ? sum : 1;
}

static void gain(const void *from, const void *now, double out[GAME_MAX_SEATS])
{
    double before[GAME_MAX_SEATS];
    chances(from, before);
    chances(now, out);
    for (int i = 0; i < ((const struct liars_dice_state *)from)->seats; i++)
        out[i] -= before[i];
}

// ---- Beliefs --------------------------------------------------------------------------------------------------------

static void believe(void *belief, const struct bot_ask *ask)
{
    struct belief *b = belief;
    const struct liars_dice_view *v = ask->view;
    const struct bid_history *m = ask->mind;
    memset(b, 0, sizeof *b);
    b->heads_up = liars_dice_range(ask, &b->hands, b->weight);
    for (int i = 0; i < b->hands.count; i++)
        b->sum += b->weight[i];
    for (int seat = 0; seat < v->seats; seat++)
        for (int f = 1; f <= FACES; f++)
            b->face[seat][f] = 1;
    for (int i = 0; i < bid_history_count(m); i++) {
        int face = liars_dice_face(m->bid[i]);
        if (m->bidder[i] >= v->seats || !face || m->bid[i] > v->bid)
            continue;
        for (int f = 1; f <= FACES; f++)
            b->face[m->bidder[i]][f] = f == face ? shown : f == 1 && v->wild_ones ? wild : 1;
    }
}

static double draw_unit(struct rng_draw *d)
{
    return (rng_draw_u32(d) >> 8) / (double)(1 << 24);
}

static liars_dice_hand draw_range(const struct belief *b, struct rng_draw *d)
{
    double at = draw_unit(d) * (double)b->sum;
    int hand = 0, die = 0;
    unsigned dice = 0;
    while (hand < b->hands.count - 1 && (at -= (double)b->weight[hand]) >= 0)
        hand++;
    for (int f = 1; f <= FACES; f++) {
        int count = f == 1 ? b->hands.ones[hand] : b->hands.face[hand][f] - b->hands.ones[hand];
        for (; count > 0; count--)
            dice |= (unsigned)f << 3 * die++;
    }
    return (liars_dice_hand)dice;
}

static liars_dice_hand draw_faces(const double weight[FACES + 1], int count, struct rng_draw *d)
{
    unsigned dice = 0;
    double sum = 0;
    for (int f = 1; f <= FACES; f++)
        sum += weight[f];
    for (int i = 0; i < count; i++) {
        double at = draw_unit(d) * sum;
        int f = 1;
        while (f < FACES && (at -= weight[f]) >= 0)
            f++;
        dice |= (unsigned)f << 3 * i;
    }
    return (liars_dice_hand)dice;
}

static void imagine(void *belief, void *state, const struct bot_ask *ask, struct rng *dice)
{
    const struct belief *b = belief;
    struct liars_dice_state *s = state;
    struct rng_draw d;
    liars_dice_game.imagine(state, ask->view, dice);
    rng_begin(&d, dice);
    for (int seat = 0; seat < s->seats; seat++)
        if (seat != ask->seat && s->dice_counts[seat])
            s->hand[seat] = b->heads_up ? draw_range(b, &d) : draw_faces(b->face[seat], s->dice_counts[seat], &d);
}

// Between two by the table, else by the rules, which are quick.
static struct game_action play(void *belief, const struct bot_ask *ask)
{
    const struct liars_dice_view *v = ask->view;
    int in_play = 0;
    (void)belief;
    for (int seat = 0; seat < v->seats; seat++)
        in_play += v->dice_counts[seat] > 0;
    return in_play == 2 && v->wild_ones ? liars_dice_solved_bot.choose(ask) : liars_dice_rules_bot.choose(ask);
}

static int list_bids(const struct bot_ask *ask, struct game_action *out, int room)
{
    const struct liars_dice_view *v = ask->view;
    int n = 0, most = FACES * v->total;
    for (int bid = v->bid + 1; bid <= most && bid <= v->bid + AHEAD && n < room; bid++)
        out[n++] = (struct game_action){.kind = LIARS_DICE_BID, .amount = bid};
    return n;
}

// ---- Words ----------------------------------------------------------------------------------------------------------

// The chance that a bid holds, by what the seat believed.
static double truth_of(const struct belief *b, const struct liars_dice_view *v, int rank)
{
    int own = 0, face = liars_dice_face(rank), need;
    double tail = 0, sum = 0;
    for (int i = 0; i < v->dice_counts[v->viewer]; i++)
        own += v->dice[i] == face || (v->wild_ones && v->dice[i] == 1);
    need = liars_dice_quantity(rank) - own;
    if (b->heads_up) {
        for (int h = 0; h < b->hands.count; h++) {
            sum += (double)b->weight[h];
            tail += b->hands.face[h][face] >= need ? (double)b->weight[h] : 0;
        }
        return sum > 0 ? tail / sum : 0;
    }
    double chance[LIARS_DICE_DICE * LIARS_DICE_SEATS + 1] = {1}; // of so many dice that count
    for (int seat = 0; seat < v->seats; seat++)
        for (int die = 0; seat != v->viewer && die < v->dice_counts[seat]; die++) {
            const double *w = b->face[seat];
            double all = w[1] + w[2] + w[3] + w[4] + w[5] + w[6];
            double p = (w[face] + (face > 1 && v->wild_ones ? w[1] : 0)) / all;
            for (int k = LIARS_DICE_DICE * LIARS_DICE_SEATS; k > 0; k--)
                chance[k] = chance[k] * (1 - p) + chance[k - 1] * p;
            chance[0] *= 1 - p;
        }
    for (int k = need > 0 ? need : 0; k <= LIARS_DICE_DICE * LIARS_DICE_SEATS; k++)
        tail += chance[k];
    return tail;
}

static void explain(struct text *t, const struct analysis_words *w)
{
    const struct liars_dice_view *v = w->ask->view;
    codec_write(t, "It held");
    for (int i = 0; i < v->dice_counts[v->viewer]; i++)
        codec_write(t, " %d", v->dice[i]);
    codec_write(t, " of %d dice. ", v->total);
    if (v->bid)
        codec_write(t, "By what was bid, %dx%d held with %.0f %%. ", liars_dice_quantity(v->bid),
                    liars_dice_face(v->bid), 100 * truth_of(w->belief, v, v->bid));
    const struct game_action said[] = {w->played, w->better};
    for (int i = 0; i < 2 && !(i && game_same_action(w->played, w->better)); i++)
        if (said[i].kind == LIARS_DICE_BID)
            codec_write(t, "%dx%d would have held with %.0f %%. ", liars_dice_quantity(said[i].amount),
                        liars_dice_face(said[i].amount), 100 * truth_of(w->belief, v, said[i].amount));
}

const struct analysis_facts liars_dice_analysis = {
    .work = 600,
    .part = "round",
    .part_of = round_of,
    .gain = gain,
    .belief_size = sizeof(struct belief),
    .believe = believe,
    .imagine = imagine,
    .play = play,
    .playout = &liars_dice_solved_bot,
    .open_minds = true,
    .candidates = list_bids,
    .explain = explain,
};
