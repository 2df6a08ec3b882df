#include "stats/counters.h"

#include "match/replay.h"

int counters_count(const struct game_counters *c, struct span log, const struct game *g, const uint8_t *key,
                   struct counts out[GAME_MAX_SEATS])
{
    struct replay_run run;
    struct game_events happened = {0};
    union game_state before;
    union {
        uint64_t align;
        uint8_t byte[COUNTERS_SCRATCH];
    } scratch = {0};
    memset(out, 0, GAME_MAX_SEATS * sizeof *out);
    int done = replay_begin(&run, log, g, key, &happened);
    if (done != OK)
        return done;
    struct counters_step step = {.after = &run.state, .seat = GAME_MASTER, .happened = &happened};
    c->follow(&scratch, &step, out);
    step.before = &before;
    for (;;) {
        memcpy(&before, &run.state, g->state_size);
        happened.count = 0;
        if ((done = replay_step(&run, 1, &happened)) != 1)
            return done;
        if (run.entry.kind != REPLAY_ACTION)
            continue;
        step.seat = run.entry.seat;
        step.action = run.entry.action;
        c->follow(&scratch, &step, out);
    }
}
