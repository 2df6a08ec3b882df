// A local best response at a table of two (N3.7): a player that keeps the weight of every hand of the bot by asking it
// what it would have done with each, and tries its own choices against the bot's next answers. The minds of the house's
// bots come from public events alone, so that one mind serves every hand.
#include "games/coup/best_response.h"

#include "bots/minds.h"
#include "games/coup/bots/claims.h"
#include "games/coup/bots/habits.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    SAMPLES = 5,  // questions to the bot for the answer of one hand
    TRADES = 60,  // for what it keeps in an exchange
    WORLDS = 160, // hands of the bot that a choice is tried against
    FEWER = 32,   // the same, of a bot that thinks
    LOOKS = 2,    // answers of the bot itself in a playout; habits go on from there
    LONGEST = 400 // steps of a playout
};

static const struct game *const g = &coup_game;
static const struct habits mine = {.bluff = 0.3f, .trust = 0.3f}, later = {.bluff = 0.5f, .trust = 0.35f};

// What is public, or the bot's: its mind, and what was claimed.
struct known {
    struct claims claims;
    uint64_t mind[BOT_MAX_MIND / 8];
};

// A match of the answer against the bot. Scratch is for the bot, which is asked thousands of times.
struct table {
    const struct bot *bot;
    void *scratch;
    struct coup_state s;
    int seat; // of the answer; the bot has the other one
    struct known known;
    // Of the bot's hands, by its roles; the first is not above the second, and 0 where it has one card.
    float weight[COUP_ROLES + 1][COUP_ROLES + 1];
    struct rng_draw dice;
};

static float draw_unit(struct table *t)
{
    return (float)(rng_draw_u32(&t->dice) >> 8) * (1.0f / (1u << 24));
}

// ---- The bot --------------------------------------------------------------------------------------------------------

static struct game_action ask_bot(struct table *t, const struct coup_state *s, const struct known *k)
{
    struct coup_view v;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct rng dice = {.key = {rng_draw_u32(&t->dice), rng_draw_u32(&t->dice)}};
    int seat = !t->seat;
    g->view(s, seat, &v);
    struct bot_ask a = {.bot = t->bot,
                        .game = g,
                        .view = &v,
                        .seat = seat,
                        .seats = 2,
                        .choices = choices,
                        .count = g->choices(s, seat, choices),
                        .fallback = g->fallback(s, seat),
                        .aggro = 0.5f,
                        .dice = &dice,
                        .mind = k->mind,
                        .scratch = t->scratch};
    return a.count > 1 ? t->bot->choose(&a) : choices[0].first;
}

static void observe_events(const struct table *t, const struct coup_state *s, struct known *k,
                           const struct game_events *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        claims_hear(&k->claims, &e->at[i]);
    if (t->bot->mind_size)
        mind_observe(t->bot, k->mind, g, s, !t->seat, 2, e->at, e->count, 0);
}

// ---- Its hands ------------------------------------------------------------------------------------------------------

static float *weight_of(struct table *t, int one, int other)
{
    assert(one <= COUP_ROLES && other <= COUP_ROLES);
    return one < other ? &t->weight[one][other] : &t->weight[other][one];
}

// The bot's face-down cards are these; a card that stays is where it was.
static void set_hand(struct coup_seat *bot, int one, int other)
{
    int card[2] = {other, one};
    for (int slot = 0, n = 0; slot < 2; slot++)
        if (!(bot->up >> slot & 1))
            bot->card[slot] = (uint8_t)card[n++];
}

static struct unseen unseen_by_answer(const struct table *t)
{
    struct coup_view v;
    g->view(&t->s, t->seat, &v);
    return unseen_of(&v);
}

static int ways_of(const struct unseen *u, int one, int other)
{
    if (!one)
        return u->left[other];
    return one == other ? u->left[one] * (u->left[one] - 1) / 2 : u->left[one] * u->left[other];
}

#define EACH_HAND(one, other)                                                                                          \
    for (int one = 0; one <= COUP_ROLES; one++)                                                                        \
        for (int other = one ? one : 1; other <= COUP_ROLES; other++)

