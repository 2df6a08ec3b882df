// A client of the Tetris adapter under test: sends, waits with a limit, and passes every line to a check.
#pragma once

#include "front/lines/server_message.h"
#include "net/line_client.h"
#include "verify/assertion.h"

#include <jansson.h>

enum { CLIENT_WAIT_MS = 2000 }; // every wait is bounded (A26)
enum { CLIENT_REQUESTS = 256 }; // most messages whose replies are counted

struct client;

struct client_target {
    const char *host;
    uint16_t port;
    const char *version; // for hello: accepted by the adapter
    int patience;        // multiplies every wait; 0 and 1: unchanged
    // Called with every received line before it is used. `root` is NULL if it is not JSON.
    void (*watch)(void *owner, struct client *d, json_t *root, struct span line);
    void *owner;
};

// A message that was sent: how often its seq was sent and answered.
struct client_request {
    uint64_t seq;
    uint8_t asked, answered;
    bool command;
};

struct client {
    struct line_client line;
    struct client_target target;
    uint64_t seq;
    struct server_welcome welcome;
    json_t *capabilities;          // of the welcome; NULL: none
    size_t welcome_bytes;          // size of its line
    struct server_message last;    // the last message read
    struct server_observation now; // the last observation read
    uint64_t observations;         // number read so far
    bool stream;                   // was requested
    bool broken;                   // a line was sent whose seq the adapter need not find
    bool odd_code;                 // the last reply is an error with a forbidden code; set by `watch`
    bool stray;                    // the last reply has a seq that was never sent
    struct client_request asked[CLIENT_REQUESTS];
    uint64_t seen_seq, seen_episode, seen_step;  // of the previous observation
    char sent[WIRE_QUOTE], received[WIRE_QUOTE]; // the last line in each direction
};

bool client_open(struct client *d, const struct client_target *t); // connected, nothing sent
void client_close(struct client *d);
void client_kill(struct client *d); // like a crash

// Return what was received: "welcome", "ack", an error code, "late" or "closed".
const char *client_hello(struct client *d, const struct client_target *t, const char *role, bool stream, bool lockstep);
const char *client_control(struct client *d, const char *action);
const char *client_act(struct client *d, const char *action); // NULL: an empty list
const char *client_restart(struct client *d, uint64_t seed);
const char *client_place(struct client *d, int x, int rotation, bool hold);
const char *client_ask(struct client *d, uint64_t seq, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *client_answer(struct client *d, uint64_t seq, int wait_ms); // the reply to an earlier message

// Sends a line as it is, with its LF; the reply may have `seq` or 0.
void client_send(struct client *d, uint64_t seq, struct span line);
bool client_read(struct client *d, int wait_ms);    // any message
bool client_observe(struct client *d, int wait_ms); // the next observation, stored in `now`
// Waits for an observation for which `want` returns true; in lock-step `now` may be one already.
bool client_until(struct client *d, bool (*want)(const struct server_observation *o, uint64_t what), uint64_t what,
                  int wait_ms);
bool client_is_closed(struct client *d, int wait_ms);  // the adapter has closed the connection
int client_limit(const struct client *d, int wait_ms); // multiplied by the target's patience

bool want_any(const struct server_observation *o, uint64_t unused);
bool want_episode_after(const struct server_observation *o, uint64_t episode);
bool want_playable_after(const struct server_observation *o, uint64_t episode); // of a later episode
bool want_game_over(const struct server_observation *o, uint64_t unused);
bool want_paused(const struct server_observation *o, uint64_t paused);
bool want_other_piece(const struct server_observation *o, uint64_t piece); // or the end of the game
bool want_step(const struct server_observation *o, uint64_t step);
