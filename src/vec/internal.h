// A vec from the inside. include/agon.h is the outside, and says what each call promises.
//
// An environment is a lane: one block of bytes with struct lane in front, then state, history, masks of its rows,
// streams of house players and the ring of tokens, at offsets that are the same in the whole vec. Copying the block
// clones the environment; a snapshot is a header and the block (V27, V28).
#pragma once

#include "agon.h"
#include "game/rows.h"
#include "games/games.h"

#include <stdatomic.h>
#include <stddef.h>

enum {
    VEC_MAX_ENVS = 1 << 20,
    VEC_MAX_GROUPS = 64,
    VEC_MAX_THREADS = 256,
    VEC_MAX_TOKENS = 1024,
    VEC_MOST_TICKS = 100, // of one step of placements (V5)
    VEC_CACHE_LINE = 64,
    VEC_RUN = 32,        // neighbouring environments that one thread takes at a time
    VEC_LARGE = 1 << 21, // bytes that the second cache of a processor may not hold
};

enum { LANES_TOGETHER = 4 }; // that begin their next episodes at once

enum lane_end { LANE_RUNNING, LANE_TERMINATED, LANE_TRUNCATED, LANE_BLANK };

// What every step touches comes first, and from `seed` on what an episode leaves to the next.
struct lane {
    uint32_t length;               // steps of the caller in this episode
    uint32_t episode;              // since the last seed, which is number 0
    uint32_t tokens;               // told in this episode
    uint32_t steps;                // of the match: actions and ticks, as match.h counts them
    seat_set house;                // seats that are not the caller's
    uint8_t asked;                 // a seat of the caller, or AGON_NOBODY
    uint8_t last;                  // who answered last; before that, who is asked first
    uint8_t end;                   // enum lane_end
    uint8_t has_early;             // `early` is not paid yet
    seat_set owing;                // seats of the caller that are asked
    float unpaid[GAME_MAX_SEATS];  // by seat, since its last answer (V17)
    float returns[GAME_MAX_SEATS]; // by seat, of the episode
    struct rng root;               // key of the running episode; what lies before it is of this episode too
    uint64_t seed;
    struct rng chain;          // of the last seed
    struct game_rewards early; // earned before the first question: paid by the first step
};

// A share of the runs of a group: those that one thread takes as long as it has some, so that the memory of an
// environment stays in the cache of one processor.
struct share {
    _Alignas(VEC_CACHE_LINE) _Atomic uint32_t next; // the run to be taken next; `end` and above: none is left
    uint32_t first, end;
};

struct group {
    struct agon_buffers to;               // the caller's memory, borrowed while bound
    bool is_bound, is_sent;               // sent: workers step it, and nobody else may touch its lanes
    bool has_row_extras, has_step_extras; // buffers that few callers bind: looked for once, not in every step
    uint32_t first, envs, rows, runs; // its first environment; how many; rows it shows; runs of VEC_RUN environments
    struct share *shares;             // [threads], or NULL
    int32_t *samples;                 // not NULL: the runs draw actions (agon_sample) and do not step
    uint64_t draws;                   // state of the first of them
    _Alignas(VEC_CACHE_LINE) _Atomic uint32_t left; // runs that are not done; a futex
    _Atomic uint32_t errors;
    _Atomic uint32_t waits; // 1: the caller sleeps until `left` is 0
};

struct vec_log;     // of a recorded environment
struct vec_workers; // threads

struct agon_vec {
    const struct game_kit *kit;
    const struct game *game;
    struct agon_config config;
    union game_rules rules;
    uint32_t seats, actions, words, components; // words: of a mask; components: of rewards
    int version;
    enum game_dtype dtype;
    uint32_t row_elements, row_bytes, seat_bytes; // of a row, and of what one seat sees of it
    uint32_t rows_of_env;                         // 1 or seats
    bool shows_asked;                             // a row is what the asked seat sees, and no more
    bool listens;                                 // rewards of this game are made of events
    bool is_timed;                                // time moves it
    bool keeps_history;                           // some row or token is made of it
    bool is_wide, deposits;                       // what this processor can: row_can_be_wide, sample_can_deposit
    bool is_brief;                                // rows of vector 1 and no tokens (game_apply_brief)
    uint64_t allowed[GAME_FLAT_WORDS];            // numbers of the pace
    uint64_t places[GAME_FLAT_WORDS];             // those that place a piece
    const struct bot *house[GAME_MAX_SEATS];
    seat_set house_seats;
    uint32_t mind_bytes; // largest memory of a house player; 0: none has one

