// A store in a folder of its own, or on the PostgreSQL server of AGON_TEST_POSTGRES, which is emptied; and rows to put
// into it.
#pragma once

#include "base/err.h"
#include "store/pg/pg.h"
#include "store/store.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define KIT_START 1700000000000 // of time, in milliseconds

struct kit {
    char folder[64];
    struct store_options options;
    struct store *store;
};

static inline void kit_open(struct kit *k)
{
    char why[512] = "";
    k->store = store_open(&k->options, why, sizeof why);
    if (!k->store)
        fail_msg("%s", why);
}

static inline void kit_close(struct kit *k)
{
    store_close(k->store);
    k->store = NULL;
}

static inline void kit_reopen(struct kit *k)
{
    kit_close(k);
    kit_open(k);
}

static inline bool kit_is_elsewhere(void)
{
    return getenv("AGON_TEST_POSTGRES") != NULL;
}

// At the beginning of a test that looks into SQLite.
#define KIT_ONLY_HERE()                                                                                                \
    do {                                                                                                               \
        if (kit_is_elsewhere())                                                                                        \
            skip();                                                                                                    \
    } while (0)

static inline void kit_empty(struct kit *k)
{
    k->options.engine = &store_pg;
    k->options.url = getenv("AGON_TEST_POSTGRES");
    if (system("psql -qX \"$AGON_TEST_POSTGRES\" -c 'SET client_min_messages = error' -c 'DROP SCHEMA public CASCADE' "
               "-c 'CREATE SCHEMA public'") != 0)
        fail_msg("cannot empty the server");
}

static inline int kit_setup(void **state)
{
    struct kit *k = calloc(1, sizeof *k);
    snprintf(k->folder, sizeof k->folder, "/tmp/agon-store-XXXXXX");
    if (!mkdtemp(k->folder))
        return -1;
    store_defaults(&k->options);
    k->options.folder = k->folder;
    k->options.pace_ms = 0;
    if (kit_is_elsewhere())
        kit_empty(k);
    kit_open(k);
    *state = k;
    return 0;
}

static inline void kit_remove(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", folder, folder);
    if (system(command) != 0)
        print_error("cannot remove %s\n", folder);
}

static inline int kit_teardown(void **state)
{
    struct kit *k = *state;
    store_close(k->store);
    kit_remove(k->folder);
    free(k);
    return 0;
}

#define KIT_TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

// Names by numbers: the same number is the same agent, match, session.
static inline struct uuid kit_uuid(char kind, uint32_t n)
{
    struct uuid u = {{(uint8_t)kind, 0xA9}};
    memcpy(u.byte + 12, &n, sizeof n);
    uuid_mark_random(&u);
    return u;
}

static inline struct store_agent kit_agent(uint32_t n)
{
    struct store_agent a = {.id = kit_uuid('a', n), .public_no = 1000000000u + n, .created_ms = KIT_START + n};
    a.key_hash[0] = 7;
    memcpy(a.key_hash + 4, &n, sizeof n);
    a.has_key = a.claimed = true;
    snprintf(a.name, sizeof a.name, "agent %u", n);
    snprintf(a.model, sizeof a.model, "model %u", n);
    return a;
}

static inline void kit_put_agents(struct kit *k, uint32_t count)
{
    for (uint32_t n = 1; n <= count; n++) {
        struct store_agent a = kit_agent(n);
        store_put_agent(k->store, &a);
    }
    store_wait(k->store);
}

// Agents 1, 2, ... at the seats of match n.
static inline struct store_match kit_match(uint32_t n, const char *game, int seats)
{
    struct store_match m = {.id = kit_uuid('m', n),
                            .replay = kit_uuid('r', n),
                            .live = kit_uuid('l', n),
                            .created_ms = KIT_START + (int64_t)n * 1000,
                            .started_ms = KIT_START + (int64_t)n * 1000 + 10,
                            .seats = seats,
                            .winner = -1,
                            .forfeited_by = -1};
    snprintf(m.game, sizeof m.game, "%s", game);
    snprintf(m.mode, sizeof m.mode, "ranked");
    memset(m.key, (int)n, sizeof m.key);
    memset(m.commitment, (int)n + 1, sizeof m.commitment);
    for (int i = 0; i < seats; i++) {
        m.seat[i].agent = kit_uuid('a', (uint32_t)i + 1);
        m.seat[i].session = kit_uuid('s', n * 16 + (uint32_t)i);
        snprintf(m.seat[i].name, sizeof m.seat[i].name, "agent %d", i + 1);
    }
    return m;
}

static inline struct store_rating kit_rating(uint32_t agent, const char *game, double rating, double deviation)
{
    struct store_rating r = {.agent = kit_uuid('a', agent),
                             .rating = rating,
                             .deviation = deviation,
                             .volatility = 0.06,
                             .peak = rating,
                             .rated_ms = KIT_START,
                             .played_ms = KIT_START,
                             .games = 6,
                             .rated_games = 6,
                             .wins = 3,
                             .losses = 2,
                             .draws = 1};
    snprintf(r.game, sizeof r.game, "%s", game);
    return r;
}

// The first seat wins.
static inline void kit_end(struct store_match *m)
{
    m->status = STORE_FINISHED;
    m->finished_ms = m->created_ms + 500;
    m->winner = 0;
    m->events = 12;
    for (int i = 0; i < m->seats; i++) {
        m->payoffs[i] = i == 0;
        m->seat[i].result = i == 0 ? 'w' : 'l';
    }
}

static inline void kit_play(struct kit *k, struct store_match *m)
{
    store_begin_match(k->store, m, NULL, SPAN("head"));
    store_append(k->store, m->id, m->created_ms + 100, SPAN("one"), (struct span){0});
    kit_end(m);
    store_finish_match(k->store, m, NULL, m->finished_ms, SPAN("end"), NULL, 0, NULL);
}

// A log as text: "at:log|note " for each piece, times from `from_ms` on.
struct kit_log {
    char text[4096];
    size_t size;
    int64_t from_ms;
    int stop_after; // pieces; 0: never
};

static inline bool kit_each(void *owner, int64_t at_ms, struct span log, struct span note)
{
    struct kit_log *l = owner;
    l->size += (size_t)snprintf(l->text + l->size, sizeof l->text - l->size, "%lld:%.*s|%.*s ",
                                (long long)(at_ms - l->from_ms), (int)log.size, log.at, (int)note.size, note.at);
    return l->stop_after == 0 || --l->stop_after > 0;
}

static inline int kit_read_log(struct kit *k, const struct store_match *m, struct kit_log *l)
{
    l->size = 0;
    l->text[0] = 0;
    l->from_ms = m->created_ms;
    return store_read_log(k->store, m->id, kit_each, l);
}
