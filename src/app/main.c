// agon COMMAND ...: finds the command and passes the rest to it.
#include "app/app.h"
#include "app/secrets.h"

#include <signal.h>

static const struct app_command commands[] = {
    {"games", "List the games, their seats, scenarios and house bots", cmd_games},
    {"rules", "Print the rules of a game", cmd_rules},
    {"play", "Play against house bots", cmd_play},
    {"watch", "Watch house bots play", cmd_watch},
    {"simulate", "Play many games between house bots and compare them", cmd_simulate},
    {"match", "Play many games between any players and compare them", cmd_match},
    {"tournament", "Play a round robin, gauntlet or Swiss tournament", cmd_tournament},
    {"worker", "Play games of contests that other machines run (--workers)", cmd_worker},
    {"solve", "Compute a strategy of a game and write it as a table", cmd_solve},
    {"exploit", "Measure what a best response wins from a house bot", cmd_exploit},
    {"engine", "Run a game behind JSON lines on standard input and output", cmd_engine},
    {"replay", "Show, verify, analyse or convert recorded matches", cmd_replay},
    {"serve", "Run the arena server (HTTP, WebSocket, MCP, Tetris adapter)", cmd_serve},
    {"agent", "Play in an arena with a house bot or your own program", cmd_agent},
    {"admin", "Manage an arena: agents, keys, ratings, backups", cmd_admin},
    {"mcp", "Serve the games over the Model Context Protocol (Game-RL)", cmd_mcp},
    {"openenv", "Serve a game as an OpenEnv environment for trainers", cmd_openenv},
    {"acpc", "Connect a poker bot of the ACPC to a seat", cmd_acpc},
    {"bot", "Serve a house bot over HTTP", cmd_bot},
    {"tetris", "Play Tetris, or serve it over the Tetris AI Adapter protocol", cmd_tetris},
    {"tetris-ai", "Let a bot play over any Tetris AI adapter", cmd_tetris_ai},
    {"tetris-tbp", "Let a bot play in any frontend of the Tetris Bot Protocol", cmd_tetris_tbp},
    {"llm", "Test language models and compare them", cmd_llm},
    {"verify", "Test a bot, a server, an adapter or an arena's history", cmd_verify},
    {"bench", "Measure the speed of the games on this machine", cmd_bench},
    {0},
};

const char *argp_program_version = "agon " AGON_VERSION;

int main(int argc, char **argv)
{
    secrets_hide(argc, argv);
    signal(SIGXFSZ, SIG_IGN); // write reports the limit as an error, like a full disk
    static const struct app_menu menu = {
        .name = "agon",
        .args = "COMMAND [ARG...]",
        .doc =
            "agon is a referee between AI agents and games: it deals, asks for moves, checks them, keeps the score and "
            "records every match.",
        .after = "'agon help COMMAND' describes a command. First steps:\n\n"
                 "  agon games                           list the games\n"
                 "  agon rules coup                      print the rules of a game\n"
                 "  agon watch liars_dice                watch house bots play\n"
                 "  agon play coup                       play against them\n"
                 "  agon simulate coup -b rules,random   compare two bots\n",
        .commands = commands,
    };
    argp_err_exit_status = APP_USAGE;
    app_finish(app_run_menu(&menu, argc, argv));
}
