// Judges results in the order of their numbers.
#include "base/hash.h"
#include "contest/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SWISS_K_MIN = 4, SWISS_K_MAX = 40, SWISS_HALF_LIFE = 30 }; // B14.3; the half-life is in matches

// Reserves address space for the largest possible plan; pages are allocated when they are written.
static void *reserve_memory(size_t size)
{
    void *at = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        fprintf(stderr, "agon: no memory for %zu bytes\n", size);
        exit(1);
    }
    return at;
}

uint64_t contest_most_games(const struct contest_plan *p)
{
    if (p->format != CONTEST_SWISS)
        return p->games;
    return p->games * (uint64_t)(p->entrants / 2) * (uint64_t)contest_pairing_games(p);
}

static uint64_t most_meetings(const struct contest_plan *p)
{
    uint64_t n = (uint64_t)p->entrants;
    return p->format == CONTEST_SWISS ? p->games * (n / 2) : n * n;
}

static void add_meeting(struct contest *c, struct standing_pair pair, uint32_t turn)
{
    c->meeting[c->meetings++] = (struct contest_meeting){pair, {c->met[pair.first]++, c->met[pair.second]++}, turn};
}

static void add_round(struct contest *c);

static void plan_meetings(struct contest *c)
{
    const struct contest_plan *p = &c->plan;
    struct standing_pair pairs[CONTEST_ENTRANTS];
    int rounds = p->format == CONTEST_ROUND_ROBIN ? standing_rounds_round_robin(p->entrants) : 0;
    for (int round = 0; round < rounds; round++) {
        int count = standing_pair_round_robin(p->entrants, round, pairs);
        for (int i = 0; i < count; i++)
            add_meeting(c, pairs[i], (uint32_t)round);
    }
    if (p->format != CONTEST_GAUNTLET)
        return;
    // The first entrant plays all others: each pairing is a round.
    int count = standing_pair_gauntlet(p->entrants, pairs);
    for (int i = 0; i < count; i++)
        add_meeting(c, pairs[i], (uint32_t)i);
}

// Leads by sets are measured by parts if a game has them, else by games.
static void set_grains(struct contest *c)
{
    const struct contest_plan *p = &c->plan;
    struct compare_rate empty = {.grain = p->stake && p->stake->grain ? p->stake->grain(&p->rules) : 1,
                                 .least = p->stake ? p->stake->least : 0};
    for (int m = 0; m < CONTEST_MEASURES; m++)
        c->margin[m].games = c->margin[m].pairs = m == CONTEST_TALLY ? (struct compare_rate){.grain = 1} : empty;
    for (int k = 0; k < CONTEST_LUCKS; k++)
        c->corrected[k].games = c->corrected[k].pairs = empty;
    c->shape.least = empty.least ? COMPARE_LEAST_SHAPE : 0;
    for (int i = 0; i < p->entrants; i++)
        for (int j = i; j < p->entrants; j++)
            c->standing.sets[i][j].lead = empty;
}

void contest_open(struct contest *c, const struct contest_plan *plan)
{
    memset(c, 0, sizeof *c);
    c->plan = *plan;
    c->standing.entrants = plan->entrants;
    c->standing.set_games = contest_set_scores(plan);
    c->standing.tables = contest_pairing_games(plan) > 2;
    set_grains(c);
    pthread_mutex_init(&c->lock, NULL);
    c->results = reserve_memory(contest_most_games(plan) * sizeof *c->results);
    c->meeting = reserve_memory(most_meetings(plan) * sizeof *c->meeting);
    for (int i = 0; i < plan->entrants; i++)
        c->row[i].elo = c->row[i].elo_low = c->row[i].elo_high = plan->elo_start;
    plan_meetings(c);
    if (plan->format == CONTEST_SWISS)
        add_round(c);
    else
        c->total = plan->games;
    c->stop = contest_most_games(plan);
}

