// The games in the arena's words, against the examples of F6.
#include "base/rfc3339.h"
#include "codec/codec.h"
#include "games/belote/kit.h"
#include "games/coup/kit.h"
#include "games/games.h"
#include "games/liars_dice/kit.h"
#include "games/texas_holdem/kit.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "match/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { PAST = 512, ROOM = 1 << 16 };

// A match, and what has happened in it.
struct phase {
    const struct game_kit *d;
    struct match m;
    struct game_event past[PAST];
    uint32_t first[PAST], count[PAST];
    uint32_t entries, events;
};

static char page[ROOM];

static bool find_event(const void *source, uint32_t seq, struct match_event *out)
{
    const struct phase *s = source;
    if (seq >= s->events)
        return false;
    *out = (struct match_event){.at_ms = 0, .seq = seq, .count = s->count[seq], .at = &s->past[s->first[seq]]};
    return true;
}

static void keep(struct phase *s, const struct game_events *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        s->past[s->entries] = e->at[i];
        if (dialect_is_public(&e->at[i]))
            s->first[s->events] = s->entries, s->count[s->events++] = 1;
        else
            s->count[s->events - 1]++;
        s->entries++;
    }
}

static struct phase *open_stage(const struct game_kit *d, int seats, const char *rules)
{
    struct phase *s = calloc(1, sizeof *s);
    union game_rules r;
    char bad[64];
    d->codec->game->defaults(&r);
    struct json_reader reader = json_reader_of(span_of(rules), 16);
    assert_int_equal(codec_read_rules(d->codec, &reader, &r, &seats, bad), OK);
    struct match_setup setup = {.game = d->codec->game, .rules = &r, .seats = seats, .key = {7}};
    struct game_events e = {0};
    s->d = d;
    assert_int_equal(match_start(&s->m, &setup, NULL, &e), OK);
    keep(s, &e);
    return s;
}

static struct arena_observation look_at(const struct phase *s, int viewer, union game_view *view)
{
    s->d->codec->game->view(&s->m.state, viewer, view);
    return (struct arena_observation){.table = dialect_table(s->m.seats, viewer),
                                      .view = view,
                                      .event = find_event,
                                      .source = s,
                                      .events = s->events};
}

static int act(struct phase *s, int seat, const char *json)
{
    struct codec_table table = dialect_table(s->m.seats, seat);
    struct game_action a;
    struct game_events e = {0};
    char type[DIALECT_TYPE];
    int err = dialect_read_action(s->d, span_of(json), &table, &a, type);
    if (err == OK)
        err = match_answer(&s->m, seat, s->d->codec->game->turn(&s->m.state).number, a, &e);
    keep(s, &e);
    return err;
}

static const char *legal(const struct phase *s, int seat)
{
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct arena_observation seen = look_at(s, seat, &view);
    struct text t = text_on(page, sizeof page);
    int count = s->d->codec->game->choices(&s->m.state, seat, choices);
    dialect_write_choices(s->d, &t, &seen, choices, count);
    text_put_char(&t, 0);
    return page;
}

static const char *state_of(const struct phase *s, int viewer)
{
    union game_view view;
    struct arena_observation seen = look_at(s, viewer, &view);
    struct text t = text_on(page, sizeof page);
    dialect_write_state(s->d, &t, &seen);
    text_put_char(&t, 0);
    return page;
}

static const char *players_of(const struct phase *s, int viewer)
{
    union game_view view;
    struct arena_observation seen = look_at(s, viewer, &view);
    struct text t = text_on(page, sizeof page);
    dialect_write_players(s->d, &t, &seen);
    text_put_char(&t, 0);
    return page;
}

// An event without its envelope's tail.
static const char *event_of(const struct phase *s, uint32_t seq, int viewer)
{
    struct match_event e;
    struct codec_table table = dialect_table(s->m.seats, viewer);
    struct text t = text_on(page, sizeof page);
    assert_true(find_event(s, seq, &e));
    dialect_write_event(s->d, &t, &table, &e);
    text_put_char(&t, 0);
    char *tail = strstr(page, ",\"seq\":");
    assert_non_null(tail);
    *tail = 0;
    return page;
}

