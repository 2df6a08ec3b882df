// Shared by the files of this room.
#pragma once

#include "botwire/wire.h"
#include "codec/codec.h"
#include "front/botapi/botapi.h"

#include <sys/queue.h>

// Bytes: of an id in hexadecimal, of an answer, of the name of a seat.
enum { SESSION_ID_SIZE = 32, SESSION_ANSWER = 512, SESSION_NAME = 32 };

struct waiting;
TAILQ_HEAD(waitings, waiting);

// One seat in one match of a remote engine. Its size does not grow with the number of requests (B11.21).
struct session {
    // B11.20: 128 random bits, so knowing an id is the right to use the session.
    uint64_t id[2];
    // The lists `live` and `ended` are in this order.
    int64_t used_us; // time of the last request
    // B11.26: split by what a request contains and never advanced, so a repeated request draws the same numbers.
    struct rng root; // from its seed: the source of all its random numbers
    bool ended;      // match-ended was received: it expires sooner
    // Meanwhile that thread uses `mind` and `events`, and the session can neither expire nor be evicted.
    bool deciding; // a thread is deciding; its further requests are queued
    struct waitings waiting;
    uint8_t seat, seats;

    // Belote: the negotiation of the running deal as far as it is known, and the match it belongs to.
    bool knows_deal;
    struct wire_deal deal;
    int32_t points[2];
    uint32_t deals;

    // The generic dialect: what seats are called.
    char name[GAME_MAX_SEATS][SESSION_NAME];

    // B11.26: the last decision.
    uint64_t digest; // 0: none
    uint16_t answer_size;
    // As it was sent: an identical request gets the same bytes, also from a bot whose thinking is limited by time.
    char answer[SESSION_ANSWER];

    LIST_ENTRY(session) same; // with the same place in the table
    TAILQ_ENTRY(session) age;

    // Of a bot with a memory: what it remembers, once it has begun (N1.7).
    bool has_mind;
    uint8_t event_count; // events since the last decision
    struct game_event *events;
    _Alignas(8) uint8_t mind[]; // followed by SESSION_EVENTS events
};

enum { SESSION_EVENTS = 64 }; // kept between two decisions
_Static_assert(sizeof(struct session) + BOT_MAX_MIND + SESSION_EVENTS * sizeof(struct game_event) <= 16384, "B11.21");

TAILQ_HEAD(sessions_by_age, session);
LIST_HEAD(session_chain, session);

// B11.22. Everything costs O(1), amortised.
struct sessions {
    // mask + 1 of them, by the lower bits of ids. Clients cannot choose ids, so they cannot make a chain long.
    struct session_chain *chain;
    uint64_t mask;
    struct sessions_by_age live, ended; // least recently used first
    uint32_t count, max;
    uint32_t mind_size; // of each
    int64_t ttl_us;
    uint64_t created, evicted;
    bool seeded;
    struct rng ids; // if ids are not random
};

void sessions_init(struct sessions *t, const struct botapi_options *o);
void sessions_release(struct sessions *t);
struct session *sessions_create(struct sessions *t, int64_t now_us); // NULL: full
struct session *sessions_find(struct sessions *t, struct span id,
                              int64_t now_us); // NULL: none; else marks it as used now
void sessions_remove(struct sessions *t, struct session *s);
void sessions_end(struct sessions *t, struct session *s); // its match is over
void sessions_expire(struct sessions *t, int64_t now_us);
void session_add_event(struct session *s, const struct game_event *e); // drops the oldest if there are too many
void session_write_id(const struct session *s, char out[SESSION_ID_SIZE + 1]);

// A decision with everything that the bot needs, so that any thread can take it.
// A copy, so that the loop may go on reading requests. Only `session` is shared, see its `deciding`.
struct decision {
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count;
    struct bot_ask ask;
    struct rng dice;
    int think_ms;
    int64_t due_us; // deadline, if think_ms is not 0
    bool has_view;  // the view is valid; else only the choices are known
    // Set by decision_make. `request` is the loop's, which clears it when the peer leaves.
    struct game_action answer;
    // Where the answer goes.
    struct session *session;
    struct http_request *request; // NULL: the peer has left
    uint64_t digest;
    STAILQ_ENTRY(decision) next;
};

STAILQ_HEAD(decisions, decision);

void decision_make(const struct bot *bot, struct decision *d); // sets answer: always one of the choices

// Threads beside the loop.
struct pool;
struct pool *pool_create(struct loop *l, int threads, const struct bot *bot, void (*on_done)(void *, struct decision *),
                         void *owner);
void pool_destroy(struct pool *p); // waits for running decisions; queued ones are dropped without a callback
void pool_add(struct pool *p, struct decision *d);

// What is wrong with a body, for the message.
struct field_error {
    const char *field;
    const char *expected; // what its value should be
};

// A dialect: the API of a game.
struct bot_dialect {
    // The name of a decision below /api/sessions/{id}/, ended by NULL.
    const char *const *decisions;
    // Fills a new session from the body of a create, or sets the error.
    enum wire_verdict (*create)(const struct botapi *b, struct span body, struct session *s, struct field_error *error);
    // Fills a decision from the body.
    enum wire_verdict (*decide)(struct botapi *b, int which, struct span body, struct session *s, struct decision *d,
                                struct field_error *error);
    void (*decided)(struct session *s, const struct decision *d); // the session learns its own answer; may be NULL
    enum wire_verdict (*notify)(struct botapi *b, struct span event, struct span body, struct session *s,
                                struct field_error *error);
    void (*write_answer)(const struct botapi *b, const struct session *s, struct game_action a, struct text *t);
};

// negotiation.c: completes a negotiation to one that ends in the mode; clears it if that is impossible.
void botapi_complete_negotiation(struct wire_deal *d, int mode);

extern const struct bot_dialect bot_dialect_belote, bot_dialect_generic;

struct botapi {
    struct loop *loop;
    struct botapi_options options;
    const struct bot_dialect *dialect;
    struct sessions sessions;
    struct pool *pool; // NULL: the loop decides
    uint64_t requests;
    // B11.11: shows an operator that the requests of an engine are not understood.
    uint64_t blind; // decisions without a valid view, of a bot that needs one
    int deciding;
    struct decision own_decision; // the one that the loop takes itself
};
