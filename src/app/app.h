// The program: its subcommands, and what they share.
//
// Exit status everywhere: 0 done; 1 it ran and the answer is no, or it failed while running; 2 it could not start.
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum app_status { APP_DONE, APP_FAILED, APP_USAGE };

struct app_command {
    const char *name;
    const char *summary;               // one line, for the list of commands
    int (*run)(int argc, char **argv); // argv[0] is "agon NAME"; returns the exit status
};

// A command whose first word names another one: agon itself, agon replay.
struct app_menu {
    const char *name;                   // "agon replay"
    const char *args;                   // for the usage line
    const char *doc;                    // its purpose; options and the list of commands follow
    const char *after;                  // text below that list
    const struct app_command *commands; // ends with a NULL name
};

int app_run_menu(const struct app_menu *menu, int argc, char **argv); // returns the exit status of the command

int cmd_games(int argc, char **argv);
int cmd_rules(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_match(int argc, char **argv);
int cmd_tournament(int argc, char **argv);
int cmd_worker(int argc, char **argv);
int cmd_acpc(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_exploit(int argc, char **argv);
int cmd_engine(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_admin(int argc, char **argv);
int cmd_mcp(int argc, char **argv);
int cmd_openenv(int argc, char **argv);
int cmd_bot(int argc, char **argv);
int cmd_tetris_ai(int argc, char **argv);
int cmd_tetris_tbp(int argc, char **argv);
int cmd_tetris(int argc, char **argv);
int cmd_llm(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_bench(int argc, char **argv);

// Values of options. A value that is not a number in the range, or not one of the words, ends the program with status 2
// and a message that says what would be right.
uint64_t app_read_uint(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max);
double app_read_real(struct argp_state *state, const char *option, const char *text, double min, double max);
int app_read_word(struct argp_state *state, const char *option, const char *text,
                  const char *const *words); // returns its index

// Adds the value of a repeatable option to a list of origins for CORS, with room for `max`. Refuses what is no origin.
void app_add_origin(struct argp_state *state, const char *option, const char *text, const char **list, int *count,
                    int max);

// Options that set a member of a settings struct and do nothing else: APP_VALUE a text or a switch, APP_NUMBER a
// number. A key may have several rows: a number, and a switch that says that it was given. {0} ends the list.
enum app_type { APP_NONE, APP_TEXT, APP_SWITCH, APP_INT, APP_INT64, APP_UINT64 };
struct app_value {
    int key;
    enum app_type type;
    size_t at, size;    // of the member
    const char *option; // "--port", for messages about a number
    uint64_t min, max;
};
// clang-format off
#define APP_VALUE(key, settings, member) \
    {key, _Generic(((settings *)0)->member, const char *: APP_TEXT, bool: APP_SWITCH), \
     offsetof(settings, member), sizeof(((settings *)0)->member), NULL, 0, 0}
#define APP_NUMBER(key, option, settings, member, min, max) \
    {key, _Generic(((settings *)0)->member, int: APP_INT, uint32_t: APP_INT, int64_t: APP_INT64, uint64_t: APP_UINT64), \
     offsetof(settings, member), sizeof(((settings *)0)->member), option, min, max}
// clang-format on
bool app_take_value(struct argp_state *state, const struct app_value *values, int key, const char *arg,
                    void *settings); // false: `key` is not one of them

// Reports an error in the command line and ends the program with status 2.
_Noreturn void app_refuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Reports that the address is not available; `option` chooses another port. Returns APP_USAGE.
int app_report_address(const char *command, const char *host, unsigned port, const char *option, int err);

// Reports a failure that does not end the program.
void app_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Reports a failure of the machine (memory, disk) and ends the program with status 1.
_Noreturn void app_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void app_finish(int status); // exits with it, or with APP_FAILED if the output could not be written
