// Tetris: one seat, 10 x 20 cells, 16 ms ticks. Rule numbers T1-T3 are those of docs/games/tetris.md.
//
// x grows to the right, y grows down, row 0 is the top visible row. A piece is kept by the origin of its rotation box
// (T1.3); actions, events and the vector speak of `cells`: the column of its leftmost and the row of its topmost
// occupied cell (G24.1). tetris_left and tetris_top lead from one to the other.
#pragma once

#include "game/game.h"

enum {
    TETRIS_WIDTH = 10,
    TETRIS_HEIGHT = 20,
    TETRIS_HIDDEN = 4, // rows -4..-1, in use in guideline only
    TETRIS_CELLS = TETRIS_WIDTH * TETRIS_HEIGHT,
    TETRIS_ALL_CELLS = TETRIS_CELLS + TETRIS_HIDDEN * TETRIS_WIDTH,
    TETRIS_NEXT = 5,   // pieces shown after the active one
    TETRIS_QUEUE = 15, // most pieces that can be set to come first
    TETRIS_TICK_MS = 16,
    TETRIS_FLAT = 88,
    TETRIS_VECTOR = 260,
    TETRIS_MAX_LEVEL = 20, // highest that can be set; play can exceed it
    TETRIS_MAX_ROWS = 10,  // garbage rows at a time
    TETRIS_MAX_PENDING = 20,
    TETRIS_MAX_RISE = 20,     // garbage rows per 1000 ticks
    TETRIS_MIN_GRAVITY = 100, // thousandths
    TETRIS_MAX_GRAVITY = 20000,
};

// Codes of cells and kinds of pieces.
enum tetris_kind { TETRIS_NONE, TETRIS_I, TETRIS_O, TETRIS_T, TETRIS_S, TETRIS_Z, TETRIS_J, TETRIS_L, TETRIS_GREY };

enum tetris_rotation { TETRIS_NORTH, TETRIS_EAST, TETRIS_SOUTH, TETRIS_WEST };

enum tetris_ruleset { TETRIS_STANDARD, TETRIS_GUIDELINE };

// What choices lists (T1.22).
enum tetris_listed { TETRIS_LIST_INPUTS = 1, TETRIS_LIST_PLACEMENTS, TETRIS_LIST_BOTH };

enum tetris_goal { TETRIS_NO_GOAL, TETRIS_GOAL_LINES, TETRIS_GOAL_GARBAGE, TETRIS_GOAL_TICKS };

enum tetris_phase { TETRIS_PLAYING, TETRIS_DONE };

// Why the game is over.
enum tetris_end {
    TETRIS_RUNNING,
    TETRIS_BLOCK_OUT, // T1.16, T1.28: the next piece does not fit
    TETRIS_LOCK_OUT,  // T1.64: locked above the field
    TETRIS_BURIED,    // garbage pushed the stack over the top
    TETRIS_DROPPED,   // the master took the player out
    TETRIS_GOAL,      // reached: the only success
};

enum tetris_spin { TETRIS_NO_SPIN, TETRIS_SPIN_MINI, TETRIS_SPIN_FULL };

// Kinds 1..7 are also the flat indices (G24.2).
enum tetris_action {
    TETRIS_MOVE_LEFT = 1,
    TETRIS_MOVE_RIGHT,
    TETRIS_ROTATE_CW,
    TETRIS_ROTATE_CCW,
    TETRIS_SOFT_DROP,
    TETRIS_HARD_DROP,
    TETRIS_HOLD,
    TETRIS_PLACE,   // arg[0] column, arg[1] rotation, arg[2] flags below, amount: row of the topmost cell with
                    // PLACE_AT_ROW
    TETRIS_PAUSE,   // toggles
    TETRIS_RESTART, // arg[0] 1: amount is the seed, as 32 bits; 0: the seeds form a chain (T2.15)

