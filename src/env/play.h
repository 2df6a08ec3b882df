// A trajectory being replayed: replay.c plays its records at a shadow of the table, play.c transfers the result to the
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

struct env_play {
    struct env_play *next;
    struct env *env;
    struct env_table *table; // where the result goes; NULL: a rehearsal
    struct env_conn *conn;
    uint64_t call;
    bool pending, progress, verify, at_table;
    bool dropped;     // nobody waits for it: freed when the job that plays it has ended
    bool films;       // streams are set up as they were
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
    struct text fresh;   // records that the table's own recording does not have yet: kind, newline, record, newline
    int64_t due_us;
    enum traj_fault fault; // why it is PLAYED_BAD
};

struct env_play *env_play_create(struct env *env, const struct env_game *row);
void env_play_destroy(struct env_play *p);
bool env_play_check_header(struct env_play *p, struct span record);
int env_play_next(struct env_play *p); // the next record of the file: PLAYED_*
