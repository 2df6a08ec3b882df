// The rules of Coup by number. A case is a table, a script of answers, what happens, and what is asked then.
#include "games/coup/coup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static const struct game *const g = &coup_game;

// --- a small language ---
// Roles are D A C M O: Duke, Assassin, Captain, aMbassador, cOntessa. Cards of a case: the hands by seat ("AD CD MM",
// "--" is dealt), or all 15 in dealing order. A script: "0 steal 1; 1 pass; drop 2; stack DDDAAACCCMMMOOO".

static const char letters[] = "-DACMO";
static const char *const kinds[COUP_ACTIONS] = {
    "",         "income",    "foreign_aid", "coup",  "tax",       "assassinate", "steal",
    "exchange", "challenge", "pass",        "block", "lose_card", "return_cards"};
static const char *const phases[COUP_PHASES] = {"action",         "challenge_action", "block", "challenge_block",
                                                "lose_influence", "exchange_return",  "done"};
static const char *const events[COUP_EVENTS] = {"",
                                                "action",
                                                "challenge_pass",
                                                "block_pass",
                                                "block_challenge_pass",
                                                "challenge",
                                                "challenge_result",
                                                "block",
                                                "block_accepted",
                                                "challenge_block",
                                                "challenge_block_result",
                                                "influence_lost",
                                                "player_eliminated",
                                                "player_disconnected",
                                                "exchange_draw",
                                                "exchange_complete",
                                                "action_resolved",
                                                "game_over"};

struct setup {
    const char *cards, *coins; // "3 2 2": as many seats
    int windows, ask_single, starter;
};

static uint8_t role_of(char letter)
{
    const char *at = strchr(letters, letter);
    assert_non_null(at);
    return (uint8_t)(at - letters);
}

static struct rng stream_of(uint8_t n)
{
    uint8_t key[RNG_KEY_BYTES] = {n, 'r'};
    return rng_from_key(key);
}

static int rules_of(const struct setup *setup, struct coup_rules *r)
{
    int seats = 0;
    g->defaults(r);
    r->windows = (uint8_t)setup->windows;
    r->ask_single = (uint8_t)setup->ask_single;
    r->starter = (uint8_t)setup->starter;
    for (const char *c = setup->coins; *c; c++)
        if (*c != ' ')
            r->coins[seats++] = (uint8_t)(*c - '0');
    if (strlen(setup->cards) == COUP_CARDS)
        for (int i = 0; i < COUP_CARDS; i++)
            r->deck[i] = role_of(setup->cards[i]);
    else
        for (int i = 0; i < seats; i++) {
            r->hands[i][0] = role_of(setup->cards[3 * i]);
            r->hands[i][1] = role_of(setup->cards[3 * i + 1]);
        }
    return seats;
}

static void start(struct coup_state *s, const struct setup *setup)
{
    struct coup_rules r;
    int seats = rules_of(setup, &r);
    assert_int_equal(g->init(s, &r, seats, stream_of(1), NULL), OK);
}

static struct game_action action_of(const char *kind, const char *args)
{
    struct game_action a = {0};
    for (uint8_t k = 1; k < COUP_ACTIONS; k++)
        if (!strcmp(kind, kinds[k]))
            a.kind = k;
    assert_int_not_equal(a.kind, 0);
    if (a.kind == COUP_BLOCK)
        a.arg[0] = role_of(args[0]);
    else if (args[0])
        a.arg[0] = (uint8_t)(args[0] - '0');
    if (a.kind == COUP_RETURN_CARDS)
        a.arg[1] = (uint8_t)(args[1] - '0');
    return a;
}

// One word of a script; the seat, GAME_MASTER, or -1 for a stack.
static int apply_step(struct coup_state *s, const char *step, struct game_events *out)
{
    char who[16] = "", what[20] = "", args[20] = "";
    sscanf(step, " %15s %19s %19s", who, what, args);
    if (!strcmp(who, "stack")) {
        uint8_t items[COUP_CARDS + 1];
        int count = 0;
        for (const char *c = what; *c; c++)
            items[count++] = role_of(*c);
        return g->stack(s, items, count);
    }
    if (!strcmp(who, "drop")) {
        struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)(what[0] - '0')}};
        return g->apply(s, GAME_MASTER, drop, out);
    }
    return g->apply(s, who[0] - '0', action_of(what, args), out);
}

