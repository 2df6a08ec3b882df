// Reads agents, pairing codes, challenges and the list of commitments.
#include "store/pg/internal.h"

#include <string.h>

static bool read_agent(struct answer *r, struct store_agent *out)
{
    if (!answer_next(r))
        return false;
    *out = (struct store_agent){0};
    answer_row(r, store_agent_columns, STORE_AGENT_COLUMNS, out);
    return true;
}

static bool find_one(struct store *s, struct query *q, struct args *a, struct store_agent *out)
{
    struct answer r = query_run(pg_of(s), q, a);
    bool found = read_agent(&r, out);
    answer_end(&r);
    return found;
}

bool pg_find_agent(struct store *s, struct uuid id, struct store_agent *out)
{
    struct query q;
    struct args a = query_begin(&q, PG_FIND_AGENT);
    args_uuid(&a, id);
    return find_one(s, &q, &a, out);
}

static bool find_by_hash(struct store *s, enum pg_statement which, const uint8_t hash[STORE_HASH],
                         struct store_agent *out)
{
    struct query q;
    struct args a = query_begin(&q, which);
    args_bytes(&a, (struct span){(const char *)hash, STORE_HASH});
    return find_one(s, &q, &a, out);
}

bool pg_find_agent_by_key(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out)
{
    return find_by_hash(s, PG_FIND_AGENT_BY_KEY, hash, out);
}

bool pg_find_agent_by_claim(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out)
{
    return find_by_hash(s, PG_FIND_AGENT_BY_CLAIM, hash, out);
}

bool pg_find_agent_by_verify(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out)
{
    return find_by_hash(s, PG_FIND_AGENT_BY_VERIFY, hash, out);
}

// The first number of the first row; 0: no row.
static int64_t ask_number(struct pg *p, struct query *q, struct args *a)
{
    struct answer r = query_run(p, q, a);
    if (!answer_next(&r))
        return 0;
    int64_t number = answer_int(&r);
    answer_end(&r);
    return number;
}

bool pg_has_public_no(struct store *s, uint64_t public_no)
{
    struct pg *p = pg_of(s);
    struct query q;
    for (uint32_t i = 0; i < STORE_FRESH_NUMBERS && i < p->fresh_numbers; i++)
        if (p->fresh_number[i] == public_no)
            return true;
    struct args a = query_begin(&q, PG_FIND_PUBLIC_NO);
    args_int(&a, (int64_t)public_no);
    return ask_number(p, &q, &a) != 0;
}

int pg_list_agents(struct store *s, int kind, int from, struct store_agent *out, int room, int *total)
{
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_COUNT_AGENTS);
    if (total) {
        args_int(&a, kind);
        *total = (int)ask_number(pg_of(s), &q, &a);
    }
    a = query_begin(&q, kind < 0 ? PG_LIST_AGENTS : PG_LIST_AGENTS_OF_KIND);
    args_int(&a, room);
    args_int(&a, from); // for all kinds a row number, since rows have no gaps
    if (kind >= 0)
        args_int(&a, kind);
    struct answer r = query_run(pg_of(s), &q, &a);
    while (count < room && read_agent(&r, &out[count]))
        count++;
    answer_end(&r);
    return count;
}

_Static_assert(STORE_GUEST == 3, "as in PG_GUESTS_FROM");

int pg_list_guests(struct store *s, int64_t *after, struct store_guest *out, int room)
{
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_GUESTS_FROM);
    args_int(&a, *after);
    args_int(&a, room);
    struct answer r = query_run(pg_of(s), &q, &a);
    while (count < room && answer_next(&r)) {
        *after = answer_int(&r);
        struct store_guest *g = &out[count++];
        *g = (struct store_guest){.id = answer_uuid(&r)};
        g->created_ms = answer_int(&r);
        g->disabled = answer_bool(&r);
        g->played_ms = answer_int(&r);
    }
    answer_end(&r);
    return count;
}