void contest_close(struct contest *c)
{
    munmap(c->results, contest_most_games(&c->plan) * sizeof *c->results + !contest_most_games(&c->plan));
    munmap(c->meeting, most_meetings(&c->plan) * sizeof *c->meeting);
    pthread_mutex_destroy(&c->lock);
}

void contest_set_range(struct contest *c, uint64_t first, uint64_t count, const struct contest_meeting *meeting)
{
    uint64_t most = contest_most_games(&c->plan), around = (uint64_t)contest_pairing_games(&c->plan);
    assert(first + count <= most);
    madvise(c->results, most * sizeof *c->results, MADV_DONTNEED); // all are unplayed again
    c->unjudged = true;
    c->total = most;
    c->judged = first;
    c->stop = first + count;
    c->handed_in = 0;
    if (!meeting)
        return;
    uint64_t from = first / around, to = (first + count + around - 1) / around;
    memcpy(c->meeting + from, meeting, (to - from) * sizeof *meeting);
    c->meetings = to;
}

void contest_lock(struct contest *c)
{
    pthread_mutex_lock(&c->lock);
}

void contest_unlock(struct contest *c)
{
    pthread_mutex_unlock(&c->lock);
}

bool contest_get(struct contest *c, uint64_t index, struct contest_game *out)
{
    contest_lock(c);
    bool there = index < c->total && index < c->stop && (!c->plan.ahead || index < c->judged + c->plan.ahead);
    if (there)
        contest_make_game(c, index, out);
    contest_unlock(c);
    return there;
}

bool contest_has(struct contest *c, uint64_t index)
{
    contest_lock(c);
    bool has = index < c->total && c->results[index].end != CONTEST_UNPLAYED;
    contest_unlock(c);
    return has;
}

void contest_stop_at(struct contest *c, uint64_t games)
{
    contest_lock(c);
    uint64_t stop = games > c->judged ? games : c->judged;
    c->stop = stop < c->stop ? stop : c->stop;
    contest_unlock(c);
}

bool contest_is_done(struct contest *c)
{
    contest_lock(c);
    bool done = c->judged >= c->stop || c->judged >= contest_most_games(&c->plan);
    contest_unlock(c);
    return done;
}

// --- judging

static bool has_result(const struct contest_result *r)
{
    return r->end != CONTEST_ABORTED;
}

// The mean value of an entrant's seats. Returns false if it does not play in this game.
static bool mean_of_seats(const struct contest *c, const int8_t *entrant, const int32_t *values, int who, double *mean)
{
    int seats = 0;
    double sum = 0;
    for (int s = 0; s < c->plan.seats; s++)
        if (entrant[s] == who) {
            sum += values[s];
            seats++;
        }
    *mean = seats ? sum / seats : 0;
    return seats > 0;
}

static double score_of(double own, double other)
{
    return own > other ? 1 : own < other ? 0 : 0.5;
}

// B14.17: the result that a Swiss rating counts. A forfeit is a full win, whatever the points.
static double swiss_score(const struct contest *c, const struct contest_result *r, double score, double margin)
{
    if (c->plan.format != CONTEST_SWISS || c->plan.target <= 0 || score == 0.5 || r->end == CONTEST_FORFEIT)
        return score;
    double won = elo_swiss_score(score == 1 ? margin : -margin, 0, c->plan.target);
    return score == 1 ? won : 1 - won;
}

static void update_elo(struct contest *c, int a, int b, double score)
{
    struct contest_row *x = &c->row[a], *y = &c->row[b];
    const struct contest_plan *p = &c->plan;
    bool swiss = p->format == CONTEST_SWISS;
    double kx = swiss ? elo_swiss_k(SWISS_K_MIN, SWISS_K_MAX, SWISS_HALF_LIFE, x->games) : p->elo_k;
    double ky = swiss ? elo_swiss_k(SWISS_K_MIN, SWISS_K_MAX, SWISS_HALF_LIFE, y->games) : p->elo_k;
    double new_x = elo_update(x->elo, y->elo, score, kx), new_y = elo_update(y->elo, x->elo, 1 - score, ky);
    x->elo = new_x;
    y->elo = new_y;
}

