// The records of a trajectory, played again at a shadow of the table with virtual agents (G19.7).
#include "env/replay.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/job.h"
#include "env/live.h"
#include "env/plan.h"
#include "env/play.h"
#include "env/schema.h"
#include "env/tools.h"
#include "env/vision.h"

#include <stdio.h>
#include <stdlib.h>

// --- beginnings and ends

struct rl_play *rl_play_create(struct rl *rl, const struct rl_game *row)
{
    struct rl_play *p = calloc(1, sizeof *p);
    static const struct rl_hooks silent;
    if (!p)
        abort();
    p->rl = rl;
    p->shadow = rl_shadow_create(rl, row);
    p->nobody = (struct rl_conn){.rl = rl, .group = p->shadow, .hooks = &silent, .gone = true};
    p->entries.grow = p->fresh.grow = p->plain.grow = traj_text_grow;
    return p;
}

static void dismiss(struct rl_group *g)
{
    for (struct rl_agent *a = g->agents, *next; a; a = next) {
        next = a->next;
        rl_vision_release(a);
        free(a->news.text.at);
        free(a);
    }
    g->agents = g->table[0].agents = NULL;
    g->agent_count = 0;
}

void rl_play_destroy(struct rl_play *p)
{
    for (struct rl_play **at = &p->rl->plays; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            break;
        }
    if (p->table && p->table->play == p)
        p->table->play = NULL;
    dismiss(p->shadow);
    rl_shadow_destroy(p->shadow);
    if (p->reader)
        traj_read_close(p->reader);
    free(p->entries.at);
    free(p->fresh.at);
    free(p->plain.at);
    free(p);
}

// --- rehearsals

struct rl_play *rl_play_rehearse(struct rl *rl, const struct rl_game *row)
{
    struct rl_play *p = rl_play_create(rl, row);
    p->films = true;
    return p;
}

struct rl_play *rl_play_verify(struct rl *rl, const struct rl_game *row, struct traj_reader *reader)
{
    struct rl_play *p = rl_play_create(rl, row);
    p->verify = p->only_checks = true;
    p->reader = reader;
    return p;
}

struct read {
    struct rl_play *play;
    enum traj_kind *kind;
    struct span *record;
    int found;
};

static void read_file(void *arg)
{
    struct read *r = arg;
    r->found = traj_read_next(r->play->reader, r->kind, r->record);
}

// Pictures make large records: a thread reads those, and whatever else may take long.
static int read_record(struct rl_play *p, enum traj_kind *kind, struct span *record)
{
    struct read r = {.play = p, .kind = kind, .record = record};
    rl_spend(p->rl, RL_COST_PLAYED);
    if (p->pictured || traj_read_is_long(p->reader))
        rl_away(p->rl, read_file, &r);
    else
        read_file(&r);
    return r.found;
}

int rl_play_verify_next(struct rl_play *p, bool only_read, bool waits)
{
    enum traj_kind kind;
    struct span record;
    if (!waits && !traj_read_is_ready(p->reader))
        return RL_VERIFY_LATER;
    p->pictured |= only_read; // they may be large
    int played = only_read ? read_record(p, &kind, &record) : rl_play_next(p);
    if (played < 0 || (played == 0 && traj_read_changed(p->reader)))
        return RL_VERIFY_BAD;
    return played ? RL_VERIFY_MORE : RL_VERIFY_GOOD;
}

bool rl_play_is_verified(const struct rl_play *p)
{
    return p->mismatches == 0;
}

uint32_t rl_play_last_ticks(const struct rl_play *p)
{
    return p->ticks;
}

struct rl_agent *rl_play_find(const struct rl_play *p, struct json_string id)
{
    return rl_find_agent(p->shadow, id);
}

struct rl_agent *rl_play_agents(const struct rl_play *p)
{
    return p->shadow->agents;
}

void rl_play_end(struct rl_play *p)
{
    rl_play_destroy(p);
}

