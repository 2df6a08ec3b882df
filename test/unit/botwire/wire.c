// Answers as the engine takes them (B12.20, B12.21), requests as the server takes them (B11.15-B11.17).
#include "botwire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void cuts(void **state)
{
    static const struct {
        const char *text;
        int err, position, top;
    } rows[] = {
        {"{\"position\":6,\"fromTop\":true}", OK, 6, 1},
        {"{\"fromTop\":false,\"position\":26,\"note\":[1,{}]}", OK, 26, 0}, // extra members
        {"{\"position\":5,\"fromTop\":true}", ERR_RANGE, 0, 0},
        {"{\"position\":27,\"fromTop\":true}", ERR_RANGE, 0, 0},
        {"{\"position\":16.0,\"fromTop\":true}", ERR_TYPE, 0, 0}, // B12.21: no fraction, no exponent
        {"{\"position\":1e1,\"fromTop\":true}", ERR_TYPE, 0, 0},
        {"{\"position\":\"16\",\"fromTop\":true}", ERR_TYPE, 0, 0},
        {"{\"position\":16}", ERR_MISSING, 0, 0},
        {"{\"position\":16,\"fromTop\":1}", ERR_TYPE, 0, 0},
        {"{\"Position\":16,\"fromTop\":true}", ERR_MISSING, 0, 0}, // names are exact
        {"", ERR_JSON, 0, 0},
        {"[]", ERR_TYPE, 0, 0},
        {"{\"position\":16,\"fromTop\":true}x", ERR_JSON, 0, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct game_action a;
        assert_int_equal(wire_read_cut(span_of(rows[i].text), false, &a), rows[i].err);
        if (rows[i].err == OK) {
            assert_int_equal(a.amount, rows[i].position);
            assert_int_equal(a.arg[0], rows[i].top);
        }
    }
    struct game_action a; // B12.5
    assert_int_equal(wire_read_cut(SPAN("{\"position\":16}"), true, &a), OK);
    assert_int_equal(a.arg[0], 0);
}

static void words(void **state)
{
    static const struct {
        const char *text;
        int err, kind, mode;
    } rows[] = {
        {"{\"type\":\"Accept\"}", OK, BELOTE_ACCEPT, 0},
        {"{\"type\":\"accept\",\"mode\":null,\"player\":\"Top\"}", OK, BELOTE_ACCEPT, 0},   // B12.20: case of values
        {"{\"type\":\"Accept\",\"mode\":\"None\",\"targetMode\":7}", OK, BELOTE_ACCEPT, 0}, // B12.20: extra fields
        {"{\"type\":\"Double\",\"mode\":[1],\"targetMode\":\"NoTrumps\"}", OK, BELOTE_DOUBLE, BELOTE_NO_TRUMPS},
        {"{\"type\":\"Double\",\"targetMode\":\"Hearts\"}", ERR_MISSING, 0, 0},
        {"{\"type\":\"Announcement\",\"mode\":0}", ERR_MISSING, 0, 0},
        {"{\"type\":1,\"mode\":\"NoTrumps\"}", ERR_TYPE, 0, 0},
        {"{\"type\":\"Announcement\",\"mode\":\"ALLTRUMPS\"}", OK, BELOTE_ANNOUNCE, BELOTE_ALL_TRUMPS},
        {"{\"type\":\"Double\",\"targetMode\":\"ColourHearts\"}", OK, BELOTE_DOUBLE, BELOTE_HEARTS},
        {"{\"type\":\"Redouble\",\"targetMode\":\"ColourClubs\"}", OK, BELOTE_REDOUBLE, BELOTE_CLUBS},
        {"{\"type\":\"Double\",\"mode\":\"ColourHearts\"}", ERR_MISSING, 0, 0},
        {"{\"type\":\"Announcement\"}", ERR_MISSING, 0, 0},
        {"{\"type\":\"ReRedouble\",\"targetMode\":\"ColourClubs\"}", ERR_UNKNOWN, 0, 0}, // B3.13
        {"{\"mode\":\"ColourClubs\"}", ERR_MISSING, 0, 0},
        {"\"Accept\"", ERR_TYPE, 0, 0},
        {"null", ERR_TYPE, 0, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct game_action a;
        assert_int_equal(wire_read_word(span_of(rows[i].text), &a), rows[i].err);
        if (rows[i].err == OK) {
            assert_int_equal(a.kind, rows[i].kind);
            assert_int_equal(a.arg[0], rows[i].mode);
        }
    }
}

static void cards(void **state)
{
    static const struct {
        const char *text;
        int err, card;
    } rows[] = {
        {"{\"rank\":\"Seven\",\"suit\":\"Clubs\"}", OK, 0},
        {"{\"suit\":\"SPADES\",\"rank\":\"ace\"}", OK, 31},
        {"{\"rank\":\"Ten\"}", ERR_MISSING, 0},
        {"{\"rank\":\"10\",\"suit\":\"Clubs\"}", ERR_UNKNOWN, 0},
        {"{\"rank\":7,\"suit\":\"Clubs\"}", ERR_TYPE, 0},
        {"{\"card\":{\"rank\":\"Ten\",\"suit\":\"Clubs\"}}", ERR_MISSING, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct game_action a;
        assert_int_equal(wire_read_card(span_of(rows[i].text), &a), rows[i].err);
        if (rows[i].err == OK)
            assert_int_equal(a.arg[0], rows[i].card);
    }
}

static void sessions(void **state)
{
    static const struct {
        const char *text;
        int err;
    } rows[] = {
        {"{\"sessionId\":\"x\"}", OK},
        {"{\"sessionId\":\"\"}", ERR_MISSING},
        {"{\"sessionId\":7}", ERR_TYPE},
        {"{\"sessionid\":\"x\"}", ERR_MISSING},
        {"{\"sessionId\":\"0123456789012345678901234567890123456789\"}", ERR_TOO_LONG},
        {"{\"sessionId\":\"a\\u0000b\"}", ERR_TOO_LONG},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char id[32];
        assert_int_equal(wire_read_session(span_of(rows[i].text), id, sizeof id), rows[i].err);
    }
}

// The order of checks and what is tolerated: JSON, then types, then whether the list is of use.
static void requests(void **state)
{
    static const struct {
        enum wire_call call;
        const char *body;
        enum wire_verdict verdict;
        const char *bad;
    } rows[] = {
        {WIRE_CREATE, "{\"position\":\"Bottom\",\"matchId\":\"m\"}", WIRE_FINE, NULL},
        {WIRE_CREATE, "\xEF\xBB\xBF{\"position\":\"Left\",\"matchId\":\"m\",\"seed\":null,\"x\":[]}", WIRE_FINE, NULL},
        {WIRE_CREATE, "{\"position\":\"Left\",\"matchId\":\"m\",\"seed\":-9223372036854775808}", WIRE_FINE, NULL},
        {WIRE_CREATE, "{\"position\":\"Left\",\"matchId\":\"m\",\"seed\":18446744073709551615}", WIRE_FINE, NULL},
        {WIRE_CREATE, "{\"position\":\"Left\",\"matchId\":\"m\",\"seed\":1.5}", WIRE_BAD_FIELD, "seed"},
        {WIRE_CREATE, "{\"position\":\"bottom\",\"matchId\":\"m\"}", WIRE_BAD_FIELD, "position"}, // B11.17
        {WIRE_CREATE, "{\"position\":null,\"matchId\":\"m\"}", WIRE_BAD_FIELD, "position"},
        {WIRE_CREATE, "{\"position\":\"Top\"}", WIRE_BAD_FIELD, "matchId"},
        {WIRE_CREATE, "{\"position\":\"Top\",\"matchId\":\"\"}", WIRE_BAD_FIELD, "matchId"},
        {WIRE_CREATE, "{\"position\":\"Top\",\"matchId\":3}", WIRE_BAD_FIELD, "matchId"},
        {WIRE_CREATE, "", WIRE_BAD_JSON, NULL},
        {WIRE_CREATE, "[]", WIRE_BAD_JSON, NULL},
        {WIRE_CREATE, "{\"position\":\"Top\",\"matchId\":\"m\"", WIRE_BAD_JSON, NULL},
        {WIRE_CUT, "{}", WIRE_FINE, NULL}, // B11.15: all context may be absent
        {WIRE_CUT, "{\"deckSize\":32,\"matchState\":null}", WIRE_FINE, NULL},
        {WIRE_CUT, "{\"deckSize\":52}", WIRE_UNUSABLE, "deckSize"},
        {WIRE_CUT, "{\"deckSize\":99999999999}", WIRE_UNUSABLE, "deckSize"},
        {WIRE_CUT, "{\"deckSize\":\"32\"}", WIRE_BAD_FIELD, "deckSize"},
        {WIRE_CUT, "{\"matchState\":[]}", WIRE_BAD_FIELD, "matchState"},
        {WIRE_NEGOTIATE, "{}", WIRE_BAD_FIELD, "validActions"}, // B11.16
        {WIRE_NEGOTIATE, "{\"validActions\":null}", WIRE_BAD_FIELD, "validActions"},
        {WIRE_NEGOTIATE, "{\"validActions\":[]}", WIRE_UNUSABLE, "validActions"},
        {WIRE_NEGOTIATE, "{\"validActions\":[{\"type\":\"ReRedouble\",\"targetMode\":\"NoTrumps\"}]}", WIRE_UNUSABLE,
         "validActions"},
        {WIRE_NEGOTIATE, "{\"validActions\":[{\"type\":\"Accept\"},\"Accept\"]}", WIRE_BAD_FIELD, "validActions"},
        {WIRE_NEGOTIATE, "{\"hand\":{},\"validActions\":[]}", WIRE_BAD_FIELD, "hand"}, // types come before use
        {WIRE_NEGOTIATE,
         "{\"hand\":[1,2],\"negotiationState\":{\"actions\":7},\"validActions\":[{\"type\":\"Accept\"}]}", WIRE_FINE,
         NULL},
        {WIRE_CARD, "{\"validPlays\":[{\"rank\":\"Ten\",\"suit\":\"Clubs\"},{\"rank\":\"One\",\"suit\":\"Clubs\"}]}",
         WIRE_FINE, NULL},
        {WIRE_CARD, "{\"validPlays\":[{\"rank\":\"One\",\"suit\":\"Clubs\"}]}", WIRE_UNUSABLE, "validPlays"},
        {WIRE_PLAYED, "{\"player\":1}", WIRE_BAD_FIELD, "player"},
        {WIRE_PLAYED, "{\"player\":\"nobody\",\"card\":{}}", WIRE_FINE, NULL},
        {WIRE_OTHER, "{\"anything\":1}", WIRE_FINE, NULL},
        {WIRE_OTHER, "", WIRE_BAD_JSON, NULL},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_request q;
        enum wire_verdict verdict = wire_read_request(span_of(rows[i].body), rows[i].call, &q);
        if (verdict != rows[i].verdict)
            fail_msg("row %u: %s", i, rows[i].body);
        if (rows[i].bad)
            assert_string_equal(q.field, rows[i].bad);
    }
}

// B11.18: deeper than 32 levels is no JSON.
static void depth_has_an_end(void **state)
{
    char body[128] = "{\"a\":";
    size_t n = strlen(body);
    struct wire_request q;
    (void)state;
    for (int levels = 31; levels <= 32; levels++) {
        memset(body + n, '[', (size_t)levels);
        memset(body + n + levels, ']', (size_t)levels);
        body[n + 2 * (size_t)levels] = '}';
        enum wire_verdict verdict = wire_read_request((struct span){body, n + 2 * (size_t)levels + 1}, WIRE_OTHER, &q);
        assert_int_equal(verdict, levels == 31 ? WIRE_FINE : WIRE_BAD_JSON);
    }
}

// What makes no sense is not known, and whose turn it is comes from the trick (B11.28).
static void context(void **state)
{
    static const struct {
        const char *hand_state;
        bool knows;
        int seat, plays;
    } rows[] = {
        {"{\"gameMode\":\"NoTrumps\",\"currentTrick\":{\"leader\":\"Top\",\"playedCards\":[]},\"completedTricks\":[]}",
         true, 2, 0},
        {"{\"gameMode\":\"NoTrumps\",\"currentTrick\":{\"leader\":\"Top\",\"playedCards\":[{\"player\":\"Top\","
         "\"card\":{"
         "\"rank\":\"Ten\",\"suit\":\"Clubs\"}}]},\"completedTricks\":[]}",
         true, 3, 1},
        {"{\"gameMode\":\"NoTrumps\",\"currentTrick\":{\"leader\":\"Top\",\"playedCards\":[{\"player\":\"Left\","
         "\"card\":{"
         "\"rank\":\"Ten\",\"suit\":\"Clubs\"}}]},\"completedTricks\":[]}",
         false, -1, 0},
        {"{\"gameMode\":\"Bridge\",\"currentTrick\":{\"leader\":\"Top\",\"playedCards\":[]},\"completedTricks\":[]}",
         false, 2, 0},
        {"{\"gameMode\":\"NoTrumps\",\"completedTricks\":[]}", false, -1, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[1024];
        struct wire_request q;
        struct text t = text_on(body, sizeof body);
        text_puts(&t, "{\"validPlays\":[{\"rank\":\"Ten\",\"suit\":\"Clubs\"}],\"handState\":");
        text_puts(&t, rows[i].hand_state);
        text_puts(&t, "}");
        assert_int_equal(wire_read_request(text_span(&t), WIRE_CARD, &q), WIRE_FINE);
        assert_int_equal(q.knows_plays, rows[i].knows);
        assert_int_equal(q.seat, rows[i].seat);
        if (rows[i].knows)
            assert_int_equal(q.deal.plays, rows[i].plays);
    }
}

// Cards and seats however they are spelt: compact as nearly everybody writes them, and not.
static void spellings(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "{\"player\":\"%s\",\"card\":{\"rank\":\"%s\",\"suit\":\"%s\"}}",
        "{ \"player\" : \"%s\" , \"card\" : { \"rank\" : \"%s\" , \"suit\" : \"%s\" } }",
        "{\"\\u0070layer\":\"%s\",\"card\":{\"r\\u0061nk\":\"%s\",\"suit\":\"%s\"}}",
        "{\"player\":\"%s\",\"card\":{\"rank\":\"%s\",\"suit\":\"%s\",\"x\":1}}",
    };
    for (int card = 0; card < BELOTE_CARDS; card++)
        for (int seat = 0; seat < BELOTE_SEATS; seat++)
            for (unsigned form = 0; form < sizeof forms / sizeof *forms; form++) {
                char body[1024], played[256];
                struct wire_request q;
                snprintf(played, sizeof played, forms[form], wire_seats[seat], wire_ranks[belote_rank(card)],
                         wire_suits[belote_suit(card)]);
                snprintf(body, sizeof body,
                         "{\"validPlays\":[{\"rank\":\"%s\",\"suit\":\"%s\"}],\"handState\":{\"gameMode\":\"NoTrumps\","
                         "\"currentTrick\":{\"leader\":\"%s\",\"playedCards\":[%s]},\"completedTricks\":[]}}",
                         wire_ranks[belote_rank(card)], wire_suits[belote_suit(card)], wire_seats[seat], played);
                assert_int_equal(wire_read_request(span_of(body), WIRE_CARD, &q), WIRE_FINE);
                assert_true(q.knows_plays);
                assert_int_equal(q.deal.plays, 1);
                assert_int_equal(q.deal.play[0], card);
                assert_int_equal(q.seat, (seat + 1) % BELOTE_SEATS);
                assert_int_equal(q.choices[0].first.arg[0], card);
            }
}

// Texts that begin like a card and are none.
static void near_cards(void **state)
{
    (void)state;
    static const struct {
        const char *card;
        enum wire_verdict verdict;
    } rows[] = {
        {"{\"rank\":\"Sever\",\"suit\":\"Clubs\"}", WIRE_UNUSABLE},
        {"{\"rank\":\"Seven\",\"suit\":\"Clabs\"}", WIRE_UNUSABLE},
        {"{\"rank\":\"seven\",\"suit\":\"Clubs\"}", WIRE_UNUSABLE}, // B11.17: exactly
        {"{\"rank\":\"\x13"
         "even\",\"suit\":\"Clubs\"}",
         WIRE_BAD_JSON}, // the same letter but for two bits
        {"{\"rank\":\"Seven\",\"suit\":\"Clubs\"]", WIRE_BAD_JSON},
        {"{\"rank\":\"Seven\",\"suit\":\"Clubs\"", WIRE_BAD_JSON},
        {"{\"rank\":\"Seven\",\"suit\":\"Clubs\"}}", WIRE_BAD_JSON},
        {"{\"rank\":\"Seven\",\"suit\":\"Clubs\"} ", WIRE_FINE},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[256];
        struct wire_request q;
        // Behind it enough text for the quick way, and none.
        static const char *const rest[] = {"],\"padding\":\"0123456789012345678901234567890123456789\"}", "]}"};
        for (int k = 0; k < 2; k++) {
            snprintf(body, sizeof body, "{\"validPlays\":[%s%s", rows[i].card, rest[k]);
            if (wire_read_request(span_of(body), WIRE_CARD, &q) != rows[i].verdict)
                fail_msg("row %u: %s", i, body);
        }
    }
}

// Bodies that end in the middle of a card, each in a block of its own size: one byte read beyond is seen.
static void torn_cards(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"validPlays\":[{\"rank\":\"Seven\",\"suit\":\"Diamonds\"}",
        "{\"validPlays\":[],\"handState\":{\"gameMode\":\"NoTrumps\",\"currentTrick\":{\"leader\":\"Bottom\","
        "\"playedCards\":[{\"player\":\"Bottom\",\"card\":{\"rank\":\"Seven\",\"suit\":\"Diamonds\"}}",
    };
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (size_t size = 0; size <= strlen(bodies[i]); size++) {
            char *body = malloc(size + !size);
            struct wire_request q;
            assert_non_null(body);
            memcpy(body, bodies[i], size);
            assert_int_equal(wire_read_request((struct span){body, size}, WIRE_CARD, &q), WIRE_BAD_JSON);
            free(body);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts),       cmocka_unit_test(words),     cmocka_unit_test(cards),
        cmocka_unit_test(sessions),   cmocka_unit_test(requests),  cmocka_unit_test(depth_has_an_end),
        cmocka_unit_test(context),    cmocka_unit_test(spellings), cmocka_unit_test(near_cards),
        cmocka_unit_test(torn_cards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
