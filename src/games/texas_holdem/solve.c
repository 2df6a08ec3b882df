#include "games/texas_holdem/solve.h"

#include "base/hash.h"
#include "games/texas_holdem/bots/blueprint.h"
#include "games/texas_holdem/trainer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_THREADS = 64,
    SLICE = 20,
    REPORTS = 10,
    MINUTE_REPORT = 500,
    VALUE_BLOCKS = 50,
    MOST_BOARDS = 4000,
    EXACT_FROM = 1000
};
enum { FILL_CHUNK = 64, BOARD_CHUNK = 32 };

struct work {
    const struct solve_job *job;
    struct training_deals deals;
    struct push_fold_count count;
    struct push_fold_odds odds;
    struct trainer *train[BETTING_DEPTHS];
    struct span kept[BETTING_DEPTHS]; // finished by an earlier run
    uint32_t kept_iterations[BETTING_DEPTHS];
    struct bucket_cuts cuts; // of that run, where there was one
    uint64_t blocks;         // to do; 0: until stopped
    uint32_t boards;
    int threads;
    atomic_uint next;
    atomic_bool stop;
    pthread_mutex_t lock; // of progress and sums
};

struct thread {
    struct work *work;
    int number;
};

// With NULL it only asks whether to stop.
static void report_line(struct work *w, const char *line)
{
    pthread_mutex_lock(&w->lock);
    if (w->job->progress && w->job->progress(w->job->owner, line))
        atomic_store(&w->stop, true);
    pthread_mutex_unlock(&w->lock);
}

static void run_threads(struct work *w, void *(*body)(void *))
{
    pthread_t id[MAX_THREADS];
    struct thread thread[MAX_THREADS];
    int started = 0;
    atomic_store(&w->next, 0);
    for (; started < w->threads; started++) {
        thread[started] = (struct thread){w, started};
        if (pthread_create(&id[started], NULL, body, &thread[started]) != 0)
            abort();
    }
    for (int i = 0; i < started; i++)
        pthread_join(id[i], NULL);
}

// ---- What the training needs ----------------------------------------------------------------------------------------

// Of large runs all, of others samples.
static void *count_boards(void *arg)
{
    struct work *w = ((struct thread *)arg)->work;
    struct push_fold_count *own = calloc(1, sizeof *own);
    if (!own)
        abort();
    bool all = w->boards >= EXACT_FROM;
    for (uint32_t lowest; all && (lowest = atomic_fetch_add(&w->next, 1)) < PUSH_FOLD_LOWEST;)
        push_fold_count_all(own, (uint8_t)lowest, (uint8_t)(lowest + 1));
    for (uint32_t from; !all && (from = atomic_fetch_add(&w->next, BOARD_CHUNK)) < w->boards;) {
        uint32_t to = from + BOARD_CHUNK;
        push_fold_count_boards(own, w->job->seed, from, to < w->boards ? to : w->boards);
    }
    pthread_mutex_lock(&w->lock);
    push_fold_count_add(&w->count, own);
    pthread_mutex_unlock(&w->lock);
    free(own);
    return NULL;
}

// Against any hand, in 255ths.
static void find_equity(const struct push_fold_odds *o, uint8_t out[BUCKET_CLASSES])
{
    for (int i = 0; i < BUCKET_CLASSES; i++) {
        double sum = 0, pairs = 0;
        for (int j = 0; j < BUCKET_CLASSES; j++) {
            sum += (double)(o->pairs[i][j] * o->equity[i][j]);
            pairs += (double)o->pairs[i][j];
        }
        out[i] = (uint8_t)(255 * sum / pairs + 0.5);
    }
}

static void *fill_deals(void *arg)
{
    struct work *w = ((struct thread *)arg)->work;
    for (uint32_t from; (from = atomic_fetch_add(&w->next, FILL_CHUNK)) < w->deals.sets;) {
        uint32_t to = from + FILL_CHUNK;
        training_deals_fill(&w->deals, from, to < w->deals.sets ? to : w->deals.sets);
    }
    return NULL;
}

static uint32_t clamp(uint64_t value, uint32_t least, uint32_t most)
{
    return value < least ? least : value > most ? most : (uint32_t)value;
}

static bool has_training(const struct work *w)
{
    for (int i = 0; i < BETTING_DEPTHS; i++)
        if (w->train[i])
            return true;
    return false;
}

// Small runs have less of everything, so that a test can afford one. An earlier run with other cuts than this one has
// learnt of other buckets: it cannot go on here.
static int prepare(struct work *w)
{
    const struct solve_job *job = w->job;
    uint64_t iterations = job->iterations ? job->iterations : UINT64_MAX;
    uint8_t equity[BUCKET_CLASSES];
    w->threads = job->threads < MAX_THREADS ? job->threads : MAX_THREADS;
    w->blocks = job->iterations ? (job->iterations + TRAINER_BLOCK - 1) / TRAINER_BLOCK : 0;
    w->boards = clamp(iterations / 1000, 40, MOST_BOARDS);
    w->deals.seed = job->seed;
    w->deals.sets = clamp(iterations / TRAINING_DEALS_IN_SET, 64, TRAINING_DEALS_MAX_SETS);
    w->deals.cut_sets = clamp(iterations / 1000, 20, TRAINING_DEALS_CUT_SETS);
    w->deals.at = malloc((size_t)w->deals.sets * TRAINING_DEALS_IN_SET * sizeof *w->deals.at);
    if (!w->deals.at)
        abort();
    training_deals_cut(&w->deals);
    if (job->before.size && memcmp(&w->cuts, &w->deals.cuts, sizeof w->cuts) != 0)
        return ERR_FORMAT;
    run_threads(w, count_boards);
    push_fold_find_odds(&w->odds, &w->count);
    report_line(w, "odds before the flop are counted");
    if (!has_training(w)) // all sections were finished before: only what is counted is computed again
        return OK;
    find_equity(&w->odds, equity);
    run_threads(w, fill_deals);
    for (size_t i = 0; i < (size_t)w->deals.sets * TRAINING_DEALS_IN_SET; i++)
        for (int role = 0; role < 2; role++)
            w->deals.at[i].equity[0][role] = equity[w->deals.at[i].bucket[0][role]];
    report_line(w, "cards are dealt");
    return OK;
}

