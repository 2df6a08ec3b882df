#include "verify/bot_check.h"

#include "contest/dealbook.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"
#include "games/games.h"
#include "match/replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A bot of both sides has four sessions at each table: PARALLEL_TABLES are 200 sessions at once.
enum { PARALLEL_TABLES = 50, PARALLEL_GAMES = 100, QUICK_GAMES = 4, SILENT_GAMES = 10, REPLAY_CEILING = 16 << 20 };

// --- playing

// One contest of the check. It is large, and its contest points at its run, so it does not move.
struct part {
    uint64_t games;
    int tables;
    unsigned notices;          // set of those that the bot is sent; without them it must play by what a decision tells
    bool both;                 // the bot has all four seats
    const char *replays;       // NULL: none
    bool is_shown;             // its matches are reported to the caller
    struct bot_faults *faults; // NULL: not recorded
    enum bot_part part;
    struct contest_run run; // results
    struct contest contest;
};

static void plan_part(const struct part *p, const struct bot_check_options *o, struct contest_plan *plan)
{
    contest_defaults(plan);
    plan->codec = &belote_codec;
    plan->seats = BELOTE_SEATS;
    belote_game.defaults(&plan->rules);
    ((struct belote_rules *)&plan->rules)->target = o->target;
    contest_set_facts(plan, games_find(belote_game.name)->contest);
    plan->ahead = DEALBOOK_AHEAD;
    plan->games = p->games;
    plan->seed = o->seed;
    plan->entrants = 2;
    for (int i = 0; i < 2; i++) {
        struct contest_entrant *e = &plan->entrant[i];
        snprintf(e->name, sizeof e->name, "%s", i ? "opponent" : "bot");
        e->notices = p->notices;
        if (i == 0 || p->both)
            snprintf(e->address, sizeof e->address, "%s", o->probe.address);
        else
            e->bot = o->opponent;
    }
}

static void on_trouble(void *owner, const struct contest_game *g, int seat, const char *text,
                       const struct seat_fault *f)
{
    struct part *p = owner;
    (void)g, (void)seat;
    bot_note_fault(p->faults, p->part, text, f);
}

static bool play_part(struct part *p, const struct bot_check_options *o, struct loop *loop)
{
    static struct contest_plan plan;
    plan_part(p, o, &plan);
    if (contest_check(&plan))
        return false;
    contest_open(&p->contest, &plan);
    contest_run_defaults(&p->run, &p->contest);
    p->run.loop = loop;
    p->run.tables = p->tables;
    p->run.policy = CONTEST_FALLBACK; // B14.7: violations are counted and the match continues
    p->run.sends_seed = true;
    p->run.stopper = o->stop;
    p->run.replay_folder = p->replays;
    if (p->faults) {
        p->run.on_trouble = on_trouble;
        p->run.owner = p;
    }
    if (p->is_shown) {
        p->run.transcript = o->dealbook;
        p->contest.on_judged = o->on_match;
        p->contest.owner = o->owner;
    }
    p->run.seats.decide_ms = o->timeout_ms;
    p->run.seats.ca_file = o->probe.ca_file;
    p->run.seats.trust_anyone = o->probe.trust_anyone;
    return contest_play_external(&p->run) == OK;
}

static void end_part(struct part *p)
{
    contest_run_release(&p->run);
    contest_close(&p->contest);
}

static uint64_t count_trouble(const struct contest *c)
{
    uint64_t sum = 0;
    for (int e = 0; e < c->plan.entrants; e++)
        for (int k = 0; k < CONTEST_WARNING; k++)
            sum += c->row[e].trouble[k];
    return sum;
}

// --- comparing replays

static char *read_replay(const char *folder, uint64_t index, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%06ju.agon", folder, (uintmax_t)index);
    FILE *f = fopen(path, "rb");
    char *bytes = f ? malloc(REPLAY_CEILING) : NULL;
    *size = bytes ? fread(bytes, 1, REPLAY_CEILING, f) : 0;
    if (f)
        fclose(f);
    return bytes;
}

static void count_modes(struct bot_check *c, const char *folder, uint64_t games)
{
    static struct game_events happened;
    static struct replay_run run;
    for (uint64_t i = 0; i < games; i++) {
        size_t size;
        char *bytes = read_replay(folder, i, &size);
        happened.count = 0;
        int err = bytes ? replay_begin(&run, (struct span){bytes, size}, &belote_game, NULL, NULL) : ERR_FORMAT;
        while (err == OK && replay_step(&run, 1, &happened) == 1) {
            for (uint32_t k = 0; k < happened.count; k++)
                if (happened.at[k].kind == BELOTE_NEGOTIATION_COMPLETED) {
                    c->modes[happened.at[k].data[0]]++;
                    c->deals++;
                }
            happened.count = 0;
        }
        free(bytes);
    }
}

