// A game with external players, which run outside the process (B12).
//
// A table repeats these steps: seats are notified of what happened, in order or all at once; when all have
// acknowledged, the next seat is asked; its answer is played. Callbacks of a seat never run inside our own calls, so
// the steps of a table follow each other without recursion.
#include "contest/external.h"

#include "bots/self_play.h"
#include "crypto/crypto.h"
#include "house/ask.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_FAULT = 3 }; // faults in a row after which a seat is no longer asked

static void advance_game(struct external_table *t);

static const struct contest_plan *plan_of(const struct external_table *t)
{
    return &t->owner->run->contest->plan;
}

static const struct contest_entrant *entrant_of(const struct external_table *t, int seat)
{
    return &plan_of(t)->entrant[t->play.game.entrant[seat]];
}

// --- ending a game

static void free_table(struct external_table *t)
{
    struct external_loop *o = t->owner;
    t->busy = false;
    t->next_free = o->free;
    o->free = t;
    o->running--;
}

static void finish_game(struct external_table *t)
{
    struct contest_run *run = t->owner->run;
    if (t->given_up) {
        free_table(t);
        return;
    }
    contest_write_result(&t->play, plan_of(t), &t->result);
    int err = contest_save_game(run, &t->play);
    if (err != OK && t->owner->err == OK)
        t->owner->err = err;
    contest_put(run->contest, t->play.game.index, &t->result);
    free_table(t);
    external_fill_tables(t->owner);
}

static void end_game(struct external_table *t)
{
    if (t->ending)
        return;
    t->ending = true;
    for (int s = 0; s < plan_of(t)->seats; s++)
        if (t->place[s].seat)
            seat_close(t->place[s].seat);
    if (t->open == 0)
        finish_game(t);
}

void external_add_counts(struct seat_counts *sum, const struct seat_counts *part)
{
    for (int k = 0; k < SEAT_CALLS; k++) {
        sum->calls[k] += part->calls[k];
        sum->illegal[k] += part->illegal[k];
    }
    for (int k = 0; k < SEAT_FAULTS; k++)
        sum->faults[k] += part->faults[k];
    sum->requests += part->requests;
    sum->retries += part->retries;
    sum->warnings += part->warnings;
    sum->created += part->created;
    sum->deleted += part->deleted;
}

static void on_closed(void *owner)
{
    struct external_seat *p = owner;
    struct external_table *t = p->table;
    external_add_counts(&t->owner->counts[t->play.game.entrant[p->number]], seat_counts(p->seat));
    p->seat = NULL;
    t->open--;
    if (t->ending && t->open == 0)
        finish_game(t);
}

// --- notifications

static void notify_seat(struct external_table *t, int seat)
{
    struct game_event seen[GAME_MAX_EVENTS];
    union game_view view;
    struct external_seat *p = &t->place[seat];
    uint32_t count = match_events_for(&t->happened, seat, seen, GAME_MAX_EVENTS);
    t->play.match.game->view(&t->play.match.state, seat, &view);
    seat_notify(p->seat, &view, seen, count);
}

static bool can_notify(const struct external_seat *p)
{
    return p->seat && !p->muted && !seat_is_lost(p->seat);
}

// B12.17: one seat after the other, each when the previous one has acknowledged. Returns false when all have.
static bool notify_next(struct external_table *t)
{
    for (int s = 0; s < plan_of(t)->seats; s++)
        if (can_notify(&t->place[s]) && !t->place[s].informed) {
            notify_seat(t, s);
            return true;
        }
    return false;
}

static bool notify_all(struct external_table *t)
{
    bool waits = false;
    for (int s = 0; s < plan_of(t)->seats; s++)
        if (can_notify(&t->place[s])) {
            notify_seat(t, s);
            waits = true;
        }
    return waits;
}

static bool are_all_informed(const struct external_table *t)
{
    for (int s = 0; s < plan_of(t)->seats; s++)
        if (can_notify(&t->place[s]) && !t->place[s].informed)
            return false;
    return true;
}

static void on_notified(void *owner)
{
    struct external_seat *p = owner;
    struct external_table *t = p->table;
    if (t->ending)
        return;
    p->informed = true;
    if (t->owner->run->describe_at_once ? !are_all_informed(t) : notify_next(t))
        return;
    t->happened.count = t->happened.ticks = 0;
    advance_game(t);
}

