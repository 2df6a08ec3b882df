// The operator's requests (F5.10).
#include "front/arena/rest_internal.h"
#include "lobby/identity.h"
#include "net/log.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

enum { AGENTS_LISTED = 100 }; // records of a page

static const char *const kind_names[] = {
    [STORE_CLIENT] = "client", [STORE_HOUSE] = "house", [STORE_REMOTE] = "remote", [STORE_GUEST] = "guest"};

// Everything except secrets.
static void write_agent(struct rest_call *c, const struct store_agent *a, bool online)
{
    struct text *t = &c->out;
    json_begin_object(t);
    uuid_put(t, "id", a->id);
    rest_put_public_no(t, a, true);
    json_put_text(t, "name", a->name);
    json_put_text(t, "kind", kind_names[a->kind]);
    json_put_text(t, "model", a->model);
    json_put_text(t, "owner", a->owner);
    json_put_text(t, "origin", a->origin);
    if (!uuid_is_none(a->lineage))
        uuid_put(t, "lineage", a->lineage);
    json_put_bool(t, "claimed", a->claimed);
    json_put_bool(t, "disabled", a->disabled);
    json_put_bool(t, "online", online);
    json_put_text(t, "client_kind", a->client_kind);
    json_put_text(t, "bridge_version", a->bridge_version);
    json_put_bool(t, "device_bound", a->device_id[0] != 0);
    json_put_text(t, "standby", a->standby);
    json_put_bool(t, "auto_requeue", a->auto_requeue);
    json_put_bool(t, "auto_confirm", a->auto_confirm);
    json_put_int(t, "max_games_per_day", a->max_games_per_day);
    json_put_int(t, "max_games_per_hour", a->max_games_per_hour);
    json_put_int(t, "cooldown_seconds", a->cooldown_seconds);
    json_put_int(t, "max_concurrent", a->max_concurrent);
    json_begin_object_at(t, "limits"); // what was set, not what the agent's policy makes of it; 0: nothing
    json_put_int(t, "max_games_per_day", a->day_ceiling);
    json_put_int(t, "max_games_per_hour", a->hour_ceiling);
    json_put_int(t, "cooldown_seconds", a->cooldown_floor);
    json_put_int(t, "max_concurrent", a->concurrent_ceiling);
    json_end_object(t);
    if (a->kind == STORE_REMOTE) {
        json_put_text(t, "bot_url", a->bot_url);
        json_put_text(t, "games", a->games);
    }
    rfc3339_put(t, "created_at", a->created_ms);
    json_end_object(t);
}

static struct lobby_agent *find_agent(struct rest_call *c)
{
    struct uuid id;
    if (!rest_read_id(c, &id, "agent"))
        return NULL;
    struct lobby_agent *a = lobby_agent_by_id(c->rest->lobby, id);
    if (!a)
        rest_fail(c, 404, "unknown agent");
    return a;
}

void rest_admin_list(struct rest_call *c)
{
    struct store_agent rows[AGENTS_LISTED];
    struct uuid ids[AGENTS_LISTED];
    bool online[AGENTS_LISTED];
    struct rest_page page;
    int total;
    if (!rest_read_page(c, AGENTS_LISTED, AGENTS_LISTED, &page))
        return;
    int count = store_list_agents(c->rest->store, -1, page.from, rows, page.limit, &total);
    for (int i = 0; i < count; i++)
        ids[i] = rows[i].id;
    rest_find_online(c, ids, count, online);
    json_begin_object(&c->out);
    json_begin_array_at(&c->out, "agents");
    for (int i = 0; i < count; i++) {
        // Memory is newer than the store, which has only what is durable.
        const struct lobby_agent *a = lobby_agent_by_id(c->rest->lobby, rows[i].id);
        write_agent(c, a ? lobby_agent_record(a) : &rows[i], online[i]);
    }
    json_end_array(&c->out);
    rest_put_page(&c->out, count, total, &page);
    json_end_object(&c->out);
}

static void write_found(struct rest_call *c, const struct lobby_agent *a, const char *key)
{
    bool online = rest_is_online(c, lobby_agent_record(a)->id);
    json_begin_object(&c->out);
    json_key(&c->out, "agent");
    write_agent(c, lobby_agent_record(a), online);
    if (key && key[0])
        json_put_text(&c->out, "api_key", key);
    json_end_object(&c->out);
}