    // A block: struct lane, then the parts of an environment at these offsets. A snapshot is its bytes.
    uint32_t block_bytes, state_at, history_at, masks_at, streams_at, minds_at, ring_at;
    uint8_t *blocks;       // [num_envs + 1][block_bytes]; the last is scratch of agon_load
    bool is_large;         // worth fetching ahead
    bool is_reset;         // every environment has an episode
    struct vec_log *logs;  // [num_envs], or NULL: nothing was ever recorded
    const uint32_t *alive; // a page that is zero after a fork (V23)
    struct group *groups;  // [group_count]: all have as many environments
    struct share *shares;  // of all groups; NULL: threads 0
    uint32_t group_count;
    struct vec_workers *workers; // NULL: threads 0
};

static inline struct lane *lane_at(const struct agon_vec *v, uint32_t i)
{
    return (struct lane *)(v->blocks + (size_t)i * v->block_bytes);
}

static inline void *lane_state(const struct agon_vec *v, const struct lane *l)
{
    return (uint8_t *)(uintptr_t)l + v->state_at;
}

// NULL: no row of this vec reads it, and there is none.
static inline void *lane_history(const struct agon_vec *v, const struct lane *l)
{
    return v->keeps_history ? (uint8_t *)(uintptr_t)l + v->history_at : NULL;
}

static inline uint64_t *lane_masks(const struct agon_vec *v, const struct lane *l)
{
    return (uint64_t *)((uintptr_t)l + v->masks_at);
}

static inline struct rng *lane_streams(const struct agon_vec *v, const struct lane *l)
{
    return (struct rng *)((uintptr_t)l + v->streams_at);
}

// Of a seat of the house.
static inline void *lane_mind(const struct agon_vec *v, const struct lane *l, int seat)
{
    return (uint8_t *)(uintptr_t)l + v->minds_at + (uint32_t)seat * v->mind_bytes;
}

static inline struct game_token *lane_ring(const struct agon_vec *v, const struct lane *l)
{
    return (struct game_token *)((uintptr_t)l + v->ring_at);
}

