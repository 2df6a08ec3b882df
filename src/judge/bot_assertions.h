// What agon verify bot asserts, by name: its probes (B14.8) and what whole matches show (B14.7).
#pragma once

#include "judge/assertion.h"
#include "judge/bot_probe.h"
#include "seats/seat.h"

// Of matches; probes have their own rows, in the order of bot_probe_rows.
enum bot_assertion {
    BOT_CUT_LEGAL,
    BOT_BID_LEGAL,
    BOT_CARD_LEGAL,
    BOT_IN_TIME,
    BOT_ANSWERS,
    BOT_CROWD,
    BOT_SILENT,
    BOT_REPEATS,
    BOT_SESSIONS,
    BOT_ACKNOWLEDGES,
    BOT_PACE,
    BOT_MATCH_ASSERTIONS
};

enum { BOT_MAX_ASSERTIONS = BOT_MATCH_ASSERTIONS + BOT_PROBES };

// Where in the run a fault was seen.
enum bot_part { BOT_PART_MATCHES, BOT_PART_CROWD, BOT_PART_SILENT };

struct bot_faults {
    struct assertion_result row[BOT_MATCH_ASSERTIONS]; // the first fault of each
};

// A failed call of a match: `f` NULL is a notification or DELETE that failed, `text` says how.
void bot_note_fault(struct bot_faults *faults, enum bot_part part, const char *text, const struct seat_fault *f);

struct bot_check;
struct bot_check_options;
// All rows, and the result of each in this run; `results` has BOT_MAX_ASSERTIONS.
struct assertions bot_assertions_of(const struct bot_check *c, const struct bot_check_options *o,
                                    struct assertion_result *results);
void bot_write_list(struct text *t, bool json);
