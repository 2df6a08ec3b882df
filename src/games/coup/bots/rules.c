#include "games/coup/bots/bots.h"
#include "games/coup/bots/habits.h"

#include "games/coup/rules/coup.h"

// What this seat can work out from its view.
struct mind {
    const struct bot_ask *ask;
    const struct coup_view *v;
    const struct coup_seat *me;
    int left[COUP_ROLES + 1]; // copies of each role that this seat cannot see
    int unseen;               // all cards it cannot see
    struct rng_draw dice;
};

// N2.5: how many times as often this player bluffs.
static float boldness(const struct mind *m)
{
    return bot_leans(m->ask, BOT_BLUFFER) ? 4 : bot_leans(m->ask, BOT_TIGHT) ? 0 : bot_leans(m->ask, BOT_LOOSE) ? 2 : 1;
}

static bool holds(const struct mind *m, int role)
{
    return coup_has_role(m->me, role);
}

static void count_unseen(struct mind *m)
{
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        m->left[role] = COUP_COPIES;
    for (int i = 0; i < m->v->seats; i++)
        for (int slot = 0; slot < 2; slot++)
            m->left[m->v->seat[i].card[slot]]--; // cards hidden from this seat count at index 0, which is not read
    m->left[m->v->exchange[0]]--;
    m->left[m->v->exchange[1]]--;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        m->unseen += m->left[role];
}

static bool chance(struct mind *m, float p)
{
    return (float)rng_draw_below(&m->dice, 1u << 20) < p * (float)(1u << 20);
}

// That one of `cards` cards out of those unseen is this role.
static float odds_of_holding(const struct mind *m, int role, int cards)
{
    float none = 1;
    for (int i = 0; i < cards; i++)
        none *= (float)(m->unseen - m->left[role] - i) / (float)(m->unseen - i);
    return none < 0 ? 1 : 1 - none;
}

// The same after the seat has claimed the role: some of those who do not hold it claim it too.
static float odds_of_truth(const struct mind *m, int role, int seat)
{
    const float bluffing = 0.5f;
    float p = odds_of_holding(m, role, coup_influence(&m->v->seat[seat]));
    return p > 0 ? p / (p + (1 - p) * bluffing) : 0;
}

static struct game_action act(int kind, int arg)
{
    return (struct game_action){.kind = (uint8_t)kind, .arg = {(uint8_t)arg}};
}

static struct game_action act_or_pass(bool yes, int kind)
{
    return act(yes ? kind : COUP_PASS, 0);
}

// --- the own turn ---

// The strongest other seat in play; for a theft the richest.
static int pick_target(const struct mind *m, bool rich)
{
    int best = -1, most = -1;
    for (int i = 1; i < m->v->seats; i++) {
        int seat = (m->ask->seat + i) % m->v->seats;
        const struct coup_seat *other = &m->v->seat[seat];
        int score = rich ? other->coins : 8 * coup_influence(other) + other->coins;
        if (m->v->in_play >> seat & 1 && score > most)
            best = seat, most = score;
    }
    return best;
}

// A claim that is no lie, or a lie that the visible cards allow.
static bool dares_claim(struct mind *m, int role)
{
    return holds(m, role) || (m->left[role] >= 2 && chance(m, 0.16f * boldness(m) * m->ask->aggro));
}

static bool has_weak_hand(const struct mind *m)
{
    return !holds(m, COUP_DUKE) && !holds(m, COUP_ASSASSIN) && !holds(m, COUP_CAPTAIN);
}

// Whether nobody else is likely to claim Duke against foreign aid.
static bool expects_aid(const struct mind *m)
{
    int others = 0;
    for (int i = 0; i < m->v->seats; i++)
        others += i == m->ask->seat ? 0 : coup_influence(&m->v->seat[i]);
    return odds_of_holding(m, COUP_DUKE, others) < 0.5f;
}

static struct game_action choose_turn(struct mind *m)
{
    int coins = m->me->coins, strong = pick_target(m, false), rich = pick_target(m, true);
    if (coins >= coup_acts[COUP_COUP].cost)
        return act(COUP_COUP, strong);
    if (habits_lead_nowhere(m->v->turns, m->v->seats))
        return act(holds(m, COUP_DUKE) ? COUP_TAX : COUP_INCOME, 0);
    if (coins >= coup_acts[COUP_ASSASSINATE].cost && dares_claim(m, COUP_ASSASSIN))
        return act(COUP_ASSASSINATE, strong);
    if (holds(m, COUP_AMBASSADOR) && has_weak_hand(m) && chance(m, 0.6f))
        return act(COUP_EXCHANGE, 0);
    if (m->v->seat[rich].coins >= 2 && holds(m, COUP_CAPTAIN) && !holds(m, COUP_DUKE))
        return act(COUP_STEAL, rich);
    if (dares_claim(m, COUP_DUKE))
        return act(COUP_TAX, 0);
    if (m->v->seat[rich].coins >= 2 && dares_claim(m, COUP_CAPTAIN))
        return act(COUP_STEAL, rich);
    return act(expects_aid(m) ? COUP_FOREIGN_AID : COUP_INCOME, 0);
}

