// load_trajectory: the table takes over only what was read and replayed without fault (G19.7-G19.9).
#include "env/access.h"
#include "env/advance.h"
#include "env/arguments.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/job.h"
#include "env/live_clock.h"
#include "env/pending.h"
#include "env/record.h"
#include "env/recording.h"
#include "env/replay.h"
#include "env/replay_internal.h"
#include "env/reset.h"
#include "env/reveal.h"
#include "env/schema.h"
#include "env/tools.h"

#include "house/mind_memory.h"

#include <stdlib.h>

// Whichever comes first ends a slice (decision 014). An environment without a stopwatch goes by the counts.
enum { SLICE_TICKS = 20000, SLICE_RECORDS = 2000, SLICE_US = 10000 };

static const char *const mode_names[] = {"instant", "realtime", "step", NULL};

// --- the shadow becomes the table

static bool check_game(struct env_replay *p, struct env_result *r)
{
    struct env_table *t = p->table, *from = &p->shadow->table[0];
    if (from->row == t->row)
        return true;
    if (t->group->pinned) {
        *r = env_bad(p->env, "/path", "a trajectory of the game of this server", "pinned");
        return false;
    }
    int players = 0, seats = 0;
    while (from->kit->avatars[seats])
        seats++;
    for (struct env_agent *a = t->group->agents; a; a = a->next) {
        players += a->table == t && a->type == ENV_ENTITY;
        if (a->conn != p->conn || !(from->kit->types >> a->type & 1)) {
            *r = env_bad(p->env, "/path", "a trajectory of the game that is played here", "others");
            return false;
        }
    }
    if (players > seats)
        *r = env_bad(p->env, "/path", "a trajectory of a game with a seat for each of your players", "seats");
    return players <= seats;
}

static void take_state(struct env_table *t, struct env_table *from)
{
    struct game_event *past = t->past;
    t->row = from->row;
    t->kit = from->kit;
    t->match = from->match;
    t->history = from->history;
    t->match.history = &t->history;
    mind_memory_copy(&t->minds, from->minds, &t->match);
    t->past = from->past;
    from->past = past;
    memcpy(from->past, t->past, from->past_count * sizeof *past); // the shadow continues
    t->past_count = from->past_count;
    memcpy(t->past_ticks, from->past_ticks, sizeof t->past_ticks);
    t->running = from->running;
    t->paused = from->paused;
    t->phase = from->phase;
    t->killed = from->killed;
    t->scenario = from->scenario;
    memcpy(t->scenario_name, from->scenario_name, sizeof t->scenario_name);
    t->tick = from->tick;
    t->max_ticks = from->max_ticks;
    memcpy(t->key, from->key, sizeof t->key);
    memcpy(t->salt, from->salt, sizeof t->salt);
    t->hash_version = from->hash_version;
    t->seeded = true; // the file contains the key, and clients may read it
    t->has_seed = from->has_seed;
    t->seed = from->seed;
    t->question = from->question;
    memcpy(t->level, from->level, sizeof t->level);
    memcpy(t->aggro, from->aggro, sizeof t->aggro);
    t->hour = from->hour;
    t->minute = from->minute;
    memcpy(t->age, from->age, sizeof t->age);
    t->house_wait = from->house_wait;
    memcpy(t->visual, from->visual, sizeof t->visual);
    free(t->drawn);
    t->drawn = from->drawn ? strdup(from->drawn) : NULL;
    t->happened.count = 0;
}

static struct env_agent *find_recorded(const struct env_replay *p, const struct env_agent *a)
{
    struct env_agent *was = env_find_agent(p->shadow, (struct json_string){.raw = span_of(a->id)});
    return was && was->type == a->type ? was : NULL;
}

// G22.3: in another game everybody is seated again, at the recorded seats if they exist.
static void seat_anew(struct env_replay *p)
{
    struct env_table *t = p->table;
    seat_set taken = 0;
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        const struct env_agent *was = find_recorded(p, a);
        a->keys = UINT64_MAX;
        a->masked = 0;
        for (int i = 0; i < GAME_MAX_REWARDS; i++)
            a->weight[i] = 1;
        if (a->type != ENV_ENTITY)
            continue;
        a->seat = was && was->seat >= 0 && !(taken & SEAT(was->seat)) ? was->seat : -1;
        if (a->seat >= 0)
            taken |= SEAT(a->seat);
    }
    int free_seat = 0;
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        if (a->type != ENV_ENTITY || a->seat >= 0)
            continue;
        while (taken & SEAT(free_seat))
            free_seat++;
        a->seat = free_seat;
        taken |= SEAT(free_seat);
    }
}

