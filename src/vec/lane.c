// What moves a lane: answers, house players, time, and how an episode begins.
#include "vec/internal.h"

#include "base/rng_several.h"
#include "base/sha256.h"
#include "match/match.h"

#include <assert.h>

// Children of a seed's key that are its episodes after the first (V14). The streams of a match lie far below.
#define EPISODES (UINT64_C(1) << 33)

enum { MOST_EMPTY = 1000 }; // matches in a row in which the caller is never asked

// ---- Rewards and tokens ---------------------------------------------------------------------------------------------

static void add_rewards(struct game_rewards *sum, const struct game_rewards *more)
{
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        for (int c = 0; c < GAME_MAX_REWARDS; c++)
            sum->at[s][c] += more->at[s][c];
}

// What was earned since `mark`.
static void add_earned(const struct agon_vec *v, const struct lane *l, const struct game_mark *mark,
                       struct lane_step *step)
{
    struct game_rewards more, *out = step->plays ? &more : &step->rewards;
    if (step->events)
        memset(out, 0, sizeof *out);
    game_earned(v->game, lane_state(v, l), mark, step->events, out);
    if (step->plays++)
        add_rewards(&step->rewards, out);
    if (step->events)
        step->events->count = step->events->ticks = 0;
}

static void add_tokens(const struct agon_vec *v, struct lane *l, const struct game_tokens *told)
{
    struct game_token *ring = lane_ring(v, l);
    for (uint32_t i = 0; i < told->count; i++)
        ring[l->tokens++ % v->config.tokens] = told->at[i];
}

// ---- Masks ----------------------------------------------------------------------------------------------------------

// V3: the legal numbers of the pace, or number 0 where there are none. There is room for GAME_FLAT_WORDS at `out`: what
// lies behind the words of this row is written later.
static void write_mask(const struct agon_vec *v, const struct lane *l, int seat, uint64_t *out)
{
    game_mask_of(v->game, lane_state(v, l), seat, v->allowed, out);
    if (v->is_timed)
        out[0] |= v->allowed[0] & 1;
    uint64_t any = out[0];
    for (uint32_t i = 1; i < v->words; i++)
        any |= game_scalar(out[i]);
    out[0] |= !any;
}

static void write_masks(const struct agon_vec *v, const struct lane *l, seat_set asked)
{
    uint64_t *out = lane_masks(v, l);
    if (v->rows_of_env == 1 && asked) {
        write_mask(v, l, l->asked, out);
        return;
    }
    for (uint32_t row = 0; row < v->rows_of_env; row++, out += v->words)
        if (asked >> row & 1) {
            write_mask(v, l, (int)row, out);
        } else {
            memset(out, 0, v->words * sizeof *out);
            out[0] = 1;
        }
}

static bool can_place(const struct agon_vec *v, const struct lane *l)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < v->words; i++)
        any |= lane_masks(v, l)[i] & v->places[i];
    return any;
}

// ---- Moves ----------------------------------------------------------------------------------------------------------

// Passes the events of a step to the memories of house bots, then to the list that rewards are counted from.
static void pass_events(const struct agon_vec *v, struct lane *l, const struct game_events *e, struct lane_step *step)
{
    lane_feed_minds(v, l, e);
    struct game_events *out = step->events;
    for (uint32_t i = 0; out && i < e->count && out->count < GAME_MAX_EVENTS; i++)
        out->at[out->count++] = e->at[i];
    if (out)
        out->ticks += e->ticks;
}

// Not inlined: events take 16 KB of stack.
static __attribute__((noinline)) int apply_heard(const struct agon_vec *v, struct lane *l, int seat,
                                                 struct game_action a, struct lane_step *step)
{
    struct game_events events;
    struct game_tokens told;
    events.count = events.ticks = told.count = 0;
    int err = game_apply_kept(v->game, lane_state(v, l), lane_history(v, l), seat, a, &events,
                              v->config.tokens ? &told : NULL);
    if (err != OK)
        return err;
    add_tokens(v, l, &told);
    pass_events(v, l, &events, step);
    return OK;
}

static __attribute__((noinline)) void tick_heard(const struct agon_vec *v, struct lane *l, struct game_tokens *told,
                                                 struct lane_step *step)
{
    struct game_events events;
    events.count = events.ticks = 0;
    game_tick_kept(v->game, lane_state(v, l), lane_history(v, l), &events, told);
    pass_events(v, l, &events, step);
}

