// B11.28, B15.10: views that come back from what a request tells.
#include "front/botapi/internal.h"
#include "games/coup/codec.h"
#include "games/coup/rules/coup.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"
#include "games/tetris/codec.h"
#include "games/tetris/rules/tetris.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MATCHES = 60, BODY = 1 << 16 };

static char bytes[BODY];

static struct game_action pick(const struct game *g, const void *state, int seat, struct rng *dice)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = g->choices(state, seat, list);
    return bot_pick_uniform(list, count, dice);
}

static struct rng dice_of(uint32_t number)
{
    return (struct rng){.key = {number, 7}};
}

// --- belote

// The deal as everybody sees it, from a true view.
static struct wire_deal deal_of(const struct belote_view *v)
{
    struct wire_deal d;
    wire_start_deal(&d, v->dealer);
    for (int i = 0; i < v->bids; i++)
        wire_add_bid(&d, v->bid[i]);
    d.mode = v->mode;
    for (int i = 0; i < v->plays; i++)
        wire_add_play(&d, v->play[i]);
    return d;
}

static void same_view(struct belote_view *a, struct belote_view *b)
{
    a->number = b->number = 0; // nobody tells it
    if (a->plays < 4) {        // nor the last trick of the deal before
        a->last_leader = a->last_taker = BELOTE_NONE;
        memset(a->last_trick, 0, sizeof a->last_trick);
    }
    assert_memory_equal(a, b, sizeof *a);
}

static void check_request(const struct belote_view *v, const struct game_choice *list, int count)
{
    struct text t = text_on(bytes, sizeof bytes);
    struct wire_deal d = deal_of(v);
    struct wire_match m = {.deals = &v->last,
                           .count = v->last.multiplier ? 1 : 0,
                           .target = v->target,
                           .points = {v->points[0], v->points[1]},
                           .dealer = v->dealer,
                           .winner = BELOTE_NONE};
    bool bid = v->phase == BELOTE_BID_PHASE;
    struct wire_request q;
    struct belote_view told = {.viewer = v->viewer, .phase = v->phase, .clubs_base = 32, .deal_number = v->deal_number};
    if (bid)
        wire_write_negotiate(&t, v, &m, v->bids % 2, list, count);
    else
        wire_write_choose_card(&t, v, &d, &m, v->plays % 2, list, count);
    assert_int_equal(wire_read_request(text_span(&t), bid ? WIRE_NEGOTIATE : WIRE_CARD, &q), WIRE_FINE);
    assert_true(q.knows_hand && q.knows_match && (bid ? q.knows_bids : q.knows_plays));
    assert_int_equal(q.seat, v->viewer);
    assert_int_equal(q.count, count);
    assert_memory_equal(q.choices, list, (size_t)count * sizeof *list);
    told.target = q.match_state.target;
    memcpy(told.points, q.match_state.points, sizeof told.points);
    told.last = q.last;
    told.dealer = q.deal.dealer;
    told.cards = q.cards;
    memcpy(told.hand, q.hand, q.cards);
    const struct wire_deal *said = bid ? &q.deal : &d; // a request for a card does not tell
    told.bids = said->bids;
    memcpy(told.bid, said->bid, said->bids);
    told.plays = q.deal.plays;
    memcpy(told.play, q.deal.play, q.deal.plays);
    assert_int_equal(belote_rebuild_view(&told), OK);
    struct belote_view truth = *v;
    same_view(&truth, &told);
}

static void belote_requests_tell_all_a_view_has(void **state)
{
    (void)state;
    int asked = 0;
    for (uint32_t number = 0; number < MATCHES; number++) {
        struct rng dice = dice_of(number);
        struct belote_rules rules;
        struct belote_state s;
        belote_game.defaults(&rules);
        rules.dealer = number % BELOTE_SEATS;
        assert_int_equal(belote_game.init(&s, &rules, BELOTE_SEATS, dice_of(number + 1000), NULL), OK);
        while (s.phase != BELOTE_DONE) {
            struct belote_view v;
            struct game_choice list[GAME_MAX_CHOICES];
            belote_game.view(&s, s.turn, &v);
            if (s.phase != BELOTE_CUT_PHASE) {
                check_request(&v, list, belote_game.choices(&s, s.turn, list));
                asked++;
            }
            belote_game.apply(&s, s.turn, pick(&belote_game, &s, s.turn, &dice), NULL);
        }
    }
    assert_true(asked > 5000);
}

