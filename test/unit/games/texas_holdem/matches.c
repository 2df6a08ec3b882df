// Random matches: the game against the slow model of model.h, its invariants, refusals, and secrets.
#include "games/texas_holdem/rules/texas_holdem.h"
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct game *const g = &texas_holdem_game;

static struct rng key_of(uint32_t seed)
{
    struct rng root = {.key = {seed, 0x686f6c64}};
    return root;
}

// Rules that make short stacks, side pots, antes and odd chips common.
static int draw_rules(struct texas_holdem_rules *r, struct rng_draw *d)
{
    int seats = 2 + (int)rng_draw_below(d, 8);
    g->defaults(r);
    r->max_hands = 1 + (int32_t)rng_draw_below(d, 12);
    r->blinds_double_at = (int32_t)rng_draw_below(d, 5);
    r->big_blind_option = rng_draw_below(d, 4) != 0;
    r->button = (uint8_t)rng_draw_below(d, (uint32_t)seats);
    r->small_blind = 1 + (int32_t)rng_draw_below(d, 60);
    r->big_blind = r->small_blind + (int32_t)rng_draw_below(d, 90);
    r->ante = rng_draw_below(d, 3) ? 0 : (int32_t)rng_draw_below(d, 40);
    if (rng_draw_below(d, 4))
        for (int i = 0; i < seats; i++)
            r->stacks[i] = 1 + (int32_t)rng_draw_below(d, rng_draw_below(d, 3) ? 3000 : 120);
    else
        r->starting_chips = 1 + (int32_t)rng_draw_below(d, 2000);
    return seats;
}

// Mostly small steps, so that streets are reached; sometimes uniform.
static struct game_action draw_action(const struct game_choice *c, int count, struct rng_draw *d)
{
    const struct game_choice *pick =
        &c[rng_draw_below(d, rng_draw_below(d, 3) ? (uint32_t)(count - 1) : (uint32_t)count)];
    if (pick->first.kind == HOLDEM_FOLD && rng_draw_below(d, 2))
        pick = &c[1];
    struct game_action a = pick->first;
    uint32_t room = (uint32_t)(pick->max_amount - a.amount) + 1;
    a.amount += (int32_t)rng_draw_below(d, rng_draw_below(d, 2) && room > 50 ? 50 : room);
    return a;
}

static void expect_list(const struct texas_holdem_state *s, const struct model *m)
{
    struct game_choice c[GAME_MAX_CHOICES];
    struct model_legal l = model_list(m);
    int n = 0, count = g->choices(s, m->to_act, c);
    if (l.fold)
        assert_int_equal(c[n++].first.kind, HOLDEM_FOLD);
    if (l.check)
        assert_int_equal(c[n++].first.kind, HOLDEM_CHECK);
    if (l.call) {
        assert_int_equal(c[n].first.kind, HOLDEM_CALL);
        assert_int_equal(c[n].first.amount, l.call_amount);
        assert_int_equal(c[n++].max_amount, l.call_amount);
    }
    if (l.raise) {
        assert_int_equal(c[n].first.kind, HOLDEM_RAISE);
        assert_int_equal(c[n].first.amount, l.min);
        assert_int_equal(c[n++].max_amount, l.max);
    }
    assert_int_equal(c[n++].first.kind, HOLDEM_ALLIN);
    assert_int_equal(n, count);
    for (int i = 0; i < m->seats; i++)
        if (i != m->to_act)
            assert_int_equal(g->choices(s, i, c), 0);
}

static void expect_table(const struct texas_holdem_state *s, const struct model *m)
{
    assert_int_equal(s->actor, m->to_act);
    assert_int_equal(s->phase, m->street);
    assert_int_equal(s->current_bet, m->current_bet);
    for (int i = 0; i < m->seats; i++) {
        assert_int_equal(s->chips[i], m->p[i].chips);
        assert_int_equal(s->bet[i], m->p[i].round);
        assert_int_equal(s->total[i], m->p[i].hand);
    }
    expect_list(s, m);
}

static void learn_cards(struct model *m, const struct texas_holdem_state *s)
{
    for (int i = 0; i < m->seats; i++) {
        struct texas_holdem_view v;
        g->view(s, i, &v);
        memcpy(m->p[i].cards, v.last.cards[i], 2);
        memcpy(m->board, v.last.board, 5);
    }
}

