// Games with external players, which run outside the process: tables on event loops. Private to external.c and
// external_loops.c.
#pragma once

#include "contest/play.h"

struct external_table;

struct external_seat {
    struct external_table *table;
    struct seat *seat; // NULL: a house bot or a person
    int number;
    bool informed;   // it got the newest events
    bool muted;      // it has failed for good: its moves are fallback moves
    bool on_clock;   // the question's time is limited by its clock, not by the limit of a decision
    int64_t left_us; // N11.6: time left on its clock
};

struct external_table {
    struct external_loop *owner;
    struct contest_table play;
    struct contest_result result;
    union game_history history; // of its match, for players that see vectors
    struct game_events happened;
    struct external_seat place[GAME_MAX_SEATS];
    int opened; // seats with a session, in order
    int open;   // seats not closed yet
    bool ending;
    bool given_up; // stopped in the middle: no result
    bool busy;     // in use
    struct external_table *next_free;
};

// One loop with its tables. Several of them share only the contest.
struct external_loop {
    struct contest_run *run;
    struct loop *loop, own_loop; // the first one has the run's loop
    struct seat_client *client;
    struct event *poll;
    struct external_table *table, *free;
    int tables, running;
    int err;
    struct contest_latencies times[CONTEST_ENTRANTS][SEAT_CALLS];
    struct seat_counts counts[CONTEST_ENTRANTS];
};

void external_fill_tables(struct external_loop *o); // gives games to free tables; stops the loop if nothing is left
void external_give_up(struct external_loop *o); // ends every running game without a result, and deletes its sessions
void external_add_counts(struct seat_counts *sum, const struct seat_counts *part);