// What could not have happened is refused: no player is asked about it.
static void belote_lies_are_refused(void **state)
{
    struct belote_view v = {.viewer = 1,
                            .phase = BELOTE_BID_PHASE,
                            .target = 150,
                            .clubs_base = 32,
                            .deal_number = 1,
                            .cards = 5,
                            .hand = {0, 1, 2, 3, 4}};
    (void)state;
    enum { CASES = 11 };
    struct belote_view sound = v, cases[CASES];
    assert_int_equal(belote_rebuild_view(&sound), OK);
    for (int i = 0; i < CASES; i++)
        cases[i] = v;
    cases[0].viewer = 2;                        // somebody else speaks first
    cases[1].hand[1] = 0;                       // a card twice
    cases[2].hand[4] = 32;                      // no card
    cases[3].cards = 4;                         // too few
    cases[4].bids = 4;                          // he would have said something before: ...
    memset(cases[4].bid, BELOTE_SAY_ACCEPT, 4); // nobody may accept nothing
    cases[5].plays = 1;                         // a card in the negotiation
    cases[6].dealer = 9;
    cases[7].phase = BELOTE_DONE;
    cases[8].target = 0; // nothing to play for
    cases[9].target = BELOTE_MOST_POINTS + 1;
    cases[10].points[1] = INT32_MAX;
    for (int i = 0; i < CASES; i++)
        assert_int_equal(belote_rebuild_view(&cases[i]), ERR_ACTION);
    // Left ruffs although he must have had trumps higher: no hands allow what was seen, given the viewer's own.
    struct belote_view play = {.viewer = 3,
                               .phase = BELOTE_PLAY_PHASE,
                               .target = 150,
                               .clubs_base = 32,
                               .deal_number = 1,
                               .dealer = 0,
                               .bids = 4,
                               .bid = {BELOTE_NO_TRUMPS, BELOTE_SAY_ACCEPT, BELOTE_SAY_ACCEPT, BELOTE_SAY_ACCEPT},
                               .plays = 2,
                               .play = {0, 8},
                               .cards = 8,
                               .hand = {16, 17, 18, 19, 20, 21, 22, 23}};
    assert_int_equal(belote_rebuild_view(&play), OK); // Top has no club left: seven others must be with two seats
    // Nobody had a club for the one that was led, so the one who led it would have to hold seven others.
    struct belote_view led = play;
    led.viewer = 1;
    led.plays = 4;
    memcpy(led.play, (uint8_t[]){0, 8, 24, 25}, 4);
    led.cards = 7;
    assert_int_equal(belote_rebuild_view(&led), ERR_ACTION);
}

