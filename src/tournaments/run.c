// A tournament while it is being played: its threads, its journal, its end.
#include "heap/heap.h"
#include "tournaments/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// SNAPSHOT_MS: standings that are shown are at most so old. TABLES: games with HTTP bots at once.
enum { SNAPSHOT_MS = 200, TABLES = 16, LOWEST_PRIORITY = 19, FILE_BUFFER = 1 << 20 };

void tournament_wake(struct tournament_run *l, bool played)
{
    pthread_mutex_lock(&l->lock);
    l->played |= played;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

// --- playing

static void note_failure(struct tournament_run *l, int err)
{
    pthread_mutex_lock(&l->lock);
    l->err = l->err == OK ? err : l->err;
    // Matches of the lobby do not look at runner.stop, so nobody else would wake the keeper.
    l->played |= l->tour->has_agents;
    pthread_mutex_unlock(&l->lock);
    atomic_store(&l->runner.stop, true);
}

static void *run_player(void *arg)
{
    struct tournament_run *l = arg;
    int err;
    if (l->tour->outside && !tournament_check_bots(l->tour, &l->runner.stop, l->why)) {
        err = ERR_UNKNOWN; // tried again later; no entrant loses a game by it
    } else if (l->tour->outside) {
        loop_init(&l->loop);
        l->runner.loop = &l->loop;
        err = contest_play_external(&l->runner);
        loop_release(&l->loop);
    } else {
        err = contest_play_house(&l->runner);
    }
    if (err != OK)
        note_failure(l, err);
    tournament_wake(l, true);
    return NULL;
}

// --- the keeper thread

static bool flush_games(struct tournament_run *l)
{
    return fflush(l->games) == 0 && !ferror(l->games);
}

static bool publish_standings(struct tournament_run *l)
{
    struct text t = {.grow = heap_text_grow};
    tournament_describe_standings(l->tour, &l->seen, &t);
    if (t.full) {
        free(t.at);
        return false;
    }
    pthread_mutex_lock(&l->lock);
    free(l->standings.at);
    l->standings = t;
    l->done = l->seen.judged;
    pthread_mutex_unlock(&l->lock);
    return true;
}

// Takes a snapshot. It is published only when the files contain it.
static void take_snapshot(struct tournament_run *l)
{
    uint64_t before = l->seen.judged;
    tournament_snapshot(&l->seen, &l->contest);
    if (l->seen.judged == before && l->standings.size)
        return;
    if (!journal_flush(&l->journal) || !flush_games(l))
        note_failure(l, ERR_STORAGE);
    else if (!publish_standings(l))
        note_failure(l, ERR_FULL);
}

// Waits until the next snapshot is due. Returns true if playing has ended.
static bool wait_for_players(struct tournament_run *l)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += SNAPSHOT_MS * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&l->lock);
    while (!l->played && pthread_cond_timedwait(&l->changed, &l->lock, &until) == 0)
        continue;
    bool played = l->played;
    pthread_mutex_unlock(&l->lock);
    return played;
}

// True for the first caller: the keeper after the last game and an operator who cancels both want to write the end.
static bool claim_end(struct tournament_run *l)
{
    pthread_mutex_lock(&l->lock);
    bool taken = !l->ended;
    l->ended = true;
    pthread_mutex_unlock(&l->lock);
    return taken;
}

static void save_finish(struct tournament_run *l)
{
    int64_t now_ms = l->tournaments->o.now_ms();
    if (tournament_is_shared(l->tour)) { // the loop's thread puts it into the store
        l->finished_ms = now_ms;
        return;
    }
    int err = tournament_save_end(l->tour, TOURNAMENT_FINISHED, now_ms, l->done, text_span(&l->standings));
    if (err == OK)
        l->finished_ms = now_ms;
    else
        note_failure(l, err);
}

// Detaches the contest from the files first: a match of the lobby may end at any moment. A result that comes later is
// found in the store. Other threads may still use the files meanwhile (tournament_flush, tournament_write_end), hence
// the locks.
static bool close_files(struct tournament_run *l)
{
    contest_lock(&l->contest);
    l->contest.on_result = NULL;
    l->contest.on_judged = NULL;
    contest_unlock(&l->contest);
    pthread_mutex_lock(&l->lock);
    l->closed = true;
    pthread_mutex_unlock(&l->lock);
    bool kept = flush_games(l) && fsync(fileno(l->games)) == 0;
    contest_lock(&l->contest);
    kept = fclose(l->games) == 0 && kept;
    l->games = NULL;
    contest_unlock(&l->contest);
    return journal_close(&l->journal) && kept;
}

bool tournament_flush(struct tournament_run *l)
{
    pthread_mutex_lock(&l->lock);
    bool flushed = l->closed || journal_flush(&l->journal);
    pthread_mutex_unlock(&l->lock);
    return flushed;
}

