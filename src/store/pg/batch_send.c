// Sending the puts of a batch. Starts of matches go to the server in one statement as far as possible, and so do ends
// (schema_batches.c): their parameters become arrays. Within a statement all agents differ, so the order of its matches
// does not matter. Ends go before starts, which only frees places earlier than the order of the puts does.
#include "store/pg/internal.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, ARRAY_HEAD = 20 }; // matches of a statement; bytes before the first item of an array

// How a parameter of several puts becomes one.
enum joining {
    SAME,   // it is the same in all
    EACH,   // an item for each match
    ALL,    // arrays are joined; NULL: in all of them
    SEATS,  // likewise, of seats of a match, which become seats of all matches
    MATCH,  // new: for each item of the array `from` the number of its match, from 1
    NUMBER, // new: for each item of the array `from` its number within its match, from 0
};

struct joint {
    uint8_t how, from;
    uint16_t type;
};

// By parameter of PG_BEGIN_MATCHES and PG_END_MATCHES, in the order of puts.c; MATCH and NUMBER are added here.
static const struct joint begins[] = {
    {SAME, 0, 0},          {EACH, 0, ARGS_INT8},  {EACH, 0, ARGS_UUID}, {EACH, 0, ARGS_INT8},  {EACH, 0, ARGS_INT8},
    {EACH, 0, ARGS_INT8},  {EACH, 0, ARGS_INT8},  {EACH, 0, ARGS_INT8}, {EACH, 0, ARGS_BYTEA}, {ALL, 0, ARGS_UUID},
    {ALL, 0, ARGS_BOOL},   {ALL, 0, ARGS_UUID},   {ALL, 0, ARGS_INT8},  {EACH, 0, ARGS_TEXT},  {EACH, 0, ARGS_INT8},
    {MATCH, 9, ARGS_INT8}, {NUMBER, 9, ARGS_INT8}};
static const struct joint ends[] = {
    {SAME, 0, 0},           {EACH, 0, ARGS_INT8},  {EACH, 0, ARGS_UUID},   {EACH, 0, ARGS_UUID},
    {EACH, 0, ARGS_INT8},   {EACH, 0, ARGS_INT8},  {EACH, 0, ARGS_BOOL},   {EACH, 0, ARGS_INT8},
    {EACH, 0, ARGS_BYTEA},  {EACH, 0, ARGS_BYTEA}, {ALL, 0, ARGS_UUID},    {ALL, 0, ARGS_UUID},
    {ALL, 0, ARGS_INT8},    {ALL, 0, ARGS_BOOL},   {ALL, 0, ARGS_REAL},    {ALL, 0, ARGS_REAL},
    {SEATS, 10, ARGS_INT8}, {ALL, 0, ARGS_INT8},   {ALL, 0, ARGS_BYTEA},   {SEATS, 10, ARGS_INT8},
    {SEATS, 10, ARGS_INT8}, {ALL, 0, ARGS_INT8},   {SAME, 0, 0},           {ALL, 0, ARGS_INT8},
    {ALL, 0, ARGS_INT8},    {ALL, 0, ARGS_REAL},   {MATCH, 10, ARGS_INT8}, {NUMBER, 10, ARGS_INT8},
    {MATCH, 16, ARGS_INT8}, {MATCH, 19, ARGS_INT8}};
// Places in the two tables: the agents, which must differ within a statement, and counters, which may be NULL.
enum { BEGINS_WHO = 9, ENDS_WHO = 10, ENDS_COUNTS = 23 };

struct group { // puts of one kind, to be one statement
    const struct joint *joints;
    int columns, who;
    int count;
    const struct put *put[MOST];
    struct span agents[MOST]; // the items of `who`
    bool has_counts;          // ends: those of all of them or of none
};

// A parameter in its place: size and bytes.
static int32_t size_at(const char *at)
{
    uint32_t wire;
    memcpy(&wire, at, sizeof wire);
    return (int32_t)be32toh(wire);
}

static const char *skip_parameter(const char *at)
{
    int32_t size = size_at(at);
    return at + 4 + (size < 0 ? 0 : size);
}

static const char *find_parameter(const struct put *one, int index)
{
    const char *at = (const char *)(one + 1);
    for (int i = 0; i < index; i++)
        at = skip_parameter(at);
    return at;
}

// The items of an array and their number; an array without dimensions is empty.
static struct span items_at(const char *at, int *count)
{
    int32_t size = size_at(at);
    *count = size < ARRAY_HEAD ? 0 : size_at(at + 4 + 12);
    return *count ? (struct span){at + 4 + ARRAY_HEAD, (size_t)(size - ARRAY_HEAD)} : (struct span){0};
}

// --- joining

static void append_bytes(struct args *a, const char *from, size_t size)
{
    if (size)
        memcpy(store_grow(a->to, size), from, size);
}

static void join_each(struct args *a, const struct group *g, const char *at[MOST])
{
    for (int i = 0; i < g->count; i++)
        append_bytes(a, at[i], (size_t)(skip_parameter(at[i]) - at[i]));
    a->items += g->count;
}

static void join_all(struct args *a, const struct group *g, const char *at[MOST])
{
    for (int i = 0; i < g->count; i++) {
        int count;
        struct span items = items_at(at[i], &count);
        append_bytes(a, items.at, items.size);
        a->items += count;
    }
}

static void join_seats(struct args *a, const struct group *g, const char *at[MOST], const int seats[MOST])
{
    int before = 0;
    for (int i = 0; i < g->count; before += seats[i], i++) {
        int count;
        const char *item = items_at(at[i], &count).at;
        for (int k = 0; k < count; k++, item += 12) {
            uint64_t wire;
            memcpy(&wire, item + 4, sizeof wire);
            args_int(a, (int64_t)be64toh(wire) + before);
        }
    }
}

