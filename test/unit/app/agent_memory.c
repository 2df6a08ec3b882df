// N1.7: a house bot that plays through an arena's wire remembers what it remembers at a table of ours, byte for byte.
#include "app/agent_memory.h"
#include "app/games.h"
#include "bots/self_play.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "house/mind_memory.h"
#include "request_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MATCHES = 12 };

static const struct game_kit *kit;
static struct match match;
static struct game_events happened;
static struct text past = {
    .grow = heap_text_grow};            // every public event, as the wire has it: objects with commas between them
static size_t asked_at[GAME_MAX_SEATS]; // how much of it each seat had been told at its last question
static uint32_t seq;

static void write_events(void)
{
    struct codec_table table = dialect_table(match.seats, GAME_SPECTATOR);
    for (uint32_t i = 0; i < happened.count;) {
        uint32_t parts = (uint32_t)codec_event_parts(&happened.at[i], happened.count - i);
        struct match_event e = {.at_ms = 1000, .seq = seq, .count = parts, .at = &happened.at[i]};
        i += parts;
        if (!dialect_is_public(e.at))
            continue;
        if (past.size)
            text_put_char(&past, ',');
        dialect_write_event(kit, &past, &table, &e);
        seq++;
    }
    happened.count = happened.ticks = 0;
}

// A question with what is new; after a reconnect with everything.
static void ask(struct agent_memory *memory, int seat, bool reconnect)
{
    static struct action_request t;
    struct text more = {.grow = heap_text_grow}, page = {.grow = heap_text_grow};
    size_t from = asked_at[seat] ? asked_at[seat] + 1 : 0;
    text_puts(&more, ",\"new_events\":[");
    if (from < past.size)
        text_put(&more, (struct span){past.at + from, past.size - from});
    text_puts(&more, "],\"event_history\":[");
    if (reconnect)
        text_put(&more, text_span(&past));
    text_puts(&more, "]");
    text_put_char(&more, 0);
    request_write(&page, kit, &match, seat, more.at);
    assert_int_equal(action_request_read(kit, text_span(&page), &t), OK);
    agent_memory_update(memory, &t, text_span(&page));
    asked_at[seat] = past.size;
    free(more.at);
    free(page.at);
}

static int play(const struct bot *bot, int n)
{
    struct agent_memory *memory[GAME_MAX_SEATS] = {0};
    const struct bot *bots[GAME_MAX_SEATS] = {0};
    struct mind_memory *minds = NULL;
    struct match_setup setup = {.game = kit->game, .seats = 2 + n % 3, .key = {(uint8_t)n, 9}};
    struct rng dice = {.key = {(uint32_t)n, 5}};
    int compared = 0;
    past.size = seq = 0;
    memset(asked_at, 0, sizeof asked_at);
    for (int s = 0; s < setup.seats; s++) {
        bots[s] = bot;
        memory[s] = agent_memory_open(kit, bot);
        agent_memory_start(memory[s], SPAN("{}"));
    }
    assert_int_equal(match_start(&match, &setup, NULL, &happened), OK);
    mind_memory_begin(&minds, &match, bots, &happened);
    write_events();
    while (!match_is_over(&match)) {
        int seat = self_play_next_seat(&match);
        if (rng_below(&dice, 4) || n % 2) { // else the others go on, as if this seat had not been asked
            ask(memory[seat], seat, rng_below(&dice, 8) == 0);
            assert_memory_equal(agent_memory_mind(memory[seat]), minds_find(&match, bot, seat), bot->mind_size);
            compared++;
        }
        struct game_action a = house_ask(&match, &bot_random, seat, (uint32_t)match.steps, 0.5f);
        assert_int_equal(match_answer(&match, seat, kit->game->turn(&match.state).number, a, &happened), OK);
        write_events();
    }
    for (int s = 0; s < setup.seats; s++)
        agent_memory_close(memory[s]);
    mind_memory_free(minds);
    return compared;
}

static void minds_have_the_same_bytes(void **state)
{
    (void)state;
    int minded = 0, compared = 0;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (const struct bot *const *b = kit_bots(*k); *b; b++) {
            if (!(*b)->mind_size || !(*k)->codec->read_event || dialect_refusal(*k)) // N1.7
                continue;
            kit = *k;
            minded++;
            for (int n = 0; n < MATCHES; n++)
                compared += play(*b, n);
        }
    assert_true(minded >= 3 && compared > 500);
    free(past.at);
}

static void others_have_no_memory(void **state)
{
    (void)state;
    assert_null(agent_memory_open(game_kits[0], &bot_random));
    agent_memory_start(NULL, SPAN("{}"));
    agent_memory_update(NULL, NULL, SPAN("{}"));
    assert_null(agent_memory_mind(NULL));
    agent_memory_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(minds_have_the_same_bytes),
                                       cmocka_unit_test(others_have_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
