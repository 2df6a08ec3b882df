// House players inside a step: they get the view of their seat and a stream of their own.
#include "vec/inside.h"

#include "bots/bot.h"

struct game_action lane_ask_bot(const struct agon_vec *v, const struct lane *l, const struct bot *bot, int seat,
                                struct rng dice, uint32_t effort)
{
    const struct game *g = v->game;
    const void *state = lane_state(v, l);
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    g->view(state, seat, &view);
    struct bot_ask ask = {.game = g,
                          .view = &view,
                          .seat = seat,
                          .seats = (int)v->seats,
                          .choices = choices,
                          .count = g->choices(state, seat, choices),
                          .fallback = g->fallback(state, seat),
                          .aggro = v->config.aggro,
                          .dice = &dice,
                          .effort = effort};
    return bot->choose(&ask);
}
