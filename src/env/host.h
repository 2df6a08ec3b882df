// Refusals, and who is at which table.
#pragma once

#include "env/model.h"

struct rl_result rl_refuse(struct rl *rl, int code, const char *name, const char *message); // body empty so far
void rl_refusal_put(struct rl *rl, struct rl_result *r, const char *key, const char *value);
void rl_refusal_raw(struct rl *rl, struct rl_result *r, const char *key, struct span json);
struct rl_result rl_refuse_say(struct rl *rl, int code, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void rl_refusal_int(struct rl *rl, struct rl_result *r, const char *key, int64_t value);
struct rl_result rl_bad(struct rl *rl, const char *path, const char *expected, const char *reason); // -32602
// What is expected where there are few: "one of a, b, c", word by word.
struct rl_known {
    char text[256];
};
void rl_known_add(struct rl_known *k, const char *word);
struct rl_agent *rl_find_agent(const struct rl_group *g, struct json_string id);
struct rl_agent *rl_own_agent(struct rl_conn *c, struct json_string id, struct rl_result *r); // NULL: refused
void rl_tell_changed(struct rl_table *t, const char *what); // a resource of everybody at this table
bool rl_text_grow(struct text *t, size_t more);
bool rl_is_known_seed(const struct rl_table *t, const struct rl_conn *c); // G5.5: who may know the seed
bool rl_has(const struct rl_conn *c, enum rl_capability what);
struct rl_agent *rl_agent_at(const struct rl_table *t, int seat); // the one that plays there, ACTIVE or not; or NULL
int rl_seat_of_name(const struct rl_kit *k, const char *name);
bool rl_move(struct rl_conn *c, const char *table, struct rl_result *r); // to a named table
void rl_move_back(struct rl_conn *c, struct rl_group *before);
struct rl_table *rl_move_apart(struct rl_conn *c, const struct rl_game *row); // to a fresh table of its own
void rl_group_leave(struct rl_group *g, int64_t now_us);                      // one connection less
void rl_seat_table(struct rl_table *t, const struct rl_game *row);            // another game, no episode
const struct rl_game *rl_find_game(const struct rl *rl, const char *name);
bool rl_answer(struct rl *rl, struct rl_result *r); // what was written into rl->out
int rl_max_agents(const struct rl_group *g);
enum rl_clock rl_clock_of(const struct rl_table *t); // G12.1
void rl_unregister(struct rl_agent *a, const char *reason);
void rl_agent_enter(struct rl_agent *a); // the lists of its table and its group
void rl_agent_leave(struct rl_agent *a);
int rl_seats_of(const struct rl_table *t); // of the running episode, or of the one that a plain reset would begin
void rl_write_location(struct text *t, const struct rl_table *table, int seat);              // [x,y,z] (G22.9)
void rl_write_agent(struct text *t, const struct rl_agent *a, const struct rl_conn *reader); // G5.4
void rl_write_spaces(struct text *t, const struct rl_agent *a);

// Tables beside the real ones, where trajectories are played again.
struct rl_group *rl_shadow_create(struct rl *rl, const struct rl_game *row);
void rl_shadow_destroy(struct rl_group *g);
