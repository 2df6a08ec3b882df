// Arbitrary bytes behind the head of a table of Hold'em: it is refused, or every share can be read.
#include "games/texas_holdem/bots/blueprint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_page(const struct blueprint *b, int depth, const struct betting_tree *t, const struct betting_node *n)
{
    struct blueprint_page page;
    float share[BETTING_MOVES];
    blueprint_read(b, depth, t, n, &page);
    for (int bucket = 0; bucket < bucket_count(n->street); bucket++)
        if (blueprint_mix(&page, n->moves, bucket, share))
            assert(share[0] >= 0 && share[0] <= 1);
}

// A block is read from its beginning, so its last node needs all of it.
static void read_depth(const struct blueprint *b, int depth)
{
    static struct betting_tree tree;
    betting_plant(&tree, betting_depth[depth]);
    if (!blueprint_has(b, depth, &tree))
        return;
    for (uint32_t i = 0; i < tree.nodes; i++)
        if (i % BLUEPRINT_GROUP == BLUEPRINT_GROUP - 1 || i == tree.nodes - 1)
            read_page(b, depth, &tree, &tree.node[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct blueprint b;
    uint8_t *bytes = malloc(8 + size); // of this size, so that reading beyond it is seen
    if (!bytes)
        return 0;
    memcpy(bytes, "AGONHLD2", 8);
    if (size)
        memcpy(bytes + 8, data, size);
    if (blueprint_open(&b, bytes, 8 + size))
        for (int i = 0; i < BETTING_DEPTHS; i++)
            read_depth(&b, i);
    if (blueprint_open(&b, data, size))
        read_depth(&b, 0);
    free(bytes);
    return 0;
}
