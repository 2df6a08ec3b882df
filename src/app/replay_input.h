// The replay file that a command of `agon replay` works on, and the options that several of them share: --key, the file
// itself, and a seat by number or name.
#pragma once

#include "app/replay_file.h"

#include <argp.h>

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

error_t replay_input_parse(struct replay_input *in, int key, char *arg,
                           struct argp_state *state); // each command calls this for keys it does not know
void replay_input_open(const struct replay_input *in,
                       struct loaded_replay *t); // ends the program when it cannot be played

// The seats that `text` means: a number, a label ("rules.2"), or a name, which several seats may have. Ends the program
// if there is none; `others` are further words that the option takes, as ", all or gallery".
seat_set replay_input_read_seats(const char *command, const struct loaded_replay *t, const char *text,
                                 const char *others);
int replay_input_read_seat(const char *command, const struct loaded_replay *t, const char *text,
                           const char *others); // the same, but only one seat may have the name
