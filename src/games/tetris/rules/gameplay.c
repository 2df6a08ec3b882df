#include "games/tetris/rules/internal.h"

#include "games/tetris/rules/rules.h"

enum { SOFT_MS = 150, LOCK_RESETS = 15 }; // T1.31; T1.38 and T1.67

static const uint16_t gravity_ms[] = {1000, 800, 650, 500, 400, 320, 250, 200, 160, 120}; // T1.31

void gameplay_end(struct tetris_state *s, int end, struct game_events *out)
{
    s->facts.end = (uint8_t)end;
    struct game_event *e = game_emit(out, TETRIS_GAME_OVER, 0, EVERYONE);
    if (e)
        e->data[0] = (uint8_t)end;
}

static void activate_piece(struct tetris_state *s, int kind)
{
    piece_place(&s->field, &s->piece, kind, s->rules.ruleset);
    s->facts.step_in_piece = 0;
    s->facts.turn++;
}

static bool spawn_fits(const struct tetris_state *s, int kind)
{
    return field_fits(&s->field, field_shapes[kind][TETRIS_NORTH], 3, piece_spawn_row(s->rules.ruleset));
}

bool gameplay_spawn(struct tetris_state *s, struct game_events *out)
{
    if (!spawn_fits(s, bag_peek(s))) { // T1.16: the kind stays in the queue, everything else as it is
        gameplay_end(s, TETRIS_BLOCK_OUT, out);
        return false;
    }
    activate_piece(s, bag_take(s)); // T1.17
    s->facts.piece_id++;
    s->facts.can_hold = 1;
    if (s->rules.ruleset == TETRIS_GUIDELINE) // T1.74
        s->facts.drop_ms = s->piece.soft_ms = 0;
    return true;
}

static void emit_held(struct game_events *out, int put, int got)
{
    struct game_event *e = game_emit(out, TETRIS_HELD, 0, EVERYONE);
    if (e) {
        e->data[0] = (uint8_t)put;
        e->data[1] = (uint8_t)got;
    }
}

static void forget_lock_delay(struct tetris_piece *p)
{
    p->lock_ms = 0;
    p->resets = 0;
    p->turned = p->kicked = 0;
}

static void hold_first(struct tetris_state *s, struct game_events *out)
{
    s->facts.hold = s->piece.kind;
    emit_held(out, s->piece.kind, TETRIS_NONE);
    if (!gameplay_spawn(s, out)) {
        if (s->rules.ruleset == TETRIS_GUIDELINE) // T1.65; T1.29: in standard the old piece stays where it was
            s->piece.kind = TETRIS_NONE;
        forget_lock_delay(&s->piece);
    }
    s->facts.can_hold = 0; // T1.29
}

void gameplay_hold(struct tetris_state *s, struct game_events *out)
{
    int put = s->piece.kind, got = s->facts.hold;
    if (!got) {
        hold_first(s, out);
        return;
    }
    s->facts.hold = (uint8_t)put;
    emit_held(out, put, got);
    if (spawn_fits(s, got)) { // T1.27
        activate_piece(s, got);
        s->facts.can_hold = 0;
        return;
    }
    s->facts.step_in_piece = 0; // T1.28
    s->piece.kind = TETRIS_NONE;
    gameplay_end(s, TETRIS_BLOCK_OUT, out);
}

// Consecutive rows are one event.
static void emit_soft_drop(struct game_events *out)
{
    struct game_event *last = out && out->count ? &out->at[out->count - 1] : NULL;
    if (!last || last->kind != TETRIS_SOFT_DROPPED)
        last = game_emit(out, TETRIS_SOFT_DROPPED, 0, EVERYONE);
    if (last)
        last->amount++;
}

void gameplay_soft_drop(struct tetris_state *s, struct game_events *out)
{
    if (piece_lower(&s->field, &s->piece, s->rules.ruleset)) {
        gameplay_gain(&s->facts, 1);
        emit_soft_drop(out);
    }
    s->piece.soft_ms = SOFT_MS;
    if (s->rules.ruleset == TETRIS_STANDARD) // T1.20, T1.68
        s->piece.turned = 0;
}

void gameplay_hard_drop(struct tetris_state *s, struct game_events *out)
{
    int rows = piece_drop(&s->field, &s->piece, s->rules.ruleset);
    gameplay_lock(s, rows, 2, out);
}

static inline uint32_t interval_of(const struct tetris_facts *f, bool soft)
{
    uint32_t interval = gravity_ms[f->level < 9 ? f->level : 9];
    interval = soft ? interval / 10 : interval;
    if (f->gravity_milli != 1000) { // G24.8
        interval = interval * 1000 / f->gravity_milli;
        interval = interval ? interval : 1;
    }
    return interval;
}

