// Whoever is asked over a wire reads its view from text that somebody else wrote: an arena at the other end of `agon
// agent`, an engine that asks the bot API. Whatever the text says, it is refused, or every house player answers it
// within its memory. Messages of real matches are changed in one place or several, with seeded dice.
// AGON_FOREIGN_MATCHES and AGON_FOREIGN_CHANGES try more, AGON_FOREIGN_GAME one game alone.
#include "ask_players.h"
#include "bots/self_play.h"
#include "games/games.h"
#include "heap/heap.h"
#include "kit/arena_dialect.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MATCHES = 6, STEPS = 120, LEAVES = 9, CHANGED = 12, PARTS = 2048, DEEPEST = 32 };

static uint32_t number_from(const char *name, uint32_t usual)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
}

// ---- Changing a text ------------------------------------------------------------------------------------------------

// The values of a JSON text that are no objects or arrays.
struct parts {
    struct span at[PARTS];
    int count;
};

static bool is_scalar(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '.' || (c >= 'a' && c <= 'z') || c == '+' || c == 'E';
}

static void list_parts(struct span json, struct parts *out)
{
    assert(json.at);
    out->count = 0;
    for (size_t i = 0, n; i < json.size && out->count < PARTS; i += n) {
        n = 1;
        if (json.at[i] == '"') {
            while (i + n < json.size && json.at[i + n] != '"')
                n += json.at[i + n] == '\\' ? 2 : 1;
            n++;
        } else if (is_scalar(json.at[i])) {
            while (i + n < json.size && is_scalar(json.at[i + n]))
                n++;
        } else {
            continue;
        }
        out->at[out->count++] = (struct span){json.at + i, n};
    }
}

static struct span number_beside(struct span old, char room[24], struct rng *dice)
{
    static const char *const odd[] = {"0",  "1",  "2",   "3",   "5",    "6",         "7",          "9",
                                      "12", "30", "180", "255", "1000", "536870912", "2147483647", "-1"};
    const int count = sizeof odd / sizeof *odd, pick = (int)rng_below(dice, (uint32_t)count + 2);
    if (pick < count)
        return span_of(odd[pick]);
    snprintf(room, 24, "%ld", strtol(old.at, NULL, 10) + (pick == count ? 1 : -1));
    return span_of(room);
}

// One value becomes another: a number one that is odd, a word (or key) another one of the text, or anything nothing.
static void change(struct span json, struct text *out, struct rng *dice)
{
    static struct parts parts;
    char room[24];
    list_parts(json, &parts);
    out->size = 0;
    if (!parts.count) {
        text_put(out, json);
        return;
    }
    struct span old = parts.at[rng_below(dice, (uint32_t)parts.count)], new = SPAN("null");
    size_t before = (size_t)(old.at - json.at);
    bool is_number = old.at[0] == '-' || (old.at[0] >= '0' && old.at[0] <= '9');
    if (rng_below(dice, 12) && is_number)
        new = number_beside(old, room, dice);
    else if (rng_below(dice, 12))
        for (int i = 0; i < 20; i++) {
            new = parts.at[rng_below(dice, (uint32_t)parts.count)];
            if (new.at[0] == old.at[0])
                break;
        }
    text_put(out, (struct span){json.at, before});
    text_put(out, new);
    text_put(out, (struct span){json.at + before + old.size, json.size - before - old.size});
}

// ---- Asking ---------------------------------------------------------------------------------------------------------

struct asking {
    const struct game_kit *kit;
    const struct wire *wire;
    struct match match;
    struct game_events first;
    struct text data, changed, again; // a request, and what became of it
    struct text choices, earlier;     // the legal actions, and those of an earlier question
    struct rng dice;
    uint32_t asked, refused;
};

struct question {
    int seat, count;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
};

// Who asks, and how. `put` writes the legal actions to `choices` and all but them to `data`, an open object.
struct wire {
    bool (*speaks)(const struct game_kit *k);
    void (*put)(struct asking *a, const struct question *q);
    int (*read)(const struct asking *a, struct span json, int seat, struct action_request *t);
    const char *legal; // the member with the legal actions
};

// ---- The arena, to `agon agent` -------------------------------------------------------------------------------------

static bool arena_speaks(const struct game_kit *k)
{
    return !dialect_refusal(k) && dialect_has_view(k);
}

static void arena_put(struct asking *a, const struct question *q)
{
    struct text *t = &a->data;
    struct arena_observation seen = {.table = dialect_table(a->match.seats, q->seat), .view = &q->view};
    dialect_write_choices(a->kit, &a->choices, &seen, q->choices, q->count);
    json_put_text(t, "match_id", "m");
    json_put_text(t, "request_id", "r");
    json_key(t, "state");
    dialect_write_state(a->kit, t, &seen);
    json_key(t, "players");
    dialect_write_players(a->kit, t, &seen);
}

static int arena_read(const struct asking *a, struct span json, int seat, struct action_request *t)
{
    (void)seat;
    return action_request_read(a->kit, json, t);
}

// ---- An engine, to the bot API --------------------------------------------------------------------------------------

static bool engine_speaks(const struct game_kit *k)
{
    return k->codec->read_view;
}

static struct codec_table engine_table(const struct asking *a, int seat)
{
    return (struct codec_table){.seat = codec_seat_names, .seats = a->match.seats, .viewer = seat};
}

