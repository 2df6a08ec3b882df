#include "games/tetris/codec.h"

#include "games/tetris/rules/tetris.h"

#include <stddef.h>

const char *const tetris_kind_names[] = {"", "I", "O", "T", "S", "Z", "J", "L", NULL};
const char *const tetris_rotation_names[] = {"north", "east", "south", "west", NULL};
const char *const tetris_end_names[] = {"", "block_out", "lock_out", "garbage", "dropped", "goal", NULL};

static const char *const rulesets[] = {"standard", "guideline", NULL};
static const char *const goals[] = {"none", "lines", "garbage", "ticks", NULL};
static const char *const paths[] = {"simple", "full", NULL};
static const char *const moves[] = {"left", "right", NULL};
static const char *const turns[] = {"cw", "ccw", NULL};
static const char *const spins[] = {NULL, "mini", "full"};
static const char letters[] = ".IOTSZJLG";

static int read_among(struct json_reader *r, const char *const *words)
{
    struct json_string s = json_read_string(r);
    int i = r->error ? -1 : json_string_among_nocase(s, words);
    if (i < 0)
        json_fail_word(r, words);
    return i < 0 ? 0 : i;
}

static int read_kind(struct json_reader *r)
{
    return 1 + read_among(r, tetris_kind_names + 1);
}

static void put_kind(struct text *t, const char *key, int kind)
{
    json_put_text(t, key, kind ? tetris_kind_names[kind] : NULL);
}

// --- rules ---

static void read_ruleset(struct json_reader *r, struct tetris_rules *rules)
{
    rules->ruleset = (uint8_t)read_among(r, rulesets);
}

static void read_board_row(struct json_reader *r, uint8_t *board, int y)
{
    char row[TETRIS_WIDTH + 1];
    struct json_string s = json_read_string(r);
    if (r->error || json_string_copy(s, row, sizeof row) != TETRIS_WIDTH) {
        json_fail(r, ERR_RANGE);
        return;
    }
    for (int x = 0; x < TETRIS_WIDTH; x++) {
        const char *code = memchr(letters, row[x], sizeof letters - 1);
        int i = y * TETRIS_WIDTH + x;
        if (!code)
            json_fail(r, ERR_UNKNOWN);
        else
            board[i / 2] |= (uint8_t)((code - letters) << 4 * (i % 2));
    }
}

// Up to twenty rows, the last one at the bottom of the field.
static void read_board(struct json_reader *r, struct tetris_rules *rules)
{
    uint8_t board[sizeof rules->board] = {0};
    int rows = 0;
    if (json_read_if_null(r)) {
        memset(rules->board, 0, sizeof rules->board);
        return;
    }
    for (json_enter_array(r); json_next_item(r); rows++) {
        if (rows == TETRIS_HEIGHT)
            json_fail(r, ERR_RANGE);
        read_board_row(r, board, rows % TETRIS_HEIGHT);
    }
    if (r->error)
        return;
    size_t size = (size_t)rows * TETRIS_WIDTH / 2;
    memset(rules->board, 0, sizeof rules->board);
    memcpy(rules->board + sizeof board - size, board, size);
}

static void read_queue(struct json_reader *r, struct tetris_rules *rules)
{
    uint8_t queue[TETRIS_QUEUE] = {0};
    int count = 0;
    for (json_enter_array(r); json_next_item(r); count++) {
        int kind = read_kind(r);
        if (count < TETRIS_QUEUE)
            queue[count] = (uint8_t)kind;
        else
            json_fail(r, ERR_RANGE);
    }
    if (!r->error)
        memcpy(rules->queue, queue, sizeof queue);
}

static void read_hold(struct json_reader *r, struct tetris_rules *rules)
{
    rules->hold = json_read_if_null(r) ? TETRIS_NONE : (uint8_t)read_kind(r);
}

static void read_zen(struct json_reader *r, struct tetris_rules *rules)
{
    rules->zen = json_read_bool(r);
}

