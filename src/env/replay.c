// Replays the records of a trajectory at a shadow of the table, with virtual agents (G19.7).
#include "env/replay.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/job.h"
#include "env/live_clock.h"
#include "env/new_episode.h"
#include "env/replay_internal.h"
#include "env/reset.h"
#include "env/schema.h"
#include "env/vision.h"

#include <stdio.h>
#include <stdlib.h>

// --- beginnings and ends

struct env_replay *env_replay_create(struct env *env, const struct env_game *row)
{
    struct env_replay *p = calloc(1, sizeof *p);
    static const struct env_hooks silent;
    if (!p)
        abort();
    p->env = env;
    p->shadow = env_shadow_create(env, row);
    p->nobody = (struct env_conn){.env = env, .group = p->shadow, .hooks = &silent, .gone = true};
    p->entries.grow = p->fresh.grow = p->plain.grow = traj_text_grow;
    return p;
}

static void remove_agents(struct env_group *g)
{
    for (struct env_agent *a = g->agents, *next; a; a = next) {
        next = a->next;
        env_vision_release(a);
        free(a->news.text.at);
        free(a);
    }
    g->agents = g->table[0].agents = NULL;
    g->agent_count = 0;
}

void env_replay_destroy(struct env_replay *p)
{
    for (struct env_replay **at = &p->env->replays; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            break;
        }
    if (p->table && p->table->replay == p)
        p->table->replay = NULL;
    remove_agents(p->shadow);
    env_shadow_destroy(p->shadow);
    if (p->reader)
        traj_read_close(p->reader);
    free(p->entries.at);
    free(p->fresh.at);
    free(p->plain.at);
    free(p);
}

// --- replays for pictures and checks

struct env_replay *env_replay_with_streams(struct env *env, const struct env_game *row)
{
    struct env_replay *p = env_replay_create(env, row);
    p->streams = true;
    return p;
}

struct env_replay *env_replay_verify(struct env *env, const struct env_game *row, struct traj_reader *reader)
{
    struct env_replay *p = env_replay_create(env, row);
    p->verify = p->only_checks = true;
    p->reader = reader;
    return p;
}

struct read {
    struct env_replay *replay;
    enum traj_kind *kind;
    struct span *record;
    int found;
};

static void read_file(void *arg)
{
    struct read *r = arg;
    r->found = traj_read_next(r->replay->reader, r->kind, r->record);
}

// Pictures make large records: a worker thread reads those, and whatever else may take long.
static int read_record(struct env_replay *p, enum traj_kind *kind, struct span *record)
{
    struct read r = {.replay = p, .kind = kind, .record = record};
    env_spend(p->env, ENV_COST_PLAYED);
    if (p->pictured || traj_read_is_long(p->reader))
        env_offload(p->env, read_file, &r);
    else
        read_file(&r);
    return r.found;
}

int env_replay_verify_next(struct env_replay *p, bool only_read, bool waits)
{
    enum traj_kind kind;
    struct span record;
    if (!waits && !traj_read_is_ready(p->reader))
        return ENV_VERIFY_LATER;
    p->pictured |= only_read; // they may be large
    int played = only_read ? read_record(p, &kind, &record) : env_replay_next(p);
    if (played < 0 || (played == 0 && traj_read_changed(p->reader)))
        return ENV_VERIFY_BAD;
    return played ? ENV_VERIFY_MORE : ENV_VERIFY_GOOD;
}

bool env_replay_is_verified(const struct env_replay *p)
{
    return p->mismatches == 0;
}

uint32_t env_replay_last_ticks(const struct env_replay *p)
{
    return p->ticks;
}

struct env_agent *env_replay_find(const struct env_replay *p, struct json_string id)
{
    return env_find_agent(p->shadow, id);
}

struct env_agent *env_replay_agents(const struct env_replay *p)
{
    return p->shadow->agents;
}

// --- virtual agents

static int read_word(struct span record, const char *key, const char *const *words)
{
    struct span value;
    if (!json_find_member(record, key, &value) || !env_json_is(value, JSON_STRING))
        return -1;
    return json_string_among(env_json_string(value), words);
}

