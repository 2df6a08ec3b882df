// Evaluates all decisions on threads, evaluates the costliest ones again, and sums up.
#include "analysis/internal.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// DECIDED, AGAIN: first words of keys. The second look draws other worlds, so that it is not misled by the same luck.
enum { MAX_THREADS = 64, DECIDED = 22, AGAIN = 23 };

struct job {
    uint32_t decision;
    bool again; // with twice the work, and words
};

struct work {
    struct analysis *a;
    struct job *job;
    uint32_t count, work; // jobs; of each of them, 0: as usual
    atomic_uint next;     // job that no thread has taken
    pthread_mutex_t lock; // of `done` and the owner's progress
    uint32_t done, all;   // jobs of both looks; `all` is an upper bound
};

static struct rng dice_of(const struct analysis *a, uint32_t kind, uint64_t step)
{
    uint64_t seed = a->options.seed;
    return (struct rng){.key = {kind, (uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)step, (uint32_t)(step >> 32)}};
}

static uint32_t double_work(const struct analysis *a, const struct analysis_decision *d)
{
    const struct analysis_facts *f = facts_of(a->kit);
    uint32_t usual = a->options.work ? a->options.work : f->work;
    if (!usual)
        usual = a->options.reference->weigh ? 8 : (uint32_t)d->verdict.worlds;
    return 2 * usual;
}

static void evaluate_job(struct work *w, const struct job *j)
{
    struct analysis *a = w->a;
    struct analysis_decision *d = &a->decision[j->decision];
    const struct bot *reference = a->options.reference;
    if (!j->again) {
        d->verdict =
            analysis_evaluate(d->question, reference, d->played, w->work, dice_of(a, DECIDED, d->step), NULL, NULL);
        d->first_loss = d->verdict.loss;
        if (d->differs)
            d->other_verdict =
                analysis_evaluate(d->question, reference, d->other, w->work, dice_of(a, DECIDED, d->step), NULL, NULL);
        return;
    }
    char said[ANALYSIS_WORDS];
    struct text words = text_on(said, sizeof said - 1);
    d->verdict = analysis_evaluate(d->question, reference, d->played, double_work(a, d), dice_of(a, AGAIN, d->step),
                                   &words, (const char *const *)a->name);
    said[words.size] = 0;
    free(d->words);
    d->words = words.size ? strdup(said) : NULL;
}

