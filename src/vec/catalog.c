// The games as data: what they are called, their observations, their actions.
#include "vec/internal.h"

#include "base/nearest.h"

#include <stdio.h>

uint32_t agon_abi(void)
{
    return AGON_ABI;
}

const char *agon_version(void)
{
    return AGON_VERSION;
}

// A caller that was compiled with an older header gets what it knows; one with a newer header finds 0 behind that.
int vec_write_out(void *out, const void *full, size_t size)
{
    uint32_t room;
    if (!out)
        return vec_refuse(AGON_RANGE, "the struct to be filled is NULL");
    memcpy(&room, out, sizeof room);
    if (room < 2 * sizeof room)
        return vec_refuse(AGON_RANGE, "struct_size is %u; set it to the size of the struct", room);
    memset((char *)out + sizeof room, 0, room - sizeof room);
    memcpy((char *)out + sizeof room, (const char *)full + sizeof room, (room < size ? room : size) - sizeof room);
    return AGON_OK;
}

// ---- Games ----------------------------------------------------------------------------------------------------------

const struct game_kit *vec_find_kit(const char *name)
{
    const struct game_kit *k = name ? games_find(name) : NULL;
    if (k)
        return k;
    char known[256] = "";
    struct nearest n = nearest_to(name ? name : "");
    size_t used = 0;
    for (const struct game_kit *const *at = game_kits; *at && used < sizeof known; at++) {
        nearest_try(&n, (*at)->game->name);
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", (*at)->game->name);
    }
    vec_refuse(AGON_CONFIG_REFUSED, "unknown game '%.40s'; %s%s%sknown: %s", name ? name : "(NULL)",
               n.best ? "did you mean '" : "", n.best ? n.best : "", n.best ? "'? " : "", known);
    return NULL;
}

int agon_game_count(void)
{
    int count = 0;
    while (game_kits[count])
        count++;
    return count;
}

static int describe_game(const struct game_kit *k, struct agon_game *out)
{
    const struct game *g = k->game;
    union game_rules rules;
    g->defaults(&rules);
    struct agon_game full = {.actions = g->flat_size,
                             .name = g->name,
                             .title = k->codec->title,
                             .summary = k->codec->summary,
                             .min_seats = g->min_seats,
                             .max_seats = g->max_seats,
                             .default_seats = (uint32_t)g->scenario(&rules, 0),
                             .teams = g->teams,
                             .tick_ms = g->tick_ms,
                             .vectors = (uint32_t)game_row_vectors(g),
                             .token_kinds = (uint32_t)game_token_kinds(g),
                             .rules_version = g->version,
                             .scenarios = g->scenarios,
                             .components = g->rewarded};
    const struct bot *const *bots = kit_bots(k);
    for (int i = 0; bots[i] && i < AGON_MAX_BOTS - 1; i++)
        full.bots[i] = bots[i]->name;
    return vec_write_out(out, &full, sizeof full);
}

int agon_get_game(int index, struct agon_game *out)
{
    if (index < 0 || index >= agon_game_count())
        return vec_refuse(AGON_RANGE, "game %d is not one of 0 to %d", index, agon_game_count() - 1);
    return describe_game(game_kits[index], out);
}

int agon_find_game(const char *name, struct agon_game *out)
{
    const struct game_kit *k = vec_find_kit(name);
    return k ? describe_game(k, out) : AGON_CONFIG_REFUSED;
}

// ---- Observations ---------------------------------------------------------------------------------------------------

int agon_vector_size(const char *game, uint32_t vector)
{
    const struct game_kit *k = vec_find_kit(game);
    if (!k)
        return AGON_CONFIG_REFUSED;
    uint32_t newest = (uint32_t)game_row_vectors(k->game);
    if (vector > newest)
        return vec_refuse(AGON_RANGE, "%s has vectors 1 to %u, not %u", game, newest, vector);
    return (int)game_row_size(k->game, (int)(vector ? vector : newest));
}