static int64_t read_number(struct span record, const char *key, int64_t missing, int64_t most)
{
    struct span value;
    if (!json_find_member(record, key, &value) || !env_json_is(value, JSON_INT))
        return missing;
    int64_t n = env_json_int(value);
    return n < 0 || n > most ? -1 : n;
}

static struct env_agent *add_agent(struct env_replay *p, struct span record)
{
    struct env_table *t = &p->shadow->table[0];
    struct span value, list = SPAN("[]");
    char name[32];
    int type = read_word(record, "agent_type", env_type_names), scope = read_word(record, "scope", env_scope_names);
    int clock = read_word(record, "clock_mode", env_clock_names), seat = -1;
    int64_t team = read_number(record, "team", 0, 2);
    if (type < 0 || scope < 0 || clock < 0 || team < 0 || p->shadow->agent_count >= ENV_MAX_AGENTS ||
        !(t->kit->types >> type & 1) || !json_find_member(record, "agent_id", &value) ||
        !env_json_is(value, JSON_STRING) || env_find_agent(p->shadow, env_json_string(value)))
        return NULL;
    struct env_agent *a = calloc(1, sizeof *a);
    if (!a)
        abort();
    bool named = json_string_copy(env_json_string(value), a->id, sizeof a->id) > 0;
    if (json_find_member(record, "avatar_id", &value) && env_json_is(value, JSON_STRING) &&
        (json_string_copy(env_json_string(value), name, sizeof name) < 0 ||
         (seat = env_seat_of_name(t->kit, name)) < 0))
        named = false;
    if (!named || (type == ENV_ENTITY && seat < 0) || (type == ENV_COLONY) != (team > 0)) {
        free(a);
        return NULL;
    }
    json_find_member(record, "capabilities", &list);
    struct json_reader in = json_reader_of(list, 2);
    for (json_enter_array(&in); json_next_item(&in);) {
        int bit = json_string_among(json_read_string(&in), env_capability_names);
        a->capabilities |= (uint8_t)(bit >= 0 ? 1 << bit : 0);
    }
    *a = (struct env_agent){.conn = &p->nobody,
                            .table = t,
                            .type = (uint8_t)type,
                            .scope = (uint8_t)scope,
                            .clock = (uint8_t)clock,
                            .capabilities = a->capabilities,
                            .seat = seat,
                            .team = (int)team - 1,
                            .keys = UINT64_MAX,
                            .vector = 1,
                            .news.text.grow = env_text_grow};
    json_find_member(record, "agent_id", &value);
    json_string_copy(env_json_string(value), a->id, sizeof a->id);
    env_agent_enter(a);
    if (p->streams && json_find_member(record, "streams", &value) && !env_vision_imagine(a, value))
        return NULL;
    return a;
}

static struct env_agent *find_agent(struct env_replay *p, struct span record)
{
    struct span id;
    if (!json_find_member(record, "agent_id", &id) || !env_json_is(id, JSON_STRING))
        return NULL;
    return env_find_agent(p->shadow, env_json_string(id));
}

// --- resets

static bool read_hex(struct span record, const char *key, uint8_t out[32])
{
    struct span value;
    if (!json_find_member(record, key, &value) || value.size != 66)
        return false;
    for (int i = 0; i < 64; i++) {
        char c = value.at[1 + i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | digit);
    }
    return true;
}

// A request in a file must conform to the schema of reset, as if a client had sent it.
static bool is_request_good(struct env *env, const struct env_reset_request *request)
{
    struct env_fault fault;
    struct text *s = &env->scratch;
    const struct env_tool *tool = env_tools;
    s->size = 0;
    json_begin_object(s);
    json_begin_object_at(s, "config");
    json_put_raw(s, "scenario", request->scenario);
    json_put_raw(s, "initial_state", request->initial);
    json_put_raw(s, "domain_randomization", request->random);
    json_end_object(s);
    json_end_object(s);
    while (strcmp(tool->name, "reset") != 0)
        tool++;
    return !s->full && env_schema_check(&env->schemas, tool, text_span(s), "", &fault);
}

