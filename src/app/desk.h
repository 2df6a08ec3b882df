// The place of a person at the terminal: the table, what happened, the moves to choose from, and a line to type.
//
// On a terminal it is a page that is drawn in place (tui/page.h), with keys; otherwise lines are read and printed. Only
// desk_ask, desk_pause and desk_wait_enter wait, so that an event loop can pass keys and lines itself.
#pragma once

#include "app/games.h"
#include "tui/screen.h"

enum { DESK_LINE = 256, DESK_TITLE = 128, DESK_NOTICE = 4096 };

// The current state of the table, for the person at the desk.
struct desk_scene {
    const struct game_kit *row;
    struct codec_table table; // its names must live as long as the desk
    const void *view;         // of table.viewer; copied
    const struct game_choice *choices;
    int count; // 0: the person is not asked
};

struct desk_owner {
    void *owner;
    void (*put_hint)(void *owner, struct text *out); // may write nothing and call desk_set_notice later; NULL: no hints
    void (*put_rules)(void *owner, struct text *out);
    const char *quit; // what leaving means: "The game is kept; go on later with --resume."
};

enum desk_event { DESK_NOTHING, DESK_MOVE, DESK_QUIT };

enum desk_mode { DESK_PLAYS, DESK_QUITS, DESK_READS };

struct desk {
    const struct desk_owner *owner;
    bool live;     // a page on a terminal
    bool is_asked; // asked for a move
    bool fresh;    // the question was not printed yet
    char title[DESK_TITLE];
    struct text log; // what happened, one event per line: appended by the owner
    struct screen screen;
    enum desk_mode mode;
    const struct game_kit *row;
    struct codec_table table; // for the list of moves
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count, chosen;
    int32_t amount; // of the chosen move
    int scroll;     // of the text being read
    int moves;      // how often the person was asked
    int reserved;   // rows kept for the list while there is none
    char input[DESK_LINE], notice[DESK_NOTICE];
    struct text picture, list, reading, bytes;
    size_t printed; // bytes of the log already printed
};

void desk_open(struct desk *d, const struct desk_owner *owner, const char *title);
void desk_close(struct desk *d); // restores the terminal, with the last picture and notice on it
void desk_set(struct desk *d, const struct desk_scene *s);
void desk_set_notice(struct desk *d, const char *format, ...) __attribute__((format(printf, 2, 3))); // "": none
void desk_draw(struct desk *d); // live: draws the page; else prints what is new, and the question once

// Handles a key (screen_wait_key), or a line of input; NULL: the input has ended.
enum desk_event desk_take_key(struct desk *d, int key, struct game_action *out);
enum desk_event desk_take_line(struct desk *d, const char *line, struct game_action *out);

// Waits for a move, or until the person leaves.
enum desk_event desk_ask(struct desk *d, struct game_action *out);
// Shows the page for so long, or until a key is pressed. Returns false if the person leaves. Does not wait without a
// page.
bool desk_pause(struct desk *d, double ms);
volatile sig_atomic_t *desk_interrupt(struct desk *d); // set by Ctrl-C, for a caller that waits for something else
bool desk_confirms_quit(struct desk *d);
// Shows the result over the last picture; with a page until Enter.
void desk_show_end(struct desk *d, const char *result);
// Shows text until Enter, without the table if two people share a terminal. Returns false if the person leaves.
bool desk_wait_enter(struct desk *d, bool hide_table, const char *words);