static uint16_t read_milli(struct json_reader *r, int min, int max)
{
    double value = json_read_real(r) * 1000 + 0.5;
    if (value < min || value >= max + 1) {
        json_fail(r, ERR_RANGE);
        return 1000;
    }
    return (uint16_t)value;
}

static void read_gravity(struct json_reader *r, struct tetris_rules *rules)
{
    rules->gravity_milli = read_milli(r, TETRIS_MIN_GRAVITY, TETRIS_MAX_GRAVITY);
}

static void read_lock_delay(struct json_reader *r, struct tetris_rules *rules)
{
    rules->lock_milli = read_milli(r, 500, 1500);
}

static void read_goal(struct json_reader *r, struct tetris_rules *rules)
{
    rules->goal = (uint8_t)read_among(r, goals);
    if (rules->goal == TETRIS_NO_GOAL || rules->goal == TETRIS_GOAL_GARBAGE)
        rules->goal_count = 0;
}

// Options that are one number in a range: where it lies in the rules, and how wide it is.
static const struct number {
    const char *key;
    uint16_t at, size, min, max;
} numbers[] = {
    {"choices", offsetof(struct tetris_rules, listed), 1, 1, 3},
    {"preview", offsetof(struct tetris_rules, preview), 1, 1, TETRIS_NEXT},
    {"level", offsetof(struct tetris_rules, level), 1, 0, TETRIS_MAX_LEVEL},
    {"garbage_rows", offsetof(struct tetris_rules, garbage_rows), 1, 0, TETRIS_MAX_ROWS},
    {"garbage_rate", offsetof(struct tetris_rules, rise_rate), 1, 0, TETRIS_MAX_RISE},
    {"garbage_first", offsetof(struct tetris_rules, rise_first), 2, 0, UINT16_MAX},
    {"garbage_sooner", offsetof(struct tetris_rules, rise_sooner), 2, 0, UINT16_MAX},
    {"garbage_least", offsetof(struct tetris_rules, rise_least), 2, 0, UINT16_MAX},
    {"goal_count", offsetof(struct tetris_rules, goal_count), 2, 0, UINT16_MAX},
    {"start_level", offsetof(struct tetris_rules, level), 1, 0, TETRIS_MAX_LEVEL}, // randomisation's name for level
};
enum { NUMBERS = sizeof numbers / sizeof *numbers, NUMBERS_WRITTEN = NUMBERS - 1 }; // not the second name of one

static void read_number(struct json_reader *r, const struct number *n, struct tetris_rules *rules)
{
    int64_t value = json_read_int(r, n->min, n->max);
    uint8_t *at = (uint8_t *)rules + n->at;
    if (r->error)
        return;
    at[0] = (uint8_t)value;
    if (n->size == 2)
        at[1] = (uint8_t)(value >> 8);
}

static const struct {
    const char *key;
    void (*read)(struct json_reader *r, struct tetris_rules *rules);
} options[] = {
    {"ruleset", read_ruleset}, {"board", read_board},
    {"queue", read_queue},     {"hold", read_hold},
    {"zen", read_zen},         {"gravity_multiplier", read_gravity},
    {"goal", read_goal},       {"lock_delay_multiplier", read_lock_delay},
};

static bool read_rule(struct json_reader *r, struct json_string key, void *rules)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (json_string_is(key, options[i].key)) {
            options[i].read(r, rules);
            return true;
        }
    for (int i = 0; i < NUMBERS; i++)
        if (json_string_is(key, numbers[i].key)) {
            read_number(r, &numbers[i], rules);
            return true;
        }
    return false;
}

static void write_board_rows(struct text *t, const uint8_t *cells)
{
    json_begin_array(t);
    for (int y = 0; y < TETRIS_HEIGHT; y++) {
        char row[TETRIS_WIDTH];
        for (int x = 0; x < TETRIS_WIDTH; x++)
            row[x] = letters[cells[y * TETRIS_WIDTH + x]];
        json_write_string(t, (struct span){row, sizeof row});
    }
    json_end_array(t);
}

