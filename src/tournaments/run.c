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

void tournament_wake(struct tournament_run *run, bool played)
{
    pthread_mutex_lock(&run->lock);
    run->played |= played;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

// --- playing

static void note_failure(struct tournament_run *run, int err)
{
    pthread_mutex_lock(&run->lock);
    run->err = run->err == OK ? err : run->err;
    // Matches of the lobby do not look at runner.stop, so nobody else would wake the keeper.
    run->played |= run->tour->has_agents;
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->runner.stop, true);
}

static void *run_player(void *arg)
{
    struct tournament_run *run = arg;
    int err;
    if (run->tour->outside && !tournament_check_bots(run->tour, &run->runner.stop, run->why)) {
        err = ERR_UNKNOWN; // tried again later; no entrant loses a game by it
    } else if (run->tour->outside) {
        loop_init(&run->loop);
        run->runner.loop = &run->loop;
        err = contest_play_external(&run->runner);
        loop_release(&run->loop);
    } else {
        err = contest_play_house(&run->runner);
    }
    if (err != OK)
        note_failure(run, err);
    tournament_wake(run, true);
    return NULL;
}

// --- the keeper thread

static bool flush_games(struct tournament_run *run)
{
    return fflush(run->games) == 0 && !ferror(run->games);
}

static bool publish_standings(struct tournament_run *run)
{
    struct text t = {.grow = heap_text_grow};
    tournament_describe_standings(run->tour, &run->seen, &t);
    if (t.full) {
        free(t.at);
        return false;
    }
    pthread_mutex_lock(&run->lock);
    free(run->standings.at);
    run->standings = t;
    run->done = run->seen.judged;
    pthread_mutex_unlock(&run->lock);
    return true;
}

// Takes a snapshot. It is published only when the files contain it.
static void take_snapshot(struct tournament_run *run)
{
    uint64_t before = run->seen.judged;
    tournament_snapshot(&run->seen, &run->contest);
    if (run->seen.judged == before && run->standings.size)
        return;
    if (!journal_flush(&run->journal) || !flush_games(run))
        note_failure(run, ERR_STORAGE);
    else if (!publish_standings(run))
        note_failure(run, ERR_FULL);
}

// Waits until the next snapshot is due. Returns true if playing has ended.
static bool wait_for_players(struct tournament_run *run)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += SNAPSHOT_MS * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&run->lock);
    while (!run->played && pthread_cond_timedwait(&run->changed, &run->lock, &until) == 0)
        continue;
    bool played = run->played;
    pthread_mutex_unlock(&run->lock);
    return played;
}

// True for the first caller: the keeper after the last game and an operator who cancels both want to write the end.
static bool claim_end(struct tournament_run *run)
{
    pthread_mutex_lock(&run->lock);
    bool taken = !run->ended;
    run->ended = true;
    pthread_mutex_unlock(&run->lock);
    return taken;
}

static void save_finish(struct tournament_run *run)
{
    int64_t now_ms = run->tournaments->o.now_ms();
    if (tournament_is_shared(run->tour)) { // the loop's thread puts it into the store
        run->finished_ms = now_ms;
        return;
    }
    int err = tournament_save_end(run->tour, TOURNAMENT_FINISHED, now_ms, run->done, text_span(&run->standings));
    if (err == OK)
        run->finished_ms = now_ms;
    else
        note_failure(run, err);
}

// Detaches the contest from the files first: a match of the lobby may end at any moment. A result that comes later is
// found in the store. Other threads may still use the files meanwhile (tournament_flush, tournament_write_end), hence
// the locks.
static bool close_files(struct tournament_run *run)
{
    contest_lock(&run->contest);
    run->contest.on_result = NULL;
    run->contest.on_judged = NULL;
    contest_unlock(&run->contest);
    pthread_mutex_lock(&run->lock);
    run->closed = true;
    pthread_mutex_unlock(&run->lock);
    bool kept = flush_games(run) && fsync(fileno(run->games)) == 0;
    contest_lock(&run->contest);
    kept = fclose(run->games) == 0 && kept;
    run->games = NULL;
    contest_unlock(&run->contest);
    return journal_close(&run->journal) && kept;
}

bool tournament_flush(struct tournament_run *run)
{
    pthread_mutex_lock(&run->lock);
    bool flushed = run->closed || journal_flush(&run->journal);
    pthread_mutex_unlock(&run->lock);
    return flushed;
}

