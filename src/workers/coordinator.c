#include "workers/coordinator.h"

#include "base/hash.h"
#include "crypto/crypto.h"
#include "heap/heap.h"
#include "net/loop.h"
#include "workers/message.h"
#include "workers/streams.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_WORKERS = 1024,        // known at once; one that left without a result is replaced
    MOST_PARTS = 4096,          // units given out at once
    SPARES = 64,                // result buffers kept for reuse: each has a megabyte
    TAKE_MS = 200,              // longest wait for results, which delays everything else in a turn
    AWAY_MS = 50,               // between two turns without a queue
    LIVE_US = 15000000,         // three hellos
    SETTLED_US = 7000000,       // after this time every worker has sent a hello
    LONELY_US = 3000000,        // until a warning that no worker answers
    LATE_US = 2000000,          // a unit that takes this much longer than four usual ones is given out again
    FIRST_LATE_US = 10000000,   // the same, while the usual time is unknown
    OUTSIDE_LATE_US = 60000000, // the same with external players, which may be slow; the most in any case
    MOST_TRIES = 20,            // of a unit, and of puts that fail
    MOST_REFUSALS = 5,          // S86
    ACK_WAIT_MS = 30000,        // S82
    INACTIVE_S = 300,           // after which the bus deletes the consumer of a killed coordinator
    RETRY_PUT_MS = 200,         // until a unit that the bus did not take is put again
    FAILING_MOST_US = 10000000, // the contest fails after so long without a successful put, and MOST_TRIES tries
    NAME_ROOM = HOST_NAME_MAX + PATH_MAX + 64,
};

// A worker that has sent a message.
struct known_worker {
    char name[WORKERS_NAME];
    int threads;
    int64_t seen_us;      // its last message of any kind
    bool played, refused; // played: a reported difference may name it, so its place is never reused
    char why[WORKERS_WHY];
};

// A unit that was given out and is not judged yet.
struct part {
    uint64_t first;
    uint32_t count, tries;           // tries: how often it was put; part of its id on the bus (S82)
    int64_t put_us;                  // when it was put first
    int64_t late_us;                 // when it is put again
    int64_t patience_us;             // time from a put until then; doubled each time
    int worker;                      // that played it first; -1: none yet
    bool verifies;                   // a second result is expected
    struct workers_outcome sessions; // its `result` is not used: the next message overwrites it
    struct contest_result *result;   // NULL: none yet
};

// A judged unit and the worker that played it, in case a second result arrives.
struct judged_unit {
    uint64_t first;
    int worker;
};

struct coordinator {
    const struct coordinator_options *o;
    struct coordinator_report *report;
    struct contest *contest;
    const struct contest_plan *plan;
    struct uuid id;
    uint32_t nonce; // of this run, so that the bus does not drop its units as copies of an earlier run's
    uint64_t fingerprint;
    struct text plan_text;
    struct bus_queue *results;
    struct bus_subscription *hello, *refuse;
    unsigned returns;         // reconnects of the bus when the queues were opened
    int64_t failing_since_us; // since when the bus has taken no unit; 0: it took the last one
    int failed_puts;          // number of failed puts since then
    uint64_t next;            // the first game that was not given out
    bool fresh;               // no game was played before this run, so none beyond `next` need be checked
    struct part *part;        // MOST_PARTS of them, in the order of games
    int parts;
    struct contest_result *spare[SPARES]; // buffers for a unit's results; used before, so their pages are mapped
    int spares;
    // By first game, ascending, since units are judged in that order.
    struct judged_unit *judged;
    size_t judged_count, judged_room;
    double us_per_game; // of play; 0: unknown
    double us_per_turn; // from the first time that a unit is put until its result is here; 0: unknown
    int64_t began_us;
    bool warned_alone;
    struct contest_result room[WORKERS_MOST_GAMES]; // of the message that is being read
    pthread_mutex_t lock;                           // guards what follows: the bus calls back on its own thread
    struct known_worker known[MOST_WORKERS];
    int count;
    uint64_t refusals;
    char why[WORKERS_WHY];
    bool failed;
};

static void set_error(struct coordinator *c, const char *text)
{
    if (!c->failed)
        snprintf(c->why, sizeof c->why, "%s", text);
    c->failed = true;
}

// --- known workers