static void put_rules_board(struct text *t, const struct tetris_rules *rules)
{
    uint8_t cells[TETRIS_CELLS];
    unsigned filled = 0;
    for (int i = 0; i < TETRIS_CELLS; i++)
        filled |= cells[i] = rules->board[i / 2] >> 4 * (i % 2) & 15;
    if (!filled) {
        json_put_null(t, "board");
        return;
    }
    json_key(t, "board");
    write_board_rows(t, cells);
}

static void write_rules(struct text *t, const void *rules)
{
    const struct tetris_rules *r = rules;
    json_put_text(t, "ruleset", rulesets[r->ruleset]);
    put_rules_board(t, r);
    json_begin_array_at(t, "queue");
    for (int i = 0; i < TETRIS_QUEUE && r->queue[i]; i++)
        json_write_text(t, tetris_kind_names[r->queue[i]]);
    json_end_array(t);
    put_kind(t, "hold", r->hold);
    json_put_bool(t, "zen", r->zen);
    json_put_decimal(t, "gravity_multiplier", r->gravity_milli / 1000.0, 3);
    json_put_decimal(t, "lock_delay_multiplier", r->lock_milli / 1000.0, 3);
    json_put_text(t, "goal", goals[r->goal]);
    for (int i = 0; i < NUMBERS_WRITTEN; i++) {
        const uint8_t *at = (const uint8_t *)r + numbers[i].at;
        json_put_int(t, numbers[i].key, at[0] | (numbers[i].size == 2 ? at[1] << 8 : 0));
    }
}

// --- actions (G24.2, G23.2-G23.4) ---

static const struct codec_action actions[] = {
    {"move", TETRIS_MOVE_LEFT, false},
    {"move", TETRIS_MOVE_RIGHT, false},
    {"rotate", TETRIS_ROTATE_CW, false},
    {"rotate", TETRIS_ROTATE_CCW, false},
    {"soft_drop", TETRIS_SOFT_DROP, false},
    {"hard_drop", TETRIS_HARD_DROP, false},
    {"hold", TETRIS_HOLD, false},
    {"place", TETRIS_PLACE, false},
    {"pause", TETRIS_PAUSE, false},
    {"restart", TETRIS_RESTART, false},
    {"drop", GAME_DROP, true},
    {"garbage", TETRIS_GARBAGE, true},
    {"next_piece", TETRIS_NEXT_PIECE, true},
    {"set_level", TETRIS_SET_LEVEL, true},
    {"set_gravity", TETRIS_SET_GRAVITY, true},
    {"set_garbage_rate", TETRIS_SET_RISE, true},
    {"teleport", TETRIS_TELEPORT, true},
    {0},
};

// What a parameter does to an action. `needed`: an action of this kind is nothing without it.
typedef void read_param(struct json_reader *r, struct game_action *a);

static void read_move(struct json_reader *r, struct game_action *a)
{
    a->kind = (uint8_t)(TETRIS_MOVE_LEFT + read_among(r, moves));
}

static void read_turn(struct json_reader *r, struct game_action *a)
{
    a->kind = (uint8_t)(TETRIS_ROTATE_CW + read_among(r, turns));
}

static void read_column(struct json_reader *r, struct game_action *a)
{
    a->arg[0] = (uint8_t)json_read_int(r, 0, TETRIS_WIDTH - 1);
}

static void read_rotation(struct json_reader *r, struct game_action *a)
{
    a->arg[1] = (uint8_t)read_among(r, tetris_rotation_names);
}

static void set_flag(struct game_action *a, int flag, bool on)
{
    a->arg[2] = (uint8_t)(on ? a->arg[2] | flag : a->arg[2] & ~flag);
}

static void read_use_hold(struct json_reader *r, struct game_action *a)
{
    set_flag(a, TETRIS_PLACE_HOLD, json_read_bool(r));
}

static void read_path(struct json_reader *r, struct game_action *a)
{
    set_flag(a, TETRIS_PLACE_FULL, read_among(r, paths) == 1);
}

