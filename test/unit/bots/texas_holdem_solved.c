// The solved player of Hold'em: buckets, betting tree, table, memory, and the tools that make and measure it.
#include "base/hash.h"
#include "bots/minds.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/solved.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/push_fold.h"
#include "games/texas_holdem/solve.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "house/mind_memory.h"
#include "house/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const char embedded_texas_holdem_table[];
extern const size_t embedded_texas_holdem_table_size;

static const struct game *const g = &texas_holdem_game;
static struct betting_tree tree;

// ---- The table ------------------------------------------------------------------------------------------------------

// N6.4
static void the_table_is_whole(void **unused)
{
    (void)unused;
    struct blueprint b, bad;
    size_t size = embedded_texas_holdem_table_size;
    assert_true(solved_table(&b));
    assert_true(blueprint_is_sound(&b));
    assert_true(size < 120000);
    assert_non_null(strstr(embedded_texas_holdem_table, "agon solve texas_holdem --iterations "));
    for (int i = 0; i < BETTING_DEPTHS; i++) {
        betting_plant(&tree, betting_depth[i]);
        assert_true(tree.nodes <= BETTING_NODES);
        assert_true(blueprint_has(&b, i, &tree));
    }
    assert_false(blueprint_has(&b, 0, &tree)); // another tree
    assert_false(blueprint_open(&bad, embedded_texas_holdem_table, size - 1));
    assert_false(blueprint_open(&bad, embedded_texas_holdem_table, 100));
    assert_false(blueprint_open(&bad, embedded_texas_holdem_table + 1, size - 1));
}

// Shares sum to 1 at every place that was reached; how many were.
static int check_shares(const struct betting_node *n, const struct blueprint_page *page, uint64_t *hash)
{
    int known = 0;
    for (int bucket = 0; bucket < bucket_count(n->street); bucket++) {
        float share[BETTING_MOVES] = {0}, sum = 0;
        if (blueprint_mix(page, n->moves, bucket, share)) {
            known++;
            for (int k = 0; k < n->moves; k++)
                sum += share[k];
            assert_true(fabsf(sum - 1) < 1e-4f);
        }
        *hash = *hash * 31 + hash_bytes(share, sizeof share);
    }
    return known;
}

// N6.4: packing has not changed a share: the hash is that of the same places in a table of four bits a share. Blocks
// are read from their start, so of large trees a few nodes are looked at.
static void shares_are_as_they_were_learnt(void **unused)
{
    (void)unused;
    struct blueprint b;
    uint64_t hash = 0;
    int known = 0, all = 0;
    assert_true(solved_table(&b));
    for (int depth = 0; depth < BETTING_DEPTHS; depth++) {
        betting_plant(&tree, betting_depth[depth]);
        for (uint32_t i = 0; i < tree.nodes; i += depth ? 7 : 1) {
            struct blueprint_page page;
            blueprint_read(&b, depth, &tree, &tree.node[i], &page);
            known += check_shares(&tree.node[i], &page, &hash);
            all += bucket_count(tree.node[i].street);
        }
    }
    assert_true(known > all / 2);
    assert_int_equal(hash, UINT64_C(0xe20e570937e9ce59));
}

// N6.4: damage is found where somebody asks, and harmless where nobody does.
static void damaged_bytes_are_harmless(void **unused)
{
    (void)unused;
    struct blueprint b;
    size_t size = embedded_texas_holdem_table_size, first = BLUEPRINT_HEAD + sizeof b.facts;
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, embedded_texas_holdem_table, size);
    copy[size - 1] ^= 1;
    assert_true(blueprint_open(&b, copy, size));
    assert_false(blueprint_is_sound(&b));
    struct solve_job job = {.iterations = 1, .seed = b.facts.seed, .threads = 1, .command = "", .before = {copy, size}};
    struct text none = {.grow = heap_text_grow};
    assert_int_equal(texas_holdem_solve.solve(&job, &none), ERR_FORMAT);
    for (size_t i = first + 4; i < size; i += 5)
        copy[i] = (char)(copy[i] ^ (int)(i * 37 | 1));
    assert_true(blueprint_open(&b, copy, size));
    betting_plant(&tree, betting_depth[0]);
    assert_true(blueprint_has(&b, 0, &tree));
    for (uint32_t i = 0; i < tree.nodes; i += 3) {
        struct blueprint_page page;
        uint64_t hash = 0;
        blueprint_read(&b, 0, &tree, &tree.node[i], &page);
        check_shares(&tree.node[i], &page, &hash);
    }
    free(copy), free(none.at);
}