static void begin_weights(struct table *t)
{
    struct unseen u = unseen_by_answer(t);
    memset(t->weight, 0, sizeof t->weight);
    EACH_HAND(one, other)
    if (one)
        t->weight[one][other] = (float)ways_of(&u, one, other);
}

// If rounding and few samples leave no hand, all hands that the cards allow are equally likely.
static float sum_weights(struct table *t)
{
    float sum = 0;
    EACH_HAND(one, other)
    sum += t->weight[one][other];
    if (sum > 1e-20f)
        return sum;
    struct unseen u = unseen_by_answer(t);
    bool is_pair = !t->s.seat[!t->seat].up;
    sum = 0;
    EACH_HAND(one, other)
    sum += t->weight[one][other] = is_pair == (one > 0) ? (float)ways_of(&u, one, other) : 0;
    return sum;
}

static void draw_hand(struct table *t, int hand[2])
{
    float rest = draw_unit(t) * sum_weights(t);
    EACH_HAND(one, other)
    if (t->weight[one][other] > 0) {
        hand[0] = one, hand[1] = other;
        if ((rest -= t->weight[one][other]) < 0)
            return;
    }
}

static int draw_card(struct table *t, struct unseen *u)
{
    int role = COUP_DUKE;
    for (int rest = (int)rng_draw_below(&t->dice, u->all); rest >= u->left[role]; role++)
        rest -= u->left[role];
    u->left[role]--, u->all--;
    return role;
}

static struct unseen without(struct unseen u, const int hand[2])
{
    for (int i = 0; i < 2; i++)
        if (hand[i])
            u.left[hand[i]]--, u.all--;
    return u;
}

// ---- What its answers say -------------------------------------------------------------------------------------------

// Equal as far as the other sees it: of a lost card the role.
static bool looks_same(const struct coup_seat *hand, struct game_action a, const struct coup_seat *real,
                       struct game_action b)
{
    if (a.kind == COUP_LOSE_CARD && b.kind == COUP_LOSE_CARD)
        return hand->card[a.arg[0] & 1] == real->card[b.arg[0] & 1];
    return game_same_action(a, b);
}

static void weigh_answer(struct table *t, struct game_action given)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    int bot = !t->seat;
    if (g->choices(&t->s, bot, choices) < 2)
        return;
    EACH_HAND(one, other)
    {
        struct coup_state s = t->s;
        int same = 0;
        if (t->weight[one][other] <= 0)
            continue;
        set_hand(&s.seat[bot], one, other);
        for (int i = 0; i < SAMPLES; i++)
            same += looks_same(&s.seat[bot], ask_bot(t, &s, &t->known), &t->s.seat[bot], given);
        t->weight[one][other] *= ((float)same + 0.2f) / (SAMPLES + 1);
    }
}

// An exchange: the bot draws two cards and keeps those that it prefers.
static void weigh_exchange(struct table *t)
{
    float after[COUP_ROLES + 1][COUP_ROLES + 1] = {{0}};
    int bot = !t->seat;
    for (int i = 0; i < TRADES; i++) {
        struct coup_state s = t->s;
        struct unseen u = unseen_by_answer(t);
        uint8_t all[4] = {0};
        int hand[2] = {0}, kept[2] = {0}, n = 0;
        draw_hand(t, hand);
        u = without(u, hand);
        set_hand(&s.seat[bot], hand[0], hand[1]);
        s.exchange[0] = (uint8_t)draw_card(t, &u), s.exchange[1] = (uint8_t)draw_card(t, &u);
        struct game_action a = ask_bot(t, &s, &t->known);
        int count = coup_combined(&s.seat[bot], s.exchange, all);
        for (int c = 0; c < count; c++)
            if (c != a.arg[0] && c != a.arg[1] && n < 2)
                kept[n++] = all[c];
        after[kept[0] < kept[1] ? kept[0] : kept[1]][kept[0] < kept[1] ? kept[1] : kept[0]] += 1;
    }
    memcpy(t->weight, after, sizeof after);
}

