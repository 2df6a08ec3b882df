// A trajectory that is being played again: rl_replay.c plays its records at a shadow of the table, rl_play.c makes what
// they come to the table's own. For these two alone.
#pragma once

#include "env/tools.h"

enum { MISMATCHES = 16 };
enum mode { INSTANT, REALTIME, STEPWISE };
enum { PLAYED_STEP = 1, PLAYED_OTHER = 2, PLAYED_ALL = 0, PLAYED_BAD = -1 };

struct mismatch {
    uint64_t episode, step;
    char expected[RL_HASH_ROOM], actual[RL_HASH_ROOM];
    const char *component;
};

struct rl_play {
    struct rl_play *next;
    struct rl *rl;
    struct rl_table *table; // where it ends up; NULL: a rehearsal
    struct rl_conn *conn;
    uint64_t call;
    bool parked, progress, verify, at_table;
    bool dropped;     // nobody waits for it: it goes when the job that plays it has ended
    bool films;       // streams are set up as they were
    bool only_checks; // nothing is kept of what is read
    enum mode mode;
    char path[1024];
    struct traj_reader *reader;
    struct rl_group *shadow;
    struct rl_conn nobody; // owner of the virtual agents
    uint64_t episodes, steps, total, episode;
    uint32_t ticks; // of the last step
    bool refused;   // an action of the last step was
    bool changed;   // the file was, as reading ahead has shown
    struct mismatch mismatch[MISMATCHES];
    int mismatches;
    bool pictured;       // its steps have pictures
    struct text plain;   // a step without them
    struct text entries; // of the last step
    struct text fresh;   // records that the table's own recording has not yet: kind, newline, record, newline
    int64_t due_us;
    enum traj_fault fault; // why it is PLAYED_BAD
};

struct rl_play *rl_play_create(struct rl *rl, const struct rl_game *row);
void rl_play_destroy(struct rl_play *p);
bool rl_play_check_header(struct rl_play *p, struct span record);
int rl_play_next(struct rl_play *p); // the next record of the file: PLAYED_*