int pg_find_names(struct store *s, const char *begin, int from, struct store_agent_name *out, int room)
{
    char beyond[STORE_NAME + 4];
    size_t size = strnlen(begin, STORE_NAME - 1);
    struct query q;
    int count = 0;
    memcpy(beyond, begin, size);
    memcpy(beyond + size, "\xf4\x8f\xbf\xbf", 5); // U+10FFFF, the last character
    struct args a = query_begin(&q, size ? PG_AGENTS_BY_NAME : PG_AGENTS_BY_AGE);
    if (size) {
        args_text(&a, begin, size);
        args_text(&a, beyond, sizeof beyond);
    }
    args_int(&a, room);
    args_int(&a, from);
    struct answer r = query_run(pg_of(s), &q, &a);
    while (count < room && answer_next(&r)) {
        struct store_agent_name *n = &out[count++];
        *n = (struct store_agent_name){.id = answer_uuid(&r)};
        answer_text(&r, n->name, sizeof n->name);
        answer_text(&r, n->model, sizeof n->model);
        n->kind = (uint8_t)answer_int(&r);
    }
    answer_end(&r);
    return count;
}

bool pg_find_pairing(struct store *s, const uint8_t code_hash[STORE_HASH], struct store_pairing *out)
{
    struct query q;
    struct args a = query_begin(&q, PG_FIND_PAIRING);
    args_bytes(&a, (struct span){(const char *)code_hash, STORE_HASH});
    struct answer r = query_run(pg_of(s), &q, &a);
    if (!answer_next(&r))
        return false;
    *out = (struct store_pairing){0};
    answer_row(&r, store_pairing_columns, STORE_PAIRING_COLUMNS, out);
    out->agent = answer_uuid(&r);
    answer_end(&r);
    return true;
}

// --- challenges

static int read_challenges(struct store *s, struct query *q, struct args *a, struct store_challenge *out, int room)
{
    int count = 0;
    struct answer r = query_run(pg_of(s), q, a);
    while (count < room && answer_next(&r)) {
        struct store_challenge *c = &out[count++];
        *c = (struct store_challenge){0};
        const char *game = pg_game_name(pg_of(s), answer_int(&r));
        memcpy(c->game, game, strlen(game));
        answer_row(&r, store_challenge_columns, STORE_CHALLENGE_COLUMNS, c);
        struct span agents = answer_bytes(&r);
        for (size_t i = 0; i < STORE_SEATS && (i + 1) * UUID_BYTES <= agents.size; i++)
            memcpy(c->agent[i].byte, agents.at + i * UUID_BYTES, UUID_BYTES);
    }
    answer_end(&r);
    return count;
}

bool pg_find_challenge(struct store *s, struct uuid id, struct store_challenge *out)
{
    struct query q;
    struct args a = query_begin(&q, PG_FIND_CHALLENGE);
    args_uuid(&a, id);
    return read_challenges(s, &q, &a, out, 1) == 1;
}

bool pg_find_challenge_by_token(struct store *s, const uint8_t hash[STORE_HASH], struct store_challenge *out)
{
    struct query q;
    struct args a = query_begin(&q, PG_FIND_CHALLENGE_BY_TOKEN);
    args_bytes(&a, (struct span){(const char *)hash, STORE_HASH});
    return read_challenges(s, &q, &a, out, 1) == 1;
}

int pg_list_challenges(struct store *s, struct uuid agent, struct store_challenge *out, int room)
{
    struct query q;
    struct args a = query_begin(&q, PG_LIST_CHALLENGES);
    args_uuid(&a, agent);
    args_int(&a, room);
    return read_challenges(s, &q, &a, out, room);
}

int pg_list_open_challenges(struct store *s, struct store_challenge *out, int room)
{
    struct query q;
    struct args a = query_begin(&q, PG_LIST_OPEN_CHALLENGES);
    args_int(&a, room);
    return read_challenges(s, &q, &a, out, room);
}

// --- the list of commitments

static void copy_bytes(struct answer *r, void *out, size_t room, size_t *size)
{
    struct span bytes = answer_bytes(r);
    size_t used = bytes.size < room ? bytes.size : room;
    memcpy(out, bytes.at, used);
    if (size)
        *size = used;
}

