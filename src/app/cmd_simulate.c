// agon simulate GAME: many games between house bots, and their results.
#include "app/help.h"
#include "app/interrupt.h"
#include "app/simulate.h"
#include "app/workers_options.h"

#include "base/json_write.h"
#include "net/loop.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 256, MAX_GAMES = 100000000, BAR_WIDTH = 40, BAR_MS = 100, REPORT_ROOM = 1 << 16 };

struct options {
    struct game_setup_options setup;
    struct workers_options workers;
    const char *bots;
    const char *replay_folder;
    uint64_t games, seed, max_steps;
    int threads;
    bool json;
};

static struct simulate_run run;

static void *run_thread(void *arg)
{
    (void)arg;
    simulate_work(&run);
    return NULL;
}

static void draw_bar(uint64_t done, uint64_t games, double seconds)
{
    int full = (int)((double)done / (double)games * BAR_WIDTH);
    double rate = seconds > 0 ? (double)done / seconds : 0;
    fprintf(stderr, "\r[");
    for (int i = 0; i < BAR_WIDTH; i++)
        fputc(i < full ? '#' : ' ', stderr);
    fprintf(stderr, "] %ju of %ju games, %.0f per second\x1b[K", (uintmax_t)done, (uintmax_t)games, rate);
}

static void watch_progress(const struct options *o, double begin)
{
    const struct timespec pause = {.tv_nsec = BAR_MS * 1000000};
    for (;;) {
        uint64_t done = atomic_load(&run.finished);
        draw_bar(done, o->games, loop_now_seconds() - begin);
        if (done >= o->games || atomic_load(&run.stop))
            break;
        nanosleep(&pause, NULL);
    }
    fputs("\r\x1b[K", stderr);
}

static double play_all(const struct options *o)
{
    pthread_t thread[MAX_THREADS];
    int started = 0;
    double begin = loop_now_seconds();
    while (started < o->threads && pthread_create(&thread[started], NULL, run_thread, NULL) == 0)
        started++;
    if (started == 0)
        app_die("cannot start a thread");
    if (isatty(STDERR_FILENO))
        watch_progress(o, begin);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return loop_now_seconds() - begin;
}

// --- by workers

static struct contest_run distant;

