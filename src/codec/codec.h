// Views, actions, events and rules as neutral JSON and as prose, one codec per game. Codecs see views, never states.
//
// Neutral JSON is the one shape behind every wire: the observation keys, action types and event types of the Game-RL
// mapping (G24-G28). A front adds its envelope and says what seats are called there.
#pragma once

#include "base/json_read.h"
#include "base/json_write.h"
#include "game/game.h"

// How describe_action and describe_event speak. Programs and models read the names of the wires; people read the words
// of the game.
enum codec_voice {
    CODEC_WIRE,   // "announces ColourHearts", "turns up card 0"
    CODEC_PERSON, // "announces hearts", "turns up the Duke"
    CODEC_OFFER,  // likewise, what the viewer may do: "announce hearts"
};

// Everything a writer needs to speak of one table to one viewer.
struct codec_table {
    const char *const *seat; // what seats are called: seat[0..seats-1]
    int seats;
    int viewer;                    // a seat, or GAME_SPECTATOR
    const struct game_event *past; // what this viewer has seen since the match began, oldest first; may be NULL
    uint32_t past_count;
    // describe_view leaves out what may be done now and the last events: whoever reads it has both elsewhere (L35).
    bool brief;
    enum codec_voice voice;
    const void *view; // what the viewer sees, so that an action by place can name its card; may be NULL
};

struct codec_speech;
struct codec_moves;
struct codec_player;

// An action type: {"type":"raise","amount":400}. Rows for actions of GAME_MASTER have master set; every game has one
// for GAME_DROP. codec_describe_type makes "raises" of "raise", so verbs read best.
struct codec_action {
    const char *type;
    uint8_t kind;
    bool master;
};

// Every member is required, unless its comment says when it is NULL.
struct codec {
    const struct game *game;
    const char *title;                  // "Texas Hold'em"
    const char *summary;                // one line: what the game is
    const char *const *phases;          // by game_turn.phase
    const struct codec_action *actions; // ended by a NULL type
    const char *const *event_types;     // by event kind, from 1; parts have the type of what they belong to, or NULL

    // Reads the value of one option into rules; false, and nothing read, when `key` is no option of this game.
    // Seats are by index here. "seats", "scenario" and "seed" are the caller's.
    SPARED(bool, read_rule, struct json_reader *r, struct json_string key, void *rules);
    void (*write_rules)(struct text *t, const void *rules); // all options as members of an open object

    // Reads the members of an action after its kind is known: sets arg and amount. The reader stands at the object.
    // Members it does not know ("type", "index"...) are skipped. What is absent and has a default gets it.
    SPARED(int, read_params, struct json_reader *r, const struct codec_table *table, struct game_action *a);
    // Members of an open object, without type: as read_params takes them. Never called for a drop.
    void (*write_params)(struct text *t, const struct codec_table *table, struct game_action a);
    // The same with the range of a family: "range":{"amount":[min,max]} (G22.8). NULL: no families in this game.
    void (*write_range)(struct text *t, const struct codec_table *table, struct game_choice c);
    // A choice whose range has values that are not legal together, as two that have none: returns how many. NULL: every
    // value within every range is legal.
    int (*split_range)(struct game_choice c, struct game_choice out[2]);

    // What stack takes, from a JSON array of cards, roles or faces; the number of items or an error. NULL: the game has
    // no stack.
    SPARED(int, read_items, struct json_reader *r, uint8_t *items, int room);

    void (*write_view)(struct text *t, const struct codec_table *table, const void *view); // members of an open object
    // Members of an open object, without type; `e` may be followed by its parts, `count` in all.
    void (*write_event)(struct text *t, const struct codec_table *table, const struct game_event *e, int count);

    // Reads back what write_view wrote, as far as house bots look at it; the view is zero before. False, or an error of
    // the reader: something is missing or impossible. NULL: over text wires only bots that need no view can play.
    SPARED(bool, read_view, struct json_reader *r, const struct codec_table *table, int phase, void *view);
    // Reads back what write_event wrote, `type` and all, as far as the minds of house bots look at it; the event is
    // zero before. False: it tells them nothing. NULL: over text wires minds see views alone (N1.7).
    SPARED(bool, read_event, struct json_reader *r, const struct codec_table *table, struct game_event *e);
    int (*phase)(const void *view); // game_turn.phase as the view has it; NULL: always 0

