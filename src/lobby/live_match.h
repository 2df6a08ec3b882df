// A match with its players: who is asked, what each was sent, what the store has. Private to the lobby.
#pragma once

#include "lobby/agent.h"
#include "lobby/history.h"
#include "lobby/latency.h"
#include "match/match.h"
#include "match/replay.h"

// A part of its live_match, and valid as long.
struct lobby_seat {
    struct live_match *live;
    struct lobby_agent *agent;
    const struct bot *bot;         // moves for a house agent; NULL: the agent moves itself
    struct house_thought *thought; // decision of a searching bot, in progress or done; NULL: none
    struct lobby_seat *next;       // the agent's next seat
    struct uuid session;           // as in the record
    struct uuid request;           // current question (F4.2); zero: none was sent
    int64_t first_ms;              // when the first question of this decision was written
    int64_t due_ms;                // deadline; NEVER: not awaited
    int64_t written_ms;            // when the newest question was written; NEVER: not yet
    store_ticket start_ticket;     // ticket that game_start waits for, if start_sent
    int64_t start_ms;              // when game_start was sent, if start_sent
    // sent_before <= sent <= events of the match. If a question was never written, `sent` goes back to sent_before.
    uint32_t sent;        // events sent with questions (F2.9)
    uint32_t sent_before; // `sent` before the newest question
    uint32_t proven;      // `sent` of the last question that was answered, hence received
    uint32_t fed;         // events sent in any way (F4.23)
    uint64_t rating_read; // read_no of the rating that the result was counted in, when it is over
    uint8_t index;
    uint8_t strikes;
    int8_t model; // index in lobby_options.models of the model that moves; -1: none
    bool house;
    bool model_asked, model_answered;
    bool awaited;
    bool begun;       // first_ms was set by a question that was written
    bool clock_waits; // the clock has not started: the question is not written yet
    bool retried;     // an illegal answer was given to this question (F4.5)
    bool start_sent;
    bool start_due; // game_start was sent on a link that gives receipts, and no receipt has come
    bool doubtful;  // a question on an earlier connection may not have arrived: the next one repeats all events
    bool again;     // joined by join_queue, and returns to the queue afterwards (F3.9)
    uint16_t latency[STORE_LATENCY_BUCKETS];
    struct game_action model_move;
};

// What spectators see besides the events. Kept as long as a spectator may have to be shown it.
struct asides {
    struct lobby_aside *at; // the notes are on the heap
    uint32_t count, room;
    uint32_t forgotten; // number of asides dropped before the first one
};

// Bytes of a log that can be replayed for one unit of work (work/work.h): an action has about eight bytes and takes
// less than half a microsecond.
enum { REPLAYED_PER_UNIT = 16 };

// In exactly one of the lobby's lists starting, running and finished. It is freed when it is over, its end is durable,
// nobody watches it, and every player has game_over or has been away for LOBBY_LINGER_MS (on_linger).
struct live_match {
    struct live_match *newer, *older; // in the list of running or of finished matches
    struct lobby *lobby;
    const struct lobby_game *game;
    struct match *match; // NULL: only the record is left
    struct channel *channels;
    struct asides asides;
    struct mind_memory *bot_memory; // memory of its house bots
    struct timer timer;
    struct text log;
    // Bytes from here on go into the next put. They are in memory only, so an action is visible to nobody before it is
    // put.
    size_t stored; // bytes of the log that were put into the store
    size_t ended;  // offset of the part that was put with the end, when it is over
    struct history history;
    uint32_t number;  // number of the current question
    seat_set asked;   // seats that were asked it and have not answered
    uint8_t claimant; // seat that the question is about; asking begins left of it (F4.12)
    bool over;
    bool starting;       // the store has not granted it yet: nobody is told of it
    bool seated;         // not from a queue: a challenge, rematch or tournament
    bool by_request;     // players from a queue return to it afterwards
    uint64_t orderer;    // the node whose matchmaker ordered it (S24) and waits for a reply; 0: none
    bool adopted;        // another node had it and left no word of what its players were told (S62)
    bool same_owner;     // two seats had the same owner at some time, so the match is not rated
    int64_t over_ms;     // when it was moved to the finished ones
    store_ticket ticket; // ticket of its end
    store_ticket begun;  // ticket of its start; 0: started before this process
    struct store_match record;
    struct lobby_seat seat[GAME_MAX_SEATS];
};

// live_match.c
struct live_match_player {
    struct lobby_agent *agent;
    bool one_shot;
    bool again; // F3.9
};
struct live_match_order {
    uint64_t from, term;
    struct uuid match;
};
struct live_match_terms {
    struct uuid challenge;
    const struct live_match_order *order; // NULL: begun by this node on its own
    const struct lobby_fixed *fixed;      // NULL: seats are shuffled, key and id drawn at random
    bool seated;                          // nobody returns to a queue
    bool by_request;                      // F3.23
    bool game_rl;                         // one of the players is (F4.15), according to another node
};
int live_match_begin(struct lobby *l, const struct lobby_game *g, const char *mode,
                     const struct live_match_player *players, int count, const struct live_match_terms *terms,
                     int64_t now_ms, struct uuid *match);
