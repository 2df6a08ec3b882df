// The game as the interface wants it: setting up, asking, answering, and what the answers earn.
#include "games/belote/rules/belote.h"

#include "games/belote/rules/internal.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const char *const scenarios[] = {"standard", "single_deal", "long", "tournament", NULL};
static const char *const rewarded[] = {"points", "match", NULL};

static void set_defaults(void *rules)
{
    *(struct belote_rules *)rules = (struct belote_rules){.target = 150, .clubs_base = 32};
}

// G28.5
static int set_scenario(void *rules, int index)
{
    static const struct {
        int32_t target;
        uint16_t colour_sweep_points;
        uint16_t options;
    } rows[] = {{150, 0, 0}, {150, 0, BELOTE_SINGLE_DEAL}, {500, 0, 0}, {500, 25, 0}};
    struct belote_rules *r = rules;
    r->target = rows[index].target;
    r->colour_sweep_points = rows[index].colour_sweep_points;
    r->options |= (uint8_t)rows[index].options;
    return BELOTE_SEATS;
}

void belote_set_classic(struct belote_rules *rules)
{
    rules->clubs_base = 16;
    rules->options |= BELOTE_NO_CLUBS_REDOUBLE | BELOTE_GATHER | BELOTE_CUTTER_LEFT;
}

static bool is_cut(int position)
{
    return position >= BELOTE_CUT_MIN && position <= BELOTE_CUT_MAX;
}

static bool are_sound(const struct belote_rules *r)
{
    enum { ALL_OPTIONS = 2 * BELOTE_EQUAL_DEALS - 1, TARGET_CEILING = 10000, SWEEP_CEILING = 1000 };
    if (r->target < 1 || r->target > TARGET_CEILING || r->colour_sweep_points > SWEEP_CEILING)
        return false;
    if (r->options & BELOTE_GATHER && r->options & BELOTE_EQUAL_DEALS)
        return false; // B14.6
    for (int team = 0; team < 2; team++)
        if (r->points[team] < 0 || r->points[team] >= r->target)
            return false;
    return (r->clubs_base == 16 || r->clubs_base == 32) && r->options <= ALL_OPTIONS && r->dealer < BELOTE_SEATS &&
           (r->cut == 0 || is_cut(r->cut)) && r->cut_from_bottom <= 1 && r->has_deck <= 1 &&
           (!r->has_deck || belote_is_deck(r->deck));
}

static int init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    const struct belote_rules *r = rules;
    if (seats != BELOTE_SEATS || !are_sound(r))
        return ERR_RULES;
    struct belote_state *s = state;
    *s = (struct belote_state){
        .last.sweep = BELOTE_NONE,
        .dealer = r->dealer,
        .target = r->target,
        .points = {r->points[0], r->points[1]},
        .colour_sweep_points = r->colour_sweep_points,
        .clubs_base = r->clubs_base,
        .options = r->options,
        .winner = BELOTE_NONE,
        .left = BELOTE_NONE,
    };
    memcpy(s->key, chance.key, sizeof s->key);
    if (r->has_deck)
        memcpy(s->stacked, r->deck, sizeof s->stacked);
    belote_start_deal(s, out);
    if (r->cut)
        belote_cut_deck(s, r->cut, !r->cut_from_bottom, out);
    return OK;
}

static struct game_turn turn(const void *state)
{
    const struct belote_state *s = state;
    bool over = s->phase == BELOTE_DONE;
    return (struct game_turn){
        .kind = over ? TURN_OVER : TURN_ONE,
        .phase = s->phase,
        .seats = (seat_set)(over ? 0 : SEAT(s->turn)),
        .number = s->number,
    };
}

static struct game_action cut_at(int position, bool from_top)
{
    return (struct game_action){.kind = BELOTE_CUT, .arg = {from_top}, .amount = position};
}

// Every action by its number (G28.1), ready to be copied.
#define ACTION(kind_, arg_, amount_)                                                                                   \
    {                                                                                                                  \
        .kind = kind_, .arg = {arg_}, .amount = amount_                                                                \
    }
#define SAY(kind, mode)  ACTION(kind, mode, 0)
#define SAY_MODES(kind)  SAY(kind, 0), SAY(kind, 1), SAY(kind, 2), SAY(kind, 3), SAY(kind, 4), SAY(kind, 5)
#define CARD(card)       ACTION(BELOTE_PLAY, card, 0)
#define FOUR_CARDS(card) CARD(card), CARD(card + 1), CARD(card + 2), CARD(card + 3)
#define SUIT_CARDS(suit) FOUR_CARDS(8 * suit), FOUR_CARDS(8 * suit + 4)
#define CUT(position)    ACTION(BELOTE_CUT, 1, position)
#define SEVEN_CUTS(from)                                                                                               \
    CUT(from), CUT(from + 1), CUT(from + 2), CUT(from + 3), CUT(from + 4), CUT(from + 5), CUT(from + 6)

