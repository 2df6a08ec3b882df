// Replies: observations, states and errors, in the form of the wire that the request came on.
#include "front/openenv/openenv_internal.h"

#include "codec/moves.h"
#include "heap/heap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const char json_type[] = "application/json";

void reply_begin(struct openenv *o)
{
    o->out.size = 0;
    o->out.full = false;
    text_put(&o->out, SPAN("\n\n\n\n\n\n\n\n\n\n\n\n\n\n")); // WS_FRONT; behind a line feed no comma is written
}

// O17: kept whether the peer is still there or not, because a client repeats exactly the request that it lost.
static void keep_answer(struct session *s, int status, struct span body)
{
    if (!s->request_id[0])
        return;
    memcpy(s->done_id, s->request_id, sizeof s->done_id);
    s->done_status = status;
    s->done_body.size = 0;
    text_put(&s->done_body, body);
    s->request_id[0] = 0;
}

static void send_http(struct session *s, int status, struct span body)
{
    struct http_request *r = s->request;
    bool has_id = s->request_id[0];
    keep_answer(s, status, body);
    s->request = NULL;
    s->under_way = false;
    if (!r)
        return;
    http_set_data(r, NULL);
    if (s->channel != ON_MCP)
        http_add_header(r, "X-OpenEnv-Session", s->id);
    if (has_id && s->channel != ON_MCP)
        http_add_header(r, "X-Request-Id", s->done_id);
    http_reply(r, status, json_type, body);
}

void reply_send(struct session *s, int status)
{
    struct openenv *o = s->host;
    assert(o->out.at && o->out.size >= WS_FRONT); // reply_begin
    struct span body = {o->out.at + WS_FRONT, o->out.size - WS_FRONT};
    s->pending = NOTHING;
    s->tool = false;
    if (s->channel == ON_HTTP_RESET || s->channel == ON_HTTP_STEP || s->channel == ON_MCP)
        send_http(s, status, body);
    else if (s->ws && !s->ending && s->channel != ON_CLOCK)
        ws_send_soon(s->ws, o->out.at + WS_FRONT, body.size);
    s->id_json.size = 0;
}

// --- observations

// O24: on /ws the same order must give the same bytes everywhere, so session ids are for HTTP alone.
static void put_metadata(struct text *t, const struct session *s, bool with_session)
{
    const struct table *b = s->table;
    json_begin_object_at(t, "metadata");
    json_put_text(t, "episode_id", s->episode_id);
    json_key(t, "seed");
    if (b && b->setup.has_seed)
        json_write_uint(t, b->setup.seed);
    else
        json_write_null(t);
    json_put_uint(t, "step", s->steps);
    if (s->warnings)
        json_put_raw(t, "warnings", span_of(s->warnings));
    if (with_session)
        json_put_text(t, "session_id", s->id);
    json_end_object(t);
}

// Reward and done beside the observation (O25), and the metadata again (O21).
static void put_result(struct text *t, const struct session *s, bool first, double reward, bool done)
{
    bool http = s->channel == ON_HTTP_RESET || s->channel == ON_HTTP_STEP;
    json_key(t, "reward");
    if (first)
        json_write_null(t);
    else
        json_write_decimal(t, reward, 9);
    json_put_bool(t, "done", done);
    put_metadata(t, s, http);
    json_end_object(t);
}

static void write_seen(struct text *t, struct session *s, enum pending kind, struct span error)
{
    struct table *b = s->table;
    struct episode *e = &b->episode;
    bool done = e->player[s->seat].done;
    struct episode_format how = {.first = s->is_new,
                                 .brief = s->options.text == OPENENV_BRIEF,
                                 .silent = s->options.text == OPENENV_OFF,
                                 .vector = s->options.vector,
                                 .waits = b->players > 1 && !done && !(episode_asked(e) & SEAT(s->seat)),
                                 .error = error};
    json_begin_object(t);
    json_begin_object_at(t, "observation");
    episode_write(t, e, s->seat, &how);
    put_metadata(t, s, false);
    json_end_object(t);
    put_result(t, s, kind == FIRST_OBSERVATION, episode_take_reward(e, s->seat), done);
    s->is_new = false;
}

// O52. All members of an observation, though there is no game to tell of yet: the schema requires them (O42).
static void write_missing(struct text *t, struct session *s, enum pending kind)
{
    const struct table *b = s->table;
    const struct game *g = s->game->kit->game;
    char words[96];
    int missing = b->players - __builtin_popcount(b->ready);
    snprintf(words, sizeof words, "Waiting for %d more player%s. Send the action wait.", missing,
             missing == 1 ? "" : "s");
    json_begin_object(t);
    json_begin_object_at(t, "observation");
    json_put_text(t, "game", g->name);
    json_put_text(t, "scenario", g->scenarios[b->setup.scenario]);
    json_put_text(t, "seat", s->game->facts->avatars[s->seat]);
    json_put_text(t, "phase", "waiting");
    json_put_bool(t, "your_turn", false);
    json_put_raw(t, "to_act", SPAN("[]"));
    json_put_text(t, "text", words);
    json_put_null(t, "rules");
    json_put_raw(t, "legal", SPAN("[{\"type\":\"wait\"}]"));
    json_put_raw(t, "view", SPAN("{}"));
    json_put_raw(t, "events", SPAN("[]"));
    json_put_null(t, "error");
    json_put_raw(t, "reward_components", SPAN("{}"));
    json_put_bool(t, "truncated", false);
    json_put_null(t, "termination_reason");
    put_metadata(t, s, false);
    json_end_object(t);
    put_result(t, s, kind == FIRST_OBSERVATION, 0, false);
}

