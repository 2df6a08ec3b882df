#include "kit/aivat.h"

#include "bots/minds.h"
#include "match/replay.h"

enum { SEATS = 2 };

// The replay of a match for one known seat.
struct run {
    const struct aivat_facts *facts;
    const struct bot *bot;
    int seat;
    void *work;
    struct replay_run replay;
    struct game_events events;
    union game_state before;
    uint64_t mind[BOT_MAX_MIND / 8];
};

bool aivat_knows(const struct aivat_facts *f, const struct bot *bot)
{
    return f && bot && bot->mix && f->knows(bot);
}

static void observe(struct run *r, bool always)
{
    const struct replay_run *p = &r->replay;
    if (r->bot->mind_size && (always || minds_sees(&r->events, r->seat)))
        mind_observe(r->bot, r->mind, p->game, &p->state, r->seat, SEATS, r->events.at, r->events.count,
                     r->events.ticks);
}

static int step_replay(struct run *r)
{
    struct replay_run *p = &r->replay;
    uint64_t steps = p->steps;
    r->before = p->state;
    r->events.count = r->events.ticks = 0;
    int done = replay_step(p, 1, &r->events);
    if (done != 1 || p->steps == steps || p->entry.kind == REPLAY_STACK)
        return done;
    bool acted = p->entry.kind == REPLAY_ACTION && p->entry.seat < SEATS && !p->entry.silent;
    r->facts->step(r->work, &(struct aivat_step){.before = &r->before,
                                                 .after = &p->state,
                                                 .mind = r->bot->mind_size ? r->mind : NULL,
                                                 .seat = acted ? p->entry.seat : -1,
                                                 .action = p->entry.action,
                                                 .events = &r->events});
    observe(r, false);
    return done;
}

static int run_replay(struct run *r, const struct game *g, struct span log, const uint8_t key[RNG_KEY_BYTES])
{
    struct replay_run *p = &r->replay;
    r->events.count = r->events.ticks = 0;
    int err = replay_begin(p, log, g, key, &r->events);
    if (err != OK)
        return err;
    if (p->reader.head.seats != SEATS)
        return ERR_RULES;
    if (r->bot->mind_size)
        mind_begin(r->bot, r->mind, g, &p->rules, r->seat, SEATS);
    observe(r, true);
    struct rng luck = rng_split(&p->root, MATCH_LUCK), known = rng_split(&luck, 1);
    r->facts->begin(r->work, r->facts, r->bot, r->seat, rng_split(&known, (uint32_t)r->seat));
    int done;
    while ((done = step_replay(r)) == 1)
        ;
    return done;
}

int aivat_luck(const struct aivat_facts *f, const struct game *g, struct span log, const uint8_t key[RNG_KEY_BYTES],
               const struct bot *const bots[2], void *work, double out[GAME_MAX_SEATS])
{
    static _Thread_local struct run run;
    double sum = 0;
    int known = 0;
    for (int seat = 0; seat < SEATS; seat++) {
        if (!aivat_knows(f, bots[seat]))
            continue;
        run.facts = f;
        run.bot = bots[seat];
        run.seat = seat;
        run.work = work;
        int err = run_replay(&run, g, log, key);
        if (err != OK)
            return err;
        sum += seat ? -f->luck(work) : f->luck(work);
        known++;
    }
    out[0] += known ? sum / known : 0;
    out[1] -= known ? sum / known : 0;
    return OK;
}
