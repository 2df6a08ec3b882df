// Resumes matches after a restart: the log is replayed and tells strikes, drops and events (F8.5, F8.6).
#include "lobby/internal.h"
#include "lobby/replayed.h"

#include <stdlib.h>

// --- a log as read from the store

static bool add_piece(void *owner, int64_t at_ms, struct span log, struct span note)
{
    struct pieces *p = owner;
    (void)note;
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 64;
        p->at = lobby_realloc(p->at, p->room * sizeof *p->at);
    }
    text_put(&p->log, log);
    p->at[p->count++] = (struct moment){.at_ms = at_ms, .end = (uint32_t)p->log.size};
    return !p->log.full;
}

int pieces_read_from(struct pieces *p, const struct replayed_source *from)
{
    *p = (struct pieces){.log = {.grow = live_match_log_grow}};
    int err = from->read(from->owner, add_piece, p);
    return err == OK && (p->log.full || !p->count) ? ERR_FORMAT : err;
}

struct stored_log {
    struct store *store;
    struct uuid match;
};

static int read_stored(void *owner, store_each *each, void *to)
{
    const struct stored_log *l = owner;
    return store_read_log(l->store, l->match, each, to);
}

int pieces_read(struct pieces *p, struct store *s, struct uuid match)
{
    struct stored_log log = {s, match};
    return pieces_read_from(p, &(struct replayed_source){read_stored, &log});
}

// Callers go through the log from its beginning, so the search continues where the last one ended.
int64_t pieces_time(const struct pieces *p, size_t offset, uint32_t *hint)
{
    while (*hint + 1 < p->count && p->at[*hint].end <= offset)
        ++*hint;
    return p->at[*hint].at_ms;
}

// --- what the log tells about the players

struct replay_progress {
    struct live_match *b;
    struct game_turn turn;
    int64_t asked_ms[GAME_MAX_SEATS];
};

static void note_questions(struct replay_progress *t, const void *state, int64_t at_ms)
{
    struct game_turn turn = game_of(t->b->game)->turn(state);
    seat_set fresh = turn.number == t->turn.number ? turn.seats & (seat_set)~t->turn.seats : turn.seats;
    for (int i = 0; i < t->b->record.seats; i++)
        if (fresh & SEAT(i)) {
            t->asked_ms[i] = at_ms;
            t->b->seat[i].sent = t->b->history.events;
        }
    t->turn = turn;
}

// An answer proves that the question had arrived, with the events sent by then.
static void note_answer(struct replay_progress *t, const struct replay_entry *e, int64_t at_ms)
{
    struct lobby_seat *s = &t->b->seat[e->seat];
    if (e->silent) {
        s->strikes++;
        return;
    }
    // A player who reconnected within a window was asked again with the events in it, which the log does not show.
    s->proven = s->sent == t->b->history.events ? s->sent : 0;
    if (!s->house)
        latency_note(s->latency, at_ms - t->asked_ms[e->seat]);
}

static void note_entry(struct replay_progress *t, const struct replay_entry *e, int64_t at_ms)
{
    if (e->seat < t->b->record.seats)
        note_answer(t, e, at_ms);
    else if (e->seat == GAME_MASTER && e->action.kind == GAME_DROP && e->action.arg[0] < t->b->record.seats)
        t->b->record.seat[e->action.arg[0]].dropped = true;
}

static int replay_pieces(struct lobby *l, struct live_match *b, const struct pieces *p, struct replay_run *run)
{
    struct replay_progress t = {.b = b};
    uint32_t piece = 0;
    int64_t at_ms = b->record.started_ms;
    int done = replay_begin(run, text_span(&p->log), game_of(b->game), b->record.key, turns_listen(l));
    if (done != OK)
        return done;
    if (run->reader.head.seats != b->record.seats)
        return ERR_FORMAT;
    history_add(&b->history, b->game, &l->happened, at_ms, run->reader.at);
    history_note_swing(&b->history, b->game, &run->state, b->record.seats);
    note_questions(&t, &run->state, at_ms);
    while ((done = replay_step(run, 1, turns_listen(l))) == 1) {
        if (run->entry.kind != REPLAY_ACTION)
            continue;
        at_ms = pieces_time(p, run->entry.offset, &piece);
        note_entry(&t, &run->entry, at_ms);
        history_add(&b->history, b->game, &l->happened, at_ms, run->reader.at);
        history_note_swing(&b->history, b->game, &run->state, b->record.seats);
        note_questions(&t, &run->state, at_ms);
    }
    return done;
}

