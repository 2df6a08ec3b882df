#include "verify/bot_assertions.h"

#include "verify/bot_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct assertion match_rows[BOT_MATCH_ASSERTIONS] = {
    [BOT_CUT_LEGAL] = {"cut.legal", "match", "B12.21 P2.2",
                       "a cut is a whole number from 6 to 26 and a boolean fromTop", false},
    [BOT_BID_LEGAL] = {"bid.legal", "match", "B12.21 P2.2", "a negotiation action is an entry of validActions", false},
    [BOT_CARD_LEGAL] = {"card.legal", "match", "B12.21 P2.2", "a card is an entry of validPlays", false},
    [BOT_IN_TIME] = {"answer.time", "match", "B14.7 B12.25", "a decision takes no longer than --timeout", false},
    [BOT_ANSWERS] = {"answer.comes", "match", "B12.20 P1.3", "a decision is answered with 2xx", false},
    [BOT_CROWD] = {"crowd.legal", "match", "B14.8 P1.2", "200 sessions at once get legal answers", false},
    [BOT_SILENT] = {"untold.legal", "match", "B14.8", "matches without any notification get legal answers", false},
    [BOT_REPEATS] = {"match.repeats", "match", "B14.7 P1.5", "the same seeds give the same decisions twice", false},
    [BOT_SESSIONS] = {"session.ends", "match", "B14.7 P1.4", "every created session can be deleted, none is left",
                      false},
    [BOT_ACKNOWLEDGES] = {"notice.acknowledged", "should", "B14.1 P1.3", "notifications are answered with 2xx", false},
    [BOT_PACE] = {"answer.pace", "should", "B14.10", "decisions do not become twice as slow", false},
};

// Rules of the probes, by name.
static const char *rules_of(const char *name)
{
    static const char *const rules[][2] = {
        {"create", "B11.1 P1.3"},        {"delete", "B11.2 P1.3"},      {"lost-session", "B11.14 P5.1"},
        {"malformed", "B11.17 P5.1"},    {"bad-create", "B11.14 P5.1"}, {"nulls", "B11.15 P2.4"},
        {"extra-fields", "B11.15 P2.1"}, {"paths", "B11.12 B11.14"},    {"empty-list", "B11.16 P5.1"},
        {"repeat", "B11.26 P1.5"},       {"twins", "B11.27 P1.5"},      {"silence", "B11.28"},
        {"idle", "B11.24 P1.2"},         {"chunked", "B11.24"},         {"large", "B11.14 P5.1"},
    };
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i][0], name) == 0)
            return rules[i][1];
    return "B14.8";
}

static int write_rows(struct assertion rows[BOT_MAX_ASSERTIONS])
{
    int count = 0;
    for (; bot_probe_rows[count].name; count++) {
        const struct bot_probe_row *p = &bot_probe_rows[count];
        rows[count] = (struct assertion){p->name, p->must ? "probe" : "should", rules_of(p->name), p->title, false};
    }
    memcpy(rows + count, match_rows, sizeof match_rows);
    return count + BOT_MATCH_ASSERTIONS;
}

void bot_write_list(struct text *t, bool json)
{
    static struct assertion rows[BOT_MAX_ASSERTIONS];
    assertion_write_list(t, rows, write_rows(rows), json);
}

// --- faults

static enum bot_assertion row_of(enum bot_part part, const struct seat_fault *f)
{
    if (part != BOT_PART_MATCHES)
        return part == BOT_PART_CROWD ? BOT_CROWD : BOT_SILENT;
    if (!f)
        return BOT_ACKNOWLEDGES;
    if (f->kind == SEAT_TIMEOUT)
        return BOT_IN_TIME;
    if (f->kind != SEAT_ILLEGAL || f->call > SEAT_CARD)
        return BOT_ANSWERS;
    return f->call == SEAT_CUT ? BOT_CUT_LEGAL : f->call == SEAT_NEGOTIATION ? BOT_BID_LEGAL : BOT_CARD_LEGAL;
}

void bot_note_fault(struct bot_faults *faults, enum bot_part part, const char *text, const struct seat_fault *f)
{
    char why[ASSERTION_WHY], said[WIRE_QUOTE], sent[WIRE_QUOTE], reply[WIRE_QUOTE];
    if (!f && part != BOT_PART_MATCHES)
        return;
    struct assertions all = {match_rows, faults->row, BOT_MATCH_ASSERTIONS};
    wire_quote(said, span_of(text)); // it quotes the other side
    if (f)
        snprintf(why, sizeof why, "%s; sent %s; received %s", said, wire_quote(sent, f->sent),
                 wire_quote(reply, f->reply));
    else
        snprintf(why, sizeof why, "%s", said);
    assertion_note(&all, (int)row_of(part, f), false, why);
}

// --- results

static void set_verdict(struct assertions *all, int id, bool holds, const char *why)
{
    if (all->results[id].verdict != GATE_FAIL)
        assertion_note(all, id, holds, why);
}

static void conclude_sessions(struct assertions *all, int id, const struct bot_check *c)
{
    char why[ASSERTION_WHY];
    bool known = c->sessions_before >= 0 && c->sessions_after >= 0;
    snprintf(why, sizeof why, "%u sessions were created, %u deleted", c->counts.created, c->counts.deleted);
    set_verdict(all, id, c->counts.created == c->counts.deleted, why);
    snprintf(why, sizeof why, "/health had %" PRId64 " sessions before and has %" PRId64, c->sessions_before,
             c->sessions_after);
    set_verdict(all, id, !known || c->sessions_after <= c->sessions_before, why);
}

static void conclude_matches(struct assertions *all, int from, const struct bot_check *c,
                             const struct bot_check_options *o)
{
    char why[ASSERTION_WHY];
    for (int i = BOT_CUT_LEGAL; i <= BOT_ANSWERS; i++)
        set_verdict(all, from + i, true, "");
    set_verdict(all, from + BOT_ACKNOWLEDGES, true, "");
    if (c->parallel_games)
        set_verdict(all, from + BOT_CROWD, c->parallel_trouble == 0, "violations with many sessions at once");
    if (c->silent_games)
        set_verdict(all, from + BOT_SILENT, c->silent_trouble == 0, "violations in matches without notifications");
    snprintf(why, sizeof why, "match %" PRIu64 " differs at entry %" PRIu64, c->other_game, c->other_decision);
    if (o->determinism)
        set_verdict(all, from + BOT_REPEATS, c->repeats, why);
    snprintf(why, sizeof why, "the middle card decision took %.0f us in the first half, %.0f us in the second",
             c->first_half, c->second_half);
    set_verdict(all, from + BOT_PACE, !c->slowing, why);
    conclude_sessions(all, from + BOT_SESSIONS, c);
}

struct assertions bot_assertions_of(const struct bot_check *c, const struct bot_check_options *o,
                                    struct assertion_result *results)
{
    static struct assertion rows[BOT_MAX_ASSERTIONS];
    int count = write_rows(rows), probes = count - BOT_MATCH_ASSERTIONS;
    struct assertions all = {rows, results, count};
    memset(results, 0, BOT_MAX_ASSERTIONS * sizeof *results);
    for (int i = 0; i < probes; i++)
        if (c->probe[i].verdict != GATE_NOT_RUN)
            assertion_note(&all, i, c->probe[i].verdict == GATE_PASS, c->probe[i].why);
    memcpy(results + probes, c->faults.row, sizeof c->faults.row);
    if (c->games)
        conclude_matches(&all, probes, c, o);
    return all;
}
