// agon play GAME: a person at a table of house bots.
#include "app/help.h"
#include "app/llm_options.h"
#include "app/play_file.h"
#include "app/play_models.h"
#include "app/players.h"
#include "app/reserve.h"
#include "app/show.h"
#include "app/table.h"
#include "app/tape.h"
#include "app/words.h"
#include "base/utf8.h"
#include "bots/seated.h"
#include "house/ask.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODEL_NAME "llm"

enum { FRAME_ROOM = 1 << 18, LINES_KEPT = 8, LINE = 256, MOVE_MS = 700, BEST = KIT_LEVELS };

struct options {
    struct setup_options setup;
    struct llm_flags models;
    const char *against, *save, *name;
    uint64_t seed;
    bool has_seed, resume;
    int level, seat;
    double speed;
};

struct play {
    struct table table;
    struct players players; // neither bot nor model: the person
    struct players given;   // by --against, when a kept game has models
    struct play_models *models;
    char why[LLM_NOTE]; // models have stopped; "": they have not
    int seat;
    double speed;
    bool live, quits;
    struct text frame, lines, words;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

// --- what is seen

static void empty(struct text *t)
{
    t->size = 0;
    t->full = false;
}

static void show_table(struct play *p)
{
    union game_view view;
    struct codec_table table = table_for(&p->table, p->seat);
    empty(&p->frame);
    p->table.row->game->view(&p->table.match.state, p->seat, &view);
    p->table.row->codec->draw(&p->frame, &table, &view);
    if (p->live) {
        show_keep_last(&p->lines, LINES_KEPT);
        fputs("\x1b[2J", stdout);
        show_home();
        show_lines(&p->frame);
        putchar('\n');
        show_lines(&p->lines);
    } else {
        show_plain(&p->lines);
        show_plain(&p->frame);
        empty(&p->lines);
    }
    fflush(stdout);
}

// --- what is typed

enum { TYPED_LINE, TYPED_END, TYPED_INTERRUPT };

static int read_line(const char *prompt, char line[LINE])
{
    fputs(prompt, stdout);
    fflush(stdout);
    errno = 0;
    if (!fgets(line, LINE, stdin)) {
        bool was = interrupted;
        interrupted = 0;
        clearerr(stdin);
        putchar('\n');
        return was ? TYPED_INTERRUPT : TYPED_END;
    }
    line[strcspn(line, "\r\n")] = 0;
    return TYPED_LINE;
}

// Ctrl-C asks once. A second one, the end of the input, or anything but no quits.
static bool wants_to_quit(void)
{
    char line[LINE];
    int typed = read_line("Quit? The game is kept; go on later with --resume. [y/N] ", line);
    return typed != TYPED_LINE || line[0] == 'y' || line[0] == 'Y';
}

static void show_help(void)
{
    puts("Type a move in words (\"raise 400\", \"3 fours\", \"Ah\", \"tax\"), shortened if you like, or its number.\n"
         "  hint    what the strongest house bot would do\n"
         "  rules   the rules of this game\n"
         "  show    draw the table again\n"
         "  quit    keep the game and leave; so does Ctrl-C");
}

static void show_rules(struct play *p)
{
    empty(&p->words);
    p->table.row->codec->describe_rules(&p->words, &p->table.match.rules, p->table.match.seats);
    show_plain(&p->words);
}

static void show_hint(struct play *p)
{
    const struct match *m = &p->table.match;
    struct codec_table table = table_for(&p->table, p->seat);
    struct game_action a = house_ask(m, kit_level(p->table.row, BEST), p->seat, (uint32_t)m->steps, 0.5f);
    empty(&p->words);
    text_puts(&p->words, "hint: ");
    p->table.row->codec->describe_action(&p->words, &table, a);
    show_plain(&p->words);
}

// True: it was a command and not a move.
static bool obey(struct play *p, const char *line)
{
    static const struct {
        const char *word;
        char does;
    } commands[] = {{"?", '?'},    {"help", '?'}, {"hint", 'h'}, {"rules", 'r'},
                    {"show", 's'}, {"quit", 'q'}, {"exit", 'q'}};
    char does = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(line, commands[i].word) == 0)
            does = commands[i].does;
    if (does == '?')
        show_help();
    else if (does == 'h')
        show_hint(p);
    else if (does == 'r')
        show_rules(p);
    else if (does == 's')
        show_table(p);
    p->quits = does == 'q';
    return does != 0;
}