static void expect_result(const struct game_event *e, const struct model *m)
{
    struct holdem_result r = holdem_result_of(e);
    int64_t pot = 0;
    assert_int_equal(r.reason, m->showdown ? HOLDEM_SHOWN_DOWN : HOLDEM_ALL_FOLDED);
    assert_int_equal(r.winners, m->winners);
    for (int i = 0; i < m->winners; i++)
        assert_int_equal(r.winner[i], m->winner[i]);
    for (int i = 0; i < m->seats; i++) {
        assert_int_equal(r.payout[i], m->payout[i]);
        pot += m->payout[i];
    }
    assert_int_equal(e->amount, pot);
}

// The level of hand n by F6.T1.
static void start_model_hand(struct model *m, const struct texas_holdem_rules *r, int hand, int button)
{
    int factor = r->blinds_double_at && hand >= r->blinds_double_at ? 2 : 1;
    model_start(m, button, factor * r->small_blind, factor * r->big_blind, r->ante);
}

struct duel {
    struct texas_holdem_rules rules;
    struct texas_holdem_state s;
    struct model m;
    struct game_events out;
    int hand;
    long hands, showdowns, side_pots;
};

// After the model's hand is over: the game has settled it, too, and perhaps later ones that nobody was asked in. Only
// the cards of the last are known, so the model follows one hand at a time and takes over the stacks of later ones.
static bool finish_hand(struct duel *t)
{
    uint32_t at = 0, results = 0, last = 0;
    for (; at < t->out.count; at++)
        if (t->out.at[at].kind == HOLDEM_EVENT_RESULT)
            results++, last = at;
    assert_true(results >= 1);
    if (results == 1) {
        learn_cards(&t->m, &t->s);
        model_settle(&t->m);
        expect_result(&t->out.at[last], &t->m);
        t->hands++;
        t->showdowns += t->m.showdown;
        t->side_pots += t->m.winners > 1;
    }
    t->hand = (int)t->s.last.number;
    if (t->s.phase == HOLDEM_DONE)
        return false;
    assert_int_equal(t->s.hand, t->hand + 1);
    if (results > 1)
        for (int i = 0; i < t->m.seats; i++)
            t->m.p[i].chips = t->s.chips[i] + t->s.total[i];
    int button = results == 1 ? model_left(&t->m, t->m.button, model_has_chips) : t->s.button;
    assert_int_equal(t->s.button, button);
    start_model_hand(&t->m, &t->rules, t->hand + 1, button);
    return true;
}

static void play_duel(struct duel *t, uint32_t seed)
{
    static const char letters[] = {0, 'f', 'k', 'c', 'r', 'a'};
    struct rng root = key_of(seed), dice = rng_split(&root, 1);
    struct rng_draw d;
    rng_begin(&d, &dice);
    int seats = draw_rules(&t->rules, &d);
    t->m = (struct model){.seats = seats, .option = t->rules.big_blind_option};
    t->out.count = 0;
    assert_int_equal(g->init(&t->s, &t->rules, seats, rng_split(&root, 0), &t->out), OK);
    for (int i = 0; i < seats; i++)
        t->m.p[i].chips = t->rules.stacks[0] ? t->rules.stacks[i] : t->rules.starting_chips;
    start_model_hand(&t->m, &t->rules, 1, t->rules.button);
    while (t->m.to_act < 0 ? finish_hand(t) : true) {
        if (t->m.to_act < 0)
            continue;
        expect_table(&t->s, &t->m);
        struct game_choice c[GAME_MAX_CHOICES];
        struct game_action a = draw_action(c, g->choices(&t->s, t->m.to_act, c), &d);
        t->out.count = 0;
        if (rng_draw_below(&d, 60) == 0) {
            struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)t->m.to_act}};
            assert_int_equal(g->apply(&t->s, GAME_MASTER, drop, &t->out), OK);
            model_act(&t->m, 'd', 0);
        } else {
            assert_int_equal(g->apply(&t->s, t->m.to_act, a, &t->out), OK);
            model_act(&t->m, letters[a.kind], a.amount);
        }
        assert_null(g->check(&t->s));
    }
    assert_int_equal(g->turn(&t->s).kind, TURN_OVER);
}

static void test_against_model(void **state)
{
    (void)state;
    static struct duel t;
    for (uint32_t seed = 1; seed <= 2000; seed++)
        play_duel(&t, seed);
    assert_true(t.hands > 5000 && t.showdowns > 1000 && t.side_pots > 200);
}

static void keep_seen(struct game_events *e, int viewer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->at[i].to & SEAT(viewer))
            e->at[kept++] = e->at[i];
    e->count = kept;
}

static void expect_same_events(const struct game_events *a, const struct game_events *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->at, b->at, a->count * sizeof a->at[0]);
}