// --- the forms of it

static struct span member_or_null(struct span object, const char *name)
{
    struct span value = json_member(object, name);
    return value.size ? value : SPAN("null");
}

// O38: a tool's result, from a whole observation or an object of its own.
static void write_rpc_result(struct text *t, const struct session *s, struct span result, struct span words,
                             bool failed)
{
    json_begin_object(t);
    json_put_text(t, "jsonrpc", "2.0");
    json_put_raw(t, "id", text_span(&s->id_json));
    json_begin_object_at(t, "result");
    json_key(t, "content");
    text_puts(t, "[{\"type\":\"text\",\"text\":");
    text_put(t, words);
    text_puts(t, "}]");
    json_put_raw(t, "structuredContent", result);
    json_put_raw(t, "data", result);
    json_put_bool(t, "isError", failed);
    json_end_object(t);
    json_end_object(t);
}

// O39: the same as an observation of a step on /ws.
static void write_tool_step(struct text *t, const struct session *s, struct span result, struct span error)
{
    struct span reward = member_or_null(result, "reward"), done = member_or_null(result, "done");
    json_begin_object(t);
    json_put_text(t, "type", "observation");
    json_begin_object_at(t, "data");
    json_begin_object_at(t, "observation");
    json_put_text(t, "tool_name", s->tool_name);
    json_put_raw(t, "result", result);
    json_put_raw(t, "error", error);
    json_put_raw(t, "metadata", SPAN("{}"));
    json_end_object(t);
    // O25: after a step never null.
    json_put_raw(t, "reward", reward.at[0] == 'n' ? SPAN("0.0") : reward);
    json_put_raw(t, "done", done.at[0] == 'n' ? SPAN("false") : done);
    json_end_object(t);
    json_end_object(t);
}

static void wrap_rpc(struct session *s, struct span result, struct span words, bool failed)
{
    struct text *t = &s->host->out;
    bool wrapped = s->channel == ON_WS;
    if (wrapped)
        text_puts(t, "{\"type\":\"mcp\",\"data\":");
    write_rpc_result(t, s, result, words, failed);
    if (wrapped)
        text_put_char(t, '}');
}

static void send_tool(struct session *s, struct span result)
{
    struct span observation = member_or_null(result, "observation"), words = member_or_null(observation, "text");
    if (observation.at[0] != '{')
        words = member_or_null(result, "rules");
    reply_begin(s->host);
    if (s->id_json.size)
        wrap_rpc(s, result, words, false);
    else
        write_tool_step(&s->host->out, s, result, SPAN("null"));
    reply_send(s, 200);
}

static void send_result(struct session *s, void (*write)(struct text *, struct session *, enum pending, struct span),
                        enum pending kind, struct span error)
{
    struct openenv *o = s->host;
    if (s->tool) {
        o->scratch.size = 0;
        write(&o->scratch, s, kind, error);
        send_tool(s, text_span(&o->scratch));
        return;
    }
    reply_begin(o);
    if (s->channel == ON_WS)
        text_puts(&o->out, "{\"type\":\"observation\",\"data\":");
    write(&o->out, s, kind, error);
    if (s->channel == ON_WS)
        text_put_char(&o->out, '}');
    reply_send(s, 200);
}

static void write_waiting(struct text *t, struct session *s, enum pending kind, struct span error)
{
    (void)error;
    write_missing(t, s, kind);
}

void reply_observation(struct session *s, enum pending kind, struct span error)
{
    send_result(s, write_seen, kind, error);
}

void reply_now(struct session *s, enum pending kind)
{
    const struct table *b = s->table;
    bool plays = b->begun && !(b->ready & SEAT(s->seat));
    send_result(s, plays ? write_seen : write_waiting, kind, (struct span){0});
}

static void write_rules(struct text *t, struct session *s, enum pending kind, struct span error)
{
    struct text *prose = &s->host->episode_scratch.prose;
    union game_rules rules;
    const struct game *g = s->game->kit->game;
    (void)kind, (void)error;
    prose->size = 0;
    if (s->table) {
        episode_write_rules(prose, s->game->kit, &s->table->setup.rules, s->table->setup.seats);
    } else {
        g->defaults(&rules);
        int seats = g->scenario(&rules, 0);
        episode_write_rules(prose, s->game->kit, &rules, seats);
    }
    json_begin_object(t);
    json_put_string(t, "rules", text_span(prose));
    json_end_object(t);
}

void reply_rules(struct session *s)
{
    send_result(s, write_rules, NEXT_OBSERVATION, (struct span){0});
}

// --- states

