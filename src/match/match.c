#include "match/match.h"

#include "match/replay.h"

#include <assert.h>
#include <string.h>

// Log

// Asked before anything changes: what is accepted can always be written (F8.6).
static bool log_has_room(const struct match *m)
{
    struct text *t = m->log;
    if (!t)
        return true;
    enum { ROOM = REPLAY_ENTRY_ROOM + 64 }; // with the ticks before it and the hash after it
    return !t->full && (t->room - t->size >= ROOM || (t->grow && t->grow(t, ROOM)));
}

static void log_ticks(struct match *m)
{
    if (!m->pending_ticks)
        return;
    struct replay_entry e = {.kind = REPLAY_TICKS, .ticks = m->pending_ticks};
    replay_write_entry(m->log, &e, m->seats);
    m->pending_ticks = 0;
}

static void log_hash(struct match *m)
{
    struct replay_entry e = {.kind = REPLAY_HASH, .hash = game_hash(m->game, &m->state)};
    replay_write_entry(m->log, &e, m->seats);
    m->since_hash = 0;
}

static void log_step(struct match *m, const struct replay_entry *e)
{
    m->steps++;
    if (!m->log)
        return;
    log_ticks(m);
    replay_write_entry(m->log, e, m->seats);
    if (++m->since_hash == MATCH_HASH_EVERY)
        log_hash(m);
}

static void log_tick(struct match *m)
{
    m->steps++;
    if (!m->log)
        return;
    m->pending_ticks++;
    if (++m->since_hash < MATCH_HASH_EVERY)
        return;
    log_ticks(m);
    log_hash(m);
}

// Start

static struct replay_head head_of(const struct match_setup *setup, const union game_rules *rules)
{
    struct replay_head h = {
        .rules_version = setup->game->version,
        .rules = {(const char *)rules->byte, setup->game->rules_size},
        .seats = setup->seats,
        .has_seed = setup->has_seed,
        .has_key = setup->open_key,
        .seed = setup->seed,
    };
    assert(strlen(setup->game->name) < sizeof h.game);
    memcpy(h.game, setup->game->name, strlen(setup->game->name));
    memcpy(h.commitment, setup->commitment, sizeof h.commitment);
    memcpy(h.key, setup->key, sizeof h.key);
    memcpy(h.name, setup->name, sizeof h.name);
    return h;
}

int match_start(struct match *m, const struct match_setup *setup, struct text *log, struct game_events *out)
{
    const struct game *g = setup->game;
    assert(g->rules_size <= GAME_MAX_RULES && g->state_size <= GAME_MAX_STATE && g->view_size <= GAME_MAX_VIEW);
    assert(!log || log->size == 0);
    *m = (struct match){.game = g, .seats = setup->seats, .root = rng_from_key(setup->key), .log = log};
    if (setup->rules)
        memcpy(&m->rules, setup->rules, g->rules_size);
    else
        g->defaults(&m->rules);
    if (setup->has_seed && g->seed)
        g->seed(&m->rules, setup->seed);
    if (setup->seats < g->min_seats || setup->seats > g->max_seats)
        return ERR_RULES;
    int err = g->init(&m->state, &m->rules, m->seats, rng_split(&m->root, MATCH_CHANCE), out);
    if (err != OK || !log)
        return err;
    struct replay_head head = head_of(setup, &m->rules);
    replay_write_head(log, &head);
    if (!log->full)
        return OK;
    log->size = 0;
    return ERR_FULL;
}

// Play

// Where the events of a step are written. A listener gets them alone, before they are added to `out`.
static struct game_events *step_begin(const struct match *m, struct game_events *out)
{
    if (!m->listener)
        return out;
    m->listener->events->count = m->listener->events->ticks = 0;
    return m->listener->events;
}

static void step_end(const struct match *m, struct game_events *out)
{
    if (!m->listener)
        return;
    const struct game_events *e = m->listener->events;
    m->listener->heard(m->listener, m, e);
    for (uint32_t i = 0; out && i < e->count && out->count < GAME_MAX_EVENTS; i++)
        out->at[out->count++] = e->at[i];
    if (out)
        out->ticks += e->ticks;
}

static int apply_action(struct match *m, int seat, struct game_action a, bool silent, struct game_events *out)
{
    if (!log_has_room(m))
        return ERR_FULL;
    struct game_events *to = step_begin(m, out);
    int err = m->history ? game_apply_kept(m->game, &m->state, m->history, seat, a, to, NULL)
                         : m->game->apply(&m->state, seat, a, to);
    if (err != OK)
        return err;
    struct replay_entry e = {.kind = REPLAY_ACTION, .seat = seat, .action = a, .silent = silent, .source = m->source};
    log_step(m, &e);
    step_end(m, out);
    return OK;
}

static int play_drop(struct match *m, int seat, int reason, struct game_events *out)
{
    struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)seat, (uint8_t)reason}};
    int err = apply_action(m, GAME_MASTER, drop, false, out);
    if (err == OK)
        m->leaving &= (seat_set)~SEAT(seat);
    return err;
}

// After every change: drop the seats that are leaving and are asked now (F6.2).
static void drop_leaving(struct match *m, struct game_events *out)
{
    if (!m->leaving)
        return;
    struct game_turn turn = m->game->turn(&m->state);
    while (turn.kind != TURN_OVER && (turn.seats & m->leaving)) {
        int seat = __builtin_ctz((unsigned)(turn.seats & m->leaving));
        if (play_drop(m, seat, m->leave_reason[seat], out) != OK)
            break; // no room in the log: it waits for the next call
        turn = m->game->turn(&m->state);
    }
}