// ---- Betting and buckets --------------------------------------------------------------------------------------------

// N6.1
static void the_tree_has_its_sizes(void **unused)
{
    (void)unused;
    betting_plant(&tree, 50);
    const struct betting_node *n = &tree.node[BETTING_ROOT];
    assert_int_equal(n->moves, 4);
    assert_int_equal(n->total[2], 250);
    assert_int_equal(n->total[3], 5000);
    n = &tree.node[n->next[1]]; // a limp: the big blind may raise too
    assert_int_equal(n->role, 1);
    assert_int_equal(n->moves, 3);
    n = &tree.node[n->next[0]]; // the flop, and the big blind is first
    assert_int_equal(n->street, 1);
    assert_int_equal(n->role, 1);
    assert_int_equal(n->total[1], 200); // half of a pot of two
    assert_int_equal(n->total[2], 300);
    for (uint32_t i = 0; i < tree.nodes; i++)
        for (int k = 0; k < tree.node[i].moves; k++)
            if (tree.node[i].move[k] == BETTING_HALF || tree.node[i].move[k] == BETTING_POT)
                assert_true(10 * tree.node[i].total[k] <= 7 * 5000);
}

// N6.2: one hand alone and among all has the same feature, in any order of the cards.
static void a_hand_has_one_bucket(void **unused)
{
    (void)unused;
    static const uint8_t board[5] = {0, 17, 34, 51, 22}, turned[5] = {34, 0, 17, 51, 22};
    static uint8_t hole[BUCKET_HANDS][2];
    static struct bucket_feature all[BUCKET_HANDS];
    int hands = 0;
    for (uint8_t b = 1; b < CARDS_IN_DECK; b++)
        for (uint8_t a = 0; a < b; a++)
            if (!memchr(board, a, 5) && !memchr(board, b, 5)) {
                hole[hands][0] = a;
                hole[hands++][1] = b;
            }
    for (int count = 3; count <= 5; count++) {
        bucket_features((const uint8_t(*)[2])hole, hands, board, count, all);
        for (int i = 0; i < hands; i += 211) {
            struct bucket_feature one, other;
            bucket_features((const uint8_t(*)[2])hole[i], 1, board, count, &one);
            bucket_features((const uint8_t(*)[2])(const uint8_t[]){hole[i][1], hole[i][0]}, 1, turned, count, &other);
            assert_memory_equal(&one, &all[i], sizeof one);
            assert_memory_equal(&other, &all[i], sizeof one);
        }
    }
    // Three aces on A 2 6 T 7 of different suits beat nearly all; on the river nothing is to come.
    const uint8_t aces[2] = {48, 49};
    struct bucket_feature f;
    bucket_features(&aces, 1, board, 5, &f);
    assert_true(f.equity > 64000);
    assert_int_equal(f.spread, 0);
}

static void there_are_169_classes(void **unused)
{
    (void)unused;
    int ways[BUCKET_CLASSES] = {0};
    for (uint8_t b = 1; b < CARDS_IN_DECK; b++)
        for (uint8_t a = 0; a < b; a++)
            ways[bucket_class((const uint8_t[]){a, b})]++;
    for (int i = 0; i < BUCKET_CLASSES; i++)
        assert_int_equal(ways[i], i / 13 == i % 13 ? 6 : i / 13 > i % 13 ? 4 : 12);
}

// ---- Playing --------------------------------------------------------------------------------------------------------

