// The solved player of Liar's Dice: its table, what it remembers, and how hard it is to beat.
#include "bots/minds.h"
#include "games/liars_dice/best_response.h"
#include "games/liars_dice/bots/bid_history.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/bots/table.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/solve.h"
#include "games/liars_dice/table_write.h"
#include "heap/heap.h"
#include "house/ask.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const char embedded_liars_dice_table[];
extern const size_t embedded_liars_dice_table_size, embedded_texas_holdem_table_size, embedded_kuhn_poker_table_size,
    embedded_leduc_poker_table_size;

static struct dice_table shipped(void)
{
    struct dice_table t;
    assert_true(dice_table_open(&t, embedded_liars_dice_table, embedded_liars_dice_table_size));
    return t;
}

// N5.2
static void the_table_is_whole(void **unused)
{
    (void)unused;
    struct dice_table t = shipped();
    assert_true(embedded_liars_dice_table_size < 830000);
    assert_true(embedded_liars_dice_table_size + embedded_texas_holdem_table_size + embedded_kuhn_poker_table_size +
                    embedded_leduc_poker_table_size <
                1000000);
    assert_non_null(strstr(embedded_liars_dice_table, "agon solve liars_dice --iterations "));
    for (int i = 0; i < TABLE_CELLS; i++)
        assert_true(t.cell[i + 1] > t.cell[i]);
    struct dice_table bad;
    assert_false(dice_table_open(&bad, embedded_liars_dice_table, embedded_liars_dice_table_size - 1));
    assert_false(dice_table_open(&bad, embedded_liars_dice_table, 100));
}

// Shares sum to 1 and are of legal answers, whatever place and hand; a block is read from its start, so few are tried.
static void every_answer_is_legal(void **unused)
{
    (void)unused;
    struct dice_table t = shipped();
    for (int own = 1; own <= 5; own++)
        for (int other = 1; other <= 5; other++) {
            struct round_hands h;
            int shape = round_shape(own, other), tried = 0;
            round_list_hands(&h, own);
            for (int place = 0; place < round_places(shape); place += 1 + round_places(shape) / 60) {
                struct table_mix m;
                float sum = 0;
                int last = round_last(shape, place);
                dice_table_find(&t, &h, other, place, tried++ * 11 % h.count, &m);
                assert_true(m.count >= 1 && m.count <= TABLE_MOVES);
                for (int i = 0; i < m.count; i++) {
                    assert_true(m.rank[i] ? m.rank[i] > last && m.rank[i] <= 6 * (own + other) : last);
                    sum += m.share[i];
                }
                assert_true(fabsf(sum - 1) < 1e-4f);
            }
        }
}

// Bytes that are damaged give other answers, all of them legal: nothing is read or written out of bounds.
static void damaged_bytes_are_harmless(void **unused)
{
    (void)unused;
    char *copy = malloc(embedded_liars_dice_table_size);
    assert_non_null(copy);
    memcpy(copy, embedded_liars_dice_table, embedded_liars_dice_table_size);
    for (size_t i = TABLE_HEAD + 4 * (TABLE_CELLS + 1); i < embedded_liars_dice_table_size; i += 13)
        copy[i] = (char)(copy[i] ^ (int)(i * 37 | 1));
    struct dice_table t;
    assert_true(dice_table_open(&t, copy, embedded_liars_dice_table_size));
    for (int own = 1; own <= 5; own++) {
        struct round_hands h;
        int other = 6 - own, shape = round_shape(own, other);
        round_list_hands(&h, own);
        for (int place = 0; place < round_places(shape); place += 29) {
            struct table_mix m;
            int last = round_last(shape, place);
            dice_table_find(&t, &h, other, place, place % h.count, &m);
            assert_true(m.count >= 1);
            for (int i = 0; i < m.count; i++)
                assert_true(m.rank[i] ? m.rank[i] > last && m.rank[i] <= 36 : last);
        }
    }
    free(copy);
}

