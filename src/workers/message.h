// Messages between a coordinator and its workers (docs/spec/scale.md, S81 to S84): units, outcomes, notices.
//
// All of them come from the network. Readers check everything, change nothing if they refuse, and never read beyond the
// given bytes.
#pragma once

#include "base/err.h"
#include "contest/contest.h"

enum {
    WORKERS_NAME = 64,           // of a worker, with its terminating NUL
    WORKERS_MOST_GAMES = 2000,   // of a unit
    WORKERS_MEETINGS = 64,       // pairings in a unit of a Swiss contest, which stays within a round
    WORKERS_OUTCOME = 512 << 10, // bytes; NATS' default limit is 1 MiB
    WORKERS_UNIT = 8 << 10,
    WORKERS_NOTICE = 2 << 10,
};

// Streams and subjects. CONTEST is an id as text, so a subject is at most 50 bytes.
#define WORKERS_WORK   "AGON_WORK"
#define WORKERS_RESULT "AGON_RESULT"
#define WORKERS_PLAN   "AGON_PLAN"
#define WORKERS_HELLO  "agon.work.hello"  // worker: I am here
#define WORKERS_CALL   "agon.work.call"   // coordinator: who is here?
#define WORKERS_STOP   "agon.work.stop"   // coordinator: nothing of this contest is needed any more
#define WORKERS_REFUSE "agon.work.refuse" // worker: I cannot play this, because

// Games of one plan for one worker.
struct workers_unit {
    struct uuid contest;
    uint64_t fingerprint; // contest_fingerprint of the plan
    uint64_t first;
    uint32_t count;
    uint32_t attempt;          // "try": how often these games were given out before
    char barred[WORKERS_NAME]; // "not": worker that must not play it, because it did before; empty: none
    uint32_t meetings;         // of a Swiss contest: the pairings of these games
    struct contest_meeting meeting[WORKERS_MEETINGS];
};

void workers_write_unit(struct text *t, const struct workers_unit *u);
int workers_read_unit(struct span bytes, struct workers_unit *out);

// The outcome of a unit.
struct workers_outcome {
    struct uuid contest;
    uint64_t fingerprint, first;
    uint32_t count, attempt;
    char worker[WORKERS_NAME];
    uint64_t play_us; // CPU time of house games; wall time with external players
    uint32_t created[CONTEST_ENTRANTS], deleted[CONTEST_ENTRANTS]; // sessions, by entrant
    struct contest_result *result;                                 // `count` elements; at_ms is not sent
};

// How many games with these seats fit into an outcome.
uint32_t workers_most_games(int seats);
void workers_write_outcome(struct text *t, const struct workers_outcome *o, int seats, int entrants);
// `room` may be written to even if the bytes are refused.
int workers_read_outcome(struct span bytes, int seats, int entrants, struct workers_outcome *out,
                         struct contest_result room[WORKERS_MOST_GAMES]);

// Equal except for the time.
bool workers_same_result(const struct contest_result *a, const struct contest_result *b, int seats);

// A hello, a refusal, or the end of a contest; the subject tells which.
struct workers_notice {
    char worker[WORKERS_NAME];
    struct uuid contest; // zero in a hello of an idle worker
    int threads;
    double games_per_s;
    char why[512]; // of a refusal
};

void workers_write_notice(struct text *t, const struct workers_notice *n);
int workers_read_notice(struct span bytes, struct workers_notice *out);