static void *take_jobs(void *arg)
{
    struct work *w = arg;
    for (uint32_t i; !is_stopped(&w->a->options) && (i = atomic_fetch_add(&w->next, 1)) < w->count;) {
        evaluate_job(w, &w->job[i]);
        pthread_mutex_lock(&w->lock);
        w->done++;
        if (w->a->options.progress)
            w->a->options.progress(w->a->options.owner, w->done, w->all);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

static void do_jobs(struct work *w)
{
    pthread_t thread[MAX_THREADS];
    int started = 0, wanted = w->a->options.threads < MAX_THREADS ? w->a->options.threads : MAX_THREADS;
    atomic_store(&w->next, 0);
    while (started + 1 < wanted && (uint32_t)started + 1 < w->count &&
           pthread_create(&thread[started], NULL, take_jobs, w) == 0)
        started++;
    take_jobs(w);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

// ---- The costliest --------------------------------------------------------------------------------------------------

// N20.4: five of each seat that cost something.
static void find_worst(struct analysis *a)
{
    memset(a->worst_count, 0, sizeof a->worst_count);
    for (uint32_t i = 0; i < a->decisions; i++) {
        const struct analysis_decision *d = &a->decision[i];
        uint32_t *worst = a->worst[d->seat];
        int *count = &a->worst_count[d->seat];
        if (!d->question || d->verdict.loss <= 0)
            continue;
        int at = *count < ANALYSIS_WORST ? (*count)++ : ANALYSIS_WORST;
        for (; at > 0 && a->decision[worst[at - 1]].verdict.loss < d->verdict.loss; at--)
            if (at < ANALYSIS_WORST)
                worst[at] = worst[at - 1];
        if (at < ANALYSIS_WORST)
            worst[at] = i;
    }
}

// After the second look: those that are none drop out, the others are in order again.
static void sort_worst(struct analysis *a, int seat)
{
    uint32_t *worst = a->worst[seat];
    int kept = 0;
    for (int i = 0; i < a->worst_count[seat]; i++)
        if (a->decision[worst[i]].verdict.loss > 0)
            worst[kept++] = worst[i];
    a->worst_count[seat] = kept;
    for (int i = 1; i < kept; i++)
        for (int at = i; at > 0 && a->decision[worst[at]].verdict.loss > a->decision[worst[at - 1]].verdict.loss;
             at--) {
            uint32_t swap = worst[at];
            worst[at] = worst[at - 1];
            worst[at - 1] = swap;
        }
}

static void look_again(struct work *w)
{
    struct analysis *a = w->a;
    w->count = 0;
    find_worst(a);
    for (int s = 0; s < a->seats; s++)
        for (int i = 0; i < a->worst_count[s]; i++)
            w->job[w->count++] = (struct job){a->worst[s][i], true};
    do_jobs(w);
    for (int s = 0; s < a->seats; s++)
        sort_worst(a, s);
}

// ---- Sums -----------------------------------------------------------------------------------------------------------

// How the loss of one seat counts for another: partners share it, opponents win it.
static double loss_effect(const struct analysis *a, int loser, int seat)
{
    bool partners = a->kit->game->teams == 2 && loser % 2 == seat % 2;
    if (loser == seat || partners)
        return -1;
    return a->kit->game->teams == 2 ? 1 : 1.0 / (a->seats - 1);
}

static void add_decision(struct analysis *a, const struct analysis_decision *d)
{
    struct analysis_seat *own = &a->seat[d->seat];
    const struct analysis_verdict *v = &d->verdict;
    own->decisions++;
    if (!d->question)
        return;
    own->choices++;
    own->mistakes += v->mistake;
    for (int s = 0; s < a->seats; s++) {
        double e = loss_effect(a, d->seat, s);
        double *sum = s == d->seat ? &a->seat[s].own : &a->seat[s].others;
        double *variance = s == d->seat ? &a->seat[s].own_variance : &a->seat[s].others_variance;
        *sum += e * v->loss;
        *variance += e * e * v->error * v->error;
    }
}

static void add_results(struct analysis *a)
{
    for (uint32_t i = 0; i < a->parts; i++) {
        double gain[GAME_MAX_SEATS] = {0};
        analysis_gain(a->kit, &a->part[i], &a->part[i + 1], a->seats, gain);
        for (int s = 0; s < a->seats; s++)
            a->seat[s].result += gain[s];
    }
}

static void add_up(struct analysis *a)
{
    double luck[GAME_MAX_SEATS] = {0}, doubt[GAME_MAX_SEATS] = {0};
    memset(a->seat, 0, sizeof a->seat);
    for (uint32_t i = 0; i < a->decisions; i++)
        add_decision(a, &a->decision[i]);
    add_results(a);
    if (!a->options.no_luck)
        analysis_luck(a->kit, a->replay, 0, &a->options, luck, doubt);
    for (int s = 0; s < a->seats; s++) {
        struct analysis_seat *x = &a->seat[s];
        x->luck = luck[s];
        x->luck_variance = doubt[s];
        x->rest = x->result - x->own - x->others - x->luck;
    }
}

bool analysis_run(struct analysis *a)
{
    struct work w = {.a = a, .work = a->options.work, .lock = PTHREAD_MUTEX_INITIALIZER};
    w.job = calloc(a->decisions + GAME_MAX_SEATS * ANALYSIS_WORST, sizeof *w.job);
    if (!w.job)
        abort();
    for (uint32_t i = 0; i < a->decisions; i++)
        if (a->decision[i].question)
            w.job[w.count++] = (struct job){i, false};
    w.all = w.count + (uint32_t)a->seats * ANALYSIS_WORST;
    do_jobs(&w);
    look_again(&w);
    free(w.job);
    add_up(a);
    return !is_stopped(&a->options);
}
