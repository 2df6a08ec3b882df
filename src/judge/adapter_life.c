// Gates about the course of a game: restarts, seeds, pauses, ends, and the rules themselves (A17-A22, A28, A31,
// A35-A37).
#include "judge/adapter_gates.h"

#include "games/tetris/tetris.h"

#include <string.h>

#define EXPECT(got, wanted)                                                                                            \
    do {                                                                                                               \
        const char *got_ = (got);                                                                                      \
        if (strcmp(got_, wanted) != 0)                                                                                 \
            return because(c, "%s gave %s, not %s", #got, got_, wanted);                                               \
    } while (0)

typedef const char *scene(struct adapter_check *c, struct dialog *d);

static const char *play(struct adapter_check *c, bool lockstep, scene *run)
{
    struct dialog d;
    if (!adapter_meet(c, &d, "controller", lockstep))
        return because(c, "no welcome");
    const char *why = NULL;
    if (strcmp(d.welcome.role, "controller") != 0)
        why = because(c, "not in control: %s", d.welcome.role);
    else if (!dialog_until(&d, want_any, 0, DIALOG_WAIT_MS))
        why = because(c, "no observation within 2 s");
    else
        why = run(c, &d);
    dialog_close(&d);
    return why;
}

// A restart and the first observation of its episode; 0 when it did not come within two seconds.
static const char *begin(struct adapter_check *c, struct dialog *d, const uint64_t *seed)
{
    uint64_t before = d->now.episode_id;
    const char *got = seed ? dialog_restart(d, *seed) : dialog_act(d, "restart");
    if (strcmp(got, "ack") != 0)
        return because(c, "restart got %s", got);
    if (!dialog_until(d, want_playable_after, before, DIALOG_WAIT_MS))
        return because(c, "no playable observation of a new episode within 2 s");
    if (seed && d->now.seed != *seed)
        return because(c, "seed %llu asked, %llu reported", (unsigned long long)*seed, (unsigned long long)d->now.seed);
    return NULL;
}

// Drops pieces until the game is over.
static const char *lose(struct adapter_check *c, struct dialog *d)
{
    for (int i = 0; i < 60 && !d->now.game_over; i++) {
        const char *got = dialog_act(d, "hardDrop");
        if (strcmp(got, "ack") != 0 && strcmp(got, "backpressure") != 0)
            return because(c, "hardDrop got %s", got);
        dialog_observe(d, 60);
    }
    return dialog_until(d, want_game_over, 0, DIALOG_WAIT_MS) ? NULL : because(c, "60 hard drops do not end the game");
}

static const char *restarts(struct adapter_check *c, struct dialog *d)
{
    const char *why = begin(c, d, NULL);
    if (why)
        return why;
    EXPECT(dialog_act(d, "pause"), "ack");
    if (!dialog_until(d, want_paused, 1, DIALOG_WAIT_MS))
        return because(c, "no observation of the pause");
    if ((why = begin(c, d, NULL)))
        return because(c, "from paused: %s", "no new episode");
    if ((why = lose(c, d)))
        return why;
    return begin(c, d, NULL);
}

const char *gate_a17(struct adapter_check *c)
{
    return play(c, false, restarts);
}

// The kinds of 100 pieces, and with lock-step the hashes of their steps.
enum { PIECES = 100 };

struct record {
    uint8_t kind[PIECES];
    char hash[PIECES][PEER_TEXT];
};

static const char *record_pieces(struct adapter_check *c, struct dialog *d, uint64_t seed, int count, struct record *r)
{
    const char *why = begin(c, d, &seed);
    for (int i = 0; i < count && !why; i++) {
        r->kind[i] = d->now.kind;
        uint64_t piece = d->now.piece_id;
        // Left, right, left...: enough places for the pieces that are looked at.
        const char *got = dialog_place(d, i % 5 * 2, TETRIS_NORTH, false);
        if (strcmp(got, "invalid_place") == 0)
            got = dialog_act(d, "hardDrop");
        if (strcmp(got, "ack") != 0)
            return because(c, "piece %d: %s", i, got);
        memcpy(r->hash[i], d->last.ack.state_hash, PEER_TEXT);
        while (d->now.piece_id == piece && !d->now.game_over)
            if (!dialog_observe(d, DIALOG_WAIT_MS))
                return because(c, "piece %d: no observation", i);
        if (d->now.game_over)
            why = i + 1 < count ? begin(c, d, &(uint64_t){seed + (uint64_t)i + 1}) : NULL;
    }
    return why;
}

static const char *seeds(struct adapter_check *c, struct dialog *d)
{
    static struct record a, b;
    int count = c->lockstep ? PIECES : 12;
    const char *why = record_pieces(c, d, 123, count, &a);
    if (!why)
        why = record_pieces(c, d, 123, count, &b);
    if (why)
        return why;
    if (memcmp(a.kind, b.kind, (size_t)count) != 0)
        return because(c, "the same seed gave other pieces");
    for (int i = 0; c->lockstep && strcmp(c->welcome.hash, "compat") != 0 && i < count; i++)
        if (strcmp(a.hash[i], b.hash[i]) != 0)
            return because(c, "the same seed and commands gave another state_hash at piece %d", i);
    return NULL;
}

const char *gate_a18(struct adapter_check *c)
{
    return play(c, c->lockstep, seeds);
}

static const char *reported_seed(struct adapter_check *c, struct dialog *d)
{
    const char *why = begin(c, d, NULL);
    if (why)
        return why;
    uint64_t seed = d->now.seed;
    uint8_t kind = d->now.kind, queue[PEER_NEXT];
    memcpy(queue, d->now.queue, sizeof queue);
    if ((why = begin(c, d, &seed)))
        return why;
    return d->now.kind == kind && memcmp(queue, d->now.queue, sizeof queue) == 0 ? NULL
                                                                                 : because(c, "other pieces came");
}

const char *gate_a19(struct adapter_check *c)
{
    return play(c, false, reported_seed);
}

static bool want_later_piece(const struct peer_observation *o, uint64_t piece)
{
    return o->piece_id > piece;
}

static const char *order(struct adapter_check *c, struct dialog *d)
{
    const char *why = begin(c, d, &(uint64_t){7});
    if (why)
        return why;
    if (d->now.step_in_piece != 1)
        return because(c, "after restart step_in_piece is %llu", (unsigned long long)d->now.step_in_piece);
    uint64_t piece = d->now.piece_id;
    EXPECT(dialog_act(d, "hardDrop"), "ack");
    if (!dialog_until(d, want_later_piece, piece, DIALOG_WAIT_MS))
        return because(c, "no observation of the next piece");
    return d->now.step_in_piece == 1
               ? NULL
               : because(c, "after hardDrop step_in_piece is %llu", (unsigned long long)d->now.step_in_piece);
}

const char *gate_a20(struct adapter_check *c)
{
    return play(c, false, order);
}

static const char *pause(struct adapter_check *c, struct dialog *d)
{
    const char *why = begin(c, d, &(uint64_t){7});
    if (why)
        return why;
    EXPECT(dialog_act(d, "pause"), "ack");
    if (!dialog_until(d, want_paused, 1, DIALOG_WAIT_MS))
        return because(c, "no observation of the pause");
    struct peer_observation first = d->now;
    uint64_t seen = d->observations;
    EXPECT(dialog_act(d, "moveLeft"), "ack");
    for (int i = 0; i < 18; i++)
        if (!dialog_observe(d, 200))
            return because(c, "only %d observations while paused", i);
    if (d->now.playable || d->now.x != first.x || d->observations - seen < 18)
        return because(c, "a paused game is playable or moves");
    EXPECT(dialog_act(d, "pause"), "ack");
    return dialog_until(d, want_paused, 0, DIALOG_WAIT_MS) ? NULL : because(c, "pause does not end");
}

const char *gate_a21(struct adapter_check *c)
{
    return play(c, false, pause);
}

static const char *game_over(struct adapter_check *c, struct dialog *d)
{
    const char *why = begin(c, d, &(uint64_t){7});
    if (!why)
        why = lose(c, d);
    if (why)
        return why;
    struct peer_observation over = d->now;
    dialog_act(d, "moveLeft");
    dialog_act(d, "hold");
    for (int i = 0; i < 5; i++)
        if (!dialog_observe(d, 500))
            return because(c, "the stream stops at game over");
    if (d->now.playable || d->now.score != over.score || d->now.piece_id != over.piece_id)
        return because(c, "something else than restart has an effect");
    return begin(c, d, NULL);
}

const char *gate_a22(struct adapter_check *c)
{
    return play(c, false, game_over);
}

static const char *moments(struct adapter_check *c, struct dialog *d)
{
    static const char *const actions[] = {"restart", "hardDrop", "hold", "pause", "pause", "restart"};
    for (unsigned i = 0; i < sizeof actions / sizeof *actions; i++) {
        EXPECT(dialog_act(d, actions[i]), "ack");
        uint64_t step = d->last.ack.applied_step;
        if (!dialog_until(d, want_step, step, DIALOG_WAIT_MS) || d->now.logical_step != step)
            return because(c, "%s: step %llu was not shown (%llu was)", actions[i], (unsigned long long)step,
                           (unsigned long long)d->now.logical_step);
    }
    return NULL;
}

const char *gate_a28(struct adapter_check *c)
{
    return play(c, false, moments);
}

// --- left alone (A31)

static const char *leave(struct adapter_check *c, scene *spoil)
{
    const char *why = play(c, false, spoil);
    if (why)
        return why;
    struct dialog d;
    if (!adapter_meet(c, &d, "observer", false))
        return because(c, "no welcome");
    bool playable = dialog_until(&d, want_playable_after, 0, 3000);
    uint64_t step = d.now.logical_step;
    for (int i = 0; i < 10; i++)
        dialog_observe(&d, 500);
    bool still = d.now.logical_step == step;
    dialog_close(&d);
    return !playable ? because(c, "it does not become playable again")
           : still   ? NULL
                     : because(c, "time passes without a controller");
}

static const char *spoil_by_pause(struct adapter_check *c, struct dialog *d)
{
    const char *why = begin(c, d, NULL);
    if (why)
        return why;
    EXPECT(dialog_act(d, "pause"), "ack");
    return NULL;
}

static const char *spoil_by_losing(struct adapter_check *c, struct dialog *d)
{
    const char *why = begin(c, d, NULL);
    return why ? why : lose(c, d);
}

const char *gate_a31(struct adapter_check *c)
{
    const char *why = leave(c, spoil_by_pause);
    return why ? why : leave(c, spoil_by_losing);
}

// --- the reference game (A35): our own core, which the published rows have proved, plays along

static const uint8_t kinds[] = {TETRIS_MOVE_LEFT, TETRIS_MOVE_RIGHT, TETRIS_ROTATE_CW, TETRIS_ROTATE_CCW,
                                TETRIS_SOFT_DROP, TETRIS_HARD_DROP,  TETRIS_HOLD};
static const char *const names[] = {"moveLeft", "moveRight", "rotateCw", "rotateCcw", "softDrop", "hardDrop", "hold"};

static const char *follow(struct adapter_check *c, struct dialog *d, uint64_t seed, int steps)
{
    struct tetris_rules rules;
    struct tetris_state s;
    uint32_t dice = (uint32_t)seed;
    tetris_game.defaults(&rules);
    tetris_game.seed(&rules, seed);
    rules.ruleset = strcmp(c->welcome.ruleset, "guideline") == 0 ? TETRIS_GUIDELINE : TETRIS_STANDARD;
    tetris_game.init(&s, &rules, 1, (struct rng){0}, NULL);
    const char *why = begin(c, d, &seed);
    tetris_game.tick(&s, NULL); // of the step of the restart
    for (int i = 0; i < steps && !why; i++) {
        dice = dice * 1664525 + 1013904223;
        unsigned input = (dice >> 16) % 7;
        EXPECT(dialog_act(d, s.facts.end ? "restart" : names[input]), "ack");
        tetris_game.apply(&s, 0, (struct game_action){.kind = s.facts.end ? TETRIS_RESTART : kinds[input]}, NULL);
        tetris_game.tick(&s, NULL);
        char expected[PEER_TEXT];
        snprintf(expected, sizeof expected, "%016llx", (unsigned long long)tetris_hash(&s, TETRIS_HASH_AGON, NULL));
        if (strcmp(expected, d->last.ack.state_hash) != 0)
            why = because(c, "seed %llu step %d: %s expected, %s got", (unsigned long long)seed, i, expected,
                          d->last.ack.state_hash);
    }
    return why;
}

static const char *reference(struct adapter_check *c, struct dialog *d)
{
    static const uint64_t some[] = {1, 123, 7, 0, 4294967295};
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
        const char *why = follow(c, d, some[i], c->options.quick ? 200 : 2000);
        if (why)
            return why;
    }
    return NULL;
}

