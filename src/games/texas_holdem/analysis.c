// Texas Hold'em for the analysis: hands are judged one by one, in big blinds, and the betting gives information about
// the other's cards. Heads-up, the solved table gives the probability of each hand and plays on.
#include "games/texas_holdem/analysis.h"

#include "codec/codec.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/play.h"
#include "games/texas_holdem/bots/solved.h"
#include "games/texas_holdem/rules/eval.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#include <string.h>

enum { EQUITY_DEALS = 1000 };

struct belief {
    struct solved_memo memo; // first: it lasts from world to world
    bool heads_up;
    uint8_t hand[BUCKET_HANDS][2];
    float weight[BUCKET_HANDS];
    double sum;
};

static uint32_t hand_of(const void *state)
{
    return ((const struct texas_holdem_state *)state)->hand;
}

static void gain(const void *from, const void *now, double out[GAME_MAX_SEATS])
{
    const struct texas_holdem_state *a = from, *b = now;
    for (int i = 0; i < a->seats; i++) {
        double won =
            a->cash ? (double)b->net[i] - a->net[i] : (double)b->chips[i] + b->total[i] - a->chips[i] - a->total[i];
        out[i] = won / a->big_blind;
    }
}

static double blind_of(const void *state) // of a chip
{
    return 1.0 / ((const struct texas_holdem_state *)state)->big_blind;
}

// ---- Worlds ---------------------------------------------------------------------------------------------------------

static void believe(void *belief, const struct bot_ask *ask)
{
    struct belief *b = belief;
    int n = 0;
    memset(&b->memo.cell, 0, sizeof b->memo.cell);
    b->memo.depth = 0;
    for (uint8_t i = 1; i < CARDS_IN_DECK; i++)
        for (uint8_t j = 0; j < i; j++) {
            b->hand[n][0] = i;
            b->hand[n++][1] = j;
        }
    b->heads_up = solved_range(ask, &b->memo, (const uint8_t(*)[2])b->hand, b->weight);
    b->sum = 0;
    for (int h = 0; h < BUCKET_HANDS; h++)
        b->sum += (double)b->weight[h];
}

static int draw_hand(const struct belief *b, struct rng_draw *d)
{
    double at = (rng_draw_u32(d) >> 8) / (double)(1 << 24) * b->sum;
    int last = 0;
    for (int h = 0; h < BUCKET_HANDS; h++) {
        if (b->weight[h] <= 0)
            continue;
        last = h;
        if ((at -= (double)b->weight[h]) < 0)
            break;
    }
    return last;
}

// The rest of the board, from what neither holds.
static void run_out(uint8_t board[5], int count, const uint8_t own[2], const uint8_t other[2], struct rng_draw *d)
{
    uint8_t deck[CARDS_IN_DECK];
    int left = cards_list_others(cards_set(own, 2) | cards_set(other, 2) | cards_set(board, count), deck);
    cards_draw(deck, left, 0, 5 - count, d);
    memcpy(board + count, deck, (size_t)(5 - count));
}

static void imagine(void *belief, void *state, const struct bot_ask *ask, struct rng *dice)
{
    const struct belief *b = belief;
    const struct texas_holdem_view *v = ask->view;
    struct texas_holdem_state *s = state;
    struct rng_draw d;
    texas_holdem_game.imagine(state, v, dice);
    if (!b->heads_up || b->sum <= 0)
        return;
    rng_begin(&d, dice);
    memcpy(s->hole[holdem_other_seat(v)], b->hand[draw_hand(b, &d)], 2);
    run_out(s->runout, v->board_count, v->hole, s->hole[holdem_other_seat(v)], &d);
}

// At larger tables by the rules, which are quick.
static struct game_action play(void *belief, const struct bot_ask *ask)
{
    struct belief *b = belief;
    const struct texas_holdem_view *v = ask->view;
    return v->order_count == 2 ? solved_choose(ask, b ? &b->memo : NULL) : texas_holdem_rules_bot.choose(ask);
}

static int list_raises(const struct bot_ask *ask, struct game_action *out, int room)
{
    const float share[] = {0.5f, 1};
    int n = 0;
    for (int i = 0; i < 2 && n < room; i++) {
        struct game_action a = holdem_as_listed(ask, holdem_raise_by(ask->view, share[i]));
        if (a.kind == HOLDEM_RAISE)
            out[n++] = a;
    }
    if (!n && room > 0) // none is possible; the listed answers are all there are
        out[n++] = ask->fallback;
    return n;
}

// A raise is the same as one of a quarter more or less.
static bool alike(struct game_action a, struct game_action b)
{
    return a.kind == b.kind && (a.kind != HOLDEM_RAISE || (4 * (int64_t)a.amount <= 5 * (int64_t)b.amount &&
                                                           4 * (int64_t)b.amount <= 5 * (int64_t)a.amount));
}

// ---- Words ----------------------------------------------------------------------------------------------------------

static double equity_of(const struct belief *b, const struct texas_holdem_view *v)
{
    struct rng dice = {.key = {14}};
    struct rng_draw d;
    double sum = 0;
    rng_begin(&d, &dice);
    for (int i = 0; i < EQUITY_DEALS; i++) {
        const uint8_t *other = b->hand[draw_hand(b, &d)];
        uint8_t own[7], theirs[7];
        memcpy(own, v->board, 5);
        run_out(own, v->board_count, v->hole, other, &d);
        memcpy(theirs, own, 5);
        memcpy(own + 5, v->hole, 2);
        memcpy(theirs + 5, other, 2);
        int a = eval7(own), c = eval7(theirs);
        sum += a > c ? 1 : a == c ? 0.5 : 0;
    }
    return sum / EQUITY_DEALS;
}

static void explain(struct text *t, const struct analysis_words *w)
{
    const struct texas_holdem_view *v = w->ask->view;
    const struct belief *b = w->belief;
    const struct action_values *x = w->values;
    int better = action_values_find(x, w->better);
    codec_write(t, "It held %s %s", codec_card_name(v->hole[0]), codec_card_name(v->hole[1]));
    for (int i = 0; i < v->board_count; i++)
        codec_write(t, "%s%s", i ? " " : " on ", codec_card_name(v->board[i]));
    codec_write(t, ". The pot was %d", v->pot);
    if (v->to_call > 0)
        codec_write(t, ", %d to call, for which %.0f %% are needed", v->to_call, 100 * (double)holdem_pot_odds(v));
    if (b->heads_up && b->sum > 0)
        codec_write(t, "; against what %s bets so with, the hand wins %.0f %%", w->seat[holdem_other_seat(v)],
                    100 * equity_of(b, v));
    codec_write(t, ". Worth %+.2f bb, the better answer %+.2f.", action_values_mean(x, x->played),
                action_values_mean(x, better < 0 ? x->played : better));
}

const struct analysis_facts texas_holdem_analysis = {
    .unit = "bb",
    .floor = 1,
    .work = 200,
    .part = "hand",
    .part_of = hand_of,
    .gain = gain,
    .belief_size = sizeof(struct belief),
    .believe = believe,
    .imagine = imagine,
    .play = play,
    .playout = &texas_holdem_solved_bot,
    .open_minds = true,
    .luck_unit = blind_of,
    .alike = alike,
    .candidates = list_raises,
    .explain = explain,
};
