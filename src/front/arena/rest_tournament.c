// Tournaments (F5.13): listing, showing, following, creating and ending them. tournaments/ runs them.
#include "base/utf8.h"
#include "front/arena/rest_internal.h"
#include "games/games.h"

#include "heap/heap.h"
#include "lobby/scoring.h"

#include <stdlib.h>

enum {
    ROWS = 50, // F5.13: most tournaments of a page
    USUAL_ROWS = 20,
    GAMES = 100,          // games of a page
    STREAMS = 256,        // most clients that follow a tournament at once: each keeps a connection
    PROGRESS_US = 500000, // F5.13: at most twice a second
    SIGN_US = 15000000,   // keep-alive interval
};

// --- rows

static void write_row(struct rest_call *c, const struct tournament *x)
{
    struct text *t = &c->out;
    struct tournament_facts f = tournament_summary(x);
    json_begin_object(t);
    uuid_put(t, "id", f.id);
    if (f.title[0])
        json_put_text(t, "title", f.title);
    json_put_text(t, "game", f.game);
    json_put_text(t, "format", contest_format_names[f.format]);
    json_put_text(t, "status", tournament_status_names[f.status]);
    json_begin_array_at(t, "entrants");
    for (int i = 0; i < f.entrants; i++)
        json_write_text(t, tournament_entrant(x, i));
    json_end_array(t);
    json_put_uint(t, "games_done", f.done);
    json_put_uint(t, "games_total", f.total);
    rfc3339_put(t, "created_at", f.created_ms);
    json_put_int(t, "wait_seconds", f.wait_seconds);
    if (f.entry_until_ms) {
        rfc3339_put(t, "entry_until", f.entry_until_ms);
        json_put_int(t, "entry_max", f.entry_max);
        if (f.started_ms)
            rfc3339_put(t, "started_at", f.started_ms);
    }
    if (f.finished_ms)
        rfc3339_put(t, "finished_at", f.finished_ms);
    else if (f.done) // extrapolated from what was played
        rfc3339_put(t, "eta",
                    c->now_ms +
                        (int64_t)((double)(c->now_ms - f.started_ms) * (double)(f.total - f.done) / (double)f.done));
    if (tournament_status_is_past(f.status) && !c->rest->options.hide_seed)
        json_put_uint(t, "seed", f.seed); // kept secret until then: it determines the cards
    json_end_object(t);
}

void rest_tournaments(struct rest_call *c)
{
    const struct tournament *rows[ROWS];
    struct rest_page page;
    struct text *t = &c->out;
    char game[REST_GAME];
    int total = 0;
    if (!rest_read_game(c, game) || !rest_read_page(c, USUAL_ROWS, ROWS, &page))
        return;
    const struct tournaments *tournaments = c->rest->options.tournaments;
    int count =
        tournaments ? tournaments_list(tournaments, game[0] ? game : NULL, page.from, rows, page.limit, &total) : 0;
    json_begin_object(t);
    json_begin_array_at(t, "tournaments");
    for (int i = 0; i < count; i++)
        write_row(c, rows[i]);
    json_end_array(t);
    rest_put_page(t, count, total, &page);
    json_end_object(t);
}

// The tournament of {id}; NULL: refused.
static const struct tournament *find_tournament(struct rest_call *c)
{
    struct uuid id;
    if (!rest_read_id(c, &id, "tournament"))
        return NULL;
    const struct tournament *x =
        c->rest->options.tournaments ? tournaments_find(c->rest->options.tournaments, id) : NULL;
    if (!x)
        rest_fail(c, 404, "unknown tournament");
    return x;
}

void rest_tournament(struct rest_call *c)
{
    const struct tournament *x = find_tournament(c);
    if (!x)
        return;
    json_begin_object(&c->out);
    json_key(&c->out, "tournament");
    write_row(c, x);
    json_key(&c->out, "standings");
    tournament_write_standings(x, &c->out);
    json_end_object(&c->out);
}

// --- games

