// agon play GAME: a person at a table of house bots, here or on a server.
#include "app/console.h"
#include "app/file_io.h"
#include "app/help.h"
#include "app/llm_options.h"
#include "app/output_file.h"
#include "app/play_file.h"
#include "app/play_models.h"
#include "app/play_server.h"
#include "app/players.h"
#include "app/replay_file.h"
#include "app/table.h"
#include "app/terminal_text.h"
#include "base/utf8.h"
#include "bots/self_play.h"
#include "house/ask.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODEL_NAME   "llm"
#define PARTNER_NAME "partner"

// MOVE_MS: pause after a move of a bot or model, so that it can be read. TEAM_STEP: partners sit opposite.
enum { MOVE_MS = 700, BEST = KIT_LEVELS, SERVER = 0x700, KEY, INSECURE, PARTNER, TEAM_STEP = 2 };

struct options {
    struct game_setup_options setup;
    struct llm_flags models;
    const char *against, *save, *name, *partner, *server, *key;
    uint64_t seed;
    bool has_seed, resume, insecure;
    int level, seat;
    double speed;
};

struct play {
    struct table table;
    struct players players; // neither bot nor model: a person
    struct players given;   // by --against, if a kept game has models
    struct play_models *models;
    char why[LLM_NOTE]; // why models have stopped; "": they have not
    int seat;           // of the person who was asked last
    seat_set persons;
    double speed;
    struct console console;
};

// --- what is seen

// Two people at one terminal must not see each other's cards: between their turns they see what spectators see.
static int viewer_of(const struct play *p)
{
    return p->persons == SEAT(p->seat) ? p->seat : GAME_SPECTATOR;
}

static void show_table(struct play *p, int viewer, bool asks)
{
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    const struct match *m = &p->table.match;
    m->game->view(&m->state, viewer, &view);
    struct console_scene s = {.row = p->table.row,
                              .table = table_for(&p->table, viewer),
                              .view = &view,
                              .choices = choices,
                              .count = asks ? m->game->choices(&m->state, viewer, choices) : 0};
    console_set(&p->console, &s);
}

static void put_rules(void *owner, struct text *out)
{
    const struct play *p = owner;
    terminal_text_put_rules(p->table.row->codec, &p->table.match.rules, p->table.match.seats, out);
}

static void put_hint(void *owner, struct text *out)
{
    const struct play *p = owner;
    const struct match *m = &p->table.match;
    struct game_action a = house_ask(m, kit_level(p->table.row, BEST), p->seat, (uint32_t)m->steps, 0.5f);
    codec_describe_action(p->table.row->codec, out, &p->console.table, a);
}

// --- the game

// Returns false if the person leaves.
static bool ask_person(struct play *p, int seat, struct game_action *out)
{
    if (p->persons != SEAT(seat)) { // two people: announces whose turn it is
        char words[2 * MATCH_NAME_ROOM];
        snprintf(words, sizeof words, "%s is to play: press Enter", p->table.names[seat]);
        p->seat = seat;
        if (!console_wait_enter(&p->console, true, words))
            return false;
    }
    show_table(p, seat, true);
    return console_ask(&p->console, out) == CONSOLE_MOVE;
}

// Ctrl-C works while a model thinks; other input waits.
static bool ask_model(struct play *p, int seat, struct game_action *out)
{
    volatile sig_atomic_t *interrupted = console_interrupt(&p->console);
    for (;;) {
        enum play_answer got = play_models_ask(p->models, &p->table, seat, interrupted, out, p->why);
        if (got != PLAY_INTERRUPTED)
            return got == PLAY_ANSWERED;
        *interrupted = 0;
        if (console_confirms_quit(&p->console))
            return false;
    }
}

static bool play_step(struct play *p)
{
    const struct match *m = &p->table.match;
    int seat = self_play_next_seat(m);
    bool is_person = p->persons & SEAT(seat);
    struct game_action a;
    if (!is_person && p->players.bot[seat])
        a = house_ask(m, p->players.bot[seat], seat, (uint32_t)m->steps, 0.5f);
    else if (is_person ? !ask_person(p, seat, &a) : !ask_model(p, seat, &a))
        return false;
    int err = table_answer(&p->table, seat, table_turn(&p->table).number, a);
    if (err != OK)
        app_die("%s: %s", m->game->name, err_sentence(err));
    table_describe_happened(&p->table, viewer_of(p), &p->console.log);
    show_table(p, viewer_of(p), false);
    return is_person || console_pause(&p->console, MOVE_MS / p->speed);
}