// The coder: what was written is read back, and a stream of likely bits is short.
static void bits_are_read_back(void **unused)
{
    (void)unused;
    struct coder_bit model[2][64];
    struct text out = {.grow = heap_text_grow};
    struct coder c;
    struct rng dice[2] = {{.key = {7}}, {.key = {7}}};
    for (int reads = 0; reads < 2; reads++) {
        coder_reset(model[0], 128);
        if (reads)
            coder_read(&c, out.at, out.size);
        else
            coder_write(&c, &out);
        for (int i = 0; i < 20000; i++) {
            bool rare = rng_below(&dice[reads], 50) == 0;
            unsigned number = rng_below(&dice[reads], 4) ? 5 : rng_below(&dice[reads], 64);
            assert_int_equal(coder_code(&c, &model[0][0], !reads && rare), rare);
            assert_int_equal(coder_number(&c, model[1], 6, reads ? 0 : number), number);
        }
        if (!reads)
            coder_finish(&c);
    }
    assert_in_range(out.size, 5500, 8000); // 17,500 bytes without models
    free(out.at);
}

// N5.1, N5.3: one pair of dice counts solved again as the head of the file says.
static void made_again(void **unused)
{
    (void)unused;
    struct dice_table t = shipped();
    const char *at = strstr(embedded_liars_dice_table, "--iterations ");
    int iterations = atoi(at + strlen("--iterations "));
    struct cfr *train = cfr_create(1, 1);
    struct text out = {.grow = heap_text_grow};
    for (int i = 0; i < iterations; i++)
        cfr_iterate(train);
    assert_true(fabs(cfr_value(train, 0) - 0.4895) < 0.004); // of the last iteration, which swings
    table_write_cfr(&out, train, 0, 1, 1);
    assert_int_equal(out.size, t.cell[1] - t.cell[0]);
    assert_memory_equal(out.at, t.bytes + t.cell[0], out.size);
    free(out.at);
    cfr_destroy(train);
}

// The file without one dice against three.
static struct text without_a_pair(void)
{
    struct dice_table t = shipped();
    struct text before = {.grow = heap_text_grow};
    uint32_t end[TABLE_CELLS + 1], all = TABLE_HEAD + sizeof end;
    text_put(&before, (struct span){embedded_liars_dice_table, all});
    for (int i = 0; i < TABLE_CELLS; i++) {
        size_t size = i == table_cell(1, 3) || i == table_cell(3, 1) ? 0 : t.cell[i + 1] - t.cell[i];
        end[i] = (uint32_t)before.size;
        text_put(&before, (struct span){embedded_liars_dice_table + t.cell[i], size});
    }
    end[TABLE_CELLS] = (uint32_t)before.size;
    memcpy(before.at + TABLE_HEAD, end, sizeof end);
    return before;
}

// N5.1, N5.7: solved by the command in its head, it is the file.
static void a_pair_is_made_again(void **unused)
{
    (void)unused;
    struct text before = without_a_pair(), out = {.grow = heap_text_grow};
    struct solve_job job = {.threads = 1, .command = embedded_liars_dice_table + 9, .before = text_span(&before)};
    job.iterations = strtoull(strstr(job.command, "--iterations ") + strlen("--iterations "), NULL, 10);
    assert_int_equal(liars_dice_solve.solve(&job, &out), OK);
    assert_int_equal(out.size, embedded_liars_dice_table_size);
    assert_memory_equal(out.at, embedded_liars_dice_table, out.size);
    free(before.at);
    free(out.at);
}

static bool stop_unasked(void *owner, const char *line)
{
    *(int *)owner += !line;
    return !line;
}

// It stops after the step in which it is told to, long before the next line; what was not finished is left out.
static void a_pair_is_stopped(void **unused)
{
    (void)unused;
    int steps = 0;
    struct text before = without_a_pair(), out = {.grow = heap_text_grow};
    struct solve_job job = {.iterations = 1000000000,
                            .threads = 1,
                            .command = "",
                            .before = text_span(&before),
                            .progress = stop_unasked,
                            .owner = &steps};
    assert_int_equal(liars_dice_solve.solve(&job, &out), OK);
    assert_int_equal(steps, 1);
    assert_int_equal(out.size, before.size);
    free(before.at);
    free(out.at);
}

