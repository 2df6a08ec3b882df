#include "app/app.h"

#include "app/help.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t app_read_uint(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == 0; // strtoull accepts "-1" and " 1" too
    if (!digits || errno || value < min || value > max)
        argp_failure(state, APP_USAGE, 0, "%s needs a whole number from %ju to %ju, not '%s'", option, (uintmax_t)min,
                     (uintmax_t)max, text);
    return value;
}

bool app_take_number(struct argp_state *state, const struct app_number *n, int key, const char *arg, void *settings)
{
    while (n->option && n->key != key)
        n++;
    if (n->option)
        *(int *)(void *)((char *)settings + n->field) =
            (int)app_read_uint(state, n->option, arg, (uint64_t)n->min, (uint64_t)n->max);
    return n->option;
}

double app_read_real(struct argp_state *state, const char *option, const char *text, double min, double max)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= min && value <= max))
        argp_failure(state, APP_USAGE, 0, "%s needs a number from %g to %g, not '%s'", option, min, max, text);
    return value;
}

int app_read_word(struct argp_state *state, const char *option, const char *text, const char *const *words)
{
    char known[256] = "", hint[HELP_HINT_ROOM];
    struct nearest n = nearest_to(text);
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
        nearest_try(&n, words[i]);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", words[i]);
    }
    argp_failure(state, APP_USAGE, 0, "%s: unknown value '%s'; %sknown: %s", option, text, help_hint(&n, hint), known);
    return -1;
}

void app_refuse(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(APP_USAGE);
}

static void complain(const char *format, va_list args)
{
    fputs("agon: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void app_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
}

void app_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    exit(APP_FAILED);
}
