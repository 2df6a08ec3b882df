// The searching player and what it stands on: ends of a piece and fewest inputs, against the rules' own search.
#include "games/tetris/bots/bots.h"
#include "games/tetris/bots/finesse.h"
#include "games/tetris/rules/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <string.h>
#include <cmocka.h>

static const struct game *const g = &tetris_game;
static void *scratch;

static struct tetris_state start(int scenario, uint32_t seed, int ruleset, int listed)
{
    struct tetris_rules r;
    struct tetris_state s;
    g->defaults(&r);
    g->scenario(&r, scenario);
    g->seed(&r, seed);
    r.ruleset = (uint8_t)ruleset;
    r.listed = (uint8_t)listed;
    assert_int_equal(g->init(&s, &r, 1, (struct rng){.key = {seed}}, NULL), OK);
    return s;
}

static struct game_action ask(const struct tetris_state *s, const struct bot *bot, uint32_t number)
{
    struct tetris_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    struct rng dice = {.key = {5, number}};
    g->view(s, 0, &v);
    struct bot_ask a = {.bot = bot,
                        .game = g,
                        .view = &v,
                        .seats = 1,
                        .choices = list,
                        .fallback = g->fallback(s, 0),
                        .dice = &dice,
                        .scratch = scratch};
    a.count = g->choices(s, 0, list);
    return bot->choose(&a);
}

// Answers until the end or so many of them; lines that went four at a time.
static uint32_t play(struct tetris_state *s, const struct bot *bot, int answers)
{
    uint32_t fours = 0;
    for (uint32_t i = 0; !s->facts.end && answers-- > 0; i++) {
        uint32_t lines = s->facts.lines;
        struct game_action a = ask(s, bot, i);
        assert_true(game_is_legal(g, s, 0, a));
        assert_int_equal(g->apply(s, 0, a, NULL), OK);
        fours += s->facts.lines - lines == 4 ? 4 : 0;
        if (s->rules.listed == TETRIS_LIST_INPUTS)
            g->tick(s, NULL);
    }
    return fours;
}

// Fields with overhangs: so many random placements, then rows of garbage.
static struct tetris_state rough_field(uint32_t seed, int ruleset, int pieces)
{
    struct tetris_state s = start(0, seed, ruleset, TETRIS_LIST_PLACEMENTS);
    for (int i = 0; i < pieces; i++) {
        struct tetris_state before = s;
        if (g->apply(&s, 0, ask(&s, &bot_random, (uint32_t)i), NULL) != OK || s.facts.end)
            return before;
    }
    return s;
}

static struct board board_of(const struct tetris_state *s)
{
    struct tetris_view v;
    struct board b;
    g->view(s, 0, &v);
    board_read(&b, &v);
    return b;
}

static bool is_same(struct board_end a, struct board_end b)
{
    return a.rotation == b.rotation && a.x == b.x && a.y == b.y;
}

// Every box by the rules' own search (T3.53).
static int list_by_rules(const struct tetris_state *s, struct board_end out[BOARD_ENDS])
{
    int kind = s->piece.kind, count = 0;
    for (int rotation = 0; rotation < 4; rotation++)
        for (int column = 0; column < TETRIS_WIDTH; column++)
            for (int row = -TETRIS_HIDDEN; row < TETRIS_HEIGHT; row++) {
                struct game_action a = {.kind = TETRIS_PLACE, .amount = row};
                a.arg[0] = (uint8_t)column;
                a.arg[1] = (uint8_t)rotation;
                a.arg[2] = TETRIS_PLACE_FULL | TETRIS_PLACE_AT_ROW;
                if (!g->legal(s, 0, a))
                    continue;
                struct board_end e = board_usual(
                    kind, (struct board_end){(int8_t)rotation, (int8_t)(column - tetris_left(kind, rotation)),
                                             (int8_t)(row - tetris_top(kind, rotation))});
                int k = 0;
                while (k < count && !is_same(out[k], e))
                    k++;
                if (k == count)
                    out[count++] = e;
            }
    return count;
}