// Without players; in the list of running matches.
struct live_match *live_match_find(struct live_match *newest, struct uuid match); // in a list of the lobby, or NULL
struct live_match *live_match_create(struct lobby *l, const struct lobby_game *g);
void live_match_send_start(struct lobby *l, struct lobby_seat *s, const struct lobby_presence *p);
// game_start was sent, and may have left this process.
bool live_match_has_sent_start(const struct lobby *l, const struct lobby_seat *s);
// A flag in store_match.unreported: the set of seats is known although nobody has acted yet.
// Above the bits of all seats, of which there are at most GAME_MAX_SEATS.
enum { LIVE_MATCH_STARTS_KNOWN = 1 << 15 };
void live_match_take_seats(struct lobby *l, struct live_match *b); // all agents of its record that can be found
void live_match_release(struct lobby *l, struct live_match *b);
void live_match_grant(struct lobby *l, int64_t now_ms); // starts the matches whose start is durable
// The store refused the start; false: not such a match.
bool live_match_refuse(struct lobby *l, struct uuid match, int64_t now_ms);
void live_match_drop_moved(struct lobby *l, struct live_match *b); // another node continues it
// Moves a match that is over to the finished ones.
void live_match_retire(struct lobby *l, struct live_match *b, int64_t now_ms);
bool live_match_log_grow(struct text *t, size_t more);

// owners.c
// Sets b->same_owner if two of its seats have the same owner now.
void owners_check(const struct lobby *l, struct live_match *b);

// turns.c
const struct lobby_presence *turns_link(const struct lobby_seat *s); // NULL: the player cannot be reached
// Asks the current question; drop: as on_events has it.
void turns_put(struct lobby *l, struct live_match *b, int64_t drop, int64_t now_ms);
// F4.20; `first`: as a first question, not a repeated one.
void turns_resend(struct lobby *l, struct lobby_seat *s, int64_t now_ms, bool first);
void turns_schedule(struct lobby *l, struct live_match *b);
void turns_end(struct lobby_seat *s); // the seat is no longer awaited
void turns_notify(struct lobby_seat *s, int64_t drop);
// A step was played; `dropped`: it was a drop.
void turns_done(struct lobby *l, struct live_match *b, bool dropped, struct span note, int64_t now_ms);
struct game_events *turns_listen(struct lobby *l);
void turns_fire(struct lobby *l, struct timer *t, int64_t now_ms);

// results.c
void results_finish(struct lobby *l, struct live_match *b, int64_t drop, int64_t now_ms); // drop: as on_events has it
void results_cancel(struct lobby *l, struct live_match *b, int64_t now_ms);               // F8.6
// The store refused the result, because a rating had changed: computes it again.
void results_recompute(struct lobby *l, const struct store_refusal *refused);
// Reads from the store, before the agent comes online.
void results_load_missed(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
void results_send_missed(struct lobby_agent *a, int64_t now_ms); // F4.19

// resume.c
struct pieces { // a log as read from the store
    struct text log;
    struct moment *at;
    uint32_t count, room;
};
void resume_all(struct lobby *l, int64_t now_ms);
// Resumes one match whose players are in memory; `err`: result of reading the log. Returns NULL if it is over or
// cancelled.
struct live_match *resume_read(struct lobby *l, const struct store_match *m, struct pieces *p, int err, int64_t now_ms);
void pieces_release(struct pieces *p);
int pieces_read(struct pieces *p, struct store *s, struct uuid match);
struct replayed_source;
int pieces_read_from(struct pieces *p, const struct replayed_source *from);
int64_t pieces_time(const struct pieces *p, size_t offset, uint32_t *hint); // when the entry at this offset was logged

// presence.c
void presence_catch_up_seat(struct lobby *l, struct lobby_seat *s, int64_t now_ms);
// A match has moved to this node, where its players are.
void presence_catch_up(struct lobby *l, struct live_match *b, int64_t now_ms);
void presence_replaced(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // by a connection to another node
// Its match stays at another node: closes the connection with LOBBY_STRAY.
void presence_stray(struct lobby *l, struct lobby_agent *a);

// handover.c
// Writes what the next host needs to know. Returns false if that must wait: a frame to a player is in flight, or its
// connection cannot be moved. `is_cut`: the players are no longer connected, so neither matters.
bool handover_describe(struct lobby *l, struct live_match *b, bool is_cut, struct text *t);
// Continues with what another node has asked and sent. Returns false if that is not known.
bool handover_take(struct lobby *l, struct live_match *b, struct span state);
