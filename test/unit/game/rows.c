#include "game/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

// A game of one counter that seats add to. Its vector is the counter's share of 100, and whether the viewer has a seat.
struct toy_state {
    int32_t sum;
    int32_t seats;
};

struct toy_view {
    int32_t sum;
    int32_t seated;
};

enum { TOY_ADDED = 1, TOY_STARTED };

static int toy_init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    (void)rules;
    (void)chance;
    *(struct toy_state *)state = (struct toy_state){.seats = seats};
    game_emit(out, TOY_STARTED, 0, EVERYONE);
    return seats <= 4 ? OK : ERR_RULES;
}

static int toy_apply(void *state, int seat, struct game_action action, struct game_events *out)
{
    struct toy_state *s = state;
    if (action.amount < 0)
        return ERR_ACTION;
    s->sum += action.amount;
    struct game_event *e = game_emit(out, TOY_ADDED, seat, EVERYONE);
    if (e)
        e->amount = action.amount;
    return OK;
}

static void toy_tick(void *state, struct game_events *out)
{
    toy_apply(state, 0, (struct game_action){.amount = 1}, out);
}

static void toy_look(const void *state, int viewer, void *view)
{
    *(struct toy_view *)view = (struct toy_view){((const struct toy_state *)state)->sum, viewer != GAME_SPECTATOR};
}

static void toy_vector(const void *view, float *out)
{
    const struct toy_view *v = view;
    out[0] = (float)v->sum / 100;
    out[1] = (float)v->seated;
}

static void toy_rewards(const void *state, const struct game_events *happened, struct game_rewards *out)
{
    (void)state;
    *out = (struct game_rewards){0};
    for (uint32_t i = 0; i < happened->count; i++)
        out->at[happened->at[i].seat][0] += (float)happened->at[i].amount;
}

static const struct game slow = {.init = toy_init,
                                 .apply = toy_apply,
                                 .tick = toy_tick,
                                 .view = toy_look,
                                 .vector = toy_vector,
                                 .rewards = toy_rewards,
                                 .vector_size = 2};

// The same with rows. Its history: how often somebody added, and the last amount.
struct toy_history {
    int32_t adds, last;
};

static void begin(const void *state, void *history)
{
    (void)state;
    ((struct toy_history *)history)->last = -1;
}

static void before(const void *state, int seat, struct game_action action, struct game_mark *note)
{
    (void)seat;
    (void)action;
    note->at[0] = ((const struct toy_state *)state)->sum;
}

static void after(const void *state, void *history, int seat, struct game_action action, const struct game_mark *note)
{
    (void)seat;
    (void)action;
    struct toy_history *h = history;
    h->adds++;
    h->last = ((const struct toy_state *)state)->sum - note->at[0];
}

static void tell(const void *state, const void *history, const struct game_event *happened, int count,
                 struct game_tokens *out)
{
    (void)state;
    (void)history;
    for (int i = 0; i < count; i++)
        game_add_token(out, happened[i].kind, happened[i].seat + 1, happened[i].amount, happened[i].seat + 1);
}

static void mark(const void *state, struct game_mark *m)
{
    m->at[0] = ((const struct toy_state *)state)->sum;
}

static void earned(const void *state, const struct game_mark *m, struct game_rewards *out)
{
    *out = (struct game_rewards){0};
    out->at[1][0] = (float)(((const struct toy_state *)state)->sum - m->at[0]);
}

static const char *const colours[] = {"red", "blue", "green"};
static const struct game_span spans[] = {
    {.name = "sum", .group = "sum", .high = 1, .step = 1.0f / 255, .at = 0, .since = 1},
    {.name = "seated", .group = "seated", .high = 1, .step = 1, .at = 1, .since = 1},
    {.name = "box.#.first",
     .group = "first",
     .high = 2,
     .step = 0.5f,
     .at = 2,
     .since = 2,
     .count = {2},
     .stride = {4}},
    {.name = "box.#.#",
     .group = "box",
     .words = {NULL, colours},
     .high = 1,
     .step = 1,
     .at = 3,
     .since = 2,
     .count = {2, 3},
     .stride = {4, 1}},
    {0}};
