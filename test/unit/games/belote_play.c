// Cards, tricks and scoring (B4-B7): the tables of the rules, and legal cards made a second time from the text.
#include "games/belote/rules/belote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char rank_codes[] = "789TJQKA", suit_codes[] = "CDHS", seat_codes[] = "BLTR";
static const char *const mode_codes[] = {"Clubs", "Diamonds", "Hearts", "Spades", "NoTrumps", "AllTrumps"};

static int read_card(const char *code)
{
    return 8 * (int)(strchr(suit_codes, code[1]) - suit_codes) + (int)(strchr(rank_codes, code[0]) - rank_codes);
}

static int read_mode(const char *name)
{
    int m = 0;
    while (strcmp(mode_codes[m], name) != 0)
        m++;
    return m;
}

struct cards {
    int at[BELOTE_HAND];
    int count;
};

static struct cards read_cards(const char *codes)
{
    struct cards c = {0};
    for (; *codes; codes += strcspn(codes, " "), codes += strspn(codes, " "))
        c.at[c.count++] = read_card(codes);
    return c;
}

static uint32_t as_set(struct cards c)
{
    uint32_t set = 0;
    for (int i = 0; i < c.count; i++)
        set |= 1u << c.at[i];
    return set;
}

// --- Legal cards and winners once more, slowly.

struct trick {
    int card[4], seat[4], count;
};

static int slow_strength(int mode, int card)
{
    const char *order = mode == BELOTE_ALL_TRUMPS || mode == card / 8 ? "78QKTA9J" : "789JQKTA";
    return 1 + (int)(strchr(order, rank_codes[card % 8]) - order);
}

static bool slow_beats(int mode, int card, int other, int led_suit)
{
    bool trump = card / 8 == mode, other_trump = other / 8 == mode;
    if (trump != other_trump)
        return trump;
    if (card / 8 != other / 8)
        return other / 8 != led_suit && card / 8 == led_suit;
    return slow_strength(mode, card) > slow_strength(mode, other);
}

static int slow_winner(int mode, const struct trick *t)
{
    int best = 0;
    for (int i = 1; i < t->count; i++)
        if (slow_beats(mode, t->card[i], t->card[best], t->card[0] / 8))
            best = i;
    return best;
}

static struct cards keep(struct cards hand, bool (*wanted)(int mode, int card, int than), int mode, int than)
{
    struct cards kept = {0};
    for (int i = 0; i < hand.count; i++)
        if (wanted(mode, hand.at[i], than))
            kept.at[kept.count++] = hand.at[i];
    return kept;
}

static bool is_of_suit(int mode, int card, int suit)
{
    (void)mode;
    return card / 8 == suit;
}

static bool is_stronger(int mode, int card, int than)
{
    return card / 8 == than / 8 && slow_strength(mode, card) > slow_strength(mode, than);
}

static struct cards slow_legal(int mode, struct cards hand, const struct trick *t, int seat)
{
    if (t->count == 0)
        return hand; // B5.3
    int led = t->card[0] / 8, best = slow_winner(mode, t), best_card = t->card[best];
    struct cards follow = keep(hand, is_of_suit, mode, led), trumps = keep(hand, is_of_suit, mode, mode);
    if (follow.count) {
        struct cards higher = keep(follow, is_stronger, mode, best_card);
        bool rising = mode == BELOTE_ALL_TRUMPS || mode == led;
        return rising && higher.count ? higher : follow; // B5.4, B5.5
    }
    if (mode >= BELOTE_NO_TRUMPS || !trumps.count)
        return hand; // B5.6, B5.7
    if (best_card / 8 != mode)
        return t->seat[best] == (seat + 2) % 4 ? hand : trumps; // B5.8
    struct cards over = keep(trumps, is_stronger, mode, best_card);
    return over.count ? over : trumps; // B5.9
}