// Returns the place of a worker that left without a result, whose name is not needed any more; -1: none. A restarted
// worker counts as a new one. The lock is held.
static int find_gone(const struct coordinator *c)
{
    int64_t now = loop_now_us();
    for (int i = 0; i < c->count; i++)
        if (!c->known[i].played && now - c->known[i].seen_us > LIVE_US)
            return i;
    return -1;
}

// Its index; -1: there is no room for more. The lock is held.
static int find_worker(struct coordinator *c, const char *name)
{
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->known[i].name, name) == 0)
            return i;
    int at = !name[0] ? -1 : c->count < MOST_WORKERS ? c->count++ : find_gone(c);
    if (at < 0)
        return -1;
    c->known[at] = (struct known_worker){0};
    snprintf(c->known[at].name, WORKERS_NAME, "%s", name);
    return at;
}

static int note_seen(struct coordinator *c, const char *name)
{
    int at = find_worker(c, name);
    if (at >= 0)
        c->known[at].seen_us = loop_now_us();
    return at;
}

static void on_hello(void *owner, struct span bytes)
{
    struct coordinator *c = owner;
    struct workers_notice n;
    if (workers_read_notice(bytes, &n) != OK)
        return;
    pthread_mutex_lock(&c->lock);
    int at = note_seen(c, n.worker);
    if (at >= 0)
        c->known[at].threads = n.threads;
    pthread_mutex_unlock(&c->lock);
}

static void on_refuse(void *owner, struct span bytes)
{
    struct coordinator *c = owner;
    struct workers_notice n;
    if (workers_read_notice(bytes, &n) != OK || !uuid_equals(n.contest, c->id))
        return;
    pthread_mutex_lock(&c->lock);
    int at = note_seen(c, n.worker);
    if (at >= 0) {
        c->known[at].refused = true;
        memcpy(c->known[at].why, n.why, sizeof n.why);
    }
    c->refusals++;
    pthread_mutex_unlock(&c->lock);
}

struct crew {
    int live, threads, willing;         // seen recently; threads of those that play; how many have not refused
    const struct known_worker *refuser; // any that has refused; NULL: none
};

// The lock is held.
static struct crew count_crew(const struct coordinator *c)
{
    struct crew crew = {0};
    int64_t now = loop_now_us();
    for (int i = 0; i < c->count; i++) {
        const struct known_worker *k = &c->known[i];
        if (k->refused)
            crew.refuser = k;
        if (now - k->seen_us > LIVE_US)
            continue;
        crew.live++;
        crew.threads += k->refused ? 0 : k->threads;
        crew.willing += !k->refused;
    }
    return crew;
}

static struct crew check_crew(struct coordinator *c)
{
    pthread_mutex_lock(&c->lock);
    struct crew crew = count_crew(c);
    if (crew.refuser && !crew.willing && c->refusals >= MOST_REFUSALS && !c->failed) { // S86
        snprintf(c->why, sizeof c->why, "no worker can play this contest; %s says: %.380s", crew.refuser->name,
                 crew.refuser->why);
        c->failed = true;
    }
    pthread_mutex_unlock(&c->lock);
    if (!crew.live && !c->warned_alone && loop_now_us() - c->began_us > LONELY_US) {
        char line[WORKERS_WHY];
        snprintf(line, sizeof line, "no worker answers at %s yet; start one with 'agon worker --bus %s'", c->o->url,
                 c->o->url);
        c->o->tell(line);
        c->warned_alone = true;
    }
    return crew;
}

// --- giving out

static void count_failed_put(struct coordinator *c, const char *why)
{
    char text[WORKERS_WHY];
    int64_t now = loop_now_us();
    c->failing_since_us = c->failing_since_us ? c->failing_since_us : now;
    if (++c->failed_puts < MOST_TRIES || now - c->failing_since_us < FAILING_MOST_US)
        return;
    snprintf(text, sizeof text, "the bus has taken no work for %d s: %.380s",
             (int)((now - c->failing_since_us) / 1000000), why);
    set_error(c, text);
}