static void write_game(struct text *t, const struct tournament *x, const struct tournament_game *g)
{
    struct store_match m = {.seats = g->seats, .replay = g->replay};
    const struct tournament_facts f = tournament_summary(x);
    const struct game_kit *kit = games_find(f.game); // NULL: created by a newer node
    m.teams = kit ? kit->game->teams : 0;
    memcpy(m.payoffs, g->payoffs, (size_t)g->seats * sizeof *m.payoffs);
    scoring_set_results(&m);
    json_begin_object(t);
    json_put_uint(t, "index", g->index);
    json_begin_array_at(t, "seats");
    for (int s = 0; s < g->seats; s++)
        json_write_text(t, tournament_entrant(x, g->entrant[s]));
    json_end_array(t);
    rest_put_result(t, &m);
    json_put_text(t, "end", contest_end_names[g->end]);
    if (uuid_is_none(g->replay))
        json_put_null(t, "replay_url");
    else
        rest_put_replay_url(t, "replay_url", &m);
    rfc3339_put(t, "finished_at", g->at_ms);
    json_end_object(t);
}

void rest_tournament_games(struct rest_call *c)
{
    struct tournament_game rows[GAMES];
    struct rest_page page;
    struct text *t = &c->out;
    uint64_t total;
    const struct tournament *x = find_tournament(c);
    if (!x || !rest_read_page(c, GAMES, GAMES, &page))
        return;
    int count = tournament_list_games(x, (uint64_t)page.from, rows, page.limit, &total);
    if (count < 0) {
        rest_fail(c, 500, "the games of this tournament cannot be read");
        return;
    }
    json_begin_object(t);
    json_begin_array_at(t, "games");
    for (int i = 0; i < count; i++)
        write_game(t, x, &rows[i]);
    json_end_array(t);
    rest_put_page(t, count, (int)total, &page);
    json_end_object(t);
}

// --- making and ending

static void read_entrants(struct rest_body *b, struct tournaments_request *q)
{
    q->entrants = 0;
    for (json_enter_array(&b->r); json_next_item(&b->r);) {
        if (q->entrants == CONTEST_ENTRANTS) {
            json_fail(&b->r, ERR_RANGE);
            return;
        }
        rest_read_text(b, q->entrant[q->entrants++], TOURNAMENTS_ENTRANT);
    }
}

// A format that a tournament may have; else CONTEST_MATCH.
static enum contest_format read_format(struct rest_body *b)
{
    struct json_string s = json_read_string(&b->r);
    int format = b->r.error == OK ? json_string_among(s, contest_format_names) : -1;
    return format > CONTEST_MATCH ? (enum contest_format)format : CONTEST_MATCH;
}

static bool read_request(struct rest_call *c, struct tournaments_request *q)
{
    struct rest_body b;
    *q = (struct tournaments_request){.mirrored = true};
    if (!rest_open_body(c, &b, false))
        return false;
    while (rest_next_key(&b)) {
        if (rest_key_is(&b, "game"))
            rest_read_text(&b, q->game, sizeof q->game);
        else if (rest_key_is(&b, "title"))
            rest_read_text(&b, q->title, sizeof q->title);
        else if (rest_key_is(&b, "format"))
            q->format = read_format(&b);
        else if (rest_key_is(&b, "entrants"))
            read_entrants(&b, q);
        else if (rest_key_is(&b, "games"))
            q->games = (uint64_t)rest_read_number(&b, 1, CONTEST_MAX_GAMES);
        else if (rest_key_is(&b, "rounds"))
            q->rounds = (uint64_t)rest_read_number(&b, 1, CONTEST_MAX_GAMES);
        else if (rest_key_is(&b, "seed"))
            q->seed = json_read_uint(&b.r, UINT64_MAX), q->has_seed = true;
        else if (rest_key_is(&b, "mirrored"))
            q->mirrored = json_read_bool(&b.r);
        else if (rest_key_is(&b, "games_per_pair"))
            q->per_pair = (uint64_t)rest_read_number(&b, 1, CONTEST_MAX_GAMES);
        else if (rest_key_is(&b, "wait_seconds"))
            q->wait_seconds = (int)rest_read_number(&b, 1, TOURNAMENTS_MOST_WAIT);
        else if (rest_key_is(&b, "entry_seconds"))
            q->entry_seconds = (int)rest_read_number(&b, 1, TOURNAMENTS_MOST_ENTRY);
        else if (rest_key_is(&b, "entry_max"))
            q->entry_max = (int)rest_read_number(&b, 2, CONTEST_ENTRANTS);
        else
            json_skip(&b.r);
    }
    if (!rest_close_body(&b))
        return false;
    int title = utf8_count_shown(span_of(q->title));
    if (title < 0 || title > TOURNAMENTS_TITLE)
        rest_fail(c, 400, "title must be at most %d characters, all of them visible", TOURNAMENTS_TITLE);
    else if (q->format == CONTEST_MATCH)
        rest_fail(c, 400, "format must be round_robin, gauntlet or swiss");
    else if (q->entry_max && !q->entry_seconds)
        rest_fail(c, 400, "entry_max needs entry_seconds: it limits the entries of a tournament that agents may enter");
    else
        return true;
    return false;
}

