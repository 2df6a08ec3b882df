#include "front/lines/spectators.h"

#include "base/json_write.h"
#include "base/rfc3339.h"
#include "front/lines/internal.h"
#include "heap/heap.h"
#include "net/ws.h"

#include <event2/event.h>
#include <stdlib.h>

enum {
    // As many as a spectator of the arena may name (F4.25).
    BOARDS = 12,                             // tables of one spectator
    BEAT_US = 33334,                         // 30 a second
    RATES = 2,                               // every beat, every second one
    FRAME_ROOM = 4096,                       // longest frame
    MAX_UNREAD = 16384,                      // a spectator with more unread bytes gets nothing until it has read them
    MAX_MESSAGE = 1024,                      // longest message of a spectator; its content is ignored
    NAMES = BOARDS * (MESSAGE_MAX_NAME + 1), // bytes of the list of tables in an address
    MAX_WATCHERS = 16384,                    // spectators at a time
    SWEEP_BEATS = 30,                        // how often spectators are checked for a sign of life
};

static const char letters[] = ".IOTSZJL#";
static const char kinds[] = ".iotszjl";

// What a spectator sees. No padding: pictures are compared by their bytes.
struct picture {
    uint8_t cells[TETRIS_CELLS];
    uint32_t score, level, lines, episode, piece;
    int8_t x, y, ghost;
    uint8_t kind, rotation;
    uint8_t next[TETRIS_NEXT], hold, can_hold;
    uint8_t paused, over, controller;
};

// One spectator at one table.
struct subscription {
    struct watcher *watcher;
    struct board *board; // NULL: not used, or the table is gone
    bool behind;         // it must get a whole picture next
    LIST_ENTRY(subscription) link;
};

struct watcher {
    struct spectators *spectators;
    struct ws *ws;
    int boards; // that are still there
    uint8_t rate;
    int64_t heard_us, pinged_us;
    struct subscription subscription[BOARDS];
    LIST_ENTRY(watcher) all;
};

// A table with spectators.
struct board {
    char name[MESSAGE_MAX_NAME + 1];
    // The last picture sent at each rate: changes are relative to it, so a new spectator gets it too, and not the
    // present one.
    struct picture last[RATES];
    LIST_HEAD(, subscription) subscribers[RATES];
    int watchers;
    LIST_ENTRY(board) all;
};

struct spectators {
    struct adapter_server *server;
    struct event *timer;
    uint64_t beats;
    int watchers;
    int64_t ping_us, silence_us;
    LIST_HEAD(, board) boards;
    LIST_HEAD(, watcher) all;
};

// --- pictures

static void make_picture(const struct table *t, struct picture *p)
{
    struct tetris_view v;
    tetris_game.view(table_state(t), 0, &v);
    const struct tetris_piece *active = &v.piece;
    memset(p, 0, sizeof *p);
    memcpy(p->cells, v.cells, sizeof p->cells);
    p->score = v.facts.score, p->level = v.facts.level, p->lines = v.facts.lines;
    p->episode = v.facts.episode_id, p->piece = v.facts.piece_id;
    if (active->kind) {
        int top = tetris_top(active->kind, active->rotation);
        p->kind = active->kind, p->rotation = active->rotation;
        p->x = (int8_t)(active->x + tetris_left(active->kind, active->rotation));
        p->y = (int8_t)(active->y + top);
        p->ghost = (int8_t)(tetris_ghost(&v) + top);
    }
    memcpy(p->next, v.next, sizeof p->next);
    p->hold = v.facts.hold, p->can_hold = v.facts.can_hold;
    p->paused = v.facts.paused, p->over = v.facts.end != 0, p->controller = t->controller != NULL;
}

static void write_row(struct text *out, const uint8_t *cells)
{
    text_put_char(out, '"');
    for (int x = 0; x < TETRIS_WIDTH; x++)
        text_put_char(out, letters[cells[x]]);
    text_put_char(out, '"');
}

static void put_rows(struct text *out, const struct picture *p)
{
    json_begin_array_at(out, "rows");
    for (int y = 0; y < TETRIS_HEIGHT; y++) {
        if (y)
            text_put_char(out, ',');
        write_row(out, &p->cells[y * TETRIS_WIDTH]);
    }
    json_end_array(out);
}

