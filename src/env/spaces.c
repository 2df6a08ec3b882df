// Spaces: which keys an observation has, by type and profile, and what an agent can do (G10.7, G22.4, G22.6).
#include "env/actions.h"
#include "env/observe.h"

#define TEXT_SPACE "{\"type\":\"text\"}"
#define FLAG_SPACE "{\"type\":\"discrete\",\"values\":[false,true]}"
#define DICT_SPACE "{\"type\":\"dict\"}"
#define LIST_SPACE "{\"type\":\"sequence\"}"

static const struct env_key common[] = {
    // G22.4
    {"game", TEXT_SPACE},
    {"scenario", TEXT_SPACE},
    {"phase", TEXT_SPACE},
    {"turn", "{\"type\":\"box\",\"shape\":[],\"low\":0}"},
    {"to_act", "{\"type\":\"sequence\",\"of\":{\"type\":\"text\"}}"},
    {"your_turn", FLAG_SPACE},
    {"seat", TEXT_SPACE},
    {"turn_ticks_left", "{\"type\":\"box\",\"shape\":[],\"low\":0,\"nullable\":true}"},
    {"legal_mask", "{\"type\":\"text\",\"description\":\"one character 0 or 1 for each index of game://actions\"}"},
};
_Static_assert(sizeof common / sizeof *common == ENV_COMMON_KEYS, "their number is known to who writes them");

static const struct env_key prose = {"text", "{\"type\":\"text\",\"max_length\":1200}"};
static const struct env_key vector[] = {{"vector", "{\"type\":\"box\"}"},
                                        {"legal_mask", TEXT_SPACE},
                                        {"your_turn", FLAG_SPACE},
                                        {"phase", TEXT_SPACE},
                                        {0}};

static const struct env_key systemic[ENV_TYPES][12] = {
    [ENV_MASTER] = {{"world_state", DICT_SPACE},
                    {"all_entities", LIST_SPACE},
                    {"event_log", LIST_SPACE},
                    {"agents", LIST_SPACE},
                    {"ambient", DICT_SPACE},
                    {"paused", FLAG_SPACE},
                    {"scenario", TEXT_SPACE}},
    [ENV_WORLD] = {{"parameters", DICT_SPACE}, {"statistics", DICT_SPACE}, {"world_state", DICT_SPACE}},
    [ENV_COMBAT] = {{"fighters", LIST_SPACE}, {"world_state", DICT_SPACE}},
    [ENV_DIALOGUE] = {{"conversation", LIST_SPACE},
                      {"seats", LIST_SPACE},
                      {"phase", TEXT_SPACE},
                      {"to_act", "{\"type\":\"sequence\",\"of\":{\"type\":\"text\"}}"}},
    [ENV_COLONY] = {{"scenario", TEXT_SPACE},
                    {"phase", TEXT_SPACE},
                    {"turn", "{\"type\":\"box\",\"shape\":[],\"low\":0}"},
                    {"to_act", "{\"type\":\"sequence\",\"of\":{\"type\":\"text\"}}"},
                    {"your_turn", FLAG_SPACE},
                    {"team", "{\"type\":\"discrete\",\"values\":[1,2]}"},
                    {"hands", DICT_SPACE},
                    {"legal_mask", TEXT_SPACE},
                    {"tasks", LIST_SPACE},
                    {"world_state", DICT_SPACE}},
};

const struct env_key *env_key_at(const struct env_facts *k, enum env_type type, enum env_profile profile, int i)
{
    const struct env_key *row;
    if (type != ENV_ENTITY) {
        row = &systemic[type][i];
    } else if (profile == ENV_VECTOR) {
        row = &vector[i];
    } else {
        if (i < ENV_COMMON_KEYS)
            return &common[i];
        int count = env_facts_key_count(k);
        if (i == ENV_COMMON_KEYS + count)
            return profile == ENV_FULL ? &prose : NULL;
        return i < ENV_COMMON_KEYS + count ? &k->keys[i - ENV_COMMON_KEYS] : NULL;
    }
    return row->name ? row : NULL;
}

// G22.6, V31. Vector 1 is described as it always was; vector 2 has the bounds of its elements.
static void write_vector_space(struct text *t, const struct game *g, int version)
{
    float low = 0, high = 1;
    struct game_element e;
    for (int i = 0; version > 1 && game_row_element(g, version, i, &e); i++) {
        low = e.low < low ? e.low : low;
        high = e.high > high ? e.high : high;
    }
    json_begin_object(t);
    json_put_text(t, "type", "box");
    json_begin_array_at(t, "shape");
    json_write_uint(t, game_row_size(g, version));
    json_end_array(t);
    json_put_decimal(t, "low", (double)low, 6);
    json_put_decimal(t, "high", (double)high, 6);
    json_put_text(t, "dtype", "float32");
    json_end_object(t);
}

int env_vector_of(const struct env_agent *a)
{
    int newest = game_row_vectors(a->table->row->game);
    return a->vector < newest ? a->vector : newest;
}

void env_write_space(struct text *t, const struct env_agent *a)
{
    const struct env_key *key;
    json_begin_object(t);
    json_put_text(t, "type", "dict");
    json_begin_object_at(t, "spaces");
    for (int i = 0; (key = env_key_at(a->table->kit, (enum env_type)a->type, (enum env_profile)a->profile, i)); i++) {
        if (!(a->keys >> i & 1))
            continue;
        json_key(t, key->name);
        if (key == vector)
            write_vector_space(t, a->table->row->game, env_vector_of(a));
        else
            json_write_raw(t, span_of(key->space));
    }
    json_end_object(t);
    json_end_object(t);
}

void env_write_action_space(struct text *t, const struct env_facts *k, const struct game *g, enum env_type type)
{
    const struct env_action *row;
    int count = 0;
    while (env_action_at(k, type, count))
        count++;
    if (type == ENV_ENTITY)
        count = (int)g->flat_size; // range of an index
    json_begin_object(t);
    json_put_text(t, "type", type == ENV_WORLD ? "continuous" : "discrete_parameterized");
    if (type == ENV_WORLD) {
        json_put_int(t, "n", count);
        json_put_raw(t, "shape", SPAN("[2]"));
        json_begin_array_at(t, "low");
        json_write_decimal(t, k->world_low[0], 3);
        json_write_decimal(t, k->world_low[1], 3);
        json_end_array(t);
        json_begin_array_at(t, "high");
        json_write_decimal(t, k->world_high[0], 3);
        json_write_decimal(t, k->world_high[1], 3);
        json_end_array(t);
        json_begin_array_at(t, "names");
        json_write_text(t, k->world_names[0]);
        json_write_text(t, k->world_names[1]);
        json_end_array(t);
    } else {
        json_put_int(t, "n", count);
    }
    json_begin_array_at(t, "actions");
    for (int i = 0; (row = env_action_at(k, type, i)); i++) {
        json_begin_object(t);
        json_put_text(t, "name", row->name);
        json_put_text(t, "description", row->description);
        json_put_raw(t, "params", span_of(row->params));
        json_put_raw(t, "required", span_of(row->required));
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
}