// N5.1: who is named first does not matter, whatever the hands of both leave in the work space.
static void sides_are_alike(void **unused)
{
    (void)unused;
    struct cfr *one = cfr_create(2, 3), *two = cfr_create(3, 2);
    int shape = round_shape(2, 3), known = 0;
    for (int i = 0; i < 5; i++)
        cfr_iterate(one), cfr_iterate(two);
    for (int place = 0; place < round_places(shape); place++)
        for (int hand = 0; hand < 21; hand++) {
            float a[ROUND_MOVES], b[ROUND_MOVES];
            bool there = cfr_average(one, 0, place, hand, a);
            assert_int_equal(there, cfr_average(two, 1, place, hand, b));
            known += there;
            if (there)
                assert_memory_equal(a, b, (size_t)round_moves(shape, round_last(shape, place)) * sizeof *a);
        }
    assert_true(known > 1000);
    cfr_destroy(one);
    cfr_destroy(two);
}

// Two dice against three, trained or refined, as a table with this cell alone.
static struct dice_table put_small(struct text *out, const struct cfr *train, const struct cfr_br *refine)
{
    for (int i = 0; i < TABLE_HEAD + 4 * (TABLE_CELLS + 1); i++)
        text_put_char(out, i < 8 ? "AGONDIC2"[i] : 0);
    uint32_t begin = (uint32_t)out->size;
    if (refine)
        table_write_cfr_br(out, refine, 2, 3);
    else
        table_write_cfr(out, train, 0, 2, 3);
    for (int i = 0; i <= TABLE_CELLS; i++) {
        uint32_t where = i <= 1 * LIARS_DICE_DICE + 2 ? begin : (uint32_t)out->size;
        memcpy(out->at + TABLE_HEAD + 4 * i, &where, sizeof where);
    }
    struct dice_table t;
    assert_true(dice_table_open(&t, out->at, out->size));
    return t;
}

// N5.7: what is packed has only moves that it had before, and a player that knows it wins less.
static void refined_is_harder_to_beat(void **unused)
{
    (void)unused;
    struct cfr *train = cfr_create(2, 3);
    struct text out[2] = {{.grow = heap_text_grow}, {.grow = heap_text_grow}};
    for (int i = 0; i < 10; i++)
        cfr_iterate(train);
    struct dice_table before = put_small(&out[0], train, NULL);
    struct cfr_br *r = cfr_br_create(&before, 2, 3);
    cfr_br_pass(r);
    double open = cfr_br_won(r, true), reply = cfr_br_won(r, false);
    for (int i = 0; i < 30; i++)
        cfr_br_pass(r);
    struct dice_table after = put_small(&out[1], NULL, r);
    cfr_br_destroy(r);
    assert_true(out[1].size <= out[0].size);
    r = cfr_br_create(&after, 2, 3);
    cfr_br_pass(r);
    assert_true(cfr_br_won(r, true) + cfr_br_won(r, false) < open + reply - 0.02);
    cfr_br_destroy(r);
    struct round_hands h;
    round_list_hands(&h, 2);
    for (int hand = 0; hand < h.count; hand++)
        for (int bid = 0; bid <= 12; bid++) { // every hand is listed there
            struct table_mix was, is;
            dice_table_find(&before, &h, 3, bid, hand, &was);
            dice_table_find(&after, &h, 3, bid, hand, &is);
            for (int i = 0, k = 0; i < is.count; i++, k++) {
                while (k < was.count && was.rank[k] != is.rank[i])
                    k++;
                assert_true(k < was.count);
            }
        }
    free(out[0].at);
    free(out[1].at);
    cfr_destroy(train);
}

// N5.6, N5.7: what is learnt against wins what a sampled response does. The second asks the player itself.
static void both_responses_win_alike(void **unused)
{
    (void)unused;
    struct dice_table t = shipped();
    struct cfr_br *r = cfr_br_create(&t, 3, 2);
    struct best_response *a = best_response_create(&liars_dice_solved_bot);
    cfr_br_pass(r);
    for (int opens = 0; opens < 2; opens++) {
        struct best_response_sample local = best_response_local(a, 2, 3, opens, 1000, 84);
        assert_true(fabs(local.mean - cfr_br_won(r, opens)) < 4 * sqrt(local.variance));
    }
    best_response_destroy(a);
    cfr_br_destroy(r);
}

