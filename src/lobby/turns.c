// Questions and answers: who is asked, until when, and what a wrong or missing answer costs (F4.1 to F4.16).
#include "lobby/internal.h"

#include <assert.h>

struct game_events *turns_listen(struct lobby *l)
{
    l->happened.count = l->happened.ticks = 0;
    return &l->happened;
}

const struct lobby_presence *turns_link(const struct lobby_seat *s)
{
    const struct lobby_agent *a = s->agent;
    return is_online(a) && a->synced && !s->house ? &a->presence : NULL;
}

// S57: the clock stands, because answers of players at other nodes cannot arrive without the bus.
static bool is_clock_stopped(const struct lobby *l, const struct lobby_seat *s)
{
    return l->cut_ms && !s->house && !is_here(s->agent);
}

void turns_schedule(struct lobby *l, struct live_match *b)
{
    int64_t due_ms = NEVER;
    for (int i = 0; i < b->record.seats; i++)
        if (b->seat[i].awaited && b->seat[i].due_ms < due_ms && !is_clock_stopped(l, &b->seat[i]))
            due_ms = b->seat[i].due_ms;
    timer_set(l, &b->timer, due_ms);
}

// --- sending

void turns_notify(struct lobby_seat *s, int64_t drop)
{
    const struct lobby_presence *p = turns_link(s);
    uint32_t to = s->live->history.events;
    if (!p || (s->fed == to && drop < 0))
        return;
    uint32_t from = s->fed;
    s->fed = to;
    p->link->on_events(p->client, s, from, to, drop);
}

// F4.10: a decision never takes longer than twice its time.
static int64_t full_time(const struct lobby *l, const struct lobby_seat *s, int64_t now_ms)
{
    int64_t usual_ms = now_ms + l->o.turn_timeout_ms, most_ms = s->first_ms + 2 * l->o.turn_timeout_ms;
    return usual_ms < most_ms ? usual_ms : most_ms;
}

// AGAIN: with the whole history, as after a reconnect (F4.20).
enum ask_kind { ASK_FIRST, ASK_RETRY, ASK_AGAIN };

static void send_ask(struct lobby *l, struct lobby_seat *s, enum ask_kind kind, int64_t now_ms)
{
    const struct lobby_presence *p = turns_link(s);
    if (!p)
        return;
    struct lobby_ask ask = {.request = lobby_random_id(l),
                            .timeout_ms = s->due_ms - now_ms,
                            .first_event = s->sent,
                            .retry = kind != ASK_FIRST && s->retried,
                            .again = kind == ASK_AGAIN || s->doubtful};
    s->doubtful = false;
    s->request = ask.request;
    s->written_ms = NEVER;
    // F4.5: a retry keeps the deadline of the first question.
    s->clock_waits = kind != ASK_RETRY;
    s->sent_before = s->sent;
    s->sent = s->fed = s->live->history.events;
    p->link->on_ask(p->client, s, &ask);
}

void turns_resend(struct lobby *l, struct lobby_seat *s, int64_t now_ms, bool first)
{
    int64_t due_ms = full_time(l, s, now_ms);
    if (due_ms <= now_ms)
        return; // its time is up
    s->due_ms = due_ms;
    turns_schedule(l, s->live);
    send_ask(l, s, first ? ASK_FIRST : ASK_AGAIN, now_ms);
}

void lobby_asked(struct lobby *l, struct lobby_seat *s, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (!s->awaited || s->written_ms != NEVER || uuid_is_none(s->request))
        return;
    // F4.8: only now does the clock start. Until then due_ms was what it would be if the frame were written at once.
    s->written_ms = now_ms;
    if (!s->clock_waits)
        return;
    if (!s->begun)
        s->first_ms = now_ms;
    s->begun = true;
    s->clock_waits = false;
    s->due_ms = full_time(l, s, now_ms);
    turns_schedule(l, s->live);
}

// --- asking

void turns_end(struct lobby_seat *s)
{
    house_cancel_decision(s);
    s->awaited = s->begun = s->retried = s->clock_waits = false;
    s->request = (struct uuid){0};
    s->due_ms = s->written_ms = NEVER;
}

static void start_question(struct lobby *l, struct lobby_seat *s, int64_t now_ms)
{
    if (!s->awaited) {
        s->first_ms = now_ms;
        s->awaited = true;
    }
    // For a house bot this is no deadline but the time at which it moves.
    s->due_ms = s->house ? now_ms + house_think(l) : full_time(l, s, now_ms);
}

// Seats that are asked now and were not before. With --strict-compat all remaining seats, when one has passed (F4.14).
static seat_set find_fresh(const struct lobby *l, const struct live_match *b, struct game_turn turn)
{
    // F4.1: another number is another question, whoever is asked.
    if (turn.number != b->number)
        return turn.seats;
    if (l->o.strict_compat && turn.seats != b->asked && l->happened.count)
        return turn.seats;
    return turn.seats & (seat_set)~b->asked;
}

