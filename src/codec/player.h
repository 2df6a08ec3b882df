// A game for a language model as a player: what happened, the situation and how to play, in few words (M55, M56).
#pragma once

#include "codec/codec.h"

enum { PLAYER_CLAUSE = 200 }; // bytes of the longest clause

enum player_weight {
    PLAYER_SILENT, // nothing was written, because it is obvious
    PLAYER_MINOR,  // left out first if there is too much to tell
    PLAYER_MAJOR,  // results: who won a hand, who is out
};

// Each function may be NULL: then the codec's prose is used.
struct codec_player {
    void (*rules)(struct text *t, const void *rules, int seats);
    void (*situation)(struct text *t, const struct codec_table *table, const void *view); // without the legal actions
    // "seat_2 raises to 400", "you fold": without a full stop.
    enum player_weight (*clause)(struct text *t, const struct codec_table *table, const struct game_event *e,
                                 int count);
};

void player_write_rules(const struct codec *c, struct text *t, const void *rules, int seats);
void player_write_situation(const struct codec *c, struct text *t, const struct codec_table *table, const void *view);
enum player_weight player_write_clause(const struct codec *c, struct text *t, const struct codec_table *table,
                                       const struct game_event *e, int count);

// Helpers for the games' files.
const char *player_name(const struct codec_table *table, int seat); // "you" for the viewer
const char *player_verb(const struct codec_table *table, int seat, const char *you, const char *other);
