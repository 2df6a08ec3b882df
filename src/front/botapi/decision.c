// Makes one decision, on a thread of the pool or, without one, on the loop. It uses only the mind and the events of the
// session.
#include "front/botapi/internal.h"
#include "house/ask.h"

// B12.32. The game's own fallback needs the state, which is not known here.
static struct game_action find_fallback(const struct decision *d)
{
    for (int i = 0; i < d->count; i++)
        if (d->ask.game == &belote_game && d->choices[i].first.kind == BELOTE_ACCEPT)
            return d->choices[i].first;
    struct game_action first = d->choices[0].first;
    if (first.kind == BELOTE_CUT && d->ask.game == &belote_game)
        first.amount = 16;
    return first;
}

static bool is_late(void *clock)
{
    return loop_now_us() >= *(const int64_t *)clock;
}

// The time starts when a thread takes the decision, not when it was requested.
static void start_clock(struct decision *d)
{
    if (d->think_ms == 0)
        return;
    d->due_us = loop_now_us() + (int64_t)d->think_ms * 1000;
    d->ask.out_of_time = is_late;
    d->ask.clock = &d->due_us;
}

// N1.7: the mind sees the views of its decisions, and what could be read of the events between them.
static void show_mind(const struct bot *bot, struct decision *d)
{
    struct session *s = d->session;
    if (!bot->mind_size || !d->has_view)
        return;
    if (!s->has_mind)
        house_mind_begin(bot, s->mind, &d->ask);
    bot->observe(s->mind,
                 &(struct bot_news){d->ask.game, d->ask.seat, d->ask.seats, s->events, s->event_count, 0, d->ask.view});
    s->has_mind = true;
    s->event_count = 0;
    d->ask.mind = s->mind;
}

// If the bot's answer is not in the list, its view was wrong; the fallback is used instead.
void decision_make(const struct bot *bot, struct decision *d)
{
    d->ask.fallback = find_fallback(d);
    start_clock(d);
    show_mind(bot, d);
    d->answer =
        d->has_view || !bot->game ? house_choose(bot, &d->ask) : bot_pick_uniform(d->choices, d->count, &d->dice);
    if (!game_has_choice(d->choices, d->count, d->answer))
        d->answer = d->ask.fallback;
}