struct setting {
    int seats, chips, hands;
    bool cash;
    const struct bot *other;
};

// A whole match; every answer is legal or the match would refuse it. The minds are those that the log tells (N1.5).
static uint64_t play(const struct setting *s, uint8_t seed, const struct bot *hero)
{
    static struct match m;
    static struct game_events events;
    static uint64_t room[BOT_MAX_MIND / 8];
    struct mind_memory *minds = NULL;
    struct text log = {.grow = heap_text_grow};
    const struct bot *bots[GAME_MAX_SEATS] = {NULL};
    struct texas_holdem_rules rules;
    struct match_setup setup = {.game = g, .seats = s->seats, .rules = &rules, .open_key = true, .key = {seed}};
    g->defaults(&rules);
    rules.starting_chips = s->chips;
    rules.max_hands = s->hands;
    rules.format = s->cash ? HOLDEM_CASH : HOLDEM_TOURNAMENT;
    if (s->cash)
        rules.blinds_double_at = 0;
    for (int i = 0; i < s->seats; i++)
        bots[i] = i % 2 ? s->other : hero;
    events.count = 0;
    assert_int_equal(match_start(&m, &setup, &log, &events), OK);
    mind_memory_begin(&minds, &m, bots, &events);
    while (!match_is_over(&m)) {
        struct game_turn turn = g->turn(&m.state);
        int seat = __builtin_ctz(turn.seats);
        struct game_action a = house_ask(&m, bots[seat], seat, (uint32_t)m.steps, 0.5f);
        assert_true(game_same_action(a, house_ask(&m, bots[seat], seat, (uint32_t)m.steps, 0.5f)));
        assert_true(game_is_legal(g, &m.state, seat, a));
        assert_int_equal(match_answer(&m, seat, turn.number, a, NULL), OK);
        if (m.steps % 16 == 0 && bots[0]->mind_size && !match_is_over(&m)) {
            assert_true(minds_recall(&m, bots[0], 0, room));
            assert_memory_equal(room, minds_find(&m, bots[0], 0), bots[0]->mind_size);
        }
    }
    mind_memory_free(minds);
    free(log.at);
    return game_hash(g, &m.state);
}

// N6.6, N6.7
static void plays_every_table(void **unused)
{
    (void)unused;
    static const struct setting settings[] = {
        {2, 10000, 6, false, &bot_random}, {2, 10000, 6, true, &texas_holdem_rules_bot},
        {2, 500, 8, true, &bot_random},    {2, 1700, 6, true, &bot_random},
        {2, 60000, 4, true, &bot_random},  {6, 10000, 3, true, &bot_random},
        {9, 2000, 2, false, &bot_random},  {3, 10000, 6, false, &texas_holdem_novice_bot},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint64_t first = play(&settings[i], (uint8_t)i, &texas_holdem_solved_bot);
        assert_int_equal(first, play(&settings[i], (uint8_t)i, &texas_holdem_solved_bot));
        play(&settings[i], (uint8_t)i, &texas_holdem_outline_bot);
    }
}

struct hand {
    struct texas_holdem_state state;
    struct betting_history mind;
    struct game_events events;
};

static void begin_hand(struct hand *h, int32_t chips)
{
    struct texas_holdem_rules rules;
    g->defaults(&rules);
    rules.format = HOLDEM_CASH;
    rules.max_hands = 1;
    rules.starting_chips = chips;
    memset(h, 0, sizeof *h);
    assert_int_equal(g->init(&h->state, &rules, 2, (struct rng){.key = {4}}, &h->events), OK);
    mind_observe(&texas_holdem_solved_bot, &h->mind, g, &h->state, 0, 2, h->events.at, h->events.count, 0);
}

static void act(struct hand *h, int kind, int32_t amount)
{
    struct game_action a = {.kind = (uint8_t)kind, .amount = amount};
    h->events.count = 0;
    assert_int_equal(g->apply(&h->state, h->state.actor, a, &h->events), OK);
    mind_observe(&texas_holdem_solved_bot, &h->mind, g, &h->state, 0, 2, h->events.at, h->events.count, 0);
}

