// libagon: games as batches of environments, for training and search.
//
// A vec is N environments of one game, stepped together. The caller owns all buffers: contiguous arrays, written in
// place, one row per environment. A step reads one action number per row and writes rewards, episode ends, the seat
// that is asked next, its observation and its legal actions. Steps allocate nothing and make no system call; worker
// threads that wait for work sleep on a futex. There is no global state: two vecs share nothing.
//
//     struct agon_config config = agon_default_config();
//     config.game = "coup", config.num_envs = 1024, config.seed = 7;
//     agon_vec *v;
//     if (agon_create(&config, &v) != AGON_OK) ...          agon_last_error() says what is wrong
//     struct agon_layout at = agon_no_layout();
//     agon_get_layout(v, &at);                              how large the buffers are
//     struct agon_buffers b = agon_no_buffers();
//     b.observations = malloc(at.observations_bytes) ...    NULL: not written
//     agon_bind(v, 0, &b);
//     agon_reset(v, NULL, NULL);
//     for (;;) {
//         ... b.actions[i] = a number with b.masks[i * at.actions + number] == 1
//         agon_step(v);
//     }
//     agon_destroy(v);
//
// Terms. A seat is a place at the table, counted from 0. An action number is defined by the game and is the same for
// any number of seats; 0 is "wait", the only legal action of a seat that is not asked. A row is what one seat sees: N
// rows (the seat that is asked), or N x seats rows (every seat). An episode is a match from its first decision to its
// end. A step is one action of the caller in each environment, and includes what house bots play before the caller is
// asked again.
//
// The same configuration, seeds and actions give the same bytes in every buffer, on every machine, for any number of
// threads and groups.
#ifndef AGON_H
#define AGON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define AGON_API __attribute__((visibility("default")))
#else
#define AGON_API
#endif

// ---- Versions -------------------------------------------------------------------------------------------------------
// The ABI is only extended, never changed. Structs begin with their size: the caller sets it to the size it was
// compiled with; the library reads and writes no further, and treats later members as 0. So 0 always means "as before"
// or "default". Members, functions, enum values and games are added at the end; none is removed, renumbered or given
// another meaning. Anything that must change gets a new name. The SONAME is libagon.so.1 as long as that holds; symbols
// have the version AGON_1. Layouts of observations have versions of their own (config.vector), because a trained policy
// depends on them.
#define AGON_ABI 1
AGON_API uint32_t agon_abi(void);        // of the loaded library: at least the header's AGON_ABI
AGON_API const char *agon_version(void); // of the program: "0.2.0"

enum { AGON_MAX_SEATS = 10, AGON_MAX_BOTS = 12, AGON_NOBODY = 255 };

// Negative return values. -1 to -6 are those of agon_vision.h.
enum agon_status {
    AGON_OK = 0,
    AGON_CONFIG_REFUSED = -10, // game, scenario, option, seats or sizes; agon_last_error() names the field
    AGON_NO_MEMORY = -11,
    AGON_NOT_BOUND = -12,  // a step before buffers were bound or a reset was made
    AGON_BAD_BUFFER = -13, // misaligned, or two buffers that are written overlap
    AGON_BUSY = -14,       // a group was sent and has not been received
    AGON_IDLE = -15,       // receive without send
    AGON_FORKED = -16,    // the vec belongs to the parent process: only agon_destroy is allowed, and it joins no thread
    AGON_RANGE = -17,     // environment, seat, group or index out of range
    AGON_TOO_SHORT = -18, // the buffer given is too small; nothing was written
    AGON_FOREIGN = -19,   // a snapshot of another game, rules, seat count or version, or a damaged one
    AGON_ABSENT = -20,    // does not exist: no finished replay, no such bot, nobody is asked
    // Of single environments, in buffers.errors; the environment has not changed.
    AGON_ILLEGAL = -30,     // the number is in range but masked
    AGON_OUT_OF_SPACE = -31 // no action has this number
};

AGON_API const char *agon_status_text(int status); // also for those of agon_vision.h
AGON_API const char *agon_last_error(void);        // of this thread's last refused call: one sentence

// ---- Games ----------------------------------------------------------------------------------------------------------
enum agon_dtype { AGON_F32, AGON_U8 };

// One number of an observation.
struct agon_element {
    uint32_t struct_size;
    uint32_t offset;   // index in the row
    const char *group; // name of a group of elements: "coins"; a static string
    float low, high;   // of AGON_F32
    float step;        // AGON_F32 = low + AGON_U8 x step; flags and small counts are exact, fractions are rounded down
    uint32_t since;    // vector version that added it
    char name[40];     // "seat.2.coins", "board.Kd"
};

