#include "games/texas_holdem/bots/blueprint.h"

#include <string.h>

enum { RARE = 2 }; // fifteenths that are left out: what is rare is mostly not learnt to its end

bool blueprint_open(struct blueprint *b, const void *bytes, size_t size)
{
    const uint32_t first = BLUEPRINT_HEAD + sizeof b->facts;
    if (size < first || memcmp(bytes, "AGONHLDM", 8) != 0)
        return false;
    b->bytes = bytes;
    b->size = size;
    memcpy(&b->facts, b->bytes + BLUEPRINT_HEAD, sizeof b->facts);
    for (int i = 0; i < BETTING_DEPTHS; i++) {
        const struct blueprint_section *s = &b->facts.section[i];
        if (s->at < first || s->at > size || s->size > size - s->at)
            return false;
    }
    return true;
}

bool blueprint_has(const struct blueprint *b, int depth, uint32_t slots)
{
    const struct blueprint_section *s = &b->facts.section[depth];
    return s->finished && s->size == (slots + 1) / 2;
}

bool blueprint_mix(const struct blueprint *b, int depth, const struct betting_node *n, int bucket,
                   float share[BETTING_MOVES])
{
    const uint8_t *at = b->bytes + b->facts.section[depth].at;
    uint32_t slot = n->slot + (uint32_t)(bucket * n->moves);
    int sum = 0, most = 0, nibble[BETTING_MOVES];
    for (int i = 0; i < n->moves; i++, slot++) {
        nibble[i] = at[slot / 2] >> (slot % 2 * 4) & 15;
        most = nibble[i] > most ? nibble[i] : most;
    }
    for (int i = 0; i < n->moves; i++) {
        nibble[i] = nibble[i] > RARE || nibble[i] == most ? nibble[i] : 0;
        sum += nibble[i];
    }
    for (int i = 0; i < n->moves; i++)
        share[i] = sum ? (float)nibble[i] / (float)sum : 0;
    return sum > 0;
}
