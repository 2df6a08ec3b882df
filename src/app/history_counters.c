#include "app/history_counters.h"

#include "app/app.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 256, GAMES = 64 }; // FIRST_ROWS: a power of two, for the hash table

// Counters of an agent in one game: as the store has them, and as counted again from its matches.
struct row {
    struct uuid agent;
    bool is_stored, is_unknown;
    struct store_counters stored, counted; // `game` of both
};

struct history_counters {
    struct row *at;
    uint32_t *slot; // index + 1, by hash; 0: empty
    uint32_t count, room;
    char begun[GAMES][sizeof((struct store_counters *)0)->game]; // games whose counters have begun
    int games;
};

struct history_counters *history_counters_open(void)
{
    struct history_counters *h = calloc(1, sizeof *h);
    if (!h)
        app_die("no memory");
    return h;
}

void history_counters_close(struct history_counters *h)
{
    free(h->at);
    free(h->slot);
    free(h);
}

static uint32_t find_slot(const struct history_counters *h, struct uuid agent, const char *game)
{
    uint32_t mask = 2 * h->room - 1, i = (uint32_t)(hash_bytes(&agent, sizeof agent) ^ hash_bytes(game, strlen(game)));
    for (i &= mask; h->slot[i]; i = (i + 1) & mask) {
        const struct row *r = &h->at[h->slot[i] - 1];
        if (uuid_equals(r->agent, agent) && strcmp(r->stored.game, game) == 0)
            break;
    }
    return i;
}

static void grow_rows(struct history_counters *h)
{
    h->room = h->room ? 2 * h->room : FIRST_ROWS;
    h->at = realloc(h->at, h->room * sizeof *h->at);
    free(h->slot);
    h->slot = calloc(2 * (size_t)h->room, sizeof *h->slot);
    if (!h->at || !h->slot)
        app_die("no memory");
    for (uint32_t i = 0; i < h->count; i++)
        h->slot[find_slot(h, h->at[i].agent, h->at[i].stored.game)] = i + 1;
}

static struct row *find_row(const struct history_counters *h, struct uuid agent, const char *game)
{
    uint32_t index = h->room ? h->slot[find_slot(h, agent, game)] : 0;
    return index ? &h->at[index - 1] : NULL;
}

static struct row *get_row(struct history_counters *h, struct uuid agent, const char *game)
{
    if (h->count == h->room)
        grow_rows(h);
    uint32_t slot = find_slot(h, agent, game);
    if (!h->slot[slot]) {
        struct row *r = &h->at[h->count++];
        *r = (struct row){.agent = agent};
        snprintf(r->stored.game, sizeof r->stored.game, "%s", game);
        h->slot[slot] = h->count;
    }
    return &h->at[h->slot[slot] - 1];
}

void history_counters_add_stored(struct history_counters *h, struct uuid agent, const struct store_counters *stored)
{
    struct row *r = get_row(h, agent, stored->game);
    r->is_stored = true;
    r->stored = *stored;
}

static bool has_begun(struct history_counters *h, const struct store_match *m)
{
    bool begins = false;
    for (int i = 0; i < h->games; i++)
        if (strcmp(h->begun[i], m->game) == 0)
            return true;
    for (int i = 0; i < m->seats; i++) {
        const struct row *r = find_row(h, m->seat[i].agent, m->game);
        begins |= r && r->is_stored && r->stored.since_ms == m->finished_ms;
    }
    if (begins && h->games < GAMES)
        snprintf(h->begun[h->games++], sizeof *h->begun, "%s", m->game);
    return begins;
}

static void add_counts(struct store_counters *to, const struct counts *counts, int64_t at_ms)
{
    to->since_ms = to->matches++ ? to->since_ms : at_ms;
    for (int i = 0; i < COUNTERS_MAX; i++) {
        to->counts.at[i].n += counts->at[i].n;
        to->counts.at[i].of += counts->at[i].of;
        to->counts.at[i].squares += counts->at[i].squares;
    }
}

void history_counters_count(struct history_counters *h, const struct replayed *past)
{
    struct counts counts[GAME_MAX_SEATS];
    const struct store_match *m = &past->match;
    const struct lobby_game *g = past->game;
    if (!g->counters || !has_begun(h, m) ||
        counters_count(g->counters, text_span(&past->log), g->codec->game, m->key, counts) != OK)
        return;
    for (int i = 0; i < m->seats; i++)
        add_counts(&get_row(h, m->seat[i].agent, m->game)->counted, &counts[i], m->finished_ms);
}

void history_counters_skip(struct history_counters *h, const struct store_match *m)
{
    for (int i = 0; i < m->seats; i++)
        get_row(h, m->seat[i].agent, m->game)->is_unknown = true;
}

static bool is_same(const struct store_counters *a, const struct store_counters *b)
{
    bool same = a->matches == b->matches && a->since_ms == b->since_ms;
    for (int i = 0; i < COUNTERS_MAX; i++)
        same &= count_equals(&a->counts.at[i], &b->counts.at[i]);
    return same;
}

static void compare_row(const struct row *r, history_counters_report *tell, void *owner)
{
    const struct store_counters *a = &r->stored, *b = &r->counted;
    char text[256];
    int i = 0;
    while (i < COUNTERS_MAX - 1 && count_equals(&a->counts.at[i], &b->counts.at[i]))
        i++;
    if (!r->is_stored)
        snprintf(text, sizeof text, "nothing is counted of how it plays, and %u matches are stored", b->matches);
    else if (a->matches != b->matches || a->since_ms != b->since_ms)
        snprintf(text, sizeof text,
                 "how it plays is counted over %u matches from %jd on, and the logs tell of %u from %jd on", a->matches,
                 (intmax_t)a->since_ms, b->matches, (intmax_t)b->since_ms);
    else
        snprintf(text, sizeof text,
                 "count %d of how it plays is %jd of %jd (%.17g), and the logs make it %jd of %jd (%.17g)", i,
                 (intmax_t)a->counts.at[i].n, (intmax_t)a->counts.at[i].of, a->counts.at[i].squares,
                 (intmax_t)b->counts.at[i].n, (intmax_t)b->counts.at[i].of, b->counts.at[i].squares);
    tell(owner, r->agent, a->game, text);
}

void history_counters_compare(const struct history_counters *h, history_counters_report *tell, void *owner)
{
    for (uint32_t i = 0; i < h->count; i++)
        if (!h->at[i].is_unknown && !is_same(&h->at[i].stored, &h->at[i].counted))
            compare_row(&h->at[i], tell, owner);
}