static const struct game_token_kind kinds[] = {{"added", GAME_ARG_SEAT_1}, {"started", GAME_ARG_TEAMS}, {0}};
static const struct game_rows rows = {.size = {2, 10},
                                      .history_size = sizeof(struct toy_history),
                                      .spans = spans,
                                      .token_kinds = kinds,
                                      .begin = begin,
                                      .before = before,
                                      .after = after,
                                      .tell = tell,
                                      .mark = mark,
                                      .earned = earned};

static struct game quick(void)
{
    struct game g = slow;
    g.rows = &rows;
    return g;
}

static void a_game_without_rows_is_observed_by_its_view(void **unused)
{
    (void)unused;
    const struct toy_state s = {.sum = 50, .seats = 2};
    float row[2];
    uint8_t bytes[2];
    assert_int_equal(game_row_vectors(&slow), 1);
    assert_int_equal(game_row_size(&slow, 1), 2);
    assert_int_equal(game_row_size(&slow, 2), 0);
    assert_int_equal(game_row_size(&slow, 0), 0);
    game_observe(&slow, &s, NULL, 1, 1, GAME_F32, row);
    assert_true(row[0] == 0.5f && row[1] == 1);
    game_observe(&slow, &s, NULL, GAME_SPECTATOR, 1, GAME_U8, bytes);
    assert_int_equal(bytes[0], 127); // V33: floor(255 / 2)
    assert_int_equal(bytes[1], 0);
    struct game_element e;
    assert_true(game_row_element(&slow, 1, 1, &e));
    assert_string_equal(e.name, "v.1");
    assert_true(e.low == 0 && e.high == 1 && e.since == 1);
    assert_false(game_row_element(&slow, 1, 2, &e));
    assert_false(game_row_element(&slow, 1, -1, &e));
    assert_int_equal(game_token_kinds(&slow), 0);
}

static void a_table_gives_flags_and_counts_their_own_bytes(void **unused)
{
    (void)unused;
    const struct game g = quick();
    const struct toy_state s = {.sum = 99, .seats = 2};
    uint8_t bytes[2];
    game_observe(&g, &s, NULL, 0, 1, GAME_U8, bytes); // V33, with no observe of its own
    assert_int_equal(bytes[0], 252);
    assert_int_equal(bytes[1], 1);
}

static void every_element_has_one_name(void **unused) // V34
{
    (void)unused;
    static const char *const names[] = {"sum",         "seated",      "box.0.first", "box.0.red",  "box.0.blue",
                                        "box.0.green", "box.1.first", "box.1.red",   "box.1.blue", "box.1.green"};
    const struct game g = quick();
    struct game_element e;
    for (int i = 0; i < 10; i++) {
        assert_true(game_row_element(&g, 2, i, &e));
        assert_string_equal(e.name, names[i]);
        assert_int_equal(game_row_find(&g, 2, names[i]), i);
        assert_int_equal(e.since, i < 2 ? 1 : 2);
    }
    assert_true(game_row_element(&g, 2, 6, &e));
    assert_true(e.high == 2 && e.step == 0.5f);
    assert_string_equal(e.group, "first");
    assert_false(game_row_element(&g, 1, 2, &e)); // of version 2 only
    assert_int_equal(game_row_find(&g, 1, "box.0.red"), -1);
}

static void history_is_kept_by_steps_and_not_by_refusals(void **unused)
{
    (void)unused;
    const struct game g = quick();
    struct toy_state s;
    struct toy_history h;
    assert_int_equal(game_init_kept(&g, &s, &h, NULL, 5, (struct rng){0}, NULL, NULL), ERR_RULES);
    memset(&h, 0xff, sizeof h);
    assert_int_equal(game_init_kept(&g, &s, &h, NULL, 2, (struct rng){0}, NULL, NULL), OK);
    assert_int_equal(h.adds, 0);
    assert_int_equal(h.last, -1);
    assert_int_equal(game_apply_kept(&g, &s, &h, 1, (struct game_action){.amount = 7}, NULL, NULL), OK);
    assert_int_equal(h.adds, 1);
    assert_int_equal(h.last, 7);
    assert_int_equal(game_apply_kept(&g, &s, &h, 1, (struct game_action){.amount = -7}, NULL, NULL), ERR_ACTION);
    assert_int_equal(h.adds, 1);
    game_tick_kept(&g, &s, &h, NULL, NULL);
    assert_int_equal(h.adds, 2);
    assert_int_equal(h.last, 1);
    assert_int_equal(game_apply_kept(&slow, &s, NULL, 1, (struct game_action){.amount = 2}, NULL, NULL), OK);
    assert_int_equal(s.sum, 10);
}

