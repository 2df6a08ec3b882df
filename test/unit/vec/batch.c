// A batch is what its environments are one by one: the same seeds and actions give the same rows, masks, rewards and
// hashes, in every mode, for any number of threads and groups (V12, V24, V25).
#include "vec_batch.h"

#include "crypto/crypto.h"
#include "game/rows.h"
#include "games/games.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "match/match.h"

#include <math.h>
#include <stdio.h>

enum { ENVS = 12, STEPS = 160 };

// One environment, played with match and the functions of the game that views and events go through.
struct single {
    const struct game_kit *kit;
    struct match m;
    struct rng chain;
    uint64_t seed;
    uint32_t episode, length;
    int last;
    double returns[GAME_MAX_SEATS];
    float rewards[GAME_MAX_SEATS];
    struct game_events happened;
};

static void begin(struct single *s, const union game_rules *rules, int seats)
{
    const struct game *g = s->kit->game;
    struct rng root = s->episode ? rng_split(&s->chain, (UINT64_C(1) << 33) + s->episode) : s->chain; // V14
    struct match_setup setup = {
        .game = g, .rules = rules, .seats = seats, .has_seed = s->episode == 0, .seed = s->seed};
    for (int i = 0; i < RNG_KEY_BYTES; i++)
        setup.key[i] = (uint8_t)(root.key[i / 4] >> 8 * (i % 4));
    assert_int_equal(match_start(&s->m, &setup, NULL, NULL), OK);
    s->length = 0;
    memset(s->returns, 0, sizeof s->returns);
    s->last = __builtin_ctz(g->turn(&s->m.state).seats);
}

// V13: the match of a seed is the same as everywhere in the program.
static void begin_seed(struct single *s, const union game_rules *rules, int seats, uint64_t seed)
{
    uint8_t key[CRYPTO_KEY_BYTES];
    crypto_seed_key(key, s->kit->game->name, seed);
    s->chain = rng_from_key(key);
    s->seed = seed;
    s->episode = 0;
    begin(s, rules, seats);
}

static void collect(struct single *s)
{
    const struct game *g = s->kit->game;
    struct game_rewards r = {0};
    g->rewards(&s->m.state, &s->happened, &r);
    for (int seat = 0; seat < s->m.seats; seat++)
        s->rewards[seat] += game_reward(g, &r, seat);
    s->happened.count = s->happened.ticks = 0;
}

static bool can_place(const struct single *s)
{
    uint64_t mask[GAME_FLAT_WORDS];
    game_mask(s->kit->game, &s->m.state, 0, mask);
    return mask[0] >> (s->kit->inputs + 1) || mask[1];
}

// V5: a placement, one tick, and more until a piece can be placed again.
static void pass_time(struct single *s)
{
    for (int ticks = 0; !match_is_over(&s->m) && ticks < (can_place(s) ? 1 : 100); ticks++) {
        match_tick(&s->m, &s->happened);
        collect(s);
    }
}

static void answer(struct single *s, int number)
{
    const struct game *g = s->kit->game;
    struct game_turn turn = g->turn(&s->m.state);
    struct game_action a = {0};
    memset(s->rewards, 0, sizeof s->rewards);
    s->last = __builtin_ctz(turn.seats);
    if (number) {
        assert_true(g->flat(&s->m.state, s->last, number, &a));
        assert_int_equal(match_answer(&s->m, s->last, turn.number, a, &s->happened), OK);
        collect(s);
    }
    if (g->tick)
        pass_time(s);
    s->length++;
    for (int seat = 0; seat < s->m.seats; seat++)
        s->returns[seat] += (double)s->rewards[seat];
}

static void compare_row(const struct single *s, const struct batch *b, uint32_t i, const void *observations, bool over)
{
    const struct game *g = s->kit->game;
    union game_view view;
    float row[GAME_MAX_VECTOR];
    uint64_t mask[GAME_FLAT_WORDS];
    int viewer = over ? s->last : __builtin_ctz(g->turn(&s->m.state).seats);
    g->view(&s->m.state, viewer, &view);
    g->vector(&view, row);
    assert_memory_equal(row, (const float *)observations + (size_t)i * b->at.vector, b->at.vector * sizeof *row); // V32
    if (observations == b->b.final_observations)
        return;
    assert_int_equal(b->b.asked[i], over ? AGON_NOBODY : viewer);
    assert_int_equal(b->b.hashes[i], game_hash(g, &s->m.state)); // V29
    game_mask(g, &s->m.state, viewer, mask);
    bool places = g->tick && can_place(s);
    for (uint32_t a = 0; a < b->at.actions; a++) { // V3
        bool legal = mask[a / 64] >> a % 64 & 1;
        if (g->tick)
            legal = places ? legal && a > s->kit->inputs : a == 0;
        if (over)
            legal = a == 0;
        assert_int_equal(b->b.masks[(size_t)i * b->at.actions + a], legal);
        assert_int_equal(b->b.mask_words[(size_t)i * b->at.mask_words + a / 64] >> a % 64 & 1, legal);
    }
}

