#include "games/coup/bots/habits.h"

struct eye {
    const struct coup_state *s;
    int seat;
    const struct coup_seat *me;
    struct habits h;
    struct quick *dice;
};

static bool holds(const struct eye *e, int role)
{
    return coup_has_role(e->me, role);
}

static bool happens(const struct eye *e, float p)
{
    return quick_unit(e->dice) < p;
}

static struct game_action act(int kind, int arg)
{
    return (struct game_action){.kind = (uint8_t)kind, .arg = {(uint8_t)arg}};
}

// Copies that this seat cannot see.
static int count_left(const struct eye *e, int role, int *unseen)
{
    int left = COUP_COPIES, known = 0;
    for (int i = 0; i < e->s->seats; i++)
        for (int slot = 0; slot < 2; slot++)
            if (i == e->seat || e->s->seat[i].up >> slot & 1) {
                left -= e->s->seat[i].card[slot] == role;
                known++;
            }
    *unseen = COUP_CARDS - known;
    return left;
}

// The chance that so many unseen cards hold the role.
static float odds_of(const struct eye *e, int role, int cards)
{
    int unseen, left = count_left(e, role, &unseen);
    float none = 1;
    for (int i = 0; i < cards && unseen > i; i++)
        none *= (float)(unseen - left - i) / (float)(unseen - i);
    return none < 0 ? 1 : 1 - none;
}

// ---- The own turn ---------------------------------------------------------------------------------------------------

static int pick_target(const struct eye *e, bool rich)
{
    int best = e->seat, most = -1;
    for (int i = 1; i < e->s->seats; i++) {
        int seat = (e->seat + i) % e->s->seats, score;
        const struct coup_seat *other = &e->s->seat[seat];
        score = rich ? other->coins : 8 * coup_influence(other) + other->coins;
        if (e->s->in_play >> seat & 1 && score > most)
            best = seat, most = score;
    }
    return best;
}

// A claim that is true, or one that the open cards allow and the mood of this player.
static bool dares(const struct eye *e, int role, float mood)
{
    int unseen;
    return holds(e, role) || (e->h.bluff > 0 && happens(e, mood * e->h.bluff) && count_left(e, role, &unseen) >= 2);
}

static struct game_action choose_turn(const struct eye *e)
{
    int coins = e->me->coins, strong = pick_target(e, false), rich = pick_target(e, true);
    const struct coup_seat *richest = &e->s->seat[rich];
    // Another seat can afford a coup against this one: without a coup of its own it must take the coins away.
    bool hurry = coup_influence(e->me) == 1 && richest->coins >= 6;
    if (coins >= coup_acts[COUP_COUP].cost)
        return act(COUP_COUP, strong);
    if (habits_lead_nowhere(e->s->turns, e->s->seats))
        return act(holds(e, COUP_DUKE) ? COUP_TAX : COUP_INCOME, 0);
    if (coins >= coup_acts[COUP_ASSASSINATE].cost && dares(e, COUP_ASSASSIN, hurry ? 0.4f : 0.1f))
        return act(COUP_ASSASSINATE, strong);
    if (richest->coins >= 2 && (hurry || !holds(e, COUP_DUKE)) && dares(e, COUP_CAPTAIN, hurry ? 0.4f : 0.06f))
        return act(COUP_STEAL, rich);
    if (dares(e, COUP_DUKE, 0.15f))
        return act(COUP_TAX, 0);
    if (holds(e, COUP_AMBASSADOR) && happens(e, 0.5f))
        return act(COUP_EXCHANGE, 0);
    return act(happens(e, 0.35f) ? COUP_FOREIGN_AID : COUP_INCOME, 0);
}

// ---- Windows --------------------------------------------------------------------------------------------------------

// A challenge risks only the challenger's card but helps everyone, so with more players it needs more certainty.
static bool doubts(const struct eye *e, float p, int others)
{
    if (e->h.sharp)
        return p / (p + (1 - p) / 2) < (others > 1 ? 0.4f : 0.5f);
    float truth = 0.35f + p / 2, chance = 1.44f * (0.64f - truth) * e->h.doubt;
    chance = chance < 0.02f ? 0.02f : chance > 0.9f ? 0.9f : chance;
    return happens(e, others > 1 ? chance / 2 : chance);
}

