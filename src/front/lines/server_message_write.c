#include "front/lines/internal.h"

#include "base/json_write.h"

static const char *const kind_names[] = {NULL, "i", "o", "t", "s", "z", "j", "l"};

static bool uses_box(const struct adapter_client *c)
{
    return c->major == 3 || c->adapter->options.box_coordinates;
}

static void message_begin(struct text *out, const char *type, uint64_t seq, const struct adapter *a)
{
    json_begin_object(out);
    json_put_text(out, "type", type);
    json_put_uint(out, "seq", seq);
    json_put_int(out, "ts", adapter_unix_ms(a));
}

// --- hashes

// FNV-1a, the lowest byte first.
static uint64_t fnv(uint64_t h, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8)
        h = (h ^ (value & 0xff)) * 0x100000001b3u;
    return h;
}

// T5.14: stable_hash(e), the deployed hash of 3.0.0 with at most one event.
static uint64_t stable_hash(const struct tetris_state *s, const struct tetris_view *v, const struct tetris_lock *e)
{
    const struct tetris_facts *f = &s->facts;
    const struct tetris_piece *p = &s->piece;
    uint64_t h = fnv(0xcbf29ce484222325u, tetris_hash_field(s, TETRIS_HASH_COMPAT), 8);
    h = fnv(fnv(h, f->board_id, 4), p->kind != 0, 1);
    if (p->kind)
        h = fnv(fnv(fnv(fnv(h, p->kind, 1), p->rotation, 1), (uint8_t)p->x, 1), (uint8_t)p->y, 1);
    h = fnv(h, f->hold != 0, 1);
    if (f->hold)
        h = fnv(h, f->hold, 1);
    h = fnv(h, f->can_hold, 1);
    for (int i = 0; i < TETRIS_NEXT; i++)
        h = fnv(h, v->next[i], 1);
    h = fnv(fnv(h, f->paused, 1), f->end != 0, 1);
    const uint32_t numbers[] = {f->episode_id, f->piece_id, f->step_in_piece, f->seed,    f->score,
                                f->level,      f->lines,    f->drop_ms,       p->lock_ms, f->line_clear_ms};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        h = fnv(h, numbers[i], 4);
    h = fnv(h, e != NULL, 1);
    if (!e)
        return h;
    h = fnv(fnv(fnv(h, 1, 1), e->lines, 4), e->score, 4);
    bool spin = e->spin && e->lines;
    h = fnv(h, spin, 1);
    if (spin)
        h = fnv(h, e->spin, 1);
    return fnv(fnv(h, (uint32_t)e->combo, 4), e->back_to_back, 1);
}

// T5.14: what a 3.0.0 server sends, two zeros included.
static uint64_t wire_hash_3(const struct tetris_state *s, const struct lock_event *events, int count)
{
    struct tetris_view v;
    tetris_game.view(s, 0, &v);
    uint64_t h = fnv(fnv(stable_hash(s, &v, NULL), 0, 8), (uint64_t)count, 8);
    for (int i = 0; i < count; i++)
        h = fnv(h, stable_hash(s, &v, &events[i].lock), 8);
    return fnv(h, 0, 8);
}

// The hash of the field is cached until the field changes.
static uint64_t field_hash(struct table *t, enum tetris_layout layout)
{
    const struct tetris_facts *f = &table_state(t)->facts;
    struct field_hash *kept = &t->field_hash;
    if (!kept->known || kept->episode_id != f->episode_id || kept->board_id != f->board_id)
        *kept = (struct field_hash){tetris_hash_field(table_state(t), layout), f->episode_id, f->board_id, true};
    return kept->hash;
}

// The hash that is sent with these events.
static uint64_t hash_for(const struct adapter_client *c, const struct lock_event *events, int count)
{
    const struct tetris_state *s = table_state(c->table);
    if (!c->adapter->options.compat_hash)
        return tetris_hash_rest(s, TETRIS_HASH_AGON, NULL, field_hash(c->table, TETRIS_HASH_AGON));
    if (c->major == 3)
        return wire_hash_3(s, events, count);
    return tetris_hash_rest(s, TETRIS_HASH_COMPAT, count ? &events[count - 1].lock : NULL,
                            field_hash(c->table, TETRIS_HASH_COMPAT));
}

// --- welcome (T3.14, T5.5)

static const char *const always[] = {"next",   "next_queue", "can_hold",     "board_id",      "state_hash", "score",
                                     "timers", "events",     "logical_step", "controller_id", NULL};
