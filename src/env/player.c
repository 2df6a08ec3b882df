// join, act, look, leave: one seat, text in and text out.
#include "env/player.h"
#include "env/step_result.h"

#include "base/base64.h"
#include "codec/moves.h"
#include "codec/short_prose.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/arguments.h"
#include "env/host.h"
#include "env/schema.h"
#include "env/step.h"
#include "env/tools.h"
#include "env/vision.h"
#include "render/png.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CLAUSES = 96,      // kept until the next reply
    SINCE_BYTES = 560, // of these in one reply (M55)
    LAST_BYTES = 420,  // and in the last
    WAIT_S = 25,       // timeout of a move at a table where others are awaited
    WIDTH = 640,
    HEIGHT = 480,
};

struct clause {
    uint8_t size;
    bool major;
    char at[CLAUSE_BYTES];
};

struct env_player {
    int count;
    uint32_t dropped;
    struct clause since[CLAUSES];
};

// --- what happened since the last answer

// The oldest of the least important ones.
static int find_droppable(const struct env_player *p)
{
    int i = 0;
    while (i < p->count && p->since[i].major)
        i++;
    return i == p->count ? 0 : i;
}

static void drop_one(struct env_player *p)
{
    int i = find_droppable(p);
    memmove(&p->since[i], &p->since[i + 1], (size_t)(--p->count - i) * sizeof p->since[0]);
    p->dropped++;
}

void env_player_add_event(struct env_agent *a, const struct game_event *e, int count)
{
    struct env_player *p = a->player;
    struct codec_table names = env_codec_table(a->table, a->seat);
    struct clause c;
    struct text t = text_on(c.at, sizeof c.at - 1);
    enum clause_weight weight = short_prose_write_clause(a->table->row->codec, &t, &names, e, count);
    if (weight == CLAUSE_SILENT || !t.size)
        return;
    if (p->count == CLAUSES)
        drop_one(p);
    c.size = (uint8_t)t.size;
    c.major = weight == CLAUSE_MAJOR;
    p->since[p->count++] = c;
}

static void put_since(struct text *t, struct env_player *p, size_t most)
{
    size_t bytes = 0, at = t->size;
    for (int i = 0; i < p->count; i++)
        bytes += p->since[i].size + 2u;
    for (; bytes > most && p->count > 1; drop_one(p))
        bytes -= p->since[find_droppable(p)].size + 2u;
    if (p->dropped)
        codec_write(t, "(%u event%s left out) ", p->dropped, p->dropped == 1 ? "" : "s");
    at = p->dropped ? t->size : at;
    for (int i = 0; i < p->count; i++) {
        text_puts(t, i ? "; " : "");
        text_put(t, (struct span){p->since[i].at, p->since[i].size});
    }
    if (t->size > at && t->at[at] >= 'a' && t->at[at] <= 'z' && p->count && strncmp(p->since[0].at, "seat_", 5) != 0)
        t->at[at] = (char)(t->at[at] - 'a' + 'A');
    if (p->count)
        text_puts(t, ".\n");
    p->count = 0;
    p->dropped = 0;
}

// --- what is to be done

static void put_place(struct text *t, const struct env_agent *a)
{
    const struct env_table *table = a->table;
    const struct game *g = table->row->game;
    int32_t paid[GAME_MAX_SEATS];
    union game_view view;
    int place = 1, seats = table->match.seats;
    if (seats < 2 || g->teams)
        return;
    g->view(&table->match.state, GAME_SPECTATOR, &view);
    g->payoffs(&table->match.state, paid);
    for (int s = 0; s < seats; s++)
        place += s != a->seat && (table->running ? env_facts_in_play(table->kit, &view, s) : paid[s] > paid[a->seat]);
    codec_write(t, ", place %d of %d", place, seats);
}

static const char *ending_of(const struct env_agent *a)
{
    static const char *const words[] = {"it has ended", "you won", "you lost", "the time is up", "it was ended"};
    return words[a->ending];
}

