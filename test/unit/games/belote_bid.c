// The negotiation (B3.2-B3.12): the examples, every negotiation there is, and the lists made a second time from the
// text.
#include "games/belote/rules/belote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const mode_codes[] = {"Cl", "Di", "He", "Sp", "NT", "AT"};
static const char seat_codes[] = "BLTR";

static struct belote_state begin(int dealer, int options)
{
    struct belote_rules rules;
    struct belote_state s;
    belote_game.defaults(&rules);
    rules.dealer = (uint8_t)dealer;
    rules.cut = 16;
    rules.options = (uint8_t)options;
    assert_int_equal(belote_game.init(&s, &rules, 4, (struct rng){.key = {7}}, NULL), OK);
    return s;
}

static int find_mode(const char *code)
{
    for (int m = 0; m < BELOTE_MODES; m++)
        if (!strcmp(mode_codes[m], code))
            return m;
    fail_msg("no mode %s", code);
    return -1;
}

// B0.5: He, acc, xHe, xxHe.
static struct game_action read_word(const char *code)
{
    if (!strcmp(code, "acc"))
        return (struct game_action){.kind = BELOTE_ACCEPT};
    int crosses = (int)strspn(code, "x");
    static const uint8_t kinds[] = {BELOTE_ANNOUNCE, BELOTE_DOUBLE, BELOTE_REDOUBLE};
    return (struct game_action){.kind = kinds[crosses], .arg = {(uint8_t)find_mode(code + crosses)}};
}

// A line of codes, one after the other.
struct line {
    char text[256];
    int size;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    l->size += vsnprintf(l->text + l->size, sizeof l->text - (size_t)l->size, format, args);
    va_end(args);
    assert_true(l->size < (int)sizeof l->text);
}

static void put_word(struct line *l, struct game_action a)
{
    static const char *const crosses[] = {[BELOTE_ANNOUNCE] = "", [BELOTE_DOUBLE] = "x", [BELOTE_REDOUBLE] = "xx"};
    if (a.kind == BELOTE_ACCEPT)
        put(l, " acc");
    else
        put(l, " %s%s", crosses[a.kind], mode_codes[a.arg[0]]);
}

static void why(struct belote_state *s, const char *spoken)
{
    struct line words = {0};
    put(&words, "%s", spoken);
    for (char *word = strtok(words.text, " "); word; word = strtok(NULL, " ")) {
        assert_int_equal(seat_codes[s->turn], word[0]);
        assert_int_equal(belote_game.apply(s, s->turn, read_word(word + 2), NULL), OK);
    }
}

static struct line list(const struct belote_state *s)
{
    struct line l = {0};
    struct game_choice choices[GAME_MAX_CHOICES];
    int count = belote_game.choices(s, s->turn, choices);
    put(&l, "%c:", seat_codes[s->turn]);
    for (int i = 0; i < count; i++)
        put_word(&l, choices[i].first);
    return l;
}