// G19.9: they wait while a replay is running.
static void wake_agents(struct env_replay *p, bool over)
{
    struct env_table *t = p->table;
    for (struct env_agent *a = t->group->agents; a; a = a->next) {
        if (a->table != t || a->conn != p->conn)
            continue;
        const struct env_agent *was = find_recorded(p, a);
        bool same = was && was->seat == a->seat && was->team == a->team;
        a->state = ENV_REGISTERED;
        a->notice.due = false;
        if (over && same && t->running && was->state == ENV_ACTIVE)
            env_activate(a);
    }
}

static void record_again(struct env_replay *p)
{
    struct span rest = text_span(&p->fresh);
    struct env_table *t = p->table;
    while (rest.size && !p->fresh.full) {
        const char *end = memchr(rest.at, '\n', rest.size);
        size_t size = (size_t)(end - rest.at);
        env_record_again(t, (enum traj_kind)(rest.at[0] - '0'), (struct span){rest.at + 1, size - 1});
        env_spend(p->env, ENV_COST_RECORD);
        rest.at += size + 1;
        rest.size -= size + 1;
    }
    if (p->fresh.full && t->recording)
        traj_recording_clear(t->recording); // what follows is not a whole episode any more
    p->fresh.size = 0;
}

// The table continues on its own: from here on the recording has its own agents instead of the recorded ones.
static void hand_table_back(struct env_replay *p)
{
    bool was_there = p->at_table;
    p->at_table = false;
    if (was_there)
        env_record_agents_after_replay(p->table, p->shadow);
}

static void show_state(struct env_replay *p, bool over)
{
    struct env_table *t = p->table;
    bool switched = t->row != p->shadow->table[0].row;
    env_episode_end(t, p->conn, ENV_EXTERNAL);
    env_pending_answer_all(t);
    if (!p->at_table)
        env_reveal_keep(t);
    take_state(t, &p->shadow->table[0]);
    t->records++;
    if (!p->at_table)
        t->episode++;
    p->at_table = true;
    t->started_us = p->env->now_us;
    t->group->seeded |= t->has_seed;
    if (t->group->count == 1) { // the live clock continues at the recorded pace until the next reset
        t->group->bot_delay_ms = p->shadow->bot_delay_ms;
        t->group->turn_limit_s = p->shadow->turn_limit_s;
    }
    if (switched)
        seat_anew(p);
    wake_agents(p, over);
    record_again(p);
    env_notify_changed(t, "game://agents");
    env_notify_changed(t, "game://world");
    if (switched)
        env_notify_changed(t, "game://manifest");
    env_notify_observations(t);
}

// --- answers

static void put_mismatches(struct text *t, const struct env_replay *p)
{
    if (p->verify)
        json_put_bool(t, "verified", p->mismatches == 0);
    json_begin_array_at(t, "mismatches");
    for (int i = 0; i < p->mismatches; i++) {
        const struct mismatch *m = &p->mismatch[i];
        json_begin_object(t);
        json_put_uint(t, "episode", m->episode);
        json_put_uint(t, "step", m->step);
        json_put_text(t, "expected", m->expected);
        json_put_text(t, "actual", m->actual);
        json_put_text(t, "component", m->component);
        json_end_object(t);
    }
    json_end_array(t);
}

// If no hash shows where a change is, it is reported at the end.
static void report_change(struct env_replay *p)
{
    if (p->changed && p->mismatches == 0 && (p->mode == INSTANT || p->steps == p->total))
        p->mismatch[p->mismatches++] =
            (struct mismatch){.episode = p->episode, .step = p->steps, .component = "content"};
}

