// agon agent: a house bot, a program or a model plays in an arena; many agents for load tests.
#include "app/agent_run.h"
#include "app/app.h"
#include "app/arena_games.h"
#include "app/games.h"
#include "app/help.h"
#include "app/llm_options.h"
#include "app/mcp_options.h"
#include "app/output_file.h"
#include "base/json_write.h"
#include "crypto/crypto.h"
#include "seats/seat.h"
#include "seats/spawn.h"

#include <stdio.h>
#include <string.h>

enum {
    SERVER = 0x500,
    GAME,
    BOT,
    GAMES,
    AGENTS,
    IDLE,
    THINK,
    OPENING,
    SECONDS,
    WARM_UP,
    NAME,
    KEY,
    MODE,
    FEED,
    SEED,
    JSON,
    INSECURE,
    TOURNAMENT,
    HISTORY,
    SILENCE
};

struct options {
    struct agent_options run;
    struct llm_flags models;
    const char *server, *bot;
    bool json;
};

static const struct argp_option argp_options[] = {
    {"server", SERVER, "URL", 0, "Address of the arena (http://127.0.0.1:8080)", 0},
    {"game", GAME, "GAME", 0, "Game to play; 'agon games' lists them", 0},
    {"bot", BOT, "NAME", 0,
     "House bot that plays, or cmd:'PROGRAM ARG..', or llm:MODEL@URL, as in a match (the best bot)", 0},
    {"games", GAMES, "N", 0, "Number of games; 0: play until stopped (1)", 0},
    {"mode", MODE, "MODE", 0, "Queue to join (ranked)", 0},
    {"tournament", TOURNAMENT, "ID", 0, "Tournament to enter, instead of a queue; plays until it is over", 0},
    {"name", NAME, "NAME", 0, "Name of the agent", 0},
    {"key", KEY, "KEY", 0, "API key of a registered agent", 0},
    {"insecure", INSECURE, NULL, 0, "Do not verify the server's TLS certificate", 0},
    {"silence", SILENCE, "S", 0,
     "Reconnect when nothing came from the server for S seconds, not even a reply to a ping (60)", 0},
    {"json", JSON, NULL, 0, "Print a JSON object", 0},
    {"agents", AGENTS, "N", 0, "Number of agents (1)", HELP_LOAD},
    {"idle", IDLE, "N", 0, "Agents that only connect (0)", HELP_LOAD},
    {"think-ms", THINK, "MS", 0, "Time for a decision, plus or minus half (0)", HELP_LOAD},
    {"opening", OPENING, "N", 0, "Agents that register and connect at the same time (64)", HELP_LOAD},
    {"seconds", SECONDS, "S", 0, "Stop after S seconds (when the games are over)", HELP_LOAD},
    {"warm-up", WARM_UP, "S", 0, "Seconds to leave out of the measured times (0)", HELP_LOAD},
    {"history", HISTORY, "DIR", 0, "Write all messages to and from each agent to DIR, for 'agon verify history'",
     HELP_LOAD},
    {"feed", FEED, NULL, 0, "Ask for match_feed messages and measure their latency", HELP_LOAD},
    {"seed", SEED, "N", 0, "Seed of the bots (random)", HELP_LOAD},
    {0},
};