// --- windows ---

static bool is_last_stand(const struct mind *m)
{
    return m->v->log.action == COUP_ASSASSINATE && m->v->log.target == m->ask->seat && coup_influence(m->me) == 1;
}

// A challenge risks only the challenger's card but helps everyone, so with more players it needs more certainty.
static float doubt_below(const struct mind *m)
{
    float base = __builtin_popcount(m->v->in_play) == 2 ? 0.5f : 0.4f;
    float lean = bot_leans(m->ask, BOT_CALLER) ? 0.15f : bot_leans(m->ask, BOT_TIGHT) ? -0.1f : 0;
    return base + lean + 0.1f * (m->ask->aggro - 0.5f);
}

static struct game_action choose_challenge(struct mind *m)
{
    const struct coup_log *log = &m->v->log;
    int role = coup_acts[log->action].role;
    float truth = odds_of_truth(m, role, log->actor);
    bool mine = log->target == m->ask->seat && coup_acts[log->action].targeted;
    if (m->left[role] == 0)
        return act_or_pass(true, COUP_CHALLENGE);
    if (mine && log->action == COUP_ASSASSINATE && holds(m, COUP_CONTESSA))
        return act_or_pass(false, COUP_CHALLENGE);
    if (is_last_stand(m)) // lost anyway: challenge the assassin, or claim a Contessa
        return act_or_pass(truth < 0.5f || m->left[COUP_CONTESSA] == 0, COUP_CHALLENGE);
    return act_or_pass(truth < doubt_below(m), COUP_CHALLENGE);
}

static struct game_action choose_block_challenge(struct mind *m)
{
    const struct coup_log *log = &m->v->log;
    float truth = odds_of_truth(m, log->block_role, log->blocker);
    bool mine = log->actor == m->ask->seat;
    return act_or_pass(m->left[log->block_role] == 0 || (mine && truth < doubt_below(m)), COUP_CHALLENGE);
}

// How willing to block without the role.
static float bluff_of(const struct mind *m)
{
    if (is_last_stand(m))
        return 1;
    return (m->v->log.action == COUP_FOREIGN_AID ? 0.08f : 0.2f) * boldness(m) * m->ask->aggro;
}

static struct game_action choose_block(struct mind *m)
{
    int likely = COUP_NO_ROLE;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++) {
        if (!(coup_acts[m->v->log.action].blocked_by >> role & 1))
            continue;
        if (holds(m, role))
            return act(COUP_BLOCK, role);
        if (m->left[role] > 0 && (!likely || m->left[role] > m->left[likely]))
            likely = role;
    }
    return likely && chance(m, bluff_of(m)) ? act(COUP_BLOCK, likely) : act(COUP_PASS, 0);
}

// --- cards ---

static const uint8_t worth[COUP_ROLES + 1] = {0, 9, 8, 7, 3, 6};

static int worth_of(int a, int b)
{
    return worth[a] + worth[b] - (a == b ? 4 : 0);
}

static struct game_action choose_loss(const struct mind *m)
{
    if (m->me->up)
        return m->ask->fallback;
    return act(COUP_LOSE_CARD, worth[m->me->card[0]] <= worth[m->me->card[1]] ? 0 : 1);
}

// The pair to return that leaves the best hand.
static struct game_action choose_return(const struct mind *m)
{
    uint8_t all[4] = {0};
    int count = coup_combined(m->me, m->v->exchange, all), best = -1;
    struct game_action choice = m->ask->fallback;
    for (int c = 0; c < m->ask->count; c++) {
        struct game_action a = m->ask->choices[c].first;
        int kept[4] = {0}, n = 0;
        for (int i = 0; i < count; i++)
            if (i != a.arg[0] && i != a.arg[1])
                kept[n++] = all[i];
        if (worth_of(kept[0], kept[1]) > best)
            best = worth_of(kept[0], kept[1]), choice = a;
    }
    return choice;
}

static struct game_action choose(const struct bot_ask *ask)
{
    const struct coup_view *v = ask->view;
    struct mind m = {.ask = ask, .v = v, .me = &v->seat[ask->seat]};
    count_unseen(&m);
    rng_begin(&m.dice, ask->dice);
    switch ((enum coup_phase)v->phase) {
    case COUP_PHASE_ACTION:
        return choose_turn(&m);
    case COUP_PHASE_CHALLENGE_ACTION:
        return choose_challenge(&m);
    case COUP_PHASE_BLOCK:
        return choose_block(&m);
    case COUP_PHASE_CHALLENGE_BLOCK:
        return choose_block_challenge(&m);
    case COUP_PHASE_LOSE_INFLUENCE:
        return choose_loss(&m);
    case COUP_PHASE_EXCHANGE_RETURN:
        return choose_return(&m);
    case COUP_PHASE_DONE:
    case COUP_PHASES:
        break;
    }
    return ask->fallback;
}

const struct bot coup_rules_bot = {
    .name = "rules", .game = "coup", .choose = choose, .knows = BOT_TIGHT | BOT_LOOSE | BOT_BLUFFER | BOT_CALLER};