static void a_guessed_negotiation_is_one(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 400; number++) {
        struct rng dice = dice_of(number);
        struct belote_rules rules;
        struct belote_state s;
        belote_game.defaults(&rules);
        rules.dealer = number % BELOTE_SEATS;
        rules.cut = 16;
        belote_game.init(&s, &rules, BELOTE_SEATS, dice, NULL);
        while (s.phase == BELOTE_BID_PHASE)
            belote_game.apply(&s, s.turn, pick(&belote_game, &s, s.turn, &dice), NULL);
        for (int known = 0; known <= s.bids; known++) {
            struct wire_deal d;
            wire_start_deal(&d, rules.dealer);
            for (int i = 0; i < known; i++)
                wire_add_bid(&d, s.bid[i]);
            botapi_complete_negotiation(&d, s.mode);
            assert_true(d.bids <= s.bids || known == 0);
            assert_memory_equal(d.bid, s.bid, known ? (size_t)known : 0);
            struct belote_view v = {.viewer = (uint8_t)((rules.dealer + 1) % 4),
                                    .phase = BELOTE_PLAY_PHASE,
                                    .dealer = rules.dealer,
                                    .target = 150,
                                    .clubs_base = 32,
                                    .deal_number = 1,
                                    .cards = 8,
                                    .hand = {0, 1, 2, 3, 4, 5, 6, 7},
                                    .bids = d.bids};
            memcpy(v.bid, d.bid, d.bids);
            assert_int_equal(belote_rebuild_view(&v), OK);
            assert_int_equal(v.mode, s.mode);
        }
        struct wire_deal never;
        wire_start_deal(&never, rules.dealer);
        for (int i = 0; i < s.bids; i++)
            wire_add_bid(&never, s.bid[i]);
        botapi_complete_negotiation(&never, (s.mode + 1) % BELOTE_MODES); // contradicts: thrown away
        assert_int_equal(never.bids, 4);
    }
}

// --- the other games

static void check_choices(const struct codec *c, const struct codec_table *table, const struct game_choice *list,
                          int count)
{
    for (int i = 0; i < count; i++) {
        struct text t = text_on(bytes, sizeof bytes);
        struct game_choice back;
        codec_write_choice(c, &t, table, list[i]);
        struct json_reader r = json_reader_of(text_span(&t), 16);
        assert_true(codec_read_choice(c, &r, table, &back));
        assert_true(game_same_action(back.first, list[i].first));
        assert_int_equal(back.max_amount,
                         list[i].max_amount > list[i].first.amount ? list[i].max_amount : list[i].first.amount);
    }
}

// A house player answers the same to the view that came through JSON.
static int check_look(const struct codec *c, const struct bot *bot, int seats, uint32_t number)
{
    const struct game *g = c->game;
    union game_rules rules;
    union game_state s;
    struct rng dice = dice_of(number);
    int asked = 0;
    g->defaults(&rules);
    assert_int_equal(g->init(&s, &rules, seats, dice_of(number + 50), NULL), OK);
    for (int steps = 0; g->turn(&s).kind != TURN_OVER && steps < 400; steps++) {
        struct game_turn turn = g->turn(&s);
        int seat = __builtin_ctz(turn.seats);
        union game_view v, back;
        struct game_choice list[GAME_MAX_CHOICES];
        int count = g->choices(&s, seat, list);
        struct codec_table table = {.seat = codec_seat_names, .seats = seats, .viewer = seat};
        check_choices(c, &table, list, count);
        struct text t = text_on(bytes, sizeof bytes);
        g->view(&s, seat, &v);
        json_begin_object(&t);
        c->write_view(&t, &table, &v);
        json_end_object(&t);
        assert_int_equal(codec_phase(c, &v), g->tick_ms ? 0 : turn.phase);
        if (codec_read_view(c, json_reader_of(text_span(&t), 16), &table, turn.phase, &back)) {
            struct rng one = dice_of((uint32_t)steps), two = one;
            struct bot_ask ask = {.bot = bot,
                                  .game = g,
                                  .view = &v,
                                  .seat = seat,
                                  .seats = seats,
                                  .choices = list,
                                  .count = count,
                                  .fallback = list[0].first,
                                  .aggro = 0.5f,
                                  .dice = &one};
            struct game_action here = bot->choose(&ask);
            ask.view = &back;
            ask.dice = &two;
            assert_true(game_same_action(bot->choose(&ask), here));
            asked++;
        }
        g->apply(&s, seat, pick(g, &s, seat, &dice), NULL);
        for (int i = 0; g->tick_ms && i < 20; i++)
            g->tick(&s, NULL);
    }
    return asked;
}

extern const struct bot coup_rules_bot, liars_dice_rules_bot, texas_holdem_rules_bot, tetris_rules_bot;

