// What a game gets that has rules and a codec and nothing else. Every game is tried with its other parts taken away.
#include "codec/moves.h"
#include "codec/speech.h"
#include "games/games.h"
#include "kit/inferred_schema.h"
#include "match/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ROOM = 1 << 17, STEPS = 4000, MOST = 32 };

static struct game_kit bare[MOST];
static int count;
static char page[ROOM];

static int take_parts_away(void **state)
{
    (void)state;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        bare[count++] = (struct game_kit){.game = (*k)->game, .codec = (*k)->codec};
    return 0;
}

static const struct game_kit *find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(bare[i].game->name, name) == 0)
            return &bare[i];
    fail_msg("no game %s", name);
    return NULL;
}

static void expect_json(struct span json)
{
    struct json_reader r = json_reader_of(json, 32);
    json_skip(&r);
    assert_int_equal(json_finish(&r), OK);
}

// --- the arena

static struct span write_request(const struct game_kit *k, const struct match *m, int seat)
{
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    m->game->view(&m->state, seat, &view);
    struct arena_observation seen = {.table = dialect_table(m->seats, seat), .view = &view};
    struct text t = text_on(page, sizeof page);
    json_begin_object(&t);
    json_put_text(&t, "match_id", "m");
    json_key(&t, "state");
    dialect_write_state(k, &t, &seen);
    json_key(&t, "legal_actions");
    dialect_write_choices(k, &t, &seen, choices, m->game->choices(&m->state, seat, choices));
    json_key(&t, "players");
    dialect_write_players(k, &t, &seen);
    json_end_object(&t);
    assert_false(t.full);
    expect_json(text_span(&t));
    return text_span(&t);
}

static void expect_choices(const struct match *m, const struct action_request *r)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    assert_int_equal(r->count, m->game->choices(&m->state, r->seat, choices));
    for (int i = 0; i < r->count; i++) {
        assert_true(game_same_action(r->choices[i].first, choices[i].first));
        assert_int_equal(r->choices[i].max_amount, choices[i].max_amount);
    }
}

static struct game_action answer(const struct game_kit *k, const struct bot *bot, const struct action_request *r,
                                 struct rng *dice)
{
    struct bot_ask ask = {.bot = bot,
                          .game = k->game,
                          .view = &r->view,
                          .seat = r->seat,
                          .seats = r->seats,
                          .choices = r->choices,
                          .count = r->count,
                          .fallback = r->fallback,
                          .aggro = 0.5f,
                          .dice = dice};
    char bytes[1024], type[DIALECT_TYPE];
    struct codec_table table = dialect_table(r->seats, r->seat);
    struct text out = text_on(bytes, sizeof bytes);
    struct game_action a;
    action_request_answer(k, &out, r, bot->choose(&ask));
    assert_int_equal(dialect_read_action(k, text_span(&out), &table, &a, type), OK);
    return a;
}

static void play(const struct game_kit *k, const struct bot *bot)
{
    static struct match m;
    static struct action_request r;
    union game_rules rules;
    k->game->defaults(&rules);
    struct match_setup setup = {.game = k->game, .seats = k->game->scenario(&rules, 0), .key = {3}};
    assert_int_equal(match_start(&m, &setup, NULL, NULL), OK);
    struct rng dice = rng_split(&m.root, MATCH_TESTS);
    for (int step = 0; step < STEPS && !match_is_over(&m); step++) {
        struct game_turn turn = k->game->turn(&m.state);
        int seat = __builtin_ctz(turn.seats);
        assert_int_equal(action_request_read(k, write_request(k, &m, seat), &r), OK);
        assert_int_equal(r.seat, seat);
        expect_choices(&m, &r);
        assert_int_equal(match_answer(&m, seat, turn.number, answer(k, bot, &r, &dice), NULL), OK);
    }
    assert_true(match_is_over(&m));
}

static void arena_plays_by_the_codec(void **state)
{
    (void)state;
    for (int i = 0; i < count; i++) {
        const struct game_kit *k = &bare[i];
        if (dialect_refusal(k))
            continue;
        play(k, &bot_random);
        play(k, &bot_fallback);
        const struct bot *rules = kit_find_bot(games_find(k->game->name), "rules");
        assert_int_equal(dialect_has_view(k), k->codec->read_view != NULL);
        if (rules && dialect_has_view(k))
            play(k, rules); // the view was read well enough for it
    }
}

static void arena_tells_the_rules(void **state)
{
    (void)state;
    for (int i = 0; i < count; i++) {
        union game_rules rules;
        struct text t = text_on(page, sizeof page);
        bare[i].game->defaults(&rules);
        int seats = bare[i].game->scenario(&rules, 0);
        dialect_write_rules(&bare[i], &t, &rules, seats);
        expect_json(text_span(&t));
        assert_string_equal(dialect_title(&bare[i]), bare[i].codec->title);
    }
}

