// The recording: records one after the other in blocks. A place is the number of bytes before it since the beginning,
// so that dropping an episode is moving the head; a record may lie across blocks.
#include "traj/traj.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BLOCK = 1 << 18, PIECE = 1 << 16, FIRST_PIECE = 1 << 14, PAGE = 4096 };

struct head { // before each record
    uint32_t size;
    uint32_t kind;
};

struct traj_keep {
    size_t most;
    uint64_t most_steps;
    char **block; // a ring of pointers
    size_t blocks;
    char *spare;
    uint64_t from, to; // places
    uint64_t steps, episodes;
    bool open; // an episode is being kept
    bool lost;
};

struct traj_keep *traj_keep_create(size_t bytes, uint64_t steps)
{
    struct traj_keep *k = calloc(1, sizeof *k);
    if (!k)
        abort();
    k->most = bytes;
    k->most_steps = steps;
    k->blocks = bytes / BLOCK + 2;
    k->block = calloc(k->blocks, sizeof *k->block);
    if (!k->block)
        abort();
    return k;
}

void traj_keep_destroy(struct traj_keep *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->blocks; i++)
        free(k->block[i]);
    free(k->block);
    free(k->spare);
    free(k);
}

static char *make_block(void)
{
    char *b = aligned_alloc(PAGE, BLOCK);
    if (!b)
        abort();
    return b;
}

struct traj_keep *traj_keep_copy(const struct traj_keep *k)
{
    struct traj_keep *copy = traj_keep_create(k->most, k->most_steps);
    char **blocks = copy->block;
    *copy = *k;
    copy->block = blocks;
    copy->spare = NULL;
    for (size_t i = 0; i < k->blocks; i++) {
        if (!k->block[i])
            continue;
        copy->block[i] = make_block();
        memcpy(copy->block[i], k->block[i], BLOCK);
    }
    return copy;
}

static char **block_at(const struct traj_keep *k, uint64_t place)
{
    return &k->block[place / BLOCK % k->blocks];
}

static void release_block(struct traj_keep *k, uint64_t place)
{
    char **b = block_at(k, place);
    if (k->spare)
        free(*b);
    else
        k->spare = *b;
    *b = NULL;
}

// A recording that grows gets its memory in pieces: touching it page by page costs several times as much. Who records
// little gets small ones.
static size_t piece_of(const struct traj_keep *k)
{
    return k->to < BLOCK ? FIRST_PIECE : PIECE;
}

static void append(struct traj_keep *k, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size) {
        char **b = block_at(k, k->to);
        if (!*b) {
            *b = k->spare ? k->spare : make_block();
            k->spare = NULL;
        }
        size_t piece = piece_of(k), left = piece - k->to % piece, part = size < left ? size : left, at = k->to % BLOCK;
        if (left == piece)
            madvise(*b + at, piece, MADV_POPULATE_WRITE); // older systems: page by page
        memcpy(*b + at, from, part);
        from += part;
        size -= part;
        k->to += part;
    }
}

static void copy_out(const struct traj_keep *k, uint64_t place, void *bytes, size_t size)
{
    char *to = bytes;
    while (size) {
        size_t at = place % BLOCK, part = size < BLOCK - at ? size : BLOCK - at;
        memcpy(to, *block_at(k, place) + at, part);
        to += part;
        size -= part;
        place += part;
    }
}

static struct head head_at(const struct traj_keep *k, uint64_t place)
{
    struct head h;
    copy_out(k, place, &h, sizeof h);
    return h;
}

static void move_head(struct traj_keep *k, uint64_t to)
{
    for (; k->from / BLOCK < to / BLOCK; k->from = (k->from / BLOCK + 1) * BLOCK)
        release_block(k, k->from);
    k->from = to;
}

// The oldest episode: from its reset up to the next one, or to the end.
static void drop_episode(struct traj_keep *k)
{
    uint64_t at = k->from;
    bool first = true;
    while (at < k->to) {
        struct head h = head_at(k, at);
        if (h.kind == TRAJ_RESET && !first)
            break;
        k->steps -= h.kind == TRAJ_STEP;
        first = false;
        at += sizeof h + h.size;
    }
    if (at == k->to) { // the running one
        k->open = false;
        k->lost = true;
    }
    k->episodes--;
    move_head(k, at);
}

void traj_keep_add(struct traj_keep *k, enum traj_kind kind, struct span json)
{
    struct head h = {(uint32_t)json.size, (uint32_t)kind};
    size_t size = sizeof h + json.size;
    if (kind == TRAJ_RESET) {
        k->open = true;
        k->lost = false;
    }
    while (k->open && k->episodes &&
           (k->to - k->from + size > k->most || k->steps + (kind == TRAJ_STEP) > k->most_steps)) {
        bool last = k->episodes == 1 && kind == TRAJ_RESET;
        drop_episode(k);
        if (last) // the old one had to go for the new one
            k->open = true, k->lost = false;
    }
    if (!k->open || size > k->most) {
        k->open = false;
        k->lost = true;
        return;
    }
    append(k, &h, sizeof h);
    append(k, json.at, json.size);
    k->steps += kind == TRAJ_STEP;
    k->episodes += kind == TRAJ_RESET;
}

void traj_keep_clear(struct traj_keep *k)
{
    while (k->episodes)
        drop_episode(k);
    k->open = k->lost = false;
}

size_t traj_keep_bytes(const struct traj_keep *k)
{
    return (size_t)(k->to - k->from);
}

uint64_t traj_keep_steps(const struct traj_keep *k)
{
    return k->steps;
}

uint64_t traj_keep_episodes(const struct traj_keep *k)
{
    return k->episodes;
}

bool traj_keep_lost(const struct traj_keep *k)
{
    return k->lost;
}

uint64_t traj_keep_first(const struct traj_keep *k)
{
    return k->from;
}

uint64_t traj_keep_place(const struct traj_keep *k)
{
    return k->to;
}

bool traj_keep_next(const struct traj_keep *k, uint64_t *at, struct text *out, enum traj_kind *kind)
{
    uint64_t place = *at < k->from ? k->from : *at;
    if (place >= k->to)
        return false;
    struct head h = head_at(k, place);
    out->size = 0;
    out->full = false;
    char *room = text_reserve(out, h.size);
    if (!room)
        return false;
    copy_out(k, place + sizeof h, room, h.size);
    *kind = (enum traj_kind)h.kind;
    *at = place + sizeof h + h.size;
    return true;
}
