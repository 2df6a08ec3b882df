// Any game: draws worlds (deals that look the same to the seat), plays every answer in each of them with the same dice,
// and continues to the end of the part.
#include "analysis/internal.h"

#include "bots/self_play.h"
#include "house/ask.h"
#include "house/scratch.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 2000, MIND = BOT_MAX_MIND / 8 }; // LONGEST: steps of a playout, which then counts as it stands

struct playout {
    const struct game_kit *kit;
    const struct analysis_facts *facts;
    const struct bot *bot;
    int seats;
    void *belief;                        // belief_size bytes of the game, aligned to 64; NULL: it has none
    uint64_t mind[GAME_MAX_SEATS][MIND]; // as the playout goes on
    struct game_events events;
};

// The reference where it is quick, else the strongest of the house that is.
const struct bot *playout_bot(const struct game_kit *k, const struct bot *reference)
{
    const struct analysis_facts *f = facts_of(k);
    if (f->playout)
        return f->playout;
    if (!reference->thinks && !reference->weigh)
        return reference;
    for (const struct bot *const *b = kit_bots(k); *b; b++)
        if (!(*b)->thinks && !(*b)->weigh)
            return *b;
    return &bot_random;
}

struct playout *playout_create(const struct game_kit *k, const struct bot *reference, int seats)
{
    struct playout *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->kit = k;
    p->facts = facts_of(k);
    p->bot = playout_bot(k, reference);
    p->seats = seats;
    if (p->facts->belief_size && !(p->belief = aligned_alloc(64, (p->facts->belief_size + 63u) / 64 * 64)))
        abort();
    return p;
}

void playout_destroy(struct playout *p)
{
    free(p->belief);
    free(p);
}

const void *playout_belief(const struct playout *p)
{
    return p->belief;
}

// ---- Minds ----------------------------------------------------------------------------------------------------------

// A seat without a history knows only its view.
static void begin_minds(struct playout *p, const void *state, const void *known)
{
    const struct game *g = p->kit->game;
    union game_rules rules;
    if (!p->bot->mind_size)
        return;
    memset(&rules, 0, sizeof rules);
    g->defaults(&rules);
    for (int seat = 0; seat < p->seats; seat++) {
        if (known) {
            memcpy(p->mind[seat], known, p->bot->mind_size);
            continue;
        }
        mind_begin(p->bot, p->mind[seat], g, &rules, seat, p->seats);
        mind_observe(p->bot, p->mind[seat], g, state, seat, p->seats, NULL, 0, 0);
    }
}

static void update_minds(struct playout *p, const void *state)
{
    for (int seat = 0; seat < p->seats && p->bot->mind_size; seat++)
        if (minds_sees(&p->events, seat))
            mind_observe(p->bot, p->mind[seat], p->kit->game, state, seat, p->seats, p->events.at, p->events.count,
                         p->events.ticks);
}

// ---- Playing on -----------------------------------------------------------------------------------------------------

static struct game_action ask_on(struct playout *p, const void *state, int seat, struct rng *dice, bool believes)
{
    const struct game *g = p->kit->game;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct bot_ask ask = {.game = g,
                          .view = &view,
                          .seat = seat,
                          .seats = p->seats,
                          .choices = choices,
                          .count = g->choices(state, seat, choices),
                          .fallback = g->fallback(state, seat),
                          .aggro = 0.5f,
                          .dice = dice,
                          .mind = p->bot->mind_size ? p->mind[seat] : NULL};
    g->view(state, seat, &view);
    if (!p->facts->play)
        return house_choose(p->bot, &ask);
    ask.bot = p->bot;
    ask.scratch = scratch_for(p->bot);
    return p->facts->play(believes ? p->belief : NULL, &ask);
}

static void apply_on(struct playout *p, union game_state *s, int seat, struct game_action a)
{
    const struct game *g = p->kit->game;
    struct game_events *out = p->bot->mind_size ? &p->events : NULL;
    p->events.count = p->events.ticks = 0;
    if (g->apply(s, seat, a, out) != OK)
        g->apply(s, seat, g->fallback(s, seat), out);
    update_minds(p, s);
}

static void pass_time(struct playout *p, union game_state *s)
{
    for (int i = 0; i < SELF_PLAY_PACE && !is_over(p->kit->game, s); i++) {
        p->events.count = p->events.ticks = 0;
        p->kit->game->tick(s, p->bot->mind_size ? &p->events : NULL);
        update_minds(p, s);
    }
}

// With the minds as they are. Decisions are numbered, so that tries of the same world draw the same dice.
static void play_on(struct playout *p, union game_state *s, uint32_t part, struct rng dice, bool believes)
{
    const struct game *g = p->kit->game;
    uint32_t longest = p->facts->longest ? p->facts->longest : LONGEST;
    for (uint32_t i = 0; i < longest && !is_over(g, s) && part_of(p->kit, s) == part; i++) {
        struct game_turn turn = g->turn(s);
        int seat = __builtin_ctz(turn.seats);
        struct rng own = rng_section(&dice, i);
        apply_on(p, s, seat, ask_on(p, s, seat, &own, believes));
        if (turn.kind == TURN_FREE)
            pass_time(p, s);
    }
}

void playout_run(struct playout *p, union game_state *s, struct rng dice)
{
    begin_minds(p, s, NULL);
    play_on(p, s, part_of(p->kit, s), dice, false);
}

// ---- Worlds ---------------------------------------------------------------------------------------------------------

static void draw_world(const struct analysis_question *p, struct playout *on, const struct bot_ask *ask,
                       struct rng *dice, union game_state *s)
{
    const struct game *g = p->kit->game;
    memset(s, 0, sizeof *s);
    if (on->facts->imagine) {
        on->facts->imagine(on->belief, s, ask, dice);
    } else if (g->imagine) {
        g->imagine(s, &p->view, dice);
    } else {
        memcpy(s, &p->redrawn, g->state_size);
        g->resample(s, p->seat, dice);
    }
}

static void try_world(const struct analysis_question *p, struct playout *on, const struct bot_ask *ask, struct rng dice,
                      struct action_values *w)
{
    const struct game *g = p->kit->game;
    struct rng chance = rng_split(&dice, 1), luck = rng_split(&dice, 2);
    union game_state world, s;
    double value[ACTION_VALUES_MAX], gain[GAME_MAX_SEATS];
    draw_world(p, on, ask, &chance, &world);
    for (int i = 0; i < w->count; i++) {
        memcpy(&s, &world, g->state_size);
        begin_minds(on, &s, on->facts->open_minds ? p->open : NULL);
        on->events.count = on->events.ticks = 0;
        if (g->apply(&s, p->seat, w->action[i], &on->events) == OK) {
            update_minds(on, &s);
            if (g->turn(&s).kind == TURN_FREE)
                pass_time(on, &s);
            play_on(on, &s, part_of(p->kit, &world), luck, true);
        }
        analysis_gain(p->kit, &world, &s, p->seats, gain);
        value[i] = gain[p->seat];
    }
    action_values_add(w, value, 1);
}

void playout_answers(const struct analysis_question *p, struct playout *on, const struct bot *reference,
                     uint32_t worlds, struct rng dice, struct action_values *w)
{
    struct rng own = rng_split(&dice, 0);
    struct bot_ask ask = analysis_ask_of(p, reference, &own);
    if (on->facts->open_minds)
        ask.mind = p->open;
    if (on->facts->believe)
        on->facts->believe(on->belief, &ask);
    for (uint32_t i = 0; i < worlds; i++)
        try_world(p, on, &ask, rng_split(&dice, 1 + i), w);
}
