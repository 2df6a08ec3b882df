// Observations, rewards and history as rows of numbers, for learners (docs/spec/train.md, rules V16-V84).
//
// A game whose struct game has no `rows` goes through view, vector, rewards and events: correct at once, and slow. A
// game with `rows` writes them straight from its state; every member of struct game_rows is optional, and what is
// missing takes the slow path. The functions at the end hide the difference: batches, the environment server and tests
// call only them.
//
// History lies beside a state, game_history_size bytes, aligned to 8: what a row shows and the state does not keep
// (bids of this round, habits of seats, cards drawn once a hand). It is part of a snapshot and of a clone, never of
// game_hash, so that no rules version depends on it. It is as secret as the state: it may hold cards. `resample`
// changes the state alone and leaves the history valid: what `observe` reads from the history is public, or was known
// to the viewer, or is not read any more once the state has its own (Hold'em's cards of a resampled hand).
#pragma once

#include "game/game.h"

#include <stddef.h>

enum game_dtype { GAME_F32, GAME_U8 };

enum {
    GAME_MAX_HISTORY = 512,
    GAME_MAX_MARK = 12,
    GAME_MAX_TOKENS = 64, // of one step; the newest are kept
    GAME_VECTORS = 2,     // versions of the layout: 1 is vector(view), 2 begins with it and adds history (V31)
};

// ---- Names ----------------------------------------------------------------------------------------------------------
// One number of a row (V33): float32 = low + uint8 x step. Flags have step 1, counts of n have 1/n, fractions 1/255 and
// are rounded down.
struct game_element {
    const char *group; // elements that belong together: "chips"; static
    char name[40];     // "seat.2.chips", "board.Kd"
    float low, high, step;
    uint32_t since; // version of the layout that added it
};

// A run of elements, one row of the table that names them and holds their place (V34). Each # in the name is an index:
// the first runs over count[0] places that are stride[0] elements apart, the second over count[1]. A name without # is
// one element. `words` are what stands for an index, NULL: its number.
struct game_span {
    const char *name, *group;
    const char *const *words[2];
    float low, high, step;
    uint16_t at; // first element
    uint16_t since;
    uint16_t count[2], stride[2];
};

// Rows of such a table. A layout is a struct with one uint8_t for each element, so that the offset of a member is its
// place: `observe` writes to offsetof(struct x_row, member), and the table names the same member.
#define GAME_SPAN(row, member, group_, name_, step_, since_, words_0, words_1, count_0, stride_0, count_1, stride_1)   \
    {                                                                                                                  \
        name_, group_, {words_0, words_1}, 0, 1, step_, (uint16_t)offsetof(row, member), since_, {count_0, count_1},   \
        {                                                                                                              \
            stride_0, stride_1                                                                                         \
        }                                                                                                              \
    }
