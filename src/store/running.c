#include "store/running.h"

#include "base/hash.h"
#include "heap/heap.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256, FIRST_PIECES = 32, FIRST_LOG = 1024 };

static void *check_memory(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static size_t home_slot(const struct running *r, struct uuid id)
{
    return (size_t)hash_bytes(&id, sizeof id) & (r->slots - 1);
}

// The slot of the match, or the empty slot where it would be.
static size_t find_slot(const struct running *r, struct uuid id)
{
    size_t at = home_slot(r, id);
    while (r->slot[at] && !uuid_equals(r->slot[at]->id, id))
        at = (at + 1) & (r->slots - 1);
    return at;
}

static void grow_slots(struct running *r)
{
    struct running wide = {.slots = r->slots ? r->slots * 2 : FIRST_SLOTS};
    wide.slot = check_memory(calloc(wide.slots, sizeof(struct running_match *)));
    for (struct running_match *m = r->oldest; m; m = m->newer)
        wide.slot[find_slot(&wide, m->id)] = m;
    free(r->slot);
    r->slot = wide.slot;
    r->slots = wide.slots;
}

static void link_newest(struct running *r, struct running_match *m)
{
    m->older = r->newest;
    m->newer = NULL;
    *(r->newest ? &r->newest->newer : &r->oldest) = m;
    r->newest = m;
}

static void unlink_match(struct running *r, struct running_match *m)
{
    *(m->older ? &m->older->newer : &r->oldest) = m->newer;
    *(m->newer ? &m->newer->older : &r->newest) = m->older;
}

struct running_match *running_find(const struct running *r, struct uuid id)
{
    return r->slots ? r->slot[find_slot(r, id)] : NULL;
}

struct running_match *running_add(struct running *r, struct uuid id, int64_t row)
{
    if (r->count * 2 >= r->slots)
        grow_slots(r);
    struct running_match *m = check_memory(calloc(1, sizeof *m));
    m->id = id;
    m->row = row;
    r->slot[find_slot(r, id)] = m;
    r->count++;
    link_newest(r, m);
    return m;
}

void running_add_piece(struct running_match *m, int64_t piece)
{
    m->piece = heap_list_grow(m->piece, m->count, &m->room, FIRST_PIECES, sizeof *m->piece);
    m->piece[m->count++] = piece;
}

char *running_append_log(struct running_match *m, size_t size)
{
    if (!m->whole)
        return NULL;
    if (m->log_size + size > RUNNING_LOG_MAX) {
        free(m->log);
        m->log = NULL;
        m->log_size = m->log_room = 0;
        m->whole = false;
        return NULL;
    }
    if (m->log_size + size > m->log_room) {
        m->log_room = m->log_room ? m->log_room : FIRST_LOG;
        while (m->log_size + size > m->log_room)
            m->log_room *= 2;
        m->log = check_memory(realloc(m->log, m->log_room));
    }
    m->log_size += size;
    return m->log + m->log_size - size;
}

// Moves later entries up, so that no probe sequence is interrupted.
static void empty_slot(struct running *r, size_t hole)
{
    size_t mask = r->slots - 1;
    for (size_t at = (hole + 1) & mask; r->slot[at]; at = (at + 1) & mask) {
        size_t want = home_slot(r, r->slot[at]->id);
        if (((at - want) & mask) < ((at - hole) & mask))
            continue;
        r->slot[hole] = r->slot[at];
        hole = at;
    }
    r->slot[hole] = NULL;
}

void running_drop(struct running *r, struct running_match *m)
{
    empty_slot(r, find_slot(r, m->id));
    unlink_match(r, m);
    r->count--;
    free(m->piece);
    free(m->log);
    free(m);
}

void running_make_newest(struct running *r, struct running_match *m)
{
    unlink_match(r, m);
    link_newest(r, m);
}

void running_release(struct running *r)
{
    while (r->oldest)
        running_drop(r, r->oldest);
    free(r->slot);
    *r = (struct running){0};
}
