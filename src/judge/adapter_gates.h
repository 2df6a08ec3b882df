// The gates of the Tetris adapter by file, and what they share. Table and order are in adapter.c.
#pragma once

#include "judge/adapter.h"

#include <stdio.h>
#include <string.h>

// Reports to assertion `id`; a failure is told by the format, and by what `d` last sent and received (d may be NULL).
// Returns whether the scene can go on: true also when the assertion is not asked of this adapter.
bool asserts(struct adapter_check *c, const struct dialog *d, enum adapter_assertion id, bool holds, const char *format,
             ...) __attribute__((format(printf, 5, 6)));
// The answer must be `wanted`: "ack", or the code of an error.
bool expects(struct adapter_check *c, const struct dialog *d, enum adapter_assertion id, const char *got,
             const char *wanted);
void not_run(struct adapter_check *c, const char *why);

// In a scene with `c` and `d`: what cannot be missed ends it. Later assertions of the scene are then not run.
#define NEED(id, ...)                                                                                                  \
    do {                                                                                                               \
        if (!asserts(c, d, id, __VA_ARGS__)) {                                                                         \
            c->stopped_by = (int)(id);                                                                                 \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)
#define EXPECT(id, got, wanted)                                                                                        \
    do {                                                                                                               \
        if (!expects(c, d, id, got, wanted)) {                                                                         \
            c->stopped_by = (int)(id);                                                                                 \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)

// Scenes return whether they came to their end.
typedef bool adapter_scene(struct adapter_check *c, struct dialog *d);

bool adapter_meet(struct adapter_check *c, struct dialog *d, const char *role, bool lockstep); // greeted, streaming
void adapter_play(struct adapter_check *c, bool lockstep,
                  adapter_scene *scene); // with a controller that has a snapshot
bool adapter_act(struct adapter_check *c, struct dialog *d, const char *action); // acknowledged
int adapter_middle(const struct adapter_check *c, const struct dialog *d);       // x of a place where the piece spawned
// A restart and the first observation of its episode; `id` fails when that does not come.
bool adapter_begin(struct adapter_check *c, struct dialog *d, const uint64_t *seed, enum adapter_assertion id);

// adapter_talk.c
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

// adapter_life.c
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