#define GAME_SIZE(row, member)  (uint16_t)(sizeof((row *)0)->member)
#define GAME_COUNT(row, member) (GAME_SIZE(row, member) / GAME_SIZE(row, member[0]))
// One element, a run of them, and a run of runs.
#define GAME_ONE(row, member, name, step, since)                                                                       \
    GAME_SPAN(row, member, #member, name, step, since, NULL, NULL, 0, 0, 0, 0)
#define GAME_RUN(row, member, name, words, step, since)                                                                \
    GAME_SPAN(row, member, #member, name, step, since, words, NULL, GAME_SIZE(row, member), 1, 0, 0)
#define GAME_GRID(row, member, name, words_0, words_1, step, since)                                                    \
    GAME_SPAN(row, member, #member, name, step, since, words_0, words_1, GAME_COUNT(row, member),                      \
              GAME_SIZE(row, member[0]), GAME_SIZE(row, member[0]), 1)
// A member of each struct in an array: one element, or a run.
#define GAME_FIELD(row, array, field, name, step, since)                                                               \
    GAME_SPAN(row, array[0].field, #field, name, step, since, NULL, NULL, GAME_COUNT(row, array),                      \
              GAME_SIZE(row, array[0]), 0, 0)
#define GAME_FIELD_RUN(row, array, field, name, words, step, since)                                                    \
    GAME_SPAN(row, array[0].field, #field, name, step, since, NULL, words, GAME_COUNT(row, array),                     \
              GAME_SIZE(row, array[0]), GAME_SIZE(row, array[0].field), 1)
#define GAME_FLAG  1.0f
#define GAME_SHARE (1.0f / 255)

// ---- Tokens (V80-V84) -----------------------------------------------------------------------------------------------
// A public event in four numbers. Seats are absolute + 1 here, 0: the table; game_write_token makes them relative.
struct game_token {
    int16_t kind, seat, arg[2];
};

struct game_tokens {
    uint32_t count;
    struct game_token at[GAME_MAX_TOKENS];
};

enum game_token_args {
    GAME_ARG_SEAT_0 = 1, // the first argument is a seat + 1, or 0
    GAME_ARG_SEAT_1 = 2, // the second
    GAME_ARG_TEAMS = 4,  // the arguments belong to teams 0 and 1; written own team first
};

struct game_token_kind {
    const char *name;
    uint64_t args; // of enum game_token_args
};

// Room for any history.
union game_history {
    uint64_t align;
    uint8_t byte[GAME_MAX_HISTORY];
};

// ---- What a game offers ---------------------------------------------------------------------------------------------
// A few numbers of a state, to be compared with those after the next step (V18).
struct game_mark {
    int32_t at[GAME_MAX_MARK];
};

struct game_rows {
    // Elements of each version: size[0] is vector_size; size[1] is 0 without a version 2, which needs `observe`.
    uint32_t size[GAME_VECTORS];
    uint32_t history_size;  // 0: nothing is kept
    uint32_t history_since; // the version of the layout that reads it first. Whoever wants rows of earlier versions,
                            // and no tokens, passes NULL as history. 0: all do
    const struct game_span *spans;             // ended by a NULL name, NULL: elements are v.0, v.1...
    const struct game_token_kind *token_kinds; // kind 1 first, ended by a NULL name; NULL: there are no tokens

    void (*begin)(const void *state, void *history); // after init; every byte of the history is 0 before
    // Around apply and tick (seat GAME_SPECTATOR, action 0). `before` notes what `after` compares and changes nothing;
    // `after` is called only when apply was not refused. Seats include GAME_MASTER.
    void (*before)(const void *state, int seat, struct game_action action, struct game_mark *note);
    void (*after)(const void *state, void *history, int seat, struct game_action action, const struct game_mark *note);
    // Replaces both for callers that want rows of vector 1 and no tokens; the seat is no master. NULL: there is none.
    void (*after_brief)(const void *state, void *history);
    // What happened as tokens, after `after` (or `begin`); the events shown to GAME_SPECTATOR are all it may use.
    void (*tell)(const void *state, const void *history, const struct game_event *happened, int count,
                 struct game_tokens *out);

    // Writes every element. `viewer` is a seat or GAME_SPECTATOR; `version` 1 or 2; `out` float or uint8_t.
    void (*observe)(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out);

    // The legal ones of the wanted numbers: bits of other numbers may be set or not. Worth it where some numbers cost
    // more to judge than others; NULL: struct game's mask. `out` is zero before.
    void (*mask)(const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS], uint64_t out[GAME_FLAT_WORDS]);
    // The action of a number that is in the mask, so not judged again; NULL: flat.
    struct game_action (*action)(const void *state, int seat, int number);

    // Rewards of what happened between the two, one action or any number of ticks (V18). Sets the components that have
    // names, of the seats of the match, and no more.
    void (*mark)(const void *state, struct game_mark *mark);
    void (*earned)(const void *state, const struct game_mark *mark, struct game_rewards *out);
    // Instead of both, where the one reward is what a seat has won: the offset of that in the state, int32_t by seat,
    // for max_seats seats. 0: it is not.
    size_t won_at;
};

// ---- Written once, for every game -----------------------------------------------------------------------------------
int game_row_vectors(const struct game *g);                // the newest version
uint32_t game_row_size(const struct game *g, int version); // elements; 0: there is no such version
bool game_row_element(const struct game *g, int version, int index, struct game_element *out); // false: out of range
int game_row_find(const struct game *g, int version, const char *name);                        // its index, or -1

uint32_t game_history_size(const struct game *g);
bool game_reads_history(const struct game *g, int version, bool tokens);         // false: pass NULL
void game_history_begin(const struct game *g, const void *state, void *history); // after init

// init, apply and tick with the history kept, unless it is NULL. `happened` and `tokens` may be NULL; both are added
// to.
int game_init_kept(const struct game *g, void *state, void *history, const void *rules, int seats, struct rng chance,
                   struct game_events *happened, struct game_tokens *tokens);
int game_apply_kept(const struct game *g, void *state, void *history, int seat, struct game_action action,
                    struct game_events *happened, struct game_tokens *tokens);
// The same for callers that want rows of vector 1 and no tokens, now and later.
int game_apply_brief(const struct game *g, void *state, void *history, int seat, struct game_action action,
                     struct game_events *happened);
void game_tick_kept(const struct game *g, void *state, void *history, struct game_events *happened,
                    struct game_tokens *tokens);

void game_observe(const struct game *g, const void *state, const void *history, int viewer, int version,
                  enum game_dtype dtype, void *out);

// The same word, which the compiler cannot join with its neighbours: whoever reads two words at once that have just
// been written one by one waits for both to leave the processor's store buffer, 5 ns.
static inline uint64_t game_scalar(uint64_t word)
{
    __asm__("" : "+r"(word));
    return word;
}

// Which of the wanted numbers are legal, and the action of one that is.
void game_mask_of(const struct game *g, const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS],
                  uint64_t out[GAME_FLAT_WORDS]);
struct game_action game_action_at(const struct game *g, const void *state, int seat, int number);

// Rewards: game_mark before an action or ticks, game_earned after them. Where game_needs_events, the step must also
// collect its events (and ticks), and they are what counts; elsewhere `happened` is not read and may be NULL.
bool game_needs_events(const struct game *g);
void game_mark(const struct game *g, const void *state, struct game_mark *mark);
void game_earned(const struct game *g, const void *state, const struct game_mark *mark,
                 const struct game_events *happened, struct game_rewards *out);

int game_token_kinds(const struct game *g);
void game_add_token(struct game_tokens *out, int kind, int seat, int first, int second); // seat absolute + 1
// As `viewer` reads it: seats relative to him + 1, so that 1 is himself; the gallery counts from seat 0 (V80).
void game_write_token(const struct game *g, const struct game_token *t, int seats, int viewer, int16_t out[4]);
