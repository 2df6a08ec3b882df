// Converts a hand to a replay: first its fields are read, then its cards, then its actions are played.
#include "app/phh.h"
#include "app/toml.h"

#include "codec/codec.h"
#include "crypto/crypto.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_WORDS = 4, ACTION_ROOM = 512 };

// By player, counted from 0 as in the file.
struct list {
    int32_t at[HOLDEM_SEATS];
    int count; // -1: not given
};

struct hand {
    struct phh_fault *fault;
    char variant[16];
    struct list antes, blinds, stacks, seats, finish;
    int64_t min_bet, true_min_bet, seed; // -1: not given
    bool has_actions;
    struct toml actions; // where they begin
    char name[HOLDEM_SEATS][MATCH_NAME_ROOM];
    int players;
    int seat[HOLDEM_SEATS], player[HOLDEM_SEATS];
    uint8_t cards[HOLDEM_SEATS][2], board[5]; // CARD_NONE: unknown
    int board_count;
    struct texas_holdem_rules rules;
    struct match match;
};

__attribute__((format(printf, 3, 4))) static int refuse(struct phh_fault *f, int err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->why, sizeof f->why, format, args);
    va_end(args);
    return err;
}

static int refuse_toml(struct phh_fault *f, const struct toml *t)
{
    f->line = t->line;
    return refuse(f, ERR_FORMAT, "%s", t->error);
}

// --- fields

static bool read_list(struct toml *t, struct list *l)
{
    int64_t value;
    l->count = 0;
    for (toml_enter_array(t); toml_next_element(t);) {
        if (l->count == HOLDEM_SEATS)
            return toml_fail(t, "texas_holdem has 2 to 9 seats");
        if (!toml_read_whole(t, HOLDEM_MAX_CHIPS, &value))
            return false;
        l->at[l->count++] = (int32_t)value;
    }
    return !t->error;
}

