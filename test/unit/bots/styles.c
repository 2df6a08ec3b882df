// N2.5: what a style changes, counted over the same deals with and without it.
#include "games/belote/bots/bots.h"
#include "games/belote/rules/belote.h"
#include "games/coup/bots/bots.h"
#include "games/coup/rules/coup.h"
#include "games/liars_dice/bots/bots.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#include "house/ask.h"
#include "house/mind_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on

// What is counted at a decision of the styled seat: a number, or -1 where it does not apply.
typedef double (*gauge)(const void *view, struct game_action a);

static double folds(const void *view, struct game_action a)
{
    const struct texas_holdem_view *v = view;
    return v->to_call ? a.kind == HOLDEM_FOLD : -1;
}

static double raises(const void *view, struct game_action a)
{
    (void)view;
    return a.kind == HOLDEM_RAISE || a.kind == HOLDEM_ALLIN;
}

static double bets_into_checks(const void *view, struct game_action a)
{
    const struct texas_holdem_view *v = view;
    return v->phase != HOLDEM_PREFLOP && !v->to_call ? a.kind == HOLDEM_RAISE || a.kind == HOLDEM_ALLIN : -1;
}

static double challenges(const void *view, struct game_action a)
{
    const struct coup_view *v = view;
    bool window = v->phase == COUP_PHASE_CHALLENGE_ACTION || v->phase == COUP_PHASE_CHALLENGE_BLOCK;
    return window ? a.kind == COUP_CHALLENGE : -1;
}

static double lies(const void *view, struct game_action a)
{
    const struct coup_view *v = view;
    const struct coup_seat *me = &v->seat[v->viewer];
    int role = v->phase == COUP_PHASE_ACTION ? coup_acts[a.kind].role : a.kind == COUP_BLOCK ? a.arg[0] : COUP_NO_ROLE;
    if (v->phase != COUP_PHASE_ACTION && v->phase != COUP_PHASE_BLOCK)
        return -1;
    bool held = (me->card[0] == role && !(me->up & 1)) || (me->card[1] == role && !(me->up & 2));
    return role != COUP_NO_ROLE && !held;
}

static double doubts_bids(const void *view, struct game_action a)
{
    const struct liars_dice_view *v = view;
    return v->bid ? a.kind == LIARS_DICE_CHALLENGE : -1;
}

// How many steps a bid goes up.
static double jumps(const void *view, struct game_action a)
{
    const struct liars_dice_view *v = view;
    return a.kind == LIARS_DICE_BID ? a.amount - v->bid : -1;
}

static double speaks_up(const void *view, struct game_action a)
{
    const struct belote_view *v = view;
    return v->phase == BELOTE_BID_PHASE ? a.kind != BELOTE_ACCEPT : -1;
}

