// Statistics of a Coup player: how often it bluffs and challenges, and with what success.
#include "stats/counters.h"
#include "games/coup/kit.h"
#include "games/coup/rules/coup.h"

enum { BLUFFS, BLUFFS_CAUGHT, CHALLENGES, CHALLENGES_WON };

static const struct counter list[] = {
    [BLUFFS] = {"bluffs", "percent", COUNTER_SHARE, 1},               // claims, blocks too, of a role not held
    [BLUFFS_CAUGHT] = {"bluffs_caught", "percent", COUNTER_SHARE, 1}, // of those, challenged
    [CHALLENGES] = {"challenges", "percent", COUNTER_SHARE, 1},       // of the windows in which one was asked
    [CHALLENGES_WON] = {"challenges_won", "percent", COUNTER_SHARE, 1},
    {0},
};

// `s` is the state before the step: a challenge in the same step may have replaced the card already.
static void count_claim(const struct coup_state *s, int who, int role, struct counts seat[])
{
    bool bluff = !coup_has_role(&s->seat[who], role);
    count_case(&seat[who], BLUFFS, bluff);
    seat[who].at[BLUFFS_CAUGHT].of += bluff;
}

static void count_challenge(int claimant, struct coup_fact fact, struct counts seat[])
{
    bool lie = fact.result == COUP_SUCCESS;
    seat[claimant].at[BLUFFS_CAUGHT].n += lie;
    seat[fact.other].at[CHALLENGES].n++;
    count_case(&seat[fact.other], CHALLENGES_WON, lie);
}

// Whoever is asked in a new window could challenge.
static void count_window(const struct coup_state *before, const struct coup_state *after, struct counts seat[])
{
    bool open = after->phase == COUP_PHASE_CHALLENGE_ACTION || after->phase == COUP_PHASE_CHALLENGE_BLOCK;
    if (!open || after->number == before->number)
        return;
    for (int i = 0; i < after->seats; i++)
        seat[i].at[CHALLENGES].of += after->asked >> i & 1;
}

static void follow(void *scratch, const struct counters_step *step, struct counts seat[GAME_MAX_SEATS])
{
    (void)scratch;
    if (!step->before) // the start of the match: no claims yet
        return;
    for (uint32_t i = 0; i < step->happened->count; i++) {
        const struct game_event *e = &step->happened->at[i];
        struct coup_fact fact = coup_event_fact(e);
        if ((e->kind == COUP_EVENT_ACTION || e->kind == COUP_EVENT_BLOCK) && fact.role)
            count_claim(step->before, e->seat, fact.role, seat);
        else if (e->kind == COUP_EVENT_CHALLENGE_RESULT || e->kind == COUP_EVENT_CHALLENGE_BLOCK_RESULT)
            count_challenge(e->seat, fact, seat);
    }
    count_window(step->before, step->after, seat);
}

const struct game_counters coup_counters = {list, follow};

// A card that is face down counts as much as ten coins.
void coup_chances(const void *state, double out[GAME_MAX_SEATS])
{
    const struct coup_state *s = state;
    double part[COUP_MAX_SEATS];
    for (int i = 0; i < s->seats; i++)
        part[i] = s->in_play >> i & 1 ? 10 * (2 - __builtin_popcount(s->seat[i].up)) + s->seat[i].coins : 0;
    swing_shares(part, s->seats, out);
}
