// Uniform random legal play through the interface: one of the choices, then an amount in its range, with equal
// probability. Events are not recorded; starting new matches is part of the work.
#include "app/bench.h"

#include <string.h>

int bench_pick_seat(struct bench_dice *dice, seat_set seats)
{
    if ((seats & (seats - 1)) == 0)
        return __builtin_ctz(seats);
    unsigned left = seats;
    for (uint32_t skip = bench_draw_below(dice, (uint32_t)__builtin_popcount(left)); skip; skip--)
        left &= left - 1;
    return __builtin_ctz(left);
}

// One random number for both: the upper half chooses, the lower half sets the amount. The action is built as one word:
// built from parts in memory, reading it back would stall (store forwarding), and every step waits for it.
struct game_action bench_pick_action(uint64_t drawn, const struct game_choice *choices, int count)
{
    const struct game_choice *c = &choices[(drawn >> 32) * (uint32_t)count >> 32];
    uint64_t word = game_action_word(c->first);
    uint32_t more = (uint32_t)c->max_amount - (uint32_t)(word >> 32);
    if (more)
        word += (uint32_t)drawn * (more + UINT64_C(1)) >> 32 << 32;
    return game_action_of(word);
}

// Written in the width in which it will be copied: reading back smaller parts would stall.
typedef uint64_t pair __attribute__((vector_size(16)));

void bench_start(const struct game *g, union game_state *s, union game_rules *rules, int seats, struct bench_dice *dice)
{
    struct rng chance = {0};
    for (int i = 0; i < 8; i += 4) {
        uint64_t first = bench_draw(dice);
        pair two = {first, bench_draw(dice)};
        memcpy(&chance.key[i], &two, sizeof two);
    }
    if (g->seed) // as a learner does
        g->seed(rules, chance.key[0]);
    if (g->init(s, rules, seats, chance, NULL) != OK)
        app_die("%s refuses its own default rules", g->name);
}

// wyrand: the generator of acceptable quality with the fewest instructions.
static inline uint64_t draw_quickly(uint64_t *state)
{
    __extension__ typedef unsigned __int128 wide;
    *state += 0xa0761d6478bd642fu;
    wide product = (wide)*state * (*state ^ 0xe7037ed1a0b428dbu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t bench_play_steps(const struct bench_case *c, struct bench_dice *dice, uint64_t units)
{
    const struct game *g = c->game;
    union game_rules rules;
    union game_state state;
    struct game_choice choices[GAME_MAX_CHOICES];
    g->defaults(&rules);
    bench_start(g, &state, &rules, c->seats, dice);
    uint64_t own = bench_draw(dice), drawn = draw_quickly(&own);
    for (uint64_t left = units; left;) {
        struct game_turn turn = g->turn(&state);
        if (turn.kind == TURN_OVER) {
            bench_start(g, &state, &rules, c->seats, dice);
            continue;
        }
        int seat = bench_pick_seat(dice, turn.seats);
        int count = g->choices(&state, seat, choices);
        struct game_action action = bench_pick_action(drawn, choices, count);
        drawn = draw_quickly(&own);
        if (g->apply(&state, seat, action, NULL) != OK)
            app_die("%s refuses a choice of its own list", g->name);
        left--;
    }
    return units;
}
