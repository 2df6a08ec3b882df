// Shared by the codecs of games with several hands (game/hands.h, K1): everything but their rules in prose.
#pragma once

#include "codec/speech.h"
#include "game/hands.h"

// What such a game has of its own.
struct hands_words {
    const struct codec *codec;
    int rounds, most;                // betting rounds, and actions in one, at most
    int raises, chips[HANDS_ROUNDS]; // raises in a round, at most, and what one adds
    const char *raise;               // what may be done with them: "bet", "raise by"
};

// Functions of struct codec. The view is a struct hands_view. Without rounds its actions are one list, and there is no
// public card.
void hands_write_view(const struct hands_words *w, struct text *t, const struct codec_table *table, const void *view);
bool hands_read_view(const struct hands_words *w, struct json_reader *r, const struct codec_table *table, int phase,
                     void *view);
void hands_write_event(const struct hands_words *w, struct text *t, const struct codec_table *table,
                       const struct game_event *e);
void hands_describe_rules(struct text *t, const struct hands_rules *r); // K1.2, K1.7: how a match is played
void hands_describe_view(const struct hands_words *w, struct text *t, const struct codec_table *table,
                         const void *view);
void hands_describe_event(const struct hands_words *w, struct text *t, const struct codec_table *table,
                          const struct game_event *e);
void hands_draw(const struct hands_words *w, struct text *t, const struct codec_table *table, const void *view);

// Options max_hands, starter and deck.
bool hands_read_rule(struct json_reader *r, struct json_string key, void *rules);
void hands_write_rules(struct text *t, const void *rules);
extern const char *const hands_event_types[];
extern const struct codec_speech hands_speech; // actions without parameters, by hands

// Members of struct codec that are the same in every such game. The functions among them are those of HANDS_FUNCTIONS.
#define HANDS_CODEC                                                                                                    \
    .event_types = hands_event_types, .read_rule = hands_read_rule, .write_rules = hands_write_rules,                  \
    .read_items = codec_read_cards, .phase_at = offsetof(struct hands_view, phase), .speech = &hands_speech,           \
    .write_view = write_view, .write_event = write_event, .read_view = read_view, .describe_view = describe_view,      \
    .describe_event = describe_event, .draw = draw
// Defines the functions of struct codec that need the words of the game. They are called without their codec, so each
// game has its own, which only pass its words on.
#define HANDS_FUNCTIONS(words)                                                                                         \
    static void write_view(struct text *t, const struct codec_table *table, const void *view)                          \
    {                                                                                                                  \
        hands_write_view(words, t, table, view);                                                                       \
    }                                                                                                                  \
    static bool read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view)               \
    {                                                                                                                  \
        return hands_read_view(words, r, table, phase, view);                                                          \
    }                                                                                                                  \
    static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)    \
    {                                                                                                                  \
        (void)count; /* no event has parts */                                                                          \
        hands_write_event(words, t, table, e);                                                                         \
    }                                                                                                                  \
    static void describe_view(struct text *t, const struct codec_table *table, const void *view)                       \
    {                                                                                                                  \
        hands_describe_view(words, t, table, view);                                                                    \
    }                                                                                                                  \
    static void describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count) \
    {                                                                                                                  \
        (void)count;                                                                                                   \
        hands_describe_event(words, t, table, e);                                                                      \
    }                                                                                                                  \
    static void draw(struct text *t, const struct codec_table *table, const void *view)                                \
    {                                                                                                                  \
        hands_draw(words, t, table, view);                                                                             \
    }
// Its action types; the raise has a name of its own.
#define HANDS_TYPES(raise)                                                                                             \
    {.type = "fold", .kind = HANDS_FOLD}, {.type = "check", .kind = HANDS_CHECK},                                      \
        {.type = "call", .kind = HANDS_CALL}, {.type = raise, .kind = HANDS_RAISE},                                    \
        {.type = "drop", .kind = GAME_DROP, .master = true}, {0},