// B3.16
static void give_examples(void **unused)
{
    (void)unused;
    static const struct {
        char dealer;
        const char *said, *next;
    } rows[] = {
        {'B', "", "L: Cl Di He Sp NT AT"},
        {'B', "L:Di T:He", "R: NT AT acc xHe"},
        {'B', "L:Di T:acc R:NT", "B: AT acc xDi xNT"},
        {'B', "L:Di T:acc R:acc B:He", "L: NT AT acc xHe"},
        {'T', "R:NT B:acc", "L: acc"},
        {'T', "R:NT B:acc L:acc", "T: acc xNT"},
        {'T', "R:NT B:acc L:acc T:xNT", "R: acc"},
        {'R', "B:Cl L:xCl", "T: acc xxCl"},
        {'R', "B:Cl L:He T:xHe R:xCl", "B: acc xxCl"},
        {'B', "L:Di T:acc R:acc B:He L:NT T:acc R:xHe B:acc L:acc", "T: acc xNT xxHe"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct belote_state s = begin((int)(strchr(seat_codes, rows[i].dealer) - seat_codes), 0);
        why(&s, rows[i].said);
        assert_string_equal(list(&s).text, rows[i].next);
    }
}

// B3.16: how negotiations end.
static void give_endings(void **unused)
{
    (void)unused;
    static const struct {
        const char *said, *mode, *doubled; // doubled: mode codes and indices
        char dealer;
        uint8_t team, multiplier, locked;
    } rows[] = {
        {"R:NT B:acc L:acc T:acc", "NT", "", 'T', 1, 1, 1},
        {"B:Cl L:xCl T:xxCl R:acc B:acc L:acc", "Cl", "Cl1 ", 'R', 0, 4, 1},
        {"B:Cl L:He T:xHe R:xCl B:acc L:acc T:acc", "Cl", "Cl3 He2 ", 'R', 0, 2, 1},
        {"L:Di T:He R:AT B:xDi L:acc T:acc R:acc", "Di", "Di3 ", 'B', 1, 2, 1},
        {"L:Di T:acc R:acc B:He L:NT T:acc R:xHe B:acc L:acc T:xNT R:acc B:acc L:acc", "He", "He6 NT9 ", 'B', 0, 2, 1},
        {"L:Sp T:acc R:acc B:acc", "Sp", "", 'B', 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct belote_state s = begin((int)(strchr(seat_codes, rows[i].dealer) - seat_codes), 0);
        why(&s, rows[i].said);
        struct belote_view v;
        belote_game.view(&s, GAME_SPECTATOR, &v);
        assert_int_equal(v.phase, BELOTE_PLAY_PHASE);
        assert_int_equal(v.mode, find_mode(rows[i].mode));
        assert_int_equal(v.team, rows[i].team);
        assert_int_equal(v.multiplier, rows[i].multiplier);
        assert_int_equal(v.locked, rows[i].locked);
        struct line doubled = {0};
        for (int m = 0; m < BELOTE_MODES; m++)
            if (v.doubled_at[m] != BELOTE_NONE)
                put(&doubled, "%s%d ", mode_codes[m], v.doubled_at[m]);
        assert_string_equal(doubled.text, rows[i].doubled);
        assert_int_equal(v.turn, (v.dealer + 1) % 4); // B2.7
        assert_int_equal(v.accepts, 3);               // B10.3
    }
}

// --- The lists once more, slowly, from the list of what was said.

struct said {
    int seat;
    struct game_action what;
};

struct record {
    struct said at[BELOTE_MAX_BIDS];
    int count;
};

static int find_said(const struct record *r, int kind, int mode)
{
    for (int i = 0; i < r->count; i++)
        if (r->at[i].what.kind == kind && (mode < 0 || r->at[i].what.arg[0] == mode))
            return i;
    return -1;
}

static bool slow_locked(const struct record *r)
{
    int bid = -1, bidder = -1;
    for (int i = 0; i < r->count; i++) {
        struct game_action a = r->at[i].what;
        if (a.kind == BELOTE_ANNOUNCE)
            bid = a.arg[0], bidder = r->at[i].seat;
        if (a.kind == BELOTE_DOUBLE || a.kind == BELOTE_REDOUBLE)
            return true;
        if (a.kind == BELOTE_ACCEPT && (bid == BELOTE_NO_TRUMPS || bid == BELOTE_CLUBS) && (r->at[i].seat + bidder) % 2)
            return true;
    }
    return false;
}

static bool slow_may_announce(const struct record *r, int seat, int mode)
{
    for (int i = 0; i < r->count; i++) {
        const struct said *w = &r->at[i];
        if (w->what.kind != BELOTE_ANNOUNCE)
            continue;
        bool our_colour = (w->seat + seat) % 2 == 0 && w->what.arg[0] < BELOTE_NO_TRUMPS;
        if (w->what.arg[0] >= mode || (our_colour && mode < BELOTE_NO_TRUMPS))
            return false;
    }
    return !slow_locked(r);
}

static bool slow_may_double(const struct record *r, int seat, int mode)
{
    int announced = find_said(r, BELOTE_ANNOUNCE, mode);
    if (announced < 0 || (r->at[announced].seat + seat) % 2 == 0 || find_said(r, BELOTE_DOUBLE, mode) >= 0)
        return false;
    for (int i = 0; i < announced; i++)
        if (r->at[i].seat == seat && (r->at[i].what.kind == BELOTE_ANNOUNCE || r->at[i].what.kind == BELOTE_ACCEPT))
            return true; // the first own word comes before it
    for (int i = announced; i < r->count; i++)
        if (r->at[i].seat == seat && (r->at[i].what.kind == BELOTE_ANNOUNCE || r->at[i].what.kind == BELOTE_ACCEPT))
            return false; // the first own word comes after it
    return true;
}

static bool slow_may_redouble(const struct record *r, int seat, int mode, int options)
{
    int announced = find_said(r, BELOTE_ANNOUNCE, mode);
    if (mode == BELOTE_NO_TRUMPS || (mode == BELOTE_CLUBS && options & BELOTE_NO_CLUBS_REDOUBLE))
        return false;
    return find_said(r, BELOTE_DOUBLE, mode) >= 0 && find_said(r, BELOTE_REDOUBLE, mode) < 0 &&
           (r->at[announced].seat + seat) % 2 == 0;
}

static int slow_list(const struct record *r, int seat, int options, struct game_action *out)
{
    int n = 0;
    for (int m = 0; m < BELOTE_MODES; m++)
        if (slow_may_announce(r, seat, m))
            out[n++] = (struct game_action){.kind = BELOTE_ANNOUNCE, .arg = {(uint8_t)m}};
    if (find_said(r, BELOTE_ANNOUNCE, -1) >= 0)
        out[n++] = (struct game_action){.kind = BELOTE_ACCEPT};
    for (int m = 0; m < BELOTE_MODES; m++)
        if (slow_may_double(r, seat, m))
            out[n++] = (struct game_action){.kind = BELOTE_DOUBLE, .arg = {(uint8_t)m}};
    for (int m = 0; m < BELOTE_MODES; m++)
        if (slow_may_redouble(r, seat, m, options))
            out[n++] = (struct game_action){.kind = BELOTE_REDOUBLE, .arg = {(uint8_t)m}};
    return n;
}

// --- Every negotiation.

struct tally {
    int options;
    int complete, positions;
    int by_length[BELOTE_MAX_BIDS + 1];
    int by_choices[8];
    int outcome[BELOTE_MODES][3][2]; // mode, multiplier 1 2 4, opener's team or the other
};

static void count_end(const struct belote_state *s, struct tally *t)
{
    int opener = (s->dealer + 1) % 4;
    t->complete++;
    t->by_length[s->bids]++;
    t->outcome[s->mode][s->multiplier / 2][s->team != opener % 2]++;
}

static void walk(const struct belote_state *s, struct record *r, struct tally *t)
{
    if (s->phase == BELOTE_PLAY_PHASE) {
        count_end(s, t);
        return;
    }
    struct game_choice list_[GAME_MAX_CHOICES];
    struct game_action slow[32];
    int count = belote_game.choices(s, s->turn, list_);
    assert_int_equal(count, slow_list(r, s->turn, t->options, slow));
    assert_in_range(count, 1, 7); // B3.14
    t->positions++;
    t->by_choices[count]++;
    for (int i = 0; i < count; i++) {
        assert_true(game_same_action(list_[i].first, slow[i]));
        struct belote_state next = *s;
        assert_int_equal(belote_game.apply(&next, s->turn, list_[i].first, NULL), OK);
        r->at[r->count++] = (struct said){s->turn, list_[i].first};
        walk(&next, r, t);
        r->count--;
    }
}

static struct tally walk_all(int dealer, int options)
{
    struct tally t = {.options = options};
    struct record r = {0};
    struct belote_state s = begin(dealer, options);
    walk(&s, &r, &t);
    return t;
}

// B3.15
static void count_all(void **unused)
{
    (void)unused;
    static const int lengths[] = {6,    21,   42,   121,  226,  293, 405,  570, 1056, 1236, 1256,
                                  1801, 1610, 2301, 1099, 2157, 603, 1209, 195, 372,  30,   42};
    static const int choices[] = {0, 35705, 12027, 2054, 162, 2, 3, 1};
    static const int outcomes[BELOTE_MODES][3][2] = {
        {{1, 0}, {318, 0}, {1525, 0}},     {{1, 1}, {231, 198}, {1085, 644}}, {{1, 3}, {136, 871}, {613, 2890}},
        {{1, 5}, {41, 1544}, {141, 5136}}, {{22, 16}, {395, 300}, {0, 0}},    {{38, 38}, {76, 76}, {152, 152}},
    };
    for (int dealer = 0; dealer < 4; dealer += 3) {
        struct tally t = walk_all(dealer, 0);
        assert_int_equal(t.complete, 16651);
        assert_int_equal(t.positions, 49954);
        for (int i = 0; i < BELOTE_MAX_BIDS - 3; i++)
            assert_int_equal(t.by_length[4 + i], lengths[i]);
        assert_memory_equal(t.by_choices, choices, sizeof choices);
        assert_memory_equal(t.outcome, outcomes, sizeof outcomes);
    }
}

// B8.2
static void count_without_clubs_redouble(void **unused)
{
    (void)unused;
    struct tally t = walk_all(1, BELOTE_NO_CLUBS_REDOUBLE);
    assert_int_equal(t.complete, 15126);
    assert_int_equal(t.positions, 45379);
    assert_int_equal(t.outcome[BELOTE_CLUBS][2][0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(give_examples),
        cmocka_unit_test(give_endings),
        cmocka_unit_test(count_all),
        cmocka_unit_test(count_without_clubs_redouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
