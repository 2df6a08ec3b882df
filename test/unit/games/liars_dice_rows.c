// Vector 2 and tokens of Liar's Dice against the events of the match (part 5 of docs/spec/train.md).
#include "rows_kit.h"

#include "games/liars_dice/rules/liars_dice.h"

enum { SEATS = LIARS_DICE_SEATS };

static struct kit k;

static const char *const habits[] = {"right", "wrong", "caught", "had_it"};

static float capped(int count, int cap)
{
    return (float)(count < cap ? count : cap) / (float)cap;
}

static void expect_bid(const char *who, int rank)
{
    kit_expect(&k, liars_dice_quantity(rank) / 30.0, "%s.bid.quantity", who);
    for (int face = 1; face <= 6; face++)
        kit_expect(&k, rank && liars_dice_face(rank) == face, "%s.bid.face.%d", who, face);
}

// The bids since the last round began.
static void expect_round(void)
{
    int first = 0, last[SEATS] = {0}, opener = -1, bids = 0;
    bool bid[181] = {0};
    for (int i = 0; i < k.told; i++)
        if (k.at[i].kind == LIARS_DICE_ROUND_START || k.at[i].kind == LIARS_DICE_GAME_OVER)
            first = i;
    for (int i = first; i < k.told; i++) {
        if (k.at[i].kind != LIARS_DICE_BADE)
            continue;
        opener = opener < 0 ? k.at[i].seat : opener;
        last[k.at[i].seat] = k.at[i].amount;
        bid[k.at[i].amount] = true;
        bids++;
    }
    for (int rank = 1; rank <= 180; rank++)
        kit_expect(&k, bid[rank], "round.bid.%dx%d", liars_dice_quantity(rank), liars_dice_face(rank));
    kit_expect(&k, bids / 10.0, "round.bids");
    for (int seat = 0; seat < SEATS; seat++) {
        char who[16];
        snprintf(who, sizeof who, "seat.%d", seat);
        kit_expect(&k, opener == seat, "round.opener.%d", seat);
        expect_bid(who, last[seat]);
    }
}

static void expect_challenges(void)
{
    struct liars_dice_challenge c = {0};
    int habit[SEATS][4] = {0};
    for (int i = 0; i < k.told; i++) {
        if (k.at[i].kind != LIARS_DICE_CHALLENGED)
            continue;
        memcpy(&c, k.at[i].data, sizeof c);
        bool lie = c.count < liars_dice_quantity(c.bid);
        habit[c.challenger][lie ? 0 : 1]++;
        habit[c.bidder][lie ? 2 : 3]++;
    }
    expect_bid("shown", c.bid);
    kit_expect(&k, c.count / 30.0, "shown.count");
    for (int seat = 0; seat < SEATS; seat++) {
        kit_expect(&k, c.bid && c.challenger == seat, "shown.challenger.%d", seat);
        kit_expect(&k, c.bid && c.bidder == seat, "shown.bidder.%d", seat);
        kit_expect(&k, c.bid && c.loser == seat, "shown.loser.%d", seat);
        for (int i = 0; i < 4; i++)
            kit_expect(&k, capped(habit[seat][i], 8), "seat.%d.habit.%s", seat, habits[i]);
        for (int face = 1; face <= 6; face++) {
            int count = 0;
            for (int i = 0; i < LIARS_DICE_DICE; i++)
                count += c.dice[seat][i] == face;
            kit_expect(&k, count / 5.0, "shown.%d.face.%d", seat, face);
        }
    }
}

// G26.3
static void expect_now(int viewer)
{
    struct liars_dice_view v;
    liars_dice_game.view(&k.state, viewer, &v);
    kit_expect(&k, liars_dice_quantity(v.bid) / 30.0, "bid.quantity");
    kit_expect(&k, v.total / 30.0, "dice");
    for (int face = 1; face <= 6; face++) {
        int own = 0;
        for (int i = 0; i < LIARS_DICE_DICE; i++)
            own += v.dice[i] == face;
        kit_expect(&k, own / 5.0, "own.face.%d", face);
        kit_expect(&k, v.bid && liars_dice_face(v.bid) == face, "bid.face.%d", face);
    }
    for (int seat = 0; seat < SEATS; seat++) {
        kit_expect(&k, v.dice_counts[seat] / 5.0, "seat.%d.dice", seat);
        kit_expect(&k, v.bid && v.bidder == seat, "bid.seat.%d", seat);
        kit_expect(&k, viewer == seat, "own.seat.%d", seat);
    }
}

