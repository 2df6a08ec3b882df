// How a match ends: results and ratings, and telling everybody (F7.2 to F7.9, F4.19, F8.6).
#include "lobby/agent_cache.h"
#include "lobby/scoring.h"
#include "work/work.h"

#include <assert.h>
#include <stdlib.h>

// --- ratings

// F7.2
static bool is_rated(const struct lobby *l, struct live_match *b)
{
    if (strcmp(b->record.mode, "ranked") != 0)
        return false;
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].agent || (b->seat[i].house && !l->o.rate_house) ||
            b->seat[i].agent->record.kind == STORE_GUEST) // guests can be created freely
            return false;
    owners_check(l, b);
    return !b->same_owner && !store_damages(l->store); // a rating that could not be read must not be overwritten
}

// F7.9. The match is over, so all its agents are in memory.
static int meetings_of(void *owner, int i, int k)
{
    const struct live_match *b = owner;
    return agent_cache_count_meetings(b->lobby, b->seat[i].agent, &b->record, b->record.seat[k].agent);
}

static struct store_grade grade_of(const struct store_rating *r)
{
    return r ? (struct store_grade){r->rating, r->deviation} : (struct store_grade){0};
}

// Nothing is known of an agent that could not be read, so the store refuses the result, and it is computed again (S41).
static struct store_rating *rating_of(struct lobby *l, struct lobby_agent *a, int game)
{
    struct store_rating *r = agents_rating(l, a, game);
    if (a->ratings)
        return r;
    agent_cache_doubt_unread(l, a);
    return &a->ratings[game].row;
}

// Updates everybody's rating in memory and copies it for the store.
static int update_ratings(struct lobby *l, struct live_match *b, struct store_rating *out, int64_t now_ms)
{
    struct store_rating *rating[GAME_MAX_SEATS] = {0};
    int game = lobby_game_index(l, b->game), count = 0;
    for (int i = 0; i < b->record.seats; i++) {
        rating[i] = b->seat[i].agent ? rating_of(l, b->seat[i].agent, game) : NULL;
        b->record.seat[i].before = grade_of(rating[i]);
    }
    if (b->record.rated && l->o.damp_repeats)
        scoring_rate_damped(rating, &b->record, meetings_of, b, now_ms);
    else if (b->record.rated)
        scoring_rate(rating, &b->record, now_ms);
    for (int i = 0; i < b->record.seats; i++) {
        if (!rating[i])
            continue;
        scoring_count(rating[i], (char)b->record.seat[i].result, now_ms);
        if (b->record.rated)
            b->record.seat[i].after = grade_of(rating[i]);
        for (int k = 0; k < STORE_LATENCY_BUCKETS; k++)
            rating[i]->latency[k] += b->seat[i].latency[k];
        out[count++] = *rating[i];
        b->seat[i].rating_read = agent_cache_rating_read(b->seat[i].agent, game);
        rating[i]->version++; // as the store will have it after the put
    }
    return count;
}

// Counts how everybody played, from the log as a replay would. Returns false if the game has no counters.
static bool count_habits(struct lobby *l, const struct live_match *b, struct counts out[GAME_MAX_SEATS])
{
    if (!b->game->counters ||
        counters_count(b->game->counters, text_span(&b->log), game_of(b->game), b->record.key, out) != OK)
        return false;
    work_count(l->o.work, (uint32_t)b->log.size / REPLAYED_PER_UNIT);
    return true;
}

// --- the end

static void send_over(struct lobby_seat *s, int64_t drop)
{
    const struct lobby_presence *p = s->agent ? turns_link(s) : NULL;
    if (!p)
        return;
    turns_notify(s, drop);
    p->link->on_over(p->client, s);
}

static void close_seats(struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++) {
        struct lobby_seat *s = &b->seat[i];
        turns_end(s);
        if (s->agent && !s->house && !b->record.seat[i].dropped)
            s->agent->active--;
        if (!s->agent || s->house) // no agent to be told
            b->record.seat[i].delivered = true;
    }
}

static void announce_end(struct lobby *l, struct live_match *b, int64_t drop, int64_t now_ms)
{
    live_match_retire(l, b, now_ms);
    for (int i = 0; i < b->record.seats; i++)
        send_over(&b->seat[i], drop);
    watch_schedule(l, b);
    for (int i = 0; i < l->listeners; i++)
        l->listener[i].call(l->listener[i].owner, &b->record);
    for (int i = 0; i < b->record.seats; i++)
        // Last, so that queue_joined comes after game_over (F2.13, row 7).
        if (b->seat[i].again && b->seat[i].agent)
            queue_again(l, b->seat[i].agent, b->game, b->by_request ? QUEUE_RANKED : b->record.mode, now_ms);
}

