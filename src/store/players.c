// Players and results of a match as JSON in its row, besides the table of seats: so a list of matches reads one page
// for each match. Two lists in order of the seats: [[agent, name], ...] written at the start and [[payoff, result],
// ...] at the end; neither changes later. After a rated match four numbers follow a result: rating and deviation before
// and after it, in hundredths.
#include "store/internal.h"

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

static void write_grade(struct text *t, const struct store_grade *g)
{
    json_write_int(t, (int64_t)(100 * g->rating + (g->rating < 0 ? -0.5 : 0.5)));
    json_write_int(t, (int64_t)(100 * g->deviation + 0.5));
}

struct span store_write_outcome(const struct store_match *m, char at[STORE_PLAYERS])
{
    struct text t = text_on(at, STORE_PLAYERS);
    json_begin_array(&t);
    for (int seat = 0; seat < m->seats; seat++) {
        json_begin_array(&t);
        json_write_int(&t, m->payoffs[seat]);
        json_write_int(&t, m->seat[seat].result);
        if (m->seat[seat].after.deviation > 0) {
            write_grade(&t, &m->seat[seat].before);
            write_grade(&t, &m->seat[seat].after);
        }
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

static void read_seat(struct json_reader *r, struct store_match *out, int seat)
{
    struct store_seat *s = &out->seat[seat];
    double *const grades[] = {&s->before.rating, &s->before.deviation, &s->after.rating, &s->after.deviation};
    json_enter_array(r);
    for (int i = 0; json_next_item(r); i++)
        if (i == 0)
            out->payoffs[seat] = (int32_t)json_read_int(r, INT32_MIN, INT32_MAX);
        else if (i == 1)
            s->result = (uint8_t)json_read_int(r, 0, UINT8_MAX);
        else if (i < 6)
            *grades[i - 2] = (double)json_read_int(r, INT32_MIN, INT32_MAX) / 100;
        else
            json_skip(r);
}

void store_read_outcome(struct span outcome, struct store_match *out)
{
    struct json_reader r = json_reader_of(outcome, DEPTH);
    json_enter_array(&r);
    for (int seat = 0; seat < STORE_SEATS && json_next_item(&r); seat++)
        read_seat(&r, out, seat);
}

int store_read_players(struct span players, struct span outcome, int64_t agent, struct store_match *out)
{
    struct json_reader r = json_reader_of(players, DEPTH);
    int own = -1;
    json_enter_array(&r);
    for (int seat = 0; seat < STORE_SEATS && json_next_item(&r); seat++)
        if (read_player(&r, agent, out->seat[seat].name))
            own = seat;
    store_read_outcome(outcome, out);
    return own;
}
