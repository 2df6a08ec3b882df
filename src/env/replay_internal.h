// A trajectory being replayed: replay.c plays its records at a shadow of the table, load.c transfers the result to the
// table. Private to these two.
#pragma once

#include "env/tools.h"

enum { MISMATCHES = 16 };
enum mode { INSTANT, REALTIME, STEPWISE };
enum { PLAYED_STEP = 1, PLAYED_OTHER = 2, PLAYED_ALL = 0, PLAYED_BAD = -1 };

struct mismatch {
    uint64_t episode, step;
    char expected[ENV_HASH_ROOM], actual[ENV_HASH_ROOM];
    const char *component;
};

struct env_replay {
    struct env_replay *next;
    struct env *env;
    struct env_table *table; // where the result goes; NULL: one beside its table
    struct env_conn *conn;
    uint64_t call;
    bool pending, progress, verify;
    bool at_table;    // the table shows its state
    bool dropped;     // nobody waits for it: freed when the job that plays it has ended
    bool streams;     // streams are set up as they were
    bool only_checks; // only checks, keeps nothing
    enum mode mode;
    char path[1024];
    struct traj_reader *reader;
    struct env_group *shadow;
    struct env_conn nobody; // owner of the virtual agents
    uint64_t episodes, steps, total, episode;
    uint32_t ticks; // of the last step
    bool refused;   // an action of the last step was refused
    bool changed;   // the file was changed, as reading ahead has shown
    struct mismatch mismatch[MISMATCHES];
    int mismatches;
    bool pictured;       // its steps have pictures
    struct text plain;   // a step without them
    struct text entries; // of the last step
    // Records that the table's own recording does not have yet: lines of a digit, the kind, and the record.
    struct text fresh;
    int64_t due_us;
    enum traj_fault fault; // why it is PLAYED_BAD
};

struct env_replay *env_replay_create(struct env *env, const struct env_game *row);
bool env_replay_check_header(struct env_replay *p, struct span record);
int env_replay_next(struct env_replay *p); // the next record of the file: PLAYED_*
