#include "app/contest_keep.h"

#include "app/app.h"
#include "app/contest_report.h"
#include "net/loop.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_MS = 200 };

// --- the journal

void contest_keep_open(struct contest_keep *k, struct contest *c, const char *path, struct llm_players *models,
                       const char *command)
{
    struct journal_notes notes = {llm_players_take_note, models};
    k->is_new = access(path, F_OK) != 0;
    int err = journal_open(&k->journal, c, path, &notes, &k->found);
    if (err == ERR_MISMATCH)
        app_refuse(command,
                   "%s belongs to another contest; choose another file, or use the same game, players and seed", path);
    if (err == ERR_FORMAT)
        app_refuse(command, "%s is not a journal of a contest; choose another file", path);
    if (err != OK)
        app_refuse(command, "cannot open %s: %s", path, strerror(errno));
    k->is_open = true;
    llm_players_journal(models, &k->journal, k->is_new);
    if (k->found)
        fprintf(stderr, "continuing after %ju games found in %s\n", (uintmax_t)k->found, path);
}

void contest_keep_add(struct contest_keep *k, uint64_t index, const struct contest_result *r)
{
    if (k->is_open)
        journal_add(&k->journal, index, r);
}

bool contest_keep_close(struct contest_keep *k)
{
    bool done = !k->is_open || journal_close(&k->journal);
    k->is_open = false;
    return done;
}

// --- the line

static uint64_t goal_of(const struct contest *c)
{
    return c->stop < c->plan.games || c->plan.format == CONTEST_SWISS ? c->stop : c->plan.games;
}

double contest_watch_left(const struct contest_watch *w, double seconds)
{
    const struct contest *c = w->contest;
    uint64_t goal = goal_of(c);
    double played = w->past + w->weight * (double)(c->handed_in - w->found);
    double left = w->ahead + w->weight * (double)(goal > c->handed_in ? goal - c->handed_in : 0);
    return played > 0 ? seconds * left / played : -1;
}

static void *show(void *arg)
{
    struct contest_watch *w = arg;
    const struct timespec pause = {.tv_nsec = PROGRESS_MS * 1000000};
    double begin = loop_now_seconds();
    while (!atomic_load(&w->over)) {
        double now = loop_now_seconds();
        contest_lock(w->contest);
        struct contest_pace p = {.title = w->title,
                                 .goal = goal_of(w->contest),
                                 .played = w->contest->handed_in - w->found,
                                 .seconds = now - begin,
                                 .left = contest_watch_left(w, now - w->began)};
        contest_print_progress(w->contest, &p);
        contest_unlock(w->contest);
        nanosleep(&pause, NULL);
    }
    fputs("\r\x1b[K", stderr);
    return NULL;
}

void contest_watch_begin(struct contest_watch *w)
{
    atomic_store(&w->over, false);
    w->shows = isatty(STDERR_FILENO) && pthread_create(&w->thread, NULL, show, w) == 0;
}

void contest_watch_end(struct contest_watch *w)
{
    atomic_store(&w->over, true);
    if (w->shows)
        pthread_join(w->thread, NULL);
    w->shows = false;
}
