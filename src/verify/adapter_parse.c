#include "verify/adapter_parse.h"

#include "base/span.h"

#include <string.h>

static int find_word(const json_t *value, const char *const *words)
{
    const char *text = json_string_value(value);
    return text ? span_among(span_of(text), words) : -1;
}

int adapter_parse_kind(const json_t *kind)
{
    static const char *const kinds[] = {"i", "o", "t", "s", "z", "j", "l", NULL};
    return find_word(kind, kinds) + 1;
}

int adapter_parse_rotation(const json_t *rotation)
{
    static const char *const rotations[] = {"north", "east", "south", "west", NULL};
    return find_word(rotation, rotations);
}

bool adapter_is_int(const json_t *value, json_int_t least, json_int_t most)
{
    return json_is_integer(value) && json_integer_value(value) >= least && json_integer_value(value) <= most;
}

bool adapter_list_has(const json_t *list, const char *word)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i,
                       item) if (json_is_string(item) && strcmp(json_string_value(item), word) == 0) return true;
    return false;
}

static uint64_t read_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return adapter_is_int(value, 0, INT64_MAX) ? (uint64_t)json_integer_value(value) : 0;
}

static int read_small(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return adapter_is_int(value, INT16_MIN, INT16_MAX) ? (int)json_integer_value(value) : 0;
}

static bool read_flag(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static void copy_text(const json_t *object, const char *key, char out[SERVER_TEXT])
{
    const char *text = json_string_value(json_object_get(object, key));
    out[0] = 0;
    if (text && strlen(text) < SERVER_TEXT)
        memcpy(out, text, strlen(text) + 1);
}

static void read_cells(struct server_observation *o, const json_t *board)
{
    const json_t *rows = json_object_get(board, "cells");
    for (size_t i = 0; i < SERVER_CELLS; i++) {
        const json_t *cell = json_array_get(json_array_get(rows, i / 10), i % 10);
        o->cells[i] = adapter_is_int(cell, 0, 255) ? (uint8_t)json_integer_value(cell) : 0;
    }
}

static void read_observation(struct server_observation *o, const json_t *root)
{
    const json_t *active = json_object_get(root, "active"), *timers = json_object_get(root, "timers");
    *o = (struct server_observation){
        .playable = read_flag(root, "playable"),
        .paused = read_flag(root, "paused"),
        .game_over = read_flag(root, "game_over"),
        .can_hold = read_flag(root, "can_hold"),
        .logical_step = read_number(root, "logical_step"),
        .episode_id = read_number(root, "episode_id"),
        .seed = read_number(root, "seed"),
        .piece_id = read_number(root, "piece_id"),
        .step_in_piece = read_number(root, "step_in_piece"),
        .board_id = read_number(root, "board_id"),
        .score = read_number(root, "score"),
        .level = read_number(root, "level"),
        .lines = read_number(root, "lines"),
        .kind = (uint8_t)adapter_parse_kind(json_object_get(active, "kind")),
        .rotation = (uint8_t)(adapter_parse_rotation(json_object_get(active, "rotation")) & 3),
        .x = read_small(active, "x"),
        .y = read_small(active, "y"),
        .ghost_y = read_small(root, "ghost_y"),
        .next = (uint8_t)adapter_parse_kind(json_object_get(root, "next")),
        .hold = (uint8_t)adapter_parse_kind(json_object_get(root, "hold")),
        .drop_ms = read_number(timers, "drop_ms"),
        .lock_ms = read_number(timers, "lock_ms"),
        .line_clear_ms = read_number(timers, "line_clear_ms"),
        .controller_id = read_number(root, "controller_id"),
    };
    read_cells(o, json_object_get(root, "board"));
    for (size_t i = 0; i < SERVER_NEXT; i++)
        o->queue[i] = (uint8_t)adapter_parse_kind(json_array_get(json_object_get(root, "next_queue"), i));
    copy_text(root, "state_hash", o->state_hash);
}

static void read_welcome(struct server_welcome *w, const json_t *root)
{
    *w = (struct server_welcome){
        .client_id = read_number(root, "client_id"),
        .controller_id = read_number(root, "controller_id"),
        .lockstep = adapter_list_has(json_object_get(json_object_get(root, "capabilities"), "features"), "lockstep"),
        .fields = json_is_integer(json_object_get(root, "client_id")) ? WELCOME_CLIENT_ID : 0,
    };
    const json_t *controller = json_object_get(root, "controller_id");
    if (json_is_integer(controller) || json_is_null(controller))
        w->fields |= WELCOME_CONTROLLER;
    copy_text(root, "protocol_version", w->protocol_version);
    copy_text(root, "game_id", w->game_id);
    copy_text(root, "role", w->role);
    copy_text(root, "ruleset", w->ruleset);
    copy_text(root, "coordinates", w->coordinates);
    copy_text(root, "clock", w->clock);
    copy_text(root, "hash", w->hash);
    copy_text(root, "table", w->table);
}

static void read_reply(struct server_message *m, const json_t *root)
{
    if (m->type == SERVER_ACK) {
        const json_t *step = json_object_get(root, "applied_step");
        m->ack.applied_step = step ? read_number(root, "applied_step") : UINT64_MAX;
        copy_text(root, "state_hash", m->ack.state_hash);
    } else {
        copy_text(root, "code", m->error.code);
        m->error.retry_after_ms = read_small(root, "retry_after_ms");
        m->error.controller_id = read_number(root, "controller_id");
    }
}

json_t *adapter_parse_message(struct server_message *m, struct span line)
{
    static const char *const types[] = {"welcome", "observation", "ack", "error", NULL};
    json_t *root = json_loadb(line.at, line.size, 0, NULL);
    m->type = SERVER_UNKNOWN;
    m->seq = 0;
    m->ts = 0;
    m->wrong = NULL;
    if (!json_is_object(root)) {
        json_decref(root);
        return NULL;
    }
    m->type = (enum server_type)(find_word(json_object_get(root, "type"), types) + 1);
    m->seq = read_number(root, "seq");
    if (m->type == SERVER_WELCOME)
        read_welcome(&m->welcome, root);
    else if (m->type == SERVER_OBSERVATION)
        read_observation(&m->observation, root);
    else if (m->type != SERVER_UNKNOWN)
        read_reply(m, root);
    return root;
}
