// Notes that players gave with their decisions, from the store. The log is replayed to find when each was asked and
// which events it caused.
#include "lobby/internal.h"
#include "lobby/replayed.h"

#include "work/work.h"

#include <stdlib.h>

// The parts of a log that have a note, with their offsets.
struct noted {
    size_t begin;
    int64_t at_ms;
    struct span note; // on the heap
};

struct noted_log {
    struct text log;
    struct noted *at;
    uint32_t count, room;
};

static bool add_piece(void *owner, int64_t at_ms, struct span log, struct span note)
{
    struct noted_log *r = owner;
    if (note.size > 2) {
        if (r->count == r->room) {
            r->room = r->room ? 2 * r->room : 64;
            r->at = lobby_realloc(r->at, r->room * sizeof *r->at);
        }
        char *copy = lobby_alloc(note.size);
        memcpy(copy, note.at, note.size);
        r->at[r->count++] = (struct noted){r->log.size, at_ms, {copy, note.size}};
    }
    text_put(&r->log, log);
    return !r->log.full;
}

// When each seat was asked the current question.
struct questions {
    struct game_turn turn;
    int64_t at_ms[GAME_MAX_SEATS];
};

static void note_asked(struct questions *a, struct game_turn turn, int seats, int64_t at_ms)
{
    seat_set fresh = turn.number == a->turn.number ? turn.seats & (seat_set)~a->turn.seats : turn.seats;
    for (int i = 0; i < seats; i++)
        if (fresh & SEAT(i))
            a->at_ms[i] = at_ms;
    a->turn = turn;
}

static int replay_notes(const struct noted_log *r, const struct replayed *replay,
                        const struct replayed_listener *listener)
{
    struct replay_run *run = lobby_alloc(sizeof *run);
    struct game_events *happened = lobby_alloc(sizeof *happened);
    struct history h = {0};
    struct questions asked = {0};
    const struct game *g = game_of(replay->game);
    uint32_t next = 0;
    int seats = replay->match.seats;
    int done = replay_begin(run, text_span(&r->log), g, replay->match.key, happened);
    if (done == OK) {
        history_add(&h, replay->game, happened, 0, 0);
        note_asked(&asked, g->turn(&run->state), seats, replay->match.started_ms);
    }
    while (done == OK && next < r->count) {
        uint32_t before = h.events;
        happened->count = 0;
        if ((done = replay_step(run, 1, happened)) != 1)
            break;
        done = OK;
        if (run->entry.kind != REPLAY_ACTION)
            continue;
        history_add(&h, replay->game, happened, 0, 0);
        struct match_event e = {0};
        replayed_event(replay, before < replay->events ? before : replay->events - 1, &e);
        if (run->entry.offset >= r->at[next].begin && run->entry.seat < seats) {
            const struct noted *n = &r->at[next++];
            listener->on_decision(listener->owner,
                                  &(struct lobby_aside){.at_ms = n->at_ms,
                                                        .events = before,
                                                        .seq = before,
                                                        .kind = LOBBY_DECISION,
                                                        .seat = (uint8_t)run->entry.seat,
                                                        .latency_ms = n->at_ms - asked.at_ms[run->entry.seat],
                                                        .note = n->note});
        }
        note_asked(&asked, g->turn(&run->state), seats, e.at_ms);
    }
    history_release(&h);
    free(happened);
    free(run);
    return done < 0 ? done : OK;
}

struct note_replay {
    const struct noted_log *reading;
    const struct replayed *replay;
    const struct replayed_listener *listener;
    int err;
};

static void run_replay(void *arg)
{
    struct note_replay *f = arg;
    f->err = replay_notes(f->reading, f->replay, f->listener);
}

int replayed_decisions(const struct replayed *replay, struct lobby *l, const struct replayed_listener *listener)
{
    struct noted_log r = {.log = {.grow = live_match_log_grow}};
    int err = store_read_log(l->store, replay->match.id, add_piece, &r);
    if (err == OK && r.count) {
        struct note_replay f = {.reading = &r, .replay = replay, .listener = listener};
        work_offload(l->o.work, run_replay, &f); // takes some milliseconds
        err = f.err;
    }
    for (uint32_t i = 0; i < r.count; i++)
        free((char *)r.at[i].note.at);
    free(r.at);
    free(r.log.at);
    return err == ERR_UNKNOWN ? OK : err; // a game of a tournament without agents: its players gave no notes
}