static void show_choices(struct play *p, const struct game_choice *choices, int count, const struct words_match *some)
{
    struct codec_table table = table_for(&p->table, p->seat);
    int lines = some ? some->found : count;
    for (int i = 0; i < lines; i++) {
        int which = some ? some->choice[i] : i;
        empty(&p->words);
        codec_write(&p->words, "  %2d  ", which + 1);
        words_put_choice(p->table.row->codec, &p->words, &table, choices[which]);
        show_plain(&p->words);
    }
}

static bool understand(struct play *p, const char *line, const struct game_choice *choices, int count,
                       struct game_action *out)
{
    struct words_match match;
    struct codec_table table = table_for(&p->table, p->seat);
    switch (words_find(p->table.row->codec, &table, choices, count, line, &match)) {
    case WORDS_ONE:
        *out = match.action;
        return true;
    case WORDS_AMOUNT:
        puts("how much? add the amount:");
        show_choices(p, choices, count, &match);
        return false;
    case WORDS_SEVERAL:
        puts("that could be any of these:");
        show_choices(p, choices, count, &match);
        return false;
    case WORDS_NONE:
        break;
    }
    puts("that is no move here; these are (? for help):");
    show_choices(p, choices, count, NULL);
    return false;
}

// False: the person leaves.
static bool ask(struct play *p, struct game_action *out)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    char line[LINE];
    int count = p->table.match.game->choices(&p->table.match.state, p->seat, choices);
    show_table(p);
    putchar('\n');
    show_choices(p, choices, count, NULL);
    for (;;) {
        int typed = read_line("your move> ", line);
        if (typed == TYPED_INTERRUPT && wants_to_quit())
            return false;
        if (typed == TYPED_END)
            return false;
        if (typed == TYPED_INTERRUPT || line[strspn(line, " \t")] == 0)
            continue;
        if (obey(p, line)) {
            if (p->quits)
                return false;
            continue;
        }
        if (understand(p, line, choices, count, out))
            return true;
    }
}

// --- the game

static bool ask_model(struct play *p, int seat, struct game_action *out)
{
    for (;;) {
        enum play_answer got = play_models_ask(p->models, &p->table, seat, &interrupted, out, p->why);
        if (got != PLAY_INTERRUPTED)
            return got == PLAY_ANSWERED;
        interrupted = 0;
        if (wants_to_quit())
            return false;
    }
}

static bool step(struct play *p)
{
    const struct match *m = &p->table.match;
    int seat = seated_next(m);
    struct game_action a;
    if (seat == p->seat && !ask(p, &a))
        return false;
    if (p->players.model[seat] && seat != p->seat && !ask_model(p, seat, &a))
        return false;
    if (p->players.bot[seat] && seat != p->seat)
        a = house_ask(m, p->players.bot[seat], seat, (uint32_t)m->steps, 0.5f);
    int err = table_answer(&p->table, seat, table_turn(&p->table).number, a);
    if (err != OK)
        app_die("%s: %s", m->game->name, err_sentence(err));
    table_describe_happened(&p->table, p->seat, &p->lines);
    if (seat != p->seat && p->live) {
        show_table(p);
        show_pause(MOVE_MS / p->speed);
    }
    return true;
}

static void show_result(struct play *p)
{
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    const struct match *m = &p->table.match;
    m->game->payoffs(&m->state, payoffs);
    int32_t best = payoffs[p->seat], worst = payoffs[p->seat];
    for (int s = 0; s < m->seats; s++) {
        best = payoffs[s] > best ? payoffs[s] : best;
        worst = payoffs[s] < worst ? payoffs[s] : worst;
    }
    show_table(p);
    printf("\n%s Payoffs:", best == worst ? "A draw." : payoffs[p->seat] == best ? "You won." : "You lost.");
    for (int s = 0; s < m->seats; s++)
        printf(" %s %d", p->table.names[s], payoffs[s]);
    putchar('\n');
}

