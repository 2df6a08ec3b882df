#include "app/step_log.h"

#include "codec/codec.h"
#include "crypto/crypto.h"
#include "games/tetris/rules/tetris.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FIELDS = 9, MAX_LISTED = 32, STEPS_APART = 64 };

static const char *const rulesets[] = {"standard", "guideline", NULL};
static const char *const rotations[] = {"north", "east", "south", "west", NULL};
static const char *const paths[] = {"simple", "full", NULL};

static const struct {
    const char *name;
    uint8_t kind;
} inputs[] = {
    {"moveLeft", TETRIS_MOVE_LEFT}, {"moveRight", TETRIS_MOVE_RIGHT}, {"softDrop", TETRIS_SOFT_DROP},
    {"hardDrop", TETRIS_HARD_DROP}, {"rotateCw", TETRIS_ROTATE_CW},   {"rotateCcw", TETRIS_ROTATE_CCW},
    {"hold", TETRIS_HOLD},          {"pause", TETRIS_PAUSE},          {"restart", TETRIS_RESTART},
};

enum { INPUTS = sizeof inputs / sizeof *inputs };

__attribute__((format(printf, 3, 4))) static int refuse(struct step_log_fault *f, int err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->why, sizeof f->why, format, args);
    va_end(args);
    return err;
}

// The kind of piece that a placement moves: the active one, or the one that becomes active when it is held.
static int placed_kind(const void *state, bool hold)
{
    struct tetris_view v;
    tetris_game.view(state, 0, &v);
    return !hold ? v.piece.kind : v.facts.hold ? v.facts.hold : v.next[0];
}

// Reading

struct line {
    struct span field[MAX_FIELDS];
    int fields;
};

struct import {
    struct span log;
    size_t at;
    struct match match;
    struct step_log_fault *fault;
    int layout;
    uint64_t hashed; // the step of the last hash
};

// The next complete line, split at its TABs; false at the end. An incomplete last line is ignored.
static bool take_line(struct import *im, struct line *l)
{
    const char *from = im->log.at + im->at;
    const char *end = im->at < im->log.size ? memchr(from, '\n', im->log.size - im->at) : NULL;
    *l = (struct line){0};
    if (!end)
        return false;
    im->fault->begin = im->at;
    im->fault->line++;
    im->at = (size_t)(end - im->log.at) + 1;
    for (const char *at = from; l->fields < MAX_FIELDS; at++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        l->field[l->fields++] = (struct span){at, (size_t)((tab ? tab : end) - at)};
        if (!tab)
            return true;
        at = tab;
    }
    l->fields++; // more than any line has
    return true;
}

