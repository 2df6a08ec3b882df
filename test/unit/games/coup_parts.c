// The parts of Coup apart from the phases: the deal and its options, the deck, the end, views and other worlds.
#include "coup_script.h"

static const struct setup three = {"AD CD MO", "3 2 2", 0, 0, 0};

static void assert_hand(const struct coup_state *s, int seat, const char *hand)
{
    assert_int_equal(letters[s->seat[seat].card[0]], hand[0]);
    assert_int_equal(letters[s->seat[seat].card[1]], hand[1]);
}

// F6.C1, F6.C18: dealing order, hands, coins, starter.
static void test_deal(void **state)
{
    (void)state;
    struct coup_state s;
    start(&s, &(struct setup){"MDCADOADCAMOCOM", "1 0 9", 0, 0, 1});
    assert_hand(&s, 0, "MA");
    assert_hand(&s, 1, "DD");
    assert_hand(&s, 2, "CO");
    assert_int_equal(g->turn(&s).seats, SEAT(1));
    assert_int_equal(s.seat[0].coins, 1);
    assert_int_equal(s.seat[1].coins, 0);
    assert_int_equal(s.seat[2].coins, 9);
    play(&s, "1 exchange; 0 pass; 2 pass", NULL);
    assert_int_equal(letters[s.exchange[0]], 'A'); // the deck goes on where the deal stopped
    assert_int_equal(letters[s.exchange[1]], 'D');

    start(&s, &(struct setup){"DD -- AA", "2 2 2", 0, 0, 0});
    assert_hand(&s, 0, "DD");
    assert_hand(&s, 2, "AA");
    assert_null(g->check(&s));

    // The deal is shuffle number 0 of the chance given: F6.1, done in full here.
    struct coup_rules r;
    g->defaults(&r);
    for (int seats = 2; seats <= COUP_MAX_SEATS; seats++) {
        uint8_t deck[COUP_CARDS];
        struct rng chance = stream_of(3), section = rng_section(&chance, 0);
        struct rng_draw draw;
        for (int i = 0; i < COUP_CARDS; i++)
            deck[i] = (uint8_t)(1 + i / 3);
        rng_begin(&draw, &section);
        for (int i = 0; i < COUP_CARDS - 1; i++) {
            int j = i + (int)rng_draw_below(&draw, (uint32_t)(COUP_CARDS - i));
            uint8_t card = deck[i];
            deck[i] = deck[j], deck[j] = card;
        }
        assert_int_equal(g->init(&s, &r, seats, chance, NULL), OK);
        for (int i = 0; i < 2 * seats; i++)
            assert_int_equal(s.seat[i % seats].card[i / seats], deck[i]);
    }
}

static void test_bad_rules(void **state)
{
    (void)state;
    struct coup_state s;
    struct coup_rules ok, r;
    g->defaults(&ok);
#define REFUSED(seats, change)                                                                                         \
    do {                                                                                                               \
        r = ok;                                                                                                        \
        change;                                                                                                        \
        assert_int_equal(g->init(&s, &r, seats, stream_of(1), NULL), ERR_RULES);                                       \
    } while (0)
    REFUSED(1, (void)0);
    REFUSED(7, (void)0);
    REFUSED(99, (void)0);
    REFUSED(3, r.starter = 3);
    REFUSED(3, r.coins[2] = 10);
    REFUSED(3, r.windows = 2);
    REFUSED(3, r.ask_single = 2);
    REFUSED(3, r.hands[1][0] = COUP_DUKE); // half a hand
    REFUSED(3, memset(r.hands, COUP_DUKE, 4));
    REFUSED(3, memset(r.hands, 6, 2));
    REFUSED(3, r.deck[4] = COUP_DUKE); // part of a deck
    REFUSED(3, memset(r.deck, COUP_DUKE, sizeof r.deck));
#undef REFUSED
    r = ok;
    r.coins[5] = 200; // of a seat nobody has
    assert_int_equal(g->init(&s, &r, 3, stream_of(1), NULL), OK);
}

