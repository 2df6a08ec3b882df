// The list of tournaments: creating, resuming, starting and ending them.
#include "tournaments/internal.h"

#include "crypto/crypto.h"
#include "heap/heap.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// RETRY_MS: after it could not be played, mostly for want of disk or a bot.
enum { TICK_MS = 250, RETRY_MS = 60000, SEED_BITS = 53 }; // 53 bits: a seed that every JSON parser reads exactly

void tournaments_defaults(struct tournaments_options *o)
{
    *o = (struct tournaments_options){.now_ms = loop_unix_ms, .max_running = 4, .max_games = 10000};
    seat_options_init(&o->seats);
}

// --- the log

void tournament_log(enum log_level level, const char *event, const struct tournament *x, const char *why)
{
    char id[UUID_TEXT + 1];
    struct log_line l;
    uuid_format(id, x->id);
    log_begin(&l, level, event);
    log_put_text(&l, "id", id);
    log_put_text(&l, "game", x->game_name);
    log_put_int(&l, "games", (int64_t)x->done);
    if (why)
        log_put_text(&l, "why", why);
    log_end(&l);
}

// --- one tournament

void tournament_destroy(struct tournament *x)
{
    if (!x)
        return;
    free(x->published.at);
    free(x->deleted);
    free(x->request);
    free(x->entrant);
    free(x);
}

struct tournament *tournament_create(const struct tournaments *t)
{
    struct tournament *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->owner = t;
    x->directs = t->o.nodes == NULL;
    x->request = calloc(1, sizeof *x->request);
    x->entrant = calloc(CONTEST_ENTRANTS, sizeof *x->entrant);
    if (x->request && x->entrant)
        return x;
    tournament_destroy(x);
    return NULL;
}

void tournament_free_request(struct tournament *x)
{
    free(x->request);
    x->request = NULL;
}

bool tournaments_add(struct tournaments *t, struct tournament *x)
{
    if (t->count == t->room) {
        int room = t->room ? 2 * t->room : 16;
        struct tournament **at = realloc(t->at, (size_t)room * sizeof *at);
        if (!at)
            return false;
        t->at = at;
        t->room = room;
    }
    t->at[t->count++] = x;
    return true;
}

// --- time

static void set_timer(struct tournaments *t, bool on)
{
    if (on == t->ticking)
        return;
    t->ticking = on;
    if (on)
        event_add(t->timer, &(struct timeval){.tv_usec = TICK_MS * 1000});
    else
        event_del(t->timer);
}

void tournaments_wake(struct tournaments *t)
{
    set_timer(t, true);
}

void tournaments_listen(struct tournaments *t, bool (*on_news)(void *owner), tournaments_on_done *on_done, void *owner)
{
    t->on_news = on_news;
    t->on_done = on_done;
    t->news_owner = owner;
}

void tournament_begin(struct tournament *x, int64_t now_ms)
{
    int err = tournament_start(x);
    if (err == OK)
        return;
    x->retry_ms = now_ms + RETRY_MS;
    tournament_log(LOG_LEVEL_ERROR, "tournament.stalled", x, err_sentence(err));
}

static void clean_up_run(struct tournament *x)
{
    int err = tournament_discard(x);
    if (x->status != TOURNAMENT_RUNNING) {
        tournament_log(LOG_LEVEL_INFO,
                       x->status == TOURNAMENT_FINISHED ? "tournament.finished" : "tournament.cancelled", x, NULL);
        tournament_free_request(x);
    } else if (err != OK) {
        x->retry_ms = x->owner->o.now_ms() + RETRY_MS;
        tournament_log(LOG_LEVEL_ERROR, "tournament.stalled", x, x->why[0] ? x->why : err_sentence(err));
    }
}

