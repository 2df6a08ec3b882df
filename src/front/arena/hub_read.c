// Messages of clients (F2.4), and which actions are accepted (F4.3 to F4.7).
#include "front/arena/hub_internal.h"
#include "games/games.h"
#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

// REQUEST: most of a request id that is sent back.
enum { NAME = 64, WORD = 64, REQUEST = 128, NOTE = 12288, MOST = 1000000000 }; // MOST: F2.4

static const char bad_format[] = "invalid message format";

// A parsed message. Spans are raw JSON values; at is NULL if absent.
struct message {
    struct json_string type, match_id, request_id;
    struct span text; // the whole message
    // Pointing into the message, which is gone when hub_read returns.
    struct span data, usage, decision;
    bool has_type, has_match, has_request; // and it is a string
};

static void read_text(struct json_reader *r, struct json_string *out, bool *has)
{
    *has = json_peek(r) == JSON_STRING;
    if (*has)
        *out = json_read_string(r);
    else
        json_skip(r);
}

static bool parse_message(struct span text, struct message *m)
{
    struct json_reader r = json_reader_of(text, HUB_MAX_DEPTH);
    struct json_string key;
    *m = (struct message){.text = text};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "type"))
            read_text(&r, &m->type, &m->has_type);
        else if (json_string_is(key, "match_id"))
            read_text(&r, &m->match_id, &m->has_match);
        else if (json_string_is(key, "request_id"))
            read_text(&r, &m->request_id, &m->has_request);
        else if (json_string_is(key, "data"))
            m->data = json_read_raw(&r);
        else if (json_string_is(key, "usage"))
            m->usage = json_read_raw(&r);
        else if (json_string_is(key, "decision"))
            m->decision = json_read_raw(&r);
        else
            json_skip(&r);
    return json_finish(&r) == OK && m->has_type;
}

static int64_t now_of(const struct hub_conn *c)
{
    return c->hub->options.now_ms();
}

static bool read_word(struct json_reader *r, char *out, size_t room)
{
    return json_string_copy(json_read_string(r), out, room) >= 0;
}

// --- queues

static void read_join(struct hub_conn *c, const struct message *m)
{
    char game[NAME] = "", mode[NAME] = "", why[128] = "";
    bool one_shot = false, fits = true, has_game = false;
    struct json_reader r = json_reader_of(m->data, HUB_MAX_DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "game")) {
            fits &= read_word(&r, game, sizeof game);
            has_game = true;
        } else if (json_string_is(key, "mode")) {
            fits &= read_word(&r, mode, sizeof mode);
        } else if (json_string_is(key, "one_shot")) {
            one_shot = json_read_bool(&r);
        } else {
            json_skip(&r);
        }
    if (json_finish(&r) != OK || !has_game || !fits) {
        hub_send_error(c, bad_format);
        return;
    }
    struct span wanted = mode[0] ? span_of(mode) : SPAN("ranked");
    if (lobby_join(c->hub->lobby, c->agent, span_of(game), wanted, one_shot, now_of(c), why) != OK)
        hub_send_error(c, why[0] ? why : "internal error");
}

static void read_leave(struct hub_conn *c, const struct message *m)
{
    (void)m;
    if (!lobby_quit(c->hub->lobby, c->agent, now_of(c)))
        hub_send_queue_left(c);
}

// Returns false if malformed. An id that is not one of ours becomes zero.
static bool read_confirm_id(const struct message *m, struct uuid *id)
{
    char name[WORD] = "";
    bool has_id = false, fits = false;
    struct json_reader r = json_reader_of(m->data, HUB_MAX_DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "confirm_id"))
            has_id = true, fits = read_word(&r, name, sizeof name);
        else
            json_skip(&r);
    if (!fits || !uuid_parse(id, span_of(name)))
        *id = (struct uuid){0};
    return json_finish(&r) == OK && has_id;
}