// The players of a game and their results.
struct game_scores {
    int count;
    int who[GAME_MAX_SEATS];
    double payoff[GAME_MAX_SEATS], points[GAME_MAX_SEATS];
};

static struct game_scores score_table(const struct contest *c, uint64_t index)
{
    int8_t entrant[GAME_MAX_SEATS];
    const struct contest_result *r = &c->results[index];
    struct game_scores t = {0};
    contest_seat_players(c, index, entrant);
    for (int e = 0; e < c->plan.entrants && t.count < GAME_MAX_SEATS; e++)
        if (mean_of_seats(c, entrant, r->payoffs, e, &t.payoff[t.count])) {
            mean_of_seats(c, entrant, r->points, e, &t.points[t.count]);
            t.who[t.count++] = e;
        }
    return t;
}

// The set that ends with this game, by entrants: each has played alone, and the compared value may differ from the
// payoff.
static struct game_scores score_solos(const struct contest *c, uint64_t index)
{
    struct game_scores t = {0};
    uint64_t around = (uint64_t)contest_rotations(&c->plan), first = index + 1 - around;
    for (int e = 0; e < c->plan.entrants; e++)
        for (uint64_t i = first; i <= index; i++) {
            int8_t entrant[GAME_MAX_SEATS];
            const struct contest_result *r = &c->results[i];
            contest_seat_players(c, i, entrant);
            if (entrant[0] != e)
                continue;
            t.who[t.count] = e;
            t.payoff[t.count] = c->plan.points ? r->points[0] : r->payoffs[0];
            t.points[t.count++] = r->points[0];
        }
    return t;
}

static struct game_scores score_game(const struct contest *c, uint64_t index)
{
    return contest_is_solo(&c->plan) ? score_solos(c, index) : score_table(c, index);
}

// Compares every two entrants of a game (F7.4).
static void compare_entrants(struct contest *c, const struct contest_result *r, const struct game_scores *t)
{
    for (int i = 0; i < t->count; i++)
        for (int j = i + 1; j < t->count; j++) {
            double score = score_of(t->payoff[i], t->payoff[j]);
            standing_add(&c->standing, t->who[i], t->who[j], score);
            stats_add(&c->standing.sets[t->who[i]][t->who[j]].game_lead, t->points[i] - t->points[j]);
            update_elo(c, t->who[i], t->who[j], swiss_score(c, r, score, t->points[i] - t->points[j]));
        }
}

// Lead of one entrant over the mean of the others.
static double lead_of(const struct game_scores *t, int at)
{
    double others = 0;
    for (int i = 0; i < t->count; i++)
        others += i == at ? 0 : t->points[i];
    return t->points[at] - others / (t->count - 1);
}

static double count_parts(const struct contest *c, const struct contest_result *r)
{
    return contest_has_parts(&c->plan) ? r->attempts.parts : 1;
}

static void count_result(struct contest *c, const struct contest_result *r, const struct game_scores *t)
{
    double best = t->payoff[0];
    int winners = 0;
    for (int i = 1; i < t->count; i++)
        best = t->payoff[i] > best ? t->payoff[i] : best;
    for (int i = 0; i < t->count; i++)
        winners += t->payoff[i] == best;
    for (int i = 0; i < t->count; i++) {
        struct contest_row *row = &c->row[t->who[i]];
        bool won = t->payoff[i] == best;
        row->games++;
        row->wins += won && winners == 1;
        row->draws += won && winners > 1;
        row->losses += !won;
        row->points += won ? 1.0 / winners : 0;
        row->share_squares += won ? 1.0 / winners / winners : 0;
        row->lead += lead_of(t, i);
        row->lead_parts += count_parts(c, r);
        stats_add(&row->payoff, t->payoff[i]);
        row->elo_low = row->elo < row->elo_low ? row->elo : row->elo_low;
        row->elo_high = row->elo > row->elo_high ? row->elo : row->elo_high;
    }
}