struct agon_game {
    uint32_t struct_size;
    uint32_t actions;                   // numbers 0..actions-1
    const char *name, *title, *summary; // "liars_dice", "Liar's Dice", what the game is in one line
    uint32_t min_seats, max_seats, default_seats;
    uint32_t teams;   // 0: no teams; 2: seats s and s + 2 are partners and earn the same
    uint32_t tick_ms; // 0: not a real-time game
    uint32_t vectors; // newest vector version
    uint32_t token_kinds;
    uint32_t rules_version; // results are reproducible as long as it is the same
    const char *const *scenarios, *const
                                      *components; // names, each list ended by NULL; the first scenario is the default
    const char *bots[AGON_MAX_BOTS];               // house bots, the strongest first; ended by NULL
};

AGON_API int agon_game_count(void);
AGON_API int agon_get_game(int index, struct agon_game *out);
// AGON_CONFIG_REFUSED if there is none; agon_last_error() then suggests the nearest name.
AGON_API int agon_find_game(const char *name, struct agon_game *out);

AGON_API int agon_vector_size(const char *game, uint32_t vector); // vector 0: the newest
AGON_API int agon_get_element(const char *game, uint32_t vector, uint32_t index, struct agon_element *out);
AGON_API int agon_find_element(const char *game, uint32_t vector, const char *name); // its index, or AGON_RANGE
// "wait", "raise pot", "bid quantity=3 face=5". The length without the 0 at the end, or a status.
AGON_API int agon_action_name(const char *game, uint32_t action, char *out, size_t room);
AGON_API int agon_find_action(const char *game, const char *name); // the number, or AGON_RANGE

static inline struct agon_game agon_no_game(void)
{
    struct agon_game g;
    memset(&g, 0, sizeof g);
    g.struct_size = (uint32_t)sizeof g;
    return g;
}

static inline struct agon_element agon_no_element(void)
{
    struct agon_element e;
    memset(&e, 0, sizeof e);
    e.struct_size = (uint32_t)sizeof e;
    return e;
}

// ---- Create ---------------------------------------------------------------------------------------------------------
enum agon_autoreset {
    AGON_NEXT_STEP, // the row shows the end; the next step ignores the action, starts the next episode and has reward 0
    AGON_SAME_STEP, // the row shows the start of the next episode; the end is in final_observations
    AGON_NO_RESET   // ended environments wait for agon_reset; their actions are ignored
};

enum agon_illegal {
    AGON_REFUSE,   // the environment does not change: same row again, reward 0, errors[i] set
    AGON_FALLBACK, // the game's default move is played, errors[i] set
    AGON_FORFEIT   // the seat is dropped by the rules of the game, errors[i] set
};

enum agon_rows { AGON_ROW_ASKED, AGON_ROW_SEATS };

// What a step is in real-time games (Tetris).
enum agon_pace {
    AGON_PLACEMENTS, // one placement, then ticks until a piece can be placed again
    AGON_INPUTS,     // one of the inputs or 0, then `ticks` ticks
    AGON_BOTH        // both kinds of numbers are legal
};

struct agon_config {
    uint32_t struct_size;
    uint32_t num_envs; // 1 to 1,048,576
    const char *game;
    const char *scenario;       // NULL: the game's first
    const char *const *options; // "name=value", ended by NULL: the rules that `agon rules GAME --json` lists. A value
                                // is JSON, a bare word, or a list "a:b:c"
    uint32_t seats;             // 0: the scenario's
    uint32_t vector;            // version of the layout; 0: the newest
    uint64_t seed;              // environment i starts with the match of seed + i
    uint8_t dtype;              // enum agon_dtype
    uint8_t rows;               // enum agon_rows
    uint8_t autoreset;          // enum agon_autoreset
    uint8_t illegal;            // enum agon_illegal
    uint8_t pace;               // enum agon_pace
    uint8_t viewers_all;        // 1: a row is the rows of all seats, one after the other (critics); AGON_ROW_ASKED only
    uint16_t tokens;            // K events of the token plane, at most 1,024; 0: none
    uint32_t ticks;             // ticks after an input; 0: 1
    uint32_t max_steps;         // longest episode, in steps of the caller; then it is truncated; 0: no limit
    uint32_t threads;           // worker threads; 0: the calling thread does the work
    uint32_t groups; // 0 and 1: one; environments are split into equal ranges that are sent and received separately
    const char *house[AGON_MAX_SEATS]; // a bot's name: that seat is played inside the step; NULL: the caller's
    uint8_t rotate;        // 1: house bots move to the next seat with every episode, so that a learner plays all seats
    uint8_t reserved[3];   // 0
    float aggro;           // how aggressive house bots are, 0 to 1; 0: 0.5
    uint32_t effort;       // work of house bots that search, a multiple of the usual; 0: 1
    uint32_t reserved_end; // 0
};

