// Actions: their forms, the order of checks, what is legal now (G11, G22.7, G22.8).
#include "env/actions.h"
#include "codec/moves.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/player.h"
#include "env/schema.h"

#include <stdio.h>
#include <stdlib.h>

bool env_is_asked(const struct env_table *t, int seat)
{
    if (!t->running || seat < 0 || seat >= t->match.seats)
        return false;
    struct game_turn turn = t->row->game->turn(&t->match.state);
    return turn.kind != TURN_OVER && turn.seats & SEAT(seat);
}

static const struct env_action *seat_row(const struct env_table *t, uint8_t kind, int *place)
{
    const struct codec_action *row = codec_find_kind(t->row->codec, kind, false);
    *place = row ? env_action_find(t->kit, ENV_ENTITY, row->type) : -1;
    return *place < 0 ? NULL : env_action_at(t->kit, ENV_ENTITY, *place);
}

// Which action types the agent has masked, by kind of game action; there are few.
static bool is_masked(const struct env_agent *a, uint8_t kind)
{
    int place;
    return a->type == ENV_ENTITY && a->masked && (!seat_row(a->table, kind, &place) || a->masked >> place & 1);
}

static bool may_act(const struct env_agent *a, int seat)
{
    return a->state == ENV_ACTIVE && !a->table->paused && env_is_asked(a->table, seat);
}

// Eight bits as eight digits, the lowest first.
static void put_bits(char out[8], unsigned bits)
{
    const uint64_t each = 0x0101010101010101u;
    uint64_t own = each * bits & 0x8040201008040201u; // isolates one bit per byte
    own = (own + each * 0x7f) >> 7 & each;            // and moves it to the lowest position
    own += each * '0';
    memcpy(out, &own, sizeof own);
}

int env_flat_mask(const struct env_agent *a, int seat, char *mask)
{
    const struct env_table *t = a->table;
    const struct game *g = t->row->game;
    struct game_action move;
    uint64_t legal[GAME_FLAT_WORDS] = {0};
    bool acts = may_act(a, seat);
    if (acts)
        game_mask(g, &t->match.state, seat, legal);
    if (!acts || g->tick_ms)
        legal[0] |= 1; // G12.7
    for (int i = 0; i < (int)g->flat_size; i += 8)
        put_bits(mask + i, legal[i / 64] >> i % 64 & 0xff);
    for (int i = 1; acts && a->masked && i < (int)g->flat_size; i++)
        if (mask[i] == '1' && g->flat(&t->match.state, seat, i, &move) && is_masked(a, move.kind))
            mask[i] = '0';
    return (int)g->flat_size;
}

// --- available_actions

static struct game_action *numbers_of(const struct env_game *row)
{
    struct game_action last, *at;
    int size = (int)row->game->flat_size;
    if (!row->environment || !row->environment->flat_at || !row->environment->flat_at(size - 1, &last))
        return NULL;
    at = calloc((size_t)size, sizeof *at);
    if (!at)
        abort();
    for (int i = 1; i < size; i++)
        if (!row->environment->flat_at(i, &at[i]))
            at[i] = (struct game_action){0};
    return at;
}

static size_t count_games(const struct env *env)
{
    size_t n = 0;
    while (env->o.games[n].game)
        n++;
    return n;
}

void env_numbers_init(struct env *env)
{
    size_t games = count_games(env);
    env->numbers = calloc(games + 1, sizeof *env->numbers);
    if (!env->numbers)
        abort();
    for (size_t i = 0; i < games; i++)
        env->numbers[i] = numbers_of(&env->o.games[i]);
}

void env_numbers_release(struct env *env)
{
    for (size_t i = count_games(env); i-- > 0;)
        free(env->numbers[i]);
    free(env->numbers);
}

