#include "front/lines/internal.h"

#include <stdlib.h>

static const uint8_t kinds[] = {
    [ACTION_MOVE_LEFT] = TETRIS_MOVE_LEFT, [ACTION_MOVE_RIGHT] = TETRIS_MOVE_RIGHT,
    [ACTION_SOFT_DROP] = TETRIS_SOFT_DROP, [ACTION_HARD_DROP] = TETRIS_HARD_DROP,
    [ACTION_ROTATE_CW] = TETRIS_ROTATE_CW, [ACTION_ROTATE_CCW] = TETRIS_ROTATE_CCW,
    [ACTION_HOLD] = TETRIS_HOLD,           [ACTION_PAUSE] = TETRIS_PAUSE,
    [ACTION_RESTART] = TETRIS_RESTART,
};

const struct tetris_state *table_state(const struct table *t)
{
    return (const struct tetris_state *)t->match.state.byte;
}

static const struct tetris_facts *facts(const struct table *t)
{
    return &table_state(t)->facts;
}

struct table *table_create(struct adapter *a, const char *name)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->queue = calloc((size_t)a->options.max_pending, sizeof *t->queue);
    struct match_setup setup = {.game = &tetris_game, .rules = &a->options.rules, .seats = 1};
    // The log is that of main, which is made first and never removed.
    struct text *log = a->table_count == 0 ? a->log : NULL;
    memcpy(setup.key, a->options.key, sizeof setup.key);
    memcpy(setup.commitment, a->options.commitment, sizeof setup.commitment);
    if (!t->queue || match_start(&t->match, &setup, log, NULL) != OK) {
        free(t->queue);
        free(t);
        return NULL;
    }
    t->adapter = a;
    memcpy(t->name, name, strlen(name) + 1);
    TAILQ_INIT(&t->clients);
    TAILQ_INSERT_TAIL(&a->tables, t, all);
    a->table_count++;
    t->unattended_us = t->empty_us = a->now_us;
    table_control_changed(t);
    table_wake(t);
    return t;
}

void table_destroy(struct table *t)
{
    TAILQ_REMOVE(&t->adapter->tables, t, all);
    if (t->woken)
        TAILQ_REMOVE(&t->adapter->woken, t, wake);
    t->adapter->table_count--;
    free(t->queue);
    free(t);
}

void table_wake(struct table *t)
{
    if (t->woken)
        return;
    t->woken = true;
    TAILQ_INSERT_TAIL(&t->adapter->woken, t, wake);
}

bool table_in_lockstep(const struct table *t)
{
    return t->controller && t->controller->lockstep;
}

// --- the clock

static void set_running(struct table *t)
{
    // T3.35: real time runs while there is a controller, commands are queued or a person plays.
    bool attended = t->adapter->options.attended;
    bool run = attended || (!table_in_lockstep(t) && (t->controller || t->queue_count));
    if (run && !t->running)
        t->step_due_us = t->adapter->now_us + STEP_US; // time that stood still is not made up for
    t->running = run;
}

// The time of the rest is not made up for; steps stay 16 ms apart.
void table_end_rest(struct table *t)
{
    int64_t behind = t->adapter->now_us - t->step_due_us;
    if (t->rest_until_us && behind > 0)
        t->step_due_us += (behind + STEP_US - 1) / STEP_US * STEP_US;
    t->rest_until_us = 0;
}

// Simple clients use one line per read. If such a client stalls, it reads its ack and the first observation of the
// episode together, loses the latter, and waits for step_in_piece 1 forever. So this step is repeated in several
// observations until the controller sends something or has had time to. WebSocket clients read messages one by one.
static void begin_rest(struct table *t)
{
    const struct adapter_client *c = t->controller;
    if (c && c->pending && c->link->paced && t->queue_count == 0)
        t->rest_until_us = t->adapter->now_us + REST_US;
}

void table_control_changed(struct table *t)
{
    table_end_rest(t);
    t->controlled_us = t->adapter->now_us;
    if (t->controller)
        t->unattended_us = INT64_MAX;
    else if (t->unattended_us == INT64_MAX)
        t->unattended_us = t->adapter->now_us;
    set_running(t);
}

// --- commands

bool table_has_room(const struct table *t)
{
    return t->queue_count < t->adapter->options.max_pending;
}

void table_enqueue(struct table *t, struct adapter_client *from, const struct message *m)
{
    int at = (t->queue_first + t->queue_count++) % t->adapter->options.max_pending;
    t->queue[at] = (struct command){from, m->seq, m->command};
    set_running(t);
}

void table_remove_client(struct table *t, const struct adapter_client *c)
{
    for (int i = 0; i < t->queue_count; i++) {
        struct command *queued = &t->queue[(t->queue_first + i) % t->adapter->options.max_pending];
        if (queued->from == c)
            queued->from = NULL;
    }
}

