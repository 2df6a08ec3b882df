// Coup played out at random: against the second implementation, and against the promises every game makes.
#include "coup_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static const struct game *const g = &coup_game;

static struct rng stream_of(uint32_t a, uint32_t b)
{
    uint8_t key[RNG_KEY_BYTES] = {(uint8_t)a, (uint8_t)(a >> 8), (uint8_t)b, 'c'};
    return rng_from_key(key);
}

// Who answers and how. Uniform play challenges everything and dies young; patience lets windows run out.
struct player {
    uint64_t at;
    int patience; // 0..3: of 4, how often a window is passed without thinking
};

static uint32_t roll(struct player *p, uint32_t n)
{
    p->at = p->at * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((p->at >> 33) % n);
}

static int pick_seat(struct player *p, unsigned asked)
{
    for (uint32_t skip = roll(p, (uint32_t)__builtin_popcount(asked)); skip; skip--)
        asked &= asked - 1;
    return __builtin_ctz(asked);
}

static struct game_action pick_action(struct player *p, const struct game_choice *list, int count)
{
    if (list[count - 1].first.kind == COUP_PASS && (int)roll(p, 4) < p->patience)
        return list[count - 1].first;
    return list[roll(p, (uint32_t)count)].first;
}

static struct coup_rules rules_of(uint32_t match, int seats)
{
    struct coup_rules r;
    g->defaults(&r);
    r.windows = match & 1;
    r.ask_single = match >> 1 & 1;
    r.starter = (uint8_t)(match % (uint32_t)seats);
    for (int i = 0; i < seats; i++)
        r.coins[i] = (uint8_t)(match % 7 == 0 ? (match + (uint32_t)i * 3) % 10 : 2);
    return r;
}

static void assert_same_state(const struct coup_state *s, const struct oracle *o)
{
    int deck[COUP_ROLES] = {0};
    for (int i = 0; i < o->deck_count; i++)
        deck[o->deck[i] - 1]++;
    for (int i = 0; i < COUP_ROLES; i++)
        assert_int_equal(s->deck[i], deck[i]);
    for (int i = 0; i < 3 && s->top[i]; i++)
        assert_int_equal(s->top[i], o->deck[i]); // drawn lazily, the same order
    for (int i = 0; i < o->seats; i++) {
        assert_int_equal(s->seat[i].coins, o->coins[i]);
        assert_int_equal(s->seat[i].up, o->up[i][0] | o->up[i][1] << 1);
        assert_int_equal(s->seat[i].card[0], o->card[i][0]);
        assert_int_equal(s->seat[i].card[1], o->card[i][1]);
        assert_int_equal(s->asked >> i & 1, o->asked[i]);
        assert_int_equal(s->in_play >> i & 1, oracle_hidden(o, i) > 0);
        assert_int_equal(s->dropped >> i & 1, o->dropped[i]);
    }
    assert_int_equal(s->phase, o->phase);
    assert_int_equal(s->number, o->number);
    assert_int_equal(s->turns, o->turns);
    assert_int_equal(s->exchange[0], o->drawn[0]);
    assert_int_equal(s->exchange[1], o->drawn[1]);
    if (o->phase != COUP_PHASE_DONE)
        assert_int_equal(s->log.actor, o->actor);
}

static void assert_same_lists(const struct coup_state *s, const struct oracle *o)
{
    for (int seat = 0; seat < COUP_MAX_SEATS; seat++) {
        struct game_choice list[GAME_MAX_CHOICES];
        struct game_action want[GAME_MAX_CHOICES];
        int count = g->choices(s, seat, list);
        assert_int_equal(count, oracle_list(o, seat, want));
        for (int i = 0; i < count; i++) {
            assert_true(game_same_action(list[i].first, want[i]));
            assert_int_equal(list[i].max_amount, 0);
        }
    }
}

static void assert_same_events(const struct game_events *a, const struct game_events *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->at, b->at, a->count * sizeof a->at[0]);
}

