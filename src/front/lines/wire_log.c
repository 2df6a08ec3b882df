#include "front/lines/wire_log.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WAITING = 1024
}; // lines queued for the writer thread; the loop never waits for the disk, so further lines are dropped

struct record {
    char *bytes; // direction mark, client id, space, line, LF
    size_t size;
};

struct wire_log {
    // Used only by the writer thread while it runs.
    FILE *file;
    // Used only by the thread of the loop.
    uint64_t every, max_lines, seen, kept;
    pthread_t writer;
    pthread_mutex_t lock;
    pthread_cond_t some;
    // Guarded by `lock`; a record's bytes go to the writer with it.
    struct record ring[WAITING];
    int first, count;
    bool closing;
};

static void *write_all(void *arg)
{
    struct wire_log *l = arg;
    pthread_mutex_lock(&l->lock);
    while (l->count || !l->closing) {
        if (l->count == 0) {
            // The file is complete whenever no line waits.
            fflush(l->file);
            pthread_cond_wait(&l->some, &l->lock);
            continue;
        }
        struct record r = l->ring[l->first];
        l->first = (l->first + 1) % WAITING;
        l->count--;
        pthread_mutex_unlock(&l->lock);
        fwrite(r.bytes, 1, r.size, l->file);
        free(r.bytes);
        pthread_mutex_lock(&l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

struct wire_log *wire_log_open(const char *path, uint64_t every, uint64_t max_lines)
{
    struct wire_log *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->every = every ? every : 1;
    l->max_lines = max_lines;
    l->file = fopen(path, "ae");
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->some, NULL);
    if (!l->file || pthread_create(&l->writer, NULL, write_all, l) != 0) {
        if (l->file)
            fclose(l->file);
        free(l);
        return NULL;
    }
    return l;
}

void wire_log_add(void *log, char direction, uint64_t client_id, struct span line)
{
    struct wire_log *l = log;
    if (l->seen++ % l->every != 0 || (l->max_lines && l->kept >= l->max_lines))
        return;
    struct record r = {.bytes = malloc(line.size + 32)};
    if (!r.bytes)
        return;
    int head = snprintf(r.bytes, 32, "%c%llu ", direction, (unsigned long long)client_id);
    memcpy(r.bytes + head, line.at, line.size);
    r.size = (size_t)head + line.size;
    r.bytes[r.size++] = '\n';
    pthread_mutex_lock(&l->lock);
    bool room = l->count < WAITING;
    if (room)
        l->ring[(l->first + l->count++) % WAITING] = r;
    pthread_cond_signal(&l->some);
    pthread_mutex_unlock(&l->lock);
    if (room)
        l->kept++;
    else
        free(r.bytes);
}

void wire_log_close(struct wire_log *l)
{
    pthread_mutex_lock(&l->lock);
    l->closing = true;
    pthread_cond_signal(&l->some);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->writer, NULL);
    fclose(l->file);
    free(l);
}