static bool awaits_confirm(const struct hub_conn *c, const struct message *m)
{
    struct uuid id;
    return read_confirm_id(m, &id) && lobby_awaits_confirm(c->agent, id);
}

static void read_confirm(struct hub_conn *c, const struct message *m)
{
    struct uuid id;
    if (!read_confirm_id(m, &id))
        hub_send_error(c, bad_format);
    else if (lobby_confirm(c->hub->lobby, c->agent, id, now_of(c)) != OK)
        hub_send_error(c, "unknown confirm_id");
}

// Returns false if malformed. An id that is not one of ours becomes zero.
static bool read_readiness(const struct message *m, struct uuid *id, bool *ready)
{
    static const char *const types[] = {"direct", "mock", NULL};
    char name[WORD] = "";
    unsigned has = 0;
    struct json_reader r = json_reader_of(m->data, HUB_MAX_DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "request_id"))
            has |= 1, json_string_copy(json_read_string(&r), name, sizeof name);
        else if (json_string_is(key, "ready"))
            has |= 2, *ready = json_read_bool(&r);
        else if (json_string_is(key, "runtime_type"))
            has |= json_string_among(json_read_string(&r), types) < 0 ? 0 : 4;
        else if (json_string_is(key, "checked_at"))
            has |= 8, json_read_string(&r);
        else
            json_skip(&r);
    if (!uuid_parse(id, span_of(name)))
        *id = (struct uuid){0};
    return json_finish(&r) == OK && has == 15;
}

static bool awaits_readiness(const struct hub_conn *c, const struct message *m)
{
    struct uuid id;
    bool ready;
    return read_readiness(m, &id, &ready) && lobby_awaits_ready(c->agent, id);
}

static void read_runtime(struct hub_conn *c, const struct message *m)
{
    struct uuid id;
    bool ready = false;
    if (!read_readiness(m, &id, &ready))
        hub_send_error(c, bad_format);
    else
        lobby_report_ready(c->hub->lobby, c->agent, id, ready, now_of(c));
}

// --- a player's note on its own decision (F2.4): untrusted; values are limited or left out

static void put_number(struct text *t, const char *key, struct json_reader *r, int64_t most)
{
    double value = json_read_real(r);
    json_put_int(t, key, value < 0 ? 0 : value > (double)most ? most : (int64_t)value);
}

static void put_word(struct text *t, const char *key, struct json_reader *r, int characters)
{
    char word[2048];
    int size = json_string_unescape(json_read_string(r), word, sizeof word), n = 0;
    if (size < 0) {
        json_fail(r, ERR_TOO_LONG);
        return;
    }
    for (int i = 0; i < size; i++) // cuts between characters
        if (((unsigned char)word[i] & 0xc0) != 0x80 && n++ == characters)
            word[size = i] = 0;
    json_put_string(t, key, (struct span){word, (size_t)size});
}

static void put_usage(struct text *t, struct json_reader *r)
{
    static const char *const counts[] = {"input_tokens",  "output_tokens",      "reasoning_tokens",
                                         "cached_tokens", "cache_write_tokens", NULL};
    struct json_string key;
    bool has_model = false;
    for (json_enter_object(r); json_next_key(r, &key);) {
        int i = json_string_among(key, counts);
        if (json_string_is(key, "model"))
            has_model = true, put_word(t, "model", r, 100);
        else if (i >= 0)
            put_number(t, counts[i], r, MOST);
        else
            json_skip(r);
    }
    if (!has_model)
        json_fail(r, ERR_MISSING);
}

static void put_decision(struct text *t, struct json_reader *r)
{
    static const char *const sources[] = {"model", "model_retry", "fallback", NULL};
    struct json_string key;
    int source = -1;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "source"))
            source = json_string_among(json_read_string(r), sources);
        else if (json_string_is(key, "illegal_retries"))
            put_number(t, "illegal_retries", r, 10);
        else if (json_string_is(key, "fallback_reason"))
            put_word(t, "fallback_reason", r, 200);
        else if (json_string_is(key, "note"))
            put_word(t, "note", r, 500);
        else
            json_skip(r);
    if (source < 0)
        json_fail(r, ERR_MISSING);
    else
        json_put_text(t, "source", sources[source]);
}