static int32_t read_row(struct json_reader *r)
{
    return (int32_t)json_read_int(r, -TETRIS_HIDDEN, TETRIS_HEIGHT - 1);
}

static void read_place_row(struct json_reader *r, struct game_action *a)
{
    bool given = !json_read_if_null(r);
    a->amount = given ? read_row(r) : 0;
    set_flag(a, TETRIS_PLACE_AT_ROW, given);
}

static void read_seed(struct json_reader *r, struct game_action *a)
{
    a->arg[0] = !json_read_if_null(r);
    a->amount = a->arg[0] ? (int32_t)(uint32_t)json_read_uint(r, UINT32_MAX) : 0; // T2.12
}

static void read_rows(struct json_reader *r, struct game_action *a)
{
    a->arg[0] = (uint8_t)json_read_int(r, 1, TETRIS_MAX_ROWS);
}

static void read_hole(struct json_reader *r, struct game_action *a)
{
    a->arg[1] = json_read_if_null(r) ? 0 : (uint8_t)(1 + json_read_int(r, 0, TETRIS_WIDTH - 1));
}

static void read_next_kind(struct json_reader *r, struct game_action *a)
{
    a->arg[0] = (uint8_t)read_kind(r);
}

static void read_level(struct json_reader *r, struct game_action *a)
{
    a->arg[0] = (uint8_t)json_read_int(r, 0, TETRIS_MAX_LEVEL);
}

static void read_multiplier(struct json_reader *r, struct game_action *a)
{
    a->amount = read_milli(r, TETRIS_MIN_GRAVITY, TETRIS_MAX_GRAVITY);
}

static void read_rate(struct json_reader *r, struct game_action *a)
{
    a->arg[0] = (uint8_t)json_read_int(r, 0, TETRIS_MAX_RISE);
}

static void read_location_row(struct json_reader *r, struct game_action *a)
{
    a->amount = read_row(r);
}

static const struct {
    uint8_t kind;
    bool needed;
    const char *key;
    read_param *read;
} params[] = {
    {TETRIS_MOVE_LEFT, true, "direction", read_move},
    {TETRIS_ROTATE_CW, true, "direction", read_turn},
    {TETRIS_PLACE, true, "x", read_column},
    {TETRIS_PLACE, true, "rotation", read_rotation},
    {TETRIS_PLACE, false, "use_hold", read_use_hold},
    {TETRIS_PLACE, false, "path", read_path},
    {TETRIS_PLACE, false, "y", read_place_row},
    {TETRIS_RESTART, false, "seed", read_seed},
    {TETRIS_GARBAGE, true, "rows", read_rows},
    {TETRIS_GARBAGE, false, "hole", read_hole},
    {TETRIS_NEXT_PIECE, true, "kind", read_next_kind},
    {TETRIS_SET_LEVEL, true, "level", read_level},
    {TETRIS_SET_GRAVITY, true, "multiplier", read_multiplier},
    {TETRIS_SET_RISE, true, "rate", read_rate},
    {TETRIS_TELEPORT, true, "x", read_column},
    {TETRIS_TELEPORT, true, "y", read_location_row},
};
enum { PARAMS = sizeof params / sizeof *params };

static int find_param(int kind, struct json_string key)
{
    for (int i = 0; i < PARAMS; i++)
        if (params[i].kind == kind && json_string_is(key, params[i].key))
            return i;
    return -1;
}

static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    (void)table;
    int kind = a->kind; // of the type; a direction may change it
    uint32_t seen = 0;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);) {
        int i = find_param(kind, key);
        if (i < 0) {
            json_skip(r);
            continue;
        }
        params[i].read(r, a);
        seen |= 1u << i;
    }
    for (int i = 0; i < PARAMS; i++)
        if (params[i].kind == kind && params[i].needed && !(seen >> i & 1))
            return r->error ? r->error : ERR_MISSING;
    return r->error;
}

