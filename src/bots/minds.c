#include "bots/minds.h"

#include "match/replay.h"

#include <assert.h>
#include <string.h>

// --- one mind

void mind_begin(const struct bot *bot, void *mind, const struct game *g, const void *rules, int seat, int seats)
{
    memset(mind, 0, bot->mind_size);
    if (bot->begin)
        bot->begin(mind, g, rules, seat, seats);
}

void mind_observe(const struct bot *bot, void *mind, const struct game *g, const void *state, int seat, int seats,
                  const struct game_event *at, uint32_t count, uint32_t ticks)
{
    union game_view view;
    struct game_event seen[GAME_MAX_EVENTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (at[i].to & SEAT(seat))
            seen[n++] = at[i];
    g->view(state, seat, &view);
    bot->observe(mind, &(struct bot_news){g, seat, seats, seen, n, ticks, &view});
}

// --- all of a match

bool minds_sees(const struct game_events *e, int seat)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->at[i].to & SEAT(seat))
            return true;
    return e->ticks > 0;
}

static void update_minds(struct minds *minds, const struct match *m, const struct game_events *e, bool always)
{
    for (int i = 0; i < minds->count; i++) {
        const struct minds_place *p = &minds->place[i];
        if (always || minds_sees(e, p->seat))
            mind_observe(p->bot, minds->block + p->at, m->game, &m->state, p->seat, m->seats, e->at, e->count,
                         e->ticks);
    }
}

static void on_events(struct match_listener *l, const struct match *m, const struct game_events *e)
{
    update_minds((struct minds *)l, m, e, false);
}

void minds_init(struct minds *minds, void *block)
{
    minds->listener = (struct match_listener){.heard = on_events, .events = &minds->events};
    minds->count = 0;
    minds->size = 0;
    minds->block = block;
}

static const struct minds_place *find_place(const struct minds *minds, const struct bot *bot, int seat)
{
    for (int i = 0; i < minds->count; i++)
        if (minds->place[i].bot == bot && minds->place[i].seat == seat)
            return &minds->place[i];
    return NULL;
}

uint32_t minds_add(struct minds *minds, const struct bot *bot, int seat)
{
    assert(bot->mind_size <= BOT_MAX_MIND && bot->mind_size % 8 == 0);
    if (!bot->mind_size || find_place(minds, bot, seat))
        return minds->size;
    assert(minds->count < MINDS_PLACES);
    minds->place[minds->count++] = (struct minds_place){bot, seat, minds->size};
    return minds->size += bot->mind_size;
}

void minds_begin(struct minds *minds, struct match *m, const struct game_events *first)
{
    static const struct game_events nothing;
    for (int i = 0; i < minds->count; i++) {
        const struct minds_place *p = &minds->place[i];
        mind_begin(p->bot, minds->block + p->at, m->game, &m->rules, p->seat, m->seats);
    }
    update_minds(minds, m, first ? first : &nothing, true);
    m->listener = &minds->listener;
}

void minds_resume(struct minds *minds, struct match *m)
{
    for (int i = 0; i < minds->count; i++)
        minds_recall(m, minds->place[i].bot, minds->place[i].seat, minds->block + minds->place[i].at);
    m->listener = &minds->listener;
}

const void *minds_find(const struct match *m, const struct bot *bot, int seat)
{
    if (!m->listener || m->listener->heard != on_events)
        return NULL;
    const struct minds *minds = (const struct minds *)m->listener;
    const struct minds_place *p = find_place(minds, bot, seat);
    return p ? minds->block + p->at : NULL;
}

// --- from a log

struct recall {
    const struct bot *bot;
    void *mind;
    int seat;
    struct replay_run run;
    struct game_events events;
};

static void observe(struct recall *r)
{
    mind_observe(r->bot, r->mind, r->run.game, &r->run.state, r->seat, r->run.reader.head.seats, r->events.at,
                 r->events.count, r->events.ticks);
}

static int step_replay(struct recall *r)
{
    uint64_t before = r->run.steps;
    r->events.count = r->events.ticks = 0;
    int done = replay_step(&r->run, 1, &r->events);
    bool is_step = r->run.steps != before && r->run.entry.kind != REPLAY_STACK; // as the match tells its listener
    if (done == 1 && is_step && minds_sees(&r->events, r->seat))
        observe(r);
    return done;
}

static bool recall_log(const struct match *m, struct recall *r)
{
    uint8_t key[RNG_KEY_BYTES];
    memcpy(key, m->root.key, sizeof key);
    r->events.count = r->events.ticks = 0;
    if (replay_begin(&r->run, text_span(m->log), m->game, key, &r->events) != OK)
        return false;
    observe(r);
    int done;
    while ((done = step_replay(r)) == 1)
        continue;
    for (uint32_t ticks = done == 0 ? m->pending_ticks : 0; ticks; ticks--) { // those that are not in the log yet
        r->events.count = r->events.ticks = 0;
        r->run.game->tick(&r->run.state, &r->events);
        observe(r);
    }
    return done == 0;
}

bool minds_recall(const struct match *m, const struct bot *bot, int seat, void *mind)
{
    struct recall r;
    r.bot = bot;
    r.mind = mind;
    r.seat = seat;
    mind_begin(bot, mind, m->game, &m->rules, seat, m->seats);
    if (m->log && recall_log(m, &r))
        return true;
    mind_begin(bot, mind, m->game, &m->rules, seat, m->seats);
    mind_observe(bot, mind, m->game, &m->state, seat, m->seats, NULL, 0, 0);
    return false;
}
