// Errors of input from outside, in one list: code, wire name, sentence. Functions that can refuse return OK or one of
// these.
#pragma once

#define ERR_LIST(X)                                                                                                    \
    X(ERR_RULES, -100, "bad_rules", "these rules, this number of seats or these stacked items are out of range")       \
    X(ERR_SEAT, -101, "not_your_turn", "this seat may not act now")                                                    \
    X(ERR_ACTION, -102, "illegal_action", "this action is not legal here; ask for the choices")                        \
    X(ERR_OVER, -103, "game_over", "the game has ended")                                                               \
    X(ERR_STALE, -104, "stale", "the question this answers has been closed")                                           \
    X(ERR_NO_GAME, -105, "no_game", "no game is running; start one first")                                             \
    X(ERR_JSON, -200, "bad_json", "the text is not valid JSON")                                                        \
    X(ERR_UTF8, -201, "bad_utf8", "the text is not valid UTF-8")                                                       \
    X(ERR_DEPTH, -202, "too_deep", "the JSON is nested too deeply")                                                    \
    X(ERR_TYPE, -203, "wrong_type", "a value has the wrong JSON type")                                                 \
    X(ERR_RANGE, -204, "out_of_range", "a number is out of range")                                                     \
    X(ERR_MISSING, -205, "missing_field", "a required field is missing")                                               \
    X(ERR_UNKNOWN, -206, "unknown_name", "a name is not known here")                                                   \
    X(ERR_TOO_LONG, -207, "too_long", "the text is longer than the limit or has a NUL inside")                         \
    X(ERR_FORMAT, -300, "bad_replay", "this is not a replay, or it is damaged")                                        \
    X(ERR_VERSION, -301, "wrong_version", "the replay was made by another version of the format or the rules")         \
    X(ERR_MISMATCH, -302, "mismatch", "the replay does not reproduce: a recorded hash differs")                        \
    X(ERR_COMMITMENT, -303, "bad_commitment", "the revealed key does not match the commitment")                        \
    X(ERR_FULL, -400, "full", "there is no room left")                                                                 \
    X(ERR_STORAGE, -401, "storage_failure", "the data folder cannot be written; free space or mend it, then restart")

enum err {
    OK = 0,
#define ERR_AS_ENUM(name, code, wire, sentence) name = code,
    ERR_LIST(ERR_AS_ENUM)
#undef ERR_AS_ENUM
};

const char *err_name(int err);     // wire name; "ok" for OK, "unknown_error" for an unknown code
const char *err_sentence(int err); // what would be right, in words
