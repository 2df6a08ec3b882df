// agon replay show FILE: a match step by step, in the terminal or as plain text.
#include "app/cmd_replay.h"
#include "app/help.h"
#include "app/replay_input.h"
#include "app/reserved_memory.h"
#include "net/loop.h"
#include "playback/playback.h"
#include "tui/page.h"
#include "tui/screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_STEP = REPLAY_OPTION_OWN, FRAME_ROOM = 1 << 20, ALL = -1, FRAME_MS = 16, MAX_STEPS_PER_FRAME = 4096 };

struct call {
    struct replay_input in;
    const char *seat; // as given; NULL: all
    int viewer;       // ALL, a seat, or GAME_SPECTATOR
    bool plain;
    bool has_step;
    uint64_t step;
};

// Pictures, side by side as far as the width allows

struct picture {
    struct text text;
    int width; // columns of its widest line
    int lines;
};

static void measure_picture(struct picture *p)
{
    p->width = p->lines = 0;
    for (size_t at = 0; at < p->text.size; p->lines++) {
        struct span line = screen_line(text_span(&p->text), &at);
        int width = screen_width(line);
        p->width = width > p->width ? width : p->width;
    }
}

static void put_row(struct text *out, struct picture *p, int count)
{
    size_t at[PLAYBACK_VIEWERS] = {0};
    int lines = 0;
    for (int i = 0; i < count; i++)
        lines = p[i].lines > lines ? p[i].lines : lines;
    for (int n = 0; n < lines; n++) {
        for (int i = 0; i < count; i++) {
            struct span line = n < p[i].lines ? screen_line(text_span(&p[i].text), &at[i]) : (struct span){0};
            text_put(out, line);
            for (int pad = screen_width(line); i + 1 < count && pad < p[i].width + 4; pad++)
                text_put_char(out, ' ');
        }
        text_put_char(out, '\n');
    }
}

static void draw_pictures(struct text *out, struct picture *p, int count, int width)
{
    for (int first = 0; first < count;) {
        int used = p[first].width, n = 1;
        while (first + n < count && used + 4 + p[first + n].width <= width)
            used += 4 + p[first + n++].width;
        put_row(out, p + first, n);
        first += n;
        if (first < count)
            text_put_char(out, '\n');
    }
}

// The whole table: every seat's view, because no single view has everything. In one picture if they fit.
static void draw_table(const struct playback *s, struct text *out, int viewer, int width)
{
    static struct picture p[PLAYBACK_VIEWERS];
    struct span spans[PLAYBACK_VIEWERS] = {0};
    int seats = s->replay->head.seats, count = viewer == ALL ? seats : 1;
    const struct codec *c = s->replay->row->codec;
    bool is_drawn = viewer != ALL || c->draw != c->describe_view; // prose addresses one viewer
    for (int i = 0; i < count; i++) {
        if (!p[i].text.at)
            p[i].text = memory_reserve_text(FRAME_ROOM);
        p[i].text.size = 0;
        if (viewer == ALL && is_drawn)
            playback_draw_for(s, &p[i].text, i, GAME_SPECTATOR);
        else if (is_drawn)
            playback_draw(s, &p[i].text, viewer);
        spans[i] = text_span(&p[i].text);
    }
    if (is_drawn && page_merge(out, spans, count))
        return;
    for (int i = 0; i < count; i++) {
        p[i].text.size = 0;
        codec_write(&p[i].text, "[%s]\n", s->name[i]);
        playback_draw(s, &p[i].text, i);
        measure_picture(&p[i]);
    }
    draw_pictures(out, p, count, width);
}

static void describe_state(const struct playback *s, struct text *out)
{
    char why[LOADED_REPLAY_ERROR_ROOM];
    if (s->error != OK) {
        playback_describe_error(s, why, sizeof why);
        codec_write(out, "the replay %s\n", why);
    } else if (s->run.steps == s->replay->steps) {
        text_puts(out, s->replay->complete ? "the end\n" : "the replay stops here; it can be continued\n");
    }
}

static void describe_step(const struct playback *s, struct text *out, int viewer)
{
    const struct replay_entry *e = &s->last;
    codec_write(out, "step %" PRIu64 " of %" PRIu64, s->run.steps, s->replay->steps);
    size_t mark = out->size;
    text_puts(out, ": ");
    // Others' actions with hidden cards are described by the events, as far as this viewer may see them.
    if (viewer == ALL || e->kind == REPLAY_TICKS || e->seat == viewer)
        playback_describe_entry(s, out);
    if (out->size == mark + 2)
        out->size = mark;
    text_put_char(out, '\n');
    playback_describe_events(s, out, (seat_set)(viewer == ALL ? 0xFFFF : SEAT(viewer)), "  ");
}

// Plain text: every step, or one of them

