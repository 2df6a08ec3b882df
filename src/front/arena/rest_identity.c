// Agents and their records over REST (F5.4).
#include "front/arena/rest_internal.h"
#include "lobby/identity.h"

#include <stdio.h>

static void put_url(struct rest_call *c, const char *key, const char *path, const char *token)
{
    char url[512];
    struct text t = text_on(url, sizeof url);
    rest_write_base(c, &t, false);
    text_puts(&t, path);
    text_puts(&t, token);
    json_put_string(&c->out, key, text_span(&t));
}

static const char *identity_status(const struct store_agent *a)
{
    return a->claimed ? "official" : "bootstrap";
}

// --- register

static void write_registered(struct rest_call *c, const struct store_agent *a, const char *key, const char *token)
{
    struct text *t = &c->out;
    json_begin_object(t);
    json_begin_object_at(t, "agent");
    uuid_put(t, "id", a->id);
    json_put_text(t, "name", a->name);
    json_put_text(t, "api_key", key);
    json_put_bool(t, "auto_confirm", a->auto_confirm);
    rest_put_public_no(t, a, true);
    json_put_text(t, "identity_status", identity_status(a));
    json_put_text(t, "model", a->model);
    json_end_object(t);
    put_url(c, "claim_url", "/claim/", token);
    json_put_text(t, "claim_token", token);
    json_put_text(t, "important",
                  "Keep api_key and claim_token now: they are shown once, and the server keeps only their hashes.");
    json_end_object(t);
}

// The agent whose key the request has belongs to the same owner: uses its first ancestor, or itself (F7.2).
static struct uuid find_parent(const struct rest_call *c)
{
    struct span key = http_header(c->r, "X-API-Key");
    struct lobby_agent *a = key.size ? lobby_agent_by_key(c->rest->lobby, key) : NULL;
    if (!a)
        return (struct uuid){0};
    const struct store_agent *record = lobby_agent_record(a);
    return uuid_is_none(record->lineage) ? record->id : record->lineage;
}

void rest_register(struct rest_call *c)
{
    char name[REST_TEXT], suggested[REST_TEXT], model[REST_TEXT], description[2 * REST_TEXT], why[IDENTITY_ERROR_ROOM],
        key[IDENTITY_KEY + 1], token[IDENTITY_TOKEN + 1];
    struct identity_new n = {.device_id = http_header(c->r, "X-Device-Id"),
                             .client_kind = http_header(c->r, "X-AIFight-Client-Kind"),
                             .games = "",
                             // F7.2: compared later with the addresses of connections; people at this machine would all
                             // be one owner.
                             .origin = rest_is_local(c) ? "" : c->client.address,
                             .parent = find_parent(c)};
    struct span other = {0};
    struct rest_body b;
    if (!rest_open_body(c, &b, false))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "name"))
            n.name = rest_read_text(&b, name, sizeof name);
        else if (rest_key_is(&b, "suggested_name") && !json_read_if_null(&b.r))
            other = rest_read_text(&b, suggested, sizeof suggested);
        else if (rest_key_is(&b, "model") && !json_read_if_null(&b.r))
            n.model = rest_read_text(&b, model, sizeof model);
        else if (rest_key_is(&b, "description") && !json_read_if_null(&b.r))
            n.description = rest_read_text(&b, description, sizeof description);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    if (!n.name.size)
        n.name = other;
    struct lobby_agent *a;
    int status = identity_register(c->rest->lobby, &n, c->now_ms, &a, key, token, why);
    if (status != 201) {
        rest_fail(c, status, "%s", why);
        return;
    }
    rest_log_agent(c, "agent.registered", a);
    write_registered(c, lobby_agent_record(a), key, token);
}

// --- guests

