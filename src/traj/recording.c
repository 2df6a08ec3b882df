// The recording: records one after the other in blocks. A place is the number of bytes before it since the beginning,
// so that dropping an episode is moving the head; a record may lie across blocks.
//
// A copy shares the blocks. That is safe because a recording only writes behind its last record, where no copy reads.
// Copying the bytes instead took the loop 70 ms for 25 MB of fresh memory.
#include "traj/traj.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/queue.h>

enum {
    BLOCK = 1 << 18,
    PIECE = 1 << 16,       // of a block, populated at once (append_bytes)
    FIRST_PIECE = 1 << 14, // likewise in the first block
    PAGE = 4096,
    SPARES = 4,
};

struct head { // before each record
    uint32_t size;
    uint32_t kind;
};

struct block {
    char *bytes;
    unsigned users; // the recording and its copies
    SLIST_ENTRY(block) next;
};

struct traj_pool {
    size_t blocks, most;       // allocated, spare ones included
    SLIST_HEAD(, block) spare; // so that a recording at its ceiling does not allocate
    size_t spares;
    LIST_HEAD(, traj_recording) recordings; // without copies
};

struct traj_recording {
    struct traj_pool *pool;
    LIST_ENTRY(traj_recording) link; // in the list of the pool; not of a copy
    bool is_copy;
    size_t most; // bytes, and steps: beyond them old episodes go
    uint64_t most_steps;
    struct block **block; // a ring of pointers
    size_t blocks;        // room of the ring: one more than fit at any place, and one that begins
    uint64_t from, to;    // places
    uint64_t steps, episodes;
    bool open; // an episode is being kept
    bool lost; // the running episode did not fit: nothing is kept until the next one begins
};

// --- blocks

struct traj_pool *traj_pool_create(size_t bytes)
{
    struct traj_pool *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->most = bytes / BLOCK;
    SLIST_INIT(&p->spare);
    LIST_INIT(&p->recordings);
    return p;
}

static void block_destroy(struct traj_pool *p, struct block *b)
{
    p->blocks--;
    free(b->bytes);
    free(b);
}

void traj_pool_destroy(struct traj_pool *p)
{
    if (!p)
        return;
    for (struct block *b; (b = SLIST_FIRST(&p->spare));) {
        SLIST_REMOVE_HEAD(&p->spare, next);
        block_destroy(p, b);
    }
    assert(p->blocks == 0);
    free(p);
}

size_t traj_pool_bytes(const struct traj_pool *p)
{
    return p->blocks * BLOCK;
}

static struct block *block_take(struct traj_pool *p)
{
    struct block *b = SLIST_FIRST(&p->spare);
    if (b) {
        SLIST_REMOVE_HEAD(&p->spare, next);
        p->spares--;
    } else {
        b = malloc(sizeof *b);
        if (!b || !(b->bytes = aligned_alloc(PAGE, BLOCK)))
            abort();
        p->blocks++;
    }
    b->users = 1;
    return b;
}

static void block_leave(struct traj_pool *p, struct block *b)
{
    if (--b->users)
        return;
    if (p->spares == SPARES) {
        block_destroy(p, b);
        return;
    }
    SLIST_INSERT_HEAD(&p->spare, b, next);
    p->spares++;
}

// --- life

static struct traj_recording *allocate_recording(struct traj_pool *pool, size_t bytes, uint64_t steps)
{
    struct traj_recording *k = calloc(1, sizeof *k);
    if (!k)
        abort();
    k->pool = pool;
    k->most = bytes;
    k->most_steps = steps;
    k->blocks = bytes / BLOCK + 2;
    k->block = calloc(k->blocks, sizeof *k->block);
    if (!k->block)
        abort();
    return k;
}

struct traj_recording *traj_recording_create(struct traj_pool *pool, size_t bytes, uint64_t steps)
{
    struct traj_recording *k = allocate_recording(pool, bytes, steps);
    LIST_INSERT_HEAD(&pool->recordings, k, link);
    return k;
}

struct traj_recording *traj_recording_copy(const struct traj_recording *k)
{
    struct traj_recording *copy = allocate_recording(k->pool, k->most, k->most_steps);
    copy->is_copy = true;
    copy->from = k->from;
    copy->to = k->to;
    copy->steps = k->steps;
    copy->episodes = k->episodes;
    copy->open = k->open;
    copy->lost = k->lost;
    for (size_t i = 0; i < k->blocks; i++)
        if ((copy->block[i] = k->block[i]))
            copy->block[i]->users++;
    return copy;
}

void traj_recording_destroy(struct traj_recording *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->blocks; i++)
        if (k->block[i])
            block_leave(k->pool, k->block[i]);
    if (!k->is_copy)
        LIST_REMOVE(k, link);
    free(k->block);
    free(k);
}

// --- places

static struct block **block_at(const struct traj_recording *k, uint64_t place)
{
    return &k->block[place / BLOCK % k->blocks];
}

