// A game in few words, for language models that play: what happened, the situation and the rules (M55, M56).
#pragma once

#include "codec/codec.h"

enum { CLAUSE_BYTES = 200 }; // bytes of the longest clause

enum clause_weight {
    CLAUSE_SILENT, // nothing was written, because it is obvious
    CLAUSE_MINOR,  // left out first if there is too much to tell
    CLAUSE_MAJOR,  // results: who won a hand, who is out
};

// Each function may be NULL: then the codec's prose is used.
struct codec_short_prose {
    void (*rules)(struct text *t, const void *rules, int seats);
    void (*situation)(struct text *t, const struct codec_table *table, const void *view); // without the legal actions
    // "seat_2 raises to 400", "you fold": without a full stop.
    enum clause_weight (*clause)(struct text *t, const struct codec_table *table, const struct game_event *e,
                                 int count);
};

void short_prose_write_rules(const struct codec *c, struct text *t, const void *rules, int seats);
void short_prose_write_situation(const struct codec *c, struct text *t, const struct codec_table *table,
                                 const void *view);
enum clause_weight short_prose_write_clause(const struct codec *c, struct text *t, const struct codec_table *table,
                                            const struct game_event *e, int count);

// Helpers for the games' files.
const char *short_prose_name(const struct codec_table *table, int seat); // "you" for the viewer
const char *short_prose_verb(const struct codec_table *table, int seat, const char *you, const char *other);
