// The rules of Coup by number. A case is a table, a script of answers, what happens, and what is asked then.
#include "coup_script.h"

struct happening {
    const char *rule;
    struct setup setup;
    const char *script, *events, *question, *coins;
};

static void assert_happens(const struct happening *c)
{
    static struct game_events out;
    struct coup_state s;
    char happened[2048] = "", question[64], coins[32];
    out.count = 0;
    start(&s, &c->setup);
    play(&s, c->script, &out);
    for (uint32_t i = 0; i < out.count; i++)
        put_event(happened, &out.at[i]);
    put_question(question, &s);
    put_coins(coins, &s);
    if (strcmp(happened, c->events) != 0 || strcmp(question, c->question) != 0 || strcmp(coins, c->coins) != 0)
        fail_msg("%s\n  script   %s\n  events   %s\n  expected %s\n  asks %s (%s), coins %s (%s)", c->rule, c->script,
                 happened, c->events, question, c->question, coins, c->coins);
}

#define THREE                                                                                                          \
    {                                                                                                                  \
        "AD CD MO", "3 2 2", 0, 0, 0                                                                                   \
    }
#define EACH_PASS "1 challenge_pass; 2 challenge_pass"

// F6.C3 to F6.C10, row by row.
static const struct happening happenings[] = {
    {"C4 income", THREE, "0 income", "0 action income", "action 1", "4 2 2"},
    {"C4 foreign_aid", THREE, "0 foreign_aid", "0 action foreign_aid", "block 1 2", "3 2 2"},
    {"C6 foreign_aid", THREE, "0 foreign_aid; 2 pass; 1 pass",
     "0 action foreign_aid; 2 block_pass; 1 block_pass; 0 action_resolved foreign_aid =5", "action 1", "5 2 2"},
    {"C4 block_accepted", THREE, "0 foreign_aid; 2 block D; 0 pass; 1 pass",
     "0 action foreign_aid; 2 block foreign_aid D; 0 block_challenge_pass; 1 block_challenge_pass; 2 block_accepted",
     "action 1", "3 2 2"},
    {"C4 challenge_block asks all but the blocker", THREE, "0 foreign_aid; 1 pass; 2 block D",
     "0 action foreign_aid; 1 block_pass; 2 block foreign_aid D", "challenge_block 0 1", "3 2 2"},
    {"C4 false block of foreign_aid", THREE, "0 foreign_aid; 2 block D; 1 challenge; 2 lose_card 1",
     "0 action foreign_aid; 2 block foreign_aid D; 1 challenge_block vs 2 D; 2 challenge_block_result vs 1 success; "
     "2 influence_lost O @1; 0 action_resolved foreign_aid =5",
     "action 1", "5 2 2"},
    {"C4 true block", THREE, "0 foreign_aid; 1 block D; 2 challenge; 2 lose_card 0",
     "0 action foreign_aid; 1 block foreign_aid D; 2 challenge_block vs 1 D; 1 challenge_block_result vs 2 fail D; "
     "2 influence_lost M @0",
     "action 1", "3 2 2"},
    {"C4 coup", {"AD CD MO", "7 2 2", 0, 0, 0}, "0 coup 2", "0 action coup 2", "lose_influence 2", "0 2 2"},
    {"C4 coup, lost",
     {"AD CD MO", "7 2 2", 0, 0, 0},
     "0 coup 2; 2 lose_card 1",
     "0 action coup 2; 2 influence_lost O @1",
     "action 1",
     "0 2 2"},
    {"C4 tax", THREE, "0 tax", "0 action tax D", "challenge_action 1 2", "3 2 2"},
    {"C6 tax", THREE, "0 tax; 1 pass; 2 pass", "0 action tax D; " EACH_PASS "; 0 action_resolved tax =6", "action 1",
     "6 2 2"},
    {"C4 true claim, then AFTER", THREE, "0 tax; 1 challenge; 1 lose_card 1",
     "0 action tax D; 1 challenge vs 0 D; 0 challenge_result vs 1 fail D; 1 influence_lost D @1; "
     "0 action_resolved tax =6",
     "action 1", "6 2 2"},
    {"C4 a lie ends the turn",
     {"AC CD MO", "3 2 2", 0, 0, 0},
     "0 tax; 2 challenge; 0 lose_card 0",
     "0 action tax D; 2 challenge vs 0 D; 0 challenge_result vs 2 success; 0 influence_lost A @0",
     "action 1",
     "3 2 2"},
    {"C4 steal, nobody blocks",
     {"CD AD MO", "3 2 2", 0, 0, 0},
     "0 steal 1; 1 pass; 2 pass; 1 pass",
     "0 action steal 1 C; " EACH_PASS "; 1 block_pass; 0 action_resolved steal 1 +2 =5",
     "action 1",
     "5 0 2"},
    {"C6 steal takes what there is",
     {"CD AD MO", "3 1 2", 0, 0, 0},
     "0 steal 1; 1 pass; 2 pass; 1 pass",
     "0 action steal 1 C; " EACH_PASS "; 1 block_pass; 0 action_resolved steal 1 +1 =4",
     "action 1",
     "4 0 2"},
    {"C10 steal from 0 coins",
     {"CD AD MO", "3 0 2", 0, 0, 0},
     "0 steal 1; 1 pass; 2 pass; 1 pass",
     "0 action steal 1 C; " EACH_PASS "; 1 block_pass; 0 action_resolved steal 1 +0 =3",
     "action 1",
     "3 0 2"},
    {"C4 only the target blocks a theft",
     {"CD AD MO", "3 2 2", 0, 0, 0},
     "0 steal 2; 1 pass; 2 pass",
     "0 action steal 2 C; " EACH_PASS,
     "block 2",
     "3 2 2"},
    {"C4 block by Ambassador",
     {"CD AD MO", "3 2 2", 0, 0, 0},
     "0 steal 2; 1 pass; 2 pass; 2 block M; 0 challenge; "
     "0 lose_card 1",
     "0 action steal 2 C; " EACH_PASS "; 2 block steal M; 0 challenge_block vs 2 M; 2 challenge_block_result vs 0 fail "
     "M; 0 influence_lost D @1",
     "action 1",
     "3 2 2"},
    {"C4 false block of a theft",
     {"CD AD MO", "3 2 2", 0, 0, 0},
     "0 steal 1; 1 pass; 2 pass; 1 block C; 2 challenge; "
     "1 lose_card 0",
     "0 action steal 1 C; " EACH_PASS "; 1 block steal C; 2 challenge_block vs 1 C; 1 challenge_block_result vs 2 "
     "success; 1 influence_lost A @0; 0 action_resolved steal 1 +2 =5",
     "action 1",
     "5 0 2"},
    {"C4 assassinate pays at once", THREE, "0 assassinate 1", "0 action assassinate 1 A", "challenge_action 1 2",
     "0 2 2"},
    {"C4 assassinate never refunds",
     {"DD CD MO", "3 2 2", 0, 0, 0},
     "0 assassinate 1; 1 challenge; 0 lose_card 0",
     "0 action assassinate 1 A; 1 challenge vs 0 A; 0 challenge_result vs 1 success; 0 influence_lost D @0",
     "action 1",
     "0 2 2"},
    {"C6 assassinate", THREE, "0 assassinate 1; 1 pass; 2 pass; 1 pass; 1 lose_card 0",
     "0 action assassinate 1 A; " EACH_PASS "; 1 block_pass; 0 action_resolved assassinate 1; 1 influence_lost C @0",
     "action 1", "0 2 2"},
    {"C4 Contessa blocks", THREE, "0 assassinate 2; 1 pass; 2 pass; 2 block O; 0 pass; 1 pass",
     "0 action assassinate 2 A; " EACH_PASS "; 2 block assassinate O; 0 block_challenge_pass; 1 block_challenge_pass; "
     "2 block_accepted",
     "action 1", "0 2 2"},
    {"C6 a false Contessa with two cards dies of both",
     {"AD CD MO", "3 2 2", 0, 0, 0},
     "0 assassinate 1; 1 pass; 2 pass; 1 block O; 0 challenge; 1 lose_card 0",
     "0 action assassinate 1 A; " EACH_PASS "; 1 block assassinate O; 0 challenge_block vs 1 O; "
     "1 challenge_block_result vs 0 success; 1 influence_lost C @0; 0 action_resolved assassinate 1; "
     "1 influence_lost D @1; 1 player_eliminated",
     "action 2",
     "0 2 2"},
    {"C4 exchange",
     {"MDCADOADCAMOCOM", "2 2 2", 0, 0, 0},
     "0 exchange; 1 pass; 2 pass",
     "0 action exchange M; " EACH_PASS "; 0 exchange_draw exchange",
     "exchange_return 0",
     "2 2 2"},
    {"C4 exchange returned",
     {"MDCADOADCAMOCOM", "2 2 2", 0, 0, 0},
     "0 exchange; 1 pass; 2 pass; 0 return_cards 03",
     "0 action exchange M; " EACH_PASS "; 0 exchange_draw exchange; 0 exchange_complete",
     "action 1",
     "2 2 2"},
    {"C8 a single card is not asked",
     {"AD CD MO", "7 7 2", 0, 0, 0},
     "0 coup 2; 2 lose_card 0; 1 coup 2",
     "0 action coup 2; 2 influence_lost M @0; 1 action coup 2; 2 influence_lost O @1; 2 player_eliminated",
     "action 0",
     "0 0 2"},
    {"C8 strict: it is",
     {"AD CD MO", "7 7 2", 0, 1, 0},
     "0 coup 2; 2 lose_card 0; 1 coup 2",
     "0 action coup 2; 2 influence_lost M @0; 1 action coup 2",
     "lose_influence 2",
     "0 0 2"},
    {"C5 target gone after the challenge: no block, no effect",
     {"CD AD MO", "7 2 2", 0, 0, 0},
     "0 coup 1; 1 lose_card 0; 1 income; 2 income; 0 steal 1; 1 challenge",
     "0 action coup 1; 1 influence_lost A @0; 1 action income; 2 action income; 0 action steal 1 C; 1 challenge vs 0 "
     "C; "
     "0 challenge_result vs 1 fail C; 1 influence_lost D @1; 1 player_eliminated",
     "action 2",
     "0 3 3"},
    {"C10 the next player in play", {"AD CD MO", "2 2 2", 0, 0, 2}, "2 income", "2 action income", "action 0", "2 2 3"},
    {"C14 the last one wins",
     {"AD CD", "7 7", 0, 0, 0},
     "0 coup 1; 1 lose_card 0; 1 income; 0 income; 1 coup 0; "
     "0 lose_card 0; 0 tax; 1 challenge",
     "0 action coup 1; 1 influence_lost C @0; 1 action income; 0 action income; 1 action coup 0; 0 influence_lost A "
     "@0; "
     "0 action tax D; 1 challenge vs 0 D; 0 challenge_result vs 1 fail D; 1 influence_lost D @1; 1 player_eliminated; "
     "0 game_over",
     "done",
     "1 1"},
    // F4.15: passes in asking order, then the first challenge clockwise from the claimant; the others lapse.
    {"F4.15 unseen until all have answered",
     {"DD CD MO AC", "2 2 2 2", 1, 0, 1},
     "1 tax; 0 challenge; 3 challenge",
     "1 action tax D",
     "challenge_action 2",
     "2 2 2 2"},
    {"F4.15 asking order decides",
     {"DD CC MO AC", "2 2 2 2", 1, 0, 1},
     "1 tax; 0 challenge; 3 challenge; 2 pass",
     "1 action tax D; 2 challenge_pass; 3 challenge vs 1 D; 1 challenge_result vs 3 success",
     "lose_influence 1",
     "2 2 2 2"},
    {"F4.15 passes in asking order",
     {"DD CD MO AC", "2 2 2 2", 1, 0, 1},
     "1 tax; 0 pass; 3 pass; 2 pass",
     "1 action tax D; 2 challenge_pass; 3 challenge_pass; 0 challenge_pass; 1 action_resolved tax =5",
     "action 2",
     "2 5 2 2"},
    {"F4.15 passes after the blocker come before the block",
     {"DD CD MO AC", "2 2 2 2", 1, 0, 0},
     "0 foreign_aid; 3 pass; 2 block D; 1 block D",
     "0 action foreign_aid; 3 block_pass; 1 block foreign_aid D",
     "challenge_block 0 2 3",
     "2 2 2 2"},
    {"F4.15 challenge_block asks from the blocker",
     {"DD CD MO AC", "2 2 2 2", 1, 0, 0},
     "0 foreign_aid; 3 pass; 2 block D; 1 pass; 1 challenge; 0 challenge; 3 challenge",
     "0 action foreign_aid; 1 block_pass; 3 block_pass; 2 block foreign_aid D; 3 challenge_block vs 2 D; "
     "2 challenge_block_result vs 3 success",
     "lose_influence 2",
     "2 2 2 2"},
};

