// Search by playouts (N3.3): worlds are drawn by what the others claimed, every choice is tried in every world with the
// same luck, and each try is played to its end by plain habits.
#include "bots/action_values.h"
#include "games/coup/bots/bots.h"
#include "games/coup/bots/claims.h"
#include "games/coup/bots/habits.h"

enum {
    WORLDS = 320,      // of a usual decision
    SEARCHED = 300000, // steps of playouts from which on no further world is looked at: decisions have 50 ms (N2.7)
    GLANCES = 60,      // of coup_glance_bot
    GLANCED = 50000,   // steps of its playouts from which on no further world is looked at
    LONGEST = 400,     // steps of a playout; what takes longer is called a draw
    LATE = 60,         // turns after which thefts and exchanges are left, so that matches end
    MOST_CHOICES = 32, // a turn has at most 4 + 3 x 5
};

// Players of the playouts: the kinds of opponents, one kind for each world, and the own seat.
struct crowd {
    const struct habits *others;
    uint32_t kinds;
    struct habits own;
    bool remembers; // playouts update the claims too
};

static const float unfinished = 0.8f; // of a share, so that going round in circles is never attractive
static const float mixing = 0.02f;    // chances to win that differ by this are played about equally often

struct search {
    const struct bot_ask *ask;
    const struct crowd *crowd;
    const struct coup_view *v;
    const struct claims *claims;
    struct game_action choice[MOST_CHOICES];
    float won[MOST_CHOICES];
    float got[MOST_CHOICES]; // in the last world
    int count;
    uint64_t worlds;
    uint64_t steps; // of all playouts
    struct rng_draw dice;
    struct rng chance; // of the worlds, a section each
};

// N3.3: several kinds of opponents, so that the answer is sound against each. The last never lies, and doubts by what
// was claimed before.
static const struct habits kinds[] = {
    {.bluff = 0.3f, .sharp = true}, {.bluff = 1, .doubt = 1}, {.bluff = 2.2f, .doubt = 1.6f}, {.trust = 0.4f}};
static const struct crowd remembering = {kinds, 4, {.bluff = 0.3f, .trust = 0.3f}, true};
static const struct crowd forgetful = {kinds, 3, {.bluff = 0.3f, .doubt = 1}, false};

static float draw_unit(struct rng_draw *d)
{
    return (float)(rng_draw_u32(d) >> 8) * (1.0f / (1u << 24));
}

// ---- Worlds ---------------------------------------------------------------------------------------------------------

// Hands by the claims instead of equal chances; the rest is the deck.
static void deal(struct search *a, struct coup_state *s)
{
    struct unseen left = unseen_of(a->v);
    int first = (int)rng_draw_below(&a->dice, s->seats); // the seat drawn first has the widest choice
    for (int i = 0; i < s->seats; i++) {
        int seat = (first + i) % s->seats;
        if (seat != a->ask->seat)
            claims_deal(a->claims, seat, s->seat[seat].up, &left, s->seat[seat].card, draw_unit(&a->dice));
    }
    memcpy(s->deck, left.left + 1, sizeof s->deck);
    memset(s->top, 0, sizeof s->top);
}

// Answers that were given unseen: what these hands would have answered.
static void answer_unseen(const struct search *a, struct coup_state *s, struct habits h, struct quick *dice)
{
    for (int i = 0; i < s->seats; i++) {
        if (i == a->ask->seat || s->answer[i] == COUP_ANSWER_NONE)
            continue;
        struct game_action given = habits_choose(s, i, h, dice);
        s->answer[i] = (uint8_t)(given.kind == COUP_BLOCK       ? given.arg[0]
                                 : given.kind == COUP_CHALLENGE ? COUP_ANSWER_CHALLENGE
                                                                : COUP_ANSWER_PASS);
    }
}

// ---- Playouts -------------------------------------------------------------------------------------------------------

static int next_asked(const struct coup_state *s)
{
    int from = s->phase == COUP_PHASE_CHALLENGE_BLOCK ? s->log.blocker : s->log.actor;
    return game_next_seat(s->asked, from);
}

// The seat's share of the win.
static float share_of(const struct coup_state *s, int seat)
{
    if (s->phase != COUP_PHASE_DONE || s->turns >= COUP_TURN_CAP)
        return s->in_play >> seat & 1 ? unfinished / (float)__builtin_popcount(s->in_play) : 0;
    return s->won >> seat & 1 ? 1 / (float)__builtin_popcount(s->won) : 0;
}