// --- the beginning

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->setup;
        state->child_inputs[1] = &o->models;
        return 0;
    case 'a':
        o->against = arg;
        return 0;
    case 'l':
        o->level = (int)app_read_uint(state, "--level", arg, 1, KIT_LEVELS);
        return 0;
    case 'p':
        o->seat = (int)app_read_uint(state, "--seat", arg, 0, GAME_MAX_SEATS - 1);
        return 0;
    case 'e':
        o->seed = app_read_uint(state, "--seed", arg, 0, UINT64_MAX);
        o->has_seed = true;
        return 0;
    case 'f':
        o->speed = app_read_real(state, "--speed", arg, 0.01, 1000);
        return 0;
    case 'o':
        o->save = arg;
        return 0;
    case 'c':
        o->resume = true;
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
    {"level", 'l', "N", 0, "Strength of the other seats, 1 to 5 (3)", 0},
    {"seat", 'p', "SEAT", 0, "Your seat; seats count from 0 (0)", 0},
    {"name", 'n', "NAME", 0, "What you are called (your login name)", 0},
    {"seed", 'e', "S", 0, "Seed of the game; the same seed gives the same game (random)", 0},
    {"speed", 'f', "F", 0, "Speed of the other players; 2 is twice as fast (1)", 0},
    {"save", 'o', "FILE", 0, "Write the replay of the finished game to FILE", 0},
    {"resume", 'c', NULL, 0, "Go on with the game that you quit last", 0},
    {0},
};

static void seat_bots(struct play *p, const struct options *o, const struct setup *setup, const char *command)
{
    char level[16];
    snprintf(level, sizeof level, "house:%d", o->level);
    p->players = players_from_list(command, setup->row, o->against ? o->against : level, setup->match.seats, true);
    if (o->seat >= setup->match.seats)
        app_refuse(command, "--seat needs a seat from 0 to %d, not %d", setup->match.seats - 1, o->seat);
    p->seat = o->seat;
}

static void begin(struct play *p, const struct options *o, const char *command)
{
    struct setup setup;
    setup_from_options(&setup, &o->setup, command);
    seat_bots(p, o, &setup, command);
    for (int s = 0; s < setup.match.seats; s++)
        if (s == p->seat)
            snprintf(setup.match.name[s], MATCH_NAME_ROOM, "%s", o->name);
        else
            snprintf(setup.match.name[s], MATCH_NAME_ROOM, "%s_%d",
                     p->players.bot[s] ? p->players.bot[s]->name : MODEL_NAME, s);
    if (o->has_seed)
        setup_seed(&setup, o->seed);
    else
        setup_draw_key(&setup);
    setup.match.open_key = true; // a game that is kept goes on with the same cards
    int err = table_start(&p->table, &setup);
    if (err != OK)
        app_die("%s cannot start: %s", setup.row->game->name, err_sentence(err));
}

// A kept game does not know which model sat there: keys and addresses are the person's.
static bool find_model(struct play *p, const char *against, int seat, const char *command)
{
    if (against && !p->given.bot[0] && !p->given.model[0])
        p->given = players_from_list(command, p->table.row, against, p->table.match.seats, true);
    if (!p->given.model[seat])
        app_refuse(command, "a model plays at seat %d of the kept game: name it with --against llm:MODEL@URL", seat);
    p->players.model[seat] = p->given.model[seat];
    return true;
}

// Bots are called "rules_1": the bot, and its seat; models "llm_1". The one seat that is called otherwise is the
// person's.
static void find_seats(struct play *p, const char *against, const char *command)
{
    p->seat = -1;
    for (int s = 0; s < p->table.match.seats; s++) {
        char name[MATCH_NAME_ROOM], *number;
        snprintf(name, sizeof name, "%s", p->table.names[s]);
        if ((number = strrchr(name, '_')) && atoi(number + 1) == s)
            *number = 0;
        p->players.bot[s] = number ? kit_find_bot(p->table.row, name) : NULL;
        if (number && strcmp(name, MODEL_NAME) == 0 && find_model(p, against, s, command))
            continue;
        if (!p->players.bot[s] && p->seat >= 0)
            app_refuse(command, "the kept game has two players who are no house bots: %s and %s",
                       p->table.names[p->seat], p->table.names[s]);
        if (!p->players.bot[s])
            p->seat = s;
    }
    if (p->seat < 0)
        app_refuse(command, "the kept game has no seat for a person");
}