const char *gate_a35(struct adapter_check *c)
{
    if (strcmp(c->welcome.hash, "agon") != 0)
        return not_run(c, "needs --hash agon");
    return play(c, true, reference);
}

// --- lock-step (A36)

static const char *run_lockstep(struct adapter_check *c, struct dialog *d, int count, char *last)
{
    const char *why = begin(c, d, &(uint64_t){5});
    uint32_t dice = 9;
    uint64_t seen = d->observations;
    for (int i = 0; i < count && !why; i++) {
        dice = dice * 1664525 + 1013904223;
        const char *got = d->now.game_over ? dialog_restart(d, dice) : dialog_act(d, names[(dice >> 16) % 7]);
        if (strcmp(got, "ack") != 0)
            return because(c, "command %d: %s", i, got);
        if (!dialog_until(d, want_step, d->last.ack.applied_step, DIALOG_WAIT_MS))
            return because(c, "command %d: no observation", i);
    }
    if (!why && d->observations - seen != (uint64_t)count)
        why = because(c, "%d commands, %llu observations", count, (unsigned long long)(d->observations - seen));
    memcpy(last, d->now.state_hash, PEER_TEXT);
    return why;
}

static const char *lockstep_twice(struct adapter_check *c, struct dialog *d)
{
    char first[PEER_TEXT], second[PEER_TEXT];
    int count = c->options.quick ? 1000 : 10000;
    if (strcmp(d->welcome.clock, "lockstep") != 0)
        return because(c, "welcome.clock is %s", d->welcome.clock);
    const char *why = run_lockstep(c, d, count, first);
    if (!why)
        why = run_lockstep(c, d, count, second);
    if (why || strcmp(c->welcome.hash, "compat") == 0)
        return why;
    return strcmp(first, second) == 0 ? NULL : because(c, "two runs ended in %s and %s", first, second);
}