static int apply_action(const struct agon_vec *v, struct lane *l, int seat, struct game_action a,
                        struct lane_step *step)
{
    if (v->mind_bytes)
        return apply_heard(v, l, seat, a, step);
    if (v->is_brief)
        return game_apply_brief(v->game, lane_state(v, l), lane_history(v, l), seat, a, step->events);
    if (!v->config.tokens)
        return game_apply_kept(v->game, lane_state(v, l), lane_history(v, l), seat, a, step->events, NULL);
    struct game_tokens told;
    told.count = 0;
    int err = game_apply_kept(v->game, lane_state(v, l), lane_history(v, l), seat, a, step->events, &told);
    if (err == OK)
        add_tokens(v, l, &told);
    return err;
}

static void apply_tick(const struct agon_vec *v, struct lane *l, struct lane_step *step)
{
    struct game_tokens told;
    told.count = 0;
    if (v->mind_bytes)
        tick_heard(v, l, v->config.tokens ? &told : NULL, step);
    else
        game_tick_kept(v->game, lane_state(v, l), lane_history(v, l), step->events, v->config.tokens ? &told : NULL);
    add_tokens(v, l, &told);
    step->ticks++;
    l->steps++;
    if (v->logs)
        lane_log_tick(v, l);
}

// Plays a legal action and adds what it earned.
static void play_action(const struct agon_vec *v, struct lane *l, int seat, struct game_action a, bool silent,
                        struct lane_step *step)
{
    struct game_mark mark;
    game_mark(v->game, lane_state(v, l), &mark);
    int err = apply_action(v, l, seat, a, step);
    assert(err == OK);
    (void)err;
    l->steps++;
    if (v->logs)
        lane_log_action(v, l, seat, a, silent);
    add_earned(v, l, &mark, step);
}

// V7: whether the rules ended it, or a cap of theirs.
static __attribute__((noinline)) uint8_t end_of(const struct agon_vec *v, const struct lane *l)
{
    const struct env_facts *world = v->kit->environment;
    union game_view view;
    if (!world || !world->is_cut)
        return LANE_TERMINATED;
    v->game->view(lane_state(v, l), GAME_SPECTATOR, &view);
    return world->is_cut(&view) ? LANE_TRUNCATED : LANE_TERMINATED;
}

static void ask_nobody(const struct agon_vec *v, struct lane *l)
{
    l->asked = AGON_NOBODY;
    l->owing = 0;
    write_masks(v, l, 0);
}

// Sets who is asked now and what may be answered, when it is the caller's turn.
static void ask_seats(const struct agon_vec *v, struct lane *l, struct game_turn turn)
{
    if (turn.kind == TURN_OVER) {
        l->end = end_of(v, l);
        ask_nobody(v, l);
        return;
    }
    l->asked = (uint8_t)__builtin_ctz(turn.seats);
    l->owing = turn.seats & (seat_set)~l->house;
    write_masks(v, l, l->owing);
}

// Decisions are numbered by the steps of the match, as contests do.
static __attribute__((noinline)) void move_house(const struct agon_vec *v, struct lane *l, int seat,
                                                 struct lane_step *step)
{
    struct rng dice = rng_section(&lane_streams(v, l)[seat], l->steps);
    const struct bot *bot = lane_bot(v, l, seat);
    const void *mind = bot->mind_size ? lane_mind(v, l, seat) : NULL;
    struct game_action a = lane_ask_bot(v, l, bot, seat, dice, v->config.effort, mind);
    if (!game_is_legal(v->game, lane_state(v, l), seat, a))
        a = v->game->fallback(lane_state(v, l), seat);
    play_action(v, l, seat, a, false, step);
}

// V1, V4: the house answers until a seat of the caller is the lowest that is asked, or the match is over.
static void play_house(const struct agon_vec *v, struct lane *l, struct lane_step *step)
{
    struct game_turn turn = v->game->turn(lane_state(v, l));
    while (turn.seats & -turn.seats & l->house && turn.kind != TURN_OVER) {
        move_house(v, l, __builtin_ctz(turn.seats), step);
        turn = v->game->turn(lane_state(v, l));
    }
    ask_seats(v, l, turn);
}

// ---- Time (V5) ------------------------------------------------------------------------------------------------------

// Events are paid for tick by tick, so that there are never many of them.
static void tick_once(const struct agon_vec *v, struct lane *l, struct lane_step *step)
{
    struct game_mark mark = {0};
    apply_tick(v, l, step);
    if (step->events)
        add_earned(v, l, &mark, step);
}