static void print_step(const struct playback *s, struct text *out, int viewer, int width)
{
    out->size = 0;
    describe_step(s, out, viewer);
    text_put_char(out, '\n');
    draw_table(s, out, viewer, width);
    text_put_char(out, '\n');
    describe_state(s, out);
    fwrite(out->at, 1, out->size, stdout);
}

static int print_all(struct playback *s, const struct call *call)
{
    struct text out = memory_reserve_text(FRAME_ROOM * 4);
    int width = screen_plain_width();
    if (call->has_step)
        playback_seek(s, call->step);
    print_step(s, &out, call->viewer, width);
    while (!call->has_step && playback_next(s))
        print_step(s, &out, call->viewer, width);
    if (s->error == OK || call->has_step)
        return s->error == OK ? APP_DONE : APP_FAILED;
    out.size = 0;
    describe_state(s, &out);
    fwrite(out.at, 1, out.size, stdout);
    return APP_FAILED;
}

// The terminal

struct player {
    struct playback *playback;
    int viewer;
    int speed; // index into speeds
    bool auto_play;
    bool asks_step; // digits are being typed
    uint64_t typed;
};

static const struct {
    const char *name;
    int quarters;
} speeds[] = {{"1/4", 1}, {"1/2", 2}, {"1", 4}, {"2", 8}, {"4", 16}, {"8", 32}, {"16", 64}};

enum { SPEEDS = sizeof speeds / sizeof *speeds, SPEED_ONE = 2 };

// In microseconds. Real-time games run at their own pace, and inputs take no time. Others wait for the reader.
static int64_t duration_us(const struct player *p)
{
    const struct playback *s = p->playback;
    int64_t us = 700 * 1000;
    if (s->replay->row->game->tick_ms)
        us = s->last.kind == REPLAY_TICKS ? s->replay->row->game->tick_ms * 1000 : 0;
    return us * 4 / speeds[p->speed].quarters;
}

static void advance_playback(struct player *p, int64_t now_us, int64_t *due_us)
{
    for (int i = 0; i < MAX_STEPS_PER_FRAME && *due_us <= now_us; i++) {
        if (!playback_next(p->playback)) {
            p->auto_play = false;
            return;
        }
        *due_us += duration_us(p);
    }
    if (*due_us < now_us - 500 * 1000)
        *due_us = now_us; // too slow to keep up: does not try to catch up
}

static const char *viewer_name(const struct player *p)
{
    return p->viewer == ALL ? "all" : p->viewer == GAME_SPECTATOR ? "gallery" : p->playback->name[p->viewer];
}

// The picture, the step with its events, and the position.
static void compose_frame(const struct player *p, const struct screen *screen, struct text *out)
{
    static char picture_bytes[FRAME_ROOM], words_bytes[FRAME_ROOM];
    struct text picture = text_on(picture_bytes, FRAME_ROOM), words = text_on(words_bytes, FRAME_ROOM);
    char title[256], prompt[64];
    const struct playback *s = p->playback;
    snprintf(title, sizeof title, " %s   viewer: %s   %s x%s   %.80s", s->replay->row->codec->title, viewer_name(p),
             p->auto_play ? "playing" : "paused", speeds[p->speed].name, s->replay->path);
    snprintf(prompt, sizeof prompt, "go to step: %" PRIu64 "_  (Enter)", p->typed);
    draw_table(s, &picture, p->viewer, screen->columns);
    describe_step(s, &words, p->viewer);
    describe_state(s, &words);
    struct page page = {.title = span_of(title),
                        .picture = text_span(&picture),
                        .log = text_span(&words),
                        .chosen = -1,
                        .keys = SPAN("n next  p previous  a play  +/- speed  g go to  v viewer  q quit"),
                        .seat = s->name,
                        .seats = s->replay->head.seats};
    if (p->asks_step)
        page.keys = span_of(prompt); // a field of Tetris leaves no other row at 80x24
    out->size = 0;
    page_put(out, &page, screen->columns, screen->rows, screen->colours);
}

static void type_digit(struct player *p, int key)
{
    if (key >= '0' && key <= '9')
        p->typed = p->typed > UINT32_MAX ? p->typed : p->typed * 10 + (uint64_t)(key - '0');
    else if (key == INPUT_BACKSPACE)
        p->typed /= 10;
    else
        p->asks_step = false;
    if (key == INPUT_ENTER)
        playback_seek(p->playback, p->typed);
}

static void next_viewer(struct player *p)
{
    int seats = p->playback->replay->head.seats;
    p->viewer = p->viewer == ALL ? 0 : p->viewer + 1;
    if (p->viewer == seats)
        p->viewer = GAME_SPECTATOR;
    else if (p->viewer > GAME_SPECTATOR)
        p->viewer = ALL;
}