void reply_write_state(struct text *t, const struct session *s)
{
    const struct table *b = s->table;
    json_begin_object(t);
    json_put_text(t, "episode_id", b ? s->episode_id : NULL);
    json_put_uint(t, "step_count", s->steps);
    json_put_text(t, "game", s->game->kit->game->name);
    json_put_text(t, "scenario", b ? s->game->kit->game->scenarios[b->setup.scenario] : NULL);
    json_key(t, "seats");
    if (b)
        json_write_int(t, b->setup.seats);
    else
        json_write_null(t);
    json_put_text(t, "seat", b ? s->game->facts->avatars[s->seat] : NULL);
    json_key(t, "seed");
    if (b && b->setup.has_seed)
        json_write_uint(t, b->setup.seed);
    else
        json_write_null(t);
    json_begin_array_at(t, "opponents");
    for (int i = 0; b && i < b->setup.seats; i++)
        if (!(b->setup.clients & SEAT(i)))
            json_write_text(t, b->setup.bot[i]->name);
    json_end_array(t);
    json_put_text(t, "table", b && b->name[0] ? b->name : NULL);
    json_end_object(t);
}

void reply_state(struct session *s)
{
    struct text *t = &s->host->out;
    reply_begin(s->host);
    text_puts(t, "{\"type\":\"state\",\"data\":");
    reply_write_state(t, s);
    text_put_char(t, '}');
    reply_send(s, 200);
}

// --- errors

void reply_tool_error(struct session *s, const char *type, const char *message)
{
    struct openenv *o = s->host;
    struct text *t = &o->scratch;
    t->size = 0;
    json_begin_object(t);
    json_put_text(t, "error_type", type);
    json_put_text(t, "message", message);
    json_end_object(t);
    o->extra.size = 0;
    json_write_text(&o->extra, message);
    reply_begin(o);
    if (s->id_json.size)
        wrap_rpc(s, text_span(t), text_span(&o->extra), true);
    else
        write_tool_step(&o->out, s, SPAN("null"), text_span(t));
    reply_send(s, 200);
}

static void begin_error(struct text *t, const char *message, const char *code)
{
    json_begin_object(t);
    json_put_text(t, "type", "error");
    json_begin_object_at(t, "data");
    json_put_text(t, "message", message);
    json_put_text(t, "code", code);
}

static void end_error(struct text *t)
{
    json_end_object(t);
    json_end_object(t);
}

void reply_error(struct session *s, const char *code, const char *message)
{
    struct openenv *o = s->host;
    struct text *t = &o->out;
    if (s->tool) {
        reply_tool_error(s, "execution_error", message);
        return;
    }
    reply_begin(o);
    if (s->channel == ON_WS) {
        begin_error(t, message, code);
        if (strcmp(code, "CAPACITY_REACHED") == 0) {
            json_put_int(t, "active_sessions", o->figures.sessions);
            json_put_int(t, "max_sessions", o->options.max_sessions);
        }
        end_error(t);
    } else {
        json_begin_object(t);
        json_put_text(t, "detail", message);
        json_end_object(t);
    }
    reply_send(s, 409);
}

void reply_fault(struct session *s, const struct openenv_fault *f, bool body)
{
    struct openenv *o = s->host;
    struct text *t = &o->out;
    if (s->tool) {
        reply_tool_error(s, "invalid_args", openenv_fault_text(f));
        return;
    }
    reply_begin(o);
    if (s->channel == ON_WS) {
        begin_error(t, "Invalid message", "VALIDATION_ERROR");
        json_key(t, "errors");
        openenv_write_fault(t, f, false);
        end_error(t);
    } else {
        json_begin_object(t);
        json_key(t, "detail");
        openenv_write_fault(t, f, body);
        json_end_object(t);
    }
    reply_send(s, 422);
}

// What is legal, word by word: {"reason","message","legal"} (O43).
struct span reply_refusal(struct session *s, const char *reason, const char *message)
{
    char line[MOVES_LINE];
    struct text *t = &s->host->extra, moves = text_on(line, sizeof line), whole = {.grow = heap_text_grow};
    const struct episode *e = &s->table->episode;
    bool asked = s->table->begun && episode_asked(e) & SEAT(s->seat);
    if (asked)
        episode_write_moves(&moves, e, s->seat, "\n");
    text_puts(&whole, message);
    for (size_t i = 0; asked && !moves.full && i < moves.size; i++) {
        if (i == 0)
            text_puts(&whole, "; legal: ");
        if (line[i] == '\n')
            text_puts(&whole, ", ");
        else
            text_put_char(&whole, line[i]);
    }
    t->size = 0;
    json_begin_object(t);
    json_put_text(t, "reason", reason);
    json_put_string(t, "message", text_span(&whole));
    json_begin_array_at(t, "legal");
    for (size_t from = 0, i = 0; asked && !moves.full && moves.size && i <= moves.size; i++)
        if (i == moves.size || line[i] == '\n') {
            json_write_string(t, (struct span){line + from, i - from});
            from = i + 1;
        }
    json_end_array(t);
    json_end_object(t);
    free(whole.at);
    return text_span(t);
}
