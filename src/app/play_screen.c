// What a person at a server's table sees and does: keys, lines, the clock, hints.
#include "app/play_internal.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TICK_MS = 100,
    RESUME_MS = 5000, // after the greeting: by then the server has sent a running match
};

static void put_rules(void *owner, struct text *out)
{
    struct play_session *p = owner;
    utf8_put_shown(out, text_span(&p->rules), true);
}

static void on_hint(void *client, int status, struct span body)
{
    struct play_session *p = client;
    char text[PLAY_WHY];
    if (p->stage > PLAY_PLAYING)
        return;
    play_read_shown(json_member(body, status == 200 ? "sentence" : "error"), text, sizeof text);
    console_set_notice(&p->screen.console, "hint: %s", *text ? text : "the server gives none");
    play_screen_refresh(p);
}

static void put_hint(void *owner, struct text *out)
{
    struct play_session *p = owner;
    char path[PLAY_WHY], lines[PLAY_KEY + 32];
    (void)out; // it comes later
    snprintf(path, sizeof path, "/api/agents/me/matches/%s/hint", p->match);
    snprintf(lines, sizeof lines, "X-API-Key: %s\r\n", p->conn.key);
    struct http_ask ask = play_connection_ask(p, "GET", path, lines);
    ask.on_answer = on_hint;
    if (http_client_ask(p->conn.http, &ask) != 0)
        console_set_notice(&p->screen.console, "there is no hint: no connection");
}

void play_screen_refresh(struct play_session *p)
{
    int64_t left = p->screen.console.is_asked ? (p->due_ms - loop_now_ms() + 999) / 1000 : -1;
    left = p->screen.console.is_asked && left < 0 ? 0 : left;
    size_t size = (size_t)snprintf(p->screen.console.title, sizeof p->screen.console.title, " %s   %.60s%s",
                                   p->conn.o->game->codec->title, p->conn.server.host,
                                   p->conn.ws ? "" : "   not connected: trying again");
    if (left >= 0 && size < sizeof p->screen.console.title)
        snprintf(p->screen.console.title + size, sizeof p->screen.console.title - size, "   time %d:%02d",
                 (int)left / 60, (int)left % 60);
    console_draw(&p->screen.console);
}

// --- what the person does

static void handle_event(struct play_session *p, enum console_event event, struct game_action a)
{
    if (event == CONSOLE_MOVE)
        play_messages_send_move(p, a);
    if (event == CONSOLE_QUIT)
        play_end(p, PLAY_LEFT, "");
    else
        play_screen_refresh(p);
}

// A line is used when a question is open: what is typed ahead waits for it.
static void use_lines(struct play_session *p)
{
    struct game_action a = {0};
    char *end = NULL;
    while (p->stage <= PLAY_PLAYING && (p->screen.console.is_asked || p->screen.console.mode == CONSOLE_QUITS) &&
           (end = memchr(p->screen.typed, '\n', p->screen.typed_size))) {
        *end = 0;
        p->screen.typed[strcspn(p->screen.typed, "\r")] = 0;
        handle_event(p, console_take_line(&p->screen.console, p->screen.typed, &a), a);
        p->screen.typed_size -= (size_t)(end + 1 - p->screen.typed);
        memmove(p->screen.typed, end + 1, p->screen.typed_size);
        if (!p->screen.typed_ends && !p->screen.is_file)
            event_add(p->screen.input, NULL);
    }
    bool is_idle = p->stage == PLAY_WAITING || (p->stage == PLAY_PLAYING && p->screen.console.is_asked);
    if (p->screen.typed_ends && is_idle && !memchr(p->screen.typed, '\n', p->screen.typed_size))
        handle_event(p, console_take_line(&p->screen.console, NULL, &a), a);
}

