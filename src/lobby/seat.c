// What fronts may ask about a seat.
#include "lobby/internal.h"

#include <assert.h>

struct lobby_seat *lobby_find_seat(struct lobby_agent *a, struct uuid session)
{
    for (struct lobby_seat *s = a->seats; s; s = s->next)
        if (uuid_equals(s->session, session))
            return s;
    return NULL;
}

// Prefetches the end of a growing list, which is NULL while empty.
static void prefetch_end(const void *list, size_t offset)
{
    if (list)
        __builtin_prefetch((const char *)list + offset, 1);
}

// Prefetches all lines at once: they are used within a microsecond, and few addresses depend on their contents.
static void prefetch_lines(const void *from, size_t size)
{
    for (size_t i = 0; i < size; i += 64)
        __builtin_prefetch((const char *)from + i, 1);
}

static void prefetch_match(const struct live_match *b)
{
    const struct history *h = &b->history;
    prefetch_lines(&b->record.created_ms, 96);
    prefetch_lines(b->seat, 2 * sizeof *b->seat);
    prefetch_lines(b->match, 64);
    prefetch_lines(&b->match->state, 512);
    prefetch_lines(&b->match->root, sizeof *b->match - offsetof(struct match, root));
    prefetch_end(h->entry, h->entries * sizeof *h->entry);
    prefetch_end(h->first, h->events * sizeof *h->first);
    prefetch_end(h->at_ms, h->events * sizeof *h->at_ms);
    prefetch_end(h->moment, h->moments * sizeof *h->moment);
    prefetch_end(b->log.at, b->log.size);
}

void lobby_fetch(const struct lobby_agent *a, int steps)
{
    if (steps > 1) {
        __builtin_prefetch(&a->seats);
        return;
    }
    const struct lobby_seat *s = a->seats;
    if (s && steps == 1)
        prefetch_lines(s, 128);
    if (!s || steps == 1)
        return;
    while (s->next) // to the newest, usually the only one
        s = s->next;
    if (s->live->match)
        prefetch_match(s->live);
}

struct lobby_seat *lobby_running_seat(const struct lobby_agent *a, const struct lobby_game *g)
{
    for (struct lobby_seat *s = a->seats; s; s = s->next)
        if (s->live->game == g && !s->live->over && !lobby_seat_is_dropped(s))
            return s;
    return NULL;
}

bool lobby_had_session(struct lobby *l, const struct lobby_agent *a, struct uuid session)
{
    struct store_match m;
    int seat;
    return store_find_session(l->store, session, &m, &seat) && uuid_equals(m.seat[seat].agent, a->record.id);
}

const struct lobby_game *lobby_seat_game(const struct lobby_seat *s)
{
    return s->live->game;
}

struct uuid lobby_seat_session(const struct lobby_seat *s)
{
    return s->session;
}

int lobby_seat_index(const struct lobby_seat *s)
{
    return s->index;
}

int lobby_seat_count(const struct lobby_seat *s)
{
    return s->live->record.seats;
}

const void *lobby_seat_rules(const struct lobby_seat *s)
{
    return s->live->match ? &s->live->match->rules : NULL;
}

void lobby_seat_view(const struct lobby_seat *s, union game_view *out)
{
    assert(s->live->match);
    game_of(s->live->game)->view(&s->live->match->state, s->index, out);
}

int lobby_seat_choices(const struct lobby_seat *s, struct game_choice out[GAME_MAX_CHOICES])
{
    return s->awaited ? game_of(s->live->game)->choices(&s->live->match->state, s->index, out) : 0;
}

bool lobby_seat_is_dropped(const struct lobby_seat *s)
{
    return s->live->record.seat[s->index].dropped;
}

bool lobby_seat_is_over(const struct lobby_seat *s)
{
    return s->live->over;
}

uint32_t lobby_seat_events(const struct lobby_seat *s)
{
    return s->live->history.events;
}

bool lobby_seat_event(const struct lobby_seat *s, uint32_t seq, struct match_event *out)
{
    return history_event(&s->live->history, seq, out);
}

struct span lobby_seat_log(const struct lobby_seat *s)
{
    return text_span(&s->live->log);
}

const struct store_match *lobby_seat_match(const struct lobby_seat *s)
{
    return &s->live->record;
}