// How far the table is from the average at a place, without what is played less often than 0.02.
static float farthest(const struct dice_table *t, const struct cfr *train, int place, int hand)
{
    struct round_hands h;
    struct table_mix m;
    float share[ROUND_MOVES], kept = 0, most = 0;
    int last = round_last(round_shape(2, 3), place), moves = round_moves(round_shape(2, 3), last);
    round_list_hands(&h, 2);
    assert_true(cfr_average(train, 0, place, hand, share));
    for (int i = 0; i < moves; i++)
        kept += share[i] >= 0.02f ? share[i] : 0;
    dice_table_find(t, &h, 3, place, hand, &m);
    for (int i = 0; i < m.count; i++) {
        float off = fabsf(m.share[i] - share[m.rank[i] ? m.rank[i] - last : 0] / kept);
        most = off > most ? off : most;
    }
    return most;
}

// N5.2: what is packed is the average within three quanta: of 32, or of 16 after an own bid. That holds wherever the
// own play leads to with a chance above 0.03.
static void packed_is_what_was_learnt(void **unused)
{
    (void)unused;
    struct cfr *train = cfr_create(2, 3);
    struct text out = {.grow = heap_text_grow};
    for (int i = 0; i < 10; i++)
        cfr_iterate(train);
    struct dice_table t = put_small(&out, train, NULL);
    struct round_hands h;
    int shape = round_shape(2, 3), listed = 0;
    round_list_hands(&h, 2);
    for (int hand = 0; hand < h.count; hand++) {
        struct table_mix opening;
        for (int bid = 1; bid <= 12; bid++) // the other opened: every hand is listed there
            assert_true(farthest(&t, train, bid, hand) < 3.0f / 32);
        dice_table_find(&t, &h, 3, 0, hand, &opening);
        for (int i = 0; i < opening.count; i++) {
            int after = round_next(shape, 0, opening.rank[i]);
            int most = opening.share[i] > 0.04f ? opening.rank[i] + 6 : 0;
            for (int bid = opening.rank[i] + 1; bid <= most && bid <= round_highest(shape); bid++) {
                assert_true(farthest(&t, train, round_next(shape, after, bid), hand) < 3.0f / 16);
                listed += opening.share[i] < 0.14f;
            }
        }
    }
    assert_true(listed > 50);
    free(out.at);
    cfr_destroy(train);
}

// N5.5: between one and two dice; 2 v 2 takes longer and is a gate.
static void hard_to_beat(void **unused)
{
    (void)unused;
    static const uint8_t rounds[][2] = {{1, 1}, {1, 2}, {2, 1}};
    static const double value[] = {0.4895, 0.4537, 0.6295};
    // Of the table as it is, when the answer opens and when the bot does: from a program of its own that follows whole
    // sequences of bids and takes no bot to forget any.
    static const double best[][2] = {{0.500922, 0.513007}, {0.466894, 0.547472}, {0.637628, 0.376977}};
    struct best_response *a = best_response_create(&liars_dice_solved_bot);
    for (int i = 0; i < 3; i++) {
        int own = rounds[i][0], other = rounds[i][1];
        double open = best_response_best(a, own, other, true), reply = best_response_best(a, other, own, false);
        assert_true(fabs(open - best[i][0]) < 2e-6 && fabs(reply - best[i][1]) < 2e-6);
        assert_true((open + reply - 1) / 2 < 0.015);
        assert_true(open > value[i] - 0.002 && 1 - reply < value[i] + 0.002); // nobody does better than both can
    }
    best_response_destroy(a);
    a = best_response_create(&liars_dice_rules_bot);
    assert_true(best_response_best(a, 1, 1, true) + best_response_best(a, 1, 1, false) - 1 > 0.1);
    best_response_destroy(a);
}

// N5.6: it cannot win more than the best answer does.
static void local_is_a_lower_bound(void **unused)
{
    (void)unused;
    struct best_response *a = best_response_create(&liars_dice_rules_bot);
    double best = best_response_best(a, 1, 1, true);
    struct best_response_sample local = best_response_local(a, 1, 1, true, 2000, 1);
    assert_true(local.mean < best + 4 * sqrt(local.variance));
    assert_true(local.mean > 0.5 && local.variance < 0.25 / 2000);
    for (uint64_t seed = 1; seed < 4; seed++) { // of two values the variance of the mean is half their distance squared
        struct best_response_sample one = best_response_local(a, 1, 1, true, 1, seed),
                                    two = best_response_local(a, 1, 1, true, 2, seed);
        assert_true(one.variance == 0);
        assert_true(fabs(two.variance - (two.mean - one.mean) * (two.mean - one.mean)) < 1e-12);
    }
    best_response_destroy(a);
}

