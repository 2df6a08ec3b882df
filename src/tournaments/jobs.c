// Jobs that write a change to disk or to the store before it is reported, so that the loop never waits for a disk.
#include "tournaments/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *run_on_thread(void *arg)
{
    struct tournament_job *e = arg;
    int done_fd = e->tournaments->done_fd;
    e->err = e->run(e);
    e->system_error = errno;
    atomic_store(&e->over, true); // from now on the loop may free the job
    while (eventfd_write(done_fd, 1) != 0 && errno == EINTR)
        ;
    return NULL;
}

static void finish_job(struct tournaments *t, struct tournament_job **at);

// Waits for the next turn, because the sender must know the number before the result is reported. Results are reported
// when they are durable.
static void run_in_loop(void *arg)
{
    struct tournament_job *e = arg;
    struct tournaments *t = e->tournaments;
    const struct tournaments_nodes *nodes = t->o.nodes;
    work_wait_turn(loop_work(t->o.loop));
    e->err = e->run(e);
    if (e->err == OK && !e->what && !nodes->wait(nodes->owner))
        e->err = ERR_STORAGE;
    e->system_error = EIO;
    struct tournament_job **at = &t->jobs;
    while (*at != e)
        at = &(*at)->next;
    finish_job(t, at);
}

uint64_t job_send(const struct tournament_job *what)
{
    struct tournaments *t = what->tournaments;
    struct tournament_job *e = malloc(sizeof *e);
    if (!e)
        return 0;
    *e = *what;
    e->number = t->last_job + 1;
    e->next = t->jobs;
    atomic_init(&e->over, false);
    if (!t->o.nodes && pthread_create(&e->thread, NULL, run_on_thread, e) != 0) {
        free(e);
        return 0;
    }
    e->tour->busy += !e->what; // a request for another node changes nothing here, and may take seconds
    t->jobs = e;
    ++t->last_job;
    if (t->o.nodes)
        work_start(loop_work(t->o.loop), run_in_loop, e);
    return t->last_job;
}

static void free_job(struct tournament_job *e)
{
    free(e->standings.at);
    free(e);
}

static void finish_job(struct tournaments *t, struct tournament_job **at)
{
    struct tournament_job *e = *at;
    *at = e->next;
    if (!t->o.nodes)
        pthread_join(e->thread, NULL);
    e->tour->busy -= !e->what;
    e->conclude(e);
    free_job(e);
    loop_end_turn(t->o.loop);
}

static void on_jobs_done(evutil_socket_t fd, short what, void *owner)
{
    struct tournaments *t = owner;
    eventfd_t count;
    (void)what;
    eventfd_read(fd, &count);
    for (struct tournament_job **at = &t->jobs; *at;) // jobs of the loop never set `over`
        if (atomic_load(&(*at)->over))
            finish_job(t, at);
        else
            at = &(*at)->next;
}

bool jobs_open(struct tournaments *t)
{
    t->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    t->done_event =
        t->done_fd < 0 ? NULL : event_new(t->o.loop->base, t->done_fd, EV_READ | EV_PERSIST, on_jobs_done, t);
    return t->done_event && event_add(t->done_event, NULL) == 0;
}

void jobs_close(struct tournaments *t)
{
    for (struct tournament_job *e; (e = t->jobs);) {
        t->jobs = e->next;
        if (!t->o.nodes)
            pthread_join(e->thread, NULL);
        free_job(e);
    }
    if (t->done_event)
        event_free(t->done_event);
    if (t->done_fd >= 0)
        close(t->done_fd);
}