// Only this reply waits until everything is durable.
static void on_done(void *owner, uint64_t job, int status, struct uuid id, const char *result)
{
    struct text t = {.grow = heap_text_grow};
    json_begin_object(&t);
    if (status == 201)
        uuid_put(&t, "id", id);
    else if (status == 200)
        json_put_text(&t, "status", result);
    else
        json_put_text(&t, "error", result);
    json_end_object(&t);
    rest_answer_job(owner, job, status, &t);
}

static void wait_for_job(struct rest_call *c, int status, uint64_t job, const char *why)
{
    if (status == 202)
        rest_wait_for(c, job);
    else
        rest_fail(c, status, "%s", why);
}

void rest_create_tournament(struct rest_call *c)
{
    char why[TOURNAMENTS_ERROR_ROOM];
    uint64_t job = 0;
    struct tournaments_request *q = malloc(sizeof *q);
    if (!q || !c->rest->options.tournaments)
        rest_fail(c, 503, "%s", q ? "there are no tournaments here" : "the server has no memory left; try again");
    else if (read_request(c, q)) {
        int status = tournaments_create(c->rest->options.tournaments, q, &job, why);
        wait_for_job(c, status, job, why);
    }
    free(q);
}

typedef int change_call(struct tournaments *t, struct uuid id, uint64_t *job, char why[TOURNAMENTS_ERROR_ROOM]);

static void send_change(struct rest_call *c, change_call *call)
{
    char why[TOURNAMENTS_ERROR_ROOM];
    uint64_t job = 0;
    const struct tournament *x = rest_skip_body(c) ? find_tournament(c) : NULL;
    if (!x)
        return;
    int status = call(c->rest->options.tournaments, tournament_summary(x).id, &job, why);
    wait_for_job(c, status, job, why);
}

void rest_cancel_tournament(struct rest_call *c)
{
    send_change(c, tournaments_cancel);
}

void rest_begin_tournament(struct rest_call *c)
{
    send_change(c, tournaments_begin);
}

// --- entering

void rest_enter_tournament(struct rest_call *c)
{
    char why[TOURNAMENTS_ERROR_ROOM];
    uint64_t job = 0;
    const struct tournament *x = rest_skip_body(c) ? find_tournament(c) : NULL;
    if (!x)
        return;
    int status = tournaments_enter(c->rest->options.tournaments, tournament_summary(x).id, lobby_agent_record(c->agent),
                                   &job, why);
    if (status == 200)
        text_puts(&c->out, "{\"status\":\"entered\"}");
    else
        wait_for_job(c, status, job, why);
}

void rest_leave_tournament(struct rest_call *c)
{
    char why[TOURNAMENTS_ERROR_ROOM];
    uint64_t job = 0;
    const struct tournament *x = rest_skip_body(c) ? find_tournament(c) : NULL;
    if (!x)
        return;
    int status = tournaments_withdraw(c->rest->options.tournaments, tournament_summary(x).id,
                                      lobby_agent_record(c->agent)->id, &job, why);
    wait_for_job(c, status, job, why);
}

// --- following

struct rest_stream {
    LIST_ENTRY(rest_stream) link;
    struct http_request *r;
    struct uuid tour;
    uint64_t version; // version of the facts sent last
    int64_t sent_us, spoke_us;
};

static void forget_stream(struct arena_rest *rest, struct rest_stream *s)
{
    LIST_REMOVE(s, link);
    rest->stream_count--;
    free(s);
}

