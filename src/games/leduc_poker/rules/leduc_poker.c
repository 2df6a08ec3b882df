#include "games/leduc_poker/rules/leduc_poker.h"

#include "game/pen.h"

#include <assert.h>
#include <stddef.h>

enum { PUBLIC = HANDS_SEATS }; // the place of the public card in the deck

static int init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    static const uint64_t deck = UINT64_C(0xCCC) << 36; // K3.1: Jh Js Qh Qs Kh Ks are 38 39 42 43 46 47
    struct leduc_poker_state *s = state;
    *s = (struct leduc_poker_state){.bets.paid = {1, 1}};
    return hands_start(&s->hands, &s->deck, rules, seats, deck, chance, out);
}

static struct game_turn turn(const void *state)
{
    const struct leduc_poker_state *s = state;
    return hands_turn(&s->hands, s->hands.done ? LEDUC_POKER_DONE : s->bets.round);
}

// So far in this round. Reads all four actions without a branch on their number, which is unpredictable; only a raise
// has this bit.
static int raises(const struct leduc_poker_bets *b)
{
    static_assert(HANDS_RAISE == 4 && LEDUC_POKER_ACTIONS == 4, "a bit of each byte of a word");
    uint32_t actions;
    memcpy(&actions, b->action[b->round], sizeof actions);
    return __builtin_popcount(actions & 0x04040404);
}

// K3.2
static uint64_t legal(const struct leduc_poker_state *s, int seat)
{
    return hands_legal(s->bets.paid[!seat] > s->bets.paid[seat], raises(&s->bets) < LEDUC_POKER_RAISES);
}

static int choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct leduc_poker_state *s = state;
    return seat == s->hands.to_act ? hands_choices(legal(s, seat), out) : 0;
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

// The action is unpredictable, so there are only two branches: does it end the hand, does it end the round.
static void play_action(struct leduc_poker_state *s, int seat, uint8_t kind, struct game_events *out)
{
    struct leduc_poker_bets *b = &s->bets;
    uint8_t *acted = &b->acted[b->round], before = b->paid[seat], other = b->paid[!seat];
    int paid = kind >= HANDS_CALL ? other : before;
    paid += kind == HANDS_RAISE ? (b->round ? LEDUC_POKER_RAISE_SECOND : LEDUC_POKER_RAISE_FIRST) : 0;
    b->action[b->round][(*acted)++] = kind;
    b->paid[seat] = (uint8_t)paid;
    hands_acted(&s->hands, seat, kind, paid - before, out);
    bool fold = kind == HANDS_FOLD;
    bool round_over = (kind == HANDS_CALL) | ((kind == HANDS_CHECK) & (*acted == 2));
    if (fold | (round_over & b->round)) {
        hands_end(&s->hands, &s->deck, fold ? !seat : hands_winner(&s->hands, &s->deck, s->deck.card[PUBLIC]), paid,
                  !fold, out);
        if (!s->hands.done)
            *b = (struct leduc_poker_bets){.paid = {1, 1}};
    } else if (round_over) {
        b->round = 1, hands_open(&s->hands, &s->deck, PUBLIC, out); // K3.3
    }
}

static int apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct leduc_poker_state *s = state;
    int err = hands_refusal(&s->hands, legal(s, s->hands.to_act & 1), seat, a);
    if (err != OK)
        return err;
    if (seat == GAME_MASTER)
        hands_drop(&s->hands, &s->deck, a, s->bets.paid[a.arg[0]], out);
    else
        play_action(s, seat, a.kind, out);
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
    const struct leduc_poker_bets *b = &s->bets;
    struct hands_view *v = view;
    *v = hands_see(&s->hands, &s->deck, viewer, b->round);
    memcpy(v->action, b->action, sizeof v->action);
    memcpy(v->acted, b->acted, sizeof v->acted);
    v->round = b->round;
    v->phase = turn(s).phase;
    v->pot = (uint8_t)(b->paid[0] + b->paid[1]);
    v->to_call = s->hands.done ? 0 : (uint8_t)(b->paid[!s->hands.to_act] - b->paid[s->hands.to_act]);
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
    if (b->round >= LEDUC_POKER_ROUNDS || b->acted[b->round] > LEDUC_POKER_ACTIONS || raises(b) > LEDUC_POKER_RAISES)
        return "a round has at most four actions, and two raises";
    if (!s->hands.done && b->paid[s->hands.to_act] > b->paid[!s->hands.to_act])
        return "who is asked has not paid more than the other";
    return hands_check(&s->hands, &s->deck, b->acted[b->round]);
}

