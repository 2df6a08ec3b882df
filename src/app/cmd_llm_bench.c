// agon llm bench: compares models in several games.
#include "app/cmd_llm.h"
#include "app/contest_journal.h"
#include "app/contest_live.h"
#include "app/contest_options.h"
#include "app/contest_report.h"
#include "app/help.h"
#include "app/llm_cost_estimate.h"
#include "app/llm_report.h"
#include "crypto/crypto.h"
#include "heap/heap.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GAMES = 0x780, GAMES_EACH, REPLAYS, JOURNAL, YES, JSON };

enum {
    BENCH_GAMES = 16,
    PROGRESS_SECONDS = 60,
    ANSWER_TOKENS = 300 // assumed size of an answer if none was seen
};

struct bench {
    struct llm_flags llm;
    const char *games, *replays, *journal;
    uint64_t games_each, seed;
    bool yes, json, has_seed;
    char *who[CONTEST_ENTRANTS];
    int models;
};

// One game of the comparison, kept until the report is written.
struct bench_game {
    struct contest contest;
    struct contest_run run;
    struct contest_plan plan;
    struct llm_players players;
    struct contest_journal log;
    struct llm_cost_estimate cost;
    char replays[PATH_MAX], journal[PATH_MAX], title[96];
};

static const struct app_value values[] = {
    APP_VALUE(GAMES, struct bench, games),
    APP_NUMBER(GAMES_EACH, "--games-each", struct bench, games_each, 1, 1000000),
    APP_VALUE(REPLAYS, struct bench, replays),
    APP_VALUE(JOURNAL, struct bench, journal),
    APP_VALUE(YES, struct bench, yes),
    APP_VALUE(JSON, struct bench, json),
    APP_NUMBER('e', "--seed", struct bench, seed, 0, UINT64_MAX),
    APP_VALUE('e', struct bench, has_seed),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct bench *b = state->input;
    if (app_take_value(state, values, key, arg, b))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &b->llm;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void add_name(void *owner, const char *name)
{
    struct bench *b = owner;
    if (b->models + 1 < CONTEST_ENTRANTS && asprintf(&b->who[b->models], "llm:%s", name) > 0)
        b->models++;
}

// One folder for each game, because matches of all games have the same numbers.
static void make_folder(const char *path, const char *command)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        app_refuse(command, "cannot create the folder %s: %s", path, strerror(errno));
}

static void plan_game(struct bench_game *s, const struct bench *b, const char *game, const char *command)
{
    struct contest_options o;
    struct game_setup setup;
    static struct launched_bots none;
    contest_options_init(&o, CONTEST_ROUND_ROBIN);
    o.setup.row = app_require_game(command, game);
    o.games = b->games_each * (uint64_t)((b->models + 1) * b->models / 2);
    o.seed = b->seed;
    o.has_seed = true;
    if (b->replays) {
        snprintf(s->replays, sizeof s->replays, "%s/%s", b->replays, game);
        make_folder(b->replays, command);
        make_folder(s->replays, command);
        o.replays = s->replays;
    }
    if (b->journal)
        snprintf(s->journal, sizeof s->journal, "%s/%s.jsonl", b->journal, game);
    for (int i = 0; i < b->models; i++)
        o.seat[o.seats_given++] = b->who[i];
    char house[64];
    snprintf(house, sizeof house, "house:%s", kit_bots(o.setup.row)[0]->name);
    o.seat[o.seats_given++] = house;
    contest_options_apply(&o, command, &s->plan, &none);
    contest_open(&s->contest, &s->plan);
    contest_run_defaults(&s->run, &s->contest);
    contest_options_set_run(&o, command, &s->run);
    game_setup_from_defaults(&setup, o.setup.row, 0, command);
    s->cost = llm_cost_estimate_game(&setup);
}

// Seats of one model in all matches of a game: every pair plays equally often, and the anchor is one more player.
static double seats_of_model(const struct bench_game *s, const struct bench *b)
{
    return (double)s->plan.games * 2 / (b->models + 1);
}

// Cost of all models by the price file; NAN: a price is missing. Also reports invalid models before any request.
static double estimate_cost(struct bench_game *const *list, int count, const struct bench *b, struct loop *loop,
                            char currency[16], const char *command)
{
    char why[ENDPOINT_WHY];
    double sum = 0;
    struct llm_models *models = llm_models_open(loop, &b->llm.run, why);
    if (!models)
        app_refuse(command, "%s", why);
    for (int m = 0; m < b->models; m++) {
        const struct llm_model *one = llm_models_add(models, b->who[m], b->who[m], why);
        if (!one)
            app_refuse(command, "'%s': %s", b->who[m], why);
        for (int i = 0; i < count; i++) {
            double requests = seats_of_model(list[i], b) * list[i]->cost.decisions;
            sum += requests * llm_model_cost(one, list[i]->cost.prompt_tokens, ANSWER_TOKENS);
        }
    }
    snprintf(currency, 16, "%s", llm_models_currency(models));
    llm_models_close(models);
    return sum;
}

