#include "games/coup/bots/claims.h"

// N3.1, N3.2; the first was chosen among three values against fixed players, the others were set once.
static const float lie = 0.15f;    // likelihood of a claim without the role, beside one with it
static const float silence = 0.6f; // of not using a role that is held
static const float denied = 0.02f; // of holding a role that one was caught without
enum { COUNTED = 3 };              // claims of one role; more say nothing new

// ---- The memory -----------------------------------------------------------------------------------------------------

static void claim(struct claims *c, int seat, int role)
{
    float *said = &c->said[seat][role];
    *said = (*said < 0 ? 0 : *said) + 1;
}

// A card was shown and replaced, or two were exchanged: what was said before holds for less.
static void fade(struct claims *c, int seat, float keep)
{
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++) {
        c->said[seat][role] *= keep;
        c->caught[seat][role] = 0;
    }
}

static void hear_result(struct claims *c, int seat, const struct coup_fact *f)
{
    int role = c->doubted <= COUP_CONTESSA ? c->doubted : COUP_NO_ROLE; // a snapshot may hold any bytes
    if (f->result == COUP_SUCCESS) {
        c->said[seat][role] = 0;
        c->caught[seat][role] = 1;
    } else if (f->result == COUP_FAIL) {
        fade(c, seat, 0.6f);
        c->said[seat][role] = 0;
    }
}

// A block that stands stops its action; the same stop again counts up.
static void hear_stop(struct claims *c, int by, const struct coup_fact *f)
{
    int actor = c->actor < COUP_MAX_SEATS ? c->actor : 0;
    bool same = c->stopped[actor].action == f->action && c->stopped[actor].by == by &&
                c->stopped[actor].role == f->role && c->stopped[actor].times < 200;
    c->stopped[actor].times = same ? (uint8_t)(c->stopped[actor].times + 1) : 1;
    c->stopped[actor].action = f->action;
    c->stopped[actor].by = (uint8_t)by;
    c->stopped[actor].role = f->role;
}

void claims_hear(struct claims *c, const struct game_event *e)
{
    struct coup_fact f = coup_event_fact(e);
    if (e->seat >= COUP_MAX_SEATS || f.role > COUP_CONTESSA || f.card > COUP_CONTESSA)
        return;
    switch (e->kind) {
    case COUP_EVENT_ACTION:
        c->actor = e->seat;
        if (f.role)
            claim(c, e->seat, f.role);
        else if (f.action == COUP_INCOME || f.action == COUP_FOREIGN_AID)
            c->said[e->seat][COUP_DUKE] -= 0.5f;
        break;
    case COUP_EVENT_BLOCK:
        claim(c, e->seat, f.role);
        hear_stop(c, e->seat, &f);
        break;
    case COUP_EVENT_CHALLENGE:
    case COUP_EVENT_CHALLENGE_BLOCK:
        c->doubted = f.role;
        break;
    case COUP_EVENT_CHALLENGE_RESULT:
    case COUP_EVENT_CHALLENGE_BLOCK_RESULT:
        hear_result(c, e->seat, &f);
        break;
    case COUP_EVENT_INFLUENCE_LOST:
        c->said[e->seat][f.card] = 0;
        break;
    case COUP_EVENT_EXCHANGE_COMPLETE:
        fade(c, e->seat, 0.3f);
        break;
    case COUP_EVENT_ACTION_RESOLVED: // it was carried out
        c->stopped[e->seat].times = 0;
        break;
    default:
        break;
    }
}

void claims_observe(void *mind, const struct bot_news *news)
{
    for (uint32_t i = 0; i < news->count; i++)
        claims_hear(mind, &news->events[i]);
}

bool claims_is_futile(const struct claims *c, int seat, struct game_action a)
{
    return c->stopped[seat].times >= 2 && c->stopped[seat].action == a.kind &&
           (!coup_acts[a.kind].targeted || c->stopped[seat].by == a.arg[0]);
}

// ---- Beliefs --------------------------------------------------------------------------------------------------------

