// Moves in words: all that is legal in one line, "fold | call 200 | raise 400-10000", a line read back as an action,
// and why an action is not legal (M54, M55, M57). For whoever reads and writes prose; programs have JSON.
#pragma once

#include "codec/codec.h"

enum { MOVES_WORDS = 8, MOVES_WORD = 24, MOVES_LINE = 1024 };

// What somebody wrote: small letters; blanks, _ and - are the gaps between words (M54).
struct moves_said {
    char word[MOVES_WORDS][MOVES_WORD];
    int count, at; // at: of the first word behind the name of the move
};

// What a move may be called besides its type: "liar", "challenge".
struct moves_alias {
    const char *words, *type; // words without gaps: "allin"
};

// Each function may be NULL; moves.c says what holds then.
struct codec_moves {
    const char *examples;              // as JSON strings separated by ", ", for the description of a tool
    const struct moves_alias *aliases; // ended by NULL words; NULL: none
    // One choice; false, and nothing written: by its type and the values of its parameters.
    bool (*write_one)(struct text *t, const struct codec_table *table, const void *view, struct game_choice c);
    // All of them; false, and nothing written: one by one.
    bool (*write_all)(struct text *t, const struct codec_table *table, const void *view, const struct game_choice *list,
                      int count, const char *between);
    // Parameters, from what stands behind the name of the move, whose kind `a` has (0: there was no such name). False:
    // `why` has a clause, or is empty where the words say nothing at all.
    bool (*read)(const struct moves_said *s, const struct codec_table *table, const void *view, struct game_action *a,
                 struct text *why);
    // Why an action that can be read is not legal now: a clause. Nothing written: there is no more to say than that.
    void (*explain)(struct text *t, const struct codec_table *table, const void *view, struct game_action a);
};

void moves_write(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                 const struct game_choice *list, int count, const char *between);
// False: `why` has a clause, without a full stop. Whether the action is legal is not asked.
bool moves_read(const struct codec *c, struct span said, const struct codec_table *table, const void *view,
                struct game_action *a, struct text *why);
void moves_explain(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                   struct game_action a);

// For the files of the games.
int moves_number(const char *word, int *value);                                         // false: no whole number
int moves_seat(const struct moves_said *s, int at, const struct codec_table *table);    // "seat_2", "2": -1 for none
int moves_among(const char *word, const char *const *words, int count);                 // in small letters; -1: none
void moves_list(struct text *t, const char *head, const char *const *items, int count); // "steal (seat_1, seat_3)"
