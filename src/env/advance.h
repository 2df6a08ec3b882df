// How a table advances: actions, ticks, house bots, and what agents are told.
#pragma once

#include "env/model.h"

void env_episode_begin(struct env_table *t, const struct match *fresh, int64_t now_us); // copies the match
// Ends what is still running, for all agents.
void env_episode_end(struct env_table *t, struct env_conn *by, enum env_ending ending);
uint32_t env_advance_table(struct env_table *t, struct env_item **items, int count, uint32_t ticks);
bool env_play_house_once(struct env_table *t);
const struct bot *env_bot_at(const struct env_table *t, int seat); // the house bot of a seat, whoever plays there
void env_apply_items(struct env_table *t, struct env_item **items, int count);
void env_end_tick(struct env_table *t);
void env_notify_observations(struct env_table *t); // they may have changed
void env_tick_game(struct env_table *t);           // for real-time games
void env_process_events(struct env_table *t);      // processes what has just happened: history, news, rewards, ends
void env_news_add(struct env_agent *a, const char *type, uint64_t tick, int severity, struct span details);
void env_news_begin(struct env_agent *a, const char *type, uint64_t tick, int severity); // leaves an object open
void env_news_end(struct env_agent *a);
void env_news_clear(struct env_events *n);
void env_news_drop_message(struct env_agent *a); // the oldest unread one
void env_activate(struct env_agent *a);
void env_terminate(struct env_agent *a, bool truncated, enum env_ending ending);
struct codec_table env_codec_table(const struct env_table *t, int viewer);
// Drops the older half of a full history. Returns how many events were dropped.
uint32_t env_drop_oldest_half(struct game_event *past, uint32_t *count);
double env_plain_reward(float reward); // the decimal number that the game's float stands for
