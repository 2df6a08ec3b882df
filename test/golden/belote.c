// B18.1, B18.2: 250 deals played by another implementation (B0.3), followed step by step: seats, cards and modes
// (B1.1-B1.4), every list in order (B3.3, B5.2), contracts (B3.12), tricks and scores (B4.1, B5.1, B6.1-B6.6, B7.3).
#include "games/belote/rules/belote.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const seats[] = {"Bottom", "Left", "Top", "Right", NULL};
static const char *const teams[] = {"Team1", "Team2", NULL};
static const char *const modes[] = {
    "ColourClubs", "ColourDiamonds", "ColourHearts", "ColourSpades", "NoTrumps", "AllTrumps", NULL};
static const char *const ranks[] = {"Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King", "Ace"};
static const char *const suits[] = {"Clubs", "Diamonds", "Hearts", "Spades"};

static int index_of(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], word))
            return i;
    fail_msg("unknown word %s", word);
    return -1;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    assert_non_null(value);
    return value;
}

static int number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (int)json_integer_value(value);
}

static bool flag(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_boolean(value));
    return json_is_true(value);
}

static uint8_t read_card(const char *name)
{
    char spelt[32];
    for (int card = 0; card < BELOTE_CARDS; card++) {
        snprintf(spelt, sizeof spelt, "%s%s", ranks[belote_rank(card)], suits[belote_suit(card)]);
        if (!strcmp(spelt, name))
            return (uint8_t)card;
    }
    fail_msg("unknown card %s", name);
    return BELOTE_NONE;
}

static struct game_action read_word(const json_t *word)
{
    static const char *const types[] = {"Announcement", "Accept", "Double", "Redouble", NULL};
    int type = index_of(types, text(word, "type"));
    struct game_action a = {.kind = (uint8_t)(BELOTE_ANNOUNCE + type)};
    if (a.kind != BELOTE_ACCEPT)
        a.arg[0] = (uint8_t)index_of(modes, text(word, a.kind == BELOTE_ANNOUNCE ? "mode" : "targetMode"));
    return a;
}

static struct game_action read_play(const json_t *card)
{
    return (struct game_action){.kind = BELOTE_PLAY, .arg = {read_card(json_string_value(card))}};
}

// Who is asked, and the whole list in order.
static void check_question(const struct belote_state *s, const json_t *step, struct game_action (*read)(const json_t *))
{
    int seat = index_of(seats, text(step, "player"));
    assert_int_equal(belote_game.turn(s).seats, SEAT(seat));
    struct game_choice list[GAME_MAX_CHOICES];
    int count = belote_game.choices(s, seat, list);
    const json_t *valid = json_object_get(step, "valid");
    assert_int_equal(count, json_array_size(valid));
    for (int i = 0; i < count; i++)
        assert_true(game_same_action(list[i].first, read(json_array_get(valid, (size_t)i))));
}

static void start(struct belote_state *s, const json_t *line)
{
    struct belote_rules rules;
    belote_game.defaults(&rules);
    rules.dealer = (uint8_t)index_of(seats, text(line, "dealer"));
    assert_int_equal(belote_game.init(s, &rules, 4, (struct rng){0}, NULL), OK);
    uint8_t deck[BELOTE_CARDS];
    const json_t *cards = json_object_get(line, "deck");
    assert_int_equal(json_array_size(cards), BELOTE_CARDS);
    for (size_t i = 0; i < BELOTE_CARDS; i++)
        deck[i] = read_card(json_string_value(json_array_get(cards, i)));
    assert_int_equal(belote_game.stack(s, deck, BELOTE_CARDS), OK);
    struct game_action cut = {.kind = BELOTE_CUT, .arg = {flag(line, "fromTop")}, .amount = number(line, "cut")};
    assert_int_equal(belote_game.apply(s, (rules.dealer + 3) % 4, cut, NULL), OK);
}

static void negotiate(struct belote_state *s, const json_t *line)
{
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(line, "negotiation"), i, step)
    {
        assert_int_equal(s->phase, BELOTE_BID_PHASE);
        check_question(s, step, read_word);
        const json_t *chosen = json_array_get(json_object_get(step, "valid"), (size_t)number(step, "chosen"));
        assert_int_equal(belote_game.apply(s, s->turn, read_word(chosen), NULL), OK);
        assert_null(belote_game.check(s));
    }
    assert_int_equal(s->phase, BELOTE_PLAY_PHASE);
    assert_int_equal(s->mode, index_of(modes, text(line, "mode")));
    assert_int_equal(s->multiplier, number(line, "multiplier"));
    assert_int_equal(s->team, index_of(teams, text(line, "announcer")));
}