// T3.53: the same ends as the rules find, box by box, in fields with holes and overhangs, low and high.
static void test_ends_are_those_of_the_rules(void **unused)
{
    (void)unused;
    static struct board_end mine[BOARD_ENDS], theirs[BOARD_ENDS];
    static struct finesse_end fast[BOARD_ENDS];
    for (uint32_t seed = 1; seed <= 12; seed++) {
        struct tetris_state s = rough_field(seed, (int)(seed % 2), (int)(seed % 20));
        for (int kind = TETRIS_I; kind <= TETRIS_L; kind++) {
            struct board b = board_of(&s);
            if (!board_fits(&b, kind, TETRIS_NORTH, 3, b.guideline ? -2 : 0))
                continue;
            s.piece = board_spawn(&b, kind);
            int count = list_by_rules(&s, theirs);
            assert_int_equal(board_ends(&b, &s.piece, mine), count);
            assert_int_equal(finesse_find(&b, &s.piece, fast), count);
            for (int i = 0; i < count; i++) {
                int k = 0, f = 0;
                while (k < count && !is_same(mine[k], theirs[i]))
                    k++;
                while (f < count && !is_same(fast[f].end, theirs[i]))
                    f++;
                assert_true(k < count && f < count);
            }
        }
    }
}

static bool is_open_above(const struct board *b, int kind, struct board_end e)
{
    for (int y = e.y; y >= 0; y--)
        if (!board_fits(b, kind, e.rotation, e.x, y))
            return false;
    return true;
}

// A straight fall ends where nothing is above the piece, and at every such end.
static void test_drops_are_open_above(void **unused)
{
    (void)unused;
    static struct board_end all[BOARD_ENDS], drops[BOARD_ENDS];
    for (uint32_t seed = 1; seed <= 12; seed++) {
        struct tetris_state s = rough_field(seed, TETRIS_STANDARD, (int)seed);
        struct board b = board_of(&s);
        for (int kind = TETRIS_I; kind <= TETRIS_L && b.top >= 4; kind++) {
            struct tetris_piece p = board_spawn(&b, kind);
            int count = board_ends(&b, &p, all), straight = board_drops(&b, &p, drops), open = 0;
            for (int i = 0; i < count; i++) {
                int k = 0;
                while (k < straight && !is_same(drops[k], all[i]))
                    k++;
                assert_int_equal(k < straight, is_open_above(&b, kind, all[i]));
                open += k < straight;
            }
            assert_int_equal(open, straight);
        }
    }
}

// Brute force: all sequences of inputs, shorter ones first, without remembering where they have been.
static bool reaches(const struct tetris_field *f, struct tetris_piece p, struct board_end end, int ruleset, int left)
{
    if (left == 1) {
        piece_drop(f, &p, ruleset);
        return is_same(board_usual(p.kind, (struct board_end){(int8_t)p.rotation, p.x, p.y}), end);
    }
    for (int input = TETRIS_MOVE_LEFT; input <= TETRIS_SOFT_DROP; input++) {
        struct tetris_piece next = p;
        if (piece_press(f, &next, input, ruleset) && reaches(f, next, end, ruleset, left - 1))
            return true;
    }
    return false;
}

enum { DEEPEST = 5 }; // of brute force

static void check_finesse(const struct tetris_state *s, const struct finesse_end *e)
{
    struct tetris_state played = *s;
    struct board b = board_of(s);
    uint8_t path[64];
    int count = finesse_path(&b, &s->piece, e->end, path, 64);
    assert_int_equal(count, e->inputs);
    assert_int_equal(path[0], e->first);
    for (int i = 0; i < count; i++)
        assert_int_equal(g->apply(&played, 0, (struct game_action){.kind = path[i]}, NULL), OK);
    const struct tetris_lock *lock = &played.facts.lock;
    struct board_end lies = {(int8_t)lock->rotation, (int8_t)(lock->x - tetris_left(lock->kind, lock->rotation)),
                             (int8_t)(lock->y - tetris_top(lock->kind, lock->rotation))};
    assert_true(is_same(board_usual(s->piece.kind, lies), e->end));
    for (int less = 1; less < e->inputs && less <= DEEPEST; less++)
        assert_false(reaches(&s->field, s->piece, e->end, s->rules.ruleset, less));
}

static void test_finesse_is_shortest(void **unused)
{
    (void)unused;
    static struct finesse_end found[BOARD_ENDS];
    for (uint32_t seed = 1; seed <= 6; seed++) {
        struct tetris_state s = rough_field(seed, (int)(seed % 2), (int)seed * 3);
        struct board b = board_of(&s);
        int count = finesse_find(&b, &s.piece, found);
        assert_true(count > 0);
        for (int i = 0; i < count; i++)
            check_finesse(&s, &found[i]);
    }
}

