#include "codec/codec.h"

#include <stdio.h>

// The type of the object ahead; the reader stays before it.
static int peek_type(const struct codec *c, struct json_reader ahead, const struct codec_action **row)
{
    struct json_string key, type = {0};
    bool found = false;
    for (json_enter_object(&ahead); json_next_key(&ahead, &key);)
        if (json_string_is(key, "type"))
            type = json_read_string(&ahead), found = true;
        else
            json_skip(&ahead);
    if (ahead.error)
        return ahead.error;
    if (!found)
        return ERR_MISSING;
    *row = codec_find_type(c, type);
    return *row ? OK : ERR_UNKNOWN;
}

int codec_read_params(const struct codec *c, struct json_reader *r, const struct codec_table *table,
                      struct game_action *a)
{
    struct json_string key;
    bool is_drop = a->kind == GAME_DROP;
    int seat = table->seats == 1 ? 0 : -1, reason = 0;
    if (!is_drop && c->read_params)
        return c->read_params(r, table, a);
    for (json_enter_object(r); json_next_key(r, &key);)
        if (is_drop && json_string_is(key, "seat"))
            seat = codec_read_seat(r, table);
        else if (is_drop && json_string_is(key, "reason"))
            reason = (int)json_read_int(r, 0, UINT8_MAX);
        else
            json_skip(r);
    if (r->error || !is_drop)
        return r->error;
    a->arg[0] = (uint8_t)seat;
    a->arg[1] = (uint8_t)reason;
    return seat < 0 ? ERR_MISSING : OK;
}

int codec_read_action(const struct codec *c, struct json_reader *r, const struct codec_table *table, bool master,
                      struct game_action *a)
{
    const struct codec_action *row = NULL;
    int err = peek_type(c, *r, &row);
    if (err == OK && row->master != master)
        err = ERR_UNKNOWN;
    *a = (struct game_action){0};
    if (err != OK) {
        json_skip(r);
        return r->error ? r->error : err;
    }
    a->kind = row->kind;
    return codec_read_params(c, r, table, a);
}

// The scenario of the object ahead, if it names one; the reader stays before it.
static int set_scenario(const struct codec *c, struct json_reader ahead, void *rules, int *seats, char bad[64])
{
    struct json_string key, name = {0};
    for (json_enter_object(&ahead); json_next_key(&ahead, &key);)
        if (json_string_is(key, "scenario"))
            name = json_read_string(&ahead);
        else
            json_skip(&ahead);
    if (ahead.error)
        return ahead.error;
    int index = name.raw.at ? json_string_among(name, c->game->scenarios) : 0;
    if (index < 0) {
        snprintf(bad, 64, "%.*s", (int)name.raw.size, name.raw.at);
        return ERR_UNKNOWN;
    }
    int usual = c->game->scenario(rules, index);
    if (*seats == 0)
        *seats = usual;
    return OK;
}

int codec_read_rules(const struct codec *c, struct json_reader *r, void *rules, int *seats, char bad[64])
{
    bad[0] = 0;
    c->game->defaults(rules);
    int err = set_scenario(c, *r, rules, seats, bad);
    if (err != OK) {
        json_skip(r);
        return r->error ? r->error : err;
    }
    struct json_string key, unknown = {0};
    for (json_enter_object(r); json_next_key(r, &key);) {
        snprintf(bad, 64, "%.*s", (int)key.raw.size, key.raw.at);
        if (json_string_is(key, "scenario")) {
            json_skip(r);
        } else if (!c->read_rule(r, key, rules)) {
            json_skip(r);
            unknown = unknown.raw.at ? unknown : key;
        }
    }
    if (r->error || !unknown.raw.at)
        return r->error;
    snprintf(bad, 64, "%.*s", (int)unknown.raw.size, unknown.raw.at);
    return ERR_UNKNOWN;
}
