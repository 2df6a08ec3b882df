#include "lobby/recompute.h"

#include "base/hash.h"
#include "lobby/inside.h"
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

// Meetings of pairs in rated matches of a game, in order of time: each knows the one before it of the same pair.
struct meeting {
    struct uuid pair[2]; // the smaller first
    char game[sizeof((struct store_match *)0)->game];
    int64_t at_ms;
    uint32_t before; // index + 1; 0: none
};

struct meetings {
    struct meeting *at;
    uint32_t *slot; // index + 1 of the pair's last one by hash; 0: empty
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
    t->at = demand(realloc(t->at, t->room * sizeof *t->at));
    free(t->slot);
    t->slot = demand(calloc(2 * (size_t)t->room, sizeof *t->slot));
    for (uint32_t i = 0; i < t->count; i++) // in order of time, so the last of a pair stays
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
    const struct meetings *past; // this match's own included
    const struct store_match *match;
};

static int meetings_of(void *owner, int i, int k)
{
    const struct pairing *p = owner;
    struct meeting x = meeting_of(p->match, i, k);
    int count = 0;
    for (uint32_t at = *find_pair(p->past, &x); at && p->past->at[at - 1].at_ms > x.at_ms - LOBBY_DAY_MS;
         at = p->past->at[at - 1].before)
        count++;
    return count;
}

// --- matches

static void count_habits(struct lobby *l, const struct replayed *past)
{
    struct counts counts[GAME_MAX_SEATS];
    const struct store_match *m = &past->match;
    const struct game_counters *c = past->game->counters;
    if (c && counters_count(c, text_span(&past->log), game_of(past->game), m->key, counts) == OK)
        for (int i = 0; i < m->seats; i++)
            store_add_counts(lobby_store(l), m->seat[i].agent, m->game, m->finished_ms, &counts[i]);
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
    count_habits(l, &past);
    replayed_release(&past);
}

static void rate(struct lobby *l, struct meetings *past, struct store_rating *const row[], const struct store_match *m)
{
    if (!lobby_options_of(l)->damp_repeats) {
        tally_rate(row, m, m->finished_ms);
        return;
    }
    note_meetings(past, m);
    tally_rate_damped(row, m, meetings_of, &(struct pairing){past, m}, m->finished_ms);
}

static void count_match(struct lobby *l, struct rows *t, struct meetings *past, struct store_match *m,
                        struct recompute_result *out)
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
        rate(l, past, row, m);
    for (int i = 0; i < m->seats; i++) {
        tally_count(row[i], (char)m->seat[i].result, m->finished_ms);
        store_put_rating(s, row[i], m->rated ? m->id : (struct uuid){0});
    }
}

// Of what was not read nothing may be computed: then nothing is ended, so nothing is written.
static bool keep(struct store *s, uint64_t unanswered)
{
    store_ticket durable = 0;
    if (store_unanswered(s) != unanswered)
        return false;
    store_end_ratings(s);
    store_submit(s);
    store_wait(s);
    return store_collect(s, &durable) == OK && durable >= store_last(s);
}

void recompute_ratings(struct lobby *l, struct recompute_result *out)
{
    struct store *s = lobby_store(l);
    uint64_t unanswered = store_unanswered(s);
    struct store_match *page = demand(malloc(PAGE * sizeof *page));
    struct rows t = {0};
    struct meetings past = {0};
    uint64_t after = 0;
    *out = (struct recompute_result){0};
    int count = store_list_ended(s, &after, page, PAGE);
    if (store_unanswered(s) == unanswered)
        store_begin_ratings(s);
    while (count > 0 && store_unanswered(s) == unanswered) { // S41: several nodes' clocks cannot order them
        for (int i = 0; i < count; i++)
            count_match(l, &t, &past, &page[i], out);
        store_submit(s);
        count = store_list_ended(s, &after, page, PAGE);
    }
    out->kept = keep(s, unanswered);
    out->ratings = t.count;
    free(page);
    free(t.at);
    free(t.slot);
    free(past.at);
    free(past.slot);
}
