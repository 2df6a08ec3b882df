#include "lobby/rating_table.h"

#include "base/hash.h"
#include "lobby/internal.h"
#include "lobby/scoring.h"

#include <stdlib.h>

enum { FIRST_ROWS = 1024 };

// A hash table that doubles, by agent and game.
struct rows {
    struct store_rating *at;
    uint32_t *slot; // index + 1, by hash; 0: empty
    uint32_t count, room;
};

// Rated meetings of pairs in one game, in order of time. Each refers to the previous one of the same pair.
struct meeting {
    struct uuid pair[2]; // the smaller id first
    char game[sizeof((struct store_match *)0)->game];
    int64_t at_ms;
    uint32_t before; // index + 1; 0: none
};

struct meetings {
    struct meeting *at;
    uint32_t *slot; // index + 1 of the pair's last meeting, by hash; 0: empty
    uint32_t count, room;
};

struct rating_table {
    struct rows rows;
    struct meetings meetings;
    bool damped;
    rating_table_new *on_new;
    void *owner;
};

static void *check_memory(void *memory)
{
    if (!memory)
        abort(); // only commands use it, and nothing was written yet
    return memory;
}

static uint32_t find_slot(const struct rows *t, struct uuid agent, const char *game)
{
    uint32_t mask = 2 * t->room - 1, i = (uint32_t)(hash_bytes(&agent, sizeof agent) ^ hash_bytes(game, strlen(game)));
    for (i &= mask; t->slot[i]; i = (i + 1) & mask) {
        const struct store_rating *r = &t->at[t->slot[i] - 1];
        if (uuid_equals(r->agent, agent) && strcmp(r->game, game) == 0)
            break;
    }
    return i;
}

static void grow_rows(struct rows *t)
{
    t->room = t->room ? 2 * t->room : FIRST_ROWS;
    t->at = check_memory(realloc(t->at, t->room * sizeof *t->at));
    free(t->slot);
    t->slot = check_memory(calloc(2 * (size_t)t->room, sizeof *t->slot));
    for (uint32_t i = 0; i < t->count; i++)
        t->slot[find_slot(t, t->at[i].agent, t->at[i].game)] = i + 1;
}

static uint32_t find_row(struct rating_table *r, struct uuid agent, const char *game)
{
    struct rows *t = &r->rows;
    if (t->count == t->room)
        grow_rows(t);
    uint32_t slot = find_slot(t, agent, game);
    if (t->slot[slot])
        return t->slot[slot] - 1;
    t->at[t->count] = scoring_initial_rating(agent, game);
    if (r->on_new)
        r->on_new(r->owner, &t->at[t->count]);
    t->slot[slot] = ++t->count;
    return t->count - 1;
}

// --- repeated meetings (F7.9)

static struct meeting meeting_of(const struct store_match *m, int i, int k)
{
    struct uuid one = m->seat[i].agent, other = m->seat[k].agent;
    bool swap = memcmp(&one, &other, sizeof one) > 0;
    struct meeting x = {.pair = {swap ? other : one, swap ? one : other}, .at_ms = m->finished_ms};
    memcpy(x.game, m->game, sizeof x.game);
    return x;
}

static uint32_t *find_pair(const struct meetings *t, const struct meeting *x)
{
    uint32_t mask = 2 * t->room - 1;
    uint64_t hash = hash_bytes(x->pair, sizeof x->pair) ^ hash_bytes(x->game, strlen(x->game));
    for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
        const struct meeting *y = t->slot[i] ? &t->at[t->slot[i] - 1] : NULL;
        if (!y || (memcmp(x->pair, y->pair, sizeof x->pair) == 0 && strcmp(x->game, y->game) == 0))
            return &t->slot[i];
    }
}

static void grow_meetings(struct meetings *t)
{
    t->room = t->room ? 2 * t->room : FIRST_ROWS;
    t->at = check_memory(realloc(t->at, t->room * sizeof *t->at));
    free(t->slot);
    t->slot = check_memory(calloc(2 * (size_t)t->room, sizeof *t->slot));
    for (uint32_t i = 0; i < t->count; i++) // in order of time, so that the last meeting of a pair stays
        *find_pair(t, &t->at[i]) = i + 1;
}

static void note_meetings(struct meetings *t, const struct store_match *m)
{
    for (int i = 0; i < m->seats; i++)
        for (int k = 0; k < i; k++) {
            if (t->count == t->room)
                grow_meetings(t);
            struct meeting x = meeting_of(m, i, k);
            uint32_t *slot = find_pair(t, &x);
            x.before = *slot;
            t->at[t->count] = x;
            *slot = ++t->count;
        }
}

struct pairing {
    const struct meetings *meetings; // this match included
    const struct store_match *match;
};

static int meetings_of(void *owner, int i, int k)
{
    const struct pairing *p = owner;
    struct meeting x = meeting_of(p->match, i, k);
    int count = 0;
    for (uint32_t at = *find_pair(p->meetings, &x); at && p->meetings->at[at - 1].at_ms > x.at_ms - LOBBY_DAY_MS;
         at = p->meetings->at[at - 1].before)
        count++;
    return count;
}

// --- results

static void rate_match(struct rating_table *r, struct store_rating *const row[], const struct store_match *m)
{
    if (!r->damped) {
        scoring_rate(row, m, m->finished_ms);
        return;
    }
    note_meetings(&r->meetings, m);
    scoring_rate_damped(row, m, meetings_of, &(struct pairing){&r->meetings, m}, m->finished_ms);
}

void rating_table_count(struct rating_table *r, const struct store_match *m, struct store_rating *row[STORE_SEATS])
{
    uint32_t index[STORE_SEATS];
    for (int i = 0; i < m->seats; i++)
        index[i] = find_row(r, m->seat[i].agent, m->game);
    for (int i = 0; i < m->seats; i++)
        row[i] = &r->rows.at[index[i]]; // all rows exist now, so the table no longer moves
    if (m->rated)
        rate_match(r, row, m);
    for (int i = 0; i < m->seats; i++)
        scoring_count(row[i], (char)m->seat[i].result, m->finished_ms);
}

struct store_rating *rating_table_find(const struct rating_table *r, struct uuid agent, const char *game)
{
    uint32_t slot = r->rows.room ? r->rows.slot[find_slot(&r->rows, agent, game)] : 0;
    return slot ? &r->rows.at[slot - 1] : NULL;
}

uint32_t rating_table_size(const struct rating_table *r)
{
    return r->rows.count;
}

struct rating_table *rating_table_open(bool damped, rating_table_new *on_new, void *owner)
{
    struct rating_table *r = check_memory(calloc(1, sizeof *r));
    *r = (struct rating_table){.damped = damped, .on_new = on_new, .owner = owner};
    return r;
}

void rating_table_close(struct rating_table *r)
{
    free(r->rows.at);
    free(r->rows.slot);
    free(r->meetings.at);
    free(r->meetings.slot);
    free(r);
}