// Lists and numbers are usually in the same order, so the search begins after the last number found.
static int flat_index(const struct env_table *t, int seat, struct game_action a, int *after)
{
    const struct game *g = t->row->game;
    const struct game_action *fixed = t->group->env->numbers[t->row - t->group->env->o.games];
    struct game_action at;
    int n = (int)g->flat_size - 1, i = *after;
    for (int k = 0; k < n; k++) {
        i = i < n ? i + 1 : 1;
        if (fixed ? game_same_action(fixed[i], a) : g->flat(&t->match.state, seat, i, &at) && game_same_action(at, a))
            return *after = i;
    }
    return -1;
}

// The number under which a move would have been accepted, or -1. A client that sends back an offered action includes
// it.
static int number_of(const struct env_table *t, int seat, struct game_action move, int64_t said)
{
    const struct game *g = t->row->game;
    struct game_action at;
    int after = 0;
    if (said > 0 && said < g->flat_size && g->flat(&t->match.state, seat, (int)said, &at) && game_same_action(at, move))
        return (int)said;
    return flat_index(t, seat, move, &after);
}

static void write_item(struct text *t, const struct env_table *table, const struct codec_table *names,
                       struct game_choice c, int *after)
{
    const struct codec *codec = table->row->codec;
    int index = flat_index(table, names->viewer, c.first, after);
    json_put_text(t, "type", codec_find_kind(codec, c.first.kind, false)->type);
    json_begin_object_at(t, "params");
    codec_write_params(codec, t, names, c.first);
    json_end_object(t);
    if (index >= 0)
        json_put_int(t, "index", index);
    if (c.max_amount > c.first.amount && codec->write_range)
        codec->write_range(t, names, c);
}

// G24.3: legal actions that differ in one number only are one item; the numbers are its choices.
static bool is_same_family(const struct env_facts *k, struct game_action a, struct game_action b)
{
    return k->choice_key && a.kind == b.kind && a.arg[1] == b.arg[1] && a.arg[2] == b.arg[2] && a.arg[0] != b.arg[0];
}

static int write_family(struct text *t, const struct env_table *table, const struct codec_table *names,
                        const struct game_choice *list, int i, int count, int *after)
{
    int n = 1;
    while (i + n < count && is_same_family(table->kit, list[i].first, list[i + n].first))
        n++;
    json_begin_object(t);
    write_item(t, table, names, list[i], after);
    if (n > 1) {
        json_begin_object_at(t, "choices");
        json_begin_array_at(t, table->kit->choice_key);
        for (int k = 0; k < n; k++)
            json_write_int(t, list[i + k].first.arg[0]);
        json_end_array(t);
        json_end_object(t);
    }
    json_end_object(t);
    return n;
}

void env_write_available(struct text *t, const struct env_agent *a, int seat)
{
    const struct env_table *table = a->table;
    const struct game *g = table->row->game;
    struct game_choice all[GAME_MAX_CHOICES], list[2 * GAME_MAX_CHOICES];
    bool acts = may_act(a, seat);
    int after = 0, count = acts ? g->choices(&table->match.state, seat, all) : 0;
    count = codec_split_choices(table->row->codec, all, count, list);
    struct codec_table names = env_codec_table(table, seat);
    json_begin_array(t);
    if (!acts || g->tick_ms)
        json_write_raw(t, SPAN("{\"type\":\"wait\",\"params\":{},\"index\":0}"));
    for (int i = 0; i < count;)
        if (is_masked(a, list[i].first.kind))
            i++;
        else
            i += write_family(t, table, &names, list, i, count, &after);
    json_end_array(t);
}

// --- refusals of actions

// The action in the client's words: "raise 250".
static void describe_values(struct text *t, struct span object)
{
    static const char *const silent[] = {"type", "Type", "index", "range", "choices", NULL};
    struct json_reader in = json_reader_of(object, 64);
    struct json_string key;
    char word[48];
    for (json_enter_object(&in); json_next_key(&in, &key);) {
        enum json_type type = json_peek(&in);
        struct span value = json_read_raw(&in);
        if (json_string_is(key, "params") && type == JSON_OBJECT)
            describe_values(t, value);
        else if (json_string_among(key, silent) >= 0)
            continue;
        else if (type == JSON_STRING && json_string_copy(env_json_string(value), word, sizeof word) >= 0)
            codec_write(t, " %s", word);
        else if (type == JSON_INT || type == JSON_REAL)
            codec_write(t, " %.*s", (int)(value.size < 24 ? value.size : 24), value.at);
    }
}

