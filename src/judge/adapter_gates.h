// The gates of the Tetris adapter by file, and what they share. Table and order are in adapter.c.
#pragma once

#include "judge/adapter.h"

#include <stdio.h>

enum {
    ADAPTER_REQUIRED = PEER_SEQ | PEER_TS | PEER_PLAYABLE | PEER_PAUSED | PEER_GAME_OVER | PEER_EPISODE_ID | PEER_SEED |
                       PEER_PIECE_ID | PEER_STEP_IN_PIECE | PEER_BOARD | PEER_BOARD_ID | PEER_NEXT_PIECE |
                       PEER_NEXT_QUEUE | PEER_CAN_HOLD | PEER_STATE_HASH | PEER_SCORE | PEER_LEVEL | PEER_LINES |
                       PEER_TIMERS,
};

// adapter_talk.c
const char *gate_a1(struct adapter_check *c);
const char *gate_a2(struct adapter_check *c);
const char *gate_a3(struct adapter_check *c);
const char *gate_a4(struct adapter_check *c);
const char *gate_a5(struct adapter_check *c);
const char *gate_a7(struct adapter_check *c);
const char *gate_a8(struct adapter_check *c);
const char *gate_a9(struct adapter_check *c);
const char *gate_a10(struct adapter_check *c);
const char *gate_a11(struct adapter_check *c);
const char *gate_a12(struct adapter_check *c);
const char *gate_a13(struct adapter_check *c);
const char *gate_a14(struct adapter_check *c);
const char *gate_a15(struct adapter_check *c);
const char *gate_a16(struct adapter_check *c);
const char *gate_a34(struct adapter_check *c);

// adapter_life.c
const char *gate_a17(struct adapter_check *c);
const char *gate_a18(struct adapter_check *c);
const char *gate_a19(struct adapter_check *c);
const char *gate_a20(struct adapter_check *c);
const char *gate_a21(struct adapter_check *c);
const char *gate_a22(struct adapter_check *c);
const char *gate_a28(struct adapter_check *c);
const char *gate_a31(struct adapter_check *c);
const char *gate_a35(struct adapter_check *c);
const char *gate_a36(struct adapter_check *c);
const char *gate_a37(struct adapter_check *c);

// adapter_load.c
const char *gate_a23(struct adapter_check *c);
const char *gate_a24(struct adapter_check *c);
const char *gate_a25(struct adapter_check *c);
const char *gate_a26(struct adapter_check *c);
const char *gate_a27(struct adapter_check *c);
const char *gate_a29(struct adapter_check *c);
const char *gate_a30(struct adapter_check *c);
const char *gate_a32(struct adapter_check *c);
const char *gate_a33(struct adapter_check *c);
