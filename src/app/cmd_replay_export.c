// agon replay export FILE: a match in other formats.
#include "app/acpc_log.h"
#include "app/cmd_replay.h"
#include "app/help.h"
#include "app/output_file.h"
#include "app/phh.h"
#include "app/replay_input.h"
#include "app/reserved_memory.h"
#include "app/step_log.h"
#include "playback/playback.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_HASH = REPLAY_OPTION_OWN, OPTION_VIEWS, LINE_ROOM = 64 << 20, LOG_ROOM = 1 << 30 };

static const char *const formats[] = {"json", "jsonl", "agt", "phh", "acpc", NULL};

enum format { FORMAT_JSON, FORMAT_JSONL, FORMAT_AGT, FORMAT_PHH, FORMAT_ACPC };

struct call {
    struct replay_input in;
    enum format format;
    const char *layout; // of the hashes in a step log
    const char *out;
    const char *viewer; // as given; NULL: all
    int seat;           // whose view of the events; -1: all
    bool views;
};

static seat_set viewers_of(const struct call *call)
{
    if (call->seat < 0)
        return 0xFFFF;
    return SEAT(call->seat);
}

static void write_events(const struct playback *s, struct text *t, seat_set viewers)
{
    json_key(t, "events");
    playback_write_events(s, t, viewers, false);
}

// By name; with --seat that one only.
static void write_views(const struct call *call, const struct playback *s, struct text *t)
{
    if (!call->views)
        return;
    json_begin_object_at(t, "views");
    for (int seat = 0; seat < s->replay->head.seats; seat++) {
        if (call->seat >= 0 && call->seat != seat)
            continue;
        json_key(t, s->name[seat]);
        playback_write_view(s, t, seat);
    }
    if (call->seat < 0) {
        json_key(t, "spectator");
        playback_write_view(s, t, GAME_SPECTATOR);
    }
    json_end_object(t);
}

static void write_head(const struct playback *s, struct text *t, bool reveal)
{
    const struct replay_head *h = &s->run.reader.head;
    json_put_text(t, "format", "agon.replay.1");
    json_put_text(t, "game", h->game);
    json_put_uint(t, "rules_version", h->rules_version);
    app_write_rules(t, s->replay->row->codec, &s->run.rules);
    json_begin_object_at(t, "seats");
    for (int seat = 0; seat < h->seats; seat++)
        json_put_text(t, s->name[seat], h->name[seat]);
    json_end_object(t);
    json_put_hex_bytes(t, "commitment", h->commitment, sizeof h->commitment);
    if (h->has_seed && reveal)
        json_put_uint(t, "seed", h->seed);
    if (reveal)
        json_put_hex_bytes(t, "key", s->replay->key, sizeof s->replay->key);
}

static void write_action(const struct playback *s, struct text *t)
{
    const struct replay_entry *e = &s->run.entry;
    struct codec_table table = playback_for(s, e->seat == GAME_MASTER ? GAME_SPECTATOR : e->seat);
    json_put_text(t, "seat", e->seat == GAME_MASTER ? "master" : s->name[e->seat]);
    if (e->silent)
        json_put_bool(t, "silent", true);
    if (e->source)
        json_put_uint(t, "source", e->source);
    json_key(t, "action");
    if (e->seat == GAME_MASTER && e->action.kind == GAME_DROP) {
        json_begin_object(t);
        json_put_text(t, "type", "drop");
        codec_put_seat(t, "seat", &table, e->action.arg[0]);
        json_put_uint(t, "reason", e->action.arg[1]);
        json_end_object(t);
    } else {
        codec_write_action(s->replay->row->codec, t, &table, e->action, e->seat == GAME_MASTER);
    }
}

// With one seat's view, hidden information stays hidden: no key, no stacked items, no hashes of the state, and of
// others' actions only what the events show.
static bool is_shown(const struct call *call, const struct replay_entry *e)
{
    return call->seat < 0 || (e->kind == REPLAY_ACTION && e->seat == call->seat);
}

