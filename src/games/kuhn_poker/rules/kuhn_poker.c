#include "games/kuhn_poker/rules/kuhn_poker.h"

#include "game/pen.h"

#include <stddef.h>

// K2.4: everything that was bet in this hand is in it, so there is no vector 2.
struct row {
    uint8_t position[2], card[3], bets[KUHN_POKER_ACTIONS][2];
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
    return s->acted > 0 && s->action[s->acted - 1] == KUHN_POKER_BET;
}

// K1.5: bit n is the action of number n, for the seat that is asked.
static uint64_t numbers(const struct kuhn_poker_state *s)
{
    return is_bet(s) ? 1u << KUHN_POKER_FOLD | 1u << KUHN_POKER_CALL : 1u << KUHN_POKER_CHECK | 1u << KUHN_POKER_BET;
}

static int choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct kuhn_poker_state *s = state;
    bool bet = is_bet(s);
    if (seat != s->hands.to_act)
        return 0;
    out[0] = (struct game_choice){.first.kind = bet ? KUHN_POKER_FOLD : KUHN_POKER_CHECK};
    out[1] = (struct game_choice){.first.kind = bet ? KUHN_POKER_CALL : KUHN_POKER_BET};
    return 2;
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
static void act(struct kuhn_poker_state *s, int seat, uint8_t kind, struct game_events *out)
{
    s->action[s->acted++] = kind;
    hands_acted(&s->hands, seat, kind, kind == KUHN_POKER_CALL || kind == KUHN_POKER_BET, out);
    if (kind == KUHN_POKER_FOLD) {
        end_hand(s, !seat, 1, false, out);
    } else if (kind == KUHN_POKER_CALL || (kind == KUHN_POKER_CHECK && s->acted == 2)) {
        int winner = hands_card(&s->hands, &s->deck, 1) > hands_card(&s->hands, &s->deck, 0);
        end_hand(s, winner, kind == KUHN_POKER_CALL ? 2 : 1, true, out);
    }
}

static int apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct kuhn_poker_state *s = state;
    int err = hands_refusal(&s->hands, numbers(s), seat, a);
    if (err != OK)
        return err;
    if (seat == GAME_MASTER)
        hands_drop(&s->hands, &s->deck, a, 1, out); // who is asked has put in the ante and no more
    else
        act(s, seat, a.kind, out);
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
    struct kuhn_poker_view *v = view;
    *v = (struct kuhn_poker_view){
        .acted = s->acted,
        .hands = s->hands,
        .viewer = (uint8_t)viewer,
        .card = viewer < HANDS_SEATS ? hands_card(&s->hands, &s->deck, viewer) : CARD_NONE,
    };
    memcpy(v->action, s->action, sizeof v->action);
}

enum {
    POSITION = offsetof(struct row, position),
    CARD = offsetof(struct row, card),
    BETS = offsetof(struct row, bets)
};

// K2.4
static void vector(const void *view, float *out)
{
    const struct kuhn_poker_view *v = view;
    memset(out, 0, sizeof(struct row) * sizeof *out);
    if (v->viewer < HANDS_SEATS) {
        out[POSITION + (v->viewer != v->hands.first)] = 1;
        out[CARD + card_rank(v->card) - CARD_JACK] = 1;
    }
    for (int i = 0; i < v->acted; i++)
        out[BETS + 2 * i + (v->action[i] == KUHN_POKER_CALL || v->action[i] == KUHN_POKER_BET)] = 1;
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
    if (!s->hands.done && s->hands.to_act != (s->hands.first + s->acted) % HANDS_SEATS)
        return "the seats act in turn";
    return hands_check(&s->hands, &s->deck);
}

// ---- The same straight from the state -------------------------------------------------------------------------------

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    (void)history, (void)version;
    const struct kuhn_poker_state *s = state;
    uint32_t flags = 0;
    if (viewer < HANDS_SEATS)
        flags |= 1u << (POSITION + (viewer != s->hands.first)) |
                 1u << (CARD + card_rank(hands_card(&s->hands, &s->deck, viewer)) - CARD_JACK);
    for (int i = 0; i < KUHN_POKER_ACTIONS; i++) {
        uint8_t action = s->action[i]; // 0 behind the last
        flags |= (uint32_t)(action != 0) << (BETS + 2 * i + (action >= KUHN_POKER_CALL));
    }
    pen_flags(dtype == GAME_F32 ? pen_f32(out) : pen_u8(out), 0, flags, sizeof(struct row));
}

static void mask(const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS], uint64_t out[GAME_FLAT_WORDS])
{
    (void)wanted;
    const struct kuhn_poker_state *s = state;
    if (seat == s->hands.to_act)
        out[0] = numbers(s);
}

static void mark(const void *state, struct game_mark *mark)
{
    hands_mark(&((const struct kuhn_poker_state *)state)->hands, mark);
}

static void earned(const void *state, const struct game_mark *mark, struct game_rewards *out)
{
    hands_earned(&((const struct kuhn_poker_state *)state)->hands, mark, out);
}

static const struct game_rows rows = {.size = {sizeof(struct row)},
                                      .spans = spans,
                                      .observe = observe,
                                      .mask = mask,
                                      .action = hands_action,
                                      .mark = mark,
                                      .earned = earned};

const struct game kuhn_poker_game = {
    HANDS_GAME,
    .name = "kuhn_poker",
    .version = 1,
    .state_size = sizeof(struct kuhn_poker_state),
    .view_size = sizeof(struct kuhn_poker_view),
    .entities_end = offsetof(struct kuhn_poker_state, hands),
    .world_end = offsetof(struct kuhn_poker_state, deck),
    .flat_size = KUHN_POKER_BET + 1,
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