static void test_phase_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof happenings / sizeof *happenings; i++)
        assert_happens(&happenings[i]);
}

// F6.C17, event by event, and what is asked after each answer.
static void test_worked_example(void **state)
{
    (void)state;
    static const struct setup setup = {"AD CD --", "3 2 2", 0, 0, 0};
    static const struct {
        const char *step, *events, *question;
    } rows[] = {
        {"0 assassinate 1", "0 action assassinate 1 A", "challenge_action 1 2"},
        {"2 pass", "2 challenge_pass", "challenge_action 1"},
        {"1 challenge", "1 challenge vs 0 A; 0 challenge_result vs 1 fail A", "lose_influence 1"},
        {"1 lose_card 0", "1 influence_lost C @0", "block 1"},
        {"1 block O", "1 block assassinate O", "challenge_block 0 2"},
        {"0 challenge",
         "0 challenge_block vs 1 O; 1 challenge_block_result vs 0 success; 1 influence_lost D @1; 1 player_eliminated",
         "action 2"},
    };
    static struct game_events out;
    struct coup_state s;
    start(&s, &setup);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char happened[512] = "", question[64];
        uint32_t number = g->turn(&s).number;
        out.count = 0;
        play(&s, rows[i].step, &out);
        for (uint32_t k = 0; k < out.count; k++)
            put_event(happened, &out.at[k]);
        put_question(question, &s);
        assert_string_equal(happened, rows[i].events);
        assert_string_equal(question, rows[i].question);
        // F4.13: a pass inside a window leaves the number, whatever else raises it.
        assert_int_equal(g->turn(&s).number, number + (i == 1 ? 0 : 1));
    }
    assert_int_equal(s.seat[0].coins, 0);
    assert_int_equal(s.seat[0].up, 0);
    assert_int_equal(s.log.action, 0); // turn_log cleared
}

