// Playing the games of a contest: house bots on threads, bots outside on one loop. What comes out is the same whichever
// way, whatever the number of threads or tables.
#pragma once

#include "contest/contest.h"
#include "house/room.h"
#include "seats/seat.h"

#include <stdatomic.h>

enum contest_policy { CONTEST_ABORT, CONTEST_LOSE, CONTEST_FALLBACK, CONTEST_POLICIES }; // B12.31
extern const char *const contest_policy_names[CONTEST_POLICIES + 1]; // "abort", "forfeit", "fallback"

// How long one kind of call took one entrant, in microseconds, as they came.
struct contest_times {
    uint32_t *at;
    size_t count, room;
};

enum { CONTEST_PERCENTS = 5 }; // B14.9: 50, 90, 95, 99, 99.9
struct contest_summary {
    double min, mean, max, at[CONTEST_PERCENTS];
};
void contest_times_add(struct contest_times *t, int64_t took_us); // up to a ceiling; later ones are not kept
// N11.6: what a decision took leaves the clock, then the increment comes. False: the clock has run out. Without a clock
// nothing does.
bool contest_spend_clock(const struct contest_plan *p, int64_t *left_us, int64_t took_us);
void contest_describe_times_head(struct text *t);
void contest_describe_times(struct text *t, const char *who, enum seat_call call, const struct contest_times *times);
void contest_put_times(struct text *t, enum seat_call call, const struct contest_times *times); // into an open object

struct dealbook;

struct contest_run {
    struct contest *contest;
    struct loop *loop;          // where somebody is outside
    int threads;                // of house games; with many tables outside so many loops
    int tables;                 // games at once where somebody is outside
    enum contest_policy policy; // when one of them fails
    bool describe_at_once;      // B12.17: the seats need not wait for each other
    struct seat_options seats;
    struct seat_dialect dialect;
    bool sends_seed;             // B12.6
    const char *replay_folder;   // NULL: none are kept
    struct dealbook *transcript; // NULL: none; the plan's `ahead` is at most DEALBOOK_AHEAD then
    // A person's move; the game waits. The choices are those of the seat.
    struct game_action (*ask_person)(void *owner, const struct contest_game *g, const struct match *m, int seat);
    // What happened at a table with a person, from the first events to the last; may be NULL.
    void (*tell_person)(void *owner, const struct contest_game *g, const struct match *m, const struct game_events *e);
    void (*poll_person)(void *owner); // called while others think: the person may want to leave; may be NULL
    void *person;
    const struct bot *partner; // plays the other seats of a person's side, where two play together; NULL: the person
    // May be NULL. `f` is NULL for a warning; its bodies are what was asked and what came back.
    void (*on_trouble)(void *owner, const struct contest_game *g, int seat, const char *text,
                       const struct seat_fault *f);
    void *owner;
    atomic_bool stop;           // set by a signal: no new game; what runs outside is given up
    const atomic_bool *stopper; // sets `stop` too, once it is set; NULL: nobody's
    atomic_uint_least64_t next;
    struct contest_times times[CONTEST_ENTRANTS][SEAT_CALLS];
    struct seat_counts counts[CONTEST_ENTRANTS];
};

void contest_run_defaults(struct contest_run *run, struct contest *c);
void contest_run_release(struct contest_run *run);
// The house bot at a seat: its entrant, or the partner of a person who has a seat already. NULL: somebody else.
const struct bot *contest_bot_at(const struct contest_run *run, const struct contest_game *g, int seat);
bool contest_needs_loop(const struct contest_plan *p); // somebody is outside

// Before the first game: whether every entrant outside is there. Bots behind HTTP answer GET /health with any status,
// which takes a connection and, with https, a certificate that is trusted; programs are started and take a first
// "start". False, and one line in `why`, about the first entrant that is not; `why` is empty else. Turns the loop until
// it knows; true when `stop` (may be NULL) is set meanwhile.
enum { CONTEST_WHY = 640 };
bool contest_reach_all(const struct contest_plan *p, const struct seat_options *o, struct loop *loop,
                       const atomic_bool *stop, char why[CONTEST_WHY]);

// Until everything needed is judged, or stop is set. OK, or ERR_STORAGE when a replay could not be kept. All games of
// the contest, or its range (contest_set_range), which is what a worker plays.
int contest_play(struct contest_run *run);
int contest_play_house(struct contest_run *run);
int contest_play_outside(struct contest_run *run);

// --- house bots alone, with or without a contest

struct house_game {
    const struct bot *bot[GAME_MAX_SEATS]; // by seat
    uint64_t max_steps;
    const atomic_bool *stop;                           // read now and then
    struct game_events *out;                           // NULL: nobody reads them
    void (*on_decision)(void *owner, int64_t took_us); // NULL: decisions are not timed
    void (*on_step)(void *owner);                      // after each step: reads and empties `out`; may be NULL
    void *owner;
};
// Bots with a memory have been seated (house/room.h). Plays until the match is over or has max_steps, and returns 1; 0
// when stopped before. ERR_ACTION: the bot of seated_next chose an illegal move. ERR_FULL: the log has reached its
// limit.
int house_play(const struct house_game *g, struct match *m);
// FOLDER/NNNNNN.agon; ERR_STORAGE: errno says why.
int contest_write_replay(const char *folder, uint64_t index, struct span replay);

// --- one game, for both

// The next one that has to be played: 1, 0: wait for others to finish, -1: there is none. From any thread.
int contest_take_game(struct contest_run *run, struct contest_game *g);

struct contest_table {
    struct contest_game game;
    struct match match;
    struct match_setup setup;
    struct text log;
    struct contest_times asked; // how long each decision took, where a transcript is kept
    struct contest_attempts attempts;
    _Alignas(16) uint8_t luck_scratch[CONTEST_LUCK_SCRATCH];
    double luck[CONTEST_LUCKS][GAME_MAX_SEATS];
    void *known;              // work space of N14.5; NULL: not used yet
    struct house_room *minds; // of house bots
};
int contest_begin_game(struct contest_run *run, struct contest_table *t, struct game_events *out); // `game` is set
void contest_follow(struct contest_table *t, const struct contest_plan *p, const struct game_events *e); // feats
void contest_note_time(struct contest_run *run, struct contest_table *t, int64_t took_us); // of a decision; -1: none
void contest_write_result(struct contest_table *t, const struct contest_plan *p, struct contest_result *out);
int contest_keep_game(struct contest_run *run, struct contest_table *t); // its replay and its transcript
void contest_table_release(struct contest_table *t);