// L133: reports the expected cost before it begins.
static void confirm_cost(struct bench_game *const *list, int count, const struct bench *b, struct loop *loop,
                         const char *command)
{
    double requests = 0, tokens = 0;
    char currency[16];
    double cost = estimate_cost(list, count, b, loop, currency, command);
    for (int i = 0; i < count; i++) {
        double asked = seats_of_model(list[i], b) * b->models * list[i]->cost.decisions;
        requests += asked;
        tokens += asked * (list[i]->cost.prompt_tokens + ANSWER_TOKENS);
    }
    fprintf(stderr, "%d game%s, %d model%s: about %.0f requests and %.1f million tokens", count, count == 1 ? "" : "s",
            b->models, b->models == 1 ? "" : "s", requests, tokens / 1e6);
    if (isnan(cost))
        fputs("; cost unknown, give prices with --prices FILE\n", stderr);
    else
        fprintf(stderr, ", %.2f %s with answers of %d tokens\n", cost, currency, ANSWER_TOKENS);
    if (b->yes)
        return;
    if (!isatty(STDIN_FILENO))
        app_refuse(command, "there is no terminal to ask for confirmation; use --yes");
    fprintf(stderr, "Begin? [y/N] ");
    int c = getchar();
    if (c != 'y' && c != 'Y')
        exit(APP_FAILED);
}

static void on_judged(void *owner, const struct contest *c, uint64_t index)
{
    (void)c;
    struct bench_game *s = owner;
    llm_players_end_game(&s->players, index);
}

static void on_result(void *owner, uint64_t index, const struct contest_result *r)
{
    struct bench_game *s = owner;
    contest_journal_add(&s->log, index, r);
}

static struct contest_run *volatile running; // what a signal stops; NULL: nothing
static atomic_bool interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    atomic_store(&interrupted, true);
    if (running)
        atomic_store(&running->stop, true);
}

