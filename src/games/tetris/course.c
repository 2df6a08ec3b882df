#include "games/tetris/course.h"

#include "games/tetris/rules.h"

enum { SOFT_MS = 150, CLEAR_MS = 180, FLASH_MS = 120, LOCK_RESETS = 15, SPIN_CORNERS = 3 };

static const uint16_t gravity_ms[] = {1000, 800, 650, 500, 400, 320, 250, 200, 160, 120}; // T1.31

static void gain(struct tetris_facts *f, uint64_t points)
{
    uint64_t score = f->score + points;
    f->score = score > UINT32_MAX ? UINT32_MAX : (uint32_t)score; // T1.42
}

static uint32_t level_of(const struct tetris_facts *f)
{
    int64_t level = (int64_t)(f->lines / 10) + f->level_base; // T1.47
    return level > 0 ? (uint32_t)level : 0;
}

void course_set_level(struct tetris_state *s, int level)
{
    s->facts.level_base = (int16_t)(level - (int)(s->facts.lines / 10));
    s->facts.level = level_of(&s->facts);
}

void course_end(struct tetris_state *s, int end, struct game_events *out)
{
    s->facts.end = (uint8_t)end;
    struct game_event *e = game_emit(out, TETRIS_GAME_OVER, 0, EVERYONE);
    if (e)
        e->data[0] = (uint8_t)end;
}

static void activate(struct tetris_state *s, int kind)
{
    piece_place(&s->field, &s->piece, kind, s->rules.ruleset);
    s->facts.step_in_piece = 0;
    s->facts.turn++;
}

static bool spawn_fits(const struct tetris_state *s, int kind)
{
    return field_fits(&s->field, field_shapes[kind][TETRIS_NORTH], 3, piece_spawn_row(s->rules.ruleset));
}

bool course_spawn(struct tetris_state *s, struct game_events *out)
{
    if (!spawn_fits(s, bag_peek(s))) { // T1.16: the kind stays in the queue, everything else as it is
        course_end(s, TETRIS_BLOCK_OUT, out);
        return false;
    }
    activate(s, bag_take(s)); // T1.17
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
    if (!course_spawn(s, out)) {
        if (s->rules.ruleset == TETRIS_GUIDELINE) // T1.65; T1.29: in standard the old piece stays where it was
            s->piece.kind = TETRIS_NONE;
        forget_lock_delay(&s->piece);
    }
    s->facts.can_hold = 0; // T1.29
}

void course_hold(struct tetris_state *s, struct game_events *out)
{
    int put = s->piece.kind, got = s->facts.hold;
    if (!got) {
        hold_first(s, out);
        return;
    }
    s->facts.hold = (uint8_t)put;
    emit_held(out, put, got);
    if (spawn_fits(s, got)) { // T1.27
        activate(s, got);
        s->facts.can_hold = 0;
        return;
    }
    s->facts.step_in_piece = 0; // T1.28
    s->piece.kind = TETRIS_NONE;
    course_end(s, TETRIS_BLOCK_OUT, out);
}

// T1.48: corners of the box, after writing. The walls, the floor and rows that do not exist are taken.
static int classify_spin(const struct tetris_state *s)
{
    const struct tetris_piece *p = &s->piece;
    if (!p->turned || p->kind != TETRIS_T)
        return TETRIS_NO_SPIN;
    enum { TOP_LEFT = 1, TOP_RIGHT = 2, LOW_LEFT = 4, LOW_RIGHT = 8 };
    static const uint8_t pointing[4] = {TOP_LEFT | TOP_RIGHT, TOP_RIGHT | LOW_RIGHT, LOW_LEFT | LOW_RIGHT,
                                        TOP_LEFT | LOW_LEFT};
    uint64_t box = field_rows(&s->field, p->y) >> (p->x + FIELD_LEFT);
    unsigned corners = (unsigned)((box & 1) | (box >> 2 & 1) << 1 | (box >> 32 & 1) << 2 | (box >> 34 & 1) << 3);
    if (__builtin_popcount(corners) < SPIN_CORNERS)
        return TETRIS_NO_SPIN;
    bool full = (corners & pointing[p->rotation]) == pointing[p->rotation];
    return full || p->kicked ? TETRIS_SPIN_FULL : TETRIS_SPIN_MINI; // T1.69
}