    // The master's.
    TETRIS_GARBAGE =
        32,             // arg[0] rows 1..10, arg[1] hole + 1, or 0 for a random one in each; they rise at the next lock
    TETRIS_NEXT_PIECE,  // arg[0] kind: comes before all others
    TETRIS_SET_LEVEL,   // arg[0] 0..20
    TETRIS_SET_GRAVITY, // amount: multiplier in thousandths, 100..20000
    TETRIS_SET_RISE,    // arg[0] garbage rows per 1000 ticks, 0..20
    TETRIS_TELEPORT,    // arg[0] column, amount row: the active piece, if it fits there
};

enum { TETRIS_PLACE_HOLD = 1, TETRIS_PLACE_FULL = 2, TETRIS_PLACE_AT_ROW = 4 };

enum tetris_event {
    TETRIS_PIECE_LOCKED = 1, // data: struct tetris_lock; amount: all points of it, hard drop and combo included
    TETRIS_LINES_CLEARED,    // data: the same; follows when lines is not 0
    TETRIS_LEVEL_UP,         // amount: the level
    TETRIS_HELD,             // data[0] the kind put away, data[1] the kind that came out of hold (0: of the queue)
    TETRIS_GARBAGE_ROSE,     // amount: rows
    TETRIS_GAME_OVER,        // data[0] enum tetris_end
    TETRIS_SOFT_DROPPED,     // amount: rows, and points; one event for a run of them
    TETRIS_EVENTS,
};

// The outcome of a lock (T1.50, G24.9).
struct tetris_lock {
    uint32_t
        score;     // line_clear_score: with back-to-back, without combo, drop points and perfect clear; 0 without lines
    int32_t combo; // after this lock
    uint8_t kind;  // 0: nothing has locked yet
    uint8_t lines;
    uint8_t rotation;
    uint8_t spin; // enum tetris_spin, without lines too; T1.50 reports it only with lines
    int8_t x;     // cells
    uint8_t back_to_back;
    int8_t y;
    uint8_t perfect; // nothing was left (noted in both rulesets, scored in guideline: T1.73)
};

// Options. All zero but where defaults says otherwise; a scenario is a set of them (G24.7, G24.8).
struct tetris_rules {
    uint8_t board[TETRIS_CELLS / 2]; // two cells a byte, the left one in the low half; no row may be full
    uint8_t queue[TETRIS_QUEUE];     // kinds that come first; the first 0 ends them
    uint8_t hold;                    // a kind
    uint32_t seed;                   // of the pieces, when has_seed; else drawn from chance
    uint16_t gravity_milli;          // 1000; 100..20000: divides the drop interval (at least 1 ms)
    uint16_t lock_milli;             // 1000; 500..1500: scales the lock delay
    uint16_t goal_count;             // lines, or ticks
    uint16_t rise_first;             // a garbage row after so many ticks, 0: none,
    uint16_t rise_sooner;            // each so many sooner,
    uint16_t rise_least;             // not below these
    uint8_t has_seed;
    uint8_t ruleset;
    uint8_t listed;       // enum tetris_listed; TETRIS_LIST_BOTH
    uint8_t preview;      // 5; 1..5 of the next pieces are shown
    uint8_t level;        // to start with, 0..20
    uint8_t garbage_rows; // on the board to start with, 0..10
    uint8_t rise_rate;    // garbage rows per 1000 ticks, 0..20
    uint8_t goal;         // enum tetris_goal
    uint8_t zen;          // no gravity, no lock delay
    uint8_t spare[3];
};

// The field twice: which cells are taken, so that one AND of 64 bits tests four rows of a piece, and the colours, a
// byte each, so that a view is a copy.
struct tetris_field {
    uint16_t taken[32]; // rows -8..23: bits 3..12 the columns, the others wall; rows that do not exist are full
    uint8_t cells[TETRIS_ALL_CELLS]; // rows -4..19
};

// The active piece and what an input can change about it.
struct tetris_piece {
    uint8_t kind; // 0: none
    uint8_t rotation;
    int8_t x, y; // box origin
    uint16_t lock_ms;
    uint16_t soft_ms;
    uint8_t resets;
    int8_t deepest; // guideline: the greatest box y since the spawn
    uint8_t turned; // the last successful input was a turn (T1.30)
    uint8_t kicked; // that turn used the fifth test (guideline)
};

