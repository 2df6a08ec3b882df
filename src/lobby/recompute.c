#include "lobby/recompute.h"

#include "lobby/internal.h"
#include "lobby/rating_table.h"
#include "lobby/replayed.h"

#include <stdlib.h>

enum { PAGE = 64 };

// A new row keeps its latencies, which no replay tells.
static void keep_latency(void *owner, struct store_rating *r)
{
    struct store_rating old[LOBBY_GAMES];
    int count = store_ratings(owner, r->agent, old, LOBBY_GAMES);
    for (int i = 0; i < count; i++)
        if (strcmp(old[i].game, r->game) == 0)
            memcpy(r->latency, old[i].latency, sizeof r->latency);
}

// --- matches

static void count_habits(struct lobby *l, const struct replayed *replay)
{
    struct counts counts[GAME_MAX_SEATS];
    const struct store_match *m = &replay->match;
    const struct game_counters *c = replay->game->counters;
    if (c && counters_count(c, text_span(&replay->log), game_of(replay->game), m->key, counts) == OK)
        for (int i = 0; i < m->seats; i++)
            store_add_counts(lobby_store(l), m->seat[i].agent, m->game, m->finished_ms, &counts[i]);
}

static void replay_match(struct lobby *l, struct store_match *m, struct recompute_result *out)
{
    struct replayed replay;
    out->matches++;
    out->rated += m->rated;
    if (replayed_load(&replay, l, m->id) != OK) {
        out->damaged++;
        return;
    }
    memcpy(m->payoffs, replay.payoffs, (size_t)m->seats * sizeof *m->payoffs);
    count_habits(l, &replay);
    replayed_release(&replay);
}

static void count_match(struct lobby *l, struct rating_table *r, struct store_match *m, struct recompute_result *out)
{
    struct store_rating *row[STORE_SEATS];
    replay_match(l, m, out);
    rating_table_count(r, m, row);
    for (int i = 0; i < m->seats; i++)
        store_put_rating(lobby_store(l), row[i], m->rated ? m->id : (struct uuid){0});
}

// If a read failed, the ratings are wrong: without store_end_ratings nothing is written.
static bool commit_ratings(struct store *s, uint64_t unanswered)
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
    struct store_match *page = lobby_alloc(PAGE * sizeof *page);
    struct rating_table *r = rating_table_open(lobby_options_of(l)->damp_repeats, keep_latency, s);
    uint64_t after = 0;
    *out = (struct recompute_result){0};
    int count = store_list_ended(s, &after, page, PAGE);
    if (store_unanswered(s) == unanswered)
        store_begin_ratings(s);
    // S41: in the order of counting, since the clocks of several nodes cannot order matches.
    while (count > 0 && store_unanswered(s) == unanswered) {
        for (int i = 0; i < count; i++)
            count_match(l, r, &page[i], out);
        store_submit(s);
        count = store_list_ended(s, &after, page, PAGE);
    }
    out->kept = commit_ratings(s, unanswered);
    out->ratings = rating_table_size(r);
    free(page);
    rating_table_close(r);
}
