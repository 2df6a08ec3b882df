// Gates about the course of a game: restarts, seeds, pauses, ends, and the rules themselves (A17-A22, A28, A31,
// A35-A37).
#include "verify/adapter_gates.h"

#include "games/tetris/rules/tetris.h"
#include "verify/adapter_parse.h"

typedef unsigned long long ull;

static bool begin_episode(struct adapter_check *c, struct client *d, const uint64_t *seed)
{
    return adapter_restart(c, d, seed, d->now.game_over ? MUST_RESTART_FROM_OVER : MUST_RESTART_EPISODE);
}

// Drops pieces until the game is over.
static bool lose_game(struct adapter_check *c, struct client *d)
{
    for (int i = 0; i < 60 && !d->now.game_over; i++) {
        const char *got = client_act(d, "hardDrop");
        if (strcmp(got, "backpressure") != 0)
            EXPECT(MUST_COMMAND_ACK, got, "ack");
        client_observe(d, 60);
    }
    NEED(MUST_OVER_REACHED, client_until(d, want_game_over, 0, CLIENT_WAIT_MS), "no game_over after 60 hard drops");
    return true;
}

static bool pause_game(struct adapter_check *c, struct client *d)
{
    if (!adapter_act(c, d, "pause"))
        return false;
    NEED(MUST_PAUSE_SHOWN, client_until(d, want_paused, 1, CLIENT_WAIT_MS),
         "no observation with paused true within 2 s");
    return true;
}

// --- restarts and seeds (A17-A20)

static bool test_restarts(struct adapter_check *c, struct client *d)
{
    return begin_episode(c, d, NULL) && pause_game(c, d) && adapter_restart(c, d, NULL, MUST_RESTART_FROM_PAUSE) &&
           lose_game(c, d) && adapter_restart(c, d, NULL, MUST_RESTART_FROM_OVER);
}

void gate_a17(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_restarts);
}

// The kinds of 100 pieces, and in lock-step the hashes of their steps. In real time it is twelve, as each takes a
// while.
enum { PIECES = 100 };

struct record {
    uint8_t kind[PIECES];
    char hash[PIECES][SERVER_TEXT];
};

static bool record_piece(struct adapter_check *c, struct client *d, int i, struct record *r)
{
    uint64_t piece = d->now.piece_id;
    r->kind[i] = d->now.kind;
    // Left, right, left...: enough places for the pieces that are checked.
    const char *got = client_place(d, i % 5 * 2, TETRIS_NORTH, false);
    if (strcmp(got, "invalid_place") == 0)
        got = client_act(d, "hardDrop");
    EXPECT(MUST_PLACE_ACK, got, "ack");
    memcpy(r->hash[i], d->last.ack.state_hash, SERVER_TEXT);
    NEED(MUST_OBSERVATION_STREAM, client_until(d, want_other_piece, piece, CLIENT_WAIT_MS),
         "no observation of the next piece within 2 s");
    return true;
}

static bool record_pieces(struct adapter_check *c, struct client *d, uint64_t seed, int count, struct record *r)
{
    if (!begin_episode(c, d, &seed))
        return false;
    for (int i = 0; i < count; i++) {
        if (!record_piece(c, d, i, r))
            return false;
        if (d->now.game_over && i + 1 < count && !begin_episode(c, d, &(uint64_t){seed + (uint64_t)i + 1}))
            return false;
    }
    return true;
}

static bool test_seeds(struct adapter_check *c, struct client *d)
{
    static struct record a, b;
    int count = c->lockstep ? PIECES : 12;
    if (!record_pieces(c, d, 123, count, &a) || !record_pieces(c, d, 123, count, &b))
        return false;
    bool hashed = c->lockstep && strcmp(c->welcome.hash, "compat") != 0;
    for (int i = 0; i < count; i++) {
        adapter_assert(c, d, MUST_SEED_PIECES, a.kind[i] == b.kind[i], "piece %d of seed 123 is %c, then %c", i,
                       "-iotszjl"[a.kind[i] & 7], "-iotszjl"[b.kind[i] & 7]);
        if (hashed)
            adapter_assert(c, d, MUST_SEED_HASHES, strcmp(a.hash[i], b.hash[i]) == 0,
                           "state_hash of piece %d is %s, then %s", i, a.hash[i], b.hash[i]);
    }
    return true;
}

