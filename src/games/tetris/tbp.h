// The Tetris Bot Protocol: JSON lines between a frontend, which has the game, and a bot, which suggests moves. Both
// sides here: messages read and written, and the situation that both of them keep.
//
// A move is where a piece comes to rest: its kind, its orientation and the cell of its centre, columns from the left
// and rows from the bottom, both from 0. The centre is the point that a turn of SRS leaves in place; of O and I it goes
// round the middle of the box with the orientation.
#pragma once

#include "base/json_read.h"
#include "base/json_write.h"
#include "games/tetris/rules/tetris.h"

enum {
    TBP_ROWS = 40,  // of a board on the wire
    TBP_QUEUE = 32, // pieces that are kept of a queue
    TBP_MOVES = 32, // that are read of a suggestion
    TBP_NAME = 64,
    TBP_LINE = 1 << 16, // bytes of a line
};

enum tbp_type {
    TBP_OTHER, // of a type that is not known: to be ignored
    TBP_INFO,
    TBP_RULES,
    TBP_READY,
    TBP_ERROR,
    TBP_START,
    TBP_SUGGEST,
    TBP_SUGGESTION,
    TBP_PLAY,
    TBP_NEW_PIECE,
    TBP_STOP,
    TBP_QUIT,
};

struct tbp_move {
    uint8_t kind, rotation;
    uint8_t spin; // enum tetris_spin
    int8_t x, y;  // of the centre
};

// What both sides know of the game.
struct tbp_game {
    uint8_t cells[TBP_ROWS][TETRIS_WIDTH]; // row 0 is the lowest; codes of enum tetris_kind
    uint8_t hold;
    uint8_t queue[TBP_QUEUE]; // the active piece first
    int count;
    int32_t combo;
    bool back_to_back;
};

struct tbp_message {
    enum tbp_type type;
    struct tbp_game game;            // start
    struct tbp_move move[TBP_MOVES]; // suggestion; play has one
    int moves;
    uint8_t piece;       // new_piece
    char name[TBP_NAME]; // info: the bot's; error: the reason
    const char *wrong;   // why the line is no message; NULL: it is one
};

// False and `wrong` when the line is no message or lacks what its type needs. Unknown members are ignored.
bool tbp_read(struct tbp_message *m, struct span line);

// One line each, with its end.
void tbp_write_plain(struct text *t, enum tbp_type type); // without members
void tbp_write_info(struct text *t, const char *name, const char *version, const char *author);
void tbp_write_start(struct text *t, const struct tbp_game *g);
void tbp_write_suggestion(struct text *t, const struct tbp_move *moves, int count);
void tbp_write_play(struct text *t, struct tbp_move move);
void tbp_write_new_piece(struct text *t, int kind);

// The box of the piece of a move, and back.
struct tetris_piece tbp_piece(struct tbp_move m);
struct tbp_move tbp_move_of(int kind, int rotation, int box_x, int box_y);
bool tbp_same_cells(struct tbp_move a, struct tbp_move b); // whatever their orientations are called

void tbp_game_of(struct tbp_game *g, const struct tetris_view *v);
// Plays a move as a frontend would: hold by the kind, cells, full rows. False and unchanged when the kind is not at
// hand or cells lie outside or are taken.
bool tbp_game_play(struct tbp_game *g, struct tbp_move m);
bool tbp_game_add(struct tbp_game *g, int kind); // a new piece; false: the queue is full
// The same situation as a state of these rules, `listed` as there, for house bots. False when no piece comes in, or the
// queue is empty.
bool tbp_game_state(const struct tbp_game *g, int ruleset, int listed, struct tetris_state *s, struct tetris_view *v);