    // Prose a language model can play from: rules by themselves; a situation for its viewer (asked or not); an action
    // and an event in a few words ("raises to 400").
    SPARED(void, describe_rules, struct text *t, const void *rules, int seats);
    SPARED(void, describe_view, struct text *t, const struct codec_table *table, const void *view);
    void (*describe_action)(struct text *t, const struct codec_table *table, struct game_action a);
    void (*describe_event)(struct text *t, const struct codec_table *table, const struct game_event *e, int count);

    // A picture of the situation for a terminal: plain text lines, no escapes. It may be describe_view.
    void (*draw)(struct text *t, const struct codec_table *table, const void *view);

    SPARED_FACTS(const struct codec_speech,
                 speech); // actions in words (speech.h); NULL: actions are types without parameters
    SPARED_FACTS(const struct codec_moves, moves);   // in words (moves.h); NULL: actions are types without parameters
    SPARED_FACTS(const struct codec_player, player); // in few words (player.h); NULL: the prose above
};

// Written once, for every game.
// {"scenario":NAME,OPTION:VALUE,...} onto the defaults: the scenario first, wherever it stands, then the options in
// order. `seats` is the number asked for, 0: whatever the scenario has; set to what it is. `bad` (64 bytes) names
// the offending key or value. Reads one value in any case.
int codec_read_rules(const struct codec *c, struct json_reader *r, void *rules, int *seats, char bad[64]);
const struct codec_action *codec_find_type(const struct codec *c, struct json_string type);
const struct codec_action *codec_find_kind(const struct codec *c, uint8_t kind, bool master);
// {"type":...}: ERR_MISSING without a type, ERR_UNKNOWN for a strange one. Reads one value in any case.
int codec_read_action(const struct codec *c, struct json_reader *r, const struct codec_table *table, bool master,
                      struct game_action *a);
// What the game's write_params writes, and of a drop, which every game has, the seat and the reason.
void codec_write_params(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a);
void codec_write_action(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a,
                        bool master);
void codec_write_choice(const struct codec *c, struct text *t, const struct codec_table *table,
                        struct game_choice choice);
void codec_write_event(const struct codec *c, struct text *t, const struct codec_table *table,
                       const struct game_event *e, int count);
// The view of `table->viewer` in this phase (game_turn.phase), from the object ahead. False when something is missing
// or cannot be: then the view is not to be used.
bool codec_read_view(const struct codec *c, struct json_reader r, const struct codec_table *table, int phase,
                     void *view);
// One choice of a legal list, range and all; false when it is none.
bool codec_read_choice(const struct codec *c, struct json_reader *r, const struct codec_table *table,
                       struct game_choice *choice);
int codec_phase(const struct codec *c, const void *view);
// The list with all ranges exact: how many, at most twice as many as there were.
int codec_split_choices(const struct codec *c, const struct game_choice *list, int count,
                        struct game_choice out[2 * GAME_MAX_CHOICES]);
int codec_event_parts(const struct game_event *e, uint32_t left); // how many entries e and its parts are

// For games whose actions are types without parameters: they are what read_params and write_params may be, and what
// describe_action may call ("checks").
int codec_read_no_params(struct json_reader *r, const struct codec_table *table, struct game_action *a);
void codec_write_no_params(struct text *t, const struct codec_table *table, struct game_action a);
void codec_describe_type(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a);

// Helpers for the files of the games.
void codec_write_seats(struct text *t, const struct codec_table *table, seat_set set); // an array
int codec_read_seat(struct json_reader *r, const struct codec_table *table); // by name or index; -1 and an error
uint8_t codec_read_seat_or(struct json_reader *r, const struct codec_table *table, uint8_t nobody); // null: nobody
// The index of a word in a list of `count`, in which there may be gaps; an error where it is none of them.
uint8_t codec_read_word(struct json_reader *r, const char *const *words, int count);
void codec_write_card(struct text *t, uint8_t card);                     // "Tc", null for CARD_NONE
void codec_write_cards(struct text *t, const uint8_t *cards, int count); // an array
int codec_read_card(struct json_reader *r);                              // "Tc", or -1 and an error
int codec_read_cards(struct json_reader *r, uint8_t *cards, int room);   // an array: how many, or an error
const char *codec_card_name(uint8_t card);                               // "Tc"
const char *codec_seat_name(const struct codec_table *table, int seat);
const char *codec_verb(const struct codec_table *table, const char *offered, const char *done); // "fold", "folds"
JSON_IN_PLACE void codec_put_seat(struct text *t, const char *key, const struct codec_table *table, int seat)
{
    json_put_text(t, key, codec_seat_name(table, seat)); // null when it is none
}
void codec_write(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const char *const codec_seat_names[GAME_MAX_SEATS + 1]; // "seat_0".., ended by NULL
