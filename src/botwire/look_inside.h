// One reader a game; what they share.
#pragma once

#include "botwire/look.h"

bool look_coup(struct json_reader *r, const struct codec_table *table, int phase, void *view);
bool look_liars_dice(struct json_reader *r, const struct codec_table *table, int phase, void *view);
bool look_texas_holdem(struct json_reader *r, const struct codec_table *table, int phase, void *view);
bool look_tetris(struct json_reader *r, const struct codec_table *table, int phase, void *view);

// A seat, or `nobody` for null.
static inline uint8_t look_seat(struct json_reader *r, const struct codec_table *table, uint8_t nobody)
{
    return json_read_if_null(r) ? nobody : (uint8_t)codec_read_seat(r, table);
}

// The index of a word in a list of `count`, of which no end is marked; an error where it is none of them.
static inline uint8_t look_word(struct json_reader *r, const char *const *words, int count)
{
    struct json_string s = json_read_string(r);
    for (int i = 0; i < count; i++)
        if (words[i] && json_string_is(s, words[i]))
            return (uint8_t)i;
    json_fail(r, ERR_UNKNOWN);
    return 0;
}
