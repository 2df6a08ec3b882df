#include "lobby/internal.h"

#include <stdlib.h>

static void *make_room(void *at, uint32_t used, uint32_t *room, uint32_t more, size_t size)
{
    if (used + more <= *room)
        return at;
    uint32_t wanted = *room ? *room : 16;
    while (wanted < used + more)
        wanted *= 2;
    *room = wanted;
    return lobby_realloc(at, wanted * size);
}

static void add_event(struct history *h, const struct game_event *e, uint32_t count, int64_t at_ms)
{
    h->entry = make_room(h->entry, h->entries, &h->entry_room, count, sizeof *h->entry);
    // at_ms and first grow together and share event_room, which only the second call may update.
    uint32_t room = h->event_room;
    h->at_ms = make_room(h->at_ms, h->events, &room, 2, sizeof *h->at_ms);
    h->first = make_room(h->first, h->events, &h->event_room, 2, sizeof *h->first);
    memcpy(&h->entry[h->entries], e, count * sizeof *e);
    h->first[h->events] = h->entries;
    h->at_ms[h->events] = at_ms;
    h->entries += count;
    h->first[++h->events] = h->entries;
}

void history_add(struct history *h, const struct lobby_game *g, const struct game_events *happened, int64_t at_ms,
                 size_t log_end)
{
    for (uint32_t i = 0, count; i < happened->count; i += count) {
        const struct game_event *e = &happened->at[i];
        count = (uint32_t)codec_event_parts(e, happened->count - i);
        if (!g->is_public || g->is_public(e))
            add_event(h, e, count, at_ms);
    }
    h->moment = make_room(h->moment, h->moments, &h->moment_room, 1, sizeof *h->moment);
    h->moment[h->moments++] = (struct moment){.at_ms = at_ms, .end = (uint32_t)log_end, .events = h->events};
}

void history_note_swing(struct history *h, const struct lobby_game *g, const void *state, int seats)
{
    if (!g->chances)
        return;
    swing_note(&h->swing, game_of(g), g->chances, state, seats);
    h->moment[h->moments - 1].swing = h->swing.total;
}

bool history_event(const struct history *h, uint32_t seq, struct match_event *out)
{
    if (seq >= h->events)
        return false;
    *out = (struct match_event){
        .at_ms = h->at_ms[seq], .seq = seq, .count = h->first[seq + 1] - h->first[seq], .at = &h->entry[h->first[seq]]};
    return true;
}

void history_release(struct history *h)
{
    free(h->entry);
    free(h->first);
    free(h->at_ms);
    free(h->moment);
    *h = (struct history){0};
}