void results_finish(struct lobby *l, struct live_match *b, int64_t drop, int64_t now_ms)
{
    struct store_match *m = &b->record;
    const struct game *g = game_of(b->game);
    if (match_finish(b->match, m->key, !l->o.hide_keys) != OK) {
        results_cancel(l, b, now_ms);
        return;
    }
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    g->payoffs(&b->match->state, payoffs);
    memcpy(m->payoffs, payoffs, (size_t)m->seats * sizeof *payoffs);
    scoring_set_results(m);
    m->status = STORE_FINISHED;
    m->finished_ms = now_ms;
    m->events = b->history.events;
    m->swing = b->history.swing.total;
    m->largest_swing = b->history.swing.largest;
    m->rated = is_rated(l, b);
    close_seats(b);
    struct store_rating ratings[GAME_MAX_SEATS];
    int count = update_ratings(l, b, ratings, now_ms);
    struct span end = {b->log.at + b->stored, b->log.size - b->stored};
    b->ended = b->stored;
    struct store_entry closed;
    const struct store_entry *entry = deals_close_number(l, m, &closed);
    struct counts habits[GAME_MAX_SEATS];
    bool counted = count_habits(l, b, habits);
    b->ticket = store_finish_match(l->store, m, entry, now_ms, end, ratings, count, counted ? habits : NULL);
    b->stored = b->log.size;
    l->figures.matches_finished++;
    for (int i = 0; i < m->seats; i++)
        if (b->seat[i].agent)
            agent_cache_note_end(b->seat[i].agent, m);
    announce_end(l, b, drop, now_ms);
}

// --- a result refused because a rating was changed elsewhere (S41)

struct refused_result {
    struct lobby *lobby;
    struct live_match *live; // stays valid, since its ticket is not durable
    store_ticket refused;
};

// Checks all ratings at the end: the players have left the table, so while one is being read, another may be evicted.
static bool reload_ratings(struct lobby *l, struct live_match *b)
{
    int game = lobby_game_index(l, b->game);
    for (int i = 0; i < b->record.seats; i++)
        if (b->seat[i].agent && !agent_cache_knows_rating(b->seat[i].agent, game) &&
            !agent_cache_reload_rating(l, b->seat[i].agent, game))
            return false;
    for (int i = 0; i < b->record.seats; i++)
        if (b->seat[i].agent && !agent_cache_knows_rating(b->seat[i].agent, game))
            return false;
    return true;
}

static void run_recompute(void *arg)
{
    struct refused_result *x = arg;
    struct lobby *l = x->lobby;
    struct live_match *b = x->live;
    struct store_rating ratings[GAME_MAX_SEATS];
    bool known;
    while (!(known = reload_ratings(l, b)) && !l->closing && work_is_inside(l->o.work))
        work_wait_turn(l->o.work); // the store is away: a read waits for it
    if (known) {
        int count = update_ratings(l, b, ratings, b->record.finished_ms);
        struct span end = {b->log.at + b->ended, b->log.size - b->ended};
        struct counts habits[GAME_MAX_SEATS];
        bool counted = count_habits(l, b, habits);
        // Without an entry for the list of deals: that of the refused put counts (decision 040).
        b->ticket = store_finish_match(l->store, &b->record, NULL, b->record.finished_ms, end, ratings, count,
                                       counted ? habits : NULL);
        store_settle(l->store, x->refused, b->ticket);
    }
    free(x);
}

void results_recompute(struct lobby *l, const struct store_refusal *refused)
{
    struct live_match *b = live_match_find(l->finished, refused->match);
    assert(b);
    for (int i = 0; i < b->record.seats; i++)
        if (b->seat[i].agent)
            agent_cache_doubt_rating(b->seat[i].agent, lobby_game_index(l, b->game), b->seat[i].rating_read);
    struct refused_result *x = lobby_alloc(sizeof *x);
    *x = (struct refused_result){l, b, refused->ticket};
    work_start(l->o.work, run_recompute, x);
}

