// Vector 2 and tokens of Coup against the events of the match (part 5 of docs/spec/train.md), in both kinds of windows.
#include "rows_kit.h"

#include "games/coup/rules/coup.h"

enum { SEATS = COUP_MAX_SEATS };

static struct kit k;

static const char *const roles[] = {"", "duke", "assassin", "captain", "ambassador", "contessa"};
static const char *const actions[] = {"", "income", "foreign_aid", "coup", "tax", "assassinate", "steal", "exchange"};

static const struct coup_state *table(void)
{
    return (const struct coup_state *)&k.state;
}

static float share(int count, int cap)
{
    return (float)(count < cap ? count : cap) / (float)cap;
}

// What is known of each seat, read from all events from the first on.
struct known {
    int claimed[SEATS][6], claims[SEATS][6], proofs[SEATS][6];
    int caught[SEATS], challenges[SEATS], right[SEATS];
    int action[SEATS], target[SEATS];
};

static void read_event(struct known *n, const struct game_event *e)
{
    struct coup_fact f = coup_event_fact(e);
    switch (e->kind) {
    case COUP_EVENT_ACTION:
        n->action[e->seat] = f.action;
        n->target[e->seat] = f.target;
        n->claimed[e->seat][f.role] = 1;
        n->claims[e->seat][f.role]++;
        break;
    case COUP_EVENT_BLOCK:
        n->claimed[e->seat][f.role] = 1;
        n->claims[e->seat][f.role]++;
        break;
    case COUP_EVENT_CHALLENGE_RESULT:
    case COUP_EVENT_CHALLENGE_BLOCK_RESULT:
        n->challenges[f.other]++;
        n->right[f.other] += f.result == COUP_SUCCESS;
        n->caught[e->seat] += f.result == COUP_SUCCESS;
        if (f.result == COUP_FAIL) { // shown, and another card drawn for it
            n->proofs[e->seat][f.card]++;
            memset(n->claimed[e->seat], 0, sizeof n->claimed[e->seat]);
        }
        break;
    case COUP_EVENT_EXCHANGE_COMPLETE:
        memset(n->claimed[e->seat], 0, sizeof n->claimed[e->seat]);
        break;
    default:
        break;
    }
}

static void expect_seat(const struct known *n, int seat)
{
    int action = n->action[seat];
    bool targeted = action == COUP_COUP || action == COUP_ASSASSINATE || action == COUP_STEAL;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++) {
        kit_expect(&k, n->claimed[seat][role], "seat.%d.claimed.%s", seat, roles[role]);
        kit_expect(&k, share(n->claims[seat][role], 5), "seat.%d.claims.%s", seat, roles[role]);
        kit_expect(&k, share(n->proofs[seat][role], 2), "seat.%d.proofs.%s", seat, roles[role]);
    }
    kit_expect(&k, share(n->caught[seat], 2), "seat.%d.caught", seat);
    kit_expect(&k, share(n->challenges[seat], 4), "seat.%d.challenges", seat);
    kit_expect(&k, share(n->right[seat], 4), "seat.%d.right", seat);
    for (int i = 1; i <= COUP_TURN_ACTIONS; i++)
        kit_expect(&k, action == i, "seat.%d.last.%s", seat, actions[i]);
    for (int i = 0; i < SEATS; i++)
        kit_expect(&k, targeted && n->target[seat] == i, "seat.%d.last.target.%d", seat, i);
}

// What the gallery sees of the running turn.
static void expect_turn(void)
{
    struct coup_view v;
    coup_game.view(&k.state, GAME_SPECTATOR, &v);
    int challenger = v.log.block_challenge_result ? v.log.block_challenger
                     : v.log.challenge_result     ? v.log.challenger
                                                  : -1;
    for (int i = 0; i < SEATS; i++) {
        kit_expect(&k, v.passed >> i & 1, "passed.%d", i);
        kit_expect(&k, i == challenger, "challenger.%d", i);
    }
    kit_expect(&k, (double)v.turns / 500, "turns");
    kit_expect(&k, v.deck_count / 15.0, "deck");
}

static int count_role(const uint8_t card[2], int slots, int role)
{
    return (slots & 1 && card[0] == role) + (slots & 2 && card[1] == role);
}

