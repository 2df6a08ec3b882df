#include "base/nearest.h"

#include <stdint.h>

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

// Optimal string alignment: Levenshtein plus swaps of neighbours, which are the most common slip of typists.
unsigned nearest_distance(struct span a, struct span b)
{
    uint8_t row[NEAREST_MAX_WORD + 1][NEAREST_MAX_WORD + 1];
    if (a.size > NEAREST_MAX_WORD || b.size > NEAREST_MAX_WORD)
        return NEAREST_FAR;
    for (size_t j = 0; j <= b.size; j++)
        row[0][j] = (uint8_t)j;
    for (size_t i = 1; i <= a.size; i++) {
        row[i][0] = (uint8_t)i;
        for (size_t j = 1; j <= b.size; j++) {
            unsigned replaced = row[i - 1][j - 1] + (a.at[i - 1] == b.at[j - 1] ? 0u : 1u);
            unsigned best = min(replaced, min(row[i - 1][j], row[i][j - 1]) + 1u);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
                best = min(best, row[i - 2][j - 2] + 1u);
            row[i][j] = (uint8_t)best;
        }
    }
    return row[a.size][b.size];
}

// A slip for every three letters is still the same word; in short words one.
static unsigned tolerance(const char *word)
{
    size_t size = strlen(word);
    return size < 3 ? 1 : (unsigned)(size + 2) / 3;
}

struct nearest nearest_to(const char *word)
{
    return (struct nearest){.word = word, .distance = tolerance(word) + 1};
}

static bool contains(struct span text, struct span part)
{
    for (size_t i = 0; i + part.size <= text.size; i++)
        if (memcmp(text.at + i, part.at, part.size) == 0)
            return true;
    return false;
}

void nearest_try(struct nearest *n, const char *known)
{
    enum { MIN_PART = 3 };
    struct span word = span_of(n->word);
    unsigned distance = nearest_distance(word, span_of(known));
    if (distance >= tolerance(n->word) && word.size >= MIN_PART && contains(span_of(known), word))
        distance = tolerance(n->word); // part of a word means the word unless another word is closer
    if (distance >= n->distance)
        return;
    n->best = known;
    n->distance = distance;
}