// Counters and flags, all of them public.
struct tetris_facts {
    uint32_t score;
    uint32_t level;
    uint32_t lines;
    int32_t combo;
    uint32_t board_id;
    uint32_t piece_id;
    uint32_t step_in_piece;
    uint32_t episode_id;
    uint32_t seed;
    uint32_t ticks;        // of this episode, pauses apart
    uint32_t turn;         // pieces that became active, over all episodes
    uint32_t garbage_rows; // that came into the field in this episode
    struct tetris_lock lock;
    uint16_t drop_ms;
    uint16_t line_clear_ms;
    uint16_t gravity_milli; // in force
    uint16_t rise_ticks;    // until the next garbage row; 0: none is coming
    uint16_t rise_period;   // what that counted from
    int16_t level_base;     // level without lines
    uint8_t rise_rate;
    uint8_t flash_ms;
    uint8_t fresh; // not 0: `lock` happened since the end of the tick before
    uint8_t back_to_back;
    uint8_t paused;
    uint8_t end;  // enum tetris_end; not 0: game over
    uint8_t hold; // a kind
    uint8_t can_hold;
    uint8_t pending;                  // garbage rows that will rise at the next lock
    uint8_t hole[TETRIS_MAX_PENDING]; // of each: column + 1, 0: not drawn yet
    uint8_t spare[3];
};

struct tetris_state {
    struct tetris_field field;
    struct tetris_piece piece;

    struct tetris_facts facts;
    struct tetris_rules rules;

    uint8_t order[14];           // the bag and the one after it (T1.11, T1.13)
    uint8_t taken;               // pieces taken out of the bag, 0..7
    uint8_t last_hole;           // of garbage drawn so far: column + 1; neighbours differ
    uint8_t queue[TETRIS_QUEUE]; // kinds that come before the bag
    uint8_t queued;
    uint32_t generator;       // T1.10, as the contract has it: after the bag
    uint32_t generator_ahead; // after the bag that follows
    struct rng chance;        // garbage holes; never the pieces
};

struct tetris_view {
    uint8_t hidden[TETRIS_HIDDEN * TETRIS_WIDTH]; // rows -4..-1
    uint8_t cells[TETRIS_CELLS];                  // row 0 first
    struct tetris_piece piece;
    struct tetris_facts facts;
    uint8_t next[TETRIS_NEXT]; // kinds; 0 beyond the preview
    uint8_t ruleset;
    uint8_t listed;
    uint8_t goal;
    uint16_t goal_left; // lines, garbage rows or ticks until it is reached
    uint8_t zen;
    uint8_t preview;
};

extern const struct game tetris_game;

// Box origin plus these is cells (T3.42).
int tetris_left(int kind, int rotation);
int tetris_top(int kind, int rotation);
int tetris_span(int kind, int rotation); // columns it is wide
// The four cells relative to the box origin (T1.5).
struct tetris_cell {
    int8_t x, y;
};
const struct tetris_cell *tetris_cells(int kind, int rotation);

// Box y where the active piece would come to rest; there must be one.
int tetris_ghost(const struct tetris_view *v);

struct tetris_lock tetris_event_lock(const struct game_event *e);

// Why a placement is refused (T3.50); the wire tells the two apart.
enum tetris_refusal { TETRIS_PLACE_OK, TETRIS_PLACE_INVALID, TETRIS_PLACE_NO_HOLD };
enum tetris_refusal tetris_try_place(const struct tetris_state *s, struct game_action place);

// State hashes of the wire: T2.20 and T2.22. The event belongs to compat alone; NULL: none.
enum tetris_layout { TETRIS_HASH_AGON, TETRIS_HASH_COMPAT };
uint64_t tetris_hash(const struct tetris_state *s, enum tetris_layout layout, const struct tetris_lock *event);
// Its two steps, for callers that cache the field's hash while (episode_id, board_id) stays the same.
uint64_t tetris_hash_field(const struct tetris_state *s, enum tetris_layout layout);
uint64_t tetris_hash_rest(const struct tetris_state *s, enum tetris_layout layout, const struct tetris_lock *event,
                          uint64_t field);