static void cancel_match(struct lobby *l, struct live_match *b, enum lobby_forfeit why, int64_t now_ms)
{
    struct store_match *m = &b->record;
    memset(m->payoffs, 0, sizeof m->payoffs);
    m->status = STORE_CANCELLED;
    m->is_draw = true;
    m->rated = false;
    m->winner = m->forfeited_by = -1;
    m->forfeit_reason = (uint8_t)why;
    m->finished_ms = now_ms;
    m->events = b->history.events;
    close_seats(b);
    struct store_entry closed;
    const struct store_entry *entry = deals_close_number(l, m, &closed);
    b->ticket = store_finish_match(l->store, m, entry, now_ms, (struct span){0}, NULL, 0, NULL);
    l->figures.matches_cancelled++;
    announce_end(l, b, -1, now_ms);
}

void results_cancel(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    cancel_match(l, b, LOBBY_STORAGE_FAILURE, now_ms);
}

int lobby_cancel_match(struct lobby *l, struct uuid match, int64_t now_ms)
{
    l->now_ms = now_ms;
    struct live_match *b = live_match_find(l->running, match);
    if (!b)
        return ERR_UNKNOWN;
    if (store_fault(l->store)[0])
        return ERR_STORAGE;
    cancel_match(l, b, LOBBY_NO_FORFEIT, now_ms);
    return OK;
}

const char *lobby_forfeit_name(int forfeit)
{
    static const char *const names[] = {[LOBBY_FORFEIT_DISCONNECT] = "disconnect",
                                        [LOBBY_FORFEIT_TIMEOUT] = "timeout",
                                        [LOBBY_FORFEIT_INVALID_ACTION] = "invalid_action",
                                        [LOBBY_STORAGE_FAILURE] = "storage_failure"};
    return forfeit >= 0 && forfeit <= LOBBY_STORAGE_FAILURE ? names[forfeit] : NULL;
}

// `call` NULL: the owner's callbacks are removed.
void lobby_on_match_end(struct lobby *l, void (*call)(void *owner, const struct store_match *m), void *owner)
{
    for (int i = l->listeners - 1; !call && i >= 0; i--)
        if (l->listener[i].owner == owner)
            l->listener[i] = l->listener[--l->listeners];
    if (call && l->listeners < LOBBY_LISTENERS)
        l->listener[l->listeners++] = (struct listener){call, owner};
}

// --- players who were offline

void lobby_delivered(struct lobby *l, struct lobby_seat *s)
{
    struct store_match *m = &s->live->record;
    if (!s->live->over || m->seat[s->index].delivered)
        return;
    m->seat[s->index].delivered = true;
    store_mark_delivered(l->store, m->id, s->index);
}

static bool is_in_memory(const struct lobby_agent *a, struct uuid match)
{
    for (const struct lobby_seat *s = a->seats; s; s = s->next)
        if (uuid_equals(s->live->record.id, match))
            return true;
    return false;
}

static void load_over(struct lobby *l, const struct lobby_agent *a, struct uuid match, int64_t now_ms)
{
    struct store_match stored;
    bool found = store_find_match(l->store, match, &stored);
    if (!found || stored.status == STORE_RUNNING || is_in_memory(a, match)) // another job may have loaded it meanwhile
        return;
    for (int i = 0; i < stored.seats; i++)
        lobby_agent_by_id(l, stored.seat[i].agent); // may suspend the job, so before anything is changed
    if (is_in_memory(a, match))
        return;
    const struct lobby_game *g = lobby_find_game(l, span_of(stored.game));
    struct live_match *b =
        live_match_create(l, g ? g : l->o.games); // if the game is no longer played here, the record is enough
    b->record = stored;
    live_match_take_seats(l, b);
    live_match_retire(l, b, now_ms);
}

void results_load_missed(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    struct uuid missed[LOBBY_UNDELIVERED];
    int count = store_list_undelivered(l->store, a->record.id, now_ms - LOBBY_OVERDUE_MS, missed, LOBBY_UNDELIVERED);
    for (int i = 0; i < count; i++)
        if (!is_in_memory(a, missed[i]))
            load_over(l, a, missed[i], now_ms);
}

void results_send_missed(struct lobby_agent *a, int64_t now_ms)
{
    int64_t since_ms = now_ms - LOBBY_OVERDUE_MS;
    for (struct lobby_seat *s = a->seats; s; s = s->next) {
        const struct store_match *m = &s->live->record;
        if (s->live->over && !m->seat[s->index].delivered && m->finished_ms >= since_ms)
            a->presence.link->on_over(a->presence.client, s);
    }
}