// Sends what has just happened. Returns false if no external player has to get it.
static bool notify_players(struct external_table *t)
{
    for (int s = 0; s < plan_of(t)->seats; s++)
        t->place[s].informed = false;
    return t->owner->run->describe_at_once ? notify_all(t) : notify_next(t);
}

// --- questions

static struct game_action ask_local(struct external_table *t, int seat)
{
    const struct bot *bot = contest_bot_at(t->owner->run, &t->play.game, seat);
    struct match *m = &t->play.match;
    if (t->place[seat].muted)
        return m->game->fallback(&m->state, seat);
    if (bot)
        return house_ask(m, bot, seat, (uint32_t)m->steps, 0.5f);
    return t->owner->run->ask_person(t->owner->run->person, &t->play.game, m, seat);
}

// Sets the vector that a policy of libagon would see, for programs that want it.
static void set_vector(const struct match *m, struct seat *s, int seat)
{
    int version = seat_vector(s);
    struct seat_row row;
    if (!version)
        return;
    row.size = game_row_size(m->game, version);
    game_observe(m->game, &m->state, m->history, seat, version, GAME_F32, row.vector);
    game_mask(m->game, &m->state, seat, row.legal);
    for (int i = 0; i < GAME_MAX_FLAT; i++)
        if (row.legal[i / 64] >> i % 64 & 1)
            row.action[i] = game_action_at(m->game, &m->state, seat, i);
    seat_set_row(s, &row);
}

// N11.6: a decision has the time of --timeout, or what is left on the clock if that is less.
static void set_time_limit(struct external_table *t, struct external_seat *p)
{
    int limit_ms = t->owner->run->seats.decide_ms;
    int64_t left_ms = (p->left_us + 999) / 1000;
    if (!plan_of(t)->clock_us)
        return;
    p->on_clock = left_ms < limit_ms;
    seat_set_turn(p->seat, p->on_clock ? (int)left_ms : limit_ms);
}

static void ask_external(struct external_table *t, int seat)
{
    struct match *m = &t->play.match;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count = m->game->choices(&m->state, seat, choices);
    m->game->view(&m->state, seat, &view);
    seat_set_fallback(t->place[seat].seat, m->game->fallback(&m->state, seat));
    set_vector(m, t->place[seat].seat, seat);
    set_time_limit(t, &t->place[seat]);
    seat_ask(t->place[seat].seat, &view, choices, count);
}

static void apply_answer(struct external_table *t, int seat, struct game_action a, int64_t took_us)
{
    struct match *m = &t->play.match;
    int err = match_answer(m, seat, m->game->turn(&m->state).number, a, &t->happened);
    if (err == ERR_ACTION) { // from a house bot or a person; seats only return moves that were offered
        t->result.trouble[seat][CONTEST_ILLEGAL]++;
        err = match_play_fallback(m, seat, &t->happened);
    }
    contest_add_decision_time(t->owner->run, &t->play, took_us);
    assert(err == OK || err == ERR_FULL);
    if (err != OK)
        t->owner->err = ERR_STORAGE;
}

// Plays on until an external player has to be waited for.
static void advance_game(struct external_table *t)
{
    struct match *m = &t->play.match;
    const struct contest_run *run = t->owner->run;
    for (;;) {
        if (t->happened.count || t->happened.ticks) {
            contest_count_events(&t->play, plan_of(t), &t->happened);
            if (run->tell_person)
                run->tell_person(run->person, &t->play.game, m, &t->happened);
            if (notify_players(t))
                return;
            t->happened.count = t->happened.ticks = 0;
        }
        if (match_is_over(m) || m->steps >= plan_of(t)->max_steps || t->owner->err != OK) {
            end_game(t);
            return;
        }
        int seat = self_play_next_seat(m);
        if (seat < 0) {
            while (!match_is_over(m) && self_play_next_seat(m) < 0 && t->happened.count < GAME_MAX_EVENTS / 2)
                match_tick(m, &t->happened);
            continue;
        }
        if (t->place[seat].seat && !t->place[seat].muted) {
            ask_external(t, seat);
            return;
        }
        int64_t began = loop_now_us();
        struct game_action a = ask_local(t, seat);
        if (run->ask_person && atomic_load(&run->stop)) { // the person has left, so nobody finishes the game
            t->given_up = true;
            end_game(t);
            return;
        }
        apply_answer(t, seat, a, t->place[seat].muted ? -1 : loop_now_us() - began);
    }
}