// Starts what may start and cleans up what has ended: not while a job of agent_matches.c holds the run, or while its
// end is being written.
bool tournaments_step(struct tournaments *t)
{
    int64_t now_ms = t->o.now_ms();
    bool may = !lobby_is_draining(t->o.lobby) && store_has_room(lobby_store(t->o.lobby)) && !t->resigned;
    bool busy = t->o.nodes != NULL;
    if (t->o.nodes)
        director_step(t, now_ms);
    for (int i = 0; i < t->count; i++) {
        struct tournament *x = t->at[i];
        if (x->busy || x->loading) { // a job is writing its start, its end or an entry
            busy = true;
            continue;
        }
        if (!x->directs)
            continue;
        if (x->status == TOURNAMENT_OPEN && may && entry_is_due(x, now_ms))
            entry_end(t, x, now_ms);
        if (x->run && !x->run->seating && tournament_is_over(x))
            clean_up_run(x);
        if (x->status == TOURNAMENT_RUNNING && x->run && (!x->has_agents || t->resigned) && !may)
            tournament_stop(x); // F3.18: it is resumed when matches may begin again
        if (x->status == TOURNAMENT_RUNNING && !x->run && !x->busy && may && now_ms >= x->retry_ms && x->game) {
            if (tournament_is_shared(x))
                director_begin(x);
            else
                tournament_begin(x, now_ms);
        }
        if (x->status == TOURNAMENT_RUNNING && x->run && x->has_agents && may)
            agent_matches_step(x, now_ms);
        if (x->run && tournament_is_shared(x))
            director_sync(x, now_ms);
        busy |= x->run != NULL || (!tournament_status_is_past(x->status) && x->game);
    }
    return busy;
}

static void on_timer(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct tournaments *t = owner;
    bool busy = tournaments_step(t);
    if (t->on_news)
        busy |= t->on_news(t->news_owner);
    set_timer(t, busy);
    loop_end_turn(t->o.loop);
}

// --- opening and closing

static int by_creation(const void *a, const void *b)
{
    const struct tournament *x = *(struct tournament *const *)a, *y = *(struct tournament *const *)b;
    if (x->created_ms != y->created_ms)
        return x->created_ms < y->created_ms ? -1 : 1;
    return memcmp(x->id.byte, y->id.byte, UUID_BYTES);
}

static bool has_http_bot(const struct tournament *x)
{
    struct contest_entrant e;
    for (int i = 0; x->request && i < x->entrants; i++)
        if (strncmp(contest_name_entrant(&e, x->request->entrant[i]), "http", 4) == 0)
            return true;
    return false;
}

void tournament_complete(struct tournament *x)
{
    x->made = true;
    x->game = tournaments_find_game(x->owner, x->game_name);
    x->outside = has_http_bot(x);
    x->has_agents = tournament_has_agents(x);
    if (x->status == TOURNAMENT_OPEN)
        entry_restore(x);
    if (tournament_status_is_past(x->status))
        tournament_free_request(x);
}

static void load_one(struct tournaments *t, const char *name)
{
    struct tournament *x = tournament_create(t);
    int err = x ? tournament_load(x, name) : ERR_FULL;
    if (err != OK || t->count == TOURNAMENTS_KEPT || !tournaments_add(t, x)) {
        struct log_line l;
        log_begin(&l, LOG_LEVEL_WARNING, "tournament.unreadable");
        log_put_text(&l, "folder", name);
        log_end(&l);
        tournament_destroy(x);
        return;
    }
    tournament_complete(x);
}

