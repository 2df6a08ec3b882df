// Threads for pieces of work that cannot be cut. For work.c, and for who has work that takes so long that jobs must not
// wait behind it (front/arena/analyses.c).
#pragma once

#include <stdbool.h>
#include <sys/queue.h>

struct away_piece {
    void (*run)(void *arg);
    void *arg;
    STAILQ_ENTRY(away_piece) next;
};
STAILQ_HEAD(away_pieces, away_piece);

struct away;
struct away *away_create(int threads); // threads start with the first piece
void away_destroy(struct away *a);     // waits for those under way
void away_add(struct away *a, struct away_piece *p);
struct away_piece *away_take(struct away *a, bool wait); // one that is done, or NULL; `wait`: until there is one
int away_bell(const struct away *a);
