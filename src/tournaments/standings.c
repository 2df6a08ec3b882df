// The standings of a tournament as JSON.
#include "base/json_write.h"
#include "tournaments/internal.h"

#include <math.h>
#include <stdlib.h>

const char *const tournament_status_names[] = {"running", "finished", "cancelled", "open", NULL};

bool tournament_status_is_past(enum tournament_status status)
{
    return status == TOURNAMENT_FINISHED || status == TOURNAMENT_CANCELLED;
}

// Copies only what the standings need, because players wait while the contest is locked.
void tournament_snapshot(struct contest *seen, struct contest *c)
{
    contest_lock(c);
    seen->standing = c->standing;
    seen->games = c->games;
    seen->pairs = c->pairs;
    seen->shape = c->shape;
    memcpy(seen->margin, c->margin, sizeof c->margin);
    memcpy(seen->row, c->row, (size_t)c->plan.entrants * sizeof *c->row);
    seen->judged = c->judged;
    seen->forfeits = c->forfeits;
    seen->aborted = c->aborted;
    contest_unlock(c);
}

// Games and score against each of the other entrants, in their order; null against itself. Left out above MOST_CELLS
// entrants: it grows with their square and would be most of what a subscriber receives.
enum { MOST_CELLS = 24 };

static void put_cells(const struct tournament *x, const struct standing *s, int entrant, struct text *t)
{
    if (x->entrants > MOST_CELLS || s->tables)
        return;
    json_begin_array_at(t, "against");
    for (int i = 0; i < x->entrants; i++) {
        if (i == entrant) {
            json_write_null(t);
            continue;
        }
        json_begin_object(t);
        json_put_uint(t, "games", s->games[entrant][i]);
        json_put_decimal(t, "score", s->score[entrant][i], 6);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_row(const struct tournament *x, const struct contest *c, int entrant, int rank,
                      const struct standing_rating *fit, struct text *t)
{
    const struct contest_row *r = &c->row[entrant];
    const struct tournament_entrant *e = &x->entrant[entrant];
    json_begin_object(t);
    json_put_int(t, "rank", rank);
    json_put_text(t, "entrant", e->shown);
    if (!uuid_is_none(e->agent))
        uuid_put(t, "agent_id", e->agent);
    json_put_uint(t, "games", r->games);
    json_put_uint(t, "wins", r->wins);
    json_put_uint(t, "losses", r->losses);
    json_put_uint(t, "draws", r->draws);
    json_put_decimal(t, "score", contest_share(r), 6);
    if (c->plan.stake) {
        struct compare_estimate lead = contest_lead(c, entrant);
        lead.interval = contest_void(c) ? stats_no_interval() : lead.interval;
        json_put_text(t, "unit", c->plan.stake->unit);
        json_put_decimal(t, "lead", lead.mean, 6);
        json_put_decimal(t, "lead_low", lead.interval.low, 6); // null: no interval, or unbounded
        json_put_decimal(t, "lead_high", lead.interval.high, 6);
    }
    json_put_decimal(t, "elo", fit->elo, 2);
    json_put_decimal(t, "elo_low", fit->interval.low, 2);
    json_put_decimal(t, "elo_high", fit->interval.high, 2);
    put_cells(x, &c->standing, entrant, t);
    json_end_object(t);
}

void tournament_describe_standings(const struct tournament *x, struct contest *c, struct text *out)
{
    struct standing_rating fit[CONTEST_ENTRANTS];
    int order[CONTEST_ENTRANTS];
    contest_fit(c, fit);
    for (int i = 0; i < x->entrants && contest_void(c); i++)
        fit[i] = (struct standing_rating){NAN, stats_no_interval()};
    contest_sort(c, order);
    json_begin_array(out);
    for (int i = 0; i < x->entrants; i++)
        write_row(x, c, order[i], i + 1, &fit[order[i]], out);
    json_end_array(out);
}

void tournament_write_standings(const struct tournament *x, struct text *out)
{
    struct text end = {0};
    if (x->run && x->status == TOURNAMENT_RUNNING) {
        pthread_mutex_lock(&x->run->lock);
        json_write_raw(out, text_span(&x->run->standings));
        pthread_mutex_unlock(&x->run->lock);
    } else if (tournament_is_shared(x)) {
        director_put_standings(x, out);
    } else if (tournament_read_end(x, &end) == OK) {
        json_write_raw(out, tournament_standings_of(text_span(&end)));
    } else { // waits to be played
        json_begin_array(out);
        json_end_array(out);
    }
    free(end.at);
}
