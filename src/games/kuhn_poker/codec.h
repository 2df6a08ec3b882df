// Kuhn poker in JSON and prose (K2).
#pragma once

#include "codec/codec.h"

extern const struct codec kuhn_poker_codec;
