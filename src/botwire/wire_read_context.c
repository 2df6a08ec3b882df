// Reads what a request says besides its question: hands, negotiations, tricks, the match. Each function reads one value
// of any type; what makes no sense counts as unknown and never fails the request (B11.15).
#include "botwire/internal.h"

// Whether a key is this word. Most of a request is keys.
#define IS(key, word)                                                                                                  \
    ((key).escaped ? json_string_is(key, word)                                                                         \
                   : (key).raw.size == sizeof(word) - 1 && memcmp((key).raw.at, word, sizeof(word) - 1) == 0)

// --- pieces: -1 when it is not what it should be

int wire_read_name(struct json_reader *r, const char *const *names)
{
    if (json_peek(r) != JSON_STRING) {
        json_skip(r);
        return -1;
    }
    struct json_string s = json_read_string(r);
    if (s.escaped)
        return json_string_among(s, names);
    for (int i = 0; names[i] && s.raw.size; i++) // the first letter nearly always tells
        if (names[i][0] == s.raw.at[0] && strlen(names[i]) == s.raw.size && memcmp(names[i], s.raw.at, s.raw.size) == 0)
            return i;
    return -1;
}

int wire_read_number(struct json_reader *r, int max)
{
    struct json_reader ahead = *r;
    json_skip(r);
    int64_t number = json_read_int(&ahead, 0, max);
    return ahead.error ? -1 : (int)number;
}

static bool enter_object(struct json_reader *r)
{
    if (json_peek(r) == JSON_OBJECT) {
        json_enter_object(r);
        return true;
    }
    json_skip(r);
    return false;
}

static bool enter_array(struct json_reader *r)
{
    if (json_peek(r) == JSON_ARRAY) {
        json_enter_array(r);
        return true;
    }
    json_skip(r);
    return false;
}

// --- cards in their usual form. Most of a request is cards, so their exact bytes are compared first; any other form is
// parsed as JSON.

struct piece {
    const char *text;
    uint8_t size, value; // size 0: no name begins with this letter
};

#define PIECE(text, value)                                                                                             \
    {                                                                                                                  \
        text, sizeof(text) - 1, value                                                                                  \
    }
#define RANK(letter, rest, value) [letter & 31] = PIECE("{\"rank\":\"" rest "\",\"suit\":\"", value)
#define SUIT(letter, rest, value) [letter & 31] = PIECE(rest "\"}", value)
#define WHO(letter, rest, value)  [letter & 31] = PIECE("{\"player\":\"" rest "\",\"card\":", value)

// Sizes of the longest forms: nothing is compared beyond the end of a body.
enum {
    CARD_ROOM = sizeof "{\"rank\":\"Seven\",\"suit\":\"Diamonds\"}" - 1,
    PLAYED_ROOM = sizeof "{\"player\":\"Bottom\",\"card\":}" - 1 + CARD_ROOM,
};

// By the first letter, which tells them apart.
static const struct piece card_ranks[32] = {RANK('S', "Seven", BELOTE_7), RANK('E', "Eight", BELOTE_8),
                                            RANK('N', "Nine", BELOTE_9),  RANK('T', "Ten", BELOTE_10),
                                            RANK('J', "Jack", BELOTE_J),  RANK('Q', "Queen", BELOTE_Q),
                                            RANK('K', "King", BELOTE_K),  RANK('A', "Ace", BELOTE_A)};
static const struct piece card_suits[32] = {SUIT('C', "Clubs", BELOTE_CLUBS), SUIT('D', "Diamonds", BELOTE_DIAMONDS),
                                            SUIT('H', "Hearts", BELOTE_HEARTS), SUIT('S', "Spades", BELOTE_SPADES)};
static const struct piece players[32] = {WHO('B', "Bottom", 0), WHO('L', "Left", 1), WHO('T', "Top", 2),
                                         WHO('R', "Right", 3)};

