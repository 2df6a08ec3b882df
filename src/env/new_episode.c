// An episode before it begins: scenario, initial state, randomisation, key (G14, G17.5).
#include "crypto/crypto.h"
#include "env/access.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/pending.h"
#include "env/record.h"
#include "env/reveal.h"
#include "env/schema.h"

#include <stdio.h>
#include <stdlib.h>

static bool refuse_value(struct env_new_episode *p, const char *path, const char *expected, const char *reason,
                         struct env_result *r)
{
    *r = env_bad(p->table->group->env, path, expected, reason);
    return false;
}

static struct json_string string_of(const char *s)
{
    return (struct json_string){.raw = span_of(s)};
}

static bool set_rule(struct env_new_episode *p, struct json_string key, struct span value)
{
    struct json_reader in = json_reader_of(value, 64);
    return p->row->codec->read_rule(&in, key, &p->rules) && json_finish(&in) == OK;
}

// --- the scenario (G14.6, G22.3)

static const char *path_of_request(const struct env_reset_request *request)
{
    return request->at ? request->at : "/config";
}

static bool refuse_scenario(struct env_new_episode *p, const struct env_reset_request *request, struct env_result *r)
{
    char path[64], known[512] = "one of ";
    struct env *env = p->table->group->env;
    bool pinned = p->table->group->pinned;
    size_t size = strlen(known);
    for (int i = 0; p->row->game->scenarios[i] && size < sizeof known; i++)
        size += (size_t)snprintf(known + size, sizeof known - size, "%s%s%s%s", i ? ", " : "",
                                 pinned ? "" : p->row->game->name, pinned ? "" : "/", p->row->game->scenarios[i]);
    for (const struct env_game *g = env->o.games; !pinned && g->game && size < sizeof known; g++)
        if (g != p->row)
            size += (size_t)snprintf(known + size, sizeof known - size, ", %s/...", g->game->name);
    snprintf(path, sizeof path, "%s/scenario", path_of_request(request));
    return refuse_value(p, path, size < sizeof known ? known : "a scenario of game://manifest", "unknown", r);
}

static bool choose_scenario(struct env_new_episode *p, const struct env_reset_request *request, struct env_result *r)
{
    struct env *env = p->table->group->env;
    char name[96] = "";
    if (request->scenario.size)
        json_string_copy(env_json_string(request->scenario), name, sizeof name);
    else if (env->o.scenario && p->table->group->pinned)
        snprintf(name, sizeof name, "%s", env->o.scenario);
    else // G1.3: whatever was played before, so that a seed always means the same episode
        snprintf(name, sizeof name, "%s", p->row->game->scenarios[0]);
    char *slash = strchr(name, '/'), *bare = slash ? slash + 1 : name;
    if (slash) {
        *slash = 0;
        const struct env_game *row = env_find_game(env, name);
        if (!row || (p->table->group->pinned && row != p->table->row))
            return refuse_scenario(p, request, r);
        p->row = row;
        p->kit = env_facts_of(row);
    }
    p->scenario = span_among(span_of(bare), p->row->game->scenarios);
    if (p->scenario < 0)
        return refuse_scenario(p, request, r);
    p->row->game->defaults(&p->rules);
    p->seats = p->row->game->scenario(&p->rules, p->scenario);
    if (env->o.seats && p->table->group->pinned && !request->scenario.size) // G1.3: a named scenario has its own number
        p->seats = env->o.seats;
    struct json_string key;
    struct json_reader in = json_reader_of(p->kit->forced ? span_of(p->kit->forced) : SPAN("{}"), 8);
    for (json_enter_object(&in); json_next_key(&in, &key);)
        set_rule(p, key, json_read_raw(&in));
    return true;
}

// --- initial_state

static bool set_bots(struct env_new_episode *p, struct span value)
{
    struct json_reader in = json_reader_of(value, 8);
    struct json_string key;
    char name[32];
    if (json_peek(&in) == JSON_INT) {
        int64_t level = json_read_int(&in, 0, 3);
        memset(p->level, (int)level, sizeof p->level);
        return json_finish(&in) == OK;
    }
    for (json_enter_object(&in); json_next_key(&in, &key);) {
        int seat = json_string_copy(key, name, sizeof name) < 0 ? -1 : env_seat_of_name(p->kit, name);
        int64_t level = json_read_int(&in, 0, 3);
        if (seat < 0)
            json_fail(&in, ERR_UNKNOWN);
        else
            p->level[seat] = (uint8_t)level;
    }
    return json_finish(&in) == OK;
}