static void write_entry(const struct call *call, const struct playback *s, struct text *t)
{
    const struct replay_entry *e = &s->run.entry;
    bool shown = is_shown(call, e);
    json_put_uint(t, "step", s->run.steps);
    switch (e->kind) {
    case REPLAY_ACTION:
        if (shown)
            write_action(s, t);
        break;
    case REPLAY_TICKS:
        json_put_uint(t, "ticks", e->ticks);
        break;
    case REPLAY_STACK:
        if (shown)
            json_put_hex_bytes(t, "stack", e->items.at, e->items.size);
        break;
    case REPLAY_LEAVE:
        json_put_text(t, "leaving", s->name[e->seat]);
        json_put_uint(t, "reason", e->reason);
        return;
    case REPLAY_END:
        app_write_payoffs(t, e->payoffs, s->replay->head.seats);
        if (shown)
            json_put_hex(t, "hash", e->hash);
        return;
    case REPLAY_HASH:
        json_put_hex(t, "hash", e->hash);
        return;
    }
    write_events(s, t, viewers_of(call));
    write_views(call, s, t);
}

static void flush_text(struct text *t, FILE *f)
{
    if (t->full)
        app_die("one entry does not fit into %d MiB", LINE_ROOM >> 20);
    if (fwrite(t->at, 1, t->size, f) != t->size)
        app_die("cannot write the output: %s", strerror(errno));
    t->size = 0;
}

// Lines: the head and every entry, an object each. Document: the same, with the entries as member "entries".
static int export_json(const struct call *call, const struct loaded_replay *tape, FILE *f)
{
    static struct playback s;
    bool lines = call->format == FORMAT_JSONL;
    struct text t = memory_reserve_text(LINE_ROOM);
    playback_open(&s, tape, true);
    json_begin_object(&t);
    write_head(&s, &t, call->seat < 0);
    write_events(&s, &t, viewers_of(call)); // of the start
    write_views(call, &s, &t);
    if (lines)
        json_end_object(&t);
    else
        text_puts(&t, ",\"entries\":[");
    text_put_char(&t, '\n');
    for (bool first = true; playback_next_entry(&s, MATCH_HASH_EVERY);) {
        if (call->seat >= 0 && s.run.entry.kind == REPLAY_HASH)
            continue;
        if (!lines && !first)
            text_puts(&t, ",\n");
        first = false;
        json_begin_object(&t);
        write_entry(call, &s, &t);
        json_end_object(&t);
        if (lines)
            text_put_char(&t, '\n');
        flush_text(&t, f);
    }
    if (!lines)
        text_puts(&t, "\n]}\n");
    flush_text(&t, f);
    int status = APP_DONE;
    if (s.error != OK) {
        char why[LOADED_REPLAY_ERROR_ROOM];
        playback_describe_error(&s, why, sizeof why);
        fprintf(stderr, "agon: %s: %s\n", tape->path, why);
        status = APP_FAILED;
    }
    playback_close(&s);
    memory_release(t.at, t.room);
    return status;
}

static int export_step_log(const struct call *call, const struct loaded_replay *tape, FILE *f)
{
    struct step_log_fault fault;
    struct text out = memory_reserve_text(LOG_ROOM);
    int err = step_log_export(&out, tape->file, tape->key, call->layout, &fault);
    if (err == OK)
        flush_text(&out, f);
    else
        fprintf(stderr, "agon: %s: %s\n", tape->path, fault.why);
    memory_release(out.at, out.room);
    return err == OK ? APP_DONE : APP_FAILED;
}

// N13.8: hands that others would refuse are marked, and counted here.
static int export_hands(const struct call *call, const struct loaded_replay *tape, FILE *f)
{
    struct phh_counts n;
    struct text out = memory_reserve_text(LOG_ROOM);
    int err = phh_export(&out, tape->file, tape->key, call->seat, &n);
    if (err == OK)
        flush_text(&out, f);
    else
        fprintf(stderr, "agon: %s: %s; 'agon replay verify' prints where\n", tape->path, err_sentence(err));
    if (err == OK && n.unfinished + n.nonstandard + n.short_blinds)
        fprintf(stderr,
                "agon: %s: %" PRIu64 " hands written, %" PRIu64 " marked _agon_nonstandard, %" PRIu64
                " calls of a short big blind, %" PRIu64 " unfinished and left out\n",
                tape->path, n.hands, n.nonstandard, n.short_blinds, n.unfinished);
    memory_release(out.at, out.room);
    return err == OK ? APP_DONE : APP_FAILED;
}