// F4.4
static void whole_numbers_may_have_a_point(void **state)
{
    static const struct {
        const char *json;
        int err;
    } cases[] = {
        {"{\"type\":\"bid\",\"data\":{\"quantity\":4,\"face\":3}}", OK},
        {"{\"type\":\"bid\",\"data\":{\"quantity\":4.0,\"face\":0.3e1,\"note\":\"1.5\\\" e\"}}", OK},
        {"{\"type\":\"bid\",\"data\":{\"quantity\":4.5,\"face\":3}}", ERR_ACTION},
        {"{\"type\":\"bid\",\"data\":{\"quantity\":\"4.0\",\"face\":3}}", ERR_ACTION},
        {"{\"type\":\"bid\",\"data\":{\"quantity\":4}}", ERR_ACTION},
        {"{\"type\":\"drop\",\"data\":{\"seat\":0}}", ERR_ACTION},
        {"{\"type\":\"bid\",\"data\":[]}", ERR_TYPE},
    };
    (void)state;
    struct codec_table table = dialect_table(3, 0);
    struct game_action first = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char type[DIALECT_TYPE];
        struct game_action a;
        int err = dialect_read_action(find("liars_dice"), span_of(cases[i].json), &table, &a, type);
        assert_int_equal(err, cases[i].err);
        first = i == 0 ? a : first;
        if (err == OK)
            assert_true(game_same_action(a, first));
    }
}

static void arena_refuses_by_name(void **state)
{
    (void)state;
    assert_non_null(dialect_refusal(find("tetris")));
    assert_null(dialect_refusal(find("kuhn_poker")));
    assert_true(dialect_is_gated(find("liars_dice"))); // no client knows its messages
    assert_false(dialect_is_gated(games_find("liars_dice")));
}

// --- environments

static bool has_key(const struct env_facts *e, struct span name)
{
    for (const struct env_key *key = e->keys; key->name; key++)
        if (span_is(name, key->name))
            return true;
    return false;
}

static void expect_key(void *owner, struct span name, struct span value)
{
    (void)value;
    assert_true(has_key(owner, name));
}

static void expect_view(const struct game_kit *k, const struct env_facts *e, const union game_state *s, int seats)
{
    union game_view view;
    struct codec_table names = {.seat = codec_seat_names, .seats = seats};
    struct text t = text_on(page, sizeof page);
    struct env_facts copy = *e;
    k->game->view(s, 0, &view);
    json_begin_object(&t);
    k->codec->write_view(&t, &names, &view);
    json_end_object(&t);
    inferred_schema_visit_members(text_span(&t), expect_key, &copy);
}

static void expect_numbers(const struct game_kit *k, const struct env_facts *e, const union game_state *s, int seat)
{
    struct game_action legal, known;
    for (int i = 1; i < (int)k->game->flat_size; i++)
        if (k->game->flat(s, seat, i, &legal) && env_facts_flat_at(e, i, &known))
            assert_true(game_same_action(legal, known));
}

static void follow_game(const struct game_kit *k, const struct env_facts *e)
{
    union game_rules rules;
    union game_state s;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct rng dice = {.key = {77}};
    k->game->defaults(&rules);
    int seats = k->game->scenario(&rules, 0);
    assert_int_equal(k->game->init(&s, &rules, seats, (struct rng){.key = {78}}, NULL), OK);
    for (int step = 0; step < 100 && k->game->turn(&s).kind != TURN_OVER; step++) {
        int seat = __builtin_ctz(k->game->turn(&s).seats), n = k->game->choices(&s, seat, choices);
        expect_view(k, e, &s, seats);
        expect_numbers(k, e, &s, seat);
        assert_int_equal(k->game->apply(&s, seat, bot_pick_uniform(choices, n, &dice), NULL), OK);
        if (k->game->tick)
            k->game->tick(&s, NULL);
    }
}

static void environment_shows_the_game(void **state)
{
    (void)state;
    for (int i = 0; i < count; i++) {
        const struct game_kit *k = &bare[i];
        const struct env_facts *e = kit_environment(k);
        assert_ptr_equal(e, kit_environment(k)); // made once
        for (const struct env_key *key = e->keys; key->name; key++)
            expect_json(span_of(key->space));
        for (const struct env_action *a = e->actions; a->name; a++) {
            expect_json(span_of(a->params));
            expect_json(span_of(a->required));
            expect_json(span_of(a->example));
        }
        for (int s = 0; k->game->scenarios[s]; s++) {
            assert_string_equal(e->scenarios[s].name, k->game->scenarios[s]);
            expect_json(span_of(e->scenarios[s].config));
        }
        for (int s = 0; s < k->game->max_seats; s++)
            assert_string_equal(e->avatars[s], codec_seat_names[s]);
        assert_null(e->avatars[k->game->max_seats]);
        follow_game(k, e);
    }
}

static void environment_finds_what_is_hidden(void **state)
{
    (void)state;
    assert_string_equal(kit_environment(find("kuhn_poker"))->own_key, "card");
    assert_string_equal(kit_environment(find("liars_dice"))->own_key, "dice");
    assert_string_equal(kit_environment(find("liars_dice"))->actions[1].required, "[\"quantity\",\"face\"]");
}

