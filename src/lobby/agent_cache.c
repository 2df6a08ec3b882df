// What must be known of an agent before it plays: ratings, matches begun within a day, meetings, and ends it has not
// received. Read before it comes online or is seated; then kept in memory and updated by what happens here. So neither
// an action nor a tick reads from the store (S5).
#include "lobby/agent_cache.h"

#include "lobby/scoring.h"

#include <stdlib.h>

enum { PAGE = 8, PAGES = 32 }; // pages of matches of one game that are searched for meetings

// --- ratings

static void reset_rating(struct lobby *l, struct lobby_agent *a, int game, const struct store_rating *rows, int count)
{
    struct agent_rating *r = &a->ratings[game];
    *r = (struct agent_rating){scoring_initial_rating(a->record.id, name_of(&l->o.games[game])), ++l->rating_reads};
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].game, name_of(&l->o.games[game])) == 0)
            r->row = rows[i];
}

static void set_ratings(struct lobby *l, struct lobby_agent *a, const struct store_rating *rows, int count)
{
    a->ratings = lobby_alloc((size_t)l->games * sizeof *a->ratings);
    for (int g = 0; g < l->games; g++)
        reset_rating(l, a, g, rows, count);
}

static void load_ratings(struct lobby *l, struct lobby_agent *a)
{
    // Room also for games that this server no longer offers.
    struct store_rating stored[LOBBY_GAMES * 2];
    uint64_t unanswered = store_unanswered(l->store);
    int count = store_ratings(l->store, a->record.id, stored, LOBBY_GAMES * 2);
    // Else another job was faster, or it is read again later.
    // A read without an answer returns as little as one that finds nothing: only the count tells (decision 040).
    if (!a->ratings && store_unanswered(l->store) == unanswered)
        set_ratings(l, a, stored, count);
}

bool agent_cache_knows_rating(const struct lobby_agent *a, int game)
{
    return a->ratings && a->ratings[game].row.version < STORE_NO_VERSION;
}

uint64_t agent_cache_rating_read(const struct lobby_agent *a, int game)
{
    return a->ratings ? a->ratings[game].read_no : 0;
}

void agent_cache_doubt_rating(struct lobby_agent *a, int game, uint64_t read_no)
{
    if (a->ratings && a->ratings[game].read_no == read_no)
        a->ratings[game].row.version = STORE_NO_VERSION;
}

void agent_cache_doubt_unread(struct lobby *l, struct lobby_agent *a)
{
    if (a->ratings)
        return;
    set_ratings(l, a, NULL, 0);
    for (int g = 0; g < l->games; g++)
        a->ratings[g].row.version = STORE_NO_VERSION;
}

bool agent_cache_reload_rating(struct lobby *l, struct lobby_agent *a, int game)
{
    struct store_rating stored[LOBBY_GAMES * 2];
    uint64_t unanswered = store_unanswered(l->store);
    int count = store_ratings(l->store, a->record.id, stored, LOBBY_GAMES * 2);
    if (store_unanswered(l->store) != unanswered)
        return false;
    if (!a->ratings)
        set_ratings(l, a, stored, count);
    else if (!agent_cache_knows_rating(a, game)) // else another job was faster, and results may have been counted since
        reset_rating(l, a, game, stored, count);
    return true;
}

struct store_rating *agents_rating(struct lobby *l, struct lobby_agent *a, int game)
{
    // Used while the store does not answer; nothing computed from it may be kept.
    static struct store_rating unknown;
    if (!a->ratings)
        load_ratings(l, a);
    return a->ratings ? &a->ratings[game].row : &unknown;
}

int64_t agents_last_over(struct lobby *l, struct lobby_agent *a)
{
    int64_t last = 0;
    for (int g = 0; g < l->games; g++) {
        int64_t at = agents_rating(l, a, g)->played_ms;
        last = at > last ? at : last;
    }
    return last;
}

// --- matches begun (F3.4)

static void add_start(struct lobby_agent *a, int64_t at_ms)
{
    struct agent_cache *d = &a->cache;
    if (d->starts == d->start_room) {
        d->start_room = d->start_room ? 2 * d->start_room : 8;
        d->start = lobby_realloc(d->start, d->start_room * sizeof *d->start);
    }
    d->start[d->starts++] = at_ms;
}

