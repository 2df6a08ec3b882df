// A person's place at the terminal: the table, what happened, the moves to choose from, and a line to type.
//
// On a terminal it is a page that is drawn in place (tui/page.h), with keys; otherwise lines are read and printed.
// Nothing here waits except desk_ask, desk_pause and desk_wait_enter, so that an event loop can feed keys and lines
// itself.
#pragma once

#include "app/games.h"
#include "tui/screen.h"

enum { DESK_LINE = 256, DESK_TITLE = 128, DESK_NOTICE = 4096 };

// What is on the table now, for the person who looks at it.
struct desk_scene {
    const struct game_kit *row;
    struct codec_table table; // its names live as long as the desk
    const void *view;         // of table.viewer; copied
    const struct game_choice *choices;
    int count; // 0: the person is not asked
};

struct desk_owner {
    void *owner;
    void (*put_hint)(void *owner, struct text *out); // may put nothing and call desk_set_notice later; NULL: no hints
    void (*put_rules)(void *owner, struct text *out);
    const char *quit; // what leaving means: "The game is kept; go on later with --resume."
};

enum desk_event { DESK_NOTHING, DESK_MOVE, DESK_QUIT };

enum desk_mode { DESK_PLAYS, DESK_QUITS, DESK_READS };

struct desk {
    const struct desk_owner *owner;
    bool live;     // a page on a terminal
    bool is_asked; // for a move
    bool fresh;    // the question has not been printed yet
    char title[DESK_TITLE];
    struct text log; // what happened, one event a line: the owner appends
    struct screen screen;
    enum desk_mode mode;
    const struct game_kit *row;
    struct codec_table table; // offers what can be done
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count, chosen;
    int32_t amount; // of the chosen one
    int scroll;     // of the text that is read
    int moves;      // how often the person was asked
    int reserved;   // rows for the list while there is none
    char input[DESK_LINE], notice[DESK_NOTICE];
    struct text picture, list, reading, bytes;
    size_t told; // of the log, where it is printed
};

void desk_open(struct desk *d, const struct desk_owner *owner, const char *title);
void desk_close(struct desk *d); // the terminal is as it was, with the last picture and notice on it
void desk_set(struct desk *d, const struct desk_scene *s);
void desk_set_notice(struct desk *d, const char *format, ...) __attribute__((format(printf, 2, 3))); // "": none
void desk_draw(struct desk *d); // live: the page; else what is new, and once the question

// A key (screen_wait_key), or a line of input; NULL: the input has ended.
enum desk_event desk_take_key(struct desk *d, int key, struct game_action *out);
enum desk_event desk_take_line(struct desk *d, const char *line, struct game_action *out);

// Waits for a move or for the person to leave.
enum desk_event desk_ask(struct desk *d, struct game_action *out);
// Shows the page for so long, or until a key is pressed. False: the person leaves. Without a page it does not wait.
bool desk_pause(struct desk *d, double ms);
volatile sig_atomic_t *desk_interrupt(struct desk *d); // set by Ctrl-C, for whoever waits for something else; then:
bool desk_confirms_quit(struct desk *d);
// The result over the last picture, until Enter where there is a page.
void desk_show_end(struct desk *d, const char *result);
// Words until Enter, without the table where two people share a terminal. False: the person leaves.
bool desk_wait_enter(struct desk *d, bool hide_table, const char *words);
