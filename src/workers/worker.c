#include "workers/worker.h"

#include "heap/heap.h"
#include "net/loop.h"
#include "workers/streams.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_THREADS = 256,
    MOST_OPENED = 4,     // contests that a thread keeps ready
    MOST_ENDED = 256,    // contests that were stopped and are remembered
    TAKE_MS = 500,       // longest wait for units; hellos and holds are checked as often
    REST_MS = 100,       // between tries while the bus is away
    REFUSE_MS = 1000,    // until a refused unit is delivered again; meanwhile its worker takes no other
    BARRED_MS = 200,     // until a unit barred to this worker is delivered again, to any worker
    HELLO_US = 5000000,  // S87
    HOLD_US = 10000000,  // a third of the wait for an acknowledgement, so that two may be lost (S82)
    ACK_WAIT_MS = 30000, // S82
    MAX_DELIVER = 5,     // deliveries of one put by the bus; then the coordinator puts it again
    PUT_TRIES = 300,     // with REST_MS between them
};

// JOB_WAITING: taken from the bus, no thread has it yet.
enum job_state { JOB_FREE, JOB_WAITING, JOB_PLAYING };

// The message is held until the job ends, so that no other worker gets it.
struct job {
    enum job_state state;
    struct bus_message *message;
    struct workers_unit unit;
};

// A contest that a thread has ready. The contest and the run point at each other, so it does not move.
struct opened {
    struct uuid id;
    struct contest contest;
    struct contest_run run;
    struct loop loop;
    bool has_loop; // it has external players
    bool reached;  // all external players were reachable once
    uint64_t used; // its player's turn when it was last used; the oldest is replaced
};

struct worker;

struct player {
    struct worker *worker;
    pthread_t thread;
    struct opened *opened[MOST_OPENED];
    struct opened *current; // its run may be stopped; the worker's lock is held to look at it
    uint64_t turns;         // units played: the clock of `used`
    struct contest_result result[WORKERS_MOST_GAMES];
};

struct worker {
    const struct worker_options *o;
    struct bus_queue *queue;
    struct bus_subscription *call, *stop;
    unsigned returns; // reconnects of the bus when the queue was opened
    struct player *player;
    pthread_mutex_t outside;               // programs and HTTP: one unit at a time, with many tables
    atomic_uint_least64_t games, outcomes; // played; sent, which makes the ids of messages unique
    uint64_t games_reported;               // of `games`, by the last hello
    int64_t hello_us, hold_us, refused_us; // the last of each
    pthread_mutex_t lock;                  // of what follows
    pthread_cond_t changed;                // a job is waiting, or free again
    struct job *job;                       // twice as many as threads (S83)
    int jobs;
    atomic_bool over;
    struct uuid contest;           // that was played last
    struct uuid refused;           // that was refused last
    struct uuid ended[MOST_ENDED]; // a ring: the oldest is forgotten
    unsigned ended_next;
};

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void send_notice(struct worker *w, const char *subject, const struct workers_notice *n)
{
    char bytes[WORKERS_NOTICE];
    struct text t = text_on(bytes, sizeof bytes);
    workers_write_notice(&t, n);
    bus_publish(w->o->bus, subject, text_span(&t));
}

// --- notices from coordinators

static void send_hello(struct worker *w, double games_per_s)
{
    struct workers_notice n = {.threads = w->o->threads, .games_per_s = games_per_s};
    memcpy(n.worker, w->o->name, sizeof n.worker);
    pthread_mutex_lock(&w->lock);
    n.contest = w->contest;
    pthread_mutex_unlock(&w->lock);
    send_notice(w, WORKERS_HELLO, &n);
}

static void on_call(void *owner, struct span bytes)
{
    (void)bytes;
    send_hello(owner, 0);
}

// The lock is held.
static bool has_ended(const struct worker *w, struct uuid contest)
{
    for (int i = 0; i < MOST_ENDED; i++)
        if (uuid_equals(w->ended[i], contest))
            return true;
    return false;
}

static void on_stop(void *owner, struct span bytes)
{
    struct worker *w = owner;
    struct workers_notice n;
    if (workers_read_notice(bytes, &n) != OK || uuid_is_none(n.contest))
        return;
    pthread_mutex_lock(&w->lock);
    w->ended[w->ended_next++ % MOST_ENDED] = n.contest;
    for (int i = 0; i < w->o->threads; i++) {
        struct opened *s = w->player[i].current;
        if (s && uuid_equals(s->id, n.contest))
            atomic_store(&s->run.stop, true);
    }
    pthread_mutex_unlock(&w->lock);
}