// errors.c: sets the sentence of agon_last_error and returns `status`.
int vec_refuse(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vec_refuse_bot(const struct agon_vec *v, int status, const char *option, const char *name); // names those it has
int vec_check(const struct agon_vec *v);                       // the vec exists and is not forked
int vec_check_idle(const struct agon_vec *v);                  // also: no group is under way
int vec_check_group(const struct agon_vec *v, uint32_t group); // also: the group exists and is not under way
int vec_check_env(const struct agon_vec *v, uint32_t env);     // also: everything is reset, and the environment exists

int vec_check_viewer(const struct agon_vec *v, uint32_t env,
                     uint32_t viewer); // also: the viewer is a seat or the gallery

// catalog.c
const struct game_kit *vec_find_kit(const char *name);       // NULL: refused
int vec_write_out(void *out, const void *full, size_t size); // by the struct_size of `out`

// options.c: the scenario and the options onto the rules; sets *seats.
int vec_read_rules(const struct game_kit *k, const struct agon_config *c, union game_rules *rules, uint32_t *seats);

// lane.c: what moves a lane.
struct lane_step {
    struct game_events *events; // NULL: nobody listens
    struct game_rewards rewards;
    uint32_t plays; // 0: rewards are not set
    uint32_t ticks;
};

void lane_begin(const struct agon_vec *v, struct lane *l, const uint64_t *seed); // NULL: the next of its chain
// Begins the next episode of up to LANES_TOGETHER lanes, which is faster than one by one.
void lane_begin_next(const struct agon_vec *v, struct lane *const lanes[], uint32_t count);
int lane_check(const struct agon_vec *v, const struct lane *l, int row, int32_t number); // 0, or AGON_ILLEGAL...
// The answers of one step: `numbers` [rows of the environment]. 0, or the first error; then config.illegal was applied.
int lane_answer(const struct agon_vec *v, struct lane *l, const int32_t *numbers, struct lane_step *step);
void lane_answer_asked(const struct agon_vec *v, struct lane *l, int32_t number, struct lane_step *step); // it is legal
// After the answers: counts the step, cuts an episode that is too long, adds up what was earned. `rewards` and `unpaid`
// [seats] are written unless they are NULL.
void lane_close_step(const struct agon_vec *v, struct lane *l, struct lane_step *step, float *rewards, float *unpaid);
void lane_refresh(const struct agon_vec *v, struct lane *l); // derives asked, masks and streams from the state again

// house_bots.c
const struct bot *lane_bot(const struct agon_vec *v, const struct lane *l, int seat); // of a seat of the house
// `mind` NULL: the bot knows only the view.
struct game_action lane_ask_bot(const struct agon_vec *v, const struct lane *l, const struct bot *bot, int seat,
                                struct rng dice, uint32_t effort, const void *mind);
// The memories of house bots: at the start of a match, and after a step, with its events.
void lane_begin_minds(const struct agon_vec *v, struct lane *l, const void *rules, const struct game_events *first);
void lane_feed_minds(const struct agon_vec *v, struct lane *l, const struct game_events *e);
void lane_show_minds(const struct agon_vec *v, struct lane *l); // their views have changed without an event

// row.c: what a step writes. `i` is the environment's place in its group.
void row_write(const struct agon_vec *v, const struct lane *l, const struct group *g, uint32_t i);
bool row_has_extras(const struct agon_buffers *to);
void row_write_final(const struct agon_vec *v, const struct lane *l, const struct agon_buffers *to, uint32_t i);
void row_write_tokens(const struct agon_vec *v, const struct lane *l, int viewer, int16_t *out);
void row_observe(const struct agon_vec *v, const struct lane *l, int viewer, void *out); // of one row
bool row_can_be_wide(void);                                                              // this processor has AVX2
void row_expand_mask(const uint64_t *words, uint32_t actions, bool is_wide, uint8_t *out);

// step.c
bool step_has_extras(const struct agon_buffers *to);
// Writes environment i of the group as after a step that earned nothing: it stood still, or has just begun.
void step_stand_still(const struct agon_vec *v, const struct group *g, uint32_t i, const struct lane *l, int error);
uint32_t vec_step_run(const struct agon_vec *v, struct group *g, uint32_t run); // how many errors

// sample.c
bool sample_can_deposit(void); // this processor has a quick instruction for the bit of a rank
// Draws actions for a run; `state` is that of the group's first row.
void vec_sample_run(const struct agon_vec *v, const struct group *g, uint32_t run, uint64_t state, int32_t *actions);

// snapshot.c
uint64_t vec_snapshot_bytes(const struct agon_vec *v);

// workers.c
int workers_start(struct agon_vec *v);
void workers_stop(struct agon_vec *v);
void workers_send(struct agon_vec *v, struct group *g); // makes its runs ready to be taken
enum workers_call {
    WORKERS_AWAKE, // those that are awake may help
    WORKERS_HELP,  // all but the one in whose place the caller works
    WORKERS_ALL
};
void workers_wake(struct agon_vec *v, enum workers_call call);
uint32_t workers_finish(struct agon_vec *v, struct group *g); // helps, then waits; how many errors

// replay_log.c: the log of a recorded lane. Nothing is done if v->logs is NULL.
void lane_log_begin(const struct agon_vec *v, const struct lane *l);
void lane_log_action(const struct agon_vec *v, const struct lane *l, int seat, struct game_action a, bool silent);
void lane_log_tick(const struct agon_vec *v, const struct lane *l);
void lane_log_end(const struct agon_vec *v, const struct lane *l);
void lane_log_break(const struct agon_vec *v, const struct lane *l); // what follows is not of this episode
void vec_logs_release(struct agon_vec *v);
