// What the calls of include/agon.h promise one by one: refusals, errors of single environments, copies, logs, looks.
#include "vec_batch.h"

#include "game/rows.h"
#include "games/games.h"
#include "match/replay.h"
#include "vec/internal.h"

#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct agon_config config_of(const char *game, uint32_t envs)
{
    struct agon_config c = agon_default_config();
    c.game = game, c.num_envs = envs, c.seed = 7;
    return c;
}

static struct batch open_reset(const struct agon_config *c)
{
    struct batch b = batch_open(c);
    batch_reset(&b);
    return b;
}

static void assert_said(int status, int expected, const char *part)
{
    assert_int_equal(status, expected);
    if (!strstr(agon_last_error(), part))
        fail_msg("'%s' is not in '%s'", part, agon_last_error());
}

// ---- Configuration --------------------------------------------------------------------------------------------------

static void bad_configurations_are_refused(void **unused)
{
    (void)unused;
    static const char *const no_rule[] = {"windows=open", NULL}, *const not_named[] = {"starter", NULL},
                             *const unknown[] = {"colour=red", NULL};
    const struct agon_config good = config_of("coup", 4);
    agon_vec *v = NULL;
    struct {
        struct agon_config c;
        const char *part;
    } cases[24];
    int n = 0;
#define BAD(text, change)                                                                                              \
    do {                                                                                                               \
        struct agon_config c = good;                                                                                   \
        change;                                                                                                        \
        cases[n].c = c, cases[n++].part = text;                                                                        \
    } while (0)
    BAD("struct_size", c.struct_size = 4);
    BAD("num_envs", c.num_envs = 0);
    BAD("num_envs", c.num_envs = 1 << 21);
    BAD("did you mean 'coup'", c.game = "cuop");
    BAD("unknown game", c.game = NULL);
    BAD("known: players_4", c.scenario = "nothing");
    BAD("coup has 2 to 6", c.seats = 7);
    BAD("windows=open", c.options = no_rule);
    BAD("name=value", c.options = not_named);
    BAD("colour=red", c.options = unknown);
    BAD("vector", c.vector = 3);
    BAD("dtype", c.dtype = 2);
    BAD("rows", c.rows = 2);
    BAD("autoreset", c.autoreset = 3);
    BAD("illegal", c.illegal = 3);
    BAD("equal runs", c.groups = 3);
    BAD("aggro", c.aggro = NAN);
    BAD("reserved", c.reserved[1] = 1);
    BAD("no seat 9", c.house[9] = "random");
    BAD("no house player 'me'; known: ", c.house[0] = "me");
    BAD("at least one seat", (c.seats = 2, c.house[0] = c.house[1] = "random"));
    BAD("viewers_all", (c.viewers_all = 1, c.rows = AGON_ROW_SEATS));
    for (int i = 0; i < n; i++) {
        assert_said(agon_create(&cases[i].c, &v), AGON_CONFIG_REFUSED, cases[i].part);
        assert_null(v);
    }
    assert_int_equal(agon_create(&good, NULL), AGON_RANGE);
    assert_said(agon_create(NULL, &v), AGON_CONFIG_REFUSED, "struct_size");
}

// A caller with an older header: what it does not know is a default. One with a newer header may ask for nothing new.
static void configurations_of_other_versions(void **unused)
{
    (void)unused;
    struct {
        struct agon_config c;
        uint64_t later;
    } newer = {config_of("coup", 1), 0};
    agon_vec *v = NULL;
    newer.c.rotate = 7; // beyond what the old one has
    newer.c.struct_size = offsetof(struct agon_config, rotate);
    assert_int_equal(agon_create(&newer.c, &v), AGON_OK);
    agon_destroy(v);
    newer.c.rotate = 0;
    newer.c.struct_size = sizeof newer;
    assert_int_equal(agon_create(&newer.c, &v), AGON_OK);
    agon_destroy(v);
    newer.later = 1;
    assert_said(agon_create(&newer.c, &v), AGON_CONFIG_REFUSED, "does not have");
    struct agon_layout small = {.struct_size = 12};
    assert_int_equal(
        agon_create(&(struct agon_config){.struct_size = sizeof(struct agon_config), .num_envs = 3, .game = "coup"},
                    &v),
        AGON_OK);
    assert_int_equal(agon_get_layout(v, &small), AGON_OK);
    assert_int_equal(small.envs, 3);
    assert_int_equal(small.seats, 0); // not written
    agon_destroy(v);
}

static void options_are_the_rules_of_the_game(void **unused)
{
    (void)unused;
    static const char *const list[] = {"queue=I:O:T", "preview=2", NULL}, *const json[] = {"queue=[\"I\",\"O\",\"T\"]",
                                                                                           "preview=2", NULL};
    struct agon_config c = config_of("tetris", 1);
    c.options = list;
    struct batch one = open_reset(&c);
    c.options = json;
    struct batch other = open_reset(&c);
    assert_true(one.b.hashes[0] == other.b.hashes[0]);
    c.options = NULL;
    struct batch plain = open_reset(&c);
    assert_true(one.b.hashes[0] != plain.b.hashes[0]);
    batch_close(&one), batch_close(&other), batch_close(&plain);
}

// ---- Catalogue ------------------------------------------------------------------------------------------------------

