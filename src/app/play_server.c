#include "app/play_server.h"

#include "app/agent_words.h"
#include "app/arena_games.h"
#include "app/desk.h"
#include "app/play_file.h"
#include "app/tape.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "kit/action_request.h"
#include "kit/dialect.h"
#include "net/heap_text.h"
#include "net/http_client.h"
#include "net/tls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KEY = 128,
    WHY = 256,
    NAME = 64,
    MAX_MESSAGE = 2 << 20,
    DEPTH = 32,
    TICK_MS = 100,
    AGAIN_MS = 500, // the first pause before another attempt to connect; doubled each time
    AGAIN_MOST = 8000,
    RESUME_MS = 5000, // after the greeting of a server: by then it has told of a match that runs
    LINES = 4096,
    ANSWER_S = 30, // then a call has failed
    REPLACED = 4409,
};

enum stage { WAITING, PLAYING, OVER, LEFT, FAILED };

struct link {
    const struct play_server_options *o;
    struct http_url server;
    char address[64], key[KEY], instance[32], duel[NAME];
    struct loop loop;
    struct tls *tls;
    struct http_client *http;
    struct ws *ws;
    struct event *input, *tick, *again;
    struct desk desk;
    enum stage stage;
    char why[WHY];      // of FAILED
    char join_url[WHY]; // for a friend; "": nobody is invited
    char match[ACTION_REQUEST_ID + 1];
    char name[GAME_MAX_SEATS][NAME];
    const char *names[GAME_MAX_SEATS];
    int seats, me;
    struct action_request asked;
    int64_t due_ms, greeted_ms; // when the clock of the question ends; when the server greeted; 0: not
    uint64_t seen;              // events below this number are in the log
    int tries;
    struct text rules;
    char result[DESK_NOTICE];
    char typed[LINES]; // where lines are read: those that nobody has asked for yet, and a part of the next
    size_t typed_size;
    bool typed_ends; // there will be no more
    // One call at a time, waited for:
    int status;
    bool answered, late;
    struct text body;
};

static void end(struct link *l, enum stage stage, const char *why)
{
    l->stage = stage;
    snprintf(l->why, sizeof l->why, "%s", why);
    loop_stop(&l->loop);
}

static void read_text(struct span json, char *out, size_t room)
{
    struct json_reader r = json_reader_of(json, 1);
    out[0] = 0;
    if (json.at && json_peek(&r) == JSON_STRING && json_string_copy(json_read_string(&r), out, room) < 0)
        out[0] = 0;
}

// What somebody else wrote, for a terminal.
static void read_shown(struct span json, char *out, size_t room)
{
    char plain[WHY];
    read_text(json, plain, sizeof plain);
    utf8_copy_shown(out, room, span_of(plain), false);
}

// --- calls

static struct http_ask ask_of(struct link *l, const char *method, const char *path, const char *lines)
{
    return (struct http_ask){.address = l->address,
                             .port = l->server.port,
                             .host = l->server.host,
                             .method = method,
                             .path = path,
                             .lines = lines,
                             .client = l};
}

static void on_answer(void *client, int status, struct span body)
{
    struct link *l = client;
    l->status = status;
    l->answered = true;
    l->body.size = 0;
    text_put(&l->body, body);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    ((struct link *)arg)->late = true;
}

// Waits for the answer: before the match, when nothing else happens. 0: the server did not answer.
static int call(struct link *l, const char *method, const char *path, struct span body)
{
    char lines[KEY + 256];
    snprintf(lines, sizeof lines, "Content-Type: application/json\r\nX-AIFight-Capabilities: %s\r\n%s%s%s",
             arena_games_gated(), l->key[0] ? "X-API-Key: " : "", l->key, l->key[0] ? "\r\n" : "");
    struct http_ask ask = ask_of(l, method, path, lines);
    ask.body = body;
    ask.on_answer = on_answer;
    l->answered = l->late = false;
    l->status = 0;
    if (http_client_ask(l->http, &ask) != 0)
        return 0;
    struct event *late = event_new(l->loop.base, -1, 0, on_late, l);
    event_add(late, &(struct timeval){.tv_sec = ANSWER_S});
    while (!l->answered && !l->late && loop_turn(&l->loop))
        ;
    event_free(late);
    return l->status;
}