static const struct betting_node *where(const struct hand *h, struct rng *dice)
{
    struct texas_holdem_view v;
    struct rng_draw draw;
    g->view(&h->state, h->state.actor, &v);
    if (dice)
        rng_begin(&draw, dice);
    return solved_find(&tree, &h->mind, &v, dice ? &draw : NULL);
}

// N6.6: the betting as the tree has it; a raise between two sizes is one of both, by the dice.
static void follows_the_betting(void **unused)
{
    (void)unused;
    struct hand h;
    struct texas_holdem_rules rules;
    g->defaults(&rules);
    int32_t bb = rules.big_blind;
    betting_plant(&tree, 50);
    begin_hand(&h, 50 * bb);
    assert_ptr_equal(where(&h, NULL), &tree.node[BETTING_ROOT]);
    act(&h, HOLDEM_RAISE, bb * 5 / 2);
    assert_int_equal(where(&h, NULL)->put[0], 250);
    act(&h, HOLDEM_CALL, 0);
    assert_int_equal(where(&h, NULL)->street, 1);
    act(&h, HOLDEM_RAISE, bb * 7 / 2); // 0.7 of a pot of 5
    int seen[2] = {0};
    for (uint32_t i = 0; i < 200; i++) {
        struct rng dice = {.key = {i}};
        const struct betting_node *n = where(&h, &dice);
        assert_true(n->put[1] == 500 || n->put[1] == 750);
        seen[n->put[1] == 750]++;
    }
    assert_true(seen[0] > 70 && seen[1] > 40); // 0.53 of 0.5: (1 - 0.7) x 1.5 / (0.5 x 1.7)
    act(&h, HOLDEM_ALLIN, 0);
    assert_int_equal(where(&h, NULL)->put[0], 5000);
    // Five raises before the flop are more than the tree has.
    begin_hand(&h, 50 * bb);
    for (int i = 2; i <= 6; i++)
        act(&h, HOLDEM_RAISE, i * bb);
    assert_null(where(&h, NULL));
}

// The share of folds of the button with many hands, when the big blind bets so many chips into 1000 on the flop.
static double count_folds(int32_t bet)
{
    struct hand h;
    struct texas_holdem_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    struct bot_mix mix[BOT_MAX_MIX];
    double folds = 0, hands = 0;
    begin_hand(&h, 10000);
    act(&h, HOLDEM_RAISE, 500);
    act(&h, HOLDEM_CALL, 0);
    act(&h, HOLDEM_RAISE, bet);
    g->view(&h.state, h.state.actor, &v);
    struct bot_ask ask = {.bot = &texas_holdem_solved_bot,
                          .game = g,
                          .view = &v,
                          .seats = 2,
                          .choices = list,
                          .count = g->choices(&h.state, 0, list),
                          .mind = &h.mind,
                          .scratch = scratch_for(&texas_holdem_solved_bot)};
    for (uint8_t card = 1; card < CARDS_IN_DECK; card++) {
        if (memchr(v.board, card, 3) || memchr(v.board, card - 1, 3))
            continue;
        v.hole[0] = (uint8_t)(card - 1), v.hole[1] = (uint8_t)(card * 29 % 52 == card - 1 ? card : card * 29 % 52);
        if (v.hole[0] == v.hole[1] || memchr(v.board, v.hole[1], 3))
            continue;
        int count = texas_holdem_solved_bot.mix(&ask, mix);
        float sum = 0;
        for (int i = 0; i < count; i++) {
            folds += mix[i].action.kind == HOLDEM_FOLD ? (double)mix[i].share : 0;
            sum += mix[i].share;
        }
        assert_true(fabsf(sum - 1) < 1e-4f);
        hands++;
    }
    assert_true(hands > 30);
    return folds / hands;
}

