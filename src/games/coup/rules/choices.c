// Who is asked and what may be answered (F6.C4).
#include "games/coup/rules/internal.h"

const struct coup_act coup_acts[COUP_TURN_ACTIONS + 1] = {
    [COUP_INCOME] = {.gain = 1, .open = COUP_PHASE_DONE},
    [COUP_FOREIGN_AID] = {.gain = 2, .blocked_by = 1 << COUP_DUKE, .open = COUP_PHASE_BLOCK},
    [COUP_COUP] = {.cost = 7, .targeted = true, .open = COUP_PHASE_DONE},
    [COUP_TAX] = {.gain = 3, .role = COUP_DUKE, .open = COUP_PHASE_CHALLENGE_ACTION},
    [COUP_ASSASSINATE] = {.cost = 3,
                          .role = COUP_ASSASSIN,
                          .targeted = true,
                          .blocked_by = 1 << COUP_CONTESSA,
                          .open = COUP_PHASE_CHALLENGE_ACTION},
    [COUP_STEAL] = {.role = COUP_CAPTAIN,
                    .targeted = true,
                    .blocked_by = 1 << COUP_CAPTAIN | 1 << COUP_AMBASSADOR,
                    .open = COUP_PHASE_CHALLENGE_ACTION},
    [COUP_EXCHANGE] = {.role = COUP_AMBASSADOR, .open = COUP_PHASE_CHALLENGE_ACTION},
};

enum { FORCED_COUP = 10 }; // coins from which nothing but a coup is legal

static const uint8_t kinds[2][COUP_PHASES] = {
    [COUP_WINDOWS_FIRST] = {TURN_ONE, TURN_ANY, TURN_ANY, TURN_ANY, TURN_ONE, TURN_ONE, TURN_OVER},
    [COUP_WINDOWS_DETERMINISTIC] = {TURN_ONE, TURN_ALL, TURN_ALL, TURN_ALL, TURN_ONE, TURN_ONE, TURN_OVER},
};

// G27.1. Lists are made of these rows as well: copied whole, an action is read back as fast as it was written.
enum {
    FLAT_INCOME = 1,
    FLAT_FOREIGN_AID,
    FLAT_TAX,
    FLAT_EXCHANGE,
    FLAT_COUP,
    FLAT_ASSASSINATE = FLAT_COUP + COUP_MAX_SEATS,
    FLAT_STEAL = FLAT_ASSASSINATE + COUP_MAX_SEATS,
    FLAT_CHALLENGE = FLAT_STEAL + COUP_MAX_SEATS,
    FLAT_PASS,
    FLAT_BLOCK_DUKE,
    FLAT_BLOCK_CONTESSA,
    FLAT_BLOCK_CAPTAIN,
    FLAT_BLOCK_AMBASSADOR,
    FLAT_LOSE,
    FLAT_RETURN = FLAT_LOSE + 2, // pairs in lexicographic order
};
#define AT_SEATS(k)                                                                                                    \
    {k, {0}, 0}, {k, {1}, 0}, {k, {2}, 0}, {k, {3}, 0}, {k, {4}, 0},                                                   \
    {                                                                                                                  \
        k, {5}, 0                                                                                                      \
    }
static const struct game_action flat_actions[COUP_FLAT] = {
    {0},
    {COUP_INCOME, {0}, 0},
    {COUP_FOREIGN_AID, {0}, 0},
    {COUP_TAX, {0}, 0},
    {COUP_EXCHANGE, {0}, 0},
    AT_SEATS(COUP_COUP),
    AT_SEATS(COUP_ASSASSINATE),
    AT_SEATS(COUP_STEAL),
    {COUP_CHALLENGE, {0}, 0},
    {COUP_PASS, {0}, 0},
    {COUP_BLOCK, {COUP_DUKE}, 0},
    {COUP_BLOCK, {COUP_CONTESSA}, 0},
    {COUP_BLOCK, {COUP_CAPTAIN}, 0},
    {COUP_BLOCK, {COUP_AMBASSADOR}, 0},
    {COUP_LOSE_CARD, {0}, 0},
    {COUP_LOSE_CARD, {1}, 0},
    {COUP_RETURN_CARDS, {0, 1}, 0},
    {COUP_RETURN_CARDS, {0, 2}, 0},
    {COUP_RETURN_CARDS, {0, 3}, 0},
    {COUP_RETURN_CARDS, {1, 2}, 0},
    {COUP_RETURN_CARDS, {1, 3}, 0},
    {COUP_RETURN_CARDS, {2, 3}, 0},
};

struct game_turn coup_turn(const void *state)
{
    const struct coup_state *s = state;
    return (struct game_turn){kinds[s->windows][s->phase], s->phase, s->asked, s->number};
}

