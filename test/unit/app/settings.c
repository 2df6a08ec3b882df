// Settings from a file, the environment and the command line: what comes later in this order wins.
#include "app/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct argp_option inner_options[] = {{"deep", 3, 0, 0, "", 0}, {0}};
static const struct argp inner = {.options = inner_options};
static const struct argp_child children[] = {{&inner, 0, NULL, 0}, {0}};
static const struct argp_option options[] = {{"port", 1, "N", 0, "", 0}, {"quiet", 2, 0, 0, "", 0}, {0}};
static const struct argp argp = {.options = options, .children = children};

// The words that argp would read, blanks between them.
static void gather(const char *file, const char *const env[][2], const char *flag, char out[256])
{
    char command[] = "serve", path[] = "/tmp/agon-settings-XXXXXX", config[] = "--config", last[32];
    char *argv[] = {command, config, path, last, NULL};
    int fd = mkstemp(path), argc = flag ? 4 : 3, count;
    assert_true(fd >= 0 && write(fd, file, strlen(file)) == (ssize_t)strlen(file));
    close(fd);
    snprintf(last, sizeof last, "%s", flag ? flag : "");
    for (int i = 0; env[i][0]; i++)
        setenv(env[i][0], env[i][1], 1);
    char **words = settings_collect(&argp, "serve", argc, argv, &count);
    out[0] = 0;
    for (int i = 1; i < count; i++) {
        if (words[i] != config && words[i] != path)
            snprintf(out + strlen(out), 256 - strlen(out), "%s%s", out[0] ? " " : "", words[i]);
        if (i <= count - argc)
            free(words[i]);
    }
    assert_null(words[count]);
    free(words);
    for (int i = 0; env[i][0]; i++)
        unsetenv(env[i][0]);
    unlink(path);
}

static void later_words_win(void **state)
{
    static const struct {
        const char *file, *env[3][2], *flag, *words;
    } rows[] = {
        {"", {{0}}, NULL, ""},
        {"port = 1\n# no\n\nquiet = yes\n", {{0}}, NULL, "--port=1 --quiet"},
        {"port = 1", {{"AGON_PORT", "2"}}, "--port=3", "--port=1 --port=2 --port=3"},
        {"quiet = true\nport = 1", {{"AGON_QUIET", "false"}}, NULL, "--port=1"}, // the environment turns it off
        {"deep = on\nquiet = on", {{"AGON_DEEP", "0"}, {"AGON_QUIET", "1"}}, NULL, "--quiet --quiet"},
        {"quiet = true", {{"AGON_QUIET", "off"}}, "--quiet", "--quiet"}, // and the command line on again
        {"quiet = false", {{"AGON_QUIET", "on"}}, NULL, "--quiet"},
        {"quiet = true\nquiet = false\nquiet = true", {{0}}, NULL, "--quiet"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[256];
        gather(rows[i].file, rows[i].env, rows[i].flag, words);
        assert_string_equal(words, rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(later_words_win)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