// F6.C16 for each phase and each part a seat may have in it.
static const struct happening drops[] = {
    {"A in action", THREE, "drop 0", "0 player_disconnected; 0 player_eliminated", "action 1", "3 2 2"},
    {"responder in challenge_action", THREE, "0 tax; drop 1",
     "0 action tax D; 1 player_disconnected; 1 player_eliminated", "challenge_action 2", "3 2 2"},
    {"last responder counts as passed", THREE, "0 tax; 2 pass; drop 1",
     "0 action tax D; 2 challenge_pass; 1 player_disconnected; 1 player_eliminated; 0 action_resolved tax =6",
     "action 2", "6 2 2"},
    {"target as responder: no block, no effect", THREE, "0 assassinate 1; drop 1; 2 pass",
     "0 action assassinate 1 A; 1 player_disconnected; 1 player_eliminated; 2 challenge_pass", "action 2", "0 2 2"},
    {"responder in block of foreign_aid", THREE, "0 foreign_aid; 1 pass; drop 2",
     "0 action foreign_aid; 1 block_pass; 2 player_disconnected; 2 player_eliminated; "
     "0 action_resolved foreign_aid =5",
     "action 1", "5 2 2"},
    {"T in block", THREE, "0 assassinate 1; 1 pass; 2 pass; drop 1",
     "0 action assassinate 1 A; " EACH_PASS "; 1 player_disconnected; 1 player_eliminated", "action 2", "0 2 2"},
    {"T in block of a theft", THREE, "0 steal 2; 1 pass; 2 pass; drop 2",
     "0 action steal 2 C; " EACH_PASS "; 2 player_disconnected; 2 player_eliminated", "action 1", "3 2 2"},
    {"responder in challenge_block", THREE, "0 foreign_aid; 1 block D; 0 pass; drop 2",
     "0 action foreign_aid; 1 block foreign_aid D; 0 block_challenge_pass; 2 player_disconnected; 2 player_eliminated; "
     "1 block_accepted",
     "action 1", "3 2 2"},
    {"A in challenge_block: the action is void", THREE, "0 foreign_aid; 1 block D; drop 0",
     "0 action foreign_aid; 1 block foreign_aid D; 0 player_disconnected; 0 player_eliminated", "action 1", "3 2 2"},
    {"L after a wrong challenge: continuation", THREE, "0 tax; 1 challenge; drop 1",
     "0 action tax D; 1 challenge vs 0 D; 0 challenge_result vs 1 fail D; 1 player_disconnected; 1 player_eliminated; "
     "0 action_resolved tax =6",
     "action 2", "6 2 2"},
    {"L is the coup's target",
     {"AD CD MO", "7 2 2", 0, 0, 0},
     "0 coup 1; drop 1",
     "0 action coup 1; 1 player_disconnected; 1 player_eliminated",
     "action 2",
     "0 2 2"},
    {"L is a caught blocker: the action is carried out", THREE, "0 foreign_aid; 2 block D; 0 challenge; drop 2",
     "0 action foreign_aid; 2 block foreign_aid D; 0 challenge_block vs 2 D; 2 challenge_block_result vs 0 success; "
     "2 player_disconnected; 2 player_eliminated; 0 action_resolved foreign_aid =5",
     "action 1", "5 2 2"},
    {"L is the caught target: no effect", THREE, "0 assassinate 1; 1 pass; 2 pass; 1 block O; 2 challenge; drop 1",
     "0 action assassinate 1 A; " EACH_PASS "; 1 block assassinate O; 2 challenge_block vs 1 O; "
     "1 challenge_block_result vs 2 success; 1 player_disconnected; 1 player_eliminated",
     "action 2", "0 2 2"},
    {"L is A, caught",
     {"AC CD MO", "3 2 2", 0, 0, 0},
     "0 tax; 1 challenge; drop 0",
     "0 action tax D; 1 challenge vs 0 D; 0 challenge_result vs 1 success; 0 player_disconnected; 0 player_eliminated",
     "action 1",
     "3 2 2"},
    {"A in exchange_return",
     {"MDCADOADCAMOCOM", "2 2 2", 0, 0, 0},
     "0 exchange; 1 pass; 2 pass; drop 0",
     "0 action exchange M; " EACH_PASS "; 0 exchange_draw exchange; 0 player_disconnected; 0 player_eliminated",
     "action 1",
     "2 2 2"},
    {"two in play",
     {"AD CD", "2 2", 0, 0, 0},
     "drop 0",
     "0 player_disconnected; 0 player_eliminated; 1 game_over",
     "done",
     "2 2"},
    {"two in play, in a window",
     {"AD CD", "2 2", 0, 0, 0},
     "0 tax; drop 1",
     "0 action tax D; 1 player_disconnected; 1 player_eliminated; 0 game_over",
     "done",
     "2 2"},
    {"two in play, in exchange_return",
     {"MCDADOADCAMOCOM", "2 2", 0, 0, 0},
     "0 exchange; 1 pass; drop 0",
     "0 action exchange M; 1 challenge_pass; 0 exchange_draw exchange; 0 player_disconnected; 0 player_eliminated; "
     "1 game_over",
     "done",
     "2 2"},
    {"deterministic: the last to be awaited leaves",
     {"DD CD MO", "2 2 2", 1, 0, 0},
     "0 tax; 1 pass; drop 2",
     "0 action tax D; 2 player_disconnected; 2 player_eliminated; 1 challenge_pass; 0 action_resolved tax =5",
     "action 1",
     "5 2 2"},
    {"deterministic: answers lapse when the actor leaves",
     {"DD CD MO", "2 2 2", 1, 0, 0},
     "0 foreign_aid; 1 block D; 2 pass; 2 challenge; drop 0",
     "0 action foreign_aid; 2 block_pass; 1 block foreign_aid D; 0 player_disconnected; 0 player_eliminated",
     "action 1",
     "2 2 2"},
};

