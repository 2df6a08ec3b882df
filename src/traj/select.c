#include "traj/internal.h"

void traj_put_key(struct text *out, struct json_string key)
{
    if (out->at[out->size - 1] != '{')
        text_put_char(out, ',');
    text_put_char(out, '"');
    text_put(out, key.raw);
    text_puts(out, "\":");
}

static bool is_chosen(const struct traj_choice *c, struct span id)
{
    return !c->has || c->has(c->owner, id);
}

static bool names_chosen(const struct traj_choice *c, struct span object, const char *key)
{
    struct span id;
    if (!json_find_member(object, key, &id) || id.size < 2)
        return false;
    return is_chosen(c, (struct span){id.at + 1, id.size - 2});
}

static bool put_entry(struct text *out, struct span entry, const struct traj_choice *c)
{
    struct json_reader r = json_reader_of(entry, TRAJ_MAX_DEPTH);
    struct json_string key;
    text_put_char(out, '{');
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if ((!c->observations && json_string_is(key, "observation")) || (!c->frames && json_string_is(key, "frames")))
            continue;
        traj_put_key(out, key);
        if (!traj_put_canonical_json(out, value))
            return false;
    }
    text_put_char(out, '}');
    return !r.error;
}

static bool put_entries(struct text *out, struct span entries, const struct traj_choice *c)
{
    struct json_reader r = json_reader_of(entries, TRAJ_MAX_DEPTH);
    bool first = true;
    text_put_char(out, '[');
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span entry = json_read_raw(&r);
        if (!names_chosen(c, entry, "agent_id"))
            continue;
        if (!first)
            text_put_char(out, ',');
        first = false;
        if (!put_entry(out, entry, c))
            return false;
    }
    text_put_char(out, ']');
    return !r.error;
}

// What each agent saw first.
static bool put_observations(struct text *out, struct span observations, const struct traj_choice *c)
{
    struct json_reader r = json_reader_of(observations, TRAJ_MAX_DEPTH);
    struct json_string id;
    text_put_char(out, '{');
    for (json_enter_object(&r); json_next_key(&r, &id);) {
        struct span value = json_read_raw(&r);
        if (!is_chosen(c, id.raw))
            continue;
        traj_put_key(out, id);
        if (!traj_put_canonical_json(out, value))
            return false;
    }
    text_put_char(out, '}');
    return !r.error;
}

// A message between others is not one's own.
static bool is_left_out(struct span record, const struct traj_choice *c)
{
    struct span to;
    if (!c->has || traj_kind_of(record) != TRAJ_MESSAGE)
        return false;
    if (json_find_member(record, "to_agent", &to) && span_is(to, "\"*\""))
        return false;
    return !names_chosen(c, record, "from_agent") && !names_chosen(c, record, "to_agent");
}

static bool put_member(struct text *out, struct json_string key, struct span value, const struct traj_choice *c)
{
    static const char *const secrets[] = {"seed", "seed_str", "key", "salt", "initial_state", NULL};
    if (!c->secrets && json_string_among(key, secrets) >= 0)
        return true;
    bool seen = json_string_is(key, "observations"), frames = json_string_is(key, "frames");
    if ((seen && !c->observations) || (frames && !c->frames))
        return true;
    traj_put_key(out, key);
    if (seen || frames)
        return put_observations(out, value, c);
    return json_string_is(key, "entries") ? put_entries(out, value, c) : traj_put_canonical_json(out, value);
}

bool traj_select(struct text *out, struct span record, const struct traj_choice *c)
{
    struct json_reader r = json_reader_of(record, TRAJ_MAX_DEPTH + 1);
    struct json_string key;
    size_t before = out->size;
    bool good = json_peek(&r) == JSON_OBJECT && !is_left_out(record, c);
    if (good)
        text_put_char(out, '{');
    for (json_enter_object(&r); good && json_next_key(&r, &key);)
        good = put_member(out, key, json_read_raw(&r), c);
    if (good)
        text_put_char(out, '}');
    if (good && json_finish(&r) == OK && !out->full)
        return true;
    out->size = before;
    return false;
}