static void put_question(struct text *t, const struct env_agent *a)
{
    const struct env_table *table = a->table;
    size_t before = t->size;
    text_puts(t, "Your move: ");
    if (env_write_moves(t, a, " | "))
        return;
    t->size = before;
    if (a->state == ENV_TERMINAL) {
        codec_write(t, "The game is over: %s", ending_of(a));
        put_place(t, a);
        text_puts(t, ". Call join with your seat to play again.");
        return;
    }
    struct game_turn turn = {0};
    if (table->episode && table->running)
        turn = table->row->game->turn(&table->match.state);
    if (turn.seats)
        codec_write(t, "It is %s's turn. Call look with wait.", table->kit->avatars[__builtin_ctz(turn.seats)]);
    else
        text_puts(t, "The game has not begun. Call look with wait.");
}

static void put_situation(struct text *t, const struct env_agent *a)
{
    const struct env_table *table = a->table;
    struct codec_table names = env_codec_table(table, a->seat);
    union game_view view;
    if (!table->episode || a->seat < 0 || a->seat >= table->match.seats || a->state == ENV_TERMINAL)
        return; // the events tell the end
    table->row->game->view(&table->match.state, a->seat, &view);
    short_prose_write_situation(table->row->codec, t, &names, &view);
    if (t->size && t->at[t->size - 1] != '\n')
        text_put_char(t, '\n');
}

static void put_facts(struct text *t, const struct env_agent *a, double reward)
{
    bool ended = a->state == ENV_TERMINAL;
    json_begin_object_at(t, "step");
    json_put_bool(t, "your_turn", !ended && env_is_asked(a->table, a->seat));
    json_put_bool(t, "done", ended && !a->truncated);
    json_put_bool(t, "truncated", ended && a->truncated);
    env_put_reward(t, "reward", reward);
    json_put_uint(t, "tick", a->table->tick);
    json_put_uint(t, "step_id", a->table->group->step_id);
    json_end_object(t);
}

void env_player_write(struct text *t, struct env_agent *a, enum env_step_purpose purpose, double reward)
{
    struct env *env = a->table->group->env;
    struct text *s = &env->hashed;
    s->size = 0;
    s->full = false;
    if (purpose != ENV_OBSERVE_ONLY)
        put_since(s, a->player, a->state == ENV_TERMINAL ? LAST_BYTES : SINCE_BYTES);
    put_situation(s, a);
    put_question(s, a);
    json_begin_object(t);
    json_put_string(t, "text", text_span(s));
    put_facts(t, a, reward);
    json_end_object(t);
}

void env_player_refuse(struct env *env, const struct env_agent *a, const char *why)
{
    char bytes[MOVES_LINE];
    struct text t = text_on(bytes, sizeof bytes - 1);
    put_question(&t, a);
    bytes[t.size] = 0;
    snprintf(env->message, sizeof env->message, "Not done: %s. %s", why, bytes);
}

void env_player_release(struct env_agent *a)
{
    free(a->player);
    a->player = NULL;
}

// --- the tools

static struct env_agent *player_of(const struct env_conn *c)
{
    for (struct env_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c && a->player)
            return a;
    return NULL;
}

// M57: the alternatives.
static bool refuse_game(struct env *env, const char *name, struct env_result *r)
{
    char list[256] = "";
    size_t size = 0;
    for (const struct env_game *g = env->o.games; g->game && size < sizeof list; g++)
        if (!env->o.pinned || strcmp(env->o.pinned, g->game->name) == 0)
            size += (size_t)snprintf(list + size, sizeof list - size, "%s%s", size ? ", " : "", g->game->name);
    *r = name[0] ? env_refuse_because(env, -32602, "InvalidParams", "Not done: there is no game \"%.40s\". Games: %s.",
                                      name, list)
                 : env_refuse_because(env, -32602, "InvalidParams", "Not done: name a game. Games: %s.", list);
    env_refusal_put(env, r, "path", "/game");
    return true;
}

static bool refuse_scenario(struct env *env, const struct env_game *g, const char *name, struct env_result *r)
{
    char list[256] = "";
    size_t size = 0;
    for (int i = 0; g->game->scenarios[i] && size < sizeof list; i++)
        size += (size_t)snprintf(list + size, sizeof list - size, "%s%s", i ? ", " : "", g->game->scenarios[i]);
    *r = env_refuse_because(env, -32602, "InvalidParams", "Not done: %s has no scenario \"%.40s\". Scenarios: %s.",
                            g->game->name, name, list);
    env_refusal_put(env, r, "path", "/scenario");
    return true;
}

