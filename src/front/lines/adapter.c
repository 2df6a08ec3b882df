#include "front/lines/internal.h"

#include <assert.h>
#include <stdlib.h>

void adapter_defaults(struct adapter_options *o)
{
    *o = (struct adapter_options){
        .protocol = PROTOCOL_2,
        .max_tables = 64,
        .max_pending = 10,
        .observation_hz = 20,
        .observation_ms = -1,
        .retry_ms = 50,
        .unattended_restart_ms = 1000,
    };
    tetris_game.defaults(&o->rules);
    tetris_game.seed(&o->rules, 1); // T2.13
}

struct adapter *adapter_create(const struct adapter_options *o, struct text *log)
{
    struct adapter *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->options = *o;
    a->log = log;
    TAILQ_INIT(&a->tables);
    TAILQ_INIT(&a->woken);
    LIST_INIT(&a->clients);
    if (!table_create(a, "main")) {
        free(a);
        return NULL;
    }
    return a;
}

void adapter_destroy(struct adapter *a)
{
    // Clients first: closing one may hand control to another at its table.
    for (struct adapter_client *c; (c = LIST_FIRST(&a->clients));)
        adapter_close(c, a->now_us);
    for (struct table *t; (t = TAILQ_FIRST(&a->tables));)
        table_destroy(t);
    free(a);
}

void adapter_listen(struct adapter *a, adapter_listener listener, void *owner)
{
    a->listener = listener;
    a->listener_owner = owner;
}

void adapter_note(struct adapter *a, char direction, uint64_t id, struct span line)
{
    if (a->listener)
        a->listener(a->listener_owner, direction, id, line);
}

int64_t adapter_unix_ms(const struct adapter *a)
{
    return a->options.unix_offset_ms + a->now_us / 1000;
}

// --- replies

void adapter_reply(struct adapter_client *c, struct text *line)
{
    adapter_note(c->adapter, '>', c->id, text_span(line));
    text_put_char(line, '\n');
    if (c->link->waiting(c->conn) == 0)
        c->replies = 0;
    c->link->reply(c->conn, text_span(line));
    c->last_write_us = c->adapter->now_us;
    if (++c->replies <= REPLIES_WAITING)
        return;
    c->link->flush(c->conn); // T3.75: counts what the peer does not read, not what this turn has queued
    if (c->link->waiting(c->conn) == 0)
        c->replies = 0;
    // A lock-step controller is no longer read from instead (T3.83), so it cannot add replies without end.
    else if (!table_in_lockstep(c->table) || c->table->controller != c)
        c->link->hang_up(c->conn);
}

void adapter_error(struct adapter_client *c, uint64_t seq, const char *code, const char *message)
{
    char bytes[LINE_ROOM];
    struct text line = text_on(bytes, sizeof bytes);
    write_error(&line, c, seq, code, message);
    adapter_reply(c, &line);
}

static void send_ack(struct adapter_client *c, uint64_t seq)
{
    char bytes[LINE_ROOM];
    struct text line = text_on(bytes, sizeof bytes);
    write_ack(&line, c, seq);
    adapter_reply(c, &line);
}

// --- control (T3.20-T3.29)

static void set_controller(struct table *t, struct adapter_client *c)
{
    t->controller = c;
    table_control_changed(t);
}

// T3.26: the lowest id that greeted as auto or controller; the list is in that order.
static void promote_client(struct table *t)
{
    struct adapter_client *c;
    TAILQ_FOREACH(c, &t->clients, seated)
        if (c->eligible && !c->link->is_gone(c->conn))
            break;
    set_controller(t, c);
}

// T3.25: a controller that has closed its connection does not block a claim.
static void drop_dead_controller(struct table *t)
{
    assert(t);
    while (t->controller && t->controller->link->is_gone(t->controller->conn)) {
        struct adapter_client *dead = t->controller;
        bool was_eligible = dead->eligible;
        dead->eligible = false;
        promote_client(t);
        dead->eligible = was_eligible && t->controller == dead;
    }
}