static void write_answer(struct env_replay *p)
{
    struct text *t = &p->env->out;
    struct env_hashes h;
    t->size = 0;
    t->full = false;
    json_begin_object(t);
    json_put_text(t, "path", p->path);
    json_put_text(t, "format", traj_format_names[traj_read_format(p->reader)]);
    json_put_uint(t, "episodes", p->episodes);
    json_put_uint(t, "steps", p->steps);
    json_put_text(t, "playback_mode", mode_names[p->mode]);
    report_change(p);
    put_mismatches(t, p);
    json_put_uint(t, "final_tick", p->table->tick);
    env_hash_table(p->table, true, &h);
    json_put_text(t, "final_state_hash", h.all);
    if (p->mode == STEPWISE) {
        json_put_uint(t, "cursor", p->steps);
        json_put_uint(t, "remaining", p->total - p->steps);
        json_put_raw(t, "entries", p->entries.size ? text_span(&p->entries) : SPAN("[]"));
    }
    json_end_object(t);
}

// The reply to a whole replay, which is freed.
static void finish_replay(struct env_replay *p, struct env_result *r)
{
    if (!p->at_table && !check_game(p, r)) {
        env_replay_destroy(p);
        return;
    }
    struct env_table *t = p->table;
    if (p->episodes) // otherwise there is no state to take: the table stays as it is
        show_state(p, true);
    write_answer(p);
    env_answer(p->env, r);
    hand_table_back(p);
    env_replay_destroy(p);
    env_live_clock_update(t, t->group->env->now_us);
}

static void fail_replay(struct env_replay *p, struct env_result *r)
{
    if (p->at_table)
        wake_agents(p, true);
    hand_table_back(p);
    env_refuse_trajectory(p->env, p->fault, r);
    env_replay_destroy(p);
}

// --- courses

struct env_slice env_slice_begin(const struct env *env)
{
    return (struct env_slice){.end_us = env->o.stopwatch_us ? env->o.stopwatch_us() + SLICE_US : INT64_MAX};
}

bool env_slice_over(const struct env *env, struct env_slice *s, uint32_t ticks)
{
    s->ticks += ticks;
    return s->records++ == SLICE_RECORDS || s->ticks >= SLICE_TICKS ||
           (env->o.stopwatch_us && env->o.stopwatch_us() >= s->end_us);
}

// Returns true if it is over and `r` is the reply.
static bool finish_if_over(struct env_replay *p, int played, struct env_result *r)
{
    if (played == PLAYED_BAD)
        fail_replay(p, r);
    else if (played == PLAYED_ALL)
        finish_replay(p, r);
    return played == PLAYED_BAD || played == PLAYED_ALL;
}

static bool run_slice(struct env_replay *p, struct env_result *r)
{
    struct env_slice slice = env_slice_begin(p->env);
    uint32_t ticks = 0;
    while (!p->dropped && !env_slice_over(p->env, &slice, ticks)) {
        int played = env_replay_next(p);
        if (finish_if_over(p, played, r))
            return true;
        ticks = played == PLAYED_STEP ? p->ticks : 0;
    }
    return false;
}

// Up to the next step, or past what comes before the first one.
static int play_one(struct env_replay *p, bool stop_at_reset)
{
    int played = PLAYED_OTHER;
    while (played == PLAYED_OTHER && !(stop_at_reset && p->episodes))
        played = env_replay_next(p);
    return played;
}

// Everything after the last step: agents, and episodes without steps.
static int play_rest(struct env_replay *p)
{
    int played;
    while ((played = env_replay_next(p)) > 0)
        ;
    return played;
}

static void start_pending(struct env_replay *p, uint64_t call, bool progress)
{
    p->call = call;
    p->pending = true;
    p->progress = progress && p->conn->hooks->on_progress;
    p->next = p->env->replays;
    p->env->replays = p;
    p->table->replay = p;
}

static void drop_replay(struct env_replay *p)
{
    struct env_table *t = p->table;
    if (p->at_table)
        wake_agents(p, true);
    hand_table_back(p);
    env_replay_destroy(p);
    env_live_clock_update(t, t->group->env->now_us);
}