// B4.1, B4.2
static void value_cards(void **unused)
{
    (void)unused;
    static const struct {
        const char *order;
        int points[8];
    } rows[] = {{"J9ATKQ87", {20, 14, 11, 10, 4, 3, 0, 0}}, {"ATKQJ987", {11, 10, 4, 3, 2, 0, 0, 0}}};
    static const int totals[] = {152, 152, 152, 152, 120, 248}; // B4.2 without the last trick
    for (int mode = 0; mode < BELOTE_MODES; mode++) {
        int total = 0;
        for (int suit = 0; suit < 4; suit++)
            for (int i = 0; i < 8; i++) {
                bool strong = mode == BELOTE_ALL_TRUMPS || mode == suit;
                const char *order = rows[!strong].order;
                int card = 8 * suit + (int)(strchr(rank_codes, order[i]) - rank_codes);
                assert_int_equal(belote_card_points(mode, card), rows[!strong].points[i]);
                total += belote_card_points(mode, card);
                for (int other = 0; other < BELOTE_CARDS; other++)
                    assert_int_equal(belote_beaten_by(mode, card) >> other & 1, slow_beats(mode, other, card, suit));
            }
        assert_int_equal(total, totals[mode]);
    }
}

static struct trick read_trick(const char *text)
{
    struct trick t = {0};
    for (; *text; text += strcspn(text, " "), text += strspn(text, " ")) {
        t.seat[t.count] = (int)(strchr(seat_codes, text[0]) - seat_codes);
        t.card[t.count++] = read_card(text + 2);
    }
    return t;
}

// B5.10
static void follow_rules(void **unused)
{
    (void)unused;
    static const struct {
        const char *mode, *trick;
        char seat;
        const char *hand, *legal;
    } rows[] = {
        {"Spades", "L:TH", 'T', "AH 7H JS 9C", "AH 7H"},           // B5.5
        {"Spades", "L:TH T:KH R:7S", 'B', "AH 7H JS 9C", "AH 7H"}, // B5.5
        {"Spades", "L:TS", 'T', "7S AS JS 9C", "AS JS"},           // B5.4
        {"Spades", "L:TS", 'T', "7S QS 9C", "7S QS"},              // B5.4
        {"AllTrumps", "L:TH", 'T', "9H AH 7H JC", "9H AH"},        // B5.4
        {"AllTrumps", "L:TH T:9H", 'R', "AH KH JC", "AH KH"},      // B5.4, neither beats the nine
        {"AllTrumps", "L:TH T:JS", 'R', "9H 8H JC", "9H"},         // B5.4, a discard wins nothing
        {"NoTrumps", "L:TH", 'T', "AH 7H JC", "AH 7H"},            // B5.5
        {"NoTrumps", "L:TH", 'T', "9D JC", "9D JC"},               // B5.6
        {"AllTrumps", "L:TH", 'T', "9D JC", "9D JC"},              // B5.6
        {"Spades", "L:TH", 'T', "9D JC AD", "9D JC AD"},           // B5.7
        {"Spades", "L:TH T:KH", 'R', "9D 7S JC", "9D 7S JC"},      // B5.8, Left is winning
        {"Spades", "L:TH T:AH", 'R', "9D 7S JC QS", "7S QS"},      // B5.8
        {"Spades", "L:TH T:AS", 'R', "9D 7S 9S JC QS", "9S"},      // B5.9
        {"Spades", "L:TH T:AS", 'R', "9D 7S JC QS", "7S QS"},      // B5.9
        {"Spades", "L:7H T:AS R:TH", 'B', "9D 7S JC", "7S"},       // B5.9, under the partner's ruff
        {"Spades", "L:TH", 'T', "9C 9H", "9H"},                    // B5.5, alone
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int mode = read_mode(rows[i].mode), seat = (int)(strchr(seat_codes, rows[i].seat) - seat_codes);
        struct trick t = read_trick(rows[i].trick);
        struct cards hand = read_cards(rows[i].hand), legal = read_cards(rows[i].legal);
        int best = slow_winner(mode, &t);
        assert_int_equal(
            belote_legal_cards(mode, as_set(hand), t.card[0], t.card[best], (t.seat[best] + seat) % 2 == 0),
            as_set(legal));
        struct cards slow = slow_legal(mode, hand, &t, seat);
        assert_memory_equal(&slow, &legal, sizeof slow);
    }
}