static _Noreturn void refuse(const struct link *l, const char *what)
{
    char why[WHY];
    struct span body = text_span(&l->body);
    read_shown(json_member(body, "error"), why, sizeof why);
    if (l->late)
        app_refuse(l->o->command, "%s: %s has not answered for %d seconds", what, l->o->url, ANSWER_S);
    if (l->status == 0)
        app_refuse(l->o->command, "cannot connect to %s; is the server running, and its certificate trusted?",
                   l->o->url);
    app_refuse(l->o->command, "%s: the server answers %d%s%s", what, l->status, *why ? ", " : "", why);
}

// --- who plays

static void key_path(const struct link *l, char path[PLAY_PATH])
{
    char word[PLAY_PATH / 2];
    snprintf(word, sizeof word, "%.200s-%u", l->server.host, l->server.port);
    play_guest_path(path, word);
}

static bool read_key(struct link *l)
{
    char path[PLAY_PATH], why[WHY];
    key_path(l, path);
    struct span bytes = access(path, R_OK) == 0 ? tape_read_file(path, why, sizeof why) : (struct span){0};
    size_t size = bytes.at ? strcspn(bytes.at, "\n") : 0;
    size = size < bytes.size ? size : bytes.size;
    bool sound = size && size < sizeof l->key;
    for (size_t i = 0; sound && i < size; i++)
        sound = bytes.at[i] > ' ' && bytes.at[i] < 127;
    if (sound)
        snprintf(l->key, sizeof l->key, "%.*s", (int)size, bytes.at);
    free((void *)(uintptr_t)bytes.at);
    return sound;
}

static void keep_key(struct link *l)
{
    char path[PLAY_PATH], why[WHY];
    key_path(l, path);
    mode_t before = umask(077);
    bool kept = play_file_write(path, span_of(l->key), why, sizeof why);
    umask(before);
    if (!kept)
        app_complain("the guest's key could not be kept: %s", why);
}

static void make_guest(struct link *l)
{
    char bytes[WHY];
    struct text body = text_on(bytes, sizeof bytes);
    l->key[0] = 0;
    json_begin_object(&body);
    if (strlen(l->o->name) > 1)
        json_put_text(&body, "name", l->o->name);
    json_end_object(&body);
    if (call(l, "POST", "/api/guests", text_span(&body)) != 201)
        refuse(l, "no guest could be made");
    read_text(json_member(json_member(text_span(&l->body), "agent"), "api_key"), l->key, sizeof l->key);
    if (!l->key[0])
        app_refuse(l->o->command, "%s does not answer as an arena does", l->o->url);
    if (call(l, "PATCH", "/api/agents/me/policy", SPAN("{\"auto_confirm\":true}")) != 200)
        refuse(l, "the guest could not be set up");
    keep_key(l);
}

// A server that was set up anew does not know an old guest any more.
static void find_player(struct link *l)
{
    if (l->o->key)
        snprintf(l->key, sizeof l->key, "%s", l->o->key);
    else if (!read_key(l) && l->o->resume)
        app_refuse(l->o->command, "you have not played on %s yet; start without --resume", l->o->url);
    if (l->key[0]) {
        if (call(l, "GET", "/api/agents/me/status", (struct span){0}) == 200)
            return;
        if (l->status != 401 || l->o->key || l->o->resume)
            refuse(l, "you cannot play");
    }
    make_guest(l);
}

// --- the table

static bool plays_queue(const struct link *l)
{
    return l->o->against && strcmp(l->o->against, "waiting") == 0;
}

// A table that waits for its player would begin in place of the new one.
static void check_running(struct link *l)
{
    if (call(l, "GET", "/api/agents/me/challenges", (struct span){0}) != 200)
        refuse(l, "your tables cannot be listed");
    struct json_reader r = json_reader_of(json_member(text_span(&l->body), "duels"), DEPTH);
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span status = json_member(json_read_raw(&r), "status");
        if (span_is(status, "\"in_match\"") || span_is(status, "\"waiting_online\""))
            app_refuse(l->o->command, "a match of yours runs on %s; go on with --resume", l->o->url);
    }
}

static int count_seats(const struct link *l)
{
    const struct game *g = l->o->game->game;
    int places = dialect_of(l->o->game)->challenge_places;
    return l->o->seats ? l->o->seats : places ? places : g->min_seats;
}