static int read_entries(struct store *s, struct query *q, struct args *a, struct store_entry *out, int room)
{
    int count = 0;
    struct answer r = query_run(pg_of(s), q, a);
    while (count < room && answer_next(&r)) {
        struct store_entry *e = &out[count++];
        size_t size;
        *e = (struct store_entry){.place = (uint64_t)answer_int(&r)};
        e->kind = (uint8_t)answer_int(&r);
        e->number = (uint64_t)answer_int(&r);
        e->at_ms = answer_int(&r);
        copy_bytes(&r, e->body, sizeof e->body, &size);
        e->size = (uint16_t)size;
        copy_bytes(&r, e->link, sizeof e->link, NULL);
    }
    answer_end(&r);
    return count;
}

int pg_list_entries(struct store *s, uint64_t from, struct store_entry *out, int room)
{
    struct query q;
    struct args a = query_begin(&q, PG_LIST_ENTRIES);
    args_int(&a, (int64_t)from);
    args_int(&a, room);
    return read_entries(s, &q, &a, out, room);
}

int pg_find_entries(struct store *s, uint64_t number, struct store_entry out[STORE_ENTRIES_OF_NUMBER])
{
    struct query q;
    struct args a = query_begin(&q, PG_ENTRIES_OF);
    args_int(&a, (int64_t)number);
    return read_entries(s, &q, &a, out, STORE_ENTRIES_OF_NUMBER);
}

bool pg_last_entry(struct store *s, struct store_entry *out)
{
    struct query q;
    struct args a = query_begin(&q, PG_LAST_ENTRY);
    return read_entries(s, &q, &a, out, 1) == 1;
}

uint64_t pg_last_number(struct store *s, enum store_entry_kind kind)
{
    struct query q;
    struct args a = query_begin(&q, PG_LAST_NUMBER);
    args_int(&a, kind);
    return (uint64_t)ask_number(pg_of(s), &q, &a);
}

uint64_t pg_last_number_of(struct store *s, enum store_entry_kind kind, uint64_t first)
{
    struct query q;
    struct args a = query_begin(&q, PG_LAST_NUMBER_OF);
    args_int(&a, kind);
    args_int(&a, (int64_t)first);
    args_int(&a, (int64_t)(first + (1ull << STORE_CHAIN_BITS)));
    return (uint64_t)ask_number(pg_of(s), &q, &a);
}

static int read_epochs(struct store *s, struct query *q, struct args *a, struct store_epoch *out, int room)
{
    int count = 0;
    struct answer r = query_run(pg_of(s), q, a);
    while (count < room && answer_next(&r)) {
        struct store_epoch *e = &out[count++];
        *e = (struct store_epoch){.first = (uint64_t)answer_int(&r)};
        copy_bytes(&r, e->id, sizeof e->id, NULL);
        copy_bytes(&r, e->secret, sizeof e->secret, NULL);
        e->restored = answer_bool(&r);
        e->node = (uint64_t)answer_int(&r);
        e->ended = answer_bool(&r);
    }
    answer_end(&r);
    return count;
}

int pg_list_epochs(struct store *s, int from, struct store_epoch *out, int room)
{
    struct query q;
    struct args a = query_begin(&q, PG_LIST_EPOCHS);
    args_int(&a, from);
    args_int(&a, room);
    return read_epochs(s, &q, &a, out, room);
}

int pg_list_left_epochs(struct store *s, struct store_epoch *out, int room)
{
    struct query q;
    struct args a = query_begin(&q, PG_LEFT_EPOCHS);
    args_int(&a, room);
    args_bool(&a, pg_of(s)->shared);
    return read_epochs(s, &q, &a, out, room);
}

// --- statistics

void pg_count(struct store *s, struct store_counts *out)
{
    struct pg *p = pg_of(s);
    struct query q;
    *out = (struct store_counts){0};
    struct args a = query_begin(&q, PG_COUNTS);
    struct answer r = query_run(p, &q, &a);
    if (!answer_next(&r))
        return;
    out->agents = (uint64_t)answer_int(&r);
    out->matches = (uint64_t)answer_int(&r);
    out->running = (uint64_t)answer_int(&r);
    out->actions = (uint64_t)answer_int(&r);
    out->bytes = (uint64_t)answer_int(&r);
    out->matches += out->running;
    answer_end(&r);
    for (const struct running_match *m = p->running.oldest; m; m = m->newer)
        out->actions += m->count - 1;
}
