// Shared by the handlers: parsing bodies and pages, writing common parts of replies.
#include "front/arena/game_over.h"
#include "front/arena/rest_internal.h"

#include "base/hash.h"
#include "net/http_grammar.h"
#include "net/log.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 1000000000 }; // of `from`: with a limit added it still fits into an int

// --- errors before routing (F5.2)

void arena_rest_refuse(int status, struct text *body)
{
    static const struct {
        int status;
        const char *why;
    } rows[] = {
        {405, "unknown HTTP method"},
        {408, "the request took too long to arrive"},
        {413, "the body is too large"},
        {414, "the address is too long"},
        {429, "too many connections from this address; close some"},
        {431, "the head of a request has at most 16384 bytes"}, // F5.1
        {501, "unknown method"},
        {503, "the server is busy; try again"},
        {505, "this server supports HTTP/1.1"},
    };
    const char *why = "the request is not valid HTTP/1.1";
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status)
            why = rows[i].why;
    json_begin_object(body);
    json_put_text(body, "error", why);
    json_end_object(body);
}

// --- bodies

// "application/json", with or without parameters; also assumed if the request has no type.
static bool is_json(struct span type)
{
    static const char name[] = "application/json";
    size_t size = sizeof name - 1;
    if (type.size == 0)
        return true;
    return type.size >= size && strncasecmp(type.at, name, size) == 0 &&
           (type.size == size || type.at[size] == ';' || type.at[size] == ' ');
}

bool rest_open_body(struct rest_call *c, struct rest_body *b, bool may_be_empty)
{
    struct span body = http_body(c->r);
    if (body.size > REST_MAX_BODY) {
        rest_fail(c, 413, "a body has at most %d bytes", REST_MAX_BODY);
        return false;
    }
    if (body.size && !is_json(http_header(c->r, "Content-Type"))) {
        rest_fail(c, 415, "send application/json");
        return false;
    }
    if (body.size == 0 && may_be_empty)
        body = SPAN("{}");
    // Spans read from it are valid as long as the request keeps its body.
    *b = (struct rest_body){.call = c, .r = json_reader_of(body, REST_DEPTH)};
    json_enter_object(&b->r);
    return true;
}

// An error since the last key was in its value.
static void note_fault(struct rest_body *b)
{
    // A text that is no JSON is the fault of no member.
    if (b->r.error != OK && b->r.error != ERR_JSON && !b->bad[0] && b->key.raw.size &&
        json_string_copy(b->key, b->bad, sizeof b->bad) < 0)
        b->bad[0] = 0;
}

bool rest_next_key(struct rest_body *b)
{
    note_fault(b);
    return json_next_key(&b->r, &b->key);
}

bool rest_key_is(const struct rest_body *b, const char *name)
{
    return json_string_is(b->key, name);
}

struct span rest_read_text(struct rest_body *b, char *out, size_t room)
{
    struct json_string s = json_read_string(&b->r);
    int size = b->r.error == OK ? json_string_copy(s, out, room) : 0;
    if (size < 0)
        json_fail(&b->r, ERR_TOO_LONG);
    return (struct span){out, size > 0 ? (size_t)size : 0};
}

int64_t rest_read_number(struct rest_body *b, int64_t least, int64_t most)
{
    int64_t value = json_read_int(&b->r, least, most);
    if (b->r.error == ERR_RANGE || b->r.error == ERR_TYPE) {
        b->least = least;
        b->most = most;
    }
    return value;
}

bool rest_close_body(struct rest_body *b)
{
    note_fault(b);
    int err = json_finish(&b->r);
    if (err == OK)
        return true;
    if (b->bad[0] && b->most)
        rest_fail(b->call, 400, "%s: a whole number from %jd to %jd is expected", b->bad, (intmax_t)b->least,
                  (intmax_t)b->most);
    else if (b->bad[0])
        rest_fail(b->call, 400, "%s: %s", b->bad, err_sentence(err));
    else
        rest_fail(b->call, 400, "the body must be a JSON object: %s", err_sentence(err));
    return false;
}