// State before a step, to find what must be shown at once after it (T3.65).
struct mark {
    uint32_t piece_id, episode_id;
    uint64_t locks;
    uint8_t hold, paused, end;
};

static struct mark make_mark(const struct table *t)
{
    const struct tetris_facts *f = facts(t);
    return (struct mark){f->piece_id, f->episode_id, t->locks, f->hold, f->paused, f->end};
}

static bool is_news(struct mark a, struct mark b)
{
    return a.piece_id != b.piece_id || a.episode_id != b.episode_id || a.locks != b.locks || a.hold != b.hold ||
           a.paused != b.paused || (a.end != 0) != (b.end != 0);
}

// After one input, tick or placement: reports its locks to all observers.
static void handle_events(struct table *t)
{
    for (uint32_t i = 0; i < t->events.count; i++)
        if (t->events.at[i].kind == TETRIS_PIECE_LOCKED) {
            struct tetris_lock lock = tetris_event_lock(&t->events.at[i]);
            t->step_lock = lock;
            observations_add_lock(t, &lock);
        }
    t->events.count = 0;
}

// T3.48: an input without effect is no error, so the answer of the match does not matter.
static int apply_action(struct table *t, struct game_action a)
{
    int err = match_answer(&t->match, 0, 0, a, &t->events);
    if (a.kind == TETRIS_RESTART && err == OK)
        observations_clear_locks(t);
    handle_events(t);
    return err;
}

static void press_keys(struct table *t, const struct message_command *c)
{
    bool seed = c->has_seed; // T2.16: the first restart takes it, later ones chain
    for (int i = 0; i < c->count; i++) {
        struct game_action a = {.kind = kinds[c->actions[i]]};
        if (a.kind == TETRIS_RESTART && seed) {
            a.arg[0] = 1;
            a.amount = (int32_t)c->seed;
            seed = false;
        }
        apply_action(t, a);
    }
}

// The piece that a placement would move: the active one, or the one that follows a hold.
static int piece_to_place(const struct table *t, bool hold)
{
    const struct tetris_state *s = table_state(t);
    struct tetris_view v;
    if (!hold)
        return s->piece.kind;
    if (s->facts.hold)
        return s->facts.hold;
    tetris_game.view(s, 0, &v);
    return v.next[0];
}

// T3.40-T3.42: converts a place of the protocol to one of the rules. False if no piece can be there.
static bool translate_place(const struct table *t, const struct adapter_client *c, const struct message_place *p,
                            struct game_action *a)
{
    int64_t x = p->x, y = p->y;
    bool box = c ? c->major == 3 || t->adapter->options.box_coordinates : t->adapter->options.box_coordinates;
    // More than every place in either system (T3.42, T3.43), so what is left fits the fields of an action.
    if (x < -8 || x > 16 || y < -8 || y > 32)
        return false;
    int kind = piece_to_place(t, p->hold);
    if (box && kind) {
        x += tetris_left(kind, p->rotation);
        y += tetris_top(kind, p->rotation);
    }
    if (x < 0 || x >= TETRIS_WIDTH)
        return false;
    *a = (struct game_action){.kind = TETRIS_PLACE, .arg = {(uint8_t)x, (uint8_t)p->rotation}};
    a->arg[2] = (uint8_t)((p->hold ? TETRIS_PLACE_HOLD : 0) | (p->path ? TETRIS_PLACE_FULL : 0));
    if (p->has_y) {
        a->arg[2] |= TETRIS_PLACE_AT_ROW;
        a->amount = (int32_t)y;
    }
    return true;
}

// Returns NULL if the command was applied, or an error code; then nothing has changed.
static const char *apply_command(struct table *t, const struct command *c)
{
    struct game_action a;
    if (!c->what.place_mode) {
        press_keys(t, &c->what);
        return NULL;
    }
    if (facts(t)->paused || facts(t)->end)
        return "invalid_place";
    // T3.50 (2) is checked before the column.
    if (c->what.place.hold && (!facts(t)->can_hold || !table_state(t)->piece.kind))
        return "hold_unavailable";
    if (!translate_place(t, c->from, &c->what.place, &a))
        return "invalid_place";
    enum tetris_refusal no = tetris_try_place(table_state(t), a);
    if (no != TETRIS_PLACE_OK)
        return no == TETRIS_PLACE_NO_HOLD ? "hold_unavailable" : "invalid_place";
    apply_action(t, a);
    return NULL;
}

static void run_tick(struct table *t)
{
    match_tick(&t->match, &t->events);
    handle_events(t);
    t->logical_step++;
}