// --- virtual agents

static int word(struct span record, const char *key, const char *const *words)
{
    struct span value;
    if (!rl_json_member(record, key, &value) || !rl_json_is(value, JSON_STRING))
        return -1;
    return json_string_among(rl_json_string(value), words);
}

static int64_t number(struct span record, const char *key, int64_t missing, int64_t most)
{
    struct span value;
    if (!rl_json_member(record, key, &value) || !rl_json_is(value, JSON_INT))
        return missing;
    int64_t n = rl_json_int(value);
    return n < 0 || n > most ? -1 : n;
}

static struct rl_agent *add_agent(struct rl_play *p, struct span record)
{
    struct rl_table *t = &p->shadow->table[0];
    struct span value, list = SPAN("[]");
    char name[32];
    int type = word(record, "agent_type", rl_type_names), scope = word(record, "scope", rl_scope_names);
    int clock = word(record, "clock_mode", rl_clock_names), seat = -1;
    int64_t team = number(record, "team", 0, 2);
    if (type < 0 || scope < 0 || clock < 0 || team < 0 || p->shadow->agent_count >= RL_MAX_AGENTS ||
        !(t->kit->types >> type & 1) || !rl_json_member(record, "agent_id", &value) ||
        !rl_json_is(value, JSON_STRING) || rl_find_agent(p->shadow, rl_json_string(value)))
        return NULL;
    struct rl_agent *a = calloc(1, sizeof *a);
    if (!a)
        abort();
    bool named = json_string_copy(rl_json_string(value), a->id, sizeof a->id) > 0;
    if (rl_json_member(record, "avatar_id", &value) && rl_json_is(value, JSON_STRING) &&
        (json_string_copy(rl_json_string(value), name, sizeof name) < 0 || (seat = rl_seat_of_name(t->kit, name)) < 0))
        named = false;
    if (!named || (type == RL_ENTITY && seat < 0) || (type == RL_COLONY) != (team > 0)) {
        free(a);
        return NULL;
    }
    rl_json_member(record, "capabilities", &list);
    struct json_reader in = json_reader_of(list, 2);
    for (json_enter_array(&in); json_next_item(&in);) {
        int bit = json_string_among(json_read_string(&in), rl_capability_names);
        a->capabilities |= (uint8_t)(bit >= 0 ? 1 << bit : 0);
    }
    *a = (struct rl_agent){.conn = &p->nobody,
                           .table = t,
                           .type = (uint8_t)type,
                           .scope = (uint8_t)scope,
                           .clock = (uint8_t)clock,
                           .capabilities = a->capabilities,
                           .seat = seat,
                           .team = (int)team - 1,
                           .keys = UINT64_MAX,
                           .news.text.grow = rl_text_grow};
    rl_json_member(record, "agent_id", &value);
    json_string_copy(rl_json_string(value), a->id, sizeof a->id);
    rl_agent_enter(a);
    if (p->films && rl_json_member(record, "streams", &value) && !rl_vision_imagine(a, value))
        return NULL;
    return a;
}

static struct rl_agent *find_agent(struct rl_play *p, struct span record)
{
    struct span id;
    if (!rl_json_member(record, "agent_id", &id) || !rl_json_is(id, JSON_STRING))
        return NULL;
    return rl_find_agent(p->shadow, rl_json_string(id));
}

// --- resets

