// Trajectories played again.
#pragma once

#include "env/model.h"

// A table's own recording once more, record by record, beside the table: what the agents' cameras saw.
struct rl_play *rl_play_rehearse(struct rl *rl, const struct rl_game *row);
bool rl_play_record(struct rl_play *p, enum traj_kind kind, struct span record); // false: it cannot be played
struct rl_agent *rl_play_find(const struct rl_play *p, struct json_string id);   // the virtual agent, or NULL
struct rl_agent *rl_play_agents(const struct rl_play *p);                        // all of them, the first
void rl_play_end(struct rl_play *p);
// A file that was just written, played once more before anybody hears that it is saved. It owns the reader.
enum { RL_VERIFY_BAD = -1, RL_VERIFY_GOOD, RL_VERIFY_MORE, RL_VERIFY_LATER };
struct rl_play *rl_play_verify(struct rl *rl, const struct rl_game *row, struct traj_reader *reader);
int rl_play_verify_next(struct rl_play *p, bool only_read, bool waits); // later: a child is still at it
bool rl_play_is_verified(const struct rl_play *p);    // so far: all hashes are those that were recorded
uint32_t rl_play_last_ticks(const struct rl_play *p); // of the step that was played last

// Long work gives way to others after some milliseconds, or so much of it where nobody has a clock.
struct rl_slice {
    int64_t end_us;
    uint64_t ticks;
    int records;
};
struct rl_slice rl_slice_begin(const struct rl *rl);
bool rl_slice_over(const struct rl *rl, struct rl_slice *s, uint32_t ticks); // asked once for each record
bool rl_play_is_at(const struct rl_table *t);                  // its state is that of a playback that goes on
bool rl_play_is_waited_for(const struct rl_table *t);          // by the call that began it
void rl_play_stop(struct rl_table *t);                         // something else happens at the table
int64_t rl_play_run_group(struct rl_group *g, int64_t now_us); // what is due there; when next
bool rl_play_cancel(struct rl_conn *c, uint64_t call);
void rl_play_leave(struct rl_conn *c); // its connection goes
