// Operations that move the game.
#include "app/engine.h"

#include "house/ask.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Ticks take less than a byte each in the log: a run of 64 is one entry and a hash.
enum { MAX_ITEMS = MATCH_MAX_ITEMS, VALUE_DEPTH = 24, TICK_LOG_ROOM = 1024 };

static const char *const master_names[] = {"master", NULL};

static void write_outcome(struct engine *e, int viewer)
{
    engine_write_turn(e);
    engine_begin_events(e, viewer);
    engine_write_events(e, viewer);
    engine_end_events(e, viewer);
}

// Refuses names that mean something else, because later lines name seats by them.
static int check_name(struct engine *e, const struct game_setup *s, int seat)
{
    static const char *const taken[] = {"master", "spectator", "all"};
    const char *name = s->match.name[seat];
    bool bad = name[0] == 0;
    for (const char *c = name; *c; c++)
        bad |= (unsigned char)*c < ' ' || *c == 127 || *c == '"' || *c == '\\'; // they are keys, too
    for (int i = 0; i < 3; i++)
        bad |= strcmp(name, taken[i]) == 0;
    for (int other = 0; other < seat; other++)
        bad |= strcmp(name, s->match.name[other]) == 0;
    if (bad)
        return engine_refuse(e, ERR_RULES,
                             "names are distinct, not empty, without quotes, backslashes and control characters, and "
                             "none of master, spectator, all");
    return OK;
}

static int read_names(struct engine *e, const struct engine_request *r, struct game_setup *s)
{
    if (r->field[FIELD_NAMES].size == 0)
        return OK;
    struct json_reader in = json_reader_of(r->field[FIELD_NAMES], 2);
    int count = 0, err = OK;
    for (json_enter_array(&in); json_next_item(&in); count++) {
        struct json_string name = json_read_string(&in);
        if (in.error || count >= s->match.seats)
            break;
        if (json_string_copy(name, s->match.name[count], MATCH_NAME_ROOM) < 0)
            return engine_refuse(e, ERR_TOO_LONG, "a name can have at most %d bytes", MATCH_NAME_ROOM - 1);
        if ((err = check_name(e, s, count)) != OK)
            return err;
    }
    if (in.error || count != s->match.seats)
        return engine_refuse(e, in.error ? in.error : ERR_RULES,
                             "names must be an array of %d strings, one for each seat", s->match.seats);
    return OK;
}

// A negative seed is the number with the same 64 bits.
static int read_seed(struct engine *e, const struct engine_request *r, struct game_setup *s)
{
    if (r->field[FIELD_SEED].size == 0) {
        game_setup_draw_key(s);
        return OK;
    }
    struct json_reader in = json_reader_of(r->field[FIELD_SEED], 1);
    bool negative = r->field[FIELD_SEED].at[0] == '-';
    uint64_t seed = negative ? (uint64_t)json_read_int(&in, INT64_MIN, -1) : json_read_uint(&in, UINT64_MAX);
    if (in.error)
        return engine_refuse(e, in.error, "a seed must be a whole number of 64 bits");
    game_setup_set_seed(s, seed);
    return OK;
}

static int read_setup(struct engine *e, const struct engine_request *r, struct game_setup *s)
{
    int64_t seats = 0;
    char scenario[64] = "";
    int err = engine_read_int(e, r, FIELD_SEATS, 1, GAME_MAX_SEATS, &seats);
    if (err == OK && r->field[FIELD_SCENARIO].size) {
        struct json_reader in = json_reader_of(r->field[FIELD_SCENARIO], 1);
        struct json_string name = json_read_string(&in);
        if (in.error || json_string_copy(name, scenario, sizeof scenario) < 0)
            err = engine_refuse(e, in.error ? in.error : ERR_TOO_LONG, "a scenario is a string; about lists them");
    }
    if (err == OK)
        err = game_setup_read_rules(s, e->row, scenario, r->field[FIELD_RULES], (int)seats, e->why, sizeof e->why);
    if (err == OK)
        err = read_names(e, r, s);
    if (err == OK)
        err = read_seed(e, r, s);
    return err;
}

static int stack_items(struct engine *e, const struct engine_request *r, struct table *t)
{
    uint8_t items[MAX_ITEMS];
    if (!e->row->game->stack || !e->row->codec->read_items)
        return engine_refuse(e, ERR_RULES, "%s has no shuffles or rolls to fix", e->row->game->name);
    struct json_reader in = json_reader_of(r->field[FIELD_STACK], VALUE_DEPTH);
    int count = e->row->codec->read_items(&in, items, MAX_ITEMS);
    if (in.error || count < 0)
        return engine_refuse(e, in.error ? in.error : count,
                             "stack must be an array of the results of the next shuffle or roll");
    return table_stack(t, items, count);
}