static void go_on(struct play *p, const struct game_kit *row, const char *against, const char *command)
{
    char path[PLAY_PATH];
    struct tape tape;
    play_file_path(path, row->game->name);
    if (access(path, R_OK) != 0)
        app_refuse(command, "no game of %s is kept; start one without --resume", row->game->name);
    tape_demand(&tape, path, NULL);
    int err = tape.row == row ? table_resume(&p->table, &tape) : ERR_UNKNOWN;
    tape_close(&tape);
    if (err != OK)
        app_die("%s cannot be resumed: %s", path, err_sentence(err));
    find_seats(p, against, command);
}

static void keep(struct play *p)
{
    char path[PLAY_PATH], why[256];
    play_file_path(path, p->table.row->game->name);
    if (match_checkpoint(&p->table.match) != OK || !play_file_write(path, text_span(&p->table.log), why, sizeof why))
        app_die("the game could not be kept: %s", why);
    printf("The game is kept. Go on with: agon play %s --resume\n", p->table.row->game->name);
}

static void finish(struct play *p, const struct options *o)
{
    char path[PLAY_PATH];
    show_result(p);
    match_finish(&p->table.match, p->table.key, true);
    play_file_path(path, p->table.row->game->name);
    if (o->resume)
        unlink(path);
    if (o->save && tape_write_file(o->save, text_span(&p->table.log)) != OK)
        app_die("%s: %s", o->save, strerror(errno));
    if (o->save)
        printf("Replay: agon replay show %s\n", o->save);
}

int cmd_play(int argc, char **argv)
{
    static const struct argp_child children[] = {{&setup_argp, 0, NULL, 0}, {&llm_run_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse,
        .args_doc = "GAME",
        .children = children,
        .doc = "Play a game against house bots or language models. Type moves in words (\"raise 400\", \"3 fours\", "
               "\"Ah\"), or their "
               "numbers; "
               "? shows help. Tetris is played with the arrow keys: see 'agon tetris'.",
    };
    static struct play p;
    const char *login = getenv("USER");
    struct options o = {
        .speed = 1, .level = 3, .name = login && *login && strlen(login) < MATCH_NAME_ROOM ? login : "player"};
    help_parse(&argp, argc, argv, 0, &o);
    if (o.setup.row && o.setup.row->game->tick) {
        char name[] = "agon tetris";
        return cmd_tetris(1, (char *[]){name, NULL});
    }
    p.speed = o.speed;
    p.live = show_is_live() && isatty(STDIN_FILENO);
    p.frame = app_reserve_text(FRAME_ROOM);
    p.lines = app_reserve_text(FRAME_ROOM);
    p.words = app_reserve_text(FRAME_ROOM);
    table_open(&p.table);
    if (o.resume)
        go_on(&p, o.setup.row, o.against, argv[0]);
    else
        begin(&p, &o, argv[0]);
    p.players.model[p.seat] = NULL;
    p.models = play_models_open(&o.models.run, p.players.model, argv[0]);
    table_describe_happened(&p.table, p.seat, &p.lines);
    struct sigaction stop = {.sa_handler = on_interrupt}; // without SA_RESTART: reading a line ends at once
    sigaction(SIGINT, &stop, NULL);
    while (!match_is_over(&p.table.match) && step(&p))
        ;
    if (match_is_over(&p.table.match))
        finish(&p, &o);
    else
        keep(&p);
    play_models_close(p.models);
    table_close(&p.table);
    if (p.why[0])
        fprintf(stderr, "agon play: %s\n", p.why);
    return p.why[0] ? APP_USAGE : APP_DONE;
}