// T1.42, T1.70, without the factor of the level.
static uint32_t line_value(int ruleset, int spin, int lines)
{
    static const uint16_t plain[2][5] = {{0, 40, 100, 300, 1200}, {0, 100, 300, 500, 800}};
    static const uint16_t spun[2][5] = {{100, 200, 400, 0, 0}, {400, 800, 1200, 1600, 0}};
    return spin ? spun[spin - TETRIS_SPIN_MINI][lines] : plain[ruleset][lines];
}

// T1.44, T1.71: does this clear count for back-to-back?
static bool qualifies(int ruleset, int spin, int lines)
{
    if (spin == TETRIS_NO_SPIN)
        return lines == 4;
    return spin == TETRIS_SPIN_FULL || ruleset == TETRIS_GUIDELINE;
}

// T1.73
static uint64_t perfect_bonus(int lines, bool repeated)
{
    static const uint16_t bonus[5] = {0, 800, 1200, 1800, 2000};
    return lines == 4 && repeated ? 3200 : bonus[lines];
}

static void score_clear(struct tetris_state *s, uint64_t value, uint64_t m)
{
    struct tetris_facts *f = &s->facts;
    struct tetris_lock *lock = &f->lock;
    bool guideline = s->rules.ruleset == TETRIS_GUIDELINE;
    bool counts = qualifies(s->rules.ruleset, lock->spin, lock->lines), repeated = counts && f->back_to_back;
    if (repeated)
        value = value * 3 / 2;
    lock->score = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    lock->perfect = field_is_empty(&s->field);
    f->back_to_back = counts;
    f->combo++;
    if (f->combo > 0) // T1.45, T1.72
        value += 50 * (uint64_t)f->combo * (guideline ? m : 1);
    if (guideline && lock->perfect)
        value += m * perfect_bonus(lock->lines, repeated);
    gain(f, value);
    f->lines += lock->lines;
    f->line_clear_ms = CLEAR_MS;
    f->level = level_of(f);
}

static void score_lock(struct tetris_state *s)
{
    struct tetris_facts *f = &s->facts;
    struct tetris_lock *lock = &f->lock;
    uint64_t m = (uint64_t)f->level + 1; // the level before this clear
    uint64_t value = m * line_value(s->rules.ruleset, lock->spin, lock->lines);
    if (lock->lines) {
        score_clear(s, value, m);
    } else {
        gain(f, value); // T1.46
        f->combo = -1;
        if (s->rules.ruleset == TETRIS_STANDARD) // T1.44, T1.71
            f->back_to_back = 0;
    }
    lock->combo = f->combo;
    lock->back_to_back = f->back_to_back;
}

static void emit_lock(const struct tetris_lock *lock, int kind, uint32_t points, struct game_events *out)
{
    struct game_event *e = game_emit(out, kind, 0, EVERYONE);
    if (!e)
        return;
    e->amount = points > INT32_MAX ? INT32_MAX : (int32_t)points;
    memcpy(e->data, lock, sizeof *lock);
}

static void tell_lock(const struct tetris_facts *f, uint32_t score_before, uint32_t level_before,
                      struct game_events *out)
{
    emit_lock(&f->lock, TETRIS_PIECE_LOCKED, f->score - score_before, out);
    if (f->lock.lines)
        emit_lock(&f->lock, TETRIS_LINES_CLEARED, f->lock.score, out);
    struct game_event *e = f->level > level_before ? game_emit(out, TETRIS_LEVEL_UP, 0, EVERYONE) : NULL;
    if (e)
        e->amount = (int32_t)f->level;
}

static bool reached_goal(const struct tetris_state *s)
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

// T1.64: is the lowest cell above row 0?
static bool lies_above(const struct tetris_piece *p)
{
    return p->y + piece_extent(p)->top + piece_extent(p)->height <= 0;
}

