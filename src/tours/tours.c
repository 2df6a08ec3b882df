// The list of tournaments: made, found again, begun, ended.
#include "tours/inside.h"

#include "crypto/crypto.h"
#include "net/heap_text.h"
#include "net/log.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { TICK_MS = 250, RETRY_MS = 60000, SEED_BITS = 53 }; // a seed that any JSON reader can carry

void tours_defaults(struct tours_options *o)
{
    *o = (struct tours_options){.now_ms = loop_unix_ms, .max_running = 4, .max_games = 10000};
    seat_options_init(&o->seats);
}

// --- the log

static void log_tour(enum log_level level, const char *event, const struct tour *x, const char *why)
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

// --- one of them

static void tour_destroy(struct tour *x)
{
    if (!x)
        return;
    free(x->request);
    free(x->entrant);
    free(x);
}

static struct tour *tour_create(const struct tours *t)
{
    struct tour *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->owner = t;
    x->request = calloc(1, sizeof *x->request);
    x->entrant = calloc(CONTEST_ENTRANTS, sizeof *x->entrant);
    if (x->request && x->entrant)
        return x;
    tour_destroy(x);
    return NULL;
}

// What only the living need.
static void settle(struct tour *x)
{
    free(x->request);
    x->request = NULL;
}

static bool add(struct tours *t, struct tour *x)
{
    if (t->count == t->room) {
        int room = t->room ? 2 * t->room : 16;
        struct tour **at = realloc(t->at, (size_t)room * sizeof *at);
        if (!at)
            return false;
        t->at = at;
        t->room = room;
    }
    t->at[t->count++] = x;
    return true;
}

// --- time

static void set_timer(struct tours *t, bool on)
{
    if (on == t->ticking)
        return;
    t->ticking = on;
    if (on)
        event_add(t->timer, &(struct timeval){.tv_usec = TICK_MS * 1000});
    else
        event_del(t->timer);
}

void tours_stir(struct tours *t)
{
    set_timer(t, true);
}

void tours_listen(struct tours *t, bool (*on_news)(void *owner), tours_on_done *on_done, void *owner)
{
    t->on_news = on_news;
    t->on_done = on_done;
    t->news_owner = owner;
}

static void begin(struct tour *x, int64_t now_ms)
{
    int err = tour_live(x);
    if (err == OK)
        return;
    x->retry_ms = now_ms + RETRY_MS;
    log_tour(LOG_LEVEL_ERROR, "tournament.stalled", x, err_sentence(err));
}

static void look_after(struct tour *x)
{
    int err = tour_bury(x);
    if (x->status != TOUR_RUNNING) {
        log_tour(LOG_LEVEL_INFO, x->status == TOUR_FINISHED ? "tournament.finished" : "tournament.cancelled", x, NULL);
        settle(x);
    } else if (err != OK) {
        x->retry_ms = x->owner->o.now_ms() + RETRY_MS;
        log_tour(LOG_LEVEL_ERROR, "tournament.stalled", x, x->why[0] ? x->why : err_sentence(err));
    }
}

// Begins what may begin, buries what is over; whether anything is left to look after.
static bool step(struct tours *t)
{
    int64_t now_ms = t->o.now_ms();
    bool may = !lobby_is_draining(t->o.lobby) && store_has_room(lobby_store(t->o.lobby)), busy = false;
    for (int i = 0; i < t->count; i++) {
        struct tour *x = t->at[i];
        if (x->busy) // its end is being written, or its beginning
            continue;
        if (x->life && tour_is_over(x))
            look_after(x);
        if (x->status == TOUR_RUNNING && x->life && !x->seated && !may)
            tour_stop(x); // F3.18: it goes on when matches may begin again
        if (x->status == TOUR_RUNNING && !x->life && may && now_ms >= x->retry_ms && x->game)
            begin(x, now_ms);
        if (x->status == TOUR_RUNNING && x->life && x->seated && may)
            seated_step(x, now_ms);
        busy |= x->life != NULL || (x->status == TOUR_RUNNING && x->game);
    }
    return busy;
}

static void on_timer(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct tours *t = owner;
    bool busy = step(t);
    if (t->on_news)
        busy |= t->on_news(t->news_owner);
    set_timer(t, busy);
    loop_end_turn(t->o.loop);
}

// --- opening and closing

static int by_creation(const void *a, const void *b)
{
    const struct tour *x = *(struct tour *const *)a, *y = *(struct tour *const *)b;
    if (x->created_ms != y->created_ms)
        return x->created_ms < y->created_ms ? -1 : 1;
    return memcmp(x->id.byte, y->id.byte, UUID_BYTES);
}

static bool is_outside(const struct tour *x)
{
    struct contest_entrant e;
    for (int i = 0; x->request && i < x->entrants; i++)
        if (strncmp(contest_name_entrant(&e, x->request->entrant[i]), "http", 4) == 0)
            return true;
    return false;
}

static bool is_seated(const struct tour *x)
{
    for (int i = 0; i < x->entrants; i++)
        if (!uuid_is_none(x->entrant[i].agent))
            return true;
    return false;
}