static void pass_time(const struct agon_vec *v, struct lane *l, bool is_place, struct lane_step *step)
{
    uint32_t least = is_place ? 1 : v->config.ticks;
    while (step->ticks < least && v->game->turn(lane_state(v, l)).kind != TURN_OVER)
        tick_once(v, l, step);
    ask_seats(v, l, v->game->turn(lane_state(v, l)));
    while (is_place && l->end == LANE_RUNNING && !can_place(v, l) && step->ticks < VEC_MOST_TICKS) {
        tick_once(v, l, step);
        ask_seats(v, l, v->game->turn(lane_state(v, l)));
    }
}

// An action of the seat as a word (0: none), and the ticks that follow it. A struct would be taken apart
// and put together again byte by byte, and the processor would wait for that.
static void move_timed(const struct agon_vec *v, struct lane *l, uint64_t word, bool silent, bool is_place,
                       struct lane_step *step)
{
    struct game_mark mark;
    game_mark(v->game, lane_state(v, l), &mark);
    int err = word ? apply_action(v, l, 0, game_action_of(word), step) : OK;
    assert(err == OK);
    (void)err;
    l->steps += word != 0;
    if (v->logs && word)
        lane_log_action(v, l, 0, game_action_of(word), silent);
    if (step->events)
        add_earned(v, l, &mark, step);
    pass_time(v, l, is_place, step);
    if (!step->events)
        add_earned(v, l, &mark, step);
}

// ---- Answers --------------------------------------------------------------------------------------------------------

int lane_check(const struct agon_vec *v, const struct lane *l, int row, int32_t number)
{
    if ((uint32_t)number >= v->actions)
        return AGON_OUT_OF_SPACE;
    const uint64_t *mask = lane_masks(v, l) + (uint32_t)row * v->words;
    return mask[number / 64] >> number % 64 & 1 ? AGON_OK : AGON_ILLEGAL;
}

static void drop_seat(const struct agon_vec *v, struct lane *l, int seat, struct lane_step *step)
{
    struct game_action a = {.kind = GAME_DROP, .arg = {(uint8_t)seat}};
    play_action(v, l, GAME_MASTER, a, false, step);
}

// One seat's answer, without what follows it.
static void play_answer(const struct agon_vec *v, struct lane *l, int seat, int32_t number, int err,
                        struct lane_step *step)
{
    l->unpaid[seat] = 0;
    l->last = (uint8_t)seat;
    if (err && v->config.illegal == AGON_FORFEIT) {
        drop_seat(v, l, seat, step);
        return;
    }
    if (err) {
        play_action(v, l, seat, v->game->fallback(lane_state(v, l), seat), true, step);
        return;
    }
    play_action(v, l, seat, game_action_at(v->game, lane_state(v, l), seat, number), false, step);
}

static int answer_asked(const struct agon_vec *v, struct lane *l, int32_t number, struct lane_step *step)
{
    int err = lane_check(v, l, 0, number);
    if (err && v->config.illegal == AGON_REFUSE)
        return err;
    play_answer(v, l, l->asked, number, err, step);
    play_house(v, l, step);
    return err;
}

// V2: all seats that are asked; the first error counts, and with AGON_REFUSE nobody's answer does.
static int answer_seats(const struct agon_vec *v, struct lane *l, const int32_t *numbers, struct lane_step *step)
{
    seat_set asked = l->owing;
    int first = 0;
    for (unsigned set = asked; set; set &= set - 1) {
        int err = lane_check(v, l, __builtin_ctz(set), numbers[__builtin_ctz(set)]);
        first = first ? first : err;
    }
    if (first && v->config.illegal == AGON_REFUSE)
        return first;
    uint32_t question = v->game->turn(lane_state(v, l)).number;
    for (unsigned set = asked; set; set &= set - 1) {
        int seat = __builtin_ctz(set);
        struct game_turn turn = v->game->turn(lane_state(v, l));
        while (turn.number == question && turn.seats & l->house & (SEAT(seat) - 1)) { // V1: by seat number
            move_house(v, l, __builtin_ctz(turn.seats), step);
            turn = v->game->turn(lane_state(v, l));
        }
        if (turn.number == question && turn.seats & SEAT(seat)) // what came before may have closed the window
            play_answer(v, l, seat, numbers[seat], lane_check(v, l, seat, numbers[seat]), step);
    }
    play_house(v, l, step);
    return first;
}

