// N1: minds are fed by every runner as a replay feeds them, and by nothing that their seat cannot see.
#include "bots/minds.h"
#include "base/hash.h"
#include "bots/self_play.h"
#include "contest/play.h"
#include "games/games.h"
#include "games/liars_dice/rules/liars_dice.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "house/mind_memory.h"
#include "house/scratch.h"
#include "match/replay.h"
#include "witness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { STEPS = 300, MATCHES = 3 };

struct table {
    struct match match;
    struct match_setup setup;
    struct text log;
    struct mind_memory *minds;
    struct game_events happened;
    const struct bot *bots[GAME_MAX_SEATS];
};

static int next_seats(const struct game *g, int n)
{
    return g->min_seats + n % (g->max_seats - g->min_seats + 1);
}

static void begin(struct table *t, const struct game *g, int n)
{
    memset(t, 0, sizeof *t);
    t->setup = (struct match_setup){.game = g, .seats = next_seats(g, n), .open_key = true};
    t->setup.key[0] = (uint8_t)(n + 1);
    t->log.grow = heap_text_grow;
    for (int s = 0; s < t->setup.seats; s++)
        t->bots[s] = s % 2 ? &bot_random : &witness_bot;
    assert_int_equal(match_start(&t->match, &t->setup, &t->log, &t->happened), OK);
    mind_memory_begin(&t->minds, &t->match, t->bots, &t->happened);
}

static void end(struct table *t)
{
    mind_memory_free(t->minds);
    free(t->log.at);
}

static void step(struct table *t)
{
    struct match *m = &t->match;
    int seat = self_play_next_seat(m);
    if (seat < 0) {
        assert_int_equal(match_tick(m, NULL), OK);
        return;
    }
    struct game_action a = house_ask(m, t->bots[seat], seat, (uint32_t)m->steps, 0.5f);
    assert_int_equal(match_answer(m, seat, m->game->turn(&m->state).number, a, NULL), OK);
}

static const struct witness_mind *mind_at(const struct table *t, int seat)
{
    return minds_find(&t->match, &witness_bot, seat);
}

// N1.4, N1.5
static void recalled_as_fed(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (int n = 0; n < MATCHES; n++) {
            static struct table t;
            uint64_t told = 0;
            begin(&t, (*k)->game, n);
            for (int i = 0; i < STEPS && !match_is_over(&t.match); i++) {
                step(&t);
                struct witness_mind again;
                if (i % 7 && !match_is_over(&t.match))
                    continue;
                for (int s = 0; s < t.match.seats; s += 2) {
                    assert_true(minds_recall(&t.match, &witness_bot, s, &again));
                    assert_memory_equal(&again, mind_at(&t, s), sizeof again);
                    told += again.events;
                }
            }
            assert_true(told > 0 || (*k)->game->tick);
            end(&t);
        }
}

// A copy of the match in which everything that `seat` cannot know is drawn anew, with a listener of its own.
static void resample(struct table *t, struct mind_memory **memory, struct match *other, int seat, uint32_t n)
{
    struct rng dice = {.key = {n, 77}};
    *other = t->match;
    mind_memory_copy(memory, t->minds, other);
    other->log = NULL;
    other->game->resample(&other->state, seat, &dice);
}

// N1.3: the same move in both worlds, where the seat sees the same of it: the same mind.
static void blind_to_what_is_hidden(void **unused)
{
    (void)unused;
    struct mind_memory *memory = NULL;
    int compared = 0;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (int n = 0; n < MATCHES; n++) {
            static struct table t;
            static struct match other;
            begin(&t, (*k)->game, n);
            for (int i = 0; i < STEPS && !match_is_over(&t.match); i++) {
                resample(&t, &memory, &other, 0, (uint32_t)i);
                uint64_t before = t.match.steps;
                struct game_turn turn = other.game->turn(&other.state);
                step(&t);
                struct replay_entry e = {0};
                struct replay_reader r;
                assert_int_equal(replay_open(&r, text_span(&t.log)), OK);
                struct replay_entry next;
                while (replay_next(&r, &next) == 1)
                    if (next.kind == REPLAY_ACTION)
                        e = next;
                bool ticked = t.match.pending_ticks || self_play_next_seat(&other) < 0;
                int err = ticked ? match_tick(&other, NULL) : match_answer(&other, e.seat, turn.number, e.action, NULL);
                assert_int_equal(t.match.steps, before + 1);
                union game_view here, there;
                memset(&here, 0, sizeof here), memset(&there, 0, sizeof there);
                t.match.game->view(&t.match.state, 0, &here);
                other.game->view(&other.state, 0, &there);
                if (err != OK || memcmp(here.byte, there.byte, sizeof here.byte) != 0)
                    continue;
                assert_memory_equal(minds_find(&other, &witness_bot, 0), mind_at(&t, 0), sizeof(struct witness_mind));
                compared++;
            }
            end(&t);
        }
    mind_memory_free(memory);
    assert_true(compared > 1000);
}