static bool read_number(struct span s, uint64_t max, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < s.size; i++) {
        uint64_t digit = (uint64_t)(s.at[i] - '0');
        if (digit > 9 || digit > max || *value > (max - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return s.size > 0;
}

static bool read_signed(struct span s, int *value)
{
    bool minus = s.size && s.at[0] == '-';
    uint64_t size;
    if (!read_number((struct span){s.at + minus, s.size - minus}, 99, &size))
        return false;
    *value = minus ? -(int)size : (int)size;
    return true;
}

static bool read_hash(struct span s, uint64_t *hash)
{
    *hash = 0;
    for (size_t i = 0; i < s.size; i++) {
        const char *digit = s.at[i] ? strchr("0123456789abcdef", s.at[i]) : NULL;
        if (!digit)
            return false;
        *hash = *hash << 4 | (uint64_t)(digit - "0123456789abcdef");
    }
    return s.size == 16;
}

static bool read_source(struct span s, uint32_t *source)
{
    uint64_t id;
    *source = span_is(s, "S") ? STEP_LOG_SERVER : STEP_LOG_LOCAL;
    if (span_is(s, "S") || span_is(s, "L"))
        return true;
    if (s.size < 2 || s.at[0] != 'R')
        return false;
    if (!read_number((struct span){s.at + 1, s.size - 1}, UINT32_MAX - STEP_LOG_REMOTE, &id))
        return false;
    *source = (uint32_t)(STEP_LOG_REMOTE + id);
    return true;
}

static int read_head(struct import *im, struct text *replay, struct match_setup *setup)
{
    struct line l;
    uint64_t seed;
    if (!take_line(im, &l) || l.fields != 4 || !span_is(l.field[0], "AGT1"))
        return refuse(im->fault, ERR_FORMAT, "a step log begins with AGT1, ruleset, seed and hash layout");
    int ruleset = span_among(l.field[1], rulesets);
    if (ruleset < 0)
        return refuse(im->fault, ERR_FORMAT, "the ruleset is standard or guideline");
    if (!read_number(l.field[2], UINT32_MAX, &seed))
        return refuse(im->fault, ERR_FORMAT, "the seed is a whole number from 0 to 4294967295");
    im->layout = span_among(l.field[3], tetris_game.digests);
    if (im->layout < 0)
        return refuse(im->fault, ERR_FORMAT, "the hash layout is agon or compat");
    struct tetris_rules rules;
    tetris_game.defaults(&rules);
    rules.ruleset = (uint8_t)ruleset;
    *setup = (struct match_setup){.game = &tetris_game, .rules = &rules, .seats = 1, .has_seed = true, .seed = seed};
    crypto_seed_key(setup->key, tetris_game.name, seed);
    crypto_sha256(setup->commitment, setup->key, sizeof setup->key);
    int err = match_start(&im->match, setup, replay, NULL);
    return err == OK ? OK : refuse(im->fault, err, "%s", err_sentence(err));
}

static int tick_to(struct import *im, uint64_t step)
{
    while (im->fault->step < step) {
        int err = match_tick(&im->match, NULL);
        if (err != OK)
            return refuse(im->fault, err, "%s", err_sentence(err));
        im->fault->step++;
    }
    return OK;
}

static int read_step(struct import *im, struct span field, bool is_input, uint64_t *step)
{
    uint64_t first = im->fault->step + is_input, last = im->hashed + STEPS_APART;
    if (!read_number(field, UINT64_MAX, step))
        return refuse(im->fault, ERR_FORMAT, "the step is a whole number");
    if (*step < first)
        return refuse(im->fault, ERR_FORMAT, "steps come in order: %" PRIu64 " or later", first);
    if (*step > last)
        return refuse(im->fault, ERR_FORMAT, "a hash is due every 64 steps: before step %" PRIu64, last + 1);
    return OK;
}

static int read_inputs(struct import *im, const struct line *l)
{
    struct game_action list[MAX_LISTED];
    int count = 0, restarts = 0;
    uint64_t seed = 0;
    bool seeded = !span_is(l->field[4], "-");
    if (l->fields != 6 || (seeded && !read_number(l->field[4], UINT32_MAX, &seed)))
        return refuse(im->fault, ERR_FORMAT, "an action line is: I step source A seed-or-- action,action,...");
    for (struct span rest = l->field[5]; rest.at;) {
        const char *comma = memchr(rest.at, ',', rest.size);
        struct span name = {rest.at, comma ? (size_t)(comma - rest.at) : rest.size};
        rest = comma ? (struct span){comma + 1, rest.size - name.size - 1} : (struct span){0};
        int i = 0;
        while (i < INPUTS && !span_is(name, inputs[i].name))
            i++;
        if (i == INPUTS || count == MAX_LISTED)
            return refuse(im->fault, ERR_FORMAT,
                          "up to 32 of: moveLeft moveRight softDrop hardDrop rotateCw rotateCcw "
                          "hold pause restart");
        list[count] = (struct game_action){.kind = inputs[i].kind};
        if (inputs[i].kind == TETRIS_RESTART && seeded && restarts++ == 0) { // T2.16: later ones chain
            list[count].arg[0] = 1;
            list[count].amount = (int32_t)(uint32_t)seed;
        }
        count++;
    }
    if (seeded && !restarts)
        return refuse(im->fault, ERR_FORMAT, "a seed belongs to a restart");
    for (int i = 0; i < count; i++)
        if (match_answer(&im->match, 0, 0, list[i], NULL) == ERR_FULL)
            return refuse(im->fault, ERR_FULL, "%s", err_sentence(ERR_FULL));
    return OK; // T1.19: what has no effect now is ignored without error
}

static int read_place(struct import *im, const struct line *l)
{
    int x, y = 0;
    uint64_t hold;
    bool has_y = l->fields == 9 && !span_is(l->field[8], "-");
    int rotation = span_among(l->field[5], rotations), path = span_among(l->field[7], paths);
    if (l->fields != 9 || !read_signed(l->field[4], &x) || rotation < 0 || !read_number(l->field[6], 1, &hold) ||
        path < 0 || (has_y && !read_signed(l->field[8], &y)))
        return refuse(im->fault, ERR_FORMAT,
                      "a place line is: I step source P x north|east|south|west 0|1 simple|full y-or--");
    int kind = placed_kind(&im->match.state, hold);
    int left = kind ? x + tetris_left(kind, rotation) : -1;
    struct game_action a = {.kind = TETRIS_PLACE, .arg = {(uint8_t)left, (uint8_t)rotation}};
    a.arg[2] = (uint8_t)((hold ? TETRIS_PLACE_HOLD : 0) | (path ? TETRIS_PLACE_FULL : 0));
    if (has_y) {
        a.arg[2] |= TETRIS_PLACE_AT_ROW;
        a.amount = y + (kind ? tetris_top(kind, rotation) : 0);
    }
    int err = left < 0 || left >= TETRIS_WIDTH ? ERR_ACTION : match_answer(&im->match, 0, 0, a, NULL);
    return err == OK ? OK : refuse(im->fault, err, "this place does not succeed: %s", err_sentence(err));
}

static int read_input(struct import *im, const struct line *l)
{
    uint64_t step;
    if (l->fields < 6)
        return refuse(im->fault, ERR_FORMAT, "an input line has a step, a source, A or P, and what was done");
    int err = read_step(im, l->field[1], true, &step);
    if (err == OK)
        err = tick_to(im, step - 1);
    if (err != OK)
        return err;
    if (!read_source(l->field[2], &im->match.source))
        return refuse(im->fault, ERR_FORMAT, "the source is L, S, or R and a number");
    if (span_is(l->field[3], "A"))
        return read_inputs(im, l);
    if (span_is(l->field[3], "P"))
        return read_place(im, l);
    return refuse(im->fault, ERR_FORMAT, "an input is A (actions) or P (a place)");
}

static int check_line(struct import *im, const struct line *l)
{
    uint64_t step;
    struct step_log_fault *f = im->fault;
    if (l->fields != 3 || !read_hash(l->field[2], &f->expected))
        return refuse(f, ERR_FORMAT, "a hash line has a step and 16 lower-case hex digits");
    int err = read_step(im, l->field[1], false, &step);
    if (err == OK)
        err = tick_to(im, step);
    if (err != OK)
        return err;
    im->hashed = step;
    f->actual = tetris_game.digest(&im->match.state, im->layout);
    f->differs = f->actual != f->expected;
    if (f->differs)
        return refuse(f, ERR_MISMATCH, "differs at step %" PRIu64 ": expected %016" PRIx64 ", actual %016" PRIx64, step,
                      f->expected, f->actual);
    return OK;
}

static int read_line(struct import *im, const struct line *l)
{
    if (im->fault->ended)
        return refuse(im->fault, ERR_FORMAT, "nothing stands after the end");
    if (span_is(l->field[0], "I"))
        return read_input(im, l);
    if (span_is(l->field[0], "H"))
        return check_line(im, l);
    if (!span_is(l->field[0], "E"))
        return refuse(im->fault, ERR_FORMAT, "a line begins with I, H or E");
    im->fault->ended = true;
    return check_line(im, l);
}

int step_log_import(struct text *replay, struct span log, struct step_log_fault *fault)
{
    struct import im = {.log = log, .fault = fault};
    struct match_setup setup;
    struct line l;
    *fault = (struct step_log_fault){0};
    int err = read_head(&im, replay, &setup);
    while (err == OK && take_line(&im, &l))
        err = read_line(&im, &l);
    if (err != OK)
        return err;
    err = fault->ended ? match_finish(&im.match, setup.key, true) : match_checkpoint(&im.match);
    return err == OK ? OK : refuse(fault, err, "%s", err_sentence(err));
}

// Writing

struct export
{
    struct text *out;
    struct replay_run run;
    struct game_events happened; // in the last entry
    struct step_log_fault *fault;
    int layout;
    uint64_t hashed; // the step of the last hash
    int listed;      // actions on the line that is open; 0: none is
    uint32_t source; // of that line
    bool untimed;    // there were inputs since the last tick
    bool locked;     // and a piece locked since then
};

static void end_list(struct export *ex)
{
    if (ex->listed)
        text_put_char(ex->out, '\n');
    ex->listed = 0;
}

static void put_input(struct export *ex, uint32_t source)
{
    codec_write(ex->out, "I\t%" PRIu64 "\t", ex->fault->step + 1);
    if (source < STEP_LOG_REMOTE)
        text_put_char(ex->out, source == STEP_LOG_SERVER ? 'S' : 'L');
    else
        codec_write(ex->out, "R%" PRIu32, source - STEP_LOG_REMOTE);
}

static int put_action(struct export *ex, const struct replay_entry *e)
{
    bool seeded = e->action.kind == TETRIS_RESTART && e->action.arg[0];
    int i = 0;
    while (i < INPUTS && inputs[i].kind != e->action.kind)
        i++;
    if (i == INPUTS)
        return refuse(ex->fault, ERR_RULES, "a step log has no word for action %d", e->action.kind);
    if (ex->listed && (seeded || ex->source != e->source || ex->listed == MAX_LISTED))
        end_list(ex);
    if (!ex->listed) {
        put_input(ex, e->source);
        text_puts(ex->out, "\tA\t");
        if (seeded)
            text_put_uint(ex->out, (uint32_t)e->action.amount);
        else
            text_put_char(ex->out, '-');
    }
    text_put_char(ex->out, ex->listed ? ',' : '\t');
    text_puts(ex->out, inputs[i].name);
    ex->source = e->source;
    ex->listed++;
    return OK;
}

// Before it is played, because it is about the current piece.
static void put_place(struct export *ex, const struct replay_entry *e)
{
    struct game_action a = e->action;
    int kind = placed_kind(&ex->run.state, a.arg[2] & TETRIS_PLACE_HOLD), rotation = a.arg[1] & 3;
    if (!kind)
        return; // the game will refuse it
    end_list(ex);
    put_input(ex, e->source);
    codec_write(ex->out, "\tP\t%d\t%s\t%d\t%s\t", a.arg[0] - tetris_left(kind, rotation), rotations[rotation],
                a.arg[2] & TETRIS_PLACE_HOLD ? 1 : 0, paths[a.arg[2] & TETRIS_PLACE_FULL ? 1 : 0]);
    if (a.arg[2] & TETRIS_PLACE_AT_ROW)
        text_put_int(ex->out, a.amount - tetris_top(kind, rotation));
    else
        text_put_char(ex->out, '-');
    text_put_char(ex->out, '\n');
}

static void put_hash(struct export *ex, char mark, const void *state)
{
    codec_write(ex->out, "%c\t%" PRIu64 "\t%016" PRIx64 "\n", mark, ex->fault->step,
                tetris_game.digest(state, ex->layout));
    ex->hashed = ex->fault->step;
}

static bool has_lock(const struct game_events *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->at[i].kind == TETRIS_PIECE_LOCKED)
            return true;
    return false;
}

static void end_step(struct export *ex)
{
    end_list(ex);
    ex->fault->step++;
    ex->untimed = false;
    if (ex->locked || ex->fault->step - ex->hashed == STEPS_APART)
        put_hash(ex, 'H', &ex->run.state);
    ex->locked = false;
}

static int put_entry(struct export *ex, const struct replay_entry *e)
{
    if (e->kind == REPLAY_STACK || (e->kind == REPLAY_ACTION && e->seat == GAME_MASTER))
        return refuse(ex->fault, ERR_RULES, "a step log has no word for what the master does");
    if (e->kind != REPLAY_ACTION)
        return OK;
    ex->untimed = true;
    if (e->action.kind != TETRIS_PLACE)
        return put_action(ex, e);
    put_place(ex, e);
    return OK;
}

// Line 1 carries ruleset and seed and nothing else: all other options are the usual ones.
static int put_head(struct export *ex, const char *layout)
{
    struct tetris_rules usual, rules;
    tetris_game.defaults(&usual);
    memcpy(&rules, &ex->run.rules, sizeof rules);
    int ruleset = rules.ruleset;
    rules.ruleset = usual.ruleset;
    rules.seed = usual.seed;
    rules.has_seed = usual.has_seed;
    rules.listed = usual.listed;
    rules.preview = usual.preview;
    if (memcmp(&rules, &usual, sizeof rules) != 0)
        return refuse(ex->fault, ERR_RULES, "a step log carries a ruleset and a seed; this game has other options set");
    struct tetris_view v;
    tetris_game.view(&ex->run.state, 0, &v);
    codec_write(ex->out, "AGT1\t%s\t%" PRIu32 "\t%s\n", rulesets[ruleset], v.facts.seed, layout);
    return OK;
}

// Inputs after the last tick belong to a step that has not ended. A tick after the game changes nothing and ends it.
static int put_end(struct export *ex)
{
    union game_state last = ex->run.state;
    if (ex->untimed && tetris_game.turn(&last).kind != TURN_OVER)
        return refuse(ex->fault, ERR_RULES, "the replay stops inside a step: cut it after a tick first");
    if (ex->untimed) {
        end_list(ex);
        tetris_game.tick(&last, NULL);
        ex->fault->step++;
    }
    put_hash(ex, 'E', &last);
    return ex->out->full ? refuse(ex->fault, ERR_FULL, "%s", err_sentence(ERR_FULL)) : OK;
}

// One entry, written before it is played and hashed after.
static int put_next(struct export *ex)
{
    struct replay_reader ahead = ex->run.reader;
    struct replay_entry e;
    int err = OK;
    if (!ex->run.ticks_left && replay_next(&ahead, &e) == 1)
        err = put_entry(ex, &e);
    if (err != OK)
        return err;
    ex->happened.count = 0;
    int done = replay_step(&ex->run, 1, &ex->happened);
    if (done < 0)
        return refuse(ex->fault, done, "after step %" PRIu64 ": %s", ex->fault->step, err_sentence(done));
    ex->locked |= has_lock(&ex->happened);
    if (done == 1 && ex->run.entry.kind == REPLAY_TICKS)
        end_step(ex);
    return done;
}

int step_log_export(struct text *log, struct span replay, const uint8_t *key, const char *layout,
                    struct step_log_fault *fault)
{
    static struct export ex;
    ex = (struct export){.out = log, .fault = fault, .layout = span_among(span_of(layout), tetris_game.digests)};
    *fault = (struct step_log_fault){0};
    if (ex.layout < 0)
        return refuse(fault, ERR_UNKNOWN, "the hash layout is agon or compat");
    int done = replay_begin(&ex.run, replay, &tetris_game, key, NULL);
    if (done == OK)
        done = put_head(&ex, layout);
    if (done != OK)
        return fault->why[0] ? done : refuse(fault, done, "%s", err_sentence(done));
    while ((done = put_next(&ex)) == 1)
        ;
    return done == 0 ? put_end(&ex) : done;
}