static void games_and_their_parts_have_names(void **unused)
{
    (void)unused;
    struct agon_game g = agon_no_game();
    struct agon_element e = agon_no_element();
    char name[128], other[128];
    assert_int_equal(agon_abi(), AGON_ABI);
    assert_string_equal(agon_version(), AGON_VERSION);
    for (int i = 0; i < agon_game_count(); i++) {
        assert_int_equal(agon_get_game(i, &g), AGON_OK);
        assert_non_null(g.bots[0]);
        for (uint32_t version = 1; version <= g.vectors; version++) {
            int size = agon_vector_size(g.name, version);
            for (int at = 0; at < size; at++) { // V34: every name leads back to its element
                assert_int_equal(agon_get_element(g.name, version, (uint32_t)at, &e), AGON_OK);
                assert_int_equal(agon_find_element(g.name, version, e.name), at);
                assert_true(e.low <= e.high && e.step > 0 && e.since <= version);
            }
            assert_int_equal(agon_get_element(g.name, version, (uint32_t)size, &e), AGON_RANGE);
        }
        assert_int_equal(agon_vector_size(g.name, g.vectors + 1), AGON_RANGE);
        for (uint32_t a = 0; a < g.actions; a++) { // names are unique, so each leads back
            int size = agon_action_name(g.name, a, name, sizeof name);
            assert_int_equal(size, strlen(name));
            assert_int_equal(agon_action_name(g.name, a, NULL, 0), size);
            assert_int_equal(agon_action_name(g.name, a, NULL, sizeof name), AGON_TOO_SHORT);
            assert_int_equal(agon_action_name(g.name, a, other, (size_t)size), AGON_TOO_SHORT);
            if (agon_find_action(g.name, name) != (int)a)
                fail_msg("%s: action %u is '%s' like %d", g.name, a, name, agon_find_action(g.name, name));
        }
        assert_int_equal(agon_action_name(g.name, g.actions, name, sizeof name), AGON_RANGE);
    }
    assert_int_equal(agon_get_game(-1, &g), AGON_RANGE);
    assert_int_equal(agon_find_game("bridge", &g), AGON_CONFIG_REFUSED);
    assert_int_equal(agon_find_action("coup", "jump"), AGON_RANGE);
    g.struct_size = 0;
    assert_int_equal(agon_get_game(0, &g), AGON_RANGE);
    for (int status = 1; status > -40; status--)
        assert_true(strlen(agon_status_text(status)) > 0);
    assert_string_equal(agon_status_text(AGON_FORKED), "the batch belongs to the parent process");
    assert_string_equal(agon_status_text(-6), "the system refused");
}

// ---- Buffers and order of calls (V21, V22) --------------------------------------------------------------------------

static void buffers_are_checked_when_they_are_bound(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("liars_dice", 4);
    struct batch b = batch_open(&c);
    struct agon_buffers bad = b.b;
    bad.rewards = (float *)(void *)((char *)b.b.rewards + 2);
    assert_said(agon_bind(b.v, 0, &bad), AGON_BAD_BUFFER, "rewards is not aligned");
    bad = b.b, bad.asked = b.b.masks + 3;
    assert_said(agon_bind(b.v, 0, &bad), AGON_BAD_BUFFER, "overlap");
    bad = b.b, bad.actions = NULL;
    assert_said(agon_bind(b.v, 0, &bad), AGON_BAD_BUFFER, "actions");
    bad = b.b, bad.tokens = b.memory;
    assert_said(agon_bind(b.v, 0, &bad), AGON_BAD_BUFFER, "tokens");
    bad = b.b, bad.struct_size = 0;
    assert_said(agon_bind(b.v, 0, &bad), AGON_BAD_BUFFER, "struct_size");
    assert_said(agon_bind(b.v, 1, &b.b), AGON_RANGE, "group 1");
    assert_said(agon_bind(NULL, 0, &b.b), AGON_RANGE, "NULL");
    batch_close(&b);
}

static void nothing_moves_before_it_may(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("coup", 4);
    agon_vec *v;
    uint8_t which[4] = {1, 0, 0, 1};
    assert_int_equal(agon_create(&c, &v), AGON_OK);
    assert_said(agon_reset(v, NULL, NULL), AGON_NOT_BOUND, "call bind first");
    assert_said(agon_step(v), AGON_NOT_BOUND, "call bind first");
    agon_destroy(v);
    struct batch b = batch_open(&c);
    assert_said(agon_step(b.v), AGON_NOT_BOUND, "call reset first");
    assert_int_equal(agon_sample(b.v, 0, &b.draws, b.actions), AGON_NOT_BOUND);
    assert_int_equal(agon_reset(b.v, which, NULL), AGON_OK);
    assert_int_equal(agon_step(b.v), AGON_NOT_BOUND); // two have no episode
    assert_int_equal(agon_hash(b.v, 1), 0);
    assert_int_not_equal(agon_hash(b.v, 0), 0);
    batch_reset(&b);
    assert_int_equal(batch_step(&b), 0);
    assert_int_equal(agon_hash(b.v, 4), 0);
    assert_int_equal(agon_apply(b.v, 4, 1, NULL), AGON_RANGE);
    assert_int_equal(agon_ready(b.v, 0), AGON_IDLE);
    agon_destroy(NULL);
    batch_close(&b);
}

// ---- Errors of single environments (V20) ----------------------------------------------------------------------------

static int32_t masked_number(const struct batch *b, uint32_t row)
{
    for (uint32_t a = 1; a < b->at.actions; a++)
        if (!b->b.masks[row * b->at.actions + a])
            return (int32_t)a;
    fail();
    return 0;
}

static void illegal_numbers_concern_their_environment_alone(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (uint8_t policy = AGON_REFUSE; policy <= AGON_FORFEIT; policy++) {
            struct agon_config c = config_of((*k)->game->name, 4);
            c.illegal = policy;
            struct batch b = open_reset(&c), clean = open_reset(&c);
            uint64_t before = b.b.hashes[1];
            batch_sample(&b), batch_sample(&clean);
            b.actions[1] = masked_number(&b, 1);
            b.actions[2] = INT32_MIN;
            assert_int_equal(agon_step(clean.v), 0);
            assert_int_equal(agon_step(b.v), 2);
            assert_int_equal(b.b.errors[0], 0);
            assert_int_equal(b.b.errors[1], AGON_ILLEGAL);
            assert_int_equal(b.b.errors[2], AGON_OUT_OF_SPACE);
            assert_true(b.b.hashes[0] == clean.b.hashes[0] && b.b.hashes[3] == clean.b.hashes[3]);
            assert_int_equal(b.b.hashes[1] == before, policy == AGON_REFUSE);
            batch_sample(&b); // it goes on
            assert_int_equal(agon_step(b.v), 0);
            batch_close(&b), batch_close(&clean);
        }
}

static void refused_environments_repeat_their_row(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("leduc_poker", 2);
    struct batch b = open_reset(&c);
    float row[640];
    for (int i = 0; i < 20; i++) {
        memcpy(row, (float *)b.b.observations + b.at.vector, b.at.vector * sizeof *row);
        uint8_t asked = b.b.asked[1], over = b.b.terminated[1];
        batch_sample(&b);
        b.actions[1] = (int32_t)b.at.actions;
        assert_int_equal(agon_step(b.v), !over);
        if (!over) {
            assert_memory_equal(row, (float *)b.b.observations + b.at.vector, b.at.vector * sizeof *row);
            assert_int_equal(b.b.asked[1], asked);
            assert_true(b.b.rewards[2] == 0 && b.b.rewards[3] == 0 && b.b.own_reward[1] == 0);
        }
    }
    batch_close(&b);
}