// N1.6: every decision in the log of a runner is the one that a mind fed from the log gives.
static void check_decisions(struct span file, const struct game *g, const struct bot *const *bots)
{
    static struct replay_run run;
    static struct game_events e;
    struct match m = {0};
    struct witness_mind mind[GAME_MAX_SEATS] = {0};
    int checked = 0;
    e.count = 0;
    assert_int_equal(replay_begin(&run, file, g, NULL, &e), OK);
    m = (struct match){.game = g, .seats = run.reader.head.seats, .rules = run.rules, .root = run.root};
    for (int s = 0; s < m.seats; s++) {
        mind_begin(&witness_bot, &mind[s], g, &run.rules, s, m.seats);
        mind_observe(&witness_bot, &mind[s], g, &run.state, s, m.seats, e.at, e.count, 0);
    }
    for (;;) {
        m.state = run.state;
        e.count = e.ticks = 0;
        struct replay_run before = run;
        if (replay_step(&run, 1, &e) != 1)
            break;
        if (run.entry.kind != REPLAY_ACTION && run.entry.kind != REPLAY_TICKS)
            continue;
        int seat = run.entry.seat;
        if (run.entry.kind == REPLAY_ACTION && seat < m.seats && bots[seat] == &witness_bot) {
            struct game_action a = house_ask_minded(&m, &witness_bot, seat, (struct rng){0}, 0.5f, &mind[seat]);
            assert_true(game_same_action(a, run.entry.action));
            checked++;
        }
        (void)before;
        for (int s = 0; s < m.seats; s++)
            if (minds_sees(&e, s))
                mind_observe(&witness_bot, &mind[s], g, &run.state, s, m.seats, e.at, e.count, e.ticks);
    }
    assert_true(checked > 0);
}

static void fed_at_a_table(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        static struct table t;
        begin(&t, (*k)->game, 1);
        for (int i = 0; i < STEPS && !match_is_over(&t.match); i++) {
            int seat = self_play_next_seat(&t.match); // N1.2: asked twice, the same
            if (seat >= 0)
                assert_true(game_same_action(house_ask(&t.match, t.bots[seat], seat, 1, 0.5f),
                                             house_ask(&t.match, t.bots[seat], seat, 1, 0.5f)));
            step(&t);
        }
        assert_int_equal(match_checkpoint(&t.match), OK);
        check_decisions(text_span(&t.log), (*k)->game, t.bots);
        end(&t);
    }
}

// A bot that was not seated is asked with what the log tells; without one it knows the view.
static void asked_without_a_seat(void **unused)
{
    (void)unused;
    static struct table t;
    const struct game *g = games_find("coup")->game;
    begin(&t, g, 0);
    for (int i = 0; i < 6; i++)
        step(&t);
    int seat = self_play_next_seat(&t.match);
    struct match_listener *listener = t.match.listener;
    struct witness_mind fed, late;
    assert_true(minds_recall(&t.match, &witness_bot, seat, &fed));
    struct game_action with = house_ask_minded(&t.match, &witness_bot, seat, (struct rng){0}, 0.5f, &fed);
    t.match.listener = NULL;
    assert_true(game_same_action(house_ask(&t.match, &witness_bot, seat, 0, 0.5f), with));
    t.match.log = NULL;
    assert_false(minds_recall(&t.match, &witness_bot, seat, &late));
    assert_int_equal(late.news, 1);
    assert_int_equal(late.events, 0);
    t.match.listener = listener;
    end(&t);
}

