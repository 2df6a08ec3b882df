#include "app/secrets.h"

#include "app/app.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"--admin-token", "--http-token", "--token", "--key", "--join-secret", "--store"};

// argp accepts every unambiguous prefix of a name; hiding too much does no harm.
static bool is_secret(const char *word, size_t size)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (size > 2 && size <= strlen(names[i]) && strncmp(word, names[i], size) == 0)
            return true;
    return false;
}

// Blanks the word from the offset on; a copy on the heap takes its place.
static void hide_word(char **word, size_t from)
{
    char *copy = strdup(*word);
    if (!copy)
        app_die("no memory");
    memset(*word + from, '*', strlen(*word + from));
    *word = copy;
}

void secrets_hide(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t size = strcspn(argv[i], "=");
        if (!is_secret(argv[i], size))
            continue;
        if (argv[i][size])
            hide_word(&argv[i], size + 1);
        else if (i + 1 < argc)
            hide_word(&argv[++i], 0);
    }
}

int secrets_leave_out(int argc, char **argv, char **out)
{
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        size_t size = strcspn(argv[i], "=");
        if (!is_secret(argv[i], size))
            out[kept++] = argv[i];
        else if (!argv[i][size])
            i++;
    }
    return kept;
}

struct secret {
    struct secret *before;
    char *text;
};

static const char *keep_secret(char *text)
{
    static struct secret *newest; // a setting may be read again while the previous one is in use
    struct secret *s = malloc(sizeof *s);
    if (!s)
        app_die("no memory");
    *s = (struct secret){newest, text};
    newest = s;
    return text;
}

const char *secrets_read_file(const char *command, const char *option, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        app_refuse(command, "%s: cannot read %s: %s", option, path, strerror(errno));
    ssize_t size = getline(&line, &room, f);
    fclose(f);
    while (size > 0 && strchr(" \t\r\n", line[size - 1]))
        line[--size] = 0;
    if (size <= 0)
        app_refuse(command, "%s: the first line of %s is empty; it must be the token", option, path);
    return keep_secret(line);
}
