// The console of a person at the terminal: the table, what happened, the moves to choose from, and a line to type.
//
// On a terminal it is a page that is drawn in place (tui/page.h), with keys; otherwise lines are read and printed. Only
// console_ask, console_pause and console_wait_enter wait, so that an event loop can pass keys and lines itself.
#pragma once

#include "app/games.h"
#include "tui/screen.h"

enum { CONSOLE_LINE = 256, CONSOLE_TITLE = 128, CONSOLE_NOTICE = 4096 };

// The current state of the table, for the person at the console.
struct console_scene {
    const struct game_kit *row;
    struct codec_table table; // its names must live as long as the console
    const void *view;         // of table.viewer; copied
    const struct game_choice *choices;
    int count; // 0: the person is not asked
};

struct console_owner {
    void *owner;
    // May write nothing and call console_set_notice later; NULL: no hints.
    void (*put_hint)(void *owner, struct text *out);
    void (*put_rules)(void *owner, struct text *out);
    const char *quit; // what leaving means: "The game is kept; go on later with --resume."
};

enum console_event { CONSOLE_NOTHING, CONSOLE_MOVE, CONSOLE_QUIT };

enum console_mode { CONSOLE_PLAYS, CONSOLE_QUITS, CONSOLE_READS };

struct console {
    const struct console_owner *owner;
    bool live;     // a page on a terminal
    bool is_asked; // asked for a move
    bool fresh;    // the question was not printed yet
    char title[CONSOLE_TITLE];
    struct text log; // what happened, one event per line: appended by the owner
    struct screen screen;
    enum console_mode mode;
    const struct game_kit *row;
    struct codec_table table; // for the list of moves
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count, chosen;
    int32_t amount; // of the chosen move
    int scroll;     // of the text being read
    int moves;      // how often the person was asked
    int reserved;   // rows kept for the list while there is none
    char input[CONSOLE_LINE], notice[CONSOLE_NOTICE];
    struct text picture, list, reading, bytes;
    size_t printed; // bytes of the log already printed
};

void console_open(struct console *con, const struct console_owner *owner, const char *title);
void console_close(struct console *con); // restores the terminal, with the last picture and notice on it
void console_set(struct console *con, const struct console_scene *s);
void console_set_notice(struct console *con, const char *format, ...) __attribute__((format(printf, 2, 3))); // "": none
void console_draw(struct console *con); // live: draws the page; else prints what is new, and the question once

// Handles a key (screen_wait_key), or a line of input; NULL: the input has ended.
enum console_event console_take_key(struct console *con, int key, struct game_action *out);
enum console_event console_take_line(struct console *con, const char *line, struct game_action *out);

// Waits for a move, or until the person leaves.
enum console_event console_ask(struct console *con, struct game_action *out);
// Shows the page for so long, or until a key is pressed. Returns false if the person leaves. Does not wait without a
// page.
bool console_pause(struct console *con, double ms);
// Set by Ctrl-C, for a caller that waits for something else.
volatile sig_atomic_t *console_interrupt(struct console *con);
bool console_confirms_quit(struct console *con);
// Shows the result over the last picture; with a page until Enter.
void console_show_end(struct console *con, const char *result);
// Shows text until Enter, without the table if two people share a terminal. Returns false if the person leaves.
bool console_wait_enter(struct console *con, bool hide_table, const char *words);