// Reads the piece at *at, which is identified by the letter at this index. NULL: there is none.
static const struct piece *take_piece(const struct piece *list, const char **at, int letter)
{
    const struct piece *p = &list[(*at)[letter] & 31];
    if (!p->size || memcmp(*at, p->text, p->size) != 0)
        return NULL;
    *at += p->size;
    return p;
}

static int take_card(const char **at)
{
    const char *look = *at;
    const struct piece *rank = take_piece(card_ranks, &look, 9), *suit = rank ? take_piece(card_suits, &look, 0) : NULL;
    if (!suit)
        return -1;
    *at = look;
    return BELOTE_RANKS * suit->value + rank->value;
}

// The fast way must refuse what the slow one refuses: text that ends too early, or that is nested too deeply.
static bool has_room(const struct json_reader *r, int bytes, int depth)
{
    return r->end - r->at >= bytes && r->depth + depth <= r->max_depth && !r->error;
}

static bool take_played(struct json_reader *r, int *player, int *card)
{
    const char *look = r->at;
    if (!has_room(r, PLAYED_ROOM, 2))
        return false;
    const struct piece *p = take_piece(players, &look, 11);
    *card = p ? take_card(&look) : -1;
    if (*card < 0 || *look != '}')
        return false;
    *player = p->value;
    json_pass(r, look + 1);
    return true;
}

int wire_read_one_card(struct json_reader *r)
{
    struct json_string key;
    const char *look = r->at;
    int known = has_room(r, CARD_ROOM, 1) ? take_card(&look) : -1;
    if (known >= 0) {
        json_pass(r, look);
        return known;
    }
    int rank = -1, suit = -1;
    if (!enter_object(r))
        return -1;
    while (json_next_key(r, &key))
        if (IS(key, "rank"))
            rank = wire_read_name(r, wire_ranks);
        else if (IS(key, "suit"))
            suit = wire_read_name(r, wire_suits);
        else
            json_skip(r);
    return rank < 0 || suit < 0 ? -1 : BELOTE_RANKS * suit + rank;
}

int wire_read_one_word(struct json_reader *r, int *player)
{
    static const int first[] = {BELOTE_SAY_MODE, BELOTE_SAY_ACCEPT, BELOTE_SAY_DOUBLE, BELOTE_SAY_REDOUBLE};
    struct json_string key;
    int type = -1, mode = -1, target = -1;
    *player = -1;
    if (!enter_object(r))
        return -1;
    while (json_next_key(r, &key))
        if (IS(key, "type"))
            type = wire_read_name(r, wire_word_types);
        else if (IS(key, "player"))
            *player = wire_read_name(r, wire_seats);
        else if (IS(key, "mode"))
            mode = wire_read_name(r, wire_modes);
        else if (IS(key, "targetMode"))
            target = wire_read_name(r, wire_modes);
        else
            json_skip(r);
    int of = type == 0 ? mode : type == 1 ? 0 : target;
    return type < 0 || of < 0 ? -1 : first[type] + of;
}

// --- the hand

void wire_read_hand(struct json_reader *r, struct wire_request *q)
{
    uint32_t seen = 0;
    bool sound = true;
    q->cards = 0;
    for (json_enter_array(r); json_next_item(r);) {
        int card = wire_read_one_card(r);
        sound = sound && card >= 0 && q->cards < BELOTE_HAND && !(seen >> card & 1);
        if (!sound)
            continue;
        seen |= 1u << card;
        q->hand[q->cards++] = (uint8_t)card;
    }
    q->knows_hand = sound;
}

// --- the match