static void copy_text(const struct env_arguments *arguments, const char *key, char *out, size_t room)
{
    struct span value;
    out[0] = 0;
    if (env_argument(arguments, key, &value) && env_json_is(value, JSON_STRING) &&
        json_string_copy(env_json_string(value), out, room) < 0)
        out[0] = 0;
}

// The request of join, as a reset. Returns false if refused.
static bool write_order(struct env_conn *c, const struct env_arguments *arguments, const struct env_agent *a,
                        struct text *order, struct env_result *r)
{
    struct env *env = c->env;
    char game[65], scenario[65], name[140];
    struct span seed;
    copy_text(arguments, "game", game, sizeof game);
    copy_text(arguments, "scenario", scenario, sizeof scenario);
    const struct env_game *g = game[0] ? env_find_game(env, game) : a->table->row;
    bool pinned = a->table->group->pinned;
    if (!g || (pinned && g != a->table->row) || (!game[0] && !pinned && !a->table->episode))
        return !refuse_game(env, game, r);
    if (scenario[0] && span_among(span_of(scenario), g->game->scenarios) < 0)
        return !refuse_scenario(env, g, scenario, r);
    json_begin_object(order);
    json_put_text(order, "agent_id", a->id);
    if (env_argument(arguments, "seed", &seed)) {
        json_key(order, "seed");
        if (env_json_fits(seed))
            json_write_int(order, env_json_int(seed)); // 7.000 may be long
        else
            json_write_raw(order, seed);
    }
    if (scenario[0] || !pinned) {
        bool again = !scenario[0] && g == a->table->row && a->table->episode; // the one that was played
        snprintf(name, sizeof name, "%s/%s", g->game->name,
                 scenario[0] ? scenario
                 : again     ? a->table->scenario_name
                             : g->game->scenarios[0]);
        json_begin_object_at(order, "config");
        json_put_text(order, "scenario", pinned ? scenario : name);
        json_end_object(order);
    }
    json_end_object(order);
    return true;
}

// A call that we make on behalf of a player.
static struct env_arguments own_arguments(struct env *env, const char *tool, struct span text)
{
    struct env_arguments a;
    struct env_fault fault;
    const struct env_tool *t = env_tools;
    while (strcmp(t->name, tool) != 0)
        t++;
    bool sound = env_arguments_read(env, t, text, &a, &fault);
    assert(sound && "what we write ourselves fits the schema");
    (void)sound;
    return a;
}

static bool register_player(struct env_conn *c, struct env_pending *p, struct env_result *r)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"agent_id\":\"player_%u\",\"agent_type\":\"EntityBehavior\",\"config\":{\"guide\":false,\"state_hash\":"
             "false,\"legal\":\"none\"}}",
             ++c->env->players);
    *r = (struct env_result){0};
    struct env_arguments arguments = own_arguments(c->env, "register_agent", span_of(text));
    env_register(c, p, &arguments, r);
    for (struct env_agent *a = c->group->agents; a && !r->code; a = a->next)
        if (a->conn == c && !a->player && !(a->player = calloc(1, sizeof *a->player)))
            abort();
    c->env->out.size = 0;
    return r->code == 0;
}

static void put_rules(struct text *t, const struct env_agent *a)
{
    const struct env_table *table = a->table;
    union game_rules rules;
    int seats = env_rules_of(table->row, table->scenario_name,
                             table->group->arena_seat ? table->group->env->o.arena : NULL, &rules);
    text_puts(t, "Rules. ");
    short_prose_write_rules(table->row->codec, t, &rules, table->episode ? table->match.seats : seats);
}