// By the cards that this seat cannot see and all that the other has claimed.
static bool disbelieves(const struct eye *e, int seat, int role)
{
    struct unseen u = {.all = 0};
    int unseen = 0;
    for (int r = COUP_DUKE; r <= COUP_CONTESSA; r++)
        u.left[r] = (uint8_t)count_left(e, r, &unseen);
    u.all = (uint8_t)unseen;
    return claims_odds(e->h.recall, seat, !e->s->seat[seat].up, &u, role) < e->h.trust;
}

static struct game_action answer_claim(const struct eye *e, int seat, int role)
{
    if (e->h.trust > 0)
        return act(disbelieves(e, seat, role) ? COUP_CHALLENGE : COUP_PASS, 0);
    float p = odds_of(e, role, coup_influence(&e->s->seat[seat]));
    bool no = p <= 0 || doubts(e, p, __builtin_popcount(e->s->in_play) - 1);
    return act(no ? COUP_CHALLENGE : COUP_PASS, 0);
}

// An assassination of the last card: a lie costs nothing.
static bool is_last_stand(const struct eye *e)
{
    return e->s->log.action == COUP_ASSASSINATE && e->s->log.target == e->seat && coup_influence(e->me) == 1;
}

static struct game_action choose_challenge(const struct eye *e)
{
    const struct coup_log *log = &e->s->log;
    if (log->action == COUP_ASSASSINATE && log->target == e->seat && holds(e, COUP_CONTESSA))
        return act(COUP_PASS, 0);
    return answer_claim(e, log->actor, coup_acts[log->action].role);
}

static struct game_action choose_block(const struct eye *e)
{
    unsigned roles = coup_acts[e->s->log.action].blocked_by;
    int lie = COUP_NO_ROLE, most = 0;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++) {
        int unseen;
        if (!(roles >> role & 1))
            continue;
        if (holds(e, role))
            return act(COUP_BLOCK, role);
        if (count_left(e, role, &unseen) > most)
            most = count_left(e, role, &unseen), lie = role;
    }
    float mood = is_last_stand(e) ? 1 : (e->s->log.action == COUP_FOREIGN_AID ? 0.06f : 0.15f) * e->h.bluff;
    return lie && happens(e, mood) ? act(COUP_BLOCK, lie) : act(COUP_PASS, 0);
}

static struct game_action choose_block_challenge(const struct eye *e)
{
    const struct coup_log *log = &e->s->log;
    return log->actor == e->seat ? answer_claim(e, log->blocker, log->block_role) : act(COUP_PASS, 0);
}

// ---- Cards ----------------------------------------------------------------------------------------------------------

static const uint8_t worth[COUP_ROLES + 1] = {0, 9, 8, 7, 3, 6};

static struct game_action choose_return(const struct eye *e)
{
    uint8_t all[4] = {0};
    int count = coup_combined(e->me, e->s->exchange, all), best = -1;
    struct game_action choice = act(COUP_RETURN_CARDS, 0);
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++) {
            int kept[4] = {0}, n = 0;
            for (int c = 0; c < count; c++)
                if (c != i && c != k)
                    kept[n++] = all[c];
            int value = worth[kept[0]] + worth[kept[1]] - (kept[0] == kept[1] ? 4 : 0);
            if (value > best) {
                best = value;
                choice.arg[0] = (uint8_t)i, choice.arg[1] = (uint8_t)k;
            }
        }
    return choice;
}

static struct game_action choose_loss(const struct eye *e)
{
    if (e->me->up)
        return act(COUP_LOSE_CARD, e->me->up & 1);
    return act(COUP_LOSE_CARD, worth[e->me->card[0]] <= worth[e->me->card[1]] ? 0 : 1);
}

struct game_action habits_choose(const struct coup_state *s, int seat, struct habits h, struct quick *dice)
{
    static struct game_action (*const answer[COUP_PHASES])(const struct eye *) = {
        [COUP_PHASE_ACTION] = choose_turn,         [COUP_PHASE_CHALLENGE_ACTION] = choose_challenge,
        [COUP_PHASE_BLOCK] = choose_block,         [COUP_PHASE_CHALLENGE_BLOCK] = choose_block_challenge,
        [COUP_PHASE_LOSE_INFLUENCE] = choose_loss, [COUP_PHASE_EXCHANGE_RETURN] = choose_return,
    };
    struct eye e = {s, seat, &s->seat[seat], h, dice};
    return answer[s->phase](&e);
}
