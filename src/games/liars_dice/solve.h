// Tables and best answers of Liar's Dice between two, for `agon solve` and `agon exploit`.
#pragma once

#include "solve/facts.h"

extern const struct solve_facts liars_dice_solve;
