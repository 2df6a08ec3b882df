// Claims of the players at a table, and how likely they make each hand. It is a mind (bots/bot.h): plain
// bytes, built from public events alone.
#pragma once

#include "bots/bot.h"
#include "games/coup/rules/coup.h"

struct claims {
    float said[COUP_MAX_SEATS][COUP_ROLES + 1];     // claims since the seat's cards changed; below 0: it acted
                                                    // as a player without the role does
    uint8_t caught[COUP_MAX_SEATS][COUP_ROLES + 1]; // 1: lied about the role, and its cards have not changed since
    // How often in a row the seat has tried this action and was stopped by the same seat with the same role.
    struct {
        uint8_t action, by, role, times;
    } stopped[COUP_MAX_SEATS];
    uint8_t actor;   // of the running turn
    uint8_t doubted; // the role of the last challenge
    uint8_t spare[2];
};
_Static_assert(sizeof(struct claims) % 8 == 0, "a mind is whole words");

void claims_observe(void *mind, const struct bot_news *news);
void claims_hear(struct claims *c, const struct game_event *e); // one event

// Cards that a seat cannot see, by role.
struct unseen {
    uint8_t left[COUP_ROLES + 1];
    uint8_t all;
};
struct unseen unseen_of(const struct coup_view *v);

// Draws a hand for the seat from `left` by its weights, the cards face down alone, and takes them away. `up` is the set
// of its slots that are revealed. `random` is uniform in 0..1.
void claims_deal(const struct claims *c, int seat, unsigned up, struct unseen *left, uint8_t card[2], float random);

// The chance that the seat holds the role, by its claims and the cards that `v` shows.
float claims_truth(const struct claims *c, const struct coup_view *v, int seat, int role);
// The same for a viewer who cannot see the cards `u`; is_pair: the seat has two cards face down.
float claims_odds(const struct claims *c, int seat, bool is_pair, const struct unseen *u, int role);

// An action that the seat should not try again: it was blocked twice in a row by the same claim.
bool claims_is_futile(const struct claims *c, int seat, struct game_action a);