// ---- Rewards --------------------------------------------------------------------------------------------------------

// V17: what is unpaid is what was earned since the seat answered last; what a seat is paid in all is its return.
static void unpaid_rewards_add_up(void **unused)
{
    (void)unused;
    static const char *const games[] = {"leduc_poker", "liars_dice", "coup", "texas_holdem", "belote"};
    for (int g = 0; g < 5; g++)
        for (int house = 0; house < 2; house++) {
            struct agon_config c = config_of(games[g], 8);
            c.house[1] = house ? "random" : NULL, c.rotate = 1;
            struct batch b = open_reset(&c);
            double paid[8][AGON_MAX_SEATS] = {0};
            float open[8][AGON_MAX_SEATS] = {0};
            int ends = 0;
            for (int step = 0; step < 1500; step++) {
                uint8_t asked[8], was_over[8];
                memcpy(asked, b.b.asked, 8);
                for (int i = 0; i < 8; i++)
                    was_over[i] = b.b.terminated[i] | b.b.truncated[i];
                assert_int_equal(batch_step(&b), 0);
                for (uint32_t i = 0; i < 8; i++) {
                    const float *unpaid = b.b.unpaid + i * b.at.seats, *rewards = b.b.rewards + i * b.at.seats;
                    if (was_over[i]) {
                        memset(paid[i], 0, sizeof paid[i]), memset(open[i], 0, sizeof open[i]);
                        assert_true(b.b.own_reward[i] == 0);
                        continue;
                    }
                    paid[i][asked[i]] += (double)open[i][asked[i]];
                    open[i][asked[i]] = 0;
                    for (uint32_t s = 0; s < b.at.seats; s++) {
                        open[i][s] += rewards[s];
                        assert_true(unpaid[s] == open[i][s]);
                    }
                    bool over = b.b.terminated[i] | b.b.truncated[i];
                    assert_true(b.b.own_reward[i] == unpaid[over ? asked[i] : b.b.asked[i]]);
                    for (uint32_t s = 0; over && s < b.at.seats; s++)
                        assert_true(fabs(paid[i][s] + (double)unpaid[s] - (double)b.b.returns[i * b.at.seats + s]) <
                                    1e-3);
                    ends += over;
                }
            }
            assert_true(ends > 0);
            batch_close(&b);
        }
}

// ---- Time, limits, seats --------------------------------------------------------------------------------------------

static void long_episodes_are_truncated(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("belote", 3);
    c.max_steps = 5;
    struct batch b = open_reset(&c);
    for (int step = 1; step <= 5; step++) {
        assert_int_equal(batch_step(&b), 0);
        assert_int_equal(b.b.truncated[0], step == 5); // V7
        assert_int_equal(b.b.terminated[0], 0);
    }
    assert_int_equal(b.b.lengths[2], 5);
    assert_int_equal(b.b.asked[0], AGON_NOBODY);
    assert_int_equal(batch_step(&b), 0);
    assert_int_equal(b.b.truncated[0], 0);
    batch_close(&b);
}

// V5: inputs and 0, then so many ticks.
static void inputs_take_the_ticks_they_are_given(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("tetris", 2);
    c.pace = AGON_INPUTS, c.ticks = 3;
    struct batch b = open_reset(&c);
    for (uint32_t a = 0; a < b.at.actions; a++)
        assert_int_equal(b.b.masks[a], a < 8);
    b.actions[0] = 0, b.actions[1] = 1;
    assert_int_equal(agon_step(b.v), 0);
    assert_int_equal(b.b.ticks[0], 3);
    assert_int_equal(b.b.ticks[1], 3);
    b.actions[0] = 8;
    assert_int_equal(agon_step(b.v), 1);
    assert_int_equal(b.b.errors[0], AGON_ILLEGAL);
    batch_close(&b);
    c.pace = AGON_BOTH;
    b = open_reset(&c);
    b.actions[0] = 12, b.actions[1] = 0;
    assert_int_equal(agon_step(b.v), 0);
    assert_int_equal(b.b.ticks[0], 1); // a placement, and one can be placed again
    assert_int_equal(b.b.ticks[1], 3);
    batch_close(&b);
}

// V1, V2: a window of Coup asks one seat after the other, or all at once; it ends alike.
static void windows_are_answered_one_by_one_or_together(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("coup", 1);
    struct batch asked = open_reset(&c);
    c.rows = AGON_ROW_SEATS;
    struct batch seats = open_reset(&c);
    struct rng dice = {.key = {3}};
    int windows = 0;
    for (int step = 0; step < 400 && !seats.b.terminated[0]; step++) {
        uint16_t set = seats.b.asked_set[0];
        windows += __builtin_popcount(set) > 1;
        for (uint32_t s = 0; s < seats.at.seats; s++) {
            const uint8_t *mask = seats.b.masks + s * seats.at.actions;
            assert_int_equal(mask[0], !(set >> s & 1)); // V3
            do
                seats.actions[s] = (int32_t)rng_below(&dice, seats.at.actions);
            while (set >> s & 1 && !mask[seats.actions[s]]); // the others are not read
        }
        for (unsigned left = set; left; left &= left - 1) {
            uint32_t s = (uint32_t)__builtin_ctz(left);
            assert_int_equal(asked.b.asked[0], s);
            assert_memory_equal(asked.b.masks, seats.b.masks + s * seats.at.actions, seats.at.actions);
            assert_memory_equal(asked.b.observations, (float *)seats.b.observations + s * seats.at.vector,
                                s == (uint32_t)__builtin_ctz(set) ? seats.at.vector * sizeof(float) : 0);
            asked.actions[0] = seats.actions[s];
            assert_int_equal(agon_step(asked.v), 0);
        }
        assert_int_equal(agon_step(seats.v), 0);
        assert_true(asked.b.hashes[0] == seats.b.hashes[0]);
    }
    assert_true(windows > 3 && seats.b.terminated[0]);
    batch_close(&asked), batch_close(&seats);
}