static void expect(int viewer)
{
    expect_now(viewer);
    expect_round();
    expect_challenges();
}

static void check(void)
{
    kit_check(&k, expect);
}

static void test_history(void **unused)
{
    (void)unused;
    int steps = 0;
    for (uint32_t seed = 0; seed < 40; seed++) {
        int seats = 2 + (int)seed % 5;
        liars_dice_game.defaults(&k.rules);
        memset(((struct liars_dice_rules *)&k.rules)->dice_counts, 0, SEATS);
        memset(((struct liars_dice_rules *)&k.rules)->dice_counts, 1 + (int)seed % 5, (size_t)seats);
        kit_begin(&k, &liars_dice_game, seats, seed);
        for (check(); !kit_is_over(&k); check(), steps++)
            kit_play_any(&k);
    }
    assert_true(steps > 500);
}

// Whoever sits before seat 0 lies, and seat 0 calls it: habits reach their cap and stay there.
static void test_habits_are_capped(void **unused)
{
    (void)unused;
    int right = 0;
    liars_dice_game.defaults(&k.rules);
    kit_begin(&k, &liars_dice_game, 4, 3);
    for (; !kit_is_over(&k); check()) {
        const struct liars_dice_state *s = (const struct liars_dice_state *)&k.state;
        int highest = LIARS_DICE_FACES * s->total;
        bool last = game_next_seat(s->in_play, s->to_act) == 0;
        struct game_action a = {.kind = LIARS_DICE_BID, .amount = last ? highest : s->bid + 1};
        if (s->bid == highest)
            a = (struct game_action){.kind = LIARS_DICE_CHALLENGE}, right++;
        kit_play_seat(&k, s->to_act, a);
    }
    assert_true(right > 12);
}

static struct game_action bid(int quantity, int face)
{
    return (struct game_action){.kind = LIARS_DICE_BID, .amount = liars_dice_rank(quantity, face)};
}

// V80: what was said, and who is meant, for every reader.
static void test_tokens(void **unused)
{
    (void)unused;
    struct liars_dice_rules *r = (struct liars_dice_rules *)&k.rules;
    liars_dice_game.defaults(r);
    *r = (struct liars_dice_rules){
        .dice_counts = {3, 1, 2}, .dice = {{2, 5, 5}, {6}, {1, 5}}, .wild_ones = 1, .starter = 2};
    kit_begin(&k, &liars_dice_game, 3, 1);
    assert_string_equal(kit_tokens(&k), "1:0(1,6)");
    kit_play_seat(&k, 2, bid(2, 5));
    assert_string_equal(kit_tokens(&k), "2:3(2,5)");
    kit_play_seat(&k, 0, bid(4, 5));
    assert_string_equal(kit_tokens(&k), "2:1(4,5)");
    kit_play_seat(&k, 1,
                  (struct game_action){.kind = LIARS_DICE_CHALLENGE}); // four fives, the one counts: seat 1 loses
    assert_string_equal(kit_tokens(&k), "3:2(4,2) 4:1(2,5) 4:1(5,0) 4:2(6,0) 4:3(1,5) 5:2(0,0) 1:0(2,5)");
    int16_t seen[4];
    game_write_token(&liars_dice_game, &k.tokens.at[0], 3, 2, seen);
    assert_memory_equal(seen, ((int16_t[]){3, 3, 4, 3}), sizeof seen); // seat 1 comes two after seat 2
    game_write_token(&liars_dice_game, &k.tokens.at[0], 3, GAME_SPECTATOR, seen);
    assert_memory_equal(seen, ((int16_t[]){3, 2, 4, 2}), sizeof seen);
    kit_play_seat(&k, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {2}});
    assert_string_equal(kit_tokens(&k), "5:3(0,0)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_habits_are_capped),
        cmocka_unit_test(test_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
