// The order of a leaderboard at a moment, row by row; game 0 is all games.
#pragma once

#include "store/inside.h"

#include "store/grade.h"

struct entry {
    int64_t agent;
    struct uuid id;
    double display; // the aggregate, where it is all games
    int64_t games;
};

struct board {
    struct store *store;
    int64_t now_ms, game;
    sqlite3_stmt *rows;
    struct entry *aside; // a heap, the best on top
    size_t count, room;
    struct entry next; // of the index
    bool has_next;
};

int board_size(struct store *s, int64_t game, uint32_t min_rated);
struct board board_open(struct store *s, int64_t game, uint32_t min_rated, int64_t now_ms, int from);
bool board_next(struct board *b, struct entry *out);
void board_close(struct board *b);

// How many who are no house agents stand before `e` over all games. While more than a few hundred rows are due, those
// count by what they were worth.
int board_count_before(struct store *s, const struct entry *e, int64_t now_ms);

// The totals of an agent over all games, and the aggregate of the eligible ones.
void board_sum_up(struct store *s, int64_t agent, int64_t now_ms, struct store_total *out);
