// agon watch GAME: house bots at a table, shown on the terminal.
#include "app/help.h"
#include "app/players.h"
#include "app/reserved_memory.h"
#include "app/table.h"
#include "app/terminal_text.h"
#include "bots/self_play.h"
#include "house/ask.h"
#include "net/loop.h"
#include "tui/page.h"
#include "tui/screen.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

// LINES_KEPT, LINES_LEFT: of the log, while the game runs and on the terminal after it.
enum { FRAME_ROOM = 1 << 18, LINES_KEPT = 64, LINES_LEFT = 8, STEP_MS = 800 };

struct options {
    struct game_setup_options setup;
    const char *bots;
    const char *viewer;
    uint64_t seed, max_steps;
    bool has_seed;
    double speed;
};

struct watch {
    struct table table;
    struct players players;
    int viewer;
    double speed;
    bool live;         // on a terminal: redrawn in place, at a human pace
    bool paused, left; // by keys
    struct screen screen;
    struct text frame; // the picture
    struct text lines; // recent events, one per line
    struct text bytes; // of the page
};

static volatile sig_atomic_t interrupted; // without a page

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void draw_table(struct watch *w)
{
    union game_view view;
    struct codec_table table = table_for(&w->table, w->viewer);
    w->frame.size = 0;
    w->frame.full = false;
    w->table.row->game->view(&w->table.match.state, w->viewer, &view);
    w->table.row->codec->draw(&w->frame, &table, &view);
}

static void show_page(struct watch *w)
{
    char title[128];
    snprintf(title, sizeof title, " %s   %s   speed %g%s", w->table.row->codec->title,
             w->viewer == GAME_SPECTATOR ? "as spectators see it" : w->table.names[w->viewer], w->speed,
             w->paused ? "   paused" : "");
    terminal_text_keep_last(&w->lines, LINES_KEPT);
    struct page p = {.title = span_of(title),
                     .picture = text_span(&w->frame),
                     .log = text_span(&w->lines),
                     .chosen = -1,
                     .keys = SPAN("space pauses   n one step   + and - speed   v viewer   q quits"),
                     .seat = w->table.names,
                     .seats = w->table.match.seats};
    screen_measure(&w->screen);
    w->bytes.size = 0;
    w->bytes.full = false;
    page_put(&w->bytes, &p, w->screen.columns, w->screen.rows, w->screen.colours);
    screen_put(text_span(&w->bytes));
}

static void show_table(struct watch *w)
{
    draw_table(w);
    if (w->live) {
        show_page(w);
        return;
    }
    terminal_text_print(&w->lines, w->table.names, w->table.match.seats);
    terminal_text_print(&w->frame, w->table.names, w->table.match.seats);
    putchar('\n');
    w->lines.size = 0;
    w->lines.full = false;
    fflush(stdout);
}

// The lines are those of one viewer: another viewer starts a new list.
static void next_viewer(struct watch *w)
{
    int seats = w->table.match.seats;
    w->viewer = w->viewer == GAME_SPECTATOR ? 0 : w->viewer + 1 < seats ? w->viewer + 1 : GAME_SPECTATOR;
    w->lines.size = 0;
}

// Returns true if the pause is over.
static bool handle_key(struct watch *w, int key)
{
    static const double most = 1000, least = 0.01;
    if (key == 'q' || key == SCREEN_GONE || key == SCREEN_INTERRUPT)
        w->left = true;
    else if (key == ' ')
        w->paused = !w->paused;
    else if (key == 'n' || key == INPUT_RIGHT)
        w->paused = true;
    else if ((key == '+' || key == '=') && w->speed * 2 <= most)
        w->speed *= 2;
    else if (key == '-' && w->speed / 2 >= least)
        w->speed /= 2;
    else if (key == 'v')
        next_viewer(w);
    return w->left || key == 'n' || key == INPUT_RIGHT || (key == ' ' && !w->paused);
}

static void wait_ms(struct watch *w, double ms)
{
    int64_t until = loop_now_ms() + (int64_t)(ms / w->speed);
    if (!w->live)
        return;
    show_table(w);
    for (;;) {
        int64_t left = until - loop_now_ms();
        if (!w->paused && left <= 0)
            return;
        int key = screen_wait_key(&w->screen, w->paused ? -1 : (int)left);
        if (key != SCREEN_NOTHING && handle_key(w, key))
            return;
        show_table(w);
    }
}

static void play_step(struct watch *w)
{
    int err, seat = self_play_next_seat(&w->table.match);
    const struct match *m = &w->table.match;
    const struct game *g = m->game;
    if (seat >= 0) {
        struct game_action a = house_ask(m, w->players.bot[seat], seat, (uint32_t)m->steps, 0.5f);
        err = table_answer(&w->table, seat, table_turn(&w->table).number, a);
        table_describe_happened(&w->table, w->viewer, &w->lines);
        if (err == OK && !g->tick)
            wait_ms(w, STEP_MS);
    } else {
        err = table_tick(&w->table);
        table_describe_happened(&w->table, w->viewer, &w->lines);
        wait_ms(w, g->tick_ms);
    }
    if (err != OK)
        app_die("%s: %s", g->name, err_sentence(err));
}