static bool set_seats(struct env_new_episode *p, struct span value)
{
    const struct game *g = p->row->game;
    if (!env_json_is(value, JSON_INT) || env_json_int(value) < g->min_seats || env_json_int(value) > g->max_seats)
        return false;
    p->seats = (int)env_json_int(value);
    return true;
}

static bool set_max_ticks(struct env_new_episode *p, struct span value)
{
    if (!env_json_is(value, JSON_INT) || env_json_int(value) < 1 || env_json_int(value) > INT32_MAX)
        return false;
    p->max_ticks = (uint64_t)env_json_int(value);
    return true;
}

// Seats are avatar ids here and indexes in the rules.
static bool set_option(struct env_new_episode *p, struct json_string key, struct span value)
{
    char name[32], number[16];
    int seat = -1;
    if (env_json_is(value, JSON_STRING) && json_string_copy(env_json_string(value), name, sizeof name) >= 0)
        seat = env_seat_of_name(p->kit, name);
    if (seat < 0)
        return set_rule(p, key, value);
    snprintf(number, sizeof number, "%d", seat);
    return set_rule(p, key, span_of(number));
}

const struct env_initial env_common_initial[] = {
    {"max_ticks", "1 or more"},
    {"bots", "a level 0 to 3, or an object of seat and level"},
    {0},
};

static const char *find_expected(const struct env_initial *row, struct json_string key)
{
    while (row->key && !json_string_is(key, row->key))
        row++;
    return row->expected;
}

// `expected`: what would be valid, or NULL if there is no such key.
static bool set_initial(struct env_new_episode *p, struct json_string key, struct span value, const char **expected)
{
    if ((*expected = find_expected(env_common_initial, key)))
        return json_string_is(key, "bots") ? set_bots(p, value) : set_max_ticks(p, value);
    if (!(*expected = find_expected(p->kit->initial, key)))
        return false;
    return json_string_is(key, "seats") ? set_seats(p, value) : set_option(p, key, value);
}

static bool refuse_key(struct env_new_episode *p, const char *path, struct env_result *r)
{
    struct env_known known = {0};
    for (const struct env_initial *row = env_common_initial; row->key; row++)
        env_known_add(&known, row->key);
    for (const struct env_initial *row = p->kit->initial; row->key; row++)
        env_known_add(&known, row->key);
    return refuse_value(p, path, known.text, "unknown", r);
}

static bool read_initial(struct env_new_episode *p, const struct env_reset_request *request, struct env_result *r)
{
    struct json_reader in = json_reader_of(request->initial.size ? request->initial : SPAN("{}"), 64);
    struct json_string key;
    const char *expected;
    for (json_enter_object(&in); json_next_key(&in, &key);) {
        char path[128];
        struct span value = json_read_raw(&in);
        p->deals |= json_string_among(key, p->kit->deals) >= 0;
        if (set_initial(p, key, value, &expected))
            continue;
        snprintf(path, sizeof path, "%s/initial_state/%.*s", path_of_request(request),
                 (int)(key.raw.size < 64 ? key.raw.size : 64), key.raw.at);
        return expected ? refuse_value(p, path, expected, NULL, r) : refuse_key(p, path, r);
    }
    return true;
}

// --- randomisation (G14.7): drawn in this order: gravity, friction, gameplay keys as the kit lists them, light

struct range {
    double low, high;
};

static bool read_range(struct span value, struct range *out)
{
    struct json_reader in = json_reader_of(value, 8);
    double ends[2] = {0};
    int count = 0;
    if (json_peek(&in) != JSON_ARRAY) {
        out->low = out->high = json_read_real(&in);
        return json_finish(&in) == OK;
    }
    for (json_enter_array(&in); json_next_item(&in) && count < 3; count++) {
        double end = json_read_real(&in);
        if (count < 2)
            ends[count] = end;
    }
    *out = (struct range){ends[0], ends[1]};
    return count == 2 && json_finish(&in) == OK && out->low <= out->high;
}

static double draw_real(struct rng *dice, struct range range)
{
    return range.low + (range.high - range.low) * ((double)rng_u32(dice) / 4294967295.0);
}

static int64_t draw_int(struct rng *dice, struct range range)
{
    int64_t low = (int64_t)range.low, high = (int64_t)range.high;
    return low + (int64_t)rng_below(dice, (uint32_t)(high - low + 1));
}

static bool set_number(struct env_new_episode *p, const char *rule, double value, int digits)
{
    char number[64];
    struct text t = text_on(number, sizeof number);
    text_put_decimal(&t, value, digits);
    return set_rule(p, string_of(rule), text_span(&t));
}