#define LAST (s->events - 1)

// F6.T18.
static void test_holdem_heads_up(void **state)
{
    (void)state;
    struct phase *s = open_stage(&texas_holdem_kit, 2, "{}");
    assert_string_equal(event_of(s, 0, 0),
                        "{\"type\":\"new_hand\",\"data\":{\"hand_num\":1,\"max_hands\":10,\"dealer\":\"p0\","
                        "\"chips\":{\"p0\":10000,\"p1\":10000},\"small_blind\":100,\"big_blind\":200}");
    assert_string_equal(event_of(s, 1, 0), "{\"type\":\"player_action\",\"player\":\"p0\",\"data\":{\"action\":"
                                           "\"small_blind\",\"amount\":100,\"total_bet\":100}");
    assert_string_equal(legal(s, 0), "[{\"type\":\"fold\"},{\"type\":\"call\",\"data\":{\"amount\":100}},"
                                     "{\"type\":\"raise\",\"data\":{\"amount\":400,\"min\":400,\"max\":10000}},"
                                     "{\"type\":\"allin\"}]");
    assert_int_equal(act(s, 0, "{\"type\":\"raise\",\"data\":{\"amount\":600.0}}"), OK);
    assert_string_equal(event_of(s, LAST, 1), "{\"type\":\"player_action\",\"player\":\"p0\",\"data\":{\"action\":"
                                              "\"raise\",\"amount\":600,\"total_bet\":600}");
    assert_string_equal(legal(s, 1), "[{\"type\":\"fold\"},{\"type\":\"call\",\"data\":{\"amount\":400}},"
                                     "{\"type\":\"raise\",\"data\":{\"amount\":1000,\"min\":1000,\"max\":10000}},"
                                     "{\"type\":\"allin\"}]");
    assert_int_equal(act(s, 1, "{\"type\":\"raise\",\"data\":{\"amount\":1500}}"), OK);
    assert_int_equal(act(s, 0, "{\"type\":\"call\",\"data\":{\"amount\":\"ignored\"}}"), OK);
    assert_string_equal(event_of(s, LAST - 1, 1), "{\"type\":\"player_action\",\"player\":\"p0\",\"data\":{\"action\":"
                                                  "\"call\",\"amount\":900,\"total_bet\":1500}");
    assert_non_null(strstr(event_of(s, LAST, 1), "{\"type\":\"community_cards\",\"data\":{\"cards\":["));
    assert_string_equal(legal(s, 1), "[{\"type\":\"check\"},{\"type\":\"raise\",\"data\":{\"amount\":200,\"min\":200,"
                                     "\"max\":8500}},{\"type\":\"allin\"}]");
    const char *seen = state_of(s, 1);
    assert_non_null(strstr(seen, "\"phase\":\"flop\""));
    assert_non_null(strstr(seen, "\"pot\":3000"));
    assert_non_null(strstr(seen, "\"current_player_id\":\"p1\",\"action_order\":[\"p1\",\"p0\"]"));
    assert_non_null(strstr(seen, "\"your_chips\":8500,\"your_bet\":0,\"your_seat\":1,\"your_position\":\"BB\","
                                 "\"your_player_id\":\"p1\""));
    assert_string_equal(players_of(s, 0),
                        "[{\"id\":\"p0\",\"status\":\"active\",\"data\":{\"bet\":0,\"chips\":8500,\"position\":"
                        "\"BTN\",\"seat\":0}},{\"id\":\"p1\",\"status\":\"active\",\"data\":{\"bet\":0,"
                        "\"chips\":8500,\"position\":\"BB\",\"seat\":1}}]");
    free(s);
}