// N6.6: who bets less than the tree knows does not win as many pots as with half of the pot.
static void small_bets_are_called(void **unused)
{
    (void)unused;
    double half = count_folds(500), odd = count_folds(499), third = count_folds(333);
    assert_true(half > 0.2 && odd == half);
    assert_true(count_folds(450) < half);
    assert_true(third < 0.75 * half);
}

// N1.7: without events the view tells a betting that leads somewhere in the tree.
static void guesses_from_a_view(void **unused)
{
    (void)unused;
    struct hand h;
    betting_plant(&tree, 50);
    begin_hand(&h, 10000);
    act(&h, HOLDEM_CALL, 0);
    act(&h, HOLDEM_CHECK, 0);
    act(&h, HOLDEM_RAISE, 300);
    struct texas_holdem_view v;
    struct betting_history late = {0};
    g->view(&h.state, h.state.actor, &v);
    betting_history_observe(&late, &(struct bot_news){g, h.state.actor, 2, NULL, 0, 0, &v});
    assert_int_equal(late.hand, v.hand);
    assert_non_null(solved_find(&tree, &late, &v, NULL));
    assert_ptr_equal(solved_find(&tree, &late, &v, NULL), where(&h, NULL));
    struct betting_history any; // of a snapshot that somebody wrote
    memset(&any, 0xEE, sizeof any);
    betting_history_observe(&any, &(struct bot_news){g, h.state.actor, 2, NULL, 0, 0, &v});
    assert_memory_equal(&any, &late, sizeof any);
    memset(&any, 0xEE, sizeof any); // and is asked with it at once
    struct betting_history room;
    assert_memory_equal(betting_history_of(&(struct bot_ask){.view = &v, .mind = &any}, &room), &late, sizeof late);
    assert_ptr_equal(betting_history_of(&(struct bot_ask){.view = &v, .mind = &late}, &room), &late);
}

static bool read_back(const struct texas_holdem_view *v, int phase, struct texas_holdem_view *out)
{
    static char bytes[1 << 13];
    struct codec_table table = {.seat = codec_seat_names, .seats = v->seats, .viewer = v->viewer};
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    texas_holdem_codec.write_view(&t, &table, v);
    json_end_object(&t);
    assert_false(t.full);
    return codec_read_view(&texas_holdem_codec, json_reader_of(text_span(&t), 16), &table, phase, out);
}

// N1.7, N6.6: a wire tells that the hand is between two, and where it is in the tree. A board of another phase than
// the wire names would be looked up beyond the table, or run out from cards that are not there.
static void a_wire_tells_as_much(void **unused)
{
    (void)unused;
    struct hand h;
    struct texas_holdem_view v, read;
    betting_plant(&tree, 50);
    begin_hand(&h, 10000);
    for (int street = 0; street < 3; street++) {
        act(&h, street ? HOLDEM_CHECK : HOLDEM_CALL, 0);
        g->view(&h.state, h.state.actor, &v);
        assert_true(read_back(&v, v.phase, &read));
        assert_int_equal(read.order_count, 2);
        assert_memory_equal(read.order, v.order, sizeof v.order);
        assert_memory_equal(read.total, v.total, sizeof v.total);
        assert_int_equal(read.hand, v.hand);
        struct betting_history late = {0};
        betting_history_observe(&late, &(struct bot_news){g, h.state.actor, 2, NULL, 0, 0, &read});
        assert_memory_equal(late.chips, h.mind.chips, 2 * sizeof *late.chips);
        for (int phase = HOLDEM_PREFLOP; phase <= HOLDEM_SHOWDOWN; phase++)
            assert_int_equal(read_back(&v, phase, &read), phase == v.phase);
        act(&h, HOLDEM_CHECK, 0);
    }
    act(&h, HOLDEM_RAISE, 300);
    g->view(&h.state, h.state.actor, &v);
    assert_true(read_back(&v, v.phase, &read));
    struct betting_history late = {0};
    betting_history_observe(&late, &(struct bot_news){g, h.state.actor, 2, NULL, 0, 0, &read});
    assert_ptr_equal(solved_find(&tree, &late, &read, NULL), where(&h, NULL));
}

