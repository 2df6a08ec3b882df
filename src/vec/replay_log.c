// Logs of recorded environments. A lane notes what was done; the bytes of a replay are made from that when somebody
// asks, by playing it once more through match, so that there is one writer of replays.
#include "vec/internal.h"

#include "base/sha256.h"
#include "heap/heap.h"
#include "match/match.h"

#include <stdlib.h>

struct deed {
    struct game_action action;
    uint32_t ticks; // not 0: no action, but so many ticks
    uint8_t seat;   // GAME_MASTER too
    uint8_t silent; // the game's fallback, for a seat that gave no legal answer
    uint8_t spare[2];
};

// What a replay needs besides the rules: the key and what was done. It becomes text only when somebody asks.
struct episode {
    struct rng root;
    uint64_t seed;
    bool is_seeded, is_over, is_whole; // whole: from its beginning, without a gap
    struct deed *deeds;
    size_t count, room;
};

struct vec_log {
    bool is_on;
    struct episode running, finished; // finished.is_whole: there is one
};

static struct vec_log *log_of(const struct agon_vec *v, const struct lane *l)
{
    return &v->logs[(size_t)((const uint8_t *)l - v->blocks) / v->block_bytes];
}

static void add_deed(struct episode *e, struct deed d)
{
    if (!e->is_whole)
        return;
    if (e->count == e->room) {
        size_t room = e->room ? e->room * 2 : 256;
        struct deed *more = realloc(e->deeds, room * sizeof *more);
        if (!more) {
            e->is_whole = false; // without memory there is no log, but the environment goes on
            return;
        }
        e->deeds = more;
        e->room = room;
    }
    e->deeds[e->count++] = d;
}

void lane_log_begin(const struct agon_vec *v, const struct lane *l)
{
    struct vec_log *log = log_of(v, l);
    struct episode *e = &log->running;
    *e = (struct episode){.root = l->root,
                          .seed = l->seed,
                          .is_seeded = l->episode == 0,
                          .is_whole = log->is_on,
                          .deeds = e->deeds,
                          .room = e->room};
}

void lane_log_action(const struct agon_vec *v, const struct lane *l, int seat, struct game_action a, bool silent)
{
    add_deed(&log_of(v, l)->running, (struct deed){.action = a, .seat = (uint8_t)seat, .silent = silent});
}

void lane_log_tick(const struct agon_vec *v, const struct lane *l)
{
    struct episode *e = &log_of(v, l)->running;
    if (e->count && e->deeds[e->count - 1].ticks && e->deeds[e->count - 1].ticks < UINT32_MAX)
        e->deeds[e->count - 1].ticks++;
    else
        add_deed(e, (struct deed){.ticks = 1});
}

void lane_log_end(const struct agon_vec *v, const struct lane *l)
{
    struct vec_log *log = log_of(v, l);
    if (!log->running.is_whole)
        return;
    struct episode last = log->finished;
    log->finished = log->running;
    log->finished.is_over = v->game->turn(lane_state(v, l)).kind == TURN_OVER;
    log->running = (struct episode){.deeds = last.deeds, .room = last.room};
}

void lane_log_break(const struct agon_vec *v, const struct lane *l)
{
    log_of(v, l)->running.is_whole = false;
}

void vec_logs_release(struct agon_vec *v)
{
    for (uint32_t i = 0; v->logs && i < v->config.num_envs; i++) {
        free(v->logs[i].running.deeds);
        free(v->logs[i].finished.deeds);
    }
    free(v->logs);
}

int agon_record(agon_vec *v, uint32_t env, int on)
{
    int err = vec_check_idle(v);
    if (err)
        return err;
    if (env >= v->config.num_envs)
        return vec_refuse(AGON_RANGE, "environment %u is not one of 0 to %u", env, v->config.num_envs - 1);
    if (!v->logs && on)
        v->logs = calloc(v->config.num_envs, sizeof *v->logs);
    if (!v->logs)
        return on ? vec_refuse(AGON_NO_MEMORY, "there is no memory for logs") : AGON_OK;
    v->logs[env].is_on = on != 0;
    if (!on)
        v->logs[env].running.is_whole = false;
    return AGON_OK;
}

// ---- The bytes ------------------------------------------------------------------------------------------------------

static int play_deed(struct match *m, const struct deed *d)
{
    int err = OK;
    if (!d->ticks && d->seat == GAME_MASTER)
        return match_oversee(m, d->action, NULL);
    if (!d->ticks && d->silent)
        return match_play_fallback(m, d->seat, NULL);
    if (!d->ticks)
        return match_answer(m, d->seat, m->game->turn(&m->state).number, d->action, NULL);
    for (uint32_t i = 0; i < d->ticks && err == OK; i++)
        err = match_tick(m, NULL);
    return err;
}

static int write_log(const struct agon_vec *v, const struct episode *e, struct text *out)
{
    struct match m;
    struct match_setup setup = {.game = v->game,
                                .rules = &v->rules,
                                .seats = (int)v->seats,
                                .has_seed = e->is_seeded,
                                .open_key = true,
                                .seed = e->seed};
    for (int i = 0; i < RNG_KEY_BYTES; i++)
        setup.key[i] = (uint8_t)(e->root.key[i / 4] >> 8 * (i % 4));
    sha256(setup.commitment, setup.key, sizeof setup.key);
    int err = match_start(&m, &setup, out, NULL);
    for (size_t i = 0; err == OK && i < e->count; i++)
        err = play_deed(&m, &e->deeds[i]);
    if (err == OK)
        err = e->is_over ? match_finish(&m, setup.key, true) : match_checkpoint(&m);
    return err;
}

int64_t agon_replay(const agon_vec *v, uint32_t env, void *out, size_t room)
{
    int err = vec_check_env(v, env);
    if (err)
        return err;
    if (!v->logs || !v->logs[env].finished.is_whole)
        return vec_refuse(AGON_ABSENT, "environment %u has no finished episode on record; call record first", env);
    struct text t = {.grow = heap_text_grow};
    err = write_log(v, &v->logs[env].finished, &t);
    int64_t size = (int64_t)t.size;
    if (err != OK || t.full)
        size = vec_refuse(AGON_NO_MEMORY, "the replay of environment %u: %s", env, err_sentence(err ? err : ERR_FULL));
    else if (room && (!out || room < t.size))
        size = vec_refuse(AGON_TOO_SHORT, "the replay has %zu bytes", t.size);
    else if (room)
        memcpy(out, t.at, t.size);
    free(t.at);
    return size;
}