static void claim_control(struct adapter_client *c, uint64_t seq)
{
    drop_dead_controller(c->table);
    if (c->table->controller && c->table->controller != c) {
        adapter_error(c, seq, "controller_active", "another client is in control; wait until it releases or leaves");
        return;
    }
    if (!c->table->controller)
        set_controller(c->table, c);
    send_ack(c, seq);
}

static void release_control(struct adapter_client *c, uint64_t seq)
{
    assert(c->table);
    if (c->table->controller != c) {
        adapter_error(c, seq, "not_controller", "only the controller can release; claim control first");
        return;
    }
    set_controller(c->table, NULL); // T3.23: nobody is promoted
    send_ack(c, seq);
}

// --- hello (T3.10-T3.14)

struct table *adapter_find_table(const struct adapter *a, const char *name)
{
    struct table *t;
    TAILQ_FOREACH(t, &a->tables, all)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

// T3.9: makes room for a table; if necessary, removes the table that has been empty longest, but never main.
static bool make_table_room(struct adapter *a)
{
    if (a->table_count < a->options.max_tables)
        return true;
    struct table *t, *longest = NULL;
    TAILQ_FOREACH(t, &a->tables, all)
        if (t != TAILQ_FIRST(&a->tables) && TAILQ_EMPTY(&t->clients) && (!longest || t->empty_us < longest->empty_us))
            longest = t;
    if (longest)
        table_destroy(longest);
    return longest != NULL;
}

static struct table *choose_table(struct adapter_client *c, const struct message_hello *h)
{
    const char *name = h->has_table ? h->table : c->address_table[0] ? c->address_table : "main";
    if (!message_is_table_name(name))
        return NULL;
    struct table *t = adapter_find_table(c->adapter, name);
    if (!t && !c->adapter->options.attended && make_table_room(c->adapter))
        t = table_create(c->adapter, name);
    return t;
}

static bool speaks_version(const struct adapter *a, int major)
{
    return (major == 2 && a->options.protocol & PROTOCOL_2) || (major == 3 && a->options.protocol & PROTOCOL_3);
}

static void join_table(struct adapter_client *c, struct table *t, const struct message_hello *h)
{
    struct adapter_client *after = NULL, *other;
    TAILQ_FOREACH(other, &t->clients, seated)
        if (other->id < c->id)
            after = other;
    if (after)
        TAILQ_INSERT_AFTER(&t->clients, after, c, seated);
    else
        TAILQ_INSERT_HEAD(&t->clients, c, seated);
    c->table = t;
    c->eligible = h->role != ROLE_OBSERVER;
    c->lockstep = h->lockstep && !c->adapter->options.attended;
    c->frame_skip = h->frame_skip;
    // Without readers run_beats only moves the beat along, and not exactly.
    if (h->stream && !observations_wanted(t))
        t->beat_due_us = c->adapter->now_us + STEP_US; // beats that nobody waited for are skipped
    if (h->stream)
        c->pending = calloc(1, sizeof *c->pending);
    drop_dead_controller(t);
    if (c->eligible && !t->controller)
        set_controller(t, c);
    c->link->greeted(c->conn);
}

// The checks are in the order of T3.11: what may be tried again on the same connection depends on it.
static void on_hello(struct adapter_client *c, const struct message *m)
{
    const struct message_hello *h = &m->hello;
    if (m->seq != 1) {
        adapter_error(c, m->seq, "invalid_command", "the seq of hello must be 1");
        return;
    }
    int major = message_version_major(h->version);
    if (!speaks_version(c->adapter, major)) {
        adapter_error(c, m->seq, "protocol_mismatch",
                      c->adapter->options.protocol == PROTOCOL_2
                          ? "protocol_version must be a complete 2.x version, such as 2.1.0"
                      : c->adapter->options.protocol == PROTOCOL_3
                          ? "protocol_version must be a complete 3.x version, such as 3.0.0"
                          : "protocol_version must be a complete 2.x or 3.x version");
        c->link->hang_up(c->conn);
        return;
    }
    if (!h->has_json) {
        adapter_error(c, m->seq, "invalid_command", "formats must contain json");
        return;
    }
    struct table *t = choose_table(c, h);
    if (!t) {
        adapter_error(c, m->seq, "invalid_command",
                      "no such table can be had: 1 to 64 characters A-Z a-z 0-9 . _ - and not all tables in use");
        return;
    }
    c->major = (uint8_t)major;
    c->last_seq = m->seq;
    join_table(c, t, h);
    char bytes[LINE_ROOM];
    struct text line = text_on(bytes, sizeof bytes);
    write_welcome(&line, c);
    adapter_reply(c, &line);
    if (!c->pending)
        return;
    observations_send_reply(c);
    c->quiet_until_us = c->link->paced ? c->adapter->now_us + QUIET_US : 0;
}

// --- commands

// T3.47: semantic errors of a well-formed message. Returns the error code, or NULL.
static const char *find_error(const struct message *m, const char **why)
{
    const struct message_command *c = &m->command;
    bool restarts = false;
    for (int i = 0; i < c->count; i++)
        restarts |= c->actions[i] == ACTION_RESTART;
    if (c->has_restart && (c->place_mode || !restarts))
        return *why = "a restart object needs mode action and the action restart", "invalid_command";
    if (m->bad_seed)
        return *why = "restart must be an object; its seed an integer from 0 to 4294967295", "invalid_command";
    if (!c->place_mode)
        return NULL;
    if (!c->place.given)
        return *why = "mode place needs the object place", "invalid_place";
    if (c->place.rotation < 0)
        return *why = "rotation must be north, east, south or west", "invalid_place";
    if (c->place.path < 0)
        return *why = "path must be simple or full", "invalid_place";
    return NULL;
}

static void on_command(struct adapter_client *c, const struct message *m)
{
    struct table *t = c->table;
    assert(t);
    if (t->controller != c) {
        adapter_error(c, m->seq, "not_controller", "only the controller may send commands; claim control first");
        return;
    }
    const char *why, *code = find_error(m, &why);
    if (code)
        adapter_error(c, m->seq, code, why);
    else if (table_in_lockstep(t))
        table_lockstep(t, c, m);
    else if (table_has_room(t))
        table_enqueue(t, c, m);
    else
        adapter_error(c, m->seq, "backpressure", "too many commands wait; try again with a larger seq");
}

// --- lines

static void on_greeted(struct adapter_client *c, const struct message *m)
{
    if (m->type == MESSAGE_HELLO) {
        adapter_error(c, m->seq, "invalid_command", "hello was said already");
        return;
    }
    if (m->seq <= c->last_seq) {
        adapter_error(c, m->seq, "invalid_command", "seq must be greater than that of the message before");
        return;
    }
    c->last_seq = m->seq; // T3.46: consumed even if the command fails
    if (m->type == MESSAGE_CONTROL)
        (m->is_claim ? claim_control : release_control)(c, m->seq);
    else
        on_command(c, m);
}

// T3.46: an unknown type has a complete shape once it has type and seq, so its seq is consumed.
static void on_unknown(struct adapter_client *c, const struct message *m)
{
    if (c->major && m->type == MESSAGE_UNKNOWN && m->seq > c->last_seq)
        c->last_seq = m->seq;
    adapter_error(c, m->seq, "invalid_command", m->wrong);
}

void adapter_line(struct adapter_client *c, struct span line, int64_t now_us)
{
    struct message m;
    c->adapter->now_us = now_us;
    c->last_heard_us = now_us;
    c->quiet_until_us = 0;
    if (c->table && c->table->controller == c)
        table_end_rest(c->table);
    adapter_note(c->adapter, '<', c->id, line);
    bool opened = message_open(&m, line);
    if (!opened)
        adapter_error(c, m.seq, "invalid_command", m.wrong);
    else if (!c->major && (m.type == MESSAGE_COMMAND || m.type == MESSAGE_CONTROL))
        adapter_error(c, m.seq, "handshake_required", "say hello first");
    else if (!message_read(&m, line))
        on_unknown(c, &m);
    else if (!c->major)
        on_hello(c, &m);
    else
        on_greeted(c, &m);
    if (c->table)
        table_wake(c->table);
}

void adapter_fault(struct adapter_client *c, const char *message)
{
    adapter_error(c, 0, "invalid_command", message);
}

// --- clients

struct adapter_client *adapter_open(struct adapter *a, const struct adapter_link *link, void *conn, const char *table)
{
    struct adapter_client *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->adapter = a;
    c->link = link;
    c->conn = conn;
    c->id = ++a->last_client_id;
    c->last_heard_us = a->now_us;
    if (table && strlen(table) < sizeof c->address_table)
        memcpy(c->address_table, table, strlen(table) + 1);
    LIST_INSERT_HEAD(&a->clients, c, all);
    a->client_count++;
    return c;
}

void adapter_close(struct adapter_client *c, int64_t now_us)
{
    struct adapter *a = c->adapter;
    struct table *t = c->table;
    a->now_us = now_us;
    // From here on `c` gets nothing; its waiting commands are applied without an answer (T3.29).
    LIST_REMOVE(c, all);
    a->client_count--;
    if (t) {
        TAILQ_REMOVE(&t->clients, c, seated);
        table_remove_client(t, c);
        if (t->controller == c)
            promote_client(t);
        t->empty_us = now_us;
        table_wake(t);
    }
    free(c->pending);
    free(c);
}

static void drop_idle(struct adapter *a)
{
    struct adapter_client *c;
    if (a->options.idle_timeout_ms <= 0)
        return;
    LIST_FOREACH(c, &a->clients, all)
        if (a->now_us - c->last_heard_us >= a->options.idle_timeout_ms * 1000)
            c->link->hang_up(c->conn);
}

static void advance_one(struct adapter *a, struct table *t)
{
    if (t->woken)
        TAILQ_REMOVE(&a->woken, t, wake);
    t->woken = false;
    table_advance(t);
    int64_t next = table_next_due(t);
    a->due_us = next < a->due_us ? next : a->due_us;
}

// Advances all tables when the earliest of them is due; otherwise only those that received something, so that a message
// to one of a thousand tables does not cost a pass over the others.
int64_t adapter_advance(struct adapter *a, int64_t now_us)
{
    struct table *t;
    a->now_us = now_us;
    if (now_us < a->due_us) {
        while ((t = TAILQ_FIRST(&a->woken)))
            advance_one(a, t);
        return a->due_us;
    }
    a->due_us = INT64_MAX;
    drop_idle(a);
    TAILQ_FOREACH(t, &a->tables, all)
        advance_one(a, t);
    if (a->options.idle_timeout_ms > 0 && a->due_us > now_us + IDLE_POLL_US)
        a->due_us = now_us + IDLE_POLL_US;
    return a->due_us;
}

// --- the table main

void adapter_press(struct adapter *a, struct game_action action)
{
    struct table *t = TAILQ_FIRST(&a->tables);
    if (t->local_count < LOCAL_ACTIONS)
        t->local[t->local_count++] = action;
    table_end_rest(t);
    table_wake(t);
}

const struct match *adapter_match(const struct adapter *a)
{
    return &TAILQ_FIRST(&a->tables)->match;
}

void adapter_end_log(struct adapter *a)
{
    match_finish(&TAILQ_FIRST(&a->tables)->match, a->options.key, true);
}

uint64_t adapter_step_count(const struct adapter *a)
{
    return TAILQ_FIRST(&a->tables)->logical_step;
}

struct adapter_status adapter_status(const struct adapter *a)
{
    const struct table *t = TAILQ_FIRST(&a->tables);
    return (struct adapter_status){a->client_count, t->controller ? t->controller->id : 0};
}
