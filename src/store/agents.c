// Agents, and the codes that pair a device with one.
#include "store/internal.h"

#include "base/hash.h"

#include "store/columns.h"

#include <string.h>

#define AGENT(kind, field) COLUMN(kind, struct store_agent, field)

const struct column store_agent_columns[STORE_AGENT_COLUMNS] = {
    AGENT(NAME, id),
    AGENT(NUMBER, public_no),
    AGENT(NAME, key_hash),
    AGENT(NAME, claim_hash),
    AGENT(NAME, verify_hash),
    AGENT(INT, created_ms),
    AGENT(INT, renamed_ms),
    AGENT(INT, verify_until_ms),
    AGENT(INT, max_games_per_day),
    AGENT(INT, max_games_per_hour),
    AGENT(INT, cooldown_seconds),
    AGENT(INT, max_concurrent),
    AGENT(UINT, kind),
    AGENT(BOOL, has_key),
    AGENT(BOOL, claimed),
    AGENT(BOOL, disabled),
    AGENT(BOOL, auto_requeue),
    AGENT(BOOL, auto_confirm),
    AGENT(TEXT, client_kind),
    AGENT(TEXT, runtime_type),
    AGENT(TEXT, device_id),
    AGENT(TEXT, instance),
    AGENT(TEXT, bridge_version),
    AGENT(TEXT, terms_version),
    AGENT(TEXT, privacy_version),
    AGENT(TEXT, standby),
    AGENT(TEXT, games),
    AGENT(TEXT, bot_url),
    AGENT(TEXT, owner),
    AGENT(TEXT, name),
    AGENT(TEXT, model),
    AGENT(TEXT, description),
    AGENT(INT, day_ceiling),
    AGENT(INT, hour_ceiling),
    AGENT(INT, cooldown_floor),
    AGENT(INT, concurrent_ceiling),
    AGENT(TEXT, origin),
    AGENT(NAME, lineage),
    AGENT(NAME, entropy),
};
store_ticket lite_put_agent(struct store *s, const struct store_agent *a)
{
    memcpy(store_put(s, RECORD_AGENT, sizeof *a), a, sizeof *a);
    s->fresh_number[s->fresh_numbers++ % STORE_FRESH_NUMBERS] = a->public_no;
    board_updates_add_agent(&s->board_updates, s->last, a);
    return s->last;
}

int store_apply_agent(struct store *s, const void *body)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_PUT_AGENT);
    bind_row(st, 1, store_agent_columns, STORE_AGENT_COLUMNS, body);
    return db_run(&s->writer, st);
}

void store_mark_agent(const struct store_agent *a, uint32_t marks[STORE_AGENT_MARKS])
{
    for (int i = 0; i < STORE_AGENT_COLUMNS; i++) {
        const struct column *c = &store_agent_columns[i];
        marks[i] = (uint32_t)hash_bytes((const char *)a + c->offset, c->size);
    }
}

static bool read_agent(struct store *s, sqlite3_stmt *st, struct store_agent *out)
{
    if (!db_next(&s->reader, st))
        return false;
    *out = (struct store_agent){0};
    read_row(st, 0, store_agent_columns, STORE_AGENT_COLUMNS, out);
    return true;
}

static bool find_agent(struct store *s, sqlite3_stmt *st, struct store_agent *out)
{
    store_begin_read(s);
    bool found = read_agent(s, st, out);
    db_done(st);
    store_end_read(s);
    return found;
}

bool lite_find_agent(struct store *s, struct uuid id, struct store_agent *out)
{
    if (!store_await(s))
        return false;
    sqlite3_stmt *st = db_use(&s->reader, SQL_FIND_AGENT);
    bind_uuid(st, 1, &id);
    return find_agent(s, st, out);
}

static bool find_by_hash(struct store *s, enum sql which, const uint8_t hash[STORE_HASH], struct store_agent *out)
{
    if (!store_await(s))
        return false;
    sqlite3_stmt *st = db_use(&s->reader, which);
    bind_hash(st, 1, hash);
    return find_agent(s, st, out);
}

bool lite_find_agent_by_key(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out)
{
    return find_by_hash(s, SQL_FIND_AGENT_BY_KEY, hash, out);
}

bool lite_find_agent_by_claim(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out)
{
    return find_by_hash(s, SQL_FIND_AGENT_BY_CLAIM, hash, out);
}

bool lite_find_agent_by_verify(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out)
{
    return find_by_hash(s, SQL_FIND_AGENT_BY_VERIFY, hash, out);
}

bool lite_has_public_no(struct store *s, uint64_t public_no)
{
    if (!store_await(s))
        return false;
    for (uint32_t i = 0; i < STORE_FRESH_NUMBERS && i < s->fresh_numbers; i++)
        if (s->fresh_number[i] == public_no)
            return true;
    sqlite3_stmt *st = db_use(&s->reader, SQL_FIND_PUBLIC_NO);
    bind_int(st, 1, (int64_t)public_no);
    store_begin_read(s);
    bool found = db_next(&s->reader, st);
    db_done(st);
    store_end_read(s);
    return found;
}

static int count_rows(struct store *s, enum sql which, int kind)
{
    sqlite3_stmt *st = db_use(&s->reader, which);
    if (kind >= 0)
        bind_int(st, 1, kind);
    int count = db_next(&s->reader, st) ? sqlite3_column_int(st, 0) : 0;
    db_done(st);
    return count;
}

