// The journal of a contest that a command line plays, with the decisions of its models; and the line on a terminal that
// tells how far it is.
#pragma once

#include "app/llm_options.h"
#include "contest/journal.h"

struct contest_keep {
    struct journal journal;
    bool is_open, is_new;
    uint64_t found; // games that it had already
};

// What cannot be gone on with ends the program with status 2. `models` was opened, and gets its decisions back.
void contest_keep_open(struct contest_keep *k, struct contest *c, const char *path, struct llm_players *models,
                       const char *command);
void contest_keep_add(struct contest_keep *k, uint64_t index, const struct contest_result *r); // from any thread
bool contest_keep_close(struct contest_keep *k); // false when something could not be written: errno says why

// A line on standard error, where that is a terminal, while a contest is played: games, rate, standing, time left.
// Several contests in a row are one run: what a game takes in one of them is a weight beside that of the others.
struct contest_watch {
    struct contest *contest;
    const char *title;  // before the line; NULL: nothing
    uint64_t found;     // games that were not played now
    double began;       // when the run began, by loop_now_seconds
    double weight;      // of a game
    double past, ahead; // weights of what was played before it, and of what comes after it
    pthread_t thread;
    bool shows;
    atomic_bool over;
};

void contest_watch_begin(struct contest_watch *w);
void contest_watch_end(struct contest_watch *w);
// Seconds until the run is over, if it goes on as it went; below 0: nobody knows yet. The contest is locked.
double contest_watch_left(const struct contest_watch *w, double seconds);
