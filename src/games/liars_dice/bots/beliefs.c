// A player of Liar's Dice at any number of seats (N5.4): it imagines the dice of the others by what they have bid,
// tries every answer in the same imagined tables, plays each to the end of the round by the rules, and does what costs
// least.
#include "games/liars_dice/bots/bid_history.h"
#include "games/liars_dice/bots/bid_odds.h"
#include "games/liars_dice/bots/bots.h"

#include <string.h>

enum { WORLDS = 200, CANDIDATES = 10, AHEAD = 14, ASK_CLOCK = 16 };
#define SHOWN   1.8f // how much likelier a die of a bidder shows the face of its last bid
#define WILD    1.3f // or a one
#define OWN_DIE 1.0f // what a lost die costs,
#define OTHERS  0.6f // and what that of another brings

struct world {
    uint8_t faces[LIARS_DICE_SEATS][LIARS_DICE_FACES + 1];
    uint64_t coins; // for bluffs, the same whatever is tried
};

struct search {
    const struct bot_ask *ask;
    const struct liars_dice_view *v;
    uint8_t bid_face[LIARS_DICE_SEATS]; // face of the last bid of a seat, 0: it has made none
    int in_play;
    float bluff; // share of bluffs imagined
};

static void read_mind(struct search *s)
{
    const struct bid_history *m = s->ask->mind;
    for (int i = 0; i < bid_history_count(m); i++)
        if (m->bidder[i] < LIARS_DICE_SEATS && m->bid[i])
            s->bid_face[m->bidder[i]] = (uint8_t)liars_dice_face(m->bid[i]);
    for (int seat = 0; seat < s->v->seats; seat++)
        s->in_play |= s->v->dice_counts[seat] ? 1 << seat : 0;
}

static void imagine(const struct search *s, struct world *w, struct rng_draw *draw)
{
    const struct liars_dice_view *v = s->v;
    memset(w, 0, sizeof *w);
    for (int seat = 0; seat < v->seats; seat++) {
        float weight[LIARS_DICE_FACES + 1], sum = 0;
        for (int f = 1; f <= LIARS_DICE_FACES; f++) {
            weight[f] = !s->bid_face[seat] ? 1 : f == s->bid_face[seat] ? SHOWN : f == 1 && v->wild_ones ? WILD : 1;
            sum += weight[f];
        }
        for (int d = 0; d < v->dice_counts[seat]; d++) {
            float at = (float)(rng_draw_u32(draw) >> 8) / (1 << 24) * sum;
            int f = 1;
            while (f < LIARS_DICE_FACES && (at -= weight[f]) >= 0)
                f++;
            w->faces[seat][seat == v->viewer ? v->dice[d] : f]++;
        }
    }
    w->coins = (uint64_t)rng_draw_u32(draw) << 32 | rng_draw_u32(draw);
}

static int count_of(const struct search *s, const struct world *w, int face)
{
    int n = 0;
    for (int seat = 0; seat < s->v->seats; seat++)
        n += w->faces[seat][face] + (face > 1 && s->v->wild_ones ? w->faces[seat][1] : 0);
    return n;
}

// The cost of the round if the viewer answers `rank` and all others then play as the bot `rules` does.
static float play_out(const struct search *s, const struct world *w, int rank)
{
    const struct liars_dice_view *v = s->v;
    int seat = v->viewer, bid = v->bid, bidder = v->bidder, turn = 0;
    while (rank) {
        bid = rank;
        bidder = seat;
        seat = game_next_seat((seat_set)s->in_play, seat);
        struct bid_odds o = bid_odds_of(w->faces[seat], v->total - v->dice_counts[seat], v->total, bid, v->wild_ones);
        float coin = (float)(w->coins >> (turn % 8 * 8) & 255) / 256;
        rank = bid_odds_decide(&o, bid_manner_usual, coin < s->bluff);
        turn++;
    }
    bool met = count_of(s, w, liars_dice_face(bid)) >= liars_dice_quantity(bid);
    int loser = met ? seat : bidder;
    return loser == v->viewer ? -OWN_DIE : OTHERS;
}

