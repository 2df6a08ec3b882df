// Finds a hand between two players in the betting tree of the solved table, and the table's moves for it.
#pragma once

#include "games/texas_holdem/bots/betting_history.h"
#include "games/texas_holdem/bots/blueprint.h"
#include "games/texas_holdem/bots/multiway.h"

enum {
    SOLVED_SCRATCH = sizeof(struct betting_tree) > sizeof(struct multiway_work) ? sizeof(struct betting_tree)
                                                                                : sizeof(struct multiway_work)
};

// What many decisions of one analysis share: the tree of a depth, and buckets that were counted out.
struct solved_cell {
    uint64_t board, hole; // sets of cards
    int32_t bucket, unused;
};
struct solved_memo {
    int depth; // of the tree; 0: none yet
    struct betting_tree tree;
    struct solved_cell cell[4096];
};
struct game_action solved_choose(const struct bot_ask *ask, struct solved_memo *memo); // as the solved bot
// How likely the other holds each hand, by what the table would have done with it; weights, not a distribution. False:
// more than two were dealt in, and weights only tell which cards are seen.
bool solved_range(const struct bot_ask *ask, struct solved_memo *memo, const uint8_t hand[BUCKET_HANDS][2],
                  float weight[BUCKET_HANDS]);

bool solved_table(struct blueprint *b); // the one in the program
// NULL: the betting has left the tree. Without dice a raise between two sizes is the likelier one.
const struct betting_node *solved_find(const struct betting_tree *t, const struct betting_history *m,
                                       const struct texas_holdem_view *v, struct rng_draw *dice);

struct game_action solved_answer(const struct texas_holdem_view *v, const struct betting_node *n, int index, int depth);
// Off the tree: pot odds against the equity less a margin, because a bettor's hand is better than a random one.
struct game_action solved_off_tree(const struct texas_holdem_view *v, float equity);

// ---- All hands at once (N14.6) --------------------------------------------------------------------------------------

// What the table knows of every hand on a board.
struct solved_hands {
    uint8_t hand[BUCKET_HANDS][2]; // hand i < j is at bucket_place(i, j)
    uint8_t bucket[BUCKET_HANDS];
    float equity[BUCKET_HANDS];
};
void solved_know(struct solved_hands *h, const uint8_t *board, int count); // 0, or 3 to 5 cards

enum { SOLVED_ACTIONS = 24 };
struct solved_shares {
    int count;
    struct game_action action[SOLVED_ACTIONS];
    float share[SOLVED_ACTIONS][BUCKET_HANDS];
};
// The shares of `solved` or `outline` (ask->bot) between two with each hand whose weight is above 0. The ask has the
// mind, the choices and scratch; whose cards its view has does not matter.
void solved_list_shares(const struct bot_ask *ask, const struct solved_hands *h, const double *weight,
                        struct solved_shares *out);