void gate_a18(struct adapter_check *c)
{
    adapter_run_scene(c, c->lockstep, test_seeds);
}

static bool test_reported_seed(struct adapter_check *c, struct client *d)
{
    if (!begin_episode(c, d, NULL))
        return false;
    uint64_t seed = d->now.seed;
    uint8_t kind = d->now.kind, queue[SERVER_NEXT];
    memcpy(queue, d->now.queue, sizeof queue);
    if (!begin_episode(c, d, &seed))
        return false;
    adapter_assert(c, d, MUST_SEED_REPLAYS, d->now.kind == kind && memcmp(queue, d->now.queue, sizeof queue) == 0,
                   "other pieces came with the reported seed %llu", (ull)seed);
    return true;
}

void gate_a19(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_reported_seed);
}

static bool want_later_piece(const struct server_observation *o, uint64_t piece)
{
    return o->piece_id > piece;
}

static bool test_order(struct adapter_check *c, struct client *d)
{
    if (!begin_episode(c, d, &(uint64_t){7}))
        return false;
    adapter_assert(c, d, MUST_ORDER_RESTART, d->now.step_in_piece == 1, "step_in_piece is %llu",
                   (ull)d->now.step_in_piece);
    uint64_t piece = d->now.piece_id;
    if (!adapter_act(c, d, "hardDrop"))
        return false;
    NEED(MUST_OBSERVATION_STREAM, client_until(d, want_later_piece, piece, CLIENT_WAIT_MS),
         "no observation of the next piece");
    adapter_assert(c, d, MUST_ORDER_DROP, d->now.step_in_piece == 1, "step_in_piece is %llu",
                   (ull)d->now.step_in_piece);
    return true;
}

void gate_a20(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_order);
}

// --- pause and game over (A21, A22)

static bool test_pauses(struct adapter_check *c, struct client *d)
{
    if (!begin_episode(c, d, &(uint64_t){7}) || !pause_game(c, d))
        return false;
    struct server_observation first = d->now;
    if (!adapter_act(c, d, "moveLeft"))
        return false;
    for (int i = 0; i < 18; i++)
        NEED(MUST_PAUSE_STREAM, client_observe(d, 500), "only %d observations while paused", i);
    adapter_assert(c, d, MUST_PAUSE_MOVES,
                   d->now.x == first.x && d->now.y == first.y && d->now.piece_id == first.piece_id,
                   "active was at x %d, y %d when the game was paused", first.x, first.y);
    if (!adapter_act(c, d, "pause"))
        return false;
    NEED(MUST_PAUSE_ENDS, client_until(d, want_paused, 0, CLIENT_WAIT_MS),
         "no observation with paused false within 2 s");
    return true;
}

void gate_a21(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_pauses);
}

static bool test_game_over(struct adapter_check *c, struct client *d)
{
    if (!begin_episode(c, d, &(uint64_t){7}) || !lose_game(c, d))
        return false;
    struct server_observation over = d->now;
    if (!adapter_act(c, d, "moveLeft") || !adapter_act(c, d, "hold"))
        return false;
    for (int i = 0; i < 5; i++)
        NEED(MUST_OVER_STREAM, client_observe(d, 500), "only %d observations after game over", i);
    adapter_assert(c, d, MUST_OVER_COMMANDS,
                   d->now.game_over && d->now.score == over.score && d->now.piece_id == over.piece_id &&
                       d->now.hold == over.hold,
                   "score was %llu and piece_id %llu when the game was over", (ull)over.score, (ull)over.piece_id);
    return begin_episode(c, d, NULL);
}

