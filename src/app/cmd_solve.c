// agon solve GAME, agon exploit GAME: strategies by regret minimisation, and what a best response wins against a bot.
#include "app/games.h"
#include "app/help.h"
#include "app/interrupt.h"
#include "app/outputs.h"

#include "base/json_write.h"
#include "heap/heap.h"
#include "net/loop.h"
#include "solve/small_game.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_ITERATIONS = 1000000000,
    MAX_MINUTES = 100000,
    MAX_ROUNDS = 10000000,
    SAMPLES = 20000,
    REPORT_ROOM = 1 << 16
};
enum { ITERATIONS = 'n', MINUTES = 'm', SEED = 's', THREADS = 'j', OUT = 'o', RESUME = 256, JSON, BOT, ROUNDS };

struct options {
    const struct game_kit *row;
    uint64_t iterations, seed, rounds;
    double minutes, begun;
    double shown;  // when the line on the terminal was drawn last
    uint64_t done; // units of work
    int threads;
    const char *out, *resume, *bot;
    bool json;
    char command[256]; // for the head of the file
};

static atomic_bool interrupted;

// Some games support best responses, but no table.
static bool has_table(const struct game_kit *k)
{
    return k->solve && (k->solve->solve || k->solve->deal);
}

static bool has_answers(const struct game_kit *k)
{
    return k->solve && (k->solve->exploit || k->solve->deal);
}

static void name_games(bool (*has)(const struct game_kit *), char *out, size_t room)
{
    size_t size = 0;
    *out = 0;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        if (has(*k) && size < room)
            size += (size_t)snprintf(out + size, room - size, "%s%s", size ? ", " : "", (*k)->game->name);
}

// Without a game it ends the program and lists those that it could be.
static void require_game(const struct options *o, struct argp_state *state, bool (*has)(const struct game_kit *))
{
    char known[256];
    name_games(has, known, sizeof known);
    if (!o->row)
        argp_error(state, "which game? Known: %s", known);
}

static void read_game(struct options *o, struct argp_state *state, const char *name,
                      bool (*has)(const struct game_kit *))
{
    char known[256];
    if (o->row)
        argp_error(state, "unexpected argument '%s'; one game at a time", name);
    o->row = app_get_game(state, name);
    name_games(has, known, sizeof known);
    if (!has(o->row))
        argp_failure(state, APP_USAGE, 0, "%s is not supported; known: %s", name, known);
}

// A line on the terminal, redrawn at most once a second; the caller writes what is done.
static bool is_pulse_due(struct options *o)
{
    double now = loop_now_seconds();
    if (!isatty(STDERR_FILENO) || now - o->shown < 1)
        return false;
    o->shown = now;
    fputs("\r\033[K", stderr);
    return true;
}

static void end_pulse(const struct options *o)
{
    if (o->shown > 0)
        fputs("\r\033[K", stderr);
}

// --- solve

static const struct app_value solve_values[] = {
    APP_NUMBER(ITERATIONS, "--iterations", struct options, iterations, 1, MAX_ITERATIONS),
    APP_NUMBER(SEED, "--seed", struct options, seed, 0, UINT64_MAX),
    APP_NUMBER(THREADS, "--threads", struct options, threads, 1, 64),
    APP_VALUE(OUT, struct options, out),
    APP_VALUE(RESUME, struct options, resume),
    {0},
};

