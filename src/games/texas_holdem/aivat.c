#include "games/texas_holdem/aivat.h"

#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/solved.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "stats/range.h"

enum { BOARDS = 100, MOST_BOARDS = 400 }; // run out before the turn; before the flop where no more bets come

struct holdem_aivat {
    uint64_t scratch[(SOLVED_SCRATCH + 63) / 64 * 8]; // first: aligned
    const struct bot *bot;
    const double *weights;
    int seat, other;
    struct rng dice, section; // section: the hand's
    struct rng_draw draw;     // from it
    uint32_t hand;            // its number; 0: none runs
    uint8_t cards[2];         // of the other seat
    double weight[BUCKET_HANDS];
    struct solved_hands known;
    int known_street;            // for which that holds
    float edge[4][BUCKET_HANDS]; // by street: 2 x chance to win - 1 against the other, run out
    int boards[4];               // from which that is; 0: not known yet
    struct solved_shares shares;
    double term[AIVAT_TERMS]; // of the running hand
    double luck;
};

// ---- Edges ----------------------------------------------------------------------------------------------------------

struct runs {
    uint8_t board[5], deck[CARDS_IN_DECK];
    int count, left;
    uint16_t seen[BUCKET_HANDS], score[BUCKET_HANDS]; // score: 2 x won + tied
};

static void count_board(struct runs *r, const uint8_t other[2])
{
    struct bucket_board b;
    bucket_fill_board(&b, r->board);
    int rival = b.strength[bucket_place(b.place[other[0]], b.place[other[1]])];
    for (int j = 1, n = 0; j < 47; j++)
        for (int i = 0; i < j; i++, n++) {
            int hand = bucket_place(b.card[i], b.card[j]);
            r->seen[hand]++;
            r->score[hand] = (uint16_t)(r->score[hand] + (b.strength[n] > rival) + (b.strength[n] >= rival));
        }
}

// The board as it was on that street is run out: every river card on the turn, else sampled boards, which nobody's
// betting can know.
static void run_out(struct holdem_aivat *k, struct runs *r, int boards)
{
    if (r->count >= 4)
        boards = r->count == 4 ? r->left : 1;
    for (int n = 0; n < boards; n++) {
        if (r->count == 4)
            r->board[4] = r->deck[n];
        else if (r->count < 4) {
            cards_draw(r->deck, r->left, 0, 5 - r->count, &k->draw);
            memcpy(r->board + r->count, r->deck, (size_t)(5 - r->count));
        }
        count_board(r, k->cards);
    }
}

static void find_edge(struct holdem_aivat *k, int street, const uint8_t board[5], int boards)
{
    struct runs r = {.count = street ? street + 2 : 0};
    if (k->boards[street] >= boards)
        return;
    memcpy(r.board, board, (size_t)r.count);
    r.left = cards_list_others(cards_set(k->cards, 2) | cards_set(board, r.count), r.deck);
    run_out(k, &r, boards);
    for (int h = 0; h < BUCKET_HANDS; h++)
        k->edge[street][h] = r.seen[h] ? (float)r.score[h] / r.seen[h] - 1 : 0;
    k->boards[street] = boards;
}

static double mean_edge(const struct holdem_aivat *k, int street)
{
    return range_part(k->weight, NULL, k->edge[street], BUCKET_HANDS).mean;
}

// ---- A hand ---------------------------------------------------------------------------------------------------------

// N14.7: what the other seat was dealt: powers of the equity of its class, less their means over all hands.
static void begin_hand(struct holdem_aivat *k, const struct texas_holdem_view *v)
{
    struct blueprint b;
    k->section = rng_section(&k->dice, v->hand);
    k->hand = v->hand;
    memcpy(k->cards, v->hole, 2);
    memset(k->boards, 0, sizeof k->boards);
    memset(k->term, 0, sizeof k->term);
    k->known_street = -1;
    rng_begin(&k->draw, &k->section);
    for (int j = 1, n = 0; j < CARDS_IN_DECK; j++)
        for (int i = 0; i < j; i++, n++)
            k->weight[n] = i != v->hole[0] && i != v->hole[1] && j != v->hole[0] && j != v->hole[1];
    if (!solved_table(&b))
        return;
    double *out = k->term + AIVAT_DEALT + (v->viewer == v->button ? 0 : 3), power = v->big_blind;
    int own = bucket_class(k->cards);
    double mean[3] = {0};
    for (int c = 0; c < BUCKET_CLASSES; c++) {
        double ways = c / 13 == c % 13 ? 6 : c / 13 > c % 13 ? 4 : 12, x = b.facts.equity[c] / 255.0 - 0.5;
        mean[0] += ways * x / BUCKET_HANDS;
        mean[1] += ways * x * x / BUCKET_HANDS;
        mean[2] += ways * x * x * x / BUCKET_HANDS;
    }
    double x = b.facts.equity[own] / 255.0 - 0.5;
    for (int i = 0; i < 3; i++) {
        power *= x;
        out[i] = power - v->big_blind * mean[i];
    }
}

