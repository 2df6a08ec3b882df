// The published run of ruleset standard, row by row (T8.1, T8.4): every column, and checkpoints in layout agon. The
// rows show spawns, ticks, locks and scores (T1.15, T1.17, T1.32, T1.33, T1.41, T1.45, T1.47), the identifiers
// (T2.7-T2.10) and the layout compat (T2.22).
#include "games/tetris/rules/tetris.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>
#include <cmocka.h>

static const char *const action_names[] = {
    "-", "moveLeft", "moveRight", "rotateCw", "rotateCcw", "softDrop", "hardDrop", "hold", "place", "pause", "restart",
};
static const char *const rotation_names[] = {"north", "east", "south", "west"};

static struct game_action parse_place(const struct tetris_state *s, const char *text)
{
    int x, r = 0;
    char rotation[8], hold[8];
    assert_int_equal(sscanf(text, "place:%d:%7[a-z]:%7s", &x, rotation, hold), 3);
    while (r < 3 && strcmp(rotation, rotation_names[r]) != 0)
        r++;
    assert_string_equal(rotation, rotation_names[r]);
    bool use_hold = !strcmp(hold, "true");
    uint8_t next = s->order[s->taken], kind = use_hold ? s->facts.hold ? s->facts.hold : next : s->piece.kind;
    return (struct game_action){
        .kind = TETRIS_PLACE,
        .arg = {(uint8_t)(x + tetris_left(kind, r)), (uint8_t)r, use_hold ? TETRIS_PLACE_HOLD : 0},
    };
}

static struct game_action parse_action(const struct tetris_state *s, const char *text)
{
    if (!strncmp(text, "place:", 6))
        return parse_place(s, text);
    uint8_t kind = 0;
    while (strcmp(text, action_names[kind]) != 0)
        kind++;
    return (struct game_action){.kind = kind};
}

static void write_event(char *out, size_t room, const struct tetris_facts *f)
{
    static const char *const spins[] = {"None", "Some(Mini)", "Some(Full)"};
    if (f->fresh)
        snprintf(out, room, "ev:%u,%u,%s,%d,%s", f->lock.lines, f->lock.score, spins[f->lock.lines ? f->lock.spin : 0],
                 f->lock.combo, f->lock.back_to_back ? "true" : "false");
    else
        snprintf(out, room, "-");
}

// Columns 4 to 16, as the file has them.
static void write_row(char *out, size_t room, const struct tetris_state *s)
{
    struct tetris_view v;
    tetris_game.view(s, 0, &v);
    const struct tetris_facts *f = &v.facts;
    char active[32] = "none\tg-", event[64];
    if (v.piece.kind)
        snprintf(active, sizeof active, "%c%s:%d:%d\tg%d", " iotszjl"[v.piece.kind], rotation_names[v.piece.rotation],
                 v.piece.x, v.piece.y, tetris_ghost(&v));
    write_event(event, sizeof event, f);
    snprintf(out, room, "%016llx\t%s\tpid%u\tst%u\tb%u\tsc%u\tlv%u\tln%u\td%u\tl%u\tc%u\t%s",
             (unsigned long long)tetris_game.digest(s, TETRIS_HASH_COMPAT), active, f->piece_id, f->step_in_piece,
             f->board_id, f->score, f->level, f->lines, f->drop_ms, v.piece.lock_ms, f->line_clear_ms, event);
}

static void start(struct tetris_state *s, uint32_t seed)
{
    struct tetris_rules rules;
    tetris_game.defaults(&rules);
    tetris_game.seed(&rules, seed);
    assert_int_equal(tetris_game.init(s, &rules, 1, (struct rng){0}, NULL), OK);
}

// T8.4
static const struct {
    uint32_t seed, step;
    uint64_t agon;
} checkpoints[] = {
    {1, 0, 0xb4ad74d39a0ed796},   {1, 299, 0x94f7551b87753c99},   {1, 599, 0xcd6ec4135864e099},
    {123, 0, 0x41e083b97effadde}, {123, 299, 0x164cb89c6cb9dd35}, {123, 599, 0x164cb89c6cb9dd35},
    {7, 0, 0xf729e9c7a4892e82},   {7, 299, 0x3841be07b64478aa},   {7, 599, 0xaf416e5f8059b62d},
};

static int check_points(const struct tetris_state *s, uint32_t seed, uint32_t step)
{
    int checked = 0;
    for (size_t i = 0; i < sizeof checkpoints / sizeof *checkpoints; i++)
        if (checkpoints[i].seed == seed && checkpoints[i].step == step) {
            assert_int_equal(tetris_game.digest(s, TETRIS_HASH_AGON), checkpoints[i].agon);
            checked++;
        }
    return checked;
}

static void test_published_rows(void **unused)
{
    (void)unused;
    FILE *file = fopen(TEST_DIR "/golden/tetris_standard.tsv", "r");
    assert_non_null(file);
    struct tetris_state s = {0};
    char line[512], action[64], got[512];
    int rows = 0, checked = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        uint32_t seed, step;
        int rest = 0;
        line[strcspn(line, "\n")] = 0;
        assert_int_equal(sscanf(line, "%u\t%u\t%63[^\t]\t%n", &seed, &step, action, &rest), 3);
        if (step == 0)
            start(&s, seed);
        struct game_action a = parse_action(&s, action);
        if (a.kind) {
            int err = tetris_game.apply(&s, 0, a, NULL); // what has no effect is refused or does nothing
            if (a.kind == TETRIS_PLACE || a.kind == TETRIS_RESTART)
                assert_int_equal(err, OK);
        }
        tetris_game.tick(&s, NULL);
        write_row(got, sizeof got, &s);
        if (strcmp(got, line + rest) != 0)
            fail_msg("seed %u step %u %s:\n  want %s\n  got  %s", seed, step, action, line + rest, got);
        assert_null(tetris_game.check(&s));
        checked += check_points(&s, seed, step);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 1800);
    assert_int_equal(checked, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
