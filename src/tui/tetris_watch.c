#include "tui/tetris_watch.h"

#include "front/lines/message_write.h"
#include "front/lines/server_message.h"
#include "net/line_client.h"
#include "tui/terminal.h"
#include "tui/tetris_scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ATTEMPTS = 20, PAUSE_MS = 300, WELCOME_MS = 3000, CONNECT_MS = 1000, NOTE_US = 5000000 }; // T6.9

// WAITING: between two attempts. GREETING: connected, and no welcome yet.
enum state { WAITING, GREETING, CONNECTED };

struct tetris_watch {
    const struct tetris_watch_options *options;
    struct loop loop;
    struct terminal terminal;
    struct line_client line;
    struct event *readable, *timer; // of the connection; of attempts, the welcome and the note
    enum state state;
    int attempt;       // since the last welcome
    bool three;        // 2.x was refused: 3.0.0 is tried
    bool cells;        // coordinates are those of cells, not of boxes
    bool ever, redraw; // ever: there was a welcome
    int64_t note_until_us;
    struct server_observation last;
    struct server_message message; // room for the one that is being read
    struct tetris_scene scene;
    struct frame frame;
    char version[SERVER_TEXT];
    char trouble[128]; // why the last attempt failed
    bool given_up;
};

// --- converting observations to views

// Anybody may run the server: what it says is drawn only if it lies on the field.
static bool is_inside(const struct tetris_piece *p)
{
    const struct tetris_cell *cell = tetris_cells(p->kind, p->rotation);
    for (int i = 0; i < 4; i++) {
        int x = p->x + cell[i].x, y = p->y + cell[i].y;
        if (x < 0 || x >= TETRIS_WIDTH || y < -TETRIS_HIDDEN || y >= TETRIS_HEIGHT)
            return false;
    }
    return true;
}

static struct tetris_piece read_piece(const struct tetris_watch *w, const struct server_observation *o)
{
    struct tetris_piece none = {0};
    bool far = o->x < -16 || o->x > 32 || o->y < -16 || o->y > 32;
    if (!(o->fields & SERVER_ACTIVE) || !o->kind || o->kind > TETRIS_L || o->rotation > TETRIS_WEST || far)
        return none;
    struct tetris_piece p = {.kind = o->kind, .rotation = o->rotation};
    p.x = (int8_t)(o->x - (w->cells ? tetris_left(p.kind, p.rotation) : 0));
    p.y = (int8_t)(o->y - (w->cells ? tetris_top(p.kind, p.rotation) : 0));
    return is_inside(&p) ? p : none;
}

// The protocol does not say where a piece locked. Assume the landing place of the view before.
static struct tetris_lock read_lock(const struct tetris_view *before, const struct server_observation *o)
{
    const struct server_event *e = o->event_count ? &o->events[o->event_count - 1] : &o->last;
    const struct tetris_piece *p = &before->piece;
    struct tetris_lock lock = {.kind = p->kind ? p->kind : TETRIS_I,
                               .rotation = p->rotation,
                               .lines = e->lines,
                               .spin = e->spin,
                               .combo = e->combo,
                               .score = e->score,
                               .back_to_back = e->back_to_back};
    lock.x = (int8_t)(p->x + tetris_left(lock.kind, lock.rotation));
    lock.y = (int8_t)((p->kind ? tetris_ghost(before) : 0) + tetris_top(lock.kind, lock.rotation));
    return lock;
}

static bool has_landed(const struct tetris_view *v, const struct tetris_lock *lock)
{
    const struct tetris_cell *cell = tetris_cells(lock->kind, lock->rotation);
    for (int i = 0; i < 4; i++) {
        int x = lock->x - tetris_left(lock->kind, lock->rotation) + cell[i].x;
        int y = lock->y - tetris_top(lock->kind, lock->rotation) + cell[i].y;
        if (x < 0 || x >= TETRIS_WIDTH || y < 0 || y >= TETRIS_HEIGHT || v->cells[y * TETRIS_WIDTH + x] != lock->kind)
            return false;
    }
    return true;
}

static void read_facts(struct tetris_facts *f, const struct server_observation *o)
{
    f->score = (uint32_t)o->score;
    f->level = (uint32_t)o->level;
    f->lines = (uint32_t)o->lines;
    f->board_id = (uint32_t)o->board_id;
    f->piece_id = (uint32_t)o->piece_id;
    f->episode_id = (uint32_t)o->episode_id;
    f->seed = (uint32_t)o->seed;
    f->line_clear_ms =
        (uint16_t)(o->line_clear_ms < TETRIS_EFFECT_CLEAR_MS ? o->line_clear_ms : TETRIS_EFFECT_CLEAR_MS);
    f->paused = o->paused;
    f->end = o->game_over ? TETRIS_BLOCK_OUT : TETRIS_RUNNING;
    f->hold = o->hold <= TETRIS_L ? o->hold : TETRIS_NONE;
    f->can_hold = o->can_hold;
}