// "a,b" repeated for the seats; NULL: house bots of the level.
static void put_opponents(struct text *t, const struct link *l, int count)
{
    const char *list = l->o->against, *at = list;
    json_key(t, "opponents");
    json_begin_array(t);
    for (int i = 0; i < count; i++) {
        char who[NAME];
        size_t size = list ? strcspn(at, ",") : 0;
        snprintf(who, sizeof who, "%.*s", (int)(size < NAME ? size : NAME - 1), list ? at : "");
        if (!list)
            snprintf(who, sizeof who, "house:%d", l->o->level);
        json_write_text(t, who);
        at = list && at[size] ? at + size + 1 : list;
    }
    json_end_array(t);
}

static void make_table(struct link *l)
{
    char bytes[2048];
    struct text body = text_on(bytes, sizeof bytes);
    int seats = count_seats(l);
    json_begin_object(&body);
    json_put_text(&body, "game", l->o->game->game->name);
    json_put_int(&body, "seats", seats);
    put_opponents(&body, l, seats - 1);
    json_end_object(&body);
    if (body.full)
        app_refuse(l->o->command, "--against is too long");
    if (call(l, "POST", "/api/tables", text_span(&body)) != 201)
        refuse(l, "there is no table");
    read_text(json_member(json_member(text_span(&l->body), "duel"), "id"), l->duel, sizeof l->duel);
    read_shown(json_member(text_span(&l->body), "join_url"), l->join_url, sizeof l->join_url);
}

// A table that has not begun is nobody's any more.
static void give_up_table(struct link *l)
{
    char path[WHY];
    snprintf(path, sizeof path, "/api/challenges/%s", l->duel);
    if (l->duel[0] && !l->match[0])
        call(l, "DELETE", path, (struct span){0});
}

// --- what the server says

static void say(struct link *l, const char *text)
{
    if (l->ws)
        ws_send(l->ws, span_of(text));
}

static void refresh(struct link *l)
{
    int64_t left = l->desk.is_asked ? (l->due_ms - loop_now_ms() + 999) / 1000 : -1;
    left = l->desk.is_asked && left < 0 ? 0 : left;
    size_t size = (size_t)snprintf(l->desk.title, sizeof l->desk.title, " %s   %.60s%s", l->o->game->codec->title,
                                   l->server.host, l->ws ? "" : "   not connected: trying again");
    if (left >= 0 && size < sizeof l->desk.title)
        snprintf(l->desk.title + size, sizeof l->desk.title - size, "   time %d:%02d", (int)left / 60, (int)left % 60);
    desk_draw(&l->desk);
}

static void take_events(struct link *l, struct span list)
{
    struct json_reader r = json_reader_of(list, DEPTH);
    if (!list.at || json_peek(&r) != JSON_ARRAY)
        return;
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span event = json_read_raw(&r);
        struct text words = {.grow = heap_text_grow};
        uint64_t seq = r.error ? UINT64_MAX : agent_words_seq(event);
        if (seq == UINT64_MAX || seq < l->seen)
            continue;
        l->seen = seq + 1;
        if (agent_words_tell(&words, event, l->o->game, l->names, l->seats)) {
            utf8_put_shown(&l->desk.log, text_span(&words), false);
            text_put_char(&l->desk.log, '\n');
        }
        free(words.at);
    }
}

static void take_greeting(struct link *l, struct span data)
{
    (void)data;
    l->tries = 0;
    l->greeted_ms = loop_now_ms();
    char text[WHY];
    snprintf(text, sizeof text,
             "{\"type\":\"join_queue\",\"data\":{\"game\":\"%s\",\"mode\":\"ranked\",\"one_shot\":true}}",
             l->o->game->game->name);
    if (l->stage == WAITING && plays_queue(l) && !l->o->resume)
        say(l, text);
}

static void take_names(struct link *l, struct span players)
{
    struct json_reader r = json_reader_of(players, DEPTH);
    if (json_peek(&r) != JSON_ARRAY)
        return;
    l->seats = 0;
    for (json_enter_array(&r); json_next_item(&r) && l->seats < GAME_MAX_SEATS; l->seats++) {
        struct span one = json_read_raw(&r), name = json_member(one, "name");
        read_shown(name.at ? name : json_member(one, "agent_name"), l->name[l->seats], NAME);
    }
}

static void put_rules(void *owner, struct text *out)
{
    struct link *l = owner;
    utf8_put_shown(out, text_span(&l->rules), true);
}

