// The game's table: what the interface asks, answered by the course, the field and the view.
#include "games/tetris/rules/tetris.h"

#include "games/tetris/rules/internal.h"
#include "games/tetris/rules/rules.h"
#include "games/tetris/rules/view.h"

#include <stddef.h>

enum { VERSION = 1 };

static int init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    struct tetris_state *s = state;
    const struct tetris_rules *r = rules;
    if (seats != 1 || !rules_are_good(r))
        return ERR_RULES;
    s->rules = *r;
    s->chance = chance;
    s->facts.episode_id = 0;
    s->facts.turn = 0;
    uint32_t seed = r->has_seed ? r->seed : rng_u32(&s->chance);
    gameplay_start(s, seed, out);
    return OK;
}

static struct game_turn turn(const void *state)
{
    const struct tetris_facts *f = &((const struct tetris_state *)state)->facts;
    if (f->end)
        return (struct game_turn){.kind = TURN_OVER, .phase = TETRIS_DONE, .number = f->turn};
    return (struct game_turn){.kind = TURN_FREE, .phase = TETRIS_PLAYING, .seats = SEAT(0), .number = f->turn};
}

static int choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct tetris_state *s = state;
    if (seat != 0 || s->facts.end)
        return 0;
    int count = 0;
    if (s->rules.listed & TETRIS_LIST_INPUTS)
        for (int kind = TETRIS_MOVE_LEFT; kind < TETRIS_HOLD + s->facts.can_hold; kind++)
            out[count++] = (struct game_choice){.first.kind = (uint8_t)kind};
    if (s->rules.listed & TETRIS_LIST_PLACEMENTS)
        count += place_list(s, out + count);
    return count;
}

// Fields that an action does not use are zero.
static bool is_bare(struct game_action a)
{
    return !(a.arg[0] | a.arg[1] | a.arg[2] | a.amount);
}

static bool is_restart(struct game_action a)
{
    return a.arg[0] <= 1 && !a.arg[1] && !a.arg[2] && (a.arg[0] || !a.amount);
}

static bool legal(const void *state, int seat, struct game_action a)
{
    const struct tetris_state *s = state;
    if (seat != 0)
        return false;
    if (a.kind == TETRIS_RESTART)
        return is_restart(a);
    if (s->facts.end)
        return false;
    if (a.kind == TETRIS_PLACE)
        return tetris_try_place(s, a) == TETRIS_PLACE_OK;
    if (a.kind == TETRIS_HOLD && !s->facts.can_hold) // G24.3
        return false;
    return a.kind >= TETRIS_MOVE_LEFT && a.kind <= TETRIS_PAUSE && is_bare(a);
}

// G24.2: where placements begin, of the piece in play and of the one that hold brings.
enum { FLAT_PLACE = TETRIS_HOLD + 1, FLAT_HELD = FLAT_PLACE + 4 * TETRIS_WIDTH };

// Made in a register: what is put together byte by byte is read back late.
struct game_action tetris_action(const void *state, int seat, int number)
{
    (void)state, (void)seat;
    unsigned place = (unsigned)(number - FLAT_PLACE), line = place / TETRIS_WIDTH;
    if (number < FLAT_PLACE)
        return game_action_of((unsigned)number);
    return game_action_of(TETRIS_PLACE | (place - TETRIS_WIDTH * line) << 8 | (line & 3) << 16 | (line >> 2) << 24);
}

static bool flat(const void *state, int seat, int index, struct game_action *out)
{
    if (index <= 0 || index >= TETRIS_FLAT)
        return false;
    struct game_action a = tetris_action(state, seat, index);
    if (!legal(state, seat, a))
        return false;
    *out = a;
    return true;
}

// Placements take all the time, those of hold half of it.
void tetris_mask(const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS], uint64_t out[GAME_FLAT_WORDS])
{
    const struct tetris_state *s = state;
    const uint64_t places = ((uint64_t)1 << 4 * TETRIS_WIDTH) - 1;
    if (seat != 0 || s->facts.end)
        return;
    out[0] = (1u << (TETRIS_HOLD + s->facts.can_hold)) - (1u << TETRIS_MOVE_LEFT);
    if (wanted[0] & places << FLAT_PLACE)
        out[0] |= place_mask(s, false) << FLAT_PLACE;
    if ((wanted[0] >> FLAT_HELD) | wanted[1]) {
        uint64_t held = place_mask(s, true);
        out[0] |= held << FLAT_HELD;
        out[1] = held >> (64 - FLAT_HELD);
    }
}

static void mask(const void *state, int seat, uint64_t out[GAME_FLAT_WORDS])
{
    static const uint64_t all[GAME_FLAT_WORDS] = {UINT64_MAX, UINT64_MAX};
    tetris_mask(state, seat, all, out);
}