static void compare_rewards(const struct single *s, const struct batch *b, uint32_t i)
{
    for (uint32_t seat = 0; seat < b->at.seats; seat++) {
        size_t at = (size_t)i * b->at.seats + seat;
        float sum = 0;
        for (uint32_t c = 0; c < b->at.components; c++)
            sum += b->b.components[at * b->at.components + c];
        if (fabsf(b->b.rewards[at] - s->rewards[seat]) > 2e-6f || fabsf(sum - b->b.rewards[at]) > 2e-6f) // V16
            fail_msg("seat %u: %f, not %f (components %f)", seat, (double)b->b.rewards[at], (double)s->rewards[seat],
                     (double)sum);
    }
}

static void compare_end(const struct single *s, const struct batch *b, uint32_t i)
{
    assert_int_equal(b->b.terminated[i] + b->b.truncated[i], 1); // V7
    assert_int_equal(b->b.lengths[i], s->length);
    for (uint32_t seat = 0; seat < b->at.seats; seat++)
        assert_true(fabs((double)b->b.returns[(size_t)i * b->at.seats + seat] - s->returns[seat]) < 1e-3);
}

// One step of one environment beside the batch, which has made it. True: its episode ended.
static void follow(struct single *s, const struct batch *b, uint32_t i, const union game_rules *rules, int mode,
                   bool was_over)
{
    if (was_over && mode == AGON_NO_RESET) { // V11
        for (uint32_t seat = 0; seat < b->at.seats; seat++)
            assert_true(b->b.rewards[(size_t)i * b->at.seats + seat] == 0);
        assert_int_equal(b->b.terminated[i] + b->b.truncated[i], 1);
        compare_row(s, b, i, b->b.observations, true);
        return;
    }
    if (was_over) { // V9: the step that begins anew
        s->episode++;
        begin(s, rules, (int)b->at.seats);
        memset(s->rewards, 0, sizeof s->rewards);
    } else {
        answer(s, b->actions[i]);
    }
    bool over = match_is_over(&s->m);
    compare_rewards(s, b, i);
    if (!over)
        assert_int_equal(b->b.terminated[i] | b->b.truncated[i], 0);
    else
        compare_end(s, b, i);
    if (over && mode == AGON_SAME_STEP) { // V10
        compare_row(s, b, i, b->b.final_observations, true);
        s->episode++;
        begin(s, rules, (int)b->at.seats);
        over = false;
    }
    compare_row(s, b, i, b->b.observations, over);
}

static void read_rules(const struct game_kit *k, union game_rules *rules)
{
    memset(rules, 0, sizeof *rules);
    k->game->defaults(rules);
    k->game->scenario(rules, 0);
    const char *forced = k->environment ? k->environment->forced : NULL;
    struct json_reader r = json_reader_of(forced ? span_of(forced) : SPAN("{}"), 8);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        k->codec->read_rule(&r, key, rules);
}

static void play_beside(const struct game_kit *k, int mode, uint32_t threads)
{
    static struct single singles[ENVS];
    bool was_over[ENVS] = {0};
    union game_rules rules;
    struct agon_config c = agon_default_config();
    c.game = k->game->name, c.num_envs = ENVS, c.seed = 100, c.vector = 1;
    c.autoreset = (uint8_t)mode, c.threads = threads;
    struct batch b = batch_open(&c);
    read_rules(k, &rules);
    batch_reset(&b);
    for (uint32_t i = 0; i < ENVS; i++) {
        singles[i] = (struct single){.kit = k};
        begin_seed(&singles[i], &rules, (int)b.at.seats, 100 + i);
        compare_row(&singles[i], &b, i, b.b.observations, false);
    }
    for (int step = 0; step < STEPS; step++) {
        assert_int_equal(batch_step(&b), 0);
        for (uint32_t i = 0; i < ENVS; i++) {
            follow(&singles[i], &b, i, &rules, mode, was_over[i]);
            was_over[i] = mode != AGON_SAME_STEP && match_is_over(&singles[i].m);
        }
    }
    batch_close(&b);
}

static void a_batch_is_its_environments(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (int mode = AGON_NEXT_STEP; mode <= AGON_NO_RESET; mode++)
            play_beside(*k, mode, mode == AGON_NEXT_STEP ? 2 : 0);
}

// ---- The house (V14) ------------------------------------------------------------------------------------------------

// As contests play: the lowest seat that is asked first, decisions numbered by steps. The caller's seat is silent.
static uint64_t play_contest(const struct game_kit *k, int caller, int seats, const struct bot *bot, uint64_t seed)
{
    struct match m;
    union game_rules rules;
    struct text log = {.grow = heap_text_grow};
    struct match_setup setup = {.game = k->game, .rules = &rules, .seats = seats, .has_seed = true, .seed = seed};
    read_rules(k, &rules);
    crypto_seed_key(setup.key, k->game->name, seed);
    assert_int_equal(match_start(&m, &setup, &log, NULL), OK); // bots with a memory find it in the log
    while (!match_is_over(&m)) {
        struct game_turn turn = k->game->turn(&m.state);
        int seat = __builtin_ctz(turn.seats);
        if (seat == caller)
            assert_int_equal(match_play_fallback(&m, seat, NULL), OK);
        else
            assert_int_equal(
                match_answer(&m, seat, turn.number, house_ask(&m, bot, seat, (uint32_t)m.steps, 0.5f), NULL), OK);
    }
    free(log.at);
    return game_hash(k->game, &m.state);
}