// On an empty field the guess is exact, but where a kick at the wall is shorter.
static void test_guess_on_an_empty_field(void **unused)
{
    (void)unused;
    static struct finesse_end found[BOARD_ENDS];
    struct tetris_state s = start(0, 1, TETRIS_STANDARD, TETRIS_LIST_BOTH);
    struct board b = board_of(&s);
    for (int kind = TETRIS_I; kind <= TETRIS_L; kind++) {
        struct tetris_piece p = board_spawn(&b, kind);
        int count = finesse_find(&b, &p, found), same = 0;
        for (int i = 0; i < count; i++) {
            assert_true(finesse_guess(kind, found[i].end) >= found[i].inputs);
            same += finesse_guess(kind, found[i].end) == found[i].inputs;
        }
        assert_true(same * 10 >= count * 9);
    }
}

// What a settled board keeps is what the rules keep, garbage too.
static void test_settle_as_the_rules(void **unused)
{
    (void)unused;
    struct tetris_state s = start(2, 3, TETRIS_STANDARD, TETRIS_LIST_BOTH);
    for (uint32_t i = 0; !s.facts.end; i++) {
        struct board b = board_of(&s);
        uint32_t lines = s.facts.lines;
        int grey;
        assert_int_equal(g->apply(&s, 0, ask(&s, &tetris_glance_bot, i), NULL), OK);
        const struct tetris_lock *lock = &s.facts.lock;
        struct board_end e = {(int8_t)lock->rotation, (int8_t)(lock->x - tetris_left(lock->kind, lock->rotation)),
                              (int8_t)(lock->y - tetris_top(lock->kind, lock->rotation))};
        assert_int_equal(board_settle(&b, lock->kind, e, &grey), s.facts.lines - lines);
        struct board now = board_of(&s);
        assert_memory_equal(&b, &now, sizeof b);
    }
    assert_int_equal(s.facts.end, TETRIS_GOAL);
}

static void test_marathon_by_fours(void **unused)
{
    (void)unused;
    for (int ruleset = 0; ruleset < 2; ruleset++) {
        struct tetris_state s = start(0, 3, ruleset, TETRIS_LIST_BOTH), again = s;
        uint32_t fours = play(&s, &tetris_glance_bot, 300);
        assert_true(s.facts.lines >= 100 && fours * 20 >= s.facts.lines * 19);
        assert_int_equal(play(&again, &tetris_glance_bot, 300), fours);
        assert_memory_equal(&s, &again, sizeof s);
    }
}

static void test_cheese_and_sprint(void **unused)
{
    (void)unused;
    uint32_t pieces = 0;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        struct tetris_state s = start(2, seed, (int)(seed % 2), TETRIS_LIST_BOTH);
        play(&s, &tetris_beam_bot, 60);
        assert_int_equal(s.facts.end, TETRIS_GOAL);
        pieces += s.facts.board_id;
    }
    assert_true(pieces <= 6 * 23);
    struct tetris_state s = start(1, 1, TETRIS_STANDARD, TETRIS_LIST_BOTH);
    play(&s, &tetris_glance_bot, 110);
    assert_int_equal(s.facts.end, TETRIS_GOAL);
    assert_true(s.facts.board_id <= 103);
}

// Inputs alone: the goal is reached, and no piece wanders about.
static void test_inputs_alone(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1, 2, TETRIS_STANDARD, TETRIS_LIST_INPUTS);
    play(&s, &tetris_glance_bot, 700);
    assert_int_equal(s.facts.end, TETRIS_GOAL);
    assert_true(s.facts.ticks < 460);
}

// Few inputs, and next to nothing left over: 100 pieces are the least. `rules` needs 424 inputs on average.
static void test_race(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1, 1, TETRIS_STANDARD, TETRIS_LIST_INPUTS);
    play(&s, &tetris_beam_bot, 500);
    assert_int_equal(s.facts.end, TETRIS_GOAL);
    assert_true(s.facts.ticks <= 362 && s.facts.board_id <= 102);
}

