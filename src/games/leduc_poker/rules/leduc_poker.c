#include "games/leduc_poker/rules/leduc_poker.h"

#include "game/pen.h"

#include <assert.h>
#include <stddef.h>

enum { PUBLIC = HANDS_SEATS }; // the place of the public card in the deck

// K3.6: everything that was bet in this hand is in it, so there is no vector 2.
struct row {
    uint8_t position[2], card[6], public_card[6];
    uint8_t bets[LEDUC_POKER_ROUNDS][LEDUC_POKER_ACTIONS][2];
};

static const char *const positions[] = {"first", "second"};
static const char *const cards[] = {"Jh", "Js", "Qh", "Qs", "Kh", "Ks"};
static const char *const bets[] = {"call", "raise"};
static const struct game_span spans[] = {
    GAME_RUN(struct row, position, "position.#", positions, GAME_FLAG, 1),
    GAME_RUN(struct row, card, "card.#", cards, GAME_FLAG, 1),
    GAME_RUN(struct row, public_card, "public_card.#", cards, GAME_FLAG, 1),
    GAME_GRID(struct row, bets[0], "bets.0.#.#", NULL, bets, GAME_FLAG, 1),
    GAME_GRID(struct row, bets[1], "bets.1.#.#", NULL, bets, GAME_FLAG, 1),
    {0},
};

static int init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    static const uint64_t deck = UINT64_C(0xCCC) << 36; // K3.1: Jh Js Qh Qs Kh Ks are 38 39 42 43 46 47
    struct leduc_poker_state *s = state;
    *s = (struct leduc_poker_state){.bets.paid = {1, 1}};
    return hands_start(&s->hands, &s->deck, rules, seats, deck, chance, out);
}

static uint8_t phase_of(const struct leduc_poker_state *s)
{
    return s->hands.done ? LEDUC_POKER_DONE : s->bets.round;
}

static struct game_turn turn(const void *state)
{
    const struct leduc_poker_state *s = state;
    return hands_turn(&s->hands, phase_of(s));
}

// Writes all four actions without a branch on their number, which is unpredictable; only a raise has this bit.
int leduc_poker_raises(const struct leduc_poker_bets *b)
{
    static_assert(LEDUC_POKER_RAISE == 4 && LEDUC_POKER_ACTIONS == 4, "a bit of each byte of a word");
    uint32_t actions;
    memcpy(&actions, b->action[b->round], sizeof actions);
    return __builtin_popcount(actions & 0x04040404);
}

// K1.5, K3.2: bit n is the action of number n.
static uint64_t numbers(const struct leduc_poker_state *s, int seat)
{
    bool bet = s->bets.paid[!seat] > s->bets.paid[seat];
    uint64_t answers = bet ? 1u << LEDUC_POKER_FOLD | 1u << LEDUC_POKER_CALL : 1u << LEDUC_POKER_CHECK;
    return answers | (uint64_t)(leduc_poker_raises(&s->bets) < LEDUC_POKER_RAISES) << LEDUC_POKER_RAISE;
}

// K1.5, K3.2
static int choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct leduc_poker_state *s = state;
    const struct leduc_poker_bets *b = &s->bets;
    if (seat != s->hands.to_act)
        return 0;
    int n = 0;
    bool bet = b->paid[!seat] > b->paid[seat];
    out[n++] = (struct game_choice){.first.kind = bet ? LEDUC_POKER_FOLD : LEDUC_POKER_CHECK};
    if (bet)
        out[n++] = (struct game_choice){.first.kind = LEDUC_POKER_CALL};
    if (leduc_poker_raises(b) < LEDUC_POKER_RAISES)
        out[n++] = (struct game_choice){.first.kind = LEDUC_POKER_RAISE};
    return n;
}

static bool flat(const void *state, int seat, int index, struct game_action *out)
{
    return game_flat_kind(&leduc_poker_game, state, seat, index, out);
}

// K1.8: the first choice is to check or to fold.
static struct game_action fallback(const void *state, int seat)
{
    return game_first_choice(&leduc_poker_game, state, seat);
}

