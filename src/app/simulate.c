#include "app/simulate.h"

#include "app/reserved_memory.h"
#include "base/hash.h"
#include "bots/self_play.h"
#include "contest/play.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { REPLAY_ROOM = 64 << 20 }; // address space of each thread; a game of cards needs some kilobytes

void simulate_begin(struct simulate_run *run, const struct simulate_plan *plan)
{
    run->plan = plan;
    run->results = memory_reserve(plan->games * sizeof *run->results);
    atomic_init(&run->next, 0);
    atomic_init(&run->finished, 0);
    atomic_init(&run->stop, false);
}

void simulate_end(struct simulate_run *run)
{
    memory_release(run->results, run->plan->games * sizeof *run->results);
}

// Entrants move on by one seat from game to game, so that each has every seat equally often.
static int seat_of(const struct simulate_plan *plan, int entrant, uint64_t number)
{
    return (int)(((uint64_t)entrant + number) % (uint64_t)plan->setup.match.seats);
}

static void prepare_game(const struct simulate_plan *plan, uint64_t number, struct game_setup *setup,
                         struct house_game *g)
{
    *setup = plan->setup;
    for (int k = 0; k < plan->setup.match.seats; k++) {
        int seat = seat_of(plan, k, number);
        g->bot[seat] = plan->entrants.bot[k];
        snprintf(setup->match.name[seat], MATCH_NAME_ROOM, "%s", plan->entrants.bot[k]->name);
    }
    game_setup_set_seed(setup, contest_simulate_seed(plan->seed, number));
}

static void write_replay(const struct simulate_plan *plan, uint64_t number, struct match *m, const uint8_t *key)
{
    const struct text *log = m->log;
    if (match_finish(m, key, true) != OK)
        app_die("the replay of game %ju is longer than %d MiB", (uintmax_t)number, REPLAY_ROOM >> 20);
    if (contest_write_replay(plan->replay_folder, number, text_span(log)) != OK)
        app_die("cannot write %s/%06ju.agon: %s", plan->replay_folder, (uintmax_t)number, strerror(errno));
}

// Returns false if it was stopped in the middle.
static bool play_game(struct simulate_run *run, uint64_t number, struct text *log, struct mind_memory **minds)
{
    const struct simulate_plan *plan = run->plan;
    const struct game *game = plan->setup.row->game;
    struct simulate_result *result = &run->results[number];
    struct house_game g = {.max_steps = plan->max_steps, .stop = &run->stop};
    struct game_setup setup;
    struct match m;
    prepare_game(plan, number, &setup, &g);
    log->size = 0;
    bool minded = mind_memory_is_needed(g.bot, setup.match.seats);
    struct game_events first;
    first.count = first.ticks = 0;
    int err = match_start(&m, &setup.match, plan->replay_folder ? log : NULL, minded ? &first : NULL);
    if (err != OK)
        app_die("%s cannot start: %s", game->name, err_sentence(err));
    if (minded)
        mind_memory_begin(minds, &m, g.bot, &first);
    int played = house_play(&g, &m);
    if (played == ERR_ACTION)
        app_die("bot %s makes an illegal move in %s", g.bot[self_play_next_seat(&m)]->name, game->name);
    if (played < 0)
        app_die("%s: %s", game->name, err_sentence(played));
    if (played == 0)
        return false;
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    game->payoffs(&m.state, payoffs);
    for (int k = 0; k < m.seats; k++)
        result->payoffs[k] = payoffs[seat_of(plan, k, number)];
    result->steps = (uint32_t)m.steps;
    result->over = match_is_over(&m);
    result->hash = game_hash(game, &m.state);
    if (plan->replay_folder)
        write_replay(plan, number, &m, setup.match.key);
    result->done = true;
    return true;
}

void simulate_work(struct simulate_run *run)
{
    struct text log = run->plan->replay_folder ? memory_reserve_text(REPLAY_ROOM) : (struct text){0};
    struct mind_memory *minds = NULL;
    while (!atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        uint64_t number = atomic_fetch_add(&run->next, 1);
        if (number >= run->plan->games || !play_game(run, number, &log, &minds))
            break;
        atomic_fetch_add(&run->finished, 1);
    }
    mind_memory_free(minds);
    if (log.at)
        memory_release(log.at, REPLAY_ROOM);
}

