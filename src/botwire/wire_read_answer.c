// Reads what bots answer, strictly where it decides and leniently where it does not (B12.20, B12.21): names are exact,
// the case of values does not matter, other members are skipped.
#include "botwire/internal.h"

enum { DEPTH = 32 }; // members that are skipped may be nested

static int read_value(struct json_reader *r, const char *const *names)
{
    int which = json_string_among_nocase(json_read_string(r), names);
    if (which < 0)
        json_fail(r, ERR_UNKNOWN);
    return which;
}

// A member that only some answers need. Returns -1 if it is none of the names, of whatever type; a caller that needs it
// then treats it as missing.
static int read_loosely(struct json_reader *r, const char *const *names)
{
    if (json_peek(r) == JSON_STRING)
        return json_string_among_nocase(json_read_string(r), names);
    json_skip(r);
    return -1;
}

int wire_read_session(struct span body, char *id, size_t room)
{
    struct json_reader r = json_reader_of(body, DEPTH);
    struct json_string key, found = {0};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "sessionId"))
            found = json_read_string(&r);
        else
            json_skip(&r);
    int err = json_finish(&r);
    if (err != OK)
        return err;
    if (found.raw.size == 0)
        return ERR_MISSING;
    return json_string_copy(found, id, room) < 0 ? ERR_TOO_LONG : OK;
}

int wire_read_cut(struct span body, bool lax, struct game_action *a)
{
    struct json_reader r = json_reader_of(body, DEPTH);
    struct json_string key;
    bool has_side = lax;
    *a = (struct game_action){.kind = BELOTE_CUT};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "position")) {
            a->amount = (int32_t)json_read_int(&r, BELOTE_CUT_MIN, BELOTE_CUT_MAX);
        } else if (json_string_is(key, "fromTop")) {
            a->arg[0] = json_read_bool(&r);
            has_side = true;
        } else {
            json_skip(&r);
        }
    int err = json_finish(&r);
    return err != OK ? err : a->amount && has_side ? OK : ERR_MISSING;
}

int wire_read_word(struct span body, struct game_action *a)
{
    static const uint8_t kinds[] = {BELOTE_ANNOUNCE, BELOTE_ACCEPT, BELOTE_DOUBLE, BELOTE_REDOUBLE};
    struct json_reader r = json_reader_of(body, DEPTH);
    struct json_string key;
    int type = -1, mode = -1, target = -1;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "type"))
            type = read_value(&r, wire_word_types);
        else if (json_string_is(key, "mode"))
            mode = read_loosely(&r, wire_modes);
        else if (json_string_is(key, "targetMode"))
            target = read_loosely(&r, wire_modes);
        else
            json_skip(&r);
    int err = json_finish(&r);
    if (err != OK)
        return err;
    int wanted = type == 0 ? mode : target;
    if (type < 0 || (type != 1 && wanted < 0))
        return ERR_MISSING; // an Accept has no mode: one that comes along is an extra field (B12.20)
    *a = (struct game_action){.kind = kinds[type], .arg = {(uint8_t)(type == 1 ? 0 : wanted)}};
    return OK;
}

int wire_read_card(struct span body, struct game_action *a)
{
    struct json_reader r = json_reader_of(body, DEPTH);
    struct json_string key;
    int rank = -1, suit = -1;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "rank"))
            rank = read_value(&r, wire_ranks);
        else if (json_string_is(key, "suit"))
            suit = read_value(&r, wire_suits);
        else
            json_skip(&r);
    int err = json_finish(&r);
    if (err != OK)
        return err;
    if (rank < 0 || suit < 0)
        return ERR_MISSING;
    *a = (struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)(BELOTE_RANKS * suit + rank)}};
    return OK;
}