static int answer_in_time(const struct agon_vec *v, struct lane *l, int32_t number, struct lane_step *step)
{
    int err = lane_check(v, l, 0, number);
    uint64_t word = 0;
    bool is_place = v->config.pace == AGON_PLACEMENTS;
    if (err && v->config.illegal == AGON_REFUSE)
        return err;
    l->unpaid[0] = 0;
    if (err && v->config.illegal == AGON_FORFEIT) {
        drop_seat(v, l, 0, step);
        play_house(v, l, step);
        return err;
    }
    if (err)
        word = game_action_word(v->game->fallback(lane_state(v, l), 0));
    else if (number)
        word = game_action_word(game_action_at(v->game, lane_state(v, l), 0, number)),
        is_place = v->places[number / 64] >> number % 64 & 1;
    move_timed(v, l, word, err != 0, is_place, step);
    return err;
}

int lane_answer(const struct agon_vec *v, struct lane *l, const int32_t *numbers, struct lane_step *step)
{
    if (v->is_timed)
        return answer_in_time(v, l, *numbers, step);
    return v->rows_of_env == 1 ? answer_asked(v, l, *numbers, step) : answer_seats(v, l, numbers, step);
}

void lane_answer_asked(const struct agon_vec *v, struct lane *l, int32_t number, struct lane_step *step)
{
    if (v->is_timed) {
        answer_in_time(v, l, number, step);
        return;
    }
    play_answer(v, l, l->asked, number, 0, step);
    play_house(v, l, step);
}

// Zeros, so that environments that are equal have equal bytes.
static void clear_early(struct lane *l)
{
    l->early = (struct game_rewards){0};
    l->has_early = 0;
}

// V16, V17: what each seat earned, what it has not been paid, and what the episode has brought it.
void lane_close_step(const struct agon_vec *v, struct lane *l, struct lane_step *step, float *rewards, float *unpaid)
{
    l->length++;
    if (v->config.max_steps && l->length >= v->config.max_steps && l->end == LANE_RUNNING) {
        l->end = LANE_TRUNCATED;
        ask_nobody(v, l);
    }
    if (l->has_early) {
        add_rewards(&step->rewards, &l->early);
        clear_early(l);
    }
    for (uint32_t s = 0; s < v->seats; s++) {
        float sum = 0;
        for (uint32_t c = 0; c < v->components; c++)
            sum += step->rewards.at[s][c];
        l->unpaid[s] += sum;
        l->returns[s] += sum;
        if (rewards)
            rewards[s] = sum;
        if (unpaid)
            unpaid[s] = l->unpaid[s];
    }
}

// ---- Episodes -------------------------------------------------------------------------------------------------------

static void seat_house(const struct agon_vec *v, struct lane *l)
{
    uint32_t shift = v->config.rotate ? l->episode % v->seats : 0;
    unsigned twice = (unsigned)v->house_seats << shift;
    l->house = (seat_set)((twice | twice >> v->seats) & ((1u << v->seats) - 1));
}

// As match_bot_stream has them, so that the house plays here as it does everywhere (G17.5).
static void make_streams(const struct agon_vec *v, struct lane *l)
{
    if (!v->house_seats)
        return;
    struct rng bots = rng_split(&l->root, MATCH_BOTS);
    for (unsigned set = l->house; set; set &= set - 1)
        lane_streams(v, l)[__builtin_ctz(set)] = rng_split(&bots, (uint64_t)__builtin_ctz(set));
}

static __attribute__((noinline)) void init_heard(const struct agon_vec *v, struct lane *l, const void *rules,
                                                 struct rng chance, struct game_tokens *told)
{
    struct game_events events;
    events.count = events.ticks = 0;
    int err =
        game_init_kept(v->game, lane_state(v, l), lane_history(v, l), rules, (int)v->seats, chance, &events, told);
    assert(err == OK);
    (void)err;
    lane_begin_minds(v, l, rules, &events);
}

static void init(const struct agon_vec *v, struct lane *l, struct rng chance, struct lane_step *step)
{
    union game_rules own;
    const void *rules = &v->rules;
    if (l->episode == 0 && v->game->seed) {
        own = v->rules;
        v->game->seed(&own, l->seed);
        rules = &own;
    }
    struct game_tokens told;
    told.count = 0;
    if (v->mind_bytes) {
        init_heard(v, l, rules, chance, v->config.tokens ? &told : NULL);
        add_tokens(v, l, &told);
        return;
    }
    int err = game_init_kept(v->game, lane_state(v, l), lane_history(v, l), rules, (int)v->seats, chance, step->events,
                             v->config.tokens ? &told : NULL);
    assert(err == OK);
    (void)err;
    add_tokens(v, l, &told);
    if (step->events)
        step->events->count = step->events->ticks = 0;
}

