// House players. They get views, never states, and draw from a stream of their own.
//
// A bot may have a memory, its mind: mind_size bytes without pointers, which belong to the runner. `begin` starts it
// for a match, `observe` is called after every step that its seat sees, and `choose` only reads it. So it can be
// copied, saved, hashed, and built again from the log (bots/minds.h). A mind is a function of what its seat may see.
// With mind_size 0 nothing is called.
#pragma once

#include "game/game.h"

enum { BOT_MAX_MIND = 4096 };

struct bot;
struct weighing;

struct bot_ask {
    const struct bot *bot; // who is asked: its styles
    const struct game *game;
    const void *view; // this seat's view
    int seat;
    int seats;
    const struct game_choice *choices; // what the seat may do; at least one
    int count;
    struct game_action fallback; // the game's answer for the silent
    float aggro;                 // 0..1, 0.5 as a rule: shifts raising and bluffing (G22.10)
    struct rng *dice;
    uint32_t effort; // of those who search: so many times the usual work; 0: once
    // NULL: work by effort, so that answers repeat. Else they search until it says true, which they ask often.
    // It is asked at least every half millisecond (N1.9).
    bool (*out_of_time)(void *clock);
    void *clock;
    const void *mind; // of this seat; NULL where mind_size is 0
    void *scratch;    // scratch_size bytes of the thread's, aligned to 64, with anything in them; NULL where that is 0
};

// What a seat may see of one step of a match: an action, a tick, or how the match began.
struct bot_news {
    const struct game *game;
    int seat;
    int seats;
    const struct game_event *events; // that this seat may see, in order
    uint32_t count;                  // 0: the view has changed, and that is all; or a wire does not tell events (N1.7)
    uint32_t ticks;                  // that passed in it: 0 or 1
    const void *view;                // of this seat, after the step
};

enum { BOT_MAX_MIX = 32 };

// An answer and how likely it is.
struct bot_mix {
    struct game_action action;
    float share;
};

// What players lean to (N2.5); options of a level that knows them.
enum bot_style { BOT_TIGHT = 1, BOT_LOOSE = 2, BOT_BLUFFER = 4, BOT_CALLER = 8, BOT_MODEL = 16 };

// A solved strategy (`agon solve`) as bytes, which whoever runs the bot provides: the program has them inside; a
// browser loads them when somebody asks for such a bot (wasm/bots/table.c), and until then there are none.
struct bot_table {
    const char *at;
    const size_t *size; // 0: the bytes are not here, and bots that play by them must not be asked
};

struct bot {
    const char *name; // "random"
    const char *game; // the one game it plays; NULL: any
    struct game_action (*choose)(const struct bot_ask *ask);
    bool thinks;           // for milliseconds and more: a server lets it decide beside its loop
    bool blind;            // goes by choices and fallback alone: its view need not be filled
    uint8_t knows;         // set of enum bot_style: which it can be asked for
    uint8_t styles;        // those it has been asked for
    uint32_t mind_size;    // at most BOT_MAX_MIND, a multiple of 8; 0: it has no memory
    uint32_t scratch_size; // work space of a decision; 0: the stack is enough
    void (*begin)(void *mind, const struct game *game, const void *rules, int seat, int seats);
    void (*observe)(void *mind, const struct bot_news *news);
    // The answers it draws from, with shares that sum to 1, for tools that must know (agon exploit); how many. NULL: it
    // can only be asked, again and again. Dice are not used.
    SPARED(int, mix, const struct bot_ask *ask, struct bot_mix out[BOT_MAX_MIX]);
    // Adds to `w` what each of its answers is worth in the worlds that the bot imagines, as `choose` does, with
    // `effort` times the usual work. NULL: it cannot tell.
    void (*weigh)(const struct bot_ask *ask, struct weighing *w);
    // What `mix` depends on besides the own hidden part of the view, as a number: tools ask once for all situations
    // that are alike to the bot. NULL: on everything it has seen.
    SPARED(uint32_t, place, const struct bot_ask *ask);
    uint32_t think_us;       // time for a decision, by `now_us`; 0: a fixed amount of work, so that answers repeat
    int64_t (*now_us)(void); // the clock of think_us
    const struct bot_table *table; // by which it plays; NULL: by none
};

static inline bool bot_leans(const struct bot_ask *ask, enum bot_style style) // the asked one was told to play so
{
    return ask->bot && ask->bot->styles & style;
}

struct game_action bot_pick_uniform(const struct game_choice *choices, int count, struct rng *dice);

extern const struct bot bot_random;   // one of the choices with equal chance, then an amount with equal chance
extern const struct bot bot_fallback; // what the game plays for the silent
