// Nothing that a viewer is given depends on what the viewer cannot know. Whatever is hidden is redrawn, and the two
// worlds are compared: as they are, and after the same move wherever they still look alike.
#include "property_internal.h"

static bool same_choices(struct property *p, int viewer)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = p->g->choices(&p->state, viewer, p->list);
    CLAIM(p->g->choices(&p->other, viewer, list) == count, "choices do not depend on what is hidden");
    CLAIM(!memcmp(list, p->list, (size_t)count * sizeof *list), "choices do not depend on what is hidden");
    if (!count)
        return true;
    CLAIM(game_same_action(p->g->fallback(&p->state, viewer), p->g->fallback(&p->other, viewer)),
          "the fallback does not depend on what is hidden");
    for (int i = 1; i < (int)p->g->flat_size; i++) {
        struct game_action mine = {0}, theirs = {0};
        bool has = p->g->flat(&p->state, viewer, i, &mine);
        CLAIM(p->g->flat(&p->other, viewer, i, &theirs) == has, "numbered actions do not depend on what is hidden");
        CLAIM(!has || game_same_action(mine, theirs), "numbered actions do not depend on what is hidden");
    }
    return true;
}

static bool look_alike(struct property *p, const void *here, const void *there, int viewer)
{
    p->g->view(here, viewer, &p->view);
    p->g->view(there, viewer, &p->echo_view);
    return memcmp(&p->view, &p->echo_view, p->g->view_size) == 0;
}

static bool worlds_look_alike(struct property *p, int viewer)
{
    CLAIM(!p->g->check(&p->other), "a resampled state keeps the invariants");
    CLAIM(look_alike(p, &p->state, &p->other, viewer), "a view does not depend on what is hidden");
    struct game_turn t = p->g->turn(&p->other);
    CLAIM(t.kind == p->turn.kind && t.phase == p->turn.phase && t.seats == p->turn.seats && t.number == p->turn.number,
          "whose turn it is does not depend on what is hidden");
    if (viewer != GAME_SPECTATOR && !same_choices(p, viewer))
        return false;
    int32_t here[GAME_MAX_SEATS], there[GAME_MAX_SEATS];
    p->g->payoffs(&p->state, here);
    p->g->payoffs(&p->other, there);
    CLAIM(!memcmp(here, there, sizeof here), "payoffs do not depend on what is hidden");
    return true;
}

// The next event from `at` on that the viewer sees, or NULL.
static const struct game_event *next_seen(const struct game_events *e, uint32_t *at, int viewer)
{
    while (*at < e->count)
        if (e->at[(*at)++].to & SEAT(viewer))
            return &e->at[*at - 1];
    return NULL;
}

// Who else sees an event is no secret to game.h's fronts, but not told either: it does not count.
static bool same_event(const struct game_event *a, const struct game_event *b)
{
    struct game_event x = *a, y = *b;
    x.to = y.to = 0;
    return memcmp(&x, &y, sizeof x) == 0;
}

static bool same_seen(const struct game_events *a, const struct game_events *b, int viewer)
{
    uint32_t i = 0, k = 0;
    for (;;) {
        const struct game_event *mine = next_seen(a, &i, viewer), *theirs = next_seen(b, &k, viewer);
        if (!mine || !theirs)
            return mine == theirs;
        if (!same_event(mine, theirs))
            return false;
    }
}

// Whether one move told two results: events of one kind that have parts. Hands that need no decision follow each other
// (all are all-in by their blinds), and only the last stays in the view.
static bool told_two_results(const struct game_events *e)
{
    for (uint32_t i = 1; i < e->count; i++)
        for (uint32_t k = i + 1; e->at[i].part && k < e->count; k++)
            if (e->at[k].part && e->at[k].kind == e->at[i].kind && e->at[k].seat == e->at[i].seat)
                return true;
    return false;
}

// When both worlds still look the same after a move, the events told the same: so events tell nothing that the next
// view does not. In the other world the move may be illegal, when its mover is not the viewer.
static bool same_events(struct property *p, const struct move *next, int viewer)
{
    union game_state here = p->state, there = p->other;
    p->happened.count = p->echo.count = 0;
    if (property_make(p->g, &there, next, &p->echo) != OK)
        return true;
    CLAIM(property_make(p->g, &here, next, &p->happened) == OK, "what is legal is taken");
    if (!look_alike(p, &here, &there, viewer) || told_two_results(&p->happened))
        return true;
    CLAIM(same_seen(&p->happened, &p->echo, viewer), "events tell only what the next view shows");
    if (!property_rows_after(p, next, viewer))
        return false;
    if (viewer == GAME_SPECTATOR)
        return true;
    struct game_rewards mine, theirs;
    p->g->rewards(&here, &p->happened, &mine);
    p->g->rewards(&there, &p->echo, &theirs);
    for (int i = 0; p->g->rewarded[i]; i++)
        CLAIM(mine.at[viewer][i] == theirs.at[viewer][i], "rewards do not tell what is hidden");
    return true;
}

// N1.10: what is imagined from a view looks like it, can be played, and is the same for the same dice.
static bool imagined(struct property *p, int viewer)
{
    union game_view view;
    struct rng dice = p->dice;
    memset(&p->other, 0xA5, sizeof p->other);
    p->g->view(&p->state, viewer, &view);
    p->g->imagine(&p->other, &view, &p->dice);
    CLAIM(look_alike(p, &p->state, &p->other, viewer), "the view of an imagined state is the view it came from");
    CLAIM(!p->g->check(&p->other), "an imagined state keeps the invariants");
    CLAIM(p->g->turn(&p->other).seats == p->turn.seats, "an imagined state asks the same seats");
    if (p->turn.seats & SEAT(viewer) && !same_choices(p, viewer))
        return false;
    union game_state again;
    p->g->imagine(&again, &view, &dice);
    CLAIM(!memcmp(&again, &p->other, p->g->state_size), "the same dice imagine the same state");
    return true;
}

bool property_secrets(struct property *p, const struct move *next)
{
    const struct game *g = p->g;
    for (int s = 0; g->imagine && p->turn.kind != TURN_OVER && s < p->plan->seats; s++)
        if (!imagined(p, s))
            return false;
    for (int i = 0; i <= p->plan->seats; i++) {
        int viewer = viewer_at(p, i);
        p->other = p->state;
        g->resample(&p->other, viewer, &p->dice);
        if (!worlds_look_alike(p, viewer) || !property_rows_alike(p, viewer))
            return false;
        if (!next)
            continue;
        if (!same_events(p, next, viewer))
            return false;
        // The same with the old chance, where it fits: then a roll or deal that follows is the same in both worlds.
        memcpy(&p->other.byte[g->world_end], &p->state.byte[g->world_end], g->state_size - g->world_end);
        if (!g->check(&p->other) && look_alike(p, &p->state, &p->other, viewer) && !same_events(p, next, viewer))
            return false;
    }
    return true;
}