static int apply_answer(struct match *m, int seat, struct game_turn turn, struct game_action a, bool silent,
                        struct game_events *out)
{
    // When the game is over it is the game that refuses: some can be started anew.
    if (seat < 0 || seat >= m->seats || (turn.kind != TURN_OVER && !(turn.seats & SEAT(seat))))
        return ERR_SEAT;
    int err = apply_action(m, seat, a, silent, out);
    if (err == OK)
        drop_leaving(m, out);
    return err;
}

int match_answer(struct match *m, int seat, uint32_t number, struct game_action a, struct game_events *out)
{
    struct game_turn turn = m->game->turn(&m->state);
    if (number != turn.number && turn.kind != TURN_FREE && turn.kind != TURN_OVER)
        return ERR_STALE;
    return apply_answer(m, seat, turn, a, false, out);
}

int match_play_fallback(struct match *m, int seat, struct game_events *out)
{
    struct game_turn turn = m->game->turn(&m->state);
    if (turn.kind == TURN_OVER)
        return ERR_OVER;
    if (seat < 0 || seat >= m->seats || !(turn.seats & SEAT(seat)))
        return ERR_SEAT;
    return apply_answer(m, seat, turn, m->game->fallback(&m->state, seat), true, out);
}

static int leave_later(struct match *m, int seat, int reason)
{
    if (m->leaving & SEAT(seat))
        return OK;
    if (!log_has_room(m))
        return ERR_FULL;
    m->leaving |= SEAT(seat);
    m->leave_reason[seat] = (uint8_t)reason;
    if (!m->log)
        return OK;
    struct replay_entry e = {.kind = REPLAY_LEAVE, .seat = seat, .reason = (uint8_t)reason};
    log_ticks(m);
    replay_write_entry(m->log, &e, m->seats);
    return OK;
}

int match_drop(struct match *m, int seat, int reason, struct game_events *out)
{
    if (seat < 0 || seat >= m->seats)
        return ERR_SEAT;
    struct game_turn turn = m->game->turn(&m->state);
    if (turn.kind == TURN_OVER)
        return ERR_OVER;
    if (!(turn.seats & SEAT(seat)))
        return leave_later(m, seat, reason);
    int err = play_drop(m, seat, reason, out);
    if (err == OK)
        drop_leaving(m, out);
    return err;
}

int match_oversee(struct match *m, struct game_action a, struct game_events *out)
{
    if (a.kind == GAME_DROP)
        return match_drop(m, a.arg[0], a.arg[1], out);
    int err = apply_action(m, GAME_MASTER, a, false, out);
    if (err == OK)
        drop_leaving(m, out);
    return err;
}

int match_stack(struct match *m, const uint8_t *items, int count)
{
    if (!m->game->stack || count < 0 || count > MATCH_MAX_ITEMS)
        return ERR_RULES;
    if (!log_has_room(m))
        return ERR_FULL;
    int err = m->game->stack(&m->state, items, count);
    if (err != OK)
        return err;
    struct replay_entry e = {.kind = REPLAY_STACK, .items = {(const char *)items, (size_t)count}};
    log_step(m, &e);
    return OK;
}

int match_tick(struct match *m, struct game_events *out)
{
    assert(m->game->tick);
    if (!log_has_room(m))
        return ERR_FULL;
    struct game_events *to = step_begin(m, out);
    if (m->history)
        game_tick_kept(m->game, &m->state, m->history, to, NULL);
    else
        m->game->tick(&m->state, to);
    log_tick(m);
    step_end(m, out);
    drop_leaving(m, out);
    return OK;
}

int match_resume(struct match *m, const struct replay_run *run, struct text *log, struct game_events *out)
{
    if (run->ended)
        return ERR_OVER;
    assert(!log || log->size == 0);
    const struct replay_head *head = &run->reader.head;
    *m = (struct match){.game = run->game,
                        .seats = head->seats,
                        .rules = run->rules,
                        .state = run->state,
                        .root = run->root,
                        .leaving = run->leaving,
                        .steps = run->steps,
                        .since_hash = run->since_hash,
                        .log = log};
    memcpy(m->leave_reason, run->leave_reason, sizeof m->leave_reason);
    if (log)
        replay_write_prefix(log, run, head);
    if (log && log->full) {
        log->size = 0;
        return ERR_FULL;
    }
    if (log && m->since_hash == MATCH_HASH_EVERY) // cut right before it
        log_hash(m);
    drop_leaving(m, out);
    return OK;
}

// End

int match_checkpoint(struct match *m)
{
    if (!m->log || !m->since_hash)
        return OK;
    if (!log_has_room(m))
        return ERR_FULL;
    log_ticks(m);
    log_hash(m);
    return OK;
}

int match_finish(struct match *m, const uint8_t key[RNG_KEY_BYTES], bool reveal)
{
    if (!m->log)
        return OK;
    if (!log_has_room(m))
        return ERR_FULL;
    struct replay_entry e = {.kind = REPLAY_END, .hash = game_hash(m->game, &m->state), .has_key = reveal};
    m->game->payoffs(&m->state, e.payoffs);
    if (reveal)
        memcpy(e.key, key, sizeof e.key);
    log_ticks(m);
    replay_write_entry(m->log, &e, m->seats);
    m->log = NULL;
    return OK;
}

bool match_is_over(const struct match *m)
{
    return m->game->turn(&m->state).kind == TURN_OVER;
}

struct rng match_bot_stream(const struct match *m, int seat)
{
    struct rng bots = rng_split(&m->root, MATCH_BOTS);
    return rng_split(&bots, (uint64_t)seat);
}

uint32_t match_events_for(const struct game_events *e, int viewer, struct game_event *out, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->count && count < room; i++)
        if (e->at[i].to & SEAT(viewer))
            out[count++] = e->at[i];
    return count;
}