const char *gate_a36(struct adapter_check *c)
{
    return play(c, true, lockstep_twice);
}

// --- 3.0.0 (A37)

const char *gate_a37(struct adapter_check *c)
{
    struct dialog d;
    struct dialog_target t = c->target;
    t.version = "3.0.0";
    if (!dialog_open(&d, &t))
        return because(c, "no connection");
    const char *got = dialog_hello(&d, &t, "observer", true, false), *why = NULL;
    uint32_t not_there = PEER_LAST_EVENT | PEER_CONTROLLER_ID;
    if (strcmp(got, "protocol_mismatch") == 0)
        why = not_run(c, "not started with --protocol both");
    else if (strcmp(got, "welcome") != 0 || strcmp(d.welcome.protocol_version, "3.0.0") != 0)
        why = because(c, "hello 3.0.0: %s", got);
    else if (d.welcome.always & not_there || d.welcome.lockstep || !(d.welcome.always & PEER_LOGICAL_STEP))
        why = because(c, "the features of 3.0.0 are a closed set");
    else if (strcmp(d.welcome.coordinates, "box") != 0)
        why = because(c, "coordinates must be box");
    else if (!dialog_observe(&d, DIALOG_WAIT_MS) || d.now.fields & PEER_LAST_EVENT)
        why = because(c, "no observation, or one with last_event");
    dialog_close(&d);
    return why;
}
