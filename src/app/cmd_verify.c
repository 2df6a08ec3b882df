// agon verify COMMAND: checks other implementations, or the history of an arena.
#include "app/cmd_verify.h"

#include "app/app.h"

static const struct app_command commands[] = {
    {"bot", "Test a belote bot behind the Remote Bot API", cmd_verify_bot},
    {"gamerl", "Test a Game-RL server with the conformance suite", cmd_verify_gamerl},
    {"history", "Check the history of an arena on PostgreSQL", cmd_verify_history},
    {"tetris", "Test an adapter of the Tetris AI Adapter Standard", cmd_verify_tetris},
    {0},
};

int cmd_verify(int argc, char **argv)
{
    static const struct app_menu menu = {
        .name = "agon verify",
        .args = "COMMAND [ARG...]",
        .doc = "Test another implementation against its standard, or an arena against its own history.",
        .after = "'agon help verify COMMAND' describes a command.\n",
        .commands = commands,
    };
    return app_run_menu(&menu, argc, argv);
}
