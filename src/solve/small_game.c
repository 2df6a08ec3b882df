#include "solve/small_game.h"

#include "solve/policy.h"

#include <assert.h>
#include <string.h>

enum { SLICE = 50 }; // iterations between two questions whether to stop

void small_game_build_tree(struct game_tree *t, const struct game *g, const struct solve_facts *f)
{
    union game_rules rules;
    union game_state state;
    memset(t, 0, sizeof *t);
    t->game = g;
    g->defaults(&rules);
    for (int i = 0; f->deal(i, &rules); i++) {
        int err = g->init(&state, &rules, g->min_seats, (struct rng){0}, NULL);
        assert(err == OK);
        (void)err;
        tree_add(t, &state);
    }
}

static bool report_progress(struct game_tree *t, const struct solve_job *job)
{
    char line[160];
    struct text out = text_on(line, sizeof line - 1);
    text_put_int(&out, t->iterations);
    text_puts(&out, " iterations, value of the first seat ");
    text_put_decimal(&out, tree_value(t), 6);
    text_puts(&out, ", exploitability ");
    text_put_decimal(&out, tree_exploit(t), 6);
    line[out.size] = 0;
    return job->progress && job->progress(job->owner, line);
}

// Sets that look different and play alike (suits) have one row: the mean of their strategies.
struct row {
    uint64_t key;
    double share[TREE_CHOICES];
    int count, sets;
};

static int gather(const struct game_tree *t, const struct solve_facts *f, struct row rows[TREE_SETS])
{
    int n = 0;
    for (int i = 0; i < t->sets; i++) {
        const struct tree_set *s = &t->set[i];
        uint64_t key = f->key(&s->view);
        int at = n;
        while (at > 0 && rows[at - 1].key >= key)
            at--;
        if (at == n || rows[at].key != key) {
            memmove(&rows[at + 1], &rows[at], (size_t)(n++ - at) * sizeof *rows);
            rows[at] = (struct row){.key = key, .count = s->count};
        }
        for (int c = 0; c < s->count; c++)
            rows[at].share[c] += s->p[c];
        rows[at].sets++;
    }
    return n;
}

static void write_policy(const struct game_tree *t, const struct solve_facts *f, const char *made, struct text *out)
{
    struct row rows[TREE_SETS + 1];
    uint32_t n = (uint32_t)gather(t, f, rows);
    policy_write_head(out, made);
    text_put(out, (struct span){(const char *)&n, sizeof n});
    for (uint32_t i = 0; i < n; i++) {
        for (int c = 0; c < rows[i].count; c++)
            rows[i].share[c] /= rows[i].sets;
        policy_write_row(out, rows[i].key, rows[i].share, rows[i].count);
    }
}

void small_game_solve(struct game_tree *t, const struct solve_facts *f, const struct solve_job *job, struct text *out)
{
    int64_t due = SLICE; // a line whenever the work has doubled, and at the end
    bool stop = false, done = false;
    while (!stop && !done) {
        uint64_t left = job->iterations ? job->iterations - (uint64_t)t->iterations : SLICE;
        tree_solve(t, left < SLICE ? (int)left : SLICE);
        done = job->iterations && (uint64_t)t->iterations >= job->iterations;
        stop = job->progress && job->progress(job->owner, NULL);
        if (done || stop || t->iterations >= due) {
            due = 2 * (int64_t)t->iterations;
            stop |= report_progress(t, job);
        }
    }
    write_policy(t, f, job->command, out);
}

int small_game_exploit(struct game_tree *t, const struct bot *bot, uint32_t times, struct solve_gap out[SOLVE_GAPS])
{
    tree_ask(t, bot, times);
    double first = tree_best(t, 0), second = tree_best(t, 1);
    out[0] = (struct solve_gap){.what = "against it, first seat", .value = first, .exact = bot->mix != NULL};
    out[1] = (struct solve_gap){.what = "against it, second seat", .value = second, .exact = bot->mix != NULL};
    out[2] = (struct solve_gap){.what = "exploitability", .value = (first + second) / 2, .exact = bot->mix != NULL};
    return 3;
}