static void catch_interrupts(void)
{
    // A second Ctrl-C ends the program at once.
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int play_game(struct bench_game *s, struct contest_live *w, const struct bench *b, struct loop *loop,
                     const char *command)
{
    s->run.loop = loop;
    llm_players_open(&s->players, &b->llm, command, &s->contest, &s->run, loop, false, 0);
    if (b->journal)
        contest_journal_open(&s->log, &s->contest, s->journal, &s->players, command);
    s->contest.on_result = on_result;
    s->contest.on_judged = on_judged;
    s->contest.owner = s;
    w->contest = &s->contest;
    w->title = s->title;
    running = &s->run;
    atomic_store(&s->run.stop, atomic_load(&interrupted));
    contest_live_start(w);
    int err = contest_is_done(&s->contest) ? OK : contest_play_external(&s->run);
    contest_live_stop(w);
    running = NULL;
    w->played += w->weight * (double)(s->contest.handed_in - w->found);
    if (!contest_journal_close(&s->log)) {
        app_complain("cannot write %s: %s", s->journal, strerror(errno));
        err = ERR_STORAGE;
    }
    int status = llm_players_status(&s->players, command);
    if (!b->json) {
        contest_print_table(&s->run, 0);
        llm_report_print(&s->players);
        puts("");
    }
    return status ? status : err != OK || atomic_load(&interrupted) ? APP_FAILED : APP_DONE;
}

static int split_games(const char *games, char names[BENCH_GAMES][32], const char *command)
{
    int count = 0;
    for (const char *at = games; at && *at && count < BENCH_GAMES; count++) {
        size_t size = strcspn(at, ",");
        snprintf(names[count], 32, "%.*s", (int)(size < 31 ? size : 31), at);
        app_require_game(command, names[count]);
        at += size + (at[size] == ',');
    }
    return count;
}

// For each game what `agon match --json` prints.
static void print_bench_json(struct bench_game *const *list, int count)
{
    const struct contest_repeat once = {.same = true};
    struct text t = {.grow = heap_text_grow};
    text_put_char(&t, '[');
    for (int i = 0; i < count; i++) {
        text_puts(&t, i ? ",\n" : "");
        contest_write_json(&list[i]->run, &t, &once);
        t.size -= 2; // "}\n"
        llm_report_put_json(&t, &list[i]->players);
        text_put_char(&t, '}');
    }
    text_puts(&t, "]\n");
    fwrite(t.at, 1, t.size, stdout);
    free(t.at);
}

// Requests that a match of this game needs, to estimate the remaining time.
static double weight_of(const struct bench_game *s, const struct bench *b)
{
    return s->cost.decisions * 2 * b->models / (b->models + 1);
}

// One after another, until a limit, an error or Ctrl-C ends it. Returns how many were begun.
static int play_all(struct bench_game *const *list, int count, struct bench *b, struct loop *loop, const char *command,
                    int *status)
{
    struct contest_live w = {.run_began_s = loop_now_seconds(), .every_s = PROGRESS_SECONDS};
    for (int i = 0; i < count; i++)
        w.left += weight_of(list[i], b) * (double)list[i]->plan.games;
    for (int i = 0; i < count; i++) {
        struct bench_game *s = list[i];
        w.weight = weight_of(s, b);
        w.left -= w.weight * (double)s->plan.games;
        snprintf(s->title, sizeof s->title, "%.60s (%d of %d): ", s->plan.codec->game->name, i + 1, count);
        *status = play_game(s, &w, b, loop, command);
        if (*status != APP_DONE || (s->players.models && llm_models_limit(s->players.models)))
            return i + 1;
        if (s->players.models)
            llm_models_carry(s->players.models, &b->llm.run); // limits apply to all games together (L94)
    }
    return count;
}

// A resumed comparison has the cards of the one that was begun.
static void find_seed(struct bench *b, char names[BENCH_GAMES][32], int count)
{
    char path[PATH_MAX];
    for (int i = 0; b->journal && i < count && !b->has_seed; i++) {
        snprintf(path, sizeof path, "%s/%s.jsonl", b->journal, names[i]);
        b->has_seed = journal_find_seed(path, &b->seed);
    }
    if (b->has_seed)
        return;
    crypto_random(&b->seed, sizeof b->seed);
    b->seed >>= 11; // every JSON parser keeps 53 bits
}

static int run_bench(struct bench *b, const char *command)
{
    char names[BENCH_GAMES][32];
    struct bench_game *list[BENCH_GAMES];
    const struct llm_players *players[BENCH_GAMES];
    int count = split_games(b->games, names, command), status = APP_DONE;
    struct loop loop;
    loop_init_coarse(&loop);
    if (b->journal)
        make_folder(b->journal, command);
    find_seed(b, names, count);
    for (int i = 0; i < count; i++) {
        if (!(list[i] = calloc(1, sizeof *list[i])))
            app_die("no memory for %s", names[i]);
        players[i] = &list[i]->players;
        plan_game(list[i], b, names[i], command);
    }
    confirm_cost(list, count, b, &loop, command);
    catch_interrupts();
    int played = play_all(list, count, b, &loop, command, &status);
    if (played < count && !b->json)
        printf("%d of %d games were not begun\n\n", count - played, count);
    if (b->json)
        print_bench_json(list, played);
    if (b->llm.report && !llm_report_write(b->llm.report, players, played)) {
        app_complain("cannot write %s: %s", b->llm.report, strerror(errno));
        status = status ? status : APP_FAILED;
    }
    for (int i = 0; i < count; i++) {
        contest_run_release(&list[i]->run);
        llm_players_close(&list[i]->players);
        contest_close(&list[i]->contest);
        free(list[i]);
    }
    loop_release(&loop);
    return status;
}

int cmd_llm_bench(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"games", GAMES, "LIST", 0, "Games to play, as coup,texas_holdem (coup)", 0},
        {"replays", REPLAYS, "DIR", 0, "Write the replay of every game to DIR/GAME/NNNNNN.agon", 0},
        {"journal", JOURNAL, "DIR", 0,
         "Write every decision and result to DIR/GAME.jsonl; the same command continues after an interruption", 0},
        {"games-each", GAMES_EACH, "N", 0, "Games of every pair, rounded up to mirrored sets (20)", 0},
        {"seed", 'e', "S", 0, "Seed of the run; the same seed gives the same cards (random, or the journal's)", 0},
        {"yes", YES, NULL, 0, "Start without asking for confirmation", 0},
        {"json", JSON, NULL, 0, "Print a JSON array, one object per game as 'agon match' prints it", HELP_OUTPUT},
        {0},
    };
    static const struct argp_child children[] = {{&llm_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "--models FILE",
        .children = children,
        .doc = "Play a round robin of all models in a file, with the best house bot as anchor, in each game: mirrored "
               "deals, one report. Before it starts, it prints an estimate of the cost and asks for confirmation.",
    };
    static struct bench b = {.games = "coup", .games_each = 20};
    char why[ENDPOINT_WHY];
    struct llm_file file;
    help_parse(&argp, argc, argv, 0, &b);
    if (!b.llm.run.models_file)
        app_refuse(argv[0], "which models? Name them in a file: --models FILE");
    if (!llm_file_open(&file, b.llm.run.models_file, why))
        app_refuse(argv[0], "%s", why);
    llm_file_names(&file, add_name, &b);
    llm_file_close(&file);
    if (!b.models)
        app_refuse(argv[0], "%s names no model", b.llm.run.models_file);
    int status = run_bench(&b, argv[0]);
    for (int i = 0; i < b.models; i++)
        free(b.who[i]);
    return status;
}
