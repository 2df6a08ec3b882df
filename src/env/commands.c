// Actions of systemic agents (G23). Each kind of command has a check, which refuses without a trace, and a function
// that executes it.
#include "env/actions.h"
#include "env/advance.h"
#include "env/broadcast.h"
#include "env/host.h"
#include "env/messages.h"
#include "env/new_episode.h"
#include "env/schema.h"

#include <math.h>
#include <stdlib.h>

enum { KILLED = 3 }; // a reason of GAME_DROP beyond those of the arena

static bool refuse_now(struct env *env, const struct env_agent *a, const struct env_command *d, const char *why,
                       struct env_result *r)
{
    return env_refuse_action(env, a, d->source, "illegal_now", why, r);
}

// The seat that a parameter names; -1 if it is absent.
static bool read_seat(struct env *env, const struct env_agent *a, const char *key, struct env_command *d,
                      struct env_result *r)
{
    struct span value;
    char name[32] = "";
    d->seat = -1;
    if (!json_find_member(d->params, key, &value))
        return true;
    json_string_copy(env_json_string(value), name, sizeof name);
    d->seat = env_seat_of_name(a->table->kit, name);
    if (d->seat >= 0 && d->seat < env_seats_of(a->table))
        return true;
    return env_refuse_action(env, a, d->source, "out_of_range", "There is no such seat at this table.", r);
}

static bool is_held(const struct env_table *t, int seat)
{
    const struct env_agent *a = env_agent_at(t, seat);
    return a && a->state == ENV_ACTIVE;
}

static struct env_reset_request request_of(const struct env_command *d)
{
    struct env_reset_request request = {.at = "/action/params"};
    struct span value;
    json_find_member(d->params, "scenario", &request.scenario);
    json_find_member(d->params, "initial_state", &request.initial);
    request.has_seed = json_find_member(d->params, "seed", &value);
    request.seed = request.has_seed ? env_json_int(value) : 0;
    return request;
}

// --- checks

static bool check_nothing(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    (void)env, (void)a, (void)d, (void)r;
    return true;
}

static bool check_restart(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    struct env_reset_request request = request_of(d);
    struct span seed;
    if (json_find_member(d->params, "seed", &seed) && !env_json_fits(seed)) {
        *r = env_bad(env, "/action/params/seed", "a signed integer of 64 bits", NULL);
        return false;
    }
    struct env_new_episode *fresh = malloc(sizeof *fresh);
    if (!fresh)
        abort();
    bool good =
        env_new_episode_prepare(fresh, a->table, &request, r) && env_may_choose_deal(a->conn, fresh, &request, r);
    if (good && fresh->row != a->table->row) {
        *r = env_bad(env, "/action/params/scenario", "a scenario of the running game", "others");
        good = false;
    }
    env_new_episode_release(fresh);
    free(fresh);
    return good;
}

static bool check_replace(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    return read_seat(env, a, "seat", d, r);
}

static bool check_kill(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    union game_view view;
    if (!read_seat(env, a, "entity_id", d, r))
        return false;
    if (!a->table->running)
        return refuse_now(env, a, d, "No episode is running.", r);
    a->table->row->game->view(&a->table->match.state, GAME_SPECTATOR, &view);
    return env_facts_in_play(a->table->kit, &view, d->seat) || refuse_now(env, a, d, "This seat is out already.", r);
}

// Tried on a copy, so that what the game refuses is refused before anything happens.
static bool try_master(struct env *env, struct env_agent *a, struct env_command *d, struct game_action move,
                       struct env_result *r)
{
    union game_state copy = a->table->match.state;
    if (a->table->running && a->table->row->game->apply(&copy, GAME_MASTER, move, NULL) == OK) {
        d->move = move;
        return true;
    }
    return refuse_now(env, a, d, "The game does not allow this now.", r);
}

static bool read_master(struct env *env, struct env_agent *a, struct env_command *d, const char *type,
                        struct span params, struct env_result *r)
{
    const struct env_table *t = a->table;
    struct codec_table names = env_codec_table(t, GAME_SPECTATOR);
    struct json_reader in = json_reader_of(params, 64);
    const struct codec_action *row = t->row->codec->actions;
    while (row->type && (!row->master || strcmp(row->type, type) != 0))
        row++;
    if (!row->type)
        return refuse_now(env, a, d, "This game has no such action.", r);
    struct game_action move = {.kind = row->kind};
    int err = codec_read_params(t->row->codec, &in, &names, &move);
    if (err == ERR_MISSING || err == ERR_TYPE) {
        *r = env_bad(env, "/action/params", "the parameters of the action space", NULL);
        return false;
    }
    if (err != OK)
        return env_refuse_action(env, a, d->source, "out_of_range", "A parameter is out of range.", r);
    return try_master(env, a, d, move, r);
}