// K3.4: a pair counts more than any rank.
static int strength(const struct leduc_poker_state *s, int seat)
{
    int rank = card_rank(hands_card(&s->hands, &s->deck, seat));
    return rank == card_rank(s->deck.card[PUBLIC]) ? CARDS_IN_DECK : rank;
}

static int winner(const struct leduc_poker_state *s)
{
    int lead = strength(s, 1) - strength(s, 0);
    return lead ? lead > 0 : HANDS_NOBODY;
}

// The action is unpredictable, so there are only two branches: does it end the hand, does it end the round.
static void act(struct leduc_poker_state *s, int seat, uint8_t kind, struct game_events *out)
{
    struct leduc_poker_bets *b = &s->bets;
    uint8_t *acted = &b->acted[b->round], before = b->paid[seat], other = b->paid[!seat];
    int paid = kind >= LEDUC_POKER_CALL ? other : before;
    paid += kind == LEDUC_POKER_RAISE ? leduc_poker_raise(b->round) : 0;
    b->action[b->round][(*acted)++] = kind;
    b->paid[seat] = (uint8_t)paid;
    hands_acted(&s->hands, seat, kind, paid - before, out);
    bool fold = kind == LEDUC_POKER_FOLD;
    bool round_over = (kind == LEDUC_POKER_CALL) | ((kind == LEDUC_POKER_CHECK) & (*acted == 2));
    if (fold | (round_over & b->round)) {
        hands_end(&s->hands, &s->deck, fold ? !seat : winner(s), paid, !fold, out);
        if (!s->hands.done)
            *b = (struct leduc_poker_bets){.paid = {1, 1}};
    } else if (round_over) {
        b->round = 1, hands_open(&s->hands, &s->deck, PUBLIC, out); // K3.3
    }
}

static int apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct leduc_poker_state *s = state;
    int err = hands_refusal(&s->hands, numbers(s, s->hands.to_act & 1), seat, a);
    if (err != OK)
        return err;
    if (seat == GAME_MASTER)
        hands_drop(&s->hands, &s->deck, a, s->bets.paid[a.arg[0]], out);
    else
        act(s, seat, a.kind, out);
    return OK;
}

static int stack(void *state, const uint8_t *items, int count)
{
    struct leduc_poker_state *s = state;
    return hands_stack(&s->hands, &s->deck, items, count);
}

// K1.10
static void view(const void *state, int viewer, void *view)
{
    const struct leduc_poker_state *s = state;
    struct leduc_poker_view *v = view;
    *v = (struct leduc_poker_view){
        .bets = s->bets,
        .hands = s->hands,
        .viewer = (uint8_t)viewer,
        .card = viewer < HANDS_SEATS ? hands_card(&s->hands, &s->deck, viewer) : CARD_NONE,
        .public_card = s->bets.round ? s->deck.card[PUBLIC] : CARD_NONE,
        .phase = phase_of(s),
    };
}

// Jh Js Qh Qs Kh Ks are 0 to 5.
static int index_of(uint8_t card)
{
    return 2 * (card_rank(card) - CARD_JACK) + card_suit(card) % 2;
}

enum {
    POSITION = offsetof(struct row, position),
    CARD = offsetof(struct row, card),
    PUBLIC_CARD = offsetof(struct row, public_card),
    BETS = offsetof(struct row, bets)
};

// K3.6
static void vector(const void *view, float *out)
{
    const struct leduc_poker_view *v = view;
    memset(out, 0, sizeof(struct row) * sizeof *out);
    if (v->viewer < HANDS_SEATS) {
        out[POSITION + (v->viewer != v->hands.first)] = 1;
        out[CARD + index_of(v->card)] = 1;
    }
    if (v->public_card != CARD_NONE)
        out[PUBLIC_CARD + index_of(v->public_card)] = 1;
    for (int r = 0; r < LEDUC_POKER_ROUNDS; r++)
        for (int i = 0; i < v->bets.acted[r]; i++)
            if (v->bets.action[r][i] != LEDUC_POKER_FOLD)
                out[BETS + 2 * (LEDUC_POKER_ACTIONS * r + i) + (v->bets.action[r][i] == LEDUC_POKER_RAISE)] = 1;
}