static void release_block(struct traj_recording *k, uint64_t place)
{
    struct block **b = block_at(k, place);
    if (*b)
        block_leave(k->pool, *b);
    *b = NULL;
}

// Memory is populated in pieces: touching it page by page costs several times as much. Short recordings get small
// pieces.
static void append_bytes(struct traj_recording *k, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size) {
        struct block **b = block_at(k, k->to);
        if (!*b)
            *b = block_take(k->pool);
        size_t piece = k->to < BLOCK ? FIRST_PIECE : PIECE, left = piece - k->to % piece,
               part = size < left ? size : left;
        char *to = (*b)->bytes + k->to % BLOCK;
        if (left == piece)
            madvise(to, piece, MADV_POPULATE_WRITE); // older systems: page by page
        memcpy(to, from, part);
        from += part;
        size -= part;
        k->to += part;
    }
}

static void copy_out(const struct traj_recording *k, uint64_t place, void *bytes, size_t size)
{
    char *to = bytes;
    while (size) {
        size_t at = place % BLOCK, part = size < BLOCK - at ? size : BLOCK - at;
        memcpy(to, (*block_at(k, place))->bytes + at, part);
        to += part;
        size -= part;
        place += part;
    }
}

static struct head head_at(const struct traj_recording *k, uint64_t place)
{
    struct head h;
    copy_out(k, place, &h, sizeof h);
    return h;
}

// An empty recording holds no block: the next record begins one.
static void move_head(struct traj_recording *k, uint64_t to)
{
    for (; k->from / BLOCK < to / BLOCK; k->from = (k->from / BLOCK + 1) * BLOCK)
        release_block(k, k->from);
    k->from = to;
    if (k->from < k->to || k->to % BLOCK == 0)
        return;
    release_block(k, k->to);
    k->from = k->to = (k->to / BLOCK + 1) * BLOCK;
}

// Drops the oldest episode: from its reset to the next one, or to the end.
static void drop_episode(struct traj_recording *k)
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

// --- ceilings

static bool is_over(const struct traj_recording *k, enum traj_kind kind, size_t size)
{
    return k->to - k->from + size > k->most || k->steps + (kind == TRAJ_STEP) > k->most_steps;
}

static bool has_pool_room(const struct traj_recording *k, size_t size)
{
    const struct traj_pool *p = k->pool;
    size_t wanted = (size_t)((k->to + size - 1) / BLOCK - k->to / BLOCK) + (*block_at(k, k->to) == NULL);
    return wanted <= p->most - p->blocks + p->spares;
}

static struct traj_recording *find_largest(const struct traj_pool *p)
{
    struct traj_recording *found = NULL, *k;
    LIST_FOREACH(k, &p->recordings, link)
        if (k->episodes && (!found || traj_recording_bytes(k) > traj_recording_bytes(found)))
            found = k;
    return found;
}

// Drops old episodes until a record fits: its own when it is over its ceiling, those of the largest when all are.
static void make_room(struct traj_recording *k, enum traj_kind kind, size_t size)
{
    while (k->open) {
        struct traj_recording *from = is_over(k, kind, size)   ? k
                                      : has_pool_room(k, size) ? NULL
                                                               : find_largest(k->pool);
        if (!from || !from->episodes)
            return;
        drop_episode(from);
        if (from == k && kind == TRAJ_RESET) // the old one had to go for the new one
            k->open = true, k->lost = false;
    }
}

void traj_recording_add(struct traj_recording *k, enum traj_kind kind, struct span json)
{
    struct head h = {(uint32_t)json.size, (uint32_t)kind};
    size_t size = sizeof h + json.size;
    assert(!k->is_copy);
    if (kind == TRAJ_RESET) {
        k->open = true;
        k->lost = false;
    }
    make_room(k, kind, size);
    if (!k->open || is_over(k, kind, size) || !has_pool_room(k, size)) {
        k->open = false;
        k->lost = true;
        return;
    }
    append_bytes(k, &h, sizeof h);
    append_bytes(k, json.at, json.size);
    k->steps += kind == TRAJ_STEP;
    k->episodes += kind == TRAJ_RESET;
}

void traj_recording_clear(struct traj_recording *k)
{
    while (k->episodes)
        drop_episode(k);
    k->open = k->lost = false;
}

size_t traj_recording_bytes(const struct traj_recording *k)
{
    return (size_t)(k->to - k->from);
}

uint64_t traj_recording_steps(const struct traj_recording *k)
{
    return k->steps;
}

uint64_t traj_recording_episodes(const struct traj_recording *k)
{
    return k->episodes;
}

bool traj_recording_is_lost(const struct traj_recording *k)
{
    return k->lost;
}

uint64_t traj_recording_first(const struct traj_recording *k)
{
    return k->from;
}

uint64_t traj_recording_end(const struct traj_recording *k)
{
    return k->to;
}

bool traj_recording_next(const struct traj_recording *k, uint64_t *at, struct text *out, enum traj_kind *kind)
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