static const struct app_value values[] = {
    APP_VALUE(SERVER, struct options, server),
    APP_VALUE(BOT, struct options, bot),
    APP_NUMBER(GAMES, "--games", struct options, run.games, 0, 1000000),
    APP_VALUE(MODE, struct options, run.mode),
    APP_VALUE(TOURNAMENT, struct options, run.tournament),
    APP_VALUE(NAME, struct options, run.name),
    APP_VALUE(KEY, struct options, run.key),
    APP_VALUE(INSECURE, struct options, run.trust_anyone),
    APP_NUMBER(AGENTS, "--agents", struct options, run.agents, 1, 100000),
    APP_NUMBER(IDLE, "--idle", struct options, run.idle, 0, 100000),
    APP_NUMBER(THINK, "--think-ms", struct options, run.think_ms, 0, 600000),
    APP_NUMBER(OPENING, "--opening", struct options, run.opening, 1, 4096),
    APP_NUMBER(SECONDS, "--seconds", struct options, run.seconds, 1, 1000000),
    APP_NUMBER(WARM_UP, "--warm-up", struct options, run.warm_up, 0, 1000000),
    APP_VALUE(HISTORY, struct options, run.history),
    APP_VALUE(FEED, struct options, run.feed),
    APP_NUMBER(SILENCE, "--silence", struct options, run.silence, 1, 86400),
    APP_NUMBER(SEED, "--seed", struct options, run.seed, 0, UINT64_MAX),
    APP_VALUE(JSON, struct options, json),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->models;
        return 0;
    case GAME:
        o->run.game = app_get_game(state, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void complete_options(struct options *o)
{
    struct agent_options *r = &o->run;
    char known[256], why[512];
    arena_games_name(known, sizeof known);
    if (!r->game)
        app_refuse("agon agent", "which game? Choose one with --game: %s", known);
    if (dialect_refusal(r->game))
        app_refuse("agon agent", "%s is not an arena game: %s; choose one of %s", r->game->game->name,
                   dialect_refusal(r->game), known);
    if (o->bot && (strncmp(o->bot, "cmd:", 4) == 0 || strncmp(o->bot, "llm:", 4) == 0))
        r->decider = o->bot;
    if (r->decider && strncmp(r->decider, "cmd:", 4) == 0 && seat_check_address(r->decider))
        app_refuse("agon agent", "--bot cmd:PROGRAM needs a program, as cmd:./mine.py");
    int missing = r->decider && strncmp(r->decider, "cmd:", 4) == 0 ? spawn_find(r->decider + 4) : 0;
    if (missing) // found out now, not at the table
        app_refuse("agon agent", "--bot: cannot start %s: %s", r->decider + 4, strerror(missing));
    if (r->decider && !dialect_has_view(r->game))
        app_refuse("agon agent", "a program or a model needs to see the table, and %s has no reader for its messages",
                   r->game->game->name);
    r->llm = o->models.run;
    if (!r->decider)
        r->bot = o->bot ? kit_find_bot(r->game, o->bot) : app_best_text_bot(r->game, dialect_has_view(r->game));
    if (!r->decider && !r->bot) {
        app_name_unknown_bot(r->game, o->bot, why, sizeof why);
        app_refuse("agon agent", "--bot: %s", why);
    }
    if (r->bot && r->bot->game && !dialect_has_view(r->game))
        app_refuse("agon agent", "'%s' needs to see the table, and %s has no reader for its messages; use %s or %s",
                   r->bot->name, r->game->game->name, bot_random.name, bot_fallback.name);
    if (!http_url_read(&r->server, o->server) || r->server.path[0])
        app_refuse("agon agent", "--server: '%s' is not an address, as http://127.0.0.1:8080", o->server);
    if (!http_find_address(r->server.host, r->address))
        app_refuse("agon agent", "cannot resolve the host name %s", r->server.host);
    struct uuid id;
    if (r->tournament && !uuid_parse(&id, span_of(r->tournament)))
        app_refuse("agon agent", "--tournament: '%s' is not the id of a tournament; GET /api/tournaments lists them",
                   r->tournament);
    if (r->tournament)
        r->games = 0;
    if (r->idle > r->agents)
        app_refuse("agon agent", "--idle %d is more than --agents %d", r->idle, r->agents);
    if (r->history) {
        mcp_make_dir(r->history);
        output_file_check_folder(r->history, "agon agent");
    }
    if (r->key && r->agents > 1)
        app_refuse("agon agent", "--key belongs to one agent; --agents %d needs as many registrations, without --key",
                   r->agents);
    if (!r->name)
        r->name = !r->decider ? r->bot->name : strncmp(r->decider, "cmd:", 4) == 0 ? "program" : "model";
}

static double ms_at(const uint64_t times[AGENT_TIMES], double share)
{
    int64_t us = agent_report_time_at(times, share);
    return us < 0 ? -1 : (double)us / 1000;
}

static void put_times(struct text *t, const char *key, const uint64_t times[AGENT_TIMES])
{
    json_key(t, key);
    if (agent_report_time_at(times, 0.5) < 0) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    json_put_decimal(t, "p50", ms_at(times, 0.5), 3);
    json_put_decimal(t, "p95", ms_at(times, 0.95), 3);
    json_put_decimal(t, "p99", ms_at(times, 0.99), 3);
    json_put_decimal(t, "p999", ms_at(times, 0.999), 3);
    json_end_object(t);
}

static void print_json(const struct agent_report *r)
{
    char bytes[2048];
    struct text t = text_on(bytes, sizeof bytes);
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"registered", r->registered},
        {"connected", r->connected},
        {"reconnects", r->reconnects},
        {"refused", r->refused},
        {"started", r->started},
        {"finished", r->finished},
        {"won", r->won},
        {"drawn", r->drawn},
        {"actions", r->actions},
        {"stale", r->stale},
        {"errors", r->errors},
        {"faults", r->faults},
        {"messages_in", r->messages_in},
        {"messages_out", r->messages_out},
        {"bytes_in", r->bytes_in},
    };
    json_begin_object(&t);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_put_uint(&t, numbers[i].key, numbers[i].value);
    json_put_decimal(&t, "seconds", (double)r->elapsed_us / 1e6, 3);
    put_times(&t, "event_to_request_ms", r->ask_delay);
    put_times(&t, "action_to_feed_ms", r->echo_delay);
    json_put_text(&t, "last_replay", r->last_replay[0] ? r->last_replay : NULL);
    json_put_text(&t, "last_error", r->last_error[0] ? r->last_error : NULL);
    json_end_object(&t);
    printf("%.*s\n", (int)t.size, t.at);
}

