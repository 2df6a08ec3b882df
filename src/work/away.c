#include "work/away.h"

#include "work/work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NICE = 5 }; // lower priority, so that the event loop runs first when all cores are busy

struct away {
    pthread_t thread[WORK_THREADS];
    int wanted, threads;
    pthread_mutex_t lock;
    pthread_cond_t more, finished;
    struct away_pieces todo, done; // guarded by `lock`
    bool stop;
    int bell; // eventfd, written when a piece is finished
};

static struct away_piece *next_todo(struct away *a)
{
    while (!a->stop && STAILQ_EMPTY(&a->todo))
        pthread_cond_wait(&a->more, &a->lock);
    struct away_piece *p = STAILQ_FIRST(&a->todo);
    if (p)
        STAILQ_REMOVE_HEAD(&a->todo, next);
    return p;
}

static void *serve(void *arg)
{
    struct away *a = arg;
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
    pthread_mutex_lock(&a->lock);
    for (struct away_piece *p; (p = next_todo(a));) {
        pthread_mutex_unlock(&a->lock);
        p->run(p->arg);
        pthread_mutex_lock(&a->lock);
        STAILQ_INSERT_TAIL(&a->done, p, next);
        pthread_cond_signal(&a->finished);
        while (eventfd_write(a->bell, 1) != 0 && errno == EINTR)
            continue;
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

struct away *away_create(int threads)
{
    struct away *a = calloc(1, sizeof *a);
    if (!a || (a->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) < 0)
        abort();
    a->wanted = threads < 1 ? 1 : threads > WORK_THREADS ? WORK_THREADS : threads;
    STAILQ_INIT(&a->todo);
    STAILQ_INIT(&a->done);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->more, NULL);
    pthread_cond_init(&a->finished, NULL);
    return a;
}

void away_destroy(struct away *a)
{
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_broadcast(&a->more);
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < a->threads; i++)
        pthread_join(a->thread[i], NULL);
    close(a->bell);
    pthread_cond_destroy(&a->more);
    pthread_cond_destroy(&a->finished);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

// Workers block all signals: they belong to the loop's thread.
static void start_thread(struct away *a)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&a->thread[a->threads], NULL, serve, a) == 0)
        a->threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (a->threads == 0)
        abort();
}

void away_add(struct away *a, struct away_piece *p)
{
    while (a->threads < a->wanted) {
        int before = a->threads;
        start_thread(a);
        if (a->threads == before)
            break; // one thread is enough to go on; without any, start_thread aborts
    }
    pthread_mutex_lock(&a->lock);
    STAILQ_INSERT_TAIL(&a->todo, p, next);
    pthread_cond_signal(&a->more);
    pthread_mutex_unlock(&a->lock);
}

struct away_piece *away_take(struct away *a, bool wait)
{
    pthread_mutex_lock(&a->lock);
    while (wait && STAILQ_EMPTY(&a->done))
        pthread_cond_wait(&a->finished, &a->lock);
    struct away_piece *p = STAILQ_FIRST(&a->done);
    if (p)
        STAILQ_REMOVE_HEAD(&a->done, next);
    else {
        eventfd_t rings;
        eventfd_read(a->bell, &rings); // still locked, so no write of a worker gets lost
    }
    pthread_mutex_unlock(&a->lock);
    return p;
}

int away_bell(const struct away *a)
{
    return a->bell;
}
