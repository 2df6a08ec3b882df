// Leaderboards in memory: who stands where, in every game and over all of them, exact at any moment (F7.5, F7.10,
// F7.11).
//
// A display falls a little with every idle day, each agent's at an hour of its own, so the order changes while nothing
// happens. A board stands as of a moment. Asked for a later one it moves those who are due by then, found by a heap;
// when they are very many, or the moment is an earlier one, it is put in order anew.
#pragma once

#include "store/grade.h"
#include "store/store.h"

struct boards;

struct boards_row { // a rating, as far as boards show it
    struct uuid agent;
    struct grade grade;
    uint32_t games, rated_games, wins, losses, draws;
    uint8_t game; // from 1; 0 is all games
    uint8_t pace; // as of store_rank
    char form[STORE_FORM + 1];
};

struct boards *boards_create(uint32_t min_rated, int64_t now_ms); // empty, as of now
void boards_destroy(struct boards *b);

// While they are filled, rows are added without an order; boards_sort ends it. Then each row takes its place at once.
void boards_sort(struct boards *b);
uint8_t boards_pace(const uint32_t latency[STORE_LATENCY_BUCKETS]);          // of a rating
void boards_set(struct boards *b, const struct boards_row *row);             // a new one, or instead of the older one
bool boards_has_newer(const struct boards *b, const struct boards_row *row); // by the count of games
void boards_forget(struct boards *b); // all ratings; who is a house agent stays known
void boards_set_house(struct boards *b, struct uuid agent, bool is_house);
void boards_tend(struct boards *b, int64_t now_ms); // some of those who are due, so that nobody has to wait for it

int boards_size(const struct boards *b, int game);
// Rows from a place on, all but the names, which are there only if they were given since the agent last changed.
int boards_read(struct boards *b, int game, int64_t now_ms, int from, struct store_rank *out, int room);
int boards_read_totals(struct boards *b, int64_t now_ms, int from, struct store_total *out, int room);
void boards_read_total(struct boards *b, struct uuid agent, int64_t now_ms, struct store_total *out);

void boards_keep_words(struct boards *b, struct uuid agent, const char *name, const char *model);
void boards_drop_words(struct boards *b, struct uuid agent);
