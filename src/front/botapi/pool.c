// Worker threads for bots that think long: decisions are taken in order of arrival and returned on the loop.
#include "front/botapi/internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

struct pool {
    const struct bot *bot;
    void (*on_done)(void *owner, struct decision *d);
    void *owner;
    pthread_t thread[MAX_THREADS];
    int threads;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct decisions todo, done; // under the lock
    bool stop;
    int done_fd; // eventfd, written when a decision is done
    struct event *done_event;
};

static struct decision *next_todo(struct pool *p)
{
    while (!p->stop && STAILQ_EMPTY(&p->todo))
        pthread_cond_wait(&p->more, &p->lock);
    struct decision *d = p->stop ? NULL : STAILQ_FIRST(&p->todo);
    if (d)
        STAILQ_REMOVE_HEAD(&p->todo, next);
    return d;
}

static void *run_worker(void *arg)
{
    struct pool *p = arg;
    pthread_mutex_lock(&p->lock);
    for (struct decision *d; (d = next_todo(p));) {
        pthread_mutex_unlock(&p->lock);
        decision_make(p->bot, d);
        pthread_mutex_lock(&p->lock);
        STAILQ_INSERT_TAIL(&p->done, d, next);
        while (eventfd_write(p->done_fd, 1) != 0 && errno == EINTR)
            continue;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void on_decisions_done(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct pool *p = arg;
    eventfd_t rings;
    struct decisions done = STAILQ_HEAD_INITIALIZER(done);
    eventfd_read(fd, &rings);
    pthread_mutex_lock(&p->lock);
    STAILQ_CONCAT(&done, &p->done);
    pthread_mutex_unlock(&p->lock);
    // Without the lock: on_done may add the next decision of the same session.
    for (struct decision *d; (d = STAILQ_FIRST(&done));) {
        STAILQ_REMOVE_HEAD(&done, next);
        p->on_done(p->owner, d);
    }
}

struct pool *pool_create(struct loop *l, int threads, const struct bot *bot, void (*on_done)(void *, struct decision *),
                         void *owner)
{
    struct pool *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->bot = bot;
    p->on_done = on_done;
    p->owner = owner;
    STAILQ_INIT(&p->todo);
    STAILQ_INIT(&p->done);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->more, NULL);
    p->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    p->done_event = event_new(l->base, p->done_fd, EV_READ | EV_PERSIST, on_decisions_done, p);
    event_add(p->done_event, NULL);
    while (p->threads < threads && p->threads < MAX_THREADS &&
           pthread_create(&p->thread[p->threads], NULL, run_worker, p) == 0)
        p->threads++;
    if (p->threads == 0)
        abort();
    return p;
}

static void drop_all(struct decisions *list)
{
    for (struct decision *d; (d = STAILQ_FIRST(list));) {
        STAILQ_REMOVE_HEAD(list, next);
        free(d);
    }
}

void pool_destroy(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->more);
    pthread_mutex_unlock(&p->lock);
    // They finish the decision at hand, which may use a session; sessions are released after this.
    for (int i = 0; i < p->threads; i++)
        pthread_join(p->thread[i], NULL);
    drop_all(&p->todo);
    drop_all(&p->done);
    event_free(p->done_event);
    close(p->done_fd);
    pthread_cond_destroy(&p->more);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void pool_add(struct pool *p, struct decision *d)
{
    pthread_mutex_lock(&p->lock);
    STAILQ_INSERT_TAIL(&p->todo, d, next);
    pthread_cond_signal(&p->more);
    pthread_mutex_unlock(&p->lock);
}
