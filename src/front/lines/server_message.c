#include "front/lines/server_message.h"

#include "base/json_read.h"
#include "front/lines/message.h"

static const char *const types[] = {"welcome", "observation", "ack", "error", NULL};
static const char *const kinds[] = {"i", "o", "t", "s", "z", "j", "l", NULL};
static const char *const spins[] = {"mini", "full", NULL};

static void copy_text(struct json_reader *r, char out[SERVER_TEXT])
{
    if (json_string_copy(json_read_string(r), out, SERVER_TEXT) < 0)
        json_fail(r, ERR_TOO_LONG);
}

static uint8_t read_kind(struct json_reader *r)
{
    int kind = json_string_among(json_read_string(r), kinds);
    if (kind < 0)
        json_fail(r, ERR_UNKNOWN);
    return (uint8_t)(kind + 1);
}

static uint64_t read_or_null(struct json_reader *r)
{
    return json_read_if_null(r) ? 0 : json_read_uint(r, INT64_MAX);
}

// --- observation

static void read_cells(struct json_reader *r, struct server_observation *o)
{
    int rows = 0;
    for (json_enter_array(r); json_next_item(r); rows++) {
        int columns = 0;
        for (json_enter_array(r); json_next_item(r); columns++) {
            uint64_t cell = json_read_uint(r, 7);
            if (rows < 20 && columns < 10)
                o->cells[rows * 10 + columns] = (uint8_t)cell;
        }
        if (columns != 10)
            json_fail(r, ERR_RANGE);
    }
    if (rows != 20)
        json_fail(r, ERR_RANGE);
}

static void read_board(struct json_reader *r, struct server_observation *o)
{
    struct json_string key;
    unsigned seen = 0;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "width"))
            json_read_int(r, 10, 10), seen |= 1;
        else if (json_string_is(key, "height"))
            json_read_int(r, 20, 20), seen |= 2;
        else if (json_string_is(key, "cells"))
            read_cells(r, o), seen |= 4;
        else
            json_skip(r);
    }
    if (seen != 7)
        json_fail(r, ERR_MISSING);
}

static void read_active(struct json_reader *r, struct server_observation *o)
{
    struct json_string key;
    unsigned seen = 0;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "kind"))
            o->kind = read_kind(r), seen |= 1;
        else if (json_string_is(key, "rotation"))
            o->rotation = (uint8_t)(json_string_among(json_read_string(r), message_rotations) & 3), seen |= 2;
        else if (json_string_is(key, "x"))
            o->x = (int)json_read_int(r, -128, 127), seen |= 4;
        else if (json_string_is(key, "y"))
            o->y = (int)json_read_int(r, -128, 127), seen |= 8;
        else
            json_skip(r);
    }
    if (seen != 15)
        json_fail(r, ERR_MISSING);
}

static void read_queue(struct json_reader *r, struct server_observation *o)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r); count++) {
        uint8_t kind = read_kind(r);
        if (count < SERVER_NEXT)
            o->queue[count] = kind;
    }
    if (count != SERVER_NEXT)
        json_fail(r, ERR_RANGE);
}

static void read_event(struct json_reader *r, struct server_event *e)
{
    struct json_string key;
    unsigned seen = 0;
    *e = (struct server_event){0};
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "locked"))
            json_read_bool(r), seen |= 1;
        else if (json_string_is(key, "lines_cleared"))
            e->lines = (uint8_t)json_read_uint(r, 4), seen |= 2;
        else if (json_string_is(key, "line_clear_score"))
            e->score = (uint32_t)json_read_uint(r, UINT32_MAX), seen |= 4;
        else if (json_string_is(key, "tspin"))
            e->spin = json_read_if_null(r) ? 0 : (uint8_t)(json_string_among(json_read_string(r), spins) + 1);
        else if (json_string_is(key, "combo"))
            e->combo = (int32_t)json_read_int(r, INT32_MIN, INT32_MAX), seen |= 8;
        else if (json_string_is(key, "back_to_back"))
            e->back_to_back = json_read_bool(r), seen |= 16;
        else
            json_skip(r);
    }
    if (seen != 31)
        json_fail(r, ERR_MISSING);
}

