// Games with players outside the process: tables on event loops. Private to outside.c and outside_loops.c.
#pragma once

#include "contest/play.h"

struct table;

struct place {
    struct table *table;
    struct seat *seat; // NULL: a house bot or a person
    int number;
    bool informed;   // it got the newest events
    bool muted;      // it has failed for good: its moves are fallback moves
    bool on_clock;   // the question's time is limited by its clock, not by the limit of a decision
    int64_t left_us; // N11.6: time left on its clock
};

struct table {
    struct outside *owner;
    struct contest_table play;
    struct contest_result result;
    union game_history history; // of its match, for players that see vectors
    struct game_events happened;
    struct place place[GAME_MAX_SEATS];
    int opened; // seats with a session, in order
    int open;   // seats not closed yet
    bool ending;
    bool given_up; // stopped in the middle: no result
    bool busy;     // in use
    struct table *next_free;
};

// One loop with its tables. Several of them share only the contest.
struct outside {
    struct contest_run *run;
    struct loop *loop, own_loop; // the first one has the run's loop
    struct seat_client *client;
    struct event *poll;
    struct table *table, *free;
    int tables, running;
    int err;
    struct contest_times times[CONTEST_ENTRANTS][SEAT_CALLS];
    struct seat_counts counts[CONTEST_ENTRANTS];
};

void outside_fill(struct outside *o);    // gives games to free tables; stops the loop if nothing is left
void outside_give_up(struct outside *o); // ends every running game without a result, and deletes its sessions
void outside_add_counts(struct seat_counts *sum, const struct seat_counts *part);