static const struct {
    const struct game *game;
    const struct bot *bot;
    enum bot_style style;
    gauge what;
    int sign; // of the change
    int seats, matches;
} rows[] = {
    {&texas_holdem_game, &texas_holdem_rules_bot, BOT_TIGHT, folds, 1, 3, 12},
    {&texas_holdem_game, &texas_holdem_rules_bot, BOT_LOOSE, folds, -1, 3, 12},
    {&texas_holdem_game, &texas_holdem_rules_bot, BOT_BLUFFER, bets_into_checks, 1, 2, 12},
    {&texas_holdem_game, &texas_holdem_rules_bot, BOT_CALLER, folds, -1, 2, 12},
    {&texas_holdem_game, &texas_holdem_rules_bot, BOT_CALLER, raises, -1, 2, 12},
    {&coup_game, &coup_rules_bot, BOT_TIGHT, challenges, -1, 2, 100},
    {&coup_game, &coup_rules_bot, BOT_TIGHT, lies, -1, 2, 100},
    {&coup_game, &coup_rules_bot, BOT_LOOSE, lies, 1, 2, 100},
    {&coup_game, &coup_rules_bot, BOT_BLUFFER, lies, 1, 2, 100},
    {&coup_game, &coup_rules_bot, BOT_CALLER, challenges, 1, 2, 100},
    {&coup_game, &coup_honest_bot, BOT_CALLER, challenges, 1, 2, 100},
    {&coup_game, &coup_glance_bot, BOT_TIGHT, lies, -1, 2, 12},
    {&coup_game, &coup_glance_bot, BOT_LOOSE, challenges, -1, 2, 12},
    {&coup_game, &coup_glance_bot, BOT_BLUFFER, lies, 1, 2, 12},
    {&coup_game, &coup_glance_bot, BOT_CALLER, challenges, 1, 2, 12},
    {&liars_dice_game, &liars_dice_rules_bot, BOT_TIGHT, jumps, -1, 2, 50},
    {&liars_dice_game, &liars_dice_rules_bot, BOT_LOOSE, doubts_bids, -1, 2, 50},
    {&liars_dice_game, &liars_dice_rules_bot, BOT_BLUFFER, jumps, 1, 2, 50},
    {&liars_dice_game, &liars_dice_rules_bot, BOT_CALLER, doubts_bids, 1, 2, 50},
    {&liars_dice_game, &liars_dice_beliefs_bot, BOT_TIGHT, jumps, -1, 3, 10},
    {&liars_dice_game, &liars_dice_beliefs_bot, BOT_LOOSE, doubts_bids, -1, 3, 10},
    {&liars_dice_game, &liars_dice_beliefs_bot, BOT_BLUFFER, jumps, 1, 3, 10},
    {&liars_dice_game, &liars_dice_beliefs_bot, BOT_CALLER, doubts_bids, 1, 3, 10},
    {&belote_game, &belote_rules_bot, BOT_TIGHT, speaks_up, -1, 4, 100},
    {&belote_game, &belote_rules_bot, BOT_LOOSE, speaks_up, 1, 4, 100},
    {&belote_game, &belote_search_bot, BOT_TIGHT, speaks_up, -1, 4, 20},
    {&belote_game, &belote_search_bot, BOT_LOOSE, speaks_up, 1, 4, 20},
};

// The mean of the gauge at seat 0; the others play without a style.
static double measure(size_t row, const struct bot *styled, int *decisions)
{
    const struct game *g = rows[row].game;
    static struct match m;
    struct mind_memory *memory = NULL;
    double sum = 0;
    *decisions = 0;
    for (int number = 0; number < rows[row].matches; number++) {
        union game_rules rules;
        const struct bot *bots[GAME_MAX_SEATS] = {styled};
        for (int i = 1; i < rows[row].seats; i++)
            bots[i] = rows[row].bot;
        g->defaults(&rules);
        struct match_setup setup = {.game = g, .rules = &rules, .seats = rows[row].seats, .key = {(uint8_t)number, 5}};
        static struct game_events first;
        first.count = first.ticks = 0;
        assert_int_equal(match_start(&m, &setup, NULL, &first), OK);
        mind_memory_begin(&memory, &m, bots, &first);
        for (uint32_t step = 0; !match_is_over(&m); step++) {
            struct game_turn turn = g->turn(&m.state);
            int seat = __builtin_ctz(turn.seats);
            union game_view view;
            g->view(&m.state, seat, &view);
            if (g == &belote_game && ((const struct belote_view *)&view)->phase == BELOTE_PLAY_PHASE)
                break; // styles are for words
            struct game_action a = house_ask(&m, bots[seat], seat, step, 0.5f);
            double value = seat ? -1 : rows[row].what(&view, a);
            sum += value >= 0 ? value : 0;
            *decisions += value >= 0;
            assert_int_equal(match_answer(&m, seat, turn.number, a, NULL), OK);
        }
    }
    mind_memory_free(memory);
    return sum / *decisions;
}

static void test_styles_change_what_they_say(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bot styled = *rows[i].bot;
        int plain_count, count;
        assert_true(styled.knows & rows[i].style);
        styled.styles = (uint8_t)rows[i].style;
        double plain = measure(i, rows[i].bot, &plain_count), with = measure(i, &styled, &count);
        if ((with - plain) * rows[i].sign < 0.01 || plain_count < 20 || count < 20) {
            failed++;
            print_error("row %zu, %s of %s: %g (%d) became %g (%d)\n", i, rows[i].bot->name, rows[i].game->name, plain,
                        plain_count, with, count);
        }
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_styles_change_what_they_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