static void *watch_distant(void *arg)
{
    const struct options *o = arg;
    struct contest *c = distant.contest;
    double begin = loop_now_seconds();
    const struct timespec pause = {.tv_nsec = BAR_MS * 1000000};
    while (!atomic_load(&run.finished)) {
        contest_lock(c);
        uint64_t done = c->handed_in;
        contest_unlock(c);
        if (isatty(STDERR_FILENO))
            draw_bar(done, o->games, loop_now_seconds() - begin);
        if (atomic_load(&run.stop))
            atomic_store(&distant.stop, true);
        nanosleep(&pause, NULL);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\x1b[K", stderr);
    return NULL;
}

// Lets workers play the games of the run. Returns false if it had to stop, which was reported.
static bool play_by_workers(struct options *o, const struct simulate_plan *plan, struct bus *bus, double *seconds)
{
    static struct contest contest;
    static struct contest_plan games;
    pthread_t watcher;
    double begin = loop_now_seconds();
    simulate_make_contest(plan, &games);
    contest_open(&contest, &games);
    contest.unjudged = true;
    contest_run_defaults(&distant, &contest);
    if (pthread_create(&watcher, NULL, watch_distant, o) != 0)
        app_die("cannot start a thread");
    bool played = workers_play(&o->workers, bus, &distant, NULL);
    atomic_store(&run.finished, 1);
    pthread_join(watcher, NULL);
    simulate_take_results(&run, &contest);
    *seconds = loop_now_seconds() - begin;
    contest_run_release(&distant);
    contest_close(&contest);
    bus_close(bus);
    return played;
}

static struct stats_interval win_interval(const struct simulate_report *r, const struct simulate_row *row)
{
    return stats_share_interval(r->games ? row->wins / (double)r->games : 0, (double)r->games);
}

static void print_report(const struct simulate_plan *plan, const struct simulate_report *r)
{
    bool alone = plan->setup.match.seats == 1;
    printf("%s: %ju game%s, seed %ju, %.1f steps a game", plan->setup.row->game->name, (uintmax_t)r->games,
           r->games == 1 ? "" : "s", (uintmax_t)plan->seed, r->steps.mean);
    if (r->cut)
        printf(", %ju cut at %ju steps", (uintmax_t)r->cut, (uintmax_t)plan->max_steps);
    printf("\n\n%-12s %5s  %-36s", "bot", "seats", "mean payoff (95 %)");
    puts(alone ? "" : "share of wins (95 %)                  fair");
    for (int i = 0; i < r->rows; i++) {
        const struct simulate_row *row = &r->row[i];
        struct stats_interval payoff = stats_mean_interval(&row->payoff);
        struct stats_interval wins = win_interval(r, row);
        char range[64];
        if (stats_is_interval(payoff))
            snprintf(range, sizeof range, "%.2f (%.2f .. %.2f)", row->payoff.mean, payoff.low, payoff.high);
        else
            snprintf(range, sizeof range, "%.2f", row->payoff.mean);
        printf("%-12s %5d  %-36s", row->name, row->seats, range);
        snprintf(range, sizeof range, "%.2f %% (%.2f .. %.2f)", r->games ? 100 * row->wins / (double)r->games : 0,
                 100 * wins.low, 100 * wins.high);
        if (!alone)
            printf("%-36s %5.1f %%", range, 100.0 * row->seats / plan->setup.match.seats);
        putchar('\n');
    }
    printf("\nfinal states: %016jx\n", (uintmax_t)r->hash);
}

static void put_interval(struct text *t, const char *key, struct stats_interval i, int digits)
{
    json_begin_array_at(t, key);
    json_write_decimal(t, i.low, digits);
    json_write_decimal(t, i.high, digits);
    json_end_array(t);
}

static void write_report(struct text *t, const struct simulate_plan *plan, const struct simulate_report *r)
{
    json_begin_object(t);
    json_put_text(t, "game", plan->setup.row->game->name);
    json_put_int(t, "seats", plan->setup.match.seats);
    json_put_uint(t, "games", r->games);
    json_put_uint(t, "asked_games", plan->games);
    json_put_uint(t, "cut", r->cut);
    json_put_uint(t, "seed", plan->seed);
    json_put_decimal(t, "mean_steps", r->steps.mean, 3);
    json_put_hex(t, "hash", r->hash);
    json_begin_array_at(t, "bots");
    for (int i = 0; i < r->rows; i++) {
        const struct simulate_row *row = &r->row[i];
        json_begin_object(t);
        json_put_text(t, "name", row->name);
        json_put_int(t, "seats", row->seats);
        json_put_decimal(t, "mean_payoff", row->payoff.mean, 4);
        put_interval(t, "mean_payoff_95", stats_mean_interval(&row->payoff), 4);
        json_put_decimal(t, "wins", row->wins, 4);
        json_put_decimal(t, "win_share", r->games ? row->wins / (double)r->games : 0, 6);
        put_interval(t, "win_share_95", win_interval(r, row), 6);
        json_put_decimal(t, "fair_share", (double)row->seats / plan->setup.match.seats, 6);
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
    text_put_char(t, '\n');
}

static const struct app_value values[] = {
    APP_NUMBER('n', "--games", struct options, games, 1, MAX_GAMES),
    APP_VALUE('b', struct options, bots),
    APP_NUMBER('e', "--seed", struct options, seed, 0, UINT64_MAX),
    APP_NUMBER('t', "--threads", struct options, threads, 1, MAX_THREADS),
    APP_NUMBER('m', "--max-steps", struct options, max_steps, 1, UINT32_MAX),
    APP_VALUE('r', struct options, replay_folder),
    APP_VALUE('j', struct options, json),
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
        state->child_inputs[1] = &o->workers;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option list[] = {
    {"games", 'n', "N", 0, "Number of games (100)", 0},
    {"bots", 'b', "A,B,..", 0, "Bots to seat, repeated until every seat is taken (the best bot)", 0},
    {"seed", 'e', "S", 0, "Seed of the run; the same seed gives the same output (1)", 0},
    {"threads", 't', "T", 0, "Number of threads (one per processor)", 0},
    {"max-steps", 'm', "N", 0, "End a game after N actions and ticks (100000)", 0},
    {"replays", 'r', "DIR", 0, "Write the replay of every game to DIR/NNNNNN.agon", 0},
    {"json", 'j', NULL, 0, "Print a JSON object", 0},
    {0},
};

static void make_plan(struct simulate_plan *plan, const struct options *o, const char *command)
{
    game_setup_from_options(&plan->setup, &o->setup, command);
    plan->entrants = players_from_names(command, plan->setup.row, o->bots, plan->setup.match.seats);
    plan->games = o->games;
    plan->seed = o->seed;
    plan->max_steps = o->max_steps;
    plan->threads = o->threads;
    plan->replay_folder = o->replay_folder;
    if (o->workers.url && o->replay_folder)
        app_refuse(command, "--replays does not work with --workers, which send results and no games; leave out one");
    if (o->replay_folder && mkdir(o->replay_folder, 0777) != 0 && errno != EEXIST) {
        app_refuse(command, "cannot create the folder %s: %s", o->replay_folder, strerror(errno));
    }
}

int cmd_simulate(int argc, char **argv)
{
    static const struct argp_child children[] = {{&game_setup_argp, 0, NULL, 0}, {&workers_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "GAME",
        .children = children,
        .doc = "Play many games between house bots and report payoffs and wins with 95 % confidence intervals. Bots "
               "change seats from game to game. Ctrl-C stops the run and reports the games played so far.",
    };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct options o = {.games = 100, .seed = 1, .max_steps = 100000};
    o.threads = processors < 1 ? 1 : processors > MAX_THREADS ? MAX_THREADS : (int)processors;
    workers_options_init(&o.workers);
    help_parse(&argp, argc, argv, 0, &o);

    static struct simulate_plan plan;
    static struct simulate_report report;
    make_plan(&plan, &o, argv[0]);
    struct bus *bus =
        o.workers.url ? workers_connect(&o.workers.bus, argv[0], "--workers", o.workers.url, argv[0]) : NULL;
    simulate_begin(&run, &plan);
    interrupt_catch(&run.stop);
    double seconds;
    bool played = true;
    if (bus)
        played = play_by_workers(&o, &plan, bus, &seconds);
    else
        seconds = play_all(&o);
    simulate_report(&run, &report);
    simulate_end(&run);

    if (o.json) {
        static char buffer[REPORT_ROOM];
        struct text t = text_on(buffer, sizeof buffer);
        write_report(&t, &plan, &report);
        fwrite(t.at, 1, t.size, stdout);
    } else {
        print_report(&plan, &report);
    }
    fprintf(stderr, "%ju game%s in %.2f s, %.0f per second\n", (uintmax_t)report.games, report.games == 1 ? "" : "s",
            seconds, (double)report.games / seconds);
    return played && report.games == plan.games ? APP_DONE : APP_FAILED;
}
