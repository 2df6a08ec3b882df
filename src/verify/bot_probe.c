#include "verify/bot_probe.h"

#include "base/json_read.h"
#include "base/utf8.h"
#include "bots/self_play.h"
#include "botwire/wire.h"
#include "games/games.h"
#include "house/ask.h"
#include "match/match.h"
#include "net/loop.h"

#include <curl/curl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BODY = 1 << 16,  // of an answer; what is longer is read and not kept
    LARGE = 1 << 20, // a request that a bot must bear
    IDLE_S = 6,      // longer than the five seconds after which servers of Node close an idle connection
    MATCH_ROOM = 64,
    DEPTH = 32,
    MAX_OPEN = 8,
};
enum { LIFE_MS = 5000, COME_BACK_MS = 2000, POLL_MS = 50 }; // for a bot that may have died

struct bot_probe {
    const struct bot_probe_options *options;
    char base[1024]; // without /api
    CURL *curl;      // one connection, kept open between probes
    struct {
        int status; // 0: no answer
        char body[BODY];
        size_t size;
        char fault[CURL_ERROR_SIZE];
    } answer;
    char card[BODY], other_card[BODY], bid[BODY], cut[BODY]; // decisions of a real deal
    struct game_choice plays[GAME_MAX_CHOICES];              // the choices of `card`
    int play_count;
    char open[MAX_OPEN][MATCH_ROOM * 2]; // sessions to delete, whatever the probe's result
    int opens;
    bool looking; // checking whether it is alive: a call has less time
    char why[GATE_WHY];
};

// --- one request

// `no_type` and `chunked` are unusual and legal: servers of few lines often fail there.
struct request {
    const char *method, *path, *body;
    bool no_type, chunked;
};

static size_t on_body(char *bytes, size_t one, size_t count, void *owner)
{
    struct bot_probe *p = owner;
    size_t size = one * count, room = BODY - 1 - p->answer.size;
    size_t kept = size < room ? size : room;
    memcpy(p->answer.body + p->answer.size, bytes, kept);
    p->answer.size += kept;
    return size;
}

