// One table: a match, the names of its seats, what every viewer has seen, and the growing replay.
//
// For code that runs matches one by one (engine, watch). All memory is reserved at the start.
#pragma once

#include "app/game_setup.h"

enum { TABLE_HISTORY_ROOM = 1 << 15, TABLE_LOG_ROOM = 64 << 20, TABLE_VIEWERS = GAME_SPECTATOR + 1 };

// What one viewer has seen, oldest first. When it is full, the older half is dropped.
struct table_history {
    struct game_event *at;
    uint32_t count;
    uint64_t dropped;
};

struct table {
    const struct game_kit *row; // NULL: nothing was ever started
    struct match match;
    struct text log;
    uint8_t key[RNG_KEY_BYTES];
    uint8_t commitment[MATCH_COMMITMENT_BYTES];
    bool has_log;  // the log reproduces the match from its start
    bool finished; // the replay is complete: no more moves
    char name[GAME_MAX_SEATS][MATCH_NAME_ROOM];
    const char *names[GAME_MAX_SEATS];
    struct table_history history[TABLE_VIEWERS];
    struct game_events happened; // in the last step
    struct game_rewards earned;  // in the last step
};

void table_open(struct table *t);
void table_close(struct table *t);

int table_start(struct table *t, const struct game_setup *s); // after a refusal the table has no game
// Continues a replay without an end; also restores what its viewers saw.
struct loaded_replay;
int table_resume(struct table *t, const struct loaded_replay *tape);

// Each is one step: afterwards `happened` has its events, the viewers have seen them, and `earned` has the rewards. A
// refusal changes nothing except that `happened` becomes empty.
int table_answer(struct table *t, int seat, uint32_t number, struct game_action a);
int table_oversee(struct table *t, struct game_action a);
int table_drop(struct table *t, int seat, int reason);
int table_play_fallback(struct table *t, int seat);
int table_tick(struct table *t);
int table_stack(struct table *t, const uint8_t *items, int count);

void table_trim_history(struct table *t, const uint64_t seen[TABLE_VIEWERS]); // cuts back to how much each had seen
void table_name_seats(struct table *t);                                       // unnamed seats get default names

// Events as the table's viewer sees them, one per line.
void table_describe_events(const struct codec *c, const struct codec_table *table, const struct game_events *e,
                           struct text *out);
// The last step as the viewer saw it, likewise.
void table_describe_happened(const struct table *t, int viewer, struct text *out);

void table_add_rewards(struct game_rewards *sum, const struct game_rewards *step);
struct game_turn table_turn(const struct table *t);
struct codec_table table_for(const struct table *t, int viewer);
