// Reads the rules of a vec: scenario and options as the caller names them, by the game's codec as in every other
// interface.
#include "vec/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 16, TEXT = 1 << 14 };

static bool is_json(struct span value)
{
    struct json_reader r = json_reader_of(value, DEPTH);
    json_skip(&r);
    return json_finish(&r) == OK;
}

// A value of an option: JSON as it is, anything else as a string.
static void put_value(struct text *t, struct span value)
{
    if (value.size && is_json(value))
        text_put(t, value);
    else
        json_write_string(t, value);
}

static void put_list(struct text *t, struct span value)
{
    text_put_char(t, '[');
    for (size_t from = 0, i = 0; i <= value.size; i++) {
        if (i < value.size && value.at[i] != ':')
            continue;
        if (from)
            text_put_char(t, ',');
        put_value(t, (struct span){value.at + from, i - from});
        from = i + 1;
    }
    text_put_char(t, ']');
}

static int read_one(const struct game_kit *k, struct span name, struct span json, union game_rules *rules)
{
    struct json_reader r = json_reader_of(json, DEPTH);
    struct json_string key = {.raw = name};
    json_peek(&r);
    if (!k->codec->read_rule(&r, key, rules))
        return ERR_UNKNOWN;
    return json_finish(&r);
}

// First as one value, then as a list "a:b:c": a list of one looks like a value.
static int read_option(const struct game_kit *k, const char *option, union game_rules *rules)
{
    char room[TEXT];
    const char *mark = strchr(option, '=');
    if (!mark)
        return vec_refuse(AGON_CONFIG_REFUSED, "options: '%.80s' is not name=value", option);
    struct span name = {option, (size_t)(mark - option)}, value = span_of(mark + 1);
    union game_rules tried = *rules;
    struct text t = text_on(room, sizeof room);
    put_value(&t, value);
    int err = t.full ? ERR_TOO_LONG : read_one(k, name, text_span(&t), &tried);
    if (err != OK && err != ERR_UNKNOWN && !is_json(value)) {
        tried = *rules;
        t = text_on(room, sizeof room);
        put_list(&t, value);
        err = t.full ? ERR_TOO_LONG : read_one(k, name, text_span(&t), &tried);
    }
    if (err != OK)
        return vec_refuse(AGON_CONFIG_REFUSED, "options: '%.80s': %s; 'agon rules %s --json' lists the rules", option,
                          err_sentence(err), k->game->name);
    *rules = tried;
    return AGON_OK;
}

// G27.2: rules that hold in every environment of the game.
static void apply_forced_rules(const struct game_kit *k, union game_rules *rules)
{
    const char *forced = k->environment ? k->environment->forced : NULL;
    struct json_reader r = json_reader_of(forced ? span_of(forced) : SPAN("{}"), DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        k->codec->read_rule(&r, key, rules);
}

static int find_scenario(const struct game *g, const char *name)
{
    char known[384] = "";
    size_t used = 0;
    for (int i = 0; g->scenarios[i]; i++) {
        if (!name || strcmp(g->scenarios[i], name) == 0)
            return i;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", g->scenarios[i]);
    }
    return vec_refuse(AGON_CONFIG_REFUSED, "scenario: %s has no '%.40s'; known: %s", g->name, name, known);
}

int vec_read_rules(const struct game_kit *k, const struct agon_config *c, union game_rules *rules, uint32_t *seats)
{
    const struct game *g = k->game;
    int scenario = find_scenario(g, c->scenario);
    if (scenario < 0)
        return scenario;
    memset(rules, 0, sizeof *rules);
    g->defaults(rules);
    *seats = (uint32_t)g->scenario(rules, scenario);
    if (c->seats)
        *seats = c->seats;
    for (const char *const *o = c->options; o && *o; o++) {
        int err = read_option(k, *o, rules);
        if (err)
            return err;
    }
    apply_forced_rules(k, rules);
    if (*seats < g->min_seats || *seats > g->max_seats)
        return vec_refuse(AGON_CONFIG_REFUSED, "seats: %s has %d to %d, not %u", g->name, g->min_seats, g->max_seats,
                          *seats);
    if (!game_can_begin(g, rules, (int)*seats))
        return vec_refuse(AGON_CONFIG_REFUSED, "options: %s cannot be played by these rules with %u seats", g->name,
                          *seats);
    return AGON_OK;
}