// A continued contest keeps its id (coordinator.c), so its new units must be played.
static void forget_end(struct worker *w, struct uuid contest)
{
    for (int i = 0; i < MOST_ENDED; i++)
        if (uuid_equals(w->ended[i], contest))
            w->ended[i] = (struct uuid){0};
}

// --- getting a contest ready

static void close_opened(struct opened *s)
{
    if (!s)
        return;
    contest_run_release(&s->run);
    contest_close(&s->contest);
    if (s->has_loop)
        loop_release(&s->loop);
    free(s);
}

static bool open_contest(struct worker *w, struct opened *s, struct span plan_bytes, char why[WORKERS_WHY])
{
    struct contest_plan *plan = calloc(1, sizeof *plan);
    struct contest_run settings;
    contest_run_defaults(&settings, NULL);
    bool read =
        plan && workers_read_plan(plan_bytes, plan, &settings, why) && workers_find_programs(w->o->programs, plan, why);
    if (read) {
        contest_open(&s->contest, plan);
        s->run = settings;
        s->run.contest = &s->contest;
        s->run.threads = 1;
        s->has_loop = contest_needs_loop(plan);
        if (s->has_loop) {
            loop_init_coarse(&s->loop);
            s->run.loop = &s->loop;
            s->run.stopper = w->o->stop;
        }
    }
    free(plan);
    return read;
}

// Returns a free place, or the least recently used one.
static struct opened **pick_place(struct player *p)
{
    struct opened **oldest = &p->opened[0];
    for (int i = 0; i < MOST_OPENED; i++) {
        if (!p->opened[i])
            return &p->opened[i];
        if (p->opened[i]->used < (*oldest)->used)
            oldest = &p->opened[i];
    }
    return oldest;
}

// NULL: the contest is over (`why` empty), or it cannot be played here.
static struct opened *get_opened(struct player *p, const struct workers_unit *u, char why[WORKERS_WHY])
{
    char subject[BUS_SUBJECT];
    struct text plan = {.grow = heap_text_grow};
    why[0] = 0;
    for (int i = 0; i < MOST_OPENED; i++)
        if (p->opened[i] && uuid_equals(p->opened[i]->id, u->contest) &&
            contest_fingerprint(&p->opened[i]->contest.plan) == u->fingerprint)
            return p->opened[i];
    if (!bus_read(p->worker->o->bus, WORKERS_PLAN, workers_subject(subject, "plan", u->contest), &plan)) {
        free(plan.at);
        return NULL;
    }
    struct opened **place = pick_place(p), *s = calloc(1, sizeof *s);
    bool opened = s && open_contest(p->worker, s, text_span(&plan), why);
    free(plan.at);
    if (!opened) {
        free(s);
        return NULL;
    }
    close_opened(*place);
    s->id = u->contest;
    *place = s;
    return s;
}

static bool is_within(const struct contest_plan *p, const struct workers_unit *u)
{
    uint64_t around = (uint64_t)contest_pairing_games(p),
             pairings = (u->first + u->count + around - 1) / around - u->first / around;
    if (u->first + u->count > contest_most_games(p) || u->count > workers_most_games(p->seats) ||
        contest_fingerprint(p) != u->fingerprint)
        return false;
    if (p->format != CONTEST_SWISS)
        return u->meetings == 0;
    for (uint32_t i = 0; i < u->meetings; i++)
        if (u->meeting[i].pair.first >= p->entrants || u->meeting[i].pair.second >= p->entrants ||
            u->meeting[i].turn >= (uint32_t)p->seats)
            return false;
    return u->meetings == pairings;
}

// --- playing

static int64_t clock_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int play_outside(struct worker *w, struct opened *s, char why[WORKERS_WHY])
{
    char unreached[CONTEST_ERROR_ROOM];
    int err = OK;
    pthread_mutex_lock(&w->outside);
    if (!s->reached && !contest_check_health(&s->contest.plan, &s->run.seats, &s->loop, w->o->stop, unreached)) {
        snprintf(why, WORKERS_WHY, "%.*s", WORKERS_WHY - 1, unreached);
        err = ERR_UNKNOWN;
    }
    s->reached = err == OK;
    if (err == OK)
        err = contest_play(&s->run);
    pthread_mutex_unlock(&w->outside);
    return err;
}

