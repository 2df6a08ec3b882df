// A seat of the arena as an environment (G1.9): its table follows a match that is played elsewhere. The match arrives
// as a log and is replayed here, so that views, events, rewards and pictures are those of any other table. The seat's
// actions are sent to the arena, and take effect when the log brings them back.
#include "env/arena_seat.h"
#include "env/access.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/job.h"
#include "env/live_clock.h"
#include "env/schema.h"
#include "match/replay.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODE_ROOM = 64, KEY_ROOM = 128, ENTROPY_ROOM = 128 };

struct env_arena_seat {
    struct env_group *group;
    struct env_agent *agent; // NULL: not registered yet
    struct env_arena_player *player;
    bool begun;
    bool waits;     // an answer was accepted and has not come back
    int64_t due_us; // deadline of the question
    struct replay_run run;
};

// --- entering

static bool refuse_second(struct env_conn *c, const char *path, struct env_result *r)
{
    *r = env_bad(c->env, path, "one agent only on a connection that plays in the arena", "only_agent");
    return false;
}

bool env_arena_choose_table(struct env_conn *c, const char *id, struct span queue, struct env_table **table,
                            struct env_result *r)
{
    struct span value;
    char game[ENV_NAME_ROOM] = "", error[ENV_ARENA_ERROR_ROOM];
    *table = &c->group->table[0];
    if (c->group->arena_seat) // the same agent again (G10.4), or none
        return strcmp(c->group->arena_seat->agent->id, id) == 0 || refuse_second(c, "/agent_id", r);
    if (!c->env->o.arena) {
        *r = env_bad(c->env, "/config/queue", "no queue: this server has none", "queue");
        return false;
    }
    if (c->agent_count)
        return refuse_second(c, "/config/queue", r);
    json_find_member(queue, "game", &value);
    json_string_copy(env_json_string(value), game, sizeof game);
    const struct env_game *row = env_find_game(c->env, game);
    if (!row) {
        snprintf(error, sizeof error, "unknown game %s", game);
        *r = env_bad(c->env, "/config/queue/game", "a game of the arena", error);
        return false;
    }
    *table = env_move_apart(c, row);
    snprintf((*table)->scenario_name, sizeof(*table)->scenario_name, "arena");
    return true;
}

static struct span copy_text(struct span object, const char *key, char *out, size_t room)
{
    struct span value;
    if (!json_find_member(object, key, &value))
        return SPAN("");
    int size = json_string_copy(env_json_string(value), out, room);
    return size < 0 ? SPAN("?") : (struct span){out, (size_t)size}; // too long to be valid
}

bool env_arena_join(struct env_conn *c, struct span config, struct env_result *r)
{
    const struct env_arena *arena = c->env->o.arena;
    char mode[MODE_ROOM], key[KEY_ROOM], entropy[ENTROPY_ROOM], error[ENV_ARENA_ERROR_ROOM];
    const char *path = "/config/queue";
    struct span queue, given;
    json_find_member(config, "queue", &queue);
    struct env_arena_request request = {.game = span_of(c->group->table[0].row->game->name),
                                        .mode = copy_text(queue, "mode", mode, sizeof mode),
                                        .api_key = copy_text(config, "api_key", key, sizeof key),
                                        .entropy = copy_text(config, "entropy", entropy, sizeof entropy)};
    if (!request.api_key.size && json_find_member(config, "api_key", &given))
        request.api_key = SPAN("?"); // an empty key is neither an agent's nor a guest's
    if (!request.entropy.size && json_find_member(config, "entropy", &given))
        request.entropy = SPAN("?"); // likewise
    struct env_arena_seat *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->group = c->group;
    env_job_hold(c->group); // the arena may wait for its store: neither the connection nor the table may go meanwhile
    p->player = arena->join(arena->owner, p, &request, &path, error);
    if (!p->player) {
        free(p);
        *r = env_bad(c->env, path, "a queue of the arena that this agent may enter now", error);
        return false;
    }
    c->group->arena_seat = p;
    return true;
}

void env_arena_set_agent(struct env_agent *a)
{
    a->table->group->arena_seat->agent = a;
}

void env_arena_leave(struct env_group *g)
{
    struct env_arena_seat *p = g->arena_seat;
    g->arena_seat = NULL;
    g->env->o.arena->leave(p->player);
    free(p);
}