static void go_on_after_lock(struct tetris_state *s, bool locked_out, struct game_events *out)
{
    if (s->rules.goal && reached_goal(s))
        course_end(s, TETRIS_GOAL, out);
    else if (locked_out)
        course_end(s, TETRIS_LOCK_OUT, out);
    else if (s->facts.pending && !garbage_rise(s, out))
        course_end(s, TETRIS_BURIED, out);
    else
        course_spawn(s, out);
}

// T1.41 in its order: write, classify, remove, count, score, tell, spawn.
static void lock_piece(struct tetris_state *s, int rows_dropped, int fresh, struct game_events *out)
{
    struct tetris_piece *p = &s->piece;
    struct tetris_facts *f = &s->facts;
    int ruleset = s->rules.ruleset;
    uint32_t score = f->score, level = f->level;
    f->flash_ms = FLASH_MS;
    field_write(&s->field, p);
    int spin = classify_spin(s), lines = field_remove_full(&s->field, p, field_top(ruleset));
    f->lock = (struct tetris_lock){
        .kind = p->kind,
        .lines = (uint8_t)lines,
        .rotation = p->rotation,
        .spin = (uint8_t)spin,
        .x = (int8_t)(p->x + piece_extent(p)->left),
        .y = (int8_t)(p->y + piece_extent(p)->top),
    };
    bool locked_out = ruleset == TETRIS_GUIDELINE && lies_above(p);
    p->kind = TETRIS_NONE;
    f->board_id++;
    score_lock(s);
    gain(f, 2 * (uint64_t)rows_dropped); // T1.20: even if the spawn ends the game
    f->fresh = (uint8_t)fresh;
    if (out)
        tell_lock(f, score, level, out);
    go_on_after_lock(s, locked_out, out);
}

// Consecutive rows are one event.
static void tell_soft_drop(struct game_events *out)
{
    struct game_event *last = out && out->count ? &out->at[out->count - 1] : NULL;
    if (!last || last->kind != TETRIS_SOFT_DROPPED)
        last = game_emit(out, TETRIS_SOFT_DROPPED, 0, EVERYONE);
    if (last)
        last->amount++;
}

void course_soft_drop(struct tetris_state *s, struct game_events *out)
{
    if (piece_lower(&s->field, &s->piece, s->rules.ruleset)) {
        gain(&s->facts, 1);
        tell_soft_drop(out);
    }
    s->piece.soft_ms = SOFT_MS;
    if (s->rules.ruleset == TETRIS_STANDARD) // T1.20, T1.68
        s->piece.turned = 0;
}

void course_hard_drop(struct tetris_state *s, struct game_events *out)
{
    int rows = piece_drop(&s->field, &s->piece, s->rules.ruleset);
    lock_piece(s, rows, 2, out);
}

// Rows of gravity due in this tick; the time below one interval stays (T1.32.7).
static void fall(struct tetris_state *s, bool soft)
{
    struct tetris_facts *f = &s->facts;
    uint32_t interval = gravity_ms[f->level < 9 ? f->level : 9];
    interval = soft ? interval / 10 : interval;
    if (f->gravity_milli != 1000) { // G24.8
        interval = interval * 1000 / f->gravity_milli;
        interval = interval ? interval : 1;
    }
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
static void settle(struct tetris_state *s, struct game_events *out)
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
    lock_piece(s, 0, 1, out);
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
    fall(s, p->soft_ms > 0);
    settle(s, out);
}

void course_tick(struct tetris_state *s, struct game_events *out)
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
    if (s->rules.goal == TETRIS_GOAL_TICKS && !f->end && reached_goal(s)) {
        s->piece.kind = TETRIS_NONE;
        course_end(s, TETRIS_GOAL, out);
    }
}

static void fill_field(struct tetris_field *f, const struct tetris_rules *r)
{
    field_clear(f, r->ruleset);
    if (rules_have_board(r))
        for (int i = 0; i < TETRIS_CELLS; i++)
            field_set(f, i % TETRIS_WIDTH, i / TETRIS_WIDTH, r->board[i / 2] >> 4 * (i % 2) & 15);
}

void course_start(struct tetris_state *s, uint32_t seed, struct game_events *out)
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
    course_spawn(s, out);
}