static void play(struct coup_state *s, const char *script, struct game_events *out)
{
    char copy[1024];
    assert_true(strlen(script) < sizeof copy);
    strcpy(copy, script);
    char *rest = copy, *step;
    while ((step = strsep(&rest, ";"))) {
        if (strspn(step, " ") == strlen(step))
            continue;
        int err = apply_step(s, step, out);
        if (err != OK)
            fail_msg("'%s' refused: %s", step, err_name(err));
        const char *broken = g->check(s);
        if (broken)
            fail_msg("'%s': %s", step, broken);
    }
}

static void put_event(char *text, const struct game_event *e)
{
    struct coup_fact f = coup_event_fact(e);
    char *at = text + strlen(text);
    at += sprintf(at, "%s%d %s", *text ? "; " : "", e->seat == COUP_NOBODY ? -1 : e->seat, events[e->kind]);
    if (f.action)
        at += sprintf(at, " %s", kinds[f.action]);
    if (f.action && coup_deeds[f.action].targeted && e->kind != COUP_EVENT_BLOCK)
        at += sprintf(at, " %d", f.target);
    if (e->kind == COUP_EVENT_CHALLENGE || e->kind == COUP_EVENT_CHALLENGE_BLOCK || f.result)
        at += sprintf(at, " vs %d", f.other);
    if (f.role)
        at += sprintf(at, " %c", letters[f.role]);
    if (f.result)
        at += sprintf(at, " %s", f.result == COUP_FAIL ? "fail" : "success");
    if (f.card)
        at += sprintf(at, " %c", letters[f.card]);
    if (e->kind == COUP_EVENT_INFLUENCE_LOST)
        at += sprintf(at, " @%d", f.slot);
    if (e->kind == COUP_EVENT_ACTION_RESOLVED && f.action == COUP_STEAL)
        at += sprintf(at, " +%d", f.stolen);
    if (e->kind == COUP_EVENT_ACTION_RESOLVED && f.action != COUP_ASSASSINATE)
        sprintf(at, " =%d", f.coins);
}

static void put_question(char *text, const struct coup_state *s)
{
    struct game_turn t = g->turn(s);
    char *at = text + sprintf(text, "%s", phases[t.phase]);
    for (int i = 0; i < COUP_MAX_SEATS; i++)
        if (t.seats & SEAT(i))
            at += sprintf(at, " %d", i);
}

static void put_coins(char *text, const struct coup_state *s)
{
    for (int i = 0; i < s->seats; i++)
        text += sprintf(text, "%s%d", i ? " " : "", s->seat[i].coins);
}

// --- cases ---

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
    if (strcmp(happened, c->events) || strcmp(question, c->question) || strcmp(coins, c->coins))
        fail_msg("%s\n  script   %s\n  events   %s\n  expected %s\n  asks %s (%s), coins %s (%s)", c->rule, c->script,
                 happened, c->events, question, c->question, coins, c->coins);
}

#define THREE                                                                                                          \
    {                                                                                                                  \
        "AD CD MO", "3 2 2", 0, 0, 0                                                                                   \
    }
#define EACH_PASS "1 challenge_pass; 2 challenge_pass"

// F6.C4 to F6.C10, row by row.
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
    else if (a.kind >= COUP_CHALLENGE || coup_deeds[a.kind].targeted)
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
        if (strcmp(list, lists[i].list) || strcmp(flat, lists[i].flat))
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

static void assert_hand(const struct coup_state *s, int seat, const char *hand)
{
    assert_int_equal(letters[s->seat[seat].card[0]], hand[0]);
    assert_int_equal(letters[s->seat[seat].card[1]], hand[1]);
}

// F6.C1, C18: dealing order, hands, coins, starter.
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

// F6.C7, C9: a redraw and an exchange take what the stacked shuffle gives.
static void test_stack(void **state)
{
    (void)state;
    struct coup_state s;
    start(&s, &(struct setup)THREE);
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
    start(&s, &(struct setup)THREE);
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

// F6.C12, C13: own cards, others' counts, drawn cards to the exchanger alone.
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

// Deterministic windows: nobody sees that another has answered, but that he is awaited no more.
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
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_phase_table),
        cmocka_unit_test(test_drops),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_fallback),
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
