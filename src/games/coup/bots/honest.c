// Players without lies.
#include "games/coup/bots/bots.h"
#include "games/coup/bots/claims.h"
#include "games/coup/bots/habits.h"

enum { BLUNDERS = 45 }; // of a hundred decisions of a novice

static const struct habits truthful = {.doubt = 1};

// The seat that claims the role that may be challenged now, and this role.
static int find_claim(const struct coup_view *v, int *role)
{
    bool is_block = v->phase == COUP_PHASE_CHALLENGE_BLOCK;
    *role = is_block ? v->log.block_role : coup_acts[v->log.action].role;
    return is_block ? v->log.blocker : v->log.actor;
}

// Habits play the own cards; they look at no others.
static struct game_action play_truly(const struct bot_ask *ask, struct quick *dice)
{
    struct coup_state s;
    coup_game.imagine(&s, ask->view, ask->dice);
    struct game_action a = habits_choose(&s, ask->seat, truthful, dice);
    return game_has_choice(ask->choices, ask->count, a) ? a : ask->fallback;
}

static struct quick begin_dice(const struct bot_ask *ask)
{
    struct rng_draw draw;
    rng_begin(&draw, ask->dice);
    return (struct quick){(uint64_t)rng_draw_u32(&draw) << 32 | rng_draw_u32(&draw)};
}

// A doubt costs a card when it is wrong: only against claims that are more likely a lie.
static bool doubts(const struct bot_ask *ask)
{
    const struct coup_view *v = ask->view;
    int role, seat = find_claim(v, &role);
    float truth = claims_truth(ask->mind, v, seat, role);
    float lean = bot_leans(ask, BOT_CALLER) ? 0.25f : 0; // N2.5
    return truth < (__builtin_popcount(v->in_play) == 2 ? 0.42f : 0.3f) + lean;
}

static struct game_action choose_honest(const struct bot_ask *ask)
{
    const struct coup_view *v = ask->view;
    struct quick dice = begin_dice(ask);
    struct game_action a = play_truly(ask, &dice);
    bool is_mine = v->phase != COUP_PHASE_CHALLENGE_BLOCK || v->log.actor == ask->seat;
    if (v->phase == COUP_PHASE_CHALLENGE_ACTION || v->phase == COUP_PHASE_CHALLENGE_BLOCK)
        return (struct game_action){.kind = is_mine && doubts(ask) ? COUP_CHALLENGE : COUP_PASS};
    if (v->phase == COUP_PHASE_ACTION && a.kind <= COUP_TURN_ACTIONS && claims_is_futile(ask->mind, ask->seat, a))
        return (struct game_action){.kind = COUP_INCOME};
    return a;
}

static struct game_action choose_novice(const struct bot_ask *ask)
{
    struct quick dice = begin_dice(ask);
    if (quick_u32(&dice) % 100 < BLUNDERS)
        return bot_pick_uniform(ask->choices, ask->count, ask->dice);
    return play_truly(ask, &dice);
}

const struct bot coup_honest_bot = {.name = "honest",
                                    .game = "coup",
                                    .choose = choose_honest,
                                    .knows = BOT_CALLER,
                                    .mind_size = sizeof(struct claims),
                                    .observe = claims_observe};
const struct bot coup_novice_bot = {.name = "novice", .game = "coup", .choose = choose_novice};