// M56: the text before the first situation.
static void put_welcome(struct text *t, const struct env_conn *c, const struct env_agent *a, bool fresh)
{
    const struct env_table *table = a->table;
    int seats = table->match.seats;
    codec_write(t, fresh ? "You sit at %s of a %s table" : "A new game for %s at the %s table",
                table->kit->avatars[a->seat], table->row->codec->title);
    if (seats > 1)
        codec_write(t, " with %d players; house bots play the %s", seats,
                    table->group->shared ? "empty seats" : "others");
    text_puts(t, ".");
    if (env_is_known_seed(table, c))
        codec_write(t, " Seed %lld.", (long long)table->seed);
    text_puts(t, "\n");
    if (!fresh)
        return;
    codec_write(t,
                "Your seat handle is %s. Pass it as \"seat\" in every call. It expires after 30 minutes without a "
                "call.\n\n",
                c->handle);
    put_rules(t, a);
    text_puts(t, "\n");
}

// The welcome, then the reply to the reset.
static void answer_join(struct env_conn *c, const struct env_agent *a, bool fresh, struct env_result *r)
{
    struct env *env = c->env;
    struct text *s = &env->hashed, *t = &env->out, *kept = &env->view;
    struct span said, step;
    kept->size = 0;
    text_put(kept, r->body);
    struct span body = text_span(kept);
    if (!json_find_member(body, "text", &said) || !json_find_member(body, "step", &step))
        return;
    s->size = 0;
    put_welcome(s, c, a, fresh);
    t->size = 0;
    json_begin_object(t);
    json_put_string(t, "text", text_span(s));
    t->size--; // the closing quote, and the opening one of what follows
    text_put(t, (struct span){said.at + 1, said.size - 1});
    json_put_raw(t, "step", step);
    json_end_object(t);
    env_answer(env, r);
}

static bool begin_game(struct env_conn *c, struct env_pending *p, struct env_agent *a,
                       const struct env_arguments *arguments, struct env_result *r)
{
    char bytes[512];
    struct text order = text_on(bytes, sizeof bytes);
    if (!write_order(c, arguments, a, &order, r))
        return false;
    struct env_arguments own = own_arguments(c->env, "reset", text_span(&order));
    env_reset(c, p, &own, r);
    return r->code == 0;
}

bool env_join(struct env_conn *c, struct env_pending *p, const struct env_arguments *arguments, struct env_result *r)
{
    struct env_agent *a = player_of(c);
    bool fresh = !a;
    if (fresh && !register_player(c, p, r))
        return true;
    a = player_of(c);
    if (fresh && a->table->running && a->state == ENV_ACTIVE) // others are playing already
        env_write_step(&c->env->out, a, ENV_OBSERVE_RESET), env_answer(c->env, r);
    else if (!begin_game(c, p, a, arguments, r))
        return true;
    answer_join(c, a, fresh, r);
    return true;
}

// If others move at their own time, the reply waits for the next question.
static uint32_t ticks_of(const struct env_table *t, int seconds)
{
    if (env_clock_of(t) != ENV_LIVE || t->row->game->tick_ms)
        return 1;
    uint32_t ticks = (uint32_t)(1000 * seconds / t->kit->tick_ms);
    return ticks ? ticks : 1;
}

static struct env_agent *find_player(struct env_conn *c, struct env_result *r)
{
    struct env_agent *a = player_of(c);
    if (!a)
        *r = env_refuse(c->env, -32602, "InvalidParams", "Not done: this seat is empty. Call join to get a new one.");
    return a;
}

bool env_act(struct env_conn *c, struct env_pending *p, const struct env_arguments *arguments, struct env_result *r)
{
    struct env_agent *a = find_player(c, r);
    struct span move = SPAN("\"\"");
    if (!a)
        return true;
    env_argument(arguments, "move", &move);
    if (a->state == ENV_TERMINAL && a->end_reported) {
        *r = env_refuse_because(c->env, -32002, "EpisodeTerminated",
                                "Not done: this game is over (%s). Call join with your seat to play again.",
                                ending_of(a));
        return true;
    }
    return env_step_agent(c, p, a, move, NULL, ticks_of(a->table, WAIT_S), r);
}

static void put_image(struct env *env, struct env_agent *a)
{
    struct text png = {.grow = env_text_grow};
    uint8_t *rgb = malloc((size_t)3 * WIDTH * HEIGHT);
    if (!rgb)
        abort();
    env_paint_seat(a, WIDTH, HEIGHT, rgb);
    png_write(&png, rgb, WIDTH, HEIGHT);
    json_key(&env->out, "image");
    text_put_char(&env->out, '"');
    base64_write(&env->out, png.at, png.size);
    text_put_char(&env->out, '"');
    free(png.at);
    free(rgb);
}