// The rules as the server tells them: a summary, and what is to be known.
static void take_rules(struct link *l, struct span rules)
{
    char line[1024];
    l->rules.size = 0;
    read_text(json_member(rules, "summary"), line, sizeof line);
    text_puts(&l->rules, line);
    struct span keys = json_member(rules, "key_rules");
    struct json_reader r = json_reader_of(keys, DEPTH);
    if (!keys.at || json_peek(&r) != JSON_ARRAY)
        return;
    for (json_enter_array(&r); json_next_item(&r);) {
        read_text(json_read_raw(&r), line, sizeof line);
        text_puts(&l->rules, "\n- ");
        text_puts(&l->rules, line);
    }
    text_puts(&l->rules, "\n");
}

static void take_start(struct link *l, struct span data)
{
    char match[ACTION_REQUEST_ID + 1], game[NAME];
    read_text(json_member(data, "match_id"), match, sizeof match);
    read_shown(json_member(data, "game"), game, sizeof game);
    if (strcmp(match, l->match) == 0)
        return;
    if (strcmp(game, l->o->game->game->name) != 0) {
        char why[WHY];
        snprintf(why, sizeof why,
                 "your match there is one of %.40s; go on with: agon play %.40s --resume --server %.100s", game, game,
                 l->o->url);
        end(l, FAILED, why);
        return;
    }
    snprintf(l->match, sizeof l->match, "%s", match);
    struct json_reader position = json_reader_of(json_member(data, "your_position"), 1);
    l->me = (int)json_read_int(&position, 0, GAME_MAX_SEATS - 1); // a match may end before its first question
    take_names(l, json_member(data, "players"));
    for (int s = 0; s < l->seats; s++)
        if (strcmp(l->name[s], "You") == 0) // F2.7
            snprintf(l->name[s], NAME, "%s", l->o->name);
    take_rules(l, json_member(data, "rules"));
    l->stage = PLAYING;
    l->seen = 0;
    l->desk.table.seat = l->names;
    l->desk.table.seats = l->seats;
    text_puts(&l->desk.log, "the match begins\n");
}

// game_over names the session beside the match, which has an id of its own.
static bool is_ours(const struct link *l, struct span data)
{
    static const char *const members[] = {"session_id", "match_id"};
    char id[ACTION_REQUEST_ID + 1];
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        read_text(json_member(data, members[i]), id, sizeof id);
        if (l->match[0] && strcmp(id, l->match) == 0)
            return true;
    }
    return false;
}

static void take_request(struct link *l, struct span data)
{
    const struct game_kit *k = l->o->game;
    struct action_request *t = &l->asked;
    if (!is_ours(l, data))
        return;
    take_events(l, json_member(data, "event_history"));
    take_events(l, json_member(data, "new_events"));
    if (action_request_read(k, data, t) != OK) {
        end(l, FAILED, "the server asks something that cannot be read; is it newer than this program?");
        return;
    }
    l->me = t->seat;
    l->due_ms = loop_now_ms() + t->timeout_ms;
    struct desk_scene s = {
        .row = k,
        .table = {.seat = l->names, .seats = t->seats, .viewer = t->seat},
        .view = &t->view,
        .choices = t->choices,
        .count = t->count,
    };
    desk_set(&l->desk, &s);
    if (json_member(data, "retry").at)
        desk_set_notice(&l->desk, "that was not legal; choose another move");
}

static void take_feed(struct link *l, struct span data)
{
    if (is_ours(l, data))
        take_events(l, json_member(data, "events"));
}

static void take_stale(struct link *l, struct span data)
{
    if (is_ours(l, data))
        desk_set_notice(&l->desk, "too late: the game went on");
}

static void confirm(struct link *l, struct span data)
{
    char text[WHY], id[NAME];
    read_text(json_member(data, "confirm_id"), id, sizeof id);
    snprintf(text, sizeof text, "{\"type\":\"match_confirm\",\"data\":{\"confirm_id\":\"%s\"}}", id);
    say(l, text);
}

static void take_cancel(struct link *l, struct span data)
{
    if (l->stage == WAITING && span_is(json_member(data, "action"), "\"removed_from_queue\""))
        end(l, FAILED, "the match was cancelled before it began; try again");
}

