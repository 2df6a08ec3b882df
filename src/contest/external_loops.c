// Event loops for the tables of external players: one serves hundreds of tables, and many tables get several (B12.38).
#include "contest/external.h"

#include <stdlib.h>
#include <string.h>

enum { POLL_MS = 50, LOOP_TABLES = 256, MAX_LOOPS = 64 };

static void on_poll(evutil_socket_t fd, short what, void *owner)
{
    struct external_loop *o = owner;
    (void)fd, (void)what;
    if (o->run->poll_person)
        o->run->poll_person(o->run->person);
    if (o->err != OK || (o->run->stopper && atomic_load(o->run->stopper)))
        atomic_store(&o->run->stop, true);
    if (atomic_load(&o->run->stop))
        external_give_up(o);
    else
        external_fill_tables(o);
}

static bool open_loop(struct external_loop *o, struct contest_run *run, int tables, const struct seat_options *seats)
{
    o->run = run;
    o->tables = tables;
    o->client = seat_client_open(o->loop, seats);
    o->table = calloc((size_t)tables, sizeof *o->table);
    o->poll = event_new(o->loop->base, -1, EV_PERSIST, on_poll, o);
    for (int i = tables - 1; o->table && i >= 0; i--) {
        o->table[i].owner = o;
        o->table[i].next_free = o->free;
        o->free = &o->table[i];
    }
    return o->client && o->table && o->poll;
}

static void *run_loop(void *arg)
{
    struct external_loop *o = arg;
    const struct timeval every = {.tv_usec = POLL_MS * 1000};
    event_add(o->poll, &every);
    o->loop->stopped = false;
    external_fill_tables(o);
    while (!o->loop->stopped && loop_turn(o->loop))
        continue;
    return NULL;
}

static void add_figures(struct external_loop *o)
{
    for (int e = 0; e < CONTEST_ENTRANTS; e++) {
        external_add_counts(&o->run->counts[e], &o->counts[e]);
        for (int k = 0; k < SEAT_CALLS; k++) {
            for (size_t i = 0; i < o->times[e][k].count; i++)
                contest_latency_add(&o->run->times[e][k], o->times[e][k].at[i]);
            free(o->times[e][k].at);
        }
    }
}

static void close_loop(struct external_loop *o)
{
    if (o->poll)
        event_free(o->poll);
    for (int i = 0; o->table && i < o->tables; i++)
        contest_table_release(&o->table[i].play);
    free(o->table);
    if (o->client)
        seat_client_close(o->client);
    if (o->loop == &o->own_loop)
        loop_release(&o->own_loop);
}

// One loop serves some hundred tables well. Local programs and persons are served by the first loop only.
static int count_loops(const struct contest_run *run)
{
    const struct contest_plan *p = &run->contest->plan;
    int loops = run->tables / LOOP_TABLES;
    for (int i = 0; i < p->entrants; i++)
        if (!p->entrant[i].bot && strncmp(p->entrant[i].address, "http", 4) != 0)
            return 1;
    loops = loops < run->threads ? loops : run->threads;
    return loops < 1 ? 1 : loops < MAX_LOOPS ? loops : MAX_LOOPS;
}

static int play_on_loops(struct contest_run *run, struct external_loop *list, int loops)
{
    struct seat_options seats = run->seats;
    pthread_t thread[MAX_LOOPS];
    int started = 1, err = OK;
    seats.max_conns = (seats.max_conns + loops - 1) / loops; // B12.39: the limit is for the whole process
    for (int i = 0; i < loops; i++) {
        list[i].loop = i ? &list[i].own_loop : run->loop;
        if (i)
            loop_init_coarse(&list[i].own_loop);
        if (!open_loop(&list[i], run, run->tables / loops + (i < run->tables % loops), &seats))
            return ERR_FULL;
    }
    while (started < loops && pthread_create(&thread[started], NULL, run_loop, &list[started]) == 0)
        started++;
    run_loop(&list[0]);
    for (int i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < loops; i++) {
        add_figures(&list[i]);
        err = err == OK ? list[i].err : err;
    }
    return err;
}

int contest_play_external(struct contest_run *run)
{
    int loops = count_loops(run);
    struct external_loop *list = calloc((size_t)loops, sizeof *list);
    if (!list)
        return ERR_FULL;
    int err = play_on_loops(run, list, loops);
    for (int i = 0; i < loops; i++)
        if (list[i].loop)
            close_loop(&list[i]);
    free(list);
    return err;
}