static void put_unit(struct coordinator *c, struct part *p, const char *barred)
{
    char bytes[WORKERS_UNIT], subject[BUS_SUBJECT], id[96], contest[UUID_TEXT + 1], why[BUS_WHY];
    struct text t = text_on(bytes, sizeof bytes);
    struct workers_unit u = {c->id, c->fingerprint, p->first, p->count, p->tries, "", 0, {{{0}, {0}, 0}}};
    snprintf(u.barred, sizeof u.barred, "%s", barred);
    if (c->plan->format == CONTEST_SWISS) {
        uint64_t around = (uint64_t)contest_pairing_games(c->plan), from = p->first / around;
        u.meetings = (uint32_t)((p->first + p->count + around - 1) / around - from);
        contest_lock(c->contest);
        memcpy(u.meeting, c->contest->meeting + from, u.meetings * sizeof *u.meeting);
        contest_unlock(c->contest);
    }
    workers_write_unit(&t, &u);
    uuid_format(contest, c->id);
    snprintf(id, sizeof id, "%s-%08x-%ju-%u", contest, c->nonce, (uintmax_t)p->first, p->tries); // S82
    if (p->tries == 0) {
        double usual = fmax(c->us_per_turn, 2 * c->us_per_game * p->count);
        p->put_us = loop_now_us();
        p->patience_us = c->us_per_turn > 0            ? (int64_t)fmin(LATE_US + 4 * usual, OUTSIDE_LATE_US)
                         : contest_needs_loop(c->plan) ? OUTSIDE_LATE_US
                                                       : FIRST_LATE_US;
    }
    if (!bus_put(c->o->bus, workers_subject(subject, "work", c->id), id, text_span(&t), why)) {
        p->late_us = loop_now_us() + INT64_C(1000) * RETRY_PUT_MS;
        count_failed_put(c, why);
        return; // nobody received it, so the next attempt has the same number
    }
    c->failing_since_us = c->failed_puts = 0;
    p->late_us = loop_now_us() + p->patience_us;
    p->patience_us *= 2;
    p->tries++;
    c->report->units++;
    c->report->repeated += p->tries > 1;
}

static uint64_t games_at_once(const struct coordinator *c, int threads, uint64_t left)
{
    uint64_t most = workers_most_games(c->plan->seats);
    if (c->us_per_game <= 0)
        return 1;
    double ms = contest_needs_loop(c->plan) && c->o->unit_ms < 2000 ? 2000 : c->o->unit_ms; // programs are started anew
    double want = ms * 1000 / c->us_per_game, least = 50000 / c->us_per_game;
    double share = (double)left / (2.0 * (threads > 0 ? threads : 1)); // so that near the end every thread has work
    want = want > share ? fmax(share, least) : want;
    return want < 1 ? 1 : want > (double)most ? most : (uint64_t)want;
}

// Cuts the next unit: games neither played nor given out, within one round and in whole sets. Returns false if there
// are none yet.
static bool cut_part(struct coordinator *c, int threads, struct part *p)
{
    struct contest *contest = c->contest;
    uint64_t set =
        (uint64_t)(c->plan->format == CONTEST_SWISS ? contest_pairing_games(c->plan) : contest_rotations(c->plan));
    contest_lock(contest);
    uint64_t end = contest->total < contest->stop ? contest->total : contest->stop;
    while (!c->fresh && c->next < end && contest->results[c->next].end != CONTEST_UNPLAYED)
        c->next++;
    uint64_t first = c->next, want = games_at_once(c, threads, end - first);
    want = first % set ? set - first % set : want < set ? set : want - want % set;
    uint64_t last = first + want < end ? first + want : end, at = first;
    if (c->plan->format == CONTEST_SWISS && last - first > set * WORKERS_MEETINGS)
        last = first + set * WORKERS_MEETINGS;
    if (c->fresh) // reading a result that is not there yet would cost a page of zeros, and another fault to write it
        at = last > at ? last : at;
    while (at < last && contest->results[at].end == CONTEST_UNPLAYED)
        at++;
    contest_unlock(contest);
    if (at == first)
        return false;
    *p = (struct part){.first = first, .count = (uint32_t)(at - first), .worker = -1};
    uint64_t chance[2] = {first, c->fingerprint};
    p->verifies = (double)(hash_bytes(chance, sizeof chance) >> 11) / (double)(UINT64_C(1) << 53) < c->o->verify_share;
    c->next = at;
    return true;
}

static void give_out(struct coordinator *c, const struct crew *crew)
{
    int ahead = 2 * crew->threads + 2; // S85
    while (c->parts < ahead && c->parts < MOST_PARTS && !bus_is_away(c->o->bus)) {
        struct part *p = &c->part[c->parts];
        if (!cut_part(c, crew->threads, p))
            return;
        c->parts++;
        put_unit(c, p, "");
    }
}

