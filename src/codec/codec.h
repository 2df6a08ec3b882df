// Views, actions, events and rules as neutral JSON and as prose, one codec per game. Codecs see views, never states.
//
// Neutral JSON is the common format of all protocols: the observation keys, action types and event types of the Game-RL
// mapping (G24-G28). A front adds its envelope and the names of seats.
#pragma once

#include "base/json_read.h"
#include "base/json_write.h"
#include "game/game.h"

// The voice of describe_action and describe_event. Programs and models get the names of the protocols; people get the
// words of the game.
enum codec_voice {
    CODEC_WIRE,   // "announces ColourHearts", "turns up card 0"
    CODEC_PERSON, // "announces hearts", "turns up the Duke"
    CODEC_OFFER,  // the same for legal actions of the viewer: "announce hearts"
};

// Everything a writer needs to describe a table to one viewer.
struct codec_table {
    const char *const *seat; // names of the seats: seat[0..seats-1]
    int seats;
    int viewer;                    // a seat, or GAME_SPECTATOR
    const struct game_event *past; // events that this viewer has seen since the match began, oldest first; may be NULL
    uint32_t past_count;
    // describe_view leaves out the legal actions and the last events, because the reader has both elsewhere (L35).
    bool brief;
    enum codec_voice voice;
    const void *view; // the viewer's view, so that an action by position can name its card; may be NULL
};

struct codec_speech;
struct codec_moves;
struct codec_short_prose;

// An action type: {"type":"raise","amount":400}. Rows for actions of GAME_MASTER have master set; every game has one
// for GAME_DROP. codec_describe_type turns "raise" into "raises", so verbs read best.
struct codec_action {
    const char *type;
    uint8_t kind;
    bool master;
};

// Every member is required, unless its comment says when it may be NULL.
struct codec {
    const struct game *game;
    const char *title;                  // "Texas Hold'em"
    const char *summary;                // one line that describes the game
    const char *const *phases;          // by game_turn.phase
    const struct codec_action *actions; // ends with a NULL type
    const char *const *event_types;     // by event kind, from 1; parts have the type of their event, or NULL

    // Reads the value of one option into rules. Returns false, without reading, if `key` is not an option of this game.
    // Seats are given by index. "seats", "scenario" and "seed" are handled by the caller.
    SPARED(bool, read_rule, struct json_reader *r, struct json_string key, void *rules);
    void (*write_rules)(struct text *t, const void *rules); // all options as members of an open object

    // Reads the members of an action of known kind: sets arg and amount. The reader is at the object. Unknown members
    // ("type", "index"...) are skipped; absent members get their default. Never called for a drop. NULL: actions are
    // types without parameters.
    SPARED(int, read_params, struct json_reader *r, const struct codec_table *table, struct game_action *a);
    // Writes members of an open object, without type, as read_params accepts them. Never called for a drop. NULL:
    // likewise.
    void (*write_params)(struct text *t, const struct codec_table *table, struct game_action a);
    // The same with the range of a choice: "range":{"amount":[min,max]} (G22.8). NULL: no ranges in this game.
    void (*write_range)(struct text *t, const struct codec_table *table, struct game_choice c);
    // Splits a choice whose range contains illegal values into two without them. Returns how many. NULL: every value
    // within every range is legal.
    int (*split_range)(struct game_choice c, struct game_choice out[2]);

    // Reads the items for stack from a JSON array of cards, roles or faces. Returns their number or an error. NULL: the
    // game has no stack.
    SPARED(int, read_items, struct json_reader *r, uint8_t *items, int room);

    void (*write_view)(struct text *t, const struct codec_table *table, const void *view); // members of an open object
    // Writes members of an open object, without type; `e` may be followed by its parts, `count` in total.
    void (*write_event)(struct text *t, const struct codec_table *table, const struct game_event *e, int count);

    // Reads back what write_view wrote, as far as house bots need it; the view is zero before. Returns false or sets an
    // error if something is missing or impossible. NULL: over text protocols only bots that need no view can play.
    SPARED(bool, read_view, struct json_reader *r, const struct codec_table *table, int phase, void *view);
    // Reads back what write_event wrote, including `type`, as far as the minds of house bots need it; the event is zero
    // before. Returns false if they do not need it. NULL: over text protocols minds see views only (N1.7).
    SPARED(bool, read_event, struct json_reader *r, const struct codec_table *table, struct game_event *e);
    size_t phase_at; // offset of game_turn.phase in the view, where it is one byte; 0: always phase 0