static void take_error(struct link *l, struct span data)
{
    char why[WHY];
    read_shown(json_member(data, "message"), why, sizeof why);
    if (l->stage == WAITING)
        end(l, FAILED, why);
    else
        desk_set_notice(&l->desk, "%s", why);
}

static double read_payoff(struct span payoffs, int seat)
{
    struct span value = json_member(payoffs, dialect_pids[seat]);
    return value.at ? strtod(value.at, NULL) : 0;
}

static void take_end(struct link *l, struct span data)
{
    struct text t = text_on(l->result, sizeof l->result - 1);
    if (!is_ours(l, data))
        return;
    struct span payoffs = json_member(json_member(data, "result"), "payoffs");
    take_names(l, json_member(data, "players")); // now they are told
    double best = read_payoff(payoffs, l->me), worst = best;
    for (int s = 0; s < l->seats; s++) {
        double one = read_payoff(payoffs, s);
        best = one > best ? one : best;
        worst = one < worst ? one : worst;
    }
    bool mine = read_payoff(payoffs, l->me) >= best;
    codec_write(&t, "%s Payoffs:", best <= worst ? "A draw." : mine ? "You won." : "You lost.");
    for (int s = 0; s < l->seats; s++)
        codec_write(&t, " %s %g", l->names[s], read_payoff(payoffs, s));
    char url[WHY];
    read_shown(json_member(data, "replay_url"), url, sizeof url);
    if (*url)
        codec_write(&t, "\nReplay: %s%s", url[0] == '/' ? l->o->url : "", url);
    l->result[t.size] = 0;
    l->desk.is_asked = l->desk.fresh = false;
    l->stage = OVER;
    loop_stop(&l->loop);
}

static const struct {
    const char *type;
    void (*take)(struct link *l, struct span data);
} messages[] = {
    {"welcome", take_greeting},
    {"game_start", take_start},
    {"action_request", take_request},
    {"match_feed", take_feed},
    {"event", take_feed},
    {"action_stale", take_stale},
    {"game_over", take_end},
    {"match_confirm_request", confirm},
    {"match_cancelled", take_cancel},
    {"error", take_error},
};

static void on_message(void *client, struct span text)
{
    struct link *l = client;
    struct span data = json_member(text, "data");
    char type[NAME];
    read_text(json_member(text, "type"), type, sizeof type);
    for (size_t i = 0; i < sizeof messages / sizeof *messages && l->stage <= PLAYING; i++)
        if (strcmp(type, messages[i].type) == 0)
            messages[i].take(l, data);
    if (l->stage <= PLAYING)
        refresh(l);
}

// --- the connection

static void come_in(struct link *l);

static void try_again(struct link *l)
{
    int64_t ms = AGAIN_MS << (l->tries < 8 ? l->tries : 8);
    ms = ms < AGAIN_MOST ? ms : AGAIN_MOST;
    l->tries++;
    event_add(l->again, &(struct timeval){ms / 1000, ms % 1000 * 1000});
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    come_in(arg);
}

static void on_end(void *client, int code, struct span why)
{
    struct link *l = client;
    (void)why;
    if (code == REPLACED && l->stage <= PLAYING)
        end(l, FAILED, "somebody else plays with this key now: your seat was taken over");
}

static void on_close(void *client)
{
    struct link *l = client;
    l->ws = NULL;
    if (l->stage > PLAYING)
        return;
    try_again(l);
    refresh(l);
}

static void on_open(void *client, struct ws *w)
{
    ((struct link *)client)->ws = w;
}

static void on_refused(void *client, int status, struct span body)
{
    struct link *l = client;
    char why[WHY];
    if (l->stage > PLAYING)
        return;
    if (status == 401 || status == 403) {
        read_shown(json_member(body, "error"), why, sizeof why);
        if (!*why)
            utf8_copy_shown(why, sizeof why, body, false);
        end(l, FAILED, why);
        return;
    }
    try_again(l);
    refresh(l);
}

static void come_in(struct link *l)
{
    static const struct ws_handler handler = {.on_message = on_message, .on_close = on_close, .on_end = on_end};
    char lines[512];
    snprintf(lines, sizeof lines,
             "X-API-Key: %s\r\nX-AIFight-Protocol-Version: v1.2.0\r\nX-AIFight-Instance: %s\r\n"
             "X-AIFight-Capabilities: match_feed,%s\r\nX-AIFight-Bridge-Capabilities: replaced-close-code\r\n",
             l->key, l->instance, arena_games_gated());
    struct http_ask ask = ask_of(l, "GET", "/api/ws", lines);
    ask.on_answer = on_refused;
    ask.on_open = on_open;
    ask.handler = &handler;
    ask.max_message = MAX_MESSAGE;
    if (http_client_ask(l->http, &ask) != 0)
        try_again(l);
}