// F4.12: the seat of the last event is the claimant, since every window is opened by an action or a block.
static void note_claimant(struct live_match *b, struct game_turn turn)
{
    const struct history *h = &b->history;
    if (turn.number != b->number && h->events)
        b->claimant = h->entry[h->first[h->events - 1]].seat;
    if (b->claimant >= b->record.seats)
        b->claimant = 0;
}

static void ask_fresh(struct lobby *l, struct live_match *b, seat_set fresh, int64_t drop, int64_t now_ms)
{
    for (int i = 0, seat = b->claimant; i < b->record.seats; i++) {
        seat = seat + 1 < b->record.seats ? seat + 1 : 0;
        struct lobby_seat *s = &b->seat[seat];
        if (!(fresh & SEAT(seat)))
            continue;
        start_question(l, s, now_ms);
        const struct lobby_presence *p = drop < 0 ? NULL : turns_link(s);
        if (p) // F4.18; the events themselves are part of the question
            p->link->on_events(p->client, s, b->history.events, b->history.events, drop);
        send_ask(l, s, ASK_FIRST, now_ms);
    }
}

void turns_put(struct lobby *l, struct live_match *b, int64_t drop, int64_t now_ms)
{
    struct game_turn turn = game_of(b->game)->turn(&b->match->state);
    seat_set fresh = find_fresh(l, b, turn);
    note_claimant(b, turn);
    for (int i = 0; i < b->record.seats; i++)
        if (b->seat[i].awaited && (turn.number != b->number || !(turn.seats & SEAT(i))))
            turns_end(&b->seat[i]);
    b->number = turn.number;
    b->asked = turn.seats;
    // F2.13, row 8: everybody's events before anybody's question.
    bool begins = b->match->steps == 0; // F4.23: the feed begins after the first action
    for (int i = 0; i < b->record.seats && !begins; i++)
        if (!(fresh & SEAT(i)))
            turns_notify(&b->seat[i], drop);
    watch_note_turn(l, b, now_ms);
    ask_fresh(l, b, fresh, drop, now_ms);
    turns_schedule(l, b);
}

// --- after a step

// By the event's name, because every game has a kind of its own for it.
static int64_t find_drop(const struct live_match *b, uint32_t from)
{
    for (uint32_t seq = from; seq < b->history.events; seq++) {
        const struct game_event *e = &b->history.entry[b->history.first[seq]];
        if (strcmp(b->game->codec->event_types[e->kind], "player_disconnected") == 0)
            return seq;
    }
    return -1;
}

// F4.21: after a restart, game_start is not repeated to the same process, so the store must know who was not told.
// Frames that wait for the disk have not left: a house bot may move before any player was told.
static void note_unreported(struct lobby *l, struct live_match *b)
{
    seat_set unreported = 0;
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].house && !live_match_has_sent_start(l, &b->seat[i]))
            unreported |= SEAT(i);
    if (unreported != b->record.unreported)
        store_mark_unreported(l->store, b->record.id, unreported);
    b->record.unreported = unreported;
}

void turns_done(struct lobby *l, struct live_match *b, bool dropped, struct span note, int64_t now_ms)
{
    uint32_t before = b->history.events;
    history_add(&b->history, b->game, &l->happened, now_ms, b->log.size);
    history_note_swing(&b->history, b->game, &b->match->state, b->record.seats);
    struct span piece = {b->log.at + b->stored, b->log.size - b->stored};
    note_unreported(l, b);
    store_append(l->store, b->record.id, now_ms, piece, note);
    // The store has the log up to here; only what follows is appended.
    b->stored = b->log.size;
    watch_schedule(l, b);
    int64_t drop = dropped ? find_drop(b, before) : -1;
    if (match_is_over(b->match))
        results_finish(l, b, drop, now_ms);
    else
        turns_put(l, b, drop, now_ms);
}

// --- strikes (F4.9, F4.16)

static void play_fallback(struct lobby *l, struct lobby_seat *s, int64_t now_ms)
{
    struct live_match *b = s->live;
    turns_end(s);
    if (match_play_fallback(b->match, s->index, turns_listen(l)) != OK) {
        results_cancel(l, b, now_ms);
        return;
    }
    l->figures.fallbacks++;
    turns_done(l, b, false, (struct span){0}, now_ms);
}

// A drop that ends a match of two is a forfeit; a match of teams ends whoever is dropped.
static bool is_forfeit(const struct live_match *b)
{
    const struct game *g = game_of(b->game);
    return g->teams || !b->game->in_play || b->game->in_play(&b->match->state) <= 2;
}

static void drop_seat(struct lobby *l, struct lobby_seat *s, enum lobby_forfeit cause, int64_t now_ms)
{
    struct live_match *b = s->live;
    bool forfeit = is_forfeit(b);
    turns_end(s);
    if (match_drop(b->match, s->index, (int)cause - LOBBY_FORFEIT_DISCONNECT, turns_listen(l)) != OK) {
        results_cancel(l, b, now_ms);
        return;
    }
    l->figures.drops++;
    b->record.seat[s->index].dropped = true;
    s->agent->active -= !s->house;
    store_mark_dropped(l->store, b->record.id, s->index);
    if (forfeit && match_is_over(b->match)) {
        b->record.forfeited_by = (int8_t)s->index;
        b->record.forfeit_reason = (uint8_t)cause;
    }
    turns_done(l, b, true, (struct span){0}, now_ms);
}