static double win_share(const struct game_scores *t, int at)
{
    int winners = 0;
    for (int i = 0; i < t->count; i++) {
        if (t->payoff[i] > t->payoff[at])
            return 0;
        winners += t->payoff[i] == t->payoff[at];
    }
    return 1.0 / winners;
}

// The result of a set for two entrants; given the same one twice, for it against the rest of its table.
static void close_pair(struct contest *c, const struct game_scores *games, int count, int i, int j, double parts)
{
    struct standing_sets *s = &c->standing.sets[games->who[i]][games->who[j]];
    double score = 0, lead = 0;
    for (const struct game_scores *t = games; t < games + count; t++) {
        score += i != j ? score_of(t->payoff[i], t->payoff[j]) / count : 0;
        lead += i == j ? lead_of(t, i) : t->points[i] - t->points[j];
    }
    if (i != j)
        stats_add(&s->score, score);
    if (i != j && count == 2)
        compare_add_pair(&s->pairs, score_of(games[0].payoff[i], games[0].payoff[j]),
                         score_of(games[1].payoff[i], games[1].payoff[j]));
    compare_add_unit(&s->lead, lead, parts);
}

static void close_table(struct contest *c, const struct game_scores *games, int count)
{
    double score[CONTEST_ENTRANTS] = {0};
    for (const struct game_scores *t = games; t < games + count; t++)
        for (int i = 0; i < t->count; i++)
            for (int k = 0; k < t->count; k++)
                score[t->who[i]] += k != i ? score_of(t->payoff[i], t->payoff[k]) / count : 0;
    standing_add_table(&c->standing, score);
}

// Called after the last game of a set, if all of them have a result.
static void close_set(struct contest *c, uint64_t index)
{
    struct game_scores games[GAME_MAX_SEATS];
    int count = contest_set_scores(&c->plan);
    double parts = 0;
    assert(count > 0);
    if ((index + 1) % (uint64_t)count)
        return;
    for (int g = 0; g < count; g++) {
        uint64_t at = index + 1 - (uint64_t)(count - g);
        if (!has_result(&c->results[at]))
            return;
        games[g] = score_game(c, at);
        parts += count_parts(c, &c->results[at]);
    }
    for (int i = 0; i < games->count; i++) {
        double share = 0;
        for (int g = 0; g < count; g++)
            share += win_share(&games[g], i);
        stats_add(&c->row[games->who[i]].set_share, share / count);
        for (int j = c->standing.tables ? i : i + 1; j < games->count; j++)
            close_pair(c, games, count, i, j, parts);
    }
    if (c->standing.tables)
        close_table(c, games, count);
}

// Once for every entrant of a side.
static void count_attempts(struct contest *c, const int8_t *entrant, const struct contest_attempts *f)
{
    stats_add(&c->parts, f->parts);
    for (int s = 0; s < c->plan.seats; s++) {
        int side = s % CONTEST_SIDES;
        struct contest_row *row = &c->row[entrant[s]];
        if (s != side && entrant[s] == entrant[side])
            continue;
        for (int k = 0; k < CONTEST_ATTEMPTS; k++) {
            row->tried[k] += f->tried[side][k];
            row->made[k] += f->made[side][k];
        }
    }
}

static double first_score(const struct contest *c, uint64_t index)
{
    struct game_scores t = score_game(c, index); // of the two entrants
    return score_of(t.payoff[0], t.payoff[1]);
}

// A lead, and the number of parts of games that it was won in.
struct part_lead {
    double value, parts;
};

