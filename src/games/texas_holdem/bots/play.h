// Helpers shared by the bots of Hold'em: legal answers, odds, equities.
#pragma once

#include "bots/bot.h"
#include "games/texas_holdem/rules/texas_holdem.h"

struct game_action holdem_plain(int kind);
int holdem_count_opponents(const struct texas_holdem_view *v); // who have not folded
// The share of the pot that the hand wins against random hands of the opponents, from `trials` sampled deals.
float holdem_estimate_equity(const struct texas_holdem_view *v, int opponents, int trials, struct rng *dice);
// A raise to the current bet plus `share` of the pot after calling, within the bounds. All-in where nothing is left.
struct game_action holdem_raise_by(const struct texas_holdem_view *v, float share);
struct game_action holdem_pass(const struct texas_holdem_view *v); // check, or fold
// What a call costs, as a share of the pot it makes.
float holdem_pot_odds(const struct texas_holdem_view *v);
// A call is listed with its price, and what is not listed is not played.
struct game_action holdem_as_listed(const struct bot_ask *ask, struct game_action a);