static bool read_hex(struct span record, const char *key, uint8_t out[32])
{
    struct span value;
    if (!rl_json_member(record, key, &value) || value.size != 66)
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

// What a file asks must satisfy the schema of reset, as if a client had asked.
static bool is_order_good(struct rl *rl, const struct rl_order *o)
{
    struct rl_fault fault;
    struct text *s = &rl->scratch;
    const struct rl_tool *tool = rl_tools;
    s->size = 0;
    json_begin_object(s);
    json_key(s, "config");
    json_begin_object(s);
    json_key(s, "scenario");
    json_write_raw(s, o->scenario);
    json_key(s, "initial_state");
    json_write_raw(s, o->initial);
    json_key(s, "domain_randomization");
    json_write_raw(s, o->random);
    json_end_object(s);
    json_end_object(s);
    while (strcmp(tool->name, "reset") != 0)
        tool++;
    return !s->full && rl_schema_check(&rl->schemas, tool, text_span(s), "", &fault);
}

struct recorded {
    struct rl_order order;
    uint8_t key[RNG_KEY_BYTES], salt[32], level[GAME_MAX_SEATS];
    char scenario[160]; // as JSON
};

static bool read_house(struct span record, const struct game *g, struct recorded *out)
{
    struct span list = SPAN("[]");
    int n = 0;
    out->order.seats = (int)number(record, "seats", 0, GAME_MAX_SEATS);
    rl_json_member(record, "bots", &list);
    struct json_reader in = json_reader_of(list, 2);
    for (json_enter_array(&in); json_next_item(&in) && n < GAME_MAX_SEATS; n++)
        out->level[n] = (uint8_t)json_read_int(&in, 0, 3);
    out->order.level = out->level;
    return json_finish(&in) == OK && out->order.seats >= g->min_seats && out->order.seats <= g->max_seats &&
           n == GAME_MAX_SEATS;
}

static bool read_reset(struct rl_play *p, struct span record, const struct rl_game **row, struct recorded *out)
{
    struct span value, scenario;
    char name[64], game[64];
    *out = (struct recorded){.order.initial = SPAN("{}"), .order.random = SPAN("{}")};
    if (!rl_json_member(record, "game", &value) || json_string_copy(rl_json_string(value), game, sizeof game) < 0 ||
        !(*row = rl_find_game(p->rl, game)) || !rl_json_member(record, "scenario", &scenario) ||
        json_string_copy(rl_json_string(scenario), name, sizeof name) < 0)
        return false;
    snprintf(out->scenario, sizeof out->scenario, "\"%s/%s\"", game, name);
    out->order.scenario = span_of(out->scenario);
    rl_json_member(record, "initial_state", &out->order.initial);
    rl_json_member(record, "domain_randomization", &out->order.random);
    if ((out->order.has_seed = rl_json_member(record, "seed", &value)) && !rl_json_is(value, JSON_INT))
        return false;
    out->order.seed = out->order.has_seed ? rl_json_int(value) : 0;
    if (!out->order.has_seed && !read_hex(record, "key", out->key))
        return false;
    out->order.key = out->order.has_seed ? NULL : out->key;
    return read_hex(record, "salt", out->salt) && read_house(record, (*row)->game, out) &&
           is_order_good(p->rl, &out->order);
}

static bool gather_agents(struct rl_play *p, struct span record)
{
    struct span list;
    if (!rl_json_member(record, "agents", &list) || !rl_json_is(list, JSON_ARRAY))
        return false;
    struct json_reader in = json_reader_of(list, 64);
    dismiss(p->shadow);
    for (json_enter_array(&in); json_next_item(&in);)
        if (!add_agent(p, json_read_raw(&in)))
            return false;
    return true;
}

static void take_pace(struct rl_play *p, struct span record)
{
    int64_t delay = number(record, "bot_delay_ms", 1000, 60000), limit = number(record, "turn_limit_s", 120, 86400);
    p->shadow->bot_delay_ms = delay < 0 ? 0 : (int)delay;
    p->shadow->turn_limit_s = limit < 1 ? 1 : (int)limit;
}

static bool play_reset(struct rl_play *p, struct span record)
{
    struct recorded was;
    const struct rl_game *row;
    struct rl_table *t = &p->shadow->table[0];
    struct rl_result r;
    int64_t episode = number(record, "episode", -1, INT64_MAX);
    if (episode < 0 || !read_reset(p, record, &row, &was))
        return false;
    if (t->row != row)
        rl_seat_table(t, row);
    if (!gather_agents(p, record))
        return false;
    struct rl_plan *plan = malloc(sizeof *plan);
    if (!plan)
        abort();
    bool good = rl_plan_make(plan, t, &was.order, &r);
    if (good)
        rl_plan_begin(plan, &was.order, NULL);
    rl_plan_release(plan);
    free(plan);
    memcpy(t->salt, was.salt, sizeof t->salt);
    t->hash_version = number(record, "hash_version", 1, 2) == 2 ? 2 : 1;
    take_pace(p, record);
    p->episode = (uint64_t)episode;
    p->episodes++;
    return good;
}

// --- steps

static void compare(struct rl_play *p, struct span record)
{
    struct rl_hashes h;
    struct span expected = {0};
    char text[RL_HASH_ROOM] = "";
    rl_hash_table(&p->shadow->table[0], true, &h);
    if (rl_json_member(record, "state_hash", &expected))
        json_string_copy(rl_json_string(expected), text, sizeof text);
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

// A restart has happened already when its step is read: the reset came first. What the other agents did in the same
// step was done in the new episode.
static int drop_until_restart(struct rl_item *items, struct rl_item **order, int count)
{
    int from = -1;
    for (int i = 0; i < count; i++)
        if (items[i].deed.row && items[i].deed.row->deed == RL_DO_RESTART)
            from = i;
    for (int i = from + 1; i < count; i++)
        order[i - from - 1] = &items[i];
    return from < 0 ? -1 : count - from - 1;
}

static bool read_entries(struct rl_play *p, struct span entries, struct rl_item *items, int *count)
{
    struct rl_result r;
    struct text *merged = &p->rl->merged;
    merged->size = 0;
    if (merged->room < 4 * entries.size + 4096 && !rl_text_grow(merged, 4 * entries.size + 4096))
        return false;
    struct json_reader in = json_reader_of(entries, 64);
    for (json_enter_array(&in); json_next_item(&in);) {
        struct span entry = json_read_raw(&in);
        if (*count == RL_MAX_BATCH)
            return false;
        struct rl_item *item = &items[*count];
        *item = (struct rl_item){.agent = find_agent(p, entry)};
        if (!item->agent || !rl_json_member(entry, "action", &item->action))
            return false;
        item->agent->talked = 0;
        if (!rl_action_read(p->rl, item->agent, item->action, &item->deed, &r)) {
            p->refused = true;
            item->deed = (struct rl_deed){.seat = -1, .index = -1};
        }
        ++*count;
    }
    return in.error == OK;
}

static void advance(struct rl_play *p, struct rl_item *items, int count, uint32_t ticks, bool live)
{
    struct rl_item *order[RL_MAX_BATCH];
    struct rl_table *t = &p->shadow->table[0];
    int left = drop_until_restart(items, order, count);
    if (left >= 0)
        rl_apply_items(t, order, left);
    else if (live)
        rl_live_tick(t, order, count);
    else
        rl_advance_table(t, order, count, ticks);
}

static bool play_step(struct rl_play *p, struct span record)
{
    struct rl_item *items = malloc(RL_MAX_BATCH * sizeof *items);
    struct rl_table *t = &p->shadow->table[0];
    struct span entries = {0}, live;
    int64_t ticks = number(record, "ticks", -1, RL_MAX_TICKS);
    int count = 0;
    if (!items)
        abort();
    p->refused = false;
    bool good = ticks >= 0 && rl_json_member(record, "entries", &entries) && rl_json_is(entries, JSON_ARRAY) &&
                read_entries(p, entries, items, &count);
    if (good)
        advance(p, items, count, (uint32_t)ticks, rl_json_member(record, "live", &live) && span_is(live, "true"));
    free(items);
    if (!good)
        return false;
    for (struct rl_agent *a = p->shadow->agents; a; a = a->next) { // nobody will ever ask for these
        rl_news_clear(&a->news);
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

static bool play_agent(struct rl_play *p, struct span record)
{
    static const char *const events[] = {"registered", "deregistered", "reset", "streams", NULL};
    int event = word(record, "event", events);
    struct span seed, streams;
    struct rl_agent *a = event == 0 ? add_agent(p, record) : find_agent(p, record);
    if (event < 0 || !a)
        return false;
    if (event == 0) {
        int was = word(record, "status", rl_state_names);
        if (was == RL_ACTIVE)
            rl_activate(a);
        else if (was == RL_TERMINAL) // it had ended when the recording took it over
            a->state = RL_TERMINAL;
        return true;
    }
    if (event == 2) {
        struct rl_order o = {.has_seed = rl_json_member(record, "seed", &seed)};
        o.seed = o.has_seed ? rl_json_int(seed) : 0;
        return rl_put_back(a, &o);
    }
    if (event == 3)
        return !p->films || (rl_json_member(record, "streams", &streams) && rl_vision_imagine(a, streams));
    rl_agent_leave(a);
    rl_vision_release(a);
    free(a->news.text.at);
    free(a);
    return true;
}

// --- records

static void keep_fresh(struct rl_play *p, enum traj_kind kind, struct span record)
{
    if (kind == TRAJ_RESET && p->mode == INSTANT)
        p->fresh.size = 0, p->fresh.full = false; // only the last episode stays
    text_put_char(&p->fresh, (char)('0' + kind));
    text_put(&p->fresh, record);
    text_put_char(&p->fresh, '\n');
}

bool rl_play_check_header(struct rl_play *p, struct span record)
{
    struct span partial, frames;
    p->pictured = rl_json_member(record, "include_frames", &frames) && span_is(frames, "true");
    if (!rl_json_member(record, "partial", &partial) || !span_is(partial, "true"))
        return true;
    p->fault = TRAJ_PARTIAL;
    return false;
}

// Records that are not those written: the hashes tell where; when they do not, that is told. Nobody who does not want
// to hear of it gets such a file.
static bool check_content(struct rl_play *p)
{
    if (!traj_read_changed(p->reader))
        return true;
    p->changed = true;
    return p->verify;
}

bool rl_play_record(struct rl_play *p, enum traj_kind kind, struct span record)
{
    static bool (*const play[TRAJ_KINDS])(struct rl_play *, struct span) = {[TRAJ_HEADER] = rl_play_check_header,
                                                                            [TRAJ_RESET] = play_reset,
                                                                            [TRAJ_STEP] = play_step,
                                                                            [TRAJ_AGENT] = play_agent};
    return !play[kind] || play[kind](p, record);
}

// Pictures are seen by whoever reads the file; nothing follows from them here.
static struct span leave_pictures(struct rl_play *p, enum traj_kind kind, struct span record)
{
    static const struct traj_choice others = {.observations = true, .secrets = true};
    p->plain.size = 0;
    p->plain.full = false;
    return (kind == TRAJ_STEP || kind == TRAJ_RESET) && p->pictured && traj_select(&p->plain, record, &others)
               ? text_span(&p->plain)
               : record;
}

int rl_play_next(struct rl_play *p)
{
    enum traj_kind kind;
    struct span record;
    int found = read_record(p, &kind, &record);
    p->fault = TRAJ_DAMAGED;
    if (found <= 0)
        return found == 0 && check_content(p) ? PLAYED_ALL : PLAYED_BAD;
    record = leave_pictures(p, kind, record);
    if (!rl_play_record(p, kind, record))
        return PLAYED_BAD;
    if (p->verify && (kind == TRAJ_RESET || kind == TRAJ_STEP))
        compare(p, record);
    if (kind != TRAJ_HEADER && kind != TRAJ_FOOTER && !p->only_checks)
        keep_fresh(p, kind, record);
    return kind == TRAJ_STEP ? PLAYED_STEP : PLAYED_OTHER;
}
