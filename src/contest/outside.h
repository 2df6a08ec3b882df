// Games with players outside the process: tables on loops. Seen by the two files that share it and by nobody else.
#pragma once

#include "contest/play.h"

struct table;

struct place {
    struct table *table;
    struct seat *seat; // NULL: a house bot or a person
    int number;
    bool informed;   // it has heard what happened
    bool muted;      // it failed for good: its moves are the fallback's
    bool on_clock;   // the running question ends with its clock, sooner than with the limit of a decision
    int64_t left_us; // N11.6: of its clock
};

struct table {
    struct outside *owner;
    struct contest_table play;
    struct contest_result result;
    union game_history history; // of its match, for players that see rows
    struct game_events happened;
    struct place place[GAME_MAX_SEATS];
    int opened; // seats with a session, in order
    int open;   // seats not closed yet
    bool ending;
    bool given_up; // stopped in the middle: no result
    bool busy;     // in use
    struct table *next_free;
};

// One loop with its tables. Several share nothing but the contest.
struct outside {
    struct contest_run *run;
    struct loop *loop, own_loop; // the first has the run's
    struct seat_client *client;
    struct event *poll;
    struct table *table, *free;
    int tables, running;
    int err;
    struct contest_times times[CONTEST_ENTRANTS][SEAT_CALLS];
    struct seat_counts counts[CONTEST_ENTRANTS];
};

void outside_fill(struct outside *o);    // free tables get games; the loop stops when there is nothing left
void outside_give_up(struct outside *o); // every game under way ends without a result, its sessions deleted
void outside_add_counts(struct seat_counts *sum, const struct seat_counts *part);