static void print_report(const struct agent_report *r, const char *server)
{
    double seconds = (double)r->elapsed_us / 1e6;
    printf("finished %ju match%s with %ju decisions in %.1f s (%.0f per second)\n", (uintmax_t)r->finished,
           r->finished == 1 ? "" : "es", (uintmax_t)r->actions, seconds,
           seconds > 0 ? (double)r->actions / seconds : 0);
    if (r->finished)
        printf("won %ju, drawn %ju, lost %ju\n", (uintmax_t)r->won, (uintmax_t)r->drawn,
               (uintmax_t)(r->finished - r->won - r->drawn));
    if (r->last_replay[0])
        printf("last replay: %s%s\n", server, r->last_replay);
    if (agent_report_time_at(r->ask_delay, 0.5) >= 0)
        printf("event to request: p50 %.1f ms, p99 %.1f ms\n", ms_at(r->ask_delay, 0.5), ms_at(r->ask_delay, 0.99));
    if (r->errors || r->faults || r->reconnects)
        printf("errors: %ju, faults: %ju, reconnects: %ju; last error: %s\n", (uintmax_t)r->errors,
               (uintmax_t)r->faults, (uintmax_t)r->reconnects, r->last_error);
}

int cmd_agent(int argc, char **argv)
{
    static const struct argp_child children[] = {{&llm_run_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .children = children,
        .doc = "Register an agent in an arena and play there with a house bot or your own program. Many agents in one "
               "process make a load test.",
    };
    struct options o = {.server = "http://127.0.0.1:8080"};
    static struct agent_report report;
    o.run = (struct agent_options){.mode = "ranked", .agents = 1, .games = 1, .opening = 64, .silence = 60};
    crypto_random(&o.run.seed, sizeof o.run.seed);
    help_parse(&argp, argc, argv, 0, &o);
    complete_options(&o);
    int status = agent_run(&o.run, &report);
    if (o.json)
        print_json(&report);
    else
        print_report(&report, o.server);
    if (status != APP_DONE)
        fprintf(stderr, "agon agent: %s\n", report.last_error);
    return status;
}