// Lead of the first entrant over the second in one game, by one measure.
static struct part_lead first_margin(const struct contest *c, uint64_t index, enum contest_measure m)
{
    const struct contest_result *r = &c->results[index];
    if (m == CONTEST_TALLY) {
        int8_t entrant[GAME_MAX_SEATS];
        contest_seat_players(c, index, entrant);
        int side = entrant[0] == 0 ? 0 : 1;
        return (struct part_lead){(double)r->attempts.tally[side] - (double)r->attempts.tally[1 - side],
                                  r->attempts.parts};
    }
    struct game_scores t = score_game(c, index);
    return (struct part_lead){t.points[0] - t.points[1], m == CONTEST_POINTS ? 1 : r->attempts.parts};
}

static void measure_two(struct contest *c, uint64_t index, bool ends_pair)
{
    int measures = c->plan.attempts              ? CONTEST_MEASURES
                   : contest_has_parts(&c->plan) ? CONTEST_TALLY
                                                 : CONTEST_PART_POINTS;
    for (enum contest_measure m = 0; (int)m < measures; m++) {
        struct part_lead here = first_margin(c, index, m);
        compare_add_unit(&c->margin[m].games, here.value, here.parts);
        if (!ends_pair)
            continue;
        struct part_lead before = first_margin(c, index - 1, m);
        compare_add_unit(&c->margin[m].pairs, before.value + here.value, before.parts + here.parts);
    }
}

// N14: the lead minus what luck gave.
static struct part_lead first_corrected(const struct contest *c, uint64_t index, int luck)
{
    int8_t entrant[GAME_MAX_SEATS];
    const struct contest_result *r = &c->results[index];
    struct part_lead lead = first_margin(c, index, CONTEST_PART_POINTS);
    int seats[2] = {0};
    double given[2] = {0};
    contest_seat_players(c, index, entrant);
    for (int s = 0; s < c->plan.seats; s++) {
        seats[entrant[s]]++;
        given[entrant[s]] += r->luck[luck][s];
    }
    lead.value -= given[0] / seats[0] - given[1] / seats[1];
    return lead;
}

static void correct_two(struct contest *c, uint64_t index, bool ends_pair)
{
    if (!c->plan.luck || !contest_has_parts(&c->plan))
        return;
    for (int k = 0; k < contest_lucks(&c->plan); k++) {
        c->unlucky[k] += c->results[index].lucks <= k;
        struct part_lead here = first_corrected(c, index, k), before;
        compare_add_unit(&c->corrected[k].games, here.value, here.parts);
        if (!ends_pair)
            continue;
        before = first_corrected(c, index - 1, k);
        compare_add_unit(&c->corrected[k].pairs, before.value + here.value, before.parts + here.parts);
    }
}

// Of the game alone, or of the pair that ends with it.
static void add_shape(struct contest *c, uint64_t index)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < contest_set_scores(&c->plan); i++) {
        double lead = first_margin(c, index - (uint64_t)i, CONTEST_POINTS).value;
        sum += lead;
        squares += lead * lead;
    }
    compare_add_unit(&c->shape, sum, squares);
}

static const struct compare_rate *choose_rate(const struct contest_margin *m)
{
    return m->pairs.units > 1 ? &m->pairs : &m->games;
}

const struct compare_rate *contest_rate(const struct contest *c, enum contest_measure m)
{
    return choose_rate(&c->margin[m]);
}

bool contest_correct(const struct contest *c, int luck, struct contest_corrected *out)
{
    const struct compare_rate *raw = contest_rate(c, CONTEST_PART_POINTS), *less = choose_rate(&c->corrected[luck]);
    double scale = contest_scale(&c->plan);
    if (!c->plan.luck || !contest_has_parts(&c->plan) || c->unlucky[luck] || less->units < 2)
        return false;
    struct compare_estimate a = compare_rate_mean(raw), b = compare_rate_mean(less);
    out->lead =
        (struct compare_estimate){scale * b.mean, scale * b.error, {scale * b.interval.low, scale * b.interval.high}};
    out->factor = b.error > 0 ? a.error * a.error / (b.error * b.error) : 0;
    return true;
}

