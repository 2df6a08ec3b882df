// The commands of `agon replay`, each in a file of its own.
#pragma once

#include "app/tape.h"

int cmd_replay_show(int argc, char **argv);
int cmd_replay_verify(int argc, char **argv);
int cmd_replay_export(int argc, char **argv);
int cmd_replay_html(int argc, char **argv);
int cmd_replay_analyse(int argc, char **argv);

// The page of `replay html`, appended. False when this build has no rules for browsers, or the replay does not
// reproduce.
bool replay_put_html(struct text *out, const struct tape *t);

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

error_t replay_input_parse(struct replay_input *in, int key, char *arg, struct argp_state *state);
void replay_input_open(const struct replay_input *in, struct tape *t); // ends the program when it cannot be played
