// A game small enough to reason about, with everything a match has to handle: a hidden number, one seat asked, then a
// window that any other seat may close, ticks, stacking, a drop, a way to start anew after the end.
//
// Each round the seat to move guesses the hidden number (1..9). The others may doubt or pass; a doubt or the last pass
// closes the window. Then the guesser scores when the guess was right, the doubter when it was wrong.
#pragma once

#include "game/game.h"

#include <stddef.h>
#include <string.h>

enum { TOY_GUESS = 1, TOY_DOUBT, TOY_PASS, TOY_AGAIN, TOY_SHIFT }; // AGAIN: after the end; SHIFT: the master's
enum { TOY_GUESSED = 1, TOY_DOUBTED, TOY_PASSED, TOY_SCORED, TOY_SECRET, TOY_GONE };

struct toy_rules {
    uint32_t rounds; // 1..1000
    uint32_t seed;
};

struct toy_state {
    int32_t score[4];
    uint8_t secret;
    uint8_t guess; // 0: not yet
    uint8_t mover;
    uint8_t seats;
    uint16_t in;      // still in play
    uint16_t pending; // of the window
    uint32_t round;
    uint32_t rounds;
    uint32_t number;
    uint32_t clock;
    uint8_t stacked; // the next secret, 0: none
    uint8_t spare[7];
    struct rng chance;
};

static void toy_deal(struct toy_state *s, struct game_events *out)
{
    s->round++;
    struct rng dice = rng_section(&s->chance, s->round);
    s->secret = s->stacked ? s->stacked : (uint8_t)(1 + rng_below(&dice, 9));
    s->stacked = 0;
    s->guess = 0;
    s->pending = 0;
    s->number++;
    s->mover = (uint8_t)game_next_seat(s->in, s->mover);
    struct game_event *e = game_emit(out, TOY_SECRET, s->mover, SEAT(game_next_seat(s->in, s->mover)));
    if (e)
        e->amount = s->secret;
}

static bool toy_is_over(const struct toy_state *s)
{
    return s->round > s->rounds || !(s->in & (s->in - 1));
}

static int toy_init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    const struct toy_rules *r = rules;
    if (r->rounds < 1 || r->rounds > 1000 || seats < 2 || seats > 4)
        return ERR_RULES;
    struct toy_state *s = state;
    *s = (struct toy_state){.rounds = r->rounds, .seats = (uint8_t)seats, .chance = chance};
    s->in = (uint16_t)((1 << seats) - 1);
    s->mover = (uint8_t)(seats - 1);
    toy_deal(s, out);
    return OK;
}

static struct game_turn toy_turn(const void *state)
{
    const struct toy_state *s = state;
    if (toy_is_over(s))
        return (struct game_turn){.kind = TURN_OVER, .number = s->number};
    if (s->guess)
        return (struct game_turn){.kind = TURN_ANY, .phase = 1, .seats = s->pending, .number = s->number};
    return (struct game_turn){.kind = TURN_ONE, .seats = SEAT(s->mover), .number = s->number};
}

static int toy_choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct toy_state *s = state;
    if (!(toy_turn(s).seats & SEAT(seat)))
        return 0;
    if (!s->guess) {
        out[0] = (struct game_choice){.first = {.kind = TOY_GUESS, .amount = 1}, .max_amount = 9};
        return 1;
    }
    out[0] = (struct game_choice){.first = {.kind = TOY_DOUBT}};
    out[1] = (struct game_choice){.first = {.kind = TOY_PASS}};
    return 2;
}

static void toy_close(struct toy_state *s, int doubter, struct game_events *out)
{
    bool right = s->guess == s->secret;
    int winner = right ? s->mover : doubter;
    if (winner >= 0) {
        s->score[winner]++;
        game_emit(out, TOY_SCORED, winner, EVERYONE);
    }
    toy_deal(s, out);
}