// G19.8: realtime keeps the tick rate.
static void run_realtime(struct env_replay *p, int64_t now_us)
{
    struct env_result r;
    struct env_conn *c = p->conn;
    uint64_t call = p->call;
    while (p->due_us <= now_us) {
        int played = play_one(p, false);
        if (p->dropped) {
            drop_replay(p);
            return;
        }
        if (played <= 0) {
            if (played == PLAYED_BAD)
                fail_replay(p, &r);
            else
                finish_replay(p, &r);
            c->hooks->on_answer(c->owner, call, &r);
            return;
        }
        show_state(p, false);
        p->due_us += (int64_t)p->ticks * p->table->kit->tick_ms * 1000 + (p->ticks == 0);
        if (p->progress)
            c->hooks->on_progress(c->owner, call, p->steps, p->total);
    }
}

static void run_pending(struct env_replay *p, int64_t now_us)
{
    struct env_result r;
    struct env_conn *c = p->conn;
    uint64_t call = p->call;
    if (p->mode == REALTIME) {
        run_realtime(p, now_us);
        return;
    }
    if (run_slice(p, &r))
        c->hooks->on_answer(c->owner, call, &r);
    else if (p->dropped)
        drop_replay(p);
    else if (p->progress)
        c->hooks->on_progress(c->owner, call, p->steps, p->total > p->steps ? p->total : p->steps);
}

int64_t env_replay_run_group(struct env_group *g, int64_t now_us)
{
    int64_t next = INT64_MAX;
    for (int i = 0; g->env->replays && i < g->count; i++) {
        struct env_replay *p = g->table[i].replay;
        if (p && p->pending && (p->mode == INSTANT || p->due_us <= now_us))
            run_pending(p, now_us);
        if ((p = g->table[i].replay) && p->pending) {
            int64_t due = p->mode == INSTANT ? now_us : p->due_us;
            next = due < next ? due : next;
        }
    }
    return next;
}

bool env_replay_is_at(const struct env_table *t)
{
    return t->replay && t->replay->at_table;
}

bool env_replay_is_pending(const struct env_table *t)
{
    return t->replay && t->replay->pending;
}

static void stop_replay(struct env_table *t, bool goes_on)
{
    struct env_replay *p = t->replay;
    if (!p)
        return;
    if (p->pending && !p->conn->gone) {
        struct env_result r = env_bad(p->env, "/path", "a playback that nothing else disturbs", "interrupted");
        p->conn->hooks->on_answer(p->conn->owner, p->call, &r);
    }
    t->replay = NULL; // what is recorded now is the table's own
    if (goes_on)
        hand_table_back(p);
    env_replay_destroy(p);
}

void env_replay_stop(struct env_table *t)
{
    stop_replay(t, true);
}

void env_replay_stop_for_reset(struct env_table *t)
{
    stop_replay(t, false);
}

bool env_replay_cancel(struct env_conn *c, uint64_t call)
{
    for (struct env_replay *p = c->env->replays; p; p = p->next)
        if (p->conn == c && p->pending && p->call == call) {
            struct env_job *job = p->table->group->held;
            p->dropped = true;
            if (job)
                env_cut_job(job);
            else
                drop_replay(p);
            return true;
        }
    return false;
}

void env_replay_leave(struct env_conn *c)
{
    for (struct env_replay *p = c->env->replays, *next; p; p = next) {
        next = p->next;
        if (p->conn == c) {
            hand_table_back(p);
            env_replay_destroy(p);
        }
    }
    for (int i = 0; i < c->group->count; i++) {
        struct env_replay *p = c->group->table[i].replay;
        if (p && p->conn == c) {
            hand_table_back(p);
            env_replay_destroy(p);
        }
    }
}

// --- the tool

static void open_file(void *arg)
{
    struct env_replay *p = arg;
    struct traj_path path;
    p->fault = traj_path_of_name(&path, p->env->o.data_dir, span_of(p->path), false);
    if (p->fault != TRAJ_FINE)
        return;
    p->fault = traj_read_open(&p->reader, &path);
    traj_path_release(&path);
}

// On a worker thread: a JSON file is read as a whole.
static enum traj_fault open_reader(struct env_replay *p)
{
    env_offload(p->env, open_file, p);
    return p->fault;
}

struct reading {
    struct env_replay *replay;
    int found; // as traj_read_next
    bool partial;
};

