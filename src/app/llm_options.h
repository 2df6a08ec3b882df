// Options about language models, and their life in a contest: opened, journaled, reported.
#pragma once

#include "contest/journal.h"
#include "contest/play.h"
#include "llm/models.h"

#include <argp.h>
#include <stdio.h>

enum { LLM_SETTINGS = 2048 };

struct llm_flags {
    struct llm_options run;
    char settings[LLM_SETTINGS]; // of --llm, joined
    bool strict, replay_anyway;
    const char *chat, *report; // files; NULL: none
    enum llm_chat_unit chat_unit;
    bool chat_good;
};

extern const struct argp llm_run_argp;   // a child parser: which models, and what they may spend
extern const struct argp llm_serve_argp; // the same, for agon serve
extern const struct argp llm_argp;       // the same with the options of a contest

// The models of a contest. NULL members: there are none.
struct llm_players {
    struct llm_models *models;
    struct contest *contest;
    struct journal *journal;
    FILE *chat;
    const char *replays; // folder of the games' replays; NULL: none are kept
    const struct llm_flags *flags;
};

void llm_print_warning(void *owner, const char *text); // a handler for llm_models_warn: to standard error
// Adds every entrant that is a model. Invalid ones end the program with status 2.
void llm_players_open(struct llm_players *p, const struct llm_flags *f, const char *command, struct contest *c,
                      struct contest_run *run, struct loop *loop, bool verbose, int turn_ms);
void llm_players_close(struct llm_players *p);
void llm_players_read_note(void *owner, struct span line); // of the journal; owner: struct llm_players
// Decisions are written there from now on.
void llm_players_set_journal(struct llm_players *p, struct journal *j, bool is_new);
void llm_players_end_game(struct llm_players *p, uint64_t index); // a game is over: writes its chat
// Returns 0; 2 after a permanent error, which was reported; 3 if a limit stopped it and --strict was given.
int llm_players_status(const struct llm_players *p, const char *command);
