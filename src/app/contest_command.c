#include "app/contest_command.h"

#include "app/contest_journal.h"
#include "app/contest_live.h"
#include "app/contest_report.h"
#include "app/interrupt.h"
#include "app/llm_report.h"
#include "app/output_file.h"
#include "app/person.h"
#include "app/rating_plot.h"
#include "base/utf8.h"
#include "contest/dealbook.h"
#include "heap/heap.h"
#include "net/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REPORT_ROOM = 1 << 20 };

static struct contest_run run;

// Everything that follows the results of a running contest.
struct follower {
    struct contest_journal journal;
    struct llm_players models;
    struct rating_plot plot;
    bool has_plot;
    struct dealbook transcript;
    bool has_transcript;
};

static void on_result(void *owner, uint64_t index, const struct contest_result *r)
{
    struct follower *f = owner;
    contest_journal_add(&f->journal, index, r);
}

static void on_judged(void *owner, const struct contest *c, uint64_t index)
{
    struct follower *f = owner;
    if (f->has_plot)
        rating_plot_add(&f->plot, c);
    if (f->has_transcript)
        dealbook_release(&f->transcript, index);
    llm_players_end_game(&f->models, index);
}

// Text from bots: control characters are not printed.
static void print_foreign(const char *title, struct span bytes)
{
    struct text t = {.grow = heap_text_grow};
    utf8_put_shown(&t, bytes, false);
    fprintf(stderr, "  %s %.*s\n", title, (int)t.size, t.size ? t.at : "");
    free(t.at);
}

// B12.30: request and reply in full, if either of them is defective.
static void on_trouble(void *owner, const struct contest_game *g, int seat, const char *text,
                       const struct seat_fault *f)
{
    const struct contest_plan *p = owner;
    flockfile(stderr);
    fprintf(stderr, isatty(STDERR_FILENO) ? "\r\x1b[Jgame %ju, seat %d, %s: %s\n" : "game %ju, seat %d, %s: %s\n",
            (uintmax_t)g->index, seat, p->entrant[g->entrant[seat]].name, text);
    if (f && (f->kind == SEAT_ILLEGAL || f->kind == SEAT_STATUS)) {
        print_foreign("sent", f->sent);
        print_foreign("received", f->reply);
    }
    funlockfile(stderr);
}

// Something could not be written: the report is still printed, and the status is 1.
static bool trouble;

static void cannot_write(const char *path)
{
    app_complain("cannot write %s: %s", path, strerror(errno));
    trouble = true;
}

static void play_local(void)
{
    int err = contest_play(&run);
    if (err == OK)
        return;
    app_complain("the contest stops: %s",
                 err == ERR_STORAGE ? "a replay or transcript could not be written" : err_sentence(err));
    trouble = true;
}

// Plays the contest until it ends, Ctrl-C, or a full disk. Returns the duration. `bus` NULL: on this machine.
static double play_contest(struct contest *c, const struct contest_options *o, struct bus *bus)
{
    struct contest_live live = {
        .contest = c, .every_s = run.ask_person ? 0 : o->progress_s, .run_began_s = loop_now_seconds(), .weight = 1};
    contest_live_start(&live);
    if (!bus)
        play_local();
    else if (!workers_play(&o->workers, bus, &run, o->journal))
        trouble = true;
    return contest_live_stop(&live);
}

// Plays everything a second time; its times and sessions are not counted.
static void play_again(struct contest *first, const struct contest_options *o, struct contest_repeat *out)
{
    static struct contest second;
    static struct contest_run kept;
    memcpy(kept.times, run.times, sizeof run.times);
    memcpy(kept.counts, run.counts, sizeof run.counts);
    memset(run.times, 0, sizeof run.times);
    contest_open(&second, &first->plan);
    run.contest = &second;
    atomic_store(&run.next, 0);
    run.replay_folder = NULL;
    play_contest(&second, o, NULL);
    *out = contest_compare(first, &second);
    contest_close(&second);
    contest_run_release(&run);
    memcpy(run.times, kept.times, sizeof run.times);
    memcpy(run.counts, kept.counts, sizeof run.counts);
    run.contest = first;
}

// The object of a contest, with its models.
static void print_json(const struct llm_players *models, const struct contest_repeat *again)
{
    static char buffer[REPORT_ROOM];
    struct text t = text_on(buffer, sizeof buffer);
    contest_write_json(&run, &t, again);
    if (models->models && t.size > 2) {
        t.size -= 2; // "}\n"
        llm_report_put_json(&t, models);
        text_puts(&t, "}\n");
    }
    fwrite(t.at, 1, t.size, stdout);
}

static void print_report(const struct contest_options *o, struct contest *c, const struct llm_players *models,
                         double seconds, const struct contest_repeat *again)
{
    if (o->output == CONTEST_CSV) {
        contest_print_csv(c);
        contest_print_repeat(stderr, again);
    } else if (o->output == CONTEST_JSON) {
        print_json(models, again);
    } else {
        contest_print_table(&run, seconds);
        llm_report_print(models);
        contest_print_repeat(stdout, again);
    }
    if (models->models && o->llm.report && !llm_report_write(o->llm.report, &models, 1))
        cannot_write(o->llm.report);
}