// Gives overdue units to other workers too: the first worker has died, or is slow.
static void give_out_again(struct coordinator *c, const struct crew *crew)
{
    int64_t now = loop_now_us();
    for (int i = 0; i < c->parts && crew->live && !bus_is_away(c->o->bus); i++) {
        struct part *p = &c->part[i];
        if (now < p->late_us || (p->result && !p->verifies))
            continue;
        if (p->verifies && p->result && crew->willing < 2) {
            if (now - c->began_us > SETTLED_US) { // there is no other worker
                p->verifies = false;
                c->report->unverified++;
            }
            continue;
        }
        if (p->tries >= MOST_TRIES) {
            char why[WORKERS_WHY];
            snprintf(why, sizeof why, "games %ju to %ju were handed out %u times, and no worker has finished them",
                     (uintmax_t)p->first, (uintmax_t)(p->first + p->count - 1), p->tries);
            set_error(c, why);
            return;
        }
        put_unit(c, p, p->result ? c->known[p->worker].name : "");
    }
}

// --- taking

static const char *worker_name(const struct coordinator *c, int worker)
{
    return worker >= 0 ? c->known[worker].name : "an earlier run";
}

// S84: a second result of a game.
static void compare_result(struct coordinator *c, const struct contest_result *mine, int first, uint64_t index,
                           const struct contest_result *theirs, int second)
{
    char why[WORKERS_WHY];
    c->report->compared++;
    if (workers_same_result(mine, theirs, c->plan->seats))
        return;
    c->report->differing++;
    if (c->o->not_repeatable)
        return;
    snprintf(why, sizeof why,
             "game %ju: workers %s and %s disagree: final states %016jx after %u steps and %016jx after %u",
             (uintmax_t)index, worker_name(c, first), worker_name(c, second), (uintmax_t)mine->hash, mine->steps,
             (uintmax_t)theirs->hash, theirs->steps);
    set_error(c, why);
}

static struct part *find_part(struct coordinator *c, uint64_t first)
{
    for (int i = 0; i < c->parts; i++)
        if (c->part[i].first == first)
            return &c->part[i];
    return NULL;
}

static int find_player_of(const struct coordinator *c, uint64_t index)
{
    size_t low = 0, high = c->judged_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->judged[middle].first <= index)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? c->judged[low - 1].worker : -1;
}

static void reuse_room(struct coordinator *c, struct contest_result *room)
{
    if (room && c->spares < SPARES)
        c->spare[c->spares++] = room;
    else
        free(room);
}

static void keep_first(struct coordinator *c, struct part *p, const struct workers_outcome *o, int worker)
{
    p->result = c->spares ? c->spare[--c->spares] : malloc(sizeof c->room);
    if (!p->result) {
        set_error(c, "out of memory for results");
        return;
    }
    memcpy(p->result, o->result, o->count * sizeof *p->result);
    p->sessions = *o;
    p->worker = worker;
    double us = (double)o->play_us / o->count, waited = (double)(loop_now_us() - p->put_us) / p->tries;
    c->us_per_game = c->us_per_game > 0 ? 0.8 * c->us_per_game + 0.2 * us : fmax(us, 0.01);
    c->us_per_turn = fmax(1, fmax(waited, 0.8 * c->us_per_turn + 0.2 * waited));
    if (p->verifies)
        p->late_us = 0; // it is given out again at once
}

static void compare_part(struct coordinator *c, struct part *p, const struct workers_outcome *o, int worker)
{
    for (uint32_t i = 0; i < o->count && !c->failed; i++)
        compare_result(c, &p->result[i], p->worker, o->first + i, &o->result[i], worker);
    if (p->verifies && worker != p->worker) {
        p->verifies = false;
        c->report->verified++;
    }
}

// Compares results of games that were judged already, or of units that an earlier run of this contest cut differently.
static void compare_judged(struct coordinator *c, const struct workers_outcome *o, int worker)
{
    for (uint32_t i = 0; i < o->count && !c->failed; i++) {
        uint64_t index = o->first + i;
        if (index < c->contest->stop && contest_has(c->contest, index))
            compare_result(c, &c->contest->results[index], find_player_of(c, index), index, &o->result[i], worker);
    }
}

