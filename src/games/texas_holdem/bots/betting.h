// The betting of two players as a tree with few bet sizes (N6.1), for which tables are solved. Chips are hundredths of
// a big blind. Role 0 is the button, who posts the small blind and acts first before the flop; role 1 the big blind.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    BETTING_BLIND = 100,
    BETTING_OPEN = 250, // the first raise before the flop
    BETTING_DEPTHS = 4,
    BETTING_MOVES = 5,
    BETTING_NODES = 5000, // ceiling, for the deepest tree
    BETTING_ROOT = 0,
};

enum betting_move { BETTING_FOLD, BETTING_CALL, BETTING_HALF, BETTING_POT, BETTING_ALL_IN };
// What a move leads to, where it is no node.
enum { BETTING_GIVEN_UP = 0xFFFF, BETTING_SHOWN = 0xFFFE };

extern const int betting_depth[BETTING_DEPTHS]; // effective stacks that are solved, in big blinds, rising

struct betting_node {
    uint32_t slot;                 // of its first share in the table: slot + bucket x moves + move
    uint16_t put[2];               // by role, over the whole hand
    uint16_t next[BETTING_MOVES];  // a node, or what the hand comes to
    uint16_t total[BETTING_MOVES]; // what the mover has put in after the move
    uint8_t move[BETTING_MOVES];   // enum betting_move; HALF stands for the opening too
    uint8_t moves;
    uint8_t role, street;
};

struct betting_tree {
    uint32_t slots, nodes;
    struct betting_node node[BETTING_NODES];
};

void betting_plant(struct betting_tree *t, int depth); // in big blinds, at most 50
// What a raise adds to the pot after a call, as a share of it.
float betting_share(const struct betting_node *n, int index);