// Duplicate members could fill the note: then it is left out, like any malformed one.
static void put_note_part(struct text *t, const char *key, struct span json,
                          void (*put)(struct text *, struct json_reader *))
{
    size_t before = t->size;
    if (!json.at)
        return;
    struct json_reader r = json_reader_of(json, HUB_MAX_DEPTH);
    json_begin_object_at(t, key);
    put(t, &r);
    json_end_object(t);
    if (json_finish(&r) == OK && !t->full)
        return;
    t->size = before;
    t->full = false;
}

static struct span write_note(const struct message *m, char bytes[NOTE])
{
    struct text t = text_on(bytes, NOTE - 1);
    if (!m->usage.at && !m->decision.at)
        return (struct span){0};
    json_begin_object(&t);
    put_note_part(&t, "usage", m->usage, put_usage);
    put_note_part(&t, "decision", m->decision, put_decision);
    t.room = NOTE; // the brace has room of its own
    json_end_object(&t);
    return t.size > 2 ? text_span(&t) : (struct span){0};
}

// --- actions

// Row 2: nothing that this player sends in this match counts any more.
static bool has_finished(const struct lobby_seat *s)
{
    union game_view view;
    if (lobby_seat_is_over(s) || lobby_seat_is_dropped(s))
        return true;
    // First, because it needs no view.
    if (lobby_judge(s, NULL, INT64_MAX) == LOBBY_AWAITED)
        return false; // a player who is asked is playing
    lobby_seat_view(s, &view);
    return !dialect_is_in_play(games_find(lobby_seat_game(s)->codec->game->name), &view, lobby_seat_index(s));
}

// Rows 5 to 7.
static void apply_action(struct hub_conn *c, struct lobby_seat *s, const struct message *m)
{
    struct lobby *l = c->hub->lobby;
    struct codec_table table = dialect_table(lobby_seat_count(s), lobby_seat_index(s));
    char type[DIALECT_TYPE], why[HUB_ERROR_ROOM], note[NOTE];
    struct game_action a;
    int err = m->data.at
                  ? dialect_read_action(games_find(lobby_seat_game(s)->codec->game->name), m->data, &table, &a, type)
                  : ERR_TYPE;
    if (err == ERR_TYPE) {
        if (!hub_is_flooded(c)) // the question stays open, so this could be repeated without end
            hub_send_error(c, bad_format);
    } else if (err != OK || !lobby_is_legal(s, a)) {
        if (lobby_has_retry(s)) { // F4.5; F4.6: the second one is not answered
            snprintf(why, sizeof why, "action %s not legal in current state", type);
            hub_send_error(c, why);
        }
        lobby_refuse(l, s, now_of(c));
    } else if (lobby_answer(l, s, a, write_note(m, note), now_of(c)) != OK) {
        hub_send_error(c, "internal error");
    }
}

// The request's id as received, to be sent back, and parsed.
static bool read_request(const struct message *m, char text[REQUEST + 1], struct uuid *id)
{
    text[0] = 0;
    if (!m->has_request)
        return false;
    if (json_string_copy(m->request_id, text, REQUEST + 1) < 0)
        memcpy(text, "?", 2); // longer than ours: not sent back in full
    return uuid_parse(id, span_of(text));
}

// F4.7: by turn, for profile L. For a player at another node, its gateway says which question it had seen (S55).
static enum lobby_verdict check_turn(const struct hub_conn *c, const struct lobby_seat *s)
{
    int64_t read_ms = now_of(c);
    if (relay_is_remote(c))
        read_ms = relay_follows_ask(c, lobby_seat_session(s)) ? INT64_MAX : INT64_MIN;
    return lobby_judge(s, NULL, read_ms);
}