    // Prose that a language model can play from: the rules; a situation for its viewer (asked or not); an action and an
    // event in a few words ("raises to 400"). describe_action is never called for a drop; NULL: codec_describe_type.
    SPARED(void, describe_rules, struct text *t, const void *rules, int seats);
    SPARED(void, describe_view, struct text *t, const struct codec_table *table, const void *view);
    void (*describe_action)(struct text *t, const struct codec_table *table, struct game_action a);
    void (*describe_event)(struct text *t, const struct codec_table *table, const struct game_event *e, int count);

    // A text drawing of the situation for a terminal: plain lines without escapes. May be describe_view.
    void (*draw)(struct text *t, const struct codec_table *table, const void *view);

    // Actions in words (speech.h, moves.h); NULL: types and then their parameters, as write_params has them.
    SPARED_FACTS(const struct codec_speech, speech);
    SPARED_FACTS(const struct codec_moves, moves);
    SPARED_FACTS(const struct codec_short_prose, short_prose); // NULL: the prose above
};

// Shared by all games.
// Applies {"scenario":NAME,OPTION:VALUE,...} to the defaults: first the scenario, wherever it is, then the options in
// order. `seats` is the requested number, 0: as the scenario has; set to the actual one. `bad` (64 bytes) gets the
// invalid key or value. Reads one value in any case.
int codec_read_rules(const struct codec *c, struct json_reader *r, void *rules, int *seats, char bad[64]);
const struct codec_action *codec_find_type(const struct codec *c, struct json_string type);
const struct codec_action *codec_find_kind(const struct codec *c, uint8_t kind, bool master);
// Reads {"type":...}: ERR_MISSING without a type, ERR_UNKNOWN for an unknown one. Reads one value in any case.
int codec_read_action(const struct codec *c, struct json_reader *r, const struct codec_table *table, bool master,
                      struct game_action *a);
// These call the game's function, if it has one. A drop, which every game has, is read, written and described here.
int codec_read_params(const struct codec *c, struct json_reader *r, const struct codec_table *table,
                      struct game_action *a);
void codec_write_params(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a);
void codec_write_action(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a,
                        bool master);
void codec_write_choice(const struct codec *c, struct text *t, const struct codec_table *table,
                        struct game_choice choice);
void codec_write_event(const struct codec *c, struct text *t, const struct codec_table *table,
                       const struct game_event *e, int count);
// Reads the view of `table->viewer` in this phase (game_turn.phase) from the next object. Returns false if something is
// missing or impossible; then the view must not be used.
bool codec_read_view(const struct codec *c, struct json_reader r, const struct codec_table *table, int phase,
                     void *view);
// Reads one choice of a legal list, including its range. Returns false if it is invalid.
bool codec_read_choice(const struct codec *c, struct json_reader *r, const struct codec_table *table,
                       struct game_choice *choice);
int codec_phase(const struct codec *c, const void *view);
// The list with exact ranges. Returns how many, at most twice as many as before.
int codec_split_choices(const struct codec *c, const struct game_choice *list, int count,
                        struct game_choice out[2 * GAME_MAX_CHOICES]);
int codec_event_parts(const struct game_event *e, uint32_t left); // number of entries of e and its parts

void codec_describe_action(const struct codec *c, struct text *t, const struct codec_table *table,
                           struct game_action a);
// "checks", or "check" as an offer: the type is all there is to say.
void codec_describe_type(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a);

// Helpers for the games' codecs.
void codec_write_seats(struct text *t, const struct codec_table *table, seat_set set); // an array
int codec_read_seat(struct json_reader *r, const struct codec_table *table); // by name or index; -1 and an error
uint8_t codec_read_seat_or(struct json_reader *r, const struct codec_table *table, uint8_t nobody); // null: nobody
// Index of a word in a list of `count`, which may have gaps; an error if it is not in the list.
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
    json_put_text(t, key, codec_seat_name(table, seat)); // null if it is none
}
// As printf; %s with NULL is "nobody", for a seat that the table does not have.
void codec_write(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const char *const codec_seat_names[GAME_MAX_SEATS + 1]; // "seat_0".., ended by NULL