// V4, V14: house players answer inside the step, alike every time; with `rotate` each episode has them one seat
// further.
static void the_house_plays_inside_the_step(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("liars_dice", 2);
    c.seats = 3, c.house[1] = c.house[2] = "rules", c.rotate = 1;
    struct batch one = open_reset(&c), two = open_reset(&c);
    uint8_t own = 0;
    for (int step = 0, episode = 0; step < 300; step++) {
        assert_int_equal(batch_step(&one), 0);
        assert_int_equal(batch_step(&two), 0);
        assert_memory_equal(one.memory, two.memory, one.size);
        if (one.b.terminated[0]) {
            episode++;
            continue;
        }
        own = one.b.asked[0];
        assert_int_equal(own, episode % 3);
        assert_int_equal(one.b.asked_set[0], 1 << own);
    }
    batch_close(&one), batch_close(&two);
}

// V27: environments with equal episodes have equal snapshots, whatever seats the house had in the episodes before.
static void episodes_leave_nothing_behind(void **unused)
{
    (void)unused;
    static const struct {
        const char *game, *house;
    } cases[] = {{"liars_dice", "rules"}, {"coup", "glance"}}; // the second has a memory
    for (int i = 0; i < 2; i++) {
        struct agon_config c = config_of(cases[i].game, 2);
        c.seats = 3, c.house[1] = cases[i].house, c.rotate = 1;
        struct batch b = open_reset(&c);
        uint8_t *one = malloc(b.at.snapshot_bytes), *other = malloc(b.at.snapshot_bytes);
        int ends = 0;
        for (int step = 0; ends < 2; step++) {
            assert_int_equal(batch_step(&b), 0);
            ends += b.b.terminated[0];
            assert_true(step < 2000);
        }
        assert_int_equal(agon_reset(b.v, (uint8_t[]){1, 0}, (uint64_t[]){7, 7}), AGON_OK);
        assert_int_equal(agon_save(b.v, 0, one, b.at.snapshot_bytes), b.at.snapshot_bytes);
        struct batch fresh = open_reset(&c);
        assert_int_equal(agon_reset(fresh.v, NULL, (uint64_t[]){7, 7}), AGON_OK);
        assert_int_equal(agon_save(fresh.v, 0, other, fresh.at.snapshot_bytes), fresh.at.snapshot_bytes);
        assert_memory_equal(one, other, b.at.snapshot_bytes);
        free(one), free(other);
        batch_close(&b), batch_close(&fresh);
    }
}

// What this processor can do quicker gives the same bytes and the same draws as what every processor can.
static void processors_agree_on_masks(void **unused)
{
    (void)unused;
    uint64_t words[GAME_FLAT_WORDS], state = 5;
    for (uint32_t actions = 1; actions <= GAME_MAX_FLAT; actions++) {
        uint8_t out[2][GAME_MAX_FLAT + 1];
        for (int i = 0; i < GAME_FLAT_WORDS; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            words[i] = state ^ state >> 29;
        }
        for (int wide = 0; wide < 2; wide++) {
            memset(out[wide], 7, sizeof out[wide]);
            row_expand_mask(words, actions, wide && row_can_be_wide(), out[wide]);
            for (uint32_t a = 0; a < actions; a++)
                assert_int_equal(out[wide][a], words[a / 64] >> a % 64 & 1);
            assert_int_equal(out[wide][actions], 7); // that of the next row
        }
    }
    static const char *const games[] = {"leduc_poker", "tetris", "liars_dice"}; // masks of one, two and three words
    for (int g = 0; g < 3; g++) {
        struct agon_config c = config_of(games[g], 64);
        struct batch b = open_reset(&c);
        int32_t quick[64];
        for (int step = 0; step < 50; step++) {
            uint64_t first = (uint64_t)step * 999, second = first;
            b.v->deposits = sample_can_deposit();
            assert_int_equal(agon_sample(b.v, 0, &first, quick), AGON_OK);
            b.v->deposits = false;
            assert_int_equal(agon_sample(b.v, 0, &second, b.actions), AGON_OK);
            assert_memory_equal(quick, b.actions, sizeof quick);
            assert_int_equal(agon_step(b.v), 0);
        }
        batch_close(&b);
    }
}

// N1.6: what the house remembers is part of a snapshot.
static void the_house_remembers_in_a_snapshot(void **unused)
{
    (void)unused;
    enum { BEFORE = 12, AFTER = 10 };
    struct agon_config c = config_of("coup", 1);
    c.seats = 3, c.house[1] = "glance", c.house[2] = "honest";
    int told = 0;
    for (c.seed = 1; c.seed <= 4; c.seed++) {
        struct batch b = open_reset(&c), other = open_reset(&c);
        uint8_t *saved = malloc(b.at.snapshot_bytes);
        int32_t played[AFTER];
        uint64_t hashes[AFTER];
        for (int i = 0; i < BEFORE; i++)
            batch_step(&b);
        assert_int_equal(agon_save(b.v, 0, saved, b.at.snapshot_bytes), b.at.snapshot_bytes);
        for (int i = 0; i < AFTER; i++) {
            batch_step(&b);
            played[i] = b.actions[0];
            hashes[i] = b.b.hashes[0];
        }
        assert_int_equal(agon_load(other.v, 0, saved, b.at.snapshot_bytes), AGON_OK);
        for (int i = 0; i < AFTER; i++) {
            other.actions[0] = played[i];
            assert_int_equal(agon_step(other.v), 0);
            assert_true(other.b.hashes[0] == hashes[i]);
        }
        // One with other memories is none of this vec.
        c.house[1] = "honest";
        struct batch foreign = open_reset(&c);
        assert_int_equal(agon_load(foreign.v, 0, saved, b.at.snapshot_bytes), AGON_FOREIGN);
        c.house[1] = "glance";
        told += b.b.lengths[0] > 0 || hashes[0] != hashes[AFTER - 1];
        free(saved);
        batch_close(&b), batch_close(&other), batch_close(&foreign);
    }
    assert_true(told > 0);
}