void gate_a22(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_game_over);
}

// --- important events are shown in their step (A28)

static bool test_shown_at_once(struct adapter_check *c, struct client *d)
{
    static const char *const actions[] = {"restart", "hardDrop", "hold", "pause", "pause", "restart"};
    for (unsigned i = 0; i < sizeof actions / sizeof *actions; i++) {
        EXPECT(strcmp(actions[i], "restart") == 0 ? MUST_RESTART_ACK : MUST_COMMAND_ACK, client_act(d, actions[i]),
               "ack");
        uint64_t step = d->last.ack.applied_step;
        NEED(MUST_SHOWN_AT_ONCE, client_until(d, want_step, step, CLIENT_WAIT_MS) && d->now.logical_step == step,
             "%s was applied in step %llu, step %llu was shown", actions[i], (ull)step, (ull)d->now.logical_step);
    }
    return true;
}

void gate_a28(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_shown_at_once);
}

// --- without a controller (A31)

static bool check_alone(struct adapter_check *c, struct client *d)
{
    NEED(MUST_ALONE_PLAYABLE, client_until(d, want_playable_after, 0, 3000), "no playable observation within 3 s");
    uint64_t step = d->now.logical_step;
    for (int i = 0; i < 10; i++)
        NEED(MUST_OBSERVATION_STREAM, client_observe(d, CLIENT_WAIT_MS), "no observation within 2 s");
    adapter_assert(c, d, MUST_ALONE_STANDS, d->now.logical_step == step,
                   "logical_step was %llu ten observations before", (ull)step);
    return true;
}

static void leave_alone(struct adapter_check *c, adapter_scene *spoil)
{
    struct client d;
    adapter_run_scene(c, false, spoil);
    if (c->stopped_by >= 0 || !adapter_connect(c, &d, "observer", false))
        return;
    check_alone(c, &d);
    client_close(&d);
}

static bool spoil_by_pause(struct adapter_check *c, struct client *d)
{
    return begin_episode(c, d, NULL) && pause_game(c, d);
}

static bool spoil_by_losing(struct adapter_check *c, struct client *d)
{
    return begin_episode(c, d, NULL) && lose_game(c, d);
}

void gate_a31(struct adapter_check *c)
{
    leave_alone(c, spoil_by_pause);
    leave_alone(c, spoil_by_losing);
}

// --- the reference game (A35): our own rules, proven by the published rows, play along

static const uint8_t kinds[] = {TETRIS_MOVE_LEFT, TETRIS_MOVE_RIGHT, TETRIS_ROTATE_CW, TETRIS_ROTATE_CCW,
                                TETRIS_SOFT_DROP, TETRIS_HARD_DROP,  TETRIS_HOLD};
static const char *const names[] = {"moveLeft", "moveRight", "rotateCw", "rotateCcw", "softDrop", "hardDrop", "hold"};

// The first difference between an observation and the reference; NULL: none.
static const char *find_difference(const struct adapter_check *c, const struct server_observation *o,
                                   const struct tetris_view *v)
{
    const struct tetris_piece *p = &v->piece;
    const struct tetris_facts *f = &v->facts;
    int left = p->kind && !c->box ? tetris_left(p->kind, p->rotation) : 0;
    int top = p->kind && !c->box ? tetris_top(p->kind, p->rotation) : 0;
    const struct {
        const char *name;
        bool same;
    } parts[] = {
        {"board", memcmp(o->cells, v->cells, SERVER_CELLS) == 0},
        {"active",
         o->kind == p->kind && (!p->kind || (o->rotation == p->rotation && o->x == p->x + left && o->y == p->y + top))},
        {"ghost_y", !p->kind || o->ghost_y == tetris_ghost(v) + top},
        {"next_queue", memcmp(o->queue, v->next, SERVER_NEXT) == 0},
        {"hold", o->hold == f->hold && o->can_hold == (f->can_hold != 0)},
        {"score", o->score == f->score && o->level == f->level && o->lines == f->lines},
        {"piece_id", o->piece_id == f->piece_id && o->board_id == f->board_id && o->step_in_piece == f->step_in_piece},
        {"timers", o->drop_ms == f->drop_ms && o->lock_ms == p->lock_ms && o->line_clear_ms == f->line_clear_ms},
        {"game_over", o->game_over == (f->end != 0)},
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!parts[i].same)
            return parts[i].name;
    return NULL;
}

