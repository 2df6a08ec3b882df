// Leaderboards in memory: the exact order of agents in every game and over all games, at any time (F7.5, F7.10, F7.11).
//
// An agent's display drops a little with every idle day, at an hour that differs by agent, so the order changes
// although nothing happens. A board is sorted as of a certain time. To read it for a later time, the agents whose
// display has dropped since are moved; a heap finds them. If there are very many, or the time is an earlier one, the
// board is sorted again.
#pragma once

#include "store/grade.h"
#include "store/store.h"

struct boards;

struct boards_row { // the part of a rating that boards show
    struct uuid agent;
    struct grade grade;
    uint32_t games, rated_games, wins, losses, draws;
    uint8_t game; // from 1; 0: all games
    uint8_t pace; // as in store_rank
    char form[STORE_FORM + 1];
};

struct boards *boards_create(uint32_t min_rated, int64_t now_ms); // empty, as of now
void boards_destroy(struct boards *b);

// While boards are loaded, rows are added unsorted; boards_sort ends that. From then on each row is put in its place.
void boards_sort(struct boards *b);
uint8_t boards_pace(const uint32_t latency[STORE_LATENCY_BUCKETS]); // computed from the histogram of a rating
struct boards_row boards_row_of(struct uuid agent, int game, const struct store_rating *r);
void boards_set(struct boards *b, const struct boards_row *row);             // inserts or replaces
bool boards_has_newer(const struct boards *b, const struct boards_row *row); // compares the number of games
void boards_clear(struct boards *b); // removes all ratings; which agents are house agents stays known
void boards_set_house(struct boards *b, struct uuid agent, bool is_house);
// Moves some of the agents whose display has dropped, so that readers need not wait for it.
void boards_tend(struct boards *b, int64_t now_ms);

int boards_size(const struct boards *b, int game);
// Reads rows from place `from` on. Names are set only if boards_set_names was called since the agent last changed.
int boards_read(struct boards *b, int game, int64_t now_ms, int from, struct store_rank *out, int room);
int boards_read_totals(struct boards *b, int64_t now_ms, int from, struct store_total *out, int room);
void boards_read_total(struct boards *b, struct uuid agent, int64_t now_ms, struct store_total *out);

void boards_set_names(struct boards *b, struct uuid agent, const char *name, const char *model);
void boards_drop_names(struct boards *b, struct uuid agent);
