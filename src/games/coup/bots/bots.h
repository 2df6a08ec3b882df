// House players for Coup.
#pragma once

#include "bots/bot.h"

// Plays from beliefs about what the others hold: tries every choice in hands drawn by their claims, plays each to its
// end by plain habits, and takes what wins most.
extern const struct bot coup_search_bot;
extern const struct bot coup_glance_bot; // less work, and playouts without a memory

// Claims what it holds and nothing else, but for a Contessa that saves its last card. Doubts by what others claimed.
extern const struct bot coup_honest_bot;

// Counts copies, plays what it holds, bluffs and doubts by aggro, and goes for the leader.
extern const struct bot coup_rules_bot;

// Plays like `honest`, without a memory, and almost half of its decisions are any legal move.
extern const struct bot coup_novice_bot;
