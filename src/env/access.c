// Owners and secrets of shared tables. The client that names a new table owns it; only the owner's connections get
// capabilities, choose seeds and load trajectories. A connection proves that it is the owner's by the owner secret, and
// that it was invited by the join secret, if the owner set one. Ownership is not inherited: after the owner has left,
// there is none until a connection gives the owner secret.
#include "env/access.h"
#include "crypto/crypto.h"
#include "env/host.h"
#include "env/schema.h"

#include <stdio.h>
#include <stdlib.h>

// Of a join secret, by a connection and at a table, as others may come with many connections (decision 013).
enum { CONN_GUESSES = 5, MINUTE_GUESSES = 60, MINUTE_US = 60000000, SECRET_BYTES = 16 };

struct env_pass {
    struct env_pass *next;
    const struct env_conn *conn;
    bool owner;
};

void env_entropy(const struct env *env, void *out, size_t size)
{
    if (env->o.entropy)
        env->o.entropy(env->o.entropy_owner, out, size);
    else
        crypto_random(out, size);
}

// --- passes

static struct env_pass *pass_of(const struct env_group *g, const struct env_conn *c)
{
    struct env_pass *p = g->passes;
    while (p && p->conn != c)
        p = p->next;
    return p;
}

static struct env_pass *give_pass(struct env_conn *c)
{
    struct env_group *g = c->group;
    struct env_pass *p = pass_of(g, c);
    if (p)
        return p;
    p = calloc(1, sizeof *p);
    if (!p)
        abort();
    *p = (struct env_pass){.next = g->passes, .conn = c};
    g->passes = p;
    return p;
}

bool env_is_owner(const struct env_conn *c)
{
    const struct env_pass *p = pass_of(c->group, c);
    return !c->group->shared || (p && p->owner);
}

bool env_is_admitted(const struct env_conn *c)
{
    return !c->group->join_secret[0] || pass_of(c->group, c);
}

bool env_has_owner(const struct env_group *g)
{
    for (const struct env_pass *p = g->passes; p; p = p->next)
        if (p->owner)
            return true;
    return false;
}

static void make_secret(const struct env *env, char out[ENV_SECRET_ROOM])
{
    uint8_t bytes[SECRET_BYTES];
    struct text t = text_on(out, ENV_SECRET_ROOM);
    env_entropy(env, bytes, sizeof bytes);
    text_put_hex_bytes(&t, bytes, sizeof bytes);
    text_put_char(&t, 0);
}

void env_access_make_owner(struct env_conn *c)
{
    if (!c->group->shared)
        return;
    make_secret(c->env, c->group->owner_secret);
    give_pass(c)->owner = true;
}

void env_access_leave(struct env_group *g, const struct env_conn *c)
{
    struct env_pass **at = &g->passes;
    while (*at && (*at)->conn != c)
        at = &(*at)->next;
    struct env_pass *gone = *at;
    if (gone)
        *at = gone->next;
    free(gone);
}

void env_access_release(struct env_group *g)
{
    while (g->passes)
        env_access_leave(g, g->passes->conn);
}

// --- refusals

bool env_refuse_not_owner(struct env *env, const char *what, struct env_result *r)
{
    *r = env_refuse_because(env, -32001, "InvalidAction", "Only the owner of a shared table may %s.", what);
    env_refusal_put(env, r, "reason", "owner");
    return false;
}

bool env_refuse_without_secret(struct env *env, struct env_result *r)
{
    *r = env_refuse(env, -32001, "InvalidAction",
                    "This table needs its join secret; register an agent with config.join_secret.");
    env_refusal_put(env, r, "reason", "join_secret");
    return false;
}

static bool refuse_guesses(struct env *env, int limit, int64_t retry_us, struct env_result *r)
{
    *r = env_refuse(env, -32004, "RateLimited", "Too many wrong secrets were given; try again later.");
    env_refusal_int(env, r, "limit", limit);
    if (retry_us >= 0)
        env_refusal_int(env, r, "retry_after_ms", (retry_us + 999) / 1000);
    return false;
}

// --- secrets