// Every coin comes from a known source: the bank by income, aid, tax; another seat by a theft.
static void assert_coins_flow(const struct coup_state *before, const struct coup_state *after,
                              const struct game_events *e)
{
    int change = 0, banked = 0;
    for (int i = 0; i < before->seats; i++)
        change += after->seat[i].coins - before->seat[i].coins;
    for (uint32_t i = 0; i < e->count; i++) {
        struct coup_fact f = coup_event_fact(&e->at[i]);
        if (e->at[i].kind == COUP_EVENT_ACTION)
            banked += f.action == COUP_INCOME ? 1 : f.action == COUP_COUP ? -7 : f.action == COUP_ASSASSINATE ? -3 : 0;
        if (e->at[i].kind == COUP_EVENT_ACTION_RESOLVED)
            banked += f.action == COUP_FOREIGN_AID ? 2 : f.action == COUP_TAX ? 3 : 0;
    }
    assert_int_equal(change, banked);
}

struct tally {
    int phases[COUP_PHASES], events[COUP_EVENTS], drops, stacks;
};

static void count_events(struct tally *t, const struct game_events *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        t->events[e->at[i].kind]++;
}

static void try_stack(struct coup_state *s, struct oracle *o, struct player *p, struct tally *t)
{
    uint8_t items[COUP_CARDS];
    for (int i = 0; i < COUP_CARDS; i++)
        items[i] = (uint8_t)(i / 3 + 1);
    for (int i = 0; i < COUP_CARDS - 1; i++) {
        int j = i + (int)roll(p, (uint32_t)(COUP_CARDS - i));
        uint8_t item = items[i];
        items[i] = items[j], items[j] = item;
    }
    int count = roll(p, 2) ? COUP_CARDS : COUP_CARDS - 2 * o->seats;
    if (g->stack(s, items, count) != OK)
        return;
    o->stack_count = count;
    for (int i = 0; i < count; i++)
        o->stack[i] = items[i];
    t->stacks++;
}

static void play_against_oracle(uint32_t match, int seats, struct tally *t)
{
    static struct game_events mine, theirs;
    struct coup_state s;
    struct oracle o;
    struct coup_rules r = rules_of(match, seats);
    struct rng chance = stream_of(match, (uint32_t)seats);
    struct player p = {match * 977u + (uint32_t)seats, (int)(match >> 2 & 3)};
    assert_int_equal(g->init(&s, &r, seats, chance, NULL), OK);
    oracle_init(&o, &r, seats, chance);
    for (int steps = 0; s.phase != COUP_PHASE_DONE; steps++) {
        assert_true(steps < 20000);
        assert_same_state(&s, &o);
        assert_same_lists(&s, &o);
        t->phases[s.phase]++;
        if (roll(&p, 64) == 0)
            try_stack(&s, &o, &p, t);
        struct coup_state before = s;
        int seat = pick_seat(&p, s.asked);
        mine.count = theirs.count = 0;
        if (match % 3 == 0 && roll(&p, 24) == 0) {
            struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)seat}};
            assert_int_equal(g->apply(&s, GAME_MASTER, drop, &mine), OK);
            oracle_drop(&o, seat, &theirs);
            t->drops++;
        } else {
            struct game_choice list[GAME_MAX_CHOICES];
            struct game_action a = pick_action(&p, list, g->choices(&s, seat, list));
            assert_int_equal(g->apply(&s, seat, a, &mine), OK);
            oracle_answer(&o, seat, a, &theirs);
        }
        assert_same_events(&mine, &theirs);
        assert_coins_flow(&before, &s, &mine);
        assert_null(g->check(&s));
        count_events(t, &mine);
    }
    assert_same_state(&s, &o);
}

static void test_agrees_with_the_oracle(void **state)
{
    (void)state;
    struct tally t = {0};
    for (int seats = 2; seats <= COUP_MAX_SEATS; seats++)
        for (uint32_t match = 0; match < 800; match++)
            play_against_oracle(match, seats, &t);
    for (int phase = 0; phase < COUP_PHASE_DONE; phase++)
        assert_true(t.phases[phase] > 500); // every phase was met
    for (int kind = 1; kind < COUP_EVENTS; kind++)
        assert_true(t.events[kind] > 100);
    assert_true(t.drops > 500 && t.stacks > 500);
}

