// Arbitrary bytes behind the head of a table of Hold'em: it is refused, or every share can be read.
#include "games/texas_holdem/bots/blueprint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_depth(const struct blueprint *b, int depth)
{
    static struct betting_tree tree;
    float share[BETTING_MOVES];
    betting_plant(&tree, betting_depth[depth]);
    if (!blueprint_has(b, depth, tree.slots))
        return;
    for (uint32_t i = 0; i < tree.nodes; i++)
        for (int bucket = 0; bucket < bucket_count(tree.node[i].street); bucket++)
            if (blueprint_mix(b, depth, &tree.node[i], bucket, share))
                assert(share[0] >= 0 && share[0] <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct blueprint b;
    uint8_t *bytes = malloc(8 + size); // of this size, so that reading beyond it is seen
    if (!bytes)
        return 0;
    memcpy(bytes, "AGONHLDM", 8);
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