static void describe_action(struct text *t, struct span action)
{
    char name[64] = "";
    struct span type = {0};
    if (env_json_is(action, JSON_STRING)) {
        int size = json_string_copy(env_json_string(action), name, sizeof name);
        text_puts(t, size < 0 ? "this" : name);
    } else if (env_json_is(action, JSON_INT)) {
        codec_write(t, "action %lld", (long long)env_json_int(action));
    } else if (env_json_is(action, JSON_OBJECT)) {
        if (json_find_member(action, "type", &type) && env_json_is(type, JSON_STRING))
            json_string_copy(env_json_string(type), name, sizeof name);
        text_puts(t, name[0] ? name : "this");
        describe_values(t, action);
    } else {
        text_puts(t, "this");
    }
}

static void view_of(const struct env_table *t, int seat, union game_view *view)
{
    t->row->game->view(&t->match.state, seat, view);
}

bool env_write_moves(struct text *t, const struct env_agent *a, const char *between)
{
    const struct env_table *table = a->table;
    struct game_choice all[GAME_MAX_CHOICES];
    struct codec_table names;
    union game_view view;
    int count = 0;
    if (a->type != ENV_ENTITY || !may_act(a, a->seat))
        return false;
    names = env_codec_table(table, a->seat);
    view_of(table, a->seat, &view);
    int listed = table->row->game->choices(&table->match.state, a->seat, all);
    for (int i = 0; i < listed; i++)
        if (!is_masked(a, all[i].first.kind))
            all[count++] = all[i];
    moves_write(table->row->codec, t, &names, &view, all, count, between);
    return true;
}

// M57: adds what is legal to the error. If both are too long for a message, data has the list.
static void add_legal(struct env *env, const struct env_agent *a, struct env_result *r)
{
    char bytes[MOVES_LINE];
    struct text legal = text_on(bytes, sizeof bytes - 1);
    size_t size = strlen(env->message);
    if (!env_write_moves(&legal, a, ", ") || legal.full)
        return;
    bytes[legal.size] = 0;
    size -= size && env->message[size - 1] == '.';
    snprintf(env->message + size, sizeof env->message - size, "; legal: %s", bytes);
    r->message = env->message;
}

bool env_refuse_action(struct env *env, const struct env_agent *a, struct span action, const char *reason,
                       const char *why, struct env_result *r)
{
    const struct env_action *row;
    char said[128];
    struct text t = text_on(said, sizeof said - 1);
    describe_action(&t, action);
    said[t.size] = 0;
    *r = env_refuse_because(env, -32001, "InvalidAction", "%s: %s", said, why);
    if (a->player)
        env_player_refuse(env, a, why);
    else
        add_legal(env, a, r);
    env_refusal_put(env, r, "agent_id", a->id);
    env_refusal_raw(env, r, "action", action.size <= 1024 ? action : SPAN("null"));
    env_refusal_put(env, r, "reason", reason);
    json_begin_array_at(&env->error, "allowed");
    for (int i = 0; (row = env_action_at(a->table->kit, (enum env_type)a->type, i)); i++)
        if (!(a->masked >> i & 1) && (row->needs & a->capabilities) == row->needs)
            json_write_text(&env->error, row->name);
    json_end_array(&env->error);
    if (a->type == ENV_ENTITY) {
        json_key(&env->error, "available_actions");
        env_write_available(&env->error, a, a->seat);
    }
    r->body = text_span(&env->error);
    return false;
}

static bool refuse_params(struct env *env, const struct env_agent *a, const char *path, const char *expected,
                          struct env_result *r)
{
    *r = env_bad(env, path, expected, NULL);
    if (a->player)
        env_player_refuse(env, a, expected);
    else
        add_legal(env, a, r);
    env_refusal_put(env, r, "agent_id", a->id);
    return false;
}