static void play(struct belote_state *s, const json_t *line, struct game_events *out)
{
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(line, "plays"), i, step)
    {
        assert_int_equal(s->phase, BELOTE_PLAY_PHASE);
        check_question(s, step, read_play);
        out->count = 0;
        struct game_action a = read_play(json_object_get(step, "card"));
        assert_int_equal(belote_game.apply(s, s->turn, a, out), OK);
        assert_null(belote_game.check(s));
    }
    assert_int_equal(i, BELOTE_CARDS);
}

// A DealResult; without a sweep the sweeping team is absent.
static void check_result(const struct belote_deal *d, const json_t *result)
{
    static const char *const multipliers[] = {"", "Normal", "Doubled", "", "Redoubled"};
    assert_string_equal(modes[d->mode], text(result, "gameMode"));
    assert_string_equal(multipliers[d->multiplier], text(result, "multiplier"));
    assert_string_equal(teams[d->team], text(result, "announcerTeam"));
    assert_int_equal(d->card_points[0], number(result, "team1CardPoints"));
    assert_int_equal(d->card_points[1], number(result, "team2CardPoints"));
    assert_int_equal(d->match_points[0], number(result, "team1MatchPoints"));
    assert_int_equal(d->match_points[1], number(result, "team2MatchPoints"));
    bool sweep = d->sweep != BELOTE_NONE;
    assert_int_equal(sweep, flag(result, "wasSweep"));
    assert_int_equal(sweep && d->mode < BELOTE_NO_TRUMPS, flag(result, "isInstantWin"));
    if (sweep)
        assert_string_equal(teams[d->sweep], text(result, "sweepingTeam"));
    else
        assert_null(json_object_get(result, "sweepingTeam"));
}

static void check_after(const struct belote_state *s, const json_t *after)
{
    assert_int_equal(s->target, number(after, "targetScore"));
    assert_int_equal(s->points[0], number(after, "team1MatchPoints"));
    assert_int_equal(s->points[1], number(after, "team2MatchPoints"));
    assert_string_equal(seats[s->dealer], text(after, "currentDealer"));
    bool complete = flag(after, "isComplete");
    assert_int_equal(s->phase == BELOTE_DONE, complete);
    if (complete)
        assert_string_equal(teams[s->winner], text(after, "winner"));
    else
        assert_null(json_object_get(after, "winner"));
    const json_t *deals = json_object_get(after, "completedDeals");
    assert_int_equal(json_array_size(deals), 1);
    check_result(&s->last, json_array_get(deals, 0));
}

// What the events told agrees with what the state says.
static void check_events(const struct game_events *e, const struct belote_state *s)
{
    struct belote_deal_ended end;
    assert_int_equal(e->at[1].kind, BELOTE_TRICK_COMPLETED);
    assert_int_equal(e->at[2].kind, BELOTE_DEAL_ENDED);
    memcpy(&end, e->at[2].data, sizeof end);
    assert_memory_equal(&end.deal, &s->last, sizeof end.deal);
    assert_memory_equal(end.points, s->points, sizeof end.points);
    assert_int_equal(e->at[3].kind, s->phase == BELOTE_DONE ? BELOTE_MATCH_ENDED : BELOTE_DEAL_STARTED);
}

static void follow_deals(void **unused)
{
    (void)unused;
    static struct game_events out;
    FILE *file = fopen(TEST_DIR "/golden/belote_deals.jsonl", "r");
    assert_non_null(file);
    json_t *line;
    int lines = 0, overs = 0;
    for (; (line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)); lines++) {
        struct belote_state s;
        start(&s, line);
        negotiate(&s, line);
        play(&s, line, &out);
        check_result(&s.last, json_object_get(line, "result"));
        check_after(&s, json_object_get(line, "after"));
        check_events(&out, &s);
        overs += s.phase == BELOTE_DONE;
        json_decref(line);
    }
    fclose(file);
    assert_int_equal(lines, 250);
    assert_int_equal(overs, 8); // B18.3
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follow_deals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