static void toy_pass(struct toy_state *s, int seat, struct game_events *out)
{
    s->pending &= (uint16_t)~SEAT(seat);
    if (!s->pending)
        toy_close(s, -1, out);
}

static int toy_drop(struct toy_state *s, int seat, struct game_events *out)
{
    if (!(toy_turn(s).seats & SEAT(seat)))
        return ERR_ACTION;
    s->in &= (uint16_t)~SEAT(seat);
    game_emit(out, TOY_GONE, seat, EVERYONE);
    if (toy_is_over(s))
        return OK;
    if (s->guess)
        toy_pass(s, seat, out);
    else
        toy_deal(s, out);
    return OK;
}

static int toy_apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct toy_state *s = state;
    if (toy_is_over(s)) {
        if (a.kind != TOY_AGAIN || !(s->in & (s->in - 1)))
            return ERR_OVER;
        s->round = 0;
        toy_deal(s, out);
        return OK;
    }
    if (seat == GAME_MASTER && a.kind == GAME_DROP)
        return a.arg[0] < s->seats ? toy_drop(s, a.arg[0], out) : ERR_ACTION;
    if (seat == GAME_MASTER) {
        if (a.kind != TOY_SHIFT)
            return ERR_ACTION;
        s->clock += (uint32_t)a.amount;
        return OK;
    }
    struct game_choice list[GAME_MAX_CHOICES];
    int count = toy_choices(s, seat, list);
    if (count == 0)
        return ERR_SEAT;
    if (!game_has_choice(list, count, a))
        return ERR_ACTION;
    if (a.kind == TOY_GUESS) {
        s->guess = (uint8_t)a.amount;
        s->pending = (uint16_t)(s->in & ~SEAT(seat));
        s->number++;
        struct game_event *e = game_emit(out, TOY_GUESSED, seat, EVERYONE);
        if (e)
            e->amount = a.amount;
        return OK;
    }
    game_emit(out, a.kind == TOY_DOUBT ? TOY_DOUBTED : TOY_PASSED, seat, EVERYONE);
    if (a.kind == TOY_DOUBT)
        toy_close(s, seat, out);
    else
        toy_pass(s, seat, out);
    return OK;
}

static void toy_tick(void *state, struct game_events *out)
{
    (void)out;
    ((struct toy_state *)state)->clock++;
}

static struct game_action toy_fallback(const void *state, int seat)
{
    (void)seat;
    const struct toy_state *s = state;
    return s->guess ? (struct game_action){.kind = TOY_PASS} : (struct game_action){.kind = TOY_GUESS, .amount = 5};
}

static int toy_stack(void *state, const uint8_t *items, int count)
{
    if (count != 1 || items[0] < 1 || items[0] > 9)
        return ERR_RULES;
    ((struct toy_state *)state)->stacked = items[0];
    return OK;
}

static void toy_payoffs(const void *state, int32_t out[GAME_MAX_SEATS])
{
    const struct toy_state *s = state;
    memcpy(out, s->score, sizeof s->score);
}

static void toy_defaults(void *rules)
{
    *(struct toy_rules *)rules = (struct toy_rules){.rounds = 8};
}

static void toy_seed(void *rules, uint64_t seed)
{
    ((struct toy_rules *)rules)->seed = (uint32_t)seed;
}

static const struct game toy_game = {
    .name = "toy",
    .version = 3,
    .rules_size = sizeof(struct toy_rules),
    .state_size = sizeof(struct toy_state),
    .entities_end = offsetof(struct toy_state, round),
    .world_end = offsetof(struct toy_state, stacked),
    .tick_ms = 16,
    .min_seats = 2,
    .max_seats = 4,
    .defaults = toy_defaults,
    .seed = toy_seed,
    .init = toy_init,
    .turn = toy_turn,
    .choices = toy_choices,
    .apply = toy_apply,
    .tick = toy_tick,
    .fallback = toy_fallback,
    .stack = toy_stack,
    .payoffs = toy_payoffs,
};