struct playout {
    struct coup_state s;
    struct habits mine, others;
    struct claims recall;
    struct quick dice;
    struct game_events events;
};

static void begin_playout(struct playout *p, const struct search *a, struct habits others, struct quick dice)
{
    p->mine = a->crowd->own, p->others = others, p->dice = dice;
    p->mine.recall = p->others.recall = &p->recall;
    p->events.count = 0;
}

static void step_playout(struct playout *p, int seat, struct game_action c, bool remembers)
{
    struct game_events *out = remembers ? &p->events : NULL;
    if (coup_game.apply(&p->s, seat, c, out) != OK)
        coup_game.apply(&p->s, seat, coup_game.fallback(&p->s, seat), out);
    for (uint32_t i = 0; i < p->events.count; i++)
        claims_hear(&p->recall, &p->events.at[i]);
    p->events.count = 0;
}

static float play_out(struct search *a, struct playout *p, struct game_action first)
{
    int seat = a->ask->seat;
    step_playout(p, seat, first, a->crowd->remembers);
    for (int i = 0; i < LONGEST && p->s.asked && p->s.in_play >> seat & 1; i++, a->steps++) {
        int next = next_asked(&p->s);
        struct game_action c = habits_choose(&p->s, next, next == seat ? p->mine : p->others, &p->dice);
        step_playout(p, next, c, a->crowd->remembers);
    }
    return p->s.asked && !(p->s.in_play >> seat & 1) ? 0 : share_of(&p->s, seat);
}

static void try_world(struct search *a)
{
    struct coup_state world;
    struct playout p;
    struct rng chance = rng_section(&a->chance, (uint32_t)a->worlds);
    struct habits others = a->crowd->others[a->worlds % a->crowd->kinds];
    others.recall = a->claims;
    coup_game.imagine(&world, a->v, &chance);
    deal(a, &world);
    struct quick luck = {(uint64_t)rng_draw_u32(&a->dice) << 32 | rng_draw_u32(&a->dice)};
    answer_unseen(a, &world, others, &luck);
    begin_playout(&p, a, others, luck);
    for (int i = 0; i < a->count; i++) {
        p.s = world, p.recall = *a->claims, p.dice = luck;
        a->got[i] = play_out(a, &p, a->choice[i]);
        a->won[i] += a->got[i];
    }
    a->worlds++;
}

// ---- The decision ---------------------------------------------------------------------------------------------------

// N3.5: actions not worth trying, because the same claim blocked them twice or they only prolong a long match.
static bool is_idle(const struct search *a, struct game_action c)
{
    if (a->v->phase != COUP_PHASE_ACTION)
        return false;
    return claims_is_futile(a->claims, a->ask->seat, c) ||
           (a->v->turns >= LATE && (c.kind == COUP_STEAL || c.kind == COUP_EXCHANGE));
}

static void list_choices(struct search *a)
{
    for (int i = 0; i < a->ask->count && a->count < MOST_CHOICES; i++)
        if (!is_idle(a, a->ask->choices[i].first))
            a->choice[a->count++] = a->ask->choices[i].first;
    if (!a->count)
        a->choice[a->count++] = a->ask->fallback;
}

static bool is_lie(const struct search *a, struct game_action c)
{
    const struct coup_seat *me = &a->v->seat[a->ask->seat];
    int role = c.kind == COUP_BLOCK               ? c.arg[0]
               : a->v->phase == COUP_PHASE_ACTION ? coup_acts[c.kind].role
                                                  : COUP_NO_ROLE;
    return role != COUP_NO_ROLE && !coup_has_role(me, role);
}

// N2.5: what a style makes of a choice, in chances to win.
static float style_bonus(const struct search *a, struct game_action c)
{
    const struct bot_ask *ask = a->ask;
    float lies = bot_leans(ask, BOT_BLUFFER) ? 0.08f : bot_leans(ask, BOT_TIGHT) ? -0.08f : 0;
    float doubts = bot_leans(ask, BOT_CALLER) ? 0.06f : bot_leans(ask, BOT_LOOSE) ? -0.06f : 0;
    return c.kind == COUP_CHALLENGE ? doubts : is_lie(a, c) ? lies : 0;
}