void rest_admin_show(struct rest_call *c)
{
    const struct lobby_agent *a = find_agent(c);
    if (a)
        write_found(c, a, NULL);
}

// --- creating

// Texts of the body; the spans in `new` point into them.
struct agent_request {
    char name[REST_TEXT], model[REST_TEXT], description[2 * REST_TEXT], url[REST_TEXT], games[96];
    struct identity_new new;
    bool unknown_game;
};

static void read_bot_games(struct rest_body *b, struct agent_request *w)
{
    struct text t = text_on(w->games, sizeof w->games - 1);
    char name[64];
    for (json_enter_array(&b->r); json_next_item(&b->r);) {
        struct span word = rest_read_text(b, name, sizeof name);
        if (b->r.error != OK)
            return;
        w->unknown_game |= !lobby_find_game(b->call->rest->lobby, word);
        if (t.size)
            text_put_char(&t, ',');
        text_put(&t, word);
    }
    w->unknown_game |= t.full;
    w->games[t.size] = 0;
}

static bool read_new_agent(struct rest_call *c, struct agent_request *w)
{
    struct rest_body b;
    if (!rest_open_body(c, &b, false))
        return false;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "name"))
            w->new.name = rest_read_text(&b, w->name, sizeof w->name);
        else if (rest_key_is(&b, "model"))
            w->new.model = rest_read_text(&b, w->model, sizeof w->model);
        else if (rest_key_is(&b, "description"))
            w->new.description = rest_read_text(&b, w->description, sizeof w->description);
        else if (rest_key_is(&b, "bot_url"))
            w->new.bot_url = rest_read_text(&b, w->url, sizeof w->url);
        else if (rest_key_is(&b, "games"))
            read_bot_games(&b, w);
        else
            json_skip(&b.r);
    return rest_close_body(&b);
}

static bool is_web_address(struct span url)
{
    return (url.size > 7 && memcmp(url.at, "http://", 7) == 0) || (url.size > 8 && memcmp(url.at, "https://", 8) == 0);
}

static const char *check_agent_request(const struct agent_request *w)
{
    if (w->unknown_game)
        return "games names one that is not played here";
    if (w->new.bot_url.size && !is_web_address(w->new.bot_url))
        return "bot_url must begin with http:// or https://";
    return w->new.bot_url.size && !w->games[0] ? "a bot with a bot_url needs games" : NULL;
}

void rest_admin_create(struct rest_call *c)
{
    struct agent_request w = {.new = {.by_operator = true}};
    char key[IDENTITY_KEY + 1], token[IDENTITY_TOKEN + 1], say[IDENTITY_ERROR_ROOM];
    struct lobby_agent *a;
    if (!read_new_agent(c, &w))
        return;
    w.new.games = w.games;
    const char *fault = check_agent_request(&w);
    int status = fault ? 400 : identity_register(c->rest->lobby, &w.new, c->now_ms, &a, key, token, say);
    if (status != 201) {
        rest_fail(c, status, "%s", fault ? fault : say);
        return;
    }
    rest_log_agent(c, "agent.registered", a);
    write_found(c, a, key);
}

// --- changing

void rest_admin_pairing(struct rest_call *c)
{
    char type[REST_TEXT] = "", code[IDENTITY_CODE + 1], say[IDENTITY_ERROR_ROOM];
    struct rest_body b;
    int64_t expires_ms;
    struct lobby_agent *a = find_agent(c);
    if (!a || !rest_open_body(c, &b, true))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "runtime_type"))
            rest_read_text(&b, type, sizeof type);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    int status = identity_make_pairing(c->rest->lobby, a, span_of(type), c->now_ms, code, &expires_ms, say);
    if (status != 200) {
        rest_fail(c, status, "%s", say);
        return;
    }
    rest_log_agent(c, "agent.pairing_code", a);
    json_begin_object(&c->out);
    json_put_text(&c->out, "pairing_code", code);
    rfc3339_put(&c->out, "expires_at", expires_ms);
    json_end_object(&c->out);
}

void rest_admin_claim(struct rest_call *c)
{
    struct lobby_agent *a = find_agent(c);
    if (!a || !rest_skip_body(c))
        return;
    if (identity_approve(c->rest->lobby, a) != 200) {
        rest_fail(c, 409, "agent is already claimed");
        return;
    }
    rest_log_agent(c, "agent.claimed", a);
    write_found(c, a, NULL);
}

