// Asks every house player of a game about a view that came as text.
#pragma once

#include "house/ask.h"
#include "kit/action_request.h"
#include "kit/kit.h"

#include <stdio.h>
#include <stdlib.h>

static inline bool players_are_late(void *clock)
{
    (void)clock;
    return true;
}

// With no time at all, so that a searching player looks at one world. `is_real`: the view is one of the game's own, and
// so every answer is one of the choices.
static inline void ask_players(const struct game_kit *k, const struct action_request *t, bool is_real)
{
    static _Alignas(8) uint8_t mind[BOT_MAX_MIND];
    for (const struct bot *const *b = kit_bots(k); *b; b++) {
        struct rng dice = {.key = {1}};
        struct bot_ask ask = {.game = k->game,
                              .view = &t->view,
                              .seat = t->seat,
                              .seats = t->seats,
                              .choices = t->choices,
                              .count = t->count,
                              .fallback = t->fallback,
                              .aggro = 0.5f,
                              .dice = &dice,
                              .mind = mind,
                              .out_of_time = players_are_late};
        if ((*b)->mind_size)
            house_mind_late(*b, mind, &ask);
        struct game_action a = house_choose(*b, &ask);
        if (is_real && !game_has_choice(t->choices, t->count, a)) {
            fprintf(stderr, "%s, %s: the answer is not among the choices\n", k->game->name, (*b)->name);
            abort();
        }
    }
}
