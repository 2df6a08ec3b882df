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
    if (digits && !errno && value >= min && value <= max)
        return value;
    if (max == UINT64_MAX)
        argp_failure(state, APP_USAGE, 0, "%s needs a whole number from %ju to 2^64 - 1, not '%s'", option,
                     (uintmax_t)min, text);
    else
        argp_failure(state, APP_USAGE, 0, "%s needs a whole number from %ju to %ju, not '%s'", option, (uintmax_t)min,
                     (uintmax_t)max, text);
    return value;
}

static void take_value(struct argp_state *state, const struct app_value *v, const char *arg, void *member)
{
    uint64_t number = v->option ? app_read_uint(state, v->option, arg, v->min, v->max) : 0;
    switch (v->type) {
    case APP_NONE:
        break;
    case APP_TEXT:
        *(const char **)member = arg;
        break;
    case APP_SWITCH:
        *(bool *)member = true;
        break;
    case APP_INT:
        *(int *)member = (int)number;
        break;
    case APP_INT64:
        *(int64_t *)member = (int64_t)number;
        break;
    case APP_UINT64:
        *(uint64_t *)member = number;
        break;
    }
}

bool app_take_value(struct argp_state *state, const struct app_value *v, int key, const char *arg, void *settings)
{
    bool found = false;
    for (; v->type != APP_NONE; v++)
        if (v->key == key) {
            take_value(state, v, arg, (char *)settings + v->at);
            found = true;
        }
    return found;
}

double app_read_real(struct argp_state *state, const char *option, const char *text, double min, double max)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= min && value <= max)) // false for NaN too
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

void app_add_origin(struct argp_state *state, const char *option, const char *text, const char **list, int *count,
                    int max)
{
    if (*count == max)
        argp_failure(state, APP_USAGE, 0, "%s can be given at most %d times", option, max);
    if (!strstr(text, "://"))
        argp_failure(state, APP_USAGE, 0, "%s: '%s' is not an origin, as https://example.org", option, text);
    list[(*count)++] = text;
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

int app_report_address(const char *command, const char *host, unsigned port, const char *option, int err)
{
    fprintf(stderr, "%s: cannot listen on %s:%u: %s; choose another port with %s (0 for a free one)\n", command, host,
            port, strerror(err), option);
    return APP_USAGE;
}

static void print_error(const char *format, va_list args)
{
    fputs("agon: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void app_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_error(format, args);
    va_end(args);
}

void app_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_error(format, args);
    va_end(args);
    exit(APP_FAILED);
}

void app_finish(int status)
{
    if (!fflush(stdout) && !ferror(stdout)) // a full disk must not look like success
        exit(status);
    if (errno == EPIPE) // a reader that has seen enough, as head, wants no message
        exit(APP_FAILED);
    app_die("cannot write the output: %s", strerror(errno));
}
