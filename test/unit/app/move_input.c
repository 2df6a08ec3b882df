// What people type at a table, and the move it becomes.
#include "app/move_input.h"
#include "games/games.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const names[] = {"ada", "rules_1", "rules_2", "rules_3"};

// The first questions of seat 0 in a match of this seed.
struct seated {
    const struct game_kit *kit;
    union game_state state;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count, seat;
};

static void sit(struct seated *s, const char *game, int seats, uint8_t seed)
{
    uint8_t key[RNG_KEY_BYTES] = {seed};
    union game_rules rules;
    s->kit = games_find(game);
    const struct game *g = s->kit->game;
    g->defaults(&rules);
    assert_int_equal(g->init(&s->state, &rules, seats, rng_from_key(key), NULL), OK);
    s->seat = __builtin_ctz(g->turn(&s->state).seats);
    s->count = g->choices(&s->state, s->seat, s->choices);
    assert_true(s->count > 0);
}

static enum move_input_result type(const struct seated *s, const char *line, char described[128])
{
    struct codec_table table = {.seat = names, .seats = 4, .viewer = s->seat, .voice = CODEC_OFFER};
    struct move_input found;
    enum move_input_result how = move_input_find(s->kit->codec, &table, s->choices, s->count, line, &found);
    struct text t = text_on(described, 127);
    if (how == MOVE_INPUT_ONE)
        codec_describe_action(s->kit->codec, &t, &table, found.action);
    described[t.size] = 0;
    if (how == MOVE_INPUT_ONE)
        assert_true(game_is_legal(s->kit->game, &s->state, s->seat, found.action));
    return how;
}

static void test_moves(void **state)
{
    (void)state;
    static const struct {
        const char *game, *typed;
        enum move_input_result how;
        const char *move;
    } rows[] = {
        {"texas_holdem", "fold", MOVE_INPUT_ONE, "fold"},
        {"texas_holdem", "F", MOVE_INPUT_ONE, "fold"},
        {"texas_holdem", "raise to 400", MOVE_INPUT_ONE, "raise to 400"},
        {"texas_holdem", "ra 1234", MOVE_INPUT_ONE, "raise to 1234"},
        {"texas_holdem", "raise 399", MOVE_INPUT_AMOUNT, ""},
        {"texas_holdem", "raise", MOVE_INPUT_AMOUNT, ""},
        {"texas_holdem", "allin", MOVE_INPUT_ONE, "go all-in"},
        {"texas_holdem", "all in", MOVE_INPUT_ONE, "go all-in"},
        {"texas_holdem", "goes all-in", MOVE_INPUT_ONE, "go all-in"}, // as the log says
        {"texas_holdem", "1", MOVE_INPUT_ONE, "fold"},
        {"texas_holdem", "3 600", MOVE_INPUT_ONE, "raise to 600"},
        {"texas_holdem", "bluff", MOVE_INPUT_NONE, ""},
        {"texas_holdem", "0", MOVE_INPUT_NONE, ""},
        {"texas_holdem", "99999999999999999999", MOVE_INPUT_NONE, ""},
        {"texas_holdem", "", MOVE_INPUT_NONE, ""},
        {"texas_holdem", "\xff\xfe fold", MOVE_INPUT_NONE, ""},
        {"liars_dice", "3 fours", MOVE_INPUT_ONE, "bid 3 fours"},
        {"liars_dice", "three fours", MOVE_INPUT_ONE, "bid 3 fours"},
        {"liars_dice", "bid 2x6", MOVE_INPUT_ONE, "bid 2 sixes"},
        {"liars_dice", "bid", MOVE_INPUT_AMOUNT, ""},
        {"liars_dice", "99 fours", MOVE_INPUT_NONE, ""},
        {"coup", "income", MOVE_INPUT_ONE, "take income"},
        {"coup", "aid", MOVE_INPUT_ONE, "ask for foreign aid"},
        {"coup", "tax", MOVE_INPUT_ONE, "claim Duke and tax"},
        {"coup", "steal from rules_2", MOVE_INPUT_ONE, "claim Captain and steal from rules_2"},
        {"coup", "steal", MOVE_INPUT_SEVERAL, ""},
        {"coup", "claim", MOVE_INPUT_SEVERAL, ""},
        {"leduc_poker", "check", MOVE_INPUT_ONE, "check"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seated s;
        char described[128];
        sit(&s, rows[i].game, rows[i].game[0] == 'c' ? 3 : 2, 7);
        enum move_input_result how = type(&s, rows[i].typed, described);
        if (how != rows[i].how || strcmp(described, rows[i].move) != 0)
            fail_msg("%s '%s': %d '%s', not %d '%s'", rows[i].game, rows[i].typed, how, described, rows[i].how,
                     rows[i].move);
    }
}

// Every line of a list says what to type: its own description plays it.
static void test_descriptions(void **state)
{
    (void)state;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct seated s;
        if ((*k)->game->tick)
            continue;
        sit(&s, (*k)->game->name, (*k)->game->min_seats, 7);
        struct codec_table table = {
            .seat = names, .seats = (*k)->game->min_seats, .viewer = s.seat, .voice = CODEC_OFFER};
        for (int i = 0; i < s.count; i++) {
            char line[256], described[128];
            struct text t = text_on(line, sizeof line - 1);
            codec_describe_action((*k)->codec, &t, &table, s.choices[i].first);
            line[t.size] = 0;
            assert_int_equal(type(&s, line, described), MOVE_INPUT_ONE);
            assert_string_equal(described, line);
        }
    }
}

static void type_list(const struct seated *s)
{
    const struct codec *c = s->kit->codec;
    union game_view view;
    s->kit->game->view(&s->state, s->seat, &view);
    struct codec_table table = {
        .seat = names, .seats = s->kit->game->min_seats, .viewer = s->seat, .voice = CODEC_OFFER, .view = &view};
    for (int i = 0; i < s->count; i++) {
        char line[256], again[256];
        struct move_input found;
        struct text t = text_on(line, sizeof line - 1), u = text_on(again, sizeof again - 1);
        codec_describe_action(c, &t, &table, s->choices[i].first);
        line[t.size] = 0;
        if (move_input_find(c, &table, s->choices, s->count, line, &found) != MOVE_INPUT_ONE)
            fail_msg("%s: '%s' is in the list and no move", s->kit->game->name, line);
        codec_describe_action(c, &u, &table, found.action);
        again[u.size] = 0;
        assert_string_equal(again, line);
    }
}

static void type_match(const struct game_kit *k, uint8_t seed)
{
    const struct game *g = k->game;
    struct seated s;
    struct game_events out;
    sit(&s, g->name, g->min_seats, seed);
    for (uint32_t step = 0; step < 300 && g->turn(&s.state).kind != TURN_OVER; step++) {
        s.seat = __builtin_ctz(g->turn(&s.state).seats);
        s.count = g->choices(&s.state, s.seat, s.choices);
        type_list(&s);
        out.count = out.ticks = 0;
        struct game_action a = s.choices[(seed + step) * 2654435761u % (uint32_t)s.count].first;
        assert_int_equal(g->apply(&s.state, s.seat, a, &out), OK);
    }
}

// The same for every list of whole matches, as the viewer sees it: of two cards with one name either will do.
static void test_whole_matches(void **state)
{
    (void)state;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (uint8_t seed = 0; seed < 20 && !(*k)->game->tick; seed++)
            type_match(*k, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves), cmocka_unit_test(test_descriptions),
                                       cmocka_unit_test(test_whole_matches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
