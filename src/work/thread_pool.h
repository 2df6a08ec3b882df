// Worker threads for pieces of work that cannot be interrupted. work.c uses them for jobs; front/arena/analyses.c has a
// pool of its own, because an analysis runs so long that jobs must not queue behind it.
//
// One thread owns the pool and calls all functions below. Only `run` of a piece executes on a worker; the caller owns
// the piece and keeps it valid until thread_pool_take returns it.
#pragma once

#include <stdbool.h>
#include <sys/queue.h>

struct pool_piece {
    void (*run)(void *arg);
    void *arg;
    STAILQ_ENTRY(pool_piece) next;
};
STAILQ_HEAD(pool_pieces, pool_piece);

struct thread_pool;
struct thread_pool *
thread_pool_create(int threads); // at most WORK_THREADS; they start with the first piece. Aborts without memory
void thread_pool_destroy(struct thread_pool *a); // waits until the workers have run every piece that was added
void thread_pool_add(struct thread_pool *a, struct pool_piece *p);
// Returns a finished piece, or NULL if there is none. With `wait`, blocks until there is one.
struct pool_piece *thread_pool_take(struct thread_pool *a, bool wait);
// Descriptor that becomes readable when a piece is finished. Read it by calling thread_pool_take until that returns
// NULL.
int thread_pool_descriptor(const struct thread_pool *a);
