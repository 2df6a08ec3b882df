// One game of a contest, wherever its players are; and whole contests of house bots.
#include "contest/play.h"

#include "bots/seated.h"
#include "crypto/crypto.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STOP_EVERY = 4096, MAX_THREADS = 256, REPLAY_CEILING = 64 << 20 };

const char *const contest_policy_names[] = {"abort", "forfeit", "fallback", NULL};

void contest_run_defaults(struct contest_run *run, struct contest *c)
{
    *run = (struct contest_run){.contest = c, .threads = 1, .tables = 16, .policy = CONTEST_LOSE};
    seat_options_init(&run->seats);
}

void contest_run_release(struct contest_run *run)
{
    for (int e = 0; e < CONTEST_ENTRANTS; e++)
        for (int k = 0; k < SEAT_CALLS; k++)
            free(run->times[e][k].at);
}

bool contest_needs_loop(const struct contest_plan *p)
{
    for (int i = 0; i < p->entrants; i++)
        if (!p->entrant[i].bot)
            return true;
    return false;
}

static bool grow_log(struct text *t, size_t more)
{
    size_t room = t->room ? t->room : 4096;
    while (room < t->size + more)
        room *= 2;
    char *at = room <= REPLAY_CEILING ? realloc(t->at, room) : NULL;
    if (!at)
        return false;
    t->at = at;
    t->room = room;
    return true;
}

int contest_begin_game(struct contest_run *run, struct contest_table *t, struct game_events *out)
{
    const struct contest_plan *p = &run->contest->plan;
    const struct game *g = p->codec->game;
    t->setup = (struct match_setup){
        .game = g, .rules = &t->game.rules, .seats = p->seats, .has_seed = true, .seed = t->game.seed};
    if (g->seed)
        g->seed(&t->game.rules, t->game.seed);
    crypto_seed_key(t->setup.key, g->name, t->game.seed);
    crypto_sha256(t->setup.commitment, t->setup.key, sizeof t->setup.key);
    for (int s = 0; s < p->seats; s++)
        snprintf(t->setup.name[s], MATCH_NAME_ROOM, "%.31s", p->entrant[t->game.entrant[s]].name);
    t->log.size = 0;
    t->log.full = false;
    t->log.grow = grow_log;
    return match_start(&t->match, &t->setup, run->replay_folder ? &t->log : NULL, out);
}

void contest_write_result(struct contest_table *t, const struct contest_plan *p, struct contest_result *out)
{
    const struct game *g = p->codec->game;
    union game_view view;
    g->payoffs(&t->match.state, out->payoffs);
    g->view(&t->match.state, GAME_SPECTATOR, &view);
    for (int s = 0; s < p->seats; s++)
        out->points[s] = p->points ? p->points(&view, s) : out->payoffs[s];
    out->steps = (uint32_t)t->match.steps;
    out->hash = game_hash(g, &t->match.state);
    if (out->end == CONTEST_UNPLAYED)
        out->end = match_is_over(&t->match) ? CONTEST_OVER : CONTEST_CUT;
}

int contest_keep_replay(struct contest_run *run, struct contest_table *t)
{
    char path[4096];
    if (!run->replay_folder)
        return OK;
    if (match_finish(&t->match, t->setup.key, true) != OK)
        return ERR_STORAGE;
    snprintf(path, sizeof path, "%s/%06ju.agon", run->replay_folder, (uintmax_t)t->game.index);
    FILE *f = fopen(path, "wb");
    if (!f)
        return ERR_STORAGE;
    bool kept = fwrite(t->log.at, 1, t->log.size, f) == t->log.size;
    return fclose(f) == 0 && kept ? OK : ERR_STORAGE;
}

// --- house bots

static void move_on(struct match *m, const struct contest_plan *p, const struct contest_game *g)
{
    int seat = seated_next(m), err;
    if (seat < 0) {
        err = match_tick(m, 0, NULL);
    } else {
        const struct bot *bot = p->entrant[g->entrant[seat]].bot;
        struct game_action a = seated_ask(m, bot, seat, (uint32_t)m->steps, 0.5f);
        err = match_answer(m, seat, m->game->turn(&m->state).number, a, 0, NULL);
        if (err == ERR_ACTION)
            err = match_play_fallback(m, seat, 0, NULL);
    }
    assert(err == OK);
    (void)err;
}

// 1: played, 0: stopped in the middle, or an error.
static int play_house_game(struct contest_run *run, struct contest_table *t)
{
    const struct contest_plan *p = &run->contest->plan;
    struct contest_result result = {.at_fault = -1};
    int err = contest_begin_game(run, t, NULL);
    if (err != OK)
        return err;
    while (!match_is_over(&t->match) && t->match.steps < p->max_steps) {
        if (t->match.steps % STOP_EVERY == 0 && atomic_load_explicit(&run->stop, memory_order_relaxed))
            return 0;
        move_on(&t->match, p, &t->game);
    }
    contest_write_result(t, p, &result);
    err = contest_keep_replay(run, t);
    if (err != OK)
        return err;
    contest_put(run->contest, t->game.index, &result);
    return 1;
}

// The next game that has to be played: 1, 0: wait for others to finish, -1: there is none.
static int take_game(struct contest_run *run, struct contest_game *g)
{
    for (;;) {
        uint64_t index = atomic_load(&run->next);
        if (!contest_get(run->contest, index, g))
            return contest_is_done(run->contest) ? -1 : 0;
        if (!atomic_compare_exchange_strong(&run->next, &index, index + 1))
            continue;
        if (!contest_has(run->contest, index))
            return 1;
    }
}

static void *work(void *arg)
{
    struct contest_run *run = arg;
    struct contest_table *t = calloc(1, sizeof *t);
    intptr_t err = t ? OK : ERR_FULL;
    while (err == OK && !atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        int taken = take_game(run, &t->game);
        if (taken < 0)
            break;
        if (taken == 0) { // a round of a Swiss contest is nearly over
            sched_yield();
            continue;
        }
        int played = play_house_game(run, t);
        if (played == 0)
            break;
        if (played < 0)
            err = played;
    }
    if (err != OK)
        atomic_store(&run->stop, true);
    if (t)
        free(t->log.at);
    free(t);
    return (void *)err; // NOLINT: a number in a pointer's clothes
}

int contest_play_house(struct contest_run *run)
{
    pthread_t thread[MAX_THREADS];
    int started = 0, err = OK;
    while (started < run->threads && started < MAX_THREADS && pthread_create(&thread[started], NULL, work, run) == 0)
        started++;
    if (started == 0)
        return ERR_FULL;
    for (int i = 0; i < started; i++) {
        void *said;
        pthread_join(thread[i], &said);
        err = said ? (int)(intptr_t)said : err;
    }
    return err;
}