static void report_trouble(const struct external_table *t, int seat, const char *text, const struct seat_fault *f)
{
    const struct contest_run *run = t->owner->run;
    if (run->on_trouble)
        run->on_trouble(run->owner, &t->play.game, seat, text, f);
}

// The player does not play on: it loses the game, as the rules say.
static void forfeit_game(struct external_table *t, struct external_seat *p)
{
    t->result.end = CONTEST_FORFEIT;
    t->result.at_fault = (int8_t)p->number;
    p->muted = true;
    match_drop(&t->play.match, p->number, 0, &t->happened);
}

static void forfeit_by_clock(struct external_table *t, struct external_seat *p, const struct seat_fault *f)
{
    char text[CONTEST_NAME + 64];
    const struct contest_plan *plan = plan_of(t);
    t->result.overran = true;
    snprintf(text, sizeof text, "its clock of %.3g s, plus %.3g s per decision, has run out",
             (double)plan->clock_us / 1e6, (double)plan->increment_us / 1e6);
    report_trouble(t, p->number, text, f);
    forfeit_game(t, p);
}

static void on_answer(void *owner, struct game_action a, int64_t took_us)
{
    struct external_seat *p = owner;
    if (p->table->ending)
        return;
    if (!contest_spend_clock(plan_of(p->table), &p->left_us, took_us)) {
        p->table->result.trouble[p->number][CONTEST_TIMEOUT]++;
        forfeit_by_clock(p->table, p, NULL);
        advance_game(p->table);
        return;
    }
    apply_answer(p->table, p->number, a, took_us);
    advance_game(p->table);
}

// --- faults (B12.30 to B12.32)

static const enum contest_trouble trouble_of[SEAT_FAULTS] = {
    [SEAT_ILLEGAL] = CONTEST_ILLEGAL,  [SEAT_TIMEOUT] = CONTEST_TIMEOUT, [SEAT_STATUS] = CONTEST_FAILED,
    [SEAT_TRANSPORT] = CONTEST_FAILED, [SEAT_CRASHED] = CONTEST_CRASHED,
};

static void open_next(struct external_table *t);

static void on_fault(void *owner, const struct seat_fault *f)
{
    struct external_seat *p = owner;
    struct external_table *t = p->table;
    if (t->ending)
        return;
    t->result.trouble[p->number][trouble_of[f->kind]]++;
    bool opening = f->call == SEAT_CREATE;
    // N11.6: a failed decision has used its time as well.
    bool has_time = opening || contest_spend_clock(plan_of(t), &p->left_us, f->took_us);
    if (!has_time || (f->kind == SEAT_TIMEOUT && p->on_clock && !opening)) {
        forfeit_by_clock(t, p, f);
        advance_game(t);
        return;
    }
    report_trouble(t, p->number, f->text, f);
    enum contest_policy policy = f->remedy == SEAT_FORFEITS ? CONTEST_LOSE
                                 : f->remedy == SEAT_ABORTS ? CONTEST_ABORT
                                                            : t->owner->run->policy;
    switch (policy) {
    case CONTEST_ABORT:
        t->result.end = CONTEST_ABORTED;
        t->result.at_fault = (int8_t)p->number;
        end_game(t);
        return;
    case CONTEST_LOSE:
        forfeit_game(t, p);
        break;
    default:
        p->muted = f->lost || opening || f->consecutive >= LAST_FAULT;
        if (p->muted)
            seat_give_up(p->seat);
        if (!opening) {
            match_play_fallback(&t->play.match, p->number, &t->happened);
            contest_add_decision_time(t->owner->run, &t->play, -1);
        }
    }
    if (opening)
        open_next(t);
    else
        advance_game(t);
}

static void on_warning(void *owner, const char *text)
{
    struct external_seat *p = owner;
    p->table->result.trouble[p->number][CONTEST_WARNING]++;
    report_trouble(p->table, p->number, text, NULL);
}

static void on_sample(void *owner, enum seat_call call, int64_t took_us)
{
    struct external_seat *p = owner;
    struct contest_latencies *times = &p->table->owner->times[p->table->play.game.entrant[p->number]][call];
    contest_latency_add(times, took_us);
}

// --- beginning a game

static void on_open(void *owner)
{
    struct external_seat *p = owner;
    if (!p->table->ending)
        open_next(p->table);
}

static const struct seat_handler handler = {
    .on_open = on_open,
    .on_notified = on_notified,
    .on_answer = on_answer,
    .on_fault = on_fault,
    .on_warning = on_warning,
    .on_sample = on_sample,
    .on_closed = on_closed,
};

