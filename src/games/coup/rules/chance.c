// Other worlds that look the same to a viewer.
#include "games/coup/rules/internal.h"

#include "game/cards.h"

// Cards the viewer cannot see.
struct unseen {
    uint8_t role[COUP_CARDS];
    uint8_t count;
};

// Where cards lie that the viewer cannot see: slots and a drawn exchange, not the deck.
static int find_places(struct coup_state *s, int viewer, uint8_t *place[2 * COUP_MAX_SEATS + 2])
{
    int n = 0;
    for (int i = 0; i < s->seats; i++)
        for (int slot = 0; slot < 2; slot++)
            if (i != viewer && !(s->seat[i].up >> slot & 1))
                place[n++] = &s->seat[i].card[slot];
    if (s->exchange[0] && viewer != s->log.actor) {
        place[n++] = &s->exchange[0];
        place[n++] = &s->exchange[1];
    }
    return n;
}

// A claim that was caught this turn is a known fact: that seat holds no such role face down. The seat, or -1.
static int find_caught(const struct coup_log *log, uint8_t *role)
{
    *role = log->block_role;
    if (log->block_challenge_result == COUP_SUCCESS)
        return log->blocker;
    *role = coup_acts[log->action].role;
    return log->challenge_result == COUP_SUCCESS ? log->actor : -1;
}

// Cards other than `role` for the face-down slots of a caught seat, each as likely as any.
static void deal_caught(struct coup_seat *seat, uint8_t role, struct unseen *u, struct rng_draw *draw)
{
    for (int slot = 0; slot < 2; slot++) {
        if (seat->up >> slot & 1)
            continue;
        uint32_t pick;
        do
            pick = rng_draw_below(draw, u->count);
        while (u->role[pick] == role);
        seat->card[slot] = u->role[pick];
        u->role[pick] = u->role[--u->count];
    }
}

// What others have answered unseen may have been any of their choices.
static void redraw_answers(struct coup_state *s, int viewer, struct rng_draw *draw)
{
    for (int i = 0; i < s->seats; i++) {
        if (i == viewer || s->answer[i] == COUP_ANSWER_NONE)
            continue;
        struct coup_state then = *s;
        then.asked = (uint8_t)(1u << i);
        struct game_choice list[GAME_MAX_CHOICES];
        uint32_t count = (uint32_t)coup_choices(&then, i, list);
        struct game_action a = list[rng_draw_below(draw, count)].first;
        s->answer[i] = coup_answer_of(a);
    }
}

static void renew_key(struct coup_state *s, struct rng_draw *draw)
{
    for (int i = 0; i < 8; i++)
        s->chance.key[i] = rng_draw_u32(draw);
    memset(s->stacked, 0, sizeof s->stacked);
    s->stack_count = 0;
}

// Cards for the places, which are empty; the others are the deck.
static void deal_unseen(struct coup_state *s, int viewer, uint8_t *const *place, int places, struct unseen *u,
                        struct rng_draw *draw)
{
    uint8_t role;
    int caught = find_caught(&s->log, &role);
    if (caught >= 0 && caught != viewer)
        deal_caught(&s->seat[caught], role, u, draw);
    cards_draw(u->role, u->count, 0, u->count, draw);
    const uint8_t *front = u->role;
    for (int i = 0; i < places; i++)
        if (!*place[i])
            *place[i] = *front++;
    for (int i = 0; i < 3; i++) // the deck begins here: what was drawn early is drawn anew
        if (s->top[i])
            s->top[i] = front[i];
    for (; front < u->role + u->count; front++)
        s->deck[*front - 1]++;
}

void coup_resample(void *state, int viewer, struct rng *dice)
{
    struct coup_state *s = state;
    struct rng_draw draw;
    rng_begin(&draw, dice);
    renew_key(s, &draw);
    redraw_answers(s, viewer, &draw);

    uint8_t *place[2 * COUP_MAX_SEATS + 2];
    int places = find_places(s, viewer, place);
    struct unseen u = {0};
    for (int i = 0; i < places; i++) {
        u.role[u.count++] = *place[i];
        *place[i] = COUP_NO_ROLE;
    }
    for (int i = 0; i < COUP_ROLES; i++)
        for (; s->deck[i]; s->deck[i]--)
            u.role[u.count++] = (uint8_t)(i + 1);
    deal_unseen(s, viewer, place, places, &u, &draw);
}

static struct coup_state recall(const struct coup_view *v)
{
    struct coup_state s = {.seats = v->seats,
                           .in_play = v->in_play,
                           .number = v->number,
                           .turns = v->turns,
                           .log = v->log,
                           .phase = v->phase,
                           .asked = v->asked,
                           .passed = v->passed,
                           .dropped = v->dropped,
                           .won = v->won,
                           .windows = v->windows};
    memcpy(s.seat, v->seat, sizeof s.seat);
    memcpy(s.exchange, v->exchange, sizeof s.exchange);
    s.then = coup_then(&s);
    s.ask_single = s.phase == COUP_PHASE_LOSE_INFLUENCE && s.seat[s.log.loser].up;
    return s;
}

// Who has answered unseen: all that were asked and are no longer.
static void recall_answers(struct coup_state *s, const struct coup_view *v)
{
    if (v->windows != COUP_WINDOWS_DETERMINISTIC || !coup_is_window(v->phase))
        return;
    unsigned answered = coup_entitled(s) & ~(unsigned)v->asked;
    for (int i = 0; i < s->seats; i++)
        s->answer[i] = answered >> i & 1 ? COUP_ANSWER_PASS : COUP_ANSWER_NONE;
    s->answer[v->viewer] = v->answer;
}

// The cards of all that the viewer sees.
static void list_unseen(const struct coup_state *s, struct unseen *u)
{
    uint8_t left[COUP_ROLES + 1];
    memset(left, COUP_COPIES, sizeof left);
    for (int i = 0; i < s->seats; i++)
        for (int slot = 0; slot < 2; slot++)
            left[s->seat[i].card[slot]]--;
    left[s->exchange[0]]--;
    left[s->exchange[1]]--;
    for (uint8_t role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        for (; left[role]; left[role]--)
            u->role[u->count++] = role;
}

void coup_imagine(void *state, const void *view, struct rng *dice)
{
    const struct coup_view *v = view;
    struct coup_state *s = state;
    struct rng_draw draw;
    rng_begin(&draw, dice);
    *s = recall(v);
    renew_key(s, &draw);
    recall_answers(s, v);
    redraw_answers(s, v->viewer, &draw);

    uint8_t *place[2 * COUP_MAX_SEATS + 2];
    struct unseen u = {0};
    list_unseen(s, &u);
    if (s->phase == COUP_PHASE_EXCHANGE_RETURN && !s->exchange[0])
        s->exchange[0] = s->exchange[1] = COUP_DUKE; // placeholders: the exchanging seat holds two drawn cards
    int places = find_places(s, v->viewer, place);
    for (int i = 0; i < places; i++)
        *place[i] = COUP_NO_ROLE;
    deal_unseen(s, v->viewer, place, places, &u, &draw);
}
