// agon COMMAND ...: finds the command and hands the rest to it.
#include "app/app.h"
#include "app/secrets.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct app_command commands[] = {
    {"games", "list what can be played, and by which house bots", cmd_games},
    {"rules", "tell how a game is played", cmd_rules},
    {"watch", "watch house bots play", cmd_watch},
    {"simulate", "play many games with house bots and compare them", cmd_simulate},
    {"match", "play many games between any players and say who is better", cmd_match},
    {"tournament", "the same for more than two: everyone, one against all, or Swiss", cmd_tournament},
    {"engine", "put a game behind JSON lines on standard input and output", cmd_engine},
    {"replay", "look at a match again, verify it, take it apart", cmd_replay},
    {"serve", "serve agents: HTTP, WebSocket, MCP and the Tetris adapter", cmd_serve},
    {"agent", "play in an arena: a house bot or a program of yours", cmd_agent},
    {"admin", "look after an arena: agents, keys, ratings, backups", cmd_admin},
    {"mcp", "put the games behind the Model Context Protocol (Game-RL)", cmd_mcp},
    {"bot", "serve a house bot to engines elsewhere, over HTTP", cmd_bot},
    {"tetris", "play, or serve agents over the Tetris AI Adapter protocol", cmd_tetris},
    {"tetris-ai", "an agent that plays Tetris over any adapter", cmd_tetris_ai},
    {"verify", "check what runs elsewhere against its standard", cmd_verify},
    {"bench", "measure the games on this machine", cmd_bench},
    {0},
};

const char *argp_program_version = "agon " AGON_VERSION;

int main(int argc, char **argv)
{
    secrets_hide(argc, argv);
    signal(SIGXFSZ, SIG_IGN); // a limit of file sizes is a full disk: told by write, survived
    static const struct app_menu menu = {
        .name = "agon",
        .args = "COMMAND [ARG...]",
        .doc = "agon is the referee between AI agents and games: it deals, asks, checks, scores and records.\v",
        .after = "'agon COMMAND --help' tells more about a command. To begin with:\n\n"
                 "  agon games                           what can be played\n"
                 "  agon rules coup                      how it is played\n"
                 "  agon watch liars_dice                house bots at the table, live\n"
                 "  agon simulate coup -b rules,random   who plays better?\n",
        .commands = commands,
    };
    argp_err_exit_status = APP_USAGE;
    int status = app_run_menu(&menu, argc, argv);
    if (fflush(stdout) || ferror(stdout))
        app_die("cannot write the output: %s", strerror(errno));
    return status;
}
