// One game of a contest, for both runners; and whole contests of house bots.
#include "contest/play.h"

#include "bots/self_play.h"
#include "contest/dealbook.h"
#include "crypto/crypto.h"
#include "heap/heap.h"
#include "house/ask.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STOP_EVERY = 64, // steps between two looks at the stop flag
    MAX_THREADS = 256,
    REPLAY_CEILING = 64 << 20, // bytes of the log of one game
};

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

const struct bot *contest_bot_at(const struct contest_run *run, const struct contest_game *g, int seat)
{
    const struct contest_plan *p = &run->contest->plan;
    const struct contest_entrant *e = &p->entrant[g->entrant[seat]];
    bool shares = run->partner && p->codec->game->teams && strcmp(e->address, "person") == 0;
    for (int s = 0; shares && s < seat; s++)
        if (g->entrant[s] == g->entrant[seat])
            return run->partner;
    return e->bot;
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
    return heap_text_grow_within(t, more, 4096, REPLAY_CEILING);
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
    bool kept = run->replay_folder || run->transcript, logged = kept || p->aivat;
    if (kept) { // known from a replay only
        crypto_sha256(t->setup.commitment, t->setup.key, sizeof t->setup.key);
        for (int s = 0; s < p->seats; s++)
            snprintf(t->setup.name[s], MATCH_NAME_ROOM, "%.31s", p->entrant[t->game.entrant[s]].name);
    }
    t->log.size = 0;
    t->log.full = false;
    t->log.grow = grow_log;
    t->asked.count = 0;
    t->attempts = (struct contest_attempts){0};
    memset(t->luck_scratch, 0, sizeof t->luck_scratch);
    memset(t->luck, 0, sizeof t->luck);
    return match_start(&t->match, &t->setup, logged ? &t->log : NULL, out);
}

// N14.4: rounds to what the four decimals of a journal represent exactly, so that a result that is read back is the one
// that was played. Avoids negative zero.
static double round_luck(double points)
{
    return round(points * 16) / 16 + 0.0;
}

// N14.5: from the log of the match.
static bool add_known_luck(struct contest_table *t, const struct contest_plan *p)
{
    const struct aivat_facts *f = p->facts->aivat;
    const struct bot *bots[2];
    for (int s = 0; s < 2; s++)
        bots[s] = p->entrant[t->game.entrant[s]].bot;
    if (!t->known && !(t->known = aligned_alloc(64, (f->size + 63) & ~(size_t)63)))
        abort();
    return aivat_luck(f, t->match.game, text_span(&t->log), t->setup.key, bots, t->known, t->luck[CONTEST_LUCKS - 1]) ==
           OK;
}

void contest_write_result(struct contest_table *t, const struct contest_plan *p, struct contest_result *out)
{
    const struct game *g = p->codec->game;
    union game_view view;
    g->payoffs(&t->match.state, out->payoffs);
    g->view(&t->match.state, GAME_SPECTATOR, &view);
    for (int s = 0; s < p->seats; s++)
        out->points[s] = p->points ? p->points(&view, s) : out->payoffs[s];
    out->attempts = t->attempts;
    out->lucks = (uint8_t)contest_lucks(p);
    if (p->aivat && !add_known_luck(t, p))
        out->lucks = CONTEST_FOLLOWED;
    for (int i = 0; i < out->lucks * p->seats; i++)
        out->luck[i / p->seats][i % p->seats] = round_luck(t->luck[i / p->seats][i % p->seats]);
    if (p->stake && p->stake->count_parts)
        out->attempts.parts = p->stake->count_parts(&view);
    out->steps = (uint32_t)t->match.steps;
    out->hash = game_hash(g, &t->match.state);
    if (out->end == CONTEST_UNPLAYED)
        out->end = match_is_over(&t->match) ? CONTEST_OVER : CONTEST_CUT;
}

int contest_write_replay(const char *folder, uint64_t index, struct span replay)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%06ju.agon", folder, (uintmax_t)index);
    FILE *f = fopen(path, "wb");
    if (!f)
        return ERR_STORAGE;
    bool kept = fwrite(replay.at, 1, replay.size, f) == replay.size;
    return fclose(f) == 0 && kept ? OK : ERR_STORAGE;
}

static int save_transcript(struct contest_run *run, const struct contest_table *t)
{
    struct text lines = {.grow = heap_text_grow};
    struct dealbook_game game = {
        .replay = text_span(&t->log), .match = t->game.index, .seed = t->game.seed, .times = &t->asked};
    for (int s = 0; s < run->contest->plan.seats; s++)
        game.bot[s] = run->contest->plan.entrant[t->game.entrant[s]].name;
    int err = dealbook_write(&lines, &game);
    if (err == OK)
        dealbook_hold(run->transcript, t->game.index, lines);
    else
        free(lines.at);
    return err == OK ? OK : ERR_STORAGE;
}