// Counts clients as all agents minus the others, because nearly all are clients. Rows have no gaps, so the last row is
// the number of agents.
static int count_agents(struct store *s, int kind)
{
    if (kind >= 0 && kind != STORE_CLIENT)
        return count_rows(s, SQL_COUNT_AGENTS_OF_KIND, kind);
    return count_rows(s, SQL_COUNT_AGENTS, -1) - (kind < 0 ? 0 : count_rows(s, SQL_COUNT_OTHER_AGENTS, kind));
}

int lite_list_agents(struct store *s, int kind, int from, struct store_agent *out, int room, int *total)
{
    if (!store_await(s)) {
        if (total)
            *total = 0;
        return 0;
    }
    int count = 0;
    store_begin_read(s);
    if (total)
        *total = count_agents(s, kind);
    sqlite3_stmt *st = db_use(&s->reader, kind < 0 ? SQL_LIST_AGENTS : SQL_LIST_AGENTS_OF_KIND);
    bind_int(st, 1, room);
    bind_int(st, 2, from); // for all kinds a row number, since rows have no gaps
    if (kind >= 0)
        bind_int(st, 3, kind);
    while (count < room && read_agent(s, st, &out[count]))
        count++;
    db_done(st);
    store_end_read(s);
    return count;
}

_Static_assert(STORE_GUEST == 3, "as in SQL_GUESTS_FROM");

int lite_list_guests(struct store *s, int64_t *after, struct store_guest *out, int room)
{
    if (!store_await(s))
        return 0;
    int count = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_GUESTS_FROM);
    bind_int(st, 1, *after);
    bind_int(st, 2, room);
    while (count < room && db_next(&s->reader, st)) {
        *after = sqlite3_column_int64(st, 0);
        out[count++] = (struct store_guest){.id = read_uuid(st, 1),
                                            .created_ms = sqlite3_column_int64(st, 2),
                                            .disabled = sqlite3_column_int(st, 3),
                                            .played_ms = sqlite3_column_int64(st, 4)};
    }
    db_done(st);
    store_end_read(s);
    return count;
}

// --- pairing

#define PAIRING(kind, field) COLUMN(kind, struct store_pairing, field)

const struct column store_pairing_columns[STORE_PAIRING_COLUMNS] = {
    PAIRING(NAME, code_hash), PAIRING(INT, expires_ms),    PAIRING(BOOL, used),
    PAIRING(BOOL, revoked),   PAIRING(TEXT, runtime_type),
};

store_ticket lite_put_pairing(struct store *s, const struct store_pairing *p)
{
    memcpy(store_put(s, RECORD_PAIRING, sizeof *p), p, sizeof *p);
    return s->last;
}

int store_apply_pairing(struct store *s, const void *body)
{
    const struct store_pairing *p = body;
    int64_t agent = store_row_of_agent(s, &p->agent);
    if (!agent)
        return ERR_STORAGE;
    sqlite3_stmt *st = db_use(&s->writer, SQL_REVOKE_PAIRINGS);
    bind_int(st, 1, agent);
    if (db_run(&s->writer, st) != OK)
        return ERR_STORAGE;
    st = db_use(&s->writer, SQL_PUT_PAIRING);
    bind_row(st, 1, store_pairing_columns, STORE_PAIRING_COLUMNS, p);
    bind_int(st, STORE_PAIRING_COLUMNS + 1, agent);
    return db_run(&s->writer, st);
}

store_ticket lite_use_pairing(struct store *s, const uint8_t code_hash[STORE_HASH])
{
    memcpy(store_put(s, RECORD_USE_PAIRING, STORE_HASH), code_hash, STORE_HASH);
    return s->last;
}

int store_apply_use_pairing(struct store *s, const void *body)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_USE_PAIRING);
    bind_hash(st, 1, body);
    return db_run(&s->writer, st);
}

bool lite_find_pairing(struct store *s, const uint8_t code_hash[STORE_HASH], struct store_pairing *out)
{
    if (!store_await(s))
        return false;
    sqlite3_stmt *st = db_use(&s->reader, SQL_FIND_PAIRING);
    bind_hash(st, 1, code_hash);
    store_begin_read(s);
    bool found = db_next(&s->reader, st);
    if (found) {
        *out = (struct store_pairing){.agent = read_uuid(st, STORE_PAIRING_COLUMNS)};
        read_row(st, 0, store_pairing_columns, STORE_PAIRING_COLUMNS, out);
    }
    db_done(st);
    store_end_read(s);
    return found;
}

// --- by name

int lite_find_names(struct store *s, const char *begin, int from, struct store_agent_name *out, int room)
{
    if (!store_await(s))
        return 0;
    char beyond[STORE_NAME + 4];
    size_t size = strnlen(begin, STORE_NAME - 1);
    int count = 0;
    memcpy(beyond, begin, size);
    memcpy(beyond + size, "\xf4\x8f\xbf\xbf", 5); // U+10FFFF, the last character
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, size ? SQL_AGENTS_BY_NAME : SQL_AGENTS_BY_AGE);
    if (size) {
        bind_span(st, 1, (struct span){begin, size});
        bind_text(st, 2, beyond);
    }
    bind_int(st, 3, room);
    bind_int(st, 4, from);
    while (count < room && db_next(&s->reader, st)) {
        struct store_agent_name *a = &out[count++];
        *a = (struct store_agent_name){.id = read_uuid(st, 0), .kind = (uint8_t)sqlite3_column_int(st, 3)};
        read_text(st, 1, a->name, sizeof a->name);
        read_text(st, 2, a->model, sizeof a->model);
    }
    db_done(st);
    store_end_read(s);
    return count;
}