// After every pair, or every game if there are no pairs.
static void run_sprt(struct contest *c)
{
    const struct sprt *s = &c->plan.sprt;
    int around = contest_set_scores(&c->plan);
    if (c->plan.stake) {
        c->llr = sprt_llr_points(s, &c->shape, around);
        c->verdict = sprt_judge_points(s, &c->shape, around);
    } else if (c->plan.mirrored) {
        c->llr = sprt_llr_pairs(s, &c->pairs);
        c->verdict = sprt_judge_pairs(s, &c->pairs);
    } else {
        c->llr = sprt_llr_games(s, &c->games);
        c->verdict = sprt_judge_games(s, &c->games);
    }
}

// Two entrants: figures of the first, and the sequential test.
static void judge_two(struct contest *c, uint64_t index)
{
    double score = first_score(c, index);
    c->games.wins += score == 1;
    c->games.draws += score == 0.5;
    c->games.losses += score == 0;
    bool alone = contest_set_scores(&c->plan) == 1; // the game is not part of a larger set
    bool ends_pair = !alone && index % 2 == 1 && has_result(&c->results[index - 1]);
    measure_two(c, index, ends_pair);
    correct_two(c, index, ends_pair);
    if (ends_pair || alone)
        add_shape(c, index);
    if (ends_pair)
        compare_add_pair(&c->pairs, first_score(c, index - 1), score);
    if (c->plan.has_sprt && (ends_pair || alone))
        run_sprt(c);
    if (c->verdict != SPRT_GO_ON)
        c->stop = index + 1;
}

// Whether a game is a comparison: of solo games only when all of its set have a result.
static bool is_comparison(const struct contest *c, uint64_t index)
{
    uint64_t around = (uint64_t)contest_rotations(&c->plan);
    if (!contest_is_solo(&c->plan))
        return true;
    if ((index + 1) % around)
        return false;
    for (uint64_t i = index + 1 - around; i <= index; i++)
        if (!has_result(&c->results[i]))
            return false;
    return true;
}

static void compare_game(struct contest *c, uint64_t index)
{
    const struct contest_result *r = &c->results[index];
    struct game_scores t = score_game(c, index);
    compare_entrants(c, r, &t);
    count_result(c, r, &t);
    close_set(c, index);
    if (c->plan.entrants == 2)
        judge_two(c, index);
}

static void count_end(struct contest *c, const struct contest_result *r, const int8_t *entrant)
{
    c->aborted += r->end == CONTEST_ABORTED;
    c->forfeits += r->end == CONTEST_FORFEIT;
    c->cut += r->end == CONTEST_CUT;
    if (r->end == CONTEST_FORFEIT && r->at_fault >= 0) {
        c->row[entrant[r->at_fault]].forfeits++;
        c->row[entrant[r->at_fault]].overruns += r->overran;
    }
}

static void judge_game(struct contest *c, uint64_t index)
{
    int8_t entrant[GAME_MAX_SEATS];
    const struct contest_result *r = &c->results[index];
    contest_seat_players(c, index, entrant);
    for (int s = 0; s < c->plan.seats; s++)
        for (int t = 0; t < CONTEST_TROUBLES; t++)
            c->row[entrant[s]].trouble[t] += r->trouble[s][t];
    count_end(c, r, entrant);
    if (has_result(r)) {
        uint64_t link[2] = {c->hash, r->hash};
        c->hash = hash_bytes(link, sizeof link);
        stats_add(&c->steps, r->steps);
        count_attempts(c, entrant, &r->attempts);
        if (is_comparison(c, index))
            compare_game(c, index);
    } else {
        struct game_scores t = score_table(c, index);
        for (int i = 0; i < t.count; i++)
            c->row[t.who[i]].aborted++;
    }
    if (c->on_judged)
        c->on_judged(c->owner, c, index);
}