// N2.5: what a style makes of an answer, in dice.
static float style_bonus(const struct search *s, const struct bid_odds *o, int rank)
{
    const struct bot_ask *ask = s->ask;
    float doubts = bot_leans(ask, BOT_CALLER) ? 0.15f : bot_leans(ask, BOT_LOOSE) ? -0.15f : 0;
    float likely = bot_leans(ask, BOT_TIGHT) ? 0.4f : bot_leans(ask, BOT_BLUFFER) ? -0.4f : 0;
    return rank ? likely * bid_odds_chance(o, rank) : doubts;
}

static struct bid_odds odds_of_view(const struct liars_dice_view *v)
{
    uint8_t faces[LIARS_DICE_FACES + 1] = {0};
    int own = v->dice_counts[v->viewer];
    for (int i = 0; i < own; i++)
        faces[v->dice[i]]++;
    return bid_odds_of(faces, v->total - own, v->total, v->bid, v->wild_ones);
}

// Challenge, and the likeliest of the next bids.
static int list_candidates(const struct search *s, int rank[CANDIDATES])
{
    const struct liars_dice_view *v = s->v;
    int n = 0, most = LIARS_DICE_FACES * v->total, reach = v->bid ? AHEAD : most;
    float chance[CANDIDATES];
    struct bid_odds o = odds_of_view(v);
    if (v->bid)
        rank[n] = 0, chance[n++] = 2;
    for (int bid = v->bid + 1; bid <= most && bid <= v->bid + reach; bid++) {
        // Of equal ones the higher says more; bids that cannot fail have little to say.
        float c = bid_odds_chance(&o, bid) + 0.001f * (float)bid;
        if (!v->bid && liars_dice_quantity(bid) < v->total / 4)
            continue;
        int at = n < CANDIDATES ? n++ : CANDIDATES;
        while (at > 0 && chance[at - 1] < c) {
            if (at < CANDIDATES)
                rank[at] = rank[at - 1], chance[at] = chance[at - 1];
            at--;
        }
        if (at < CANDIDATES)
            rank[at] = bid, chance[at] = c;
    }
    return n;
}

static struct game_action choose(const struct bot_ask *ask)
{
    struct search s = {.ask = ask, .v = ask->view, .bluff = 0.3f * ask->aggro};
    int rank[CANDIDATES], best = 0;
    struct bid_odds o = odds_of_view(ask->view);
    uint64_t worlds = (uint64_t)WORLDS * (ask->effort ? ask->effort : 1);
    float value[CANDIDATES] = {0};
    struct rng_draw draw;
    rng_begin(&draw, ask->dice);
    read_mind(&s);
    int n = list_candidates(&s, rank);
    uint64_t tried = 0;
    for (uint64_t i = 0; ask->out_of_time || i < worlds; i++) {
        struct world w;
        imagine(&s, &w, &draw);
        for (int c = 0; c < n; c++)
            value[c] += play_out(&s, &w, rank[c]);
        tried++;
        if (ask->out_of_time && i % ASK_CLOCK == ASK_CLOCK - 1 && ask->out_of_time(ask->clock))
            break;
    }
    for (int c = 0; c < n; c++)
        value[c] += style_bonus(&s, &o, rank[c]) * (float)tried;
    for (int c = 1; c < n; c++)
        best = value[c] > value[best] ? c : best;
    return liars_dice_answer(rank[best]);
}

const struct bot liars_dice_beliefs_bot = {.name = "beliefs",
                                           .game = "liars_dice",
                                           .choose = choose,
                                           .knows = BOT_TIGHT | BOT_LOOSE | BOT_BLUFFER | BOT_CALLER,
                                           .mind_size = sizeof(struct bid_history),
                                           .observe = bid_history_observe};
