#include "app/engine.h"

#include "app/reserved_memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REQUEST_DEPTH = 24 }; // of JSON: rules and stacked items are nested

#define F(name) (1u << FIELD_##name)

static const char *const field_names[] = {
#define ENGINE_AS_NAME(name, key) key,
    ENGINE_FIELDS(ENGINE_AS_NAME)
#undef ENGINE_AS_NAME
        NULL};

static int quit(struct engine *e, const struct engine_request *r)
{
    (void)r;
    e->quit = true;
    return OK;
}

static const struct {
    const char *name;
    engine_op *run;
    uint32_t fields; // it takes, apart from op and id
    enum { ANYTIME, GAME, OPEN_GAME } needs;
} ops[] = {
    {"about", engine_about, 0, ANYTIME},
    {"start", engine_start, F(SEATS) | F(NAMES) | F(RULES) | F(SCENARIO) | F(SEED) | F(STACK) | F(VIEWER), ANYTIME},
    {"choices", engine_choices, F(SEAT) | F(FLAT) | F(MASK), GAME},
    {"apply", engine_apply, F(SEAT) | F(ACTION) | F(INDEX) | F(TURN) | F(VIEWER), OPEN_GAME},
    {"tick", engine_tick, F(COUNT) | F(VIEWER), OPEN_GAME},
    {"stack", engine_stack, F(STACK), OPEN_GAME},
    {"bot", engine_bot, F(SEAT) | F(BOT) | F(AGGRO) | F(PLAY) | F(VIEWER), OPEN_GAME},
    {"fallback", engine_fallback, F(SEAT) | F(VIEWER), OPEN_GAME},
    {"drop", engine_drop, F(SEAT) | F(REASON) | F(VIEWER), OPEN_GAME},
    {"view", engine_view, F(VIEWER) | F(TEXT) | F(PICTURE) | F(VECTOR), GAME},
    {"prose", engine_prose, F(WHAT) | F(VIEWER), GAME},
    {"hash", engine_hash, 0, GAME},
    {"payoffs", engine_payoffs, 0, GAME},
    {"rewards", engine_rewards, 0, GAME},
    {"save", engine_save, 0, GAME},
    {"restore", engine_restore, F(SAVED), ANYTIME},
    {"finish", engine_finish, F(REVEAL), OPEN_GAME},
    {"quit", quit, 0, ANYTIME},
};
enum { OPS = sizeof ops / sizeof *ops };

int engine_refuse(struct engine *e, int err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(e->why, sizeof e->why, format, args);
    va_end(args);
    return err;
}

// The members as raw JSON; of two with the same name the last counts.
static int parse_request(struct engine *e, struct span line, struct engine_request *r)
{
    struct json_reader in = json_reader_of(line, REQUEST_DEPTH);
    struct json_string key;
    enum json_type type = json_peek(&in);
    if (type != JSON_OBJECT && type != JSON_NONE)
        return engine_refuse(e, ERR_TYPE, "a line must be one JSON object, as {\"op\":\"about\"}");
    for (json_enter_object(&in); json_next_key(&in, &key);) {
        int field = json_string_among(key, field_names);
        struct span value = json_read_raw(&in);
        if (field >= 0)
            r->field[field] = value;
        else if (!r->unknown_member.at)
            r->unknown_member = key.raw;
    }
    int err = json_finish(&in);
    if (err != OK)
        *r = (struct engine_request){0}; // what could be read of a broken line is not to be trusted, its id neither
    return err;
}

static int check_id(struct engine *e, struct engine_request *r)
{
    struct span *id = &r->field[FIELD_ID];
    if (id->size == 0)
        return OK;
    struct json_reader in = json_reader_of(*id, 1);
    enum json_type type = json_peek(&in);
    if ((type == JSON_STRING || type == JSON_INT) && id->size <= ENGINE_MAX_ID)
        return OK;
    *id = (struct span){0}; // not repeated in the error: it may be a megabyte
    return engine_refuse(e, ERR_TYPE, "an id must be a whole number or a string of at most %d bytes", ENGINE_MAX_ID);
}