static struct game_choice *put_choice(struct game_choice *at, int index)
{
    at->first = flat_actions[index];
    at->max_amount = 0;
    return at + 1;
}

static struct game_choice *put_targets(struct game_choice *at, int index, unsigned seats)
{
    for (; seats; seats &= seats - 1)
        at = put_choice(at, index + __builtin_ctz(seats));
    return at;
}

static struct game_choice *list_turn(const struct coup_state *s, int seat, struct game_choice *at)
{
    unsigned targets = s->in_play & ~(1u << seat), coins = s->seat[seat].coins;
    if (coins >= FORCED_COUP)
        return put_targets(at, FLAT_COUP, targets);
    at = put_choice(at, FLAT_INCOME);
    at = put_choice(at, FLAT_FOREIGN_AID);
    if (coins >= coup_acts[COUP_COUP].cost)
        at = put_targets(at, FLAT_COUP, targets);
    at = put_choice(at, FLAT_TAX);
    if (coins >= coup_acts[COUP_ASSASSINATE].cost)
        at = put_targets(at, FLAT_ASSASSINATE, targets);
    at = put_targets(at, FLAT_STEAL, targets);
    return put_choice(at, FLAT_EXCHANGE);
}

static struct game_choice *put_range(struct game_choice *at, int from, int to)
{
    for (int index = from; index < to; index++)
        at = put_choice(at, index);
    return at;
}

static struct game_choice *list_blocks(const struct coup_state *s, struct game_choice *at)
{
    static const uint8_t from[COUP_TURN_ACTIONS + 1] = {[COUP_FOREIGN_AID] = FLAT_BLOCK_DUKE,
                                                        [COUP_ASSASSINATE] = FLAT_BLOCK_CONTESSA,
                                                        [COUP_STEAL] = FLAT_BLOCK_CAPTAIN};
    int first = from[s->log.action];
    at = put_range(at, first, first + 1 + (first == FLAT_BLOCK_CAPTAIN)); // or Ambassador
    return put_choice(at, FLAT_PASS);
}

static struct game_choice *list_returns(const struct coup_state *s, int seat, struct game_choice *at)
{
    int cards = coup_influence(&s->seat[seat]) + 2;
    for (int index = FLAT_RETURN; index < COUP_FLAT; index++)
        if (flat_actions[index].arg[1] < cards)
            at = put_choice(at, index);
    return at;
}

int coup_choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct coup_state *s = state;
    if (seat < 0 || seat >= s->seats || !(s->asked >> seat & 1))
        return 0;
    struct game_choice *end = out;
    switch ((enum coup_phase)s->phase) {
    case COUP_PHASE_ACTION:
        end = list_turn(s, seat, out);
        break;
    case COUP_PHASE_CHALLENGE_ACTION:
    case COUP_PHASE_CHALLENGE_BLOCK:
        end = put_choice(put_choice(out, FLAT_CHALLENGE), FLAT_PASS);
        break;
    case COUP_PHASE_BLOCK:
        end = list_blocks(s, out);
        break;
    case COUP_PHASE_LOSE_INFLUENCE:
        end = put_range(out, FLAT_LOSE + (s->seat[seat].up & 1), FLAT_RETURN - (s->seat[seat].up >> 1));
        break;
    case COUP_PHASE_EXCHANGE_RETURN:
        end = list_returns(s, seat, out);
        break;
    case COUP_PHASE_DONE:
    case COUP_PHASES:
        break;
    }
    return (int)(end - out);
}

static bool allows_turn(const struct coup_state *s, int seat, struct game_action a)
{
    if (a.kind < COUP_INCOME || a.kind > COUP_TURN_ACTIONS || a.arg[1])
        return false;
    const struct coup_act *act = &coup_acts[a.kind];
    int coins = s->seat[seat].coins;
    if (coins < act->cost || (coins >= FORCED_COUP && a.kind != COUP_COUP))
        return false;
    if (!act->targeted)
        return a.arg[0] == 0;
    return a.arg[0] < COUP_MAX_SEATS && a.arg[0] != seat && s->in_play >> a.arg[0] & 1;
}

