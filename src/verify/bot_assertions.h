// The assertions of agon verify bot, by name: its probes (B14.8) and those about whole matches (B14.7).
#pragma once

#include "seats/seat.h"
#include "verify/assertion.h"
#include "verify/bot_probe.h"

// About matches; probes have rows of their own, in the order of bot_probe_rows.
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

// The part of the run in which a fault occurred.
enum bot_part { BOT_PART_MATCHES, BOT_PART_CROWD, BOT_PART_SILENT };

struct bot_faults {
    struct assertion_result row[BOT_MATCH_ASSERTIONS]; // the first fault of each kind
};

// Records a failed call of a match. `f` NULL: a notification or DELETE failed, as `text` says.
void bot_note_fault(struct bot_faults *faults, enum bot_part part, const char *text, const struct seat_fault *f);

struct bot_check;
struct bot_check_options;
// All rows and their results in this run; `results` has BOT_MAX_ASSERTIONS elements.
struct assertions bot_assertions_of(const struct bot_check *c, const struct bot_check_options *o,
                                    struct assertion_result *results);
void bot_write_list(struct text *t, bool json);