void rest_admin_limits(struct rest_call *c)
{
    struct identity_policy p = {0};
    char say[IDENTITY_ERROR_ROOM];
    struct rest_body b;
    const struct {
        const char *name;
        bool *has;
        int64_t *value;
    } fields[] = {{"max_games_per_day", &p.has_day, &p.day},
                  {"max_games_per_hour", &p.has_hour, &p.hour},
                  {"cooldown_seconds", &p.has_cooldown, &p.cooldown},
                  {"max_concurrent", &p.has_concurrent, &p.concurrent}};
    struct lobby_agent *a = find_agent(c);
    if (!a || !rest_open_body(c, &b, false))
        return;
    while (rest_next_key(&b)) {
        unsigned i = 0;
        while (i < sizeof fields / sizeof *fields && !rest_key_is(&b, fields[i].name))
            i++;
        if (i == sizeof fields / sizeof *fields) {
            json_skip(&b.r);
            continue;
        }
        *fields[i].has = true;
        *fields[i].value = json_read_int(&b.r, INT32_MIN, INT32_MAX);
    }
    if (!rest_close_body(&b))
        return;
    int status = identity_set_limits(c->rest->lobby, a, &p, c->now_ms, say);
    if (status != 200)
        rest_fail(c, status, "%s", say);
    else
        write_found(c, a, NULL);
}

// A ban applies to the person: to all agents claimed with the same e-mail address.
static void disable_owned(struct rest_call *c, const struct lobby_agent *of, bool disabled)
{
    struct store_agent rows[AGENTS_LISTED];
    char owner[sizeof rows->owner];
    int total = 1;
    memcpy(owner, lobby_agent_record(of)->owner, sizeof owner);
    for (int from = 0; owner[0] && from < total; from += AGENTS_LISTED) {
        int count = store_list_agents(c->rest->store, STORE_CLIENT, from, rows, AGENTS_LISTED, &total);
        for (int i = 0; i < count; i++) {
            struct lobby_agent *a =
                strcmp(rows[i].owner, owner) == 0 ? lobby_agent_by_id(c->rest->lobby, rows[i].id) : NULL;
            if (!a || lobby_agent_record(a)->disabled == disabled)
                continue;
            identity_disable(c->rest->lobby, a, disabled);
            rest_log_agent(c, disabled ? "agent.disabled" : "agent.enabled", a);
        }
    }
}

void rest_admin_disable(struct rest_call *c)
{
    bool disabled = true, owner = false;
    struct rest_body b;
    struct lobby_agent *a = find_agent(c);
    if (!a || !rest_open_body(c, &b, true))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "disabled"))
            disabled = json_read_bool(&b.r);
        else if (rest_key_is(&b, "owner"))
            owner = json_read_bool(&b.r);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    identity_disable(c->rest->lobby, a, disabled);
    rest_log_agent(c, disabled ? "agent.disabled" : "agent.enabled", a);
    if (owner)
        disable_owned(c, a, disabled);
    write_found(c, a, NULL);
}

void rest_admin_key(struct rest_call *c)
{
    char key[IDENTITY_KEY + 1];
    struct lobby_agent *a = find_agent(c);
    if (!a || !rest_skip_body(c))
        return;
    if (lobby_agent_record(a)->kind != STORE_CLIENT) {
        rest_fail(c, 409, "only agents that connect by themselves have keys");
        return;
    }
    identity_rotate_key(c->rest->lobby, a, key);
    rest_log_agent(c, "agent.key_rotated", a);
    write_found(c, a, key);
}

// --- the server

static void set_drain(struct rest_call *c, bool on)
{
    struct log_line l;
    lobby_drain(c->rest->lobby, on, c->now_ms);
    log_begin(&l, LOG_LEVEL_INFO, on ? "server.draining" : "server.resumed");
    log_end(&l);
    json_begin_object(&c->out);
    json_put_bool(&c->out, "draining", on);
    json_end_object(&c->out);
}

void rest_admin_drain(struct rest_call *c)
{
    if (rest_skip_body(c))
        set_drain(c, true);
}

void rest_admin_resume(struct rest_call *c)
{
    if (rest_skip_body(c))
        set_drain(c, false);
}

