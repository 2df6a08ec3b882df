// F9.4 (a): a published match of Liar's Dice, played again. Its bids and challenges, with the dice its challenges show,
// give the same events, legal lists, players and states; fields that the record does not have are not looked at.
// Both readers have these words; ours are not used here.
#define JSON_NULL   OURS_JSON_NULL
#define JSON_REAL   OURS_JSON_REAL
#define JSON_STRING OURS_JSON_STRING
#define JSON_ARRAY  OURS_JSON_ARRAY
#define JSON_OBJECT OURS_JSON_OBJECT
#include "codec/codec.h"
#include "games/games.h"
#include "games/liars_dice/kit.h"
#include "games/liars_dice/rules/liars_dice.h"
#include "match/match.h"
#undef JSON_NULL
#undef JSON_REAL
#undef JSON_STRING
#undef JSON_ARRAY
#undef JSON_OBJECT

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { LINES = 64, EVENTS = 512, ROUNDS = 40, SEATS = 3, ROOM = 1 << 16 };

// The record: frames to p0, and the events they told, by number.
static struct record {
    json_t *line[LINES], *event[EVENTS];
    int lines, events;
    uint8_t dice[ROUNDS][LIARS_DICE_SEATS][LIARS_DICE_DICE]; // by round, from 1
} record;

static struct game_event past[EVENTS];
static uint32_t happened;

static json_t *data_of(const json_t *line)
{
    return json_object_get(json_object_get(line, "payload"), "data");
}

static bool is_request(const json_t *line)
{
    const char *type = json_string_value(json_object_get(json_object_get(line, "payload"), "type"));
    return type && strcmp(type, "action_request") == 0;
}

static void set_dice(uint8_t out[LIARS_DICE_DICE], const json_t *faces)
{
    for (size_t i = 0; i < json_array_size(faces); i++)
        out[i] = (uint8_t)json_integer_value(json_array_get(faces, i));
}

// The last round's dice are p0's alone; the others get ones, as many as they have.
static void guess_last(int round, const json_t *counts, const json_t *own)
{
    for (int seat = 0; seat < SEATS; seat++)
        memset(record.dice[round][seat], 1, (size_t)json_integer_value(json_object_get(counts, dialect_pids[seat])));
    set_dice(record.dice[round][0], own);
}

static void gather(void)
{
    int round = 1;
    const json_t *counts = NULL, *own = NULL;
    for (int i = 0; i < record.lines; i++) {
        json_t *fresh = json_object_get(data_of(record.line[i]), "new_events"), *event;
        size_t k;
        if (!is_request(record.line[i]))
            continue;
        own = json_object_get(json_object_get(data_of(record.line[i]), "state"), "your_dice");
        json_array_foreach(fresh, k, event)
        {
            const char *type = json_string_value(json_object_get(event, "type"));
            const json_t *data = json_object_get(event, "data"), *all = json_object_get(data, "all_dice");
            assert_int_equal(json_integer_value(json_object_get(event, "seq")), record.events);
            record.event[record.events++] = event;
            for (int seat = 0; all && seat < SEATS; seat++)
                set_dice(record.dice[round][seat], json_object_get(all, dialect_pids[seat]));
            if (strcmp(type, "round_start") == 0)
                counts = json_object_get(data, "dice_counts"), round++;
        }
    }
    guess_last(round, counts, own);
}

static bool load(void)
{
    FILE *f = fopen(TEST_DIR "/../../shared/vectors/aifight/happy_path/liars_dice_3player.jsonl", "r");
    char *text = NULL;
    size_t room = 0;
    if (!f)
        return false;
    while (record.lines < LINES && getline(&text, &room, f) > 0)
        record.line[record.lines++] = json_loads(text, 0, NULL);
    free(text);
    fclose(f);
    gather();
    return true;
}

// --- ours

static bool find_event(const void *source, uint32_t seq, struct match_event *out)
{
    (void)source;
    *out = (struct match_event){.seq = seq, .count = 1, .at = &past[seq]};
    return seq < happened;
}

