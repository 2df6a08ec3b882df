// Uniform random legal play through the interface: one of the choices with equal chance, then an amount with equal
// chance in its range. Nobody listens to the events; starting anew is part of the work.
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

// The action is put together as one word: built of pieces in memory it would be read back slowly, and every step would
// wait for it.
struct game_action bench_pick_action(struct bench_dice *dice, const struct game_choice *choices, int count)
{
    const struct game_choice *c = &choices[bench_draw_below(dice, (uint32_t)count)];
    uint64_t word = game_action_word(c->first);
    if (c->max_amount != c->first.amount)
        word += (uint64_t)bench_draw_below(dice, (uint32_t)(c->max_amount - c->first.amount) + 1) << 32;
    return game_action_of(word);
}

void bench_start(const struct game *g, union game_state *s, union game_rules *rules, int seats, struct bench_dice *dice)
{
    struct rng chance = {0};
    for (int i = 0; i < 8; i += 2) {
        uint64_t two = bench_draw(dice);
        memcpy(&chance.key[i], &two, sizeof two);
    }
    if (g->seed) // as whoever trains with it does
        g->seed(rules, chance.key[0]);
    if (g->init(s, rules, seats, chance, NULL) != OK)
        app_die("%s refuses its own default rules", g->name);
}

uint64_t bench_play_steps(const struct bench_case *c, struct bench_dice *dice, uint64_t units)
{
    const struct game *g = c->game;
    union game_rules rules;
    union game_state state;
    struct game_choice choices[GAME_MAX_CHOICES];
    g->defaults(&rules);
    bench_start(g, &state, &rules, c->seats, dice);
    uint64_t done = 0;
    while (done < units) {
        struct game_turn turn = g->turn(&state);
        if (turn.kind == TURN_OVER) {
            bench_start(g, &state, &rules, c->seats, dice);
            continue;
        }
        int seat = bench_pick_seat(dice, turn.seats);
        int count = g->choices(&state, seat, choices);
        if (g->apply(&state, seat, bench_pick_action(dice, choices, count), NULL) != OK)
            app_die("%s refuses a choice of its own list", g->name);
        done++;
    }
    return done;
}