int engine_start(struct engine *e, const struct engine_request *r)
{
    struct game_setup setup;
    // In the other slot: a start that is refused leaves the running game as it was.
    struct table *before = e->live, *next = &e->slot[e->live == &e->slot[0]];
    int viewer, err = read_setup(e, r, &setup);
    if (err != OK || (err = table_start(next, &setup)) != OK)
        return err;
    if (r->field[FIELD_STACK].size && (err = stack_items(e, r, next)) != OK)
        return err;
    e->live = next;
    if ((err = engine_read_viewer(e, r, &viewer)) != OK) {
        e->live = before;
        return err;
    }
    json_put_text(&e->out, "game", e->row->game->name);
    struct codec_table seats = table_for(e->live, GAME_SPECTATOR);
    json_key(&e->out, "seats");
    codec_write_seats(&e->out, &seats, EVERYONE);
    if (setup.match.has_seed)
        json_put_uint(&e->out, "seed", setup.match.seed);
    json_put_hex_bytes(&e->out, "commitment", setup.match.commitment, sizeof setup.match.commitment);
    app_write_rules(&e->out, e->row->codec, &next->match.rules);
    write_outcome(e, viewer);
    before->row = NULL;
    return OK;
}

int engine_stack(struct engine *e, const struct engine_request *r)
{
    if (r->field[FIELD_STACK].size == 0)
        return engine_refuse(e, ERR_MISSING,
                             "stack needs a member stack: an array of the results of the next shuffle or roll");
    return stack_items(e, r, e->live);
}

static bool is_master(const struct engine_request *r)
{
    struct json_reader in = json_reader_of(r->field[FIELD_SEAT], 1);
    return json_peek(&in) == JSON_STRING && json_string_among(json_read_string(&in), master_names) >= 0;
}

static int refuse_type(struct engine *e, int err, bool master)
{
    char known[512] = "";
    size_t used = 0;
    for (const struct codec_action *a = e->row->codec->actions; a->type && used < sizeof known; a++)
        if (a->master == master && app_is_new_type(e->row->codec, a))
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", a->type);
    const char *whose = master ? "the master" : "a seat";
    if (err == ERR_MISSING)
        return engine_refuse(e, err, "an action has a type and its parameters; types for %s: %s", whose, known);
    if (err == ERR_UNKNOWN)
        return engine_refuse(e, err, "the type or a name in it is not known here; types for %s: %s", whose, known);
    return engine_refuse(e, err, "the action cannot be read: %s", err_sentence(err));
}

static int refuse_illegal(struct engine *e, int err, int seat)
{
    struct game_choice list[GAME_MAX_CHOICES];
    const struct game *g = e->row->game;
    char types[256] = "";
    size_t used = 0;
    uint8_t seen = 0;
    int count = err == ERR_ACTION ? g->choices(&e->live->match.state, seat, list) : 0;
    for (int i = 0; i < count && used < sizeof types; i++) {
        const struct codec_action *row = codec_find_kind(e->row->codec, list[i].first.kind, false);
        if (row && list[i].first.kind != seen) // choices of one kind stand together
            used += (size_t)snprintf(types + used, sizeof types - used, "%s%s", used ? ", " : "", row->type);
        seen = list[i].first.kind;
    }
    if (used == 0)
        return err;
    return engine_refuse(e, err, "this action is not legal for %s now; ask for the choices, of type %s",
                         e->live->names[seat], types);
}

static int read_action(struct engine *e, const struct engine_request *r, bool master, int seat, struct game_action *a)
{
    bool named = r->field[FIELD_ACTION].size, numbered = r->field[FIELD_INDEX].size;
    if (named == numbered || (numbered && master))
        return engine_refuse(e, ERR_MISSING,
                             "apply needs either action, an object, or index, a number (not for the master)");
    if (named) {
        struct codec_table table = table_for(e->live, master ? GAME_SPECTATOR : seat);
        struct json_reader in = json_reader_of(r->field[FIELD_ACTION], VALUE_DEPTH);
        int err = codec_read_action(e->row->codec, &in, &table, master, a);
        err = err ? err : json_finish(&in);
        return err ? refuse_type(e, err, master) : OK;
    }
    int64_t index = 0;
    int err = engine_read_int(e, r, FIELD_INDEX, 0, (int64_t)e->row->game->flat_size - 1, &index);
    if (err != OK)
        return err;
    if (!(table_turn(e->live).seats & SEAT(seat)))
        return ERR_SEAT;
    if (!e->row->game->flat(&e->live->match.state, seat, (int)index, a))
        return engine_refuse(e, ERR_ACTION, "index %lld is not legal for %s now; choices with mask tells which are",
                             (long long)index, e->live->names[seat]);
    return OK;
}

int engine_apply(struct engine *e, const struct engine_request *r)
{
    bool master = r->field[FIELD_SEAT].size && is_master(r);
    int seat = GAME_MASTER, viewer, err;
    int64_t turn = table_turn(e->live).number;
    struct game_action a = {0};
    if (!master && (err = engine_read_seat(e, r, false, &seat)) != OK)
        return err;
    if ((err = engine_read_viewer(e, r, &viewer)) != OK ||
        (err = engine_read_int(e, r, FIELD_TURN, 0, UINT32_MAX, &turn)) != OK ||
        (err = read_action(e, r, master, seat, &a)) != OK)
        return err;
    err = master ? table_oversee(e->live, a) : table_answer(e->live, seat, (uint32_t)turn, a);
    if (err != OK)
        return master ? err : refuse_illegal(e, err, seat);
    write_outcome(e, viewer);
    return OK;
}