static void read_events(struct json_reader *r, struct server_observation *o)
{
    struct server_event e;
    o->event_count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        read_event(r, &e);
        if (o->event_count < SERVER_EVENTS)
            o->events[o->event_count++] = e;
    }
}

static void read_timers(struct json_reader *r, struct server_observation *o)
{
    struct json_string key;
    unsigned seen = 0;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "drop_ms"))
            o->drop_ms = json_read_uint(r, UINT32_MAX), seen |= 1;
        else if (json_string_is(key, "lock_ms"))
            o->lock_ms = json_read_uint(r, UINT32_MAX), seen |= 2;
        else if (json_string_is(key, "line_clear_ms"))
            o->line_clear_ms = json_read_uint(r, UINT32_MAX), seen |= 4;
        else
            json_skip(r);
    }
    if (seen != 7)
        json_fail(r, ERR_MISSING);
}

// How each member of an observation is read: as a flag, a number, or by a function of its own.
enum how { FLAG, NUMBER, OWN };

static const struct member {
    const char *name;
    uint32_t field;
    enum how how;
    size_t offset;
    void (*read)(struct json_reader *r, struct server_observation *o);
} members[] = {
    {"playable", SERVER_PLAYABLE, FLAG, offsetof(struct server_observation, playable), NULL},
    {"paused", SERVER_PAUSED, FLAG, offsetof(struct server_observation, paused), NULL},
    {"game_over", SERVER_GAME_OVER, FLAG, offsetof(struct server_observation, game_over), NULL},
    {"can_hold", SERVER_CAN_HOLD, FLAG, offsetof(struct server_observation, can_hold), NULL},
    {"logical_step", SERVER_LOGICAL_STEP, NUMBER, offsetof(struct server_observation, logical_step), NULL},
    {"episode_id", SERVER_EPISODE_ID, NUMBER, offsetof(struct server_observation, episode_id), NULL},
    {"seed", SERVER_SEED, NUMBER, offsetof(struct server_observation, seed), NULL},
    {"piece_id", SERVER_PIECE_ID, NUMBER, offsetof(struct server_observation, piece_id), NULL},
    {"step_in_piece", SERVER_STEP_IN_PIECE, NUMBER, offsetof(struct server_observation, step_in_piece), NULL},
    {"board_id", SERVER_BOARD_ID, NUMBER, offsetof(struct server_observation, board_id), NULL},
    {"score", SERVER_SCORE, NUMBER, offsetof(struct server_observation, score), NULL},
    {"level", SERVER_LEVEL, NUMBER, offsetof(struct server_observation, level), NULL},
    {"lines", SERVER_LINES, NUMBER, offsetof(struct server_observation, lines), NULL},
    {"board", SERVER_BOARD, OWN, 0, read_board},
    {"active", SERVER_ACTIVE, OWN, 0, read_active},
    {"next_queue", SERVER_NEXT_QUEUE, OWN, 0, read_queue},
    {"events", SERVER_EVENT_LIST, OWN, 0, read_events},
    {"timers", SERVER_TIMERS, OWN, 0, read_timers},
};

static void read_plain(struct json_reader *r, const struct member *m, struct server_observation *o)
{
    char *at = (char *)o + m->offset;
    if (m->how == FLAG) {
        bool flag = json_read_bool(r);
        memcpy(at, &flag, sizeof flag);
    } else if (m->how == NUMBER) {
        uint64_t number = json_read_uint(r, INT64_MAX);
        memcpy(at, &number, sizeof number);
    } else {
        m->read(r, o);
    }
}