void rest_admin_stats(struct rest_call *c)
{
    struct lobby_figures f;
    struct store_counts n;
    struct text *t = &c->out;
    lobby_figures_of_all(c->rest->lobby, &f);
    store_count(c->rest->store, &n);
    json_begin_object(t);
    json_put_text(t, "version", AGON_VERSION);
    json_put_bool(t, "draining", lobby_is_draining(c->rest->lobby));
    json_put_bool(t, "has_room", store_has_room(c->rest->store));
    json_put_uint(t, "agents", n.agents);
    json_put_uint(t, "agents_online", f.agents_online);
    json_put_uint(t, "queued", f.queued);
    json_put_uint(t, "spectators", f.spectators);
    json_put_uint(t, "matches", n.matches);
    json_put_uint(t, "matches_active", f.matches_active);
    json_put_uint(t, "matches_begun", f.matches_begun);
    json_put_uint(t, "matches_finished", f.matches_finished);
    json_put_uint(t, "matches_cancelled", f.matches_cancelled);
    json_put_uint(t, "actions", f.actions);
    json_put_uint(t, "actions_stored", n.actions);
    json_put_uint(t, "fallbacks", f.fallbacks);
    json_put_uint(t, "strikes", f.strikes);
    json_put_uint(t, "drops", f.drops);
    json_put_uint(t, "bytes", n.bytes);
    json_end_object(t);
}

// The operator may see who plays where.
void rest_admin_matches(struct rest_call *c)
{
    struct uuid ids[256];
    struct store_match m;
    struct rest_page all = {.limit = 256};
    struct text *t = &c->out;
    int total, count = store_list_running(c->rest->store, ids, 256, &total);
    json_begin_object(t);
    json_begin_array_at(t, "matches");
    for (int i = 0; i < count; i++) {
        if (!store_find_match(c->rest->store, ids[i], &m))
            continue;
        json_begin_object(t);
        uuid_put(t, "id", m.id);
        json_put_text(t, "game", m.game);
        json_put_text(t, "mode", m.mode);
        json_begin_array_at(t, "players");
        for (int s = 0; s < m.seats; s++) {
            json_begin_object(t);
            json_put_text(t, "player_id", dialect_pids[s]);
            uuid_put(t, "agent_id", m.seat[s].agent);
            json_put_text(t, "agent_name", m.seat[s].name);
            json_end_object(t);
        }
        json_end_array(t);
        rfc3339_put(t, "started_at", m.started_ms);
        json_end_object(t);
    }
    json_end_array(t);
    rest_put_page(t, count, total, &all);
    json_end_object(t);
}

void rest_admin_cancel(struct rest_call *c)
{
    struct uuid id;
    struct store_match m;
    if (!rest_read_id(c, &id, "match") || !rest_skip_body(c))
        return;
    int err = lobby_cancel_match(c->rest->lobby, id, c->now_ms);
    if (err == OK)
        text_puts(&c->out, "{\"status\":\"cancelled\"}");
    else if (err == ERR_STORAGE)
        rest_fail(c, 503, "the data cannot be written");
    else if (store_find_match(c->rest->store, id, &m))
        rest_fail(c, 409, "this match is over");
    else
        rest_fail(c, 404, "unknown match");
}

// The server chooses the name: a client cannot choose a path.
void rest_admin_backup(struct rest_call *c)
{
    const char *folder = c->rest->options.backup_folder;
    char path[4096], why[256], stamp[32];
    struct log_line l;
    time_t seconds = (time_t)(c->now_ms / 1000);
    struct tm utc;
    if (!rest_skip_body(c))
        return;
    if (!folder) {
        rest_fail(c, 404, "no folder for backups is configured");
        return;
    }
    gmtime_r(&seconds, &utc);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &utc);
    snprintf(path, sizeof path, "%s/agon-%s-%03d.backup", folder, stamp, (int)(c->now_ms % 1000));
    mkdir(folder, 0700); // for its owner only; an existing folder stays as it is
    if (store_backup(c->rest->store, path, why, sizeof why) != OK) {
        rest_fail(c, 500, "%s", why);
        return;
    }
    log_begin(&l, LOG_LEVEL_INFO, "server.backup");
    log_put_text(&l, "path", path);
    log_end(&l);
    json_begin_object(&c->out);
    json_put_text(&c->out, "path", path);
    json_end_object(&c->out);
}
