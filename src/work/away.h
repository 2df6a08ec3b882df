// Worker threads for pieces of work that cannot be interrupted. work.c uses them for jobs; front/arena/analyses.c has a
// pool of its own, because an analysis runs so long that jobs must not queue behind it.
//
// One thread owns the pool and calls all functions below. Only `run` of a piece executes on a worker; the caller owns
// the piece and keeps it valid until away_take returns it.
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
struct away *away_create(int threads); // at most WORK_THREADS; they start with the first piece. Aborts without memory
void away_destroy(struct away *a);     // waits until the workers have run every piece that was added
void away_add(struct away *a, struct away_piece *p);
// Returns a finished piece, or NULL if there is none. With `wait`, blocks until there is one.
struct away_piece *away_take(struct away *a, bool wait);
// Descriptor that becomes readable when a piece is finished. Read it by calling away_take until that returns NULL.
int away_bell(const struct away *a);