struct recorded {
    struct env_reset_request request;
    uint8_t key[RNG_KEY_BYTES], salt[32], level[GAME_MAX_SEATS];
    char scenario[160]; // as JSON
};

static bool read_house(struct span record, const struct game *g, struct recorded *out)
{
    struct span list = SPAN("[]"), word;
    int n = 0;
    out->request.seats = (int)read_number(record, "seats", 0, GAME_MAX_SEATS);
    out->request.by_number =
        !json_find_member(record, "decisions", &word) || !json_string_is(env_json_string(word), "steps");
    json_find_member(record, "bots", &list);
    struct json_reader in = json_reader_of(list, 2);
    for (json_enter_array(&in); json_next_item(&in) && n < GAME_MAX_SEATS; n++)
        out->level[n] = (uint8_t)json_read_int(&in, 0, 3);
    out->request.level = out->level;
    return json_finish(&in) == OK && out->request.seats >= g->min_seats && out->request.seats <= g->max_seats &&
           n == GAME_MAX_SEATS;
}

static bool read_reset(struct env_replay *p, struct span record, const struct env_game **row, struct recorded *out)
{
    struct span value, scenario;
    char name[64], game[64];
    *out = (struct recorded){.request.initial = SPAN("{}"), .request.random = SPAN("{}")};
    if (!json_find_member(record, "game", &value) || json_string_copy(env_json_string(value), game, sizeof game) < 0 ||
        !(*row = env_find_game(p->env, game)) || !json_find_member(record, "scenario", &scenario) ||
        json_string_copy(env_json_string(scenario), name, sizeof name) < 0)
        return false;
    snprintf(out->scenario, sizeof out->scenario, "\"%s/%s\"", game, name);
    out->request.scenario = span_of(out->scenario);
    json_find_member(record, "initial_state", &out->request.initial);
    json_find_member(record, "domain_randomization", &out->request.random);
    if ((out->request.has_seed = json_find_member(record, "seed", &value)) && !env_json_is(value, JSON_INT))
        return false;
    out->request.seed = out->request.has_seed ? env_json_int(value) : 0;
    if (!out->request.has_seed && !read_hex(record, "key", out->key))
        return false;
    out->request.key = out->request.has_seed ? NULL : out->key;
    return read_hex(record, "salt", out->salt) && read_house(record, (*row)->game, out) &&
           is_request_good(p->env, &out->request);
}

static bool add_agents(struct env_replay *p, struct span record)
{
    struct span list;
    if (!json_find_member(record, "agents", &list) || !env_json_is(list, JSON_ARRAY))
        return false;
    struct json_reader in = json_reader_of(list, 64);
    remove_agents(p->shadow);
    for (json_enter_array(&in); json_next_item(&in);)
        if (!add_agent(p, json_read_raw(&in)))
            return false;
    return true;
}

static void read_pace(struct env_replay *p, struct span record)
{
    int64_t delay = read_number(record, "bot_delay_ms", 1000, 60000),
            limit = read_number(record, "turn_limit_s", 120, 86400);
    p->shadow->bot_delay_ms = delay < 0 ? 0 : (int)delay;
    p->shadow->turn_limit_s = limit < 1 ? 1 : (int)limit;
}

static bool play_reset(struct env_replay *p, struct span record)
{
    struct recorded was;
    const struct env_game *row;
    struct env_table *t = &p->shadow->table[0];
    struct env_result r;
    int64_t episode = read_number(record, "episode", -1, INT64_MAX);
    if (episode < 0 || !read_reset(p, record, &row, &was))
        return false;
    if (t->row != row)
        env_seat_table(t, row);
    if (!add_agents(p, record))
        return false;
    bool good = env_begin_new_episode(t, &was.request, &r);
    memcpy(t->salt, was.salt, sizeof t->salt);
    t->hash_version = read_number(record, "hash_version", 1, 2) == 2 ? 2 : 1;
    read_pace(p, record);
    p->episode = (uint64_t)episode;
    p->episodes++;
    return good;
}

