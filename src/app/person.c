#include "app/person.h"

#include "app/console.h"
#include "app/table.h"
#include "app/terminal_text.h"
#include "house/ask.h"

#include <stdio.h>
#include <string.h>

enum { MOVE_MS = 700, BEST = KIT_LEVELS }; // MOVE_MS: pause after a move of somebody else, so that it can be read

// There is one terminal, so there is one person.
static struct {
    struct contest_run *run;
    const struct game_kit *row;
    struct console console;
    bool is_open, has_game;
    uint64_t game;
    const struct match *match;
    seat_set seats; // of persons, in this game
    int seat;       // of the one who was asked last
    char name[GAME_MAX_SEATS][CONTEST_NAME + 12];
    const char *names[GAME_MAX_SEATS];
} person;

bool person_is_needed(const struct contest_plan *p)
{
    for (int i = 0; i < p->entrants; i++)
        if (strcmp(p->entrant[i].address, "person") == 0)
            return true;
    return false;
}

static void put_rules(void *owner, struct text *out)
{
    (void)owner;
    terminal_text_put_rules(person.row->codec, &person.match->rules, person.match->seats, out);
}

static void put_hint(void *owner, struct text *out)
{
    (void)owner;
    struct game_action a =
        house_ask(person.match, kit_level(person.row, BEST), person.seat, (uint32_t)person.match->steps, 0.5f);
    codec_describe_action(person.row->codec, out, &person.console.table, a);
}

// --- one game

static void name_seats(const struct contest_game *g, int seats)
{
    const struct contest_plan *p = &person.run->contest->plan;
    person.seats = 0;
    for (int s = 0; s < seats; s++) {
        const struct contest_entrant *e = &p->entrant[g->entrant[s]];
        const struct bot *bot = contest_bot_at(person.run, g, s);
        const char *name = bot && !e->bot ? bot->name : e->name;
        bool twice = bot && !e->bot;
        for (int k = 0; k < s; k++)
            twice |= g->entrant[k] == g->entrant[s];
        if (!bot && strcmp(e->address, "person") == 0)
            person.seats |= SEAT(s);
        if (twice)
            snprintf(person.name[s], sizeof person.name[s], "%s_%d", name, s);
        else
            snprintf(person.name[s], sizeof person.name[s], "%s", name);
        person.names[s] = person.name[s];
    }
    person.seat = person.seats ? __builtin_ctz(person.seats) : 0;
}

// Persons who share the terminal see what spectators see until they are asked.
static int viewer_now(void)
{
    return person.seats == SEAT(person.seat) ? person.seat : GAME_SPECTATOR;
}

static void show_table(const struct match *m, int viewer, bool asks)
{
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    m->game->view(&m->state, viewer, &view);
    struct console_scene s = {.row = person.row,
                              .table = {.seat = person.names, .seats = m->seats, .viewer = viewer},
                              .view = &view,
                              .choices = choices,
                              .count = asks ? m->game->choices(&m->state, viewer, choices) : 0};
    person.match = m;
    console_set(&person.console, &s);
}

static void write_result(const struct match *m, struct text *out)
{
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    m->game->payoffs(&m->state, payoffs);
    text_puts(out, "The game is over. Payoffs:");
    for (int s = 0; s < m->seats; s++)
        codec_write(out, " %s %d", person.names[s], payoffs[s]);
}

static void begin_game(const struct contest_game *g, const struct match *m)
{
    char title[CONSOLE_TITLE];
    person.has_game = true;
    person.game = g->index;
    name_seats(g, m->seats);
    snprintf(title, sizeof title, " %s   game %ju of %ju", person.row->codec->title, (uintmax_t)g->index + 1,
             (uintmax_t)person.run->contest->plan.games);
    static const struct console_owner owner = {
        .put_hint = put_hint, .put_rules = put_rules, .quit = "The games so far are reported; this one has no result."};
    if (!person.is_open)
        console_open(&person.console, &owner, title);
    person.is_open = true;
    snprintf(person.console.title, sizeof person.console.title, "%s", title);
}

static void stop_run(void)
{
    atomic_store(&person.run->stop, true);
}

static void show_events(void *owner, const struct contest_game *g, const struct match *m, const struct game_events *e)
{
    (void)owner;
    char result[CONSOLE_NOTICE];
    struct text t = text_on(result, sizeof result - 1);
    if (!person.has_game || person.game != g->index)
        begin_game(g, m);
    struct codec_table table = {.seat = person.names, .seats = m->seats, .viewer = viewer_now(), .voice = CODEC_PERSON};
    table_describe_events(person.row->codec, &table, e, &person.console.log);
    show_table(m, viewer_now(), false);
    if (match_is_over(m)) {
        write_result(m, &t);
        result[t.size] = 0;
        console_show_end(&person.console, result);
    } else if (!console_pause(&person.console, MOVE_MS)) {
        stop_run();
    }
}

static struct game_action ask_move(void *owner, const struct contest_game *g, const struct match *m, int seat)
{
    (void)owner;
    struct game_action a = m->game->fallback(&m->state, seat);
    bool stays = !atomic_load(&person.run->stop);
    if (!person.has_game || person.game != g->index) // nothing has happened yet
        begin_game(g, m);
    person.seat = seat;
    if (stays && person.seats != SEAT(seat)) {
        char words[CONTEST_NAME + 48];
        snprintf(words, sizeof words, "%s (seat %d) is to play: press Enter", person.names[seat], seat);
        stays = console_wait_enter(&person.console, true, words);
    }
    show_table(m, seat, true);
    if (!stays || console_ask(&person.console, &a) != CONSOLE_MOVE) {
        show_table(m, viewer_now(), false); // stays on the terminal
        stop_run();
    }
    return a;
}

// Handles Ctrl-C while another player thinks; the terminal code catches the signal.
static void poll_interrupt(void *owner)
{
    (void)owner;
    if (!person.is_open || !*console_interrupt(&person.console))
        return;
    *console_interrupt(&person.console) = 0;
    if (console_confirms_quit(&person.console))
        stop_run();
}

void person_open(struct contest_run *run, const struct game_kit *row)
{
    person.run = run;
    person.row = row;
    run->ask_person = ask_move;
    run->tell_person = show_events;
    run->poll_person = poll_interrupt;
    run->tables = 1;
}

void person_close(void)
{
    if (!person.is_open)
        return;
    person.console.notice[0] = 0;
    console_close(&person.console);
    person.is_open = person.has_game = false;
}
