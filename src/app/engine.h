// The engine: one game controlled by JSON lines. A line is an object {"op":NAME,...}, and so is its reply.
//
// The caller is the referee: it starts games, moves for every seat and may ask for every seat's view. Hidden
// information is in a reply only if the request names a viewer who may see it. A refused line changes nothing.
#pragma once

#include "app/table.h"

enum {
    ENGINE_PROTOCOL = 1,
    ENGINE_MAX_LINE = 1 << 20,
    ENGINE_MAX_ANSWER = 96 << 20,
    ENGINE_MAX_PROSE = 1 << 20,
    ENGINE_MAX_TICKS = 100000,
    ENGINE_MAX_ID = 256,
    ENGINE_VIEW_ALL = -1,  // all viewers, side by side
    ENGINE_VIEW_NONE = -2, // no viewer: events are not reported
};

// Members of requests, as raw JSON; size 0 if absent.
#define ENGINE_FIELDS(X)                                                                                               \
    X(ID, "id")                                                                                                        \
    X(OP, "op")                                                                                                        \
    X(SEATS, "seats")                                                                                                  \
    X(NAMES, "names")                                                                                                  \
    X(RULES, "rules")                                                                                                  \
    X(SCENARIO, "scenario")                                                                                            \
    X(SEED, "seed")                                                                                                    \
    X(STACK, "stack")                                                                                                  \
    X(SEAT, "seat")                                                                                                    \
    X(VIEWER, "viewer")                                                                                                \
    X(ACTION, "action")                                                                                                \
    X(INDEX, "index")                                                                                                  \
    X(TURN, "turn")                                                                                                    \
    X(COUNT, "count")                                                                                                  \
    X(TEXT, "text")                                                                                                    \
    X(PICTURE, "picture")                                                                                              \
    X(VECTOR, "vector")                                                                                                \
    X(FLAT, "flat")                                                                                                    \
    X(MASK, "mask")                                                                                                    \
    X(WHAT, "what")                                                                                                    \
    X(BOT, "bot")                                                                                                      \
    X(AGGRO, "aggro")                                                                                                  \
    X(PLAY, "play")                                                                                                    \
    X(REASON, "reason")                                                                                                \
    X(SAVED, "saved")                                                                                                  \
    X(REVEAL, "reveal")

enum engine_field {
#define ENGINE_AS_ENUM(name, key) FIELD_##name,
    ENGINE_FIELDS(ENGINE_AS_ENUM)
#undef ENGINE_AS_ENUM
        ENGINE_FIELD_COUNT
};

struct engine_request {
    struct span field[ENGINE_FIELD_COUNT];
    struct span unknown_member; // the first unknown member
};

struct engine {
    const struct game_kit *row;
    const char *replay_path; // where finish writes the replay; NULL: into its reply
    struct table slot[2];    // the current game, and one that is being set up
    struct table *live;      // one of them
    struct text out;         // replies not fetched yet
    struct text prose;       // scratch space
    char why[1024];          // explains an error if the standard sentence is not enough
    bool quit;
};

void engine_open(struct engine *e, const struct game_kit *row, const char *replay_path);
void engine_close(struct engine *e);
void engine_answer(struct engine *e, struct span line); // appends one line to e->out
void engine_answer_too_long(struct engine *e);          // for a line that was not read completely

// Private. Operations write members of an open object, or refuse before anything has changed.
typedef int engine_op(struct engine *e, const struct engine_request *r);
engine_op engine_about, engine_choices, engine_view, engine_prose, engine_hash, engine_payoffs, engine_rewards;
engine_op engine_start, engine_apply, engine_tick, engine_bot, engine_fallback, engine_drop, engine_stack;
engine_op engine_save, engine_restore, engine_finish;

int engine_refuse(struct engine *e, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Values of members; each refuses with its own message. Absent members leave `*out` unchanged.
int engine_read_bool(struct engine *e, const struct engine_request *r, enum engine_field f, bool *out);
int engine_read_int(struct engine *e, const struct engine_request *r, enum engine_field f, int64_t min, int64_t max,
                    int64_t *out);
// Absent: the one seat that is asked; if several are, the first of them if `any` is set.
int engine_read_seat(struct engine *e, const struct engine_request *r, bool any, int *out);
int engine_read_viewer(struct engine *e, const struct engine_request *r, int *out); // absent: the spectator

void engine_write_turn(struct engine *e);               // "turn":{...}
void engine_begin_events(struct engine *e, int viewer); // "events":[
void engine_write_events(struct engine *e, int viewer); // of the last step
void engine_end_events(struct engine *e, int viewer);
void engine_write_payoffs(struct engine *e);