static const struct game_action numbered[BELOTE_FLAT_SIZE] = {
    [BELOTE_FLAT_CUT] = SEVEN_CUTS(BELOTE_CUT_MIN),
    SEVEN_CUTS(BELOTE_CUT_MIN + 7),
    SEVEN_CUTS(BELOTE_CUT_MIN + 14),
    [BELOTE_FLAT_WORD] = SAY_MODES(BELOTE_ANNOUNCE),
    SAY(BELOTE_ACCEPT, 0),
    SAY_MODES(BELOTE_DOUBLE),
    SAY_MODES(BELOTE_REDOUBLE),
    [BELOTE_FLAT_CARD] = SUIT_CARDS(0),
    SUIT_CARDS(1),
    SUIT_CARDS(2),
    SUIT_CARDS(3),
};
static const struct game_action *const words = numbered + BELOTE_FLAT_WORD, *const cards = numbered + BELOTE_FLAT_CARD;

// The word that the action says, or BELOTE_WORDS.
static inline int action_word(struct game_action a)
{
    static const struct {
        uint8_t first, count;
    } said[] = {
        [BELOTE_ANNOUNCE] = {BELOTE_SAY_MODE, BELOTE_MODES},
        [BELOTE_ACCEPT] = {BELOTE_SAY_ACCEPT, 1},
        [BELOTE_DOUBLE] = {BELOTE_SAY_DOUBLE, BELOTE_MODES},
        [BELOTE_REDOUBLE] = {BELOTE_SAY_REDOUBLE, BELOTE_MODES},
    };
    if (a.kind < BELOTE_ANNOUNCE || a.kind > BELOTE_REDOUBLE || a.arg[0] >= said[a.kind].count)
        return BELOTE_WORDS;
    return said[a.kind].first + a.arg[0];
}

static int list_words(uint32_t may, struct game_choice *out)
{
    int n = 0;
    for (; may; may &= may - 1)
        out[n++] = (struct game_choice){.first = words[__builtin_ctz(may)]};
    return n;
}

// B5.2: in hand order. Every slot is written and the next one goes over what may not be played: no branch to guess.
static int list_cards(uint32_t may, const uint8_t hand[BELOTE_HAND], struct game_choice *out)
{
    size_t n = 0;
#pragma GCC unroll 8
    for (int i = 0; i < BELOTE_HAND; i++) {
        out[n].first = cards[hand[i]];
        out[n].max_amount = 0;
        n += may >> hand[i] & 1;
    }
    return (int)n;
}

// One choice for every cut there is: (n, false) is the same as (32 - n, true) and is left to legal.
static int choices(const void *state, int seat, struct game_choice *out)
{
    const struct belote_state *s = state;
    if (seat != s->turn)
        return 0;
    if (s->phase == BELOTE_PLAY_PHASE)
        return list_cards(s->may, s->hand[seat], out);
    if (s->phase == BELOTE_BID_PHASE)
        return list_words(s->may, out);
    out[0] = (struct game_choice){.first = cut_at(BELOTE_CUT_MIN, true), .max_amount = BELOTE_CUT_MAX};
    return 1;
}

// The seat is the one that is asked.
static inline bool allows(const struct belote_state *s, struct game_action a)
{
    if (a.arg[1] | a.arg[2])
        return false;
    if (s->phase == BELOTE_PLAY_PHASE)
        return a.kind == BELOTE_PLAY && a.arg[0] < BELOTE_CARDS && !a.amount && s->may >> a.arg[0] & 1;
    if (s->phase == BELOTE_BID_PHASE)
        return !a.amount && s->may >> action_word(a) & 1;
    return a.kind == BELOTE_CUT && a.arg[0] <= 1 && is_cut(a.amount);
}

static bool is_legal(const void *state, int seat, struct game_action a)
{
    const struct belote_state *s = state;
    return seat == s->turn && allows(s, a);
}

// G28.1: what the asked seat may do is kept as bits; they move to their numbers.
static void mask(const void *state, int seat, uint64_t out[GAME_FLAT_WORDS])
{
    enum { EVERY_CUT = (1 << (BELOTE_FLAT_WORD - BELOTE_FLAT_CUT)) - 1 };
    static const struct {
        uint32_t shift, all;
    } phases[] = {[BELOTE_CUT_PHASE] = {BELOTE_FLAT_CUT, EVERY_CUT},
                  [BELOTE_BID_PHASE] = {BELOTE_FLAT_WORD, 0},
                  [BELOTE_PLAY_PHASE] = {BELOTE_FLAT_CARD, 0},
                  [BELOTE_DONE] = {BELOTE_FLAT_CARD, 0}};
    const struct belote_state *s = state;
    uint64_t may = seat == s->turn ? s->may | phases[s->phase].all : 0;
    out[0] = may << phases[s->phase].shift;
    out[1] = may >> (64 - phases[s->phase].shift);
}

