// Why a match was lost (N20): compares every decision of a replay with the choice of a house bot, estimates what it
// cost, and separates luck.
//
//     analysis_open(&a, &replay, &options);   reads the replay
//     analysis_run(&a);                     evaluates, on threads; takes seconds to minutes
//     analysis_write_text(&a, &text) or analysis_write_json
//     analysis_close(&a)
//
// Losses depend only on what the seat knew: the evaluation gets a question, never a state (N20.1). Luck and results are
// judged with all cards open.
#pragma once

#include "playback/loaded_replay.h"

#include <stdatomic.h>

enum {
    ANALYSIS_WORST = 5,    // decisions of a seat that are weighed again and explained (N20.4)
    ANALYSIS_PATH = 64,    // actions of a part, in games that are walked whole
    ANALYSIS_WORDS = 1024, // bytes of an explanation
};

struct analysis_options {
    const struct bot *reference; // NULL: house:5
    uint32_t work;               // worlds of a decision, or a multiple of the usual search work; 0: the game's default
    uint64_t seed;
    int threads;
    seat_set seats; // whose decisions are evaluated; 0: all
    bool no_luck;   // luck is not computed
    // The other player of a contest, to find where the two differ; NULL: none. By seat: who is asked what it would have
    // done.
    const struct bot *other[GAME_MAX_SEATS];
    void (*progress)(void *owner, uint32_t done, uint32_t all); // from any thread, one call at a time; may be NULL
    void *owner;
    const atomic_bool *stop; // when set, analysis_run returns false soon; may be NULL
};

// What a seat knew when it was asked.
struct analysis_question {
    const struct game_kit *kit;
    int seat, seats;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count;
    struct game_action fallback;
    uint64_t mind[BOT_MAX_MIND / 8]; // of the reference
    uint64_t open[BOT_MAX_MIND / 8]; // of the playout bot, if minds contain public information only
    // The actions of this part so far, for games that are enumerated completely.
    struct {
        uint8_t seat;
        struct game_action action;
    } path[ANALYSIS_PATH];
    int path_count;
    union game_state redrawn; // games without `imagine`: a state that looks the same to the seat
};

// The evaluation of a decision.
struct analysis_verdict {
    double loss, error;               // in units; standard error of the loss
    double value;                     // of the played answer
    struct game_action house, better; // the reference's choice; the best answer, or the played one
    float share;                      // probability of the played answer in the reference's mix; -1: it does not mix
    bool mixes;                       // N20.3: the reference also plays it, so it cost nothing
    bool mistake;                     // N20.2
    bool exact;
    uint64_t worlds; // number evaluated
};

struct analysis_decision {
    struct analysis_question *question; // NULL: there was no choice
    uint64_t step;                      // in the replay: the state before it has done step - 1
    uint32_t part;
    uint8_t seat, phase;
    bool silent; // played because time ran out
    struct game_action played, other;
    double first_loss; // of the first evaluation, which `other_verdict` also had
    bool differs;      // the other player of the contest would have played `other`
    struct analysis_verdict verdict, other_verdict;
    char *words; // explanation of the costliest; NULL: none
};

// N20.5: result = own + others + luck + rest. Variances are of the estimates.
struct analysis_seat {
    double result, own, others, luck, rest;
    double own_variance, others_variance, luck_variance;
    uint32_t decisions, choices, mistakes; // `choices`: decisions with more than one answer
};

struct analysis {
    const struct loaded_replay *replay;
    const struct game_kit *kit;
    struct analysis_options options;
    int seats;
    bool complete; // the match was played to its end
    uint64_t steps;
    struct analysis_decision *decision;
    uint32_t decisions, decision_room;
    union game_state *part; // where parts began, and the end
    uint64_t *part_step;    // steps done where each of them began
    uint32_t parts, part_room;
    struct analysis_seat seat[GAME_MAX_SEATS];
    uint32_t worst[GAME_MAX_SEATS][ANALYSIS_WORST]; // by seat: indexes of the costliest decisions
    int worst_count[GAME_MAX_SEATS];
    char label[GAME_MAX_SEATS][LOADED_REPLAY_LABEL_ROOM]; // names, made unique where two seats have the same
    const char *name[GAME_MAX_SEATS];                     // the same as pointers, for codecs
};

// OK, or why the replay cannot be played; then nothing has to be closed.
int analysis_open(struct analysis *a, const struct loaded_replay *replay, const struct analysis_options *o);
// False: it was stopped. Some decisions have no verdict then, not even an action of the house, and must not be written.
bool analysis_run(struct analysis *a);
void analysis_close(struct analysis *a);

void analysis_write_text(const struct analysis *a, struct text *t);
void analysis_write_json(const struct analysis *a, struct text *t); // an object
const char *analysis_unit(const struct game_kit *k);                // "winning chance" if the game has no unit
double analysis_floor(const struct game_kit *k);

// --- parts, for tests and contests

// What a seat knows in a state; the caller sets minds and path. `state` is redrawn before any of it is kept.
void analysis_question_fill(struct analysis_question *p, const struct game_kit *k, const void *state, int seat,
                            int seats);
// The value of this answer compared with others; `work` as in the options, 0: default. From any thread.
struct analysis_verdict analysis_evaluate(const struct analysis_question *p, const struct bot *reference,
                                          struct game_action played, uint32_t work, struct rng dice, struct text *words,
                                          const char *const *names);
// What luck gave the seats at the beginning of a part, with variances. `times` playouts, 0: default.
void analysis_deal_luck(const struct game_kit *k, const void *state, int seats, uint32_t times, struct rng dice,
                        double out[GAME_MAX_SEATS], double variance[GAME_MAX_SEATS]);
// What luck gave in a whole replay; uses only seed and stop of the options.
int analysis_luck(const struct game_kit *k, const struct loaded_replay *replay, uint32_t times,
                  const struct analysis_options *o, double out[GAME_MAX_SEATS], double variance[GAME_MAX_SEATS]);
// What seats won between two states.
void analysis_gain(const struct game_kit *k, const void *from, const void *now, int seats, double out[GAME_MAX_SEATS]);