// Plays the unit's games into p->result. Returns false if it was stopped (`why` is empty), or cannot be played.
static bool play_unit(struct player *p, struct opened *s, const struct workers_unit *u, struct workers_outcome *o,
                      char why[WORKERS_WHY])
{
    struct contest_run *run = &s->run;
    clockid_t clock = s->has_loop ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    contest_set_range(&s->contest, u->first, u->count, u->meetings ? u->meeting : NULL);
    atomic_store(&run->next, u->first);
    memset(run->counts, 0, sizeof run->counts);
    for (int e = 0; e < CONTEST_ENTRANTS; e++)
        for (int k = 0; k < SEAT_CALLS; k++)
            run->times[e][k].count = 0;
    int64_t began = clock_us(clock);
    int err = s->has_loop ? play_outside(p->worker, s, why) : contest_play_house(run);
    if (err != OK && !why[0])
        snprintf(why, WORKERS_WHY, "game %ju or a later one of its unit cannot be played: %s", (uintmax_t)u->first,
                 err_sentence(err));
    if (err != OK || !contest_is_done(&s->contest))
        return false;
    *o = (struct workers_outcome){.contest = u->contest,
                                  .fingerprint = u->fingerprint,
                                  .first = u->first,
                                  .count = u->count,
                                  .attempt = u->attempt,
                                  .play_us = (uint64_t)(clock_us(clock) - began),
                                  .result = p->result};
    memcpy(o->worker, p->worker->o->name, sizeof o->worker);
    memcpy(p->result, s->contest.results + u->first, u->count * sizeof *p->result);
    for (int e = 0; e < s->contest.plan.entrants; e++) {
        o->created[e] = run->counts[e].created;
        o->deleted[e] = run->counts[e].deleted;
    }
    return true;
}

// Tries again while the bus is away.
static bool put_outcome(struct player *p, const struct opened *s, struct workers_outcome *o)
{
    struct worker *w = p->worker;
    char subject[BUS_SUBJECT], id[WORKERS_NAME + 96], contest[UUID_TEXT + 1], why[BUS_WHY];
    struct text t = {.grow = heap_text_grow};
    bool put = false;
    if (w->o->change)
        w->o->change(o);
    workers_write_outcome(&t, o, s->contest.plan.seats, s->contest.plan.entrants);
    uuid_format(contest, o->contest);
    // A continued contest may need the same unit again, and the bus must not drop it as a copy.
    snprintf(id, sizeof id, "%s-%ju-%u-%s-%ju", contest, (uintmax_t)o->first, o->attempt, o->worker,
             (uintmax_t)atomic_fetch_add(&w->outcomes, 1));
    workers_subject(subject, "result", o->contest);
    for (int i = 0; i < PUT_TRIES && !put && !atomic_load(&s->run.stop); i++) {
        put = bus_put(w->o->bus, subject, id, text_span(&t), why);
        if (!put && atomic_load(w->o->stop))
            break;
        if (!put)
            sleep_ms(REST_MS);
    }
    free(t.at);
    return put;
}

static void refuse_unit(struct worker *w, const struct workers_unit *u, const char *why)
{
    struct workers_notice n = {.contest = u->contest};
    memcpy(n.worker, w->o->name, sizeof n.worker);
    snprintf(n.why, sizeof n.why, "%s", why);
    send_notice(w, WORKERS_REFUSE, &n);
    char line[WORKERS_WHY + 64];
    snprintf(line, sizeof line, "refused a contest: %s", why);
    pthread_mutex_lock(&w->lock);
    bool is_new = memcmp(&w->refused, &u->contest, sizeof w->refused) != 0; // it has many units
    w->refused = u->contest;
    pthread_mutex_unlock(&w->lock);
    if (is_new)
        w->o->tell(line);
}

// What becomes of the message: acknowledged, given back at once, or refused and given back later.
enum verdict { UNIT_DONE, UNIT_BACK, UNIT_REFUSED };

static void set_current(struct player *p, struct opened *s, struct uuid contest)
{
    struct worker *w = p->worker;
    pthread_mutex_lock(&w->lock);
    p->current = s;
    if (s) {
        w->contest = contest;
        s->used = ++p->turns;
        atomic_store(&s->run.stop, has_ended(w, contest) || w->over);
    }
    pthread_mutex_unlock(&w->lock);
}

