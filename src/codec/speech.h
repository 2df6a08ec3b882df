// A game in words: actions as a player writes them, legal actions as lines to choose from, and the parts of a long
// history. For clients that read and write text; programs use JSON.
#pragma once

#include "codec/codec.h"

enum { SPEECH_SLOTS = 3 };

enum speech_slot_kind {
    SPEECH_NONE,
    SPEECH_SEAT,   // by its name
    SPEECH_NUMBER, // a whole number
    SPEECH_WORD,   // one of `words`
    SPEECH_CARD,   // "Tc"
    SPEECH_PAIR,   // two whole numbers; an array in JSON
    SPEECH_FLAG,   // words[0] when it is set, nothing when it is not; never required
    SPEECH_TEXT,   // any word, in lower case: where the game has no phrases
};

// A parameter: the member of the action's JSON, and what stands for it in a list of actions.
struct speech_slot {
    const char *name, *shown; // "amount", "AMOUNT"
    uint8_t kind;             // enum speech_slot_kind
    const char *const *words; // of SPEECH_WORD and SPEECH_FLAG, ended by NULL
};

struct speech_phrase {
    const char *type; // of the codec
    struct speech_slot slot[SPEECH_SLOTS];
};

struct speech_alias {
    const char *words, *type; // "all in", "allin"
};

// An event of a wire in a sentence for a person: {player} is who it is about, {NAME} a member of its data, {NAME|COUNT}
// its word in the plural unless COUNT is 1. Of the rows of an event's type the first counts whose member has that
// value.
struct speech_event {
    const char *type;
    const char *member, *value; // NULL: whatever it has
    const char *sentence;
};

struct speech_word {
    const char *wire, *spoken; // "ColourClubs", "clubs"; "bid_face=4", "four": of that member alone
};

struct codec_speech {
    int version;        // goes up whenever prose of the game changes: reports name it (L31)
    const char *legend; // what the capitals of the list of actions are; NULL: there are none
    // Every action of a seat, ended by a NULL type; NULL: types, with the parameters that the codec writes.
    const struct speech_phrase *phrases;
    const struct speech_alias *aliases; // ended by NULL words; NULL: none
    const uint8_t *parts;               // kinds of events that begin a part of the history, ended by 0; NULL: none
    const char *part;                   // what a part is called ("Turn"), when the event does not say it; else NULL
    const char *part_names;             // in the plural, for omitted parts: "turns"
    // A choice as lines, each ended by a line feed; NULL: written from the phrases.
    void (*describe_choice)(struct text *t, const struct codec_table *table, const void *view, struct game_choice c);
    // A note beside a line ("2520 more"); NULL: nothing.
    void (*note)(struct text *t, const struct codec_table *table, const void *view, struct game_choice c);
    const struct speech_event
        *events;                     // ended by a NULL type; NULL: as their actions are described, or by their members
    const struct speech_word *words; // names of the wires and what people say, ended by NULL; NULL: none
    const char *amount; // of a number out of its range or badly written, in a sentence; NULL: nothing to say
};

const struct codec_speech *speech_of(const struct codec *c); // an empty one where the game has none
// The i-th action of a seat; false behind the last.
bool speech_phrase_at(const struct codec *c, int i, struct speech_phrase *out);
bool speech_find_phrase(const struct codec *c, const char *type, struct speech_phrase *out);
void speech_describe_actions(const struct codec *c, struct text *t); // "- raise AMOUNT\n".., and the legend
// One line each, ended by a line feed: as it can be written back, with its range and its note (L36).
void speech_describe_choice(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                            struct game_choice choice);