static struct belote_deal read_deal(struct json_reader *r)
{
    struct belote_deal d = {.sweep = BELOTE_NONE};
    struct json_string key;
    int mode = -1, multiplier = -1, team = -1, sweep, points[4] = {-1, -1, -1, -1};
    static const char *const numbers[] = {"team1CardPoints", "team2CardPoints", "team1MatchPoints", "team2MatchPoints",
                                          NULL};
    if (!enter_object(r))
        return d;
    while (json_next_key(r, &key)) {
        int number = json_string_among(key, numbers);
        if (number >= 0)
            points[number] = wire_read_number(r, number < 2 ? 300 : 255);
        else if (IS(key, "gameMode"))
            mode = wire_read_name(r, wire_modes);
        else if (IS(key, "multiplier"))
            multiplier = wire_read_name(r, wire_multipliers);
        else if (IS(key, "announcerTeam"))
            team = wire_read_name(r, wire_teams);
        else if (IS(key, "sweepingTeam"))
            d.sweep = (uint8_t)((sweep = wire_read_name(r, wire_teams)) < 0 ? BELOTE_NONE : sweep);
        else
            json_skip(r);
    }
    if (mode < 0 || multiplier < 0 || team < 0 || points[0] < 0 || points[1] < 0 || points[2] < 0 || points[3] < 0)
        return (struct belote_deal){.sweep = BELOTE_NONE};
    d.mode = (uint8_t)mode;
    d.multiplier = (uint8_t)(1 << multiplier);
    d.team = (uint8_t)team;
    for (int i = 0; i < 2; i++) {
        d.card_points[i] = (uint16_t)points[i];
        d.match_points[i] = (uint8_t)points[2 + i];
    }
    return d;
}

// Only the last is kept: no bot needs more, and a match may have many.
static void read_deals(struct json_reader *r, struct wire_request *q)
{
    struct json_reader last = {0};
    q->match_state.count = 0;
    q->last = (struct belote_deal){.sweep = BELOTE_NONE};
    if (!enter_array(r))
        return;
    while (json_next_item(r)) {
        last = *r;
        q->match_state.count++;
        json_skip(r);
    }
    if (last.at && !r->error)
        q->last = read_deal(&last);
}

void wire_read_match(struct json_reader *r, struct wire_request *q)
{
    struct json_string key;
    int target = -1, points[2] = {-1, -1}, dealer = -1;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (IS(key, "targetScore"))
            target = wire_read_number(r, BELOTE_MOST_POINTS);
        else if (IS(key, "team1MatchPoints"))
            points[0] = wire_read_number(r, BELOTE_MOST_POINTS);
        else if (IS(key, "team2MatchPoints"))
            points[1] = wire_read_number(r, BELOTE_MOST_POINTS);
        else if (IS(key, "currentDealer"))
            dealer = wire_read_name(r, wire_seats);
        else if (IS(key, "completedDeals"))
            read_deals(r, q);
        else
            json_skip(r);
    q->knows_match = target > 0 && points[0] >= 0 && points[1] >= 0 && dealer >= 0;
    if (!q->knows_match)
        return;
    q->match_state.target = target;
    q->match_state.points[0] = points[0];
    q->match_state.points[1] = points[1];
    q->match_state.dealer = (uint8_t)dealer;
}

// --- the negotiation

// Reads actions in order. False: one is unknown, there are too many, or a seat spoke out of turn.
static bool read_words(struct json_reader *r, struct wire_deal *d)
{
    int player;
    bool sound = true;
    if (!enter_array(r))
        return false;
    while (json_next_item(r)) {
        int word = wire_read_one_word(r, &player);
        sound = sound && word >= 0 && d->bids < BELOTE_MAX_BIDS &&
                (player < 0 || player == (d->dealer + 1 + d->bids) % BELOTE_SEATS);
        if (sound)
            wire_add_bid(d, word);
    }
    return sound;
}

void wire_read_negotiation(struct json_reader *r, struct wire_request *q)
{
    struct json_reader words = {0};
    struct json_string key;
    int dealer = -1;
    q->knows_bids = false;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (IS(key, "dealer")) {
            dealer = wire_read_name(r, wire_seats);
        } else if (IS(key, "currentPlayer")) {
            q->seat = wire_read_name(r, wire_seats);
        } else {
            if (IS(key, "actions"))
                words = *r;
            json_skip(r);
        }
    if (dealer < 0 || !words.at || r->error)
        return;
    wire_start_deal(&q->deal, dealer);
    q->knows_bids = read_words(&words, &q->deal);
}