void rest_make_guest(struct rest_call *c)
{
    char text[REST_TEXT], why[IDENTITY_ERROR_ROOM], key[IDENTITY_KEY + 1];
    struct span name = {0};
    struct rest_body b;
    if (!rest_open_body(c, &b, true))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "name") && !json_read_if_null(&b.r))
            name = rest_read_text(&b, text, sizeof text);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    struct lobby_agent *a;
    int status = identity_register_guest(c->rest->lobby, name, rest_is_local(c) ? "" : c->client.address, c->now_ms, &a,
                                         key, why);
    if (status != 201) {
        rest_fail(c, status, "%s", why);
        return;
    }
    rest_log_agent(c, "agent.guest", a);
    json_begin_object(&c->out);
    json_begin_object_at(&c->out, "agent");
    uuid_put(&c->out, "id", lobby_agent_record(a)->id);
    json_put_text(&c->out, "name", lobby_agent_record(a)->name);
    json_put_text(&c->out, "api_key", key);
    json_put_text(&c->out, "kind", "guest");
    json_end_object(&c->out);
    json_end_object(&c->out);
}

void rest_delete_me(struct rest_call *c)
{
    char why[IDENTITY_ERROR_ROOM];
    if (!rest_skip_body(c))
        return;
    int status = identity_remove(c->rest->lobby, c->agent, c->now_ms, why);
    if (status != 200) {
        rest_fail(c, status, "%s", why);
        return;
    }
    challenges_cancel_of(c->rest->challenges, c->agent);
    if (c->rest->options.tournaments)
        tournaments_drop_agent(c->rest->options.tournaments, lobby_agent_record(c->agent)->id);
    rest_log_agent(c, "agent.deleted", c->agent);
    text_puts(&c->out, "{\"status\":\"ok\"}");
}

// --- pair

void rest_pair(struct rest_call *c)
{
    char code[64], why[IDENTITY_ERROR_ROOM], key[IDENTITY_KEY + 1], url[512];
    struct span given = {0};
    struct rest_body b;
    if (!rest_open_body(c, &b, false))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "pairing_code"))
            given = rest_read_text(&b, code, sizeof code);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    struct lobby_agent *a;
    int status = identity_pair(c->rest->lobby, given, http_header(c->r, "X-Device-Id"),
                               http_header(c->r, "X-AIFight-Client-Kind"), c->now_ms, &a, key, why);
    if (status != 200) {
        rest_fail(c, status, "%s", why);
        return;
    }
    rest_log_agent(c, "agent.paired", a);
    const struct store_agent *record = lobby_agent_record(a);
    struct text *t = &c->out, ws = text_on(url, sizeof url);
    rest_write_base(c, &ws, true);
    text_puts(&ws, "/api/ws");
    json_begin_object(t);
    json_begin_object_at(t, "agent");
    uuid_put(t, "id", record->id);
    json_put_text(t, "name", record->name);
    json_put_text(t, "api_key", key);
    json_put_text(t, "runtime_type", record->runtime_type);
    json_end_object(t);
    json_put_string(t, "ws_url", text_span(&ws));
    json_put_text(t, "message", "Paired. Keep api_key now: it is shown once.");
    json_end_object(t);
}

// --- status and presence

static void write_status(struct rest_call *c)
{
    const struct store_agent *a = lobby_agent_record(c->agent);
    const struct arena_rest_options *o = &c->rest->options;
    struct text *t = &c->out;
    bool pending =
        a->claimed && a->owner[0] &&
        (strcmp(a->terms_version, o->terms_version) != 0 || strcmp(a->privacy_version, o->privacy_version) != 0);
    json_begin_object(t);
    uuid_put(t, "agent_id", a->id);
    json_put_bool(t, "is_claimed", a->claimed);
    json_put_text(t, "identity_status", identity_status(a));
    json_put_text(t, "status", a->claimed ? "ready" : "pending_claim");
    json_put_text(t, "name", a->name);
    rest_put_public_no(t, a, false);
    json_put_bool(t, "terms_pending", pending);
    json_put_int(t, "games_today", lobby_games_today(c->rest->lobby, c->agent, c->now_ms));
    json_put_int(t, "max_games_per_day", a->max_games_per_day);
    json_put_int(t, "max_games_per_hour", a->max_games_per_hour);
    json_put_int(t, "cooldown_seconds", a->cooldown_seconds);
    json_put_text(t, "current_terms_version", o->terms_version);
    json_put_text(t, "current_privacy_version", o->privacy_version);
    if (!a->claimed)
        put_url(c, "claim_url_hint", "/claim/", "<token saved at registration>");
    json_end_object(t);
}