// About e^-x; a PURE room has no libm.
static float decay(float x)
{
    return 1 / (1 + x * (1 + x * (0.5f + x * (1 / 6.0f + x / 24))));
}

static float mix_weights(const struct search *a, float weight[MOST_CHOICES])
{
    float best = 0, sum = 0;
    for (int i = 0; i < a->count; i++)
        best = a->won[i] > best ? a->won[i] : best;
    for (int i = 0; i < a->count; i++) {
        float behind = (best - a->won[i]) / (float)a->worlds;
        weight[i] = behind > 5 * mixing ? 0 : decay(behind / mixing);
        sum += weight[i];
    }
    return sum;
}

// N3.4: softmax, because a player who always does the same with the same hand is predictable.
static struct game_action draw_mixed(struct search *a)
{
    float weight[MOST_CHOICES] = {0}, rest = mix_weights(a, weight) * draw_unit(&a->dice);
    for (int i = 0; i < a->count; i++)
        if ((rest -= weight[i]) < 0)
            return a->choice[i];
    return a->choice[0];
}

// Opponents of all kinds have been tried as often.
static bool is_tired(const struct search *a, uint64_t steps)
{
    uint32_t effort = a->ask->effort ? a->ask->effort : 1;
    return a->steps / effort >= steps && a->worlds % a->crowd->kinds == 0;
}

static struct game_action search(const struct bot_ask *ask, const struct crowd *crowd, uint64_t worlds, uint64_t steps)
{
    struct search a = {
        .ask = ask, .crowd = crowd, .v = ask->view, .claims = ask->mind, .chance = rng_split(ask->dice, 1)};
    rng_begin(&a.dice, ask->dice);
    list_choices(&a);
    if (a.count == 1)
        return a.choice[0];
    worlds *= ask->effort ? ask->effort : 1;
    while (ask->out_of_time ? !a.worlds || !ask->out_of_time(ask->clock) : a.worlds < worlds && !is_tired(&a, steps))
        try_world(&a);
    for (int i = 0; ask->bot && ask->bot->styles && i < a.count; i++)
        a.won[i] += style_bonus(&a, a.choice[i]) * (float)a.worlds;
    return draw_mixed(&a);
}

static struct game_action choose_searching(const struct bot_ask *ask)
{
    return search(ask, &remembering, WORLDS, SEARCHED);
}

static struct game_action choose_glancing(const struct bot_ask *ask)
{
    return search(ask, &forgetful, GLANCES, GLANCED);
}

#ifndef AGON_BROWSER
// N20: the same for answers that the caller has listed, idle ones too.
static void weigh_answers(const struct bot_ask *ask, struct action_values *w)
{
    struct search a = {
        .ask = ask, .crowd = &remembering, .v = ask->view, .claims = ask->mind, .chance = rng_split(ask->dice, 1)};
    float weight[MOST_CHOICES] = {0};
    a.count = w->count < MOST_CHOICES ? w->count : MOST_CHOICES;
    w->count = a.count; // the played one comes first
    memcpy(a.choice, w->action, (size_t)a.count * sizeof *a.choice);
    rng_begin(&a.dice, ask->dice);
    for (uint64_t worlds = (uint64_t)WORLDS * (ask->effort ? ask->effort : 1); a.worlds < worlds;) {
        double value[MOST_CHOICES];
        try_world(&a);
        for (int i = 0; i < a.count; i++)
            value[i] = (double)a.got[i];
        action_values_add(w, value, 1);
    }
    float sum = mix_weights(&a, weight);
    for (int i = 0; i < a.count; i++)
        w->share[i] = sum > 0 ? weight[i] / sum : 0;
}
#else
#define weigh_answers NULL
#endif

const struct bot coup_search_bot = {.name = "search",
                                    .game = "coup",
                                    .choose = choose_searching,
                                    .weigh = weigh_answers,
                                    .thinks = true,
                                    .mind_size = sizeof(struct claims),
                                    .observe = claims_observe};
const struct bot coup_glance_bot = {.name = "glance",
                                    .game = "coup",
                                    .choose = choose_glancing,
                                    .weigh = weigh_answers,
                                    .knows = BOT_TIGHT | BOT_LOOSE | BOT_BLUFFER | BOT_CALLER,
                                    .mind_size = sizeof(struct claims),
                                    .observe = claims_observe};
