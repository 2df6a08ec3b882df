// A game in the arena protocol (F6): states, actions, events and rules in the form that clients of the arena expect.
// Everything is written from views and from events that the viewer may see; seats are named p0 to p9.
//
// The functions take a game's descriptor. Every part of a dialect is optional: the codec replaces it, with pids as
// names of seats (arena_generic.h). So a game needs a dialect only if clients already know its format.
#pragma once

#include "codec/codec.h"
#include "match/match.h"

struct game_kit;

enum { DIALECT_TYPE = 64 };

// A table as one viewer sees it.
struct arena_observation {
    struct codec_table table; // from dialect_table
    const void *view;
    // Returns an event by its number, for states that describe the past. NULL: no events.
    bool (*event)(const void *source, uint32_t seq, struct match_event *out);
    const void *source;
    uint32_t events;
};

struct arena_dialect {
    const char *title;       // F2.10; NULL: the codec's
    uint32_t events_of_seat; // bit k: events of kind k are about a player; other events have no `player`

    // Each writes members of an open object. NULL: written by the codec.
    void (*write_rules)(struct text *t, const void *rules, int seats); // summary, phases, available_actions, key_rules
    void (*write_config)(struct text *t, const void *rules);           // NULL: the config is null
    void (*write_state)(struct text *t, const struct arena_observation *seen);
    void (*write_player)(struct text *t, const struct arena_observation *seen,
                         int seat); // status and data of a PlayerInfo
    void (*write_params)(struct text *t, const struct arena_observation *seen,
                         struct game_choice c); // of a legal action
    void (*write_event)(struct text *t, const struct codec_table *table, const struct game_event *e, int count);

    // F6.2: not out of the game, whether asked or not; NULL: as in the environment.
    bool (*is_in_play)(const void *view, int seat);

    // Reads the data of an action of known kind; unknown members are skipped. Any error means that it is illegal
    // (F4.4). NULL: the codec reads it.
    int (*read_params)(struct json_reader *r, const struct codec_table *table, struct game_action *a);

    // Changes the default rules to the arena's (F4.15, F10.4). NULL: the default rules.
    void (*set_rules)(void *rules, bool strict, bool deterministic_windows);
    // Players still in play (F6.2). A drop that ends a match of two is a forfeit (F4.16). NULL: every drop that ends a
    // match is one.
    int (*count_in_play)(const void *state);
    const char *const *open_rules; // options that the operator may change (F6.4), ended by NULL; NULL: none
    int challenge_places;          // places of a challenge that does not say how many (F3.19); 0: the game's minimum
    bool gated;                    // offered only to clients that declare the game as a capability (F6.B1)

    const struct arena_reader *reader; // the client's side; NULL: see dialect_has_view
};

const struct arena_dialect *dialect_of(const struct game_kit *k); // an empty one if the game has none
// Returns a sentence that says why the arena cannot offer the game, or NULL. The arena has games for two or more
// players, in turns.
const char *dialect_refusal(const struct game_kit *k);
// F6.B1: offered only to clients that declare it. True for every game without a dialect, because clients know only the
// games of the arena's protocol.
bool dialect_is_gated(const struct game_kit *k);
const char *dialect_title(const struct game_kit *k);
bool dialect_is_in_play(const struct game_kit *k, const void *view, int seat);
// Whether a client can reconstruct views from states. If not, only bots that need nothing but the choices can play for
// it.
bool dialect_has_view(const struct game_kit *k);

struct codec_table dialect_table(int seats, int viewer);
extern const char *const dialect_pids[GAME_MAX_SEATS + 1];
extern const char *const dialect_names[GAME_MAX_SEATS + 1]; // F2.7: "Player 1", ...

bool dialect_is_public(const struct game_event *e); // belongs to the sequence of F2.8

// Writing values.
void dialect_write_rules(const struct game_kit *k, struct text *t, const void *rules, int seats);
void dialect_write_config(const struct game_kit *k, struct text *t, const void *rules);
void dialect_write_state(const struct game_kit *k, struct text *t, const struct arena_observation *seen);
void dialect_write_players(const struct game_kit *k, struct text *t, const struct arena_observation *seen);
void dialect_write_choices(const struct game_kit *k, struct text *t, const struct arena_observation *seen,
                           const struct game_choice *choices, int count);
void dialect_write_event_data(const struct game_kit *k, struct text *t, const struct codec_table *table,
                              const struct match_event *e);
void dialect_write_event(const struct game_kit *k, struct text *t, const struct codec_table *table,
                         const struct match_event *e);

// Reads {"type":T,"data":{...}}. Returns OK; ERR_TYPE if it is no such object (F4.3 row 5); ERR_ACTION if the game has
// no such action or its parameters are invalid (row 6). Sets `type` to T, truncated, for the reply.
int dialect_read_action(const struct game_kit *k, struct span json, const struct codec_table *table,
                        struct game_action *a, char type[DIALECT_TYPE]);

// For the games' own dialects.
uint8_t dialect_read_pid_or(struct json_reader *r, uint8_t nobody); // reads a pid; `nobody` for anything else
int32_t dialect_read_small(struct json_reader *r);                  // 0 to INT32_MAX
int dialect_read_word(struct json_reader *r, const char *const *words, int count); // index of the word, or -1
int64_t dialect_read_whole(struct json_reader *r); // F4.4: accepts 4 and 4.0; an error beyond 2^53 or with a fraction
