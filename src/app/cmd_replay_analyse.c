// agon replay analyse FILE: what each decision of a match cost, and what was luck.
#include "analysis/swings.h"
#include "app/cmd_replay.h"
#include "app/help.h"
#include "app/output_file.h"
#include "app/replay_analysis.h"
#include "app/replay_input.h"
#include "heap/heap.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BOT = REPLAY_OPTION_OWN, SEAT_NAME, SEED, WORK, NO_LUCK, MAX_WORK = 1000000, PATH_ROOM = 4096 };

struct call {
    struct replay_input in;
    const char *bot, *seat, *out;
    uint64_t seed;
    uint32_t work;
    int threads;
    bool json, no_luck;
    char **path; // on the heap
    int paths;
    bool many; // several files, or a folder
};

static void add_path(struct call *call, const char *path)
{
    call->path = realloc(call->path, (size_t)(call->paths + 1) * sizeof *call->path);
    if (!call->path || !(call->path[call->paths++] = strdup(path)))
        app_die("out of memory");
}

static int is_replay(const struct dirent *e)
{
    size_t size = strlen(e->d_name);
    return size > 5 && strcmp(e->d_name + size - 5, ".agon") == 0;
}

// A file, or all replays of a folder in the order of their names.
static void add_file(struct call *call, const char *given)
{
    struct dirent **found;
    char path[PATH_ROOM];
    int count = strcmp(given, "-") == 0 ? -1 : scandir(given, &found, is_replay, alphasort);
    if (count < 0) {
        add_path(call, given);
        return;
    }
    call->many = true;
    if (count == 0)
        app_refuse("agon replay analyse", "%s has no file *.agon", given);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", given, found[i]->d_name);
        add_path(call, path);
        free(found[i]);
    }
    free(found);
}

static const struct app_value values[] = {
    APP_VALUE(BOT, struct call, bot),
    APP_VALUE(SEAT_NAME, struct call, seat),
    APP_NUMBER(SEED, "--seed", struct call, seed, 0, UINT64_MAX),
    APP_NUMBER(WORK, "--work", struct call, work, 1, MAX_WORK),
    APP_NUMBER('t', "--threads", struct call, threads, 1, 64),
    APP_VALUE(NO_LUCK, struct call, no_luck),
    APP_VALUE('j', struct call, json),
    APP_VALUE('o', struct call, out),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    if (app_take_value(state, values, key, arg, call))
        return 0;
    switch (key) {
    case ARGP_KEY_ARG:
        add_file(call, arg);
        call->in.path = arg;
        return 0;
    default:
        return replay_input_parse(&call->in, key, arg, state);
    }
}

static const struct bot *read_bot(const struct call *call, const struct game_kit *k)
{
    char why[512];
    const struct bot *b =
        replay_analysis_find_reference("agon replay analyse", "--bot", k, call->bot ? call->bot : "house:5");
    if (b)
        return b;
    app_name_unknown_bot(k, call->bot, why, sizeof why);
    app_refuse("agon replay analyse", "--bot: %s", why);
}

static struct analysis_options read_options(const struct call *call, const struct loaded_replay *t)
{
    return (struct analysis_options){
        .reference = read_bot(call, t->row),
        .work = call->work,
        .seed = call->seed,
        .threads = call->threads,
        .seats = call->seat ? replay_input_read_seats("agon replay analyse", t, call->seat, "") : 0,
        .no_luck = call->no_luck,
        .progress = isatty(STDERR_FILENO) ? replay_analysis_show_progress : NULL};
}

static void analyse_one(const struct call *call, struct text *out)
{
    struct loaded_replay t;
    struct analysis a;
    replay_file_require(&t, call->path[0], call->in.has_key ? call->in.key : NULL);
    struct analysis_options o = read_options(call, &t);
    replay_analysis_run(&a, &t, &o);
    if (call->json)
        analysis_write_json(&a, out);
    else
        analysis_write_text(&a, out);
    analysis_close(&a);
    replay_file_close(&t);
}

static void add_game(const struct call *call, struct swings *s, const char *path)
{
    struct loaded_replay t;
    struct analysis a;
    replay_file_require(&t, path, NULL);
    struct analysis_options o = read_options(call, &t);
    if (!s->kit)
        swings_begin(s, t.row, o.reference);
    swings_ask(t.row, &t, &o);
    replay_analysis_run(&a, &t, &o);
    swings_add(s, &a);
    analysis_close(&a);
    replay_file_close(&t);
}

// Before the first analysis, which may take long.
static void check_games(const struct call *call)
{
    const struct game_kit *first = NULL;
    for (int i = 0; i < call->paths; i++) {
        struct loaded_replay t;
        replay_file_require(&t, call->path[i], NULL);
        if (first && first != t.row)
            app_refuse("agon replay analyse", "%s is a match of %s, the first one of %s; give matches of one game",
                       t.path, t.row->game->name, first->game->name);
        first = t.row;
        replay_file_close(&t);
    }
}

static void analyse_all(const struct call *call, struct text *out)
{
    struct swings s = {0};
    if (call->seat)
        app_refuse("agon replay analyse", "--seat is for one file; a contest is analysed by player");
    if (call->in.has_key)
        app_refuse("agon replay analyse", "--key is for one file");
    check_games(call);
    for (int i = 0; i < call->paths; i++) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "game %d of %d\n", i + 1, call->paths);
        add_game(call, &s, call->path[i]);
    }
    if (call->json)
        swings_write_json(&s, out);
    else
        swings_write_text(&s, out);
    swings_end(&s);
}

int cmd_replay_analyse(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"bot", BOT, "BOT", 0, "House bot to compare with, by name or level (house:5)", 0},
        {"seat", SEAT_NAME, "SEAT", 0, "Analyse the decisions of one seat, by number or name (all seats)", 0},
        {"work", WORK, "N", 0, "Sampled worlds per decision; for a bot that searches a multiple of its usual work", 0},
        {"seed", SEED, "N", 0, "Seed of the sampled worlds (1)", 0},
        {"threads", 't', "N", 0, "Threads (all processors)", 0},
        {"no-luck", NO_LUCK, 0, 0, "Do not compute luck, which saves time", 0},
        {"json", 'j', 0, 0, "Print a JSON object", 0},
        {"output", 'o', "OUT", 0, "File to write (standard output)", 0},
        REPLAY_KEY_OPTION,
        {0}};
    static const struct argp argp = {
        options,
        parse_option,
        "FILE...",
        "Compare each decision of a match with the choice of a house bot: what it cost given what the seat knew, the "
        "five costliest decisions of each seat in words, and how much of the result was luck.\v"
        "Several files, or a folder, are treated as a contest (agon match --replays): results by mirrored set, the "
        "largest swings by skill, and where the two players differ.",
        0,
        0,
        0};
    struct call call = {.seed = 1, .threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    struct text out = {.grow = heap_text_grow};
    help_parse(&argp, argc, argv, 0, &call);
    output_file_check(call.out, argv[0]);
    if (call.many || call.paths > 1)
        analyse_all(&call, &out);
    else
        analyse_one(&call, &out);
    if (call.json)
        text_put_char(&out, '\n');
    output_file_write(call.out, text_span(&out));
    for (int i = 0; i < call.paths; i++)
        free(call.path[i]);
    free(call.path);
    free(out.at);
    return APP_DONE;
}
