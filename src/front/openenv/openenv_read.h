// Parses requests of OpenEnv clients into structs (O13, O15, O21, O22, O40, O41). It knows no session and changes
// nothing; spans point into the request. The first fault is described in the words of the reference's validator.
#pragma once

#include "base/json_read.h"
#include "base/text.h"
#include "kit/kit.h"

enum {
    OPENENV_NAME = 65,     // for the name of a table, a scenario, a join word
    OPENENV_SAID = 120,    // for the sentence of a fault
    OPENENV_EPISODE = 256, // for the id of an episode or request
    OPENENV_PARAMS = 32,   // different parameters of all actions of a game
    OPENENV_INPUT = 200,   // bytes of an invalid value that are reported (O13)
    OPENENV_WARNINGS = 8,
};

// The error of a request; type NULL: none.
struct openenv_fault {
    const char *type, *msg; // pydantic's name of it, and its sentence; NULL: `said`
    char said[OPENENV_SAID];
    char loc[2][OPENENV_NAME];
    struct span input; // JSON
};
const char *openenv_fault_text(const struct openenv_fault *f);
// [{"type","loc","msg","input"}]; `body`: loc begins with "body".
void openenv_write_fault(struct text *t, const struct openenv_fault *f, bool body);

// --- a message on /ws

enum openenv_kind { OPENENV_RESET, OPENENV_STEP, OPENENV_STATE, OPENENV_MCP, OPENENV_CLOSE, OPENENV_UNKNOWN };

struct openenv_message {
    enum openenv_kind kind;
    struct span type; // raw, for OPENENV_UNKNOWN
    struct span data; // an object
};
// OK; ERR_JSON and the like: not JSON; ERR_TYPE: a fault.
int openenv_read_message(struct span text, struct openenv_message *m, struct openenv_fault *f);

// --- options of a reset

enum openenv_illegal { OPENENV_OBSERVE, OPENENV_FALLBACK, OPENENV_FORFEIT, OPENENV_ERROR };
enum openenv_text { OPENENV_FULL, OPENENV_BRIEF, OPENENV_OFF };
enum { OPENENV_ANY_SEAT = -1, OPENENV_RANDOM_SEAT = -2 };

struct openenv_reset {
    bool has_seed, seeded, vector, inputs;
    uint64_t seed;
    char episode[OPENENV_EPISODE]; // "": not given
    char scenario[OPENENV_NAME], table[OPENENV_NAME], join[OPENENV_NAME], split[OPENENV_NAME];
    int64_t index; // of a task; -1: none
    int seats;     // 0: the scenario's
    int seat;      // or one of the two above
    int players;   // 0: not given
    int illegal, max_illegal, text;
    double wait_s;                        // negative: not given
    struct span rules, opponents;         // JSON, or empty
    struct span warned[OPENENV_WARNINGS]; // options that are not known, as they came
    int warnings;
};
bool openenv_read_reset(struct span data, struct openenv_reset *o, struct openenv_fault *f);

// --- an action

enum openenv_form { OPENENV_TYPED, OPENENV_NUMBERED, OPENENV_SPOKEN, OPENENV_WAITS, OPENENV_LISTS, OPENENV_CALLS };

struct openenv_action {
    enum openenv_form form;
    struct span object;             // of OPENENV_TYPED: the action
    bool has_null;                  // some members are null: they are not there (O22)
    struct json_string type, words; // words: of OPENENV_SPOKEN, or the tool of OPENENV_CALLS
    int64_t number;
    struct span arguments; // of a tool
};
// Names of parameters that a game's actions may have; how many.
int openenv_list_params(const struct env_facts *facts, char names[OPENENV_PARAMS][40]);
bool openenv_read_action(struct span data, const char names[][40], int count, struct openenv_action *a,
                         struct openenv_fault *f);
void openenv_write_without_nulls(struct text *t, struct span object);