// The location of a teleport is [x, y, 0]; the game wants x and y.
static bool check_master(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    struct span location;
    char params[96];
    if (!json_find_member(d->params, "location", &location))
        return read_master(env, a, d, d->row->codec_type, d->params, r);
    struct json_reader in = json_reader_of(location, 8);
    struct text t = text_on(params, sizeof params);
    double at[2] = {0};
    json_enter_array(&in);
    for (int i = 0; i < 2 && json_next_item(&in); i++)
        at[i] = json_read_real(&in);
    if (at[0] < -100 || at[0] > 100 || at[1] < -100 || at[1] > 100)
        return env_refuse_action(env, a, d->source, "out_of_range", "The location is outside the board.", r);
    json_begin_object(&t);
    json_put_int(&t, "x", (int)at[0]);
    json_put_int(&t, "y", (int)at[1]);
    json_end_object(&t);
    return read_master(env, a, d, d->row->codec_type, text_span(&t), r);
}

static bool check_spawn(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    struct span type = {0};
    json_find_member(d->params, "entity_type", &type);
    struct json_string name = env_json_string(type);
    if (json_string_is(name, "garbage"))
        return read_master(env, a, d, "garbage", d->params, r);
    if (json_string_is(name, "piece"))
        return read_master(env, a, d, "next_piece", d->params, r);
    if (!read_seat(env, a, "seat", d, r))
        return false;
    return !is_held(a->table, d->seat) ||
           refuse_now(env, a, d, "An agent holds this seat; replace_seat comes first.", r);
}

static bool check_house(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    struct span level;
    if (!read_seat(env, a, "seat", d, r))
        return false;
    if (a->type == ENV_COLONY)
        return d->seat % 2 == a->team || refuse_now(env, a, d, "This seat is not of the team.", r);
    if (a->table->row->game->tick_ms && json_find_member(d->params, "level", &level)) { // the game has its own level
        char params[32];
        struct text t = text_on(params, sizeof params);
        json_begin_object(&t);
        json_put_int(&t, "level", 3 * env_json_int(level));
        json_end_object(&t);
        return read_master(env, a, d, "set_level", text_span(&t), r);
    }
    return d->seat < 0 || !is_held(a->table, d->seat) || refuse_now(env, a, d, "An agent plays this seat.", r);
}

static int read_deal(const struct env_table *t, const struct env_command *d, uint8_t items[MATCH_MAX_ITEMS])
{
    struct span list;
    if (!json_find_member(d->params, "deck", &list) && !json_find_member(d->params, "dice", &list))
        return -1;
    struct json_reader in = json_reader_of(list, 8);
    return t->row->codec->read_items ? t->row->codec->read_items(&in, items, MATCH_MAX_ITEMS) : -1;
}

static bool check_deal(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    uint8_t items[MATCH_MAX_ITEMS];
    union game_state copy = a->table->match.state;
    int count = read_deal(a->table, d, items);
    if (a->table->running && count >= 0 && a->table->row->game->stack &&
        a->table->row->game->stack(&copy, items, count) == OK)
        return true;
    *r = env_bad(env, "/action/params/deck", "exactly what the game deals next, in some order", "permutation");
    env_refusal_put(env, r, "agent_id", a->id);
    return false;
}

static bool check_narrate(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    struct span target = {0};
    json_find_member(d->params, "target", &target);
    for (struct env_agent *b = a->table->group->agents; b; b = b->next)
        if (b->table == a->table && env_is_addressed(b, env_json_string(target)))
            return true;
    *r = env_bad(env, "/action/params/target", "an agent id, an avatar id or *", "unknown");
    env_refusal_put(env, r, "agent_id", a->id);
    return false;
}

static bool check_talk(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    struct span to;
    bool all = !json_find_member(d->params, "to", &to) || json_string_is(env_json_string(to), "*");
    return env_may_talk(env, a, all, r);
}