// N1.5, N1.6: bots with real memories play one match, however it is run: with minds that are fed, with minds from the
// log, and as contests and simulations do. The log has every decision.
enum way { FED, RECALLED, AS_A_CONTEST, WAYS };

static uint64_t play_coup(enum way way, uint8_t deal)
{
    static const char *const names[] = {"search", "honest", "glance"};
    static struct table t;
    static atomic_bool stop;
    const struct game_kit *k = games_find("coup");
    memset(&t, 0, sizeof t);
    t.setup = (struct match_setup){.game = k->game, .seats = 3, .open_key = true, .key = {deal}};
    t.log.grow = heap_text_grow;
    struct house_game g = {.max_steps = 40, .stop = &stop};
    for (int s = 0; s < 3; s++) {
        t.bots[s] = g.bot[s] = kit_find_bot(k, names[s]);
        assert_true(t.bots[s]->mind_size > 0);
    }
    assert_int_equal(match_start(&t.match, &t.setup, &t.log, &t.happened), OK);
    if (way != RECALLED)
        mind_memory_begin(&t.minds, &t.match, t.bots, &t.happened);
    if (way == AS_A_CONTEST)
        assert_int_equal(house_play(&g, &t.match), 1);
    for (int i = 0; way != AS_A_CONTEST && i < 40 && !match_is_over(&t.match); i++)
        step(&t);
    uint64_t hash = hash_bytes(t.log.at, t.log.size);
    end(&t);
    return hash;
}

static void real_players_are_fed_alike(void **unused)
{
    (void)unused;
    for (uint8_t deal = 1; deal <= 2; deal++) {
        uint64_t fed = play_coup(FED, deal);
        assert_true(play_coup(FED, deal) == fed);
        assert_true(play_coup(RECALLED, deal) == fed);
        assert_true(play_coup(AS_A_CONTEST, deal) == fed);
    }
    assert_true(play_coup(FED, 1) != play_coup(FED, 2));
}

// A snapshot may bring any bytes: whoever hears or answers with them stays within its mind.
static void any_bytes_are_a_mind(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (const struct bot *const *b = kit_bots(*k); *b; b++)
            for (int fill = 0; (*b)->mind_size && fill < 3; fill++) {
                static struct table t;
                uint8_t *mind = malloc((*b)->mind_size); // its end is watched
                begin(&t, (*k)->game, fill);
                for (int i = 0; i < 40 && !match_is_over(&t.match); i++) {
                    static struct game_events e;
                    int seat = self_play_next_seat(&t.match);
                    memset(mind, fill == 0 ? 0xff : fill == 1 ? 0x7f : 0xb7, (*b)->mind_size);
                    struct game_action a = house_ask_minded(&t.match, *b, seat, (struct rng){0}, 0.5f, mind);
                    assert_true(game_is_legal((*k)->game, &t.match.state, seat, a));
                    a = house_ask(&t.match, &bot_random, seat, (uint32_t)i, 0.5f);
                    e.count = e.ticks = 0;
                    assert_int_equal(match_answer(&t.match, seat, (*k)->game->turn(&t.match.state).number, a, &e), OK);
                    mind_observe(*b, mind, (*k)->game, &t.match.state, seat, t.match.seats, e.at, e.count, 0);
                }
                free(mind);
                end(&t);
            }
}

// Rules that give seats unequal stacks or dice, or make a cash match of it.
static void vary(union game_rules *rules, const struct game *g, int n)
{
    g->defaults(rules);
    struct liars_dice_rules *dice = (void *)rules;
    struct texas_holdem_rules *poker = (void *)rules;
    if (g == &liars_dice_game)
        for (int s = 0; s < LIARS_DICE_SEATS; s++)
            dice->dice_counts[s] = (uint8_t)(1 + (s + n) % LIARS_DICE_DICE);
    if (g == &texas_holdem_game && n % 2)
        poker->format = HOLDEM_CASH;
    else if (g == &texas_holdem_game)
        for (int s = 0; s < HOLDEM_SEATS; s++)
            poker->stacks[s] = s < next_seats(g, n) ? 700 + 2900 * ((s + n) % 4) : 0;
}