static enum verdict handle_unit(struct player *p, const struct workers_unit *u)
{
    struct worker *w = p->worker;
    struct workers_outcome o;
    char why[WORKERS_WHY];
    struct opened *s = get_opened(p, u, why);
    if (s && !is_within(&s->contest.plan, u)) {
        refuse_unit(w, u, "the unit does not belong to its plan");
        return UNIT_DONE;
    }
    bool played = false;
    if (s) {
        set_current(p, s, u->contest);
        played = play_unit(p, s, u, &o, why) && put_outcome(p, s, &o);
        set_current(p, NULL, u->contest);
    }
    if (played) {
        atomic_fetch_add(&w->games, u->count);
        return UNIT_DONE;
    }
    if (w->over || atomic_load(w->o->stop)) // S87; external players see `stop` earlier than this thread
        return UNIT_BACK;
    if (!why[0]) // stopped, or over
        return bus_is_away(w->o->bus) ? UNIT_BACK : UNIT_DONE;
    refuse_unit(w, u, why);
    return UNIT_REFUSED;
}

// The lock is held.
static struct job *next_job(struct worker *w)
{
    struct job *best = NULL;
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].state == JOB_WAITING && (!best || w->job[i].unit.first < best->unit.first))
            best = &w->job[i];
    return best;
}

static void end_job(struct worker *w, struct job *j, enum verdict v)
{
    if (v == UNIT_DONE)
        bus_message_done(j->message);
    else
        bus_message_refuse(j->message, v == UNIT_REFUSED ? REFUSE_MS : 0);
    if (v == UNIT_REFUSED)
        w->refused_us = loop_now_us();
    j->state = JOB_FREE;
    pthread_cond_broadcast(&w->changed);
}

static void *run_player(void *arg)
{
    struct player *p = arg;
    struct worker *w = p->worker;
    pthread_mutex_lock(&w->lock);
    while (!w->over && !atomic_load(w->o->stop)) {
        struct job *j = next_job(w);
        if (!j) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        j->state = JOB_PLAYING;
        struct workers_unit unit = j->unit;
        bool stopped = has_ended(w, unit.contest);
        pthread_mutex_unlock(&w->lock);
        enum verdict v = stopped ? UNIT_DONE : handle_unit(p, &unit);
        pthread_mutex_lock(&w->lock);
        end_job(w, j, v);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

// --- taking units

static bool open_queue(struct worker *w, char why[BUS_WHY])
{
    static const struct bus_queue_options q = {WORKERS_WORK, "w", "work.*", ACK_WAIT_MS, MAX_DELIVER, 0};
    unsigned returns = bus_reconnects(w->o->bus);
    bus_queue_close(w->queue, false);
    w->queue = NULL;
    if (!workers_open_streams(w->o->bus, why))
        return false;
    w->queue = bus_queue_open(w->o->bus, &q, why);
    w->returns = returns;
    return w->queue;
}

// The lock is held.
static struct job *free_job(struct worker *w)
{
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].state == JOB_FREE)
            return &w->job[i];
    return NULL;
}

// Whether the unit is a copy of one that is in progress here: the coordinator thought that it was lost. The lock is
// held.
static bool is_in_hand(const struct worker *w, const struct workers_unit *u)
{
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].state != JOB_FREE && uuid_equals(w->job[i].unit.contest, u->contest) &&
            w->job[i].unit.first == u->first && w->job[i].unit.count == u->count)
            return true;
    return false;
}

static void accept_unit(struct worker *w, struct bus_message *m)
{
    struct workers_unit unit;
    if (workers_read_unit(bus_message_bytes(m), &unit) != OK) {
        w->o->tell("dropped a malformed unit of work");
        bus_message_done(m);
        return;
    }
    if (strcmp(unit.barred, w->o->name) == 0) {
        bus_message_refuse(m, BARRED_MS);
        return;
    }
    pthread_mutex_lock(&w->lock);
    if (unit.attempt == 0)
        forget_end(w, unit.contest);
    struct job *j = is_in_hand(w, &unit) ? NULL : free_job(w);
    if (j) {
        *j = (struct job){JOB_WAITING, m, unit};
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    if (!j)
        bus_message_done(m);
}

static int count_free(struct worker *w)
{
    int count = 0;
    pthread_mutex_lock(&w->lock);
    for (int i = 0; i < w->jobs; i++)
        count += w->job[i].state == JOB_FREE;
    if (!count) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += REST_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->changed, &w->lock, &until);
    }
    pthread_mutex_unlock(&w->lock);
    return count;
}