static bool send_event(struct rest_stream *s, const char *event, const struct text *data)
{
    struct text t = {.grow = heap_text_grow};
    text_puts(&t, "event: ");
    text_puts(&t, event);
    text_puts(&t, "\ndata: ");
    text_put(&t, text_span(data));
    text_puts(&t, "\n\n");
    bool sent = !t.full && http_stream_write(s->r, text_span(&t));
    free(t.at);
    if (sent)
        s->spoke_us = loop_now_us();
    return sent;
}

static bool send_progress(struct rest_stream *s, const struct tournament *x, const struct tournament_facts *f)
{
    struct text t = {.grow = heap_text_grow};
    json_begin_object(&t);
    json_put_uint(&t, "games_done", f->done);
    json_put_uint(&t, "games_total", f->total);
    json_key(&t, "standings");
    tournament_write_standings(x, &t);
    json_end_object(&t);
    bool sent = send_event(s, "progress", &t);
    free(t.at);
    if (sent) {
        // Only when it was sent: a slow reader gets the newest state later.
        s->version = f->version;
        s->sent_us = s->spoke_us;
    }
    return sent;
}

static bool send_end(struct rest_stream *s, const struct tournament_facts *f)
{
    char bytes[64];
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_put_text(&t, "status", tournament_status_names[f->status]);
    json_end_object(&t);
    return send_event(s, "end", &t);
}

// Sends what is new, and ends what is over. A slow reader gets the newest state when it reads again.
static void continue_stream(struct arena_rest *rest, struct rest_stream *s)
{
    const struct tournament *x = tournaments_find(rest->options.tournaments, s->tour);
    const struct tournament_facts f = tournament_summary(x);
    int64_t now_us = loop_now_us();
    bool over = tournament_status_is_past(f.status);
    if (f.version != s->version && (over || now_us - s->sent_us >= PROGRESS_US) && !send_progress(s, x, &f))
        return;
    if (over && send_end(s, &f)) {
        http_stream_end(s->r);
        forget_stream(rest, s);
    } else if (!over && now_us - s->spoke_us >= SIGN_US && http_stream_write(s->r, SPAN(":\n\n"))) {
        s->spoke_us = now_us;
    }
}

static bool on_news(void *owner)
{
    struct arena_rest *rest = owner;
    struct rest_stream *s, *next;
    for (s = LIST_FIRST(&rest->streams); s; s = next) {
        next = LIST_NEXT(s, link);
        continue_stream(rest, s);
    }
    return !LIST_EMPTY(&rest->streams);
}

void rest_follow_tournaments(struct arena_rest *rest)
{
    if (rest->options.tournaments)
        tournaments_listen(rest->options.tournaments, on_news, on_done, rest);
}

void rest_tournament_progress(struct rest_call *c)
{
    struct arena_rest *rest = c->rest;
    const struct tournament *x = find_tournament(c);
    struct rest_stream *s = x && rest->stream_count < STREAMS ? malloc(sizeof *s) : NULL;
    if (!x)
        return;
    if (!s) {
        rest_fail(c, 503, "too many clients follow a tournament; request its standings instead");
        return;
    }
    const struct tournament_facts f = tournament_summary(x);
    *s = (struct rest_stream){.r = c->r, .tour = f.id};
    rest_begin_stream(c, "text/event-stream");
    if (strcmp(http_method(c->r), "HEAD") == 0) {
        http_stream_end(c->r);
        free(s);
        return;
    }
    LIST_INSERT_HEAD(&rest->streams, s, link);
    rest->stream_count++;
    send_progress(s, x, &f);
    continue_stream(rest, s);
    tournaments_wake(rest->options.tournaments);
}

bool rest_leave_stream(struct arena_rest *rest, const struct http_request *r)
{
    struct rest_stream *s;
    LIST_FOREACH(s, &rest->streams, link)
        if (s->r == r) {
            forget_stream(rest, s);
            return true;
        }
    return false;
}

void rest_drop_streams(struct arena_rest *rest)
{
    for (struct rest_stream *s; (s = LIST_FIRST(&rest->streams));)
        forget_stream(rest, s);
}