static bool counts_start(const struct lobby_seat *s, int64_t since_ms)
{
    const struct store_match *m = &s->live->record;
    return m->started_ms > since_ms && !m->seat[s->index].one_shot;
}

// Whether the list has as many starts in this millisecond as the agent's seats up to `last`.
static bool has_starts_until(const struct lobby_agent *a, const struct lobby_seat *last, int64_t since_ms)
{
    int64_t at_ms = last->live->record.started_ms;
    int missing = counts_start(last, since_ms);
    for (const struct lobby_seat *s = a->seats; s != last; s = s->next)
        missing += counts_start(s, since_ms) && s->live->record.started_ms == at_ms;
    for (uint32_t i = 0; i < a->cache.starts; i++)
        missing -= a->cache.start[i] == at_ms;
    return missing <= 0;
}

// Matches that began just now are in memory and may or may not be in the store yet. Puts become durable in order: if a
// finished match is there, so are the starts of its millisecond.
static void load_starts(struct lobby *l, struct lobby_agent *a)
{
    int64_t *at_ms = lobby_alloc(LOBBY_STARTS * sizeof *at_ms), since_ms = l->now_ms - LOBBY_DAY_MS;
    uint64_t unanswered = store_unanswered(l->store);
    int count = store_list_starts(l->store, a->record.id, since_ms, at_ms, LOBBY_STARTS);
    if (!a->cache.has_starts && store_unanswered(l->store) == unanswered) {
        // The store lists the newest first, the agent's list begins with the oldest.
        for (int i = count - 1; i >= 0; i--)
            add_start(a, at_ms[i]);
        for (const struct lobby_seat *s = a->seats; s; s = s->next)
            if (counts_start(s, since_ms) && !has_starts_until(a, s, since_ms))
                add_start(a, s->live->record.started_ms);
        a->cache.has_starts = true;
    }
    free(at_ms);
}

// Drops starts older than a day.
static void forget_old_starts(struct agent_cache *d, int64_t now_ms)
{
    uint32_t old = 0;
    while (old < d->starts && d->start[old] <= now_ms - LOBBY_DAY_MS)
        old++;
    if (old == 0)
        return;
    d->starts -= old;
    memmove(d->start, d->start + old, d->starts * sizeof *d->start);
}

void agent_cache_note_start(struct lobby_agent *a, int64_t at_ms)
{
    if (!a->cache.has_starts)
        return; // they are read later, from the store and the agent's seats
    // Only before the list would grow: old starts do no harm, since counting stops before them.
    if (a->cache.starts == a->cache.start_room)
        forget_old_starts(&a->cache, at_ms);
    add_start(a, at_ms);
}

void agent_cache_remove_start(struct lobby_agent *a, int64_t at_ms)
{
    struct agent_cache *d = &a->cache;
    uint32_t i = d->starts;
    while (i > 0 && d->start[i - 1] != at_ms)
        i--;
    if (i > 0)
        memmove(d->start + i - 1, d->start + i, (--d->starts - (i - 1)) * sizeof *d->start);
}

void agent_cache_reload_starts(struct lobby *l, struct lobby_agent *a)
{
    a->cache.has_starts = false;
    a->cache.starts = 0;
    load_starts(l, a);
}

int agent_cache_count_starts(struct lobby *l, struct lobby_agent *a, int64_t since_ms)
{
    if (!a->cache.has_starts)
        load_starts(l, a);
    uint32_t first = a->cache.starts;
    while (first > 0 && a->cache.start[first - 1] > since_ms)
        first--;
    return (int)(a->cache.starts - first);
}

// --- meetings (F7.9)

static bool has_meeting(const struct agent_cache *d, struct uuid match)
{
    for (uint32_t i = 0; i < d->meetings; i++)
        if (uuid_equals(d->meeting[i].match, match))
            return true;
    return false;
}

