// The deck. F6.C1: before every shuffle it is listed in role order, so its cards are a multiset, and a shuffle that
// nobody draws from costs nothing. At most three cards come from one shuffle before the next (a redraw, then an
// exchange), so three are drawn at once.
#include "games/coup/rules/internal.h"

#include "game/cards.h"

enum { TOP = 3 };
_Static_assert(sizeof((struct coup_state){0}.top) == TOP, "the front of the deck");

// Room for a deck in which every role is written three times and the next one begins where it should have ended.
enum { LIST_ROOM = COUP_CARDS + COUP_COPIES };

static int list_roles(const uint8_t deck[COUP_ROLES], uint8_t list[LIST_ROOM])
{
    int n = 0;
    for (int i = 0; i < COUP_ROLES; n += deck[i++])
        memset(list + n, i + 1, COUP_COPIES);
    return n;
}

// F6.1: the first `need` cards of the present shuffle.
static void lay_out(const struct coup_state *s, uint8_t list[LIST_ROOM], int need)
{
    int count = list_roles(s->deck, list);
    struct rng section = s->chance;
    struct rng_draw draw;
    rng_begin(&draw, &section);
    cards_draw(list, count, 0, need, &draw);
}

static void remove_hands(struct coup_state *s, const struct coup_rules *r)
{
    for (int i = 0; i < s->seats; i++)
        if (r->hands[i][0]) {
            memcpy(s->seat[i].card, r->hands[i], 2);
            s->deck[r->hands[i][0] - 1]--;
            s->deck[r->hands[i][1] - 1]--;
        }
}

// F6.C1: one card each clockwise from seat 0, twice.
void deck_deal(struct coup_state *s, const struct coup_rules *r)
{
    uint8_t list[LIST_ROOM];
    memset(s->deck, COUP_COPIES, sizeof s->deck);
    remove_hands(s, r);
    if (r->deck[0])
        memcpy(list, r->deck, sizeof r->deck);
    else
        lay_out(s, list, 2 * s->seats + TOP);
    const uint8_t *front = list;
    for (int slot = 0; slot < 2; slot++)
        for (int i = 0; i < s->seats; i++)
            if (!s->seat[i].card[slot]) {
                s->seat[i].card[slot] = *front++;
                s->deck[s->seat[i].card[slot] - 1]--;
            }
    memcpy(s->top, front, TOP);
}

void deck_put(struct coup_state *s, uint8_t role)
{
    s->deck[role - 1]++;
}

// The deck in the order of the stacked items; what they do not name follows, shuffled.
static void lay_stacked(struct coup_state *s)
{
    struct coup_state rest = *s;
    uint8_t list[COUP_CARDS + TOP] = {0};
    int n = 0;
    for (int i = 0; i < s->stack_count; i++)
        if (rest.deck[s->stacked[i] - 1]) {
            rest.deck[s->stacked[i] - 1]--;
            list[n++] = s->stacked[i];
        }
    if (n < TOP) {
        uint8_t others[LIST_ROOM];
        lay_out(&rest, others, TOP);
        memcpy(list + n, others, TOP);
    }
    memcpy(s->top, list, TOP);
    memset(s->stacked, 0, sizeof s->stacked);
    s->stack_count = 0;
}

void deck_shuffle(struct coup_state *s)
{
    s->chance = rng_section(&s->chance, s->chance.section + 1);
    memset(s->top, 0, TOP);
    if (s->stack_count)
        lay_stacked(s);
}

uint8_t deck_take(struct coup_state *s)
{
    if (!s->top[0]) {
        uint8_t list[LIST_ROOM];
        lay_out(s, list, TOP);
        memcpy(s->top, list, TOP);
    }
    uint8_t role = s->top[0];
    s->top[0] = s->top[1];
    s->top[1] = s->top[2];
    s->top[2] = 0;
    s->deck[role - 1]--;
    return role;
}

// How many cards of this role do not lie face up.
static int count_unseen(const struct coup_state *s, int role)
{
    int n = COUP_COPIES;
    for (int i = 0; i < s->seats; i++)
        for (int slot = 0; slot < 2; slot++)
            n -= s->seat[i].up >> slot & 1 && s->seat[i].card[slot] == role;
    return n;
}

// All 15 roles are an order for whatever the next shuffle has. A shorter list must have as many cards as that shuffle:
// 15 - 2 x seats when an exchange goes back, one more when a shown card does; and only cards that can be in it.
int coup_stack(void *state, const uint8_t *items, int count)
{
    struct coup_state *s = state;
    if (s->phase == COUP_PHASE_DONE)
        return ERR_OVER;
    int usual = COUP_CARDS - 2 * s->seats;
    bool whole = count == COUP_CARDS;
    if (!whole && count != usual && (count != usual + 1 || s->phase == COUP_PHASE_EXCHANGE_RETURN))
        return ERR_RULES;
    int number[COUP_ROLES + 1] = {0};
    for (int i = 0; i < count; i++) {
        if (items[i] < COUP_DUKE || items[i] > COUP_CONTESSA)
            return ERR_RULES;
        number[items[i]]++;
    }
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        if (number[role] > (whole ? COUP_COPIES : count_unseen(s, role)))
            return ERR_RULES;
    memset(s->stacked, 0, sizeof s->stacked);
    memcpy(s->stacked, items, (size_t)count);
    s->stack_count = (uint8_t)count;
    return OK;
}