static void expect_cards(const struct coup_view *v)
{
    for (int i = 0; i < SEATS; i++) {
        const struct coup_seat *seat = &v->seat[i];
        kit_expect(&k, seat->coins / 12.0, "seat.%d.coins", i);
        kit_expect(&k, i < v->seats ? coup_influence(seat) / 2.0 : 0, "seat.%d.influence", i);
        for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
            kit_expect(&k, count_role(seat->card, seat->up, role) / 2.0, "seat.%d.up.%s", i, roles[role]);
    }
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++) {
        const struct coup_seat *me = v->viewer < v->seats ? &v->seat[v->viewer] : NULL;
        kit_expect(&k, me ? count_role(me->card, ~me->up, role) / 2.0 : 0, "own.%s", roles[role]);
        kit_expect(&k, count_role(v->exchange, 3, role) / 2.0, "exchange.%s", roles[role]);
    }
}

// G27.4
static void expect_now(int viewer)
{
    static const char *const phases[] = {"action",          "challenge_action", "block",
                                         "challenge_block", "lose_influence",   "exchange_return"};
    static const int claims[] = {0, 0, 0, 0, COUP_DUKE, COUP_ASSASSIN, COUP_CAPTAIN, COUP_AMBASSADOR};
    static const int blocks[] = {COUP_DUKE, COUP_CAPTAIN, COUP_AMBASSADOR, COUP_CONTESSA};
    struct coup_view v;
    coup_game.view(&k.state, viewer, &v);
    int action = v.log.action;
    bool targeted = action == COUP_COUP || action == COUP_ASSASSINATE || action == COUP_STEAL;
    bool blocked = v.phase == COUP_PHASE_CHALLENGE_BLOCK;
    expect_cards(&v);
    for (int i = 0; i < COUP_PHASE_DONE; i++)
        kit_expect(&k, v.phase == i, "phase.%s", phases[i]);
    for (int i = 1; i <= COUP_TURN_ACTIONS; i++)
        kit_expect(&k, action == i, "action.%s", actions[i]);
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        kit_expect(&k, claims[action] == role, "claim.%s", roles[role]);
    for (int i = 0; i < 4; i++)
        kit_expect(&k, blocked && v.log.block_role == blocks[i], "block.%s", roles[blocks[i]]);
    for (int i = 0; i < SEATS; i++) {
        kit_expect(&k, v.log.actor == i, "actor.%d", i);
        kit_expect(&k, targeted && v.log.target == i, "target.%d", i);
        kit_expect(&k, blocked && v.log.blocker == i, "blocker.%d", i);
        kit_expect(&k, viewer == i, "own.seat.%d", i);
    }
}

static void expect(int viewer)
{
    struct known n = {0};
    for (int i = 0; i < k.told; i++)
        read_event(&n, &k.at[i]);
    expect_now(viewer);
    for (int seat = 0; seat < SEATS; seat++)
        expect_seat(&n, seat);
    expect_turn();
}

static void check(void)
{
    kit_check(&k, expect);
}

static void begin(int windows, int ask_single, int seats, uint32_t seed)
{
    struct coup_rules *r = (struct coup_rules *)&k.rules;
    coup_game.defaults(r);
    r->windows = (uint8_t)windows;
    r->ask_single = (uint8_t)ask_single;
    kit_begin(&k, &coup_game, seats, seed);
}

// Random matches: every way a window can close, seats that leave in the midst of it included.
static void test_history(void **unused)
{
    (void)unused;
    int steps = 0;
    for (uint32_t seed = 0; seed < 360; seed++) {
        begin(seed % 2, seed / 2 % 2, 2 + (int)(seed / 4) % 5, seed);
        check();
        for (int i = 0; i < 150 && !kit_is_over(&k); i++, steps++) {
            kit_play_any(&k);
            check();
        }
    }
    assert_true(steps > 4000);
}

static void play(int seat, int kind, int argument)
{
    kit_play_seat(&k, seat, (struct game_action){.kind = (uint8_t)kind, .arg = {(uint8_t)argument}});
}

static float value(int viewer, const char *name)
{
    return kit_value(&k, viewer, name);
}