void rest_status(struct rest_call *c)
{
    write_status(c);
}

// F5.12: the oldest clients send their own id.
void rest_own_status(struct rest_call *c)
{
    struct uuid id;
    if (!rest_read_id(c, &id, "agent"))
        return;
    if (!uuid_equals(id, lobby_agent_record(c->agent)->id))
        rest_fail(c, 403, "an agent can read only its own status");
    else
        write_status(c);
}

void rest_presence(struct rest_call *c)
{
    struct span instance = http_header(c->r, "X-AIFight-Instance");
    struct store_presence there;
    bool here = lobby_agent_is_online(c->agent);
    bool elsewhere = !here && store_find_presence(c->rest->store, lobby_agent_record(c->agent)->id, &there);
    const char *known = here ? lobby_agent_instance(c->agent) : elsewhere ? there.instance : "";
    json_begin_object(&c->out);
    json_put_bool(&c->out, "connected", here || elsewhere);
    json_put_bool(&c->out, "instance_matches", (here || elsewhere) && instance.size && span_is(instance, known));
    json_end_object(&c->out);
}

// --- policy and name

// Converts ["this","that"] to "this,that"; keeps a name that is no game for the refusal.
static void read_games(struct rest_body *b, char out[96], char unknown[64])
{
    struct text t = text_on(out, 95);
    struct rest_call *c = b->call;
    char name[64];
    for (json_enter_array(&b->r); json_next_item(&b->r);) {
        struct span word = rest_read_text(b, name, sizeof name);
        const struct lobby_game *g = lobby_find_game(c->rest->lobby, word);
        if (b->r.error != OK)
            return;
        if (!g || !rest_may_name(c, g)) {
            snprintf(unknown, 64, "%s", word.size ? name : "without a name");
            continue;
        }
        if (t.size && memmem(t.at, t.size, word.at, word.size))
            continue; // named twice; no game's name is part of another's
        if (t.size)
            text_put_char(&t, ',');
        text_put(&t, word);
    }
    out[t.size] = 0;
}

static bool read_policy(struct rest_body *b, struct identity_policy *p, char *model, char unknown[64])
{
    const struct {
        const char *name;
        bool *has;
        int64_t *number;
        bool *flag;
    } fields[] = {
        {"max_games_per_day", &p->has_day, &p->day, NULL},
        {"max_games_per_hour", &p->has_hour, &p->hour, NULL},
        {"cooldown_seconds", &p->has_cooldown, &p->cooldown, NULL},
        {"max_concurrent", &p->has_concurrent, &p->concurrent, NULL},
        {"auto_requeue", &p->has_auto_requeue, NULL, &p->auto_requeue},
        {"auto_confirm", &p->has_auto_confirm, NULL, &p->auto_confirm},
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!rest_key_is(b, fields[i].name))
            continue;
        *fields[i].has = true;
        if (fields[i].number)
            *fields[i].number = json_read_int(&b->r, INT32_MIN, INT32_MAX);
        else
            *fields[i].flag = json_read_bool(&b->r);
        return true;
    }
    if (rest_key_is(b, "declared_model")) {
        p->has_model = true;
        p->model = rest_read_text(b, model, REST_TEXT);
        return true;
    }
    if (rest_key_is(b, "standby_games")) {
        p->has_standby = true;
        read_games(b, p->standby, unknown);
        return true;
    }
    return false;
}