static void other_games_come_back_too(void **state)
{
    const struct {
        const struct codec *codec;
        const struct bot *bot;
        int seats;
    } rows[] = {{&coup_codec, &coup_rules_bot, 4},
                {&liars_dice_codec, &liars_dice_rules_bot, 3},
                {&texas_holdem_codec, &texas_holdem_rules_bot, 3},
                {&tetris_codec, &tetris_rules_bot, 1}};
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        int asked = 0;
        for (uint32_t number = 0; number < 6; number++)
            asked += check_look(rows[i].codec, rows[i].bot, rows[i].seats, number);
        if (asked <= 40)
            fail_msg("%s was asked %d times", rows[i].codec->game->name, asked);
    }
}

// --- coup: whoever imagines what a view hides must be able to play on

static bool read_coup(const struct coup_view *v, struct coup_view *back)
{
    struct codec_table table = {.seat = codec_seat_names, .seats = v->seats, .viewer = v->viewer};
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    coup_codec.write_view(&t, &table, v);
    json_end_object(&t);
    return codec_read_view(&coup_codec, json_reader_of(text_span(&t), 16), &table, v->phase, back);
}

static void coup_goes_on_from_what_was_read(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 30; number++) {
        struct coup_rules rules;
        struct coup_state s, imagined, tried;
        struct rng dice = dice_of(number), unseen = dice_of(number + 500);
        coup_game.defaults(&rules);
        assert_int_equal(coup_game.init(&s, &rules, 2 + (int)number % 5, dice_of(number + 90), NULL), OK);
        for (int steps = 0; steps < 300 && coup_game.turn(&s).kind != TURN_OVER; steps++) {
            int seat = __builtin_ctz(coup_game.turn(&s).seats);
            struct game_choice list[GAME_MAX_CHOICES];
            struct coup_view v, back;
            coup_game.view(&s, seat, &v);
            assert_true(read_coup(&v, &back));
            coup_game.imagine(&imagined, &back, &unseen);
            for (int i = coup_game.choices(&s, seat, list); i-- > 0;) {
                tried = imagined;
                assert_int_equal(coup_game.apply(&tried, seat, list[i].first, NULL), OK);
            }
            assert_int_equal(coup_game.apply(&s, seat, pick(&coup_game, &s, seat, &dice), NULL), OK);
        }
    }
}

static void coup_lies_are_refused(void **state)
{
    (void)state;
    struct coup_rules rules;
    struct coup_state s;
    struct coup_view v, back;
    coup_game.defaults(&rules);
    assert_int_equal(coup_game.init(&s, &rules, 6, dice_of(1), NULL), OK);
    coup_game.view(&s, __builtin_ctz(coup_game.turn(&s).seats), &v);
    assert_true(read_coup(&v, &back));
    struct coup_view cases[] = {v, v, v, v, v};
    int other = (v.viewer + 1) % 6;
    for (int i = 2; i < 6; i++) { // eight Dukes
        cases[0].seat[(v.viewer + i) % 6] = (struct coup_seat){{COUP_DUKE, COUP_DUKE}, 3, 0};
        cases[0].in_play &= (uint8_t) ~(1u << (v.viewer + i) % 6);
    }
    cases[1].seat[other] = (struct coup_seat){{COUP_DUKE, COUP_CONTESSA}, 3, 0}; // alive without a card
    cases[2].in_play &= (uint8_t) ~(1u << other);                                // out with two
    cases[3].exchange[0] = cases[3].exchange[1] = COUP_CAPTAIN;                  // nobody exchanges
    cases[4].seat[other].coins = 30;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (read_coup(&cases[i], &back))
            fail_msg("case %zu was read", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coup_goes_on_from_what_was_read),     cmocka_unit_test(coup_lies_are_refused),
        cmocka_unit_test(belote_requests_tell_all_a_view_has), cmocka_unit_test(belote_lies_are_refused),
        cmocka_unit_test(a_guessed_negotiation_is_one),        cmocka_unit_test(other_games_come_back_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
