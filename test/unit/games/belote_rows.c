// Rows of belote against what the events and the view tell, element by element through their names (V31, V34); tokens
// of a deal (V80). That rows of vector 1 are those of the view, and that nothing hidden shows, is in
// property.conformance.
#include "games/belote/rules/belote.h"

#include "named_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct game *const g = &belote_game;
static const char *const modes[] = {"clubs", "diamonds", "hearts", "spades", "no_trumps", "all_trumps"};
static const char *const seats[] = {"me", "left", "partner", "right"};
static const char *const teams[] = {"us", "them"};

// What somebody who hears every event knows of the running deal.
struct listener {
    int player[BELOTE_CARDS]; // of each card, or -1
    int when[BELOTE_CARDS];
    int plays, bids, accepts, high, bidder;
    int first[BELOTE_SEATS], last[BELOTE_SEATS]; // announcements, or -1
    int won[2];
    struct belote_deal ended; // the last deal
};

static void hear_deal(struct listener *l)
{
    struct belote_deal ended = l->ended;
    *l = (struct listener){.high = -1, .bidder = -1, .ended = ended};
    for (int i = 0; i < BELOTE_CARDS; i++)
        l->player[i] = -1;
    for (int i = 0; i < BELOTE_SEATS; i++)
        l->first[i] = l->last[i] = -1;
}

static void hear_word(struct listener *l, int seat, int word)
{
    l->bids++;
    l->accepts = word == BELOTE_SAY_ACCEPT ? l->accepts + 1 : 0;
    if (word >= BELOTE_SAY_ACCEPT)
        return;
    l->high = l->last[seat] = word;
    l->bidder = seat;
    if (l->first[seat] < 0)
        l->first[seat] = word;
}

static void hear(struct listener *l, const struct game_events *happened)
{
    for (uint32_t i = 0; i < happened->count; i++) {
        const struct game_event *e = &happened->at[i];
        struct belote_deal_ended end;
        if (e->kind == BELOTE_DEAL_STARTED)
            hear_deal(l);
        if (e->kind == BELOTE_BID)
            hear_word(l, e->seat, e->data[0]);
        if (e->kind == BELOTE_CARD_PLAYED) {
            l->player[e->data[0]] = e->seat;
            l->when[e->data[0]] = ++l->plays;
        }
        if (e->kind == BELOTE_TRICK_COMPLETED)
            l->won[e->seat % 2]++;
        if (e->kind == BELOTE_DEAL_ENDED) {
            memcpy(&end, e->data, sizeof end);
            l->ended = end.deal;
        }
    }
}

static const char *card_name(int card)
{
    static char name[3];
    name[0] = "789TJQKA"[card % 8];
    name[1] = "CDHS"[card / 8];
    return name;
}

static bool lies(const struct belote_view *v, int card, int seat)
{
    for (int i = v->plays & ~3; i < v->plays; i++)
        if (v->play[i] == card && (v->leader[i / 4] + i % 4) % 4 == seat)
            return true;
    return false;
}

static bool is_in(const uint8_t *list, int count, int card)
{
    return count && memchr(list, card, (size_t)count);
}

static void put_cards(struct named_row *r, const struct belote_view *v, const struct listener *l, int me)
{
    for (int c = 0; c < BELOTE_CARDS; c++) {
        named_row_put(r, is_in(v->hand, v->cards, c), "hand.%s", card_name(c));
        named_row_put(r, l->player[c] >= 0, "played.%s", card_name(c));
        named_row_put(r, l->player[c] >= 0 ? l->when[c] / 32.0 : 0, "when.%s", card_name(c));
        for (int i = 0; i < BELOTE_SEATS; i++) {
            int seat = (me + i) % 4;
            named_row_put(r, lies(v, c, seat), "trick.%s.%s", seats[i], card_name(c));
            named_row_put(r, l->player[c] == seat, "by.%s.%s", seats[i], card_name(c));
            if (i)
                named_row_put(r, v->cannot[seat] >> c & 1, "cannot.%s.%s", seats[i], card_name(c));
        }
    }
}

