// Tables and best responses of Liar's Dice between two players, for `agon solve` and `agon exploit`.
#pragma once

#include "solve/facts.h"

extern const struct solve_facts liars_dice_solve;