// --- what the person does

static void send_move(struct link *l, struct game_action a)
{
    struct text t = {.grow = heap_text_grow};
    text_puts(&t, "{\"type\":\"action\",\"match_id\":");
    json_write_text(&t, l->asked.match);
    if (l->asked.request[0]) {
        text_puts(&t, ",\"request_id\":");
        json_write_text(&t, l->asked.request);
    }
    text_puts(&t, ",\"data\":");
    action_request_answer(l->o->game, &t, &l->asked, a);
    text_puts(&t, "}");
    if (l->ws && !t.full)
        ws_send(l->ws, text_span(&t));
    else // the question comes again with the connection
        desk_set_notice(&l->desk, "not connected: the move was not sent");
    free(t.at);
}

static void on_hint(void *client, int status, struct span body)
{
    struct link *l = client;
    char text[WHY];
    if (l->stage > PLAYING)
        return;
    read_shown(json_member(body, status == 200 ? "sentence" : "error"), text, sizeof text);
    desk_set_notice(&l->desk, "hint: %s", *text ? text : "the server gives none");
    refresh(l);
}

static void put_hint(void *owner, struct text *out)
{
    struct link *l = owner;
    char path[WHY], lines[KEY + 32];
    (void)out; // it comes later
    snprintf(path, sizeof path, "/api/agents/me/matches/%s/hint", l->match);
    snprintf(lines, sizeof lines, "X-API-Key: %s\r\n", l->key);
    struct http_ask ask = ask_of(l, "GET", path, lines);
    ask.on_answer = on_hint;
    if (http_client_ask(l->http, &ask) != 0)
        desk_set_notice(&l->desk, "there is no hint: no connection");
}

static void heed(struct link *l, enum desk_event event, struct game_action a)
{
    if (event == DESK_MOVE)
        send_move(l, a);
    if (event == DESK_QUIT)
        end(l, LEFT, "");
    else
        refresh(l);
}

// A line is taken when somebody listens to it: what is typed ahead waits for its question.
static void take_lines(struct link *l)
{
    struct game_action a = {0};
    char *end = NULL;
    while (l->stage <= PLAYING && (l->desk.is_asked || l->desk.mode == DESK_QUITS) &&
           (end = memchr(l->typed, '\n', l->typed_size))) {
        *end = 0;
        l->typed[strcspn(l->typed, "\r")] = 0;
        heed(l, desk_take_line(&l->desk, l->typed, &a), a);
        l->typed_size -= (size_t)(end + 1 - l->typed);
        memmove(l->typed, end + 1, l->typed_size);
        if (!l->typed_ends)
            event_add(l->input, NULL);
    }
    bool is_idle = l->stage == WAITING || (l->stage == PLAYING && l->desk.is_asked);
    if (l->typed_ends && is_idle && !memchr(l->typed, '\n', l->typed_size))
        heed(l, desk_take_line(&l->desk, NULL, &a), a);
}

// Nothing is read while there is no room: input that is not taken would be told again and again.
static void read_lines(struct link *l)
{
    ssize_t size = read(STDIN_FILENO, l->typed + l->typed_size, sizeof l->typed - l->typed_size - 1);
    l->typed_ends = size <= 0;
    l->typed_size += size > 0 ? (size_t)size : 0;
    if (l->typed_ends && l->typed_size && l->typed[l->typed_size - 1] != '\n') // a last line without its end
        l->typed[l->typed_size++] = '\n';
    bool is_full = l->typed_size == sizeof l->typed - 1;
    if (is_full && !memchr(l->typed, '\n', l->typed_size))
        l->typed_size = 0; // no move is that long
    else if (is_full || l->typed_ends)
        event_del(l->input);
    take_lines(l);
}

static void take_keys(struct link *l)
{
    struct game_action a = {0};
    for (int key; l->stage <= PLAYING && (key = screen_wait_key(&l->desk.screen, 0)) != SCREEN_NOTHING;)
        heed(l, desk_take_key(&l->desk, key, &a), a);
}

