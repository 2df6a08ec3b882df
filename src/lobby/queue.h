// Agents that wait for a match: who may enter a queue (eligibility.c), and how queues form tables (queue.c). Private to
// the lobby.
#pragma once

#include "lobby/timer.h"

// Freed when its last agent leaves: a pointer to it is valid only until an agent is removed or a table is formed.
struct queue {
    struct queue *next; // hash chain
    struct lobby_agent *first, *last;
    int count;
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    struct timer timer;
};

// eligibility.c
struct queue_request {
    const struct lobby_game *game;
    const char *mode;
    bool one_shot;
};
// F3.4: checks that the game is known and the mode allowed. `mode_word` is the storage of out->mode. `a` NULL: accepts
// every game.
int eligibility_find_queue(const struct lobby *l, const struct lobby_agent *a, struct span game, struct span mode,
                           char mode_word[LOBBY_MODE_ROOM], struct queue_request *out, char error[128]);
bool eligibility_has_capacity(const struct lobby_agent *a); // F3.15
// By its number of games in an hour or a day (F3.4).
bool eligibility_is_capped(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
int eligibility_check(struct lobby *l, struct lobby_agent *a, const struct queue_request *w, int64_t now_ms,
                      char error[128]);
int64_t eligibility_cooldown_end(struct lobby *l, struct lobby_agent *a); // F3.8; 0: no cooldown
// Whether the agent may be seated from standby (F3.10), apart from its choice of games.
bool eligibility_for_standby(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
bool eligibility_has_game(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g); // F6.B1
void eligibility_count_missed(struct lobby_agent *a, int64_t now_ms); // counts a missed confirmation (F3.16)

// queue.c
int queue_table_min(const struct lobby *l, const struct lobby_game *g);
int queue_table_max(const struct lobby *l, const struct lobby_game *g);
struct queue *queue_find(struct lobby *l, const struct lobby_game *g, const char *mode);
// Forms all tables it can, in all queues of the game.
void queue_open(struct lobby *l, const struct lobby_game *g, int64_t now_ms);
struct queue *queue_enter(struct lobby *l, struct lobby_agent *a, const struct queue_request *w, int64_t joined_ms);
void queue_remove(struct lobby *l, struct lobby_agent *a);
void queue_form(struct lobby *l, struct queue *q, int64_t now_ms); // forms all tables it can; q may be freed
// F3.9
void queue_again(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const char *mode, int64_t now_ms);
void queue_drain(struct lobby *l);
#define QUEUE_RANKED "ranked"
#define QUEUE_TABLES "+friendly"           // agents waiting for players of the other queue; clients cannot name it
const char *queue_shown(const char *mode); // the mode as clients see it