// The deck of F6.T19: p0 and p3 share aces and kings, p1 is worse. Dealt from left of the button, p1 p2 p3 p0 twice.
static void write_t19_deck(char *out, size_t room)
{
    static const char *const front[] = {"2c", "3c", "Ah", "As", "7d", "8d", "Kc", "Kd", "Ac", "Kh", "9s", "5d", "4h"};
    size_t used = (size_t)snprintf(out, room,
                                   "{\"small_blind\":200,\"big_blind\":400,\"stacks\":[1201,1351,8000,9000],"
                                   "\"deck\":[");
    for (int i = 0; i < 13; i++)
        used += (size_t)snprintf(out + used, room - used, "\"%s\",", front[i]);
    for (int c = 0; c < 52; c++) {
        char name[3] = {"23456789TJQKA"[c / 4], "cdhs"[c % 4], 0};
        bool dealt = false;
        for (int i = 0; i < 13; i++)
            dealt |= strcmp(front[i], name) == 0;
        if (!dealt)
            used += (size_t)snprintf(out + used, room - used, "\"%s\",", name);
    }
    snprintf(out + used - 1, room - used + 1, "]}");
}

// F6.T19: six steps, each with its list and its event.
static const struct {
    int seat;
    const char *legal, *action, *data;
} t19[] = {
    {3,
     "[{\"type\":\"fold\"},{\"type\":\"call\",\"data\":{\"amount\":400}},{\"type\":\"raise\",\"data\":{\"amount\":800,"
     "\"min\":800,\"max\":9000}},{\"type\":\"allin\"}]",
     "{\"type\":\"raise\",\"data\":{\"amount\":1000}}", "\"action\":\"raise\",\"amount\":1000,\"total_bet\":1000"},
    {0, "[{\"type\":\"fold\"},{\"type\":\"call\",\"data\":{\"amount\":1000}},{\"type\":\"allin\"}]",
     "{\"type\":\"call\"}", "\"action\":\"call\",\"amount\":1000,\"total_bet\":1000"},
    {1, "[{\"type\":\"fold\"},{\"type\":\"call\",\"data\":{\"amount\":800}},{\"type\":\"allin\"}]",
     "{\"type\":\"allin\",\"data\":{}}", "\"action\":\"allin\",\"amount\":1351,\"total_bet\":1351"},
    {2, "[{\"type\":\"fold\"},{\"type\":\"call\",\"data\":{\"amount\":951}},{\"type\":\"allin\"}]",
     "{\"type\":\"fold\"}", "\"action\":\"fold\",\"total_bet\":400"},
    {3, "[{\"type\":\"fold\"},{\"type\":\"call\",\"data\":{\"amount\":351}},{\"type\":\"allin\"}]",
     "{\"type\":\"call\"}", "\"action\":\"call\",\"amount\":351,\"total_bet\":1351"},
    {0, "[{\"type\":\"fold\"},{\"type\":\"call\",\"data\":{\"amount\":201}},{\"type\":\"allin\"}]",
     "{\"type\":\"call\"}", "\"action\":\"call\",\"amount\":201,\"total_bet\":1201"},
};

static uint32_t find_type(const struct phase *s, const char *type)
{
    char begin[64];
    snprintf(begin, sizeof begin, "{\"type\":\"%s\"", type);
    for (uint32_t i = 0; i < s->events; i++)
        if (strncmp(event_of(s, i, GAME_SPECTATOR), begin, strlen(begin)) == 0)
            return i;
    fail_msg("no event %s", type);
    return 0;
}

static void test_holdem_side_pots(void **state)
{
    (void)state;
    char rules[1024];
    write_t19_deck(rules, sizeof rules);
    struct phase *s = open_stage(&texas_holdem_kit, 4, rules);
    for (size_t i = 0; i < sizeof t19 / sizeof *t19; i++) {
        uint32_t before = s->events;
        assert_string_equal(legal(s, t19[i].seat), t19[i].legal);
        assert_int_equal(act(s, t19[i].seat, t19[i].action), OK);
        assert_non_null(strstr(event_of(s, before, 0), t19[i].data));
    }
    uint32_t result = find_type(s, "hand_result");
    const char *told = event_of(s, result, GAME_SPECTATOR);
    assert_non_null(strstr(told, "\"hand\":1,\"reason\":\"showdown\",\"winners\":[\"p3\",\"p0\"],\"pot\":4303,"
                                 "\"payouts\":{\"p0\":2001,\"p3\":2302}"));
    assert_non_null(strstr(told, "\"p1\":{\"cards\":[\"2c\",\"7d\"],\"hand\":\"High Card\"}"));
    assert_non_null(strstr(told, "\"p2\":{\"folded\":true}"));
    assert_non_null(strstr(event_of(s, result, 2), "\"p2\":{\"cards\":[\"3c\",\"8d\"],\"folded\":true}")); // its own
    assert_non_null(strstr(event_of(s, result + 1, 0), "\"chips\":{\"p0\":2001,\"p1\":0,\"p2\":7600,\"p3\":9951}"));
    assert_non_null(strstr(state_of(s, 1), "\"your_chips\":0,\"your_bet\":0,\"your_seat\":1,\"your_position\":\"\""));
    assert_null(strstr(state_of(s, 1), "your_hand"));
    free(s);
}

