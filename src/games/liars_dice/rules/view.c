// What is seen, earned and imagined: views, numbers, rewards, and other worlds that look the same.
#include "games/liars_dice/rules/internal.h"

#include <string.h>

static void see_last(const struct liars_dice_state *s, struct liars_dice_challenge *last)
{
    *last = (struct liars_dice_challenge){
        .challenger = s->last_challenger,
        .bidder = s->last_bidder,
        .bid = s->last_bid,
        .count = s->last_count,
        .loser = s->last_loser,
        .round = s->last_round,
    };
    for (int seat = 0; seat < LIARS_DICE_SEATS; seat++)
        liars_dice_faces(s->shown[seat], last->dice[seat]);
}

void liars_dice_describe_challenge(const struct liars_dice_state *s, struct game_events *out)
{
    struct game_event *e = game_emit(out, LIARS_DICE_CHALLENGED, s->last_challenger, EVERYONE);
    struct liars_dice_challenge last;
    see_last(s, &last);
    e->amount = last.count;
    memcpy(e->data, &last, sizeof last);
}

void liars_dice_tell_round(const struct liars_dice_state *s, struct game_events *out)
{
    struct game_event *e = game_emit(out, LIARS_DICE_ROUND_START, s->to_act, EVERYONE);
    e->amount = s->round;
    memcpy(e->data, s->dice_counts, sizeof s->dice_counts);
}

void liars_dice_see(const void *state, int viewer, void *view)
{
    const struct liars_dice_state *s = state;
    struct liars_dice_view *v = view;
    bool done = s->phase == LIARS_DICE_DONE;
    *v = (struct liars_dice_view){
        .seats = s->seats,
        .viewer = (uint8_t)viewer,
        .phase = s->phase,
        .round = s->round,
        .total = s->total,
        .to_act = done ? LIARS_DICE_NOBODY : s->to_act,
        .bid = s->bid,
        .bidder = s->bid ? s->bidder : LIARS_DICE_NOBODY,
        .wild_ones = s->wild_ones,
        .winner = done ? s->winner : LIARS_DICE_NOBODY,
    };
    memcpy(v->dice_counts, s->dice_counts, sizeof v->dice_counts);
    memcpy(v->starting_dice, s->starting_dice, sizeof v->starting_dice);
    if (viewer < s->seats)
        liars_dice_faces(s->hand[viewer], v->dice);
    see_last(s, &v->last);
}

// G26.3
void liars_dice_vector(const void *view, float *out)
{
    enum { FACES = 0, DICE = 6, QUANTITY = 12, FACE = 13, BIDDER = 19, SEAT_OWN = 25, TOTAL = 31 };
    const struct liars_dice_view *v = view;
    memset(out, 0, LIARS_DICE_VECTOR * sizeof *out);
    for (int i = 0; i < LIARS_DICE_DICE; i++)
        if (v->dice[i])
            out[FACES + v->dice[i] - 1] += 1.0f / LIARS_DICE_DICE;
    for (int seat = 0; seat < LIARS_DICE_SEATS; seat++)
        out[DICE + seat] = (float)v->dice_counts[seat] / LIARS_DICE_DICE;
    if (v->bid) {
        out[QUANTITY] = (float)liars_dice_quantity(v->bid) / (LIARS_DICE_SEATS * LIARS_DICE_DICE);
        out[FACE + liars_dice_face(v->bid) - 1] = 1;
        out[BIDDER + v->bidder] = 1;
    }
    if (v->viewer < LIARS_DICE_SEATS)
        out[SEAT_OWN + v->viewer] = 1;
    out[TOTAL] = (float)v->total / (LIARS_DICE_SEATS * LIARS_DICE_DICE);
}

// F6.L8
void liars_dice_payoffs(const void *state, int32_t out[GAME_MAX_SEATS])
{
    const struct liars_dice_state *s = state;
    memset(out, 0, GAME_MAX_SEATS * sizeof *out);
    if (s->phase == LIARS_DICE_DONE)
        out[s->winner] = 1;
}

void liars_dice_reward_loss(const struct liars_dice_state *s, int loser, int dice, struct game_rewards *out)
{
    float share = (float)dice / s->starting_dice[loser];
    for (int seat = 0; seat < s->seats; seat++)
        out->at[seat][0] += seat == loser ? -share : share / (float)(s->seats - 1);
}

void liars_dice_rewards(const void *state, const struct game_events *happened, struct game_rewards *out)
{
    const struct liars_dice_state *s = state;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < happened->count; i++) {
        const struct game_event *e = &happened->at[i];
        if (e->kind == LIARS_DICE_CHALLENGED)
            liars_dice_reward_loss(s, liars_dice_challenge_of(e).loser, 1, out);
        else if (e->kind == LIARS_DICE_DISCONNECTED)
            liars_dice_reward_loss(s, e->seat, e->amount, out);
        else if (e->kind == LIARS_DICE_GAME_OVER)
            out->at[e->seat][1] += 1;
    }
}

// Bids bind nobody, so any dice of the same number fit what was seen. After a final challenge all lie open.
void liars_dice_resample(void *state, int viewer, struct rng *dice)
{
    struct liars_dice_state *s = state;
    bool open = s->phase == LIARS_DICE_DONE && s->last_round == s->round;
    struct rng_draw d;
    rng_begin(&d, dice);
    for (int i = 0; i < 8; i++)
        s->key[i] = rng_draw_u32(&d);
    for (int seat = 0; seat < s->seats; seat++)
        if (seat != viewer && !open)
            s->hand[seat] = dice_roll(&d, s->dice_counts[seat]);
    for (int i = 0; i < LIARS_DICE_AHEAD; i++)
        s->ahead[i] = dice_roll(&d, LIARS_DICE_DICE);
}

static void recall_last(struct liars_dice_state *s, const struct liars_dice_challenge *last)
{
    s->last_challenger = last->challenger;
    s->last_bidder = last->bidder;
    s->last_bid = last->bid;
    s->last_count = last->count;
    s->last_loser = last->loser;
    s->last_round = last->round;
    for (int seat = 0; seat < LIARS_DICE_SEATS; seat++)
        s->shown[seat] = (liars_dice_hand)dice_from_faces(last->dice[seat], LIARS_DICE_DICE);
}

// The number of the question is not in the view, so it is any.
void liars_dice_imagine(void *state, const void *view, struct rng *dice)
{
    const struct liars_dice_view *v = view;
    struct liars_dice_state *s = state;
    int rounds = LIARS_DICE_AHEAD / v->seats;
    *s = (struct liars_dice_state){
        .bid = v->bid,
        .bidder = v->bid ? v->bidder : 0,
        .number = 1,
        .phase = v->phase,
        .seats = v->seats,
        .to_act = v->to_act,
        .total = v->total,
        .round = v->round,
        .wild_ones = v->wild_ones,
        .section = (uint8_t)((v->round - 1) / rounds + 1),
        .dealt = (uint8_t)(((v->round - 1) % rounds + 1) * v->seats),
    };
    memcpy(s->dice_counts, v->dice_counts, sizeof s->dice_counts);
    memcpy(s->starting_dice, v->starting_dice, sizeof s->starting_dice);
    for (int seat = 0; seat < v->seats; seat++)
        s->in_play |= (uint8_t)(v->dice_counts[seat] ? SEAT(seat) : 0);
    s->hand[v->viewer] = (liars_dice_hand)dice_from_faces(v->dice, LIARS_DICE_DICE);
    recall_last(s, &v->last);
    liars_dice_resample(s, v->viewer, dice);
}