static void write_policy(struct text *t, const struct store_agent *a)
{
    json_begin_object(t);
    json_begin_object_at(t, "policy");
    json_put_text(t, "declared_model", a->model);
    json_begin_array_at(t, "standby_games");
    for (const char *at = a->standby; *at;) {
        struct span word = {at, strcspn(at, ",")};
        json_write_string(t, word);
        at += word.size + (at[word.size] == ',');
    }
    json_end_array(t);
    json_put_bool(t, "auto_requeue", a->auto_requeue);
    json_put_int(t, "max_games_per_day", a->max_games_per_day);
    json_put_int(t, "max_games_per_hour", a->max_games_per_hour);
    json_put_int(t, "cooldown_seconds", a->cooldown_seconds);
    json_put_bool(t, "auto_confirm", a->auto_confirm);
    json_put_int(t, "max_concurrent", a->max_concurrent);
    json_end_object(t);
    json_end_object(t);
}

void rest_set_policy(struct rest_call *c)
{
    struct identity_policy p = {0};
    char model[REST_TEXT], unknown[64] = "", why[IDENTITY_ERROR_ROOM];
    struct rest_body b;
    if (!rest_open_body(c, &b, true))
        return;
    while (rest_next_key(&b))
        if (!read_policy(&b, &p, model, unknown))
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    if (unknown[0]) {
        rest_fail(c, 400, "unknown game %s", unknown);
        return;
    }
    int status = identity_set_policy(c->rest->lobby, c->agent, &p, c->now_ms, why);
    if (status != 200)
        rest_fail(c, status, "%s", why);
    else
        write_policy(&c->out, lobby_agent_record(c->agent));
}

void rest_rename(struct rest_call *c)
{
    char text[REST_TEXT], why[IDENTITY_ERROR_ROOM], wait[32];
    struct span name = {0};
    struct rest_body b;
    int64_t cooldown = c->rest->options.rename_cooldown_ms;
    if (!rest_open_body(c, &b, false))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "name"))
            name = rest_read_text(&b, text, sizeof text);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    int status = identity_rename(c->rest->lobby, c->agent, name, cooldown, c->now_ms, why);
    const struct store_agent *a = lobby_agent_record(c->agent);
    if (status == 429) {
        snprintf(wait, sizeof wait, "%lld", (long long)((cooldown - (c->now_ms - a->renamed_ms) + 999) / 1000));
        http_add_header(c->r, "Retry-After", wait);
    }
    if (status != 200) {
        rest_fail(c, status, "%s", why);
        return;
    }
    json_begin_object(&c->out);
    json_put_text(&c->out, "name", a->name);
    rest_put_public_no(&c->out, a, false);
    json_end_object(&c->out);
}

// --- terms and claims

struct consent {
    char terms[REST_TEXT], privacy[REST_TEXT];
    bool accepted;
};

static bool read_consent(struct rest_body *b, struct consent *s)
{
    if (rest_key_is(b, "terms_version"))
        rest_read_text(b, s->terms, sizeof s->terms);
    else if (rest_key_is(b, "privacy_version"))
        rest_read_text(b, s->privacy, sizeof s->privacy);
    else if (rest_key_is(b, "terms_accepted"))
        s->accepted = json_read_bool(&b->r);
    else
        return false;
    return true;
}

static bool is_current(struct rest_call *c, const struct consent *s)
{
    const struct arena_rest_options *o = &c->rest->options;
    if (strcmp(s->terms, o->terms_version) == 0 && strcmp(s->privacy, o->privacy_version) == 0)
        return true;
    rest_fail(c, 400, "not current: terms_version is %s, privacy_version is %s", o->terms_version, o->privacy_version);
    return false;
}

void rest_accept_legal(struct rest_call *c)
{
    struct consent s = {.accepted = true};
    struct rest_body b;
    if (!rest_open_body(c, &b, false))
        return;
    while (rest_next_key(&b))
        if (!read_consent(&b, &s))
            json_skip(&b.r);
    if (!rest_close_body(&b) || !is_current(c, &s))
        return;
    struct store_agent *a = lobby_agent_edit(c->agent);
    snprintf(a->terms_version, sizeof a->terms_version, "%.15s", s.terms);
    snprintf(a->privacy_version, sizeof a->privacy_version, "%.15s", s.privacy);
    lobby_agent_save(c->rest->lobby, c->agent);
    text_puts(&c->out, "{\"status\":\"ok\"}");
}

