// load_trajectory: a file is played again at a shadow of the table, with virtual agents; only what has been read
// without fault becomes the table's own (G19.7-G19.9).
#include "front/mcp/rl_inside.h"

#include <stdio.h>
#include <stdlib.h>

enum { MISMATCHES = 16, SLICE_TICKS = 20000, SLICE_RECORDS = 2000, SLICE_US = 10000 };
enum mode { INSTANT, REALTIME, STEPWISE };
enum { PLAYED_STEP = 1, PLAYED_OTHER = 2, PLAYED_ALL = 0, PLAYED_BAD = -1 };

static const char *const mode_names[] = {"instant", "realtime", "step", NULL};

struct mismatch {
    uint64_t episode, step;
    char expected[RL_HASH_ROOM], actual[RL_HASH_ROOM];
    const char *component;
};

struct rl_play {
    struct rl_play *next;
    struct rl *rl;
    struct rl_table *table; // where it ends up; NULL: a rehearsal
    struct rl_conn *conn;
    uint64_t call;
    bool parked, progress, verify, at_table;
    bool films; // streams are set up as they were
    enum mode mode;
    char path[1024];
    struct traj_reader *reader;
    struct rl_group *shadow;
    struct rl_conn nobody; // owner of the virtual agents
    uint64_t episodes, steps, total, episode;
    uint32_t ticks; // of the last step
    bool refused;   // an action of the last step was
    bool changed;   // the file was, as reading ahead has shown
    struct mismatch mismatch[MISMATCHES];
    int mismatches;
    bool pictured;       // its steps have pictures
    struct text plain;   // a step without them
    struct text entries; // of the last step
    struct text fresh;   // records that the table's own recording has not yet: kind, newline, record, newline
    int64_t due_us;
    enum traj_fault fault; // why it is PLAYED_BAD
};

// --- beginnings and ends

static struct rl_play *play_create(struct rl *rl, const struct rl_game *row)
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

static void play_destroy(struct rl_play *p)
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
    struct rl_play *p = play_create(rl, row);
    p->films = true;
    return p;
}

struct rl_agent *rl_play_find(const struct rl_play *p, struct json_string id)
{
    return rl_find_agent(p->shadow, id);
}