static bool draw_physics(struct env_new_episode *p, struct span physics, struct rng *dice, struct env_result *r)
{
    struct span value;
    struct range range;
    bool moves = p->row->game->tick_ms; // elsewhere validated and unused
    json_begin_object_at(&p->drawn, "physics");
    if (json_find_member(physics, "gravity_multiplier", &value)) {
        if (!read_range(value, &range))
            return refuse_value(p, "/config/domain_randomization/physics/gravity_multiplier", "[min,max], ordered",
                                NULL, r);
        if (moves) {
            double drawn = (double)(int64_t)(draw_real(dice, range) * 1000 + 0.5) / 1000;
            set_number(p, "gravity_multiplier", drawn, 3);
            json_put_decimal(&p->drawn, "gravity_multiplier", drawn, 3);
        }
    }
    if (json_find_member(physics, "friction_variation", &value) && moves) {
        double f = env_json_real(value);
        range = (struct range){1 - f / 2, 1 + f / 2};
        double drawn = (double)(int64_t)(draw_real(dice, range) * 1000 + 0.5) / 1000;
        set_number(p, "lock_delay_multiplier", drawn, 3);
        json_put_decimal(&p->drawn, "friction_variation", drawn, 3);
    }
    json_end_object(&p->drawn);
    return true;
}

static bool draw_key(struct env_new_episode *p, const struct env_random *row, struct range range, struct rng *dice)
{
    if (row->draw == ENV_DRAW_CHANCE) {
        double chance = draw_real(dice, range); // before the other draw, in a defined order of evaluation (G17.3)
        bool yes = (double)rng_u32(dice) < chance * 4294967296.0;
        json_put_bool(&p->drawn, row->key, yes);
        return set_rule(p, string_of(row->key), yes ? SPAN("true") : SPAN("false"));
    }
    int64_t value = draw_int(dice, range);
    json_put_int(&p->drawn, row->key, value);
    if (row->draw == ENV_DRAW_SEATS)
        p->seats = (int)value;
    else if (row->draw == ENV_DRAW_LEVEL)
        memset(p->level, (int)value, sizeof p->level);
    else if (row->draw == ENV_DRAW_BLIND)
        return set_number(p, "small_blind", (double)value, 0) && set_number(p, "big_blind", 2 * (double)value, 0);
    else
        return set_number(p, row->key, (double)value, 0);
    return true;
}

static bool refuse_draw(struct env_new_episode *p, struct json_string key, struct env_result *r)
{
    char path[160];
    struct env_known known = {0};
    for (const struct env_random *row = p->kit->random; row->key; row++)
        env_known_add(&known, row->key);
    snprintf(path, sizeof path, "/config/domain_randomization/gameplay/%.*s",
             (int)(key.raw.size < 64 ? key.raw.size : 64), key.raw.at);
    return refuse_value(p, path, known.text, "unknown", r);
}

static bool refuse_range(struct env_new_episode *p, const struct env_random *row, struct env_result *r)
{
    char path[128], words[96];
    struct text right = text_on(words, sizeof words - 1);
    text_puts(&right, "a value or [min,max] within ");
    text_put_decimal(&right, row->low, 3);
    text_puts(&right, " to ");
    text_put_decimal(&right, row->high, 3);
    words[right.size] = 0;
    snprintf(path, sizeof path, "/config/domain_randomization/gameplay/%s", row->key);
    return refuse_value(p, path, words, NULL, r);
}

static bool draw_gameplay(struct env_new_episode *p, struct span gameplay, struct rng *dice, struct env_result *r)
{
    struct json_reader in = json_reader_of(gameplay, 64);
    struct json_string key;
    struct span value;
    struct range range;
    for (json_enter_object(&in); json_next_key(&in, &key); json_skip(&in)) {
        const struct env_random *row = p->kit->random;
        while (row->key && !json_string_is(key, row->key))
            row++;
        if (!row->key)
            return refuse_draw(p, key, r);
    }
    json_begin_object_at(&p->drawn, "gameplay");
    for (const struct env_random *row = p->kit->random; row->key; row++) {
        if (!json_find_member(gameplay, row->key, &value))
            continue;
        bool whole = row->draw == ENV_DRAW_CHANCE;
        if (!read_range(value, &range) || range.low < row->low || range.high > row->high ||
            (!whole && (range.low != (double)(int64_t)range.low || range.high != (double)(int64_t)range.high)) ||
            !draw_key(p, row, range, dice))
            return refuse_range(p, row, r);
    }
    json_end_object(&p->drawn);
    return true;
}