// The first decision in which two replays differ, or -1.
static int64_t find_difference(struct span a, struct span b)
{
    static struct replay_reader x, y;
    struct replay_entry p, q;
    if (replay_open(&x, a) != OK || replay_open(&y, b) != OK)
        return 0;
    for (int64_t decision = 0;; decision++) {
        int more = replay_next(&x, &p), other = replay_next(&y, &q);
        if (more != other)
            return decision;
        if (more != 1)
            return -1;
        if (p.kind == REPLAY_ACTION && (p.seat != q.seat || !game_same_action(p.action, q.action)))
            return decision;
    }
}

static void compare_runs(struct bot_check *c, const char *first, const char *second, uint64_t games)
{
    c->repeats = true;
    for (uint64_t i = 0; i < games && c->repeats; i++) {
        size_t size[2];
        char *bytes[2] = {read_replay(first, i, &size[0]), read_replay(second, i, &size[1])};
        int64_t at = bytes[0] && bytes[1]
                         ? find_difference((struct span){bytes[0], size[0]}, (struct span){bytes[1], size[1]})
                         : 0;
        if (at >= 0) {
            c->repeats = false;
            c->other_game = i;
            c->other_decision = (uint64_t)at;
        }
        free(bytes[0]);
        free(bytes[1]);
    }
}