static void take_outcome(struct coordinator *c, const struct workers_outcome *o)
{
    if (!uuid_equals(o->contest, c->id) || o->fingerprint != c->fingerprint ||
        o->first + o->count > contest_most_games(c->plan))
        return;
    pthread_mutex_lock(&c->lock);
    int worker = note_seen(c, o->worker);
    if (worker >= 0 && !c->known[worker].played)
        c->report->workers++;
    if (worker >= 0) {
        c->known[worker].played = true;
        c->known[worker].refused = false;
    }
    pthread_mutex_unlock(&c->lock);
    struct part *p = find_part(c, o->first);
    if (worker < 0)
        return; // no worker to report a difference to
    if (!p || p->count != o->count)
        compare_judged(c, o, worker);
    else if (p->result)
        compare_part(c, p, o, worker);
    else
        keep_first(c, p, o, worker);
}

static bool take_results(struct coordinator *c)
{
    struct bus_message *list[BUS_BATCH];
    struct workers_outcome o;
    int count = c->results ? bus_queue_take(c->results, list, BUS_BATCH, TAKE_MS) : -1;
    for (int i = 0; i < count; i++) {
        if (workers_read_outcome(bus_message_bytes(list[i]), c->plan->seats, c->plan->entrants, &o, c->room) == OK)
            take_outcome(c, &o);
        bus_message_done(list[i]);
    }
    return count >= 0;
}

// --- judging

static void remember_unit(struct coordinator *c, const struct part *p)
{
    if (c->judged_count == c->judged_room) {
        size_t room = c->judged_room ? 2 * c->judged_room : 1024;
        struct judged_unit *more = realloc(c->judged, room * sizeof *more);
        if (!more)
            return; // a second result is still compared; its player is reported as an earlier run
        c->judged = more;
        c->judged_room = room;
    }
    c->judged[c->judged_count++] = (struct judged_unit){p->first, p->worker};
}

static void hand_in(struct coordinator *c, struct part *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        contest_lock(c->contest);
        bool needed = p->first + i < c->contest->stop;
        contest_unlock(c->contest);
        if (needed)
            contest_put(c->contest, p->first + i, &p->result[i]);
        else
            c->report->wasted++;
    }
    for (int e = 0; e < c->plan->entrants; e++) {
        c->o->run->counts[e].created += p->sessions.created[e];
        c->o->run->counts[e].deleted += p->sessions.deleted[e];
    }
    remember_unit(c, p);
}

// S85: in the order of the games, not of arrival.
static void judge_parts(struct coordinator *c)
{
    int done = 0;
    while (done < c->parts && c->part[done].result && !c->part[done].verifies && !contest_is_done(c->contest) &&
           !c->failed) {
        hand_in(c, &c->part[done]);
        reuse_room(c, c->part[done++].result);
    }
    c->parts -= done;
    memmove(c->part, c->part + done, (size_t)c->parts * sizeof *c->part);
}

// --- the bus

// Workers keep a plan by its id, and the fingerprint does not cover all of a plan: when a journal is continued, the
// number of games and the treatment of external players may differ.
static void choose_id(struct coordinator *c)
{
    char name[NAME_ROOM], host[HOST_NAME_MAX + 1] = "", path[PATH_MAX];
    uint8_t sum[CRYPTO_SHA256_BYTES];
    crypto_random(&c->nonce, sizeof c->nonce);
    crypto_random(sum, sizeof sum);
    if (c->o->journal && realpath(c->o->journal, path)) {
        gethostname(host, sizeof host - 1);
        int size = snprintf(name, sizeof name, "agon.contest.2 %016jx %s %s",
                            (uintmax_t)hash_bytes(c->plan_text.at, c->plan_text.size), host, path);
        crypto_sha256(sum, name, (size_t)size);
    }
    memcpy(c->id.byte, sum, UUID_BYTES);
    uuid_mark_random(&c->id);
}

static bool open_queue(struct coordinator *c, char why[BUS_WHY])
{
    char subject[BUS_SUBJECT], id[UUID_TEXT + 1];
    uuid_format(id, c->id);
    struct bus_queue_options q = {WORKERS_RESULT, id, workers_subject(subject, "result", c->id),
                                  ACK_WAIT_MS,    -1, INACTIVE_S};
    char plan[BUS_SUBJECT];
    bus_queue_close(c->results, false);
    c->results = NULL;
    if (!workers_open_streams(c->o->bus, why) ||
        !bus_put(c->o->bus, workers_subject(plan, "plan", c->id), NULL, text_span(&c->plan_text), why))
        return false;
    c->results = bus_queue_open(c->o->bus, &q, why);
    bus_publish(c->o->bus, WORKERS_CALL, SPAN("{}"));
    return c->results;
}