// What a viewer sees does not depend on what he cannot know; nor do the events, where the worlds still look the same.
static void expect_secrecy(const struct texas_holdem_state *s, int viewer, struct game_action a, struct rng *dice)
{
    static struct game_events e1, e2;
    struct texas_holdem_state here = *s, other = *s;
    struct texas_holdem_view mine, theirs;
    struct game_choice may[GAME_MAX_CHOICES] = {0}, might[GAME_MAX_CHOICES] = {0};
    g->resample(&other, viewer, dice);
    assert_null(g->check(&other));
    g->view(s, viewer, &mine), g->view(&other, viewer, &theirs);
    assert_memory_equal(&mine, &theirs, sizeof mine);
    assert_int_equal(g->choices(s, viewer, may), g->choices(&other, viewer, might));
    assert_memory_equal(may, might, sizeof may);
    e1.count = e2.count = 0;
    assert_int_equal(g->apply(&here, s->actor, a, &e1), OK);
    assert_int_equal(g->apply(&other, s->actor, a, &e2), OK);
    g->view(&here, viewer, &mine), g->view(&other, viewer, &theirs);
    keep_seen(&e1, viewer), keep_seen(&e2, viewer);
    if (memcmp(&mine, &theirs, sizeof mine) == 0)
        expect_same_events(&e1, &e2);
}

static void expect_refused(const struct texas_holdem_state *s, int seat, struct game_action a, int error)
{
    struct texas_holdem_state touched = *s;
    static struct game_events out;
    out.count = 0;
    assert_int_equal(g->apply(&touched, seat, a, &out), error);
    assert_memory_equal(&touched, s, sizeof touched);
    assert_int_equal(out.count, 0);
}

static void expect_refusals(const struct texas_holdem_state *s)
{
    int seat = s->actor, other = (seat + 1) % s->seats;
    struct game_choice c[GAME_MAX_CHOICES];
    int count = g->choices(s, seat, c);
    expect_refused(s, seat, (struct game_action){.kind = 77}, ERR_ACTION);
    expect_refused(s, seat, (struct game_action){0}, ERR_ACTION);
    expect_refused(s, seat, (struct game_action){.kind = HOLDEM_POST_BIG}, ERR_ACTION);
    expect_refused(s, seat, (struct game_action){.kind = HOLDEM_ALLIN, .amount = 5}, ERR_ACTION);
    expect_refused(s, seat, (struct game_action){.kind = GAME_DROP, .arg = {(uint8_t)seat}}, ERR_ACTION);
    expect_refused(s, other, c[0].first, ERR_SEAT);
    expect_refused(s, -1, c[0].first, ERR_SEAT);
    expect_refused(s, GAME_SPECTATOR, c[0].first, ERR_SEAT);
    expect_refused(s, GAME_MASTER, c[count - 1].first, ERR_ACTION);
    expect_refused(s, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {(uint8_t)other}}, ERR_SEAT);
    expect_refused(s, seat, (struct game_action){.kind = c[0].first.kind == HOLDEM_FOLD ? HOLDEM_CHECK : HOLDEM_FOLD},
                   ERR_ACTION);
    int32_t low = s->current_bet + s->last_raise - 1, high = s->bet[seat] + s->chips[seat] + 1;
    expect_refused(s, seat, (struct game_action){.kind = HOLDEM_RAISE, .amount = low}, ERR_ACTION);
    expect_refused(s, seat, (struct game_action){.kind = HOLDEM_RAISE, .amount = high}, ERR_ACTION);
}

static void expect_flat_is_legal(const struct texas_holdem_state *s)
{
    struct game_action a, seen[HOLDEM_FLAT];
    int count = 0;
    assert_false(g->flat(s, s->actor, 0, &a));
    assert_false(g->flat(s, s->actor, HOLDEM_FLAT, &a));
    assert_false(g->flat(s, (s->actor + 1) % s->seats, 4, &a));
    for (int i = 1; i < HOLDEM_FLAT; i++)
        if (g->flat(s, s->actor, i, &a)) {
            struct texas_holdem_state copy = *s;
            assert_true(game_is_legal(g, s, s->actor, a));
            assert_int_equal(g->apply(&copy, s->actor, a, NULL), OK);
            for (int k = 0; k < count; k++)
                assert_false(game_same_action(seen[k], a));
            seen[count++] = a;
        }
    assert_true(count >= 2);
}

