#include "games/kuhn_poker/rules/kuhn_poker.h"

#include "game/pen.h"

#include <stddef.h>

static int init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    static const uint64_t deck = UINT64_C(1) << 39 | UINT64_C(1) << 43 | UINT64_C(1) << 47; // K2.1: Js Qs Ks
    struct kuhn_poker_state *s = state;
    *s = (struct kuhn_poker_state){0};
    return hands_start(&s->hands, &s->deck, rules, seats, deck, chance, out);
}

static struct game_turn turn(const void *state)
{
    const struct kuhn_poker_state *s = state;
    return hands_turn(&s->hands, s->hands.done ? KUHN_POKER_DONE : KUHN_POKER_BETTING);
}

static bool is_bet(const struct kuhn_poker_state *s) // by the one who acted last
{
    return s->acted > 0 && s->action[s->acted - 1] == HANDS_RAISE;
}

static uint64_t legal(const struct kuhn_poker_state *s)
{
    return hands_legal(is_bet(s), !is_bet(s));
}

static int choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct kuhn_poker_state *s = state;
    return seat == s->hands.to_act ? hands_choices(legal(s), out) : 0;
}

static bool flat(const void *state, int seat, int index, struct game_action *out)
{
    return game_flat_kind(&kuhn_poker_game, state, seat, index, out);
}

// K1.8: the first choice is to check or to fold.
static struct game_action fallback(const void *state, int seat)
{
    return game_first_choice(&kuhn_poker_game, state, seat);
}

static void end_hand(struct kuhn_poker_state *s, int winner, int32_t chips, bool shown, struct game_events *out)
{
    hands_end(&s->hands, &s->deck, winner, chips, shown, out);
    if (!s->hands.done) {
        memset(s->action, 0, sizeof s->action);
        s->acted = 0;
    }
}

// K2.2
static void play_action(struct kuhn_poker_state *s, int seat, uint8_t kind, struct game_events *out)
{
    s->action[s->acted++] = kind;
    hands_acted(&s->hands, seat, kind, kind == HANDS_CALL || kind == HANDS_RAISE, out);
    if (kind == HANDS_FOLD) {
        end_hand(s, !seat, 1, false, out);
    } else if (kind == HANDS_CALL || (kind == HANDS_CHECK && s->acted == 2)) {
        int winner = hands_winner(&s->hands, &s->deck, CARD_NONE);
        end_hand(s, winner, kind == HANDS_CALL ? 2 : 1, true, out);
    }
}

static int apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct kuhn_poker_state *s = state;
    int err = hands_refusal(&s->hands, legal(s), seat, a);
    if (err != OK)
        return err;
    if (seat == GAME_MASTER)
        hands_drop(&s->hands, &s->deck, a, 1, out); // who is asked has put in the ante and no more
    else
        play_action(s, seat, a.kind, out);
    return OK;
}

static int stack(void *state, const uint8_t *items, int count)
{
    struct kuhn_poker_state *s = state;
    return hands_stack(&s->hands, &s->deck, items, count);
}

// K1.10
static void view(const void *state, int viewer, void *view)
{
    const struct kuhn_poker_state *s = state;
    struct hands_view *v = view;
    *v = hands_see(&s->hands, &s->deck, viewer, 0);
    v->phase = turn(s).phase;
    v->to_call = is_bet(s) && !s->hands.done; // a drop may leave a bet unanswered
    v->acted[0] = s->acted;
    memcpy(v->action[0], s->action, sizeof s->action);
    v->pot = HANDS_SEATS; // the antes
    for (int i = 0; i < s->acted; i++)
        v->pot = (uint8_t)(v->pot + (s->action[i] >= HANDS_CALL));
}

static void payoffs(const void *state, int32_t out[GAME_MAX_SEATS])
{
    hands_payoffs(&((const struct kuhn_poker_state *)state)->hands, out);
}

static void resample(void *state, int viewer, struct rng *dice)
{
    struct kuhn_poker_state *s = state;
    hands_resample(&s->hands, &s->deck, viewer, 0, dice);
}

static const char *check(const void *state)
{
    const struct kuhn_poker_state *s = state;
    if (s->acted > KUHN_POKER_ACTIONS)
        return "a hand has at most three actions";
    return hands_check(&s->hands, &s->deck, s->acted);
}

// ---- For learners (K2.4) --------------------------------------------------------------------------------------------

// Everything that was bet in this hand is in it, so there is no vector 2.
struct row {
    uint8_t position[2], card[3], bets[KUHN_POKER_ACTIONS][2];
};

enum {
    POSITION = offsetof(struct row, position),
    CARD = offsetof(struct row, card),
    BETS = offsetof(struct row, bets)
};

static const char *const positions[] = {"first", "second"};
static const char *const cards[] = {"J", "Q", "K"};
static const char *const bets[] = {"pass", "bet"};
static const struct game_span spans[] = {
    GAME_RUN(struct row, position, "position.#", positions, GAME_FLAG, 1),
    GAME_RUN(struct row, card, "card.#", cards, GAME_FLAG, 1),
    GAME_GRID(struct row, bets, "bets.#.#", NULL, bets, GAME_FLAG, 1),
    {0},
};

// Bit i is element i.
static uint32_t flags(const struct hands *h, int viewer, uint8_t card, const uint8_t action[KUHN_POKER_ACTIONS])
{
    uint32_t flags = 0;
    if (viewer < HANDS_SEATS)
        flags |= 1u << (POSITION + (viewer != h->first)) | 1u << (CARD + card_rank(card) - CARD_JACK);
    for (int i = 0; i < KUHN_POKER_ACTIONS; i++) // 0 behind the last
        flags |= (uint32_t)(action[i] != 0) << (BETS + 2 * i + (action[i] >= HANDS_CALL));
    return flags;
}

static void vector(const void *view, float *out)
{
    const struct hands_view *v = view;
    pen_flags(pen_f32(out), 0, flags(&v->hands, v->viewer, v->card, v->action[0]), sizeof(struct row));
}

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    (void)history, (void)version;
    const struct kuhn_poker_state *s = state;
    uint32_t bits = flags(&s->hands, viewer, hands_card(&s->hands, &s->deck, viewer), s->action);
    pen_flags(dtype == GAME_F32 ? pen_f32(out) : pen_u8(out), 0, bits, sizeof(struct row));
}

static void mask(const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS], uint64_t out[GAME_FLAT_WORDS])
{
    (void)wanted;
    const struct kuhn_poker_state *s = state;
    if (seat == s->hands.to_act)
        out[0] = legal(s);
}

static const struct game_rows rows = {
    .size = {sizeof(struct row)},
    .spans = spans,
    .observe = observe,
    .mask = mask,
    .action = hands_action,
    .won_at = offsetof(struct kuhn_poker_state, hands.payoff),
};

const struct game kuhn_poker_game = {
    HANDS_GAME(struct kuhn_poker_state),
    .name = "kuhn_poker",
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
