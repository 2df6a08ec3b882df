// A seat of the arena as an environment (G1.9): its table follows a match that is played elsewhere. The match comes as
// a log and is replayed here, so that views, events, rewards and pictures are those of any other table; what the seat
// does goes to the arena, and happens when the log brings it back.
#include "env/advance.h"
#include "env/arena_seat.h"
#include "env/host.h"
#include "env/live.h"
#include "env/owner.h"
#include "env/schema.h"
#include "env/tools.h"
#include "match/replay.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODE_ROOM = 64, KEY_ROOM = 128, ENTROPY_ROOM = 128 };

struct rl_place {
    struct rl_group *group;
    struct rl_agent *agent; // NULL: not registered yet
    struct rl_player *player;
    bool begun;
    bool waits;     // an answer was taken and has not come back
    int64_t due_us; // of the question
    struct replay_run run;
};

// --- entering

static bool refuse_second(struct rl_conn *c, const char *path, struct rl_result *r)
{
    *r = rl_bad(c->rl, path, "one agent only on a connection that plays in the arena", "only_agent");
    return false;
}

bool rl_arena_sit(struct rl_conn *c, const char *id, struct span queue, struct rl_table **table, struct rl_result *r)
{
    struct span value;
    char game[RL_NAME_ROOM] = "", say[RL_ARENA_SAY];
    *table = &c->group->table[0];
    if (c->group->place) // the same agent again (G10.4), or none
        return strcmp(c->group->place->agent->id, id) == 0 || refuse_second(c, "/agent_id", r);
    if (!c->rl->o.arena) {
        *r = rl_bad(c->rl, "/config/queue", "no queue: this server has none", "queue");
        return false;
    }
    if (c->agent_count)
        return refuse_second(c, "/config/queue", r);
    rl_json_member(queue, "game", &value);
    json_string_copy(rl_json_string(value), game, sizeof game);
    const struct rl_game *row = rl_find_game(c->rl, game);
    if (!row) {
        snprintf(say, sizeof say, "unknown game %s", game);
        *r = rl_bad(c->rl, "/config/queue/game", "a game of the arena", say);
        return false;
    }
    *table = rl_move_apart(c, row);
    snprintf((*table)->scenario_name, sizeof(*table)->scenario_name, "arena");
    return true;
}

static struct span take_text(struct span object, const char *key, char *out, size_t room)
{
    struct span value;
    if (!rl_json_member(object, key, &value))
        return SPAN("");
    int size = json_string_copy(rl_json_string(value), out, room);
    return size < 0 ? SPAN("?") : (struct span){out, (size_t)size}; // too long for any that there is
}

bool rl_arena_join(struct rl_conn *c, struct span config, struct rl_result *r)
{
    const struct rl_arena *arena = c->rl->o.arena;
    char mode[MODE_ROOM], key[KEY_ROOM], entropy[ENTROPY_ROOM], say[RL_ARENA_SAY];
    const char *path = "/config/queue";
    struct span queue, given;
    rl_json_member(config, "queue", &queue);
    struct rl_arena_wish wish = {.game = span_of(c->group->table[0].row->game->name),
                                 .mode = take_text(queue, "mode", mode, sizeof mode),
                                 .api_key = take_text(config, "api_key", key, sizeof key),
                                 .entropy = take_text(config, "entropy", entropy, sizeof entropy)};
    if (!wish.api_key.size && rl_json_member(config, "api_key", &given))
        wish.api_key = SPAN("?"); // an empty key is nobody's, and no guest's either
    if (!wish.entropy.size && rl_json_member(config, "entropy", &given))
        wish.entropy = SPAN("?"); // likewise
    struct rl_place *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->group = c->group;
    p->player = arena->join(arena->owner, p, &wish, &path, say);
    if (!p->player) {
        free(p);
        *r = rl_bad(c->rl, path, "a queue of the arena that this agent may enter now", say);
        return false;
    }
    c->group->place = p;
    return true;
}

void rl_arena_seat(struct rl_agent *a)
{
    a->table->group->place->agent = a;
}

void rl_arena_leave(struct rl_group *g)
{
    struct rl_place *p = g->place;
    g->place = NULL;
    g->rl->o.arena->leave(p->player);
    free(p);
}

// --- playing