static const char *const optional[] = {"hold", "ghost_y", "last_event", NULL};
static const char *const extras_cells[] = {"coordinates_cells", "lockstep", "place_path", NULL};
static const char *const extras_box[] = {"coordinates_box", "lockstep", "place_path", NULL};
static const char *const always_3[] = {"next",         "next_queue", "can_hold", "board_id", "events",
                                       "logical_step", "state_hash", "score",    "timers",   NULL};
static const char *const optional_3[] = {"hold", "ghost_y", NULL};
static const char *const none[] = {NULL};

static void put_words(struct text *out, const char *key, const char *const *first, const char *const *second,
                      const char *const *third)
{
    const char *const *lists[] = {first, second, third};
    json_begin_array_at(out, key);
    for (int i = 0; i < 3; i++)
        for (const char *const *word = lists[i]; *word; word++)
            json_write_text(out, *word);
    json_end_array(out);
}

static void put_controller(struct text *out, const struct table *t)
{
    json_key(out, "controller_id");
    if (t->controller)
        json_write_uint(out, t->controller->id);
    else
        json_write_null(out);
}

static void put_capabilities(struct text *out, const struct adapter_client *c)
{
    static const char *const formats[] = {"json", NULL}, *const modes[] = {"action", "place", NULL};
    bool third = c->major == 3;
    const char *const *sure = third ? always_3 : always, *const *maybe = third ? optional_3 : optional;
    const char *const *extra = third ? none : uses_box(c) ? extras_box : extras_cells;
    json_begin_object_at(out, "capabilities");
    put_words(out, "formats", formats, none, none);
    put_words(out, "command_modes", modes, none, none);
    put_words(out, "features", sure, maybe, extra);
    put_words(out, "features_always", sure, none, none);
    put_words(out, "features_optional", maybe, none, none);
    json_begin_object_at(out, "control_policy");
    json_put_bool(out, "auto_promote_on_disconnect", true);
    json_put_text(out, "promotion_order", "lowest_client_id");
    json_put_bool(out, "auto_promote_on_release", false);
    json_end_object(out);
    json_end_object(out);
}

void write_welcome(struct text *out, const struct adapter_client *c)
{
    const struct table *t = c->table;
    message_begin(out, "welcome", 1, c->adapter);
    json_put_text(out, "protocol_version", c->major == 3 ? "3.0.0" : "2.1.0");
    json_put_uint(out, "client_id", c->id);
    json_put_text(out, "role", t->controller == c ? "controller" : "observer");
    put_controller(out, t);
    json_put_text(out, "game_id", "agon-tetris");
    put_capabilities(out, c);
    json_put_text(out, "ruleset", c->adapter->options.rules.ruleset == TETRIS_GUIDELINE ? "guideline" : "standard");
    json_put_text(out, "coordinates", uses_box(c) ? "box" : "cells");
    json_put_text(out, "clock", table_in_lockstep(t) ? "lockstep" : "realtime");
    json_put_text(out, "hash", c->adapter->options.compat_hash ? "compat" : "agon");
    json_put_text(out, "table", t->name);
    json_end_object(out);
}

// --- replies (T3.55, T3.56)

void write_ack(struct text *out, const struct adapter_client *c, uint64_t seq)
{
    message_begin(out, "ack", seq, c->adapter);
    json_put_text(out, "status", "ok");
    json_put_uint(out, "correlation_seq", seq);
    json_end_object(out);
}

void write_command_ack(struct text *out, const struct adapter_client *c, uint64_t seq)
{
    const struct table *t = c->table;
    struct lock_event last = {0, t->step_lock};
    message_begin(out, "ack", seq, c->adapter);
    json_put_text(out, "status", "ok");
    json_put_uint(out, "correlation_seq", seq);
    json_put_uint(out, "applied_step", t->logical_step);
    json_put_hex(out, "state_hash", hash_for(c, &last, t->step_lock.kind != 0));
    json_end_object(out);
}

void write_error(struct text *out, const struct adapter_client *c, uint64_t seq, const char *code, const char *message)
{
    message_begin(out, "error", seq, c->adapter);
    json_put_text(out, "code", code);
    json_put_text(out, "message", message);
    if (strcmp(code, "backpressure") == 0)
        json_put_int(out, "retry_after_ms", c->adapter->options.retry_ms);
    if (strcmp(code, "controller_active") == 0)
        put_controller(out, c->table);
    json_end_object(out);
}

// --- observations (T3.60, T3.61)