static int refuse_op(struct engine *e, int err, struct span given)
{
    char known[256] = "";
    size_t used = 0;
    for (int i = 0; i < OPS; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", ops[i].name);
    if (given.size == 0)
        return engine_refuse(e, err, "a request has an op; known: %s", known);
    return engine_refuse(e, err, "%.*s is no op; known: %s", (int)(given.size < 64 ? given.size : 64), given.at, known);
}

static int find_op(struct engine *e, const struct engine_request *r)
{
    struct span given = r->field[FIELD_OP];
    if (given.size == 0)
        return refuse_op(e, ERR_MISSING, given);
    struct json_reader in = json_reader_of(given, 1);
    struct json_string name = json_read_string(&in);
    for (int i = 0; i < OPS && !in.error; i++)
        if (json_string_is(name, ops[i].name))
            return i;
    return refuse_op(e, in.error ? in.error : ERR_UNKNOWN, given);
}

static int refuse_member(struct engine *e, int op, struct span member)
{
    char known[256] = "op, id";
    size_t used = strlen(known);
    for (int f = 0; f < ENGINE_FIELD_COUNT; f++)
        if (ops[op].fields >> f & 1)
            used += (size_t)snprintf(known + used, sizeof known - used, ", %s", field_names[f]);
    return engine_refuse(e, ERR_UNKNOWN, "%s has no member '%.*s'; known: %s", ops[op].name,
                         (int)(member.size < 64 ? member.size : 64), member.at, known);
}

static int check_members(struct engine *e, const struct engine_request *r, int op)
{
    uint32_t takes = ops[op].fields | F(OP) | F(ID);
    for (int f = 0; f < ENGINE_FIELD_COUNT; f++)
        if (r->field[f].size && !(takes >> f & 1))
            return refuse_member(e, op, span_of(field_names[f]));
    return r->unknown_member.at ? refuse_member(e, op, r->unknown_member) : OK;
}

static int check_game(struct engine *e, int op)
{
    if (ops[op].needs == ANYTIME)
        return OK;
    if (!e->live->row)
        return ERR_NO_GAME;
    if (ops[op].needs == OPEN_GAME && e->live->finished)
        return engine_refuse(e, ERR_NO_GAME, "the game was finished; start another one or restore a saved state");
    return OK;
}

static int run_operation(struct engine *e, struct engine_request *r)
{
    int op = find_op(e, r), err;
    if (op < 0)
        return op;
    if ((err = check_members(e, r, op)) != OK || (err = check_game(e, op)) != OK)
        return err;
    return ops[op].run(e, r);
}

static void begin_answer(struct engine *e, const struct engine_request *r, bool ok)
{
    json_begin_object(&e->out);
    json_put_bool(&e->out, "ok", ok);
    if (r->field[FIELD_ID].size) {
        json_put_raw(&e->out, "id", r->field[FIELD_ID]);
    }
}

static void write_error(struct engine *e, const struct engine_request *r, int err)
{
    begin_answer(e, r, false);
    json_begin_object_at(&e->out, "error");
    json_put_text(&e->out, "code", err_name(err));
    json_put_text(&e->out, "message", e->why[0] ? e->why : err_sentence(err));
    json_end_object(&e->out);
}

static void end_answer(struct engine *e)
{
    json_end_object(&e->out);
    text_put_char(&e->out, '\n');
}

void engine_answer(struct engine *e, struct span line)
{
    struct engine_request r = {0};
    size_t begin = e->out.size;
    e->why[0] = 0;
    int err = parse_request(e, line, &r);
    if (err == OK)
        err = check_id(e, &r);
    if (err == OK) {
        begin_answer(e, &r, true);
        err = run_operation(e, &r);
    }
    if (err != OK) {
        e->out.size = begin; // what was written of the answer before it failed
        e->out.full = false;
        write_error(e, &r, err);
    }
    end_answer(e);
}

void engine_answer_too_long(struct engine *e)
{
    struct engine_request none = {0};
    engine_refuse(e, ERR_TOO_LONG, "a line has at most %d bytes", ENGINE_MAX_LINE);
    write_error(e, &none, ERR_TOO_LONG);
    end_answer(e);
}

void engine_open(struct engine *e, const struct game_kit *row, const char *replay_path)
{
    *e = (struct engine){.row = row, .replay_path = replay_path};
    e->out = memory_reserve_text(ENGINE_MAX_ANSWER);
    e->prose = memory_reserve_text(ENGINE_MAX_PROSE);
    table_open(&e->slot[0]);
    table_open(&e->slot[1]);
    e->live = &e->slot[0];
}

void engine_close(struct engine *e)
{
    table_close(&e->slot[0]);
    table_close(&e->slot[1]);
    memory_release(e->prose.at, ENGINE_MAX_PROSE);
    memory_release(e->out.at, ENGINE_MAX_ANSWER);
}

int engine_read_bool(struct engine *e, const struct engine_request *r, enum engine_field f, bool *out)
{
    if (r->field[f].size == 0)
        return OK;
    struct json_reader in = json_reader_of(r->field[f], 1);
    bool value = json_read_bool(&in);
    if (in.error)
        return engine_refuse(e, in.error, "%s must be true or false", field_names[f]);
    *out = value;
    return OK;
}

int engine_read_int(struct engine *e, const struct engine_request *r, enum engine_field f, int64_t min, int64_t max,
                    int64_t *out)
{
    if (r->field[f].size == 0)
        return OK;
    struct json_reader in = json_reader_of(r->field[f], 1);
    int64_t value = json_read_int(&in, min, max);
    if (in.error)
        return engine_refuse(e, in.error, "%s must be a whole number from %lld to %lld", field_names[f], (long long)min,
                             (long long)max);
    *out = value;
    return OK;
}

static int refuse_seat(struct engine *e, int err, const char *also)
{
    char names[GAME_MAX_SEATS * (MATCH_NAME_ROOM + 2)];
    size_t used = 0;
    for (int s = 0; s < e->live->match.seats; s++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", s ? ", " : "", e->live->names[s]);
    return engine_refuse(e, err, "that is nobody at this table; known: 0 to %d, %s%s", e->live->match.seats - 1, names,
                         also);
}

int engine_read_seat(struct engine *e, const struct engine_request *r, bool any, int *out)
{
    if (r->field[FIELD_SEAT].size == 0) {
        struct game_turn turn = table_turn(e->live);
        seat_set asked = turn.seats;
        if (turn.kind == TURN_OVER)
            return engine_refuse(e, ERR_OVER, "the game has ended and nobody is asked; start another one");
        if (!asked || (!any && __builtin_popcount(asked) > 1))
            return engine_refuse(e, ERR_MISSING, "say which seat: %s", asked ? "several are asked" : "nobody is asked");
        *out = __builtin_ctz(asked);
        return OK;
    }
    struct codec_table table = table_for(e->live, GAME_SPECTATOR);
    struct json_reader in = json_reader_of(r->field[FIELD_SEAT], 1);
    int seat = codec_read_seat(&in, &table);
    if (in.error)
        return refuse_seat(e, in.error, "");
    *out = seat;
    return OK;
}

int engine_read_viewer(struct engine *e, const struct engine_request *r, int *out)
{
    static const char *const words[] = {"spectator", "all", NULL};
    static const int viewers[] = {GAME_SPECTATOR, ENGINE_VIEW_ALL};
    *out = GAME_SPECTATOR;
    if (r->field[FIELD_VIEWER].size == 0)
        return OK;
    struct json_reader in = json_reader_of(r->field[FIELD_VIEWER], 1);
    if (json_read_if_null(&in)) {
        *out = ENGINE_VIEW_NONE;
        return OK;
    }
    struct json_reader again = in;
    int word = json_peek(&in) == JSON_STRING ? json_string_among(json_read_string(&again), words) : -1;
    if (word >= 0) {
        *out = viewers[word];
        return OK;
    }
    struct codec_table table = table_for(e->live, GAME_SPECTATOR);
    int seat = codec_read_seat(&in, &table);
    if (in.error)
        return refuse_seat(e, in.error, ", spectator, all");
    *out = seat;
    return OK;
}