// F6.T14: nobody's cards when all but one folded, but for one's own.
static void test_holdem_muck(void **state)
{
    (void)state;
    struct phase *s = open_stage(&texas_holdem_kit, 2, "{}");
    assert_int_equal(act(s, 0, "{\"type\":\"fold\"}"), OK);
    uint32_t result = find_type(s, "hand_result");
    assert_non_null(strstr(event_of(s, result, GAME_SPECTATOR), "\"hands\":{}"));
    assert_non_null(strstr(event_of(s, result, 0), "\"hands\":{\"p0\":{\"cards\":["));
    assert_null(strstr(event_of(s, result, 0), "\"p1\":{"));
    free(s);
}

// F6.L11, F6.L3, F6.L7.
static void test_liars_dice(void **state)
{
    (void)state;
    struct phase *s = open_stage(&liars_dice_kit, 3, "{\"dice\":[[1,4,4,2,6],[3,3,1,5,2],[4,6,6,1,4]]}");
    assert_int_equal(s->events, 0);
    assert_string_equal(legal(s, 0), "[{\"type\":\"bid\",\"data\":{\"min_quantity\":1,\"min_face\":1,"
                                     "\"max_quantity\":15,\"max_face\":6}}]");
    assert_string_equal(state_of(s, 0),
                        "{\"phase\":\"bidding\",\"round\":1,\"current_turn\":\"p0\",\"total_dice\":15,\"players\":["
                        "{\"id\":\"p0\",\"status\":\"alive\",\"dice_count\":5},{\"id\":\"p1\",\"status\":\"alive\","
                        "\"dice_count\":5},{\"id\":\"p2\",\"status\":\"alive\",\"dice_count\":5}],"
                        "\"your_player_id\":\"p0\",\"your_id\":\"p0\",\"your_dice\":[1,4,4,2,6],"
                        "\"your_dice_count\":5}");
    assert_int_equal(act(s, 0, "{\"type\":\"bid\",\"data\":{\"quantity\":7,\"face\":4}}"), OK);
    assert_string_equal(event_of(s, 0, 1), "{\"type\":\"bid\",\"player\":\"p0\",\"data\":{\"quantity\":7,\"face\":4}");
    assert_string_equal(legal(s, 1), "[{\"type\":\"challenge\"},{\"type\":\"bid\",\"data\":{\"current_quantity\":7,"
                                     "\"current_face\":4,\"min_quantity\":7,\"min_face\":5,\"max_quantity\":15}}]");
    assert_non_null(strstr(state_of(s, 1), "\"current_bid\":{\"quantity\":7,\"face\":4,\"bidder\":\"p0\"},"
                                           "\"round_bids\":[{\"bidder\":\"p0\",\"quantity\":7,\"face\":4}]"));
    assert_int_equal(act(s, 1, "{\"type\":\"challenge\"}"), OK);
    assert_string_equal(event_of(s, 1, 2),
                        "{\"type\":\"challenge\",\"player\":\"p1\",\"data\":{\"challenger\":\"p1\",\"bidder\":\"p0\","
                        "\"bid_quantity\":7,\"bid_face\":4,\"actual_count\":7,\"bid_met\":true,\"all_dice\":{\"p0\":"
                        "[1,4,4,2,6],\"p1\":[3,3,1,5,2],\"p2\":[4,6,6,1,4]},\"loser\":\"p1\"}");
    assert_string_equal(event_of(s, 2, 2), "{\"type\":\"round_start\",\"data\":{\"round\":2,\"dice_counts\":{\"p0\":5,"
                                           "\"p1\":4,\"p2\":5}}");
    assert_non_null(strstr(state_of(s, 1), "\"round_log\":[\"Round 1: p1 challenged p0's bid of 7x4, count 7, p1 lost "
                                           "a die\"]"));
    assert_null(strstr(state_of(s, 1), "round_bids"));
    assert_int_equal(act(s, 1, "{\"type\":\"bid\",\"data\":{\"quantity\":7,\"face\":6}}"), OK);
    assert_non_null(strstr(legal(s, 2), "\"min_quantity\":8,\"min_face\":1"));
    assert_non_null(strstr(players_of(s, 1), "{\"id\":\"p0\",\"status\":\"alive\",\"data\":{\"dice_count\":5}},"
                                             "{\"id\":\"p1\",\"status\":\"alive\",\"data\":{\"dice_count\":4,"
                                             "\"dice\":["));
    free(s);
}