static void handle_observation(struct tetris_watch *w, const struct server_observation *o)
{
    struct tetris_view before = w->scene.view, *v = &w->scene.view;
    bool had = w->scene.has_view;
    for (int i = 0; i < TETRIS_CELLS; i++)
        v->cells[i] = o->cells[i] <= TETRIS_GREY ? o->cells[i] : TETRIS_GREY;
    v->piece = read_piece(w, o);
    for (int i = 0; i < TETRIS_NEXT; i++)
        v->next[i] = o->queue[i] <= TETRIS_L ? o->queue[i] : TETRIS_NONE;
    read_facts(&v->facts, o);
    v->facts.flash_ms = 0;
    if (had && (o->event_count || o->fields & SERVER_LAST_EVENT)) {
        v->facts.lock = read_lock(&before, o);
        v->facts.back_to_back = v->facts.lock.back_to_back;
        v->facts.flash_ms = has_landed(v, &v->facts.lock);
    }
    w->last = *o;
    w->scene.has_view = w->redraw = true;
}

// --- the connection

static void set_timer(struct tetris_watch *w, int ms)
{
    event_add(w->timer, &(struct timeval){ms / 1000, ms % 1000 * 1000});
}

static void close_connection(struct tetris_watch *w)
{
    if (w->readable)
        event_free(w->readable);
    w->readable = NULL;
    line_client_close(&w->line);
    event_del(w->timer);
    w->state = WAITING;
    w->redraw = true;
    loop_end_turn(&w->loop);
}

// The connection failed or ended; the next attempt comes soon, unless this was the last.
static void lose_connection(struct tetris_watch *w, const char *why)
{
    close_connection(w);
    snprintf(w->trouble, sizeof w->trouble, "%s", why);
    if (w->attempt < ATTEMPTS) {
        set_timer(w, PAUSE_MS);
        return;
    }
    w->given_up = true;
    loop_stop(&w->loop);
}

static void on_readable(evutil_socket_t fd, short what, void *arg);

static void open_connection(struct tetris_watch *w)
{
    char bytes[1024];
    w->attempt++;
    w->redraw = true;
    int err = line_client_open(&w->line, w->options->host, w->options->port, CONNECT_MS);
    if (err) {
        lose_connection(w, strerror(err));
        return;
    }
    struct text t = text_on(bytes, sizeof bytes);
    message_write_hello(
        &t, &(struct hello_options){
                .name = "agon-observe", .version = w->three ? "3.0.0" : "2.1.0", .role = "observer", .stream = true});
    if (!line_client_send(&w->line, text_span(&t))) {
        lose_connection(w, "the connection closed at once");
        return;
    }
    w->state = GREETING;
    w->readable = event_new(w->loop.base, w->line.fd, EV_READ | EV_PERSIST, on_readable, w);
    event_add(w->readable, NULL);
    set_timer(w, WELCOME_MS);
}

static void handle_welcome(struct tetris_watch *w, const struct server_welcome *welcome)
{
    w->state = CONNECTED;
    w->ever = w->redraw = true;
    w->attempt = 0;
    w->cells = strcmp(welcome->coordinates, "cells") == 0; // the default of the standard is boxes
    w->scene.view.ruleset = strcmp(welcome->ruleset, "guideline") == 0 ? TETRIS_GUIDELINE : TETRIS_STANDARD;
    snprintf(w->version, sizeof w->version, "%s", welcome->protocol_version);
    event_del(w->timer);
}