// ---- For learners (K3.6) --------------------------------------------------------------------------------------------

// Everything that was bet in this hand is in it, so there is no vector 2.
struct row {
    uint8_t position[2], card[6], public_card[6];
    uint8_t bets[LEDUC_POKER_ROUNDS][LEDUC_POKER_ACTIONS][2];
};

enum {
    POSITION = offsetof(struct row, position),
    CARD = offsetof(struct row, card),
    PUBLIC_CARD = offsetof(struct row, public_card),
    BETS = offsetof(struct row, bets)
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

// Jh Js Qh Qs Kh Ks are 0 to 5.
static int index_of(uint8_t card)
{
    return 2 * (card_rank(card) - CARD_JACK) + card_suit(card) % 2;
}

// Two bits for each action of both rounds, behind the last none: whether it was a check or call, whether a raise.
static uint32_t bet_flags(const uint8_t action[LEDUC_POKER_ROUNDS][LEDUC_POKER_ACTIONS])
{
    static_assert(HANDS_CHECK == 2 && HANDS_CALL == 3 && HANDS_RAISE == 4, "their second and third bits");
    uint64_t word;
    memcpy(&word, action, sizeof word);
    word = word >> 1 & UINT64_C(0x0303030303030303); // two bits in each byte, which come together
    word = (word | word >> 6) & UINT64_C(0x000F000F000F000F);
    word = (word | word >> 12) & UINT64_C(0x000000FF000000FF);
    return (uint32_t)(word | word >> 24) & 0xFFFF;
}

// Bit i is element i.
static uint32_t flags(const struct hands *h, int viewer, uint8_t card, uint8_t public_card,
                      const uint8_t action[LEDUC_POKER_ROUNDS][LEDUC_POKER_ACTIONS])
{
    uint32_t flags = bet_flags(action) << BETS;
    if (viewer < HANDS_SEATS)
        flags |= 1u << (POSITION + (viewer != h->first)) | 1u << (CARD + index_of(card));
    if (public_card != CARD_NONE)
        flags |= 1u << (PUBLIC_CARD + index_of(public_card));
    return flags;
}

static void vector(const void *view, float *out)
{
    const struct hands_view *v = view;
    uint32_t bits = flags(&v->hands, v->viewer, v->card, v->public_card, v->action);
    pen_flags(pen_f32(out), 0, bits, sizeof(struct row));
}

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    (void)history, (void)version;
    const struct leduc_poker_state *s = state;
    uint8_t card = hands_card(&s->hands, &s->deck, viewer), open = s->bets.round ? s->deck.card[PUBLIC] : CARD_NONE;
    uint32_t bits = flags(&s->hands, viewer, card, open, s->bets.action);
    pen_flags(dtype == GAME_F32 ? pen_f32(out) : pen_u8(out), 0, bits, sizeof(struct row));
}

static void mask(const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS], uint64_t out[GAME_FLAT_WORDS])
{
    (void)wanted;
    const struct leduc_poker_state *s = state;
    if (seat == s->hands.to_act)
        out[0] = legal(s, seat);
}

static const struct game_rows rows = {
    .size = {sizeof(struct row)},
    .spans = spans,
    .observe = observe,
    .mask = mask,
    .action = hands_action,
    .won_at = offsetof(struct leduc_poker_state, hands.payoff),
};

const struct game leduc_poker_game = {
    HANDS_GAME(struct leduc_poker_state),
    .name = "leduc_poker",
    .version = 1,
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