// F6.C17.
static const struct {
    int seat;
    const char *action;
} c17[] = {
    {0, "{\"type\":\"assassinate\",\"data\":{\"target\":\"p1\"}}"},
    {2, "{\"type\":\"pass\"}"},
    {1, "{\"type\":\"challenge\"}"},
    {1, "{\"type\":\"lose_card\",\"data\":{\"card_index\":0.0}}"},
    {1, "{\"type\":\"block\",\"data\":{\"role\":\"Contessa\"}}"},
    {0, "{\"type\":\"challenge\"}"},
};
static const char *const c17_events[] = {
    "{\"type\":\"action\",\"player\":\"p0\",\"data\":{\"action\":\"assassinate\",\"target\":\"p1\",\"claimed_role\":"
    "\"Assassin\"}",
    "{\"type\":\"challenge_pass\",\"player\":\"p2\",\"data\":{\"player\":\"p2\"}",
    "{\"type\":\"challenge\",\"player\":\"p1\",\"data\":{\"challenger\":\"p1\",\"actor\":\"p0\",\"claimed_role\":"
    "\"Assassin\"}",
    "{\"type\":\"challenge_result\",\"player\":\"p0\",\"data\":{\"result\":\"fail\",\"actor\":\"p0\",\"challenger\":"
    "\"p1\",\"revealed_card\":\"Assassin\"}",
    "{\"type\":\"influence_lost\",\"player\":\"p1\",\"data\":{\"player\":\"p1\",\"card\":\"Captain\",\"card_index\":0}",
    "{\"type\":\"block\",\"player\":\"p1\",\"data\":{\"blocker\":\"p1\",\"claimed_role\":\"Contessa\",\"action\":"
    "\"assassinate\"}",
    "{\"type\":\"challenge_block\",\"player\":\"p0\",\"data\":{\"challenger\":\"p0\",\"blocker\":\"p1\","
    "\"claimed_role\":\"Contessa\"}",
    "{\"type\":\"challenge_block_result\",\"player\":\"p1\",\"data\":{\"result\":\"success\",\"blocker\":\"p1\","
    "\"challenger\":\"p0\"}",
    "{\"type\":\"influence_lost\",\"player\":\"p1\",\"data\":{\"player\":\"p1\",\"card\":\"Duke\",\"card_index\":1}",
    "{\"type\":\"player_eliminated\",\"player\":\"p1\",\"data\":{\"player\":\"p1\"}",
};