static void purge_messages(struct coordinator *c)
{
    char subject[BUS_SUBJECT];
    bus_purge(c->o->bus, WORKERS_WORK, workers_subject(subject, "work", c->id));
    bus_purge(c->o->bus, WORKERS_RESULT, workers_subject(subject, "result", c->id));
}

// S80: what was on its way may be lost.
static void reopen_queue(struct coordinator *c)
{
    char why[BUS_WHY];
    unsigned returns = bus_reconnects(c->o->bus);
    if (!open_queue(c, why))
        return;
    if (c->returns != returns)
        c->failing_since_us = c->failed_puts = 0; // while it was away nothing could be taken
    c->returns = returns;
    for (int i = 0; i < c->parts; i++)
        if (!c->part[i].result || c->part[i].verifies)
            c->part[i].late_us = 0;
}

static void leave_bus(struct coordinator *c)
{
    char bytes[WORKERS_NOTICE], subject[BUS_SUBJECT];
    struct text t = text_on(bytes, sizeof bytes);
    workers_write_notice(&t, &(struct workers_notice){.contest = c->id});
    bus_publish(c->o->bus, WORKERS_STOP, text_span(&t));
    bus_purge(c->o->bus, WORKERS_PLAN, workers_subject(subject, "plan", c->id));
    bus_queue_close(c->results, true);
    bus_unsubscribe(c->hello);
    bus_unsubscribe(c->refuse);
    purge_messages(c);
}

static bool open_all(struct coordinator *c)
{
    char why[BUS_WHY];
    static struct contest_plan back; // the plan as workers will read it
    static struct contest_run run;
    contest_run_defaults(&run, c->contest);
    if (c->plan_text.full || !workers_read_plan(text_span(&c->plan_text), &back, &run, c->why)) {
        set_error(c, "these rules cannot be sent to workers; leave out --workers");
        return false;
    }
    purge_messages(c); // leftovers of a killed run
    c->hello = bus_subscribe(c->o->bus, WORKERS_HELLO, on_hello, c);
    c->refuse = bus_subscribe(c->o->bus, WORKERS_REFUSE, on_refuse, c);
    if (!open_queue(c, why))
        set_error(c, why);
    return !c->failed;
}

static void run_turn(struct coordinator *c)
{
    if (c->returns != bus_reconnects(c->o->bus) || !c->results)
        reopen_queue(c);
    struct crew crew = check_crew(c);
    give_out(c, &crew);
    give_out_again(c, &crew);
    if (take_results(c)) {
        judge_parts(c);
        return;
    }
    if (c->results && !bus_is_away(c->o->bus)) { // the server has forgotten the consumer
        bus_queue_close(c->results, false);
        c->results = NULL;
    }
    nanosleep(&(struct timespec){.tv_nsec = AWAY_MS * 1000000}, NULL);
    judge_parts(c);
}

static void free_coordinator(struct coordinator *c)
{
    for (int i = 0; i < c->parts; i++) {
        c->report->wasted += c->part[i].result ? c->part[i].count : 0;
        free(c->part[i].result);
    }
    while (c->spares > 0)
        free(c->spare[--c->spares]);
    free(c->part);
    free(c->judged);
    free(c->plan_text.at);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

bool coordinator_play(const struct coordinator_options *o, struct coordinator_report *out, char why[WORKERS_WHY])
{
    struct coordinator *c = calloc(1, sizeof *c);
    *out = (struct coordinator_report){0};
    if (!c || !(c->part = calloc(MOST_PARTS, sizeof *c->part))) {
        free(c);
        snprintf(why, WORKERS_WHY, "no memory");
        return false;
    }
    c->o = o;
    c->report = out;
    c->contest = o->run->contest;
    c->plan = &c->contest->plan;
    c->fresh = c->contest->handed_in == 0;
    c->fingerprint = contest_fingerprint(c->plan);
    c->plan_text.grow = heap_text_grow;
    c->began_us = loop_now_us();
    c->returns = bus_reconnects(o->bus);
    pthread_mutex_init(&c->lock, NULL);
    workers_write_plan(&c->plan_text, o->run);
    choose_id(c);
    if (open_all(c))
        while (!contest_is_done(c->contest) && !atomic_load(&o->run->stop) && !c->failed)
            run_turn(c);
    leave_bus(c);
    out->refusals = c->refusals;
    bool played = !c->failed;
    snprintf(why, WORKERS_WHY, "%s", c->why);
    free_coordinator(c);
    return played;
}