// --- play

struct trick {
    int leader;
    int count; // of cards, -1: they make no sense
    uint8_t card[4];
};

static void read_played_card(struct json_reader *r, int *player, int *card)
{
    struct json_string key;
    if (take_played(r, player, card))
        return;
    *player = *card = -1;
    if (!enter_object(r))
        return;
    while (json_next_key(r, &key))
        if (IS(key, "player"))
            *player = wire_read_name(r, wire_seats);
        else if (IS(key, "card"))
            *card = wire_read_one_card(r);
        else
            json_skip(r);
}

static void read_played(struct json_reader *r, struct trick *k)
{
    bool sound = enter_array(r);
    k->count = sound ? 0 : -1;
    while (sound && json_next_item(r)) {
        int player, card;
        read_played_card(r, &player, &card);
        if (card < 0 || k->count < 0 || k->count == 4 ||
            (player >= 0 && k->leader >= 0 && player != (k->leader + k->count) % BELOTE_SEATS))
            k->count = -1;
        else
            k->card[k->count++] = (uint8_t)card;
    }
}

// The leader usually stands before the cards; otherwise the cards are read a second time.
static struct trick read_trick(struct json_reader *r)
{
    struct trick k = {.leader = -1, .count = -1};
    struct json_reader played = {0};
    struct json_string key;
    if (!enter_object(r))
        return k;
    while (json_next_key(r, &key)) {
        if (IS(key, "leader")) {
            k.leader = wire_read_name(r, wire_seats);
        } else if (IS(key, "playedCards")) {
            if (k.leader < 0)
                played = *r;
            read_played(r, &k);
        } else {
            json_skip(r);
        }
    }
    if (played.at && !r->error)
        read_played(&played, &k);
    return k;
}

// Adds a trick to the deal. Its leader must have taken the last one; the first leader sits after the dealer.
static bool add_trick(struct wire_deal *d, const struct trick *k, bool complete)
{
    if (k->leader < 0 || k->count < 0 || (k->count == 4) != complete || d->plays + k->count > BELOTE_CARDS)
        return false;
    if (d->plays == 0) {
        d->dealer = (uint8_t)((k->leader + 3) % BELOTE_SEATS);
        d->leader[0] = (uint8_t)k->leader;
    }
    if (d->leader[d->plays / 4] != k->leader)
        return false;
    for (int i = 0; i < k->count; i++)
        wire_add_play(d, k->card[i]);
    return true;
}

static bool read_complete(struct json_reader *r, int mode, struct wire_deal *d)
{
    bool sound = mode >= 0;
    *d = (struct wire_deal){.mode = sound ? (uint8_t)mode : BELOTE_NONE};
    if (!enter_array(r))
        return false;
    while (json_next_item(r)) {
        struct trick k = read_trick(r);
        sound = sound && add_trick(d, &k, true);
    }
    return sound;
}

// The mode usually stands before the tricks.
void wire_read_hand_state(struct json_reader *r, struct wire_request *q)
{
    struct json_reader complete = {0};
    struct json_string key;
    struct trick now = {.leader = -1, .count = -1};
    int mode = -1;
    bool sound = false;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (IS(key, "gameMode")) {
            mode = wire_read_name(r, wire_modes);
        } else if (IS(key, "currentTrick")) {
            now = read_trick(r);
        } else if (IS(key, "completedTricks")) {
            if (mode < 0)
                complete = *r;
            sound = read_complete(r, mode, &q->deal);
        } else {
            json_skip(r);
        }
    if (complete.at && !r->error)
        sound = read_complete(&complete, mode, &q->deal);
    if (now.leader >= 0 && now.count >= 0) // B11.28
        q->seat = (now.leader + now.count) % BELOTE_SEATS;
    q->knows_plays = sound && add_trick(&q->deal, &now, false);
}
