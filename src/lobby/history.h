// The events of a match by their numbers (F2.8), with what the log held at each time. Private to the lobby.
#pragma once

#include "lobby/lobby.h"

struct moment { // the state of the log at at_ms: its size and what it had brought
    int64_t at_ms;
    // Bytes of the log.
    uint32_t end;
    uint32_t events; // number of events
    uint32_t swing;  // accumulated swing
};

struct history {
    struct game_event *entry; // events and their parts
    uint32_t entries, entry_room;
    uint32_t *first; // index of the first entry, by seq; one more element ends the last event
    int64_t *at_ms;  // by seq
    uint32_t events, event_room;
    struct moment *moment;
    uint32_t moments, moment_room;
    struct swing swing;
};

void history_add(struct history *h, const struct lobby_game *g, const struct game_events *happened, int64_t at_ms,
                 size_t log_end);
// Records how the events added last have changed the winning chances.
void history_note_swing(struct history *h, const struct lobby_game *g, const void *state, int seats);
bool history_event(const struct history *h, uint32_t seq, struct match_event *out);
void history_release(struct history *h);