static void write_place(struct text *t, struct game_action a)
{
    json_put_int(t, "x", a.arg[0]);
    json_put_text(t, "rotation", tetris_rotation_names[a.arg[1] & 3]);
    json_put_bool(t, "use_hold", a.arg[2] & TETRIS_PLACE_HOLD);
    if (a.arg[2] & TETRIS_PLACE_FULL)
        json_put_text(t, "path", paths[1]);
    if (a.arg[2] & TETRIS_PLACE_AT_ROW)
        json_put_int(t, "y", a.amount);
}

static void write_params(struct text *t, const struct codec_table *table, struct game_action a)
{
    (void)table;
    switch (a.kind) {
    case TETRIS_MOVE_LEFT:
    case TETRIS_MOVE_RIGHT:
        json_put_text(t, "direction", moves[a.kind - TETRIS_MOVE_LEFT]);
        break;
    case TETRIS_ROTATE_CW:
    case TETRIS_ROTATE_CCW:
        json_put_text(t, "direction", turns[a.kind - TETRIS_ROTATE_CW]);
        break;
    case TETRIS_PLACE:
        write_place(t, a);
        break;
    case TETRIS_RESTART:
        if (a.arg[0])
            json_put_uint(t, "seed", (uint32_t)a.amount);
        break;
    case TETRIS_GARBAGE:
        json_put_int(t, "rows", a.arg[0]);
        if (a.arg[1])
            json_put_int(t, "hole", a.arg[1] - 1);
        break;
    case TETRIS_NEXT_PIECE:
        put_kind(t, "kind", a.arg[0]);
        break;
    case TETRIS_SET_LEVEL:
        json_put_int(t, "level", a.arg[0]);
        break;
    case TETRIS_SET_GRAVITY:
        json_put_decimal(t, "multiplier", a.amount / 1000.0, 3);
        break;
    case TETRIS_SET_RISE:
        json_put_int(t, "rate", a.arg[0]);
        break;
    case TETRIS_TELEPORT:
        json_put_int(t, "x", a.arg[0]);
        json_put_int(t, "y", a.amount);
        break;
    default:
        break;
    }
}

// --- the view (G24.4) ---

static void put_active(struct text *t, const struct tetris_view *v)
{
    const struct tetris_piece *p = &v->piece;
    if (!p->kind) {
        json_put_null(t, "active");
        json_put_null(t, "ghost_y");
        return;
    }
    int left = tetris_left(p->kind, p->rotation), top = tetris_top(p->kind, p->rotation);
    json_begin_object_at(t, "active");
    put_kind(t, "kind", p->kind);
    json_put_text(t, "rotation", tetris_rotation_names[p->rotation]);
    json_put_int(t, "x", p->x + left);
    json_put_int(t, "y", p->y + top);
    json_end_object(t);
    json_put_int(t, "ghost_y", tetris_ghost(v) + top);
}

static void put_goal(struct text *t, const struct tetris_view *v)
{
    if (v->goal == TETRIS_NO_GOAL) {
        json_put_null(t, "goal");
        return;
    }
    json_begin_object_at(t, "goal");
    json_put_text(t, "kind", goals[v->goal]);
    json_put_int(t, "remaining", v->goal_left);
    json_end_object(t);
}

static void put_timers(struct text *t, const struct tetris_view *v)
{
    json_begin_object_at(t, "timers");
    json_put_int(t, "drop_ms", v->facts.drop_ms);
    json_put_int(t, "lock_ms", v->piece.lock_ms);
    json_put_int(t, "line_clear_ms", v->facts.line_clear_ms);
    json_end_object(t);
}