// --- playing

bool env_arena_answer(struct env_group *g, struct game_action a)
{
    struct env_arena_seat *p = g->arena_seat;
    p->waits = g->env->o.arena->answer(p->player, a);
    return p->waits;
}

bool env_arena_is_unconfirmed(const struct env_group *g)
{
    return g->arena_seat && g->arena_seat->waits;
}

int64_t env_arena_time_left_us(const struct env_group *g)
{
    int64_t left = g->arena_seat->due_us - g->env->now_us;
    return left > 0 ? left : 0;
}

// --- following

static void begin_following(struct env_arena_seat *p, const struct env_arena_update *n)
{
    struct env_table *t = &p->group->table[0];
    t->happened.count = t->happened.ticks = 0;
    int err = replay_begin(&p->run, n->log, t->row->game, n->key, &t->happened);
    assert(err == OK);
    (void)err;
    p->begun = true;
    p->agent->seat = n->seat;
    t->match = (struct match){
        .game = t->row->game, .seats = p->run.reader.head.seats, .rules = p->run.rules, .state = p->run.state};
    t->max_ticks = UINT64_MAX; // the arena has its own clocks
    memcpy(t->key, n->key, sizeof t->key);
    env_entropy(p->group->env, t->salt, sizeof t->salt); // otherwise hashes would reveal hidden information
    t->hash_version = 2;
    env_episode_begin(t, &t->match, p->group->env->now_us);
    p->run.history = &t->history;
}

static void replay_log(struct env_arena_seat *p, struct span log)
{
    struct env_table *t = &p->group->table[0];
    struct replay_entry *e = &p->run.entry;
    p->run.reader.file = log; // it may have moved
    int done;
    while ((done = replay_step(&p->run, 1, &t->happened)) == 1) {
        if (e->kind != REPLAY_ACTION)
            continue;
        t->match.state = p->run.state;
        t->match.steps = p->run.steps;
        p->waits &= e->seat != p->agent->seat;
        env_process_events(t);
        if (e->seat == GAME_MASTER && e->action.kind == GAME_DROP && e->action.arg[0] == p->agent->seat)
            env_terminate(p->agent, false, ENV_FAILURE);
    }
    assert(done == 0 || e->kind == REPLAY_END); // the end of a file that was opened before it had one
}

// A seat that was taken back: what happened before counts neither as news nor as reward.
static void forget_past(struct env_agent *a)
{
    env_news_clear(&a->news);
    env_news_begin(a, "episode_started", 0, 1);
    json_put_uint(&a->news.text, "episode", a->table->episode);
    json_put_text(&a->news.text, "scenario", a->table->scenario_name);
    env_news_end(a);
    memset(a->earned, 0, sizeof a->earned);
    memset(a->unrecorded, 0, sizeof a->unrecorded);
}

static void log_left(const struct env_arena_seat *p, const char *why)
{
    const struct env_conn *c = p->agent->conn;
    char line[ENV_ID_ROOM + ENV_ARENA_ERROR_ROOM];
    snprintf(line, sizeof line, "%s is out of the arena: %.64s; deregister and register to go on", p->agent->id, why);
    if (c->hooks->on_log)
        c->hooks->on_log(c->owner, "warning", line);
}

void env_arena_notify(struct env_arena_seat *p, const struct env_arena_update *n, int64_t now_us)
{
    struct env_table *t = &p->group->table[0];
    struct env_agent *a = p->agent;
    p->group->env->now_us = now_us;
    if (n->log.size) {
        bool fresh = !p->begun;
        if (fresh)
            begin_following(p, n);
        replay_log(p, n->log);
        if (fresh && p->run.steps)
            forget_past(a);
    }
    if (n->asked) {
        p->waits = false; // an answer that was on its way to another node may be lost
        p->due_us = now_us + n->timeout_ms * 1000;
        a->was_to_act = false;
    }
    if (n->left)
        log_left(p, n->left);
    if (p->begun && (n->over || n->left)) {
        p->waits = false;
        t->running = false;
        env_terminate(a, false, ENV_EXTERNAL);
    }
    if (p->begun)
        env_live_clock_answer(t, now_us);
    env_live_clock_update(t, now_us);
}