// A person wins with their team.
static void write_result(const struct play *p, struct text *out)
{
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    const struct match *m = &p->table.match;
    m->game->payoffs(&m->state, payoffs);
    int32_t best = payoffs[p->seat], worst = payoffs[p->seat];
    for (int s = 0; s < m->seats; s++) {
        best = payoffs[s] > best ? payoffs[s] : best;
        worst = payoffs[s] < worst ? payoffs[s] : worst;
    }
    codec_write(out, "%s Payoffs:",
                m->seats == 1              ? "The end."
                : best == worst            ? "A draw."
                : payoffs[p->seat] == best ? "You won."
                                           : "You lost.");
    for (int s = 0; s < m->seats; s++)
        codec_write(out, " %s %d", p->table.names[s], payoffs[s]);
}

// --- the beginning

static const struct app_value values[] = {
    APP_VALUE('a', struct options, against),
    APP_NUMBER('l', "--level", struct options, level, 1, KIT_LEVELS),
    APP_NUMBER('p', "--seat", struct options, seat, 0, GAME_MAX_SEATS - 1),
    APP_VALUE('o', struct options, save),
    APP_VALUE('c', struct options, resume),
    APP_VALUE(KEY, struct options, key),
    APP_VALUE(INSECURE, struct options, insecure),
    APP_VALUE(PARTNER, struct options, partner),
    APP_NUMBER('e', "--seed", struct options, seed, 0, UINT64_MAX),
    APP_VALUE('e', struct options, has_seed),
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
        state->child_inputs[1] = &o->models;
        return 0;
    case 'f':
        o->speed = app_read_real(state, "--speed", arg, 0.01, 1000);
        return 0;
    case SERVER:
        o->server = arg;
        o->setup.may_lack_game = true; // a friend's link names the game
        return 0;
    case 'n':
        if (strlen(arg) >= MATCH_NAME_ROOM || utf8_count_shown(span_of(arg)) < 1)
            app_refuse(state->name, "--name needs 1 to %d bytes of readable text", MATCH_NAME_ROOM - 1);
        o->name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option list[] = {
    {"against", 'a', "PLAYER,..", 0,
     "House bots, or models as llm:MODEL@URL, at the other seats, repeated until every seat is taken (by --level)", 0},
    {"partner", PARTNER, "PLAYER", 0,
     "Your partner in belote: a house bot, or person for a second player at this terminal (a bot of --level)", 0},
    {"level", 'l', "N", 0, "Strength of the other seats, 1 to 5 (3)", 0},
    {"seat", 'p', "SEAT", 0, "Your seat; seats count from 0 (0)", 0},
    {"name", 'n', "NAME", 0, "Your name at the table (your login name)", 0},
    {"seed", 'e', "S", 0, "Seed of the game; the same seed gives the same game (random)", 0},
    {"speed", 'f', "F", 0, "Speed of the other players; 2 is twice as fast (1)", 0},
    {"save", 'o', "FILE", 0, "Write the replay of the finished game to FILE", 0},
    {"resume", 'c', NULL, 0, "Continue the game that you quit last, or your match on --server", 0},
    {"server", SERVER, "URL", 0,
     "Play on this arena as a guest, as https://arena.example.org, or at the table of a friend's link; with --against "
     "waiting you meet the agents in its queue",
     0},
    {"key", KEY, "KEY", 0,
     "API key of the registered agent that you play as on --server (a guest key, stored for the next time)", 0},
    {"insecure", INSECURE, NULL, 0, "Do not verify the TLS certificate of --server", 0},
    {0},
};

// "a,b" for the seats other than `me`, in order.
static struct players seat_others(const char *command, const struct game_kit *row, const char *names, int seats, int me)
{
    struct players others = players_from_list(command, row, names, seats - 1, true), p = {0};
    for (int s = 0, next = 0; s < seats; s++)
        if (s != me) {
            p.bot[s] = others.bot[next];
            p.model[s] = others.model[next++];
        }
    return p;
}

static void seat_partner(struct play *p, const struct options *o, const struct game_setup *setup, const char *command)
{
    int seats = setup->match.seats, seat = (p->seat + TEAM_STEP) % seats;
    if (setup->row->game->teams != TEAM_STEP)
        app_refuse(command, "--partner is for games in which two play together; in %s everybody plays alone",
                   setup->row->game->name);
    p->players.bot[seat] = NULL;
    p->players.model[seat] = NULL;
    if (strcmp(o->partner, "person") == 0)
        p->persons |= SEAT(seat);
    else
        p->players.bot[seat] = players_from_names(command, setup->row, o->partner, 1).bot[0];
}

static void seat_all(struct play *p, const struct options *o, const struct game_setup *setup, const char *command)
{
    char level[16];
    snprintf(level, sizeof level, "house:%d", o->level);
    if (o->seat >= setup->match.seats)
        app_refuse(command, "--seat needs a seat from 0 to %d, not %d", setup->match.seats - 1, o->seat);
    p->seat = o->seat;
    p->persons = SEAT(o->seat);
    if (o->against || setup->match.seats > 1)
        p->players = seat_others(command, setup->row, o->against ? o->against : level, setup->match.seats, o->seat);
    if (o->partner)
        seat_partner(p, o, setup, command);
}

static void play_begin(struct play *p, const struct options *o, const char *command)
{
    struct game_setup setup;
    game_setup_from_options(&setup, &o->setup, command);
    seat_all(p, o, &setup, command);
    for (int s = 0; s < setup.match.seats; s++)
        if (p->persons & SEAT(s))
            snprintf(setup.match.name[s], MATCH_NAME_ROOM, "%s", s == p->seat ? o->name : PARTNER_NAME);
        else
            snprintf(setup.match.name[s], MATCH_NAME_ROOM, "%s_%d",
                     p->players.bot[s] ? p->players.bot[s]->name : MODEL_NAME, s);
    if (o->has_seed)
        game_setup_set_seed(&setup, o->seed);
    else
        game_setup_draw_key(&setup);
    setup.match.open_key = true; // a kept game continues with the same cards
    int err = table_start(&p->table, &setup);
    if (err != OK)
        app_die("%s cannot start: %s", setup.row->game->name, err_sentence(err));
}

// A kept game does not know its model: keys and addresses belong to the person.
static void find_model(struct play *p, const char *against, int person, int seat, const char *command)
{
    if (against && !p->given.bot[seat] && !p->given.model[seat])
        p->given = seat_others(command, p->table.row, against, p->table.match.seats, person);
    if (!p->given.model[seat])
        app_refuse(command, "a model plays at seat %d of the saved game: name it with --against llm:MODEL@URL", seat);
    p->players.model[seat] = p->given.model[seat];
}

// Bots are named "rules_1": the bot and its seat; models "llm_1". Other names are persons: one, or two who play
// together.
static void find_seats(struct play *p, const char *against, const char *command)
{
    seat_set models = 0;
    const struct match *m = &p->table.match;
    for (int s = 0; s < m->seats; s++) {
        char name[MATCH_NAME_ROOM], *number;
        snprintf(name, sizeof name, "%s", p->table.names[s]);
        if ((number = strrchr(name, '_')) && atoi(number + 1) == s)
            *number = 0;
        p->players.bot[s] = number ? kit_find_bot(p->table.row, name) : NULL;
        if (number && strcmp(name, MODEL_NAME) == 0)
            models |= SEAT(s);
        else if (!p->players.bot[s])
            p->persons |= SEAT(s);
    }
    if (!p->persons)
        app_refuse(command, "the saved game has no seat for a person");
    p->seat = __builtin_ctz(p->persons);
    int partner = m->game->teams ? (p->seat + TEAM_STEP) % m->seats : p->seat;
    if (p->persons & ~(SEAT(p->seat) | SEAT(partner)))
        app_refuse(command, "the saved game has players who are neither house bots nor people of one side");
    for (int s = 0; s < m->seats; s++)
        if (models & SEAT(s))
            find_model(p, against, p->seat, s, command);
}

static void resume_game(struct play *p, const struct game_kit *row, const char *against, const char *command)
{
    char path[PLAY_PATH];
    struct loaded_replay tape;
    play_file_path(path, row->game->name);
    if (access(path, R_OK) != 0)
        app_refuse(command, "there is no saved game of %s; start one without --resume", row->game->name);
    replay_file_require(&tape, path, NULL);
    int err = tape.row == row ? table_resume(&p->table, &tape) : ERR_UNKNOWN;
    replay_file_close(&tape);
    if (err != OK)
        app_die("%s cannot be resumed: %s", path, err_sentence(err));
    find_seats(p, against, command);
}

static void save_game(struct play *p)
{
    char path[PLAY_PATH], why[256] = "it is too long";
    play_file_path(path, p->table.row->game->name);
    bool kept =
        match_checkpoint(&p->table.match) == OK && play_file_write(path, text_span(&p->table.log), why, sizeof why);
    show_table(p, viewer_of(p), false); // stays on the terminal
    p->console.notice[0] = 0;
    console_close(&p->console);
    if (!kept)
        app_die("the game could not be saved: %s", why);
    printf("The game is saved. Continue with: agon play %s --resume\n", p->table.row->game->name);
}

static void finish_game(struct play *p, const struct options *o)
{
    char path[PLAY_PATH], result[CONSOLE_NOTICE];
    struct text t = text_on(result, sizeof result - 1);
    write_result(p, &t);
    result[t.size] = 0;
    match_finish(&p->table.match, p->table.key, true);
    play_file_path(path, p->table.row->game->name);
    int err = o->save && file_io_write(o->save, text_span(&p->table.log)) != OK ? errno : 0;
    if (o->resume && !err)
        unlink(path);
    show_table(p, viewer_of(p), false);
    console_show_end(&p->console, result);
    console_close(&p->console);
    if (err)
        app_die("cannot write %s: %s", o->save, strerror(err));
    if (o->save)
        printf("Replay: agon replay show %s\n", o->save);
}

static int play_local(const struct options *o, const char *command)
{
    static struct play p;
    static const struct console_owner owner = {.owner = &p,
                                               .put_hint = put_hint,
                                               .put_rules = put_rules,
                                               .quit = "The game is saved; continue later with --resume."};
    char title[CONSOLE_TITLE];
    p.speed = o->speed;
    table_open(&p.table);
    if (o->resume)
        resume_game(&p, o->setup.row, o->against, command);
    else
        play_begin(&p, o, command);
    p.models = play_models_open(&o->models.run, p.players.model, command);
    if (o->has_seed)
        snprintf(title, sizeof title, " %s   seed %ju", p.table.row->codec->title, (uintmax_t)o->seed);
    else
        snprintf(title, sizeof title, " %s", p.table.row->codec->title);
    console_open(&p.console, &owner, title);
    table_describe_happened(&p.table, viewer_of(&p), &p.console.log);
    show_table(&p, viewer_of(&p), false);
    while (!match_is_over(&p.table.match) && play_step(&p))
        ;
    if (match_is_over(&p.table.match))
        finish_game(&p, o);
    else
        save_game(&p);
    play_models_close(p.models);
    table_close(&p.table);
    if (p.why[0])
        fprintf(stderr, "agon play: %s\n", p.why);
    return p.why[0] ? APP_USAGE : APP_DONE;
}

// Checks options that apply to local or to remote games only.
static void check_place(const struct options *o, const char *command)
{
    const struct game_setup_options *s = &o->setup;
    const char *here = o->partner                ? "--partner"
                       : o->has_seed             ? "--seed"
                       : o->save                 ? "--save"
                       : o->seat                 ? "--seat"
                       : s->scenario             ? "--scenario"
                       : s->rules || s->named[0] ? "an option of the rules"
                                                 : NULL;
    const char *there = o->key ? "--key" : o->insecure ? "--insecure" : NULL;
    if (o->server && here)
        app_refuse(command, "%s is for games at this terminal; leave it out with --server", here);
    if (!o->server && there)
        app_refuse(command, "%s is for games on a server; add --server URL", there);
}

static int play_tetris(const struct options *o, const char *command)
{
    char name[] = "agon tetris", seed[40], record[PATH_MAX + 16], *words[4] = {name};
    int count = 1;
    const char *other = o->against ? "--against" : o->partner ? "--partner" : o->resume ? "--resume" : NULL;
    if (other)
        app_refuse(command, "%s does not apply to tetris, which one person plays to its end; leave it out", other);
    snprintf(seed, sizeof seed, "--seed=%ju", (uintmax_t)o->seed);
    if (o->has_seed)
        words[count++] = seed;
    snprintf(record, sizeof record, "--record=%s", o->save ? o->save : "");
    if (o->save)
        words[count++] = record;
    return cmd_tetris(count, words);
}

int cmd_play(int argc, char **argv)
{
    static const struct argp_child children[] = {{&game_setup_argp, 0, NULL, 0}, {&llm_run_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "GAME",
        .children = children,
        .doc = "Play a game against house bots or language models, here or on a server. Type moves in words (\"raise "
               "400\", \"3 fours\", \"Ah\") or their numbers, or choose with the arrow keys; ? shows help. Tetris is "
               "played with the arrow keys: see 'agon tetris'.",
    };
    const char *login = getenv("USER");
    struct options o = {
        .speed = 1, .level = 3, .name = login && *login && strlen(login) < MATCH_NAME_ROOM ? login : "player"};
    help_parse(&argp, argc, argv, 0, &o);
    check_place(&o, argv[0]);
    if (o.server) {
        struct play_server_options server = {.game = o.setup.row,
                                             .url = o.server,
                                             .key = o.key,
                                             .name = o.name,
                                             .against = o.against,
                                             .level = o.level,
                                             .seats = o.setup.seats,
                                             .resume = o.resume,
                                             .trust_anyone = o.insecure,
                                             .command = argv[0]};
        return play_server(&server);
    }
    output_file_check(o.save, argv[0]);
    if (o.setup.row->game->tick)
        return play_tetris(&o, argv[0]);
    return play_local(&o, argv[0]);
}