uint32_t gameplay_interval(const struct tetris_facts *f)
{
    return interval_of(f, false);
}

// Rows of gravity due in this tick; the time below one interval stays (T1.32.7).
static void apply_gravity(struct tetris_state *s, bool soft)
{
    struct tetris_facts *f = &s->facts;
    uint32_t interval = interval_of(f, soft);
    uint32_t drop_ms = f->drop_ms + TETRIS_TICK_MS;
    for (; drop_ms >= interval; drop_ms -= interval)
        piece_lower(&s->field, &s->piece, s->rules.ruleset);
    f->drop_ms = (uint16_t)drop_ms;
}

static uint32_t lock_delay(const struct tetris_rules *r)
{
    uint32_t delay = r->ruleset == TETRIS_GUIDELINE ? 500 : 450; // T1.66
    return r->lock_milli == 1000 ? delay : delay * r->lock_milli / 1000;
}

// T1.32.8
static void run_lock_delay(struct tetris_state *s, struct game_events *out)
{
    struct tetris_piece *p = &s->piece;
    bool guideline = s->rules.ruleset == TETRIS_GUIDELINE;
    if (!piece_is_grounded(&s->field, p)) {
        if (!guideline) // T1.67: airborne ticks leave it
            p->lock_ms = p->resets = 0;
        return;
    }
    p->lock_ms = (uint16_t)(p->lock_ms + TETRIS_TICK_MS);
    if (p->lock_ms < lock_delay(&s->rules) && !(guideline && p->resets == LOCK_RESETS))
        return;
    p->lock_ms = 0;
    s->facts.drop_ms = 0;
    gameplay_lock(s, 0, 1, out);
}

static uint16_t count_down(uint16_t ms)
{
    return ms > TETRIS_TICK_MS ? (uint16_t)(ms - TETRIS_TICK_MS) : 0;
}

// T1.32.2-8
static void move_time(struct tetris_state *s, struct game_events *out)
{
    struct tetris_facts *f = &s->facts;
    struct tetris_piece *p = &s->piece;
    f->flash_ms = (uint8_t)count_down(f->flash_ms);
    f->step_in_piece++; // while the game runs there is an active piece
    if (f->line_clear_ms > 0) {
        f->line_clear_ms = count_down(f->line_clear_ms);
        if (f->line_clear_ms > 0)
            return;
    }
    p->soft_ms = count_down(p->soft_ms);
    if (s->rules.zen)
        return;
    apply_gravity(s, p->soft_ms > 0);
    run_lock_delay(s, out);
}

bool gameplay_reached_goal(const struct tetris_state *s)
{
    switch (s->rules.goal) {
    case TETRIS_GOAL_LINES:
        return s->facts.lines >= s->rules.goal_count;
    case TETRIS_GOAL_GARBAGE:
        return field_garbage_rows(&s->field) == 0;
    case TETRIS_GOAL_TICKS:
        return s->facts.ticks >= s->rules.goal_count;
    default:
        return false;
    }
}

void gameplay_tick(struct tetris_state *s, struct game_events *out)
{
    struct tetris_facts *f = &s->facts;
    f->fresh /= 2;
    if (f->paused || f->end)
        return;
    f->ticks++;
    if (out)
        out->ticks++;
    move_time(s, out);
    if (f->rise_ticks || f->rise_rate)
        garbage_tick(s);
    if (s->rules.goal == TETRIS_GOAL_TICKS && !f->end && gameplay_reached_goal(s)) {
        s->piece.kind = TETRIS_NONE;
        gameplay_end(s, TETRIS_GOAL, out);
    }
}

static void fill_field(struct tetris_field *f, const struct tetris_rules *r)
{
    field_clear(f, r->ruleset);
    if (rules_have_board(r))
        for (int i = 0; i < TETRIS_CELLS; i++)
            field_set(f, i % TETRIS_WIDTH, i / TETRIS_WIDTH, r->board[i / 2] >> 4 * (i % 2) & 15);
}

void gameplay_start(struct tetris_state *s, uint32_t seed, struct game_events *out)
{
    const struct tetris_rules *r = &s->rules;
    s->facts = (struct tetris_facts){
        .combo = -1,
        .episode_id = s->facts.episode_id,
        .turn = s->facts.turn,
        .seed = seed,
        .gravity_milli = r->gravity_milli,
        .hold = r->hold,
        .can_hold = 1,
        .level_base = r->level,
        .level = r->level,
    };
    s->piece = (struct tetris_piece){0};
    s->last_hole = 0;
    bag_start(s, seed);
    memcpy(s->queue, r->queue, sizeof s->queue);
    for (s->queued = 0; s->queued < TETRIS_QUEUE && s->queue[s->queued]; s->queued++)
        ;
    fill_field(&s->field, r);
    garbage_start(s);
    gameplay_spawn(s, out);
}
