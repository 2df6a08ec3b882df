// One conversation with a Tetris adapter under test: sends, waits with a limit, and shows every line to a watch.
#pragma once

#include "front/lines/server_message.h"
#include "net/line_client.h"
#include "verify/assertion.h"

#include <jansson.h>

enum { DIALOG_WAIT_MS = 2000 }; // every wait is bounded (A26)
enum { DIALOG_ASKED = 256 };    // most messages whose replies are counted

struct dialog;

struct dialog_target {
    const char *host;
    uint16_t port;
    const char *version; // for hello: accepted by the adapter
    int patience;        // multiplies every wait; 0 and 1: unchanged
    // Called with every received line before it is used. `root` is NULL if it is not JSON.
    void (*watch)(void *owner, struct dialog *d, json_t *root, struct span line);
    void *owner;
};

// A message that was sent: how often its seq was sent and answered.
struct dialog_asked {
    uint64_t seq;
    uint8_t asked, answered;
    bool command;
};

struct dialog {
    struct line_client line;
    struct dialog_target target;
    uint64_t seq;
    struct server_welcome welcome;
    json_t *capabilities;          // of the welcome; NULL: none
    size_t welcome_bytes;          // size of its line
    struct server_message last;    // the last message read
    struct server_observation now; // the last observation read
    uint64_t observations;         // number read so far
    bool stream;                   // was requested
    bool broken;                   // a line was sent whose seq the adapter need not find
    bool odd_code;                 // the last reply is an error with a forbidden code; set by the watch
    bool stray;                    // the last reply has a seq that was never sent
    struct dialog_asked asked[DIALOG_ASKED];
    uint64_t seen_seq, seen_episode, seen_step;  // of the previous observation
    char sent[WIRE_QUOTE], received[WIRE_QUOTE]; // the last line in each direction
};

bool dialog_open(struct dialog *d, const struct dialog_target *t); // connected, nothing sent
void dialog_close(struct dialog *d);
void dialog_kill(struct dialog *d); // like a crash

// Return what was received: "welcome", "ack", an error code, "late" or "closed".
const char *dialog_hello(struct dialog *d, const struct dialog_target *t, const char *role, bool stream, bool lockstep);
const char *dialog_control(struct dialog *d, const char *action);
const char *dialog_act(struct dialog *d, const char *action); // NULL: an empty list
const char *dialog_restart(struct dialog *d, uint64_t seed);
const char *dialog_place(struct dialog *d, int x, int rotation, bool hold);
const char *dialog_ask(struct dialog *d, uint64_t seq, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *dialog_answer(struct dialog *d, uint64_t seq, int wait_ms); // the reply to an earlier message

// Sends a line as it is, with its LF; the reply may have `seq` or 0.
void dialog_send(struct dialog *d, uint64_t seq, struct span line);
bool dialog_read(struct dialog *d, int wait_ms);    // any message
bool dialog_observe(struct dialog *d, int wait_ms); // the next observation, stored in `now`
// Waits for an observation for which `want` returns true; in lock-step `now` may be one already.
bool dialog_until(struct dialog *d, bool (*want)(const struct server_observation *o, uint64_t what), uint64_t what,
                  int wait_ms);
bool dialog_is_closed(struct dialog *d, int wait_ms);  // the adapter has closed the connection
int dialog_limit(const struct dialog *d, int wait_ms); // multiplied by the target's patience

bool want_any(const struct server_observation *o, uint64_t unused);
bool want_episode_after(const struct server_observation *o, uint64_t episode);
bool want_playable_after(const struct server_observation *o, uint64_t episode); // of a later episode
bool want_game_over(const struct server_observation *o, uint64_t unused);
bool want_paused(const struct server_observation *o, uint64_t paused);
bool want_other_piece(const struct server_observation *o, uint64_t piece); // or the end of the game
bool want_step(const struct server_observation *o, uint64_t step);