// What the known seat has put in after an action, and whether betting goes on.
struct effect {
    int32_t own, other, matched; // matched: what both may lose when a raise is called
    bool folds, raises, ends;
};

static struct effect effect_of(const struct texas_holdem_view *v, int other, struct game_action a)
{
    int me = v->viewer;
    struct effect e = {.own = v->total[me], .other = v->total[other], .folds = a.kind == HOLDEM_FOLD};
    int32_t most = e.own + v->chips[me], rival = e.other + v->chips[other];
    if (a.kind == HOLDEM_CALL)
        e.own = e.own + v->to_call < most ? e.own + v->to_call : most;
    else if (a.kind == HOLDEM_RAISE)
        e.own += a.amount - v->bet[me];
    else if (a.kind == HOLDEM_ALLIN)
        e.own = most;
    e.raises = e.own > e.other;
    e.matched = e.raises ? (e.own < rival ? e.own : rival) : e.own < e.other ? e.own : e.other;
    bool all_in = e.own == most || rival == e.other, closes = v->to_call > 0 || me == v->button;
    e.ends = e.folds || (!e.raises && (v->to_call > 0 || v->phase == HOLDEM_RIVER) &&
                         (all_in || (v->phase == HOLDEM_RIVER && closes)));
    return e;
}

// The terms of an action, of a range with this edge after it.
static void weigh_action(const struct effect *e, int street, double edge, double out[AIVAT_TERMS])
{
    memset(out, 0, AIVAT_TERMS * sizeof *out);
    double matched = e->matched, other = e->other;
    if (e->ends) {
        out[AIVAT_ENDS] = e->folds ? -(double)e->own : matched * edge;
        return;
    }
    double *at = out + (e->raises ? AIVAT_RAISES + 6 * street : AIVAT_CALLS + 3 * street);
    for (int i = 0; i < 3; i++) {
        at[i] = matched;
        if (e->raises)
            at[3 + i] = other;
        matched *= edge;
        other *= edge;
    }
}

// N14.6: what the known seat might have done, as likely as all the hands that it may hold make it.
static void follow_action(struct holdem_aivat *k, const struct aivat_step *s, const struct texas_holdem_view *v)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    struct rng none = {0};
    struct solved_shares *all = &k->shares;
    double chance[SOLVED_ACTIONS], term[SOLVED_ACTIONS][AIVAT_TERMS];
    int street = v->phase, played = 0;
    const struct game *g = &texas_holdem_game;
    if (k->known_street != street)
        solved_know(&k->known, v->board, v->board_count);
    k->known_street = street;
    find_edge(k, street, v->board, BOARDS);
    struct bot_ask ask = {.bot = k->bot,
                          .game = g,
                          .view = v,
                          .seat = k->seat,
                          .seats = 2,
                          .choices = choices,
                          .count = g->choices(s->before, k->seat, choices),
                          .fallback = g->fallback(s->before, k->seat),
                          .aggro = 0.5f,
                          .dice = &none,
                          .mind = s->mind,
                          .scratch = k->scratch};
    solved_list_shares(&ask, &k->known, k->weight, all);
    while (played < all->count && !game_same_action(all->action[played], s->action))
        played++;
    if (played == all->count || range_part(k->weight, all->share[played], k->edge[street], BUCKET_HANDS).chance <= 0)
        return; // it was not the table that acted
    for (int i = 0; i < all->count; i++) {
        struct range_part part = range_part(k->weight, all->share[i], k->edge[street], BUCKET_HANDS);
        struct effect e = effect_of(v, k->other, all->action[i]);
        chance[i] = part.chance;
        weigh_action(&e, street, part.mean, term[i]);
    }
    for (int t = 0; t < AIVAT_TERMS; t++) {
        double worth[SOLVED_ACTIONS];
        for (int i = 0; i < all->count; i++)
            worth[i] = term[i][t];
        k->term[t] += range_luck(chance, worth, all->count, played);
    }
    range_narrow(k->weight, all->share[played], BUCKET_HANDS);
}

// N14.7: cards came while betting goes on: the edge is a martingale.
static void follow_street(struct holdem_aivat *k, const struct texas_holdem_view *v)
{
    int street = v->phase;
    find_edge(k, street - 1, v->board, BOARDS);
    find_edge(k, street, v->board, BOARDS);
    double before = mean_edge(k, street - 1);
    for (int n = 0; n < v->board_count; n++)
        for (int i = 0; i < CARDS_IN_DECK; i++)
            if (i != v->board[n])
                k->weight[bucket_place(i, v->board[n])] = 0;
    double step = mean_edge(k, street) - before, *at = k->term + AIVAT_BOARD + 2 * (street - 1);
    int32_t stack = v->chips[0] < v->chips[1] ? v->chips[0] : v->chips[1];
    at[0] += step * v->pot;
    at[1] += step * (stack < v->pot ? stack : v->pot);
}

