// Finds the known word that a misspelt one most likely means, for "did you mean 'rules'?".
//
//     struct nearest n = nearest_to("rulse");
//     nearest_try(&n, "random");
//     nearest_try(&n, "rules");
//     n.best is "rules"
#pragma once

#include "base/span.h"

struct nearest {
    const char *word;
    const char *best;  // one of the tried words; NULL: none is near enough
    unsigned distance; // of the best; a word must be closer than this to replace it
};

struct nearest nearest_to(const char *word);
void nearest_try(struct nearest *n, const char *known);

// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. NEAREST_FAR if one of
// them is longer than NEAREST_MAX_WORD.
enum { NEAREST_MAX_WORD = 40, NEAREST_FAR = 1000 };
unsigned nearest_distance(struct span a, struct span b);
