// A strategy of a small game as bytes: for every information set the shares of its choices (N4.2).
//
// 256 bytes of head ("AGONPLCY", then how it was made, as text), the number of sets, then the sets sorted by key: a key
// of eight bytes and four shares of two.
#pragma once

#include "base/text.h"
#include "bots/bot.h"

enum { POLICY_HEAD = 256, POLICY_SHARES = 4, POLICY_ROW = 16 };

struct policy {
    const uint8_t *rows;
    uint32_t count;
};

bool policy_open(struct policy *p, const void *bytes, size_t size); // false: not a policy
void policy_write_head(struct text *out, const char *made);
void policy_write_row(struct text *out, uint64_t key, const double *share, int count);

// Members of a bot that plays one: its `table` has the bytes, its `key` tells the set. Where there is no such set, all
// choices are equally likely.
struct game_action policy_choose(const struct bot_ask *ask);
int policy_mix(const struct bot_ask *ask, struct bot_mix out[BOT_MAX_MIX]);