// False when the connection is no more.
static bool handle_error(struct tetris_watch *w, const char *code)
{
    if (w->state != GREETING)
        return true;
    if (strcmp(code, "protocol_mismatch") == 0 && !w->three) {
        w->three = true;
        close_connection(w);
        w->attempt--;
        open_connection(w);
        return false;
    }
    char why[96];
    snprintf(why, sizeof why, "refused: %.64s", code);
    w->three = false;
    lose_connection(w, why);
    return false;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct tetris_watch *w = arg;
    struct server_message *m = &w->message;
    struct span line;
    int got;
    while ((got = line_client_read(&w->line, &line, 0)) == LINE_READ) {
        if (!server_message_read(m, line))
            continue;
        if (m->type == SERVER_WELCOME)
            handle_welcome(w, &m->welcome);
        else if (m->type == SERVER_OBSERVATION && w->state == CONNECTED)
            handle_observation(w, &m->observation);
        else if (m->type == SERVER_ERROR && !handle_error(w, m->error.code))
            return;
    }
    if (got == LINE_CLOSED)
        lose_connection(w, "the stream ended");
    else
        loop_end_turn(&w->loop);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct tetris_watch *w = arg;
    if (w->state == WAITING)
        open_connection(w);
    else if (w->state == GREETING)
        lose_connection(w, "no welcome within 3 s");
    loop_end_turn(&w->loop);
}

// --- the picture

static void set_panel_line(struct tetris_watch *w, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void set_panel_line(struct tetris_watch *w, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->scene.panel[line], TETRIS_SCENE_LINE_ROOM, format, args);
    va_end(args);
}

static void write_panel(struct tetris_watch *w)
{
    const struct server_observation *o = &w->last;
    set_panel_line(w, 0, "WATCHING %s:%u", w->options->host, w->options->port);
    if (w->state == CONNECTED)
        set_panel_line(w, 1, "connected, protocol %.12s", w->version);
    else
        set_panel_line(w, 1, "%s, attempt %d of %d", w->ever ? "reconnecting" : "connecting", w->attempt, ATTEMPTS);
    set_panel_line(w, 2, "episode %ju", (uintmax_t)o->episode_id);
    set_panel_line(w, 3, "piece %ju", (uintmax_t)o->piece_id);
    set_panel_line(w, 4, "step %ju", (uintmax_t)(o->fields & SERVER_LOGICAL_STEP ? o->logical_step : o->step_in_piece));
    set_panel_line(w, 5, "seed %ju", (uintmax_t)o->seed);
}

static void after_turn(void *owner)
{
    struct tetris_watch *w = owner;
    int64_t now = loop_now_us();
    if (!w->redraw)
        return;
    w->redraw = false;
    tetris_effect_update(&w->scene.effect, &w->scene.view, now);
    write_panel(w);
    if (now >= w->note_until_us)
        w->scene.note[0] = 0;
    tetris_scene_draw(&w->scene, w->terminal.display.columns, w->terminal.display.rows, &w->frame);
    display_show(&w->terminal.display, &w->frame);
}

static void on_redraw(void *owner)
{
    struct tetris_watch *w = owner;
    w->redraw = true;
    loop_end_turn(&w->loop);
}

static void on_key(void *owner, struct input_event e)
{
    struct tetris_watch *w = owner;
    if (e.kind == INPUT_PRESS && config_key(&w->options->config, e.code) == PLAY_QUIT)
        loop_stop(&w->loop);
}

// --- public functions

static const char *run_watch(struct tetris_watch *w)
{
    static const struct terminal_handler handler = {.on_key = on_key, .on_redraw = on_redraw};
    const char *why = terminal_open(&w->terminal, &w->loop, w->options->config.top, &handler, w);
    if (why)
        return why;
    char name[8];
    snprintf(w->scene.help, sizeof w->scene.help, "%s quit", config_key_name(&w->options->config, PLAY_QUIT, name));
    if (w->options->note)
        snprintf(w->scene.note, sizeof w->scene.note, "%s", w->options->note);
    w->note_until_us = loop_now_us() + NOTE_US;
    loop_add_hook(&w->loop, after_turn, w);
    w->timer = event_new(w->loop.base, -1, 0, on_timer, w);
    set_timer(w, 0);
    loop_run(&w->loop);
    close_connection(w);
    event_free(w->timer);
    terminal_close(&w->terminal);
    return NULL;
}

int tetris_watch_run(const struct tetris_watch_options *o, char *why_ended, size_t room)
{
    static struct tetris_watch w; // too large for a stack
    w = (struct tetris_watch){.options = o, .line.fd = -1};
    loop_init(&w.loop);
    const char *why = run_watch(&w);
    loop_release(&w.loop);
    if (why)
        snprintf(why_ended, room, "%s", why);
    else if (w.given_up)
        snprintf(why_ended, room, "no adapter at %s:%u after %d attempts: %s", o->host, o->port, ATTEMPTS, w.trouble);
    return why           ? TETRIS_WATCH_NEVER_BEGAN
           : !w.given_up ? TETRIS_WATCH_ENDED
           : w.ever      ? TETRIS_WATCH_LOST
                         : TETRIS_WATCH_NEVER_BEGAN;
}
