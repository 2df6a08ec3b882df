// What an analysis must know about a game to say why a match was lost (N20). Every member is optional.
//
// A game may have parts that are won separately: hands, rounds, deals. Then the value of a decision is what it wins in
// its part. Otherwise it is how much it changes the chance to win the match.
#pragma once

#include "base/text.h"
#include "bots/action_values.h"
#include "bots/bot.h"

// A decision to be explained in words.
struct analysis_words {
    const struct bot_ask *ask;
    const void *belief; // filled by `believe`; NULL: the game has none
    const struct action_values *values;
    struct game_action played, better; // equal if nothing was better
    const char *const *seat;           // names of the seats
};

struct analysis_facts {
    const char *unit; // "antes", "big blinds"; NULL: winning chance, in percent; for one seat its payoff, in points
    double floor;     // a smaller loss is no mistake; 0: 1 %
    uint32_t work;    // worlds per decision, or a multiple of the usual work of a searching reference; 0: default

    const char *part;                       // "hand"; NULL: the match has no parts
    uint32_t (*part_of)(const void *state); // number of the part
    // What seats have won from `from`, the beginning of a part, to `now`, its end or where it was cut short. NULL: the
    // change of the chances to win the match (game_kit.chances), or the payoffs if `pays`.
    void (*gain)(const void *from, const void *now, double out[GAME_MAX_SEATS]);
    bool pays; // seats win the payoffs, which are settled by parts

    // Possible worlds. `believe` fills a block from what a seat knows; `imagine` draws a state from it that has the
    // view of the question. NULL: game.imagine.
    uint32_t belief_size;
    void (*believe)(void *belief, const struct bot_ask *ask);
    void (*imagine)(void *belief, void *state, const struct bot_ask *ask, struct rng *dice);
    // The player in these worlds: `play` with the belief (NULL in deals that were not examined), or a bot. NULL: a fast
    // house bot.
    struct game_action (*play)(void *belief, const struct bot_ask *ask);
    const struct bot *playout;
    bool open_minds;  // minds of the playout bot contain public information only, so all seats' minds are the same
    uint32_t longest; // most actions of a playout; 0: 2000
    uint32_t continuations; // playouts of a deal to find its value; 0: 100
    // Draws the chance of the next step again and nothing else, for games with chance in the middle of a part. NULL:
    // chance comes at its beginning.
    void (*redraw)(void *state, struct rng *dice);
    // Whether the step used chance.
    bool (*draws)(const void *before, int seat, struct game_action a, const void *after);

    // For games whose contest measures luck in points: units of a point; NULL: one.
    double (*luck_unit)(const void *state);

    // Whether two answers differ by a few chips at most. NULL: only equal ones count as alike.
    bool (*alike)(struct game_action a, struct game_action b);
    // Answers to evaluate besides the listed ones, the played one and the reference's: raises. Returns how many.
    int (*candidates)(const struct bot_ask *ask, struct game_action *out, int room);
    // Writes sentences about what was known at the time.
    void (*explain)(struct text *t, const struct analysis_words *w);
};
