#include "bots/seated.h"

struct game_action seated_ask(const struct match *m, const struct bot *bot, int seat, uint32_t decision, float aggro)
{
    struct rng stream = match_bot_stream(m, seat);
    return seated_ask_with(m, bot, seat, rng_section(&stream, decision), aggro);
}

struct game_action seated_ask_with(const struct match *m, const struct bot *bot, int seat, struct rng dice, float aggro)
{
    const struct game *g = m->game;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    g->view(&m->state, seat, &view);
    struct bot_ask ask = {.game = g,
                          .view = &view,
                          .seat = seat,
                          .seats = m->seats,
                          .choices = choices,
                          .count = g->choices(&m->state, seat, choices),
                          .fallback = g->fallback(&m->state, seat),
                          .aggro = aggro,
                          .dice = &dice};
    return bot->choose(&ask);
}

int seated_next(const struct match *m)
{
    struct game_turn turn = m->game->turn(&m->state);
    if (turn.kind == TURN_FREE && m->steps % (SEATED_PACE + 1) != 0)
        return -1; // a move and its ticks are one round of steps
    return __builtin_ctz(turn.seats);
}