static void payoffs(const void *state, int32_t out[GAME_MAX_SEATS])
{
    hands_payoffs(&((const struct leduc_poker_state *)state)->hands, out);
}

static void resample(void *state, int viewer, struct rng *dice)
{
    struct leduc_poker_state *s = state;
    hands_resample(&s->hands, &s->deck, viewer, s->bets.round, dice);
}

static const char *check(const void *state)
{
    const struct leduc_poker_state *s = state;
    const struct leduc_poker_bets *b = &s->bets;
    if (b->round >= LEDUC_POKER_ROUNDS || b->acted[b->round] > LEDUC_POKER_ACTIONS ||
        leduc_poker_raises(b) > LEDUC_POKER_RAISES)
        return "a round has at most four actions, and two raises";
    if (!s->hands.done && s->hands.to_act != (s->hands.first + b->acted[b->round]) % HANDS_SEATS)
        return "the seats act in turn";
    if (!s->hands.done && b->paid[s->hands.to_act] > b->paid[!s->hands.to_act])
        return "who is asked has not paid more than the other";
    return hands_check(&s->hands, &s->deck);
}

// ---- The same straight from the state -------------------------------------------------------------------------------

// Two bits for each action of both rounds, behind the last none: whether it was a check or call, whether a raise.
static uint32_t bet_flags(const struct leduc_poker_bets *b)
{
    static_assert(LEDUC_POKER_CHECK == 2 && LEDUC_POKER_CALL == 3 && LEDUC_POKER_RAISE == 4,
                  "their second and third bits");
    uint64_t word;
    memcpy(&word, b->action, sizeof word);
    word = word >> 1 & UINT64_C(0x0303030303030303); // two bits in each byte, which come together
    word = (word | word >> 6) & UINT64_C(0x000F000F000F000F);
    word = (word | word >> 12) & UINT64_C(0x000000FF000000FF);
    return (uint32_t)(word | word >> 24) & 0xFFFF;
}

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    (void)history, (void)version;
    const struct leduc_poker_state *s = state;
    uint32_t flags = 0;
    if (viewer < HANDS_SEATS)
        flags |= 1u << (POSITION + (viewer != s->hands.first)) |
                 1u << (CARD + index_of(hands_card(&s->hands, &s->deck, viewer)));
    if (s->bets.round)
        flags |= 1u << (PUBLIC_CARD + index_of(s->deck.card[PUBLIC]));
    flags |= bet_flags(&s->bets) << BETS;
    pen_flags(dtype == GAME_F32 ? pen_f32(out) : pen_u8(out), 0, flags, sizeof(struct row));
}

static void mask(const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS], uint64_t out[GAME_FLAT_WORDS])
{
    (void)wanted;
    const struct leduc_poker_state *s = state;
    if (seat == s->hands.to_act)
        out[0] = numbers(s, seat);
}

static void mark(const void *state, struct game_mark *mark)
{
    hands_mark(&((const struct leduc_poker_state *)state)->hands, mark);
}

static void earned(const void *state, const struct game_mark *mark, struct game_rewards *out)
{
    hands_earned(&((const struct leduc_poker_state *)state)->hands, mark, out);
}

static const struct game_rows rows = {.size = {sizeof(struct row)},
                                      .spans = spans,
                                      .observe = observe,
                                      .mask = mask,
                                      .action = hands_action,
                                      .mark = mark,
                                      .earned = earned};

const struct game leduc_poker_game = {
    HANDS_GAME,
    .name = "leduc_poker",
    .version = 1,
    .state_size = sizeof(struct leduc_poker_state),
    .view_size = sizeof(struct leduc_poker_view),
    .entities_end = offsetof(struct leduc_poker_state, hands),
    .world_end = offsetof(struct leduc_poker_state, deck),
    .flat_size = LEDUC_POKER_RAISE + 1,
    .vector_size = sizeof(struct row),
    .init = init,
    .turn = turn,
    .choices = choices,
    .flat = flat,
    .apply = apply,
    .fallback = fallback,
    .stack = stack,
    .view = view,
    .vector = vector,
    .payoffs = payoffs,
    .resample = resample,
    .check = check,
    .rows = &rows,
};