static bool read_odd(struct json_reader *r, struct json_string key, struct server_observation *o)
{
    if (json_string_is(key, "next"))
        o->next = read_kind(r), o->fields |= SERVER_NEXT_PIECE;
    else if (json_string_is(key, "hold"))
        o->hold = json_read_if_null(r) ? 0 : read_kind(r), o->fields |= SERVER_HOLD;
    else if (json_string_is(key, "ghost_y"))
        o->ghost_y = json_read_if_null(r) ? 0 : (int)json_read_int(r, -128, 127), o->fields |= SERVER_GHOST_Y;
    else if (json_string_is(key, "last_event") && !json_read_if_null(r))
        read_event(r, &o->last), o->fields |= SERVER_LAST_EVENT;
    else if (json_string_is(key, "state_hash"))
        copy_text(r, o->state_hash), o->fields |= SERVER_STATE_HASH;
    else if (json_string_is(key, "controller_id"))
        o->controller_id = read_or_null(r), o->fields |= SERVER_CONTROLLER_ID;
    else
        return json_string_is(key, "last_event");
    return true;
}

static void read_observation(struct json_reader *r, struct server_message *m)
{
    struct server_observation *o = &m->observation;
    struct json_string key;
    *o = (struct server_observation){.fields = SERVER_SEQ | SERVER_TS};
    for (json_enter_object(r); json_next_key(r, &key);) {
        const struct member *found = NULL;
        for (unsigned i = 0; i < sizeof members / sizeof *members && !found; i++)
            if (json_string_is(key, members[i].name))
                found = &members[i];
        if (found && !(found->field == SERVER_ACTIVE && json_read_if_null(r)))
            read_plain(r, found, o), o->fields |= found->field;
        else if (!found && !read_odd(r, key, o))
            json_skip(r);
    }
}

// --- welcome

static const struct {
    const char *name;
    uint32_t field;
} features[] = {
    {"next", SERVER_NEXT_PIECE},
    {"next_queue", SERVER_NEXT_QUEUE},
    {"can_hold", SERVER_CAN_HOLD},
    {"board_id", SERVER_BOARD_ID},
    {"state_hash", SERVER_STATE_HASH},
    {"score", SERVER_SCORE},
    {"timers", SERVER_TIMERS},
    {"events", SERVER_EVENT_LIST},
    {"logical_step", SERVER_LOGICAL_STEP},
    {"hold", SERVER_HOLD},
    {"ghost_y", SERVER_GHOST_Y},
    {"last_event", SERVER_LAST_EVENT},
    {"controller_id", SERVER_CONTROLLER_ID},
};

static uint32_t read_features(struct json_reader *r, bool *lockstep)
{
    uint32_t fields = 0;
    for (json_enter_array(r); json_next_item(r);) {
        struct json_string name = json_read_string(r);
        if (r->error)
            break;
        *lockstep |= json_string_is(name, "lockstep");
        for (unsigned i = 0; i < sizeof features / sizeof *features; i++)
            if (json_string_is(name, features[i].name))
                fields |= features[i].field;
    }
    return fields;
}

static void read_capabilities(struct json_reader *r, struct server_welcome *w)
{
    struct json_string key;
    bool unused = false;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "features"))
            read_features(r, &w->lockstep), w->fields |= WELCOME_FEATURES;
        else if (json_string_is(key, "features_always"))
            w->always = read_features(r, &unused), w->fields |= WELCOME_ALWAYS;
        else if (json_string_is(key, "formats"))
            json_skip(r), w->fields |= WELCOME_FORMATS;
        else if (json_string_is(key, "command_modes"))
            json_skip(r), w->fields |= WELCOME_MODES;
        else if (json_string_is(key, "control_policy"))
            json_skip(r), w->fields |= WELCOME_POLICY;
        else
            json_skip(r);
    }
}