bool rest_skip_body(struct rest_call *c)
{
    struct rest_body b;
    if (!rest_open_body(c, &b, true))
        return false;
    while (rest_next_key(&b))
        json_skip(&b.r);
    return rest_close_body(&b);
}

// --- pages (F5.9)

// A whole number, limited to `most`; -1 if it is none.
static int read_number(const char *s, int most)
{
    int64_t value = 0;
    if (!*s)
        return -1;
    for (; *s; s++) {
        if (*s < '0' || *s > '9')
            return -1;
        // F5.9: cut to `most` at every digit, so a long number cannot overflow.
        value = value * 10 + (*s - '0');
        if (value > most)
            value = most;
    }
    return (int)value;
}

// A value too long for any valid number is refused.
static int read_query(const struct rest_call *c, const char *name, int most)
{
    char word[64];
    return http_query(c->r, name, word, sizeof word) ? read_number(word, most) : -1;
}

bool rest_read_page(struct rest_call *c, int usual, int most, struct rest_page *p)
{
    *p = (struct rest_page){.limit = usual};
    if (http_has_query(c->r, "limit") && (p->limit = read_query(c, "limit", most)) < 1) {
        rest_fail(c, 400, "limit must be a whole number from 1 to %d", most);
        return false;
    }
    if (http_has_query(c->r, "from") && (p->from = read_query(c, "from", MOST_ROWS)) < 0) {
        rest_fail(c, 400, "from must be a whole number, 0 or more");
        return false;
    }
    return true;
}

void rest_put_page(struct text *t, int count, int total, const struct rest_page *p)
{
    json_put_int(t, "count", count);
    json_put_int(t, "total", total);
    json_put_bool(t, "has_more", count > 0 && (int64_t)p->from + count < total);
}

// --- words in requests

bool rest_may_name(const struct rest_call *c, const struct lobby_game *g)
{
    char query[256];
    const char *game = g->codec->game->name;
    return !g->gated || http_list_has(http_header(c->r, "X-AIFight-Capabilities"), game) ||
           (http_query(c->r, "capabilities", query, sizeof query) && http_list_has(span_of(query), game));
}

const struct lobby_game *rest_find_game(struct rest_call *c, struct span name, int status)
{
    const struct lobby_game *g = lobby_find_game(c->rest->lobby, name);
    if (g && rest_may_name(c, g))
        return g;
    rest_fail(c, status, "unknown game %.*s", (int)(name.size < 40 ? name.size : 40), name.at);
    return NULL;
}

bool rest_read_game(struct rest_call *c, char name[REST_GAME])
{
    name[0] = 0;
    if (!http_has_query(c->r, "game"))
        return true;
    if (http_query(c->r, "game", name, REST_GAME) && lobby_find_game(c->rest->lobby, span_of(name)))
        return true;
    rest_fail(c, 400, "unknown game %s", name);
    return false;
}

bool rest_read_id(struct rest_call *c, struct uuid *id, const char *what)
{
    if (uuid_parse(id, c->id))
        return true;
    rest_fail(c, 404, "unknown %s", what);
    return false;
}

// --- writing values

void rest_put_number(struct text *t, const char *key, double value)
{
    json_put_decimal(t, key, value, 6);
}

void rest_put_public_no(struct text *t, const struct store_agent *a, bool display)
{
    char text[16];
    json_put_uint(t, "public_no", a->public_no);
    if (!display)
        return;
    snprintf(text, sizeof text, "%03u-%03u-%04u", (unsigned)(a->public_no / 10000000 % 1000),
             (unsigned)(a->public_no / 10000 % 1000), (unsigned)(a->public_no % 10000));
    json_put_text(t, "public_no_display", text);
}

void rest_put_result(struct text *t, const struct store_match *m)
{
    json_begin_object_at(t, "result");
    game_over_write_result(t, m);
    json_end_object(t);
}