// Returns false if the reader quits.
static bool handle_key(struct player *p, int key)
{
    struct playback *s = p->playback;
    if (p->asks_step && key >= 0) {
        type_digit(p, key);
        return true;
    }
    switch (key) {
    case ' ':
    case 'n':
    case INPUT_RIGHT:
        p->auto_play = false;
        playback_next(s);
        break;
    case 'p':
    case INPUT_LEFT:
        p->auto_play = false;
        playback_seek(s, s->run.steps ? s->run.steps - 1 : 0);
        break;
    case 'a':
        p->auto_play = !p->auto_play;
        break;
    case '+':
    case '=':
        p->speed += p->speed + 1 < SPEEDS;
        break;
    case '-':
        p->speed -= p->speed > 0;
        break;
    case 'g':
        p->asks_step = true;
        p->typed = 0;
        break;
    case 'v':
        next_viewer(p);
        break;
    case INPUT_HOME:
        playback_seek(s, 0);
        break;
    case INPUT_END:
        playback_seek(s, UINT64_MAX);
        break;
    case 'q':
    case SCREEN_GONE:
    case SCREEN_INTERRUPT:
        return false;
    default:
        break;
    }
    return true;
}

// Names as long as pictures have room for, unless two of them would be equal then.
static void shorten_names(struct playback *s)
{
    static char bytes[GAME_MAX_SEATS][PAGE_NAME_BYTES];
    for (int i = 0; i < s->replay->head.seats; i++) {
        page_shorten_name(bytes[i], s->name[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(bytes[i], bytes[k]) == 0)
                return;
    }
    for (int i = 0; i < s->replay->head.seats; i++)
        s->name[i] = bytes[i];
}

static int play_live(struct playback *s, const struct call *call)
{
    shorten_names(s);
    struct player p = {.playback = s, .viewer = call->viewer, .speed = SPEED_ONE};
    struct text frame = memory_reserve_text(FRAME_ROOM * 4);
    struct screen screen;
    playback_seek(s, call->step);
    screen_open(&screen);
    int64_t due_us = 0;
    for (bool going = true; going;) {
        int64_t now_us = loop_now_us();
        bool was_playing = p.auto_play;
        if (p.auto_play)
            advance_playback(&p, now_us, &due_us);
        screen_measure(&screen);
        compose_frame(&p, &screen, &frame);
        screen_put(text_span(&frame));
        int wait_ms = -1;
        if (p.auto_play) {
            int64_t left_ms = (due_us - loop_now_us()) / 1000;
            wait_ms = left_ms < FRAME_MS ? FRAME_MS : (int)left_ms;
        }
        int key = screen_wait_key(&screen, wait_ms);
        if (key != SCREEN_NOTHING)
            going = handle_key(&p, key);
        if (p.auto_play && !was_playing)
            due_us = loop_now_us() + duration_us(&p);
    }
    screen_close(&screen);
    return s->error == OK ? APP_DONE : APP_FAILED;
}

static int show_replay(const struct loaded_replay *t, const struct call *call)
{
    static struct playback s;
    playback_open(&s, t, false);
    bool terminal = !call->plain && screen_is_there();
    int status = terminal ? play_live(&s, call) : print_all(&s, call);
    playback_close(&s);
    return status;
}

static int read_viewer(const struct call *call, const struct loaded_replay *t)
{
    if (!call->seat || strcmp(call->seat, "all") == 0)
        return ALL;
    if (strcmp(call->seat, "gallery") == 0)
        return GAME_SPECTATOR;
    return replay_input_read_seat("agon replay show", t, call->seat, ", all or gallery");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case 's':
        call->seat = arg;
        return 0;
    case OPTION_STEP:
        call->step = app_read_uint(state, "--step", arg, 0, UINT64_MAX);
        call->has_step = true;
        return 0;
    case 't':
        call->plain = true;
        return 0;
    default:
        return replay_input_parse(&call->in, key, arg, state);
    }
}

int cmd_replay_show(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"seat", 's', "SEAT", 0, "Whose view to show: a seat by number or name, all or gallery (all)", 0},
        {"step", OPTION_STEP, "N", 0, "Start at step N; with --text print only that step", 0},
        {"text", 't', 0, 0, "Print text, as when the output is not a terminal", 0},
        REPLAY_KEY_OPTION,
        {0},
    };
    static const struct argp argp = {
        options,
        parse_option,
        "FILE",
        "Show a match step by step.\v"
        "Keys: space or n next step, p previous, a play and pause, + and - faster and slower (1/4 to 16), g go to a "
        "step, v another viewer, Home and End, q quit.",
        0,
        0,
        0};
    struct call call = {0};
    struct loaded_replay t;
    help_parse(&argp, argc, argv, 0, &call);
    replay_input_open(&call.in, &t);
    call.viewer = read_viewer(&call, &t);
    int status = APP_USAGE;
    if (call.has_step && call.step > t.steps)
        fprintf(stderr, "agon: %s has %" PRIu64 " steps; choose a --step up to that\n", t.path, t.steps);
    else
        status = show_replay(&t, &call);
    replay_file_close(&t);
    return status;
}