static void engine_put(struct asking *a, const struct question *q)
{
    const struct codec *c = a->kit->codec;
    struct codec_table table = engine_table(a, q->seat);
    json_begin_array(&a->choices);
    for (int i = 0; i < q->count; i++)
        codec_write_choice(c, &a->choices, &table, q->choices[i]);
    json_end_array(&a->choices);
    json_put_text(&a->data, "phase", c->phases[codec_phase(c, &q->view)]);
    json_begin_object_at(&a->data, "view");
    c->write_view(&a->data, &table, &q->view);
    json_end_object(&a->data);
}

static int engine_read(const struct asking *a, struct span json, int seat, struct action_request *t)
{
    const struct codec *c = a->kit->codec;
    struct codec_table table = engine_table(a, seat);
    struct span view = json_member(json, "view");
    struct json_reader phase = json_reader_of(json_member(json, "phase"), 1);
    struct json_reader legal = json_reader_of(json_member(json, "legal"), DEEPEST);
    t->seat = seat;
    t->seats = a->match.seats;
    for (json_enter_array(&legal); json_next_item(&legal) && t->count < GAME_MAX_CHOICES;) {
        struct json_reader item = legal;
        json_skip(&legal);
        t->count += codec_read_choice(c, &item, &table, &t->choices[t->count]);
    }
    int at = json_peek(&phase) == JSON_STRING ? json_string_among(json_read_string(&phase), c->phases) : -1;
    t->fallback = t->choices[0].first;
    bool is_read = at >= 0 && view.at && codec_read_view(c, json_reader_of(view, DEEPEST), &table, at, &t->view);
    return is_read && t->count ? OK : ERR_FORMAT;
}

static const struct wire wires[] = {{arena_speaks, arena_put, arena_read, "legal_actions"},
                                    {engine_speaks, engine_put, engine_read, "legal"}};

// ---- Matches --------------------------------------------------------------------------------------------------------

static void put_request(struct asking *a, const struct question *q, bool earlier)
{
    a->data.size = a->choices.size = 0;
    json_begin_object(&a->data);
    a->wire->put(a, q);
    json_put_raw(&a->data, a->wire->legal, text_span(earlier && a->earlier.size ? &a->earlier : &a->choices));
    json_end_object(&a->data);
}

static bool ask(struct asking *a, struct span json, int seat, bool is_real)
{
    static struct action_request t;
    memset(&t, 0, sizeof t);
    if (a->wire->read(a, json, seat, &t) != OK)
        return false;
    ask_players(a->kit, &t, is_real);
    return true;
}

// The request as it is, then changed in up to three places; now and then with the legal actions of another question.
static void ask_changed(struct asking *a, const struct question *q)
{
    put_request(a, q, false);
    assert_true(ask(a, text_span(&a->data), q->seat, true));
    for (uint32_t i = 0; i < number_from("AGON_FOREIGN_CHANGES", CHANGED); i++) {
        put_request(a, q, i % 4 == 3);
        change(text_span(&a->data), &a->changed, &a->dice);
        for (uint32_t more = rng_below(&a->dice, 4); more > 1; more--) {
            change(text_span(&a->changed), &a->again, &a->dice);
            struct text swap = a->changed;
            a->changed = a->again;
            a->again = swap;
        }
        bool was_asked = ask(a, text_span(&a->changed), q->seat, false);
        a->asked += was_asked;
        a->refused += !was_asked;
    }
    a->earlier.size = 0;
    text_put(&a->earlier, text_span(&a->choices));
}

static void play(struct asking *a, uint32_t n)
{
    struct match *m = &a->match;
    const struct game *g = a->kit->game;
    static struct question q;
    struct match_setup setup = {
        .game = g, .seats = g->min_seats + (int)n % (g->max_seats - g->min_seats + 1), .key = {(uint8_t)n, 3}};
    a->first.count = 0;
    assert_int_equal(match_start(m, &setup, NULL, &a->first), OK);
    for (int i = 0; i < STEPS && !match_is_over(m); i++) {
        q.seat = self_play_next_seat(m);
        if (q.seat < 0) {
            assert_int_equal(match_tick(m, NULL), OK);
            continue;
        }
        g->view(&m->state, q.seat, &q.view);
        q.count = g->choices(&m->state, q.seat, q.choices);
        ask_changed(a, &q);
        if (i == LEAVES && m->seats > 2) { // a table with an empty seat
            assert_int_equal(match_drop(m, q.seat, 0, NULL), OK);
            continue;
        }
        struct game_action move = house_ask(m, &bot_random, q.seat, (uint32_t)i, 0.5f);
        assert_int_equal(match_answer(m, q.seat, g->turn(&m->state).number, move, NULL), OK);
    }
}

static void play_all(const struct game_kit *k, const struct wire *w)
{
    static struct asking a;
    a = (struct asking){.kit = k, .wire = w, .dice = {.key = {7}}};
    struct text *texts[] = {&a.data, &a.changed, &a.again, &a.choices, &a.earlier};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        texts[i]->grow = heap_text_grow;
    for (uint32_t n = 0; n < number_from("AGON_FOREIGN_MATCHES", MATCHES); n++)
        play(&a, n);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]->at);
    if (a.asked < 20 || a.refused < 20)
        fail_msg("%s, %s: %u changed requests were read and %u refused", k->game->name, w->legal, a.asked, a.refused);
}

static void every_player_bears_them(void **unused)
{
    (void)unused;
    const char *only = getenv("AGON_FOREIGN_GAME");
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (size_t w = 0; w < sizeof wires / sizeof *wires; w++)
            if (wires[w].speaks(*k) && (!only || strcmp(only, (*k)->game->name) == 0))
                play_all(*k, &wires[w]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_player_bears_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