// No piece goes to and fro between places that are worth the same: the farthest one is 9 inputs away, and a hold.
static void test_aims_stay(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1008; seed < 1012; seed++) {
        struct tetris_state s = start(1, seed, TETRIS_STANDARD, TETRIS_LIST_INPUTS);
        for (uint32_t i = 0, inputs = 0; i < 120 && !s.facts.end; i++) {
            uint32_t pieces = s.facts.board_id;
            play(&s, &tetris_beam_bot, 1);
            inputs = s.facts.board_id == pieces ? inputs + 1 : 0;
            assert_true(inputs < 20);
        }
    }
}

// Listed placements are all that is asked for where a table lists nothing else.
static void test_listed_alone(void **unused)
{
    (void)unused;
    struct tetris_state s = start(2, 7, TETRIS_STANDARD, TETRIS_LIST_PLACEMENTS);
    for (uint32_t i = 0; !s.facts.end; i++) {
        struct game_action a = ask(&s, &tetris_glance_bot, i);
        assert_int_equal(a.arg[2] & (TETRIS_PLACE_FULL | TETRIS_PLACE_AT_ROW), 0);
        assert_int_equal(g->apply(&s, 0, a, NULL), OK);
    }
    assert_int_equal(s.facts.end, TETRIS_GOAL);
}

// One shown piece, a high stack, no room: legal answers to the end.
static void test_narrow(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        struct tetris_rules r;
        struct tetris_state s;
        g->defaults(&r);
        g->seed(&r, seed);
        r.preview = 1;
        r.garbage_rows = 10;
        r.ruleset = (uint8_t)(seed % 2);
        r.rise_first = r.rise_least = 60;
        assert_int_equal(g->init(&s, &r, 1, (struct rng){.key = {seed}}, NULL), OK);
        for (uint32_t i = 0; !s.facts.end && i < 150; i++) {
            struct game_action a = ask(&s, &tetris_glance_bot, i);
            assert_true(game_is_legal(g, &s, 0, a));
            assert_int_equal(g->apply(&s, 0, a, NULL), OK);
            for (int t = 0; t < 30; t++)
                g->tick(&s, NULL);
        }
    }
}

// One in three answers of the novice is any legal one: over many dice each of them comes, whatever its place in the
// list.
static void test_blunders_are_anything(void **unused)
{
    (void)unused;
    struct tetris_state s = start(0, 2, TETRIS_STANDARD, TETRIS_LIST_PLACEMENTS);
    struct game_choice list[GAME_MAX_CHOICES];
    int count = g->choices(&s, 0, list), seen[GAME_MAX_CHOICES] = {0}, missed = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        struct game_action a = ask(&s, &tetris_novice_bot, i);
        for (int k = 0; k < count; k++)
            seen[k] += game_same_action(a, list[k].first);
    }
    for (int k = 0; k < count; k++)
        missed += !seen[k];
    assert_true(count > 20);
    assert_int_equal(missed, 0);
}

static void test_ladder(void **unused)
{
    (void)unused;
    uint32_t novice = 0, plain = 0, rules = 0;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        struct tetris_state a = start(0, seed, TETRIS_STANDARD, TETRIS_LIST_PLACEMENTS), b = a, c = a;
        play(&a, &tetris_novice_bot, 400);
        play(&b, &tetris_plain_bot, 400);
        play(&c, &tetris_rules_bot, 400);
        novice += a.facts.lines, plain += b.facts.lines, rules += c.facts.lines;
    }
    assert_true(novice >= 1 && novice * 2 < plain && plain < rules);
}

static int make_scratch(void **unused)
{
    (void)unused;
    scratch = aligned_alloc(64, (tetris_beam_bot.scratch_size + 63) / 64 * 64);
    return scratch ? 0 : -1;
}

static int free_scratch(void **unused)
{
    (void)unused;
    free(scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_are_those_of_the_rules),
        cmocka_unit_test(test_drops_are_open_above),
        cmocka_unit_test(test_finesse_is_shortest),
        cmocka_unit_test(test_guess_on_an_empty_field),
        cmocka_unit_test(test_settle_as_the_rules),
        cmocka_unit_test(test_marathon_by_fours),
        cmocka_unit_test(test_cheese_and_sprint),
        cmocka_unit_test(test_inputs_alone),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_aims_stay),
        cmocka_unit_test(test_listed_alone),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_blunders_are_anything),
        cmocka_unit_test(test_ladder),
    };
    return cmocka_run_group_tests(tests, make_scratch, free_scratch);
}
