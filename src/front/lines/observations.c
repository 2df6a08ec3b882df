#include "front/lines/internal.h"

// T3.72: shortest time between the last write to this client and its next observation.
static int64_t gap_of(const struct adapter_client *c)
{
    if (!c->link->paced)
        return 0;
    return c->episode_seen == table_state(c->table)->facts.episode_id && c->observations ? GAP_US : EPISODE_GAP_US;
}

static int64_t due_of(const struct adapter_client *c)
{
    int64_t polite = c->last_write_us + gap_of(c), latest = c->pending->since_us + PATIENCE_US;
    return polite < latest || !c->link->paced ? polite : latest;
}

static void on_written(struct adapter_client *c, struct span line)
{
    adapter_note(c->adapter, '>', c->id, (struct span){line.at, line.size - 1});
    int kept = 0;
    for (int i = 0; i < c->event_count; i++)
        if (c->events[i].number > c->pending->last_event)
            c->events[kept++] = c->events[i];
    c->event_count = kept;
    c->pending->is_filled = false;
    c->observations++;
    c->episode_seen = table_state(c->table)->facts.episode_id;
    c->last_write_us = c->adapter->now_us;
}

// The complete line: the head, with a number assigned now, and the body written in its step.
// A waiting observation may be replaced, so a number that was assigned before would leave a gap (T3.62).
static struct span write_line(const struct adapter_client *c, char bytes[LINE_ROOM])
{
    struct text line = text_on(bytes, LINE_ROOM);
    write_observation_head(&line, c);
    text_put(&line, text_span(&c->pending->body));
    text_put_char(&line, '\n');
    return text_span(&line);
}

static void fill_pending(struct adapter_client *c, bool immediate)
{
    struct pending_observation *w = c->pending;
    if (!w->is_filled)
        w->since_us = c->adapter->now_us;
    w->is_filled = true;
    w->immediate = immediate;
    w->last_event = c->event_count ? c->events[c->event_count - 1].number : 0;
    w->body = text_on(w->bytes, sizeof w->bytes);
    write_observation_body(&w->body, c);
}

static void try_write(struct adapter_client *c)
{
    char bytes[LINE_ROOM];
    if (!c->pending->is_filled || due_of(c) > c->adapter->now_us)
        return;
    struct span line = write_line(c, bytes);
    if (c->link->write(c->conn, line))
        on_written(c, line);
}

void observations_send_reply(struct adapter_client *c)
{
    char bytes[LINE_ROOM];
    fill_pending(c, true);
    struct span line = write_line(c, bytes);
    c->link->reply(c->conn, line);
    on_written(c, line);
    c->cadence = 0;
}

// T3.84: the lock-step controller gets observations only as answers.
static bool streams_to(const struct adapter_client *c)
{
    return c->pending && !(table_in_lockstep(c->table) && c->table->controller == c);
}

void observations_send_now(struct table *t)
{
    struct adapter_client *c;
    TAILQ_FOREACH(c, &t->clients, seated)
        if (streams_to(c)) {
            fill_pending(c, true);
            c->cadence = 0;
            try_write(c);
        }
}

// T3.64 counts in thousandths of an observation; with observation_ms the period is given instead.
static bool is_due(struct adapter_client *c)
{
    const struct adapter_options *o = &c->adapter->options;
    if (o->observation_ms == 0)
        return true;
    int whole = o->observation_ms > 0 ? o->observation_ms : 1000;
    c->cadence += o->observation_ms > 0 ? STEP_US / 1000 : STEP_US / 1000 * o->observation_hz;
    if (c->cadence < whole)
        return false;
    c->cadence -= whole;
    if (c->cadence >= whole) // a period shorter than a beat
        c->cadence = 0;
    return true;
}

void observations_send_periodic(struct table *t)
{
    struct adapter_client *c;
    TAILQ_FOREACH(c, &t->clients, seated)
        // T3.74: what changed at once must not be replaced by the periodic picture after it.
        if (streams_to(c) && is_due(c) && t->adapter->now_us >= c->quiet_until_us &&
            !(c->pending->is_filled && c->pending->immediate)) {
            fill_pending(c, false);
            try_write(c);
        }
}

void observations_send_waiting(struct table *t)
{
    struct adapter_client *c;
    TAILQ_FOREACH(c, &t->clients, seated)
        if (c->pending)
            try_write(c);
}

int64_t observations_next_due(const struct table *t)
{
    const struct adapter_client *c;
    int64_t next = INT64_MAX;
    TAILQ_FOREACH(c, &t->clients, seated)
        if (c->pending && c->pending->is_filled) {
            int64_t due = due_of(c);
            if (due <= t->adapter->now_us) // the peer does not read: try again at the next beat
                due = t->adapter->now_us + GAP_US;
            next = due < next ? due : next;
        }
    return next;
}

bool observations_wanted(const struct table *t)
{
    const struct adapter_client *c;
    TAILQ_FOREACH(c, &t->clients, seated)
        if (c->pending)
            return true;
    return false;
}

void observations_add_lock(struct table *t, const struct tetris_lock *lock)
{
    struct adapter_client *c;
    struct lock_event e = {++t->locks, *lock};
    TAILQ_FOREACH(c, &t->clients, seated) {
        if (!c->pending)
            continue;
        if (c->event_count == EVENTS_KEPT) // T3.66: the newest four
            memmove(c->events, c->events + 1, sizeof c->events[0] * (size_t)--c->event_count);
        c->events[c->event_count++] = e;
    }
}

void observations_clear_locks(struct table *t)
{
    struct adapter_client *c;
    TAILQ_FOREACH(c, &t->clients, seated)
        c->event_count = 0;
}
