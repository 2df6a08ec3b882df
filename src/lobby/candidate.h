// A table that waits for the confirmations of its players. Private to the lobby.
#pragma once

#include "lobby/queue.h"
#include "lobby/timer.h"

struct member {
    struct lobby_agent *agent;
    struct uuid confirm; // id of the question; zero: not asked
    int64_t joined_ms;
    bool one_shot, standby, confirmed;
    bool lent; // taken from the queue "ranked" for a table made on request
};

// While `host` is set nobody can leave it: the match may exist already. Its timer is then the deadline of the host's
// answer, and otherwise that of the confirmations.
struct candidate {
    struct candidate *next, **at;
    uint64_t host;     // S24: the node that was ordered to begin the match; 0: none yet
    struct uuid order; // id of the ordered match
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool by_request; // F3.23: its first member asked for it
    int count;
    int64_t due_ms;
    struct timer timer;
    struct member member[GAME_MAX_SEATS];
};

// candidate.c
struct candidate *candidate_find_order(struct lobby *l, struct uuid match);
void candidate_begun(struct lobby *l, struct candidate *c); // its host has begun the match
// `full`: members that may play no further match.
void candidate_refused(struct lobby *l, struct candidate *c, uint32_t full, int64_t now_ms);
void candidate_drop(struct lobby *l, struct candidate *c);                     // without telling the members
const char *candidate_home(const struct candidate *c, const struct member *m); // the queue that the member came from
struct candidate *candidate_create(struct lobby *l, const struct lobby_game *g, const char *mode);
void candidate_take(struct candidate *c, struct lobby_agent *a); // the agent was removed from its queue just before
void candidate_lend(struct candidate *c, struct lobby_agent *a); // likewise, for a table made on request
void candidate_add(struct candidate *c, struct lobby_agent *a, bool standby, int64_t now_ms);
// Asks for confirmations, or begins the match.
void candidate_open(struct lobby *l, struct candidate *c, int64_t now_ms);
void candidate_remind(struct lobby_agent *a, int64_t now_ms); // repeats the question on a new connection (F1.12)
void candidate_break(struct lobby *l, struct candidate *c, struct lobby_agent *cause, enum lobby_cancel why,
                     int64_t now_ms);
void candidate_drain(struct lobby *l);

// standby.c
bool standby_would_play(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g);
void standby_open(struct lobby *l, int64_t now_ms);
void standby_cancel_check(struct lobby *l, struct lobby_agent *a); // ends a readiness check when the connection ends
int standby_lend(struct lobby *l, struct candidate *c, const struct lobby_game *g, int want, int64_t now_ms);
void standby_remind(struct lobby_agent *a, int64_t now_ms);
enum lobby_reach standby_invite_remote(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g,
                                       int64_t now_ms);
void standby_receive_busy(struct lobby *l, struct lobby_agent *a, struct uuid request, int64_t now_ms);