static json_t *parse(const struct text *t)
{
    json_t *value = json_loadb(t->at, t->size, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

// All that is recorded is the same here.
static void expect(const json_t *recorded, const json_t *here, const char *what, int at)
{
    const char *key;
    json_t *value;
    if (!json_is_object(recorded)) {
        if (!json_equal(recorded, here))
            fail_msg("%s %d: %s, not %s", what, at, json_dumps(here, JSON_ENCODE_ANY),
                     json_dumps(recorded, JSON_ENCODE_ANY));
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)recorded, key, value) if (strcmp(key, "ts") != 0)
        expect(value, json_object_get(here, key), key, at);
}

static void expect_event(int seq)
{
    static char bytes[ROOM];
    struct text t = text_on(bytes, sizeof bytes);
    struct codec_table table = dialect_table(SEATS, 0);
    struct match_event e;
    find_event(NULL, (uint32_t)seq, &e);
    dialect_write_event(&liars_dice_kit, &t, &table, &e);
    json_t *here = parse(&t);
    expect(record.event[seq], here, "event", seq);
    json_decref(here);
}

static void expect_request(const struct match *m, const json_t *data, int at)
{
    static char bytes[ROOM];
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    m->game->view(&m->state, 0, &view);
    struct arena_observation seen = {dialect_table(SEATS, 0), &view, find_event, NULL, happened};
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_key(&t, "state");
    dialect_write_state(&liars_dice_kit, &t, &seen);
    json_key(&t, "players");
    dialect_write_players(&liars_dice_kit, &t, &seen);
    json_key(&t, "legal_actions");
    dialect_write_choices(&liars_dice_kit, &t, &seen, choices, m->game->choices(&m->state, 0, choices));
    json_end_object(&t);
    json_t *here = parse(&t);
    for (int i = 0; i < 3; i++) {
        static const char *const keys[] = {"state", "players", "legal_actions"};
        expect(json_object_get(data, keys[i]), json_object_get(here, keys[i]), keys[i], at);
    }
    json_decref(here);
}

static void keep(const struct game_events *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        past[happened++] = e->at[i];
}

// Plays a recorded bid or challenge; a challenge rolls the next round.
static void play(struct match *m, const json_t *event, int round)
{
    const json_t *data = json_object_get(event, "data");
    int seat = json_string_value(json_object_get(event, "player"))[1] - '0';
    struct game_action a = {.kind = LIARS_DICE_CHALLENGE};
    struct game_events e = {0};
    if (strcmp(json_string_value(json_object_get(event, "type")), "bid") == 0)
        a = (struct game_action){.kind = LIARS_DICE_BID,
                                 .amount = liars_dice_rank((int)json_integer_value(json_object_get(data, "quantity")),
                                                           (int)json_integer_value(json_object_get(data, "face")))};
    else if (match_stack(m, record.dice[round + 1][0], SEATS * LIARS_DICE_DICE) != OK)
        fail_msg("the dice of round %d cannot be rolled", round + 1);
    assert_int_equal(match_answer(m, seat, m->game->turn(&m->state).number, a, &e), OK);
    keep(&e);
}

static void start(struct match *m)
{
    struct liars_dice_rules rules;
    struct game_events e = {0};
    liars_dice_game.defaults(&rules);
    memcpy(rules.dice, record.dice[1], sizeof rules.dice);
    struct match_setup setup = {.game = &liars_dice_game, .rules = &rules, .seats = SEATS};
    assert_int_equal(match_start(m, &setup, NULL, &e), OK);
    keep(&e);
}

static void the_record_is_played_again(void **state)
{
    (void)state;
    struct match m;
    int requests = 0, round = 1;
    if (!load())
        skip();
    start(&m);
    for (int i = 0; i < record.lines; i++) {
        if (!is_request(record.line[i]))
            continue;
        const json_t *fresh = json_object_get(data_of(record.line[i]), "new_events");
        int until = (int)happened;
        if (json_array_size(fresh))
            until =
                (int)json_integer_value(json_object_get(json_array_get(fresh, json_array_size(fresh) - 1), "seq")) + 1;
        while ((int)happened < until) {
            int before = (int)happened;
            play(&m, record.event[before], round);
            for (int seq = before; seq < (int)happened; seq++) {
                expect_event(seq);
                round += past[seq].kind == LIARS_DICE_ROUND_START;
            }
        }
        expect_request(&m, data_of(record.line[i]), requests++);
    }
    assert_true(requests > 10);
    for (int i = 0; i < record.lines; i++)
        json_decref(record.line[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_record_is_played_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