static bool flat(const void *state, int seat, int index, struct game_action *out)
{
    uint64_t legal[GAME_FLAT_WORDS];
    if (index < 0 || index >= BELOTE_FLAT_SIZE)
        return false;
    mask(state, seat, legal);
    if (!(legal[index / 64] >> index % 64 & 1))
        return false;
    *out = numbered[index];
    return true;
}

static int oversee(struct belote_state *s, struct game_action a, struct game_events *out)
{
    if (a.kind == GAME_DROP) {
        if (a.arg[0] != s->turn)
            return ERR_SEAT;
        s->number++;
        belote_forfeit(s, a.arg[0], a.arg[1], out);
        return OK;
    }
    if (a.kind != BELOTE_SET_TARGET || a.amount < BELOTE_TARGET_MIN || a.amount > BELOTE_TARGET_MAX)
        return ERR_ACTION;
    s->target = a.amount; // judged at the end of the running deal
    return OK;
}

static int apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct belote_state *s = state;
    if (s->phase == BELOTE_DONE)
        return ERR_OVER;
    if (seat == GAME_MASTER)
        return oversee(s, a, out);
    if (seat != s->turn)
        return ERR_SEAT;
    if (!allows(s, a))
        return ERR_ACTION;
    s->number++;
    if (s->phase == BELOTE_PLAY_PHASE)
        belote_play(s, a.arg[0], out);
    else if (s->phase == BELOTE_BID_PHASE)
        belote_say(s, action_word(a), out);
    else
        belote_cut_deck(s, a.amount, a.arg[0], out);
    return OK;
}

// B12.32
static struct game_action fallback(const void *state, int seat)
{
    const struct belote_state *s = state;
    assert(seat == s->turn);
    if (s->phase == BELOTE_CUT_PHASE)
        return cut_at(16, true);
    if (s->phase == BELOTE_BID_PHASE)
        return words[s->may >> BELOTE_SAY_ACCEPT & 1 ? BELOTE_SAY_ACCEPT : __builtin_ctz(s->may)];
    struct game_choice list[BELOTE_HAND + 1];
    list_cards(s->may, s->hand[seat], list);
    return list[0].first;
}

// The deck of the next cut, before it; of the running deal when that has not been cut yet.
static int stack(void *state, const uint8_t *items, int count)
{
    struct belote_state *s = state;
    if (s->phase == BELOTE_DONE)
        return ERR_OVER;
    if (count != BELOTE_CARDS || !belote_is_deck(items))
        return ERR_RULES;
    memcpy(s->stacked, items, BELOTE_CARDS);
    return OK;
}

// B7.7
static void payoffs(const void *state, int32_t out[GAME_MAX_SEATS])
{
    const struct belote_state *s = state;
    memset(out, 0, GAME_MAX_SEATS * sizeof *out);
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        out[seat] = s->winner == belote_team(seat);
}

static void reward(struct game_rewards *r, int component, float first_team)
{
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        r->at[seat][component] += belote_team(seat) ? -first_team : first_team;
}

// G28.4
static void rewards(const void *state, const struct game_events *happened, struct game_rewards *out)
{
    (void)state;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < happened->count; i++) {
        const struct game_event *e = &happened->at[i];
        if (e->kind == BELOTE_DEAL_ENDED) {
            struct belote_deal_ended end;
            memcpy(&end, e->data, sizeof end);
            float share = (float)(end.gained[0] - end.gained[1]) / (float)end.target;
            reward(out, 0, share > 1 ? 1 : share < -1 ? -1 : share);
        } else if (e->kind == BELOTE_MATCH_ENDED) {
            struct belote_match_ended end;
            memcpy(&end, e->data, sizeof end);
            reward(out, 1, end.team == BELOTE_NONE ? 0 : end.team == 0 ? 1 : -1);
        }
    }
}

static void imagine(void *state, const void *view, struct rng *dice)
{
    belote_imagine(state, view, dice);
}

const struct game belote_game = {
    .name = "belote",
    .version = 1,
    .rules_size = sizeof(struct belote_rules),
    .state_size = sizeof(struct belote_state),
    .view_size = sizeof(struct belote_view),
    .entities_end = offsetof(struct belote_state, phase),
    .world_end = offsetof(struct belote_state, key),
    .min_seats = BELOTE_SEATS,
    .max_seats = BELOTE_SEATS,
    .teams = 2,
    .flat_size = BELOTE_FLAT_SIZE,
    .vector_size = BELOTE_VECTOR_SIZE,
    .scenarios = scenarios,
    .rewarded = rewarded,
    .defaults = set_defaults,
    .scenario = set_scenario,
    .init = init,
    .turn = turn,
    .choices = choices,
    .legal = is_legal,
    .flat = flat,
    .mask = mask,
    .apply = apply,
    .fallback = fallback,
    .stack = stack,
    .view = belote_view,
    .vector = belote_vector,
    .payoffs = payoffs,
    .rewards = rewards,
    .resample = belote_resample,
    .imagine = imagine,
    .check = belote_check,
    .rows = &belote_rows,
};
