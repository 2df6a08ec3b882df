// Who played a match and what they got, as it stands in the row of the match beside the table of seats: a list of
// matches shows that much, and has to read one page for each of them. Two lists in order of the seats,
// [[agent, name], ...] from the beginning and [[payoff, result], ...] from the end; neither changes later.
#include "store/inside.h"

#include "base/json_read.h"
#include "base/json_write.h"

#include <assert.h>

enum { DEPTH = 4 };

struct span store_write_players(const struct store_match *m, const int64_t agent[STORE_SEATS], char at[STORE_PLAYERS])
{
    struct text t = text_on(at, STORE_PLAYERS);
    json_begin_array(&t);
    for (int seat = 0; seat < m->seats; seat++) {
        json_begin_array(&t);
        json_write_int(&t, agent[seat]);
        json_write_text(&t, m->seat[seat].name);
        json_end_array(&t);
    }
    json_end_array(&t);
    assert(!t.full);
    return text_span(&t);
}

struct span store_write_outcome(const struct store_match *m, char at[STORE_PLAYERS])
{
    struct text t = text_on(at, STORE_PLAYERS);
    json_begin_array(&t);
    for (int seat = 0; seat < m->seats; seat++) {
        json_begin_array(&t);
        json_write_int(&t, m->payoffs[seat]);
        json_write_int(&t, m->seat[seat].result);
        json_end_array(&t);
    }
    json_end_array(&t);
    assert(!t.full);
    return text_span(&t);
}

static bool read_player(struct json_reader *r, int64_t agent, char name[STORE_NAME])
{
    bool is_own = false;
    json_enter_array(r);
    for (int i = 0; json_next_item(r); i++)
        if (i == 0)
            is_own = json_read_int(r, 0, INT64_MAX) == agent;
        else if (i == 1)
            json_string_copy(json_read_string(r), name, STORE_NAME);
        else
            json_skip(r);
    return is_own && r->error == OK;
}

static void read_outcome(struct json_reader *r, struct store_match *out, int seat)
{
    json_enter_array(r);
    for (int i = 0; json_next_item(r); i++)
        if (i == 0)
            out->payoffs[seat] = (int32_t)json_read_int(r, INT32_MIN, INT32_MAX);
        else if (i == 1)
            out->seat[seat].result = (uint8_t)json_read_int(r, 0, UINT8_MAX);
        else
            json_skip(r);
}

int store_read_players(struct span players, struct span outcome, int64_t agent, struct store_match *out)
{
    struct json_reader r = json_reader_of(players, DEPTH);
    int own = -1;
    json_enter_array(&r);
    for (int seat = 0; seat < STORE_SEATS && json_next_item(&r); seat++)
        if (read_player(&r, agent, out->seat[seat].name))
            own = seat;
    r = json_reader_of(outcome, DEPTH);
    json_enter_array(&r);
    for (int seat = 0; seat < STORE_SEATS && json_next_item(&r); seat++)
        read_outcome(&r, out, seat);
    return own;
}