static void put_changed_rows(struct text *out, const struct picture *was, const struct picture *p)
{
    char key[4];
    if (memcmp(was->cells, p->cells, sizeof p->cells) == 0)
        return;
    json_begin_object_at(out, "rows");
    for (int y = 0; y < TETRIS_HEIGHT; y++) {
        if (memcmp(&was->cells[y * TETRIS_WIDTH], &p->cells[y * TETRIS_WIDTH], TETRIS_WIDTH) == 0)
            continue;
        struct text number = text_on(key, sizeof key - 1);
        text_put_int(&number, y);
        key[number.size] = 0;
        json_key(out, key);
        write_row(out, &p->cells[y * TETRIS_WIDTH]);
    }
    json_end_object(out);
}

static void put_active(struct text *out, const struct picture *p)
{
    json_key(out, "active");
    if (!p->kind) {
        json_write_null(out);
        return;
    }
    json_begin_object(out);
    json_put_string(out, "kind", (struct span){&kinds[p->kind], 1});
    json_put_text(out, "rotation", message_rotations[p->rotation]);
    json_put_int(out, "x", p->x);
    json_put_int(out, "y", p->y);
    json_end_object(out);
    json_put_int(out, "ghost_y", p->ghost);
}

static void put_next(struct text *out, const struct picture *p)
{
    char next[TETRIS_NEXT];
    size_t count = 0;
    while (count < TETRIS_NEXT && p->next[count]) {
        next[count] = kinds[p->next[count]];
        count++;
    }
    json_put_string(out, "next", (struct span){next, count});
}

static void put_hold(struct text *out, const struct picture *p)
{
    if (p->hold)
        json_put_string(out, "hold", (struct span){&kinds[p->hold], 1});
    else
        json_put_null(out, "hold");
}

// The members that differ from `was`; NULL: all but the rows.
static void put_members(struct text *out, const struct picture *was, const struct picture *p)
{
    if (!was || was->controller != p->controller)
        json_put_bool(out, "controller", p->controller);
    if (!was || was->paused != p->paused || was->over != p->over)
        json_put_bool(out, "playable", !p->paused && !p->over);
    if (!was || was->paused != p->paused)
        json_put_bool(out, "paused", p->paused);
    if (!was || was->over != p->over)
        json_put_bool(out, "game_over", p->over);
    if (!was || was->episode != p->episode)
        json_put_uint(out, "episode_id", p->episode);
    if (!was || was->piece != p->piece)
        json_put_uint(out, "piece_id", p->piece);
    if (!was || was->score != p->score)
        json_put_uint(out, "score", p->score);
    if (!was || was->lines != p->lines)
        json_put_uint(out, "lines", p->lines);
    if (!was || was->level != p->level)
        json_put_uint(out, "level", p->level);
    if (!was || was->kind != p->kind || was->rotation != p->rotation || was->x != p->x || was->y != p->y ||
        was->ghost != p->ghost)
        put_active(out, p);
    if (!was || memcmp(was->next, p->next, sizeof p->next) != 0)
        put_next(out, p);
    if (!was || was->hold != p->hold)
        put_hold(out, p);
    if (!was || was->can_hold != p->can_hold)
        json_put_bool(out, "can_hold", p->can_hold);
}

static void begin_frame(struct text *out, const char *type, const char *table)
{
    json_begin_object(out);
    json_put_text(out, "type", type);
    json_begin_object_at(out, "data");
    json_put_text(out, "table", table);
}

static void end_frame(struct text *out)
{
    json_end_object(out);
    json_end_object(out);
}

// --- boards and their spectators

static struct board *find_board(struct spectators *g, const char *name)
{
    struct board *b;
    LIST_FOREACH(b, &g->boards, all)
        if (strcmp(b->name, name) == 0)
            return b;
    return NULL;
}

static struct board *open_board(struct spectators *g, const struct table *t)
{
    struct board *b = find_board(g, t->name);
    if (b || !(b = calloc(1, sizeof *b)))
        return b;
    memcpy(b->name, t->name, sizeof b->name);
    for (int i = 0; i < RATES; i++)
        make_picture(t, &b->last[i]);
    LIST_INSERT_HEAD(&g->boards, b, all);
    return b;
}

static void end_subscription(struct subscription *s)
{
    struct board *b = s->board;
    if (!b)
        return;
    LIST_REMOVE(s, link);
    s->board = NULL;
    s->watcher->boards--;
    if (--b->watchers == 0) {
        LIST_REMOVE(b, all);
        free(b);
    }
}