static void write_claim(struct rest_call *c, const char *email, const char *verify)
{
    struct text *t = &c->out;
    char message[512];
    snprintf(message, sizeof message,
             verify[0] ? "This server sends no mail: open /api/auth/verify?token=DEV_TOKEN to claim the agent for %s."
                       : "Noted for %s; the operator of this server approves the agent.",
             email);
    json_begin_object(t);
    json_put_text(t, "status", "email_sent");
    json_put_text(t, "message", message);
    if (verify[0])
        json_put_text(t, "dev_token", verify);
    json_end_object(t);
}

void rest_claim(struct rest_call *c)
{
    struct consent s = {0};
    char token[REST_TEXT], email[REST_TEXT], verify[IDENTITY_TOKEN + 1], why[IDENTITY_ERROR_ROOM];
    struct span given = {0}, owner = {0};
    struct rest_body b;
    if (!rest_open_body(c, &b, false))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "claim_token"))
            given = rest_read_text(&b, token, sizeof token);
        else if (rest_key_is(&b, "email"))
            owner = rest_read_text(&b, email, sizeof email);
        else if (!read_consent(&b, &s))
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    if (!s.accepted) {
        rest_fail(c, 400, "terms_accepted must be true");
        return;
    }
    if (!is_current(c, &s))
        return;
    int status = identity_claim(c->rest->lobby, given, owner, c->now_ms, verify, why);
    if (status != 200)
        rest_fail(c, status, "%s", why);
    else
        write_claim(c, email, verify);
}

void rest_verify(struct rest_call *c)
{
    char token[IDENTITY_TOKEN + 1] = "", why[IDENTITY_ERROR_ROOM];
    struct lobby_agent *a;
    http_query(c->r, "token", token, sizeof token);
    int status = identity_verify(c->rest->lobby, span_of(token), c->now_ms, &a, why);
    if (status != 200) {
        rest_fail(c, status, "%s", why);
        return;
    }
    rest_log_agent(c, "agent.claimed", a);
    json_begin_object(&c->out);
    json_put_text(&c->out, "status", "claimed");
    uuid_put(&c->out, "agent_id", lobby_agent_record(a)->id);
    json_end_object(&c->out);
}

// --- for the public client

void rest_bridge_version(struct rest_call *c)
{
    const struct arena_rest_options *o = &c->rest->options;
    json_begin_object(&c->out);
    json_put_text(&c->out, "minimum_supported_version", o->bridge_minimum);
    json_put_text(&c->out, "recommended_version", o->bridge_recommended);
    json_put_text(&c->out, "latest_version", o->bridge_latest);
    if (o->bridge_update)
        json_put_text(&c->out, "update_command", o->bridge_update);
    json_end_object(&c->out);
}

void rest_console_token(struct rest_call *c)
{
    rest_fail(c, 404, "there is no dashboard here");
}

// There are no pictures here, so removing one always succeeds.
void rest_set_avatar(struct rest_call *c)
{
    char kind[REST_TEXT] = "";
    struct rest_body b;
    if (!rest_open_body(c, &b, false))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "kind"))
            rest_read_text(&b, kind, sizeof kind);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    if (strcmp(kind, "none") != 0)
        rest_fail(c, 400, "this server stores no pictures; the only accepted kind is none");
    else
        text_puts(&c->out, "{\"status\":\"ok\"}");
}

void rest_drop_avatar(struct rest_call *c)
{
    text_puts(&c->out, "{\"status\":\"ok\"}");
}

void rest_upload_avatar(struct rest_call *c)
{
    rest_fail(c, 415, "this server stores no pictures");
}