// A deal in which these four cards make the first trick, Left leading: played from a stacked deck.
static struct belote_state play_trick(const char *trick, int mode, struct game_events *out)
{
    struct trick t = read_trick(trick);
    struct belote_state s;
    struct belote_rules rules;
    belote_game.defaults(&rules);
    rules.cut = 16;
    assert_int_equal(belote_game.init(&s, &rules, 4, (struct rng){0}, NULL), OK);
    struct game_action announce = {.kind = BELOTE_ANNOUNCE, .arg = {(uint8_t)mode}};
    assert_int_equal(belote_game.apply(&s, 1, announce, NULL), OK);
    for (int seat = 2; seat <= 4; seat++)
        assert_int_equal(belote_game.apply(&s, seat % 4, (struct game_action){.kind = BELOTE_ACCEPT}, NULL), OK);
    for (int i = 0; i < 4; i++) { // each seat holds its one card alone
        s.held[t.seat[i]] = s.may = 1u << t.card[i];
        assert_int_equal(s.turn, t.seat[i]);
        struct game_action a = {.kind = BELOTE_PLAY, .arg = {(uint8_t)t.card[i]}};
        assert_int_equal(belote_game.apply(&s, s.turn, a, out), OK);
    }
    return s;
}

static void take_tricks(void **unused)
{
    (void)unused;
    static const struct {
        const char *trick, *mode;
        char winner;
        int points;
    } rows[] = {
        {"L:TH T:AH R:7S B:JS", "Spades", 'B', 41},   {"L:TH T:AH R:JS B:9S", "Hearts", 'T', 23},
        {"L:TH T:AH R:JS B:9H", "NoTrumps", 'T', 23}, {"L:TH T:AH R:JS B:9H", "AllTrumps", 'B', 55},
        {"L:7D T:AS R:AH B:AC", "NoTrumps", 'L', 33},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct game_events out;
        out.count = 0;
        struct belote_state s = play_trick(rows[i].trick, read_mode(rows[i].mode), &out);
        int winner = (int)(strchr(seat_codes, rows[i].winner) - seat_codes);
        assert_int_equal(s.turn, winner);
        assert_int_equal(s.card_points[winner % 2], rows[i].points);
        assert_int_equal(s.card_points[1 - winner % 2], 0);
        const struct game_event *e = &out.at[out.count - 1];
        assert_int_equal(e->kind, BELOTE_TRICK_COMPLETED);
        assert_int_equal(e->seat, winner);
        assert_int_equal(e->amount, rows[i].points);
    }
}

