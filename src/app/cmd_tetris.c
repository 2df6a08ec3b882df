// agon tetris: the game at the terminal, or a server for agents without one.
#include "app/adapter_options.h"
#include "app/app.h"
#include "app/help.h"
#include "app/output_file.h"
#include "app/tetris_terminal.h"
#include "crypto/crypto.h"
#include "heap/heap.h"
#include "net/line_client.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct options {
    struct adapter_settings adapter;
    struct tetris_terminal seat;
    bool headless, fast, auto_restart, steps_given, seed_given;
    uint64_t steps;
    const char *record;
};

enum { HEADLESS = 0x200, SEED, STEPS, FAST, AUTO_RESTART, RECORD, OBSERVE, NO_ADAPTER, DAS, ARR };

static const struct argp_option argp_options[] = {
    {"observe", OBSERVE, "HOST:PORT", 0, "Watch the game of another adapter instead of playing", 0},
    {"das", DAS, "MS", 0, "Time until a held left or right key repeats (150)", 0},
    {"arr", ARR, "MS", 0, "Time between repeats (50)", 0},
    {"no-adapter", NO_ADAPTER, NULL, 0, "Do not open a port for agents", 0},
    {"headless", HEADLESS, NULL, 0, "Serve agents without a display, until interrupted", 0},
    {"seed", SEED, "N", 0,
     "Seed of the first episode, 0 to 4294967295 (random, shown beside the field; without a display 1)", 0},
    {"record", RECORD, "FILE", 0, "Write a replay of the table 'main' to FILE", 0},
    {"steps", STEPS, "N", HELP_RARE, "With --headless: run N idle steps and print seed, steps and state hash", 0},
    {"fast", FAST, NULL, HELP_RARE, "With --headless: run idle steps without a clock and without agents", 0},
    {"auto-restart", AUTO_RESTART, NULL, HELP_RARE, "With --fast: start a new game when one is over", 0},
    {0},
};

static const struct app_value values[] = {
    APP_VALUE(HEADLESS, struct options, headless),
    APP_NUMBER(DAS, "--das", struct options, seat.das_ms, 0, 10000),
    APP_NUMBER(ARR, "--arr", struct options, seat.arr_ms, 1, 10000),
    APP_VALUE(NO_ADAPTER, struct options, adapter.disabled),
    APP_VALUE(RECORD, struct options, record),
    APP_VALUE(FAST, struct options, fast),
    APP_VALUE(AUTO_RESTART, struct options, auto_restart),
    APP_NUMBER(STEPS, "--steps", struct options, steps, 0, UINT64_MAX),
    APP_VALUE(STEPS, struct options, steps_given),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->adapter;
        return 0;
    case SEED:
        tetris_game.seed(&o->adapter.serve.adapter.rules, app_read_uint(state, "--seed", arg, 0, UINT32_MAX));
        o->seed_given = true;
        return 0;
    case OBSERVE:
        if (!line_client_split(arg, o->seat.host, &o->seat.port))
            argp_failure(state, APP_USAGE, 0, "--observe: '%s' is not HOST:PORT, as 127.0.0.1:7777", arg);
        o->seat.observe = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- without a clock (T6.8)

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static int run_fast(const struct options *o)
{
    const struct adapter_options *a = &o->adapter.serve.adapter;
    union game_state state;
    struct tetris_state *s = (struct tetris_state *)state.byte;
    if (tetris_game.init(s, &a->rules, 1, (struct rng){0}, NULL) != OK)
        app_die("the rules are refused");
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    uint64_t done = 0;
    for (; !interrupted && (!o->steps_given || done < o->steps); done++) {
        if (o->auto_restart && s->facts.end)
            tetris_game.apply(s, 0, (struct game_action){.kind = TETRIS_RESTART}, NULL);
        tetris_game.tick(s, NULL);
    }
    enum tetris_layout layout = a->compat_hash ? TETRIS_HASH_COMPAT : TETRIS_HASH_AGON;
    printf("seed %u\nsteps %ju\nstate_hash %016jx\n", s->facts.seed, (uintmax_t)done,
           (uintmax_t)tetris_hash(s, layout, s->facts.fresh ? &s->facts.lock : NULL));
    return APP_DONE;
}

// --- as a server

static int run_server(const struct options *o)
{
    const struct adapter_server_options *so = &o->adapter.serve;
    struct loop loop;
    struct adapter_server serve;
    struct text log = {.grow = heap_text_grow};
    loop_init(&loop);
    signal(SIGPIPE, SIG_IGN);
    int err = adapter_server_open(&serve, &loop, so, !o->adapter.disabled, o->record ? &log : NULL);
    if (err) {
        loop_release(&loop);
        return app_report_address("agon tetris", so->host, so->port, "--port", err);
    }
    loop_stop_on_signals(&loop);
    if (serve.port) {
        if (conn_max_connections(serve.port) < so->max_connections)
            fprintf(stderr,
                    "agon tetris: the limit of file descriptors allows %d connections only; raise it with ulimit -n\n",
                    conn_max_connections(serve.port));
        printf("listening tcp://%s:%u\n", so->host, conn_port(serve.port));
        fflush(stdout);
    }
    loop_run(&loop);
    if (o->record)
        adapter_end_log(serve.adapter);
    adapter_server_close(&serve);
    loop_release(&loop);
    if (o->record)
        output_file_write(o->record, text_span(&log));
    free(log.at);
    return APP_DONE;
}

static int run_seat(const struct options *o)
{
    struct text log = {.grow = heap_text_grow};
    int status = tetris_terminal_play(&o->seat, &o->adapter, o->record ? &log : NULL);
    if (o->record && status == APP_DONE)
        output_file_write(o->record, text_span(&log));
    free(log.at);
    return status;
}

int cmd_tetris(int argc, char **argv)
{
    static const struct argp_child children[] = {{&adapter_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .doc = "Play Tetris at the terminal. Programs that speak the Tetris AI Adapter protocol can play or watch the "
               "same "
               "game; with --headless only they do.",
        .children = children,
    };
    struct options o = {.seat = {.das_ms = -1, .arr_ms = -1}, .headless = tetris_terminal_is_headless()};
    adapter_settings_init(&o.adapter);
    help_parse(&argp, argc, argv, 0, &o);
    if (o.record && (o.steps_given || o.fast || o.seat.observe))
        app_refuse("agon tetris", "--record needs a game that is played here; leave it out with --steps, --fast and "
                                  "--observe");
    output_file_check(o.record, "agon tetris");
    struct adapter_options *a = &o.adapter.serve.adapter;
    if (!o.seed_given && !o.headless && !o.fast && !o.steps_given) { // a person gets different pieces every time
        uint32_t seed;
        crypto_random(&seed, sizeof seed);
        tetris_game.seed(&a->rules, seed);
    }
    crypto_seed_key(a->key, tetris_game.name, a->rules.seed);
    crypto_sha256(a->commitment, a->key, sizeof a->key);
    if (o.steps_given || o.fast)
        return run_fast(&o);
    if (o.seat.observe)
        return tetris_terminal_observe(&o.seat);
    return o.headless ? run_server(&o) : run_seat(&o);
}