static void add_strike(struct lobby *l, struct lobby_seat *s, enum lobby_forfeit cause, int64_t now_ms)
{
    l->figures.strikes++;
    // F4.9: strikes are never reset within a match.
    if (s->strikes++ == 0)
        play_fallback(l, s, now_ms);
    else
        drop_seat(l, s, cause, now_ms);
}

static void add_late_strike(struct lobby *l, struct lobby_seat *s, int64_t now_ms)
{
    add_strike(l, s, is_online(s->agent) ? LOBBY_FORFEIT_TIMEOUT : LOBBY_FORFEIT_DISCONNECT, now_ms);
}

// Handles one late seat, so that all matches get their turn. Its effects set the timer again.
void turns_fire(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct live_match *b = TIMER_OWNER(t, struct live_match, timer);
    struct lobby_seat *late = NULL;
    for (int i = 0; i < b->record.seats; i++) {
        struct lobby_seat *s = &b->seat[i];
        if (s->awaited && s->due_ms <= now_ms && !is_clock_stopped(l, s) && (!late || s->due_ms < late->due_ms))
            late = s;
    }
    if (!late)
        turns_schedule(l, b);
    else if (late->house)
        house_move(l, late, now_ms);
    else
        add_late_strike(l, late, now_ms);
}

void lobby_set_cut(struct lobby *l, bool cut, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (cut == (l->cut_ms != 0))
        return;
    int64_t gone_ms = cut ? 0 : now_ms - l->cut_ms;
    for (struct live_match *b = l->running; b; b = b->older)
        for (int i = 0; i < b->record.seats; i++) {
            struct lobby_seat *s = &b->seat[i];
            if (!s->awaited || !is_clock_stopped(l, s))
                continue;
            if (s->due_ms != NEVER)
                s->due_ms += gone_ms;
            s->first_ms += gone_ms;
        }
    l->cut_ms = cut ? now_ms : 0;
    for (struct live_match *b = l->running; b; b = b->older)
        turns_schedule(l, b);
}

// --- answers

enum lobby_verdict lobby_judge(const struct lobby_seat *s, const struct uuid *request, int64_t read_ms)
{
    if (!s->awaited || s->live->over || uuid_is_none(s->request))
        return LOBBY_STALE;
    if (!request)
        return read_ms >= s->written_ms ? LOBBY_AWAITED : LOBBY_STALE; // F4.7
    return uuid_equals(*request, s->request) ? LOBBY_AWAITED : LOBBY_STALE;
}

bool lobby_is_legal(const struct lobby_seat *s, struct game_action a)
{
    return s->awaited && game_is_legal(game_of(s->live->game), &s->live->match->state, s->index, a);
}

bool lobby_has_retry(const struct lobby_seat *s)
{
    return !s->retried;
}

int lobby_answer(struct lobby *l, struct lobby_seat *s, struct game_action a, struct span note, int64_t now_ms)
{
    l->now_ms = now_ms;
    struct live_match *b = s->live;
    if (!s->awaited || b->over)
        return ERR_STALE;
    if (store_fault(l->store)[0])
        return ERR_STORAGE;
    int err = match_answer(b->match, s->index, b->number, a, turns_listen(l));
    // The log has reached LOBBY_MAX_LOG.
    if (err == ERR_FULL)
        results_cancel(l, b, now_ms);
    if (err != OK)
        return err == ERR_FULL ? ERR_STORAGE : err;
    latency_note(s->latency, now_ms - s->first_ms);
    s->proven = s->sent;
    s->start_due = false; // an answer proves that the player knows of the match
    turns_end(s);
    l->figures.actions++;
    watch_note_decision(l, b, s, b->history.events, note, now_ms);
    turns_done(l, b, false, note, now_ms);
    return OK;
}

void lobby_refuse(struct lobby *l, struct lobby_seat *s, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (!s->awaited || s->live->over)
        return;
    if (s->retried) { // F4.6
        add_strike(l, s, LOBBY_FORFEIT_INVALID_ACTION, now_ms);
        return;
    }
    if (s->due_ms <= now_ms) { // F4.5: no time is left
        const struct lobby_presence *p = turns_link(s);
        if (p)
            p->link->on_stale(p->client, s, NULL);
        add_late_strike(l, s, now_ms);
        return;
    }
    s->retried = true;
    send_ask(l, s, ASK_RETRY, now_ms);
}

void lobby_fail(struct lobby *l, struct lobby_seat *s, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (s->awaited && !s->live->over)
        add_strike(l, s, LOBBY_FORFEIT_DISCONNECT, now_ms);
}