// Rows 2 to 4; by turn for profile L (F4.7).
static void check_action(struct hub_conn *c, struct lobby_seat *s, const struct message *m)
{
    char text[REQUEST + 1];
    struct uuid id, session = lobby_seat_session(s);
    bool is_id = read_request(m, text, &id);
    if (has_finished(s))
        hub_send_stale(c, session, "this match is over for you", span_of(text));
    else if (c->old && check_turn(c, s) == LOBBY_STALE)
        hub_send_stale(c, session, "", SPAN(""));
    else if (!c->old && !text[0]) {
        hub_send_error(c, "request_id is required");
        hub_send_stale(c, session, "request_id is required", SPAN(""));
    } else if (!c->old && (!is_id || lobby_judge(s, &id, now_of(c)) == LOBBY_STALE))
        hub_send_stale(c, session, "this request is no longer current", span_of(text));
    else
        apply_action(c, s, m);
}

static bool read_session(const struct message *m, struct uuid *session)
{
    char name[WORD] = "";
    if (m->has_match)
        json_string_copy(m->match_id, name, sizeof name);
    return uuid_parse(session, span_of(name));
}

static bool awaits_action(const struct hub_conn *c, const struct message *m)
{
    char text[REQUEST + 1];
    struct uuid session, id;
    bool named = read_session(m, &session);
    struct lobby_seat *s = named ? lobby_find_seat(c->agent, session) : NULL;
    if (!s && named && relay_awaits_answer(c, session))
        return true;
    if (!s || (!c->old && !read_request(m, text, &id)))
        return false;
    return !has_finished(s) && (c->old ? check_turn(c, s) : lobby_judge(s, &id, now_of(c))) == LOBBY_AWAITED;
}

static void answer_unknown_match(struct hub_conn *c, struct uuid session, const char *request, bool had)
{
    if (had)
        hub_send_stale(c, session, "this match is over for you", span_of(request));
    else
        hub_send_error(c, "mismatched match_id");
}

// Another node may host it, whose first frame has not arrived yet. Called in a job, because it reads the store.
static uint64_t find_host(struct hub_late *x)
{
    struct store *s = lobby_store(x->hub->lobby);
    struct store_match m;
    struct store_hosted at;
    int seat;
    if (!x->text || !store_find_session(s, x->session, &m, &seat) || m.status != STORE_RUNNING ||
        !uuid_equals(m.seat[seat].agent, lobby_agent_record(x->agent)->id) || !store_find_host(s, m.id, &at))
        return 0;
    return at.epoch;
}

// Forwards it to the host, which may be this node by now. Returns true if that was done.
static bool forward_late(struct hub_late *x, uint64_t host)
{
    struct span text = {x->text, x->size};
    if (lobby_find_seat(x->agent, x->session))
        hub_read(x->conn, text);
    else if (host == store_my_epoch(lobby_store(x->hub->lobby)))
        relay_forward_later(x->conn, x->session, text, x->tries); // the match is being read
    else
        return relay_learn_host(x->conn, x->session, host) && relay_forward(x->conn, x->session, text, x->tries);
    return true;
}

static void run_late(void *arg)
{
    struct hub_late *x = arg;
    bool had = lobby_had_session(x->hub->lobby, x->agent, x->session);
    uint64_t host = had ? find_host(x) : 0;
    LIST_REMOVE(x, link);
    bool passed = host && x->conn && x->conn->agent == x->agent && forward_late(x, host);
    lobby_agent_release(x->agent);
    if (x->conn && !passed)
        answer_unknown_match(x->conn, x->session, x->request, had);
    free(x->text);
    free(x);
}

