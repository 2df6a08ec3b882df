// A lobby on a store in a folder of its own, with agents whose links write down what they hear. Time is whatever the
// test says.
#pragma once

#include "lobby/lobby.h"

enum { KIT_AGENTS = 48, KIT_SEATS = 16, KIT_SAID = 1 << 14 };

// One match as an agent knows it: what a client would keep.
struct kit_seat {
    struct uuid session;
    struct lobby_seat *seat; // valid while not over
    struct uuid request;     // the newest; none: not asked
    uint32_t told;           // next seq expected in new_events
    uint32_t sent_before;    // the newest request
    bool started, over;
    bool written;   // the newest request has reached the wire
    bool restarted; // the server may tell again what it cannot know to have arrived
    bool restarted_before;
};

struct kit;

struct kit_agent {
    struct kit *kit;
    struct lobby_agent *agent;
    struct uuid id;
    bool online;
    uint32_t connection; // counted
    void *client;        // of the link
    const char *address; // of its next connection; NULL: not known
    uint64_t conn;       // likewise: its number among several nodes; 0: there is one
    bool relayed;        // likewise: it is connected to another node
    struct kit_seat seat[KIT_SEATS];
    int seats;
    struct uuid confirm, readiness;
    struct text said; // one word for every call: see kit_said
    char bytes[KIT_SAID];
};

struct kit {
    char folder[64];
    struct store *store;
    struct lobby *lobby;
    struct lobby_options o;
    _Atomic int64_t now_ms; // directors of tournaments read it on their own threads
    struct kit_agent agent[KIT_AGENTS];
    int agents;
    int asked[64]; // seats in the order of their requests
    int asks;
    struct rng dice; // for what is redrawn
    bool checks;     // what is told is looked at closely: see kit_check
    int broken;      // claims that did not hold
    char why[256];
};

extern const struct lobby_game kit_games[]; // the four of the arena; belote is gated

void kit_open(struct kit *k, const struct lobby_options *o); // NULL: defaults without house bots
void kit_close(struct kit *k);                               // the folder goes too
void kit_restart(struct kit *k);                             // all that was put is durable; everybody is offline
void kit_settle(struct kit *k);                              // what was put becomes durable
void kit_pass(struct kit *k, int64_t ms);                    // time passes, deadline by deadline

struct kit_agent *kit_add(struct kit *k, const char *name); // claimed, with auto_confirm, cap 8 at once; offline
void kit_edit(struct kit_agent *a, void (*edit)(struct store_agent *record)); // and save
void kit_dial(struct kit_agent *a, const char *instance);                     // connects, and is not greeted yet
void kit_come(struct kit_agent *a, const char *instance);                     // connects and is greeted
void kit_go(struct kit_agent *a);                                             // the connection ends
struct kit_agent *kit_player(struct kit *k, const char *name);                // added and come
const char *kit_join(struct kit_agent *a, const char *game, const char *mode, bool one_shot); // "" or the refusal

// What was heard since the last call, one word each: "joined:coup/ranked" "joined:coup/ranked/once" "left" "confirm"
// "refused:WHY" "cancelled:opponent_not_ready/re_queued" "ready?" "start" "ask:300000" "ask:1000/retry"
// "ask:300000/again" "stale" "events:0-3" "events:4-4!3" "state" "over:w" "gone:replaced".
const char *kit_said(struct kit_agent *a);
bool kit_heard(const struct kit_agent *a, const char *word); // since the last kit_said; a prefix will do

struct kit_seat *kit_seat(struct kit_agent *a);    // of its newest match
struct kit_agent *kit_at(struct kit *k, int seat); // who sits there; among those added last
struct kit_agent *kit_awaited(struct kit *k);      // somebody who is asked, or NULL
struct kit_seat *kit_asked(struct kit_agent *a);   // a seat of its own that is awaited, or NULL
void kit_written(struct kit *k);                   // every request that was put has reached its wire
struct game_action kit_choose(const struct kit_seat *s, struct rng *dice);          // a legal one; NULL: the first
int kit_answer(struct kit_agent *a, struct kit_seat *s, struct game_action action); // as a front does, judged first
bool kit_play_out(struct kit *k, struct rng *dice, int steps); // all online agents answer; false: not over after it