static void begin_request(struct bot_probe *p, const struct request *r, char *url, size_t room)
{
    const struct bot_probe_options *o = p->options;
    snprintf(url, room, "%s%s", p->base, r->path);
    curl_easy_reset(p->curl);
    curl_easy_setopt(p->curl, CURLOPT_URL, url);
    curl_easy_setopt(p->curl, CURLOPT_CUSTOMREQUEST, r->method);
    curl_easy_setopt(p->curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(p->curl, CURLOPT_WRITEDATA, p);
    curl_easy_setopt(p->curl, CURLOPT_ERRORBUFFER, p->answer.fault);
    curl_easy_setopt(p->curl, CURLOPT_TIMEOUT_MS,
                     (long)(p->looking && o->timeout_ms > LIFE_MS ? LIFE_MS : o->timeout_ms));
    curl_easy_setopt(p->curl, CURLOPT_USERAGENT, "agon");
    curl_easy_setopt(p->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(p->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(p->curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    if (o->ca_file)
        curl_easy_setopt(p->curl, CURLOPT_CAINFO, o->ca_file);
    if (o->trust_anyone) {
        curl_easy_setopt(p->curl, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(p->curl, CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

// Returns the status, 0 without an answer.
static int send_request(struct bot_probe *p, const struct request *r)
{
    char url[1400];
    struct curl_slist *headers = NULL;
    long status = 0;
    p->answer.size = 0;
    p->answer.fault[0] = 0;
    begin_request(p, r, url, sizeof url);
    headers =
        curl_slist_append(headers, r->no_type ? "Content-Type:" : "Content-Type: application/json; charset=utf-8");
    headers = curl_slist_append(headers, "Expect:");
    if (r->chunked)
        headers = curl_slist_append(headers, "Transfer-Encoding: chunked");
    curl_easy_setopt(p->curl, CURLOPT_HTTPHEADER, headers);
    if (r->body) {
        curl_easy_setopt(p->curl, CURLOPT_POSTFIELDS, r->body);
        curl_easy_setopt(p->curl, CURLOPT_POSTFIELDSIZE, (long)strlen(r->body));
    }
    if (curl_easy_perform(p->curl) == CURLE_OK)
        curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    p->answer.body[p->answer.size] = 0;
    return p->answer.status = (int)status;
}

static int post_json(struct bot_probe *p, const char *path, const char *body)
{
    return send_request(p, &(struct request){.method = "POST", .path = path, .body = body});
}

static const char *set_reason(struct bot_probe *p, const char *format, ...)
{
    char text[GATE_WHY]; // contains parts of answers
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    utf8_copy_shown(p->why, sizeof p->why, span_of(text), false);
    return p->why;
}

static const char *expect_status(struct bot_probe *p, int status)
{
    if (p->answer.status == status)
        return NULL;
    if (p->answer.status == 0)
        return set_reason(p, "no answer: %s", p->answer.fault);
    return set_reason(p, "%d, not %d: %.100s", p->answer.status, status, p->answer.body);
}

// --- sessions

// Notes what a create has made, even if it should have been refused.
static void add_open(struct bot_probe *p)
{
    char *id = p->open[p->opens];
    if (p->answer.status / 100 == 2 && p->opens < MAX_OPEN - 1 &&
        wire_read_session((struct span){p->answer.body, p->answer.size}, id, MATCH_ROOM * 2) == OK && id[0])
        p->opens++;
}

static const char *create(struct bot_probe *p, const char *extra, char id[MATCH_ROOM * 2])
{
    char body[256];
    snprintf(body, sizeof body, "{\"position\":\"Bottom\",\"matchId\":\"probe\"%s}", extra);
    post_json(p, "/api/sessions", body);
    add_open(p);
    const char *wrong = expect_status(p, 201);
    if (wrong)
        return wrong;
    if (wire_read_session((struct span){p->answer.body, p->answer.size}, id, MATCH_ROOM * 2) != OK || !id[0])
        return set_reason(p, "no sessionId in %.100s", p->answer.body);
    return NULL;
}

// Ids are opaque (B12.1).
static void session_path(const char *id, const char *what, char path[512])
{
    char *escaped = curl_easy_escape(NULL, id, 0);
    snprintf(path, 512, "/api/sessions/%s%s%s", escaped ? escaped : "", *what ? "/" : "", what);
    curl_free(escaped);
}

static int post_to_session(struct bot_probe *p, const char *id, const char *what, const char *body)
{
    char path[512];
    session_path(id, what, path);
    return post_json(p, path, body);
}

static int delete_session(struct bot_probe *p, const char *id)
{
    char path[512];
    for (int i = 0; i < p->opens; i++)
        if (strcmp(p->open[i], id) == 0) {
            p->opens--;
            memmove(p->open[i], p->open[p->opens], sizeof p->open[i]);
            break;
        }
    session_path(id, "", path);
    return send_request(p, &(struct request){.method = "DELETE", .path = path});
}

static void delete_sessions(struct bot_probe *p)
{
    char id[MATCH_ROOM * 2];
    while (p->opens) {
        memcpy(id, p->open[p->opens - 1], sizeof id);
        delete_session(p, id);
    }
}

static bool is_offered(const struct bot_probe *p, const char *body)
{
    struct game_action a;
    return wire_read_card(span_of(body), &a) == OK && game_has_choice(p->plays, p->play_count, a);
}

static const char *want_card(struct bot_probe *p)
{
    const char *wrong = expect_status(p, 200);
    if (wrong)
        return wrong;
    return is_offered(p, p->answer.body) ? NULL : set_reason(p, "no card of the list: %.100s", p->answer.body);
}

static const char *choose_card(struct bot_probe *p, const char *id, const char *body)
{
    post_to_session(p, id, "choose-card", body);
    return want_card(p);
}

#define SEEDED ",\"seed\":42"

// --- the probes: each gets a session, unless its row has none

static const char *probe_create(struct bot_probe *p, const char *first)
{
    char second[MATCH_ROOM * 2];
    const char *wrong = create(p, "", second);
    if (wrong)
        return wrong;
    return strcmp(first, second) == 0 ? set_reason(p, "the same id twice: %.60s", first) : NULL;
}

static const char *probe_delete(struct bot_probe *p, const char *id)
{
    const char *wrong = NULL;
    for (int i = 0; i < 2 && !wrong; i++) {
        delete_session(p, id);
        wrong = expect_status(p, 204);
    }
    if (wrong)
        return wrong;
    delete_session(p, "no-such-session");
    return expect_status(p, 204);
}

static const char *probe_lost(struct bot_probe *p, const char *id)
{
    const char *wrong;
    delete_session(p, id);
    post_to_session(p, id, "choose-card", p->card);
    if ((wrong = expect_status(p, 404)))
        return wrong;
    post_to_session(p, "no-such-session", "notify/deal-started", "{\"matchState\":null}");
    return expect_status(p, 404);
}

static const char *probe_malformed(struct bot_probe *p, const char *id)
{
    static const char *const bodies[] = {"{\"hand\":", "", "[]", "nonsense"};
    const char *wrong = NULL;
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies && !wrong; i++) {
        post_to_session(p, id, "choose-card", bodies[i]);
        wrong = expect_status(p, 400);
    }
    return wrong ? wrong : choose_card(p, id, p->card);
}

static const char *probe_bad_create(struct bot_probe *p, const char *none)
{
    static const char *const bodies[] = {"{\"position\":\"Bottom\"}",
                                         "{\"position\":\"Middle\",\"matchId\":\"probe\"}"};
    const char *wrong = NULL;
    (void)none;
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies && !wrong; i++) {
        post_json(p, "/api/sessions", bodies[i]);
        add_open(p);
        wrong = expect_status(p, 400);
    }
    return wrong;
}

static const char *probe_nulls(struct bot_probe *p, const char *id)
{
    const char *wrong = choose_card(p, id, p->card);
    return wrong ? wrong : choose_card(p, id, p->other_card);
}

static const char *probe_extra(struct bot_probe *p, const char *id)
{
    char path[512];
    static char body[BODY];
    snprintf(body, sizeof body, "{\"mood\":{\"today\":[1,2]},%s", p->card + 1);
    session_path(id, "choose-card", path);
    send_request(p, &(struct request){.method = "POST", .path = path, .body = body, .no_type = true});
    return want_card(p);
}

static const char *probe_paths(struct bot_probe *p, const char *id)
{
    char path[512];
    const char *wrong;
    post_json(p, "/api/no-such-path", "{}");
    if ((wrong = expect_status(p, 404)))
        return wrong;
    session_path(id, "choose-card", path);
    send_request(p, &(struct request){.method = "GET", .path = path});
    if (p->answer.status != 405 && p->answer.status != 404)
        return expect_status(p, 405);
    post_to_session(p, id, "notify/sun-risen", "{}");
    if (p->answer.status != 200 && p->answer.status != 404)
        return expect_status(p, 200);
    return NULL;
}

static const char *probe_empty_list(struct bot_probe *p, const char *id)
{
    post_to_session(p, id, "choose-card", "{\"hand\":[],\"handState\":null,\"matchState\":null,\"validPlays\":[]}");
    return p->answer.status == 400 ? NULL : expect_status(p, 422);
}

static const char *probe_repeat(struct bot_probe *p, const char *id)
{
    char first[256];
    const char *wrong = choose_card(p, id, p->card);
    snprintf(first, sizeof first, "%.255s", p->answer.body);
    for (int i = 0; i < 8 && !wrong; i++) {
        wrong = choose_card(p, id, p->card);
        if (!wrong && strncmp(first, p->answer.body, sizeof first - 1) != 0)
            wrong = set_reason(p, "first %.60s, then %.60s", first, p->answer.body);
    }
    return wrong;
}

// The same seed and requests in two interleaved sessions must give the same answers.
static const char *probe_twins(struct bot_probe *p, const char *id)
{
    const char *const asked[][2] = {
        {"choose-cut", p->cut}, {"choose-negotiation-action", p->bid}, {"choose-card", p->card}};
    char twin[MATCH_ROOM * 2], first[256];
    const char *wrong = create(p, SEEDED, twin);
    for (unsigned i = 0; i < 3 && !wrong; i++) {
        post_to_session(p, id, asked[i][0], asked[i][1]);
        wrong = expect_status(p, 200);
        snprintf(first, sizeof first, "%.255s", p->answer.body);
        if (wrong)
            break;
        post_to_session(p, twin, asked[i][0], asked[i][1]);
        wrong = expect_status(p, 200);
        if (!wrong && strncmp(first, p->answer.body, sizeof first - 1) != 0)
            wrong = set_reason(p, "%s: %.60s and %.60s", asked[i][0], first, p->answer.body);
    }
    return wrong;
}

// In a session without notifications.
static const char *probe_silence(struct bot_probe *p, const char *id)
{
    const char *const asked[][2] = {{"choose-cut", p->cut}, {"choose-negotiation-action", p->bid}};
    const char *wrong = NULL;
    for (int i = 0; i < 2 && !wrong; i++) {
        post_to_session(p, id, asked[i][0], asked[i][1]);
        wrong = expect_status(p, 200);
    }
    return wrong ? wrong : choose_card(p, id, p->card);
}

static const char *probe_idle(struct bot_probe *p, const char *id)
{
    if (!p->options->quick)
        sleep(IDLE_S); // the idle time itself is tested
    return choose_card(p, id, p->card);
}

static const char *probe_chunked(struct bot_probe *p, const char *id)
{
    char path[512];
    session_path(id, "choose-card", path);
    send_request(p, &(struct request){.method = "POST", .path = path, .body = p->card, .chunked = true});
    return want_card(p);
}

// A body of exactly 1 MiB, most of it in an unknown field.
static const char *probe_large(struct bot_probe *p, const char *id)
{
    char *body = malloc(LARGE + 1);
    const char *wrong = NULL;
    if (!body)
        return set_reason(p, "no memory here");
    size_t tail = strlen(p->card + 1), head = (size_t)sprintf(body, "{\"padding\":\"");
    size_t fill = LARGE - head - tail - 2;
    memset(body + head, 'x', fill);
    memcpy(body + head + fill, "\",", 2);
    memcpy(body + head + fill + 2, p->card + 1, tail + 1);
    post_to_session(p, id, "choose-card", body);
    free(body);
    if (p->answer.status != 413)
        wrong = want_card(p);
    return wrong ? wrong : choose_card(p, id, p->card);
}

const struct bot_probe_row bot_probe_rows[] = {
    {"create", "201 and a sessionId, another one each time", true, false, "", probe_create},
    {"delete", "DELETE of an unknown or deleted session is 204", true, false, "", probe_delete},
    {"lost-session", "decision and notification on a lost session are 404", true, false, "", probe_lost},
    {"nulls", "nullable fields explicit and omitted are both 200", true, false, "", probe_nulls},
    {"extra-fields", "extra fields and no Content-Type are 200", true, false, ",\"colour\":\"blue\"", probe_extra},
    {"repeat", "an identical decision gets the identical answer", false, false, "", probe_repeat},
    {"twins", "two sessions with equal seeds and requests give equal answers", true, false, SEEDED, probe_twins},
    {"silence", "decisions are legal without any notification", true, false, "", probe_silence},
    {"idle", "a connection that was idle for six seconds, or its successor, works", false, false, "", probe_idle},
    {"malformed", "malformed JSON and an empty body are 400; the next request is served", true, true, "",
     probe_malformed},
    {"bad-create", "create without matchId or with an unknown position is 400", false, true, NULL, probe_bad_create},
    {"paths", "unknown path 404, wrong method 405, unknown event 200", false, true, "", probe_paths},
    {"empty-list", "an empty list is 422", false, true, "", probe_empty_list},
    {"chunked", "a chunked request is served", false, true, "", probe_chunked},
    {"large", "a body of a mebibyte is served or refused with 413", false, true, "", probe_large},
    {0},
};

// --- a real deal to ask about

static void add_events(struct wire_deal *d, const struct game_events *happened)
{
    for (uint32_t i = 0; i < happened->count; i++) {
        const struct game_event *e = &happened->at[i];
        if (e->kind == BELOTE_DEAL_STARTED)
            wire_start_deal(d, e->seat);
        else if (e->kind == BELOTE_BID)
            wire_add_bid(d, e->data[0]);
        else if (e->kind == BELOTE_NEGOTIATION_COMPLETED)
            d->mode = e->data[0];
        else if (e->kind == BELOTE_CARD_PLAYED)
            wire_add_play(d, e->data[0]);
    }
}

static bool write_decision(struct bot_probe *p, const struct match *m, const struct wire_deal *d, int seat)
{
    struct belote_view v;
    struct wire_match state = {.target = 150, .dealer = d->dealer, .winner = BELOTE_NONE};
    struct game_choice choices[GAME_MAX_CHOICES];
    int count = m->game->choices(&m->state, seat, choices);
    m->game->view(&m->state, seat, &v);
    struct text t;
    if (v.phase == BELOTE_CUT_PHASE) {
        t = text_on(p->cut, BODY - 1);
        wire_write_cut(&t, &state, true);
        p->cut[t.size] = 0;
    } else if (v.phase == BELOTE_BID_PHASE) {
        t = text_on(p->bid, BODY - 1);
        wire_write_negotiate(&t, &v, &state, true, choices, count);
        p->bid[t.size] = 0;
    } else if (count > 1 && d->plays >= 4) {
        t = text_on(p->card, BODY - 1);
        wire_write_choose_card(&t, &v, d, &state, true, choices, count);
        p->card[t.size] = 0;
        t = text_on(p->other_card, BODY - 1);
        wire_write_choose_card(&t, &v, d, &state, false, choices, count);
        p->other_card[t.size] = 0;
        memcpy(p->plays, choices, sizeof p->plays);
        p->play_count = count;
        return true;
    }
    return false;
}

// Plays until a card can be chosen, and keeps the last cut, bid and card decision as requests.
static void make_requests(struct bot_probe *p)
{
    static struct game_events happened;
    struct match_setup setup = {.game = &belote_game, .seats = BELOTE_SEATS, .key = {11}};
    struct match m;
    struct wire_deal d = {0};
    match_start(&m, &setup, NULL, &happened);
    for (;;) {
        add_events(&d, &happened);
        int seat = self_play_next_seat(&m);
        if (write_decision(p, &m, &d, seat))
            return;
        struct game_action a = house_ask(&m, &bot_random, seat, (uint32_t)m.steps, 0.5f);
        happened.count = 0;
        match_answer(&m, seat, m.game->turn(&m.state).number, a, &happened);
    }
}

// --- the run

static void set_base(struct bot_probe *p, const char *address)
{
    snprintf(p->base, sizeof p->base, "%s", address);
    size_t size = strlen(p->base);
    while (size && p->base[size - 1] == '/')
        p->base[--size] = 0;
    if (size >= 4 && strcmp(p->base + size - 4, "/api") == 0) // B12.1: never doubled
        p->base[size - 4] = 0;
}

static struct bot_probe *open_probe(const struct bot_probe_options *o)
{
    struct bot_probe *p = calloc(1, sizeof *p);
    if (!p || !(p->curl = curl_easy_init())) {
        free(p);
        return NULL;
    }
    p->options = o;
    set_base(p, o->address);
    make_requests(p);
    return p;
}

static void close_probe(struct bot_probe *p)
{
    curl_easy_cleanup(p->curl);
    free(p);
}

// B13.8: any answer counts.
static bool is_alive(struct bot_probe *p)
{
    p->looking = true;
    bool answered = send_request(p, &(struct request){.method = "GET", .path = "/health"}) != 0;
    p->looking = false;
    return answered;
}

// CAME_BACK: something restarts it. The probe has failed, and the next ones can run.
enum life { LIVES, CAME_BACK, GONE };

// Waits a while, since somebody may start it again.
static enum life check_alive(struct bot_probe *p)
{
    const struct timespec pause = {.tv_nsec = POLL_MS * 1000000};
    double until = loop_now_seconds() + COME_BACK_MS / 1000.0;
    if (is_alive(p))
        return LIVES;
    while (loop_now_seconds() < until) {
        nanosleep(&pause, NULL);
        if (is_alive(p))
            return CAME_BACK;
    }
    return GONE;
}

static enum life run_row(struct bot_probe *p, const struct bot_probe_row *row, struct gate_result *r)
{
    double begin = loop_now_seconds();
    char why[GATE_WHY] = "";
    char id[MATCH_ROOM * 2] = "";
    bool failed = (row->session && create(p, row->session, id)) || row->run(p, id);
    if (failed)
        memcpy(why, p->why, sizeof why);
    delete_sessions(p);
    enum life life = check_alive(p);
    *r = (struct gate_result){.verdict = failed || life != LIVES ? GATE_FAIL : GATE_PASS,
                              .seconds = loop_now_seconds() - begin};
    if (life == LIVES)
        memcpy(r->why, why, sizeof why);
    else
        snprintf(r->why, sizeof r->why, "the bot died of it%s%s%.120s",
                 life == CAME_BACK ? " and was started again" : "", *why ? ": " : "", why);
    return life;
}

static enum bot_probe_end run_rows(struct bot_probe *p, bool harsh, struct gate_result results[BOT_PROBES],
                                   char why[GATE_WHY])
{
    const struct bot_probe_options *o = p->options;
    const char *died_of = NULL;
    for (int i = 0; bot_probe_rows[i].name; i++) {
        const struct bot_probe_row *row = &bot_probe_rows[i];
        if (row->harsh != harsh)
            continue;
        if (died_of) {
            results[i] = (struct gate_result){0};
            snprintf(results[i].why, GATE_WHY, "the bot died of '%s'", died_of);
        } else if (run_row(p, row, &results[i]) == GONE) {
            died_of = row->name;
            snprintf(why, GATE_WHY, "the bot crashed in the probe '%s': it no longer answers", row->name);
        }
        if (o->on_row)
            o->on_row(o->owner, row, &results[i]);
    }
    return died_of ? BOT_PROBE_DIED : BOT_PROBE_DONE;
}

// What GET /health says. `sessions` is -1 and `game` empty if it does not say.
struct health {
    int64_t sessions;
    char game[32];
};

static struct health read_health(const struct bot_probe *p)
{
    struct health h = {.sessions = -1};
    struct json_reader r = json_reader_of((struct span){p->answer.body, p->answer.size}, DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "sessions") && json_peek(&r) == JSON_INT)
            h.sessions = json_read_int(&r, 0, INT32_MAX);
        else if (json_string_is(key, "game") && json_peek(&r) == JSON_STRING)
            json_string_copy(json_read_string(&r), h.game, sizeof h.game);
        else
            json_skip(&r);
    return json_finish(&r) == OK ? h : (struct health){.sessions = -1};
}

// Bots of agon say what they play. For those of another game every row would fail, and none would say why.
static bool is_other_game(const struct bot_probe *p, char why[GATE_WHY])
{
    struct health h = read_health(p);
    const struct game_kit *other = games_find(h.game);
    if (!other || other->game == &belote_game)
        return false;
    snprintf(why, GATE_WHY,
             "these checks are for belote, and the bot at %.60s plays %s; give the address of a belote bot",
             p->options->address, other->game->name);
    return true;
}

enum bot_probe_end bot_probe_run(const struct bot_probe_options *o, bool harsh, struct gate_result results[BOT_PROBES],
                                 char why[GATE_WHY])
{
    struct bot_probe *p = open_probe(o);
    enum bot_probe_end end = BOT_PROBE_NOBODY;
    if (!p)
        snprintf(why, GATE_WHY, "no memory for the probes");
    else if (!is_alive(p))
        snprintf(why, GATE_WHY, "cannot reach %.70s: %.90s", o->address, p->answer.fault);
    else if (!is_other_game(p, why))
        end = run_rows(p, harsh, results, why);
    if (p)
        close_probe(p);
    return end;
}

int64_t bot_probe_sessions(const struct bot_probe_options *o)
{
    struct bot_probe *p = open_probe(o);
    if (!p)
        return -1;
    bool answered = send_request(p, &(struct request){.method = "GET", .path = "/health"}) == 200;
    int64_t sessions = answered ? read_health(p).sessions : -1;
    close_probe(p);
    return sessions;
}