static void read_welcome(struct json_reader *r, struct server_message *m)
{
    struct server_welcome *w = &m->welcome;
    struct json_string key;
    *w = (struct server_welcome){0};
    const struct {
        const char *name;
        char *out;
        uint32_t field;
    } texts[] = {
        {"protocol_version", w->protocol_version, WELCOME_PROTOCOL},
        {"game_id", w->game_id, WELCOME_GAME_ID},
        {"role", w->role, WELCOME_ROLE},
        {"ruleset", w->ruleset, 0},
        {"coordinates", w->coordinates, 0},
        {"clock", w->clock, 0},
        {"hash", w->hash, 0},
        {"table", w->table, 0},
    };
    for (json_enter_object(r); json_next_key(r, &key);) {
        unsigned i = 0;
        while (i < sizeof texts / sizeof *texts && !json_string_is(key, texts[i].name))
            i++;
        if (i < sizeof texts / sizeof *texts)
            copy_text(r, texts[i].out), w->fields |= texts[i].field;
        else if (json_string_is(key, "client_id"))
            w->client_id = json_read_uint(r, INT64_MAX), w->fields |= WELCOME_CLIENT_ID;
        else if (json_string_is(key, "controller_id"))
            w->controller_id = read_or_null(r), w->fields |= WELCOME_CONTROLLER;
        else if (json_string_is(key, "capabilities"))
            read_capabilities(r, w);
        else
            json_skip(r);
    }
}

// --- ack, error

static void read_ack(struct json_reader *r, struct server_message *m)
{
    struct json_string key;
    m->ack.applied_step = UINT64_MAX;
    m->ack.state_hash[0] = 0;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "applied_step"))
            m->ack.applied_step = json_read_uint(r, INT64_MAX);
        else if (json_string_is(key, "state_hash"))
            copy_text(r, m->ack.state_hash);
        else
            json_skip(r);
    }
}

static void read_error(struct json_reader *r, struct server_message *m)
{
    struct json_string key;
    m->error.code[0] = 0;
    m->error.retry_after_ms = 0;
    m->error.controller_id = 0;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "code"))
            copy_text(r, m->error.code);
        else if (json_string_is(key, "retry_after_ms"))
            m->error.retry_after_ms = json_read_int(r, 0, INT32_MAX);
        else if (json_string_is(key, "controller_id"))
            m->error.controller_id = read_or_null(r);
        else
            json_skip(r);
    }
}

// --- all

static int read_head(struct json_reader r, struct server_message *m)
{
    struct json_string key, type = {0};
    unsigned seen = 0;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (json_string_is(key, "type"))
            type = json_read_string(&r), seen |= 1;
        else if (json_string_is(key, "seq"))
            m->seq = json_read_uint(&r, INT64_MAX), seen |= 2;
        else if (json_string_is(key, "ts"))
            m->ts = json_read_int(&r, INT64_MIN, INT64_MAX), seen |= 4;
        else
            json_skip(&r);
    }
    int err = json_finish(&r);
    if (err == OK && seen != 7)
        return ERR_MISSING;
    m->type = err == OK ? (enum server_type)(json_string_among(type, types) + 1) : SERVER_UNKNOWN;
    return err;
}

bool server_message_read(struct server_message *m, struct span line)
{
    static void (*const readers[])(struct json_reader *,
                                   struct server_message *) = {[SERVER_WELCOME] = read_welcome,
                                                               [SERVER_OBSERVATION] = read_observation,
                                                               [SERVER_ACK] = read_ack,
                                                               [SERVER_ERROR] = read_error};
    struct json_reader r = json_reader_of(line, 32);
    m->wrong = NULL;
    m->type = SERVER_UNKNOWN;
    int err = read_head(r, m);
    if (err != OK || m->type == SERVER_UNKNOWN) {
        m->wrong = err == OK ? "a type that the standard does not know" : err_sentence(err);
        return false;
    }
    readers[m->type](&r, m);
    err = json_finish(&r);
    if (err != OK)
        m->wrong = err_sentence(err);
    return true;
}
