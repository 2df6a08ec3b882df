// docs/layouts.md is what the library says about its games: elements of observations, numbers of actions, kinds of
// tokens (V34). AGON_REWRITE=1 golden.layouts writes the file anew.
#include "agon.h"

#include "game/rows.h"
#include "games/games.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char path[] = TEST_DIR "/../docs/layouts.md";

static struct agon_element element(const char *game, uint32_t at)
{
    struct agon_element e = agon_no_element();
    assert_int_equal(agon_get_element(game, 0, at, &e), AGON_OK);
    return e;
}

static bool is_same_run(const struct agon_element *a, const struct agon_element *b)
{
    return strcmp(a->group, b->group) == 0 && a->since == b->since && a->low == b->low && a->high == b->high &&
           a->step == b->step;
}

// "1/255" where it is one.
static void put_step(FILE *out, float step)
{
    float n = 1 / step;
    if (n > 0.999f && n - (float)(int)(n + 0.5f) < 1e-3f && (float)(int)(n + 0.5f) - n < 1e-3f)
        fprintf(out, (int)(n + 0.5f) == 1 ? "1" : "1/%d", (int)(n + 0.5f));
    else
        fprintf(out, "%g", (double)step);
}

static void put_range(FILE *out, uint32_t from, uint32_t to, const char *first, const char *last)
{
    if (from == to)
        fprintf(out, "| %u | `%s` |", from, first);
    else
        fprintf(out, "| %u to %u | `%s` to `%s` |", from, to, first, last);
}

static void put_elements(FILE *out, const struct agon_game *g)
{
    uint32_t size = (uint32_t)agon_vector_size(g->name, 0);
    fprintf(out, "| element | name | group | range | step | vector |\n|---|---|---|---|---|---|\n");
    for (uint32_t from = 0, to; from < size; from = to) {
        struct agon_element first = element(g->name, from), last = first, next;
        for (to = from + 1; to < size && (next = element(g->name, to), is_same_run(&first, &next)); to++)
            last = next;
        put_range(out, from, to - 1, first.name, last.name);
        fprintf(out, " %s | %g to %g | ", first.group, (double)first.low, (double)first.high);
        put_step(out, first.step);
        fprintf(out, " | %u |\n", first.since);
    }
}

static void put_actions(FILE *out, const struct agon_game *g)
{
    char first[128], last[128], next[128];
    fprintf(out, "\n| number | action |\n|---|---|\n");
    for (uint32_t from = 0, to; from < g->actions; from = to) {
        assert_true(agon_action_name(g->name, from, first, sizeof first) > 0);
        memcpy(last, first, sizeof last);
        size_t word = strcspn(first, " ");
        for (to = from + 1; to < g->actions && agon_action_name(g->name, to, next, sizeof next) > 0 &&
                            strcspn(next, " ") == word && strncmp(first, next, word) == 0;
             to++)
            memcpy(last, next, sizeof last);
        put_range(out, from, to - 1, first, last);
        fputc('\n', out);
    }
}

static void put_tokens(FILE *out, const struct agon_game *g)
{
    const struct game *game = games_find(g->name)->game;
    if (!g->token_kinds)
        return;
    fprintf(out, "\nTokens:");
    for (uint32_t i = 0; i < g->token_kinds; i++)
        fprintf(out, "%s %u %s", i ? "," : "", i + 1, game->rows->token_kinds[i].name);
    fprintf(out, ".\n");
}

static void put_game(FILE *out, const struct agon_game *g)
{
    fprintf(out, "\n## %s (`%s`)\n\n", g->title, g->name);
    fprintf(out, "%u to %u seats, %u actions, vector", g->min_seats, g->max_seats, g->actions);
    for (uint32_t version = 1; version <= g->vectors; version++)
        fprintf(out, "%s %u has %d elements", version > 1 ? ", vector" : "", version,
                agon_vector_size(g->name, version));
    fprintf(out, ". Rewards:");
    for (int i = 0; g->components[i]; i++)
        fprintf(out, "%s %s", i ? "," : "", g->components[i]);
    fprintf(out, ". Rules version %u.\n\n", g->rules_version);
    put_elements(out, g);
    put_actions(out, g);
    put_tokens(out, g);
}

static void put_all(FILE *out)
{
    struct agon_game g = agon_no_game();
    fputs("# Layouts\n\n"
          "What the numbers of [libagon](train.md) mean, game by game. This page is written by a test from the library "
          "itself\n"
          "(`AGON_REWRITE=1 out/dev/golden.layouts`); `agon_get_element` and `agon_action_name` say the same.\n\n"
          "A float32 is the lowest of its range plus the uint8 times its step; of steps of 1/255 the fraction is "
          "rounded\n"
          "down. \"vector\" is the version that added the elements. Runs of elements of one group are one line.\n",
          out);
    for (int i = 0; i < agon_game_count(); i++) {
        assert_int_equal(agon_get_game(i, &g), AGON_OK);
        put_game(out, &g);
    }
}

static char *read_file(void)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void the_document_is_what_the_library_says(void **unused)
{
    (void)unused;
    char *now = NULL;
    size_t size;
    FILE *out = open_memstream(&now, &size);
    put_all(out);
    fclose(out);
    if (getenv("AGON_REWRITE")) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(now, file) >= 0);
        fclose(file);
    }
    char *there = read_file();
    if (strcmp(there, now) != 0)
        fail_msg("docs/layouts.md is not what the library says; AGON_REWRITE=1 golden.layouts writes it anew");
    free(there);
    free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_is_what_the_library_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
