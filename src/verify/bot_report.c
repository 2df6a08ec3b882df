// The report about a bot, for people and for programs.
#include "base/json_write.h"
#include "codec/codec.h"
#include "verify/bot_check.h"

#include <inttypes.h>

static const char *const mode_names[] = {"Clubs", "Diamonds", "Hearts", "Spades", "NoTrumps", "AllTrumps"};
static void put_probes(struct text *t, const struct bot_check *c)
{
    for (int i = 0; bot_probe_rows[i].name; i++) {
        const struct bot_probe_row *row = &bot_probe_rows[i];
        codec_write(t, "%s  %-6s %-14s %s%s%s\n", gate_mark(c->probe[i].verdict), row->must ? "must" : "should",
                    row->name, row->title, c->probe[i].why[0] ? ": " : "", c->probe[i].why);
    }
}

static void describe_times(struct text *t, const struct bot_check *c)
{
    contest_latency_write_head(t);
    for (int k = 0; k < SEAT_CALLS; k++)
        if (c->times[k].count)
            contest_latency_write_row(t, "bot", (enum seat_call)k, &c->times[k]);
    if (c->times[SEAT_CARD].count) // B14.10
        codec_write(t, "trend: the middle card decision took %.0f us in the first half, %.0f us in the second%s\n",
                    c->first_half, c->second_half, c->slowing ? ": it slows down" : "");
}

static void describe_play(struct text *t, const struct bot_check *c, const struct bot_check_options *o)
{
    codec_write(t,
                "\n%" PRIu64 " matches to %" PRId32 " with seed %" PRIu64 ", %" PRIu64 " deals, %" PRIu64
                " won against %s\n",
                c->games, o->target, o->seed, c->deals, c->wins, o->opponent->name);
    text_puts(t, "modes played:");
    for (int m = 0; m < 6; m++)
        codec_write(t, " %s %" PRIu64, mode_names[m], c->modes[m]);
    text_puts(t, "\nviolations:");
    for (int k = 0; k < CONTEST_TROUBLES; k++)
        codec_write(t, " %s %" PRIu64, contest_trouble_names[k], c->violations[k]);
    text_puts(t, "\nillegal answers:");
    for (int k = 0; k <= SEAT_CARD; k++)
        codec_write(t, " %s %u", seat_call_names[k], c->counts.illegal[k]);
    codec_write(t, "\nup to 200 sessions at once: %" PRIu64 " matches, %" PRIu64 " violations\n", c->parallel_games,
                c->parallel_trouble);
    codec_write(t, "told nothing: %" PRIu64 " matches, %" PRIu64 " violations\n", c->silent_games, c->silent_trouble);
    codec_write(t, "sessions: %u created, %u deleted", c->counts.created, c->counts.deleted);
    if (c->sessions_before >= 0 && c->sessions_after >= 0)
        codec_write(t, "; the server has %" PRId64 ", it had %" PRId64, c->sessions_after, c->sessions_before);
    text_put_char(t, '\n');
    if (o->determinism && c->repeats)
        text_puts(t, "deterministic: the second run was the first, decision by decision\n");
    else if (!c->repeats)
        codec_write(t, "not deterministic: match %" PRIu64 " differs at entry %" PRIu64 "\n", c->other_game,
                    c->other_decision);
}

// About matches: probes have their lines above.
static void describe_faults(struct text *t, const struct bot_check *c, const struct bot_check_options *o)
{
    static struct assertion_result results[BOT_MAX_ASSERTIONS];
    struct assertions all = bot_assertions_of(c, o, results);
    int probes = all.count - BOT_MATCH_ASSERTIONS;
    struct assertions matches = {all.rows + probes, all.results + probes, BOT_MATCH_ASSERTIONS};
    assertion_write_failures(t, &matches);
}

void bot_check_report_text(struct text *t, const struct bot_check *c, const struct bot_check_options *o)
{
    put_probes(t, c);
    describe_play(t, c, o);
    describe_faults(t, c, o);
    describe_times(t, c);
    text_puts(t, bot_check_passed(c, o) ? "\npassed" : "\nfailed: ");
    bot_check_describe_faults(t, c, o);
    text_put_char(t, '\n');
}

static void write_probes(struct text *t, const struct bot_check *c)
{
    json_begin_array_at(t, "probes");
    for (int i = 0; bot_probe_rows[i].name; i++) {
        json_begin_object(t);
        json_put_text(t, "name", bot_probe_rows[i].name);
        json_put_bool(t, "must", bot_probe_rows[i].must);
        json_put_text(t, "result", gate_word(c->probe[i].verdict));
        if (c->probe[i].why[0])
            json_put_text(t, "why", c->probe[i].why);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_times(struct text *t, const struct bot_check *c)
{
    json_begin_array_at(t, "latency_us");
    for (int k = 0; k < SEAT_CALLS; k++) {
        if (c->times[k].count == 0)
            continue;
        json_begin_object(t);
        contest_latency_put(t, (enum seat_call)k, &c->times[k]);
        json_end_object(t);
    }
    json_end_array(t);
}

void bot_check_report_json(struct text *t, const struct bot_check *c, const struct bot_check_options *o)
{
    json_begin_object(t);
    json_put_text(t, "address", o->probe.address);
    json_put_bool(t, "passed", bot_check_passed(c, o));
    if (c->died[0])
        json_put_text(t, "died", c->died);
    write_probes(t, c);
    json_put_uint(t, "seed", o->seed);
    json_put_int(t, "target", o->target);
    json_put_text(t, "opponent", o->opponent->name);
    json_put_uint(t, "games", c->games);
    json_put_uint(t, "wins", c->wins);
    json_put_uint(t, "deals", c->deals);
    json_begin_object_at(t, "modes");
    for (int m = 0; m < 6; m++)
        json_put_uint(t, mode_names[m], c->modes[m]);
    json_end_object(t);
    json_begin_object_at(t, "violations");
    for (int k = 0; k < CONTEST_TROUBLES; k++)
        json_put_uint(t, contest_trouble_names[k], c->violations[k]);
    json_end_object(t);
    json_begin_object_at(t, "illegal");
    for (int k = 0; k <= SEAT_CARD; k++)
        json_put_uint(t, seat_call_names[k], c->counts.illegal[k]);
    json_end_object(t);
    json_put_uint(t, "parallel_games", c->parallel_games);
    json_put_uint(t, "parallel_violations", c->parallel_trouble);
    json_put_uint(t, "untold_games", c->silent_games);
    json_put_uint(t, "untold_violations", c->silent_trouble);
    json_put_uint(t, "sessions_created", c->counts.created);
    json_put_uint(t, "sessions_deleted", c->counts.deleted);
    if (c->sessions_before >= 0 && c->sessions_after >= 0) {
        json_put_int(t, "server_sessions_before", c->sessions_before);
        json_put_int(t, "server_sessions_after", c->sessions_after);
    }
    json_put_decimal(t, "first_half_us", c->first_half, 0);
    json_put_decimal(t, "second_half_us", c->second_half, 0);
    json_put_bool(t, "slowing", c->slowing);
    if (o->determinism)
        json_put_bool(t, "deterministic", c->repeats);
    if (!c->repeats) {
        json_put_uint(t, "first_difference_game", c->other_game);
        json_put_uint(t, "first_difference_entry", c->other_decision);
    }
    write_times(t, c);
    static struct assertion_result results[BOT_MAX_ASSERTIONS];
    struct assertions all = bot_assertions_of(c, o, results);
    assertion_put_results(t, &all);
    json_end_object(t);
    text_put_char(t, '\n');
}