// What a viewer sees and may do does not depend on what the viewer cannot know.
static void assert_nothing_leaks(const struct coup_state *s, int viewer, struct rng *dice)
{
    struct coup_state other = *s;
    struct coup_view mine, theirs;
    struct game_choice may[GAME_MAX_CHOICES] = {0}, might[GAME_MAX_CHOICES] = {0};
    g->resample(&other, viewer, dice);
    assert_null(g->check(&other));
    memset(&mine, 0xAA, sizeof mine);
    memset(&theirs, 0x55, sizeof theirs); // every byte is set
    g->view(s, viewer, &mine);
    g->view(&other, viewer, &theirs);
    assert_memory_equal(&mine, &theirs, sizeof mine);
    int count = viewer == GAME_SPECTATOR ? 0 : g->choices(s, viewer, may);
    assert_int_equal(count, viewer == GAME_SPECTATOR ? 0 : g->choices(&other, viewer, might));
    assert_memory_equal(may, might, (size_t)count * sizeof may[0]);
}

static void keep_seen(struct game_events *e, int viewer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->at[i].to & SEAT(viewer))
            e->at[kept++] = e->at[i];
    e->count = kept;
}

// If two worlds still look the same to `viewer` after a move, so did the events.
static void assert_events_agree(const struct coup_state *s, int seat, struct game_action a, int viewer,
                                struct rng *dice)
{
    static struct game_events e1, e2;
    struct coup_state here = *s, there = *s;
    struct coup_view mine, theirs;
    e1.count = e2.count = 0;
    g->resample(&there, viewer, dice);
    if (g->apply(&here, seat, a, &e1) != OK || g->apply(&there, seat, a, &e2) != OK)
        return;
    g->view(&here, viewer, &mine);
    g->view(&there, viewer, &theirs);
    keep_seen(&e1, viewer);
    keep_seen(&e2, viewer);
    if (memcmp(&mine, &theirs, sizeof mine) == 0)
        assert_same_events(&e1, &e2);
}

static void assert_refusals(const struct coup_state *s, int seat, struct player *p)
{
    struct coup_state t = *s;
    struct game_choice list[GAME_MAX_CHOICES];
    int count = g->choices(s, seat, list);
    for (int i = 0; i < 8; i++) { // anything is taken exactly if it is listed
        struct game_action a = {.kind = (uint8_t)roll(p, COUP_ACTIONS + 1),
                                .arg = {(uint8_t)roll(p, 8), (uint8_t)roll(p, 4), roll(p, 8) == 0},
                                .amount = roll(p, 8) == 0};
        bool listed = game_has_choice(list, count, a);
        int err = g->apply(&t, seat, a, NULL);
        assert_int_equal(err, listed ? OK : ERR_ACTION);
        if (!listed)
            assert_memory_equal(&t, s, sizeof t);
        t = *s;
    }
    struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)seat}}, junk = {.kind = 200};
    assert_int_equal(g->apply(&t, seat, drop, NULL), ERR_ACTION); // the master's, not a player's
    assert_int_equal(g->apply(&t, GAME_MASTER, junk, NULL), ERR_ACTION);
    for (int other = -1; other <= GAME_SPECTATOR; other++)
        if (other < 0 || !(s->asked >> other & 1)) {
            assert_int_equal(g->apply(&t, other, list[0].first, NULL), ERR_SEAT);
            drop.arg[0] = (uint8_t)other;
            assert_int_equal(g->apply(&t, GAME_MASTER, drop, NULL), ERR_SEAT);
        }
    assert_memory_equal(&t, s, sizeof t);
}

// The flat list is the list of choices under another order (G27.1).
static void assert_flat_is_the_list(const struct coup_state *s, int seat)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = g->choices(s, seat, list), found = 0;
    for (int index = -1; index <= COUP_FLAT; index++) {
        struct game_action a;
        if (!g->flat(s, seat, index, &a))
            continue;
        assert_true(index > 0 && game_has_choice(list, count, a));
        found++;
    }
    assert_int_equal(found, count);
}

static void assert_drop(const struct coup_state *s, int seat)
{
    struct coup_state t = *s;
    struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)seat}};
    assert_int_equal(g->apply(&t, GAME_MASTER, drop, NULL), OK);
    assert_null(g->check(&t));
    assert_false(g->turn(&t).seats & SEAT(seat));
}