static bool compare_step(struct adapter_check *c, struct client *d, const struct tetris_state *s, int step)
{
    char expected[SERVER_TEXT];
    struct tetris_view v;
    snprintf(expected, sizeof expected, "%016llx", (ull)tetris_hash(s, TETRIS_HASH_AGON, NULL));
    NEED(MUST_REFERENCE_HASH, strcmp(expected, d->last.ack.state_hash) == 0, "step %d: state_hash %s expected", step,
         expected);
    NEED(MUST_LOCKSTEP_ONE, client_until(d, want_step, d->last.ack.applied_step, CLIENT_WAIT_MS),
         "no observation within 2 s");
    tetris_game.view(s, 0, &v);
    const char *differs = find_difference(c, &d->now, &v);
    NEED(MUST_REFERENCE_STATE, !differs, "step %d: %s differs from the reference", step, differs);
    NEED(MUST_REFERENCE_HASH, strcmp(expected, d->now.state_hash) == 0, "step %d: state_hash %s expected", step,
         expected);
    return true;
}

static bool follow_reference(struct adapter_check *c, struct client *d, uint64_t seed, int steps)
{
    struct tetris_rules rules;
    struct tetris_state s;
    uint32_t dice = (uint32_t)seed;
    tetris_game.defaults(&rules);
    tetris_game.seed(&rules, seed);
    rules.ruleset = strcmp(c->welcome.ruleset, "guideline") == 0 ? TETRIS_GUIDELINE : TETRIS_STANDARD;
    tetris_game.init(&s, &rules, 1, (struct rng){0}, NULL);
    if (!begin_episode(c, d, &seed))
        return false;
    tetris_game.tick(&s, NULL); // the step of the restart
    for (int i = 0; i < steps; i++) {
        dice = dice * 1664525 + 1013904223;
        unsigned input = (dice >> 16) % 7;
        bool over = s.facts.end;
        EXPECT(over ? MUST_RESTART_ACK : MUST_COMMAND_ACK, client_act(d, over ? "restart" : names[input]), "ack");
        tetris_game.apply(&s, 0, (struct game_action){.kind = over ? TETRIS_RESTART : kinds[input]}, NULL);
        tetris_game.tick(&s, NULL);
        if (!compare_step(c, d, &s, i))
            return false;
    }
    return true;
}

static bool test_reference(struct adapter_check *c, struct client *d)
{
    static const uint64_t some[] = {1, 123, 7, 0, 4294967295};
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++)
        if (!follow_reference(c, d, some[i], c->options.quick ? 200 : 2000))
            return false;
    return true;
}

void gate_a35(struct adapter_check *c)
{
    if (strcmp(c->welcome.hash, "agon") == 0)
        adapter_run_scene(c, true, test_reference);
    else
        adapter_skip(c, "needs --hash agon");
}

// --- lock-step (A36)