static void answer_command(const struct command *c, const char *code)
{
    if (!c->from)
        return;
    if (code) {
        adapter_error(c->from, c->seq, code,
                      code[0] == 'h' ? "hold is used up or its piece does not fit"
                                     : "the piece cannot be placed there");
        return;
    }
    char bytes[LINE_ROOM];
    struct text line = text_on(bytes, sizeof bytes);
    write_command_ack(&line, c->from, c->seq);
    adapter_reply(c->from, &line);
}

// T2.1: commands, keys, tick, answers, observations.
static void run_step(struct table *t)
{
    struct command done[COMMANDS_PER_STEP];
    const char *code[COMMANDS_PER_STEP];
    struct mark before = make_mark(t);
    int count = t->queue_count < COMMANDS_PER_STEP ? t->queue_count : COMMANDS_PER_STEP;
    t->step_lock.kind = 0;
    for (int i = 0; i < count; i++) {
        done[i] = t->queue[t->queue_first];
        t->queue_first = (t->queue_first + 1) % t->adapter->options.max_pending;
        t->queue_count--;
        code[i] = apply_command(t, &done[i]);
    }
    for (int i = 0; i < t->local_count; i++)
        apply_action(t, t->local[i]);
    t->local_count = 0;
    run_tick(t);
    for (int i = 0; i < count; i++)
        answer_command(&done[i], code[i]);
    if (is_news(before, make_mark(t)))
        observations_send_now(t);
    if (before.episode_id != facts(t)->episode_id && count > 0)
        begin_rest(t);
}

// T3.81, T3.82: lock-step commands are applied at once and advance the time themselves.
void table_lockstep(struct table *t, struct adapter_client *from, const struct message *m)
{
    struct command c = {from, m->seq, m->command};
    struct mark before = make_mark(t);
    t->step_lock.kind = 0;
    const char *code = apply_command(t, &c);
    for (int i = 0; !code && i < from->frame_skip; i++)
        run_tick(t);
    answer_command(&c, code);
    if (code)
        return;
    if (from->pending)
        observations_send_reply(from);
    // After the answers: T3.72 wants a reply that is due to go first.
    if (is_news(before, make_mark(t)))
        observations_send_now(t);
    // Flushed first: only what the peer does not read counts, not what this turn has queued.
    if (from->link->waiting(from->conn) > HELD_BYTES)
        from->link->flush(from->conn);
    if (from->link->waiting(from->conn) > HELD_BYTES)
        from->link->hold(from->conn);
}

// --- time

// T3.37: restarts a game that was left finished or paused, in a separate step.
// A probe at a server that nobody plays on has to see a playable game.
static void restart_unattended(struct table *t)
{
    const struct adapter_options *o = &t->adapter->options;
    if (o->attended || o->unattended_restart_ms <= 0 || t->controller || (!facts(t)->end && !facts(t)->paused))
        return;
    if (t->adapter->now_us - t->unattended_us < o->unattended_restart_ms * 1000)
        return;
    struct mark before = make_mark(t);
    t->step_lock.kind = 0;
    apply_action(t, (struct game_action){.kind = facts(t)->end ? TETRIS_RESTART : TETRIS_PAUSE});
    run_tick(t);
    if (is_news(before, make_mark(t)))
        observations_send_now(t);
}

static void run_steps(struct table *t)
{
    int64_t now = t->adapter->now_us;
    if (now < t->rest_until_us)
        return;
    table_end_rest(t);
    if (now - t->step_due_us > BACKLOG_US) // T2.3: the excess is discarded
        t->step_due_us = now - BACKLOG_US;
    for (int i = 0; i < STEPS_PER_TURN && t->running && t->step_due_us <= now && !t->rest_until_us; i++) {
        t->step_due_us += STEP_US;
        run_step(t);
        set_running(t);
    }
}

static void run_beats(struct table *t)
{
    int64_t now = t->adapter->now_us;
    if (!observations_wanted(t) || now - t->beat_due_us > BACKLOG_US) {
        t->beat_due_us = now + STEP_US;
        return;
    }
    for (; t->beat_due_us <= now; t->beat_due_us += STEP_US)
        observations_send_periodic(t);
}

void table_advance(struct table *t)
{
    restart_unattended(t);
    if (t->running)
        run_steps(t);
    run_beats(t);
    observations_send_waiting(t);
}

int64_t table_next_due(const struct table *t)
{
    const struct adapter_options *o = &t->adapter->options;
    int64_t due = !t->running ? INT64_MAX : t->rest_until_us ? t->rest_until_us : t->step_due_us;
    if (observations_wanted(t) && t->beat_due_us < due)
        due = t->beat_due_us;
    int64_t pending = observations_next_due(t);
    due = pending < due ? pending : due;
    bool neglected =
        !o->attended && !t->controller && o->unattended_restart_ms > 0 && (facts(t)->end || facts(t)->paused);
    int64_t care = neglected ? t->unattended_us + o->unattended_restart_ms * 1000 : INT64_MAX;
    return care < due ? care : due;
}
