#include "front/arena/analyses.h"

#include "analysis/analysis.h"
#include "games/games.h"
#include "heap/heap.h"
#include "work/thread_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1, ADDRESS = 64 }; // one seed, so that every node finds the same

struct stored_analysis {
    struct pool_piece piece;
    struct uuid id;
    char address[ADDRESS];
    uint8_t key[RNG_KEY_BYTES];
    struct text log;
    const atomic_bool *stop;
    // Written by the thread, read by the loop while it runs; everything else is the loop's before and after.
    atomic_uint done, all;
    struct text json; // the thread's until it has ended; empty: it failed
    bool ended;       // set on the loop when the thread has returned the piece; from then on `json` is the loop's
    uint64_t used;    // value of analyses.clock at the last request for it
};

struct analyses {
    struct thread_pool *thread;
    atomic_bool stop;
    struct stored_analysis *at[ANALYSES_KEPT];
    int count;
    size_t most; // bytes of results but the last one
    uint64_t clock;
};

struct analyses *analyses_create(size_t most)
{
    struct analyses *a = calloc(1, sizeof *a);
    if (!a)
        abort();
    // One (067): of the threads of work_offload, four analyses would keep house players waiting for minutes.
    a->thread = thread_pool_create(1);
    a->most = most;
    return a;
}

int analyses_descriptor(const struct analyses *a)
{
    return thread_pool_descriptor(a->thread);
}

static void free_analysis(struct stored_analysis *x)
{
    free(x->log.at);
    free(x->json.at);
    free(x);
}

void analyses_destroy(struct analyses *a)
{
    if (!a)
        return;
    atomic_store(&a->stop, true);
    thread_pool_destroy(a->thread);
    for (int i = 0; i < a->count; i++)
        free_analysis(a->at[i]);
    free(a);
}

// --- the thread

static const struct game_kit *find_game(struct loaded_replay *t)
{
    return games_find(t->head.game);
}

static void note_progress(void *owner, uint32_t done, uint32_t all)
{
    struct stored_analysis *x = owner;
    atomic_store(&x->done, done);
    atomic_store(&x->all, all);
}

// Seats have no names: the page has those, and it could not find foreign names in the sentences again.
static void run_analysis(void *arg)
{
    struct stored_analysis *x = arg;
    char path[UUID_TEXT + 8];
    struct analysis a;
    struct loaded_replay t = {.path = path, .file = text_span(&x->log)};
    struct analysis_options o = {.seed = SEED, .threads = 1, .progress = note_progress, .owner = x, .stop = x->stop};
    uuid_format(path, x->id);
    memcpy(path + UUID_TEXT, ".agon", sizeof ".agon");
    if (atomic_load(x->stop) || !loaded_replay_read(&t, find_game, x->key))
        return;
    memset(t.head.name, 0, sizeof t.head.name);
    if (analysis_open(&a, &t, &o) != OK)
        return;
    if (analysis_run(&a))
        analysis_write_json(&a, &x->json);
    analysis_close(&a);
}

// --- the loop

static struct stored_analysis *find_analysis(struct analyses *a, struct uuid id)
{
    for (int i = 0; i < a->count; i++)
        if (uuid_equals(a->at[i]->id, id))
            return a->at[i];
    return NULL;
}

static bool is_busy(const struct analyses *a, const char *address)
{
    int all = 0, own = 0;
    for (int i = 0; i < a->count; i++)
        if (!a->at[i]->ended) {
            all++;
            own += address && strncmp(a->at[i]->address, address, ADDRESS - 1) == 0;
        }
    return all >= ANALYSES_WAITING || own >= ANALYSES_OF_ONE;
}

// Drops the result that was requested longest ago. Returns false if all are still under way.
static bool drop_oldest(struct analyses *a)
{
    struct stored_analysis **oldest = NULL;
    for (int i = 0; i < a->count; i++)
        if (a->at[i]->ended && (!oldest || a->at[i]->used < (*oldest)->used))
            oldest = &a->at[i];
    if (!oldest)
        return false;
    free_analysis(*oldest);
    *oldest = a->at[--a->count];
    return true;
}

// Drops the least recently requested results until the others fit; the last one stays whatever its size.
static void limit_results(struct analyses *a)
{
    size_t bytes;
    do {
        bytes = 0;
        for (int i = 0; i < a->count; i++)
            bytes += a->at[i]->ended && a->at[i]->used < a->clock ? a->at[i]->json.size : 0;
    } while (bytes > a->most && drop_oldest(a));
}

static struct stored_analysis *start_analysis(struct analyses *a, const struct analyses_match *match)
{
    struct stored_analysis *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    x->piece = (struct pool_piece){.run = run_analysis, .arg = x};
    x->id = match->id;
    snprintf(x->address, sizeof x->address, "%s", match->address ? match->address : "");
    memcpy(x->key, match->key, sizeof x->key);
    x->log.grow = x->json.grow = heap_text_grow;
    text_put(&x->log, match->log);
    x->stop = &a->stop;
    if (a->count == ANALYSES_KEPT)
        drop_oldest(a); // fewer are under way than there are places
    a->at[a->count++] = x;
    thread_pool_add(a->thread, &x->piece);
    return x;
}

struct analyses_answer analyses_ask(struct analyses *a, const struct analyses_match *match)
{
    for (struct pool_piece *p; (p = thread_pool_take(a->thread, false));) {
        struct stored_analysis *ended = p->arg;
        ended->ended = true;
        free(ended->log.at);
        ended->log = (struct text){0};
    }
    struct stored_analysis *x = find_analysis(a, match->id);
    if (!x && is_busy(a, match->address))
        return (struct analyses_answer){.state = ANALYSES_BUSY};
    if (!x)
        x = start_analysis(a, match);
    x->used = ++a->clock;
    limit_results(a);
    if (!x->ended)
        return (struct analyses_answer){
            .state = ANALYSES_RUNNING, .done = atomic_load(&x->done), .all = atomic_load(&x->all)};
    if (!x->json.size)
        return (struct analyses_answer){.state = ANALYSES_FAILED};
    return (struct analyses_answer){.state = ANALYSES_DONE, .json = text_span(&x->json)};
}
