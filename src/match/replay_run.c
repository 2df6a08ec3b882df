#include "match/replay.h"

#include <assert.h>
#include <string.h>

int replay_begin(struct replay_run *run, struct span file, const struct game *game, const uint8_t *key,
                 struct game_events *out)
{
    *run = (struct replay_run){.game = game};
    int err = replay_open(&run->reader, file);
    if (err != OK)
        return err;
    const struct replay_head *h = &run->reader.head;
    if (strcmp(h->game, game->name) != 0)
        return ERR_UNKNOWN;
    if (h->rules_version != game->version || h->rules.size != game->rules_size)
        return ERR_VERSION;
    if (h->seats < game->min_seats || h->seats > game->max_seats)
        return ERR_RULES;
    if (!key && !h->has_key)
        return ERR_COMMITMENT;
    if (h->rules.size)
        memcpy(run->rules.byte, h->rules.at, h->rules.size);
    run->root = rng_from_key(key ? key : h->key);
    return game->init(&run->state, &run->rules, h->seats, rng_split(&run->root, MATCH_CHANCE), out);
}

static int count_step(struct replay_run *run, int err)
{
    if (err != OK)
        return err;
    run->steps++;
    run->since_hash++;
    return 1;
}

static int do_action(struct replay_run *run, struct game_events *out)
{
    const struct replay_entry *e = &run->entry;
    int err = run->history ? game_apply_kept(run->game, &run->state, run->history, e->seat, e->action, out, NULL)
                           : run->game->apply(&run->state, e->seat, e->action, out);
    int done = count_step(run, err);
    bool drops = e->seat == GAME_MASTER && e->action.kind == GAME_DROP && e->action.arg[0] < GAME_MAX_SEATS;
    if (done == 1 && drops)
        run->leaving &= (seat_set)~SEAT(e->action.arg[0]);
    return done;
}

static int do_ticks(struct replay_run *run, uint32_t ticks, struct game_events *out)
{
    if (!run->game->tick)
        return ERR_FORMAT;
    for (; ticks && run->ticks_left; ticks--, run->ticks_left--) {
        if (run->history)
            game_tick_kept(run->game, &run->state, run->history, out, NULL);
        else
            run->game->tick(&run->state, out);
        count_step(run, OK);
    }
    return 1;
}

static int check_hash(struct replay_run *run)
{
    if (run->entry.hash != game_hash(run->game, &run->state))
        return ERR_MISMATCH;
    run->since_hash = 0;
    return 1;
}

static int do_end(struct replay_run *run)
{
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    run->game->payoffs(&run->state, payoffs);
    size_t size = (size_t)run->reader.head.seats * sizeof payoffs[0];
    run->ended = true; // nothing can follow it, whether its hash and payoffs are right or not
    if (check_hash(run) < 0 || memcmp(payoffs, run->entry.payoffs, size) != 0)
        return ERR_MISMATCH;
    return 1;
}

int replay_step(struct replay_run *run, uint32_t ticks, struct game_events *out)
{
    assert(ticks > 0);
    if (run->ticks_left)
        return do_ticks(run, ticks, out);
    struct replay_entry e;
    int next = replay_next(&run->reader, &e);
    if (next != 0)
        run->entry = e;
    if (next != 1)
        return next;
    switch (run->entry.kind) {
    case REPLAY_ACTION:
        return do_action(run, out);
    case REPLAY_TICKS:
        run->ticks_left = run->entry.ticks;
        return do_ticks(run, ticks, out);
    case REPLAY_STACK:
        if (!run->game->stack)
            return ERR_RULES;
        return count_step(
            run, run->game->stack(&run->state, (const uint8_t *)run->entry.items.at, (int)run->entry.items.size));
    case REPLAY_HASH:
        return check_hash(run);
    case REPLAY_LEAVE:
        run->leaving |= SEAT(run->entry.seat);
        run->leave_reason[run->entry.seat] = run->entry.reason;
        return 1;
    case REPLAY_END:
        return do_end(run);
    }
    return ERR_FORMAT;
}

void replay_write_prefix(struct text *out, const struct replay_run *run, const struct replay_head *head)
{
    const struct replay_reader *r = &run->reader;
    size_t to = run->ticks_left ? run->entry.offset : r->at;
    replay_write_head(out, head);
    text_put(out, (struct span){r->file.at + r->body, to - r->body});
    if (!run->ticks_left)
        return;
    struct replay_entry part = {.kind = REPLAY_TICKS, .ticks = run->entry.ticks - run->ticks_left};
    replay_write_entry(out, &part, head->seats);
}

int replay_cut(struct text *out, struct span file, const struct game *game, const uint8_t *key, uint64_t steps)
{
    struct replay_run run;
    int done = replay_begin(&run, file, game, key, NULL);
    if (done != OK)
        return done;
    for (done = 1; done == 1 && run.steps < steps;)
        done = replay_step(
            &run, steps - run.steps < MATCH_HASH_EVERY ? (uint32_t)(steps - run.steps) : MATCH_HASH_EVERY, NULL);
    if (done != 1)
        return done ? done : ERR_RANGE;
    struct replay_head head = run.reader.head;
    if (key)
        memcpy(head.key, key, sizeof head.key);
    head.has_key = true;
    replay_write_prefix(out, &run, &head);
    return out->full ? ERR_FULL : OK;
}