// --- one match

// With a damaged key the replay would deal other cards.
static bool is_true_key(const struct store_match *m)
{
    uint8_t hash[CRYPTO_SHA256_BYTES];
    crypto_sha256(hash, m->key, sizeof m->key);
    return crypto_equal(hash, m->commitment, sizeof hash);
}

static bool all_seated(const struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].agent)
            return false;
    return true;
}

static int restore_match(struct lobby *l, struct live_match *b, const struct pieces *p, int err)
{
    struct replay_run *run = lobby_alloc(sizeof *run);
    if (err == OK && !(is_true_key(&b->record) && all_seated(b)))
        err = ERR_COMMITMENT;
    if (err == OK)
        err = replay_pieces(l, b, p, run);
    if (err == OK) {
        b->match = lobby_alloc(sizeof *b->match);
        err = match_resume(b->match, run, &b->log, turns_listen(l));
        if (err == OK)
            house_take_seats(b, NULL);
    }
    b->stored = p->log.size;
    if (err == OK && b->log.size < b->stored)
        err = ERR_FORMAT; // the last entry is incomplete: what follows it would not be readable
    free(run);
    return err;
}

// The store does not know whether the agent wants to return to its queue. An agent on standby need not (F3.9, F3.10).
static void restore_seat(struct lobby_seat *s)
{
    const struct store_seat *seat = &s->live->record.seat[s->index];
    if (!s->live->match->steps)
        s->sent = 0;
    s->fed = s->sent;
    s->again = !s->house && !seat->one_shot && !s->agent->record.standby[0];
    // Seats that do not know of the start are recorded by receipts until the first action, then by turns_done (F4.21).
    seat_set unreported = s->live->record.unreported;
    s->start_sent =
        (s->live->match->steps > 0 || unreported & LIVE_MATCH_STARTS_KNOWN) && !(unreported & SEAT(s->index));
    s->agent->active += !s->house && !seat->dropped;
}

static bool continue_match(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    for (int i = 0; i < b->record.seats; i++)
        restore_seat(&b->seat[i]);
    // The last action was stored and the end was not, for example because it was refused (S41).
    if (match_is_over(b->match)) {
        results_finish(l, b, -1, now_ms);
        return false;
    }
    turns_put(l, b, -1, now_ms);
    return true;
}

void pieces_release(struct pieces *p)
{
    free(p->log.at);
    free(p->at);
    *p = (struct pieces){0};
}

struct live_match *resume_read(struct lobby *l, const struct store_match *m, struct pieces *p, int err, int64_t now_ms)
{
    const struct lobby_game *g = lobby_find_game(l, span_of(m->game));
    struct live_match *b = live_match_create(l, g ? g : &l->o.games[0]);
    b->record = *m;
    live_match_take_seats(l, b);
    if (g && restore_match(l, b, p, err) == OK)
        return continue_match(l, b, now_ms) ? b : NULL;
    for (int i = 0; i < b->record.seats; i++) // results_cancel expects them as active
        if (b->seat[i].agent && !b->seat[i].house && !b->record.seat[i].dropped)
            b->seat[i].agent->active++;
    results_cancel(l, b, now_ms);
    return NULL;
}

static void resume_one(struct lobby *l, struct uuid match, int64_t now_ms)
{
    struct store_match m;
    struct pieces p;
    if (!store_find_match(l->store, match, &m))
        return;
    int err = pieces_read(&p, l->store, match);
    resume_read(l, &m, &p, err, now_ms);
    pieces_release(&p);
}

void resume_all(struct lobby *l, int64_t now_ms)
{
    int total = 0;
    if (store_is_shared(l->store)) // matches of a shared store are adopted one by one (nodes.c)
        return;
    store_list_running(l->store, NULL, 0, &total);
    if (!total)
        return;
    struct uuid *running = lobby_alloc((size_t)total * sizeof *running);
    int count = store_list_running(l->store, running, total, &total);
    for (int i = 0; i < count; i++)
        resume_one(l, running[i], now_ms);
    free(running);
}