static void join_new(struct args *a, const struct group *g, bool match, const int counts[MOST])
{
    for (int i = 0; i < g->count; i++)
        for (int k = 0; k < counts[i]; k++)
            args_int(a, match ? i + 1 : k);
}

static void join_parameters(struct args *a, const struct group *g)
{
    int counts[PG_PARAMETERS][MOST]; // of items, by parameter
    const char *at[MOST];
    for (int i = 0; i < g->count; i++)
        at[i] = (const char *)(g->put[i] + 1);
    for (int c = 0; c < g->columns; c++) {
        const struct joint *j = &g->joints[c];
        bool is_new = j->how == MATCH || j->how == NUMBER, is_array = j->how == ALL || j->how == SEATS;
        for (int i = 0; is_array && i < g->count; i++)
            items_at(at[i], &counts[c][i]);
        if (j->how == SAME || (j->how == ALL && size_at(at[0]) < 0)) {
            append_bytes(a, at[0], (size_t)(skip_parameter(at[0]) - at[0]));
            a->count++;
        } else {
            args_begin_array(a, j->type);
            if (j->how == EACH)
                join_each(a, g, at);
            else if (j->how == ALL)
                join_all(a, g, at);
            else if (j->how == SEATS)
                join_seats(a, g, at, counts[j->from]);
            else
                join_new(a, g, j->how == MATCH, counts[j->from]);
            args_end_array(a);
        }
        for (int i = 0; !is_new && i < g->count; i++)
            at[i] = skip_parameter(at[i]);
    }
}

// --- grouping

static void note_sent(struct pg *p, const struct put *one, int more)
{
    struct sent_put sent = {(uint32_t)((const char *)one - p->flight.puts.at), (uint32_t)more};
    memcpy(store_grow(&p->sent_puts, sizeof sent), &sent, sizeof sent);
}

static bool send_group(struct pg *p, struct group *g)
{
    struct bytes bytes = {0};
    struct args a = {.to = &bytes};
    if (!g->count)
        return true;
    for (int i = 0; i < g->count; i++)
        note_sent(p, g->put[i], g->count - 1 - i);
    join_parameters(&a, g);
    bool sent = args_send(p->writer.conn, g->put[0]->statement, bytes.at, a.count);
    free(bytes.at);
    g->count = 0;
    return sent;
}

static bool shares_agent(const struct group *g, struct span agents)
{
    enum { ITEM = 4 + sizeof(struct uuid) };
    for (int i = 0; i < g->count; i++)
        for (size_t x = 0; x < g->agents[i].size; x += ITEM)
            for (size_t y = 0; y < agents.size; y += ITEM)
                if (memcmp(g->agents[i].at + x, agents.at + y, ITEM) == 0)
                    return true;
    return false;
}

static bool has_match(const struct group *g, struct uuid match)
{
    for (int i = 0; i < g->count; i++)
        if (uuid_equals(g->put[i]->match, match))
            return true;
    return false;
}

static bool send_groups(struct pg *p, struct group *begun, struct group *ended)
{
    return send_group(p, ended) && send_group(p, begun);
}

static bool add_put(struct pg *p, struct group *to, struct group *begun, struct group *ended, const struct put *one)
{
    int count;
    struct span agents = items_at(find_parameter(one, to->who), &count);
    bool has_counts = to == ended && size_at(find_parameter(one, ENDS_COUNTS)) >= 0;
    bool apart = to->count == MOST || shares_agent(to, agents) || (to->count && to->has_counts != has_counts) ||
                 (to == ended && has_match(begun, one->match));
    if (apart && !send_groups(p, begun, ended))
        return false;
    to->has_counts = has_counts;
    to->agents[to->count] = agents;
    to->put[to->count++] = one;
    return true;
}

bool batch_send_puts(struct pg *p)
{
    struct group begun = {.joints = begins, .columns = COUNT_OF(begins), .who = BEGINS_WHO},
                 ended = {.joints = ends, .columns = COUNT_OF(ends), .who = ENDS_WHO};
    bool sent = true;
    p->sent_puts.size = 0;
    for (size_t at = 0; at < p->flight.puts.size && sent;) {
        const struct put *one = (const void *)(p->flight.puts.at + at);
        if (one->role == PUT_BEGIN) {
            sent = add_put(p, &begun, &begun, &ended, one);
        } else if (one->role == PUT_END) {
            sent = add_put(p, &ended, &begun, &ended, one);
        } else {
            // A receipt for a match that ended earlier may go before the ends that wait.
            bool overtakes = one->statement == PG_MARK_DELIVERED && !has_match(&ended, one->match);
            sent = overtakes || send_groups(p, &begun, &ended);
            note_sent(p, one, 0);
            sent = sent && args_send(p->writer.conn, one->statement, (const char *)(one + 1), one->params);
        }
        at += one->size;
    }
    return sent && send_groups(p, &begun, &ended);
}

void batch_read_outcomes(struct pg *p, const PGresult *r)
{
    const struct sent_put *sent = (const struct sent_put *)(void *)p->sent_puts.at + p->puts_answered;
    const char *item = PQgetvalue(r, 0, 0) + ARRAY_HEAD;
    for (uint32_t i = 0, more = sent->more; i <= more; i++, sent++, item += 12) {
        struct put *one = (struct put *)(void *)(p->flight.puts.at + sent->at);
        uint64_t wire = 0;
        if (one->role) {
            assert((uint32_t)PQgetlength(r, 0, 0) >= ARRAY_HEAD + 12 * (i + 1));
            memcpy(&wire, item + 4, sizeof wire);
        }
        one->outcome = (int8_t)(int64_t)be64toh(wire);
        p->puts_answered++;
    }
}