static void seeds_begin_the_same_match_again(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("belote", 3);
    struct batch b = open_reset(&c);
    uint64_t first[3], seeds[3] = {9, 7, 8};
    memcpy(first, b.b.hashes, sizeof first);
    assert_true(first[0] != first[1]);
    batch_reset(&b); // V14: the next of each chain
    assert_true(b.b.hashes[0] != first[0]);
    assert_int_equal(agon_reset(b.v, NULL, seeds), AGON_OK);
    assert_true(b.b.hashes[1] == first[0] && b.b.hashes[2] == first[1] && b.b.hashes[0] == first[2]);
    const uint8_t which[3] = {0, 1, 0};
    uint64_t kept = b.b.hashes[0];
    assert_int_equal(agon_reset(b.v, which, NULL), AGON_OK);
    assert_true(b.b.hashes[0] == kept && b.b.hashes[1] != first[0]);
    batch_close(&b);
}

// V15: one draw a row, in row order, and legal numbers of equal chance.
static void samples_are_legal_and_fair(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("tetris", 1);
    struct batch b = open_reset(&c);
    int count[88] = {0}, legal = 0;
    for (int i = 0; i < 34000; i++)
        batch_sample(&b), count[b.actions[0]]++;
    for (int a = 0; a < 88; a++)
        legal += b.b.masks[a];
    for (int a = 0; a < 88; a++)
        if (b.b.masks[a])
            assert_in_range(count[a], 34000 / legal * 4 / 5, 34000 / legal * 6 / 5);
        else
            assert_int_equal(count[a], 0);
    batch_close(&b);
}

// V33: bytes lead back to floats.
static void bytes_are_floats_divided_by_their_step(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct agon_config c = config_of((*k)->game->name, 4);
        struct batch floats = open_reset(&c);
        c.dtype = AGON_U8;
        struct batch bytes = open_reset(&c);
        struct agon_element e = agon_no_element();
        for (int step = 0; step < 60; step++) {
            assert_int_equal(batch_step(&floats), 0);
            assert_int_equal(batch_step(&bytes), 0);
            for (uint32_t i = 0; i < floats.at.vector; i++) {
                agon_get_element(c.game, 0, i, &e);
                float value = ((float *)floats.b.observations)[i];
                float back = e.low + (float)((uint8_t *)bytes.b.observations)[i] * e.step;
                if (back > value + 1e-5f || back < fminf(value, e.low + 255 * e.step) - e.step - 1e-5f)
                    fail_msg("%s %s: %f, not %f", c.game, e.name, (double)back, (double)value);
            }
        }
        batch_close(&floats), batch_close(&bytes);
    }
}

static void critics_see_all_rows_at_once(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("texas_holdem", 2);
    c.viewers_all = 1;
    struct batch all = open_reset(&c);
    c.viewers_all = 0, c.rows = AGON_ROW_SEATS;
    struct batch seats = open_reset(&c);
    assert_int_equal(all.at.vector, seats.at.vector * seats.at.seats);
    assert_memory_equal(all.b.observations, seats.b.observations, all.at.observations_bytes);
    batch_close(&all), batch_close(&seats);
}

// V31: a newer vector begins with the older one.
static void newer_vectors_begin_with_older_ones(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct agon_config c = config_of((*k)->game->name, 3);
        struct batch newest = open_reset(&c);
        c.vector = 1;
        struct batch first = open_reset(&c);
        for (int step = 0; step < 80; step++) {
            for (uint32_t i = 0; i < 3; i++)
                assert_memory_equal((float *)newest.b.observations + i * newest.at.vector,
                                    (float *)first.b.observations + i * first.at.vector,
                                    first.at.vector * sizeof(float));
            assert_int_equal(batch_step(&newest), 0);
            assert_int_equal(batch_step(&first), 0);
        }
        batch_close(&newest), batch_close(&first);
    }
}

// V81: a new match clears the tokens of the one before.
static void tokens_are_of_this_match_alone(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct agon_config c = config_of((*k)->game->name, 1);
        const uint64_t seed = 7;
        c.tokens = 32;
        struct batch b = open_reset(&c);
        int16_t fresh[32 * 4];
        memcpy(fresh, b.b.tokens, sizeof fresh);
        for (int step = 0; step < 40; step++)
            assert_int_equal(batch_step(&b), 0);
        if (game_token_kinds((*k)->game)) // V80: newest last
            assert_int_not_equal(b.b.tokens[31 * 4], 0);
        assert_int_equal(agon_reset(b.v, NULL, &seed), AGON_OK);
        assert_memory_equal(b.b.tokens, fresh, sizeof fresh);
        batch_close(&b);
    }
}

// V6, V8: an episode is a match, as long as its rules make it; all seats end together.
static void an_episode_is_a_match(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("texas_holdem", 8);
    c.seats = 3, c.scenario = "single_hand";
    struct batch b = open_reset(&c);
    uint32_t most = 0, ends = 0;
    for (int step = 0; step < 300; step++) {
        assert_int_equal(batch_step(&b), 0);
        for (uint32_t i = 0; i < 8; i++) {
            if (!b.b.terminated[i])
                continue;
            float sum = 0;
            for (uint32_t s = 0; s < 3; s++)
                sum += b.b.components[(i * 3 + s) * b.at.components]; // chips change hands
            assert_true(fabsf(sum) < 1e-5f);
            assert_int_equal(b.b.asked[i], AGON_NOBODY);
            assert_int_equal(b.b.asked_set[i], 0);
            most = b.b.lengths[i] > most ? b.b.lengths[i] : most;
            ends++;
        }
    }
    assert_true(ends > 50 && most < 60);
    batch_close(&b);
}

// ---- Copies (V27-V30, V82)
// -----------------------------------------------------------------------------------------------

static void play_on(struct batch *b, uint32_t env, int count, uint64_t draws, uint64_t *hashes)
{
    for (int i = 0; i < count; i++) {
        struct rng dice = {.key = {(uint32_t)draws, (uint32_t)i}};
        uint8_t mask[256];
        int32_t action = 0;
        int asked = agon_asked(b->v, env);
        if (asked != AGON_NOBODY) {
            assert_int_equal(agon_write_row(b->v, env, (uint32_t)asked, NULL, mask, NULL), AGON_OK);
            do
                action = (int32_t)rng_below(&dice, b->at.actions);
            while (!mask[action]);
            assert_in_range(agon_apply(b->v, env, action, NULL), 0, 1);
        }
        hashes[i] = agon_hash(b->v, env);
    }
}