// All defaults. A function instead of an initializer, because older C++ has no designated initializers.
static inline struct agon_config agon_default_config(void)
{
    struct agon_config c;
    memset(&c, 0, sizeof c);
    c.struct_size = (uint32_t)sizeof c;
    c.num_envs = 1;
    return c;
}

typedef struct agon_vec agon_vec;

AGON_API int agon_create(const struct agon_config *config, agon_vec **v); // else *v is NULL
AGON_API void agon_destroy(agon_vec *v); // NULL is allowed; waits for groups that were sent

// ---- Buffers --------------------------------------------------------------------------------------------------------
// n: environments of the group; r: its rows; s: seats. Arrays are row-major without gaps, aligned to their elements (64
// bytes are best). Every array except actions may be NULL; it is then not computed.
struct agon_buffers {
    uint32_t struct_size;
    uint32_t reserved;
    const int32_t *actions; // [r] input: actions of the asked seats; those of other seats (AGON_ROW_SEATS) are ignored
    void *observations;     // [r][vector] float or uint8_t
    uint8_t *masks;         // [r][actions] 0 or 1; never all 0: a seat that is not asked has 1 at number 0
    uint64_t *mask_words;   // [r][mask_words] the same as bits
    int16_t *tokens;        // [r][K][4], the newest last, zeros before the first: kind, seat, two arguments
    float *rewards;         // [n][s] what each seat earned in this step, house seats too
    float *components;      // [n][s][components] the same by component
    float *unpaid;       // [n][s] what each seat has earned since its last action; at an end, of the match that ended
    float *own_reward;   // [n] unpaid of the seat that is asked now; at an end, of the seat that acted last
    uint8_t *asked;      // [n] the seat, or AGON_NOBODY at an end
    uint16_t *asked_set; // [n] all seats of the caller that must act, as bits
    uint8_t *terminated; // [n] 1: the match ended by the rules
    uint8_t *truncated;  // [n] 1: it was cut by max_steps or the turn cap of Coup
    void *final_observations; // [r][vector] written only at an end in AGON_SAME_STEP: row of the seat that acted last,
                              // in AGON_ROW_SEATS of every seat
    float *returns;           // [n][s] of the episode that ended; written only at its end
    uint32_t *lengths;        // [n] its steps, likewise
    int32_t *errors;          // [n] 0, AGON_ILLEGAL or AGON_OUT_OF_SPACE of this step's action
    uint64_t *hashes;         // [n] of the state that the row shows; equal states have equal hashes
    uint32_t *ticks;          // [n] ticks of this step; 0 if the game is not real-time
};

static inline struct agon_buffers agon_no_buffers(void)
{
    struct agon_buffers b;
    memset(&b, 0, sizeof b);
    b.struct_size = (uint32_t)sizeof b;
    return b;
}

// Of one group; sizes in bytes.
struct agon_layout {
    uint32_t struct_size;
    uint32_t envs, rows, seats, actions;
    uint32_t vector;     // elements of a row; with viewers_all those of all seats
    uint32_t mask_words; // of a row
    uint32_t tokens, components;
    uint32_t vector_version;
    uint64_t observations_bytes, masks_bytes, mask_words_bytes, tokens_bytes, rewards_bytes, components_bytes;
    uint64_t state_bytes;    // held by the library for one environment
    uint64_t snapshot_bytes; // of agon_save
};

static inline struct agon_layout agon_no_layout(void)
{
    struct agon_layout l;
    memset(&l, 0, sizeof l);
    l.struct_size = (uint32_t)sizeof l;
    return l;
}

AGON_API int agon_get_layout(const agon_vec *v, struct agon_layout *out);
// The library uses these addresses until others are bound. May be called between any two steps.
AGON_API int agon_bind(agon_vec *v, uint32_t group, const struct agon_buffers *b);