void rest_put_completed(struct text *t, const struct store_match *m)
{
    uuid_put(t, "id", m->replay);
    json_put_text(t, "game", m->game);
    json_put_text(t, "mode", m->mode);
    json_put_text(t, "status", "completed");
    game_over_write_players(t, m, true);
    rest_put_result(t, m);
}

void rest_put_replay_url(struct text *t, const char *key, const struct store_match *m)
{
    char url[16 + UUID_TEXT] = "/replay/";
    uuid_format(url + strlen(url), m->replay);
    json_put_text(t, key, url);
}

// The request's Host header, if it is a plain name with or without a port: the client chose it, and it is written into
// links.
static struct span host_of(const struct rest_call *c)
{
    struct span host = http_header(c->r, "Host");
    for (size_t i = 0; i < host.size; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]_", host.at[i]))
            host.size = 0;
    return host.size && host.size < 256 ? host : span_of(c->rest->options.address);
}

void rest_write_base(const struct rest_call *c, struct text *t, bool ws)
{
    const struct arena_rest_options *o = &c->rest->options;
    struct span url = o->public_url ? span_of(o->public_url) : (struct span){0};
    while (url.size && url.at[url.size - 1] == '/')
        url.size--;
    if (url.size > 4 && memcmp(url.at, "http", 4) == 0) {
        text_puts(t, ws ? "ws" : "http");
        text_put(t, (struct span){url.at + 4, url.size - 4}); // "s://host" or "://host"
        return;
    }
    text_puts(t, ws ? "ws" : "http");
    text_puts(t, o->tls ? "s://" : "://");
    text_put(t, host_of(c));
}

void rest_put_forfeit(struct text *t, const struct store_match *m)
{
    const char *reason = lobby_forfeit_name(m->forfeit_reason);
    if (!reason)
        return;
    json_put_text(t, "forfeit_reason", reason);
    if (m->forfeited_by >= 0)
        json_put_text(t, "forfeited_by", dialect_pids[m->forfeited_by]);
}

void rest_find_online(const struct rest_call *c, const struct uuid *agents, int count, bool *out)
{
    store_find_present(c->rest->store, agents, count, out);
    for (int i = 0; i < count; i++) {
        // Agents connected here are in memory.
        const struct lobby_agent *a = lobby_find_agent(c->rest->lobby, agents[i]);
        out[i] |= a && lobby_agent_is_online(a);
    }
}

bool rest_is_online(const struct rest_call *c, struct uuid agent)
{
    bool online;
    rest_find_online(c, &agent, 1, &online);
    return online;
}

void rest_end_line(struct arena_rest *rest, struct log_line *l)
{
    store_ticket ticket = lobby_ticket(rest->lobby);
    struct rest_line *later = l->on && ticket > rest->durable ? malloc(sizeof *later) : NULL;
    if (!later) {
        log_end(l);
        return;
    }
    *later = (struct rest_line){.ticket = ticket, .line = *l};
    // The copy's own buffer: the text pointed into the line on the caller's stack.
    later->line.t.at = later->line.bytes;
    STAILQ_INSERT_TAIL(&rest->lines, later, link);
}

void rest_log_agent(const struct rest_call *c, const char *event, const struct lobby_agent *a)
{
    char id[UUID_TEXT + 1];
    struct log_line l;
    uuid_format(id, lobby_agent_record(a)->id);
    log_begin(&l, LOG_LEVEL_INFO, event);
    log_put_text(&l, "id", id);
    log_put_text(&l, "address", c->client.address);
    rest_end_line(c->rest, &l);
}

void rest_tag_answer(struct rest_call *c)
{
    char tag[24];
    // Of the bytes themselves: whatever made them differ, the tag differs too.
    snprintf(tag, sizeof tag, "\"%016llx\"", (unsigned long long)hash_bytes(c->out.at, c->out.size));
    http_add_header(c->r, "ETag", tag);
    c->cache = "no-cache";
    if (!span_is(http_header(c->r, "If-None-Match"), tag))
        return;
    c->status = 304;
    c->type = NULL;
    c->out.size = 0;
}
