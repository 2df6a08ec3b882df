// Tables and best responses of Texas Hold'em between two players, for `agon solve` and `agon exploit`.
#pragma once

#include "solve/facts.h"

extern const struct solve_facts texas_holdem_solve;

// What best answers win from a bot: push or fold exactly, whole hands by a local best response (N6.8, N6.9).
int holdem_exploit(const struct bot *bot, const struct solve_sample *sample, struct solve_gap out[SOLVE_GAPS]);
void holdem_exploit_locally(const struct bot *bot, const struct solve_sample *sample,
                            struct solve_gap *out); // the second of these alone