static void rewards_come_from_events_or_from_differences(void **unused) // V18
{
    (void)unused;
    const struct game g = quick(), *games[] = {&slow, &g};
    for (int i = 0; i < 2; i++) {
        static struct game_events happened;
        struct toy_state s = {.seats = 2};
        struct toy_history h = {0};
        struct game_mark m;
        struct game_rewards r;
        happened.count = 0;
        assert_int_equal(game_needs_events(games[i]), i == 0);
        game_mark(games[i], &s, &m);
        game_apply_kept(games[i], &s, &h, 1, (struct game_action){.amount = 3}, i ? NULL : &happened, NULL);
        game_apply_kept(games[i], &s, &h, 1, (struct game_action){.amount = 4}, i ? NULL : &happened, NULL);
        game_earned(games[i], &s, &m, i ? NULL : &happened, &r);
        assert_true(r.at[1][0] == 7 && r.at[0][0] == 0);
    }
}

static void tokens_are_made_of_the_events_of_the_step(void **unused) // V80
{
    (void)unused;
    const struct game g = quick();
    static struct game_events happened;
    struct game_tokens tokens = {0};
    struct toy_state s;
    struct toy_history h;
    assert_int_equal(game_token_kinds(&g), 2);
    assert_int_equal(game_init_kept(&g, &s, &h, NULL, 4, (struct rng){0}, NULL, &tokens), OK);
    assert_int_equal(tokens.count, 1);
    assert_int_equal(tokens.at[0].kind, TOY_STARTED);
    happened.count = 0;
    game_apply_kept(&g, &s, &h, 3, (struct game_action){.amount = 9}, &happened, &tokens);
    game_tick_kept(&g, &s, &h, &happened, &tokens);
    assert_int_equal(happened.count, 2); // what was there before is not told twice
    assert_int_equal(tokens.count, 3);
    assert_int_equal(tokens.at[1].seat, 4);
    assert_int_equal(tokens.at[1].arg[0], 9);
    assert_int_equal(tokens.at[2].arg[0], 1);
    for (int i = 0; i < 2 * GAME_MAX_TOKENS; i++)
        game_apply_kept(&g, &s, &h, 3, (struct game_action){.amount = i}, NULL, &tokens);
    assert_int_equal(tokens.count, GAME_MAX_TOKENS); // the newest
    assert_int_equal(tokens.at[GAME_MAX_TOKENS - 1].arg[0], 2 * GAME_MAX_TOKENS - 1);
    assert_int_equal(tokens.at[0].arg[0], GAME_MAX_TOKENS);
}

static void a_token_is_read_from_the_viewers_seat(void **unused) // V80
{
    (void)unused;
    const struct game g = quick();
    static const struct {
        struct game_token token;
        int viewer;
        int16_t read[4];
    } cases[] = {
        {{1, 4, {9, 4}}, 3, {1, 1, 9, 1}},
        {{1, 4, {9, 1}}, 3, {1, 1, 9, 2}},
        {{1, 1, {9, 0}}, 3, {1, 2, 9, 0}},
        {{1, 0, {9, 4}}, GAME_SPECTATOR, {1, 0, 9, 4}},
        {{2, 0, {5, 6}}, 0, {2, 0, 5, 6}}, // by team, own first
        {{2, 0, {5, 6}}, 1, {2, 0, 6, 5}},
        {{2, 0, {5, 6}}, 2, {2, 0, 5, 6}},
        {{2, 0, {5, 6}}, GAME_SPECTATOR, {2, 0, 5, 6}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        int16_t read[4];
        game_write_token(&g, &cases[i].token, 4, cases[i].viewer, read);
        assert_memory_equal(read, cases[i].read, sizeof read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_without_rows_is_observed_by_its_view),
        cmocka_unit_test(a_table_gives_flags_and_counts_their_own_bytes),
        cmocka_unit_test(every_element_has_one_name),
        cmocka_unit_test(history_is_kept_by_steps_and_not_by_refusals),
        cmocka_unit_test(rewards_come_from_events_or_from_differences),
        cmocka_unit_test(tokens_are_made_of_the_events_of_the_step),
        cmocka_unit_test(a_token_is_read_from_the_viewers_seat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