static void test_coup(void **state)
{
    (void)state;
    struct phase *s =
        open_stage(&coup_kit, 3, "{\"hands\":[[\"Assassin\",\"Duke\"],[\"Captain\",\"Duke\"]],\"coins\":[3,2,2]}");
    assert_string_equal(legal(s, 0),
                        "[{\"type\":\"income\"},{\"type\":\"foreign_aid\"},{\"type\":\"tax\"},"
                        "{\"type\":\"assassinate\",\"data\":{\"target\":\"p1\"}},"
                        "{\"type\":\"assassinate\",\"data\":{\"target\":\"p2\"}},"
                        "{\"type\":\"steal\",\"data\":{\"target\":\"p1\"}},{\"type\":\"steal\",\"data\":{\"target\":"
                        "\"p2\"}},{\"type\":\"exchange\"}]");
    for (size_t i = 0; i < sizeof c17 / sizeof *c17; i++) {
        assert_int_equal(act(s, c17[i].seat, c17[i].action), OK);
        if (i == 4)
            assert_non_null(strstr(state_of(s, 2),
                                   "\"phase\":\"challenge_block\",\"current_turn\":\"p0\",\"pending_action\":"
                                   "\"assassinate\",\"pending_target\":\"p1\",\"claimed_role\":\"Assassin\","
                                   "\"blocker\":\"p1\",\"block_role\":\"Contessa\",\"turn_log\":{\"action\":"
                                   "\"assassinate\",\"actor\":\"p0\",\"target\":\"p1\",\"claimed_role\":\"Assassin\","
                                   "\"challenger\":\"p1\",\"challenge_result\":\"fail\",\"blocker\":\"p1\","
                                   "\"block_role\":\"Contessa\"}"));
    }
    assert_int_equal(s->events, sizeof c17_events / sizeof *c17_events);
    for (uint32_t i = 0; i < s->events; i++)
        assert_string_equal(event_of(s, i, 2), c17_events[i]);
    const char *seen = state_of(s, 2);
    assert_non_null(strstr(seen, "{\"phase\":\"action\",\"current_turn\":\"p2\",\"players\":["));
    assert_null(strstr(seen, "turn_log"));
    assert_non_null(strstr(seen, "{\"id\":\"p1\",\"status\":\"eliminated\",\"data\":{\"coins\":2,\"hidden_cards\":0,"
                                 "\"revealed\":[\"Captain\",\"Duke\"]}}"));
    assert_non_null(strstr(seen, "\"your_player_id\":\"p2\",\"your_cards\":[\""));
    free(s);
}

// F6.C9, F6.C13: the drawn cards are the exchanger's alone.
static void test_coup_exchange(void **state)
{
    (void)state;
    struct phase *s = open_stage(&coup_kit, 2,
                                 "{\"deck\":[\"Duke\",\"Captain\",\"Duke\",\"Captain\",\"Contessa\",\"Assassin\","
                                 "\"Duke\",\"Captain\",\"Contessa\",\"Contessa\",\"Assassin\",\"Assassin\","
                                 "\"Ambassador\",\"Ambassador\",\"Ambassador\"]}");
    assert_int_equal(act(s, 0, "{\"type\":\"exchange\"}"), OK);
    assert_int_equal(act(s, 1, "{\"type\":\"pass\"}"), OK);
    assert_non_null(strstr(legal(s, 0), "[{\"type\":\"return_cards\",\"data\":{\"return_indices\":[0,1],\"cards\":["
                                        "\"Duke\",\"Duke\"],\"all_cards\":[\"Duke\",\"Duke\","));
    assert_non_null(strstr(state_of(s, 0), "\"exchange_cards\":["));
    assert_non_null(strstr(state_of(s, 0), "\"all_exchange_options\":[\"Duke\",\"Duke\","));
    assert_null(strstr(state_of(s, 1), "exchange_cards"));
    assert_non_null(strstr(players_of(s, 1), "\"hidden_cards\":2"));
    assert_int_equal(act(s, 0, "{\"type\":\"return_cards\",\"data\":{\"return_indices\":[3,0]}}"), OK);
    assert_string_equal(event_of(s, LAST, 1), "{\"type\":\"exchange_complete\",\"player\":\"p0\",\"data\":{\"player\":"
                                              "\"p0\",\"returned_count\":2}");
    free(s);
}

