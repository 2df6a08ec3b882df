// The known word that a misspelt one most likely meant, for "did you mean 'rules'?".
//
//     struct nearest n = nearest_to("rulse");
//     nearest_try(&n, "random");
//     nearest_try(&n, "rules");
//     n.best is "rules"
#pragma once

#include "base/span.h"

struct nearest {
    const char *word;
    const char *best;  // one of the tried words, borrowed; NULL: none is near enough
    unsigned distance; // of the best; a word must come closer than this to replace it
};

struct nearest nearest_to(const char *word);
void nearest_try(struct nearest *n, const char *known);

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. NEAREST_FAR when one of them is
// longer than NEAREST_MAX_WORD: nobody misspells such a word by a letter.
enum { NEAREST_MAX_WORD = 40, NEAREST_FAR = 1000 };
unsigned nearest_distance(struct span a, struct span b);