// ---- Play -----------------------------------------------------------------------------------------------------------
// `which`: [num_envs] bytes, 1: this one; NULL: all. `seeds`: [num_envs]; NULL: the next episode of each environment's
// own chain, at first config.seed + i. Writes the rows of those environments; rewards, ends and errors are 0. House
// bots that act before the caller's first decision have acted; their rewards belong to the first step. A match in which
// the caller is never asked is skipped. Seed x is the match of `--seed x` everywhere else in the program.
AGON_API int agon_reset(agon_vec *v, const uint8_t *which, const uint64_t *seeds);

// Steps all groups. Returns the number of environments with an error, or a negative status; then nothing has changed.
AGON_API int agon_step(agon_vec *v);

// The same in two halves: between them the group's buffers belong to the worker threads. With threads 0 send does the
// work.
AGON_API int agon_send(agon_vec *v, uint32_t group);
AGON_API int agon_receive(agon_vec *v, uint32_t group); // as agon_step; waits
AGON_API int agon_ready(agon_vec *v, uint32_t group);   // 1: receive would not block; 0: it would

// Fills `actions` [r] with uniformly random legal actions, for baselines, warm-up and benchmarks. `draws` is the state
// of the generator and advances once per row. Uses the masks of the last step, whether they are bound or not.
AGON_API int agon_sample(agon_vec *v, uint32_t group, uint64_t *draws, int32_t *actions);

// ---- Single environments: search and study --------------------------------------------------------------------------
// None of these may be called between send and receive of the environment's group. Only agon_refresh writes to bound
// buffers.
AGON_API int agon_save(const agon_vec *v, uint32_t env, void *out,
                       size_t room); // bytes written; position-free, hashable
AGON_API int agon_load(agon_vec *v, uint32_t env, const void *bytes, size_t size);
AGON_API int agon_copy(agon_vec *v, uint32_t count, const uint32_t *from,
                       const uint32_t *to); // from[k] over to[k], in order
// Redraws all information hidden from `seat`, uniformly: the same view, another state.
AGON_API int agon_resample(agon_vec *v, uint32_t env, uint32_t seat, uint64_t seed);
// Writes what `seat` sees (the number of seats: the spectators' view); each of the three may be NULL.
AGON_API int agon_write_row(agon_vec *v, uint32_t env, uint32_t seat, void *observation, uint8_t *mask,
                            int16_t *tokens);
AGON_API int agon_refresh(agon_vec *v,
                          uint32_t group); // rows, masks, hashes and asked again, after load, copy or resample
AGON_API uint64_t agon_hash(const agon_vec *v, uint32_t env); // 0: out of range, or forked
AGON_API int agon_payoffs(const agon_vec *v, uint32_t env, int32_t out[AGON_MAX_SEATS]);
AGON_API int agon_asked(const agon_vec *v, uint32_t env); // the seat, or AGON_NOBODY
// Plays `action` for the seat that is asked, and then house bots until the caller is asked again. `rewards` [seats] may
// be NULL. Returns 1 if the match is over, 0 if it continues; AGON_ILLEGAL, AGON_OUT_OF_SPACE: nothing has changed;
// AGON_ABSENT: it was over already.
AGON_API int agon_apply(agon_vec *v, uint32_t env, int32_t action, float *rewards);
// The action that a house bot would choose for the seat that is asked, as the nearest action number.
AGON_API int agon_advise(agon_vec *v, uint32_t env, const char *bot, uint32_t effort, uint64_t seed);

// ---- Rendering and recording ----------------------------------------------------------------------------------------
// The table as terminal text for a viewer (the number of seats: spectators). Returns the length without the final 0;
// with room 0 the length that is needed.
AGON_API int agon_text(const agon_vec *v, uint32_t env, uint32_t viewer, char *out, size_t room);
AGON_API int agon_picture(const agon_vec *v, uint32_t env, uint32_t viewer, uint32_t width, uint32_t height,
                          uint8_t *rgb);
// Records environment `env` from its next episode on (this allocates); agon_replay returns the last finished episode as
// a replay file for `agon replay`. Load, copy and resample end the recording of the running episode.
AGON_API int agon_record(agon_vec *v, uint32_t env, int on);
AGON_API int64_t agon_replay(const agon_vec *v, uint32_t env, void *out,
                             size_t room); // bytes; room 0: how many it needs

// ---- Threads --------------------------------------------------------------------------------------------------------
// Only one thread may use a vec at a time; different vecs are independent. Worker threads are started by agon_create,
// each steps ranges of neighbouring environments, sleeps on a futex after spinning for a few microseconds, and ends in
// agon_destroy. Do not call these functions from a signal handler. After fork the child's vec returns AGON_FORKED.

#ifdef __cplusplus
}
#endif
#endif