// Keys of an episode (V14).
struct keys {
    struct rng root, chance;
};

static struct keys keys_of(const struct lane *l)
{
    struct keys k = {.root = l->episode ? rng_split(&l->chain, EPISODES + l->episode) : l->chain};
    k.chance = rng_split(&k.root, MATCH_CHANCE);
    return k;
}

// Of several lanes at once, whose episodes are not their first.
static void keys_of_several(const struct agon_vec *v, struct lane *const lanes[], uint32_t count, struct keys out[])
{
    struct rng root[LANES_TOGETHER], chance[LANES_TOGETHER], chain[LANES_TOGETHER];
    uint64_t episode[LANES_TOGETHER], match[LANES_TOGETHER];
    for (uint32_t i = 0; i < count; i++) {
        chain[i] = lanes[i]->chain;
        episode[i] = EPISODES + lanes[i]->episode;
        match[i] = MATCH_CHANCE;
    }
    rng_split_several(chain, episode, root, (int)count, v->is_wide);
    rng_split_several(root, match, chance, (int)count, v->is_wide);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (struct keys){root[i], chance[i]};
}

static void begin_once(const struct agon_vec *v, struct lane *l, const struct keys *keys, struct lane_step *step)
{
    uint32_t episode = l->episode;
    if (l->has_early)
        clear_early(l);
    memset(l, 0, offsetof(struct lane, root));
    l->root = keys->root;
    l->episode = episode;
    if (v->config.tokens)
        memset(lane_ring(v, l), 0, v->config.tokens * sizeof(struct game_token));
    if (v->config.rotate) // streams and memories of seats that are the caller's now; equal episodes have equal bytes
        memset((uint8_t *)l + v->streams_at, 0, v->ring_at - v->streams_at);
    seat_house(v, l);
    init(v, l, keys->chance, step);
    make_streams(v, l);
    if (v->logs)
        lane_log_begin(v, l);
    if (v->is_timed)
        ask_seats(v, l, v->game->turn(lane_state(v, l)));
    else
        play_house(v, l, step);
    l->last = l->asked;
}

// The keys are those of the first try.
static void begin_playable(const struct agon_vec *v, struct lane *l, struct keys keys, struct lane_step *step)
{
    for (int tries = 0; tries < MOST_EMPTY; tries++) {
        step->plays = 0;
        begin_once(v, l, &keys, step);
        if (l->end == LANE_RUNNING)
            break;
        l->episode++;
        keys = keys_of(l);
    }
    if (l->end != LANE_RUNNING)
        l->episode--, l->last = 0;
    l->has_early = step->plays != 0;
    if (l->has_early)
        l->early = step->rewards;
}

static __attribute__((noinline)) void begin_listening(const struct agon_vec *v, struct lane *l, struct keys keys)
{
    struct game_events events;
    struct lane_step step = {.events = &events};
    events.count = events.ticks = 0;
    begin_playable(v, l, keys, &step);
}

static __attribute__((noinline)) void begin_with(const struct agon_vec *v, struct lane *l, struct keys keys)
{
    struct lane_step step = {0};
    if (v->listens)
        begin_listening(v, l, keys);
    else
        begin_playable(v, l, keys, &step);
}

void lane_begin(const struct agon_vec *v, struct lane *l, const uint64_t *seed)
{
    if (seed) {
        uint8_t key[SHA256_BYTES];
        sha256_seed_key(key, v->game->name, *seed);
        l->chain = rng_from_key(key);
        l->seed = *seed;
        l->episode = 0;
    } else {
        l->episode++;
    }
    begin_with(v, l, keys_of(l));
}

void lane_begin_next(const struct agon_vec *v, struct lane *const lanes[], uint32_t count)
{
    struct keys keys[LANES_TOGETHER];
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        lanes[i]->episode++;
    keys_of_several(v, lanes, count, keys);
    for (uint32_t i = 0; i < count; i++)
        begin_with(v, lanes[i], keys[i]);
}

void lane_refresh(const struct agon_vec *v, struct lane *l)
{
    make_streams(v, l);
    if (l->end == LANE_RUNNING)
        ask_seats(v, l, v->game->turn(lane_state(v, l)));
    else
        ask_nobody(v, l);
}