static void on_input(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct link *l = arg;
    if (l->desk.live)
        take_keys(l);
    else
        read_lines(l);
}

// The clock, another size of the window, Ctrl-C.
static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct link *l = arg;
    struct game_action a = {0};
    if (l->stage == WAITING && l->o->resume && l->greeted_ms && loop_now_ms() > l->greeted_ms + RESUME_MS) {
        end(l, FAILED, "no match of yours runs there; start one without --resume");
        return;
    }
    if (l->desk.live) {
        take_keys(l);
        if (l->stage <= PLAYING)
            refresh(l);
    } else if (*desk_interrupt(&l->desk)) {
        *desk_interrupt(&l->desk) = 0;
        heed(l, desk_take_key(&l->desk, SCREEN_INTERRUPT, &a), a);
    } else {
        take_lines(l);
    }
}

// --- the whole

static void open_link(struct link *l)
{
    char why[WHY], known[256];
    const struct play_server_options *o = l->o;
    arena_games_name(known, sizeof known);
    if (!o->game)
        app_refuse(o->command, "which game? Choose one of %s", known);
    if (dialect_refusal(o->game) || !dialect_has_view(o->game))
        app_refuse(o->command, "%s cannot be played on a server at the terminal; choose one of %s", o->game->game->name,
                   known);
    if (!http_url_read(&l->server, o->url) || l->server.path[0])
        app_refuse(o->command, "--server: '%s' is not an address, as http://127.0.0.1:8080", o->url);
    if (!http_find_address(l->server.host, l->address))
        app_refuse(o->command, "cannot resolve the host name %s", l->server.host);
    if (l->server.secure && !(l->tls = tls_open_client(o->trust_anyone, why, sizeof why)))
        app_refuse(o->command, "%s", why);
    signal(SIGPIPE, SIG_IGN);
    loop_init(&l->loop);
    l->http = http_client_open(&l->loop, l->tls, 8);
    snprintf(l->instance, sizeof l->instance, "agon-play-%d", (int)getpid());
    l->body.grow = l->rules.grow = heap_text_grow;
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        l->names[s] = l->name[s];
}

static void close_link(struct link *l)
{
    event_free(l->input);
    event_free(l->tick);
    event_free(l->again);
    http_client_close(l->http);
    tls_close(l->tls);
    loop_release(&l->loop);
    free(l->body.at);
    free(l->rules.at);
}

static void play(struct link *l)
{
    l->input = event_new(l->loop.base, STDIN_FILENO, EV_READ | EV_PERSIST, on_input, l);
    l->tick = event_new(l->loop.base, -1, EV_PERSIST, on_tick, l);
    l->again = event_new(l->loop.base, -1, 0, on_again, l);
    event_add(l->input, NULL);
    event_add(l->tick, &(struct timeval){.tv_usec = TICK_MS * 1000});
    come_in(l);
    refresh(l);
    loop_run(&l->loop);
}

int play_server(const struct play_server_options *o)
{
    static struct link l;
    static const struct desk_owner owner = {.owner = &l,
                                            .put_hint = put_hint,
                                            .put_rules = put_rules,
                                            .quit = "Your seat waits while its clock runs; come back with --resume."};
    l.o = o;
    open_link(&l);
    find_player(&l);
    if (!o->resume)
        check_running(&l);
    if (!o->resume && !plays_queue(&l))
        make_table(&l);
    desk_open(&l.desk, &owner, "");
    if (l.join_url[0])
        codec_write(&l.desk.log, "your friend joins at %s\n", l.join_url);
    text_puts(&l.desk.log, o->resume ? "looking for your match\n" : "waiting for the match to begin\n");
    play(&l);
    if (l.stage == OVER)
        desk_show_end(&l.desk, l.result);
    else
        l.desk.notice[0] = 0;
    if (l.stage == LEFT)
        give_up_table(&l);
    desk_close(&l.desk);
    if (l.stage == LEFT && l.match[0])
        printf("Your match goes on. Come back with: agon play %s --resume --server %s\n", o->game->game->name, o->url);
    if (l.stage == FAILED)
        fprintf(stderr, "%s: %s\n", o->command, l.why);
    close_link(&l);
    return l.stage == FAILED ? APP_FAILED : APP_DONE;
}