void rl_play_end(struct rl_play *p)
{
    play_destroy(p);
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
    if (type < 0 || scope < 0 || clock < 0 || team < 0 || p->shadow->agent_count >= RL_AGENTS ||
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
        if (word(record, "status", rl_state_names) == RL_ACTIVE)
            rl_activate(a);
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

static bool check_header(struct rl_play *p, struct span record)
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
    static bool (*const play[TRAJ_KINDS])(struct rl_play *, struct span) = {
        [TRAJ_HEADER] = check_header, [TRAJ_RESET] = play_reset, [TRAJ_STEP] = play_step, [TRAJ_AGENT] = play_agent};
    return !play[kind] || play[kind](p, record);
}

// Pictures are seen by whoever reads the file; nothing follows from them here.
static struct span leave_pictures(struct rl_play *p, enum traj_kind kind, struct span record)
{
    static const struct traj_choice others = {.observations = true, .secrets = true};
    p->plain.size = 0;
    p->plain.full = false;
    return kind == TRAJ_STEP && p->pictured && traj_select(&p->plain, record, &others) ? text_span(&p->plain) : record;
}

static int play_next(struct rl_play *p)
{
    enum traj_kind kind;
    struct span record;
    int found = traj_read_next(p->reader, &kind, &record);
    p->fault = TRAJ_DAMAGED;
    if (found <= 0)
        return found == 0 && p->episodes && check_content(p) ? PLAYED_ALL : PLAYED_BAD;
    record = leave_pictures(p, kind, record);
    if (!rl_play_record(p, kind, record))
        return PLAYED_BAD;
    if (p->verify && (kind == TRAJ_RESET || kind == TRAJ_STEP))
        compare(p, record);
    if (kind != TRAJ_HEADER && kind != TRAJ_FOOTER)
        keep_fresh(p, kind, record);
    return kind == TRAJ_STEP ? PLAYED_STEP : PLAYED_OTHER;
}

// --- the shadow becomes the table

static bool check_game(struct rl_play *p, struct rl_result *r)
{
    struct rl_table *t = p->table, *from = &p->shadow->table[0];
    if (from->row == t->row)
        return true;
    if (t->group->pinned) {
        *r = rl_bad(p->rl, "/path", "a trajectory of the game of this server", "pinned");
        return false;
    }
    for (struct rl_agent *a = t->group->agents; a; a = a->next)
        if (a->conn != p->conn || !(from->kit->types >> a->type & 1)) {
            *r = rl_bad(p->rl, "/path", "a trajectory of the game that is played here", "others");
            return false;
        }
    return true;
}

static void take_state(struct rl_table *t, struct rl_table *from)
{
    struct game_event *past = t->past;
    t->row = from->row;
    t->kit = from->kit;
    t->match = from->match;
    t->past = from->past;
    from->past = past;
    memcpy(from->past, t->past, from->past_count * sizeof *past); // the shadow goes on
    t->past_count = from->past_count;
    memcpy(t->past_ticks, from->past_ticks, sizeof t->past_ticks);
    t->running = from->running;
    t->paused = from->paused;
    t->phase = from->phase;
    t->killed = from->killed;
    t->scenario = from->scenario;
    memcpy(t->scenario_name, from->scenario_name, sizeof t->scenario_name);
    t->tick = from->tick;
    t->max_ticks = from->max_ticks;
    memcpy(t->key, from->key, sizeof t->key);
    memcpy(t->salt, from->salt, sizeof t->salt);
    t->has_seed = from->has_seed;
    t->seed = from->seed;
    memcpy(t->level, from->level, sizeof t->level);
    memcpy(t->aggro, from->aggro, sizeof t->aggro);
    t->hour = from->hour;
    t->minute = from->minute;
    memcpy(t->age, from->age, sizeof t->age);
    t->house_wait = from->house_wait;
    memcpy(t->visual, from->visual, sizeof t->visual);
    free(t->drawn);
    t->drawn = from->drawn ? strdup(from->drawn) : NULL;
    t->happened.count = 0;
}

// G19.9
// While a playback goes on they wait.
static void wake_agents(struct rl_play *p, bool switched, bool over)
{
    struct rl_table *t = p->table;
    for (struct rl_agent *a = t->group->agents; a; a = a->next) {
        if (a->table != t || a->conn != p->conn)
            continue;
        if (switched) {
            a->keys = UINT64_MAX;
            a->masked = 0;
            for (int i = 0; i < GAME_MAX_REWARDS; i++)
                a->weight[i] = 1;
        }
        struct rl_agent *was = rl_find_agent(p->shadow, (struct json_string){.raw = span_of(a->id)});
        bool same = was && was->type == a->type && was->seat == a->seat && was->team == a->team;
        a->state = RL_REGISTERED;
        a->notice.due = false;
        if (over && same && t->running && was->state == RL_ACTIVE)
            rl_activate(a);
    }
}

// The streams are those of the agents that go on, whatever the recorded ones had.
static void tell_streams(const struct rl_table *t)
{
    for (struct rl_agent *a = t->agents; a; a = a->beside)
        if (a->state == RL_ACTIVE && a->streams)
            rl_record_streams(a);
}

static void tell_recording(struct rl_play *p)
{
    struct span rest = text_span(&p->fresh);
    struct rl_table *t = p->table;
    while (rest.size && !p->fresh.full) {
        const char *end = memchr(rest.at, '\n', rest.size);
        size_t size = (size_t)(end - rest.at);
        rl_record_again(t, (enum traj_kind)(rest.at[0] - '0'), (struct span){rest.at + 1, size - 1});
        rest.at += size + 1;
        rest.size -= size + 1;
    }
    if (p->fresh.full && t->kept)
        traj_keep_clear(t->kept); // what goes on here is not a whole episode any more
    p->fresh.size = 0;
}

static void settle(struct rl_play *p, bool over)
{
    struct rl_table *t = p->table;
    bool switched = t->row != p->shadow->table[0].row;
    rl_episode_end(t, p->conn, RL_EXTERNAL);
    rl_answer_all(t);
    take_state(t, &p->shadow->table[0]);
    t->records++;
    if (!p->at_table)
        t->episode++;
    p->at_table = true;
    t->started_us = p->rl->now_us;
    t->group->seeded |= t->has_seed;
    wake_agents(p, switched, over);
    tell_recording(p);
    if (over)
        tell_streams(t);
    rl_tell_changed(t, "game://agents");
    rl_tell_changed(t, "game://world");
    if (switched)
        rl_tell_changed(t, "game://manifest");
    rl_tell_observations(t);
}

// --- answers

static void put_mismatches(struct text *t, const struct rl_play *p)
{
    if (p->verify)
        json_put_bool(t, "verified", p->mismatches == 0);
    json_key(t, "mismatches");
    json_begin_array(t);
    for (int i = 0; i < p->mismatches; i++) {
        const struct mismatch *m = &p->mismatch[i];
        json_begin_object(t);
        json_put_uint(t, "episode", m->episode);
        json_put_uint(t, "step", m->step);
        json_put_text(t, "expected", m->expected);
        json_put_text(t, "actual", m->actual);
        json_put_text(t, "component", m->component);
        json_end_object(t);
    }
    json_end_array(t);
}

// Where no hash tells the place of a change, the end does.
static void tell_changed(struct rl_play *p)
{
    if (p->changed && p->mismatches == 0 && (p->mode == INSTANT || p->steps == p->total))
        p->mismatch[p->mismatches++] =
            (struct mismatch){.episode = p->episode, .step = p->steps, .component = "content"};
}

static void write_answer(struct rl_play *p)
{
    struct text *t = &p->rl->out;
    struct rl_hashes h;
    t->size = 0;
    t->full = false;
    json_begin_object(t);
    json_put_text(t, "path", p->path);
    json_put_text(t, "format", traj_format_names[traj_read_format(p->reader)]);
    json_put_uint(t, "episodes", p->episodes);
    json_put_uint(t, "steps", p->steps);
    json_put_text(t, "playback_mode", mode_names[p->mode]);
    tell_changed(p);
    put_mismatches(t, p);
    json_put_uint(t, "final_tick", p->table->tick);
    rl_hash_table(p->table, true, &h);
    json_put_text(t, "final_state_hash", h.all);
    if (p->mode == STEPWISE) {
        json_put_uint(t, "cursor", p->steps);
        json_put_uint(t, "remaining", p->total - p->steps);
        json_key(t, "entries");
        json_write_raw(t, p->entries.size ? text_span(&p->entries) : SPAN("[]"));
    }
    json_end_object(t);
}

// The answer of a whole playback; it is gone afterwards.
static void finish(struct rl_play *p, struct rl_result *r)
{
    if (!p->at_table && !check_game(p, r)) {
        play_destroy(p);
        return;
    }
    struct rl_table *t = p->table;
    settle(p, true);
    write_answer(p);
    rl_answer(p->rl, r);
    play_destroy(p);
    rl_live_poke(t, t->group->rl->now_us);
}

static void fail(struct rl_play *p, struct rl_result *r)
{
    rl_traj_refuse(p->rl, p->fault, r);
    play_destroy(p);
}

// --- courses

struct rl_slice rl_slice_begin(const struct rl *rl)
{
    return (struct rl_slice){.end_us = rl->o.stopwatch_us ? rl->o.stopwatch_us() + SLICE_US : INT64_MAX};
}

bool rl_slice_over(const struct rl *rl, struct rl_slice *s, uint32_t ticks)
{
    s->ticks += ticks;
    return s->records++ == SLICE_RECORDS || s->ticks >= SLICE_TICKS ||
           (rl->o.stopwatch_us && rl->o.stopwatch_us() >= s->end_us);
}

// True: over, and `r` is the answer.
static bool run_slice(struct rl_play *p, struct rl_result *r)
{
    struct rl_slice slice = rl_slice_begin(p->rl);
    uint32_t ticks = 0;
    while (!rl_slice_over(p->rl, &slice, ticks)) {
        int played = play_next(p);
        if (played == PLAYED_BAD) {
            fail(p, r);
            return true;
        }
        if (played == PLAYED_ALL) {
            finish(p, r);
            return true;
        }
        ticks = played == PLAYED_STEP ? p->ticks : 0;
    }
    return false;
}

// Up to the next step, or past what comes before the first one.
static int play_one(struct rl_play *p, bool stop_at_reset)
{
    int played = PLAYED_OTHER;
    while (played == PLAYED_OTHER && !(stop_at_reset && p->episodes))
        played = play_next(p);
    return played;
}

static void park(struct rl_play *p, uint64_t call, bool progress)
{
    p->call = call;
    p->parked = true;
    p->progress = progress && p->conn->hooks->on_progress;
    p->next = p->rl->plays;
    p->rl->plays = p;
    p->table->play = p;
}

// G19.8: realtime keeps the tick rate.
static void run_realtime(struct rl_play *p, int64_t now_us)
{
    struct rl_result r;
    struct rl_conn *c = p->conn;
    uint64_t call = p->call;
    while (p->due_us <= now_us) {
        int played = play_one(p, false);
        if (played <= 0) {
            if (played == PLAYED_BAD)
                fail(p, &r);
            else
                finish(p, &r);
            c->hooks->on_answer(c->owner, call, &r);
            return;
        }
        settle(p, false);
        p->due_us += (int64_t)p->ticks * p->table->kit->tick_ms * 1000 + (p->ticks == 0);
        if (p->progress)
            c->hooks->on_progress(c->owner, call, p->steps, p->total);
    }
}

static void run_parked(struct rl_play *p, int64_t now_us)
{
    struct rl_result r;
    struct rl_conn *c = p->conn;
    uint64_t call = p->call;
    if (p->mode == REALTIME) {
        run_realtime(p, now_us);
        return;
    }
    if (run_slice(p, &r))
        c->hooks->on_answer(c->owner, call, &r);
    else if (p->progress)
        c->hooks->on_progress(c->owner, call, p->steps, p->total > p->steps ? p->total : p->steps);
}

int64_t rl_play_run(struct rl *rl, int64_t now_us)
{
    int64_t next = INT64_MAX;
    rl->now_us = now_us;
    for (struct rl_play *p = rl->plays, *after; p; p = after) {
        after = p->next;
        if (p->mode == INSTANT || p->due_us <= now_us)
            run_parked(p, now_us);
    }
    for (struct rl_play *p = rl->plays; p; p = p->next) {
        int64_t due = p->mode == INSTANT ? now_us : p->due_us;
        next = due < next ? due : next;
    }
    return next;
}

void rl_play_stop(struct rl_table *t)
{
    struct rl_play *p = t->play;
    if (!p)
        return;
    if (p->parked && !p->conn->gone) {
        struct rl_result r = rl_bad(p->rl, "/path", "a playback that nothing else disturbs", "interrupted");
        p->conn->hooks->on_answer(p->conn->owner, p->call, &r);
    }
    play_destroy(p);
}

bool rl_play_cancel(struct rl_conn *c, uint64_t call)
{
    for (struct rl_play *p = c->rl->plays; p; p = p->next)
        if (p->conn == c && p->parked && p->call == call) {
            struct rl_table *t = p->table;
            if (p->at_table)
                wake_agents(p, false, true);
            play_destroy(p);
            rl_live_poke(t, c->rl->now_us);
            return true;
        }
    return false;
}

void rl_play_leave(struct rl_conn *c)
{
    for (struct rl_play *p = c->rl->plays, *next; p; p = next) {
        next = p->next;
        if (p->conn == c)
            play_destroy(p);
    }
    for (int i = 0; i < c->group->count; i++)
        if (c->group->table[i].play && c->group->table[i].play->conn == c)
            play_destroy(c->group->table[i].play);
}

// --- the tool

static enum traj_fault open_reader(struct rl_play *p)
{
    struct traj_place place;
    enum traj_fault f = traj_place_find(&place, p->rl->o.data_dir, span_of(p->path));
    if (f != TRAJ_FINE)
        return f;
    f = traj_read_open(&p->reader, &place);
    traj_place_release(&place);
    return f;
}

// Before the table changes bit by bit, the whole file is read once: it must be sound, and its steps are counted.
static enum traj_fault read_ahead(struct rl_play *p)
{
    enum traj_kind kind;
    struct span record;
    int found;
    enum traj_fault f = open_reader(p);
    if (f != TRAJ_FINE)
        return f;
    while ((found = traj_read_next(p->reader, &kind, &record)) > 0) {
        if (kind == TRAJ_HEADER && !check_header(p, record))
            return TRAJ_PARTIAL;
        p->total += kind == TRAJ_STEP;
    }
    p->changed = traj_read_changed(p->reader);
    traj_read_close(p->reader);
    p->reader = NULL;
    return found < 0 || (p->changed && !p->verify) ? TRAJ_DAMAGED : open_reader(p);
}

static bool begin_slowly(struct rl_play *p, uint64_t call, bool progress, struct rl_result *r)
{
    if (play_one(p, true) == PLAYED_BAD) {
        fail(p, r);
        return true;
    }
    if (!check_game(p, r)) {
        play_destroy(p);
        return true;
    }
    settle(p, p->total == 0);
    if (p->mode == STEPWISE) {
        p->table->play = p;
        write_answer(p);
        return rl_answer(p->rl, r);
    }
    p->due_us = p->rl->now_us;
    park(p, call, progress);
    return false;
}

static bool go_on(struct rl_play *p, struct rl_result *r)
{
    int played = play_one(p, false);
    if (played == PLAYED_BAD) {
        fail(p, r);
        return true;
    }
    if (played == PLAYED_STEP)
        settle(p, p->steps == p->total);
    write_answer(p);
    rl_answer(p->rl, r);
    if (p->steps == p->total) {
        struct rl_table *t = p->table;
        play_destroy(p);
        rl_live_poke(t, t->group->rl->now_us);
    }
    return true;
}

static bool check_path(struct rl_conn *c, struct span arguments, char path[1024], struct rl_result *r)
{
    struct span value;
    rl_json_member(arguments, "path", &value);
    int size = json_string_copy(rl_json_string(value), path, 1024);
    if (size > 0 && strlen(path) == (size_t)size)
        return true;
    rl_traj_refuse(c->rl, TRAJ_OUTSIDE, r);
    return false;
}

bool rl_load_trajectory(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    struct span value;
    char path[1024];
    int64_t table = rl_json_member(arguments, "table", &value) ? rl_json_int(value) : 0;
    int mode = INSTANT;
    if (rl_json_member(arguments, "playback_mode", &value))
        mode = json_string_among(rl_json_string(value), mode_names);
    if (table >= c->group->count) {
        *r = rl_bad(c->rl, "/table", "the number of a table of this server", NULL);
        return true;
    }
    struct rl_table *t = &c->group->table[table];
    if (!check_path(c, arguments, path, r) || !rl_may_reset(c, t, r))
        return true;
    if (t->play && t->play->conn == c && mode == STEPWISE && t->play->mode == STEPWISE &&
        strcmp(t->play->path, path) == 0)
        return go_on(t->play, r);
    rl_play_stop(t);
    struct rl_play *p = play_create(c->rl, t->row);
    p->conn = c;
    p->table = t;
    memcpy(p->path, path, sizeof p->path);
    p->mode = (enum mode)mode;
    p->verify = !rl_json_member(arguments, "verify_determinism", &value) || value.at[0] == 't';
    p->fault = mode == INSTANT ? open_reader(p) : read_ahead(p);
    if (p->fault != TRAJ_FINE) {
        fail(p, r);
        return true;
    }
    if (mode != INSTANT)
        return begin_slowly(p, call->call, call->progress, r);
    if (run_slice(p, r))
        return true;
    park(p, call->call, call->progress);
    return false;
}
