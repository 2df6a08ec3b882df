#include "games/texas_holdem/bots/blueprint.h"

#include "base/hash.h"
#include "solve/coder.h"

#include <string.h>

enum { RARE = 2, HINTS = 4, WHOLE = BLUEPRINT_WHOLE, VALUES = WHOLE + 1 };

static uint32_t read32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint32_t first_byte(void) // of the sections
{
    return BLUEPRINT_HEAD + sizeof(struct blueprint_facts);
}

bool blueprint_open(struct blueprint *b, const void *bytes, size_t size)
{
    const uint32_t first = first_byte();
    if (size < first || memcmp(bytes, "AGONHLD2", 8) != 0)
        return false;
    b->bytes = bytes;
    b->size = size;
    memcpy(&b->facts, b->bytes + BLUEPRINT_HEAD, sizeof b->facts);
    size_t end = first;
    for (int i = 0; i < BETTING_DEPTHS; i++) {
        const struct blueprint_section *s = &b->facts.section[i];
        if (s->at != end || s->size > size - end)
            return false;
        end += s->size;
    }
    return end == size;
}

bool blueprint_is_sound(const struct blueprint *b)
{
    return hash_bytes(b->bytes + first_byte(), b->size - first_byte()) == b->facts.hash;
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

// What a part is like: what is likely beside it.
enum hint { HINT_NONE, HINT_ZERO, HINT_SOME, HINT_ALL };

struct models {
    struct coder_bit known[2][2];
    struct coder_bit played[2][BETTING_MOVES][2][HINTS][HINTS][HINTS];
    struct coder_bit all[BETTING_MOVES][HINTS][HINTS];
    struct coder_bit first[VALUES], rest[VALUES][VALUES]; // of a mix, and by what is left
};

struct block {
    struct models models;
    struct blueprint_page page;
    struct blueprint_page earlier[4][2][BETTING_MOVES + 1]; // by street, whether there is a bet, and moves
};

static enum hint hint_of(const uint8_t *parts, int move)
{
    static const uint8_t none[BETTING_MOVES] = {0};
    if (!parts || memcmp(parts, none, sizeof none) == 0)
        return HINT_NONE;
    return parts[move] == 0 ? HINT_ZERO : parts[move] == WHOLE ? HINT_ALL : HINT_SOME;
}

// Buckets that play alike: one step of equity lower, and beside it.
struct beside {
    const uint8_t *lower, *near, *earlier;
};

static struct beside find_beside(const struct block *b, const struct betting_node *n, int bucket)
{
    int step = n->street == 0 ? 13 : n->street == 3 ? 2 : BUCKET_SPREADS;
    const struct blueprint_page *earlier = &b->earlier[n->street][n->move[0] == BETTING_FOLD][n->moves];
    return (struct beside){bucket >= step ? b->page.part[bucket - step] : NULL,
                           bucket ? b->page.part[bucket - 1] : NULL, earlier->part[bucket]};
}

static void code_parts(struct coder *c, struct models *m, const struct betting_node *n, struct beside near,
                       uint8_t part[BETTING_MOVES])
{
    int sum = 0;
    for (int i = 0; i < n->moves; i++) {
        enum hint lower = hint_of(near.lower, i), beside = hint_of(near.near, i), earlier = hint_of(near.earlier, i);
        bool last = i == n->moves - 1 && !sum;
        if (!last && !coder_code(c, &m->played[n->street == 0][n->move[i]][sum > 0][lower][beside][earlier], part[i])) {
            part[i] = 0;
            continue;
        }
        if (last || (!sum && coder_code(c, &m->all[n->move[i]][beside][lower], part[i] == WHOLE))) {
            part[i] = WHOLE;
            return;
        }
        int left = sum < WHOLE ? WHOLE - sum : 0;
        part[i] = (uint8_t)coder_number(c, sum ? m->rest[left] : m->first, 4, part[i]);
        sum += part[i];
    }
}

static void code_page(struct coder *c, struct block *b, const struct betting_node *n)
{
    for (int bucket = 0; bucket < bucket_count(n->street); bucket++) {
        uint8_t *part = b->page.part[bucket];
        struct beside near = find_beside(b, n, bucket);
        bool known = false;
        for (int i = 0; i < n->moves; i++)
            known |= part[i] > 0;
        if (!c->writes)
            memset(part, 0, BETTING_MOVES);
        if (coder_code(c, &b->models.known[hint_of(near.near, 0) != HINT_NONE][hint_of(near.earlier, 0) != HINT_NONE],
                       known))
            code_parts(c, &b->models, n, near, part);
    }
    b->earlier[n->street][n->move[0] == BETTING_FOLD][n->moves] = b->page;
}

static void begin_block(struct block *b)
{
    memset(b, 0, sizeof *b);
    coder_reset((struct coder_bit *)&b->models, sizeof b->models / sizeof(struct coder_bit));
}

static uint32_t groups_of(const struct betting_tree *t)
{
    return (t->nodes + BLUEPRINT_GROUP - 1) / BLUEPRINT_GROUP;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

bool blueprint_has(const struct blueprint *b, int depth, const struct betting_tree *t)
{
    const struct blueprint_section *s = &b->facts.section[depth];
    return s->finished && s->size >= 4 + 2 * groups_of(t) && read32(b->bytes + s->at) == t->slots;
}

void blueprint_read(const struct blueprint *b, int depth, const struct betting_tree *t, const struct betting_node *n,
                    struct blueprint_page *out)
{
    const struct blueprint_section *s = &b->facts.section[depth];
    const uint8_t *at = b->bytes + s->at + 4;
    uint32_t number = (uint32_t)(n - t->node), begin = 2 * groups_of(t), size = 0, room = s->size - 4;
    struct block block;
    struct coder c;
    for (uint32_t i = 0; i <= number / BLUEPRINT_GROUP; i++) {
        begin += size;
        size = at[2 * i] | (uint32_t)at[2 * i + 1] << 8;
    }
    begin = begin < room ? begin : room; // bytes may be anything
    begin_block(&block);
    coder_read(&c, at + begin, size < room - begin ? size : room - begin);
    for (uint32_t i = number / BLUEPRINT_GROUP * BLUEPRINT_GROUP; i <= number; i++)
        code_page(&c, &block, &t->node[i]);
    *out = block.page;
}

bool blueprint_mix(const struct blueprint_page *p, int moves, int bucket, float share[BETTING_MOVES])
{
    const uint8_t *part = p->part[bucket];
    int sum = 0;
    for (int i = 0; i < moves; i++)
        sum += part[i];
    for (int i = 0; i < moves; i++)
        share[i] = sum ? (float)part[i] / (float)sum : 0;
    return sum > 0;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

static void fill_page(struct blueprint_page *p, const struct betting_node *n, const uint8_t *slots)
{
    memset(p, 0, sizeof *p);
    for (int bucket = 0; bucket < bucket_count(n->street); bucket++) {
        const uint8_t *from = slots + n->slot + bucket * n->moves;
        int most = 0, played = 0;
        for (int i = 0; i < n->moves; i++)
            most = from[i] > most ? from[i] : most;
        for (int i = 0; i < n->moves; i++)
            if (from[i] > RARE || (most && from[i] == most))
                p->part[bucket][i] = from[i], played++;
        for (int i = 0; i < n->moves && played == 1; i++) // the only one is all there is
            p->part[bucket][i] = p->part[bucket][i] ? WHOLE : 0;
    }
}

void blueprint_pack(const struct betting_tree *t, const uint8_t *slots, struct text *out)
{
    size_t index = out->size + 4;
    uint32_t groups = groups_of(t);
    text_put(out, (struct span){(const char *)&t->slots, sizeof t->slots});
    for (uint32_t i = 0; i < 2 * groups; i++)
        text_put_char(out, 0);
    for (uint32_t group = 0; group < groups; group++) {
        size_t begin = out->size;
        struct block block;
        struct coder c;
        begin_block(&block);
        coder_write(&c, out);
        for (uint32_t i = group * BLUEPRINT_GROUP; i < t->nodes && i < (group + 1) * BLUEPRINT_GROUP; i++) {
            fill_page(&block.page, &t->node[i], slots);
            code_page(&c, &block, &t->node[i]);
        }
        coder_finish(&c);
        if (out->full)
            return;
        out->at[index + 2 * group] = (char)(out->size - begin);
        out->at[index + 2 * group + 1] = (char)((out->size - begin) >> 8);
    }
}