static void send_start(struct subscription *s)
{
    char bytes[FRAME_ROOM];
    struct text frame = text_on(bytes, sizeof bytes);
    const struct board *b = s->board;
    const struct picture *p = &b->last[s->watcher->rate];
    begin_frame(&frame, "tetris_start", b->name);
    rfc3339_put(&frame, "server_time", loop_unix_ms());
    put_members(&frame, NULL, p);
    put_rows(&frame, p);
    end_frame(&frame);
    ws_send(s->watcher->ws, text_span(&frame));
    s->behind = false;
}

// Sends to every spectator with this rate. One with too much unread output gets nothing now, and a whole picture later.
static void send_change(struct board *b, int rate, struct span frame)
{
    struct subscription *s;
    LIST_FOREACH(s, &b->subscribers[rate], link) {
        size_t unread = conn_waiting(ws_conn(s->watcher->ws));
        if (s->behind && unread == 0)
            send_start(s);
        else if (s->behind || unread > MAX_UNREAD)
            s->behind = true;
        else if (frame.size)
            ws_send(s->watcher->ws, frame);
    }
}

static void show_board(struct board *b, const struct table *t, int rate)
{
    char bytes[FRAME_ROOM];
    struct text frame = text_on(bytes, sizeof bytes);
    struct picture now;
    if (LIST_EMPTY(&b->subscribers[rate]))
        return;
    make_picture(t, &now);
    if (memcmp(&now, &b->last[rate], sizeof now) != 0) { // NOLINT: make_picture sets every byte
        begin_frame(&frame, "tetris", b->name);
        put_members(&frame, &b->last[rate], &now);
        put_changed_rows(&frame, &b->last[rate], &now);
        end_frame(&frame);
    }
    b->last[rate] = now;
    send_change(b, rate, text_span(&frame));
}

// The table was closed: ends the board and tells its spectators.
static void end_board(struct board *b)
{
    char bytes[FRAME_ROOM];
    struct text frame = text_on(bytes, sizeof bytes);
    begin_frame(&frame, "tetris_end", b->name);
    end_frame(&frame);
    for (int left = b->watchers; left > 0; left--) { // the last one frees the board
        struct subscription *s = LIST_FIRST(&b->subscribers[LIST_EMPTY(&b->subscribers[0])]);
        struct watcher *w = s->watcher;
        ws_send(w->ws, text_span(&frame));
        end_subscription(s);
        if (w->boards == 0)
            ws_end(w->ws, WS_GOING_AWAY, "");
    }
}

static void set_timer(struct spectators *g)
{
    if (g->watchers)
        event_add(g->timer, &(struct timeval){0, BEAT_US});
}

// Pings spectators and closes those that do not answer, as for all sockets (F1.11). Nothing is written to a board that
// does not change, so a dead connection would otherwise stay open forever.
static void check_silence(struct spectators *g)
{
    int64_t now_us = loop_now_us();
    struct watcher *w;
    LIST_FOREACH(w, &g->all, all)
        if (now_us - w->heard_us >= g->silence_us) {
            conn_drop(ws_conn(w->ws));
        } else if (now_us - w->pinged_us >= g->ping_us) {
            w->pinged_us = now_us;
            ws_ping(w->ws, SPAN(""));
        }
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct spectators *g = arg;
    g->beats++;
    if (g->beats % SWEEP_BEATS == 0)
        check_silence(g);
    for (struct board *b = LIST_FIRST(&g->boards), *next; b; b = next) {
        // end_board frees b with its last spectator.
        next = LIST_NEXT(b, all);
        const struct table *t = adapter_find_table(g->server->adapter, b->name);
        if (!t) {
            end_board(b);
            continue;
        }
        show_board(b, t, 1);
        if (g->beats % 2 == 0)
            show_board(b, t, 0);
    }
    set_timer(g);
    loop_end_turn(g->server->loop);
}

// --- opening and closing

static void on_message(void *client, struct span text)
{
    (void)client, (void)text;
}

static void on_heard(void *client)
{
    struct watcher *w = client;
    w->heard_us = loop_now_us();
}

static void on_close(void *client)
{
    struct watcher *w = client;
    for (int i = 0; i < BOARDS; i++)
        end_subscription(&w->subscription[i]);
    LIST_REMOVE(w, all);
    w->spectators->watchers--;
    free(w);
}

static const struct ws_handler handler = {.on_message = on_message, .on_close = on_close, .on_heard = on_heard};

static void reply_error(struct http_request *r, int status, const char *text)
{
    http_reply(r, status, "text/plain; charset=utf-8", span_of(text));
}