static void load_one(struct tours *t, const char *name)
{
    struct tour *x = tour_create(t);
    int err = x ? tour_load(x, name) : ERR_FULL;
    if (err != OK || t->count == TOURS_KEPT || !add(t, x)) {
        struct log_line l;
        log_begin(&l, LOG_LEVEL_WARNING, "tournament.unreadable");
        log_put_text(&l, "folder", name);
        log_end(&l);
        tour_destroy(x);
        return;
    }
    x->made = true;
    x->game = tours_find_game(t, x->game_name);
    x->outside = is_outside(x);
    x->seated = is_seated(x);
    if (x->status != TOUR_RUNNING)
        settle(x);
}

static void load_all(struct tours *t)
{
    DIR *folder = opendir(t->o.folder);
    if (!folder)
        return; // there were none yet
    for (const struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.')
            load_one(t, e->d_name);
    closedir(folder);
    if (t->count)
        qsort(t->at, (size_t)t->count, sizeof *t->at, by_creation);
}

static void on_match_end(void *owner, const struct store_match *m)
{
    struct tours *t = owner;
    if (strcmp(m->mode, "tournament") != 0)
        return;
    for (int i = 0; i < t->count; i++)
        if (t->at[i]->life && t->at[i]->seated && seated_over(t->at[i], m))
            return;
}

struct tours *tours_open(const struct tours_options *o)
{
    struct tours *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->o = *o;
    t->timer = event_new(o->loop->base, -1, EV_PERSIST, on_timer, t);
    if (!errands_open(t) || !t->timer) {
        tours_close(t);
        return NULL;
    }
    lobby_on_match_end(o->lobby, on_match_end, t);
    load_all(t);
    set_timer(t, step(t));
    return t;
}

void tours_close(struct tours *t)
{
    if (!t)
        return;
    errands_close(t);
    for (int i = 0; i < t->count; i++)
        if (t->at[i]->life)
            tour_stop(t->at[i]);
    for (int i = 0; i < t->count; i++) {
        if (t->at[i]->life)
            tour_bury(t->at[i]);
        tour_destroy(t->at[i]);
    }
    if (t->timer)
        event_free(t->timer);
    free(t->at);
    free(t);
}

// --- making and ending one

static int refuse(char say[TOURS_SAY], int status, const char *what)
{
    snprintf(say, TOURS_SAY, "%s", what);
    return status;
}

int tours_count_running(const struct tours *t)
{
    int running = 0;
    for (int i = 0; i < t->count; i++)
        running += t->at[i]->status == TOUR_RUNNING || t->at[i]->life;
    return running;
}

static int judge_room(struct tours *t, char say[TOURS_SAY])
{
    step(t); // what has ended since the last look makes room
    if (lobby_is_draining(t->o.lobby))
        return refuse(say, 503, "the server is in maintenance; try again later");
    if (!store_has_room(lobby_store(t->o.lobby)))
        return refuse(say, 503, "the disk is nearly full; no tournament begins");
    if (t->count == TOURS_KEPT)
        return refuse(say, 409, "too many tournaments are kept; move old folders away and restart");
    if (tours_count_running(t) >= t->o.max_running) {
        snprintf(say, TOURS_SAY, "%d tournaments may run at once here; cancel one, or wait until one ends",
                 t->o.max_running);
        return 409;
    }
    return 201;
}

static void draw(struct tour *x, const struct tours_request *q)
{
    crypto_random(&x->id, sizeof x->id);
    uuid_mark_random(&x->id);
    crypto_random(x->secret, sizeof x->secret);
    crypto_random(&x->seed, sizeof x->seed);
    x->seed = q->has_seed ? q->seed : x->seed >> (64 - SEED_BITS);
}

static int fill(struct tour *x, const struct tours_request *q, char say[TOURS_SAY])
{
    struct contest_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return refuse(say, 503, "the server has no memory left; try again");
    *x->request = *q;
    draw(x, q);
    x->request->seed = x->seed;
    int status = lobby_find_game(x->owner->o.lobby, span_of(q->game))
                     ? tour_make_plan(x->owner, x->request, plan, x->entrant, say)
                     : refuse(say, 400, "unknown game");
    if (status == 200) {
        x->game = tours_find_game(x->owner, q->game);
        memcpy(x->game_name, q->game, sizeof x->game_name);
        x->format = q->format;
        x->mirrored = q->mirrored;
        x->entrants = q->entrants;
        x->created_ms = x->owner->o.now_ms();
        x->total = contest_most_games(plan);
        x->seated = is_seated(x);
        x->outside = contest_needs_loop(plan) && !x->seated;
        status = tour_check_agents(x->owner, x, say);
    }
    free(plan);
    return status;
}

static void tell_done(const struct tour_errand *e, int status, struct uuid id, const char *say)
{
    if (e->tours->on_done)
        e->tours->on_done(e->tours->news_owner, e->number, status, id, say);
}

static void drop(struct tours *t, struct tour *x)
{
    int at = 0;
    while (t->at[at] != x)
        at++;
    memmove(&t->at[at], &t->at[at + 1], (size_t)(--t->count - at) * sizeof *t->at);
    tour_destroy(x);
}

// A tournament against nobody is not made.
static int save(struct tour_errand *e)
{
    if (e->tour->outside && !tour_reach_bots(e->tour, NULL, e->why))
        return ERR_UNKNOWN;
    return tour_save(e->tour);
}

static void on_saved(struct tour_errand *e)
{
    struct tour *x = e->tour;
    if (e->err != OK && e->why[0]) {
        drop(e->tours, x);
        tell_done(e, 503, (struct uuid){0}, e->why);
        return;
    }
    if (e->err != OK) {
        log_tour(LOG_LEVEL_ERROR, "tournament.unwritten", x, strerror(e->system_error));
        drop(e->tours, x);
        tell_done(e, 503, (struct uuid){0}, "the tournament cannot be written to the data folder");
        return;
    }
    x->made = true;
    log_tour(LOG_LEVEL_INFO, "tournament.created", x, NULL);
    begin(x, x->created_ms);
    tours_stir(e->tours);
    tell_done(e, 201, x->id, "");
}

int tours_create(struct tours *t, const struct tours_request *q, uint64_t *errand, char say[TOURS_SAY])
{
    static const char no_memory[] = "the server has no memory left; try again";
    struct tour *x = tour_create(t);
    int status = x ? fill(x, q, say) : refuse(say, 503, no_memory);
    if (status == 200)
        status = judge_room(t, say);
    if (status == 201 && !add(t, x))
        status = refuse(say, 503, no_memory);
    if (status != 201) {
        tour_destroy(x);
        return status;
    }
    *errand = errand_send(&(struct tour_errand){.tours = t, .tour = x, .run = save, .conclude = on_saved});
    if (*errand)
        return 202;
    drop(t, x);
    return refuse(say, 503, no_memory);
}

static struct tour *find(const struct tours *t, struct uuid id)
{
    for (int i = t->count - 1; i >= 0; i--)
        if (t->at[i]->made && uuid_equals(t->at[i]->id, id))
            return t->at[i];
    return NULL;
}

static int write_end(struct tour_errand *e)
{
    return tour_write_end(e->tour, text_span(&e->standings), e->done, e->now_ms);
}

static const char no_end[] = "the end of the tournament cannot be written; try again";

static void on_ended(struct tour_errand *e)
{
    struct tour *x = e->tour;
    if (e->err == OK) {
        x->status = TOUR_CANCELLED;
        x->finished_ms = e->now_ms;
        x->done = e->done;
    }
    tour_stop(x); // what could not be ended goes on from its journal
    tours_stir(e->tours);
    tell_done(e, e->err == OK ? 200 : 503, x->id, e->err == OK ? "" : no_end);
}

// One that nobody plays right now comes to life for that: its journal says how far it came.
static int send_end(struct tours *t, struct tour *x, uint64_t *errand)
{
    struct tour_errand e = {.tours = t,
                            .tour = x,
                            .run = write_end,
                            .conclude = on_ended,
                            .now_ms = t->o.now_ms(),
                            .standings = {.grow = heap_text_grow}};
    int err = x->life ? OK : tour_live(x);
    if (err == OK)
        err = tour_begin_end(x, &e.standings, &e.done);
    if (err == OK && !(*errand = errand_send(&e)))
        err = ERR_FULL;
    if (err == OK)
        return OK;
    free(e.standings.at);
    if (x->life && err != ERR_OVER)
        tour_stop(x);
    return err;
}

int tours_cancel(struct tours *t, struct uuid id, uint64_t *errand, char say[TOURS_SAY])
{
    struct tour *x = find(t, id);
    if (!x)
        return refuse(say, 404, "unknown tournament");
    if (x->busy)
        return refuse(say, 409, "the tournament is being cancelled");
    if (x->status == TOUR_RUNNING) {
        int err = send_end(t, x, errand);
        tours_stir(t);
        if (err == OK)
            return 202;
        if (err != ERR_OVER)
            return refuse(say, 503, no_end);
    }
    snprintf(say, TOURS_SAY, "the tournament is not running; it is %s",
             tour_status_names[x->status == TOUR_RUNNING ? TOUR_FINISHED : x->status]);
    return 409;
}

// --- looking

const struct tour *tours_find(const struct tours *t, struct uuid id)
{
    return find(t, id);
}

int tours_list(const struct tours *t, const char *game, int from, const struct tour **out, int room, int *total)
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

struct tour_facts tour_look(const struct tour *x)
{
    struct tour_facts f = {
        .id = x->id,
        .game = x->game_name,
        .format = x->format,
        .status = x->status,
        .entrants = x->entrants,
        .created_ms = x->created_ms,
        .finished_ms = x->finished_ms,
        .done = x->done,
        .total = x->total,
        .seed = x->seed,
    };
    if (x->life && x->status == TOUR_RUNNING) {
        pthread_mutex_lock(&x->life->lock);
        f.done = x->life->done;
        pthread_mutex_unlock(&x->life->lock);
    }
    f.version = 2 * f.done + (f.status != TOUR_RUNNING);
    return f;
}

const char *tour_entrant(const struct tour *x, int entrant)
{
    return x->entrant[entrant].shown;
}