// Makes a name valid for the head of a replay: no control characters, no partial UTF-8 character.
static void clean_name(char *name)
{
    for (char *at = name; *at; at++)
        if ((unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7F)
            *at = '?';
}

static bool read_names(struct toml *t, struct hand *h)
{
    int count = 0;
    for (toml_enter_array(t); toml_next_element(t); count++) {
        if (count == HOLDEM_SEATS)
            return toml_fail(t, "texas_holdem has 2 to 9 seats");
        if (!toml_read_string(t, h->name[count], sizeof h->name[count]))
            return false;
        clean_name(h->name[count]);
    }
    return !t->error;
}

static bool read_field(struct toml *t, struct span name, struct hand *h)
{
    const struct {
        const char *name;
        struct list *at;
    } lists[] = {{"antes", &h->antes},
                 {"blinds_or_straddles", &h->blinds},
                 {"starting_stacks", &h->stacks},
                 {"seats", &h->seats},
                 {"finishing_stacks", &h->finish}};
    const struct {
        const char *name;
        int64_t *at, max;
    } numbers[] = {{"min_bet", &h->min_bet, HOLDEM_MAX_CHIPS},
                   {"_agon_min_bet", &h->true_min_bet, HOLDEM_MAX_CHIPS},
                   {"_agon_seed", &h->seed, INT64_MAX}};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        if (span_is(name, lists[i].name))
            return read_list(t, lists[i].at);
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (span_is(name, numbers[i].name))
            return toml_read_whole(t, numbers[i].max, numbers[i].at);
    if (span_is(name, "variant"))
        return toml_read_string(t, h->variant, sizeof h->variant);
    if (span_is(name, "players"))
        return read_names(t, h);
    if (span_is(name, "actions")) {
        h->actions = *t;
        h->has_actions = true;
    }
    return toml_skip(t);
}

// Number of tables, each a hand; 0: the file is a single hand.
static int count_hands(struct span file, struct phh_fault *f, uint32_t *tables)
{
    struct toml t = toml_of(file);
    struct span name;
    enum toml_item item;
    for (*tables = 0; (item = toml_next(&t, &name)) > TOML_END;)
        if (item == TOML_TABLE)
            ++*tables;
        else
            toml_skip(&t);
    return item == TOML_BAD ? refuse_toml(f, &t) : OK;
}

static int read_fields(struct span file, uint32_t wanted, struct hand *h)
{
    struct toml t = toml_of(file);
    struct span name;
    enum toml_item item;
    uint32_t table = 0;
    while ((item = toml_next(&t, &name)) > TOML_END)
        if (item == TOML_TABLE)
            table++;
        else if (table == wanted)
            read_field(&t, name, h);
        else
            toml_skip(&t);
    return item == TOML_BAD ? refuse_toml(h->fault, &t) : OK;
}

// --- rules

static int check_fields(struct hand *h)
{
    struct phh_fault *f = h->fault;
    int n = h->stacks.count;
    if (strcmp(h->variant, "NT") != 0)
        return refuse(f, ERR_RULES, "variant is '%s'; NT, no-limit Texas Hold'em, is expected", h->variant);
    if (n < 2 || h->blinds.count != n || h->antes.count != n || h->min_bet < 0 || !h->has_actions)
        return refuse(
            f, ERR_FORMAT,
            "antes, blinds_or_straddles and starting_stacks of 2 to 9 players, min_bet and actions are needed");
    if (h->finish.count >= 0 && h->finish.count != n)
        return refuse(f, ERR_FORMAT, "finishing_stacks has %d numbers for %d players", h->finish.count, n);
    for (int i = 0; i < n; i++) {
        if (h->antes.at[i] != h->antes.at[0])
            return refuse(f, ERR_RULES, "antes differ; here everybody puts in the same");
        if (i > 1 && h->blinds.at[i])
            return refuse(f, ERR_RULES, "p%d has a straddle; here are two blinds alone", i + 1);
        if (h->stacks.at[i] < 1)
            return refuse(f, ERR_RULES, "p%d has no chips; leave such players out", i + 1);
    }
    if (h->blinds.at[0] < 1 || h->blinds.at[0] > h->blinds.at[1])
        return refuse(f, ERR_RULES, "blinds are %d and %d; expected 1 or more, the small blind first", h->blinds.at[0],
                      h->blinds.at[1]);
    int64_t least = h->true_min_bet >= 0 ? h->true_min_bet : h->min_bet;
    if (least != h->blinds.at[1])
        return refuse(f, ERR_RULES, "min_bet is %jd and the big blind %d; here they are the same", (intmax_t)least,
                      h->blinds.at[1]);
    h->players = n;
    return OK;
}

// Seats as named, if all are occupied and in order; else in the order of the players.
static void find_seats(struct hand *h)
{
    int n = h->players, first = h->seats.count == n ? h->seats.at[0] - 1 : 0;
    bool named = h->seats.count == n && first >= 0 && first < n;
    for (int i = 0; named && i < n; i++)
        named = h->seats.at[i] - 1 == (first + i) % n;
    for (int i = 0; i < n; i++) {
        h->seat[i] = named ? (first + i) % n : i;
        h->player[h->seat[i]] = i;
    }
}

// --- actions

struct words {
    char text[ACTION_ROOM];
    char *at[MAX_WORDS];
    int count;
};

// "p1 cbr 400 # a comment"
static bool read_action(struct toml *t, struct words *w)
{
    w->count = 0;
    if (!toml_read_string(t, w->text, sizeof w->text))
        return false;
    char *hash = strchr(w->text, '#'), *rest = w->text, *word;
    if (hash)
        *hash = 0;
    while ((word = strtok_r(rest, " \t", &rest)))
        if (w->count < MAX_WORDS)
            w->at[w->count++] = word;
        else
            return toml_fail(t, "an action has at most four words");
    return true;
}

static int player_of(const struct hand *h, const char *word)
{
    int n = word[0] == 'p' && word[1] >= '1' && word[1] <= '9' && !word[2] ? word[1] - '1' : -1;
    return n < h->players ? n : -1;
}

static bool is_word(const struct words *w, int i, const char *word)
{
    return i < w->count && strcmp(w->at[i], word) == 0;
}

// Reads up to `room` cards from "AsKd", "????". Returns how many, or -1.
static int read_cards(const char *text, uint8_t *out, int room)
{
    static const char ranks[] = "23456789TJQKA", suits[] = "cdhs";
    int count = 0;
    for (; text[0] && text[1]; text += 2) {
        const char *rank = strchr(ranks, text[0]), *suit = strchr(suits, text[1]);
        bool hidden = text[0] == '?' && text[1] == '?';
        if (count == room || (!hidden && (!rank || !suit)))
            return -1;
        out[count++] = hidden ? CARD_NONE : (uint8_t)(4 * (rank - ranks) + (suit - suits));
    }
    return text[0] ? -1 : count;
}

static bool read_deal(struct toml *t, struct hand *h, const struct words *w)
{
    uint8_t cards[5];
    int player = w->count ? player_of(h, w->at[w->count == 4 ? 2 : 0]) : -1, count;
    if (w->count == 4 && is_word(w, 0, "d") && is_word(w, 1, "dh")) {
        if (player < 0 || read_cards(w->at[3], h->cards[player], 2) != 2)
            return toml_fail(t, "expected two cards of a player, as 'd dh p1 AsKd'");
    } else if (w->count == 3 && is_word(w, 0, "d") && is_word(w, 1, "db")) {
        count = read_cards(w->at[2], cards, 5);
        if (count < 1 || h->board_count + count > 5)
            return toml_fail(t, "expected cards of the board, five at most, as 'd db 2c7dJh'");
        memcpy(h->board + h->board_count, cards, (size_t)count);
        h->board_count += count;
    } else if (w->count == 3 && player >= 0 && is_word(w, 1, "sm") && strcmp(w->at[2], "-") != 0) {
        if (read_cards(w->at[2], cards, 2) != 2)
            return toml_fail(t, "expected two cards, as 'p1 sm AsKd'");
        if (h->cards[player][0] == CARD_NONE)
            memcpy(h->cards[player], cards, 2);
    }
    return true;
}

static int collect_cards(struct hand *h)
{
    struct toml t = h->actions;
    struct words w;
    memset(h->cards, CARD_NONE, sizeof h->cards);
    memset(h->board, CARD_NONE, sizeof h->board);
    for (toml_enter_array(&t); toml_next_element(&t);)
        if (read_action(&t, &w))
            read_deal(&t, h, &w);
    return t.error ? refuse_toml(h->fault, &t) : OK;
}

static bool mark_card(uint64_t *seen, uint8_t card)
{
    uint64_t bit = card == CARD_NONE ? 0 : UINT64_C(1) << card;
    bool twice = *seen & bit;
    *seen |= bit;
    return !twice;
}

// F6.T4: one card each from the left of the button, twice, then the board. N13.9: unknown cards are drawn from the
// seed.
static int stack_deck(struct hand *h, const uint8_t key[RNG_KEY_BYTES])
{
    uint8_t *deck = h->rules.deck, rest[CARDS_IN_DECK];
    int n = h->players, count = 0, next = 0;
    uint64_t seen = 0;
    bool once = true;
    memset(deck, CARD_NONE, sizeof h->rules.deck);
    for (int i = 0; i < n; i++) {
        deck[i] = h->cards[i][0];
        deck[n + i] = h->cards[i][1];
    }
    memcpy(deck + 2 * n, h->board, sizeof h->board);
    for (int i = 0; i < CARDS_IN_DECK; i++)
        once &= mark_card(&seen, deck[i]);
    if (!once)
        return refuse(h->fault, ERR_RULES, "a card is dealt twice");
    for (uint8_t card = 0; card < CARDS_IN_DECK; card++)
        if (!(seen >> card & 1))
            rest[count++] = card;
    struct rng root = rng_from_key(key);
    struct rng_draw draw;
    rng_begin(&draw, &root);
    cards_draw(rest, count, 0, count, &draw);
    for (int i = 0; i < CARDS_IN_DECK; i++)
        if (deck[i] == CARD_NONE)
            deck[i] = rest[next++];
    h->rules.has_deck = 1;
    return OK;
}

static int begin_match(struct hand *h, struct text *replay)
{
    struct match_setup setup = {.game = &texas_holdem_game,
                                .rules = &h->rules,
                                .seats = h->players,
                                .has_seed = true,
                                .open_key = true, // the deck is in the rules
                                .seed = h->seed < 0 ? 0 : (uint64_t)h->seed};
    crypto_seed_key(setup.key, texas_holdem_game.name, setup.seed);
    crypto_sha256(setup.commitment, setup.key, sizeof setup.key);
    texas_holdem_game.defaults(&h->rules);
    h->rules.small_blind = h->blinds.at[0];
    h->rules.big_blind = h->blinds.at[1];
    h->rules.ante = h->antes.at[0];
    h->rules.max_hands = 1;
    h->rules.blinds_double_at = 0;
    h->rules.button = (uint8_t)h->seat[h->players - 1];
    for (int i = 0; i < h->players; i++) {
        h->rules.stacks[h->seat[i]] = h->stacks.at[i];
        memcpy(setup.name[h->seat[i]], h->name[i], sizeof h->name[i]);
    }
    int err = stack_deck(h, setup.key);
    if (err != OK)
        return err;
    err = match_start(&h->match, &setup, replay, NULL);
    return err == OK ? OK : refuse(h->fault, err, "the hand cannot begin: %s", err_sentence(err));
}

// N13.3 reversed. A raise up to the amount to be matched is a call (N13.7).
static bool find_move(struct toml *t, const struct hand *h, int seat, const struct words *w, struct game_action *a)
{
    const struct texas_holdem_state *s = (const void *)&h->match.state;
    int32_t to_call = s->current_bet - s->bet[seat], all = s->bet[seat] + s->chips[seat];
    if (is_word(w, 1, "f") && w->count == 2) {
        a->kind = HOLDEM_FOLD;
        return true;
    }
    if (is_word(w, 1, "cc") && w->count == 2) {
        a->kind = to_call > 0 ? HOLDEM_CALL : HOLDEM_CHECK;
        return true;
    }
    struct toml amount = toml_of(span_of(w->count == 3 ? w->at[2] : ""));
    int64_t total;
    if (!is_word(w, 1, "cbr") || !toml_read_whole(&amount, HOLDEM_MAX_CHIPS, &total))
        return toml_fail(t, "expected 'f', 'cc' or 'cbr TOTAL' of a player");
    if (total <= s->current_bet) {
        a->kind = HOLDEM_CALL;
        return true;
    }
    *a = (struct game_action){.kind = HOLDEM_RAISE, .amount = (int32_t)total};
    if (!game_is_legal(&texas_holdem_game, s, seat, *a) && total == all)
        *a = (struct game_action){.kind = HOLDEM_ALLIN};
    return true;
}

static bool play_action(struct toml *t, struct hand *h, const struct words *w, int *err)
{
    int player = w->count ? player_of(h, w->at[0]) : -1;
    struct game_action a = {0};
    if (is_word(w, 0, "d") || is_word(w, 1, "sm"))
        return true;
    if (player < 0)
        return toml_fail(t, "expected an action of the dealer, 'd', or of a player, 'p1' and so on");
    struct game_turn turn = texas_holdem_game.turn(&h->match.state);
    if (turn.kind == TURN_OVER)
        return toml_fail(t, "the hand is over here");
    if (!(turn.seats & SEAT(h->seat[player])))
        return toml_fail(t, "it is another player's turn");
    if (!find_move(t, h, h->seat[player], w, &a))
        return false;
    *err = match_answer(&h->match, h->seat[player], turn.number, a, NULL);
    return *err == OK || toml_fail(t, *err == ERR_ACTION ? "this is not allowed here" : err_sentence(*err));
}

static int play_actions(struct hand *h)
{
    struct toml t = h->actions;
    struct words w;
    int err = ERR_ACTION;
    for (toml_enter_array(&t); toml_next_element(&t);)
        if (read_action(&t, &w))
            play_action(&t, h, &w, &err);
    if (!t.error)
        return OK;
    refuse_toml(h->fault, &t);
    return err == OK ? ERR_ACTION : err;
}

static int check_end(const struct hand *h)
{
    const struct texas_holdem_state *s = (const void *)&h->match.state;
    for (int i = 0; h->finish.count > 0 && i < h->players; i++)
        if (s->chips[h->seat[i]] != h->finish.at[i])
            return refuse(h->fault, ERR_MISMATCH, "finishing_stacks: p%d has %d here and %d in the file", i + 1,
                          s->chips[h->seat[i]], h->finish.at[i]);
    return OK;
}

static int import_hand(struct hand *h, struct text *replay)
{
    uint8_t key[RNG_KEY_BYTES];
    int err = check_fields(h);
    if (err == OK)
        err = collect_cards(h);
    if (err != OK)
        return err;
    find_seats(h);
    if ((err = begin_match(h, replay)) != OK || (err = play_actions(h)) != OK)
        return err;
    if (!match_is_over(&h->match))
        return OK;
    if ((err = check_end(h)) != OK)
        return err;
    crypto_seed_key(key, texas_holdem_game.name, h->seed < 0 ? 0 : (uint64_t)h->seed);
    err = match_finish(&h->match, key, true);
    return err == OK ? OK : refuse(h->fault, err, "%s", err_sentence(err));
}

int phh_import(struct text *replay, struct span file, uint32_t hand, struct phh_fault *fault)
{
    static _Thread_local struct hand h;
    uint32_t tables;
    *fault = (struct phh_fault){0};
    h = (struct hand){.fault = fault,
                      .antes = {.count = -1},
                      .blinds = {.count = -1},
                      .stacks = {.count = -1},
                      .seats = {.count = -1},
                      .finish = {.count = -1},
                      .min_bet = -1,
                      .true_min_bet = -1,
                      .seed = -1};
    int err = count_hands(file, fault, &tables);
    if (err != OK)
        return err;
    fault->hands = tables ? tables : 1;
    if (hand > fault->hands)
        return refuse(fault, ERR_RANGE, "there is no hand %u; the file has %u", hand, fault->hands);
    if (!hand && tables > 1)
        return refuse(fault, ERR_RANGE, "the file has %u hands; choose one with --hand N", fault->hands);
    err = read_fields(file, tables && !hand ? 1 : tables ? hand : 0, &h);
    return err == OK ? import_hand(&h, replay) : err;
}

bool phh_is(struct span file)
{
    struct toml t = toml_of(file);
    struct span name;
    static const char first[] = "variant"; // begins a hand; a mistake behind it is named by its line
    bool begins = file.size >= sizeof first - 1 && memcmp(file.at, first, sizeof first - 1) == 0;
    return begins || toml_next(&t, &name) > TOML_END;
}