// Whatever another decision of this thread has left in the work space (N1.8).
static struct game_action ask_over(const struct match *m, const struct bot *bot, int seat, const void *mind, int left)
{
    if (bot->scratch_size)
        memset(scratch_for(bot), left, bot->scratch_size);
    return house_ask_minded(m, bot, seat, (struct rng){0}, 0.5f, mind);
}

// N1.3: whatever the seat cannot see is drawn anew: every player answers the same.
static void answer_blindly(const struct table *t, const struct game_kit *k, int seat, uint32_t n)
{
    static struct match other;
    struct rng dice = {.key = {n, 78}};
    other = t->match;
    other.log = NULL;
    other.listener = NULL;
    other.game->resample(&other.state, seat, &dice);
    for (const struct bot *const *b = kit_bots(k); *b; b++) {
        const void *mind = minds_find(&t->match, *b, seat);
        struct game_action here = ask_over(&t->match, *b, seat, mind, 0xA5);
        assert_true(game_same_action(here, ask_over(&other, *b, seat, mind, 0)));
    }
}

static void check_every_mind(const struct table *t, const struct game_kit *k)
{
    static _Alignas(8) uint8_t again[BOT_MAX_MIND];
    for (const struct bot *const *b = kit_bots(k); *b; b++)
        for (int s = 0; s < t->match.seats && (*b)->mind_size; s++) {
            assert_true(minds_recall(&t->match, *b, s, again));
            assert_memory_equal(again, minds_find(&t->match, *b, s), (*b)->mind_size);
        }
}

static const struct bot *const *list_bots(const struct game_kit *k, int *count)
{
    const struct bot *const *all = kit_bots(k);
    for (*count = 0; all[*count];)
        ++*count;
    return all;
}

// N1.3, N1.5 for the players themselves: at full tables and small ones, after a seat has left, with the memories of all
// players side by side at every seat.
static void every_player_is_fed_alike(void **unused)
{
    (void)unused;
    enum { TABLES = 8, LONGEST = 90, LEAVES = 25, CHECKED_EVERY = 6, ASKED_EVERY = 18 };
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (int n = 0; n < TABLES; n++) {
            static struct table t;
            const struct game *g = (*k)->game;
            union game_rules rules;
            int count;
            const struct bot *const *all = list_bots(*k, &count);
            vary(&rules, g, n);
            memset(&t, 0, sizeof t);
            t.setup = (struct match_setup){
                .game = g, .rules = &rules, .seats = next_seats(g, n), .open_key = true, .key = {(uint8_t)n, 9}};
            t.log.grow = heap_text_grow;
            for (int s = 0; s < t.setup.seats; s++)
                t.bots[s] = &bot_random;
            assert_int_equal(match_start(&t.match, &t.setup, &t.log, &t.happened), OK);
            mind_memory_begin_all(&t.minds, &t.match, all, count, &t.happened);
            for (int i = 0; i < LONGEST && !match_is_over(&t.match); i++) {
                int seat = self_play_next_seat(&t.match);
                if (i == LEAVES && seat >= 0 && t.match.seats > 2)
                    assert_int_equal(match_drop(&t.match, seat, 0, NULL), OK);
                else
                    step(&t);
                if (match_is_over(&t.match))
                    break;
                seat = self_play_next_seat(&t.match);
                if (i % CHECKED_EVERY == 0)
                    check_every_mind(&t, *k);
                if (i % ASKED_EVERY == n && seat >= 0)
                    answer_blindly(&t, *k, seat, (uint32_t)i);
            }
            end(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_players_are_fed_alike), cmocka_unit_test(every_player_is_fed_alike),
        cmocka_unit_test(any_bytes_are_a_mind),       cmocka_unit_test(recalled_as_fed),
        cmocka_unit_test(blind_to_what_is_hidden),    cmocka_unit_test(fed_at_a_table),
        cmocka_unit_test(asked_without_a_seat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