bool coup_allows(const struct coup_state *s, int seat, struct game_action a)
{
    if (a.arg[2] || a.amount)
        return false;
    switch ((enum coup_phase)s->phase) {
    case COUP_PHASE_ACTION:
        return allows_turn(s, seat, a);
    case COUP_PHASE_CHALLENGE_ACTION:
    case COUP_PHASE_CHALLENGE_BLOCK:
        return (a.kind == COUP_CHALLENGE || a.kind == COUP_PASS) && !a.arg[0] && !a.arg[1];
    case COUP_PHASE_BLOCK:
        if (a.arg[1])
            return false;
        if (a.kind == COUP_BLOCK)
            return a.arg[0] <= COUP_CONTESSA && coup_acts[s->log.action].blocked_by >> a.arg[0] & 1;
        return a.kind == COUP_PASS && !a.arg[0];
    case COUP_PHASE_LOSE_INFLUENCE:
        return a.kind == COUP_LOSE_CARD && a.arg[0] < 2 && !a.arg[1] && !(s->seat[seat].up >> a.arg[0] & 1);
    case COUP_PHASE_EXCHANGE_RETURN:
        return a.kind == COUP_RETURN_CARDS && a.arg[0] < a.arg[1] && a.arg[1] < coup_influence(&s->seat[seat]) + 2;
    case COUP_PHASE_DONE:
    case COUP_PHASES:
        break;
    }
    return false;
}

struct game_action coup_action(const void *state, int seat, int number)
{
    (void)state, (void)seat;
    return flat_actions[number];
}

bool coup_flat(const void *state, int seat, int index, struct game_action *out)
{
    const struct coup_state *s = state;
    if (index <= 0 || index >= COUP_FLAT || seat < 0 || seat >= s->seats || !(s->asked >> seat & 1))
        return false;
    if (!coup_allows(s, seat, flat_actions[index]))
        return false;
    *out = flat_actions[index];
    return true;
}

static uint64_t turn_mask(const struct coup_state *s, int seat)
{
    uint64_t targets = s->in_play & ~(1u << seat), mask;
    int coins = s->seat[seat].coins;
    if (coins >= FORCED_COUP)
        return targets << FLAT_COUP;
    mask = 1u << FLAT_INCOME | 1u << FLAT_FOREIGN_AID | 1u << FLAT_TAX | 1u << FLAT_EXCHANGE | targets << FLAT_STEAL;
    mask |= coins >= coup_acts[COUP_COUP].cost ? targets << FLAT_COUP : 0;
    mask |= coins >= coup_acts[COUP_ASSASSINATE].cost ? targets << FLAT_ASSASSINATE : 0;
    return mask;
}

#define BIT(index) ((uint64_t)1 << (index))

static uint64_t return_mask(int cards)
{
    static const uint64_t all = (BIT(COUP_FLAT) - 1) & ~(BIT(FLAT_RETURN) - 1);
    static const uint64_t with_fourth = BIT(FLAT_RETURN + 2) | BIT(FLAT_RETURN + 4) | BIT(FLAT_RETURN + 5);
    return cards == 4 ? all : all & ~with_fourth;
}

static uint64_t answer_mask(const struct coup_state *s, int seat)
{
    static const uint64_t blocks[COUP_TURN_ACTIONS + 1] = {
        [COUP_FOREIGN_AID] = BIT(FLAT_BLOCK_DUKE),
        [COUP_ASSASSINATE] = BIT(FLAT_BLOCK_CONTESSA),
        [COUP_STEAL] = BIT(FLAT_BLOCK_CAPTAIN) | BIT(FLAT_BLOCK_AMBASSADOR),
    };
    switch ((enum coup_phase)s->phase) {
    case COUP_PHASE_CHALLENGE_ACTION:
    case COUP_PHASE_CHALLENGE_BLOCK:
        return BIT(FLAT_CHALLENGE) | BIT(FLAT_PASS);
    case COUP_PHASE_BLOCK:
        return blocks[s->log.action] | BIT(FLAT_PASS);
    case COUP_PHASE_LOSE_INFLUENCE:
        return (uint64_t)(~s->seat[seat].up & 3u) << FLAT_LOSE;
    case COUP_PHASE_EXCHANGE_RETURN:
        return return_mask(coup_influence(&s->seat[seat]) + 2);
    case COUP_PHASE_ACTION:
    case COUP_PHASE_DONE:
    case COUP_PHASES:
        break;
    }
    return 0;
}

void coup_mask(const void *state, int seat, uint64_t out[GAME_FLAT_WORDS])
{
    const struct coup_state *s = state;
    if (seat < 0 || seat >= s->seats || !(s->asked >> seat & 1))
        return;
    out[0] = s->phase == COUP_PHASE_ACTION ? turn_mask(s, seat) : answer_mask(s, seat);
}

// F6.C15: income, or the first coup; pass; the first card; the first pair.
struct game_action coup_fallback(const void *state, int seat)
{
    const struct coup_state *s = state;
    if (coup_is_window(s->phase))
        return (struct game_action){.kind = COUP_PASS};
    struct game_choice list[GAME_MAX_CHOICES];
    int count = coup_choices(s, seat, list);
    return count ? list[0].first : (struct game_action){0};
}
