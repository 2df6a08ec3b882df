#include "work/thread_pool.h"

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

struct thread_pool {
    pthread_t thread[WORK_THREADS];
    int wanted, threads;
    pthread_mutex_t lock;
    pthread_cond_t more, finished;
    struct pool_pieces todo, done; // guarded by `lock`
    bool stop;
    int done_fd; // eventfd, written when a piece is finished
};

static struct pool_piece *next_todo(struct thread_pool *a)
{
    while (!a->stop && STAILQ_EMPTY(&a->todo))
        pthread_cond_wait(&a->more, &a->lock);
    struct pool_piece *p = STAILQ_FIRST(&a->todo);
    if (p)
        STAILQ_REMOVE_HEAD(&a->todo, next);
    return p;
}

static void *run_thread(void *arg)
{
    struct thread_pool *a = arg;
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
    pthread_mutex_lock(&a->lock);
    for (struct pool_piece *p; (p = next_todo(a));) {
        pthread_mutex_unlock(&a->lock);
        p->run(p->arg);
        pthread_mutex_lock(&a->lock);
        STAILQ_INSERT_TAIL(&a->done, p, next);
        pthread_cond_signal(&a->finished);
        while (eventfd_write(a->done_fd, 1) != 0 && errno == EINTR)
            continue;
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

struct thread_pool *thread_pool_create(int threads)
{
    struct thread_pool *a = calloc(1, sizeof *a);
    if (!a || (a->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) < 0)
        abort();
    a->wanted = threads < 1 ? 1 : threads > WORK_THREADS ? WORK_THREADS : threads;
    STAILQ_INIT(&a->todo);
    STAILQ_INIT(&a->done);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->more, NULL);
    pthread_cond_init(&a->finished, NULL);
    return a;
}

void thread_pool_destroy(struct thread_pool *a)
{
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_broadcast(&a->more);
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < a->threads; i++)
        pthread_join(a->thread[i], NULL);
    close(a->done_fd);
    pthread_cond_destroy(&a->more);
    pthread_cond_destroy(&a->finished);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

// Workers block all signals: they belong to the loop's thread.
static void start_thread(struct thread_pool *a)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&a->thread[a->threads], NULL, run_thread, a) == 0)
        a->threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (a->threads == 0)
        abort();
}

void thread_pool_add(struct thread_pool *a, struct pool_piece *p)
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

struct pool_piece *thread_pool_take(struct thread_pool *a, bool wait)
{
    pthread_mutex_lock(&a->lock);
    while (wait && STAILQ_EMPTY(&a->done))
        pthread_cond_wait(&a->finished, &a->lock);
    struct pool_piece *p = STAILQ_FIRST(&a->done);
    if (p)
        STAILQ_REMOVE_HEAD(&a->done, next);
    else {
        eventfd_t count;
        eventfd_read(a->done_fd, &count); // still locked, so no write of a worker gets lost
    }
    pthread_mutex_unlock(&a->lock);
    return p;
}

int thread_pool_descriptor(const struct thread_pool *a)
{
    return a->done_fd;
}
