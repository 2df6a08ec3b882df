// Checkpoints: a thread of its own copies the write-ahead log into the database, so that no commit waits for it.
//
// SQLite restarts the log only when all of it was copied, and under load the writer is always some frames ahead. So the
// thread copies most of it, and the writer copies the few remaining frames between two commits.
#include "store/internal.h"

enum { COPY_AT_FRAMES = 8192 }; // 32 MB: a page that many commits have changed is copied once

enum checkpointer_state { CHECKPOINTER_IDLE, CHECKPOINTER_ASKED, CHECKPOINTER_DONE };

static int count_frames(void *store, sqlite3 *handle, const char *name, int frames)
{
    struct store *s = store;
    (void)handle;
    (void)name;
    s->wal_frames = frames;
    return SQLITE_OK;
}

// Errors are ignored: what was not copied stays in the log, where it is durable too.
static void copy_wal(sqlite3 *handle)
{
    sqlite3_wal_checkpoint_v2(handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

void store_keep_wal_short(struct store *s)
{
    int state = atomic_load(&s->checkpointer_state);
    if (state == CHECKPOINTER_DONE) {
        copy_wal(s->writer.handle);
        atomic_store(&s->checkpointer_state, CHECKPOINTER_IDLE);
    } else if (state == CHECKPOINTER_IDLE && s->wal_frames >= COPY_AT_FRAMES) {
        pthread_mutex_lock(&s->lock);
        atomic_store(&s->checkpointer_state, CHECKPOINTER_ASKED);
        pthread_cond_signal(&s->asked);
        pthread_mutex_unlock(&s->lock);
    }
}

static bool wait_for_request(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    while (atomic_load(&s->checkpointer_state) != CHECKPOINTER_ASKED && !s->checkpointer_stop)
        pthread_cond_wait(&s->asked, &s->lock);
    bool stop = s->checkpointer_stop;
    pthread_mutex_unlock(&s->lock);
    return !stop;
}

static void *run_checkpointer(void *store)
{
    struct store *s = store;
    while (wait_for_request(s)) {
        copy_wal(s->checkpointer);
        atomic_store(&s->checkpointer_state, CHECKPOINTER_DONE);
    }
    return NULL;
}

bool store_start_checkpointer(struct store *s)
{
    sqlite3_wal_hook(s->writer.handle, count_frames, s); // replaces SQLite's automatic checkpoints
    s->has_checkpointer = pthread_create(&s->checkpointer_thread, NULL, run_checkpointer, s) == 0;
    return s->has_checkpointer;
}

void store_stop_checkpointer(struct store *s)
{
    if (!s->has_checkpointer)
        return;
    pthread_mutex_lock(&s->lock);
    s->checkpointer_stop = true;
    pthread_cond_signal(&s->asked);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->checkpointer_thread, NULL);
}