// G27.6
static void test_scenarios(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int seats, coins;
    } rows[] = {{"players_4", 4, 2}, {"players_2", 2, 2}, {"players_3", 3, 2},
                {"players_5", 5, 2}, {"players_6", 6, 2}, {"rich", 4, 7}};
    for (int i = 0; i < 6; i++) {
        struct coup_rules r;
        g->defaults(&r);
        assert_string_equal(g->scenarios[i], rows[i].name);
        assert_int_equal(g->scenario(&r, i), rows[i].seats);
        assert_int_equal(r.coins[0], rows[i].coins);
    }
    assert_null(g->scenarios[6]);
    struct coup_rules r;
    assert_true(g->scenario(&r, 6) < 0);
}

// F6.C7, F6.C9: a redraw and an exchange take what the stacked shuffle gives.
static void test_stack(void **state)
{
    (void)state;
    struct coup_state s;
    start(&s, &three);
    play(&s, "stack OOODDDAAACCCMMM; 0 tax; 1 challenge", NULL);
    assert_hand(&s, 0, "AO"); // the Duke of slot 1 was shown; the first Contessa left is drawn
    assert_int_equal(s.stack_count, 0);
    play(&s, "1 lose_card 0; 1 income; 2 exchange; 0 pass; 1 pass", NULL);
    assert_int_equal(letters[s.exchange[0]], 'O'); // the same shuffle goes on
    assert_int_equal(letters[s.exchange[1]], 'D');
    play(&s, "stack MMMDDDAAACCCOOO; 2 return_cards 01; 0 exchange; 1 pass; 2 pass", NULL);
    assert_int_equal(letters[s.exchange[0]], 'M'); // what went back was stacked on top
    assert_int_equal(letters[s.exchange[1]], 'M');

    // The cards of a redraw are 15 - 2 x 3 + 1; of a return 15 - 2 x 3.
    start(&s, &three);
    struct coup_state before = s;
    static const char *const refused[] = {"stack D", "stack DDDAAACCCMMMOO", "stack DDDDAACCCMMMOOO", "stack DDDDAACCC",
                                          "stack -DDAACCCM"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(apply_step(&s, refused[i], NULL), ERR_RULES);
    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(apply_step(&s, "stack CDDAACCMMO", NULL), OK); // ten: the Duke comes back
    play(&s, "0 tax; 1 challenge", NULL);
    assert_hand(&s, 0, "AC");
    play(&s, "1 lose_card 0; 1 exchange; 0 pass; 2 pass", NULL);
    assert_int_equal(apply_step(&s, "stack DDAACCMMOO", NULL), ERR_RULES); // a return has nine
    assert_int_equal(apply_step(&s, "stack DDAACCMMO", NULL), OK);
}

// F6.C9: kept cards fill the face-down slots in order; indices never change (F6.C2).
static void test_exchange(void **state)
{
    (void)state;
    static const struct {
        const char *indices, *hand;
    } rows[] = {{"01", "MO"}, {"02", "AO"}, {"03", "AM"}, {"12", "MO"}, {"13", "MM"}, {"23", "MA"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct coup_state s;
        char script[64];
        start(&s, &(struct setup){"MDCADOMOCAMOCAD", "2 2 2", 0, 0, 0}); // M A, then M O
        sprintf(script, "0 exchange; 1 pass; 2 pass; 0 return_cards %s", rows[i].indices);
        play(&s, script, NULL);
        assert_hand(&s, 0, rows[i].hand);
    }
    struct coup_state s;
    start(&s, &(struct setup){"MDCADOMOCAMOCAD", "2 7 2", 0, 0, 1});
    play(&s, "1 coup 0; 0 lose_card 0; 2 income; 0 exchange; 1 pass; 2 pass; 0 return_cards 01", NULL);
    assert_hand(&s, 0, "MO"); // the face-up Ambassador stays in slot 0
    assert_int_equal(s.seat[0].up, 1);
}

// F6.C14: exchanges for ever end after 500 turns; equal influence is a draw.
static void test_turn_cap(void **state)
{
    (void)state;
    static struct game_events out;
    for (int uneven = 0; uneven < 2; uneven++) {
        struct coup_state s;
        struct game_rewards earned;
        int32_t payoffs[GAME_MAX_SEATS];
        start(&s, &(struct setup){"MM CD", "7 2", 0, 0, 0});
        if (uneven)
            play(&s, "0 coup 1; 1 lose_card 0", NULL);
        while (s.phase != COUP_PHASE_DONE) {
            char step[64];
            int actor = s.log.actor;
            sprintf(step, "%d exchange; %d pass; %d return_cards 01", actor, 1 - actor, actor);
            out.count = 0;
            play(&s, step, &out);
        }
        assert_int_equal(s.turns, 500);
        const struct game_event *end = &out.at[out.count - 1];
        assert_int_equal(end->kind, COUP_EVENT_GAME_OVER);
        assert_int_equal(end->seat, uneven ? 0 : COUP_NOBODY);
        assert_int_equal(coup_event_fact(end).capped, 1);
        g->payoffs(&s, payoffs);
        assert_int_equal(payoffs[0], 1);
        assert_int_equal(payoffs[1], !uneven);
        g->rewards(&s, &out, &earned);
        assert_true(earned.at[0][1] > (uneven ? 0.999f : 0.499f) && earned.at[0][1] < (uneven ? 1.001f : 0.501f));
        struct coup_view v;
        g->view(&s, 0, &v);
        assert_int_equal(v.capped, 1);
    }
}

// F6.C12, F6.C13: own cards, others' counts, drawn cards to the exchanger alone.
static void test_views(void **state)
{
    (void)state;
    struct coup_state s;
    struct coup_view v;
    start(&s, &(struct setup){"MDCADOMOCAMOCAD", "2 2 2", 0, 0, 0});
    play(&s, "0 exchange; 1 pass; 2 pass", NULL);
    static const int viewers[] = {0, 1, 2, GAME_SPECTATOR};
    for (int i = 0; i < 4; i++) {
        g->view(&s, viewers[i], &v);
        for (int seat = 0; seat < 3; seat++) {
            assert_int_equal(v.seat[seat].card[0] != 0, seat == viewers[i]);
            assert_int_equal(coup_influence(&v.seat[seat]), 2);
        }
        assert_int_equal(v.exchange[0] != 0, viewers[i] == 0);
        assert_int_equal(v.deck_count, 7);
        assert_int_equal(v.log.action, COUP_EXCHANGE);
    }
    play(&s, "0 return_cards 01; drop 1", NULL);
    g->view(&s, 2, &v);
    assert_int_equal(v.seat[1].card[0], COUP_DUKE); // revealed to all
    assert_int_equal(v.deck_count, 9);
}

// G27.2: deterministic windows: nobody sees that another has answered, but that he is awaited no more.
static void test_answers_stay_unseen(void **state)
{
    (void)state;
    static struct game_events out;
    struct coup_state pass, doubt;
    struct coup_view a, b;
    struct setup setup = {"DD CD MO AC", "2 2 2 2", 1, 0, 0};
    out.count = 0;
    start(&pass, &setup);
    play(&pass, "0 tax; 1 pass", &out);
    start(&doubt, &setup);
    play(&doubt, "0 tax; 1 challenge", &out);
    assert_int_equal(out.count, 2); // the two claims
    static const int others[] = {0, 2, 3, GAME_SPECTATOR};
    for (int i = 0; i < 4; i++) {
        g->view(&pass, others[i], &a);
        g->view(&doubt, others[i], &b);
        assert_memory_equal(&a, &b, sizeof a);
    }
    g->view(&pass, 1, &a);
    assert_int_equal(a.answer, COUP_ANSWER_PASS);
    assert_int_equal(g->turn(&pass).kind, TURN_ALL);
    assert_int_equal(g->turn(&pass).number, 2);
}

// G27.4: where each number stands.
static void test_vector(void **state)
{
    (void)state;
    struct coup_state s;
    struct coup_view v;
    float x[COUP_VECTOR];
    start(&s, &(struct setup){"AD CC MO", "7 6 3", 0, 0, 0});
    play(&s, "0 coup 2; 2 lose_card 0; 1 steal 0; 0 pass; 2 pass; 0 block M", NULL);
    g->view(&s, 1, &v);
    g->vector(&v, x);
    static const struct {
        int at;
        float value;
    } set[] = {
        {2, 1},         // two own Captains
        {5, 0},         // seat 0: no coins
        {6, 1},         //         two influence
        {12, 0.5f},     // seat 1: 6 of 12 coins
        {13, 1},        //
        {19, 0.25f},    // seat 2: 3 of 12
        {20, 0.5f},     //         one influence
        {21 + 3, 0.5f}, //         an Ambassador up
        {47 + 3, 1},    // phase challenge_block
        {53 + 1, 1},    // actor
        {59 + 5, 1},    // steal is the sixth action
        {66 + 0, 1},    // target
        {72 + 2, 1},    // claimed Captain
        {77 + 0, 1},    // blocker
        {83 + 3, 1},    // block role: Duke, Contessa, Captain, Ambassador
        {87 + 1, 1},    // own seat
    };
    float want[COUP_VECTOR] = {0};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        want[set[i].at] = set[i].value;
    for (int i = 0; i < COUP_VECTOR; i++)
        if (x[i] < want[i] - 1e-6f || x[i] > want[i] + 1e-6f)
            fail_msg("number %d is %f, not %f", i, (double)x[i], (double)want[i]);

    start(&s, &(struct setup){"MDCADOMOCAMOCAD", "2 2 2", 0, 0, 0});
    play(&s, "0 exchange; 1 pass; 2 pass", NULL);
    g->view(&s, 0, &v);
    g->vector(&v, x);
    assert_true(x[93 + 3] > 0.4f && x[93 + 4] > 0.4f && x[93] < 0.1f); // Ambassador and Contessa drawn
    assert_true(x[0] < 0.1f && x[1] > 0.4f && x[3] > 0.4f);            // Ambassador and Assassin of its own
    play(&s, "0 return_cards 23; 1 foreign_aid; 0 block D; 1 challenge", NULL);
    g->view(&s, 0, &v);
    g->vector(&v, x);
    for (int i = 77; i < 87; i++)
        assert_true(x[i] < 0.1f); // a blocker stands there in challenge_block alone
    play(&s, "0 lose_card 0", NULL);
    g->view(&s, 0, &v);
    g->vector(&v, x);
    assert_true(x[1] > 0.4f && x[3] < 0.1f && x[7 + 3] > 0.4f); // what lies face up is not held any more
    g->view(&s, GAME_SPECTATOR, &v);
    g->vector(&v, x);
    for (int i = 87; i < COUP_VECTOR; i++)
        assert_true(x[i] < 0.1f); // no seat, no cards
}

// A claim that was caught this turn is known to be a lie, also in other worlds.
static void test_resample_respects_what_is_known(void **state)
{
    (void)state;
    struct coup_state s, other;
    struct rng dice = stream_of(9);
    bool moved = false;
    start(&s, &(struct setup){"AC CD MO", "3 2 2", 0, 0, 0});
    play(&s, "0 tax; 1 challenge", NULL); // seat 0 has no Duke and must choose
    for (int i = 0; i < 300; i++) {
        other = s;
        g->resample(&other, 2, &dice);
        assert_null(g->check(&other));
        assert_int_not_equal(other.seat[0].card[0], COUP_DUKE);
        assert_int_not_equal(other.seat[0].card[1], COUP_DUKE);
        assert_memory_equal(&other.seat[2], &s.seat[2], sizeof s.seat[2]);
        moved |= other.seat[1].card[0] != s.seat[1].card[0];
        assert_memory_not_equal(other.chance.key, s.chance.key, sizeof s.chance.key);
    }
    assert_true(moved);
}

// Every place is as likely as its number of copies.
static void test_resample_is_fair(void **state)
{
    (void)state;
    struct coup_state s, other;
    struct rng dice = stream_of(8);
    int count[COUP_ROLES + 1] = {0};
    start(&s, &(struct setup){"DD AC MO", "2 2 2", 0, 0, 0});
    for (int i = 0; i < 13000; i++) {
        other = s;
        g->resample(&other, 0, &dice);
        count[other.seat[1].card[0]]++;
    }
    // 13 unseen cards: one Duke, three of each other role.
    assert_true(count[COUP_DUKE] > 800 && count[COUP_DUKE] < 1200);
    for (int role = COUP_ASSASSIN; role <= COUP_CONTESSA; role++)
        assert_true(count[role] > 2700 && count[role] < 3300);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_true(g->state_size <= 128);
    assert_true(g->view_size <= GAME_MAX_VIEW && g->rules_size <= GAME_MAX_RULES);
    assert_true(g->entities_end < g->world_end && g->world_end < g->state_size);
    assert_int_equal(g->flat_size, 37);
    assert_int_equal(g->vector_size, 98);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deal),
        cmocka_unit_test(test_bad_rules),
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_turn_cap),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_answers_stay_unseen),
        cmocka_unit_test(test_vector),
        cmocka_unit_test(test_resample_respects_what_is_known),
        cmocka_unit_test(test_resample_is_fair),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