// The manager acts as the seat that it moves.
static bool check_task(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    struct span action = {0};
    const struct env_action *row = d->row;
    if (!read_seat(env, a, "seat", d, r))
        return false;
    if (d->seat % 2 != a->team)
        return refuse_now(env, a, d, "This seat is not of the team.", r);
    json_find_member(d->params, "action", &action);
    struct env_agent *seat = malloc(sizeof *seat);
    if (!seat)
        abort();
    *seat = *a;
    seat->type = ENV_ENTITY;
    seat->scope = ENV_EMBODIED;
    seat->seat = d->seat;
    seat->masked = 0;
    struct env_command move;
    bool good = env_action_read(env, seat, action, &move, r);
    free(seat);
    if (!good)
        return false;
    d->move = move.move;
    d->row = move.row ? row : NULL; // waiting moves nobody
    return true;
}

// --- commands

static void do_nothing(struct env_agent *a, const struct env_command *d)
{
    (void)a, (void)d;
}

static void describe_time(struct env_table *t)
{
    struct text *s = &t->group->env->scratch;
    s->size = 0;
    json_begin_object(s);
    json_put_int(s, "hour", t->hour);
    json_put_int(s, "minute", t->minute);
    json_put_bool(s, "paused", t->paused);
    json_end_object(s);
    env_broadcast(t, "time_changed", 63, text_span(s));
    env_notify_changed(t, "game://world");
}

static void do_pause(struct env_agent *a, const struct env_command *d)
{
    a->table->paused = d->row->command == ENV_DO_PAUSE;
    describe_time(a->table);
}

static void do_time(struct env_agent *a, const struct env_command *d)
{
    struct span hour = {0}, minute = {0};
    json_find_member(d->params, "hour", &hour);
    json_find_member(d->params, "minute", &minute);
    a->table->hour = (uint8_t)env_json_int(hour);
    a->table->minute = (uint8_t)env_json_int(minute);
    describe_time(a->table);
}

static void do_restart(struct env_agent *a, const struct env_command *d)
{
    struct env_reset_request request = request_of(d);
    struct env_result r;
    env_begin_new_episode(a->table, &request, &r);
    a->notice.due = false; // the agent that restarts knows
}

static int level_of(const struct env_command *d, int missing)
{
    struct span level;
    return json_find_member(d->params, "level", &level) ? (int)env_json_int(level) : missing;
}

static void do_replace(struct env_agent *a, const struct env_command *d)
{
    struct env_agent *holder = env_agent_at(a->table, d->seat);
    a->table->level[d->seat] = (uint8_t)level_of(d, a->table->level[d->seat]);
    if (holder)
        env_terminate(holder, false, ENV_EXTERNAL);
    env_broadcast_seat(a->table, d->seat, a->id);
}

static void do_kill(struct env_agent *a, const struct env_command *d)
{
    struct env_table *t = a->table;
    t->killed |= SEAT(d->seat);
    match_drop(&t->match, d->seat, KILLED, &t->happened);
    env_process_events(t);
}

static void do_master(struct env_agent *a, const struct env_command *d)
{
    struct env_table *t = a->table;
    if (match_oversee(&t->match, d->move, &t->happened) != OK)
        return;
    t->question.foreign++; // C65
    env_process_events(t);
}

static void do_spawn(struct env_agent *a, const struct env_command *d)
{
    if (d->move.kind) {
        do_master(a, d);
        return;
    }
    a->table->level[d->seat] = (uint8_t)level_of(d, 2);
    env_broadcast_seat(a->table, d->seat, a->id);
}

static void do_difficulty(struct env_agent *a, const struct env_command *d)
{
    if (d->move.kind) {
        do_master(a, d);
        return;
    }
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        if (d->seat < 0 || d->seat == s)
            a->table->level[s] = (uint8_t)level_of(d, 2);
}

static void do_aggro(struct env_agent *a, const struct env_command *d)
{
    struct span value = SPAN("0.5");
    if (!json_find_member(d->params, "value", &value))
        json_find_member(d->params, "aggro", &value);
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        if (d->seat < 0 || d->seat == s)
            a->table->aggro[s] = (float)env_json_real(value);
}

static void do_deal(struct env_agent *a, const struct env_command *d)
{
    uint8_t items[MATCH_MAX_ITEMS];
    int count = read_deal(a->table, d, items);
    if (count < 0 || match_stack(&a->table->match, items, count) != OK)
        return;
    a->table->question.foreign++;
    a->table->seeded = true;
}

