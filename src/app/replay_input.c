#include "app/replay_input.h"

#include <stdlib.h>
#include <string.h>

error_t replay_input_parse(struct replay_input *in, int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case REPLAY_OPTION_KEY:
        in->has_key = replay_file_read_key(arg, in->key);
        if (!in->has_key)
            argp_failure(state, APP_USAGE, 0, "--key: '%s' is not 64 hex digits", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (in->path)
            argp_error(state, "unexpected argument '%s'; one file at a time", arg);
        in->path = arg;
        return 0;
    case ARGP_KEY_END:
        if (!in->path)
            argp_error(state, "which FILE? ('-' reads standard input)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void replay_input_open(const struct replay_input *in, struct loaded_replay *t)
{
    replay_file_require(t, in->path, in->has_key ? in->key : NULL);
}

seat_set replay_input_read_seats(const char *command, const struct loaded_replay *t, const char *text,
                                 const char *others)
{
    char *end;
    seat_set found = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (*text && !*end && number < (unsigned long)t->head.seats)
        return SEAT(number);
    for (int s = 0; s < t->head.seats; s++) {
        char label[LOADED_REPLAY_LABEL_ROOM];
        loaded_replay_label_seat(t, s, label);
        if (strcmp(loaded_replay_seat_name(t, s), text) == 0 || strcmp(label, text) == 0)
            found |= SEAT(s);
    }
    if (!found)
        app_refuse(command, "--seat: %s has no seat '%s'; give 0 to %d, a name from 'agon replay info'%s", t->path,
                   text, t->head.seats - 1, others);
    return found;
}

int replay_input_read_seat(const char *command, const struct loaded_replay *t, const char *text, const char *others)
{
    seat_set found = replay_input_read_seats(command, t, text, others);
    if (found & (found - 1u))
        app_refuse(command, "--seat: several seats of %s have the name '%s'; give a number, 0 to %d", t->path, text,
                   t->head.seats - 1);
    return __builtin_ctz(found);
}
