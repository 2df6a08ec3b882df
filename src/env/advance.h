// How a table moves on: actions, ticks, house bots, and what agents are told about it.
#pragma once

#include "env/model.h"

int rl_episode_begin(struct rl_table *t, const struct match *fresh, int64_t now_us); // the match is copied
void rl_episode_end(struct rl_table *t, struct rl_conn *by, enum rl_ending ending);  // what still runs ends for all
uint32_t rl_advance_table(struct rl_table *t, struct rl_item **items, int count, uint32_t ticks);
bool rl_play_house_once(struct rl_table *t);
const struct bot *rl_bot_at(const struct rl_table *t, int seat); // of the house, whoever sits there
void rl_apply_items(struct rl_table *t, struct rl_item **items, int count);
void rl_end_tick(struct rl_table *t);
void rl_tell_observations(struct rl_table *t); // they may have changed
void rl_tick_game(struct rl_table *t);         // where time moves the game
void rl_absorb(struct rl_table *t);            // what has just happened: past, news, rewards, ends
void rl_news_add(struct rl_agent *a, const char *type, uint64_t tick, int severity, struct span details);
void rl_news_begin(struct rl_agent *a, const char *type, uint64_t tick, int severity); // an object is open afterwards
void rl_news_end(struct rl_agent *a);
void rl_news_clear(struct rl_news *n);
void rl_news_drop_message(struct rl_agent *a); // the oldest unread one
void rl_activate(struct rl_agent *a);
void rl_terminate(struct rl_agent *a, bool truncated, enum rl_ending ending);
struct codec_table rl_codec_table(const struct rl_table *t, int viewer);