// It has lost this card.
static void take_card(struct table *t, int role)
{
    float left[COUP_ROLES + 1] = {0};
    for (int r = COUP_DUKE; r <= COUP_CONTESSA; r++)
        left[r] = *weight_of(t, role, r);
    memset(t->weight, 0, sizeof t->weight);
    memcpy(t->weight[0], left, sizeof left);
}

// It has shown this card and drawn another.
static void replace_card(struct table *t, int role)
{
    float after[COUP_ROLES + 1][COUP_ROLES + 1] = {{0}};
    struct unseen u = unseen_by_answer(t);
    for (int rest = 0; rest <= COUP_CONTESSA; rest++)
        for (int drawn = COUP_DUKE; drawn <= COUP_CONTESSA; drawn++) {
            int low = rest < drawn ? rest : drawn, high = rest < drawn ? drawn : rest;
            after[low][high] += *weight_of(t, rest, role) * (float)(u.left[drawn] - (rest == drawn));
        }
    memcpy(t->weight, after, sizeof after);
}

// The answer has seen a card that lay in the deck: the bot does not have that one. `u` is what was unseen before.
static void see_card(struct table *t, struct unseen *u, int role)
{
    EACH_HAND(one, other)
    {
        int left = u->left[role] - (one == role) - (other == role);
        t->weight[one][other] *= (float)(left > 0 ? left : 0);
    }
    u->left[role]--;
}

// ---- A step ---------------------------------------------------------------------------------------------------------

static void see_own_cards(struct table *t, const struct coup_state *was, struct unseen u)
{
    const struct coup_seat *before = &was->seat[t->seat], *now = &t->s.seat[t->seat];
    bool draws = t->s.phase == COUP_PHASE_EXCHANGE_RETURN && was->phase != COUP_PHASE_EXCHANGE_RETURN;
    if (draws && t->s.log.actor == t->seat)
        for (int i = 0; i < 2; i++)
            see_card(t, &u, t->s.exchange[i]);
    for (int slot = 0; slot < 2 && was->phase != COUP_PHASE_EXCHANGE_RETURN; slot++)
        if (before->card[slot] != now->card[slot]) {
            u.left[before->card[slot]]++; // it went back first
            see_card(t, &u, now->card[slot]);
        }
}

static void learn_from_event(struct table *t, const struct game_event *e)
{
    struct coup_fact f = coup_event_fact(e);
    bool is_result = e->kind == COUP_EVENT_CHALLENGE_RESULT || e->kind == COUP_EVENT_CHALLENGE_BLOCK_RESULT;
    if (e->seat != !t->seat)
        return;
    if (e->kind == COUP_EVENT_INFLUENCE_LOST)
        take_card(t, f.card);
    else if (is_result && f.result == COUP_FAIL)
        replace_card(t, f.card);
}

static void step_match(struct table *t, int seat, struct game_action a)
{
    struct coup_state was = t->s;
    struct unseen u = unseen_by_answer(t);
    static struct game_events events;
    if (seat != t->seat && t->s.phase == COUP_PHASE_EXCHANGE_RETURN)
        weigh_exchange(t);
    else if (seat != t->seat)
        weigh_answer(t, a);
    events.count = 0;
    g->apply(&t->s, seat, a, &events);
    for (uint32_t i = 0; i < events.count; i++)
        learn_from_event(t, &events.at[i]);
    see_own_cards(t, &was, u);
    observe_events(t, &t->s, &t->known, &events);
}

// ---- The own choice -------------------------------------------------------------------------------------------------

static float result_of(const struct coup_state *s, int seat)
{
    if (s->phase != COUP_PHASE_DONE || !s->won)
        return 0.4f;
    return s->won >> seat & 1 ? 1 / (float)__builtin_popcount(s->won) : 0;
}