static int enter_boards(struct watcher *w, char *names)
{
    for (char *rest, *name = strtok_r(names, ",", &rest); name && w->boards < BOARDS;
         name = strtok_r(NULL, ",", &rest)) {
        const struct table *t = adapter_find_table(w->spectators->server->adapter, name);
        struct board *b = t ? open_board(w->spectators, t) : NULL;
        if (!b)
            continue;
        struct subscription *s = &w->subscription[w->boards++];
        *s = (struct subscription){.watcher = w, .board = b};
        LIST_INSERT_HEAD(&b->subscribers[w->rate], s, link);
        b->watchers++;
    }
    return w->boards;
}

static struct watcher *make_watcher(struct spectators *g, int rate)
{
    struct watcher *w = g->watchers < MAX_WATCHERS ? calloc(1, sizeof *w) : NULL;
    if (!w)
        return NULL;
    w->spectators = g;
    w->rate = (uint8_t)rate;
    w->heard_us = w->pinged_us = loop_now_us();
    LIST_INSERT_HEAD(&g->all, w, all);
    g->watchers++;
    return w;
}

void spectators_watch(struct spectators *g, struct http_request *r, const char *const *origins)
{
    char names[NAMES] = "main", rate[8] = "";
    if (!http_is_origin_allowed(r, origins)) {
        reply_error(r, 403, "origin not allowed");
        return;
    }
    http_query(r, "table", names, sizeof names);
    http_query(r, "rate", rate, sizeof rate);
    if (rate[0] && strcmp(rate, "15") != 0 && strcmp(rate, "30") != 0) {
        reply_error(r, 400, "rate must be 15 or 30");
        return;
    }
    struct watcher *w = make_watcher(g, strcmp(rate, "30") == 0);
    if (!w) {
        reply_error(r, 503, "too many spectators");
        return;
    }
    if (!enter_boards(w, names))
        reply_error(r, 404, "no table of this name");
    else
        w->ws = ws_accept(r, &handler, w, MAX_MESSAGE, NULL);
    if (!w->ws) {
        on_close(w);
        return;
    }
    for (int i = 0; i < w->boards; i++)
        send_start(&w->subscription[i]);
    if (!event_pending(g->timer, EV_TIMEOUT, NULL))
        set_timer(g);
    loop_end_turn(g->server->loop);
}

// --- the list

static void write_table(struct spectators *g, struct text *out, const struct table *t)
{
    struct picture p;
    const struct adapter_client *c;
    const struct board *b = find_board(g, t->name);
    int clients = 0;
    TAILQ_FOREACH(c, &t->clients, seated)
        clients++;
    make_picture(t, &p);
    json_begin_object(out);
    json_put_text(out, "game", tetris_game.name);
    json_put_text(out, "table", t->name);
    json_put_int(out, "clients", clients);
    json_put_int(out, "spectators", b ? b->watchers : 0);
    if (t->controller)
        rfc3339_put(out, "since", t->controlled_us / 1000 + g->server->adapter->options.unix_offset_ms);
    else
        json_put_null(out, "since");
    put_members(out, NULL, &p);
    put_rows(out, &p);
    json_end_object(out);
}

void spectators_write_tables(struct spectators *g, struct text *out)
{
    const struct table *t;
    json_begin_array(out);
    TAILQ_FOREACH(t, &g->server->adapter->tables, all)
        write_table(g, out, t);
    json_end_array(out);
}

void spectators_list(struct spectators *g, struct http_request *r)
{
    struct text body = {.grow = heap_text_grow};
    json_begin_object(&body);
    json_key(&body, "tables");
    spectators_write_tables(g, &body);
    json_put_int(&body, "count", g->server->adapter->table_count);
    json_end_object(&body);
    http_add_header(r, "Access-Control-Allow-Origin", "*");
    http_add_header(r, "Cache-Control", "no-store");
    http_reply(r, 200, "application/json; charset=utf-8", text_span(&body));
    free(body.at);
}

// --- the spectators

void spectators_set_patience(struct spectators *g, int64_t ping_ms, int64_t silence_ms)
{
    g->ping_us = ping_ms * 1000;
    g->silence_us = silence_ms * 1000;
}

struct spectators *spectators_open(struct adapter_server *s)
{
    struct spectators *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->server = s;
    spectators_set_patience(g, 30000, 60000);
    g->timer = event_new(s->loop->base, -1, 0, on_timer, g);
    return g;
}

// The HTTP server closes the connections; spectators that are left are freed here.
void spectators_close(struct spectators *g)
{
    if (!g)
        return;
    event_free(g->timer);
    while (!LIST_EMPTY(&g->all))
        on_close(LIST_FIRST(&g->all));
    free(g);
}