// --- checks in the order of G11.1

static bool check_name(struct env *env, const struct env_agent *a, struct span action, const char *name,
                       struct env_command *d, struct env_result *r)
{
    const struct env_facts *k = a->table->kit;
    int place = env_action_find(k, (enum env_type)a->type, name);
    if (place == 0)
        return true;
    if (env_is_denied((enum env_type)a->type, name))
        return env_refuse_action(env, a, action, "denied", "agents of this type may never do that", r);
    if (!env_is_of_scope(name, (enum env_scope)a->scope, k))
        return env_refuse_action(env, a, action, "scope",
                                 a->scope == ENV_EMBODIED ? "this is an action of systemic agents"
                                                          : "this is an action of embodied agents",
                                 r);
    if (place < 0)
        return env_refuse_action(env, a, action, "not_in_space", "this agent has no such action", r);
    d->row = env_action_at(k, (enum env_type)a->type, place);
    if ((d->row->needs & a->capabilities) != d->row->needs)
        return env_refuse_action(env, a, action, "capability", "the agent was not granted the capability this needs",
                                 r);
    if (a->masked >> place & 1)
        return env_refuse_action(env, a, action, "masked", "the action_mask of this agent leaves this action out", r);
    return true;
}

static const struct env_action_input no_params;

static bool check_params(struct env *env, const struct env_agent *a, const struct env_action_input *input,
                         struct span action, struct env_command *d, struct env_result *r)
{
    struct env_fault fault = {0};
    if (env_action_input_check(env, input, d->row, "/action/params", &fault))
        return true;
    if (!fault.range)
        return refuse_params(env, a, fault.path, fault.expected, r);
    char why[600];
    snprintf(why, sizeof why, "%.100s is out of range; expected: %.200s", fault.path + sizeof "/action/params",
             fault.expected);
    return env_refuse_action(env, a, action, "out_of_range", why, r);
}

// The codec refuses parameters that conform to the declared schema: an unknown seat or card, for example.
static bool read_move(struct env *env, const struct env_agent *a, struct span action, int seat, struct env_command *d,
                      struct env_result *r)
{
    const struct env_table *t = a->table;
    struct codec_table names = env_codec_table(t, seat);
    struct json_reader in = json_reader_of(d->params, 64);
    const struct codec_action *row = t->row->codec->actions;
    while (row->type && (row->master || strcmp(row->type, d->row->name) != 0))
        row++;
    d->move = (struct game_action){.kind = row->kind};
    int err = codec_read_params(t->row->codec, &in, &names, &d->move);
    if (err == ERR_MISSING || err == ERR_TYPE)
        return refuse_params(env, a, "/action/params", "the parameters of the action space", r);
    if (err != OK)
        return env_refuse_action(env, a, action, "out_of_range", "a parameter names nothing that is here", r);
    return true;
}

static bool check_turn(struct env *env, const struct env_agent *a, struct span action, int seat, struct env_result *r)
{
    if (a->table->paused)
        return env_refuse_action(env, a, action, "paused", "the table is paused; wait until it goes on", r);
    if (!env_is_asked(a->table, seat))
        return env_refuse_action(env, a, action, "not_your_turn", "it is not this seat's turn; send wait", r);
    return true;
}

static bool check_legal(struct env *env, const struct env_agent *a, struct span action, int seat,
                        struct game_action move, struct env_result *r)
{
    const struct env_table *t = a->table;
    char bytes[256];
    struct text why = text_on(bytes, sizeof bytes - 1);
    union game_view view;
    if (game_is_legal(t->row->game, &t->match.state, seat, move))
        return true;
    struct codec_table names = env_codec_table(t, seat);
    view_of(t, seat, &view);
    moves_explain(t->row->codec, &why, &names, &view, move);
    bytes[why.size] = 0;
    return env_refuse_action(env, a, action, "illegal_now", bytes, r);
}