void contest_put(struct contest *c, uint64_t index, const struct contest_result *r)
{
    contest_lock(c);
    assert(index < c->total && r->end != CONTEST_UNPLAYED);
    if (c->results[index].end == CONTEST_UNPLAYED) {
        c->results[index] = *r;
        if (c->now_ms && !r->at_ms)
            c->results[index].at_ms = c->now_ms();
        c->handed_in++;
        if (c->on_result)
            c->on_result(c->owner, index, &c->results[index]);
    }
    while (c->judged < c->total && c->judged < c->stop && c->results[c->judged].end != CONTEST_UNPLAYED) {
        if (c->unjudged) {
            c->judged++;
            continue;
        }
        judge_game(c, c->judged++);
        if (c->plan.format == CONTEST_SWISS && c->judged == c->total && c->judged < c->stop)
            add_round(c);
    }
    contest_unlock(c);
}

// --- Swiss rounds

static double mean_lead(const struct contest_row *r)
{
    return r->lead_parts > 0 ? r->lead / r->lead_parts : 0;
}

static int by_place(const void *left, const void *right, void *owner)
{
    const struct contest *c = owner;
    int a = *(const int *)left, b = *(const int *)right;
    const struct contest_row *x = &c->row[a], *y = &c->row[b];
    double lead = c->plan.stake ? mean_lead(x) - mean_lead(y) : 0;
    if (lead != 0)
        return lead < 0 ? 1 : -1;
    if (x->points != y->points)
        return x->points < y->points ? 1 : -1;
    if (x->elo != y->elo)
        return x->elo < y->elo ? 1 : -1;
    return strcmp(c->plan.entrant[a].name, c->plan.entrant[b].name);
}

// B14.3: goes to the entrant with the fewest byes, then the lowest points, then the lowest Elo.
static int pick_bye(const struct contest *c, const int *order, int count)
{
    if (count % 2 == 0)
        return -1;
    int best = order[count - 1];
    for (int i = count - 2; i >= 0; i--)
        if (c->row[order[i]].byes < c->row[best].byes)
            best = order[i];
    return best;
}

void contest_sort(struct contest *c, int order[CONTEST_ENTRANTS])
{
    for (int i = 0; i < c->plan.entrants; i++)
        order[i] = i;
    qsort_r(order, (size_t)c->plan.entrants, sizeof *order, by_place, c);
}

// The seat that began least often in the pairings of both. Without byes everybody gets each seat in turn; byes can make
// it differ by one more.
static uint32_t pick_first_seat(struct contest *c, struct standing_pair pair)
{
    uint32_t *x = c->begun[pair.first], *y = c->begun[pair.second], best = 0;
    for (uint32_t s = 1; s < (uint32_t)c->plan.seats; s++) {
        uint32_t most = x[s] > y[s] ? x[s] : y[s], most_best = x[best] > y[best] ? x[best] : y[best];
        if (most < most_best || (most == most_best && x[s] + y[s] < x[best] + y[best]))
            best = s;
    }
    x[best]++;
    y[best]++;
    return best;
}

// Adds the next round of a Swiss contest, from the figures so far.
static void add_round(struct contest *c)
{
    int order[CONTEST_ENTRANTS], count = c->plan.entrants;
    struct standing_pair pairs[CONTEST_ENTRANTS];
    contest_sort(c, order);
    int bye = pick_bye(c, order, count), n = standing_pair_swiss(&c->standing, order, count, bye, pairs);
    for (int i = 0; i < n; i++) {
        if (pairs[i].second >= 0) {
            add_meeting(c, pairs[i], pick_first_seat(c, pairs[i]));
            continue;
        }
        c->row[pairs[i].first].byes++;
        c->row[pairs[i].first].points += 1;
    }
    c->total = c->meetings * (uint64_t)contest_pairing_games(&c->plan);
}