// --- steps

static void compare_hashes(struct env_replay *p, struct span record)
{
    struct env_hashes h;
    struct span expected = {0};
    char text[ENV_HASH_ROOM] = "";
    env_hash_table(&p->shadow->table[0], true, &h);
    if (json_find_member(record, "state_hash", &expected))
        json_string_copy(env_json_string(expected), text, sizeof text);
    if (strcmp(text, h.all) == 0)
        return;
    if (p->mismatches < MISMATCHES) {
        struct mismatch *m = &p->mismatch[p->mismatches];
        *m = (struct mismatch){.episode = p->episode, .step = p->steps, .component = p->refused ? "action" : "state"};
        memcpy(m->expected, text, sizeof text);
        memcpy(m->actual, h.all, sizeof h.all);
    }
    p->mismatches += p->mismatches < MISMATCHES;
}

// A restart has already happened when its step is read, because the reset comes first. Other agents' actions of the
// same step belong to the new episode.
static int drop_until_restart(struct env_item *items, struct env_item **order, int count)
{
    int from = -1;
    for (int i = 0; i < count; i++)
        if (items[i].command.row && items[i].command.row->command == ENV_DO_RESTART)
            from = i;
    for (int i = from + 1; i < count; i++)
        order[i - from - 1] = &items[i];
    return from < 0 ? -1 : count - from - 1;
}

static bool read_entries(struct env_replay *p, struct span entries, struct env_item *items, int *count)
{
    struct env_result r;
    struct text *merged = &p->env->merged;
    merged->size = 0;
    if (merged->room < 4 * entries.size + 4096 && !env_text_grow(merged, 4 * entries.size + 4096))
        return false;
    struct json_reader in = json_reader_of(entries, 64);
    for (json_enter_array(&in); json_next_item(&in);) {
        struct span entry = json_read_raw(&in);
        if (*count == ENV_MAX_BATCH)
            return false;
        struct env_item *item = &items[*count];
        *item = (struct env_item){.agent = find_agent(p, entry)};
        if (!item->agent || !json_find_member(entry, "action", &item->action))
            return false;
        item->agent->talked = 0;
        if (!env_action_read(p->env, item->agent, item->action, &item->command, &r)) {
            p->refused = true;
            item->command = (struct env_command){.seat = -1, .index = -1};
        }
        ++*count;
    }
    return in.error == OK;
}

static void advance_shadow(struct env_replay *p, struct env_item *items, int count, uint32_t ticks, bool live)
{
    struct env_item *order[ENV_MAX_BATCH];
    struct env_table *t = &p->shadow->table[0];
    int left = drop_until_restart(items, order, count);
    if (left >= 0)
        env_apply_items(t, order, left);
    else if (live)
        env_live_clock_tick(t, order, count);
    else
        env_advance_table(t, order, count, ticks);
}

static bool play_step(struct env_replay *p, struct span record)
{
    struct env_item *items = malloc(ENV_MAX_BATCH * sizeof *items);
    struct env_table *t = &p->shadow->table[0];
    struct span entries = {0}, live;
    int64_t ticks = read_number(record, "ticks", -1, ENV_MAX_TICKS);
    int count = 0;
    if (!items)
        abort();
    p->refused = false;
    bool good = ticks >= 0 && json_find_member(record, "entries", &entries) && env_json_is(entries, JSON_ARRAY) &&
                read_entries(p, entries, items, &count);
    if (good)
        advance_shadow(p, items, count, (uint32_t)ticks,
                       json_find_member(record, "live", &live) && span_is(live, "true"));
    free(items);
    if (!good)
        return false;
    for (struct env_agent *a = p->shadow->agents; a; a = a->next) { // nobody will ask for these
        env_news_clear(&a->news);
        memset(a->earned, 0, sizeof a->earned);
    }
    t->happened.count = 0;
    p->ticks = (uint32_t)ticks;
    p->steps++;
    p->entries.size = 0;
    text_put(&p->entries, entries);
    return true;
}