static void draw_visual(struct env_new_episode *p, struct span visual, struct rng *dice)
{
    static const char *const keys[] = {"lighting_variation", "texture_noise", "camera_jitter"};
    struct span value;
    json_begin_object_at(&p->drawn, "visual");
    p->visual[0] = 1;
    for (int i = 0; i < 3; i++) {
        if (!json_find_member(visual, keys[i], &value))
            continue;
        double v = env_json_real(value);
        p->visual[i] = i == 0 ? draw_real(dice, (struct range){1 - v / 2, 1 + v / 2}) : v; // G29.6
        json_put_decimal(&p->drawn, keys[i], p->visual[i], 6);
    }
    json_end_object(&p->drawn);
}

static bool read_random(struct env_new_episode *p, struct span random, struct env_result *r)
{
    struct rng root = rng_from_key(p->key), dice = rng_split(&root, MATCH_RANDOMISATION);
    struct span physics = SPAN("{}"), gameplay = SPAN("{}"), visual = SPAN("{}");
    p->drawn = (struct text){.grow = env_text_grow};
    if (!random.size)
        return true;
    json_find_member(random, "physics", &physics);
    json_find_member(random, "gameplay", &gameplay);
    json_find_member(random, "visual", &visual);
    json_begin_object(&p->drawn);
    if (!draw_physics(p, physics, &dice, r) || !draw_gameplay(p, gameplay, &dice, r))
        return false;
    draw_visual(p, visual, &dice);
    json_end_object(&p->drawn);
    text_put_char(&p->drawn, 0);
    return true;
}

// --- the key (G14.4, G17.5): at a shared table nothing follows from the episode before

static const uint64_t DRAWN_SEEDS = ((uint64_t)1 << 40) - 1; // few digits, which every JSON parser reads exactly

// At a private table the players can tell which deal it was: the key follows from a seed.
static void draw_seed(struct env_new_episode *p, const uint8_t random[RNG_KEY_BYTES])
{
    uint64_t drawn;
    memcpy(&drawn, random, sizeof drawn);
    p->has_seed = p->drew_seed = true;
    p->seed = (int64_t)(drawn & DRAWN_SEEDS);
    crypto_seed_key(p->key, p->row->game->name, (uint64_t)p->seed);
}

static void make_key(struct env_new_episode *p, const struct env_reset_request *request)
{
    struct env_table *t = p->table;
    struct env *env = t->group->env;
    p->has_seed = request->has_seed;
    p->seed = request->seed;
    if (!request->has_seed && env->o.has_seed && !t->episode && !request->key) {
        p->has_seed = true;
        p->seed = env->o.seed + t->number;
    }
    if (request->key) {
        memcpy(p->key, request->key, sizeof p->key);
    } else if (p->has_seed) {
        crypto_seed_key(p->key, p->row->game->name, (uint64_t)p->seed);
    } else if (t->group->seeded && !t->group->shared) {
        uint8_t bytes[11 + RNG_KEY_BYTES + 2];
        memcpy(bytes, "agon.next.1", 11);
        memcpy(bytes + 11, t->key, RNG_KEY_BYTES);
        bytes[sizeof bytes - 2] = (uint8_t)t->number; // distinguishes tables without an episode, which have no key
        bytes[sizeof bytes - 1] = (uint8_t)(t->number >> 8);
        crypto_sha256(p->key, bytes, t->episode ? sizeof bytes - 2 : sizeof bytes);
    } else if (!t->group->shared) {
        env_entropy(env, p->key, sizeof p->key);
        draw_seed(p, p->key);
    } else {
        env_entropy(env, p->key, sizeof p->key);
    }
}

// --- seats of the agents

static bool check_agents(struct env_new_episode *p, struct env_result *r)
{
    struct env_table *t = p->table;
    int embodied = 0;
    bool other = p->row != t->row;
    for (struct env_agent *a = t->group->agents; a; a = a->next) {
        if (a->table != t)
            continue;
        int seat = other && a->type == ENV_ENTITY ? embodied++ : a->seat;
        if (!(p->kit->types >> a->type & 1) || seat >= p->seats || (a->team >= 0 && p->seats != 4)) {
            refuse_value(p, "/config/scenario", "a scenario that has the types and seats of the registered agents",
                         "seats", r);
            env_refusal_put(t->group->env, r, "agent_id", a->id);
            return false;
        }
    }
    return true;
}