// Does not read while the buffer is full: the event loop would report the input again and again.
static void read_lines(struct play_session *p)
{
    ssize_t size =
        read(STDIN_FILENO, p->screen.typed + p->screen.typed_size, sizeof p->screen.typed - p->screen.typed_size - 1);
    p->screen.typed_ends = size <= 0;
    p->screen.typed_size += size > 0 ? (size_t)size : 0;
    if (p->screen.typed_ends && p->screen.typed_size &&
        p->screen.typed[p->screen.typed_size - 1] != '\n') // a last line without its end
        p->screen.typed[p->screen.typed_size++] = '\n';
    bool is_full = p->screen.typed_size == sizeof p->screen.typed - 1;
    if (is_full && !memchr(p->screen.typed, '\n', p->screen.typed_size))
        p->screen.typed_size = 0; // no move is that long
    else if (is_full || p->screen.typed_ends)
        event_del(p->screen.input);
    use_lines(p);
}

static void read_keys(struct play_session *p)
{
    struct game_action a = {0};
    for (int key; p->stage <= PLAY_PLAYING && (key = screen_wait_key(&p->screen.console.screen, 0)) != SCREEN_NOTHING;)
        handle_event(p, console_take_key(&p->screen.console, key, &a), a);
}

static void on_input(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct play_session *p = arg;
    if (p->screen.console.live)
        read_keys(p);
    else
        read_lines(p);
}

// The clock, a resized window, Ctrl-C.
static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct play_session *p = arg;
    struct game_action a = {0};
    if (p->stage == PLAY_WAITING && p->conn.o->resume && p->greeted_ms && loop_now_ms() > p->greeted_ms + RESUME_MS) {
        play_end(p, PLAY_FAILED, "you have no running match there; start one without --resume");
        return;
    }
    if (p->screen.console.live) {
        read_keys(p);
        if (p->stage <= PLAY_PLAYING)
            play_screen_refresh(p);
    } else if (*console_interrupt(&p->screen.console)) {
        *console_interrupt(&p->screen.console) = 0;
        handle_event(p, console_take_key(&p->screen.console, SCREEN_INTERRUPT, &a), a);
    } else if (p->screen.is_file && !p->screen.typed_ends && p->screen.typed_size < sizeof p->screen.typed - 1) {
        read_lines(p);
    } else {
        use_lines(p);
    }
}

// --- opening and closing

void play_screen_open(struct play_session *p)
{
    static struct console_owner owner = {.put_hint = put_hint,
                                         .put_rules = put_rules,
                                         .quit = "Your seat waits while its clock runs; come back with --resume."};
    owner.owner = p;
    struct console *d = &p->screen.console;
    console_open(d, &owner, "");
    if (p->join_url[0])
        codec_write(&d->log, "your friend joins at %s\n", p->join_url);
    if (play_table_is_queue(p) && !p->conn.o->key)
        text_puts(&d->log, "you are a guest: the match is unrated for everybody at the table\n");
    text_puts(&d->log, p->conn.o->resume ? "looking for your match\n" : "waiting for the match to begin\n");
}

static bool is_pollable(int fd)
{
    struct stat s;
    return isatty(fd) || (fstat(fd, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode)));
}

void play_screen_run(struct play_session *p)
{
    struct play_screen *s = &p->screen;
    s->is_file = !is_pollable(STDIN_FILENO);
    s->input = event_new(p->conn.loop.base, STDIN_FILENO, EV_READ | EV_PERSIST, on_input, p);
    s->tick = event_new(p->conn.loop.base, -1, EV_PERSIST, on_tick, p);
    if (!s->is_file)
        event_add(s->input, NULL);
    event_add(s->tick, &(struct timeval){.tv_usec = TICK_MS * 1000});
    play_connection_connect(p);
    play_screen_refresh(p);
    loop_run(&p->conn.loop);
    event_free(s->input);
    event_free(s->tick);
}

void play_screen_close(struct play_session *p)
{
    if (p->stage == PLAY_OVER)
        console_show_end(&p->screen.console, p->result);
    else
        p->screen.console.notice[0] = 0;
    console_close(&p->screen.console);
}
