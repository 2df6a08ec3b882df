// agon tetris-ai: an agent for any adapter of the standard, and the reference of how a client should behave.
#include "app/app.h"
#include "app/games.h"
#include "app/help.h"
#include "app/tetris_agent.h"
#include "base/json_write.h"
#include "front/lines/message_write.h"
#include "games/tetris/bots/bots.h"
#include "games/tetris/kit.h"
#include "net/line_client.h"
#include "net/loop.h"
#include "stats/stats.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// PATIENCE_MS: longest time without a line of the adapter, or of the TBP bot at its start.
enum { PATIENCE_MS = 10000, LINE_ROOM = 1024 };

struct options {
    char host[256];
    uint16_t port;
    const char *table, *version, *tbp;
    int tbp_ms;
    const struct bot *bot;
    uint64_t rounds, seed, max_lines;
    bool given, realtime, json, quiet;
};

struct round {
    uint64_t seed, lines, score, pieces;
    bool capped;     // ended by --max-lines, not by the game
    bool unfinished; // interrupted while it ran
};

struct session {
    const struct options *options;
    struct line_client line;
    struct tetris_agent agent;
    struct server_welcome welcome;
    struct server_observation now; // the newest observation
    bool seen;                     // there is one
    uint64_t seq, episodes_seen, refused, waits;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

// --- talking

static void send_line(struct session *s, struct text *t)
{
    if (!line_client_send(&s->line, text_span(t)))
        app_die("the adapter closed the connection");
}

// As the standard advises: an observation of an earlier episode is late and ignored.
static void store_observation(struct session *s, const struct server_observation *o)
{
    if (o->episode_id < s->episodes_seen)
        return;
    s->episodes_seen = o->episode_id;
    s->now = *o;
    s->seen = true;
}

// The next message; observations are recorded. Returns false if interrupted.
static bool read_message(struct session *s, struct server_message *m)
{
    struct span line;
    for (int64_t until = loop_now_us() + PATIENCE_MS * 1000ll; !interrupted;) {
        int got = line_client_read(&s->line, &line, 100);
        if (got == LINE_CLOSED)
            app_die("the adapter closed the connection");
        if (got == LINE_LATE && loop_now_us() > until)
            app_die("the adapter sent nothing for %d seconds", PATIENCE_MS / 1000);
        if (got == LINE_LATE)
            continue;
        if (!server_message_read(m, line) || m->wrong)
            app_die("the adapter sent an invalid message: %s", m->wrong);
        if (m->type == SERVER_OBSERVATION)
            store_observation(s, &m->observation);
        return true;
    }
    return false;
}

static bool receive_reply(struct session *s, uint64_t seq, struct server_message *m)
{
    while (read_message(s, m))
        if (m->type != SERVER_OBSERVATION && m->seq == seq)
            return true;
    return false;
}

// Waits for an observation for which `ready` is true; in lock-step requests a step if none comes.
static bool wait_until(struct session *s, bool (*ready)(const struct session *, uint64_t), uint64_t what)
{
    struct server_message m;
    while (!(s->seen && ready(s, what)))
        if (!read_message(s, &m))
            return false;
    return true;
}

static bool is_any(const struct session *s, uint64_t unused)
{
    (void)s, (void)unused;
    return true;
}

static bool is_new_episode(const struct session *s, uint64_t before)
{
    return s->now.episode_id > before && s->now.playable;
}

static bool is_later(const struct session *s, uint64_t before)
{
    return s->now.logical_step > before || s->now.game_over;
}

static bool is_next_piece(const struct session *s, uint64_t before)
{
    return s->now.piece_id != before || s->now.game_over;
}

// --- playing

// Waits as long as the adapter asks, then tries again with a larger seq.
static bool pause_for(struct session *s, int64_t ms)
{
    struct server_message m;
    struct span line;
    s->waits++;
    for (int64_t until = loop_now_us() + ms * 1000; loop_now_us() < until && !interrupted;) {
        int got = line_client_read(&s->line, &line, 5);
        if (got == LINE_CLOSED)
            return false;
        if (got == LINE_READ && server_message_read(&m, line) && m.type == SERVER_OBSERVATION)
            store_observation(s, &m.observation);
    }
    return !interrupted;
}

static bool restart_episode(struct session *s, uint64_t seed)
{
    static const char *const actions[] = {"restart"};
    struct server_message m;
    if (!wait_until(s, is_any, 0)) // the current episode must be known to recognise the next one
        return false;
    uint64_t before = s->now.episode_id;
    for (;;) {
        char bytes[LINE_ROOM];
        struct text t = text_on(bytes, sizeof bytes);
        message_write_actions(&t, ++s->seq, actions, 1, &seed);
        send_line(s, &t);
        if (!receive_reply(s, s->seq, &m))
            return false;
        if (m.type == SERVER_ACK)
            return wait_until(s, is_new_episode, before);
        if (strcmp(m.error.code, "backpressure") != 0)
            app_die("the adapter refused to restart: %s", m.error.code);
        if (!pause_for(s, m.error.retry_after_ms ? m.error.retry_after_ms : 50))
            return false;
    }
}

// One placement. Returns false if the round cannot continue. After a refusal the newest observation is used.
static bool play_placement(struct session *s, bool *avoid_hold)
{
    struct tetris_plan plan;
    struct server_message m;
    struct server_observation before = s->now;
    bool planned = tetris_agent_plan(&s->agent, &before, *avoid_hold, &plan);
    if (!planned && s->agent.tbp && s->agent.tbp->why[0])
        app_die("--tbp: %s", s->agent.tbp->why);
    if (!planned)
        return wait_until(s, is_later, before.logical_step); // nothing fits: the end is near
    char bytes[LINE_ROOM];
    struct text t = text_on(bytes, sizeof bytes);
    message_write_place(&t, ++s->seq, plan.x, plan.rotation, plan.hold);
    send_line(s, &t);
    if (!receive_reply(s, s->seq, &m))
        return false;
    *avoid_hold = m.type == SERVER_ERROR && strcmp(m.error.code, "hold_unavailable") == 0;
    if (m.type == SERVER_ACK)
        return plan.hold && before.hold ? wait_until(s, is_later, before.logical_step)
                                        : wait_until(s, is_next_piece, before.piece_id);
    s->refused++;
    if (strcmp(m.error.code, "backpressure") == 0)
        return pause_for(s, m.error.retry_after_ms ? m.error.retry_after_ms : 50);
    if (strcmp(m.error.code, "not_controller") == 0)
        app_die("another client has taken control");
    return s->welcome.lockstep && !s->options->realtime ? true : wait_until(s, is_later, before.logical_step);
}

static void store_score(const struct session *s, struct round *r)
{
    r->lines = s->now.lines;
    r->score = s->now.score;
}

// Returns false if there is nothing to report: interrupted before it began.
static bool play_round(struct session *s, uint64_t seed, struct round *r)
{
    bool avoid_hold = false;
    uint64_t stuck = 0;
    if (!restart_episode(s, seed))
        return false;
    for (*r = (struct round){.seed = seed};; r->pieces++) {
        store_score(s, r);
        if (s->now.game_over)
            return true;
        if (s->options->max_lines && r->lines >= s->options->max_lines)
            return r->capped = true;
        uint64_t before = s->refused;
        if (!play_placement(s, &avoid_hold)) {
            store_score(s, r);
            return r->unfinished = true;
        }
        stuck = s->refused > before ? stuck + 1 : 0;
        if (stuck > 100)
            app_die("the adapter refused %ju placements in a row", (uintmax_t)stuck);
    }
}

// --- meeting

static void open_session(struct session *s)
{
    char bytes[LINE_ROOM];
    const struct options *o = s->options;
    struct server_message m;
    for (int attempt = 0; attempt < 2; attempt++) {
        int err = line_client_open(&s->line, o->host, o->port, PATIENCE_MS);
        if (err) {
            fprintf(stderr,
                    "agon tetris-ai: cannot connect to %s:%u: %s; start an adapter with 'agon tetris --headless'\n",
                    o->host, o->port, strerror(err));
            exit(APP_USAGE);
        }
        struct hello_options hello = {.name = "agon-tetris-ai",
                                      .version = attempt      ? "3.0.0"
                                                 : o->version ? o->version
                                                              : "2.1.0",
                                      .role = "controller",
                                      .table = o->table,
                                      .stream = true,
                                      .lockstep = !o->realtime,
                                      .place = true};
        struct text t = text_on(bytes, sizeof bytes);
        message_write_hello(&t, &hello);
        send_line(s, &t);
        s->seq = 1;
        if (!receive_reply(s, 1, &m))
            exit(APP_FAILED);
        if (m.type == SERVER_WELCOME)
            break;
        line_client_close(&s->line);
        if (strcmp(m.error.code, "protocol_mismatch") != 0 || o->version || attempt)
            app_die("the adapter refused the connection: %s", m.error.code);
    }
    s->welcome = m.welcome;
    s->agent.box = strcmp(m.welcome.coordinates, "cells") != 0; // adapters that do not say use boxes
    s->agent.guideline = strcmp(m.welcome.ruleset, "guideline") == 0;
    if (strcmp(m.welcome.role, "controller") != 0)
        app_die("another client controls this table; choose another with --table");
}

// --- report

static void print_round(const struct options *o, uint64_t number, const struct round *r)
{
    if (!o->json && !o->quiet)
        printf("round %ju  seed %ju  lines %ju  score %ju  pieces %ju%s\n", (uintmax_t)number + 1, (uintmax_t)r->seed,
               (uintmax_t)r->lines, (uintmax_t)r->score, (uintmax_t)r->pieces,
               r->unfinished ? "  (unfinished)"
               : r->capped   ? "  (stopped)"
                             : "");
    fflush(stdout);
}

static void write_rounds(struct text *t, const struct round *rounds, uint64_t count)
{
    json_begin_array_at(t, "rounds");
    for (uint64_t i = 0; i < count; i++) {
        json_begin_object(t);
        json_put_uint(t, "seed", rounds[i].seed);
        json_put_uint(t, "lines", rounds[i].lines);
        json_put_uint(t, "score", rounds[i].score);
        json_put_uint(t, "pieces", rounds[i].pieces);
        json_put_bool(t, "stopped", rounds[i].capped);
        json_put_bool(t, "unfinished", rounds[i].unfinished);
        json_end_object(t);
    }
    json_end_array(t);
}

// Means are over the finished rounds.
static void print_report(const struct session *s, const struct round *rounds, uint64_t count, uint64_t finished)
{
    double lines = 0, score = 0;
    for (uint64_t i = 0; i < finished; i++) {
        lines += (double)rounds[i].lines / (double)finished;
        score += (double)rounds[i].score / (double)finished;
    }
    if (!s->options->json) {
        printf("%ju round%s: mean lines %.1f, mean score %.1f; %ju placements refused, %ju waits\n",
               (uintmax_t)finished, finished == 1 ? "" : "s", lines, score, (uintmax_t)s->refused, (uintmax_t)s->waits);
        return;
    }
    size_t room = 512 + 192 * (size_t)count;
    char *bytes = malloc(room);
    if (!bytes)
        app_die("no memory for the report");
    struct text t = text_on(bytes, room);
    json_begin_object(&t);
    json_put_text(&t, "game_id", s->welcome.game_id);
    json_put_text(&t, "clock", s->options->realtime || !s->welcome.lockstep ? "realtime" : "lockstep");
    json_put_decimal(&t, "mean_lines", lines, 3);
    json_put_decimal(&t, "mean_score", score, 3);
    json_put_uint(&t, "refused", s->refused);
    json_put_uint(&t, "waits", s->waits);
    write_rounds(&t, rounds, count);
    json_end_object(&t);
    printf("%.*s\n", (int)t.size, t.at);
    free(bytes);
}

// --- options

enum { CONNECT = 0x100, ROUNDS, POLICY, SEED, CLOCK, TABLE, MAX_LINES, JSON, VERSION, TBP, TBP_MS };

static const struct argp_option argp_options[] = {
    {"connect", CONNECT, "HOST:PORT", 0, "Address of the adapter (127.0.0.1:7777)", 0},
    {"rounds", ROUNDS, "N", 0, "Number of games (1)", 0},
    {"policy", POLICY, "P", 0, "House bot that plays: rules, house:1 to house:5, .. (rules)", 0},
    {"seed", SEED, "N", 0, "Seed of the first round; each further round adds one (1)", 0},
    {"clock", CLOCK, "C", 0, "lockstep, where the adapter offers it, or realtime (lockstep)", 0},
    {"table", TABLE, "NAME", 0, "Table to join, at adapters with several", 0},
    {"max-lines", MAX_LINES, "N", 0, "End a round after N lines; 0: never (0)", 0},
    {"protocol", VERSION, "V", 0, "Protocol version to offer (2.1.0, then 3.0.0)", 0},
    {"tbp", TBP, "PROGRAM", 0, "Let this bot of the Tetris Bot Protocol play instead of a house bot", 0},
    {"tbp-ms", TBP_MS, "N", 0, "Longest time for a suggestion of the bot, in ms (10000)", 0},
    {"json", JSON, NULL, 0, "Print a JSON object", 0},
    {0},
};

static const struct app_value values[] = {
    APP_NUMBER(ROUNDS, "--rounds", struct options, rounds, 1, 1000000),
    APP_NUMBER(SEED, "--seed", struct options, seed, 0, UINT32_MAX),
    APP_VALUE(TABLE, struct options, table),
    APP_NUMBER(MAX_LINES, "--max-lines", struct options, max_lines, 0, UINT32_MAX),
    APP_VALUE(VERSION, struct options, version),
    APP_VALUE(TBP, struct options, tbp),
    APP_NUMBER(TBP_MS, "--tbp-ms", struct options, tbp_ms, 1, 3600000),
    APP_VALUE(JSON, struct options, json),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const clocks[] = {"lockstep", "realtime", NULL};
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case CONNECT:
        if (!line_client_split(arg, o->host, &o->port))
            argp_failure(state, APP_USAGE, 0, "--connect: '%s' is not HOST:PORT, as 127.0.0.1:7777", arg);
        return 0;
    case POLICY:
        o->bot = app_get_bot(state, &tetris_kit, arg);
        return 0;
    case CLOCK:
        o->realtime = app_read_word(state, "--clock", arg, clocks) == 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct tbp_client tbp;

static void close_bot(void) // also after app_die: the bot may not notice its end
{
    tbp_client_close(&tbp);
}

int cmd_tetris_ai(int argc, char **argv)
{
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .doc = "Play Tetris with a house bot over any adapter of the Tetris AI Adapter protocol.",
    };
    struct options o = {
        .host = "127.0.0.1", .port = 7777, .bot = &tetris_rules_bot, .rounds = 1, .seed = 1, .tbp_ms = 10000};
    help_parse(&argp, argc, argv, 0, &o);
    struct session s = {.options = &o, .agent = {.bot = o.bot, .tbp = o.tbp ? &tbp : NULL, .tbp_ms = o.tbp_ms}};
    if (o.tbp && atexit(close_bot) == 0 && !tbp_client_open(&tbp, o.tbp, 0, PATIENCE_MS)) {
        fprintf(stderr, "agon tetris-ai: --tbp: %s\n", tbp.why);
        return APP_USAGE;
    }
    struct round *rounds = calloc(o.rounds, sizeof *rounds);
    if (!rounds)
        app_die("no memory for %ju rounds", (uintmax_t)o.rounds);
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    open_session(&s);
    if (isatty(STDERR_FILENO)) // a good bot without --max-lines may never lose
        fprintf(stderr, "playing at %s:%d; Ctrl-C stops and reports\n", o.host, (int)o.port);
    uint64_t begun = 0, finished = 0; // at most the last one is unfinished
    while (begun < o.rounds && begun == finished && play_round(&s, (uint32_t)(o.seed + begun), &rounds[begun])) {
        print_round(&o, begun, &rounds[begun]);
        finished += !rounds[begun++].unfinished;
    }
    print_report(&s, rounds, begun, finished);
    line_client_close(&s.line);
    free(rounds);
    return finished == o.rounds ? APP_DONE : APP_FAILED;
}