static void load_all(struct tournaments *t)
{
    DIR *folder = opendir(t->o.folder);
    if (!folder)
        return; // the folder is created with the first tournament
    for (const struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.')
            load_one(t, e->d_name);
    closedir(folder);
}

static void on_match_end(void *owner, const struct store_match *m)
{
    struct tournaments *t = owner;
    if (strcmp(m->mode, "tournament") != 0)
        return;
    for (int i = 0; i < t->count; i++)
        if (t->at[i]->run && t->at[i]->has_agents && agent_matches_end(t->at[i], m))
            return;
}

struct tournaments *tournaments_open(const struct tournaments_options *o)
{
    struct tournaments *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->o = *o;
    t->timer = event_new(o->loop->base, -1, EV_PERSIST, on_timer, t);
    if (!jobs_open(t) || !t->timer) {
        tournaments_close(t);
        return NULL;
    }
    lobby_on_match_end(o->lobby, on_match_end, t);
    if (!o->nodes) {
        load_all(t);
    } else if (!director_open(t)) {
        tournaments_close(t);
        return NULL;
    }
    if (t->count)
        qsort(t->at, (size_t)t->count, sizeof *t->at, by_creation);
    // With several nodes not before the loop runs, because steps start jobs.
    set_timer(t, o->nodes || tournaments_step(t));
    return t;
}

void tournaments_close(struct tournaments *t)
{
    if (!t)
        return;
    t->closing = true;
    lobby_on_match_end(t->o.lobby, NULL, t);
    jobs_close(t);
    for (int i = 0; i < t->count; i++)
        if (t->at[i]->run)
            tournament_stop(t->at[i]);
    for (int i = 0; i < t->count; i++) {
        if (t->at[i]->run)
            tournament_discard(t->at[i]);
        tournament_destroy(t->at[i]);
    }
    if (t->timer)
        event_free(t->timer);
    free(t->at);
    free(t);
}

// --- creating and ending a tournament

int tournament_refuse(char error[TOURNAMENTS_ERROR_ROOM], int status, const char *what)
{
    snprintf(error, TOURNAMENTS_ERROR_ROOM, "%s", what);
    return status;
}

int tournament_refuse_memory(char error[TOURNAMENTS_ERROR_ROOM])
{
    return tournament_refuse(error, 503, "the server has no memory left; try again");
}

int tournaments_count_running(const struct tournaments *t)
{
    int running = 0;
    for (int i = 0; i < t->count; i++)
        running += (t->at[i]->status == TOURNAMENT_RUNNING && t->at[i]->directs) || t->at[i]->run;
    return running;
}

// An open tournament counts too, because it will run.
static int count_unfinished(const struct tournaments *t)
{
    int count = 0;
    for (int i = 0; i < t->count; i++)
        count += !tournament_status_is_past(t->at[i]->status) || t->at[i]->run;
    return count;
}

static int check_room(struct tournaments *t, char error[TOURNAMENTS_ERROR_ROOM])
{
    tournaments_step(t); // first removes those that have ended
    if (lobby_is_draining(t->o.lobby))
        return tournament_refuse(error, 503, "the server is in maintenance; try again later");
    if (!store_has_room(lobby_store(t->o.lobby)))
        return tournament_refuse(error, 503, "the disk is nearly full, so no tournament can begin; free some space");
    if (t->count == TOURNAMENTS_KEPT)
        return tournament_refuse(error, 409, "too many tournaments are kept; move old folders away and restart");
    if (count_unfinished(t) >= t->o.max_running) {
        snprintf(error, TOURNAMENTS_ERROR_ROOM,
                 "at most %d tournaments can run at once here; cancel one, or wait until one ends", t->o.max_running);
        return 409;
    }
    return 201;
}

static void draw_secrets(struct tournament *x, const struct tournaments_request *q)
{
    crypto_random(&x->id, sizeof x->id);
    uuid_mark_random(&x->id);
    crypto_random(x->secret, sizeof x->secret);
    crypto_random(&x->seed, sizeof x->seed);
    x->seed = q->has_seed ? q->seed : x->seed >> (64 - SEED_BITS);
}

static int fill_tournament(struct tournament *x, const struct tournaments_request *q,
                           char error[TOURNAMENTS_ERROR_ROOM])
{
    struct contest_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return tournament_refuse_memory(error);
    *x->request = *q;
    if (!q->entry_max)
        x->request->entry_max = CONTEST_ENTRANTS;
    draw_secrets(x, q);
    x->request->seed = x->seed;
    bool open = q->entry_seconds > 0;
    int status = !lobby_find_game(x->owner->o.lobby, span_of(q->game)) ? tournament_refuse(error, 400, "unknown game")
                 : open ? entry_check(x->owner, x->request, x->entrant, error)
                        : tournament_make_plan(x->owner, x->request, plan, x->entrant, error);
    if (status == 200) {
        x->game = tournaments_find_game(x->owner, q->game);
        memcpy(x->game_name, q->game, sizeof x->game_name);
        memcpy(x->title, q->title, sizeof x->title);
        x->format = q->format;
        x->mirrored = q->mirrored;
        x->entrants = q->entrants;
        x->wait_seconds = q->wait_seconds ? q->wait_seconds : TOURNAMENTS_WAIT;
        x->created_ms = x->owner->o.now_ms();
        if (open) {
            entry_open(x);
        } else {
            x->started_ms = x->created_ms;
            x->total = contest_most_games(plan);
            x->has_agents = tournament_has_agents(x);
            x->outside = contest_needs_loop(plan) && !x->has_agents;
        }
        status = tournament_check_agents(x->owner, x, error);
    }
    free(plan);
    return status;
}

void tournament_report_done(const struct tournament_job *e, int status, struct uuid id, const char *said)
{
    struct tournaments *t = e->tournaments;
    for (struct tournament_wait *w = t->waits; w; w = w->next)
        if (w->job == e->number) {
            w->status = status;
            snprintf(w->said, sizeof w->said, "%s", said);
            work_wake(loop_work(t->o.loop), &w->line);
        }
    if (t->on_done)
        t->on_done(t->news_owner, e->number, status, id, said);
}

static void remove_tournament(struct tournaments *t, struct tournament *x)
{
    int at = 0;
    while (t->at[at] != x)
        at++;
    memmove(&t->at[at], &t->at[at + 1], (size_t)(--t->count - at) * sizeof *t->at);
    tournament_destroy(x);
}

static void check_bots(void *arg)
{
    struct tournament_job *e = arg;
    e->status = tournament_check_bots(e->tour, NULL, e->why);
}

// Refuses a tournament whose HTTP bots cannot be reached. In a job of the loop a worker thread asks them.
static int save_tournament(struct tournament_job *e)
{
    if (e->tour->outside && tournament_is_shared(e->tour))
        work_offload(loop_work(e->tournaments->o.loop), check_bots, e);
    else if (e->tour->outside)
        check_bots(e);
    if (e->tour->outside && !e->status)
        return ERR_UNKNOWN;
    return tournament_save(e->tour);
}

static void on_saved(struct tournament_job *e)
{
    struct tournament *x = e->tour;
    if (e->err != OK && e->why[0]) {
        remove_tournament(e->tournaments, x);
        tournament_report_done(e, 503, (struct uuid){0}, e->why);
        return;
    }
    if (e->err != OK) {
        tournament_log(LOG_LEVEL_ERROR, "tournament.unwritten", x, strerror(e->system_error));
        remove_tournament(e->tournaments, x);
        tournament_report_done(e, 503, (struct uuid){0}, "cannot write the tournament to the data folder; try again");
        return;
    }
    const struct tournaments_nodes *nodes = x->owner->o.nodes;
    x->made = true;
    x->directs = !nodes || nodes->holds(nodes->owner, x->id); // else the node that gets the role
    tournament_log(LOG_LEVEL_INFO, "tournament.created", x, NULL);
    if (x->status == TOURNAMENT_RUNNING && !nodes)
        tournament_begin(x, x->created_ms);
    tournaments_wake(e->tournaments);
    tournament_report_done(e, 201, x->id, "");
}

int tournaments_create(struct tournaments *t, const struct tournaments_request *q, uint64_t *job,
                       char error[TOURNAMENTS_ERROR_ROOM])
{
    struct tournament *x = tournament_create(t);
    int status = x ? fill_tournament(x, q, error) : tournament_refuse_memory(error);
    if (status == 200)
        status = check_room(t, error);
    if (status == 201 && !tournaments_add(t, x))
        status = tournament_refuse_memory(error);
    if (status != 201) {
        tournament_destroy(x);
        return status;
    }
    *job =
        job_send(&(struct tournament_job){.tournaments = t, .tour = x, .run = save_tournament, .conclude = on_saved});
    if (*job)
        return 202;
    remove_tournament(t, x);
    return tournament_refuse_memory(error);
}

struct tournament *tournaments_find_made(const struct tournaments *t, struct uuid id)
{
    for (int i = t->count - 1; i >= 0; i--)
        if (t->at[i]->made && uuid_equals(t->at[i]->id, id))
            return t->at[i];
    return NULL;
}

static int write_end_file(struct tournament_job *e)
{
    return tournament_write_end(e->tour, text_span(&e->standings), e->done, e->now_ms);
}

static const char no_end[] = "cannot write the end of the tournament to the data folder; try again";

static void on_ended(struct tournament_job *e)
{
    struct tournament *x = e->tour;
    if (e->err == OK) {
        director_keep_standings(e);
        x->status = TOURNAMENT_CANCELLED;
        x->finished_ms = e->now_ms;
        x->done = e->done;
    }
    tournament_stop(x); // if the end was not written, it is resumed from its journal
    tournaments_wake(e->tournaments);
    tournament_report_done(e, e->err == OK ? 200 : 503, x->id,
                           e->err == OK ? tournament_status_names[TOURNAMENT_CANCELLED] : no_end);
}

// A tournament that is not being played is resumed first, since its journal has the figures.
static int send_end(struct tournaments *t, struct tournament *x, uint64_t *job)
{
    struct tournament_job e = {.tournaments = t,
                               .tour = x,
                               .run = write_end_file,
                               .conclude = on_ended,
                               .now_ms = t->o.now_ms(),
                               .standings = {.grow = heap_text_grow}};
    int err = x->run ? OK : tournament_start(x);
    if (err == OK)
        err = tournament_begin_end(x, &e.standings, &e.done);
    if (err == OK && !(*job = job_send(&e)))
        err = ERR_FULL;
    if (err == OK)
        return OK;
    free(e.standings.at);
    if (x->run && err != ERR_OVER)
        tournament_stop(x);
    return err;
}

int tournaments_cancel(struct tournaments *t, struct uuid id, uint64_t *job, char error[TOURNAMENTS_ERROR_ROOM])
{
    struct tournament *x = tournaments_find_made(t, id);
    if (!x)
        return tournament_refuse(error, 404, "unknown tournament");
    if (!x->directs && !tournament_status_is_past(x->status))
        return director_forward(t, x, "cancel", (struct uuid){0}, job, error);
    // The files may not have been copied yet.
    if (x->loading || (tournament_is_shared(x) && x->status == TOURNAMENT_RUNNING && !x->run))
        return tournament_refuse(error, 503, "the tournament is just beginning; try again");
    if (x->busy)
        return tournament_refuse(error, 409,
                                 "the tournament is being cancelled, or an agent is being entered; try again");
    if (!tournament_status_is_past(x->status)) {
        int err = x->status == TOURNAMENT_OPEN ? entry_cancel(t, x, job) : send_end(t, x, job);
        tournaments_wake(t);
        if (err == OK)
            return 202;
        if (err != ERR_OVER)
            return tournament_refuse(error, 503, no_end);
    }
    snprintf(error, TOURNAMENTS_ERROR_ROOM, "the tournament is not running; it is %s",
             tournament_status_names[x->status == TOURNAMENT_RUNNING ? TOURNAMENT_FINISHED : x->status]);
    return 409;
}

// --- reading

const struct tournament *tournaments_find(const struct tournaments *t, struct uuid id)
{
    return tournaments_find_made(t, id);
}

int tournaments_list(const struct tournaments *t, const char *game, int from, const struct tournament **out, int room,
                     int *total)
{
    int count = 0;
    *total = 0;
    for (int i = t->count - 1; i >= 0; i--) {
        if (!t->at[i]->made || (game && strcmp(t->at[i]->game_name, game) != 0))
            continue;
        if (*total >= from && count < room)
            out[count++] = t->at[i];
        ++*total;
    }
    return count;
}

struct tournament_facts tournament_summary(const struct tournament *x)
{
    struct tournament_facts f = {
        .id = x->id,
        .title = x->title,
        .game = x->game_name,
        .format = x->format,
        .status = x->status,
        .entrants = x->entrants,
        .created_ms = x->created_ms,
        .started_ms = x->started_ms,
        .finished_ms = x->finished_ms,
        .entry_until_ms = x->entry_until_ms,
        .entry_max = x->entry_max,
        .wait_seconds = x->wait_seconds,
        .done = x->done,
        .total = x->total,
        .seed = x->seed,
    };
    if (x->run && x->status == TOURNAMENT_RUNNING) {
        pthread_mutex_lock(&x->run->lock);
        f.done = x->run->done;
        pthread_mutex_unlock(&x->run->lock);
    }
    bool open = f.status == TOURNAMENT_OPEN;
    f.version = open ? UINT64_MAX - (uint64_t)f.entrants : 2 * f.done + tournament_status_is_past(f.status);
    return f;
}

const char *tournament_entrant(const struct tournament *x, int entrant)
{
    return x->entrant[entrant].shown;
}