static void copies_play_on_alike(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct agon_config c = config_of((*k)->game->name, 3);
        c.tokens = 8;
        if ((*k)->game->max_seats > 1)
            c.house[1] = "random";
        struct batch b = open_reset(&c);
        uint64_t one[20], two[20], three[20];
        uint32_t from = 0, to = 2;
        for (int i = 0; i < 7; i++)
            assert_int_equal(batch_step(&b), 0);
        uint8_t *saved = malloc(b.at.snapshot_bytes);
        assert_int_equal(agon_save(b.v, 0, saved, b.at.snapshot_bytes), b.at.snapshot_bytes);
        assert_int_equal(agon_save(b.v, 0, saved, b.at.snapshot_bytes - 1), AGON_TOO_SHORT);
        assert_int_equal(agon_copy(b.v, 1, &from, &to), AGON_OK);
        play_on(&b, 0, 20, 5, one);
        play_on(&b, 2, 20, 5, two);
        assert_int_equal(agon_load(b.v, 1, saved, b.at.snapshot_bytes), AGON_OK);
        play_on(&b, 1, 20, 5, three);
        assert_memory_equal(one, two, sizeof one);
        assert_memory_equal(one, three, sizeof one);
        assert_int_equal(agon_refresh(b.v, 0), AGON_OK);
        assert_true(b.b.hashes[0] == b.b.hashes[1] && b.b.hashes[1] == one[19]);
        assert_memory_equal(b.b.observations, (char *)b.b.observations + b.at.observations_bytes / 3,
                            b.at.observations_bytes / 3);
        assert_memory_equal(b.b.tokens, b.b.tokens + 32, 64);
        free(saved);
        batch_close(&b);
    }
}

static void foreign_snapshots_are_refused(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("coup", 2);
    struct batch coup = open_reset(&c);
    c.seats = 3;
    struct batch three = open_reset(&c);
    c = config_of("leduc_poker", 2);
    struct batch leduc = open_reset(&c);
    size_t size = coup.at.snapshot_bytes;
    uint8_t *bytes = malloc(size);
    assert_int_equal(agon_save(coup.v, 0, bytes, size), size);
    assert_int_equal(agon_load(three.v, 0, bytes, size), AGON_FOREIGN);
    assert_int_equal(agon_load(leduc.v, 0, bytes, size), AGON_FOREIGN);
    assert_int_equal(agon_load(coup.v, 1, bytes, size - 1), AGON_FOREIGN);
    assert_int_equal(agon_load(coup.v, 1, NULL, size), AGON_FOREIGN);
    uint64_t before = agon_hash(coup.v, 1);
    for (size_t i = 0; i < size; i += 7) {
        bytes[i] ^= 1;
        assert_int_equal(agon_load(coup.v, 1, bytes, size), AGON_FOREIGN);
        bytes[i] ^= 1;
    }
    assert_true(agon_hash(coup.v, 1) == before);
    assert_int_equal(agon_load(coup.v, 1, bytes, size), AGON_OK);
    const uint32_t there = 0, not_there = 2;
    assert_int_equal(agon_copy(coup.v, 1, &there, &not_there), AGON_RANGE);
    free(bytes);
    batch_close(&coup), batch_close(&three), batch_close(&leduc);
}

// What differs is named, because the sizes of two blocks may differ too.
static void a_foreign_snapshot_is_refused_by_what_differs(void **unused)
{
    (void)unused;
    static const char *const options[] = {"starter=1", NULL};
    static const struct {
        const char *says, *game, *house;
        const char *const *options;
        uint32_t seats, vector;
        uint16_t tokens;
        uint8_t rows;
    } rows[] = {
        {"of another game than leduc_poker", "leduc_poker", NULL, NULL, 2, 0, 0, 0},
        {"number of seats is 2, this vec's 3", "coup", NULL, NULL, 3, 0, 0, 0},
        {"vector is 2, this vec's 1", "coup", NULL, NULL, 2, 1, 0, 0},
        {"tokens is 0, this vec's 8", "coup", NULL, NULL, 2, 0, 8, 0},
        {"rows of an environment is 1, this vec's 2", "coup", NULL, NULL, 2, 0, 0, AGON_ROW_SEATS},
        {"scenario or options differ", "coup", NULL, options, 2, 0, 0, 0},
        {"house players", "coup", "search", NULL, 2, 0, 0, 0},
    };
    struct agon_config c = config_of("coup", 2);
    c.seats = 2;
    struct batch coup = open_reset(&c);
    size_t size = coup.at.snapshot_bytes;
    uint8_t *bytes = malloc(size);
    assert_int_equal(agon_save(coup.v, 0, bytes, size), size);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c = config_of(rows[i].game, 2);
        c.seats = rows[i].seats, c.vector = rows[i].vector, c.tokens = rows[i].tokens, c.rows = rows[i].rows;
        c.options = rows[i].options, c.house[1] = rows[i].house;
        struct batch other = open_reset(&c);
        assert_said(agon_load(other.v, 0, bytes, size), AGON_FOREIGN, rows[i].says);
        batch_close(&other);
    }
    assert_said(agon_load(coup.v, 0, bytes, size - 1), AGON_FOREIGN, "damaged");
    assert_said(agon_load(coup.v, 0, bytes, 40), AGON_FOREIGN, "no snapshot");
    bytes[size - 1] ^= 1;
    assert_said(agon_load(coup.v, 0, bytes, size), AGON_FOREIGN, "damaged");
    free(bytes);
    batch_close(&coup);
}

// V30: another world behind the same row, mask and tokens.
static void resampling_keeps_what_the_seat_sees(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct agon_config c = config_of((*k)->game->name, 1);
        c.tokens = 16;
        struct batch b = open_reset(&c);
        float before[640], after[640];
        uint8_t mask[2][256];
        int16_t tokens[2][64];
        int changed = 0;
        for (uint64_t step = 0; step < 60; step++) {
            uint32_t seat = (uint32_t)(step % (b.at.seats + 1));
            uint64_t hash = agon_hash(b.v, 0);
            assert_int_equal(agon_write_row(b.v, 0, seat, before, mask[0], tokens[0]), AGON_OK);
            assert_int_equal(agon_resample(b.v, 0, seat, step), AGON_OK);
            assert_int_equal(agon_write_row(b.v, 0, seat, after, mask[1], tokens[1]), AGON_OK);
            assert_memory_equal(before, after, b.at.vector * sizeof *before);
            if (seat == (uint32_t)agon_asked(b.v, 0))
                assert_memory_equal(mask[0], mask[1], b.at.actions);
            assert_memory_equal(tokens[0], tokens[1], sizeof tokens[0]);
            changed += agon_hash(b.v, 0) != hash;
            assert_int_equal(batch_step(&b), 0);
        }
        assert_true(changed > 30);
        assert_int_equal(agon_resample(b.v, 0, b.at.seats + 1, 0), AGON_RANGE);
        batch_close(&b);
    }
}