int engine_tick(struct engine *e, const struct engine_request *r)
{
    int64_t count = 1;
    int viewer, err;
    if (!e->row->game->tick)
        return engine_refuse(e, ERR_RULES, "%s has no clock: tick does nothing", e->row->game->name);
    if ((err = engine_read_viewer(e, r, &viewer)) != OK ||
        (err = engine_read_int(e, r, FIELD_COUNT, 1, ENGINE_MAX_TICKS, &count)) != OK)
        return err;
    // Before the first tick, so that all of them happen or none.
    if (e->live->has_log && e->live->log.room - e->live->log.size < TICK_LOG_ROOM + (size_t)count)
        return ERR_FULL;
    struct game_rewards sum = {0};
    engine_begin_events(e, viewer);
    for (int64_t i = 0; i < count; i++) {
        err = table_tick(e->live);
        assert(err == OK);
        table_add_rewards(&sum, &e->live->earned);
        engine_write_events(e, viewer);
    }
    engine_end_events(e, viewer);
    engine_write_turn(e);
    e->live->earned = sum;
    return OK;
}

static int check_asked(struct engine *e, int seat)
{
    struct game_turn turn = table_turn(e->live);
    if (turn.kind == TURN_OVER)
        return ERR_OVER;
    return turn.seats & SEAT(seat) ? OK : ERR_SEAT;
}

static void write_action(struct engine *e, int seat, struct game_action a)
{
    struct codec_table table = table_for(e->live, seat);
    json_put_text(&e->out, "seat", e->live->names[seat]);
    json_key(&e->out, "action");
    codec_write_action(e->row->codec, &e->out, &table, a, false);
}

static int read_bot(struct engine *e, const struct engine_request *r, const struct bot **bot)
{
    *bot = kit_bots(e->row)[0];
    if (r->field[FIELD_BOT].size == 0)
        return OK;
    char name[32] = "", known[256];
    struct json_reader in = json_reader_of(r->field[FIELD_BOT], 1);
    struct json_string given = json_read_string(&in);
    if (!in.error && json_string_copy(given, name, sizeof name) >= 0 && (*bot = kit_find_bot(e->row, name)))
        return OK;
    app_name_bots(e->row, known, sizeof known);
    return engine_refuse(e, in.error ? in.error : ERR_UNKNOWN,
                         "no bot of this name plays %s; known: %s, and house:1 to house:5 by strength",
                         e->row->game->name, known);
}

static int read_aggro(struct engine *e, const struct engine_request *r, float *aggro)
{
    if (r->field[FIELD_AGGRO].size == 0)
        return OK;
    struct json_reader in = json_reader_of(r->field[FIELD_AGGRO], 1);
    double value = json_read_real(&in);
    if (in.error || value < 0 || value > 1)
        return engine_refuse(e, in.error ? in.error : ERR_RANGE, "aggro must be a number from 0 to 1");
    *aggro = (float)value;
    return OK;
}

int engine_bot(struct engine *e, const struct engine_request *r)
{
    const struct bot *bot;
    bool play = false;
    float aggro = 0.5f;
    int seat, viewer, err;
    if ((err = engine_read_seat(e, r, true, &seat)) != OK || (err = engine_read_viewer(e, r, &viewer)) != OK ||
        (err = engine_read_bool(e, r, FIELD_PLAY, &play)) != OK || (err = read_bot(e, r, &bot)) != OK ||
        (err = read_aggro(e, r, &aggro)) != OK || (err = check_asked(e, seat)) != OK)
        return err;
    struct game_action a = house_ask(&e->live->match, bot, seat, (uint32_t)e->live->match.steps, aggro);
    if (!play) {
        write_action(e, seat, a);
        return OK;
    }
    if ((err = table_answer(e->live, seat, table_turn(e->live).number, a)) != OK)
        return err;
    write_action(e, seat, a);
    write_outcome(e, viewer);
    return OK;
}

int engine_fallback(struct engine *e, const struct engine_request *r)
{
    int seat, viewer, err;
    if ((err = engine_read_seat(e, r, true, &seat)) != OK || (err = engine_read_viewer(e, r, &viewer)) != OK ||
        (err = check_asked(e, seat)) != OK)
        return err;
    struct game_action a = e->row->game->fallback(&e->live->match.state, seat);
    if ((err = table_play_fallback(e->live, seat)) != OK)
        return err;
    write_action(e, seat, a);
    write_outcome(e, viewer);
    return OK;
}

int engine_drop(struct engine *e, const struct engine_request *r)
{
    int64_t reason = 0;
    int seat, viewer, err;
    if ((err = engine_read_seat(e, r, false, &seat)) != OK || (err = engine_read_viewer(e, r, &viewer)) != OK ||
        (err = engine_read_int(e, r, FIELD_REASON, 0, 255, &reason)) != OK)
        return err;
    if ((err = table_drop(e->live, seat, (int)reason)) != OK)
        return err;
    write_outcome(e, viewer);
    return OK;
}