static void *run_keeper(void *arg)
{
    struct tournament_run *l = arg;
    pthread_t player;
    // Live matches come first; the player threads inherit it.
    setpriority(PRIO_PROCESS, (id_t)gettid(), LOWEST_PRIORITY);
    bool plays = !l->tour->has_agents && pthread_create(&player, NULL, run_player, l) == 0;
    if (!plays && !l->tour->has_agents) {
        note_failure(l, ERR_FULL);
        tournament_wake(l, true);
    }
    while (!wait_for_players(l))
        take_snapshot(l);
    if (plays)
        pthread_join(player, NULL);
    take_snapshot(l);
    if (!close_files(l))
        note_failure(l, ERR_STORAGE);
    if (contest_is_done(&l->contest) && l->err == OK && claim_end(l))
        save_finish(l);
    pthread_mutex_lock(&l->lock);
    l->over = true;
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

// --- beginning

static void on_result(void *owner, uint64_t index, const struct contest_result *r)
{
    journal_add(&((struct tournament_run *)owner)->journal, index, r);
}

static void on_judged(void *owner, const struct contest *c, uint64_t index)
{
    games_write(((struct tournament_run *)owner)->games, c, index);
}

// Opening the journal judges its games again, so the file of games is written anew. Results are added under a lock:
// with these large buffers the keeper's flush writes to disk, not a player.
static int open_files(struct tournament_run *l)
{
    char path[TOURNAMENT_PATH];
    uint64_t found;
    tournament_path(l->tour, "games", path);
    l->games = fopen(path, "we");
    if (!l->games)
        return ERR_STORAGE;
    setvbuf(l->games, NULL, _IOFBF, FILE_BUFFER);
    l->contest.owner = l;
    l->contest.on_judged = on_judged;
    tournament_path(l->tour, "journal", path);
    int err = journal_open(&l->journal, &l->contest, path, NULL, &found);
    if (err != OK) {
        fclose(l->games);
        return err;
    }
    setvbuf(l->journal.file, NULL, _IOFBF, FILE_BUFFER);
    l->contest.on_result = on_result;
    return OK;
}

static void set_up_runner(struct tournament_run *l)
{
    contest_run_defaults(&l->runner, &l->contest);
    l->runner.threads = 1;
    l->runner.tables = TABLES;
    l->runner.seats = l->tournaments->o.seats;
    l->runner.sends_seed = true; // as the command line does
    if (l->tour->has_agents)     // the store has the replays of matches
        return;
    tournament_path(l->tour, "replays", l->replays);
    mkdir(l->replays, 0700);
    l->runner.replay_folder = l->replays;
}

static void open_locks(struct tournament_run *l)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&l->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void destroy_run(struct tournament_run *l)
{
    contest_run_release(&l->runner);
    contest_close(&l->contest);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    free(l->standings.at);
    free(l);
}

int tournament_start(struct tournament *x)
{
    char error[TOURNAMENTS_ERROR_ROOM];
    struct tournament_run *l = calloc(1, sizeof *l);
    // Only `gone` is used: names stay as they were when it was created.
    struct tournament_entrant *who = calloc(CONTEST_ENTRANTS, sizeof *who);
    struct store *store = lobby_store(x->owner->o.lobby);
    uint64_t unanswered = store_unanswered(store);
    int err = l && who ? OK : ERR_FULL;
    if (err == OK && tournament_make_plan(x->owner, x->request, &l->seen.plan, who, error) != 200)
        err = ERR_UNKNOWN;
    if (err == OK && store_unanswered(store) != unanswered)
        err = ERR_STORAGE; // an agent that could not be read must not be taken for a deleted one
    for (int i = 0; err == OK && i < x->entrants; i++)
        x->entrant[i].gone |= who[i].gone;
    free(who);
    if (err != OK) {
        free(l);
        return err;
    }
    l->tour = x;
    l->tournaments = x->owner;
    open_locks(l);
    contest_open(&l->contest, &l->seen.plan);
    l->contest.now_ms = x->owner->o.now_ms;
    set_up_runner(l);
    err = open_files(l);
    if (err == OK)
        take_snapshot(l);
    if (err == OK && pthread_create(&l->keeper, NULL, run_keeper, l) != 0) {
        close_files(l);
        err = ERR_FULL;
    }
    if (err != OK)
        destroy_run(l);
    else
        x->run = l;
    if (err == OK && x->has_agents)
        agent_matches_resume(x);
    return err;
}

// --- ending

void tournament_stop(struct tournament *x)
{
    atomic_store(&x->run->runner.stop, true);
    if (x->has_agents) // its matches continue and are found again later
        tournament_wake(x->run, true);
}

bool tournament_is_over(struct tournament *x)
{
    pthread_mutex_lock(&x->run->lock);
    bool over = x->run->over;
    pthread_mutex_unlock(&x->run->lock);
    return over;
}

int tournament_discard(struct tournament *x)
{
    struct tournament_run *l = x->run;
    pthread_join(l->keeper, NULL);
    if (x->status == TOURNAMENT_RUNNING)
        x->done = l->done;
    if (tournament_is_shared(x)) {
        director_end_run(x);
    } else if (l->finished_ms) {
        x->status = TOURNAMENT_FINISHED;
        x->finished_ms = l->finished_ms;
    }
    int err = l->err;
    memcpy(x->why, l->why, sizeof x->why);
    x->run = NULL;
    destroy_run(l);
    return err;
}

int tournament_begin_end(struct tournament *x, struct text *standings, uint64_t *done)
{
    struct tournament_run *l = x->run;
    struct contest *seen = calloc(1, sizeof *seen);
    if (!seen)
        return ERR_FULL;
    if (!claim_end(l)) {
        free(seen);
        return ERR_OVER;
    }
    // From here on nothing more is judged, so the standings below stay the last ones.
    contest_stop_at(&l->contest, 0);
    seen->plan = l->contest.plan;
    tournament_snapshot(seen, &l->contest);
    tournament_describe_standings(x, seen, standings);
    *done = seen->judged;
    free(seen);
    return standings->full ? ERR_FULL : OK;
}

int tournament_write_end(struct tournament *x, struct span standings, uint64_t done, int64_t now_ms)
{
    struct tournament_run *l = x->run;
    contest_lock(&l->contest);
    bool saved = !l->games || flush_games(l);
    contest_unlock(&l->contest);
    return saved ? tournament_save_end(x, TOURNAMENT_CANCELLED, now_ms, done, standings) : ERR_STORAGE;
}