static void test_drops(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++)
        assert_happens(&drops[i]);
    struct coup_state s;
    start(&s, &(struct setup)THREE);
    play(&s, "0 tax; drop 1", NULL);
    assert_int_equal(s.seat[1].up, 3); // all slots revealed
    assert_int_equal(s.dropped, 1 << 1);
}

// legal_actions in order (F6.C4), and their flat numbers (G27.1).
static const struct {
    const char *rule;
    struct setup setup;
    const char *script;
    int seat;
    const char *list, *flat;
} lists[] = {
    {"2 coins",
     {"AD CD MO", "2 2 2", 0, 0, 0},
     "",
     0,
     "income foreign_aid tax steal1 steal2 exchange",
     "1 2 3 4 18 19"},
    {"3 coins",
     {"AD CD MO", "3 2 2", 0, 0, 1},
     "1 income; 2 income",
     0,
     "income foreign_aid tax assassinate1 assassinate2 steal1 steal2 exchange",
     "1 2 3 4 12 13 18 19"},
    {"7 coins",
     {"AD CD MO", "2 2 7", 0, 0, 2},
     "",
     2,
     "income foreign_aid coup0 coup1 tax assassinate0 assassinate1 steal0 steal1 exchange",
     "1 2 3 4 5 6 11 12 17 18"},
    {"9 coins",
     {"AD CD", "2 9", 0, 0, 1},
     "",
     1,
     "income foreign_aid coup0 tax assassinate0 steal0 exchange",
     "1 2 3 4 5 11 17"},
    {"10 coins: only a coup", {"AD CD MO", "9 2 2", 0, 0, 0}, "0 income; 1 income; 2 income", 0, "coup1 coup2", "6 7"},
    {"targets are in play", {"AD CD MO", "9 2 2", 0, 0, 0}, "0 income; drop 1; 2 income", 0, "coup2", "7"},
    {"challenge_action", THREE, "0 tax", 2, "challenge0 pass0", "23 24"},
    {"the actor has no say", THREE, "0 tax", 0, "", ""},
    {"who has passed has none either", THREE, "0 tax; 1 pass", 1, "", ""},
    {"block foreign_aid", THREE, "0 foreign_aid", 1, "blockD pass0", "24 25"},
    {"block assassinate", THREE, "0 assassinate 1; 1 pass; 2 pass", 1, "blockO pass0", "24 26"},
    {"block steal", THREE, "0 steal 1; 1 pass; 2 pass", 1, "blockC blockM pass0", "24 27 28"},
    {"only the target", THREE, "0 steal 1; 1 pass; 2 pass", 2, "", ""},
    {"challenge_block", THREE, "0 foreign_aid; 1 block D", 0, "challenge0 pass0", "23 24"},
    {"lose_influence", THREE, "0 tax; 1 challenge", 1, "lose_card0 lose_card1", "29 30"},
    {"a single card, asked",
     {"AD CD MO", "7 7 2", 0, 1, 0},
     "0 coup 2; 2 lose_card 0; 1 coup 2",
     2,
     "lose_card1",
     "30"},
    {"return two of four",
     {"MDCADOADCAMOCOM", "2 2 2", 0, 0, 0},
     "0 exchange; 1 pass; 2 pass",
     0,
     "return_cards01 return_cards02 return_cards03 return_cards12 return_cards13 return_cards23",
     "31 32 33 34 35 36"},
    {"return two of three",
     {"MDCADOADCAMOCOM", "2 7 2", 0, 0, 1},
     "1 coup 0; 0 lose_card 1; 2 income; 0 exchange; 1 pass; 2 pass",
     0,
     "return_cards01 return_cards02 return_cards12",
     "31 32 34"},
};