static void write_view(struct text *t, const struct codec_table *table, const void *view)
{
    (void)table;
    const struct tetris_view *v = view;
    const struct tetris_facts *f = &v->facts;
    json_key(t, "board");
    write_board_rows(t, v->cells);
    put_active(t, v);
    put_kind(t, "hold", f->hold);
    json_put_bool(t, "can_hold", f->can_hold);
    json_begin_array_at(t, "next");
    for (int i = 0; i < TETRIS_NEXT; i++)
        json_write_text(t, v->next[i] ? tetris_kind_names[v->next[i]] : NULL);
    json_end_array(t);
    json_put_uint(t, "piece_id", f->piece_id);
    json_put_uint(t, "score", f->score);
    json_put_uint(t, "level", f->level);
    json_put_uint(t, "lines", f->lines);
    json_put_int(t, "combo", f->combo);
    json_put_bool(t, "back_to_back", f->back_to_back);
    put_timers(t, v);
    json_put_decimal(t, "gravity", f->gravity_milli / 1000.0, 3);
    json_put_int(t, "garbage_pending", f->pending);
    put_goal(t, v);
    json_put_text(t, "ruleset", rulesets[v->ruleset]);
    json_put_bool(t, "paused", f->paused);
    json_put_text(t, "ended", f->end ? tetris_end_names[f->end] : NULL);
}

// --- events (G24.9) ---

static void write_locked(struct text *t, const struct game_event *e)
{
    struct tetris_lock lock = tetris_event_lock(e);
    put_kind(t, "kind", lock.kind);
    json_put_int(t, "x", lock.x);
    json_put_int(t, "y", lock.y);
    json_put_text(t, "rotation", tetris_rotation_names[lock.rotation]);
    json_put_int(t, "lines", lock.lines);
    json_put_text(t, "tspin", spins[lock.spin]);
}

static void write_cleared(struct text *t, const struct game_event *e)
{
    struct tetris_lock lock = tetris_event_lock(e);
    json_put_int(t, "count", lock.lines);
    json_put_uint(t, "score", lock.score);
    json_put_int(t, "combo", lock.combo);
    json_put_bool(t, "back_to_back", lock.back_to_back);
}

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)table, (void)count;
    switch (e->kind) {
    case TETRIS_PIECE_LOCKED:
        write_locked(t, e);
        break;
    case TETRIS_LINES_CLEARED:
        write_cleared(t, e);
        break;
    case TETRIS_LEVEL_UP:
        json_put_int(t, "level", e->amount);
        break;
    case TETRIS_HELD:
        put_kind(t, "kind", e->data[0]);
        put_kind(t, "released", e->data[1]);
        break;
    case TETRIS_GARBAGE_ROSE:
    case TETRIS_SOFT_DROPPED:
        json_put_int(t, "rows", e->amount);
        break;
    case TETRIS_GAME_OVER:
        json_put_text(t, "cause", tetris_end_names[e->data[0]]);
        break;
    default:
        break;
    }
}

static const char *const phases[] = {[TETRIS_PLAYING] = "playing", [TETRIS_DONE] = "done", NULL};

static const char *const event_types[TETRIS_EVENTS] = {
    [TETRIS_PIECE_LOCKED] = "piece_locked", [TETRIS_LINES_CLEARED] = "lines_cleared",
    [TETRIS_LEVEL_UP] = "level_up",         [TETRIS_HELD] = "hold",
    [TETRIS_GARBAGE_ROSE] = "garbage",      [TETRIS_GAME_OVER] = "game_over",
    [TETRIS_SOFT_DROPPED] = "soft_drop",
};

const struct codec tetris_codec = {
    .game = &tetris_game,
    .title = "Tetris",
    .summary = "falling pieces on 10 columns: fill rows to clear them, one player against time",
    .phases = phases,
    .actions = actions,
    .event_types = event_types,
    .read_rule = read_rule,
    .write_rules = write_rules,
    .read_params = read_params,
    .write_params = write_params,
    .write_view = write_view,
    .write_event = write_event,
    .read_view = tetris_read_view,
    .describe_rules = tetris_describe_rules,
    .describe_view = tetris_describe_view,
    .describe_action = tetris_describe_action,
    .describe_event = tetris_describe_event,
    .draw = tetris_draw,
    .speech = &tetris_speech,
    .moves = &tetris_moves,
    .short_prose = &tetris_short_prose,
};