// V1, V83: answers in a deterministic window show when it closes, in the order of asking, and not before: neither in a
// row of another seat nor in a token.
static void test_window_stays_closed(void **unused)
{
    (void)unused;
    struct coup_rules *r = (struct coup_rules *)&k.rules;
    coup_game.defaults(r);
    r->windows = COUP_WINDOWS_DETERMINISTIC;
    static const uint8_t hands[4][2] = {{COUP_DUKE, COUP_CAPTAIN},
                                        {COUP_DUKE, COUP_CAPTAIN},
                                        {COUP_CONTESSA, COUP_CONTESSA},
                                        {COUP_ASSASSIN, COUP_DUKE}};
    memcpy(r->hands, hands, sizeof hands);
    kit_begin(&k, &coup_game, 4, 1);
    assert_string_equal(kit_tokens(&k), "");
    play(0, COUP_EXCHANGE, 0); // a bluff
    assert_string_equal(kit_tokens(&k), "1:1(7,0)");
    float open[GAME_MAX_VECTOR], later[GAME_MAX_VECTOR];
    game_observe(&coup_game, &k.state, &k.history, 3, 2, GAME_F32, open);
    play(2, COUP_CHALLENGE, 0);
    assert_int_equal(k.tokens.count, 0);
    play(1, COUP_PASS, 0);
    assert_int_equal(k.tokens.count, 0);
    game_observe(&coup_game, &k.state, &k.history, 3, 2, GAME_F32, later);
    assert_memory_equal(open, later, game_row_size(&coup_game, 2) * sizeof *open);
    play(3, COUP_CHALLENGE, 0); // the first clockwise counts: seat 2
    assert_string_equal(kit_tokens(&k), "5:2(0,0) 2:3(4,1) 3:1(2,0)");
    assert_true(value(3, "seat.2.challenges") == 0.25f && value(3, "seat.2.right") == 0.25f);
    assert_true(value(3, "seat.3.challenges") == 0 && value(3, "seat.0.caught") == 0.5f);
    assert_true(value(3, "seat.0.claimed.ambassador") == 1 && value(3, "challenger.2") == 1);
    play(0, COUP_LOSE_CARD, 1);
    assert_string_equal(kit_tokens(&k), "6:1(3,1)");
    assert_int_equal(table()->log.actor, 1);
}

// One turn of each kind, token by token.
static void test_tokens(void **unused)
{
    (void)unused;
    struct coup_rules *r = (struct coup_rules *)&k.rules;
    coup_game.defaults(r);
    static const uint8_t hands[2][2] = {{COUP_DUKE, COUP_CAPTAIN}, {COUP_CAPTAIN, COUP_CONTESSA}};
    memcpy(r->hands, hands, sizeof hands);
    memcpy(r->coins, (uint8_t[]){3, 7}, 2);
    kit_begin(&k, &coup_game, 2, 1);
    play(0, COUP_STEAL, 1);
    assert_string_equal(kit_tokens(&k), "1:1(6,2)");
    play(1, COUP_PASS, 0);
    assert_string_equal(kit_tokens(&k), "5:2(0,0)");
    play(1, COUP_BLOCK, COUP_CAPTAIN);
    assert_string_equal(kit_tokens(&k), "4:2(3,6)");
    play(0, COUP_CHALLENGE, 0); // he has it
    assert_string_equal(kit_tokens(&k), "2:1(3,2) 3:2(1,3)");
    assert_true(value(0, "seat.1.proofs.captain") == 0.5f && value(0, "seat.1.claimed.captain") == 0);
    assert_true(value(0, "seat.1.claims.captain") == 0.2f);
    play(0, COUP_LOSE_CARD, 1);
    assert_string_equal(kit_tokens(&k), "6:1(3,1)");
    play(1, COUP_INCOME, 0);
    assert_string_equal(kit_tokens(&k), "1:2(1,0) 9:2(1,0)");
    play(0, COUP_TAX, 0);
    play(1, COUP_PASS, 0);
    assert_string_equal(kit_tokens(&k), "5:2(0,0) 9:1(3,0)");
    play(1, COUP_STEAL, 0);
    play(0, COUP_PASS, 0);
    play(0, COUP_PASS, 0);
    assert_string_equal(kit_tokens(&k), "5:1(0,0) 9:2(2,1)");
    play(0, COUP_EXCHANGE, 0);
    play(1, COUP_PASS, 0);
    kit_play_seat(&k, 0, (struct game_action){.kind = COUP_RETURN_CARDS, .arg = {1, 2}});
    assert_string_equal(kit_tokens(&k), "7:1(0,0)");
    assert_true(value(1, "seat.0.claimed.ambassador") == 0 && value(1, "seat.0.claims.ambassador") == 0.2f);
    int16_t seen[4];
    play(1, COUP_COUP, 0);
    assert_string_equal(kit_tokens(&k), "1:2(3,1) 6:1(1,0) 8:1(0,0)");
    game_write_token(&coup_game, &k.tokens.at[0], 2, 1, seen);
    assert_memory_equal(seen, ((int16_t[]){1, 1, 3, 2}), sizeof seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_window_stays_closed),
        cmocka_unit_test(test_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