// N1.3: the own cards are no part of it.
static void the_mind_has_no_cards(void **unused)
{
    (void)unused;
    struct hand a, b;
    begin_hand(&a, 10000);
    act(&a, HOLDEM_CALL, 0);
    b = a;
    struct rng dice = {.key = {77}};
    g->resample(&b.state, GAME_SPECTATOR, &dice);
    act(&a, HOLDEM_CHECK, 0);
    act(&b, HOLDEM_CHECK, 0);
    assert_memory_equal(&a.mind, &b.mind, sizeof a.mind);
}

// N6.5: aces are never folded, the worst hands are when there is much to lose, and the answers are push or fold.
static void short_stacks_push_or_fold(void **unused)
{
    (void)unused;
    struct blueprint b;
    assert_true(solved_table(&b));
    assert_int_equal(b.facts.push[168], PUSH_FOLD_STACKS);
    assert_int_equal(b.facts.call[168], PUSH_FOLD_STACKS);
    assert_true(b.facts.push[5] < 40 && b.facts.call[5] < 40); // 7 2 of two suits
    assert_true(b.facts.push[bucket_class((const uint8_t[]){48, 44})] == PUSH_FOLD_STACKS);
}

// ---- Making and measuring -------------------------------------------------------------------------------------------

static bool go_on(void *owner, const char *line)
{
    int *calls = owner;
    return line && calls && --*calls < 0;
}

static struct text solve(uint64_t iterations, int threads, int calls, struct span before)
{
    struct text out = {.grow = heap_text_grow};
    struct solve_job job = {.iterations = iterations,
                            .seed = 5,
                            .threads = threads,
                            .command = "test",
                            .before = before,
                            .progress = go_on,
                            .owner = calls ? &calls : NULL};
    assert_int_equal(texas_holdem_solve.solve(&job, &out), OK);
    return out;
}

// N6.3: the same bytes with more threads, and after an interruption.
static void made_again(void **unused)
{
    (void)unused;
    struct text one = solve(2000, 1, 0, (struct span){0}), many = solve(2000, 3, 0, (struct span){0});
    assert_int_equal(hash_bytes(one.at, one.size), UINT64_C(0x864e0aa151e208ab)); // what this run always made
    struct text part = solve(2000, 1, 4, (struct span){0});
    struct blueprint b;
    assert_true(blueprint_open(&b, part.at, part.size));
    assert_false(b.facts.section[0].finished && b.facts.section[1].finished && b.facts.section[2].finished &&
                 b.facts.section[3].finished);
    struct text whole = solve(2000, 2, 0, text_span(&part));
    assert_int_equal(many.size, one.size);
    assert_memory_equal(many.at, one.at, one.size);
    assert_int_equal(whole.size, one.size);
    assert_memory_equal(whole.at, one.at, one.size);
    struct solve_job job = {.iterations = 1, .seed = 6, .threads = 1, .command = "", .before = text_span(&part)};
    struct text none = {.grow = heap_text_grow};
    assert_int_equal(texas_holdem_solve.solve(&job, &none), ERR_FORMAT); // of another seed
    job.seed = 5;
    job.iterations = 30000;
    assert_int_equal(texas_holdem_solve.solve(&job, &none), ERR_FORMAT); // of a small run: other buckets
    job.before = SPAN("no table");
    assert_int_equal(texas_holdem_solve.solve(&job, &none), ERR_FORMAT);
    free(one.at), free(many.at), free(part.at), free(whole.at), free(none.at);
}

static void count_against(const struct bucket_board *b, int own, const uint8_t hole[2],
                          uint32_t score[BUCKET_CLASSES][BUCKET_CLASSES])
{
    uint32_t *row = score[bucket_class(hole)];
    for (int q = 1, y = 0; q < 47; q++)
        for (int p = 0; p < q; p++, y++) {
            const uint8_t other[] = {b->card[p], b->card[q]};
            if (other[0] != hole[0] && other[0] != hole[1] && other[1] != hole[0] && other[1] != hole[1])
                row[bucket_class(other)] +=
                    (uint32_t)(b->strength[own] > b->strength[y]) + (b->strength[own] >= b->strength[y]);
        }
}