static void put_words(struct named_row *r, const struct belote_view *v, const struct listener *l, int me)
{
    for (int m = 0; m < BELOTE_MODES; m++) {
        named_row_put(r, v->mode == m, "mode.%s", modes[m]);
        named_row_put(r, v->doubled >> m & 1, "doubled.%s", modes[m]);
        named_row_put(r, v->redoubled >> m & 1, "redoubled.%s", modes[m]);
        named_row_put(r, l->high == m, "high.%s", modes[m]);
        named_row_put(r, l->ended.multiplier && l->ended.mode == m, "last.mode.%s", modes[m]);
        for (int i = 0; i < BELOTE_SEATS; i++) {
            named_row_put(r, l->last[(me + i) % 4] == m, "said.%s.%s", seats[i], modes[m]);
            named_row_put(r, l->first[(me + i) % 4] == m, "first.%s.%s", seats[i], modes[m]);
        }
    }
    named_row_put(r, v->locked, "locked");
    named_row_put(r, l->accepts / 3.0, "accepts");
    named_row_put(r, l->bids / 25.0, "bids");
}

static double share(double part, double whole)
{
    return part < whole ? part / whole : 1;
}

static void put_rest(struct named_row *r, const struct belote_view *v, const struct listener *l, int me)
{
    static const char *const phases[] = {"cut", "bid", "play"};
    int leader = v->phase == BELOTE_DONE         ? -1
                 : v->phase != BELOTE_PLAY_PHASE ? (v->dealer + 1) % 4
                 : v->plays % 4                  ? v->leader[v->plays / 4]
                                                 : v->turn;
    for (int i = 0; i < BELOTE_SEATS; i++) {
        named_row_put(r, v->dealer == (me + i) % 4, "dealer.%s", seats[i]);
        named_row_put(r, leader == (me + i) % 4, "leader.%s", seats[i]);
        named_row_put(r, l->bidder == (me + i) % 4, "bidder.%s", seats[i]);
    }
    for (int i = 0; i < 3; i++) {
        named_row_put(r, v->phase == i, "phase.%s", phases[i]);
        named_row_put(r, v->multiplier == 1 << i, "multiplier.%d", 1 << i);
        named_row_put(r, l->ended.multiplier == 1 << i, "last.multiplier.%d", 1 << i);
    }
    for (int i = 0; i < 2; i++) {
        int team = (me + i) % 2;
        named_row_put(r, v->team == team, "team.%s", teams[i]);
        named_row_put(r, share(v->points[team], v->target), "points.%s", teams[i]);
        named_row_put(r, share(v->card_points[team], 258), "card_points.%s", teams[i]);
        named_row_put(r, l->won[team] / 8.0, "won.%s", teams[i]);
        named_row_put(r, l->ended.multiplier && l->ended.team == team, "last.team.%s", teams[i]);
        named_row_put(r, share(l->ended.match_points[team], 162), "last.points.%s", teams[i]);
    }
    named_row_put(r, (l->won[0] + l->won[1]) / 8.0, "tricks");
}

static void compare_rows(const struct belote_state *s, const void *history, const struct listener *l)
{
    static struct named_row wanted;
    float row[GAME_MAX_VECTOR];
    for (int i = 0; i <= BELOTE_SEATS; i++) {
        int viewer = i < BELOTE_SEATS ? i : GAME_SPECTATOR, me = i % BELOTE_SEATS;
        struct belote_view v;
        g->view(s, viewer, &v);
        named_row_begin(&wanted, g);
        put_cards(&wanted, &v, l, me);
        put_words(&wanted, &v, l, me);
        put_rest(&wanted, &v, l, me);
        game_observe(g, s, history, viewer, 2, GAME_F32, row);
        assert_true(named_row_matches(&wanted, row));
    }
}

static struct game_action pick_random(const struct belote_state *s, struct rng_draw *dice)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = g->choices(s, s->turn, list);
    struct game_choice c = list[rng_draw_below(dice, (uint32_t)count)];
    c.first.amount += (int32_t)rng_draw_below(dice, (uint32_t)(c.max_amount - c.first.amount + 1));
    return c.first;
}