// B6.1-B6.6: the announcing team is Team2, so that mixed-up teams show.
static void score_deals(void **unused)
{
    (void)unused;
    enum { N = BELOTE_NONE, US = 1, THEM = 0, AT = BELOTE_ALL_TRUMPS, NT = BELOTE_NO_TRUMPS };
    static const struct {
        int mode, multiplier, a, d, sweep, announcers, defenders;
    } rows[] = {
        {AT, 1, 128, 130, N, 0, 26},  {AT, 1, 129, 129, N, 0, 0},   {AT, 1, 130, 128, N, 0, 0},
        {AT, 1, 133, 125, N, 0, 0},   {AT, 1, 134, 124, N, 13, 12}, {AT, 1, 135, 123, N, 14, 12},
        {AT, 1, 144, 114, N, 14, 11}, {AT, 1, 150, 108, N, 15, 11}, {AT, 1, 180, 78, N, 18, 8},
        {AT, 1, 194, 64, N, 19, 6},   {AT, 1, 195, 63, N, 20, 6},   {AT, 1, 203, 55, N, 20, 6},
        {AT, 1, 204, 54, N, 26, 0},   {AT, 2, 131, 127, N, 52, 0},  {AT, 2, 129, 129, N, 0, 0},
        {AT, 4, 120, 138, N, 0, 104}, {NT, 1, 66, 64, N, 52, 0},    {NT, 1, 65, 65, N, 0, 0},
        {NT, 2, 64, 66, N, 0, 104},   {0, 1, 82, 80, N, 32, 0},     {0, 4, 62, 100, N, 0, 128},
        {2, 1, 82, 80, N, 16, 0},     {2, 1, 81, 81, N, 0, 0},      {2, 2, 80, 82, N, 0, 32},
        {3, 4, 100, 62, N, 64, 0},    {AT, 1, 258, 0, US, 35, 0},   {AT, 4, 0, 258, THEM, 0, 140},
        {NT, 1, 0, 130, THEM, 0, 90}, {NT, 2, 130, 0, US, 180, 0},  {1, 1, 162, 0, US, 0, 0},
        {0, 4, 0, 162, THEM, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint16_t points[2] = {(uint16_t)rows[i].d, (uint16_t)rows[i].a};
        struct belote_deal d = belote_score(rows[i].mode, rows[i].multiplier, 1, points, rows[i].sweep, 32);
        assert_int_equal(d.match_points[1], rows[i].announcers);
        assert_int_equal(d.match_points[0], rows[i].defenders);
    }
    for (int a = 134; a <= 203; a++) { // B6.6
        uint16_t points[2] = {(uint16_t)a, (uint16_t)(258 - a)};
        struct belote_deal d = belote_score(AT, 1, 0, points, N, 32);
        assert_int_equal(d.match_points[0] + d.match_points[1], a % 10 == 4 ? 25 : 26);
    }
    uint16_t points[2] = {82, 80};
    assert_int_equal(belote_score(0, 2, 0, points, N, 16).match_points[0], 32); // B8.1
}

// B7.1-B7.3
static void find_winners(void **unused)
{
    (void)unused;
    static const struct {
        int32_t points[2], target, gained[2], grown;
        int winner;
    } rows[] = {
        {{140, 100}, 150, {26, 0}, 150, 0},
        {{137, 138}, 150, {13, 12}, 250, BELOTE_NONE},
        {{149, 149}, 150, {15, 11}, 250, BELOTE_NONE},
        {{134, 149}, 150, {15, 11}, 150, 1},
        {{240, 239}, 250, {14, 11}, 350, BELOTE_NONE},
        {{160, 152}, 250, {0, 104}, 250, 1},
        {{149, 20}, 150, {0, 0}, 150, BELOTE_NONE},
        {{300, 300}, 150, {0, 26}, 250, BELOTE_NONE}, // once per deal
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t target = rows[i].target;
        int32_t points[2] = {rows[i].points[0] + rows[i].gained[0], rows[i].points[1] + rows[i].gained[1]};
        assert_int_equal(belote_find_winner(points, &target), rows[i].winner);
        assert_int_equal(target, rows[i].grown);
    }
}

static struct cards hand_of(const struct belote_state *s, int seat)
{
    struct cards hand = {0};
    for (int i = 0; i < BELOTE_HAND; i++)
        if (s->held[seat] >> s->hand[seat][i] & 1)
            hand.at[hand.count++] = s->hand[seat][i];
    return hand;
}

// B5.1-B5.9: both ways of finding legal cards agree, card by card and in order, through deals played at random.
static void compare_random_play(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {11}};
    int questions = 0;
    for (uint32_t match = 0; match < 300; match++) {
        struct belote_rules rules;
        struct belote_state s;
        belote_game.defaults(&rules);
        assert_int_equal(belote_game.init(&s, &rules, 4, (struct rng){.key = {match, 1}}, NULL), OK);
        struct trick t = {0};
        while (s.phase != BELOTE_DONE) {
            struct game_choice list[GAME_MAX_CHOICES];
            int count = belote_game.choices(&s, s.turn, list), seat = s.turn;
            int pick = (int)rng_below(&dice, (uint32_t)count);
            bool playing = s.phase == BELOTE_PLAY_PHASE;
            if (playing) {
                struct cards legal = slow_legal(s.mode, hand_of(&s, seat), &t, seat);
                assert_int_equal(legal.count, count);
                for (int i = 0; i < count; i++)
                    assert_int_equal(list[i].first.arg[0], legal.at[i]);
                t.card[t.count] = legal.at[pick];
                t.seat[t.count++] = seat;
                questions++;
            }
            int mode = s.mode, plays = s.plays;
            assert_int_equal(belote_game.apply(&s, seat, list[pick].first, NULL), OK);
            if (playing && t.count == 4) {
                if (plays < BELOTE_CARDS - 1)
                    assert_int_equal(s.turn, t.seat[slow_winner(mode, &t)]);
                t.count = 0;
            }
        }
    }
    assert_true(questions > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_cards), cmocka_unit_test(follow_rules), cmocka_unit_test(take_tricks),
        cmocka_unit_test(score_deals), cmocka_unit_test(find_winners), cmocka_unit_test(compare_random_play),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