static void keep_in_touch(struct worker *w)
{
    int64_t now = loop_now_us();
    if (now - w->hello_us >= HELLO_US) {
        uint64_t games = atomic_load(&w->games);
        send_hello(w, w->hello_us ? (double)(games - w->games_reported) * 1e6 / (double)(now - w->hello_us) : 0);
        w->games_reported = games;
        w->hello_us = now;
    }
    if (now - w->hold_us < HOLD_US)
        return;
    w->hold_us = now;
    pthread_mutex_lock(&w->lock);
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].state != JOB_FREE)
            bus_message_hold(w->job[i].message);
    pthread_mutex_unlock(&w->lock);
}

static void run_turn(struct worker *w)
{
    struct bus_message *list[BUS_BATCH];
    char why[BUS_WHY];
    keep_in_touch(w);
    if ((!w->queue || w->returns != bus_reconnects(w->o->bus)) && (bus_is_away(w->o->bus) || !open_queue(w, why))) {
        sleep_ms(REST_MS);
        return;
    }
    pthread_mutex_lock(&w->lock);
    bool rests = loop_now_us() - w->refused_us < REFUSE_MS * 1000;
    pthread_mutex_unlock(&w->lock);
    int room = count_free(w);
    if (!room || rests) {
        if (rests)
            sleep_ms(REST_MS);
        return;
    }
    int got = bus_queue_take(w->queue, list, room, TAKE_MS);
    for (int i = 0; i < got; i++)
        accept_unit(w, list[i]);
    if (got < 0) {
        bus_queue_close(w->queue, false);
        w->queue = NULL;
        sleep_ms(REST_MS);
    }
}

// --- beginning and end

static void stop_players(struct worker *w, int started)
{
    pthread_mutex_lock(&w->lock);
    w->over = true;
    for (int i = 0; i < w->o->threads; i++)
        if (w->player[i].current)
            atomic_store(&w->player[i].current->run.stop, true);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < started; i++)
        pthread_join(w->player[i].thread, NULL);
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].state != JOB_FREE)
            bus_message_refuse(w->job[i].message, 0); // delivered to another worker at once
}

static void free_worker(struct worker *w)
{
    for (int i = 0; w->player && i < w->o->threads; i++)
        for (int k = 0; k < MOST_OPENED; k++)
            close_opened(w->player[i].opened[k]);
    free(w->player);
    free(w->job);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->outside);
    pthread_cond_destroy(&w->changed);
    free(w);
}

static struct worker *create_worker(const struct worker_options *o)
{
    struct worker *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->o = o;
    w->refused_us = INT64_MIN / 2;
    pthread_mutex_init(&w->lock, NULL);
    pthread_mutex_init(&w->outside, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->jobs = 2 * o->threads; // S83: as many waiting as playing
    w->job = calloc((size_t)w->jobs, sizeof *w->job);
    w->player = calloc((size_t)o->threads, sizeof *w->player);
    if (w->job && w->player)
        return w;
    free_worker(w);
    return NULL;
}

bool worker_run(const struct worker_options *o, char why[BUS_WHY])
{
    assert(o->threads >= 1 && o->threads <= MOST_THREADS);
    struct worker *w = create_worker(o);
    int started = 0;
    if (!w) {
        snprintf(why, BUS_WHY, "no memory");
        return false;
    }
    bool joined = open_queue(w, why);
    for (; joined && started < o->threads; started++) {
        w->player[started].worker = w;
        if (pthread_create(&w->player[started].thread, NULL, run_player, &w->player[started]) != 0)
            break;
    }
    if (joined && started == 0)
        snprintf(why, BUS_WHY, "cannot start a thread");
    if (started) {
        w->call = bus_subscribe(o->bus, WORKERS_CALL, on_call, w);
        w->stop = bus_subscribe(o->bus, WORKERS_STOP, on_stop, w);
        while (!atomic_load(o->stop))
            run_turn(w);
    }
    bus_unsubscribe(w->call);
    bus_unsubscribe(w->stop);
    stop_players(w, started);
    bus_queue_close(w->queue, false);
    free_worker(w);
    return started > 0;
}
