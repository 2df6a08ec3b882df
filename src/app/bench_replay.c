// Verifying replays: commitment, every action again, every hash. A handful of random matches is recorded once.
#include "app/bench.h"

#include "app/game_setup.h"
#include "app/reserved_memory.h"
#include "crypto/crypto.h"
#include "match/replay.h"

#include <string.h>

enum { MATCHES = 32, MATCH_STEPS = 4096, RECORD_ROOM = 16 << 20 }; // steps at most: some games have no other end

static struct {
    const struct game *game; // whose matches these are
    struct text bytes;
    struct span file[MATCHES];
} recorded;

static void record_match(const struct game *g, int seats, struct bench_dice *dice, struct text *log)
{
    struct game_setup setup = {.match = {.game = g, .seats = seats}};
    struct game_choice choices[GAME_MAX_CHOICES];
    struct match m;
    int err = OK;
    g->defaults(&setup.rules);
    game_setup_set_seed(&setup, bench_draw(dice) >> 32);
    if (match_start(&m, &setup.match, log, NULL) != OK)
        app_die("%s refuses its own default rules", g->name);
    while (err == OK && !match_is_over(&m) && m.steps < MATCH_STEPS) {
        struct game_turn turn = g->turn(&m.state);
        int seat = bench_pick_seat(dice, turn.seats), count = g->choices(&m.state, seat, choices);
        err = match_answer(&m, seat, turn.number, bench_pick_action(bench_draw(dice), choices, count), NULL);
        if (err == OK && g->tick)
            err = match_tick(&m, NULL);
    }
    if (err != OK || match_finish(&m, setup.match.key, true) != OK)
        app_die("cannot record a match of %s: %s", g->name, err_sentence(err));
}

static void record_matches(const struct game *g, int seats, struct bench_dice *dice)
{
    if (!recorded.bytes.at)
        recorded.bytes = memory_reserve_text(RECORD_ROOM);
    recorded.game = g;
    size_t used = 0;
    for (int i = 0; i < MATCHES; i++) {
        struct text log = text_on(recorded.bytes.at + used, RECORD_ROOM - used);
        record_match(g, seats, dice, &log);
        recorded.file[i] = text_span(&log);
        used += log.size;
    }
}

static uint64_t verify_file(const struct game *g, struct span file)
{
    struct replay_run run;
    uint8_t commitment[CRYPTO_SHA256_BYTES];
    int err = replay_begin(&run, file, g, NULL, NULL);
    if (err == OK) {
        crypto_sha256(commitment, run.reader.head.key, RNG_KEY_BYTES);
        if (memcmp(commitment, run.reader.head.commitment, sizeof commitment) != 0)
            err = ERR_COMMITMENT;
    }
    while (err == OK && (err = replay_step(&run, UINT32_MAX, NULL)) == 1)
        err = OK;
    if (err != OK)
        app_die("a replay of %s does not verify: %s", g->name, err_sentence(err));
    return run.steps;
}

uint64_t bench_verify_replays(const struct bench_case *c, struct bench_dice *dice, uint64_t units)
{
    if (recorded.game != c->game)
        record_matches(c->game, c->seats, dice);
    uint64_t done = 0;
    for (int i = 0; done < units; i = (i + 1) % MATCHES)
        done += verify_file(c->game, recorded.file[i]);
    return done;
}