static void compare_contest(const struct game_kit *k, const struct bot *bot, uint64_t seed)
{
    struct agon_config c = agon_default_config();
    c.game = k->game->name, c.num_envs = 1, c.seed = seed, c.seats = (uint32_t)k->game->max_seats < 3 ? 2 : 4;
    c.illegal = AGON_FALLBACK, c.autoreset = AGON_NO_RESET;
    for (uint32_t s = 0; s < c.seats; s++)
        c.house[s] = s == 1 ? NULL : bot->name;
    struct batch b = batch_open(&c);
    batch_reset(&b);
    while (!b.b.terminated[0] && !b.b.truncated[0]) {
        b.actions[0] = -1;
        assert_int_equal(agon_step(b.v), 1);
    }
    if (b.b.hashes[0] != play_contest(k, 1, (int)c.seats, bot, seed))
        fail_msg("%s, house:%s, seed %d", c.game, bot->name, (int)seed);
    batch_close(&b);
}

// V4, V14: with the house at all seats but one, a batch plays the match of a contest, bots with dice and with a memory
// too.
static void the_house_plays_as_in_contests(void **unused)
{
    (void)unused;
    static const char *const cheap[] = {"random", "rules", "novice", "honest", "glance"};
    int played = 0;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (size_t i = 0; (*k)->game->max_seats > 1 && i < sizeof cheap / sizeof *cheap; i++) {
            const struct bot *bot = kit_find_bot(*k, cheap[i]);
            for (uint64_t seed = 1; bot && seed <= 2; seed++, played++)
                compare_contest(*k, bot, seed);
        }
    assert_true(played >= 20);
}

// ---- Threads and groups ---------------------------------------------------------------------------------------------

static uint64_t run(const char *game, uint32_t threads, uint32_t groups, uint8_t rows)
{
    struct agon_config c = agon_default_config();
    c.game = game, c.num_envs = 96, c.seed = 5, c.threads = threads, c.groups = groups, c.rows = rows;
    c.autoreset = AGON_SAME_STEP;
    struct agon_game g = agon_no_game();
    assert_int_equal(agon_find_game(game, &g), AGON_OK);
    if (g.max_seats > 1)
        c.house[1] = "random", c.rotate = 1;
    struct batch b = batch_open(&c);
    uint64_t sum = 0;
    batch_reset(&b);
    for (int step = 0; step < 16; step++) {
        sum = sum * 31 + batch_hash(&b);
        assert_int_equal(batch_step(&b), 0);
    }
    sum = sum * 31 + batch_hash(&b);
    batch_close(&b);
    return sum;
}

static void results_do_not_depend_on_threads_or_groups(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (uint8_t rows = AGON_ROW_ASKED; rows <= AGON_ROW_SEATS; rows++) {
            uint64_t one = run((*k)->game->name, 0, 1, rows);
            for (uint32_t threads = 1; threads <= 4; threads *= 2)
                assert_true(run((*k)->game->name, threads, 1, rows) == one);
            assert_true(run((*k)->game->name, 2, 4, rows) == one);
            assert_true(run((*k)->game->name, 0, 3, rows) == one);
        }
}

// V25, V26: two groups sent and received in turns are one batch.
static void groups_overlap(void **unused)
{
    (void)unused;
    for (uint32_t threads = 0; threads <= 2; threads += 2) {
        struct agon_config c = agon_default_config();
        c.game = "liars_dice", c.num_envs = 128, c.threads = threads, c.groups = 2;
        struct batch sent = batch_open(&c), stepped = batch_open(&c);
        batch_reset(&sent), batch_reset(&stepped);
        assert_int_equal(agon_receive(sent.v, 0), AGON_IDLE);
        for (int step = 0; step < 60; step++) {
            batch_sample(&sent);
            assert_int_equal(agon_send(sent.v, 0), AGON_OK);
            assert_int_equal(agon_send(sent.v, 1), AGON_OK);
            assert_int_equal(agon_send(sent.v, 1), AGON_BUSY);
            assert_int_equal(agon_step(sent.v), AGON_BUSY);
            assert_in_range(agon_ready(sent.v, 0), 0, 1);
            assert_int_equal(agon_receive(sent.v, 1), 0);
            assert_int_equal(agon_receive(sent.v, 0), 0);
            assert_int_equal(batch_step(&stepped), 0);
            assert_memory_equal(sent.memory, stepped.memory, sent.size);
        }
        batch_sample(&sent);
        assert_int_equal(agon_send(sent.v, 0), AGON_OK); // destroy waits for it
        batch_close(&sent), batch_close(&stepped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_its_environments),
        cmocka_unit_test(the_house_plays_as_in_contests),
        cmocka_unit_test(results_do_not_depend_on_threads_or_groups),
        cmocka_unit_test(groups_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