bool rl_arena_answer(struct rl_group *g, struct game_action a)
{
    struct rl_place *p = g->place;
    p->waits = g->rl->o.arena->answer(p->player, a);
    return p->waits;
}

bool rl_arena_is_owed(const struct rl_group *g)
{
    return g->place && g->place->waits;
}

int64_t rl_arena_left_us(const struct rl_group *g)
{
    int64_t left = g->place->due_us - g->rl->now_us;
    return left > 0 ? left : 0;
}

// --- following

static void begin(struct rl_place *p, const struct rl_arena_news *n)
{
    struct rl_table *t = &p->group->table[0];
    t->happened.count = t->happened.ticks = 0;
    int err = replay_begin(&p->run, n->log, t->row->game, n->key, &t->happened);
    assert(err == OK);
    (void)err;
    p->begun = true;
    p->agent->seat = n->seat;
    t->match = (struct match){
        .game = t->row->game, .seats = p->run.reader.head.seats, .rules = p->run.rules, .state = p->run.state};
    t->max_ticks = UINT64_MAX; // the arena has clocks of its own
    memcpy(t->key, n->key, sizeof t->key);
    rl_entropy(p->group->rl, t->salt, sizeof t->salt); // or hashes would tell what is hidden
    t->hash_version = 2;
    rl_episode_begin(t, &t->match, p->group->rl->now_us);
}

static bool is_own_drop(const struct rl_place *p, const struct replay_entry *e)
{
    return e->seat == GAME_MASTER && e->action.kind == GAME_DROP && e->action.arg[0] == p->agent->seat;
}

static void follow(struct rl_place *p, struct span log)
{
    struct rl_table *t = &p->group->table[0];
    struct replay_entry *e = &p->run.entry;
    p->run.reader.file = log; // it may have moved
    int done;
    while ((done = replay_step(&p->run, 1, &t->happened)) == 1) {
        if (e->kind != REPLAY_ACTION)
            continue;
        t->match.state = p->run.state;
        t->match.steps = p->run.steps;
        p->waits &= e->seat != p->agent->seat;
        rl_absorb(t);
        if (is_own_drop(p, e))
            rl_terminate(p->agent, false, RL_FAILURE);
    }
    assert(done == 0 || e->kind == REPLAY_END); // the end of a file that was opened before it had one
}

// A seat that was taken back: what happened before is nobody's news and nobody's earnings.
static void forget(struct rl_agent *a)
{
    rl_news_clear(&a->news);
    rl_news_begin(a, "episode_started", 0, 1);
    json_put_uint(&a->news.text, "episode", a->table->episode);
    json_put_text(&a->news.text, "scenario", a->table->scenario_name);
    rl_news_end(a);
    memset(a->earned, 0, sizeof a->earned);
    memset(a->unkept, 0, sizeof a->unkept);
}

static void catch_up(struct rl_place *p, const struct rl_arena_news *n)
{
    begin(p, n);
    follow(p, n->log);
    if (p->run.steps)
        forget(p->agent);
}

static void end(struct rl_place *p)
{
    p->waits = false;
    p->group->table[0].running = false;
    rl_terminate(p->agent, false, RL_EXTERNAL);
}

static void tell_left(const struct rl_place *p, const char *why)
{
    const struct rl_conn *c = p->agent->conn;
    char line[RL_ID_ROOM + RL_ARENA_SAY];
    snprintf(line, sizeof line, "%s is out of the arena: %.64s; deregister and register to go on", p->agent->id, why);
    if (c->hooks->on_log)
        c->hooks->on_log(c->owner, "warning", line);
}

void rl_place_tell(struct rl_place *p, const struct rl_arena_news *n, int64_t now_us)
{
    struct rl_table *t = &p->group->table[0];
    struct rl_agent *a = p->agent;
    p->group->rl->now_us = now_us;
    if (n->log.size && p->begun)
        follow(p, n->log);
    else if (n->log.size)
        catch_up(p, n);
    if (n->asked) {
        p->due_us = now_us + n->timeout_ms * 1000;
        a->was_to_act = false;
    }
    if (n->left)
        tell_left(p, n->left);
    if (p->begun && (n->over || n->left))
        end(p);
    if (p->begun)
        rl_live_settle(t, now_us);
    rl_live_poke(t, now_us);
}