static uint64_t play_checked(uint32_t seed)
{
    static struct game_events e1, e2;
    struct rng root = key_of(seed), picks = rng_split(&root, 1), dice = rng_split(&root, 2);
    struct rng_draw d;
    struct texas_holdem_rules rules;
    struct texas_holdem_state s;
    rng_begin(&d, &picks);
    int seats = draw_rules(&rules, &d);
    assert_int_equal(g->init(&s, &rules, seats, rng_split(&root, 0), NULL), OK);
    for (int n = 0; g->turn(&s).kind != TURN_OVER; n++) {
        struct game_choice c[GAME_MAX_CHOICES];
        struct game_turn turn = g->turn(&s);
        struct game_action a = draw_action(c, g->choices(&s, s.actor, c), &d);
        assert_int_equal(turn.seats, SEAT(s.actor));
        assert_true(game_is_legal(g, &s, s.actor, a));
        assert_true(game_is_legal(g, &s, s.actor, g->fallback(&s, s.actor)));
        for (int v = 0; n % 3 == 0 && v <= seats; v++)
            expect_secrecy(&s, v == seats ? GAME_SPECTATOR : v, a, &dice);
        expect_refusals(&s);
        expect_flat_is_legal(&s);
        struct texas_holdem_state twin = s, quiet = s, dropped = s;
        e1.count = e2.count = 0;
        int seat = s.actor;
        assert_int_equal(
            g->apply(&dropped, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {(uint8_t)seat}}, NULL), OK);
        assert_null(g->check(&dropped));
        assert_false(g->turn(&dropped).seats & SEAT(seat));
        assert_int_equal(g->apply(&s, seat, a, &e1), OK);
        assert_int_equal(g->apply(&twin, seat, a, &e2), OK);
        assert_int_equal(g->apply(&quiet, seat, a, NULL), OK);
        assert_memory_equal(&s, &twin, sizeof s);
        assert_memory_equal(&s, &quiet, sizeof s);
        expect_same_events(&e1, &e2);
        assert_true(g->turn(&s).number > turn.number);
        assert_null(g->check(&s));
        seat_set whole = 0;
        for (uint32_t i = 0; i < e1.count; i++) { // a part has an event before it, and no more viewers than that
            whole = e1.at[i].part ? whole : e1.at[i].to;
            assert_true(e1.at[i].to && !(e1.at[i].to & ~whole));
        }
    }
    expect_refused(&s, 0, (struct game_action){.kind = HOLDEM_CHECK}, ERR_OVER);
    expect_refused(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP}, ERR_OVER);
    for (int v = 0; v <= seats; v++) {
        struct texas_holdem_state other = s;
        struct texas_holdem_view mine, theirs;
        int viewer = v == seats ? GAME_SPECTATOR : v;
        g->resample(&other, viewer, &dice);
        g->view(&s, viewer, &mine), g->view(&other, viewer, &theirs);
        assert_memory_equal(&mine, &theirs, sizeof mine);
    }
    return game_hash(g, &s);
}

static void test_secrets_refusals_determinism(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 150; seed++)
        assert_true(play_checked(seed) == play_checked(seed));
}

// Rewards of a match add up to what happened to the stacks (G25.5).
static void test_rewards_add_up(void **state)
{
    (void)state;
    static struct game_events out;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct rng root = key_of(seed), picks = rng_split(&root, 1);
        struct rng_draw d;
        struct texas_holdem_rules rules;
        struct texas_holdem_state s;
        double chips[HOLDEM_SEATS] = {0}, match = 0;
        int32_t first[HOLDEM_SEATS], last[GAME_MAX_SEATS];
        rng_begin(&d, &picks);
        int seats = draw_rules(&rules, &d);
        out.count = 0;
        assert_int_equal(g->init(&s, &rules, seats, rng_split(&root, 0), &out), OK);
        memcpy(first, holdem_new_hand_of(&out.at[0]).chips, sizeof first);
        for (;;) {
            struct game_rewards r;
            g->rewards(&s, &out, &r);
            for (int i = 0; i < seats; i++) {
                chips[i] += r.at[i][0];
                match += r.at[i][1];
            }
            if (g->turn(&s).kind == TURN_OVER)
                break;
            struct game_choice c[GAME_MAX_CHOICES];
            struct game_action a = draw_action(c, g->choices(&s, s.actor, c), &d);
            out.count = 0;
            if (rng_draw_below(&d, 40) == 0)
                a = (struct game_action){.kind = GAME_DROP, .arg = {s.actor}};
            assert_int_equal(g->apply(&s, a.kind == GAME_DROP ? GAME_MASTER : s.actor, a, &out), OK);
        }
        g->payoffs(&s, last);
        assert_true(match > 0.999 && match < 1.001);
        for (int i = 0; i < seats; i++) {
            double expected = (double)(last[i] - first[i]) * seats / s.all_chips;
            assert_true(chips[i] - expected < 1e-3 && expected - chips[i] < 1e-3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_model),
        cmocka_unit_test(test_secrets_refusals_determinism),
        cmocka_unit_test(test_rewards_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