static void hear(struct bid_history *m, int round, int bid, int bidder, bool told)
{
    struct liars_dice_view v = {.seats = 2, .round = (uint8_t)round, .bid = (uint8_t)bid, .bidder = (uint8_t)bidder};
    struct game_event e = {.kind = LIARS_DICE_BADE, .seat = (uint8_t)bidder, .amount = bid};
    bid_history_observe(m, &(struct bot_news){&liars_dice_game, 0, 2, told ? &e : NULL, told, 0, &v});
}

// N1.7: bids by events, and where those are missing by views; a new round begins anew.
static void what_it_remembers(void **unused)
{
    (void)unused;
    struct bid_history m = {0};
    hear(&m, 1, 0, 255, false);
    assert_int_equal(m.count, 0);
    hear(&m, 1, 9, 1, true);
    hear(&m, 1, 14, 0, true);
    hear(&m, 1, 14, 0, false); // the same view again
    hear(&m, 1, 15, 1, false);
    assert_int_equal(m.count, 3);
    assert_memory_equal(m.bid, ((uint8_t[]){9, 14, 15}), 3);
    assert_memory_equal(m.bidder, ((uint8_t[]){1, 0, 1}), 3);
    hear(&m, 2, 0, 255, false);
    assert_int_equal(m.count, 0);
    hear(&m, 3, 20, 1, false);
    assert_int_equal(m.count, 1);
    // Two rounds at once, the second begun higher than the first one ended.
    struct liars_dice_view v = {.seats = 2, .round = 4, .bid = 30, .bidder = 1};
    const struct game_event both[] = {{.kind = LIARS_DICE_BADE, .seat = 0, .amount = 25},
                                      {.kind = LIARS_DICE_ROUND_START, .amount = 4},
                                      {.kind = LIARS_DICE_BADE, .seat = 1, .amount = 30}};
    bid_history_observe(&m, &(struct bot_news){&liars_dice_game, 0, 2, both, 3, 0, &v});
    assert_int_equal(m.count, 1);
    assert_int_equal(m.bid[0], 30);
}

static uint32_t place_after(int own, int other, const int bids[3])
{
    struct bid_history m = {0};
    for (int i = 0; i < 3; i++)
        hear(&m, 1, bids[i], i & 1, true);
    struct liars_dice_view v = {.seats = 2,
                                .total = (uint8_t)(own + other),
                                .bid = (uint8_t)bids[2],
                                .dice_counts = {(uint8_t)own, (uint8_t)other}};
    return liars_dice_solved_bot.place(&(struct bot_ask){.view = &v, .mind = &m});
}

// N5.1: what is remembered depends on the dice.
static void what_a_place_tells(void **unused)
{
    (void)unused;
    static const int bids[][3] = {{3, 9, 14}, {5, 9, 14}, {3, 8, 14}, {5, 15, 20}, {5, 9, 20}};
    assert_int_equal(place_after(5, 5, bids[0]), place_after(5, 5, bids[1])); // the first bid is forgotten
    assert_int_not_equal(place_after(5, 5, bids[0]), place_after(5, 5, bids[2]));
    assert_int_not_equal(place_after(5, 5, bids[3]), place_after(5, 5, bids[4])); // the own bid, not its face alone
    assert_int_not_equal(place_after(3, 5, bids[3]), place_after(3, 5, bids[4]));
    assert_int_not_equal(place_after(3, 3, bids[3]), place_after(3, 3, bids[4]));
    assert_int_equal(place_after(3, 3, bids[0]), place_after(3, 3, bids[1]));
    assert_int_not_equal(place_after(2, 2, bids[0]), place_after(2, 2, bids[1]));
}