static float power(float base, float exponent) // of a small whole number or a half
{
    int whole = (int)exponent;
    float p = 1, rest = exponent - (float)whole;
    for (int i = 0; i < whole; i++)
        p *= base;
    return rest > 0 ? p * (1 - rest * (1 - base)) : p;
}

// How much likelier a seat's claims are if it holds the role, by role. What hands are weighed by is the product.
static void weigh_roles(const struct claims *c, int seat, float lies, float by[COUP_ROLES + 1])
{
    by[COUP_NO_ROLE] = 1;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++) {
        float said = c->said[seat][role];
        said = said > COUNTED ? COUNTED : said < -COUNTED ? -COUNTED : said;
        by[role] = said > 0 ? 1 / power(lies, said) : power(silence, -said);
        if (c->caught[seat][role])
            by[role] *= denied;
    }
}

struct unseen unseen_of(const struct coup_view *v)
{
    struct unseen u = {.all = 0};
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        u.left[role] = COUP_COPIES;
    for (int i = 0; i < v->seats; i++)
        for (int slot = 0; slot < 2; slot++)
            if (v->seat[i].card[slot])
                u.left[v->seat[i].card[slot]]--;
    for (int i = 0; i < 2; i++)
        if (v->exchange[i])
            u.left[v->exchange[i]]--;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        u.all = (uint8_t)(u.all + u.left[role]);
    return u;
}

// All hands of a seat, with their weights.
struct hands {
    uint8_t one[COUP_CARDS], other[COUP_CARDS];
    float weight[COUP_CARDS];
    float sum;
    int count;
};

static void add_hand(struct hands *h, int one, int other, float weight)
{
    if (weight <= 0)
        return;
    h->one[h->count] = (uint8_t)one;
    h->other[h->count] = (uint8_t)other;
    h->weight[h->count++] = weight;
    h->sum += weight;
}

static void list_hands(const float by[COUP_ROLES + 1], bool is_pair, const struct unseen *u, struct hands *h)
{
    h->count = 0, h->sum = 0;
    for (int a = COUP_DUKE; a <= COUP_CONTESSA; a++) {
        if (!is_pair) {
            add_hand(h, a, COUP_NO_ROLE, (float)u->left[a] * by[a]);
            continue;
        }
        for (int b = a; b <= COUP_CONTESSA; b++) {
            int ways = a == b ? u->left[a] * (u->left[a] - 1) / 2 : u->left[a] * u->left[b];
            add_hand(h, a, b, (float)ways * by[a] * (a == b ? 1 : by[b]));
        }
    }
}

void claims_deal(const struct claims *c, int seat, unsigned up, struct unseen *left, uint8_t card[2], float random)
{
    struct hands h;
    float by[COUP_ROLES + 1];
    if (up == 3)
        return;
    weigh_roles(c, seat, lie, by);
    list_hands(by, up == 0, left, &h);
    int pick = 0;
    for (float rest = random * h.sum; pick < h.count - 1 && rest >= h.weight[pick]; pick++)
        rest -= h.weight[pick];
    uint8_t drawn[2] = {h.one[pick], h.other[pick]};
    for (int slot = 0, next = 0; slot < 2; slot++)
        if (!(up >> slot & 1)) {
            card[slot] = drawn[next++];
            left->left[card[slot]]--;
            left->all--;
        }
}

float claims_odds(const struct claims *c, int seat, bool is_pair, const struct unseen *u, int role)
{
    struct hands h;
    float by[COUP_ROLES + 1], held = 0;
    weigh_roles(c, seat, lie, by);
    list_hands(by, is_pair, u, &h);
    for (int i = 0; i < h.count; i++)
        held += h.one[i] == role || h.other[i] == role ? h.weight[i] : 0;
    return h.sum > 0 ? held / h.sum : 0;
}

float claims_truth(const struct claims *c, const struct coup_view *v, int seat, int role)
{
    struct unseen u = unseen_of(v);
    return claims_odds(c, seat, v->seat[seat].up == 0, &u, role);
}