static bool read_index(struct env *env, struct env_agent *a, const struct env_action_input *input,
                       struct env_command *d, struct env_result *r)
{
    const struct env_table *t = a->table;
    const struct game *g = t->row->game;
    struct span action = input->action.raw;
    int64_t index = env_value_int(input->action);
    struct game_action move;
    int place;
    if (a->type != ENV_ENTITY) {
        const struct env_action *row =
            index >= 0 && index < ENV_MAX_ACTIONS ? env_action_at(t->kit, (enum env_type)a->type, (int)index) : NULL;
        if (!row)
            return env_refuse_action(env, a, action, "out_of_range", "there is no action of this number", r);
        d->params = SPAN("{}");
        if (!check_name(env, a, action, row->name, d, r))
            return false;
        return !d->row || (check_params(env, a, &no_params, action, d, r) && env_command_check(env, a, d, r));
    }
    if (index < 0 || index >= g->flat_size)
        return env_refuse_action(env, a, action, "out_of_range",
                                 "there is no action of this number; see game://actions", r);
    if (index == 0)
        return true;
    env_facts_flat_at(t->kit, (int)index, &move);
    const struct env_action *row = seat_row(t, move.kind, &place); // NULL: its type is known when it is legal
    if ((row && !check_name(env, a, action, row->name, d, r)) || !check_turn(env, a, action, a->seat, r))
        return false;
    if (!g->flat(&t->match.state, a->seat, (int)index, &d->move))
        return env_refuse_action(env, a, action, "illegal_now", "that is not legal now", r);
    if (!row && !check_name(env, a, action, seat_row(t, d->move.kind, &place)->name, d, r))
        return false;
    d->seat = a->seat;
    d->index = (int)index;
    return true;
}

static bool read_vector(struct env *env, struct env_agent *a, struct span action, struct env_command *d,
                        struct env_result *r)
{
    const struct env_facts *k = a->table->kit;
    struct json_reader in = json_reader_of(action, 64);
    int n = 0;
    if (a->type != ENV_WORLD)
        return refuse_params(env, a, "/action", "an object or an index: the action space is discrete", r);
    for (json_enter_array(&in); json_next_item(&in); n++) {
        double value = json_read_real(&in);
        if (n < 2)
            d->vector[n] = value;
    }
    if (n != 2)
        return refuse_params(env, a, "/action", "2 numbers", r);
    for (int i = 0; i < 2; i++)
        if (d->vector[i] < k->world_low[i] || d->vector[i] > k->world_high[i])
            return env_refuse_action(env, a, action, "out_of_range",
                                     "a number is outside low..high of the action space", r);
    if (!(a->capabilities & ENV_WORLD_MODIFY))
        return env_refuse_action(env, a, action, "capability", "the agent was not granted world_modify", r);
    d->is_vector = true;
    d->row = k->world;
    return true;
}

// M54: "raise 400". Types other than players can only use names of actions without parameters.
static bool read_words(struct env *env, struct env_agent *a, const struct env_action_input *input,
                       struct env_command *d, struct env_result *r)
{
    const struct env_table *t = a->table;
    struct span action = input->action.raw;
    char said[256], bytes[256];
    struct text why = text_on(bytes, sizeof bytes - 1);
    union game_view view;
    int place;
    if (json_string_copy(json_value_string(input->action), said, sizeof said) < 0)
        return env_refuse_action(env, a, action, "not_in_space", "that is too long for an action", r);
    d->params = SPAN("{}");
    place = env_action_find(t->kit, (enum env_type)a->type, said);
    const struct env_action *row = place < 0 ? NULL : env_action_at(t->kit, (enum env_type)a->type, place);
    if (a->type != ENV_ENTITY || (row && row->command == ENV_DO_WAIT)) {
        if (!check_name(env, a, action, said, d, r))
            return false;
        return !d->row || (check_params(env, a, &no_params, action, d, r) && env_command_check(env, a, d, r));
    }
    if (!t->episode)
        return env_refuse_action(env, a, action, "not_your_turn", "no game has begun here; reset begins one", r);
    struct codec_table names = env_codec_table(t, a->seat);
    view_of(t, a->seat, &view);
    if (!check_turn(env, a, action, a->seat, r))
        return false;
    if (!moves_read(t->row->codec, span_of(said), &names, &view, &d->move, &why)) {
        bytes[why.size] = 0;
        return env_refuse_action(env, a, action, "not_in_space", bytes, r);
    }
    row = seat_row(t, d->move.kind, &place);
    if (!check_name(env, a, action, row ? row->name : said, d, r) || !check_legal(env, a, action, a->seat, d->move, r))
        return false;
    d->seat = a->seat;
    d->index = number_of(t, a->seat, d->move, -1);
    return true;
}