int agon_get_element(const char *game, uint32_t vector, uint32_t index, struct agon_element *out)
{
    struct game_element e;
    int size = agon_vector_size(game, vector);
    if (size < 0)
        return size;
    const struct game *g = games_find(game)->game;
    if (index >= (uint32_t)size)
        return vec_refuse(AGON_RANGE, "element %u is not one of 0 to %d", index, size - 1);
    game_row_element(g, vector ? (int)vector : game_row_vectors(g), (int)index, &e);
    struct agon_element full = {
        .offset = index, .group = e.group, .low = e.low, .high = e.high, .step = e.step, .since = e.since};
    _Static_assert(sizeof full.name == sizeof e.name, "names fit");
    memcpy(full.name, e.name, sizeof e.name);
    return vec_write_out(out, &full, sizeof full);
}

int agon_find_element(const char *game, uint32_t vector, const char *name)
{
    int size = agon_vector_size(game, vector);
    if (size < 0)
        return size;
    const struct game *g = games_find(game)->game;
    int at = name ? game_row_find(g, vector ? (int)vector : game_row_vectors(g), name) : -1;
    return at >= 0 ? at : vec_refuse(AGON_RANGE, "%s has no element '%.40s'", game, name ? name : "(NULL)");
}

// ---- Actions --------------------------------------------------------------------------------------------------------

// "bid quantity=3 face=5": the type, then what the codec writes, without the marks of JSON.
static void put_params(struct text *t, const struct game_kit *k, struct game_action a)
{
    char room[512];
    struct text json = text_on(room, sizeof room);
    struct codec_table names = {.seat = codec_seat_names, .seats = k->game->max_seats};
    struct json_string key;
    json_begin_object(&json);
    codec_write_params(k->codec, &json, &names, a);
    json_end_object(&json);
    struct json_reader r = json_reader_of(text_span(&json), 8);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (json_string_is(key, "amount") && span_is(value, "0")) // the state decides it
            continue;
        text_put_char(t, ' ');
        text_put(t, key.raw);
        text_put_char(t, '=');
        for (size_t i = 0; i < value.size; i++)
            if (value.at[i] != '"' && value.at[i] != ' ')
                text_put_char(t, value.at[i]);
    }
}

static void put_action(struct text *t, const struct game_kit *k, int number)
{
    const struct env_facts *world = kit_environment(k);
    struct game_action a = {0};
    if (number == 0) {
        text_puts(t, "wait");
        return;
    }
    bool fixed = env_facts_flat_at(world, number, &a);
    const struct codec_action *row = codec_find_kind(k->codec, a.kind, false);
    text_puts(t, row ? row->type : "action");
    if (fixed) {
        put_params(t, k, a);
    } else { // what it is depends on the state
        text_put_char(t, ' ');
        if (world->buckets && world->buckets[number])
            text_puts(t, world->buckets[number]);
        else
            text_put_int(t, number);
    }
}

int agon_action_name(const char *game, uint32_t action, char *out, size_t room)
{
    const struct game_kit *k = vec_find_kit(game);
    char name[256];
    if (!k)
        return AGON_CONFIG_REFUSED;
    if (action >= k->game->flat_size)
        return vec_refuse(AGON_RANGE, "%s has actions 0 to %u, not %u", game, k->game->flat_size - 1, action);
    struct text t = text_on(name, sizeof name);
    put_action(&t, k, (int)action);
    if (room == 0)
        return (int)t.size;
    if (!out || t.size >= room)
        return vec_refuse(AGON_TOO_SHORT, "the name has %zu bytes and a 0 at its end", t.size);
    memcpy(out, name, t.size);
    out[t.size] = 0;
    return (int)t.size;
}

int agon_find_action(const char *game, const char *name)
{
    const struct game_kit *k = vec_find_kit(game);
    char own[256];
    if (!k)
        return AGON_CONFIG_REFUSED;
    for (uint32_t i = 0; name && i < k->game->flat_size; i++)
        if (agon_action_name(game, i, own, sizeof own) >= 0 && strcmp(own, name) == 0)
            return (int)i;
    return vec_refuse(AGON_RANGE, "%s has no action '%.80s'", game, name ? name : "(NULL)");
}