static void remove_folder(const char *folder)
{
    char path[1024];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

// --- the parts

static void copy_times(struct bot_check *c, struct contest_run *run)
{
    double *values;
    size_t count = 0;
    for (int k = 0; k < SEAT_CALLS; k++) {
        c->times[k] = run->times[0][k];
        run->times[0][k] = (struct contest_latencies){0};
        count += k <= SEAT_CARD ? c->times[k].count : 0;
    }
    if (!(values = calloc(count ? count : 1, sizeof *values)))
        return;
    count = 0;
    const struct contest_latencies *cards = &c->times[SEAT_CARD];
    for (size_t i = 0; i < cards->count; i++)
        values[count++] = cards->at[i];
    c->slowing = stats_is_slowing(values, count, &c->first_half, &c->second_half);
    free(values);
}

static bool check_play(struct bot_check *c, const struct bot_check_options *o, struct loop *loop, const char *folder)
{
    static struct part p;
    p = (struct part){.games = o->games, .tables = 4, .notices = SEAT_ALL_NOTICES, .replays = folder, .is_shown = true};
    p.faults = &c->faults;
    bool done = play_part(&p, o, loop);
    if (o->on_played)
        o->on_played(o->owner, &p.contest);
    const struct contest_row *row = &p.contest.row[0];
    c->games = p.contest.judged;
    c->wins = row->wins;
    memcpy(c->violations, row->trouble, sizeof c->violations);
    c->counts = p.run.counts[0];
    copy_times(c, &p.run);
    count_modes(c, folder, c->games);
    end_part(&p);
    return done;
}

static void check_again(struct bot_check *c, const struct bot_check_options *o, struct loop *loop, const char *first)
{
    static struct part p;
    char folder[] = "/tmp/agon-check-XXXXXX";
    c->repeats = true;
    if (!o->determinism || !mkdtemp(folder))
        return;
    p = (struct part){.games = o->games, .tables = 4, .notices = SEAT_ALL_NOTICES, .replays = folder};
    if (play_part(&p, o, loop))
        compare_runs(c, first, folder, p.contest.judged < c->games ? p.contest.judged : c->games);
    end_part(&p);
    remove_folder(folder);
}

static void check_crowd(struct bot_check *c, const struct bot_check_options *o, struct loop *loop)
{
    static struct part p;
    uint64_t crowd = o->probe.quick ? QUICK_GAMES : PARALLEL_GAMES,
             silent = o->probe.quick ? QUICK_GAMES : SILENT_GAMES;
    p = (struct part){.games = crowd, .tables = PARALLEL_TABLES, .notices = SEAT_ALL_NOTICES, .both = true};
    p.faults = &c->faults;
    p.part = BOT_PART_CROWD;
    play_part(&p, o, loop);
    c->parallel_games = p.contest.judged;
    c->parallel_trouble = count_trouble(&p.contest);
    end_part(&p);
    p = (struct part){.games = silent, .tables = 4, .faults = &c->faults, .part = BOT_PART_SILENT};
    play_part(&p, o, loop);
    c->silent_games = p.contest.judged;
    c->silent_trouble = count_trouble(&p.contest);
    end_part(&p);
}

static bool is_stopped(const struct bot_check_options *o)
{
    return o->stop && atomic_load(o->stop);
}

// The matches, their repetition and the concurrent ones. Returns false if they could not be played.
static bool check_matches(struct bot_check *c, const struct bot_check_options *o, struct loop *loop)
{
    char folder[] = "/tmp/agon-check-XXXXXX";
    if (!mkdtemp(folder)) {
        snprintf(c->why, sizeof c->why, "cannot create a folder for replays in /tmp");
        return false;
    }
    bool done = check_play(c, o, loop, folder);
    if (done && !is_stopped(o))
        check_again(c, o, loop, folder);
    if (done && !is_stopped(o))
        check_crowd(c, o, loop);
    remove_folder(folder);
    if (!done)
        snprintf(c->why, sizeof c->why, "the games could not be played");
    return done;
}

// A bot that has died is asked nothing more: every answer would be the same.
static void skip_harsh(struct bot_check *c)
{
    for (int i = 0; bot_probe_rows[i].name; i++)
        if (bot_probe_rows[i].harsh)
            snprintf(c->probe[i].why, GATE_WHY, "it no longer answers");
}

bool bot_check_run(struct bot_check *c, const struct bot_check_options *o, struct loop *loop)
{
    *c = (struct bot_check){.sessions_before = bot_probe_sessions(&o->probe), .sessions_after = -1, .repeats = true};
    enum bot_probe_end end = bot_probe_run(&o->probe, false, c->probe, c->why);
    if (end == BOT_PROBE_NOBODY)
        return false;
    if (end == BOT_PROBE_DIED) {
        memcpy(c->died, c->why, sizeof c->died);
        skip_harsh(c);
        return true;
    }
    bool done = check_matches(c, o, loop);
    if (is_stopped(o)) {
        snprintf(c->why, sizeof c->why, "stopped after %ju matches", (uintmax_t)c->games);
        return false;
    }
    if (!done)
        return false;
    end = bot_probe_run(&o->probe, true, c->probe, c->died);
    if (end == BOT_PROBE_NOBODY) {
        snprintf(c->died, sizeof c->died, "the bot crashed during the matches: it no longer answers");
        skip_harsh(c);
    }
    c->sessions_after = bot_probe_sessions(&o->probe);
    return true;
}

void bot_check_release(struct bot_check *c)
{
    for (int k = 0; k < SEAT_CALLS; k++)
        free(c->times[k].at);
}

static uint64_t count_violations(const struct bot_check *c)
{
    uint64_t sum = 0;
    for (int k = 0; k < CONTEST_WARNING; k++)
        sum += c->violations[k];
    return sum;
}

static bool leaks(const struct bot_check *c)
{
    bool known = c->sessions_before >= 0 && c->sessions_after >= 0;
    return c->counts.created != c->counts.deleted || (known && c->sessions_after > c->sessions_before);
}

static void add_fault(struct text *t, const char *what)
{
    if (t->size)
        text_puts(t, ", ");
    text_puts(t, what);
}

static void count_fault(struct text *t, uint64_t count, const char *what)
{
    if (!count)
        return;
    add_fault(t, "");
    text_put_uint(t, count);
    text_puts(t, what);
}

void bot_check_describe_faults(struct text *t, const struct bot_check *c, const struct bot_check_options *o)
{
    struct text all = text_on(t->at + t->size, t->room - t->size);
    if (c->died[0])
        add_fault(&all, c->died);
    for (int i = 0; bot_probe_rows[i].name; i++) {
        const struct bot_probe_row *row = &bot_probe_rows[i];
        if (c->probe[i].verdict != GATE_FAIL || (!row->must && !o->strict))
            continue;
        add_fault(&all, row->must ? "must " : "should ");
        text_puts(&all, row->name);
    }
    count_fault(&all, count_violations(c), " violations in matches");
    count_fault(&all, c->parallel_trouble, " with many sessions at once");
    count_fault(&all, c->silent_trouble, " when told nothing");
    if (!c->repeats)
        add_fault(&all, "not deterministic");
    if (leaks(c))
        add_fault(&all, "sessions left over");
    t->size += all.size;
    t->full |= all.full;
}

bool bot_check_passed(const struct bot_check *c, const struct bot_check_options *o)
{
    char bytes[2048];
    struct text t = text_on(bytes, sizeof bytes);
    bot_check_describe_faults(&t, c, o);
    return t.size == 0 && !t.full;
}