static void winners_are_paid_most(void **state)
{
    (void)state;
    const struct game_kit *k = find("kuhn_poker");
    union game_rules rules;
    union game_state s;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct rng dice = {.key = {5}};
    int32_t paid[GAME_MAX_SEATS] = {0};
    k->game->defaults(&rules);
    assert_int_equal(k->game->init(&s, &rules, 2, (struct rng){.key = {6}}, NULL), OK);
    for (struct game_turn turn; (turn = k->game->turn(&s)).kind != TURN_OVER;) {
        int seat = __builtin_ctz(turn.seats), n = k->game->choices(&s, seat, choices);
        k->game->apply(&s, seat, bot_pick_uniform(choices, n, &dice), NULL);
    }
    k->game->payoffs(&s, paid);
    for (int seat = 0; seat < 2; seat++)
        assert_int_equal(env_facts_has_won(kit_environment(k), k->game, &s, NULL, 2, seat), paid[seat] > paid[!seat]);
}

// --- words

// A codec without words of its own: types, and then the parameters that it writes.
static struct codec without_words(const char *name)
{
    struct codec c = *find(name)->codec;
    c.speech = NULL;
    c.moves = NULL;
    return c;
}

// M54
static void moves_take_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *game, *words;
        int32_t amount; // 0: refused
        const char *why;
    } cases[] = {
        {"texas_holdem", "raise 400", 400, ""},
        {"texas_holdem", "Raise amount 400.", 400, ""},
        {"texas_holdem", "raise", 0, "raise needs amount after it"},
        {"texas_holdem", "raise much", 0, "raise needs amount after it"},
        {"texas_holdem", "raise 400 now", 0, "\"now\" is one word too many for raise"},
        {"liars_dice", "bid 3 4", 16, ""},
        {"liars_dice", "bid 3", 0, "bid needs face after it"},
        {"liars_dice", "bid 3 7", 0, "there is no bid of this kind"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct codec c = without_words(cases[i].game);
        const struct codec_table table = {.seat = codec_seat_names, .seats = 2};
        struct game_action a;
        char bytes[128];
        struct text why = text_on(bytes, sizeof bytes - 1);
        bool read = moves_read(&c, span_of(cases[i].words), &table, NULL, &a, &why);
        bytes[why.size] = 0;
        assert_string_equal(bytes, cases[i].why);
        assert_int_equal(read, cases[i].amount != 0);
        if (read)
            assert_int_equal(a.amount, cases[i].amount);
    }
}

static void expect_words(const struct text *t, const char *words)
{
    assert_int_equal(t->size, strlen(words));
    assert_memory_equal(t->at, words, t->size);
}

// L34, L36
static void lists_of_actions_name_parameters(void **state)
{
    (void)state;
    struct codec c = without_words("texas_holdem");
    const struct codec_table table = {.seat = codec_seat_names, .seats = 2};
    struct game_choice raise = {
        .first = {.kind = codec_find_type(&c, (struct json_string){.raw = SPAN("raise")})->kind}};
    struct text t = text_on(page, sizeof page);
    speech_describe_actions(&c, &t);
    expect_words(&t, "- fold\n- check\n- call AMOUNT\n- raise AMOUNT\n- allin\n");
    raise.first.amount = 400;
    raise.max_amount = 900;
    t = text_on(page, sizeof page);
    speech_describe_choice(&c, &t, &table, NULL, raise);
    expect_words(&t, "raise AMOUNT, 400 to 900\n");
}

// --- house bots

static void levels_have_a_bot(void **state)
{
    (void)state;
    const struct game_kit nothing = {0}, *k = &nothing;
    assert_ptr_equal(kit_bots(k)[0], &bot_random);
    assert_null(kit_find_bot(k, "rules"));
    assert_null(kit_find_bot(k, "house:6"));
    assert_null(kit_find_bot(k, "house:0"));
    for (int level = 1; level <= KIT_LEVELS; level++)
        assert_ptr_equal(kit_level(k, level), &bot_random);
    for (const struct game_kit *const *at = game_kits; *at; at++) {
        assert_ptr_equal(kit_find_bot(*at, "house:1"), kit_level(*at, 1));
        assert_ptr_equal(kit_find_bot(*at, "house:5"), kit_level(*at, 5));
        assert_ptr_equal(kit_find_bot(*at, "house:random"), &bot_random);
        assert_ptr_equal(kit_level(*at, 5), kit_bots(*at)[0]); // the strongest
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_plays_by_the_codec),       cmocka_unit_test(arena_tells_the_rules),
        cmocka_unit_test(whole_numbers_may_have_a_point), cmocka_unit_test(arena_refuses_by_name),
        cmocka_unit_test(environment_shows_the_game),     cmocka_unit_test(environment_finds_what_is_hidden),
        cmocka_unit_test(winners_are_paid_most),          cmocka_unit_test(levels_have_a_bot),
        cmocka_unit_test(moves_take_parameters),          cmocka_unit_test(lists_of_actions_name_parameters),
    };
    return cmocka_run_group_tests(tests, take_parts_away, NULL);
}
