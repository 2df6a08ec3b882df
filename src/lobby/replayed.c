#include "lobby/replayed.h"

#include "lobby/internal.h"

#include "work/work.h"

#include <stdlib.h>

static void note_action(struct replayed *r, const struct replay_entry *e, uint32_t seq, bool tells)
{
    if (!r->keeps_actions || e->seat >= r->match.seats)
        return;
    if (r->actions == r->action_room) {
        r->action_room = r->action_room ? 2 * r->action_room : 64;
        r->action = lobby_realloc(r->action, r->action_room * sizeof *r->action);
    }
    r->action[r->actions++] =
        (struct replayed_action){.seq = seq, .tells = tells, .silent = e->silent, .seat = e->seat};
}

static int replay_log(struct replayed *r, const struct pieces *p, struct history *h)
{
    struct game_events *happened = lobby_alloc(sizeof *happened);
    struct replay_run *run = lobby_alloc(sizeof *run);
    uint32_t piece = 0;
    const struct game *g = game_of(r->game);
    int done = replay_begin(run, text_span(&p->log), g, r->match.key, happened);
    if (done == OK && run->reader.head.seats != r->match.seats)
        done = ERR_FORMAT;
    if (done == OK) {
        history_add(h, r->game, happened, r->match.started_ms, run->reader.at);
        for (happened->count = 0; (done = replay_step(run, 1, happened)) == 1; happened->count = 0)
            if (run->entry.kind == REPLAY_ACTION) {
                uint32_t before = h->events;
                history_add(h, r->game, happened, pieces_time(p, run->entry.offset, &piece), run->reader.at);
                note_action(r, &run->entry, before, h->events > before);
            }
        g->payoffs(&run->state, r->payoffs);
    }
    free(happened);
    free(run);
    return done;
}

struct replay_job {
    struct replayed *replayed;
    const struct pieces *pieces;
    struct history history;
    int err;
};

// In a job this runs on a worker thread: it may touch nothing but its argument.
static void run_replay(void *arg)
{
    struct replay_job *p = arg;
    p->err = replay_log(p->replayed, p->pieces, &p->history);
}

// A long match takes some milliseconds, so in a job a worker thread replays it.
static int replay_pieces(struct replayed *r, const struct pieces *p, struct work *work)
{
    struct replay_job job = {.replayed = r, .pieces = p};
    struct history *h = &job.history;
    work_offload(work, run_replay, &job);
    r->event = h->entry;
    r->first = h->first;
    r->at_ms = h->at_ms;
    r->events = h->events;
    free(h->moment);
    return job.err;
}

static bool matches_record(const struct replayed *r)
{
    if (r->match.status != STORE_FINISHED)
        return true;
    return r->events == r->match.events &&
           memcmp(r->payoffs, r->match.payoffs, (size_t)r->match.seats * sizeof *r->payoffs) == 0;
}

int replayed_load(struct replayed *r, struct lobby *l, struct uuid match)
{
    *r = (struct replayed){0};
    if (!store_find_match(l->store, match, &r->match) || !(r->game = lobby_find_game(l, span_of(r->match.game))))
        return ERR_UNKNOWN;
    struct pieces p;
    int err = pieces_read(&p, l->store, match);
    if (err == OK)
        err = replay_pieces(r, &p, l->o.work);
    r->log = p.log;
    free(p.at);
    if (err == OK && !matches_record(r))
        err = ERR_MISMATCH;
    if (err != OK)
        replayed_release(r);
    return err;
}

int replayed_load_log(struct replayed *r, struct lobby *l, const struct store_match *m, struct text log)
{
    struct moment end = {.at_ms = m->finished_ms, .end = UINT32_MAX};
    struct pieces p = {.log = log, .at = &end, .count = 1};
    *r = (struct replayed){.match = *m, .game = lobby_find_game(l, span_of(m->game)), .log = log};
    int err = r->game ? replay_pieces(r, &p, l->o.work) : ERR_UNKNOWN;
    r->match.events = r->events;
    if (err == OK && !matches_record(r))
        err = ERR_MISMATCH;
    if (err != OK)
        replayed_release(r);
    return err;
}

int replayed_load_from(struct replayed *r, const struct lobby_game *g, const struct store_match *m,
                       const struct replayed_source *from)
{
    struct pieces p;
    *r = (struct replayed){.match = *m, .game = g, .keeps_actions = true};
    int err = pieces_read_from(&p, from);
    if (err == OK)
        err = replay_pieces(r, &p, NULL);
    r->log = p.log;
    free(p.at);
    if (err == OK && !matches_record(r))
        err = ERR_MISMATCH;
    uint32_t sound = r->actions;
    if (err != OK) {
        replayed_release(r);
        r->actions = sound; // how many actions were sound
    }
    return err;
}

void replayed_release(struct replayed *r)
{
    free(r->event);
    free(r->first);
    free(r->at_ms);
    free(r->log.at);
    free(r->action);
    *r = (struct replayed){0};
}

bool replayed_event(const struct replayed *r, uint32_t seq, struct match_event *out)
{
    struct history h = {.entry = r->event, .first = r->first, .at_ms = r->at_ms, .events = r->events};
    return history_event(&h, seq, out);
}