static void put_picture(struct env *env, struct env_agent *a, struct env_result *r)
{
    if (!a->table->episode)
        return;
    env->out.size--; // the closing brace
    put_image(env, a);
    json_end_object(&env->out);
    env_answer(env, r);
}

static bool show_rules(struct env_conn *c, struct env_agent *a, struct env_result *r)
{
    struct text *s = &c->env->hashed;
    s->size = 0;
    put_rules(s, a);
    json_begin_object(&c->env->out);
    json_put_string(&c->env->out, "text", text_span(s));
    put_facts(&c->env->out, a, 0);
    json_end_object(&c->env->out);
    return env_answer(c->env, r);
}

bool env_look(struct env_conn *c, struct env_pending *p, const struct env_arguments *arguments, struct env_result *r)
{
    struct env_agent *a = find_player(c, r);
    struct span value;
    char show[16];
    if (!a)
        return true;
    copy_text(arguments, "show", show, sizeof show);
    int wait = env_argument(arguments, "wait", &value) ? (int)env_json_int(value) : 0;
    bool asked = env_is_asked(a->table, a->seat);
    if (wait && !asked && a->state == ENV_ACTIVE && !a->pending && env_clock_of(a->table) == ENV_LIVE)
        return env_step_agent(c, p, a, SPAN("{\"type\":\"wait\"}"), NULL, ticks_of(a->table, wait), r);
    if (strcmp(show, "rules") == 0)
        return show_rules(c, a, r);
    env_write_step(&c->env->out, a, ENV_OBSERVE_STEP);
    env_answer(c->env, r);
    if (strcmp(show, "image") == 0)
        put_picture(c->env, a, r);
    return true;
}

bool env_leave(struct env_conn *c, struct env_pending *p, const struct env_arguments *arguments, struct env_result *r)
{
    struct env_agent *a = find_player(c, r);
    char agent[ENV_ID_ROOM + 32];
    (void)arguments;
    if (!a)
        return true;
    snprintf(agent, sizeof agent, "{\"agent_id\":\"%s\"}", a->id);
    struct env_arguments own = own_arguments(c->env, "deregister_agent", span_of(agent));
    env_deregister(c, p, &own, r);
    c->env->out.size = 0;
    json_begin_object(&c->env->out);
    json_put_text(&c->env->out, "text", "You have left the table.");
    json_end_object(&c->env->out);
    return env_answer(c->env, r);
}

void env_name_seat(struct env_conn *c, const char *handle)
{
    snprintf(c->handle, sizeof c->handle, "%s", handle);
}

// --- how the tools are described

static void put_games(struct text *t, const struct env *env)
{
    bool first = true;
    for (const struct env_game *g = env->o.games; g->game; g++)
        if (!env->o.pinned || strcmp(env->o.pinned, g->game->name) == 0) {
            codec_write(t, "%s\"%s\"", first ? "" : ",", g->game->name);
            first = false;
        }
}

// As inside a JSON string.
static void put_examples(struct text *t, const struct env *env)
{
    const char *examples = "\"fold\", \"raise 400\", \"steal seat_2\", \"bid 3x4\", \"play Tc\", \"place 4 east\"";
    const struct env_game *g = env->o.pinned ? env_find_game(env, env->o.pinned) : NULL;
    if (g && g->codec->moves)
        examples = g->codec->moves->examples;
    else if (g)
        examples = g->codec->actions[0].type;
    for (; *examples; examples++) {
        if (*examples == '"')
            text_put_char(t, '\\');
        text_put_char(t, *examples);
    }
}

void env_write_input(const struct env *env, const struct env_tool *tool, struct text *t)
{
    const char *at = tool->shown ? tool->shown : tool->input;
    for (; *at; at++)
        if (*at == '@' && at[1] == 'G')
            put_games(t, env), at++;
        else if (*at == '@' && at[1] == 'M')
            put_examples(t, env), at++;
        else
            text_put_char(t, *at);
}