int contest_save_game(struct contest_run *run, struct contest_table *t)
{
    if (!run->replay_folder && !run->transcript)
        return OK;
    if (match_finish(&t->match, t->setup.key, true) != OK)
        return ERR_STORAGE;
    int err = OK;
    if (run->replay_folder)
        err = contest_write_replay(run->replay_folder, t->game.index, text_span(&t->log));
    return err == OK && run->transcript ? save_transcript(run, t) : err;
}

void contest_table_release(struct contest_table *t)
{
    free(t->log.at);
    free(t->asked.at);
    free(t->known);
    mind_memory_free(t->minds);
}

void contest_count_events(struct contest_table *t, const struct contest_plan *p, const struct game_events *e)
{
    for (uint32_t i = 0; p->attempts && i < e->count; i++)
        p->attempts->follow(&t->attempts, &e->at[i]);
    if (p->luck)
        p->luck->follow(t->luck_scratch, e, rng_split(&t->match.root, MATCH_LUCK), t->luck);
}

void contest_add_decision_time(struct contest_run *run, struct contest_table *t, int64_t took_us)
{
    if (run->transcript)
        contest_latency_add(&t->asked, took_us);
}

// --- house bots

static int play_step(const struct house_game *g, struct match *m)
{
    int seat = self_play_next_seat(m);
    if (seat < 0)
        return match_tick(m, g->out);
    int64_t began_us = g->on_decision ? loop_now_us() : 0;
    struct game_action a = house_ask(m, g->bot[seat], seat, (uint32_t)m->steps, 0.5f);
    if (g->on_decision)
        g->on_decision(g->owner, loop_now_us() - began_us);
    return match_answer(m, seat, m->game->turn(&m->state).number, a, g->out);
}

int house_play(const struct house_game *g, struct match *m)
{
    while (!match_is_over(m) && m->steps < g->max_steps) {
        if (m->steps % STOP_EVERY == 0 && atomic_load_explicit(g->stop, memory_order_relaxed))
            return 0;
        int err = play_step(g, m);
        if (err != OK)
            return err;
        if (g->on_step)
            g->on_step(g->owner);
    }
    return 1;
}

struct house_table {
    struct contest_run *run;
    struct contest_table table;
    struct game_events happened;
};

static void on_decision(void *owner, int64_t took_us)
{
    struct house_table *h = owner;
    contest_add_decision_time(h->run, &h->table, took_us);
}

static void on_step(void *owner)
{
    struct house_table *h = owner;
    contest_count_events(&h->table, &h->run->contest->plan, &h->happened);
    h->happened.count = 0;
}

// Returns 1 if it was played, 0 if stopped in the middle, or an error.
static int play_house_game(struct house_table *h)
{
    struct contest_run *run = h->run;
    struct contest_table *t = &h->table;
    const struct contest_plan *p = &run->contest->plan;
    struct contest_result result = {.at_fault = -1};
    bool followed = p->attempts || p->luck;
    struct house_game g = {.max_steps = p->max_steps,
                           .stop = &run->stop,
                           .out = followed ? &h->happened : NULL,
                           .on_decision = run->transcript ? on_decision : NULL,
                           .on_step = followed ? on_step : NULL,
                           .owner = h};
    for (int s = 0; s < p->seats; s++)
        g.bot[s] = p->entrant[t->game.entrant[s]].bot;
    bool minded = mind_memory_is_needed(g.bot, p->seats);
    h->happened.count = 0;
    int err = contest_begin_game(run, t, minded ? &h->happened : g.out);
    if (err != OK)
        return err;
    if (minded)
        mind_memory_begin(&t->minds, &t->match, g.bot, &h->happened);
    int played = house_play(&g, &t->match);
    if (played != 1)
        return played;
    contest_write_result(t, p, &result);
    err = contest_save_game(run, t);
    if (err != OK)
        return err;
    contest_put(run->contest, t->game.index, &result);
    return 1;
}

int contest_take_game(struct contest_run *run, struct contest_game *g)
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

static void *run_worker(void *arg)
{
    struct contest_run *run = arg;
    struct house_table *h = calloc(1, sizeof *h);
    intptr_t err = h ? OK : ERR_FULL;
    if (h)
        h->run = run;
    while (err == OK && !atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        int taken = contest_take_game(run, &h->table.game);
        if (taken < 0)
            break;
        if (taken == 0) { // a Swiss round is nearly over, or other threads are far behind
            sched_yield();
            continue;
        }
        int played = play_house_game(h);
        if (played == 0)
            break;
        if (played < 0)
            err = played;
    }
    if (err != OK)
        atomic_store(&run->stop, true);
    if (h)
        contest_table_release(&h->table);
    free(h);
    return (void *)err; // NOLINT: a number in a pointer's clothes
}

int contest_play(struct contest_run *run)
{
    return contest_needs_loop(&run->contest->plan) ? contest_play_external(run) : contest_play_house(run);
}

int contest_play_house(struct contest_run *run)
{
    pthread_t thread[MAX_THREADS];
    int started = 0, err = OK;
    if (run->threads == 1)
        return (int)(intptr_t)run_worker(run);
    while (started < run->threads && started < MAX_THREADS &&
           pthread_create(&thread[started], NULL, run_worker, run) == 0)
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