// ---- Training -------------------------------------------------------------------------------------------------------

// Small trees need less.
static uint64_t blocks_of(const struct work *w, int i)
{
    return (w->blocks * (uint64_t)betting_depth[i] + (uint64_t)betting_depth[BETTING_DEPTHS - 1] - 1) /
           (uint64_t)betting_depth[BETTING_DEPTHS - 1];
}

static bool is_done(const struct work *w, int i)
{
    return !w->train[i] || (w->blocks && w->train[i]->blocks >= blocks_of(w, i));
}

static void train_slice(struct work *w, int i)
{
    struct trainer *t = w->train[i];
    uint64_t every = w->blocks ? (blocks_of(w, i) + REPORTS - 1) / REPORTS : MINUTE_REPORT;
    for (int k = 0; k < SLICE && !is_done(w, i) && !atomic_load(&w->stop); k++) {
        trainer_block(t);
        report_line(w, NULL);
        if (t->blocks % every && t->blocks != blocks_of(w, i))
            continue;
        char line[160];
        snprintf(line, sizeof line, "%d big blinds: %ju iterations, the button wins %.3f", t->depth,
                 (uintmax_t)t->blocks * TRAINER_BLOCK,
                 trainer_value(t, t->blocks < VALUE_BLOCKS ? t->blocks : VALUE_BLOCKS));
        report_line(w, line);
    }
}

// Each depth has one thread, so the result does not depend on their number.
static void *train_depths(void *arg)
{
    struct thread *t = arg;
    struct work *w = t->work;
    for (bool busy = true; busy && !atomic_load(&w->stop);) {
        busy = false;
        for (int i = BETTING_DEPTHS - 1 - t->number; i >= 0; i -= w->threads)
            if (!is_done(w, i)) {
                busy = true;
                train_slice(w, i);
            }
    }
    return NULL;
}

static int take_before(struct work *w)
{
    struct span before = w->job->before;
    struct blueprint b;
    if (before.size &&
        (!blueprint_open(&b, before.at, before.size) || !blueprint_is_sound(&b) || b.facts.seed != w->job->seed))
        return ERR_FORMAT;
    if (before.size)
        w->cuts = b.facts.cuts;
    for (int i = 0; i < BETTING_DEPTHS; i++) {
        struct blueprint_section s = before.size ? b.facts.section[i] : (struct blueprint_section){0};
        struct span bytes = {before.at + s.at, s.size};
        if (s.finished) {
            w->kept[i] = bytes;
            w->kept_iterations[i] = s.iterations;
            continue;
        }
        w->train[i] = trainer_create(betting_depth[i], w->job->seed, &w->deals, &w->odds);
        if (s.size && !trainer_load(w->train[i], bytes))
            return ERR_FORMAT;
    }
    return OK;
}

// ---- The file -------------------------------------------------------------------------------------------------------

static void fill_facts(const struct work *w, struct blueprint_facts *f)
{
    struct push_fold_lists lists;
    *f = (struct blueprint_facts){.seed = w->job->seed, .cuts = w->deals.cuts};
    push_fold_solve(&w->odds, &lists);
    memcpy(f->push, lists.push, sizeof f->push);
    memcpy(f->call, lists.call, sizeof f->call);
    find_equity(&w->odds, f->equity);
}

static void write_table(struct work *w, struct text *out)
{
    char head[BLUEPRINT_HEAD] = "AGONHLD2 ";
    struct blueprint_facts f;
    struct text body = {.grow = out->grow};
    fill_facts(w, &f);
    for (int i = 0; i < BETTING_DEPTHS; i++) {
        struct blueprint_section *s = &f.section[i];
        struct trainer *t = w->train[i];
        *s = (struct blueprint_section){.at = (uint32_t)(BLUEPRINT_HEAD + sizeof f + body.size)};
        s->finished = is_done(w, i) || !w->blocks;
        s->iterations = t ? (uint32_t)(t->blocks * TRAINER_BLOCK) : w->kept_iterations[i];
        if (!t)
            text_put(&body, w->kept[i]);
        else if (s->finished)
            trainer_pack(t, &body);
        else
            trainer_save(t, &body);
        s->size = (uint32_t)(BLUEPRINT_HEAD + sizeof f + body.size) - s->at;
    }
    f.hash = hash_bytes(body.at, body.size);
    snprintf(head + 9, sizeof head - 9, "%s", w->job->command);
    text_put(out, (struct span){head, sizeof head});
    text_put(out, (struct span){(const char *)&f, sizeof f});
    text_put(out, text_span(&body));
    out->full |= body.full;
    free(body.at);
}

static int solve(const struct solve_job *job, struct text *out)
{
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->job = job;
    pthread_mutex_init(&w->lock, NULL);
    int err = take_before(w);
    if (err == OK)
        err = prepare(w);
    if (err == OK) {
        run_threads(w, train_depths);
        write_table(w, out);
    }
    for (int i = 0; i < BETTING_DEPTHS; i++)
        if (w->train[i])
            trainer_destroy(w->train[i]);
    free(w->deals.at);
    pthread_mutex_destroy(&w->lock);
    free(w);
    return err;
}

const struct solve_facts texas_holdem_solve = {.unit = "bb/100", .solve = solve, .exploit = holdem_exploit};
