// A lock and what it is worth (T1.41-T1.50, T1.64-T1.73).
#include "games/tetris/rules/internal.h"

enum { CLEAR_MS = 180, FLASH_MS = 120, SPIN_CORNERS = 3 }; // T1.31, T1.48

void gameplay_gain(struct tetris_facts *f, uint64_t points)
{
    uint64_t score = f->score + points;
    f->score = score > UINT32_MAX ? UINT32_MAX : (uint32_t)score; // T1.42
}

static uint32_t level_of(const struct tetris_facts *f)
{
    int64_t level = (int64_t)(f->lines / 10) + f->level_base; // T1.47
    return level > 0 ? (uint32_t)level : 0;
}

void gameplay_set_level(struct tetris_state *s, int level)
{
    s->facts.level_base = (int16_t)(level - (int)(s->facts.lines / 10));
    s->facts.level = level_of(&s->facts);
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

static uint64_t score_clear(struct tetris_state *s)
{
    struct tetris_facts *f = &s->facts;
    struct tetris_lock *lock = &f->lock;
    int ruleset = s->rules.ruleset;
    uint64_t m = (uint64_t)f->level + 1; // the level before this clear
    uint64_t value = m * line_value(ruleset, lock->spin, lock->lines);
    bool counts = qualifies(ruleset, lock->spin, lock->lines), repeated = counts && f->back_to_back;
    if (repeated)
        value = value * 3 / 2;
    lock->score = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    lock->perfect = field_is_empty(&s->field);
    lock->back_to_back = f->back_to_back = counts;
    lock->combo = ++f->combo;
    if (f->combo > 0) // T1.45, T1.72
        value += 50 * (uint64_t)f->combo * (ruleset == TETRIS_GUIDELINE ? m : 1);
    if (ruleset == TETRIS_GUIDELINE && lock->perfect)
        value += m * perfect_bonus(lock->lines, repeated);
    f->lines += lock->lines;
    f->line_clear_ms = CLEAR_MS;
    f->level = level_of(f);
    return value;
}

// T1.46: what a lock without lines is worth, and what it ends.
static uint64_t score_no_clear(struct tetris_state *s)
{
    struct tetris_facts *f = &s->facts;
    f->combo = f->lock.combo = -1;
    if (s->rules.ruleset == TETRIS_STANDARD) // T1.44, T1.71
        f->back_to_back = 0;
    f->lock.back_to_back = f->back_to_back;
    return f->lock.spin ? ((uint64_t)f->level + 1) * line_value(s->rules.ruleset, f->lock.spin, 0) : 0;
}

static void emit_lock(const struct tetris_lock *lock, int kind, uint32_t points, struct game_events *out)
{
    struct game_event *e = game_emit(out, kind, 0, EVERYONE);
    if (!e)
        return;
    e->amount = points > INT32_MAX ? INT32_MAX : (int32_t)points;
    memcpy(e->data, lock, sizeof *lock);
}

static void describe_lock(const struct tetris_facts *f, uint32_t score_before, uint32_t level_before,
                          struct game_events *out)
{
    emit_lock(&f->lock, TETRIS_PIECE_LOCKED, f->score - score_before, out);
    if (f->lock.lines)
        emit_lock(&f->lock, TETRIS_LINES_CLEARED, f->lock.score, out);
    struct game_event *e = f->level > level_before ? game_emit(out, TETRIS_LEVEL_UP, 0, EVERYONE) : NULL;
    if (e)
        e->amount = (int32_t)f->level;
}

// T1.64: is the lowest cell above row 0?
static bool lies_above(const struct tetris_piece *p)
{
    return p->y + piece_extent(p)->top + piece_extent(p)->height <= 0;
}

static void go_on_after_lock(struct tetris_state *s, bool locked_out, struct game_events *out)
{
    if (s->rules.goal && gameplay_reached_goal(s))
        gameplay_end(s, TETRIS_GOAL, out);
    else if (locked_out)
        gameplay_end(s, TETRIS_LOCK_OUT, out);
    else if (s->facts.pending && !garbage_rise(s, out))
        gameplay_end(s, TETRIS_BURIED, out);
    else
        gameplay_spawn(s, out);
}

// T1.41 in its order: write, classify, remove, count, score, tell, spawn.
void gameplay_lock(struct tetris_state *s, int rows_dropped, int fresh, struct game_events *out)
{
    const struct tetris_piece p = s->piece;
    struct tetris_facts *f = &s->facts;
    int ruleset = s->rules.ruleset;
    uint32_t score = f->score, level = f->level;
    f->flash_ms = FLASH_MS;
    field_write(&s->field, &p);
    int spin = classify_spin(s), lines = field_remove_full(&s->field, &p, field_top(ruleset));
    f->lock = (struct tetris_lock){
        .kind = p.kind,
        .lines = (uint8_t)lines,
        .rotation = p.rotation,
        .spin = (uint8_t)spin,
        .x = (int8_t)(p.x + piece_extent(&p)->left),
        .y = (int8_t)(p.y + piece_extent(&p)->top),
    };
    bool locked_out = ruleset == TETRIS_GUIDELINE && lies_above(&p);
    s->piece.kind = TETRIS_NONE;
    f->board_id++;
    uint64_t points = lines ? score_clear(s) : score_no_clear(s);
    gameplay_gain(f, points + 2 * (uint64_t)rows_dropped); // T1.20: even if the spawn ends the game
    f->fresh = (uint8_t)fresh;
    if (out)
        describe_lock(f, score, level, out);
    go_on_after_lock(s, locked_out, out);
}
