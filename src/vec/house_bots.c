// House players inside a step: they get the view of their seat and a stream of their own.
#include "vec/internal.h"

#include "bots/minds.h"
#include "house/ask.h"

const struct bot *lane_bot(const struct agon_vec *v, const struct lane *l, int seat)
{
    uint32_t shift = v->config.rotate ? l->episode % v->seats : 0;
    return v->house[((uint32_t)seat + v->seats - shift) % v->seats];
}

static void feed_mind(const struct agon_vec *v, struct lane *l, int seat, const struct game_events *e)
{
    mind_observe(lane_bot(v, l, seat), lane_mind(v, l, seat), v->game, lane_state(v, l), seat, (int)v->seats, e->at,
                 e->count, e->ticks);
}

void lane_begin_minds(const struct agon_vec *v, struct lane *l, const void *rules, const struct game_events *first)
{
    for (unsigned set = l->house; set; set &= set - 1) {
        int seat = __builtin_ctz(set);
        const struct bot *bot = lane_bot(v, l, seat);
        memset(lane_mind(v, l, seat), 0, v->mind_bytes);
        if (!bot->mind_size)
            continue;
        mind_begin(bot, lane_mind(v, l, seat), v->game, rules, seat, (int)v->seats);
        feed_mind(v, l, seat, first);
    }
}

void lane_feed_minds(const struct agon_vec *v, struct lane *l, const struct game_events *e)
{
    for (unsigned set = l->house; set; set &= set - 1)
        if (lane_bot(v, l, __builtin_ctz(set))->mind_size && minds_sees(e, __builtin_ctz(set)))
            feed_mind(v, l, __builtin_ctz(set), e);
}

void lane_show_minds(const struct agon_vec *v, struct lane *l)
{
    static const struct game_events nothing;
    for (unsigned set = l->house; set; set &= set - 1)
        if (lane_bot(v, l, __builtin_ctz(set))->mind_size)
            feed_mind(v, l, __builtin_ctz(set), &nothing);
}

struct game_action lane_ask_bot(const struct agon_vec *v, const struct lane *l, const struct bot *bot, int seat,
                                struct rng dice, uint32_t effort, const void *mind)
{
    _Alignas(8) uint8_t late[BOT_MAX_MIND];
    const struct game *g = v->game;
    const void *state = lane_state(v, l);
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    if (!bot->blind)
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
                          .effort = effort,
                          .mind = mind};
    if (bot->mind_size && !mind) {
        house_mind_late(bot, late, &ask);
        ask.mind = late;
    }
    return house_choose(bot, &ask);
}
