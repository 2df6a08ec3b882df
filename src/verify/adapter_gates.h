// The gates of the Tetris adapter, by file, and what they share. The table with their order is in adapter.c.
#pragma once

#include "verify/adapter.h"

#include <stdio.h>
#include <string.h>

// Reports to assertion `id`. A failure is described by the format and by what `d` last sent and received (d may be
// NULL). Returns whether the scene can continue; also true if the assertion does not apply to this adapter.
bool adapter_assert(struct adapter_check *c, const struct client *d, enum adapter_assertion id, bool holds,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
// The reply must be `wanted`: "ack", or an error code.
bool adapter_expect(struct adapter_check *c, const struct client *d, enum adapter_assertion id, const char *got,
                    const char *wanted);
void adapter_skip(struct adapter_check *c, const char *why);

// For scenes with `c` and `d`: ends the scene if a necessary condition fails. Its later assertions are not run.
#define NEED(id, ...)                                                                                                  \
    do {                                                                                                               \
        if (!adapter_assert(c, d, id, __VA_ARGS__)) {                                                                  \
            c->stopped_by = (int)(id);                                                                                 \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)
#define EXPECT(id, got, wanted)                                                                                        \
    do {                                                                                                               \
        if (!adapter_expect(c, d, id, got, wanted)) {                                                                  \
            c->stopped_by = (int)(id);                                                                                 \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)

// A scene returns whether it reached its end.
typedef bool adapter_scene(struct adapter_check *c, struct client *d);

// Connects, greets, and streams.
bool adapter_connect(struct adapter_check *c, struct client *d, const char *role, bool lockstep);
void adapter_run_scene(struct adapter_check *c, bool lockstep,
                       adapter_scene *scene); // with a controller that has a snapshot
bool adapter_act(struct adapter_check *c, struct client *d, const char *action); // true: it was acknowledged
int adapter_middle_x(const struct adapter_check *c, const struct client *d); // x of a valid place for the spawned piece
// Restarts, and waits for the first observation of the new episode; `id` fails if it does not come.
bool adapter_restart(struct adapter_check *c, struct client *d, const uint64_t *seed, enum adapter_assertion id);

// adapter_protocol.c
void gate_a1(struct adapter_check *c);
void gate_a2(struct adapter_check *c);
void gate_a3(struct adapter_check *c);
void gate_a4(struct adapter_check *c);
void gate_a5(struct adapter_check *c);
void gate_a6(struct adapter_check *c);
void gate_a7(struct adapter_check *c);
void gate_a8(struct adapter_check *c);
void gate_a9(struct adapter_check *c);
void gate_a10(struct adapter_check *c);
void gate_a11(struct adapter_check *c);
void gate_a12(struct adapter_check *c);
void gate_a13(struct adapter_check *c);
void gate_a14(struct adapter_check *c);
void gate_a15(struct adapter_check *c);
void gate_a16(struct adapter_check *c);
void gate_a34(struct adapter_check *c);

// adapter_episodes.c
void gate_a17(struct adapter_check *c);
void gate_a18(struct adapter_check *c);
void gate_a19(struct adapter_check *c);
void gate_a20(struct adapter_check *c);
void gate_a21(struct adapter_check *c);
void gate_a22(struct adapter_check *c);
void gate_a28(struct adapter_check *c);
void gate_a31(struct adapter_check *c);
void gate_a35(struct adapter_check *c);
void gate_a36(struct adapter_check *c);
void gate_a37(struct adapter_check *c);

// adapter_load.c
void gate_a23(struct adapter_check *c);
void gate_a24(struct adapter_check *c);
void gate_a25(struct adapter_check *c);
void gate_a26(struct adapter_check *c);
void gate_a27(struct adapter_check *c);
void gate_a29(struct adapter_check *c);
void gate_a30(struct adapter_check *c);
void gate_a32(struct adapter_check *c);
void gate_a33(struct adapter_check *c);
