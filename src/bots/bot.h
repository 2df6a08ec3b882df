// House bots. They get views, never states, and draw random numbers from their own stream.
//
// A bot may have a memory, its mind: mind_size bytes without pointers, owned by the runner. `begin` initialises it for
// a match, `observe` is called after every step that its seat sees, and `choose` only reads it. So it can be copied,
// saved, hashed, and rebuilt from the log (bots/minds.h). A mind is a function of what its seat may see. With mind_size
// 0 neither function is called.
#pragma once

#include "game/game.h"

enum { BOT_MAX_MIND = 4096 };

struct bot;
struct action_values;

struct bot_ask {
    const struct bot *bot; // the bot that is asked, for its styles and its table
    const struct game *game;
    const void *view; // this seat's view
    int seat;
    int seats;
    const struct game_choice *choices; // what the seat may do; at least one
    int count;
    struct game_action fallback; // the game's move for silent players
    float aggro;                 // 0..1, normally 0.5: shifts raising and bluffing (G22.10)
    struct rng *dice;
    uint32_t effort; // for bots that search: multiple of the usual work; 0: once
    // NULL: the work is set by effort, so that answers are repeatable. Otherwise the bot searches until this returns
    // true, and calls it at least every half millisecond (N1.9).
    bool (*out_of_time)(void *clock);
    void *clock;
    const void *mind; // of this seat; NULL if mind_size is 0
    void *scratch;    // scratch_size bytes of the thread, aligned to 64, uninitialised; NULL if that is 0
};

// What a seat may see of one step of a match: an action, a tick, or the start of the match.
struct bot_news {
    const struct game *game;
    int seat;
    int seats;
    const struct game_event *events; // those that this seat may see, in order
    uint32_t count;                  // 0: only the view has changed, or the protocol has no events (N1.7)
    uint32_t ticks;                  // ticks in it: 0 or 1
    const void *view;                // of this seat, after the step
};

enum { BOT_MAX_MIX = 32 };

// An answer and its probability.
struct bot_mix {
    struct game_action action;
    float share;
};

// Styles of play (N2.5); options of a level that supports them.
enum bot_style { BOT_TIGHT = 1, BOT_LOOSE = 2, BOT_BLUFFER = 4, BOT_CALLER = 8, BOT_MODEL = 16 };

// A solved strategy (`agon solve`) as bytes, provided by the program that runs the bot: the program contains them; a
// browser loads them when such a bot is chosen (wasm/bots/table.c), and has none before.
struct bot_table {
    const char *at;
    const size_t *size; // 0: the bytes are not loaded, and bots that need them must not be asked
};

struct bot {
    const char *name; // "random"
    const char *game; // the one game it plays; NULL: any
    struct game_action (*choose)(const struct bot_ask *ask);
    bool thinks;           // takes milliseconds or more: a server runs it on a thread
    bool blind;            // needs only choices and fallback: its view need not be filled
    uint8_t knows;         // set of enum bot_style that it supports
    uint8_t styles;        // those requested
    uint32_t mind_size;    // at most BOT_MAX_MIND, a multiple of 8; 0: no memory
    uint32_t scratch_size; // work space of a decision; 0: the stack is enough
    void (*begin)(void *mind, const struct game *game, const void *rules, int seat,
                  int seats); // NULL: zero is the start
    void (*observe)(void *mind, const struct bot_news *news);
    // The answers it draws from, with probabilities that sum to 1, for tools (agon exploit). Returns how many. NULL:
    // only choose is available. Does not use the dice.
    SPARED(int, mix, const struct bot_ask *ask, struct bot_mix out[BOT_MAX_MIX]);
    // Adds to `w` the value of each of its answers in the worlds that the bot imagines, as `choose` does, with `effort`
    // times the usual work. NULL: not supported.
    void (*weigh)(const struct bot_ask *ask, struct action_values *w);
    // What `mix` depends on besides the hidden part of the own view, as a number: tools ask once for all situations
    // that the bot treats alike. NULL: it depends on everything it has seen.
    SPARED(uint32_t, place, const struct bot_ask *ask);
    uint32_t think_us; // time for a decision, by `now_us`; 0: a fixed amount of work, so that answers are repeatable
    int64_t (*now_us)(void);       // the clock of think_us
    const struct bot_table *table; // the table it plays by; NULL: none
    // The information set of a view, for a table that is a policy (solve/policy.h); NULL: it is no policy.
    uint64_t (*key)(const void *view);
};

static inline bool bot_leans(const struct bot_ask *ask, enum bot_style style) // the bot was asked to play in this style
{
    return ask->bot && ask->bot->styles & style;
}

struct game_action bot_pick_uniform(const struct game_choice *choices, int count, struct rng *dice);

extern const struct bot bot_random;   // one of the choices, then an amount, with equal probability
extern const struct bot bot_fallback; // the game's move for silent players
