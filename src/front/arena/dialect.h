// The games as the arena's wire has them (F6): states, actions, events and rules in the shapes its clients know, one
// row a game. All of it is written from views and from events that the viewer may see; seats are called p0 to p8.
#pragma once

#include "lobby/lobby.h"

enum { DIALECT_TYPE = 64 };

// One table as one viewer sees it.
struct dialect_look {
    struct codec_table table; // made by dialect_table
    const void *view;
    // What has happened, by number: for what a state tells of the past. NULL: nothing.
    bool (*event)(const void *source, uint32_t seq, struct lobby_event *out);
    const void *source;
    uint32_t events;
};

struct dialect {
    const struct codec *codec;
    const char *title;       // F2.10
    uint32_t events_of_seat; // bit k: an event of kind k is about a player; the others have no `player`

    // Each writes members of an open object.
    void (*write_rules)(struct text *t, const void *rules, int seats); // summary, phases, available_actions, key_rules
    void (*write_config)(struct text *t, const void *rules);           // NULL: the config is null
    void (*write_state)(struct text *t, const struct dialect_look *look);
    void (*write_player)(struct text *t, const struct dialect_look *look, int seat); // status and data of a PlayerInfo
    void (*write_params)(struct text *t, const struct dialect_look *look, struct game_choice c); // of a legal action
    void (*write_event)(struct text *t, const struct codec_table *table, const struct game_event *e, int count);

    bool (*is_in_play)(const void *view, int seat); // F6.2: not out, whoever is asked

    // Reads the data of an action whose kind is known; extra members are skipped. Any error: it is not legal (F4.4).
    int (*read_params)(struct json_reader *r, const struct codec_table *table, struct game_action *a);

    void (*set_rules)(void *rules, bool strict, bool deterministic_windows); // of struct lobby_game; may be NULL
};

extern const struct dialect dialect_texas_holdem, dialect_liars_dice, dialect_coup, dialect_belote;
extern const struct dialect *const dialects[]; // in the order of `welcome` (F2.2), ended by NULL

const struct dialect *dialect_find(const char *game); // NULL when the arena does not play it
struct codec_table dialect_table(int seats, int viewer);
extern const char *const dialect_pids[GAME_MAX_SEATS + 1];
extern const char *const dialect_names[GAME_MAX_SEATS + 1]; // F2.7: "Player 1"..

bool dialect_is_told(const struct game_event *e); // of struct lobby_game: all games tell what everybody may know

// Values.
void dialect_write_rules(const struct dialect *d, struct text *t, const void *rules, int seats);
void dialect_write_config(const struct dialect *d, struct text *t, const void *rules);
void dialect_write_state(const struct dialect *d, struct text *t, const struct dialect_look *look);
void dialect_write_players(const struct dialect *d, struct text *t, const struct dialect_look *look);
void dialect_write_choices(const struct dialect *d, struct text *t, const struct dialect_look *look,
                           const struct game_choice *choices, int count);
void dialect_write_event_data(const struct dialect *d, struct text *t, const struct codec_table *table,
                              const struct lobby_event *e);
void dialect_write_event(const struct dialect *d, struct text *t, const struct codec_table *table,
                         const struct lobby_event *e);

// {"type":T,"data":{...}}: OK; ERR_TYPE when it is no such object (F4.3 row 5); ERR_ACTION when this game has no such
// action or its parameters make no sense (row 6). `type` gets T, cut, for the answer.
int dialect_read_action(const struct dialect *d, struct span json, const struct codec_table *table,
                        struct game_action *a, char type[DIALECT_TYPE]);

// For the files of the games.
int64_t dialect_read_whole(struct json_reader *r); // F4.4: 4 and 4.0; beyond 2^53 or with a fraction: an error
void dialect_put_list(struct text *t, const char *key, const char *const *words); // ended by NULL