static float play_out(struct table *t, struct coup_state s, struct game_action first, struct quick dice)
{
    static struct game_events events;
    struct known k = t->known;
    struct habits own = mine, other = later;
    struct game_action a = first;
    int seat = t->seat, looks = LOOKS;
    own.recall = other.recall = &k.claims;
    for (int i = 0; i < LONGEST; i++) {
        events.count = 0;
        if (g->apply(&s, seat, a, &events) != OK)
            g->apply(&s, seat, g->fallback(&s, seat), &events);
        if (!s.asked)
            break;
        observe_events(t, &s, &k, &events);
        seat = __builtin_ctz(s.asked);
        a = seat != t->seat && looks-- > 0 ? ask_bot(t, &s, &k)
                                           : habits_choose(&s, seat, seat == t->seat ? own : other, &dice);
    }
    return result_of(&s, t->seat);
}

// A state that looks like this one to the answer, with a hand of the bot by its weight.
static struct coup_state imagine(struct table *t)
{
    struct coup_state s = t->s;
    int hand[2] = {0};
    draw_hand(t, hand);
    struct unseen u = without(unseen_by_answer(t), hand);
    set_hand(&s.seat[!t->seat], hand[0], hand[1]);
    memcpy(s.deck, u.left + 1, sizeof s.deck);
    memset(s.top, 0, sizeof s.top);
    for (int i = 0; i < 8; i++)
        s.chance.key[i] = rng_draw_u32(&t->dice);
    return s;
}

static struct game_action choose_action(struct table *t)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    float won[GAME_MAX_CHOICES] = {0};
    int count = g->choices(&t->s, t->seat, choices), best = 0, worlds = t->bot->thinks ? FEWER : WORLDS;
    for (int w = 0; w < worlds && count > 1; w++) {
        struct coup_state s = imagine(t);
        struct quick dice = {(uint64_t)rng_draw_u32(&t->dice) << 32 | rng_draw_u32(&t->dice)};
        for (int i = 0; i < count; i++)
            won[i] += play_out(t, s, choices[i].first, dice);
    }
    for (int i = 1; i < count; i++)
        best = won[i] > won[best] ? i : best;
    return choices[best].first;
}

// ---- Matches --------------------------------------------------------------------------------------------------------

static float play_match(struct table *t, uint64_t seed, uint32_t number)
{
    struct coup_rules rules;
    static struct game_events events;
    struct rng key = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32), number / 2}};
    struct rng own = rng_split(&key, 1);
    g->defaults(&rules);
    t->seat = (int)(number & 1);
    memset(&t->known, 0, sizeof t->known);
    events.count = 0;
    g->init(&t->s, &rules, 2, key, &events);
    rng_begin(&t->dice, &own);
    if (t->bot->mind_size)
        mind_begin(t->bot, t->known.mind, g, &rules, !t->seat, 2);
    begin_weights(t);
    observe_events(t, &t->s, &t->known, &events);
    while (t->s.asked) {
        int seat = __builtin_ctz(t->s.asked);
        step_match(t, seat, seat == t->seat ? choose_action(t) : ask_bot(t, &t->s, &t->known));
    }
    return result_of(&t->s, t->seat);
}

// Two matches have the same cards, one from either seat.
static int exploit(const struct bot *bot, const struct solve_sample *sample, struct solve_gap out[SOLVE_GAPS])
{
    struct table *t = calloc(1, sizeof *t);
    double sum = 0, squares = 0;
    uint32_t pairs = (sample->rounds + 1) / 2;
    if (!t)
        abort();
    t->bot = bot;
    t->scratch = bot->scratch_size ? aligned_alloc(64, (bot->scratch_size + 63) / 64 * 64) : NULL;
    for (uint32_t i = 0; i < pairs; i++) {
        double mean = ((double)play_match(t, sample->seed, 2 * i) + (double)play_match(t, sample->seed, 2 * i + 1)) / 2;
        sum += mean;
        squares += mean * mean;
        if (sample->progress)
            sample->progress(sample->owner, i + 1, pairs);
    }
    double mean = sum / pairs, spread = squares / pairs - mean * mean;
    out[0] = (struct solve_gap){.what = "two seats, local best response",
                                .value = mean,
                                .error = pairs > 1 && spread > 0 ? sqrt(spread / (pairs - 1)) : 0};
    free(t->scratch);
    free(t);
    return 1;
}

const struct solve_facts coup_best_response = {.unit = "chance to win", .exploit = exploit};