static void read_some(void *arg)
{
    struct reading *r = arg;
    struct env_replay *p = r->replay;
    enum traj_kind kind;
    struct span record;
    for (int i = 0; i < ENV_AWAY_RECORDS && (r->found = traj_read_next(p->reader, &kind, &record)) > 0; i++) {
        if (kind == TRAJ_HEADER && !env_replay_check_header(p, record)) {
            r->partial = true;
            return;
        }
        p->total += kind == TRAJ_STEP;
    }
}

// Before the table changes step by step, the whole file is read once: it must be valid, and its steps are counted.
static enum traj_fault read_ahead(struct env_replay *p)
{
    struct reading r = {.replay = p, .found = 1};
    enum traj_fault f = open_reader(p);
    if (f != TRAJ_FINE)
        return f;
    while (r.found > 0) {
        env_offload(p->env, read_some, &r);
        if (r.partial)
            return TRAJ_PARTIAL;
    }
    p->changed = traj_read_changed(p->reader);
    traj_read_close(p->reader);
    p->reader = NULL;
    return r.found < 0 || (p->changed && !p->verify) ? TRAJ_DAMAGED : open_reader(p);
}

static bool begin_slowly(struct env_replay *p, uint64_t call, bool progress, struct env_result *r)
{
    int played = p->total ? play_one(p, true) : play_rest(p);
    if (played == PLAYED_BAD || played == PLAYED_ALL) {
        if (played == PLAYED_BAD)
            fail_replay(p, r);
        else
            finish_replay(p, r);
        return true;
    }
    if (!check_game(p, r)) {
        env_replay_destroy(p);
        return true;
    }
    show_state(p, false);
    if (p->mode == STEPWISE) {
        p->table->replay = p;
        write_answer(p);
        return env_answer(p->env, r);
    }
    p->due_us = p->env->now_us;
    start_pending(p, call, progress);
    return false;
}

static bool step_on(struct env_replay *p, struct env_result *r)
{
    int played = play_one(p, false);
    if (played == PLAYED_STEP && p->steps == p->total)
        played = play_rest(p);
    if (finish_if_over(p, played, r))
        return true;
    show_state(p, false);
    write_answer(p);
    return env_answer(p->env, r);
}

static bool check_path(struct env_conn *c, const struct env_arguments *arguments, char path[1024], struct env_result *r)
{
    struct span value;
    env_argument(arguments, "path", &value);
    if (json_string_copy(env_json_string(value), path, 1024) > 0)
        return true;
    env_refuse_trajectory(c->env, TRAJ_NAME, r);
    return false;
}

bool env_load_trajectory(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                         struct env_result *r)
{
    struct span value;
    char path[1024];
    int64_t table = env_argument(arguments, "table", &value) ? env_json_int(value) : 0;
    int mode = INSTANT;
    if (env_argument(arguments, "playback_mode", &value))
        mode = json_string_among(env_json_string(value), mode_names);
    if (table >= c->group->count) {
        *r = env_bad(c->env, "/table", "the number of a table of this server", NULL);
        return true;
    }
    struct env_table *t = &c->group->table[table];
    if (!check_path(c, arguments, path, r) || !env_may_reset(c, t, r))
        return true;
    if (!env_is_owner(c)) {
        env_refuse_not_owner(c->env, "load a trajectory", r);
        return true;
    }
    if (t->replay && t->replay->conn == c && mode == STEPWISE && t->replay->mode == STEPWISE &&
        strcmp(t->replay->path, path) == 0)
        return step_on(t->replay, r);
    env_replay_stop(t);
    struct env_replay *p = env_replay_create(c->env, t->row);
    p->conn = c;
    p->table = t;
    memcpy(p->path, path, sizeof p->path);
    p->mode = (enum mode)mode;
    p->verify = !env_argument(arguments, "verify_determinism", &value) || value.at[0] == 't';
    p->fault = mode == INSTANT ? open_reader(p) : read_ahead(p);
    if (p->fault != TRAJ_FINE) {
        fail_replay(p, r);
        return true;
    }
    if (mode != INSTANT)
        return begin_slowly(p, call->call, call->progress, r);
    if (run_slice(p, r))
        return true;
    start_pending(p, call->call, call->progress);
    return false;
}