static void name_match(const struct external_table *t, char out[UUID_TEXT + 1])
{
    uint64_t of[2] = {plan_of(t)->seed, t->play.game.index};
    uint8_t sum[CRYPTO_SHA256_BYTES];
    struct uuid u;
    crypto_sha256(sum, of, sizeof of);
    memcpy(u.byte, sum, sizeof u.byte);
    uuid_mark_random(&u);
    uuid_format(out, u);
}

// B12.6: the lower seat of entrant b gets s + 10000 b + 2 i in its i-th game, the upper seat one more.
static int64_t session_seed(const struct external_table *t, int seat)
{
    struct contest *c = t->owner->run->contest;
    int entrant = t->play.game.entrant[seat], upper = 0;
    for (int s = 0; s < seat; s++)
        upper += t->play.game.entrant[s] == entrant;
    contest_lock(c);
    uint64_t before = contest_count_before(c, t->play.game.index, entrant);
    contest_unlock(c);
    return (int64_t)((c->plan.seed + 10000 * (uint64_t)entrant + 2 * before + (uint64_t)upper) & 0x7FFFFFFF);
}

static void open_seat(struct external_table *t, int seat)
{
    struct contest_run *run = t->owner->run;
    const struct contest_entrant *e = entrant_of(t, seat);
    char match[UUID_TEXT + 1];
    const char *players[GAME_MAX_SEATS];
    name_match(t, match);
    struct seat_place place = {
        .seat = seat,
        .seats = plan_of(t)->seats,
        .match = match,
        .rules = &t->play.match.rules,
        .has_seed = run->sends_seed,
        .seed = session_seed(t, seat),
        .notices = e->notices,
        .dialect = run->dialect,
        .number = t->play.game.index,
        .players = players,
    };
    for (int s = 0; s < place.seats; s++)
        players[s] = entrant_of(t, s)->name;
    t->place[seat].seat =
        seat_open(t->owner->client, contest_address(e), plan_of(t)->codec, &place, &handler, &t->place[seat]);
    t->open++;
}

// B12.7: one session after the other, in the order of the seats, before anything else. If a failed one ends the game,
// the others are not opened.
static void open_next(struct external_table *t)
{
    while (t->opened < plan_of(t)->seats && !match_is_over(&t->play.match)) {
        int seat = t->opened++;
        const struct contest_entrant *e = entrant_of(t, seat);
        if (e->bot || strcmp(e->address, "person") == 0)
            continue;
        open_seat(t, seat);
        return;
    }
    advance_game(t);
}

static void begin_game(struct external_table *t)
{
    t->result = (struct contest_result){.at_fault = -1};
    t->happened.count = t->happened.ticks = 0;
    t->opened = t->open = 0;
    t->ending = t->given_up = false;
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        t->place[s] = (struct external_seat){.table = t, .number = s, .left_us = plan_of(t)->clock_us};
    int err = contest_begin_game(t->owner->run, &t->play, &t->happened);
    if (err != OK) {
        t->owner->err = err;
        free_table(t);
        return;
    }
    t->play.match.history = &t->history;
    game_history_begin(t->play.match.game, &t->play.match.state, &t->history);
    const struct bot *bots[GAME_MAX_SEATS] = {0};
    for (int s = 0; s < plan_of(t)->seats; s++)
        bots[s] = contest_bot_at(t->owner->run, &t->play.game, s);
    mind_memory_begin(&t->play.minds, &t->play.match, bots, &t->happened);
    open_next(t);
}

// The loop stops when nothing is left to play; but while other loops finish a Swiss round, another round may follow.
void external_fill_tables(struct external_loop *o)
{
    while (o->free && o->err == OK && !atomic_load(&o->run->stop)) {
        struct external_table *t = o->free;
        if (contest_take_game(o->run, &t->play.game) != 1)
            break;
        o->free = t->next_free;
        t->busy = true;
        o->running++;
        begin_game(t);
    }
    bool is_done = o->err != OK || atomic_load(&o->run->stop) || contest_is_done(o->run->contest);
    if (o->running == 0 && is_done)
        loop_stop(o->loop);
}

void external_give_up(struct external_loop *o)
{
    for (int i = 0; i < o->tables; i++)
        if (o->table[i].busy && !o->table[i].ending) {
            o->table[i].given_up = true;
            end_game(&o->table[i]);
        }
    if (o->running == 0)
        loop_stop(o->loop);
}