static struct game_action spy_choose(const struct bot_ask *ask)
{
    return ask->fallback;
}

static void spy_begin(void *mind, const struct game *game, const void *rules, int seat, int seats)
{
    (void)mind, (void)game, (void)rules, (void)seat, (void)seats;
}

static void spy_observe(void *mind, const struct bot_news *news)
{
    uint64_t seen = hash_bytes(news->view, news->game->view_size);
    memcpy(mind, &seen, sizeof seen);
}

// N1.3: a mind is a function of what its seat may see, and other seats see another world after agon_resample.
static void resampling_shows_the_house_its_new_views(void **unused)
{
    (void)unused;
    static const struct bot spy = {.name = "spy",
                                   .game = "coup",
                                   .choose = spy_choose,
                                   .mind_size = sizeof(uint64_t),
                                   .begin = spy_begin,
                                   .observe = spy_observe};
    struct agon_config c = config_of("coup", 1);
    c.seats = 3, c.house[2] = "honest"; // whose memory is larger
    struct batch b = batch_open(&c);
    b.v->house[2] = &spy;
    batch_reset(&b);
    struct lane *l = lane_at(b.v, 0);
    int changed = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        union game_view view;
        uint64_t before, after, seen;
        memcpy(&before, lane_mind(b.v, l, 2), sizeof before);
        assert_int_equal(agon_resample(b.v, 0, 0, seed), AGON_OK);
        memcpy(&after, lane_mind(b.v, l, 2), sizeof after);
        memset(&view, 0, sizeof view);
        b.v->game->view(lane_state(b.v, l), 2, &view);
        seen = hash_bytes(&view, b.v->game->view_size);
        assert_true(after == seen);
        changed += before != after;
    }
    assert_true(changed > 4);
    batch_close(&b);
}

// ---- Search ---------------------------------------------------------------------------------------------------------

static void apply_plays_and_refuses(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("leduc_poker", 2);
    struct batch b = open_reset(&c);
    float rewards[AGON_MAX_SEATS], sum = 0;
    int32_t payoffs[AGON_MAX_SEATS];
    uint64_t before = agon_hash(b.v, 0);
    int over = 0;
    assert_int_equal(agon_apply(b.v, 0, 99, rewards), AGON_OUT_OF_SPACE);
    assert_int_equal(agon_apply(b.v, 0, 0, rewards), AGON_ILLEGAL);
    assert_true(agon_hash(b.v, 0) == before);
    while (!over) {
        int advice = agon_advise(b.v, 0, "random", 0, 1);
        assert_in_range(advice, 1, b.at.actions - 1);
        assert_int_equal(agon_advise(b.v, 0, "random", 0, 1), advice);
        over = agon_apply(b.v, 0, advice, rewards);
        assert_in_range(over, 0, 1);
        sum += rewards[0] + rewards[1];
    }
    assert_true(fabsf(sum) < 1e-5f);
    assert_int_equal(agon_payoffs(b.v, 0, payoffs), AGON_OK);
    assert_int_equal(payoffs[0] + payoffs[1], 0);
    assert_int_equal(agon_payoffs(b.v, 0, NULL), AGON_RANGE);
    assert_int_equal(agon_apply(b.v, 0, 1, NULL), AGON_ABSENT);
    assert_int_equal(agon_advise(b.v, 0, "random", 0, 1), AGON_ABSENT);
    assert_int_equal(agon_advise(b.v, 1, "nobody", 0, 1), AGON_ABSENT);
    assert_int_equal(agon_asked(b.v, 0), AGON_NOBODY);
    assert_int_equal(batch_step(&b), 0); // begins anew
    assert_int_not_equal(agon_asked(b.v, 0), AGON_NOBODY);
    batch_close(&b);
}

// Advice is legal in every game, also where a bot may choose any amount.
static void advice_is_legal(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct agon_config c = config_of((*k)->game->name, 1);
        struct batch b = open_reset(&c);
        for (int step = 0; step < 25; step++) {
            if (agon_asked(b.v, 0) != AGON_NOBODY)
                b.actions[0] = agon_advise(b.v, 0, NULL, 1, (uint64_t)step);
            assert_int_equal(agon_step(b.v), 0);
        }
        batch_close(&b);
    }
}

// ---- Looks and logs -------------------------------------------------------------------------------------------------

static void environments_can_be_looked_at(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct agon_config c = config_of((*k)->game->name, 1);
        struct batch b = open_reset(&c);
        char text[1 << 14];
        static uint8_t rgb[64 * 48 * 3];
        for (uint32_t viewer = 0; viewer <= b.at.seats; viewer++) {
            int size = agon_text(b.v, 0, viewer, NULL, 0);
            assert_int_equal(agon_text(b.v, 0, viewer, text, sizeof text), size);
            assert_int_equal(strlen(text), size);
            assert_true(size > 10);
            assert_int_equal(agon_text(b.v, 0, viewer, text, (size_t)size), AGON_TOO_SHORT);
            memset(rgb, 0, sizeof rgb);
            assert_int_equal(agon_picture(b.v, 0, viewer, 64, 48, rgb), AGON_OK);
            int lit = 0;
            for (size_t i = 0; i < sizeof rgb; i++)
                lit += rgb[i] != rgb[i % 3];
            assert_true(lit > 100);
        }
        assert_int_equal(agon_text(b.v, 0, b.at.seats + 1, text, sizeof text), AGON_RANGE);
        assert_int_equal(agon_picture(b.v, 0, 0, 0, 48, rgb), AGON_RANGE);
        assert_int_equal(agon_picture(b.v, 0, 0, 64, 48, NULL), AGON_RANGE);
        assert_non_null(strstr(agon_last_error(), "NULL"));
        batch_close(&b);
    }
}