static bool run_lockstep(struct adapter_check *c, struct client *d, int count, char *last)
{
    uint32_t dice = 9;
    if (!begin_episode(c, d, &(uint64_t){5}))
        return false;
    uint64_t seen = d->observations;
    for (int i = 0; i < count; i++) {
        dice = dice * 1664525 + 1013904223;
        bool over = d->now.game_over;
        EXPECT(over ? MUST_RESTART_ACK : MUST_COMMAND_ACK,
               over ? client_restart(d, dice) : client_act(d, names[(dice >> 16) % 7]), "ack");
        NEED(MUST_LOCKSTEP_ONE, client_until(d, want_step, d->last.ack.applied_step, CLIENT_WAIT_MS),
             "command %d: no observation within 2 s", i);
    }
    NEED(MUST_LOCKSTEP_ONE, d->observations - seen == (uint64_t)count, "%d commands, %llu observations", count,
         (ull)(d->observations - seen));
    memcpy(last, d->now.state_hash, SERVER_TEXT);
    return true;
}

static bool test_lockstep_twice(struct adapter_check *c, struct client *d)
{
    char first[SERVER_TEXT], second[SERVER_TEXT];
    int count = c->options.quick ? 1000 : 10000;
    NEED(MUST_LOCKSTEP_CLOCK, strcmp(d->welcome.clock, "lockstep") == 0, "welcome.clock is %s", d->welcome.clock);
    if (!run_lockstep(c, d, count, first) || !run_lockstep(c, d, count, second))
        return false;
    if (strcmp(c->welcome.hash, "compat") != 0)
        adapter_assert(c, d, MUST_LOCKSTEP_SAME, strcmp(first, second) == 0, "two runs ended in %s and %s", first,
                       second);
    return true;
}

void gate_a36(struct adapter_check *c)
{
    adapter_run_scene(c, true, test_lockstep_twice);
}

// --- 3.0.0 (A37)

// Exactly these words, each once.
static bool is_set(const json_t *list, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!adapter_list_has(list, words[i]))
            return false;
    return json_array_size(list) == count;
}

static bool test_version_3(struct adapter_check *c, struct client *d)
{
    static const char *const all[] = {"next",       "next_queue", "can_hold", "board_id", "events", "logical_step",
                                      "state_hash", "score",      "timers",   "hold",     "ghost_y"};
    const json_t *features = json_object_get(d->capabilities, "features");
    adapter_assert(c, d, MUST_THIRD_WELCOME, strcmp(d->welcome.protocol_version, "3.0.0") == 0,
                   "welcome.protocol_version is %s", d->welcome.protocol_version);
    adapter_assert(c, d, MUST_THIRD_FEATURES,
                   is_set(features, all, 11) && is_set(json_object_get(d->capabilities, "features_always"), all, 9) &&
                       is_set(json_object_get(d->capabilities, "features_optional"), all + 9, 2),
                   "other features than those of 3.0.0");
    adapter_assert(c, d, MUST_THIRD_COORDINATES, strcmp(d->welcome.coordinates, "box") == 0,
                   "welcome.coordinates is %s", d->welcome.coordinates);
    NEED(MUST_OBSERVATION_STREAM, client_observe(d, CLIENT_WAIT_MS), "no observation within 2 s");
    const char *got = client_control(d, "claim");
    if (strcmp(got, "controller_active") != 0)
        EXPECT(MUST_CLAIM_FREE, got, "ack");
    adapter_assert(c, d, MUST_THIRD_ACK, d->last.type != SERVER_ACK || d->last.ack.applied_step == UINT64_MAX,
                   "the ack of a control has applied_step");
    return true;
}

void gate_a37(struct adapter_check *c)
{
    struct client d;
    struct client_target t = c->target;
    t.version = "3.0.0";
    if (!adapter_assert(c, NULL, MUST_WELCOME_COMES, client_open(&d, &t), "no connection"))
        return;
    const char *got = client_hello(&d, &t, "auto", true, false);
    if (strcmp(got, "protocol_mismatch") == 0)
        adapter_skip(c, "not started with --protocol both");
    else if (adapter_expect(c, &d, MUST_THIRD_WELCOME, got, "welcome"))
        test_version_3(c, &d);
    client_close(&d);
}