static void do_narrate(struct env_agent *a, const struct env_command *d)
{
    struct env_table *t = a->table;
    struct text *s = &t->group->env->scratch;
    struct span target = {0}, message = {0};
    json_find_member(d->params, "target", &target);
    json_find_member(d->params, "message", &message);
    s->size = 0;
    json_begin_object(s);
    json_put_text(s, "from", a->id);
    json_put_raw(s, "text", message);
    json_put_raw(s, "target", target);
    json_end_object(s);
    for (struct env_agent *b = t->group->agents; b; b = b->next)
        if (b->table == t && b != a && env_is_addressed(b, env_json_string(target)))
            env_news_add(b, "narrative", t->tick, 1, text_span(s));
    if (json_string_is(env_json_string(target), "*"))
        env_broadcast(t, "narrative_triggered", 63, text_span(s));
}

static void do_trigger(struct env_agent *a, const struct env_command *d)
{
    struct env_table *t = a->table;
    struct text *s = &t->group->env->scratch;
    struct span type = {0}, params = SPAN("{}");
    json_find_member(d->params, "event_type", &type);
    json_find_member(d->params, "params", &params);
    s->size = 0;
    json_begin_object(s);
    json_put_raw(s, "event", type);
    json_put_raw(s, "params", params);
    json_put_text(s, "target", "*");
    json_end_object(s);
    for (struct env_agent *b = t->group->agents; b; b = b->next)
        if (b->table == t)
            env_news_add(b, "gm_event", t->tick, 1, text_span(s));
    env_broadcast(t, "narrative_triggered", 63, text_span(s));
}

static void do_talk(struct env_agent *a, const struct env_command *d)
{
    struct span text = {0}, to = {0};
    bool speaks = d->row->command == ENV_DO_SPEAK;
    json_find_member(d->params, speaks ? "text" : "emote", &text);
    json_find_member(d->params, "to", &to);
    env_speak(a, speaks ? "speech" : "emote", speaks ? "text" : "emote", text, to);
}

// G23.4: both numbers of the vector, one master's action each.
static void do_vector(struct env_agent *a, const struct env_command *d)
{
    static const char *const types[2][2] = {{"set_gravity", "set_garbage_rate"}, {"set_blind_level", "set_ante"}};
    static const char *const keys[2][2] = {{"multiplier", "rate"}, {"multiplier", "fraction"}};
    struct env_table *t = a->table;
    int game = !t->row->game->tick_ms;
    for (int i = 0; i < 2; i++) {
        char params[64];
        struct text s = text_on(params, sizeof params);
        struct env_command one = *d;
        struct env_result r;
        json_begin_object(&s);
        if (game == 0 && i == 1)
            json_put_int(&s, keys[game][i], lround(d->vector[i]));
        else
            json_put_decimal(&s, keys[game][i], d->vector[i], 6);
        json_end_object(&s);
        if (read_master(t->group->env, a, &one, types[game][i], text_span(&s), &r))
            do_master(a, &one);
    }
}

static const struct {
    bool (*check)(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r);
    void (*act)(struct env_agent *a, const struct env_command *d);
} commands[ENV_DO_COMMANDS] = {
    [ENV_DO_WAIT] = {check_nothing, do_nothing},
    [ENV_DO_MOVE] = {check_nothing, do_nothing},
    [ENV_DO_MASTER] = {check_master, do_master},
    [ENV_DO_PAUSE] = {check_nothing, do_pause},
    [ENV_DO_RESUME] = {check_nothing, do_pause},
    [ENV_DO_RESTART] = {check_restart, do_restart},
    [ENV_DO_REPLACE_SEAT] = {check_replace, do_replace},
    [ENV_DO_KILL] = {check_kill, do_kill},
    [ENV_DO_SPAWN] = {check_spawn, do_spawn},
    [ENV_DO_DIFFICULTY] = {check_house, do_difficulty},
    [ENV_DO_AGGRO] = {check_house, do_aggro},
    [ENV_DO_DEAL] = {check_deal, do_deal},
    [ENV_DO_SET_TIME] = {check_nothing, do_time},
    [ENV_DO_NARRATE] = {check_narrate, do_narrate},
    [ENV_DO_TRIGGER] = {check_nothing, do_trigger},
    [ENV_DO_SPEAK] = {check_talk, do_talk},
    [ENV_DO_EMOTE] = {check_talk, do_talk},
    [ENV_DO_TASK] = {check_task, do_nothing},
};

bool env_command_check(struct env *env, struct env_agent *a, struct env_command *d, struct env_result *r)
{
    return commands[d->row->command].check(env, a, d, r);
}

void env_command_do(struct env_agent *a, const struct env_command *d)
{
    if (d->is_vector)
        do_vector(a, d);
    else
        commands[d->row->command].act(a, d);
}
