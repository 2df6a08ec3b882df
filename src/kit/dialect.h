// A game on the arena's wire (F6): states, actions, events and rules in the shapes that clients of the arena know.
// Everything is written from views and from events that the viewer may see; seats are called p0 to p9.
//
// The functions take a game's descriptor. Every part of its dialect may be missing: then its codec stands in, with
// pids for seat names (dialect_generic.h), so that a game has no dialect unless clients know its shapes already.
#pragma once

#include "codec/codec.h"
#include "match/match.h"

struct game_kit;

enum { DIALECT_TYPE = 64 };

// One table as one viewer sees it.
struct arena_observation {
    struct codec_table table; // made by dialect_table
    const void *view;
    // What has happened, by number: for what a state tells of the past. NULL: nothing.
    bool (*event)(const void *source, uint32_t seq, struct match_event *out);
    const void *source;
    uint32_t events;
};

struct arena_dialect {
    const char *title;       // F2.10; NULL: the codec's
    uint32_t events_of_seat; // bit k: an event of kind k is about a player; the others have no `player`

    // Each writes members of an open object. NULL: by the codec.
    void (*write_rules)(struct text *t, const void *rules, int seats); // summary, phases, available_actions, key_rules
    void (*write_config)(struct text *t, const void *rules);           // NULL: the config is null
    void (*write_state)(struct text *t, const struct arena_observation *seen);
    void (*write_player)(struct text *t, const struct arena_observation *seen,
                         int seat); // status and data of a PlayerInfo
    void (*write_params)(struct text *t, const struct arena_observation *seen,
                         struct game_choice c); // of a legal action
    void (*write_event)(struct text *t, const struct codec_table *table, const struct game_event *e, int count);

    bool (*is_in_play)(const void *view, int seat); // F6.2: not out, whoever is asked; NULL: as in the environment

    // Reads the data of an action whose kind is known; extra members are skipped. Any error: it is not legal (F4.4).
    // NULL: the codec reads it.
    int (*read_params)(struct json_reader *r, const struct codec_table *table, struct game_action *a);

    // Changes the default rules to those of the arena (F4.15, F10.4). NULL: the defaults are played.
    void (*set_rules)(void *rules, bool strict, bool deterministic_windows);
    // Players still in play (F6.2): a drop that ends a match of two is a forfeit (F4.16). NULL: every drop that ends
    // a match is one.
    int (*count_in_play)(const void *state);
    const char *const *open_rules; // options that the operator may change (F6.4), ended by NULL; NULL: none
    int challenge_places;          // of a challenge that names no number (F3.19); 0: as few as the game has
    bool gated;                    // offered only to clients that declare the game as a capability (F6.B1)

    const struct arena_reader *reader; // the client's side of the wire; NULL: see dialect_has_view
};

const struct arena_dialect *dialect_of(const struct game_kit *k); // an empty one where the game has none
// Why the arena cannot offer the game, in a sentence; NULL: it can. It is for two players and more, in turns.
const char *dialect_refusal(const struct game_kit *k);
// F6.B1: offered only to clients that declare it. A game without a dialect always is: clients of the arena know the
// games of its protocol, and no others.
bool dialect_is_gated(const struct game_kit *k);
const char *dialect_title(const struct game_kit *k);
bool dialect_is_in_play(const struct game_kit *k, const void *view, int seat);
// Whether a client gets views out of states. If not, only bots that look at choices alone can play for it.
bool dialect_has_view(const struct game_kit *k);

struct codec_table dialect_table(int seats, int viewer);
extern const char *const dialect_pids[GAME_MAX_SEATS + 1];
extern const char *const dialect_names[GAME_MAX_SEATS + 1]; // F2.7: "Player 1"..

bool dialect_is_public(const struct game_event *e); // whether it enters the sequence of F2.8

// Values.
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

// {"type":T,"data":{...}}: OK; ERR_TYPE when it is no such object (F4.3 row 5); ERR_ACTION when this game has no such
// action or its parameters make no sense (row 6). `type` gets T, cut, for the answer.
int dialect_read_action(const struct game_kit *k, struct span json, const struct codec_table *table,
                        struct game_action *a, char type[DIALECT_TYPE]);

// For the files of the games.
uint8_t dialect_read_pid_or(struct json_reader *r, uint8_t nobody); // the same with a value for "something else"
int32_t dialect_read_small(struct json_reader *r);                  // 0 to INT32_MAX
int dialect_read_word(struct json_reader *r, const char *const *words, int count); // its index, or -1
int64_t dialect_read_whole(struct json_reader *r); // F4.4: 4 and 4.0; beyond 2^53 or with a fraction: an error
void dialect_put_list(struct text *t, const char *key, const char *const *words); // ended by NULL
