// The Tetris AI Adapter: tables, clients, roles, clocks. It uses no sockets and reads no clock: a transport opens
// clients, passes in lines and the time, and sends the lines that it gets back.
#pragma once

#include "base/text.h"
#include "games/tetris/rules/tetris.h"
#include "match/match.h"

#include <stdbool.h>
#include <stdint.h>

enum adapter_protocol { PROTOCOL_2 = 1, PROTOCOL_3 = 2, PROTOCOL_BOTH = 3 };

struct adapter_options {
    struct tetris_rules rules; // of every table; seed and ruleset included
    enum adapter_protocol protocol;
    bool box_coordinates;          // T3.40, for 2.x
    bool compat_hash;              // T2.22, T5.14
    bool attended;                 // somebody plays at the keyboard: the clock always runs, no lock-step (T3.35, T3.85)
    int max_tables;                // T3.9
    int max_pending;               // T3.54
    int observation_hz;            // T3.64
    int observation_ms;            // -1: by hz; 0: every step; n: every n ms
    int retry_ms;                  // of backpressure
    int64_t unattended_restart_ms; // T3.37; 0: never
    int64_t idle_timeout_ms;       // 0: never (T3.76)
    uint8_t key[RNG_KEY_BYTES];    // of the match at the table main, and its SHA-256, for a replay
    uint8_t commitment[MATCH_COMMITMENT_BYTES];
    int64_t unix_offset_ms; // wall clock minus the clock of now_us, for the field ts
};

// What a transport does for a client. `conn` is the transport's own.
struct adapter_link {
    void (*reply)(void *conn, struct span line); // reliable, in order; sent at the end of the turn
    bool (*write)(void *conn, struct span line); // sends this line at once; false if it cannot
    void (*flush)(void *conn);                   // sends queued replies now, as far as possible
    size_t (*waiting)(void *conn);               // bytes of replies not yet sent
    void (*hold)(void *conn);                    // pass in no more lines until all replies are sent
    void (*hang_up)(void *conn);                 // closes when everything queued is sent
    bool (*is_gone)(void *conn);                 // the peer has closed, even if that was not read yet
    void (*greeted)(void *conn);                 // the handshake is done
    // TCP only: its simple clients keep one line of each read (T3.73). Over WebSocket a message is read by itself.
    bool paced; // observations are spaced out (T3.72)
};

struct adapter;
struct adapter_client;

// For a log of all traffic: '<' received, '>' sent. `line` has no LF.
typedef void (*adapter_listener)(void *owner, char direction, uint64_t client_id, struct span line);

void adapter_defaults(struct adapter_options *o);
struct adapter *adapter_create(const struct adapter_options *o, struct text *log); // log: of the table main, or NULL
void adapter_destroy(struct adapter *a);
void adapter_listen(struct adapter *a, adapter_listener listener, void *owner);

// `table` is the one of the address (T3.8), or NULL.
struct adapter_client *adapter_open(struct adapter *a, const struct adapter_link *link, void *conn, const char *table);
void adapter_line(struct adapter_client *c, struct span line, int64_t now_us);
void adapter_fault(struct adapter_client *c, const char *message); // an unusable line: error with seq 0 (T3.3)
void adapter_close(struct adapter_client *c, int64_t now_us);

// Does what is due. Returns the latest time for the next call (INT64_MAX: when something arrives).
int64_t adapter_advance(struct adapter *a, int64_t now_us);

// For a person at the keyboard and for recording: the table `main`.
void adapter_press(struct adapter *a, struct game_action action); // applied in the next step, after remote commands
const struct match *adapter_match(const struct adapter *a);
uint64_t adapter_step_count(const struct adapter *a);
void adapter_end_log(struct adapter *a); // the replay is complete; nothing more is added
struct adapter_status {
    int clients;
    uint64_t controller_id; // 0: none
} adapter_status(const struct adapter *a);