static void add_meetings(struct lobby_agent *a, const struct store_match *m)
{
    struct agent_cache *d = &a->cache;
    if (!m->rated || has_meeting(d, m->id))
        return;
    for (int i = 0; i < m->seats; i++) {
        if (uuid_equals(m->seat[i].agent, a->record.id))
            continue;
        if (d->meetings == d->meeting_room) {
            d->meeting_room = d->meeting_room ? 2 * d->meeting_room : 8;
            d->meeting = lobby_realloc(d->meeting, d->meeting_room * sizeof *d->meeting);
        }
        struct encounter *x = &d->meeting[d->meetings++];
        *x = (struct encounter){.match = m->id, .opponent = m->seat[i].agent, .at_ms = m->finished_ms};
        memcpy(x->game, m->game, sizeof x->game);
    }
}

static bool sits_there(const struct store_match *m, struct uuid agent)
{
    for (int i = 0; i < m->seats; i++)
        if (uuid_equals(m->seat[i].agent, agent))
            return true;
    return false;
}

// Reads each game separately, because F7.9 counts by game: many matches of one game must not hide those of another.
static void load_meetings_in(struct lobby *l, struct lobby_agent *a, const char *game, struct store_match *page)
{
    int total, count = PAGE;
    for (int p = 0; p < PAGES && count == PAGE; p++) {
        count = store_list_matches(l->store, game, &a->record.id, p * PAGE, page, PAGE, &total);
        for (int n = 0; n < count; n++)
            add_meetings(a, &page[n]);
        // Newest first: what follows is older still.
        if (count && page[count - 1].finished_ms <= l->now_ms - LOBBY_DAY_MS)
            break;
    }
}

static void load_meetings(struct lobby *l, struct lobby_agent *a)
{
    struct store_match *page = lobby_alloc(PAGE * sizeof *page);
    uint64_t unanswered = store_unanswered(l->store);
    for (int g = 0; g < l->games; g++)
        load_meetings_in(l, a, name_of(&l->o.games[g]), page);
    free(page);
    for (const struct live_match *o = l->finished; o;
         o = o->older) // matches that ended just now may not be in the store yet
        if (sits_there(&o->record, a->record.id))
            add_meetings(a, &o->record);
    a->cache.has_meetings = store_unanswered(l->store) == unanswered;
}

static void forget_old_meetings(struct agent_cache *d, int64_t now_ms)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->meetings; i++)
        if (d->meeting[i].at_ms > now_ms - LOBBY_DAY_MS)
            d->meeting[kept++] = d->meeting[i];
    d->meetings = kept;
}

void agent_cache_note_end(struct lobby_agent *a, const struct store_match *m)
{
    if (!a->cache.has_meetings)
        return;
    forget_old_meetings(&a->cache, m->finished_ms);
    add_meetings(a, m);
}

int agent_cache_count_meetings(struct lobby *l, struct lobby_agent *a, const struct store_match *m,
                               struct uuid opponent)
{
    int count = 1; // this match
    if (!a->cache.has_meetings)
        load_meetings(l, a);
    for (uint32_t i = 0; i < a->cache.meetings; i++) {
        const struct encounter *x = &a->cache.meeting[i];
        count += uuid_equals(x->opponent, opponent) && !uuid_equals(x->match, m->id) && strcmp(x->game, m->game) == 0 &&
                 x->at_ms > m->finished_ms - LOBBY_DAY_MS;
    }
    return count;
}

// --- loading

bool lobby_agent_load(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    uint64_t unanswered = store_unanswered(l->store);
    l->now_ms = now_ms;
    lobby_agent_hold(a);
    if (!a->ratings)
        load_ratings(l, a);
    if (!a->cache.has_starts)
        load_starts(l, a);
    if (l->o.damp_repeats && !a->cache.has_meetings)
        load_meetings(l, a);
    if (a->record.kind != STORE_HOUSE)
        results_load_missed(l, a, now_ms);
    lobby_agent_release(a);
    return store_unanswered(l->store) == unanswered;
}

void agent_cache_drop(struct lobby_agent *a)
{
    agent_cache_release(a);
    a->ratings = NULL;
    a->cache = (struct agent_cache){0};
}

void agent_cache_release(struct lobby_agent *a)
{
    free(a->ratings);
    free(a->cache.start);
    free(a->cache.meeting);
}
