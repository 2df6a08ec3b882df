// Replays of trajectories: beside a table for pictures and checks, or at it (load_trajectory, G19.7-G19.9).
#pragma once

#include "env/model.h"

// Replays a table's own recording beside the table, record by record: for what the agents' cameras saw.
struct env_replay *env_replay_with_streams(struct env *env, const struct env_game *row);
bool env_replay_apply_record(struct env_replay *p, enum traj_kind kind,
                             struct span record);                                     // false: it cannot be replayed
struct env_agent *env_replay_find(const struct env_replay *p, struct json_string id); // the virtual agent, or NULL
struct env_agent *env_replay_agents(const struct env_replay *p);                      // all of them, the first
void env_replay_destroy(struct env_replay *p);
// Replays a file that was just written, before it is reported as saved. Owns the reader.
enum { ENV_VERIFY_BAD = -1, ENV_VERIFY_GOOD, ENV_VERIFY_MORE, ENV_VERIFY_LATER };
struct env_replay *env_replay_verify(struct env *env, const struct env_game *row, struct traj_reader *reader);
int env_replay_verify_next(struct env_replay *p, bool only_read, bool waits); // later: a child is still working on it
bool env_replay_is_verified(const struct env_replay *p);                      // so far all hashes are as recorded
uint32_t env_replay_last_ticks(const struct env_replay *p);                   // of the last step

// Long work is interrupted after some milliseconds, or after a fixed amount if there is no clock.
struct env_slice {
    int64_t end_us;
    uint64_t ticks;
    int records;
};
struct env_slice env_slice_begin(const struct env *env);
bool env_slice_over(const struct env *env, struct env_slice *s, uint32_t ticks); // call it once for each record
bool env_replay_is_at(const struct env_table *t);      // its state is that of a replay in progress
bool env_replay_is_pending(const struct env_table *t); // by the call that began it
void env_replay_stop(struct env_table *t);             // something else happens at the table
// A new episode begins. Its record lists all agents, whose seats may be those of another game, so the agents of the
// table are not recorded in the old episode.
void env_replay_stop_for_reset(struct env_table *t);
int64_t env_replay_run_group(struct env_group *g, int64_t now_us); // handles what is due; returns when to call next
bool env_replay_cancel(struct env_conn *c, uint64_t call);
void env_replay_leave(struct env_conn *c); // its connection ends