static void *run_keeper(void *arg)
{
    struct tournament_run *run = arg;
    pthread_t player;
    // Live matches come first; the player threads inherit it.
    setpriority(PRIO_PROCESS, (id_t)gettid(), LOWEST_PRIORITY);
    bool plays = !run->tour->has_agents && pthread_create(&player, NULL, run_player, run) == 0;
    if (!plays && !run->tour->has_agents) {
        note_failure(run, ERR_FULL);
        tournament_wake(run, true);
    }
    while (!wait_for_players(run))
        take_snapshot(run);
    if (plays)
        pthread_join(player, NULL);
    take_snapshot(run);
    if (!close_files(run))
        note_failure(run, ERR_STORAGE);
    if (contest_is_done(&run->contest) && run->err == OK && claim_end(run))
        save_finish(run);
    pthread_mutex_lock(&run->lock);
    run->over = true;
    pthread_mutex_unlock(&run->lock);
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
static int open_files(struct tournament_run *run)
{
    char path[TOURNAMENT_PATH];
    uint64_t found;
    tournament_path(run->tour, "games", path);
    run->games = fopen(path, "we");
    if (!run->games)
        return ERR_STORAGE;
    setvbuf(run->games, NULL, _IOFBF, FILE_BUFFER);
    run->contest.owner = run;
    run->contest.on_judged = on_judged;
    tournament_path(run->tour, "journal", path);
    int err = journal_open(&run->journal, &run->contest, path, NULL, &found);
    if (err != OK) {
        fclose(run->games);
        return err;
    }
    setvbuf(run->journal.file, NULL, _IOFBF, FILE_BUFFER);
    run->contest.on_result = on_result;
    return OK;
}

static void set_up_runner(struct tournament_run *run)
{
    contest_run_defaults(&run->runner, &run->contest);
    run->runner.threads = 1;
    run->runner.tables = TABLES;
    run->runner.seats = run->tournaments->o.seats;
    run->runner.sends_seed = true; // as the command line does
    if (run->tour->has_agents)     // the store has the replays of matches
        return;
    tournament_path(run->tour, "replays", run->replays);
    mkdir(run->replays, 0700);
    run->runner.replay_folder = run->replays;
}

static void open_locks(struct tournament_run *run)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&run->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&run->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void destroy_run(struct tournament_run *run)
{
    contest_run_release(&run->runner);
    contest_close(&run->contest);
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->lock);
    free(run->standings.at);
    free(run);
}

int tournament_start(struct tournament *x)
{
    char error[TOURNAMENTS_ERROR_ROOM];
    struct tournament_run *run = calloc(1, sizeof *run);
    // Only `gone` is used: names stay as they were when it was created.
    struct tournament_entrant *who = calloc(CONTEST_ENTRANTS, sizeof *who);
    struct store *store = lobby_store(x->owner->o.lobby);
    uint64_t unanswered = store_unanswered(store);
    int err = run && who ? OK : ERR_FULL;
    if (err == OK && tournament_make_plan(x->owner, x->request, &run->seen.plan, who, error) != 200)
        err = ERR_UNKNOWN;
    if (err == OK && store_unanswered(store) != unanswered)
        err = ERR_STORAGE; // an agent that could not be read must not be taken for a deleted one
    for (int i = 0; err == OK && i < x->entrants; i++)
        x->entrant[i].gone |= who[i].gone;
    free(who);
    if (err != OK) {
        free(run);
        return err;
    }
    run->tour = x;
    run->tournaments = x->owner;
    open_locks(run);
    contest_open(&run->contest, &run->seen.plan);
    run->contest.now_ms = x->owner->o.now_ms;
    set_up_runner(run);
    err = open_files(run);
    if (err == OK)
        take_snapshot(run);
    if (err == OK && pthread_create(&run->keeper, NULL, run_keeper, run) != 0) {
        close_files(run);
        err = ERR_FULL;
    }
    if (err != OK)
        destroy_run(run);
    else
        x->run = run;
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
    struct tournament_run *run = x->run;
    pthread_join(run->keeper, NULL);
    if (x->status == TOURNAMENT_RUNNING)
        x->done = run->done;
    if (tournament_is_shared(x)) {
        director_end_run(x);
    } else if (run->finished_ms) {
        x->status = TOURNAMENT_FINISHED;
        x->finished_ms = run->finished_ms;
    }
    int err = run->err;
    memcpy(x->why, run->why, sizeof x->why);
    x->run = NULL;
    destroy_run(run);
    return err;
}

int tournament_begin_end(struct tournament *x, struct text *standings, uint64_t *done)
{
    struct tournament_run *run = x->run;
    struct contest *seen = calloc(1, sizeof *seen);
    if (!seen)
        return ERR_FULL;
    if (!claim_end(run)) {
        free(seen);
        return ERR_OVER;
    }
    // From here on nothing more is judged, so the standings below stay the last ones.
    contest_stop_at(&run->contest, 0);
    seen->plan = run->contest.plan;
    tournament_snapshot(seen, &run->contest);
    tournament_describe_standings(x, seen, standings);
    *done = seen->judged;
    free(seen);
    return standings->full ? ERR_FULL : OK;
}

int tournament_write_end(struct tournament *x, struct span standings, uint64_t done, int64_t now_ms)
{
    struct tournament_run *run = x->run;
    contest_lock(&run->contest);
    bool saved = !run->games || flush_games(run);
    contest_unlock(&run->contest);
    return saved ? tournament_save_end(x, TOURNAMENT_CANCELLED, now_ms, done, standings) : ERR_STORAGE;
}