// F6.B4 to F6.B6.
static void test_belote(void **state)
{
    (void)state;
    struct phase *s = open_stage(&belote_kit, 4, "{}");
    assert_string_equal(event_of(s, 0, 1), "{\"type\":\"deal_started\",\"data\":{\"deal_number\":1,\"dealer\":\"p0\"}");
    assert_string_equal(legal(s, 3), "[{\"type\":\"cut\",\"data\":{\"position\":16,\"from_top\":true,"
                                     "\"min_position\":6,\"max_position\":26}}]");
    assert_int_equal(act(s, 3, "{\"type\":\"cut\",\"data\":{\"position\":20.0}}"), OK);
    assert_string_equal(event_of(s, LAST, 1), "{\"type\":\"cut\",\"player\":\"p3\",\"data\":{\"position\":20,"
                                              "\"from_top\":true}");
    assert_int_equal(act(s, 1, "{\"type\":\"announce\",\"data\":{\"mode\":\"NoTrumps\"}}"), OK);
    assert_string_equal(event_of(s, LAST, 1),
                        "{\"type\":\"bid\",\"player\":\"p1\",\"data\":{\"type\":\"announce\",\"mode\":\"NoTrumps\"}");
    const char *seen = state_of(s, 2);
    assert_non_null(strstr(seen, "{\"phase\":\"bid\",\"current_player_id\":\"p2\",\"dealer\":\"p0\",\"bids\":["
                                 "{\"seat\":\"p1\",\"type\":\"announce\",\"mode\":\"NoTrumps\"}]"));
    assert_non_null(strstr(seen, "\"your_player_id\":\"p2\",\"your_team\":1,\"hand\":[\""));
    assert_null(strstr(seen, "\"team\":1,\"hand")); // G28's own name for it
    assert_null(strstr(state_of(s, GAME_SPECTATOR), "\"hand\""));
    assert_non_null(strstr(players_of(s, 2), "[{\"id\":\"p0\",\"status\":\"active\",\"data\":{\"team\":1,\"cards\":5,"
                                             "\"dealer\":true}},"));
    free(s);
}

// F4.3 row 5, F4.4: what is no action, what is none of this game, and what is judged.
static const struct {
    const struct game_kit *d;
    const char *json;
    int err;
} readings[] = {
    {&texas_holdem_kit, "{\"type\":\"raise\",\"data\":{\"amount\":600,\"min\":1,\"x\":[]}}", OK},
    {&texas_holdem_kit, "{\"type\":\"raise\",\"data\":{\"amount\":6e2}}", OK},
    {&texas_holdem_kit, "{\"type\":\"raise\",\"data\":{\"amount\":600.5}}", ERR_ACTION},
    {&texas_holdem_kit, "{\"type\":\"raise\",\"data\":{\"amount\":9007199254740994}}", ERR_ACTION},
    {&texas_holdem_kit, "{\"type\":\"raise\",\"data\":{\"amount\":1e300}}", ERR_ACTION},
    {&texas_holdem_kit, "{\"type\":\"raise\",\"data\":{\"amount\":\"600\"}}", ERR_ACTION},
    {&texas_holdem_kit, "{\"type\":\"raise\"}", OK}, // 0 chips: judged, and not legal
    {&texas_holdem_kit, "{\"type\":\"check\",\"note\":1}", OK},
    {&texas_holdem_kit, "{\"type\":\"set_blinds\",\"data\":{\"small\":1,\"big\":2}}", ERR_ACTION}, // the master's
    {&texas_holdem_kit, "{\"type\":\"drop\",\"data\":{\"seat\":0}}", ERR_ACTION},
    {&texas_holdem_kit, "{\"type\":\"bid\"}", ERR_ACTION},
    {&texas_holdem_kit, "{\"type\":7}", ERR_TYPE},
    {&texas_holdem_kit, "{\"data\":{}}", ERR_TYPE},
    {&texas_holdem_kit, "{\"type\":\"fold\",\"data\":[]}", ERR_TYPE},
    {&texas_holdem_kit, "{\"type\":\"fold\",\"data\":null}", ERR_TYPE},
    {&texas_holdem_kit, "[]", ERR_TYPE},
    {&texas_holdem_kit, "\"fold\"", ERR_TYPE},
    {&liars_dice_kit, "{\"type\":\"bid\",\"data\":{\"quantity\":1.0,\"face\":6}}", OK},
    {&liars_dice_kit, "{\"type\":\"bid\",\"data\":{\"quantity\":1}}", ERR_ACTION},
    {&liars_dice_kit, "{\"type\":\"bid\",\"data\":{\"quantity\":31,\"face\":1}}", ERR_ACTION},
    {&liars_dice_kit, "{\"type\":\"bid\",\"data\":{\"quantity\":1,\"face\":7}}", ERR_ACTION},
    {&coup_kit, "{\"type\":\"coup\",\"data\":{\"target\":\"p1\"}}", OK},
    {&coup_kit, "{\"type\":\"coup\",\"data\":{\"target\":\"p2\"}}", ERR_ACTION}, // two sit here
    {&coup_kit, "{\"type\":\"coup\",\"data\":{\"target\":1}}", ERR_ACTION},
    {&coup_kit, "{\"type\":\"coup\"}", ERR_ACTION},
    {&coup_kit, "{\"type\":\"block\",\"data\":{\"role\":\"King\"}}", ERR_ACTION},
    {&coup_kit, "{\"type\":\"return_cards\",\"data\":{\"return_indices\":[0]}}", ERR_ACTION},
    {&coup_kit, "{\"type\":\"return_cards\",\"data\":{\"return_indices\":[0,1,2]}}", ERR_ACTION},
    {&coup_kit, "{\"type\":\"return_cards\",\"data\":{\"return_indices\":[0,-1]}}", ERR_ACTION},
    {&coup_kit, "{\"type\":\"lose_card\",\"data\":{\"card_index\":0.5}}", ERR_ACTION},
    {&belote_kit, "{\"type\":\"cut\",\"data\":{\"position\":5}}", ERR_ACTION},
    {&belote_kit, "{\"type\":\"cut\",\"data\":{\"position\":6,\"from_top\":false}}", OK},
    {&belote_kit, "{\"type\":\"play_card\",\"data\":{\"card\":\"2c\"}}", ERR_ACTION},
};

