// Moves in words: all legal moves in one line, "fold | call 200 | raise 400-10000", a line parsed as an action, and why
// an action is illegal (M54, M55, M57). For clients that read and write prose; programs use JSON.
#pragma once

#include "codec/codec.h"

enum { MOVES_WORDS = 8, MOVES_WORD = 24, MOVES_LINE = 1024 };

// A text from a client: lower case; blanks, _ and - separate words (M54).
struct moves_said {
    char word[MOVES_WORDS][MOVES_WORD];
    int count, at; // at: index of the first word after the name of the move
};

// Another name of a move besides its type: "liar", "challenge".
struct moves_alias {
    const char *words, *type; // words without separators: "allin"
};

// Each function may be NULL; moves.c has the defaults.
struct codec_moves {
    const char *examples;              // as JSON strings separated by ", ", for the description of a tool
    const struct moves_alias *aliases; // ends with NULL words; NULL: none
    // Writes one choice. Returns false, without writing, to use its type and the values of its parameters.
    bool (*write_one)(struct text *t, const struct codec_table *table, const void *view, struct game_choice c);
    // Writes all choices. Returns false, without writing, to write them one by one.
    bool (*write_all)(struct text *t, const struct codec_table *table, const void *view, const struct game_choice *list,
                      int count, const char *between);
    // Reads parameters from the words after the name of the move, whose kind `a` has (0: no such name). Returns false
    // and sets `why` to a clause, or to nothing if the words are meaningless.
    bool (*read)(const struct moves_said *s, const struct codec_table *table, const void *view, struct game_action *a,
                 struct text *why);
    // Why a readable action is not legal now: a clause. Writes nothing if there is no special reason.
    void (*explain)(struct text *t, const struct codec_table *table, const void *view, struct game_action a);
};

void moves_write(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                 const struct game_choice *list, int count, const char *between);
// Returns false and sets `why` to a clause without a full stop. Does not check whether the action is legal.
bool moves_read(const struct codec *c, struct span said, const struct codec_table *table, const void *view,
                struct game_action *a, struct text *why);
void moves_explain(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                   struct game_action a);

// Helpers for the games' files.
int moves_number(const char *word, int *value);                                         // false: not a whole number
int moves_seat(const struct moves_said *s, int at, const struct codec_table *table);    // "seat_2", "2"; -1: none
int moves_among(const char *word, const char *const *words, int count);                 // in lower case; -1: none
void moves_list(struct text *t, const char *head, const char *const *items, int count); // "steal (seat_1, seat_3)"