static void events_are_read_back(void **unused)
{
    (void)unused;
    static const char *const names[] = {"ann", "bob"};
    struct codec_table table = {.seat = names, .seats = 2, .viewer = 0};
    struct game_event e = {.kind = LIARS_DICE_BADE, .seat = 1, .to = EVERYONE, .amount = 17}, again = {0};
    char room[256];
    struct text t = text_on(room, sizeof room);
    codec_write_event(&liars_dice_codec, &t, &table, &e, 1);
    struct json_reader r = json_reader_of(text_span(&t), 8);
    assert_true(liars_dice_codec.read_event(&r, &table, &again));
    assert_memory_equal(&again, &e, sizeof e);
    r = json_reader_of(SPAN("{\"type\":\"round_start\",\"round\":3,\"dice_counts\":{\"ann\":4}}"), 8);
    assert_true(liars_dice_codec.read_event(&r, &table, &again));
    assert_int_equal(again.kind, LIARS_DICE_ROUND_START);
    assert_int_equal(again.amount, 3);
    static const char *const bad[] = {"{}", "{\"type\":\"round_start\"}", "{\"type\":\"bid\",\"seat\":\"ann\"}",
                                      "{\"type\":\"bid\",\"seat\":\"cat\",\"quantity\":1,\"face\":1}",
                                      "{\"type\":\"bid\",\"seat\":\"ann\",\"quantity\":99,\"face\":1}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        r = json_reader_of(span_of(bad[i]), 8);
        assert_false(liars_dice_codec.read_event(&r, &table, &again));
    }
}

static int wins(const struct bot *hero, const struct bot *others, int seats, int matches)
{
    int won = 0;
    for (int i = 0; i < matches; i++) {
        static struct minds minds;
        static uint64_t block[GAME_MAX_SEATS * BOT_MAX_MIND / 8];
        struct match m;
        struct match_setup setup = {.game = &liars_dice_game, .seats = seats};
        setup.key[0] = (uint8_t)(i / seats), setup.key[1] = (uint8_t)(i / seats >> 8), setup.key[2] = 9;
        assert_int_equal(match_start(&m, &setup, NULL, NULL), OK);
        minds_init(&minds, block);
        for (int s = 0; s < seats; s++)
            minds_add(&minds, s == i % seats ? hero : others, s);
        minds_begin(&minds, &m, NULL);
        while (!match_is_over(&m)) {
            struct game_turn turn = m.game->turn(&m.state);
            int seat = __builtin_ctz(turn.seats);
            const struct bot *bot = seat == i % seats ? hero : others;
            struct game_action a = house_ask(&m, bot, seat, (uint32_t)m.steps, 0.5f);
            assert_int_equal(match_answer(&m, seat, turn.number, a, NULL), OK);
        }
        int32_t payoffs[GAME_MAX_SEATS];
        m.game->payoffs(&m.state, payoffs);
        won += payoffs[i % seats];
    }
    return won;
}

// N2.3, N5.4: what is clear in few games; the rest is measured (docs/strength.md).
static void the_ladder(void **unused)
{
    (void)unused;
    assert_true(wins(&liars_dice_novice_bot, &bot_random, 2, 200) >= 150);
    assert_true(wins(&liars_dice_solved_bot, &liars_dice_plain_bot, 2, 200) >= 100);
    assert_true(wins(&liars_dice_solved_bot, &bot_random, 5, 50) >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_whole),
        cmocka_unit_test(every_answer_is_legal),
        cmocka_unit_test(damaged_bytes_are_harmless),
        cmocka_unit_test(bits_are_read_back),
        cmocka_unit_test(made_again),
        cmocka_unit_test(a_pair_is_made_again),
        cmocka_unit_test(a_pair_is_stopped),
        cmocka_unit_test(sides_are_alike),
        cmocka_unit_test(packed_is_what_was_learnt),
        cmocka_unit_test(refined_is_harder_to_beat),
        cmocka_unit_test(both_responses_win_alike),
        cmocka_unit_test(hard_to_beat),
        cmocka_unit_test(local_is_a_lower_bound),
        cmocka_unit_test(what_it_remembers),
        cmocka_unit_test(what_a_place_tells),
        cmocka_unit_test(events_are_read_back),
        cmocka_unit_test(the_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