static uint64_t play_contract(uint32_t match, int seats)
{
    static struct game_events out, again;
    struct coup_state s;
    struct coup_rules r = rules_of(match, seats);
    struct rng chance = stream_of(match, 99), dice = rng_split(&chance, 1);
    struct player p = {match * 31u + 7u, (int)(match >> 2 & 3)};
    assert_int_equal(g->init(&s, &r, seats, chance, NULL), OK);
    while (g->turn(&s).kind != TURN_OVER) {
        struct game_turn t = g->turn(&s);
        assert_true(t.seats && t.seats < SEAT(seats));
        int seat = pick_seat(&p, t.seats);
        for (int v = 0; v <= seats; v++)
            assert_nothing_leaks(&s, v == seats ? GAME_SPECTATOR : v, &dice);
        assert_true(game_is_legal(g, &s, seat, g->fallback(&s, seat)));
        assert_refusals(&s, seat, &p);
        for (int v = 0; v < seats; v++)
            assert_flat_is_the_list(&s, v);
        assert_drop(&s, seat);
        struct game_choice list[GAME_MAX_CHOICES];
        struct game_action a = pick_action(&p, list, g->choices(&s, seat, list));
        for (int v = 0; v <= seats; v++)
            assert_events_agree(&s, seat, a, v == seats ? GAME_SPECTATOR : v, &dice);
        struct coup_state before = s, twin = s, quiet = s;
        out.count = again.count = 0;
        assert_int_equal(g->apply(&s, seat, a, &out), OK);
        assert_int_equal(g->apply(&twin, seat, a, &again), OK);
        assert_int_equal(g->apply(&quiet, seat, a, NULL), OK);
        assert_memory_equal(&s, &twin, sizeof s);
        assert_memory_equal(&s, &quiet, sizeof s);
        assert_same_events(&out, &again);
        assert_memory_not_equal(&s, &before, sizeof s);
        assert_true(g->turn(&s).number >= t.number + (t.kind == TURN_ONE));
        assert_null(g->check(&s));
    }
    struct coup_state end = s;
    assert_int_equal(g->apply(&s, 0, (struct game_action){.kind = COUP_INCOME}, NULL), ERR_OVER);
    assert_int_equal(g->apply(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP}, NULL), ERR_OVER);
    assert_memory_equal(&s, &end, sizeof s);
    return game_hash(g, &s);
}

static void test_keeps_the_contract(void **state)
{
    (void)state;
    for (int seats = 2; seats <= COUP_MAX_SEATS; seats++)
        for (uint32_t match = 0; match < 40; match++)
            assert_true(play_contract(match, seats) == play_contract(match, seats));
}

static void assert_close(double a, double b)
{
    assert_true(a - b < 1e-4 && b - a < 1e-4);
}

// G27.5: rewards of all steps add up: influence to what was lost and won, match to the payoffs.
static void test_rewards_add_up(void **state)
{
    (void)state;
    static struct game_events out;
    for (uint32_t match = 0; match < 60; match++) {
        int seats = 2 + (int)(match % 5);
        struct coup_state s;
        struct coup_rules r = rules_of(match, seats);
        struct player p = {match, 2};
        double sum[GAME_MAX_SEATS][2] = {{0}};
        assert_int_equal(g->init(&s, &r, seats, stream_of(match, 5), NULL), OK);
        while (s.phase != COUP_PHASE_DONE) {
            struct game_choice list[GAME_MAX_CHOICES];
            struct game_rewards earned;
            int seat = pick_seat(&p, s.asked);
            out.count = 0;
            struct game_action a = pick_action(&p, list, g->choices(&s, seat, list));
            struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)seat}};
            bool leave = roll(&p, 40) == 0;
            assert_int_equal(g->apply(&s, leave ? GAME_MASTER : seat, leave ? drop : a, &out), OK);
            g->rewards(&s, &out, &earned);
            for (int i = 0; i < seats; i++)
                for (int c = 0; c < 2; c++)
                    sum[i][c] += (double)earned.at[i][c];
        }
        int32_t payoffs[GAME_MAX_SEATS];
        g->payoffs(&s, payoffs);
        int lost = 0, winners = __builtin_popcount(s.won);
        for (int i = 0; i < seats; i++)
            lost += 2 - coup_influence(&s.seat[i]);
        for (int i = 0; i < seats; i++) {
            int own = 2 - coup_influence(&s.seat[i]);
            assert_close(sum[i][0], -0.5 * own + 0.5 * (lost - own) / (seats - 1));
            assert_close(sum[i][1], payoffs[i] / (double)winners);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_the_oracle),
        cmocka_unit_test(test_keeps_the_contract),
        cmocka_unit_test(test_rewards_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
