// Spectators of a match. All that see the same part of it at the same time share a channel. Private to the lobby.
#pragma once

#include "lobby/live_match.h"

// All spectators that see the same part of a match at the same time. It advances on its own; a new spectator begins at
// its current position.
struct channel {
    struct channel *next;
    struct live_match *live;
    struct lobby_watch *watch;
    // When the next event or aside may be seen.
    struct timer timer;
    int64_t delay_ms;
    uint32_t shown;  // number of events shown
    uint32_t beside; // number of asides shown, dropped ones included
    bool ended;
    bool alone; // for the match's only player that is no house bot: shows the live id
};

struct lobby_watch {
    struct lobby_watch *next, **at; // list of the channel
    struct channel *channel;
    const struct lobby_watch_link *link;
    void *client;
    struct timer timer; // until on_begin
    bool begun;
    int32_t heads; // spectators that it stands for
    bool relayed;  // they are at other nodes, which count them
};

// watch.c
void watch_move(struct lobby *l, struct live_match *b);     // the match continues at another node
void watch_schedule(struct lobby *l, struct live_match *b); // something has happened that spectators will see later
bool watch_has_any(const struct live_match *b);
void watch_release(struct lobby *l, struct live_match *b); // frees all channels and asides
// Records who is asked now.
void watch_note_turn(struct lobby *l, struct live_match *b, int64_t now_ms);
// Records a player's note on a decision, which caused the events from `seq` on.
void watch_note_decision(struct lobby *l, struct live_match *b, const struct lobby_seat *s, uint32_t seq,
                         struct span note, int64_t now_ms);