static void verify(const struct game *g, struct span file, bool is_over, uint64_t hash)
{
    static struct replay_run run;
    int more;
    assert_int_equal(replay_begin(&run, file, g, NULL, NULL), OK);
    while ((more = replay_step(&run, 64, NULL)) == 1)
        ;
    if (more)
        fail_msg("%s: %s", g->name, err_name(more));
    assert_int_equal(run.reader.complete, is_over);
    assert_int_equal(run.ended, is_over);
    if (hash)
        assert_true(game_hash(g, &run.state) == hash);
}

// A recorded episode is a replay that verifies, with house players, silent seats and dropped ones in it.
static void recorded_episodes_are_replays(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (uint8_t policy = AGON_REFUSE; policy <= AGON_FORFEIT; policy++) {
            struct agon_config c = config_of((*k)->game->name, 2);
            c.illegal = policy, c.max_steps = policy == AGON_REFUSE ? 150 : 0, c.autoreset = AGON_NO_RESET;
            if ((*k)->game->max_seats > 1)
                c.house[0] = "random";
            struct batch b = batch_open(&c);
            assert_int_equal(agon_record(b.v, 1, 1), AGON_OK);
            assert_int_equal(agon_record(b.v, 2, 1), AGON_RANGE);
            batch_reset(&b);
            assert_int_equal(agon_replay(b.v, 1, NULL, 0), AGON_ABSENT);
            for (int step = 0; step < 6000 && !b.b.terminated[1] && !b.b.truncated[1]; step++) {
                batch_sample(&b);
                if (policy && step % 5 == 4)
                    b.actions[1] = -1;
                assert_in_range(agon_step(b.v), 0, 1);
            }
            int64_t size = agon_replay(b.v, 1, NULL, 0);
            if (size < 0)
                fail_msg("%s: %s", c.game, agon_last_error());
            char *bytes = malloc((size_t)size);
            assert_int_equal(agon_replay(b.v, 1, bytes, (size_t)size - 1), AGON_TOO_SHORT);
            assert_int_equal(agon_replay(b.v, 1, bytes, (size_t)size), size);
            verify((*k)->game, (struct span){bytes, (size_t)size}, b.b.terminated[1], b.b.hashes[1]);
            assert_int_equal(agon_replay(b.v, 0, NULL, 0), AGON_ABSENT);
            free(bytes);
            batch_close(&b);
        }
}

static void a_copied_episode_has_no_log(void **unused)
{
    (void)unused;
    struct agon_config c = config_of("kuhn_poker", 2);
    c.autoreset = AGON_NO_RESET;
    struct batch b = batch_open(&c);
    assert_int_equal(agon_record(b.v, 0, 1), AGON_OK);
    batch_reset(&b);
    assert_int_equal(agon_resample(b.v, 0, 0, 1), AGON_OK);
    while (!b.b.terminated[0])
        batch_step(&b);
    assert_int_equal(agon_replay(b.v, 0, NULL, 0), AGON_ABSENT);
    batch_reset(&b);
    while (!b.b.terminated[0])
        batch_step(&b);
    assert_true(agon_replay(b.v, 0, NULL, 0) > 0);
    batch_close(&b);
}

// ---- Fork (V23) -----------------------------------------------------------------------------------------------------

static void a_child_gets_a_refusal(void **unused)
{
    (void)unused;
    for (uint32_t threads = 0; threads < 3; threads += 2) {
        struct agon_config c = config_of("coup", 64);
        c.threads = threads;
        struct batch b = open_reset(&c);
        assert_int_equal(batch_step(&b), 0);
        pid_t child = fork();
        if (child == 0) {
            bool refused = agon_step(b.v) == AGON_FORKED && agon_reset(b.v, NULL, NULL) == AGON_FORKED &&
                           agon_apply(b.v, 0, 1, NULL) == AGON_FORKED && agon_hash(b.v, 0) == 0;
            agon_destroy(b.v);
            _exit(refused ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_int_equal(batch_step(&b), 0); // the parent goes on
        batch_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_configurations_are_refused),
        cmocka_unit_test(configurations_of_other_versions),
        cmocka_unit_test(options_are_the_rules_of_the_game),
        cmocka_unit_test(games_and_their_parts_have_names),
        cmocka_unit_test(buffers_are_checked_when_they_are_bound),
        cmocka_unit_test(nothing_moves_before_it_may),
        cmocka_unit_test(illegal_numbers_concern_their_environment_alone),
        cmocka_unit_test(refused_environments_repeat_their_row),
        cmocka_unit_test(unpaid_rewards_add_up),
        cmocka_unit_test(long_episodes_are_truncated),
        cmocka_unit_test(inputs_take_the_ticks_they_are_given),
        cmocka_unit_test(windows_are_answered_one_by_one_or_together),
        cmocka_unit_test(the_house_plays_inside_the_step),
        cmocka_unit_test(episodes_leave_nothing_behind),
        cmocka_unit_test(processors_agree_on_masks),
        cmocka_unit_test(the_house_remembers_in_a_snapshot),
        cmocka_unit_test(seeds_begin_the_same_match_again),
        cmocka_unit_test(samples_are_legal_and_fair),
        cmocka_unit_test(bytes_are_floats_divided_by_their_step),
        cmocka_unit_test(critics_see_all_rows_at_once),
        cmocka_unit_test(newer_vectors_begin_with_older_ones),
        cmocka_unit_test(tokens_are_of_this_match_alone),
        cmocka_unit_test(an_episode_is_a_match),
        cmocka_unit_test(copies_play_on_alike),
        cmocka_unit_test(foreign_snapshots_are_refused),
        cmocka_unit_test(a_foreign_snapshot_is_refused_by_what_differs),
        cmocka_unit_test(resampling_keeps_what_the_seat_sees),
        cmocka_unit_test(resampling_shows_the_house_its_new_views),
        cmocka_unit_test(apply_plays_and_refuses),
        cmocka_unit_test(advice_is_legal),
        cmocka_unit_test(environments_can_be_looked_at),
        cmocka_unit_test(recorded_episodes_are_replays),
        cmocka_unit_test(a_copied_episode_has_no_log),
        cmocka_unit_test(a_child_gets_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
