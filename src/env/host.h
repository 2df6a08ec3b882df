// Refusals, and who is at which table.
#pragma once

#include "env/model.h"

// The body is empty so far.
struct env_result env_refuse(struct env *env, int code, const char *name, const char *message);
void env_refusal_put(struct env *env, struct env_result *r, const char *key, const char *value);
void env_refusal_raw(struct env *env, struct env_result *r, const char *key, struct span json);
struct env_result env_refuse_because(struct env *env, int code, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void env_refusal_int(struct env *env, struct env_result *r, const char *key, int64_t value);
struct env_result env_bad(struct env *env, const char *path, const char *expected, const char *reason); // -32602
// The expected values if they are few: "one of a, b, c", word by word.
struct env_known {
    char text[256];
};
void env_known_add(struct env_known *k, const char *word);
struct env_agent *env_find_agent(const struct env_group *g, struct json_string id);
struct env_agent *env_own_agent(struct env_conn *c, struct json_string id, struct env_result *r); // NULL: refused
void env_notify_changed(struct env_table *t, const char *what); // a resource of everybody at this table
bool env_text_grow(struct text *t, size_t more);
bool env_is_known_seed(const struct env_table *t, const struct env_conn *c); // G5.5: who may know the seed
bool env_has(const struct env_conn *c, enum env_capability what);
// The agent that plays there, active or not; or NULL.
struct env_agent *env_agent_at(const struct env_table *t, int seat);
int env_seat_of_name(const struct env_facts *k, const char *name);
bool env_move(struct env_conn *c, const char *table, struct env_result *r); // to a named table
void env_move_back(struct env_conn *c, struct env_group *before);
struct env_table *env_move_apart(struct env_conn *c, const struct env_game *row); // to a new table of its own
void env_group_leave(struct env_group *g, int64_t now_us);                        // one connection has left
void env_seat_table(struct env_table *t, const struct env_game *row);             // another game, without an episode
const struct env_game *env_find_game(const struct env *env, const char *name);
bool env_answer(struct env *env, struct env_result *r); // returns what was written into env->out
int env_max_agents(const struct env_group *g);
enum env_clock env_clock_of(const struct env_table *t); // G12.1
void env_unregister(struct env_agent *a, const char *reason);
void env_agent_enter(struct env_agent *a); // adds it to the lists of its table and its group
void env_agent_leave(struct env_agent *a);
int env_seats_of(const struct env_table *t); // of the running episode, or of the one that a plain reset would begin
void env_write_location(struct text *t, const struct env_table *table, int seat);               // [x,y,z] (G22.9)
void env_write_agent(struct text *t, const struct env_agent *a, const struct env_conn *reader); // G5.4
void env_write_spaces(struct text *t, const struct env_agent *a);
void env_put_time(struct text *t, const char *key, const struct env *env, int64_t us); // a time of this host, in UTC
void env_put_guide(struct text *t, const struct env_agent *a);                         // as a member
// The rules of a table with this scenario, or of the arena. Returns the number of seats of the scenario.
int env_rules_of(const struct env_game *g, const char *scenario, const struct env_arena *arena,
                 union game_rules *rules);

// Shadow tables on which trajectories are replayed.
struct env_group *env_shadow_create(struct env *env, const struct env_game *row);
void env_shadow_destroy(struct env_group *g);