static const struct game_event *find_event(const struct game_events *e, int kind)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->at[i].kind == kind)
            return &e->at[i];
    return NULL;
}

// N14.5: what the known seat won, averaged over all hands that it may have held, and the rest of what luck gave.
static void end_hand(struct holdem_aivat *k, const struct texas_holdem_view *v, const struct game_event *result,
                     const struct game_event *paid)
{
    struct holdem_result r = holdem_result_of(result);
    struct holdem_paid p = holdem_paid_of(paid);
    const int32_t *total = p.total;
    int32_t matched = total[k->seat] < total[k->other] ? total[k->seat] : total[k->other];
    double won = r.payout[k->seat] - total[k->seat], mean = won;
    if (r.reason == HOLDEM_SHOWN_DOWN) {
        find_edge(k, v->phase, v->board, v->phase == HOLDEM_PREFLOP ? MOST_BOARDS : BOARDS);
        mean = matched * mean_edge(k, v->phase);
    }
    k->luck += won - mean;
    for (int t = 0; t < AIVAT_TERMS; t++)
        k->luck += k->weights[t] * k->term[t];
    k->hand = 0;
}

// ---- Of the contest -------------------------------------------------------------------------------------------------

static void follow(void *work, const struct aivat_step *s)
{
    struct holdem_aivat *k = work;
    struct texas_holdem_view before, after;
    const struct game *g = &texas_holdem_game;
    const struct game_event *result = find_event(s->events, HOLDEM_EVENT_RESULT),
                            *paid = find_event(s->events, HOLDEM_EVENT_PAID);
    g->view(s->before, k->other, &before);
    if (before.phase > HOLDEM_RIVER)
        return;
    if (before.hand != k->hand)
        begin_hand(k, &before);
    if (s->seat == k->seat) {
        struct texas_holdem_view own;
        g->view(s->before, k->seat, &own);
        follow_action(k, s, &own);
    }
    g->view(s->after, k->other, &after);
    if (result && paid)
        end_hand(k, &before, result, paid);
    else if (after.phase > before.phase && after.phase <= HOLDEM_RIVER)
        follow_street(k, &after);
}

static void known_begin(void *work, const struct aivat_facts *f, const struct bot *bot, int seat, struct rng dice)
{
    struct holdem_aivat *k = work;
    k->bot = bot;
    k->weights = f->more;
    k->seat = seat;
    k->other = !seat;
    k->dice = dice;
    k->hand = 0;
    k->luck = 0;
}

static double luck_of(const void *work)
{
    return ((const struct holdem_aivat *)work)->luck;
}

static bool knows(const struct bot *bot)
{
    return bot->mix == texas_holdem_solved_bot.mix || bot->mix == texas_holdem_outline_bot.mix;
}

// N14.8: least squares over 24,000 hands of `solved` with 50 big blinds against `rules`, `plain` and `outline`, seed 1.
static const double weights[AIVAT_TERMS] = {
    [AIVAT_ENDS] = 1.15,
    // what both have put in, times the edge to the powers 0, 1, 2
    [AIVAT_CALLS] = 0.59,
    6.6,
    8.66,
    0.1,
    2.65,
    -0.21,
    -0.09,
    1.96,
    0.28,
    -0.32,
    1.64,
    0.65,
    // the same of what a call would match, then of what the other has put in
    [AIVAT_RAISES] = -0.07,
    0.41,
    -0.53,
    1.43,
    4.15,
    1.99,
    0.57,
    1.33,
    -1.92,
    -0.97,
    1.21,
    2.75,
    0.16,
    0.96,
    -1,
    -0.32,
    0.56,
    2.08,
    0.18,
    0.62,
    -0.58,
    -0.66,
    0.89,
    1.51,
    // by the pot, by what is behind but not above it
    [AIVAT_BOARD] = 0.34,
    1.13,
    0.42,
    1.06,
    0.66,
    0.33,
    // powers of equity - 1/2 in big blinds: the other is the button, the big blind
    [AIVAT_DEALT] = 3.87,
    -40.82,
    -193.19,
    4.84,
    -43.51,
    -144.53,
};

const struct aivat_facts texas_holdem_aivat = {.knows = knows,
                                               .size = sizeof(struct holdem_aivat),
                                               .begin = known_begin,
                                               .step = follow,
                                               .luck = luck_of,
                                               .more = weights};
