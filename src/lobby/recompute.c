#include "lobby/recompute.h"

#include "base/hash.h"
#include "lobby/replayed.h"
#include "lobby/tally.h"

#include <stdlib.h>

enum { PAGE = 64, FIRST_ROWS = 1024 };

// Rows by agent and game: a table that doubles.
struct rows {
    struct store_rating *at;
    uint32_t *slot; // index + 1 by hash; 0: empty
    uint32_t count, room;
};

static void *demand(void *memory)
{
    if (!memory)
        abort(); // a command: nothing has been written yet
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

static void grow(struct rows *t)
{
    t->room = t->room ? 2 * t->room : FIRST_ROWS;
    t->at = demand(realloc(t->at, t->room * sizeof *t->at));
    free(t->slot);
    t->slot = demand(calloc(2 * (size_t)t->room, sizeof *t->slot));
    for (uint32_t i = 0; i < t->count; i++)
        t->slot[find_slot(t, t->at[i].agent, t->at[i].game)] = i + 1;
}

// A new row keeps what no replay tells.
static void keep_latency(struct store *s, struct store_rating *r)
{
    struct store_rating old[LOBBY_GAMES];
    int count = store_ratings(s, r->agent, old, LOBBY_GAMES);
    for (int i = 0; i < count; i++)
        if (strcmp(old[i].game, r->game) == 0)
            memcpy(r->latency, old[i].latency, sizeof r->latency);
}

static uint32_t find_row(struct rows *t, struct store *s, struct uuid agent, const char *game)
{
    if (t->count == t->room)
        grow(t);
    uint32_t slot = find_slot(t, agent, game);
    if (t->slot[slot])
        return t->slot[slot] - 1;
    t->at[t->count] = tally_start(agent, game);
    keep_latency(s, &t->at[t->count]);
    t->slot[slot] = ++t->count;
    return t->count - 1;
}

static void play_again(struct lobby *l, struct store_match *m, struct recompute_result *out)
{
    struct replayed past;
    out->matches++;
    out->rated += m->rated;
    if (replayed_load(&past, l, m->id) != OK) {
        out->damaged++;
        return;
    }
    memcpy(m->payoffs, past.payoffs, (size_t)m->seats * sizeof *m->payoffs);
    replayed_release(&past);
}

static void count_match(struct lobby *l, struct rows *t, struct store_match *m, struct recompute_result *out)
{
    struct store *s = lobby_store(l);
    struct store_rating *row[STORE_SEATS];
    uint32_t index[STORE_SEATS];
    play_again(l, m, out);
    for (int i = 0; i < m->seats; i++)
        index[i] = find_row(t, s, m->seat[i].agent, m->game);
    for (int i = 0; i < m->seats; i++)
        row[i] = &t->at[index[i]]; // the table no longer moves
    if (m->rated)
        tally_rate(row, m, m->finished_ms);
    for (int i = 0; i < m->seats; i++) {
        tally_count(row[i], (char)m->seat[i].result, m->finished_ms);
        store_put_rating(s, row[i], m->rated ? m->id : (struct uuid){0}, m->finished_ms);
    }
}

void recompute_ratings(struct lobby *l, struct recompute_result *out)
{
    struct store *s = lobby_store(l);
    struct store_match *page = demand(malloc(PAGE * sizeof *page));
    struct rows t = {0};
    int total = 0;
    *out = (struct recompute_result){0};
    store_list_matches(s, NULL, NULL, 0, page, 1, &total);
    store_begin_ratings(s);
    for (int end = total; end > 0;) { // the store tells newest first
        int from = end > PAGE ? end - PAGE : 0, ignored;
        int count = store_list_matches(s, NULL, NULL, from, page, end - from, &ignored);
        for (int i = count - 1; i >= 0; i--)
            count_match(l, &t, &page[i], out);
        store_submit(s);
        end = from;
    }
    store_end_ratings(s);
    store_submit(s);
    store_wait(s);
    out->ratings = t.count;
    free(page);
    free(t.at);
    free(t.slot);
}
