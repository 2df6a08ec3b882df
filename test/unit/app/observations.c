// What is written to a client and read there again is the same decision: choices, the silent player's answer, and views
// from which house bots play legally, in whole matches of every game.
#include "app/games.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "house/ask.h"
#include "request_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ROOM = 1 << 17, STEPS = 4000 };

static char page[ROOM];

static struct span write_request(const struct game_kit *d, const struct match *m, int seat)
{
    struct text t = text_on(page, sizeof page);
    request_write(&t, d, m, seat, "");
    assert_false(t.full);
    return text_span(&t);
}

static void expect_choices(const struct game_kit *d, const struct match *m, int seat, const struct action_request *t)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    int count = m->game->choices(&m->state, seat, choices);
    assert_int_equal(t->count, count);
    for (int i = 0; i < count; i++) {
        assert_true(game_same_action(t->choices[i].first, choices[i].first));
        assert_int_equal(t->choices[i].max_amount, choices[i].max_amount);
    }
    if (dialect_of(d)->reader)
        assert_true(game_same_action(t->fallback, m->game->fallback(&m->state, seat)));
    else // the game's own cannot be known from here
        assert_true(game_has_choice(choices, count, t->fallback));
}

// A bot's answer as it goes over the wire.
static struct game_action answer(const struct game_kit *d, const struct bot *bot, const struct action_request *t,
                                 struct rng *dice)
{
    static char bytes[1024];
    char type[DIALECT_TYPE];
    struct codec_table table = dialect_table(t->seats, t->seat);
    struct bot_ask ask = {.game = d->game,
                          .view = &t->view,
                          .seat = t->seat,
                          .seats = t->seats,
                          .choices = t->choices,
                          .count = t->count,
                          .fallback = t->fallback,
                          .aggro = 0.5f,
                          .dice = dice};
    _Alignas(8) uint8_t mind[BOT_MAX_MIND];
    if (bot->mind_size) { // it knows the view alone: no events come with these requests
        house_mind_late(bot, mind, &ask);
        ask.mind = mind;
    }
    struct text out = text_on(bytes, sizeof bytes);
    struct game_action a, chosen = house_choose(bot, &ask);
    action_request_answer(d, &out, t, chosen);
    assert_int_equal(dialect_read_action(d, text_span(&out), &table, &a, type), OK);
    return a;
}

// F4.28: what everybody is shown between questions can be read as well, own cards and table alike.
static void expect_states(const struct game_kit *d, const struct match *m, seat_set asked)
{
    static struct action_request t;
    static char drawn[2][ROOM / 8];
    for (int seat = 0; seat < m->seats; seat++) {
        if (asked & SEAT(seat))
            continue;
        union game_view view;
        struct codec_table table = dialect_table(m->seats, seat);
        struct text mine = text_on(drawn[0], sizeof drawn[0]), theirs = text_on(drawn[1], sizeof drawn[1]);
        assert_int_equal(action_request_read_state(d, write_request(d, m, seat), &t), OK);
        assert_int_equal(t.seat, seat);
        assert_int_equal(t.count, 0);
        m->game->view(&m->state, seat, &view);
        d->codec->draw(&mine, &table, &view);
        d->codec->draw(&theirs, &table, &t.view);
        // A wire tells less than a view has: who else is asked, the last round, the deck.
        assert_true(!mine.full && !theirs.full && theirs.size > 0);
        bool is_whole = strcmp(d->game->name, "kuhn_poker") == 0 || strcmp(d->game->name, "leduc_poker") == 0;
        assert_true(!is_whole || (mine.size == theirs.size && memcmp(mine.at, theirs.at, mine.size) == 0));
    }
}

// Who is dealt in, in order, and between two what each has put in: by these a house bot knows a hand between two.
static void expect_order(const struct match *m, const struct action_request *t)
{
    struct texas_holdem_view v;
    const struct texas_holdem_view *read = (const void *)&t->view;
    if (m->game != &texas_holdem_game)
        return;
    m->game->view(&m->state, t->seat, &v);
    assert_int_equal(read->order_count, v.order_count);
    assert_memory_equal(read->order, v.order, v.order_count);
    for (int i = 0; i < v.order_count && v.order_count == 2; i++)
        assert_int_equal(read->total[v.order[i]], v.total[v.order[i]]);
}

static void play(const struct game_kit *d, int seats, const struct bot *bot, uint8_t seed)
{
    static struct match m;
    static struct action_request t;
    struct match_setup setup = {.game = d->game, .seats = seats, .key = {seed}};
    assert_int_equal(match_start(&m, &setup, NULL, NULL), OK);
    struct rng dice = rng_split(&m.root, MATCH_TESTS);
    for (int step = 0; step < STEPS && !match_is_over(&m); step++) {
        struct game_turn turn = m.game->turn(&m.state);
        int seat = __builtin_ctz(turn.seats);
        assert_int_equal(action_request_read(d, write_request(d, &m, seat), &t), OK);
        assert_int_equal(t.seat, seat);
        expect_choices(d, &m, seat, &t);
        expect_order(&m, &t);
        if (dialect_has_view(d))
            expect_states(d, &m, turn.seats);
        struct game_action a = answer(d, bot, &t, &dice);
        assert_true(game_is_legal(m.game, &m.state, seat, a));
        assert_int_equal(match_answer(&m, seat, turn.number, a, NULL), OK);
    }
    assert_true(match_is_over(&m));
    if (dialect_has_view(d))
        expect_states(d, &m, 0);
}