void simulate_make_contest(const struct simulate_plan *plan, struct contest_plan *out)
{
    contest_defaults(out);
    out->codec = plan->setup.row->codec;
    out->rules = plan->setup.rules;
    out->seats = out->entrants = plan->setup.match.seats;
    out->simulated = true;
    out->mirrored = false;
    out->games = plan->games;
    out->seed = plan->seed;
    out->max_steps = plan->max_steps;
    for (int k = 0; k < out->entrants; k++) {
        out->entrant[k].bot = plan->entrants.bot[k];
        snprintf(out->entrant[k].name, CONTEST_NAME, "%d.%s", k, plan->entrants.bot[k]->name);
    }
}

void simulate_take_results(struct simulate_run *run, const struct contest *c)
{
    const struct simulate_plan *plan = run->plan;
    for (uint64_t i = 0; i < plan->games; i++) {
        const struct contest_result *r = &c->results[i];
        struct simulate_result *result = &run->results[i];
        if (r->end == CONTEST_UNPLAYED)
            continue;
        for (int k = 0; k < plan->setup.match.seats; k++)
            result->payoffs[k] = r->payoffs[seat_of(plan, k, i)];
        result->steps = r->steps;
        result->over = r->end == CONTEST_OVER;
        result->hash = r->hash;
        result->done = true;
    }
    atomic_store(&run->next, plan->games); // all count as begun for the report
}

static int find_row(struct simulate_report *r, const char *name)
{
    int i = 0;
    while (i < r->rows && strcmp(r->row[i].name, name) != 0)
        i++;
    if (i == r->rows)
        r->row[r->rows++].name = name;
    return i;
}

// If all entrants are the same bot, the seats are compared.
static bool compares_seats(const struct simulate_plan *plan)
{
    for (int k = 1; k < plan->setup.match.seats; k++)
        if (plan->entrants.bot[k] != plan->entrants.bot[0])
            return false;
    return true;
}

static void begin_rows(struct simulate_report *out, const struct simulate_plan *plan, int row[GAME_MAX_SEATS])
{
    bool by_seat = plan->setup.match.seats > 1 && compares_seats(plan);
    for (int k = 0; k < plan->setup.match.seats; k++) {
        row[k] = find_row(out, by_seat ? codec_seat_names[k] : plan->entrants.bot[k]->name);
        out->row[row[k]].seats++;
    }
}

// The best payoff wins; ties share the game. Partners have equal payoffs and so win together.
static void share_win(struct simulate_report *out, const struct simulate_result *g, const int *row, int seats)
{
    int32_t best = INT32_MIN;
    int winners = 0;
    for (int k = 0; k < seats; k++)
        best = g->payoffs[k] > best ? g->payoffs[k] : best;
    for (int k = 0; k < seats; k++)
        winners += g->payoffs[k] == best;
    for (int k = 0; k < seats; k++)
        if (g->payoffs[k] == best)
            out->row[row[k]].wins += 1.0 / winners;
}

static void add_payoffs(struct simulate_report *out, const struct simulate_result *g, const int *row, int seats)
{
    double sum[GAME_MAX_SEATS] = {0};
    for (int k = 0; k < seats; k++)
        sum[row[k]] += g->payoffs[k];
    for (int i = 0; i < out->rows; i++)
        stats_add(&out->row[i].payoff,
                  sum[i] / out->row[i].seats); // one value a game: seats of one game are not independent
}

void simulate_report(const struct simulate_run *run, struct simulate_report *out)
{
    const struct simulate_plan *plan = run->plan;
    int seats = plan->setup.match.seats, row[GAME_MAX_SEATS], row_now[GAME_MAX_SEATS];
    bool by_seat = compares_seats(plan);
    *out = (struct simulate_report){0};
    begin_rows(out, plan, row);
    uint64_t begun = atomic_load(&run->next);
    for (uint64_t i = 0; i < begun && i < plan->games; i++) {
        const struct simulate_result *g = &run->results[i];
        if (!g->done)
            continue;
        uint64_t link[2] = {out->hash, g->hash}; // in order of games, not of threads: the same on any machine
        out->hash = hash_bytes(link, sizeof link);
        out->games++;
        out->cut += !g->over;
        stats_add(&out->steps, g->steps);
        for (int k = 0; k < seats; k++)
            row_now[k] = by_seat ? seat_of(plan, k, i) : row[k];
        share_win(out, g, row_now, seats);
        add_payoffs(out, g, row_now, seats);
    }
}