static error_t parse_solve(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, solve_values, key, arg, o))
        return 0;
    switch (key) {
    case MINUTES:
        o->minutes = app_read_real(state, "--minutes", arg, 0.01, MAX_MINUTES);
        return 0;
    case ARGP_KEY_ARG:
        read_game(o, state, arg, has_table);
        return 0;
    case ARGP_KEY_END:
        require_game(o, state, has_table);
        if (!o->out)
            argp_error(state, "--out FILE is needed, the file for the table");
        if (!o->iterations == !(o->minutes > 0))
            argp_error(state, "give --iterations or --minutes");
        if (o->resume && !o->row->solve->solve)
            argp_error(state, "%s is solved in seconds and has no --resume", o->row->game->name);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// The head of the file says what is in it, also if it was stopped early. Calls come one at a time.
static bool show_progress(void *owner, const char *line)
{
    static const char early[] = ", interrupted";
    struct options *o = owner;
    if (line) {
        end_pulse(o);
        fprintf(stderr, "%s\n", line);
    } else if (o->done++, is_pulse_due(o)) {
        fprintf(stderr, "%ju steps in %.0f s", (uintmax_t)o->done, o->shown - o->begun);
    }
    if (!atomic_load(&interrupted))
        return o->minutes > 0 && loop_now_seconds() - o->begun >= 60 * o->minutes;
    if (!strstr(o->command, early))
        strncat(o->command, early, sizeof o->command - strlen(o->command) - 1);
    return true;
}

static struct text read_file(const char *path)
{
    struct text t = {.grow = heap_text_grow};
    char block[4096];
    FILE *f = fopen(path, "rb");
    if (!f)
        app_refuse("agon solve", "cannot read %s: %s", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        text_put(&t, (struct span){block, n});
    if (ferror(f) || !t.size)
        app_refuse("agon solve", "cannot read %s: %s", path, ferror(f) ? strerror(errno) : "it is empty");
    fclose(f);
    return t;
}

static struct game_tree *plant(const struct game_kit *row)
{
    struct game_tree *t = malloc(sizeof *t);
    if (!t)
        app_die("there is no memory for the tree");
    small_game_build_tree(t, row->game, row->solve);
    return t;
}

static int solve_game(const struct options *o, const struct solve_job *job, struct text *out)
{
    const struct solve_facts *f = o->row->solve;
    if (f->solve)
        return f->solve(job, out);
    struct game_tree *t = plant(o->row); // takes seconds at most, so it is not resumed
    small_game_solve(t, f, job, out);
    free(t);
    return OK;
}

int cmd_solve(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"iterations", ITERATIONS, "N", 0, "Iterations; fewer for small parts of a game and for long rounds of dice",
         0},
        {"minutes", MINUTES, "N", 0, "Stop after N minutes instead", 0},
        {"seed", SEED, "S", 0, "Seed of randomised methods (1)", 0},
        {"threads", THREADS, "T", 0, "Number of threads (1)", 0},
        {"out", OUT, "FILE", 0, "File to write", 0},
        {"resume", RESUME, "FILE", 0, "Continue from the table in FILE", 0},
        {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_solve,
        .args_doc = "GAME",
        .doc = "Compute a strategy by regret minimisation and write it as a table. The same "
               "iterations, seed and threads give the same bytes. Ctrl-C writes what has been "
               "computed so far; a second one ends at once."};
    struct options o = {.seed = 1, .threads = 1};
    char amount[40];
    help_parse(&argp, argc, argv, 0, &o);
    if (o.iterations)
        snprintf(amount, sizeof amount, "--iterations %ju", (uintmax_t)o.iterations);
    else
        snprintf(amount, sizeof amount, "--minutes %g", o.minutes);
    snprintf(o.command, sizeof o.command, "agon solve %s %s --seed %ju --threads %d%s%.80s", o.row->game->name, amount,
             (uintmax_t)o.seed, o.threads, o.resume ? " --resume " : "", o.resume ? o.resume : "");
    interrupt_note("\nstopping after this step; Ctrl-C again ends at once, without a table\n");
    interrupt_catch(&interrupted);
    o.begun = loop_now_seconds();
    struct text before = o.resume ? read_file(o.resume) : (struct text){0}, out = {.grow = heap_text_grow};
    output_check_file(o.out, argv[0]);
    struct solve_job job = {.iterations = o.iterations,
                            .seed = o.seed,
                            .threads = o.threads,
                            .command = o.command,
                            .before = text_span(&before),
                            .progress = show_progress,
                            .owner = &o};
    int solved = solve_game(&o, &job, &out);
    end_pulse(&o);
    if (solved != OK)
        app_refuse("agon solve", "%s is not a table of %s with seed %ju, or another version wrote it", o.resume,
                   o.row->game->name, (uintmax_t)o.seed);
    if (out.full)
        app_die("there is no memory for the table");
    output_write(o.out, text_span(&out));
    printf("%s: %zu bytes\n", o.out, out.size);
    free(before.at);
    free(out.at);
    if (!atomic_load(&interrupted))
        return APP_DONE;
    fprintf(stderr, "agon solve: interrupted; %s%s\n",
            o.row->solve->solve ? "continue with --resume " : "the table is as good as its last line says",
            o.row->solve->solve ? o.out : "");
    return APP_FAILED;
}

// --- exploit

static void show_share(void *owner, uint32_t done, uint32_t all)
{
    struct options *o = owner;
    if (is_pulse_due(o))
        fprintf(stderr, "%u %% in %.0f s", (unsigned)(100 * (uint64_t)done / all), o->shown - o->begun);
}

static const struct app_value exploit_values[] = {
    APP_VALUE(BOT, struct options, bot),
    APP_NUMBER(ROUNDS, "--rounds", struct options, rounds, 1, MAX_ROUNDS),
    APP_NUMBER(SEED, "--seed", struct options, seed, 0, UINT64_MAX),
    APP_VALUE(JSON, struct options, json),
    {0},
};

static error_t parse_exploit(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, exploit_values, key, arg, o))
        return 0;
    switch (key) {
    case ARGP_KEY_ARG:
        read_game(o, state, arg, has_answers);
        return 0;
    case ARGP_KEY_END:
        require_game(o, state, has_answers);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_gaps(const struct options *o, const struct bot *bot, const struct solve_gap *gap, int count)
{
    printf("%s, %s, in %s:\n", o->row->game->name, bot->name, o->row->solve->unit);
    for (int i = 0; i < count; i++) {
        printf("  %-32s %9.5f", gap[i].what, gap[i].value);
        if (gap[i].error > 0)
            printf(" +- %.5f", 1.96 * gap[i].error);
        puts(gap[i].exact ? "" : gap[i].error > 0 ? " (a lower bound, sampled)" : " (answers sampled)");
    }
}

static void write_gaps(const struct options *o, const struct bot *bot, const struct solve_gap *gap, int count)
{
    static char room[REPORT_ROOM];
    struct text t = text_on(room, sizeof room);
    json_begin_object(&t);
    json_put_text(&t, "game", o->row->game->name);
    json_put_text(&t, "bot", bot->name);
    json_put_text(&t, "unit", o->row->solve->unit);
    json_begin_array_at(&t, "answers");
    for (int i = 0; i < count; i++) {
        json_begin_object(&t);
        json_put_text(&t, "what", gap[i].what);
        json_key(&t, "value");
        text_put_decimal(&t, gap[i].value, 6);
        json_put_bool(&t, "exact", gap[i].exact);
        if (gap[i].error > 0) {
            json_key(&t, "error");
            text_put_decimal(&t, gap[i].error, 6);
        }
        json_end_object(&t);
    }
    json_end_array(&t);
    json_end_object(&t);
    printf("%.*s\n", (int)t.size, t.at);
}

int cmd_exploit(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"bot", BOT, "NAME", 0, "House bot, as house:5 (the strongest)", 0},
        {"rounds", ROUNDS, "N", 0, "Rounds to sample if the value is not exact (500)", 0},
        {"seed", SEED, "S", 0, "Seed of the sample (1)", 0},
        {"json", JSON, NULL, 0, "Print a JSON object", 0},
        {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_exploit,
        .args_doc = "GAME",
        .doc = "Measure how exploitable a house bot is: what a best response wins from it, exactly for small games, "
               "otherwise a lower bound by a player that knows the bot and looks a few moves ahead."};
    struct options o = {.seed = 1, .rounds = 500};
    struct solve_gap gap[SOLVE_GAPS];
    memset(gap, 0, sizeof gap);
    help_parse(&argp, argc, argv, 0, &o);
    const struct bot *bot = o.bot ? app_require_bot("agon exploit", o.row, o.bot) : kit_bots(o.row)[0];
    int count;
    if (o.row->solve->exploit) {
        struct solve_sample sample = {
            .rounds = (uint32_t)o.rounds, .seed = o.seed, .progress = show_share, .owner = &o};
        o.begun = loop_now_seconds();
        count = o.row->solve->exploit(bot, &sample, gap);
        end_pulse(&o);
    } else {
        struct game_tree *t = plant(o.row);
        count = small_game_exploit(t, bot, SAMPLES, gap);
        free(t);
    }
    (o.json ? write_gaps : print_gaps)(&o, bot, gap, count);
    return APP_DONE;
}
