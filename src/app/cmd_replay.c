// agon replay COMMAND FILE: shows, verifies, cuts and converts matches.
#include "app/cmd_replay.h"

#include "app/app.h"

#include <stddef.h>

static const struct app_command commands[] = {
    {"show", "Step through a match in the terminal, or print it", cmd_replay_show},
    {"verify", "Play a match again and compare the hashes", cmd_replay_verify},
    {"info", "Print what a replay file contains", cmd_replay_info},
    {"export", "Write a match as JSON, a step log or poker hands", cmd_replay_export},
    {"html", "Write a match as one HTML file that shows and verifies it", cmd_replay_html},
    {"analyse", "Say what each decision of a match cost, and what was luck", cmd_replay_analyse},
    {"import", "Convert a step log or poker hand to a replay", cmd_replay_import},
    {"cut", "Write the first steps as a new replay", cmd_replay_cut},
    {0},
};

int cmd_replay(int argc, char **argv)
{
    static const struct app_menu menu = {
        .name = "agon replay",
        .args = "COMMAND FILE...",
        .doc = "Work with replay files. A replay reproduces its match exactly.",
        .after =
            "'agon help replay COMMAND' describes a command. Tetris step logs (AGT1) are accepted as replay files.\n",
        .commands = commands,
    };
    return app_run_menu(&menu, argc, argv);
}