// In constant time, for any length.
static bool is_secret(const char *secret, struct span given)
{
    uint8_t digest[2][CRYPTO_SHA256_BYTES];
    char text[ENV_SECRET_ROOM];
    int size = env_json_is(given, JSON_STRING) ? json_string_copy(env_json_string(given), text, sizeof text) : -1;
    crypto_sha256(digest[0], secret, strlen(secret));
    crypto_sha256(digest[1], text, size < 0 ? 0 : (size_t)size);
    return crypto_equal(digest[0], digest[1], sizeof digest[0]) && secret[0];
}

// A connection has few guesses, and all connections together have few per minute. Beyond that a right secret is refused
// too, otherwise the refusals would tell which one is right.
static bool check_secret(struct env_conn *c, const char *secret, struct span given, const char *path,
                         const char *expected, const char *reason, struct env_result *r)
{
    struct env_group *g = c->group;
    int64_t now = c->env->now_us;
    if (c->wrong_secrets >= CONN_GUESSES)
        return refuse_guesses(c->env, CONN_GUESSES, -1, r);
    if (now - g->wrong_us >= MINUTE_US) {
        g->wrong_us = now;
        g->wrong_secrets = 0;
    }
    if (g->wrong_secrets >= MINUTE_GUESSES)
        return refuse_guesses(c->env, MINUTE_GUESSES, g->wrong_us + MINUTE_US - now, r);
    if (is_secret(secret, given))
        return true;
    c->wrong_secrets++;
    g->wrong_secrets++;
    *r = env_bad(c->env, path, expected, reason);
    return false;
}

// --- registrations

static bool read_join_secret(struct env_conn *c, struct span given, struct env_access_request *request,
                             struct env_result *r)
{
    const struct env_group *g = c->group;
    request->sets = true;
    if (env_json_is(given, JSON_STRING)) {
        if (json_string_copy(env_json_string(given), request->join, sizeof request->join) >= ENV_SECRET_LEAST)
            return true;
        *r = env_bad(c->env, "/config/join_secret", "12 to 64 bytes of text", NULL);
        return false;
    }
    if (span_is(given, "true") && g->join_secret[0])
        request->sets = false; // it stays
    else if (span_is(given, "true"))
        make_secret(c->env, request->join);
    return true;
}

bool env_access_check(struct env_conn *c, struct span config, struct env_access_request *request, struct env_result *r)
{
    const struct env_group *g = c->group;
    struct span owner, join;
    bool has_owner = json_find_member(config, "owner_secret", &owner);
    bool has_join = json_find_member(config, "join_secret", &join);
    *request = (struct env_access_request){.owner = env_is_owner(c)};
    if (!g->shared) {
        if (!has_owner && !has_join)
            return true;
        *r = env_bad(c->env, has_owner ? "/config/owner_secret" : "/config/join_secret",
                     "no secret: this table has no name and nobody can join it", "table");
        return false;
    }
    if (has_owner && !check_secret(c, g->owner_secret, owner, "/config/owner_secret", "the owner secret of this table",
                                   "owner_secret", r))
        return false;
    request->owner |= has_owner;
    if (request->owner)
        return !has_join || read_join_secret(c, join, request, r);
    if (has_join && !env_json_is(join, JSON_STRING))
        return env_refuse_not_owner(c->env, "set a join secret", r);
    if (env_is_admitted(c))
        return true;
    if (has_join)
        return check_secret(c, g->join_secret, join, "/config/join_secret", "the join secret of this table",
                            "join_secret", r);
    return env_refuse_without_secret(c->env, r);
}

void env_access_apply(struct env_conn *c, const struct env_access_request *request)
{
    if (!c->group->shared)
        return;
    give_pass(c)->owner |= request->owner;
    if (request->sets)
        memcpy(c->group->join_secret, request->join, sizeof request->join);
}

void env_put_owner(struct text *t, const struct env_conn *c)
{
    const struct env_group *g = c->group;
    if (!g->shared)
        return;
    json_put_text(t, "table", g->name);
    json_put_bool(t, "owner", env_is_owner(c));
    if (!env_is_owner(c))
        return;
    json_put_text(t, "owner_secret", g->owner_secret);
    if (g->join_secret[0])
        json_put_text(t, "join_secret", g->join_secret);
}
