// agon solve GAME: a strategy by regret minimisation, written as a table.
#include "app/help.h"
#include "app/interrupt.h"
#include "app/output_file.h"
#include "app/solve_game.h"
#include "heap/heap.h"
#include "net/loop.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 1000000000, MAX_MINUTES = 100000 };
enum { ITERATIONS = 'n', MINUTES = 'm', SEED = 's', THREADS = 'j', OUT = 'o', RESUME = 256 };

struct options {
    const struct game_kit *row;
    uint64_t iterations, seed;
    double minutes, begun;
    struct progress_line line;
    uint64_t done; // units of work
    int threads;
    const char *out, *resume;
    char command[256]; // for the head of the file
};

static atomic_bool interrupted;

static const struct app_value values[] = {
    APP_NUMBER(ITERATIONS, "--iterations", struct options, iterations, 1, MAX_ITERATIONS),
    APP_NUMBER(SEED, "--seed", struct options, seed, 0, UINT64_MAX),
    APP_NUMBER(THREADS, "--threads", struct options, threads, 1, 64),
    APP_VALUE(OUT, struct options, out),
    APP_VALUE(RESUME, struct options, resume),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case MINUTES:
        o->minutes = app_read_real(state, "--minutes", arg, 0.01, MAX_MINUTES);
        return 0;
    case ARGP_KEY_ARG:
        solve_read_game(&o->row, state, arg, SOLVE_TABLES);
        return 0;
    case ARGP_KEY_END:
        solve_require_game(o->row, state, SOLVE_TABLES);
        if (!o->out)
            argp_error(state, "--out FILE is needed, the file for the table");
        if (!o->iterations == !(o->minutes > 0))
            argp_error(state, "give --iterations or --minutes");
        if (o->resume && !o->row->solve->solve)
            argp_error(state, "%s is solved in seconds and has no --resume", o->row->game->name);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// The head of the file says what is in it, also if it was stopped early. Calls come one at a time.
static bool show_progress(void *owner, const char *line)
{
    static const char early[] = ", interrupted";
    struct options *o = owner;
    if (line) {
        progress_line_end(&o->line);
        fprintf(stderr, "%s\n", line);
    } else if (o->done++, progress_line_is_due(&o->line)) {
        fprintf(stderr, "%ju steps in %.0f s", (uintmax_t)o->done, o->line.drawn_s - o->begun);
    }
    if (!atomic_load(&interrupted))
        return o->minutes > 0 && loop_now_seconds() - o->begun >= 60 * o->minutes;
    if (!strstr(o->command, early))
        strncat(o->command, early, sizeof o->command - strlen(o->command) - 1);
    return true;
}

static struct text read_file(const char *path)
{
    struct text t = {.grow = heap_text_grow};
    char block[4096];
    FILE *f = fopen(path, "rb");
    if (!f)
        app_refuse("agon solve", "cannot read %s: %s", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        text_put(&t, (struct span){block, n});
    if (ferror(f) || !t.size)
        app_refuse("agon solve", "cannot read %s: %s", path, ferror(f) ? strerror(errno) : "it is empty");
    fclose(f);
    return t;
}

static int solve_game(const struct options *o, const struct solve_job *job, struct text *out)
{
    const struct solve_facts *f = o->row->solve;
    if (f->solve)
        return f->solve(job, out);
    struct game_tree *t = solve_plant_tree(o->row); // takes seconds at most, so it is not resumed
    small_game_solve(t, f, job, out);
    free(t);
    return OK;
}

int cmd_solve(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"iterations", ITERATIONS, "N", 0, "Iterations; fewer for small parts of a game and for long rounds of dice",
         0},
        {"minutes", MINUTES, "N", 0, "Stop after N minutes instead", 0},
        {"seed", SEED, "S", 0, "Seed of randomised methods (1)", 0},
        {"threads", THREADS, "T", 0, "Number of threads (1)", 0},
        {"out", OUT, "FILE", 0, "File to write", 0},
        {"resume", RESUME, "FILE", 0, "Continue from the table in FILE", 0},
        {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "GAME",
        .doc = "Compute a strategy by regret minimisation and write it as a table. The same "
               "iterations, seed and threads give the same bytes. Ctrl-C writes what has been "
               "computed so far; a second one ends at once."};
    struct options o = {.seed = 1, .threads = 1};
    char amount[40];
    help_parse(&argp, argc, argv, 0, &o);
    if (o.iterations)
        snprintf(amount, sizeof amount, "--iterations %ju", (uintmax_t)o.iterations);
    else
        snprintf(amount, sizeof amount, "--minutes %g", o.minutes);
    snprintf(o.command, sizeof o.command, "agon solve %s %s --seed %ju --threads %d%s%.80s", o.row->game->name, amount,
             (uintmax_t)o.seed, o.threads, o.resume ? " --resume " : "", o.resume ? o.resume : "");
    interrupt_set_message("\nstopping after this step; Ctrl-C again ends at once, without a table\n");
    interrupt_catch(&interrupted);
    o.begun = loop_now_seconds();
    struct text before = o.resume ? read_file(o.resume) : (struct text){0}, out = {.grow = heap_text_grow};
    output_file_check(o.out, argv[0]);
    struct solve_job job = {.iterations = o.iterations,
                            .seed = o.seed,
                            .threads = o.threads,
                            .command = o.command,
                            .before = text_span(&before),
                            .progress = show_progress,
                            .owner = &o};
    int solved = solve_game(&o, &job, &out);
    progress_line_end(&o.line);
    if (solved != OK)
        app_refuse("agon solve", "%s is not a table of %s with seed %ju, or another version wrote it", o.resume,
                   o.row->game->name, (uintmax_t)o.seed);
    if (out.full)
        app_die("there is no memory for the table");
    output_file_write(o.out, text_span(&out));
    printf("%s: %zu bytes\n", o.out, out.size);
    free(before.at);
    free(out.at);
    if (!atomic_load(&interrupted))
        return APP_DONE;
    fprintf(stderr, "agon solve: interrupted; %s%s\n",
            o.row->solve->solve ? "continue with --resume " : "the table is as good as its last line says",
            o.row->solve->solve ? o.out : "");
    return APP_FAILED;
}