static void test_readings(void **state)
{
    (void)state;
    struct codec_table table = dialect_table(2, 0);
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        struct game_action a;
        char type[DIALECT_TYPE];
        int err = dialect_read_action(readings[i].d, span_of(readings[i].json), &table, &a, type);
        if (err != readings[i].err)
            fail_msg("%s: %d, not %d", readings[i].json, err, readings[i].err);
    }
}

// F2.10: names, keys, numbers in force; F6.T1 and F6.B3 to the letter.
static void test_rules(void **state)
{
    (void)state;
    static const struct {
        const struct game_kit *d;
        const char *name, *number, *config;
    } cases[] = {
        {&texas_holdem_kit, "{\"name\":\"No-Limit Texas Hold'em\",\"summary\":\"", "10000 chips",
         "{\"format\":\"tournament\",\"small_blind\":100,\"big_blind\":200,\"starting_chips\":10000,\"max_hands\":10,"
         "\"blinds_double_at\":6,\"big_blind_option\":true}"},
        {&liars_dice_kit, "{\"name\":\"Liar's Dice\",\"summary\":\"", "5 dice", "null"},
        {&coup_kit, "{\"name\":\"Coup\",\"summary\":\"", "2 coins", "null"},
        {&belote_kit, "{\"name\":\"Belote\",\"summary\":\"", "150", "{\"ruleset\":\"standard\",\"target\":150}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        union game_rules r;
        cases[i].d->codec->game->defaults(&r);
        struct text t = text_on(page, sizeof page);
        dialect_write_rules(cases[i].d, &t, &r, 4);
        text_put_char(&t, 0);
        assert_memory_equal(page, cases[i].name, strlen(cases[i].name));
        assert_non_null(strstr(page, cases[i].number));
        t = text_on(page, sizeof page);
        dialect_write_config(cases[i].d, &t, &r);
        text_put_char(&t, 0);
        assert_string_equal(page, cases[i].config);
    }
}

// F10.4: what --strict-compat and --deterministic-windows change.
static void test_set_rules(void **state)
{
    (void)state;
    struct texas_holdem_rules h;
    texas_holdem_game.defaults(&h);
    assert_true(h.big_blind_option);
    texas_holdem_kit.arena->set_rules(&h, true, false);
    assert_false(h.big_blind_option);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holdem_heads_up),
        cmocka_unit_test(test_holdem_side_pots),
        cmocka_unit_test(test_holdem_muck),
        cmocka_unit_test(test_liars_dice),
        cmocka_unit_test(test_coup),
        cmocka_unit_test(test_coup_exchange),
        cmocka_unit_test(test_belote),
        cmocka_unit_test(test_readings),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_set_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