// N6.8: every board of kings and aces, which suits make alike, counted one by one and all at once.
static void odds_are_counted(void **unused)
{
    (void)unused;
    enum { FIRST = 44, ROWS = 12 };
    static struct push_fold_count count;
    static uint32_t score[BUCKET_CLASSES][BUCKET_CLASSES];
    push_fold_count_all(&count, FIRST, PUSH_FOLD_LOWEST);
    for (unsigned set = 0; set < 256; set++) {
        uint8_t board[5];
        int n = 0;
        struct bucket_board b;
        if (__builtin_popcount(set) != 5)
            continue;
        for (uint8_t i = 0; i < 8; i++)
            if (set >> i & 1)
                board[n++] = FIRST + i;
        bucket_fill_board(&b, board);
        for (int q = 1, x = 0; q < 47; q++)
            for (int p = 0; p < q; p++, x++)
                if (bucket_class((const uint8_t[]){b.card[p], b.card[q]}) % ROWS == 0) // a few of the rows
                    count_against(&b, x, (const uint8_t[]){b.card[p], b.card[q]}, score);
    }
    for (int i = 0; i < BUCKET_CLASSES; i += ROWS)
        assert_memory_equal(count.score[i], score[i], sizeof score[i]);
}

// N6.5, N6.8: lists that are solved cannot be beaten by much, others can.
static void push_or_fold_is_solved(void **unused)
{
    (void)unused;
    static struct push_fold_count count;
    static struct push_fold_odds odds;
    struct push_fold_lists lists, all;
    push_fold_count_boards(&count, 3, 0, 40);
    push_fold_find_odds(&odds, &count);
    for (int i = 0; i < BUCKET_CLASSES; i++)
        for (int j = 0; j < BUCKET_CLASSES; j++)
            assert_true(fabsf(odds.equity[i][j] + odds.equity[j][i] - 1) < 1e-4f);
    assert_true(odds.equity[168][0] > 0.7f); // aces and deuces
    push_fold_solve(&odds, &lists);
    memset(&all, PUSH_FOLD_STACKS, sizeof all);
    for (int blinds = 2; blinds <= PUSH_FOLD_MOST; blinds += 4) {
        assert_true(100 * push_fold_exploit(&odds, &lists, blinds) < 0.4);
        assert_true(push_fold_exploit(&odds, &all, blinds) > push_fold_exploit(&odds, &lists, blinds));
    }
    assert_true(push_fold_exploit(&odds, &all, 10) > 0.1);
}

// N6.9: from one who folds to every bet it wins the blinds, half a big blind from the button and one from the big
// blind.
static void a_known_answer(void **unused)
{
    (void)unused;
    struct solve_gap gap;
    holdem_exploit_locally(&bot_fallback, &(struct solve_sample){.rounds = 60, .seed = 3}, &gap);
    assert_true(fabs(gap.value - 75) < 4 * gap.error);
    assert_true(gap.error > 0 && gap.error < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_whole),
        cmocka_unit_test(shares_are_as_they_were_learnt),
        cmocka_unit_test(damaged_bytes_are_harmless),
        cmocka_unit_test(the_tree_has_its_sizes),
        cmocka_unit_test(a_hand_has_one_bucket),
        cmocka_unit_test(there_are_169_classes),
        cmocka_unit_test(plays_every_table),
        cmocka_unit_test(follows_the_betting),
        cmocka_unit_test(small_bets_are_called),
        cmocka_unit_test(guesses_from_a_view),
        cmocka_unit_test(a_wire_tells_as_much),
        cmocka_unit_test(the_mind_has_no_cards),
        cmocka_unit_test(short_stacks_push_or_fold),
        cmocka_unit_test(made_again),
        cmocka_unit_test(odds_are_counted),
        cmocka_unit_test(push_or_fold_is_solved),
        cmocka_unit_test(a_known_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
