// The commands of `agon replay`, each in a file of its own.
#pragma once

#include "analysis/analysis.h"
#include "app/tape.h"

int cmd_replay_show(int argc, char **argv);
int cmd_replay_verify(int argc, char **argv);
int cmd_replay_export(int argc, char **argv);
int cmd_replay_html(int argc, char **argv);
int cmd_replay_analyse(int argc, char **argv);

// The page of `replay html`, appended, with an analysis of it as JSON (empty: none). False when this build has no rules
// for browsers, or the replay does not reproduce.
enum replay_viewer {
    REPLAY_WHOLE, // the page's own screen; the small one where the build has no page, and for games moved by time
    REPLAY_SMALL, // a text picture and a scrubber, a third of the bytes; works in a frame without an origin
};
bool replay_put_html(struct text *out, const struct loaded_replay *t, struct span analysis, enum replay_viewer viewer);

// Walks and weighs; ends the program when the replay does not reproduce.
void replay_show_progress(void *owner, uint32_t done, uint32_t all); // for its options, on a terminal
void replay_analyse(struct analysis *a, const struct loaded_replay *t, const struct analysis_options *o);
// A house player that can be a reference; NULL: the game has none of this name. Ends the program for one with a clock.
const struct bot *replay_find_reference(const char *command, const char *option, const struct game_kit *k,
                                        const char *name);

// The options that several of them share: --key and the file itself. Each command calls this for keys it does not know.
struct replay_input {
    const char *path;
    bool has_key;
    uint8_t key[RNG_KEY_BYTES];
};

enum { REPLAY_OPTION_KEY = 0x100, REPLAY_OPTION_OWN }; // commands number their long options from OWN

#define REPLAY_KEY_OPTION                                                                                              \
    {                                                                                                                  \
        "key", REPLAY_OPTION_KEY, "HEX", 0, "Key of the match, 64 hex digits, if the file does not contain it", 0      \
    }

// The seats that `text` means: a number, a label ("rules.2"), or a name, which several seats may have. Ends the program
// if there is none; `others` are further words that the option takes, as ", all or gallery".
seat_set replay_read_seats(const char *command, const struct loaded_replay *t, const char *text, const char *others);
int replay_read_seat(const char *command, const struct loaded_replay *t, const char *text,
                     const char *others); // the same, but only one seat may have the name

error_t replay_input_parse(struct replay_input *in, int key, char *arg, struct argp_state *state);
void replay_input_open(const struct replay_input *in,
                       struct loaded_replay *t); // ends the program when it cannot be played
