// What an analysis has to know about a game to say why a match was lost (N20). Every member may be left out.
//
// A game may have parts that are won one by one: hands, rounds, deals. Then a decision is worth what it wins in its
// part. Otherwise it is worth what it does to the chance to win the match.
#pragma once

#include "base/text.h"
#include "bots/bot.h"
#include "bots/weigh.h"

// A decision in words.
struct analysis_words {
    const struct bot_ask *ask;
    const void *belief; // as `believe` filled it; NULL: the game has none
    const struct weighing *weighing;
    struct game_action played, better; // the same where nothing was better
    const char *const *seat;           // what seats are called
};

struct analysis_facts {
    const char *unit; // "antes", "big blinds"; NULL: winning chance, told in percent
    double floor;     // what is less is no mistake; 0: 1 %
    uint32_t work;    // worlds of a decision, or times the usual work of a reference that searches; 0: as usual

    const char *part;                       // "hand"; NULL: the match is one
    uint32_t (*part_of)(const void *state); // its number
    // What seats have won since `from`, where a part began, up to `now`: its end, or where it was cut short. NULL: what
    // the chances to win the match have moved (game_kit.chances), or payoffs where `pays`.
    void (*gain)(const void *from, const void *now, double out[GAME_MAX_SEATS]);
    bool pays; // what seats win are the payoffs, which are settled by parts

    // Worlds. `believe` fills a block from what a seat knows; `imagine` draws a state from it, whose view is that of
    // the question. NULL: game.imagine.
    uint32_t belief_size;
    void (*believe)(void *belief, const struct bot_ask *ask);
    void (*imagine)(void *belief, void *state, const struct bot_ask *ask, struct rng *dice);
    // Who plays on in them: `play` with the belief (NULL in deals that nobody has looked at), or a bot. NULL: a quick
    // one of the house.
    struct game_action (*play)(void *belief, const struct bot_ask *ask);
    const struct bot *playout;
    bool open_minds;  // minds of the playout's bot are made of what everybody sees, so those of all seats are alike
    uint32_t longest; // actions of a playout; 0: 2000
    uint32_t continuations; // of a deal, to tell what it is worth; 0: 100
    // Draws the chance of the next step anew and nothing else, where chance comes in the middle of a part. NULL: it
    // comes at its beginning.
    void (*redraw)(void *state, struct rng *dice);
    bool (*draws)(const void *before, int seat, struct game_action a, const void *after); // the step used chance

    double (*luck_unit)(const void *state); // of games whose contest tells luck in points: units of a point; NULL: one

    // Whether two answers are the same but for a few chips. NULL: only equal ones are.
    bool (*alike)(struct game_action a, struct game_action b);
    // Answers worth weighing besides the listed ones, the played one and the reference's: raises. How many.
    int (*candidates)(const struct bot_ask *ask, struct game_action *out, int room);
    void (*explain)(struct text *t, const struct analysis_words *w); // sentences about what was known then
};