static void rows_are_what_the_events_told(void **unused) // V31, V34
{
    (void)unused;
    enum { MATCHES = 12 };
    for (uint32_t seed = 0; seed < MATCHES; seed++) {
        static struct game_events happened;
        struct belote_state s;
        union game_history history;
        struct listener l = {0};
        struct belote_rules rules;
        struct rng chance = {.key = {seed, 5}}, picks = {.key = {seed, 6}};
        struct rng_draw dice;
        rng_begin(&dice, &picks);
        g->defaults(&rules);
        rules.target = seed % 2 ? 150 : 40;
        happened.count = 0;
        assert_int_equal(game_init_kept(g, &s, &history, &rules, 4, chance, &happened, NULL), OK);
        hear(&l, &happened);
        while (s.phase != BELOTE_DONE) {
            compare_rows(&s, &history, &l);
            happened.count = 0;
            assert_int_equal(game_apply_kept(g, &s, &history, s.turn, pick_random(&s, &dice), &happened, NULL), OK);
            hear(&l, &happened);
        }
        compare_rows(&s, &history, &l);
    }
}

struct line {
    struct game_tokens tokens;
    struct belote_state s;
    union game_history history;
};

static void play(struct line *l, struct game_action a)
{
    assert_int_equal(game_apply_kept(g, &l->s, &l->history, l->s.turn, a, NULL, &l->tokens), OK);
}

static void assert_token(const struct line *l, uint32_t index, int viewer, int kind, int seat, int first, int second)
{
    int16_t read[4];
    assert_true(index < l->tokens.count);
    game_write_token(g, &l->tokens.at[index], BELOTE_SEATS, viewer, read);
    assert_int_equal(read[0], kind);
    assert_int_equal(read[1], seat);
    assert_int_equal(read[2], first);
    assert_int_equal(read[3], second);
}

// Dealer is seat 0, so seat 3 cuts and seat 1 speaks and leads; seat 1 looks.
static void a_deal_is_told_in_tokens(void **unused) // V80
{
    (void)unused;
    enum { DEAL = 1, CUT, SAID, CONTRACT, CARD, TRICK, ENDED };
    static struct line l;
    struct belote_rules rules;
    g->defaults(&rules);
    assert_int_equal(
        game_init_kept(g, &l.s, &l.history, &rules, 4, (struct rng){.key = {3}}, NULL, (l.tokens.count = 0, &l.tokens)),
        OK);
    play(&l, (struct game_action){.kind = BELOTE_CUT, .arg = {1}, .amount = 9});
    play(&l, (struct game_action){.kind = BELOTE_ANNOUNCE, .arg = {BELOTE_HEARTS}});
    for (int i = 0; i < 3; i++)
        play(&l, (struct game_action){.kind = BELOTE_ACCEPT});
    assert_token(&l, 0, 1, DEAL, 0, 1, 4); // the dealer sits three seats on
    assert_token(&l, 1, 1, CUT, 3, 9, 1);
    assert_token(&l, 2, 1, SAID, 1, BELOTE_HEARTS + 1, 0);
    assert_token(&l, 3, 1, SAID, 2, BELOTE_SAY_ACCEPT + 1, 0);
    assert_token(&l, 6, 1, CONTRACT, 0, BELOTE_HEARTS + 1, 1);
    for (int i = 0; i < BELOTE_CARDS; i++) {
        uint32_t at = l.tokens.count;
        int seat = l.s.turn, card = __builtin_ctz(l.s.may);
        int32_t before = l.s.card_points[0] + l.s.card_points[1];
        play(&l, (struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)card}});
        assert_token(&l, at, 1, CARD, (seat + 3) % 4 + 1, card + 1, i / 4 + 1);
        if (i % 4 == 3 && i < 31)
            assert_token(&l, at + 1, 1, TRICK, (l.s.turn + 3) % 4 + 1, l.s.card_points[0] + l.s.card_points[1] - before,
                         i / 4 + 1);
    }
    uint32_t end = l.tokens.count - 2;
    assert_token(&l, end, 0, ENDED, 0, l.s.last.match_points[0], l.s.last.match_points[1]);
    assert_token(&l, end, 1, ENDED, 0, l.s.last.match_points[1], l.s.last.match_points[0]);
    assert_token(&l, end + 1, 1, DEAL, 0, 2, 1); // V81: the border is a token
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_the_events_told),
        cmocka_unit_test(a_deal_is_told_in_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