static void every_decision_comes_back(void **state)
{
    (void)state;
    for (const struct game_kit *const *at = game_kits, *g; (g = *at); at++) {
        if (dialect_refusal(g))
            continue;
        int seats = g->game->max_seats > 4 ? 3 : g->game->max_seats;
        for (uint8_t seed = 1; seed <= 3; seed++) {
            play(g, seats, &bot_random, seed);
            if (dialect_has_view(g))
                play(g, seats, kit_bots(g)[0], seed);
            play(g, seats, &bot_fallback, seed);
        }
    }
}

// What a player of a cash match has won is the server's word: no sum that a bot forms of it may leave 32 bits.
static void hostile_nets_are_clamped(void **state)
{
    (void)state;
    static struct match m;
    static struct action_request t;
    static char hostile[ROOM];
    const struct game_kit *d = games_find("texas_holdem");
    union game_rules rules;
    struct texas_holdem_rules *r = (void *)&rules;
    d->game->defaults(&rules);
    r->format = HOLDEM_CASH;
    r->max_hands = 10;
    struct match_setup setup = {.game = d->game, .seats = 2, .key = {1}, .rules = &rules};
    assert_int_equal(match_start(&m, &setup, NULL, NULL), OK);
    int seat = __builtin_ctz(m.game->turn(&m.state).seats), at = 0;
    static const char *const nets[] = {"2147483647", "-2147483648"};
    struct text out = text_on(hostile, sizeof hostile - 1);
    struct span request = write_request(d, &m, seat);
    for (size_t i = 0; i < request.size; i++) {
        bool is_net = i + 7 <= request.size && memcmp(request.at + i, "\"net\":0", 7) == 0;
        text_put(&out, is_net ? SPAN("\"net\":") : (struct span){request.at + i, 1});
        if (is_net)
            text_puts(&out, nets[at++ % 2]), i += 6;
    }
    assert_true(at >= 2);
    assert_int_equal(action_request_read(d, text_span(&out), &t), OK);
    const struct texas_holdem_view *v = (const void *)&t.view;
    for (int s = 0; s < 2; s++)
        assert_true(v->net[s] <= 1 << 29 && v->net[s] >= -(1 << 29) && v->net[s] != 0);
    struct rng dice = rng_split(&m.root, MATCH_TESTS);
    for (const struct bot *const *bot = kit_bots(d); *bot; bot++)
        answer(d, *bot, &t, &dice);
}

// Cards and chips that cannot be are refused before a house bot counts with them.
static void hostile_hands_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"\"phase\":\"preflop\"", "\"phase\":\"flop\""},
        {"\"phase\":\"preflop\"", "\"phase\":\"river\""},
        {"\"phase\":\"preflop\"", "\"phase\":\"showdown\""},
        {"\"community_cards\":[]", "\"community_cards\":[\"As\"]"},
        {"\"phase\":\"preflop\",\"community_cards\":[]",
         "\"phase\":\"flop\",\"community_cards\":[\"As\",\"As\",\"2d\"]"},
        {"\"your_hand\":[", "\"your_hand\":[\"As\",\"As\"],\"mine\":["},
        {"\"your_hand\":[", "\"your_hand\":[\"As\"],\"mine\":["},
        {"\"pot\":", "\"pot\":2147483647,\"pool\":"},
        {"\"chips\":", "\"chips\":2147483647,\"coins\":"},
        {"\"big_blind\":", "\"big_blind\":2147483647,\"blind\":"},
    };
    static struct match m;
    static struct action_request t;
    static char hostile[ROOM];
    const struct game_kit *d = games_find("texas_holdem");
    struct match_setup setup = {.game = d->game, .seats = 2, .key = {1}};
    assert_int_equal(match_start(&m, &setup, NULL, NULL), OK);
    struct span request = write_request(d, &m, __builtin_ctz(m.game->turn(&m.state).seats));
    assert_int_equal(action_request_read(d, request, &t), OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = memmem(request.at, request.size, bad[i][0], strlen(bad[i][0]));
        struct text out = text_on(hostile, sizeof hostile);
        assert_non_null(at);
        text_put(&out, (struct span){request.at, (size_t)(at - request.at)});
        text_puts(&out, bad[i][1]);
        at += strlen(bad[i][0]);
        text_put(&out, (struct span){at, (size_t)(request.at + request.size - at)});
        if (action_request_read(d, text_span(&out), &t) == OK)
            fail_msg("taken: %s", bad[i][1]);
    }
}

// Frames from a stranger may be anything.
static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{}",
        "[]",
        "{\"match_id\":\"m\",\"state\":{},\"players\":[{},{}],\"legal_actions\":[]}",
        "{\"match_id\":\"m\",\"state\":{\"your_player_id\":\"p7\"},\"players\":[{},{}],\"legal_actions\":[{\"type\":"
        "\"pass\"}]}",
        "{\"match_id\":\"m\",\"state\":{\"your_player_id\":\"p0\"},\"players\":[{},{}],\"legal_actions\":[{\"type\":"
        "\"jump\"}]}",
        "{\"match_id\":\"m\",\"state\":{\"your_player_id\":\"p0\"},\"players\":[{},{}],\"legal_actions\":[{\"type\":"
        "\"pass\"}]}",
    };
    static struct action_request t;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (size_t i = 0; !dialect_refusal(*k) && i < sizeof bad / sizeof *bad; i++)
            assert_int_not_equal(action_request_read(*k, span_of(bad[i]), &t), OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_decision_comes_back), cmocka_unit_test(hostile_nets_are_clamped),
        cmocka_unit_test(hostile_hands_are_refused), cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