static int export_log(const struct call *call, const struct loaded_replay *tape, FILE *f)
{
    struct acpc_counts n;
    struct text out = memory_reserve_text(LOG_ROOM);
    int err = acpc_export(&out, tape->file, tape->key, call->seat, &n);
    if (err == OK)
        flush_text(&out, f);
    else if (err == ERR_RULES)
        fprintf(stderr, "agon: %s: match logs (acpc) are of cash matches without an ante: use --format phh\n",
                tape->path);
    else
        fprintf(stderr, "agon: %s: %s; 'agon replay verify' prints where\n", tape->path, err_sentence(err));
    if (err == OK && n.unfinished)
        fprintf(stderr, "agon: %s: %" PRIu64 " hands written, the last one is unfinished and left out\n", tape->path,
                n.hands);
    memory_release(out.at, out.room);
    return err == OK ? APP_DONE : APP_FAILED;
}

static int export_to(const struct call *call, const struct loaded_replay *tape)
{
    FILE *f = call->out && strcmp(call->out, "-") != 0 ? fopen(call->out, "wb") : stdout;
    if (!f)
        app_die("cannot write %s: %s", call->out, strerror(errno));
    int status = call->format == FORMAT_AGT    ? export_step_log(call, tape, f)
                 : call->format == FORMAT_PHH  ? export_hands(call, tape, f)
                 : call->format == FORMAT_ACPC ? export_log(call, tape, f)
                                               : export_json(call, tape, f);
    if (f != stdout && fclose(f) != 0)
        app_die("cannot write %s: %s", call->out, strerror(errno));
    return status;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case 'f':
        call->format = (enum format)app_read_word(state, "--format", arg, formats);
        return 0;
    case OPTION_HASH:
        if (strcmp(arg, "agon") != 0 && strcmp(arg, "compat") != 0)
            argp_failure(state, APP_USAGE, 0, "unknown hash layout '%s'; known: agon, compat", arg);
        call->layout = arg;
        return 0;
    case 'o':
        call->out = arg;
        return 0;
    case OPTION_VIEWS:
        call->views = true;
        return 0;
    case 's':
        call->viewer = arg;
        return 0;
    default:
        return replay_input_parse(&call->in, key, arg, state);
    }
}

int cmd_replay_export(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"format", 'f', "FORMAT", 0,
         "json (one document), jsonl (one line per entry), agt (Tetris step log), phh (poker hands) or acpc (log of a "
         "poker match) (json)",
         0},
        {"hash", OPTION_HASH, "LAYOUT", 0, "Hashes of a step log: agon or compat (agon)", 0},
        {"seat", 's', "SEAT", 0, "Write only what this seat could see, by number or name", 0},
        {"views", OPTION_VIEWS, 0, 0, "Add what every seat and a spectator see after each entry (json, jsonl)", 0},
        {"output", 'o', "OUT", 0, "File to write (standard output)", 0},
        REPLAY_KEY_OPTION,
        {0},
    };
    static const struct argp argp = {options,
                                     parse_option,
                                     "FILE",
                                     "Write a match as JSON: its seats, rules, actions and events.\v"
                                     "Without --seat the output includes hidden cards and the key.",
                                     0,
                                     0,
                                     0};
    struct call call = {.format = FORMAT_JSON, .layout = "agon", .seat = -1};
    struct loaded_replay t;
    help_parse(&argp, argc, argv, 0, &call);
    output_file_check(call.out, argv[0]);
    replay_input_open(&call.in, &t);
    if (call.viewer)
        call.seat = replay_input_read_seat(argv[0], &t, call.viewer, "");
    int status = APP_USAGE;
    if (call.format == FORMAT_AGT && strcmp(t.head.game, "tetris") != 0)
        fprintf(stderr, "agon: step logs (agt) are for tetris; this is %s: use --format json or jsonl\n", t.head.game);
    else if (call.format >= FORMAT_PHH && strcmp(t.head.game, "texas_holdem") != 0)
        fprintf(stderr, "agon: hands (%s) are for texas_holdem; this is %s: use --format json or jsonl\n",
                formats[call.format], t.head.game);
    else
        status = export_to(&call, &t);
    replay_file_close(&t);
    return status;
}