// A string may contain an action: as JSON, which some models write, or in words. False: in words.
static bool read_quoted_json(struct env *env, const struct env_action_input *input, struct env_action_input *quoted)
{
    struct text *t = &env->merged;
    size_t at = t->size, size = input->action.raw.size;
    char *room = text_reserve(t, size + 1);
    int length = room ? json_string_copy(json_value_string(input->action), room, size + 1) : -1;
    struct span json = {t->at + at, length < 0 ? 0 : (size_t)length};
    struct json_reader r = json_reader_of(json, 60);
    enum json_type type = json.size ? json_peek(&r) : JSON_NONE;
    if (type == JSON_OBJECT || type == JSON_INT) {
        env_action_input_read(env, &r, quoted);
        if (json_finish(&r) == OK)
            return true;
        env_action_input_release(env, quoted);
    }
    t->size = at;
    return false;
}

static bool read_object(struct env *env, struct env_agent *a, const struct env_action_input *input,
                        struct env_command *d, struct env_result *r)
{
    struct span action = input->action.raw;
    char name[64];
    if (input->name.type != JSON_STRING)
        return refuse_params(env, a, "/action/type", "the name of an action", r);
    if (json_string_copy(json_value_string(input->name), name, sizeof name) < 0)
        name[0] = 0;
    if (!check_name(env, a, action, name, d, r))
        return false;
    if (!d->row || d->row->command == ENV_DO_WAIT) {
        d->row = NULL;
        return true;
    }
    d->params = env_action_input_merge(env, input);
    if (!check_params(env, a, input, action, d, r))
        return false;
    if (d->row->command != ENV_DO_MOVE)
        return env_command_check(env, a, d, r);
    d->seat = a->seat;
    if (!read_move(env, a, action, a->seat, d, r) || !check_turn(env, a, action, a->seat, r) ||
        !check_legal(env, a, action, a->seat, d->move, r))
        return false;
    d->index = number_of(a->table, a->seat, d->move, input->has_index ? input->index : -1);
    return true;
}

static bool read_input(struct env *env, struct env_agent *a, const struct env_action_input *input,
                       struct env_command *d, struct env_result *r)
{
    if (env_value_is(input->action, JSON_INT))
        return read_index(env, a, input, d, r);
    if (input->action.type == JSON_ARRAY)
        return read_vector(env, a, input->action.raw, d, r);
    if (input->action.type != JSON_OBJECT)
        return refuse_params(env, a, "/action", "an object, a string, an integer or an array of numbers", r);
    return read_object(env, a, input, d, r);
}

bool env_action_read_input(struct env *env, struct env_agent *a, const struct env_action_input *input,
                           struct env_command *d, struct env_result *r)
{
    struct env_action_input quoted;
    *d = (struct env_command){.seat = -1, .index = -1, .source = input->action.raw};
    if (input->action.type != JSON_STRING)
        return read_input(env, a, input, d, r);
    if (!read_quoted_json(env, input, &quoted))
        return read_words(env, a, input, d, r);
    bool good = read_input(env, a, &quoted, d, r);
    env_action_input_release(env, &quoted);
    return good;
}

bool env_action_read(struct env *env, struct env_agent *a, struct span action, struct env_command *d,
                     struct env_result *r)
{
    struct env_action_input input;
    struct json_reader in = json_reader_of(action, 64);
    env_action_input_read(env, &in, &input);
    bool good = env_action_read_input(env, a, &input, d, r);
    env_action_input_release(env, &input);
    return good;
}