// Twenty rows of digits. The text has a fixed length, so it is written in place.
static void put_cells(struct text *out, const struct tetris_view *v)
{
    enum { ROW = 2 + 2 * TETRIS_WIDTH };
    json_key(out, "cells");
    char *at = text_reserve(out, 1 + ROW * TETRIS_HEIGHT);
    if (!at)
        return;
    *at++ = '[';
    for (int y = 0; y < TETRIS_HEIGHT; y++) {
        *at++ = '[';
        for (int x = 0; x < TETRIS_WIDTH; x++) {
            *at++ = (char)('0' + v->cells[y * TETRIS_WIDTH + x]);
            *at++ = ',';
        }
        at[-1] = ']';
        *at++ = ',';
    }
    at[-1] = ']';
}

static void put_board(struct text *out, const struct tetris_view *v)
{
    json_begin_object_at(out, "board");
    json_put_int(out, "width", TETRIS_WIDTH);
    json_put_int(out, "height", TETRIS_HEIGHT);
    put_cells(out, v);
    json_end_object(out);
}

static void put_active(struct text *out, const struct tetris_view *v, bool box)
{
    const struct tetris_piece *p = &v->piece;
    if (!p->kind)
        return;
    int left = box ? 0 : tetris_left(p->kind, p->rotation), top = box ? 0 : tetris_top(p->kind, p->rotation);
    json_begin_object_at(out, "active");
    json_put_text(out, "kind", kind_names[p->kind]);
    json_put_text(out, "rotation", message_rotations[p->rotation]);
    json_put_int(out, "x", p->x + left);
    json_put_int(out, "y", p->y + top);
    json_end_object(out);
    json_put_int(out, "ghost_y", tetris_ghost(v) + top);
}

static void put_pieces(struct text *out, const struct tetris_view *v)
{
    json_put_text(out, "next", kind_names[v->next[0]]);
    json_begin_array_at(out, "next_queue");
    for (int i = 0; i < TETRIS_NEXT; i++)
        json_write_text(out, kind_names[v->next[i]]);
    json_end_array(out);
    json_put_text(out, "hold", kind_names[v->facts.hold]);
    json_put_bool(out, "can_hold", v->facts.can_hold);
}

static void write_event(struct text *out, const struct tetris_lock *e)
{
    static const char *const spins[] = {NULL, "mini", "full"};
    json_begin_object(out);
    json_put_bool(out, "locked", true);
    json_put_int(out, "lines_cleared", e->lines);
    json_put_uint(out, "line_clear_score", e->score);
    if (e->lines && e->spin) // T1.50
        json_put_text(out, "tspin", spins[e->spin]);
    json_put_int(out, "combo", e->combo);
    json_put_bool(out, "back_to_back", e->back_to_back);
    json_end_object(out);
}

static void put_events(struct text *out, const struct adapter_client *c)
{
    if (c->event_count && c->major != 3) {
        json_key(out, "last_event");
        write_event(out, &c->events[c->event_count - 1].lock);
    }
    json_begin_array_at(out, "events");
    for (int i = 0; i < c->event_count; i++)
        write_event(out, &c->events[i].lock);
    json_end_array(out);
}

void write_observation_head(struct text *out, const struct adapter_client *c)
{
    message_begin(out, "observation", c->observations + 1, c->adapter);
}

void write_observation_body(struct text *out, const struct adapter_client *c)
{
    struct tetris_view v;
    tetris_game.view(table_state(c->table), 0, &v);
    const struct tetris_facts *f = &v.facts;
    text_put_char(out, ',');
    json_put_uint(out, "logical_step", c->table->logical_step);
    json_put_bool(out, "playable", !f->paused && !f->end);
    json_put_bool(out, "paused", f->paused);
    json_put_bool(out, "game_over", f->end);
    json_put_uint(out, "episode_id", f->episode_id);
    json_put_uint(out, "seed", f->seed);
    json_put_uint(out, "piece_id", f->piece_id);
    json_put_uint(out, "step_in_piece", f->step_in_piece);
    put_board(out, &v);
    json_put_uint(out, "board_id", f->board_id);
    put_active(out, &v, uses_box(c));
    put_pieces(out, &v);
    put_events(out, c);
    json_put_hex(out, "state_hash", hash_for(c, c->events, c->event_count));
    json_put_uint(out, "score", f->score);
    json_put_uint(out, "level", f->level);
    json_put_uint(out, "lines", f->lines);
    json_begin_object_at(out, "timers");
    json_put_int(out, "drop_ms", f->drop_ms);
    json_put_int(out, "lock_ms", v.piece.lock_ms);
    json_put_int(out, "line_clear_ms", f->line_clear_ms);
    json_end_object(out);
    put_controller(out, c->table);
    json_end_object(out);
}