// A match that is not in memory: the store knows whether it was ever this agent's.
static void find_unknown_match(struct hub_conn *c, struct uuid session, const char *request, struct span text,
                               uint16_t tries)
{
    struct hub *h = c->hub;
    struct hub_late *x = store_may_wait(lobby_store(h->lobby)) ? malloc(sizeof *x) : NULL;
    if (!x) {
        answer_unknown_match(c, session, request, lobby_had_session(h->lobby, c->agent, session));
        return;
    }
    *x = (struct hub_late){.hub = h, .conn = c, .agent = c->agent, .session = session, .tries = tries};
    snprintf(x->request, sizeof x->request, "%s", request);
    if (h->relay && c->relay && (x->text = malloc(text.size + 1)) != NULL) {
        memcpy(x->text, text.at, text.size);
        x->size = text.size;
    }
    lobby_agent_hold(x->agent);
    LIST_INSERT_HEAD(&h->late, x, link);
    work_start(loop_work(h->options.loop), run_late, x);
}

static void read_action(struct hub_conn *c, const struct message *m)
{
    char text[REQUEST + 1];
    struct uuid session, id;
    if (!read_session(m, &session)) {
        hub_send_error(c, "invalid match_id");
        return;
    }
    struct lobby_seat *s = lobby_find_seat(c->agent, session);
    if (s) {
        check_action(c, s, m);
    } else if (!relay_forward(c, session, m->text, 0)) {
        read_request(m, text, &id);
        find_unknown_match(c, session, text, m->text, 0);
    }
}

void hub_forward_again(struct hub_conn *c, struct uuid session, struct span message, uint16_t tries)
{
    struct message m;
    char text[REQUEST + 1] = "";
    struct uuid id;
    if (parse_message(message, &m))
        read_request(&m, text, &id);
    find_unknown_match(c, session, text, message, tries);
}

// --- the table of messages

static const struct {
    const char *type;
    bool needs_data; // an object
    void (*read)(struct hub_conn *c, const struct message *m);
    bool (*is_awaited)(const struct hub_conn *c, const struct message *m); // NULL: it is not a reply
} types[] = {
    // needs_data is false: what is missing is judged in the order of F4.3, after session, request and turn.
    {"action", false, read_action, awaits_action},
    {"join_queue", true, read_join, NULL},
    {"leave_queue", false, read_leave, NULL},
    {"match_confirm", true, read_confirm, awaits_confirm},
    {"runtime_status", true, read_runtime, awaits_readiness},
};

static int find_type(const struct message *m)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (json_string_is(m->type, types[i].type))
            return (int)i;
    return -1;
}

static void note_transcript(struct hub_conn *c, const struct message *m, struct span text)
{
    char name[WORD] = "";
    struct uuid match;
    bool has =
        m->has_match && json_string_copy(m->match_id, name, sizeof name) > 0 && uuid_parse(&match, span_of(name));
    transcript_add(c->transcript, now_of(c), true, has ? &match : NULL, text);
}

void hub_read(struct hub_conn *c, struct span text)
{
    struct message m;
    char name[WORD], why[HUB_ERROR_ROOM];
    bool sound = parse_message(text, &m);
    if (c->transcript)
        note_transcript(c, &m, text);
    int type = sound ? find_type(&m) : -1;
    bool has_data = m.data.at && m.data.size && m.data.at[0] == '{';
    // Replies are limited by the number of our own questions, so they never count as a flood.
    bool awaited = type >= 0 && types[type].is_awaited && types[type].is_awaited(c, &m);
    if (!awaited && hub_is_flooded(c))
        return;
    if (!sound || (type >= 0 && types[type].needs_data && !has_data)) {
        hub_send_error(c, bad_format);
        return;
    }
    if (type >= 0) {
        types[type].read(c, &m);
        return;
    }
    if (json_string_copy(m.type, name, sizeof name) < 0)
        snprintf(name, sizeof name, "(too long)");
    snprintf(why, sizeof why, "unknown message type %s", name);
    hub_send_error(c, why);
}
