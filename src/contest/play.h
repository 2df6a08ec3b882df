// Playing the games of a contest: house bots on threads, external players on event loops. The results do not depend on
// the number of threads or tables.
#pragma once

#include "contest/contest.h"
#include "house/mind_memory.h"
#include "seats/seat.h"

#include <stdatomic.h>

enum contest_policy { CONTEST_ABORT, CONTEST_LOSE, CONTEST_FALLBACK, CONTEST_POLICIES }; // B12.31
extern const char *const contest_policy_names[CONTEST_POLICIES + 1]; // "abort", "forfeit", "fallback"

// How long calls of one kind took one entrant, in microseconds, in order.
struct contest_latencies {
    uint32_t *at;
    size_t count, room;
};

enum { CONTEST_PERCENTS = 5 }; // B14.9: 50, 90, 95, 99, 99.9
struct contest_latency_summary {
    double min, mean, max, at[CONTEST_PERCENTS];
};
void contest_latency_add(struct contest_latencies *t, int64_t took_us); // up to a limit; later ones are dropped
// N11.6: subtracts a decision's time from the clock, then adds the increment. Returns false if the clock has run out;
// always true without a clock.
bool contest_spend_clock(const struct contest_plan *p, int64_t *left_us, int64_t took_us);
void contest_latency_write_head(struct text *t);
void contest_latency_write_row(struct text *t, const char *who, enum seat_call call,
                               const struct contest_latencies *times);
// Writes into an open object.
void contest_latency_put(struct text *t, enum seat_call call, const struct contest_latencies *times);

struct dealbook;

struct contest_run {
    struct contest *contest;
    struct loop *loop;          // if a player is external
    int threads;                // for house games; with many external tables also the most loops
    int tables;                 // concurrent games with external players
    enum contest_policy policy; // when one of these fails
    bool describe_at_once;      // B12.17: seats need not wait for each other
    struct seat_options seats;
    struct seat_dialect dialect;
    bool sends_seed;             // B12.6
    const char *replay_folder;   // NULL: replays are not kept
    struct dealbook *transcript; // NULL: none; requires plan.ahead <= DEALBOOK_AHEAD
    // Asks a person for a move; the game waits. The choices are those of the seat.
    struct game_action (*ask_person)(void *owner, const struct contest_game *g, const struct match *m, int seat);
    // What happened at a table with a person, from the first events to the last. May be NULL.
    void (*tell_person)(void *owner, const struct contest_game *g, const struct match *m, const struct game_events *e);
    void (*poll_person)(void *owner); // called while others think, since the person may want to leave; may be NULL
    void *person;
    const struct bot *partner; // plays the other seats of a person's team; NULL: the person does
    // May be NULL. `f` is NULL for a warning; its bodies are the request and the reply.
    void (*on_trouble)(void *owner, const struct contest_game *g, int seat, const char *text,
                       const struct seat_fault *f);
    void *owner;
    atomic_bool stop;           // set by a signal: no new games; games with external players are given up
    const atomic_bool *stopper; // when it is set, `stop` is set too; NULL: none
    atomic_uint_least64_t next;
    struct contest_latencies times[CONTEST_ENTRANTS][SEAT_CALLS];
    struct seat_counts counts[CONTEST_ENTRANTS];
};

void contest_run_defaults(struct contest_run *run, struct contest *c);
void contest_run_release(struct contest_run *run);
// The house bot at a seat: its entrant, or the partner of a person who has a seat already. NULL: another player.
const struct bot *contest_bot_at(const struct contest_run *run, const struct contest_game *g, int seat);
bool contest_needs_loop(const struct contest_plan *p); // a player is external

// Before the first game: checks that every external entrant can be reached. HTTP bots must answer GET /health with any
// status, which needs a connection and, with https, a trusted certificate; programs are started and must accept a first
// "start". Returns false and sets `why` to one line about the first entrant that fails; `why` is empty otherwise. Runs
// the loop meanwhile; returns true if `stop` (may be NULL) gets set.
enum { CONTEST_ERROR_ROOM = 640 };
bool contest_check_health(const struct contest_plan *p, const struct seat_options *o, struct loop *loop,
                          const atomic_bool *stop, char why[CONTEST_ERROR_ROOM]);

// Plays all games of the contest, or of its range (contest_set_range), until everything needed is judged or `stop` is
// set. Returns OK, or ERR_STORAGE if a replay could not be written.
int contest_play(struct contest_run *run);
int contest_play_house(struct contest_run *run);
int contest_play_external(struct contest_run *run);

// --- house bots only, with or without a contest

struct house_game {
    const struct bot *bot[GAME_MAX_SEATS]; // by seat
    uint64_t max_steps;
    const atomic_bool *stop;                           // polled now and then
    struct game_events *out;                           // NULL: not wanted
    void (*on_decision)(void *owner, int64_t took_us); // NULL: decisions are not timed
    void (*on_step)(void *owner);                      // after each step: reads and empties `out`; may be NULL
    void *owner;
};
// Bots with memory must be seated before (house/mind_memory.h). Returns 1 when the match is over or has max_steps, 0 if
// it was stopped before. ERR_ACTION: the bot of self_play_next_seat chose an illegal move. ERR_FULL: the log has
// reached its limit.
int house_play(const struct house_game *g, struct match *m);
// Writes FOLDER/NNNNNN.agon; ERR_STORAGE with errno set.
int contest_write_replay(const char *folder, uint64_t index, struct span replay);

// --- one game, for both runners

// The next game to play. Returns 1, 0 to wait until others have finished, or -1 if there is none. From any thread.
int contest_take_game(struct contest_run *run, struct contest_game *g);

struct contest_table {
    struct contest_game game;
    struct match match;
    struct match_setup setup;
    struct text log;
    struct contest_latencies asked; // time of each decision, if there is a transcript
    struct contest_attempts attempts;
    _Alignas(16) uint8_t luck_scratch[CONTEST_LUCK_SCRATCH];
    double luck[CONTEST_LUCKS][GAME_MAX_SEATS];
    void *known;               // work space of N14.5; NULL: not used yet
    struct mind_memory *minds; // memory of house bots
};
int contest_begin_game(struct contest_run *run, struct contest_table *t, struct game_events *out); // `game` must be set
// Counts attempts and luck from the events.
void contest_count_events(struct contest_table *t, const struct contest_plan *p, const struct game_events *e);
void contest_add_decision_time(struct contest_run *run, struct contest_table *t,
                               int64_t took_us); // of a decision; -1: unknown
void contest_write_result(struct contest_table *t, const struct contest_plan *p, struct contest_result *out);
int contest_save_game(struct contest_run *run, struct contest_table *t); // writes its replay and its transcript
void contest_table_release(struct contest_table *t);
