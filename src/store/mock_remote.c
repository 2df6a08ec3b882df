// The store of mock_remote.h. A thread reads the script, and wakes the caller's thread while a read waits; everything
// else happens on the caller's thread.
#include "store/mock_remote.h"

#include "store/internal.h"
#include "store/refusals.h"
#include "work/work.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 1 };

struct waiting { // on the stack of the waiting job
    TAILQ_ENTRY(waiting) link;
    struct work_waiters job;
    int64_t asked_ms, until_ms;
    uint32_t share; // of the delay, in thousandths
    bool answered;
};

struct mock {
    TAILQ_HEAD(, waiting) all;
    struct refusals refused;
    struct store_mock now; // in force now
    uint64_t chance;
    uint32_t refused_begins, refused_finishes;
    bool given_up;

    pthread_t thread;
    bool has_thread;
    atomic_bool stop;
    atomic_uint waiting;
    pthread_mutex_t lock;
    struct store_mock script;
    char *path; // NULL: no script
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// --- the thread

static void read_script(struct mock *t)
{
    char words[256] = "";
    struct store_mock next = {0};
    unsigned mixed = 0, away = 0;
    FILE *f = fopen(t->path, "re");
    if (!f)
        return;
    size_t size = fread(words, 1, sizeof words - 1, f);
    fclose(f);
    words[size] = 0;
    if (sscanf(words, "delay=%u mixed=%u away=%u begins=%u finishes=%u", &next.delay_ms, &mixed, &away, &next.begins,
               &next.finishes) != 5)
        return; // the file is being written
    next.mixed = mixed;
    next.away = away;
    pthread_mutex_lock(&t->lock);
    t->script = next;
    pthread_mutex_unlock(&t->lock);
}

static void *run_thread(void *arg)
{
    struct store *s = arg;
    struct mock *t = s->mock;
    const uint64_t one = 1;
    while (!atomic_load(&t->stop)) {
        if (t->path)
            read_script(t);
        bool news = t->path || atomic_load(&t->waiting) > 0;
        while (news && write(s->event, &one, sizeof one) < 0 && errno == EINTR)
            ;
        poll(NULL, 0, TICK_MS);
    }
    return NULL;
}

// --- the caller's thread

static struct mock *get_mock(struct store *s)
{
    if (s->mock)
        return s->mock;
    struct mock *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    TAILQ_INIT(&t->all);
    TAILQ_INIT(&t->refused);
    t->chance = 1;
    pthread_mutex_init(&t->lock, NULL);
    s->mock = t;
    return t;
}

static void start_thread(struct store *s)
{
    struct mock *t = s->mock;
    if (!t->has_thread && pthread_create(&t->thread, NULL, run_thread, s) != 0)
        abort();
    t->has_thread = true;
}

void store_set_mock(struct store *s, const struct store_mock *t)
{
    get_mock(s)->script = *t;
    s->mock->now = *t;
    s->away = t->away;
    start_thread(s);
}

void store_set_mock_file(struct store *s, const char *path)
{
    struct mock *t = get_mock(s);
    t->path = strdup(path);
    if (!t->path)
        abort();
    read_script(t);
    t->now = t->script;
    start_thread(s);
}

void store_end_mock(struct store *s)
{
    struct mock *t = s->mock;
    if (!t)
        return;
    lite_give_up(s);
    atomic_store(&t->stop, true);
    if (t->has_thread)
        pthread_join(t->thread, NULL);
    refusals_release(&t->refused);
    pthread_mutex_destroy(&t->lock);
    free(t->path);
    free(t);
    s->mock = NULL;
}

static uint32_t draw_share(struct mock *t)
{
    t->chance = t->chance * 6364136223846793005u + 1442695040888963407u;
    return t->now.mixed ? (uint32_t)(t->chance >> 33) % 1001 : 1000;
}

static bool is_due(const struct store_mock *script, const struct waiting *w, int64_t now)
{
    return !script->away && now >= w->asked_ms + (int64_t)script->delay_ms * w->share / 1000;
}

static void end_wait(struct store *s, struct waiting *w, bool answered)
{
    w->answered = answered;
    TAILQ_REMOVE(&s->mock->all, w, link);
    atomic_fetch_sub(&s->mock->waiting, 1);
    work_wake(s->options.work, &w->job);
}

void store_collect_mock(struct store *s)
{
    struct mock *t = s->mock;
    int64_t now = now_ms();
    pthread_mutex_lock(&t->lock);
    t->now = t->script;
    pthread_mutex_unlock(&t->lock);
    bool back = s->away && !t->now.away;
    s->away = t->now.away;
    if (back)
        lite_submit(s);
    for (struct waiting *w = TAILQ_FIRST(&t->all), *next; w; w = next) {
        next = TAILQ_NEXT(w, link);
        if (is_due(&t->now, w, now))
            end_wait(s, w, true);
        else if (t->given_up || (s->away && now >= w->until_ms))
            end_wait(s, w, false);
    }
}

void lite_give_up(struct store *s)
{
    if (!s->mock)
        return;
    s->mock->given_up = true;
    for (struct waiting *w; (w = TAILQ_FIRST(&s->mock->all));)
        end_wait(s, w, false);
}

static bool wait_in_job(struct store *s, struct waiting *w)
{
    struct mock *t = s->mock;
    TAILQ_INSERT_TAIL(&t->all, w, link);
    atomic_fetch_add(&t->waiting, 1);
    work_sleep(s->options.work, &w->job);
    return w->answered;
}

// No other job runs meanwhile, so only the script can end the wait.
static bool block_thread(struct store *s, const struct waiting *w)
{
    struct mock *t = s->mock;
    s->blocked++;
    for (int64_t now; (now = now_ms()) < w->until_ms; poll(NULL, 0, TICK_MS)) {
        pthread_mutex_lock(&t->lock);
        struct store_mock script = t->script;
        pthread_mutex_unlock(&t->lock);
        if (is_due(&script, w, now))
            return true;
    }
    return false;
}

bool store_await_answer(struct store *s)
{
    struct mock *t = s->mock;
    int64_t now = now_ms();
    struct waiting w = {.asked_ms = now, .until_ms = now + STORE_PATIENCE_MS, .share = draw_share(t)};
    bool answered = !t->given_up && (work_is_inside(s->options.work) ? wait_in_job(s, &w) : block_thread(s, &w));
    s->unanswered += !answered;
    return answered;
}

// --- refusing

bool store_refuse_begin(struct store *s, struct uuid match, store_ticket ticket)
{
    struct mock *t = s->mock;
    if (!t || t->refused_begins >= t->now.begins)
        return false;
    t->refused_begins++;
    refusals_add(&t->refused, (struct store_refusal){ticket, match, STORE_NO_PLACE});
    return true;
}

static bool has_agent(const struct refusal *r, struct uuid agent)
{
    for (int i = 0; i < r->seats; i++)
        if (uuid_equals(r->agent[i], agent))
            return true;
    return false;
}

// A result computed from ratings of a refused one is refused as well (S41). The owner that has taken the refusal knows
// these ratings, and names no version of them.
static bool builds_on_refused(const struct mock *t, const struct store_match *m, const struct store_rating *ratings,
                              int count)
{
    const struct refusal *r;
    TAILQ_FOREACH(r, &t->refused, link)
        for (int i = 0; i < m->seats && r->ends && !r->taken; i++)
            if (has_agent(r, m->seat[i].agent))
                return true;
    for (int i = 0; i < count; i++)
        if (ratings[i].version >= STORE_NO_VERSION)
            return true;
    return false;
}

bool store_refuse_finish(struct store *s, const struct store_match *m, const struct store_rating *ratings, int count,
                         store_ticket ticket)
{
    struct mock *t = s->mock;
    if (!t || m->status != STORE_FINISHED)
        return false;
    bool moved = builds_on_refused(t, m, ratings, count);
    if (!moved && t->refused_finishes >= t->now.finishes)
        return false;
    t->refused_finishes += !moved;
    struct refusal *r = refusals_add(&t->refused, (struct store_refusal){ticket, m->id, STORE_MOVED});
    r->ends = true;
    for (; r->seats < m->seats; r->seats++)
        r->agent[r->seats] = m->seat[r->seats].agent;
    return true;
}

store_ticket store_put_refused(struct store *s, const struct store_entry *e)
{
    store_put(s, RECORD_REFUSED, 0);
    store_ticket ticket = s->last;
    if (e)
        lite_put_entry(s, e);
    return ticket;
}

store_ticket store_limit_durable(struct store *s, store_ticket durable)
{
    return refusals_limit_durable(&s->mock->refused, durable);
}

bool lite_may_refuse(const struct store *s)
{
    return s->mock != NULL;
}

// The owner reads the ratings of this match again, so results computed from them follow no other refusal either.
static void forget_agents(struct mock *t, struct uuid match)
{
    const struct refusal *taken = TAILQ_FIRST(&t->refused);
    struct refusal *r;
    while (!uuid_equals(taken->refusal.match, match))
        taken = TAILQ_NEXT(taken, link);
    TAILQ_FOREACH(r, &t->refused, link)
        for (int i = 0; i < r->seats && r != taken; i++)
            if (has_agent(taken, r->agent[i]))
                r->agent[i] = (struct uuid){0};
}

bool lite_take_refusal(struct store *s, struct store_refusal *out)
{
    if (!s->mock || s->away || !refusals_take(&s->mock->refused, atomic_load(&s->durable), out))
        return false;
    forget_agents(s->mock, out->match);
    return true;
}

void lite_settle(struct store *s, store_ticket refused, store_ticket instead)
{
    refusals_settle(&s->mock->refused, refused, instead);
}
