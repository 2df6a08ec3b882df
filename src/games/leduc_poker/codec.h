// Leduc poker in JSON and prose (K3).
#pragma once

#include "codec/codec.h"

extern const struct codec leduc_poker_codec;