bool env_new_episode_prepare(struct env_new_episode *p, struct env_table *t, const struct env_reset_request *request,
                             struct env_result *r)
{
    memset(p, 0, offsetof(struct env_new_episode, events.at));
    p->table = t;
    p->row = t->row;
    p->kit = t->kit;
    memset(p->level, t->group->env->o.bot_level, sizeof p->level);
    if (!choose_scenario(p, request, r))
        return false;
    p->max_ticks = p->kit->max_ticks;
    make_key(p, request);
    if (!read_initial(p, request, r) || !read_random(p, request->random, r))
        return false;
    p->seats = request->seats ? request->seats : p->seats;
    if (request->level)
        memcpy(p->level, request->level, sizeof p->level);
    if (!check_agents(p, r))
        return false;
    struct match_setup setup = {.game = p->row->game,
                                .rules = &p->rules,
                                .seats = p->seats,
                                .has_seed = p->has_seed,
                                .seed = (uint64_t)p->seed};
    memcpy(setup.key, p->key, sizeof setup.key);
    if (match_start(&p->match, &setup, NULL, &p->events) == OK)
        return true;
    char path[64];
    snprintf(path, sizeof path, "%s%s", path_of_request(request), request->initial.size ? "/initial_state" : "");
    return refuse_value(p, path, "options that the rules of the game allow together", "rules", r);
}

// A chosen seed or deal reveals what is hidden from others.
bool env_may_choose_deal(const struct env_conn *c, const struct env_new_episode *p,
                         const struct env_reset_request *request, struct env_result *r)
{
    if (env_is_owner(c) || (!request->has_seed && !p->deals))
        return true;
    return env_refuse_not_owner(
        c->env, request->has_seed ? "choose a seed; reset without one" : "choose the deal; reset without it", r);
}

void env_new_episode_release(struct env_new_episode *p)
{
    free(p->drawn.at);
    p->drawn.at = NULL;
}

// G22.3: another game: what an agent chose by names of the old one is dropped, and players are seated again.
static void change_game(struct env_table *t, const struct env_new_episode *p)
{
    int seat = 0;
    uint64_t episode = t->episode;
    env_seat_table(t, p->row);
    t->episode = episode;
    for (struct env_agent *a = t->group->agents; a; a = a->next) {
        if (a->table != t)
            continue;
        a->seat = a->type == ENV_ENTITY ? seat++ : a->seat;
        a->keys = UINT64_MAX;
        a->masked = 0;
        for (int i = 0; i < GAME_MAX_REWARDS; i++)
            a->weight[i] = 1;
    }
    env_notify_changed(t, "game://manifest");
}

void env_new_episode_begin(struct env_new_episode *p, const struct env_reset_request *request, struct env_conn *by)
{
    struct env_table *t = p->table;
    env_reveal_keep(t);
    env_episode_end(t, by, ENV_EXTERNAL);
    env_pending_answer_all(t);
    if (!t->group->shadow && t->group->count == 1) { // a trajectory may have set its own pace
        t->group->bot_delay_ms = t->group->env->o.bot_delay_ms;
        t->group->turn_limit_s = t->group->env->o.turn_limit_s;
    }
    if (p->row != t->row)
        change_game(t, p);
    t->scenario = p->scenario;
    snprintf(t->scenario_name, sizeof t->scenario_name, "%s", p->row->game->scenarios[p->scenario]);
    t->has_seed = p->has_seed;
    t->seeded = (p->has_seed && !p->drew_seed) || p->deals;
    t->seed = p->seed;
    t->group->seeded |= p->has_seed && !p->drew_seed;
    t->max_ticks = p->max_ticks;
    memcpy(t->key, p->key, sizeof t->key);
    memcpy(t->level, p->level, sizeof t->level);
    memcpy(t->visual, p->visual, sizeof t->visual);
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        t->aggro[s] = 0.5f;
    t->hour = 12;
    t->minute = 0;
    t->question.by_number =
        request->by_number || (t->group->shadow && t->question.by_number); // restarted in a recording
    memset(t->salt, 0, sizeof t->salt);
    t->hash_version = t->group->shared ? 2 : 1; // a trajectory may have set another
    if (t->group->shared)                       // G17.6: not derived from a seed
        env_entropy(t->group->env, t->salt, sizeof t->salt);
    free(t->drawn);
    t->drawn = p->drawn.at;
    p->drawn.at = NULL;
    memcpy(&t->happened, &p->events, offsetof(struct game_events, at) + p->events.count * sizeof p->events.at[0]);
    env_episode_begin(t, &p->match, t->group->env->now_us);
    env_record_reset(t, request);
}

bool env_begin_new_episode(struct env_table *t, const struct env_reset_request *request, struct env_result *r)
{
    struct env_new_episode *p = malloc(sizeof *p);
    if (!p)
        abort();
    bool good = env_new_episode_prepare(p, t, request, r);
    if (good)
        env_new_episode_begin(p, request, NULL);
    env_new_episode_release(p);
    free(p);
    return good;
}