static void put_choice(char *text, struct game_action a)
{
    char *at = text + strlen(text);
    at += sprintf(at, "%s%s", *text ? " " : "", kinds[a.kind]);
    if (a.kind == COUP_BLOCK)
        sprintf(at, "%c", letters[a.arg[0]]);
    else if (a.kind == COUP_RETURN_CARDS)
        sprintf(at, "%d%d", a.arg[0], a.arg[1]);
    else if (a.kind >= COUP_CHALLENGE || coup_acts[a.kind].targeted)
        sprintf(at, "%d", a.arg[0]);
}

static void test_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct coup_state s;
        char list[512] = "", flat[128] = "";
        struct game_choice choices[GAME_MAX_CHOICES];
        start(&s, &lists[i].setup);
        play(&s, lists[i].script, NULL);
        int count = g->choices(&s, lists[i].seat, choices);
        for (int k = 0; k < count; k++)
            put_choice(list, choices[k].first);
        struct game_action a;
        for (int index = 0; index < COUP_FLAT; index++)
            if (g->flat(&s, lists[i].seat, index, &a))
                sprintf(flat + strlen(flat), "%s%d", *flat ? " " : "", index);
        if (strcmp(list, lists[i].list) != 0 || strcmp(flat, lists[i].flat) != 0)
            fail_msg("%s\n  %s\n  %s\n  %s\n  %s", lists[i].rule, list, lists[i].list, flat, lists[i].flat);
    }
}

// F6.C15
static void test_fallback(void **state)
{
    (void)state;
    static const struct {
        struct setup setup;
        const char *script;
        int seat;
        const char *played;
    } rows[] = {
        {THREE, "", 0, "income"},
        {{"AD CD MO", "9 2 2", 0, 0, 0}, "0 income; 1 income; 2 income", 0, "coup1"},
        {THREE, "0 tax", 1, "pass0"},
        {THREE, "0 foreign_aid", 2, "pass0"},
        {THREE, "0 foreign_aid; 1 block D", 0, "pass0"},
        {THREE, "0 tax; 1 challenge", 1, "lose_card0"},
        {{"MDCADOADCAMOCOM", "2 2 2", 0, 0, 0}, "0 exchange; 1 pass; 2 pass", 0, "return_cards01"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct coup_state s;
        char played[32] = "";
        start(&s, &rows[i].setup);
        play(&s, rows[i].script, NULL);
        put_choice(played, g->fallback(&s, rows[i].seat));
        assert_string_equal(played, rows[i].played);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_phase_table), cmocka_unit_test(test_drops),
        cmocka_unit_test(test_lists),          cmocka_unit_test(test_fallback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