static void play_game(struct watch *w, uint64_t max_steps)
{
    show_table(w);
    while (!interrupted && !w->left && !match_is_over(&w->table.match) && w->table.match.steps < max_steps) {
        play_step(w);
        if (!w->live && w->table.happened.count)
            show_table(w);
    }
}

static void describe_result(const struct watch *w)
{
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    w->table.row->game->payoffs(&w->table.match.state, payoffs);
    fputs(match_is_over(&w->table.match) ? "over; payoffs:" : "stopped; payoffs so far:", stdout);
    for (int s = 0; s < w->table.match.seats; s++)
        printf(" %s %d", w->table.names[s], payoffs[s]);
    putchar('\n');
}

static const struct app_value values[] = {
    APP_VALUE('b', struct options, bots),
    APP_NUMBER('e', "--seed", struct options, seed, 0, UINT64_MAX),
    APP_VALUE('e', struct options, has_seed),
    APP_VALUE('v', struct options, viewer),
    APP_NUMBER('m', "--max-steps", struct options, max_steps, 1, UINT64_MAX),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->setup;
        return 0;
    case 'f':
        o->speed = app_read_real(state, "--speed", arg, 0.01, 1000);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option list[] = {
    {"bots", 'b', "A,B,..", 0, "Bots to seat, repeated until every seat is taken (the best bot)", 0},
    {"seed", 'e', "S", 0, "Seed of the game; the same seed gives the same game (random)", 0},
    {"speed", 'f', "F", 0, "Speed; 2 is twice as fast (1)", 0},
    {"viewer", 'v', "SEAT", 0, "Show what this seat sees; seats count from 0 (what spectators see)", 0},
    {"max-steps", 'm', "N", 0, "Stop after N actions and ticks (at the end of the game)", 0},
    {0},
};

static int viewer_of(const char *text, int seats, const char *command)
{
    if (!text)
        return GAME_SPECTATOR;
    if (text[0] >= '0' && text[0] < '0' + seats && text[1] == 0)
        return text[0] - '0';
    app_refuse(command, "--viewer needs a seat from 0 to %d, not '%s'", seats - 1, text);
}

static void start_game(struct watch *w, const struct options *o, const char *command)
{
    struct game_setup setup;
    game_setup_from_options(&setup, &o->setup, command);
    w->players = players_from_names(command, setup.row, o->bots, setup.match.seats);
    w->viewer = viewer_of(o->viewer, setup.match.seats, command);
    for (int s = 0; s < setup.match.seats; s++)
        snprintf(setup.match.name[s], MATCH_NAME_ROOM, "%s_%d", w->players.bot[s]->name, s);
    if (o->has_seed)
        game_setup_set_seed(&setup, o->seed);
    else
        game_setup_draw_key(&setup);
    w->speed = o->speed;
    w->live = screen_is_there();
    w->frame = memory_reserve_text(FRAME_ROOM);
    w->lines = memory_reserve_text(FRAME_ROOM);
    w->bytes = memory_reserve_text(FRAME_ROOM);
    table_open(&w->table);
    int err = table_start(&w->table, &setup);
    if (err != OK)
        app_die("%s cannot start: %s", setup.row->game->name, err_sentence(err));
    table_describe_happened(&w->table, w->viewer, &w->lines);
}

int cmd_watch(int argc, char **argv)
{
    static const struct argp_child children[] = {{&game_setup_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "GAME",
        .children = children,
        .doc = "Watch house bots play. On a terminal the table is redrawn in place; otherwise every step is printed at "
               "once. Keys: space pauses, n one step, + and - speed, v another viewer, q quits.",
    };
    struct options o = {.speed = 1, .max_steps = UINT64_MAX};
    help_parse(&argp, argc, argv, 0, &o);
    static struct watch w;
    start_game(&w, &o, argv[0]);
    struct sigaction stop = {.sa_handler = on_interrupt};
    if (w.live)
        screen_open(&w.screen);
    else
        sigaction(SIGINT, &stop, NULL);
    play_game(&w, o.max_steps);
    if (w.live) {
        screen_close(&w.screen);
        draw_table(&w);
        terminal_text_print(&w.frame, w.table.names, w.table.match.seats);
        putchar('\n');
        terminal_text_keep_last(&w.lines, LINES_LEFT);
        terminal_text_print(&w.lines, w.table.names, w.table.match.seats);
    }
    describe_result(&w);
    table_close(&w.table);
    return APP_DONE;
}
