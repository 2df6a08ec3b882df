// Tetris for an analysis (kit/analysis.h).
#pragma once

#include "kit/analysis.h"

extern const struct analysis_facts tetris_analysis;