// --- agents that come, go or return

static bool play_agent(struct env_replay *p, struct span record)
{
    static const char *const events[] = {"registered", "deregistered", "reset", "streams", NULL};
    int event = read_word(record, "event", events);
    struct span seed, streams;
    struct env_agent *a = event == 0 ? add_agent(p, record) : find_agent(p, record);
    if (event < 0 || !a)
        return false;
    if (event == 0) {
        int was = read_word(record, "status", env_state_names);
        if (was == ENV_ACTIVE)
            env_activate(a);
        else if (was == ENV_TERMINAL) // it had ended when the recording took it over
            a->state = ENV_TERMINAL;
        return true;
    }
    if (event == 2) {
        struct env_reset_request request = {.has_seed = json_find_member(record, "seed", &seed)};
        request.seed = request.has_seed ? env_json_int(seed) : 0;
        return env_restart_agent(a, &request);
    }
    if (event == 3)
        return !p->streams || (json_find_member(record, "streams", &streams) && env_vision_imagine(a, streams));
    env_agent_leave(a);
    env_vision_release(a);
    free(a->news.text.at);
    free(a);
    return true;
}

// --- records

static void add_fresh(struct env_replay *p, enum traj_kind kind, struct span record)
{
    if (kind == TRAJ_RESET && p->mode == INSTANT)
        p->fresh.size = 0, p->fresh.full = false; // only the last episode is kept
    text_put_char(&p->fresh, (char)('0' + kind));
    text_put(&p->fresh, record);
    text_put_char(&p->fresh, '\n');
}

bool env_replay_check_header(struct env_replay *p, struct span record)
{
    struct span partial, frames;
    p->pictured = json_find_member(record, "include_frames", &frames) && span_is(frames, "true");
    if (!json_find_member(record, "partial", &partial) || !span_is(partial, "true"))
        return true;
    p->fault = TRAJ_PARTIAL;
    return false;
}

// If records differ from those that were written, state hashes may show where; if none does, the change itself is
// reported. Without verification such a file is refused.
static bool check_content(struct env_replay *p)
{
    if (!traj_read_changed(p->reader))
        return true;
    p->changed = true;
    return p->verify;
}

bool env_replay_apply_record(struct env_replay *p, enum traj_kind kind, struct span record)
{
    static bool (*const play[TRAJ_KINDS])(struct env_replay *, struct span) = {[TRAJ_HEADER] = env_replay_check_header,
                                                                               [TRAJ_RESET] = play_reset,
                                                                               [TRAJ_STEP] = play_step,
                                                                               [TRAJ_AGENT] = play_agent};
    return !play[kind] || play[kind](p, record);
}

// Pictures are for readers of the file; nothing here depends on them.
static struct span without_pictures(struct env_replay *p, enum traj_kind kind, struct span record)
{
    static const struct traj_choice others = {.observations = true, .secrets = true};
    p->plain.size = 0;
    p->plain.full = false;
    return (kind == TRAJ_STEP || kind == TRAJ_RESET) && p->pictured && traj_select(&p->plain, record, &others)
               ? text_span(&p->plain)
               : record;
}

int env_replay_next(struct env_replay *p)
{
    enum traj_kind kind;
    struct span record;
    int found = read_record(p, &kind, &record);
    p->fault = TRAJ_DAMAGED;
    if (found <= 0)
        return found == 0 && check_content(p) ? PLAYED_ALL : PLAYED_BAD;
    record = without_pictures(p, kind, record);
    if (!env_replay_apply_record(p, kind, record))
        return PLAYED_BAD;
    if (p->verify && (kind == TRAJ_RESET || kind == TRAJ_STEP))
        compare_hashes(p, record);
    if (kind != TRAJ_HEADER && kind != TRAJ_FOOTER && !p->only_checks)
        add_fresh(p, kind, record);
    return kind == TRAJ_STEP ? PLAYED_STEP : PLAYED_OTHER;
}