static __attribute__((noinline)) int press(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    if (!is_bare(a) || a.kind < TETRIS_MOVE_LEFT || a.kind > TETRIS_PAUSE)
        return ERR_ACTION;
    if (a.kind == TETRIS_HOLD && !s->facts.can_hold)
        return ERR_ACTION;
    if (s->facts.paused && a.kind != TETRIS_PAUSE) // T1.19
        return OK;
    switch (a.kind) {
    case TETRIS_MOVE_LEFT:
        piece_shift(&s->field, &s->piece, -1, s->rules.ruleset);
        break;
    case TETRIS_MOVE_RIGHT:
        piece_shift(&s->field, &s->piece, 1, s->rules.ruleset);
        break;
    case TETRIS_ROTATE_CW:
        piece_turn(&s->field, &s->piece, false, s->rules.ruleset);
        break;
    case TETRIS_ROTATE_CCW:
        piece_turn(&s->field, &s->piece, true, s->rules.ruleset);
        break;
    case TETRIS_SOFT_DROP:
        gameplay_soft_drop(s, out);
        break;
    case TETRIS_HARD_DROP:
        gameplay_hard_drop(s, out);
        break;
    case TETRIS_HOLD:
        gameplay_hold(s, out);
        break;
    default: // TETRIS_PAUSE
        s->facts.paused ^= 1;
        if (s->facts.paused)
            s->piece.soft_ms = 0;
    }
    return OK;
}

static __attribute__((cold, noinline)) int apply_other(struct tetris_state *s, int seat, struct game_action a,
                                                       struct game_events *out)
{
    if (seat == GAME_MASTER)
        return master_apply(s, a, out);
    if (seat != 0)
        return ERR_SEAT;
    if (a.kind != TETRIS_RESTART)
        return ERR_OVER;
    if (!is_restart(a))
        return ERR_ACTION;
    s->facts.episode_id++;
    s->chance = rng_section(&s->chance, s->facts.episode_id);
    gameplay_start(s, a.arg[0] ? (uint32_t)a.amount : s->generator, out); // T2.15
    return OK;
}

static int apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct tetris_state *s = state;
    if (seat != 0 || s->facts.end || a.kind == TETRIS_RESTART)
        return apply_other(s, seat, a, out);
    return a.kind == TETRIS_PLACE ? place_play(s, a, out) : press(s, a, out);
}

static void tick(void *state, struct game_events *out)
{
    gameplay_tick(state, out);
}

// The piece goes down where it is: a silent player's game moves on.
static struct game_action fallback(const void *state, int seat)
{
    (void)state, (void)seat;
    return (struct game_action){.kind = TETRIS_HARD_DROP};
}

static void payoffs(const void *state, int32_t out[GAME_MAX_SEATS])
{
    uint32_t score = ((const struct tetris_state *)state)->facts.score;
    memset(out, 0, GAME_MAX_SEATS * sizeof *out);
    out[0] = score > INT32_MAX ? INT32_MAX : (int32_t)score; // T1.42
}

// The pieces are public with their seed; unknown are only the holes of garbage to come.
static void resample(void *state, int viewer, struct rng *dice)
{
    (void)viewer;
    struct tetris_state *s = state;
    struct rng_draw d;
    rng_begin(&d, dice);
    for (int i = 0; i < 8; i++)
        s->chance.key[i] = rng_draw_u32(&d);
}

static uint64_t digest(const void *state, int which)
{
    const struct tetris_state *s = state;
    return tetris_hash(s, (enum tetris_layout)which, s->facts.fresh ? &s->facts.lock : NULL);
}

static const char *const digests[] = {"agon", "compat", NULL};

const struct game tetris_game = {
    .name = "tetris",
    .version = VERSION,
    .rules_size = sizeof(struct tetris_rules),
    .state_size = sizeof(struct tetris_state),
    .view_size = sizeof(struct tetris_view),
    .entities_end = offsetof(struct tetris_state, facts),
    .world_end = offsetof(struct tetris_state, order),
    .tick_ms = TETRIS_TICK_MS,
    .min_seats = 1,
    .max_seats = 1,
    .flat_size = TETRIS_FLAT,
    .vector_size = TETRIS_VECTOR,
    .scenarios = tetris_scenarios,
    .rewarded = tetris_rewarded,
    .digests = digests,
    .defaults = tetris_defaults,
    .scenario = tetris_scenario,
    .seed = tetris_seed,
    .init = init,
    .turn = turn,
    .choices = choices,
    .legal = legal,
    .flat = flat,
    .mask = mask,
    .apply = apply,
    .tick = tick,
    .fallback = fallback,
    .view = tetris_observe,
    .vector = tetris_vector,
    .payoffs = payoffs,
    .rewards = tetris_rewards,
    .resample = resample,
    .digest = digest,
    .check = tetris_check,
    .rows = &tetris_rows,
};