static void set_up_run(const struct contest_options *o, const char *command, struct contest *c, struct loop *loop)
{
    contest_run_defaults(&run, c);
    contest_options_set_run(o, command, &run);
    run.loop = loop;
    if (person_is_needed(&c->plan))
        person_open(&run, o->setup.row);
    if (o->verbose) {
        run.on_trouble = on_trouble;
        run.owner = &c->plan;
    }
}

// Refuses unwritable outputs before anything is started or asked.
static void check_outputs(const struct contest_options *o, const char *command)
{
    const char *const files[] = {o->journal, o->transcript, o->plot};
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i])
            output_file_check(files[i], command);
    if (o->replays)
        output_file_check_folder(o->replays, command);
}

// Ends the program if a player cannot be reached: games that nobody played decide nothing.
static void reach_all(struct follower *f, const struct contest_options *o, struct contest *c,
                      struct launched_bots *launched, const char *command)
{
    char why[CONTEST_ERROR_ROOM];
    if (contest_is_done(c) || contest_check_health(&c->plan, &run.seats, run.loop, &run.stop, why))
        return;
    launched_bots_close(launched);
    if (f->journal.is_open && f->journal.is_new)
        unlink(o->journal);
    app_refuse(command, "%s", why);
}

static void follow_results(struct follower *f, const struct contest_options *o, struct contest *c, const char *command)
{
    if (o->replays && mkdir(o->replays, 0777) != 0 && errno != EEXIST)
        app_refuse(command, "cannot create the folder %s: %s", o->replays, strerror(errno));
    if (o->transcript && !dealbook_open(&f->transcript, o->transcript, f->journal.found > 0))
        app_refuse(command, "cannot open %s: %s", o->transcript, strerror(errno));
    f->has_transcript = o->transcript;
    run.transcript = o->transcript ? &f->transcript : NULL;
    f->has_plot = o->plot && rating_plot_init(&f->plot, &c->plan);
    c->on_result = on_result;
    c->on_judged = on_judged;
    c->owner = f;
}

static void close_outputs(struct follower *f, const struct contest_options *o, struct contest *c)
{
    run.transcript = NULL;
    if (f->has_transcript && !dealbook_close(&f->transcript, c->judged, !contest_is_done(c)))
        cannot_write(o->transcript);
    f->has_transcript = false;
    if (!contest_journal_close(&f->journal))
        cannot_write(o->journal);
    if (f->has_plot && !rating_plot_write(&f->plot, o->plot))
        cannot_write(o->plot);
    rating_plot_release(&f->plot);
    f->has_plot = false;
}

int contest_command_run(const struct contest_options *o, const char *command)
{
    static struct contest contest;
    static struct contest_plan plan;
    static struct launched_bots launched;
    static struct follower follower;
    struct loop loop;
    loop_init_coarse(&loop);
    launched_bots_open(&launched, &loop, o->bots_dir, command);
    contest_options_apply(o, command, &plan, &launched);
    check_outputs(o, command);
    struct bus *bus =
        o->workers.url ? workers_connect(&o->workers.bus, command, "--workers", o->workers.url, command) : NULL;
    interrupt_catch(&run.stop);
    signal(SIGPIPE, SIG_IGN);
    launched_bots_start(&launched, &run.stop); // their addresses are in the plan now
    contest_open(&contest, &plan);
    set_up_run(o, command, &contest, &loop);
    llm_players_open(&follower.models, &o->llm, command, &contest, &run, &loop, o->verbose,
                     o->external.budget_ms[SEAT_ACTION]);
    if (o->journal)
        contest_journal_open(&follower.journal, &contest, o->journal, &follower.models, command);
    if (contest_needs_loop(&plan) && !bus)
        reach_all(&follower, o, &contest, &launched, command);
    follow_results(&follower, o, &contest, command);
    double seconds = play_contest(&contest, o, bus);
    person_close();
    if (bus)
        bus_close(bus);
    close_outputs(&follower, o, &contest);
    struct contest_repeat again = {.same = true};
    if (o->again && !trouble && !atomic_load(&run.stop))
        play_again(&contest, o, &again);
    int models_status = llm_players_status(&follower.models, command);
    bool limited = follower.models.models && llm_models_limit(follower.models.models);
    print_report(o, &contest, &follower.models, seconds, &again);
    bool whole = (contest_is_done(&contest) || limited) && again.same && contest.aborted == 0 &&
                 !contest_void(&contest) && !trouble;
    launched_bots_close(&launched);
    contest_run_release(&run);
    llm_players_close(&follower.models);
    contest_close(&contest);
    loop_release(&loop);
    return models_status ? models_status : whole ? APP_DONE : APP_FAILED;
}
